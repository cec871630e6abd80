#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the result says was read and written is what the kernel counted at the device, to the request.
. "$(dirname "$0")/../helpers.sh"

requires_root
requires mkfs.ext4 losetup

# A device of our own below a directory that is: nobody else's I/O is counted.
make_loop 256MiB
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$LOOP"
mkdir mnt
mount -o noatime "$LOOP" mnt
cleanup_fn umount mnt

cat >a.job <<END
job = "diskstats";
vars = { engine = "psync"; depth = 1; };
target = { directory = "$PWD/mnt"; };
repeats = 1;
canaries = false;
steps = (
	{ workload = "sequential"; name = "r"; rw = "read"; bs = "4KiB"; size = "32MiB"; direct = true;
	  ioengine = "\${engine}"; iodepth = "\${depth}"; }
);
END

# Requests read from the device so far, those that were merged with others among them, and bytes.
counts()
{
	awk '{ printf "%.0f %.0f\n", $1 + $2, $3 * 512 }' "/sys/block/${LOOP#/dev/}/stat"
}

# reads ENGINE DEPTH: layout only writes, so what was read at the device is what was measured.
reads()
{
	local before after
	[ -e "$BUILD/plugins/engine/$1.so" ] || return 0
	rm -rf out
	read -r -a before <<<"$(counts)"
	fstrial run --quiet --out out --set "engine=$1" --set "depth=$2" a.job >/dev/null 2>err ||
		{ show_file err; fail "$1"; }
	read -r -a after <<<"$(counts)"
	assert_json out/result.json "d['trials'][0]['steps'][0]['engine']['name'] == '$1'"
	assert_json out/result.json "d['trials'][0]['steps'][0]['measured']['ops'] == $((after[0] - before[0]))"
	assert_json out/result.json "d['trials'][0]['steps'][0]['measured']['bytes'] == $((after[1] - before[1]))"
	assert_eq $((after[1] - before[1])) $((32 << 20)) "bytes read by $1"
}

# Once for nothing: the file system's own blocks are in memory then.
fstrial run --quiet --out warm a.job >/dev/null
reads psync 1
reads pvsync2 1
reads io_uring 1
reads io_uring 32
reads libaio 32
