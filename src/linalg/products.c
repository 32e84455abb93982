/*
 * products.c: the public products of vectors and matrices: what each means as a matmul, a reduction or
 * an elementwise product of views.
 */
#include "linalg/products.h"
#include "reduce/reduce.h"
#include "rearrange/rearrange.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_matmul_into

gnd_array *gnd_matmul(const gnd_array *a, const gnd_array *b) {
    return gndi_matmul("gnd_matmul", a, b, false);
}

gnd_status gnd_matmul_into(gnd_array *out, const gnd_array *a, const gnd_array *b, gnd_arg alpha, gnd_arg beta) {
    return gndi_matmul_into("gnd_matmul_into", out, a, b, alpha, beta);
}

/* ---- views ---------------------------------------------------------------------------------- */

/* A result without its axis `axis`, of size 1. It alone owns the memory, so to the user it is not a view. */
static gnd_array *without_axis(const char *fn, gnd_array *a, int axis) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    if (!a) return NULL;
    for (int i = 0, to = 0; i < a->ndim; i++) {
        if (i == axis) continue;
        shape[to] = a->shape[i], strides[to++] = a->strides[i];
    }
    gnd_array *result = gndi_array_view(fn, a, a->ndim - 1, shape, strides, gndi_data(a), (gnd_dtype)a->dtype);
    gnd_release(a);
    return gndi_sole_view(result);
}

/* a b, element by element, in C order; into `out` if there is one (which is then returned without a new
   reference). */
static gnd_array *elementwise(const char *fn, gnd_array *out, const gnd_array *a, const gnd_array *b) {
    gnd_array *result = out;
    const gndi_ew_request request = {
        .op = GNDI_OP_multiply, .fn = fn, .args = {gnd_arg_array(a), gnd_arg_array(b)}, .out = {out}, .order = 'C'};
    return gndi_elementwise(&request, out ? NULL : &result) ? NULL : result;
}

/* ---- dot ------------------------------------------------------------------------------------ */

static bool refuse_lengths(const char *fn, const gnd_array *a, const gnd_array *b, int of_a, int of_b) {
    if (a->shape[of_a] == b->shape[of_b]) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "axis %d of a, of shape %s, and axis %d of b, of shape %s, must have one size",
               of_a, gndi_text_shape(a->ndim, a->shape), of_b, gndi_text_shape(b->ndim, b->shape));
    return false;
}

/* The sizes of dot(a, b): those of a but for the last, those of b but for the last but one. */
static bool dot_shape(const char *fn, const gnd_array *a, const gnd_array *b, int *ndim, int64_t *shape) {
    const int summed = b->ndim > 1 ? b->ndim - 2 : 0;
    if (!refuse_lengths(fn, a, b, a->ndim - 1, summed)) return false;
    if (a->ndim + b->ndim - 2 > GND_MAX_DIMS) {
        gndi_raise(GND_ERROR_SHAPE, fn, "the result would have %d axes; there can be %d", a->ndim + b->ndim - 2,
                   GND_MAX_DIMS);
        return false;
    }
    *ndim = 0;
    for (int i = 0; i < a->ndim - 1; i++) shape[(*ndim)++] = a->shape[i];
    for (int i = 0; i < b->ndim; i++)
        if (i != summed) shape[(*ndim)++] = b->shape[i];
    return true;
}

/* Multiplies each matrix of a by each of b. b's batch axes come before a's, and `out` is viewed in that order, so that
   nothing is copied. */
static gnd_status all_with_all(const char *fn, gnd_array *out, const gnd_array *a, const gnd_array *b) {
    const int of_a = a->ndim - 2, of_b = b->ndim - 2, own = a->ndim - 1;
    int order[GND_MAX_DIMS], n = 0;
    for (int i = 0; i < of_b; i++) order[n++] = own + i;
    for (int i = 0; i < own; i++) order[n++] = i;
    order[n] = n;
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    for (int i = 0; i < n + 1; i++) {
        const int axis = i < of_b ? i : i - of_a;
        const bool missing = i >= of_b && i < of_b + of_a;
        shape[i] = missing ? 1 : b->shape[axis], strides[i] = missing ? 0 : b->strides[axis];
    }
    gndi_temporaries s = {.fn = fn};
    gnd_array *seen = gndi_temporaries_keep(&s, gndi_permuted(fn, out, order));
    gnd_array *spread = NULL;
    if (seen)
        spread =
            gndi_temporaries_keep(&s, gndi_array_view(fn, b, n + 1, shape, strides, gndi_data(b), (gnd_dtype)b->dtype));
    if (spread && gndi_matmul_into(fn, seen, a, spread, gnd_arg_int(1), gnd_arg_int(0))) s.failed = true;
    return gndi_temporaries_status(&s);
}

static bool is_matmul(const gnd_array *a, const gnd_array *b) {
    return b->ndim <= 2 || a->ndim == 1;
}

