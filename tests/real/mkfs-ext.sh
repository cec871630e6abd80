#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every group of mke2fs's parameters: bytes that it counts in blocks, shares, features, and nothing lazy.
. "$(dirname "$0")/../helpers.sh"
. "$SRC/tests/helpers-block.sh"
requires_root
requires mkfs.ext4 dumpe2fs

mkfs_variant plain 'fs = "ext4";'
mkfs_variant stripe 'fs = "ext4"; stride = "64KiB"; stripe_width = "256KiB";'
mkfs_variant stripe_1k 'fs = "ext4"; stride = "64KiB"; stripe_width = "256KiB"; block_size = "1KiB";'
mkfs_variant journal 'fs = "ext4"; journal_size = "16MiB"; reserved_percent = 1.5;'
mkfs_variant inodes 'fs = "ext4"; inode_ratio = "64KiB"; inode_size = "512B";'
mkfs_variant count 'fs = "ext4"; inodes = 4096; size = "256MiB"; flex_bg_groups = 8;'
mkfs_variant features 'fs = "ext4"; features = [ "^metadata_csum", "large_dir" ];'
mkfs_variant cluster 'fs = "ext4"; features = "bigalloc"; cluster_size = "64KiB";'
mkfs_variant usage 'fs = "ext4"; usage_type = "news"; uuid = "01234567-89ab-cdef-0123-456789abcdef";'
mkfs_variant lazy 'fs = "ext4"; lazy = true;'
mkfs_variant ext3 'fs = "ext3"; stride = "32KiB"; journal_size = "8MiB";'
mkfs_variant ext2 'fs = "ext2"; reserved_percent = 0;'
mkfs_job 'scratch = "1GiB";' '{ setup = "mount"; options = "noatime"; }'
cat > look.py <<'END'
from made import *
check_asked(lambda name, key, have: key == "usage_type" or (key == "lazy_init" and have is None))
for m in made.values():
    assert m.notes["features"] == ",".join(m.fs["features"])
for name, block in ("stripe", 4096), ("stripe_1k", 1024):
    g = made[name].geometry
    assert (g["block_size"], g["stride"], g["stripe_width"]) == (block, 65536, 262144), g
assert "stride=16,stripe_width=64" in made["stripe"].notes["command"]
assert "stride=64,stripe_width=256" in made["stripe_1k"].notes["command"]
assert made["journal"].geometry["journal_size"] == 16 << 20
assert made["count"].geometry["inodes"] == 4096 and made["count"].geometry["size"] == 256 << 20
assert "metadata_csum" in made["plain"].features and "metadata_csum" not in made["features"].features
assert "large_dir" in made["features"].features and made["cluster"].geometry["cluster_size"] == 65536
# Inode tables are written by mkfs unless they are asked to be written later.
assert made["plain"].fs["lazy_groups"] == 0 and made["plain"].in_force["lazy_init"] == "false"
assert made["ext2"].fs["type"] == "ext2" and made["ext3"].fs["type"] == "ext3"
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
