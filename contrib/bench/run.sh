#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How much of what is measured is the tool itself: run.sh [NAME]..., BUILD= the build directory.
# Prints one line a ratio: NAME VALUE TARGET ok|short|skipped. Called by `make bench`; see README.md.
set -eu
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin

here=$(cd "$(dirname "$0")" && pwd)
BUILD=$(cd "${BUILD:-$here/../../build}" && pwd)
work=$(mktemp -d /tmp/fstrial-bench.XXXXXX)
zram='' loop='' mounted='' backing=''

release()
{
	local status=$? n
	trap '' INT TERM
	set +e
	# Who was measured when a signal came may still be at it.
	for ((n = 0; n < 50; n++)); do
		[ -z "$mounted" ] || umount "$mounted" 2>/dev/null || { sleep 0.1; continue; }
		break
	done
	[ -z "$loop" ] || losetup -d "$loop"
	[ -z "$backing" ] || umount "$backing"
	if [ -n "$zram" ]; then
		# What had it open last may still be on its way out.
		for ((n = 0; n < 50; n++)); do
			echo "$zram" 2>/dev/null >/sys/class/zram-control/hot_remove && break
			sleep 0.1
		done
	fi
	rm -rf --one-file-system "$work"
	exit $status
}
trap release EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# XFS in memory, so that the device costs as little as there is. Sets dir.
make_place()
{
	mkdir "$work/place"
	dir=$work/place
	if [ "$(id -u)" != 0 ] || ! command -v mkfs.xfs >/dev/null; then
		echo "no XFS in memory without root and mkfs.xfs: measured in $dir" >&2
		return
	fi
	if zram=$(cat /sys/class/zram-control/hot_add 2>/dev/null); then
		echo 16G >"/sys/block/zram$zram/disksize"
		mkfs.xfs -q "/dev/zram$zram"
		mount "/dev/zram$zram" "$dir"
		mounted=$dir
		export BENCH_INLINE=1
		echo "XFS on zram$zram: rates are by processor time" >&2
		return
	fi
	mkdir "$work/memory"
	mount -t tmpfs -o size=13G none "$work/memory"
	backing=$work/memory
	truncate -s 12G "$backing/image"
	loop=$(losetup -f --show --direct-io=on "$backing/image" 2>/dev/null ||
		losetup -f --show "$backing/image")
	mkfs.xfs -q "$loop"
	mount "$loop" "$dir"
	mounted=$dir
	echo "XFS on $loop in tmpfs" >&2
}

# The scripts beside this one have rows of their own, which --list tells: runs them for those that are
# wanted, and leaves the other names in `rest`.
rest=''
run_others()
{
	local script known name mine good=0

	rest=" $* "
	for script in "$here"/*.sh; do
		[ "$script" != "$here/run.sh" ] || continue
		known=" $(bash "$script" --list | tr '\n' ' ')"
		mine=''
		for name in "$@"; do
			case $known in *" $name "*) mine="$mine $name" rest=${rest/ $name / } ;; esac
		done
		# Names are words without anything that the shell would expand.
		# shellcheck disable=SC2086
		[ $# != 0 ] && [ -z "$mine" ] || BUILD=$BUILD bash "$script" $mine || good=1
	done
	return $good
}

bad=0
run_others "$@" || bad=1
if [ $# != 0 ]; then
	# shellcheck disable=SC2086
	set -- $rest
	[ $# != 0 ] || exit $bad
fi

"${CC:-gcc}" -O2 -D_GNU_SOURCE -o "$work/loops" "$here/loops.c" -luring
make_place
mkdir "$dir/data"
export FSTRIAL_STATE_DIR=$work/state
/usr/bin/python3 "$here/bench.py" "$BUILD/fstrial" "$here" "$work" "$dir/data" "$@" || bad=1
exit $bad
