/*
 * fft_cpu.h: what the CPU's parts of the `fft` hook share.
 *
 *     fft_cpu.c         plans of FFTW, and their runs
 *     fft_cpu_scale.c   factors: of all elements, and of those at the ends of axes
 */
#ifndef GNDI_FFT_CPU_H
#define GNDI_FFT_CPU_H

#include "kernels/fft_plan.h"
#include "runtime/runtime.h"

/* The elements of one side of a plan, as real numbers: complex ones are pairs. */
typedef struct gndi_fft_block {
    char *data;
    bool wide;
    int ndim;
    int64_t shape[GNDI_FFT_AXES + 1], stride[GNDI_FFT_AXES + 1]; /* bytes */
} gndi_fft_block;

gndi_fft_block gndi_fft_results(const gndi_fft_plan *p);
/* x *= factor, on all threads. */
void gndi_fft_scale(const gndi_fft_block *block, double factor);
/* out = in, of two blocks of one shape. */
void gndi_fft_copy(const gndi_fft_block *out, const gndi_fft_block *in);
/* The factors at the ends that make a cosine or sine transform orthogonal: before it, of the elements that
   lie at `data` in the strides of the results; and behind it. */
bool gndi_fft_has_ends_before(const gndi_fft_plan *p);
void gndi_fft_scale_ends(const gndi_fft_plan *p, char *data, bool of_results, bool before);

#endif
