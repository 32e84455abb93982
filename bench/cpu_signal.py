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
sys.path[:0] = [str(ROOT / "bench" / "peers"), str(ROOT / "tests" / "oracle"),
                str(ROOT / "tests" / "oracle" / "resample")]

import numpy as np  # noqa: E402
from scipy import signal  # noqa: E402

import gnd  # noqa: E402
import peers_signal  # noqa: E402
from peers_rows import Rows  # noqa: E402
from test_resample import options  # noqa: E402

SMALL = os.environ.get("GND_BENCH_SMALL", "0") not in ("", "0")
CONVOLUTIONS = [(n // 32 if SMALL else n, taps, dtype) for dtype in ("float32", "float64") for n, taps in
                ((2**20, 5), (2**20, 16), (2**20, 64), (2**20, 128), (2**18, 1000))]


def window(name, n, *parameters):
    """gnd's call with the parameters that the row states."""
    call = gnd.function("gnd_" + name)
    if name == "general_cosine":
        weights = (ctypes.c_double * len(parameters))(*parameters)
        return lambda: call(n, len(parameters), weights, True, "float64")
    if name == "exponential":
        parameters = (np.nan, *parameters)
    if name == "taylor":
        parameters = (*parameters, True)
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


def ours(name, x=None, *p):
    """gnd's call of a row of peers_signal.py with the operands that the row states, or None."""
    kind, _, rest = name.partition(".")
    if kind == "win":
        return window(rest.removesuffix("_1e7"), x, *p)
    if kind not in ("wave", "peaks"):
        return None
    p = [float(each) for each in p]
    if "chirp" in name:
        method = getattr(gnd, "CHIRP_" + rest.split("_")[1].upper())
        return lambda: gnd.chirp(x, *p, options("gnd_chirp_options", method=method))
    calls = {
        "wave.gausspulse_1e7": lambda: gnd.gausspulse(x, *p, 0.5, -6.0, None, None),
        "wave.square_1e7": lambda: gnd.square_wave(x, *p),
        "wave.sawtooth_1e7": lambda: gnd.sawtooth(x, *p),
        "wave.sweep_poly_1e7": lambda: gnd.sweep_poly(x, len(p), (ctypes.c_double * len(p))(*p), 0.0),
        "peaks.argrelmax_1e7": lambda: argrelmax(x),
        "peaks.find_peaks_1e7": lambda: peaks(x),
        "peaks.find_peaks_height_1e7": lambda: peaks(x, height=p[0]),
        "peaks.find_peaks_distance_1e6": lambda: peaks(x, distance=p[0]),
        "peaks.find_peaks_prominence_1e6": lambda: peaks(x, prominence=p[0]),
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
    program = pathlib.Path(gnd.LIBRARY).resolve().parents[1] / "bench" / "bench"
    rows = Rows(program, np, lambda *shape, dtype="float32": g.random(shape, "float32").astype(dtype))
    peers_signal.array_rows(np, rows)
    for name, (prepare, run) in rows.items():
        stated = [rows.operand(said) for said in rows.listed[name]]
        call = ours(name, *(gnd.from_numpy(x) if isinstance(x, np.ndarray) else x for x in stated))
        if call:
            operands = prepare()
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
