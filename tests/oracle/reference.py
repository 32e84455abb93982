"""What each operator of ops.def must give, from NumPy and SciPy.

`expect(row, operands)` runs the NumPy function of the operator's name on the operands and returns an
Expectation for each output. Where rounding is not fixed by IEEE it also evaluates the function in a
wider type (float64 for float32 and below, the 80-bit long double for float64), so that errors are
measured against the true value, not against NumPy's own rounding.
"""

import ctypes
import ctypes.util
import math
from collections import namedtuple
from fractions import Fraction

import numpy as np
import scipy.special

import dtypes

# dtype and values are NumPy's; `true` is the value in a wider type, or None where every bit is fixed;
# `ulp` units of the result, or of `scale` if that is larger, may be lost. `unsigned_zero`: the sign of
# a zero is not said. `open`: where NumPy's own answer is no guide.
Expectation = namedtuple("Expectation", "dtype values true scale ulp unsigned_zero open")

# ---- the NumPy function behind each name -------------------------------------------------------------


def _rsqrt(x):
    x = np.asarray(x)
    if x.dtype.kind in "bui":
        x = x.astype(np.sqrt(np.zeros(0, x.dtype)).dtype)
    if x.dtype == np.float16:
        return (1 / np.sqrt(x.astype(np.float32))).astype(np.float16)
    return 1 / np.sqrt(x)


def _fma(x, y, z):
    x, y, z = np.broadcast_arrays(*np.broadcast_arrays(x, y, z))
    dtype = np.cbrt(np.zeros(0, np.result_type(x, y, z))).dtype  # refuses complex, as gnd does
    if dtype.itemsize < 8:
        wide = x.astype(np.longdouble) * y.astype(np.longdouble) + z.astype(np.longdouble)
        return wide.astype(dtype)
    plain = x.astype(dtype) * y.astype(dtype) + z.astype(dtype)
    flat = plain.reshape(-1).copy()
    for i, (a, b, c) in enumerate(zip(x.flat, y.flat, z.flat)):
        a, b, c = float(a), float(b), float(c)
        if math.isfinite(a) and math.isfinite(b) and math.isfinite(c):
            exact = Fraction(a) * Fraction(b) + Fraction(c)
            if exact:
                try:
                    flat[i] = float(exact)
                except OverflowError:
                    flat[i] = math.inf if exact > 0 else -math.inf
    return flat.reshape(plain.shape)


def _fix(x):
    return np.trunc(x)


def _where(condition, x, y):
    return np.where(condition, x, y)


_libm = ctypes.CDLL(ctypes.util.find_library("m"))


def _long_double(name):
    """A function of the C library in long double, elementwise (its result rounded to double)."""
    function = getattr(_libm, name)
    function.argtypes, function.restype = [ctypes.c_longdouble], ctypes.c_longdouble
    return np.vectorize(function, otypes=[np.longdouble])


def _special(function, long_double=None):
    """A function of SciPy's, in the dtypes that SciPy computes in. What float32 holds is given to it as
    float32, which SciPy 1.18 does itself; 1.17 took float64 for some functions."""
    def evaluate(x):
        x = np.asarray(x)
        if np.can_cast(x.dtype, np.float32):
            x = x.astype(np.float32)
        if x.dtype == np.longdouble:
            if long_double is None or not x.size:
                return function(x.astype(np.float64))
            return _long_double(long_double)(x.astype(np.float64))
        if x.dtype == np.clongdouble:
            return function(x.astype(np.complex128))
        return function(x)
    return evaluate


def _nextafter(x, y):
    """Of equal numbers the second, as C has it; NumPy's float16 gives the first before 2.5."""
    result = np.nextafter(x, y)
    return np.where(x == y, np.asarray(y).astype(result.dtype), result)


