/*
 * random_distributions.c: the distributions of gnd/random_distributions.h whose elements are numbers, each
 * a row of random.def. Those whose elements are rows are in random_multivariate.c.
 */
#include "random/random.h"
#include <gnd/random_distributions.h>

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_random_laplace
#undef gnd_random_logistic
#undef gnd_random_gumbel
#undef gnd_random_lognormal
#undef gnd_random_pareto
#undef gnd_random_power
#undef gnd_random_rayleigh
#undef gnd_random_weibull
#undef gnd_random_triangular
#undef gnd_random_standard_gamma
#undef gnd_random_gamma
#undef gnd_random_chisquare
#undef gnd_random_noncentral_chisquare
#undef gnd_random_beta
#undef gnd_random_f
#undef gnd_random_noncentral_f
#undef gnd_random_standard_t
#undef gnd_random_wald
#undef gnd_random_vonmises
#undef gnd_random_poisson
#undef gnd_random_binomial
#undef gnd_random_negative_binomial
#undef gnd_random_geometric
#undef gnd_random_hypergeometric
#undef gnd_random_logseries
#undef gnd_random_zipf

/* ---- location and scale --------------------------------------------------------------------- */

gnd_array *gnd_random_laplace(gnd_random *g, gnd_arg loc, gnd_arg scale, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_laplace", GNDI_RANDOM_laplace, g, (gnd_arg[]){loc, scale}, &shape, dtype);
}

gnd_array *gnd_random_logistic(gnd_random *g, gnd_arg loc, gnd_arg scale, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_logistic", GNDI_RANDOM_logistic, g, (gnd_arg[]){loc, scale}, &shape, dtype);
}

gnd_array *gnd_random_gumbel(gnd_random *g, gnd_arg loc, gnd_arg scale, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_gumbel", GNDI_RANDOM_gumbel, g, (gnd_arg[]){loc, scale}, &shape, dtype);
}

gnd_array *gnd_random_lognormal(gnd_random *g, gnd_arg mean, gnd_arg sigma, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_lognormal", GNDI_RANDOM_lognormal, g, (gnd_arg[]){mean, sigma}, &shape, dtype);
}

/* ---- by formula ------------------------------------------------------------------------------ */

gnd_array *gnd_random_pareto(gnd_random *g, gnd_arg a, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_pareto", GNDI_RANDOM_pareto, g, (gnd_arg[]){a}, &shape, dtype);
}

gnd_array *gnd_random_power(gnd_random *g, gnd_arg a, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_power", GNDI_RANDOM_power, g, (gnd_arg[]){a}, &shape, dtype);
}

gnd_array *gnd_random_rayleigh(gnd_random *g, gnd_arg scale, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_rayleigh", GNDI_RANDOM_rayleigh, g, (gnd_arg[]){scale}, &shape, dtype);
}

gnd_array *gnd_random_weibull(gnd_random *g, gnd_arg a, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_weibull", GNDI_RANDOM_weibull, g, (gnd_arg[]){a}, &shape, dtype);
}

gnd_array *gnd_random_standard_cauchy(gnd_random *g, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_standard_cauchy", GNDI_RANDOM_standard_cauchy, g, NULL, &shape, dtype);
}

gnd_array *gnd_random_triangular(gnd_random *g, gnd_arg left, gnd_arg mode, gnd_arg right, gnd_shape shape,
                                 gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_triangular", GNDI_RANDOM_triangular, g, (gnd_arg[]){left, mode, right}, &shape,
                            dtype);
}

/* ---- gamma and its relatives ----------------------------------------------------------------- */

gnd_array *gnd_random_standard_gamma(gnd_random *g, gnd_arg k, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_standard_gamma", GNDI_RANDOM_standard_gamma, g, (gnd_arg[]){k}, &shape, dtype);
}

gnd_array *gnd_random_gamma(gnd_random *g, gnd_arg k, gnd_arg scale, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_gamma", GNDI_RANDOM_gamma, g, (gnd_arg[]){k, scale}, &shape, dtype);
}

