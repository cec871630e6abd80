#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Device-mapper targets over a device: what they do to I/O is seen, tables are read back, nothing stays.
. "$(dirname "$0")/../helpers.sh"
requires dmsetup mkfs.ext4
in_guest --disks 1 --size 64M

disk=${DISKS#/dev/}
nothing_left()
{
	[ -z "$(dmsetup ls 2>/dev/null | grep -v '^No devices')" ] || fail "a mapped device was left"
}

cat >dm.job <<'END'
job = "dm";
vars = { disk = "none"; };
target = { device = "/dev/${disk}"; destroy = "${disk}"; };
repeats = 1;
matrix = { type = ["none", "delay", "flakey", "error", "linear"]; };
steps = (
	{ setup = "dm"; when = "type == delay"; type = "delay"; read_delay = "0s"; write_delay = "20ms"; },
	{ setup = "dm"; when = "type == flakey"; type = "flakey"; up = "0s"; down = "1s"; when_down = "error_writes"; },
	{ setup = "dm"; when = "type == error"; type = "error"; error_offset = "4MiB"; error_length = "56MiB"; },
	{ setup = "dm"; when = "type == linear"; type = "linear"; offset = "1MiB"; size = "32MiB"; },
	{ setup = "mkfs"; when = "type != flakey && type != error"; fs = "ext4"; },
	{ setup = "mount"; when = "type != flakey && type != error"; },
	{ workload = "sequential"; when = "type != flakey && type != error"; rw = "write"; size = "1MiB"; bs = "64KiB";
	  direct = true; runtime = "1s"; }
);
END
assert_exit 0 fstrial run --out out --set disk="$disk" dm.job >table 2>log
nothing_left
assert_json out/result.json '
[t["status"] for t in d["trials"]] == ["ok"] * 5 and
all(s["in_force"]["table"] == s["asked"]["table"] and not s["warnings"]
    for t in d["trials"] for s in t["steps"] if s["plugin"] == "dm" and s["status"] == "ok") and
(lambda by: (
    by["linear"]["steps"][0]["in_force"]["table"].endswith(" 2048") and
    " error_writes" in by["flakey"]["steps"][0]["in_force"]["table"] and
    by["error"]["steps"][0]["in_force"]["table"].count("; ") == 2 and
    # a write to the delayed device takes its 20 ms
    by["delay"]["steps"][-1]["latency"]["write"]["min"] >= 20e6))(
        {next(v["values"]["type"] for v in d["variants"] if v["id"] == t["variant"]): t for t in d["trials"]})'
assert_schema out/result.json

# A bad area is one: what is above sees it, and the way back works all the same.
cat >bad.job <<'END'
job = "bad";
vars = { disk = "none"; };
target = { device = "/dev/${disk}"; destroy = "${disk}"; };
repeats = 1;
steps = (
	{ setup = "dm"; type = "error"; error_offset = "0B"; error_length = "1MiB"; },
	{ setup = "mkfs"; fs = "ext4"; }
);
END
assert_exit 1 fstrial run --out bad --set disk="$disk" bad.job >table 2>log
assert_contains log "Input/output error"
nothing_left

# Somebody holds it: the way back waits, then names him and what to type; recover goes on when he is gone.
cat >held.job <<'END'
job = "held";
vars = { disk = "none"; };
target = { device = "/dev/${disk}"; destroy = "${disk}"; };
repeats = 1;
steps = (
	{ setup = "dm"; type = "linear"; },
	{ setup = "mkfs"; fs = "ext4"; },
	{ setup = "mount"; },
	{ workload = "sequential"; rw = "write"; size = "1MiB"; bs = "64KiB"; runtime = "4s"; time_based = true; }
);
END
fstrial_bg run --out held --set disk="$disk" held.job >table 2>log
there() { grep -q "/run/fstrial" /proc/self/mountinfo; }
wait_for 60 there || fail "nothing was mounted"
exec 7<"$(ls /dev/mapper/fstrial-*)"
status=0
wait "$PID" || status=$?
assert_eq "$status" 1 "exit status with a held device"
grep -q "held by .*(pid $$)" log || { show_file log; fail "the holder is not named"; }
assert_contains log "dmsetup remove fstrial-"
exec 7<&-
assert_exit 0 fstrial recover >rec 2>&1
nothing_left
