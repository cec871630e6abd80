#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What is known of a workload on a device before any device is looked at: it is mounted by a step before it, it is none
# of the target's.
. "$(dirname "$0")/../helpers.sh"

job() # STEPS [TARGET]
{
	cat >raw.job <<-END
	target = { ${2:-scratch = \"64MiB\"; count = 2;} };
	matrix = { fs = ["raw", "ext4"]; };
	steps = ( $1 );
	END
}
mounted='{ setup = "mkfs"; fs = "ext4"; when = "fs == ext4"; }, { setup = "mount"; name = "use"; when = "fs == ext4"; },'
good() { fstrial check raw.job >out 2>err || { show_file err; fail "refused"; }; }
refused() # TEXT
{
	assert_exit 5 fstrial check raw.job >out 2>err
	assert_contains err "$1"
	assert_eq "$(wc -l <err)" 1 "lines"
	assert_exit 5 fstrial run --out out.d raw.job >out 2>err
	[ ! -e out.d ] || fail "a refused run left a results directory"
}
over="filename = \"target\": use before it has that device mounted, and writing to it would destroy the file system"
for rw in write randwrite rw randrw trim randtrim; do
	# In one variant of two.
	job "$mounted { workload = \"io\"; rw = \"$rw\"; filename = \"target\"; }"
	refused "raw.job:3: io: $over"
	# Not in the one that has a mount.
	job "$mounted { workload = \"io\"; rw = \"$rw\"; filename = \"target\"; when = \"fs == raw\"; }"
	good
	# The other device, and a device that was made behind the mount.
	job "$mounted { workload = \"io\"; rw = \"$rw\"; filename = \"target.2\"; }"
	good
	job "$mounted { setup = \"zram\"; size = \"1MiB\"; }, { workload = \"io\"; rw = \"$rw\"; filename = \"target\"; }"
	good
	job "$mounted { setup = \"zram\"; size = \"1MiB\"; when = \"fs == raw\"; }, { workload = \"io\"; rw = \"$rw\"; filename = \"target\"; }"
	refused "$over"
	# Before it.
	job "{ workload = \"io\"; rw = \"$rw\"; filename = \"target\"; }, $mounted { setup = \"drop_caches\"; }"
	good
done
for step in 'seeks"; size = "1MiB' 'sequential"; rw = "write' 'rewrite'; do
	job "$mounted { workload = \"$step\"; name = \"io\"; filename = \"target\"; }"
	refused "$over"
done
for step in 'seeks"; update = 0; size = "1MiB' 'sequential' 'io"; rw = "randread'; do
	job "$mounted { workload = \"$step\"; filename = \"target\"; }"
	good
done
# From global, and with the mount in once.
cat >raw.job <<'END'
target = { scratch = "64MiB"; };
global = { filename = "target"; };
once = ( { setup = "mkfs"; fs = "ext4"; }, { setup = "mount"; name = "use"; } );
steps = ( { workload = "io"; rw = "write"; } );
END
refused "$over"

# Whose?
job '{ workload = "io"; filename = "target.3"; }'
refused "target.3: the target has 2 devices: say count in target"
for rw in read write; do
	job '{ workload = "io"; rw = "'$rw'"; filename = "/dev/fstrial-none"; }'
	refused 'filename = "/dev/fstrial-none": none of the target'"'"'s devices: say target = { device = "/dev/fstrial-none"; }'
	job '{ setup = "zram"; size = "1MiB"; }, { workload = "io"; rw = "'$rw'"; filename = "/dev/fstrial-none"; }'
	good # perhaps that one is made
done
# A workload on a device needs no mount before it, one on files does.
job '{ workload = "io"; filename = "target"; }'
good
job '{ workload = "io"; filename = "${fs}"; }'
sed -i 's/\["raw", "ext4"\]/["target", ""]/' raw.job
assert_exit 2 fstrial check raw.job >out 2>err
assert_contains err "size is needed"
sed -i 's/filename = /size = "1MiB"; &/' raw.job
assert_exit 2 fstrial check raw.job >out 2>err
assert_contains err "io: no step before it mounts a file system"
# In a directory there is no device: skipped, and plan knows of no file.
job '{ workload = "io"; rw = "write"; filename = "target"; }' 'directory = ".";'
fstrial run --repeats 1 --out skipped raw.job >table 2>log || { show_file log; fail "not skipped"; }
assert_schema skipped/result.json
assert_json skipped/result.json "[s['status'] for t in d['trials'] for s in t['steps']] == ['skipped'] * 2"
fstrial plan raw.job >plan
grep -q '^files  *0$' plan || { show_file plan; fail "files that are none"; }
