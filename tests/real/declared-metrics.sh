#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Metrics that a workload declares by its parameters: in the result, the table, what is expected, comparisons.
. "$(dirname "$0")/../helpers.sh"

mkdir work
job() # NAMES UNIT EXPECT
{
	cat <<-END
	job = "declared";
	target = { directory = "work"; };
	repeats = 2;
	steps = ( { workload = "declares"; names = [$1]; unit = "$2"; expect = [$3]; } );
	END
}
mine() { local verb=$1; shift; fstrial "$verb" --plugin-dir "$BUILD/tests/plugins" "$@"; }

job '"tps", "lost"' ns '"tps < 10ns", "lost == 2ns", "fixed == 1"' >good.job
assert_exit 0 mine run --out out good.job >table 2>log
assert_schema out/result.json
s="d['trials'][1]['steps'][0]"
assert_json out/result.json "${s}['metrics'] == {
	'fixed': {'value': 1, 'unit': 'ratio', 'better': 'neutral', 'primary': False},
	'tps': {'value': 1, 'unit': 'ns', 'better': 'lower', 'primary': True},
	'lost': {'value': 2, 'unit': 'ns', 'better': 'lower', 'primary': False}}"
assert_json out/result.json "[(x['unit'], x['met']) for x in ${s}['expect']] == [('ns', True), ('ns', True), ('ratio', True)]"
assert_contains table "declares.tps"
fstrial compare out out >comparison || [ $? = 3 ]
assert_contains comparison "declares.tps"

# One of the table with another unit; not met is a failure, in the unit that was declared.
job '"fixed"' 'bytes/s' '"fixed > 1MiB/s"' >other.job
assert_exit 1 mine run --out other other.job >table 2>log
assert_schema other/result.json
assert_json other/result.json "list(${s}['metrics']) == ['fixed'] and ${s}['metrics']['fixed']['unit'] == 'bytes/s'"
assert_json other/result.json "${s}['expect'][0]['met'] is False and ${s}['expect'][0]['value'] == 1"

# All of it is known when the job is read.
says() # TEXT
{
	assert_exit 2 mine check bad.job >out.txt 2>err
	assert_contains err "$1"
}
job '"tps"' ns '"tpz < 10ns"' >bad.job
says 'bad.job:4: declares: expect = "tpz < 10ns": unknown metric "tpz"; did you mean "tps"?'
job '"tps"' ns '"tps < 10"' >bad.job
says 'expect = "tps < 10": tps is compared with a time, as 10ms'
job '"tps"' ns '"tps <"' >bad.job
says 'a number is missing behind the sign'
job '"Tps"' ns '"tps < 1ns"' >bad.job
says 'metric "Tps": a name is of the form [a-z][a-z0-9_]*'
assert_lacks err "unknown metric"
job '"tps"' parsec '"tps < 1ns"' >bad.job
says 'metric "tps": unit "parsec" is none of'
