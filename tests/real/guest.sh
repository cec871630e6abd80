#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What scripts in a guest can rely on: status, output, disks, sources and build; and nothing is left.
. "$(dirname "$0")/../helpers.sh"

cat >inside <<'END_INSIDE'
set -e
echo "args: $*; disks: $DISKS; uid $(id -u)"
[ -r "$SRC/GNUmakefile" ] && "$BUILD/fstrial" version >version
for d in $DISKS; do
	[ "$(blockdev --getsize64 "$d")" = $((64 << 20)) ]
	echo "written on $d" | dd of="$d" conv=fsync status=none
done
modprobe dm-mod
dmsetup create one --table "0 8 zero"
! touch /etc/fstrial-test 2>/dev/null
mkdir "$TMPDIR/x"
echo "to stderr" >&2
case ${1:-} in
slow) sleep 1000 ;;
dies) busybox poweroff -f; sleep 1000 ;;
esac
exit 3
END_INSIDE
processes() { pgrep -f "$PWD/[.]guest" >/dev/null; }
nothing_left()
{
	! processes || fail "a process is left"
	[ -z "$(ls -d .guest.* 2>/dev/null)" ] || fail "a directory is left"
}

status=0
guest_run --disks 2 --size 64M inside "a b" c >out || status=$?
assert_eq "$status" 3
grep -q '^args: a b c; disks: /dev/[a-z]*a /dev/[a-z]*b; uid 0$' out || { show_file out; fail "not what the script had to see"; }
assert_contains out "to stderr"
assert_eq "$(cat version)" "$(fstrial version)" "version in the guest"
nothing_left

# Bounded in time, with what was printed so far.
assert_exit 124 guest_run --timeout 2 inside slow >out
assert_contains out "args: slow; disks: ; uid 0"
assert_contains out "did not end within 2 s"
nothing_left

# A guest that goes away under its script is not a script that went well.
assert_exit 125 guest_run inside dies >out
assert_contains out "the guest ended under the script"
nothing_left

# Killed from outside, in two ways.
up() { [ -e "$(ls -d .guest.*/ready 2>/dev/null)" ]; }
for signal in TERM KILL; do
	"$SRC/tests/guest.sh" --disks 1 inside slow >out 2>&1 &
	pid=$!
	cleanup_fn stop_bg $pid
	wait_for 60 up || fail "never up"
	kill -$signal $pid
	wait $pid 2>/dev/null || true
	[ $signal = TERM ] || wait_for 10 eval '! processes'
	[ $signal = TERM ] || rm -r .guest.*
	nothing_left
done

# Where there is none it says so.
cd "$TEST_DIR"
status=0
GUEST_KIND=none "$SRC/tests/guest.sh" inside >out || status=$?
assert_eq "$status" 77 "status without a guest"
assert_contains out "no guest can be had: none: not a kind of guest"
