/*
 * fft_columns_cuda.c: transforms of complex64 by gnd's own kernels (fft_columns.cuh), where cuFFT would pass over
 * the data more often: along axes with large strides, which are split off, so that cuFFT does the rest first; of
 * lines that do not fit shared memory; where a factor would cost cuFFT a pass over the result; and of lines of a
 * few lengths.
 */
#include "fft/cuda/fft_columns_params.h"
#include "fft/cuda/fft_cuda.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_columns_kernel(int bits, int kind); /* fft_columns_kernels.cu */

/* Measured on an H200: for results of fewer bytes cuFFT's kernels are as fast. It is as fast for several axes up to
   LARGE_BYTES, which fit the L2 cache, and for lines of up to a million elements. */
#define LEAST_BYTES ((int64_t)4 << 20)
#define LARGE_BYTES ((int64_t)GNDI_COLUMNS_LARGE_MB << 20)
enum { ELEMENT = 8, LEAST_LINE_BITS = 20, RESIDENT_THREADS = 1024 /* of a processor: the kernels' bound */ };

int gndi_cuda_fft_bits(int64_t n) {
    int bits = 0;
    while ((INT64_C(1) << bits) < n) bits++;
    return INT64_C(1) << bits == n ? bits : -1;
}

int64_t gndi_cuda_fft_bytes(const gndi_fft_plan *p) {
    int64_t bytes = gndi_fft_out_size(p);
    for (int i = 0; i < p->axes; i++) bytes *= gndi_fft_out_count(p, i);
    for (int i = 0; i < p->batches; i++) bytes *= p->batch[i].n;
    return bytes;
}

int64_t gndi_cuda_fft_shared(const gndi_device *d) {
    return d ? d->shared_bytes : INT64_MAX;
}

/* ---- whether an axis is one of columns -------------------------------------------------------- */

/* The plan of axis i alone, with all others in its batch; `within`: within the output. */
static gndi_fft_plan only(const gndi_fft_plan *p, int i, bool within) {
    gndi_fft_plan one = *p;
    one.axes = 1, one.axis[0] = p->axis[i];
    for (int k = 0; k < p->axes; k++)
        if (k != i) one.batch[one.batches++] = (gndi_fft_axis){gndi_fft_out_count(p, k), p->axis[k].in, p->axis[k].out};
    if (within) {
        one.in = one.out, one.axis[0].in = one.axis[0].out;
        for (int k = 0; k < one.batches; k++) one.batch[k].in = one.batch[k].out;
    }
    one.type = GNDI_FFT_C2C;
    gndi_fft_merge_batch(&one, false);
    return one;
}

/* Whether the kernels take a plan of one axis: its columns are adjacent, and at most a fifth of the columns of all
   blocks is unused. */
static bool are_columns(const gndi_fft_plan *one, int64_t shared) {
    const int bits = gndi_cuda_fft_bits(one->axis[0].n);
    if (one->wide || bits < GNDI_COLUMNS_LEAST_BITS || bits > GNDI_COLUMNS_MOST_BITS) return false;
    if (!one->batches || one->batches > GNDI_COLUMNS_AXES + 1) return false;
    if (GNDI_COLUMNS_SHARED(bits, GNDI_COLUMNS_SIDE(bits)) > shared) return false;
    const gndi_fft_axis *side = &one->batch[one->batches - 1];
    const int64_t each = GNDI_COLUMNS_SIDE(bits), tiles = (side->n + each - 1) / each;
    int64_t blocks = tiles;
    for (int k = 0; k < one->batches - 1; k++) blocks *= one->batch[k].n;
    return side->in == ELEMENT && side->out == ELEMENT && tiles * each * 4 <= side->n * 5 && blocks <= INT32_MAX;
}

bool gndi_cuda_are_columns(const gndi_fft_plan *plan, int64_t shared) {
    const gndi_fft_plan one = only(plan, 0, false);
    return are_columns(&one, shared);
}

/* ---- splitting -------------------------------------------------------------------------------- */

/* Whether cuFFT does a plan without copies and in one run. */
static bool leaves_simple(const gndi_fft_plan *rest) {
    gndi_fft_plan p = *rest;
    gndi_cufft_layout layout;
    gndi_fft_merge_batch(&p, false);
    return p.batches <= 1 && gndi_cufft_describe(&p, &layout);
}

/* The axis that can be the first pass, from the input to the output; -1 if none can. */
static int first_axis(const gndi_fft_plan *p, int64_t shared) {
    for (int i = 0; i < p->axes; i++) {
        const gndi_fft_plan one = only(p, i, false);
        if (are_columns(&one, shared)) return i;
    }
    return -1;
}

