/*
 * quantile.c: the public order statistics: which dtypes they compute in and give, and what they
 * refuse. A quantile's position is computed in q's dtype, and its value in the dtype that x and q
 * promote to, as NumPy 2 has it.
 */
#include "quantile/quantile.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_quantile
#undef gnd_nanquantile
#undef gnd_percentile
#undef gnd_nanpercentile

/* What a public function is. */
typedef struct statistic {
    const char *fn;
    bool median, skip_nan, percent;
} statistic;

/* ---- dtypes --------------------------------------------------------------------------------- */

static bool is_integer(int dtype) {
    return dtype == GND_BOOL || gndi_dtype_is_int(dtype);
}

static bool is_discrete(int method) {
    return method == GND_QUANTILE_INVERTED_CDF || method == GND_QUANTILE_CLOSEST_OBSERVATION ||
           method == GND_QUANTILE_LOWER || method == GND_QUANTILE_HIGHER || method == GND_QUANTILE_NEAREST;
}

/* The dtype NumPy's weights between neighbours have: that of q, but float64 for integers if the
   method's position is not a whole number then. */
static gnd_dtype weight_dtype(const gndi_quantile_request *r, int q_dtype) {
    if (!is_integer(q_dtype)) return (gnd_dtype)q_dtype;
    if (r->percent) return GND_FLOAT64;
    switch (r->method) {
    case GND_QUANTILE_AVERAGED_INVERTED_CDF:
    case GND_QUANTILE_INTERPOLATED_INVERTED_CDF:
    case GND_QUANTILE_WEIBULL: return q_dtype == GND_BOOL ? GND_INT64 : (gnd_dtype)q_dtype;
    default: return GND_FLOAT64;
    }
}

static uint8_t index_dtype(int q_dtype) {
    if (q_dtype == GND_FLOAT16) return GND_FLOAT16;
    return q_dtype == GND_BFLOAT16 || q_dtype == GND_FLOAT32 ? GND_FLOAT32 : GND_FLOAT64;
}

static bool choose_dtypes(gndi_quantile_request *r, gnd_arg q) {
    const gnd_dtype x = (gnd_dtype)r->x->dtype;
    const int q_dtype = r->q                                              ? r->q->dtype
                        : q.kind == GND_ARG_BOOL                          ? GND_BOOL
                        : q.kind == GND_ARG_INT || q.kind == GND_ARG_UINT ? GND_INT64
                                                                          : GND_FLOAT64;
    r->index_dtype = index_dtype(q_dtype);
    r->weak = !r->q && q.kind != GND_ARG_BOOL;
    r->step_dtype = GND_DTYPE_NONE;
    r->natural = x;
    if (is_discrete(r->method)) return true;
    if (r->method == GND_QUANTILE_LINEAR && is_integer(q_dtype) && !r->percent) {
        r->method = GND_QUANTILE_LOWER; /* the first or the last element */
        return true;
    }
    if (x == GND_BOOL) {
        gndi_raise(GND_ERROR_DTYPE, r->fn,
                   "there is nothing between false and true: x is bool, which takes a method that "
                   "gives one of the elements (inverted_cdf, closest_observation, lower, higher, "
                   "nearest); or cast x");
        return false;
    }
    r->natural = r->weak ? gndi_promote_weak(x, gnd_arg_real(0.5)) : gnd_promote_types(x, weight_dtype(r, q_dtype));
    if (is_integer((int)r->natural))
        r->method = GND_QUANTILE_LOWER; /* integers for q: an end, whatever the method */
    else
        r->step_dtype = index_dtype((int)r->natural);
    return true;
}

/* ---- checks --------------------------------------------------------------------------------- */

static bool check_number(gndi_quantile_request *r, gnd_arg q) {
    const double top = r->percent ? 100 : 1;
    r->number = gndi_arg_parts(q).re;
    const double value = r->percent ? r->number / 100 : r->number;
    if (value >= 0 && value <= 1) return true;
    gndi_raise(GND_ERROR_VALUE, r->fn, "q is %g; it must be in [0, %g]", r->number, top);
    return false;
}

