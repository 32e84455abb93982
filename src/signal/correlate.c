/*
 * correlate.c: convolution and correlation of two lines. The shorter one is the taps; which end of
 * which comes first is a matter of the plan's start and of steps that run backwards.
 */
#include "array/view.h"
#include "signal/correlate_plan.h"
#include "elementwise/temporaries.h"
#include "elementwise/create.h"
#include "runtime/runtime.h"
#include "elementwise/truths.h"

/* A line as the plan takes it. To gnd_convolve, 0-d arrays are lines of one element. */
static gnd_status check_line(const char *fn, const gnd_array *a, const char *name) {
    if (a->ndim > 1)
        return gndi_raise(GND_ERROR_SHAPE, fn, "%s must be 1-dimensional; its shape is %s", name,
                          gndi_text_shape(a->ndim, a->shape));
    if (a->size == 0) return gndi_raise(GND_ERROR_VALUE, fn, "%s is empty", name);
    return GND_OK;
}

static gnd_status check_lines(const char *fn, const gnd_array *a, const gnd_array *v, int least,
                              gnd_correlate_mode mode) {
    if (gndi_missing(a) || gndi_missing(v)) return gndi_raise_null(fn, gndi_missing(a) ? "a" : "v");
    if (a->ndim < least || v->ndim < least)
        return gndi_raise(GND_ERROR_SHAPE, fn, "%s must be 1-dimensional; it is 0-d", a->ndim < least ? "a" : "v");
    gnd_status status = check_line(fn, a, "a");
    if (!status) status = check_line(fn, v, "v");
    if (status) return status;
    if ((unsigned)mode > GND_VALID) return gndi_raise(GND_ERROR_INVALID, fn, "there is no mode number %d", (int)mode);
    return gndi_check_together(fn, a, "a", v, "v");
}

/* The elements as a line of the plan, from the last to the first if `backwards`. */
static struct gndi_correlate_operand operand(const gnd_array *a, bool backwards) {
    const int64_t step = a->ndim ? a->strides[0] : gndi_itemsize(a);
    struct gndi_correlate_operand line = {gndi_data(a), step};
    if (backwards) line.data += (a->size - 1) * step, line.step = -step;
    return line;
}

static gnd_status submit(const char *fn, gndi_correlate_plan *plan, const gnd_array *x, const gnd_array *k,
                         gnd_array *result) {
    gnd_stream *s = gndi_work_begin(fn, 2, (const gnd_array *[]){x, k}, 1, (const gnd_array *[]){result});
    return s ? gndi_work_end(s, s->device->backend->correlate(s, plan, fn), fn) : gndi_ew_pending();
}

/* How many outputs a mode has, and which element of the longer line the first tap of the first one
   meets; `taps` is at most `length`. */
static void frame(gndi_correlate_plan *plan, gnd_correlate_mode mode) {
    const int64_t taps = plan->taps;
    const int64_t before = mode == GND_FULL ? taps - 1 : mode == GND_SAME ? taps / 2 : 0;
    const int64_t behind = mode == GND_FULL ? taps - 1 : mode == GND_SAME ? taps - taps / 2 - 1 : 0;
    plan->first = -before;
    plan->count = plan->length - taps + 1 + before + behind;
}

/* Sums of x[i + j] * k[j], in one dtype; results and taps may run backwards. */
static gnd_array *slide(const char *fn, const gnd_array *x, const gnd_array *k, gnd_correlate_mode mode, bool conjugate,
                        bool taps_backwards, bool backwards) {
    const gnd_dtype dtype = gnd_promote_types((gnd_dtype)x->dtype, (gnd_dtype)k->dtype);
    gndi_temporaries s = {.fn = fn};
    gndi_correlate_plan plan = {.dtype = (uint8_t)dtype,
                                .conjugate = conjugate && gndi_dtype_is_complex(dtype),
                                .length = x->size,
                                .taps = k->size};
    frame(&plan, mode);
    if ((gnd_dtype)x->dtype != dtype || gndi_is_loose(x))
        x = gndi_temporaries_keep(&s, gndi_copy_as(fn, x, dtype, 'K'));
    if (!s.failed && ((gnd_dtype)k->dtype != dtype || gndi_is_loose(k)))
        k = gndi_temporaries_keep(&s, gndi_copy_as(fn, k, dtype, 'K'));
    gnd_stream *stream = s.failed ? NULL : gndi_stream_on(x->buffer->device, fn);
    gnd_array *result = stream ? gndi_array_new_on(fn, stream, 1, &plan.count, dtype, GNDI_ORDER_C) : NULL;
    if (gndi_temporaries_keep(&s, result)) {
        plan.x = operand(x, false);
        plan.k = operand(k, taps_backwards);
        plan.out = operand(result, backwards);
        s.failed = submit(fn, &plan, x, k, result) != GND_OK;
    }
    return gndi_temporaries_end(&s, result);
}

gnd_array *gnd_convolve(const gnd_array *a, const gnd_array *v, gnd_correlate_mode mode) {
    static const char fn[] = "gnd_convolve";
    if (check_lines(fn, a, v, 0, mode)) return NULL;
    const bool swapped = v->size > a->size;
    return slide(fn, swapped ? v : a, swapped ? a : v, mode, false, true, false);
}

gnd_array *gnd_correlate(const gnd_array *a, const gnd_array *v, gnd_correlate_mode mode) {
    static const char fn[] = "gnd_correlate";
    if (check_lines(fn, a, v, 1, mode)) return NULL;
    if (v->size <= a->size) return slide(fn, a, v, mode, true, false, false);
    /* The other way round: what slides is a, over the conjugate of v, and the last comes first. */
    const gnd_array *line = v;
    gnd_array *conjugate = NULL;
    if (gndi_dtype_is_complex(v->dtype)) {
        const gndi_ew_request request = {.op = GNDI_OP_conjugate, .fn = fn, .args = {gnd_arg_array(v)}};
        if (gndi_elementwise(&request, &conjugate)) return NULL;
        line = conjugate;
    }
    gnd_array *result = slide(fn, line, a, mode, false, false, true);
    gnd_release(conjugate);
    return result;
}
