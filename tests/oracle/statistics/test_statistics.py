"""average, cov and corrcoef against NumPy: weights of every form, every dtype, what is refused at once and
what at the next wait."""

import ctypes
import itertools

import numpy as np
import pytest

import dtypes
import gnd
from folds import quiet

g = None  # each test's own (conftest.py)
PLAIN = [name for name in dtypes.NAMES if name != "bfloat16"]


def sample(dtype, shape, low=-9):
    if dtype == "bool":
        return g.integers(0, 2, shape).astype(bool)
    if dtype in dtypes.INTEGERS:
        return g.integers(0 if dtype.startswith("u") else low, 10, shape).astype(dtype)
    x = g.normal(size=shape) + 2
    return dtypes.cast(x + 1j * g.normal(size=shape) if dtype in dtypes.COMPLEX else x, dtype)


def near(got, want, context, scale=1.0):
    want = np.asarray(want)
    assert got.dtype == dtypes.name_of(want.dtype), f"{context}: dtype {got.dtype}, not {want.dtype}"
    assert got.shape == want.shape, f"{context}: shape {got.shape}, not {want.shape}"
    digits = {"float16": 4e-3, "float32": 4e-6, "complex64": 4e-6}.get(got.dtype, 1e-13)
    with np.errstate(all="ignore"):
        good = np.abs(got.numpy() - want) <= digits * np.maximum(np.abs(want), scale)
    good = good | (got.numpy() == want) | (np.isnan(got.numpy()) & np.isnan(want))
    assert good.all(), f"{context}: {got.numpy()}, not {want}"


def average_two(x, axes, weights):
    first, second = ctypes.c_void_p(), ctypes.c_void_p()
    gnd.average_two(ctypes.addressof(first), ctypes.addressof(second), x, axes, weights)
    return gnd.Array(first.value), gnd.Array(second.value)


# ---- averages -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", PLAIN)
def test_average_of_every_pair_of_dtypes(dtype):
    x = sample(dtype, (4, 5, 6))
    for other in PLAIN:
        for axes in (None, (0,), (-1,), (0, 2), (2, 0), (1, 2, 0)):
            for full in (True, False):
                if axes is None and not full:
                    continue
                shape = x.shape if full else tuple(x.shape[k] for k in axes)
                w = sample(other, shape, low=0)
                w.flat[0] = 1
                w = w + w.dtype.type(1) if other != "bool" else np.ones_like(w)
                for keepdims in (False, True):
                    context = f"{dtype} by {other}{shape} over {axes}"
                    given = gnd.Axes(*(axes or ()), keepdims=keepdims)
                    want, sums = quiet_average(x, axes, w, keepdims)
                    near(gnd.average(gnd.from_numpy(x), given, gnd.from_numpy(w)), want, context, 10)
                    got, total = average_two(gnd.from_numpy(x), given, gnd.from_numpy(w))
                    near(got, want, context, 10)
                    near(total, sums, context, 100)


def quiet_average(x, axes, w, keepdims=False):
    with np.errstate(all="ignore"):
        return np.average(x, axis=axes, weights=w, returned=True, keepdims=keepdims)


def test_average_without_weights():
    for dtype in PLAIN:
        x = sample(dtype, (3, 4))
        for axes in (None, (0,), (1,), (0, 1)):
            want, sums = quiet_average(x, axes, None)
            given = gnd.Axes(*(axes or ()))
            near(gnd.average(gnd.from_numpy(x), given, None), want, dtype, 4)
            got, total = average_two(gnd.from_numpy(x), given, None)
            near(got, want, dtype, 4)
            near(total, sums, dtype)
    got, total = average_two(gnd.zeros((0, 3), "float32"), gnd.Axes(0), None)
    assert np.isnan(got.numpy()).all() and not total.numpy().any()


