/*
 * curand_cuda.c: calls of cuRAND. A generator is made at its first draw.
 */
#include "libraries/library_tables.h"
#include "random/curand_plan.h"
#include "runtime/cuda/runtime_cuda.h"

enum { OUT_OF_TYPE = 103, OUT_OF_RANGE = 104, LENGTH_NOT_MULTIPLE = 105, NO_DOUBLES = 106 }; /* of curandStatus */

static gnd_status report(const char *fn, int code, const gndi_curand_plan *plan) {
    if (code == LENGTH_NOT_MULTIPLE)
        return gndi_raise(GND_ERROR_SHAPE, fn, "%lld numbers are no multiple of the %u dimensions",
                          (long long)plan->count, plan->generator->dimensions);
    if (code == OUT_OF_TYPE || code == OUT_OF_RANGE)
        return gndi_raise(GND_ERROR_VALUE, fn, "cuRAND's generator does not take this (status %d)", code);
    return gndi_raise(code == NO_DOUBLES ? GND_ERROR_DTYPE : GND_ERROR_DEVICE, fn, "cuRAND failed with status %d",
                      code);
}

static int make(const gndi_curand *lib, gndi_curand_generator *g) {
    int code = lib->curandCreateGenerator(&g->handle, g->kind);
    if (code) return g->handle = NULL, code;
    if (g->dimensions)
        code = lib->curandSetQuasiRandomGeneratorDimensions(g->handle, g->dimensions);
    else
        code = lib->curandSetPseudoRandomGeneratorSeed(g->handle, g->seed);
    if (!code && g->offset) code = lib->curandSetGeneratorOffset(g->handle, g->offset);
    if (!code && g->ordering) code = lib->curandSetGeneratorOrdering(g->handle, g->ordering);
    if (code) lib->curandDestroyGenerator(g->handle), g->handle = NULL;
    return code;
}

static int generate(const gndi_curand *lib, const gndi_curand_plan *p) {
    void *const g = p->generator->handle;
    const size_t n = (size_t)p->count;
    const bool wide = p->dtype == GND_FLOAT64;
    void *const out = p->out;
    switch (p->call) {
    case GNDI_CURAND_WORDS:
        return p->dtype == GND_UINT64 ? lib->curandGenerateLongLong(g, out, n) : lib->curandGenerate(g, out, n);
    case GNDI_CURAND_UNIFORM:
        return wide ? lib->curandGenerateUniformDouble(g, out, n) : lib->curandGenerateUniform(g, out, n);
    case GNDI_CURAND_NORMAL:
        return wide ? lib->curandGenerateNormalDouble(g, out, n, p->a, p->b)
                    : lib->curandGenerateNormal(g, out, n, (float)p->a, (float)p->b);
    case GNDI_CURAND_LOG_NORMAL:
        return wide ? lib->curandGenerateLogNormalDouble(g, out, n, p->a, p->b)
                    : lib->curandGenerateLogNormal(g, out, n, (float)p->a, (float)p->b);
    default: return lib->curandGeneratePoisson(g, out, n, p->a);
    }
}

gnd_status gndi_cuda_curand(gnd_stream *s, const gndi_curand_plan *plan, const char *fn) {
    const gndi_curand *lib = gndi_curand_get(fn);
    if (!lib) return GND_ERROR_UNAVAILABLE;
    if (plan->call == GNDI_CURAND_DESTROY) return lib->curandDestroyGenerator(plan->generator->handle), GND_OK;
    int code = plan->generator->handle ? 0 : make(lib, plan->generator);
    if (!code) code = lib->curandSetStream(plan->generator->handle, s->native);
    if (!code) code = generate(lib, plan);
    return code ? report(fn, code, plan) : GND_OK;
}
