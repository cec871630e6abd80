#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Jobs are checked without touching anything; the ready ones are good.
. "$(dirname "$0")/../helpers.sh"

for job in "$SRC"/jobs/*.job; do
	fstrial check "$job" >out 2>err || { show_file err; fail "$job is not good"; }
	grep -q "^$job: ok, [0-9]* variants*, [0-9]* trials*$" out || { show_file out; fail "$job"; }
	[ ! -s err ] || { show_file err; fail "$job: something on standard error"; }
	# In a directory too: what needs a device is then left out.
	fstrial check --directory "$PWD" "$job" >out 2>err || { show_file err; fail "$job"; }
done

cat >good.job <<'END'
target = { directory = "."; };
repeats = 3;
matrix = { bs = ["4KiB", "64KiB"]; };
steps = ( { workload = "sequential"; rw = "write"; size = "1MiB"; bs = "${bs}"; } );
END
cat >bad.job <<'END'
target = { directory = "."; };
steps = (
  { workload = "sequential"; rw = "wriet"; size = "1MiB"; },
  { workload = "sequentail"; name = "b"; size = "1MiB"; },
  { workload = "sequential"; name = "c"; sise = "1MiB"; }
);
END

fstrial check good.job >out
assert_eq "$(cat out)" "good.job: ok, 2 variants, 6 trials"
assert_eq "$(fstrial check --set bs=4KiB --repeats 1 good.job)" "good.job: ok, 1 variant, 1 trial"

# All that is wrong at once, each with its place, and the good job beside it is still good.
assert_exit 2 fstrial check bad.job good.job >out 2>err
assert_eq "$(cat out)" "good.job: ok, 2 variants, 6 trials"
for line in 3 4 5; do
	assert_contains err "bad.job:$line: "
done
assert_contains err sequential
assert_contains err size

assert_exit 2 fstrial check --set nonsense=1 good.job 2>err
assert_contains err nonsense
assert_exit 2 fstrial check --set bs good.job 2>err
[ -s err ] || fail "--set without a value: no word about it"
assert_eq "$(find . -type f | sort | tr '\n' ' ')" "./bad.job ./err ./good.job ./out "
