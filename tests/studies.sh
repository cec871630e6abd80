# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the tests of the study jobs share, behind helpers.sh. The jobs are made small: every variant of the study is there,
# those that a current kernel or tool refuses fail with its reason, and all others run to their end.
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

# The machine is put back also when a session is stopped by what should not have happened.
cleanup_fn eval 'fstrial recover >/dev/null'
