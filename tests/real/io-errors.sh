#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# I/O that fails half way, with each engine: the step fails with file, offset and errno, and what was measured
# stays, as partial.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.ext4 mkfs.xfs

# job NAME DIRECTORY STEPS: NAME.job of one trial.
job()
{
	printf 'target = { directory = "%s"; };\nrepeats = 1;\nsteps = ( %s );\n' "$2" "$3" >"$1.job"
}
# broken NAME ERRNO REGEX [EXPRESSION]: the job failed with that errno and reason, its last step's measurements m
# are there, partial, and as EXPRESSION says.
broken()
{
	assert_json "out-$1/result.json" "d['session']['status'] == 'complete' and d['trials'][0]['status'] == 'failed'"
	reason_is "$1" "$3"
	assert_json "out-$1/result.json" "d['trials'][0]['steps'][-1]['errno'] == '$2'"
	assert_schema "out-$1/result.json"
	if [ "${4:-}" = nothing ]; then # it never came to measuring
		assert_json "out-$1/result.json" "d['trials'][0]['steps'][-1]['measured'] is None"
		return
	fi
	/usr/bin/python3 - "$1" "${4:-m['ops'] > 0}" <<-'END' || fail "$1: not true: $4"
	import json, sys
	s = json.load(open("out-" + sys.argv[1] + "/result.json"))["trials"][0]["steps"][-1]
	m, counts = s["measured"], {k: v["count"] for k, v in s["latency"].items() if k != "sync"}
	ok = m["partial"] is True and m["ops"] == sum(counts.values()) and eval(sys.argv[2], {"m": m})
	sys.exit(0 if ok else f"{m['ops']} operations, {m['bytes']} bytes, {counts}: {s['reason']}")
	END
}
reason_is() # NAME REGEX
{
	/usr/bin/python3 - "$@" <<-'END' || fail "$1: the reason is not: $2"
	import json, re, sys
	reason = json.load(open("out-" + sys.argv[1] + "/result.json"))["trials"][0]["reason"]
	sys.exit(0 if re.search(sys.argv[2], reason) else "the reason is: " + reason)
	END
}
run_broken() # NAME ERRNO REGEX [EXPRESSION]
{
	assert_exit 1 fstrial run --quiet --out "out-$1" "$1.job" >"$1.table" 2>"$1.log"
	broken "$@"
}
make_fs() # NAME: a file system of that kind with some 40 MiB left, mounted there
{
	make_loop 300M # mkfs.xfs makes none smaller
	"mkfs.$1" -q "$LOOP"
	mkdir "$1"
	mount "$LOOP" "$1"
	cleanup_fn umount "$PWD/$1"
	fallocate -l $(($(stat -f -c '%f * %S' "$1") - (40 << 20))) "$1/fill"
}

engines="psync pvsync2 mmap"
for engine in io_uring libaio; do
	[ ! -e "$BUILD/plugins/engine/$engine.so" ] || engines="$engines $engine"
done
writes='workload = "sequential"; rw = "write"; bs = "1MiB";'

# No space: everything until then is counted. mmap allocates first, and is refused before it measures.
mkdir tmpfs
mount -t tmpfs -o size=8m none tmpfs
cleanup_fn umount "$PWD/tmpfs"
make_fs xfs
make_fs ext4
for fs in tmpfs xfs ext4; do
	for engine in $engines; do
		[ "$engine" != mmap ] || continue
		name=enospc-$fs-$engine
		job "$name" "$fs" "{ $writes ioengine = \"$engine\"; size = \"1GiB\"; }"
		run_broken "$name" ENOSPC 'write:? data\.0\.0 at offset [1-9][0-9]*.*No space left on device' \
			"m['bytes'] == m['ops'] << 20 and 1 <= m['ops'] <= 60"
	done
done
job enospc-direct xfs "{ $writes ioengine = \"io_uring\"; iodepth = 4; direct = true; size = \"1GiB\"; }"
case $engines in *io_uring*)
	run_broken enospc-direct ENOSPC 'data\.0\.0 at offset [1-9][0-9]*.*No space left on device' \
		"m['bytes'] == m['ops'] << 20 and m['ops'] >= 1" ;;
esac
job enospc-mmap tmpfs "{ $writes ioengine = \"mmap\"; size = \"32MiB\"; }"
run_broken enospc-mmap ENOSPC 'file 0 of 33554432 bytes.*No space left on device' "m['ops'] == 0"

# A file larger than one may be: by the limit of the process.
for engine in $engines; do
	job "efbig-$engine" "$PWD/data" "{ $writes ioengine = \"$engine\"; size = \"32MiB\"; }"
	mkdir -p data
	(
		ulimit -f 4096 # KiB
		case $engine in
		mmap) run_broken efbig-mmap EFBIG 'file 0 of 33554432 bytes.*File too large' "m['ops'] == 0" ;;
		*) run_broken "efbig-$engine" EFBIG 'write data\.0\.0 at offset 4194304.*File too large' \
			"m['ops'] == 4 and m['bytes'] == 4 << 20" ;;
		esac
	)
done

# Also where it is the step's main thread that writes, before the clock runs.
job efbig-layout "$PWD/data" '{ workload = "io"; rw = "randread"; bs = "4KiB"; size = "32MiB"; }'
(
	ulimit -f 4096
	run_broken efbig-layout EFBIG 'data\.0\.0.*File too large' nothing
)

