"""The array API standard's array object, constants, creation, dtypes and inspection: the properties that
data-apis/array-api-tests checks, against NumPy."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps
from hypothesis.extra.array_api import make_strategies_namespace
from standard import (ALL, COMPLEX, FLOATING, FLOATS, INTEGERS, NUMERIC, REAL, SIGNED, UNSIGNED, arrays, elements,
                      pairs, quick, same, shapes)

import gnd

xps = make_strategies_namespace(gnd)


@quick
@given(xps.arrays(xps.scalar_dtypes(), xps.array_shapes(min_dims=0, min_side=0)))
def test_hypothesis_draws_arrays(x):
    """Hypothesis makes arrays of the namespace, as it does for the suite: it fills, sets and compares elements."""
    assert isinstance(x, gnd.ndarray) and x.size == math.prod(x.shape) and x.ndim == len(x.shape)
    assert x.dtype in [getattr(gnd, name) for name in ALL] and x.device == gnd.current_device()


# ---- the array object -------------------------------------------------------------------------------------


@quick
@given(st.data())
def test_getitem(data):
    x = data.draw(arrays(), label="x")
    key = data.draw(nps.basic_indices(x.shape, allow_newaxis=True), label="key")
    same(gnd.asarray(x)[key], x[key])


@quick
@given(st.data())
def test_setitem(data):
    to, of = data.draw(pairs(), label="dtypes")
    to = np.promote_types(to, of).name
    x = data.draw(arrays(to), label="x")
    key = data.draw(nps.basic_indices(x.shape), label="key")
    part = x[key]
    values = arrays(of, part.shape) | (elements(of) if part.shape == () else st.nothing())
    value = data.draw(values, label="value")
    mine, want = gnd.asarray(x), x.copy()
    mine[key] = gnd.asarray(value) if isinstance(value, np.ndarray) else value
    want[key] = value
    same(mine, want)


@quick
@given(st.data())
def test_masks(data):
    x = data.draw(arrays(), label="x")
    fitting = st.lists(st.booleans(), min_size=x.ndim, max_size=x.ndim).map(
        lambda kept: tuple(n if k else 0 for n, k in zip(x.shape, kept)))
    mask = data.draw(nps.arrays(bool, st.sampled_from([x.shape, ()]) | fitting | shapes()), label="mask")
    try:
        want = x[mask]
    except IndexError:
        with pytest.raises(IndexError):
            gnd.asarray(x)[gnd.asarray(mask)]
        return
    same(gnd.asarray(x)[gnd.asarray(mask)], want)


@quick
@given(st.data())
def test_setting_by_masks(data):
    x = data.draw(arrays(), label="x")
    mask = data.draw(nps.arrays(bool, x.shape), label="mask")
    value = data.draw(elements(x.dtype) | arrays(x.dtype.name, ()), label="value")
    mine, want = gnd.asarray(x), x.copy()
    mine[gnd.asarray(mask)] = gnd.asarray(value) if isinstance(value, np.ndarray) else value
    want[mask] = value
    same(mine, want)


@quick
@given(st.data())
def test_indexing_by_arrays_of_integers(data):
    """2024.12: arrays of integers, and integers between them, of any integer dtype."""
    x = data.draw(arrays(shape=shapes(min_dims=1, min_side=1)), label="x")
    shape = data.draw(shapes(max_dims=2, min_side=1), label="shape")
    key = []
    for side in x.shape:
        index = nps.arrays(st.sampled_from(SIGNED), shape, elements=st.integers(-side, side - 1))
        key.append(data.draw(index | st.integers(-side, side - 1), label="index"))
    mine = tuple(gnd.asarray(k) if isinstance(k, np.ndarray) else k for k in key)
    same(gnd.asarray(x)[mine], x[tuple(key)])


def test_errors_of_indices():
    """What does not fit the array is an IndexError, also in assignments; a value that does not fit a ValueError."""
    x = gnd.zeros((2, 3))
    mask, pair, triple = gnd.ones((2, 2), dtype="bool"), gnd.asarray([0, 1]), gnd.asarray([0, 1, 1])
    for key in (mask, (pair, triple), (0, 0, 0), 2, (slice(None), 3), (0, -4), (Ellipsis, mask)):
        with pytest.raises(IndexError):
            x[key]
        with pytest.raises(IndexError):
            x[key] = 1
    for key in (slice(None), (pair, slice(None)), (pair, pair)):
        with pytest.raises(ValueError) as caught:
            x[key] = gnd.ones(5)
        assert not isinstance(caught.value, IndexError)
    assert not gnd.any(x)


def test_integers_that_c_does_not_have():
    """As in NumPy an error, where bits would be dropped: an axis 2**32 is not axis 0, a size 2**64 + 1 not 1."""
    x, axis, size = gnd.ones((2, 3)), 2**32, 2**64 + 1
    for call in (lambda: gnd.sum(x, axis=axis), lambda: gnd.max(x, axis=(axis, 1)), lambda: gnd.sort(x, axis=axis),
                 lambda: gnd.flip(x, axis=axis), lambda: gnd.concat([x, x], axis=axis), lambda: gnd.zeros(size),
                 lambda: gnd.expand_dims(x, axis=axis), lambda: gnd.ones((2, size)), lambda: gnd.repeat(x, size),
                 lambda: gnd.reshape(x, (2**64 + 6,)), lambda: gnd.tile(x, (size,)), lambda: gnd.eye(size),
                 lambda: gnd.fft.fft(x, n=size), lambda: gnd.fft.fftn(x, axes=(axis,)),
                 lambda: gnd.linspace(0, 1, size),
                 lambda: gnd.moveaxis(x, axis, 0), lambda: gnd.signal.welch(gnd.ones(64), nperseg=2**64 + 8)):
        with pytest.raises(OverflowError):
            call()
    for index in (2**64, np.uint64(2**64 - 1), -2**70):
        with pytest.raises(IndexError):
            x[index]
    assert x[-2**70:2**70].shape == (2, 3) and x[np.uint8(1)].shape == (3,)


def test_memory_that_is_shared():
    x = gnd.zeros((4, 6))
    assert gnd.shares_memory(x, x[1:, ::2]) and not gnd.shares_memory(x[:, ::2], x[:, 1::2])
    assert gnd.shares_memory(x, gnd.from_dlpack(x)[3]) and not gnd.shares_memory(x, gnd.asarray(x, copy=True))


@pytest.mark.parametrize("method, dtypes, kind", [
    ("__bool__", ALL, bool), ("__int__", REAL + ("bool",), int), ("__index__", INTEGERS, int),
    ("__float__", REAL + ("bool",), float), ("__complex__", ALL, complex)])
def test_numbers_of_arrays_without_dimensions(method, dtypes, kind):
    for dtype in dtypes:
        for value in (0, 1, 3):
            value = np.array(value, dtype)
            got = getattr(gnd.asarray(value), method)()
            assert type(got) is kind and got == getattr(value, method)()


def test_numbers_of_what_is_not_finite():
    for value in (math.inf, -math.inf, math.nan, -0.0):
        x = gnd.asarray(value)
        assert bool(x) is bool(value) and repr(float(x)) == repr(value)
    assert complex(gnd.asarray(complex(math.inf, -0.0))) == complex(math.inf, -0.0)
    assert complex(gnd.asarray(math.inf)) == complex(math.inf, 0) and bool(gnd.asarray(1j)) is True
    for value in (math.inf, math.nan):
        with pytest.raises((OverflowError, ValueError)):
            int(gnd.asarray(value))
    with pytest.raises(TypeError):
        float(gnd.asarray(1j))
    for dtype in ("bool", "float64"):
        with pytest.raises(TypeError):
            gnd.ones((), dtype=dtype).__index__()
    for method in ("__int__", "__float__", "__complex__", "__index__"):
        with pytest.raises(TypeError):
            getattr(gnd.ones(2, dtype="int64"), method)()


def test_attributes():
    x = gnd.ones((2, 3, 4), dtype="int8")
    assert (x.dtype, x.ndim, x.shape, x.size) == (gnd.int8, 3, (2, 3, 4), 24)
    assert x.device == gnd.current_device() and x.mT.shape == (2, 4, 3) and x[0].T.shape == (4, 3)
    with pytest.raises(ValueError):
        x[0, 0].mT
    assert x.to_device(x.device).device == x.device and x.to_device(x.device, stream=None).shape == x.shape


def test_constants():
    for name, value in {"e": math.e, "pi": math.pi, "inf": math.inf}.items():
        assert type(getattr(gnd, name)) is float and getattr(gnd, name) == value
        same(gnd.asarray(getattr(gnd, name)), np.float64(value))
    assert type(gnd.nan) is float and math.isnan(gnd.nan) and bool(gnd.isnan(gnd.asarray(gnd.nan)))
    assert gnd.newaxis is None and bool(gnd.isinf(gnd.asarray(gnd.inf)))


# ---- creation ---------------------------------------------------------------------------------------------


@quick
@given(st.data())
def test_arange(data):
    dtype = data.draw(st.none() | st.sampled_from(REAL), label="dtype")
    whole = st.integers(0, 100) if dtype in UNSIGNED else st.integers(-100, 100)
    number = whole if dtype in INTEGERS else whole | st.floats(-100, 100, width=32)
    start, stop = data.draw(number), data.draw(number)
    step = data.draw(whole.filter(lambda n: n) if dtype in INTEGERS else number.filter(lambda n: abs(n) > 0.1))
    rtol = 0 if dtype in INTEGERS else 1e-6  # a GPU adds and multiplies at once
    for given_ in ((start,), (start, stop), (start, stop, step)):
        same(gnd.arange(*given_, dtype=dtype), np.arange(*given_, dtype=dtype), rtol)
    same(gnd.arange(start, step=step, dtype=dtype), np.arange(0, start, step, dtype=dtype), rtol)
    same(gnd.arange(start, stop=stop, step=step, dtype=dtype), np.arange(start, stop, step, dtype=dtype), rtol)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_arange_at_the_ends_of_integers(dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    same(gnd.arange(high - 3, high, dtype=dtype), np.arange(high - 3, high, dtype=dtype))
    same(gnd.arange(low, low + 3, dtype=dtype), np.arange(low, low + 3, dtype=dtype))
    same(gnd.arange(0, high, high // 5, dtype=dtype), np.array(range(0, high, high // 5), dtype))


@quick
@given(st.data())
def test_asarray_of_numbers_in_lists(data):
    dtype = data.draw(st.sampled_from(ALL), label="dtype")
    lower = {"b": st.nothing(), "i": st.booleans(), "u": st.booleans(), "f": st.integers(-2**24, 2**24) | st.booleans(),
             "c": st.floats(width=32) | st.integers(-2**24, 2**24)}[np.dtype(dtype).kind]
    shape = data.draw(shapes(), label="shape")
    numbers = data.draw(st.lists(elements(dtype) | lower, min_size=math.prod(shape), max_size=math.prod(shape)))
    nested = np.empty(shape, object)
    nested.ravel()[:] = numbers
    nested = nested.tolist()
    same(gnd.asarray(nested, dtype=dtype), np.asarray(nested, dtype=dtype))
    same(gnd.asarray(nested), np.asarray(nested))
    same(gnd.asarray(nested, copy=True, device=gnd.current_device()), np.asarray(nested))


@quick
@given(st.data())
def test_asarray_of_arrays(data):
    x = data.draw(arrays(), label="x")
    for copy in (None, True, False):
        for dtype in (None, x.dtype.name):
            mine = gnd.asarray(x)
            made = gnd.asarray(mine, dtype=dtype, copy=copy)
            same(made, x)
            if x.size:
                assert gnd.shares_memory(mine, made) is (copy is not True)


@quick
@given(shapes(), st.none() | st.sampled_from(ALL), st.sampled_from(ALL))
def test_empty_zeros_ones(shape, dtype, of):
    for name, value in (("empty", None), ("zeros", 0), ("ones", 1)):
        made = getattr(gnd, name)(shape, dtype=dtype, device=gnd.current_device())
        like = getattr(gnd, name + "_like")(gnd.zeros(shape, dtype=of), dtype=dtype)
        assert made.shape == like.shape == shape and made.dtype == (dtype or "float64") and like.dtype == (dtype or of)
        assert value is None or gnd.all(made == value) and gnd.all(like == value)
    assert gnd.zeros(3).shape == gnd.ones(3).shape == gnd.empty(3).shape == gnd.full(3, 1).shape == (3,)


@quick
@given(st.data())
def test_full(data):
    shape, dtype = data.draw(shapes()), data.draw(st.none() | st.sampled_from(ALL))
    value = data.draw(elements(dtype or data.draw(st.sampled_from(["bool", "int64", "float64", "complex128"]))))
    same(gnd.full(shape, value, dtype=dtype), np.full(shape, value, dtype=dtype))
    of = data.draw(st.sampled_from(ALL)) if dtype else np.asarray(value).dtype.name
    same(gnd.full_like(gnd.zeros(shape, dtype=of), value, dtype=dtype), np.full_like(np.zeros(shape, of), value, dtype))


@quick
@given(st.integers(0, 6), st.none() | st.integers(0, 6), st.integers(-8, 8), st.sampled_from(NUMERIC))
def test_eye(rows, columns, k, dtype):
    want = np.eye(rows, columns, k=k, dtype=dtype)
    same(gnd.eye(rows, columns, k=k, dtype=dtype), want)
    same(gnd.eye(rows, n_cols=columns, k=k), want.real.astype("float64"))


@quick
@given(st.data())
def test_linspace(data):
    dtype = data.draw(st.none() | st.sampled_from(NUMERIC), label="dtype")
    number = elements("int64" if dtype in INTEGERS else dtype or "float64", wide=False)
    if dtype in INTEGERS:
        number = st.integers(0, 100) if dtype in UNSIGNED else st.integers(-100, 100)
    start, stop, num = data.draw(number), data.draw(number), data.draw(st.integers(0, 12))
    for endpoint in (True, False):
        want = np.linspace(start, stop, num, dtype=dtype, endpoint=endpoint)
        got = gnd.linspace(start, stop, num, dtype=dtype, endpoint=endpoint)
        same(got, want, rtol=1e-6 if dtype in FLOATING or dtype is None else 0)
        assert num == 0 or got[0] == start and (num == 1 or not endpoint or got[-1] == stop)
    whole = gnd.linspace(start, stop, num + 1, dtype=dtype)[:-1]
    assert gnd.all(gnd.linspace(start, stop, num, dtype=dtype, endpoint=False) == whole)


@quick
@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.sampled_from(NUMERIC), st.sampled_from(["xy", "ij"]))
def test_meshgrid(sizes, dtype, indexing):
    given_ = [np.arange(n, dtype=dtype) for n in sizes]
    got = gnd.meshgrid(*map(gnd.asarray, given_), indexing=indexing)
    want = np.meshgrid(*given_, indexing=indexing)
    assert len(got) == len(want)
    for g, w in zip(got, want):
        same(g, w)


def test_devices():
    device = gnd.current_device()
    x = gnd.ones((2, 2))
    made = [gnd.arange(3, device=device), gnd.asarray([1], device=device), gnd.empty(2, device=device),
            gnd.empty_like(x, device=device), gnd.eye(2, device=device), gnd.full(2, 1, device=device),
            gnd.full_like(x, 1, device=device), gnd.linspace(0, 1, 3, device=device), gnd.ones(2, device=device),
            gnd.ones_like(x, device=device), gnd.zeros(2, device=device), gnd.zeros_like(x, device=device),
            gnd.from_dlpack(x, device=device), gnd.astype(x, "int8", device=device), x.to_device(device),
            gnd.fft.fftfreq(4, device=device), gnd.fft.rfftfreq(4, device=device)]
    assert all(y.device == x.device == device for y in made)
    with pytest.raises(ValueError):
        x.to_device("nowhere")


@quick
@given(arrays(shape=shapes(min_dims=2)), st.integers(-5, 5))
def test_triangles(x, k):
    same(gnd.tril(gnd.asarray(x), k=k), np.tril(x, k))
    same(gnd.triu(gnd.asarray(x), k=k), np.triu(x, k))


def test_diagonals_far_away():
    x = gnd.ones((2, 3))
    for k in (7, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 2**70):
        assert not gnd.any(gnd.eye(3, k=k)) and not gnd.any(gnd.eye(3, 4, k=-k))
        assert gnd.all(gnd.tril(x, k=k)) and not gnd.any(gnd.triu(x, k=k))
        assert gnd.all(gnd.triu(x, k=-k)) and not gnd.any(gnd.tril(x, k=-k))
        if k < 2**31:
            assert gnd.linalg.diagonal(x, offset=k).shape == (0,) and gnd.linalg.trace(x, offset=-k) == 0


# ---- dtypes -----------------------------------------------------------------------------------------------


@quick
@given(st.data())
def test_astype(data):
    x = data.draw(arrays(shape=shapes(), wide=False), label="x")
    dtype = data.draw(st.sampled_from(COMPLEX if x.dtype.kind == "c" else ALL), label="dtype")
    if x.dtype.kind == "f" and dtype in INTEGERS:
        x = np.abs(x) % 100
    mine = gnd.asarray(x)
    for copy in (True, False):
        made = gnd.astype(mine, getattr(gnd, dtype), copy=copy)
        same(made, x.astype(dtype))
        if dtype == x.dtype and x.size:
            assert gnd.shares_memory(made, mine) is not copy
    assert gnd.astype(mine, gnd.bool, device=mine.device).dtype == gnd.bool


@pytest.mark.parametrize("dtype", FLOATING)
def test_finfo(dtype):
    of = getattr(gnd, dtype)
    for given_ in (of, gnd.asarray(1, dtype=of), gnd.asarray(1, dtype=of).dtype):
        info, want = gnd.finfo(given_), np.finfo(dtype)
        assert type(info.bits) is int and info.bits == want.bits
        for name in ("eps", "max", "min", "smallest_normal"):
            assert type(getattr(info, name)) is float and getattr(info, name) == getattr(want, name)
        assert info.dtype is getattr(gnd, {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_iinfo(dtype):
    of = getattr(gnd, dtype)
    for given_ in (of, gnd.asarray(1, dtype=of), gnd.asarray(1, dtype=of).dtype):
        info, want = gnd.iinfo(given_), np.iinfo(dtype)
        assert all(type(n) is int for n in (info.bits, info.max, info.min))
        assert (info.bits, info.max, info.min, info.dtype) == (want.bits, want.max, want.min, of)


KINDS = {"bool": ("bool",), "signed integer": SIGNED, "unsigned integer": UNSIGNED, "integral": INTEGERS,
         "real floating": FLOATS, "complex floating": COMPLEX, "numeric": NUMERIC}


def test_isdtype():
    for name in ALL:
        dtype = getattr(gnd, name)
        for kind, members in KINDS.items():
            assert gnd.isdtype(dtype, kind) is (name in members)
            assert gnd.isdtype(dtype, (kind, dtype)) is True and gnd.isdtype(dtype, (kind,)) is (name in members)
        for other in ALL:
            assert gnd.isdtype(dtype, getattr(gnd, other)) is (name == other)
            assert gnd.isdtype(dtype, (getattr(gnd, other), "bool")) is (name in (other, "bool"))
    with pytest.raises((TypeError, ValueError)):
        gnd.isdtype(gnd.int8, "no kind")


def test_can_cast_and_result_type():
    for a in ALL:
        for b in ALL:
            first, second = getattr(gnd, a), getattr(gnd, b)
            want = np.promote_types(a, b).name
            assert gnd.can_cast(first, second) is np.can_cast(a, b)
            assert gnd.can_cast(gnd.ones(2, dtype=a), second) is np.can_cast(a, b)
            for given_ in ((first, second), (gnd.empty(1, dtype=a), second), (first, gnd.empty(1, dtype=b)),
                           (gnd.empty(0, dtype=a), gnd.empty(1, dtype=b), second)):
                assert gnd.result_type(*given_) is getattr(gnd, want)


def test_result_type_of_numbers():
    """A number of Python's has no dtype of its own: of the array's kind or a lower one, it changes nothing."""
    for name in ALL:
        kind = np.dtype(name).kind
        for number in ([True] if kind == "b" else [1] if kind in "iu" else [1, 1.0] if kind == "f" else [1, 1.0, 1j]):
            for other in (getattr(gnd, name), gnd.ones(2, dtype=name)):
                assert gnd.result_type(number, other) is gnd.result_type(other, number) is getattr(gnd, name)
                assert gnd.result_type(other, number, other) is getattr(gnd, name)
    with pytest.raises((TypeError, ValueError)):
        gnd.result_type()


@quick
@given(nps.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3, min_side=0), st.data())
def test_broadcasting(drawn, data):
    given_ = [data.draw(arrays(shape=shape)) for shape in drawn.input_shapes]
    for got, want in zip(gnd.broadcast_arrays(*map(gnd.asarray, given_)), np.broadcast_arrays(*given_), strict=True):
        same(got, want)
    x = gnd.broadcast_to(gnd.asarray(given_[0]), drawn.result_shape)
    same(x, np.broadcast_to(given_[0], drawn.result_shape))
    assert gnd.broadcast_shapes(*drawn.input_shapes) == drawn.result_shape


# ---- inspection, exchange ---------------------------------------------------------------------------------


def test_inspection():
    info = gnd.__array_namespace_info__()
    capabilities = info.capabilities()
    assert {name: type(value) for name, value in capabilities.items()} == {
        "boolean indexing": bool, "data-dependent shapes": bool, "max dimensions": int}
    assert type(info.devices()) is list and info.default_device() in info.devices()
    for device in [None, *info.devices()]:
        defaults = info.default_dtypes(device=device)
        assert {kind: d.name for kind, d in defaults.items()} == {
            "real floating": "float64", "complex floating": "complex128", "integral": "int64", "indexing": "int64"}
        for kind, members in KINDS.items():
            assert set(info.dtypes(kind=kind, device=device)) == set(members)
        assert set(info.dtypes(device=device)) == set(ALL)
        assert set(info.dtypes(kind=("bool", "real floating"), device=device)) == {"bool", *FLOATS}
        for name, dtype in info.dtypes(device=device).items():
            assert gnd.empty(1, dtype=dtype, device=device).dtype == name


@quick
@given(st.data())
def test_dlpack(data):
    x = data.draw(arrays(shape=shapes(max_side=2)), label="x")
    mine = gnd.asarray(x)
    device = data.draw(st.none() | st.just(mine.device))
    for copy in (None, True, False):
        made = gnd.from_dlpack(mine, **({} if device is None else {"device": device}), copy=copy)
        same(made, x)
        assert made.device == mine.device
        if x.size:
            assert gnd.shares_memory(made, mine) is (copy is not True)
        for version in (None, (0, 0), (1, 0), (2, 0)):
            mine.__dlpack__(copy=copy, max_version=version)
            if mine.__dlpack_device__() == (1, 0):
                mine.__dlpack__(copy=copy, max_version=version, dl_device=(1, 0))
    kind, index = mine.__dlpack_device__()
    assert kind in (1, 2, 3, 13) and type(index) is int


class Foreign:
    """An array of another library, which has nothing but DLPack."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def test_copies_of_foreign_arrays():
    x = gnd.arange(6.0)
    for copy in (None, False, True):
        for make in (gnd.asarray, gnd.from_dlpack):
            made = make(Foreign(x), copy=copy)
            assert gnd.shares_memory(made, x) is (copy is not True) and gnd.array_equal(made, x)
    theirs = np.arange(6.0)
    for copy in (None, False, True):
        made = gnd.asarray(theirs, copy=copy)
        theirs[0] += 1
        assert (made.tolist() == theirs.tolist()) is (copy is False)
    if x.__dlpack_device__() == (1, 0):  # NumPy's from_dlpack asks x for the copy
        for copy in (None, False, True):
            assert np.shares_memory(np.from_dlpack(x, copy=copy), np.asarray(x)) is (copy is not True)


def test_dlpack_refuses_what_needs_a_copy():
    x = gnd.ones(3)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(4, 0))
    assert cmath.isfinite(complex(gnd.from_dlpack(np.ones(()), copy=True)))
