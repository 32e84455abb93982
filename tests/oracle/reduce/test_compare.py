"""Whether arrays are equal, close, or in the same memory, against NumPy. shares_memory is exact: it is held
against the bytes that the elements really touch."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import dtypes
import gnd
import values
from test_faults import run_with_failures
from values import generator

CPU = gnd.STRUCTS["gnd_device"](gnd.CPU, 0)


def raises(code, text, call, *arguments):
    with pytest.raises(gnd.Error) as caught:
        call(*arguments)
    assert caught.value.code == code and text in caught.value.message, caught.value.message


# ---- equal ----------------------------------------------------------------------------------------------------


def variants(name, g):
    """Arrays of one shape: the same values, one of them changed, special ones."""
    base = values.random_values(name, (7, 5), g, 0)
    if name in dtypes.INTEGERS or name == "bool":
        plain = base
    else:
        plain = dtypes.cast(np.nan_to_num(dtypes.widen(base), posinf=3, neginf=-3), name)
    other = plain.copy()
    other[3, 2] = dtypes.cast(np.array([1 if dtypes.widen(plain)[3, 2] != 1 else 0]), name)[0]
    yield plain
    yield other
    yield plain.copy()
    if name not in dtypes.INTEGERS and name != "bool":
        special = dtypes.widen(plain).copy()
        special.flat[[1, 8, 30]] = [np.nan, np.inf, -np.inf]
        yield dtypes.cast(special, name)
        special.flat[1] = 0.0
        yield dtypes.cast(special, name)
    if name in dtypes.COMPLEX:
        special = special.copy()
        special.flat[1] = complex(1, np.nan)
        yield special.astype(name)


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_equal(name):
    arrays = list(variants(name, generator("equal", name)))
    for x, y in itertools.product(arrays, repeat=2):
        a, b = gnd.from_numpy(x), gnd.from_numpy(y)
        wide = dtypes.widen(x), dtypes.widen(y)
        for equal_nan in (False, True):
            assert gnd.array_equal(a, b, equal_nan) == np.array_equal(*wide, equal_nan=equal_nan)
            assert (gnd.allclose(a, b, 1e-5, 1e-8, equal_nan) ==
                    np.allclose(*wide, equal_nan=equal_nan))
        assert gnd.array_equiv(a, b) == np.array_equiv(*wide)
        assert gnd.array_equal(gnd.transpose(a), gnd.transpose(b), False) == np.array_equal(*wide)
        assert gnd.array_equal(a["::-1, ::2"], b["::-1, ::2"], False) == np.array_equal(
            wide[0][::-1, ::2], wide[1][::-1, ::2])


@pytest.mark.parametrize("first", dtypes.NAMES)
def test_dtypes_mix(first):
    for second in dtypes.NAMES:
        if "bfloat16" in (first, second):
            continue
        for number in (0, 1, 3):
            x, y = np.full(4, number).astype(first), np.ones(4).astype(second)
            a, b = gnd.from_numpy(x), gnd.from_numpy(y)
            for equal_nan in (False, True):
                assert gnd.array_equal(a, b, equal_nan) == np.array_equal(x, y), (first, second)
            assert gnd.array_equiv(a, b) == np.array_equiv(x, y)
            assert gnd.allclose(a, b, 0.5, 0.25, False) == np.allclose(x, y, 0.5, 0.25)


def test_wide_integers_are_compared_exactly():
    x, y = np.array([2**53, -1]), np.array([2**53 + 1, -1])
    u = np.array([2**64 - 1, 2**53], np.uint64)
    for a, b in itertools.product((x, y, u, u[::-1], x.astype(np.uint64)), repeat=2):
        for equal_nan in (False, True):
            assert (gnd.array_equal(gnd.from_numpy(a), gnd.from_numpy(b), equal_nan) ==
                    np.array_equal(a, b, equal_nan=equal_nan))


def test_shapes():
    shapes = [(), (1,), (3,), (2, 3), (3, 2), (1, 3), (2, 1), (0,), (0, 3), (1, 0), (2, 1, 3)]
    for first, second in itertools.product(shapes, repeat=2):
        x, y = np.ones(first, np.float32), np.ones(second, np.int8)
        a, b = gnd.from_numpy(x), gnd.from_numpy(y)
        assert gnd.array_equal(a, b, False) == np.array_equal(x, y), (first, second)
        assert gnd.array_equiv(a, b) == np.array_equiv(x, y), (first, second)
        try:
            want = np.allclose(x, y)
        except ValueError:
            raises(gnd.ERROR_SHAPE, "gnd_allclose", gnd.allclose, a, b, 1e-5, 1e-8, False)
        else:
            assert gnd.allclose(a, b, 1e-5, 1e-8, False) == want


def test_numbers():
    x = np.array([[2.0, 2.0 + 1e-7]])
    a = gnd.from_numpy(x)
    assert not gnd.array_equiv(a, 2) and gnd.array_equiv(2.0, a[":, :1"])
    assert gnd.array_equiv(a["0, :0"], 7)
    assert gnd.allclose(a, 2, 1e-5, 1e-8, False) and not gnd.allclose(2.0, a, 0, 1e-8, False)
    assert gnd.allclose(1.0, 1.0 + 1e-9, 1e-5, 1e-8, False) and gnd.array_equiv(3, 3)
    nan = gnd.from_numpy(np.array([np.nan]))
    assert gnd.allclose(nan, np.nan, 0, 0, True) and not gnd.allclose(nan, np.nan, 0, 0, False)


def test_comparison_is_asymmetric_like_isclose():
    x, y = np.array([100.0, 0.0]), np.array([110.0, 1e-9])
    for rtol, atol in ((0.095, 0), (0.1, 0), (0.1, 1e-8), (0, 10), (0, 9.9)):
        for a, b in ((x, y), (y, x)):
            assert (gnd.allclose(gnd.from_numpy(a), gnd.from_numpy(b), rtol, atol, False) ==
                    np.allclose(a, b, rtol, atol))


def test_equal_refuses():
    a = gnd.ones((2, 3), "float32")
    for call in (lambda x, y: gnd.array_equal(x, y, False), gnd.array_equiv,
                 lambda x, y: gnd.allclose(x, y, 0, 0, False)):
        empty = gnd.Array(None)
        raises(gnd.ERROR_INVALID, "'a' is NULL", call, empty, a)
        raises(gnd.ERROR_INVALID, "'b' is NULL", call, a, empty)


def test_comparing_without_memory():
    x = gnd.ones((50, 60), "float32")
    y = gnd.ones((50, 60), "float64")
    for call in (lambda: gnd.array_equal(x, y, True), lambda: gnd.array_equiv(x, 1),
                 lambda: gnd.allclose(x, y, 0, 0, False)):
        good, failures = run_with_failures(call)
        assert good is True and failures >= 2


# ---- shared memory --------------------------------------------------------------------------------------------


def touched(x, base):
    """The bytes of `base` that the elements of its view x touch."""
    start = x.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    places = {start}
    for size, stride in zip(x.shape, x.strides):
        places = {p + i * stride for p in places for i in range(size)}
    return {p + i for p in places for i in range(x.itemsize)} if x.size else set()


def wrapped(base, address, x):
    """The same view, by gnd."""
    offset = x.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    strides = np.array(x.strides or (0,), np.int64)
    return gnd.wrap(address + offset, x.shape, strides, dtypes.name_of(x.dtype), CPU, None, None)


BASE = np.zeros(4096, np.uint8)


def random_view(g):
    """A view of BASE with wild but lawful strides."""
    name = g.choice(["uint8", "int16", "float32", "float64", "complex128"])
    dtype = dtypes.DTYPES[name]
    ndim = int(g.integers(0, 5))
    shape = tuple(int(g.integers(1, 5)) for _ in range(ndim))
    while True:
        strides = tuple(int(g.integers(-12, 13)) * dtype.itemsize for _ in range(ndim))
        low = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides))
        high = sum(max(0, (n - 1) * s) for n, s in zip(shape, strides)) + dtype.itemsize
        start = int(g.integers(0, 64)) * dtype.itemsize - low
        if start + high <= BASE.size:
            break
    return np.lib.stride_tricks.as_strided(
        np.frombuffer(BASE, dtype, offset=start, count=1), shape, strides)


def test_shares_memory_of_random_views():
    g = generator("shares")
    hits = 0
    for _ in range(1500):
        x, y = random_view(g), random_view(g)
        address = BASE.ctypes.data
        a, b = wrapped(BASE, address, x), wrapped(BASE, address, y)
        want = bool(touched(x, BASE) & touched(y, BASE))
        assert np.shares_memory(x, y) == want
        context = f"{x.dtype} {x.shape} {x.strides}, {y.dtype} {y.shape} {y.strides}"
        assert gnd.shares_memory(a, b, -1) == want, context
        assert gnd.shares_memory(b, a, -1) == want, context
        assert gnd.shares_memory(a, b, 10**6) == want, context
        assert gnd.shares_memory(a, b, 0) == np.may_share_memory(x, y), context
        assert gnd.may_share_memory(a, b) == np.may_share_memory(x, y), context
        hits += want
    assert 200 < hits < 1300


def test_shares_memory_of_slices():
    x = gnd.zeros((40, 60), "float32")
    assert not gnd.shares_memory(x["::2"], x["1::2"], -1)
    assert gnd.may_share_memory(x["::2"], x["1::2"])
    assert gnd.shares_memory(x["::2"], x["::3"], -1)
    assert not gnd.shares_memory(x["::-2, ::2"], x[":, 1::2"], -1)
    assert gnd.shares_memory(x["::-2, ::2"], gnd.transpose(x), -1)
    assert not gnd.shares_memory(x[":20"], x["20:"], -1)
    assert not gnd.shares_memory(x, gnd.zeros((3,), "int8"), -1)
    assert not gnd.shares_memory(x["0:0"], x, -1)
    z = gnd.zeros((30,), "complex64")
    assert not gnd.shares_memory(gnd.real(z), gnd.imag(z), -1)
    assert gnd.shares_memory(gnd.real(z), z, -1)
    wide = gnd.broadcast_to(z["3:4"], (1000, 1000))
    assert gnd.shares_memory(wide, z["3"], -1) and not gnd.shares_memory(wide, z["4"], -1)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_shares_memory_of_larger_views(data):
    """Against NumPy's own solver."""
    def slice_of(size):
        start, stop = sorted((data.draw(st.integers(0, size)), data.draw(st.integers(0, size))))
        step = data.draw(st.sampled_from([1, 2, 3, 5, 7, -1, -2, -3]))
        if step > 0:
            return f"{start}:{stop}:{step}"
        return f"{stop - 1 if stop else 0}:{start - 1 if start else None}:{step}"
    base = np.zeros((12, 13, 10, 11), np.int16)
    array = gnd.from_numpy(base)
    texts = [", ".join(slice_of(n) for n in base.shape) for _ in range(2)]
    x, y = (eval(f"base[{t}]", {"base": base}) for t in texts)
    a, b = (array[t] for t in texts)
    assert gnd.shares_memory(a, b, -1) == np.shares_memory(x, y), texts
    assert gnd.shares_memory(a, gnd.transpose(b), -1) == np.shares_memory(x, y), texts


