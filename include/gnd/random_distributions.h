/*
 * gnd/random_distributions.h: random numbers of the distributions of numpy.random.Generator, beyond
 * the uniform, normal and exponential ones of gnd/random.h.
 *
 *     gnd_array *x = gnd_random_gamma(g, 2.5, 3, GND_SHAPE(1000, 1000), GND_FLOAT32);
 *     gnd_array *k = gnd_random_binomial(g, 100, p, GND_PARAMETERS_SHAPE);    // of p's shape
 *
 * The rules of gnd/random.h hold: parameters are numbers or arrays and broadcast to `shape`
 * (GND_PARAMETERS_SHAPE: what they broadcast to), real ones are taken in the result's dtype, whole
 * ones as int64. Continuous distributions give float64 (GND_DTYPE_NONE) or float32, discrete ones int64.
 * A parameter outside the range that is named here is GND_ERROR_VALUE, or, in an array, reported
 * at the next wait. NaN is refused where it says "no NaN", as in NumPy, else it gives NaN. Where it
 * says "not negative", -0.0 is refused, too, and 0 gives the one value that is left.
 *
 * Results are inside the stated interval, after rounding too. Parameters of 0, of 1, huge and tiny ones
 * are computed with formulas that hold there. Counts above 2^53 are multiples of a power of
 * two, and where int64 ends they are 2^63 - 1. Each comment names the algorithm; all of them are gnd's own
 * code. Nothing here waits, except gnd_random_multivariate_normal with `check`.
 */
#ifndef GND_RANDOM_DISTRIBUTIONS_H
#define GND_RANDOM_DISTRIBUTIONS_H

#include <gnd/random.h>

GND_BEGIN

/* ---- location and scale --------------------------------------------------------------------- */

/**
 * Laplace's distribution, exp(-|x - loc| / scale) / (2 scale), scale not negative. By inversion, as are
 * the others of this section and the next: one uniform number an element, with which the result rises.
 */
GND_API gnd_array *gnd_random_laplace(gnd_random *g, gnd_arg loc, gnd_arg scale, gnd_shape shape, gnd_dtype dtype);

/** The logistic distribution, 1 / (1 + exp(-(x - loc) / scale)) being the chance of at most x; scale not
    negative. */
GND_API gnd_array *gnd_random_logistic(gnd_random *g, gnd_arg loc, gnd_arg scale, gnd_shape shape, gnd_dtype dtype);

/** Gumbel's distribution of the largest of many, exp(-exp(-(x - loc) / scale)) being the chance of at most x;
    scale not negative. */
GND_API gnd_array *gnd_random_gumbel(gnd_random *g, gnd_arg loc, gnd_arg scale, gnd_shape shape, gnd_dtype dtype);

/** exp of a normal number with this mean and standard deviation sigma, not negative. In [0, infinity]: it
    may over- and underflow. */
GND_API gnd_array *gnd_random_lognormal(gnd_random *g, gnd_arg mean, gnd_arg sigma, gnd_shape shape, gnd_dtype dtype);

/* ---- by formula ------------------------------------------------------------------------------ */

/** The Pareto distribution of the second kind (Lomax), a / (1 + x)^(a + 1) over [0, infinity]; a above 0.
    Add 1 and multiply by m for the classical one from m on. */
GND_API gnd_array *gnd_random_pareto(gnd_random *g, gnd_arg a, gnd_shape shape, gnd_dtype dtype);

/** The power distribution, a x^(a - 1) over [0, 1]; a above 0. */
GND_API gnd_array *gnd_random_power(gnd_random *g, gnd_arg a, gnd_shape shape, gnd_dtype dtype);

/** Rayleigh's distribution, x / scale^2 exp(-x^2 / (2 scale^2)) over [0, infinity); scale not negative. */
GND_API gnd_array *gnd_random_rayleigh(gnd_random *g, gnd_arg scale, gnd_shape shape, gnd_dtype dtype);

/** Weibull's distribution of scale 1, a x^(a - 1) exp(-x^a) over [0, infinity]; a not negative, and 0 gives
    0. */
