#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What run.sh calls: measures, and prints a line a ratio. See README.md.

    bench.py FSTRIAL HERE WORK DATA [NAME]...

Whoever is compared takes turns, so that what else the machine does falls on all alike; a value is the
median of the ratios of all turns. Medians of the figures themselves go to standard error.

On zram an I/O is over when the call returns, and nobody waits: what a second of processor time yields
is the rate of a machine that does nothing else, and is had on a busy one too. Elsewhere the clock on
the wall counts.
"""
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

FSTRIAL, HERE, WORK, DATA = sys.argv[1:5]
ONLY = sys.argv[5:]
TURNS = 9
SECONDS = 0.5
BY_CPU = os.environ.get("BENCH_INLINE") == "1"
MIB = 1 << 20
DATASET = 256 * MIB
FILE = os.path.join(DATA, "data.0.0")
LOOPS = os.path.join(WORK, "loops")
FIO_TUNED = ["--iodepth_batch_submit=16", "--iodepth_batch_complete_max=16", "--fixedbufs=1",
             "--registerfiles=1"]


class Skip(Exception):
    pass


def call(argv, **more):
    r = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                       timeout=300, **more)
    if r.returncode:
        raise RuntimeError("%s: %s" % (" ".join(argv), r.stderr.decode(errors="replace")[-2000:]))
    return r.stdout.decode()


def need(program):
    if not shutil.which(program):
        raise Skip("%s is not installed" % program)


# ---- who is measured ---------------------------------------------------------------------------

def job_argv(job, out, more, values):
    argv = [FSTRIAL, "run", "--quiet", "--format", "json", "--out", out, "--set", "dir=" + DATA]
    for k, v in values.items():
        argv += ["--set", "%s=%s" % (k, v)]
    return argv + more + [os.path.join(HERE, job + ".job")]


def ours(job="random", more=(), **values):
    out = os.path.join(WORK, "out")
    shutil.rmtree(out, ignore_errors=True)
    d = json.loads(call(job_argv(job, out, list(more), values)))
    return {s["name"]: s for s in d["trials"][0]["steps"]}


def cpu_ns(step):
    c = step["measured"]["cpu"]
    return c["user_ns"] + c["system_ns"]


def per_second(step, what):
    m = step["measured"]
    return m[what] / ((cpu_ns(step) if BY_CPU else m["elapsed_ns"]) / 1e9)


def random_step(values, job="random"):
    return ours(job, runtime="%dms" % (SECONDS * 1000), **values)["run"]


def our_rate(**values):
    return lambda: per_second(random_step(values), "ops")


def our_cached_rate(**values):
    return lambda: per_second(random_step(values, "cached"), "ops")


def our_cpu(**values):
    def one():
        s = random_step(values)
        return cpu_ns(s) / s["measured"]["ops"]
    return one


def fio(*args):
    need("fio")
    text = call(["fio", "--name=run", "--output-format=json", "--randrepeat=0", "--allow_file_create=0",
                 *args], cwd=WORK)
    return json.loads(text[text.index("{"):])["jobs"][0]


def fio_random(engine, depth, *more):
    args = ["--ioengine=" + engine, "--rw=randread", "--bs=4k", "--iodepth=%d" % depth, "--time_based",
            "--runtime=%dms" % (SECONDS * 1000), "--size=%d" % DATASET, "--thread", *more]
    if engine != "null":
        args += ["--filename=" + FILE, "--invalidate=0"]
    return fio(*args)


def fio_cpu_ns(j):
    return (j["usr_cpu"] + j["sys_cpu"]) / 100 * j["job_runtime"] * 1e6


def fio_rate(*args):
    def one():
        j = fio_random(*args)
        return j["read"]["total_ios"] / fio_cpu_ns(j) * 1e9 if BY_CPU else j["read"]["iops"]
    return one


def fio_cpu(*args):
    def one():
        j = fio_random(*args)
        return fio_cpu_ns(j) / j["read"]["total_ios"]
    return one


def loop(mode, path, *args):
    rate, cpu = map(float, call([LOOPS, mode, path, *map(str, args)]).split())
    return 1e9 / cpu if BY_CPU else rate


def loop_rate(mode, *args):
    return lambda: loop(mode, FILE, SECONDS, *args)


def as_read(measure):
    """
    The others' file comes into the page cache as ours does, by being read: what writing leaves there is in
    larger pieces, which are found faster.
    """
    def one(name):
        fd = os.open(FILE, os.O_RDONLY)
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        while os.read(fd, MIB):
            pass
        os.close(fd)
        return measure(name)
    return one


# ---- how ---------------------------------------------------------------------------------------

def turns(contenders, n=TURNS):
    """{who: [figure of each turn]}; who begins changes."""
    seen = {who: [] for who in contenders}
    names = list(contenders)
    for who in names:  # what is slow only once
        contenders[who]()
    for i in range(n):
        for who in names[i % len(names):] + names[:i % len(names)]:
            seen[who].append(contenders[who]())
    return seen


def say(name, seen):
    print("# %s: %s" % (name, ", ".join("%s %.5g" % (w, statistics.median(v)) for w, v in seen.items())),
          file=sys.stderr)


def ratios(seen, a, b):
    return sorted(x / y for x, y in zip(seen[a], seen[b]))


class Row:
    def __init__(self, name, target, measure, unit=""):
        self.name, self.target, self.measure, self.unit = name, target, measure, unit

    def holds(self, values):
        m = statistics.median(values)
        kind, limit = re.fullmatch(r"([<>]=)~?([\d.]+)", self.target).groups()
        limit = float(limit)
        if "~" in self.target:  # within noise: what the turns themselves leave open
            return m >= limit * 0.9 and values[-2] >= limit
        return m <= limit if kind == "<=" else m >= limit

    def run(self):
        try:
            values = sorted(self.measure(self.name))
        except Skip as why:
            print("%s - %s skipped: %s" % (self.name, self.target, why), flush=True)
            return True
        ok = self.holds(values)
        print("%s %.4g %s %s" % (self.name, statistics.median(values), self.target, "ok" if ok else "short"),
              flush=True)
        return ok


def against(a, b, **others):
    """Ratio of ours to what it is held against; others are measured for those who read along."""
    def measure(name):
        seen = turns({"fstrial": a, "other": b, **others})
        say(name, seen)
        return ratios(seen, "fstrial", "other")
    return measure


# ---- instructions --------------------------------------------------------------------------------

def instructions(argv):
    """User instructions of the process that used most: the step's, whose session only waits."""
    prefix = os.path.join(WORK, "callgrind")
    for path in glob.glob(prefix + ".*"):
        os.unlink(path)
    call(["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=%s.%%p" % prefix, *argv], cwd=WORK)
    counts = []
    for path in glob.glob(prefix + ".*"):
        with open(path, errors="replace") as f:
            counts += [int(n) for n in re.findall(r"^totals: (\d+)", f.read(), re.M)]
    return max(counts)


