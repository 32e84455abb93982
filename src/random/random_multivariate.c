/*
 * random_multivariate.c: distributions whose elements are rows. For multinomial, dirichlet and
 * multivariate_hypergeometric the engine draws a row as one element (random_draw.c); normal rows are a
 * product of independent numbers with a root of the covariance.
 */
#include "linalg/decompose.h"
#include "elementwise/item.h"
#include "random/random.h"
#include <gnd/random_distributions.h>

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_random_multinomial
#undef gnd_random_multivariate_hypergeometric

/* ---- rows ----------------------------------------------------------------------------------- */

gnd_array *gnd_random_multinomial(gnd_random *g, gnd_arg n, const gnd_array *pvals, gnd_shape shape) {
    static const char fn[] = "gnd_random_multinomial";
    if (g && pvals && (pvals->ndim == 0 || pvals->shape[pvals->ndim - 1] == 0))
        return gndi_fail(GND_ERROR_SHAPE, fn,
                         "pvals must have at least one dimension, and the last one must not be "
                         "empty; its shape is %s",
                         gndi_text_shape(pvals->ndim, pvals->shape));
    return gndi_random_draw_rows(fn, GNDI_RANDOM_multinomial, g, n, pvals, "pvals", &shape, GND_INT64);
}

gnd_array *gnd_random_multivariate_hypergeometric(gnd_random *g, const gnd_array *colors, gnd_arg nsample,
                                                  gnd_shape shape) {
    static const char fn[] = "gnd_random_multivariate_hypergeometric";
    const bool is_number = nsample.kind == GND_ARG_INT || nsample.kind == GND_ARG_UINT || nsample.kind == GND_ARG_BOOL;
    /* Rows of no numbers are not drawn, and so not checked either. */
    if (g && colors && colors->ndim && colors->shape[colors->ndim - 1] == 0 && is_number &&
        gndi_arg_integer(nsample) != 0)
        return gndi_fail(GND_ERROR_VALUE, fn, "there are no colors to draw from; nsample must then be 0");
    return gndi_random_draw_rows(fn, GNDI_RANDOM_multivariate_hypergeometric, g, nsample, colors, "colors", &shape,
                                 GND_INT64);
}

gnd_array *gnd_random_dirichlet(gnd_random *g, const gnd_array *alpha, gnd_shape shape, gnd_dtype dtype) {
    return gndi_random_draw_rows("gnd_random_dirichlet", GNDI_RANDOM_dirichlet, g, GND_NONE, alpha, "alpha", &shape,
                                 dtype);
}

/* ---- normal --------------------------------------------------------------------------------- */

static gnd_status check_normal(const char *fn, const gnd_random *g, const gnd_array *mean, const gnd_array *cov,
                               const gnd_multivariate_normal_options *o) {
    if (!g || gndi_missing(mean) || gndi_missing(cov))
        return gndi_raise_null(fn, !g ? "g" : !gndi_missing(mean) ? "cov" : "mean");
    if (mean->ndim != 1)
        return gndi_raise(GND_ERROR_SHAPE, fn, "mean must have one dimension; its shape is %s",
                          gndi_text_shape(mean->ndim, mean->shape));
    if (cov->ndim != 2 || cov->shape[0] != cov->shape[1] || cov->shape[0] != mean->shape[0])
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "cov must be a square matrix as long as mean; their shapes are %s and %s",
                          gndi_text_shape(cov->ndim, cov->shape), gndi_text_shape(mean->ndim, mean->shape));
    if (gndi_dtype_is_complex(mean->dtype) || gndi_dtype_is_complex(cov->dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "mean and cov must be real, not %s and %s", gndi_text_array(mean),
                          gndi_text_array(cov));
    if ((unsigned)o->method > GND_BY_CHOLESKY)
        return gndi_raise(GND_ERROR_INVALID, fn, "there is no method number %d", (int)o->method);
    if (!(o->tolerance >= 0))
        return gndi_raise(GND_ERROR_VALUE, fn, "the tolerance is %g; it must not be negative", o->tolerance);
    return gndi_check_together(fn, mean, "mean", cov, "cov");
}

/* a diag(d): each column times its factor. */
static gnd_array *scaled_columns(gndi_temporaries *s, const gnd_array *a, const gnd_array *d) {
    return gndi_step(s, GNDI_OP_multiply, gnd_arg_array(a), gnd_arg_array(d));
}

/* Waits, and raises unless all of `fits` is true. */
static void check_all(gndi_temporaries *s, const gnd_array *fits) {
    bool good = false;
    gnd_array *all = s->failed ? NULL : gndi_temporaries_keep(s, gnd_all(fits, GND_ALL));
    if (s->failed) return;
    s->failed = gndi_read(s->fn, all, &good) != GND_OK;
    if (s->failed || good) return;
    gndi_raise(GND_ERROR_VALUE, s->fn,
               "the covariance is not symmetric and positive semidefinite, to a tolerance of the "
               "options");
    s->failed = true;
}

