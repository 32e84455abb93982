/*
 * order_filter.c: filters by order, from checked arguments to the backend's hook; gnd_order_filter.
 */
#include "convolve/order.h"
#include "elementwise/create.h"
#include "runtime/runtime.h"

/* ---- checks ----------------------------------------------------------------------------------- */

bool gndi_order_takes(const char *fn, const gnd_array *x, const char *name) {
    if (gndi_missing(x)) return gndi_raise_null(fn, name), false;
    if (gndi_dtype_is_int(x->dtype) || x->dtype == GND_FLOAT32 || x->dtype == GND_FLOAT64) return true;
    gndi_raise(GND_ERROR_DTYPE, fn, "%s must be of integers, float32 or float64; its dtype is %s", name,
               gnd_dtype_name((gnd_dtype)x->dtype));
    return false;
}

bool gndi_order_window(const char *fn, gnd_shape sizes, int ndim, bool odd, int64_t *window) {
    if (sizes.ndim != 0 && sizes.ndim != 1 && sizes.ndim != ndim) {
        gndi_raise(GND_ERROR_SHAPE, fn, "the window has %d sizes, but the array has %d dimensions", sizes.ndim, ndim);
        return false;
    }
    int64_t elements = 1;
    for (int a = 0; a < ndim; a++) {
        window[a] = sizes.ndim == 0 ? 3 : sizes.dim[sizes.ndim == 1 ? 0 : a];
        if (window[a] < 1 || (odd && window[a] % 2 == 0)) {
            gndi_raise(GND_ERROR_VALUE, fn, "the window's size along axis %d is %lld; it must be %s", a,
                       (long long)window[a], odd ? "odd and at least 1" : "at least 1");
            return false;
        }
        if (window[a] > INT32_MAX / elements) {
            gndi_raise(GND_ERROR_VALUE, fn, "the window has 2^31 elements or more");
            return false;
        }
        elements *= window[a];
    }
    return true;
}

/* ---- the plan --------------------------------------------------------------------------------- */

static gnd_status submit(const char *fn, gndi_order_plan *plan, const gnd_array *x, const gnd_array *mask,
                         gnd_array *out) {
    gnd_stream *s = gndi_work_begin(fn, 2, (const gnd_array *[]){x, mask}, 1, (const gnd_array *[]){out});
    if (!s) return gndi_ew_pending();
    plan->x = gndi_data(x), plan->out = gndi_data(out);
    plan->mask = mask ? (const uint8_t *)gndi_data(mask) : NULL;
    for (int a = 0; a < plan->ndim; a++) plan->x_stride[a] = x->strides[a], plan->out_stride[a] = out->strides[a];
    return gndi_work_end(s, s->device->backend->order_filter(s, plan, fn), fn);
}

/* A plan for x, windows in the middle, zeros beyond. */
static gndi_order_plan plan_of(const gnd_array *x, const int64_t *window, int64_t rank) {
    gndi_order_plan plan = {.dtype = x->dtype, .ndim = x->ndim, .rank = rank};
    for (int a = 0; a < x->ndim; a++) {
        plan.shape[a] = x->shape[a], plan.window[a] = window[a];
        if (a >= x->ndim - 2) plan.first[a - x->ndim + 2] = -(window[a] / 2);
    }
    return plan;
}

static gnd_array *run(gndi_temporaries *s, gndi_order_plan *plan, const gnd_array *x, const gnd_array *mask) {
    gnd_stream *stream = gndi_stream_on(x->buffer->device, s->fn);
    if (!stream) return gndi_temporaries_keep(s, NULL);
    gnd_array *out = gndi_temporaries_keep(
        s, gndi_array_new_on(s->fn, stream, x->ndim, x->shape, (gnd_dtype)x->dtype, GNDI_ORDER_C));
    if (out && out->size > 0) s->failed = submit(s->fn, plan, x, mask, out) != GND_OK;
    return out;
}

gnd_array *gndi_order_filter(gndi_temporaries *s, const gnd_array *x, const int64_t *window, const gnd_array *mask,
                             int64_t rank) {
    if (s->failed) return NULL;
    gndi_order_plan plan = plan_of(x, window, rank);
    return run(s, &plan, x, mask);
}

gnd_array *gndi_order_filter_bordered(gndi_temporaries *s, const gnd_array *x, const int64_t *window, int64_t rank,
                                      const gndi_order_border *border) {
    if (s->failed || gndi_is_on_cpu(x) || x->size == 0) return NULL;
    gndi_order_plan plan = plan_of(x, window, rank);
    for (int k = 0; k < 2; k++) plan.first[k] = border->first[k], plan.border[k] = (uint8_t)border->mode[k];
    plan.fill = border->fill;
    return gndi_order_is_small(&plan) ? run(s, &plan, x, NULL) : NULL;
}

/* ---- any rank, any domain --------------------------------------------------------------------- */

/* The domain's truths, dense, and how many there are; NULL, and s->failed, after an error. */
static gnd_array *read_domain(gndi_temporaries *s, const gnd_array *domain, int64_t *count) {
    gnd_array *mask = gndi_temporaries_keep(s, gndi_copy_as(s->fn, domain, GND_BOOL, 'C'));
    GNDI_PARTS_OF(s->fn);
    gnd_array *number = mask ? gndi_temporaries_keep(s, gnd_count_nonzero(mask, GND_ALL)) : NULL;
    if (!number) return NULL;
    s->failed = gnd_item(number, count) != GND_OK;
    return s->failed ? NULL : mask;
}

gnd_array *gnd_order_filter(const gnd_array *a, const gnd_array *domain, int64_t rank) {
    static const char fn[] = "gnd_order_filter";
    if (!gndi_order_takes(fn, a, "a")) return NULL;
    if (gndi_missing(domain)) return gndi_raise_null(fn, "domain"), NULL;
    if (gndi_check_together(fn, a, "a", domain, "domain")) return NULL;
    if (domain->ndim != a->ndim)
        return gndi_fail(GND_ERROR_SHAPE, fn,
                         "a and its domain must have as many dimensions; their shapes are %s and %s",
                         gndi_text_shape(a->ndim, a->shape), gndi_text_shape(domain->ndim, domain->shape));
    gnd_shape sizes = {.ndim = a->ndim};
    int64_t window[GND_MAX_DIMS], count = 0;
    for (int d = 0; d < a->ndim; d++) sizes.dim[d] = domain->shape[d];
    if (!gndi_order_window(fn, sizes, a->ndim, true, window)) return NULL;
    gndi_temporaries s = {.fn = fn};
    const gnd_array *mask = read_domain(&s, domain, &count);
    if (!mask) return gndi_temporaries_end(&s, NULL);
    const int64_t at = rank < 0 ? rank + count : rank;
    if (at < 0 || at >= count) {
        gndi_raise(GND_ERROR_VALUE, fn, "there is no rank %lld in a domain of %lld elements", (long long)rank,
                   (long long)count);
        s.failed = true;
        return gndi_temporaries_end(&s, NULL);
    }
    if (a->ndim == 0)
        return gndi_temporaries_end(&s, gndi_temporaries_keep(&s, gndi_copy_as(fn, a, (gnd_dtype)a->dtype, 'K')));
    return gndi_temporaries_end(&s, gndi_order_filter(&s, a, window, count == domain->size ? NULL : mask, at));
}