GND_API gnd_array *gnd_random_weibull(gnd_random *g, gnd_arg a, gnd_shape shape, gnd_dtype dtype);

/** Cauchy's distribution, 1 / (pi (1 + x^2)). Always finite. */
GND_API gnd_array *gnd_random_standard_cauchy(gnd_random *g, gnd_shape shape, gnd_dtype dtype);

/** The triangle over [left, right] with its top at `mode`: left <= mode <= right and left < right. */
GND_API gnd_array *gnd_random_triangular(gnd_random *g, gnd_arg left, gnd_arg mode, gnd_arg right, gnd_shape shape,
                                         gnd_dtype dtype);

/* ---- gamma and its relatives ----------------------------------------------------------------- */

/**
 * The gamma distribution of scale 1, x^(k - 1) exp(-x) / gamma(k) over [0, infinity); k not negative, and
 * 0 gives 0. Source: G. Marsaglia and W. W. Tsang, A simple method for generating gamma variables,
 * ACM TOMS 26 (2000); below k = 1 their variable of k + 1 times U^(1 / k).
 */
GND_API gnd_array *gnd_random_standard_gamma(gnd_random *g, gnd_arg k, gnd_shape shape, gnd_dtype dtype);

/** `scale` times gnd_random_standard_gamma; neither k nor scale negative. */
GND_API gnd_array *gnd_random_gamma(gnd_random *g, gnd_arg k, gnd_arg scale, gnd_shape shape, gnd_dtype dtype);

/** The sum of df squares of normal numbers, over [0, infinity): twice a gamma number of df / 2; df above 0. */
GND_API gnd_array *gnd_random_chisquare(gnd_random *g, gnd_arg df, gnd_shape shape, gnd_dtype dtype);

/**
 * The same of normal numbers whose means' squares add up to nonc; df above 0, nonc not negative. With
 * df > 1 one of the squares has the whole shift, else it is a chi-square number with df + 2 k degrees of
 * freedom, k a Poisson number with mean nonc / 2.
 */
GND_API gnd_array *gnd_random_noncentral_chisquare(gnd_random *g, gnd_arg df, gnd_arg nonc, gnd_shape shape,
                                                   gnd_dtype dtype);

/** The beta distribution, x^(a - 1) (1 - x)^(b - 1) / B(a, b) over [0, 1]; a and b above 0. It is x / (x + y)
    of two gamma numbers, whose logarithms are kept where they would underflow. */
GND_API gnd_array *gnd_random_beta(gnd_random *g, gnd_arg a, gnd_arg b, gnd_shape shape, gnd_dtype dtype);

/** Fisher's distribution over [0, infinity]: the quotient of two chi-square numbers, each divided by its
    degrees of freedom; both above 0. */
GND_API gnd_array *gnd_random_f(gnd_random *g, gnd_arg dfnum, gnd_arg dfden, gnd_shape shape, gnd_dtype dtype);

/** The same with the upper one noncentral (gnd_random_noncentral_chisquare). */
GND_API gnd_array *gnd_random_noncentral_f(gnd_random *g, gnd_arg dfnum, gnd_arg dfden, gnd_arg nonc, gnd_shape shape,
                                           gnd_dtype dtype);

/** Student's distribution with df degrees of freedom, above 0: a normal number over the root of a chi-square
    one divided by df; a normal number if df is infinite. */
GND_API gnd_array *gnd_random_standard_t(gnd_random *g, gnd_arg df, gnd_shape shape, gnd_dtype dtype);

/**
 * The inverse Gaussian distribution, sqrt(scale / (2 pi x^3)) exp(-scale (x - mean)^2 / (2 mean^2 x)),
 * over [0, infinity); mean and scale above 0. Source: J. R. Michael, W. R. Schucany, R. W. Haas, Generating
 * random variates using transformations with multiple roots, The American Statistician 30 (1976).
 */
GND_API gnd_array *gnd_random_wald(gnd_random *g, gnd_arg mean, gnd_arg scale, gnd_shape shape, gnd_dtype dtype);

