/*
 * lomb_scargle.c: periodograms of samples at uneven times (scipy.signal.lombscargle).
 */
#include "array/view.h"
#include "elementwise/temporaries.h"
#include "rearrange/rearrange.h"
#include "transforms/periods_plan.h"
#include <gnd/reduce.h>
#include <gnd/transforms.h>

static bool is_narrow(const gnd_array *a) {
    return !a || a->dtype == GND_FLOAT32 || a->dtype == GND_FLOAT16 || a->dtype == GND_BFLOAT16;
}

/* x, y and weights have one length; all are real, 1-d, on one device, and not empty. */
static bool check(const char *fn, const gnd_array *const *arrays, const char *const *names) {
    for (int k = 0; k < 4; k++) {
        const gnd_array *a = arrays[k];
        if (!a && k == 3) continue;
        if (gndi_missing(a)) return gndi_raise_null(fn, names[k]), false;
        if (k > 0 && gndi_check_together(fn, arrays[0], names[0], a, names[k])) return false;
        if (gndi_dtype_is_complex(a->dtype))
            return gndi_raise(GND_ERROR_DTYPE, fn, "%s must be real, and has dtype %s", names[k],
                              gnd_dtype_name((gnd_dtype)a->dtype)),
                   false;
        if (a->ndim != 1 || a->size == 0)
            return gndi_raise(GND_ERROR_SHAPE, fn, "%s must have one dimension and an element, and is %s", names[k],
                              gndi_text_array(a)),
                   false;
        if (k != 2 && a->size != arrays[0]->size)
            return gndi_raise(GND_ERROR_SHAPE, fn, "x has %lld elements, and %s %lld", (long long)arrays[0]->size,
                              names[k], (long long)a->size),
                   false;
    }
    return true;
}

static const gnd_array *dense(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype) {
    if (s->failed || !a) return NULL;
    if ((gnd_dtype)a->dtype == dtype && gndi_is_c_contiguous(a)) return a;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, a, dtype, 'C'));
}

static const gnd_array *centred(gndi_temporaries *s, const gnd_array *y) {
    gnd_array *mean = s->failed ? NULL : gndi_temporaries_keep(s, gnd_mean(y, GND_ALL));
    return s->failed ? NULL : gndi_step(s, GNDI_OP_subtract, gnd_arg_array(y), gnd_arg_array(mean));
}

gnd_array *gnd_lombscargle(const gnd_array *x, const gnd_array *y, const gnd_array *freqs,
                           const gnd_lombscargle_options *options) {
    static const char fn[] = "gnd_lombscargle", *const names[] = {"x", "y", "freqs", "weights"};
    static const gnd_lombscargle_options any;
    const gnd_lombscargle_options *o = options ? options : &any;
    if (gndi_optional_missing(fn, o->weights, "weights")) return NULL;
    const gnd_array *given[4] = {x, y, freqs, o->weights};
    if (!check(fn, given, names)) return NULL;
    if ((unsigned)o->normalize > GND_LOMBSCARGLE_AMPLITUDE)
        return gndi_fail(GND_ERROR_INVALID, fn, "there is no normalization number %d", (int)o->normalize);
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const bool narrow = is_narrow(x) && is_narrow(y) && is_narrow(freqs) && is_narrow(o->weights);
    const gnd_dtype dtype = narrow ? GND_FLOAT32 : GND_FLOAT64;
    const bool pairs = o->normalize == GND_LOMBSCARGLE_AMPLITUDE;
    const gnd_dtype result = pairs ? (narrow ? GND_COMPLEX64 : GND_COMPLEX128) : dtype;
    gnd_array *out = gndi_temporaries_keep(&s, gndi_new_on_device_of(fn, freqs, 1, freqs->shape, result));
    for (int k = 0; k < 4; k++) given[k] = dense(&s, given[k], dtype);
    if (o->precenter) given[1] = centred(&s, given[1]);
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    const gndi_lomb_scargle_plan plan = {.x = gndi_data(given[0]),
                                         .y = gndi_data(given[1]),
                                         .freqs = gndi_data(given[2]),
                                         .weights = given[3] ? gndi_data(given[3]) : NULL,
                                         .out = gndi_data(out),
                                         .samples = given[0]->size,
                                         .count = out->size,
                                         .dtype = (uint8_t)dtype,
                                         .normalize = (uint8_t)o->normalize,
                                         .floating_mean = o->floating_mean};
    gnd_stream *stream = gndi_work_begin(fn, 4, given, 1, (const gnd_array *[]){out});
    s.failed = !stream || gndi_work_end(stream, stream->device->backend->lomb_scargle(stream, &plan, fn), fn) != GND_OK;
    return gndi_temporaries_end(&s, out);
}
