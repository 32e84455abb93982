#!/usr/bin/env python3
"""Times windows, waveforms, peaks and direct convolutions on the CPU beside SciPy, both on one thread of one process,
by turns.

    taskset -c 1 cpu_signal.py [--rounds 5] [--only TEXT]

GND_LIBRARY names the library, else the newest build of this tree; GND_CPU_ISA an instruction set. Each time is the
least of some rounds, in which gnd and SciPy alternate: milliseconds of the processor's time for a call. The last
column is SciPy's over gnd's. SciPy's rows of windows, waveforms and peaks are those of peers_signal.py.
"""

import argparse
import ctypes
import os
import pathlib
import re
import sys
import time

for variable in ("GND_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["GND_DEVICE"] = "cpu"
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "oracle"), str(ROOT / "tests" / "oracle" / "resample")]

import numpy as np  # noqa: E402
from scipy import signal  # noqa: E402

import gnd  # noqa: E402
import peers_signal  # noqa: E402
from peers_linalg import size  # noqa: E402
from test_resample import options  # noqa: E402

CONVOLUTIONS = [(n, taps, dtype) for dtype in ("float32", "float64") for n, taps in
                ((size(2**20), 5), (size(2**20), 16), (size(2**20), 64), (size(2**20), 128), (size(2**18), 1000))]


def window(name, parameters):
    """gnd's call with SciPy's parameters."""
    n = size(peers_signal.LINE)
    special = {"exponential": ("exponential", (np.nan, 1.0)), "general_cosine": (None, None)}
    name, parameters = special.get(name, (name, parameters))
    if name is None:
        weights = (ctypes.c_double * 3)(0.42, 0.5, 0.08)
        return lambda: gnd.function("gnd_general_cosine")(n, 3, weights, True, "float64")
    call = gnd.function("gnd_" + name)
    return lambda: call(n, *parameters, True, "float64")


def peaks(x, **fields):
    found = gnd.STRUCTS["gnd_peaks"]()
    given = {}
    for name, value in fields.items():
        given[name] = value if name == "distance" else at_least(value)
    gnd.find_peaks(found, x, options("gnd_find_peaks_options", **given))
    gnd.peaks_release(found)


def at_least(value):
    condition = gnd.STRUCTS["gnd_peak_condition"](wanted=True)
    condition.least, condition.most = gnd.arg(value), gnd.arg(None)
    return condition


def argrelmax(x):
    room = (ctypes.c_void_p * 1)()
    gnd.argrelmax(x, 0, 1, False, ctypes.addressof(room))
    return gnd.Array(room[0])


def ours(name, x):
    """gnd's call of a row of peers_signal.py, or None."""
    kind, _, rest = name.partition(".")
    if kind == "win":
        rest = rest.removesuffix("_1e7")
        return window(rest, peers_signal.WINDOWS[rest])
    if "chirp" in name:
        method = getattr(gnd, "CHIRP_" + rest.split("_")[1].upper())
        return lambda: gnd.chirp(x, 1.0, 10.0, 6.0, options("gnd_chirp_options", method=method))
    calls = {
        "wave.gausspulse_1e7": lambda: gnd.gausspulse(x, 5.0, 0.5, -6.0, None, None),
        "wave.square_1e7": lambda: gnd.square_wave(x, 0.5),
        "wave.sawtooth_1e7": lambda: gnd.sawtooth(x, 0.5),
        "wave.sweep_poly_1e7": lambda: gnd.sweep_poly(x, 4, (ctypes.c_double * 4)(0.025, -0.36, 1.25, 2), 0.0),
        "peaks.argrelmax_1e7": lambda: argrelmax(x),
        "peaks.find_peaks_1e7": lambda: peaks(x),
        "peaks.find_peaks_height_1e7": lambda: peaks(x, height=0.5),
        "peaks.find_peaks_distance_1e6": lambda: peaks(x, distance=10.0),
        "peaks.find_peaks_prominence_1e6": lambda: peaks(x, prominence=0.5),
    }
    return calls.get(name)


def cases():
    """The name, gnd's call and SciPy's."""
    g = np.random.default_rng(0)
    for n, taps, dtype in CONVOLUTIONS:
        x, h = g.standard_normal(n).astype(dtype), g.standard_normal(taps).astype(dtype)
        a, b = gnd.from_numpy(x), gnd.from_numpy(h)
        yield (f"correlate direct {n} x {taps} {dtype}",
               lambda a=a, b=b: gnd.correlate_nd(a, b, gnd.FULL, gnd.CONVOLVE_DIRECT),
               lambda x=x, h=h: signal.correlate(x, h, "full", "direct"))
    rows = []
    peers_signal.array_rows(np, lambda shape: g.random(shape, "float32"), lambda *row: rows.append(row))
    for name, prepare, run in rows:
        operands = prepare()
        x = operands[0] if operands else None
        call = ours(name, gnd.from_numpy(x) if operands else None) if name != "wave.max_len_seq_2p20" else None
        if call:
            yield name, call, lambda run=run, operands=operands: run(*operands)


def clock(call):
    start = time.thread_time()
    result = call()
    return time.thread_time() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print("| row | gnd, ms | SciPy, ms | SciPy / gnd |\n|---|---:|---:|---:|")
    for name, mine, theirs in cases():
        if not re.search(options.only, name):
            continue
        mine(), theirs()
        times = [(clock(mine), clock(theirs)) for _ in range(options.rounds)]
        a, b = (1e3 * min(column) for column in zip(*times))
        print(f"| {name} | {a:.3g} | {b:.3g} | {b / a:.2f} |", flush=True)


if __name__ == "__main__":
    main()
