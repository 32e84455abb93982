"""The peers' rows of rows_random.c, by the same names (peers_rows.py). CuPy has two interfaces: the rows `gen_` are
those of its Generator over Philox, the others those of cupy.random."""


def array_rows(xp, row):
    """The rows of NumPy and CuPy."""
    f32 = xp.float32
    if xp.__name__ == "numpy":
        gen = old = xp.random.Generator(xp.random.Philox(1))
        uniform, integers = lambda n: gen.random(n, f32), lambda n, low, high: gen.integers(low, high, n)
        normal, normal_f64 = lambda n: gen.standard_normal(n, f32), gen.standard_normal
    else:
        gen, old = xp.random.Generator(xp.random.Philox4x3210(1)), xp.random
        old.seed(1)
        uniform, integers = lambda n: old.random(n, dtype=f32), lambda n, low, high: old.randint(low, high, n)
        normal, normal_f64 = lambda n: old.standard_normal(n, dtype=f32), old.standard_normal
    row("rng.bytes_1e8", lambda n: old.bytes(n))
    row("rng.uniform_f32_1e8", uniform)
    row("rng.gen_uniform_f32_1e8", lambda n: gen.random(n, dtype=f32))
    row("rng.uniform_f64_5e7", lambda n: gen.random(n))
    row("rng.normal_f32_1e8", normal)
    row("rng.gen_normal_f32_1e8", lambda n: gen.standard_normal(n, dtype=f32))
    row("rng.normal_f64_5e7", normal_f64)
    row("rng.normal_columns_1e4x1e4", lambda x: old.normal(x, 1, (len(x), len(x))))
    row("rng.exponential_f32_1e8", lambda n: gen.standard_exponential(n, dtype=f32))
    row("rng.integers_1e8", integers)
    row("rng.permutation_1e7", lambda n: old.permutation(n))
    row("rng.shuffle_1e7", lambda x: old.shuffle(x))
    row("rng.poisson_1e7", lambda n, rate: gen.poisson(rate, n))
    row("rng.binomial_100_1e7", lambda n, trials, chance: gen.binomial(trials, chance, n))
    row("rng.gamma_1e7", lambda n, shape: gen.standard_gamma(shape, n, dtype=f32))
    row("small.uniform_1k", lambda n: gen.random(n, dtype=f32))


def torch_rows(torch, row):
    f32, f64 = torch.float32, torch.float64
    full = lambda n, *values: tuple(torch.full((n,), value, dtype=f32) for value in values)
    columns = lambda x: (x.expand(len(x), len(x)), torch.ones((), dtype=f32).expand(len(x), len(x)))
    uniform, normal = lambda n: torch.rand(n, dtype=f32), lambda n: torch.randn(n, dtype=f32)
    row("rng.uniform_f32_1e8", uniform)
    row("rng.gen_uniform_f32_1e8", uniform)
    row("rng.uniform_f64_5e7", lambda n: torch.rand(n, dtype=f64))
    row("rng.normal_f32_1e8", normal)
    row("rng.gen_normal_f32_1e8", normal)
    row("rng.normal_f64_5e7", lambda n: torch.randn(n, dtype=f64))
    row("rng.normal_columns_1e4x1e4", torch.normal, columns)
    row("rng.exponential_f32_1e8", lambda x: x.exponential_(), lambda n: (torch.empty(n, dtype=f32),))
    row("rng.integers_1e8", lambda n, low, high: torch.randint(low, high, (n,)))
    row("rng.bytes_1e8", lambda n: torch.randint(0, 256, (n,), dtype=torch.uint8))
    row("rng.permutation_1e7", torch.randperm)
    row("rng.shuffle_1e7", lambda x: x.copy_(x[torch.randperm(len(x))]))
    row("rng.poisson_1e7", torch.poisson, full)
    row("rng.binomial_100_1e7", torch.binomial, full)
    row("rng.gamma_1e7", torch._standard_gamma, full)
    row("small.uniform_1k", uniform)
