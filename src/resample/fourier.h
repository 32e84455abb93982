/*
 * fourier.h: steps of formulas that change a signal's spectrum (analytic.c).
 */
#ifndef GNDI_RESAMPLE_FOURIER_H
#define GNDI_RESAMPLE_FOURIER_H

#include "fft/fft.h"

/* A new array of x's shape, but for n elements along an axis; not filled. */
gnd_array *gndi_fourier_new(gndi_temporaries *s, const gnd_array *x, int axis, int64_t n, gnd_dtype dtype);
/* A transform of n elements along an axis, neither it nor its inverse with a factor but this one (0: none); into `out`,
   which may be `a`, or a new array if that is NULL. */
gnd_array *gndi_fourier(gndi_temporaries *s, gndi_fft_kind kind, const gnd_array *a, int axis, int64_t n, double factor,
                        gnd_array *out);
/* Elements first .. last - 1 along an axis times a factor; 0 clears them, whatever they are. */
void gndi_fourier_scale(gndi_temporaries *s, const gnd_array *a, int axis, int64_t first, int64_t last, double factor);

/* gnd_resample of a spectrum of n elements along an axis: `num` elements, transformed back (resample_fft.c). */
gnd_array *gndi_resample_spectrum(gndi_temporaries *s, const gnd_array *x, int axis, int64_t num);
/* The same of a real signal of n elements, from the n / 2 + 1 that GNDI_RFFT gives, one of which may be scaled. */
gnd_array *gndi_resample_half(gndi_temporaries *s, const gnd_array *half, int axis, int64_t n, int64_t num);

#endif
