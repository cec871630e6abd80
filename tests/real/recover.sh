#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Undo journals that are damaged, empty, or of an earlier boot; recover is run again and again.
. "$(dirname "$0")/../helpers.sh"

mkdir work
cat > stuck.job <<'END'
job = "stuck";
target = { directory = "work"; };
repeats = 1;
steps = ( { setup = "fails_apply"; path = "marker"; revert_mode = "error"; } );
END
state=$FSTRIAL_STATE_DIR
recover() { fstrial recover --plugin-dir "$BUILD/tests/plugins" "$@"; }
stuck()
{
	rm -rf out
	assert_exit 1 fstrial run --plugin-dir "$BUILD/tests/plugins" --out out stuck.job >table 2>log
	journal=$(echo "$state"/*.undo)
	sed -i 's/"revert_mode","value":"error"/"revert_mode","value":"ok"/' "$journal"
	[ -e marker ] || fail "the file should still be there"
}
# A line that is none: what stands before it is put back, the file is kept out of the way.
stuck
printf 'garbage\n{"save":99,"key":"k","value":"v"}\n' >>"$journal"
assert_exit 5 fstrial run --out never stuck.job --plugin-dir "$BUILD/tests/plugins" >table 2>log
assert_contains log ".undo:"
assert_exit 1 recover >rec 2>&1
assert_contains rec "put back: fails_apply"
assert_contains rec "$journal.damaged is kept"
[ ! -e marker ] || fail "what could be read was not put back"
[ -z "$(ls work)" ] || fail "the session's directory was left"
assert_exit 0 recover >rec 2>&1
assert_contains rec "nothing to recover"
rm "$journal.damaged"
# The end of a line is missing: it was never finished, and nothing was done after it.
stuck
printf '{"save":1,"key":"marker","val' >>"$journal"
assert_exit 0 recover >rec 2>&1
[ ! -e marker ] || fail "not put back"
# Nothing in it: the session was killed as it began.
: >"$state/20200101T000000Z-00000000.undo"
assert_exit 0 recover >rec 2>&1
[ -z "$(ls "$state")" ] || fail "the empty journal is still there"
# Twice.
stuck
cp "$journal" copy
assert_exit 0 recover >rec 2>&1
cp copy "$journal"
assert_exit 0 recover >rec 2>&1
[ -z "$(ls "$state"; ls work)" ] || fail "something was left after the second time"

# After a power cut: the loop device is somebody else's now, and its settings are not ours to write.
[ "$(id -u)" = 0 ] || exit 0
cat > cut.job <<'END'
job = "cut";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
steps = (
	{ setup = "sysfs"; nr_requests = 64; },
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; },
	{ workload = "sequential"; rw = "write"; size = "32MiB"; bs = "1MiB"; runtime = "60s"; }
);
END
working() { p=$(scratch_place) && [ -e "$p/data.0.0" ]; }
fstrial_bg run --out cut cut.job >table 2>log
wait_for 20 working || fail "the workload never began"
name=$(scratch_loop) place=$(scratch_place)
was=$(grep -ho '"key":"queue/nr_requests","value":"[0-9]*"' "$state"/*.undo | head -1 | tr -dc 0-9)
kill -KILL "$PID"
wait "$PID" 2>/dev/null || true
journal=$(echo "$state"/*.undo)
# What a reboot does.
wait_for 10 umount "$place" || fail "cannot unmount"
rmdir "$place"
losetup -d "/dev/$name"
wait_for 10 test ! -e "/sys/block/$name/loop" || fail "cannot detach"
knob=/sys/block/$name/queue/nr_requests
cleanup_fn sh -c "echo $was >$knob"
truncate -s 10M somebody.img
losetup "/dev/$name" somebody.img || skip "$name was taken by somebody"
cleanup_fn losetup -d "/dev/$name"
echo 32 >"$knob"
sed 's/"boot_id":"[^"]*"/"boot_id":"00000000-0000-4000-8000-000000000000"/' "$journal" >copy
# The same boot first: by its sequence number the device is known to be another one.
assert_exit 0 recover >rec 2>&1
assert_eq "$(cat "$knob")" 32 "a setting of somebody else's device"
touch "$(sed -n 's/.*"key":"image","value":"\([^"]*\)".*/\1/p' copy)"
cp copy "$journal"
assert_exit 0 recover >rec 2>&1
assert_contains rec "mount: gone with the reboot"
assert_contains rec "sysfs: gone with the reboot"
assert_eq "$(cat "$knob")" 32 "a setting of somebody else's device"
[ -z "$(ls fstrial-*.img 2>/dev/null)" ] || fail "the image was left"
[ -e "/sys/block/$name/loop" ] || fail "somebody else's loop device was detached"
