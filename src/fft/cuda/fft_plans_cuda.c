/*
 * fft_plans_cuda.c: plans of cuFFT: made once (fft_cache.h), without a workspace, which each run takes from gnd's
 * pool in the order of its stream.
 */
#include "fft/cuda/fft_cuda.h"
#include "runtime/cuda/runtime_cuda.h"
#include "runtime/graph.h"
#include <fft/cuda/fft_callbacks_array.h> /* fft_callbacks.cu, made by Meson */

/* Of cufft.h and library_types.h. */
enum { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };
enum { REAL_32 = 0, REAL_64 = 1, COMPLEX_32 = 4, COMPLEX_64 = 5 };
enum { CALLBACK_STORE_COMPLEX = 4, CALLBACK_STORE_REAL = 6 }; /* and one more in double precision */
enum { CUFFT_MISSING_DEPENDENCY = 0x11 };

/* A factor costs another pass over the result, unless cuFFT's last kernel applies it, which must first be linked with
   a callback. That takes 0.3 to 1 s, and the kernels are not always faster: 4096 x 4096 numbers took 102 us by rows
   instead of 140, but 2^24 in a line 882 instead of 333 (measured on an H200). So both are timed where a plan may take
   long to make. */
enum { TIMED_RUNS = 4 };

static atomic_bool some_linked, cannot_link;

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
    /* If a library fails because CUDA did, CUDA's own error is set and says more. */
    const cudaError_t error = cudaGetLastError();
    if (error) return gndi_cuda_check((int)error, fn, routine);
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].status == status) return gndi_raise(meanings[i].code, fn, "%s: %s", routine, meanings[i].text);
    return gndi_raise(GND_ERROR_DEVICE, fn, "%s: cuFFT reports status %d", routine, status);
}

/* ---- making ----------------------------------------------------------------------------------- */

static void destroy(gndi_fft_handle plan) {
    gndi_cufft_get(NULL)->cufftDestroy(plan.number);
}

static int type_of(const gndi_cufft_layout *l, bool output) {
    const bool real = l->type == (output ? GNDI_FFT_C2R : GNDI_FFT_R2C);
    return real ? (l->wide ? REAL_64 : REAL_32) : (l->wide ? COMPLEX_64 : COMPLEX_32);
}

/* Makes the plan's last kernel multiply by the factor. The kernel is linked when the plan is made; *info must exist
   until then. */
static int set_factor(const gndi_cufft_layout *l, int plan, void **info) {
    const gndi_cufftjit *jit = gndi_cufftjit_get(NULL);
    const bool real = l->type == GNDI_FFT_C2R;
    const char *name = real ? (l->wide ? "gndi_store_float64" : "gndi_store_float32")
                            : (l->wide ? "gndi_store_complex128" : "gndi_store_complex64");
    memcpy(info, &l->factor, sizeof *info);
    if (!jit) return CUFFT_MISSING_DEPENDENCY;
    return jit->cufftXtSetJITCallback(plan, name, fft_callbacks, sizeof fft_callbacks,
                                      (real ? CALLBACK_STORE_REAL : CALLBACK_STORE_COMPLEX) + (l->wide ? 1 : 0), info);
}

static int make_plan(const gndi_cufft *cufft, const gndi_cufft_layout *layout, int plan, size_t *work) {
    gndi_cufft_layout l = *layout; /* cuFFT's parameters are not const */
    const int in = type_of(&l, false), out = type_of(&l, true);
    void *info = NULL;
    int status = cufft->cufftSetAutoAllocation(plan, 0);
    if (!status && l.factor != 0) status = set_factor(&l, plan, &info);
    if (!status)
        status = cufft->cufftXtMakePlanMany(plan, l.rank, l.n, l.in.embed, l.in.stride, l.in.distance, in, l.out.embed,
                                            l.out.stride, l.out.distance, out, l.batch, work,
                                            l.wide ? COMPLEX_64 : COMPLEX_32);
    return status;
}

