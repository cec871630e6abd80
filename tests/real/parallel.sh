#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Workloads that run at the same time: begun together, ended by the group's rule, and all together when
# something happens to one of them.
. "$(dirname "$0")/../helpers.sh"

mkdir work
cat >mixed.job <<'END'
target = { directory = "work"; };
repeats = 1;
vars = { stop = "all"; shared = false; time = "2s"; };
steps = (
	{ parallel = (
		{ workload = "sequential"; name = "writer"; rw = "write"; size = "2MiB"; bs = "64KiB"; runtime = "1s";
		  end_fsync = true; },
		{ workload = "sequential"; name = "reader"; rw = "read"; size = "4MiB"; bs = "4KiB"; runtime = "${time}"; },
		{ workload = "sequential"; name = "short"; rw = "write"; size = "1MiB"; bs = "64KiB"; }
	  );
	  name = "mixed"; stop = "${stop}"; shared_files = "${shared}"; }
);
END

# group NAME ARG...: runs it, all must be well; the steps are s['writer'] ... in the expressions after it.
group()
{
	local out=$1
	shift
	assert_exit 0 fstrial run --out "$out" "$@" mixed.job >table 2>log
	assert_schema "$out/result.json"
	steps "$out" "[x['status'] for x in s.values()] == ['ok'] * 3"
	# Numbers of their own, and a time that both ran.
	steps "$out" "all(x['metrics']['throughput']['value'] > 0 and not x['measured']['partial'] for x in s.values())"
	steps "$out" "(lambda w, r: max(w['started_ns'], r['started_ns']) < min(w['started_ns'] + w['elapsed_ns'],
		r['started_ns'] + r['elapsed_ns']))(s['writer']['measured'], s['reader']['measured'])"
	[ -z "$(ls work)" ] || fail "left in the directory: $(ls work)"
}

# steps OUT EXPRESSION over s, the steps of the first trial by name, and t, the trial.
steps()
{
	assert_json "$1/result.json" "(lambda t, s: $2)(d['trials'][0], {x['name']: x for x in d['trials'][0]['steps']})"
}

group all
steps all "all(x['parallel'] == {'name': 'mixed', 'stop': 'all', 'shared_files': False} for x in s.values())"
steps all "s['writer']['measured']['elapsed_ns'] > 9e8 and s['reader']['measured']['elapsed_ns'] > 18e8"
steps all "not any('stopped_by' in x['notes'] for x in s.values())"
# Each has files of its own, though all would be called the same: the reader laid out its own.
steps all "s['reader']['data']['laid_out_bytes'] == 4 << 20 and s['short']['measured']['bytes'] == 1 << 20"

# The reader has time enough that nobody would wait for it.
begin=$SECONDS
group first --set stop=first --set time=500s
steps first "all(s[x]['notes'].get('stopped_by') == 'short' for x in ('writer', 'reader'))"
# The end by plan is an end: what is to be synced at it was.
steps first "s['writer']['measured']['sync_boundary'] == 'fsync at end, inside the measured time'"

group named --set stop=writer --set time=500s
steps named "s['reader']['notes']['stopped_by'] == 'writer' and 'stopped_by' not in s['short']['notes']"
steps named "s['writer']['measured']['elapsed_ns'] > 9e8"
[ $((SECONDS - begin)) -lt 500 ] || fail "the reader was not stopped"

# ---- something happens to one ------------------------------------------------------------------------

cat >bad.job <<'END'
target = { directory = "work"; };
repeats = 1;
order = "listed";
matrix = { mode = [ "segfault", "hang", "exit0", "error_in_prepare", "error_in_run", "error_in_verify", "skip",
	"ok" ]; };
