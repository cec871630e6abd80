#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Options of mount: in force as asked, refused with the kernel's reason, or taken and not in force: a warning with both.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs mkfs.ext4

names=() steps=
# option NAME FS OPTIONS [MKFS]
option()
{
	names+=("$1")
	steps+="	{ setup = \"mkfs\"; name = \"m_$1\"; when = \"what == $1\"; fs = \"$2\"; ${4:-} },
	{ setup = \"mount\"; name = \"$1\"; when = \"what == $1\"; options = \"$3\"; },
"
}
# As asked, without a warning.
option plain xfs ''
option common xfs 'noatime,nodiratime,nosuid,logbufs=4,logbsize=64k,allocsize=1m,inode32,wsync,nodiscard'
option read_only xfs 'ro,norecovery'
option aligned xfs 'sunit=128,swidth=512,largeio,swalloc,lazytime' 'su = "64KiB"; sw = 2;'
option strict ext4 'strictatime,data=writeback,commit=30,nobarrier'
option journal ext4 'data=journal,barrier=1,errors=remount-ro,nodelalloc'
option zero ext4 'barrier=0,noatime,stripe=64'
# Taken, and something else is in force.
option dax xfs 'dax=always'
option atime xfs 'atime'
# Refused.
option nobarrier xfs 'nobarrier'
option logbufs xfs 'logbufs=9'
option logbsize xfs 'logbsize=100k'
option sunit xfs 'sunit=128'
option both ext4 'data=journal,delalloc'

cat > options.job <<END
job = "options";
target = { scratch = "1GiB"; scratch_dir = "."; };
repeats = 1;
order = "listed";
matrix = { what = [ $(printf '"%s", ' "${names[@]}" | sed 's/, $//') ]; };
steps = (
${steps%,
}
);
END
assert_exit 1 fstrial run --out out options.job >table 2>log
assert_schema out/result.json
cat > look.py <<'END'
import json, re
d = json.load(open("out/result.json"))
names = {v["id"]: v["values"]["what"] for v in d["variants"]}
t = {names[t["variant"]]: t for t in d["trials"]}
step = {k: [s for s in v["steps"] if s["plugin"] == "mount" and s["status"] != "not run"][-1] for k, v in t.items()}
for name in ("plain", "common", "read_only", "aligned", "strict", "journal", "zero"):
    s = step[name]
    assert t[name]["status"] == "ok" and s["warnings"] == [], (name, t[name]["reason"], s["warnings"])
    for key, value in s["asked"].items():
        assert s["in_force"].get(key) == value, (name, key, s["in_force"])
    assert s["notes"].get("kernel_log"), (name, s["notes"])
assert "ro" in t["read_only"]["filesystem"]["mount"]["list"]
assert step["strict"]["in_force"]["option.data"] == "writeback" and step["zero"]["in_force"]["option.barrier"] == "0"
def warned(name, text):
    assert t[name]["status"] == "ok" and any(text in w for w in step[name]["warnings"]), (name, step[name]["warnings"])
warned("dax", "option.dax: asked for always, in force is never")
warned("atime", "option.atime: asked for yes, in force is relatime")
def refused(name, pattern):
    assert t[name]["status"] == "failed" and re.search(pattern, t[name]["reason"]), (name, t[name]["reason"])
refused("nobarrier", "option nobarrier: .*Unknown parameter")
refused("logbufs", "logbufs.*9")
refused("logbsize", "logbufsize|logbsize")
refused("sunit", "sunit and swidth")
refused("both", "delalloc")
END
python3 look.py || fail "not as asked"
# What differs is in the table, with both values.
assert_contains table "in force is never"

# In `remount`, `bind` and the like nothing is asked of the target's device.
cat > words.job <<'END'
job = "words";
steps = (
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; name = "one"; options = "remount,ro"; },
	{ setup = "mount"; name = "two"; options = "noatime=1"; },
	{ setup = "mount"; name = "three"; bind = true; options = "ro,logbufs=8"; }
);
END
assert_exit 2 fstrial run --out words words.job >table 2>err
for word in remount 'noatime takes no value' 'logbufs is for the whole file system'; do
	assert_contains err "$word"
done