bool gndi_cuda_split_columns(gndi_fft_plan *p, gndi_fft_plan *columns, const gndi_device *d) {
    if (p->type == GNDI_FFT_C2R || p->wide || gndi_cuda_fft_bytes(p) < LEAST_BYTES) return false;
    const int64_t shared = gndi_cuda_fft_shared(d);
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
    /* Rows of a halved axis have an odd number of elements, so that pieces of them straddle sectors of memory. */
    const bool by_library = p->type == GNDI_FFT_R2C || gndi_cuda_fft_bytes(p) < LARGE_BYTES;
    if (rest.axes && p->scale == 1 && by_library && leaves_simple(p)) return false;
    for (int i = 0; i < rest.axes; i++) {
        const gndi_fft_axis *a = &rest.axis[i];
        columns->batch[columns->batches++] = (gndi_fft_axis){gndi_fft_out_count(&rest, i), a->in, a->out};
    }
    for (int i = 0; i < columns->axes; i++) rest.batch[rest.batches++] = columns->axis[i];
    columns->type = GNDI_FFT_C2C;
    rest.scale = 1; /* the columns' pass has the factor */
    const int first = rest.axes ? 0 : first_axis(columns, shared);
    if (first < 0 || (rest.axes && !leaves_simple(&rest))) return false;
    const gndi_fft_axis axis = columns->axis[first];
    columns->axis[first] = columns->axis[0], columns->axis[0] = axis;
    if (rest.axes) columns->in = columns->out;
    *p = rest;
    return true;
}

/* ---- launches --------------------------------------------------------------------------------- */

/* Launches the kernel of p with a batch of `count` axes, besides the axis along which the columns are. */
static gnd_status launch(gndi_cuda_run *run, gndi_columns_params *p, int bits, int kind, int64_t columns,
                         const gndi_fft_axis *batch, int count) {
    const int side = kind == GNDI_COLUMNS_ROWS ? GNDI_ROWS_SIDE(bits) : GNDI_COLUMNS_SIDE(bits);
    int64_t blocks = (columns + side - 1) / side;
    p->columns = columns, p->tiles = (uint32_t)blocks, p->axes = (uint32_t)count;
    for (int i = 0; i < count; i++) {
        const gndi_fft_axis *a = &batch[count - 1 - i];
        p->n[i] = (uint32_t)a->n, p->in_stride[i] = a->in, p->out_stride[i] = a->out;
        blocks *= a->n;
    }
    return gndi_cuda_run_launch_early(run, gndi_cuda_columns_kernel(bits, kind), blocks,
                                      GNDI_COLUMNS_THREADS(bits, side), (size_t)GNDI_COLUMNS_SHARED(bits, side), p);
}

/* A plan of one axis, whose batch is merged; `kind`: GNDI_COLUMNS_PLAIN or _ROWS. `last`: no further pass. */
static gnd_status run_axis(gndi_cuda_run *run, const gndi_fft_plan *one, int kind, bool last) {
    static const gndi_fft_axis alone = {1, 0, 0};
    const gndi_fft_axis *axis = &one->axis[0];
    const int others = one->batches ? one->batches - 1 : 0;
    const gndi_fft_axis *side = one->batches ? &one->batch[others] : &alone;
    const int bits = gndi_cuda_fft_bits(axis->n);
    const bool large = last && bits < GNDI_COLUMNS_MOST_BITS && gndi_cuda_fft_bytes(one) > LARGE_BYTES;
    const int resident = RESIDENT_THREADS / GNDI_COLUMNS_THREADS(bits, GNDI_COLUMNS_SIDE(bits));
    gndi_columns_params p = {.in = one->in,
                             .out = one->out,
                             .in_step = axis->in,
                             .out_step = axis->out,
                             .in_side = side->in,
                             .out_side = side->out,
                             .inverse = one->inverse,
                             .once = large,
                             .ahead = large && run->stream ? (uint32_t)(run->stream->device->processors * resident) : 0,
                             .factor = (float)one->scale};
    return launch(run, &p, bits, kind, side->n, one->batch, others);
}

gnd_status gndi_cuda_columns(gndi_cuda_run *run, const gndi_fft_plan *columns, bool last) {
    gnd_status status = GND_OK;
    for (int i = 0; i < columns->axes && !status; i++) {
        gndi_fft_plan one = only(columns, i, i > 0 || columns->in == columns->out);
        if (i < columns->axes - 1) one.scale = 1;
        status = run_axis(run, &one, GNDI_COLUMNS_PLAIN, last && i == columns->axes - 1);
    }
    return status;
}

