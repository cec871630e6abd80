#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A step that cannot be undone ends the session; recover does the rest once it can.
. "$(dirname "$0")/../helpers.sh"

mkdir work
cat > stuck.job <<'END'
job = "stuck";
target = { directory = "work"; };
repeats = 3;
vars = { mode = "error"; };
steps = (
	{ setup = "fails_apply"; path = "marker"; revert_mode = "${mode}"; },
	{ workload = "counts"; n = 10; }
);
END
export HOME=$PWD
run() { fstrial run --plugin-dir "$BUILD/tests/plugins" "$@"; }
assert_exit 1 run --out out stuck.job >table 2>log
assert_json out/result.json "d['session']['status'] == 'stopped' and len(d['trials']) == 1"
assert_contains log "could not be undone"
assert_contains log "fstrial recover"
[ -e marker ] || fail "the file should still be there"
# Nothing runs over leftovers.
assert_exit 5 run --out out2 stuck.job >table2 2>log2
assert_contains log2 "fstrial recover"
[ ! -e out2 ] || fail "a refused run left a results directory"
# It still cannot be done: named, and kept.
assert_exit 1 fstrial recover --plugin-dir "$BUILD/tests/plugins" >rec 2>&1
assert_contains rec "NOT put back: fails_apply"
assert_contains rec "marker = "
# Now it can.
journal=$(ls "$(fstrial config | sed -n 's/^undodir=//p')"/*.undo)
sed -i 's/"revert_mode","value":"error"/"revert_mode","value":"ok"/' "$journal"
assert_exit 0 fstrial recover --plugin-dir "$BUILD/tests/plugins" >rec 2>&1
assert_contains rec "put back: fails_apply"
[ ! -e marker ] || fail "not put back"
[ ! -e "$journal" ] || fail "the undo journal is still there"
assert_exit 0 run --out out3 --set mode=ok stuck.job >table3 2>log3
