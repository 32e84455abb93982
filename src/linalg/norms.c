/*
 * norms.c: norms of vectors and matrices by NumPy's orders, condition numbers, traces. An order is
 * text, because it may be a number or a name. All are reductions, of |x| or of singular values.
 */
#define _POSIX_C_SOURCE 200809L /* newlocale */
#include "linalg/decompose.h"
#include <locale.h>
#include <math.h>
#include <stdlib.h>

/* ---- orders --------------------------------------------------------------------------------- */

typedef struct order {
    enum { DEFAULT, FROBENIUS, NUCLEAR, NUMBER } kind;
    double p; /* NUMBER */
} order;

static int skip_digits(const char **at) {
    const char *start = *at;
    while (**at >= '0' && **at <= '9') (*at)++;
    return (int)(*at - start > INT16_MAX ? INT16_MAX : *at - start);
}

/* Digits with at most one point, and an exponent: 2, -.5, 1e3. strtod would take more than that (blanks
   before it, hexadecimal digits), and a comma in place of the point in some locales. */
static bool is_decimal(const char *at) {
    int digits = skip_digits(&at);
    if (*at == '.') at++, digits += skip_digits(&at);
    if (digits == 0) return false;
    if (*at != 'e' && *at != 'E') return *at == '\0';
    at++;
    if (*at == '+' || *at == '-') at++;
    return skip_digits(&at) > 0 && *at == '\0';
}

/* Whether a text is a lower-case word, in whichever case. */
static bool is_word(const char *text, const char *word) {
    while (*word && (*text | 0x20) == *word) text++, word++;
    return !*word && !*text;
}

/* A number, "inf" or "infinity". */
static bool read_number(const char *text, double *out) {
    const char *behind = text + (*text == '+' || *text == '-');
    if (is_word(behind, "inf") || is_word(behind, "infinity")) return *out = *text == '-' ? -INFINITY : INFINITY, true;
    const locale_t c = is_decimal(behind) ? newlocale(LC_ALL_MASK, "C", (locale_t)0) : (locale_t)0;
    if (!c) return false;
    const locale_t own = uselocale(c);
    *out = strtod(text, NULL);
    uselocale(own);
    freelocale(c);
    return true;
}

static gnd_status read_order(const char *fn, const char *text, order *out) {
    *out = (order){.kind = DEFAULT};
    if (!text) return GND_OK;
    if (strcmp(text, "fro") == 0 || strcmp(text, "f") == 0) return out->kind = FROBENIUS, GND_OK;
    if (strcmp(text, "nuc") == 0) return out->kind = NUCLEAR, GND_OK;
    out->kind = NUMBER;
    if (read_number(text, &out->p)) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn, "there is no order \"%s\"; it is a number, inf, -inf, fro or nuc", text);
}

/* Orders of matrices other than sums of squares. */
static bool is_matrix_order(const order *o) {
    const double p = fabs(o->p);
    return o->kind == NUCLEAR || (o->kind == NUMBER && (p == 1 || p == 2 || isinf(p)));
}

static bool by_singular_values(const order *o) {
    return o->kind == NUCLEAR || (o->kind == NUMBER && fabs(o->p) == 2);
}

/* ---- norms ---------------------------------------------------------------------------------- */

/* The largest sum along an axis, or the smallest one if the order is negative. */
static gnd_array *sums_norm(gndi_temporaries *s, const gnd_array *x, const order *o, int row, int column) {
    const bool columns = fabs(o->p) == 1; /* along columns: over the rows */
    gnd_array *sums = gndi_norm_along(s, x, 1, columns ? row : column, true);
    gnd_axes other = GND_AXES(columns ? column : row);
    if (s->failed) return NULL;
    return gndi_temporaries_keep(s, gndi_vector_norm(s->fn, sums, o->p < 0 ? -INFINITY : INFINITY, &other));
}

/* The norm of matrices in any two axes; those axes stay, with size 1, if `keepdims`. */
static gnd_array *matrix_norm(gndi_temporaries *s, const gnd_array *x, const order *o, int row, int column,
                              bool keepdims) {
    gnd_axes both = GND_AXES(row, column);
    both.keepdims = keepdims;
    if (!is_matrix_order(o)) return gndi_temporaries_keep(s, gndi_vector_norm(s->fn, x, 2, &both));
    if (!by_singular_values(o)) return sums_norm(s, x, o, row, column);
    int axes[GND_MAX_DIMS], count = 0;
    const gnd_dtype dtype = gndi_lapack_dtype(s->fn, x, NULL);
    if (dtype == GND_DTYPE_NONE) return s->failed = true, NULL;
    for (int i = 0; i < x->ndim; i++)
        if (i != row && i != column) axes[count++] = i;
    axes[count++] = row, axes[count++] = column;
    gnd_array *last = gndi_temporaries_keep(s, gndi_permuted(s->fn, x, axes));
    if (!last) return NULL;
    gnd_array *values = gndi_svd_of(s, last, dtype, false, false, false).s;
    const double p = o->kind == NUCLEAR ? 1 : o->p < 0 ? -INFINITY : INFINITY;
    return gndi_norm_along(s, values, p, -1, false);
}

