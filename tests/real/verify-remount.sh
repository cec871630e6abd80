#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What one run wrote with verify another one reads and checks after a mount of its own, and a flipped byte is found.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.ext4

make_loop 400MiB
head="target = { device = \"$LOOP\"; destroy = \"${LOOP#/dev/}\"; }; repeats = 1;"
cat >write.job <<END
$head
steps = ( { setup = "mkfs"; fs = "ext4"; }, { setup = "mount"; },
	{ workload = "sequential"; rw = "write"; bs = "64KiB"; size = "8MiB"; verify = "crc32c"; end_fsync = true; } );
END
cat >read.job <<END
$head
steps = ( { setup = "mount"; },
	{ workload = "sequential"; rw = "read"; bs = "64KiB"; size = "8MiB"; verify = "crc32c"; } );
END
fstrial run --out write write.job >table 2>log || { show_file log; show_file table; fail "write"; }
assert_json write/result.json "d['trials'][0]['steps'][-1]['data']['verified_bytes'] == 8 << 20"
fstrial run --out read read.job >table 2>log || { show_file log; show_file table; fail "read again"; }
assert_json read/result.json "d['trials'][0]['steps'][-1]['measured']['bytes'] == 8 << 20 and
	d['trials'][0]['steps'][-1]['data']['laid_out_bytes'] == 0"

# One byte of the file, by way of the file system.
mkdir mnt
mount "$LOOP" mnt
cleanup_fn sh -c "umount -q '$PWD/mnt' || true"
file=$(find mnt -name data.0.0)
[ -n "$file" ] || fail "no data file was left"
at=$((3 * 1024 * 1024 + 4096 + 1000))
old=$(od -An -tu1 -j $at -N 1 "$file")
printf "\\x$(printf %02x $((old ^ 1)))" | dd of="$file" bs=1 seek=$at conv=notrunc status=none
umount mnt
assert_exit 1 fstrial run --out flipped read.job >table 2>log
assert_json flipped/result.json "re.search(r'data\.0\.0.*offset %d.*expected .*found' % (3 * 1024 * 1024 + 4096),
	d['trials'][0]['reason'])"
assert_json flipped/result.json "d['trials'][0]['steps'][-1]['measured']['partial'] is True"
