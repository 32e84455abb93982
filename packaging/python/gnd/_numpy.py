"""NumPy's names whose arguments are not those of the C function, and what only Python's arrays need."""

import builtins
from collections import namedtuple

from . import _calls, _convert
from ._array import asarray, ndarray, wrap
from ._dtypes import BY_CODE, code, isdtype
from ._library import C

_c = _calls.make  # the plain function of the library


def _on(device):
    """A `with` block that makes arrays on a device; None: the current one."""
    from contextlib import nullcontext

    from ._devices import Device
    return nullcontext() if device is None else Device(device)


# ---- creation -----------------------------------------------------------------------------------------


def empty(shape, dtype=None, order="C", *, device=None):
    with _on(device):
        return _ordered(_c("empty")(shape, dtype), order)


def zeros(shape, dtype=None, order="C", *, device=None):
    with _on(device):
        return _ordered(_c("zeros")(shape, dtype), order)


def ones(shape, dtype=None, order="C", *, device=None):
    with _on(device):
        return _ordered(_c("ones")(shape, dtype), order)


def full(shape, fill_value, dtype=None, order="C", *, device=None):
    with _on(device):
        return _ordered(_c("full")(shape, fill_value, dtype), order)


def _ordered(x, order):
    return _c("asfortran")(x) if order == "F" else x


def _like(name):
    def like(x, /, dtype=None, *, device=None):
        x = asarray(x)
        if device is not None and x.device != device:
            return globals()[name](x.shape, dtype or x.dtype, device=device)
        return _c(name + "_like")(x, dtype)
    return like


empty_like, zeros_like, ones_like = map(_like, ("empty", "zeros", "ones"))


def full_like(x, /, fill_value, dtype=None, *, device=None):
    x = asarray(x, device=device)
    return _c("full_like")(x, fill_value, dtype)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    start, stop = (0, start) if stop is None else (start, stop)
    with _on(device):
        return _c("arange")(start, stop, step, dtype)


def linspace(start, stop, /, num=50, *, endpoint=True, retstep=False, dtype=None, axis=0, device=None):
    with _on(device):
        made = _c("linspace")(start, stop, num, endpoint, dtype)
    made = moveaxis(made, 0, axis) if axis and made.ndim > 1 else made
    return (made, (asarray(stop) - start) / (num - builtins.bool(endpoint))) if retstep else made


def eye(N, M=None, /, k=0, dtype=None, *, device=None, **rows):
    M = rows.get("n_cols", M)
    with _on(device):
        k = max(min(k, 2**62), -2**62)
        return _c("eye")(N, -1 if M is None else M, k, dtype)


def tri(N, M=None, k=0, dtype=None):
    return _c("tri")(N, N if M is None else M, k, dtype)


def meshgrid(*arrays, indexing="xy", sparse=False, copy=True):
    return _c("meshgrid")(arrays, {"ij": indexing == "ij", "sparse": sparse, "view": not copy}) if arrays else []


def tril(x, /, k=0):
    return _c("tril")(x, max(min(k, 2**31 - 1), -2**31))


def triu(x, /, k=0):
    return _c("triu")(x, max(min(k, 2**31 - 1), -2**31))


def ascontiguousarray(a, dtype=None):
    return _c("ascontiguous")(asarray(a, dtype))


def asfortranarray(a, dtype=None):
    return _c("asfortran")(asarray(a, dtype))


def copy(a, order="K"):
    return asarray(a, copy=True, order=order)


def asnumpy(x):
    """A NumPy array with the elements. Waits."""
    return asarray(x).get()


# ---- dtypes -------------------------------------------------------------------------------------------


def astype(x, dtype, /, *, copy=True, casting="unsafe", device=None):
    wanted = BY_CODE[code(dtype)]
    if casting != "unsafe" and not can_cast(x.dtype, wanted, casting):
        raise TypeError(f"astype: {x.dtype} does not cast to {wanted} by {casting!r}")
    return asarray(x, dtype=wanted, copy=True if copy else None, device=device)


def result_type(*arrays_and_dtypes):
    """The dtype of an operation on arrays, dtypes and (weak) numbers."""
    given, keep = [], []
    for item in arrays_and_dtypes:
        if type(item) not in (ndarray, bool, int, float, complex):
            try:
                item = _c("empty")((0,), BY_CODE[code(item)])
            except TypeError:
                item = asarray(item)
        keep.append(item)
        given.append(item)
    return _c("result_type_n")(given)


def promote_types(a, b):
    return BY_CODE[_c("promote_types")(a, b).code]


