/*
 * gnd/special.h: the special functions of scipy.special, elementwise. (gnd/elementwise.h has i0, erf, erfc, erfinv,
 * gamma, lgamma, sinc, exp2, expm1, log1p.)
 *
 * The rules are those of gnd/elementwise.h: arguments are arrays or C numbers that broadcast together, gnd_X_into
 * writes into an array, nothing waits. Real, if nothing else is said: as in SciPy they compute in float32 or float64;
 * bool, integers of 8 and 16 bits, float16 and bfloat16 give float32, other integers float64. Where a function is not
 * defined it gives NaN, and at a pole an infinity, as SciPy's; a NaN argument gives NaN. Orders, degrees and dimensions
 * that a function counts up to (yn, spherical_yn, lpmv, sph_harm_y, multigammaln) are at most 2^31 - 1; beyond it gives
 * NaN. They have no folds (gnd_reduce, gnd_accumulate, gnd_at). On a GPU the functions compute in float64, of float32
 * too, except those of the first three sections. The topic page says how accurate each is.
 */
#ifndef GND_SPECIAL_H
#define GND_SPECIAL_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>

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

/* ---- beside the gamma function ------------------------------------------------------------------ */

/** The sign of gamma(x): NaN at negative integers. */
GND_API gnd_array *gnd_gammasgn(gnd_arg x);
GND_API gnd_status gnd_gammasgn_into(gnd_array *out, gnd_arg x);
/** 1 / gamma(x): 0 at the poles of gamma. */
GND_API gnd_array *gnd_rgamma(gnd_arg x);
GND_API gnd_status gnd_rgamma_into(gnd_array *out, gnd_arg x);
/** The logarithmic derivative of gamma (scipy.special.psi): infinities at 0, NaN at negative integers. */
GND_API gnd_array *gnd_digamma(gnd_arg x);
GND_API gnd_status gnd_digamma_into(gnd_array *out, gnd_arg x);
/** The n-th derivative of gnd_digamma; NaN for an n that is not 0, 1, 2, ... */
GND_API gnd_array *gnd_polygamma(gnd_arg n, gnd_arg x);
GND_API gnd_status gnd_polygamma_into(gnd_array *out, gnd_arg n, gnd_arg x);
/**
 * Hurwitz' zeta function, the sum of (q + k)^-x over k = 0, 1, ...; with q 1 Riemann's. inf at x = 1, NaN
 * below (gnd_zetac goes on), and for q below 0 NaN unless x is an integer.
 */
GND_API gnd_array *gnd_zeta(gnd_arg x, gnd_arg q);
GND_API gnd_status gnd_zeta_into(gnd_array *out, gnd_arg x, gnd_arg q);
/** Riemann's zeta(x) - 1, for x below 1, too. */
GND_API gnd_array *gnd_zetac(gnd_arg x);
GND_API gnd_status gnd_zetac_into(gnd_array *out, gnd_arg x);
/** gamma(a) gamma(b) / gamma(a + b). */
GND_API gnd_array *gnd_beta(gnd_arg a, gnd_arg b);
GND_API gnd_status gnd_beta_into(gnd_array *out, gnd_arg a, gnd_arg b);
/** log |beta(a, b)|. */
GND_API gnd_array *gnd_betaln(gnd_arg a, gnd_arg b);
GND_API gnd_status gnd_betaln_into(gnd_array *out, gnd_arg a, gnd_arg b);
/** Pochhammer's symbol gamma(a + m) / gamma(a). */
GND_API gnd_array *gnd_poch(gnd_arg a, gnd_arg m);
GND_API gnd_status gnd_poch_into(gnd_array *out, gnd_arg a, gnd_arg m);
/** Binomial coefficients, of real numbers, too; NaN for n = -1, -2, ... */
GND_API gnd_array *gnd_binom(gnd_arg n, gnd_arg k);
GND_API gnd_status gnd_binom_into(gnd_array *out, gnd_arg n, gnd_arg k);
/**
 * The logarithm of the multivariate gamma function of dimension d; NaN where a <= (d - 1) / 2, which SciPy
 * refuses, or d is not 1, 2, 3, ...
 */
GND_API gnd_array *gnd_multigammaln(gnd_arg a, gnd_arg d);
GND_API gnd_status gnd_multigammaln_into(gnd_array *out, gnd_arg a, gnd_arg d);

/* ---- beside the error function, the normal distribution ----------------------------------------- */

