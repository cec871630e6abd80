#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What works in the background is waited for: ext4 that initialises its inode tables after the mount.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.ext4

cat >lazy.job <<'END'
job = "lazy";
vars = { within = "60s"; };
target = { scratch = "2GiB"; scratch_dir = "."; };
repeats = 1;
steps = (
	{ setup = "mkfs"; fs = "ext4"; lazy_init = true; },
	{ setup = "mount"; },
	{ setup = "settle"; idle = "100ms"; within = "${within}"; },
	{ workload = "sequential"; rw = "write"; size = "1MiB"; bs = "1MiB"; loops = 1; }
);
END
fstrial run --quiet --out out lazy.job >table 2>err || { show_file err; fail "settle"; }
assert_json out/result.json "'ext4 initialises inode tables' in d['trials'][0]['steps'][2]['notes']['was_busy']"

# Too little time: the step has failed, the workload was not run, and it is said what is busy.
assert_exit 1 fstrial run --quiet --set within=100ms --out late lazy.job >table 2>err
assert_json late/result.json "d['trials'][0]['steps'][2]['errno'] == 'ETIMEDOUT'"
assert_json late/result.json "'still busy: ext4 initialises inode tables, ' in d['trials'][0]['reason']"
assert_json late/result.json "d['trials'][0]['steps'][3]['status'] == 'not run'"
