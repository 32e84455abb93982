"""empty to identity, and the ranges, against NumPy's functions of the same names."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import reference
import values
from check import assert_same

SHAPES = [(), (0,), (7,), (3, 4), (2, 0, 3), (2, 3, 4)]


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_filled(name):
    dtype = dtypes.DTYPES[name]
    for shape in SHAPES:
        empty = gnd.empty(shape, name)
        assert (empty.dtype, empty.shape) == (name, shape)
        assert_same(gnd.zeros(shape, name), np.zeros(shape, dtype))
        ones = dtypes.cast(np.ones(shape), name)
        assert_same(gnd.ones(shape, name), ones)
        for value in (0, 1, 3, 2.5, float("nan"), True, 1 + 2j):
            if isinstance(value, complex) and name not in dtypes.COMPLEX:
                continue  # NumPy drops the part with a warning, or refuses
            if value != value and name in dtypes.INTEGERS:
                continue
            want = dtypes.cast(np.full(shape, value), name)
            assert_same(gnd.full(shape, value, name), want, f"{name} {value}")


def test_defaults():
    assert_same(gnd.zeros((3,), None), np.zeros(3))
    assert_same(gnd.ones((3,), None), np.ones(3))
    assert gnd.empty((3,), None).dtype == "float64"
    for value in (True, 3, 2.5, 1j, 2**63):
        assert_same(gnd.full((2,), value, None), np.full(2, value))


def test_full_of_an_array():
    x = np.arange(4, dtype=np.int16)
    assert_same(gnd.full((3, 4), gnd.from_numpy(x), None), np.full((3, 4), x))
    assert_same(gnd.full((3, 4), gnd.from_numpy(x), "float32"), np.full((3, 4), x, np.float32))
    with pytest.raises(gnd.Error) as caught:
        gnd.full((3, 5), gnd.from_numpy(x), None)
    assert caught.value.code == gnd.ERROR_SHAPE


@pytest.mark.parametrize("name", dtypes.INTEGERS)
def test_full_out_of_range(name):
    info = np.iinfo(name)
    for value in (info.max + 1, info.min - 1):
        if -(2**63) <= value < 2**64:
            with pytest.raises(gnd.Error) as caught:
                gnd.full((3,), value, name)
            assert caught.value.code == gnd.ERROR_VALUE
    for value in (info.max, info.min):
        assert_same(gnd.full((3,), value, name), np.full(3, value, name))


@pytest.mark.parametrize("shape", SHAPES + [(5, 1, 3)])
def test_like(shape):
    for layout in values.layouts(shape):
        base = np.zeros(layout.base, np.float32)
        a, x = gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps)
        for dtype in (None, "int8", "complex128"):
            assert_same(gnd.zeros_like(a, dtype), np.zeros_like(x, dtype), layout.name)
            assert_same(gnd.ones_like(a, dtype), np.ones_like(x, dtype), layout.name)
            assert_same(gnd.full_like(a, 7, dtype), np.full_like(x, 7, dtype), layout.name)
            empty = gnd.empty_like(a, dtype)
            assert empty.shape == x.shape and empty.dtype == np.empty_like(x, dtype).dtype.name


# ---- ranges -------------------------------------------------------------------------------------------------


def same_or_refused(mine, theirs, context, ulp=0):
    try:
        with np.errstate(all="ignore"):
            want = theirs()
    except (ValueError, ZeroDivisionError, OverflowError, MemoryError, TypeError):
        with pytest.raises(gnd.Error):
            mine()
        return
    got = mine()
    if ulp == 0 or want.dtype.kind in "iub":
        assert_same(got, want, context)
        return
    assert got.dtype == want.dtype.name and got.shape == want.shape, context
    real = np.dtype(want.real.dtype)
    step = ulp * np.finfo(real).eps
    actual = got.numpy()
    largest = np.max(np.abs(want[np.isfinite(want)]), initial=0)
    near = np.abs(actual - want) <= step * np.maximum(np.abs(want), 1e-3 * largest)
    bad = ~(near | (np.isnan(actual) & np.isnan(want)) | (actual == want))
    assert not bad.any(), f"{context}: {actual[bad][:3]}, not {want[bad][:3]}"


numbers = st.one_of(st.integers(-50, 50), st.floats(-20, 20, width=32))


@given(start=numbers, stop=numbers, step=numbers,
       dtype=st.sampled_from([None, "int8", "int32", "int64", "uint64", "float16", "float32", "float64",
                              "complex64"]))
def test_arange(start, stop, step, dtype):
    if step != 0 and abs((stop - start) / step) > 1e5:
        return
    if dtype and dtype.startswith("u") and (start < 0 or step < 0):
        return
    same_or_refused(lambda: gnd.arange(start, stop, step, dtype),
                    lambda: np.arange(start, stop, step, dtype), f"arange({start}, {stop}, {step}, {dtype})")


def test_arange_forms():
    for arguments in ((None, 10, None), (3, 10, None), (None, 10, 3), (10, None or 0, -3), (5, 5, 1),
                      (0, 2**40, 2**36), (2**62, 2**62 + 5, 1), (-2**63, -2**63 + 3, 1),
                      (0.5, 3, None), (0, 1, 0.1), (1, 0, 0.1),
                      (0, 1e300, 1e299), (0, 10, 1j), (0, 3 + 3j, 1 + 1j), (True, 4, None)):
        start, stop, step = arguments
        same_or_refused(lambda: gnd.arange(start, stop, step, None),
                        lambda: np.arange(0 if start is None else start, stop,
                                          1 if step is None else step), str(arguments))
    for step in (0, 0.0):
        with pytest.raises(gnd.Error) as caught:
            gnd.arange(0, 10, step, None)
        assert caught.value.code == gnd.ERROR_VALUE
    for bad in (float("nan"), float("inf")):
        with pytest.raises(gnd.Error):
            gnd.arange(0, bad, 1, None)
    with pytest.raises(gnd.Error):
        gnd.arange(0, 1e300, 1e-3, None)
    with pytest.raises(gnd.Error):
        gnd.arange(gnd.zeros((2,), None), 3, 1, None)


@given(start=numbers, stop=numbers, num=st.integers(0, 70), endpoint=st.booleans(),
       dtype=st.sampled_from([None, "int32", "int64", "float16", "float32", "complex128"]))
def test_linspace(start, stop, num, endpoint, dtype):
    same_or_refused(lambda: gnd.linspace(start, stop, num, endpoint, dtype),
                    lambda: np.linspace(start, stop, num, endpoint, dtype=dtype),
                    f"linspace({start}, {stop}, {num}, {endpoint}, {dtype})", ulp=4)


def test_linspace_edges():
    for start, stop in ((0, 1j), (1 + 1j, 3 - 2j), (0, 0), (1, float("inf")), (-1e308, 1e308),
                        (0, 5e-324), (2**60, 2**60 + 5)):
        for num, endpoint in itertools.product((0, 1, 2, 5), (True, False)):
            same_or_refused(lambda: gnd.linspace(start, stop, num, endpoint, None),
                            lambda: np.linspace(start, stop, num, endpoint),
                            f"{start} {stop} {num} {endpoint}", ulp=4)
    with pytest.raises(gnd.Error) as caught:
        gnd.linspace(0, 1, -1, True, None)
    assert caught.value.code == gnd.ERROR_VALUE
    last = gnd.linspace(0, 0.7, 1001, True, None).numpy()[-1]
    assert last == 0.7


def test_linspace_of_arrays():
    x, y = np.array([0.0, 10, -3]), np.array([[1.0], [100]])
    for num, endpoint in itertools.product((0, 1, 2, 7), (True, False)):
        same_or_refused(lambda: gnd.linspace(gnd.from_numpy(x), gnd.from_numpy(y), num, endpoint, None),
                        lambda: np.linspace(x, y, num, endpoint), f"{num} {endpoint}", ulp=4)
        same_or_refused(lambda: gnd.linspace(gnd.from_numpy(x.astype("f4")), 2, num, endpoint, None),
                        lambda: np.linspace(x.astype("f4"), 2, num, endpoint), f"{num} {endpoint}", ulp=4)


@given(start=st.floats(-5, 5, width=32), stop=st.floats(-5, 5, width=32), num=st.integers(0, 40),
       endpoint=st.booleans(), base=st.sampled_from([10, 2, 2.5, 0.5]))
def test_logspace(start, stop, num, endpoint, base):
    same_or_refused(lambda: gnd.logspace(start, stop, num, endpoint, base, None),
                    lambda: np.logspace(start, stop, num, endpoint, base), "logspace", ulp=32)


@given(start=st.floats(0.0078125, 1024, width=32), stop=st.floats(0.0078125, 1024, width=32),
       num=st.integers(0, 40), endpoint=st.booleans(), sign=st.sampled_from([1, -1]))
def test_geomspace(start, stop, num, endpoint, sign):
    same_or_refused(lambda: gnd.geomspace(sign * start, sign * stop, num, endpoint, None),
                    lambda: np.geomspace(sign * start, sign * stop, num, endpoint),
                    f"{start} {stop} {num} {endpoint} {sign}", ulp=32)


def test_geomspace_edges():
    for start, stop in ((1, 1000), (1j, 1000j), (-1, 1), (1, -1j), (1, 256), (-1000, -1), (3, 3),
                        (1 + 0j, 2 + 3j), (0, 1), (1, 0)):
        for num in (0, 1, 4, 9):
            same_or_refused(lambda: gnd.geomspace(start, stop, num, True, None),
                            lambda: np.geomspace(start, stop, num), f"{start} {stop} {num}", ulp=64)
    got = gnd.geomspace(1, 1000, 4, True, None).numpy()
    assert got[0] == 1 and got[-1] == 1000


# ---- identities ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [None, *dtypes.NAMES])
def test_eye(name):
    for n, m in itertools.product((0, 1, 3, 5), (-1, 0, 2, 7)):
        for k in (0, 1, -1, 3, -4, 100, -100):
            want = np.eye(n, None if m == -1 else m, k)
            want = want if name is None else dtypes.cast(want, name)
            assert_same(gnd.eye(n, m, k, name), want, f"eye({n}, {m}, {k}, {name})")
        assert_same(gnd.identity(n, name),
                    np.identity(n) if name is None else dtypes.cast(np.identity(n), name))


# ---- refusals -----------------------------------------------------------------------------------------------


def test_absurd_sizes():
    for call in (lambda: gnd.empty((2**62, 8), "float64"), lambda: gnd.zeros((-1,), "int8"),
                 lambda: gnd.ones((2**31, 2**31, 2**31), "int8"), lambda: gnd.empty((2**63 - 1,), "int16"),
                 lambda: gnd.zeros((0, -1), None), lambda: gnd.eye(-2, 3, 0, None),
                 lambda: gnd.eye(2**40, 2**40, 0, None), lambda: gnd.empty((3,), 99),
                 lambda: gnd.empty(gnd.shape((1,) * 65), None)):
        with pytest.raises(gnd.Error) as caught:
            call()
        assert caught.value.code in (gnd.ERROR_SHAPE, gnd.ERROR_MEMORY, gnd.ERROR_DTYPE)
    # As NumPy: a size of 0 somewhere does not excuse a product that overflows elsewhere.
    with pytest.raises(ValueError):
        np.empty((0, 2**40, 2**40))
    with pytest.raises(gnd.Error):
        gnd.empty((0, 2**40, 2**40), None)
    negative = gnd.shape((2,))
    negative.ndim = -1
    with pytest.raises(gnd.Error):
        gnd.empty(negative, None)
    assert reference.same_values(gnd.zeros((2,), None).numpy(), np.zeros(2)).all()
