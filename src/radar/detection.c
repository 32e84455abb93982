/*
 * detection.c: detection at a constant false alarm rate by averages of cells. The sums are those of a sliding kernel
 * that is zero on the guard cells: a strong target's own cell is never added and taken off again.
 */
#include "radar/radar.h"
#include "convolve/convolve.h"
#include "elementwise/create.h"
#include <math.h>

static const char fn[] = "gnd_ca_cfar";

static double alpha_of(double pfa, int64_t n) {
    return (double)n * (pow(pfa, -1.0 / (double)n) - 1);
}

gnd_status gnd_cfar_alpha(double *alpha, double pfa, int64_t n) {
    static const char name[] = "gnd_cfar_alpha";
    if (!alpha) return gndi_raise_null(name, "alpha");
    if (!(pfa > 0 && pfa <= 1) || n < 1)
        return gndi_raise(GND_ERROR_VALUE, name,
                          "the probability is %g, and there are %lld cells; it must be above 0 and at most 1, and "
                          "there must be one",
                          pfa, (long long)n);
    *alpha = alpha_of(pfa, n);
    return GND_OK;
}

/* Cells along each axis: the guard, and with the reference cells. */
typedef struct window {
    gnd_shape guard, all;
    int64_t cells; /* reference cells */
} window;

static bool read_window(const gnd_array *x, const gnd_shape *guard, const gnd_shape *reference, double pfa, window *w) {
    int64_t inner = 1, outer = 1;
    if (gndi_dtype_is_complex(x->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, fn, "x has dtype %s; magnitudes or powers are real",
                   gnd_dtype_name((gnd_dtype)x->dtype));
        return false;
    }
    if (x->ndim == 0 || guard->ndim != x->ndim || reference->ndim != x->ndim) {
        gndi_raise(GND_ERROR_SHAPE, fn,
                   "x is %d-d, with %d counts of guard and %d of reference cells; there must be "
                   "one of each for an axis, and an axis",
                   x->ndim, guard->ndim, reference->ndim);
        return false;
    }
    w->guard.ndim = w->all.ndim = x->ndim;
    for (int k = 0; k < x->ndim; k++) {
        const int64_t g = guard->dim[k], r = reference->dim[k], most = x->shape[k] / 2;
        if (g < 0 || r < 0) {
            gndi_raise(GND_ERROR_VALUE, fn, "%lld guard and %lld reference cells along axis %d; none may be negative",
                       (long long)g, (long long)r, k);
            return false;
        }
        if (g > most || r > most || x->shape[k] <= 2 * (g + r)) {
            gndi_raise(GND_ERROR_SHAPE, fn,
                       "axis %d has %lld elements, too few for %lld guard and %lld reference "
                       "cells on either side",
                       k, (long long)x->shape[k], (long long)g, (long long)r);
            return false;
        }
        w->guard.dim[k] = 2 * g + 1, w->all.dim[k] = 2 * (g + r) + 1;
        inner *= w->guard.dim[k], outer *= w->all.dim[k];
    }
    w->cells = outer - inner;
    if (w->cells > 0 && pfa > 0 && pfa <= 1) return true;
    gndi_raise(GND_ERROR_VALUE, fn,
               "there are %lld reference cells, and the probability is %g; there must be one, and "
               "it must be above 0 and at most 1",
               (long long)w->cells, pfa);
    return false;
}

/* The part of x that begins at index `first` along each axis (counted in halves of a window), of a shape. */
static gnd_array *part_of(gndi_temporaries *s, gnd_array *x, const gnd_shape *first, const int64_t *shape) {
    for (int k = 0; k < x->ndim && !s->failed; k++) {
        gnd_array *next = gndi_step_part(s, x, k, first->dim[k] / 2, shape[k], 1);
        if (next) x = next;
    }
    return s->failed ? NULL : x;
}

/* alpha / cells on the reference cells, and 0 on the others. */
static gnd_array *ring(gndi_temporaries *s, const gnd_array *x, const window *w, double value, gnd_dtype dtype) {
    gnd_array *fresh = gndi_new_on_device_of(fn, x, x->ndim, w->all.dim, dtype);
    gnd_array *k = gndi_temporaries_keep(s, gndi_filled(fn, fresh, gnd_arg_real(value)));
    gnd_shape first = {.ndim = x->ndim};
    for (int a = 0; a < x->ndim; a++) first.dim[a] = w->all.dim[a] - w->guard.dim[a];
    gnd_array *inner = k ? part_of(s, k, &first, w->guard.dim) : NULL;
    if (inner) gndi_step_into(s, GNDI_OP_copy, inner, gnd_arg_real(0), gnd_arg_none(), NULL);
    return k;
}

gnd_array *gnd_ca_cfar(const gnd_array *x, gnd_shape guard, gnd_shape reference, double pfa, gnd_array **detections) {
    window w;
    if (detections) *detections = NULL;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (!read_window(x, &guard, &reference, pfa, &w)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype dtype = gndi_fft_real_of(x->dtype);
    gndi_sliding r = {.border = GNDI_BORDER_CONSTANT};
    for (int k = 0; k < x->ndim; k++) r.count[k] = x->shape[k] - w.all.dim[k] + 1;
    r.x = gndi_radar_as(&s, x, dtype);
    r.k = s.failed ? NULL : ring(&s, x, &w, alpha_of(pfa, w.cells) / (double)w.cells, dtype);
    const gnd_array *sums = s.failed ? NULL : gndi_slide(&s, &r);
    gnd_array *threshold =
        gndi_temporaries_keep(&s, gndi_zero(fn, gndi_new_on_device_of(fn, x, x->ndim, x->shape, dtype)));
    gnd_array *to = s.failed ? NULL : part_of(&s, threshold, &w.all, r.count);
    if (to) gndi_step_into(&s, GNDI_OP_copy, to, gnd_arg_array(sums), gnd_arg_none(), NULL);
    if (detections && !s.failed)
        gndi_temporaries_give(&s, gndi_step(&s, GNDI_OP_greater, gnd_arg_array(r.x), gnd_arg_array(threshold)),
                              detections);
    return gndi_temporaries_end(&s, threshold);
}