/**
 * Von Mises' distribution of angles in [-pi, pi], exp(kappa cos(x - mu)) / (2 pi I0(kappa)); kappa not
 * negative. Source: D. J. Best and N. I. Fisher, Efficient simulation of the von Mises distribution,
 * Applied Statistics 28 (1979), with half the angle's tangent in the place of its cosine, which is accurate
 * for every kappa.
 */
GND_API gnd_array *gnd_random_vonmises(gnd_random *g, gnd_arg mu, gnd_arg kappa, gnd_shape shape, gnd_dtype dtype);

/* ---- counts ---------------------------------------------------------------------------------- */

/**
 * How many events there are where lam are expected: lam^k exp(-lam) / k!, k from 0 on; lam in
 * [0, 9.223372006484771e18], no NaN. Below 30 by inversion, else W. Hoermann, The transformed rejection
 * method for generating Poisson random variables, Insurance: Mathematics and Economics 12 (1993).
 */
GND_API gnd_array *gnd_random_poisson(gnd_random *g, gnd_arg lam, gnd_shape shape);

/**
 * How many of n trials succeed, in [0, n]; n a whole number, not negative, p in [0, 1], no NaN. Below 30
 * expected by inversion; up to a standard deviation of 24 by inversion from the mode outwards (C. D. Kemp, A
 * modal method for generating binomial variables, Communications in Statistics - Theory and Methods 15,
 * 1986); else W. Hoermann, The generation of binomial random variates, Journal of Statistical Computation
 * and Simulation 46 (1993).
 */
GND_API gnd_array *gnd_random_binomial(gnd_random *g, gnd_arg n, gnd_arg p, gnd_shape shape);

/**
 * How many failures there are before the n-th success, from 0 on; n above 0 (it need not be whole), p in
 * (0, 1], no NaN, and (1 - p) / p (n + 10 sqrt n) at most what gnd_random_poisson takes: it is a Poisson
 * number whose mean is a gamma number of n times (1 - p) / p.
 */
GND_API gnd_array *gnd_random_negative_binomial(gnd_random *g, gnd_arg n, gnd_arg p, gnd_shape shape);

/** Which trial is the first to succeed, from 1 on; p in (0, 1], no NaN. By inversion. */
GND_API gnd_array *gnd_random_geometric(gnd_random *g, gnd_arg p, gnd_shape shape);

/**
 * How many of nsample drawn without replacement are good, out of ngood good ones and nbad others, in
 * [max(0, nsample - nbad), min(ngood, nsample)]. All are whole, ngood and nbad in [0, 10^9), nsample in
 * [0, ngood + nbad]. Up to 10 one by one, else E. Stadlober, The ratio of uniforms approach for
 * generating discrete random variates, Journal of Computational and Applied Mathematics 31 (1990).
 */
GND_API gnd_array *gnd_random_hypergeometric(gnd_random *g, gnd_arg ngood, gnd_arg nbad, gnd_arg nsample,
                                             gnd_shape shape);

/**
 * The logarithmic series, -p^k / (k log(1 - p)), k from 1 on; p in [0, 1), no NaN. Source: A. W. Kemp,
 * Efficient generation of logarithmically distributed pseudo-random variables, Applied Statistics 30
 * (1981).
 */
GND_API gnd_array *gnd_random_logseries(gnd_random *g, gnd_arg p, gnd_shape shape);

/**
 * Zipf's distribution, k^-a / zeta(a), k from 1 on; a above 1, no NaN. What int64 does not hold is drawn
 * again. Source: L. Devroye, Non-uniform random variate generation (1986), X.6.1.
 */
GND_API gnd_array *gnd_random_zipf(gnd_random *g, gnd_arg a, gnd_shape shape);

/* ---- rows ----------------------------------------------------------------------------------- */

/**
 * How often each of k outcomes comes up in n trials: rows of int64 that add up to n, of shape
 * (shape..., k). n is a whole number or an array of them, not negative; `pvals` has the outcomes'
 * probabilities along its last axis, in [0, 1], no NaN, of which all but the last must not add up to
 * more than 1 + 1e-12; the last outcome takes what is left, whatever its probability says. n and the other
 * axes of pvals broadcast to `shape` (GND_PARAMETERS_SHAPE: what they broadcast to). Each row is a chain
 * of k - 1 binomial numbers, computed by one thread.
 */
