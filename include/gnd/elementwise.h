/*
 * gnd/elementwise.h: operators that compute each element from the elements at the same index.
 *
 * The rules that hold for all of them, and are NumPy 2's:
 *
 * - Each argument is an array or a C number (gnd/arg.h). Shapes broadcast together; shapes that
 *   don't are GND_ERROR_SHAPE. The result is laid out in memory as the arguments are.
 * - Arrays are promoted to a common dtype, C numbers are weak (NEP 50). Where a comment says
 *   "real", complex numbers are GND_ERROR_DTYPE. Functions that need floating numbers take integers
 *   of 8 bits and bool in float16, of 16 bits in float32, and larger ones in float64.
 * - gnd_X(...) makes a new array; gnd_X_into(out, ...) writes into `out`, an array or view of the
 *   result's shape, casting within a kind (casting "same_kind") and allocating nothing. `out` may
 *   share memory with the arguments: the result is as if they had been copied first. gnd_apply()
 *   adds a mask, a dtype and a casting rule.
 * - Work is queued on the current stream; no call waits for the device. All arguments must be on
 *   one device (GND_ERROR_DEVICE; gnd_to_device moves). A refused call writes nothing.
 *
 * Each function is also a macro of the same name that takes arrays and numbers as they are; write
 * (gnd_add) to get at the function itself, whose arguments are gnd_arg.
 */
#ifndef GND_ELEMENTWISE_H
#define GND_ELEMENTWISE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/dtype.h>

GND_BEGIN

/* Made of src/kernels/ops/ops.def by ./dev symbols: functions. */

/* ---- arithmetic --------------------------------------------------------------------------------- */

