#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program's numbers are found behind whatever bytes it prints, and when too much was printed to find them it is said.
. "$(dirname "$0")/../helpers.sh"

cat > output.job <<'END'
target = { directory = "."; };
repeats = 1; canaries = false; order = "listed";
matrix = { prints = ["nul", "file", "much"]; };
steps = (
	{ workload = "exec"; name = "nul"; when = "prints == nul"; argv = ["printf", "a\\0b\\nrate 5\\n"];
	  metrics = ["r = /rate ([0-9]+)/ s lower"]; },
	{ workload = "exec"; name = "file"; when = "prints == file"; argv = ["sh", "-c", "printf 'a\\0b\\nrate 6\\n' >said"];
	  output = "said"; metrics = ["r = /rate ([0-9]+)/ s lower"]; },
	{ workload = "exec"; name = "much"; when = "prints == much"; argv = ["sh", "-c", "seq 200000; echo rate 7"];
	  metrics = ["r = /rate ([0-9]+)/ s lower"]; } );
END
assert_exit 1 fstrial run --out out output.job >table 2>log
assert_json out/result.json "[t['status'] for t in d['trials']] == ['ok', 'ok', 'failed']"
assert_json out/result.json "[s['metrics']['r']['value'] for t in d['trials'][:2] for s in t['steps'] if s['status'] == 'ok'] == [5e9, 6e9]"
assert_contains table "much: sh printed more than 1 MiB: the rest of it was not looked at"
