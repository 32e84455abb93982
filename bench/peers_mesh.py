"""Times the peers on the rows of rows_mesh*.c, by the same names and method.

    launch_ranks.py python3 peers_mesh.py torch [PATTERN ...]    PyTorch, calls of NCCL by hand, and DTensor
    python3 peers_mesh.py jax [PATTERN ...]                      JAX: one process, all GPUs that it sees

Prints, on the first rank, one JSON object: rows of DTensor are "dtensor:" and the name. "@weak" rows have as much for
each rank. Microseconds a call, from a barrier to the end of the slowest rank's work, median of batches. With
GND_BENCH_SMALL=1 rows are small; without a GPU PyTorch goes over gloo, which shows that rows run.
"""

import json
import math
import os
import sys
import time

SMALL = os.environ.get("GND_BENCH_SMALL", "0") not in ("", "0")
BATCHES, BATCH_SECONDS, MOST_CALLS = 9, 0.05, 2000
SIZES = {"1KiB": 1 << 10, "32KiB": 1 << 15, "1MiB": 1 << 20, "16MiB": 1 << 24, "64MiB": 1 << 26, "128MiB": 1 << 27,
         "1GiB": 1 << 30}


def size(n):
    return n if not SMALL or n <= 64 else max(n // 64, 64)


def measure(run, begin, end):
    """`begin` waits for all ranks, `end` for the work, and gives the slowest rank's time."""
    def batch(calls):
        begin()
        start = time.perf_counter()
        for _ in range(calls):
            run()
        return end(start) / calls

    once = batch(1)
    if once < 1:
        once = batch(2)
    batches = 3 if once > 0.5 else BATCHES
    calls = int(BATCH_SECONDS / once) + 1 if once * MOST_CALLS > BATCH_SECONDS else MOST_CALLS
    if SMALL:
        batches, calls = 1, 2
    return 1e6 * sorted(batch(calls) for _ in range(batches))[batches // 2]


class Rows:
    """Rows are (name, function of `times` that makes what is called); `fixed` ones have no weak variant."""

    def __init__(self, patterns):
        self.patterns, self.rows = patterns, []

    def __call__(self, name, make, fixed=False):
        if not self.patterns or any(pattern in name for pattern in self.patterns):
            self.rows.append((name, make, fixed))

    def run(self, ranks, first, measured, forget):
        for name, make, fixed in self.rows:
            for weak in (False,) if fixed or ranks == 1 else (False, True):
                text = name + ("@weak" if weak else "")
                try:
                    us = measured(make(ranks if weak else 1))
                except Exception as error:  # a row that a library cannot do, or has no memory for
                    print(f"{text}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
                    us = None
                forget()
                if first and us is not None:
                    print(f',\n  "{text}": {{"us": {us:.2f}}}', end="", flush=True)


# ---- PyTorch --------------------------------------------------------------------------------------------------------


def torch_rows(row, torch, dist, device, ranks, rank):
    """By hand: each rank has its block, and calls NCCL where blocks must be combined."""
    f32 = torch.float32

    def line(n, times, dtype=f32):
        return torch.rand(size(n) * times // ranks, dtype=dtype, device=device)

    def table(rows, columns, times, dtype=f32):
        return torch.rand(size(rows) * times // ranks, size(columns), dtype=dtype, device=device)

    def add(times):
        x, y = line(200_000_000, times), line(200_000_000, times)
        return lambda: x + y

    def total(n):
        def make(times):
            x = line(n, times)

            def run():
                s = x.sum()
                dist.all_reduce(s)
            return run
        return make

    def sum_axis0(times):
        x = table(20000, 10000, times)

        def run():
            s = x.sum(0)
            dist.all_reduce(s)
        return run

    def sum_axis1(times):
        x = table(20000, 10000, times)
        return lambda: x.sum(1)

    def meanvar(times):
        x = line(400_000_000, times)
        parts = torch.empty(ranks, 2, device=device)

        def run():
            var, mean = torch.var_mean(x, correction=0)
            dist.all_gather_into_tensor(parts, torch.stack([mean, var])[None])
            mean = parts[:, 0].mean()
            return mean, parts[:, 1].mean() + (parts[:, 0] - mean).square().mean()
        return run

    def softmax(times):
        x = torch.rand(size(4096), size(100_000) * times // ranks, device=device)

        def run():
            top = x.amax(1, keepdim=True)
            dist.all_reduce(top, dist.ReduceOp.MAX)
            e = torch.exp(x - top)
            s = e.sum(1, keepdim=True)
            dist.all_reduce(s)
            return e.div_(s)
        return run

    def to_columns(x):
        n = x.shape[1] // ranks
        send = x.reshape(x.shape[0], ranks, n).transpose(0, 1).contiguous()
        got = torch.empty_like(send)
        dist.all_to_all_single(got, send)
        return got.reshape(-1, n)

    def reshard(n):
        def make(times):
            x = table(n, n, times)
            return lambda: to_columns(x)
        return make

    def transpose(times):
        x = table(32768, 32768, times)
        return lambda: to_columns(x).t().contiguous()

    def stencil(times):
        n = size(32768)
        fields = [torch.zeros(n * times // ranks + 2, n, device=device) for _ in range(2)]
        fields[0][1:-1, 1:-1] = torch.rand(n * times // ranks, n - 2, device=device)

        def step(u, v):
            v[1:-1, 1:-1] = (u[1:-1, 2:] + u[1:-1, :-2] + u[:-2, 1:-1] + u[2:, 1:-1]) * 0.25

        if device.type == "cuda":
            step = torch.compile(step)

        def run():
            for k in range(100):
                u, v = fields[k % 2], fields[1 - k % 2]
                moves = []
                if rank > 0:
                    moves += [dist.P2POp(dist.isend, u[1], rank - 1), dist.P2POp(dist.irecv, u[0], rank - 1)]
                if rank + 1 < ranks:
                    moves += [dist.P2POp(dist.isend, u[-2], rank + 1), dist.P2POp(dist.irecv, u[-1], rank + 1)]
                for work in dist.batch_isend_irecv(moves) if moves else []:
                    work.wait()
                step(u, v)
        return run

    def product(name, dtype, left, right):
        """Layouts S0, S1 and R of both sides; what is split along the inner axis is gathered or summed up."""
        def make(times):
            n = size(16384)
            rows, part = n * times // ranks, n // ranks
            a = torch.rand(rows, n, device=device, dtype=dtype) if left == "S0" else \
                torch.rand(n * times, part, device=device, dtype=dtype)
            b = torch.rand(n if right == "R" else part, n, device=device, dtype=dtype)
            whole = torch.empty(n, n, device=device, dtype=dtype) if right == "S0" and left == "S0" else None
            mine = torch.empty(rows, n, device=device, dtype=dtype) if left == "S1" else None

            def run():
                if left == "S1":
                    dist.reduce_scatter_tensor(mine, a @ b)
                    return mine
                if right == "R":
                    return a @ b
                dist.all_gather_into_tensor(whole, b)
                return a @ whole
            return run
        row(name, make)

    def fft2(back):
        def make(times):
            n = size(16384)
            x = torch.randn(n * times // ranks, n, dtype=torch.complex64, device=device)

            def run():
                y = torch.fft.fft(to_columns(torch.fft.fft(x, dim=1)), dim=0)
                return to_columns(y.t().contiguous()).t().contiguous() if back else y
            return run
        return make

    def fft3(times):
        n = size(512)
        x = torch.randn(n * times // ranks, n, n, dtype=torch.complex64, device=device)

        def run():
            y = torch.fft.fft2(x).reshape(x.shape[0], ranks, n // ranks, n).transpose(0, 1).contiguous()
            got = torch.empty_like(y)
            dist.all_to_all_single(got, y)
            return torch.fft.fft(got.reshape(-1, n // ranks, n), dim=0)
        return run

    def cumsum(times):
        x = line(400_000_000, times)
        totals = torch.empty(ranks, device=device)

        def run():
            s = torch.cumsum(x, 0)
            dist.all_gather_into_tensor(totals, s[-1:].clone())
            return s.add_(totals[:rank].sum())
        return run

    def histogram(times):
        x = line(400_000_000, times)

        def run():
            h = torch.histc(x, 256, 0, 1)
            dist.all_reduce(h)
        return run

    def bincount(times):
        x = torch.randint(0, 1000, (size(400_000_000) * times // ranks,), device=device)

        def run():
            h = torch.bincount(x, minlength=1000)
            dist.all_reduce(h)
        return run

    row("ew.add_f32_2e8", add)
    row("red.sum_f32_2e8", total(200_000_000))
    row("red.sum_f32_1e9", total(1_000_000_000))
    row("red.sum_axis0_20000x10000", sum_axis0)
    row("red.sum_axis1_20000x10000", sum_axis1)
    row("red.meanvar_f32_4e8", meanvar)
    row("red.softmax_4096x1e5_across", softmax)
    row("stencil.5pt_32768_100", stencil)
    row("resh.S0toS1_32768", reshard(32768))
    row("resh.T_32768", transpose)
    for name, dtype in (("f32", f32), ("bf16", torch.bfloat16), ("f64", torch.float64)):
        for left, right in (("S0", "R"), ("S0", "S0"), ("S1", "S0")):
            product(f"mm.{name}_{left}x{right}", dtype, left, right)
    row("fft.c64_2d_16384", fft2(False))
    row("fft.c64_2d_16384_back", fft2(True))
    row("fft.c64_3d_512", fft3)
    row("rng.normal_f32_4e8", lambda times: lambda: torch.randn(size(400_000_000) * times // ranks, device=device))
    row("scan.cumsum_f32_4e8", cumsum)
    row("hist.histogram256_4e8", histogram)
    row("hist.bincount1000_4e8", bincount)
    torch_moves(row, torch, dist, device, ranks)


def torch_moves(row, torch, dist, device, ranks):
    """Communication alone: what NCCL takes by way of PyTorch."""
    if ranks == 1:
        return
    row("comm.barrier", lambda times: dist.barrier, fixed=True)
    for name, n in SIZES.items():
        def gather(times, n=n):
            part = torch.rand(size(n) // ranks // 4, device=device)
            whole = torch.empty(ranks * part.numel(), device=device)
            return lambda: dist.all_gather_into_tensor(whole, part)

        def exchange(times, n=n):
            part = torch.rand(ranks * (size(n) // ranks // 4), device=device)
            got = torch.empty_like(part)
            return lambda: dist.all_to_all_single(got, part)

        def reduce(times, n=n):
            x = torch.zeros(size(n) // 4, device=device)
            return lambda: dist.all_reduce(x)

        row(f"comm.all_gather_{name}", gather, fixed=True)
        row(f"comm.all_to_all_{name}", exchange, fixed=True)
        row(f"comm.all_reduce_{name}", reduce, fixed=True)


def dtensor_rows(row, torch, device, ranks):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor, Replicate, Shard

    mesh = init_device_mesh(device.type, (ranks,))

    def made(placement, *shape, dtype=torch.float32):
        local = list(shape)
        if isinstance(placement, Shard):
            local[placement.dim] //= ranks
        return DTensor.from_local(torch.rand(*local, device=device, dtype=dtype), mesh, [placement], run_check=False)

    def line(n, times):
        return made(Shard(0), size(n) * times)

    def whole(x):
        return x.redistribute(placements=[Replicate()])

    def entry(name, make):
        row("dtensor:" + name, make)

    def add(times):
        x, y = line(200_000_000, times), line(200_000_000, times)
        return lambda: x + y

    def total(n):
        def make(times):
            x = line(n, times)
            return lambda: whole(x.sum())
        return make

    def along(axis):
        def make(times):
            x = made(Shard(0), size(20000) * times, size(10000))
            return (lambda: whole(x.sum(0))) if axis == 0 else (lambda: x.sum(1))
        return make

    def softmax(times):
        x = made(Shard(1), size(4096), size(100_000) * times)
        return lambda: torch.softmax(x, 1)

    def reshard(times):
        x = made(Shard(0), size(32768) * times, size(32768))
        return lambda: x.redistribute(placements=[Shard(1)])

    def product(dtype, left, right):
        def make(times):
            n = size(16384)
            a, b = made(left, n * times, n, dtype=dtype), made(right, n, n, dtype=dtype)
            return lambda: (a @ b).redistribute(placements=[Shard(0)])
        return make

    entry("ew.add_f32_2e8", add)
    entry("red.sum_f32_2e8", total(200_000_000))
    entry("red.sum_f32_1e9", total(1_000_000_000))
    entry("red.sum_axis0_20000x10000", along(0))
    entry("red.sum_axis1_20000x10000", along(1))
    entry("red.softmax_4096x1e5_across", softmax)
    entry("resh.S0toS1_32768", reshard)
    for name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16), ("f64", torch.float64)):
        for text, left, right in (("S0xR", Shard(0), Replicate()), ("S0xS0", Shard(0), Shard(0)),
                                  ("S1xS0", Shard(1), Shard(0))):
            entry(f"mm.{name}_{text}", product(dtype, left, right))


def run_torch(patterns):
    import torch
    import torch.distributed as dist

    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    on_gpu = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if on_gpu else torch.device("cpu")
    if on_gpu:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if on_gpu else "gloo", **({"device_id": device} if on_gpu else {}))
    torch.set_grad_enabled(False)
    torch.backends.cuda.matmul.allow_tf32 = False

    def begin():
        dist.barrier()
        wait()

    def wait():
        if on_gpu:
            torch.cuda.synchronize()

    def end(start):
        wait()
        seconds = torch.tensor([time.perf_counter() - start], dtype=torch.float64, device=device)
        dist.all_reduce(seconds, dist.ReduceOp.MAX)
        return seconds.item()

    rows = Rows(patterns)
    torch_rows(rows, torch, dist, device, ranks, rank)
    dtensor_rows(rows, torch, device, ranks)
    if rank == 0:
        name = torch.cuda.get_device_name() if on_gpu else "CPU"
        print(json.dumps({"mesh": {"ranks": ranks, "device": name, "version": torch.__version__}})[:-1], end="")
    rows.run(ranks, rank == 0, lambda run: measure(run, begin, end), torch.cuda.empty_cache if on_gpu else lambda: None)
    if rank == 0:
        print("\n}")
    dist.destroy_process_group()


# ---- JAX ------------------------------------------------------------------------------------------------------------


def jax_rows(row, jax, jnp, mesh):
    from jax.sharding import NamedSharding, PartitionSpec as P

    def lie(*axes):
        return NamedSharding(mesh, P(*axes))

    def made(shape, sharding, dtype="float32"):
        key = jax.random.key(7)
        if dtype == "complex64":
            draw = lambda: jax.lax.complex(*jax.random.normal(key, (2, *shape)))  # noqa: E731
        else:
            draw = lambda: jax.random.uniform(key, shape, dtype)  # noqa: E731
        return jax.block_until_ready(jax.jit(draw, out_shardings=sharding)())

    def entry(name, f, shapes, layouts, out, dtype="float32"):
        def make(times):
            arrays = [made(tuple(n * times if k == lead else n for k, n in enumerate(shape)), lie(*layout), dtype)
                      for (shape, lead), layout in zip(shapes, layouts)]
            call = jax.jit(f, out_shardings=None if out is None else lie(*out))
            return lambda: call(*arrays)
        row(name, make)

    def line(n):
        return ((size(n),), 0)

    def square(n, lead=0):
        return ((size(n), size(n)), lead)

    rows = ("i",)
    entry("ew.add_f32_2e8", jnp.add, [line(200_000_000)] * 2, [rows] * 2, rows)
    for name, n in (("2e8", 200_000_000), ("1e9", 1_000_000_000)):
        entry(f"red.sum_f32_{name}", jnp.sum, [line(n)], [rows], ())
    table = ((size(20000), size(10000)), 0)
    entry("red.sum_axis0_20000x10000", lambda x: x.sum(0), [table], [rows], ())
    entry("red.sum_axis1_20000x10000", lambda x: x.sum(1), [table], [rows], rows)
    entry("red.meanvar_f32_4e8", lambda x: jnp.stack([x.mean(), x.var()]), [line(400_000_000)], [rows], ())
    entry("red.softmax_4096x1e5_across", lambda x: jax.nn.softmax(x, axis=1), [((size(4096), size(100_000)), 1)],
          [(None, "i")], (None, "i"))
    entry("resh.S0toS1_32768", lambda x: x, [square(32768)], [rows], (None, "i"))
    entry("resh.T_32768", lambda x: x.T, [square(32768)], [rows], rows)
    for name, dtype in (("f32", "float32"), ("bf16", "bfloat16"), ("f64", "float64")):
        product = lambda a, b: jnp.matmul(a, b, precision="highest")  # noqa: E731
        for text, left, right in (("S0xR", rows, ()), ("S0xS0", rows, rows), ("S1xS0", (None, "i"), rows)):
            entry(f"mm.{name}_{text}", product, [square(16384), square(16384, None)], [left, right], rows, dtype)
    entry("fft.c64_2d_16384", jnp.fft.fft2, [square(16384)], [rows], (None, "i"), "complex64")
    entry("fft.c64_2d_16384_back", jnp.fft.fft2, [square(16384)], [rows], rows, "complex64")
    entry("fft.c64_3d_512", jnp.fft.fftn, [((size(512),) * 3, 0)], [rows], (None, "i"), "complex64")
    entry("sort.f32_4e8", jnp.sort, [line(400_000_000)], [rows], rows)
    entry("scan.cumsum_f32_4e8", jnp.cumsum, [line(400_000_000)], [rows], rows)
    entry("hist.histogram256_4e8", lambda x: jnp.histogram(x, 256, (0, 1))[0], [line(400_000_000)], [rows], ())
    row("rng.normal_f32_4e8", lambda times: jax_random(jax, size(400_000_000) * times, lie(*rows)))
    row("stencil.5pt_32768_100", lambda times: jax_stencil(jax, made, size(32768) * times, size(32768), lie("i")))


def jax_random(jax, n, sharding):
    draw = jax.jit(lambda key: jax.random.normal(key, (n,)), out_shardings=sharding)
    keys = iter(jax.random.split(jax.random.key(1), 100_000))
    return lambda: draw(next(keys))


def jax_stencil(jax, made, rows, columns, sharding):
    def step(_, u):
        mean = (u[1:-1, 2:] + u[1:-1, :-2] + u[:-2, 1:-1] + u[2:, 1:-1]) * 0.25
        return u.at[1:-1, 1:-1].set(mean)

    field = made((rows, columns), sharding)
    steps = jax.jit(lambda u: jax.lax.fori_loop(0, 100, step, u), out_shardings=sharding)
    return lambda: steps(field)


def run_jax(patterns):
    import jax
    import jax.numpy as jnp
    import numpy as np

    jax.config.update("jax_enable_x64", any("f64" in pattern for pattern in patterns) or not patterns)
    devices = jax.devices()
    mesh = jax.sharding.Mesh(np.array(devices), ("i",))
    rows = Rows(patterns)
    jax_rows(rows, jax, jnp, mesh)
    last = [None]

    def measured(run):
        def call():
            last[0] = run()

        def end(start):
            jax.block_until_ready(last[0])
            return time.perf_counter() - start
        return measure(call, lambda: jax.block_until_ready(last[0]), end)

    def forget():
        last[0] = None
        jax.clear_caches()

    about = {"ranks": len(devices), "device": devices[0].device_kind, "version": jax.__version__}
    print(json.dumps({"mesh": about})[:-1], end="")
    rows.run(len(devices), True, measured, forget)
    print("\n}")


if __name__ == "__main__":
    assert math.log2(int(os.environ.get("WORLD_SIZE", "1"))).is_integer(), "2, 4 or 8 ranks: sizes are divided by them"
    {"torch": run_torch, "jax": run_jax}[sys.argv[1]](sys.argv[2:])
