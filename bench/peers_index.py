"""The peers' rows of rows_index.c and rows_sort.c: indexing, sorting, sets, counting and joining, by
the same names.

A row is name -> (prepare, run). A function that a peer lacks makes no row for it, nor does one that
does not come to an end (CuPy's unique along an axis).
"""

N = 10**8
SIDE = 4096
SQUARE = SIDE * SIDE


def array_rows(xp, make, row):
    """The rows of NumPy and CuPy, which share a language."""
    is_numpy = xp.__name__ == "numpy"
    f64, i32, i64 = xp.float64, xp.int32, xp.int64

    def indices(n, high):
        return (make(n).astype(f64) * high).astype(i64)

    def words(n, high=2**31):
        return (make(n).astype(f64) * high).astype(i32)

    tenth = N // 10
    row("ix.take_1e7_of_1e8", lambda: (make(N), indices(tenth, N)), lambda x, i: x[i])
    row("ix.take_rows_1e6_of_1e6x100", lambda: (make(10**6, 100), indices(10**6, 10**6)), lambda x, i: x[i])
    row("ix.take_rows_4096x4096", lambda: (make(4096, 4096), xp.random.permutation(4096)), lambda x, i: x[i])
    row("ix.take_along_axis1_1e4x1e4", lambda: (make(10**4, 10**4), indices(N, 10**4).reshape(10**4, 10**4)),
        lambda x, i: xp.take_along_axis(x, i, axis=1))
    row("ix.mask_1e8", lambda: (make(N),), lambda x: x[x > 0.5])
    row("ix.nonzero_1e8", lambda: (make(N),), lambda x: xp.nonzero(x > 0.5))

    def put(x, i, v):
        x[i] = v

    def put_mask(x, m, v):
        x[m] = v

    row("ix.put_1e7_of_1e8", lambda: (make(N), indices(tenth, N), make(tenth)), put)
    row("ix.set_mask_1e8", lambda: (make(N), make(N) > 0.5, 1.0), put_mask)
    row("ix.bincount_1e7_1000", lambda: (indices(tenth, 1000),), lambda x: xp.bincount(x))
    row("ix.histogram_1e7_100", lambda: (make(tenth),), lambda x: xp.histogram(x, 100))
    row("ix.histogram_1e7_1000", lambda: (make(tenth),), lambda x: xp.histogram(x, 1000))

    row("sort.f32_4096sq", lambda: (make(SQUARE),), lambda x: xp.sort(x))
    row("sort.argsort_f32_4096sq", lambda: (make(SQUARE),), lambda x: xp.argsort(x))
    for axis in (1, 0):
        row(f"sort.f32_axis{axis}_4096x4096", lambda: (make(SIDE, SIDE),),
            lambda x, axis=axis: xp.sort(x, axis=axis))
    row("sort.argsort_f32_axis1_4096x4096", lambda: (make(SIDE, SIDE),), lambda x: xp.argsort(x, axis=1))
    row("sort.f32_axis1_1e6x16", lambda: (make(10**6, 16),), lambda x: xp.sort(x, axis=1))
    row("sort.f64_4096sq", lambda: (make(SQUARE).astype(f64),), lambda x: xp.sort(x))
    row("sort.i32_4096sq", lambda: (words(SQUARE),), lambda x: xp.sort(x))
    row("sort.u8_4096sq", lambda: (words(SQUARE, 256).astype(xp.uint8),), lambda x: xp.sort(x))
    row("sort.partition_k100", lambda: (make(SQUARE),), lambda x: xp.partition(x, 100))
    row("sort.unique_i32_4096sq", lambda: (words(SQUARE, 10**6),), lambda x: xp.unique(x))
    row("sort.unique_full_i32_4096sq", lambda: (words(SQUARE),), lambda x: xp.unique(x))
    row("sort.unique_inverse_i32_4096sq", lambda: (words(SQUARE, 10**6),),
        lambda x: xp.unique(x, return_inverse=True, return_counts=True))
    if is_numpy:
        row("sort.unique_axis0_1e6x10", lambda: (words(10**7, 4).reshape(10**6, 10),),
            lambda x: xp.unique(x, axis=0))
    row("sort.lexsort_2x1e6", lambda: (words(10**6, 1000), make(10**6)),
        lambda a, b: xp.lexsort(xp.stack([a.astype(xp.float32), b])))
    row("sort.searchsorted_1e7_in_1e6", lambda: (xp.sort(make(10**6)), make(tenth)),
        lambda a, v: xp.searchsorted(a, v))
    row("sort.isin_1e7_of_1e4", lambda: (words(tenth, 10**6), words(10**4, 10**6)),
        lambda x, t: xp.isin(x, t))
    row("sort.interp_1e7_in_1e4", lambda: (make(tenth), xp.sort(make(10**4)), make(10**4)),
        lambda x, a, b: xp.interp(x, a, b))

    row("join.concatenate_2x5e7", lambda: (make(N // 2), make(N // 2)), lambda x, y: xp.concatenate((x, y)))
    row("join.tile_1e4_x1e4", lambda: (make(10**4),), lambda x: xp.tile(x, 10**4))
    row("join.repeat_1e7_x10", lambda: (make(tenth),), lambda x: xp.repeat(x, 10))
    row("join.pad_reflect_1e4x1e4", lambda: (make(10**4, 10**4),), lambda x: xp.pad(x, 16, mode="reflect"))
    row("join.roll_1e8", lambda: (make(N),), lambda x: xp.roll(x, 12345))
    row("join.tril_1e4x1e4", lambda: (make(10**4, 10**4),), lambda x: xp.tril(x))
    row("sig.convolve_1e7_101", lambda: (make(tenth), make(101)), lambda x, k: xp.convolve(x, k))


def torch_rows(torch, make):
    """PyTorch's rows."""
    f64, i32, i64 = torch.float64, torch.int32, torch.int64

    def indices(n, high):
        return (make(n).to(f64) * high).to(i64)

    def words(n, high=2**31):
        return (make(n).to(f64) * high).to(i32)

    def put(x, i, v):
        x[i] = v

    tenth = N // 10
    return {
        "ix.take_1e7_of_1e8": (lambda: (make(N), indices(tenth, N)), lambda x, i: x.index_select(0, i)),
        "ix.take_rows_1e6_of_1e6x100": (lambda: (make(10**6, 100), indices(10**6, 10**6)),
                                        lambda x, i: x.index_select(0, i)),
        "ix.take_rows_4096x4096": (lambda: (make(4096, 4096), torch.randperm(4096)), lambda x, i: x.index_select(0, i)),
        "ix.take_along_axis1_1e4x1e4": (
            lambda: (make(10**4, 10**4), indices(N, 10**4).reshape(10**4, 10**4)),
            lambda x, i: torch.take_along_dim(x, i, 1)),
        "ix.mask_1e8": (lambda: (make(N),), lambda x: x[x > 0.5]),
        "ix.nonzero_1e8": (lambda: (make(N),), lambda x: torch.nonzero(x > 0.5)),
        "ix.put_1e7_of_1e8": (lambda: (make(N), indices(tenth, N), make(tenth)), put),
        "ix.set_mask_1e8": (lambda: (make(N), make(N) > 0.5, 1.0), put),
        "ix.bincount_1e7_1000": (lambda: (indices(tenth, 1000),), lambda x: torch.bincount(x)),
        "ix.histogram_1e7_100": (lambda: (make(tenth),), lambda x: torch.histc(x, 100)),
        "ix.histogram_1e7_1000": (lambda: (make(tenth),), lambda x: torch.histc(x, 1000)),
        "sort.f32_4096sq": (lambda: (make(SQUARE),), lambda x: torch.sort(x)),
        "sort.argsort_f32_4096sq": (lambda: (make(SQUARE),), lambda x: torch.argsort(x)),
        "sort.f32_axis1_4096x4096": (lambda: (make(SIDE, SIDE),), lambda x: torch.sort(x, dim=1)),
        "sort.f32_axis0_4096x4096": (lambda: (make(SIDE, SIDE),), lambda x: torch.sort(x, dim=0)),
        "sort.argsort_f32_axis1_4096x4096": (lambda: (make(SIDE, SIDE),), lambda x: torch.argsort(x, dim=1)),
        "sort.f32_axis1_1e6x16": (lambda: (make(10**6, 16),), lambda x: torch.sort(x, dim=1)),
        "sort.f64_4096sq": (lambda: (make(SQUARE).to(f64),), lambda x: torch.sort(x)),
        "sort.i32_4096sq": (lambda: (words(SQUARE),), lambda x: torch.sort(x)),
        "sort.u8_4096sq": (lambda: (words(SQUARE, 256).to(torch.uint8),), lambda x: torch.sort(x)),
        "sort.partition_k100": (lambda: (make(SQUARE),), lambda x: torch.topk(x, 101, largest=False)),
        "sort.topk_k100": (lambda: (make(SQUARE),), lambda x: torch.topk(x, 100)),
        "sort.topk_k10": (lambda: (make(SQUARE),), lambda x: torch.topk(x, 10)),
        "sort.topk_k10_axis1_4096x4096": (lambda: (make(SIDE, SIDE),), lambda x: torch.topk(x, 10)),
        "sort.unique_i32_4096sq": (lambda: (words(SQUARE, 10**6),), lambda x: torch.unique(x)),
        "sort.unique_full_i32_4096sq": (lambda: (words(SQUARE),), lambda x: torch.unique(x)),
        "sort.unique_inverse_i32_4096sq": (
            lambda: (words(SQUARE, 10**6),),
            lambda x: torch.unique(x, return_inverse=True, return_counts=True)),
        "sort.unique_axis0_1e6x10": (lambda: (words(10**7, 4).reshape(10**6, 10),),
                                     lambda x: torch.unique(x, dim=0)),
        "sort.searchsorted_1e7_in_1e6": (lambda: (torch.sort(make(10**6))[0], make(tenth)),
                                         lambda a, v: torch.searchsorted(a, v)),
        "sort.isin_1e7_of_1e4": (lambda: (words(tenth, 10**6), words(10**4, 10**6)),
                                 lambda x, t: torch.isin(x, t)),
        "join.concatenate_2x5e7": (lambda: (make(N // 2), make(N // 2)), lambda x, y: torch.cat((x, y))),
        "join.tile_1e4_x1e4": (lambda: (make(10**4),), lambda x: torch.tile(x, (10**4,))),
        "join.repeat_1e7_x10": (lambda: (make(tenth),), lambda x: torch.repeat_interleave(x, 10)),
        "join.pad_reflect_1e4x1e4": (
            lambda: (make(1, 10**4, 10**4),),
            lambda x: torch.nn.functional.pad(x, (16, 16, 16, 16), mode="reflect")),
        "join.roll_1e8": (lambda: (make(N),), lambda x: torch.roll(x, 12345)),
        "join.tril_1e4x1e4": (lambda: (make(10**4, 10**4),), lambda x: torch.tril(x)),
        "sig.convolve_1e7_101": (
            lambda: (make(1, 1, tenth), make(1, 1, 101)),
            lambda x, k: torch.nn.functional.conv1d(x, k, padding=100)),
    }