/** e^(x^2) erfc(x). */
GND_API gnd_array *gnd_erfcx(gnd_arg x);
GND_API gnd_status gnd_erfcx_into(gnd_array *out, gnd_arg x);
/** The inverse of erfc on [0, 2]; NaN outside. */
GND_API gnd_array *gnd_erfcinv(gnd_arg x);
GND_API gnd_status gnd_erfcinv_into(gnd_array *out, gnd_arg x);
/** The normal distribution: the integral of e^(-t^2 / 2) / sqrt(2 pi) from -inf to x. */
GND_API gnd_array *gnd_ndtr(gnd_arg x);
GND_API gnd_status gnd_ndtr_into(gnd_array *out, gnd_arg x);
/** log(gnd_ndtr(x)), accurate in both tails. */
GND_API gnd_array *gnd_log_ndtr(gnd_arg x);
GND_API gnd_status gnd_log_ndtr_into(gnd_array *out, gnd_arg x);
/** The inverse of gnd_ndtr on [0, 1]; NaN outside. */
GND_API gnd_array *gnd_ndtri(gnd_arg x);
GND_API gnd_status gnd_ndtri_into(gnd_array *out, gnd_arg x);

/* ---- Bessel functions --------------------------------------------------------------------------- */

/** The Bessel function of the first kind, order 0. */
GND_API gnd_array *gnd_j0(gnd_arg x);
GND_API gnd_status gnd_j0_into(gnd_array *out, gnd_arg x);
/** The same of order 1. */
GND_API gnd_array *gnd_j1(gnd_arg x);
GND_API gnd_status gnd_j1_into(gnd_array *out, gnd_arg x);
/** The Bessel function of the second kind, order 0: -inf at 0, NaN below. */
GND_API gnd_array *gnd_y0(gnd_arg x);
GND_API gnd_status gnd_y0_into(gnd_array *out, gnd_arg x);
/** The same of order 1. */
GND_API gnd_array *gnd_y1(gnd_arg x);
GND_API gnd_status gnd_y1_into(gnd_array *out, gnd_arg x);
/** The same of any whole order n; of an n that is not whole the part before the point. It takes |n| steps. */
GND_API gnd_array *gnd_yn(gnd_arg n, gnd_arg x);
GND_API gnd_status gnd_yn_into(gnd_array *out, gnd_arg n, gnd_arg x);
/** The modified Bessel function of the first kind, order 0, times e^-|x|. (gnd_i0 is in gnd/elementwise.h.) */
GND_API gnd_array *gnd_i0e(gnd_arg x);
GND_API gnd_status gnd_i0e_into(gnd_array *out, gnd_arg x);
/** The modified Bessel function of the first kind, order 1. */
GND_API gnd_array *gnd_i1(gnd_arg x);
GND_API gnd_status gnd_i1_into(gnd_array *out, gnd_arg x);
/** The same times e^-|x|. */
GND_API gnd_array *gnd_i1e(gnd_arg x);
GND_API gnd_status gnd_i1e_into(gnd_array *out, gnd_arg x);
/** The modified Bessel function of the second kind, order 0: inf at 0, NaN below. */
GND_API gnd_array *gnd_k0(gnd_arg x);
GND_API gnd_status gnd_k0_into(gnd_array *out, gnd_arg x);
/** The same times e^x. */
GND_API gnd_array *gnd_k0e(gnd_arg x);
GND_API gnd_status gnd_k0e_into(gnd_array *out, gnd_arg x);
/** The modified Bessel function of the second kind, order 1. */
GND_API gnd_array *gnd_k1(gnd_arg x);
GND_API gnd_status gnd_k1_into(gnd_array *out, gnd_arg x);
/** The same times e^x. */
GND_API gnd_array *gnd_k1e(gnd_arg x);
GND_API gnd_status gnd_k1e_into(gnd_array *out, gnd_arg x);
/**
 * The spherical Bessel function of the second kind, of whole order n, or its derivative where
 * `derivative` is not 0. NaN for n below 0.
 */
GND_API gnd_array *gnd_spherical_yn(gnd_arg n, gnd_arg x, gnd_arg derivative);
GND_API gnd_status gnd_spherical_yn_into(gnd_array *out, gnd_arg n, gnd_arg x, gnd_arg derivative);

/* ---- incomplete gamma and beta functions -------------------------------------------------------- */

