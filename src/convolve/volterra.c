/*
 * volterra.c: filters of the second and the third order: sums of products of two or three elements of a line.
 */
#include "convolve/convolve.h"
#include "convolve/volterra_plan.h"
#include "array/view.h"
#include "elementwise/create.h"
#include "rearrange/rearrange.h"
#include "runtime/runtime.h"

static bool check_operands(const char *fn, const gnd_array *x, const gnd_array *h, int order) {
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), false;
    if (gndi_missing(h)) return gndi_raise_null(fn, "h"), false;
    if (gndi_check_together(fn, x, "x", h, "h")) return false;
    int64_t most = 0;
    for (int a = 0; a < h->ndim; a++) most = gndi_max(most, h->shape[a]);
    if (x->ndim != 1 || h->ndim != order)
        gndi_raise(GND_ERROR_SHAPE, fn, "the signal must have 1 dimension and the taps %d; their shapes are %s and %s",
                   order, gndi_text_shape(x->ndim, x->shape), gndi_text_shape(h->ndim, h->shape));
    else if (h->size == 0)
        gndi_raise(GND_ERROR_VALUE, fn, "there are no taps; their shape is %s", gndi_text_shape(h->ndim, h->shape));
    else if (x->size < most)
        gndi_raise(GND_ERROR_SHAPE, fn, "the signal has %lld elements; taps of shape %s need at least %lld",
                   (long long)x->size, gndi_text_shape(h->ndim, h->shape), (long long)most);
    else
        return true;
    return false;
}

static gnd_status submit(const char *fn, const gndi_volterra_plan *plan, const gnd_array *x, const gnd_array *h,
                         const gnd_array *out) {
    gnd_stream *s = gndi_work_begin(fn, 2, (const gnd_array *[]){x, h}, 1, &out);
    return s ? gndi_work_end(s, s->device->backend->volterra(s, plan, fn), fn) : gndi_ew_pending();
}

static gnd_array *filter(const char *fn, const gnd_array *x, const gnd_array *h, int order) {
    if (!check_operands(fn, x, h, order)) return NULL;
    gndi_temporaries s = {.fn = fn};
    if (!gndi_sliding_operands(&s, &x, &h)) return gndi_temporaries_end(&s, NULL);
    h = gndi_reversed(&s, h);
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    gndi_volterra_plan plan = {.dtype = x->dtype, .order = order, .x_step = x->strides[0], .count = x->size};
    for (int a = 0; a < order; a++) {
        plan.taps_shape[a] = h->shape[a], plan.taps_stride[a] = h->strides[a];
        plan.count = gndi_min(plan.count, x->size - h->shape[a] + 1);
    }
    gnd_array *out = gndi_temporaries_keep(&s, gndi_new_on_device_of(fn, x, 1, &plan.count, (gnd_dtype)x->dtype));
    if (!s.failed) {
        plan.x = gndi_data(x), plan.taps = gndi_data(h), plan.out = gndi_data(out);
        s.failed = submit(fn, &plan, x, h, out) != GND_OK;
    }
    return gndi_temporaries_end(&s, out);
}

gnd_array *gnd_convolve1d2o(const gnd_array *x, const gnd_array *h) {
    return filter("gnd_convolve1d2o", x, h, 2);
}

gnd_array *gnd_convolve1d3o(const gnd_array *x, const gnd_array *h) {
    return filter("gnd_convolve1d3o", x, h, 3);
}
