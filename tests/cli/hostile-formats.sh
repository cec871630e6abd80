#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Names in a result that would move a cursor, break a row, end an element or run in a spreadsheet: in no format of any
# command do they, and where a format has rows and fields, these are as many as without them.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3

cat >make.py <<'END2'
import json, os, random, sys
path, seed, loss = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
# ESC, BEL, NUL's neighbours, DEL, CSI and NEL as one character, line and paragraph separators, the way back, quotes,
# and what ends things.
bad = "\x1b[2J\x07\x01\x7f\u009b31m\u0085\u2028\u2029\u202e\ufffe\r\n\t,;|\"'`````<b>&amp;]]>*_[x](http://y)=1+2(3)|\\"
rnd = random.Random(seed)
d = json.load(open(os.environ["SRC"] + "/tests/json/good-scratch.json"))
trial = next(t for t in d["trials"] if t["status"] == "ok")
work = next(s for s in trial["steps"] if s["kind"] == "workload")
mkfs = next(s for s in trial["steps"] if s["kind"] == "setup")
d["job"].update(name="job" + bad, description="```\n" + bad)
d["environment"]["kernel"]["release"] = f"{seed}" + bad
d["environment"]["cpu"]["governor"] = f"{seed}" + bad
d["environment"]["tools"] = {"mkfs" + bad: f"{seed}" + bad}
d["environment"]["warnings"] = [bad]
d["session"]["id"] = bad
d["session"]["boot_id"] = f"{seed}" + bad
d["variants"] = [{"id": f"v{i:02}" + bad, "values": {"factor" + bad: f"{i}" + bad, "=cmd()": "@sum(1)"}} for i in range(9)]
d["trials"] = []
for block in range(5):
    for i in range(9):
        t, s, m = (json.loads(json.dumps(x)) for x in (trial, work, mkfs))
        value = 1000 * (1 - loss) * rnd.uniform(0.99, 1.01) * (0.5 if i == 4 else 1)
        s["name"] = "step" + bad
        s["metrics"] = {"metric" + bad: {"value": value, "unit": "unit" + bad, "better": "higher", "primary": True}}
        s["latency"], s["expect"], s["warnings"] = {}, [], [bad]
        m["notes"] = {"command": f"/x{bad.replace(' ', '')}/mkfs -f", "tool_version": f"{seed}" + bad}
        t["filesystem"].update(type="fs" + bad, features=[f"f{seed}" + bad])
        t["filesystem"]["geometry"]["agcount" + bad] = f"{seed}" + bad
        t["device_settings"] = {"queue" + bad: f"{seed}" + bad}
        if block == 4 and i == 2:
            s.update(status="failed", reason=bad, metrics={})
        t.update(variant=f"v{i:02}" + bad, repeat=block + 1, block=block + 1, expectations=None, steps=[m, s])
        d["trials"].append(t)
json.dump(d, open(path, "w"))
END2
name=$'a\x1b[31m\n"<x>,`.json'
/usr/bin/python3 make.py "$name" 1 0
/usr/bin/python3 make.py b.json 2 0.3
/usr/bin/python3 make.py c.json 3 0.3

cat >harmless.py <<'END2'
import csv, io, json, re, sys, unicodedata, xml.etree.ElementTree as E
kind, path = sys.argv[1:3]
text = open(path, encoding="utf-8", newline="").read()
for c in text:
    o = ord(c)
    if (o < 32 and c != "\n") or 127 <= o < 160 or c in "\u2028\u2029\ufffe\uffff" or unicodedata.bidirectional(c) in ("RLO", "LRO", "PDF", "RLE", "LRE"):
        sys.exit(f"{c!r} in {path}")
assert text, "nothing in it"
if kind == "json":
    json.loads(text)
elif kind == "junit":
    E.fromstring(text)
elif kind in ("csv", "bonnie"):
    rows = list(csv.reader(io.StringIO(text), strict=True))
    assert len(rows) > 1 and len({len(r) for r in rows}) == 1, {len(r) for r in rows}
    assert len(rows) == text.count("\n"), "a row of several lines"
    for f in sum(rows, []):
        assert not re.match(r"\s*[=@].*[(|]", f), f
elif kind == "markdown":
    # Within fences anything goes, but the end of a fence; outside only tables of one width.
    fence, columns = None, set()
    for line in text.split("\n"):
        run = re.match(r"(`{3,})", line)
        if fence:
            if run and len(run.group(1)) >= len(fence) and not line.strip("` "):
                fence = None
        elif run:
            assert line == run.group(1), line
            fence = line
        elif line.startswith("|"):
            columns.add(len(re.sub(r"\\.", "", line).split("|")))
            assert not re.search(r"[<`*\[]", re.sub(r"\\.", "", line)), line
        else:
            assert not line, line
            columns = set()
        assert len(columns) < 2, line
    assert not fence
END2
# harmless KIND COMMAND...: whatever it exits with, short of not working.
harmless()
{
	local kind=$1 status=0
	shift
	fstrial "$@" >out 2>err || status=$?
	[ $status -le 4 ] && [ $status != 2 ] || { show_file err; fail "$* exits with $status"; }
	/usr/bin/python3 harmless.py "$kind" out || { show_file out; fail "$*: as $kind it is harmful"; }
}
for format in text markdown csv json junit; do
	harmless $format compare --format $format --all "$name" b.json
	harmless $format compare --format $format --force "$name" b.json
	harmless $format compare --format $format --force "$name" b.json c.json
done
mkdir $'mixed\x1b'
cp "$name" b.json $'mixed\x1b'
harmless text compare $'mixed\x1b' c.json
harmless markdown compare --format markdown $'mixed\x1b' c.json
for format in text markdown csv json; do
	harmless $format show --format $format --all --summary "$name"
done
for format in text json; do
	harmless $format effects --format $format "$name"
	harmless $format calibrate --format $format "$name" b.json
done
# Rows of another tool: names of its phases, and the job's as the machine.
/usr/bin/python3 - <<'END2'
import json
d = json.load(open("b.json"))
for t in d["trials"]:
    for s in t["steps"]:
        if s["kind"] == "workload":
            s["name"] = "write"
            for m in s["metrics"].values():
                m["unit"] = "bytes/s"
json.dump(d, open("phases.json", "w"))
END2
harmless bonnie show --format bonnie phases.json
# What was accepted is accepted again, names and all.
fstrial compare --force --write-accept accept.txt "$name" b.json >out && fail "30 % are a loss"
/usr/bin/python3 harmless.py text accept.txt || fail "the file of acceptances is harmful"
fstrial compare --force --allow-inconclusive --accept accept.txt "$name" b.json >out || { show_file out; fail "not accepted"; }
harmless text compare --force --accept accept.txt b.json "$name"
