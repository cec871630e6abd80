#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A workload on the device itself: what it reads and writes is the device's, what is not ours is refused and keeps its
# bytes, and reading changes nothing and asks nobody.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires losetup mkfs.ext4 mkswap sha256sum

make_loop 32M
dev=$LOOP name=${LOOP#/dev/} image=$IMAGE
mkdir mnt
cleanup_fn sh -c "umount -q '$PWD/mnt' || true"
hash() { sync; sha256sum <"$image"; }
# job STEPS [TARGET]: on the device, confirmed or as TARGET says.
job()
{
	cat > raw.job <<-END
	job = "raw";
	target = { ${2-device = \"$dev\"; destroy = \"$name\";} };
	repeats = 1;
	steps = ( $1 );
	END
	rm -rf out
}
runs() # EXIT
{
	assert_exit "$1" fstrial run --out out raw.job >table 2>log
	[ ! -e out/result.json ] || assert_schema out/result.json
}
steps() # EXPRESSION over s, the steps of the first trial by name, and t, the trial
{
	assert_json out/result.json "(lambda t: (lambda s: $1)({x['name']: x for x in t['steps']}))(d['trials'][0])"
}
ext4() { mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$@"; }
refused() # TEXT: exit 5, bytes as they were
{
	local before
	before=$(hash)
	runs 5
	tr -s ' \n' ' ' <log >flat
	assert_contains flat "$1"
	assert_eq "$(hash)" "$before" "the device's bytes"
	[ ! -e out ] || fail "a refused run left a results directory"
}

# ---- reading: nobody is asked, and it may be in use ---------------------------------------------------
ext4 -L precious "$dev"
mount -o ro,noload "$dev" mnt
before=$(hash)
job '{ workload = "io"; name = "all"; filename = "target"; bs = "1MiB"; },
	{ setup = "drop_caches"; },
	{ workload = "io"; name = "direct"; rw = "randread"; filename = "'"$dev"'"; bs = "4KiB"; direct = true; runtime = "1s"; },
	{ workload = "seeks"; name = "seeks"; filename = "target.1"; update = 0; numjobs = 3; size = "16MiB"; runtime = "1s"; },
	{ workload = "sequential"; name = "part"; filename = "target"; offset = "1MiB"; numjobs = 2; size = "2MiB"; offset_increment = "8MiB"; }' \
	"device = \"$dev\";"
runs 0
assert_eq "$(hash)" "$before" "the device's bytes"
steps "all(x['data']['device']['path'] == '$dev' and x['data']['device']['size_bytes'] == 32 << 20 for x in s.values() if x['data'])"
steps "[s[k]['data']['device']['filename'] for k in ('all', 'direct', 'seeks')] == ['target', '$dev', 'target.1']"
steps "s['all']['measured']['bytes'] == 32 << 20 and s['all']['data']['dataset_bytes'] == 32 << 20"
steps "s['all']['data']['laid_out_bytes'] == 0 and s['direct']['data']['cache'] == 'direct' and s['all']['data']['cache'] != 'written'"
steps "s['part']['measured']['bytes'] == 4 << 20 and s['part']['data']['dataset_bytes'] == 11 << 20"
steps "t['filesystem'] is None"
assert_exit 0 fstrial plan raw.job >plan 2>log
assert_contains plan "destroyed     nothing"
assert_lacks plan refused
grep -q '^files  *0$' plan || { show_file plan; fail "files that are none"; }
# With a step that sets something the guard is asked after all, and with one that writes.
job '{ setup = "readahead"; size = "64KiB"; }, { workload = "io"; filename = "target"; }' "device = \"$dev\";"
refused "$dev is not confirmed"
for rw in write randwrite rw randrw trim randtrim; do
	job '{ workload = "io"; rw = "'$rw'"; filename = "target"; }' "device = \"$dev\";"
	refused "$dev is not confirmed: add destroy = \"$name\" to target"
	job '{ workload = "io"; rw = "'$rw'"; filename = "target"; }' "device = \"$dev\"; destroy = \"$name\"; overwrite = true;"
	refused "$dev is mounted on $PWD/mnt"
done
for step in 'seeks"; update = 1; size = "1MiB' 'sequential"; rw = "write' 'rewrite'; do
	job '{ workload = "'"$step"'"; filename = "target"; }' "device = \"$dev\"; destroy = \"$name\"; overwrite = true;"
	refused "$dev is mounted on $PWD/mnt"
done
assert_exit 0 fstrial plan raw.job >plan 2>log
tr -s ' \n' ' ' <plan >flat
assert_contains flat "destroyed everything on $dev (32MiB): an ext4 file system (label precious"
assert_contains flat "refused $dev is mounted on $PWD/mnt"
umount mnt

# ---- writing: what is there is named -------------------------------------------------------------------
for rw in write trim; do
	job '{ workload = "io"; rw = "'$rw'"; filename = "target"; size = "1MiB"; }'
	refused "$dev holds an ext4 file system (label precious"
done
blkdiscard -f -z "$dev" 2>/dev/null || dd if=/dev/zero of="$dev" bs=1M count=32 conv=fsync status=none
mkswap "$dev" >/dev/null 2>&1
job '{ workload = "io"; rw = "randrw"; filename = "target"; size = "1MiB"; }'
refused swap
dd if=/dev/zero of="$dev" bs=1M count=1 conv=fsync status=none
printf 'LABELONE\001\0\0\0\0\0\0\0\0\0\0\0 \0\0\0LVM2 001abcdefghijklmnopqrstuvwxyz012345' |
	dd of="$dev" bs=1 seek=512 conv=notrunc,fsync status=none
refused LVM2_member
dd if=/dev/zero of="$dev" bs=1M count=1 conv=fsync status=none
second=$(losetup -f --show "$image")
cleanup_fn let_go "$second"
refused "whose image $image is also behind $second"
losetup -d "$second"
# A device that is none of the target's, to be written or read, by a link, too.
make_loop 8M
other=$LOOP other_image=$IMAGE
ext4 "$other"
ln -s "$other" link
sum=$(sync; sha256sum <"$other_image")
for step in 'rw = "write"' 'rw = "trim"' 'rw = "read"'; do
	for path in "$other" "$PWD/link"; do
		job '{ workload = "io"; '"$step"'; filename = "'"$path"'"; }'
		refused "none of the target's devices"
	done
done
job '{ workload = "io"; rw = "write"; filename = "target.2"; }'
refused "target.2: the target has 1 device"
assert_eq "$(sync; sha256sum <"$other_image")" "$sum" "the other device's bytes"
# Larger than it is: both sizes are said, and nothing was touched.
before=$(hash)
job '{ workload = "io"; rw = "write"; filename = "target"; size = "33MiB"; }'
assert_exit 2 fstrial run --out out raw.job >table 2>log
assert_contains log "raw.job:4: io: size = 33MiB ends at 34603008 bytes, and target has 33554432 (32MiB)"
job '{ workload = "io"; rw = "write"; filename = "target.2"; size = "9MiB"; }' \
	"devices = [\"$dev\", \"$other\"]; destroy = [\"$name\", \"${other#/dev/}\"]; overwrite = true;"
runs 1
steps "re.search(r'size = 9MiB ends at 9437184 bytes, and $other has 8388608 \(8MiB\)', t['reason'])"
assert_eq "$(sync; sha256sum <"$other_image")" "$sum" "the other device's bytes"
assert_eq "$(hash)" "$before" "the device's bytes"
# Mounted by the job itself.
job '{ setup = "mkfs"; fs = "ext4"; }, { setup = "mount"; name = "use"; },
	{ workload = "io"; rw = "write"; filename = "target"; size = "1MiB"; }'
refused "filename = \"target\": use before it has that device mounted"
job '{ setup = "mkfs"; fs = "ext4"; }, { setup = "mount"; name = "use"; },
	{ workload = "io"; rw = "trim"; filename = "target.1"; size = "1MiB"; }'
runs 1
steps "t['status'] == 'failed' and 'cannot be opened exclusively' in t['reason'] and 'mounted on' in t['reason']"
job '{ setup = "mkfs"; fs = "ext4"; }, { setup = "mount"; },
	{ workload = "io"; name = "file"; size = "8MiB"; bs = "1MiB"; },
	{ workload = "io"; name = "raw"; filename = "target"; bs = "1MiB"; }'
runs 0
steps "s['file']['data']['device'] is None and s['raw']['measured']['bytes'] == 32 << 20 and t['filesystem']['type'] == 'ext4'"

# ---- writing: it is what is on the device ----------------------------------------------------------------
for direct in false true; do
	for engine in psync mmap io_uring libaio pvsync2; do
		[ -e "$BUILD/plugins/engine/$engine.so" ] && [ "$engine.$direct" != mmap.true ] || continue
		job '{ workload = "io"; name = "write"; rw = "write"; bs = "64KiB"; verify = "crc32c"; end_fsync = true; },
			{ workload = "io"; name = "again"; rw = "randwrite"; bs = "4KiB"; size = "4MiB"; offset = "8MiB"; verify = "crc32c"; },
			{ workload = "io"; name = "read"; bs = "1MiB"; verify = "crc32c"; },
			{ workload = "rewrite"; name = "rewrite"; bs = "64KiB"; size = "1MiB"; offset = "16MiB"; }' \
			"device = \"$dev\"; destroy = \"$name\"; overwrite = true;"
		sed -i 's/filename/&/; s/workload = "[a-z]*";/& filename = "target"; direct = '$direct'; ioengine = "'$engine'";/g' raw.job
		runs 0
		steps "s['write']['measured']['bytes'] == s['write']['data']['verified_bytes'] == s['read']['measured']['bytes'] == 32 << 20"
		steps "s['again']['data']['verified_bytes'] == 4 << 20 and s['rewrite']['measured']['bytes'] == 1 << 20"
		steps "('fsync at end' in s['write']['measured']['sync_boundary']) and s['write']['latency']['sync']['count'] == 1"
	done
done
# No file was made for it, and the headers are in the device's own bytes; a later session knows them again.
job '{ workload = "io"; name = "write"; rw = "write"; bs = "64KiB"; verify = "crc32c"; filename = "target"; end_fsync = true; }'
runs 0
assert_eq "$(dd if="$dev" bs=4096 skip=100 count=1 status=none | head -c 4)" FSTV "a header"
cat > read.job <<END
target = { device = "$dev"; };
repeats = 1;
steps = ( { workload = "io"; name = "read"; bs = "1MiB"; verify = "crc32c"; filename = "target"; } );
END
assert_exit 0 fstrial run --out read read.job >table 2>log
printf X | dd of="$dev" bs=1 seek=$((1234 * 4096 + 1000)) conv=notrunc,fsync status=none
assert_exit 1 fstrial run --out flipped read.job >table 2>log
assert_json flipped/result.json "'verify: $dev at offset %d: crc32c of the data is wrong' % (1234 * 4096) in d['trials'][0]['reason']"
# Trimmed.
if [ "$(cat "/sys/block/$name/queue/discard_max_bytes")" != 0 ]; then
	for engine in psync io_uring libaio; do
		[ -e "$BUILD/plugins/engine/$engine.so" ] || continue
		job '{ workload = "io"; name = "write"; rw = "write"; bs = "1MiB"; filename = "target"; end_fsync = true; },
			{ workload = "io"; name = "trim"; rw = "trim"; bs = "64KiB"; size = "8MiB"; offset = "4MiB"; direct = true;
			  filename = "target"; ioengine = "'$engine'"; }'
		runs 0
		steps "s['trim']['metrics']['trim_rate']['value'] > 0 and s['trim']['measured']['bytes'] == 8 << 20"
		cmp -n $((8 << 20)) -i $((4 << 20)):0 "$dev" /dev/zero || fail "$engine: not all was trimmed"
		cmp -s -n 4096 -i $((4 << 20)):0 "$dev" /dev/urandom && fail "random bytes are zeros"
		[ "$(dd if="$dev" bs=1M skip=3 count=1 status=none | tr -d '\0' | wc -c)" -gt 1000000 ] || fail "$engine: more was trimmed"
		[ "$(dd if="$dev" bs=1M skip=12 count=1 status=none | tr -d '\0' | wc -c)" -gt 1000000 ] || fail "$engine: more was trimmed"
	done
fi

# ---- held while it is written ------------------------------------------------------------------------------
job '{ workload = "io"; rw = "write"; bs = "1MiB"; filename = "target"; runtime = "20s"; }'
fstrial_bg run --out held raw.job >table 2>log
wait_for 15 sh -c "! /usr/bin/python3 -c 'import os,sys; os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)' '$dev' 2>/dev/null" ||
	fail "nobody holds the device"
kill -INT "$PID"
wait "$PID" || true
/usr/bin/python3 -c 'import os,sys; os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)' "$dev" || fail "the device is held still"

# So that beside it others may read, and not write.
beside='{ workload = "io"; name = "first"; rw = "write"; bs = "1MiB"; filename = "target"; },
	{ parallel = ( { workload = "io"; name = "one"; rw = "RW"; filename = "target"; runtime = "1s"; numjobs = 2; },
		{ workload = "io"; name = "two"; rw = "randwrite"; filename = "target"; runtime = "1s"; } ); }'
job "${beside/RW/randread}"
runs 0
steps "all(s[k]['status'] == 'ok' and s[k]['measured']['ops'] > 0 for k in ('one', 'two'))"
job "${beside/RW/randwrite}"
runs 1
steps "sorted(s[k]['status'] for k in ('one', 'two')) == ['failed', 'interrupted'] and re.search('opened exclusively', t['reason'])"

# ---- other devices -----------------------------------------------------------------------------------------
# The second of several; a sparse image that was never written is said.
job '{ workload = "io"; name = "write"; rw = "write"; bs = "1MiB"; filename = "target.2"; end_fsync = true; },
	{ workload = "io"; name = "written"; bs = "1MiB"; filename = "target.2"; },
	{ workload = "io"; name = "holes"; bs = "1MiB"; filename = "target.1"; }' 'scratch = "16MiB"; scratch_dir = "."; count = 2;'
runs 0
steps "s['write']['data']['device']['path'] == s['written']['data']['device']['path'] != s['holes']['data']['device']['path']"
steps "not any('is sparse' in w for w in s['written']['warnings'])"
truncate -s 1M sparse
if /usr/bin/python3 -c 'import os,sys; sys.exit(os.lseek(os.open("sparse", os.O_RDONLY), 0, os.SEEK_HOLE) != 0)'; then
	steps "any('is sparse: 0 B' in w for w in s['holes']['warnings'])"
fi
# One that a step made.
if [ -e /sys/class/zram-control ]; then
	for target in 'scratch = "16MiB"; scratch_dir = ".";' 'directory = "mnt";'; do
		job '{ setup = "zram"; size = "16MiB"; },
			{ workload = "io"; name = "write"; rw = "randwrite"; bs = "4KiB"; filename = "target"; verify = "crc32c"; },
			{ workload = "io"; name = "read"; filename = "target"; bs = "1MiB"; direct = true; verify = "crc32c"; }' "$target"
		runs 0
		steps "all(s[k]['data']['device']['path'].startswith('/dev/zram') and s[k]['measured']['bytes'] == 16 << 20 for k in ('write', 'read'))"
	done
fi
# In a directory there is none.
job '{ workload = "io"; name = "raw"; rw = "write"; filename = "target"; }, { workload = "io"; name = "file"; size = "1MiB"; }' 'directory = "mnt";'
runs 0
steps "s['raw']['status'] == 'skipped' and 'the target is a directory' in s['raw']['reason'] and s['file']['status'] == 'ok'"

# ---- a control beside file systems ----------------------------------------------------------------------------
cp "$SRC/jobs/raw-control.job" control.job
engine=psync depth=1
[ ! -e "$BUILD/plugins/engine/io_uring.so" ] || engine=io_uring depth=4
sed -i 's/scratch = "1GiB"/scratch = "400MiB"; scratch_dir = "."/; s/repeats = 5/repeats = 1/' control.job
for out in one two; do
	assert_exit 0 fstrial run --out $out --set engine=$engine --set iodepth="$depth" \
		--set size=8MiB --set runtime=1s control.job >table 2>log
	assert_schema $out/result.json
done
assert_json one/result.json "len(d['trials']) == 3 and all(t['status'] == 'ok' for t in d['trials'])"
assert_json one/result.json "{v['values']['fs']: [t['filesystem'] and t['filesystem']['type'] for t in d['trials'] if t['variant'] == v['id']]
	for v in d['variants']} == {'raw': [None], 'xfs': ['xfs'], 'ext4': ['ext4']}"
assert_json one/result.json "all((s['data']['device'] is not None) == (t['filesystem'] is None)
	for t in d['trials'] for s in t['steps'] if s['data'])"
assert_exit 3 fstrial compare one/result.json two/result.json --format json >cmp.json # one repeat settles nothing
assert_json cmp.json "d['differences'] == [] and not d['confounded']"
assert_json cmp.json "sorted(str(c['filesystem']) for c in d['cells'] if c['step'] == 'randread' and c['gated']) == ['None', 'ext4', 'xfs']"
