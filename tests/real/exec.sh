#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs of the job's own: where they run and as whom, what is put back, servers, and that nothing outlives its
# step; also when the session is killed.
. "$(dirname "$0")/../helpers.sh"
# What a session that is killed here leaves does not stay when an assertion fails before it is put back.
cleanup_fn eval 'fstrial recover >/dev/null'

mkdir work
job() # STEPS...
{
	printf 'job = "exec";\ntarget = { directory = "work"; };\nrepeats = 1;\nsteps = (\n%s\n);\n' "$*"
}
step="next(s for s in d['trials'][0]['steps'] if s['name'] == '%s')"
of() { printf "$step" "$1"; }
# The marks that this test's processes carry in their arguments.
mark=fstrial-exec-$$ nap=98765$$
running() { pgrep -f "[s]leep $nap|$mark-[s]erver" >/dev/null; }

# ---- what it finds around itself, and what it leaves is taken away
cat >where.sh <<'END2'
#!/bin/sh
[ "$(pwd)" = "$FSTRIAL_DIR/sub" ] && [ "$1" = "$FSTRIAL_DIR" ] && [ "$2" = "%{dir} 5%" ] && [ "$MORE" = "in $FSTRIAL_DIR" ] &&
	[ "$FSTRIAL_SEED" -ge 0 ] && [ "$FSTRIAL_SIZE" -gt 0 ] && [ -z "$FSTRIAL_DEVICE" ] && ! read -r line
END2
chmod +x where.sh
job '{ setup = "exec"; name = "sub"; argv = ["mkdir", "sub"]; undo = ["rmdir", "%{dir}/sub"]; },
	{ workload = "exec"; name = "where"; cwd = "sub"; path = ["'"$PWD"'", "/nonexistent-*"]; argv = ["where.sh", "%{dir}", "%%{dir} 5%"];
	  env = ["MORE=in %{dir}"]; }' >a.job
assert_exit 1 fstrial run --out out1 a.job >table 2>log
assert_json out1/result.json "'path: /nonexistent-*' in $(of where)['reason']"
sed -i 's|, "/nonexistent-\*"||' a.job
assert_exit 0 fstrial run --out out2 a.job >table 2>log || show_file log
assert_schema out2/result.json
assert_json out2/result.json "$(of where)['metrics']['elapsed']['primary'] and $(of where)['metrics']['elapsed']['value'] > 0"
assert_contains out2/commands.log "rmdir"

# ---- why it failed; what was done is undone all the same
job '{ setup = "exec"; name = "half"; argv = ["sh", "-c", "touch '"$PWD"'/half; echo going; echo \"e: cannot go on\" >&2; exit 9"];
	  undo = ["rm", "'"$PWD"'/half"]; }, { workload = "exec"; argv = ["true"]; }' >a.job
assert_exit 1 fstrial run --out out3 a.job >table 2>log
assert_json out3/result.json "$(of half)['reason'] == 'sh: exit status 9: e: cannot go on'"
[ ! -e half ] || fail "not undone"
job '{ workload = "exec"; argv = ["no-such-program-x"]; }' >a.job
assert_exit 1 fstrial run --out out4 a.job >table 2>log
assert_json out4/result.json "$(of exec)['errno'] == 'ENOENT' and 'no-such-program-x' in $(of exec)['reason']"

# ---- nothing outlives its step
job '{ setup = "exec"; name = "daemon"; argv = ["sh", "-c", "setsid sleep '$nap' >/dev/null 2>&1 & :"]; },
	{ workload = "exec"; name = "seen"; argv = ["sh", "-c", "! pgrep -f [s]leep.'$nap'"]; },
	{ workload = "exec"; name = "late"; argv = ["sh", "-c", "sleep '$nap'"]; timeout = "1s"; }' >a.job
assert_exit 1 fstrial run --out out5 a.job >table 2>log
assert_json out5/result.json "' running, which is killed now' in $(of daemon)['warnings'][0] and $(of seen)['status'] == 'ok'"
assert_json out5/result.json "'timeout of 1 s' in $(of late)['reason']"
! running || fail "a program outlived its step"
# Its time may be over: then it is asked to end, and what it said by then counts.
job '{ workload = "exec"; argv = ["sh", "-c", "echo n 3; trap \"echo n 4; exit 1\" TERM; while :; do sleep 0.05; done"]; runtime = "1s";
	  metrics = ["n = /n ([0-9])/ higher"]; }' >a.job
assert_exit 0 fstrial run --out out6 a.job >table 2>log
assert_json out6/result.json "$(of exec)['metrics']['n']['value'] == 4 and 'ended before' in $(of exec)['warnings'][0]"