def hard_pair():
    """Two views whose question NumPy's solver finds hard as well: coefficients without structure."""
    steps = [1291, 1607, 1777, 1999, 2129, 2203]
    address = 1 << 40
    strides = np.array([8 * s for s in steps], np.int64)
    shape = (9,) * len(steps)
    return [gnd.wrap(address + 8 * k, shape, strides, "float64", CPU, None, None)
            for k in (0, 3)]


def test_shares_memory_stops_after_max_work():
    a, b = hard_pair()
    raises(gnd.ERROR_VALUE, "1 steps do not decide", gnd.shares_memory, a, b, 1)
    assert gnd.shares_memory(a, b, 0) is True
    x, y = (np.lib.stride_tricks.as_strided(np.zeros(1), (9,) * 6, [8 * s for s in
            [1291, 1607, 1777, 1999, 2129, 2203]]) for _ in range(2))
    with pytest.raises(np.exceptions.TooHardError):
        np.shares_memory(x, x[1:], max_work=1)
    assert gnd.shares_memory(a, a, -1)


def test_shares_memory_refuses():
    a = gnd.zeros((3,), "float32")
    raises(gnd.ERROR_INVALID, "'a' is NULL", gnd.shares_memory, gnd.Array(None), a, -1)
    raises(gnd.ERROR_INVALID, "'b' is NULL", gnd.shares_memory, a, gnd.Array(None), -1)


