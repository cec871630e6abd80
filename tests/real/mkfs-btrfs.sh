#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# btrfs: profiles, sizes and features as they were asked for, on one device of the target and on two.
. "$(dirname "$0")/../helpers.sh"
. "$SRC/tests/helpers-block.sh"
requires_root
requires mkfs.btrfs
grep -qw btrfs /proc/filesystems || skip "the kernel has no btrfs"

btrfs() { mkfs_variant "$1" "fs = \"btrfs\"; $2"; }
btrfs plain ''
btrfs single 'data = "single"; metadata = "dup"; size = "512MiB";'
btrfs nodes 'node_size = "32KiB"; sector_size = "4KiB"; features = [ "^no-holes" ]; label = "other"; discard = false;'
btrfs sums 'checksum = "sha256"; uuid = "01234567-89ab-cdef-0123-456789abcdef"; metadata = "single";'
btrfs striped 'devices = [ "target.2" ]; data = "raid0"; metadata = "raid1";'
mkfs_job 'scratch = "600MiB"; count = 2;' '
	{ setup = "mount"; options = "noatime"; },
	{ workload = "sequential"; rw = "write"; size = "32MiB"; bs = "1MiB"; end_fsync = true; },
	{ workload = "sequential"; name = "read"; rw = "read"; size = "32MiB"; bs = "1MiB"; cold = true; }'
cat > look.py <<'END'
from made import *
check_asked()
for m in made.values():
    assert m.fs["type"] == "btrfs" and m.fs["size_bytes"] > 0
    assert m.steps[-1]["data"]["cache"] == "cold", m.steps[-1]["data"]
g = {k: m.geometry for k, m in made.items()}
assert g["single"]["data_profile"] == "single" and g["single"]["metadata_profile"] == "dup"
assert g["single"]["size"] == 512 << 20
assert g["nodes"]["node_size"] == 32768 and "no-holes" not in made["nodes"].features
assert "no-holes" in made["plain"].features and g["sums"]["checksum"] == "sha256"
assert g["striped"]["devices"] == 2 and g["striped"]["data_profile"] == "raid0"
assert g["striped"]["metadata_profile"] == "raid1" and g["plain"]["devices"] == 1
END
python3 look.py || fail "not as asked"

# What it would make is said before, of one device and of two.
fstrial plan all.job >plan 2>log
tr -s ' \n' ' ' <plan >flat
assert_contains flat "on 600MiB node_size=32KiB sector_size=4KiB "
assert_contains flat "data=RAID0 metadata=RAID1 system=RAID1 checksum=crc32c devices=2"
