"""Every reduction and scan against NumPy over random shapes, axes, layouts, dtypes and options, the
special values among ordinary ones."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import values
from folds import FOLDS, SCANS, check_fold, gnd_result, quiet

SIZES = [0, 1, 2, 3, 5, 8, 33]
LONG = [1, 2, 3, 17, 64, 129, 257, 1000, 1023, 1025, 4099, 20011]


def sample(f, dtype, shape, g, special):
    """Values whose sums and products say something."""
    if dtype in dtypes.FLOATS + dtypes.COMPLEX:
        x = g.normal(size=shape) + (g.integers(0, 3) * 5)
        if f.rule in ("prod", "cumprod"):
            x = np.where(g.random(shape) < 0.5, -1, 1) * g.uniform(0.9, 1.1, shape)
        if dtype in dtypes.COMPLEX:
            x = x + 1j * g.normal(size=shape) * (0.1 if "prod" in f.rule else 1)
        x = np.array(dtypes.cast(x, dtype))
        if special:
            indices = g.random(shape) < special
            x[indices] = g.choice(values.specials(dtype), int(indices.sum()))
        return x
    if f.name in ("any", "all") and g.random() < 0.7:
        x = np.full(shape, f.name == "all").astype(dtype)
        if x.size:
            x.reshape(-1)[g.integers(x.size)] ^= x.dtype.type(1)
        return x
    return values.random_values(dtype, shape, g, special)


@st.composite
def shapes(draw):
    """Up to five dimensions of odd sizes, empty ones too; sometimes long ones."""
    if draw(st.integers(0, 3)) == 0:
        shape = draw(st.lists(st.sampled_from(LONG), min_size=1, max_size=3))
    else:
        shape = draw(st.lists(st.sampled_from(SIZES), max_size=5))
    while np.prod(shape, dtype=float) > 60_000:
        shape[int(np.argmax(shape))] = 2
    return tuple(shape)


def axes_of(f, n):
    """None, one axis, or several in any order, negative ones too; now and then one that is wrong."""
    one = st.integers(-n, n - 1) if n else st.none()
    # Of no dimension NumPy's functions disagree on what axis 0 is: ufunc.reduce takes it.
    wrong = st.sampled_from([n, -n - 1]) if n else st.just(2)
    choices = [st.none(), one, one, wrong]
    if "several" in f.options:
        several = st.lists(st.integers(-n, n - 1), unique_by=lambda k: k % max(n, 1), max_size=n) if n \
            else st.just([])
        choices += [several.map(tuple)] * 3
    return st.one_of(choices)


def draw_options(draw, f, dtype, shape, g):
    options = {}
    if "keepdims" in f.options and draw(st.booleans()):
        options["keepdims"] = True
    if "where" in f.options and draw(st.integers(0, 2)) == 0:
        mask = tuple(s if draw(st.booleans()) else 1 for s in shape)[draw(st.integers(0, len(shape))):]
        options["where"] = g.random(mask) < draw(st.sampled_from([0.0, 0.3, 0.9]))
    if "initial" in f.options and draw(st.integers(0, 2)) == 0:
        options["initial"] = dtypes.cast(np.array(draw(st.sampled_from([0, 1, 3]))), dtype)
    if "dtype" in f.options and dtype != "bfloat16" and draw(st.integers(0, 3)) == 0:
        options["dtype"] = draw(st.sampled_from(wider(f, dtype)))
    return options


def wider(f, dtype):
    """Dtypes to compute in that lose nothing worth speaking of: casts that do are in test_reduce.py."""
    names = [n for n in dtypes.NAMES if n != "bfloat16" and dtypes.can_cast(dtype, n, "same_kind")
             and dtypes.can_cast("float16" if n in dtypes.FLOATS + dtypes.COMPLEX else "bool", n, "safe")]
    if f.rule in ("var", "std", "mean"):
        names = [n for n in names if n in dtypes.FLOATS + dtypes.COMPLEX]
    if f.rule in ("var", "std") and dtype in dtypes.COMPLEX:
        names = [n for n in names if n in dtypes.COMPLEX]
    names = [n for n in names if n not in ("float16", dtype)]
    return names or [None]


@pytest.mark.parametrize("key", FOLDS)
@given(data=st.data())
def test_random(key, data):
    f, draw = FOLDS[key], data.draw
    dtype = draw(st.sampled_from(dtypes.NAMES))
    shape = draw(shapes())
    g = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    layout = draw(st.sampled_from(values.layouts(shape)))
    base = sample(f, dtype, layout.base, g, draw(st.sampled_from([0, 0, 0.02, 0.3, 1])))
    axis = draw(axes_of(f, len(shape)))
    options = {k: v for k, v in draw_options(draw, f, dtype, shape, g).items() if v is not None}
    check_fold(f, gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps), axis, **options)


def small_integers(dtype, shape, g):
    """Values whose sums and products every dtype holds."""
    x = g.integers(0, 2 if dtype == "bool" else 3, shape)
    return dtypes.cast(x.astype(np.float64) if dtype == "bfloat16" else x, dtype)


@pytest.mark.parametrize("key", [k for k, f in FOLDS.items() if "out" in f.options])
@given(data=st.data())
def test_out_of_any_dtype_and_layout(key, data):
    """`out` in another dtype, as a strided view or over the input itself, as NumPy's `out` is."""
    f, draw = FOLDS[key], data.draw
    plain = [n for n in dtypes.NAMES if n != "bfloat16"]
    dtype = draw(st.sampled_from(plain))
    shape = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 5, 33]), min_size=1, max_size=3)))
    g = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x = small_integers(dtype, shape, g)
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    if f.name not in SCANS:
        axis = draw(st.sampled_from([axis, None]))
    if axis is None and f.name in SCANS:
        return
    kept = shape if f.name in SCANS else () if axis is None else tuple(
        s for k, s in enumerate(shape) if k != axis % len(shape))
    target = draw(st.sampled_from(plain))
    layout = draw(st.sampled_from([l for l in values.layouts(kept) if "broadcast" not in l.name]))
    base = np.zeros(layout.base, target)
    theirs, ours = values.apply_numpy(base, layout.steps), gnd.view(base, layout.steps)
    context = f"{key} of {dtype}{shape} over {axis} into {target} {layout.name}"
    whole = target in dtypes.INTEGERS + ("bool",)
    try:
        quiet(f.numpy, x, axis=axis, out=theirs, **f.extra)
        exact = whole and quiet(f.numpy, x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
                                if f.rule != "exact" else x, axis=axis, **f.extra)
    except TypeError:
        return  # how NumPy casts there differs from function to function; gnd casts as C does
    gnd_result(f, gnd.from_numpy(x), axis, {"out": ours})
    got, want = ours.numpy(), np.ascontiguousarray(theirs)
    close = np.isclose(got, want, rtol=5e-3 if "16" in dtype + target else 1e-5, equal_nan=True)
    undefined = ~np.isfinite(want.astype(np.complex128)) | np.zeros(want.shape, bool)
    if whole:  # NaN and fractions as whole numbers: C leaves them open
        undefined = undefined | ~np.isfinite(exact) | (np.abs(exact - np.rint(exact.real)) > 1e-6) | (
            f.rule == "norm")
    assert (close | undefined).all(), f"{context}: got {got!r}, NumPy {want!r}"
