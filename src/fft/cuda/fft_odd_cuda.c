/*
 * fft_odd_cuda.c: transforms of real lines with an odd number of elements, by complex transforms. cuFFT does two
 * such lines of a batch at a time, as the real and the imaginary part of one: a NaN or an infinity in a line would
 * reach the line beside it, and the last bits of a result would depend on that line.
 *
 * Forwards, the lines become complex, and the first half of the result is kept. Back, with z of the bins given and
 * 0 for those of negative frequencies, the result is the real part of the transform of (re z[0], 2 z[1], 2 z[2], ...).
 */
#include "fft/cuda/fft_cuda.h"

/* cuFFT transforms shorter lines one by one. */
enum { LEAST = 33 };

bool gndi_cuda_fft_shares(const gndi_fft_plan *p) {
    const int64_t n = p->axis[p->axes - 1].n;
    bool many = p->axes > 1;
    for (int i = 0; i < p->batches; i++) many = many || p->batch[i].n > 1;
    return (p->type == GNDI_FFT_R2C || p->type == GNDI_FFT_C2R) && n % 2 && n >= LEAST && many;
}

/* The lines of a plan of one axis as complex numbers, in memory of their own. */
static void make_complex(gndi_cuda_run *run, const gndi_fft_plan *p, gndi_fft_plan *lines) {
    gndi_fft_copy_plan(lines, p);
    lines->type = GNDI_FFT_C2C, lines->spare = true, lines->scale = 1;
    const int64_t bytes = gndi_fft_make_dense(lines, false);
    gndi_fft_make_dense(lines, true);
    lines->in = lines->out = gndi_cuda_take(run, bytes);
}

/* The real parts of a side's complex numbers. */
static gndi_fft_plan real_parts(const gndi_fft_plan *p) {
    gndi_fft_plan parts;
    gndi_fft_copy_plan(&parts, p);
    parts.type = GNDI_FFT_R2R;
    return parts;
}

static gnd_status forwards(gndi_cuda_run *run, gndi_cuda_fft_job *job, const gndi_fft_plan *p, gndi_fft_plan *lines) {
    gnd_status status = gndi_cuda_fft_copy(run, lines, false, p, false, 1);
    if (!status) status = gndi_cuda_fft_pass(run, job, lines);
    if (!status) status = gndi_cuda_fft_copy(run, p, true, lines, true, p->scale);
    return status;
}

static gnd_status back(gndi_cuda_run *run, gndi_cuda_fft_job *job, const gndi_fft_plan *p, gndi_fft_plan *lines) {
    const int64_t size = gndi_fft_out_size(lines);
    int64_t bytes = size * lines->axis[0].n;
    for (int i = 0; i < lines->batches; i++) bytes *= lines->batch[i].n;
    gnd_status status = gndi_cuda_run_clear(run, lines->in, (size_t)bytes);
    gndi_fft_plan bins, first;
    gndi_fft_copy_plan(&bins, lines);
    bins.axis[0].n = gndi_fft_in_count(p, 0);
    if (!status) status = gndi_cuda_fft_copy(run, &bins, false, p, false, 2 * p->scale);
    gndi_fft_copy_plan(&first, lines);
    first.axis[0].n = 1;
    const gndi_fft_plan given = real_parts(p), made = real_parts(lines);
    if (!status) status = gndi_cuda_fft_copy(run, &first, false, &given, false, p->scale);
    if (!status) status = gndi_cuda_fft_pass(run, job, lines);
    if (!status) status = gndi_cuda_fft_copy(run, p, true, &made, true, 1);
    return status;
}

gnd_status gndi_cuda_fft_odd(gndi_cuda_run *run, gndi_cuda_fft_job *job, const gndi_fft_plan *p) {
    const size_t used = run->used;
    gndi_fft_plan lines;
    make_complex(run, p, &lines);
    const gnd_status status = p->type == GNDI_FFT_R2C ? forwards(run, job, p, &lines) : back(run, job, p, &lines);
    run->used = used;
    return status;
}