/** The regularised lower incomplete gamma function: the integral of t^(a - 1) e^-t from 0 to x, over gamma(a). */
GND_API gnd_array *gnd_gammainc(gnd_arg a, gnd_arg x);
GND_API gnd_status gnd_gammainc_into(gnd_array *out, gnd_arg a, gnd_arg x);
/** The upper one, 1 - gnd_gammainc(a, x), accurate where it is small. */
GND_API gnd_array *gnd_gammaincc(gnd_arg a, gnd_arg x);
GND_API gnd_status gnd_gammaincc_into(gnd_array *out, gnd_arg a, gnd_arg x);
/** The x for which gnd_gammainc(a, x) is p. */
GND_API gnd_array *gnd_gammaincinv(gnd_arg a, gnd_arg p);
GND_API gnd_status gnd_gammaincinv_into(gnd_array *out, gnd_arg a, gnd_arg p);
/** The x for which gnd_gammaincc(a, x) is q. */
GND_API gnd_array *gnd_gammainccinv(gnd_arg a, gnd_arg q);
GND_API gnd_status gnd_gammainccinv_into(gnd_array *out, gnd_arg a, gnd_arg q);
/**
 * The regularised incomplete beta function: the integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x, over
 * beta(a, b).
 */
GND_API gnd_array *gnd_betainc(gnd_arg a, gnd_arg b, gnd_arg x);
GND_API gnd_status gnd_betainc_into(gnd_array *out, gnd_arg a, gnd_arg b, gnd_arg x);
/** The x for which gnd_betainc(a, b, x) is p. */
GND_API gnd_array *gnd_betaincinv(gnd_arg a, gnd_arg b, gnd_arg p);
GND_API gnd_status gnd_betaincinv_into(gnd_array *out, gnd_arg a, gnd_arg b, gnd_arg p);

/* ---- distributions ------------------------------------------------------------------------------ */

/** The probability of floor(k) or fewer successes in n trials of probability p (binomial). */
GND_API gnd_array *gnd_bdtr(gnd_arg k, gnd_arg n, gnd_arg p);
GND_API gnd_status gnd_bdtr_into(gnd_array *out, gnd_arg k, gnd_arg n, gnd_arg p);
/** The probability of more. */
GND_API gnd_array *gnd_bdtrc(gnd_arg k, gnd_arg n, gnd_arg p);
GND_API gnd_status gnd_bdtrc_into(gnd_array *out, gnd_arg k, gnd_arg n, gnd_arg p);
/** The p for which gnd_bdtr(k, n, p) is y. */
GND_API gnd_array *gnd_bdtri(gnd_arg k, gnd_arg n, gnd_arg y);
GND_API gnd_status gnd_bdtri_into(gnd_array *out, gnd_arg k, gnd_arg n, gnd_arg y);
/** The probability of k or fewer failures before the n-th success (negative binomial). */
GND_API gnd_array *gnd_nbdtr(gnd_arg k, gnd_arg n, gnd_arg p);
GND_API gnd_status gnd_nbdtr_into(gnd_array *out, gnd_arg k, gnd_arg n, gnd_arg p);
/** The probability of more. */
GND_API gnd_array *gnd_nbdtrc(gnd_arg k, gnd_arg n, gnd_arg p);
GND_API gnd_status gnd_nbdtrc_into(gnd_array *out, gnd_arg k, gnd_arg n, gnd_arg p);
/** The p for which gnd_nbdtr(k, n, p) is y. */
GND_API gnd_array *gnd_nbdtri(gnd_arg k, gnd_arg n, gnd_arg y);
GND_API gnd_status gnd_nbdtri_into(gnd_array *out, gnd_arg k, gnd_arg n, gnd_arg y);
/** The probability of floor(k) or fewer events of mean number m (Poisson). */
GND_API gnd_array *gnd_pdtr(gnd_arg k, gnd_arg m);
GND_API gnd_status gnd_pdtr_into(gnd_array *out, gnd_arg k, gnd_arg m);
/** The probability of more. */
GND_API gnd_array *gnd_pdtrc(gnd_arg k, gnd_arg m);
GND_API gnd_status gnd_pdtrc_into(gnd_array *out, gnd_arg k, gnd_arg m);
/** The m for which gnd_pdtr(k, m) is y. */
GND_API gnd_array *gnd_pdtri(gnd_arg k, gnd_arg y);
GND_API gnd_status gnd_pdtri_into(gnd_array *out, gnd_arg k, gnd_arg y);
/** The chi-square distribution of v degrees of freedom, from 0 to x. */
GND_API gnd_array *gnd_chdtr(gnd_arg v, gnd_arg x);
GND_API gnd_status gnd_chdtr_into(gnd_array *out, gnd_arg v, gnd_arg x);
/** The same from x to infinity. */
GND_API gnd_array *gnd_chdtrc(gnd_arg v, gnd_arg x);
GND_API gnd_status gnd_chdtrc_into(gnd_array *out, gnd_arg v, gnd_arg x);
/** The x for which gnd_chdtrc(v, x) is y. */
GND_API gnd_array *gnd_chdtri(gnd_arg v, gnd_arg y);
GND_API gnd_status gnd_chdtri_into(gnd_array *out, gnd_arg v, gnd_arg y);
/** The gamma distribution of rate a and shape b, from 0 to x. */
GND_API gnd_array *gnd_gdtr(gnd_arg a, gnd_arg b, gnd_arg x);
GND_API gnd_status gnd_gdtr_into(gnd_array *out, gnd_arg a, gnd_arg b, gnd_arg x);
/** The same from x to infinity. */
GND_API gnd_array *gnd_gdtrc(gnd_arg a, gnd_arg b, gnd_arg x);
GND_API gnd_status gnd_gdtrc_into(gnd_array *out, gnd_arg a, gnd_arg b, gnd_arg x);
/** The F distribution of a and b degrees of freedom, from 0 to x. */
GND_API gnd_array *gnd_fdtr(gnd_arg a, gnd_arg b, gnd_arg x);
GND_API gnd_status gnd_fdtr_into(gnd_array *out, gnd_arg a, gnd_arg b, gnd_arg x);
/** The same from x to infinity. */
GND_API gnd_array *gnd_fdtrc(gnd_arg a, gnd_arg b, gnd_arg x);
GND_API gnd_status gnd_fdtrc_into(gnd_array *out, gnd_arg a, gnd_arg b, gnd_arg x);
/** The x for which gnd_fdtr(a, b, x) is y. */
GND_API gnd_array *gnd_fdtri(gnd_arg a, gnd_arg b, gnd_arg y);
GND_API gnd_status gnd_fdtri_into(gnd_array *out, gnd_arg a, gnd_arg b, gnd_arg y);

