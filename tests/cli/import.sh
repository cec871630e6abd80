#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What import takes, and with which words it refuses what it does not take. A case is a file NAME.csv, .json or
# .txt, with NAME.args its options, NAME.err what standard error says, NAME.check what is true of the document d.
. "$(dirname "$0")/../helpers.sh"

cp -r "$SRC/tests/import" .

# check FILE CHECKS: each line is a true expression; m() and s() find figures and steps by trial and names.
check()
{
	/usr/bin/python3 - "$1" "$2" <<-'END' || fail "$2: not true"
	import json, sys
	d = json.load(open(sys.argv[1], encoding="utf-8"))
	def s(trial, name):
	    return next(x for x in d["trials"][trial]["steps"] if x["name"] == name)
	def m(trial, name, metric):
	    return s(trial, name)["metrics"][metric]["value"]
	bad = [x for x in open(sys.argv[2], encoding="utf-8").read().splitlines() if not eval(x)]
	if bad:
	    print("\n".join(bad), file=sys.stderr)
	sys.exit(bool(bad))
	END
}

# case FILE STATUS: imports it with its options.
case_run()
{
	local args=() name=${1%.*}
	[ ! -e "$name.args" ] || read -r -a args <"$name.args"
	rm -f "$name.out.json"
	assert_exit "$2" fstrial import --out "$name.out.json" "${args[@]}" "$1" >"$name.stdout" 2>"$name.got"
	[ ! -s "$name.stdout" ] || fail "$1: something on standard output"
	[ ! -e "$name.err" ] || diff -u "$name.err" "$name.got" || fail "$1: other words than in $name.err"
}

inputs() { find . -name '*.csv' -o -name '*.txt' -o -name '*.json' | sed 's,^\./,,' | sort; }

cd import/valid
n=0
for file in $(inputs); do
	name=${file%.*}
	case_run "$file" 0
	assert_schema "$name.out.json"
	[ ! -e "$name.check" ] || check "$name.out.json" "$name.check"
	for format in text json md csv; do
		fstrial show --all --format $format "$name.out.json" >shown || fail "$file: show --format $format"
		[ -s shown ] || fail "$file: nothing shown as $format"
	done
	fstrial effects --all "$name.out.json" >shown
	# One repeat settles nothing, and a failed trial has nothing to compare.
	status=0
	fstrial compare "$name.out.json" "$name.out.json" >shown 2>err || status=$?
	[[ $status = [34] ]] || fail "$file: compare with itself: exit status $status"
	n=$((n + 1))
done
[ "$n" -ge 28 ] || fail "only $n good files"

# Both versions of fio count the same run alike.
for version in 2 3; do
	/usr/bin/python3 -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))["trials"][0]["steps"]))' \
		fio-$version.out.json >steps-$version
done
cmp steps-2 steps-3 || fail "fio 2 and 3 give other numbers of one run"

cd ../invalid
n=0
for file in $(inputs); do
	[ -e "${file%.*}.err" ] || fail "$file: no .err"
	case_run "$file" 2
	n=$((n + 1))
done
[ "$n" -ge 17 ] || fail "only $n bad files"
cd ../..

# ---- the command itself --------------------------------------------------------------------------

good=import/valid/bonnie-10x.csv
assert_exit 0 fstrial import $good >doc.json 2>err
assert_schema doc.json
mkdir dir
fstrial import --out dir $good 2>err
cmp doc.json dir/result.json
fstrial import --out new/ $good 2>err
cmp doc.json new/result.json
fstrial show new >out
assert_contains out "imported    bonnie++ 1.0x from $good, 4 rows"
grep -Eq '^seq_read.rate +v01 machine=alpha +0 +>32768 +- ' out || { show_file out; fail "no lower bound shown"; }
grep -Eq '^seeks.rate +v01 machine=alpha +2 +620.2 +610.6 +629.8 +620.2 +/s ' out || { show_file out; fail "no repeats"; }
assert_exit 1 fstrial import --strict --out x.json import/valid/bonnie-broken.csv 2>err
assert_exit 0 fstrial import --strict --out x.json $good 2>err
fstrial import --quiet --out x.json import/valid/bonnie-broken.csv 2>err
assert_lacks err "note:"

# What is refused of one file leaves the other rows and files.
assert_exit 2 fstrial import --out x.json $good import/invalid/bonnie-word.csv nowhere.csv 2>err
assert_contains err nowhere.csv
assert_json x.json 'len(d["trials"]) == 4 and any(f["severity"] == "refused" for f in d["imported"]["findings"])'
assert_schema x.json
# Nothing left: no document.
assert_exit 2 fstrial import --out none.json import/invalid/prose.txt 2>err
[ ! -e none.json ] || fail "a document of nothing"
assert_exit 2 fstrial import import/invalid/prose.txt >out 2>err
[ ! -s out ] || fail "something on standard output"

