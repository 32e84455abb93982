/*
 * random_curand.c: cuRAND's generators behind gnd's draws. A draw is one call of cuRAND's into the result, or into
 * memory of the type that cuRAND writes, and then what makes the result of it. A small buffer orders the draws of
 * several streams: cuRAND's state lies in memory of its own.
 */
#include "array/view.h"
#include "elementwise/create.h"
#include "elementwise/temporaries.h"
#include "random/curand_plan.h"
#include "random/random.h"

/* cuRAND's numbers of kinds and orderings (curand.h), by gnd's. */
static const int kinds[] = {101, 121, 141, 142, 161, 201, 202, 203, 204};
static const int orderings[] = {0, 100, 102, 103, 104};
enum { ORDER_BYTES = 16 };

static bool is_quasi(gnd_curand_kind kind) {
    return kind >= GND_CURAND_SOBOL32;
}

/* ---- making ----------------------------------------------------------------------------------- */

static bool check_options(const char *fn, gnd_curand_kind kind, const gnd_curand_options *o) {
    const bool quasi = is_quasi(kind);
    if ((unsigned)kind > GND_CURAND_SCRAMBLED_SOBOL64)
        gndi_raise(GND_ERROR_INVALID, fn, "cuRAND has no kind of generator number %d", (int)kind);
    else if ((unsigned)o->ordering > GND_CURAND_DYNAMIC_ORDER)
        gndi_raise(GND_ERROR_INVALID, fn, "cuRAND has no ordering number %d", (int)o->ordering);
    else if (quasi && o->ordering != GND_CURAND_DEFAULT_ORDER)
        gndi_raise(GND_ERROR_VALUE, fn, "a Sobol sequence has one ordering, the default");
    else if (!quasi && o->dimensions != 0)
        gndi_raise(GND_ERROR_VALUE, fn, "dimensions is %d; a pseudo-random generator has none", o->dimensions);
    else if (o->dimensions < 0 || o->dimensions > 20000)
        gndi_raise(GND_ERROR_VALUE, fn, "dimensions is %d; it must be 1 to 20000", o->dimensions);
    else
        return true;
    return false;
}

gnd_status gndi_random_make_curand(const char *fn, gnd_random *g, gnd_curand_kind kind, uint64_t seed,
                                   const gnd_curand_options *o) {
    gnd_stream *s = gndi_stream_on(g->device, fn);
    g->curand = s ? gndi_calloc(fn, sizeof *g->curand) : NULL;
    if (!g->curand) return gndi_ew_pending();
    *g->curand = (gndi_curand_generator){.kind = kinds[kind],
                                         .ordering = orderings[o->ordering],
                                         .dimensions = is_quasi(kind) ? (unsigned)gndi_max(1, o->dimensions) : 0,
                                         .seed = seed,
                                         .offset = o->offset};
    g->cell = gndi_buffer_new(fn, s, ORDER_BYTES);
    return g->cell ? GND_OK : GND_ERROR_MEMORY;
}

gnd_random *gnd_random_new_curand(gnd_curand_kind kind, uint64_t seed, const gnd_curand_options *options) {
    static const char fn[] = "gnd_random_new_curand";
    const gnd_curand_options o = options ? *options : (gnd_curand_options){0};
    gnd_stream *s = check_options(fn, kind, &o) ? gndi_stream_current(fn) : NULL;
    if (!s) return NULL;
    if (!s->device->backend->curand) {
        gndi_raise(GND_ERROR_DEVICE, fn, "cuRAND's generators are on GPUs; the current device is %s",
                   gndi_text_device(s->device->id));
        return NULL;
    }
    return gndi_random_new_with_curand(fn, s->device, kind, seed, &o);
}

/* ---- calls ------------------------------------------------------------------------------------ */

static gnd_status call(const char *fn, const gnd_random *g, gnd_stream *s, const gndi_curand_plan *plan,
                       gndi_buffer *to) {
    gnd_status status = gndi_order_write(s, g->cell, fn);
    if (!status && to) status = gndi_order_write(s, to, fn);
    if (!status) status = s->device->backend->curand(s, plan, fn);
    if (!status) gndi_submitted(s);
    return status;
}

void gndi_random_drop_curand(gnd_random *g) {
    gnd_stream *s = g->curand->handle ? gndi_stream_on(g->device, NULL) : NULL;
    const gndi_curand_plan plan = {.generator = g->curand, .call = GNDI_CURAND_DESTROY};
    if (s && !gndi_order_write(s, g->cell, NULL)) s->device->backend->curand(s, &plan, NULL);
    g->curand->handle = NULL;
}

gnd_status gndi_random_seed_curand(gnd_random *g, uint64_t seed) {
    gndi_random_drop_curand(g);
    g->curand->seed = seed;
    return GND_OK;
}

/* ---- draws ------------------------------------------------------------------------------------ */