def per_io(argv_of):
    few, many = 20480, 102400
    return (instructions(argv_of(many)) - instructions(argv_of(few))) / (many - few)


def our_argv(depth):
    def argv(n):
        out = os.path.join(WORK, "out")
        shutil.rmtree(out, ignore_errors=True)
        return job_argv("random", out, [], {"size": "%dKiB" % (n * 4), "runtime": "0s", "depth": depth})
    return argv


def null_instr(depth):
    def measure(name):
        need("valgrind")
        need("fio")
        a = per_io(our_argv(depth))
        b = per_io(lambda n: ["fio", "--name=run", "--ioengine=null", "--rw=randread", "--bs=4k", "--thread",
                              "--size=%dk" % (n * 4), "--iodepth=%d" % depth])
        say(name, {"fstrial": [a], "other": [b]})
        return [a / b]  # a count: again it is the same
    return measure


# ---- the rest --------------------------------------------------------------------------------------

def empty_phase(name):
    few, many = 1, 22  # points of the sweep, which is one block: canaries and start cost either the same

    def run(more):
        start = time.monotonic()
        ours("empty", more)
        return time.monotonic() - start
    seen = turns({"few": lambda: run(["--set", "kib=4"]), "many": lambda: run([])}, 7)
    say(name, seen)
    # By the wall, where whatever else runs only makes it longer: the shortest of each.
    return [(min(seen["many"]) - min(seen["few"])) * 1000 / (many - few)]


