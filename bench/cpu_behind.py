#!/usr/bin/env python3
"""Where the CPU backend is behind NumPy: the whole tables in a few minutes, by a process on each of several cores.

    cpu_behind.py [--library build/src/libgnd.so] [--sizes 100,10000,1000000] [--cores 0-31] [--json FILE]
                  [--behind 1.05] [--confirm 2] [--only TEXT] [--skip TEXT,TEXT] [--budget-s 300]
                  [--first cpu_behind.json] [--near 1]

Three tables: operators, with numbers as operands, views and casts into given arrays (cpu_operators.py); casts,
reductions, scans, sorts and searches (cpu_tables.py); and fused blocks of one operator beside the same line
without the block. Rows are dealt out to processes, each bound to a core of its own, in which gnd and NumPy
alternate; the least time counts. Rows that are behind are measured again, on one core after another, `--confirm`
times, and only those that are behind in each run are printed: first by the largest ratio. Sizes of 10^8 take
gigabytes in each process: give few cores. The library is loaded first (LD_PRELOAD), so that blocks cost what they do
in a program linked to it. Cores: those that the process may run on, unless given; a core of a pair
that shares one is best left out. Of sizes above 10^6 a process has few dtypes, keeps operands and results of its last
rows (10 GiB of them at most), and measures once what is far ahead.

All of it takes --budget-s seconds at most (0: as long as it takes). Rows of --first, JSON as --json writes it, whose
ratio was above --near there come first, of a size that it lacks those of any size; then the others of all sizes and
tables, by turns, until two thirds of the budget are spent; the rest is for the second and third look. What there was
no time for is said. The JSON is written as rows come; `runs` is how many times a row was measured.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import threading
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


# ---- a process on its core ------------------------------------------------------------------------------


# Kinds of rows. `rows` lists them, dtype by dtype: (name, what `measure` takes). Operands are made in `measure`.


class Operators:
    """Rows of cpu_operators.py."""

    def __init__(self, n):
        import cpu_operators as table
        self.table, self.n = table, n

    def rows(self):
        for dtype in self.table.DTYPES:
            for label, make in self.table.cases(dtype, self.n):
                yield f"operators.{label}.{dtype}", make

    def measure(self, make):
        return self.table.measure(self.table.Case(*make()), rounds_of(self.n))


class Tables:
    """Rows of cpu_tables.py."""

    def __init__(self, n):
        import cpu_tables as table
        table.load(os.environ["GND_LIBRARY"])
        self.table, self.n, self.data = table, n, table.Data()

    def rows(self):
        return [(row[0], row) for row in sorted(self.table.rows(self.n), key=self.table.order_of)]

    def measure(self, row):
        best = self.table.measure(row, self.data)
        return None if isinstance(best, str) else best


class Fused:
    """Blocks of one operator: gnd's time with GND_FUSE stands for gnd's, that without for NumPy's."""

    def __init__(self, n):
        import cpu_operators as table
        self.table, self.n = table, n

    def rows(self):
        for dtype in ("float32", "float64", "int32", "complex64"):
            for label, make in self.table.table_cases(dtype, self.n):
                yield f"fused.{label}.{dtype}", make

    def measure(self, make):
        t, case = self.table, self.table.Case(*make())
        if case.form not in (b"1", b"2", b"3"):
            return None
        if case.run_gnd(1) != 0:
            raise RuntimeError(f"{case.label}: {t.gnd.pending_error()}")
        runs = [lambda calls, f=f: f(case.form, case.function, calls, case.pointers, case.arguments)
                for f in (t.shim.repeat_fused, t.shim.repeat_alone)]
        return t.alternate(runs, rounds_of(self.n))


def rounds_of(n):
    return 7 if n <= 10**6 else 3


def is_chosen(name, given):
    return given["only"] in name and not any(part in name for part in given["skip"])


