"""What single operators promise beyond the backend matrix: numbers on either side, parameters, exact
comparisons, integer powers."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import reference
import values
from check import assert_same, call_operator, check_outputs
from test_faults import run_with_failures
from test_elementwise import BINARY, ROWS, generator, other_inputs, refused

NUMBERS = (True, False, 0, 1, -3, 100, 2.5, -0.0, float("inf"), float("nan"), 1.5 - 2j)


def numpy_refuses(row, operands):
    """The error NumPy has for these operands, if any."""
    try:
        reference.expect(row, operands)
    except (TypeError, OverflowError, ValueError) as error:
        return error
    return None


@pytest.mark.parametrize("name", BINARY)
def test_weak_numbers(name):
    """A C number of each kind on either side of an array of each dtype."""
    row = ROWS[name]
    g = generator(name, "weak")
    for dtype in dtypes.NAMES:
        for number in NUMBERS:
            for side in (0, 1):
                if row.inputs[side] != "T" or row.inputs.count("T") == 1:
                    continue  # ldexp: a number alone has no array beside it to follow
                array_dtype = other_inputs(row, [dtype, dtype])[1 - side]
                x = values.random_values(array_dtype, (23,), g)
                operands = [number, x] if side == 0 else [x, number]
                if name == "power" and dtype in dtypes.INTEGERS and not isinstance(number, float):
                    if side == 0:
                        operands[1] = np.abs(np.where(x == np.array(np.iinfo(x.dtype).min), 1, x)) \
                            .astype(x.dtype)
                    elif not isinstance(number, complex) and number < 0:
                        continue
                arrays = [gnd.from_numpy(o) if isinstance(o, np.ndarray) else o for o in operands]
                error = numpy_refuses(row, operands)
                if error is None:
                    check_outputs(row, operands, call_operator(row, arrays))
                    continue
                with pytest.raises(gnd.Error) as caught:
                    call_operator(row, arrays)
                want = gnd.ERROR_DTYPE if isinstance(error, TypeError) else gnd.ERROR_VALUE
                assert caught.value.code == want, f"{name}({operands}): {caught.value}, NumPy: {error}"


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "less_equal", "greater",
                                  "greater_equal"])
def test_comparisons_are_exact(name):
    """Integers out of an array's range, and int64 against uint64, compare by value."""
    row = ROWS[name]
    for dtype in dtypes.INTEGERS:
        info = np.iinfo(dtype)
        x = values.special_integers(dtype)
        a = gnd.from_numpy(x)
        for number in (-(2**63), -129, -1, 0, 127, 128, 255, 256, 2**31, 2**32, 2**63 - 1, 2**63,
                       2**64 - 1, info.max, info.min):
            with np.errstate(all="ignore"):
                assert_same(getattr(gnd, name)(a, number), getattr(np, name)(x, number),
                            f"{dtype} {number}")
                assert_same(getattr(gnd, name)(number, a), getattr(np, name)(number, x),
                            f"{number} {dtype}")
    signed, unsigned = values.special_integers("int64"), values.special_integers("uint64")
    x, y = np.meshgrid(signed, unsigned)
    check_outputs(row, [x, y], [getattr(gnd, name)(gnd.from_numpy(x), gnd.from_numpy(y))])
    check_outputs(row, [y, x], [getattr(gnd, name)(gnd.from_numpy(y), gnd.from_numpy(x))])


@pytest.mark.parametrize("dtype", dtypes.INTEGERS)
def test_integer_power(dtype):
    g = generator("power", dtype)
    x = values.random_values(dtype, (500,), g)
    y = g.integers(0, 70, 500).astype(dtype)
    with np.errstate(all="ignore"):
        assert_same(gnd.power(gnd.from_numpy(x), gnd.from_numpy(y)), x**y)
        for exponent in (0, 1, 2, 3, 10):
            assert_same(gnd.power(gnd.from_numpy(x), exponent), x**exponent)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_negative_integer_power(dtype):
    """A negative C number is refused at once; one in an array is reported at the next wait."""
    x = gnd.from_numpy(np.arange(5, dtype=dtype))
    with pytest.raises(gnd.Error) as caught:
        gnd.power(x, -2)
    assert caught.value.code == gnd.ERROR_VALUE
    y = gnd.from_numpy(np.array([1, 2, -1, 0, 3], dtype))
    with pytest.raises(gnd.Error) as caught:
        gnd.power(x, y).numpy()
    assert caught.value.code == gnd.ERROR_VALUE
    assert "negative" in caught.value.message
    assert_same(gnd.power(x, 2), np.arange(5, dtype=dtype)**2)


