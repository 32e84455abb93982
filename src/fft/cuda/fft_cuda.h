/*
 * fft_cuda.h: what CUDA's parts of the `fft` hook share.
 *
 *     fft_cuda.c          a transform as passes that cuFFT can do, with copies where it can't
 *     fft_layout_cuda.c   whether, and how, a plan of cuFFT describes a pass
 *     fft_plans_cuda.c    plans of cuFFT, and their runs
 *     fft_columns_cuda.c  what gnd's own kernels do faster
 *     fft_odd_cuda.c      real lines with an odd number of elements
 *     fft_cosine_cuda.c   cosine and sine transforms
 */
#ifndef GNDI_FFT_CUDA_H
#define GNDI_FFT_CUDA_H

#include "kernels/cuda/run_launch.h"
#include "fft/fft_cache.h"
#include "fft/fft_plan.h"
#include "libraries/library_tables.h"

enum { GNDI_CUFFT_RANK = 3 };

/* One side of a plan of cuFFT, in elements: that at index (x0, x1, x2) of a block begins
   ((x0 embed[1] + x1) embed[2] + x2) stride behind the block, and `distance` is from one block to the next. */
typedef struct gndi_cufft_side {
    long long embed[GNDI_CUFFT_RANK], stride, distance;
} gndi_cufft_side;

/* The key of a plan in the cache. A plan of complex numbers serves both directions. */
typedef struct gndi_cufft_layout {
    int32_t type; /* gndi_fft_type */
    int32_t wide, rank, reserved;
    double factor; /* that its kernels multiply by; 0: none */
    long long n[GNDI_CUFFT_RANK], batch;
    gndi_cufft_side in, out;
} gndi_cufft_layout;

/* A running transform (run_launch.h runs it twice). Its plans are found in the first, measuring run. */
typedef struct gndi_cuda_fft_job {
    const gndi_fft_plan *plan;
    const gndi_cufft *cufft;
    int found, next; /* plans; the next one to be run */
    gndi_fft_entry *entry[GND_MAX_DIMS];
    bool multiplies[GND_MAX_DIMS]; /* whether a plan's kernels have the factor */
} gndi_cuda_fft_job;

/* ---- layouts (fft_layout_cuda.c) -------------------------------------------------------------- */

/* Sorts the axes of a batch by the output's strides (or the input's), makes these nonnegative if possible, and merges
   contiguous axes. */
void gndi_fft_merge_batch(gndi_fft_plan *p, bool by_input);
/* Whether axis `outer` can precede axis `inner` in a plan of cuFFT. */
bool gndi_fft_nests(const gndi_fft_plan *p, int outer, int inner);
/* Describes a pass of up to three axes as a plan of cuFFT. One run does one axis of the batch, which becomes the last
   one of p; the plan is run for each index of the others. False if it cannot be described, or if that would be many
   short runs. */
bool gndi_cufft_describe(gndi_fft_plan *p, gndi_cufft_layout *layout);
/* Sets one side's strides to those of a dense array with the batch in front; returns its bytes. */
int64_t gndi_fft_make_dense(gndi_fft_plan *p, bool output);

/* ---- plans (fft_plans_cuda.c) ----------------------------------------------------------------- */

/* Measuring: finds the job's next plan; else runs it. A factor is set to 1 if the plan's own kernels
   multiply by it. */
gnd_status gndi_cufft_run(gndi_cuda_run *run, gndi_cuda_fft_job *job, const gndi_fft_plan *pass,
                          const gndi_cufft_layout *layout, double *factor);

/* ---- columns (fft_columns_cuda.c) ------------------------------------------------------------- */

/* Moves the axes that gnd's own kernels transform from p to `columns`, which is to be run after the rest of p (no axes:
   all of p has moved). The factor moves along. False, and p unchanged, if there are none. d: NULL for any GPU.
   `last`: no further pass reads the result. */
bool gndi_cuda_split_columns(gndi_fft_plan *p, gndi_fft_plan *columns, const gndi_device *d);
gnd_status gndi_cuda_columns(gndi_cuda_run *run, const gndi_fft_plan *columns, bool last);
/* log2 of a power of two, else -1; bytes of a plan's result; the shared memory that a block may have, on any GPU for
   NULL. */
int gndi_cuda_fft_bits(int64_t n);
int64_t gndi_cuda_fft_bytes(const gndi_fft_plan *p);
int64_t gndi_cuda_fft_shared(const gndi_device *d);
/* Whether the kernels take a plan of one axis, in a block with `shared` bytes of shared memory. */
bool gndi_cuda_are_columns(const gndi_fft_plan *plan, int64_t shared);
/* Whether a plan is of dense lines that gnd's own kernels transform. */
bool gndi_cuda_takes_lines(const gndi_fft_plan *p, const gndi_device *d);
gnd_status gndi_cuda_fft_lines(gndi_cuda_run *run, const gndi_fft_plan *p);

/* ---- real matrices (fft_matrix_cuda.c) -------------------------------------------------------- */

/* Whether a plan is of large real matrices that gnd's own kernels transform in two passes. */
bool gndi_cuda_takes_matrix(const gndi_fft_plan *p, const gndi_device *d);
gnd_status gndi_cuda_matrix(gndi_cuda_run *run, const gndi_fft_plan *p);

/* ---- passes (fft_cuda.c), real lines of odd numbers (fft_odd_cuda.c) ---------------------------- */

/* A transform along axes that cuFFT takes at once. */
gnd_status gndi_cuda_fft_pass(gndi_cuda_run *run, gndi_cuda_fft_job *job, const gndi_fft_plan *p);
/* Whether cuFFT would transform two of a plan's real lines at a time; then such a pass of one axis. */
bool gndi_cuda_fft_shares(const gndi_fft_plan *p);
gnd_status gndi_cuda_fft_odd(gndi_cuda_run *run, gndi_cuda_fft_job *job, const gndi_fft_plan *p);

/* ---- copies (fft_cuda.c), cosines and sines (fft_cosine_cuda.c) --------------------------------- */

/* Copies an operand of a plan to that of another, with the same axes in the same order, times a factor. */
gnd_status gndi_cuda_fft_copy(gndi_cuda_run *run, const gndi_fft_plan *to, bool to_output, const gndi_fft_plan *from,
                              bool from_output, double factor);
/* The job's transform, of R2R. */
gnd_status gndi_cuda_fft_dct(gndi_cuda_run *run, gndi_cuda_fft_job *job);

#endif
