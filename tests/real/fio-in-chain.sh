#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fio as a step of a job: its numbers are those of its own document, and of the order of our loop's.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs fio

assert_exit 0 fstrial run --out out --repeats 1 --set size=64MiB --set runtime=1 "$SRC/jobs/fio-in-chain.job" >table 2>log ||
	show_file log
assert_schema out/result.json
s="{s['name']: s for s in d['trials'][0]['steps']}"
assert_json out/result.json "${s}['fio']['metrics']['read_rate']['value'] > 0 and ${s}['fio']['metrics']['write_rate']['value'] is None"
assert_json out/result.json "abs(${s}['fio']['metrics']['read_throughput']['value'] /
	(4096 * ${s}['fio']['metrics']['read_rate']['value']) - 1) < 0.01"
assert_json out/result.json "${s}['fio']['notes']['program_version'].startswith('fio-') and ${s}['fio']['expect'][0]['met']"
# Both did the same to the same file. How fast is the machine's affair.
assert_json out/result.json "${s}['own_before']['metrics']['iops']['value'] > 0 and ${s}['own_after']['metrics']['iops']['value'] > 0"
# The very numbers that fio printed.
/usr/bin/python3 - <<'END2' || fail "other numbers than fio's"
import json
text = "".join(l[2:] for l in open("out/commands.log") if l.startswith("| "))
doc = json.loads(text[text.index("{\n"):])
read = doc["jobs"][0]["read"]
trial = json.load(open("out/result.json"))["trials"][0]
m = next(s for s in trial["steps"] if s["name"] == "fio")["metrics"]
assert m["read_throughput"]["value"] == read["bw_bytes"], (m["read_throughput"], read["bw_bytes"])
assert abs(m["read_rate"]["value"] / read["iops"] - 1) < 1e-9
assert abs(m["read_mean"]["value"] / read["lat_ns"]["mean"] - 1) < 1e-9
assert m["read_clat_p99"]["value"] == read["clat_ns"]["percentile"]["99.000000"]
END2

# fio that fails fails the step, in its own words.
touch plain
cat >bad.job <<END2
job = "bad";
target = { directory = "."; };
repeats = 1;
steps = ( { workload = "exec"; name = "fio"; parser = "fio";
	argv = ["fio", "--output-format=json", "--name=x", "--rw=read", "--size=1m", "--filename=$PWD/plain/file"]; } );
END2
assert_exit 1 fstrial run --out bad bad.job >table 2>log
assert_json bad/result.json "d['trials'][0]['steps'][0]['status'] == 'failed' and
	'Not a directory' in d['trials'][0]['steps'][0]['reason']"
