#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs tests one after another: tests/run.sh [--unit] [FILE|DIRECTORY]...
#
# --unit runs the CUnit program of the build and counts each of its tests. A directory stands for
# its executable *.sh, each of which counts once. A test runs in an empty directory of its own,
# within TEST_TIMEOUT seconds (300), with BUILD (the build directory) and SRC (the source tree) in
# its environment. Exit status 0 passes; 77 skips, the last line of output being the reason;
# anything else fails. A test also fails when it leaves something behind on the machine. Scripts named
# guest*.sh work in a machine of their own (guest.sh) and touch nothing here: they run beside the others,
# also one after another, and are reported at the end.
#
# What failed is said once more at the end. The last line is always "N passed, N failed, N skipped"; the exit status is 0 only when nothing
# failed and everything that was listed at the start is in one of those numbers.
set -u
export LC_ALL=C

SRC=$(cd "$(dirname "$0")/.." && pwd)
BUILD=$(cd "${BUILD:-$SRC/build}" && pwd) || exit 1
export SRC BUILD
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
PATH=$PATH:/usr/sbin:/sbin
limit=${TEST_TIMEOUT:-300}

passed=0 failed=0 skipped=0 listed=0
unit=no unit_count=0 scripts=() guests=() running='' beside=''

# ---- what the machine looks like ----------------------------------------------------------------

# Values of a queue that follow from the file a loop device is bound to. They change with every
# bind and the kernel sets them again at the next one, so on an unbound loop device they mean
# nothing. All others (scheduler, nr_requests, nomerges, wbt_lat_usec, ...) stay on a loop device
# when it is detached, and a test that leaves one of them changed spoils whatever uses it next.
by_binding='discard_[a-z_]*|write_zeroes_[a-z_]*|write_same_max_bytes|read_ahead_kb|rotational'
by_binding+='|write_cache|fua|dma_alignment|logical_block_size|physical_block_size|hw_sector_size'
by_binding+='|minimum_io_size|optimal_io_size|max_discard_segments|atomic_write_[a-z_]*|stable_writes'

# The queue values of the devices named, "queue loop0/nr_requests 128", one a line.
queue_values()
{
	local name files=()
	for name; do
		files+=("/sys/block/$name/queue/"* "/sys/block/$name/queue/iosched/"*)
	done
	grep -Hs . "${files[@]}" | sed -n 's,^/sys/block/\([^/]*\)/queue/\([^:]*\):,queue \1/\2 ,p'
}

