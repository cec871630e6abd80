#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The study jobs, made small: every variant of the study is there, those that a current kernel or tool refuses fail with
# its reason, and all others run to their end.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs

# study STATUS JOB VARIANTS ARG...: runs it. STATUS is the exit status that its comment promises.
study()
{
	local want=$1 job=$SRC/jobs/studies/$2.job out=${2%%-*} n=$3
	shift 3
	assert_exit "$want" fstrial run --quiet --repeats 1 --out "$out" "$@" "$job" >"$out.table" 2>"$out.log" || show_file "$out.log"
	assert_schema "$out/result.json"
	! grep -q stopped: "$out.log" || show_file "$out.log"
	assert_json "$out/result.json" "d['session']['status'] == 'complete' and len(d['variants']) == len(d['trials']) == $n"
}

# failures OUT EXPRESSION...: the variants for which an expression over v, their values, is true have failed, each with
# what is behind its " => " in the reason; all others are good.
failures()
{
	/usr/bin/python3 - "$@" <<-'END2' || fail "$1: other failures than those"
	import json, sys
	d = json.load(open(sys.argv[1] + "/result.json"))
	values = {v["id"]: v["values"] for v in d["variants"]}
	rules = [r.split(" => ") for r in sys.argv[2:]]
	hits, bad = [0] * len(rules), 0
	for t in d["trials"]:
	    v, reason = values[t["variant"]], None
	    for i, (when, text) in enumerate(rules):
	        if reason is None and eval(when, {"v": v}):
	            reason, hits[i] = text, hits[i] + 1
	    good = t["status"] == "ok" if reason is None else t["status"] == "failed" and reason in t["reason"]
	    # What ran has numbers, where a phase of milliseconds is enough for one.
	    for s in t["steps"] if good and reason is None else []:
	        if s["name"] in ("write", "unpack", "prealloc", "streams"):
	            good = good and any(m["primary"] and m["value"] is not None for m in s["metrics"].values())
	    if not good:
	        bad += 1
	        print(v, t["status"], t["reason"], "expected:", reason or "ok", file=sys.stderr)
	for i, n in enumerate(hits):
	    if not n:
	        bad += 1
	        print("no variant is", rules[i][0], file=sys.stderr)
	sys.exit(bad != 0)
	END2
}

# ---- 000: one change at a time
study 1 000-raid6-tuning 36 --set scale=0.02
failures 000 "v['change'] in ('noop', 'anticipatory', 'cfq') => the kernel offers" \
	"v['change'] == 'queue_depth_254' => has no device/queue_depth" \
	"v['change'] == 'block_512' => lock size" "v['change'] == 'inode_256' => inode size" \
	"v['change'] == 'nobarrier' => nobarrier"
in_force() { assert_json 000/result.json "[s['in_force'].get('$3') for t in d['trials'] for s in t['steps']
	if s['name'] == '$2' and t['variant'] == next(v['id'] for v in d['variants'] if v['values']['change'] == '$1')] == ['$4']"; }
in_force nr_requests_512 sysfs queue/nr_requests 512
in_force max_sectors_64 sysfs queue/max_sectors_kb 64
in_force setra_65536 readahead size $((32 << 20))
in_force none sysfs queue/scheduler none
geometry() { assert_json 000/result.json "[t['filesystem']['geometry']['$2'] for t in d['trials']
	if t['variant'] == next(v['id'] for v in d['variants'] if v['values']['change'] == '$1')] == [$3]"; }
geometry agcount_16 agcount 16
geometry su_64k_sw_8 swidth $((512 << 10))
geometry su_64k_sw_512 swidth $((32 << 20))
geometry sector_2048 sector_size 2048
geometry inode_2048 inode_size 2048

# ---- 001: groups by preallocation; the data that was not taken is there
study 0 001-prealloc-agsize 6 --set scale=0.0078125 --set region=24MiB
failures 001
assert_json 001/result.json "all(s['metrics'][m]['value'] is not None for t in d['trials'] for s in t['steps'] if s['name'] == 'prealloc'
	for m in ('first_write_log_forces', 'overwrite_throughput', 'conversion_cost', 'data_log_distance', 'extents_before'))"
assert_json 001/result.json "{t['filesystem']['geometry']['agcount'] for t in d['trials']} >= {4} and
	max(t['filesystem']['geometry']['agcount'] for t in d['trials']) > 100"

# ---- 004: thirty, of which the ten with nobarrier are refused
study 1 004-mkfs-by-mount 30 --set scale=0.1
failures 004 "'nobarrier' in v['mount'] => nobarrier"
assert_json 004/result.json "sorted({(v['values']['log_version'], v['values']['attr'], v['values']['stripe'], v['values']['log_size'])
	for v in d['variants']}).__len__() == 10"
assert_json 004/result.json "all(t['filesystem']['geometry']['log_size'] == {'16384b': 64 << 20, '128m': 128 << 20}[v['log_size']] and
	(t['filesystem']['geometry']['swidth'] == (9 * 262144 if v['stripe'] == '256k-9' else 0)) and
	('logbsize=256k' in t['filesystem']['mount']['options'].split(',') or 'logbsize' not in v['mount'])
	for t in d['trials'] if t['status'] == 'ok' for v in [{w['id']: w['values'] for w in d['variants']}[t['variant']]])"

# ---- 002: layouts by cache mode, and the log on another device
study 1 002-stripe-units 11 --set scale=0.05
failures 002 "v['layout'] == 'sunit=2,swidth=16' => not a multiple of the block size"
assert_json 002/result.json "all(t['filesystem']['geometry'][k] == {'sunit=16,swidth=128': (8192, 65536), 'su=8k,sw=2': (8192, 16384),
	'su=64k,sw=2': (65536, 131072), 'none': (0, 0)}[v['layout']][i] and
	t['filesystem']['geometry']['log_internal'] == (v['log'] == 'internal')
	for i, k in enumerate(('sunit', 'swidth')) for t in d['trials'] if t['status'] == 'ok'
	for v in [{w['id']: w['values'] for w in d['variants']}[t['variant']]])"
assert_json 002/result.json "{(v['log'], s['in_force'].get('queue/write_cache')) for t in d['trials'] if t['status'] == 'ok'
	for v in [{w['id']: w['values'] for w in d['variants']}[t['variant']]] for s in t['steps'] if s['name'] == 'sysfs'} ==
	{('internal', 'write through'), ('internal', 'write back'), ('external', 'write back')}"
