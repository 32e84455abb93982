"""The special cases of the array API standard's elementwise functions and reductions, as tables of facts.

A case is "operands: result". Operands: 0 and -0 (a zero of that sign), z (either), 1, inf, -inf, i (either), nan, the
finite numbers f (any), n (not zero), p (positive), m (negative), > and < (p with inf, m with -inf), a (any number but
nan), * (any); for complex functions the real and the imaginary part. Results: a number, x and y (the first and second
operand), |x|, + and - (a sign alone), pi, and ? or = in front of what may have either sign; a complex result has two,
and "c*cis" is c times cos(b) + sin(b)j."""

import math
import operator

import numpy as np
import pytest
from standard import same

import gnd

INF, NAN, PI = math.inf, math.nan, math.pi
POSITIVE, NEGATIVE = [0.5, 1.0, 3.0, 1e300, 5e-324], [-0.5, -1.0, -3.0, -1e300, -5e-324]
OPERANDS = {"0": [0.0], "-0": [-0.0], "z": [0.0, -0.0], "1": [1.0], "-1": [-1.0], "inf": [INF], "-inf": [-INF],
            "i": [INF, -INF], "nan": [NAN], "p": POSITIVE, "m": NEGATIVE, "n": POSITIVE + NEGATIVE,
            "f": POSITIVE + NEGATIVE + [0.0, -0.0], ">": POSITIVE + [INF], "<": NEGATIVE + [-INF],
            "a": POSITIVE + NEGATIVE + [0.0, -0.0, INF, -INF], "*": [0.0, -0.0, 1.5, -2.5, INF, -INF, NAN],
            ">1": [1.5, 1e300, INF], "<-1": [-1.5, -1e300, -INF], "|>1|": [1.5, -1e300], "|1|": [1.0, -1.0],
            "|<1|": [0.5, -5e-324, 0.0], "not1": [0.5, -1.0, 0.0, INF], "odd": [1.0, 5.0, 2.0**53 - 1],
            "-odd": [-1.0, -5.0], "even": [2.0, 2.5, 4.0, 1e300, INF], "-even": [-2.0, -0.25, -1e300, -INF],
            "part": [0.5, -1.25, 1e-300], "tie": [0.5, 1.5, 2.5, -0.5, -3.5], "whole": [4.0, -7.0, 2.0**60]}
RESULTS = {"pi": PI, "-pi": -PI, "pi/2": PI / 2, "-pi/2": -PI / 2, "pi/4": PI / 4, "-pi/4": -PI / 4,
           "3pi/4": 3 * PI / 4, "-3pi/4": -3 * PI / 4}

UNARY = {
    "abs": "nan: nan, -0: 0, -inf: inf, inf: inf, m: |x|",
    "acos": "nan: nan, >1: nan, <-1: nan, 1: 0", "acosh": "nan: nan, <: nan, z: nan, 1: 0, inf: inf",
    "asin": "nan: nan, >1: nan, <-1: nan, z: x", "asinh": "nan: nan, z: x, i: x",
    "atan": "nan: nan, z: x, inf: pi/2, -inf: -pi/2",
    "atanh": "nan: nan, >1: nan, <-1: nan, 1: inf, -1: -inf, z: x",
    "ceil": "whole: x, i: x, z: x, nan: nan", "floor": "whole: x, i: x, z: x, nan: nan",
    "trunc": "whole: x, i: x, z: x, nan: nan", "round": "whole: x, i: x, z: x, nan: nan, tie: even",
    "cos": "nan: nan, z: 1, i: nan", "cosh": "nan: nan, z: 1, i: inf",
    "exp": "nan: nan, z: 1, inf: inf, -inf: 0", "expm1": "nan: nan, z: x, inf: inf, -inf: -1",
    "isfinite": "i: False, nan: False, f: True", "isinf": "i: True, nan: False, f: False",
    "isnan": "i: False, nan: True, f: False", "signbit": "0: False, -0: True, >: False, <: True",
    "log": "nan: nan, <: nan, z: -inf, 1: 0, inf: inf", "log1p": "nan: nan, <-1: nan, -1: -inf, z: x, inf: inf",
    "log2": "nan: nan, <: nan, z: -inf, 1: 0, inf: inf", "log10": "nan: nan, <: nan, z: -inf, 1: 0, inf: inf",
    "reciprocal": "0: inf, -0: -inf, inf: 0, -inf: -0, nan: nan", "sign": "<: -1, z: =0, >: 1, nan: nan",
    "sin": "nan: nan, z: x, i: nan", "sinh": "nan: nan, z: x, i: x", "square": "nan: nan, i: inf, z: 0",
    "sqrt": "nan: nan, <: nan, z: x, inf: inf", "tan": "nan: nan, z: x, i: nan",
    "tanh": "nan: nan, z: x, inf: 1, -inf: -1"}

