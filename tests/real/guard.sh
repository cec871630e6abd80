#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A device that is mounted, unconfirmed, holds something, or is held: refused with what was found, bytes unchanged.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs mkfs.ext4 mkswap losetup sha256sum

cat > guard.job <<'END'
job = "guard";
vars = { dev = "/dev/null"; confirm = "nothing"; over = false; };
target = { device = "${dev}"; destroy = "${confirm}"; overwrite = "${over}"; };
repeats = 1;
steps = (
	{ setup = "mkfs"; fs = "xfs"; },
	{ setup = "mount"; },
	{ workload = "sequential"; rw = "write"; size = "4MiB"; bs = "1MiB"; }
);
END
make_loop 400M
dev=$LOOP name=${LOOP#/dev/}
hash() { sha256sum <"$IMAGE"; }
refused() # TEXT ARG...
{
	local text=$1 before after
	shift
	before=$(hash)
	assert_exit 5 fstrial run --out refused "$@" guard.job >table 2>log
	assert_contains log "$text"
	assert_lacks log "mkfs.xfs"
	[ ! -e refused ] || fail "a refused run left a results directory"
	after=$(hash)
	assert_eq "$after" "$before" "the device's bytes"
}
refused "not confirmed" --set dev=$dev
refused "not confirmed" --set dev=$dev --set confirm=loop999
# Without the kernel's own writing in the background.
mkfs.ext4 -q -L precious -E lazy_itable_init=0,lazy_journal_init=0 "$dev"
refused "ext4" --set dev=$dev --set confirm=$name
assert_contains log "precious"
assert_contains log "overwrite"
refused "ext4" --set dev=$dev --destroy $name
mkdir mnt
mount "$dev" mnt
sync
cleanup_fn sh -c "umount -q '$PWD/mnt' || true"
refused "mounted" --set dev=$dev --set confirm=$name --set over=true
ln -s "$dev" alias
refused "mounted" --set dev="$PWD/alias" --set confirm=$name --set over=true
umount mnt
# A second loop on the same image, mounted.
second=$(losetup -f --show "$IMAGE")
cleanup_fn let_go "$second"
mount -o ro,noload "$second" mnt
refused "image" --set dev=$dev --set confirm=$name --set over=true
umount mnt
losetup -d "$second"
mkswap -q "$dev" 2>/dev/null >/dev/null || mkswap "$dev" >/dev/null
refused "swap" --set dev=$dev --set confirm=$name
refused "block device" --set dev=$IMAGE --set confirm=$name
refused "No such file" --set dev=/dev/nonexistent --set confirm=nonexistent
# A device named in mkfs's options is none of the target's.
cat > sneaky.job <<END
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
steps = ( { setup = "mkfs"; fs = "xfs"; options = "-l logdev=$dev"; } );
END
before=$(hash)
assert_exit 2 fstrial run --out sneaky sneaky.job >table 2>log
assert_contains log "logdev"
assert_eq "$(hash)" "$before" "the device's bytes"
# Confirmed and allowed, it works, and next time our own label needs no permission.
assert_exit 0 fstrial run --out good --set dev=$dev --set confirm=$name --set over=true guard.job >table 2>log
assert_json good/result.json "d['trials'][0]['status'] == 'ok' and d['session']['target']['kind'] == 'device'"
assert_exit 0 fstrial run --out again --set dev=$dev --destroy $name guard.job >table 2>log
# Through a link: the kernel's own name is what is formatted, whatever the link leads to by then.
assert_exit 0 fstrial run --out linked --set dev="$PWD/alias" --destroy $name guard.job >table 2>log
grep -q "mkfs.xfs .* $dev\$" linked/commands.log || fail "the device was formatted by another name"
assert_json linked/result.json "d['session']['target']['device'].endswith('/alias')"
# Another session has it.
(exec 8<"$dev" 9>&- && flock -x 8 && exec sleep 60) &
holder=$!
cleanup_fn sh -c "kill $holder 2>/dev/null || true"
wait_for 10 sh -c "! flock -n '$dev' true" || fail "not locked"
refused "in use by another session" --set dev=$dev --set confirm=$name
kill $holder
wait $holder 2>/dev/null || true
# A link to a device in the options of mkfs, however it is written: seen before the tool runs.
make_loop 100M
ln -s "$LOOP" link
before=$(hash)
links() # STATUS OPTIONS...: what is said is in log and result
{
	local status=$1 words
	shift
	for words; do
		cat > links.job <<-END
		target = { scratch = "400MiB"; scratch_dir = "."; };
		repeats = 1;
		steps = ( { setup = "mkfs"; fs = "ext4"; options = "$words"; } );
		END
		rm -rf links
		assert_exit "$status" fstrial run --out links links.job >table 2>log
		assert_eq "$(hash)" "$before" "the other device's bytes"
		[ "$status" = 1 ] || assert_contains log "links.job:3: mkfs: options: "
		[ "$status" = 2 ] || assert_json links/result.json "'is a device; only the job' in d['trials'][0]['reason']"
	done
}
links 2 "link" "-z link" "-zlink" "-Fz$PWD/link" "-Fz./link" "-J device=link" "-Jdevice=$PWD/link"
links 1 "-E journal=./link"
