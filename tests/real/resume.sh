#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run --resume: a session that was killed, or interrupted, goes on where its journal ends, in the order it would have had.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3

mkdir work
cat > resume.job <<'END'
job = "resume";
target = { directory = "work"; };
repeats = 4;
seed = 11;
canaries = false;
matrix = { mean = [1000, 2000, 3000]; };
steps = ( { workload = "synthetic"; mean = "${mean}"; } );
END
values() { /usr/bin/python3 -c "
import json, sys
d = json.load(open(sys.argv[1]))
print([(t['variant'], t['block'], t['position'], t['steps'][0]['metrics']['rate']['value']) for t in d['trials']])" "$1"; }

assert_exit 0 fstrial run --quiet --out whole resume.job >/dev/null
# As SIGKILL leaves it: no end, no result, and a last line that was cut off in the middle.
mkdir cut
head -n 6 whole/journal.jsonl >cut/journal.jsonl
sed -n 7p whole/journal.jsonl | head -c 300 >>cut/journal.jsonl
assert_exit 0 fstrial show cut >/dev/null
assert_exit 0 fstrial run --quiet --resume cut resume.job >table
assert_schema cut/result.json
assert_contains table "12 of 12"
assert_json cut/result.json "d['session']['status'] == 'complete' and len(d['session']['resumed']) == 1"
assert_eq "$(values cut/result.json)" "$(values whole/result.json)"
assert_json cut/result.json "d['session']['id'] == '$(/usr/bin/python3 -c "import json; print(json.load(open('whole/result.json'))['session']['id'])")'"

# One that is complete has nothing to go on with, and stays as it is.
sum=$(sha256sum whole/journal.jsonl)
assert_exit 2 fstrial run --quiet --resume whole resume.job >/dev/null 2>err
assert_contains err "complete"
assert_eq "$(sha256sum whole/journal.jsonl)" "$sum"

# refused WHAT JOB ARG...: another job, repeats, kernel, or plugin is another session.
refused()
{
	local what=$1 job=$2 before after
	shift 2
	before=$(sha256sum cut2/journal.jsonl)
	assert_exit 2 fstrial run --quiet --resume cut2 "$@" "$job" >/dev/null 2>err
	assert_contains err "$what"
	after=$(sha256sum cut2/journal.jsonl)
	assert_eq "$after" "$before"
	[ ! -e cut2/result.json ] || fail "a result"
}
mkdir cut2 && head -n 6 whole/journal.jsonl >cut2/journal.jsonl
sed 's/3000/4000/' resume.job >other.job
refused "SHA-256" other.job
refused "repeats" resume.job --repeats 5
refused "variants" resume.job --set mean=2000
refused "no --seed" resume.job --seed 3
refused "no --out" resume.job --out x
mkdir elsewhere
refused "another target" resume.job --directory elsewhere
sed -i "1s/\"release\":\"[^\"]*\"/\"release\":\"2.6.34\"/" cut2/journal.jsonl
refused "kernel is 2.6.34" resume.job
head -n 6 whole/journal.jsonl >cut2/journal.jsonl
sed -i '1s/\("plugins":\[{[^}]*"sha256":"\)[0-9a-f]\{8\}/\100000000/' cut2/journal.jsonl
assert_exit 1 fstrial run --quiet --resume cut2 resume.job >/dev/null 2>err
assert_contains err "plugin synthetic is not the one"
mkdir empty
assert_exit 2 fstrial run --quiet --resume empty resume.job >/dev/null 2>err
assert_contains err "no journal.jsonl"
echo '{"type":' >cut2/journal.jsonl
assert_exit 2 fstrial run --quiet --resume cut2 resume.job >/dev/null 2>err
assert_contains err "journal.jsonl"

# Interrupted in a trial: that one is done again, and only its second doing is in the result.
cat > long.job <<'END'
job = "long";
target = { directory = "work"; };
repeats = 3;
canaries = false;
steps = ( { workload = "counts"; n = 10; }, { workload = "io"; rw = "write"; size = "1MiB"; time_based = true; runtime = "${seconds}s"; } );
vars = { seconds = 1; };
END
run() { fstrial run --plugin-dir "$BUILD/tests/plugins" --quiet "$@" long.job; }
"$BUILD/fstrial" run --plugin-dir "$BUILD/tests/plugins" --quiet --out int long.job >/dev/null 2>&1 &
pid=$!
# first_trial DIR PID: the first trial of the session is in its journal.
first_trial()
{
	until grep -qs '"type":"trial"' "$1/journal.jsonl"; do
		kill -0 "$2" || fail "ended by itself"
		sleep 0.05
	done
}
first_trial int $pid
kill -INT $pid
wait $pid && fail "exit 0 after an interrupt"
assert_json int/result.json "d['session']['status'] == 'interrupted'"
assert_exit 0 run --resume int >/dev/null
assert_schema int/result.json
assert_json int/result.json "d['session']['status'] == 'complete' and [t['block'] for t in d['trials']] == [1, 2, 3] and all(t['status'] == 'ok' for t in d['trials'])"

# With --until, earlier repeats count.
sed 's/matrix.*/matrix = { cv = [0.0001, 0.03]; };/; s/mean = "${mean}"/cv = "${cv}"/' resume.job >until.job
assert_exit 0 fstrial run --quiet --until half-width --out u until.job >/dev/null
mkdir ucut && head -n 8 u/journal.jsonl >ucut/journal.jsonl
assert_exit 0 fstrial run --quiet --until half-width --resume ucut until.job >/dev/null
assert_eq "$(values ucut/result.json)" "$(values u/result.json)"
assert_json ucut/result.json "d['session']['until']['variants'] == $(/usr/bin/python3 -c "import json; print(json.load(open('u/result.json'))['session']['until']['variants'])")"

# The power cut: a session on a scratch image is killed, recovered, and goes on.
[ "$(id -u)" = 0 ] && command -v mkfs.ext4 >/dev/null || exit 0
sed -e 's/target = .*/target = { scratch = "64MiB"; scratch_dir = "."; };/' \
	-e 's/steps = (/steps = ( { setup = "mkfs"; fs = "ext4"; }, { setup = "mount"; },/' long.job >scratch.job
"$BUILD/fstrial" run --plugin-dir "$BUILD/tests/plugins" --quiet --out killed scratch.job >/dev/null 2>&1 &
pid=$!
first_trial killed $pid
kill -KILL $pid
wait $pid || :
assert_exit 5 fstrial run --plugin-dir "$BUILD/tests/plugins" --quiet --resume killed scratch.job >/dev/null 2>err
assert_contains err "fstrial recover"
assert_exit 0 fstrial recover >/dev/null
assert_exit 0 fstrial run --plugin-dir "$BUILD/tests/plugins" --quiet --resume killed scratch.job >/dev/null
assert_schema killed/result.json
assert_json killed/result.json "[t['block'] for t in d['trials']] == [1, 2, 3] and all(t['status'] == 'ok' for t in d['trials'])"
# A line that is damaged is named by its number in the file.
mkdir damaged
sed '4s/.*/{"type": garbage}/' whole/journal.jsonl >damaged/journal.jsonl
for command in "run --quiet --resume damaged resume.job" "show damaged"; do
	assert_exit 2 fstrial $command >/dev/null 2>err
	assert_contains err "damaged/journal.jsonl:4:"
	assert_lacks err "journal.jsonl:1:"
done
