"""What the first fused call of a fresh process costs the peers: first_fuse.c for cupy.fuse and torch.compile.

    first_fuse.py cupy|torch sqdiff|gaussian|hidden     prints one JSON object: milliseconds of the wall

It says "ready" when its operands are there, and begins when it is told anything: run.py makes several ready beside
each other, and times one at a time.

The caches of compiled code are where the environment says (CUPY_CACHE_DIR, TORCHINDUCTOR_CACHE_DIR,
TRITON_CACHE_DIR): bench/run.py gives empty ones, and then the same again.
"""

import json
import sys
import time

import peers_fuse

AGAIN = 11
N = 10**8


def cupy_calls(workload):
    import cupy

    x, y = cupy.full(N, 0.3, cupy.float32), cupy.full(N, 0.7, cupy.float32)
    fused = cupy.fuse(kernel_name=workload)(peers_fuse.WORKLOADS[workload](cupy))
    return (lambda: fused(x, y)), cupy.cuda.Device().synchronize


def torch_calls(workload):
    import torch

    torch.set_default_device("cuda")
    x, y = torch.full((N,), 0.3), torch.full((N,), 0.7)
    fused = torch.compile(peers_fuse.WORKLOADS[workload](torch))
    return (lambda: fused(x, y)), torch.cuda.synchronize


def main(library, workload):
    run, wait = {"cupy": cupy_calls, "torch": torch_calls}[library](workload)
    wait()
    print("ready", flush=True)
    sys.stdin.readline()

    def wall():
        start = time.perf_counter()
        run()
        wait()
        return 1e3 * (time.perf_counter() - start)

    first = wall()
    again = sorted(wall() for _ in range(AGAIN))
    print(json.dumps({"first_ms": first, "again_ms": again[AGAIN // 2]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
