#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The workload database on XFS: its figures fit together and fit what the kernel was asked for; a log
# without room fails with file and offset; nothing is left behind.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs

steps_of() # PARAMETERS
{
	cat <<-END
		job = "database";
		target = { scratch = "512MiB"; };
		repeats = 1;
		steps = (
			{ setup = "mkfs"; fs = "xfs"; },
			{ setup = "mount"; },
			{ workload = "database"; numjobs = 5; table_size = "16MiB"; cache = 0.05;
				wal_segment = "1MiB"; $1 }
		);
	END
}

steps_of 'transactions = 400; checkpoint_wal = "1MiB";' >postgresql.job
steps_of 'transactions = 400; model = "innodb"; direct = true; wal_segments = 3;' >innodb.job
steps_of 'runtime = "2s"; ramp_time = "500ms"; wal_sync = "direct_dsync"; wal_recycle = "overwrite";
	read_pct = 50; distribution = "hot"; checkpoint_interval = "500ms";' >timed.job

figures='(lambda m, l: (m("tps") > 0 and
	l("transaction") >= l("commit") > 0 and
	0 < m("commits_per_flush") <= 4.01 and
	(m("commits_per_flush") * l("wal_sync") - l("commit")) < 0.02 * l("commit") + 5 and
	abs(m("write_amplification") * m("logical_bytes") - m("wal_bytes") - m("data_bytes")
		- m("doublewrite_bytes")) < 1 and
	m("wal_bytes") >= m("wal_record_bytes") and
	0 <= m("cache_hit_share") < 1 and m("distinct_pages") > 100))(
	lambda n: d["trials"][0]["steps"][2]["metrics"][n]["value"],
	lambda n: d["trials"][0]["steps"][2]["latency"][n]["count"])'
metric='d["trials"][0]["steps"][2]["metrics"]'
latency='d["trials"][0]["steps"][2]["latency"]'
for job in postgresql innodb timed; do
	assert_exit 0 fstrial run --out "out-$job" "$job.job" >table 2>log
	assert_schema "out-$job/result.json"
	assert_json "out-$job/result.json" "$figures"
done
for job in postgresql innodb; do
	# So many as were asked for, each a commit, each with 200 to 800 bytes for three pages.
	assert_json "out-$job/result.json" "${latency}['transaction']['count'] == 1600
		and ${latency}['commit']['count'] == 1600
		and 3 * 1600 * 450 < ${metric}['logical_bytes']['value'] < 3 * 1600 * 550
		and d['trials'][0]['steps'][2]['measured']['ops'] == 1600"
done
assert_json out-postgresql/result.json "${metric}['checkpoints']['value'] >= 1
	and ${metric}['full_page_images']['value'] > 100 and ${metric}['wal_segments_recycled']['value'] >= 1
	and ${metric}['doublewrite_bytes']['value'] == 0"
assert_json out-innodb/result.json "${metric}['doublewrite_bytes']['value'] == ${metric}['data_bytes']['value'] > 0
	and ${metric}['full_page_images']['value'] == 0 and ${metric}['wal_segments_created']['value'] == 3"
assert_json out-timed/result.json "${metric}['checkpoint_fsync_max']['value'] > 0
	and 0.75 < ${metric}['hot_set_share']['value'] < 0.85
	and 0.4 < ${latency}['commit']['count'] / ${latency}['transaction']['count'] < 0.6"

# No room for another segment: the step fails and says where; all is undone.
steps_of 'transactions = 1000000; wal_recycle = "none"; checkpoint_wal = 0; checkpoint_interval = 0;' |
	sed -e 's/512MiB/320MiB/' -e 's/"16MiB"/"200MiB"/' >full.job
assert_exit 1 fstrial run --out out-full full.job >table 2>log
assert_json out-full/result.json "re.search(r'write .*/database\.0/wal\.[0-9a-f]{8}, offset \d+',
	d['trials'][0]['reason']) and 'No space left' in d['trials'][0]['reason']
	and d['trials'][0]['steps'][2]['measured']['partial'] is True
	and ${metric}['tps']['value'] > 0"

# What check refuses.
steps_of 'transactions = 1; numjobs = 1;' | sed 's/numjobs = 5; //' >alone.job
assert_exit 2 fstrial check alone.job >out 2>err
assert_contains err "worker 0 makes checkpoints"

# The kernel's own count, in a directory: about one sync a group.
command -v strace >/dev/null || skip "strace is not installed"
! is_instrumented || exit 0
mkdir work
steps_of 'transactions = 400; checkpoint_wal = "1MiB";' |
	sed -e 's/scratch = "512MiB"/directory = "work"/' -e '/setup = /d' >traced.job
assert_exit 0 strace -f -c -o counts -e trace=fdatasync,fsync,pread64,pwrite64,pwritev,sync_file_range \
	"$BUILD/fstrial" run --out out-traced traced.job >table 2>log
[ -z "$(ls work)" ] || fail "left in the directory: $(ls work)"
awk 'NR > 2 && $NF ~ /^[a-z]/ { print $NF, ($4 + 0) }' counts >calls
calls()
{
	awk -v c="$1" '$1 == c { print $2; found = 1 } END { if (!found) print 0 }' calls
}
step='d["trials"][0]["steps"][0]'
# One fdatasync a flush, one more where it goes on in the next segment; verify's, the journal's.
assert_json out-traced/result.json "0 <= $(calls fdatasync) - ${step}['latency']['wal_sync']['count'] <=
	${step}['metrics']['wal_segments_created']['value'] +
	${step}['metrics']['wal_segments_recycled']['value'] + 10"
# Each page that was read, and verify's: of changed pages and of the log's end.
assert_json out-traced/result.json "0 < $(calls pread64) - ${step}['latency']['page_read']['count'] < 2048 + 8000"
assert_json out-traced/result.json "0 < $(calls sync_file_range) <= ${step}['latency']['page_write']['count']"
