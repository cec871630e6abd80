#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Files that are cut off, spoiled or nothing of the kind: a clean refusal or a document, never a crash.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3

cat >spoil.py <<'END'
import json, os, random, subprocess, sys
import jsonschema
src, program = sys.argv[1:3]
schema = json.load(open(src + "/contrib/result.schema.json", encoding="utf-8"))
valid = jsonschema.Draft7Validator(schema)
rnd = random.Random(7)
files = []
for top in (src + "/tests/import", src + "/tests/data"):
    for where, _, names in os.walk(top):
        files += [os.path.join(where, n) for n in sorted(names)
                  if n.rsplit(".", 1)[-1] in ("csv", "txt", "json") and "golden" not in n]
options = [[], ["--from", "bonnie", "--check-elapsed"], ["--from", "fio", "--check-elapsed"],
           ["--from", "csv", "--metric", "*=KiB/s"], ["--from", "csv", "--metric", "*=time", "--check-elapsed"]]
runs = documents = 0

def attempt(data, args):
    global runs, documents
    open("spoilt", "wb").write(data)
    p = subprocess.run([program, "import", *args, "spoilt"], capture_output=True, timeout=60)
    runs += 1
    if p.returncode not in (0, 2):
        open("bad", "wb").write(data)
        sys.exit(f"exit {p.returncode} with {args}: {data[:300]!r}\n{p.stderr[-2000:].decode(errors='replace')}")
    if p.stdout:
        documents += 1
        doc = json.loads(p.stdout)
        if runs % 5 == 0:
            valid.validate(doc)
    elif p.returncode == 0 or b"refused" not in p.stderr:
        sys.exit(f"nothing and no reason, with {args}: {data[:300]!r}")

for path in files:
    good = open(path, "rb").read()[:6000]
    for args in options:
        attempt(good, args)
    for _ in range(6):
        attempt(good[:rnd.randrange(len(good))], rnd.choice(options))
        bad = bytearray(good)
        for _ in range(rnd.choice((1, 1, 2, 20))):
            bad[rnd.randrange(len(bad))] = rnd.choice(b",,\n\r\"+;:./-0a{}[]\x01\xff\xc3 \t%=")
        attempt(bytes(bad), rnd.choice(options))
row = b"x1,16G,73586,99,505013,61,27452,6,38169,51,55322,5,629.8,0,16:100000:16/64,7246,61,+++++,+++,16773,95,7751,70,1,1,10815,81\n"
for args in options:
    attempt(b"", args)
    attempt(b"\n\n \t\n", args)
    attempt(b"\xff\xfea\0,\0b\0\n\0", args)
    attempt(b"a,b\n1,\x002\n", args)
    attempt(b"x" * (4 << 20), args)
    attempt(b"," * (1 << 20), args)
    attempt(b"a,b\n" + b"\"" * 99999, args)
    attempt(b"+++ " * 200000, args)
    attempt(b"{\"jobs\":" + b"[" * 100000, args)
    attempt(b"{\"jobs\": [{\"jobname\": 7, \"read\": [], \"write\": {\"io_bytes\": -5, \"runtime\": 1e400}}]}", args)
    attempt(b"{\"fio version\": 3, \"jobs\": [null, {}, [], {\"jobname\": \"\", \"error\": -1, \"job options\": 4}]}", args)
    attempt(b"%CPU /sec %CP\n" + b"9 " * 13 + b"\n" + b"n " * 3 + b"9 " * 13 + b"\n", args)
attempt(row * 2000, [])
attempt(row[:-3] + b"\xff\xfe,9\n" + row.replace(b"x1", b"\xff\xfe"), [])
print(f"{runs} runs, {documents} documents")
sys.exit(0 if runs > 500 and documents > 100 else "too few")
END
/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
/usr/bin/python3 spoil.py "$SRC" "$BUILD/fstrial"

# What cannot be read is refused as well.
mkdir directory
for path in directory nowhere /dev/null; do
	assert_exit 2 fstrial import "$path" >out 2>err
	[ ! -s out ] || fail "$path: something on standard output"
	assert_contains err "$path"
done
