"""Times the peers on the rows of rows_mesh*.c, by the same names and method, with the operands that those state:
`bench_mesh --list` prints them (GND_BENCH_MESH is its path).

    launch_ranks.py python3 peers_mesh.py torch [PATTERN ...]    PyTorch, calls of NCCL by hand, and DTensor
    python3 peers_mesh.py jax [PATTERN ...]                      JAX: one process, all GPUs that it sees

Prints, on the first rank, one JSON object: rows of DTensor are "dtensor:" and the name. "@weak" rows have as much for
each rank. Microseconds a call, from a barrier to the end of the slowest rank's work, median of batches. With
GND_BENCH_SMALL=1 rows are small; without a GPU PyTorch goes over gloo, which shows that rows run.
"""

import json
import math
import os
import subprocess
import sys
import time

SMALL = os.environ.get("GND_BENCH_SMALL", "0") not in ("", "0")
BATCHES, BATCH_SECONDS, MOST_CALLS = 9, 0.05, 2000


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
    """Rows by gnd's names, and their "@weak" variants: make(*operands) gives what is called."""

    def __init__(self, ranks, patterns):
        program = os.environ.get("GND_BENCH_MESH", "build/bench/bench_mesh")
        listed = subprocess.run([program, "--list", str(ranks)], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.listed, self.patterns, self.rows = json.loads(listed), patterns, []

    def __call__(self, name, make, array, mark=""):
        """A row, whose arrays are made by array(dtype, shape, ...), as they are listed; `mark` precedes its name."""
        if name not in self.listed:
            raise ValueError(f"{name} is no row of gnd's")
        if not self.patterns or any(pattern in mark + name for pattern in self.patterns):
            self.rows += [(mark + each, make, array, self.listed[each]) for each in (name, f"{name}@weak")
                          if each in self.listed]

    def run(self, first, measured, forget):
        for name, make, array, stated in self.rows:
            try:
                us = measured(make(*(array(**said) if isinstance(said, dict) else said for said in stated)))
            except Exception as error:  # a row that a library cannot do, or has no memory for
                print(f"{name}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
                us = None
            forget()
            if first and us is not None:
                print(f',\n  "{name}": {{"us": {us:.2f}}}', end="", flush=True)


# ---- PyTorch --------------------------------------------------------------------------------------------------------


def torch_array(torch, device, ranks):
    """A rank's block."""
    def array(dtype, shape, split=None, below=None):
        shape, dtype = [n // ranks if axis == split else n for axis, n in enumerate(shape)], getattr(torch, dtype)
        if below is not None:
            return torch.randint(below, shape, dtype=dtype, device=device)
        return (torch.randn if dtype.is_complex else torch.rand)(shape, dtype=dtype, device=device)
    return array


def torch_rows(rows, torch, dist, device, ranks, rank):
    """By hand: each rank has its block, and calls NCCL where blocks must be combined."""
    array = torch_array(torch, device, ranks)

    def row(name, make):
        rows(name, make, array)

    def add(x, y):
        return lambda: x + y

    def total(x):
        def run():
            s = x.sum()
            dist.all_reduce(s)
        return run

    def sum_axis0(x):
        def run():
            s = x.sum(0)
            dist.all_reduce(s)
        return run

    def sum_axis1(x):
        return lambda: x.sum(1)

    def meanvar(x):
        parts = torch.empty(ranks, 2, device=device)

        def run():
            var, mean = torch.var_mean(x, correction=0)
            dist.all_gather_into_tensor(parts, torch.stack([mean, var])[None])
            mean = parts[:, 0].mean()
            return mean, parts[:, 1].mean() + (parts[:, 0] - mean).square().mean()
        return run

    def softmax(x):
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

    def reshard(x):
        return lambda: to_columns(x)

    def transpose(x):
        return lambda: to_columns(x).t().contiguous()

    def stencil(x):
        fields = [torch.zeros(x.shape[0] + 2, x.shape[1], device=device) for _ in range(2)]
        fields[0][1:-1, 1:-1] = x[:, 1:-1]

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

    # Products: what is split along the inner axis is gathered or summed up.

    def product_with_copies(a, b):
        return lambda: a @ b

    def product_gathered(a, b):
        whole = torch.empty(ranks * b.shape[0], b.shape[1], device=device, dtype=b.dtype)

        def run():
            dist.all_gather_into_tensor(whole, b)
            return a @ whole
        return run

    def product_summed(a, b):
        mine = torch.empty(a.shape[0] // ranks, b.shape[1], device=device, dtype=a.dtype)

        def run():
            dist.reduce_scatter_tensor(mine, a @ b)
            return mine
        return run

    def fft2(x):
        return lambda: torch.fft.fft(to_columns(torch.fft.fft(x, dim=1)), dim=0)

    def fft2_back(x):
        columns = fft2(x)
        return lambda: to_columns(columns().t().contiguous()).t().contiguous()

    def fft3(x):
        n = x.shape[1]

        def run():
            y = torch.fft.fft2(x).reshape(x.shape[0], ranks, n // ranks, n).transpose(0, 1).contiguous()
            got = torch.empty_like(y)
            dist.all_to_all_single(got, y)
            return torch.fft.fft(got.reshape(-1, n // ranks, n), dim=0)
        return run

    def normal(x):
        n = len(x)
        return lambda: torch.randn(n, device=device)

    def cumsum(x):
        totals = torch.empty(ranks, device=device)

        def run():
            s = torch.cumsum(x, 0)
            dist.all_gather_into_tensor(totals, s[-1:].clone())
            return s.add_(totals[:rank].sum())
        return run

    def histogram(x):
        def run():
            h = torch.histc(x, 256, 0, 1)
            dist.all_reduce(h)
        return run

    def bincount(x, bins):
        def run():
            h = torch.bincount(x, minlength=bins)
            dist.all_reduce(h)
        return run

    row("ew.add_f32_2e8", add)
    row("red.sum_f32_2e8", total)
    row("red.sum_f32_1e9", total)
    row("red.sum_axis0_20000x10000", sum_axis0)
    row("red.sum_axis1_20000x10000", sum_axis1)
    row("red.meanvar_f32_4e8", meanvar)
    row("red.softmax_4096x1e5_across", softmax)
    row("stencil.5pt_32768_100", stencil)
    row("resh.S0toS1_32768", reshard)
    row("resh.T_32768", transpose)
    for name in ("f32", "bf16", "f64"):
        row(f"mm.{name}_S0xR", product_with_copies)
        row(f"mm.{name}_S0xS0", product_gathered)
        row(f"mm.{name}_S1xS0", product_summed)
    row("fft.c64_2d_16384", fft2)
    row("fft.c64_2d_16384_back", fft2_back)
    row("fft.c64_3d_512", fft3)
    row("rng.normal_f32_4e8", normal)
    row("scan.cumsum_f32_4e8", cumsum)
    row("hist.histogram256_4e8", histogram)
    row("hist.bincount1000_4e8", bincount)
    torch_moves(row, rows.listed, torch, dist, device, ranks)


def torch_moves(row, listed, torch, dist, device, ranks):
    """Communication alone, of so many bytes: what NCCL takes by way of PyTorch."""
    def gather(size):
        part = torch.rand(size // ranks // 4, device=device)
        whole = torch.empty(ranks * part.numel(), device=device)
        return lambda: dist.all_gather_into_tensor(whole, part)

    def exchange(size):
        part = torch.rand(ranks * (size // ranks // 4), device=device)
        got = torch.empty_like(part)
        return lambda: dist.all_to_all_single(got, part)

    def reduce(size):
        x = torch.zeros(size // 4, device=device)
        return lambda: dist.all_reduce(x)

    if ranks == 1:
        return
    row("comm.barrier", lambda: dist.barrier)
    for name, make in (("all_gather", gather), ("all_to_all", exchange), ("all_reduce", reduce)):
        for each in listed:
            if each.startswith(f"comm.{name}_"):
                row(each, make)


def dtensor_rows(rows, torch, device, ranks):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor, Replicate, Shard

    mesh, block = init_device_mesh(device.type, (ranks,)), torch_array(torch, device, ranks)

    def array(dtype, shape, split=None):
        placement = Replicate() if split is None else Shard(split)
        return DTensor.from_local(block(dtype, shape, split), mesh, [placement], run_check=False)

    def row(name, make):
        rows(name, make, array, "dtensor:")

    def whole(x):
        return x.redistribute(placements=[Replicate()])

    row("ew.add_f32_2e8", lambda x, y: lambda: x + y)
    row("red.sum_f32_2e8", lambda x: lambda: whole(x.sum()))
    row("red.sum_f32_1e9", lambda x: lambda: whole(x.sum()))
    row("red.sum_axis0_20000x10000", lambda x: lambda: whole(x.sum(0)))
    row("red.sum_axis1_20000x10000", lambda x: lambda: x.sum(1))
    row("red.softmax_4096x1e5_across", lambda x: lambda: torch.softmax(x, 1))
    row("resh.S0toS1_32768", lambda x: lambda: x.redistribute(placements=[Shard(1)]))
    for name in ("f32", "bf16", "f64"):
        for layouts in ("S0xR", "S0xS0", "S1xS0"):
            row(f"mm.{name}_{layouts}", lambda a, b: lambda: (a @ b).redistribute(placements=[Shard(0)]))


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

    rows = Rows(ranks, patterns)
    torch_rows(rows, torch, dist, device, ranks, rank)
    dtensor_rows(rows, torch, device, ranks)
    if rank == 0:
        name = torch.cuda.get_device_name() if on_gpu else "CPU"
        print(json.dumps({"mesh": {"ranks": ranks, "device": name, "version": torch.__version__}})[:-1], end="")
    rows.run(rank == 0, lambda run: measure(run, begin, end), torch.cuda.empty_cache if on_gpu else lambda: None)
    if rank == 0:
        print("\n}")
    dist.destroy_process_group()


# ---- JAX ------------------------------------------------------------------------------------------------------------


def jax_rows(rows, jax, jnp, mesh):
    from jax.sharding import NamedSharding, PartitionSpec as P

    def lie(split):
        """Split along that axis; None: copies."""
        return NamedSharding(mesh, P() if split is None else P(*[None] * split, "i"))

    def array(dtype, shape, split=None):
        key = jax.random.key(7)
        if dtype == "complex64":
            draw = lambda: jax.lax.complex(*jax.random.normal(key, (2, *shape)))  # noqa: E731
        else:
            draw = lambda: jax.random.uniform(key, shape, dtype)  # noqa: E731
        return jax.block_until_ready(jax.jit(draw, out_shardings=lie(split))())

    def row(name, f, split):
        """f, with its result split along that axis."""
        def make(*arrays):
            call = jax.jit(f, out_shardings=lie(split))
            return lambda: call(*arrays)
        rows(name, make, array)

    def normal(x):
        shape = x.shape
        draw = jax.jit(lambda key: jax.random.normal(key, shape), out_shardings=lie(0))
        keys = iter(jax.random.split(jax.random.key(1), (BATCHES + 1) * MOST_CALLS))
        return lambda: draw(next(keys))

    def step(_, u):
        mean = (u[1:-1, 2:] + u[1:-1, :-2] + u[:-2, 1:-1] + u[2:, 1:-1]) * 0.25
        return u.at[1:-1, 1:-1].set(mean)

    row("ew.add_f32_2e8", jnp.add, 0)
    row("red.sum_f32_2e8", jnp.sum, None)
    row("red.sum_f32_1e9", jnp.sum, None)
    row("red.sum_axis0_20000x10000", lambda x: x.sum(0), None)
    row("red.sum_axis1_20000x10000", lambda x: x.sum(1), 0)
    row("red.meanvar_f32_4e8", lambda x: jnp.stack([x.mean(), x.var()]), None)
    row("red.softmax_4096x1e5_across", lambda x: jax.nn.softmax(x, axis=1), 1)
    row("resh.S0toS1_32768", lambda x: x, 1)
    row("resh.T_32768", lambda x: x.T, 0)
    for name in ("f32", "bf16", "f64"):
        for layouts in ("S0xR", "S0xS0", "S1xS0"):
            row(f"mm.{name}_{layouts}", lambda a, b: jnp.matmul(a, b, precision="highest"), 0)
    row("fft.c64_2d_16384", jnp.fft.fft2, 1)
    row("fft.c64_2d_16384_back", jnp.fft.fft2, 0)
    row("fft.c64_3d_512", jnp.fft.fftn, 1)
    row("sort.f32_4e8", jnp.sort, 0)
    row("scan.cumsum_f32_4e8", jnp.cumsum, 0)
    row("hist.histogram256_4e8", lambda x: jnp.histogram(x, 256, (0, 1))[0], None)
    rows("rng.normal_f32_4e8", normal, array)
    row("stencil.5pt_32768_100", lambda u: jax.lax.fori_loop(0, 100, step, u), 0)


def run_jax(patterns):
    import jax
    import jax.numpy as jnp
    import numpy as np

    jax.config.update("jax_enable_x64", any("f64" in pattern for pattern in patterns) or not patterns)
    devices = jax.devices()
    mesh = jax.sharding.Mesh(np.array(devices), ("i",))
    rows = Rows(len(devices), patterns)
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
    rows.run(True, measured, forget)
    print("\n}")


if __name__ == "__main__":
    assert math.log2(int(os.environ.get("WORLD_SIZE", "1"))).is_integer(), "2, 4 or 8 ranks: sizes are divided by them"
    {"torch": run_torch, "jax": run_jax}[sys.argv[1]](sys.argv[2:])
