"""Random programs: fused on every executor, operator by operator, with everything lazy and without a block, held
against each other bit for bit, and against NumPy where it says every bit."""

import numpy as np
from hypothesis import given, settings, strategies as st

import dtypes
import gnd
import values
from conftest import on_gpu
from fused import (ROWS, Input, Number, Program, Step, programs, run_always, run_block, run_numpy, run_plain,
                   same_array, same_outcomes)

# On the CPU these may differ in the last place by where an element lies: libm's vector functions do the most,
# its scalar ones the last few (kernels/scalar/scalar_libmvec.h). All that is made of them does, too.
ANYWHERE = set("""arccos arccosh arcsin arcsinh arctan arctanh arctan2 cbrt cos cosh erf erfc erfinv exp exp2 expm1
    log log10 log1p log2 logaddexp logaddexp2 sin sinh tan tanh sinc hypot power float_power gamma lgamma i0 angle
    absolute sign""".split())
# Integers to negative powers are told of at the next wait, wherever that is.
FIXED = [name for name in ROWS if name not in ANYWHERE or (on_gpu() and name != "power")]
# The same bits in any order.
FOLDS_EXACT = ["max", "min", "any", "all", "count_nonzero"]
INTERPRET, COMPILE, OFF = gnd.FUSE_INTERPRET, gnd.FUSE_COMPILE, gnd.FUSE_OFF


def examples(part):
    """So many examples, times those of the profile."""
    return settings(max_examples=max(1, int(part * settings.default.max_examples)))


def whatever(dtype, shape, g):
    return np.asarray(values.random_values(dtype, shape, g))


def check_ways(program, fill, *ways):
    want = run_plain(program, fill)
    for name, run, executor in ways:
        same_outcomes(run(program, fill, executor), want, name, program)
    return want


WAYS = (("off", run_block, OFF), ("interpreted", run_block, INTERPRET), ("auto", run_block, gnd.FUSE_AUTO))


@examples(12)
@given(programs(FIXED, FOLDS_EXACT, dtypes.NAMES))
def test_any_operators_and_dtypes(program):
    check_ways(program, whatever, *WAYS)


@examples(3)
@given(programs(FIXED, FOLDS_EXACT, dtypes.NAMES))
def test_always(program):
    check_ways(program, whatever, ("always", run_always, INTERPRET))


SIMPLE = ["add", "subtract", "multiply", "divide", "negative", "square", "maximum", "minimum", "where", "clip", "less",
          "greater", "sqrt", "floor", "fma", "copysign", "isnan", "reciprocal"]


@examples(5)
@given(programs(SIMPLE, [], ("float32", "float64"), most=20))
def test_floating_arithmetic(program):
    check_ways(program, whatever, *WAYS)


@examples(0.6)
@given(programs(FIXED, FOLDS_EXACT, dtypes.NAMES, large=True))
def test_large(program):
    check_ways(program, whatever, *WAYS)


@examples(0.75 if on_gpu() else 0.15)
@given(programs(FIXED, FOLDS_EXACT, dtypes.NAMES))
def test_compiled(program):
    check_ways(program, whatever, ("compiled", run_block, COMPILE))


# ---- against NumPy: small integers in any dtype -----------------------------------------------------------

INTEGRAL = ["add", "subtract", "multiply", "negative", "absolute", "square", "maximum", "minimum", "fmax", "fmin",
            "where", "less", "greater_equal", "equal", "logical_and", "logical_not", "rint", "floor", "trunc",
            "bitwise_xor", "bitwise_and", "invert", "positive", "divmod", "remainder", "floor_divide", "gcd",
            "conjugate", "isfinite", "signbit"]
FOLDS_INTEGRAL = FOLDS_EXACT + ["sum", "prod", "sum", "mean"]
PLAIN = [name for name in dtypes.NAMES if name != "bfloat16"]
# The whole numbers that a dtype holds, and their sums; half of them, so that a step behind may double.
WHOLE = {"float16": 2.0**10, "float32": 2.0**23, "complex64": 2.0**23, "float64": 2.0**52, "complex128": 2.0**52}


def small_integers(dtype, shape, g):
    x = g.integers(-4 if dtype.startswith(("int", "float", "complex")) else 0, 5, shape)
    return x.astype(dtype)


def rounded(slots):
    """Whether the last array is no longer exact: not whole, or too large."""
    a = slots[-1]
    if a is None or a.dtype.name not in WHOLE or not a.size:
        return False
    with np.errstate(all="ignore"):
        parts = np.concatenate([a.real.ravel(), a.imag.ravel()]).astype(np.float64)
        return not (np.isfinite(parts) & (parts == np.rint(parts)) & (np.abs(parts) <= WHOLE[a.dtype.name])).all()


