"""What the first fused call of a fresh process costs the peers: first_fuse.c for cupy.fuse and torch.compile.

    first_fuse.py cupy|torch sqdiff|gaussian|hidden wall|device     prints one JSON object

The caches of compiled code are where the environment says (CUPY_CACHE_DIR, TORCHINDUCTOR_CACHE_DIR,
TRITON_CACHE_DIR): bench/run.py gives empty ones, and then the same again.
"""

import json
import sys
import time

import peers_fuse

AGAIN, QUEUED = 11, 1500
N = 10**8


def cupy_calls(workload):
    import cupy

    x, y = cupy.full(N, 0.3, cupy.float32), cupy.full(N, 0.7, cupy.float32)
    out = x + y
    fused = cupy.fuse(kernel_name=workload)(peers_fuse.WORKLOADS[workload](cupy))
    event = cupy.cuda.Event
    return ((lambda: fused(x, y)), (lambda: cupy.add(x, y, out=out)), cupy.cuda.Device().synchronize, event,
            lambda start, end: cupy.cuda.get_elapsed_time(start, end))


def torch_calls(workload):
    import torch

    torch.set_default_device("cuda")
    x, y = torch.full((N,), 0.3), torch.full((N,), 0.7)
    out = x + y
    fused = torch.compile(peers_fuse.WORKLOADS[workload](torch))
    event = lambda: torch.cuda.Event(enable_timing=True)
    return ((lambda: fused(x, y)), (lambda: torch.add(x, y, out=out)), torch.cuda.synchronize, event,
            lambda start, end: start.elapsed_time(end))


def main(library, workload, kind):
    run, busy, wait, event, elapsed = {"cupy": cupy_calls, "torch": torch_calls}[library](workload)
    wait()

    def wall(_):
        start = time.perf_counter()
        run()
        wait()
        return 1e3 * (time.perf_counter() - start)

    def device(queued):
        start, end = event(), event()
        for _ in range(queued):
            busy()
        start.record()
        run()
        end.record()
        wait()
        return elapsed(start, end)

    measure = wall if kind == "wall" else device
    first = measure(QUEUED)
    again = sorted(measure(20) for _ in range(AGAIN))
    print(json.dumps({"first_ms": first, "again_ms": again[AGAIN // 2]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
