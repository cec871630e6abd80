#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Results as tables, from documents that are kept here.
. "$(dirname "$0")/../helpers.sh"

fstrial show "$SRC/tests/json/good-scratch.json" >out
assert_contains out "job         sample: two agcounts"
assert_contains out "trials      4 of 4 (2 variants, 2 repeats): 2 ok, 2 failed"
assert_contains out "file system xfs (rw,noatime)"
grep -Eq '^write.throughput +v01 agcount=2 +2 +101.0 +100.0 +102.0 +101.0 +MiB/s +1.4 %$' out ||
	{ show_file out; fail "no line with the numbers of v01"; }
grep -Eq '^write.throughput +v02 agcount=4000 +0 +- +- +- +- +-$' out ||
	{ show_file out; fail "no line of v02, which has no number"; }
assert_contains out "  v02 r1-r2 mkfs: mkfs.xfs: agsize (67 blocks) too small"
assert_lacks out write.rate
fstrial show --all "$SRC/tests/json/good-scratch.json" >out
assert_contains out write.rate
assert_contains out write.write.p50

fstrial show "$SRC/tests/json/good-directory.json" >out
assert_contains out "PARTIAL"
assert_contains out "target      directory /data/bench"
assert_contains out "  once quiet: needs a device"
assert_contains out "  v01 r1-r2 mkfs: needs a device"
assert_contains out "  v01 r2 seeks: SIGINT"
assert_contains out "ran 0.2 s, too short to trust"
assert_contains out "load average 3.1 at start"

# A directory, and the document itself, unchanged.
mkdir results
cp "$SRC/tests/json/good-scratch.json" results/result.json
fstrial show results >out
assert_contains out "job         sample"
fstrial show --format json results >doc.json
assert_json doc.json 'd == json.load(open("results/result.json"))'

for file in "$SRC"/tests/json/good-*.json; do
	for option in "" --all; do
		fstrial show ${option:+"$option"} "$file" >out
		[ "$(LC_ALL=C.UTF-8 wc -L <out)" -le 100 ] || fail "$file: wider than 100 columns"
		! grep -q ' $' out || fail "$file: blanks at the end of a line"
	done
done

# What is no result is refused with a word about it.
mkdir empty
echo '{}' >other.json
echo '{"format": "fstrial-result/1", ' >broken.json
for path in empty other.json broken.json missing.json; do
	assert_exit 2 fstrial show "$path" >out 2>err
	assert_contains err "$path"
	[ ! -s out ] || fail "$path: something on standard output"
done

# For spreadsheets, mails, and what reads bonnie++.
doc=$SRC/tests/json/good-scratch.json
fstrial show --format csv "$doc" >out
assert_eq "$(head -1 out)" \
	"variant,agcount,repeat,block,step,metric,value,unit,better,status,reason,printed,note"
grep -q '^v01,2,1,1,write,throughput,104857600.0,bytes/s,higher,ok,,,$' out || { show_file out; fail "csv"; }
fstrial show --format md "$doc" >out
assert_contains out "| write.throughput | v01 agcount=2 | 2 | 101.0 | 100.0 | 102.0 | 101.0 | MiB/s | 1.4 % |"
cmp out <(fstrial show --format markdown "$doc")
fstrial show --format bonnie "$doc" >out
grep -Eq '^agcount=2,64M:1M,,,102400,[0-9]*,' out || { show_file out; fail "bonnie"; }
assert_eq "$(tr -cd ',\n' <out | sort -u | wc -L)" 26
# Over all variants, where it is asked for.
fstrial show "$doc" >out
assert_lacks out "all variants"