/* ---- lines ------------------------------------------------------------------------------------ */

static bool is_long(int bits) {
    return bits >= LEAST_LINE_BITS && bits <= 2 * GNDI_COLUMNS_MOST_BITS;
}

/* Whether gnd's one step is faster than cuFFT: with a factor, for which cuFFT needs another pass over the result; and
   without one, beyond the L2 cache, for some lengths. 2^24 elements on an H200 (m), cuFFT in parentheses: 70.3 us in
   lines of 4096 (72.7), 70.4 of 2048 (72.4), 69.6 of 512 (70.5), 77.3 of 64 (88.5); for others cuFFT is as fast or
   faster. */
static bool is_one_step(const gndi_fft_plan *p, int bits) {
    if (bits < GNDI_COLUMNS_LEAST_BITS || bits > GNDI_COLUMNS_MOST_BITS) return false;
    const bool faster = bits == 12 || bits == 11 || bits == 9 || bits == 6;
    return p->scale != 1 || (faster && gndi_cuda_fft_bytes(p) >= LARGE_BYTES);
}

bool gndi_cuda_takes_lines(const gndi_fft_plan *p, const gndi_device *d) {
    if (p->axes != 1 || p->type != GNDI_FFT_C2C || p->wide || gndi_cuda_fft_bytes(p) < LEAST_BYTES) return false;
    const gndi_fft_axis *axis = &p->axis[0];
    const int bits = gndi_cuda_fft_bits(axis->n), inner = bits - bits / 2;
    const bool one_step = is_one_step(p, bits);
    if (!(one_step || is_long(bits)) || axis->in != ELEMENT || axis->out != ELEMENT) return false;
    const int64_t shared = one_step ? GNDI_COLUMNS_SHARED(bits, GNDI_ROWS_SIDE(bits))
                                    : GNDI_COLUMNS_SHARED(inner, GNDI_COLUMNS_SIDE(inner));
    gndi_fft_plan one;
    gndi_fft_copy_plan(&one, p);
    gndi_fft_merge_batch(&one, false);
    return one.batches <= GNDI_COLUMNS_AXES && gndi_cuda_fft_bytes(p) / ELEMENT <= INT32_MAX &&
           shared <= gndi_cuda_fft_shared(d);
}

/* A line of A B elements is treated as a matrix of A rows. Its columns are transformed, and element k of column i is
   multiplied by exp(-2 pi i k i / (A B)); then the rows are transformed, and their results stored as columns:
   D. H. Bailey, "FFTs in external or hierarchical memory" (1990). */
static gnd_status run_long(gndi_cuda_run *run, const gndi_fft_plan *one, int bits) {
    const int outer = bits / 2, inner = bits - outer;
    const int64_t rows = INT64_C(1) << outer, row = INT64_C(1) << inner;
    gndi_fft_plan there = *one, back = *one;
    const size_t used = run->used;
    char *between = gndi_cuda_take(run, gndi_fft_make_dense(&there, true));
    for (int i = 0; i < one->batches; i++) back.batch[i].in = there.batch[i].out;
    gndi_columns_params first = {.in = one->in,
                                 .out = between,
                                 .in_step = row * ELEMENT,
                                 .out_step = row * ELEMENT,
                                 .in_side = ELEMENT,
                                 .out_side = ELEMENT,
                                 .inverse = one->inverse,
                                 .factor = 1,
                                 .line = (uint32_t)bits};
    gndi_columns_params second = {.in = between,
                                  .out = one->out,
                                  .in_step = ELEMENT,
                                  .out_step = rows * ELEMENT,
                                  .in_side = row * ELEMENT,
                                  .out_side = ELEMENT,
                                  .inverse = one->inverse,
                                  .factor = (float)one->scale};
    gnd_status status = launch(run, &first, outer, GNDI_COLUMNS_TWISTED, row, there.batch, one->batches);
    if (!status) status = launch(run, &second, inner, GNDI_COLUMNS_FROM_ROWS, rows, back.batch, one->batches);
    run->used = used;
    return status;
}

gnd_status gndi_cuda_fft_lines(gndi_cuda_run *run, const gndi_fft_plan *p) {
    const int bits = gndi_cuda_fft_bits(p->axis[0].n);
    gndi_fft_plan one = *p;
    gndi_fft_merge_batch(&one, false);
    return is_long(bits) ? run_long(run, &one, bits) : run_axis(run, &one, GNDI_COLUMNS_ROWS, false);
}