/* ---- elliptic integrals ------------------------------------------------------------------------- */

/** The complete elliptic integral of the first kind, of the parameter m = k^2: inf at 1, NaN above. */
GND_API gnd_array *gnd_ellipk(gnd_arg x);
GND_API gnd_status gnd_ellipk_into(gnd_array *out, gnd_arg x);
/** The same of m = 1 - x, accurate near m = 1. */
GND_API gnd_array *gnd_ellipkm1(gnd_arg x);
GND_API gnd_status gnd_ellipkm1_into(gnd_array *out, gnd_arg x);
/** The incomplete elliptic integral of the first kind, from 0 to phi; NaN for m above 1. */
GND_API gnd_array *gnd_ellipkinc(gnd_arg phi, gnd_arg m);
GND_API gnd_status gnd_ellipkinc_into(gnd_array *out, gnd_arg phi, gnd_arg m);
/** The incomplete elliptic integral of the second kind, likewise. */
GND_API gnd_array *gnd_ellipeinc(gnd_arg phi, gnd_arg m);
GND_API gnd_status gnd_ellipeinc_into(gnd_array *out, gnd_arg phi, gnd_arg m);

/* ---- exponential, sine and cosine integrals ----------------------------------------------------- */

/** The exponential integral E1, of e^-t / t from x to infinity: inf at 0, NaN below. */
GND_API gnd_array *gnd_exp1(gnd_arg x);
GND_API gnd_status gnd_exp1_into(gnd_array *out, gnd_arg x);
/** The exponential integral Ei, of e^t / t from -infinity to x: -inf at 0. */
GND_API gnd_array *gnd_expi(gnd_arg x);
GND_API gnd_status gnd_expi_into(gnd_array *out, gnd_arg x);
/** The exponential integral E_n, of e^(-x t) / t^n from 1 to infinity, n being whole; NaN below 0. */
GND_API gnd_array *gnd_expn(gnd_arg n, gnd_arg x);
GND_API gnd_status gnd_expn_into(gnd_array *out, gnd_arg n, gnd_arg x);
/** The sine integral and the cosine integral, that of |x|; ci is -inf at 0 and NaN at -inf. */
GND_API gnd_status gnd_sici(gnd_array **si, gnd_array **ci, gnd_arg x);
GND_API gnd_status gnd_sici_into(gnd_array *si, gnd_array *ci, gnd_arg x);
/** The hyperbolic sine and cosine integrals, the second of |x|; chi is -inf at 0. */
GND_API gnd_status gnd_shichi(gnd_array **shi, gnd_array **chi, gnd_arg x);
GND_API gnd_status gnd_shichi_into(gnd_array *shi, gnd_array *chi, gnd_arg x);

