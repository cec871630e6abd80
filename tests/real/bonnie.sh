#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Bonnie's phases: six on the file of the first, cold where that matters, every byte counted once; six on files.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs

fstrial run --out out --repeats 1 --set size=64MiB --set runtime=2s --set files=512 "$SRC/jobs/bonnie.job" >table 2>log ||
	{ show_file log; show_file table; fail "the job"; }
assert_schema out/result.json
s="{s['name']: s for t in d['trials'] for s in t['steps'] if s['kind'] == 'workload'}"
assert_json out/result.json "all(x['status'] == 'ok' for x in $s.values()) and len($s) == 12"
assert_json out/result.json "all(${s}[n]['data']['laid_out_bytes'] == 0 for n in ('putc', 'write', 'rewrite', 'getc', 'read', 'seeks'))"
assert_json out/result.json "all(${s}[n]['data']['dataset_bytes'] == 64 << 20 for n in ('putc', 'write', 'rewrite', 'getc', 'read', 'seeks'))"
# Each phase did the size once, or what the time let it.
assert_json out/result.json "all(${s}[n]['measured']['bytes'] == 64 << 20 or ${s}[n]['measured']['elapsed_ns'] >= 2e9
	for n in ('putc', 'write', 'rewrite', 'getc', 'read'))"
assert_json out/result.json "all(${s}[n]['data']['cache'] == 'cold' for n in ('rewrite', 'getc', 'read', 'seeks'))"
assert_json out/result.json "all('CPU' in ${s}[n]['notes']['cpu_bound'] for n in ('putc', 'getc'))"
# Rewriting: as many reads as writes, one of them counted.
r="${s}['rewrite']"
assert_json out/result.json "${r}['latency']['load']['count'] - ${r}['latency']['write']['count'] in (0, 1)"
assert_json out/result.json "${r}['measured']['ops'] == ${r}['latency']['write']['count'] and
	${r}['measured']['bytes'] == 8192 * ${r}['measured']['ops']"
assert_json out/result.json "abs(${r}['metrics']['throughput']['value'] * ${r}['measured']['elapsed_ns'] / 1e9 / ${r}['measured']['bytes'] - 1) < 1e-6"
# Seeks: a tenth is updated, within five standard deviations; the rate counts seeks.
k="${s}['seeks']"
assert_json out/result.json "${k}['measured']['workers'] == 3 and ${k}['measured']['ops'] == ${k}['latency']['seek']['count']"
assert_json out/result.json "abs(${k}['latency']['update']['count'] - 0.1 * ${k}['measured']['ops'])
	< 5 * math.sqrt(0.09 * ${k}['measured']['ops']) + 3"
assert_json out/result.json "abs(${k}['metrics']['seek_rate']['value'] * ${k}['measured']['elapsed_ns'] / 1e9 / ${k}['measured']['ops'] - 1) < 1e-6"
# The twelve figures are all there.
for figure in putc.throughput write.throughput rewrite.throughput getc.throughput read.throughput seeks.seek_rate \
	seq_create.create_rate seq_read.open_read_close_rate seq_delete.unlink_rate \
	ran_create.create_rate ran_read.open_read_close_rate ran_delete.unlink_rate; do
	assert_contains table "$figure"
	assert_json out/result.json "${s}['${figure%.*}']['metrics']['${figure#*.}']['value'] > 0"
done
assert_json out/result.json "${s}['seq_create']['latency']['create']['count'] == ${s}['ran_delete']['latency']['unlink']['count'] == 512"

# The same figures as a row of bonnie++, and read back from it.
fstrial show --format bonnie out >row.csv
assert_eq "$(wc -l <row.csv) $(tr -cd , <row.csv | wc -c)" "1 26"
fstrial import --out imported.json row.csv 2>err || { show_file err; fail "import of our own row"; }
assert_contains err "1 row: 1 plain, 0 joined, 0 damaged, 0 copies; 0 refused; 1 variant"
assert_schema imported.json
cat >same.py <<'END'
import json
def figures(path):
    steps = [s for s in json.load(open(path))["trials"][0]["steps"] if s["kind"] == "workload"]
    return {s["name"]: next(m["value"] for n, m in s["metrics"].items()
            if m["primary"] and m["value"] is not None) for s in steps}
a, b = figures("out/result.json"), figures("imported.json")
assert len(b) == 12 and a == b, (a, b)
size = json.load(open("imported.json"))["trials"][0]["steps"]
assert size[1]["params"]["file_size"] == 64 << 20 and size[6]["params"]["files"] == 512, size
END
/usr/bin/python3 same.py || fail "other figures after the round trip"
