"""Times the peers (CuPy, PyTorch, JAX, NumPy, numexpr) on the rows of bench/rows, by the same names and method.

    peers.py [--after ROW] cupy|torch|jax|numpy|numexpr [PATTERN ...]

Prints JSON, a line each: the library and its version, and for each row its name before it begins, and what it took.
With --after only the rows behind that one. peer_runs.py reads the lines, and gives up on rows that take too long.

The program of bench.c, which says what the operands of its rows are (peers_rows.py), is GND_BENCH in the environment,
or build/bench/bench.

Microseconds a call, back to back with one wait at the end, median of batches of at least 10 ms after
a warm-up (of a few calls, where one takes longer than half a second; where one takes longer than two,
the second call's time, or NumPy's first, which compiles nothing): what bench.c does. NumPy runs on the host, on as
many threads as the environment says.
"""

import argparse
import json
import os
import sys
import time

import peers_anchor
import peers_fft
import peers_filter
import peers_convolve
import peers_fuse
import peers_graph
import peers_index
import peers_linalg
import peers_random
import peers_reduce
import peers_pictures
import peers_samples
import peers_radar
import peers_signal
from peers_jax import jax_rows
from peers_rows import Rows

BATCHES, BATCH_SECONDS, MAX_CALLS, SLOW_SECONDS = 15, 0.01, 20000, 0.5


