#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SIGKILL of a session and all of its processes while arrays, volumes, mapped devices, loops and disks in memory
# are made, used and taken away, at moments by chance: recover brings the machine back to what it was.
. "$(dirname "$0")/../helpers.sh"
requires lvm mdadm dmsetup wipefs mkfs.ext4
in_guest --disks 2 --size 48M --timeout 285

. "$SRC/tests/helpers-block.sh"
cat >all.job <<END
job = "all";
target = { devices = [$(quoted "${disks[@]}")]; destroy = [$(quoted "${names[@]}")]; };
repeats = 1;
once = ( { setup = "md"; level = "0"; chunk = "64KiB"; } );
steps = (
	{ setup = "lvm"; layout = "linear"; extent_size = "1MiB"; },
	{ setup = "dm"; type = "delay"; write_delay = "1ms"; },
	{ setup = "mkfs"; fs = "ext4"; },
	{ setup = "mount"; },
	{ setup = "loop"; size = "8MiB"; },
	{ setup = "zram"; size = "8MiB"; },
	{ setup = "mkfs"; name = "mkfs-2"; fs = "ext4"; },
	{ setup = "mount"; name = "mount-2"; fs = "ext4"; },
	{ workload = "sequential"; rw = "write"; size = "256KiB"; bs = "64KiB"; }
);
END
modprobe zram num_devices=1 # one that is somebody else's
seed=${SEED:-$RANDOM}
RANDOM=$seed
start=$SECONDS
run_job all
took=$((SECONDS - start + 1))
clean
before=$(ls /sys/block)
assert_json all/result.json 'all(s["status"] == "ok" for s in d["trials"][0]["steps"])'

# Their tools die with them, or are done in a moment.
gone() { ! pgrep -f 'all[.]job' >/dev/null && ! pgrep -x 'lvm|mdadm' >/dev/null && ! pgrep -x 'dmsetup' >/dev/null; }
kills=0
while [ $kills -lt "${KILLS:-15}" ] && [ $((SECONDS - start)) -lt 200 ]; do
	kills=$((kills + 1))
	rm -rf out
	setsid "$BUILD/fstrial" run --out out all.job >table 2>log &
	pid=$!
	sleep $((RANDOM % took)).$((RANDOM % 10)) # any moment has to do
	kill -KILL -- -$pid 2>/dev/null || true
	wait $pid 2>/dev/null || true
	wait_for 20 gone || fail "a process was left (kill $kills, seed $seed)"
	fstrial recover >rec 2>&1 || { show_file log; show_file rec; fail "recover (kill $kills, seed $seed)"; }
	clean
	assert_eq "$(ls /sys/block)" "$before" "disks (kill $kills, seed $seed)"
	! grep " /run/fstrial" /proc/self/mountinfo || fail "a mount was left (kill $kills, seed $seed)"
done
echo "$kills kills in a run of $took s, seed $seed"
[ $kills -ge 3 ] || fail "no time for more than $kills kills"
