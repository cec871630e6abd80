#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fstrial calibrate: the spreads that were put into results are what it finds, with the repeats that follow from them.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3

# doc FILE SEED SIGMA BLOCK SESSION [REPEATS]: 12 variants whose logarithms have these standard deviations.
cat > doc.py <<'END'
import json, math, random, sys
path, template = sys.argv[1], sys.argv[7]
seed, sigma, block_sd, session_sd = int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5])
repeats = int(sys.argv[6])
d = json.load(open(template))
trial = next(t for t in d["trials"] if t["status"] == "ok")
work = next(s for s in trial["steps"] if s["kind"] == "workload")
rnd = random.Random(seed)
d["variants"] = [{"id": f"v{i:02}", "values": {"agcount": 1 + i}} for i in range(12)]
d["trials"] = []
session = [rnd.gauss(0, session_sd) for _ in range(12)]
for block in range(repeats):
    common = rnd.gauss(0, block_sd)
    for i in range(12):
        t, s = json.loads(json.dumps(trial)), json.loads(json.dumps(work))
        v = 1000 * (1 + i) * math.exp(session[i] + common + rnd.gauss(0, sigma))
        s["metrics"] = {"throughput": {"value": v, "unit": "bytes/s", "better": "higher", "primary": True}}
        t.update(variant=f"v{i:02}", repeat=block + 1, block=block + 1, steps=[s], elapsed_ns=2000000000)
        d["trials"].append(t)
json.dump(d, open(path, "w"))
END
doc() { /usr/bin/python3 doc.py "$1" "$2" "$3" "$4" "$5" "${6:-20}" "$SRC/tests/json/good-scratch.json"; }

doc quiet.json 1 0.02 0 0
assert_exit 0 fstrial calibrate quiet.json >out
assert_contains out ".throughput, 12 variants, 1 session"
# A session of another job did not measure it.
sed -e 's/"throughput": {"value"/"tps": {"value"/g' quiet.json >else.json
assert_exit 0 fstrial calibrate quiet.json else.json >out
assert_contains out ".throughput, 12 variants, 1 session"
assert_lacks out "2 sessions"
fstrial calibrate --format json quiet.json >json
m="d['metrics'][0]"
assert_json json "abs(${m}['noise']['within'] - 0.02) < 0.002 and ${m}['noise']['session'] is None"
assert_json json "${m}['noise']['block'] < 0.006 and ${m}['margin'] == 0.05 and ${m}['n'] == 20"
# 0.02 at a margin of 5 %: 4 values a side find it, by the t test's power.
assert_json json "${m}['needed'] == 4 and 0.015 < ${m}['detectable'] < 0.021"
assert_json json "all(abs(c['spread'] - 0.02) < 0.006 and c['n'] == 20 for c in ${m}['cells'])"
assert_json json "${m}['split_changed'] == 0 and 0 < abs(${m}['split_largest']) < 0.05"

# What all variants of a block have in common is told apart from what each has alone.
doc blocks.json 2 0.01 0.03 0 40
fstrial calibrate --format json blocks.json >json
assert_json json "abs(${m}['noise']['block'] - 0.03) < 0.008 and 0.025 < ${m}['noise']['within'] < 0.042"

# Several sessions of the same: how much these differ, and that no number of repeats makes good for too few of them.
for i in 1 2 3 4 5 6; do doc s$i.json 1$i 0.01 0 0.05 10; done
assert_exit 0 fstrial calibrate s?.json >out
assert_contains out "3 sessions a side are not enough, whatever the repeats"
fstrial calibrate --format json s?.json >json
assert_json json "${m}['sessions'] == 6 and abs(${m}['noise']['session'] - 0.05) < 0.01 and abs(${m}['noise']['within'] - 0.01) < 0.001"
assert_json json "[p['sessions'] for p in ${m}['plans']] == [3, 5, 10] and ${m}['plans'][0]['repeats'] is None"
for i in 1 2 3; do doc t$i.json 2$i 0.01 0 0.008 10; done
fstrial calibrate --format json t?.json >json
assert_json json "${m}['plans'][0]['repeats'] >= 1 and ${m}['plans'][2]['repeats'] == 1"

# One value a variant says nothing, and that is what is said.
doc one.json 3 0.02 0 0 1
assert_exit 0 fstrial calibrate one.json >out
assert_contains out "one value a variant says nothing of the noise"
assert_exit 2 fstrial calibrate nothing.json >out 2>err
assert_contains err nothing.json
assert_exit 2 fstrial calibrate >out 2>err