def can_cast(from_, to, casting="safe"):
    from_ = from_.dtype if isinstance(from_, ndarray) else from_
    return _c("can_cast")(code(from_), code(to), {"no": "no_casting"}.get(casting, casting))


def isscalar(value):
    return isinstance(value, (builtins.bool, int, float, complex, str, bytes))


# ---- shapes -------------------------------------------------------------------------------------------


def reshape(x, /, shape, order="C", *, copy=None):
    x = asarray(x)
    made = _c("reshape_order")(x, shape, order) if order != "C" else _c("reshape")(x, shape)
    if copy is False and made.size and not shares_memory(x, made):
        raise ValueError("reshape: copy=False, but the shape needs a copy")
    return _c("copy")(made) if copy else made


def ravel(x, order="C"):
    return _c("ravel")(x) if order == "C" else _c("ravel_order")(x, order)


def transpose(x, axes=None):
    return _c("transpose")(x) if axes is None else _c("permute")(x, tuple(axes))


def permute_dims(x, /, axes):
    x = asarray(x)
    if len(axes) != x.ndim:
        raise ValueError(f"permute_dims: {len(axes)} axes for {x.ndim} dimensions")
    return _c("permute")(x, tuple(axes)) if axes else x[...]


def expand_dims(x, /, axis=0):
    return _c("expand_dims")(x, axis)


def squeeze(x, /, axis=None):
    return x[...] if axis == () else _c("squeeze")(x, axis)


def flip(x, /, axis=None):
    return x[...] if axis == () or not x.ndim else _c("flip")(x, axis)


def moveaxis(x, source, destination, /):
    source, destination = ((a,) if isinstance(a, int) else tuple(a) for a in (source, destination))
    return _c("moveaxis")(x, source, destination) if source else x[...]


def broadcast_to(x, /, shape):
    return _c("broadcast_to")(x, shape)


def broadcast_arrays(*arrays):
    return _c("broadcast_arrays")(arrays) if arrays else []


def broadcast_shapes(*shapes):
    return _c("broadcast_shapes")(shapes)


def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    if axis is None:
        arrays, axis = [ravel(a) for a in arrays], 0
    if out is None and dtype is None:
        return _c("concatenate")(arrays, axis)
    return _c("concatenate_with")(arrays, axis, {"out": out, "dtype": dtype, "casting": casting})


concat = concatenate


