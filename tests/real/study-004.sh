#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Study 004, thirty variants, of which the ten with nobarrier are refused.
. "$(dirname "$0")/../helpers.sh"
. "$SRC/tests/studies.sh"

study 1 004-mkfs-by-mount 30 --set scale=0.1
failures 004 "'nobarrier' in v['mount'] => nobarrier"
assert_json 004/result.json "sorted({(v['values']['log_version'], v['values']['attr'], v['values']['stripe'], v['values']['log_size'])
	for v in d['variants']}).__len__() == 10"
assert_json 004/result.json "all(t['filesystem']['geometry']['log_size'] == {'16384b': 64 << 20, '128m': 128 << 20}[v['log_size']] and
	(t['filesystem']['geometry']['swidth'] == (9 * 262144 if v['stripe'] == '256k-9' else 0)) and
	('logbsize=256k' in t['filesystem']['mount']['options'].split(',') or 'logbsize' not in v['mount'])
	for t in d['trials'] if t['status'] == 'ok' for v in [{w['id']: w['values'] for w in d['variants']}[t['variant']]])"
