#!/usr/bin/env python3
"""Where the CPU backend is behind NumPy: the whole tables in a few minutes, by a process on each of several cores.

    cpu_behind.py [--library build/src/libgnd.so] [--sizes 100,10000,1000000] [--cores 0-31] [--json FILE]
                  [--behind 1.05] [--confirm 2] [--only TEXT]

Three tables: operators, with numbers as operands, views and casts into given arrays (cpu_operators.py); casts,
reductions, scans, sorts and searches (cpu_tables.py); and fused blocks of one operator beside the same line
without the block. Rows are dealt out to processes, each bound to a core of its own, in which gnd and NumPy
alternate; the least time counts. Rows that are behind are measured again, on one core after another, `--confirm`
times, and only those that are behind in each run are printed: first by the largest ratio. Sizes of 10^8 take
gigabytes in each process: give few cores. Cores: those that the process may run on, unless given; a core of a pair
that shares one is best left out.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import platform
import subprocess
import sys
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


# ---- a process on its core ------------------------------------------------------------------------------


class Operators:
    """Rows of cpu_operators.py, by dtype and place in the list."""

    def __init__(self, n):
        import cpu_operators as table
        self.table, self.n = table, n

    def rows(self, wanted):
        t = self.table
        for dtype in t.DTYPES:
            g = t.np.random.default_rng(1)
            def named(label):
                return wanted(f"operators.{label}.{dtype}")
            for part in (t.table_cases(dtype, self.n, g, named), t.other_cases(dtype, self.n, g),
                         t.cast_cases(dtype, self.n, g)):
                for label, *case in part:
                    if case[2] is not None and named(label):
                        yield f"operators.{label}.{dtype}", (label, *case)

    def measure(self, row):
        return self.table.measure(self.table.Case(*row), 7 if self.n <= 10**6 else 3)


class Tables:
    """Rows of cpu_tables.py."""

    def __init__(self, n):
        import cpu_tables as table
        table.load(os.environ["GND_LIBRARY"])
        self.table, self.n, self.data = table, n, table.Data()

    def rows(self, wanted):
        for row in sorted((r for r in self.table.rows(self.n) if wanted(r[0])), key=self.table.order_of):
            yield row[0], row

    def measure(self, row):
        best = self.table.measure(row, self.data)
        return None if isinstance(best, str) else best


class Fused:
    """Blocks of one operator: gnd's time with GND_FUSE stands for gnd's, that without for NumPy's."""

    def __init__(self, n):
        import cpu_operators as table
        self.table, self.n = table, n

    def rows(self, wanted):
        t = self.table
        for dtype in ("float32", "float64", "int32", "complex64"):
            g = t.np.random.default_rng(1)
            for label, name, form, call, inputs, *_ in t.table_cases(dtype, self.n, g,
                                                            lambda name: wanted(f"fused.{name}.{dtype}")):
                if call is not None and form in ("1", "2", "3"):
                    yield f"fused.{label}.{dtype}", (label, name, form, call, inputs)

    def measure(self, row):
        t, case = self.table, self.table.Case(*row)
        if case.run_gnd(1) != 0:
            raise RuntimeError(f"{case.label}: {t.gnd.pending_error()}")
        runs = [lambda calls, f=f: f(case.form, case.function, calls, case.pointers, case.arguments)
                for f in (t.shim.repeat_fused, t.shim.repeat_alone)]
        return t.alternate(runs, 7 if self.n <= 10**6 else 3)


def work(core, share, shares, given):
    """Measures a share of the rows, or of those that are listed; a line of JSON for each."""
    os.sched_setaffinity(0, {core})
    import warnings
    import numpy as np
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    listed = given.get("listed")
    for n in given["sizes"]:
        def wanted(name):
            chosen = [name, n] in listed if listed is not None else given["only"] in name
            return chosen and zlib.crc32(f"{name} {n}".encode()) % shares == share
        for kind in (Operators, Tables, Fused):
            table = kind(n)
            for name, row in table.rows(wanted):
                try:
                    best = table.measure(row)
                except (TypeError, ValueError, RuntimeError):
                    table.table.gnd.lib.gnd_error_clear()
                    continue
                if best:
                    print(json.dumps({"row": name, "size": n, "gnd": best[0], "numpy": best[1],
                                      "ratio": best[0] / best[1]}), flush=True)


# ---- all of them ----------------------------------------------------------------------------------------


def run_all(cores, given):
    """The rows that processes on all cores found."""
    def one(share):
        command = [sys.executable, __file__, "--work", json.dumps([cores[share], share, len(cores), given])]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr[-2000:])
        return [json.loads(line) for line in done.stdout.splitlines()]
    with concurrent.futures.ThreadPoolExecutor(len(cores)) as pool:
        return [row for rows in pool.map(one, range(len(cores))) for row in rows]


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default=os.environ.get("GND_LIBRARY", str(ROOT / "build/src/libgnd.so")))
    parser.add_argument("--sizes", default="100,10000,1000000")
    parser.add_argument("--cores", default="")
    parser.add_argument("--json")
    parser.add_argument("--behind", type=float, default=1.05)
    parser.add_argument("--confirm", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    o = parser.parse_args()
    os.environ["GND_LIBRARY"] = str(pathlib.Path(o.library).resolve())
    sys.path.insert(0, str(HERE))
    if o.work:
        work(*json.loads(o.work))
        return
    cores, start = read_cores(o.cores), time.time()
    given = {"sizes": [int(n) for n in o.sizes.split(",")], "only": o.only}
    rows = run_all(cores, given)
    behind = [r for r in rows if r["ratio"] > o.behind]
    first = len(behind)
    for _ in range(o.confirm):
        again = {(r["row"], r["size"]): r for r in run_all(cores[1:] + cores[:1], dict(
            given, listed=[[r["row"], r["size"]] for r in behind]))} if behind else {}
        for r in behind:
            other = again.get((r["row"], r["size"]))
            if other and other["ratio"] < r["ratio"]:
                r.update(other)
        behind = [r for r in behind if r["ratio"] > o.behind]
    behind.sort(key=lambda r: -r["ratio"])
    print(f"{processor()}; {len(cores)} cores; {time.time() - start:.0f} s; load {os.getloadavg()[0]:.1f}")
    for n in given["sizes"]:
        of = [sum(r["size"] == n for r in some) for some in (rows, behind)]
        print(f"{n} elements: {of[0]} rows, {of[1]} behind by more than {100 * (o.behind - 1):.0f}% in each run")
    print(f"{first} rows were behind in the first run")
    for r in behind:
        print(f"{r['row']:52}{r['size']:>10}{1e6 * r['gnd']:14.2f} us{1e6 * r['numpy']:14.2f} us{r['ratio']:8.2f}")
    if o.json:
        pathlib.Path(o.json).write_text(json.dumps(rows, indent=0))


if __name__ == "__main__":
    main()
