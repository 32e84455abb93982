/*
 * mel_plan.h: spectra of frames to mel bands, as the front (melspectrogram.c) hands them to a backend. The filters are
 * triangles whose corners are bands + 2 frequencies. A bin between corners i and i + 1 is on the rising side of band i
 * and on the falling side of band i - 1, and in no other:
 *
 *     out[m] = sum over bins k of interval m of rise[k] |z[k]|^power
 *            + sum over bins k of interval m + 1 of fall[k] |z[k]|^power
 *
 * where interval i has the bins start[i] .. start[i + 1] - 1.
 */
#ifndef GNDI_MEL_PLAN_H
#define GNDI_MEL_PLAN_H

#include "spectral/stft_plan.h"

typedef struct gndi_mel_bands {
    int64_t bands;
    const void *rise, *fall; /* for each bin, float32 or float64 */
    const int32_t *start;    /* bands + 2 */
} gndi_mel_bands;

/* Dense rows of `bins` complex numbers, `group` of a line one behind the other, to rows of bands. */
struct gndi_mel_rows_plan {
    uint8_t wide; /* float64 */
    double power;
    gndi_mel_bands m;
    const char *z;
    int64_t rows, group, bins;
    char *out;        /* of the first row */
    int64_t out_line; /* bands from the first row of a line to that of the next */
};

/* From the samples at once: frames of nfft = 2^bits float32 samples, `stft` without a trend. Its window is half the
   one meant, its output is not used; samples beyond the ends are those of a border that repeats elements. */
struct gndi_mel_frames_plan {
    struct gndi_stft_plan stft;
    double power;
    gndi_mel_bands m;
    float *out; /* dense: lines of frames of bands */
    int bits;
};

enum { GNDI_MEL_LEAST_BITS = 7, GNDI_MEL_MOST_BITS = 13 };

#endif
