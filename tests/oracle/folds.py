"""What each reduction and scan must give: NumPy's function, its options, and how near to the true value
a result must be. `check_fold` calls both and compares.

Results are compared exactly where no rounding is involved (extremes, positions, counts, integers). Sums
and what comes from them are held against the value in a wider type, within a few roundings of the size
of what was added up; where infinities or NaN are at work, against NumPy's own result.
"""

import warnings
from collections import namedtuple

import numpy as np

import dtypes
import gnd
import reference

# numpy: (x, axis=, **options) -> array. rule: how results are compared. options: what it takes.
# before, after: the arguments on either side of the axes in gnd's call; extra: NumPy's for the same.
Fold = namedtuple("Fold", "name numpy rule options before after extra")

FOLDS = {}


def fold(name, numpy, rule, options="", key=None, before=(), after=(), **extra):
    FOLDS[key or name] = Fold(name, numpy, rule, set(options.split()), before, after, extra)


def _of_axes(function):
    """A NumPy function that takes one axis or none."""
    def call(x, axis=None, **options):
        if isinstance(axis, tuple):
            (axis,) = axis
        return function(x, axis=axis, **options)
    return call


def _count_nonzero(x, axis=None, **options):
    return np.sum(x != 0, axis=axis, **options)


def _running(function):
    def call(x, axis, **options):
        return function.accumulate(np.ravel(x) if axis is None else x, axis or 0, **options)
    return _of_axes(call)


COMMON = "keepdims where out several"
for _name in ("sum", "prod"):
    fold(_name, getattr(np, _name), _name, COMMON + " dtype initial")
    fold("nan" + _name, getattr(np, "nan" + _name), _name, COMMON + " dtype initial")
for _name in ("min", "max"):
    fold(_name, getattr(np, _name), "exact", COMMON + " initial")
    fold("nan" + _name, getattr(np, "nan" + _name), "exact", COMMON + " initial")
for _name in ("any", "all"):
    fold(_name, getattr(np, _name), "exact", COMMON)
for _name in ("mean", "nanmean"):
    fold(_name, getattr(np, _name), "mean", COMMON + " dtype")
for _name in ("var", "std", "nanvar", "nanstd"):
    fold(_name, getattr(np, _name), _name[-3:], COMMON + " dtype", after=(0,), ddof=0)
    fold(_name, getattr(np, _name), _name[-3:], COMMON + " dtype", key=_name + " of a sample", after=(1,),
         ddof=1)
fold("ptp", np.ptp, "exact", "keepdims out several")
fold("count_nonzero", _count_nonzero, "exact", COMMON)
for _name in ("argmin", "argmax", "nanargmin", "nanargmax"):
    fold(_name, _of_axes(getattr(np, _name)), "exact", "keepdims out")
for _name in ("cumsum", "cumprod", "nancumsum", "nancumprod"):
    fold(_name, _of_axes(getattr(np, _name)), _name.removeprefix("nan"), "dtype out")
fold("cummax", _running(np.maximum), "exact", "out")
fold("cummin", _running(np.minimum), "exact", "out")
for _order in (2, 1, np.inf, -np.inf, 0, 3, 0.5, -1):
    fold("vector_norm", np.linalg.vector_norm, "norm", "keepdims out several", key=f"norm {_order}",
         before=(float(_order),), ord=_order)

SCANS = ("cumsum", "cumprod", "nancumsum", "nancumprod", "cummax", "cummin")


# ---- the two results ----------------------------------------------------------------------------------


def quiet(function, *arguments, **options):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(function(*arguments, **options))


def numpy_result(f, x, axis, options):
    """NumPy's result; of bfloat16 and float16 by float32, rounded at the end. Raises what NumPy raises."""
    options = dict(f.extra, **options)
    name = dtypes.name_of(x.dtype)
    if name in ("bfloat16", "float16") and "dtype" not in options:
        x = dtypes.widen(x).astype(np.float32)
        if "initial" in options:
            options["initial"] = dtypes.widen(options["initial"]).astype(np.float32)
        result = quiet(f.numpy, x, axis=axis, **options)
        with np.errstate(all="ignore"):
            return dtypes.cast(result, name) if result.dtype == np.float32 else result
    return quiet(f.numpy, dtypes.widen(x), axis=axis, **options)


