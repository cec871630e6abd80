#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Accepted changes: what is expected does not fail, what is more than that does, and what is no more is told.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3

# What is said in several lines, in one.
flat() { tr -s " \n" " " <out >flat; }
doc() { /usr/bin/python3 "$SRC/tests/make_result.py" "$@"; }
doc base.json 1 "o.noise = 0.01"
doc loss.json 2 "o.noise = 0.01; o.kernel = '6.12.0'; o.loss = lambda v: 0.15 if v['x'] in (3, 4) else 0"
compare() { fstrial compare base.json loss.json "$@"; }
assert_exit 1 compare >out
assert_contains out "2 regressed"

cat >accept.txt <<'END'
# Journal checksums are on now.
"x=3" write.throughput -20%..-10% "checksums of the journal" until=2027-01-31 kernel=6.12*
"x=[4-5]" "*.throughput" -20%..-10% "the same, seen in another cell"
END
assert_exit 0 compare --accept accept.txt >out
assert_contains out "REGRESSED (accepted)"
assert_contains out "0 regressed, 2 accepted"
flat
assert_contains flat "write.throughput x=3: accepted: checksums of the journal"
assert_lacks out "in vain"
assert_exit 0 compare --accept accept.txt --format json >out
assert_json out "d['exit'] == 0 and sum(c['accepted'] is not None for c in d['cells']) == 2 and d['unused_acceptances'] == []"
assert_exit 0 compare --accept accept.txt --format junit >out
assert_contains out 'failures="0"'
flat
assert_contains flat "accepted: checksums of the journal"
assert_exit 0 compare --accept accept.txt --format csv >out
assert_contains out '"checksums of the journal"'
# Only one of two.
sed -i '$d' accept.txt
assert_exit 1 compare --accept accept.txt >out
assert_contains out "1 regressed, 1 accepted"

# More than was accepted, an acceptance that is over, of another version, of nothing, of what is well.
lines() { cat >accept.txt; compare --accept accept.txt >out && fail "accepted"; grep "in vain" -A1 out >vain || true; }
lines <<<'x=3 write.throughput -9%..-5% "a little"'
assert_contains vain "accept.txt:1: accepts -9.0..-5.0 %, and the change is -1"
assert_contains out "another change than the one that is accepted"
lines <<<'x=3 write.throughput -20%..-5% "for some time" until=2026-11-01'
assert_contains vain "accept.txt:1: held until 2026-11-01, and the new result is of 2026-11-30"
lines <<<'x=3 write.throughput -20%..-5% "one kernel" kernel=6.11*'
assert_contains vain "is for kernel 6.11*, and the new result has 6.12.0"
lines <<<'x=99 write.throughput -20%..-5% "gone"'
assert_contains vain "accept.txt:1: matches nothing"
lines <<<'x=7 write.throughput -20%..-5% "repaired"'
assert_contains vain "accept.txt:1: what it accepts has not regressed"

# Written, read, and the verdicts are the same; a quoted cell with everything in it.
assert_exit 1 compare --write-accept made.txt >out
assert_eq "$(grep -c '^"x=' made.txt)" 2
assert_exit 0 compare --accept made.txt >out
assert_exit 2 compare --write-accept made.txt >out 2>err
assert_contains err "made.txt: there is such a file"
odd="o.factors = {'opt': ['a [b] \"*?\\\\\\\\', 'plain']}; o.noise = 0.01"
doc odd-base.json 3 "$odd"
doc odd-loss.json 4 "$odd; o.loss = lambda v: 0.3 if v['opt'] != 'plain' else 0"
assert_exit 1 fstrial compare odd-base.json odd-loss.json --write-accept odd.txt >out
assert_exit 0 fstrial compare odd-base.json odd-loss.json --accept odd.txt >out

# All that is wrong is said at once.
cat >bad.txt <<'END'
x=1 write.throughput -20%..-10% "fine"
x=1 write.throughput -20%
x=1 write.throughput -10%..-20% "upside down"
x=1 write.throughput 20..30 "no unit"
x=1 write.throughput -20%..-10% ""
x=1 write.throughput -20%..-10% "when" until=tomorrow
x=1 write.throughput -20%..-10% "what" forever
x=1 write.throughput -20%..-10% "no end
x=1 write.throughput -20%..-10% "no day" until=2027-02-30
x=1 write.throughput -20%..-10% "no month" until=2027-13-01
x=1 write.throughput -20%..-10% "one day in four years" until=2028-02-29
END
assert_exit 2 compare --accept bad.txt >out 2>err
[ ! -s out ] || fail "compared all the same"
cat >want <<'END'
bad.txt:2: a line is CELL METRIC CHANGE REASON [until=DATE] [kernel=PATTERN]; this has 3 of these words
bad.txt:3: "-10%..-20%" is no range of changes like -20%..-5%
bad.txt:4: "20..30" is no range of changes like -20%..-5%
bad.txt:5: the reason is empty
bad.txt:6: "until=tomorrow": until= is not a date like 2027-01-31
bad.txt:7: "forever": behind the reason come only until=DATE, kernel=PATTERN and TOOL=PATTERN
bad.txt:8: a quotation mark is not closed
bad.txt:9: "until=2027-02-30": until= is not a date like 2027-01-31
bad.txt:10: "until=2027-13-01": until= is not a date like 2027-01-31
END
diff -u want err || fail "other lines"
assert_exit 2 compare --accept nothing.txt >out 2>err
assert_contains err nothing.txt
