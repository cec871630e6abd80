# SPDX-License-Identifier: GPL-3.0-or-later
"""A result document with numbers whose truth is known, for tests of what is made of results.

    make_result.py FILE SEED [STATEMENTS]

The Python statements may change what is below; functions get a variant's values as a dict.
"""
import json
import math
import os
import random
import sys

path, seed = sys.argv[1:3]
src = os.environ["SRC"]
rnd = random.Random(int(seed))


class o:  # pylint: disable=invalid-name
    n = 5                                   # repeats
    factors = {"x": list(range(24))}
    noise = 0.02
    mean = staticmethod(lambda v: 1000.0)
    loss = staticmethod(lambda v: 0.0)      # share of the mean
    spread = staticmethod(lambda v: None)   # another noise for a cell
    trend = 0.0                             # logarithm, over the whole session
    brief = False                           # too short to be trusted
    steady = None                           # of a trial's block: False
    fails = staticmethod(lambda v, block: False)
    fs = staticmethod(lambda v: "xfs")      # None: the raw device
    device = staticmethod(lambda v: None)   # what the step worked on instead of files
    features = ["crc", "reflink"]
    agcount = 4
    kernel = "6.1.0"
    xfsprogs = None
    program = None                          # (path, version) of a mkfs.xfs that the job named itself
    boot = "boot-1"
    started = "2026-11-30T12:00:00Z"
    load = 0.5
    step = "write"
    metric = "throughput"
    unit = "bytes/s"
    better = "higher"
    canaries = {}                           # name -> (mean, noise)
    order = None                            # of the trials: a function that takes the list
    more = {}                               # metrics that do not decide: name -> a function of the value


exec(sys.argv[3] if len(sys.argv) > 3 else "", {"o": o, "math": math, "rnd": rnd})

d = json.load(open(src + "/tests/json/good-scratch.json", encoding="utf-8"))
trial = next(t for t in d["trials"] if t["status"] == "ok")
work = next(s for s in trial["steps"] if s["kind"] == "workload")
mkfs = next(s for s in trial["steps"] if s["plugin"] == "mkfs")
keep = json.dumps
cells = [{}]
for factor, levels in o.factors.items():
    cells = [dict(c, **{factor: level}) for c in cells for level in levels]
d["environment"]["kernel"]["release"] = o.kernel
d["environment"]["load"] = [o.load] * 3
if o.xfsprogs:
    d["environment"]["tools"]["mkfs.xfs"] = o.xfsprogs
d["session"].update(boot_id=o.boot, started=o.started, repeats=o.n)
d["variants"] = [{"id": f"v{i:02}", "values": v} for i, v in enumerate(cells)]
d["trials"] = []
total = o.n * len(cells)
for block in range(o.n):
    canaries = {name: {"value": mean * math.exp(rnd.gauss(0, noise)), "unit": "ns", "better": "lower"}
                for name, (mean, noise) in o.canaries.items()}
    order = list(enumerate(cells))
    rnd.shuffle(order)
    for position, (i, v) in enumerate(order):
        t, s = json.loads(keep(trial)), json.loads(keep(work))
        noise = o.spread(v) if o.spread(v) is not None else o.noise
        value = o.mean(v) * (1 - o.loss(v)) * math.exp(noise * rnd.gauss(0, 1) + o.trend * len(d["trials"]) / total)
        s["name"] = o.step
        s["metrics"] = {o.metric: {"value": value, "unit": o.unit, "better": o.better, "primary": True}}
        for name, of in o.more.items():
            s["metrics"][name] = {"value": of(value), "unit": "ns", "better": "lower", "primary": False}
        s["expect"] = []
        t["expectations"] = None
        s["measured"]["too_short"] = o.brief
        if o.steady is not None and block + 1 == o.steady:
            s["measured"]["steady"] = False
        fs = o.fs(v)
        if fs:
            t["filesystem"].update(type=fs, features=o.features)
            t["filesystem"].setdefault("geometry", {})["agcount"] = o.agcount
        else:
            t["filesystem"] = None
        if o.device(v):
            s["data"]["device"] = {"filename": "target", "path": o.device(v), "size_bytes": 1 << 30}
        if o.fails(v, block + 1):
            s.update(status="failed", reason="it went wrong", errno="EIO", metrics={})
            t.update(status="failed", reason="it went wrong")
        t["canaries"] = canaries or None
        t.update(variant=f"v{i:02}", repeat=block + 1, block=block + 1, position=position + 1, steps=[s])
        if o.program:
            t["steps"].insert(0, dict(json.loads(keep(mkfs)), notes={
                "command": o.program[0] + " -f /dev/loop0", "tool_version": o.program[1]}))
        d["trials"].append(t)
if o.order:
    d["trials"] = o.order(d["trials"])
json.dump(d, open(path, "w", encoding="utf-8"))
