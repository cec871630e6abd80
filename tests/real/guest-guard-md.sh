#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Situations in which a device must not be taken because of LVM or md, in a guest; the others are in guard-table.sh.
# shellcheck disable=SC2034 # what situations are written with
. "$(dirname "$0")/../helpers.sh"
requires mkfs.ext4 dmsetup lvm mdadm wipefs md5sum
in_guest --disks 3 --size 12M --timeout 280

. "$SRC/tests/helpers-block.sh"
a=${disks[0]} b=${disks[1]} third=${disks[2]}
an=${names[0]} bn=${names[1]}
kept=("${disks[@]}")
mkdir -p mnt
. "$SRC/tests/helpers-guard.sh"
both='devices="\"$a\", \"$b\""; destroy="\"$an\", \"$bn\""; overwrite=true'
map() { dmsetup create "$1" --table "$2"; }
unmap() { dmsetup remove "$1"; }

# ---- LVM -----------------------------------------------------------------------------------------
lvm_quiet() { lvm "$@" >/dev/null 2>&1 || { lvm "$@"; fail "lvm $*"; }; }
situation "a physical volume" 5 "$a holds an LVM2_member signature" 'lvm_quiet pvcreate -ff -y "$a"'
situation "a member of a volume group" 5 "$b holds an LVM2_member signature" \
	"lvm_quiet pvcreate -ff -y \"\$b\"; lvm_quiet vgcreate group \"\$b\"; $both; overwrite=false"
situation "a volume group with an active volume" 5 "(group-volume)" \
	'lvm_quiet pvcreate -ff -y "$a"; lvm_quiet vgcreate group "$a"; lvm_quiet lvcreate -y -Zn -Wn -n volume -L 4M group; overwrite=true' \
	'lvm_quiet vgremove -f group'

# ---- md ------------------------------------------------------------------------------------------
array() { mdadm --create "$@" >mdadm.log 2>&1 || { cat mdadm.log; fail "mdadm --create $*"; }; }
situation "a member of a running array" 5 "$a is held by md0" \
	'array /dev/md0 --run --force --level=1 --raid-devices=2 --assume-clean "$a" "$b"; overwrite=true' 'mdadm --quiet --stop /dev/md0'
situation "the second is a member of a running array" 5 "$b is held by md0" \
	"array /dev/md0 --run --force --level=0 --raid-devices=2 \"\$b\" \"\$third\"; $both" 'mdadm --quiet --stop /dev/md0; wipefs -qa "$third"'
situation "a member of a stopped array" 5 "$a holds a linux_raid_member signature" \
	'array /dev/md0 --run --force --level=1 --raid-devices=2 --assume-clean "$a" "$b"; mdadm --quiet --stop /dev/md0'
situation "an array that is mounted" 5 "/dev/md0 is mounted on $PWD/mnt" \
	'array /dev/md0 --run --force --level=1 --raid-devices=2 --assume-clean "$a" "$b"; ext4 /dev/md0; mount /dev/md0 mnt
	devices="\"/dev/md0\""; destroy="\"md0\""; overwrite=true' 'umount mnt; mdadm --quiet --stop /dev/md0'
situation "an array and one of its members" 5 "is held by md0" \
	'array /dev/md0 --run --force --level=1 --raid-devices=2 --assume-clean "$a" "$b"; devices="\"/dev/md0\", \"$a\""; destroy="\"md0\", \"$an\""; overwrite=true' \
	'mdadm --quiet --stop /dev/md0'
situations_tried 8
