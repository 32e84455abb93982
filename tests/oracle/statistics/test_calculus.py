"""diff, ediff1d, gradient and trapezoid against NumPy: dtypes, axes, layouts, spacings, refusals."""

import ctypes
import warnings

import numpy as np
import pytest

import dtypes
import gnd
import reference
import values

SHAPES = [(5,), (1,), (0,), (2,), (3,), (3, 4), (6, 1, 5), (3, 7, 4), (0, 3)]
LAYOUTS = {
    "contiguous": [],
    "transposed": [("permute", "all")],
    "reversed": [("slice", "...,::-1")],
    "strided": [("slice", "...,::2")],
}
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-5, "complex64": 1e-5}


def quiet(function, *arguments, **options):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def sample(dtype, shape, g):
    x = g.normal(size=shape) * 30
    return dtypes.cast(x + 1j * g.normal(size=shape) if dtype in dtypes.COMPLEX else x, dtype)


def both(x, layout):
    """A view of x in NumPy and in gnd."""
    steps = [(k, tuple(range(x.ndim))[::-1] if a == "all" else a) for k, a in LAYOUTS[layout]]
    return values.apply_numpy(x, steps), gnd.view(x, steps)


def compare(context, got, want, exact=False, scale=1.0):
    want = np.asarray(want)
    assert got.dtype == dtypes.name_of(want.dtype), f"{context}: {got.dtype}, not {want.dtype}"
    assert got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    actual = got.numpy()
    good = reference.same_values(actual, want)
    if not exact and got.dtype in dtypes.FLOATS + dtypes.COMPLEX:
        tolerance = TOLERANCE.get(got.dtype, 1e-12) * scale
        with np.errstate(all="ignore"):
            wide = dtypes.widen(want)
            good = good | (np.abs(dtypes.widen(actual) - wide) <= tolerance * (1 + np.abs(wide)))
    assert np.all(good), (context, dtypes.widen(actual)[~good], dtypes.widen(want)[~good])


def numpy_of(function, x, *arguments, **options):
    """NumPy's result; that of bfloat16 in float32, rounded at the end."""
    result = quiet(function, dtypes.widen(x), *arguments, **options)
    return dtypes.to_bfloat16(result) if dtypes.is_bfloat16(x) and result.dtype == np.float32 else result


# ---- diff -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_diff(dtype, layout):
    g = np.random.default_rng(1)
    for shape in SHAPES:
        x, a = both(sample(dtype, shape, g), layout)
        for axis in range(-x.ndim, x.ndim):
            for n in (0, 1, 2, 3, 9):
                if dtype == "bfloat16" and n > 1:
                    continue  # rounded between the steps
                got = gnd.diff(a, n, axis, None, None)
                want = numpy_of(np.diff, x, n, axis) if n else x
                compare(("diff", shape, n, axis), got, want, exact=True)


def test_diff_with_neighbours():
    g = np.random.default_rng(2)
    for dtype in ("bool", "int8", "uint16", "float16", "float32", "complex64"):
        for shape in SHAPES:
            x, a = both(sample(dtype, shape, g), "transposed")
            for axis in range(x.ndim):
                sizes = [2 if k == axis else s for k, s in enumerate(x.shape)]
                for other in ("int16", "float64", dtype):
                    p = sample(other, sizes, g)
                    q = np.asarray(sample(other, (), g))
                    for before, behind in ((p, None), (None, q), (q, p), (p, p)):
                        options = {k: v for k, v in (("prepend", before), ("append", behind))
                                   if v is not None}
                        got = gnd.diff(a, 1, axis, *(
                            None if v is None else gnd.from_numpy(v) for v in (before, behind)))
                        compare(("diff", shape, axis, other), got, np.diff(x, 1, axis, **options), True)


