#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Iometer's mix: weighted sizes, 80 % reads, direct, 64 in flight; and what a sector of 4096 bytes makes of it.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs
fstrial plugins --names >names
grep -qx io_uring names || skip "io_uring was not built"

fstrial run --out out --repeats 1 --set size=64MiB --set runtime=1s "$SRC/jobs/iometer-mix.job" >table 2>log ||
	{ show_file log; show_file table; fail "the job"; }
assert_schema out/result.json
mixes="[s for t in d['trials'] for s in t['steps'] if s['name'] == 'mix']"
assert_json out/result.json "sorted(x['engine']['depth_max'] for x in $mixes) == [1, 64]"
assert_json out/result.json "all(x['latency']['read']['count'] + x['latency']['write']['count'] == x['measured']['ops'] for x in $mixes)"
# Eighty of a hundred are reads, and 11.5 KiB is what these sizes weigh: each within five standard deviations.
assert_json out/result.json "all(abs(x['latency']['read']['count'] - 0.8 * x['measured']['ops'])
	< 5 * math.sqrt(0.16 * x['measured']['ops']) + 65 for x in $mixes)"
bs="{512: 10, 1024: 5, 2048: 5, 4096: 60, 8192: 2, 16384: 4, 32768: 4, 65536: 10}"
mean="(sum(k * v / 100 for k, v in $bs.items()))"
sd="math.sqrt(sum(v / 100 * (k - $mean) ** 2 for k, v in $bs.items()))"
assert_json out/result.json "all(abs(x['measured']['bytes'] - $mean * x['measured']['ops'])
	< 5 * $sd * math.sqrt(x['measured']['ops']) + 65 * 65536 for x in $mixes)"
assert_json out/result.json "all(x['measured']['bytes'] % 512 == 0 for x in $mixes)"

# The shares have to be all.
assert_exit 2 fstrial check --set mix=4k/60:8k/30 "$SRC/jobs/iometer-mix.job" 2>err
assert_contains err "its percentages sum to 90 instead of 100"

# Half a kilobyte at a time is not to be had from sectors of 4096 bytes. Without that share it is.
make_loop 400MiB 4096
sed -e "s,^target = .*,target = { device = \"$LOOP\"; destroy = \"${LOOP#/dev/}\"; };," \
	"$SRC/jobs/iometer-mix.job" >sectors.job
assert_exit 1 fstrial run --out out4k --repeats 1 --set size=64MiB --set runtime=1s --set depth=64 sectors.job >table 2>log
assert_json out4k/result.json "all(t['status'] == 'failed' and
	re.search(r'512B?: direct I/O on .* needs multiples of 4096 bytes', t['reason']) for t in d['trials'])"
assert_json out4k/result.json "all(m['value'] is None for t in d['trials'] for s in t['steps'] if s['name'] == 'mix'
	for m in s['metrics'].values())"
assert_contains table "multiples of 4096 bytes"
fstrial run --out out4k2 --repeats 1 --set size=64MiB --set runtime=1s --set depth=64 \
	--set mix=4k/75:8k/5:16k/5:32k/5:64k/10 sectors.job >table 2>log || { show_file log; show_file table; fail "4k sectors"; }
