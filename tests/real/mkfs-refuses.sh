#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# All the ways in which mkfs.xfs refuses: one meaningful line, the command, the version, and the other variants run.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs

names=() patterns=() steps=
# refused NAME PATTERN PARAMETERS
refused()
{
	names+=("$1")
	patterns+=("$2")
	steps+="	{ setup = \"mkfs\"; name = \"m_$1\"; when = \"what == $1\"; fs = \"xfs\"; $3 },
"
}
refused both 'Cannot specify both -d agcount and -d agsize' 'agcount = 4; agsize = "128MiB";'
refused one_group 'at least 2 superblocks' 'agcount = 1;'
refused small_group 'Invalid value 15728640 for -d agsize option' 'agsize = "15MiB";'
refused half_a_stripe 'both data su and data sw' 'su = "64KiB";'
refused two_stripes 'Cannot specify both -d su and -d sunit' 'su = "64KiB"; sw = 4; sunit = "64KiB"; swidth = "256KiB";'
refused small_log 'Invalid value 1048576 for -l size option' 'log_size = "1MiB";'
refused large_log 'Invalid value 3221225472 for -l size option' 'log_size = "3GiB";'
refused old_log 'Version 1 logs' 'log_version = 1;'
refused small_inode 'inode size' 'inode_size = "256B";'
refused large_inode 'Invalid value 4096 for -i size option' 'inode_size = "4KiB";'
refused small_sector 'illegal sector size 512' 'sector_size = "512B";'
refused large_sector 'sector size 8192' 'sector_size = "8KiB";'
refused small_block 'block size' 'block_size = "512B";'
refused small_fs 'larger than 300MB' 'size = "100MiB";'
refused large_fs 'too large' 'size = "100GiB";'
refused unknown 'unknown option -d foo=1' 'options = "-d foo=1";'
refused newkey 'unknown option -i newkey=1' 'features = [ "i:newkey=1" ];'

list=$(printf '"%s", ' good "${names[@]}" last)
cat > refuses.job <<END
job = "refuses";
target = { scratch = "600MiB"; sector_size = 4096; scratch_dir = "."; };
repeats = 1;
order = "listed";
matrix = { what = [ ${list%, } ]; };
steps = (
$steps	{ setup = "mkfs"; name = "m_good"; when = "what == good || what == last"; fs = "xfs"; },
	{ setup = "mount"; },
	{ workload = "sequential"; rw = "write"; size = "4MiB"; bs = "1MiB"; }
);
END
assert_exit 1 fstrial run --out out refuses.job >table 2>log
assert_schema out/result.json
for i in "${!names[@]}"; do
	assert_json out/result.json "[t for t in d['trials'] for v in d['variants'] if v['id'] == t['variant']
		and v['values']['what'] == '${names[i]}' and t['status'] == 'failed'
		and re.search(r'''mkfs.xfs: .*(${patterns[i]})''', t['reason'])
		and '\\n' not in t['reason'] and 'Usage' not in t['reason'] and len(t['reason']) < 500
		and 'command: mkfs.xfs -f' in t['reason']]"
done
n=${#names[@]}
assert_json out/result.json "[t['status'] for t in d['trials']] == ['ok'] + ['failed'] * $n + ['ok']"
assert_json out/result.json "all(s['notes']['tool_version'] == d['environment']['tools']['mkfs.xfs']
	for t in d['trials'] for s in t['steps'] if s['plugin'] == 'mkfs' and s['status'] != 'not run')"
# A workload after a refusal has no number.
assert_json out/result.json "all(t['steps'][-1]['status'] == 'not run' and t['steps'][-1]['metrics'] == {}
	for t in d['trials'] if t['status'] == 'failed')"
# The plan says beforehand what the tool will not take.
fstrial plan --json refuses.job >plan
assert_contains plan "at least 2 superblocks"
assert_contains plan "larger than 300MB"
