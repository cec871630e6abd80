#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Scheduler, limits, readahead, mkfs and mount in one job, whatever the order of the keys: all in force at the end.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs

cat > all.job <<'END'
job = "all";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
matrix = {
	scheduler = [ "none", "mq-deadline" ];
	nr_requests = [ 64, 512 ];
	max_sectors_kb = [ 128, 1024 ];
	readahead = [ "64KiB", "4MiB" ];
};
steps = (
	{ setup = "readahead"; size = "${readahead}"; name = "early"; },
	{ setup = "sysfs"; read_ahead_kb = 256; max_sectors_kb = "${max_sectors_kb}"; nr_requests = "${nr_requests}";
	  scheduler = "${scheduler}"; name = "limits"; },
	{ setup = "mkfs"; fs = "xfs"; agcount = 4; },
	{ setup = "mount"; options = "noatime,logbsize=256k"; },
	{ setup = "readahead"; size = "${readahead}"; }
);
END
assert_exit 1 fstrial run --out out all.job >table 2>log
assert_schema out/result.json
assert_json out/result.json "len(d['trials']) == 16"
# nr_requests = 512 is refused under none, and nothing else is.
assert_json out/result.json "all((t['status'] == 'failed') == (v['values']['scheduler'] == 'none' and v['values']['nr_requests'] == 512)
	for t in d['trials'] for v in d['variants'] if v['id'] == t['variant'])"
assert_json out/result.json "all(s['in_force'][k] == a for t in d['trials'] if t['status'] == 'ok'
	for s in t['steps'] if s['name'] in ('limits', 'readahead', 'mkfs', 'mount') for k, a in s['asked'].items()
	if k != 'queue/read_ahead_kb')"
# The device as it was when it was measured.
assert_json out/result.json "all(t['device_settings']['queue/read_ahead_kb'] == {'64KiB': '64', '4MiB': '4096'}[v['values']['readahead']]
	and t['device_settings']['queue/max_sectors_kb'] == str(v['values']['max_sectors_kb'])
	for t in d['trials'] if t['status'] == 'ok' for v in d['variants'] if v['id'] == t['variant'])"
# The early readahead was overridden: a warning.
assert_json out/result.json "all(t['steps'][0]['asked']['readahead' if 'readahead' in t['steps'][0]['asked'] else list(t['steps'][0]['asked'])[0]]
	for t in d['trials'] if t['status'] == 'ok')"
assert_json out/result.json "all(t['filesystem']['type'] == 'xfs' and t['filesystem']['geometry']['agcount'] == 4
	for t in d['trials'] if t['status'] == 'ok')"
