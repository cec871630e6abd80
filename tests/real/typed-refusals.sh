#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The same by typed parameters, small images, and queue limits.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs

cat > both.job <<'END'
job = "both";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
order = "listed";
matrix = { agsize = [ "100MiB", "128MiB" ]; };
steps = (
	{ setup = "mkfs"; fs = "xfs"; agcount = 4; agsize = "${agsize}"; when = "agsize == 128MiB"; name = "refused"; },
	{ setup = "mkfs"; fs = "xfs"; agsize = "${agsize}"; when = "agsize == 100MiB"; name = "taken"; },
	{ setup = "mount"; }
);
END
assert_exit 1 fstrial run --out both both.job >table 2>log
assert_json both/result.json "[t['status'] for t in d['trials']] == ['ok', 'failed']
	and 'agsize' in d['trials'][1]['reason'] and 'agcount' in d['trials'][1]['reason']"

cat > small.job <<'END'
job = "small";
target = { scratch = "200MiB"; scratch_dir = "."; };
repeats = 1;
order = "listed";
matrix = { fs = [ "xfs", "ext4" ]; };
steps = (
	{ setup = "mkfs"; fs = "${fs}"; },
	{ setup = "mount"; },
	{ workload = "sequential"; rw = "write"; size = "4MiB"; bs = "1MiB"; }
);
END
fstrial plan small.job >plan
assert_contains plan "300"
assert_exit 1 fstrial run --out small small.job >table 2>log
assert_json small/result.json "[t['status'] for t in d['trials']] == ['failed', 'ok']
	and '300MB' in d['trials'][0]['reason']"
assert_contains table "300MB"

cat > requests.job <<'END'
job = "requests";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
order = "listed";
matrix = { what = (
	{ name = "none"; scheduler = "none"; n = 512; },
	{ name = "deadline"; scheduler = "deadline"; n = 512; },
	{ name = "two"; scheduler = "mq-deadline"; n = 2; }
); };
steps = ( { setup = "sysfs"; scheduler = "${what.scheduler}"; nr_requests = "${what.n}"; } );
END
assert_exit 1 fstrial run --out requests requests.job >table 2>log
assert_json requests/result.json "[t['status'] for t in d['trials']] == ['failed', 'ok', 'ok']"
assert_json requests/result.json "'128' in d['trials'][0]['reason'] and 'none' in d['trials'][0]['reason']"
# A silent change is a warning with both values.
assert_json requests/result.json "d['trials'][1]['steps'][0]['warnings'] == []"
assert_json requests/result.json "any('2' in w and '4' in w for w in d['trials'][2]['steps'][0]['warnings'])"
assert_contains table "nr_requests"

cat > clamp.job <<'END'
job = "clamp";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
steps = ( { setup = "sysfs"; max_sectors_kb = 99999999; } );
END
assert_exit 0 fstrial run --out clamp clamp.job >table 2>log
assert_json clamp/result.json "any('99999999' in w and d['trials'][0]['steps'][0]['in_force']['queue/max_sectors_kb'] in w
	for w in d['trials'][0]['steps'][0]['warnings'])"
assert_contains table "99999999"
