#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fstrial compare: verdicts and exit codes, by parameters and not by names, and what makes results incomparable.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3

# 24 variants x 5 repeats about 1000 with 2 % noise, changed by the statements.
# What is said in several lines, in one.
flat() { tr -s " \n" " " <out >flat; }
doc() { /usr/bin/python3 "$SRC/tests/make_result.py" "$@"; }
doc base.json 1
doc same.json 2 "o.kernel = '6.12.0'"
doc loss.json 3 "o.loss = lambda v: 0.15 if v['x'] == 0 else 0; o.step = 'renamed'"
doc gain.json 4 "o.loss = lambda v: -0.15"
doc few.json 5 "o.n = 3; o.loss = lambda v: 0.3"
doc steady.json 8 "o.noise = 0.01"
doc small.json 6 "o.loss = lambda v: 0.03; o.noise = 0.01"
doc other.json 7 "o.agcount = 8; o.loss = lambda v: 0.15 if v['x'] == 0 else 0"
assert_schema loss.json

assert_exit 0 fstrial compare base.json base.json >out
assert_contains out "24 same"
assert_exit 0 fstrial compare base.json same.json --allow-inconclusive >out
assert_contains out "kernel: 6.1.0 -> 6.12.0"
assert_contains out "0 regressed"
# One cell among many is named, first, whatever the steps are called, and not averaged away.
assert_exit 1 fstrial compare base.json loss.json >out
assert_contains out "1 regressed"
assert_eq "$(sed -n '/^verdict/{n;p}' out | awk '{print $1, $3}')" "REGRESSED x=0"
# A large improvement with a small spread is one, and a good exit.
assert_exit 0 fstrial compare base.json gain.json >out
assert_contains out "24 improved"
assert_exit 1 fstrial compare gain.json base.json >out
assert_contains out "24 regressed"
# Too few repeats give no verdict, however large the change.
assert_exit 3 fstrial compare base.json few.json >out
assert_contains out "too few repeats"
assert_lacks out "REGRESSED"
assert_exit 3 fstrial compare few.json base.json >out
assert_lacks out "IMPROVED"
# What would settle it is no fewer than a verdict needs.
doc two.json 5 "o.n = 2; o.noise = 0.03"
assert_exit 3 fstrial compare base.json two.json --format json >out
assert_json out "[c for c in d['cells'] if c['needed'] is not None] and all(c['needed'] is None or c['needed'] >= 5 for c in d['cells'])"
# A small loss in every cell: no cell shows it, all together do.
assert_exit 1 fstrial compare steady.json small.json >out
assert_contains out "0 regressed"
assert_contains out "worse"
# Other geometry: not comparable, unless somebody insists; said once for all variants.
assert_exit 4 fstrial compare base.json other.json >out
flat
assert_contains flat "all 24 variants: file system's agcount: 4 -> 8"
assert_lacks out "REGRESSED"
assert_exit 1 fstrial compare --force base.json other.json >out
assert_contains out "CONFOUNDED"
assert_contains out "1 regressed"

# A metric whose spread exceeds its change gets no verdict, also beside steady ones.
doc noisy-a.json 21 "o.spread = lambda v: 0.2 if v['x'] == 3 else None"
doc noisy-b.json 22 "o.spread = lambda v: 0.2 if v['x'] == 3 else None; o.loss = lambda v: 0.12 if v['x'] == 3 else 0"
assert_exit 3 fstrial compare noisy-a.json noisy-b.json --format json >out
assert_json out "[c['verdict'] for c in d['cells'] if c['variant'] == 'x=3'] == ['INCONCLUSIVE']"
# What is only context never decides.
doc loaded.json 1 "o.load = 60.0; o.more = {'idle': lambda v: 5e9 / v}"
doc idle.json 1 "o.load = 0.0; o.more = {'idle': lambda v: 1e9 / v}"
assert_exit 0 fstrial compare idle.json loaded.json >out
assert_contains out "24 same"
assert_lacks out "load"
fstrial compare idle.json loaded.json --all >out
assert_contains out "(info)"
# What always fails now has not vanished.
doc fails.json 9 "o.fails = lambda v, block: v['x'] == 5"
assert_exit 3 fstrial compare base.json fails.json >out
flat
assert_contains flat "no value on one side; did not end well in 0 trials of the base, in 5 of the new result"
# What a step could measure and did on neither side, as phases that were not asked for, is nothing that is not settled.
doc unasked-a.json 1 "o.more = {'stat_rate': lambda v: None}"
doc unasked-b.json 2 "o.more = {'stat_rate': lambda v: None}"
doc asked.json 2 "o.more = {'stat_rate': lambda v: 1e3}"
sed -i 's/"primary": false/"primary": true/g' unasked-?.json asked.json
assert_exit 0 fstrial compare unasked-a.json unasked-b.json --all --allow-inconclusive >out
assert_lacks out "stat_rate"
assert_exit 3 fstrial compare asked.json unasked-b.json >out
assert_contains out "stat_rate"
assert_contains out "no value on one side"
# The order of the trials in the file is none of the comparison's business.
doc sorted.json 3 "o.loss = lambda v: 0.15 if v['x'] == 0 else 0; o.step = 'renamed'
o.order = lambda t: sorted(t, key=lambda t: (t['variant'], t['repeat']))"
fstrial compare base.json loss.json --format csv | cut -d, -f1,6- >a.csv
fstrial compare base.json sorted.json --format csv | cut -d, -f1,6- >b.csv
assert_eq "$(cat b.csv)" "$(cat a.csv)"
# Members in another order, and other white space.
/usr/bin/python3 -c 'import json
json.dump(json.load(open("loss.json")), open("shape.json", "w"), sort_keys=True, indent=2)'
fstrial compare base.json shape.json --format csv | cut -d, -f1,6- >b.csv
assert_eq "$(cat b.csv)" "$(cat a.csv)"