GND_API gnd_array *gnd_random_multinomial(gnd_random *g, gnd_arg n, const gnd_array *pvals, gnd_shape shape);

/**
 * How many of each of k colors are among nsample drawn without replacement: rows of int64 that add up to
 * nsample, of shape (shape..., k). `colors` says along its last axis how many there are, whole
 * numbers, not negative, whose sum is below 10^9 and at least nsample. nsample (a whole number or an
 * array of them, not negative) and the other axes of colors broadcast to `shape`. Each row is a chain of
 * k - 1 hypergeometric numbers, computed by one thread (NumPy's method "marginals"). Without colors (k = 0)
 * nsample must be 0 if it is a number; an array of them is not looked at.
 */
GND_API gnd_array *gnd_random_multivariate_hypergeometric(gnd_random *g, const gnd_array *colors, gnd_arg nsample,
                                                          gnd_shape shape);

/**
 * Dirichlet's distribution: rows of k numbers in [0, 1] that add up to 1, with density proportional to
 * the product of x[j]^(alpha[j] - 1), of shape (shape..., k). `alpha` lies along its last axis, none
 * negative; its other axes broadcast to `shape`. They are gamma numbers over their sum, as logarithms, so
 * that tiny alphas have a sum, too. Where alpha is 0, so is x; a row of no other has no sum.
 */
GND_API gnd_array *gnd_random_dirichlet(gnd_random *g, const gnd_array *alpha, gnd_shape shape, gnd_dtype dtype);

/** How gnd_random_multivariate_normal factors the covariance. */
typedef enum gnd_covariance_method {
    GND_BY_SVD = 0,  /**< gnd_svd: of any matrix, the slowest */
    GND_BY_EIGH,     /**< gnd_eigh: it reads the lower triangle */
    GND_BY_CHOLESKY, /**< gnd_cholesky: the fastest; the matrix must be positive definite */
} gnd_covariance_method;

/** Options of gnd_random_multivariate_normal; NULL or all zero: the defaults. */
typedef struct gnd_multivariate_normal_options {
    gnd_covariance_method method;
    bool check;       /**< wait, and see whether cov is a covariance; NumPy warns if it is not */
    double tolerance; /**< of that; 0: 1e-8 */
} gnd_multivariate_normal_options;

/**
 * Normal rows with this mean (k numbers) and covariance (k, k), real: of shape (shape..., k),
 * GND_PARAMETERS_SHAPE: (k). The covariance is factored in float64; the rows are independent normal
 * numbers times a root of it, one product of matrices in the result's dtype, plus the mean. A matrix
 * that is no covariance (not symmetric, negative eigenvalues) is an error only with `check`
 * (GND_ERROR_VALUE); gnd_cholesky reports one that is not positive definite at the next wait.
 * GND_ERROR_SHAPE where mean and cov do not fit. With `check` it waits.
 */
GND_API gnd_array *gnd_random_multivariate_normal(gnd_random *g, const gnd_array *mean, const gnd_array *cov,
                                                  gnd_shape shape, const gnd_multivariate_normal_options *options,
                                                  gnd_dtype dtype);

GND_END

