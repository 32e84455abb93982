"""The peers' rows of rows_fuse.c, by the same names: `_plain` operator by operator, `_fused` (and no ending) by what
the library has to fuse, `_compiled` the same or what else it has: cupy.fuse and ElementwiseKernel, torch.compile,
numexpr (peers_rows.py)."""

import os

from peers_rows import Rows

SQRT_2_PI = 2.5066282746310002

# Each in the language that NumPy, CuPy and PyTorch share, with `m` the module.
WORKLOADS = {
    "sqdiff": lambda m: lambda x, y: (x - y) * (x - y),
    "gaussian": lambda m: lambda x, y: m.exp(-0.5 * ((x - 0.1) / 1.3) ** 2) / (1.3 * SQRT_2_PI),
    "hidden": lambda m: lambda x, y: m.tanh(x / 255 * y),
    "sqdiff_sum": lambda m: lambda x, y: ((x - y) * (x - y)).sum(),
}


def softmax(m):
    def run(x):
        e = m.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)
    return run


def layernorm(m):
    return lambda x: (x - x.mean(1, keepdims=True)) / m.sqrt(x.var(1, keepdims=True) + 1e-5)


def array_rows(xp, row):
    """The rows of NumPy and CuPy."""
    row("fuse.sqdiff_10k_plain", WORKLOADS["sqdiff"](xp))
    for name, work in WORKLOADS.items():
        row(f"fuse.{name}_1e8_plain", work(xp))
    row("fuse.softmax_4096_plain", softmax(xp))
    row("fuse.layernorm_4096_plain", layernorm(xp))
    if xp.__name__ == "cupy":
        cupy_rows(xp, row)


def cupy_rows(cp, row):
    fused = {name: cp.fuse(kernel_name=name)(work(cp)) for name, work in WORKLOADS.items()}
    kernels = {
        "sqdiff": cp.ElementwiseKernel("T x, T y", "T z", "T d = x - y; z = d * d", "sqdiff"),
        "gaussian": cp.ElementwiseKernel(
            "T x, T y", "T z",
            f"T t = (x - (T)0.1) / (T)1.3; z = exp((T)-0.5 * t * t) / (T){1.3 * SQRT_2_PI}", "gaussian"),
        "hidden": cp.ElementwiseKernel("T x, T y", "T z", "z = tanh(x / (T)255 * y)", "hidden"),
    }
    distance = cp.ReductionKernel("T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = a", "0", "distance")
    row("fuse.sqdiff_10k_fused", fused["sqdiff"])
    row("fuse.sqdiff_10k_compiled", kernels["sqdiff"])
    for name, kernel in kernels.items():
        row(f"fuse.{name}_1e8_fused", fused[name])
        row(f"fuse.{name}_1e8_compiled", kernel)
    row("fuse.sqdiff_sum_1e8", fused["sqdiff_sum"])
    row("fuse.sqdiff_sum_1e8_compiled", distance)
    # cupy.fuse takes no reduction with a map behind it: operator by operator is what there is.
    for ending in ("", "_compiled"):
        row(f"fuse.softmax_4096{ending}", softmax(cp))
        row(f"fuse.layernorm_4096{ending}", layernorm(cp))


def torch_rows(torch, row):
    """PyTorch's rows; those that are compiled are so in their first call, which is warm-up."""
    norm = lambda x: torch.nn.functional.layer_norm(x, x.shape[1:])
    row("fuse.sqdiff_10k_plain", WORKLOADS["sqdiff"](torch))
    row("fuse.softmax_4096_plain", lambda x: torch.softmax(x, 1))
    row("fuse.layernorm_4096_plain", norm)
    for name, work in WORKLOADS.items():
        row(f"fuse.{name}_1e8_plain", work(torch))

    def compiled(name, function):
        run = torch.compile(function)
        row(name, run)
        row(name.removesuffix("_fused") + "_compiled", run)

    compiled("fuse.sqdiff_10k_fused", WORKLOADS["sqdiff"](torch))
    for name in ("sqdiff", "gaussian", "hidden"):
        compiled(f"fuse.{name}_1e8_fused", WORKLOADS[name](torch))
    compiled("fuse.sqdiff_sum_1e8", WORKLOADS["sqdiff_sum"](torch))
    compiled("fuse.softmax_4096", lambda x: torch.softmax(x, 1))
    compiled("fuse.layernorm_4096", norm)


def numexpr_rows(bench):
    """numexpr's rows, on as many threads as the environment says (NUMEXPR_NUM_THREADS, else all cores)."""
    import numexpr
    import numpy

    numexpr.set_num_threads(int(os.environ.get("NUMEXPR_NUM_THREADS", 0)) or len(os.sched_getaffinity(0)))
    generator = numpy.random.default_rng(1)
    f32 = numpy.float32
    constants = {"shift": f32(0.1), "width": f32(1.3), "half": f32(-0.5), "scale": f32(1.3 * SQRT_2_PI),
                 "most": f32(255)}  # Python's numbers would make float64 of everything
    expressions = {"sqdiff": "(x - y) * (x - y)", "gaussian": "exp(half * ((x - shift) / width) ** 2) / scale",
                   "hidden": "tanh(x / most * y)", "sqdiff_sum": "sum((x - y) * (x - y))"}

    def run(expression):
        return lambda x, y: numexpr.evaluate(expression, local_dict={"x": x, "y": y, **constants})

    rows = Rows(bench, numpy, lambda *shape, dtype: generator.random(shape, numpy.float32).astype(dtype))
    rows("fuse.sqdiff_10k_fused", run(expressions["sqdiff"]))
    for ending in ("fused", "compiled"):
        for name in ("sqdiff", "gaussian", "hidden"):
            rows(f"fuse.{name}_1e8_{ending}", run(expressions[name]))
    for ending in ("", "_compiled"):
        rows(f"fuse.sqdiff_sum_1e8{ending}", run(expressions["sqdiff_sum"]))
    return rows, lambda: None
