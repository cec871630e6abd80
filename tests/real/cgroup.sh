#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Limits of a control group: a small data set that exceeds the cache, and a rate that is held down.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.ext4 losetup flock

# Whatever ends the test: nothing of a killed session stays.
put_back()
{
	local journal
	for journal in "$FSTRIAL_STATE_DIR"/*.undo; do
		[ ! -e "$journal" ] || flock -w 20 "$journal" true
	done
	fstrial recover >/dev/null 2>&1
}
groups_left() { find /sys/fs/cgroup -maxdepth 6 -type d -name "fstrial-$1-*" 2>/dev/null; }

# A device of our own: nobody else's I/O is counted.
make_loop 512MiB
cleanup_fn put_back
cat >memory.job <<END
job = "memory";
vars = { limit = "1GiB"; };
target = { device = "$LOOP"; destroy = "${LOOP#/dev/}"; overwrite = true; };
repeats = 1;
steps = (
	{ setup = "mkfs"; fs = "ext4"; },
	{ setup = "mount"; options = "noatime"; },
	{ setup = "cgroup"; memory = "\${limit}"; },
	{ workload = "sequential"; name = "first"; rw = "read"; size = "128MiB"; bs = "1MiB"; },
	{ workload = "sequential"; name = "again"; rw = "read"; size = "128MiB"; bs = "1MiB"; }
);
END
cat >rate.job <<END
job = "rate";
target = { device = "$LOOP"; destroy = "${LOOP#/dev/}"; overwrite = true; };
repeats = 1;
order = "listed";
matrix = { limit = ["none", "8MiB"]; };
steps = (
	{ setup = "mkfs"; fs = "ext4"; },
	{ setup = "mount"; options = "noatime"; },
	{ setup = "cgroup"; read_bps = "\${limit}"; when = "limit != none"; },
	{ workload = "sequential"; name = "read"; rw = "read"; size = "64MiB"; bs = "256KiB"; direct = true;
	  runtime = "3s"; }
);
END
grep -qw memory /proc/cgroups || skip "this kernel has no memory controller"

mib_read() { awk '{ printf "%.0f\n", $3 / 2048 }' "/sys/block/${LOOP#/dev/}/stat"; }

# run LIMIT: what was read from the device meanwhile, MiB, in READ.
run_memory()
{
	local before after
	rm -rf out
	before=$(mib_read)
	fstrial run --quiet --set "limit=$1" --out out memory.job >table 2>err || { show_file err; fail "limit $1"; }
	after=$(mib_read)
	READ=$((after - before))
	assert_json out/result.json "d['trials'][0]['steps'][2]['status'] == 'ok'"
}

run_memory 64MiB
limited=$READ
assert_schema out/result.json
assert_json out/result.json "d['trials'][0]['steps'][2]['asked'] == {'memory': str(64 << 20)}"
assert_json out/result.json "d['trials'][0]['steps'][2]['in_force'] == {'memory': str(64 << 20)}"
assert_json out/result.json "int(d['trials'][0]['steps'][2]['notes']['memory_peak']) <= 64 << 20"
assert_json out/result.json "d['trials'][0]['steps'][3]['notes']['cgroup'] == d['trials'][0]['steps'][2]['notes']['group']"
assert_json out/result.json "'cgroup' not in d['trials'][0]['steps'][1]['notes']"
run_memory 1GiB
# The first pass is cold in any case.
[ "$limited" -ge 190 ] || fail "$limited MiB were read within 64 MiB of memory"
[ "$READ" -lt 160 ] || fail "$READ MiB were read within 1 GiB of memory"

fstrial run --quiet --out rate rate.job >table 2>err || { show_file err; fail "rate"; }
rate="[t['steps'][-1]['metrics']['throughput']['value'] for t in d['trials']]"
assert_json rate/result.json "${rate}[1] <= 12 << 20"
assert_json rate/result.json "${rate}[0] > ${rate}[1]"
assert_json rate/result.json "d['trials'][1]['steps'][2]['in_force'] == {'read_bps': str(8 << 20)}"

# A limit that nothing can live in: the step has failed, and it is said why.
status=0
fstrial run --quiet --set limit=1MiB --out oom memory.job >table 2>err || status=$?
if [ $status != 0 ]; then
	assert_json oom/result.json "'SIGKILL' in d['trials'][0]['reason']"
	assert_json oom/result.json "any('too low' in w for w in d['trials'][0]['steps'][2]['warnings'])"
fi

# Of a session that is killed the group is left, and recover removes it.
sed -i 's/name = "again"/name = "again"; runtime = "30s"/' memory.job
fstrial_bg run --quiet --set limit=64MiB --out killed memory.job >table 2>err
# shellcheck disable=SC2329
in_group() { group=$(groups_left "$PID" | head -1); [ -n "$group" ] && grep -q . "$group/cgroup.procs" 2>/dev/null; }
wait_for 60 in_group || fail "no workload was ever in a group"
kill -KILL "$PID"
wait "$PID" 2>/dev/null || true
# Its step process dies with it, and holds the journal until then.
wait_for 20 eval '! grep -q . "$group/cgroup.procs"' || fail "a process was left in the group"
[ -d "$group" ] || fail "the group went by itself"
assert_exit 0 fstrial recover >rec 2>&1
assert_contains rec "put back: cgroup"
[ -z "$(groups_left "$PID")" ] || fail "a group was left: $(groups_left "$PID")"
