#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# First write against overwrite of preallocated files: extents, log and positions, by groups and mode.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs mkfs.ext4

# value METRIC: in the expressions below; note KEY: of the step's notes.
check()
{
	assert_json out/result.json "(lambda step, of: $1)(
		lambda t: [s for s in t['steps'] if s['kind'] == 'workload'][0],
		lambda name: [({k: m['value'] for k, m in s['metrics'].items()}, s['notes'], t)
			for v in d['variants'] for t in d['trials'] if v['id'] == t['variant']
			and name in v['values'].values() for s in t['steps'] if s['kind'] == 'workload'])"
}

# ---- 4 groups against 60 ---------------------------------------------------------------------------

cat > groups.job <<'END'
job = "groups";
target = { scratch = "8GiB"; scratch_dir = "."; };
repeats = 1;
order = "listed";
matrix = { agcount = [ 4, 60 ]; };
steps = (
	{ setup = "mkfs"; fs = "xfs"; agcount = "${agcount}"; },
	{ setup = "mount"; options = "noatime,inode64"; },
	{ workload = "prealloc"; nrfiles = 3; size = "48MiB"; bs = "2MiB"; prealloc_size = "64MiB"; direct = true;
	  sync = "dsync"; }
);
END
assert_exit 0 fstrial run --out out groups.job >table 2>log
assert_schema out/result.json
check "len(of(4)) == len(of(60)) == 1"
# One unwritten extent; then one that is written and one that is not; the overwrite changes nothing.
check "all(n[f'file.{i}.{k}'] == w for m, n, t in of(4) + of(60) for i in range(3) for k, w in {
	'extents_before': '1', 'unwritten_before': '1', 'extents_first_write': '2', 'unwritten_first_write': '1',
	'extents_overwrite': '2', 'unwritten_overwrite': '1'}.items())"
check "all(m['extents_before'] == m['unwritten_before'] == 1 and m['extents_first_write'] == 2
	and m['unwritten_first_write'] == 1 for m, n, t in of(4) + of(60))"
# Each first write of 2 MiB is one log write and one log force; the overwrite is none. A little
# more is the log's own work in the background.
check "all(1 <= m['first_write_log_writes'] < 1.2 and 1 <= m['first_write_log_forces'] < 1.2
	and m['overwrite_log_writes'] < 0.2 and m['overwrite_log_forces'] < 0.2 for m, n, t in of(4) + of(60))"
# The overwrite has at most the file's times to change, the first write the extent as well.
check "all(m['first_write_transactions'] >= 1 and m['overwrite_transactions'] < 1.5 for m, n, t in of(4) + of(60))"
check "all(m['first_write_log_bytes'] >= 1024 and m['first_write_device_writes'] >= 2 for m, n, t in of(4) + of(60))"
# Where the log is, as the file system itself says; and the data is where the group is that is named.
check "all(n['log'].endswith('in group %d' % t['filesystem']['geometry']['log_start_agno'])
	and n['groups'] == '%d of %d bytes' % (g['agcount'], g['agsize'])
	and m['log_position'] // g['agsize'] == g['log_start_agno']
	and int(n['file.0.data_position']) // g['agsize'] == int(n['file.0.groups'])
	and abs(int(n['file.0.data_log_distance']) - abs(int(n['file.0.data_position']) - m['log_position'] - g['log_size'] / 2)) < 2
	and m['data_log_distance'] > 0 for m, n, t in of(4) + of(60) for g in [t['filesystem']['geometry']])"
check "all(step(t)['latency'][k]['count'] == 24 for t in d['trials'] for k in ('first_write', 'overwrite'))"
check "all(m['first_write_mean'] > 0 and m['overwrite_mean'] > 0 and m['prealloc_time'] > 0
	and m['first_write_throughput'] > 0 and m['overwrite_throughput'] > 0
	and abs(m['conversion_cost']) > 0 for m, n, t in of(4) + of(60))"

# ---- what is done before ---------------------------------------------------------------------------

cat > modes.job <<'END'
job = "modes";
target = { scratch = "1GiB"; scratch_dir = "."; };
repeats = 1;
matrix = { mode = (
	{ name = "none"; prealloc = "none"; size = "0"; hint = "0"; bs = "1MiB"; },
	{ name = "hint"; prealloc = "none"; size = "0"; hint = "8MiB"; bs = "64KiB"; },
	{ name = "keep"; prealloc = "keep_size"; size = "32MiB"; hint = "0"; bs = "1MiB"; },
	{ name = "zero"; prealloc = "zero_range"; size = "32MiB"; hint = "0"; bs = "1MiB"; },
	{ name = "write"; prealloc = "write"; size = "32MiB"; hint = "0"; bs = "1MiB"; }
); };
steps = (
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; },
	{ workload = "prealloc"; size = "8MiB"; bs = "${mode.bs}"; prealloc = "${mode.prealloc}"; prealloc_size = "${mode.size}";
	  extsize = "${mode.hint}"; direct = true; sync = "dsync"; order = "random"; }
);
END
rm -rf out
assert_exit 0 fstrial run --out out modes.job >table 2>log
check "all(m['extents_before'] == 0 and m['extents_overwrite'] >= 1 and m['unwritten_overwrite'] == 0
	and m['prealloc_time'] is None for m, n, t in of('none'))"
