/*
 * random_basic.c: uniform numbers, integers, bytes.
 */
#include "elementwise/temporaries.h"
#include "elementwise/record.h"
#include "random/random.h"
#include <math.h>

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_random_uniform
#undef gnd_random_integers

/* Inside a fused block: records the draw, and advances the generator. Only for draws whose position the host
   knows. */
static bool record(const char *fn, gnd_random *g, const gnd_shape *shape, gnd_dtype dtype, gnd_array **result) {
    int64_t size;
    if (!gndi_recorder_now() || !g || shape->ndim < 0) return false;
    if (dtype == GND_DTYPE_NONE) dtype = GND_FLOAT64;
    if ((dtype != GND_FLOAT32 && dtype != GND_FLOAT64) || shape->ndim > GND_MAX_DIMS ||
        !gndi_shape_size(shape->ndim, shape->dim, &size) || size == 0 || size > INT64_MAX / 16)
        return false;
    gnd_stream *s = gndi_random_stream(g, fn);
    if (!s || s->device != g->device) return false;
    gndi_recorded recorded = GNDI_RUN_IT;
    gndi_lock_take(&g->lock);
    const uint64_t words = dtype == GND_FLOAT32 ? 1 : 2;
    const uint64_t begin = gndi_aligned_position(g->state.position, words);
    const bool captured =
        g->captured || (s->device->backend->stream_captured && s->device->backend->stream_captured(s));
    if (g->state.kind == GNDI_PHILOX && !captured) {
        const gndi_record_source source = {.kind = GNDI_SOURCE_UNIFORM,
                                           .fn = fn,
                                           .device = s->device,
                                           .dtype = dtype,
                                           .ndim = shape->ndim,
                                           .shape = shape->dim,
                                           .key = g->state.key,
                                           .position = begin,
                                           .stream = g->state.stream};
        *result = NULL;
        recorded = gndi_tls.recorder->source(gndi_tls.recorder, &source, result);
        if (recorded == GNDI_RECORDED) g->state.position = begin + (uint64_t)size * words;
    }
    gndi_lock_give(&g->lock);
    return recorded != GNDI_RUN_IT;
}

gnd_array *gnd_random_random(gnd_random *g, gnd_shape shape, gnd_dtype dtype) {
    static const char fn[] = "gnd_random_random";
    gnd_array *recorded;
    if (record(fn, g, &shape, dtype, &recorded)) return recorded;
    return gndi_random_draw(fn, GNDI_RANDOM_random, g, NULL, &shape, dtype);
}

static bool is_real(gnd_arg a) {
    return a.kind >= GND_ARG_BOOL && a.kind <= GND_ARG_REAL;
}

/* The same between two numbers: with the operations of random_uniform (random/random_basic.h), to the bit. Bounds that
   it would refuse, and empty intervals, are left to it. */
static bool record_between(const char *fn, gnd_random *g, gnd_arg low, gnd_arg high, const gnd_shape *shape,
                           gnd_dtype dtype, gnd_array **result) {
    if (!gndi_recorder_now() || !is_real(low) || !is_real(high)) return false;
    const bool narrow = dtype == GND_FLOAT32;
    const double a = gndi_arg_parts(low).re, b = gndi_arg_parts(high).re;
    const double first = narrow ? (float)a : a, end = narrow ? (float)b : b;
    const double width = narrow ? (float)b - (float)a : b - a;
    const double last = narrow ? nextafterf((float)b, -INFINITY) : nextafter(b, -INFINITY);
    gnd_array *x;
    if (!(end > first && width < INFINITY) || !record(fn, g, shape, dtype, &x)) return false;
    gndi_temporaries s = {.fn = fn};
    gndi_temporaries_keep(&s, x);
    x = gndi_step(&s, GNDI_OP_multiply, gnd_arg_array(x), gnd_arg_real(width));
    x = gndi_step(&s, GNDI_OP_add, gnd_arg_array(x), gnd_arg_real(first));
    x = gndi_step(&s, GNDI_OP_minimum, gnd_arg_array(x), gnd_arg_real(last));
    *result = gndi_temporaries_end(&s, x);
    return true;
}