def test_average_of_views():
    x, w = sample("float32", (6, 8, 5)), np.abs(sample("float64", (8, 6))) + 1
    a, b = gnd.from_numpy(x), gnd.from_numpy(w)
    near(gnd.average(gnd.transpose(a), (1, 2), b), np.average(x.T, axis=(1, 2), weights=w), "T")
    near(gnd.average(a["::-1, ::2"], (1, 0), b["::2, ::-1"]),
         np.average(x[::-1, ::2], axis=(1, 0), weights=w[::2, ::-1]), "slices")
    wide = gnd.broadcast_to(b["0:1, 0"], (8,))
    near(gnd.average(a, 1, wide), np.average(x, axis=1, weights=np.broadcast_to(w[0:1, 0], 8)), "broadcast")


def test_average_by_a_number():
    x = gnd.from_numpy(np.array(3.0, np.float32))
    near(gnd.average(x, None, 2.0), np.average(np.float32(3), weights=2.0), "0-d")
    near(gnd.average(gnd.ones((2, 3), "float32"), (), 2.0), np.ones((2, 3)), "no axes")
    with pytest.raises(gnd.Error):
        gnd.average(gnd.ones((2, 3), "float32"), None, 2.0)


def test_average_into_out():
    x, w = sample("float32", (5, 5)), np.arange(1, 6)
    a = gnd.from_numpy(x)
    want = np.average(x, axis=0, weights=w)
    for out in (gnd.zeros((5,), "float64"), gnd.zeros((5,), "float16"), gnd.zeros((5,), "complex64"), a["2"]):
        got = gnd.average(a, gnd.Axes(0, out=out), gnd.from_numpy(w))
        assert got.address == out.address
        np.testing.assert_allclose(out.numpy(), want, rtol=1e-3)
    with pytest.raises(gnd.Error) as caught:
        gnd.average(a, gnd.Axes(0, out=gnd.zeros((4, 5), "float64")), gnd.from_numpy(w))
    assert caught.value.code == gnd.ERROR_SHAPE


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_average_of_halves(dtype):
    """The sums are float32: no overflow, one rounding."""
    x = dtypes.cast(g.uniform(100, 200, (3, 5000)), dtype)
    w = dtypes.cast(g.uniform(1, 2, 5000), dtype)
    got = gnd.average(gnd.from_numpy(x), 1, gnd.from_numpy(w))
    want = np.average(dtypes.widen(x).astype(float), axis=1, weights=dtypes.widen(w).astype(float))
    assert got.dtype == dtype
    np.testing.assert_allclose(dtypes.widen(got.numpy()), want, rtol=6e-4 if dtype == "float16" else 5e-3)


def test_weights_that_do_not_fit():
    x = gnd.ones((2, 3), "float32")
    ones = lambda *shape: gnd.ones(shape, "float32")
    for call, code in (
            (lambda: gnd.average(x, None, ones(3)), gnd.ERROR_SHAPE),
            (lambda: gnd.average(x, 0, ones(3)), gnd.ERROR_SHAPE),
            (lambda: gnd.average(x, 0, ones(2, 1)), gnd.ERROR_SHAPE),
            (lambda: gnd.average(x, (0, 1), ones(3, 2)), gnd.ERROR_SHAPE),
            (lambda: gnd.average(x, 2, ones(2)), gnd.ERROR_AXIS),
            (lambda: gnd.average(x, (0, 0), ones(2, 2)), gnd.ERROR_AXIS),
            (lambda: gnd.average(x, gnd.Axes(0, where=gnd.ones((2, 3), "bool")), ones(2)), gnd.ERROR_INVALID),
            (lambda: gnd.average(x, gnd.Axes(0, dtype="float64"), ones(2)), gnd.ERROR_INVALID),
            (lambda: gnd.average(x, gnd.Axes(0, initial=ones()), None), gnd.ERROR_INVALID),
            (lambda: average_two(x, gnd.Axes(0, out=ones(3)), ones(2)), gnd.ERROR_INVALID)):
        with pytest.raises(gnd.Error) as caught:
            call()
        assert caught.value.code == code and "gnd_average" in caught.value.message, caught.value


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_weights_of_zero_are_reported_at_the_next_wait(dtype):
    x = gnd.ones((2, 3), "float32")
    w = dtypes.cast(np.array([[1, 0, 1], [0, 0, 0]]), dtype)
    got = gnd.average(x, 1, gnd.from_numpy(w))
    with pytest.raises(gnd.Error, match="add up to zero") as caught:
        got.numpy()
    assert caught.value.code == gnd.ERROR_VALUE
    gnd.average(x, 0, gnd.from_numpy(dtypes.cast(np.array([1, 2]), dtype) if dtype != "bool" else
                                     np.array([True, False]))).numpy()


