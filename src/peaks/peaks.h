/*
 * peaks.h: what the fronts of peaks share.
 */
#ifndef GNDI_PEAKS_PEAKS_H
#define GNDI_PEAKS_PEAKS_H

#include "elementwise/temporaries.h"
#include "peaks/peaks_plan.h"
#include <gnd/peaks.h>

/* x as a dense line of float32 or float64; NULL and raised: it has not one dimension, or is complex. */
const gnd_array *gndi_peaks_line(gndi_temporaries *s, const gnd_array *x);
/* Runs a plan with the hook `extrema`: x and out are dense. */
void gndi_extrema_run(gndi_temporaries *s, struct gndi_extrema_plan *p, const gnd_array *x, const gnd_array *out);

/* The arrays of a plan of properties; those that a kind does not have are NULL. */
typedef struct gndi_peak_arrays {
    gnd_array *a, *b, *c, *d, *e; /* float64 */
    gnd_array *left, *right;      /* int64 */
} gndi_peak_arrays;
/* Computes properties of peaks (int64, dense, valid) of a line. Arrays that the kind writes are made; WIDTHS reads a,
   left and right. */
void gndi_peaks_run(gndi_temporaries *s, struct gndi_peaks_plan *p, const gnd_array *x, const gnd_array *peaks,
                    gndi_peak_arrays *arrays);
/* How far from a peak its bases may be, of SciPy's wlen (0: anywhere). False, and raised: it is not above 1. */
bool gndi_peaks_reach(gndi_temporaries *s, double wlen, int64_t n, int64_t *reach);

#endif
