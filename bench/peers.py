"""Times the peers (CuPy, PyTorch, NumPy, numexpr) on the rows of rows*.c, by the same names and method.

    peers.py cupy|torch|numpy|numexpr [PATTERN ...]     prints one JSON object

Microseconds a call, back to back with one wait at the end, median of batches of at least 10 ms after
a warm-up (of a few calls, where one takes longer than half a second; where one takes longer than two,
the second call's time): what bench.c does. NumPy runs on the host, on as many threads as the
environment says.
"""

import json
import sys
import time

import peers_fft
import peers_filter
import peers_convolve
import peers_fuse
import peers_index
import peers_linalg
import peers_random
import peers_reduce
import peers_pictures
import peers_samples
import peers_signal

N = 10**8
SIDE = 10**4
GIB = 1 << 30
BATCHES, BATCH_SECONDS, MAX_CALLS, SLOW_SECONDS = 15, 0.01, 20000, 0.5


def measure(run, wait):
    def batch(calls):
        start = time.perf_counter()
        for _ in range(calls):
            run()
        wait()
        return time.perf_counter() - start

    once = batch(1)
    if once < SLOW_SECONDS:
        batch(2)
    few = 2 if once < SLOW_SECONDS else 1
    once = batch(few) / few
    if once > 4 * SLOW_SECONDS:
        return {"us": 1e6 * once, "best_us": 1e6 * once}
    calls = min(int(BATCH_SECONDS / max(once, 1e-9)) + 1, MAX_CALLS)
    batches = 3 if once > SLOW_SECONDS else 5 if once * calls > 0.2 else BATCHES
    if peers_linalg.SMALL:
        calls, batches = 2, 3
    times = sorted(1e6 * batch(calls) / calls for _ in range(batches))
    return {"us": times[batches // 2], "best_us": times[0]}


def array_rows(xp, random, wait):
    """Rows in the language NumPy and CuPy share: name -> (prepare, run)."""
    f32, f64, f16, c64 = xp.float32, xp.float64, xp.float16, xp.complex64

    def make(*shape, dtype=f32):
        return random(shape).astype(dtype)

    rows = {}

    def row(name, prepare, run):
        rows[name] = (prepare, run)

    row("small.add_1k", lambda: (make(1000), make(1000)), lambda x, y: x + y)
    row("small.add_out_1k", lambda: (make(1000), make(1000), make(1000)), lambda x, y, out: xp.add(x, y, out=out))
    row("small.sum_1k", lambda: (make(1000),), lambda x: x.sum())
    row("small.slice_1k", lambda: (make(1000),), lambda x: x[10:900])
    row("small.empty_1k", lambda: (), lambda: xp.empty(1000, f32))
    row("ew.add_f32_1e8", lambda: (make(N), make(N)), lambda x, y: x + y)
    row("ew.exp_f32_1e8", lambda: (make(N),), lambda x: xp.exp(x))
    row("ew.add_scalar_f32_1e8", lambda: (make(N),), lambda x: x + 2.5)
    row("ew.where_f32_1e8", lambda: (make(N) > 0.5, make(N), make(N)), lambda c, x, y: xp.where(c, x, y))
    row("ew.cast_f32_f64_1e8", lambda: (make(N),), lambda x: x.astype(f64))
    row("ew.strided2_f32_5e7", lambda: (make(N)[::2], make(N)[::2]), lambda x, y: x + y)
    row("ew.add_transposed_1e8", lambda: (make(SIDE, SIDE), make(SIDE, SIDE).T), lambda x, y: x + y)
    row("ew.copy_transposed_1e8", lambda: (make(SIDE, SIDE),), lambda x: xp.ascontiguousarray(x.T))
    row("ew.bcast_row_1e8", lambda: (make(SIDE, SIDE), make(1, SIDE)), lambda x, y: x + y)
    row("ew.bcast_col_1e8", lambda: (make(SIDE, SIDE), make(SIDE, 1)), lambda x, y: x + y)
    row("ew.outer_add_1e8", lambda: (make(1, SIDE), make(SIDE, 1)), lambda x, y: x + y)
    row("ew.add_mixed_f32_f64_1e8", lambda: (make(N), make(N, dtype=f64)), lambda x, y: x + y)
    row("ew.mul_c64_5e7", lambda: (make(N // 2, dtype=c64),), lambda x: x * x)
    row("ew.add_f16_1e8", lambda: (make(N, dtype=f16),), lambda x: x + x)
    peers_reduce.array_rows(xp, make, row)
    peers_index.array_rows(xp, make, row)
    peers_linalg.array_rows(xp, make, row)
    peers_fft.array_rows(xp, make, row)
    peers_filter.array_rows(xp, make, row)
    peers_convolve.array_rows(xp, make, row)
    peers_signal.array_rows(xp, make, row)
    peers_pictures.array_rows(xp, make, row)
    peers_samples.array_rows(xp, make, row)
    peers_fuse.array_rows(xp, make, row)
    peers_random.array_rows(xp, make, row)
    return rows


def numpy_rows():
    import numpy

    generator = numpy.random.default_rng(1)
    rows = array_rows(numpy, lambda shape: generator.random(shape, numpy.float32), None)
    return rows, lambda: None


def cupy_rows():
    import cupy

    wait = cupy.cuda.Device().synchronize
    rows = array_rows(cupy, lambda shape: cupy.random.random(shape, dtype=cupy.float32), wait)
    device = lambda: cupy.zeros(GIB, cupy.uint8)

    def pinned():
        import numpy

        return numpy.frombuffer(cupy.cuda.alloc_pinned_memory(GIB), numpy.uint8, GIB)

    def pageable():
        import numpy

        return numpy.full(GIB, 7, numpy.uint8)

    for kind, host in (("pinned", pinned), ("pageable", pageable)):
        blocking = kind == "pageable"
        rows[f"xfer.h2d_{kind}_1GiB"] = (lambda host=host: (device(), host()), lambda d, h: d.set(h))
        rows[f"xfer.d2h_{kind}_1GiB"] = (
            lambda host=host: (device(), host()),
            lambda d, h, blocking=blocking: d.get(out=h, blocking=blocking),
        )
    return rows, wait


def torch_rows():
    import torch

    torch.set_default_device("cuda")
    f64, f16, c64 = torch.float64, torch.float16, torch.complex64

    def make(*shape, dtype=torch.float32):
        return torch.rand(*shape).to(dtype)

    rows = {
        "small.add_1k": (lambda: (make(1000), make(1000)), lambda x, y: x + y),
        "small.add_out_1k": (lambda: (make(1000), make(1000), make(1000)), lambda x, y, out: torch.add(x, y, out=out)),
        "small.sum_1k": (lambda: (make(1000),), lambda x: x.sum()),
        "small.slice_1k": (lambda: (make(1000),), lambda x: x[10:900]),
        "small.empty_1k": (lambda: (), lambda: torch.empty(1000)),
        "ew.add_f32_1e8": (lambda: (make(N), make(N)), lambda x, y: x + y),
        "ew.exp_f32_1e8": (lambda: (make(N),), torch.exp),
        "ew.add_scalar_f32_1e8": (lambda: (make(N),), lambda x: x + 2.5),
        "ew.where_f32_1e8": (lambda: (make(N) > 0.5, make(N), make(N)), torch.where),
        "ew.cast_f32_f64_1e8": (lambda: (make(N),), lambda x: x.to(f64)),
        "ew.strided2_f32_5e7": (lambda: (make(N)[::2], make(N)[::2]), lambda x, y: x + y),
        "ew.add_transposed_1e8": (lambda: (make(SIDE, SIDE), make(SIDE, SIDE).T), lambda x, y: x + y),
        "ew.copy_transposed_1e8": (lambda: (make(SIDE, SIDE),), lambda x: x.T.contiguous()),
        "ew.bcast_row_1e8": (lambda: (make(SIDE, SIDE), make(1, SIDE)), lambda x, y: x + y),
        "ew.bcast_col_1e8": (lambda: (make(SIDE, SIDE), make(SIDE, 1)), lambda x, y: x + y),
        "ew.outer_add_1e8": (lambda: (make(1, SIDE), make(SIDE, 1)), lambda x, y: x + y),
        "ew.add_mixed_f32_f64_1e8": (lambda: (make(N), make(N, dtype=f64)), lambda x, y: x + y),
        "ew.mul_c64_5e7": (lambda: (make(N // 2, dtype=c64),), lambda x: x * x),
        "ew.add_f16_1e8": (lambda: (make(N, dtype=f16),), lambda x: x + x),
    }
    rows.update(peers_index.torch_rows(torch, make))
    rows.update(peers_reduce.torch_rows(torch, make))
    rows.update(peers_linalg.torch_rows(torch, make))
    rows.update(peers_fft.torch_rows(torch, make))
    rows.update(peers_filter.torch_rows(torch, make))
    rows.update(peers_convolve.torch_rows(torch, make))
    rows.update(peers_fuse.torch_rows(torch, make))
    rows.update(peers_random.torch_rows(torch, make))
    for kind in ("pinned", "pageable"):
        host = lambda kind=kind: torch.full((GIB,), 7, dtype=torch.uint8, device="cpu", pin_memory=kind == "pinned")
        device = lambda: torch.zeros(GIB, dtype=torch.uint8)
        rows[f"xfer.h2d_{kind}_1GiB"] = (
            lambda host=host: (device(), host()),
            lambda d, h: d.copy_(h, non_blocking=True),
        )
        rows[f"xfer.d2h_{kind}_1GiB"] = (
            lambda host=host: (device(), host()),
            lambda d, h: h.copy_(d, non_blocking=True),
        )
    return rows, torch.cuda.synchronize


def main(library, patterns):
    rows, wait = {"numpy": numpy_rows, "cupy": cupy_rows, "torch": torch_rows,
                  "numexpr": peers_fuse.numexpr_rows}[library]()
    module = sys.modules[library]
    result = {"device": {"name": library, "version": module.__version__}}
    for name, (prepare, run) in rows.items():
        if patterns and not any(pattern in name for pattern in patterns):
            continue
        operands = None
        try:
            operands = prepare()
            result[name] = measure(lambda: run(*operands), wait)
        except Exception as error:  # a function or an option that this version does not have
            print(f"{library}: {name}: {error}", file=sys.stderr)
        del operands
        if library == "cupy":
            module.get_default_memory_pool().free_all_blocks()
        elif library == "torch":
            module.cuda.empty_cache()
    json.dump(result, sys.stdout, indent=1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
