/*
 * plan.c: transforms planned ahead, and the caches of plans. A planned transform is a request whose library
 * plans are pinned in the caches; running it runs the request.
 */
#include "fft/fft.h"
#include "fft/fft_cache.h"
#include "runtime/runtime.h"

struct gnd_fft_plan {
    gndi_device *device;
    gndi_fft_kind kind;
    gnd_dtype dtype;
    int ndim;
    int64_t shape[GND_MAX_DIMS];
    gndi_fft_axes axes;
    gnd_fft_norm norm;
    gndi_fft_pins pins;
};

/* ---- making ----------------------------------------------------------------------------------- */

/* An array of the same dtype, shape, strides and alignment, for libraries to plan with; they may write to it. */
static gnd_array *stand_in(gndi_temporaries *s, const gnd_array *like) {
    enum { LINE = 64 };
    char *low, *high;
    gndi_array_extent(like, &low, &high);
    const int64_t within = (int64_t)((uintptr_t)low % LINE), bytes = high - low + within;
    gnd_stream *stream = gndi_stream_on(like->buffer->device, s->fn);
    gnd_array *memory = stream ? gndi_array_new_on(s->fn, stream, 1, &bytes, GND_UINT8, GNDI_ORDER_C) : NULL;
    if (!gndi_temporaries_keep(s, memory)) return NULL;
    return gndi_temporaries_keep(s, gndi_array_view(s->fn, memory, like->ndim, like->shape, like->strides,
                                                    gndi_data(memory) + within + (gndi_data(like) - low),
                                                    (gnd_dtype)like->dtype));
}

/* Makes and pins the library plans of a request, out of place, and in place if that is possible. */
static gnd_status hold_plans(const char *fn, gnd_fft_plan *plan, const gnd_array *like) {
    gndi_temporaries s = {.fn = fn};
    const bool in_place = gndi_dtype_is_complex(like->dtype) && plan->kind <= GNDI_IFFT;
    gndi_fft_request r = {.fn = fn, .kind = plan->kind, .axes = plan->axes, .norm = plan->norm, .pins = &plan->pins};
    r.a = stand_in(&s, like);
    gnd_array *result = NULL;
    if (!s.failed) s.failed = gndi_fft_run(&r, &result) != GND_OK;
    if (!s.failed && in_place && gndi_same_shape(result, like) && gndi_fft_fits(r.a, (gnd_dtype)like->dtype)) {
        r.out = (gnd_array *)(uintptr_t)r.a;
        s.failed = gndi_fft_run(&r, NULL) != GND_OK;
    }
    gnd_release(result);
    return gndi_temporaries_status(&s);
}

static void drop(gnd_fft_plan *plan) {
    for (int i = 0; i < plan->pins.count; i++) gndi_fft_cache_give(plan->pins.entry[i]);
    gndi_free(plan->pins.entry);
    gndi_free(plan);
}

static bool check_arguments(const char *fn, gnd_fft_kind kind, const gnd_array *like, gnd_fft_norm norm,
                            gnd_fft_effort effort) {
    if (gndi_missing(like))
        gndi_raise_null(fn, "like");
    else if ((unsigned)kind > GND_FFT_KIND_IRFFT)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no kind number %d of transforms", (int)kind);
    else if ((unsigned)effort > GND_FFT_MEASURE)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no effort number %d", (int)effort);
    else
        return gndi_fft_check_norm(fn, norm);
    return false;
}

gnd_fft_plan *gnd_fft_plan_new(gnd_fft_kind kind, const gnd_array *like, gnd_shape s, gnd_axes axes, gnd_fft_norm norm,
                               gnd_fft_effort effort) {
    static const char fn[] = "gnd_fft_plan_new";
    static const gndi_fft_kind kinds[] = {GNDI_FFT, GNDI_IFFT, GNDI_RFFT, GNDI_IRFFT};
    if (!check_arguments(fn, kind, like, norm, effort)) return NULL;
    gnd_fft_plan *plan = gndi_calloc(fn, sizeof *plan);
    if (!plan) return NULL;
    plan->kind = kinds[kind], plan->norm = norm;
    plan->device = like->buffer->device, plan->dtype = (gnd_dtype)like->dtype;
    plan->ndim = like->ndim;
    memcpy(plan->shape, like->shape, (size_t)like->ndim * sizeof *plan->shape);
    plan->pins.thorough = effort == GND_FFT_MEASURE;
    bool good = gndi_fft_read_axes(fn, like, &s, &axes, 0, kind == GND_FFT_KIND_IRFFT, &plan->axes);
    if (good && plan->axes.count == 0) {
        gndi_raise(GND_ERROR_INVALID, fn, "there is no axis to transform along, of shape %s",
                   gndi_text_shape(like->ndim, like->shape));
        good = false;
    }
    if (good && !hold_plans(fn, plan, like)) return gndi_owned("a plan of a transform", plan, fn);
    drop(plan);
    return NULL;
}