# ---- covariances ----------------------------------------------------------------------------------------


def options(**given):
    result = gnd.STRUCTS["gnd_cov_options"]()
    for name, value in given.items():
        if name in ("ddof", "fweights", "aweights"):
            value = gnd.arg(gnd.from_numpy(value) if isinstance(value, np.ndarray) else value)
        setattr(result, name, gnd.dtype_code(value) if name == "dtype" else value)
    return result


def numpy_options(given):
    given = dict(given)
    given["rowvar"] = not given.pop("columns", False)
    return given


CASES = [{}, {"bias": True}, {"ddof": 0}, {"ddof": 3}, {"ddof": 2.0, "bias": True},
         {"fweights": np.array([1, 2, 0, 3, 1, 1, 4])}, {"fweights": np.array([1, 2, 0, 3, 1, 1, 4.0])},
         {"aweights": np.array([0.5, 1, 2, 0, 1, 1, 3])}, {"aweights": np.array([1, 2, 3, 4, 5, 6, 7], np.uint8)},
         {"fweights": np.array([1, 2, 0, 3, 1, 1, 4], np.int8), "aweights": np.arange(7.0)},
         {"fweights": np.array([1, 2, 0, 3, 1, 1, 4]), "aweights": np.arange(7.0), "ddof": 0},
         {"aweights": np.arange(7.0), "ddof": 2}]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(case) or "plain")
@pytest.mark.parametrize("dtype", PLAIN)
def test_cov(dtype, case):
    for rows, columns in itertools.product((1, 2, 5), (False, True)):
        shape = (7, rows) if columns else (rows, 7)
        x = sample(dtype, shape)
        given = dict(case, columns=columns)
        keep = {k: gnd.from_numpy(v) for k, v in given.items() if isinstance(v, np.ndarray)}
        ours = options(**{k: v for k, v in given.items() if k not in keep})
        for name, value in keep.items():
            setattr(ours, name, gnd.arg(value))
        for other in (None, dtype, "complex64", "float32"):
            y = None if other is None else sample(other, shape)
            want = quiet(np.cov, x, y, **numpy_options(given))
            got = gnd.cov(gnd.from_numpy(x), None if y is None else gnd.from_numpy(y), ours)
            near(got, want, f"{dtype}{shape} {other} {given}", 100)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64", "complex128"])
def test_cov_in_a_dtype(dtype):
    x = sample("float64", (3, 30))
    for case in ({}, {"fweights": np.arange(30)}):
        keep = {k: gnd.from_numpy(v) for k, v in case.items()}
        ours = options(dtype=dtype)
        for name, value in keep.items():
            setattr(ours, name, gnd.arg(value))
        got = gnd.cov(gnd.from_numpy(x), None, ours)
        want = quiet(np.cov, x, dtype=dtype, **case)
        assert got.dtype == dtypes.name_of(want.dtype)
        np.testing.assert_allclose(got.numpy(), want, rtol=2e-2 if dtype == "float16" else 1e-5, atol=2e-2)


