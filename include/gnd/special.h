/*
 * gnd/special.h: the special functions of scipy.special, elementwise. (gnd/elementwise.h has i0, erf, erfc, erfinv,
 * gamma, lgamma, sinc, exp2, expm1, log1p.)
 *
 * The rules are those of gnd/elementwise.h: arguments are arrays or C numbers that broadcast together, gnd_X_into
 * writes into an array, nothing waits. Real, if nothing else is said: as in SciPy they compute in float32 or float64;
 * bool, integers of 8 and 16 bits, float16 and bfloat16 give float32, other integers float64. Where a function is not
 * defined it gives NaN, and at a pole an infinity, as SciPy's; a NaN argument gives NaN. They have no folds
 * (gnd_reduce, gnd_accumulate, gnd_at). On a GPU the functions compute in float64, of float32 too, except those of the
 * first three sections. The topic page says how accurate each is.
 */
#ifndef GND_SPECIAL_H
#define GND_SPECIAL_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/dtype.h>

GND_BEGIN

/* Made of src/kernels/ops/special.def by ./dev symbols: functions. */

/* ---- the logistic function, entropies, losses --------------------------------------------------- */

/** 1 / (1 + e^-x), the logistic function (scipy.special.expit). */
GND_API gnd_array *gnd_expit(gnd_arg x);
GND_API gnd_status gnd_expit_into(gnd_array *out, gnd_arg x);
/** The logarithm of gnd_expit(x), accurate at both ends. */
GND_API gnd_array *gnd_log_expit(gnd_arg x);
GND_API gnd_status gnd_log_expit_into(gnd_array *out, gnd_arg x);
/** log(x / (1 - x)), the inverse of gnd_expit: -inf at 0, inf at 1, NaN outside. */
GND_API gnd_array *gnd_logit(gnd_arg x);
GND_API gnd_status gnd_logit_into(gnd_array *out, gnd_arg x);
/** x log(y), and 0 where x is 0 and y is not NaN. */
GND_API gnd_array *gnd_xlogy(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_xlogy_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x log(1 + y), and 0 where x is 0 and y is not NaN. */
GND_API gnd_array *gnd_xlog1py(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_xlog1py_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** The entropy -x log(x): 0 at 0, -inf below. */
GND_API gnd_array *gnd_entr(gnd_arg x);
GND_API gnd_status gnd_entr_into(gnd_array *out, gnd_arg x);
/** The relative entropy x log(x / y): 0 where x is 0 and y is at least 0, inf where x or y is negative or y is 0. */
GND_API gnd_array *gnd_rel_entr(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_rel_entr_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** x log(x / y) - x + y, the Kullback-Leibler divergence: y where x is 0 and y is at least 0, inf as gnd_rel_entr. */
GND_API gnd_array *gnd_kl_div(gnd_arg x, gnd_arg y);
GND_API gnd_status gnd_kl_div_into(gnd_array *out, gnd_arg x, gnd_arg y);
/** Huber's loss: r^2 / 2 where |r| <= delta, else delta (|r| - delta / 2); inf where delta is negative. */
GND_API gnd_array *gnd_huber(gnd_arg delta, gnd_arg r);
GND_API gnd_status gnd_huber_into(gnd_array *out, gnd_arg delta, gnd_arg r);
/** The smooth form of Huber's loss, delta^2 (sqrt(1 + (r / delta)^2) - 1); inf where delta is negative. */
GND_API gnd_array *gnd_pseudo_huber(gnd_arg delta, gnd_arg r);
GND_API gnd_status gnd_pseudo_huber_into(gnd_array *out, gnd_arg delta, gnd_arg r);

/* ---- exponentials and powers -------------------------------------------------------------------- */

/** 10^x. */
GND_API gnd_array *gnd_exp10(gnd_arg x);
GND_API gnd_status gnd_exp10_into(gnd_array *out, gnd_arg x);
/** (e^x - 1) / x, and 1 at 0. */
GND_API gnd_array *gnd_exprel(gnd_arg x);
GND_API gnd_status gnd_exprel_into(gnd_array *out, gnd_arg x);
/** cos(x) - 1, accurate near 0. */
GND_API gnd_array *gnd_cosm1(gnd_arg x);
GND_API gnd_status gnd_cosm1_into(gnd_array *out, gnd_arg x);
/** Box and Cox's transformation (x^lambda - 1) / lambda, log(x) where lambda is 0. */
GND_API gnd_array *gnd_boxcox(gnd_arg x, gnd_arg lambda);
GND_API gnd_status gnd_boxcox_into(gnd_array *out, gnd_arg x, gnd_arg lambda);
/** The same of 1 + x, accurate near 0. */
GND_API gnd_array *gnd_boxcox1p(gnd_arg x, gnd_arg lambda);
GND_API gnd_status gnd_boxcox1p_into(gnd_array *out, gnd_arg x, gnd_arg lambda);
/** The inverse of gnd_boxcox: (lambda y + 1)^(1 / lambda), e^y where lambda is 0. */
GND_API gnd_array *gnd_inv_boxcox(gnd_arg y, gnd_arg lambda);
GND_API gnd_status gnd_inv_boxcox_into(gnd_array *out, gnd_arg y, gnd_arg lambda);
/** The inverse of gnd_boxcox1p. */
GND_API gnd_array *gnd_inv_boxcox1p(gnd_arg y, gnd_arg lambda);
GND_API gnd_status gnd_inv_boxcox1p_into(gnd_array *out, gnd_arg y, gnd_arg lambda);

/* ---- angles in degrees -------------------------------------------------------------------------- */

/** An angle in radians. */
GND_API gnd_array *gnd_radian(gnd_arg degrees, gnd_arg minutes, gnd_arg seconds);
GND_API gnd_status gnd_radian_into(gnd_array *out, gnd_arg degrees, gnd_arg minutes, gnd_arg seconds);
/** The cosine of x degrees: exact at quarters of a turn, 0 beyond 1e14. */
GND_API gnd_array *gnd_cosdg(gnd_arg x);
GND_API gnd_status gnd_cosdg_into(gnd_array *out, gnd_arg x);
/** The sine of x degrees, likewise. */
GND_API gnd_array *gnd_sindg(gnd_arg x);
GND_API gnd_status gnd_sindg_into(gnd_array *out, gnd_arg x);
/** The tangent of x degrees, likewise; inf at its poles. */
GND_API gnd_array *gnd_tandg(gnd_arg x);
GND_API gnd_status gnd_tandg_into(gnd_array *out, gnd_arg x);
/** The cotangent of x degrees, likewise; inf at its poles. */
GND_API gnd_array *gnd_cotdg(gnd_arg x);
GND_API gnd_status gnd_cotdg_into(gnd_array *out, gnd_arg x);

/* The end of what is made. */

GND_END

/* Made of src/kernels/ops/special.def by ./dev symbols: macros. */
/* the logistic function, entropies, losses */
#define gnd_expit(...) (gnd_expit)(GND_ARG(__VA_ARGS__))
#define gnd_expit_into(out, ...) (gnd_expit_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_log_expit(...) (gnd_log_expit)(GND_ARG(__VA_ARGS__))
#define gnd_log_expit_into(out, ...) (gnd_log_expit_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_logit(...) (gnd_logit)(GND_ARG(__VA_ARGS__))
#define gnd_logit_into(out, ...) (gnd_logit_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_xlogy(x, ...) (gnd_xlogy)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_xlogy_into(out, x, ...) (gnd_xlogy_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_xlog1py(x, ...) (gnd_xlog1py)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_xlog1py_into(out, x, ...) (gnd_xlog1py_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_entr(...) (gnd_entr)(GND_ARG(__VA_ARGS__))
#define gnd_entr_into(out, ...) (gnd_entr_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_rel_entr(x, ...) (gnd_rel_entr)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_rel_entr_into(out, x, ...) (gnd_rel_entr_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_kl_div(x, ...) (gnd_kl_div)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_kl_div_into(out, x, ...) (gnd_kl_div_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_huber(delta, ...) (gnd_huber)(GND_ARG(delta), GND_ARG(__VA_ARGS__))
#define gnd_huber_into(out, delta, ...) (gnd_huber_into)(out, GND_ARG(delta), GND_ARG(__VA_ARGS__))
#define gnd_pseudo_huber(delta, ...) (gnd_pseudo_huber)(GND_ARG(delta), GND_ARG(__VA_ARGS__))
#define gnd_pseudo_huber_into(out, delta, ...) (gnd_pseudo_huber_into)(out, GND_ARG(delta), GND_ARG(__VA_ARGS__))
/* exponentials and powers */
#define gnd_exp10(...) (gnd_exp10)(GND_ARG(__VA_ARGS__))
#define gnd_exp10_into(out, ...) (gnd_exp10_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_exprel(...) (gnd_exprel)(GND_ARG(__VA_ARGS__))
#define gnd_exprel_into(out, ...) (gnd_exprel_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_cosm1(...) (gnd_cosm1)(GND_ARG(__VA_ARGS__))
#define gnd_cosm1_into(out, ...) (gnd_cosm1_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_boxcox(x, ...) (gnd_boxcox)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_boxcox_into(out, x, ...) (gnd_boxcox_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_boxcox1p(x, ...) (gnd_boxcox1p)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_boxcox1p_into(out, x, ...) (gnd_boxcox1p_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_inv_boxcox(y, ...) (gnd_inv_boxcox)(GND_ARG(y), GND_ARG(__VA_ARGS__))
#define gnd_inv_boxcox_into(out, y, ...) (gnd_inv_boxcox_into)(out, GND_ARG(y), GND_ARG(__VA_ARGS__))
#define gnd_inv_boxcox1p(y, ...) (gnd_inv_boxcox1p)(GND_ARG(y), GND_ARG(__VA_ARGS__))
#define gnd_inv_boxcox1p_into(out, y, ...) (gnd_inv_boxcox1p_into)(out, GND_ARG(y), GND_ARG(__VA_ARGS__))
/* angles in degrees */
#define gnd_radian(degrees, minutes, ...) (gnd_radian)(GND_ARG(degrees), GND_ARG(minutes), GND_ARG(__VA_ARGS__))
#define gnd_radian_into(out, degrees, minutes, ...)                                                                    \
    (gnd_radian_into)(out, GND_ARG(degrees), GND_ARG(minutes), GND_ARG(__VA_ARGS__))
#define gnd_cosdg(...) (gnd_cosdg)(GND_ARG(__VA_ARGS__))
#define gnd_cosdg_into(out, ...) (gnd_cosdg_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_sindg(...) (gnd_sindg)(GND_ARG(__VA_ARGS__))
#define gnd_sindg_into(out, ...) (gnd_sindg_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_tandg(...) (gnd_tandg)(GND_ARG(__VA_ARGS__))
#define gnd_tandg_into(out, ...) (gnd_tandg_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_cotdg(...) (gnd_cotdg)(GND_ARG(__VA_ARGS__))
#define gnd_cotdg_into(out, ...) (gnd_cotdg_into)(out, GND_ARG(__VA_ARGS__))
/* The end of what is made. */

#endif
