"""The array API standard's elementwise functions and operators: dtypes, shapes, numbers as operands, in place; against
NumPy. Values of every operator and dtype are in test_elementwise.py, special ones in test_standard_special_cases.py."""

import inspect
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps
from standard import (ALL, COMPLEX, FLOATING, FLOATS, INTEGERS, NUMERIC, PAIRS, REAL, arrays, elements, pairs, quick,
                      same, tolerance)

import gnd

pytestmark = pytest.mark.filterwarnings("ignore")  # NumPy's

BITS = INTEGERS + ("bool",)
UNARY = {name: FLOATING for name in
         "acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 reciprocal sin sinh sqrt tan tanh"
         .split()}
UNARY |= {name: NUMERIC for name in "abs conj isfinite isinf isnan negative positive real round sign square".split()}
UNARY |= {"bitwise_invert": BITS, "ceil": REAL, "floor": REAL, "imag": COMPLEX, "logical_not": ("bool",),
          "signbit": FLOATS, "trunc": REAL}
BINARY = {name: REAL for name in "floor_divide greater greater_equal less less_equal maximum minimum remainder".split()}
BINARY |= {name: NUMERIC for name in "add multiply pow subtract".split()}
BINARY |= {name: FLOATS for name in "atan2 copysign hypot logaddexp nextafter".split()}
BINARY |= {name: INTEGERS for name in "bitwise_left_shift bitwise_right_shift".split()}
BINARY |= {name: BITS for name in "bitwise_and bitwise_or bitwise_xor".split()}
BINARY |= {name: ("bool",) for name in "logical_and logical_or logical_xor".split()}
BINARY |= {"divide": FLOATING, "equal": ALL, "not_equal": ALL}
UNARY_OPERATORS = {"abs": "abs", "bitwise_invert": "invert", "negative": "neg", "positive": "pos"}
OPERATORS = {"add": "add", "bitwise_and": "and_", "bitwise_left_shift": "lshift", "bitwise_or": "or_",
             "bitwise_right_shift": "rshift", "bitwise_xor": "xor", "divide": "truediv", "equal": "eq",
             "floor_divide": "floordiv", "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le",
             "multiply": "mul", "not_equal": "ne", "pow": "pow", "remainder": "mod", "subtract": "sub"}
EXACT = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "maximum", "minimum", "copysign",
         "nextafter", "conj", "real", "imag", "round", "floor", "ceil", "trunc", "negative", "positive"}


def python(number):
    return number.item() if hasattr(number, "item") else number


def of(x):
    return gnd.asarray(x) if isinstance(x, np.ndarray) else x


def fits(name, y):
    """The operands that the standard speaks of: no negative shifts, powers of integers or zeros as divisors."""
    if np.asarray(y).dtype.kind not in "iu":
        return y
    if name in ("bitwise_left_shift", "bitwise_right_shift", "pow"):
        most = 9 if name == "pow" else 70
        return abs(y) % most if isinstance(y, int) else np.asarray(y % np.array(most, y.dtype))
    if name in ("floor_divide", "remainder"):
        return y or 1 if isinstance(y, int) else np.where(y == 0, np.array(1, y.dtype), y)
    return y


def agree(name, got, want):
    kind = np.asarray(want).dtype.kind
    same(got, want, None if name in EXACT or kind in "biu" else tolerance(np.asarray(want).dtype))


@pytest.mark.parametrize("name", UNARY)
@quick
@given(st.data())
def test_unary(name, data):
    x = data.draw(arrays(UNARY[name], wide=name in EXACT), label="x")
    want = getattr(np, name)(x)
    agree(name, getattr(gnd, name)(gnd.asarray(x)), want)
    if name in UNARY_OPERATORS:
        agree(name, getattr(operator, UNARY_OPERATORS[name])(gnd.asarray(x)), want)


@pytest.mark.parametrize("name", BINARY)
@quick
@given(nps.mutually_broadcastable_shapes(num_shapes=2, min_side=0, max_side=3, max_dims=3), st.data())
def test_binary(name, drawn, data):
    """Of two arrays: as a function, as an operator, in place where the result has the first one's dtype and shape."""
    first, second = data.draw(pairs(BINARY[name]), label="dtypes")
    x = data.draw(arrays(first, drawn.input_shapes[0], wide=name in EXACT), label="x1")
    y = fits(name, data.draw(arrays(second, drawn.input_shapes[1], wide=name in EXACT), label="x2"))
    want = getattr(np, name)(x, y)
    agree(name, getattr(gnd, name)(of(x), of(y)), want)
    assert want.dtype == "bool" or want.dtype == np.promote_types(first, second)
    if name not in OPERATORS:
        return
    agree(name, getattr(operator, OPERATORS[name])(of(x), of(y)), want)
    if want.dtype == x.dtype and want.shape == x.shape and hasattr(operator, "i" + OPERATORS[name].rstrip("_")):
        mine = of(x)
        assert getattr(operator, "i" + OPERATORS[name].rstrip("_"))(mine, of(y)) is mine
        agree(name, mine, want)


