#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a job expects of its numbers: in the result, in the table, in the exit status.
. "$(dirname "$0")/../helpers.sh"

mkdir work
cat >expect.job <<'END'
target = { directory = "work"; };
repeats = 2;
order = "listed";
vars = { limit = "10min"; };
matrix = { least = [ "1kB", "1PiB" ]; };
steps = (
	{ workload = "sequential"; name = "write"; rw = "write"; size = "1MiB"; bs = "64KiB"; fdatasync = 1;
	  expect = ( "throughput > ${least}", "fdatasync.p50 < 1h", "write.count == 16" ); },
	{ workload = "sequential"; name = "read"; rw = "read"; size = "1MiB"; bs = "64KiB"; }
);
END
assert_exit 1 fstrial run --out out expect.job >table 2>log
assert_schema out/result.json
assert_json out/result.json "[t['status'] for t in d['trials']] == ['ok'] * 4"
assert_json out/result.json "[t['expectations'] for t in d['trials']] == ['met', 'failed', 'met', 'failed']"
assert_json out/result.json "[[x['met'] for x in t['steps'][0]['expect']] for t in d['trials']] ==
	[[True, True, True], [False, True, True]] * 2"
assert_json out/result.json "all(x['value'] == t['steps'][0]['metrics']['throughput']['value']
	and x['unit'] == 'bytes/s' for t in d['trials'] for x in t['steps'][0]['expect'][:1])"
assert_json out/result.json "all(t['steps'][0]['expect'][1]['value'] ==
	t['steps'][0]['latency']['sync']['percentiles']['50'] for t in d['trials'])"
assert_json out/result.json "all(t['steps'][1]['expect'] == [] for t in d['trials'])"
assert_contains log "2 of 4 trials did not meet"
# Folded over the repeats of a variant; the same from the document alone.
assert_contains table "10 met, 2 NOT MET"
assert_contains table "v02 r1-r2 write: throughput > 1PiB: not met, "
assert_lacks table "fdatasync"
fstrial show out >again
assert_eq "$(sed -n '/^expectations:/,/^$/p' again)" "$(sed -n '/^expectations:/,/^$/p' table)"

# All met.
assert_exit 0 fstrial run --set least=1kB --repeats 1 --out met expect.job >table 2>log
assert_json met/result.json "[t['expectations'] for t in d['trials']] == ['met']"
assert_lacks table "expectations:"
assert_contains table "3 met"

# No value is not met, and says why.
cat >none.job <<'END'
target = { directory = "work"; };
repeats = 1;
steps = (
	{ workload = "sequential"; rw = "write"; size = "1MiB"; bs = "64KiB"; expect = ( "write.p99.9 < 1h", "read.max < 1h" ); }
);
END
assert_exit 1 fstrial run --out none none.job >table 2>log
assert_schema none/result.json
assert_json none/result.json "[(x['met'], x['value'], x['reason']) for x in d['trials'][0]['steps'][0]['expect']] ==
	[(False, None, '16 samples are too few for p99.9'), (False, None, 'no read was measured')]"
assert_contains table "write.p99.9 < 1h: not met, 16 samples are too few for p99.9"

# A step that failed was not judged: the trial's failure is what counts.
cat >fails.job <<'END'
target = { directory = "work"; };
repeats = 1;
steps = ( { workload = "misbehaves"; mode = "error_in_run"; expect = "declared > 0"; } );
END
assert_exit 1 fstrial run --plugin-dir "$BUILD/tests/plugins" --out fails fails.job >table 2>log
assert_schema fails/result.json
assert_json fails/result.json "d['trials'][0]['status'] == 'failed' and d['trials'][0]['expectations'] is None
	and d['trials'][0]['steps'][0]['expect'][0]['met'] is None"
assert_contains table "1 not judged"
