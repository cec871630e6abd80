#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SCSI disks: the queue depth is set and put back, also of a session that was killed; a disk that is pulled out under a
# session fails its step and nothing else, and one that comes back under another name is known again.
. "$(dirname "$0")/../helpers.sh"
requires mkfs.ext4 mdadm wipefs
in_guest --timeout 200

. "$SRC/tests/helpers-block.sh"
modprobe -q sd_mod || skip "this kernel has no SCSI disks"
modprobe -q scsi_debug dev_size_mb=32 add_host=2 per_host_store=1 || skip "this kernel has no scsi_debug"
wait_for 20 test -b /dev/sda -a -b /dev/sdb || fail "no disks"
disks=(/dev/sda /dev/sdb)
depth() { cat "/sys/block/$1/device/queue_depth"; }
serial() { tail -c +5 "/sys/block/$1/device/vpd_pg80"; }
pull() { echo 1 >"/sys/block/$1/device/delete"; wait_for 20 test ! -e "/sys/block/$1" || fail "$1 is still there"; }
rescan() { local h; for h in /sys/class/scsi_host/*/scan; do echo "- - -" >"$h"; done; }
mounted() { grep -q " /run/fstrial" /proc/self/mountinfo; }
in_workload() { [ -n "$(find /run/fstrial -type f -size +64k 2>/dev/null)" ]; }
nothing_left()
{
	! mounted || fail "$1: a mount was left"
	[ -z "$(ls "$FSTRIAL_STATE_DIR" 2>/dev/null)" ] || fail "$1: the journal of undoing was left"
}
# start NAME: its session, once it is at its workload
start()
{
	setsid "$BUILD/fstrial" run --out "$1" "$1.job" >"$1.table" 2>"$1.log" &
	PID=$!
	cleanup_fn stop_bg "$PID"
	wait_for 60 in_workload || { show_file "$1.log"; fail "$1: no workload"; }
}
kill_it()
{
	kill -KILL -- "-$PID"
	wait "$PID" 2>/dev/null || true
	wait_for 20 eval '! pgrep -f "fstrial run" >/dev/null' || fail "a process was left"
}
# job NAME TARGET SETUP...: with a workload that does not end by itself
job()
{
	local name=$1 target=$2 step
	shift 2
	{
		echo "job = \"$name\"; target = { $target }; repeats = 2; steps = ("
		for step; do echo "	{ $step },"; done
		echo '	{ setup = "mkfs"; fs = "ext4"; }, { setup = "mount"; },'
		echo '	{ workload = "sequential"; rw = "write"; size = "4MiB"; bs = "64KiB"; direct = true; runtime = "100s"; } );'
	} >"$name.job"
}

# ---- the queue depth ------------------------------------------------------------------------------
before=$(depth sda)
echo "$SECONDS queue depth $before, serial $(serial sda)"
cat >depth.job <<END
job = "depth";
target = { device = "/dev/sda"; destroy = "$(serial sda)"; };
repeats = 1;
order = "listed";
matrix = { depth = [1, 5, 1000000]; };
steps = (
	{ setup = "sysfs"; queue_depth = "\${depth}"; },
	{ setup = "mkfs"; fs = "ext4"; },
	{ setup = "mount"; },
	{ workload = "sequential"; rw = "write"; size = "1MiB"; bs = "64KiB"; direct = true; }
);
END
run_job depth 1
assert_eq "$(depth sda)" "$before" "queue depth"
assert_schema depth/result.json
assert_json depth/result.json '
(lambda t: [x["steps"][0]["in_force"]["device/queue_depth"] for x in t[:2]] == ["1", "5"] and
    [x["steps"][0]["asked"]["device/queue_depth"] for x in t[:2]] == ["1", "5"] and
    [w for x in t[:2] for w in x["steps"][0]["warnings"]] == [] and
    t[2]["reason"].startswith("sysfs: device/queue_depth = 1000000: the kernel refuses this value for sda; it stays '"$before"'"))(
        d["trials"])'

job killed 'device = "/dev/sda"; destroy = "sda";' 'setup = "sysfs"; queue_depth = 3;'
start killed
assert_eq "$(depth sda)" 3 "queue depth of the session"
kill_it
assert_eq "$(depth sda)" 3 "queue depth after the kill"
fstrial recover >rec 2>&1 || { show_file rec; fail "recover"; }
assert_eq "$(depth sda)" "$before" "queue depth after recover"
nothing_left killed

# ---- pulled out -----------------------------------------------------------------------------------
echo "$SECONDS pulled out under its workload"
job pulled 'device = "/dev/sda"; destroy = "sda";' 'setup = "sysfs"; queue_depth = 3;'
start pulled
pull sda
status=0
wait_for 60 eval '! kill -0 "$PID" 2>/dev/null' || fail "the session goes on"
wait "$PID" || status=$?
assert_eq $status 1 "exit status"
assert_contains pulled.log "/dev/sda is gone: it was pulled out"
assert_schema pulled/result.json
# What came until then stays in the result, and counts for nothing; the second trial is not begun.
assert_json pulled/result.json '
(lambda t, steps: d["session"]["status"] == "stopped" and len(d["trials"]) == 1 and t["status"] == "failed" and
    [steps[n]["status"] for n in ("sysfs", "mkfs", "mount", "sequential")] == ["ok", "ok", "ok", "failed"] and
    t["reason"].startswith("sequential: write data.0.0 at offset ") and steps["sequential"]["metrics"]["throughput"]["value"] > 0)(
        d["trials"][0], {s["name"]: s for s in d["trials"][0]["steps"]})'
! mounted || fail "a mount was left"
fstrial recover >rec 2>&1 || { show_file rec; fail "recover"; }
nothing_left pulled
rescan
wait_for 20 test -b /dev/sda || fail "it does not come back"

# ---- known again ----------------------------------------------------------------------------------
echo "$SECONDS a part of an array that comes back under another name"
job array 'devices = ["/dev/sda", "/dev/sdb"]; destroy = ["sda", "sdb"]; overwrite = true;' \
	'setup = "md"; level = "1"; metadata = "1.0"; assume_clean = true;'
leave_array()
{
	start array
	kill_it
	umount "$(awk '$5 ~ "^/run/fstrial" { print $5; exit }' /proc/self/mountinfo)"
	wait_for 20 mdadm --quiet --stop --scan
}
leave_array
exec 7</dev/sdb # so that its name is taken
pull sdb
rescan
wait_for 20 test -b /dev/sdc || fail "it does not come back"
exec 7<&-
mdadm --examine /dev/sdc >/dev/null || fail "no superblock to be found"
fstrial recover >rec 2>&1 || { show_file rec; fail "recover"; }
assert_lacks rec "warning:"
! mdadm --examine /dev/sdc >/dev/null 2>&1 || fail "sdc still has its superblock"
! mdadm --examine /dev/sda >/dev/null 2>&1 || fail "sda still has its superblock"
nothing_left array

echo "$SECONDS a part of an array that does not come back"
sed -i 's/sdb/sdc/g' array.job
rm -rf array
leave_array
pull sdc
fstrial recover >rec 2>&1 || { show_file rec; fail "recover"; }
assert_contains rec "warning: /dev/sdc is not there; should it come back as part of the array"
assert_contains rec "type: mdadm --zero-superblock DEVICE"
! mdadm --examine /dev/sda >/dev/null 2>&1 || fail "sda still has its superblock"
nothing_left array