# ---- real and complex -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_iscomplex_and_isreal(name):
    g = generator("iscomplex", name)
    for shape in ((), (0,), (7,), (3, 0), (5, 4), (2, 3, 4)):
        a, x = values.operand(shape, name, g)
        if name in dtypes.COMPLEX and x.size and x.flags.writeable:
            base = np.array(x)
            base.imag[g.random(shape) < 0.5] = g.choice([0.0, -0.0])
            a, x = gnd.from_numpy(base), base
        assert gnd.iscomplexobj(a) == (name in dtypes.COMPLEX)
        assert gnd.isrealobj(a) == (name not in dtypes.COMPLEX)
        wide = dtypes.widen(x)
        for mine, theirs in ((gnd.iscomplex, np.iscomplex), (gnd.isreal, np.isreal)):
            got = mine(a)
            assert got.dtype == "bool" and got.shape == shape
            assert (got.numpy() == theirs(wide)).all(), f"{name} {shape}"


def test_iscomplex_of_numbers():
    for number in (True, 3, 2.5, float("nan"), 1 + 0j, 1 - 2j, complex(0, float("nan")), complex(1, -0.0)):
        for mine, theirs in ((gnd.iscomplex, np.iscomplex), (gnd.isreal, np.isreal)):
            got = mine(number)
            assert got.shape == () and bool(got.numpy()) == bool(theirs(number)), number
            with pytest.raises(gnd.Error):
                mine(None)
    for function in (gnd.iscomplexobj, gnd.isrealobj):
        with pytest.raises(gnd.Error):
            function(None)


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_real_if_close(name):
    g = generator("real_if_close", name)
    for shape in ((), (0,), (6,), (3, 4)):
        for size in (0, 1e-17, 1e-15, 3e-14, 1e-7, 1e-4, 1.0, np.nan, np.inf):
            for tol in (100, 1.5, 1.0, 1e-5, 0.0, 2000):
                base = dtypes.cast(g.normal(size=shape), name)
                if name in dtypes.COMPLEX:
                    base = base + (1j * np.full(shape, size)).astype(name)
                    if base.size:
                        base.imag.flat[0] = -base.imag.flat[0]  # negative parts are as near
                if name == "bfloat16":
                    wants_real = False
                else:
                    with np.errstate(all="ignore"):
                        wants_real = np.real_if_close(base, tol).dtype.kind != "c" and base.dtype.kind == "c"
                a = gnd.from_numpy(base)
                got = gnd.real_if_close(a, tol)
                assert got.dtype == (gnd.real(a).dtype if wants_real else name), f"{shape} {size} {tol}"
                assert gnd.shares_buffer(a, got)
                want = base.real if wants_real else base
                assert gnd.array_equal(got, gnd.from_numpy(want), True)
    with pytest.raises(gnd.Error):
        gnd.real_if_close(None, 100)


def test_real_if_close_without_memory():
    a = gnd.from_numpy(np.ones(3000, np.complex128))
    run_with_failures(lambda: gnd.real_if_close(a, 100))
