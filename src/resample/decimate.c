/*
 * decimate.c: gnd_decimate: every q-th element of a signal behind a low-pass filter.
 */
#include "filter/filter.h"
#include "resample/resample.h"
#include "runtime/runtime.h"

static const char fn[] = "gnd_decimate";

static bool check(const gnd_array *x, int64_t q, const gnd_decimate_options *o) {
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), false;
    if (gndi_optional_missing(fn, o->sos, "sos") || gndi_optional_missing(fn, o->taps, "taps")) return false;
    if (q < 1 || q > INT32_MAX) {
        gndi_raise(GND_ERROR_VALUE, fn, "the factor is %lld; it must be between 1 and 2^31 - 1", (long long)q);
        return false;
    }
    if (o->n < 0 || o->n > INT32_MAX) {
        gndi_raise(GND_ERROR_VALUE, fn, "the order is %lld; it must be between 1 and 2^31 - 1, or 0", (long long)o->n);
        return false;
    }
    if ((unsigned)o->type > GND_DECIMATE_FIR) {
        gndi_raise(GND_ERROR_INVALID, fn, "there is no type number %d", (int)o->type);
        return false;
    }
    if (!o->sos || !o->taps) return true;
    gndi_raise(GND_ERROR_INVALID, fn, "both sos and taps are given; the filter is one of them");
    return false;
}

/* What is computed in. */
static gnd_dtype work_dtype(const gnd_array *x) {
    const bool keeps = gndi_dtype_is_complex(x->dtype) || x->dtype == GND_FLOAT32 || x->dtype == GND_FLOAT64;
    return keeps ? (gnd_dtype)x->dtype : GND_FLOAT64;
}

/* The taps at work: as many elements as there are multiples of q in the axis. */
static gnd_array *by_taps(gndi_temporaries *s, const gnd_array *x, int64_t q, int axis, gnd_dtype dtype,
                          const gnd_decimate_options *o) {
    static const gnd_window hamming = {.name = "hamming"};
    const bool wide = dtype == GND_FLOAT64 || dtype == GND_COMPLEX128;
    const int64_t order = o->n ? o->n : 20 * q;
    gndi_upfirdn_request r = {.up = 1, .down = q, .scale = 1};
    if (o->taps && gndi_check_together(fn, x, "x", o->taps, "taps")) return gndi_temporaries_keep(s, NULL);
    if (o->taps) dtype = gnd_promote_types(dtype, (gnd_dtype)o->taps->dtype);
    r.h = o->taps ? gndi_upfirdn_taps(s, o->taps, "taps", dtype)
                  : gndi_lowpass(s, x, order + 1, 1.0 / (double)q, &hamming, wide ? GND_FLOAT64 : GND_FLOAT32);
    if (s->failed) return NULL;
    r.offset = o->delayed ? 0 : (r.h->size - 1) / 2;
    r.out = gndi_lines_new(s, x, axis, gndi_ceil_div(x->shape[axis], q), dtype);
    r.x = gndi_lines_of(s, x, axis, dtype);
    gndi_upfirdn_lines(s, &r);
    return gndi_lines_back(s, r.out, axis);
}

/* A Chebyshev filter in x's precision, on the CPU, which reads it. */
static gnd_array *sections(gndi_temporaries *s, int64_t q, int64_t order, gnd_dtype dtype) {
    const double edge = 0.8 / (double)q;
    gnd_filter_design design = {0};
    const gnd_iir_options options = {.output = GND_SOS};
    gnd_status status = GND_OK;
    GND_USE(gnd_cpu()) status = gnd_cheby1(&design, (int)order, 0.05, 1, &edge, &options);
    if (status) return gndi_temporaries_keep(s, NULL);
    gnd_array *sos = gndi_temporaries_keep(s, design.sos);
    if (dtype == GND_FLOAT64 || dtype == GND_COMPLEX128) return sos;
    return gndi_temporaries_keep(s, gndi_copy_as(fn, sos, GND_FLOAT32, 'C'));
}

static gnd_array *by_sections(gndi_temporaries *s, const gnd_array *x, int64_t q, int axis, gnd_dtype dtype,
                              const gnd_decimate_options *o) {
    const gnd_array *sos = o->sos ? o->sos : sections(s, q, o->n ? o->n : 8, dtype);
    if (!s->failed && (gnd_dtype)x->dtype != dtype) x = gndi_temporaries_keep(s, gndi_copy_as(fn, x, dtype, 'K'));
    if (s->failed) return NULL;
    if (!o->delayed) return gndi_temporaries_keep(s, gndi_sosfiltfilt_every(fn, sos, x, axis, q));
    gnd_array *y = gnd_sosfilt(sos, x, axis, NULL, NULL);
    if (!gndi_temporaries_keep(s, y)) return NULL;
    gnd_array *part = gndi_step_part(s, y, axis, 0, gndi_ceil_div(y->shape[axis], q), q);
    return s->failed ? NULL : gndi_temporaries_keep(s, gndi_copy_as(fn, part, (gnd_dtype)part->dtype, 'K'));
}

gnd_array *gnd_decimate(const gnd_array *x, int64_t q, int axis, const gnd_decimate_options *options) {
    static const gnd_decimate_options defaults = {0};
    if (!options) options = &defaults;
    if (!check(x, q, options) || !gndi_normalize_axis(fn, axis, x->ndim, &axis)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype dtype = work_dtype(x);
    const bool fir = options->taps || (!options->sos && options->type == GND_DECIMATE_FIR);
    gnd_array *y = fir ? by_taps(&s, x, q, axis, dtype, options) : by_sections(&s, x, q, axis, dtype, options);
    return gndi_temporaries_end(&s, y);
}
