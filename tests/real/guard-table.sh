#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Situations in which a device must not be taken: each is refused with what was found, and no byte of any device
# changes. What needs dm, md or the kernel's own partitions is in guest-guard-*.sh.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.ext4 mkfs.xfs mkswap losetup addpart md5sum

# With partitions from the start: a number that is let go of is anybody's.
a_image=$PWD/a.image
truncate -s 16M "$a_image"
a=$(losetup -f -P --show "$a_image") || skip "no loop device to be had"
cleanup_fn let_go "$a"
make_loop 16M
b=$LOOP b_image=$IMAGE
an=${a#/dev/} bn=${b#/dev/}
mkdir mnt mnt2
cleanup_fn sh -c "umount -q '$PWD/mnt2'; umount -q '$PWD/mnt'; true"
kept=("$a_image" "$b_image")
. "$SRC/tests/helpers-guard.sh"
an_xfs() # on a device that is large enough for one
{
	[ -z "${xfs:-}" ] || return 0
	truncate -s 400M xfs.image
	xfs=$(losetup -f --show xfs.image)
	cleanup_fn let_go "$xfs"
}
mkxfs_head() # the first sector of an XFS, as a table written over it leaves it
{
	an_xfs
	mkfs.xfs -q -f "$xfs"
	dd if="$xfs" of="$1" bs=440 count=1 conv=notrunc,fsync 2>/dev/null
}
free_again() { /usr/bin/python3 -c 'import os,sys; os.close(os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL))' "$a" 2>/dev/null; }


# ---- what the job says ---------------------------------------------------------------------------
situation "not confirmed" 5 "$a is not confirmed: add destroy = \"$an\" to target" 'destroy=""'
situation "wrong name" 5 "destroy says \"sdzz\", not \"$an\"" 'destroy="\"sdzz\""'
situation "the other one is confirmed" 5 "destroy says \"$bn\", not \"$an\"" 'destroy="\"$bn\""'
situation "one of two is confirmed" 5 "$b is not confirmed" 'devices="\"$a\", \"$b\""'
situation "a path that confirms nothing" 5 "is not confirmed" 'ln -s "$a" anywhere; destroy="\"$PWD/anywhere\""'
situation "twice" 2 "$a is there twice" 'devices="\"$a\", \"$a\""'
situation "under two names" 5 "are the same device, $an" 'ln -sf "$a" alias; devices="\"$a\", \"$PWD/alias\""'
situation "no such device" 5 "/dev/fstrial-none: No such file or directory" 'devices="\"/dev/fstrial-none\""'
situation "a character device" 5 "/dev/null is not a block device" 'devices="\"/dev/null\""'
situation "a regular file" 5 "$a_image is not a block device" 'devices="\"$a_image\""'
situation "a directory" 5 "$PWD/mnt is not a block device" 'devices="\"$PWD/mnt\""'
situation "a link to a file" 5 "is not a block device: it leads to $a_image" 'ln -sf "$a_image" file; devices="\"$PWD/file\""'

# ---- in use ----------------------------------------------------------------------------------------
situation "mounted" 5 "$a is mounted on $PWD/mnt" 'ext4 "$a"; mount "$a" mnt; overwrite=true' 'umount mnt'
situation "mounted read-only" 5 "$a is mounted on $PWD/mnt" 'ext4 "$a"; mount -o ro "$a" mnt; overwrite=true' 'umount mnt'
situation "mounted, by a link" 5 "is mounted on $PWD/mnt" \
	'ext4 "$a"; mount "$a" mnt; ln -sf "$a" alias; devices="\"$PWD/alias\""; overwrite=true' 'umount mnt'
situation "the second is mounted" 5 "$b is mounted on $PWD/mnt" \
	'ext4 "$b"; mount "$b" mnt; devices="\"$a\", \"$b\""; destroy="\"$an\", \"$bn\""; overwrite=true' 'umount mnt'
situation "mounted, our own label" 5 "$a is mounted on $PWD/mnt" 'ext4 -L fstrial "$a"; mount "$a" mnt' 'umount mnt'
situation "mounted elsewhere" 5 "$a is held by the kernel or by a program" \
	'ext4 "$a"; overwrite=true
	unshare -m sh -c "mount $a mnt && echo ready >mounted && exec sleep 600" & other=$!
	cleanup_fn sh -c "kill $other 2>/dev/null || true"
	wait_for 10 test -s mounted || skip "no mount namespaces"' 'kill $other; wait $other 2>/dev/null || true; wait_for 10 free_again'
situation "swap" 5 "$a is in use as swap" 'mkswap "$a" >/dev/null 2>&1; swapon "$a"; cleanup_fn sh -c "swapoff $a 2>/dev/null || true"; overwrite=true' 'swapoff "$a"'
situation "a swap file on it" 5 "$a is mounted on $PWD/mnt" \
	'ext4 "$a"; mount "$a" mnt; dd if=/dev/zero of=mnt/swap bs=1M count=8 2>/dev/null; chmod 600 mnt/swap; mkswap mnt/swap >/dev/null 2>&1
	swapon mnt/swap; cleanup_fn sh -c "swapoff $PWD/mnt/swap 2>/dev/null || true"; overwrite=true' 'swapoff mnt/swap; umount mnt'
situation "external journal of a mounted ext4" 5 "$a is held by the kernel or by a program" \
	'mke2fs -q -F -O journal_dev -b 4096 "$a"; mkfs.ext4 -q -F -b 4096 -J device="$a" "$b"; mount -o ro "$b" mnt; overwrite=true' 'umount mnt'
big_log()
{
	an_xfs
	another log.image 72M
	mkfs.xfs -q -f -l logdev="$another",size=64m "$xfs"
	mount -o logdev="$another" "$xfs" mnt
}
situation "external log of a mounted XFS" 5 "is the logdev of $PWD/mnt" 'big_log; overwrite=true' 'umount mnt; losetup -d "$another"'
two_btrfs()
{
	another first.image 128M
	first=$another
	another second.image 128M
	mkfs.btrfs -q -f -M -d single -m single "$first" "$another" >/dev/null
	btrfs device scan "$first" "$another" >/dev/null
	mount "$first" mnt
}
[ -z "$(command -v mkfs.btrfs)" ] || ! grep -qw btrfs /proc/filesystems ||
	situation "the second of a mounted btrfs" 5 "is part of the mounted btrfs" 'two_btrfs; overwrite=true' \
		'umount mnt; losetup -d "$first"; losetup -d "$another"'
situation "open exclusively" 5 "$a is held by the kernel or by a program" \
	'/usr/bin/python3 -c "import os,sys,time; os.open(\"$a\", os.O_RDONLY | os.O_EXCL); print(\"ready\", flush=True); time.sleep(600)" >held & other=$!
	cleanup_fn sh -c "kill $other 2>/dev/null || true"
	wait_for 10 test -s held' 'kill $other; wait $other 2>/dev/null || true'
situation "another session has it" 5 "$a is in use by another session" \
	'(exec 8<"$a" 9>&- && flock -x 8 && echo ready >locked && exec sleep 600) & other=$!
	cleanup_fn sh -c "kill $other 2>/dev/null || true"
	wait_for 10 test -s locked' 'kill $other; wait $other 2>/dev/null || true'

# ---- loop devices ----------------------------------------------------------------------------------
situation "its image is behind another mounted loop device" 5 "is also behind" \
	'ext4 "$a"; second=$(losetup -f --show "$a_image"); cleanup_fn let_go "$second"
	mount -o ro,noload "$second" mnt; overwrite=true' 'umount mnt; losetup -d "$second"'
situation "a loop device over it" 5 "$a is behind the loop device" \
	'over=$(losetup -f --show "$a"); cleanup_fn let_go "$over"' 'losetup -d "$over"'
situation "a loop device over a mounted one" 5 "which is mounted on $PWD/mnt" \
	'ext4 "$b"; mount "$b" mnt; over=$(losetup -f --show -r "$b"); cleanup_fn let_go "$over"
	devices="\"$over\""; destroy="\"${over#/dev/}\""; overwrite=true' 'losetup -d "$over"; umount mnt'
situation "read-only" 5 "$a is read-only" 'blockdev --setro "$a"' 'blockdev --setrw "$a"'
# A disk in memory without a size yet: the number of a loop device without an image may be anybody's by then.
if [ -r /sys/class/zram-control/hot_add ]; then
	n=$(cat /sys/class/zram-control/hot_add)
	cleanup_fn sh -c "echo $n >/sys/class/zram-control/hot_remove"
	situation "nothing is there" 5 "/dev/zram$n has a size of zero" 'devices="\"/dev/zram$n\""; destroy="\"zram$n\""'
fi
situation "too small" 5 "has 65536 bytes" \
	'truncate -s 64K small.image; small=$(losetup -f --show small.image); cleanup_fn let_go "$small"
	devices="\"$small\""; destroy="\"${small#/dev/}\""' 'losetup -d "$small"'

# ---- partitions, told to the kernel by hand: it need not know any kind of table ---------------------------------
part() { addpart "$a" 1 2048 16384 && wait_for 10 test -b "${a}p1"; }
unpart() { delpart "$a" 1; }
if part; then
	unpart
	situation "a partition of it is mounted" 5 "${a}p1, a partition of $a, is mounted on $PWD/mnt" \
		'part; ext4 "${a}p1"; mount "${a}p1" mnt; overwrite=true' 'umount mnt; unpart'
	situation "the disk of it is mounted" 5 "$a, the disk of ${a}p1, is mounted on $PWD/mnt" \
		'part; ext4 "$a"; mount "$a" mnt; devices="\"${a}p1\""; destroy="\"${an}p1\""; overwrite=true' 'umount mnt; unpart'
	situation "a partition and its disk" 5 "${a}p1 is a partition of $a, which the target has too" \
		'part; devices="\"$a\", \"${a}p1\""; destroy="\"$an\", \"${an}p1\""' 'unpart'
	situation "a partition of it is swap" 5 "${a}p1, a partition of $a, is in use as swap" \
		'part; mkswap "${a}p1" >/dev/null 2>&1; swapon "${a}p1"; cleanup_fn sh -c "swapoff ${a}p1 2>/dev/null || true"; overwrite=true' \
		'swapoff "${a}p1"; unpart'
fi

# ---- what is on it ---------------------------------------------------------------------------------
situation "a file system" 5 "$a holds an ext4 file system (label precious" 'ext4 -L precious "$a"'
situation "the second holds something" 5 "$b holds an ext4 file system" \
	'ext4 "$b"; devices="\"$a\", \"$b\""; destroy="\"$an\", \"$bn\""'
situation "swap space" 5 "$a holds a swap signature" 'mkswap "$a" >/dev/null 2>&1'
situation "a GUID table" 5 "a gpt partition table (1 partition)" 'gpt "$a" 1'
situation "a GUID table without partitions" 5 "a gpt partition table" 'gpt "$a" 0'
situation "a stale file system under a GUID table" 5 "xfs file system" \
	'put "$a" 0 "XFSB\\0\\0\\020\\0"; mkxfs_head "$a"; gpt "$a" 1'
situation "two that contradict each other" 5 "and an xfs file system" 'mkswap "$a" >/dev/null 2>&1; mkxfs_head "$a"'
situation "LUKS" 5 "crypto_LUKS" 'put "$a" 0 "LUKS\\xba\\xbe\\0\\001"'
situation "an LVM member" 5 "LVM2_member" \
	'put "$a" 512 "LABELONE\\001\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0 \\0\\0\\0LVM2 001abcdefghijklmnopqrstuvwxyz012345"'
situation "a bcache member" 5 "bcache" \
	'put "$a" 4104 "\\010\\0\\0\\0\\0\\0\\0\\0\\001\\0\\0\\0\\0\\0\\0\\0\\xc6\\x85\\x73\\xf6\\x4e\\x1a\\x45\\xca\\x82\\x65\\xf5\\x7f\\x48\\xba\\x6d\\x81"'
zfs() # on one that is large enough for it
{
	local i
	another zfs.image 72M
	for i in 0 1 2 3 4 5 6 7; do
		put "$another" $((131072 + i * 1024)) "\\x0c\\xb1\\xba\\0\\0\\0\\0\\0\\x88\\x13\\0\\0\\0\\0\\0\\0"
	done
}
situation "a ZFS member" 5 "zfs_member" zfs 'losetup -d "$another"'
situation "our own label, and something else" 5 "crypto_LUKS" 'ext4 -L fstrial "$a"; put "$a" 0 "LUKS\\xba\\xbe\\0\\001"'

# ---- between the look and the use ----------------------------------------------------------------------------
# The session's own lock keeps an image behind its loop device, but not the node in its place.
cleanup_fn sh -c "[ ! -e $a.away ] || mv -f $a.away $a"
situation "another device under its name" 1 "$a leads to another device than the one that was checked ($an, then $bn)" \
	'exec_step "mv $a $a.away; ln -s $b $a"' 'rm "$a"; mv "$a.away" "$a"'
situation "its node is gone" 1 "$a: No such file or directory" 'exec_step "mv $a $a.away"' 'mv "$a.away" "$a"'
situation "grown meanwhile" 1 "changed its size" \
	'truncate -s 17M "$a_image"; exec_step "losetup -c $a"' 'truncate -s 16M "$a_image"; losetup -c "$a"'
situation "mounted meanwhile" 1 "it is mounted on $PWD/mnt" 'ext4 -L fstrial "$a"; mount "$a" mnt; umount mnt; exec_step "mount -o ro,noload $a $PWD/mnt"' \
	'umount mnt; tool/fstrial recover >/dev/null 2>&1'
situation "a step hands over another device" 1 "$bn" \
	'step="{ setup = \"makes_device\"; make = \"echo $b\"; }, $step"'
# The device of a log, named by a link that is turned to a third device after the job was looked at.
situation "a further device, turned meanwhile" 1 "$PWD/turned does not stand on the target alone" \
	'another third.image 16M; ln -sfn "$b" turned; devices="\"$a\", \"$b\""; destroy="\"$an\", \"$bn\""
	step="{ setup = \"mkfs\"; fs = \"ext4\"; logdev = \"$PWD/turned\"; }"; exec_step "ln -sfn $another $PWD/turned"' 'losetup -d "$another"'
situation "a further device that the target has not" 5 "$b is none of the target's devices: add it to target.devices" \
	'step="{ setup = \"mkfs\"; fs = \"ext4\"; logdev = \"$b\"; }"'
situation "a further device, in use" 5 "$b is mounted on $PWD/mnt" \
	'ext4 "$b"; mount "$b" mnt; devices="\"$a\", \"$b\""; destroy="\"$an\", \"$bn\""; overwrite=true
	step="{ setup = \"mkfs\"; fs = \"ext4\"; logdev = \"target.2\"; }"' 'umount mnt'
situations_tried 50
