#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What can be asked for and is no measurement, or none of what was written, or cannot be done, is said as what it is.
. "$(dirname "$0")/../helpers.sh"

mkdir data
cat >ramp.job <<'EOF'
job = "ramp"; repeats = 1; canaries = false;
target = { directory = "data"; };
global = { ramp_time = "20s"; };
steps = ( { workload = "io"; size = "64KiB"; },
	{ workload = "metadata"; phases = ["create"]; files = 10; },
	{ workload = "tree"; phases = ["unpack"]; files = 10; directories = 2; } );
EOF
assert_exit 0 fstrial run --out ramp ramp.job >table 2>log
assert_contains table "io: no operation was measured: all were done within the ramp_time of 20"
assert_contains table "metadata: ramp_time leaves out latencies alone, rates are of whole phases"
assert_contains table "tree: ramp_time leaves out latencies alone, rates are of whole phases"
assert_lacks table "set runtime"

# What was trimmed is not looked for.
for rw in trim randtrim; do
	for ioengine in psync io_uring; do
		cat >trim.job <<-EOF
		job = "trim"; repeats = 1; canaries = false;
		target = { directory = "data"; };
		steps = ( { workload = "io"; rw = "$rw"; size = "100KiB"; bs = "4KiB"; verify = "crc32c";
			ioengine = "$ioengine"; } );
		EOF
		assert_exit 0 fstrial run --out $rw.$ioengine trim.job >table 2>log
		assert_json $rw.$ioengine/result.json "d['trials'][0]['steps'][0]['data']['verified_bytes'] == 0"
	done
done

# refused STEP WORDS: it fails, and the kernel's words are behind what was done.
refused()
{
	cat >refused.job <<-EOF
	job = "refused"; repeats = 1; canaries = false;
	target = { directory = "data"; };
	steps = ( { $1 } );
	EOF
	rm -rf refused
	assert_exit 1 fstrial run --out refused refused.job >table 2>log
	assert_json refused/result.json "d['trials'][0]['steps'][0]['reason'].endswith(': $2')"
}
refused 'workload = "metadata"; phases = ["create"]; files = 1; name_length = 1000;' "File name too long"
[ "$(stat -f -c %T data)" = xfs ] ||
	refused 'workload = "prealloc"; size = "64KiB"; extsize = "64KiB";' "Operation not supported"

# wrong STEP WORDS: it cannot be, said in words that are not the kernel's.
wrong()
{
	cat >wrong.job <<-EOF
	job = "wrong"; repeats = 1;
	target = { directory = "data"; };
	steps = ( { $1 } );
	EOF
	assert_exit 2 fstrial check wrong.job 2>err
	assert_eq "$(cat err)" "wrong.job:3: $2"
}
wrong 'workload = "database"; numjobs = 2; transactions = 1; record_min = "800B"; record_max = "200B";' \
	"database: record_min is larger than record_max"
wrong 'workload = "mailpool"; size = "100MiB";' "mailpool: size, the mean, does not lie between size_min and size_max"
wrong 'workload = "metadata"; phases = ["create"]; size_distribution = "lognormal"; size = "1KiB"; size_min = "2KiB";' \
	"metadata: size, the mean, does not lie between size_min and size_max"
wrong 'workload = "tree"; phases = ["unpack"]; size_max = "1KiB";' "tree: size, the mean, is more than size_max"
wrong 'workload = "io"; rw = "write"; size = "1MiB"; fsync = 10; fdatasync = 5;' \
	"io: fdatasync: fsync is given, too; one of them flushes what was written"
wrong 'workload = "io"; size = "1MiB"; thinktime_blocks = 5;' "io: thinktime_blocks: there is no thinktime"

# Of a rate that leaves time to wait, all of that time counts.
cat >few.job <<'EOF'
job = "few"; repeats = 1; canaries = false;
target = { directory = "data"; };
steps = ( { workload = "database"; table_size = "1MiB"; numjobs = 2; transaction_rate = 1; runtime = "300ms"; },
	{ workload = "io"; rw = "write"; size = "1MiB"; rate_iops = 1; runtime = "300ms"; } );
EOF
assert_exit 0 fstrial run --out few few.job >table 2>log
assert_json few/result.json "all(0 < s['metrics'][m]['value'] <= 1 / 0.3
	for s, m in zip(d['trials'][0]['steps'], ('tps', 'iops')))"

# A mix that cannot be as it was asked for, and a neighbour that is not there.
cat >mix.job <<'EOF'
job = "mix"; repeats = 1; canaries = false;
target = { directory = "data"; };
global = { files = 50; mix_operations = 500; };
steps = ( { workload = "metadata"; name = "bent"; phases = ["mix"]; weight_create = 0; },
	{ workload = "metadata"; name = "kept"; phases = ["mix"]; weight_create = 10; weight_unlink = 10; files = 200; },
	{ workload = "metadata"; name = "alone"; phases = ["create", "stat"]; min_time = "0s"; order = "shifted"; } );
EOF
assert_exit 0 fstrial run --out mix mix.job >table 2>log
tr -s " \n" " " <table >flat
grep -qE "bent: mix: [0-9]+ of 500 operations were not what the weights say" flat || fail "a mix that is another one"
assert_lacks flat "kept: mix"
assert_contains flat "alone: order = shifted: one worker has no neighbour"
