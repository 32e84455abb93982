"""The peers' rows of rows_random.c, by the same names. CuPy has two interfaces: the rows `gen_` are those of its
Generator over Philox, the others those of cupy.random. Sizes as in peers_linalg.py."""

from peers_linalg import N, SIDE, size


def array_rows(xp, make, row):
    """The rows of NumPy and CuPy."""
    f32, n, few, side = xp.float32, size(N), size(N // 10), size(SIDE)
    none = lambda: ()
    if xp.__name__ == "numpy":
        gen = old = xp.random.Generator(xp.random.Philox(1))
        uniform, integers = lambda: gen.random(n, f32), lambda: gen.integers(0, 100, n)
        normal, normal_f64 = lambda: gen.standard_normal(n, f32), lambda: gen.standard_normal(n // 2)
        row("rng.bytes_1e8", none, lambda: gen.bytes(n))
    else:
        gen = xp.random.Generator(xp.random.Philox4x3210(1))
        old = xp.random
        old.seed(1)
        uniform, integers = lambda: old.random(n, dtype=f32), lambda: old.randint(0, 100, n)
        normal = lambda: old.standard_normal(n, dtype=f32)
        normal_f64 = lambda: old.standard_normal(n // 2)
        row("rng.bytes_1e8", none, lambda: old.bytes(n))
    row("rng.uniform_f32_1e8", none, uniform)
    row("rng.gen_uniform_f32_1e8", none, lambda: gen.random(n, dtype=f32))
    row("rng.uniform_f64_5e7", none, lambda: gen.random(n // 2))
    row("rng.normal_f32_1e8", none, normal)
    row("rng.gen_normal_f32_1e8", none, lambda: gen.standard_normal(n, dtype=f32))
    row("rng.normal_f64_5e7", none, normal_f64)
    row("rng.normal_columns_1e4x1e4", lambda: (make(side),), lambda x: old.normal(x, 1, (side, side)))
    row("rng.exponential_f32_1e8", none, lambda: gen.standard_exponential(n, dtype=f32))
    row("rng.integers_1e8", none, integers)
    row("rng.permutation_1e7", none, lambda: old.permutation(few))
    row("rng.shuffle_1e7", lambda: (make(few),), lambda x: old.shuffle(x))
    row("rng.poisson_1e7", none, lambda: gen.poisson(10.0, few))
    row("rng.binomial_100_1e7", none, lambda: gen.binomial(100, 0.3, few))
    row("rng.gamma_1e7", none, lambda: gen.standard_gamma(2.5, few, dtype=f32))
    row("small.uniform_1k", none, lambda: gen.random(1000, dtype=f32))


def torch_rows(torch, make):
    f32, f64, n, few, side = torch.float32, torch.float64, size(N), size(N // 10), size(SIDE)
    none = lambda: ()
    columns = lambda: (make(side).expand(side, side), torch.ones((), dtype=f32).expand(side, side))
    uniform, normal = lambda: torch.rand(n, dtype=f32), lambda: torch.randn(n, dtype=f32)
    return {
        "rng.uniform_f32_1e8": (none, uniform),
        "rng.gen_uniform_f32_1e8": (none, uniform),
        "rng.uniform_f64_5e7": (none, lambda: torch.rand(n // 2, dtype=f64)),
        "rng.normal_f32_1e8": (none, normal),
        "rng.gen_normal_f32_1e8": (none, normal),
        "rng.normal_f64_5e7": (none, lambda: torch.randn(n // 2, dtype=f64)),
        "rng.normal_columns_1e4x1e4": (columns, lambda m, s: torch.normal(m, s)),
        "rng.exponential_f32_1e8": (lambda: (torch.empty(n, dtype=f32),), lambda x: x.exponential_()),
        "rng.integers_1e8": (none, lambda: torch.randint(0, 100, (n,))),
        "rng.bytes_1e8": (none, lambda: torch.randint(0, 256, (n,), dtype=torch.uint8)),
        "rng.permutation_1e7": (none, lambda: torch.randperm(few)),
        "rng.shuffle_1e7": (lambda: (make(few),), lambda x: x.copy_(x[torch.randperm(few)])),
        "rng.poisson_1e7": (lambda: (torch.full((few,), 10.0, dtype=f32),), lambda x: torch.poisson(x)),
        "rng.binomial_100_1e7": (
            lambda: (torch.full((few,), 100.0, dtype=f32), torch.full((few,), 0.3, dtype=f32)),
            lambda n, p: torch.binomial(n, p)),
        "rng.gamma_1e7": (lambda: (torch.full((few,), 2.5, dtype=f32),), lambda x: torch._standard_gamma(x)),
        "small.uniform_1k": (none, lambda: torch.rand(1000, dtype=f32)),
    }
