#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Directory mode: no root needed, nothing of the user's touched, what is left out is said.
. "$(dirname "$0")/../helpers.sh"

mkdir data
echo precious >data/mine
ln -s mine data/link
assert_exit 0 fstrial run --directory data --repeats 1 --out out "$SRC/jobs/quickstart.job" >table 2>log ||
	true
assert_schema out/result.json
assert_json out/result.json "d['session']['target']['kind'] == 'directory' and d['session']['status'] == 'complete'"
assert_json out/result.json "all(s['status'] == 'skipped' and s['reason'] for t in d['trials'] for s in t['steps']
	if s['plugin'] in ('mkfs', 'mount'))"
assert_json out/result.json "all(s['status'] == 'ok' for t in d['trials'] for s in t['steps'] if s['kind'] == 'workload')"
assert_contains table "the target is a directory"
assert_eq "$(ls data)" "$(printf 'link\nmine')"
assert_eq "$(cat data/mine)" precious
# A place that is none: said before anything is made.
touch file
for place in nowhere file; do
	assert_exit 2 fstrial run --directory $place --out out2 "$SRC/jobs/quickstart.job" >table 2>log
	assert_contains log $place
	[ ! -e out2 ] || fail "a run that could not begin left a results directory"
	assert_exit 0 fstrial recover >rec
	assert_contains rec "nothing to recover"
done
