#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SIGINT and SIGTERM: the step ends, what was measured stays, the machine is put back, results are written.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs

cat > long.job <<'END'
job = "long";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 3;
steps = (
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; },
	{ workload = "sequential"; rw = "write"; size = "32MiB"; bs = "1MiB"; runtime = "60s"; }
);
END
working() { p=$(scratch_place) && [ -e "$p/data.0.0" ]; }
for signal in INT TERM; do
	fstrial_bg run --out out$signal long.job >table 2>log
	wait_for 20 working || fail "the workload never began"
	sleep 1.5
	kill -$signal "$PID"
	assert_exit 1 wait "$PID"
	assert_schema out$signal/result.json
	assert_json out$signal/result.json "d['session']['status'] == 'interrupted' and len(d['trials']) == 1
		and d['trials'][0]['status'] == 'interrupted'
		and d['trials'][0]['steps'][2]['status'] == 'interrupted'
		and d['trials'][0]['steps'][2]['measured']['partial'] is True
		and d['trials'][0]['steps'][2]['metrics']['throughput']['value'] > 0"
	assert_contains log "SIG$signal"
	! scratch_loop || fail "left attached"
done
assert_exit 0 fstrial recover >rec
assert_lacks rec "put back"