steps = (
	{ parallel = (
		{ workload = "sequential"; name = "beside"; rw = "write"; size = "1MiB"; bs = "64KiB"; runtime = "60s"; },
		{ workload = "misbehaves"; name = "bad"; mode = "${mode}"; n = 10; timeout = "2s"; }
	  ); stop = "bad"; },
	{ workload = "counts"; n = 10; }
);
END
begin=$SECONDS
assert_exit 1 fstrial run --plugin-dir "$BUILD/tests/plugins" --out bad bad.job >table 2>log
[ $((SECONDS - begin)) -lt 60 ] || fail "a member was waited for"
assert_schema bad/result.json
# mode MODE EXPRESSION over t, the trial, and s, its steps by name.
mode()
{
	assert_json bad/result.json "(lambda t, s: $2)(*[(t, {x['name']: x for x in t['steps']}) for t in d['trials']
		if '$1' == [v['values']['mode'] for v in d['variants'] if v['id'] == t['variant']][0]][0])"
}
for what in "segfault SIGSEGV" "hang timeout" "exit0 exit(0)" "error_in_prepare prepare" "error_in_run told" \
	"error_in_verify wrong"; do
	mode "${what%% *}" "t['status'] == 'failed' and t['reason'].startswith('bad: ') and '${what#* }' in t['reason']"
	mode "${what%% *}" "s['bad']['status'] == 'failed' and s['counts']['status'] == 'not run'"
done
for what in segfault hang exit0 error_in_prepare error_in_run; do
	mode $what "s['beside']['status'] == 'interrupted' and 'because bad, which ran beside it' in s['beside']['reason']"
done
# It had no partner, so that it did not even begin.
mode error_in_prepare "s['beside']['metrics']['throughput']['value'] is None"
mode segfault "s['beside']['measured']['partial'] is True"
mode skip "t['status'] == 'ok' and s['bad']['status'] == 'skipped' and s['counts']['status'] == 'ok'"
mode skip "s['beside']['status'] == 'skipped' and 'bad' in s['beside']['reason'] and not s['beside']['metrics']"
mode ok "t['status'] == 'ok' and s['beside']['notes']['stopped_by'] == 'bad'"
assert_contains table "bad: crashed: SIGSEGV"
[ -z "$(ls work)" ] || fail "left in the directory: $(ls work)"

# ---- the session is interrupted ----------------------------------------------------------------------

sed 's/runtime = "1s"/runtime = "60s"/; s/time = "2s"/time = "60s"/; /"short"/s/bs = "64KiB"/bs = "64KiB"; runtime = "60s"/' mixed.job >long.job
fstrial_bg run --out interrupted long.job >table 2>log
writing() { ls work/*/*/writer/data.0.0 work/*/*/reader/data.0.0 >/dev/null 2>&1; }
wait_for 20 writing || fail "the workloads never began"
sleep 1
kill -INT "$PID"
assert_exit 1 wait "$PID"
assert_schema interrupted/result.json
assert_json interrupted/result.json "d['session']['status'] == 'interrupted' and len(d['trials']) == 1"
steps interrupted "t['status'] == 'interrupted' and all(x['status'] == 'interrupted' and x['measured']['partial']
	and x['metrics']['throughput']['value'] > 0 for x in s.values())"
[ -z "$(ls work)" ] || fail "left in the directory: $(ls work)"

# ---- shared files --------------------------------------------------------------------------------------

cat >shared.job <<'END'
target = { directory = "work"; };
repeats = 1;
steps = (
	{ workload = "sequential"; name = "layout"; rw = "write"; size = "4MiB"; bs = "64KiB"; },
	{ parallel = (
		{ workload = "sequential"; name = "a"; rw = "read"; size = "4MiB"; bs = "64KiB"; },
		{ workload = "sequential"; name = "b"; rw = "read"; size = "4MiB"; bs = "4KiB"; }
	  ); shared_files = true; }
);
END
assert_exit 0 fstrial run --out shared shared.job >table 2>log
assert_schema shared/result.json
steps shared "all(s[x]['data']['laid_out_bytes'] == 0 and s[x]['parallel']['shared_files'] for x in ('a', 'b'))"
steps shared "s['layout']['parallel'] is None"

# A plan has the data of all members at once, and their time once.
fstrial plan --json mixed.job >plan
assert_json plan "d['plan']['peak_bytes'] == 7 << 20 and 2e9 <= d['plan']['time_ns'] < 3e9"
fstrial plan mixed.job >plan
assert_contains plan "(writer + reader + short)"
