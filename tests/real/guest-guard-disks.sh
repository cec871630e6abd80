#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Situations in which a device must not be taken because of partitions that the kernel found, or because it is one disk
# by two paths, in a guest; the others are in guard-table.sh.
# shellcheck disable=SC2034 # what situations are written with
. "$(dirname "$0")/../helpers.sh"
requires mkfs.ext4 dmsetup mkswap md5sum
in_guest --disks 2 --size 12M --timeout 280

. "$SRC/tests/helpers-block.sh"
a=${disks[0]} b=${disks[1]}
an=${names[0]} bn=${names[1]}
kept=("${disks[@]}")
mkdir -p mnt
. "$SRC/tests/helpers-guard.sh"
both='devices="\"$a\", \"$b\""; destroy="\"$an\", \"$bn\""; overwrite=true'
map() { dmsetup create "$1" --table "$2"; }
unmap() { dmsetup remove "$1"; }

# ---- partitions that the kernel found ------------------------------------------------------------
table() { gpt "$a" 1; blockdev --rereadpt "$a"; wait_for 10 test -b "${a}1"; }
untable() { dd if=/dev/zero of="$a" bs=1M count=12 conv=fsync 2>/dev/null || true; blockdev --rereadpt "$a"; }
situation "a partition of it is mounted" 5 "${a}1, a partition of $a, is mounted on $PWD/mnt" \
	'table; ext4 "${a}1"; mount "${a}1" mnt; overwrite=true' 'umount mnt; untable'
situation "a partition of it is in a mapping" 5 "${a}1, a partition of $a, is held by dm-0 (whole)" \
	'table; map whole "0 4096 linear ${a}1 0"; overwrite=true' 'unmap whole; untable'
situation "a partition of it is swap" 5 "${a}1, a partition of $a, is in use as swap" \
	'table; mkswap "${a}1" >/dev/null 2>&1; swapon "${a}1"; overwrite=true' 'swapoff "${a}1"; untable'
situation "the whole disk of it is held" 5 "$a, the disk of ${a}1" \
	'table; devices="\"${a}1\""; destroy="\"${an}1\""; overwrite=true
	map whole "0 4096 linear $a 0"' 'unmap whole; untable'
situation "a partition and its disk" 5 "${a}1 is a partition of $a, which the target has too" \
	'table; devices="\"${a}1\", \"$a\""; destroy="\"$an\", \"${an}1\""; overwrite=true' untable

# ---- SCSI: one disk by two paths ------------------------------------------------------------------
if modprobe -q sd_mod && modprobe -q scsi_debug dev_size_mb=16 add_host=2 vpd_use_hostno=0; then
	wait_for 20 test -b /dev/sda -a -b /dev/sdb || fail "no disks"
	a=/dev/sda an=sda b=/dev/sdb bn=sdb kept=(/dev/sda)
	situation "two paths to one disk" 5 "/dev/sda and /dev/sdb are two paths to the same disk" "$both"
	situation "its other path is mounted" 5 "/dev/sdb, another path to /dev/sda, is mounted on $PWD/mnt" \
		'ext4 "$b"; mount "$b" mnt; overwrite=true' 'umount mnt'
	situation "its other path is held" 5 "/dev/sdb, another path to /dev/sda, is held by dm-0 (whole)" \
		'map whole "0 4096 linear $b 0"; overwrite=true' 'unmap whole'
	situation "its other path is in use in another name space" 5 "/dev/sdb, another path to /dev/sda, is held by" \
		'ext4 "$b"; unshare -m sh -c "mount $b mnt && touch mounted && exec sleep 100" & away=$!
		wait_for 20 test -e mounted || fail "no mount"; overwrite=true' 'kill $away; wait $away || true'
	situation "confirmed by another disk's serial number" 5 "is not confirmed" 'destroy="\"12345678\""'
	situation "pulled out meanwhile" 1 "/dev/sda" 'kept=(/dev/sdb); exec_step "echo 1 >/sys/block/sda/device/delete"'
	scsi=1
fi
echo "scsi ${scsi:-not tried}, $GUEST"
situations_tried $((5 + 6 * ${scsi:-0}))
