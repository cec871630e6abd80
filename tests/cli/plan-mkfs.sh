#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# plan asks the tools of mkfs what they would make, with files in memory in place of all devices: it says what will be
# made and what will be refused, in names that the job has, and writes on nothing, whatever `options` says.
. "$(dirname "$0")/../helpers.sh"
requires mkfs.xfs mkfs.ext4 mkfs.btrfs sha256sum

# flat PARAMETERS: the plan of one mkfs, in one line.
flat()
{
	cat > mkfs.job <<-END
	target = { scratch = "1GiB"; count = 2; scratch_dir = "$PWD"; };
	steps = ( { setup = "mkfs"; $1 }, { setup = "mount"; }, { workload = "sequential"; rw = "read"; size = "1MiB"; } );
	END
	assert_exit "${2:-0}" fstrial plan mkfs.job >plan 2>&1
	tr -s ' \n' ' ' <plan >flat
}

flat 'fs = "xfs"; su = "64KiB"; sw = 4; logdev = "target.2";'
assert_contains flat "agcount=8 agsize=131008KiB block_size=4KiB"
assert_contains flat "sunit=64KiB swidth=256KiB log_size=1GiB"
flat 'fs = "btrfs"; data = "raid1"; devices = [ "target.2" ];'
assert_contains flat "data=RAID1"
assert_contains flat "devices=2"

# What is refused is said with names of the job's, and by a line that says why.
flat 'fs = "btrfs"; size = "4GiB";'
assert_contains flat "ERROR: the device is smaller than requested"
flat 'fs = "btrfs"; devices = [ "target.2" ]; size = "4GiB";'
assert_lacks flat /proc/
flat 'fs = "btrfs"; options = "--bogus";'
assert_contains flat "will be refused by the tool: mkfs.btrfs: unrecognized option '--bogus'"
flat 'fs = "xfs"; program = "/bin/false";'
assert_contains flat "will be refused by the tool: false: it failed without a word"
flat 'fs = "ext4"; stride = "63KiB"; stripe_width = "252KiB";'
assert_contains flat "will be refused: stride = 64512 is not a multiple of the block size, 4096 bytes"
flat 'fs = "xfs"; config = "lts_0.1";'
assert_contains flat "will fail: config: there is no lts_0.1 or lts_0.1.conf in"
mkfifo fifo # nobody writes to it
flat 'fs = "xfs"; options = "-c options='"$PWD"'/fifo";'
assert_contains flat "will fail: options: $PWD/fifo is no regular file"

# A file is no further device, and a tree of files is not copied to see what would be made.
truncate -s 200M mine.img
sha256sum mine.img >before
for word in "$PWD/mine.img" mine.img "-K mine.img" "--mixed mine.img"; do
	flat 'fs = "btrfs"; options = "'"$word"'";' 2
	assert_contains flat "mkfs.job:2: mkfs: options: \"${word##* }\" is no option: only the job's target may be formatted"
done
sha256sum -c before >/dev/null || fail "plan wrote on a file"
mkdir tree
mkfifo tree/fifo
printf '#!/bin/sh\n[ "$1" = -V ] || : >"%s"/asked\n' "$PWD" >tool
chmod +x tool
flat 'fs = "btrfs"; program = "'"$PWD"'/tool"; options = "--rootdir '"$PWD"'/tree";'
assert_contains flat "mkfs: makes btrfs with $PWD/tool"
[ ! -e asked ] || fail "the tool was asked to copy a tree"
