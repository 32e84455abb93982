/*
 * statistics.c: weighted averages: the sum of x times weights and the sum of the weights, a launch
 * each, and one division, which reports weights that add up to zero.
 */
#include "statistics/statistics.h"
#include "elementwise/create.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_average
#undef gnd_average_two

/* ---- shared --------------------------------------------------------------------------------- */

gnd_array *gndi_sum_of(const char *fn, const gnd_array *a, const gnd_array *b, bool conjugate, const gnd_axes *axes,
                       gnd_dtype dtype) {
    gndi_reduce_request r;
    gnd_axes in_dtype = *axes;
    in_dtype.dtype = dtype, in_dtype.out = NULL;
    gndi_reduce_begin(&r, fn, a, &in_dtype, GNDI_REDUCE_SUM, GNDI_OP_add, b ? GNDI_RULE_PRODUCT : GNDI_RULE_FOLD,
                      GNDI_TAKES_DTYPE);
    r.second = b;
    if (b) r.map = conjugate ? GNDI_MAP_CONJUGATE : GNDI_MAP_TIMES;
    return gndi_reduce(&r);
}

bool gndi_apply(const char *fn, gndi_op op, gnd_arg a, gnd_arg b, gnd_array **out) {
    gndi_ew_request request = {.op = op, .fn = fn, .args = {a, b}, .out = {*out}, .casting = GND_UNSAFE};
    return gndi_elementwise(&request, *out ? NULL : out) == GND_OK;
}

gnd_array *gndi_array_of(const char *fn, const char *name, gnd_arg arg, const gnd_array *like) {
    if (arg.kind == GND_ARG_ARRAY) {
        if (gndi_missing(arg.array)) return gndi_raise_null(fn, name), NULL;
        if (gndi_check_together(fn, like, "x", arg.array, name)) return NULL;
        return gndi_array_alias(fn, arg.array);
    }
    gnd_stream *s = gndi_stream_on(like->buffer->device, fn);
    if (!s) return NULL;
    const gnd_dtype dtype = gndi_arg_default_dtype(arg);
    return gndi_filled(fn, gndi_array_new_on(fn, s, 0, NULL, dtype, GNDI_ORDER_C), arg);
}

/* ---- averages ------------------------------------------------------------------------------- */

/* Weights seen under x's axes: `one` with size 1 where they are the same for all, `all` broadcast
   to x's shape. */
typedef struct weight_views {
    gnd_array *one, *all;
} weight_views;

static void release(weight_views *w) {
    gnd_release(w->one);
    gnd_release(w->all);
}

/* Where each axis of the weights lies in x. */
static bool match_axes(const char *fn, const gnd_array *x, const gnd_axes *axes, const gnd_array *w, int *axis_of) {
    const int count = axes->count < 0 ? 0 : axes->count;
    bool fits = w->ndim == count;
    if (axes->count == 0) {
        gndi_raise(GND_ERROR_SHAPE, fn, "weights of shape %s need axes to be named: x has another shape, %s",
                   gndi_text_shape(w->ndim, w->shape), gndi_text_shape(x->ndim, x->shape));
        return false;
    }
    for (int k = 0; k < count && fits; k++) {
        if (!gndi_normalize_axis(fn, axes->axis[k], x->ndim, &axis_of[k])) return false;
        fits = w->shape[k] == x->shape[axis_of[k]];
    }
    if (!fits)
        gndi_raise(GND_ERROR_SHAPE, fn,
                   "weights have shape %s; they must have x's shape %s, or its sizes along the axes",
                   gndi_text_shape(w->ndim, w->shape), gndi_text_shape(x->ndim, x->shape));
    return fits;
}

static bool view_weights(const char *fn, const gnd_array *x, const gnd_axes *axes, const gnd_array *w,
                         weight_views *result) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    int axis_of[GND_MAX_DIMS];
    uint64_t reduced;
    result->one = result->all = NULL;
    if (!gndi_normalize_axes(fn, axes, x->ndim, &reduced)) return false;
    if (gndi_same_shape(x, w)) {
        result->all = gndi_array_alias(fn, w);
        if (result->all) result->one = gndi_array_alias(fn, w);
        return result->one;
    }
    if (!match_axes(fn, x, axes, w, axis_of)) return false;
    for (int i = 0; i < x->ndim; i++) shape[i] = 1, strides[i] = 0;
    for (int k = 0; k < w->ndim; k++) shape[axis_of[k]] = w->shape[k], strides[axis_of[k]] = w->strides[k];
    const gnd_dtype dtype = (gnd_dtype)w->dtype;
    result->one = gndi_array_view(fn, w, x->ndim, shape, strides, gndi_data(w), dtype);
    if (result->one) result->all = gndi_array_view(fn, w, x->ndim, x->shape, strides, gndi_data(w), dtype);
    return result->all;
}

