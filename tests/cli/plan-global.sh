#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What global says of I/O is meant for data workloads: beside them no other workload takes its size or runtime for its own.
. "$(dirname "$0")/../helpers.sh"

# job GLOBAL STEP...: both workloads of a job, and what is planned.
job()
{
	local global=$1
	shift
	{
		printf 'job = "j";\ntarget = { directory = "."; };\nrepeats = 1;\n'
		printf 'global = { %s };\nsteps = (\n' "$global"
		printf '%s,\n' "$@" | sed '$ s/,$//'
		printf ');\n'
	} >j.job
	assert_exit 0 fstrial plan --json j.job >plan
}
write='{ workload = "sequential"; name = "write"; rw = "write"; }'
files='{ workload = "metadata"; phases = [ "create", "stat", "unlink" ]; }'
tree='{ workload = "tree"; phases = [ "unpack", "read_all", "delete" ]; files = 100; directories = 10; size = "4KiB"; }'
mail='{ workload = "mailpool"; files = 10; transactions = 10; }'

# Data sets are as large as the data steps are; the files of the others as they say themselves, or are by default.
job 'size = "1GiB"; bs = "1MiB"; nrfiles = 4;' "$write"
assert_json plan "d['plan']['bytes_written'] == 1 << 30 and d['plan']['files'] == 4"
job 'size = "1GiB"; bs = "1MiB"; nrfiles = 4;' "$write" "$files"
assert_json plan "d['plan']['bytes_written'] == 1 << 30 and d['plan']['files'] == 10004"
assert_json plan "d['plan']['peak_bytes'] == 1 << 30"
job 'size = "1GiB"; bs = "1MiB"; nrfiles = 4;' "$files" "$write"
assert_json plan "d['plan']['bytes_written'] == 1 << 30"
job 'size = "1GiB"; bs = "1MiB";' "$write" "${files%\}}size = \"4KiB\"; }"
assert_json plan "d['plan']['bytes_written'] == (1 << 30) + 10000 * 4096"
job 'size = "1GiB"; fsync = 1;' "$write" "$tree" "$mail"
assert_json plan "(1 << 30) <= d['plan']['bytes_written'] < (1 << 30) + (10 << 20)"
# Where there is no data workload, it means those that there are.
job 'size = "64KiB";' "$files"
assert_json plan "d['plan']['bytes_written'] == 10000 << 16"
job 'nrfiles = 20; size = "64KiB"; runtime = "1h";' "$files"
assert_json plan "d['plan']['bytes_written'] == 20 << 16 and d['plan']['files'] == 20"
# It is over when its files are done, not after all of the runtime, and no later than this.
assert_json plan "5 * 10 ** 8 <= d['plan']['time_ns'] < 10 ** 10"
job 'runtime = "1h"; size = "1MiB";' "$write" "$files" "$tree"
assert_json plan "3600 * 10 ** 9 <= d['plan']['time_ns'] < 3610 * 10 ** 9"
job 'runtime = "3s"; phase_time = "1h";' "$files"
assert_json plan "d['plan']['time_ns'] <= 4 * 10 ** 9"
