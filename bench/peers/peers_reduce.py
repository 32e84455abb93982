"""The peers' rows of rows_reduce.c and rows_scan.c: reductions, scans, statistics and ufunc.at, by the same names
(peers_rows.py). A function that a peer lacks makes no row for it."""

VIEWS = (("all", None), ("axis0", 0), ("axis1", 1))


def inner(x):
    return (x[3:-3, 5:-7],)


def every_other_column(x):
    return (x[:, ::2],)


def array_rows(xp, row):
    """The rows of NumPy and CuPy, which share a language."""
    is_numpy = xp.__name__ == "numpy"

    def vecdot(x, y, axis):
        if hasattr(xp, "vecdot"):
            return xp.vecdot(x, y, axis=axis)
        return (x * y).sum(axis)

    norm = xp.linalg.norm

    row("red.sum_1e8", lambda x: x.sum())
    row("red.mean_1e8", lambda x: x.mean())
    row("red.max_1e8", lambda x: x.max())
    row("red.ptp_1e8", lambda x: xp.ptp(x))
    row("red.argmax_1e8", lambda x: x.argmax())
    row("red.var_1e8", lambda x: x.var())
    row("red.std_1e8", lambda x: x.std())
    row("red.norm_1e8", lambda x: norm(x))
    row("red.norm1_1e8", lambda x: norm(x, 1))
    row("red.dot_1e8", lambda x, y: xp.dot(x, y))
    row("red.any_1e8", lambda x, least: (x > least).any())
    row("red.any_bool_1e8", lambda x: x.any())
    row("red.count_nonzero_1e8", lambda x: xp.count_nonzero(x))
    row("red.nansum_1e8", lambda x: xp.nansum(x))
    row("red.nanmax_1e8", lambda x: xp.nanmax(x))
    row("red.nanvar_1e8", lambda x: xp.nanvar(x))
    row("red.average_1e8", lambda x, w: xp.average(x, weights=w))
    row("red.trapezoid_1e8", lambda x: xp.trapezoid(x) if is_numpy else xp.trapz(x))
    row("red.sum_where_1e8", lambda x, w: x.sum(where=w))
    row("red.sum_f16_1e8", lambda x: x.sum())
    row("red.sum_i8_1e8", lambda x: x.sum())
    row("red.sum_f64_5e7", lambda x: x.sum())
    row("red.sum_c64_5e7", lambda x: x.sum())
    for axis in (0, 1):
        shape = f"axis{axis}_1e4x1e4"
        row(f"red.sum_{shape}", lambda x, axis=axis: x.sum(axis))
        row(f"red.mean_{shape}", lambda x, axis=axis: x.mean(axis))
        row(f"red.max_{shape}", lambda x, axis=axis: x.max(axis))
        row(f"red.argmax_{shape}", lambda x, axis=axis: x.argmax(axis))
        row(f"red.any_{shape}", lambda x, axis=axis: xp.any(x, axis))
        row(f"red.count_nonzero_{shape}", lambda x, axis=axis: xp.count_nonzero(x, axis))
        row(f"red.norm_{shape}", lambda x, axis=axis: norm(x, axis=axis))
        row(f"red.dot_{shape}", lambda x, y, axis=axis: vecdot(x, y, axis))
        row(f"red.var_{shape}", lambda x, axis=axis: x.var(axis))
    row("red.sum_axis1_200x480x1000", lambda x: x.sum(1))
    row("red.sum_axes02_250x400x1000", lambda x: x.sum((0, 2)))
    for axis in (1, 0):
        row(f"red.sum_axis{axis}_1e7x10", lambda x, axis=axis: x.sum(axis))
        row(f"red.max_axis{axis}_1e7x10", lambda x, axis=axis: x.max(axis))
        row(f"red.argmax_axis{axis}_1e7x10", lambda x, axis=axis: x.argmax(axis))
        row(f"red.var_axis{axis}_1e7x10", lambda x, axis=axis: x.var(axis))
    for name, axis in VIEWS:
        row(f"red.sum_{name}_sliced_1e4x1e4", lambda x, axis=axis: x.sum(axis), inner)
    row("red.sum_axis1_strided2_1e4x1e4", lambda x: x.sum(1), every_other_column)

    row("red.median_1e7", lambda x: xp.median(x))
    row("red.percentile_1e7", lambda x, *percents: xp.percentile(x, percents))
    row("red.median_axis0_1e3x1e4", lambda x: xp.median(x, axis=0))
    row("red.median_axis1_1e4x1e3", lambda x: xp.median(x, axis=1))
    row("red.nanmedian_1e7", lambda x: xp.nanmedian(x))

    row("scan.cumsum_1e8", lambda x: xp.cumsum(x))
    for axis in (0, 1):
        row(f"scan.cumsum_axis{axis}_1e4x1e4", lambda x, axis=axis: xp.cumsum(x, axis))
        row(f"scan.cumsum_axis{axis}_1e7x10", lambda x, axis=axis: xp.cumsum(x, axis))
    row("scan.cumsum_axis1_200x480x1000", lambda x: xp.cumsum(x, 1))
    row("scan.cumsum_f16_1e8", lambda x: xp.cumsum(x))
    row("scan.cumsum_f64_5e7", lambda x: xp.cumsum(x))
    row("scan.cumprod_1e8", lambda x: xp.cumprod(x))
    row("scan.nancumsum_1e8", lambda x: xp.nancumsum(x))
    if is_numpy:  # CuPy's maximum has no accumulate
        row("scan.cummax_1e8", lambda x: xp.maximum.accumulate(x))
    row("scan.diff_1e8", lambda x: xp.diff(x))
    row("scan.gradient_1e8", lambda x: xp.gradient(x))

    row("ix.add_at_1e7_1000", lambda a, i, v: xp.add.at(a, i, v))
    if is_numpy:  # CuPy's adds in whatever order the threads come
        row("ix.add_at_deterministic_1e7_1000", lambda a, i, v: xp.add.at(a, i, v))