def test_cov_without_degrees_of_freedom():
    x = np.array([[1.0, 2, 4], [3, 1, 1.5]])
    for ddof in (3, 9):
        near(gnd.cov(gnd.from_numpy(x), None, options(ddof=ddof)), quiet(np.cov, x, ddof=ddof), "ddof")
    near(gnd.cov(gnd.ones((2, 3), "float64"), None, options(ddof=3)), np.full((2, 2), np.nan), "zeros")


@pytest.mark.parametrize("columns", [False, True])
def test_cov_of_odd_shapes(columns):
    for shape, other in (((), None), ((5,), None), ((5,), (5,)), ((1, 5), None), ((5, 1), None), ((0, 5), None),
                         ((5, 0), None), ((0,), None), ((), ()), ((5,), (1, 5)), ((1, 5), (5,)), ((3, 5), (5,)),
                         ((5, 3), (5,)), ((5, 3), (5, 1)), ((5, 3), (1, 5)), ((2, 1), ()), ((0, 5), (0, 5)),
                         ((1, 1), (1,))):
        x, y = sample("float64", shape), None if other is None else sample("float64", other)
        a, b = gnd.from_numpy(x), None if y is None else gnd.from_numpy(y)
        try:
            want = quiet(np.cov, x, y, rowvar=not columns)
        except (ValueError, IndexError):
            with pytest.raises(gnd.Error):
                gnd.cov(a, b, options(columns=columns))
            continue
        near(gnd.cov(a, b, options(columns=columns)), want, f"{shape} {other}", 10)
        want = quiet(np.corrcoef, x, y, rowvar=not columns) if x.size else None
        if want is not None:
            near(gnd.corrcoef(a, b, options(columns=columns)), want, f"corrcoef {shape} {other}", 10)
    near(gnd.cov(gnd.from_numpy(np.array([[1.0], [2.0]])), 5, None), quiet(np.cov, [[1.0], [2.0]], 5), "number")


def test_cov_of_views_and_special_values():
    x = sample("float64", (6, 40))
    a = gnd.from_numpy(x)
    near(gnd.cov(a["::-2, 3::2"], None, None), np.cov(x[::-2, 3::2]), "slices", 10)
    near(gnd.cov(gnd.transpose(a), None, options(columns=True)), np.cov(x), "transposed", 10)
    x[1, 3], x[2, 5] = np.nan, np.inf
    near(gnd.cov(gnd.from_numpy(x), None, None), quiet(np.cov, x), "special", 10)
    x = sample("float64", (3, 20000)) + 1e6
    near(gnd.cov(gnd.from_numpy(x), None, None), np.cov(x), "large", 1e5)


@pytest.mark.parametrize("dtype", PLAIN)
def test_corrcoef(dtype):
    for shape, columns in (((3, 20), False), ((20, 3), True), ((2, 20), False), ((20,), False)):
        x, y = sample(dtype, shape), sample(dtype, shape)
        near(gnd.corrcoef(gnd.from_numpy(x), None, options(columns=columns)),
             quiet(np.corrcoef, x, rowvar=not columns), f"{dtype}{shape}", 10)
        near(gnd.corrcoef(gnd.from_numpy(x), gnd.from_numpy(y), options(columns=columns)),
             quiet(np.corrcoef, x, y, rowvar=not columns), f"{dtype}{shape} twice", 10)
    x = np.stack([np.arange(10.0), -np.arange(10.0), np.ones(10)])
    got = gnd.corrcoef(gnd.from_numpy(x), None, None).numpy()
    assert np.allclose(got[:2, :2], [[1, -1], [-1, 1]], rtol=1e-15) and np.isnan(got[2]).all()
    x = sample("float32", (50, 100)).astype(np.float32)
    x[1] = x[0]
    assert np.abs(gnd.corrcoef(gnd.from_numpy(x), None, options(dtype="float32")).numpy()).max() <= 1


