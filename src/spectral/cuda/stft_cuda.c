/*
 * stft_cuda.c: short-time Fourier transforms on CUDA: frames of 2^n elements by kernels of their own (frames_cuda.c),
 * others by blocks that transform them in shared memory, or by cuFFT, of frames that are longer or have large factors,
 * some at a time, so that they stay in the L2 cache. Bins that are not the result are written to memory for a slice of
 * the rows, and a second launch makes the results of them.
 */
#include "spectral/cuda/stft_cuda.h"
#include "resample/detrend_plan.h"

const void *gndi_cuda_stft_real(bool wide, gndi_stft_kernel which); /* stft_kernels.cu */
const void *gndi_cuda_stft_complex(bool wide, gndi_stft_kernel which);
const void *gndi_cuda_results_kernel(bool wide, bool mean); /* results_kernels.cu */
const void *gndi_cuda_taper_kernel(void);

bool gndi_stft_tile(const gnd_stream *s, bool wide, bool half, int64_t nfft, int64_t frames, int64_t lines,
                    gndi_stft_tiles *t) {
    const bool packed = half && nfft % 2 == 0;
    const int64_t length = packed ? nfft / 2 : nfft, most = GNDI_STFT_BYTES / (wide ? 16 : 8) / length;
    if (most < 1) return false;
    t->factors = gndi_fft_factors(length, t->factor);
    if (t->factors > 0 && t->factor[t->factors - 1] > GNDI_STFT_FACTOR) return false;
    const int64_t share = gndi_ceil_div(frames * lines, s->device->processors); /* few frames go to many blocks */
    t->length = (int)length, t->packed = packed;
    t->frames = (int)gndi_min(gndi_min(most, frames), gndi_max(1, share));
    t->tiles = gndi_ceil_div(frames, t->frames);
    t->group = 0;
    while (2 << t->group <= GNDI_STFT_THREADS / t->frames) t->group++;
    return true;
}

size_t gndi_stft_shared(bool wide, const gndi_stft_tiles *t) {
    return (size_t)((2 * t->frames + 1 + t->packed) * t->length * (wide ? 16 : 8));
}

int64_t gndi_stft_slice(int64_t nfft) {
    return gndi_max(1, GNDI_STFT_SLICE / nfft);
}

gnd_status gndi_stft_transform(gnd_stream *s, bool wide, bool half, bool inverse, int64_t nfft, int64_t rows, char *in,
                               char *out, const char *fn) {
    gndi_fft_plan plan = {.type = !half     ? GNDI_FFT_C2C
                                  : inverse ? GNDI_FFT_C2R
                                            : GNDI_FFT_R2C,
                          .wide = wide,
                          .inverse = inverse,
                          .spare = true,
                          .axes = 1,
                          .batches = 1,
                          .scale = 1,
                          .in = in,
                          .out = out};
    const int64_t from = gndi_fft_in_size(&plan), to = gndi_fft_out_size(&plan);
    plan.axis[0] = (gndi_fft_axis){nfft, from, to};
    plan.batch[0] = (gndi_fft_axis){rows, from * gndi_fft_in_count(&plan, 0), to * gndi_fft_out_count(&plan, 0)};
    return gndi_cuda_fft(s, &plan, fn);
}

/* Powers and products do not come in chunks. Many long rows of them go in larger slices: the L2 cache hardly holds
   these, but the launches are fewer. */
static int64_t slice_of(const gndi_stft_plan *q, int64_t rows) {
    const bool streams = q->result != GNDI_STFT_POWERS && q->result != GNDI_STFT_PRODUCTS;
    const int64_t slice = gndi_stft_slice(q->nfft);
    return streams || rows < 4 * GNDI_STFT_SLICES * slice ? slice : 4 * slice;
}

/* The transforms of one signal's frames, a slice of the rows at a time. */
typedef struct slices {
    gndi_stft_params p;             /* of the bins themselves */
    bool registers, blocks, direct; /* direct: bins are the result, and go to the output */
    int64_t rows, slice;            /* all rows; how many at a time */
    char *bins;                     /* of a slice */
} slices;

