#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Plugins that crash, hang, exit or fail half way: the trial fails with the reason, what was changed is put
# back, the next trial runs.
. "$(dirname "$0")/../helpers.sh"

mkdir work
cat > bad.job <<'END'
job = "bad";
target = { directory = "work"; };
repeats = 1;
order = "listed";
vars = { path = "marker"; };
matrix = { mode = [ "segfault", "hang", "exit0", "error_after_change", "abort", "error", "skip", "ok" ]; };
steps = (
	{ setup = "fails_apply"; mode = "${mode}"; path = "${path}"; timeout = "1s"; },
	{ workload = "counts"; n = 10; }
);
END
assert_exit 1 fstrial run --plugin-dir "$BUILD/tests/plugins" --out out bad.job >table 2>log
[ ! -e marker ] || fail "the change was not undone"
assert_schema out/result.json
reason()
{
	assert_json out/result.json "len([t for t in d['trials'] if t['steps'][0]['params']['mode'] == '$1'
		and t['status'] == '$2' and $3]) == 1"
}
reason segfault failed "'SIGSEGV' in t['reason']"
reason hang failed "'timeout of 1 s' in t['reason'] and t['steps'][0]['errno'] == 'ETIMEDOUT'"
reason exit0 failed "'exit(0)' in t['reason']"
reason error_after_change failed "t['steps'][0]['errno'] == 'EIO' and 'after its change' in t['reason']"
reason abort failed "'SIGABRT' in t['reason']"
reason error failed "'before its change' in t['reason']"
reason skip ok "t['steps'][0]['status'] == 'skipped' and t['steps'][1]['status'] == 'ok'"
reason ok ok "t['steps'][1]['status'] == 'ok'"
# A workload after a failed step has no number.
assert_json out/result.json "all(t['steps'][1]['status'] == 'not run' and not t['steps'][1]['metrics']
	for t in d['trials'] if t['status'] == 'failed')"
assert_contains table SIGSEGV
assert_contains log SIGABRT
[ -z "$(ls work)" ] || fail "left in the directory: $(ls work)"

# Workloads that misbehave.
cat > worse.job <<'END'
job = "worse";
target = { directory = "work"; };
repeats = 1;
order = "listed";
matrix = { mode = [ "segfault", "hang", "exit0", "error_in_prepare", "error_in_run", "error_in_verify",
	"ignore_stop", "undeclared_metric", "ok" ]; };
steps = ( { workload = "misbehaves"; mode = "${mode}"; numjobs = 2; timeout = "2s"; n = 10; } );
END
assert_exit 1 fstrial run --plugin-dir "$BUILD/tests/plugins" --out out2 worse.job >table2 2>log2
assert_schema out2/result.json
assert_json out2/result.json "[t['status'] for t in d['trials']] == ['failed'] * 8 + ['ok']"
assert_json out2/result.json "all(t['reason'] for t in d['trials'][:8])"