/* To a new array. */
static gnd_array *dot(const char *fn, const gnd_array *a, const gnd_array *b) {
    const gnd_axes all = GND_ALL;
    int ndim;
    int64_t shape[GND_MAX_DIMS];
    if (a->ndim == 0 || b->ndim == 0) return elementwise(fn, NULL, a, b);
    if (!dot_shape(fn, a, b, &ndim, shape)) return NULL;
    if (ndim == 0) return gndi_sum_of_products(fn, a, b, false, &all);
    if (is_matmul(a, b)) return gndi_matmul(fn, a, b, false);
    const gnd_dtype dtype = gnd_promote_types((gnd_dtype)a->dtype, (gnd_dtype)b->dtype);
    gnd_stream *stream = gndi_stream_on(a->buffer->device, fn);
    gnd_array *out = stream ? gndi_array_new_on(fn, stream, ndim, shape, dtype, GNDI_ORDER_C) : NULL;
    if (!out || !all_with_all(fn, out, a, b)) return out;
    gnd_release(out);
    return NULL;
}

gnd_array *gnd_dot(const gnd_array *a, const gnd_array *b) {
    static const char fn[] = "gnd_dot";
    return gndi_check_pair(fn, a, b) ? dot(fn, a, b) : NULL;
}

/* One element, through a new array: given `out`, the reduction would return another reference to it. */
static gnd_status sum_into(const char *fn, gnd_array *out, const gnd_array *a, const gnd_array *b) {
    const gnd_axes all = GND_ALL;
    gnd_array *sum = gndi_sum_of_products(fn, a, b, false, &all);
    if (!sum) return gndi_ew_pending();
    const gnd_status status = gndi_copy_into(fn, out, sum);
    gnd_release(sum);
    return status;
}

gnd_status gnd_dot_into(gnd_array *out, const gnd_array *a, const gnd_array *b) {
    static const char fn[] = "gnd_dot_into";
    int ndim = 0;
    int64_t shape[GND_MAX_DIMS];
    if (gndi_missing(out)) return gndi_raise_null(fn, "out");
    if (!gndi_check_pair(fn, a, b)) return gndi_ew_pending();
    const bool numbers = a->ndim == 0 || b->ndim == 0;
    if (numbers) {
        const gnd_array *larger = a->ndim == 0 ? b : a;
        ndim = larger->ndim;
        memcpy(shape, larger->shape, (size_t)ndim * sizeof *shape);
    } else if (!dot_shape(fn, a, b, &ndim, shape)) {
        return gndi_ew_pending();
    }
    if (!gndi_check_out(fn, a, out, ndim, shape)) return gndi_ew_pending();
    const gnd_dtype dtype = gnd_promote_types((gnd_dtype)a->dtype, (gnd_dtype)b->dtype);
    if ((gnd_dtype)out->dtype != dtype)
        return gndi_raise(GND_ERROR_DTYPE, fn, "out is %s; it must be %s, as the product",
                          gnd_dtype_name((gnd_dtype)out->dtype), gnd_dtype_name(dtype));
    if (numbers) return elementwise(fn, out, a, b) ? GND_OK : gndi_ew_pending();
    if (ndim == 0) return sum_into(fn, out, a, b);
    if (is_matmul(a, b)) return gndi_matmul_into(fn, out, a, b, gnd_arg_int(1), gnd_arg_int(0));
    return all_with_all(fn, out, a, b);
}

gnd_array *gnd_inner(const gnd_array *a, const gnd_array *b) {
    static const char fn[] = "gnd_inner";
    if (!gndi_check_pair(fn, a, b)) return NULL;
    if (a->ndim == 0 || b->ndim == 0) return elementwise(fn, NULL, a, b);
    if (!refuse_lengths(fn, a, b, a->ndim - 1, b->ndim - 1)) return NULL;
    if (b->ndim == 1) return dot(fn, a, b);
    gndi_temporaries s = {.fn = fn};
    const gnd_array *transposed = gndi_matrices_transposed(&s, b);
    return gndi_temporaries_end(&s, transposed ? gndi_temporaries_keep(&s, dot(fn, a, transposed)) : NULL);
}

/* ---- vectors -------------------------------------------------------------------------------- */

gnd_array *gnd_linalg_outer(const gnd_array *a, const gnd_array *b) {
    static const char fn[] = "gnd_linalg_outer";
    if (!gndi_check_pair(fn, a, b)) return NULL;
    gnd_array *column = gndi_reshaped(fn, a, 2, (const int64_t[]){a->size, 1});
    gnd_array *row = column ? gndi_reshaped(fn, b, 2, (const int64_t[]){1, b->size}) : NULL;
    gnd_array *result = row ? elementwise(fn, NULL, column, row) : NULL;
    gnd_release(row);
    gnd_release(column);
    return result;
}

/* Whether an array has at least so many axes. */
static bool check_axes(const char *fn, const gnd_array *a, const char *name, int least) {
    if (a->ndim >= least) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "%s must have at least %d dimension%s; its shape is %s", name, least,
               least > 1 ? "s" : "", gndi_text_shape(a->ndim, a->shape));
    return false;
}