QUOTIENT = ("nan *: nan, * nan: nan, i i: nan, z z: nan, 0 >: 0, -0 >: -0, 0 <: -0, -0 <: 0, > 0: inf, > -0: -inf, "
            "< 0: -inf, < -0: inf, inf p: inf, inf m: -inf, -inf p: -inf, -inf m: inf, p inf: 0, p -inf: -0, "
            "m inf: -0, m -inf: 0, p p: +, m m: +, p m: -, m p: -")
BINARY = {
    "add": "nan *: nan, * nan: nan, inf -inf: nan, -inf inf: nan, inf inf: inf, -inf -inf: -inf, i f: x, f i: y, "
           "-0 -0: -0, -0 0: 0, 0 -0: 0, 0 0: 0, z n: y, n z: x, n neg: 0",
    "subtract": "nan *: nan, * nan: nan, inf inf: nan, -inf -inf: nan, i f: x, -0 0: -0, 0 0: 0, n same: 0",
    "multiply": "nan *: nan, * nan: nan, i z: nan, z i: nan, inf >: inf, inf <: -inf, -inf >: -inf, -inf <: inf, "
                "> inf: inf, < inf: -inf, p p: +, m m: +, p m: -, m p: -, 0 p: 0, -0 p: -0, 0 m: -0, -0 m: 0",
    "divide": QUOTIENT, "floor_divide": QUOTIENT,
    "remainder": "nan *: nan, * nan: nan, i i: nan, z z: nan, z >: 0, z <: -0, > z: nan, < z: nan, i n: nan, "
                 "p inf: x, p -inf: y, m inf: y, m -inf: x",
    "atan2": "nan *: nan, * nan: nan, > z: pi/2, < z: -pi/2, z >: x, z 0: x, 0 -0: pi, -0 -0: -pi, 0 <: pi, -0 <: -pi, "
             "p inf: 0, p -inf: pi, m inf: -0, m -inf: -pi, inf f: pi/2, -inf f: -pi/2, inf inf: pi/4, "
             "inf -inf: 3pi/4, -inf inf: -pi/4, -inf -inf: -3pi/4",
    "copysign": "a <: -|x|, a -0: -|x|, a 0: |x|, a >: |x|, nan *: nan",
    "hypot": "i *: inf, * i: inf, z f: |y|, f z: |x|, f nan: nan, nan f: nan, nan nan: nan",
    "logaddexp": "nan *: nan, * nan: nan, inf a: inf, a inf: inf", "maximum": "nan *: nan, * nan: nan",
    "minimum": "nan *: nan, * nan: nan", "nextafter": "nan *: nan, * nan: nan, -0 0: 0, 0 -0: -0",
    "equal": "nan *: False, * nan: False, inf inf: True, -inf -inf: True, inf -inf: False, z z: True, f same: True",
    "not_equal": "nan *: True, * nan: True, inf -inf: True, inf inf: False, z z: False, f same: False",
    "pow": "not1 nan: nan, * z: 1, nan >: nan, nan <: nan, |>1| inf: inf, |>1| -inf: 0, |1| i: 1, 1 a: 1, |<1| inf: 0, "
           "|<1| -inf: inf, inf >: inf, inf <: 0, -inf odd: -inf, -inf even: inf, -inf -odd: -0, -inf -even: 0, "
           "0 >: 0, 0 <: inf, -0 odd: -0, -0 even: 0, -0 -odd: -inf, -0 -even: inf, m part: nan"}
OPERATORS = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "floor_divide": "floordiv",
             "remainder": "mod", "pow": "pow"}
# Where NumPy has other results than the standard, NumPy's hold: quotients are Python's (which the standard allows), and
# complex expm1 and sign are not made of the parts.
AS_NUMPY = {("floor_divide", case) for case in
            ("inf p", "inf m", "-inf p", "-inf m", "p -inf", "m inf", "p p", "m m", "p m", "m p")} | {
    ("expm1", case) for case in ("inf 0", "-inf inf", "inf inf", "-inf nan", "inf nan", "nan 0")} | {
    ("sign", "nan *"), ("sign", "* nan")}