def gnd_axes(axis, options):
    given = () if axis is None else (axis,) if isinstance(axis, int) else axis
    arrays = {k: gnd.from_numpy(np.asarray(options[k])) for k in ("where", "initial") if k in options}
    rest = {k: options[k] for k in ("keepdims", "dtype", "out") if k in options}
    return gnd.Axes(*given, none=axis == (), **arrays, **rest)


def gnd_result(f, a, axis, options):
    return getattr(gnd, f.name)(a, *f.before, gnd_axes(axis, options), *f.after)


# ---- how near -----------------------------------------------------------------------------------------


def _parts(f, x, axis, options):
    """The true value and the size that errors are measured against, in a wider type."""
    wide = dtypes.widen(x)
    dtype = options.get("dtype")
    if dtype is not None and (np.dtype(dtype).kind == "c" or wide.dtype.kind != "c"):
        wide = wide.astype(dtype)
    wide = wide.astype(np.clongdouble if wide.dtype.kind == "c" else np.longdouble)
    rest = {k: v for k, v in options.items() if k not in ("dtype", "out", "initial")}
    true = quiet(f.numpy, wide, axis=axis, **f.extra, **rest)
    magnitude = np.where(np.isfinite(wide), np.abs(wide), 0)
    if f.rule in ("sum", "mean", "cumsum"):
        scale = quiet(f.numpy, magnitude, axis=axis, **f.extra, **rest)
    elif f.rule in ("var", "std"):
        mean = np.nanmean if f.name.startswith("nan") else np.mean
        rest.pop("ddof", None)
        scale = np.sqrt(quiet(mean, magnitude**2, axis=axis, **rest))  # the root mean square
    elif f.rule in ("prod", "cumprod"):  # how large a product of some of them may be, or how small
        with np.errstate(all="ignore"):
            large = quiet(f.numpy, np.maximum(magnitude, 1), axis=axis, **rest)
            small = quiet(f.numpy, np.where(magnitude > 0, np.minimum(magnitude, 1), 1), axis=axis, **rest)
            scale = np.maximum(large, np.where(1 / small > 1e30, np.inf, 0))
    else:
        scale = np.abs(true)
    if "initial" in options:
        start = dtypes.widen(np.asarray(options["initial"]))
        true, scale = (true * start, scale * np.maximum(np.abs(start), 1)) if f.rule == "prod" else (
            true + start, scale + np.abs(start))
    return true, np.asarray(scale, np.longdouble)


def _tolerance(f, true, scale, length, accumulator):
    """How far from the true value a result of `length` elements may be, before it is rounded."""
    unit = reference.EPSILON[accumulator]
    with np.errstate(all="ignore"):
        if f.rule in ("sum", "mean"):
            return (8 + 2 * np.log2(length)) * unit * scale
        if f.rule == "cumsum":
            return (40 + 2 * np.log2(length) + length / 1000) * unit * scale
        if f.rule in ("prod", "cumprod"):
            return (4 + 2 * length) * unit * np.abs(true)
        if f.rule == "norm":
            return (24 + 2 * np.log2(length)) * unit * np.abs(true)
        # Welford's method: the error grows with the root mean square, not with its square.
        steps = (12 + 2 * np.log2(length)) * unit
        if f.rule == "var":
            return steps * np.sqrt(true) * scale + (steps * scale)**2 + steps * true
        error = steps * true * scale + (steps * scale)**2 + steps * true**2
        return np.where(error < true**2, error / np.where(true > 0, true, 1), np.sqrt(error))


