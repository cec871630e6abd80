#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Canaries: measured before each block, the same in its trials, with nothing left behind.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3

mkdir work
cat > canaries.job <<'END'
job = "canaries";
target = { directory = "work"; };
repeats = 3;
matrix = { mean = [1000, 2000]; };
steps = ( { workload = "synthetic"; mean = "${mean}"; } );
END
assert_exit 0 fstrial run --quiet --out out canaries.job >table
assert_schema out/result.json
cat > check.py <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
blocks = {}
for t in d["trials"]:
    blocks.setdefault(t["block"], []).append(t["canaries"])
assert len(blocks) == 3
for c in blocks.values():
    assert all(x == c[0] for x in c), "one measurement a block"
    assert (c[0]["compute"]["unit"], c[0]["compute"]["better"]) == ("ns", "lower")
    # A million steps of six operations, each waiting for the one before: some milliseconds on any machine.
    assert 5e5 < c[0]["compute"]["value"] < 1e9, c[0]
    assert 1e3 < c[0]["tmpfs"]["value"] < 1e9, c[0]
    assert c[0]["raw"]["unit"] == "bytes/s" and c[0]["raw"]["value"] > 1e5, c[0]
assert len({c[0]["compute"]["value"] for c in blocks.values()}) > 1, "measured anew for each block"
END
/usr/bin/python3 check.py out/result.json || fail "canaries"
assert_eq "$(ls -A work)" ""

# `canaries = false` leaves them out; another value is refused with its line.
sed 's/^repeats/canaries = false;\nrepeats/' canaries.job >off.job
assert_exit 0 fstrial run --quiet --out off off.job >/dev/null
assert_schema off/result.json
assert_json off/result.json "all(t['canaries'] is None for t in d['trials'])"
sed 's/^repeats/canaries = 3;\nrepeats/' canaries.job >bad.job
assert_exit 2 fstrial check bad.job >/dev/null 2>err
assert_contains err "bad.job:3: canaries"

# Where the image is throttled, the raw canary of the file beside it knows, and the others do not.
[ "$(id -u)" = 0 ] && command -v mkfs.ext4 >/dev/null || exit 0
cat > scratch.job <<'END'
job = "canaries";
target = { scratch = "32MiB"; scratch_dir = "."; };
repeats = 1;
steps = ( { setup = "mkfs"; fs = "ext4"; }, { setup = "mount"; }, { workload = "synthetic"; } );
END
assert_exit 0 fstrial run --quiet --out fast scratch.job >/dev/null
assert_json fast/result.json "d['trials'][0]['canaries']['raw']['value'] > 0"
group=/sys/fs/cgroup/blkio/fstrial-canary-$$
disk=$(findmnt -no MAJ:MIN -T . | tr -d ' ')
if mkdir "$group" 2>/dev/null; then
	cleanup_fn rmdir "$group"
	if echo "$disk 4194304" 2>/dev/null >"$group/blkio.throttle.read_bps_device"; then
		(echo $BASHPID >"$group/cgroup.procs" && exec "$BUILD/fstrial" run --quiet --out slow scratch.job >/dev/null)
		assert_json slow/result.json "d['trials'][0]['canaries']['raw']['value'] < 8 * 1048576"
	fi
fi
