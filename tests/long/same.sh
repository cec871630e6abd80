#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The same job twice on the same machine, TRIES times (10): compare must not find a regression in any. About a minute
# and a half each; for a machine that has nothing else to do.
. "$(dirname "$0")/../helpers.sh"
requires mkfs.xfs
[ "$(id -u)" = 0 ] || skip "needs root"

for ((i = 1; i <= ${TRIES:-10}; i++)); do
	for side in base new; do
		rm -rf "$side"
		assert_exit 0 fstrial run --quiet --repeats 5 --out "$side" "$SRC/jobs/quickstart.job" >/dev/null
	done
	status=0
	fstrial compare base new >out || status=$?
	echo "try $i: exit $status: $(grep ' regressed, ' out)"
	case $status in
	0 | 3) ;;
	*) cat out; fail "try $i: the same twice is said to differ, exit $status" ;;
	esac
done
