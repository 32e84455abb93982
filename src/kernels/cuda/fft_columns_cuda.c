/*
 * fft_columns_cuda.c: transforms of complex64 along axes of which neighbours lie far apart, by kernels of
 * gnd's own (fft_columns.cuh). cuFFT reads such an axis in pieces that are too small, or goes over it several
 * times; and here the factor costs nothing. So the axes of a transform of which other axes are dense are split
 * off, and cuFFT does the rest before.
 */
#include "kernels/cuda/fft_columns_params.h"
#include "kernels/cuda/fft_cuda.h"
#include "runtime/runtime_cuda.h"

const void *gndi_cuda_columns_kernel(int bits, bool rows, bool twists); /* fft_columns_kernels.cu */

/* Results of fewer bytes are left to cuFFT, which does several axes in one launch. Chosen, not measured. */
#define LEAST_BYTES ((int64_t)4 << 20)

static int bits_of(int64_t n) {
    int bits = 0;
    while ((INT64_C(1) << bits) < n) bits++;
    return INT64_C(1) << bits == n ? bits : -1;
}

static int64_t bytes_of(const gndi_fft_plan *p) {
    int64_t bytes = gndi_fft_out_size(p);
    for (int i = 0; i < p->axes; i++) bytes *= gndi_fft_out_count(p, i);
    for (int i = 0; i < p->batches; i++) bytes *= p->batch[i].n;
    return bytes;
}

/* The shared memory that a block may have; NULL: of some GPU. */
static int64_t shared_of(const gndi_device *d) {
    int bytes = 0;
    if (!d) return INT64_MAX;
    return cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->id.index)
               ? 0
               : bytes;
}

/* ---- whether an axis is one of columns -------------------------------------------------------- */

/* Axis i by itself, all others in its batch; `within`: of the output. */
static gndi_fft_plan only(const gndi_fft_plan *p, int i, bool within) {
    gndi_fft_plan one = *p;
    one.axes = 1, one.axis[0] = p->axis[i];
    for (int k = 0; k < p->axes; k++)
        if (k != i)
            one.batch[one.batches++] =
                (gndi_fft_axis){gndi_fft_out_count(p, k), p->axis[k].in, p->axis[k].out};
    if (within) {
        one.in = one.out, one.axis[0].in = one.axis[0].out;
        for (int k = 0; k < one.batches; k++) one.batch[k].in = one.batch[k].out;
    }
    one.type = GNDI_FFT_C2C;
    gndi_fft_merge_batch(&one, false);
    return one;
}

/* Whether the kernels take a plan of one axis: its columns lie side by side, and their count wastes at most a
   fifth of the blocks. */
static bool are_columns(const gndi_fft_plan *one, int64_t shared) {
    enum { ELEMENT = 8 };
    const int bits = bits_of(one->axis[0].n);
    if (one->wide || bits < GNDI_COLUMNS_LEAST_BITS || bits > GNDI_COLUMNS_MOST_BITS) return false;
    if (!one->batches || one->batches > GNDI_COLUMNS_AXES + 1) return false;
    if (GNDI_COLUMNS_SHARED(bits) > shared) return false;
    const gndi_fft_axis *side = &one->batch[one->batches - 1];
    const int64_t each = GNDI_COLUMNS_SIDE(bits), tiles = (side->n + each - 1) / each;
    int64_t blocks = tiles;
    for (int k = 0; k < one->batches - 1; k++) blocks *= one->batch[k].n;
    return side->in == ELEMENT && side->out == ELEMENT && tiles * each * 4 <= side->n * 5 &&
           blocks <= INT32_MAX;
}

/* ---- splitting -------------------------------------------------------------------------------- */

/* Whether cuFFT does the other axes without copies and in one run. */
static bool leaves_simple(const gndi_fft_plan *rest) {
    gndi_fft_plan p = *rest;
    gndi_cufft_layout layout;
    gndi_fft_merge_batch(&p, false);
    return p.batches <= 1 && gndi_cufft_describe(&p, &layout);
}