static size_t plan_bytes(const gndi_cufft_layout *l) {
    size_t bytes = 16384;
    for (int i = 0; i < l->rank; i++) bytes += gndi_fft_table_bytes(l->n[i], l->wide);
    return bytes;
}

static void give_entry(void *entry) {
    gndi_fft_cache_give(entry);
}

/* A graph runs the plan whenever it is launched: it stays in the cache as long. */
static gnd_status keep_for_graph(const gndi_cuda_run *run, const gndi_cufft_layout *layout, const char *fn,
                                 gndi_fft_entry **e) {
    gndi_fft_entry *kept = gndi_fft_cache_take(run->stream->device, layout, sizeof *layout);
    const gnd_status status = kept ? gndi_graph_keep(run->stream, kept, give_entry, fn) : GND_OK;
    if (!status) return GND_OK;
    gndi_fft_cache_give(*e);
    *e = NULL;
    return status;
}

/* The plan of a layout, from the cache or made. `fn`: NULL for a plan that may be missing. */
static gnd_status find_layout(gndi_cuda_run *run, const gndi_cufft *cufft, const gndi_cufft_layout *layout,
                              const char *fn, gndi_fft_entry **e) {
    gndi_device *d = run->stream->device;
    *e = gndi_fft_cache_take(d, layout, sizeof *layout);
    if (*e) return gndi_likely(!run->stream->capture) ? GND_OK : keep_for_graph(run, layout, fn, e);
    gndi_fft_handle plan;
    size_t work = 0;
    /* Plans allocate when they are made, which is not possible while a stream is captured. */
    gnd_status status = gndi_cuda_check_not_captured(
        run->stream, "there is no plan of cuFFT yet for this transform; run it once before the capture begins", fn);
    if (!status) status = check(cufft->cufftCreate(&plan.number), fn, "cufftCreate");
    if (status) return status;
    status = check(make_plan(cufft, layout, plan.number, &work), fn, "cufftXtMakePlanMany");
    if (status) {
        cufft->cufftDestroy(plan.number);
        return status;
    }
    *e = gndi_fft_cache_add(d, layout, sizeof *layout, plan, plan_bytes(layout), work, destroy, fn);
    return *e ? GND_OK : GND_ERROR_MEMORY;
}

/* Runs a plan once for each index of the batch's axes but the last. */
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

/* A plan remembers one stream and one work area. */
static int run_plan(const gndi_cufft *cufft, gndi_fft_entry *e, const gnd_stream *stream, void *work,
                    const gndi_fft_plan *p) {
    gndi_lock_take(&e->lock);
    int status = cufft->cufftSetStream(e->plan.number, stream->native);
    if (!status && work) status = cufft->cufftSetWorkArea(e->plan.number, work);
    if (!status) status = run_all(cufft, e->plan.number, p);
    gndi_lock_give(&e->lock);
    return status;
}

/* ---- factors ---------------------------------------------------------------------------------- */

/* The milliseconds that a plan takes, followed by a pass for the factor unless that is 1; negative if something
   fails. */
static float time_plan(gndi_cuda_run *run, const gndi_cufft *cufft, gndi_fft_entry *e, const gndi_fft_plan *p,
                       double factor) {
    gndi_cuda_run real = {.stream = run->stream};
    cudaEvent_t from = NULL, to = NULL;
    float elapsed = -1;
    gndi_buffer *work = e->work ? gndi_buffer_new(NULL, run->stream, e->work) : NULL;
    bool good = (work || !e->work) && !cudaEventCreate(&from) && !cudaEventCreate(&to);
    for (int i = 0; i < TIMED_RUNS && good; i++) { /* the first is not timed */
        if (i == 1) good = !cudaEventRecord(from, run->stream->native);
        good = good && !run_plan(cufft, e, run->stream, work ? work->base : NULL, p);
        if (factor != 1) good = good && !gndi_cuda_fft_copy(&real, p, true, p, true, factor);
    }
    good = good && !cudaEventRecord(to, run->stream->native) && !cudaEventSynchronize(to);
    if (good && cudaEventElapsedTime(&elapsed, from, to)) elapsed = -1;
    if (from) cudaEventDestroy(from);
    if (to) cudaEventDestroy(to);
    gndi_buffer_release(work);
    return elapsed;
}

