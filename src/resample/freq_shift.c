/*
 * freq_shift.c: gnd_freq_shift: signals moved along the axis of frequencies.
 */
#include "resample/resample.h"
#include "resample/freq_shift_plan.h"
#include "array/view.h"
#include "runtime/runtime.h"

static const char fn[] = "gnd_freq_shift";

static bool check_numbers(double freq, double fs) {
    if (isfinite(freq) && isfinite(fs) && fs != 0) return true;
    gndi_raise(GND_ERROR_VALUE, fn, "freq is %g and fs is %g; both must be finite, and fs not 0", freq, fs);
    return false;
}

/* What x is computed in: its own dtype if that is wide enough, and a floating one. */
static gnd_dtype work_dtype(const gnd_array *x) {
    if (gndi_dtype_is_complex(x->dtype)) return (gnd_dtype)x->dtype;
    return gndi_dtype_is_float(x->dtype) ? gnd_promote_types((gnd_dtype)x->dtype, GND_FLOAT32) : GND_FLOAT64;
}

static void shift(gndi_temporaries *s, const gnd_array *x, const gnd_array *out, double freq, double fs) {
    if (s->failed || out->size == 0) return;
    const gndi_freq_shift_plan plan = {.x = gndi_data(x),
                                       .out = gndi_data(out),
                                       .n = x->shape[x->ndim - 1],
                                       .freq = freq,
                                       .fs = fs,
                                       .grid = gndi_lines_grid(x, out),
                                       .dtype = x->dtype};
    gnd_stream *stream = gndi_work_begin(fn, 1, &x, 1, &out);
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->freq_shift(stream, &plan, fn), fn);
}

gnd_array *gnd_freq_shift(const gnd_array *x, double freq, double fs, int axis) {
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (!check_numbers(freq, fs) || !gndi_normalize_axis(fn, axis, x->ndim, &axis)) return NULL;
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype dtype = work_dtype(x);
    const bool wide = dtype == GND_FLOAT64 || dtype == GND_COMPLEX128;
    gnd_array *lines = gndi_lines_of(&s, x, axis, dtype);
    gnd_array *out = gndi_lines_new(&s, x, axis, x->shape[axis], wide ? GND_COMPLEX128 : GND_COMPLEX64);
    shift(&s, lines, out, freq, fs);
    return gndi_temporaries_end(&s, gndi_lines_back(&s, out, axis));
}
