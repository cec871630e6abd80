#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Situations in which a device must not be taken because of device mapper, in a guest; the others are in guard-table.sh.
# shellcheck disable=SC2034 # what situations are written with
. "$(dirname "$0")/../helpers.sh"
requires mkfs.ext4 dmsetup md5sum
in_guest --disks 2 --size 12M --timeout 280

. "$SRC/tests/helpers-block.sh"
a=${disks[0]} b=${disks[1]}
an=${names[0]} bn=${names[1]}
kept=("${disks[@]}")
mkdir -p mnt
. "$SRC/tests/helpers-guard.sh"
sectors=$(blockdev --getsz "$a")
both='devices="\"$a\", \"$b\""; destroy="\"$an\", \"$bn\""; overwrite=true'
map() { dmsetup create "$1" --table "$2"; }
unmap() { dmsetup remove "$1"; }

# ---- device mapper -------------------------------------------------------------------------------
situation "held by a mapping" 5 "$a is held by dm-0 (whole)" 'map whole "0 $sectors linear $a 0"; overwrite=true' 'unmap whole'
situation "the second is held by a mapping" 5 "$b is held by dm-0 (whole)" "map whole \"0 \$sectors linear \$b 0\"; $both" 'unmap whole'
situation "a mapping that is mounted" 5 "is mounted on $PWD/mnt" \
	'map whole "0 $sectors linear $a 0"; ext4 /dev/mapper/whole; mount /dev/mapper/whole mnt
	devices="\"/dev/mapper/whole\""; destroy="\"whole\""; overwrite=true' 'umount mnt; unmap whole'
situation "a mapping, confirmed by its part" 5 "is not confirmed" \
	'map whole "0 $sectors linear $a 0"; devices="\"/dev/mapper/whole\""; destroy="\"$an\""' 'unmap whole'
situation "a mapping and its part" 5 "is held by dm-0 (whole)" \
	'map whole "0 $sectors linear $a 0"; devices="\"/dev/mapper/whole\", \"$a\""; destroy="\"whole\", \"$an\""' 'unmap whole'
situation "read-only by its mapping" 5 "is read-only" \
	'dmsetup create --readonly whole --table "0 $sectors linear $a 0"; devices="\"/dev/mapper/whole\""; destroy="\"whole\""' 'unmap whole'
if modprobe dm-multipath 2>/dev/null && map paths "0 $sectors multipath 0 0 1 1 round-robin 0 1 1 $a 1000" 2>/dev/null; then
	unmap paths
	situation "one path of a multipath disk" 5 "$a is held by dm-0 (paths)" \
		'map paths "0 $sectors multipath 0 0 1 1 round-robin 0 1 1 $a 1000"; overwrite=true' 'unmap paths'
	echo "with a multipath disk"
fi
situation "a mapping that leads elsewhere meanwhile" 1 "leads to other devices than those that were checked" \
	'map whole "0 $sectors linear $a 0"; devices="\"/dev/mapper/whole\""; destroy="\"whole\""
	exec_step "dmsetup load whole --table \\\"0 $sectors linear $b 0\\\"; dmsetup resume whole"' 'unmap whole'
# One that nobody uses may be had, by its name.
map whole "0 $sectors linear $a 0"
devices='"/dev/mapper/whole"' destroy='"whole"' overwrite=true step='{ setup = "mkfs"; fs = "ext4"; }'
job
assert_exit 0 tool/fstrial run --out good table.job >table 2>log
unmap whole
situations_tried 7
