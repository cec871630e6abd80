#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A PostgreSQL server on a file system under trial, by the job that is shipped: made, started, loaded, measured,
# ended; and ended by recover when the session is killed in the middle.
. "$(dirname "$0")/../helpers.sh"
# What a session that is killed here leaves does not stay when an assertion fails before it is put back.
cleanup_fn eval 'fstrial recover >/dev/null'
requires_root
requires mkfs.xfs setpriv
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || skip "PostgreSQL's server programs are not installed"
id postgres >/dev/null 2>&1 || skip "there is no user postgres"

# Others may run here too: ours are those that work where our session does.
servers() # RESULTS
{
	local place
	place=$(grep -o '/run/fstrial/mnt-[0-9a-f]*' "$1/commands.log" | sort -u) || return 0
	pgrep -f "$place/pg" || true
}
job=$SRC/jobs/postgresql.job
args=(--repeats 1 --set fs=xfs --set scale=1 --set seconds=2 --set clients=2)
assert_exit 0 fstrial run --out out "${args[@]}" "$job" >table 2>log || show_file log
assert_schema out/result.json
s="next(s for s in d['trials'][0]['steps'] if s['name'] == 'pgbench')"
assert_json out/result.json "${s}['metrics']['tps']['value'] > 0 and ${s}['metrics']['tps']['primary'] and
	${s}['metrics']['latency_mean']['value'] > 1000 and ${s}['metrics']['failed']['value'] == 0 and
	${s}['metrics']['transactions']['value'] >= ${s}['metrics']['tps']['value']"
assert_json out/result.json "[e['met'] for e in ${s}['expect']] == [True, True]"
assert_json out/result.json "${s}['notes']['program_version'].startswith('pgbench (PostgreSQL)')"
assert_json out/result.json "d['trials'][0]['filesystem']['type'] == 'xfs'"
assert_contains table "pgbench.tps"
assert_eq "$(servers out)" "" "servers left"

seconds=$((100000 + $$))
fstrial_bg run --out killed "${args[@]}" --set seconds=$seconds "$job" >table 2>log
pgbench_runs() { pgrep -f "[p]gbench --no-vacuum .*--time=$seconds" >/dev/null; }
wait_for 120 pgbench_runs || { show_file log; fail "pgbench never began"; }
[ -n "$(servers killed)" ] || fail "no server of ours"
kill -KILL "$PID"
wait "$PID" 2>/dev/null || true
# Its last processes may take a moment to go after it.
over() { ! fstrial recover --dry-run 2>&1 | grep -q 'running still'; }
wait_for 20 over || fail "the session does not end"
assert_exit 0 fstrial recover >rec 2>&1 || show_file rec
assert_contains rec "put back: server"
assert_contains rec "put back: mount"
none_left() { [ -z "$(servers killed)" ]; }
wait_for 10 none_left || fail "the server is still there"