COMPLEX = {
    "abs": "i *: inf 0, * i: inf 0, nan f: nan 0, f nan: nan 0, nan nan: nan 0",
    "acos": "z 0: pi/2 -0, z nan: pi/2 nan, f inf: pi/2 -inf, n nan: nan nan, -inf p: pi -inf, inf p: 0 -inf, "
            "-inf inf: 3pi/4 -inf, inf inf: pi/4 -inf, i nan: nan ?inf, nan f: nan nan, nan inf: nan -inf, "
            "nan nan: nan nan",
    "acosh": "z 0: 0 pi/2, f inf: inf pi/2, n nan: nan nan, 0 nan: nan ?pi/2, -inf p: inf pi, inf p: inf 0, "
             "-inf inf: inf 3pi/4, inf inf: inf pi/4, i nan: inf nan, nan f: nan nan, nan inf: inf nan, "
             "nan nan: nan nan",
    "asinh": "0 0: 0 0, p inf: inf pi/2, f nan: nan nan, inf p: inf 0, inf inf: inf pi/4, nan 0: nan 0, "
             "nan n: nan nan, nan inf: ?inf nan, nan nan: nan nan",
    "atanh": "0 0: 0 0, 0 nan: 0 nan, 1 0: inf 0, p inf: 0 pi/2, n nan: nan nan, inf p: 0 pi/2, inf inf: 0 pi/2, "
             "inf nan: 0 nan, nan f: nan nan, nan inf: ?0 pi/2, nan nan: nan nan",
    "cosh": "0 0: 1 0, 0 inf: nan ?0, 0 nan: nan ?0, n inf: nan nan, n nan: nan nan, inf 0: inf 0, inf n: inf*cis, "
            "inf inf: ?inf nan, inf nan: inf nan, nan z: nan ?0, nan n: nan nan, nan nan: nan nan",
    "exp": "z 0: 1 0, f inf: nan nan, f nan: nan nan, inf 0: inf 0, -inf f: 0*cis, inf n: inf*cis, -inf inf: ?0 ?0, "
           "inf inf: ?inf nan, -inf nan: ?0 ?0, inf nan: ?inf nan, nan 0: nan 0, nan n: nan nan, nan nan: nan nan",
    "expm1": "z 0: ?0 0, f inf: nan nan, f nan: nan nan, inf 0: inf 0, inf n: inf*cis, -inf inf: -1 ?0, "
             "inf inf: ?inf nan, -inf nan: -1 ?0, inf nan: ?inf nan, nan 0: nan 0, nan n: nan nan, nan nan: nan nan",
    "log": "-0 0: -inf pi, 0 0: -inf 0, f inf: inf pi/2, f nan: nan nan, -inf p: inf pi, inf p: inf 0, "
           "-inf inf: inf 3pi/4, inf inf: inf pi/4, i nan: inf nan, nan f: nan nan, nan inf: inf nan, nan nan: nan nan",
    "log1p": "-1 0: -inf 0, f inf: inf pi/2, f nan: nan nan, -inf p: inf pi, inf p: inf 0, -inf inf: inf 3pi/4, "
             "inf inf: inf pi/4, i nan: inf nan, nan f: nan nan, nan inf: inf nan, nan nan: nan nan",
    "sign": "z z: =0 =0, nan *: nan nan, * nan: nan nan",
    "sinh": "0 0: 0 0, 0 inf: ?0 nan, 0 nan: ?0 nan, p inf: nan nan, p nan: nan nan, inf 0: inf 0, inf p: inf*cis, "
            "inf inf: ?inf nan, inf nan: ?inf nan, nan 0: nan 0, nan n: nan nan, nan nan: nan nan",
    "sqrt": "z 0: 0 0, * inf: inf inf, f nan: nan nan, -inf p: 0 inf, inf p: inf 0, -inf nan: nan ?inf, "
            "inf nan: inf nan, nan f: nan nan, nan nan: nan nan",
    "tanh": "0 0: 0 0, n inf: nan nan, n nan: nan nan, inf p: 1 ?0, inf inf: 1 ?0, inf nan: 1 ?0, nan 0: nan 0, "
            "nan n: nan nan, nan nan: nan nan",
    "isfinite": "nan *: False, * nan: False, i *: False, * i: False, f f: True",
    "isinf": "i *: True, * i: True, f f: False, nan f: False",
    "isnan": "nan *: True, * nan: True, f f: False, i a: False"}


