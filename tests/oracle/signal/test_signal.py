"""Convolution, correlation and unwrapped phases against NumPy: every dtype and mode, lines of any lengths
and strides, infinite values at the ends, long taps, and what is refused."""

import numpy as np
import pytest

import dtypes
import gnd
from check import assert_same, refused
from test_faults import run_with_failures
from values import generator

MODES = {"full": gnd.FULL, "same": gnd.SAME, "valid": gnd.VALID}
NEAR = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-13, "complex64": 1e-5,
        "complex128": 1e-13}
SIZES = [(1, 1), (5, 3), (3, 5), (7, 7), (64, 65), (200, 7), (130, 129), (1000, 300), (33, 500), (2000, 1)]


def line(dtype, n, g):
    """Both sides' line in a random step, and its values."""
    if dtype == "bool":
        base = g.random(3 * n) < 0.2
    elif dtype in dtypes.INTEGERS:
        info = np.iinfo(dtype)
        base = g.integers(info.min, info.max, 3 * n, dtype=dtype, endpoint=True)
    else:
        base = g.normal(size=3 * n)
        if dtype in dtypes.COMPLEX:
            base = base + 1j * g.normal(size=3 * n)
        base = dtypes.cast(base, dtype)
    text = [f":{n}", f"{n}:{2 * n}", "::3", "::-3", f"{n}:0:-1"][g.integers(5)]
    return gnd.from_numpy(base)[text], eval(f"base[{text}]", {"base": base})


def wide(x):
    """For sums that round less than those in question."""
    if dtypes.name_of(x.dtype) in dtypes.COMPLEX:
        return x.astype("complex128")
    return x if x.dtype.kind in "biu" and not dtypes.is_bfloat16(x) else dtypes.widen(x).astype("float64")


def check(name, a, v, x, y, mode, context):
    got = gnd.function("gnd_" + name)(a, v, MODES[mode])
    dtype = dtypes.promote(dtypes.name_of(x.dtype), dtypes.name_of(y.dtype))
    assert got.dtype == dtype, f"{context}: {got.dtype}"
    if dtype in dtypes.INTEGERS or dtype == "bool":
        assert_same(got, getattr(np, name)(x, y, mode), context)
        return
    want = getattr(np, name)(wide(x), wide(y), mode)
    size = getattr(np, "convolve" if name == "convolve" else "correlate")(abs(wide(x)), abs(wide(y)), mode)
    assert got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    error = abs(wide(got.numpy()) - want)
    assert (error <= NEAR[dtype] * (abs(want) + size / 50)).all(), f"{context}: off by {error.max()}"


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_sliding_sums(dtype):
    g = generator("slide", dtype)
    for n, m in SIZES:
        for mode in MODES:
            for name in ("convolve", "correlate"):
                (a, x), (v, y) = line(dtype, n, g), line(dtype, m, g)
                check(name, a, v, x, y, mode, f"{name} {dtype} {n} {m} {mode}")


def test_sliding_sums_promote():
    g = generator("promote")
    for first, second in [("int8", "uint8"), ("int64", "float32"), ("float16", "int16"), ("bool", "int8"),
                          ("float64", "complex64"), ("complex64", "int32"), ("bfloat16", "float16")]:
        for name in ("convolve", "correlate"):
            for n, m in [(9, 4), (4, 9)]:
                (a, x), (v, y) = line(first, n, g), line(second, m, g)
                check(name, a, v, x, y, "full", f"{name} {first} {second}")


def test_values_outside_have_no_product():
    for name in ("convolve", "correlate"):
        for mode in MODES:
            for dtype in ("float32", "float64", "float16"):
                for n, m, at, tap in [(300, 9, 0, 4), (300, 9, 299, 0), (9, 300, 5, 299), (1200, 400, 600, 399),
                                      (1200, 400, 3, 0)]:
                    x, y = np.ones(n, dtype), np.ones(m, dtype)
                    y[tap] = np.inf
                    with np.errstate(all="ignore"):
                        want = getattr(np, name)(x, y, mode)
                        got = gnd.function("gnd_" + name)(gnd.from_numpy(x), gnd.from_numpy(y), MODES[mode])
                        assert_same(got, want, f"{name} {mode} {n} {m}")
                        x[at] = np.nan
                        want = getattr(np, name)(x, y, mode)
                    got = gnd.function("gnd_" + name)(gnd.from_numpy(x), gnd.from_numpy(y), MODES[mode])
                    assert_same(got, want, f"{name} {mode} {n} {m} NaN at {at}")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "complex64", "int64"])
def test_long_lines_of_taps(dtype):
    g = generator("long", dtype)
    for n, m, mode in [(20000, 20000, "valid"), (20010, 20000, "valid"), (9000, 3000, "same"),
                       (9000, 999, "full"), (70000, 3, "same")]:
        (a, x), (v, y) = line(dtype, n, g), line(dtype, m, g)
        check("correlate", a, v, x, y, mode, f"{dtype} {n} {m} {mode}")