/* The call of a draw; false after an error. */
static bool find_call(const char *fn, const gnd_random *g, const gndi_random_plan *of, gndi_curand_plan *plan) {
    const gndi_random_value *v[] = {&of->parameter[0].value, &of->parameter[1].value};
    const bool narrow = of->dtype == GND_FLOAT32;
    const double a = narrow ? (double)v[0]->f32 : v[0]->f64, b = narrow ? (double)v[1]->f32 : v[1]->f64;
    plan->a = a, plan->b = b, plan->dtype = (gnd_dtype)of->dtype;
    switch (of->distribution) {
    case GNDI_RANDOM_random:
    case GNDI_RANDOM_uniform: plan->call = GNDI_CURAND_UNIFORM; return true;
    case GNDI_RANDOM_standard_normal: plan->a = 0, plan->b = 1; /* fall through */
    case GNDI_RANDOM_normal: plan->call = GNDI_CURAND_NORMAL; return true;
    case GNDI_RANDOM_lognormal: plan->call = GNDI_CURAND_LOG_NORMAL; return true;
    case GNDI_RANDOM_poisson:
        plan->call = GNDI_CURAND_POISSON, plan->dtype = GND_UINT32, plan->a = v[0]->f64;
        return true;
    case GNDI_RANDOM_integers: {
        const bool wide = g->curand->kind >= kinds[GND_CURAND_SOBOL64];
        plan->call = GNDI_CURAND_WORDS, plan->dtype = wide ? GND_UINT64 : GND_UINT32;
        if (v[0]->i64 == 0 && (uint64_t)v[1]->i64 == (wide ? UINT64_MAX : UINT32_MAX)) return true;
        gndi_raise(GND_ERROR_VALUE, fn, "this generator's integers are from 0 to 2^%d - 1", wide ? 64 : 32);
        return false;
    }
    default:
        gndi_raise(GND_ERROR_INVALID, fn, "cuRAND has no numbers of the distribution '%s'",
                   gndi_distributions[of->distribution].name);
        return false;
    }
}

/* What cuRAND wrote becomes the result: uniform numbers in place, others by a copy. */
static gnd_status finish(gndi_temporaries *s, const gndi_random_plan *of, const gndi_curand_plan *plan,
                         const gnd_array *drawn, gnd_array *result) {
    if (drawn != result) {
        const gnd_array *whole = gndi_temporaries_keep(
            s, gndi_array_view(s->fn, drawn, result->ndim, result->shape, NULL, gndi_data(drawn), plan->dtype));
        return whole ? gndi_assign(s->fn, result, gnd_arg_array(whole)) : gndi_ew_pending();
    }
    if (of->distribution == GNDI_RANDOM_random)
        gndi_step_into(s, GNDI_OP_remainder, result, gnd_arg_array(result), gnd_arg_real(1), NULL);
    if (of->distribution != GNDI_RANDOM_uniform || (plan->a == 0 && plan->b == 1)) return gndi_temporaries_status(s);
    gndi_step_into(s, GNDI_OP_multiply, result, gnd_arg_array(result), gnd_arg_real(plan->b - plan->a), NULL);
    if (!s->failed) gndi_step_into(s, GNDI_OP_add, result, gnd_arg_array(result), gnd_arg_real(plan->a), NULL);
    return gndi_temporaries_status(s);
}

gnd_status gndi_random_draw_curand(const char *fn, gnd_random *g, gnd_stream *stream, const gndi_random_plan *of,
                                   gnd_array *result) {
    gndi_curand_plan plan = {.generator = g->curand, .count = result->size};
    if (!of->uniform)
        return gndi_raise(GND_ERROR_INVALID, fn, "cuRAND's generators take numbers as parameters, not arrays");
    if (!find_call(fn, g, of, &plan)) return gndi_ew_pending();
    if (stream->device->backend->stream_captured && stream->device->backend->stream_captured(stream))
        return gndi_raise(GND_ERROR_INVALID, fn, "draws of cuRAND's generators cannot be captured into a CUDA graph");
    const bool normal = plan.call == GNDI_CURAND_NORMAL || plan.call == GNDI_CURAND_LOG_NORMAL;
    if (normal && g->curand->dimensions == 0) plan.count += plan.count % 2;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gnd_array *drawn = result;
    if (plan.count != result->size || plan.dtype != (gnd_dtype)result->dtype)
        drawn = gndi_temporaries_keep(&s, gndi_array_new_on(fn, stream, 1, &plan.count, plan.dtype, GNDI_ORDER_C));
    if (!drawn) return gndi_temporaries_status(&s);
    plan.out = gndi_data(drawn);
    gndi_lock_take(&g->lock);
    gnd_status status = call(fn, g, stream, &plan, drawn->buffer);
    gndi_lock_give(&g->lock);
    if (!status) status = finish(&s, of, &plan, drawn, result);
    gndi_temporaries_end(&s, NULL);
    return status;
}
