#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every group of mkfs.xfs's parameters: what was asked for in bytes is read back in the same bytes.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs xfs_db

mkdir -p prefix/sbin prefix/share/xfsprogs/mkfs
ln -s "$(command -v mkfs.xfs)" prefix/sbin/mkfs.xfs
printf '# older defaults\n[metadata]\nbigtime=0\n\ninobtcount=0\n' > prefix/share/xfsprogs/mkfs/old.conf

groups=()
steps=
# group NAME PARAMETERS: a variant that is made with them
group()
{
	groups+=("\"$1\"")
	steps+="	{ setup = \"mkfs\"; name = \"mkfs_$1\"; when = \"what == $1\"; fs = \"xfs\"; $2 },
"
}
group plain ''
group su 'su = "64KiB"; sw = 4;'
group sunit 'sunit = "32KiB"; swidth = "96KiB";'
group agcount 'agcount = 8;'
group agsize 'agsize = "256MiB";'
group log 'log_size = "96MiB"; log_su = "32KiB"; log_version = 2; log_agnum = 1; lazy_count = 1;'
group sizes 'sector_size = "4KiB"; inode_size = "1KiB"; naming_size = "16KiB"; size = "384MiB"; maxpct = 10;'
group block 'block_size = "2KiB"; '
group off 'reflink = 0; bigtime = 0; inobtcount = 0; finobt = 0; sparse = 0;'
group on 'rmapbt = 1; crc = 1; ftype = 1; projid32bit = 1; attr = 2; nrext64 = 1; naming_version = "2";'
group uuid 'uuid = "01234567-89ab-cdef-0123-456789abcdef"; label = "other";'
group old 'config = "old"; program = "prefix/sbin/mkfs.xfs";'
group more 'features = [ "perblock=4" ]; discard = false; options = "-i maxpct=12";'

cat > all.job <<END
job = "all";
target = { scratch = "2GiB"; scratch_dir = "."; };
repeats = 1;
order = "listed";
matrix = { what = [ $(IFS=,; echo "${groups[*]}") ]; };
steps = (
$steps	{ setup = "mount"; options = "noatime"; }
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
    step = [s for s in t["steps"] if s["plugin"] == "mkfs"][0]
    made[names[t["variant"]]] = (step, t["filesystem"])
    assert step["warnings"] == [], (names[t["variant"]], step["warnings"])
    for key, value in step["asked"].items():
        assert step["in_force"].get(key) == value, (names[t["variant"]], key, value, step["in_force"])
    assert step["notes"]["features"] == ",".join(t["filesystem"]["features"])
    assert "mkfs.xfs -f" in step["notes"]["command"] and step["notes"]["tool_version"]
def asked(name):
    return made[name][0]["asked"]
def geometry(name):
    return made[name][1]["geometry"]
assert asked("su")["su"] == "65536" and geometry("su")["sunit"] == 65536 and geometry("su")["swidth"] == 262144
assert asked("sunit")["swidth"] == "98304" and geometry("sunit")["sunit"] == 32768
assert "sunit=64,swidth=192" in made["sunit"][0]["notes"]["command"]
assert geometry("agcount")["agcount"] == 8 and geometry("agsize")["agsize"] == 256 << 20
assert geometry("log")["log_size"] == 96 << 20 and geometry("log")["log_sunit"] == 32768
assert geometry("log")["log_start_agno"] == 1 and geometry("log")["log_version"] == 2
assert geometry("sizes")["sector_size"] == 4096 and geometry("sizes")["data_size"] == 384 << 20
assert geometry("block")["block_size"] == 2048
features = {k: set(v[1]["features"]) for k, v in made.items()}
assert not features["off"] & {"reflink", "bigtime", "inobtcount", "finobt", "sparse"}
assert features["on"] >= {"rmapbt", "crc", "ftype", "nrext64"}
assert made["uuid"][1]["uuid"] == "01234567-89ab-cdef-0123-456789abcdef" and made["uuid"][1]["label"] == "other"
# A file of pinned defaults, found by its name where the program has such files.
assert not features["old"] & {"bigtime", "inobtcount"} and "bigtime" in features["plain"]
assert "old.conf: [metadata] bigtime=0 inobtcount=0" in made["old"][0]["notes"]["config"]
assert geometry("more")["imaxpct"] == 12
END
python3 look.py || fail "not as asked"

# What the tool rounds or changes is a warning with both values.
cat > rounded.job <<'END'
job = "rounded";
target = { scratch = "2GiB"; scratch_dir = "."; };
repeats = 1;
steps = ( { setup = "mkfs"; fs = "xfs"; agsize = "104861696B"; su = "64KiB"; sw = 3; } );
END
assert_exit 0 fstrial run --out rounded rounded.job >table 2>log
assert_json rounded/result.json "any(re.search('^agsize: asked for 104861696, in force is [0-9]+$', w)
	for w in d['trials'][0]['steps'][0]['warnings'])"
assert_contains table "in force is"

# The plan says what would be made of each, in bytes.
fstrial plan --json all.job >plan
assert_contains plan "sunit=64KiB swidth=256KiB"
assert_contains plan "sunit=32KiB swidth=96KiB"
assert_contains plan "log_size=96MiB log_su=32KiB"
assert_contains plan "mounts it with noatime"

# A number without a unit, and sizes that cannot be, before anything is touched.
cat > units.job <<'END'
job = "units";
target = { scratch = "2GiB"; scratch_dir = "."; };
steps = (
	{ setup = "mkfs"; fs = "xfs"; sunit = 128; swidth = "512"; log_size = 100; },
	{ setup = "mkfs"; name = "odd"; fs = "xfs"; sunit = "1000"; }
);
END
assert_exit 2 fstrial run --out units units.job >table 2>err
for line in 4:mkfs:\ sunit 4:mkfs:\ swidth 4:mkfs:\ log_size 5:odd:\ sunit; do
	grep -q "^units.job:${line%%:*}: ${line#*:}" err || { show_file err; fail "nothing of $line"; }
done
[ ! -e units ] || fail "a results directory was made"
