"""The peers' rows of rows_fuse.c, by the same names: `_plain` operator by operator, `_fused` (and no ending) by what
the library has to fuse, `_compiled` the same or what else it has: cupy.fuse and ElementwiseKernel, torch.compile,
numexpr. Sizes as in peers_linalg.py."""

import os

from peers_linalg import N, size

FEW, SIDE = 10**4, 4096
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


def operands(make):
    n, side = size(N), size(SIDE)
    few, many = lambda: (make(FEW), make(FEW)), lambda: (make(n), make(n))
    return few, many, lambda: (make(side, side),)


def array_rows(xp, make, row):
    """The rows of NumPy and CuPy."""
    few, many, matrix = operands(make)
    row("fuse.sqdiff_10k_plain", few, WORKLOADS["sqdiff"](xp))
    for name, work in WORKLOADS.items():
        row(f"fuse.{name}_1e8_plain", many, work(xp))
    row("fuse.softmax_4096_plain", matrix, softmax(xp))
    row("fuse.layernorm_4096_plain", matrix, layernorm(xp))
    if xp.__name__ == "cupy":
        cupy_rows(xp, few, many, matrix, row)


def cupy_rows(cp, few, many, matrix, row):
    fused = {name: cp.fuse(kernel_name=name)(work(cp)) for name, work in WORKLOADS.items()}
    kernels = {
        "sqdiff": cp.ElementwiseKernel("T x, T y", "T z", "T d = x - y; z = d * d", "sqdiff"),
        "gaussian": cp.ElementwiseKernel(
            "T x, T y", "T z",
            f"T t = (x - (T)0.1) / (T)1.3; z = exp((T)-0.5 * t * t) / (T){1.3 * SQRT_2_PI}", "gaussian"),
        "hidden": cp.ElementwiseKernel("T x, T y", "T z", "z = tanh(x / (T)255 * y)", "hidden"),
    }
    distance = cp.ReductionKernel("T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = a", "0", "distance")
    row("fuse.sqdiff_10k_fused", few, fused["sqdiff"])
    row("fuse.sqdiff_10k_compiled", few, kernels["sqdiff"])
    for name, kernel in kernels.items():
        row(f"fuse.{name}_1e8_fused", many, fused[name])
        row(f"fuse.{name}_1e8_compiled", many, kernel)
    row("fuse.sqdiff_sum_1e8", many, fused["sqdiff_sum"])
    row("fuse.sqdiff_sum_1e8_compiled", many, distance)
    # cupy.fuse takes no reduction with a map behind it: operator by operator is what there is.
    for ending in ("", "_compiled"):
        row(f"fuse.softmax_4096{ending}", matrix, softmax(cp))
        row(f"fuse.layernorm_4096{ending}", matrix, layernorm(cp))


def torch_rows(torch, make):
    """PyTorch's rows; those that are compiled are so in their first call, which is warm-up."""
    few, many, matrix = operands(make)
    norm = lambda x: torch.nn.functional.layer_norm(x, x.shape[1:])
    rows = {
        "fuse.sqdiff_10k_plain": (few, WORKLOADS["sqdiff"](torch)),
        "fuse.softmax_4096_plain": (matrix, lambda x: torch.softmax(x, 1)),
        "fuse.layernorm_4096_plain": (matrix, norm),
    }
    for name, work in WORKLOADS.items():
        rows[f"fuse.{name}_1e8_plain"] = (many, work(torch))

    def compiled(name, prepare, function):
        rows[name] = rows[name.removesuffix("_fused") + "_compiled"] = (prepare, torch.compile(function))

    compiled("fuse.sqdiff_10k_fused", few, WORKLOADS["sqdiff"](torch))
    for name in ("sqdiff", "gaussian", "hidden"):
        compiled(f"fuse.{name}_1e8_fused", many, WORKLOADS[name](torch))
    compiled("fuse.sqdiff_sum_1e8", many, WORKLOADS["sqdiff_sum"](torch))
    compiled("fuse.softmax_4096", matrix, lambda x: torch.softmax(x, 1))
    compiled("fuse.layernorm_4096", matrix, norm)
    return rows


def numexpr_rows(bench):
    """numexpr's rows, on as many threads as the environment says (NUMEXPR_NUM_THREADS, else all cores)."""
    import numexpr
    import numpy

    numexpr.set_num_threads(int(os.environ.get("NUMEXPR_NUM_THREADS", 0)) or len(os.sched_getaffinity(0)))
    generator = numpy.random.default_rng(1)
    few, many, _ = operands(lambda *shape: generator.random(shape, numpy.float32))
    f32 = numpy.float32
    constants = {"shift": f32(0.1), "width": f32(1.3), "half": f32(-0.5), "scale": f32(1.3 * SQRT_2_PI),
                 "most": f32(255)}  # Python's numbers would make float64 of everything
    expressions = {"sqdiff": "(x - y) * (x - y)", "gaussian": "exp(half * ((x - shift) / width) ** 2) / scale",
                   "hidden": "tanh(x / most * y)", "sqdiff_sum": "sum((x - y) * (x - y))"}

    def run(expression):
        return lambda x, y: numexpr.evaluate(expression, local_dict={"x": x, "y": y, **constants})

    rows = {"fuse.sqdiff_10k_fused": (few, run(expressions["sqdiff"]))}
    for name in ("sqdiff", "gaussian", "hidden"):
        rows[f"fuse.{name}_1e8_fused"] = rows[f"fuse.{name}_1e8_compiled"] = (many, run(expressions[name]))
    rows["fuse.sqdiff_sum_1e8"] = rows["fuse.sqdiff_sum_1e8_compiled"] = (many, run(expressions["sqdiff_sum"]))
    return rows, lambda: None