def measure(run, wait, compiles):
    """`compiles`: whether a first call may be longer than others."""
    def batch(calls):
        start = time.perf_counter()
        for _ in range(calls):
            run()
        wait()
        return time.perf_counter() - start

    once = batch(1)
    if compiles or once < 4 * SLOW_SECONDS:
        if once < SLOW_SECONDS:
            batch(2)
        few = 2 if once < SLOW_SECONDS else 1
        once = batch(few) / few
    if once > 4 * SLOW_SECONDS:
        return {"us": 1e6 * once, "best_us": 1e6 * once}
    calls = min(int(BATCH_SECONDS / max(once, 1e-9)) + 1, MAX_CALLS)
    batches = 3 if once > SLOW_SECONDS else 5 if once * calls > 0.2 else BATCHES
    if os.environ.get("GND_BENCH_SMALL", "0") not in ("", "0"):
        calls, batches = 2, 3
    times = sorted(1e6 * batch(calls) / calls for _ in range(batches))
    return {"us": times[batches // 2], "best_us": times[0]}


def array_rows(xp, random, bench):
    """Rows in the language NumPy and CuPy share."""
    f32, f64 = xp.float32, xp.float64

    def make(*shape, dtype=f32):
        return random(shape).astype(dtype)

    row = Rows(bench, xp, make)
    row("small.add_1k", lambda x, y: x + y)
    row("small.add_out_1k", lambda x, y, out: xp.add(x, y, out=out))
    row("small.sum_1k", lambda x: x.sum())
    row("small.slice_1k", lambda x: x[10:900])
    row("small.empty_1k", lambda n: xp.empty(n, f32))
    row("ew.add_f32_1e8", lambda x, y: x + y)
    row("ew.exp_f32_1e8", lambda x: xp.exp(x))
    row("ew.add_scalar_f32_1e8", lambda x, y: x + y)
    row("ew.where_f32_1e8", lambda c, x, y: xp.where(c, x, y))
    row("ew.cast_f32_f64_1e8", lambda x: x.astype(f64))
    row("ew.strided2_f32_5e7", lambda x, y: x + y, lambda x, y: (x[::2], y[::2]))
    row("ew.add_transposed_1e8", lambda x, y: x + y, lambda x, y: (x, y.T))
    row("ew.copy_transposed_1e8", lambda x: xp.ascontiguousarray(x.T))
    row("ew.bcast_row_1e8", lambda x, y: x + y)
    row("ew.bcast_col_1e8", lambda x, y: x + y)
    row("ew.outer_add_1e8", lambda x, y: x + y)
    row("ew.add_mixed_f32_f64_1e8", lambda x, y: x + y)
    row("ew.mul_c64_5e7", lambda x: x * x)
    row("ew.add_f16_1e8", lambda x: x + x)
    peers_reduce.array_rows(xp, row)
    peers_index.array_rows(xp, row)
    peers_linalg.array_rows(xp, row)
    peers_fft.array_rows(xp, row)
    peers_filter.array_rows(xp, row)
    peers_convolve.array_rows(xp, row)
    peers_signal.array_rows(xp, row)
    peers_pictures.array_rows(xp, row)
    peers_samples.array_rows(xp, row)
    peers_graph.array_rows(xp, row)
    peers_fuse.array_rows(xp, row)
    peers_random.array_rows(xp, row)
    peers_radar.array_rows(xp, row)
    peers_anchor.array_rows(xp, row)
    return row


def numpy_rows(bench):
    import numpy

    generator = numpy.random.default_rng(1)
    rows = array_rows(numpy, lambda shape: generator.random(shape, numpy.float32), bench)
    return rows, lambda: None


def cupy_rows(bench):
    import cupy

    wait = cupy.cuda.Device().synchronize
    rows = array_rows(cupy, lambda shape: cupy.random.random(shape, dtype=cupy.float32), bench)

    def pinned(device):
        import numpy

        return device, numpy.frombuffer(cupy.cuda.alloc_pinned_memory(device.nbytes), numpy.uint8, device.nbytes)

    def pageable(device):
        import numpy

        return device, numpy.full(device.nbytes, 7, numpy.uint8)

    for host in (pinned, pageable):
        kind, blocking = host.__name__, host is pageable
        rows(f"xfer.h2d_{kind}_1GiB", lambda d, h: d.set(h), host)
        rows(f"xfer.d2h_{kind}_1GiB", lambda d, h, blocking=blocking: d.get(out=h, blocking=blocking), host)
    return rows, wait


def torch_rows(bench):
    import torch

    torch.set_default_device("cuda")
    def make(*shape, dtype=torch.float32):
        return torch.rand(*shape).to(dtype)

    rows = Rows(bench, torch, make)
    rows("small.add_1k", lambda x, y: x + y)
    rows("small.add_out_1k", lambda x, y, out: torch.add(x, y, out=out))
    rows("small.sum_1k", lambda x: x.sum())
    rows("small.slice_1k", lambda x: x[10:900])
    rows("small.empty_1k", torch.empty)
    rows("ew.add_f32_1e8", lambda x, y: x + y)
    rows("ew.exp_f32_1e8", torch.exp)
    rows("ew.add_scalar_f32_1e8", lambda x, y: x + y)
    rows("ew.where_f32_1e8", torch.where)
    rows("ew.cast_f32_f64_1e8", lambda x: x.to(torch.float64))
    rows("ew.strided2_f32_5e7", lambda x, y: x + y, lambda x, y: (x[::2], y[::2]))
    rows("ew.add_transposed_1e8", lambda x, y: x + y, lambda x, y: (x, y.T))
    rows("ew.copy_transposed_1e8", lambda x: x.T.contiguous())
    rows("ew.bcast_row_1e8", lambda x, y: x + y)
    rows("ew.bcast_col_1e8", lambda x, y: x + y)
    rows("ew.outer_add_1e8", lambda x, y: x + y)
    rows("ew.add_mixed_f32_f64_1e8", lambda x, y: x + y)
    rows("ew.mul_c64_5e7", lambda x: x * x)
    rows("ew.add_f16_1e8", lambda x: x + x)
    peers_index.torch_rows(torch, rows)
    peers_reduce.torch_rows(torch, rows)
    peers_linalg.torch_rows(torch, rows)
    peers_fft.torch_rows(torch, rows)
    peers_filter.torch_rows(torch, rows)
    peers_radar.torch_rows(torch, rows)
    peers_graph.torch_rows(torch, rows)
    peers_convolve.torch_rows(torch, rows)
    peers_fuse.torch_rows(torch, rows)
    peers_random.torch_rows(torch, rows)
    for kind in ("pinned", "pageable"):
        def host(device, kind=kind):
            return device, torch.full(device.shape, 7, dtype=device.dtype, device="cpu", pin_memory=kind == "pinned")

        rows(f"xfer.h2d_{kind}_1GiB", lambda d, h: d.copy_(h, non_blocking=True), host)
        rows(f"xfer.d2h_{kind}_1GiB", lambda d, h: h.copy_(d, non_blocking=True), host)
    return rows, torch.cuda.synchronize


def tell(**said):
    print(json.dumps(said), flush=True)


def main(library, patterns, after):
    bench = os.environ.get("GND_BENCH", "build/bench/bench")
    rows, wait = {"numpy": numpy_rows, "cupy": cupy_rows, "torch": torch_rows, "jax": jax_rows,
                  "numexpr": peers_fuse.numexpr_rows}[library](bench)
    module = sys.modules[library]
    tell(name=library, version=module.__version__)
    names = list(rows)
    for name in names[names.index(after) + 1 if after else 0:]:
        prepare, run = rows[name]
        if patterns and not any(pattern in name for pattern in patterns):
            continue
        operands = None
        tell(begins=name)
        try:
            operands = prepare()
            tell(row=name, took=measure(lambda: run(*operands), wait, library != "numpy"))
        except Exception as error:  # a function or an option that this version does not have
            print(f"{library}: {name}: {error}", file=sys.stderr)
        del operands
        if library == "cupy":
            module.get_default_memory_pool().free_all_blocks()
        elif library == "torch":
            module.cuda.empty_cache()
        elif library == "jax":
            module.clear_caches()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--after")
    parser.add_argument("library")
    parser.add_argument("patterns", nargs="*")
    given = parser.parse_args()
    main(given.library, given.patterns, given.after)
