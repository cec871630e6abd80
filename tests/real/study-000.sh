#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Study 000, one change at a time: what is refused, and that the others are in force.
. "$(dirname "$0")/../helpers.sh"
. "$SRC/tests/studies.sh"

study 1 000-raid6-tuning 36 --set scale=0.02
failures 000 "v['change'] in ('noop', 'anticipatory', 'cfq') => the kernel offers" \
	"v['change'] == 'queue_depth_254' => has no device/queue_depth" \
	"v['change'] == 'block_512' => lock size" "v['change'] == 'inode_256' => inode size" \
	"v['change'] == 'nobarrier' => nobarrier"
in_force() { assert_json 000/result.json "[s['in_force'].get('$3') for t in d['trials'] for s in t['steps']
	if s['name'] == '$2' and t['variant'] == next(v['id'] for v in d['variants'] if v['values']['change'] == '$1')] == ['$4']"; }
in_force nr_requests_512 sysfs queue/nr_requests 512
in_force max_sectors_64 sysfs queue/max_sectors_kb 64
in_force setra_65536 readahead size $((32 << 20))
in_force none sysfs queue/scheduler none
geometry() { assert_json 000/result.json "[t['filesystem']['geometry']['$2'] for t in d['trials']
	if t['variant'] == next(v['id'] for v in d['variants'] if v['values']['change'] == '$1')] == [$3]"; }
geometry agcount_16 agcount 16
geometry su_64k_sw_8 swidth $((512 << 10))
geometry su_64k_sw_512 swidth $((32 << 20))
geometry sector_2048 sector_size 2048
geometry inode_2048 inode_size 2048