/* Replaces the plain plan by one that multiplies by the factor itself, if it can be made and is faster. */
static bool link_factor(gndi_cuda_run *run, const gndi_cufft *cufft, const gndi_fft_plan *p,
                        const gndi_cufft_layout *linked, gndi_fft_entry *plain, gndi_fft_entry **e) {
    if (find_layout(run, cufft, linked, NULL, e)) {
        atomic_store_explicit(&cannot_link, true, memory_order_relaxed);
        return false;
    }
    const float with = time_plan(run, cufft, *e, p, 1);
    const float without = time_plan(run, cufft, plain, p, linked->factor);
    const bool faster = with >= 0 && with < without;
    atomic_store_explicit(&(*e)->slower, !faster, memory_order_relaxed);
    atomic_store_explicit(&some_linked, true, memory_order_relaxed);
    if (!faster) gndi_fft_cache_give(*e);
    return faster;
}

/* The linked plan, if there is one that is faster. */
static gndi_fft_entry *peek_linked(gndi_cuda_run *run, const gndi_cufft_layout *linked) {
    if (!atomic_load_explicit(&some_linked, memory_order_relaxed)) return NULL;
    gndi_fft_entry *e = gndi_fft_cache_peek(run->stream->device, linked, sizeof *linked);
    if (!e || !atomic_load_explicit(&e->slower, memory_order_relaxed)) return e;
    gndi_fft_cache_give(e);
    return NULL;
}

static gnd_status find_plan(gndi_cuda_run *run, gndi_cuda_fft_job *job, const gndi_fft_plan *pass,
                            const gndi_cufft_layout *layout, double factor) {
    gndi_fft_entry **e = &job->entry[job->found], *plain = NULL;
    const bool may_link = factor != 1 && !atomic_load_explicit(&cannot_link, memory_order_relaxed);
    gndi_cufft_layout linked = *layout;
    linked.factor = factor;
    *e = may_link ? peek_linked(run, &linked) : NULL;
    bool multiplies = *e != NULL;
    if (!multiplies) {
        gnd_status status = find_layout(run, job->cufft, layout, run->fn, &plain);
        if (status) return status;
        /* In a capture nothing can be made or timed. */
        multiplies = may_link && job->plan->pins && job->plan->pins->thorough && !gndi_cuda_is_captured(run->stream) &&
                     link_factor(run, job->cufft, pass, &linked, plain, e);
        if (multiplies)
            gndi_fft_cache_give(plain);
        else
            *e = plain;
    }
    job->multiplies[job->found++] = multiplies;
    return GND_OK;
}

/* ---- running ---------------------------------------------------------------------------------- */

gnd_status gndi_cufft_run(gndi_cuda_run *run, gndi_cuda_fft_job *job, const gndi_fft_plan *pass,
                          const gndi_cufft_layout *layout, double *factor) {
    if (run->measures) {
        gnd_status status = find_plan(run, job, pass, layout, *factor);
        if (status) return status;
    }
    const int i = run->measures ? job->found - 1 : job->next++;
    gndi_fft_entry *e = job->entry[i];
    if (job->multiplies[i]) *factor = 1;
    const size_t used = run->used;
    void *work = e->work ? gndi_cuda_take(run, (int64_t)e->work) : NULL;
    run->used = used;
    if (run->measures) return GND_OK;
    return check(run_plan(job->cufft, e, run->stream, work, pass), run->fn, "cufftXtExec");
}