@pytest.mark.parametrize("dtype", dtypes.NAMES)
@pytest.mark.parametrize("decimals", [-3, -1, 0, 1, 3, 7])
def test_round(dtype, decimals):
    x = values.random_values(dtype, (300,), generator("round", dtype))
    if dtype in dtypes.FLOATS + dtypes.COMPLEX:  # NumPy's scaling overflows where it need not
        x = x[np.abs(dtypes.widen(x)) < 1e4] if dtype != "bfloat16" else x[
            np.abs(dtypes.widen(x)) < 1e4]
    if dtype in dtypes.INTEGERS and decimals < 0:
        x = x[np.abs(x.astype(object)) < 10**(2 if dtype.endswith("t8") else 4)]
        if dtype.endswith("t8") and decimals == -3:
            return
    row = ROWS["round"]
    if dtype == "bool":
        return
    check_outputs(row, [x], [gnd.round(gnd.from_numpy(x), decimals)], decimals=decimals)


@pytest.mark.parametrize("degrees", [False, True])
def test_angle(degrees):
    for dtype in ("complex64", "complex128", "float32", "float64", "int64"):
        x = values.specials(dtype)
        check_outputs(ROWS["angle"], [x], [gnd.angle(gnd.from_numpy(x), degrees)], deg=degrees)


@pytest.mark.parametrize("equal_nan", [False, True])
def test_isclose(equal_nan):
    g = generator("isclose")
    for dtype in ("float16", "float32", "float64", "complex64", "int32", "uint8", "int64"):
        x = values.random_values(dtype, (400,), g, 0.3)
        y = np.where(g.random(400) < 0.5, x, values.random_values(dtype, (400,), g, 0.3)).astype(dtype)
        if dtype not in dtypes.INTEGERS:
            with np.errstate(all="ignore"):
                y = (y * np.where(g.random(400) < 0.5, 1, 1.001)).astype(dtype)
        for rtol, atol in ((1e-5, 1e-8), (0.0, 0.5), (0.01, 0.0), (0.0, 0.0)):
            with np.errstate(all="ignore"):
                want = np.isclose(x, y, rtol, atol, equal_nan)
            got = gnd.isclose(gnd.from_numpy(x), gnd.from_numpy(y), rtol, atol, equal_nan)
            assert_same(got, want, f"{dtype} {rtol} {atol}")


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_nan_to_num(dtype):
    if dtype == "bfloat16":
        return
    x = values.specials(dtype)
    for nan, posinf, neginf in ((None, None, None), (7, None, None), (1.5, 100, -100), (0, 1, None)):
        if dtype in dtypes.INTEGERS + ("bool",) and isinstance(nan, float):
            continue
        want = np.nan_to_num(x, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)
        assert_same(gnd.nan_to_num(gnd.from_numpy(x), nan, posinf, neginf), want, dtype, strides=False)


BOUNDS = sorted({bound for name in dtypes.INTEGERS for bound in (np.iinfo(name).min - 1, np.iinfo(name).min,
                                                                  np.iinfo(name).max, np.iinfo(name).max + 1)
                 if -2**63 <= bound < 2**64} | {-1, 0, 1})


