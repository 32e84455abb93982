/*
 * matmul.c: products of matrices by the rules of NumPy's matmul, into a new array or an existing one.
 * matmul_plan.c finds the layouts; what the backends cannot write to goes through a temporary.
 */
#include "linalg/products.h"
#include "reduce/reduce.h"

static const gndi_parts one = {1, 0}, none = {0, 0};

/* The kind of a dtype's numbers, and of a number: integer, real, complex. */
static int kind_of(gnd_dtype dtype) {
    return gndi_dtype_is_complex(dtype) ? 2 : gndi_dtype_is_float(dtype) ? 1 : 0;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static bool refuse_sizes(const gndi_product *p, const char *what) {
    gndi_raise(GND_ERROR_SHAPE, p->fn, "%s: a has shape %s, b %s", what, gndi_text_shape(p->a->ndim, p->a->shape),
               gndi_text_shape(p->b->ndim, p->b->shape));
    return false;
}

/* The sizes of the product of p->a and p->b. Raises if they have none. */
static bool measure(gndi_product *p) {
    const gnd_array *a = p->a, *b = p->b;
    if (a->ndim == 0 || b->ndim == 0) return refuse_sizes(p, "0-d arrays are no matrices; gnd_multiply takes them");
    p->a_vector = a->ndim == 1, p->b_vector = b->ndim == 1;
    p->m = p->a_vector ? 1 : a->shape[a->ndim - 2];
    p->n = p->b_vector ? 1 : b->shape[b->ndim - 1];
    p->k = a->shape[a->ndim - 1];
    if (p->k != b->shape[p->b_vector ? 0 : b->ndim - 2])
        return refuse_sizes(p, "a must have as many columns as b has rows");
    int ndim = 0;
    if ((!p->a_vector && !gndi_broadcast(&ndim, p->shape, a->ndim - 2, a->shape)) ||
        (!p->b_vector && !gndi_broadcast(&ndim, p->shape, b->ndim - 2, b->shape)))
        return refuse_sizes(p, "the axes before the last two do not broadcast");
    p->batch = ndim;
    if (!p->a_vector) p->shape[ndim++] = p->m;
    if (!p->b_vector) p->shape[ndim++] = p->n;
    p->ndim = ndim;
    return true;
}

static bool begin(gndi_product *p, const char *fn, const gnd_array *a, const gnd_array *b, bool conjugate) {
    p->fn = fn, p->a = a, p->b = b, p->conjugate = conjugate;
    if (!gndi_check_pair(fn, a, b) || !measure(p)) return false;
    p->dtype = a->dtype == b->dtype ? (gnd_dtype)a->dtype : gnd_promote_types((gnd_dtype)a->dtype, (gnd_dtype)b->dtype);
    p->factors = p->dtype;
    return true;
}

/* ---- a new array ---------------------------------------------------------------------------- */

/* alpha a b, in C order. NULL on failure. */
static gnd_array *new_product(const gndi_product *p, gndi_parts alpha) {
    gnd_stream *stream = gndi_stream_on(p->a->buffer->device, p->fn);
    gnd_array *out = stream ? gndi_array_new_on(p->fn, stream, p->ndim, p->shape, p->dtype, GNDI_ORDER_C) : NULL;
    if (!out || out->size == 0) return out;
    if (p->k == 0) return gndi_zero(p->fn, out);
    if (!gndi_product_run(p, out, alpha, none)) return out;
    gnd_release(out);
    return NULL;
}

/* Sums over one axis of a product of views: of two vectors, and of a vector and a matrix of integers or
   bool. The reduction kernels are faster there, cast while they read, and are reproducible. */
static bool is_reduction(const gndi_product *p) {
    if (p->a_vector && p->b_vector) return true;
    return (p->a_vector || p->b_vector) && p->batch == 0 && kind_of(p->dtype) == 0 && p->k > 0;
}

static gnd_array *as_reduction(const gndi_product *p) {
    const gnd_array *a = p->a, *b = p->b;
    gnd_axes axes = GND_AXES(p->b_vector ? -1 : 0);
    if (p->a_vector && p->b_vector) return gndi_sum_of_products(p->fn, a, b, p->conjugate, &axes);
    /* The vector as a matrix of the other's shape. */
    const gnd_array *matrix = p->a_vector ? b : a, *vector = p->a_vector ? a : b;
    int64_t strides[2] = {0};
    strides[p->a_vector ? 0 : 1] = vector->strides[0];
    gnd_array *spread =
        gndi_array_view(p->fn, vector, 2, matrix->shape, strides, gndi_data(vector), (gnd_dtype)vector->dtype);
    gnd_array *result = spread ? gndi_sum_of_products(p->fn, matrix, spread, false, &axes) : NULL;
    gnd_release(spread);
    return result;
}

gnd_array *gndi_matmul(const char *fn, const gnd_array *a, const gnd_array *b, bool conjugate_a) {
    gndi_product p;
    if (!begin(&p, fn, a, b, conjugate_a)) return NULL;
    return is_reduction(&p) ? as_reduction(&p) : new_product(&p, one);
}

/* ---- into an existing array ----------------------------------------------------------------- */

static bool check_number(const char *fn, const char *name, gnd_arg x, gnd_dtype dtype) {
    if (x.kind == GND_ARG_NONE || x.kind == GND_ARG_ARRAY) {
        gndi_raise(GND_ERROR_INVALID, fn, "%s must be a number", name);
        return false;
    }
    const int kind = x.kind == GND_ARG_COMPLEX ? 2 : x.kind == GND_ARG_REAL ? 1 : 0;
    if (kind > kind_of(dtype)) {
        gndi_raise(GND_ERROR_DTYPE, fn,
                   "a %s %s does not go with out, which is %s; it takes a %s number, or an out of %s",
                   kind == 2 ? "complex" : "real", name, gnd_dtype_name(dtype), kind_of(dtype) == 1 ? "real" : "whole",
                   kind == 2 ? "complex numbers" : "floats");
        return false;
    }
    gndi_scalar unused;
    if (dtype == GND_BOOL && x.kind != GND_ARG_BOOL && x.u > 1) {
        gndi_raise(GND_ERROR_VALUE, fn, "of bool, %s must be 0 or 1", name);
        return false;
    }
    return kind_of(dtype) > 0 || gndi_scalar_from_arg(fn, x, dtype, &unused);
}

static bool is(gndi_parts x, double value) {
    return x.re == value && x.im == 0;
}

/* A number as an operand beside arrays of `dtype`: a truth value beside bool. */
static gnd_arg number_for(gnd_arg x, gnd_dtype dtype) {
    return dtype == GND_BOOL ? gnd_arg_bool(x.u != 0) : x;
}

/* The product in the dtype that it is scaled and added in: out's for integers, else the one that both
   promote to. */
static gnd_array *widened(gndi_temporaries *s, gnd_array *product, const gnd_array *out) {
    const gnd_dtype own = (gnd_dtype)product->dtype, to = (gnd_dtype)out->dtype;
    const gnd_dtype sum = kind_of(to) == 0 ? to : gnd_promote_types(own, to);
    if (s->failed || own == sum) return s->failed ? NULL : product;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, product, sum, 'K'));
}

