"""The peers' rows of rows_index.c and rows_sort.c: indexing, sorting, sets, counting and joining, by the same names
(peers_rows.py). A function that a peer lacks makes no row for it, nor does one that does not come to an end (CuPy's
unique along an axis)."""


def put(x, i, v=1.0):
    x[i] = v


def sorted_first(sort):
    return lambda x, v: (sort(x), v)


def sorted_second(sort):
    return lambda x, xs, ys: (x, sort(xs), ys)


def array_rows(xp, row):
    """The rows of NumPy and CuPy, which share a language."""
    is_numpy = xp.__name__ == "numpy"

    row.same("ix.take_1e7_of_1e8", lambda x, i: x[i])
    row.same("ix.take_rows_1e6_of_1e6x100", lambda x, i: x[i])
    row.same("ix.take_rows_4096x4096", lambda x, i: x[i], lambda x: (x, xp.random.permutation(len(x))))
    row.same("ix.take_along_axis1_1e4x1e4", lambda x, i: xp.take_along_axis(x, i, axis=1))
    row.same("ix.mask_1e8", lambda x: x[x > 0.5])
    row.same("ix.nonzero_1e8", lambda x: xp.nonzero(x > 0.5))
    row.same("ix.put_1e7_of_1e8", put)
    row.same("ix.set_mask_1e8", put)
    row.same("ix.bincount_1e7_1000", lambda x: xp.bincount(x))
    row.same("ix.histogram_1e7_100", lambda x: xp.histogram(x, 100))
    row.same("ix.histogram_1e7_1000", lambda x: xp.histogram(x, 1000))

    row.same("sort.f32_4096sq", lambda x: xp.sort(x))
    row.same("sort.argsort_f32_4096sq", lambda x: xp.argsort(x))
    for axis in (1, 0):
        row.same(f"sort.f32_axis{axis}_4096x4096", lambda x, axis=axis: xp.sort(x, axis=axis))
    row.same("sort.argsort_f32_axis1_4096x4096", lambda x: xp.argsort(x, axis=1))
    row.same("sort.f32_axis1_1e6x16", lambda x: xp.sort(x, axis=1))
    row.same("sort.f64_4096sq", lambda x: xp.sort(x))
    row.same("sort.i32_4096sq", lambda x: xp.sort(x))
    row.same("sort.u8_4096sq", lambda x: xp.sort(x))
    row.same("sort.partition_k100", lambda x: xp.partition(x, 100))
    row.same("sort.unique_i32_4096sq", lambda x: xp.unique(x))
    row.same("sort.unique_full_i32_4096sq", lambda x: xp.unique(x))
    row.same("sort.unique_inverse_i32_4096sq", lambda x: xp.unique(x, return_inverse=True, return_counts=True))
    if is_numpy:
        row.same("sort.unique_axis0_1e6x10", lambda x: xp.unique(x, axis=0))
    row.same("sort.lexsort_2x1e6", lambda a, b: xp.lexsort(xp.stack([a, b])))
    row.same("sort.searchsorted_1e7_in_1e6", lambda a, v: xp.searchsorted(a, v), sorted_first(xp.sort))
    row.same("sort.isin_1e7_of_1e4", lambda x, t: xp.isin(x, t))
    row.same("sort.interp_1e7_in_1e4", lambda x, a, b: xp.interp(x, a, b), sorted_second(xp.sort))

    row.same("join.concatenate_2x5e7", lambda x, y: xp.concatenate((x, y)))
    row.same("join.tile_1e4_x1e4", lambda x, n: xp.tile(x, n))
    row.same("join.repeat_1e7_x10", lambda x: xp.repeat(x, 10))
    row.same("join.pad_reflect_1e4x1e4", lambda x: xp.pad(x, 16, mode="reflect"))
    row.same("join.roll_1e8", lambda x: xp.roll(x, 12345))
    row.same("join.tril_1e4x1e4", lambda x: xp.tril(x))
    row.same("sig.convolve_1e7_101", lambda x, k: xp.convolve(x, k))