@pytest.mark.parametrize("dtype", dtypes.INTEGERS)
def test_numbers_at_the_bounds(dtype):
    """A C integer that the dtype holds is taken as it is; another one is refused, and compared exactly."""
    x = np.array([np.iinfo(dtype).min, 0, 1, np.iinfo(dtype).max], dtype)
    a = gnd.from_numpy(x)
    for number in BOUNDS:
        calls = {"add": (gnd.add, np.add), "maximum": (gnd.maximum, np.maximum), "bitwise_xor":
                 (gnd.bitwise_xor, np.bitwise_xor)}
        for name, (mine, theirs) in calls.items():
            try:
                with np.errstate(all="ignore"):
                    want = theirs(x, number)
            except OverflowError:
                for call in (lambda: mine(a, number), lambda: mine(number, a)):
                    with pytest.raises(gnd.Error) as caught:
                        call()
                    assert caught.value.code == gnd.ERROR_VALUE and str(number) in caught.value.message
                continue
            assert_same(mine(a, number), want, f"{name} {number}")
            assert_same(mine(number, a), want, f"{name} {number}")
        for name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):
            assert_same(getattr(gnd, name)(a, number), getattr(np, name)(x, number), f"{name} {number}")
            assert_same(getattr(gnd, name)(number, a), getattr(np, name)(number, x), f"{number} {name}")
        fits = np.iinfo(dtype).min <= number <= np.iinfo(dtype).max
        target = gnd.zeros((3,), dtype)
        for assign in (gnd.fill, gnd.copyto):
            if fits:
                assign(target, number)
                assert_same(target, np.full(3, number, dtype), f"{number}")
            else:
                with pytest.raises(gnd.Error):
                    assign(target, number)


def replacements(dtype, shape, g):
    """None, a number, or an array that broadcasts to the shape, on both sides."""
    kind = g.integers(4)
    if kind == 0:
        return None, None
    if kind == 1:
        return (number := float(g.integers(-9, 9))), number
    keep = [s if g.random() < 0.6 else 1 for s in shape][g.integers(len(shape) + 1):]
    part = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    names = [part, "float16", "int8", "bool"] if dtype in dtypes.INTEGERS + ("bool",) else [part, "int8", "float64"]
    x = values.random_values(g.choice(names), tuple(keep), g)
    if x.size and x.size == np.prod(shape):
        return gnd.from_numpy(x.T)[", ".join(["..."])] if x.ndim < 2 else gnd.transpose(gnd.from_numpy(x.T)), x
    return gnd.from_numpy(x), x


@pytest.mark.parametrize("dtype", [n for n in dtypes.NAMES if n != "bfloat16"])
def test_nan_to_num_of_arrays(dtype):
    g = generator("nan_to_num", dtype)
    for round_ in range(60):
        shape = [(), (0,), (5,), (4, 6), (3, 1, 7), (2, 0)][round_ % 6]
        a, x = values.operand(shape, dtype, g)
        pairs = [replacements(dtype, shape, g) for _ in range(3)]
        nan, posinf, neginf = (theirs for _, theirs in pairs)
        with np.errstate(all="ignore"):
            want = np.asarray(np.nan_to_num(x, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf))
        mine = [m for m, _ in pairs]
        context = f"{shape} {[getattr(p, 'shape', p) for _, p in pairs]}"
        assert_same(gnd.nan_to_num(a, *mine), want, context, strides=False)
        out = gnd.zeros(shape, dtype)
        gnd.nan_to_num_into(out, a, *mine)
        assert_same(out, want, context, strides=False)


def test_nan_to_num_of_arrays_in_bfloat16():
    x = dtypes.cast(np.array([1.5, np.nan, np.inf, -np.inf, np.nan]), "bfloat16")
    new = gnd.from_numpy(np.arange(5, dtype="float32"))
    got = gnd.nan_to_num(gnd.from_numpy(x), new, 7, new).numpy()
    assert dtypes.widen(got).tolist() == [1.5, 1, 7, 3, 4]


