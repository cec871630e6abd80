#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Study 001, groups by preallocation: the data that was not taken is there.
. "$(dirname "$0")/../helpers.sh"
. "$SRC/tests/studies.sh"

study 0 001-prealloc-agsize 6 --set scale=0.0078125 --set region=24MiB
failures 001
assert_json 001/result.json "all(s['metrics'][m]['value'] is not None for t in d['trials'] for s in t['steps'] if s['name'] == 'prealloc'
	for m in ('first_write_log_forces', 'overwrite_throughput', 'conversion_cost', 'data_log_distance', 'extents_before'))"
assert_json 001/result.json "{t['filesystem']['geometry']['agcount'] for t in d['trials']} >= {4} and
	max(t['filesystem']['geometry']['agcount'] for t in d['trials']) > 100"