/* The axis to begin with, if it goes from the input to the output; -1 if none can. */
static int first_axis(const gndi_fft_plan *p, int64_t shared) {
    for (int i = 0; i < p->axes; i++) {
        const gndi_fft_plan one = only(p, i, false);
        if (are_columns(&one, shared)) return i;
    }
    return -1;
}

bool gndi_cuda_split_columns(gndi_fft_plan *p, gndi_fft_plan *columns, const gndi_device *d) {
    if (p->type == GNDI_FFT_C2R || p->wide || bytes_of(p) < LEAST_BYTES) return false;
    const int64_t shared = shared_of(d);
    gndi_fft_plan rest = *p;
    *columns = *p;
    columns->axes = rest.axes = 0;
    for (int i = 0; i < p->axes; i++) {
        const bool halved = p->type == GNDI_FFT_R2C && i == p->axes - 1;
        const gndi_fft_plan one = only(p, i, true);
        if (!halved && are_columns(&one, shared))
            columns->axis[columns->axes++] = p->axis[i];
        else
            rest.axis[rest.axes++] = p->axis[i];
    }
    if (columns->axes == 0) return false;
    for (int i = 0; i < rest.axes; i++) {
        const gndi_fft_axis *a = &rest.axis[i];
        columns->batch[columns->batches++] =
            (gndi_fft_axis){gndi_fft_out_count(&rest, i), a->in, a->out};
    }
    for (int i = 0; i < columns->axes; i++) rest.batch[rest.batches++] = columns->axis[i];
    columns->type = GNDI_FFT_C2C;
    rest.scale = 1; /* the factor is the columns' */
    const int first = rest.axes ? 0 : first_axis(columns, shared);
    if (first < 0 || (rest.axes && !leaves_simple(&rest))) return false;
    const gndi_fft_axis axis = columns->axis[first];
    columns->axis[first] = columns->axis[0], columns->axis[0] = axis;
    if (rest.axes) columns->in = columns->out;
    *p = rest;
    return true;
}

/* ---- running ---------------------------------------------------------------------------------- */

static gnd_status launch(gndi_cuda_run *run, const gndi_fft_plan *one) {
    const int bits = bits_of(one->axis[0].n), last = one->batches - 1;
    const int64_t each = GNDI_COLUMNS_SIDE(bits);
    gndi_columns_params p = {.in = one->in,
                             .out = one->out,
                             .in_step = one->axis[0].in,
                             .out_step = one->axis[0].out,
                             .in_side = one->batch[last].in,
                             .out_side = one->batch[last].out,
                             .columns = one->batch[last].n,
                             .axes = (uint32_t)last,
                             .inverse = one->inverse,
                             .factor = (float)one->scale};
    int64_t blocks = (p.columns + each - 1) / each;
    p.tiles = (uint32_t)blocks;
    for (int i = 0; i < last; i++) {
        const gndi_fft_axis *a = &one->batch[last - 1 - i];
        p.n[i] = (uint32_t)a->n, p.in_apart[i] = a->in, p.out_apart[i] = a->out;
        blocks *= a->n;
    }
    return gndi_cuda_run_launch(run, gndi_cuda_columns_kernel(bits, false, false), blocks,
                                GNDI_COLUMNS_THREADS(bits), GNDI_COLUMNS_SHARED(bits), &p);
}

gnd_status gndi_cuda_columns(gndi_cuda_run *run, const gndi_fft_plan *columns) {
    gnd_status status = GND_OK;
    for (int i = 0; i < columns->axes && !status; i++) {
        gndi_fft_plan one = only(columns, i, i > 0 || columns->in == columns->out);
        if (i < columns->axes - 1) one.scale = 1;
        status = launch(run, &one);
    }
    return status;
}
