/*
 * random_numpy.c: NumPy's generators behind gnd's draws: numbers computed on the host as Generator does
 * (numpy/random/src/distributions), into the result or, for a GPU, into memory that is copied to it.
 */
#include "array/view.h"
#include "elementwise/elementwise.h"
#include "core/parallel.h"
#include "random/numpy_streams.h"
#include "random/random.h"
#include "random/random_plan.h"

enum { GRAIN = 1 << 15 };

gnd_status gndi_random_make_numpy(const char *fn, gnd_random *g, gnd_numpy_kind kind, uint64_t seed, int64_t child) {
    if (!g->numpy) g->numpy = gndi_malloc(fn, sizeof *g->numpy);
    if (!g->numpy) return GND_ERROR_MEMORY;
    gndi_numpy_seed(g->numpy, kind, seed, child);
    g->state.key = seed;
    return GND_OK;
}

gnd_random *gnd_random_new_numpy(gnd_numpy_kind kind, uint64_t seed) {
    static const char fn[] = "gnd_random_new_numpy";
    if ((unsigned)kind > GND_NUMPY_PHILOX) {
        gndi_raise(GND_ERROR_INVALID, fn, "NumPy has no kind of generator number %d", (int)kind);
        return NULL;
    }
    gnd_stream *s = gndi_stream_current(fn);
    return s ? gndi_random_new_with_numpy(fn, s->device, kind, seed, -1) : NULL;
}

gnd_status gndi_random_advance_numpy(const char *fn, gnd_random *g, uint64_t count) {
    if (!gndi_numpy_jumps(g->numpy->kind))
        return gndi_raise(GND_ERROR_INVALID, fn, "NumPy's %s cannot skip numbers",
                          g->numpy->kind == GND_NUMPY_SFC64 ? "SFC64" : "MT19937");
    gndi_lock_take(&g->lock);
    gndi_numpy_advance(g->numpy, count);
    gndi_lock_give(&g->lock);
    return GND_OK;
}

/* ---- uniform numbers -------------------------------------------------------------------------- */

/* Of 64 bits; a part of them begins where the stream has skipped the parts before. */
typedef struct doubles {
    const gndi_numpy_stream *stream;
    double *out, low, range;
    bool scaled;
} doubles;

static void fill_doubles(const doubles *d, gndi_numpy_stream *s, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
        const double u = gndi_numpy_double(s);
        d->out[i] = d->scaled ? d->low + d->range * u : u;
    }
}
static void part_of_doubles(void *context, int64_t begin, int64_t end) {
    const doubles *d = context;
    gndi_numpy_stream s = *d->stream;
    gndi_numpy_skip(&s, (uint64_t)begin);
    fill_doubles(d, &s, begin, end);
}

static void draw_doubles(gndi_numpy_stream *s, double *out, int64_t n, double low, double range, bool scaled) {
    doubles d = {.stream = s, .out = out, .low = low, .range = range, .scaled = scaled};
    if (!gndi_numpy_jumps(s->kind)) {
        fill_doubles(&d, s, 0, n);
        return;
    }
    gndi_parallel_for(n, GRAIN, part_of_doubles, &d);
    gndi_numpy_skip(s, (uint64_t)n);
}

static void draw_floats(gndi_numpy_stream *s, float *out, int64_t n, float low, float range, bool scaled) {
    for (int64_t i = 0; i < n; i++) {
        const float u = gndi_numpy_float(s);
        out[i] = scaled ? low + range * u : u;
    }
}

/* ---- integers --------------------------------------------------------------------------------- */

/* Bits of a word of 32 that are left for the next numbers of 8 or 16. */
typedef struct bits {
    uint32_t word;
    int left;
} bits;

static uint32_t next_bits(gndi_numpy_stream *s, bits *b, int width) {
    if (b->left == 0)
        b->word = gndi_numpy_next32(s), b->left = 32 / width;
    else
        b->word >>= width;
    b->left--;
    return b->word & (uint32_t)((UINT64_C(1) << width) - 1);
}

/* Lemire, Fast random integer generation in an interval, 2019: at most `most`, from numbers of `width` bits. */
static uint64_t bounded(gndi_numpy_stream *s, bits *b, int width, uint64_t most) {
    const uint64_t range = most + 1;
    if (width == 64) {
        gndi_uint128 product = (gndi_uint128)gndi_numpy_next(s) * range;
        if ((uint64_t)product < range) {
            const uint64_t least = (UINT64_MAX - most) % range;
            while ((uint64_t)product < least) product = (gndi_uint128)gndi_numpy_next(s) * range;
        }
        return (uint64_t)(product >> 64);
    }
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    uint64_t product = (width == 32 ? gndi_numpy_next32(s) : next_bits(s, b, width)) * range;
    if ((product & mask) < range) {
        const uint64_t least = (mask - most) % range;
        while ((product & mask) < least)
            product = (width == 32 ? gndi_numpy_next32(s) : next_bits(s, b, width)) * range;
    }
    return product >> width;
}