def stack(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    if out is None and dtype is None:
        return _c("stack")(arrays, axis)
    return _c("stack_with")(arrays, axis, {"out": out, "dtype": dtype, "casting": casting})


def unstack(x, /, *, axis=0):
    return tuple(_c("unstack")(x, axis))


def append(a, values, axis=None):
    return concatenate([ravel(asarray(a)), ravel(asarray(values))] if axis is None else [a, values], axis or 0)


def tile(x, repetitions, /):
    return _c("tile")(x, repetitions)


def repeat(x, repeats, /, axis=None):
    x, axis = (ravel(x), 0) if axis is None else (asarray(x), axis)
    if isinstance(repeats, int):
        return _c("repeat")(x, repeats, axis)
    return _c("repeat_each")(x, asarray(repeats), axis)


def roll(x, /, shift, axis=None):
    x = asarray(x)
    if isinstance(shift, int) and (axis is None or isinstance(axis, int)):
        return _c("roll")(x, shift, axis=axis)
    axis = (axis,) if isinstance(axis, int) else tuple(axis)
    shift = (shift,) * len(axis) if isinstance(shift, int) else tuple(shift)
    for s, a in zip(shift * (len(axis) if len(shift) == 1 else 1), axis, strict=True):
        x = _c("roll")(x, s, axis=a)
    return x


def rot90(m, k=1, axes=(0, 1)):
    return _c("rot90")(m, k, axis=axes)


def _split(name):
    def split(a, indices_or_sections, *axis):
        cuts = ({"sections": indices_or_sections} if isinstance(indices_or_sections, int) else
                {"count": len(indices_or_sections), "indices": [int(i) for i in indices_or_sections]})
        return _c(name)(a, cuts, *axis)
    return split


hsplit, vsplit, dsplit = map(_split, ("hsplit", "vsplit", "dsplit"))


def split(a, indices_or_sections, axis=0):
    return _split("split")(a, indices_or_sections, axis)


def array_split(a, indices_or_sections, axis=0):
    return _split("array_split")(a, indices_or_sections, axis)


def pad(a, pad_width, mode="constant", **options):
    a = asarray(a)
    pairs = asarray(pad_width).tolist()
    pairs = [pairs] if isinstance(pairs, int) else pairs
    pairs = [pairs] if all(isinstance(p, int) for p in pairs) else pairs
    pairs = [(p * 2 if len(p) == 1 else p) if isinstance(p, (list, tuple)) else (p, p) for p in pairs]
    widths = {"count": len(pairs), "width": pairs}
    given = {"mode": mode, "odd": options.get("reflect_type") == "odd"}
    for name, count, key in (("constant_values", "values", "value"), ("end_values", "values", "value"),
                             ("stat_length", "lengths", "length")):
        if options.get(name) is not None:
            values = options[name]
            values = [[values] * 2] if not isinstance(values, (list, tuple)) else values
            values = [values] if not isinstance(values[0], (list, tuple)) else values
            given |= {count: len(values), key: [(v * 2 if len(v) == 1 else v) for v in values]}
    return _c("pad")(a, widths, **given)


# ---- elements, indices --------------------------------------------------------------------------------


def where(condition, x=None, y=None, /):
    return nonzero(condition) if x is None and y is None else _c("where")(condition, x, y)


def clip(x, /, min=None, max=None, *, out=None, **options):
    min, max = options.pop("a_min", min), options.pop("a_max", max)
    x = asarray(x)
    return _c("clip")(x, min, max, out=out, **options) if min is not None or max is not None else _copied(x, out)


def _copied(x, out):
    if out is None:
        return _c("copy")(x)
    out[...] = x
    return out


def round(x, /, decimals=0, out=None):
    made = _c("round")(x, decimals)
    return made if out is None else _copied(made, out)


around = round


def angle(z, deg=False):
    return _c("angle")(z, deg)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    x = asarray(x)
    made = _c("nan_to_num")(x, nan, posinf, neginf)
    return made if copy else _copied(made, x)


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    return _c("isclose")(a, b, rtol, atol, equal_nan)


def nonzero(x, /):
    x = asarray(x)
    if not x.ndim:
        raise ValueError("nonzero of an array without dimensions: use atleast_1d(x).nonzero()")
    return tuple(_c("nonzero")(x))


def take(x, indices, /, axis=None, out=None, mode="raise"):
    x, indices = asarray(x), asarray(indices)
    return _c("take")(x, indices, axis=axis, out=out, mode=mode)


def take_along_axis(x, indices, /, axis=-1):
    return _c("take_along_axis")(x, indices, axis=axis)


def put(a, ind, v, mode="raise"):
    _c("put")(a, ind, asarray(v), mode)


def copyto(dst, src, casting="same_kind", where=True):
    _c("copyto_where")(dst, src, None if where is True else where, casting)


def argsort(x, /, axis=-1, kind=None, *, descending=False, stable=True):
    return _sorted("argsort", asarray(x), axis, descending)


def sort(x, /, axis=-1, kind=None, *, descending=False, stable=True):
    return _sorted("sort", asarray(x), axis, descending)


def _sorted(name, x, axis, descending):
    x, axis = (ravel(x), 0) if axis is None else (x, axis)
    return _c(name)(x, axis=axis, direction=C["DESCENDING" if descending else "ASCENDING"])


def partition(a, kth, axis=-1):
    a, axis = (ravel(a), 0) if axis is None else (a, axis)
    return _c("partition")(a, [kth] if isinstance(kth, int) else kth, axis=axis)


def argpartition(a, kth, axis=-1):
    a, axis = (ravel(a), 0) if axis is None else (a, axis)
    return _c("argpartition")(a, [kth] if isinstance(kth, int) else kth, axis=axis)


def lexsort(keys, axis=-1):
    return _c("lexsort")(list(keys), axis=axis)


def searchsorted(x1, x2, /, side="left", sorter=None):
    return _c("searchsorted")(x1, x2, side, sorter)


def fill_diagonal(a, val, wrap=False):
    _c("fill_diagonal")(a, val, wrap)


def ix_(*arrays):
    return tuple(_c("ix")(arrays))


def array_equal(a, b, equal_nan=False):
    return _c("array_equal")(a, b, equal_nan)


def shares_memory(a, b, max_work=-1):
    return _c("shares_memory")(a, b, max_work)


# ---- sets ---------------------------------------------------------------------------------------------

_All = namedtuple("unique_all_result", "values indices inverse_indices counts")
_Counts = namedtuple("unique_counts_result", "values counts")
_Inverse = namedtuple("unique_inverse_result", "values inverse_indices")


def unique_all(x, /):
    return _All(*_c("unique_all")(x))


def unique_counts(x, /):
    return _Counts(*_c("unique_counts")(x))


def unique_inverse(x, /):
    return _Inverse(*_c("unique_inverse")(x))


def unique(x, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    import ctypes
    asked = {"index": return_index, "inverse": return_inverse, "counts": return_counts}
    rooms = {name: ctypes.c_void_p() for name, wanted in asked.items() if wanted}
    given = {name: ctypes.addressof(room) for name, room in rooms.items()}
    values = _c("unique")(x, axis=axis, distinct_nan=not equal_nan, unsorted=not sorted, **given)
    return (values, *[wrap(room.value) for room in rooms.values()]) if rooms else values


# ---- reductions and sums ------------------------------------------------------------------------------


def _corrected(name):
    def spread(x, /, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, correction=None):
        return _c(name)(x, axis=axis, dtype=dtype, out=out, keepdims=keepdims, where=where,
                        ddof=ddof if correction is None else correction)
    return spread


std, var, nanstd, nanvar = map(_corrected, ("std", "var", "nanstd", "nanvar"))


def _cumulative(name):
    def running(x, /, *, axis=None, dtype=None, include_initial=False, out=None):
        x = asarray(x)
        if axis is None and x.ndim != 1:
            raise ValueError(f"{name}: axis is needed for {x.ndim} dimensions")
        return _c(name)(x, axis=0 if axis is None else axis, dtype=dtype, out=out, include_initial=include_initial)
    return running


cumulative_sum, cumulative_prod = _cumulative("cumulative_sum"), _cumulative("cumulative_prod")


def diff(x, /, n=1, axis=-1, prepend=None, append=None):
    return _c("diff")(x, n, axis, prepend, append)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    if returned:
        return _c("average_two")(a, axis=axis, keepdims=keepdims, weights=weights)
    return _c("average")(a, axis=axis, keepdims=keepdims, weights=weights)


def _ranked(name):
    def ranked(a, q, axis=None, out=None, method="linear", keepdims=False):
        return _c(name)(a, q, axis=axis, out=out, keepdims=keepdims, method=method)
    return ranked


quantile, nanquantile, percentile, nanpercentile = map(_ranked, ("quantile", "nanquantile", "percentile",
                                                                 "nanpercentile"))


def histogram(a, bins=10, range=None, density=False, weights=None):
    return _c("histogram")(a, bins, density=density, weights=weights, range=range)


# ---- products -----------------------------------------------------------------------------------------


def matmul(a, b, /, out=None):
    a, b = asarray(a), asarray(b)
    if out is None:
        return _c("matmul")(a, b)
    _c("matmul_into")(out, a, b, 1, 0)
    return out


def tensordot(a, b, /, axes=2):
    if isinstance(axes, int):
        return _c("tensordot")(a, b, axes)
    of_a, of_b = ((axis,) if isinstance(axis, int) else tuple(axis) for axis in axes)
    return _c("tensordot_axes")(a, b, of_a, of_b)


def vecdot(a, b, /, *, axis=-1):
    return _c("vecdot")(a, b, axis)


def cross(a, b, axis=-1):
    return _c("cross")(a, b, axis)


def einsum(subscripts, *operands, out=None):
    made = _c("einsum")(subscripts, [asarray(x) for x in operands])
    return made if out is None else _copied(made, out)


def outer(a, b, out=None):
    return _c("multiply").outer(ravel(asarray(a)), ravel(asarray(b))) if out is None else _copied(outer(a, b), out)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    a = asarray(a)
    if dtype is None and a.dtype.kind in "biu" and a.dtype.itemsize < 8:
        dtype = "uint64" if a.dtype.kind == "u" else "int64"
    return _c("trace")(a if dtype is None else a.astype(dtype), offset, axis1, axis2)


# ---- files --------------------------------------------------------------------------------------------


def save(file, arr):
    _c("save")(file, arr)


# ---- the array API standard ---------------------------------------------------------------------------


class _Namespace:
    """What __array_namespace_info__ returns."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        from ._devices import current_device
        return current_device()

    def devices(self):
        from ._devices import devices
        return devices()

    def default_dtypes(self, *, device=None):
        return {"real floating": BY_CODE[code("float64")], "complex floating": BY_CODE[code("complex128")],
                "integral": BY_CODE[code("int64")], "indexing": BY_CODE[code("int64")]}

    def dtypes(self, *, device=None, kind=None):
        return {d.name: d for d in BY_CODE.values()
                if d.name not in ("float16", "bfloat16") and (kind is None or isdtype(d, kind))}


def array_namespace_info():
    """The array API's description of this namespace."""
    return _Namespace()


__all__ = [name for name, value in list(globals().items())
           if callable(value) and not name.startswith("_") and name not in (
               "namedtuple", "asarray", "ndarray", "wrap", "code", "isdtype")]