/* ---- Legendre, Wright, Lambert ------------------------------------------------------------------ */

/**
 * The associated Legendre function of whole order m and real degree v on [-1, 1], with the factor (-1)^m.
 * NaN outside, and for an m that is not whole.
 */
GND_API gnd_array *gnd_lpmv(gnd_arg m, gnd_arg v, gnd_arg x);
GND_API gnd_status gnd_lpmv_into(gnd_array *out, gnd_arg m, gnd_arg v, gnd_arg x);
/** Wright's generalised Bessel function, the sum of x^k / (k! gamma(a k + b)), for a, b and x of at least 0. */
GND_API gnd_array *gnd_wright_bessel(gnd_arg a, gnd_arg b, gnd_arg x);
GND_API gnd_status gnd_wright_bessel_into(gnd_array *out, gnd_arg a, gnd_arg b, gnd_arg x);
/**
 * Branch k of Lambert's W, the solution of w e^w = z; k are integers. All dtypes compute in complex128, as in
 * SciPy. To full accuracy: SciPy's tol is not taken.
 */
GND_API gnd_array *gnd_lambertw(gnd_arg z, gnd_arg k);
GND_API gnd_status gnd_lambertw_into(gnd_array *out, gnd_arg z, gnd_arg k);

/* The end of what is made. */

/* ---- several results, complex results ----------------------------------------------------------- */

/**
 * Jacobi's elliptic functions sn, cn and dn of u and the parameter m = k^2, 0 <= m <= 1 (else NaN), and the amplitude
 * ph (scipy.special.ellipj). A result whose pointer is NULL is not computed. Two launches; one for sn and cn, or dn and
 * ph, alone.
 */
GND_API gnd_status gnd_ellipj(gnd_array **sn, gnd_array **cn, gnd_array **dn, gnd_array **ph, gnd_arg u, gnd_arg m);
/**
 * Spherical harmonics of degree n and order m at the polar angle theta, 0 to pi, and the azimuth phi: complex numbers,
 * 0 where |m| is above n, NaN where n is negative (scipy.special.sph_harm_y, of whole degrees and orders, without its
 * derivatives). It takes n steps. Five launches; one inside GND_FUSE.
 */
GND_API gnd_array *gnd_sph_harm_y(gnd_arg n, gnd_arg m, gnd_arg theta, gnd_arg phi);
/** The same in the older order: order m, degree n, azimuth theta, polar angle phi (cupyx.scipy.special.sph_harm). */
GND_API gnd_array *gnd_sph_harm(gnd_arg m, gnd_arg n, gnd_arg theta, gnd_arg phi);

/* ---- over axes ---------------------------------------------------------------------------------- */

/**
 * exp(x) over its sum along the axes (gnd/shape.h; GND_ALL: all elements), without overflow (scipy.special.softmax). In
 * x's floating dtype; integers and bool as gnd_exp. Complex numbers are GND_ERROR_DTYPE, options of gnd_axes
 * GND_ERROR_INVALID, no elements along an axis GND_ERROR_VALUE. Computed inside a block of fusion: one launch on a GPU,
 * where rows suit it.
 */
GND_API gnd_array *gnd_softmax(const gnd_array *x, gnd_axes axes);
/** Its logarithm, accurate where that is large (scipy.special.log_softmax). */
GND_API gnd_array *gnd_log_softmax(const gnd_array *x, gnd_axes axes);
/**
 * log of the sum of b exp(a) along the axes, without overflow (scipy.special.logsumexp). `b` broadcasts with a; NULL
 * is 1. -inf where there is nothing to sum, NaN where the sum is negative. Takes `keepdims`. Integers compute in
 * float64.
 */
