#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What fstrial compare takes a verdict back for, and where it says the change is: drift, steady states, canaries,
# boots, controls.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3

# What is said in several lines, in one.
flat() { tr -s " \n" " " <out >flat; }
doc() { /usr/bin/python3 "$SRC/tests/make_result.py" "$@"; }
loss="o.loss = lambda v: 0.15 if v['x'] == 0 else 0"
doc base.json 1
doc loss.json 2 "$loss"

# Numbers that fall while they are measured are no numbers of a state.
doc drift.json 3 "$loss; o.trend = -0.2; o.noise = 0.01"
assert_exit 3 fstrial compare base.json drift.json >out
flat
assert_contains flat "the values changed with time"
assert_lacks out REGRESSED
doc unsteady.json 4 "$loss; o.steady = 2"
assert_exit 3 fstrial compare base.json unsteady.json >out
assert_contains out "a steady state was not reached"
# What is too short to be trusted is no better for being compared; the verdict stays, and that is beside it.
doc brief.json 4 "$loss; o.brief = True"
assert_exit 1 fstrial compare base.json brief.json --format json >out
assert_json out "[c['why'] for c in d['cells'] if c['verdict'] == 'REGRESSED'] and \
	all('too short to be trusted' in c['why'] for c in d['cells'] if c['verdict'] == 'REGRESSED')"
assert_exit 1 fstrial compare base.json brief.json >out
assert_contains out "measured too short to be trusted"

# Canaries. The machine itself: nothing can be said.
quiet="o.canaries = {'compute': (1.0, 0.004), 'raw': (5.0, 0.004), 'tmpfs': (9.0, 0.004)}"
doc quiet.json 5 "$quiet"
doc quiet-loss.json 6 "$quiet; $loss"
assert_schema quiet.json
assert_exit 1 fstrial compare quiet.json quiet-loss.json >out
assert_lacks out canary
doc slow.json 7 "$quiet; o.canaries['compute'] = (1.1, 0.004); o.loss = lambda v: 0.15"
assert_exit 4 fstrial compare quiet.json slow.json >out
assert_contains out "canary compute: +10."
flat
assert_contains flat "the machine itself"
assert_lacks out REGRESSED
assert_exit 1 fstrial compare --force quiet.json slow.json >out
assert_contains out "canary compute"
# The device below: a regression, and where to look.
doc device.json 8 "$quiet; o.canaries['raw'] = (6.0, 0.004); o.loss = lambda v: 0.15"
assert_exit 1 fstrial compare quiet.json device.json >out
assert_contains out "24 regressed"
assert_contains out "canary raw: +2"
flat
assert_contains flat "block layer"
# What stayed the same on a device that did not is not known to be the same.
doc masked.json 9 "$quiet; o.canaries['raw'] = (4.0, 0.004)"
assert_exit 3 fstrial compare quiet.json masked.json >out
assert_contains out "the raw device changed, and this did not"
doc memory.json 10 "$quiet; $loss; o.canaries['tmpfs'] = (10.0, 0.004)"
assert_exit 1 fstrial compare quiet.json memory.json >out
flat
assert_contains flat "VFS or memory management"
fstrial compare quiet.json memory.json --format json >out || true
assert_json out "[(c['canary'], c['moved']) for c in d['canaries']] == [('compute', False), ('raw', False), ('tmpfs', True)]"
# Only one side has them: they say nothing.
assert_exit 1 fstrial compare base.json quiet-loss.json >out
assert_lacks out canary