def cases(table):
    return [(name, *case.split(": ")) for name, text in table.items() for case in text.split(", ")]


def values_of(operands):
    """Pairs that the operands of a case stand for."""
    first, second = operands.split()
    if second in ("same", "neg"):
        return [(x, x if second == "same" else -x) for x in OPERANDS[first]]
    return [(x, y) for x in OPERANDS[first] for y in OPERANDS[second]]


def agrees(got, want, x=0.0, y=0.0):
    """Whether a number is what a case's result says."""
    if want in ("True", "False"):
        return bool(got) is (want == "True")
    if want in "+-":
        return math.copysign(1, got) == (1 if want == "+" else -1)
    if want == "even":
        return got == round(x) and math.copysign(1, got) == math.copysign(1, x)
    either, want = want.startswith("?"), want.lstrip("?")
    loose, want = want.startswith("="), want.lstrip("=")
    named = {"x": x, "y": y, "|x|": abs(x), "|y|": abs(y), "-|x|": -abs(x)} | RESULTS
    want = named[want] if want in named else float(want)
    if math.isnan(want):
        return math.isnan(got)
    if loose or either:
        got, want = abs(got), abs(want)
    return math.isclose(got, want, rel_tol=1e-15) and math.copysign(1, got) == math.copysign(1, want)


@pytest.mark.parametrize("name, operand, result", cases(UNARY))
def test_unary(name, operand, result):
    for x in OPERANDS[operand]:
        got = getattr(gnd, name)(gnd.asarray(x))
        assert agrees(got.item(), result, x), f"{name}({x}) is {got}, not {result}"


@pytest.mark.parametrize("name, operands, result", cases(BINARY))
@pytest.mark.filterwarnings("ignore")  # NumPy's
def test_binary(name, operands, result):
    """As a function, of numbers too, as an operator and in place."""
    for x, y in values_of(operands):
        a, b = gnd.asarray(x), gnd.asarray(y)
        made = [getattr(gnd, name)(a, b), getattr(gnd, name)(a, y), getattr(gnd, name)(x, b)]
        if name in OPERATORS:
            made += [getattr(operator, OPERATORS[name])(a, b),
                     getattr(operator, "i" + OPERATORS[name])(gnd.asarray(a, copy=True), b)]
        for got in made:
            if (name, operands) in AS_NUMPY:
                same(got, getattr(np, name)(x, y))
            else:
                assert agrees(got.item(), result, x, y), f"{name}({x}, {y}) is {got}, not {result}"


@pytest.mark.parametrize("name, operands, result", cases(COMPLEX))
@pytest.mark.filterwarnings("ignore")  # NumPy's
def test_complex(name, operands, result):
    for a, b in values_of(operands):
        made = getattr(gnd, name)(gnd.asarray(complex(a, b)))
        got = complex(made.item())
        if (name, operands) in AS_NUMPY:
            same(made, getattr(np, name)(complex(a, b)))
        elif result in ("True", "False"):
            assert agrees(got.real, result)
        elif result.endswith("*cis"):
            scale = float(result.removesuffix("*cis"))
            assert agrees(got.real, repr(scale * math.cos(b))) and agrees(got.imag, repr(scale * math.sin(b)))
        else:
            real, imag = result.split()
            assert agrees(got.real, real, a, b) and agrees(got.imag, imag, a, b), f"{name}({a}, {b}) is {got}"


@pytest.mark.parametrize("name", "acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 sin sinh "
                                 "sqrt tan tanh".split())
def test_conjugates(name):
    """f(conj(z)) is conj(f(z)), on both sides of a branch cut too."""
    function = getattr(gnd, name)
    parts = [0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 300.0, -1e-300]
    z = gnd.asarray([complex(a, b) for a in parts for b in parts])
    got, want = function(gnd.conj(z)).get(), gnd.conj(function(z)).get()
    np.testing.assert_allclose(got, want, rtol=1e-15)
    np.testing.assert_array_equal(np.signbit(got.imag), np.signbit(want.imag))


@pytest.mark.parametrize("name, want", [("mean", NAN), ("prod", 1), ("std", NAN), ("sum", 0), ("var", NAN)])
@pytest.mark.filterwarnings("ignore")
def test_of_nothing(name, want):
    for x in (gnd.asarray([]), gnd.zeros((0, 3))):
        made = getattr(gnd, name)(x)
        assert made.shape == () and (made == want or math.isnan(want) and math.isnan(made))
    with pytest.raises(ValueError):
        gnd.max(gnd.asarray([]))


