#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A log or journal on the target's second device: made, mounted, read back, and its signature gone afterwards.
. "$(dirname "$0")/../helpers.sh"
. "$SRC/tests/helpers-block.sh"
requires_root
requires mkfs.xfs mkfs.ext4 blkid

mkfs_variant xfs 'fs = "xfs"; logdev = "target.2";'
mkfs_variant xfs_small 'fs = "xfs"; logdev = "target.2"; log_size = "80MiB"; sector_size = "4KiB";
	  log_sector_size = "4KiB"; log_su = "32KiB"; uuid = "01234567-89ab-cdef-0123-456789abcdef";'
mkfs_variant ext4 'fs = "ext4"; journal_dev = "target.2"; stride = "64KiB";'
mkfs_variant ext3 'fs = "ext3"; logdev = "target.2"; journal_size = "16MiB"; block_size = "4KiB";'
mkfs_variant inside 'fs = "xfs";'
mkfs_job 'scratch = "400MiB"; count = 2;' '
	{ setup = "mount"; name = "with"; when = "what != inside"; logdev = "target.2"; options = "noatime"; },
	{ setup = "mount"; name = "without"; when = "what == inside"; },
	{ workload = "sequential"; rw = "write"; size = "16MiB"; bs = "1MiB"; end_fsync = true; },
	{ workload = "sequential"; name = "read"; rw = "read"; size = "16MiB"; bs = "1MiB"; cold = true; }'
cat > look.py <<'END'
from made import *
# ext3 has no flags of what is lazy.
check_asked(lambda name, key, have: (key, name) == ("lazy_init", "ext3"))
for name, m in made.items():
    g = m.geometry
    if name.startswith("xfs"):
        assert g["log_internal"] is False and "logdev=" in m.fs["mount"]["options"]
        assert m.steps[1]["in_force"]["option.logdev"].startswith("/dev/")
    elif name != "inside":
        assert g["journal_internal"] is False
    else:
        assert g["log_internal"] is True
    assert m.steps[-1]["data"]["cache"] == "cold"
assert made["xfs"].geometry["log_size"] >= 390 << 20
small = made["xfs_small"].geometry
assert small["log_size"] == 80 << 20 and small["log_sector_size"] == 4096 and small["log_sunit"] == 32768, small
assert made["ext3"].notes["journal_command"].endswith(" 16384k"), made["ext3"].notes
END
python3 look.py || fail "not as asked"
fstrial plan all.job >plan 2>log
tr -s ' \n' ' ' <plan >flat
assert_contains flat "with mkfs.xfs: on 400MiB "
assert_contains flat " log_size=80MiB log_su=32KiB "

# The number of a loop device is by chance: another one is no difference between two results.
mkdir renumbered
sed -E 's,logdev=/dev/loop[0-9]+,logdev=/dev/loop4711,g' all/result.json >renumbered/result.json
! cmp -s all/result.json renumbered/result.json || fail "no log device in the result"
fstrial compare all renumbered >differences 2>&1 || true
assert_lacks differences "mount options"
sed -E 's,logdev=/dev/loop[0-9]+,logdev=/dev/sdz,g' all/result.json >renumbered/result.json
fstrial compare all renumbered >differences 2>&1 || true
assert_contains differences "mount options"

# Without logdev in mount the kernel's own reason is the trial's.
cat > forgotten.job <<'END'
job = "forgotten";
target = { scratch = "400MiB"; count = 2; scratch_dir = "."; };
repeats = 1;
steps = ( { setup = "mkfs"; fs = "xfs"; logdev = "target.2"; }, { setup = "mount"; } );
END
assert_exit 1 fstrial run --out forgotten forgotten.job >table 2>log
assert_json forgotten/result.json "re.search('external log', d['trials'][0]['reason'])"

# 4096-byte sectors of the log's device without the sector size: it fails late, with the tool's last word.
make_loop 400M; DATA=$LOOP
make_loop 400M 4096; LOG=$LOOP
cat > sectors.job <<END
job = "sectors";
target = { devices = [ "$DATA", "$LOG" ]; destroy = [ "${DATA#/dev/}", "${LOG#/dev/}" ]; };
repeats = 1;
order = "listed";
matrix = { sector = [ "512B", "4KiB" ]; };
steps = (
	{ setup = "mkfs"; fs = "xfs"; logdev = "target.2"; sector_size = "\${sector}"; },
	{ setup = "mount"; logdev = "$LOG"; },
	{ workload = "sequential"; rw = "write"; size = "4MiB"; bs = "1MiB"; }
);
END
assert_exit 1 fstrial run --out sectors sectors.job >table 2>log
assert_json sectors/result.json "[t['status'] for t in d['trials']] == ['failed', 'ok']"
assert_json sectors/result.json "d['trials'][0]['steps'][0]['notes']['command'].startswith('mkfs.xfs')
	and 'Usage' not in d['trials'][0]['reason'] and '\\n' not in d['trials'][0]['reason']
	and d['trials'][0]['steps'][0]['notes']['tool_version']"
for dev in "$DATA" "$LOG"; do
	! grep -q " $dev " /proc/self/mounts || fail "$dev is still mounted"
	exec 3<>"$dev" && exec 3>&-
done
# What was on the log's device is ours no longer to be found; a second run is not refused over it.
assert_eq "$(blkid -p -o value -s TYPE "$LOG" || true)" "" "signature left on $LOG"
cat > ext.job <<END
job = "ext";
target = { devices = [ "$DATA", "$LOG" ]; destroy = [ "${DATA#/dev/}", "${LOG#/dev/}" ]; };
repeats = 2;
steps = ( { setup = "mkfs"; fs = "ext4"; logdev = "target.2"; block_size = "4KiB"; }, { setup = "mount"; logdev = "target.2"; } );
END
assert_exit 0 fstrial run --out ext ext.job >table 2>log
assert_eq "$(blkid -p -o value -s TYPE "$LOG" || true)" "" "signature left on $LOG"

# SIGKILL while the log is there: recover takes its signature away, and nobody else's.
sed -i 's/repeats = 2/repeats = 200/' ext.job
fstrial_bg run --out killed ext.job >table 2>log
wait_for 20 grep -q "^$DATA " /proc/self/mounts || fail "never mounted"
kill -KILL "$PID"
wait "$PID" 2>/dev/null || true
# Its step processes die with it.
wait_for 10 sh -c "! pgrep -f '$PWD/[f]strial|killed ext[.]job' >/dev/null" || fail "a process was left"
assert_exit 0 fstrial recover >rec 2>&1
assert_eq "$(blkid -p -o value -s TYPE "$LOG" || true)" "" "signature left on $LOG after recover"
! grep -q "^$DATA " /proc/self/mounts || fail "$DATA is still mounted"

# A device that is none of the target's is refused before anything is touched.
make_loop 400M; OTHER=$LOOP
dd if=/dev/urandom of="$OTHER" bs=1M count=2 conv=fsync status=none
before=$(sha256sum <"$OTHER")
sed -e "s,logdev = \"target.2\",logdev = \"$OTHER\",g" -e 's/"ext"/"other"/' ext.job >other.job
assert_exit 5 fstrial run --out other other.job >table 2>err
assert_contains err "$OTHER"
[ ! -e other ] || fail "a results directory was made"
assert_eq "$(sha256sum <"$OTHER")" "$before" "bytes of $OTHER"
sed -e 's,target.2,target.3,g' -e 's/"ext"/"third"/' ext.job >third.job
status=0
fstrial run --out third third.job >table 2>err || status=$?
[ "$status" = 2 ] || [ "$status" = 5 ] || fail "exit status $status"
assert_contains err "target.3"