/* out = product + beta out. */
static void add_scaled(gndi_temporaries *s, gnd_array *out, gnd_array *product, gnd_arg beta) {
    product = widened(s, product, out);
    if (!product) return;
    gnd_array *scaled = gndi_temporaries_keep(s, gndi_copy_as(s->fn, out, (gnd_dtype)product->dtype, 'K'));
    if (!scaled) return;
    scaled = gndi_step_in_place(s, GNDI_OP_multiply, scaled, number_for(beta, (gnd_dtype)out->dtype));
    if (scaled) gndi_step_into(s, GNDI_OP_add, out, gnd_arg_array(product), gnd_arg_array(scaled), NULL);
}

/* out = beta out: the whole result where alpha is 0 or the sums are empty. */
static gnd_status scale(const char *fn, gnd_array *out, gnd_arg beta) {
    const gndi_parts b = gndi_arg_parts(beta);
    if (is(b, 1)) return GND_OK;
    if (is(b, 0)) return gndi_assign(fn, out, gnd_arg_int(0));
    gndi_temporaries s = {.fn = fn};
    gndi_step_into(&s, GNDI_OP_multiply, out, gnd_arg_array(out), number_for(beta, (gnd_dtype)out->dtype), NULL);
    return gndi_temporaries_status(&s);
}

/* For what the backends do not support: other layouts or dtypes of out, operands that out overlaps,
   factors of integers. */
