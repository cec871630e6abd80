#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fstrial compare with more than two results: in the order of versions, each against the base and its predecessor, and
# the first one named in which a cell regressed.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3

# What is said in several lines, in one.
flat() { tr -s " \n" " " <out >flat; }
doc() { /usr/bin/python3 "$SRC/tests/make_result.py" "$@"; }
loss="o.loss = lambda v: 0.15 if v['x'] == 7 else 0"
doc k9.json 1 "o.kernel = '6.9.0'"
doc k10rc.json 2 "o.kernel = '6.10.0-rc1'"
doc k10.json 3 "o.kernel = '6.10.0'; $loss"
doc k11.json 4 "o.kernel = '6.11.0'; $loss"
doc k12.json 5 "o.kernel = '6.12.0'; o.loss = lambda v: -0.15 if v['x'] == 3 else 0"

# As given they are in no order.
assert_exit 1 fstrial compare k9.json k11.json k10.json k10rc.json >out
assert_eq "$(awk '/^k[0-9]/ && $2 != "->" {print $2}' out | tr '\n' ' ')" "6.9.0 6.10.0-rc1 6.10.0 6.11.0 "
flat
assert_contains flat "write.throughput x=7: first regressed in k10.json (6.10.0)"
flat
assert_contains flat "against 6.10.0-rc1 (REGRESSED)"
flat
assert_contains flat "in the newest (REGRESSED)"
assert_eq "$(grep -c 'first regressed' out)" 1
assert_eq "$(awk '$2 == "x=7" {print $7, $10, $13}' out)" "= R R"
# The newest one decides; what was repaired before does not fail, but is told.
fstrial compare k9.json k10.json k12.json --allow-inconclusive >out || fail "repaired"
flat
assert_contains flat "first regressed in k10.json (6.10.0)"
# A fall from one version to the next is one although the base was no better.
doc up.json 6 "o.kernel = '6.10.0'; o.loss = lambda v: -0.3"
doc down.json 7 "o.kernel = '6.11.0'"
assert_exit 1 fstrial compare k9.json up.json down.json >out
assert_contains out "24 regressed, 0 improved"
assert_lacks out "first regressed"

for format in markdown csv json junit; do
	assert_exit 1 fstrial compare k9.json k11.json k10rc.json k10.json --format $format >out.$format
done
assert_contains out.markdown "| k10.json | 6.10.0 |"
assert_contains out.markdown "first regressed in k10.json"
assert_eq "$(wc -l <out.csv)" $((1 + 24 * 5))
assert_eq "$(awk -F, '$4 == "REGRESSED" {print $1 $2}' out.csv | sort -u | wc -l)" 3
assert_json out.json "d['ordered_by'] == 'kernel' and d['exit'] == 1"
assert_json out.json "[s['version'] for s in d['sets']] == ['6.9.0', '6.10.0-rc1', '6.10.0', '6.11.0']"
assert_json out.json "[(f['variant'], f['version']) for f in d['first_regressed']] == [('x=7', '6.10.0')]"
assert_json out.json "[c['against'] for c in d['comparisons']] == ['base', 'base', 'predecessor', 'base', 'predecessor']"
/usr/bin/python3 - <<'END' || fail "JUnit XML"
import xml.etree.ElementTree as E
s = E.parse("out.junit").getroot()
assert s.tag == "testsuites" and len(s) == 5, len(s)
assert sum(int(t.get("failures")) for t in s) == 3
END

# The same kernel: the tool that differs orders; nothing differs: as they were given.
for v in 6.1.0 6.13.0 6.4.0; do
	doc x$v.json 8 "o.xfsprogs = 'mkfs.xfs version $v'"
done
fstrial compare x6.1.0.json x6.13.0.json x6.4.0.json --format json >out || [ $? = 3 ]
assert_json out "d['ordered_by'] == 'version of mkfs.xfs' and [s['name'] for s in d['sets']] == ['x6.1.0.json', 'x6.4.0.json', 'x6.13.0.json']"
fstrial compare k9.json k9.json k9.json --format json >out
assert_json out "d['ordered_by'] is None"
# One that is not comparable makes all of it so.
doc other.json 9 "o.kernel = '6.13.0'; o.agcount = 9"
assert_exit 4 fstrial compare k9.json k10rc.json other.json >out
assert_contains out "agcount: 4 -> 9"
assert_contains out "not comparable"
# Many: no column for each.
names=()
for i in $(seq 1 12); do
	doc m$i.json $((40 + i)) "o.factors = {'x': [1, 2]}; o.kernel = '6.$i.0'; o.loss = lambda v: 0.3 if $i > 8 and v['x'] == 2 else 0"
	names+=("m$i.json")
done
assert_exit 1 fstrial compare "${names[@]}" >out
flat
assert_contains flat "x=2: first regressed in m9.json (6.9.0)"
assert_eq "$(awk '/^m[0-9]/ && $2 != "->" {print $2}' out | tail -n1)" 6.12.0