# ---- servers: there for all steps of the trial, gone after it
cat >server.sh <<'END2'
#!/bin/bash
# Takes its time to be ready, and to end.
trap 'rm -f up; exit' INT
echo starting
sleep 0.3
touch up
while :; do sleep 0.05; done
END2
chmod +x server.sh
server='{ setup = "exec"; name = "server"; argv = ["'$PWD'/server.sh", "'$mark'-server"]; background = true; ready = ["test", "-e", "up"];
	stop_signal = "SIGINT"; log = "log"; }'
job "$server"', { workload = "exec"; name = "one"; argv = ["sh", "-c", "pgrep -f '$mark'-[s]erver && test -e up && cat log"]; },
	{ workload = "exec"; name = "two"; argv = ["sh", "-c", "pgrep -f '$mark'-[s]erver && test -e up"]; }' >a.job
assert_exit 0 fstrial run --out out7 a.job >table 2>log
assert_contains out7/commands.log "| starting"
! running || fail "the server is still there"
job '{ setup = "exec"; name = "server"; argv = ["sh", "-c", "echo fatal: no port >&2; exit 3"]; background = true; ready = ["false"]; },
	{ workload = "exec"; argv = ["true"]; }' >a.job
assert_exit 1 fstrial run --out out8 a.job >table 2>log
assert_json out8/result.json "$(of server)['reason'] == 'sh ended with status 3: fatal: no port'"

# What it prints without a log of its own is with what all other programs printed.
job '{ setup = "exec"; name = "server"; argv = ["sh", "-c", "echo here I am; exec sleep '$nap'"]; background = true; },
	{ workload = "exec"; argv = ["true"]; }' >a.job
assert_exit 0 fstrial run --out out12 a.job >table 2>log
assert_contains out12/commands.log "| here I am"

# Interrupted, the server ends with its trial; killed, by recover.
job "$server"', { workload = "exec"; argv = ["sh", "-c", "sleep '$nap' & wait"]; }' >long.job
working() { pgrep -f "[s]leep $nap" >/dev/null; }
fstrial_bg run --out out9 long.job >table 2>log
wait_for 20 working || fail "never began"
kill -INT "$PID"
wait "$PID" && fail "interrupted, and said to be good"
! running || fail "left by an interrupted session"
assert_json out9/result.json "d['session']['status'] == 'interrupted'"
fstrial_bg run --out out10 long.job >table 2>log
wait_for 20 working || fail "never began"
kill -KILL "$PID"
wait "$PID" 2>/dev/null || true
running || fail "the server is to be ended by recover, not by chance"
# What was measured ends with the session, and what that had started with it.
not_working() { ! working; }
wait_for 10 not_working || fail "a program's child outlived the session"
# Its last processes may take a moment to go after it.
over() { ! fstrial recover --dry-run 2>&1 | grep -q 'running still'; }
wait_for 20 over || fail "the session does not end"
assert_exit 0 fstrial recover >rec 2>&1
assert_contains rec "put back: server"
! running || fail "recover left the server"
assert_exit 0 fstrial recover >rec 2>&1

# ---- all that is wrong with it is said when it is read
says() # TEXT STEP
{
	job "$2" >bad.job
	assert_exit 2 fstrial check bad.job >out.txt 2>err
	assert_contains err "$1"
}
says 'one word with blanks' '{ workload = "exec"; argv = "mkdir -p x"; }'
says 'unknown place' '{ workload = "exec"; argv = ["ls", "%{dri}"]; }'
says 'unknown metric "tsp"; did you mean "tps"?' '{ workload = "exec"; argv = "x"; parser = "pgbench"; expect = "tsp > 1"; }'
says 'tps is compared with a rate without a unit' '{ workload = "exec"; argv = "x"; parser = "pgbench"; expect = "tps > 1ms"; }'
says 'the regular expression is wrong' '{ workload = "exec"; argv = "x"; metrics = ["a = /(/"]; }'
says 'ready is for background = true' '{ setup = "exec"; name = "s"; argv = "x"; ready = "y"; }, { workload = "exec"; argv = "x"; }'

# ---- as somebody else
[ "$(id -u)" = 0 ] || skip "the rest needs root: a program that runs as another user"
requires setpriv mkfs.xfs
id nobody >/dev/null 2>&1 || skip "the rest needs a user nobody"
cat >user.job <<'END2'
job = "user";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
steps = (
	{ setup = "mkfs"; fs = "xfs"; }, { setup = "mount"; },
	{ setup = "exec"; name = "place"; argv = ["install", "-d", "-o", "nobody", "place"]; },
	{ workload = "exec"; name = "mine"; user = "nobody"; cwd = "place"; argv = ["sh", "-c", "id -un; touch x; echo $HOME"]; },
	{ workload = "exec"; name = "not_mine"; user = "nobody"; argv = ["touch", "x"]; }
);
END2
assert_exit 1 fstrial run --out out11 user.job >table 2>log
assert_json out11/result.json "$(of mine)['status'] == 'ok' and 'Permission denied' in $(of not_mine)['reason']"
assert_contains out11/commands.log "| nobody"