/* Whether vectors x go with the matrices a, by the axis of a that they are summed over: 1 is the last,
   2 the one before. The product's own errors would name its own operands. */
static bool check_vectors(const char *fn, const gnd_array *a, const gnd_array *x, int from_last) {
    int ndim = 0;
    int64_t shape[GND_MAX_DIMS];
    const char *what = NULL;
    if (gndi_check_together(fn, a, "a", x, "x")) return false;
    if (x->shape[x->ndim - 1] != a->shape[a->ndim - from_last])
        what = from_last == 1 ? "x must have as many elements along its last axis as a has columns"
                              : "x must have as many elements along its last axis as a has rows";
    else if (!gndi_broadcast(&ndim, shape, a->ndim - 2, a->shape) ||
             !gndi_broadcast(&ndim, shape, x->ndim - 1, x->shape))
        what = "the axes of x before the last and those of a before the last two do not broadcast";
    if (!what) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "%s: x has shape %s, a %s", what, gndi_text_shape(x->ndim, x->shape),
               gndi_text_shape(a->ndim, a->shape));
    return false;
}

gnd_array *gnd_matvec(const gnd_array *a, const gnd_array *x) {
    static const char fn[] = "gnd_matvec";
    if (gndi_missing(a) || gndi_missing(x)) return gndi_raise_null(fn, gndi_missing(a) ? "a" : "x"), NULL;
    if (!check_axes(fn, a, "a", 2) || !check_axes(fn, x, "x", 1) || !check_vectors(fn, a, x, 1)) return NULL;
    if (x->ndim == 1) return gndi_matmul(fn, a, x, false);
    gndi_temporaries s = {.fn = fn};
    const gnd_array *columns = gndi_with_axis(&s, x, x->ndim);
    gnd_array *product = columns ? gndi_matmul(fn, a, columns, false) : NULL;
    gndi_temporaries_end(&s, NULL);
    return without_axis(fn, product, product ? product->ndim - 1 : 0);
}

gnd_array *gnd_vecmat(const gnd_array *x, const gnd_array *a) {
    static const char fn[] = "gnd_vecmat";
    if (gndi_missing(a) || gndi_missing(x)) return gndi_raise_null(fn, gndi_missing(a) ? "a" : "x"), NULL;
    if (!check_axes(fn, x, "x", 1) || !check_axes(fn, a, "a", 2) || !check_vectors(fn, a, x, 2)) return NULL;
    if (x->ndim == 1) return gndi_matmul(fn, x, a, true);
    gndi_temporaries s = {.fn = fn};
    const gnd_array *rows = gndi_with_axis(&s, x, x->ndim - 1);
    gnd_array *product = rows ? gndi_matmul(fn, rows, a, true) : NULL;
    gndi_temporaries_end(&s, NULL);
    return without_axis(fn, product, product ? product->ndim - 2 : 0);
}

/* ---- powers --------------------------------------------------------------------------------- */

/* The identity in each matrix of an array like `a`. */
static gnd_array *identities(const char *fn, const gnd_array *a) {
    gndi_temporaries s = {.fn = fn};
    gnd_array *out = gndi_temporaries_keep(&s, gndi_new_on_device_of(fn, a, a->ndim, a->shape, (gnd_dtype)a->dtype));
    gndi_fill_identity(&s, out);
    return gndi_temporaries_end(&s, out);
}

/* a a; the old `a` is released. */
static gnd_array *squared(const char *fn, gnd_array *a) {
    gnd_array *square = gndi_matmul(fn, a, a, false);
    gnd_release(a);
    return square;
}

/* By the bits of n, from the lowest up: what is squared is multiplied in where a bit is set. */
static gnd_array *power(const char *fn, const gnd_array *a, uint64_t n) {
    gnd_array *base = gndi_array_alias(fn, a), *result = NULL;
    while (base) {
        if (n & 1) {
            gnd_array *next = result ? gndi_matmul(fn, result, base, false) : gndi_array_alias(fn, base);
            gnd_release(result);
            result = next;
            if (!result) break;
        }
        n >>= 1;
        if (n == 0) break;
        base = squared(fn, base);
    }
    if (!base) { /* a product failed */
        gnd_release(result);
        return NULL;
    }
    gnd_release(base);
    return result;
}

gnd_array *gnd_matrix_power(const gnd_array *a, int64_t n) {
    static const char fn[] = "gnd_matrix_power";
    if (!gndi_check_square(fn, a, "a")) return NULL;
    if (n == 0) return identities(fn, a);
    if (n > 0) return power(fn, a, (uint64_t)n);
    gnd_array *inverse = gndi_inv(fn, a);
    gnd_array *result = inverse ? power(fn, inverse, -(uint64_t)n) : NULL;
    gnd_release(inverse);
    return result;
}
