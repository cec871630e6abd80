# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What tests of the block layer and of mkfs share. In a guest disks and names are its empty disks.
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

# Nothing of what a job made is left: no volume, array or mapped device, no signature but that of a file system
# of ours, nothing in the tools' own directories, no daemon. Few processes: in a guest they are what takes time.
clean()
{
	local left
	left=$(compgen -G '/sys/block/dm-*') && fail "a mapped device was left: $left"
	[ ! -e /proc/mdstat ] || [[ $(</proc/mdstat) != *$'\n'md* ]] || fail "an array was left"
	left=$(compgen -G '/sys/block/loop*/loop/backing_file') && fail "a loop device was left: $left"
	if [ ${#disks[@]} -gt 0 ]; then
		left=$(wipefs --noheadings --output DEVICE,LABEL,TYPE "${disks[@]}") || fail "wipefs ${disks[*]}"
		left=$(grep -Ev '^[^ ]+ +fstrial ' <<<"$left" | cat)
		[ -z "$left" ] || fail "a signature was left: $left"
	fi
	[ -z "$(find "$LVM_SYSTEM_DIR" -type f)" ] || fail "LVM's own directory was written to"
	! pgrep -lf '^([^ ]*/)?(dmeventd|lvmpolld|mdadm)( |$)' || fail "a daemon was started"
	[ -z "$(compgen -G "$FSTRIAL_STATE_DIR/*")" ] || fail "the journal of undoing was left"
}