void gnd_fft_plan_release(gnd_fft_plan *plan) {
    if (!plan) return;
    gndi_disowned(plan);
    drop(plan);
}

/* ---- running ---------------------------------------------------------------------------------- */

static gnd_status run(const char *fn, const gnd_fft_plan *plan, const gnd_array *a, gnd_array *out, bool into,
                      gnd_array **result) {
    if (!plan || gndi_missing(a) || (into && gndi_missing(out))) {
        gndi_raise_null(fn, !plan ? "plan" : gndi_missing(a) ? "a" : "out");
        return gndi_ew_pending();
    }
    const size_t bytes = (size_t)plan->ndim * sizeof *plan->shape;
    if (a->ndim != plan->ndim || memcmp(a->shape, plan->shape, bytes) != 0)
        return gndi_raise(GND_ERROR_SHAPE, fn, "the plan is for arrays of shape %s, not %s",
                          gndi_text_shape(plan->ndim, plan->shape), gndi_text_shape(a->ndim, a->shape));
    if ((gnd_dtype)a->dtype != plan->dtype)
        return gndi_raise(GND_ERROR_DTYPE, fn, "the plan is for arrays of %s, not %s", gnd_dtype_name(plan->dtype),
                          gnd_dtype_name((gnd_dtype)a->dtype));
    if (a->buffer->device != plan->device)
        return gndi_raise(GND_ERROR_DEVICE, fn, "the plan is for arrays on %s, not on %s",
                          gndi_text_device(plan->device->id), gndi_text_device(a->buffer->device->id));
    const gndi_fft_request r = {
        .fn = fn, .kind = plan->kind, .a = a, .out = out, .axes = plan->axes, .norm = plan->norm};
    return gndi_fft_run(&r, result);
}

gnd_array *gnd_fft_plan_run(const gnd_fft_plan *plan, const gnd_array *a) {
    gnd_array *result = NULL;
    run("gnd_fft_plan_run", plan, a, NULL, false, &result);
    return result;
}

gnd_status gnd_fft_plan_run_into(const gnd_fft_plan *plan, gnd_array *out, const gnd_array *a) {
    return run("gnd_fft_plan_run_into", plan, a, out, true, NULL);
}

/* ---- caches ----------------------------------------------------------------------------------- */

gnd_status gnd_fft_cache_stats_of(gnd_device device, gnd_fft_cache_stats *out) {
    static const char fn[] = "gnd_fft_cache_stats_of";
    if (!out) return gndi_raise(GND_ERROR_INVALID, fn, "no place to write to (out is NULL)");
    gndi_device *d = gndi_device_get(device, fn);
    if (!d) return gndi_ew_pending();
    const gndi_fft_cache_state state = gndi_fft_cache_ask(d);
    *out = (gnd_fft_cache_stats){
        .plans = state.plans, .hits = state.hits, .misses = state.misses, .bytes = state.bytes, .limit = state.limit};
    return GND_OK;
}

gnd_status gnd_fft_cache_set_limit(gnd_device device, size_t bytes) {
    gndi_device *d = gndi_device_get(device, "gnd_fft_cache_set_limit");
    if (!d) return gndi_ew_pending();
    gndi_fft_cache_set_limit(d, bytes);
    return GND_OK;
}

gnd_status gnd_fft_cache_clear(gnd_device device) {
    gndi_device *d = gndi_device_get(device, "gnd_fft_cache_clear");
    if (!d) return gndi_ew_pending();
    gndi_fft_cache_clear(d);
    return GND_OK;
}
