/*
 * fft_cosine_cuda.c: cosine and sine transforms on CUDA, one axis after the other: a kernel writes rows, cuFFT
 * transforms them, and another kernel computes the result (fft_cosine.cuh). Lines that are not dense, or whose
 * batch is not one axis, are copied first.
 */
#include "fft/cuda/fft_cuda.h"
#include "fft/cuda/fft_cosine_params.h"

const void *gndi_cuda_dct_kernel(bool behind, bool wide, bool many); /* fft_cosine_kernels.cu */

/* The rows of one axis, before and after cuFFT. */
typedef struct rows {
    gndi_fft_type type;
    bool wide;
    int64_t lines, n;            /* n: of the Fourier transform */
    int64_t before, behind;      /* elements of a row */
    int64_t bytes, result_bytes; /* of all rows; no result bytes: in place */
} rows;

static rows rows_of(const gndi_fft_plan *p) {
    const int64_t n = p->axis[0].n, part = p->wide ? 8 : 4;
    rows r = {.type = GNDI_FFT_R2C, .wide = p->wide, .lines = p->batches ? p->batch[0].n : 1};
    switch ((gndi_fft_dct)p->dct) {
    case GNDI_DCT1: r.n = 2 * (n - 1); break;
    case GNDI_DST1: r.n = 2 * (n + 1); break;
    case GNDI_DCT2:
    case GNDI_DST2: r.n = n; break;
    case GNDI_DCT3:
    case GNDI_DST3: r.type = GNDI_FFT_C2R, r.n = n; break;
    default: r.type = GNDI_FFT_C2C, r.n = n % 2 ? 2 * n : n / 2;
    }
    r.before = r.type == GNDI_FFT_C2R ? r.n / 2 + 1 : r.n;
    r.behind = r.type == GNDI_FFT_R2C ? r.n / 2 + 1 : r.n;
    r.bytes = r.lines * r.before * part * (r.type == GNDI_FFT_R2C ? 1 : 2);
    r.result_bytes = r.lines * r.behind * part * (r.type == GNDI_FFT_C2R ? 1 : 2);
    if (r.type == GNDI_FFT_C2C) r.result_bytes = 0;
    return r;
}

static gnd_status transform_rows(gndi_cuda_run *run, gndi_cuda_fft_job *job, const rows *r, char *in, char *out) {
    gndi_fft_plan p = {.type = (uint8_t)r->type,
                       .wide = r->wide,
                       .inverse = r->type == GNDI_FFT_C2R,
                       .spare = true,
                       .axes = 1,
                       .batches = r->lines > 1,
                       .axis = {{.n = r->n}},
                       .batch = {{.n = r->lines}},
                       .scale = 1};
    gndi_fft_make_dense(&p, false);
    gndi_fft_make_dense(&p, true);
    p.in = in, p.out = out;
    return gndi_cuda_fft_pass(run, job, &p);
}

static gnd_status launch(gndi_cuda_run *run, const gndi_fft_plan *p, const rows *r, bool behind, char *row) {
    const int64_t part = p->wide ? 8 : 4;
    const gndi_fft_axis *lines = &p->batch[0];
    gndi_dct_params q = {.line = behind ? p->out : p->in,
                         .row = row,
                         .step = (behind ? p->axis[0].out : p->axis[0].in) / part,
                         .distance = p->batches ? (behind ? lines->out : lines->in) / part : 0,
                         .n = p->axis[0].n,
                         .row_length = behind ? r->behind : r->before,
                         .factor = p->scale,
                         .dct = p->dct,
                         .orthogonal = p->orthogonal};
    q.total = r->lines * (behind ? q.n : q.row_length);
    const int64_t blocks = (q.total + GNDI_DCT_THREADS - 1) / GNDI_DCT_THREADS;
    const bool many = q.total > INT32_MAX;
    return gndi_cuda_run_launch(run, gndi_cuda_dct_kernel(behind, p->wide, many), blocks, GNDI_DCT_THREADS, 0, &q);
}

