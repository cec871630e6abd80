#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Loop devices and disks in memory that steps bring: in force as asked, others untouched, gone afterwards, also
# after SIGKILL.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.ext4

mkdir work
cat >job.job <<'END'
job = "brought";
target = { directory = "work"; };
repeats = 1;
vars = { runtime = "1s"; };
matrix = { disk = ["loop", "zram", "both"]; };
steps = (
	{ setup = "loop"; when = "disk != zram"; size = "32MiB"; sector_size = "4KiB"; space = "fallocated"; },
	{ setup = "mkfs"; name = "below"; when = "disk == both"; fs = "ext4"; },
	{ setup = "mount"; name = "mount-below"; when = "disk == both"; fs = "ext4"; },
	{ setup = "zram"; when = "disk != loop"; size = "16MiB"; mem_limit = "12MiB"; },
	{ setup = "mkfs"; fs = "ext4"; },
	{ setup = "mount"; fs = "ext4"; },
	{ workload = "sequential"; rw = "write"; size = "2MiB"; bs = "64KiB"; direct = true; runtime = "${runtime}"; }
);
END
# Other sessions may have such devices too: of loops those are ours whose image is, or that have none.
ours()
{
	local d
	! grep -ls "^$PWD/" /sys/block/loop*/loop/backing_file || return 0
	for d in /sys/block/loop3[0-9][0-9]; do
		[ ! -d "$d" ] || [ -e "$d/loop" ] || echo "$d"
	done | grep .
}
none_of_ours() { ! ours; }
disks() { (cd /sys/block && echo zram*); }
before=$(disks)
assert_exit 0 fstrial run --out out job.job >table 2>log
assert_schema out/result.json
assert_json out/result.json '
(lambda by: (
    by["loop"]["loop"]["sector_size"] == "4096" and by["loop"]["loop"]["size"] == "33554432" and
    by["zram"]["zram"]["size"] == "16777216" and by["zram"]["zram"]["mem_limit"] == "12582912" and
    by["zram"]["zram"]["algorithm"] != "" and set(by["both"]) == {"loop", "zram"}))(
        {next(v["values"]["disk"] for v in d["variants"] if v["id"] == t["variant"]):
         {s["plugin"]: s["in_force"] for s in t["steps"] if s["plugin"] in ("loop", "zram") and s["status"] == "ok"}
         for t in d["trials"]})'
wait_for 5 none_of_ours || fail "a loop device was left"
same_disks() { [ "$(disks)" = "$before" ]; }
wait_for 20 same_disks || fail "zram devices: $(disks) instead of $before"
[ -z "$(ls -A work)" ] || fail "an image was left"

# An algorithm that the kernel does not have is refused with what it has.
sed 's/mem_limit = "12MiB"/algorithm = "nothing"/' job.job >bad.job
assert_exit 1 fstrial run --out bad --set disk=zram bad.job >table 2>log
assert_contains log "algorithm = nothing: the kernel offers"
wait_for 20 same_disks || fail "zram devices: $(disks) instead of $before"

there()
{
	case $1 in
	loop) ours ;;
	*) [ "$(disks)" != "$before" ] ;;
	esac >/dev/null
}
for disk in loop zram both; do
	fstrial_bg run --out "killed-$disk" --set disk=$disk --set runtime=20s job.job >table 2>log
	wait_for 60 there $disk || fail "no device came ($disk)"
	kill -KILL "$PID"
	wait "$PID" 2>/dev/null || true
	# Its step processes die with it, when the kernel is done with what they asked for.
	wait_for 20 sh -c "! pgrep -f '[k]illed-$disk' >/dev/null" || fail "a process was left"
	assert_exit 0 fstrial recover >rec 2>&1
	wait_for 5 none_of_ours || fail "a loop device was left ($disk)"
	wait_for 20 same_disks || fail "zram devices ($disk): $(disks) instead of $before"
	[ -z "$(ls -A work)" ] || fail "an image was left ($disk)"
done

# Without a place for the image it is an error of the job.
echo 'target = { scratch = "64MiB"; scratch_dir = "."; }; steps = ( { setup = "loop"; size = "32MiB"; }, { setup = "mkfs"; fs = "ext4"; },
	{ setup = "mount"; }, { workload = "sequential"; rw = "write"; size = "1MiB"; } );' >nowhere.job
assert_exit 2 fstrial run nowhere.job >table 2>log
assert_contains log "nowhere.job:1: loop: no step before it mounts a file system, and the target is no directory"