# More files than may be open: as root the limit is raised, where the kernel's own allows that.
job emfile data '{ workload = "sequential"; rw = "write"; bs = "4KiB"; size = "4MiB"; nrfiles = 1000; }'
(
	ulimit -n 256
	assert_exit 1 setpriv --bounding-set=-sys_resource "$BUILD/fstrial" run --quiet --out out-emfile emfile.job \
		>table 2>log
)
assert_json out-emfile/result.json "d['trials'][0]['steps'][-1]['errno'] == 'EMFILE'"
reason_is emfile '1000 files and 1 workers need 1[0-9]{3} open files, the limit is 256'
assert_json out-emfile/result.json "d['trials'][0]['steps'][-1]['measured'] is None"

# measuring TICKS: a thread of the step that the session PID runs has had so much time of a processor.
measuring()
{
	local child task
	for child in $(cat "/proc/$PID/task/$PID/children"); do
		for task in "/proc/$child/task"/*; do
			[ "${task##*/}" = "$child" ] || ! awk -v n="$1" '{ exit $14 + $15 < n }' "$task/stat" || return 0
		done
	done 2>/dev/null
	return 1
}
# meanwhile NAME TICKS COMMAND ARG...: begins NAME.job, and once it measures does COMMAND to its file; waits for it.
meanwhile()
{
	local name=$1 ticks=$2
	shift 2
	fstrial_bg run --out "out-$name" "$name.job" >"$name.table" 2>"$name.log"
	wait_for 60 measuring "$ticks" || { show_file "$name.log"; fail "$name: no step began"; }
	"$@" "$(find data -name data.0.0)"
	wait "$PID" && fail "$name: went unnoticed"
	rm -rf data
	mkdir data
}
for engine in $engines; do
	# A read ends early at the place that is gone; a mapping has no page there.
	name=truncated-$engine
	job "$name" data "{ workload = \"io\"; ioengine = \"$engine\"; rw = \"randread\"; bs = \"4KiB\"; size = \"4MiB\"; runtime = \"60s\"; }"
	meanwhile "$name" 5 truncate -s 4096
	case $engine in
	mmap) broken "$name" EIO 'read data\.0\.0 at offset [0-9]+, 4096 bytes: SIGBUS.*truncated under the mapping, to 4096 bytes' ;;
	*) broken "$name" EIO 'read data\.0\.0 at offset [0-9]+, 4096 bytes: got 0; .*truncated meanwhile' ;;
	esac
	# What is written goes to the end of the world: seen at the end.
	name=deleted-$engine
	job "$name" data "{ workload = \"io\"; ioengine = \"$engine\"; rw = \"randrw\"; bs = \"4KiB\"; size = \"4MiB\"; runtime = \"1s\"; }"
	meanwhile "$name" 0 rm
	broken "$name" ENOENT 'data\.0\.0 was deleted meanwhile.*offset 4194304'
done
job shorter data '{ workload = "io"; rw = "write"; bs = "4KiB"; size = "4MiB"; overwrite = true; rate_iops = 100; runtime = "1s"; }'
meanwhile shorter 0 truncate -s 8192
broken shorter EIO 'data\.0\.0 was truncated meanwhile: it ends at offset [0-9]+, of 4194304'

# A target smaller than what is to be read: said before anything is measured.
job small xfs '{ workload = "io"; rw = "randread"; bs = "4KiB"; size = "1GiB"; }'
run_broken small ENOSPC '/xfs/.* needs 1073741824 bytes \(1GiB\), [0-9]+ ' nothing

# A device that has no more memory for what is written.
[ -e /sys/class/zram-control/hot_add ] || skip "no zram: EIO was not tested"
poor() # ENGINE
{
	local id
	id=$(cat /sys/class/zram-control/hot_add)
	cleanup_fn sh -c "echo 1 >/sys/block/zram$id/reset; echo $id >/sys/class/zram-control/hot_remove"
	echo 160M >"/sys/block/zram$id/disksize"
	mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "/dev/zram$id"
	mkdir "poor-$1"
	mount "/dev/zram$id" "poor-$1"
	cleanup_fn umount "$PWD/poor-$1"
	sync -f "poor-$1"
	# Room for what the file system took, for what a session itself tries there, and for some more.
	echo $(($(awk '{ print $3 }' "/sys/block/zram$id/mm_stat") + (40 << 20))) >"/sys/block/zram$id/mem_limit"
}
for engine in $engines; do
	poor "$engine"
	case $engine in
	mmap) # the page cache takes it all: what fails is what brings it to the device
		job eio-mmap poor-mmap "{ $writes ioengine = \"mmap\"; size = \"96MiB\"; fdatasync = 4; }"
		run_broken eio-mmap EIO 'fdatasync data\.0\.0.*Input/output error' "4 <= m['ops'] < 96" ;;
	*)
		job "eio-$engine" "poor-$engine" "{ $writes ioengine = \"$engine\"; size = \"96MiB\"; direct = true; }"
		run_broken "eio-$engine" EIO 'write data\.0\.0 at offset [0-9]+.*Input/output error' \
			"1 <= m['ops'] < 96 and m['bytes'] == m['ops'] << 20" ;;
	esac
done
