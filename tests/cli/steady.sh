#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A workload that is to reach a steady state says whether it did, judged by its own series; compare gives no verdict
# without.
. "$(dirname "$0")/../helpers.sh"

cat >steady.job <<'END'
target = { directory = "."; };
repeats = 1;
global = { size = "1MiB"; steady_state = true; };
steps = (
	{ workload = "io"; name = "long"; rw = "randread"; runtime = "6s"; rate_iops = 200; },
	{ workload = "io"; name = "short"; rw = "randread"; runtime = "1s"; },
	{ parallel = ( { workload = "io"; name = "beside"; rw = "randread"; runtime = "1s"; },
		{ workload = "io"; name = "not-asked"; rw = "randread"; steady_state = false; runtime = "1s"; } ); }
);
END
fstrial run --out steady steady.job >table 2>log || { show_file log; fail "steady.job"; }
assert_schema steady/result.json
assert_json steady/result.json "(lambda s: s['short']['measured']['steady'] is False and s['beside']['measured']['steady'] is False
	and 'steady' not in s['not-asked']['measured']
	and any('5 at least are needed' in w for w in s['short']['warnings']))({s['name']: s for s in d['trials'][0]['steps']})"
assert_json steady/result.json "(lambda s: (lambda n, v: (lambda r: (lambda m: s['measured']['steady'] == (
		(max(r) - min(r)) / m <= 0.2 and abs(sum((i - 2) * x for i, x in enumerate(r)) / 10) * 4 / m <= 0.1))(sum(r) / 5))(
		[sum(v[i * n // 5:(i + 1) * n // 5]) / ((i + 1) * n // 5 - i * n // 5) for i in range(5)]))(
		len(s['series']['ops']), s['series']['ops']))(d['trials'][0]['steps'][0])"

# One run of five that did not get there is enough.
/usr/bin/python3 "$SRC/tests/make_result.py" base.json 1 "o.factors = {'x': [1, 2]}"
/usr/bin/python3 "$SRC/tests/make_result.py" new.json 2 "o.factors = {'x': [1, 2]}; o.steady = 2; o.loss = lambda v: 0.3"
assert_schema new.json
assert_exit 3 fstrial compare base.json new.json >out
assert_contains out "a steady state was not reached"