def test_nan_to_num_in_place_and_of_numbers():
    x = np.array([[np.nan, 1.0], [np.inf, -np.inf]])
    a = gnd.from_numpy(x)
    row = gnd.slice_text(a, "0")  # what replaces is itself replaced meanwhile: as if it had been copied
    gnd.nan_to_num_into(a, a, 5, row, gnd.from_numpy(np.array(9.0)))
    assert a.numpy().tolist() == [[5.0, 1.0], [np.nan, 9.0]] or np.isnan(a.numpy()[1, 0])
    assert np.array_equal(a.numpy(), [[5.0, 1.0], [np.nan, 9.0]], equal_nan=True)
    seven = gnd.from_numpy(np.array(7.0))
    for number, want in ((np.nan, 7.0), (np.inf, 7.0), (2.5, 2.5), (3, 3)):
        got = gnd.nan_to_num(number, seven, seven, None)
        assert got.shape == () and got.numpy() == want


@pytest.mark.parametrize("x, nan, code, text", [
    ((2, 3), np.zeros((2, 2)), "SHAPE", "(2, 2)"),
    ((3,), np.zeros((2, 3)), "SHAPE", "(2, 3)"),
    ((3,), np.zeros(3, complex), "DTYPE", "complex128"),
])
def test_nan_to_num_refuses(x, nan, code, text):
    a = gnd.from_numpy(np.full(x, np.nan))
    for call in (lambda: gnd.nan_to_num(a, gnd.from_numpy(nan), None, None),
                 lambda: gnd.nan_to_num_into(a, a, gnd.from_numpy(nan), None, None)):
        with pytest.raises(gnd.Error) as caught:
            call()
        assert caught.value.code == getattr(gnd, "ERROR_" + code), caught.value
        assert text in caught.value.message and "gnd_nan_to_num" in caught.value.message, caught.value
        assert np.isnan(a.numpy()).all()


def test_nan_to_num_of_arrays_without_memory():
    a = gnd.from_numpy(np.full(3000, complex(np.nan, np.inf)))
    new = gnd.from_numpy(np.ones(3000))
    run_with_failures(lambda: gnd.nan_to_num(a, new, new, 3))


@pytest.mark.parametrize("dtype", [n for n in dtypes.NAMES if n != "bfloat16"])
def test_clip(dtype):
    g = generator("clip", dtype)
    x = values.random_values(dtype, (6, 50), g)
    a = gnd.from_numpy(x)
    low = values.random_values(dtype, (50,), g)
    high = values.random_values(dtype, (6, 1), g)
    assert_same(gnd.clip(a, gnd.from_numpy(low), gnd.from_numpy(high)), np.clip(x, low, high))
    assert_same(gnd.clip(a, gnd.from_numpy(low), None), np.clip(x, low, None))
    assert_same(gnd.clip(a, None, gnd.from_numpy(high)), np.clip(x, None, high))
    if dtype == "bool":
        return
    assert_same(gnd.clip(a, 1, 5), np.clip(x, 1, 5))
    assert_same(gnd.clip(a, 0.5, 7.25), np.clip(x, 0.5, 7.25))
    with pytest.raises(gnd.Error):
        gnd.clip(a, None, None) if dtype == "none" else gnd.clip(None, 1, 2)


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_where_conditions(dtype):
    """Any dtype is a condition: nonzero is true."""
    condition = values.specials(dtype)
    x = np.arange(condition.size, dtype=np.float32)
    y = -x - 1
    truth = np.asarray(dtypes.widen(condition)).astype(bool)
    got = gnd.where(gnd.from_numpy(condition), gnd.from_numpy(x), gnd.from_numpy(y))
    assert_same(got, np.where(truth, x, y), dtype)
    assert_same(gnd.where(gnd.from_numpy(condition), 1.5, gnd.from_numpy(y)),
                np.where(truth, np.float32(1.5), y), dtype)


