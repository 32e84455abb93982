#!/usr/bin/env python3
"""Times sliding medians on the CPU beside SciPy, both on one thread of one process, by turns.

    taskset -c 1 cpu_medians.py [--rounds 5] [--only TEXT] [--dtypes float32,uint8]

GND_LIBRARY names the library, else the newest build of this tree; GND_CPU_ISA an instruction set. Each time is the
least of some rounds, in which gnd and SciPy alternate: nanoseconds of the processor's time for an output. The last
column is SciPy's over gnd's. Results are compared.
"""

import argparse
import os
import pathlib
import re
import sys
import time

for variable in ("GND_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["GND_DEVICE"] = "cpu"
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "oracle"))

import numpy as np  # noqa: E402
import scipy.signal  # noqa: E402

import gnd  # noqa: E402

LINES = (3, 5, 7, 9, 11, 15, 21, 31, 51, 63, 101, 201, 301, 501, 1001, 2001, 5001, 20001)
SQUARES = (3, 5, 7, 9, 11, 15, 21, 31, 51)
RANKS = ((3, 2), (5, 3), (5, 18), (9, 60), (15, 200))  # the side of a whole square, the rank
CROSSES = (5, 9, 21)  # sides of domains with a row and a column of ones


def numbers(shape, dtype):
    g = np.random.default_rng(0)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return g.standard_normal(shape).astype(dtype)
    info = np.iinfo(dtype)
    low, high = max(info.min, -2**52), min(info.max, 2**52)  # SciPy compares some integers as float64
    return g.integers(low, high, shape, dtype, endpoint=True)


def side(window):
    """Of a picture that takes SciPy some tenths of a second."""
    return 1024 if window < 9 else 512 if window < 21 else 192


def cross(n):
    domain = np.zeros((n, n))
    domain[n // 2] = domain[:, n // 2] = 1
    return domain


def cases(dtype):
    """The name, gnd's call and SciPy's."""
    names = ("gnd_medfilt", "gnd_medfilt2d", "gnd_order_filter")
    medfilt, medfilt2d, order_filter = (gnd.function(name) for name in names)
    x = numbers(400_000, dtype)
    g = gnd.from_numpy(x)
    for n in LINES:
        yield f"medfilt, {n}", x.size, lambda n=n: medfilt(g, (n,)), lambda n=n: scipy.signal.medfilt(x, n)
    for n in SQUARES:
        image = numbers((side(n), side(n)), dtype)
        y = gnd.from_numpy(image)
        yield (f"medfilt2d, {n} x {n}", image.size, lambda y=y, n=n: medfilt2d(y, (n,)),
               lambda image=image, n=n: scipy.signal.medfilt2d(image, n))
    domains = [(f"order_filter, {n} x {n}, rank {r}", np.ones((n, n)), r) for n, r in RANKS]
    domains += [(f"order_filter, cross of {n} x {n}, rank {n}", cross(n), n) for n in CROSSES]
    for name, domain, rank in domains:
        image = numbers((side(len(domain)), side(len(domain))), dtype)
        y, d = gnd.from_numpy(image), gnd.from_numpy(domain)
        yield (name, image.size, lambda y=y, d=d, rank=rank: order_filter(y, d, rank),
               lambda image=image, domain=domain, rank=rank: scipy.signal.order_filter(image, domain, rank))


def clock(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--dtypes", default="float32,float64,uint8,uint16,int32")
    options = parser.parse_args()
    print("| filter | dtype | gnd, ns | SciPy, ns | SciPy / gnd |\n|---|---|---:|---:|---:|")
    for dtype in options.dtypes.split(","):
        for name, size, ours, theirs in cases(dtype):
            if not re.search(options.only, name):
                continue
            if not np.array_equal(ours().numpy(), theirs()):
                raise SystemExit(f"{name} of {dtype}: results differ")
            times = [(clock(ours), clock(theirs)) for _ in range(options.rounds)]
            a, b = (1e9 * min(column) / size for column in zip(*times))
            print(f"| {name} | {dtype} | {a:.3g} | {b:.3g} | {b / a:.2f} |", flush=True)


if __name__ == "__main__":
    main()
