#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How often verdicts are wrong: whole runs of jobs/synthetic.job (24 variants, 5 repeats, 2 % spread), and what compare
# makes of them. Prints one line a figure, NAME VALUE TARGET ok|short, and fails when one is short. SEEDS=N for other
# than 300 of each; JOBS=N runs at once.
. "$(dirname "$0")/../helpers.sh"

SEEDS=${SEEDS:-300}
JOBS=${JOBS:-$(nproc)}
export FSTRIAL=$BUILD/fstrial JOB=$SRC/jobs/synthetic.job

# A journal is on disk before the next trial begins: what disk does not matter here.
if [ -w /dev/shm ]; then
	work=$(mktemp -d /dev/shm/fstrial-stats.XXXXXX)
	cleanup_fn rm -rf "$work"
	cd "$work"
fi

# one NAME SEED LOSS: a result, and nothing else of the run.
one()
{
	export FSTRIAL_STATE_DIR=$PWD/state.$1
	FSTRIAL_SYNTHETIC_LOSS=$3 "$FSTRIAL" run --quiet --out "run.$1" --seed "$2" "$JOB" >/dev/null 2>"$1.err" ||
		{ cat "$1.err" >&2; return 1; }
	mv "run.$1/result.json" "$1.json"
	rm -rf "run.$1" "state.$1" "$1.err"
}
export -f one

start=$SECONDS
for ((i = 0; i < SEEDS; i++)); do
	echo "base$i $((3 * i + 1)) 0"
	echo "loss$i $((3 * i + 2)) 0.10"
	echo "margin$i $((3 * i + 3)) 0.05"
done >runs
xargs -P "$JOBS" -L 1 bash -c 'one "$@"' one <runs || fail "a run failed"
echo "# $((3 * SEEDS)) runs in $((SECONDS - start)) s"

# verdict BASE NEW [OPTION]: exit code, and the verdict of the variant that loses.
verdict()
{
	local code=0
	"$FSTRIAL" compare "$@" --format csv >csv || code=$?
	echo "$code $(awk -F, '$3 == "\"hit\"" && $4 == "\"rate\"" {print $1}' csv)"
}

alarms=0 found=0 named=0 passed=0 rank=0
for ((i = 0; i < SEEDS; i++)); do
	# The same against the same.
	read -r code _ < <(verdict base$i.json base$(((i + 1) % SEEDS)).json)
	[ "$code" != 1 ] || alarms=$((alarms + 1))
	# A tenth less in one variant: found by exit code, and named.
	read -r code word < <(verdict base$i.json loss$i.json)
	[ "$code" != 1 ] || found=$((found + 1))
	[ "$word" != REGRESSED ] || named=$((named + 1))
	# The margin itself is no pass.
	read -r code word < <(verdict base$i.json margin$i.json)
	case $word in SAME | NOT_WORSE) passed=$((passed + 1)) ;; esac
	# Ranks of five and five say too little in a family of 24, and claim no more.
	read -r code word < <(verdict base$i.json loss$i.json --rank)
	[ "$word" != REGRESSED ] || rank=$((rank + 1))
done

short=0
# figure NAME COUNT at-most|at-least PERCENT
figure()
{
	local ok=ok
	case $3 in
	at-most) [ $(($2 * 100)) -le $(($4 * SEEDS)) ] || ok=short ;;
	at-least) [ $(($2 * 100)) -ge $(($4 * SEEDS)) ] || ok=short ;;
	esac
	[ $ok = ok ] || short=1
	echo "$1 $(awk "BEGIN { printf \"%.1f\", 100 * $2 / $SEEDS }")% $3 $4% $ok"
}
figure false-alarm $alarms at-most 7
figure loss-of-10-found $found at-least 90
figure loss-of-10-named $named at-least 90
figure loss-of-margin-passed $passed at-most 5
figure loss-of-10-by-ranks $rank at-most 0
echo "# $((SECONDS - start)) s in all"
[ $short = 0 ] || fail "figures are short"
