/*
 * fft_plans_cuda.c: plans of cuFFT: made once (fft_cache.h) and without memory of their own, which each run
 * takes from gnd's pool in the order of its stream.
 */
#include "kernels/cuda/fft_cuda.h"
#include "runtime/runtime_cuda.h"

/* Of cufft.h and library_types.h. */
enum { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };
enum { REAL_32 = 0, REAL_64 = 1, COMPLEX_32 = 4, COMPLEX_64 = 5 };

/* ---- statuses --------------------------------------------------------------------------------- */

static const struct {
    int status;
    gnd_status code;
    const char *text;
} meanings[] = {
    {0x1, GND_ERROR_DEVICE, "it does not know the plan (CUFFT_INVALID_PLAN)"},
    {0x2, GND_ERROR_MEMORY, "it could not get memory on the GPU (CUFFT_ALLOC_FAILED)"},
    {0x3, GND_ERROR_INVALID, "it has no such type (CUFFT_INVALID_TYPE)"},
    {0x4, GND_ERROR_INVALID, "it refuses its arguments (CUFFT_INVALID_VALUE)"},
    {0x5, GND_ERROR_DEVICE, "it failed inside (CUFFT_INTERNAL_ERROR)"},
    {0x6, GND_ERROR_DEVICE, "its kernel did not start (CUFFT_EXEC_FAILED)"},
    {0x7, GND_ERROR_DEVICE, "it could not be initialised (CUFFT_SETUP_FAILED)"},
    {0x8, GND_ERROR_SHAPE, "it does not take these sizes (CUFFT_INVALID_SIZE)"},
    {0xb, GND_ERROR_DEVICE, "the plan belongs to another GPU (CUFFT_INVALID_DEVICE)"},
    {0xd, GND_ERROR_MEMORY, "it has no workspace (CUFFT_NO_WORKSPACE)"},
    {0x10, GND_ERROR_DEVICE, "this GPU or version cannot do it (CUFFT_NOT_SUPPORTED)"},
    {0x11, GND_ERROR_UNAVAILABLE, "a library is missing that it needs (CUFFT_MISSING_DEPENDENCY)"},
};

static gnd_status check(int status, const char *fn, const char *routine) {
    if (gndi_likely(status == 0)) return GND_OK;
    /* A library that fails because CUDA did leaves CUDA's own error behind, which says more. */
    const cudaError_t error = cudaGetLastError();
    if (error) return gndi_cuda_check((int)error, fn, routine);
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].status == status)
            return gndi_raise(meanings[i].code, fn, "%s: %s", routine, meanings[i].text);
    return gndi_raise(GND_ERROR_DEVICE, fn, "%s: cuFFT reports status %d", routine, status);
}

/* Plans allocate when they are made, which a stream that is captured cannot do. */
static gnd_status check_not_captured(gnd_stream *s, const char *fn) {
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(s->native, &capture);
    if (error) return gndi_cuda_check((int)error, fn, "asking whether a stream is captured");
    if (capture == cudaStreamCaptureStatusNone) return GND_OK;
    return gndi_raise(
        GND_ERROR_INVALID, fn,
        "the stream is being captured into a CUDA graph, and there is no plan of cuFFT "
        "yet for this transform; run it once before the capture begins");
}

/* ---- making ----------------------------------------------------------------------------------- */

static void destroy(gndi_fft_handle plan) {
    gndi_cufft_get(NULL)->cufftDestroy(plan.number);
}

static int type_of(const gndi_cufft_layout *l, bool output) {
    const bool real = l->type == (output ? GNDI_FFT_C2R : GNDI_FFT_R2C);
    return real ? (l->wide ? REAL_64 : REAL_32) : (l->wide ? COMPLEX_64 : COMPLEX_32);
}

static int make_plan(const gndi_cufft *cufft, const gndi_cufft_layout *layout, int plan,
                     size_t *work) {
    gndi_cufft_layout l = *layout; /* cuFFT takes it as variables */
    const int in = type_of(&l, false), out = type_of(&l, true);
    int status = cufft->cufftSetAutoAllocation(plan, 0);
    if (!status)
        status = cufft->cufftXtMakePlanMany(plan, l.rank, l.n, l.in.embed, l.in.stride, l.in.apart,
                                            in, l.out.embed, l.out.stride, l.out.apart, out,
                                            l.batch, work, l.wide ? COMPLEX_64 : COMPLEX_32);
    return status;
}

/* A guess: roots of unity of each axis. */
static size_t plan_bytes(const gndi_cufft_layout *l) {
    size_t bytes = 16384;
    for (int i = 0; i < l->rank; i++) bytes += (size_t)l->n[i] * (l->wide ? 16 : 8);
    return bytes;
}

static gnd_status find_plan(gndi_cuda_run *run, gndi_cuda_fft_job *job,
                            const gndi_cufft_layout *layout) {
    gndi_device *d = run->stream->device;
    gndi_fft_entry **e = &job->entry[job->found];
    *e = gndi_fft_cache_take(d, layout, sizeof *layout);
    if (!*e) {
        gndi_fft_handle plan;
        size_t work = 0;
        gnd_status status = check_not_captured(run->stream, run->fn);
        if (!status) status = check(job->cufft->cufftCreate(&plan.number), run->fn, "cufftCreate");
        if (status) return status;
        status = check(make_plan(job->cufft, layout, plan.number, &work), run->fn,
                       "cufftXtMakePlanMany");
        if (status) {
            job->cufft->cufftDestroy(plan.number);
            return status;
        }
        *e = gndi_fft_cache_add(d, layout, sizeof *layout, plan, plan_bytes(layout), work, destroy,
                                run->fn);
        if (!*e) return GND_ERROR_MEMORY;
    }
    job->found++;
    return GND_OK;
}

/* ---- running ---------------------------------------------------------------------------------- */

/* Once for each index of the batch's axes but the last. */
static int run_all(const gndi_cufft *cufft, int plan, const gndi_fft_plan *p) {
    int64_t runs = 1;
    const int axes = p->batches ? p->batches - 1 : 0;
    const int direction = p->inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    int status = 0;
    for (int i = 0; i < axes; i++) runs *= p->batch[i].n;
    for (int64_t k = 0; k < runs && !status; k++) {
        char *in = p->in, *out = p->out;
        int64_t rest = k;
        for (int i = axes - 1; i >= 0; i--) {
            in += rest % p->batch[i].n * p->batch[i].in;
            out += rest % p->batch[i].n * p->batch[i].out;
            rest /= p->batch[i].n;
        }
        status = cufft->cufftXtExec(plan, in, out, direction);
    }
    return status;
}

gnd_status gndi_cufft_run(gndi_cuda_run *run, gndi_cuda_fft_job *job, const gndi_fft_plan *pass,
                          const gndi_cufft_layout *layout) {
    if (run->measures) {
        gnd_status status = find_plan(run, job, layout);
        if (status) return status;
    }
    gndi_fft_entry *e = job->entry[run->measures ? job->found - 1 : job->next++];
    const size_t used = run->used;
    void *work = e->work ? gndi_cuda_take(run, (int64_t)e->work) : NULL;
    run->used = used;
    if (run->measures) return GND_OK;
    /* A plan remembers one stream and one work area. */
    pthread_mutex_lock(&e->lock);
    int status = job->cufft->cufftSetStream(e->plan.number, run->stream->native);
    if (!status && work) status = job->cufft->cufftSetWorkArea(e->plan.number, work);
    if (!status) status = run_all(job->cufft, e->plan.number, pass);
    pthread_mutex_unlock(&e->lock);
    return check(status, run->fn, "cufftXtExec");
}