def test_what_cov_refuses():
    x = gnd.ones((2, 5), "float64")
    ones = lambda *shape: gnd.ones(shape, "float64")
    kept = {"short": ones(4), "square": ones(5, 1), "complex": gnd.ones((5,), "complex64"), "five": ones(5)}
    arg = lambda name: gnd.arg(kept[name])

    def with_weights(**given):
        result = options()
        for name, value in given.items():
            setattr(result, name, value)
        return result
    for call, code in (
            (lambda: gnd.cov(gnd.ones((2, 3, 4), "float64"), None, None), gnd.ERROR_SHAPE),
            (lambda: gnd.cov(x, gnd.ones((2, 3, 5), "float64"), None), gnd.ERROR_SHAPE),
            (lambda: gnd.cov(x, ones(2, 4), None), gnd.ERROR_SHAPE),
            (lambda: gnd.cov(x, None, options(ddof=1.5)), gnd.ERROR_VALUE),
            (lambda: gnd.cov(x, None, options(dtype="int32")), gnd.ERROR_DTYPE),
            (lambda: gnd.cov(x, None, with_weights(fweights=arg("short"))), gnd.ERROR_SHAPE),
            (lambda: gnd.cov(x, None, with_weights(aweights=arg("square"))), gnd.ERROR_SHAPE),
            (lambda: gnd.cov(x, None, with_weights(aweights=arg("complex"))), gnd.ERROR_DTYPE),
            (lambda: gnd.cov(x, None, options(fweights=3)), gnd.ERROR_SHAPE),
            (lambda: gnd.corrcoef(x, None, options(bias=True)), gnd.ERROR_INVALID),
            (lambda: gnd.corrcoef(x, None, with_weights(fweights=arg("five"))), gnd.ERROR_INVALID)):
        with pytest.raises(gnd.Error) as caught:
            call()
        assert caught.value.code == code and "gnd_co" in caught.value.message, caught.value


@pytest.mark.parametrize("name, weights, text", [
    ("fweights", [1, -1, 2.0], "negative"), ("fweights", [1, 1.5, 2], "whole"),
    ("fweights", [1, np.nan, 2], "whole"), ("aweights", [1, -0.5, 2], "negative"),
    ("aweights", [0.0, 0, 0], "add up to zero"), ("fweights", [0, 0, 0], "add up to zero")])
def test_bad_weights_are_reported_at_the_next_wait(name, weights, text):
    kept, given = gnd.from_numpy(np.array(weights)), options()
    setattr(given, name, gnd.arg(kept))
    got = gnd.cov(gnd.from_numpy(np.array([[1.0, 2, 4], [3, 1, 1]])), None, given)
    with pytest.raises(gnd.Error, match=text) as caught:
        got.numpy()
    assert caught.value.code == gnd.ERROR_VALUE


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "complex64"])
def test_layout_of_cov_and_corrcoef(dtype):
    """C order, and of no variables what NumPy gives: float64, whatever was given."""
    for shape in ((3, 5), (4, 1), (2, 40), (0, 5), (0, 0), (2, 0), (5,), (1, 5)):
        x = sample(dtype, shape)
        for name in ("cov", "corrcoef"):
            with np.errstate(all="ignore"):
                want = np.asarray(getattr(np, name)(x))
            got = getattr(gnd, name)(gnd.from_numpy(x), None, None)
            near(got, want, f"{name} {shape}")
            assert got.strides == want.strides, f"{name} {shape}: strides {got.strides}, not {want.strides}"
    weights = gnd.from_numpy(np.array([1, 2, 0, 1, 3]))
    options = gnd.STRUCTS["gnd_cov_options"]()
    options.aweights = gnd.arg(weights)
    x = sample(dtype, (3, 5))
    got = gnd.cov(gnd.from_numpy(x), None, options)
    near(got, np.cov(x, aweights=[1, 2, 0, 1, 3]), "weights")
    assert got.strides == (3 * got.strides[1], got.strides[1])