/* A result in a shape with axes of size 1, or without them: a view. */
static gnd_array *kept(gndi_temporaries *s, gnd_array *norm, const gnd_array *x, int row, int column, bool keepdims) {
    int64_t shape[GND_MAX_DIMS];
    int ndim = 0;
    if (s->failed) return NULL;
    for (int i = 0; i < x->ndim; i++) {
        const bool reduced = i == row || i == column;
        if (!reduced || keepdims) shape[ndim++] = reduced ? 1 : x->shape[i];
    }
    if (norm->ndim == ndim) return norm;
    return gndi_temporaries_keep(s, gndi_reshaped(s->fn, norm, ndim, shape));
}

static gnd_array *norm_of_matrices(gndi_temporaries *s, const gnd_array *x, const order *o, int row, int column,
                                   bool keepdims) {
    if (o->kind == NUMBER && !is_matrix_order(o)) {
        gndi_raise(GND_ERROR_INVALID, s->fn,
                   "matrices have no norm of order %g; it is 1, 2, inf, one of these with a minus, "
                   "fro or nuc",
                   o->p);
        return s->failed = true, NULL;
    }
    return kept(s, matrix_norm(s, x, o, row, column, keepdims), x, row, column, keepdims);
}

static gnd_array *norm_of_vectors(gndi_temporaries *s, const gnd_array *x, const order *o, const gnd_axes *axes) {
    if (o->kind == FROBENIUS || o->kind == NUCLEAR) {
        gndi_raise(GND_ERROR_INVALID, s->fn, "vectors have no norm of order %s; it is a number",
                   o->kind == FROBENIUS ? "fro" : "nuc");
        return s->failed = true, NULL;
    }
    return gndi_temporaries_keep(s, gndi_vector_norm(s->fn, x, o->kind == NUMBER ? o->p : 2, axes));
}

gnd_array *gnd_norm(const gnd_array *x, const char *order_text, gnd_axes axes) {
    gndi_temporaries s = {.fn = "gnd_norm"};
    uint64_t mask;
    order o;
    if (gndi_missing(x)) return gndi_raise_null(s.fn, "x"), NULL;
    if (read_order(s.fn, order_text, &o)) return NULL;
    if (axes.dtype || axes.where || axes.initial || axes.out)
        return gndi_fail(GND_ERROR_INVALID, s.fn, "of the options of axes, only keepdims is taken");
    if (!gndi_normalize_axes(s.fn, &axes, x->ndim, &mask)) return NULL;
    const int count = axes.count == 0 ? x->ndim : axes.count;
    if (axes.count == 0 && o.kind == DEFAULT) return gndi_temporaries_end(&s, norm_of_vectors(&s, x, &o, &axes));
    if (count == 1) return gndi_temporaries_end(&s, norm_of_vectors(&s, x, &o, &axes));
    if (count != 2)
        return gndi_fail(GND_ERROR_INVALID, s.fn, "takes one axis for vectors, or two for matrices; here there are %d",
                         count == -1 ? 0 : count);
    int row = 0, column = 1;
    if (axes.count == 2) {
        row = axes.axis[0] < 0 ? axes.axis[0] + x->ndim : axes.axis[0];
        column = axes.axis[1] < 0 ? axes.axis[1] + x->ndim : axes.axis[1];
    }
    return gndi_temporaries_end(&s, norm_of_matrices(&s, x, &o, row, column, axes.keepdims));
}

gnd_array *gnd_matrix_norm(const gnd_array *x, const char *order_text, bool keepdims) {
    gndi_temporaries s = {.fn = "gnd_matrix_norm"};
    order o;
    if (!gndi_check_matrices(s.fn, x, "x") || read_order(s.fn, order_text, &o)) return NULL;
    return gndi_temporaries_end(&s, norm_of_matrices(&s, x, &o, x->ndim - 2, x->ndim - 1, keepdims));
}

/* ---- condition numbers ---------------------------------------------------------------------- */

static gnd_array *ratio(gndi_temporaries *s, gnd_array *above, gnd_array *below) {
    return gndi_step(s, GNDI_OP_divide, gnd_arg_array(above), gnd_arg_array(below));
}

