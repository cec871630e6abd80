#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Parts of arrays and groups that have another name, or none, when a killed session is put back: they are known by
# what they are, and a copy of one is left as it is.
. "$(dirname "$0")/../helpers.sh"
requires lvm mdadm dmsetup wipefs mkfs.ext4 losetup
in_guest --timeout 200

. "$SRC/tests/helpers-block.sh"
images=("$TMPDIR"/{a,b,copy}.img)
attach() # NUMBER IMAGE
{
	[ -b "/dev/loop$1" ] || mknod "/dev/loop$1" b 7 "$1"
	losetup "/dev/loop$1" "$2"
	disks+=("/dev/loop$1")
}
detach_all()
{
	losetup -D
	wait_for 10 eval '! losetup -a | grep -q .' || fail "a loop device is in use"
	disks=()
}

# killed STEP [N]: a session with an array or a group on loops 1 and 2, whose parts are left to nobody; copy.img is
# another disk with what was on one of them (0).
killed()
{
	rm -f "${images[@]}"
	truncate -s 24M "${images[@]:0:2}"
	attach 1 "${images[0]}"
	attach 2 "${images[1]}"
	cat >killed.job <<-JOB
		job = "killed";
		target = { devices = ["/dev/loop1", "/dev/loop2"]; destroy = ["loop1", "loop2"]; };
		repeats = 1;
		steps = (
			$1,
			{ setup = "mkfs"; fs = "ext4"; },
			{ setup = "mount"; },
			{ workload = "sequential"; rw = "write"; size = "256KiB"; runtime = "120s"; }
		);
	JOB
	rm -rf out
	setsid "$BUILD/fstrial" run --out out killed.job >table 2>log &
	PID=$!
	cleanup_fn stop_bg "$PID"
	wait_for 60 grep -q ' /run/fstrial' /proc/self/mountinfo || { show_file log; fail "nothing was mounted"; }
	kill -KILL -- "-$PID"
	wait "$PID" 2>/dev/null || true
	wait_for 20 eval '! pgrep -f "killed[.]job" >/dev/null' || fail "a process was left"
	wait_for 20 umount "$(awk '$5 ~ "^/run/fstrial" { print $5; exit }' /proc/self/mountinfo)" || fail "umount"
	wait_for 20 mdadm --quiet --stop --scan
	dmsetup remove_all
	detach_all
	cp "${images[${2:-0}]}" "${images[2]}"
}

types() { wipefs --noheadings --output TYPE "$1"; }

# put_back TYPE: recover leaves nothing of TYPE on the two, and the copy alone.
put_back()
{
	fstrial recover >rec 2>&1 || { show_file rec; fail "recover"; }
	assert_lacks rec "warning:"
	clean_after "$1"
}
clean_after()
{
	[ -z "$(ls "$FSTRIAL_STATE_DIR")" ] || fail "the journal of undoing was left"
	types "${images[2]}" | grep -qx "$1" || fail "the copy was changed: $(types "${images[2]}")"
	for i in 0 1; do
		! types "${images[i]}" | grep "$1" || fail "${images[i]} still has it"
	done
	detach_all
}

for step in \
	'linux_raid_member { setup = "md"; level = "raid1"; assume_clean = true; }' \
	'LVM2_member { setup = "lvm"; layout = "linear"; extent_size = "1MiB"; }' \
	'jbd { setup = "mkfs"; name = "log"; fs = "ext4"; logdev = "target.2"; }'; do
	type=${step%% *}
	echo "$SECONDS $type: other numbers"
	killed "${step#* }" "$([ "$type" != jbd ] || echo 1)"
	attach 1 "${images[1]}"
	attach 3 "${images[0]}"
	attach 2 "${images[2]}"
	put_back "$type"
done

echo "$SECONDS md: images behind no loop"
killed '{ setup = "md"; level = "raid1"; metadata = "1.0"; }'
attach 1 "${images[2]}"
put_back linux_raid_member

echo "$SECONDS lvm: a part that is not there, and something that has its label"
killed '{ setup = "lvm"; layout = "striped"; extent_size = "1MiB"; }'
attach 1 "${images[2]}"
attach 2 "${images[1]}"
assert_exit 1 fstrial recover >rec 2>&1
assert_contains rec "nothing tells that it is the disk that was used; if it is, type: lvm pvremove -ff -y /dev/loop1"
assert_eq "$(types "${images[2]}")" LVM2_member "what is on the copy"
detach_all
attach 2 "${images[1]}"
fstrial recover >rec 2>&1 || { show_file rec; fail "recover"; }
assert_contains rec "warning: /dev/loop1 is not there; should it come back as a part of fstrial_"
assert_eq "$(types "${images[0]}")" LVM2_member "what is on the image that was not there"
detach_all
rm -f "${images[@]}"
