#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Limits of a control group on a machine that has version 2 alone: in force, felt by what runs under them, and gone
# afterwards with what was switched on for them.
. "$(dirname "$0")/../helpers.sh"
requires mkfs.ext4
in_guest --disks 1 --size 256M --timeout 200

. "$SRC/tests/helpers-block.sh"
top=/sys/fs/cgroup
mountpoint -q $top && grep -qw memory $top/cgroup.controllers && grep -qw io $top/cgroup.controllers ||
	skip "this kernel has no memory and io controllers of cgroup version 2"
disk=${names[0]}
controllers() { cat $top/cgroup.subtree_control; }
groups_left() { find $top -type d -name 'fstrial-*'; }
before=$(controllers)
as_before() # WHEN
{
	[ -z "$(groups_left)" ] || fail "$1: a group was left: $(groups_left)"
	assert_eq "$(controllers)" "$before" "controllers, $1"
	[ -z "$(ls "$FSTRIAL_STATE_DIR" 2>/dev/null)" ] || fail "$1: the journal of undoing was left"
}
# job NAME LIMITS STEP...
job()
{
	local name=$1 limits=$2 step
	shift 2
	{
		echo "job = \"$name\"; vars = { limit = \"32MiB\"; }; target = { device = \"${disks[0]}\"; destroy = \"$disk\"; overwrite = true; };"
		echo "repeats = 1; order = \"listed\"; steps = ("
		echo '	{ setup = "mkfs"; fs = "ext4"; }, { setup = "mount"; },'
		echo "	{ setup = \"cgroup\"; $limits },"
		for step; do echo "	{ $step },"; done | sed '$s/,$/ );/'
	} >"$name.job"
}
mib_read() { awk '{ printf "%.0f\n", $3 / 2048 }' "/sys/block/$disk/stat"; }

# ---- memory ---------------------------------------------------------------------------------------
pass='rw = "read"; size = "96MiB"; bs = "256KiB";'
job memory 'memory = "${limit}";' "workload = \"sequential\"; name = \"first\"; $pass" \
	"workload = \"sequential\"; name = \"again\"; $pass"
read_within() # LIMIT: READ MiB came from the device for two passes
{
	local start
	start=$(mib_read)
	rm -rf memory
	run_job memory 0 --set "limit=$1"
	READ=$(($(mib_read) - start))
	echo "$SECONDS two passes over 96 MiB within $1: $READ MiB from the device"
	as_before "memory = $1"
}
read_within 32MiB
limited=$READ
assert_schema memory/result.json
assert_json memory/result.json '
(lambda c: c["asked"] == c["in_force"] == {"memory": str(32 << 20)} and
    int(c["notes"].get("memory_peak", 0)) <= 32 << 20 and c["notes"]["group"].startswith("'$top'/fstrial-"))(
        next(s for s in d["trials"][0]["steps"] if s["plugin"] == "cgroup"))'
read_within 300MiB
[ "$limited" -ge 160 ] || fail "only $limited MiB were read within 32 MiB of memory"
[ "$READ" -lt 130 ] || fail "$READ MiB were read within 300 MiB of memory"

# A program that wants more than there is.
job oom 'memory = "32MiB";' \
	'workload = "exec"; argv = ["/usr/bin/python3", "-c", "x = bytearray(96 << 20); print(len(x))"];'
run_job oom 1
assert_json oom/result.json 'any("too low" in w for s in d["trials"][0]["steps"] for w in s["warnings"])'
assert_json oom/result.json '"9" in d["trials"][0]["reason"] or "KILL" in d["trials"][0]["reason"]'
as_before "out of memory"

# ---- I/O ------------------------------------------------------------------------------------------
# What goes through the cache is held up too, as its memory is counted in the same group.
job io 'memory = "128MiB"; write_bps = "4MiB"; read_bps = "2MiB"; read_iops = 1000; write_iops = 900;' \
	'workload = "sequential"; name = "direct"; rw = "write"; size = "16MiB"; bs = "256KiB"; direct = true; runtime = "3s";' \
	'workload = "sequential"; name = "cached"; rw = "write"; size = "16MiB"; bs = "256KiB"; end_fsync = true;' \
	'workload = "sequential"; name = "read"; rw = "read"; size = "16MiB"; bs = "256KiB"; direct = true; runtime = "3s";'
mkdir $top/session
(echo $BASHPID >$top/session/cgroup.procs && run_job io)
rmdir $top/session
as_before "io"
assert_json io/result.json '
(lambda c: c["asked"] == c["in_force"] == {"memory": str(128 << 20), "write_bps": str(4 << 20), "read_bps": str(2 << 20),
    "read_iops": "1000", "write_iops": "900"})(next(s for s in d["trials"][0]["steps"] if s["plugin"] == "cgroup"))'
assert_json io/result.json '
(lambda v: v["direct"] <= 6 << 20 and v["cached"] <= 6 << 20 and v["read"] <= 3 << 20)(
    {s["name"]: s["metrics"]["throughput"]["value"] for s in d["trials"][0]["steps"] if s["kind"] == "workload"})'

# ---- killed ---------------------------------------------------------------------------------------
sed -i 's/runtime = "3s"/runtime = "100s"/' io.job
setsid "$BUILD/fstrial" run --out killed io.job >killed.table 2>killed.log &
PID=$!
cleanup_fn stop_bg "$PID"
in_group() { group=$(groups_left); [ -n "$group" ] && grep -q . "$group/cgroup.procs"; }
wait_for 60 in_group || { show_file killed.log; fail "no workload was ever in a group"; }
assert_eq "$(cat "$group/memory.max")" $((128 << 20)) "memory.max"
assert_eq "$(cat "$group/io.max")" "$(cat "/sys/block/$disk/dev") rbps=2097152 wbps=4194304 riops=1000 wiops=900" "io.max"
kill -KILL -- "-$PID"
wait "$PID" 2>/dev/null || true
wait_for 20 eval '! grep -q . "$group/cgroup.procs"' || fail "a process was left in the group"
[ -d "$group" ] || fail "the group went by itself"
fstrial recover >rec 2>&1 || { show_file rec; fail "recover"; }
assert_contains rec "put back: cgroup"
as_before "recover"
