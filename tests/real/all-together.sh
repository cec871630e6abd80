#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every workload there is, the data workloads with every engine that takes them, by two workers. With a build
# for the thread or the address sanitizer this is where races, leaks and undefined behaviour show.
. "$(dirname "$0")/../helpers.sh"
# In files, because a step's process has no exit status and no standard error of its own to be read here.
for san in ASAN LSAN TSAN UBSAN; do
	declare -x "${san}_OPTIONS=$(printenv ${san}_OPTIONS || true):log_path=$PWD/sanitizer"
done
export UBSAN_OPTIONS=$UBSAN_OPTIONS:print_stacktrace=1

# Of the plugins of KIND; with 1 only those which describe their I/O, with 0 only the others.
plugins()
{
	/usr/bin/python3 - "$@" <<-'END'
	import json, sys
	for p in json.load(open("plugins.json"))["plugins"]:
	    if p["kind"] == sys.argv[1] and (len(sys.argv) < 3 or p["data_workload"] == bool(int(sys.argv[2]))):
	        print(p["name"])
	END
}

# What PLUGIN's choice NAME can be; nothing where it has none of that name.
choices()
{
	/usr/bin/python3 - "$@" <<-'END'
	import json, sys
	for p in json.load(open("plugins.json"))["plugins"]:
	    for q in p["params"]:
	        if [p["name"], q["name"]] == sys.argv[1:]:
	            print("\n".join(c["name"] for c in q["choices"]))
	END
}

# The parameters of each step that is made of WORKLOAD, one step a line.
steps_of()
{
	local rw
	case $1 in
	database)
		for rw in $(choices database wal_sync); do
			echo "runtime = \"200ms\"; numjobs = 3; table_size = \"1MiB\"; checkpoint_interval = \"50ms\"; wal_segment = \"1MiB\"; wal_sync = \"$rw\";"
		done
		echo 'runtime = "200ms"; numjobs = 3; table_size = "1MiB"; checkpoint_interval = "50ms"; model = "innodb"; wal_segment = "1MiB";' ;;
	metadata)
		echo 'files = 200; dirs = 2; phases = ["create", "stat", "open_read_close", "readdir", "append", "rename", "link", "symlink", "chmod", "utimens", "truncate", "mkdir", "rmdir", "unlink"];'
		echo 'files = 200; shared_dirs = true; size = "4KiB"; order = "shifted"; mix_operations = 1000; phases = ["create", "stat", "mix"];' ;;
	tree)
		echo 'directories = 10; files = 100; phases = ["unpack", "stat_walk", "read_all", "copy", "rename", "age", "delete"];' ;;
	mailpool | fileserver)
		for rw in $(choices "$1" flow); do
			echo "runtime = \"200ms\"; transactions = 0; files = 50; flow = \"$rw\"; shared_dirs = true;"
		done ;;
	synthetic) echo "numjobs = 1;" ;;
	exec) echo 'numjobs = 1; argv = ["echo", "n 7"]; metrics = ["n = /n ([0-9])/ higher"];' ;;
	streams)
		for rw in $(choices streams prealloc); do
			echo "files = 40; file_size = \"64KiB\"; end_fsync = true; prealloc = \"$rw\";"
		done ;;
	prealloc)
		for rw in $(choices prealloc prealloc); do
			echo "size = \"1MiB\"; bs = \"64KiB\"; nrfiles = 2; prealloc = \"$rw\";"
		done ;;
	io)
		echo 'size = "1MiB"; rw = "randrw"; verify = "crc32c"; loops = 2; nrfiles = 2;'
		echo 'size = "1MiB"; rw = "randwrite"; runtime = "200ms"; rate_iops = 2000; rate_process = "poisson"; fdatasync = 50;'
		echo 'size = "1MiB"; rw = "randread"; runtime = "200ms"; bssplit = "4k/50:16k/50"; random_distribution = "zipf:1.1"; thinktime = "1ms"; thinktime_blocks = 100;' ;;
	*)
		echo 'size = "1MiB"; runtime = "50ms"; fsync = 100;' ;;
	esac
	for rw in $(choices "$1" rw); do
		echo "runtime = \"80ms\"; size = \"1MiB\"; rw = \"$rw\";"
	done
}

