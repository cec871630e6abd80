#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A device that really became slower: compare calls it a regression, and names the canary that moved.
. "$(dirname "$0")/../helpers.sh"
requires mkfs.ext4
[ "$(id -u)" = 0 ] || skip "limits of I/O need root"

cat > slower.job <<'END'
job = "slower";
target = { scratch = "96MiB"; scratch_dir = "."; };
repeats = 5;
global = { size = "8MiB"; bs = "1MiB"; direct = true; runtime = "200ms"; };
steps = (
	{ setup = "mkfs"; fs = "ext4"; },
	{ setup = "mount"; },
	{ workload = "sequential"; name = "write"; rw = "write"; end_fsync = true; },
	{ workload = "sequential"; name = "read"; rw = "read"; }
);
END
disk=$(findmnt -no MAJ:MIN -T . | tr -d ' ')
rate=$((16 << 20))
# limited: a control group whose members read and write the disk below at $rate; by either version.
v1=/sys/fs/cgroup/blkio/fstrial-slower-$$
for root in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ ! -e $root/cgroup.controllers ] || v2=$root/fstrial-slower-$$
done
if [ -d "${v1%/*}" ] && mkdir "$v1"; then
	group=$v1
	cleanup_fn rmdir "$group"
	for what in read write; do
		echo "$disk $rate" >"$group/blkio.throttle.${what}_bps_device" || skip "the disk below takes no limit"
	done
elif [ -n "${v2:-}" ] && grep -qw io "${v2%/*}/cgroup.subtree_control" && mkdir "$v2"; then
	group=$v2
	cleanup_fn rmdir "$group"
	echo "$disk rbps=$rate wbps=$rate" >"$group/io.max" || skip "the disk below takes no limit"
else
	skip "no control group for I/O"
fi

assert_exit 0 fstrial run --quiet --out base slower.job >/dev/null
(echo "$BASHPID" >"$group/cgroup.procs" && exec "$BUILD/fstrial" run --quiet --out slow slower.job >/dev/null) ||
	fail "the limited run"
assert_exit 1 fstrial compare base slow >out
assert_contains out "REGRESSED"
assert_contains out "canary raw"
assert_contains out "the device is another one below any file system"
fstrial compare --format json base slow >json || :
assert_json json "{c['canary']: c['moved'] for c in d['canaries']}['raw'] is True"
# The other way round it is an improvement, and no failure.
assert_exit 0 fstrial compare slow base >out
assert_contains out "IMPROVED"
