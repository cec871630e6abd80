#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SIGKILL of a session and all of its processes while arrays, volumes, mapped devices, loops and disks in memory
# are made, used and taken away: recover brings the machine back to what it was. BLOCK_KILLS of them (15, or 6 in a build that
# checks itself), from SEED, each when the undo journal has come to a line by chance, and a moment by chance later.
. "$(dirname "$0")/../helpers.sh"
requires lvm mdadm dmsetup wipefs mkfs.ext4
in_guest --disks 2 --size 48M --timeout 285

. "$SRC/tests/helpers-block.sh"
KILLS=${BLOCK_KILLS:-$(is_instrumented && echo 6 || echo 15)}
seed=${SEED:-$RANDOM}
RANDOM=$seed
last_start=230 # seconds: no further kill after that, so that it is said how many there were
export FSTRIAL_STATE_DIR=/run/state # in memory
mkdir -p "$FSTRIAL_STATE_DIR" /run/tool/plugins/{setup,workload,engine}
# The program with no more plugins than are needed: they cost time with each of its processes.
cp "$BUILD/fstrial" /run/tool
cp "$BUILD"/plugins/setup/{md,lvm,dm,mkfs,mount,loop,zram}.so /run/tool/plugins/setup
cp "$BUILD/plugins/workload/sequential.so" /run/tool/plugins/workload
cp "$BUILD/plugins/engine/psync.so" /run/tool/plugins/engine

# write_job NAME ONCE STEP...: two jobs, so that each kill costs half as much.
write_job()
{
	local name=$1 once=$2
	shift 2
	cat >"$name.job" <<-END
		job = "$name";
		target = { devices = [$(quoted "${disks[@]}")]; destroy = [$(quoted "${names[@]}")]; };
		repeats = 1;
		once = ( $once );
		steps = ( $(printf '{ %s },' "$@")
			{ workload = "sequential"; rw = "write"; size = "256KiB"; bs = "64KiB"; } );
	END
}
write_job stack '{ setup = "md"; level = "0"; chunk = "64KiB"; }' \
	'setup = "lvm"; layout = "linear"; extent_size = "1MiB";' \
	'setup = "mkfs"; fs = "ext4";' 'setup = "mount";'
write_job parts '' \
	'setup = "dm"; type = "delay"; write_delay = "1ms";' \
	'setup = "mkfs"; fs = "ext4";' 'setup = "mount";' 'setup = "loop"; size = "8MiB";' \
	'setup = "zram"; size = "8MiB";' 'setup = "mkfs"; name = "mkfs-2"; fs = "ext4";' \
	'setup = "mount"; name = "mount-2";'

# journal_at LINE: until the journal of the session PID has so many lines; LINES is the most that was seen.
LINES=0
journal_at()
{
	local journal text
	while kill -0 "$PID" 2>/dev/null; do
		journal=("$FSTRIAL_STATE_DIR"/*.undo)
		mapfile -t text 2>/dev/null <"${journal[0]}" || text=()
		[ ${#text[@]} -le "$LINES" ] || LINES=${#text[@]}
		[ ${#text[@]} -lt "$1" ] || return 0
		sleep 0.1
	done
}
session() # NAME
{
	rm -rf out
	setsid /run/tool/fstrial run --out out "$1.job" >table 2>log &
	PID=$!
}

# Tools die with their session, or are done in a moment.
gone() { ! pgrep -f '[.]job$|(^|/)(lvm|mdadm|dmsetup|mkfs[.a-z0-9]*) ' >/dev/null; }
blocks() { echo /sys/block/*; }

modprobe zram num_devices=1 # one that is somebody else's
declare -A lines
for name in stack parts; do
	LINES=0
	session $name
	journal_at 1000
	wait "$PID" || { show_file log; show_file table; fail "$name without a kill"; }
	clean
	assert_json out/result.json 'all(s["status"] == "ok" for s in d["trials"][0]["steps"])'
	[ "$LINES" -ge 8 ] || fail "$name: only $LINES lines of the journal were seen"
	lines[$name]=$LINES
	echo "$SECONDS $name: $LINES lines"
done
before=$(blocks)

kills=0 useful=0
while [ $kills -lt "$KILLS" ] && [ $SECONDS -lt $last_start ]; do
	[ $((kills % 2)) = 0 ] && name=stack || name=parts
	line=$((1 + RANDOM % (lines[$name] - 2))) after=0.$((RANDOM % 4))$((RANDOM % 10))
	WHEN="kill $((kills + 1)), $name at line $line and $after s, seed $seed"
	session $name
	journal_at $line
	sleep $after
	kill -KILL -- "-$PID" 2>/dev/null || { wait "$PID" || true; echo "$SECONDS too late: $WHEN"; clean; continue; }
	wait "$PID" 2>/dev/null || true
	kills=$((kills + 1))
	wait_for 20 gone || fail "a process was left ($WHEN)"
	/run/tool/fstrial recover >rec 2>&1 || { show_file log; show_file rec; fail "recover ($WHEN)"; }
	[[ $(<rec) != *"put back:"* ]] || useful=$((useful + 1))
	clean
	assert_eq "$(blocks)" "$before" "disks ($WHEN)"
	[[ $(</proc/self/mountinfo) != *" /run/fstrial"* ]] || fail "a mount was left ($WHEN)"
	echo "$SECONDS $WHEN: $(grep -c 'put back' rec) put back"
done
echo "$kills kills, $useful with something to put back, seed $seed"
[ $kills -ge "$KILLS" ] || fail "no time for more than $kills of $KILLS kills"
[ $((useful * 2)) -gt $kills ] || fail "only $useful of $kills kills left something to put back"