def test_ldexp_exponent_dtypes():
    x = np.array([1.0, -3.5, np.inf, 0.0], np.float32)
    for dtype in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"):
        y = np.array([0, 1, 1, 1], dtype)
        assert_same(gnd.ldexp(gnd.from_numpy(x), gnd.from_numpy(y)), np.ldexp(x, y), dtype)
    for dtype in ("uint64", "float32", "complex64"):
        assert refused(ROWS["ldexp"], [x, np.zeros(4, dtype)])
        with pytest.raises(gnd.Error) as caught:
            gnd.ldexp(gnd.from_numpy(x), gnd.from_numpy(np.zeros(4, dtype)))
        assert caught.value.code == gnd.ERROR_DTYPE


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_shifts(dtype):
    """Shift counts at and beyond the width, and negative ones."""
    x = values.special_integers(dtype)
    y = values.special_integers(dtype)
    x, y = np.meshgrid(x, y)
    for name in ("left_shift", "right_shift"):
        check_outputs(ROWS[name], [x, y], [getattr(gnd, name)(gnd.from_numpy(x), gnd.from_numpy(y))])


@given(data=st.data())
def test_random_expressions(data):
    """Random shapes, layouts and dtypes for a random operator of two arguments."""
    row = ROWS[data.draw(st.sampled_from(BINARY))]
    names = other_inputs(row, [data.draw(st.sampled_from(dtypes.NAMES)) for _ in range(2)])
    ndim = data.draw(st.integers(0, 4))
    shape = tuple(data.draw(st.sampled_from([0, 1, 2, 3, 5, 17])) for _ in range(ndim))
    g = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    bases, views, arrays = [], [], []
    for name in names:
        drop = data.draw(st.integers(0, ndim))
        own = tuple(1 if data.draw(st.integers(0, 4)) == 0 else s for s in shape[drop:])
        layout = data.draw(st.sampled_from(values.layouts(own)))
        base = values.random_values(name, layout.base, g)
        if row.name == "power" and name in dtypes.INTEGERS:
            base = np.where(base < 0, 2, base).astype(name)
        views.append(values.apply_numpy(base, layout.steps))
        arrays.append(gnd.view(base, layout.steps))
    if refused(row, views):
        with pytest.raises(gnd.Error):
            call_operator(row, arrays)
        return
    check_outputs(row, views, call_operator(row, arrays))


@pytest.mark.parametrize("size", [1, 2, 3, 255, 256, 257, 1000, 4097, 65537, 300001])
def test_sizes(size):
    """Lengths around every block and vector width, aligned and not."""
    g = generator("sizes", size)
    for dtype in ("int8", "float16", "float32", "float64", "complex128"):
        x, y = (values.random_values(dtype, (size + 3,), g, 0) for _ in range(2))
        a, b = gnd.from_numpy(x), gnd.from_numpy(y)
        for i, j in itertools.product((0, 1, 3), (0, 2)):
            with np.errstate(all="ignore"):
                assert_same(gnd.add(gnd.slice_text(a, f"{i}:{size + i}"),
                                    gnd.slice_text(b, f"{j}:{size + j}")),
                            x[i:size + i] + y[j:size + j], f"{dtype} {size} {i} {j}")


def test_many_dimensions():
    """64 dimensions, 12 of which do not merge."""
    x = np.arange(2**12, dtype=np.int32).reshape((2, 1) * 12 + (1,) * 40)
    axes = tuple(np.random.default_rng(0).permutation(64))
    a = gnd.permute(gnd.from_numpy(x), [int(k) for k in axes])
    want = x.transpose(axes)
    assert_same(gnd.add(a, gnd.transpose(gnd.from_numpy(x.T.copy()))),
                want + x.T.copy().T, "64 axes", strides=False)


def test_negative_power_of_no_integers():
    """No element has an integer that cannot be raised to it."""
    for name in (*dtypes.INTEGERS, "bool"):
        for shape in ((0,), (3, 0)):
            if name.startswith("u"):
                continue
            x = np.zeros(shape, name)
            assert_same(gnd.power(gnd.from_numpy(x), -1), np.power(x, -1), name)
        if not name.startswith("u"):
            with pytest.raises(gnd.Error) as error:
                gnd.power(gnd.ones((1,), name), -1)
            assert error.value.code == gnd.ERROR_VALUE