def test_sliding_sums_are_the_same_every_time():
    g = generator("again")
    (a, _), (v, _) = line("float32", 30000, g), line("float32", 29000, g)
    first = gnd.correlate(a, v, gnd.VALID).numpy()
    for _ in range(5):
        assert (gnd.correlate(a, v, gnd.VALID).numpy() == first).all()


def test_sliding_sums_refuse():
    x, m = gnd.zeros(3, "float32"), gnd.zeros((2, 2), "float32")
    for name in ("convolve", "correlate"):
        call = gnd.function("gnd_" + name)
        refused(lambda: call(x, m, gnd.FULL), gnd.ERROR_SHAPE, "v must be 1-dimensional", "(2, 2)", name)
        refused(lambda: call(gnd.zeros(0, "int8"), x, gnd.FULL), gnd.ERROR_VALUE, "a is empty")
        refused(lambda: call(x, x, 3), gnd.ERROR_INVALID, "mode number 3")
        refused(lambda: call(None, x, gnd.FULL), gnd.ERROR_INVALID, "'a' is NULL")


def test_unwrap():
    g = generator("unwrap")
    for shape in [(0,), (1,), (2,), (50,), (4, 30), (3, 5, 6)]:
        for dtype in ("float64", "float32", "float16", "int64", "int16"):
            x = (np.cumsum(g.normal(size=shape) * 3, axis=-1) * (1 if "float" in dtype else 9))
            x = (x - np.round(x / 20) * 20).astype(dtype)
            a = gnd.from_numpy(x)
            for axis in range(-len(shape), len(shape)):
                for period in (None, 5, 8, 7.5):
                    for jump in (None, 6, 2.5):
                        keywords = {} if period is None else {"period": period}
                        want = np.unwrap(x, jump, axis, **keywords)
                        got = gnd.unwrap(a, jump, axis, period)
                        context = f"{shape} {dtype} {axis} {period} {jump}"
                        assert got.dtype == want.dtype.name and got.shape == want.shape, context
                        if want.dtype.kind == "i":
                            assert_same(got, want, context, strides=False)
                        else:
                            near = {"float16": 0.1, "float32": 1e-4, "float64": 1e-10}[got.dtype]
                            assert np.allclose(got.numpy(), want, rtol=near, atol=near), context
    x = np.array([0, np.pi, 2 * np.pi, np.pi, 0.5])
    assert np.allclose(gnd.unwrap(gnd.from_numpy(x)["::-1"], None, 0, None).numpy(), np.unwrap(x[::-1]))


def test_unwrap_refuses():
    x = gnd.zeros(3, "float32")
    refused(lambda: gnd.unwrap(gnd.zeros((), "float32"), None, 0, None), gnd.ERROR_INVALID, "0-d")
    refused(lambda: gnd.unwrap(gnd.zeros(3, "complex64"), None, 0, None), gnd.ERROR_DTYPE, "gnd_angle")
    refused(lambda: gnd.unwrap(x, None, 1, None), gnd.ERROR_AXIS, "axis 1")
    refused(lambda: gnd.unwrap(x, None, 0, x), gnd.ERROR_INVALID, "period")
    refused(lambda: gnd.unwrap(x, 1j, 0, 3), gnd.ERROR_INVALID, "discontinuity")
    refused(lambda: gnd.unwrap(None, None, 0, None), gnd.ERROR_INVALID, "NULL")


def test_out_of_memory_at_every_allocation():
    g = generator("memory")
    (a, _), (v, _) = line("complex64", 50, g), line("float64", 60, g)
    x = gnd.from_numpy(g.normal(size=(3, 20)) * 9)
    calls = [lambda: gnd.correlate(a, v, gnd.FULL), lambda: gnd.convolve(v, a, gnd.SAME),
             lambda: gnd.correlate(v, a, gnd.VALID), lambda: gnd.unwrap(x, None, 1, None)]
    for call in calls:
        result, failures = run_with_failures(call)
        assert failures > 0
        assert_same(result, call().numpy())


@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_no_dimensions(name):
    """A number is a line of one element to convolve, and none to correlate."""
    for x, y in ((3.0, [1.0, 2.0, 3.0]), ([1.0, 2.0], 3.0), (2.0, 5.0)):
        for mode in MODES:
            a, v = gnd.from_numpy(np.array(x)), gnd.from_numpy(np.array(y))
            try:
                want = getattr(np, name)(x, y, mode)
            except ValueError:
                refused(lambda: gnd.function("gnd_" + name)(a, v, MODES[mode]), gnd.ERROR_SHAPE, "0-d")
                assert name == "correlate"
                continue
            assert_same(gnd.function("gnd_" + name)(a, v, MODES[mode]), want, f"{x} {y} {mode}")