static bool check_q(gndi_quantile_request *r, gnd_arg q) {
    r->q = NULL, r->number = 0, r->q_ndim = 0;
    switch (q.kind) {
    case GND_ARG_BOOL:
    case GND_ARG_INT:
    case GND_ARG_UINT:
    case GND_ARG_REAL: return check_number(r, q);
    case GND_ARG_ARRAY: break;
    default:
        gndi_raise(q.kind == GND_ARG_COMPLEX ? GND_ERROR_DTYPE : GND_ERROR_INVALID, r->fn,
                   "q must be a real number or an array of them");
        return false;
    }
    if (gndi_missing(q.array)) {
        gndi_raise_null(r->fn, "q");
        return false;
    }
    r->q = q.array, r->q_ndim = q.array->ndim;
    if (gndi_dtype_is_complex(q.array->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, r->fn, "q has dtype %s; it must be real",
                   gnd_dtype_name((gnd_dtype)q.array->dtype));
        return false;
    }
    return !gndi_check_together(r->fn, r->x, "x", q.array, "q");
}

static bool check_options(const gndi_quantile_request *r) {
    const gnd_axes *axes = r->axes;
    const char *option = axes->dtype ? "dtype" : axes->where ? "where" : axes->initial ? "initial" : NULL;
    if (option) {
        gndi_raise(GND_ERROR_INVALID, r->fn, "takes no `%s` among the options of gnd_axes, only keepdims and out",
                   option);
        return false;
    }
    if (!gndi_dtype_is_complex(r->x->dtype) || r->method == GNDI_SELECT_MEDIAN) return true;
    gndi_raise(GND_ERROR_DTYPE, r->fn,
               "x has dtype %s; quantiles are of real numbers (gnd_real, gnd_imag and "
               "gnd_absolute give some)",
               gnd_dtype_name((gnd_dtype)r->x->dtype));
    return false;
}

static bool choose_shape(gndi_quantile_request *r) {
    const gnd_array *x = r->x;
    if (!gndi_normalize_axes(r->fn, r->axes, x->ndim, &r->reduced)) return false;
    int64_t shape[2 * GND_MAX_DIMS];
    int n = 0;
    for (; n < r->q_ndim; n++) shape[n] = r->q->shape[n];
    r->length = 1;
    for (int i = 0; i < x->ndim; i++) {
        const bool is_reduced = r->reduced >> i & 1;
        if (is_reduced) r->length *= x->shape[i];
        if (!is_reduced || r->axes->keepdims) shape[n++] = is_reduced ? 1 : x->shape[i];
    }
    if (n > GND_MAX_DIMS) {
        gndi_raise(GND_ERROR_SHAPE, r->fn,
                   "the result would have %d dimensions, %d of them q's; %d is the most an array "
                   "can have",
                   n, r->q_ndim, GND_MAX_DIMS);
        return false;
    }
    r->ndim = n;
    memcpy(r->shape, shape, (size_t)n * sizeof *shape);
    if (gndi_shape_size(n, shape, &r->outputs)) return true;
    gndi_raise(GND_ERROR_MEMORY, r->fn, "a result of shape %s is too large", gndi_text_shape(n, shape));
    return false;
}

static bool check_length(gndi_quantile_request *r) {
    const bool median = r->method == GNDI_SELECT_MEDIAN;
    if (r->skip_nan && r->x->size == 0 && is_integer(r->x->dtype)) {
        r->natural = GND_FLOAT64; /* NaN, as numpy.nanmean of nothing */
        r->step_dtype = GND_FLOAT64;
    }
    if (r->length > 0 || median || r->skip_nan) return true;
    gndi_raise(GND_ERROR_VALUE, r->fn, "x has shape %s: there is no quantile of nothing",
               gndi_text_shape(r->x->ndim, r->x->shape));
    return false;
}

