#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A step may make a device out of the target's; it cannot bring in one that nobody named and confirmed.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs mkfs.ext4 losetup addpart sha256sum

run() { fstrial run --plugin-dir "$BUILD/tests/plugins" "$@"; }
make_loop 400M
other=$LOOP other_image=$IMAGE
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$other"
sync
before=$(sha256sum <"$other_image")
for target in 'scratch = "400MiB"; scratch_dir = "."' 'directory = "."'; do
	for place in once steps; do
		case $place in
		once) once='{ setup = "gives_device"; device = "'$other'"; }' step='' ;;
		steps) once='' step='{ setup = "gives_device"; device = "'$other'"; },' ;;
		esac
		cat > given.job <<-END
		target = { $target; };
		repeats = 1;
		${once:+once = ( $once );}
		steps = ( $step { setup = "mkfs"; fs = "xfs"; }, { setup = "mount"; } );
		END
		rm -rf out
		assert_exit 1 run --out out given.job >table 2>log
		assert_contains log "$other does not stand on the target"
		assert_lacks out/commands.log mkfs
		[ "$(sha256sum <"$other_image")" = "$before" ] || fail "the other device's bytes changed"
	done
done

# A partition of the target, and a loop device over it, are the target.
# With partitions from the start, as a number that is let go of is anybody's; told to the kernel by hand, as it need
# not know any kind of partition table.
truncate -s 800M part.image
LOOP=$(losetup -f -P --show part.image)
cleanup_fn let_go "$LOOP"
addpart "$LOOP" 1 2048 819200 && wait_for 10 test -b "${LOOP}p1" || skip "no partitions on loop devices"
cat > part.job <<END
target = { device = "$LOOP"; destroy = "${LOOP#/dev/}"; };
repeats = 2;
vars = { given = "${LOOP}p1"; };
steps = ( { setup = "gives_device"; device = "\${given}"; }, { setup = "mkfs"; fs = "xfs"; }, { setup = "mount"; },
	{ workload = "sequential"; rw = "write"; size = "4MiB"; bs = "1MiB"; } );
END
assert_exit 0 run --out part part.job >table 2>log
assert_json part/result.json "all(t['status'] == 'ok' and t['filesystem']['type'] == 'xfs' for t in d['trials'])"
grep -q "mkfs.xfs .*${LOOP}p1" part/commands.log || fail "the partition was not the one that was formatted"
# Not while somebody has it.
mkdir mnt
mount "${LOOP}p1" mnt
cleanup_fn sh -c "umount -q '$PWD/mnt' || true"
assert_exit 5 run --out held part.job >table 2>log
umount mnt
over=$(losetup -f --show "${LOOP}p1")
cleanup_fn let_go "$over"
# The loop device holds its partition only: what it stands on is the target, and nobody else's.
assert_exit 5 run --out over --set given="$over" part.job >table 2>log
assert_contains log "behind the loop device $over"
losetup -d "$over"
