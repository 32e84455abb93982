/*
 * detrend.c: lines without their mean or their straight line, between breakpoints.
 */
#include "resample/resample.h"
#include "resample/detrend_plan.h"
#include "runtime/runtime.h"
#include <stdlib.h>

static const char fn[] = "gnd_detrend";

/* The elements first .. last - 1 of every line. */
static void detrend_part(gndi_temporaries *s, const gnd_array *x, const gnd_array *out, bool linear, int64_t first,
                         int64_t last) {
    if (s->failed || out->size == 0 || last <= first) return;
    const int64_t item = gndi_itemsize(x);
    gndi_detrend_plan plan = {.dtype = x->dtype, .linear = linear, .n = last - first, .grid = gndi_lines_grid(x, out)};
    plan.x = gndi_data(x) + first * item, plan.out = gndi_data(out) + first * item;
    gnd_stream *stream = gndi_work_begin(fn, 1, &x, 1, &out);
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->detrend(stream, &plan, fn), fn);
}

static int by_size(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The breakpoints in order, with 0 in front and n behind: count + 2 of them, for the caller to free. */
static int64_t *sorted_breaks(const gnd_detrend_options *options, int64_t n) {
    const int64_t count = options->count;
    if (count < 0 || (count > 0 && !options->breakpoints)) {
        gndi_raise(GND_ERROR_INVALID, fn, "there are %lld breakpoints, and their list is %s", (long long)count,
                   options->breakpoints ? "there" : "NULL");
        return NULL;
    }
    for (int64_t k = 0; k < count; k++)
        if (options->breakpoints[k] < 0 || options->breakpoints[k] > n) {
            gndi_raise(GND_ERROR_VALUE, fn, "breakpoint %lld is outside of an axis of %lld elements",
                       (long long)options->breakpoints[k], (long long)n);
            return NULL;
        }
    int64_t *breaks = gndi_malloc(fn, (size_t)(count + 2) * sizeof *breaks);
    if (!breaks) return NULL;
    breaks[0] = 0, breaks[count + 1] = n;
    if (count > 0) memcpy(breaks + 1, options->breakpoints, (size_t)count * sizeof *breaks);
    qsort(breaks, (size_t)(count + 2), sizeof *breaks, by_size);
    return breaks;
}

/* What is computed in: floating numbers stay, but for straight lines, which 16-bit ones become float64. */
static gnd_dtype work_dtype(const gnd_array *x, bool linear) {
    if (gndi_dtype_is_half(x->dtype)) return linear ? GND_FLOAT64 : GND_FLOAT32;
    return gndi_dtype_is_float(x->dtype) || gndi_dtype_is_complex(x->dtype) ? (gnd_dtype)x->dtype : GND_FLOAT64;
}

gnd_array *gnd_detrend(const gnd_array *x, int axis, const gnd_detrend_options *options) {
    static const gnd_detrend_options defaults = {0};
    if (!options) options = &defaults;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if ((unsigned)options->type > GND_DETREND_CONSTANT)
        return gndi_fail(GND_ERROR_INVALID, fn, "there is no type number %d", (int)options->type);
    if (!gndi_normalize_axis(fn, axis, x->ndim, &axis)) return NULL;
    const bool linear = options->type == GND_DETREND_LINEAR;
    const int64_t n = x->shape[axis];
    int64_t *breaks = sorted_breaks(options, n);
    if (!breaks) return NULL;
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype dtype = work_dtype(x, linear);
    gnd_array *lines = gndi_lines_of(&s, x, axis, dtype), *out = gndi_lines_new(&s, x, axis, n, dtype);
    if (linear)
        for (int64_t k = 0; k <= options->count; k++) detrend_part(&s, lines, out, true, breaks[k], breaks[k + 1]);
    else
        detrend_part(&s, lines, out, false, 0, n);
    gndi_free(breaks);
    gnd_array *result = gndi_lines_back(&s, out, axis);
    if (!linear && !s.failed && gndi_dtype_is_half(x->dtype))
        result = gndi_temporaries_keep(&s, gndi_copy_as(fn, result, (gnd_dtype)x->dtype, 'K'));
    return gndi_temporaries_end(&s, result);
}