def _complex_erf(function, constant, sign):
    """SciPy's, but for the true value the series near 0, where SciPy has 13 digits."""
    def evaluate(x):
        result = function(x)
        if np.asarray(x).dtype.kind != "c" or np.asarray(x).dtype.itemsize < 16:
            return result
        z = np.asarray(x, np.clongdouble)
        z = np.where(np.abs(z) < 1.5, z, 0)
        term, total = z, z
        for n in range(1, 40):
            term = -term * z * z / n
            total = total + term / (2 * n + 1)
        series = constant + sign * total * (2 / np.sqrt(np.arctan2(np.longdouble(0), np.longdouble(-1))))
        return np.where((z != 0) & (z.imag != 0), series, result).astype(np.asarray(x).dtype)
    return evaluate


def _i0(x):
    x = np.asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 takes no complex numbers")
    result = np.float64 if x.dtype.kind in "biu" else x.dtype
    return scipy.special.i0(x.astype(np.float64)).astype(result)


def _isneginf(x):
    if np.asarray(x).dtype.kind == "c":
        raise TypeError("isneginf takes no complex numbers")
    return np.isneginf(x)


FUNCTIONS = {
    "rsqrt": _rsqrt, "fma": _fma, "fix": _fix, "where": _where, "i0": _i0,
    "nextafter": _nextafter,
    "erf": _complex_erf(_special(scipy.special.erf, "erfl"), 0, 1),
    "erfc": _complex_erf(_special(scipy.special.erfc, "erfcl"), 1, -1),
    "erfinv": _special(scipy.special.erfinv), "gamma": _special(scipy.special.gamma),
    "lgamma": _special(scipy.special.gammaln, "lgammal"),
}


# ---- bfloat16, where a float32 result is not the answer -------------------------------------------------


def _bfloat16_nextafter(x, y):
    bits = np.ascontiguousarray(dtypes.to_bfloat16(x)).view(np.uint16).astype(np.int32)
    magnitude, negative = bits & 0x7FFF, bits >> 15
    position = np.where(negative, -magnitude, magnitude)  # the numbers in order, as integers
    moved = position + np.sign(np.where(x == y, 0, np.where(y > x, 1, -1)))
    result = np.where(moved < 0, 0x8000 - moved, moved)
    result = np.where((moved == 0) & (position < 0), 0x8000, result)
    result = np.where(x == y, np.ascontiguousarray(dtypes.to_bfloat16(y)).view(np.uint16), result)
    values = dtypes.from_bfloat16(result.astype(np.uint16).view(dtypes.BFLOAT16))
    return np.where(np.isnan(x) | np.isnan(y), np.float32(np.nan), values)


def _bfloat16_spacing(x):
    return _bfloat16_nextafter(x, np.copysign(np.float32(np.inf), x)) - x + np.where(
        np.isinf(x), np.float32(np.nan), np.float32(0))


def _bfloat16_nan_to_num(x):
    largest = np.float32(LARGEST["bfloat16"])
    return np.nan_to_num(x, posinf=largest, neginf=-largest)


def _bfloat16_round(x, decimals=0):
    """Rounded after each of NumPy's three steps, as its float16 is."""
    scale = np.float32(10.0**abs(decimals))

    def rounded(values):
        return dtypes.from_bfloat16(dtypes.to_bfloat16(values))
    if decimals == 0:
        return np.rint(x)
    scaled = rounded(x * scale if decimals > 0 else x / scale)
    return rounded(np.rint(scaled) / scale if decimals > 0 else np.rint(scaled) * scale)


BFLOAT16_FUNCTIONS = {"round": _bfloat16_round, "nextafter": _bfloat16_nextafter, "spacing": _bfloat16_spacing,
                      "nan_to_num": _bfloat16_nan_to_num}


def function_of(name):
    return FUNCTIONS[name] if name in FUNCTIONS else getattr(np, name)


# ---- how close an operator must come ------------------------------------------------------------------

# IEEE or integer arithmetic fixes every bit of these in real dtypes.
EXACT = set("""add subtract multiply divide negative positive absolute square floor_divide remainder
    fmod divmod sqrt sign fabs rint floor ceil trunc fix clip maximum minimum fmax fmin heaviside
    copysign nextafter spacing ldexp frexp modf nan_to_num where conjugate reciprocal gcd lcm
    real imag""".split())