def sequential(which):
    size = 512 * MIB
    path = os.path.join(DATA, "fio.seq")
    by_wall = which == "write" or not BY_CPU  # a thread of the kernel's writes back, now more, now less

    def us():
        step = ours("sequential", size="%dMiB" % (size // MIB))[which]
        return step["measured"]["bytes"] / step["measured"]["elapsed_ns"] * 1e9 if by_wall else per_second(step, "bytes")

    def rate_of(j):
        w = j[which]
        return w["io_bytes"] / (w["runtime"] / 1e3 if by_wall else fio_cpu_ns(j) / 1e9)

    def them():
        # Buffers on page boundaries, as a database has them, and as ours: some processors copy a tenth
        # faster to addresses that are aligned to nothing, as malloc gives them to fio.
        common = ["--iomem_align=4096", "--filename=" + path, "--bs=1m", "--size=%d" % size, "--ioengine=psync", "--invalidate=0",
                  "--zero_buffers", "--fallocate=none", "--allow_file_create=1", "--thread"]
        j = fio("--rw=write", "--end_fsync=1", *common)
        if which == "read":
            j = fio("--rw=read", *common)
        os.unlink(path)  # as ours does: both begin with the same memory
        return rate_of(j)

    def measure(name):
        seen = turns({"fstrial": us, "other": them})
        say(name, seen)
        return ratios(seen, "fstrial", "other")
    return measure


def bonnie_turns(kept={}):
    """Both figures of both, measured once. By the wall: bonnie++ tells no more."""
    size = 8192  # MiB: from memory, less takes under the half second below which bonnie++ gives no number

    def us():
        rates = {}
        for name, s in ours("sequential", size="%dMiB" % size).items():
            rates[name] = s["measured"]["bytes"] / s["measured"]["elapsed_ns"] * 1e9
        return rates

    def them():
        text = call(["bonnie++", "-d", DATA, "-s", "%dM:1024k" % size, "-n", "0", "-r", "%d" % (size // 2), "-f",
                     "-q", "-u", "root"])
        fields = text.strip().splitlines()[-1].split(",")
        return {"write": fields[11], "read": fields[17]}
    if not kept:
        need("bonnie++")
        kept.update(turns({"fstrial": us, "other": them}, 7))
    return kept


def bonnie(which):
    def measure(name):
        kept = bonnie_turns()
        theirs = [t[which] for t in kept["other"]]
        if not all(re.fullmatch(r"[\d.]+", t) for t in theirs):
            raise Skip("bonnie++ gives no number for what took less than half a second")
        seen = {"fstrial": [t[which] for t in kept["fstrial"]], "other": [float(t) * 1024 for t in theirs]}
        say(name, seen)
        return ratios(seen, "fstrial", "other")
    return measure


def per_char(name):
    if "unit" not in call([FSTRIAL, "plugins", "sequential"]):
        raise Skip("workload sequential has no unit = \"char\" yet")
    size = 256
    path = os.path.join(DATA, "putc")

    def us():
        return per_second(ours("char", size="%dMiB" % size)["run"], "bytes")

    def them():
        return loop("putc", path, size)
    seen = turns({"fstrial": us, "other": them})
    say(name, seen)
    os.unlink(path)
    return ratios(seen, "fstrial", "other")


def peak(values, buffers):
    """MiB beside the buffers, of the largest process."""
    def measure(name):
        out = os.path.join(WORK, "out")
        shutil.rmtree(out, ignore_errors=True)
        p = subprocess.Popen(job_argv("random", out, [], values), stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = status
        if status:
            raise RuntimeError("the run failed: " + str(values))
        for path in glob.glob(os.path.join(DATA, "data.*")):
            if path != FILE:
                os.unlink(path)
        return [(usage.ru_maxrss * 1024 - buffers) / MIB]
    return measure


ROWS = [
    Row("null-depth1-instr", "<=0.1", null_instr(1)),
    Row("null-depth32-instr", "<=0.1", null_instr(32)),
    Row("null-depth1-cpu", "<=0.35", against(our_cpu(engine="null", depth=1), fio_cpu("null", 1))),
    Row("null-depth32-cpu", "<=0.35", against(our_cpu(engine="null", depth=32), fio_cpu("null", 32))),
    Row("psync-direct", ">=0.95", against(our_rate(engine="psync", direct="true"),
                                          loop_rate("pread", "direct"),
                                          fio=fio_rate("psync", 1, "--direct=1"))),
    # The loop draws each block anew; who takes all before one comes again finds fewer in the processor's cache.
    Row("psync-buffered", ">=0.95", as_read(against(our_cached_rate(engine="psync", again="true"),
                                                    loop_rate("pread"), every=our_cached_rate(engine="psync"),
                                                    fio=fio_rate("psync", 1, "--norandommap")))),
    Row("uring-depth32-direct", ">=0.93", against(our_rate(engine="io_uring", depth=32, direct="true"),
                                                  loop_rate("uring", 32))),
    Row("uring-depth32-vs-fio", ">=1.2", against(our_rate(engine="io_uring", depth=32, direct="true"),
                                                 fio_rate("io_uring", 32, "--direct=1", *FIO_TUNED),
                                                 fio_defaults=fio_rate("io_uring", 32, "--direct=1"))),
    Row("uring-depth1-vs-fio-tuned", ">=1.15",
        against(our_rate(engine="io_uring", depth=1, direct="true"),
                fio_rate("io_uring", 1, "--direct=1", *FIO_TUNED[2:]), loop=loop_rate("uring", 1))),
    Row("libaio-depth32-vs-fio", ">=1.5", against(our_rate(engine="libaio", depth=32, direct="true"),
                                                  fio_rate("libaio", 32, "--direct=1"))),
    Row("mmap-vs-fio", ">=1.2", against(our_cached_rate(engine="mmap"), fio_rate("mmap", 1),
                                        loop=loop_rate("mmap"))),
    Row("empty-phase", "<=20", empty_phase),
    Row("seq-write-fsync-vs-fio", ">=~1", sequential("write")),
    Row("seq-read-vs-fio", ">=~1", sequential("read")),
    Row("seq-write-vs-bonnie", ">=~1", bonnie("write")),
    Row("seq-read-vs-bonnie", ">=~1", bonnie("read")),
    Row("per-char", ">=0.9", per_char),
    Row("memory-64-workers", "<=64", peak({"engine": "psync", "jobs": 64, "size": "1MiB", "runtime": "300ms"},
                                          64 * 4096)),
    Row("memory-1000-files", "<=32", peak({"engine": "psync", "files": 1000, "size": "16MiB",
                                           "runtime": "300ms"}, 4096)),
]


def main():
    names = [r.name for r in ROWS]
    for name in ONLY:
        if name not in names:
            sys.exit("no such row: %s; there are: %s" % (name, " ".join(names)))
    with open(FILE, "wb") as f:  # zeros, written: a device that costs next to nothing
        for _ in range(DATASET // MIB):
            f.write(bytes(MIB))
        os.fsync(f.fileno())
    good = [r.run() for r in ROWS if not ONLY or r.name in ONLY]
    sys.exit(0 if all(good) else 1)


main()
