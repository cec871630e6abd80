#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every group of mke2fs's parameters: bytes that it counts in blocks, shares, features, and nothing lazy.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.ext4 dumpe2fs

groups=()
steps=
group()
{
	groups+=("\"$1\"")
	steps+="	{ setup = \"mkfs\"; name = \"mkfs_$1\"; when = \"what == $1\"; $2 },
"
}
group plain 'fs = "ext4";'
group stripe 'fs = "ext4"; stride = "64KiB"; stripe_width = "256KiB";'
group stripe_1k 'fs = "ext4"; stride = "64KiB"; stripe_width = "256KiB"; block_size = "1KiB";'
group journal 'fs = "ext4"; journal_size = "16MiB"; reserved_percent = 1.5;'
group inodes 'fs = "ext4"; inode_ratio = "64KiB"; inode_size = "512B";'
group count 'fs = "ext4"; inodes = 4096; size = "256MiB"; flex_bg_groups = 8;'
group features 'fs = "ext4"; features = [ "^metadata_csum", "large_dir" ];'
group cluster 'fs = "ext4"; features = "bigalloc"; cluster_size = "64KiB";'
group usage 'fs = "ext4"; usage_type = "news"; uuid = "01234567-89ab-cdef-0123-456789abcdef";'
group lazy 'fs = "ext4"; lazy = true;'
group ext3 'fs = "ext3"; stride = "32KiB"; journal_size = "8MiB";'
group ext2 'fs = "ext2"; reserved_percent = 0;'

cat > all.job <<END
job = "all";
target = { scratch = "1GiB"; scratch_dir = "."; };
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
    assert step["warnings"] == [], (names[t["variant"]], step["warnings"], t["filesystem"])
    for key, value in step["asked"].items():
        have = step["in_force"].get(key)
        if key == "usage_type" or (key == "lazy_init" and have is None):
            continue
        assert have == value, (names[t["variant"]], key, value, step["in_force"])
    assert step["notes"]["features"] == ",".join(t["filesystem"]["features"])
def geometry(name):
    return made[name][1]["geometry"]
for name, block in ("stripe", 4096), ("stripe_1k", 1024):
    g = geometry(name)
    assert (g["block_size"], g["stride"], g["stripe_width"]) == (block, 65536, 262144), g
assert "stride=16,stripe_width=64" in made["stripe"][0]["notes"]["command"]
assert "stride=64,stripe_width=256" in made["stripe_1k"][0]["notes"]["command"]
assert geometry("journal")["journal_size"] == 16 << 20
assert geometry("count")["inodes"] == 4096 and geometry("count")["size"] == 256 << 20
features = {k: set(v[1]["features"]) for k, v in made.items()}
assert "metadata_csum" in features["plain"] and "metadata_csum" not in features["features"]
assert "large_dir" in features["features"] and geometry("cluster")["cluster_size"] == 65536
# Inode tables are written by mkfs unless they are asked to be written later.
assert made["plain"][1]["lazy_groups"] == 0 and made["plain"][0]["in_force"]["lazy_init"] == "false"
assert made["ext2"][1]["type"] == "ext2" and made["ext3"][1]["type"] == "ext3"
END
python3 look.py || fail "not as asked"

# Bytes that are no whole blocks: the reason names both.
cat > odd.job <<'END'
job = "odd";
target = { scratch = "1GiB"; scratch_dir = "."; };
repeats = 1;
steps = ( { setup = "mkfs"; fs = "ext4"; stride = "6KiB"; } );
END
assert_exit 1 fstrial run --out odd odd.job >table 2>log
assert_json odd/result.json "'stride = 6144 is not a multiple of the block size, 4096 bytes' in d['trials'][0]['reason']"

# The plan says what would be made.
fstrial plan --json all.job >plan
assert_contains plan "makes ext4 with mkfs.ext4: on 1GiB 262144 4k blocks"