# In complex dtypes these are exact too: no arithmetic, or componentwise.
EXACT_COMPLEX = set("""add subtract negative positive rint clip maximum minimum fmax fmin
    nan_to_num where conjugate real imag""".split())

# Greatest error against the true value in units in the last place of float32 and float64, beside the
# half that rounding it needs. The default is what CUDA's and glibc's functions keep.
ULP = {"i0": 8, "gamma": 12, "lgamma": 8, "erfinv": 8, "erfc": 6, "power": 4, "float_power": 4,
       "deg2rad": 1, "rad2deg": 1, "round": 2, "angle": 4, "fma": 0.5, "rsqrt": 2}
DEFAULT_ULP = 4
# Complex functions are held to this many units of the larger part (no library promises each part).
COMPLEX_ULP = {"power": 64, "float_power": 64, "gamma": 64, "erf": 64, "erfc": 64, "tan": 16,
               "tanh": 16, "arctan": 16, "arctanh": 16, "arccos": 16, "arcsin": 16, "arccosh": 16,
               "arcsinh": 16, "round": 4, "sinc": 16, "sign": 1}
DEFAULT_COMPLEX_ULP = 8


def _scale(name, wide, true):
    """A magnitude that the error may be measured against: of what cancels in the result, or of the
    argument's own rounding as it passes through the function."""
    if name in ("logaddexp", "logaddexp2"):
        scale = np.maximum(np.abs(wide[0]), np.abs(wide[1]))
    elif name in ("sinc", "lgamma"):  # zeros that are no round numbers
        scale = np.ones(())
    else:
        scale = np.zeros(())
    if np.asarray(true).dtype.kind == "c":
        if name in ("power", "float_power"):
            scale = np.abs(true) * np.abs(wide[1] * np.log(wide[0]))
        elif name == "exp2":
            scale = np.abs(true) * np.abs(wide[0])
        elif name == "sinc":
            scale = 1 + np.abs(true) * np.abs(wide[0])
        elif name in ("log1p", "expm1"):
            scale = np.ones(())
        elif name == "gamma":
            scale = np.abs(true) * np.abs(wide[0] * np.log(wide[0]))
        elif name in ("erf", "erfc"):
            scale = np.abs(true) * np.abs(wide[0])**2
    return np.where(np.isfinite(scale), scale, 0)


# NumPy itself gives 0.0 or -0.0 for these, as its vector code of the day has it.
UNSIGNED_ZERO = {"maximum", "minimum", "fmax", "fmin", "clip", "erfinv"}


WIDE = {"float16": np.float64, "bfloat16": np.float64, "float32": np.float64,
        "float64": np.longdouble, "complex64": np.complex128, "complex128": np.clongdouble}


def _is_exact(name, loop, operands):
    if loop in dtypes.COMPLEX:
        return name in EXACT_COMPLEX
    return name in EXACT


def typed_positions(row):
    """Which inputs have the loop's dtype; the others have a dtype of their own."""
    return [i for i, letter in enumerate(row.inputs) if letter == "T"]


# Where SciPy has no loop of 16 bits, bfloat16 computes in float32, as float16 does.
NOT_OF_16_BITS = {"erf", "erfc", "gamma", "lgamma", "erfinv"}


def loop_inputs(row, operands):
    """Operands in a form NumPy computes in, and whether the loop is bfloat16's.

    A bfloat16 operand becomes float32 if the operands meet in bfloat16, else the dtype they meet in.
    """
    typed = typed_positions(row)
    kinds = [dtypes.name_of(operands[i].dtype) if isinstance(operands[i], np.ndarray) else operands[i]
             for i in typed]
    if "bfloat16" not in [k for k in kinds if isinstance(k, str)]:
        return list(operands), False
    common = dtypes.result_type(*kinds)
    if common == "bfloat16" and row.name in NOT_OF_16_BITS:
        common = "float32"
    narrow = common == "bfloat16"
    converted = list(operands)
    for i in typed:
        value = operands[i]
        if narrow:
            if isinstance(value, np.ndarray):
                converted[i] = dtypes.from_bfloat16(dtypes.cast(value, "bfloat16"))
            else:
                converted[i] = dtypes.from_bfloat16(dtypes.to_bfloat16(np.float64(value)))[()]
        elif dtypes.is_bfloat16(value):
            converted[i] = dtypes.cast(value, common)
    return converted, narrow