static bool check_options(const char *fn, const gnd_axes *axes, bool takes_out) {
    const char *not_taken = axes->dtype               ? "dtype"
                            : axes->where             ? "where"
                            : axes->initial           ? "initial"
                            : axes->out && !takes_out ? "out"
                                                      : NULL;
    if (not_taken) gndi_raise(GND_ERROR_INVALID, fn, "takes no `%s`", not_taken);
    return !not_taken;
}

/* The dtype of the average, and the one its sums are computed in. */
static void average_dtypes(const gnd_array *x, const gnd_array *w, gnd_dtype *result, gnd_dtype *sum) {
    const gnd_dtype list[3] = {(gnd_dtype)x->dtype, (gnd_dtype)w->dtype, GND_FLOAT64};
    *result = gndi_promote_list(x->dtype < GND_FLOAT16 ? 3 : 2, list);
    *sum = *result == GND_FLOAT16 || *result == GND_BFLOAT16 ? GND_FLOAT32 : *result;
}

/* Where the average goes: `out`, of the right shape, or a new array; a new reference. */
static gnd_array *result_for(const char *fn, const gnd_array *sum, gnd_dtype dtype, const gnd_axes *axes) {
    const gnd_array *out = axes->out;
    if (!out) return gndi_new_like(fn, sum, dtype);
    if (!gndi_check_out(fn, sum, out, sum->ndim, sum->shape)) return NULL;
    return gndi_array_alias(fn, out);
}

/* Both results by weights seen under x's axes; weight_sum may be NULL. */
static gnd_array *weighted(const char *fn, const gnd_array *x, const gnd_axes *axes, const weight_views *w,
                           gnd_array **weight_sum) {
    gnd_dtype dtype, sum_dtype;
    average_dtypes(x, w->all, &dtype, &sum_dtype);
    gnd_array *sum = gndi_sum_of(fn, x, w->all, false, axes, sum_dtype), *scale = NULL;
    if (sum) scale = gndi_sum_of(fn, w->one, NULL, false, axes, sum_dtype);
    gnd_array *average = scale ? result_for(fn, sum, dtype, axes) : NULL;
    bool done = average && gndi_apply(fn, GNDI_OP_weighted, gnd_arg_array(sum), gnd_arg_array(scale), &average);
    if (done && weight_sum) {
        *weight_sum = gndi_new_like(fn, average, dtype);
        done = *weight_sum && gndi_copy_into(fn, *weight_sum, scale) == GND_OK;
        if (!done) gnd_release(*weight_sum);
    }
    gnd_release(scale);
    gnd_release(sum);
    if (done) return average;
    gnd_release(average);
    return NULL;
}

/* The mean, and for each one how many elements it is of. */
static gnd_array *unweighted(const char *fn, const gnd_array *x, const gnd_axes *axes, gnd_array **weight_sum) {
    gndi_reduce_request r;
    gndi_reduce_begin(&r, fn, x, axes, GNDI_REDUCE_MEAN, GNDI_OP_add, GNDI_RULE_MEAN, 0);
    gnd_array *mean = gndi_reduce(&r);
    if (!mean || !weight_sum) return mean;
    long long count = 1;
    for (int i = 0; i < x->ndim; i++)
        if (r.reduced >> i & 1) count *= x->shape[i];
    gnd_array *fresh = gndi_new_like(fn, mean, GND_DTYPE_NONE);
    *weight_sum = fresh ? gndi_filled(fn, fresh, gnd_arg_real((double)count)) : NULL;
    if (*weight_sum) return mean;
    gnd_release(mean);
    return NULL;
}

static gnd_array *average(const char *fn, const gnd_array *x, const gnd_axes *axes, gnd_arg given,
                          gnd_array **weight_sum) {
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (!check_options(fn, axes, !weight_sum)) return NULL;
    if (given.kind == GND_ARG_NONE) return unweighted(fn, x, axes, weight_sum);
    weight_views w = {NULL, NULL};
    gnd_array *array = gndi_array_of(fn, "weights", given, x), *result = NULL;
    if (array && view_weights(fn, x, axes, array, &w)) result = weighted(fn, x, axes, &w, weight_sum);
    release(&w);
    gnd_release(array);
    return result;
}

gnd_array *gnd_average(const gnd_array *x, gnd_axes axes, gnd_arg weights) {
    return average("gnd_average", x, &axes, weights, NULL);
}

gnd_status gnd_average_two(gnd_array **average_out, gnd_array **weight_sum, const gnd_array *x, gnd_axes axes,
                           gnd_arg weights) {
    static const char fn[] = "gnd_average_two";
    if (average_out) *average_out = NULL;
    if (weight_sum) *weight_sum = NULL;
    if (!average_out || !weight_sum) return gndi_raise_null(fn, average_out ? "weight_sum" : "average");
    gnd_array *sum = NULL;
    *average_out = average(fn, x, &axes, weights, &sum);
    if (!*average_out) return gndi_ew_pending();
    *weight_sum = sum;
    return GND_OK;
}