GND_API gnd_array *gnd_logsumexp(const gnd_array *a, const gnd_array *b, gnd_axes axes);
/** The same of the sum's size, and its sign: -1, 0 or 1 (return_sign in SciPy). */
GND_API gnd_status gnd_logsumexp_sign(gnd_array **value, gnd_array **sign, const gnd_array *a, const gnd_array *b,
                                      gnd_axes axes);

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
/* beside the gamma function */
#define gnd_gammasgn(...) (gnd_gammasgn)(GND_ARG(__VA_ARGS__))
#define gnd_gammasgn_into(out, ...) (gnd_gammasgn_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_rgamma(...) (gnd_rgamma)(GND_ARG(__VA_ARGS__))
#define gnd_rgamma_into(out, ...) (gnd_rgamma_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_digamma(...) (gnd_digamma)(GND_ARG(__VA_ARGS__))
#define gnd_digamma_into(out, ...) (gnd_digamma_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_polygamma(n, ...) (gnd_polygamma)(GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_polygamma_into(out, n, ...) (gnd_polygamma_into)(out, GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_zeta(x, ...) (gnd_zeta)(GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_zeta_into(out, x, ...) (gnd_zeta_into)(out, GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_zetac(...) (gnd_zetac)(GND_ARG(__VA_ARGS__))
#define gnd_zetac_into(out, ...) (gnd_zetac_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_beta(a, ...) (gnd_beta)(GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_beta_into(out, a, ...) (gnd_beta_into)(out, GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_betaln(a, ...) (gnd_betaln)(GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_betaln_into(out, a, ...) (gnd_betaln_into)(out, GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_poch(a, ...) (gnd_poch)(GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_poch_into(out, a, ...) (gnd_poch_into)(out, GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_binom(n, ...) (gnd_binom)(GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_binom_into(out, n, ...) (gnd_binom_into)(out, GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_multigammaln(a, ...) (gnd_multigammaln)(GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_multigammaln_into(out, a, ...) (gnd_multigammaln_into)(out, GND_ARG(a), GND_ARG(__VA_ARGS__))
/* beside the error function, the normal distribution */
#define gnd_erfcx(...) (gnd_erfcx)(GND_ARG(__VA_ARGS__))
#define gnd_erfcx_into(out, ...) (gnd_erfcx_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_erfcinv(...) (gnd_erfcinv)(GND_ARG(__VA_ARGS__))
#define gnd_erfcinv_into(out, ...) (gnd_erfcinv_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_ndtr(...) (gnd_ndtr)(GND_ARG(__VA_ARGS__))
#define gnd_ndtr_into(out, ...) (gnd_ndtr_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_log_ndtr(...) (gnd_log_ndtr)(GND_ARG(__VA_ARGS__))
#define gnd_log_ndtr_into(out, ...) (gnd_log_ndtr_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_ndtri(...) (gnd_ndtri)(GND_ARG(__VA_ARGS__))
#define gnd_ndtri_into(out, ...) (gnd_ndtri_into)(out, GND_ARG(__VA_ARGS__))
/* Bessel functions */
#define gnd_j0(...) (gnd_j0)(GND_ARG(__VA_ARGS__))
#define gnd_j0_into(out, ...) (gnd_j0_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_j1(...) (gnd_j1)(GND_ARG(__VA_ARGS__))
#define gnd_j1_into(out, ...) (gnd_j1_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_y0(...) (gnd_y0)(GND_ARG(__VA_ARGS__))
#define gnd_y0_into(out, ...) (gnd_y0_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_y1(...) (gnd_y1)(GND_ARG(__VA_ARGS__))
#define gnd_y1_into(out, ...) (gnd_y1_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_yn(n, ...) (gnd_yn)(GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_yn_into(out, n, ...) (gnd_yn_into)(out, GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_i0e(...) (gnd_i0e)(GND_ARG(__VA_ARGS__))
#define gnd_i0e_into(out, ...) (gnd_i0e_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_i1(...) (gnd_i1)(GND_ARG(__VA_ARGS__))
#define gnd_i1_into(out, ...) (gnd_i1_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_i1e(...) (gnd_i1e)(GND_ARG(__VA_ARGS__))
#define gnd_i1e_into(out, ...) (gnd_i1e_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_k0(...) (gnd_k0)(GND_ARG(__VA_ARGS__))
#define gnd_k0_into(out, ...) (gnd_k0_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_k0e(...) (gnd_k0e)(GND_ARG(__VA_ARGS__))
#define gnd_k0e_into(out, ...) (gnd_k0e_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_k1(...) (gnd_k1)(GND_ARG(__VA_ARGS__))
#define gnd_k1_into(out, ...) (gnd_k1_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_k1e(...) (gnd_k1e)(GND_ARG(__VA_ARGS__))
#define gnd_k1e_into(out, ...) (gnd_k1e_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_spherical_yn(n, x, ...) (gnd_spherical_yn)(GND_ARG(n), GND_ARG(x), GND_ARG(__VA_ARGS__))
#define gnd_spherical_yn_into(out, n, x, ...) (gnd_spherical_yn_into)(out, GND_ARG(n), GND_ARG(x), GND_ARG(__VA_ARGS__))
/* incomplete gamma and beta functions */
#define gnd_gammainc(a, ...) (gnd_gammainc)(GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_gammainc_into(out, a, ...) (gnd_gammainc_into)(out, GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_gammaincc(a, ...) (gnd_gammaincc)(GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_gammaincc_into(out, a, ...) (gnd_gammaincc_into)(out, GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_gammaincinv(a, ...) (gnd_gammaincinv)(GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_gammaincinv_into(out, a, ...) (gnd_gammaincinv_into)(out, GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_gammainccinv(a, ...) (gnd_gammainccinv)(GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_gammainccinv_into(out, a, ...) (gnd_gammainccinv_into)(out, GND_ARG(a), GND_ARG(__VA_ARGS__))
#define gnd_betainc(a, b, ...) (gnd_betainc)(GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_betainc_into(out, a, b, ...) (gnd_betainc_into)(out, GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_betaincinv(a, b, ...) (gnd_betaincinv)(GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_betaincinv_into(out, a, b, ...) (gnd_betaincinv_into)(out, GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
/* distributions */
#define gnd_bdtr(k, n, ...) (gnd_bdtr)(GND_ARG(k), GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_bdtr_into(out, k, n, ...) (gnd_bdtr_into)(out, GND_ARG(k), GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_bdtrc(k, n, ...) (gnd_bdtrc)(GND_ARG(k), GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_bdtrc_into(out, k, n, ...) (gnd_bdtrc_into)(out, GND_ARG(k), GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_bdtri(k, n, ...) (gnd_bdtri)(GND_ARG(k), GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_bdtri_into(out, k, n, ...) (gnd_bdtri_into)(out, GND_ARG(k), GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_nbdtr(k, n, ...) (gnd_nbdtr)(GND_ARG(k), GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_nbdtr_into(out, k, n, ...) (gnd_nbdtr_into)(out, GND_ARG(k), GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_nbdtrc(k, n, ...) (gnd_nbdtrc)(GND_ARG(k), GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_nbdtrc_into(out, k, n, ...) (gnd_nbdtrc_into)(out, GND_ARG(k), GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_nbdtri(k, n, ...) (gnd_nbdtri)(GND_ARG(k), GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_nbdtri_into(out, k, n, ...) (gnd_nbdtri_into)(out, GND_ARG(k), GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_pdtr(k, ...) (gnd_pdtr)(GND_ARG(k), GND_ARG(__VA_ARGS__))
#define gnd_pdtr_into(out, k, ...) (gnd_pdtr_into)(out, GND_ARG(k), GND_ARG(__VA_ARGS__))
#define gnd_pdtrc(k, ...) (gnd_pdtrc)(GND_ARG(k), GND_ARG(__VA_ARGS__))
#define gnd_pdtrc_into(out, k, ...) (gnd_pdtrc_into)(out, GND_ARG(k), GND_ARG(__VA_ARGS__))
#define gnd_pdtri(k, ...) (gnd_pdtri)(GND_ARG(k), GND_ARG(__VA_ARGS__))
#define gnd_pdtri_into(out, k, ...) (gnd_pdtri_into)(out, GND_ARG(k), GND_ARG(__VA_ARGS__))
#define gnd_chdtr(v, ...) (gnd_chdtr)(GND_ARG(v), GND_ARG(__VA_ARGS__))
#define gnd_chdtr_into(out, v, ...) (gnd_chdtr_into)(out, GND_ARG(v), GND_ARG(__VA_ARGS__))
#define gnd_chdtrc(v, ...) (gnd_chdtrc)(GND_ARG(v), GND_ARG(__VA_ARGS__))
#define gnd_chdtrc_into(out, v, ...) (gnd_chdtrc_into)(out, GND_ARG(v), GND_ARG(__VA_ARGS__))
#define gnd_chdtri(v, ...) (gnd_chdtri)(GND_ARG(v), GND_ARG(__VA_ARGS__))
#define gnd_chdtri_into(out, v, ...) (gnd_chdtri_into)(out, GND_ARG(v), GND_ARG(__VA_ARGS__))
#define gnd_gdtr(a, b, ...) (gnd_gdtr)(GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_gdtr_into(out, a, b, ...) (gnd_gdtr_into)(out, GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_gdtrc(a, b, ...) (gnd_gdtrc)(GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_gdtrc_into(out, a, b, ...) (gnd_gdtrc_into)(out, GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_fdtr(a, b, ...) (gnd_fdtr)(GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_fdtr_into(out, a, b, ...) (gnd_fdtr_into)(out, GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_fdtrc(a, b, ...) (gnd_fdtrc)(GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_fdtrc_into(out, a, b, ...) (gnd_fdtrc_into)(out, GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_fdtri(a, b, ...) (gnd_fdtri)(GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_fdtri_into(out, a, b, ...) (gnd_fdtri_into)(out, GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
/* elliptic integrals */
#define gnd_ellipk(...) (gnd_ellipk)(GND_ARG(__VA_ARGS__))
#define gnd_ellipk_into(out, ...) (gnd_ellipk_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_ellipkm1(...) (gnd_ellipkm1)(GND_ARG(__VA_ARGS__))
#define gnd_ellipkm1_into(out, ...) (gnd_ellipkm1_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_ellipkinc(phi, ...) (gnd_ellipkinc)(GND_ARG(phi), GND_ARG(__VA_ARGS__))
#define gnd_ellipkinc_into(out, phi, ...) (gnd_ellipkinc_into)(out, GND_ARG(phi), GND_ARG(__VA_ARGS__))
#define gnd_ellipeinc(phi, ...) (gnd_ellipeinc)(GND_ARG(phi), GND_ARG(__VA_ARGS__))
#define gnd_ellipeinc_into(out, phi, ...) (gnd_ellipeinc_into)(out, GND_ARG(phi), GND_ARG(__VA_ARGS__))
/* exponential, sine and cosine integrals */
#define gnd_exp1(...) (gnd_exp1)(GND_ARG(__VA_ARGS__))
#define gnd_exp1_into(out, ...) (gnd_exp1_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_expi(...) (gnd_expi)(GND_ARG(__VA_ARGS__))
#define gnd_expi_into(out, ...) (gnd_expi_into)(out, GND_ARG(__VA_ARGS__))
#define gnd_expn(n, ...) (gnd_expn)(GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_expn_into(out, n, ...) (gnd_expn_into)(out, GND_ARG(n), GND_ARG(__VA_ARGS__))
#define gnd_sici(first, second, ...) (gnd_sici)(first, second, GND_ARG(__VA_ARGS__))
#define gnd_sici_into(first, second, ...) (gnd_sici_into)(first, second, GND_ARG(__VA_ARGS__))
#define gnd_shichi(first, second, ...) (gnd_shichi)(first, second, GND_ARG(__VA_ARGS__))
#define gnd_shichi_into(first, second, ...) (gnd_shichi_into)(first, second, GND_ARG(__VA_ARGS__))
/* Legendre, Wright, Lambert */
#define gnd_lpmv(m, v, ...) (gnd_lpmv)(GND_ARG(m), GND_ARG(v), GND_ARG(__VA_ARGS__))
#define gnd_lpmv_into(out, m, v, ...) (gnd_lpmv_into)(out, GND_ARG(m), GND_ARG(v), GND_ARG(__VA_ARGS__))
#define gnd_wright_bessel(a, b, ...) (gnd_wright_bessel)(GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_wright_bessel_into(out, a, b, ...)                                                                         \
    (gnd_wright_bessel_into)(out, GND_ARG(a), GND_ARG(b), GND_ARG(__VA_ARGS__))
#define gnd_lambertw(z, ...) (gnd_lambertw)(GND_ARG(z), GND_ARG(__VA_ARGS__))
#define gnd_lambertw_into(out, z, ...) (gnd_lambertw_into)(out, GND_ARG(z), GND_ARG(__VA_ARGS__))
/* The end of what is made. */

#define gnd_ellipj(sn, cn, dn, ph, u, ...) (gnd_ellipj)(sn, cn, dn, ph, GND_ARG(u), GND_ARG(__VA_ARGS__))
#define gnd_sph_harm_y(n, m, theta, ...) (gnd_sph_harm_y)(GND_ARG(n), GND_ARG(m), GND_ARG(theta), GND_ARG(__VA_ARGS__))
#define gnd_sph_harm(m, n, theta, ...) (gnd_sph_harm)(GND_ARG(m), GND_ARG(n), GND_ARG(theta), GND_ARG(__VA_ARGS__))

/* Other names of the same functions. */
#define gnd_btdtr gnd_betainc
#define gnd_btdtr_into gnd_betainc_into
#define gnd_btdtri gnd_betaincinv
#define gnd_btdtri_into gnd_betaincinv_into
#define gnd_psi gnd_digamma
#define gnd_psi_into gnd_digamma_into

#endif
