/*
 * fft_plans_cpu.c: plans of FFTW. Its guru interface takes any axes and strides; a plan for a layout is made
 * once (fft_cache.h), by estimate, which does not touch the arrays, and is then run on any arrays of the same
 * alignment.
 */
#include "fft/cpu/fft_cpu.h"

/* Of fftw3.h. */
enum { FFTW_FORWARD = -1, FFTW_BACKWARD = 1 };
enum {
    FFTW_MEASURE = 0,
    FFTW_DESTROY_INPUT = 1 << 0,
    FFTW_PRESERVE_INPUT = 1 << 4,
    FFTW_ESTIMATE = 1 << 6,
};
static const int fftw_kind[] = {3 /* REDFT00 */, 5 /* REDFT10 */, 4 /* REDFT01 */, 6 /* REDFT11 */,
                                7 /* RODFT00 */, 9 /* RODFT10 */, 8 /* RODFT01 */, 10 /* RODFT11 */};

/* The key of a plan in the cache: what FFTW distinguishes. */
typedef struct plan_key {
    uint8_t type, dct, wide, inverse, spare, in_place, in_offset, out_offset;
    int16_t threads, axes, batches, thorough;
    gndi_fftw_axis axis[2 * GNDI_FFT_AXES]; /* the transformed ones, then the batch */
} plan_key;

typedef struct library {
    const gndi_fftw *d;
    const gndi_fftwf *f;
} library;
#define FFTW(library, name) ((library)->d ? (library)->d->fftw_##name : (library)->f->fftwf_##name)

static gndi_lock planner_lock;
static atomic_bool thorough_plans; /* there may be measured plans, which are then looked for first */

static bool load(const gndi_fft_plan *p, library *fftw, const char *fn) {
    *fftw = (library){0};
    if (p->wide)
        fftw->d = gndi_fftw_get(fn);
    else
        fftw->f = gndi_fftwf_get(fn);
    return fftw->d || fftw->f;
}

int64_t gndi_fft_bytes(const gndi_fft_plan *p) {
    int64_t bytes = p->wide ? 16 : 8;
    for (int i = 0; i < p->axes; i++) bytes *= p->axis[i].n;
    for (int i = 0; i < p->batches; i++) bytes *= p->batch[i].n;
    return bytes;
}

static void add_axes(plan_key *key, const gndi_fft_plan *p, const gndi_fft_axis *axis, int count) {
    const int64_t in = gndi_fft_in_size(p), out = gndi_fft_out_size(p);
    for (int i = 0; i < count; i++)
        key->axis[key->axes + key->batches + i] = (gndi_fftw_axis){axis[i].n, axis[i].in / in, axis[i].out / out};
}

static size_t make_key(plan_key *key, const gndi_fft_plan *p, int threads, const library *fftw) {
    memset(key, 0, offsetof(plan_key, axis));
    key->type = p->type, key->dct = p->dct, key->wide = p->wide;
    key->inverse = p->inverse, key->spare = p->spare, key->in_place = p->in == p->out;
    key->in_offset = (uint8_t)FFTW(fftw, alignment_of)(p->in);
    key->out_offset = (uint8_t)FFTW(fftw, alignment_of)(p->out);
    key->threads = (int16_t)threads;
    add_axes(key, p, p->axis, p->axes);
    key->axes = (int16_t)p->axes;
    add_axes(key, p, p->batch, p->batches);
    key->batches = (int16_t)p->batches;
    return offsetof(plan_key, axis) + (size_t)(p->axes + p->batches) * sizeof *key->axis;
}

