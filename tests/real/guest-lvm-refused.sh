#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Volumes that cannot be, for a whole session, held by somebody, and with a device that is gone.
. "$(dirname "$0")/../helpers.sh"
requires lvm dmsetup wipefs mkfs.ext4
in_guest --disks 2 --size 96M --timeout 280

. "$SRC/tests/helpers-block.sh"
target="target = { devices = [$(quoted "${disks[@]}")]; destroy = [$(quoted "${names[@]}")]; };"

# What cannot be is refused with the reason, and half-made groups go too.
cat >refused.job <<END
job = "refused"; $target
repeats = 1;
order = "listed";
matrix = { which = ["few", "large", "old"]; };
steps = (
	{ setup = "lvm"; when = "which == few"; layout = "raid5"; },
	{ setup = "lvm"; when = "which == large"; layout = "raid1"; size = "1GiB"; },
	{ setup = "lvm"; when = "which == old"; layout = "mirror"; mirror_log = "mirrored"; size = "16MiB"; }
);
END
run_job refused 1
clean
assert_contains refused.log "layout = raid5 needs 3 devices, here are 2"
assert_contains refused.log "nsufficient"
# In `once`, with another layer above it that a step makes of it.
cat >once.job <<END
job = "once"; $target
repeats = 1;
once = ( { setup = "lvm"; layout = "striped"; }, { setup = "dm"; type = "linear"; offset = "4MiB"; } );
steps = (
	{ setup = "mkfs"; fs = "ext4"; },
	{ setup = "mount"; },
	{ workload = "sequential"; rw = "write"; size = "1MiB"; bs = "64KiB"; end_fsync = true; }
);
END
run_job once
clean
assert_json once/result.json '[t["status"] for t in d["trials"]] == ["ok"] and
	[s["plugin"] for s in d["session"]["once"]] == ["lvm", "dm"]'

# Held: the way back waits, names who it is and what to type; recover ends it when he is gone.
cat >held.job <<END
job = "held"; $target
repeats = 1;
steps = (
	{ setup = "lvm"; layout = "linear"; },
	{ setup = "mkfs"; fs = "ext4"; },
	{ setup = "mount"; },
	{ workload = "sequential"; rw = "write"; size = "1MiB"; bs = "64KiB"; runtime = "4s"; time_based = true; }
);
END
there() { grep -q "/run/fstrial" /proc/self/mountinfo; }
fstrial_bg run --out held held.job >held.table 2>held.log
wait_for 60 there || fail "nothing was mounted"
exec 7<"$(ls /dev/mapper/fstrial_*-trial)"
status=0
wait "$PID" || status=$?
assert_eq "$status" 1 "exit status with a held volume"
grep -q "held by .*(pid $$)" held.log || { show_file held.log; fail "the holder is not named"; }
assert_contains held.log "lvm vgremove -ff -y fstrial_"
exec 7<&-
assert_exit 0 fstrial recover >rec 2>&1
clean

# Killed, and then somebody makes one of the devices his own: that one is left alone, all else goes.
fstrial_bg run --out killed held.job >killed.table 2>killed.log
wait_for 60 there || fail "nothing was mounted"
kill -KILL "$PID"
wait "$PID" 2>/dev/null || true
wait_for 20 sh -c "! pgrep -f '[h]eld.job' >/dev/null" || fail "a process was left"
umount "$(awk '$5 ~ "^/run/fstrial" { print $5 }' /proc/self/mountinfo)"
dmsetup remove "$(basename /dev/mapper/fstrial_*-trial)"
wipefs -qa "${disks[1]}"
mkfs.ext4 -q -L theirs "${disks[1]}"
assert_exit 0 fstrial recover >rec 2>&1
assert_eq "$(blkid -p -o value -s LABEL "${disks[1]}")" theirs "what somebody made of a device"
wipefs -qa "${disks[1]}"
clean