@examples(8)
@given(programs(INTEGRAL, FOLDS_INTEGRAL, PLAIN, most=12, exact=True))
def test_whole_numbers_are_those_of_numpy(program):
    want, taken = run_numpy(program, small_integers, enough=rounded)
    program = Program(program.inputs, program.steps[:taken], program.kept)
    for name, run, executor in (("plain", lambda *p: run_plain(*p[:2]), None), WAYS[1]):
        same_outcomes(run(program, small_integers, executor), want, name, program, layouts=False)


# ---- to rounding: sums of anything ------------------------------------------------------------------------

# None of these makes a difference between its operands larger, and none leaves [-2, 2].
GENTLE_1 = ["tanh", "sin", "cos", "arctan", "negative", "absolute", "positive", "erf"]
GENTLE_2 = ["maximum", "minimum", "fmax", "fmin"]


@st.composite
def gentle_programs(draw):
    """Stages of maps with reductions between them, whose values stay near 1."""
    shape = draw(st.sampled_from([(6,), (300,), (5, 7), (33, 65), (3, 40, 9), (2100,), (9, 1500)]))
    dtype = draw(st.sampled_from(["float32", "float32", "float64", "float16", "bfloat16"]))
    inputs = [Input(tuple(s if draw(st.booleans()) else 1 for s in shape) if k else shape, dtype,
                    draw(st.integers(0, 11)), draw(st.integers(0, 999))) for k in range(draw(st.integers(1, 3)))]
    near, steps = st.integers(0, 5), []

    def do(name, *operands):
        steps.append(Step("operator", operands, (name, None)))

    for stage in range(draw(st.integers(1, 3))):
        for _ in range(draw(st.integers(1, 4))):
            if draw(st.booleans()):
                do(draw(st.sampled_from(GENTLE_1)), draw(near))
            elif draw(st.booleans()):
                do(draw(st.sampled_from(GENTLE_2)), draw(near), draw(near))
            else:  # half a sum
                do("add", draw(near), draw(near)), do("multiply", 0, Number(0.5))
        kind = draw(st.sampled_from(["mean", "sum", "max", "var", "none"]))
        axes = draw(st.sampled_from([None, (0,), (len(shape) - 1,), (0, 1)]))
        if kind in ("sum", "var"):  # what is reduced is small enough for the result to be below 2
            do("multiply", draw(near), Number(0.5 if kind == "var" else 1 / int(np.prod(shape))))
        if kind != "none":
            steps.append(Step("fold", [draw(near) if kind in ("mean", "max") else 0], (kind, axes, True)))
    do("add", 0, draw(near)), do("multiply", 0, Number(0.5))
    made = len(inputs) + len(steps)
    return Program(inputs, steps, frozenset([(made - 1) % 32, draw(st.integers(0, 31))]))


def between(dtype, shape, g):
    return dtypes.cast(g.uniform(-2, 2, shape), dtype)


def between_wide(dtype, shape, g):
    return dtypes.wide(between(dtype, shape, g))


def near(got, want, rounding, name, program):
    assert len(got.arrays) == len(want.arrays)
    for g, w in zip(got.arrays, want.arrays):
        assert g.shape == w.shape, f"{name}: {g.shape}, not {w.shape}\n{program}"
        error = np.abs(dtypes.wide(g) - dtypes.wide(w))
        most = 8 * (len(program.steps) + 4) * rounding
        assert (error <= most).all(), f"{name}: off by {error.max()}, allowed {most}\n{program}"


@examples(5)
@given(gentle_programs())
def test_sums(program):
    rounding = dtypes.ROUNDING[program.inputs[0].dtype]
    want, _ = run_numpy(program, between_wide)
    for name, run, executor in (("plain", lambda *p: run_plain(*p[:2]), None), *WAYS):
        near(run(program, between, executor), want, rounding, name, program)


@examples(0.75 if on_gpu() else 0.1)
@given(gentle_programs())
def test_sums_compiled(program):
    rounding = dtypes.ROUNDING[program.inputs[0].dtype]
    want, _ = run_numpy(program, between_wide)
    near(run_block(program, between, COMPILE), want, rounding, "compiled", program)


@examples(1)
@given(gentle_programs())
def test_the_same_bits_each_time(program):
    first, again = (run_block(program, between, INTERPRET) for _ in range(2))
    for a, b in zip(first.arrays, again.arrays):
        same_array(a, b, "again", program)