static bool check_out(const gndi_quantile_request *r) {
    const gnd_array *out = r->axes->out;
    if (!out) return true;
    if (!gndi_check_out(r->fn, r->x, out, r->ndim, r->shape)) return false;
    const bool lenient = (r->skip_nan || r->method == GNDI_SELECT_MEDIAN) && !gndi_dtype_is_complex(r->x->dtype);
    if (!lenient && !gnd_can_cast(r->natural, (gnd_dtype)out->dtype, GND_SAME_KIND)) {
        gndi_raise(GND_ERROR_DTYPE, r->fn, "out has dtype %s, the result %s, which does not cast to it within its kind",
                   gnd_dtype_name((gnd_dtype)out->dtype), gnd_dtype_name(r->natural));
        return false;
    }
    return true;
}

static gnd_array *compute(const statistic *what, const gnd_array *x, gnd_arg q, const gnd_axes *axes, int method) {
    gndi_quantile_request r = {.fn = what->fn, .x = x, .axes = axes};
    if (gndi_unlikely(gndi_missing(x))) return gndi_raise_null(r.fn, "x"), NULL;
    if ((unsigned)method > GNDI_SELECT_MEDIAN || (!what->median && method == GNDI_SELECT_MEDIAN))
        return gndi_fail(GND_ERROR_INVALID, r.fn, "there is no quantile method number %d; gnd_quantile_method has them",
                         method);
    r.skip_nan = what->skip_nan, r.percent = what->percent, r.method = (uint8_t)method;
    if (!check_options(&r) || !check_q(&r, q) || !choose_shape(&r)) return NULL;
    const bool is_complex = gndi_dtype_is_complex(x->dtype);
    if (what->median)
        r.natural = gndi_dtype_is_float(x->dtype) || is_complex ? (gnd_dtype)x->dtype : GND_FLOAT64;
    else if (!choose_dtypes(&r, q))
        return NULL;
    if (!check_length(&r) || !check_out(&r)) return NULL;
    return is_complex ? gndi_median_complex(&r) : gndi_quantile_run(&r);
}

/* ---- public functions ----------------------------------------------------------------------- */

gnd_array *gnd_median(const gnd_array *x, gnd_axes axes) {
    GNDI_PARTS_OF("gnd_median");
    return compute(&(statistic){"gnd_median", true, false, false}, x, gnd_arg_real(0.5), &axes, GNDI_SELECT_MEDIAN);
}
gnd_array *gnd_nanmedian(const gnd_array *x, gnd_axes axes) {
    GNDI_PARTS_OF("gnd_nanmedian");
    return compute(&(statistic){"gnd_nanmedian", true, true, false}, x, gnd_arg_real(0.5), &axes, GNDI_SELECT_MEDIAN);
}
gnd_array *gnd_quantile(const gnd_array *x, gnd_arg q, gnd_axes axes, gnd_quantile_method method) {
    GNDI_PARTS_OF("gnd_quantile");
    return compute(&(statistic){"gnd_quantile", false, false, false}, x, q, &axes, (int)method);
}
gnd_array *gnd_nanquantile(const gnd_array *x, gnd_arg q, gnd_axes axes, gnd_quantile_method method) {
    GNDI_PARTS_OF("gnd_nanquantile");
    return compute(&(statistic){"gnd_nanquantile", false, true, false}, x, q, &axes, (int)method);
}
gnd_array *gnd_percentile(const gnd_array *x, gnd_arg q, gnd_axes axes, gnd_quantile_method method) {
    GNDI_PARTS_OF("gnd_percentile");
    return compute(&(statistic){"gnd_percentile", false, false, true}, x, q, &axes, (int)method);
}
gnd_array *gnd_nanpercentile(const gnd_array *x, gnd_arg q, gnd_axes axes, gnd_quantile_method method) {
    GNDI_PARTS_OF("gnd_nanpercentile");
    return compute(&(statistic){"gnd_nanpercentile", false, true, true}, x, q, &axes, (int)method);
}
