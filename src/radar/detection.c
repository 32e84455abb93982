/*
 * detection.c: detection at a constant false alarm rate by averages of cells. Sums are taken along one axis after the
 * other: with O[k] the sums over the whole box along axis k and those behind it, and G[k] without the guard cells,
 *
 *     O[k] = whole box of O[k + 1],   G[k] = reference cells of O[k + 1] + guard cells of G[k + 1]
 *
 * so that a strong target's own cell is never added and taken off again.
 */
#include "radar/radar.h"
#include "convolve/convolve.h"
#include "elementwise/create.h"
#include <math.h>

static const char fn[] = "gnd_ca_cfar";

enum { MOST_AXES = 8 };

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
    if (x->ndim == 0 || x->ndim > MOST_AXES || guard->ndim != x->ndim || reference->ndim != x->ndim) {
        gndi_raise(GND_ERROR_SHAPE, fn,
                   "x is %d-d, with %d counts of guard and %d of reference cells; there must be "
                   "one of each for an axis, and 1 to %d axes",
                   x->ndim, guard->ndim, reference->ndim, MOST_AXES);
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

/* Which cells along an axis are added up. */
typedef enum cells {
    WHOLE,
    REFERENCE,
    GUARD,
} cells;

/* Sums of x along an axis of its cells, for each place where the whole box fits. */
static gnd_array *sums_along(gndi_temporaries *whole, const gnd_array *x, int axis, const window *w, cells which) {
    gndi_temporaries s = {.fn = fn};
    const int64_t all = w->all.dim[axis], guard = w->guard.dim[axis];
    gndi_sliding r = {.x = x, .border = GNDI_BORDER_CONSTANT};
    int64_t shape[GND_MAX_DIMS];
    if (whole->failed) return NULL;
    for (int k = 0; k < x->ndim; k++) shape[k] = 1, r.count[k] = x->shape[k];
    shape[axis] = which == GUARD ? guard : all, r.count[axis] -= all - 1;
    if (which == GUARD) r.first[axis] = (all - guard) / 2;
    gnd_array *fresh = gndi_new_on_device_of(fn, x, x->ndim, shape, (gnd_dtype)x->dtype);
    r.k = gndi_temporaries_keep(&s, gndi_filled(fn, fresh, gnd_arg_real(1)));
    gnd_array *middle = r.k && which == REFERENCE ? gndi_step_part(&s, r.k, axis, (all - guard) / 2, guard, 1) : NULL;
    if (middle) gndi_step_into(&s, GNDI_OP_copy, middle, gnd_arg_real(0), gnd_arg_none(), NULL);
    return gndi_temporaries_keep(whole, gndi_temporaries_end(&s, s.failed ? NULL : gndi_slide(&s, &r)));
}

/* Sums of the reference cells, for each place where the box fits. */
static const gnd_array *reference_sums(gndi_temporaries *s, const gnd_array *x, const window *w) {
    const gnd_array *whole = x;
    gnd_array *sums = NULL;
    for (int axis = x->ndim - 1; axis >= 0 && !s->failed; axis--) {
        gnd_array *next = w->all.dim[axis] > w->guard.dim[axis] ? sums_along(s, whole, axis, w, REFERENCE) : NULL;
        gnd_array *inner = sums && !s->failed ? sums_along(s, sums, axis, w, GUARD) : NULL;
        if (next && inner) gndi_step_in_place(s, GNDI_OP_add, next, gnd_arg_array(inner));
        sums = next ? next : inner;
        if (axis > 0 && !s->failed) whole = sums_along(s, whole, axis, w, WHOLE);
    }
    return s->failed ? NULL : sums;
}

/* The places of x where the whole box fits. */
static gnd_array *middle_of(gndi_temporaries *s, gnd_array *x, const window *w) {
    for (int k = 0; k < w->all.ndim && !s->failed; k++) {
        const int64_t all = w->all.dim[k];
        gnd_array *next = gndi_step_part(s, x, k, all / 2, x->shape[k] - all + 1, 1);
        if (next) x = next;
    }
    return s->failed ? NULL : x;
}

gnd_array *gnd_ca_cfar(const gnd_array *x, gnd_shape guard, gnd_shape reference, double pfa, gnd_array **detections) {
    window w;
    if (detections) *detections = NULL;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (!read_window(x, &guard, &reference, pfa, &w)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype dtype = gndi_fft_real_of(x->dtype);
    const gnd_array *of = gndi_radar_as(&s, x, dtype), *sums = s.failed ? NULL : reference_sums(&s, of, &w);
    gnd_array *threshold =
        gndi_temporaries_keep(&s, gndi_zero(fn, gndi_new_on_device_of(fn, x, x->ndim, x->shape, dtype)));
    gnd_array *to = s.failed ? NULL : middle_of(&s, threshold, &w);
    const double factor = alpha_of(pfa, w.cells) / (double)w.cells;
    if (to) gndi_step_into(&s, GNDI_OP_multiply, to, gnd_arg_array(sums), gnd_arg_real(factor), NULL);
    if (detections && !s.failed)
        gndi_temporaries_give(&s, gndi_step(&s, GNDI_OP_greater, gnd_arg_array(of), gnd_arg_array(threshold)),
                              detections);
    return gndi_temporaries_end(&s, threshold);
}
