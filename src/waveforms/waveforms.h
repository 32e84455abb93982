/*
 * waveforms.h: what the fronts of waveforms and wavelets share.
 */
#ifndef GNDI_WAVEFORMS_WAVEFORMS_H
#define GNDI_WAVEFORMS_WAVEFORMS_H

#include "elementwise/temporaries.h"
#include "waveforms/wave_plan.h"
#include <gnd/waveforms.h>
#include <gnd/wavelets.h>

#define GNDI_PI 3.14159265358979323846264338327950288

/* What times are computed in: float32 or float64. Complex ones are refused. */
bool gndi_wave_dtype(gndi_temporaries *s, const gnd_array *t, const char *name, gnd_dtype *dtype);
/* An array in C order and of that dtype: itself, or a copy. */
const gnd_array *gndi_wave_dense(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype);
/* What a plan of that dtype reads and writes, besides its numbers; those left NULL are not there. */
typedef struct gndi_wave_arrays {
    const gnd_array *t, *w;
    gnd_array *out, *sine, *envelope;
} gndi_wave_arrays;
/* Carries out a plan on these arrays, of which `out` is there. */
void gndi_wave_run(gndi_temporaries *s, struct gndi_wave_plan *p, const gndi_wave_arrays *arrays);
/* A new array of t's shape, real or complex, of the precision of a plan. */
gnd_array *gndi_wave_new(gndi_temporaries *s, const gnd_array *t, gnd_dtype dtype, bool pairs);

/* The wavelets of gnd_cwt of the data, a row for each width, conjugated and reversed about the middle of the columns.
   dtype: float32 or float64. */
gnd_array *gndi_wavelet_rows(const char *fn, const gnd_array *data, gnd_wavelet wavelet, int64_t count,
                             const double *widths, double w, gnd_dtype dtype);

#endif
