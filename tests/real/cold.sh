#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cold = true: a real umount and mount before a workload, with the same options, whatever kills the session.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs mkfs.ext4

cat > cold.job <<'END'
job = "cold";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
order = "listed";
matrix = { fs = [ "xfs", "ext4" ]; };
global = { size = "48MiB"; bs = "1MiB"; };
steps = (
	{ setup = "mkfs"; fs = "${fs}"; },
	{ setup = "mount"; options = "noatime"; },
	{ setup = "readahead"; size = "256KiB"; },
	{ workload = "sequential"; name = "write"; rw = "write"; end_fsync = true; },
	{ workload = "sequential"; name = "warm"; rw = "read"; },
	{ workload = "sequential"; name = "cold"; rw = "read"; cold = true; },
	{ workload = "sequential"; name = "again"; rw = "read"; },
	{ parallel = ( { workload = "sequential"; name = "p1"; rw = "read"; cold = true; size = "16MiB"; },
		       { workload = "sequential"; name = "p2"; rw = "read"; size = "16MiB"; } );
	  shared_files = true; },
	{ workload = "metadata"; name = "files"; phases = ["create", "stat"]; files = 500; size = "4KiB"; phase_time = "200ms"; cold = true; }
);
END

fstrial check cold.job >/dev/null
assert_exit 0 fstrial run --out cold cold.job >table 2>log
assert_schema cold/result.json
cat > look.py <<'END'
import json
d = json.load(open("cold/result.json"))
for t in d["trials"]:
    step = {s["name"]: s for s in t["steps"]}
    # By mincore: nothing of the file was there. (Where it should be, others may have emptied the page cache.)
    assert step["cold"]["data"]["resident_before"] == 0 and step["cold"]["data"]["cache"] == "cold", step["cold"]["data"]
    assert step["cold"]["data"]["laid_out_bytes"] == 0, "the file of an earlier step was not there"
    for name in ("cold", "p1", "p2", "files"):
        assert step[name]["cold"]["by"] == "remount" and step[name]["cold"]["elapsed_ns"] > 0, step[name]
    for name in ("write", "warm", "again", "mount"):
        assert step[name]["cold"] is None
    # All of a group begin cold together.
    assert step["p2"]["cold"] == step["p1"]["cold"]
    # What is in force was read again, of the mount that is there now.
    assert step["mount"]["in_force"]["option.noatime"] == "yes" and step["mount"]["warnings"] == []
    assert step["readahead"]["warnings"] == [], step["readahead"]
    assert "noatime" in t["filesystem"]["mount"]["list"]
END
python3 look.py || fail "not as asked"
# By the kernel's log: each file system was mounted once, and once more for each of three cold starts.
if dmesg >kernel 2>/dev/null; then
	assert_json cold/result.json "all(len([l for l in open('kernel', errors='replace') if t['filesystem']['uuid'] in l
		and re.search(r' Mounting V5 Filesystem | mounted filesystem ', l)]) == 4 for t in d['trials'])"
fi

# Two places, one above the other, are both made again, the upper one read-only as before.
cat > bind.job <<'END'
job = "bind";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
global = { size = "16MiB"; bs = "1MiB"; };
steps = (
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; options = "rw,noatime"; },
	{ workload = "sequential"; name = "write"; rw = "write"; end_fsync = true; },
	{ setup = "mount"; name = "view"; bind = true; options = "ro,nodev"; },
	{ workload = "sequential"; name = "read"; rw = "read"; cold = true; },
	{ workload = "sequential"; name = "denied"; rw = "write"; overwrite = true; cold = true; }
);
END
assert_exit 1 fstrial run --out bind bind.job >table 2>log
assert_json bind/result.json "[s['status'] for s in d['trials'][0]['steps']] == ['ok'] * 5 + ['failed']"
assert_json bind/result.json "d['trials'][0]['steps'][5]['errno'] == 'EROFS'"
assert_json bind/result.json "d['trials'][0]['steps'][4]['data']['cache'] == 'cold'"
assert_json bind/result.json "d['trials'][0]['steps'][1]['in_force']['option.rw'] == 'yes'
	and d['trials'][0]['steps'][3]['in_force']['option.ro'] == 'yes'
	and d['trials'][0]['steps'][3]['in_force']['option.nodev'] == 'yes'
	and all(s['warnings'] == [] for s in d['trials'][0]['steps'] if s['kind'] == 'setup')"

# In a directory the mount is left out, and with it the cold start: the workload says so.
mkdir here
cat > here.job <<'END'
job = "here";
repeats = 1;
global = { size = "4MiB"; bs = "1MiB"; };
steps = (
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; },
	{ workload = "sequential"; name = "write"; rw = "write"; },
	{ workload = "sequential"; name = "read"; rw = "read"; cold = true; }
);
END
assert_exit 0 fstrial run --directory here --out in-here here.job >table 2>log
assert_json in-here/result.json "[s['status'] for s in d['trials'][0]['steps']] == ['skipped'] * 2 + ['ok'] * 2
	and any('in a directory nothing is unmounted' in w for w in d['trials'][0]['steps'][3]['warnings'])
	and d['trials'][0]['steps'][3]['cold'] is None"

# Somebody holds the file system: the step fails and names who, everything is put back all the same.
cat > held.job <<'END'
job = "held";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 2;
global = { size = "4MiB"; bs = "1MiB"; };
steps = (
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; },
	{ workload = "sequential"; name = "write"; rw = "write"; end_fsync = true; },
	{ setup = "exec"; argv = [ "sleep", "1000" ]; background = true; },
	{ workload = "sequential"; name = "read"; rw = "read"; cold = true; }
);
END
assert_exit 1 fstrial run --out held held.job >table 2>log
assert_json held/result.json "d['session']['status'] == 'complete' and len(d['trials']) == 2
	and all(t['status'] == 'failed' and t['steps'][-1]['errno'] == 'EBUSY' and t['steps'][-1]['cold'] is None
	and re.search(r'mounting again before it: .*held by .*sleep', t['reason']) for t in d['trials'])"

# SIGKILL while nothing is mounted, in between, and while it is again.
cat > killed.job <<'END'
job = "killed";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 50;
global = { size = "4MiB"; bs = "1MiB"; };
steps = (
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; },
	{ workload = "sequential"; name = "w"; rw = "write"; },
END
for i in $(seq 30); do
	echo "	{ workload = \"sequential\"; name = \"r$i\"; rw = \"read\"; cold = true; }$([ "$i" = 30 ] || echo ,)"
done >>killed.job
echo ');' >>killed.job
state()
{
	grep ' /run/fstrial/' /proc/self/mountinfo | grep -c "$PWD" || true
	scratch_loop || true
	ls fstrial-*.img 2>/dev/null || true
}
mounted() { scratch_place >/dev/null; }
between() { [ -n "$(scratch_loop)" ] && ! mounted; }
state >before
for moment in between mounted between mounted between; do
	rm -rf out
	fstrial_bg run --out out killed.job >table 2>log
	wait_for 20 mounted || fail "never mounted"
	wait_for 20 $moment || fail "never $moment"
	kill -KILL "$PID"
	wait "$PID" 2>/dev/null || true
	wait_for 10 sh -c "! pgrep -f '$PWD/[f]strial|killed[.]job' >/dev/null" || fail "a process was left"
	assert_exit 0 fstrial recover >rec 2>&1
	state >after
	diff before after || fail "not as before (killed when $moment)"
done
assert_exit 0 fstrial recover >rec 2>&1
