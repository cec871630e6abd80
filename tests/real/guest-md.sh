#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Arrays of every level: made, read back, stopped, and the devices as clean as before.
. "$(dirname "$0")/../helpers.sh"
requires mdadm wipefs mkfs.ext4
in_guest --disks 4 --size 48M

. "$SRC/tests/helpers-block.sh"
cat >md.job <<END
job = "md";
target = { devices = [$(quoted "${disks[@]}")]; destroy = [$(quoted "${names[@]}")]; };
repeats = 1;
matrix = { level = ["linear", "0", "raid1", "4", "5", "6", "10", "old"]; };
steps = (
	{ setup = "md"; when = "level == linear"; level = "linear"; },
	{ setup = "md"; when = "level == 0"; level = "0"; chunk = "64KiB"; data_offset = "2MiB"; },
	{ setup = "md"; when = "level == raid1"; level = "raid1"; bitmap = "internal"; bitmap_chunk = "4MiB"; spares = 1;
	  write_mostly = ["target.2"]; write_behind = 128; sync_speed_min = "10MiB"; sync_speed_max = "500MiB"; },
	{ setup = "md"; when = "level == 4"; level = "4"; },
	{ setup = "md"; when = "level == 5"; level = "5"; devices = ["target.1", "target.2", "target.4"]; chunk = "16KiB";
	  layout = "left-asymmetric"; },
	{ setup = "md"; when = "level == 6"; level = "6"; assume_clean = true; size = "32MiB"; },
	{ setup = "md"; when = "level == 10"; level = "10"; layout = "f2"; },
	{ setup = "md"; when = "level == old"; level = "1"; metadata = "0.90"; sync = "none"; },
	{ setup = "mkfs"; when = "level == old || level == 5"; fs = "ext4"; }
);
END
# What would be made on an array is not said of one of its disks.
fstrial plan md.job >plan 2>log
tr -s ' \n' ' ' <plan >flat
assert_contains flat "mkfs: makes ext4 with mkfs.ext4"
assert_lacks flat "makes ext4 with mkfs.ext4: on"
run_job md
clean
for d in "${disks[@]}"; do
	! mdadm --examine "$d" >/dev/null 2>&1 || fail "$d has a superblock of md"
done
assert_schema md/result.json
assert_json md/result.json '
(lambda by: (
    [by[n][0]["level"] for n in ("linear", "0", "raid1", "4", "5", "6", "10", "old")] ==
        ["linear", "raid0", "raid1", "raid4", "raid5", "raid6", "raid10", "raid1"] and
    by["0"][0]["chunk"] == "65536" and by["0"][0]["data_offset"] == "2097152" and
    by["0"][0]["optimal_io_size"] == "262144" and
    {k: by["raid1"][0][k] for k in ("bitmap", "bitmap_chunk", "spares", "write_mostly", "raid_disks", "sync_speed_max")} ==
        {"bitmap": "internal", "bitmap_chunk": "4194304", "spares": "1", "write_mostly": "1", "raid_disks": "3",
         "sync_speed_max": "524288000"} and
    by["5"][0]["raid_disks"] == "3" and by["5"][0]["minimum_io_size"] == "16384" and
    by["6"][0]["size"] == "33554432" and
    by["old"][0]["metadata"] == "0.90" and by["old"][0]["data_offset"] == "0" and
    all(by[n][0]["sync_action"] == "idle" for n in ("raid1", "4", "5", "6", "10")) and
    all(w == [] for _, w in by.values())))(
        {next(v["values"]["level"] for v in d["variants"] if v["id"] == t["variant"]):
         next((s["in_force"], s["warnings"]) for s in t["steps"] if s["plugin"] == "md" and s["status"] == "ok")
         for t in d["trials"]})'

# Another array that is there is not touched.
mdadm --create /dev/md127 --run --level=1 --metadata=1.2 --raid-devices=2 --assume-clean "${disks[@]:2:2}" >/dev/null 2>&1
cat >beside.job <<END
job = "beside";
target = { devices = [$(quoted "${disks[@]:0:2}")]; destroy = [$(quoted "${names[@]:0:2}")]; };
repeats = 1;
matrix = { level = ["0", "5"]; };
steps = ( { setup = "md"; level = "\${level}"; } );
END
run_job beside 1
assert_contains beside.log "level = raid5 needs 3 devices, here are 2"
assert_eq "$(grep -c '^md' /proc/mdstat)" 1 "arrays"
mdadm --detail --test /dev/md127 >/dev/null || fail "the other array is not well"
mdadm --stop /dev/md127 2>/dev/null
mdadm --zero-superblock "${disks[@]:2:2}"
clean

# An mdadm that is killed when the array has a name and no device yet: that is taken away too, and what another has
# made in this way stays.
new_array=/sys/module/md_mod/parameters/new_array
mkdir bin
real=$(command -v mdadm)
cat >bin/mdadm <<END
#!/bin/bash
[ "\$1" = --create ] || exec $real "\$@"
echo "\${2#/dev/}" >$new_array
echo "\${2#/dev/}" >made
exec sleep infinity
END
chmod +x bin/mdadm
echo md700 >$new_array
PATH=$PWD/bin:$PATH setsid "$BUILD/fstrial" run --out killed beside.job >killed.table 2>killed.log &
pid=$!
wait_for 30 test -s made || { show_file killed.log; fail "mdadm was not run"; }
kill -KILL -- "-$pid"
wait "$pid" 2>/dev/null || true
wait_for 20 eval '! pgrep -f "sleep infinity"'
assert_eq "$(cat "/sys/block/$(<made)/md/array_state")" clear "what the killed mdadm made"
fstrial recover >rec 2>&1 || { show_file rec; fail "recover"; }
[ ! -e "/sys/block/$(<made)" ] || fail "$(<made) was left"
assert_eq "$(cat /sys/block/md700/md/array_state)" clear "another's array without devices"
echo clear >/sys/block/md700/md/array_state
clean