/* From the singular values: the largest over the smallest, or the other way round; in "nuc", the sum of
   the values times the sum of one over each. */
static gnd_array *cond_by_values(gndi_temporaries *s, const gnd_array *x, gnd_dtype dtype, const order *o) {
    gnd_array *values = gndi_svd_of(s, x, dtype, false, false, false).s;
    if (o->kind == NUCLEAR) {
        gnd_array *inverse = gndi_step(s, GNDI_OP_divide, gnd_arg_int(1), gnd_arg_array(values));
        gnd_array *sum = gndi_norm_along(s, values, 1, -1, false);
        gnd_array *other = gndi_norm_along(s, inverse, 1, -1, false);
        return gndi_step(s, GNDI_OP_multiply, gnd_arg_array(sum), gnd_arg_array(other));
    }
    gnd_array *largest = gndi_norm_along(s, values, INFINITY, -1, false);
    gnd_array *smallest = gndi_norm_along(s, values, -INFINITY, -1, false);
    return o->p == -2 ? ratio(s, smallest, largest) : ratio(s, largest, smallest);
}

static gnd_array *cond_by_inverse(gndi_temporaries *s, const gnd_array *x, gnd_dtype dtype, const order *o) {
    const int row = x->ndim - 2, column = x->ndim - 1;
    gnd_array *inverse = gndi_inverse_of(s, x, dtype, true);
    gnd_array *own = s->failed ? NULL : norm_of_matrices(s, x, o, row, column, false);
    gnd_array *other = s->failed ? NULL : norm_of_matrices(s, inverse, o, row, column, false);
    return gndi_step(s, GNDI_OP_multiply, gnd_arg_array(own), gnd_arg_array(other));
}

/* Infinity in place of NaN, but where x has a NaN itself. */
static gnd_array *nan_to_infinity(gndi_temporaries *s, gnd_array *result, const gnd_array *x) {
    gnd_array *in_x = gndi_step(s, GNDI_OP_isnan, gnd_arg_array(x), gnd_arg_none());
    gnd_array *bad = gndi_step(s, GNDI_OP_isnan, gnd_arg_array(result), gnd_arg_none());
    const gnd_axes both = GND_AXES(-2, -1);
    if (s->failed) return NULL;
    gnd_array *has_nan = gndi_temporaries_keep(s, gndi_reduce_operator(s->fn, GNDI_OP_logical_or, in_x, &both));
    /* bad and not has_nan: as bool, what is greater. */
    gnd_array *mask = gndi_step(s, GNDI_OP_greater, gnd_arg_array(bad), gnd_arg_array(has_nan));
    gndi_step_into(s, GNDI_OP_copy, result, gnd_arg_real(INFINITY), gnd_arg_none(), mask);
    return result;
}

gnd_array *gnd_cond(const gnd_array *x, const char *order_text) {
    gndi_temporaries s = {.fn = "gnd_cond"};
    order o;
    if (!gndi_check_matrices(s.fn, x, "x") || read_order(s.fn, order_text, &o)) return NULL;
    if (x->shape[x->ndim - 2] == 0 || x->shape[x->ndim - 1] == 0)
        return gndi_fail(GND_ERROR_VALUE, s.fn, "an empty matrix has no condition number; the shape of x is %s",
                         gndi_text_shape(x->ndim, x->shape));
    const bool by_values = o.kind == DEFAULT || by_singular_values(&o);
    if ((o.kind == NUCLEAR || !by_values) && !gndi_check_square(s.fn, x, "x")) return NULL;
    const gnd_dtype dtype = gndi_lapack_dtype(s.fn, x, NULL);
    if (dtype == GND_DTYPE_NONE) return NULL;
    gnd_array *result = by_values ? cond_by_values(&s, x, dtype, &o) : cond_by_inverse(&s, x, dtype, &o);
    return gndi_temporaries_end(&s, nan_to_infinity(&s, result, x));
}

/* ---- traces --------------------------------------------------------------------------------- */

gnd_array *gnd_trace(const gnd_array *a, int64_t offset, int axis1, int axis2) {
    gndi_temporaries s = {.fn = "gnd_trace"};
    const gnd_axes last = GND_AXES(-1);
    gnd_array *diagonal = gndi_temporaries_keep(&s, gndi_diagonal(s.fn, a, offset, axis1, axis2));
    if (!diagonal) return gndi_temporaries_end(&s, NULL);
    return gndi_temporaries_end(&s,
                                gndi_temporaries_keep(&s, gndi_reduce_operator(s.fn, GNDI_OP_add, diagonal, &last)));
}