gnd_array *gnd_random_uniform(gnd_random *g, gnd_arg low, gnd_arg high, gnd_shape shape, gnd_dtype dtype) {
    static const char fn[] = "gnd_random_uniform";
    gnd_array *recorded;
    if (record_between(fn, g, low, high, &shape, dtype, &recorded)) return recorded;
    return gndi_random_draw(fn, GNDI_RANDOM_uniform, g, (const gnd_arg[]){low, high}, &shape, dtype);
}

/* ---- integers ------------------------------------------------------------------------------- */

/* An integer type wide enough for bounds of any dtype, and one more. */
__extension__ typedef __int128 wide;

static void limits(gnd_dtype dtype, wide *least, wide *most) {
    const int bits = dtype == GND_BOOL ? 1 : 8 * gndi_dtype_sizes[dtype];
    const bool is_signed = dtype != GND_BOOL && gnd_dtype_kind(dtype) == 'i';
    *least = is_signed ? -((wide)1 << (bits - 1)) : 0;
    *most = ((wide)1 << (is_signed ? bits - 1 : bits)) - 1;
}

static bool is_integer(gnd_arg a) {
    return a.kind == GND_ARG_INT || a.kind == GND_ARG_UINT || a.kind == GND_ARG_BOOL;
}
static wide value_of(gnd_arg a) {
    return a.kind == GND_ARG_UINT ? (wide)a.u : (wide)a.i;
}

int gndi_random_integers_words(gnd_arg low, gnd_arg high, gnd_dtype dtype, bool endpoint) {
    if (!is_integer(low) || !is_integer(high)) return gndi_dtype_sizes[dtype] <= 4 ? 1 : 2;
    return value_of(high) - value_of(low) - !endpoint <= UINT32_MAX ? 1 : 2;
}

/* A draw of integers into `out`, or a new array. */
typedef struct bounds {
    const char *fn;
    gnd_random *g;
    gnd_arg low, high;
    gnd_dtype dtype;
    bool endpoint;
    const gnd_shape *shape;
    gnd_array *out;
} bounds;

static gnd_array *draw_between(const bounds *b, const gnd_arg *parameters, int words) {
    if (!b->out)
        return gndi_random_draw_words(b->fn, GNDI_RANDOM_integers, b->g, parameters, b->shape, b->dtype, words);
    return gndi_random_draw_into(b->fn, GNDI_RANDOM_integers, b->g, parameters, b->out, words) ? NULL : b->out;
}

static bool wants_none(const bounds *b) {
    if (b->out) return b->out->size == 0;
    bool none = false;
    for (int i = 0; i < b->shape->ndim; i++) none = none || b->shape->dim[i] == 0;
    return none;
}

/* Bounds that are numbers: checked here, and passed on as low and the highest integer. An empty interval is allowed if
   no elements are drawn, as in NumPy. */
static gnd_array *between_numbers(const bounds *b) {
    wide least, most;
    limits(b->dtype, &least, &most);
    const bool none = wants_none(b);
    const wide first = none ? 0 : value_of(b->low);
    const wide last = none ? 0 : value_of(b->high) - !b->endpoint;
    if (first > last)
        return gndi_fail(GND_ERROR_VALUE, b->fn, "there is no number from low to high%s", b->endpoint ? "" : " - 1");
    if (first < least || last > most)
        return gndi_fail(GND_ERROR_VALUE, b->fn, "low or high is out of the range of %s", gnd_dtype_name(b->dtype));
    int64_t flags = (int64_t)b->dtype | GNDI_INTEGERS_CLOSED;
    if (b->dtype != GND_UINT64) flags |= GNDI_INTEGERS_LOW_SIGNED | GNDI_INTEGERS_HIGH_SIGNED;
    const gnd_arg parameters[] = {gnd_arg_int((int64_t)first), gnd_arg_int((int64_t)(uint64_t)last),
                                  gnd_arg_int(flags)};
    return draw_between(b, parameters, gndi_random_integers_words(b->low, b->high, b->dtype, b->endpoint));
}

