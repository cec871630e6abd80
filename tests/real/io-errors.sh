#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# I/O that fails half way: the step fails with file, offset and errno, and what was measured stays, as partial.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.ext4

job() # NAME DIRECTORY STEPS
{
	cat >"$1.job" <<-END
	target = { directory = "$2"; };
	repeats = 1;
	steps = ( $3 );
	END
}
# broken NAME REGEX: the job fails with that reason, its last step's measurements are there and partial.
broken()
{
	assert_exit 1 fstrial run --out "$1" "$1.job" >"$1.table" 2>"$1.log"
	assert_json "$1/result.json" "d['session']['status'] == 'complete' and d['trials'][0]['status'] == 'failed'"
	assert_json "$1/result.json" "re.search(r'''$2''', d['trials'][0]['reason'])"
	assert_json "$1/result.json" "[s['measured'] for t in d['trials'] for s in t['steps']][-1]['partial'] is True"
	assert_schema "$1/result.json"
}
measured() # NAME EXPRESSION over m, what the last step measured
{
	assert_json "$1/result.json" "[$2 for m in [d['trials'][0]['steps'][-1]['measured']]][0]"
}
writes='workload = "sequential"; rw = "write"; bs = "1MiB"; ioengine = "psync";'

# No space: everything until then is counted.
mkdir full
mount -t tmpfs -o size=8m none full
cleanup_fn sh -c "umount -q '$PWD/full' || true"
job enospc full "{ $writes size = \"32MiB\"; }"
broken enospc 'write data\.0\.0 at offset [0-9]+.*No space left on device'
measured enospc "6 <= m['ops'] <= 8 and m['bytes'] == m['ops'] << 20"

# A file larger than one may be: by the limit of the process.
mkdir big
job efbig big "{ $writes size = \"32MiB\"; }"
(
	ulimit -f 4096 # KiB
	broken efbig 'write data\.0\.0 at offset 4194304.*File too large'
	measured efbig "m['ops'] == 4 and m['bytes'] == 4 << 20"
)

# More files than may be open.
mkdir many
job emfile many '{ workload = "sequential"; rw = "write"; bs = "4KiB"; size = "4MiB"; nrfiles = 1000; }'
(
	ulimit -n 256
	assert_exit 1 fstrial run --out emfile emfile.job >table 2>log
)
assert_json emfile/result.json "d['trials'][0]['status'] == 'failed' and
	re.search('Too many open files|RLIMIT_NOFILE|1[0-9]{3} .*open', d['trials'][0]['reason'])"

# Truncated meanwhile: a read ends early at the place that is gone.
mkdir gone
job truncated gone '{ workload = "io"; rw = "randread"; bs = "4KiB"; size = "4MiB"; runtime = "60s"; }'
fstrial_bg run --out truncated truncated.job >table 2>log
data() { find gone -name 'data.0.0' -size 4096k | grep -q .; }
wait_for 20 data || fail "no file was laid out"
truncate -s 4096 "$(find gone -name data.0.0)"
wait "$PID" && fail "reads beyond the end went unnoticed"
assert_json truncated/result.json "d['trials'][0]['status'] == 'failed' and
	re.search(r'data\.0\.0.* offset [0-9]+', d['trials'][0]['reason'])"

# A device that has no more memory for what is written.
[ -e /sys/class/zram-control/hot_add ] || skip "no zram: EIO was not tested"
id=$(cat /sys/class/zram-control/hot_add)
cleanup_fn sh -c "echo 1 >/sys/block/zram$id/reset; echo $id >/sys/class/zram-control/hot_remove"
echo 64M >"/sys/block/zram$id/disksize"
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "/dev/zram$id"
mkdir poor
mount "/dev/zram$id" poor
cleanup_fn sh -c "umount -q '$PWD/poor' || true"
sync -f poor
echo 8M >"/sys/block/zram$id/mem_limit"
job eio poor "{ $writes size = \"32MiB\"; direct = true; }"
broken eio 'write data\.0\.0 at offset [0-9]+.*Input/output error'
measured eio "1 <= m['ops'] < 32 and m['bytes'] == m['ops'] << 20"