def expect(row, operands, **parameters):
    """The Expectations of an operator's outputs. Raises TypeError where NumPy refuses the dtypes."""
    with np.errstate(all="ignore"):
        inputs, narrow = loop_inputs(row, operands)
        function = function_of(row.name)
        if narrow and row.name in BFLOAT16_FUNCTIONS:
            function = BFLOAT16_FUNCTIONS[row.name]
        results = function(*inputs, **parameters)
        results = list(results) if isinstance(results, tuple) else [results]
        results = [np.asarray(r) for r in results]
        loop = _loop_name(row, inputs, results, narrow)
        exact = _is_exact(row.name, loop, operands)
        truths, scale = [None] * len(results), np.zeros(())
        if loop in WIDE and not exact and any(o in "TR" for o in row.outputs):
            wide = [_widen_input(x, loop, narrow) if i in typed_positions(row) else x
                    for i, x in enumerate(inputs)]
            truths = function(*wide, **parameters)
            truths = list(truths) if isinstance(truths, tuple) else [truths]
            scale = _scale(row.name, wide, truths[0])
    expectations = []
    for letter, values, true in zip(row.outputs, results, truths):
        dtype = dtypes.name_of(values.dtype)
        if narrow and dtype == "float32":
            values, dtype = dtypes.to_bfloat16(values), "bfloat16"
        if letter not in "TR":
            true = None
        expectations.append(Expectation(dtype, values, true, scale, _tolerance(row.name, dtype),
                                        row.name in UNSIGNED_ZERO,
                                        _open(row.name, inputs, values, loop)))
    return expectations


def _open(name, inputs, values, loop):
    """Where infinities and NaNs meet in complex operators in ways that C leaves open."""
    if loop in dtypes.COMPLEX:
        if name in ("power", "float_power"):
            known = np.logical_and(*np.broadcast_arrays(*[np.isfinite(x) for x in inputs]))
            # Infinite, with a phase of so many turns that nothing is left of its digits.
            with np.errstate(all="ignore"):
                angle = np.abs(inputs[1] * np.log(np.asarray(inputs[0], values.dtype)))
            lost = angle * np.finfo(values.dtype).eps > 1e-3
            return ~known | (lost & (np.isinf(values.real) | np.isinf(values.imag)))
        if name == "clip":
            return np.logical_or(*np.broadcast_arrays(*[np.isnan(x) for x in inputs[1:]]))
        if name in ("gamma", "erf", "erfc"):
            return ~np.isfinite(inputs[0]) | np.isnan(values)
    return np.zeros((), bool)


def _loop_name(row, inputs, results, narrow):
    if narrow:
        return "bfloat16"
    for letter, values in zip(row.outputs, results):
        if letter == "T":
            return dtypes.name_of(values.dtype)
        if letter == "R":
            kinds = [np.asarray(x).dtype.kind for x in inputs]
            name = dtypes.name_of(values.dtype)
            if "c" in kinds:
                return {"float32": "complex64", "float64": "complex128"}[name]
            return name
    return "none"


def _widen_input(value, loop, narrow):
    if isinstance(value, np.ndarray):
        if not narrow:
            value = value.astype(dtypes.DTYPES[loop])
        return value.astype(WIDE[loop])
    if loop in ("float16", "float32", "complex64"):  # the weak number is rounded to the loop first
        value = dtypes.DTYPES[loop].type(value)
    return WIDE[loop](value)


def _tolerance(name, dtype):
    """Units in the last place that a result may be off by, beside half a one for rounding it."""
    if dtype in dtypes.COMPLEX:
        return COMPLEX_ULP.get(name, DEFAULT_COMPLEX_ULP)
    if dtype in ("float16", "bfloat16") and name not in ("fma", "round"):
        return 0.01  # computed in float32
    return ULP.get(name, DEFAULT_ULP)