for format in markdown csv json junit; do
	assert_exit 1 fstrial compare --format $format base.json loss.json >out.$format
	[ $format = junit ] || assert_contains out.$format REGRESSED
done
assert_json out.json "len(d['cells']) == 24 and d['exit'] == 1 and sum(c['verdict'] == 'REGRESSED' for c in d['cells']) == 1"
assert_json out.json "(lambda s: s['block_ratio_lo'] < s['block_ratio'] < s['block_ratio_hi'] and
	abs(s['block_ratio'] / s['ratio'] - 1) < 1e-9)(d['suite'])"
/usr/bin/python3 - <<'END' || fail "JUnit XML"
import xml.etree.ElementTree as E
s = E.parse("out.junit").getroot()
assert s.get("tests") == "24" and s.get("failures") == "1", s.attrib
assert len(s.findall("testcase/failure")) == 1
END
assert_eq "$(wc -l <out.csv)" 25

# Two configurations of mkfs: which features differ comes before any verdict.
doc lts515.json 11 "o.features = ['crc', 'finobt', 'reflink']"
doc lts61.json 12 "o.features = ['crc', 'finobt', 'reflink', 'bigtime', 'inobtcount']; o.loss = lambda v: 0.2"
assert_exit 4 fstrial compare lts515.json lts61.json >out
flat
assert_contains flat "file system's features: no bigtime, no inobtcount -> bigtime, inobtcount"
assert_lacks out REGRESSED
assert_exit 1 fstrial compare --force lts515.json lts61.json >out
[ "$(grep -n "bigtime" out | cut -d: -f1)" -lt "$(grep -n REGRESSED out | head -n1 | cut -d: -f1)" ] ||
	fail "a verdict before the features"

# Two versions of a tool through mkfs { program }: told before any verdict, with the place, and once; it is what may vary.
doc old.json 15 "o.program = ('/opt/old/mkfs.xfs', '5.4.0')"
doc new.json 16 "o.program = ('/opt/new/mkfs.xfs', '6.1.9'); o.loss = lambda v: 0.2"
assert_exit 1 fstrial compare old.json new.json >out
flat
assert_contains flat "What changed: all 24 variants: version of mkfs.xfs: 5.4.0 (/opt/old/mkfs.xfs) -> 6.1.9 (/opt/new/mkfs.xfs)"
[ "$(grep -n "5.4.0" out | cut -d: -f1)" -lt "$(grep -n REGRESSED out | head -n1 | cut -d: -f1)" ] ||
	fail "a verdict before the versions"
fstrial compare --format json old.json new.json >out || true
assert_json out "[x['confounding'] for x in d['differences'] if '6.1.9' in x['new']] == [False]"
# Two builds that call themselves the same are two all the same.
doc build.json 16 "o.program = ('/opt/build/mkfs.xfs', '6.1.9'); o.loss = lambda v: 0.2"
fstrial compare new.json build.json >out
flat
assert_contains flat "version of mkfs.xfs: 6.1.9 (/opt/new/mkfs.xfs) -> 6.1.9 (/opt/build/mkfs.xfs)"
# Against the one that is installed, which a result names for all its variants.
doc installed.json 17 "o.xfsprogs = '6.1.0'"
fstrial compare installed.json new.json >out && fail "20 % are a loss"
flat
assert_contains flat "all 24 variants: version of mkfs.xfs: 6.1.0 -> 6.1.9 (/opt/new/mkfs.xfs)"
# Of the installed one it is told once, for all.
doc upgraded.json 18 "o.xfsprogs = '6.9.0'; o.program = ('mkfs.xfs', '6.9.0')"
doc before.json 19 "o.xfsprogs = '6.1.0'; o.program = ('mkfs.xfs', '6.1.0')"
fstrial compare before.json upgraded.json >out || true
assert_contains out "version of mkfs.xfs: 6.1.0 -> 6.9.0"
assert_eq "$(grep -c "6.9.0" out)" 1

# What is in a document does not reach a terminal as a command to it.
escapes="o.factors = {'x\\x1b[31m': ['a\\x1b[32m', 'b']}; o.step = 'wr\\x1b[33mite'; o.kernel = '6\\x1b[34m'"
doc hostile-a.json 13 "$escapes"
doc hostile-b.json 14 "$escapes; o.kernel = '7\\x1b[35m'; o.agcount = 5; o.loss = lambda v: 0.3"
for format in text markdown junit; do
	fstrial compare --force hostile-a.json hostile-b.json --format $format >out && fail "30 % are a loss"
	assert_lacks out $'\x1b'
	fstrial compare --force hostile-a.json hostile-b.json hostile-a.json --format $format >out || true
	assert_lacks out $'\x1b'
done
fstrial effects hostile-a.json >out
assert_lacks out $'\x1b'

# What cannot be read is said, with its place.
assert_exit 2 fstrial compare base.json nothing.json >out 2>err
assert_contains err nothing.json
head -c 3000 base.json >cut.json
assert_exit 2 fstrial compare base.json cut.json >out 2>err
assert_contains err "cut.json:1: "
echo '{"format": "fstrial-result/9"}' >format.json
assert_exit 2 fstrial compare base.json format.json >out 2>err
assert_contains err "format.json is not a result document"
mkdir empty
assert_exit 2 fstrial compare base.json empty >out 2>err
assert_contains err "empty is no result"
assert_exit 2 fstrial compare base.json >out 2>err
