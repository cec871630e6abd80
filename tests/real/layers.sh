#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the device stands on is in the result, and a stripe that does not lie where it should is a warning.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs losetup

# make_at OFFSET: a loop device that begins there in its file.
make_at()
{
	truncate -s 600MiB "at-$1.img"
	LOOP=$(losetup -f --show --offset "$1" "$PWD/at-$1.img") || skip "no loop device to be had"
	cleanup_fn losetup -d "$LOOP"
}

# run_on SU: a file system with this stripe unit on LOOP.
run_on()
{
	cat >a.job <<-END
		job = "layers";
		target = { device = "$LOOP"; destroy = "${LOOP#/dev/}"; };
		repeats = 1;
		steps = ( { setup = "mkfs"; fs = "xfs"; su = "$1"; sw = 4; }, { setup = "mount"; } );
	END
	rm -rf out
	fstrial run --quiet --out out a.job >table 2>err || { show_file err; fail "$1"; }
	assert_schema out/result.json
	name=${LOOP#/dev/}
	assert_json out/result.json "d['trials'][0]['layers']['log'] is None"
	assert_json out/result.json "d['trials'][0]['layers']['data'][0]['name'] == '$name'"
	assert_json out/result.json "d['trials'][0]['layers']['data'][0]['kind'] == 'loop'"
}

make_at 98304
run_on 64KiB
assert_json out/result.json "d['trials'][0]['layers']['data'][0]['below']
	== [{'name': '$PWD/at-98304.img', 'offset_bytes': 98304}]"
assert_json out/result.json "d['trials'][0]['warnings']
	== ['misaligned: $name begins 96KiB into $PWD/at-98304.img, no multiple of the file system\'s stripe unit of 64KiB']"
assert_contains table "misaligned: $name begins 96KiB into"
fstrial show out >shown
assert_contains shown "misaligned: $name begins 96KiB into"
run_on 32KiB
assert_json out/result.json "d['trials'][0]['warnings'] == []"
assert_lacks table misaligned
