#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The etcd check: odd sizes, a sync after each write, and the two latencies apart.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs

size=$((3 << 20))
n=$(((size + 2299) / 2300))
fstrial run --out out --repeats 1 --set size=3MiB --set limit=1h "$SRC/jobs/etcd-fdatasync.job" >table 2>log ||
	{ show_file log; show_file table; fail "the job"; }
assert_schema out/result.json
w="next(s for s in d['trials'][0]['steps'] if s['name'] == 'wal')"
assert_json out/result.json "${w}['status'] == 'ok' and ${w}['measured']['bytes'] == $size"
assert_json out/result.json "${w}['measured']['ops'] == ${w}['latency']['write']['count'] == ${w}['latency']['sync']['count'] == $n"
assert_json out/result.json "set(${w}['latency']) == {'write', 'sync'}"
assert_json out/result.json "'fdatasync after every write' in ${w}['measured']['sync_boundary']"
assert_json out/result.json "0 < ${w}['metrics']['write_p50']['value'] < ${w}['metrics']['sync_p50']['value']
	<= ${w}['metrics']['sync_p99']['value'] == ${w}['expect'][0]['value']"
assert_json out/result.json "d['trials'][0]['expectations'] == 'met'"

# A limit that no disk keeps: measured all the same, and said by the exit status.
assert_exit 1 fstrial run --out bad --repeats 1 --set size=3MiB --set limit=1ns "$SRC/jobs/etcd-fdatasync.job" >table 2>log
assert_json bad/result.json "d['trials'][0]['expectations'] == 'failed' and ${w}['status'] == 'ok' and
	${w}['metrics']['sync_p99']['value'] > 1"
assert_contains table "fdatasync.p99 < 1ns: not met"