static const void *kernel_of(const struct gndi_stft_plan *q, gndi_stft_kernel which) {
    const bool wide = gndi_stft_is_wide(q);
    return gndi_dtype_is_complex(q->dtype) ? gndi_cuda_stft_complex(wide, which) : gndi_cuda_stft_real(wide, which);
}

/* Bins of the rows of a slice, or as many as cuFFT transforms, to p->to or to memory of their own. */
static gnd_status transform_slice(gnd_stream *s, slices *c, const char *fn) {
    gndi_stft_params *p = &c->p;
    const struct gndi_stft_plan *q = &p->plan;
    const bool wide = gndi_stft_is_wide(q);
    const int64_t row = gndi_stft_bins(q->nfft, q->half) * (wide ? 16 : 8);
    char *const to = c->direct ? q->out + p->row_first * row : c->bins;
    p->to = to;
    if (c->registers) return gndi_stft_register_rows(s, p, fn);
    if (c->blocks) {
        gndi_stft_tile(s, wide, q->half, q->nfft, p->row_count, 1, &p->t);
        return gndi_cuda_launch(s, kernel_of(q, GNDI_STFT_BLOCKS), p->t.tiles, GNDI_STFT_THREADS,
                                gndi_stft_shared(wide, &p->t), p, fn);
    }
    const int64_t blocks = p->row_count * p->pieces;
    char *const out = p->row_count == c->slice ? to : c->bins;
    gnd_status status = GND_OK;
    if (p->pieces > 1 && q->trend != GNDI_TREND_NONE)
        status = gndi_cuda_launch(s, kernel_of(q, GNDI_STFT_TRENDS), blocks, GNDI_STFT_THREADS, 0, p, fn);
    if (!status) status = gndi_cuda_launch(s, kernel_of(q, GNDI_STFT_FRAMES), blocks, GNDI_STFT_THREADS, 0, p, fn);
    if (!status) status = gndi_stft_transform(s, wide, q->half, false, q->nfft, c->slice, p->rows, out, fn);
    return status || out == to ? status : gndi_cuda_copy_within(s, to, out, (size_t)(p->row_count * row), fn);
}

/* What bins of a slice, and of y's, become. */
static gnd_status write_results(gnd_stream *s, gndi_stft_params *p, const char *fn) {
    const struct gndi_stft_plan *q = &p->plan;
    const int64_t bins = gndi_stft_bins(q->nfft, q->half), wide = gndi_stft_is_wide(q);
    if (!q->mean)
        return gndi_cuda_launch(s, gndi_cuda_results_kernel(wide, false),
                                gndi_ceil_div(p->row_count * bins, 4 * GNDI_STFT_THREADS), GNDI_STFT_THREADS, 0, p, fn);
    const int64_t lines = (p->row_first + p->row_count - 1) / q->count - p->row_first / q->count + 1;
    return gndi_cuda_launch(s, gndi_cuda_results_kernel(wide, true), lines * gndi_ceil_div(bins, GNDI_STFT_COLUMNS),
                            GNDI_STFT_THREADS, 0, p, fn);
}

void gndi_stft_become_y(gndi_stft_plan *q) {
    q->x = q->y, q->total = q->length = q->y_total;
    memcpy(q->grid.x_stride, q->grid.out_stride, sizeof q->grid.x_stride);
}

/* Memory for slices: bins of x and of y, and for cuFFT the frames and sums of their pieces. */
static gndi_buffer *slice_memory(gnd_stream *s, slices *x, slices *y, const char *fn) {
    const struct gndi_stft_plan *q = &x->p.plan;
    const int64_t number = gndi_stft_is_wide(q) ? 16 : 8, align = 256;
    const int64_t bins = gndi_ceil_div(x->slice * gndi_stft_bins(q->nfft, q->half) * number, align) * align;
    const bool by_library = !x->registers && !x->blocks, direct = x->direct && !by_library;
    const int64_t rows = by_library ? gndi_ceil_div(x->slice * q->nfft * number, align) * align : 0;
    const int64_t trends = by_library ? x->slice * x->p.pieces * 4 * (int64_t)sizeof(double) : 0;
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)((direct ? 0 : bins) + (q->y ? bins : 0) + rows + trends));
    if (!memory) return NULL;
    char *at = memory->base;
    x->bins = at, at += direct ? 0 : bins;
    y->bins = at, at += q->y ? bins : 0;
    x->p.rows = y->p.rows = at, x->p.trends = y->p.trends = at + rows;
    return memory;
}

