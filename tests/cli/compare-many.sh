#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two thousand results of 24 variants and 5 repeats: right, and in little memory.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3

mkdir docs
/usr/bin/python3 - "$SRC/tests/json/good-scratch.json" <<'END'
import json, math, random, sys
d = json.load(open(sys.argv[1]))
trial = next(t for t in d["trials"] if t["status"] == "ok")
work = next(s for s in trial["steps"] if s["kind"] == "workload")
work.update(metrics={"throughput": {"value": 12345.5, "unit": "bytes/s", "better": "higher", "primary": True}},
            latency={}, expect=[])
trial.update(steps=[work], variant="VARIANT", repeat=77, block=77, position=78, expectations=None)
d["variants"] = [{"id": f"v{i:02}", "values": {"x": i}} for i in range(24)]
d["trials"] = []
head = json.dumps(d)[:-3]
assert head.endswith('"trials": ')
one = json.dumps(trial).replace('"repeat": 77, "block": 77, "position": 78', '"repeat": %d, "block": %d, "position": %d')
one = one.replace("VARIANT", "v%02d").replace("12345.5", "%.3f")
assert one.count("%") == 5, one.count("%")
release = d["environment"]["kernel"]["release"]
rnd = random.Random(1)
for k in range(2000):
    trials = []
    for block in range(1, 6):
        for i in range(24):
            # From the 1500th version on, one variant is 20 % slower.
            value = 1e6 * math.exp(0.01 * rnd.gauss(0, 1)) * (0.8 if k >= 1500 and i == 11 else 1)
            trials.append(one % (i, block, block, i + 1, value))
    with open(f"docs/{k}.json", "w") as f:
        f.write(head.replace(release, f"6.{k}.0") + "[" + ",\n".join(trials) + "]}")
END
cd docs
cat >../measure.py <<'END'
import resource, subprocess, sys
code = subprocess.run(sys.argv[3:], stdout=open(sys.argv[1], "w")).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=open(sys.argv[2], "w"))
END
measure() { /usr/bin/python3 ../measure.py ../out ../used "$BUILD/fstrial" compare "$@"; read -r code kib <../used; }
small() { is_instrumented || [ "$kib" -lt $((200 * 1024)) ] || fail "$kib KiB of memory"; }

mapfile -t names < <(printf '%s.json\n' $(seq 0 1999))
measure "${names[@]}"
assert_eq "$code" 1
small
assert_contains ../out "write.throughput x=11: first regressed in 1500.json (6.1500.0)"
assert_eq "$(grep -v -e '->' ../out | grep -c '^[0-9]*.json ')" 2000

# As two sides of a thousand.
mkdir old new
mv [0-9].json [0-9][0-9].json [0-9][0-9][0-9].json old
mv ./*.json new
sed -i 's/"release": "6\.[0-9]*\.0"/"release": "6.1.0"/' old/*.json new/*.json
measure old new --format json
small
assert_json ../out "len(d['cells']) == 24 and [s['results'] for s in d['sides']] == [1000, 1000]"
assert_json ../out "all(c['base']['n'] == 5000 and c['new']['n'] == 5000 for c in d['cells'])"
assert_json ../out "[c['variant'] for c in d['cells'] if c['verdict'] == 'REGRESSED'] == ['x=11']"
