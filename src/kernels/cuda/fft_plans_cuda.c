/*
 * fft_plans_cuda.c: plans of cuFFT: made once (fft_cache.h) and without memory of their own, which each run
 * takes from gnd's pool in the order of its stream.
 */
#include "kernels/cuda/fft_cuda.h"
#include "runtime/runtime_cuda.h"
#include <kernels/cuda/fft_callbacks_array.h> /* fft_callbacks.cu, made by Meson */

/* Of cufft.h and library_types.h. */
enum { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };
enum { REAL_32 = 0, REAL_64 = 1, COMPLEX_32 = 4, COMPLEX_64 = 5 };
enum { CALLBACK_STORE_COMPLEX = 4, CALLBACK_STORE_REAL = 6 }; /* and one more in double precision */
enum { CUFFT_MISSING_DEPENDENCY = 0x11 };

/* A factor costs another pass over the result, unless cuFFT's last kernel has it, which must be linked for it
   first. That takes long, and so is done for a plan that may take long to make (gnd_fft_plan_new), and for
   results of at least so many bytes, when one transform is run for the so many'th time. Both numbers are
   chosen, not measured; nor is how long the linking takes, and what it gains. */
#define LINK_BYTES ((int64_t)16 << 20)
enum { LINK_AFTER = 32 };

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
    /* A library that fails because CUDA did leaves CUDA's own error behind, which says more. */
    const cudaError_t error = cudaGetLastError();
    if (error) return gndi_cuda_check((int)error, fn, routine);
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].status == status)
            return gndi_raise(meanings[i].code, fn, "%s: %s", routine, meanings[i].text);
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

/* Has the plan's last kernel multiply by the factor; it is linked anew as the plan is made, until when *info must be
   there. */
static int set_factor(const gndi_cufft_layout *l, int plan, void **info) {
    const gndi_cufftjit *jit = gndi_cufftjit_get(NULL);
    const bool real = l->type == GNDI_FFT_C2R;
    const char *name = real ? (l->wide ? "gndi_store_float64" : "gndi_store_float32")
                            : (l->wide ? "gndi_store_complex128" : "gndi_store_complex64");
    memcpy(info, &l->factor, sizeof *info);
    if (!jit) return CUFFT_MISSING_DEPENDENCY;
    return jit->cufftXtSetJITCallback(
        plan, name, fft_callbacks, sizeof fft_callbacks,
        (real ? CALLBACK_STORE_REAL : CALLBACK_STORE_COMPLEX) + (l->wide ? 1 : 0), info);
}

static int make_plan(const gndi_cufft *cufft, const gndi_cufft_layout *layout, int plan,
                     size_t *work) {
    gndi_cufft_layout l = *layout; /* cuFFT takes it as variables */
    const int in = type_of(&l, false), out = type_of(&l, true);
    void *info = NULL;
    int status = cufft->cufftSetAutoAllocation(plan, 0);
    if (!status && l.factor != 0) status = set_factor(&l, plan, &info);
    if (!status)
        status = cufft->cufftXtMakePlanMany(plan, l.rank, l.n, l.in.embed, l.in.stride, l.in.apart,
                                            in, l.out.embed, l.out.stride, l.out.apart, out,
                                            l.batch, work, l.wide ? COMPLEX_64 : COMPLEX_32);
    return status;
}

static size_t plan_bytes(const gndi_cufft_layout *l) {
    size_t bytes = 16384;
    for (int i = 0; i < l->rank; i++) bytes += gndi_fft_table_bytes(l->n[i], l->wide);
    return bytes;
}

/* The plan of a layout, out of the cache or made. `fn`: NULL for one that need not be. */
static gnd_status find_layout(gndi_cuda_run *run, const gndi_cufft *cufft,
                              const gndi_cufft_layout *layout, const char *fn, gndi_fft_entry **e) {
    gndi_device *d = run->stream->device;
    *e = gndi_fft_cache_take(d, layout, sizeof *layout);
    if (*e) return GND_OK;
    gndi_fft_handle plan;
    size_t work = 0;
    /* Plans allocate when they are made, which a stream that is captured cannot do. */
    gnd_status status = gndi_cuda_check_not_captured(
        run->stream,
        "there is no plan of cuFFT yet for this transform; run it once before the capture begins",
        fn);
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

/* Whether a plan that multiplies by its factor itself is worth being made: where one is asked for that may
   take long, or when results have often enough been gone over once more. */
static bool worth_linking(const gndi_cuda_fft_job *job, const gndi_fft_plan *pass,
                          gndi_fft_entry *plain) {
    if (job->plan->pins) return job->plan->pins->thorough;
    int64_t bytes = gndi_fft_out_size(pass);
    for (int i = 0; i < pass->axes; i++) bytes *= pass->axis[i].n;
    for (int i = 0; i < pass->batches; i++) bytes *= pass->batch[i].n;
    return bytes >= LINK_BYTES &&
           atomic_fetch_add_explicit(&plain->scaled, 1, memory_order_relaxed) + 1 == LINK_AFTER;
}

static gnd_status find_plan(gndi_cuda_run *run, gndi_cuda_fft_job *job, const gndi_fft_plan *pass,
                            const gndi_cufft_layout *layout, double factor) {
    gndi_fft_entry **e = &job->entry[job->found], *plain;
    gndi_cufft_layout linked = *layout;
    linked.factor = factor;
    *e = NULL;
    job->multiplies[job->found] = false;
    const bool may_link = factor != 1 && !atomic_load_explicit(&cannot_link, memory_order_relaxed);
    if (may_link && atomic_load_explicit(&some_linked, memory_order_relaxed))
        *e = gndi_fft_cache_peek(run->stream->device, &linked, sizeof linked);
    if (!*e) {
        gnd_status status = find_layout(run, job->cufft, layout, run->fn, &plain);
        if (status) return status;
        if (may_link && !gndi_cuda_is_captured(run->stream) && worth_linking(job, pass, plain)) {
            const bool made = !find_layout(run, job->cufft, &linked, NULL, e);
            atomic_store_explicit(made ? &some_linked : &cannot_link, true, memory_order_relaxed);
        }
        if (*e)
            gndi_fft_cache_give(plain);
        else
            *e = plain, linked.factor = 0;
    }
    job->multiplies[job->found++] = linked.factor != 0 && factor != 1;
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
    /* A plan remembers one stream and one work area. */
    pthread_mutex_lock(&e->lock);
    int status = job->cufft->cufftSetStream(e->plan.number, run->stream->native);
    if (!status && work) status = job->cufft->cufftSetWorkArea(e->plan.number, work);
    if (!status) status = run_all(job->cufft, e->plan.number, pass);
    pthread_mutex_unlock(&e->lock);
    return check(status, run->fn, "cufftXtExec");
}
