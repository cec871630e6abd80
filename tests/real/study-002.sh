#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Study 002, layouts by cache mode, and the log on another device.
. "$(dirname "$0")/../helpers.sh"
. "$SRC/tests/studies.sh"

study 1 002-stripe-units 11 --set scale=0.05
failures 002 "v['layout'] == 'sunit=2,swidth=16' => not a multiple of the block size"
assert_json 002/result.json "all(t['filesystem']['geometry'][k] == {'sunit=16,swidth=128': (8192, 65536), 'su=8k,sw=2': (8192, 16384),
	'su=64k,sw=2': (65536, 131072), 'none': (0, 0)}[v['layout']][i] and
	t['filesystem']['geometry']['log_internal'] == (v['log'] == 'internal')
	for i, k in enumerate(('sunit', 'swidth')) for t in d['trials'] if t['status'] == 'ok'
	for v in [{w['id']: w['values'] for w in d['variants']}[t['variant']]])"
assert_json 002/result.json "{(v['log'], s['in_force'].get('queue/write_cache')) for t in d['trials'] if t['status'] == 'ok'
	for v in [{w['id']: w['values'] for w in d['variants']}[t['variant']]] for s in t['steps'] if s['name'] == 'sysfs'} ==
	{('internal', 'write through'), ('internal', 'write back'), ('external', 'write back')}"
