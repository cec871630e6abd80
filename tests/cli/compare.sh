#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fstrial compare: verdicts and exit codes, by parameters and not by names, and what makes results incomparable.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3

# doc FILE SEED EXPRESSION: a result of 24 variants x n repeats about 1000 with 2 % noise. The Python expression may
# change: n, loss (of variant 0), everywhere, kernel, agcount, step (its name), zero.
cat > doc.py <<'END'
import json, math, random, sys
path, seed, change, template = sys.argv[1:5]
o = {"n": 5, "loss": 0.0, "everywhere": False, "kernel": "6.1", "agcount": 4, "step": "write", "noise": 0.02}
exec(change, {}, o)
d = json.load(open(template))
trial = next(t for t in d["trials"] if t["status"] == "ok")
work = next(s for s in trial["steps"] if s["kind"] == "workload")
rnd = random.Random(int(seed))
d["environment"]["kernel"]["release"] = o["kernel"]
d["variants"] = [{"id": f"v{i:02}", "values": {"x": i}} for i in range(24)]
d["trials"] = []
for block in range(o["n"]):
    for i in range(24):
        t, s = json.loads(json.dumps(trial)), json.loads(json.dumps(work))
        loss = o["loss"] if i == 0 or o["everywhere"] else 0
        s["name"] = o["step"]
        s["metrics"] = {"throughput": {"value": 1000 * (1 - loss) * math.exp(rnd.gauss(0, o["noise"])), "unit": "bytes/s",
            "better": "higher", "primary": True}}
        if t.get("filesystem"):
            t["filesystem"].setdefault("geometry", {})["agcount"] = o["agcount"]
        t.update(variant=f"v{i:02}", repeat=block + 1, block=block + 1, position=i + 1, steps=[s])
        d["trials"].append(t)
json.dump(d, open(path, "w"))
END
doc() { /usr/bin/python3 doc.py "$1" "$2" "$3" "$SRC/tests/json/good-scratch.json"; }
doc base.json 1 ""
doc same.json 2 "kernel = '6.12'"
doc loss.json 3 "loss = 0.15; step = 'renamed'"
doc gain.json 4 "loss = -0.15; everywhere = True"
doc few.json 5 "n = 3; loss = 0.3"
doc steady.json 8 "noise = 0.01"
doc small.json 6 "loss = 0.03; everywhere = True; noise = 0.01"
doc other.json 7 "agcount = 8; loss = 0.15"

assert_exit 0 fstrial compare base.json base.json >out
assert_contains out "24 same"
assert_exit 0 fstrial compare base.json same.json --allow-inconclusive >out
assert_contains out "kernel: 6.1 -> 6.12"
assert_contains out "0 regressed"
# One cell among many is named, first, whatever the steps are called.
assert_exit 1 fstrial compare base.json loss.json >out
assert_contains out "1 regressed"
assert_eq "$(sed -n '/^verdict/{n;p}' out | awk '{print $1, $3}')" "REGRESSED x=0"
assert_exit 0 fstrial compare base.json gain.json >out
assert_contains out "24 improved"
assert_exit 1 fstrial compare gain.json base.json >out
assert_contains out "24 regressed"
# Too few repeats give no verdict, however large the change.
assert_exit 3 fstrial compare base.json few.json >out
assert_contains out "too few repeats"
assert_lacks out "REGRESSED"
# A small loss in every cell: no cell shows it, all together do.
assert_exit 1 fstrial compare steady.json small.json >out
assert_contains out "0 regressed"
assert_contains out "worse"
# Other geometry: not comparable, unless somebody insists.
assert_exit 4 fstrial compare base.json other.json >out
assert_contains out "agcount: 4 -> 8"
assert_lacks out "REGRESSED"
assert_exit 1 fstrial compare --force base.json other.json >out
assert_contains out "CONFOUNDED"
assert_contains out "1 regressed"

for format in markdown csv json junit; do
	assert_exit 1 fstrial compare --format $format base.json loss.json >out.$format
	[ $format = junit ] || assert_contains out.$format REGRESSED
done
assert_json out.json "len(d['cells']) == 24 and d['exit'] == 1 and sum(c['verdict'] == 'REGRESSED' for c in d['cells']) == 1"
/usr/bin/python3 - <<'END' || fail "JUnit XML"
import xml.etree.ElementTree as E
s = E.parse("out.junit").getroot()
assert s.get("tests") == "24" and s.get("failures") == "1", s.attrib
assert len(s.findall("testcase/failure")) == 1
END
assert_eq "$(wc -l <out.csv)" 25
assert_exit 2 fstrial compare base.json nothing.json >out 2>err
assert_contains err nothing.json