/* f with f f^T = cov, in float64, by the singular values: u sqrt(s). */
static gnd_array *root_by_svd(gndi_temporaries *s, const gnd_array *cov, const gnd_multivariate_normal_options *o,
                              double tolerance) {
    const gndi_svd d = gndi_svd_of(s, cov, GND_FLOAT64, true, true, false);
    if (s->failed) return NULL;
    if (o->check) { /* u = v except for the signs of negative eigenvalues */
        gnd_array *v = gndi_matrices_transposed(s, d.vh);
        gnd_array *vs = v ? scaled_columns(s, v, d.s) : NULL;
        gnd_array *again = vs ? gndi_temporaries_keep(s, gndi_matmul(s->fn, vs, d.vh, false)) : NULL;
        gnd_array *fits = again ? gndi_temporaries_keep(s, (gnd_isclose)(gnd_arg_array(again), gnd_arg_array(cov),
                                                                         tolerance, tolerance, false))
                                : NULL;
        check_all(s, fits);
    }
    gnd_array *roots = gndi_step(s, GNDI_OP_sqrt, gnd_arg_array(d.s), GND_NONE);
    return s->failed ? NULL : scaled_columns(s, d.u, roots);
}

/* The same by eigenvalues, some of which may be below 0 by rounding. */
static gnd_array *root_by_eigh(gndi_temporaries *s, const gnd_array *cov, const gnd_multivariate_normal_options *o,
                               double tolerance) {
    const gndi_eigen d = gndi_eigh_of(s, cov, GND_FLOAT64, true, false);
    if (s->failed) return NULL;
    if (o->check) check_all(s, gndi_step(s, GNDI_OP_greater_equal, gnd_arg_array(d.w), gnd_arg_real(-tolerance)));
    gnd_array *size = gndi_step(s, GNDI_OP_absolute, gnd_arg_array(d.w), GND_NONE);
    gnd_array *roots = s->failed ? NULL : gndi_step(s, GNDI_OP_sqrt, gnd_arg_array(size), GND_NONE);
    return s->failed ? NULL : scaled_columns(s, d.v, roots);
}

static gnd_array *root_by_cholesky(gndi_temporaries *s, const gnd_array *cov,
                                   const gnd_multivariate_normal_options *o) {
    gnd_array *own = gndi_temporaries_keep(s, gndi_copy_as(s->fn, cov, GND_FLOAT64, 'C'));
    gnd_array *root = own ? gndi_temporaries_keep(s, gnd_cholesky(own, false)) : NULL;
    if (root && o->check) /* a matrix without one is reported at this wait */
        check_all(s, gndi_step(s, GNDI_OP_isfinite, gnd_arg_array(root), GND_NONE));
    return root;
}

static gnd_array *root_of(gndi_temporaries *s, const gnd_array *cov, const gnd_multivariate_normal_options *o) {
    const double tolerance = o->tolerance > 0 ? o->tolerance : 1e-8;
    switch (o->method) {
    case GND_BY_EIGH: return root_by_eigh(s, cov, o, tolerance);
    case GND_BY_CHOLESKY: return root_by_cholesky(s, cov, o);
    default: return root_by_svd(s, cov, o, tolerance);
    }
}

gnd_array *gnd_random_multivariate_normal(gnd_random *g, const gnd_array *mean, const gnd_array *cov, gnd_shape shape,
                                          const gnd_multivariate_normal_options *options, gnd_dtype dtype) {
    static const char fn[] = "gnd_random_multivariate_normal";
    GNDI_PARTS_OF(fn);
    static const gnd_multivariate_normal_options defaults;
    if (check_normal(fn, g, mean, cov, options ? options : &defaults)) return NULL;
    if (shape.ndim < 0) shape.ndim = 0;
    if (shape.ndim >= GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_SHAPE, fn, "%d dimensions and one more are too many", shape.ndim);
    shape.dim[shape.ndim++] = mean->shape[0];
    gndi_temporaries s = {.fn = fn};
    /* The request is checked before the root, which may report the covariance, and before the draw. */
    const gndi_distribution normal = GNDI_RANDOM_standard_normal;
    gnd_array *z = gndi_temporaries_keep(&s, gndi_random_result(fn, normal, g, &shape, dtype));
    if (z && gndi_check_together(fn, mean, "mean", z, "the generator's numbers")) s.failed = true;
    gnd_array *root = !s.failed && mean->size ? root_of(&s, cov, options ? options : &defaults) : NULL;
    if (s.failed || !z->size) return gndi_temporaries_end(&s, z);
    const gndi_distribution_info *info = &gndi_distributions[normal];
    s.failed = gndi_random_draw_into(fn, normal, g, NULL, z, z->dtype == GND_FLOAT32 ? info->words32 : info->words64) !=
               GND_OK;
    if (root->dtype != z->dtype) root = gndi_temporaries_keep(&s, gndi_copy_as(fn, root, (gnd_dtype)z->dtype, 'K'));
    gnd_array *transposed = s.failed ? NULL : gndi_matrices_transposed(&s, root);
    gnd_array *x = transposed ? gndi_temporaries_keep(&s, gndi_matmul(fn, z, transposed, false)) : NULL;
    gndi_step_into(&s, GNDI_OP_add, x, gnd_arg_array(x), gnd_arg_array(mean), NULL);
    return gndi_temporaries_end(&s, x);
}