# Several files of fio: what differs is a factor, what does not are repeats.
for depth in 1 4; do
	for r in 1 2; do
		sed -e "s/\"iodepth\": \"4\"/\"iodepth\": \"$depth\"/" -e "s/\"total_ios\": 256000/\"total_ios\": 25600$r/" \
			import/valid/fio-3.json >d$depth-r$r.json
	done
done
fstrial import --out fio.json d1-r1.json d1-r2.json d4-r1.json d4-r2.json 2>err
assert_json fio.json '[v["values"] for v in d["variants"]] == [{"iodepth": 1}, {"iodepth": 4}]'
assert_json fio.json '[(t["variant"], t["repeat"]) for t in d["trials"]] == [("v01", 1), ("v01", 2), ("v02", 1), ("v02", 2)]'
fstrial import --out fio.json --label-regex '^d([0-9]+)' --factors depth d1-r1.json d1-r2.json d4-r1.json 2>err
assert_json fio.json '[v["values"] for v in d["variants"]] == [{"depth": 1}, {"depth": 4}]'
fstrial import --out fio.json --factors rw,bs d1-r1.json d1-r2.json 2>err
assert_json fio.json '[v["values"] for v in d["variants"]] == [{"bs": "4k", "rw": "write"}]'

# Options that cannot be.
assert_exit 2 fstrial import --metric write=furlongs/s $good 2>err
assert_contains err 'unit "furlongs/s" is none of'
assert_exit 2 fstrial import --metric write=KiB/s:up $good 2>err
assert_contains err '"up" is none of higher, lower, neutral, secondary'
assert_exit 2 fstrial import --metric write $good 2>err
assert_exit 2 fstrial import --label-regex '(' $good 2>err
assert_exit 2 fstrial import --label-regex 'x' $good 2>err
assert_contains err "it has no group"
assert_exit 2 fstrial import 2>err
assert_exit 2 fstrial import --out nowhere/x.json $good 2>err
assert_contains err "nowhere/x.json: cannot create"
# A column is one thing: a figure in one unit, or a factor. What is named goes before what a pattern says.
printf 'fs,write_kps,read_kps,change_pct\nxfs,100,5,-3\next4,90,4,2\n' >columns.csv
assert_exit 2 fstrial import --out x.json --factors fs,write_kps --metric write_kps=KiB/s columns.csv 2>err
assert_contains err 'columns.csv:1: refused: --metric: column "write_kps" is a factor already'
assert_exit 2 fstrial import --out x.json --factors fs --metric write_kps=KiB/s --metric write_kps=MiB/s columns.csv 2>err
assert_contains err 'columns.csv:1: refused: --metric: column "write_kps" is a figure already'
assert_exit 0 fstrial import --out x.json --factors fs --metric read_kps=MiB/s --metric '*=KiB/s' \
	--metric change_pct=% columns.csv 2>err
assert_json x.json "[s['metrics']['kps']['value'] for s in d['trials'][0]['steps'] if s['name'] != 'change'] == [102400, 5 << 20]"
# Less than nothing is no rate, no time and no size; a difference may be.
assert_json x.json "[s['metrics']['pct']['value'] for s in d['trials'][0]['steps'] if s['name'] == 'change'] == [-0.03]"
assert_exit 2 fstrial import --out x.json --factors fs --metric change_pct=KiB/s columns.csv 2>err
assert_contains err 'columns.csv:2: refused: column 4 (change_pct): "-3" is below 0'

# ---- what was measured before and after ----------------------------------------------------------

# rows FILE FACTOR: six rows a side, a percent or so apart, block write by the factor.
rows()
{
	/usr/bin/python3 - "$2" >"$1" <<-'END'
	import random, sys
	rnd = random.Random(5 + int(10 * float(sys.argv[1])))
	for _ in range(6):
	    v = [round(x * (1 + rnd.gauss(0, 0.004))) for x in (73586, 505013, 27452, 38169, 55322)]
	    v[1] = round(v[1] * float(sys.argv[1]))
	    print("box,16G," + ",".join(f"{x},50" for x in v) + f",{620 + rnd.gauss(0, 2):.1f},0" + "," * 13)
	END
}
rows before.csv 1.0
rows after.csv 0.8
rows same.csv 1.001
for side in before after same; do
	fstrial import --out $side.json $side.csv 2>err
	assert_contains err "6 rows: 6 plain, 0 joined, 0 damaged, 0 copies; 0 refused; 1 variant"
done
assert_exit 1 fstrial compare before.json after.json >out
grep -Eq '^REGRESSED +write.throughput ' out || { show_file out; fail "a fifth less is not seen"; }
assert_eq "$(grep -c '^REGRESSED' out)" 1
assert_exit 0 fstrial compare before.json same.json >out
assert_lacks out REGRESSED
# Figures of other versions of bonnie++ are other measurements.
fstrial import --out other.json import/valid/bonnie-198.csv 2>err
fstrial import --out old.json import/valid/bonnie-10x.csv 2>err
assert_exit 4 fstrial compare old.json other.json >out 2>err
