"""The peers' rows of rows_index.c and rows_sort.c: indexing, sorting, sets, counting and joining, by the same names
(peers_rows.py). A function that a peer lacks makes no row for it, nor does one that does not come to an end (CuPy's
unique along an axis)."""


def put(x, i, v):
    x[i] = v


def sorted_first(sort):
    return lambda x, v: (sort(x), v)


def sorted_second(sort):
    return lambda x, xs, ys: (x, sort(xs), ys)


def array_rows(xp, row):
    """The rows of NumPy and CuPy, which share a language."""
    is_numpy = xp.__name__ == "numpy"

    row("ix.take_1e7_of_1e8", lambda x, i: x[i])
    row("ix.take_rows_1e6_of_1e6x100", lambda x, i: x[i])
    row("ix.take_rows_4096x4096", lambda x, i: x[i], lambda x: (x, xp.random.permutation(len(x))))
    row("ix.take_along_axis1_1e4x1e4", lambda x, i: xp.take_along_axis(x, i, axis=1))
    row("ix.mask_1e8", lambda x, least: x[x > least])
    row("ix.nonzero_1e8", lambda x, least: xp.nonzero(x > least))
    row("ix.put_1e7_of_1e8", put)
    row("ix.set_mask_1e8", put)
    row("ix.bincount_1e7_1000", lambda x: xp.bincount(x))
    row("ix.histogram_1e7_100", lambda x, bins: xp.histogram(x, bins))
    row("ix.histogram_1e7_1000", lambda x, bins: xp.histogram(x, bins))

    row("sort.f32_4096sq", lambda x: xp.sort(x))
    row("sort.argsort_f32_4096sq", lambda x: xp.argsort(x))
    for axis in (1, 0):
        row(f"sort.f32_axis{axis}_4096x4096", lambda x, axis=axis: xp.sort(x, axis=axis))
    row("sort.argsort_f32_axis1_4096x4096", lambda x: xp.argsort(x, axis=1))
    row("sort.f32_axis1_1e6x16", lambda x: xp.sort(x, axis=1))
    row("sort.f64_4096sq", lambda x: xp.sort(x))
    row("sort.i32_4096sq", lambda x: xp.sort(x))
    row("sort.u8_4096sq", lambda x: xp.sort(x))
    row("sort.partition_k100", lambda x, k: xp.partition(x, k))
    row("sort.unique_i32_4096sq", lambda x: xp.unique(x))
    row("sort.unique_full_i32_4096sq", lambda x: xp.unique(x))
    row("sort.unique_inverse_i32_4096sq", lambda x: xp.unique(x, return_inverse=True, return_counts=True))
    if is_numpy:
        row("sort.unique_axis0_1e6x10", lambda x: xp.unique(x, axis=0))
    row("sort.lexsort_2x1e6", lambda a, b: xp.lexsort(xp.stack([a, b])))
    row("sort.searchsorted_1e7_in_1e6", lambda a, v: xp.searchsorted(a, v), sorted_first(xp.sort))
    row("sort.isin_1e7_of_1e4", lambda x, t: xp.isin(x, t))
    row("sort.interp_1e7_in_1e4", lambda x, a, b: xp.interp(x, a, b), sorted_second(xp.sort))

    row("join.concatenate_2x5e7", lambda x, y: xp.concatenate((x, y)))
    row("join.tile_1e4_x1e4", lambda x, n: xp.tile(x, n))
    row("join.repeat_1e7_x10", lambda x, n: xp.repeat(x, n))
    row("join.pad_reflect_1e4x1e4", lambda x, n: xp.pad(x, n, mode="reflect"))
    row("join.roll_1e8", lambda x, n: xp.roll(x, n))
    row("join.tril_1e4x1e4", lambda x: xp.tril(x))
    row("sig.convolve_1e7_101", lambda x, k: xp.convolve(x, k))


def torch_rows(torch, row):
    """PyTorch's rows."""
    row("ix.take_1e7_of_1e8", lambda x, i: x.index_select(0, i))
    row("ix.take_rows_1e6_of_1e6x100", lambda x, i: x.index_select(0, i))
    row("ix.take_rows_4096x4096", lambda x, i: x.index_select(0, i), lambda x: (x, torch.randperm(len(x))))
    row("ix.take_along_axis1_1e4x1e4", lambda x, i: torch.take_along_dim(x, i, 1))
    row("ix.mask_1e8", lambda x, least: x[x > least])
    row("ix.nonzero_1e8", lambda x, least: torch.nonzero(x > least))
    row("ix.put_1e7_of_1e8", put)
    row("ix.set_mask_1e8", put)
    row("ix.bincount_1e7_1000", lambda x: torch.bincount(x))
    row("ix.histogram_1e7_100", lambda x, bins: torch.histc(x, bins))
    row("ix.histogram_1e7_1000", lambda x, bins: torch.histc(x, bins))
    row("sort.f32_4096sq", lambda x: torch.sort(x))
    row("sort.argsort_f32_4096sq", lambda x: torch.argsort(x))
    row("sort.f32_axis1_4096x4096", lambda x: torch.sort(x, dim=1))
    row("sort.f32_axis0_4096x4096", lambda x: torch.sort(x, dim=0))
    row("sort.argsort_f32_axis1_4096x4096", lambda x: torch.argsort(x, dim=1))
    row("sort.f32_axis1_1e6x16", lambda x: torch.sort(x, dim=1))
    row("sort.f64_4096sq", lambda x: torch.sort(x))
    row("sort.i32_4096sq", lambda x: torch.sort(x))
    row("sort.u8_4096sq", lambda x: torch.sort(x))
    row("sort.partition_k100", lambda x, k: torch.topk(x, k + 1, largest=False))
    row("sort.topk_k100", lambda x, k: torch.topk(x, k))
    row("sort.topk_k10", lambda x, k: torch.topk(x, k))
    row("sort.topk_k10_axis1_4096x4096", lambda x, k: torch.topk(x, k))
    row("sort.unique_i32_4096sq", lambda x: torch.unique(x))
    row("sort.unique_full_i32_4096sq", lambda x: torch.unique(x))
    row("sort.unique_inverse_i32_4096sq", lambda x: torch.unique(x, return_inverse=True, return_counts=True))
    row("sort.unique_axis0_1e6x10", lambda x: torch.unique(x, dim=0))
    row("sort.searchsorted_1e7_in_1e6", lambda a, v: torch.searchsorted(a, v),
        sorted_first(lambda x: torch.sort(x)[0]))
    row("sort.isin_1e7_of_1e4", lambda x, t: torch.isin(x, t))
    row("join.concatenate_2x5e7", lambda x, y: torch.cat((x, y)))
    row("join.tile_1e4_x1e4", lambda x, n: torch.tile(x, (n,)))
    row("join.repeat_1e7_x10", lambda x, n: torch.repeat_interleave(x, n))
    row("join.pad_reflect_1e4x1e4", lambda x, widths: torch.nn.functional.pad(x, widths, mode="reflect"),
        lambda x, n: (x[None], (n,) * 4))
    row("join.roll_1e8", lambda x, n: torch.roll(x, n))
    row("join.tril_1e4x1e4", lambda x: torch.tril(x))
    row("sig.convolve_1e7_101", lambda x, k: torch.nn.functional.conv1d(x, k, padding=k.shape[-1] - 1),
        lambda x, k: (x[None, None], k[None, None]))
