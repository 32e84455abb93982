/*
 * frequencies.c: the frequencies of a transform's elements, their order, and lengths for which transforms are fast.
 */
#include "elementwise/sequence_plan.h"
#include "fft/fft.h"
#include "runtime/runtime.h"

/* ---- frequencies ------------------------------------------------------------------------------ */

/* Elements first .. first + count - 1 of a line of float64 become start, start + 1, ... */
static gnd_status count_up(const char *fn, const gnd_array *line, int64_t first, int64_t count, int64_t start) {
    const gndi_sequence_plan plan = {.out = gndi_data(line) + first * 8,
                                     .dtype = GND_FLOAT64,
                                     .n = count,
                                     .first = gnd_arg_int(start),
                                     .step = gnd_arg_int(1)};
    return gndi_sequence(fn, line, &plan);
}

/* 0 .. positive - 1, then -negative .. -1, each divided by n d as NumPy does. */
static gnd_array *frequencies(const char *fn, int64_t n, double d, int64_t positive, int64_t negative) {
    if (n < 1) return gndi_fail(GND_ERROR_VALUE, fn, "n must be at least 1, not %lld", (long long)n);
    if ((double)n * d == 0)
        return gndi_fail(GND_ERROR_VALUE, fn, "samples must be some distance apart, and d is %g", d);
    gndi_temporaries s = {.fn = fn};
    const int64_t size = positive + negative;
    gnd_stream *stream = gndi_stream_current(fn);
    gnd_array *line = stream ? gndi_array_new_on(fn, stream, 1, &size, GND_FLOAT64, GNDI_ORDER_C) : NULL;
    if (gndi_temporaries_keep(&s, line))
        s.failed = count_up(fn, line, 0, positive, 0) || count_up(fn, line, positive, negative, -negative);
    gndi_step_in_place(&s, GNDI_OP_multiply, line, gnd_arg_real(1 / ((double)n * d)));
    return gndi_temporaries_end(&s, line);
}

gnd_array *gnd_fftfreq(int64_t n, double d) {
    return frequencies("gnd_fftfreq", n, d, n - n / 2, n / 2);
}

gnd_array *gnd_rfftfreq(int64_t n, double d) {
    return frequencies("gnd_rfftfreq", n, d, n / 2 + 1, 0);
}

/* ---- shifts ----------------------------------------------------------------------------------- */

/* Each axis rolled by half of its size, rounded down, or back. */
static gnd_array *shifted(const char *fn, const gnd_array *a, const gnd_axes *axes, bool back) {
    int64_t by[GND_MAX_DIMS];
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    gnd_axes all = {.count = a->ndim ? a->ndim : -1};
    for (int i = 0; i < a->ndim; i++) all.axis[i] = i;
    if (axes->count) all = *axes;
    for (int i = 0; i < all.count && i < GND_MAX_DIMS; i++) {
        int axis;
        if (!gndi_normalize_axis(fn, all.axis[i], a->ndim, &axis)) return NULL;
        by[i] = back ? -(a->shape[axis] / 2) : a->shape[axis] / 2;
    }
    return gndi_roll_each(fn, a, by, &all);
}

gnd_array *gnd_fftshift(const gnd_array *a, gnd_axes axes) {
    return shifted("gnd_fftshift", a, &axes, false);
}

gnd_array *gnd_ifftshift(const gnd_array *a, gnd_axes axes) {
    return shifted("gnd_ifftshift", a, &axes, true);
}

/* ---- lengths ---------------------------------------------------------------------------------- */

enum { PRIMES = 5 };

/* The least product of `base` and powers of the first `primes` primes that is at least `target`, if it is less than
   `best`; tries the largest prime first. */
static uint64_t least_product(uint64_t base, int primes, uint64_t target, uint64_t best) {
    static const uint64_t prime[PRIMES] = {2, 3, 5, 7, 11};
    for (uint64_t product = base; product < best; product *= prime[primes - 1]) {
        if (product >= target) return product;
        if (primes > 1) best = least_product(product, primes - 1, target, best);
    }
    return best;
}

int64_t gnd_next_fast_len(int64_t target, bool real) {
    static const char fn[] = "gnd_next_fast_len";
    const int64_t most = INT64_C(1) << 59; /* times 11 it fits */
    if (target >= 0 && target <= most)
        return target ? (int64_t)least_product(1, real ? 3 : PRIMES, (uint64_t)target, UINT64_C(1) << 60) : 0;
    gndi_raise(GND_ERROR_VALUE, fn, "the target must be 0 to %lld, not %lld", (long long)most, (long long)target);
    return 0;
}
