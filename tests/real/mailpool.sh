#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mailpool and fileserver on real file systems: every transaction whole, nothing left, and a full disk is named.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.ext4 mount

mkdir tmpfs
mount -t tmpfs -o size=256m none tmpfs
cleanup_fn umount tmpfs
dirs=(tmpfs)
for fs in ext4 xfs btrfs; do
	command -v "mkfs.$fs" >/dev/null || continue
	make_loop 512M
	"mkfs.$fs" -q "$LOOP" >/dev/null 2>&1
	mkdir "$fs"
	mount "$LOOP" "$fs"
	cleanup_fn umount "$fs"
	dirs+=("$fs")
done

for dir in "${dirs[@]}"; do
	echo precious >"$dir/mine"
	rm -rf out
	cat >a.job <<-END
		job = "mailpool"; repeats = 1; target = { directory = "$PWD/$dir"; };
		global = { numjobs = 2; files = 50; };
		steps = ( { workload = "mailpool"; name = "varmail"; transactions = 25; },
		  { workload = "mailpool"; name = "postmark"; flow = "postmark"; transactions = 500; fsync = false; },
		  { workload = "mailpool"; name = "timed"; fsync = false; transactions = 0; runtime = "200ms"; },
		  { workload = "fileserver"; transactions = 200; size = "20KiB"; } );
	END
	assert_exit 0 fstrial run --out out a.job >table 2>log
	assert_schema out/result.json
	assert_json out/result.json "[(s['latency']['transaction']['count'], s['latency']['fsync']['count'], s['measured']['ops'])
		for s in d['trials'][0]['steps'] if s['name'] != 'timed'] == [(50, 100, 50), (1000, 0, 1000), (400, 0, 400)]"
	assert_json out/result.json "all(s['metrics']['transaction_rate']['value'] > 0 for s in d['trials'][0]['steps'])"
	assert_eq "$(ls -I lost+found "$dir")" mine
done

# Without an end, and with too much for the file system.
cat >a.job <<-END
	job = "mailpool"; repeats = 1; target = { directory = "$PWD/ext4"; };
	steps = ( { workload = "mailpool"; transactions = 0; } );
END
assert_exit 2 fstrial check a.job >table 2>log
assert_contains log "transactions = 0 has no end without a runtime"
sed -i 's/transactions = 0;/files = 1000; size = "1MiB"; fsync = false;/' a.job
rm -rf out
assert_exit 1 fstrial run --out out a.job >table 2>log
assert_json out/result.json "'out of space' in d['trials'][0]['steps'][0]['reason']"
assert_eq "$(ls -I lost+found ext4)" mine