static gnd_status run_slices(gnd_stream *s, const gndi_stft_params *p, const char *fn) {
    const struct gndi_stft_plan *q = &p->plan;
    const bool wide = gndi_stft_is_wide(q), plain = q->result == GNDI_STFT_SPECTRA && !q->centered && q->scale == 1;
    gndi_stft_params results = *p;
    slices x = {.p = *p, .registers = gndi_stft_has_registers(q), .rows = q->grid.lines * q->count};
    x.blocks = !x.registers && gndi_stft_tile(s, wide, q->half, q->nfft, 1, 1, &x.p.t);
    x.direct = plain && (!q->half || q->inner == 1);
    x.slice = x.direct && x.blocks ? x.rows : slice_of(q, x.rows);
    x.p.piece = gndi_max(GNDI_STFT_PIECE, gndi_ceil_div(q->nfft, GNDI_STFT_PIECES));
    x.p.pieces = gndi_ceil_div(q->nfft, x.p.piece);
    x.p.plan.result = GNDI_STFT_SPECTRA, x.p.plan.centered = 0, x.p.plan.inner = x.p.plan.scale = 1;
    slices y = x;
    if (q->y) gndi_stft_become_y(&y.p.plan);
    gndi_buffer *memory = slice_memory(s, &x, &y, fn);
    if (!memory) return GND_ERROR_MEMORY;
    gnd_status status = GND_OK;
    for (int64_t row = 0; row < x.rows && !status; row += x.slice) {
        x.p.row_first = y.p.row_first = results.row_first = row;
        x.p.row_count = y.p.row_count = results.row_count = gndi_min(x.slice, x.rows - row);
        status = transform_slice(s, &x, fn);
        if (!status && q->y) status = transform_slice(s, &y, fn);
        results.z = x.bins, results.of_y = q->y ? y.bins : NULL;
        if (!status && !x.direct) status = write_results(s, &results, fn);
    }
    gndi_buffer_release(memory);
    return status;
}

gnd_status gndi_cuda_stft(gnd_stream *s, const gndi_stft_plan *plan, const char *fn) {
    gndi_stft_params p = {.plan = *plan, .squares = gndi_detrend_squares(plan->nperseg)};
    if (plan->mean && plan->count == 1) { /* the mean of one frame is that frame */
        p.plan.mean = 0;
        plan = &p.plan;
    }
    if (plan->mean && gndi_register_fits(plan->nfft, gndi_stft_is_wide(plan)) && plan->nfft > GNDI_REGISTERS_LEAST)
        return gndi_stft_register_means(s, &p, fn);
    p.row_count = plan->grid.lines * plan->count;
    p.to = plan->out;
    gnd_status status;
    if (gndi_stft_long_rows(s, &p, fn, &status) || gndi_stft_line_powers(s, plan, fn, &status)) return status;
    const bool writes = plan->result == GNDI_STFT_SPECTRA || plan->result == GNDI_STFT_POWERS;
    if (plan->mean || !writes || !gndi_stft_has_registers(plan)) return run_slices(s, &p, fn);
    return gndi_stft_register_rows(s, &p, fn);
}

gnd_status gndi_cuda_taper(gnd_stream *s, const gndi_taper_plan *plan, const char *fn) {
    gndi_taper_plan p = *plan;
    const int threads = plan->n > GNDI_TAPER_FEW ? GNDI_TAPER_THREADS : GNDI_TAPER_FEW;
    return gndi_cuda_launch_early(s, gndi_cuda_taper_kernel(), gndi_ceil_div(p.n, GNDI_TAPER_PART), threads, 0, &p, fn);
}
