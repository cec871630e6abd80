#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Good jobs pass; each bad job gives exactly the lines of its .err file, and touches nothing.
. "$(dirname "$0")/../helpers.sh"

# Which engines there are depends on the libraries at build time.
same_engines()
{
	sed -e 's/engines that queue: .*/engines that queue: .../' -e 's/; there are: .*/; there are: .../'
}

cp -r "$SRC/tests/jobs" .

cd jobs/valid
for job in *.job; do
	fstrial check "$job" >out 2>err || { show_file err; fail "$job is not good"; }
	[ ! -s err ] || { show_file err; fail "$job: something on standard error"; }
	grep -q "^$job: ok, " out || { show_file out; fail "$job"; }
done
rm out err

cd ../invalid
n=0
for job in *.job; do
	name=${job%.job}
	assert_exit 2 fstrial check "$job" >"$name.out" 2>"$name.got"
	[ ! -s "$name.out" ] || fail "$job: something on standard output"
	same_engines <"$name.err" >"$name.want"
	same_engines <"$name.got" | diff -u "$name.want" - || fail "$job: other lines than in $name.err"
	n=$((n + 1))
done
[ "$n" -ge 25 ] || fail "only $n bad jobs"
assert_eq "$(wc -l <ten-mistakes.got)" 10 "lines of ten-mistakes"
