# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What tables of situations share in which a device must not be taken: a and b are two devices, an and bn their
# kernel names, kept the files or devices that must keep their bytes.
# shellcheck disable=SC2034,SC2059,SC2154

# The program with no more plugins than are needed: it is started for each situation.
mkdir -p tool/plugins/setup
cp "$BUILD/fstrial" tool
cp "$BUILD/plugins/setup/mkfs.so" "$BUILD/tests/plugins/makes_device.so" tool/plugins/setup
sums()
{
	local image
	sync
	for image in "${kept[@]}" ${extra:+"$extra"}; do head -c 128M "$image" | md5sum; done
}
clear()
{
	local d
	for d in "$a" "$b"; do blkdiscard -f -z "$d" 2>/dev/null || dd if=/dev/zero of="$d" bs=1M count=16 conv=fsync 2>/dev/null; done
}
ext4() { mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$@"; }
put() # DEVICE OFFSET BYTES-FOR-PRINTF
{
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc,fsync 2>/dev/null
}
# A GUID partition table without or with one partition, as another program would write it.
gpt() # DEVICE PARTITIONS
{
	/usr/bin/python3 - "$1" "$2" <<-'PY'
	import os, struct, sys, uuid, zlib
	fd = os.open(sys.argv[1], os.O_RDWR)
	n, last = int(sys.argv[2]), os.lseek(fd, 0, os.SEEK_END) // 512 - 1
	entries = bytearray(128 * 128)
	if n:
	    entries[:56] = struct.pack("<16s16sQQQ", uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4").bytes_le, uuid.uuid4().bytes_le, 2048, last - 2048, 0)
	guid = uuid.uuid4().bytes_le
	def header(at, other, table):
	    h = bytearray(struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, 0, 0, at, other, 34, last - 34, guid, table, 128, 128, zlib.crc32(entries)))
	    h[16:20] = struct.pack("<I", zlib.crc32(h))
	    return bytes(h)
	os.pwrite(fd, struct.pack("<8sII", b"\0\0\x02\0\xee\xff\xff\xff", 1, last) , 446)
	os.pwrite(fd, b"\x55\xaa", 510)
	os.pwrite(fd, header(1, last, 2), 512)
	os.pwrite(fd, entries, 1024)
	os.pwrite(fd, entries, (last - 32) * 512)
	os.pwrite(fd, header(last, 1, last - 32), last * 512)
	os.fsync(fd)
	PY
}

another() # IMAGE SIZE: a further device to be refused, with its bytes held against each other too
{
	truncate -s "$2" "$1"
	another=$(losetup -f --show "$1") extra=$PWD/$1
	cleanup_fn let_go "$another"
	devices="\"$another\"" destroy="\"${another#/dev/}\""
}
# what the job says of its target; set by a situation before it is tried
devices='' destroy='' overwrite=''
step='{ setup = "mkfs"; fs = "ext4"; }'
once=''
job()
{
	cat > table.job <<-JOB
	target = { devices = [$devices]; destroy = [$destroy]; overwrite = ${overwrite:-false}; };
	repeats = 1;
	${once:+once = ( $once );}
	steps = ( $step );
	JOB
}
# A step before that does something to the device behind the session's back.
exec_step() { step="{ setup = \"makes_device\"; make = \"$1\"; }, $step"; }
count=0
only=${1:-}
# situation NAME EXIT TEXT PREPARE [AFTER]: PREPARE is run and may set devices, destroy, overwrite, step; TEXT is what is said.
situation()
{
	local name=$1 status=$2 text=$3 before after
	[ -z "$only" ] || [[ $name == *$only* ]] || return 0
	echo "$SECONDS $name"
	devices="\"$a\"" destroy="\"$an\"" extra='' overwrite=false step='{ setup = "mkfs"; fs = "ext4"; }' once=''
	clear
	eval "$4"
	job
	before=$(sums)
	rm -rf out
	local got=0
	tool/fstrial run --out out table.job >table 2>log || got=$?
	[ $got = "$status" ] || { show_file log; fail "$name: exit status $got, expected $status"; }
	grep -qF -e "$text" log || { show_file log; fail "$name: not said: $text"; }
	after=$(sums)
	[ "$after" = "$before" ] || fail "$name: bytes changed"
	[ ! -e out/commands.log ] || ! grep -q 'mkfs' out/commands.log || fail "$name: mkfs was run"
	[ "$status" = 1 ] || [ ! -e out ] || fail "$name: a refused run left a results directory"
	eval "${5:-}"
	count=$((count + 1))
}

situations_tried() # AT-LEAST
{
	echo "$count situations"
	[ -n "$only" ] || [ "$count" -ge "$1" ] || fail "only $count situations"
}
