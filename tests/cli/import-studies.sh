#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tables that people kept of real tuning, with their damage: every row is found, joined, flagged or refused, and the
# summaries that a person computed below such a table come out to their last digit.
. "$(dirname "$0")/../helpers.sh"

data=$SRC/tests/data

# ---- a RAID6 array: one row a try, copied by hand ------------------------------------------------

assert_exit 0 fstrial import --out raid6.json "$data/bonnie-raid6.csv" 2>err
assert_schema raid6.json
assert_contains err "41 rows: 25 plain, 9 joined, 7 damaged, 6 copies; 0 refused; 41 variants"
assert_eq "$(grep -c ': 26 fields, where bonnie++ 1.0x has 27: rate and CPU of seq_create' err)" 7
assert_eq "$(grep -c 'the row goes on in line' err)" 9
assert_eq "$(grep -o 't[0-9]* has the very figures of t[0-9]*' err | awk '{ print $1, $NF }' | tr '\n' ' ')" \
	"t10 t03 t11 t03 t21 t16 t32 t29 t36 t29 t41 t29 "
# Averages of which zeros are a part: these rows, found by what other rows have in the same phase.
assert_eq "$(grep 'averages that may hold' err | cut -d: -f2 | tr '\n' ' ')" "7 32 33 34 42 47 49 "
cat >checks.py <<'END'
import json
d = json.load(open("raid6.json"))
trials = d["trials"]
metrics = [(t, s, m) for t in trials for s in t["steps"] for m in s["metrics"].values()]
zeros = [m for _, _, m in metrics if m["value"] == 0 and m["unit"] != "ratio"]
censored = [m for _, _, m in metrics if m["source"]["note"] == "censored" and m["unit"] == "ops/s"]
averaged = [m for _, _, m in metrics if m["source"]["note"] == "averaged censored values" and m["unit"] == "ops/s"]
damaged = [m for _, s, m in metrics if m["source"]["note"] == "damaged"]
assert not zeros, "a rate of zero"
assert censored and all(m["value"] is None and m["source"]["at_least"] == 32768 for m in censored)
text = open("lines").read()
assert len(trials) == 41 and sum(t["status"] == "skipped" for t in trials) == 6
assert len(damaged) == 5, len(damaged)  # 7 rows, two of them copies
assert len(averaged) == text.count(",0.0,0.0,"), len(averaged)
END
# All but the three copies of t29.
grep -Ev '^t(32|36|41),' "$data/bonnie-raid6.csv" >lines
/usr/bin/python3 checks.py || fail "raid6"

# What it wrote as rows is read as the same numbers.
fstrial show --format bonnie raid6.json >rows.csv
assert_eq "$(wc -l <rows.csv)" 35
fstrial import --out again.json rows.csv 2>err
assert_contains err "35 rows: 35 plain, 0 joined, 0 damaged, 0 copies; 0 refused"
cat >same.py <<'END'
import json, sys
def figures(path):
    d = json.load(open(path))
    values = {v["id"]: json.dumps({k: str(x) for k, x in v["values"].items()}, sort_keys=True) for v in d["variants"]}
    return {(values[t["variant"]], t["repeat"], s["name"], m["unit"]): m["value"]
            for t in d["trials"] for s in t["steps"] for m in s["metrics"].values() if m["value"] is not None}
a, b = map(figures, sys.argv[1:3])
wrong = [k for k in set(a) | set(b) if a.get(k) != b.get(k)]
sys.exit(f"{len(wrong)} of {len(a)}: {wrong[:3]}" if wrong or not a else 0)
END
/usr/bin/python3 same.py raid6.json again.json || fail "other numbers after the round trip"

# ---- a mirror, done in ten ways: all rows have the same machine ----------------------------------