static void *make_plan(const plan_key *key, const gndi_fft_plan *p, const library *fftw) {
    unsigned flags = key->thorough ? FFTW_MEASURE : FFTW_ESTIMATE;
    flags |= p->spare || key->in_place ? FFTW_DESTROY_INPUT : FFTW_PRESERVE_INPUT;
    const gndi_fftw_axis *batch = key->axis + key->axes;
    const int axes = key->axes, batches = key->batches;
    switch (p->type) {
    case GNDI_FFT_C2C:
        return FFTW(fftw, plan_guru64_dft)(axes, key->axis, batches, batch, p->in, p->out,
                                           p->inverse ? FFTW_BACKWARD : FFTW_FORWARD, flags);
    case GNDI_FFT_R2C: return FFTW(fftw, plan_guru64_dft_r2c)(axes, key->axis, batches, batch, p->in, p->out, flags);
    case GNDI_FFT_C2R: return FFTW(fftw, plan_guru64_dft_c2r)(axes, key->axis, batches, batch, p->in, p->out, flags);
    default: {
        int kinds[GND_MAX_DIMS];
        for (int i = 0; i < axes; i++) kinds[i] = fftw_kind[p->dct];
        return FFTW(fftw, plan_guru64_r2r)(axes, key->axis, batches, batch, p->in, p->out, kinds, flags);
    }
    }
}

static void destroy_wide(gndi_fft_handle plan) {
    gndi_fftw_get(NULL)->fftw_destroy_plan(plan.pointer);
}

static void destroy_narrow(gndi_fft_handle plan) {
    gndi_fftwf_get(NULL)->fftwf_destroy_plan(plan.pointer);
}

/* Tables, and the plan's nodes. */
static size_t plan_bytes(const gndi_fft_plan *p) {
    size_t bytes = 4096;
    for (int i = 0; i < p->axes; i++) bytes += gndi_fft_table_bytes(p->axis[i].n, p->wide);
    return bytes;
}

gndi_fft_entry *gndi_fftw_plan(gndi_device *d, const gndi_fft_plan *p, int threads, const char *fn) {
    plan_key key;
    library fftw;
    if (!load(p, &fftw, fn)) return NULL;
    const size_t bytes = make_key(&key, p, threads, &fftw);
    gndi_fft_entry *e = NULL;
    key.thorough = atomic_load_explicit(&thorough_plans, memory_order_relaxed);
    if (key.thorough) e = gndi_fft_cache_peek(d, &key, bytes);
    const bool wanted = p->pins && p->pins->thorough;
    if (!e && !wanted) {
        key.thorough = false;
        e = gndi_fft_cache_take(d, &key, bytes);
    }
    if (e) return e;
    key.thorough = wanted;
    if (wanted) atomic_store_explicit(&thorough_plans, true, memory_order_relaxed);
    gndi_lock_take(&planner_lock);
    /* FFTW before 3.3.9 has threads of its own, which a fork loses: its plans have one. */
    const bool shares = FFTW(&fftw, planner_nthreads) != NULL;
    const int before = shares ? FFTW(&fftw, planner_nthreads)() : 1;
    FFTW(&fftw, plan_with_nthreads)(shares ? key.threads : 1);
    const gndi_fft_handle plan = {.pointer = make_plan(&key, p, &fftw)};
    FFTW(&fftw, plan_with_nthreads)(before);
    gndi_lock_give(&planner_lock);
    if (!plan.pointer) {
        gndi_raise(GND_ERROR_MEMORY, fn, "FFTW finds no plan for this transform");
        return NULL;
    }
    return gndi_fft_cache_add(d, &key, bytes, plan, plan_bytes(p), 0, p->wide ? destroy_wide : destroy_narrow, fn);
}

void gndi_fftw_run(const gndi_fft_plan *p, const gndi_fft_entry *plan) {
    const library fftw = {p->wide ? gndi_fftw_get(NULL) : NULL, p->wide ? NULL : gndi_fftwf_get(NULL)};
    const void *made = plan->plan.pointer;
    switch (p->type) {
    case GNDI_FFT_C2C: FFTW(&fftw, execute_dft)(made, p->in, p->out); break;
    case GNDI_FFT_R2C: FFTW(&fftw, execute_dft_r2c)(made, p->in, p->out); break;
    case GNDI_FFT_C2R: FFTW(&fftw, execute_dft_c2r)(made, p->in, p->out); break;
    default: FFTW(&fftw, execute_r2r)(made, p->in, p->out);
    }
}
