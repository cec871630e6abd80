#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A step may bring a device that is new and empty: a disk in memory of its own, a loop device over a file of the trial.
# One that was there before, or whose file was, is refused and keeps its bytes.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs mkfs.ext4 losetup sha256sum

run() { fstrial run --plugin-dir "$BUILD/tests/plugins" "$@"; }
zram_make='n=$(cat /sys/class/zram-control/hot_add); echo 400M >/sys/block/zram$n/disksize; echo /dev/zram$n'
zram_unmake='n=$(echo $MADE | tr -dc 0-9); echo 1 >/sys/block/zram$n/reset; echo $n >/sys/class/zram-control/hot_remove'
loop_make='truncate -s 400M $DIR/image; losetup -f --show $DIR/image'
loop_unmake='losetup -d $MADE'

# job TARGET ONCE MAKE UNMAKE [STEP-BEFORE]
job()
{
	local step="{ setup = \"makes_device\"; make = \"$3\"; unmake = \"$4\"; }"
	cat > made.job <<-END
	target = { $1 };
	repeats = 2;
	${2:+once = ( $step );}
	steps = ( ${5:-} ${2:-$step,} { setup = "mkfs"; fs = "xfs"; name = "format"; }, { setup = "mount"; name = "use"; },
		{ workload = "sequential"; rw = "write"; size = "4MiB"; bs = "1MiB"; } );
	END
	[ -z "$2" ] || sed -i 's/^steps = ( *once/steps = (/' made.job
	rm -rf out
}
works() # DEVICE-PREFIX
{
	assert_exit 0 run --out out made.job >table 2>log
	assert_schema out/result.json
	assert_json out/result.json "all(t['status'] == 'ok' and t['filesystem']['type'] == 'xfs' for t in d['trials']) and len(d['trials']) == 2"
	grep -q "mkfs.xfs .*$1" out/commands.log || { show_file out/commands.log; fail "$1 was not what was formatted"; }
}
refused() # TEXT
{
	assert_exit 1 run --out out made.job >table 2>log
	assert_contains log "$1"
	assert_lacks out/commands.log mkfs
}

have_zram=
[ ! -w /sys/class/zram-control/hot_add ] && [ ! -r /sys/class/zram-control/hot_add ] || have_zram=1
for target in 'scratch = "400MiB"; scratch_dir = ".";' 'directory = ".";'; do
	for once in "" once; do
		if [ $have_zram ]; then
			job "$target" "$once" "$zram_make" "$zram_unmake"
			works /dev/zram
		fi
	done
done
# In a directory, and in a file system of the trial's.
for once in "" once; do
	job 'directory = ".";' "$once" "$loop_make" "$loop_unmake"
	[ -z "$once" ] || sed -i 's|\$DIR/image|'"$PWD"'/image|g' made.job
	if [ -z "$once" ]; then
		works /dev/loop
	else
		refused "was not made by the trial"
	fi
done
for fs in xfs ext4 btrfs; do
	{ command -v mkfs.$fs && fstrial plugins mkfs | grep -qw $fs; } >/dev/null || continue
	job 'scratch = "800MiB"; scratch_dir = ".";' "" "$loop_make" "$loop_unmake" \
		'{ setup = "mkfs"; fs = "'$fs'"; }, { setup = "mount"; },'
	works /dev/loop
done

# What was there before.
hash() { sha256sum <"$IMAGE"; }
make_loop 400M
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$LOOP"
sync
before=$(hash)
for target in 'scratch = "400MiB"; scratch_dir = ".";' 'directory = ".";'; do
	job "$target" "" "echo $LOOP" :
	refused "$LOOP does not stand on the target alone (the image $IMAGE of ${LOOP#/dev/} was not made by the trial)"
	assert_contains log "target.devices"
done
losetup -d "$LOOP"
cleanup_list=("${cleanup_list[@]:0:1}")
# Attached by the step, but somebody's: by its own name, a second name, a link, and moved into the trial's directory.
job 'directory = ".";' "" "losetup -f --show $IMAGE" "$loop_unmake"
refused "was not made by the trial"
job 'directory = ".";' "" "ln $IMAGE \$DIR/image; losetup -f --show \$DIR/image" "$loop_unmake"
refused "was not made by the trial"
job 'directory = ".";' "" "ln -s $IMAGE \$DIR/image; losetup -f --show \$DIR/image" "$loop_unmake"
refused "was not made by the trial"
job 'directory = ".";' "" "mv $IMAGE \$DIR/image; losetup -f --show \$DIR/image" \
	"losetup -d \$MADE; mv $PWD/fstrial-*/work/image $IMAGE"
refused "was not made by the trial"
assert_eq "$(hash)" "$before" "the image's bytes"
# A disk in memory that was there before the step.
if [ $have_zram ]; then
	n=$(cat /sys/class/zram-control/hot_add)
	cleanup_fn sh -c "echo 1 >/sys/block/zram$n/reset; echo $n >/sys/class/zram-control/hot_remove"
	echo 64M >/sys/block/zram"$n"/disksize
	echo precious | dd of=/dev/zram"$n" bs=4096 conv=sync 2>/dev/null
	job 'directory = ".";' "" "echo /dev/zram$n" :
	refused "zram$n is none of the target's devices"
	assert_eq "$(head -c 8 /dev/zram"$n")" precious "the zram's bytes"
	# By a plugin that does not say that it makes devices.
	sed 's/"makes_device"; make = .*; unmake = ":"/"gives_device"; device = "\/dev\/zram'"$n"'"/' made.job >given.job
	assert_exit 1 run --out given given.job >table 2>log
	assert_contains log "zram$n is none of the target's devices"
fi
# What could not be made is not stood in for by what is there.
job 'scratch = "400MiB"; scratch_dir = ".";' "" : :
sed -i 's/unmake = ":"/missing = true/' made.job
assert_exit 0 run --out out made.job >table 2>log
assert_json out/result.json "all(s['status'] == 'skipped' for t in d['trials'] for s in t['steps'])"
assert_json out/result.json "d['trials'][0]['steps'][1]['reason'] == 'its device would have been made by makes_device, which was skipped'"