gnd_array *gnd_random_chisquare(gnd_random *g, gnd_arg df, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_chisquare", GNDI_RANDOM_chisquare, g, (gnd_arg[]){df}, &shape, dtype);
}

gnd_array *gnd_random_noncentral_chisquare(gnd_random *g, gnd_arg df, gnd_arg nonc, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_noncentral_chisquare", GNDI_RANDOM_noncentral_chisquare, g,
                            (gnd_arg[]){df, nonc}, &shape, dtype);
}

gnd_array *gnd_random_beta(gnd_random *g, gnd_arg a, gnd_arg b, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_beta", GNDI_RANDOM_beta, g, (gnd_arg[]){a, b}, &shape, dtype);
}

gnd_array *gnd_random_f(gnd_random *g, gnd_arg dfnum, gnd_arg dfden, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_f", GNDI_RANDOM_f, g, (gnd_arg[]){dfnum, dfden}, &shape, dtype);
}

gnd_array *gnd_random_noncentral_f(gnd_random *g, gnd_arg dfnum, gnd_arg dfden, gnd_arg nonc, gnd_shape shape,
                                   gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_noncentral_f", GNDI_RANDOM_noncentral_f, g, (gnd_arg[]){dfnum, dfden, nonc},
                            &shape, dtype);
}

gnd_array *gnd_random_standard_t(gnd_random *g, gnd_arg df, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_standard_t", GNDI_RANDOM_standard_t, g, (gnd_arg[]){df}, &shape, dtype);
}

gnd_array *gnd_random_wald(gnd_random *g, gnd_arg mean, gnd_arg scale, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_wald", GNDI_RANDOM_wald, g, (gnd_arg[]){mean, scale}, &shape, dtype);
}

gnd_array *gnd_random_vonmises(gnd_random *g, gnd_arg mu, gnd_arg kappa, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw("gnd_random_vonmises", GNDI_RANDOM_vonmises, g, (gnd_arg[]){mu, kappa}, &shape, dtype);
}

/* ---- counts ---------------------------------------------------------------------------------- */

gnd_array *gnd_random_poisson(gnd_random *g, gnd_arg lam, gnd_shape shape) {
    return gndi_random_draw("gnd_random_poisson", GNDI_RANDOM_poisson, g, (gnd_arg[]){lam}, &shape, GND_INT64);
}

gnd_array *gnd_random_binomial(gnd_random *g, gnd_arg n, gnd_arg p, gnd_shape shape) {
    return gndi_random_draw("gnd_random_binomial", GNDI_RANDOM_binomial, g, (gnd_arg[]){n, p}, &shape, GND_INT64);
}

gnd_array *gnd_random_negative_binomial(gnd_random *g, gnd_arg n, gnd_arg p, gnd_shape shape) {
    return gndi_random_draw("gnd_random_negative_binomial", GNDI_RANDOM_negative_binomial, g, (gnd_arg[]){n, p}, &shape,
                            GND_INT64);
}

gnd_array *gnd_random_geometric(gnd_random *g, gnd_arg p, gnd_shape shape) {
    return gndi_random_draw("gnd_random_geometric", GNDI_RANDOM_geometric, g, (gnd_arg[]){p}, &shape, GND_INT64);
}

gnd_array *gnd_random_hypergeometric(gnd_random *g, gnd_arg ngood, gnd_arg nbad, gnd_arg nsample, gnd_shape shape) {
    return gndi_random_draw("gnd_random_hypergeometric", GNDI_RANDOM_hypergeometric, g,
                            (gnd_arg[]){ngood, nbad, nsample}, &shape, GND_INT64);
}

gnd_array *gnd_random_logseries(gnd_random *g, gnd_arg p, gnd_shape shape) {
    return gndi_random_draw("gnd_random_logseries", GNDI_RANDOM_logseries, g, (gnd_arg[]){p}, &shape, GND_INT64);
}

gnd_array *gnd_random_zipf(gnd_random *g, gnd_arg a, gnd_shape shape) {
    return gndi_random_draw("gnd_random_zipf", GNDI_RANDOM_zipf, g, (gnd_arg[]){a}, &shape, GND_INT64);
}
