#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The classic SSD job: one file, laid out once, four phases with metrics of their own, depth 4.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs
fstrial plugins --names >names
grep -qx io_uring names || skip "io_uring was not built"

fstrial run --out out --repeats 1 --set size=32MiB --set runtime=1s "$SRC/jobs/four-phases.job" >table 2>log ||
	{ show_file log; show_file table; fail "the job"; }
assert_schema out/result.json
s="{s['name']: s for t in d['trials'] for s in t['steps'] if s['kind'] == 'workload'}"
assert_json out/result.json "list($s) == ['seqread', 'randread', 'seqwrite', 'randwrite']"
# Laid out once, before the first read.
assert_json out/result.json "[x['data']['laid_out_bytes'] for x in $s.values()] == [32 << 20, 0, 0, 0]"
assert_json out/result.json "all(x['data']['dataset_bytes'] == 32 << 20 for x in $s.values())"
assert_json out/result.json "all(x['engine']['depth_max'] == 4 and x['engine']['name'] == 'io_uring' for x in $s.values())"
assert_json out/result.json "all(x['data']['cache'] == 'direct' for x in $s.values())"
# What is counted is what was moved, under the right name only.
assert_json out/result.json "all(x['measured']['ops'] * 4096 == x['measured']['bytes'] for x in $s.values())"
assert_json out/result.json "all({k: h['count'] for k, h in x['latency'].items()} == {n[-4:].replace('rite', 'write'): x['measured']['ops']}
	for n, x in $s.items())"
# A loop of its own on the size would be over: it ran until the time was up.
assert_json out/result.json "all(0.9e9 < x['measured']['elapsed_ns'] < 60e9 for x in $s.values())"
assert_json out/result.json "all(x['metrics']['iops']['value'] > 0 and x['metrics']['iops']['primary'] for x in $s.values())"
assert_json out/result.json "${s}['randread']['metrics']['read_p50']['value'] > 0 and
	${s}['randread']['metrics']['write_p50']['value'] is None and ${s}['randwrite']['metrics']['write_p50']['value'] > 0"
for phase in seqread randread seqwrite randwrite; do
	assert_contains table "$phase.iops"
done