#define gnd_random_laplace(g, loc, scale, ...) (gnd_random_laplace)(g, GND_ARG(loc), GND_ARG(scale), __VA_ARGS__)
#define gnd_random_logistic(g, loc, scale, ...) (gnd_random_logistic)(g, GND_ARG(loc), GND_ARG(scale), __VA_ARGS__)
#define gnd_random_gumbel(g, loc, scale, ...) (gnd_random_gumbel)(g, GND_ARG(loc), GND_ARG(scale), __VA_ARGS__)
#define gnd_random_lognormal(g, mean, sigma, ...) (gnd_random_lognormal)(g, GND_ARG(mean), GND_ARG(sigma), __VA_ARGS__)
#define gnd_random_pareto(g, a, ...) (gnd_random_pareto)(g, GND_ARG(a), __VA_ARGS__)
#define gnd_random_power(g, a, ...) (gnd_random_power)(g, GND_ARG(a), __VA_ARGS__)
#define gnd_random_rayleigh(g, scale, ...) (gnd_random_rayleigh)(g, GND_ARG(scale), __VA_ARGS__)
#define gnd_random_weibull(g, a, ...) (gnd_random_weibull)(g, GND_ARG(a), __VA_ARGS__)
#define gnd_random_triangular(g, left, mode, right, ...)                                                               \
    (gnd_random_triangular)(g, GND_ARG(left), GND_ARG(mode), GND_ARG(right), __VA_ARGS__)
#define gnd_random_standard_gamma(g, k, ...) (gnd_random_standard_gamma)(g, GND_ARG(k), __VA_ARGS__)
#define gnd_random_gamma(g, k, scale, ...) (gnd_random_gamma)(g, GND_ARG(k), GND_ARG(scale), __VA_ARGS__)
#define gnd_random_chisquare(g, df, ...) (gnd_random_chisquare)(g, GND_ARG(df), __VA_ARGS__)
#define gnd_random_noncentral_chisquare(g, df, nonc, ...)                                                              \
    (gnd_random_noncentral_chisquare)(g, GND_ARG(df), GND_ARG(nonc), __VA_ARGS__)
#define gnd_random_beta(g, a, b, ...) (gnd_random_beta)(g, GND_ARG(a), GND_ARG(b), __VA_ARGS__)
#define gnd_random_f(g, dfnum, dfden, ...) (gnd_random_f)(g, GND_ARG(dfnum), GND_ARG(dfden), __VA_ARGS__)
#define gnd_random_noncentral_f(g, dfnum, dfden, nonc, ...)                                                            \
    (gnd_random_noncentral_f)(g, GND_ARG(dfnum), GND_ARG(dfden), GND_ARG(nonc), __VA_ARGS__)
#define gnd_random_standard_t(g, df, ...) (gnd_random_standard_t)(g, GND_ARG(df), __VA_ARGS__)
#define gnd_random_wald(g, mean, scale, ...) (gnd_random_wald)(g, GND_ARG(mean), GND_ARG(scale), __VA_ARGS__)
#define gnd_random_vonmises(g, mu, kappa, ...) (gnd_random_vonmises)(g, GND_ARG(mu), GND_ARG(kappa), __VA_ARGS__)
#define gnd_random_poisson(g, lam, ...) (gnd_random_poisson)(g, GND_ARG(lam), __VA_ARGS__)
#define gnd_random_binomial(g, n, p, ...) (gnd_random_binomial)(g, GND_ARG(n), GND_ARG(p), __VA_ARGS__)
#define gnd_random_negative_binomial(g, n, p, ...)                                                                     \
    (gnd_random_negative_binomial)(g, GND_ARG(n), GND_ARG(p), __VA_ARGS__)
#define gnd_random_geometric(g, p, ...) (gnd_random_geometric)(g, GND_ARG(p), __VA_ARGS__)
#define gnd_random_hypergeometric(g, ngood, nbad, nsample, ...)                                                        \
    (gnd_random_hypergeometric)(g, GND_ARG(ngood), GND_ARG(nbad), GND_ARG(nsample), __VA_ARGS__)
#define gnd_random_logseries(g, p, ...) (gnd_random_logseries)(g, GND_ARG(p), __VA_ARGS__)
#define gnd_random_zipf(g, a, ...) (gnd_random_zipf)(g, GND_ARG(a), __VA_ARGS__)
#define gnd_random_multinomial(g, n, ...) (gnd_random_multinomial)(g, GND_ARG(n), __VA_ARGS__)
#define gnd_random_multivariate_hypergeometric(g, colors, nsample, ...)                                                \
    (gnd_random_multivariate_hypergeometric)(g, colors, GND_ARG(nsample), __VA_ARGS__)

#endif