# Controls. One file system alone, all of them, all but the raw device.
kinds="o.factors = {'fs': ['xfs', 'ext4', 'raw'], 'bs': ['4KiB', '64KiB', '1MiB']}
o.fs = lambda v: None if v['fs'] == 'raw' else v['fs']
o.noise = 0.01"
doc kinds.json 11 "$kinds"
doc one.json 12 "$kinds
o.loss = lambda v: 0.2 if v['fs'] == 'xfs' and v['bs'] == '4KiB' else 0"
assert_exit 1 fstrial compare kinds.json one.json >out
assert_contains out "write.throughput bs=4KiB: xfs (-20."
flat
assert_contains flat ") alone got worse; ext4 and raw device did not"
assert_eq "$(grep -o 'got worse' flat | wc -l)" 1
doc all.json 13 "$kinds
o.loss = lambda v: 0.2 if v['bs'] == '4KiB' else 0"
assert_exit 1 fstrial compare kinds.json all.json >out
flat
assert_contains flat "write.throughput bs=4KiB: not file-system specific: xfs (-"
doc above.json 14 "$kinds
o.loss = lambda v: 0.2 if v['fs'] != 'raw' else 0"
assert_exit 1 fstrial compare kinds.json above.json >out
flat
assert_eq "$(grep -o 'got worse; raw device did not' flat | wc -l)" 3
assert_lacks out "not file-system specific"
doc faster.json 15 "$kinds
o.loss = lambda v: -0.2"
assert_exit 0 fstrial compare kinds.json faster.json >out
flat
assert_eq "$(grep -o 'not file-system specific: [^:]* got better' flat | wc -l)" 3
# What a step does on the device itself is no file system's, though one may be mounted there.
past="$kinds
o.fs = lambda v: 'xfs' if v['fs'] == 'raw' else v['fs']
o.device = lambda v: '/dev/loop0' if v['fs'] == 'raw' else None"
doc past.json 16 "$past"
doc past-one.json 17 "$past
o.loss = lambda v: 0.2 if v['fs'] == 'xfs' and v['bs'] == '4KiB' else 0"
assert_schema past.json
assert_exit 1 fstrial compare past.json past-one.json >out
flat
assert_contains flat ") alone got worse; ext4 and raw device did not"
assert_eq "$(grep -o 'got worse' flat | wc -l)" 1
# With one file system there is nothing to say.
assert_exit 1 fstrial compare base.json loss.json >out
assert_lacks out "got worse"

# Several boots a side: these are compared, and what only differs between boots is no change.
mkdir few one many
for i in 1 2 3 4; do
	# Each boot is up to 12 % off, the repeats in it 1 %.
	shift_by="o.noise = 0.01; o.loss = lambda v: $(echo "0.06 0.00 0.12 0.03" | cut -d' ' -f$i)"
	doc many/a$i.json $((20 + i)) "$shift_by; o.boot = 'a$i'"
	shift_by="o.noise = 0.01; o.loss = lambda v: $(echo "0.12 0.08 0.02 0.05" | cut -d' ' -f$i)"
	doc few/b$i.json $((30 + i)) "$shift_by; o.boot = 'b$i'; o.kernel = '6.12.0'"
done
fstrial compare many few >out || [ $? = 3 ] || fail "boots that differ are no regression"
flat
assert_contains flat "The boots are what is compared: 4 of the base, 4 of the new result"
assert_contains out "0 regressed"
fstrial compare many few --format json >out || true
assert_json out "d['unit_of_analysis'] == 'boot' and all(c['base']['n'] == 4 for c in d['cells'])"
# One boot each: the same numbers would be a regression, and it is said what that is worth.
fstrial compare many/a2.json few/b1.json >out && fail "12 % are a change"
flat
assert_contains flat "confounded with the boot"
# What fails in every boot of the new kernel has not vanished.
mkdir broken
for i in 1 2 3 4; do
	doc broken/c$i.json $((40 + i)) "o.boot = 'c$i'; o.kernel = '6.12.0'; o.fails = lambda v, block: v['x'] == 5"
done
fstrial compare many broken --format json --allow-inconclusive >out || [ $? = 1 ] || fail "boots can be compared"
assert_json out "[c['verdict'] for c in d['cells'] if c['variant'] == 'x=5'] == ['INCONCLUSIVE']"
# A directory of several boots' results that were not made on one kernel is no side.
cp few/b1.json many/b1.json
assert_exit 4 fstrial compare many few >out
assert_contains out "The results of many are not of one kind"
assert_contains out "kernel: 6.1.0 -> 6.12.0"
