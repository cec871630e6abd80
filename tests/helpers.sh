# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What script tests share. A test starts with
#
#     . "$(dirname "$0")/../helpers.sh"
#
# and is then in an empty directory of its own, with BUILD (the build directory), SRC (the source
# tree) and LC_ALL=C set, errors ending it. It also runs by hand: tests/cli/NAME.sh.
set -eu
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin

SRC=${SRC:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
BUILD=$(cd "${BUILD:-$SRC/build}" && pwd)
export SRC BUILD

SELF=$(realpath "$0") # before the change of directory

cleanup_list=()

# Runs CMD ARG... at the end of the test whatever ends it, the last registered first.
cleanup_fn()
{
	cleanup_list+=("$(printf '%q ' "$@")")
}

run_cleanups()
{
	local status=$? i
	trap '' INT TERM HUP
	set +e
	for ((i = ${#cleanup_list[@]} - 1; i >= 0; i--)); do
		eval "${cleanup_list[i]}" || { echo "cleanup failed: ${cleanup_list[i]}" >&2; status=1; }
	done
	exit $status
}
trap run_cleanups EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if [ -z "${TEST_DIR:-}" ]; then
	TEST_DIR=$(mktemp -d "${TMPDIR:-/var/tmp}/fstrial-test.XXXXXX")
	cd "$TEST_DIR"
	cleanup_fn rm -rf --one-file-system "$TEST_DIR"
fi
# What the program keeps for a plain user belongs to the test too.
export XDG_STATE_HOME=$TEST_DIR/.state FSTRIAL_STATE_DIR=$TEST_DIR/.state/fstrial
# Where failures are said, whatever a tested command's output is redirected to.
exec 9>&2

# The test cannot run here: REASON.
skip()
{
	echo "$*"
	exit 77
}

fail()
{
	local i
	echo "failed: $*" >&9
	for ((i = 1; i < ${#FUNCNAME[@]}; i++)); do
		echo "  at ${BASH_SOURCE[i]##*/}:${BASH_LINENO[i - 1]}" >&9
	done
	exit 1
}

# requires CMD...: skips unless every program is there.
requires()
{
	local cmd
	for cmd; do
		command -v "$cmd" >/dev/null || skip "$cmd is not installed"
	done
}

requires_root()
{
	[ "$(id -u)" = 0 ] || skip "needs root"
}

# True when the build carries sanitizers or counts lines.
is_instrumented()
{
	! grep -q '^#define FSTRIAL_SAN ""' "$BUILD/config.h" ||
		! grep -q '^#define FSTRIAL_COV 0' "$BUILD/config.h"
}

# ---- running -------------------------------------------------------------------------------------

fstrial()
{
	"$BUILD/fstrial" "$@"
}

# fstrial_bg ARG...: starts the program in the background, sets PID; SIGINT reaches it, and it is
# killed at the end of the test. Redirect the call itself: fstrial_bg run a.job >out 2>err.
fstrial_bg()
{
	env --default-signal=INT,QUIT "$BUILD/fstrial" "$@" &
	PID=$!
	cleanup_fn stop_bg "$PID"
}

stop_bg()
{
	! kill -KILL "$1" 2>/dev/null || wait "$1" 2>/dev/null || true
}

# wait_for SECONDS CMD...: until CMD succeeds; false when it does not in time.
wait_for()
{
	local end=$((SECONDS + $1 + 1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt $end ] || return 1
		sleep 0.05
	done
}

# ---- in a guest: see guest.sh ----------------------------------------------------------------------

# guest_run [OPTION]... SCRIPT [ARG]...: output and exit status are the script's; skips where no guest
# can be had.
guest_run()
{
	local status=0
	"$SRC/tests/guest.sh" "$@" >guest.log 2>&1 || status=$?
	[ $status != 77 ] || skip "$(tail -n 1 guest.log)"
	cat guest.log
	return $status
}

# in_guest [OPTION]...: what follows this line runs in a guest, what is before it on both sides.
in_guest()
{
	[ -z "${GUEST:-}" ] || return 0
	guest_run "$@" "$SELF"
	exit
}

# ---- assertions ----------------------------------------------------------------------------------

# assert_eq ACTUAL EXPECTED [WHAT]
assert_eq()
{
	[ "$1" = "$2" ] || fail "${3:+$3: }got '$1', expected '$2'"
}

# assert_exit STATUS CMD...: CMD ends with that exit status. Redirect the call itself.
assert_exit()
{
	local want=$1 status=0
	shift
	"$@" || status=$?
	[ "$status" = "$want" ] && return
	[ ! -f /dev/stderr ] || show_file /dev/stderr
	fail "exit status $status, expected $want: $*"
}

# assert_contains FILE TEXT: the text is in the file, within one line.
assert_contains()
{
	grep -qF -e "$2" -- "$1" || { show_file "$1"; fail "$1 does not contain: $2"; }
}

assert_lacks()
{
	! grep -qF -e "$2" -- "$1" || { show_file "$1"; fail "$1 contains: $2"; }
}

show_file()
{
	echo "--- $1" >&9
	head -c 20000 -- "$1" >&9 || true
	echo "---" >&9
}

# assert_json FILE EXPRESSION: the Python expression over d, the document (strictly parsed), is true.
assert_json()
{
	/usr/bin/python3 - "$1" "$2" <<-'END' || fail "$1: not true: $2"
	import json, math, re, sys
	sys.tracebacklimit = 0
	def refuse(word):
	    raise ValueError(f"{word} is not JSON")
	def once(pairs):
	    keys = [k for k, _ in pairs]
	    if len(keys) != len(set(keys)):
	        raise ValueError(f"a key appears twice: {keys}")
	    return dict(pairs)
	with open(sys.argv[1], encoding="utf-8") as f:
	    d = json.load(f, parse_constant=refuse, object_pairs_hook=once)
	sys.exit(0 if eval("(" + sys.argv[2] + "\n)", {"d": d, "json": json, "math": math, "re": re}) else 1)
	END
}

# assert_schema FILE: the document is what contrib/result.schema.json says.
assert_schema()
{
	/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
	/usr/bin/python3 - "$SRC/contrib/result.schema.json" "$1" <<-'END' || fail "$1: not as the schema says"
	import json, sys
	import jsonschema
	schema, doc = (json.load(open(p, encoding="utf-8")) for p in sys.argv[1:3])
	kind = jsonschema.validators.validator_for(schema)
	kind.check_schema(schema)
	errors = sorted(kind(schema).iter_errors(doc), key=lambda e: list(map(str, e.absolute_path)))
	for e in errors[:20]:
	    print("/".join(map(str, e.absolute_path)) + ": " + e.message[:400], file=sys.stderr)
	sys.exit(1 if errors else 0)
	END
}

# ---- devices -------------------------------------------------------------------------------------

# let_go DEVICE: detaches a loop device when what is behind it is still this test's: a number that was given back
# may be somebody else's by now.
let_go()
{
	local name=${1#/dev/} file
	file=$(cat "/sys/block/$name/loop/backing_file" 2>/dev/null) || return 0
	[[ ! $file =~ ^/dev/(loop[0-9]+) ]] ||
		file=$(cat "/sys/block/${BASH_REMATCH[1]}/loop/backing_file" 2>/dev/null) || return 0
	[[ $file != "$TEST_DIR"/* && $file != "$(realpath "$TEST_DIR")"/* ]] || losetup -d "/dev/$name"
}

# make_loop SIZE [SECTOR]: a sparse image on a loop device until the end of the test. Sets LOOP
# (/dev/loopN) and IMAGE.
make_loop()
{
	requires_root
	requires losetup truncate
	IMAGE=$(mktemp "$TEST_DIR/image.XXXXXX")
	truncate -s "$1" "$IMAGE"
	LOOP=$(losetup -f --show ${2:+--sector-size "$2"} "$IMAGE") || skip "no loop device to be had"
	cleanup_fn let_go "$LOOP"
}

# What a session of this test, with scratch_dir = ".", has on the machine; others may run there too.
# Nothing and false when there is none.
scratch_loop()
{
	grep -ls "^$PWD/fstrial-" /sys/block/loop*/loop/backing_file | cut -d/ -f4 | grep .
}

scratch_place() # where its device is mounted
{
	local name
	name=$(scratch_loop) &&
		awk -v d="/dev/$name" '$0 ~ " - [^ ]* " d " " { print $5 }' /proc/self/mountinfo | grep .
}
