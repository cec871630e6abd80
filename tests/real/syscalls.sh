#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What an I/O costs in system calls: no more than it needs.
. "$(dirname "$0")/../helpers.sh"

requires_root
requires strace mkfs.xfs
# Sanitizers make system calls of their own.
! is_instrumented || skip "counts system calls: not with sanitizers or coverage"
[ -e "$BUILD/plugins/engine/io_uring.so" ] || skip "engine io_uring was not built"

ios=20000
cat >a.job <<'END'
job = "syscalls";
vars = { engine = "psync"; depth = 1; };
target = { scratch = "1GiB"; };
repeats = 1;
steps = (
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; },
	{ workload = "sequential"; name = "r"; rw = "read"; bs = "4KiB"; size = "80000KiB";
	  ioengine = "${engine}"; iodepth = "${depth}"; direct = true; }
);
END

# calls ENGINE DEPTH CALL: sets CALLS to all system calls of the thread that makes the most of CALL, which
# is the worker that does the I/O; what it needs to begin and end is among them.
calls()
{
	rm -rf out trace
	strace -f -qq -e signal=none -o trace "$BUILD/fstrial" run --quiet --out out \
		--set "engine=$1" --set "depth=$2" a.job >/dev/null 2>err || { show_file err; fail "strace: $1"; }
	assert_json out/result.json "d['trials'][0]['steps'][2]['measured']['ops'] == $ios"
	assert_json out/result.json "d['trials'][0]['steps'][2]['engine']['name'] == '$1'"
	CALLS=$(awk -v call="$3" '$2 == "<..." { next } { n[$1]++ } index($2, call "(") == 1 { c[$1]++ }
		END { for (t in c) if (c[t] > c[best]) best = t; print n[best] + 0 }' trace)
}

# One call an I/O, and 1 % for all else.
calls psync 1 pread64
[ "$CALLS" -ge $ios ] || fail "psync: $CALLS system calls for $ios I/Os: not those of the worker"
[ "$CALLS" -le $((ios * 101 / 100)) ] || fail "psync: $CALLS system calls for $ios I/Os"

# Several I/Os a call.
calls io_uring 32 io_uring_enter
[ "$CALLS" -gt 0 ] || fail "io_uring: no io_uring_enter"
[ "$CALLS" -le $((ios / 10)) ] || fail "io_uring: $CALLS system calls for $ios I/Os"
