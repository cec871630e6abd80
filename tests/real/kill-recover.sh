#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SIGKILL of a session and all of its processes, at moments that are known and at random ones, over a job that
# uses every setup plugin that works here: recover puts the machine back. KILLS random ones (40), from SEED.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs mkfs.ext4 flock setsid
KILLS=${KILLS:-40}
SEED=${SEED:-$RANDOM}

# Whatever ends the test: nothing of a killed session stays.
put_back()
{
	local journal
	for journal in "$FSTRIAL_STATE_DIR"/*.undo; do
		[ ! -e "$journal" ] || flock -w 20 "$journal" true
	done
	fstrial recover >/dev/null 2>&1
}
cleanup_fn put_back

steps='{ setup = "sysctl"; set = ["vm.dirty_bytes = 100000000", "vm.dirty_background_bytes = 50000000",
				   "vm.vfs_cache_pressure = 50", "vm.swappiness = 10"]; },
	{ setup = "governor"; },
	{ setup = "sysfs"; name = "queue"; scheduler = "mq-deadline"; nr_requests = 64; max_sectors_kb = 512;
	  nomerges = 2; wbt_lat_usec = 0; rotational = true; when = "on != zram"; },
	{ setup = "mkfs"; name = "mkfs_outer"; fs = "ext4"; when = "on == loop"; },
	{ setup = "mount"; name = "mount_outer"; when = "on == loop"; },
	{ setup = "loop"; size = "64MiB"; sector_size = "4KiB"; when = "on == loop"; },
	{ setup = "sysfs"; name = "queue_inner"; scheduler = "kyber"; nomerges = 1; when = "on == loop"; },
	{ setup = "zram"; size = "64MiB"; when = "on == zram"; },
	{ setup = "mkfs"; fs = "${fs}"; },
	{ setup = "mount"; options = "noatime"; },
	{ setup = "readahead"; size = "1MiB"; },
	{ setup = "fill"; percent = 30; min_filesize = "512KiB"; max_filesize = "2MiB"; },
	{ setup = "age"; percent = 50; rounds = 1; min_filesize = "512KiB"; max_filesize = "2MiB"; },
	{ setup = "fstrim"; },
	{ setup = "cgroup"; memory = "64MiB"; read_iops = 100000; },
	{ setup = "drop_caches"; method = "files"; },
	{ setup = "settle"; idle = "10ms"; within = "60s"; }'

# write_job NAME VARS ADDED
write_job()
{
	cat >"$1.job" <<-END
		job = "$1";
		vars = { $2 };
		target = { scratch = "400MiB"; scratch_dir = "."; };
		repeats = 1;
		steps = ( $steps$3
		);
	END
}

# What the session's journal says of the machine: names of block devices that it worked on.
journals() { find "$FSTRIAL_STATE_DIR" -name '*.undo' 2>/dev/null; }
diskseqs_of() { grep -oE '"diskseq","value":"[0-9]+' "$1" | sed 's/.*"//' | sort -u; }
devices_of() { grep -oE '"(/sys/block|/dev)/(loop|zram)[0-9]+' "$1" | sed 's,.*/,,' | sort -u; }

# Every setting of a queue that is nobody's at the moment: read_ahead_kb and rotational end with what was attached.
queue()
{
	local f
	for f in "/sys/block/$1"/queue/* "/sys/block/$1"/queue/iosched/*; do
		case $f in */read_ahead_kb | */rotational | */discard_* | */write_zeroes_*) continue ;; esac
		[ ! -f "$f" ] || [ ! -r "$f" ] || printf '%s %s\n' "${f#"/sys/block/$1/"}" "$(cat "$f" 2>/dev/null)"
	done
}
queues_before=$TEST_DIR/queues
mkdir "$queues_before"
queues_save()
{
	local d
	for d in /sys/block/loop*; do
		d=${d##*/}
		# In use it is somebody's, and may change.
		if [ -e "/sys/block/$d/loop/backing_file" ]; then
			rm -f "$queues_before/$d"
		else
			queue "$d" >"$queues_before/$d"
		fi
	done
}
sysctls() { grep -H . /proc/sys/vm/{dirty_bytes,dirty_ratio,dirty_background_bytes,dirty_background_ratio,vfs_cache_pressure,swappiness}; }
sysctls >sysctl.before

# as_before PID DEVICES DISKSEQS: nothing of that session is left. WHEN is what failures say.
WHEN=
fail_now() { fail "$1 ($WHEN)"; }
as_before()
{
	local d
	sysctls >sysctl.now
	diff sysctl.before sysctl.now >&9 || fail_now "a sysctl"
	! scratch_loop >/dev/null || fail_now "a loop device: $(scratch_loop)"
	for d in $2; do
		# Somebody else may have taken it meanwhile.
		if [ -e "$queues_before/$d" ] && [ ! -e "/sys/block/$d/loop/backing_file" ]; then
			queue "$d" >queue.now
			[ -e "/sys/block/$d/loop/backing_file" ] || diff "$queues_before/$d" queue.now >&9 || fail_now "the queue of $d"
		fi
	done
	# Numbers of disks are given once in a boot.
	for d in $3; do
		! grep -lx "$d" /sys/block/*/diskseq 2>/dev/null | grep -v /loop >&9 || fail_now "a disk, number $d"
	done
	! grep "$PWD" /proc/self/mountinfo >&9 || fail_now "a mount"
	d=$(find /sys/fs/cgroup -maxdepth 6 -type d -name "fstrial-$1-*" 2>/dev/null)
	[ -z "$d" ] || fail_now "a group: $d"
	! ls fstrial-*.img >&9 2>/dev/null || fail_now "an image"
	[ -z "$(journals)" ] || fail_now "a journal"
}

# kill_group: the session with all processes of its group; its step processes have their own and die with it.
kill_group()
{
	local journal
	ended=
	kill -KILL -- "-$PID" 2>/dev/null || ended=yes
	wait "$PID" 2>/dev/null || true
	for journal in $(journals); do
		# Held until the last of them is gone.
		flock -w 30 "$journal" true || fail "a process was left"
	done
}

start() # ARG...: fstrial run in a process group of its own
{
	setsid "$BUILD/fstrial" run --quiet "$@" >table 2>err &
	PID=$!
	cleanup_fn stop_bg "$PID"
}

# recovered WHAT: after the kill.
recovered()
{
	local names="" seqs="" journal
	for journal in $(journals); do
		names="$names $(devices_of "$journal")"
		seqs="$seqs $(diskseqs_of "$journal")"
	done
	WHEN=$1
	fstrial recover >rec 2>&1 || { show_file rec; fail_now "recover"; }
	as_before "$PID" "$names" "$seqs"
}

# ---- moments that are known ----------------------------------------------------------------------

write_job long 'on = "plain"; fs = "xfs";' ',
	{ workload = "sequential"; rw = "write"; size = "32MiB"; bs = "1MiB"; runtime = "20s"; end_fsync = true; }'
attached() { scratch_loop >/dev/null; }
mounted() { scratch_place >/dev/null; }
working() { p=$(scratch_place) && [ -e "$p/data.0.0" ]; }
n=0
for moment in attached mounted working; do
	n=$((n + 1))
	queues_save
	start --out out$n long.job
	wait_for 60 $moment || { show_file err; fail "never $moment"; }
	kill_group
	assert_exit 5 fstrial run --out never long.job >/dev/null 2>err
	assert_contains err "fstrial recover"
	recovered "when $moment"
	assert_contains rec "put back: scratch image"
	# What was written so far is readable.
	[ $moment != working ] || fstrial show out$n >/dev/null || fail "show cannot read what was written"
	rm -rf out$n
done
assert_exit 0 fstrial recover >rec 2>&1
assert_contains rec "nothing to recover"

# ---- random moments ------------------------------------------------------------------------------

write_job all 'on = "plain"; fs = "ext4";' ',
	{ workload = "sequential"; rw = "write"; size = "8MiB"; bs = "1MiB"; runtime = "100ms"; end_fsync = true; }'
now_ms() { date +%s%3N; }
declare -A whole
kinds=(plain loop)
[ ! -e /sys/class/zram-control/hot_add ] || kinds+=(zram)
for kind in "${kinds[@]}"; do
	queues_save
	begin=$(now_ms)
	start --set "on=$kind" --out "out-$kind" all.job
	wait "$PID" || { show_file err; fail "$kind does not run to its end"; }
	whole[$kind]=$(($(now_ms) - begin))
	as_before "$PID" "$(grep -ohE '/dev/loop[0-9]+' "out-$kind/result.json" | sed 's,/dev/,,' | sort -u)" ""
	rm -rf "out-$kind"
done
RANDOM=$SEED
undone=0
for ((i = 0; i < KILLS; i++)); do
	kind=${kinds[RANDOM % ${#kinds[@]}]}
	ms=$(((RANDOM * 32768 + RANDOM) % whole[$kind]))
	queues_save
	start --set "on=$kind" --out out all.job
	sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
	kill_group
	recovered "SEED=$SEED, number $i, $kind after $ms ms"
	! grep -q "put back" rec || undone=$((undone + 1))
	# It was over before: a quieter machine now.
	[ -z "$ended" ] || whole[$kind]=$((ms > 200 ? ms : 200))
	rm -rf out
done
# Some come before the first change, or after the last was undone.
[ "$undone" -gt $((KILLS / 3)) ] || fail "only $undone of $KILLS had something to put back"
echo "$KILLS kills from SEED=$SEED, $undone with something to put back"
fstrial run --quiet --out fine all.job >table 2>err || { show_file err; fail "a run after all that"; }