/* One axis of lines that a kernel can read and write. */
static gnd_status run_lines(gndi_cuda_run *run, gndi_cuda_fft_job *job, const gndi_fft_plan *p) {
    const rows r = rows_of(p);
    const size_t used = run->used;
    char *before = gndi_cuda_take(run, r.bytes);
    char *behind = r.result_bytes ? gndi_cuda_take(run, r.result_bytes) : before;
    gnd_status status = launch(run, p, &r, false, before);
    if (!status) status = transform_rows(run, job, &r, before, behind);
    if (!status) status = launch(run, p, &r, true, behind);
    run->used = used;
    return status;
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* Whether lines are dense, and the batch is at most one axis. */
static bool are_lines(const gndi_fft_plan *p) {
    const int64_t part = p->wide ? 8 : 4;
    return p->axis[0].in == part && p->axis[0].out == part && p->batches <= 1;
}

/* Copies an operand, or both, where they are not such lines. The batch has the order of the operand that is not
   copied. */
static gnd_status run_axis(gndi_cuda_run *run, gndi_cuda_fft_job *job, const gndi_fft_plan *p) {
    static const bool ways[][2] = {{false, false}, {true, false}, {false, true}, {true, true}};
    gndi_fft_plan given, copies, pass;
    int64_t in_bytes = 0, out_bytes = 0;
    bool in = false, out = false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        in = ways[i][0], out = ways[i][1];
        given = *p;
        gndi_fft_merge_batch(&given, out && !in);
        copies = given;
        in_bytes = in ? gndi_fft_make_dense(&copies, false) : 0;
        out_bytes = out ? gndi_fft_make_dense(&copies, true) : 0;
        pass = copies;
        gndi_fft_merge_batch(&pass, out && !in);
        if (are_lines(&pass)) break;
    }
    const size_t used = run->used;
    if (in) copies.in = gndi_cuda_take(run, in_bytes);
    /* The input's copy has been read when the result is written. */
    if (out) copies.out = in ? copies.in : gndi_cuda_take(run, out_bytes);
    if (in) pass.in = copies.in;
    if (out) pass.out = copies.out;
    gnd_status status = GND_OK;
    if (in) status = gndi_cuda_fft_copy(run, &copies, false, &given, false, 1);
    if (!status) status = run_lines(run, job, &pass);
    if (!status && out) status = gndi_cuda_fft_copy(run, &given, true, &copies, true, 1);
    run->used = used;
    return status;
}

/* The transform of one element is that element, times a factor. */
static gnd_status run_single(gndi_cuda_run *run, const gndi_fft_plan *p) {
    static const double factors[] = {1, 2, 1, 1.41421356237309504880};
    const int type = p->dct % 4;
    double factor = p->scale * factors[type];
    if (p->orthogonal && (type == 1 || type == 2))
        factor *= type == 1 ? 0.70710678118654752440 : 1.41421356237309504880;
    return gndi_cuda_fft_copy(run, p, true, p, false, factor);
}

gnd_status gndi_cuda_fft_dct(gndi_cuda_run *run, gndi_cuda_fft_job *job) {
    const gndi_fft_plan *plan = job->plan;
    gnd_status status = GND_OK;
    gndi_fft_plan p = *plan;
    p.axes = 1;
    for (int i = 0; i < plan->axes && !status; i++) {
        p.axis[0] = plan->axis[i];
        p.batches = 0;
        for (int k = 0; k < plan->axes; k++)
            if (k != i) p.batch[p.batches++] = plan->axis[k];
        for (int k = 0; k < plan->batches; k++) p.batch[p.batches++] = plan->batch[k];
        if (i) { /* all but the first are within the output */
            p.axis[0].in = p.axis[0].out, p.in = p.out;
            for (int k = 0; k < p.batches; k++) p.batch[k].in = p.batch[k].out;
        }
        p.scale = i == plan->axes - 1 ? plan->scale : 1;
        status = p.axis[0].n == 1 && p.dct != GNDI_DST1 ? run_single(run, &p) : run_axis(run, job, &p);
    }
    return status;
}
