#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The whole way from a job to an exit code, on numbers whose truth is known.
. "$(dirname "$0")/../helpers.sh"

job=$SRC/jobs/synthetic.job
run() { fstrial run --quiet "$@" "$job" >/dev/null; }
assert_exit 0 run --out base --seed 1
assert_schema base/result.json
assert_json base/result.json "all(not s['warnings'] for t in d['trials'] for s in t['steps'])"
# The same seed, the same numbers; another seed, others.
assert_exit 0 run --out again --seed 1
values() { fstrial show --format json "$1" | /usr/bin/python3 -c 'import json, sys
print(sorted((t["variant"], t["repeat"], s["metrics"]["rate"]["value"]) for t in json.load(sys.stdin)["trials"]
	for s in t["steps"] if s["metrics"]))'; }
assert_eq "$(values again)" "$(values base)"
assert_exit 0 run --out same --seed 2
[ "$(values same)" != "$(values base)" ] || fail "another seed gave the same numbers"
fstrial compare base same >out || [ $? = 3 ] || fail "a false alarm"
assert_contains out "0 regressed"
export FSTRIAL_SYNTHETIC_LOSS=0.15
assert_exit 0 run --out loss --seed 3
assert_exit 1 fstrial compare base loss >out
assert_contains out "1 regressed"
assert_contains out "REGRESSED  hit.rate"
export FSTRIAL_SYNTHETIC_LOSS=-0.15
assert_exit 0 run --out gain --seed 4
fstrial compare base gain >out || [ $? = 3 ] || fail "a gain is no regression"
assert_contains out "IMPROVED"
export FSTRIAL_SYNTHETIC_LOSS=much
assert_exit 1 run --out bad --repeats 1 2>err
assert_json bad/result.json "any('not a number below 1' in (t['reason'] or '') for t in d['trials'])"