@pytest.mark.parametrize("name", BINARY)
@quick
@given(st.data())
def test_numbers_as_operands(name, data):
    """2024.12: an array and a number on either side; the number takes the array's dtype."""
    x = data.draw(arrays(BINARY[name], wide=name in EXACT), label="x")
    lower = {"f": st.integers(-9, 9), "c": st.integers(-9, 9) | st.floats(-9, 9, width=16)}
    number = data.draw(elements(x.dtype.name, wide=name in EXACT).map(python) | lower.get(x.dtype.kind, st.nothing()))
    right, divisor = fits(name, number), fits(name, x)
    wants = [(of(x), right, getattr(np, name)(x, right)), (number, of(divisor), getattr(np, name)(number, divisor))]
    for a, b, want in wants:
        if name == "pow" and x.dtype.kind in "iu" and a is number and number < 0:
            continue
        assert want.dtype in ("bool", x.dtype)
        agree(name, getattr(gnd, name)(a, b), want)
        if name in OPERATORS:
            agree(name, getattr(operator, OPERATORS[name])(a, b), want)
    mine = of(x)
    in_place = "i" + OPERATORS.get(name, "none").rstrip("_")
    if hasattr(operator, in_place):
        assert getattr(operator, in_place)(mine, right) is mine
        agree(name, mine, wants[0][2])


def test_in_place_keeps_shape_and_dtype():
    x, view = gnd.zeros((2, 3)), gnd.zeros((2, 3))
    part = view[0]
    part += 2
    assert view.tolist() == [[2.0] * 3, [0.0] * 3]
    with pytest.raises(ValueError):
        part += gnd.ones((2, 3))  # the result has another shape
    x += gnd.ones(3, dtype="float32")
    assert x.dtype == gnd.float64 and x.tolist() == [[1.0] * 3] * 2
    whole = gnd.ones(3, dtype="int32")
    with pytest.raises(TypeError):
        whole += 1.5
    with pytest.raises(TypeError):
        whole /= 2
    assert whole.tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_as_wide_as_the_dtype(dtype):
    x = np.array([0, 1, 5, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
    for n in range(0, 2 * np.iinfo(dtype).bits, 3):
        for name in ("bitwise_left_shift", "bitwise_right_shift"):
            want = getattr(np, name)(x, np.array(n, dtype))
            same(getattr(gnd, name)(of(x), gnd.asarray(n, dtype=dtype)), want)
            same(getattr(gnd, name)(of(x), n), want)


def test_numbers_that_do_not_fit():
    """As NumPy: a number beyond the array's integers is an error, and compares by its value."""
    x = gnd.asarray([1, 200], dtype="uint8")
    for number in (256, -1):
        with pytest.raises(OverflowError):
            x + number
        with pytest.raises(OverflowError):
            gnd.add(number, x)
    assert (x < 256).tolist() == [True, True] and (x == -1).tolist() == [False, False]
    same(x * 2.0, np.array([2.0, 400]))
    same(gnd.ones(2, dtype="bool") + 1, np.ones(2, bool) + 1)
    same(gnd.ones(2, dtype="float32") * 1j, np.ones(2, "float32") * 1j)


@quick
@given(st.data())
def test_clip(data):
    dtype = data.draw(st.sampled_from(REAL), label="dtype")
    drawn = data.draw(nps.mutually_broadcastable_shapes(num_shapes=3, min_side=0, max_side=3, max_dims=3))
    x = data.draw(arrays(dtype, drawn.input_shapes[0]), label="x")
    bounds = [st.none() | elements(dtype).map(python) | arrays(dtype, shape) for shape in drawn.input_shapes[1:]]
    low, high = data.draw(st.tuples(*bounds), label="bounds")
    want = x.copy() if low is None and high is None else np.clip(x, low, high)
    got = gnd.clip(of(x), of(low), of(high))
    assert got.dtype == dtype and got.shape == want.shape
    np.testing.assert_array_equal(got.get(), want)
    same(gnd.clip(of(x), min=of(low)), x if low is None else np.clip(x, low, None))
    same(gnd.clip(of(x), max=of(high)), x if high is None else np.clip(x, None, high))


def test_round_to_even_and_kinds():
    same(gnd.round(gnd.asarray([0.5, 1.5, 2.5, -0.5, -1.5])), [0.0, 2.0, 2.0, -0.0, -2.0])
    same(gnd.round(gnd.asarray([0.5 + 1.5j, -2.5 - 0.5j])), np.array([0 + 2j, complex(-2.0, -0.0)]))
    for dtype in INTEGERS:
        x = np.array([0, 1, np.iinfo(dtype).max], dtype)
        for name in ("ceil", "floor", "round", "trunc", "real", "conj"):
            same(getattr(gnd, name)(gnd.asarray(x)), x)


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_signatures(name):
    """Operands are positional, with their count in the signature; nothing else is required."""
    parameters = list(inspect.signature(getattr(gnd, name)).parameters.values())
    positional = [p for p in parameters if p.default is p.empty and p.kind != p.KEYWORD_ONLY]
    assert len(positional) == (1 if name in UNARY else 2)
    assert all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in positional)
    x = gnd.ones(2, dtype=(UNARY | BINARY)[name][0])
    with pytest.raises(TypeError):
        getattr(gnd, name)(*[x] * (len(positional) - 1))
    with pytest.raises(TypeError):
        getattr(gnd, name)(*[x] * 5)


def test_pairs_are_the_standards():
    assert len(PAIRS) == 1 + 8 * 8 - 2 * 4 + 4 + 4 and not any({"uint64", "int8"} == set(p) for p in PAIRS)
    for a, b in PAIRS:
        assert gnd.add(gnd.ones(1, dtype=a), gnd.ones(1, dtype=b)).dtype == np.promote_types(a, b).name
