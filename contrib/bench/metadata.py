#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What metadata.sh calls: metadata.py FSTRIAL WORK PLACE [NAME]..."""
import json
import os
import shutil
import statistics
import subprocess
import sys

FSTRIAL, WORK, PLACE = sys.argv[1:4]
ONLY = sys.argv[4:]
TURNS = 5
FILES = 40000
PHASES = ("create", "stat", "open_read_close", "unlink")


def call(argv):
    r = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=600)
    if r.returncode:
        raise RuntimeError("%s: %s" % (" ".join(argv), r.stderr.decode(errors="replace")[-2000:]))
    return r.stdout.decode()


def ours(size, workers=1, time=0, place=PLACE):
    """{phase: (operations a second, ns of processor time an operation)}"""
    job = os.path.join(WORK, "meta.job")
    with open(job, "w") as f:
        f.write('job = "bench-metadata"; repeats = 1; target = { directory = "%s"; };\n'
                'steps = ( { workload = "metadata"; phases = [%s]; files = %d; size = "%dB"; numjobs = %d;\n'
                '            min_time = "0s"; phase_time = "%dms"; } );\n'
                % (place, ", ".join('"%s"' % p for p in PHASES), FILES, size, workers, time))
    out = os.path.join(WORK, "out")
    shutil.rmtree(out, ignore_errors=True)
    d = json.loads(call([FSTRIAL, "run", "--quiet", "--format", "json", "--out", out, job]))
    m = d["trials"][0]["steps"][0]["metrics"]
    return {p: (m[p + "_rate"]["value"], m[p + "_cpu"]["value"]) for p in PHASES}


def least(size):
    where = os.path.join(PLACE, "loops")
    os.mkdir(where)
    text = call([os.path.join(WORK, "meta_loops"), where, str(FILES), str(size)])
    os.rmdir(where)
    return {line.split()[0]: tuple(map(float, line.split()[1:])) for line in text.splitlines()}


def turns(contenders):
    seen = {who: [] for who in contenders}
    names = list(contenders)
    for i in range(TURNS):
        for who in names[i % len(names):] + names[:i % len(names)]:
            seen[who].append(contenders[who]())
    return seen


def say(name, values, target, seen):
    print("# %s: %s" % (name, ", ".join("%s %.5g" % (w, statistics.median(v)) for w, v in seen.items())),
          file=sys.stderr)
    value = statistics.median(values)
    print("%s %.4g >=%g %s" % (name, value, target, "ok" if value >= target else "short"), flush=True)
    return value >= target


def against_least(rows, size):
    """rows: {name: phase}. Processor time of the least by ours: how much of its speed is left."""
    if not any(wanted(name) for name in rows):
        return True
    seen = turns({"fstrial": lambda: ours(size), "loop": lambda: least(size)})
    good = True
    for name, phase in rows.items():
        if not wanted(name):
            continue
        cpu = {who: [t[phase][1] for t in seen[who]] for who in seen}
        good &= say(name, [b / a for a, b in zip(cpu["fstrial"], cpu["loop"])], 0.95, cpu)
    return good


def two_workers(rows):
    """On tmpfs, which has nothing that two workers in directories of their own would wait for each other at."""
    rows = {name: phase for name, phase in rows.items() if wanted(name)}
    if not rows or (os.cpu_count() or 1) < 2 or not os.path.ismount(os.path.join(WORK, "memory")):
        for name in rows:
            print("%s - >=1.5 skipped: it takes two CPUs and root" % name, flush=True)
        return True
    where = os.path.join(WORK, "memory")
    # Long enough for the scheduler to give each worker a CPU of its own.
    seen = turns({"two": lambda: ours(0, 2, 500, where), "one": lambda: ours(0, 1, 500, where)})
    good = True
    for name, phase in rows.items():
        rate = {who: [t[phase][0] for t in seen[who]] for who in seen}
        good &= say(name, [a / b for a, b in zip(rate["two"], rate["one"])], 1.5, rate)
    return good


def wanted(name):
    return not ONLY or name in ONLY


def main():
    good = against_least({"meta-create-empty": "create", "meta-stat": "stat", "meta-unlink": "unlink"}, 0)
    good &= against_least({"meta-create-4k": "create", "meta-open-read-close": "open_read_close"}, 4096)
    good &= two_workers({"meta-two-workers-%s" % p.replace("_", "-"): p for p in PHASES})
    sys.exit(0 if good else 1)


main()
