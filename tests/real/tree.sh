#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tree on real file systems: everything once, cold as well, nothing left, and a full disk is named.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.ext4 mount

# run DIR STATUS SYNC: a small tree through all phases there, with caches dropped between.
run()
{
	rm -rf out
	cat >a.job <<-END
		job = "tree"; repeats = 1; target = { directory = "$PWD/$1"; };
		global = { numjobs = 2; set = "t"; keep = true; sync = $3; files = $4; directories = 100; min_time = "0s"; };
		steps = (
		  { workload = "tree"; name = "unpack"; phases = ["unpack", "copy", "rename", "age"]; },
		  { setup = "drop_caches"; },
		  { workload = "tree"; name = "rest"; phases = ["stat_walk", "read_all", "delete"]; keep = false; } );
	END
	assert_exit "$2" fstrial run --out out a.job >table 2>log
}

mkdir tmpfs
mount -t tmpfs -o size=512m none tmpfs
cleanup_fn umount tmpfs
dirs=(tmpfs)
for fs in ext4 xfs btrfs; do
	command -v "mkfs.$fs" >/dev/null || continue
	make_loop 512M
	"mkfs.$fs" -q "$LOOP"
	mkdir "$fs"
	mount "$LOOP" "$fs"
	cleanup_fn umount "$fs"
	dirs+=("$fs")
done

for dir in "${dirs[@]}"; do
	echo precious >"$dir/mine"
	for sync in true false; do
		run "$dir" 0 $sync 1000
		assert_schema out/result.json
		assert_json out/result.json "{k: v['count'] for s in d['trials'][0]['steps'] for k, v in s.get('latency', {}).items()
			if v['count'] and k not in ('age', 'syncfs')} == {'unpack': 2240, 'copy': 2238, 'rename': 2000,
			'stat_walk': 2238, 'read_all': 2040, 'delete': 4480}"
		assert_json out/result.json "d['trials'][0]['steps'][0]['latency']['syncfs']['count'] == {'true': 4, 'false': 0}['$sync']"
		assert_eq "$(ls -I lost+found "$dir")" mine
	done
done

# More than the file system holds.
run ext4 1 false 60000
assert_json out/result.json "'out of space' in d['trials'][0]['steps'][0]['reason'] or
	'out of inodes' in d['trials'][0]['steps'][0]['reason']"
assert_eq "$(ls -I lost+found ext4)" mine
