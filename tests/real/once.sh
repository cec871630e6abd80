#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Steps of `once`: in force for all trials, undone at the end; a failing one stops the session.
. "$(dirname "$0")/../helpers.sh"

mkdir work
cat > once.job <<'END'
job = "once";
target = { directory = "work"; };
repeats = 3;
vars = { mode = "ok"; };
once = ( { setup = "fails_apply"; path = "marker"; mode = "${mode}"; } );
steps = ( { workload = "counts"; n = 10; } );
END
run() { fstrial run --plugin-dir "$BUILD/tests/plugins" "$@" once.job; }
assert_exit 0 run --out out >table 2>log
assert_schema out/result.json
assert_json out/result.json "len(d['session']['once']) == 1 and d['session']['once'][0]['status'] == 'ok' and len(d['trials']) == 3"
[ ! -e marker ] || fail "not undone"
assert_exit 1 run --out bad --set mode=error_after_change >table 2>log
assert_json bad/result.json "d['session']['status'] == 'stopped' and d['trials'] == []"
assert_contains log "after its change"
[ ! -e marker ] || fail "not undone after the failure"