def torch_rows(torch, row):
    """PyTorch's rows."""
    norm = torch.linalg.vector_norm

    def add_in_order(a, i, v):
        torch.use_deterministic_algorithms(True)
        a.index_add_(0, i, v)
        torch.use_deterministic_algorithms(False)

    row("red.sum_1e8", lambda x: x.sum())
    row("red.mean_1e8", lambda x: x.mean())
    row("red.max_1e8", lambda x: x.max())
    row("red.ptp_1e8", lambda x: torch.aminmax(x))
    row("red.argmax_1e8", lambda x: x.argmax())
    row("red.var_1e8", lambda x: x.var(correction=0))
    row("red.std_1e8", lambda x: x.std(correction=0))
    row("red.norm_1e8", lambda x: norm(x))
    row("red.norm1_1e8", lambda x: norm(x, 1))
    row("red.dot_1e8", lambda x, y: torch.dot(x, y))
    row("red.any_1e8", lambda x, least: (x > least).any())
    row("red.any_bool_1e8", lambda x: x.any())
    row("red.count_nonzero_1e8", lambda x: torch.count_nonzero(x))
    row("red.nansum_1e8", lambda x: torch.nansum(x))
    row("red.trapezoid_1e8", lambda x: torch.trapezoid(x))
    row("red.sum_f16_1e8", lambda x: x.sum())
    row("red.sum_i8_1e8", lambda x: x.sum())
    row("red.sum_f64_5e7", lambda x: x.sum())
    row("red.sum_c64_5e7", lambda x: x.sum())
    row("red.sum_axis1_200x480x1000", lambda x: x.sum(1))
    row("red.sum_axes02_250x400x1000", lambda x: x.sum((0, 2)))
    row("red.sum_axis1_strided2_1e4x1e4", lambda x: x.sum(1), every_other_column)
    row("red.median_1e7", lambda x: x.median())
    row("red.nanmedian_1e7", lambda x: x.nanmedian())
    row("red.percentile_1e7", torch.quantile, lambda x, *percents: (x, torch.tensor(percents, dtype=x.dtype) / 100))
    row("red.median_axis0_1e3x1e4", lambda x: x.median(0))
    row("red.median_axis1_1e4x1e3", lambda x: x.median(1))
    row("scan.cumsum_1e8", lambda x: x.cumsum(0))
    row("scan.cumsum_axis1_200x480x1000", lambda x: x.cumsum(1))
    row("scan.cumsum_f16_1e8", lambda x: x.cumsum(0))
    row("scan.cumsum_f64_5e7", lambda x: x.cumsum(0))
    row("scan.cumprod_1e8", lambda x: x.cumprod(0))
    row("scan.cummax_1e8", lambda x: x.cummax(0))
    row("scan.diff_1e8", lambda x: torch.diff(x))
    row("scan.gradient_1e8", lambda x: torch.gradient(x))
    row("ix.add_at_1e7_1000", lambda a, i, v: a.index_add_(0, i, v))
    for axis in (0, 1):
        shape = f"axis{axis}_1e4x1e4"
        row(f"red.sum_{shape}", lambda x, axis=axis: x.sum(axis))
        row(f"red.mean_{shape}", lambda x, axis=axis: x.mean(axis))
        row(f"red.max_{shape}", lambda x, axis=axis: x.amax(axis))
        row(f"red.argmax_{shape}", lambda x, axis=axis: x.argmax(axis))
        row(f"red.any_{shape}", lambda x, axis=axis: x.any(axis))
        row(f"red.count_nonzero_{shape}", lambda x, axis=axis: torch.count_nonzero(x, axis))
        row(f"red.norm_{shape}", lambda x, axis=axis: norm(x, dim=axis))
        row(f"red.dot_{shape}", lambda x, y, axis=axis: torch.linalg.vecdot(x, y, dim=axis))
        row(f"red.var_{shape}", lambda x, axis=axis: x.var(axis, correction=0))
        row(f"red.sum_axis{axis}_1e7x10", lambda x, axis=axis: x.sum(axis))
        row(f"red.max_axis{axis}_1e7x10", lambda x, axis=axis: x.amax(axis))
        row(f"red.argmax_axis{axis}_1e7x10", lambda x, axis=axis: x.argmax(axis))
        row(f"red.var_axis{axis}_1e7x10", lambda x, axis=axis: x.var(axis, correction=0))
        row(f"scan.cumsum_{shape}", lambda x, axis=axis: x.cumsum(axis))
        row(f"scan.cumsum_axis{axis}_1e7x10", lambda x, axis=axis: x.cumsum(axis))
    for name, axis in VIEWS:
        row(f"red.sum_{name}_sliced_1e4x1e4", lambda x, axis=axis: x.sum(axis), inner)
    # Last, for it changes a mode of the whole process.
    row("ix.add_at_deterministic_1e7_1000", add_in_order)