/** x + y. Every dtype; on bool, logical or. Integers wrap around. */
GND_API gnd_array *gnd_add(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_add_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x - y. Every dtype but bool, where NumPy has none either (use gnd_logical_xor). */
GND_API gnd_array *gnd_subtract(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_subtract_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x * y. Every dtype; on bool, logical and. */
GND_API gnd_array *gnd_multiply(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_multiply_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x / y. Integers and bool compute in float64. Division by zero gives an infinity or NaN. */
GND_API gnd_array *gnd_divide(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_divide_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** -x. Every dtype but bool (use gnd_logical_not); unsigned integers wrap around. */
GND_API gnd_array *gnd_negative(gnd_arg x);
GND_API gnd_status gnd_negative_into(gnd_array *out, gnd_arg x);
/** +x: a copy. Every dtype but bool. */
GND_API gnd_array *gnd_positive(gnd_arg x);
GND_API gnd_status gnd_positive_into(gnd_array *out, gnd_arg x);
/**
 * |x|; of complex numbers the modulus, a real dtype. The lowest integer is its own absolute
 * value.
 */
GND_API gnd_array *gnd_absolute(gnd_arg x);
GND_API gnd_status gnd_absolute_into(gnd_array *out, gnd_arg x);
/** x * x. */
GND_API gnd_array *gnd_square(gnd_arg x);
GND_API gnd_status gnd_square_into(gnd_array *out, gnd_arg x);
/** x * y + z with one rounding. Floating dtypes. */
GND_API gnd_array *gnd_fma(gnd_arg x, gnd_arg y, gnd_arg z);
GND_API gnd_status gnd_fma_into(gnd_array *out, gnd_arg x, gnd_arg y, gnd_arg z);

/* ---- division and integers ---------------------------------------------------------------------- */

/**
 * The largest integer not above x / y. Real dtypes; integers divided by zero give 0, floats an
 * infinity or NaN.
 */
GND_API gnd_array *gnd_floor_divide(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_floor_divide_into(gnd_array *out, gnd_arg x, gnd_arg y);
/**
 * x - floor_divide(x, y) * y: it has y's sign, as Python's %. Real dtypes; an integer modulo 0
 * is 0.
 */
GND_API gnd_array *gnd_remainder(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_remainder_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** The remainder with x's sign, as C's % and fmod. Real dtypes; an integer modulo 0 is 0. */
GND_API gnd_array *gnd_fmod(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_fmod_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** floor_divide(x, y) and remainder(x, y) in one pass. */
GND_API gnd_status gnd_divmod(gnd_array **quotient, gnd_array **remainder, gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_divmod_into(gnd_array *quotient, gnd_array *remainder, gnd_arg x, gnd_arg y);
/** The greatest common divisor, never negative. Integers; gcd(0, 0) is 0. */
GND_API gnd_array *gnd_gcd(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_gcd_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** The lowest common multiple, never negative. Integers. */
GND_API gnd_array *gnd_lcm(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_lcm_into(gnd_array *out, gnd_arg x, gnd_arg y);

/* ---- powers and roots --------------------------------------------------------------------------- */

/**
 * x to the power y. Integers stay integers: a negative integer power is GND_ERROR_VALUE, at
 * once if y is a C number, at the next wait if it is in an array. bool computes in int8.
 *
 * As in numpy.power, a C number 2, 0.5, -1, 1 or 0 as exponent gives gnd_square(), gnd_sqrt(), gnd_reciprocal(),
 * x itself or 1, to the last bit and at that cost; 3 gives x^3 with one rounding. In an array, exponents of
 * floating numbers do the same element by element, except that 0.5 follows C's pow at -0 (0) and -infinity
 * (infinity), where gnd_sqrt() gives -0 and NaN; so does 0.5 as a number for float16, bfloat16 and complex x.
 * (NumPy's x ** 0.5 is sqrt for those, too.)
 */
GND_API gnd_array *gnd_power(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_power_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x to the power y in float64 or complex128, whatever the arguments' dtypes. */
GND_API gnd_array *gnd_float_power(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_float_power_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** The square root; NaN below zero, complex numbers on the principal branch. */
GND_API gnd_array *gnd_sqrt(gnd_arg x);
GND_API gnd_status gnd_sqrt_into(gnd_array *out, gnd_arg x);
/** 1 / sqrt(x). */
GND_API gnd_array *gnd_rsqrt(gnd_arg x);
GND_API gnd_status gnd_rsqrt_into(gnd_array *out, gnd_arg x);
/** The cube root, of negative numbers too. Real. */
GND_API gnd_array *gnd_cbrt(gnd_arg x);
GND_API gnd_status gnd_cbrt_into(gnd_array *out, gnd_arg x);
/** 1 / x in x's dtype: integers truncate, so that all but 1 and -1 give 0. */
GND_API gnd_array *gnd_reciprocal(gnd_arg x);
GND_API gnd_status gnd_reciprocal_into(gnd_array *out, gnd_arg x);
/** sqrt(x^2 + y^2) without overflow on the way; an infinity wins over NaN. Real. */
GND_API gnd_array *gnd_hypot(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_hypot_into(gnd_array *out, gnd_arg x, gnd_arg y);

/* ---- rounding and signs ------------------------------------------------------------------------- */

/** -1, 0 or 1, NaN for NaN; of a complex number z / |z|. Every dtype but bool. */
GND_API gnd_array *gnd_sign(gnd_arg x);
GND_API gnd_status gnd_sign_into(gnd_array *out, gnd_arg x);
/** |x| in floating dtypes; integers become floats. Not for complex numbers. */
GND_API gnd_array *gnd_fabs(gnd_arg x);
GND_API gnd_status gnd_fabs_into(gnd_array *out, gnd_arg x);
/** The nearest integer, ties to even, as a float (complex: both parts). */
GND_API gnd_array *gnd_rint(gnd_arg x);
GND_API gnd_status gnd_rint_into(gnd_array *out, gnd_arg x);
/** The largest integer not above x, in x's dtype. Real dtypes. */
GND_API gnd_array *gnd_floor(gnd_arg x);
GND_API gnd_status gnd_floor_into(gnd_array *out, gnd_arg x);
/** The smallest integer not below x, in x's dtype. Real dtypes. */
GND_API gnd_array *gnd_ceil(gnd_arg x);
GND_API gnd_status gnd_ceil_into(gnd_array *out, gnd_arg x);
/** x towards zero to an integer, in x's dtype. Real dtypes. */
GND_API gnd_array *gnd_trunc(gnd_arg x);
GND_API gnd_status gnd_trunc_into(gnd_array *out, gnd_arg x);
/** The same as gnd_trunc. */
GND_API gnd_array *gnd_fix(gnd_arg x);
GND_API gnd_status gnd_fix_into(gnd_array *out, gnd_arg x);
/**
 * x rounded to `decimals` places, ties to even (a negative number rounds to tens, hundreds,
 * ...): scaled, rounded and scaled back, as NumPy does.
 */
GND_API gnd_array *gnd_round(gnd_arg x, int decimals);
GND_API gnd_status gnd_round_into(gnd_array *out, gnd_arg x, int decimals);
/**
 * x between `low` and `high`: minimum(maximum(x, low), high). Either bound may be GND_NONE. An
 * integer bound outside x's dtype counts as the end of its range. NaN stays NaN.
 */
GND_API gnd_array *gnd_clip(gnd_arg x, gnd_arg low, gnd_arg high);
GND_API gnd_status gnd_clip_into(gnd_array *out, gnd_arg x, gnd_arg low, gnd_arg high);

/* ---- extrema ------------------------------------------------------------------------------------ */

/** The larger of x and y; NaN if either is NaN. Complex numbers by real part, then imaginary. */
GND_API gnd_array *gnd_maximum(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_maximum_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** The smaller of x and y; NaN if either is NaN. */
GND_API gnd_array *gnd_minimum(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_minimum_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** The larger of x and y; the other one if one is NaN. */
GND_API gnd_array *gnd_fmax(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_fmax_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** The smaller of x and y; the other one if one is NaN. */
GND_API gnd_array *gnd_fmin(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_fmin_into(gnd_array *out, gnd_arg x, gnd_arg y);

/* ---- exponentials and logarithms ---------------------------------------------------------------- */

/** e^x. */
GND_API gnd_array *gnd_exp(gnd_arg x);
GND_API gnd_status gnd_exp_into(gnd_array *out, gnd_arg x);
/** 2^x. */
GND_API gnd_array *gnd_exp2(gnd_arg x);
GND_API gnd_status gnd_exp2_into(gnd_array *out, gnd_arg x);
/** e^x - 1, accurate near 0. */
GND_API gnd_array *gnd_expm1(gnd_arg x);
GND_API gnd_status gnd_expm1_into(gnd_array *out, gnd_arg x);
/** The natural logarithm; -inf at 0, NaN below. */
GND_API gnd_array *gnd_log(gnd_arg x);
GND_API gnd_status gnd_log_into(gnd_array *out, gnd_arg x);
/** The logarithm to base 2. */
GND_API gnd_array *gnd_log2(gnd_arg x);
GND_API gnd_status gnd_log2_into(gnd_array *out, gnd_arg x);
/** The logarithm to base 10. */
GND_API gnd_array *gnd_log10(gnd_arg x);
GND_API gnd_status gnd_log10_into(gnd_array *out, gnd_arg x);
/** log(1 + x), accurate near 0. */
GND_API gnd_array *gnd_log1p(gnd_arg x);
GND_API gnd_status gnd_log1p_into(gnd_array *out, gnd_arg x);
/** log(e^x + e^y) without overflow. Real. */
GND_API gnd_array *gnd_logaddexp(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_logaddexp_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** log2(2^x + 2^y) without overflow. Real. */
GND_API gnd_array *gnd_logaddexp2(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_logaddexp2_into(gnd_array *out, gnd_arg x, gnd_arg y);

/* ---- trigonometry ------------------------------------------------------------------------------- */

/** The sine of x in radians; NaN for an infinity. */
GND_API gnd_array *gnd_sin(gnd_arg x);
GND_API gnd_status gnd_sin_into(gnd_array *out, gnd_arg x);
/** The cosine. */
GND_API gnd_array *gnd_cos(gnd_arg x);
GND_API gnd_status gnd_cos_into(gnd_array *out, gnd_arg x);
/** The tangent. */
GND_API gnd_array *gnd_tan(gnd_arg x);
GND_API gnd_status gnd_tan_into(gnd_array *out, gnd_arg x);
/** The angle in [-pi/2, pi/2] whose sine is x; NaN outside [-1, 1]. */
GND_API gnd_array *gnd_arcsin(gnd_arg x);
GND_API gnd_status gnd_arcsin_into(gnd_array *out, gnd_arg x);
/** The angle in [0, pi] whose cosine is x; NaN outside [-1, 1]. */
GND_API gnd_array *gnd_arccos(gnd_arg x);
GND_API gnd_status gnd_arccos_into(gnd_array *out, gnd_arg x);
/** The angle in (-pi/2, pi/2) whose tangent is x. */
GND_API gnd_array *gnd_arctan(gnd_arg x);
GND_API gnd_status gnd_arctan_into(gnd_array *out, gnd_arg x);
/**
 * The angle, in [-pi, pi], between the positive x axis and the point (x, y): y is the first
 * argument, and signed zeros count, as in C. Real.
 */
GND_API gnd_array *gnd_arctan2(gnd_arg y, gnd_arg x);
GND_API gnd_status gnd_arctan2_into(gnd_array *out, gnd_arg y, gnd_arg x);
/** x * pi / 180. Real. */
GND_API gnd_array *gnd_deg2rad(gnd_arg x);
GND_API gnd_status gnd_deg2rad_into(gnd_array *out, gnd_arg x);
/** x * 180 / pi. Real. */
GND_API gnd_array *gnd_rad2deg(gnd_arg x);
GND_API gnd_status gnd_rad2deg_into(gnd_array *out, gnd_arg x);
/** sin(pi x) / (pi x), and 1 at 0. */
GND_API gnd_array *gnd_sinc(gnd_arg x);
GND_API gnd_status gnd_sinc_into(gnd_array *out, gnd_arg x);

/* ---- hyperbolic functions ----------------------------------------------------------------------- */

/** The hyperbolic sine. */
GND_API gnd_array *gnd_sinh(gnd_arg x);
GND_API gnd_status gnd_sinh_into(gnd_array *out, gnd_arg x);
/** The hyperbolic cosine. */
GND_API gnd_array *gnd_cosh(gnd_arg x);
GND_API gnd_status gnd_cosh_into(gnd_array *out, gnd_arg x);
/** The hyperbolic tangent. */
GND_API gnd_array *gnd_tanh(gnd_arg x);
GND_API gnd_status gnd_tanh_into(gnd_array *out, gnd_arg x);
/** The inverse hyperbolic sine. */
GND_API gnd_array *gnd_arcsinh(gnd_arg x);
GND_API gnd_status gnd_arcsinh_into(gnd_array *out, gnd_arg x);
/** The inverse hyperbolic cosine; NaN below 1. */
GND_API gnd_array *gnd_arccosh(gnd_arg x);
GND_API gnd_status gnd_arccosh_into(gnd_array *out, gnd_arg x);
/** The inverse hyperbolic tangent; NaN outside [-1, 1]. */
GND_API gnd_array *gnd_arctanh(gnd_arg x);
GND_API gnd_status gnd_arctanh_into(gnd_array *out, gnd_arg x);

/* ---- parts of floating numbers ------------------------------------------------------------------ */

/** 0 below 0, 1 above, and y where x is 0. Real. */
GND_API gnd_array *gnd_heaviside(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_heaviside_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** |x| with y's sign bit. Real. */
GND_API gnd_array *gnd_copysign(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_copysign_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** The next number of the dtype after x towards y. Real. */
GND_API gnd_array *gnd_nextafter(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_nextafter_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** The distance from x to the next number further from 0, with x's sign. Real. */
GND_API gnd_array *gnd_spacing(gnd_arg x);
GND_API gnd_status gnd_spacing_into(gnd_array *out, gnd_arg x);
/** x * 2^y, y being integers. Real. */
GND_API gnd_array *gnd_ldexp(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_ldexp_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x = m 2^e with m in [0.5, 1): `m` in x's dtype and `e` in int32. Real. */
GND_API gnd_status gnd_frexp(gnd_array **m, gnd_array **e, gnd_arg x);
GND_API gnd_status gnd_frexp_into(gnd_array *m, gnd_array *e, gnd_arg x);
/** The fractional and the whole part of x, both with x's sign. Real. */
GND_API gnd_status gnd_modf(gnd_array **fraction, gnd_array **whole, gnd_arg x);
GND_API gnd_status gnd_modf_into(gnd_array *fraction, gnd_array *whole, gnd_arg x);
/** Whether x's sign bit is set, -0.0 and NaN included. bool result. */
GND_API gnd_array *gnd_signbit(gnd_arg x);
GND_API gnd_status gnd_signbit_into(gnd_array *out, gnd_arg x);
/** Whether x is NaN. bool result; false for integers. */
GND_API gnd_array *gnd_isnan(gnd_arg x);
GND_API gnd_status gnd_isnan_into(gnd_array *out, gnd_arg x);
/** Whether x is an infinity. bool result. */
GND_API gnd_array *gnd_isinf(gnd_arg x);
GND_API gnd_status gnd_isinf_into(gnd_array *out, gnd_arg x);
/** Whether x is neither NaN nor an infinity. bool result. */
GND_API gnd_array *gnd_isfinite(gnd_arg x);
GND_API gnd_status gnd_isfinite_into(gnd_array *out, gnd_arg x);
/** Whether x is minus infinity. bool result; real. */
GND_API gnd_array *gnd_isneginf(gnd_arg x);
GND_API gnd_status gnd_isneginf_into(gnd_array *out, gnd_arg x);
/** Whether x is plus infinity. bool result; real. */
GND_API gnd_array *gnd_isposinf(gnd_arg x);
GND_API gnd_status gnd_isposinf_into(gnd_array *out, gnd_arg x);
/**
 * |x - y| <= atol + rtol |y|: NumPy's defaults are rtol 1e-5 and
 * atol 1e-8. Equal infinities
 * are close; NaNs are if `equal_nan`. bool result.
 */
GND_API gnd_array *gnd_isclose(gnd_arg x, gnd_arg y, double rtol, double atol, bool equal_nan);
GND_API gnd_status gnd_isclose_into(gnd_array *out, gnd_arg x, gnd_arg y, double rtol, double atol, bool equal_nan);
/**
 * x with NaN, plus and minus infinity replaced; GND_NONE means 0, the dtype's largest
 * and its
 * lowest finite number. Each may be a real number, or an array that broadcasts to x's shape and whose dtype
 * can be cast to that of x's parts within a kind (GND_SAME_KIND); arrays take a launch more for each part.
 */
GND_API gnd_array *gnd_nan_to_num(gnd_arg x, gnd_arg nan_value, gnd_arg posinf, gnd_arg neginf);
GND_API gnd_status gnd_nan_to_num_into(gnd_array *out, gnd_arg x, gnd_arg nan_value, gnd_arg posinf, gnd_arg neginf);

/* ---- comparison --------------------------------------------------------------------------------- */

/**
 * x == y. bool result. int64 and uint64 are compared exactly, and so is a C integer outside the
 * array's dtype. NaN equals nothing. Complex numbers too.
 */
GND_API gnd_array *gnd_equal(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_equal_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x != y. bool result; see gnd_equal. */
GND_API gnd_array *gnd_not_equal(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_not_equal_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x < y. bool result; see gnd_equal. Complex numbers by real part, then imaginary. */
GND_API gnd_array *gnd_less(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_less_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x <= y. bool result; see gnd_less. */
GND_API gnd_array *gnd_less_equal(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_less_equal_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x > y. bool result; see gnd_less. */
GND_API gnd_array *gnd_greater(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_greater_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x >= y. bool result; see gnd_less. */
GND_API gnd_array *gnd_greater_equal(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_greater_equal_into(gnd_array *out, gnd_arg x, gnd_arg y);

/* ---- logic -------------------------------------------------------------------------------------- */

/** Whether x and y are both nonzero (NaN is). bool result, every dtype. */
GND_API gnd_array *gnd_logical_and(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_logical_and_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** Whether x or y is nonzero. bool result, every dtype. */
GND_API gnd_array *gnd_logical_or(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_logical_or_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** Whether one of x and y is nonzero and the other isn't. bool result, every dtype. */
GND_API gnd_array *gnd_logical_xor(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_logical_xor_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** Whether x is zero. bool result, every dtype. */
GND_API gnd_array *gnd_logical_not(gnd_arg x);
GND_API gnd_status gnd_logical_not_into(gnd_array *out, gnd_arg x);
/**
 * x where `condition` is true, else y. The condition may have any dtype: nonzero is true. All
 * three broadcast; the result has the dtype that x and y promote to.
 * numpy.where with the condition alone is gnd_nonzero() (gnd/mask.h).
 */
GND_API gnd_array *gnd_where(gnd_arg condition, gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_where_into(gnd_array *out, gnd_arg condition, gnd_arg x, gnd_arg y);

/* ---- bits --------------------------------------------------------------------------------------- */

/** x & y. Integers and bool. */
GND_API gnd_array *gnd_bitwise_and(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_bitwise_and_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x | y. Integers and bool. */
GND_API gnd_array *gnd_bitwise_or(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_bitwise_or_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x ^ y. Integers and bool. */
GND_API gnd_array *gnd_bitwise_xor(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_bitwise_xor_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** ~x; of bool, logical not. Integers and bool. */
GND_API gnd_array *gnd_invert(gnd_arg x);
GND_API gnd_status gnd_invert_into(gnd_array *out, gnd_arg x);
/** x << y; 0 if y is not less than the number of bits. Integers. */
GND_API gnd_array *gnd_left_shift(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_left_shift_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x >> y, with the sign bit; 0 or -1 if y is not less than the number of bits. Integers. */
GND_API gnd_array *gnd_right_shift(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_right_shift_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** The number of 1 bits in |x|, as uint8. Integers. */
GND_API gnd_array *gnd_bitwise_count(gnd_arg x);
GND_API gnd_status gnd_bitwise_count_into(gnd_array *out, gnd_arg x);

/* ---- complex numbers and special functions ------------------------------------------------------ */

/** The complex conjugate; real numbers are copied. */
GND_API gnd_array *gnd_conjugate(gnd_arg x);
GND_API gnd_status gnd_conjugate_into(gnd_array *out, gnd_arg x);
/** The argument of z in (-pi, pi], in degrees if asked; of real numbers 0 or pi. A real dtype. */
GND_API gnd_array *gnd_angle(gnd_arg z, bool degrees);
GND_API gnd_status gnd_angle_into(gnd_array *out, gnd_arg z, bool degrees);
/** The modified Bessel function of the first kind, order 0. Real. */
GND_API gnd_array *gnd_i0(gnd_arg x);
GND_API gnd_status gnd_i0_into(gnd_array *out, gnd_arg x);
/**
 * The error function 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x.
 * Like the other functions of scipy.special (erfc, erfinv, gamma, lgamma), it has no 16-bit form: bool, integers of 8
 * and
 * 16 bits, float16 and bfloat16 give float32, other integers float64 (as SciPy 1.18; in 1.17 some gave float64 for the
 * narrow dtypes).
 */
GND_API gnd_array *gnd_erf(gnd_arg x);
GND_API gnd_status gnd_erf_into(gnd_array *out, gnd_arg x);
/** 1 - erf(x), accurate for large x. */
GND_API gnd_array *gnd_erfc(gnd_arg x);
GND_API gnd_status gnd_erfc_into(gnd_array *out, gnd_arg x);
/** The inverse of erf on [-1, 1]. Real. */
GND_API gnd_array *gnd_erfinv(gnd_arg x);
GND_API gnd_status gnd_erfinv_into(gnd_array *out, gnd_arg x);
/** The gamma function; NaN at negative integers, as scipy.special.gamma. */
GND_API gnd_array *gnd_gamma(gnd_arg x);
GND_API gnd_status gnd_gamma_into(gnd_array *out, gnd_arg x);
/** log |gamma(x)|, as scipy.special.gammaln. Real. */
GND_API gnd_array *gnd_lgamma(gnd_arg x);
GND_API gnd_status gnd_lgamma_into(gnd_array *out, gnd_arg x);

/* The end of what is made. */

/* ---- the full form -------------------------------------------------------------------------- */

/** Options of gnd_apply(). Zero is always the default. */
typedef struct gnd_apply_options {
    const gnd_array *where; /**< bool array: compute only where true; new arrays are 0 elsewhere */
    gnd_array *out[2];      /**< write here instead of into new arrays */
    gnd_dtype dtype;        /**< dtype of the (first) result, and of the computation */
    gnd_casting casting;    /**< how arguments and results may be cast */
    char order;             /**< layout of new arrays: 'K' (as the arguments; the default), 'C', 'F', 'A' */
    void *reserved[4];
} gnd_apply_options;

/**
 * Applies an operator by name, with options:
 *
 *     gnd_apply("add", GND_ARGS(x, y), &(gnd_apply_options){.where = mask, .out = {z}});
 *
 * Operators with parameters take them as further arguments (round: decimals; isclose: rtol, atol, equal_nan;
 * nan_to_num: nan, posinf, neginf; angle: degrees), all of which may be left out. `options` may be NULL.
 * Returns a new reference, to `out[0]` if it was given; NULL on failure: no such operator, a wrong number of
 * arguments, a dtype that is not among the operator's results, a cast that `casting` forbids, or a mask that
 * is not bool or does not broadcast.
 */
GND_API gnd_array *gnd_apply(const char *name, int nargs, const gnd_arg *args, const gnd_apply_options *options);
/** The same for operators with two results: divmod, frexp, modf. */
GND_API gnd_status gnd_apply_two(gnd_array **first, gnd_array **second, const char *name, int nargs,
                                 const gnd_arg *args, const gnd_apply_options *options);

GND_END

/* ---- the macros: arrays and C numbers as arguments ------------------------------------------ */

/* Made of src/kernels/ops/ops.def by ./dev symbols: macros. */
/* arithmetic */
#define gnd_add(x, ...) (gnd_add)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_add_into(out, x, ...) (gnd_add_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_subtract(x, ...) (gnd_subtract)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_subtract_into(out, x, ...) (gnd_subtract_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_multiply(x, ...) (gnd_multiply)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_multiply_into(out, x, ...) (gnd_multiply_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_divide(x, ...) (gnd_divide)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_divide_into(out, x, ...) (gnd_divide_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_negative(...) (gnd_negative)(GND_ARG(__VA_ARGS__))
#define gnd_negative_into(out, ...) (gnd_negative_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_positive(...) (gnd_positive)(GND_ARG(__VA_ARGS__))
#define gnd_positive_into(out, ...) (gnd_positive_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_absolute(...) (gnd_absolute)(GND_ARG(__VA_ARGS__))
#define gnd_absolute_into(out, ...) (gnd_absolute_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_square(...) (gnd_square)(GND_ARG(__VA_ARGS__))
#define gnd_square_into(out, ...) (gnd_square_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_fma(x, y, ...) (gnd_fma)(GND_ARG(x), GND_ARG(y), GND_ARG(__VA_ARGS__))
#define gnd_fma_into(out, x, y, ...) (gnd_fma_into)(out, GND_ARG(x), GND_ARG(y), GND_ARG(__VA_ARGS__))
/* division and integers */
#define gnd_floor_divide(x, ...) (gnd_floor_divide)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_floor_divide_into(out, x, ...) (gnd_floor_divide_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_remainder(x, ...) (gnd_remainder)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_remainder_into(out, x, ...) (gnd_remainder_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_fmod(x, ...) (gnd_fmod)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_fmod_into(out, x, ...) (gnd_fmod_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_divmod(first, second, x, ...) (gnd_divmod)(first, second, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_divmod_into(first, second, x, ...) (gnd_divmod_into)(first, second, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_gcd(x, ...) (gnd_gcd)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_gcd_into(out, x, ...) (gnd_gcd_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_lcm(x, ...) (gnd_lcm)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_lcm_into(out, x, ...) (gnd_lcm_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
/* powers and roots */
#define gnd_power(x, ...) (gnd_power)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_power_into(out, x, ...) (gnd_power_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_float_power(x, ...) (gnd_float_power)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_float_power_into(out, x, ...) (gnd_float_power_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_sqrt(...) (gnd_sqrt)(GND_ARG(__VA_ARGS__))
#define gnd_sqrt_into(out, ...) (gnd_sqrt_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_rsqrt(...) (gnd_rsqrt)(GND_ARG(__VA_ARGS__))
#define gnd_rsqrt_into(out, ...) (gnd_rsqrt_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_cbrt(...) (gnd_cbrt)(GND_ARG(__VA_ARGS__))
#define gnd_cbrt_into(out, ...) (gnd_cbrt_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_reciprocal(...) (gnd_reciprocal)(GND_ARG(__VA_ARGS__))
#define gnd_reciprocal_into(out, ...) (gnd_reciprocal_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_hypot(x, ...) (gnd_hypot)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_hypot_into(out, x, ...) (gnd_hypot_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
/* rounding and signs */
#define gnd_sign(...) (gnd_sign)(GND_ARG(__VA_ARGS__))
#define gnd_sign_into(out, ...) (gnd_sign_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_fabs(...) (gnd_fabs)(GND_ARG(__VA_ARGS__))
#define gnd_fabs_into(out, ...) (gnd_fabs_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_rint(...) (gnd_rint)(GND_ARG(__VA_ARGS__))
#define gnd_rint_into(out, ...) (gnd_rint_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_floor(...) (gnd_floor)(GND_ARG(__VA_ARGS__))
#define gnd_floor_into(out, ...) (gnd_floor_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_ceil(...) (gnd_ceil)(GND_ARG(__VA_ARGS__))
#define gnd_ceil_into(out, ...) (gnd_ceil_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_trunc(...) (gnd_trunc)(GND_ARG(__VA_ARGS__))
#define gnd_trunc_into(out, ...) (gnd_trunc_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_fix(...) (gnd_fix)(GND_ARG(__VA_ARGS__))
#define gnd_fix_into(out, ...) (gnd_fix_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_round(x, ...) (gnd_round)(GND_ARG(x), __VA_ARGS__)
#define gnd_round_into(out, x, ...) (gnd_round_into)(out, GND_ARG(x), __VA_ARGS__)
#define gnd_clip(x, low, ...) (gnd_clip)(GND_ARG(x), GND_ARG(low), GND_ARG(__VA_ARGS__))
#define gnd_clip_into(out, x, low, ...) (gnd_clip_into)(out, GND_ARG(x), GND_ARG(low), GND_ARG(__VA_ARGS__))
/* extrema */
#define gnd_maximum(x, ...) (gnd_maximum)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_maximum_into(out, x, ...) (gnd_maximum_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_minimum(x, ...) (gnd_minimum)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_minimum_into(out, x, ...) (gnd_minimum_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_fmax(x, ...) (gnd_fmax)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_fmax_into(out, x, ...) (gnd_fmax_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_fmin(x, ...) (gnd_fmin)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_fmin_into(out, x, ...) (gnd_fmin_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
/* exponentials and logarithms */
#define gnd_exp(...) (gnd_exp)(GND_ARG(__VA_ARGS__))
#define gnd_exp_into(out, ...) (gnd_exp_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_exp2(...) (gnd_exp2)(GND_ARG(__VA_ARGS__))
#define gnd_exp2_into(out, ...) (gnd_exp2_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_expm1(...) (gnd_expm1)(GND_ARG(__VA_ARGS__))
#define gnd_expm1_into(out, ...) (gnd_expm1_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_log(...) (gnd_log)(GND_ARG(__VA_ARGS__))
#define gnd_log_into(out, ...) (gnd_log_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_log2(...) (gnd_log2)(GND_ARG(__VA_ARGS__))
#define gnd_log2_into(out, ...) (gnd_log2_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_log10(...) (gnd_log10)(GND_ARG(__VA_ARGS__))
#define gnd_log10_into(out, ...) (gnd_log10_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_log1p(...) (gnd_log1p)(GND_ARG(__VA_ARGS__))
#define gnd_log1p_into(out, ...) (gnd_log1p_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_logaddexp(x, ...) (gnd_logaddexp)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_logaddexp_into(out, x, ...) (gnd_logaddexp_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_logaddexp2(x, ...) (gnd_logaddexp2)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_logaddexp2_into(out, x, ...) (gnd_logaddexp2_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
/* trigonometry */
#define gnd_sin(...) (gnd_sin)(GND_ARG(__VA_ARGS__))
#define gnd_sin_into(out, ...) (gnd_sin_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_cos(...) (gnd_cos)(GND_ARG(__VA_ARGS__))
#define gnd_cos_into(out, ...) (gnd_cos_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_tan(...) (gnd_tan)(GND_ARG(__VA_ARGS__))
#define gnd_tan_into(out, ...) (gnd_tan_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_arcsin(...) (gnd_arcsin)(GND_ARG(__VA_ARGS__))
#define gnd_arcsin_into(out, ...) (gnd_arcsin_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_arccos(...) (gnd_arccos)(GND_ARG(__VA_ARGS__))
#define gnd_arccos_into(out, ...) (gnd_arccos_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_arctan(...) (gnd_arctan)(GND_ARG(__VA_ARGS__))
#define gnd_arctan_into(out, ...) (gnd_arctan_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_arctan2(y, ...) (gnd_arctan2)(GND_ARG(y), GND_ARG(__VA_ARGS__))
#define gnd_arctan2_into(out, y, ...) (gnd_arctan2_into)(out, GND_ARG(y), GND_ARG(__VA_ARGS__))
#define gnd_deg2rad(...) (gnd_deg2rad)(GND_ARG(__VA_ARGS__))
#define gnd_deg2rad_into(out, ...) (gnd_deg2rad_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_rad2deg(...) (gnd_rad2deg)(GND_ARG(__VA_ARGS__))
#define gnd_rad2deg_into(out, ...) (gnd_rad2deg_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_sinc(...) (gnd_sinc)(GND_ARG(__VA_ARGS__))
#define gnd_sinc_into(out, ...) (gnd_sinc_into)(out, GND_ARG(__VA_ARGS__))
/* hyperbolic functions */
#define gnd_sinh(...) (gnd_sinh)(GND_ARG(__VA_ARGS__))
#define gnd_sinh_into(out, ...) (gnd_sinh_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_cosh(...) (gnd_cosh)(GND_ARG(__VA_ARGS__))
#define gnd_cosh_into(out, ...) (gnd_cosh_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_tanh(...) (gnd_tanh)(GND_ARG(__VA_ARGS__))
#define gnd_tanh_into(out, ...) (gnd_tanh_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_arcsinh(...) (gnd_arcsinh)(GND_ARG(__VA_ARGS__))
#define gnd_arcsinh_into(out, ...) (gnd_arcsinh_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_arccosh(...) (gnd_arccosh)(GND_ARG(__VA_ARGS__))
#define gnd_arccosh_into(out, ...) (gnd_arccosh_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_arctanh(...) (gnd_arctanh)(GND_ARG(__VA_ARGS__))
#define gnd_arctanh_into(out, ...) (gnd_arctanh_into)(out, GND_ARG(__VA_ARGS__))
/* parts of floating numbers */
#define gnd_heaviside(x, ...) (gnd_heaviside)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_heaviside_into(out, x, ...) (gnd_heaviside_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_copysign(x, ...) (gnd_copysign)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_copysign_into(out, x, ...) (gnd_copysign_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_nextafter(x, ...) (gnd_nextafter)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_nextafter_into(out, x, ...) (gnd_nextafter_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_spacing(...) (gnd_spacing)(GND_ARG(__VA_ARGS__))
#define gnd_spacing_into(out, ...) (gnd_spacing_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_ldexp(x, ...) (gnd_ldexp)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_ldexp_into(out, x, ...) (gnd_ldexp_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_frexp(first, second, ...) (gnd_frexp)(first, second, GND_ARG(__VA_ARGS__))
#define gnd_frexp_into(first, second, ...) (gnd_frexp_into)(first, second, GND_ARG(__VA_ARGS__))
#define gnd_modf(first, second, ...) (gnd_modf)(first, second, GND_ARG(__VA_ARGS__))
#define gnd_modf_into(first, second, ...) (gnd_modf_into)(first, second, GND_ARG(__VA_ARGS__))
#define gnd_signbit(...) (gnd_signbit)(GND_ARG(__VA_ARGS__))
#define gnd_signbit_into(out, ...) (gnd_signbit_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_isnan(...) (gnd_isnan)(GND_ARG(__VA_ARGS__))
#define gnd_isnan_into(out, ...) (gnd_isnan_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_isinf(...) (gnd_isinf)(GND_ARG(__VA_ARGS__))
#define gnd_isinf_into(out, ...) (gnd_isinf_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_isfinite(...) (gnd_isfinite)(GND_ARG(__VA_ARGS__))
#define gnd_isfinite_into(out, ...) (gnd_isfinite_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_isneginf(...) (gnd_isneginf)(GND_ARG(__VA_ARGS__))
#define gnd_isneginf_into(out, ...) (gnd_isneginf_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_isposinf(...) (gnd_isposinf)(GND_ARG(__VA_ARGS__))
#define gnd_isposinf_into(out, ...) (gnd_isposinf_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_isclose(x, y, ...) (gnd_isclose)(GND_ARG(x), GND_ARG(y), __VA_ARGS__)
#define gnd_isclose_into(out, x, y, ...) (gnd_isclose_into)(out, GND_ARG(x), GND_ARG(y), __VA_ARGS__)
#define gnd_nan_to_num(x, nan_value, posinf, ...)                                                                      \
    (gnd_nan_to_num)(GND_ARG(x), GND_ARG(nan_value), GND_ARG(posinf), GND_ARG(__VA_ARGS__))
#define gnd_nan_to_num_into(out, x, nan_value, posinf, ...)                                                            \
    (gnd_nan_to_num_into)(out, GND_ARG(x), GND_ARG(nan_value), GND_ARG(posinf), GND_ARG(__VA_ARGS__))
/* comparison */
#define gnd_equal(x, ...) (gnd_equal)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_equal_into(out, x, ...) (gnd_equal_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_not_equal(x, ...) (gnd_not_equal)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_not_equal_into(out, x, ...) (gnd_not_equal_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_less(x, ...) (gnd_less)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_less_into(out, x, ...) (gnd_less_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_less_equal(x, ...) (gnd_less_equal)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_less_equal_into(out, x, ...) (gnd_less_equal_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_greater(x, ...) (gnd_greater)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_greater_into(out, x, ...) (gnd_greater_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_greater_equal(x, ...) (gnd_greater_equal)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_greater_equal_into(out, x, ...) (gnd_greater_equal_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
/* logic */
#define gnd_logical_and(x, ...) (gnd_logical_and)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_logical_and_into(out, x, ...) (gnd_logical_and_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_logical_or(x, ...) (gnd_logical_or)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_logical_or_into(out, x, ...) (gnd_logical_or_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_logical_xor(x, ...) (gnd_logical_xor)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_logical_xor_into(out, x, ...) (gnd_logical_xor_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_logical_not(...) (gnd_logical_not)(GND_ARG(__VA_ARGS__))
#define gnd_logical_not_into(out, ...) (gnd_logical_not_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_where(condition, x, ...) (gnd_where)(GND_ARG(condition), GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_where_into(out, condition, x, ...)                                                                         \
    (gnd_where_into)(out, GND_ARG(condition), GND_ARG(x), GND_ARG(__VA_ARGS__))
/* bits */
#define gnd_bitwise_and(x, ...) (gnd_bitwise_and)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_bitwise_and_into(out, x, ...) (gnd_bitwise_and_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_bitwise_or(x, ...) (gnd_bitwise_or)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_bitwise_or_into(out, x, ...) (gnd_bitwise_or_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_bitwise_xor(x, ...) (gnd_bitwise_xor)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_bitwise_xor_into(out, x, ...) (gnd_bitwise_xor_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_invert(...) (gnd_invert)(GND_ARG(__VA_ARGS__))
#define gnd_invert_into(out, ...) (gnd_invert_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_left_shift(x, ...) (gnd_left_shift)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_left_shift_into(out, x, ...) (gnd_left_shift_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_right_shift(x, ...) (gnd_right_shift)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_right_shift_into(out, x, ...) (gnd_right_shift_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_bitwise_count(...) (gnd_bitwise_count)(GND_ARG(__VA_ARGS__))
#define gnd_bitwise_count_into(out, ...) (gnd_bitwise_count_into)(out, GND_ARG(__VA_ARGS__))
/* complex numbers and special functions */
#define gnd_conjugate(...) (gnd_conjugate)(GND_ARG(__VA_ARGS__))
#define gnd_conjugate_into(out, ...) (gnd_conjugate_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_angle(z, ...) (gnd_angle)(GND_ARG(z), __VA_ARGS__)
#define gnd_angle_into(out, z, ...) (gnd_angle_into)(out, GND_ARG(z), __VA_ARGS__)
#define gnd_i0(...) (gnd_i0)(GND_ARG(__VA_ARGS__))
#define gnd_i0_into(out, ...) (gnd_i0_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_erf(...) (gnd_erf)(GND_ARG(__VA_ARGS__))
#define gnd_erf_into(out, ...) (gnd_erf_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_erfc(...) (gnd_erfc)(GND_ARG(__VA_ARGS__))
#define gnd_erfc_into(out, ...) (gnd_erfc_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_erfinv(...) (gnd_erfinv)(GND_ARG(__VA_ARGS__))
#define gnd_erfinv_into(out, ...) (gnd_erfinv_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_gamma(...) (gnd_gamma)(GND_ARG(__VA_ARGS__))
#define gnd_gamma_into(out, ...) (gnd_gamma_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_lgamma(...) (gnd_lgamma)(GND_ARG(__VA_ARGS__))
#define gnd_lgamma_into(out, ...) (gnd_lgamma_into)(out, GND_ARG(__VA_ARGS__))
/* The end of what is made. */

/* NumPy's and SciPy's short and second names. */
#define gnd_abs gnd_absolute
#define gnd_abs_into gnd_absolute_into
#define gnd_true_divide gnd_divide
#define gnd_true_divide_into gnd_divide_into
#define gnd_mod gnd_remainder
#define gnd_mod_into gnd_remainder_into
#define gnd_pow gnd_power
#define gnd_pow_into gnd_power_into
#define gnd_conj gnd_conjugate
#define gnd_conj_into gnd_conjugate_into
#define gnd_radians gnd_deg2rad
#define gnd_radians_into gnd_deg2rad_into
#define gnd_degrees gnd_rad2deg
#define gnd_degrees_into gnd_rad2deg_into
#define gnd_bitwise_not gnd_invert
#define gnd_bitwise_not_into gnd_invert_into
#define gnd_bitwise_invert gnd_invert
#define gnd_bitwise_invert_into gnd_invert_into
#define gnd_bitwise_left_shift gnd_left_shift
#define gnd_bitwise_left_shift_into gnd_left_shift_into
#define gnd_bitwise_right_shift gnd_right_shift
#define gnd_bitwise_right_shift_into gnd_right_shift_into
#define gnd_around gnd_round
#define gnd_around_into gnd_round_into
#define gnd_asin gnd_arcsin
#define gnd_asin_into gnd_arcsin_into
#define gnd_acos gnd_arccos
#define gnd_acos_into gnd_arccos_into
#define gnd_atan gnd_arctan
#define gnd_atan_into gnd_arctan_into
#define gnd_atan2 gnd_arctan2
#define gnd_atan2_into gnd_arctan2_into
#define gnd_asinh gnd_arcsinh
#define gnd_asinh_into gnd_arcsinh_into
#define gnd_acosh gnd_arccosh
#define gnd_acosh_into gnd_arccosh_into
#define gnd_atanh gnd_arctanh
#define gnd_atanh_into gnd_arctanh_into
#define gnd_gammaln gnd_lgamma
#define gnd_gammaln_into gnd_lgamma_into

#endif
