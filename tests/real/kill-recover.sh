#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SIGKILL of a session and all of its processes at different moments: recover puts the machine back.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs

export SCRATCH=$PWD
cat > long.job <<'END'
job = "long";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 3;
steps = (
	{ setup = "sysfs"; scheduler = "mq-deadline"; nr_requests = 64; max_sectors_kb = 512; },
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; options = "noatime"; },
	{ setup = "readahead"; size = "1MiB"; },
	{ workload = "sequential"; rw = "write"; size = "32MiB"; bs = "1MiB"; runtime = "2s"; end_fsync = true; }
);
END
settings()
{
	cat /proc/self/mountinfo | sort
	for l in /sys/block/loop*/loop/backing_file; do
		[ ! -e "$l" ] || { echo "$l"; cat "$l"; }
	done
}
settings >before
attached() { scratch_loop >/dev/null; }
mounted() { scratch_place >/dev/null; }
working() { p=$(scratch_place) && [ -e "$p/data.0.0" ]; }
n=0
for moment in attached mounted working; do
	n=$((n + 1))
	fstrial_bg run --out out$n long.job >table 2>log
	wait_for 20 $moment || fail "never $moment"
	kill -KILL "$PID"
	wait "$PID" 2>/dev/null || true
	# Its step processes die with it.
	wait_for 10 sh -c "! pgrep -f '$PWD/[f]strial|long[.]job' >/dev/null" || fail "a process was left"
	assert_exit 5 fstrial run --out never long.job >/dev/null 2>err
	assert_contains err "fstrial recover"
	assert_exit 0 fstrial recover >rec 2>&1
	assert_contains rec "put back: scratch image"
	settings >after
	diff before after || fail "not as before (killed when $moment)"
	for image in fstrial-*.img; do
		[ ! -e "$image" ] || fail "the image was left"
	done
	# What was finished is readable.
	fstrial show out$n >/dev/null || fail "show cannot read what was finished"
done
assert_exit 0 fstrial recover >rec 2>&1
assert_exit 0 fstrial run --repeats 1 --out fine long.job >table 2>log
