#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run --until half-width: a variant stops when its own interval is narrow enough, and never because of a difference.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3

mkdir work
cat > until.job <<'END'
job = "until";
target = { directory = "work"; };
repeats = 2;
canaries = false;
seed = 7;
matrix = { cv = [0.0001, 0.03, 0.5]; };
steps = ( { workload = "synthetic"; cv = "${cv}"; } );
END
assert_exit 0 fstrial run --quiet --until half-width --out out until.job >table
assert_schema out/result.json
# The quiet variant has the fewest repeats that an interval can be judged by, whatever the job says; the wild one the most.
assert_json out/result.json "[v['stop_reason'] for v in d['session']['until']['variants']] == ['half-width', 'half-width', 'max-repeats']"
assert_json out/result.json "(lambda n: n[0] == 5 and 6 <= n[1] < 20 and n[2] == 20)([v['repeats'] for v in d['session']['until']['variants']])"
assert_json out/result.json "all(sum(t['variant'] == v['variant'] for t in d['trials']) == v['repeats'] for v in d['session']['until']['variants'])"
# Half-widths are those of the numbers: Student's t over the repeats, against half of a margin of 5 %.
cat > check.py <<'END'
import json, math, statistics, sys
T = {5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262, 11: 2.228, 12: 2.201, 13: 2.179, 14: 2.160, 15: 2.145,
     16: 2.131, 17: 2.120, 18: 2.110, 19: 2.101, 20: 2.093}
d = json.load(open(sys.argv[1]))
for v in d["session"]["until"]["variants"]:
    y = [math.log(t["steps"][0]["metrics"]["rate"]["value"]) for t in d["trials"] if t["variant"] == v["variant"]]
    half = T[len(y)] * statistics.stdev(y) / math.sqrt(len(y))
    assert abs(half - v["half_width"]) < 0.001 * half + 1e-9, (v, half)
    assert (half <= 0.025) == (v["stop_reason"] == "half-width"), v
    # Not a repeat more than it took: one fewer was not enough, or fewer than may be judged.
    if len(y) > 5:
        z = y[:-1]
        assert T[len(z)] * statistics.stdev(z) / math.sqrt(len(z)) > 0.025, v
END
/usr/bin/python3 check.py out/result.json || fail "half-widths"
# The same seed gives the same course.
assert_exit 0 fstrial run --quiet --until half-width --out again until.job >/dev/null
assert_json again/result.json "[v['repeats'] for v in d['session']['until']['variants']] == $(/usr/bin/python3 -c "
import json; print([v['repeats'] for v in json.load(open('out/result.json'))['session']['until']['variants']])")"

assert_exit 0 fstrial run --quiet --until half-width --max-repeats 6 --out six until.job >/dev/null
assert_json six/result.json "[v['repeats'] for v in d['session']['until']['variants']] == [5, 6, 6]"
# More in the job than the least: as many.
assert_exit 0 fstrial run --quiet --until half-width --repeats 8 --out eight until.job >/dev/null
assert_json eight/result.json "d['session']['until']['variants'][0]['repeats'] == 8"
# A budget that is over at once: no block begins but the first.
assert_exit 0 fstrial run --quiet --until half-width --max-time 1ns --out late until.job >/dev/null
assert_json late/result.json "all(v['repeats'] == 1 and v['stop_reason'] == 'max-time' for v in d['session']['until']['variants'])"
assert_exit 2 fstrial run --quiet --until half-width --max-time 0s --out never until.job 2>err
assert_contains err "--max-time 0s: no time at all"
# There is no number of trials that was to be; what became precise is said.
n=$(/usr/bin/python3 -c "import json; print(len(json.load(open('out/result.json'))['trials']))")
assert_contains table "trials      $n: $n ok"
assert_contains table "half-width: 2 of 3 variants precise, after 5 to 20 repeats"
# A variant that only fails is not repeated for ever.
sed -e 's/steps = (/steps = ( { setup = "fails_apply"; path = "marker"; mode = "error_after_change"; when = "cv == 0.5"; },/' until.job >fails.job
assert_exit 1 fstrial run --plugin-dir "$BUILD/tests/plugins" --quiet --until half-width --out fails fails.job >/dev/null 2>&1
assert_json fails/result.json "(lambda v: v['repeats'] == 5 and v['stop_reason'] == 'failed')(d['session']['until']['variants'][2])"
# Without --until there is none of it.
assert_exit 0 fstrial run --quiet --out plain until.job >/dev/null
assert_json plain/result.json "d['session']['until'] is None and len(d['trials']) == 6"

assert_exit 2 fstrial run --max-repeats 9 until.job >/dev/null 2>err
assert_contains err "--max-repeats goes with --until half-width"
assert_exit 2 fstrial run --until half-width --max-repeats 3 until.job >/dev/null 2>err
assert_contains err "there are 5 repeats at least"
assert_exit 2 fstrial run --until half-width --max-time 5 until.job >/dev/null 2>err
assert_contains err "--max-time"
assert_exit 2 fstrial run --until significance until.job >/dev/null 2>err
assert_contains err "half-width"