static gnd_status into_through_temporary(const gndi_product *p, gnd_array *out, gnd_arg alpha, gnd_arg beta) {
    const gndi_parts a = gndi_arg_parts(alpha), b = gndi_arg_parts(beta);
    const bool floating = kind_of(p->dtype) > 0;
    gndi_temporaries s = {.fn = p->fn};
    if (floating && (gnd_dtype)out->dtype == p->dtype && !is(b, 0)) {
        gnd_array *sum = gndi_temporaries_keep(&s, gndi_copy_as(p->fn, out, p->dtype, 'C'));
        if (sum && gndi_product_run(p, sum, a, b)) s.failed = true;
        if (!s.failed && gndi_copy_into(p->fn, out, sum)) s.failed = true;
    } else {
        const bool scales = !is(a, 1) && (!floating || (a.im != 0 && kind_of(p->dtype) < 2));
        gnd_array *product = gndi_temporaries_keep(&s, new_product(p, scales ? one : a));
        if (scales && product) product = widened(&s, product, out);
        if (scales && product)
            product = gndi_step_in_place(&s, GNDI_OP_multiply, product, number_for(alpha, (gnd_dtype)out->dtype));
        if (product && !is(b, 0))
            add_scaled(&s, out, product, beta);
        else if (product && gndi_copy_into(p->fn, out, product))
            s.failed = true;
    }
    return gndi_temporaries_status(&s);
}

/* out = alpha a b + beta out, of numbers that out's dtype takes. */
static gnd_status write_product(const gndi_product *p, gnd_array *out, gnd_arg alpha, gnd_arg beta) {
    if (out->size == 0) return GND_OK;
    const gndi_parts x = gndi_arg_parts(alpha), y = gndi_arg_parts(beta);
    if (is(x, 0) || p->k == 0) return scale(p->fn, out, beta);
    const bool factors = kind_of((gnd_dtype)out->dtype) > 0 || (is(x, 1) && (is(y, 0) || is(y, 1)));
    if (!factors || !gndi_product_takes(p, out) || gndi_overlaps(out, p->a) || gndi_overlaps(out, p->b))
        return into_through_temporary(p, out, alpha, beta);
    return gndi_product_run(p, out, x, y);
}

gnd_status gndi_matmul_into(const char *fn, gnd_array *out, const gnd_array *a, const gnd_array *b, gnd_arg alpha,
                            gnd_arg beta) {
    gndi_product p;
    if (gndi_missing(out)) return gndi_raise_null(fn, "out");
    if (!begin(&p, fn, a, b, false) || !gndi_check_out(fn, a, out, p.ndim, p.shape)) return gndi_ew_pending();
    const gnd_dtype dtype = (gnd_dtype)out->dtype;
    if (dtype != p.dtype && !gnd_can_cast(p.dtype, dtype, GND_SAME_KIND))
        return gndi_raise(GND_ERROR_DTYPE, fn,
                          "the product is %s, which does not go into out, %s; out must be %s, or "
                          "another dtype of its kind or a higher one",
                          gnd_dtype_name(p.dtype), gnd_dtype_name(dtype), gnd_dtype_name(p.dtype));
    if (!check_number(fn, "alpha", alpha, dtype) || !check_number(fn, "beta", beta, dtype)) return gndi_ew_pending();
    return write_product(&p, out, alpha, beta);
}

/* ---- in a dtype ------------------------------------------------------------------------------ */

bool gndi_takes_halves(const gnd_array *a, const gnd_array *b, gnd_dtype dtype) {
    return dtype == GND_FLOAT32 && a->dtype == b->dtype && (a->dtype == GND_FLOAT16 || a->dtype == GND_BFLOAT16) &&
           a->ndim > 1 && b->ndim > 1 && a->buffer->device->id.kind == GND_GPU;
}

gnd_array *gndi_matmul_in(const char *fn, const gnd_array *a, const gnd_array *b, gnd_dtype dtype, gnd_array *out) {
    gndi_product p;
    if (!begin(&p, fn, a, b, false)) return NULL;
    p.dtype = dtype;
    if (!out) return is_reduction(&p) ? as_reduction(&p) : new_product(&p, one);
    const bool done =
        gndi_check_out(fn, a, out, p.ndim, p.shape) && write_product(&p, out, gnd_arg_int(1), gnd_arg_int(0)) == GND_OK;
    return done ? gndi_array_alias(fn, out) : NULL;
}
