#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# plan says what is on each device, who uses it, what the guard has against it, and what each step changes and puts
# back, and changes nothing.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.ext4 losetup sha256sum

make_loop 32M
a=$LOOP a_image=$IMAGE
make_loop 32M
b=$LOOP b_image=$IMAGE
mkfs.ext4 -q -F -L precious -E lazy_itable_init=0,lazy_journal_init=0 "$a"
mkdir mnt
cat > plan.job <<END
target = { devices = ["$a", "$b"]; destroy = ["${b#/dev/}"]; };
repeats = 2;
matrix = { scheduler = ["none", "bfq", "kyber"]; };
once = ( { setup = "sysctl"; set = ["vm.dirty_background_ratio = 3"]; } );
steps = ( { setup = "sysfs"; scheduler = "\${scheduler}"; nr_requests = 64; },
	{ setup = "mkfs"; fs = "ext4"; logdev = "target.2"; }, { setup = "mount"; options = "noatime"; name = "use"; },
	{ setup = "readahead"; size = "256KiB"; name = "ahead"; }, { setup = "drop_caches"; },
	{ workload = "sequential"; rw = "write"; size = "4MiB"; } );
END
queue=/sys/block/${a#/dev/}/queue
state()
{
	sync
	sha256sum "$a_image" "$b_image"
	cat /proc/sys/vm/dirty_background_ratio "$queue"/{scheduler,nr_requests,read_ahead_kb}
}
flat() { tr -s ' \n' ' ' <plan >flat; } # lines are wrapped
state >before
assert_exit 0 fstrial plan plan.job >plan 2>log
state >after
cmp before after || fail "plan changed something"
flat
assert_contains flat "everything on $a (32MiB): an ext4 file system (label precious"
assert_contains flat "everything on $b (32MiB): nothing known"
assert_contains flat "refused $a is not confirmed: destroy says \"${b#/dev/}\""
assert_contains flat "once sysctl: /proc/sys/vm/dirty_background_ratio: $(cat /proc/sys/vm/dirty_background_ratio) -> 3; put back"
chosen=$(sed 's/.*\[\(.*\)\].*/\1/' "$queue/scheduler")
assert_contains flat "sysfs: queue/scheduler: $chosen -> none, bfq, kyber; put back"
assert_contains flat "sysfs: queue/nr_requests: $(cat "$queue/nr_requests") -> 64; put back"
assert_contains flat "ahead: queue/read_ahead_kb: $(cat "$queue/read_ahead_kb") -> 256; put back"
assert_contains flat "use: mounts it with noatime; put back"
assert_contains flat "drop_caches: drops the kernel's caches"
fstrial plan --json plan.job >plan.json
assert_json plan.json "d['plan']['destroys'] is True and [x['device'] for x in d['plan']['devices']] == ['$a', '$b']"
assert_json plan.json "d['plan']['devices'][0]['holds'].startswith('an ext4') and d['plan']['devices'][0]['use'] is None"
assert_json plan.json "[x['put_back'] for x in d['plan']['changes'] if x['plugin'] in ('mkfs', 'mount')] == [False, True]"
assert_json plan.json "[x['values'] for x in d['plan']['changes'] if x.get('file') == 'queue/scheduler'] == [['none', 'bfq', 'kyber']]"
assert_json plan.json "d['plan']['changes'][0]['once'] and d['plan']['changes'][0]['step'] == 'sysctl'"

# In use.
mount "$a" mnt
cleanup_fn sh -c "umount -q '$PWD/mnt' || true"
assert_exit 0 fstrial plan --destroy "${a#/dev/}" plan.job >plan 2>log
flat
assert_contains flat "; it is mounted on $PWD/mnt"
assert_contains flat "refused $a is mounted on $PWD/mnt"
umount mnt
# Confirmed, and what is there may go: nothing is refused.
sed -i 's/target = { /target = { overwrite = true; /' plan.job
assert_exit 0 fstrial plan --destroy "${a#/dev/}" plan.job >plan 2>log
assert_lacks plan refused
# One that is not there.
sed "s|$b|/dev/fstrial-none|" plan.job >none.job
assert_exit 0 fstrial plan none.job >plan 2>log
flat
assert_contains flat "refused /dev/fstrial-none: No such file or directory"
# Scratch: nothing is lost; the device is not there yet.
sed 's/target = .*/target = { scratch = "32MiB"; count = 2; };/' plan.job >scratch.job
assert_exit 0 fstrial plan scratch.job >plan 2>log
flat
assert_contains flat "scratch: 2 sparse images of 32MiB in /var/tmp, made and removed by the run"
assert_contains flat "destroyed nothing"
assert_contains flat "sysfs: queue/scheduler: ? -> none, bfq, kyber; put back"

# A further device that is none of the target's: said before anything is looked at.
state >before
sed "s/target\\.2/target.3/" plan.job >third.job
sed 's|devices = \[.*\]; destroy|device = "'"$a"'"; destroy|; s|target\.2|'"$b"'|' plan.job >named.job
sed 's/target\.2/target.3/' scratch.job >few.job
for command in check plan run; do
	assert_exit 5 fstrial $command third.job >out 2>log
	assert_contains log "third.job:6: mkfs: target.3: the target has 2 devices: add one to target.devices and confirm it in target.destroy"
	assert_exit 5 fstrial $command named.job >out 2>log
	assert_contains log "named.job:6: mkfs: $b is none of the target's devices: add it to target.devices"
	assert_exit 5 fstrial $command few.job >out 2>log
	assert_contains log "mkfs: target.3: the target has 2 devices: say count in target"
done
# By another name it is the same device.
ln -s "$b" alias
sed "s|target\\.2|$PWD/alias|" plan.job >alias.job
assert_exit 0 fstrial check alias.job >out 2>log
state >after
cmp before after || fail "something was changed"