def share_of(rows, n, share, shares):
    """A process's rows of all. Those of large arrays are neighbours, so that its operands are of few dtypes."""
    if n > 10**6:
        return rows[len(rows) * share // shares:len(rows) * (share + 1) // shares]
    return [row for row in rows if zlib.crc32(f"{row[0]} {n}".encode()) % shares == share]


def by_turns(generators):
    """One of each, again and again, until all are at their ends."""
    generators = list(generators)
    while generators:
        for each in list(generators):
            try:
                yield next(each)
            except StopIteration:
                generators.remove(each)


def work(core, share, shares, given):
    """Measures a share of the rows, or of those that are listed, until the time given; a line of JSON for each."""
    os.sched_setaffinity(0, {core})
    import warnings
    import numpy as np
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    listed, without = ({tuple(each) for each in given.get(key) or ()} for key in ("listed", "without"))

    def rows_of(kind, n):
        def wanted(name):
            chosen = (name, n) in listed if given.get("listed") is not None else is_chosen(name, given)
            return chosen and (name, n) not in without

        table = kind(n)
        for name, row in share_of([row for row in table.rows() if wanted(row[0])], n, share, shares):
            yield table, name, n, row

    for table, name, n, row in by_turns(rows_of(kind, n) for kind in (Operators, Tables, Fused)
                                        for n in given["sizes"]):
        if given["until"] and time.time() > given["until"]:
            print(json.dumps({"cut": name}))
            return
        try:
            best = table.measure(row)
        except (TypeError, ValueError, RuntimeError):
            table.table.gnd.lib.gnd_error_clear()
            continue
        if best:
            print(json.dumps({"row": name, "size": n, "gnd": best[0], "numpy": best[1],
                              "ratio": best[0] / best[1], "runs": 1}), flush=True)


# ---- all of them ----------------------------------------------------------------------------------------


class Run:
    """The rows that processes on all cores found, and whether the time was up before all rows were measured. The last
    row of a process may take a few seconds longer, GRACE_S at most."""

    GRACE_S = 15

    def __init__(self, cores, given, note=lambda rows: None):
        self.rows, self.cut, self.note = [], False, note
        self.cores, self.given = cores, given
        with concurrent.futures.ThreadPoolExecutor(len(cores)) as pool:
            list(pool.map(self.one, range(len(cores))))

    def one(self, share):
        command = [sys.executable, __file__, "--work"]
        with tempfile.TemporaryFile("w+") as complaints, \
                subprocess.Popen(command, env=dict(os.environ, LD_PRELOAD=os.environ["GND_LIBRARY"]), text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints) as process:
            json.dump([self.cores[share], share, len(self.cores), self.given], process.stdin)
            process.stdin.close()
            until, alarm = self.given["until"], None
            if until:
                alarm = threading.Timer(max(until - time.time(), 0) + self.GRACE_S, self.stop, (process,))
                alarm.start()
            for line in process.stdout:
                said = json.loads(line)
                if "cut" in said:
                    self.cut = True
                else:
                    self.rows.append(said)
                    self.note(self.rows)
            if alarm:
                alarm.cancel()
            if process.wait() > 0:
                complaints.seek(0)
                sys.exit(complaints.read()[-2000:])

    def stop(self, process):
        self.cut = True
        process.kill()


def keys(rows):
    return [[r["row"], r["size"]] for r in rows]


def read_cores(text):
    if not text:
        return sorted(os.sched_getaffinity(0))
    cores = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        cores += range(int(first), int(last or first) + 1)
    return cores


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


class Report:
    """The JSON file, written again every few seconds."""

    def __init__(self, path):
        self.path, self.written, self.rows, self.lock = path, 0, [], threading.Lock()

    def note(self, more, at_least_s=3):
        with self.lock:
            if self.path and time.time() - self.written >= at_least_s:
                pathlib.Path(self.path).write_text(json.dumps(self.rows + list(more), indent=0))
                self.written = time.time()


def first_look(cores, given, first, part, report):
    """All rows, those of `first` before the others, and whether there was time for them; until part(share)."""
    sizes = {r["size"] for r in first}
    listed = [[name, n] for n in given["sizes"]
              for name in {r["row"] for r in first if r["size"] == n or n not in sizes} if is_chosen(name, given)]
    cut = False
    if listed:
        run = Run(cores, dict(given, listed=listed, until=part(2 / 3)), report.note)
        report.rows, cut = run.rows, run.cut
    run = Run(cores, dict(given, without=keys(report.rows), until=part(2 / 3)), report.note)
    report.rows = report.rows + run.rows
    return cut or run.cut


def look_again(cores, given, behind):
    """Measures rows again, of which the least ratio counts; whether there was time for all."""
    run = Run(cores[1:] + cores[:1], dict(given, listed=keys(behind)))
    again = {(r["row"], r["size"]): r for r in run.rows}
    for r in behind:
        other = again.get((r["row"], r["size"]))
        if other:
            runs = r["runs"] + 1
            r.update(other if other["ratio"] < r["ratio"] else {}, runs=runs)
    return not run.cut


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default=os.environ.get("GND_LIBRARY", str(ROOT / "build/src/libgnd.so")))
    parser.add_argument("--sizes", default="100,10000,1000000")
    parser.add_argument("--cores", default="")
    parser.add_argument("--json")
    parser.add_argument("--behind", type=float, default=1.05)
    parser.add_argument("--confirm", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="", help="parts of rows' names")
    parser.add_argument("--budget-s", type=float, default=300)
    parser.add_argument("--first", type=pathlib.Path, default=HERE / "cpu_behind.json")
    parser.add_argument("--near", type=float, default=1)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    o = parse()
    os.environ["GND_LIBRARY"] = str(pathlib.Path(o.library).resolve())
    sys.path.insert(0, str(HERE))
    if o.work:
        work(*json.load(sys.stdin))
        return
    cores, start, report = read_cores(o.cores), time.time(), Report(o.json)
    budget = o.budget_s - Run.GRACE_S if o.budget_s > 2 * Run.GRACE_S else o.budget_s / 2

    def part(share):
        return start + share * budget if o.budget_s else 0

    given = {"sizes": [int(n) for n in o.sizes.split(",")], "only": o.only, "until": part(1),
             "skip": [text for text in o.skip.split(",") if text]}
    recorded = json.loads(o.first.read_text()) if o.first.exists() else []
    recorded = [r for r in recorded if r["ratio"] > o.near]
    cut = ["the first look"] if first_look(cores, given, recorded, part, report) else []
    behind = [r for r in report.rows if r["ratio"] > o.behind]
    first = len(behind)
    for k in range(o.confirm):
        if behind and not look_again(cores, given, behind):
            cut.append(f"look {k + 2}")
        behind = [r for r in behind if r["ratio"] > o.behind]
    behind.sort(key=lambda r: -r["ratio"])
    print(f"{processor()}; {len(cores)} cores; {time.time() - start:.0f} s; load {os.getloadavg()[0]:.1f}")
    for n in given["sizes"]:
        of = [sum(r["size"] == n for r in some) for some in (report.rows, behind)]
        print(f"{n} elements: {of[0]} rows, {of[1]} behind by more than {100 * (o.behind - 1):.0f}% in each run")
    print(f"{first} rows were behind in the first run")
    if cut:
        print(f"the budget of {o.budget_s:g} s ended before all rows were measured in {', '.join(cut)}")
    for r in behind:
        print(f"{r['row']:52}{r['size']:>10}{1e6 * r['gnd']:14.2f} us{1e6 * r['numpy']:14.2f} us{r['ratio']:8.2f}"
              f"{r['runs']:4} runs")
    report.note((), 0)


if __name__ == "__main__":
    main()
