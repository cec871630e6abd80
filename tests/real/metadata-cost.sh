#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# metadata: as few system calls a file as there can be, and no memory for a million of them.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mount python3

mkdir tmpfs
mount -t tmpfs -o size=2g,nr_inodes=1100000 none tmpfs
cleanup_fn umount tmpfs

job()
{
	printf 'job = "cost"; repeats = 1; target = { directory = "%s"; };\nsteps = (%s);\n' "$PWD/tmpfs" \
		"{ workload = \"metadata\"; min_time = \"0s\"; $* }" >a.job
}

# calls FILES NAME: how often the system call was made in a step of so many files.
calls()
{
	awk -v name="$2" '$NF == name { n += $4 } END { print n + 0 }' "strace.$1"
}

# per_file "NAME=CALLS ..." KEY=VALUE...: so many calls for each file, by the difference of two counts.
per_file()
{
	local want=$1 n each
	shift
	for n in 100 1100; do
		job "files = $n; $*"
		rm -rf out
		strace -f -c -o "strace.$n" "$BUILD/fstrial" run --out out a.job >table 2>log
	done
	for each in $want; do
		# A session looks after its step now and then: 50 calls are its own.
		n=$(($(calls 1100 "${each%=*}") - $(calls 100 "${each%=*}") - 1000 * ${each#*=}))
		[ "$n" -ge -50 ] && [ "$n" -le 50 ] || fail "$*: ${each%=*}: $n calls too many for 1000 files"
	done
}

if command -v strace >/dev/null && ! is_instrumented; then
	# Removing what is left takes one unlinkat a file: the files of `create` alone show it too.
	per_file 'mknodat=1 openat=0 close=0 write=0 unlinkat=1' 'phases = ["create", "unlink"];'
	per_file 'mknodat=0 openat=1 write=1 close=1 unlinkat=1' 'phases = ["create"]; size = "4KiB";'
	per_file 'newfstatat=1 mknodat=1 openat=0' 'phases = ["create", "stat"];'
	per_file 'openat=2 read=1 write=1 close=2' 'phases = ["create", "open_read_close"]; size = "4KiB";'
	per_file 'renameat=1 linkat=1 symlinkat=1 mkdirat=1' \
		'phases = ["create", "rename", "link", "symlink", "mkdir", "rmdir"];'
fi

# Memory of a step with a million files, directories and entries of the kernel's not counted.
job 'files = 1000000; dirs = 10; phases = ["create", "stat", "unlink"];'
cat >peak.py <<'END'
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stdout=open("table", "w"), stderr=open("log", "w"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
END
rm -rf out
peak=$(python3 peak.py "$BUILD/fstrial" run --out out a.job) || { cat log >&2; fail "run failed"; }
is_instrumented || [ "$peak" -lt 65536 ] || fail "$peak KiB of memory at most"
assert_json out/result.json "all(d['trials'][0]['steps'][0]['latency'][k]['count'] == 1000000
	for k in ('create', 'stat', 'unlink'))"
assert_eq "$(ls tmpfs)" ""
echo "a million files: $peak KiB at most"
