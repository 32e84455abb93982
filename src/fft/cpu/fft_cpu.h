/*
 * fft_cpu.h: what the CPU's parts of the `fft` hook share.
 *
 *     fft_cpu.c           a transform in one pass or several
 *     fft_cpu_shared.c    on several threads
 *     fft_plans_cpu.c     plans of FFTW, and their runs
 *     fft_cpu_columns.c   axes with large strides
 *     fft_cpu_scale.c     factors: of all elements, and of those at the ends of axes
 */
#ifndef GNDI_FFT_CPU_H
#define GNDI_FFT_CPU_H

#include "elementwise/elementwise.h"
#include "fft/fft_cache.h"
#include "fft/fft_plan.h"
#include "libraries/library_tables.h"

/* ---- plans ------------------------------------------------------------------------------------ */

/* FFTW's plan for a transform, taken from the cache or made; NULL and an error if that fails. It may use `threads` of
   FFTW's own threads. */
gndi_fft_entry *gndi_fftw_plan(gndi_device *d, const gndi_fft_plan *p, int threads, const char *fn);
void gndi_fftw_run(const gndi_fft_plan *p, const gndi_fft_entry *plan);
/* The bytes of the complex numbers of a transform. */
int64_t gndi_fft_bytes(const gndi_fft_plan *p);

/* ---- threads ---------------------------------------------------------------------------------- */

/* A transform without its factor, on as many threads as its size justifies. */
gnd_status gndi_fft_shared(gnd_stream *s, const gndi_fft_plan *p, const char *fn);
/* Moves an axis of a plan (not the halved one) to the batch, and returns its transform as a pass of its own, within the
   output. */
gndi_fft_plan gndi_fft_split_off(gndi_fft_plan *p, int i);

/* ---- columns ---------------------------------------------------------------------------------- */

/* Whether an axis is long, and its stride large: then some of its lines at a time are copied to dense workspace, and
   back. */
bool gndi_fft_is_far(const gndi_fft_plan *p, int axis);
/* A transform of one such axis, not of cosines and sines, factor included. */
gnd_status gndi_fft_columns(gnd_stream *s, const gndi_fft_plan *p, const char *fn);

/* ---- factors ---------------------------------------------------------------------------------- */

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
/* The factors at the ends that make a cosine or sine transform orthogonal: before it, of elements at `data` in the
   strides of the results; and after it. */
bool gndi_fft_has_ends_before(const gndi_fft_plan *p);
void gndi_fft_scale_ends(const gndi_fft_plan *p, char *data, bool of_results, bool before);

#endif