snapshot()
{
	local dev name bound=() unbound=() other=()
	cut -d' ' -f3- /proc/self/mountinfo | sed 's/^/mount /'
	awk 'NR > 1 { print "swap " $1 }' /proc/swaps
	for dev in /sys/block/*; do
		name=${dev##*/}
		case $name in
		loop*)
			if [ -r "$dev/loop/backing_file" ]; then
				echo "loop $name $(cat "$dev/loop/backing_file" 2>/dev/null)"
				bound+=("$name")
			else
				unbound+=("$name")
			fi ;;
		*)
			echo "disk $name"
			case $name in zram* | vd* | sd*) other+=("$name") ;; esac ;;
		esac
	done
	[ ${#bound[@]} -eq 0 ] || queue_values "${bound[@]}"
	[ ${#other[@]} -eq 0 ] || queue_values "${other[@]}"
	[ ${#unbound[@]} -eq 0 ] ||
		queue_values "${unbound[@]}" | grep -Ev "^queue [^ ]*/($by_binding) "
}

# The queue values that a loop device is born with, as NAME's: from a new one that nobody has used.
fresh_loop_values()
{
	/usr/bin/python3 - "$1" <<-'END' 2>/dev/null | grep -Ev "^queue [^ ]*/($by_binding) "
	import fcntl, glob, os, sys
	LOOP_CTL_ADD, LOOP_CTL_REMOVE = 0x4C80, 0x4C81
	control = os.open("/dev/loop-control", os.O_RDWR)
	number = fcntl.ioctl(control, LOOP_CTL_ADD, 4000)
	try:
	    for path in glob.glob(f"/sys/block/loop{number}/queue/*"):
	        try:
	            with open(path) as f:
	                value = f.read().rstrip("\n")
	        except OSError:
	            continue
	        if value:
	            print(f"queue {sys.argv[1]}/{os.path.basename(path)} {value}")
	finally:
	    fcntl.ioctl(control, LOOP_CTL_REMOVE, number)
	END
}

loops_in() # FILE: names of the loop devices in a snapshot
{
	sed -n 's,^queue \(loop[0-9]*\)/.*,\1,p' "$1" | sort -u
}

# Prints what differs between the snapshots $1 and $2; prints nothing when all is as it was.
compare()
{
	local before=$work/compare.before after=$work/compare.after name
	sort "$1" >"$before" && sort "$2" >"$after"
	# An unbound loop device that was removed is no loss; one that is new has to be as good as new.
	for name in $(comm -23 <(loops_in "$1") <(loops_in "$2")); do
		sed -i "\\,^queue $name/,d" "$before"
	done
	for name in $(comm -13 <(loops_in "$1") <(loops_in "$2")); do
		if ! grep -q "^loop $name " "$2" && fresh_loop_values "$name" >"$work/fresh" &&
			[ -s "$work/fresh" ]; then
			sort -o "$before" "$before" "$work/fresh"
		else
			sed -i "\\,^queue $name/,d" "$after"
		fi
	done
	# One line says that a loop device was bound or detached; what follows from that needs none.
	for name in $(comm -3 "$before" "$after" | sed -n 's,^\t*loop \([^ ]*\) .*,\1,p' | sort -u); do
		sed -i -E "\\,^queue $name/($by_binding) ,d" "$before" "$after"
	done
	comm -13 "$before" "$after" | sed 's/^/now: /'
	comm -23 "$before" "$after" | sed 's/^/was: /'
}

# Some things end a moment after the program that used them (lazy detach, udev): up to 3 seconds.
left_behind()
{
	local try
	[ "$beside" != yes ] || return 1 # that of the others, seen from here, means nothing
	for try in 1 2 3 4 5 6 7; do
		snapshot >"$work/after"
		compare "$work/before" "$work/after" >"$work/left"
		[ -s "$work/left" ] || return 1
		[ "$try" = 7 ] || sleep 0.5
	done
	mv "$work/after" "$work/before" # so that the next test is not blamed for it
	return 0
}

# ---- one test -----------------------------------------------------------------------------------

# Runs a command in an empty directory; sets status and took, output is in $work/log.
run_bounded()
{
	local start=$EPOCHREALTIME end ms
	dir=$work/dir
	mkdir "$dir" || exit 1
	# A shell starts background jobs with SIGINT ignored, and ignored signals are inherited: a
	# program that is to be interrupted by a test would never be.
	(cd "$dir" && TEST_DIR=$dir exec env --default-signal=INT,QUIT \
		timeout --kill-after=30 "$limit" "$@") >"$work/log" 2>&1 </dev/null 9>&- &
	running=$!
	wait "$running" 2>/dev/null # not a word of the shell about signals
	status=$?
	running=
	end=$EPOCHREALTIME
	ms=$(((${end/./} - ${start/./}) / 1000))
	took="$((ms / 1000)).$((ms % 1000 / 100)) s"
	rm -rf --one-file-system "$dir" 2>"$work/rm" || status=1
	cat "$work/rm" >>"$work/log"
	if [ -d "$dir" ]; then # a mount is still in it; leave it for whoever looks into this
		mv "$dir" "$work/kept.$((passed + failed + skipped))" 2>/dev/null || dir=$work/dir.$RANDOM
	fi
	[ "$status" != 124 ] && [ "$status" != 137 ] || echo "(ended after $limit s)" >>"$work/log"
}

show() # [FILE...]: output below the line it belongs to
{
	tail -qn 300 "$@" | sed 's/^/    /'
}

# The line of a failed test, with the output below it: at once, and its end once more after all tests.
report_failure() # LINE FILE...
{
	local line=$1
	shift
	echo "$line"
	show "$@"
	{ echo "$line"; tail -qn 12 "$@" | sed 's/^/    /'; } >>"$work/failures"
}

run_script()
{
	local name=${1#"$SRC"/tests/}
	name=${name%.sh}
	if [ ! -x "$1" ]; then
		echo "$1 is not executable" >"$work/log"
		report_failure "FAIL $name" "$work/log"
		failed=$((failed + 1))
		return
	fi
	run_bounded "$1"
	if left_behind; then
		sed -i '1i left behind or changed:' "$work/left"
		report_failure "FAIL $name ($took)" "$work/log" "$work/left"
		failed=$((failed + 1))
		return
	fi
	case $status in
	0)
		echo "ok $name ($took)"
		passed=$((passed + 1)) ;;
	77)
		echo "skip $name: $(tail -n 1 "$work/log")"
		skipped=$((skipped + 1)) ;;
	*)
		report_failure "FAIL $name ($took, exit status $status)" "$work/log"
		failed=$((failed + 1)) ;;
	esac
}

# The scripts that work in a guest, in a process of its own, which leaves its report and its numbers.
run_guests()
{
	local script
	beside=yes work=$work/guests passed=0 failed=0 skipped=0
	trap stop INT TERM HUP
	trap - EXIT
	for script; do
		run_script "$script"
	done >"$work/report" 2>&1
	echo "$passed $failed $skipped" >"$work/numbers"
}

start_guests()
{
	[ ${#guests[@]} -gt 0 ] || return 0
	mkdir "$work/guests" || exit 1
	(run_guests "${guests[@]}") &
	beside=$!
}

end_guests()
{
	local ok=0 bad=0 not=0
	[ -n "$beside" ] || return 0
	wait "$beside"
	beside=
	cat "$work/guests/report"
	[ ! -f "$work/guests/failures" ] || cat "$work/guests/failures" >>"$work/failures"
	read -r ok bad not <"$work/guests/numbers"
	if left_behind; then
		sed -i '1i left behind or changed:' "$work/left"
		report_failure "FAIL a test in a guest" "$work/left"
		ok=$((ok - 1)) bad=$((bad + 1))
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + not))
}

# The summary and the number of tests that ran are what counts: a test that ends the program with
# exit(0) leaves neither.
run_unit()
{
	local ok=0 bad=0 why=
	[ "$unit_count" -gt 0 ] || return 0
	run_bounded "$BUILD/unit"
	read -r ok bad < <(awk '/^Run Summary:/ { seen = 1 }
		seen && $1 == "tests" { print $4, $5; exit }' "$work/log") || true
	ok=${ok:-0} bad=${bad:-0}
	if [ $((ok + bad)) -lt "$unit_count" ]; then
		why="$((unit_count - ok - bad)) of $unit_count tests did not run to their end"
		bad=$((unit_count - ok))
	elif [ "$bad" -eq 0 ] && [ "$status" -ne 0 ]; then
		why="exit status $status after the last test"
		ok=$((ok - 1)) bad=1
	fi
	if left_behind; then
		why="left behind or changed: $(tr '\n' ';' <"$work/left")"
		[ "$bad" -gt 0 ] || { ok=$((ok - 1)) bad=1; }
	fi
	if [ "$bad" -eq 0 ]; then
		echo "ok unit ($ok tests, $took)"
		sed -n '/^Run Summary:/,/^ *asserts/p' "$work/log" | show
	else
		[ -z "$why" ] || echo "$why" >>"$work/log"
		# What CUnit says of a failure is somewhere among hundreds of lines.
		grep -E -A 3 'FAILED$|^ +[0-9]+\. [^ ]*:[0-9]+ |ERROR: |WARNING: |SUMMARY: ' "$work/log" | tail -n 40 >"$work/found"
		[ -z "$why" ] || echo "$why" >>"$work/found"
		show "$work/log"
		report_failure "FAIL unit ($took, exit status $status)" "$work/found"
	fi
	passed=$((passed + ok))
	failed=$((failed + bad))
}

# ---- all of them --------------------------------------------------------------------------------

stop() # a signal: end the running test, whose own cleanup then runs
{
	trap '' INT TERM HUP
	[ -z "$running" ] || { kill -TERM "$running"; wait "$running"; }
	case $beside in '' | yes) ;; *) kill -TERM "$beside"; wait "$beside" ;; esac
	echo "interrupted" >&2
	exit 130
}

list_tests()
{
	local arg file
	for arg; do
		if [ "$arg" = --unit ]; then
			unit=yes
		elif [ -d "$arg" ]; then
			for file in "$arg"/*.sh; do
				case $file in
				*/helpers*.sh | */\*.sh) ;;
				*) add_script "$(realpath "$file")" ;;
				esac
			done
		elif [ -f "$arg" ]; then
			add_script "$(realpath "$arg")"
		else
			echo "$arg: no such test" >&2
			exit 2
		fi
	done
	if [ $unit = yes ]; then
		unit_count=$("$BUILD/unit" --list) || unit_count=
		case $unit_count in '' | *[!0-9]*) echo "$BUILD/unit --list gave no number" >&2; exit 1 ;; esac
	fi
	listed=$((unit_count + ${#scripts[@]} + ${#guests[@]}))
}

# In which of the two rows a script runs.
add_script() # FILE
{
	case ${1##*/} in
	guest*) guests+=("$1") ;;
	*) scripts+=("$1") ;;
	esac
}

list_tests "$@"

# Two runs at once would each see what the other one has mounted.
lock=$BUILD/.check.lock
[ "$(id -u)" != 0 ] || [ ! -d /run/lock ] || lock=/run/lock/fstrial-check.lock
exec 9>"$lock"
flock -n 9 || { echo "waiting for another run of the tests to end" >&2; flock 9; }

work=$(mktemp -d "${TMPDIR:-/var/tmp}/fstrial-check.XXXXXX") || exit 1
trap 'rm -rf --one-file-system "$work"' EXIT
trap stop INT TERM HUP
snapshot >"$work/before"

start_guests
[ $unit = no ] || run_unit
for script in ${scripts[@]+"${scripts[@]}"}; do
	run_script "$script"
done
end_guests

if [ -f "$work/failures" ]; then
	echo "what failed:"
	cat "$work/failures"
fi
result=0
[ "$failed" -eq 0 ] || result=1
if [ "$listed" -eq 0 ] || [ $((passed + failed + skipped)) -ne "$listed" ]; then
	echo "$listed tests were listed, $((passed + failed + skipped)) accounted for"
	result=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
exit $result
