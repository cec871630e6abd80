#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the block layer refuses, changes without a word, or calls otherwise: reasons and warnings with both values.
. "$(dirname "$0")/../helpers.sh"
requires_root

job() # STEP...: one variant, sysfs steps only
{
	local step n=0
	{
		echo 'target = { scratch = "64MiB"; scratch_dir = "."; }; repeats = 1; steps = ('
		for step; do
			n=$((n + 1))
			[ $n = 1 ] || echo ,
			echo "{ setup = \"sysfs\"; name = \"s$n\"; $step }"
		done
		echo ');'
	} >limits.job
	rm -rf out
}
step() { echo "next(s for s in d['trials'][0]['steps'] if s['name'] == '$1')"; }

# Going back to none resets nr_requests: it was in force once, and is not at the end.
job 'scheduler = "mq-deadline"; nr_requests = 64;' 'scheduler = "none";'
grep -q mq-deadline /sys/block/loop0/queue/scheduler || skip "the kernel has no mq-deadline"
assert_exit 0 fstrial run --out out limits.job >table 2>log
assert_json out/result.json "$(step s1)['asked']['queue/nr_requests'] == '64'
	and $(step s1)['in_force']['queue/nr_requests'] == '128'
	and any(re.search('nr_requests: asked for 64, in force is 128', w) for w in $(step s1)['warnings'])"
assert_contains table "queue/nr_requests: asked for 64, in force is 128"
# Two becomes four.
job 'scheduler = "mq-deadline"; nr_requests = 2;'
assert_exit 0 fstrial run --out out limits.job >table 2>log
assert_json out/result.json "any(re.search('nr_requests: asked for 2, in force is 4', w) for w in $(step s1)['warnings'])"
# 512 under none: the limit is named.
job 'scheduler = "none"; nr_requests = 512;'
assert_exit 1 fstrial run --out out limits.job >table 2>log
assert_json out/result.json "re.search('nr_requests.*none|none.*nr_requests', d['trials'][0]['reason'])
	and '128' in d['trials'][0]['reason'] and $(step s1)['errno'] == 'EINVAL'"
# More than the hardware takes is cut without a word by the kernel: a warning with both values.
job 'max_sectors_kb = 99999999;'
assert_exit 0 fstrial run --out out limits.job >table 2>log
assert_json out/result.json "any(re.search('max_sectors_kb: asked for 99999999, in force is [0-9]+', w) for w in $(step s1)['warnings'])
	and int($(step s1)['in_force']['queue/max_sectors_kb']) < 99999999"
assert_contains table "asked for 99999999"
# Names in order, the first that works; old names are not other things asked for.
job 'scheduler = "cfq, noop, deadline";'
assert_exit 0 fstrial run --out out limits.job >table 2>log
assert_json out/result.json "$(step s1)['in_force']['queue/scheduler'] == 'mq-deadline' and $(step s1)['warnings'] == []"
# None of them works: what the kernel offers.
job 'scheduler = "cfq, noop";'
assert_exit 1 fstrial run --out out limits.job >table 2>log
assert_json out/result.json "all(w in d['trials'][0]['reason'] for w in
	['cfq', 'noop'] + open('/sys/block/loop0/queue/scheduler').read().translate({91: None, 93: None}).split())"
# A limit of discards that the kernel shows but does not take is left alone, and the run goes on; another is put back.
job 'discard_max_bytes = "1MiB";'
sed -i 's/repeats = 1/repeats = 2/' limits.job
status=0
fstrial run --out out limits.job >table 2>log || status=$?
assert_json out/result.json "d['session']['status'] == 'complete' and len(d['trials']) == 2"
if [ $status = 0 ]; then
	assert_json out/result.json "$(step s1)['in_force']['queue/discard_max_bytes'] == '1048576'"
else
	assert_json out/result.json "all('could not be put back' in t['reason'] for t in d['trials'])"
fi
