#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A plan of 100,000 trials: complete, and in little memory.
. "$(dirname "$0")/../helpers.sh"

# 20,000 variants with 5 repeats.
{
	echo 'job = "huge";'
	echo 'target = { directory = "."; };'
	echo 'repeats = 5;'
	echo 'matrix = {'
	printf '  a = [%s];\n' "$(seq -s, 1 20)"
	printf '  b = [%s];\n' "$(seq -s, 1 20)"
	printf '  c = [%s];\n' "$(seq -s, 1 50)"
	echo '};'
	echo 'steps = ('
	echo '  { workload = "sequential"; rw = "write"; size = "1MiB"; bs = "4KiB"; fsync = "${a}"; },'
	echo '  { workload = "sequential"; name = "read"; size = "1MiB"; bs = "4KiB"; loops = "${c}"; }'
	echo ');'
} >huge.job

fstrial plan huge.job >out
assert_contains out "trials        100000"
assert_contains out "variants      20000: a (20) x b (20) x c (50)"
assert_contains out "  v00001  a=1 b=1 c=1"
assert_contains out "  ... and 19980 more"
assert_contains out "destroyed     nothing"
assert_eq "$(grep -c '^  v[0-9]' out)" 20 "variants listed"
[ "$(wc -L <out)" -le 100 ] || fail "wider than 100 columns"

fstrial plan --json huge.job >plan.json
assert_json plan.json 'd["format"] == "fstrial-plan/1" and d["plan"]["trials"] == 100000'
assert_json plan.json 'len({v["id"] for v in d["variants"]}) == 20000'
assert_json plan.json 'len({tuple(v["values"].items()) for v in d["variants"]}) == 20000'
fstrial run --dry-run --format json huge.job | cmp - plan.json || fail "--dry-run is not plan"
fstrial run --dry-run huge.job | cmp - out || fail "--dry-run is not plan"
[ ! -e fstrial-results ] || fail "--dry-run made a results directory"

# Sanitizers need memory of their own.
if [ -x /usr/bin/time ] && ! is_instrumented; then
	for options in "plan" "plan --json" "check"; do
		# shellcheck disable=SC2086
		/usr/bin/time -v -o time.txt "$BUILD/fstrial" $options huge.job >/dev/null
		kib=$(sed -n 's/.*Maximum resident set size (kbytes): //p' time.txt)
		echo "$options: $kib KiB, $(sed -n 's/.*Elapsed.*: //p' time.txt)"
		[ "$kib" -le $((100 * 1024)) ] || fail "$options took $kib KiB"
	done
fi
