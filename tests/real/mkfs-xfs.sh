#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every group of mkfs.xfs's parameters: what was asked for in bytes is read back in the same bytes.
. "$(dirname "$0")/../helpers.sh"
. "$SRC/tests/helpers-block.sh"
requires_root
requires mkfs.xfs xfs_db

mkdir -p prefix/sbin prefix/share/xfsprogs/mkfs
ln -s "$(command -v mkfs.xfs)" prefix/sbin/mkfs.xfs
printf '# older defaults\n[metadata]\nbigtime=0\n\ninobtcount=0\n' > prefix/share/xfsprogs/mkfs/old.conf

xfs() { mkfs_variant "$1" "fs = \"xfs\"; $2"; }
xfs plain ''
xfs su 'su = "64KiB"; sw = 4;'
xfs sunit 'sunit = "32KiB"; swidth = "96KiB";'
xfs agcount 'agcount = 8;'
xfs agsize 'agsize = "256MiB";'
xfs log 'log_size = "96MiB"; log_su = "32KiB"; log_version = 2; log_agnum = 1; lazy_count = 1;'
xfs sizes 'sector_size = "4KiB"; inode_size = "1KiB"; naming_size = "16KiB"; size = "384MiB"; maxpct = 10;'
xfs block 'block_size = "2KiB"; '
xfs off 'reflink = 0; bigtime = 0; inobtcount = 0; finobt = 0; sparse = 0;'
xfs on 'rmapbt = 1; crc = 1; ftype = 1; projid32bit = 1; attr = 2; nrext64 = 1; naming_version = "2";'
xfs uuid 'uuid = "01234567-89ab-cdef-0123-456789abcdef"; label = "other";'
xfs old 'config = "old"; program = "prefix/sbin/mkfs.xfs";'
xfs more 'features = [ "perblock=4" ]; discard = false; options = "-i maxpct=12";'
mkfs_job 'scratch = "2GiB";' '{ setup = "mount"; options = "noatime"; }'
cat > look.py <<'END'
from made import *
check_asked()
for m in made.values():
    assert m.notes["features"] == ",".join(m.fs["features"]) and "mkfs.xfs -f" in m.notes["command"]
def geometry(name):
    return made[name].geometry
assert made["su"].asked["su"] == "65536" and geometry("su")["sunit"] == 65536 and geometry("su")["swidth"] == 262144
assert made["sunit"].asked["swidth"] == "98304" and geometry("sunit")["sunit"] == 32768
assert "sunit=64,swidth=192" in made["sunit"].notes["command"]
assert geometry("agcount")["agcount"] == 8 and geometry("agsize")["agsize"] == 256 << 20
assert geometry("log")["log_size"] == 96 << 20 and geometry("log")["log_sunit"] == 32768
assert geometry("log")["log_start_agno"] == 1 and geometry("log")["log_version"] == 2
assert geometry("sizes")["sector_size"] == 4096 and geometry("sizes")["data_size"] == 384 << 20
assert geometry("block")["block_size"] == 2048
assert not made["off"].features & {"reflink", "bigtime", "inobtcount", "finobt", "sparse"}
assert made["on"].features >= {"rmapbt", "crc", "ftype", "nrext64"}
assert made["uuid"].fs["uuid"] == "01234567-89ab-cdef-0123-456789abcdef" and made["uuid"].fs["label"] == "other"
# A file of pinned defaults, found by its name where the program has such files.
assert not made["old"].features & {"bigtime", "inobtcount"} and "bigtime" in made["plain"].features
assert "old.conf: [metadata] bigtime=0 inobtcount=0" in made["old"].notes["config"]
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
