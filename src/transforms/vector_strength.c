/*
 * vector_strength.c: how well events keep to a period (scipy.signal.vectorstrength).
 */
#include "array/view.h"
#include "elementwise/temporaries.h"
#include "rearrange/rearrange.h"
#include "transforms/periods_plan.h"
#include <gnd/transforms.h>

/* Defined here as a function; its macro wraps an argument. */
#undef gnd_vectorstrength

static bool check_line(const char *fn, const gnd_array *a, const char *name) {
    if (gndi_missing(a)) return gndi_raise_null(fn, name), false;
    if (gndi_dtype_is_complex(a->dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "%s must be real, and has dtype %s", name,
                          gnd_dtype_name((gnd_dtype)a->dtype)),
               false;
    if (a->ndim > 1)
        return gndi_raise(GND_ERROR_SHAPE, fn, "%s must have one dimension at most, and is %s", name,
                          gndi_text_array(a)),
               false;
    return true;
}

static bool is_narrow(const gnd_array *a) {
    return a->dtype == GND_FLOAT32 || a->dtype == GND_FLOAT16 || a->dtype == GND_BFLOAT16;
}

static const gnd_array *dense(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype) {
    if (s->failed || ((gnd_dtype)a->dtype == dtype && gndi_is_c_contiguous(a))) return s->failed ? NULL : a;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, a, dtype, 'C'));
}

static bool check_period(const char *fn, const gnd_array *events, gnd_arg period, double *number) {
    *number = 1;
    if (period.kind == GND_ARG_ARRAY)
        return check_line(fn, period.array, "periods") &&
               !gndi_check_together(fn, events, "events", period.array, "periods");
    if (period.kind == GND_ARG_NONE || period.kind == GND_ARG_COMPLEX)
        return gndi_raise(GND_ERROR_DTYPE, fn, "the period must be a real number or an array"), false;
    *number = gndi_arg_parts(period).re;
    if (*number <= 0) return gndi_raise(GND_ERROR_VALUE, fn, "the period is %g; it must be above 0", *number), false;
    return true;
}

static void run(gndi_temporaries *s, gndi_vector_strength_plan *plan, const gnd_array *events, const gnd_array *periods,
                gnd_array *strength, gnd_array *angle) {
    if (s->failed || strength->size == 0) return;
    plan->events = gndi_data(events), plan->events_count = events->size;
    plan->periods = periods ? gndi_data(periods) : NULL, plan->count = strength->size;
    plan->strength = gndi_data(strength), plan->phase = angle ? gndi_data(angle) : NULL;
    gnd_stream *stream =
        gndi_work_begin(s->fn, 2, (const gnd_array *[]){events, periods}, 2, (const gnd_array *[]){strength, angle});
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->vector_strength(stream, plan, s->fn), s->fn);
}

gnd_array *gnd_vectorstrength(const gnd_array *events, gnd_arg period, gnd_array **phase) {
    static const char fn[] = "gnd_vectorstrength";
    gndi_vector_strength_plan plan = {0};
    if (phase) *phase = NULL;
    if (!check_line(fn, events, "events") || !check_period(fn, events, period, &plan.period)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const gnd_array *periods = period.kind == GND_ARG_ARRAY ? period.array : NULL;
    const gnd_dtype dtype = periods && is_narrow(periods) ? GND_FLOAT32 : GND_FLOAT64;
    const gnd_dtype of_events = dtype == GND_FLOAT32 || is_narrow(events) ? GND_FLOAT32 : GND_FLOAT64;
    plan.dtype = (uint8_t)dtype, plan.events_dtype = (uint8_t)of_events;
    gnd_array *strength = gndi_temporaries_keep(
        &s, gndi_new_on_device_of(fn, events, periods ? periods->ndim : 0, periods ? periods->shape : NULL, dtype));
    gnd_array *angle = NULL;
    if (phase && !s.failed)
        angle = gndi_temporaries_keep(&s, gndi_new_on_device_of(fn, events, strength->ndim, strength->shape, dtype));
    events = dense(&s, events, of_events);
    if (periods) periods = dense(&s, periods, dtype);
    run(&s, &plan, events, periods, strength, angle);
    if (phase) gndi_temporaries_give(&s, angle, phase);
    return gndi_temporaries_end(&s, strength);
}
