#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two configurations of mkfs.xfs make two file systems: compare names the features that differ, before any verdict.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs xfs_info

# As lts_5.10.conf and lts_6.1.conf of xfsprogs have it; these themselves are not taken by every mkfs.xfs they come with.
printf '[metadata]\nbigtime=0\ninobtcount=0\nfinobt=1\nreflink=1\n[inode]\nsparse=1\n' >lts_5.10.conf
printf '[metadata]\nbigtime=1\ninobtcount=1\nfinobt=1\nreflink=1\n[inode]\nsparse=1\n' >lts_6.1.conf

cat >configs.job <<'END'
job = "configs";
target = { scratch = "512MiB"; };
repeats = 1;
canaries = false;
vars = { conf = "lts_5.10.conf"; };
steps = (
  { setup = "mkfs"; fs = "xfs"; config = "CONFS/${conf}"; },
  { setup = "mount"; },
  { workload = "synthetic"; }
);
END
sed -i "s|CONFS|$PWD|" configs.job
assert_exit 0 fstrial run --quiet --seed 1 --out old configs.job >out
assert_exit 0 fstrial run --quiet --seed 2 --out new --set conf=lts_6.1.conf configs.job >out
# What the configurations themselves say differs between them, as far as the file systems have it.
/usr/bin/python3 - <<'END' >want
import json
def features(path):
    return set(json.load(open(path))["trials"][0]["filesystem"]["features"])
old, new = features("old/result.json"), features("new/result.json")
assert old != new, old
words = [*(f for f in sorted(new - old)), *("no " + f for f in sorted(old - new))]
print("\n".join(words))
END
assert_exit 4 fstrial compare old new >out
tr -s ' \n' ' ' <out >flat
assert_contains flat "file system's features: "
while read -r word; do
	assert_contains flat "$word"
done <want
assert_lacks out SUSPECT
assert_lacks out INCONCLUSIVE
# Insisted on, they come first all the same.
fstrial compare --force old new >out && fail "one repeat is no verdict"
[ "$(grep -n "features" out | head -n1 | cut -d: -f1)" -lt "$(grep -n "^INCONCLUSIVE\|^SUSPECT" out | head -n1 | cut -d: -f1)" ] ||
	fail "a verdict before the features"
assert_exit 3 fstrial compare --force old old >out
assert_lacks out features
