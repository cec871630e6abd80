#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The schema of result documents takes good ones and refuses what is wrong.
. "$(dirname "$0")/../helpers.sh"

/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"

for good in "$SRC"/tests/json/good-*.json; do
	assert_schema "$good"
done

# mutate WHAT STATEMENT: the good document d, changed by a Python statement, is refused.
mutate()
{
	/usr/bin/python3 - "$SRC" "$2" <<-'END' || fail "the schema takes a document with $1"
	import json, sys
	import jsonschema
	src, statement = sys.argv[1:3]
	schema = json.load(open(src + "/contrib/result.schema.json", encoding="utf-8"))
	d = json.load(open(src + "/tests/json/good-scratch.json", encoding="utf-8"))
	exec(statement, {"d": d, "trial": d["trials"][0], "step": d["trials"][0]["steps"][1]})
	sys.exit(1 if jsonschema.Draft7Validator(schema).is_valid(d) else 0)
	END
}

mutate "another format" 'd["format"] = "fstrial-result/2"'
mutate "a key of nobody's at the top" 'd["extra"] = 1'
mutate "no seed" 'del d["session"]["seed"]'
mutate "a session that ended and says partial" 'd["session"]["status"] = "partial"'
mutate "a status that there is not" 'trial["status"] = "passed"'
mutate "a failed trial without a reason" 'trial["status"] = "failed"'
mutate "a failed step without a reason" 'step["status"] = "failed"'
mutate "a good step with a reason" 'step["reason"] = "because"'
mutate "a text as a number" 'step["metrics"]["throughput"]["value"] = "104857600"'
mutate "an unknown unit" 'step["metrics"]["throughput"]["unit"] = "K/sec"'
mutate "a metric without direction" 'del step["metrics"]["throughput"]["better"]'
mutate "a skipped step with a number" 'step.update(status="skipped", reason="x", errno="EPERM")'
mutate "zeros where nothing was counted" 'step["latency"]["write"]["count"] = 0'
mutate "no minimum where something was counted" 'step["latency"]["write"]["min"] = None'
mutate "a latency that does not say its parts" 'del step["latency"]["write"]["parts"]'
mutate "half of the parts" 'step["latency"]["write"]["parts"] = {"submission": None}'
mutate "repeats from zero" 'trial["repeat"] = 0'
mutate "a variant by another name" 'trial["variant"] = "first"'
mutate "a time with an offset" 'trial["started"] = "2026-11-30T14:23:33+01:00"'
mutate "metrics of a setup step" 'trial["steps"][0]["metrics"] = step["metrics"]'
mutate "a negative time" 'step["elapsed_ns"] = -1'
mutate "a setup step in a group" 'trial["steps"][0]["parallel"] = {"name": "p", "stop": "all", "shared_files": False}'
mutate "a group without its end" 'step["parallel"] = {"name": "p", "shared_files": False}'
mutate "a cold start by nobody knows what" 'step["cold"] = {"by": "magic", "elapsed_ns": 1}'
mutate "a cold setup step" 'trial["steps"][0]["cold"] = {"by": "remount", "elapsed_ns": 1}'
mutate "a judgement that is none" 'step["expect"][0]["met"] = "yes"'
mutate "a good step that was not judged" 'step["expect"][0]["met"] = None'
mutate "something met without a value" 'step["expect"][0]["value"] = None'
mutate "what a failed step met" 'step.update(status="failed", reason="x", errno="EIO")'
mutate "a trial without its verdict" 'del trial["expectations"]'
mutate "a short checksum" 'd["job"]["sha256"] = "00"'
mutate "a canary of nobody's" 'trial["canaries"] = {"coalmine": {"value": 1, "unit": "ns", "better": "lower"}}'
mutate "a canary without direction" 'trial["canaries"] = {"compute": {"value": 1, "unit": "ns"}}'
# What only another tool's output may leave open.
mutate "an unknown start" 'd["session"]["started"] = None'
mutate "an unknown end" 'd["session"]["ended"] = None'
mutate "an unknown kind of target" 'd["session"]["target"]["kind"] = None'
mutate "an unknown job" 'd["job"]["text"] = None'
mutate "a trial that began who knows when" 'trial["started"] = None'
mutate "a step without its CPU time" 'step["cpu"] = None'
mutate "a latency without its histogram" 'step["latency"]["write"]["histogram"] = None'
mutate "an import that does not say of what" 'd["imported"] = {"by": "fstrial 0.1.0", "constants": {}, "findings": []}'
mutate "a note that there is not" 'step["metrics"]["throughput"]["source"] = {"text": "1", "unit": None, "note": "odd", "at_least": None}'