def torch_rows(torch, row):
    """PyTorch's rows."""
    row.same("ix.take_1e7_of_1e8", lambda x, i: x.index_select(0, i))
    row.same("ix.take_rows_1e6_of_1e6x100", lambda x, i: x.index_select(0, i))
    row.same("ix.take_rows_4096x4096", lambda x, i: x.index_select(0, i), lambda x: (x, torch.randperm(len(x))))
    row.same("ix.take_along_axis1_1e4x1e4", lambda x, i: torch.take_along_dim(x, i, 1))
    row.same("ix.mask_1e8", lambda x: x[x > 0.5])
    row.same("ix.nonzero_1e8", lambda x: torch.nonzero(x > 0.5))
    row.same("ix.put_1e7_of_1e8", put)
    row.same("ix.set_mask_1e8", put)
    row.same("ix.bincount_1e7_1000", lambda x: torch.bincount(x))
    row.same("ix.histogram_1e7_100", lambda x: torch.histc(x, 100))
    row.same("ix.histogram_1e7_1000", lambda x: torch.histc(x, 1000))
    row.same("sort.f32_4096sq", lambda x: torch.sort(x))
    row.same("sort.argsort_f32_4096sq", lambda x: torch.argsort(x))
    row.same("sort.f32_axis1_4096x4096", lambda x: torch.sort(x, dim=1))
    row.same("sort.f32_axis0_4096x4096", lambda x: torch.sort(x, dim=0))
    row.same("sort.argsort_f32_axis1_4096x4096", lambda x: torch.argsort(x, dim=1))
    row.same("sort.f32_axis1_1e6x16", lambda x: torch.sort(x, dim=1))
    row.same("sort.f64_4096sq", lambda x: torch.sort(x))
    row.same("sort.i32_4096sq", lambda x: torch.sort(x))
    row.same("sort.u8_4096sq", lambda x: torch.sort(x))
    row.same("sort.partition_k100", lambda x: torch.topk(x, 101, largest=False))
    row.same("sort.topk_k100", lambda x: torch.topk(x, 100))
    row.same("sort.topk_k10", lambda x: torch.topk(x, 10))
    row.same("sort.topk_k10_axis1_4096x4096", lambda x: torch.topk(x, 10))
    row.same("sort.unique_i32_4096sq", lambda x: torch.unique(x))
    row.same("sort.unique_full_i32_4096sq", lambda x: torch.unique(x))
    row.same("sort.unique_inverse_i32_4096sq", lambda x: torch.unique(x, return_inverse=True, return_counts=True))
    row.same("sort.unique_axis0_1e6x10", lambda x: torch.unique(x, dim=0))
    row.same("sort.searchsorted_1e7_in_1e6", lambda a, v: torch.searchsorted(a, v),
             sorted_first(lambda x: torch.sort(x)[0]))
    row.same("sort.isin_1e7_of_1e4", lambda x, t: torch.isin(x, t))
    row.same("join.concatenate_2x5e7", lambda x, y: torch.cat((x, y)))
    row.same("join.tile_1e4_x1e4", lambda x, n: torch.tile(x, (n,)))
    row.same("join.repeat_1e7_x10", lambda x: torch.repeat_interleave(x, 10))
    row.same("join.pad_reflect_1e4x1e4", lambda x: torch.nn.functional.pad(x, (16, 16, 16, 16), mode="reflect"),
             lambda x: (x[None],))
    row.same("join.roll_1e8", lambda x: torch.roll(x, 12345))
    row.same("join.tril_1e4x1e4", lambda x: torch.tril(x))
    row.same("sig.convolve_1e7_101", lambda x, k: torch.nn.functional.conv1d(x, k, padding=k.shape[-1] - 1),
             lambda x, k: (x[None, None], k[None, None]))
