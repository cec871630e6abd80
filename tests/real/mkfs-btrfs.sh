#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# btrfs: profiles, sizes and features as they were asked for, on one device of the target and on two.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.btrfs
grep -qw btrfs /proc/filesystems || skip "the kernel has no btrfs"

cat > all.job <<'END'
job = "all";
target = { scratch = "600MiB"; count = 2; scratch_dir = "."; };
repeats = 1;
order = "listed";
matrix = { what = [ "plain", "single", "nodes", "sums", "striped" ]; };
steps = (
	{ setup = "mkfs"; name = "m1"; when = "what == plain"; fs = "btrfs"; },
	{ setup = "mkfs"; name = "m2"; when = "what == single"; fs = "btrfs"; data = "single"; metadata = "dup"; size = "512MiB"; },
	{ setup = "mkfs"; name = "m3"; when = "what == nodes"; fs = "btrfs"; node_size = "32KiB"; sector_size = "4KiB";
	  features = [ "^no-holes" ]; label = "other"; discard = false; },
	{ setup = "mkfs"; name = "m4"; when = "what == sums"; fs = "btrfs"; checksum = "sha256";
	  uuid = "01234567-89ab-cdef-0123-456789abcdef"; metadata = "single"; },
	{ setup = "mkfs"; name = "m5"; when = "what == striped"; fs = "btrfs"; devices = [ "target.2" ]; data = "raid0"; metadata = "raid1"; },
	{ setup = "mount"; options = "noatime"; },
	{ workload = "sequential"; rw = "write"; size = "32MiB"; bs = "1MiB"; end_fsync = true; },
	{ workload = "sequential"; name = "read"; rw = "read"; size = "32MiB"; bs = "1MiB"; cold = true; }
);
END
assert_exit 0 fstrial run --out all all.job >table 2>log
assert_schema all/result.json
cat > look.py <<'END'
import json
d = json.load(open("all/result.json"))
names = {v["id"]: v["values"]["what"] for v in d["variants"]}
made = {}
for t in d["trials"]:
    step = t["steps"][0] if t["steps"][0]["plugin"] == "mkfs" else None
    made[names[t["variant"]]] = (step, t["filesystem"])
    assert step["warnings"] == [], step["warnings"]
    for key, value in step["asked"].items():
        assert step["in_force"].get(key) == value, (names[t["variant"]], key, value, step["in_force"])
    assert t["filesystem"]["type"] == "btrfs" and t["filesystem"]["size_bytes"] > 0
    assert t["steps"][-1]["data"]["cache"] == "cold", t["steps"][-1]["data"]
    assert step["notes"]["tool_version"]
g = {k: v[1]["geometry"] for k, v in made.items()}
assert g["single"]["data_profile"] == "single" and g["single"]["metadata_profile"] == "dup"
assert g["single"]["size"] == 512 << 20
assert g["nodes"]["node_size"] == 32768 and "no-holes" not in made["nodes"][1]["features"]
assert "no-holes" in made["plain"][1]["features"] and g["sums"]["checksum"] == "sha256"
assert g["striped"]["devices"] == 2 and g["striped"]["data_profile"] == "raid0"
assert g["striped"]["metadata_profile"] == "raid1" and g["plain"]["devices"] == 1
END
python3 look.py || fail "not as asked"
