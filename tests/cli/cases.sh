#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Plans that would run for days, phases that are over before they began, depths that nobody can give.
. "$(dirname "$0")/../helpers.sh"

# 144 variants, 310 s each, twice: said before anything runs.
mkdir work
cat > long.job <<END
target = { directory = "work"; };
repeats = 2;
matrix = { a = [$(seq -s, 1 12)]; b = [$(seq -s, 1 12)]; };
steps = ( { workload = "sequential"; rw = "write"; size = "1GiB"; bs = "\${a}KiB"; fsync = "\${b}"; runtime = "310s"; } );
END
assert_exit 0 fstrial plan long.job >plan
assert_contains plan "variants      144: a (12) x b (12)"
assert_contains plan "trials        288"
assert_contains plan "files         288"
# 288 x 310 s = 24 h 48 min at least
grep -qE '^time +about (24 h (4[89]|5[0-9])|25 h [0-9]) ' plan || grep -qE '^time +about 24 h (48|49|5[0-9]) min' plan ||
	{ show_file plan; fail "the time is not 24 h 48 min or a little more"; }
fstrial plan --json long.job >plan.json
assert_json plan.json '288 * 310 * 10**9 <= d["plan"]["time_ns"] < 288 * 315 * 10**9 and d["plan"]["files"] == 288
	and d["plan"]["trials"] == 288 and d["plan"]["bytes_written"] > 0'
[ -z "$(ls work)" ] || fail "plan made something"

# 64 KiB are over in no time: marked, with the way out.
cat > short.job <<'END'
target = { directory = "work"; };
repeats = 1;
vars = { time = "0s"; };
steps = ( { workload = "sequential"; rw = "write"; size = "64KiB"; bs = "4KiB"; runtime = "${time}"; } );
END
assert_exit 0 fstrial run --out short short.job >table 2>log
assert_contains table "too short to be trusted"
assert_json short/result.json "any('too short' in w for w in d['trials'][0]['steps'][0]['warnings'])"
assert_exit 0 fstrial run --out extended --set time=1s short.job >table 2>log
assert_lacks table "too short"
assert_json extended/result.json "d['trials'][0]['steps'][0]['elapsed_ns'] >= 10**9"

# Depth under an engine that has none, and an engine that is none: at load, with the list of those there are.
cat > depth.job <<'END'
target = { directory = "work"; };
vars = { engine = "psync"; };
steps = ( { workload = "sequential"; size = "1MiB"; bs = "4KiB"; ioengine = "${engine}"; iodepth = 1024; } );
END
for command in check plan "run --out never"; do
	# shellcheck disable=SC2086
	assert_exit 2 fstrial $command depth.job >out 2>err
	assert_contains err "depth.job:3: sequential: iodepth = 1024: engine psync is synchronous"
	# shellcheck disable=SC2086
	assert_exit 2 fstrial $command --set engine=liburing depth.job >out 2>err
	assert_contains err 'there is no engine "liburing"'
	grep -q 'there are: .*psync' err || fail "the engines are not listed"
	[ ! -e never ] || fail "something was touched"
done

# The same limit from the job and from the command line.
sed 's/repeats = 1;/repeats = 100001;/' short.job >many.job
assert_exit 2 fstrial plan many.job >out 2>err
assert_contains err "repeats = 100001: must be at most 100000"
assert_exit 2 fstrial plan --repeats 100001 short.job >out 2>err
assert_contains err "--repeats 100001: must be at most 100000"
assert_exit 0 fstrial plan --repeats 100000 short.job >out