# The hint allocates 8 MiB at the first write: one extent in the end, though written in random order.
check "all(m['extents_before'] == 0 and m['extents_overwrite'] == 1 for m, n, t in of('hint'))"
check "all(m['unwritten_before'] == 1 and m['extents_overwrite'] == 2 and m['first_write_log_writes'] >= 1
	for m, n, t in of('keep') + of('zero'))"
check "all(m['unwritten_before'] == 0 and m['extents_before'] == m['extents_overwrite']
	and m['first_write_log_writes'] < 0.5 for m, n, t in of('write'))"
check "len(of('none') + of('hint') + of('keep') + of('zero') + of('write')) == 5"

# ---- several at once; buffered ---------------------------------------------------------------------

cat > many.job <<'END'
job = "many";
target = { scratch = "1GiB"; scratch_dir = "."; };
repeats = 1;
matrix = { how = (
	{ name = "direct"; direct = true; sync = "dsync"; },
	{ name = "buffered"; direct = false; sync = "none"; }
); };
steps = (
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; },
	{ workload = "prealloc"; numjobs = 3; nrfiles = 2; size = "16MiB"; bs = "1MiB"; prealloc_size = "16MiB";
	  direct = "${how.direct}"; sync = "${how.sync}"; }
);
END
rm -rf out
assert_exit 0 fstrial run --out out many.job >table 2>log
check "all(m['extents_before'] == m['unwritten_first_write'] == 1 and m['extents_first_write'] == 2
	for m, n, t in of('direct') + of('buffered'))"
check "all(step(t)['latency'][k]['count'] == 48 for t in d['trials'] for k in ('first_write', 'overwrite'))"
check "all(m['first_write_log_forces'] > 0 for m, n, t in of('direct'))"
# Buffered, each pass ends with an fsync of the file.
check "all(step(t)['latency']['sync']['count'] == 12 for m, n, t in of('buffered'))"

# ---- other file systems ----------------------------------------------------------------------------

cat > ext4.job <<'END'
job = "ext4";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
steps = (
	{ setup = "mkfs"; fs = "ext4"; },
	{ setup = "mount"; },
	{ workload = "prealloc"; size = "4MiB"; bs = "1MiB"; prealloc_size = "16MiB"; direct = true; sync = "dsync"; }
);
END
rm -rf out
assert_exit 0 fstrial run --out out ext4.job >table 2>log
assert_schema out/result.json
assert_json out/result.json "all(m['extents_before'] == m['unwritten_before'] == m['unwritten_first_write'] >= 1
	and m['extents_first_write'] == m['extents_before'] + 1 and m['first_write_log_writes'] is None
	and m['log_position'] is None and m['data_groups'] is None
	for m in [{k: x['value'] for k, x in d['trials'][0]['steps'][-1]['metrics'].items()}])"
assert_json out/result.json "d['trials'][0]['steps'][-1]['metrics']['first_write_device_writes']['value'] >= 1"

mkdir tmp
mount -t tmpfs -o size=64m tmpfs tmp
cleanup_fn umount tmp
cat > tmpfs.job <<'END'
job = "tmpfs";
repeats = 1;
steps = ( { workload = "prealloc"; size = "4MiB"; bs = "1MiB"; } );
END
rm -rf out
assert_exit 0 fstrial run --directory tmp --out out tmpfs.job >table 2>log
assert_json out/result.json "[(s['metrics']['extents_before']['value'], s['metrics']['first_write_log_forces']['value'],
	s['metrics']['first_write_throughput']['value'] > 0) for s in d['trials'][0]['steps']] == [(None, None, True)]"
assert_json out/result.json "any('no extents in the result' in w for w in d['trials'][0]['steps'][0]['warnings'])"
assert_eq "$(find tmp -type f)" "" "files that are left"

# Space that is not there: the file is named.
sed -i 's/bs = "1MiB"/bs = "1MiB"; prealloc_size = "128MiB"/' tmpfs.job
rm -rf out
assert_exit 1 fstrial run --directory tmp --out out tmpfs.job >table 2>log
assert_json out/result.json "re.search(r'fallocate .*prealloc\.0\.0, 134217728 bytes: No space', d['trials'][0]['reason'])"
assert_eq "$(find tmp -type f)" "" "files that are left after a failure"
