"""first_calls.py: what the first call of every public function costs in a fresh process, and the slowest ten.

    GND_LIBRARY=build/src/libgnd.so first_calls.py [--json FILE] [--count N]

One process calls all functions, one after the other, each with a few sets of small arguments, and waits behind each
call. The first call of a function is its dearest: what is above its cheapest is loading kernels, planning and what
the pool asks of the driver. CUDA's context and NVIDIA's own libraries are loaded before anything is timed. Kernels
that an earlier function has loaded are not loaded again, so a function's figure is that of what it adds.

Some functions wait for what NVIDIA's libraries load for each new size or routine: they are named apart (NVIDIA).
"""

import argparse
import gc
import json
import os
import pathlib
import random
import sys
import tempfile
import time

ORACLE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "oracle"
sys.path[:0] = [str(ORACLE), str(ORACLE / "common")]

import gnd  # noqa: E402
import test_names as driver  # noqa: E402  # its arguments fit all functions

TRIES = 5
# They wait for somebody, compile, or write what is not theirs.
LEFT_OUT = ("gnd_benchmark", "gnd_kernel", "gnd_module", "gnd_launch", "gnd_save", "gnd_load", "gnd_npz", "gnd_memory",
            "gnd_library")

# What their first calls wait for, as CUPTI saw on an H200 (CUDA 13.0): a kernel that cuFFT makes for a plan takes 13 to
# 68 ms, the module of cuBLAS's trsm 5 ms.
NVIDIA = {"gnd_eig": "cuSOLVER", "gnd_eigvals": "cuSOLVER", "gnd_solve_triangular": "cuBLAS",
          **{f"gnd_{name}": "cuFFT" for name in ("ambgfun", "convolve_nd", "dst", "dstn", "envelope", "fft2",
                                                 "fftconvolve", "hilbert", "hilbert2", "idctn", "irfft", "irfft2",
                                                 "pulse_compression", "resample", "zoom_fft")}}


def times(name, operands, folder):
    """Milliseconds of the calls that succeed, in their order."""
    found = []
    for attempt in range(3 * TRIES):
        given = driver.Given(random.Random(attempt), operands, folder)
        given.mild = True
        driver.fail_at(0)
        driver.gnd.lib.gnd_sync()
        begin = time.perf_counter()
        errors = driver.call(name, given, fails=0)
        found += [] if errors else [1e3 * (time.perf_counter() - begin)]
        if len(found) == TRIES:
            break
    return found


def warm_up(operands, folder):
    """NVIDIA's libraries are loaded at first use; their cost is not gnd's."""
    for name in ("gnd_matmul", "gnd_det", "gnd_svd", "gnd_fft", "gnd_rfft2"):
        times(name, operands, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=10)
    options = parser.parse_args()
    scratch = tempfile.TemporaryDirectory()
    folder = pathlib.Path(scratch.name)
    os.chdir(folder)
    operands = driver.arrays()
    driver.make_objects()
    warm_up(operands, folder)
    gc.disable()  # Python's own collection of what is no longer used takes as long as the dearest calls
    found = {}
    for name in driver.NAMES:
        if not name.startswith(LEFT_OUT):
            measured = times(name, operands, folder)
            if len(measured) > 1:
                found[name] = max(measured) - min(measured)
    slowest = sorted(found.items(), key=lambda item: -item[1])
    if options.json:
        options.json.write_text(json.dumps(dict(slowest), indent=1))
    slow = [name for name, ms in slowest if ms > 3]
    waiting = [name for name in slow if name in NVIDIA]
    print(f"{len(found)} functions; {len(slow)} take more than 3 ms at first, {len(waiting)} of them for NVIDIA's code")
    for name, ms in slowest[:options.count + len(waiting)]:
        print(f"{name:36}{ms:8.2f} ms  {NVIDIA.get(name, '')}".rstrip())


if __name__ == "__main__":
    main()