@pytest.mark.parametrize("name", "max mean min prod std sum var cumulative_sum cumulative_prod".split())
def test_nan_spreads(name):
    for dtype in ("float32", "float64"):
        for shape in ((1,), (3,), (70,), (3, 5), (2, 3, 4)):
            for index in {0, math.prod(shape) // 2, math.prod(shape) - 1}:
                x = gnd.arange(math.prod(shape), dtype=dtype)
                x[index] = NAN
                if name.startswith("cumulative"):
                    assert math.isnan(getattr(gnd, name)(x)[-1])
                else:
                    made = getattr(gnd, name)(gnd.reshape(x, shape))
                    assert made.shape == () and made.dtype == dtype and math.isnan(made)


def test_clip_of_nan():
    x = gnd.asarray([NAN, 1.0, 5.0])
    for low, high in ((NAN, 2.0), (0.0, NAN), (NAN, NAN), (NAN, None), (None, NAN)):
        for make in (lambda v: v, lambda v: v if v is None else gnd.asarray(v)):
            assert gnd.all(gnd.isnan(gnd.clip(x, make(low), make(high))))
    assert gnd.clip(x, 0.0, 2.0).tolist()[1:] == [1.0, 2.0] and math.isnan(gnd.clip(x, 0.0, 2.0)[0])


@pytest.mark.parametrize("name, of, turned", [("asin", "asinh", True), ("atan", "atanh", True), ("cos", "cosh", False),
                                              ("sin", "sinh", True), ("tan", "tanh", True)])
def test_circular_functions_are_hyperbolic_ones(name, of, turned):
    """f(z) is -1j g(1j z), and cos(z) is cosh(1j z), at all special values: NaN and infinities in the same parts."""
    parts = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 3.0, INF, -INF, NAN]
    pairs = [(a, b) for a in parts for b in parts]
    got = getattr(gnd, name)(gnd.asarray([complex(a, b) for a, b in pairs])).get()
    want = getattr(gnd, of)(gnd.asarray([complex(-b, a) for a, b in pairs])).get()
    real, imag = (want.imag, -want.real) if turned else (want.real, want.imag)
    np.testing.assert_allclose(np.abs(got.real), np.abs(real), rtol=1e-14)
    np.testing.assert_allclose(np.abs(got.imag), np.abs(imag), rtol=1e-14)
    finite = [k for k, (a, b) in enumerate(pairs) if math.isfinite(a) and math.isfinite(b)]
    np.testing.assert_array_equal(np.signbit(got[finite].real), np.signbit(real[finite]))
    np.testing.assert_array_equal(np.signbit(got[finite].imag), np.signbit(imag[finite]))


def test_logarithms_to_other_bases():
    """Complex log2 and log10 are log over a constant, at all special values."""
    parts = [0.0, -0.0, 0.5, -1.0, 3.0, INF, -INF, NAN]
    z = gnd.asarray([complex(a, b) for a in parts for b in parts])
    log = gnd.log(z).get()
    for name, base in (("log2", 2), ("log10", 10)):
        got = getattr(gnd, name)(z).get()
        np.testing.assert_allclose(got.real, log.real / math.log(base), rtol=1e-14)
        np.testing.assert_allclose(got.imag, log.imag / math.log(base), rtol=1e-14)


def test_reciprocals_and_squares():
    """reciprocal(x) is 1 / x and square(x) is x * x, at all special values of both kinds."""
    parts = [0.0, -0.0, 0.5, -1.0, 3.0, 1e300, INF, -INF, NAN]
    for x in (gnd.asarray(parts), gnd.asarray([complex(a, b) for a in parts[2:5] for b in parts[2:5]])):
        np.testing.assert_allclose(gnd.reciprocal(x).get(), (1 / x).get(), rtol=1e-15)
        np.testing.assert_allclose(gnd.square(x).get(), (x * x).get(), rtol=1e-15)


@pytest.mark.filterwarnings("ignore")  # NumPy's
def test_powers_of_numbers():
    """x ** 0.5 with a number of Python's is a square root, as in NumPy, also where pow has another result."""
    for x in (-INF, -0.0):
        same(gnd.asarray([x]) ** 0.5, np.array([x]) ** 0.5)
        assert agrees((gnd.asarray(x) ** gnd.asarray(0.5)).item(), "inf" if x == -INF else "0")