/* The next number up to `most` for an element of so many bits. */
static uint64_t integer(gndi_numpy_stream *s, bits *b, int width, uint64_t most) {
    if (most == 0) return 0;
    if (width == 64 && most <= UINT32_MAX) width = 32;
    if (most < UINT64_MAX >> (64 - width)) return bounded(s, b, width, most);
    return width == 64 ? gndi_numpy_next(s) : width == 32 ? gndi_numpy_next32(s) : next_bits(s, b, width);
}

static void draw_integers(gndi_numpy_stream *s, void *out, int64_t n, gnd_dtype dtype, uint64_t low, uint64_t most) {
    bits b = {0};
    const int width = dtype == GND_BOOL ? 1 : 8 * gndi_dtype_sizes[dtype];
    for (int64_t i = 0; i < n; i++) {
        const uint64_t v = low + (width == 1 && most ? next_bits(s, &b, 1) : integer(s, &b, width, most));
        switch (gndi_dtype_sizes[dtype]) {
        case 1: ((uint8_t *)out)[i] = (uint8_t)v; break;
        case 2: ((uint16_t *)out)[i] = (uint16_t)v; break;
        case 4: ((uint32_t *)out)[i] = (uint32_t)v; break;
        default: ((uint64_t *)out)[i] = v;
        }
    }
}

/* ---- draws ------------------------------------------------------------------------------------ */

static void draw(gndi_numpy_stream *s, const gndi_random_plan *of, gnd_dtype dtype, void *out, int64_t n) {
    const gndi_random_value a = of->parameter[0].value, b = of->parameter[1].value;
    const bool scaled = of->distribution == GNDI_RANDOM_uniform;
    if (of->distribution == GNDI_RANDOM_words)
        draw_integers(s, out, n, GND_UINT32, 0, UINT32_MAX);
    else if (of->distribution == GNDI_RANDOM_integers)
        draw_integers(s, out, n, dtype, (uint64_t)a.i64, (uint64_t)b.i64 - (uint64_t)a.i64);
    else if (dtype == GND_FLOAT32)
        draw_floats(s, out, n, a.f32, b.f32 - a.f32, scaled);
    else
        draw_doubles(s, out, n, a.f64, b.f64 - a.f64, scaled);
}

static bool check(const char *fn, const gndi_random_plan *of, gnd_stream *stream) {
    const gndi_backend *backend = stream->device->backend;
    switch (of->distribution) {
    case GNDI_RANDOM_random:
    case GNDI_RANDOM_uniform:
    case GNDI_RANDOM_integers:
    case GNDI_RANDOM_words: break;
    default:
        gndi_raise(GND_ERROR_INVALID, fn, "a generator of NumPy's draws uniform numbers, integers and bytes, not '%s'",
                   gndi_distributions[of->distribution].name);
        return false;
    }
    if (!of->uniform)
        gndi_raise(GND_ERROR_INVALID, fn, "NumPy's generators take numbers as parameters, not arrays");
    else if (backend->stream_captured && backend->stream_captured(stream))
        gndi_raise(GND_ERROR_INVALID, fn, "draws of NumPy's generators cannot be captured into a graph");
    else
        return true;
    return false;
}

gnd_status gndi_random_draw_numpy(const char *fn, gnd_random *g, gnd_stream *stream, const gndi_random_plan *of,
                                  gnd_array *result) {
    const gndi_backend *backend = stream->device->backend;
    if (!check(fn, of, stream)) return gndi_ew_pending();
    const gnd_dtype dtype = (gnd_dtype)result->dtype;
    const size_t bytes = (size_t)result->size * gndi_dtype_sizes[dtype];
    const bool here = backend->synchronous;
    void *numbers = here ? gndi_data(result) : gndi_malloc(fn, bytes);
    if (!numbers) return GND_ERROR_MEMORY;
    gnd_status status = gndi_order_write(stream, result->buffer, fn);
    if (!status) {
        gndi_lock_take(&g->lock);
        draw(g->numpy, of, dtype, numbers, result->size);
        gndi_lock_give(&g->lock);
    }
    if (!status && !here) status = backend->copy_in(stream, gndi_data(result), numbers, bytes, false, fn);
    if (!status) gndi_submitted(stream);
    if (!here) gndi_free(numbers);
    return status;
}