def test_diff_with_numbers():
    """C numbers are weak, other than in NumPy, which makes arrays of them first."""
    for dtype, number, result in (("int8", 3, "int8"), ("int8", 2.5, "float64"), ("float32", 0.5, "float32"),
                                  ("float16", 1, "float16"), ("uint8", True, "uint8"),
                                  ("float32", 1j, "complex64"), ("bool", 1, "int64"), ("bool", True, "bool")):
        x = np.array([1, 0, 4, 1]).astype(dtype)
        got = gnd.diff(gnd.from_numpy(x), 1, 0, number, number)
        value = np.asarray(number).astype(result)
        compare((dtype, number), got, np.diff(x.astype(result), prepend=value, append=value), True)
    with pytest.raises(gnd.Error, match="300"):
        gnd.diff(gnd.from_numpy(np.zeros(3, np.int8)), 1, 0, 300, None)


@pytest.mark.parametrize("dtype", dtypes.NAMES[1:])
def test_ediff1d(dtype):
    g = np.random.default_rng(3)
    for shape in SHAPES + [()]:
        for layout in LAYOUTS if shape else ("contiguous",):
            x, a = both(sample(dtype, shape, g), layout)
            want = numpy_of(np.ediff1d, x)
            compare(shape, gnd.ediff1d(a, None, None), want, True)
            if dtype == "bfloat16":
                continue
            ends = np.asarray(sample(dtype, (2, 2), g))
            three = np.asarray(3).astype(dtype)
            compare(shape, gnd.ediff1d(a, 3, gnd.view(ends, [("permute", (1, 0))])),
                    np.ediff1d(x, three, ends.T), True)
    other = np.array([1, 2], np.float16 if dtype in dtypes.FLOATS + dtypes.COMPLEX else np.bool_)
    if dtype != "bfloat16":
        x = sample(dtype, (4,), g)
        compare("cast", gnd.ediff1d(gnd.from_numpy(x), gnd.from_numpy(other), None),
                np.ediff1d(x, to_end=other), True)


# ---- gradient -------------------------------------------------------------------------------------------


def spacings(n, g):
    even = np.arange(n) * 2.5
    yield from (None, 2, 0.3, np.float32(0.7), np.int16(3), np.float64(-2), even, even.astype(np.float32))
    yield np.sort(g.normal(size=n))
    yield np.cumsum(g.uniform(0.1, 1, n)).astype(np.float32)
    yield from (np.arange(n)[::-1], np.arange(n, dtype=np.uint8)**2, np.arange(n) * (1 + 2j))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [d for d in dtypes.NAMES if d != "bool"])
def test_gradient(dtype, layout):
    g = np.random.default_rng(4)
    for shape in [(5,), (2,), (3, 4), (6, 1, 5), (3, 7, 4), (0, 3)]:
        x, a = both(sample(dtype, shape, g), layout)
        for axis in range(-x.ndim, x.ndim):
            for order in (1, 2):
                if x.shape[axis] < order + 1:
                    with pytest.raises(gnd.Error, match="too short") as caught:
                        gnd.gradient(a, None, axis, order)
                    assert caught.value.code == gnd.ERROR_VALUE
                    continue
                for step in spacings(x.shape[axis], g):
                    given = gnd.from_numpy(np.asarray(step)) if isinstance(step, (np.ndarray, np.generic)) \
                        else step
                    if isinstance(step, np.generic):
                        step = np.asarray(step)
                    scale = 30 if dtype in ("float16", "bfloat16") else 20  # cancellation
                    want = numpy_of(np.gradient, x, *(() if step is None else (step,)), axis=axis,
                                    edge_order=order)
                    compare(("gradient", x.shape, axis, order, step), gnd.gradient(a, given, axis, order),
                            want, scale=scale)


def test_gradient_of_even_and_uneven_coordinates():
    """Even coordinates take the simple formula, which passes over what is at the sample itself."""
    y = np.array([1, 2, np.nan, 4, 7, np.inf, 9, 1.0])
    for t in (np.arange(8.0), np.arange(8.0)**2, np.array([0, 1, 2, 3, 4, 5, np.nan, 7])):
        for order in (1, 2):
            got = gnd.gradient(gnd.from_numpy(y), gnd.from_numpy(t), 0, order)
            compare((t, order), got, quiet(np.gradient, y, t, edge_order=order))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n", [3, 1000, 100001])
