#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The etcd check: odd sizes, a sync after each write, and the two latencies apart.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs

fstrial run --out out --repeats 1 --set size=1MiB "$SRC/jobs/etcd-fdatasync.job" >table 2>log || show_file log
assert_schema out/result.json
w="next(s for s in d['trials'][0]['steps'] if s['name'] == 'wal')"
n=$(((1048576 + 2299) / 2300))
assert_json out/result.json "$w['status'] == 'ok' and $w['measured']['bytes'] == 1 << 20"
assert_json out/result.json "$w['measured']['ops'] == $w['latency']['write']['count'] == $w['latency']['sync']['count'] == $n"
assert_json out/result.json "set($w['latency']) == {'write', 'sync'}"
assert_json out/result.json "'fdatasync after every write' in $w['measured']['sync_boundary']"
# 456 writes are not enough for a 99th percentile, but for a median.
assert_json out/result.json "$w['metrics']['sync_p99']['value'] is None and
	0 < $w['metrics']['write_p50']['value'] < $w['metrics']['sync_p50']['value']"
