#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fstrial effects: the factor that matters is named, the one that does not is not, and noise tells no story.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3

# doc FILE EXPRESSION: agcount x bs x readahead, 5 repeats, values by the expression over a, b, r (levels 0..) and g.
cat > doc.py <<'END'
import json, math, random, sys
path, expr, template = sys.argv[1:4]
d = json.load(open(template))
trial = next(t for t in d["trials"] if t["status"] == "ok")
work = next(s for s in trial["steps"] if s["kind"] == "workload")
rnd = random.Random(11)
cells = [(a, b, r) for a in range(4) for b in range(3) for r in range(2)]
d["variants"] = [{"id": f"v{i:02}", "values": {"agcount": 2 << a, "bs": f"{4 << b}KiB", "readahead": r}}
    for i, (a, b, r) in enumerate(cells)]
d["trials"] = []
for block in range(5):
    order = list(enumerate(cells))
    rnd.shuffle(order)
    for i, (a, b, r) in order:
        t, s = json.loads(json.dumps(trial)), json.loads(json.dumps(work))
        v = eval(expr, {"a": a, "b": b, "r": r, "i": i, "g": rnd.gauss(0, 1), "math": math})
        s["metrics"] = {"throughput": {"value": v, "unit": "bytes/s", "better": "higher", "primary": True}}
        t.update(variant=f"v{i:02}", repeat=block + 1, block=block + 1, steps=[s])
        d["trials"].append(t)
json.dump(d, open(path, "w"))
END
doc() { /usr/bin/python3 doc.py "$1" "$2" "$SRC/tests/json/good-scratch.json"; }

doc one.json '1000 * (1 + 0.1 * a) * math.exp(0.02 * g)'
assert_exit 0 fstrial effects one.json >out
assert_eq "$(grep -c '^\*' out)" 1
assert_contains out "agcount"
assert_eq "$(grep '^\*' out | awk '{print $2}')" agcount
fstrial effects --format json one.json >json
assert_json json "[e['name'] for e in d['metrics'][0]['effects'] if e['active']] == ['agcount']"
assert_json json "abs(d['metrics'][0]['effects'][0]['range'] - 1.3) < 0.03"
assert_json json "[l['level'] for l in d['metrics'][0]['effects'][0]['levels']] == ['2', '4', '8', '16']"
doc pair.json '1000 * (1.2 if b == 2 and r == 1 else 1) * math.exp(0.02 * g)'
fstrial effects --format json pair.json >json
assert_json json "'bs x readahead' in [e['name'] for e in d['metrics'][0]['effects'] if e['active']]"
doc none.json '1000 * math.exp(0.02 * g)'
assert_exit 0 fstrial effects none.json >out
assert_contains out "No factor had an effect"
assert_eq "$(grep -c '^\*' out)" 0
# One variant that no factor explains is suspect, and named.
doc odd.json '1000 * (0.5 if i == 7 else 1) * math.exp(0.01 * g)'
assert_exit 0 fstrial effects odd.json >out
assert_contains out "suspect"
# Levels whose variants all failed say nothing, and keep nobody from saying something of the others.
/usr/bin/python3 - <<'END2'
import json
d = json.load(open("one.json"))
for t in d["trials"]:
    if next(v for v in d["variants"] if v["id"] == t["variant"])["values"]["bs"] == "8KiB":
        t["status"], t["reason"] = "failed", "mkfs: refused"
        t["steps"][0].update(status="failed", reason="refused", metrics={})
json.dump(d, open("failed.json", "w"))
END2
assert_exit 0 fstrial effects failed.json >out
assert_lacks out "too few"
fstrial effects --format json failed.json >json
assert_json json "[e['name'] for e in d['metrics'][0]['effects'] if e['active']] == ['agcount']"
assert_json json "[l['level'] for e in d['metrics'][0]['effects'] if e['name'] == 'bs' for l in e['levels']] == ['4KiB', '16KiB']"
assert_exit 2 fstrial effects nothing.json >out 2>err