# ---- comparison ---------------------------------------------------------------------------------------

EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}
SMALLEST = {"float16": 2.0**-24, "bfloat16": 2.0**-133, "float32": 2.0**-149, "float64": 2.0**-1074}
LARGEST = {"float16": 65504.0, "bfloat16": float.fromhex("0x1.fep127"),
           "float32": float.fromhex("0x1.fffffep127"), "float64": float.fromhex("0x1.fffffffffffffp1023")}
MIN_EXPONENT = {"float16": -14, "bfloat16": -126, "float32": -126, "float64": -1022}


def same_values(got, want, unsigned_zero=False):
    """Elementwise: equal with equal signs of zero, or both NaN (each part, for complex)."""
    got, want = dtypes.widen(np.asarray(got)), dtypes.widen(np.asarray(want))
    if got.dtype.kind == "c":
        return (same_values(got.real, want.real, unsigned_zero)
                & same_values(got.imag, want.imag, unsigned_zero))
    if got.dtype.kind == "f":
        both_nan = np.isnan(got) & np.isnan(want)
        return both_nan | ((got == want) & (unsigned_zero | (np.signbit(got) == np.signbit(want))))
    return got == want


def unit_in_last_place(true, dtype):
    magnitude = np.abs(true)
    _, exponent = np.frexp(np.where(np.isfinite(magnitude) & (magnitude > 0), magnitude, 1))
    exponent = np.maximum(exponent - 1, MIN_EXPONENT[dtype])
    return np.ldexp(np.longdouble(EPSILON[dtype]), exponent)


def close_values(got, e):
    """Elementwise: whether `got` is as near to the true value as the Expectation asks, or NumPy's."""
    with np.errstate(all="ignore"):
        same = same_values(got, e.values, e.unsigned_zero) | e.open
        if e.true is None:
            return same
        if e.dtype in dtypes.COMPLEX:
            return same | _close_complex(np.asarray(got), e)
        return same | _close_real(dtypes.widen(np.asarray(got)), e)


def _close_real(got, e):
    got, true = got.astype(np.longdouble), np.asarray(e.true, np.longdouble)
    unit = np.maximum(unit_in_last_place(true, e.dtype), EPSILON[e.dtype] * e.scale)
    near = np.abs(got - true) <= (e.ulp + 0.5) * unit
    # At the edge of overflow either side of the largest number will do.
    edge = np.abs(true) >= LARGEST[e.dtype] * (1 - (e.ulp + 1) * EPSILON[e.dtype])
    near |= edge & np.isinf(got) & (np.sign(got) == np.sign(true))
    exact_zero = (true == 0) & (np.asarray(e.scale) == 0) & (not e.unsigned_zero)
    near &= ~exact_zero | ((got == 0) & (np.signbit(got) == np.signbit(true)))
    return near & np.isfinite(true)


def _close_complex(got, e):
    real = "float32" if e.dtype == "complex64" else "float64"
    true = np.asarray(e.true, np.clongdouble)
    # Parts beyond the largest number are compared as NumPy's own result has them.
    limit = LARGEST[real] / 8
    ordinary = (np.abs(true.real) <= limit) & (np.abs(true.imag) <= limit)
    size = np.maximum(np.abs(true.real), np.abs(true.imag))
    unit = np.maximum(unit_in_last_place(size, real), EPSILON[real] * e.scale)
    near = np.abs(got.astype(np.clongdouble) - true) <= (e.ulp + 0.5) * unit
    special = _same_class(got.real, e.values.real) & _same_class(got.imag, e.values.imag)
    return np.where(ordinary, near, special)


def _same_class(got, want):
    """Both NaN, both the same infinity, or both finite and roughly alike."""
    finite = np.isfinite(want) & np.isfinite(got) & (
        np.abs(got - want) <= 1e-3 * np.abs(want) + np.finfo(np.float32).tiny)
    return (np.isnan(got) & np.isnan(want)) | (np.isinf(got) & (got == want)) | finite
