/*
 * fft_matrix_cuda.c: rfft2 of large matrices in two passes of gnd's own kernels. The first transforms columns, two
 * neighbouring real columns as one complex column, so that its rows stay aligned to sectors of memory. The
 * second transforms rows in pairs (gndi_pairs_params). 4096 x 4096 takes 103.6 us on an H200, one cuFFT plan 127.9
 * (kernels alone, measured).
 */
#include "fft/cuda/fft_columns_params.h"
#include "fft/cuda/fft_cuda.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_columns_kernel(int bits, int kind); /* fft_columns_kernels.cu */

enum { REAL = 4, PAIR = 8 };

static bool is_length(int64_t n) {
    const int bits = gndi_cuda_fft_bits(n);
    return bits >= GNDI_COLUMNS_LEAST_BITS && bits <= GNDI_COLUMNS_MOST_BITS;
}

/* The first pass: columns of pairs of neighbours, to dense matrices. */
static void first_pass(const gndi_fft_plan *p, gndi_fft_plan *columns) {
    const gndi_fft_axis *rows = &p->axis[0], *row = &p->axis[1];
    int64_t stride = row->n / 2 * PAIR;
    gndi_fft_copy_plan(columns, p);
    columns->type = GNDI_FFT_C2C, columns->spare = false, columns->scale = 1;
    columns->axes = 1;
    columns->axis[0] = (gndi_fft_axis){rows->n, rows->in, stride};
    stride *= rows->n;
    for (int i = columns->batches - 1; i >= 0; i--) {
        columns->batch[i].out = stride;
        stride *= columns->batch[i].n;
    }
    columns->batch[columns->batches++] = (gndi_fft_axis){row->n / 2, PAIR, PAIR};
}

bool gndi_cuda_takes_matrix(const gndi_fft_plan *p, const gndi_device *d) {
    if (p->type != GNDI_FFT_R2C || p->wide || p->axes != 2 || p->batches > GNDI_COLUMNS_AXES) return false;
    const gndi_fft_axis *rows = &p->axis[0], *row = &p->axis[1];
    if (!is_length(rows->n) || !is_length(row->n) || row->in != REAL || row->out != PAIR ||
        gndi_cuda_fft_bytes(p) < (int64_t)GNDI_COLUMNS_LARGE_MB << 20)
        return false;
    bool even = (uintptr_t)p->in % PAIR == 0 && rows->in % PAIR == 0;
    int64_t matrices = 1;
    for (int i = 0; i < p->batches; i++) {
        even = even && p->batch[i].in % PAIR == 0;
        matrices *= p->batch[i].n;
    }
    const int bits = gndi_cuda_fft_bits(row->n);
    const int64_t shared = gndi_cuda_fft_shared(d);
    gndi_fft_plan columns;
    first_pass(p, &columns);
    return even && matrices * rows->n <= INT32_MAX && GNDI_COLUMNS_SHARED(bits, GNDI_ROWS_SIDE(bits)) <= shared &&
           gndi_cuda_are_columns(&columns, shared);
}

gnd_status gndi_cuda_matrix(gndi_cuda_run *run, const gndi_fft_plan *p) {
    const gndi_fft_axis *rows = &p->axis[0], *row = &p->axis[1];
    const int bits = gndi_cuda_fft_bits(row->n), side = GNDI_ROWS_SIDE(bits);
    const size_t used = run->used;
    gndi_fft_plan columns;
    first_pass(p, &columns);
    int64_t matrices = 1;
    for (int i = 0; i < p->batches; i++) matrices *= p->batch[i].n;
    columns.out = gndi_cuda_take(run, matrices * rows->n * row->n / 2 * PAIR);
    gndi_pairs_params pairs = {.in = columns.out,
                               .out = p->out,
                               .in_row = columns.axis[0].out,
                               .out_row = rows->out,
                               .axes = (uint32_t)p->batches,
                               .rows = (uint32_t)rows->n,
                               .factor = (float)(p->scale / 2)};
    for (int i = 0; i < p->batches; i++) {
        const int from = p->batches - 1 - i;
        pairs.n[i] = (uint32_t)p->batch[from].n;
        pairs.in_stride[i] = columns.batch[from].out, pairs.out_stride[i] = p->batch[from].out;
    }
    pairs.tiles = (uint32_t)((rows->n / 2 + 1 + side - 1) / side);
    gnd_status status = gndi_cuda_columns(run, &columns, false);
    if (!status)
        status =
            gndi_cuda_run_launch(run, gndi_cuda_columns_kernel(bits, GNDI_COLUMNS_PAIRS), pairs.tiles * matrices,
                                 GNDI_COLUMNS_THREADS(bits, side), (size_t)GNDI_COLUMNS_SHARED(bits, side), &pairs);
    run->used = used;
    return status;
}
