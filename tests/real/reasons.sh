#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What kernel and mkfs refuse: the reason in one line, in the result and on the screen; other variants run.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs

cat > refuse.job <<'END'
job = "refuse";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
order = "listed";
matrix = { what = (
	{ name = "good"; mkfs = ""; mount = ""; scheduler = "none"; },
	{ name = "agsize"; mkfs = "-d agcount=4,agsize=64m"; mount = ""; scheduler = "none"; },
	{ name = "su"; mkfs = "-d su=64k"; mount = ""; scheduler = "none"; },
	{ name = "log"; mkfs = "-l size=1m"; mount = ""; scheduler = "none"; },
	{ name = "unknown"; mkfs = "-d foo=1"; mount = ""; scheduler = "none"; },
	{ name = "nobarrier"; mkfs = ""; mount = "nobarrier"; scheduler = "none"; },
	{ name = "logbufs"; mkfs = ""; mount = "logbufs=9"; scheduler = "none"; },
	{ name = "cfq"; mkfs = ""; mount = ""; scheduler = "cfq"; },
	{ name = "last"; mkfs = ""; mount = "noatime"; scheduler = "cfq, deadline, mq-deadline"; }
); };
steps = (
	{ setup = "sysfs"; scheduler = "${what.scheduler}"; },
	{ setup = "mkfs"; fs = "xfs"; options = "${what.mkfs}"; },
	{ setup = "mount"; options = "${what.mount}"; },
	{ workload = "sequential"; rw = "write"; size = "4MiB"; bs = "1MiB"; }
);
END
assert_exit 1 fstrial run --out out refuse.job >table 2>log
assert_schema out/result.json
says()
{
	assert_json out/result.json "[t for t in d['trials'] for v in d['variants'] if v['id'] == t['variant']
		and v['values']['what'] == '$1' and t['status'] == 'failed' and re.search(r'''$2''', t['reason'])
		and '\\n' not in t['reason'] and len(t['reason']) < 400]"
	grep -qE -e "$2" table || fail "$1 is not on the screen"
}
says agsize 'Cannot specify both|agcount and agsize|agsize.*agcount|agcount.*agsize'
says su 'su.*sw'
says log '-l size'
says unknown 'unknown option -d foo=1'
says nobarrier 'nobarrier'
says logbufs 'logbufs value: 9|logbufs.*9'
says cfq 'cfq.*none.*mq-deadline|mq-deadline'
assert_json out/result.json "all('Usage' not in (t['reason'] or '') for t in d['trials'])"
assert_json out/result.json "[t['status'] for t in d['trials']] == ['ok'] + ['failed'] * 7 + ['ok']"
# The command is there to be repeated, with the tool's version.
assert_json out/result.json "all('mkfs.xfs' in t['steps'][1]['notes']['command'] and
	t['steps'][1]['notes']['tool_version'] == d['environment']['tools']['mkfs.xfs']
	for t in d['trials'] if t['steps'][1]['status'] != 'not run')"
assert_contains out/commands.log 'mkfs.xfs -f'
