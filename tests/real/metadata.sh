#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# metadata on real file systems: every file once, nothing left, and what is full is named.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.ext4 mount

# mounted DIR SIZE MKFS [OPTION]: a new file system there until the end of the test.
mounted()
{
	make_loop "$2"
	$3 "$LOOP" >/dev/null 2>&1
	mkdir "$1"
	mount ${4:+-o "$4"} "$LOOP" "$1"
	cleanup_fn umount "$1"
}

# step DIR STATUS KEY=VALUE...: one step of metadata there; the step is in $1/../result.json
step()
{
	local dir=$1 status=$2
	shift 2
	rm -rf out
	printf 'job = "metadata"; repeats = 1; target = { directory = "%s"; };\nsteps = (%s);\n' \
		"$PWD/$dir" "{ workload = \"metadata\"; $* }" >a.job
	assert_exit "$status" fstrial run --out out a.job >table 2>log
}

every='phases = ["create", "stat", "open_read_close", "readdir", "append", "rename", "link", "symlink", "chmod",
	"utimens", "setxattr", "getxattr", "truncate", "mkdir", "rmdir", "unlink_link", "unlink_symlink", "unlink"];'
the_step="d['trials'][0]['steps'][0]"

mkdir tmpfs
mount -t tmpfs -o size=512m,nr_inodes=1000000 none tmpfs
cleanup_fn umount tmpfs
mounted ext4 512M 'mkfs.ext4 -q'
dirs=(tmpfs ext4)
! command -v mkfs.xfs >/dev/null || { mounted xfs 512M 'mkfs.xfs -q'; dirs+=(xfs); }
! command -v mkfs.btrfs >/dev/null || { mounted btrfs 512M 'mkfs.btrfs -q'; dirs+=(btrfs); }

for dir in "${dirs[@]}"; do
	mkdir "$dir/mine"
	echo precious >"$dir/mine/file"
	before=$(find "$dir" | sort)
	for how in 'numjobs = 2; durability = "fsync_dir"; files = 50; size = "5KiB";' \
		'numjobs = 3; names = "hashed"; order = "shuffled"; dirs = 4; depth = 2; files = 500;' \
		'numjobs = 2; names = "random"; order = "shifted"; shared_dirs = true; dirs = 3; files = 500;
			size = "2000B"; size_distribution = "exponential"; size_max = "1MiB"; durability = "syncfs";'; do
		step "$dir" 0 "$how $every min_time = \"0s\";"
		files=$(sed -n 's/.*[^_]files = \([0-9]*\).*/\1/p' a.job) jobs=$(sed -n 's/.*numjobs = \([0-9]*\).*/\1/p' a.job)
		assert_schema out/result.json
		assert_json out/result.json "${the_step}['status'] == 'ok' and
			all(v['count'] == $files * $jobs for k, v in ${the_step}['latency'].items()
			if k not in ('readdir', 'fsync', 'fsync_dir', 'syncfs'))"
		assert_json out/result.json "all(${the_step}['metrics'][k + '_rate']['value'] > 0 for k in ${the_step}['latency']
			if k not in ('fsync', 'fsync_dir', 'syncfs'))"
		assert_eq "$(find "$dir" | sort)" "$before" "$dir"
	done
	assert_eq "$(cat "$dir/mine/file")" precious
	step "$dir" 0 'numjobs = 2; files = 200; phases = ["mix"]; mix_operations = 5000; size = "1KiB";
		weight_readdir = 1; weight_chmod = 3; weight_truncate = 3;'
	assert_json out/result.json "${the_step}['measured']['ops'] == 10000"
	# What time did not suffice for is not met again.
	step "$dir" 0 'numjobs = 2; phase_time = "40ms"; phase_ramp = "10ms"; files = 1000;
		phases = ["create", "stat", "rename", "open_read_close", "link", "unlink_link", "link", "symlink",
		"unlink_symlink", "symlink", "mkdir", "rmdir", "mkdir", "unlink"];'
	assert_eq "$(find "$dir" | sort)" "$before" "$dir"
done

# What one step keeps, the next finds, also when the caches were dropped between.
printf 'job = "cold"; repeats = 1; target = { directory = "%s"; }; global = { numjobs = 2; files = 300; };
	steps = ( { workload = "metadata"; name = "make"; phases = ["create"]; set = "s"; keep = true; size = "4KiB"; },
	{ setup = "drop_caches"; },
	{ workload = "metadata"; name = "use"; phases = ["stat", "open_read_close", "unlink"]; set = "s"; min_time = "0s"; });' \
	"$PWD/ext4" >cold.job
assert_exit 0 fstrial run --out out-cold cold.job >table 2>log
assert_json out-cold/result.json "[s['latency'][k]['count'] for s in d['trials'][0]['steps'][2:]
	for k in ('create', 'stat', 'open_read_close', 'unlink')] == [0, 600, 600, 600]"

# Full of what, how far it came, and the rate up to there.
mounted few 64M 'mkfs.ext4 -q -N 2048'
step few 1 'files = 5000; phases = ["create", "unlink"];'
assert_json out/result.json "re.search(r'create .*/f0+[0-9a-f]+, after [0-9]+ .*out of inodes: all [0-9]+ are used.*No space',
	${the_step}['reason'])"
assert_json out/result.json "${the_step}['latency']['create']['count'] > 1500 and
	${the_step}['metrics']['create_rate']['value'] > 0 and ${the_step}['metrics']['unlink_rate']['value'] is None"
assert_eq "$(ls few)" lost+found
step few 1 'files = 1500; size = "100KiB"; phases = ["create"];'
assert_json out/result.json "'write ' in ${the_step}['reason'] and 'out of space' in ${the_step}['reason']"
assert_eq "$(ls few)" lost+found
step few 1 'name_length = 256; phases = ["create"];'
assert_json out/result.json "'File name too long' in ${the_step}['reason'] and 'after 0 of' in ${the_step}['reason']"

# Names of 255 bytes in a directory without room for more of its index.
mounted small 64M 'mkfs.ext4 -q -b 1024 -N 100000'
step small 1 'files = 200000; name_length = 255; phases = ["create"];'
assert_json out/result.json "re.search(r'create .*/f0+[0-9a-f]+, after [0-9]+ of .*directory index full.*No space', ${the_step}['reason'])"
assert_json out/result.json "${the_step}['latency']['create']['count'] > 10000 and
	${the_step}['measured']['partial'] is True and ${the_step}['metrics']['create_rate']['value'] > 0"

# Without extended attributes that phase is left out, with the reason, and the others are not. ramfs has none.
mkdir plain
mount -t ramfs none plain
cleanup_fn umount plain
step plain 0 'files = 100; phases = ["create", "setxattr", "getxattr", "stat"]; min_time = "0s";'
assert_schema out/result.json
assert_json out/result.json "all(${the_step}['metrics'][k + '_rate']['value'] is None and
	${the_step}['latency'][k]['count'] == 0 and
	any(k + ': left out: this file system has no extended attributes' in w for w in ${the_step}['warnings'])
	for k in ('setxattr', 'getxattr'))"
assert_json out/result.json "${the_step}['latency']['stat']['count'] == 100 and ${the_step}['status'] == 'ok'"
assert_eq "$(ls plain)" ""
