#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Places that are full, read-only or pulled away: said as that, the machine put back, what was measured kept.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs

cat > full.job <<'END'
job = "full";
vars = { size = "4MiB"; dir = "."; time = "0s"; };
target = { scratch = "400MiB"; scratch_dir = "${dir}"; };
repeats = 4;
steps = (
	{ setup = "sysfs"; nr_requests = 64; },
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; },
	{ workload = "sequential"; rw = "write"; size = "${size}"; bs = "1MiB"; end_fsync = true; runtime = "${time}"; }
);
END
mkdir tiny
small() # OPTIONS: tiny is a file system of its own
{
	umount -q tiny || true
	mount -t tmpfs -o "$1" none tiny
}
cleanup_fn sh -c "umount -q '$PWD/tiny' || true"
clean()
{
	! scratch_loop || fail "a loop device was left"
	[ -z "$(ls fstrial-*.img 2>/dev/null)" ] || fail "an image was left"
	assert_exit 0 fstrial recover >rec
	assert_contains rec "nothing to recover"
}

# Results cannot be made at all.
small ro
assert_exit 2 fstrial run --out tiny/out full.job >table 2>log
assert_contains log "Read-only file system"
clean
assert_exit 2 fstrial run --out full.job/out full.job >table 2>log
assert_contains log "Not a directory"
clean
# They do not fit: what was finished is on disk and is shown.
small size=64k
assert_exit 1 fstrial run --out tiny/out --repeats 20 full.job >table 2>log
assert_contains log "journal.jsonl: No space left"
clean
assert_exit 0 fstrial show tiny/out >shown
grep -Eq "^status +(stopped|partial)" shown || fail "shown as if it were complete"
grep -q '"type":"trial"' tiny/out/journal.jsonl || fail "no finished trial is in the journal"
# Every line is whole.
while read -r line; do
	echo "$line" >line.json
	assert_json line.json "d['type'] in ('session', 'trial', 'end')"
done <tiny/out/journal.jsonl
[ -z "$(tail -c 1 tiny/out/journal.jsonl | tr -d '\n')" ] || fail "half a line is at the end of the journal"

# The undo journal does not fit: no change is made that could not be put back.
small size=12k
truncate -s 8k tiny/fill && dd if=/dev/zero of=tiny/fill bs=4k count=2 status=none
{
	echo 'target = { scratch = "400MiB"; scratch_dir = "."; }; repeats = 2; steps = ('
	for n in 1 2 3 4 5 6 7 8 9; do
		echo "{ setup = \"sysfs\"; name = \"knobs$n\"; nr_requests = $((n * 10)); },"
	done
	echo '{ setup = "mkfs"; fs = "xfs"; } );'
} >knobs.job
FSTRIAL_STATE_DIR=$PWD/tiny/state
assert_exit 1 fstrial run --out nostate knobs.job >table 2>log
FSTRIAL_STATE_DIR=$TEST_DIR/.state/fstrial
assert_json nostate/result.json "d['session']['status'] == 'complete' and len(d['trials']) == 2 and
	all(re.search('^knobs[2-9]: write the undo journal .*No space left', t['reason']) for t in d['trials'])"
clean
[ -z "$(ls tiny/state 2>/dev/null)" ] || fail "an undo journal was left"

# No place for the image: read-only, then too small for what is written.
small ro
assert_exit 2 fstrial run --out roscratch --set dir=tiny full.job >table 2>log
assert_contains log "Read-only file system"
[ ! -e roscratch ] || fail "a run that could not begin left a results directory"
clean
small size=40m
assert_exit 1 fstrial run --out nospace --repeats 1 --set dir=tiny --set size=100MiB full.job >table 2>log
assert_contains table "are free in scratch_dir"
fstrial plan --set dir=tiny full.job >plan
assert_contains plan "are free in scratch_dir"
# The kernel withdraws write_zeroes of a loop device over tmpfs: nothing that could be put back.
assert_json nospace/result.json "d['trials'][0]['status'] == 'failed' and d['session']['status'] == 'complete'"
[ -z "$(ls tiny)" ] || fail "the image was left"
clean

# The image is unlinked in the middle: its loop device goes all the same.
fstrial_bg run --out unlinked --set time=2s --repeats 2 full.job >table 2>log
wait_for 20 scratch_place >/dev/null || fail "nothing was mounted"
name=$(scratch_loop)
rm fstrial-*.img
wait "$PID" || true
[ ! -e "/sys/block/$name/loop" ] || fail "the loop device of the unlinked image was left"
clean
