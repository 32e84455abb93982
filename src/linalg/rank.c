/*
 * rank.c: which singular values count as zero, and what follows from the others: pseudo-inverses and
 * ranks. Comparing and counting happen on the device, so that nothing waits.
 */
#include "linalg/decompose.h"
#include "reduce/reduce.h"
#include <math.h>

/* ---- values and tolerances ------------------------------------------------------------------ */

gnd_array *gndi_values_above(gndi_temporaries *s, const gnd_array *values, gnd_arg rtol) {
    gnd_array *largest = gndi_norm_along(s, values, INFINITY, -1, true);
    gnd_array *cutoff = gndi_step(s, GNDI_OP_multiply, gnd_arg_array(largest), rtol);
    return gndi_step(s, GNDI_OP_greater, gnd_arg_array(values), gnd_arg_array(cutoff));
}

gnd_array *gndi_over_large(gndi_temporaries *s, gnd_arg numbers, const gnd_array *values, const gnd_array *large) {
    gnd_array *quotient = gndi_step(s, GNDI_OP_divide, numbers, gnd_arg_array(values));
    gnd_array *result = NULL;
    if (s->failed) return NULL;
    const gndi_ew_request request = {
        .op = GNDI_OP_where, .fn = s->fn, .args = {gnd_arg_array(large), gnd_arg_array(quotient), gnd_arg_bool(false)}};
    if (gndi_elementwise(&request, &result)) result = NULL;
    return gndi_temporaries_keep(s, result);
}

static gnd_status check_tolerance(const char *fn, const gnd_array *a, gnd_arg given, const char *name) {
    const bool is_array = given.kind == GND_ARG_ARRAY;
    if (is_array && gndi_missing(given.array)) return gndi_raise_null(fn, name);
    if (given.kind == GND_ARG_COMPLEX || (is_array && gndi_dtype_is_complex(given.array->dtype)))
        return gndi_raise(GND_ERROR_DTYPE, fn, "%s must be real", name);
    return is_array ? gndi_check_together(fn, a, "a", given.array, name) : GND_OK;
}

/* A tolerance against lines of values: of float64 where it was given as a number, as NumPy compares. */
static gnd_arg tolerance(gndi_temporaries *s, const gnd_array *a, gnd_arg given) {
    if (given.kind == GND_ARG_ARRAY) return gnd_arg_array(gndi_with_last_axis(s, given.array));
    gnd_stream *stream = s->failed ? NULL : gndi_stream_on(a->buffer->device, s->fn);
    gnd_array *number = stream ? gndi_array_new_on(s->fn, stream, 0, NULL, GND_FLOAT64, GNDI_ORDER_C) : NULL;
    return gnd_arg_array(gndi_temporaries_keep(s, gndi_filled(s->fn, number, given)));
}

static int64_t longer_side(const gnd_array *a) {
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    return m > n ? m : n;
}

/* The default of NumPy's matrix_rank, and of the array API standard's pinv, too. */
static gnd_arg standard_rtol(const gnd_array *a, gnd_dtype dtype) {
    return gnd_arg_real((double)longer_side(a) * gndi_epsilon(dtype));
}

static bool check_ranked(const char *fn, const gnd_array *a, bool hermitian) {
    return hermitian ? gndi_check_square(fn, a, "a") : gndi_check_matrices(fn, a, "a");
}

/* ---- pseudo-inverses ------------------------------------------------------------------------ */

/* Whether there is no more than one tolerance for each matrix. */
static gnd_status check_each(const char *fn, const gnd_array *a, gnd_arg rtol) {
    int64_t shape[GND_MAX_DIMS];
    int ndim = a->ndim - 2;
    if (rtol.kind != GND_ARG_ARRAY) return GND_OK;
    memcpy(shape, a->shape, (size_t)ndim * sizeof *shape);
    if (gndi_broadcast(&ndim, shape, rtol.array->ndim, rtol.array->shape) && ndim == a->ndim - 2 &&
        memcmp(shape, a->shape, (size_t)ndim * sizeof *shape) == 0)
        return GND_OK;
    return gndi_raise(GND_ERROR_SHAPE, fn, "rtol of shape %s does not broadcast to the batch of a, whose shape is %s",
                      gndi_text_shape(rtol.array->ndim, rtol.array->shape), gndi_text_shape(a->ndim, a->shape));
}

/* 1 / values as a factor of a matrix's rows. */
static gnd_array *row_factors(gndi_temporaries *s, const gnd_array *values, const gnd_array *large) {
    return gndi_with_last_axis(s, gndi_over_large(s, gnd_arg_int(1), values, large));
}

/* conj(A) = U S V^H, and so A^+ = (V^H)^T S^+ U^T: conjugating the copy that is made anyway saves conjugating a
   factor. */
static gnd_array *pinv_general(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, gnd_arg rtol) {
    gndi_svd of = gndi_svd_of(s, a, dtype, true, false, true);
    gnd_array *large = gndi_values_above(s, of.s, rtol);
    gnd_array *factors = row_factors(s, of.s, large);
    gnd_array *scaled = s->failed ? NULL : gndi_step_in_place(s, GNDI_OP_multiply, of.vh, gnd_arg_array(factors));
    gnd_array *left = s->failed ? NULL : gndi_matrices_transposed(s, scaled);
    gnd_array *right = s->failed ? NULL : gndi_matrices_transposed(s, of.u);
    return s->failed ? NULL : gndi_temporaries_keep(s, gndi_matmul(s->fn, left, right, false));
}