assert_exit 0 fstrial import --out mirror.json "$data/bonnie-mirror.csv" 2>err
assert_contains err "10 rows: 10 plain, 0 joined, 0 damaged, 0 copies; 0 refused; 1 variant"
assert_contains err "its rows are taken for repeats, but"
fstrial import --out mirror.json --labels array,md,lvm,log64m-256,log64m-64,log64m-32,md64k-32,md64k-256,corelog,ext3 \
	"$data/bonnie-mirror.csv" 2>err
assert_contains err "10 rows: 10 plain, 0 joined, 0 damaged, 0 copies; 0 refused; 10 variants"
assert_lacks err repeats
assert_schema mirror.json
fstrial show mirror.json >out
grep -Eq '^rewrite.throughput +v02 machine=md +1 +75745 ' out || { show_file out; fail "md rewrites"; }
grep -Eq '^seq_delete.rate +v03 machine=lvm +1 +180 ' out || { show_file out; fail "lvm deletes"; }
assert_json mirror.json 'all("cpu" not in t["steps"][0]["metrics"] for t in d["trials"])'
assert_json mirror.json 'all(t["steps"][6]["params"]["files"] is None for t in d["trials"])'

# ---- mkfs by mount options: a spreadsheet of averages --------------------------------------------

fstrial import --out mkfs.json --factors mkfs,mount --metric '*_kps=KiB/s' --metric '*_ps=/s' --metric '*_cpu=%' \
	"$data/mkfs-by-mount.csv" 2>err
assert_contains err "30 rows: 30 plain, 0 joined, 0 damaged, 0 copies; 0 refused; 30 variants"
assert_schema mkfs.json
fstrial show mkfs.json >out
awk '$2 == "all" && $3 == "variants" { print $1, $4, $7, $6, $8, $5 }' out >got
# n, and the largest, the least, mean and median of each as its owner printed them.
diff - got <<'END' || fail "other summaries than the table's own"
putc.kps 30 98567 88295 93504 92924
write.kps 30 516368 396332 470040 473942
rewrite.kps 30 92771 60831 82048 81824
getc.kps 30 83336 67252 77414 77014
read.kps 30 240849 125015 217398 228195
seeks.ps 30 383.0 341.7 369.9 372.0
seq_create.ps 30 4197 2488 3239 3186
seq_read.ps 30 9000 6440 8376 8658
seq_delete.ps 30 13825 5212 10599 12017
ran_create.ps 30 4103 2669 3281 3160
ran_read.ps 30 8964 4362 7513 7853
ran_delete.ps 30 12679 4023 9807 10239
END
# Stripes matter for deleting; for reading two odd rows do not make a story.
fstrial effects --format json mkfs.json >effects.json
cat >effects.py <<'END'
import json
active = {m["step"]: [e["name"] for e in m["effects"] if e["active"]] for m in json.load(open("effects.json"))["metrics"]}
assert "mkfs.d.su+d.sw" in active["seq_delete"], active
assert not active["read"], active
# These rows are called suspect, and nothing else is.
suspect = {m["step"]: m["suspect"] for m in json.load(open("effects.json"))["metrics"]}
rows = [json.loads(s["variant"]) for s in suspect.pop("read")]
assert not any(suspect.values()), suspect
assert len(rows) == 2 and rows[0] != rows[1], rows
assert all(r["mkfs.d.su+d.sw"] == "262144,9" and r["mkfs.l.size"] == "16384b" and r["mkfs.i.attr"] == "no" and
           r["mount.nobarrier"] == "no" for r in rows), rows
END
/usr/bin/python3 effects.py || fail "effects"
fstrial effects mkfs.json >out
sed -n '/^seq_delete.ps/,/^$/p' out | grep -Eq '^\* +mkfs.d.su\+d.sw ' || { show_file out; fail "su and sw"; }

fstrial show --format bonnie mkfs.json >rows.csv
fstrial import --out again.json rows.csv 2>err
/usr/bin/python3 same.py mkfs.json again.json || fail "other numbers after the round trip"
