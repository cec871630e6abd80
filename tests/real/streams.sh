#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A thousand files that grow at once: extents by mode, groups by directories, space past the ends.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs mkfs.ext4 setpriv

of()
{
	assert_json out/result.json "(lambda found: len(found) == 1 and all($2 for m in found))(
		[{k: x['value'] for k, x in s['metrics'].items()} for v in d['variants'] for t in d['trials']
		if v['id'] == t['variant'] and v['values']['mode'] == '$1' for s in t['steps'] if s['kind'] == 'workload'])"
}

cat > modes.job <<'END'
job = "modes";
target = { scratch = "4GiB"; scratch_dir = "."; };
repeats = 1;
matrix = { mode = (
	{ name = "buffered"; direct = false; hint = "0"; alloc = "none"; dirs = 1; },
	{ name = "direct"; direct = true; hint = "0"; alloc = "none"; dirs = 1; },
	{ name = "hint"; direct = true; hint = "256KiB"; alloc = "none"; dirs = 1; },
	{ name = "fallocate"; direct = true; hint = "0"; alloc = "fallocate"; dirs = 1; },
	{ name = "keep"; direct = true; hint = "0"; alloc = "keep_size"; dirs = 4; }
); };
steps = (
	{ setup = "mkfs"; fs = "xfs"; agcount = 4; },
	{ setup = "mount"; options = "noatime,inode64"; },
	{ workload = "streams"; files = 1000; file_size = "512KiB"; bs = "64KiB"; numjobs = 2; direct = "${mode.direct}";
	  extsize = "${mode.hint}"; prealloc = "${mode.alloc}"; dirs = "${mode.dirs}"; end_fsync = true; }
);
END
assert_exit 0 fstrial run --out out modes.job >table 2>log
assert_schema out/result.json
of buffered "1 <= m['extents_p50'] <= 3 and 1 <= m['extents_closed'] <= 3"
of direct "7.5 < m['extents_mean'] <= 8 and m['extents_p50'] == 8"
of hint "1.9 < m['extents_mean'] <= 2.1"
of fallocate "m['extents_mean'] == m['extents_max'] == 1"
of keep "m['extents_mean'] == m['extents_max'] == 1"
# XFS takes space past the end in advance of buffered appends, and gives it back at the close.
of buffered "m['past_end_open'] > 0.1 > m['past_end_closed']"
of fallocate "m['past_end_open'] == m['past_end_closed'] == 0"
# One directory begins in one group; four begin in four.
of keep "m['groups_used'] == 4 and m['group_entropy'] > 0.9"
of fallocate "m['groups_used'] < 4 and m['group_entropy'] < 0.9"
for mode in buffered direct hint fallocate keep; do
	of $mode "m['files_complete'] == 1000 and 0 < m['fairness'] <= 1 and m['stalls'] >= 0 and m['longest_gap'] > 0
		and 0 < m['completion_first'] <= m['completion_p50'] <= m['completion_last'] and m['completion_spread'] >= 1
		and m['throughput'] > 0 and m['extents_per_gib'] == m['extents_mean'] * 2048
		and abs(m['extent_size'] * m['extents_mean'] - 524288) < 1"
done
assert_json out/result.json "all('fsync at end' in s['measured']['sync_boundary'] and s['measured']['bytes'] == 1000 * 524288
	and s['latency']['sync']['count'] == 1000 for t in d['trials'] for s in t['steps'] if s['kind'] == 'workload')"

# ---- another file system, and one without a map of extents ------------------------------------------

cat > ext4.job <<'END'
job = "ext4";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
steps = (
	{ setup = "mkfs"; fs = "ext4"; },
	{ setup = "mount"; },
	{ workload = "streams"; files = 40; file_size = "256KiB"; bs = "64KiB"; dirs = 3; end_fsync = true; },
	{ workload = "streams"; name = "again"; files = 40; file_size = "256KiB"; bs = "64KiB"; dirs = 3;
	  prealloc = "fallocate"; direct = true; }
);
END
rm -rf out
assert_exit 0 fstrial run --out out ext4.job >table 2>log
assert_json out/result.json "all(s['metrics']['extents_mean']['value'] >= 1 and s['metrics']['groups_used']['value'] is None
	and s['metrics']['files_complete']['value'] == 40 for s in d['trials'][0]['steps'] if s['kind'] == 'workload')"

mkdir tmp
mount -t tmpfs -o size=64m tmpfs tmp
cleanup_fn umount tmp
cat > few.job <<'END'
job = "few";
repeats = 1;
vars = { files = 10; };
steps = ( { workload = "streams"; files = "${files}"; file_size = "64KiB"; bs = "4KiB"; numjobs = 2; } );
END
rm -rf out
assert_exit 0 fstrial run --directory tmp --out out few.job >table 2>log
assert_json out/result.json "[(s['metrics']['extents_mean']['value'], s['metrics']['files_complete']['value'], len([w for w in s['warnings']
	if 'no extents in the result' in w])) for s in d['trials'][0]['steps']] == [(None, 10, 1)]"
assert_eq "$(find tmp -mindepth 1 -not -name '.*')" "" "what is left"

# More files than may be open: the limit is named, and nothing is left.
rm -rf out
status=0
(
	ulimit -n 300
	exec setpriv --bounding-set=-sys_resource "$BUILD/fstrial" run --directory tmp --out out --set files=1000 few.job
) >table 2>log || status=$?
assert_eq $status 1 "exit status with too many files"
assert_json out/result.json "re.search(r'1000 files and 2 workers need [0-9]+ open files, the limit is 300 \(ulimit -Hn\)',
	d['trials'][0]['reason'])"
assert_eq "$(find tmp -mindepth 1 -not -name '.*')" "" "what is left after a failure"