def test_gradient_of_nearly_even_coordinates(dtype, n):
    """One step that differs makes all of them uneven, wherever it is and in whichever part; zeros have no sign."""
    g = np.random.default_rng(n)
    y = sample(dtype, (n,), g)
    unit = 1 + 2j if dtype in dtypes.COMPLEX else 1
    wrong = [2 * unit, np.nan, 0] + ([np.conj(unit), 2 + 2j, complex(1, np.nan)] if dtype in dtypes.COMPLEX else [])
    for place, other in [(None, None), *((p, w) for p in (0, (n - 1) // 2, n - 2) for w in wrong)]:
        steps = np.full(n - 1, unit * (n <= 1000), dtype)  # many ones do not fit a float16: zeros
        if place is not None:
            steps[place] = other
        t = np.concatenate([np.zeros(1, dtype), np.cumsum(steps).astype(dtype)])
        even = bool((np.diff(t) == np.diff(t)[0]).all())
        got = gnd.gradient(gnd.from_numpy(y), gnd.from_numpy(t), 0, 1).numpy()
        want = quiet(np.gradient, y, t)
        if even:
            assert np.isclose(got, want, rtol=4e-3 if dtype == "float16" else 1e-5, atol=1e-2, equal_nan=True).all()
        elif dtype in ("float64", "complex128"):
            assert np.isclose(got, want, rtol=1e-9, atol=1e-9, equal_nan=True).all()


def gradients(a, n, axes, spacing, order=1):
    out = (ctypes.c_void_p * max(n, 1))(*[0xdead] * max(n, 1))
    count = len(spacing)
    gnd.gradient_axes(ctypes.addressof(out), a, axes, count, spacing if count else None, order)
    return [gnd.Array(p) for p in out[:n]]


def test_gradient_axes():
    g = np.random.default_rng(5)
    x = g.normal(size=(4, 5, 6)).astype(np.float32)
    a = gnd.from_numpy(x)
    t = np.sort(g.normal(size=5))
    for axes, spacing in ((None, ()), (None, (0.5,)), (None, (0.5, t, 2)), ((0, 2), (0.5, 3)), ((2, 0), (2, 1.5)),
                          ((-1,), (3,)), ((1,), (t,)), ((), ())):
        want = quiet(np.gradient, x, *spacing, axis=axes)
        want = [want] if isinstance(want, np.ndarray) else list(want)
        given = [gnd.from_numpy(s) if isinstance(s, np.ndarray) else s for s in spacing]
        got = gradients(a, len(want), axes, given)
        assert len(got) == len(want)
        for k, (ours, theirs) in enumerate(zip(got, want)):
            compare((axes, spacing, k), ours, theirs, scale=20)
    ints = g.integers(-9, 9, (4, 5))
    for ours, theirs in zip(gradients(gnd.from_numpy(ints), 2, None, (), 2), np.gradient(ints, edge_order=2)):
        compare("integers", ours, theirs)


def test_gradient_refuses():
    a = gnd.from_numpy(np.ones((3, 4)))
    vector = gnd.from_numpy(np.ones(3))
    one = gnd.from_numpy(np.asarray(1.0))
    for call, code, text in (
            (lambda: gnd.gradient(a, None, 2, 1), gnd.ERROR_AXIS, "axis 2"),
            (lambda: gnd.gradient(a, None, 0, 0), gnd.ERROR_INVALID, "edge_order"),
            (lambda: gnd.gradient(a, vector, 1, 1), gnd.ERROR_SHAPE, r"spacing has shape \(3,\)"),
            (lambda: gnd.gradient(a, a, 1, 1), gnd.ERROR_SHAPE, "spacing"),
            (lambda: gnd.gradient(a, gnd.from_numpy(np.ones(4, bool)), 1, 1), gnd.ERROR_DTYPE, "bool"),
            (lambda: gnd.gradient(one, None, 0, 1), gnd.ERROR_AXIS, "axis 0"),
            (lambda: gradients(a, 2, None, [vector]), gnd.ERROR_INVALID, "1 spacings were given for 2 axes"),
            (lambda: gradients(a, 2, None, [1, 2, 3]), gnd.ERROR_INVALID, "3 spacings"),
            (lambda: gradients(a, 2, (0, 0), []), gnd.ERROR_AXIS, "twice"),
            (lambda: gradients(a, 2, gnd.Axes(0, keepdims=True), []), gnd.ERROR_INVALID, "no options")):
        with pytest.raises(gnd.Error, match=text) as caught:
            call()
        assert caught.value.code == code, caught.value


# ---- trapezoid ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_trapezoid(dtype, layout):
    g = np.random.default_rng(6)
    for shape in SHAPES:
        y, a = both(sample(dtype, shape, g), layout)
        for axis in range(-y.ndim, y.ndim):
            n = y.shape[axis]
            for x in (None, 1, 2, 0.3, 1.0, True, np.float32(0.25), np.sort(g.normal(size=n)),
                      np.arange(n, dtype=np.int16)**2, dtypes.widen(y).real):
                array = isinstance(x, (np.ndarray, np.generic))
                spacing = {"x": x} if array and np.ndim(x) else {"dx": 1.0 if x is None else x}
                # Arrays of other dtypes make float32 of bfloat16.
                want = quiet(np.trapezoid, dtypes.widen(y), axis=axis, **spacing) if array else numpy_of(
                    np.trapezoid, y, axis=axis, **spacing)
                got = gnd.trapezoid(a, gnd.from_numpy(np.asarray(x)) if array else x, axis)
                wide = np.abs(dtypes.widen(y)).astype(np.complex128).real
                scale = 1 + float(wide.sum()) * (1 if not array else float(np.abs(x).max(initial=1)))
                if dtype == "bfloat16":  # rounded after each step
                    scale *= TOLERANCE["bfloat16"] / TOLERANCE.get(got.dtype, 1e-12)
                compare((y.shape, axis, x), got, want, scale=scale)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_trapezoid_specials(dtype):
    """Infinity and NaN at the ends and between, few and many samples, several axes."""
    for special in (np.inf, -np.inf, np.nan):
        for place in (0, 1, 4, -2, -1):
            y = np.linspace(-1, 1, 9).astype(dtype)
            y[place] = special
            for x in (None, np.arange(9, dtype="float32")):
                want = quiet(np.trapezoid, y, x)
                got = gnd.trapezoid(gnd.from_numpy(y), None if x is None else gnd.from_numpy(x), -1)
                assert np.array_equal(np.isfinite(got.numpy()), np.isfinite(want)), (special, place)
                if dtype != "complex64":
                    compare((special, place), got, want)
    g = np.random.default_rng(8)
    for shape, axis in (((3,), 0), ((4, 3), 1), ((3, 5, 7), 1), ((20001, 3), 0), ((2, 30000), 1)):
        y = (g.random(shape) + 5).astype(dtype)
        x = np.cumsum(g.random(shape[axis])).astype("float32")
        compare(shape, gnd.trapezoid(gnd.from_numpy(y), 0.25, axis), np.trapezoid(y, dx=0.25, axis=axis),
                scale=10)
        compare(shape, gnd.trapezoid(gnd.from_numpy(y), gnd.from_numpy(x), axis), np.trapezoid(y, x, axis=axis),
                scale=10)


def test_trapezoid_broadcasts():
    g = np.random.default_rng(7)
    y, x = g.normal(size=5), np.sort(g.normal(size=(3, 5)), axis=1)
    got = gnd.trapezoid(gnd.from_numpy(y), gnd.from_numpy(x), -1)
    compare("y along x", got, np.trapezoid(y, x, axis=-1))
    for bad, axis in ((np.ones(4), -1), (np.ones((2, 5)), -1)):
        with pytest.raises(gnd.Error, match="broadcast") as caught:
            gnd.trapezoid(gnd.from_numpy(x), gnd.from_numpy(bad), axis)
        assert caught.value.code == gnd.ERROR_SHAPE
    with pytest.raises(gnd.Error, match="axis 1"):
        gnd.trapezoid(gnd.from_numpy(y), None, 1)
