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
# The odd one is named with how far off it is, and does not colour what the factors do.
fstrial effects --format json odd.json >json
assert_json json "len(d['metrics'][0]['suspect']) == 1 and abs(d['metrics'][0]['suspect'][0]['ratio'] - 0.5) < 0.03"
assert_json json "json.loads(d['metrics'][0]['suspect'][0]['variant']) == {'agcount': 4, 'bs': '4KiB', 'readahead': 1}"
assert_json json "not [e['name'] for e in d['metrics'][0]['effects'] if e['active']]"
# Two odd ones hide each other, as each makes the other look like noise; without repeats they are looked for all the same.
cat >single.py <<'END3'
import json, random, math
d = json.load(open("odd.json"))
rnd = random.Random(5)
odd = [rnd.sample(range(24), 2) for _ in range(40)]
d["trials"] = [t for t in d["trials"] if t["repeat"] == 1]
for t in d["trials"]:
    i = int(t["variant"][1:])
    t["steps"][0]["metrics"] = {f"m{k}": {"value": 1000 * math.exp(0.03 * rnd.gauss(0, 1)) * (0.6 if k % 2 and i in odd[k] else 1),
        "unit": "ops/s", "better": "higher", "primary": True} for k in range(40)}
json.dump(d, open("single.json", "w"))
json.dump([[json.dumps(d["variants"][i]["values"]) for i in o] if k % 2 else [] for k, o in enumerate(odd)], open("truth.json", "w"))
END3
/usr/bin/python3 single.py
fstrial effects --format json single.json >json
assert_json json "all(sorted(json.dumps(json.loads(s['variant'])) for s in m['suspect']) ==
	sorted(json.load(open('truth.json'))[int(m['metric'][1:])]) for m in d['metrics']) and len(d['metrics']) == 40"
assert_json json "sum(any(e['active'] for e in m['effects']) for m in d['metrics']) <= 6"
# What two levels do together beyond what they do alone: 20 % in one of 3 x 2 combinations is 6.3 % there.
fstrial effects --format json pair.json >json
cat >cells.py <<'END'
import json, math
d = json.load(open("json"))["metrics"][0]["effects"]
e = next(e for e in d if e["name"] == "bs x readahead")
cells = {c["cell"]: c for c in e["cells"]}
assert len(cells) == 6 and all(c["n"] == 20 for c in cells.values()), cells
top = cells["bs=16KiB readahead=1"]
assert top["lo"] < math.exp(math.log(1.2) / 3) < top["hi"] and top["lo"] > 1, top
# In every row and every column they add up to nothing.
for part in ("bs=4KiB", "bs=8KiB", "bs=16KiB", "readahead=0", "readahead=1"):
    assert abs(sum(math.log(c["ratio"]) for n, c in cells.items() if part in n.split())) < 1e-9, part
other = next(e for e in d if e["name"] == "agcount x readahead")
assert all(c["lo"] < 1 < c["hi"] for c in other["cells"]) or not other["active"], other
END
/usr/bin/python3 cells.py || fail "combinations"
fstrial effects pair.json >out
assert_contains out "bs=16KiB readahead=1"
fstrial effects none.json >out
assert_lacks out "bs=16KiB readahead=1"
# Noise of many seeds tells hardly a story: of a nominal 5 % in 40 metrics no more than 6.
sed -i 's/"metrics"\] = {/"metrics"] = {f"m{k}": {"value": 1000 * math.exp(0.02 * rnd.gauss(0, 1)), "unit": "ops\/s",\n            "better": "higher", "primary": True} for k in range(40)} if expr == "many" else {/; s/v = eval(expr/v = 0 if expr == "many" else eval(expr/' doc.py
doc many.json many
fstrial effects --format json many.json >json
assert_json json "len(d['metrics']) == 40"
assert_json json "sum(any(e['active'] for e in m['effects']) for m in d['metrics']) <= 6"
assert_json json "sum(len(m['suspect']) for m in d['metrics']) == 0"
# What is missing: failed trials make it unbalanced, and it still is agcount alone.
/usr/bin/python3 - <<'END'
import json
d = json.load(open("one.json"))
for t in d["trials"][3::7]:
    t["steps"][0].update(status="failed", reason="x", metrics={})
json.dump(d, open("holes.json", "w"))
END
fstrial effects --format json holes.json >json
assert_json json "[e['name'] for e in d['metrics'][0]['effects'] if e['active']] == ['agcount']"
assert_json json "abs(d['metrics'][0]['effects'][0]['range'] - 1.3) < 0.04 and d['metrics'][0]['n'] == 103"
