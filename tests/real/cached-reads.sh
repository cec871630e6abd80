#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Numbers that are not the device's say so: reads from memory, and phases too short to measure.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs

cat >cached.job <<'END'
job = "cached";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
global = { size = "64MiB"; bs = "64KiB"; };
steps = (
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; },
	{ workload = "io"; name = "write"; rw = "write"; end_fsync = true; },
	{ workload = "io"; name = "warm"; rw = "randread"; runtime = "600ms"; },
	{ setup = "drop_caches"; },
	{ workload = "io"; name = "cold"; rw = "randread"; },
	{ workload = "io"; name = "direct"; rw = "randread"; direct = true; },
	{ workload = "io"; name = "short"; rw = "read"; size = "64KiB"; bs = "4KiB"; }
);
END
fstrial run --out out cached.job >table 2>log || { show_file log; fail "the job"; }
assert_schema out/result.json
s="{s['name']: s for t in d['trials'] for s in t['steps'] if s['kind'] == 'workload'}"
assert_json out/result.json "${s}['warm']['data']['cache'] == 'cached' and ${s}['warm']['data']['resident_before'] > 0.95"
assert_json out/result.json "any('reads from the page cache' in w for w in ${s}['warm']['warnings'])"
assert_json out/result.json "${s}['cold']['data']['cache'] == 'cold' and not any('page cache' in w for w in ${s}['cold']['warnings'])"
assert_json out/result.json "${s}['direct']['data']['cache'] == 'direct' and not any('page cache' in w for w in ${s}['direct']['warnings'])"
assert_json out/result.json "all(abs(x['data']['dataset_bytes'] / x['data']['ram_bytes'] / x['data']['dataset_to_ram'] - 1) < 1e-9
	for x in $s.values())"
# Sixteen reads in no time are no rate. With a runtime the same would be repeated until it is up.
assert_json out/result.json "${s}['short']['measured']['ops'] == 16 and ${s}['short']['measured']['too_short'] and
	any('too short to be trusted' in w for w in ${s}['short']['warnings'])"
assert_json out/result.json "not ${s}['warm']['measured']['too_short'] and ${s}['warm']['measured']['bytes'] > 64 << 20"
assert_contains table "too short to be trusted"
