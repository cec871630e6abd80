#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# plan says of a program that it is put back only where the job says how, or where it is a server, which is ended.
. "$(dirname "$0")/../helpers.sh"

cat > undo.job <<END
target = { directory = "$PWD"; };
matrix = { on = ["a", "b"]; };
steps = ( { setup = "exec"; name = "stays"; argv = ["touch", "x"]; },
	{ setup = "exec"; name = "back"; argv = ["touch", "y"]; undo = ["rm", "-f", "y"]; },
	{ setup = "exec"; name = "server"; argv = ["sleep", "1000"]; background = true; },
	{ setup = "exec"; name = "never"; argv = ["touch", "z"]; when = "on == b"; },
	{ workload = "synthetic"; } );
END
assert_exit 0 fstrial plan --json undo.job >plan.json 2>log
assert_json plan.json "{c['step']: c['put_back'] for c in d['plan']['changes']} ==
	{'stays': False, 'back': True, 'server': True, 'never': False}"
assert_exit 0 fstrial plan undo.job >plan 2>log
assert_contains plan "stays: runs: touch x"
assert_lacks plan "touch x; put back"
assert_contains plan "back: runs: touch y; put back"
assert_contains plan "back: and at the end: rm -f y; put back"
assert_contains plan "server: starts a server: sleep 1000; put back"