job() # of the STEPs
{
	printf 'job = "together";\ntarget = { directory = "data"; };\nrepeats = 1;\nsteps = (\n'
	printf '%s' "$1"
	shift
	[ $# = 0 ] || printf ',\n%s' "$@"
	printf '\n);\n'
}

# Adds to `steps` the step of WORKLOAD with PARAMETERS, unless it is refused beforehand: then it says why.
add()
{
	local step
	count=$((count + 1))
	grep -q 'numjobs' <<<"$2" || set -- "$1" "numjobs = 2; $2" "${3:-}"
	step="{ workload = \"$1\"; name = \"s$count\"; ${3:+ioengine = \"$3\";} $2 }"
	job "$step" >one.job
	if ! fstrial check one.job >said 2>&1; then
		# What is not to be had is the engine's to say; anything else is this test's mistake.
		if [ -z "${3:-}" ] || ! grep -q engine said; then
			show_file one.job
			show_file said
			fail "$1 was refused"
		fi
		echo "left out: $1, $3: $(cut -d: -f3- said | head -n 1)"
		return 1
	fi
	steps+=("$step")
}

# Runs `steps`: the job is called NAME.
run()
{
	job "${steps[@]}" >"$1.job"
	fstrial run --quiet --out "out-$1" "$1.job" >table 2>log || { show_file log; show_file table; fail "$1"; }
	assert_schema "out-$1/result.json"
	assert_json "out-$1/result.json" "d['session']['status'] == 'complete' and len(d['trials']) == 1"
	assert_json "out-$1/result.json" "all(s['status'] == 'ok' or s['status'] == 'skipped' and s['reason']
		for t in d['trials'] for s in t['steps']) and d['trials'][0]['status'] == 'ok'"
	assert_json "out-$1/result.json" "len(d['trials'][0]['steps']) == ${#steps[@]}"
}

mkdir data
count=0
fstrial plugins --json >plugins.json
direct=
! dd if=/dev/zero of=data/probe bs=4096 count=1 oflag=direct status=none 2>refused || direct='direct = true;'
rm -f data/probe

steps=()
for workload in $(plugins workload 0); do
	steps_of "$workload" >params
	[ -s params ] || fail "no step for $workload"
	while read -r params; do
		add "$workload" "$params"
	done <params
done
run others

for workload in $(plugins workload 1); do
	steps_of "$workload" >"steps-$workload"
	[ -s "steps-$workload" ] || fail "no step for $workload"
done
for engine in $(plugins engine); do
	steps=()
	for workload in $(plugins workload 1); do
		before=${#steps[@]}
		# Deep where the engine queues at all; not asked again once it said no, for the time that takes.
		depth='iodepth = 4;'
		while read -r params; do
			add "$workload" "$depth $params" "$engine" || {
				! grep -q iodepth said || depth=
				add "$workload" "$params" "$engine"
			} || true
			last=$params
		done <"steps-$workload"
		# Direct once, of the kind that came last.
		[ -z "$direct" ] || add "$workload" "$direct $last" "$engine" || true
		[ ${#steps[@]} -gt "$before" ] || echo "nothing of $workload with $engine"
	done
	[ ${#steps[@]} -gt 0 ] || fail "no workload takes the engine $engine"
	run "$engine"
done >left-out
sort left-out | uniq -c
for workload in $(plugins workload); do
	# shellcheck disable=SC2046 # one word an engine is what is wanted
	grep -q "workload = \"$workload\"" others.job $(plugins engine | sed 's/$/.job/') || fail "$workload was never run"
done
# Nothing remains of what ran, and no sanitizer had anything to say.
assert_eq "$(ls data)" ""
for report in sanitizer.*; do
	[ ! -e "$report" ] || { show_file "$report"; fail "a sanitizer reports"; }
done
