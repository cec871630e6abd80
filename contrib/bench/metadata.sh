#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How much of what the workload metadata measures is the workload itself: metadata.sh [NAME]..., BUILD= the
# build directory. Prints one line a ratio: NAME VALUE TARGET ok|short|skipped. --list tells the names.
# Called by run.sh; see README.md.
set -eu
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin

here=$(cd "$(dirname "$0")" && pwd)
[ "${1:-}" != --list ] || exec /usr/bin/python3 "$here/metadata.py" --list
BUILD=$(cd "${BUILD:-$here/../../build}" && pwd)
work=$(mktemp -d /tmp/fstrial-bench.XXXXXX)
loop='' mounted='' backing=''

release()
{
	local status=$? n
	trap '' INT TERM
	set +e
	[ -z "$mounted" ] || umount "$mounted"
	[ -z "$loop" ] || losetup -d "$loop"
	# Who was measured when a signal came may still be removing its files.
	for ((n = 0; n < 100; n++)); do
		[ -z "$backing" ] || umount "$backing" 2>/dev/null || { sleep 0.1; continue; }
		break
	done
	rm -rf --one-file-system "$work"
	exit $status
}
trap release EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir "$work/place" "$work/memory"
if [ "$(id -u)" = 0 ] && command -v mkfs.xfs >/dev/null; then
	mount -t tmpfs -o size=6G,nr_inodes=0 none "$work/memory"
	backing=$work/memory
	truncate -s 2500M "$backing/image"
	loop=$(losetup -f --show "$backing/image")
	mkfs.xfs -q "$loop"
	mount -o noatime "$loop" "$work/place"
	mounted=$work/place
else
	echo "no XFS in memory without root and mkfs.xfs: measured in $work/place" >&2
fi
"${CC:-gcc}" -O2 -D_GNU_SOURCE -o "$work/meta_loops" "$here/meta_loops.c"
export FSTRIAL_STATE_DIR=$work/state
/usr/bin/python3 "$here/metadata.py" "$BUILD/fstrial" "$work" "$work/place" "$@"
