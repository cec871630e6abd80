#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Full and aged file systems: the share, the free space in pieces, the same files for the same seed, nothing left.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs mkfs.ext4

cat >fill.job <<'END'
job = "fill";
vars = { percent = 60; max = "1MiB"; };
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 2;
order = "listed";
matrix = { fs = ["xfs", "ext4"]; how = ["fill", "age"]; };
steps = (
	{ setup = "mkfs"; fs = "${fs}"; },
	{ setup = "mount"; },
	{ setup = "fill"; percent = "${percent}"; max_filesize = "${max}"; when = "how == fill"; },
	{ setup = "age"; percent = "${percent}"; max_filesize = "${max}"; when = "how == age"; },
	{ setup = "fstrim"; }
);
END
fstrial run --quiet --out out fill.job >table 2>err || { show_file err; fail "fill"; }
assert_schema out/result.json
assert_json out/result.json "len(d['trials']) == 8"
assert_json out/result.json "all(0.58 < t['filesystem']['fill'] < 0.62 for t in d['trials'])"
# notes of the filling step of variant V, repeat R
notes() { echo "[t['steps'][2]['notes'] for t in d['trials'] if t['variant'] == '$1' and t['repeat'] == $2][0]"; }
for v in v01 v02 v03 v04; do
	for key in files file_bytes; do
		assert_json out/result.json "$(notes $v 1)['$key'] == $(notes $v 2)['$key']"
	done
	# The histogram adds up.
	assert_json out/result.json "sum(int(w.split(':')[1]) for w in $(notes $v 1)['free_histogram_after'].split())
		== int($(notes $v 1)['free_extents_after'])"
done
for pair in v01:v02 v03:v04; do
	# What is old is more in pieces than what is only full.
	assert_json out/result.json "int($(notes ${pair#*:} 1)['free_extents_after'])
		> 2 * int($(notes ${pair%:*} 1)['free_extents_after'])"
	assert_json out/result.json "int($(notes ${pair#*:} 1)['files_removed']) > 0 and int($(notes ${pair#*:} 1)['holes']) > 0"
done
assert_json out/result.json "all(int(t['steps'][3]['notes']['trimmed_bytes']) > 0 for t in d['trials'])"

# Nearly full.
fstrial run --quiet --repeats 1 --set percent=99 --set max=256KiB --out full fill.job >table 2>err ||
	{ show_file err; fail "full"; }
assert_json full/result.json "all(t['filesystem']['fill'] > 0.9 for t in d['trials'])"

# In a directory that is not ours nothing stays.
mkdir place
cat >dir.job <<END
job = "dir";
target = { directory = "$PWD/place"; };
repeats = 1;
steps = ( { setup = "fill"; size = "2MiB"; max_filesize = "64KiB"; }, { setup = "fstrim"; } );
END
fstrial run --quiet --out dir dir.job >table 2>err || { show_file err; fail "directory"; }
assert_json dir/result.json "d['trials'][0]['steps'][0]['notes']['file_bytes'] == str(2 << 20)"
assert_json dir/result.json "d['trials'][0]['steps'][1]['status'] == 'skipped'"
[ -z "$(ls -A place)" ] || fail "left: $(ls -A place)"
