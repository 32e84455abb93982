"""The peers' rows of rows_reduce.c: reductions, scans, statistics and ufunc.at, by the same names.

A row is name -> (prepare, run). A function that a peer lacks makes no row for it.
"""

N = 10**8
SIDE = 10**4
PERCENTS = [5, 25, 50, 75, 95]


def operands(make):
    """What most rows prepare: a line, a matrix, two of them, a narrow matrix."""
    return (
        lambda: (make(N),),
        lambda: (make(SIDE, SIDE),),
        lambda: (make(SIDE, SIDE), make(SIDE, SIDE)),
        lambda: (make(N // 10, 10),),
    )


def array_rows(xp, make, row):
    """The rows of NumPy and CuPy, which share a language."""
    is_numpy = xp.__name__ == "numpy"
    f16, f64, c64, i8 = xp.float16, xp.float64, xp.complex64, xp.int8

    line, matrix, matrices, thin = operands(make)

    def zeros():
        return (xp.zeros((SIDE, SIDE), xp.float32),)

    def vecdot(x, y, axis):
        if hasattr(xp, "vecdot"):
            return xp.vecdot(x, y, axis=axis)
        return (x * y).sum(axis)

    norm = xp.linalg.norm

    row("red.sum_1e8", line, lambda x: x.sum())
    row("red.mean_1e8", line, lambda x: x.mean())
    row("red.max_1e8", line, lambda x: x.max())
    row("red.ptp_1e8", line, lambda x: xp.ptp(x))
    row("red.argmax_1e8", line, lambda x: x.argmax())
    row("red.var_1e8", line, lambda x: x.var())
    row("red.std_1e8", line, lambda x: x.std())
    row("red.norm_1e8", line, lambda x: norm(x))
    row("red.norm1_1e8", line, lambda x: norm(x, 1))
    row("red.dot_1e8", lambda: (make(N), make(N)), lambda x, y: xp.dot(x, y))
    row("red.any_1e8", line, lambda x: (x > 2).any())
    row("red.any_bool_1e8", lambda: (make(N) > 2,), lambda x: x.any())  # zeros() would be one page of zeros
    row("red.count_nonzero_1e8", line, lambda x: xp.count_nonzero(x))
    row("red.nansum_1e8", line, lambda x: xp.nansum(x))
    row("red.nanmax_1e8", line, lambda x: xp.nanmax(x))
    row("red.nanvar_1e8", line, lambda x: xp.nanvar(x))
    row("red.average_1e8", lambda: (make(N), make(N)), lambda x, w: xp.average(x, weights=w))
    row("red.trapezoid_1e8", line, lambda x: xp.trapezoid(x) if is_numpy else xp.trapz(x))
    row("red.sum_where_1e8", lambda: (make(N), make(N) > 0.5), lambda x, w: x.sum(where=w))
    row("red.sum_f16_1e8", lambda: (make(N, dtype=f16),), lambda x: x.sum())
    row("red.sum_i8_1e8", lambda: (make(N, dtype=i8),), lambda x: x.sum())
    row("red.sum_f64_5e7", lambda: (make(N // 2, dtype=f64),), lambda x: x.sum())
    row("red.sum_c64_5e7", lambda: (make(N // 2, dtype=c64),), lambda x: x.sum())
    for axis in (0, 1):
        shape = f"axis{axis}_1e4x1e4"
        row(f"red.sum_{shape}", matrix, lambda x, axis=axis: x.sum(axis))
        row(f"red.mean_{shape}", matrix, lambda x, axis=axis: x.mean(axis))
        row(f"red.max_{shape}", matrix, lambda x, axis=axis: x.max(axis))
        row(f"red.argmax_{shape}", matrix, lambda x, axis=axis: x.argmax(axis))
        row(f"red.any_{shape}", zeros, lambda x, axis=axis: xp.any(x, axis))
        row(f"red.count_nonzero_{shape}", matrix, lambda x, axis=axis: xp.count_nonzero(x, axis))
        row(f"red.norm_{shape}", matrix, lambda x, axis=axis: norm(x, axis=axis))
        row(f"red.dot_{shape}", matrices, lambda x, y, axis=axis: vecdot(x, y, axis))
        row(f"red.var_{shape}", matrix, lambda x, axis=axis: x.var(axis))
    row("red.sum_axis1_200x480x1000", lambda: (make(200, 480, 1000),), lambda x: x.sum(1))
    row("red.sum_axes02_250x400x1000", lambda: (make(250, 400, 1000),), lambda x: x.sum((0, 2)))
    for axis in (1, 0):
        row(f"red.sum_axis{axis}_1e7x10", thin, lambda x, axis=axis: x.sum(axis))
        row(f"red.max_axis{axis}_1e7x10", thin, lambda x, axis=axis: x.max(axis))
        row(f"red.argmax_axis{axis}_1e7x10", thin, lambda x, axis=axis: x.argmax(axis))
        row(f"red.var_axis{axis}_1e7x10", thin, lambda x, axis=axis: x.var(axis))
    for name, axis in (("all", None), ("axis0", 0), ("axis1", 1)):
        row(f"red.sum_{name}_sliced_1e4x1e4", lambda: (make(SIDE, SIDE)[3:-3, 5:-7],),
            lambda x, axis=axis: x.sum(axis))
    row("red.sum_axis1_strided2_1e4x1e4", lambda: (make(SIDE, SIDE)[:, ::2],), lambda x: x.sum(1))

    row("red.median_1e7", lambda: (make(N // 10),), lambda x: xp.median(x))
    row("red.percentile_1e7", lambda: (make(N // 10),), lambda x: xp.percentile(x, PERCENTS))
    row("red.median_axis0_1e3x1e4", lambda: (make(1000, SIDE),), lambda x: xp.median(x, axis=0))
    row("red.median_axis1_1e4x1e3", lambda: (make(SIDE, 1000),), lambda x: xp.median(x, axis=1))
    row("red.nanmedian_1e7", lambda: (make(N // 10),), lambda x: xp.nanmedian(x))

    row("scan.cumsum_1e8", line, lambda x: xp.cumsum(x))
    for axis in (0, 1):
        row(f"scan.cumsum_axis{axis}_1e4x1e4", matrix, lambda x, axis=axis: xp.cumsum(x, axis))
        row(f"scan.cumsum_axis{axis}_1e7x10", thin, lambda x, axis=axis: xp.cumsum(x, axis))
    row("scan.cumsum_axis1_200x480x1000", lambda: (make(200, 480, 1000),), lambda x: xp.cumsum(x, 1))
    row("scan.cumsum_f16_1e8", lambda: (make(N, dtype=f16),), lambda x: xp.cumsum(x))
    row("scan.cumsum_f64_5e7", lambda: (make(N // 2, dtype=f64),), lambda x: xp.cumsum(x))
    row("scan.cumprod_1e8", line, lambda x: xp.cumprod(x))
    row("scan.nancumsum_1e8", line, lambda x: xp.nancumsum(x))
    if is_numpy:  # CuPy's maximum has no accumulate
        row("scan.cummax_1e8", line, lambda x: xp.maximum.accumulate(x))
    row("scan.diff_1e8", line, lambda x: xp.diff(x))
    row("scan.gradient_1e8", line, lambda x: xp.gradient(x))

    def scattered():
        index = (make(N // 10) * 1000).astype(xp.int64)
        return xp.zeros(1000, xp.float32), index, make(N // 10)

    row("ix.add_at_1e7_1000", scattered, lambda a, i, v: xp.add.at(a, i, v))
    if is_numpy:  # CuPy's adds in whatever order the threads come
        row("ix.add_at_deterministic_1e7_1000", scattered, lambda a, i, v: xp.add.at(a, i, v))


def torch_rows(torch, make):
    """PyTorch's rows."""
    f16, f64, c64, i8 = torch.float16, torch.float64, torch.complex64, torch.int8
    norm = torch.linalg.vector_norm

    line, matrix, matrices, thin = operands(make)

    def zeros():
        return (torch.zeros(SIDE, SIDE),)

    def scattered():
        return torch.zeros(1000), (make(N // 10) * 1000).to(torch.int64), make(N // 10)

    def add_in_order(a, i, v):
        torch.use_deterministic_algorithms(True)
        a.index_add_(0, i, v)
        torch.use_deterministic_algorithms(False)

    percents = torch.tensor([0.05, 0.25, 0.5, 0.75, 0.95])
    rows = {
        "red.sum_1e8": (line, lambda x: x.sum()),
        "red.mean_1e8": (line, lambda x: x.mean()),
        "red.max_1e8": (line, lambda x: x.max()),
        "red.ptp_1e8": (line, lambda x: torch.aminmax(x)),
        "red.argmax_1e8": (line, lambda x: x.argmax()),
        "red.var_1e8": (line, lambda x: x.var(correction=0)),
        "red.std_1e8": (line, lambda x: x.std(correction=0)),
        "red.norm_1e8": (line, lambda x: norm(x)),
        "red.norm1_1e8": (line, lambda x: norm(x, 1)),
        "red.dot_1e8": (lambda: (make(N), make(N)), lambda x, y: torch.dot(x, y)),
        "red.any_1e8": (line, lambda x: (x > 2).any()),
        "red.any_bool_1e8": (lambda: (torch.zeros(N, dtype=torch.bool),), lambda x: x.any()),
        "red.count_nonzero_1e8": (line, lambda x: torch.count_nonzero(x)),
        "red.nansum_1e8": (line, lambda x: torch.nansum(x)),
        "red.trapezoid_1e8": (line, lambda x: torch.trapezoid(x)),
        "red.sum_f16_1e8": (lambda: (make(N, dtype=f16),), lambda x: x.sum()),
        "red.sum_i8_1e8": (lambda: (make(N, dtype=i8),), lambda x: x.sum()),
        "red.sum_f64_5e7": (lambda: (make(N // 2, dtype=f64),), lambda x: x.sum()),
        "red.sum_c64_5e7": (lambda: (make(N // 2, dtype=c64),), lambda x: x.sum()),
        "red.sum_axis1_200x480x1000": (lambda: (make(200, 480, 1000),), lambda x: x.sum(1)),
        "red.sum_axes02_250x400x1000": (lambda: (make(250, 400, 1000),), lambda x: x.sum((0, 2))),
        "red.sum_axis1_strided2_1e4x1e4": (lambda: (make(SIDE, SIDE)[:, ::2],), lambda x: x.sum(1)),
        "red.median_1e7": (lambda: (make(N // 10),), lambda x: x.median()),
        "red.nanmedian_1e7": (lambda: (make(N // 10),), lambda x: x.nanmedian()),
        "red.percentile_1e7": (lambda: (make(N // 10),), lambda x: torch.quantile(x, percents)),
        "red.median_axis0_1e3x1e4": (lambda: (make(1000, SIDE),), lambda x: x.median(0)),
        "red.median_axis1_1e4x1e3": (lambda: (make(SIDE, 1000),), lambda x: x.median(1)),
        "scan.cumsum_1e8": (line, lambda x: x.cumsum(0)),
        "scan.cumsum_axis1_200x480x1000": (lambda: (make(200, 480, 1000),), lambda x: x.cumsum(1)),
        "scan.cumsum_f16_1e8": (lambda: (make(N, dtype=f16),), lambda x: x.cumsum(0)),
        "scan.cumsum_f64_5e7": (lambda: (make(N // 2, dtype=f64),), lambda x: x.cumsum(0)),
        "scan.cumprod_1e8": (line, lambda x: x.cumprod(0)),
        "scan.cummax_1e8": (line, lambda x: x.cummax(0)),
        "scan.diff_1e8": (line, lambda x: torch.diff(x)),
        "scan.gradient_1e8": (line, lambda x: torch.gradient(x)),
        "ix.add_at_1e7_1000": (scattered, lambda a, i, v: a.index_add_(0, i, v)),
    }
    for axis in (0, 1):
        shape = f"axis{axis}_1e4x1e4"
        rows.update({
            f"red.sum_{shape}": (matrix, lambda x, axis=axis: x.sum(axis)),
            f"red.mean_{shape}": (matrix, lambda x, axis=axis: x.mean(axis)),
            f"red.max_{shape}": (matrix, lambda x, axis=axis: x.amax(axis)),
            f"red.argmax_{shape}": (matrix, lambda x, axis=axis: x.argmax(axis)),
            f"red.any_{shape}": (zeros, lambda x, axis=axis: x.any(axis)),
            f"red.count_nonzero_{shape}": (matrix, lambda x, axis=axis: torch.count_nonzero(x, axis)),
            f"red.norm_{shape}": (matrix, lambda x, axis=axis: norm(x, dim=axis)),
            f"red.dot_{shape}": (matrices, lambda x, y, axis=axis: torch.linalg.vecdot(x, y, dim=axis)),
            f"red.var_{shape}": (matrix, lambda x, axis=axis: x.var(axis, correction=0)),
            f"red.sum_axis{axis}_1e7x10": (thin, lambda x, axis=axis: x.sum(axis)),
            f"red.max_axis{axis}_1e7x10": (thin, lambda x, axis=axis: x.amax(axis)),
            f"red.argmax_axis{axis}_1e7x10": (thin, lambda x, axis=axis: x.argmax(axis)),
            f"red.var_axis{axis}_1e7x10": (thin, lambda x, axis=axis: x.var(axis, correction=0)),
            f"scan.cumsum_{shape}": (matrix, lambda x, axis=axis: x.cumsum(axis)),
            f"scan.cumsum_axis{axis}_1e7x10": (thin, lambda x, axis=axis: x.cumsum(axis)),
        })
    for name, axis in (("all", None), ("axis0", 0), ("axis1", 1)):
        rows[f"red.sum_{name}_sliced_1e4x1e4"] = (
            lambda: (make(SIDE, SIDE)[3:-3, 5:-7],), lambda x, axis=axis: x.sum(axis))
    # Last, for it changes a mode of the whole process.
    rows["ix.add_at_deterministic_1e7_1000"] = (scattered, add_in_order)
    return rows
