# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What tests of the block layer share, in a guest: disks and names are its empty disks.
read -ra disks <<<"${DISKS:-}"
# shellcheck disable=SC2034
names=("${disks[@]#/dev/}")

# For a list in a job: "a","b"
quoted()
{
	printf '"%s",' "$@" | sed 's/,$//'
}

# run_job NAME [STATUS] [ARG...]: NAME.job with its results in NAME, ends with STATUS (0).
run_job()
{
	local name=$1 want=${2:-0} status=0
	shift $(($# < 2 ? $# : 2))
	fstrial run --out "$name" "$@" "$name.job" >"$name.table" 2>"$name.log" || status=$?
	[ "$status" = "$want" ] || { show_file "$name.log"; show_file "$name.table"; }
	assert_eq "$status" "$want" "exit status of $name.job"
}

mapped()
{
	dmsetup ls 2>/dev/null | grep -v '^No devices'
}

# Nothing of what a job made is left: no volume, array or mapped device, no signature but that of a file system
# of ours, nothing in the tools' own directories, no daemon.
clean()
{
	local d left
	! mapped || fail "a mapped device was left"
	[ ! -e /proc/mdstat ] || ! grep '^md' /proc/mdstat || fail "an array was left"
	! losetup -a | grep . || fail "a loop device was left"
	for d in "${disks[@]}"; do
		left=$(wipefs --noheadings --output LABEL,TYPE "$d") || fail "wipefs $d"
		left=$(grep -v '^fstrial ' <<<"$left" | cat)
		[ -z "$left" ] || fail "$d has a signature: $left"
	done
	[ -z "$(find "$LVM_SYSTEM_DIR" -type f)" ] || fail "LVM's own directory was written to"
	for d in dmeventd lvmpolld mdadm; do
		! pgrep -x "$d" || fail "$d was started"
	done
	[ -z "$(ls "$FSTRIAL_STATE_DIR" 2>/dev/null)" ] || fail "the journal of undoing was left"
}