/* Bounds that are arrays are checked on their device, numbers beside them here; `beyond`: how far above the dtype's
   largest number they may be. */
static gnd_status array_bound(const bounds *b, const gnd_arg *bound, int beyond, bool *is_signed) {
    if (bound->kind == GND_ARG_ARRAY) {
        if (gndi_missing(bound->array)) return gndi_raise_null(b->fn, "a bound");
        *is_signed = bound->array->dtype != GND_UINT64;
        return GND_OK;
    }
    *is_signed = bound->kind != GND_ARG_UINT;
    wide least, most;
    limits(b->dtype, &least, &most);
    if (is_integer(*bound) && (value_of(*bound) < least || value_of(*bound) > most + beyond))
        return gndi_raise(GND_ERROR_VALUE, b->fn, "low or high is out of the range of %s", gnd_dtype_name(b->dtype));
    return GND_OK;
}

static gnd_array *integers(bounds *b) {
    if (!gndi_dtype_valid((int)b->dtype) || b->dtype > GND_UINT64)
        return gndi_fail(GND_ERROR_DTYPE, b->fn, "integers can be of an integer dtype or bool, not %s",
                         gndi_dtype_valid((int)b->dtype) ? gnd_dtype_name(b->dtype) : "no dtype at all");
    if (b->high.kind == GND_ARG_NONE) b->high = b->low, b->low = gnd_arg_int(0);
    if (is_integer(b->low) && is_integer(b->high)) return between_numbers(b);
    bool low_signed, high_signed;
    if (array_bound(b, &b->low, 0, &low_signed) || array_bound(b, &b->high, !b->endpoint, &high_signed)) return NULL;
    int64_t flags = (int64_t)b->dtype | (b->endpoint ? GNDI_INTEGERS_CLOSED : 0);
    if (low_signed) flags |= GNDI_INTEGERS_LOW_SIGNED;
    if (high_signed) flags |= GNDI_INTEGERS_HIGH_SIGNED;
    return draw_between(b, (const gnd_arg[]){b->low, b->high, gnd_arg_int(flags)},
                        gndi_random_integers_words(b->low, b->high, b->dtype, b->endpoint));
}

gnd_array *gnd_random_integers(gnd_random *g, gnd_arg low, gnd_arg high, gnd_shape shape, gnd_dtype dtype,
                               bool endpoint) {
    bounds b = {.fn = "gnd_random_integers",
                .g = g,
                .low = low,
                .high = high,
                .dtype = dtype == GND_DTYPE_NONE ? GND_INT64 : dtype,
                .endpoint = endpoint,
                .shape = &shape};
    return integers(&b);
}

gnd_status gndi_random_integers_into(const char *fn, gnd_random *g, gnd_arg low, gnd_arg high, gnd_array *out) {
    bounds b = {.fn = fn, .g = g, .low = low, .high = high, .dtype = (gnd_dtype)out->dtype, .out = out};
    return integers(&b) ? GND_OK : gndi_ew_pending();
}

gnd_array *gnd_random_bytes(gnd_random *g, int64_t n) {
    static const char fn[] = "gnd_random_bytes";
    if (n < 0) return gndi_fail(GND_ERROR_VALUE, fn, "n is %lld, which is negative", (long long)n);
    const bool one = g && g->numpy && n == 0; /* NumPy draws a word for no bytes, too */
    const gnd_shape shape = {.ndim = 1, .dim = {one ? 1 : n / 4 + (n % 4 != 0)}};
    gnd_array *words = gndi_random_draw_words(fn, GNDI_RANDOM_words, g, NULL, &shape, GND_UINT32, 1);
    if (!words) return NULL;
    gnd_array *bytes = gndi_sole_view(gndi_array_view(fn, words, 1, &n, NULL, gndi_data(words), GND_UINT8));
    gnd_release(words);
    return bytes;
}