/* A = V D V^H, and conj(V) D^+ V^T is the transpose of A^+. */
static gnd_array *pinv_hermitian(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, gnd_arg rtol) {
    gndi_eigen of = gndi_eigh_of(s, a, dtype, true, false);
    gnd_array *size = gndi_step(s, GNDI_OP_absolute, gnd_arg_array(of.w), gnd_arg_none());
    gnd_array *factors = row_factors(s, of.w, gndi_values_above(s, size, rtol));
    gnd_array *transposed = s->failed ? NULL : gndi_matrices_transposed(s, of.v);
    gnd_array *scaled = gndi_step(s, GNDI_OP_multiply, gnd_arg_array(transposed), gnd_arg_array(factors));
    gnd_array *product = s->failed ? NULL : gndi_temporaries_keep(s, gndi_matmul(s->fn, of.v, scaled, true));
    return s->failed ? NULL : gndi_matrices_transposed(s, product);
}

/* The pseudo-inverse of matrices without elements, in a's own dtype, whatever it is, as NumPy's. */
static gnd_array *empty_inverse(const char *fn, const gnd_array *a) {
    int64_t shape[GND_MAX_DIMS];
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    shape[a->ndim - 2] = a->shape[a->ndim - 1], shape[a->ndim - 1] = a->shape[a->ndim - 2];
    gnd_stream *s = gndi_stream_on(a->buffer->device, fn);
    return s ? gndi_array_new_on(fn, s, a->ndim, shape, (gnd_dtype)a->dtype, GNDI_ORDER_C) : NULL;
}

gnd_array *gnd_pinv(const gnd_array *a, const gnd_rank_options *options) {
    gndi_temporaries s = {.fn = "gnd_pinv"};
    const gnd_rank_options o = options ? *options : (gnd_rank_options){.hermitian = false};
    if (!check_ranked(s.fn, a, o.hermitian)) return NULL;
    if (o.tol.kind != GND_ARG_NONE) return gndi_fail(GND_ERROR_INVALID, s.fn, "takes rtol, and not tol");
    if (check_tolerance(s.fn, a, o.rtol, "rtol") || check_each(s.fn, a, o.rtol)) return NULL;
    if (a->shape[a->ndim - 2] == 0 || a->shape[a->ndim - 1] == 0) return empty_inverse(s.fn, a);
    const gnd_dtype dtype = gndi_lapack_dtype(s.fn, a, NULL);
    if (dtype == GND_DTYPE_NONE) return NULL;
    const gnd_arg rtol = o.rtol.kind != GND_ARG_NONE ? tolerance(&s, a, o.rtol)
                         : o.standard                ? standard_rtol(a, dtype)
                                                     : gnd_arg_real(1e-15);
    return gndi_temporaries_end(&s,
                                o.hermitian ? pinv_hermitian(&s, a, dtype, rtol) : pinv_general(&s, a, dtype, rtol));
}

/* ---- ranks ---------------------------------------------------------------------------------- */

/* The rank of numbers and vectors: whether any element is not zero. */
static gnd_array *rank_of_vector(const gnd_array *a) {
    gndi_temporaries s = {.fn = "gnd_matrix_rank"};
    const gnd_axes all = GND_ALL;
    gndi_reduce_request r;
    gndi_reduce_begin(&r, s.fn, a, &all, GNDI_REDUCE_ANY, GNDI_OP_logical_or, GNDI_RULE_TRUTH, 0);
    gnd_array *any = gndi_temporaries_keep(&s, gndi_reduce(&r));
    if (!any) return gndi_temporaries_end(&s, NULL);
    return gndi_temporaries_end(&s, gndi_temporaries_keep(&s, gndi_copy_as(s.fn, any, GND_INT64, 'K')));
}

static gnd_array *count_true(gndi_temporaries *s, const gnd_array *mask) {
    const gnd_axes last = GND_AXES(-1);
    if (s->failed) return NULL;
    return gndi_temporaries_keep(s, gndi_reduce_operator(s->fn, GNDI_OP_add, mask, &last));
}

gnd_array *gnd_matrix_rank(const gnd_array *a, const gnd_rank_options *options) {
    gndi_temporaries s = {.fn = "gnd_matrix_rank"};
    const gnd_rank_options o = options ? *options : (gnd_rank_options){.hermitian = false};
    if (gndi_missing(a)) return gndi_raise_null(s.fn, "a"), NULL;
    if (o.tol.kind != GND_ARG_NONE && o.rtol.kind != GND_ARG_NONE)
        return gndi_fail(GND_ERROR_INVALID, s.fn, "takes rtol or tol, not both");
    if (check_tolerance(s.fn, a, o.rtol, "rtol") || check_tolerance(s.fn, a, o.tol, "tol")) return NULL;
    if (a->ndim < 2) return rank_of_vector(a);
    if (!check_ranked(s.fn, a, o.hermitian)) return NULL;
    const gnd_dtype dtype = gndi_lapack_dtype(s.fn, a, NULL);
    if (dtype == GND_DTYPE_NONE) return NULL;
    gnd_array *values =
        o.hermitian ? gndi_eigh_of(&s, a, dtype, false, false).w : gndi_svd_of(&s, a, dtype, false, false, false).s;
    if (o.hermitian) values = gndi_step(&s, GNDI_OP_absolute, gnd_arg_array(values), gnd_arg_none());
    gnd_array *large = NULL;
    if (o.tol.kind != GND_ARG_NONE)
        large = gndi_step(&s, GNDI_OP_greater, gnd_arg_array(values), tolerance(&s, a, o.tol));
    else if (o.rtol.kind != GND_ARG_NONE)
        large = gndi_values_above(&s, values, tolerance(&s, a, o.rtol));
    else
        large = gndi_values_above(&s, values, standard_rtol(a, dtype));
    return gndi_temporaries_end(&s, count_true(&s, large));
}