def _near(f, got, want, x, axis, options):
    true, scale = _parts(f, x, axis, options)
    name = dtypes.name_of(got.dtype)
    real = {"complex64": "float32", "complex128": "float64"}.get(name, name)
    accumulator = "float32" if real in ("float16", "bfloat16") else real
    length = max(2, x.size // max(want.size, 1)) if f.name not in SCANS else max(
        2, x.size if axis is None else x.shape[axis if isinstance(axis, int) else axis[0]])
    tolerance = _tolerance(f, true, scale, length, accumulator)
    tolerance = tolerance + reference.EPSILON[real] * np.abs(true) + 2 * reference.SMALLEST[real]
    got, want = dtypes.widen(got), dtypes.widen(want)
    with np.errstate(all="ignore"):
        if f.rule == "cumsum":  # equal elements are all rounded the same way: no worse than NumPy, which adds in order
            off = np.abs(want - true)
            tolerance = np.maximum(tolerance, np.max(off, initial=0, where=np.isfinite(off)))
        limit = reference.LARGEST[accumulator] / 8
        if f.rule in ("var", "std"):
            limit = np.sqrt(limit / length)
        elif f.rule == "mean":
            limit = limit / length
        near = np.abs(got - true) <= tolerance
        ordinary = np.isfinite(true) & (scale < limit) & (np.abs(true) < reference.LARGEST[real] / 2)
        # Where a partial sum may overflow in one order and not in another, both answers are right.
        beyond = ~(scale < limit) | (np.isfinite(true) & (np.abs(true) > 0.99 * reference.LARGEST[real]))
        undefined = np.isnan(true) & np.isnan(got)
        return near | undefined | (~ordinary & (_same_class(got, want) | beyond))


def _same_class(got, want):
    if got.dtype.kind == "c":
        return np.isfinite(got) == np.isfinite(want)
    return (np.isnan(got) & np.isnan(want)) | (got == want) | (
        np.isfinite(got) & np.isfinite(want) & (np.abs(got - want) <= 1e-2 * np.abs(want)))


def good_values(f, got, want, x, axis, options):
    """Elementwise: whether a result is right."""
    inexact = got.dtype.kind in "fc" or dtypes.is_bfloat16(got)
    if f.rule == "exact" or not inexact:
        # Which of 0.0 and -0.0 is not said, nor which of several complex NaN.
        with np.errstate(all="ignore"):
            good = reference.same_values(got, want) | (dtypes.widen(got) == dtypes.widen(want))
        return good | (np.isnan(got) & np.isnan(want)) if got.dtype.kind == "c" else good
    return reference.same_values(got, want) | _near(f, got, want, x, axis, options)


# ---- checks -------------------------------------------------------------------------------------------

REFUSALS = (gnd.ERROR_VALUE, gnd.ERROR_SHAPE, gnd.ERROR_INVALID, gnd.ERROR_DTYPE, gnd.ERROR_INDEX, gnd.ERROR_AXIS)


def describe(f, x, axis, options):
    shown = ", ".join(f"{k} of shape {v.shape}" if isinstance(v, np.ndarray) and v.ndim else f"{k}={v}"
                      for k, v in options.items())
    return f"{f.name}({dtypes.name_of(x.dtype)}{x.shape} strides {x.strides}, axis={axis}, " \
           f"{f.extra or ''} {shown})"


def check_fold(f, a, x, axis=None, **options):
    """gnd's result for the Array `a` against NumPy's for the same values and strides in `x`."""
    context = describe(f, x, axis, options)
    try:
        want = numpy_result(f, x, axis, {k: v for k, v in options.items() if k != "out"})
    except (ValueError, TypeError, IndexError) as refusal:
        try:
            got = gnd_result(f, a, axis, options).numpy()
        except gnd.Error as error:
            assert error.code in REFUSALS, f"{context}: {error}"
            assert f"gnd_{f.name}" in error.message, f"{context}: no name in {error.message!r}"
            return None
        raise AssertionError(f"{context}: NumPy says {refusal!r}, gnd gave {got!r}")
    result = gnd_result(f, a, axis, options)
    if "out" in options:
        assert result.address == options["out"].address, f"{context}: not `out`"
    expected = dtypes.name_of(want.dtype) if "out" not in options else options["out"].dtype
    assert result.dtype == expected, f"{context}: dtype {result.dtype}, not {expected}"
    assert result.shape == want.shape, f"{context}: shape {result.shape}, not {want.shape}"
    got = result.numpy()
    good = np.asarray(good_values(f, got, want, x, axis, options))
    if not good.all():
        index = tuple(np.argwhere(~good)[0])
        raise AssertionError(f"{context}: {(~good).sum()} of {good.size} differ, at {index}: "
                             f"{dtypes.widen(got)[index]!r}, NumPy {dtypes.widen(want)[index]!r}")
    return result
