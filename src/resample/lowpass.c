/*
 * lowpass.c: the low-pass filters that resampling designs for itself: a sinc under a Kaiser window. Designs are
 * kept, since making one takes the host longer than a GPU takes to resample 10^7 elements by it.
 */
#include "resample/resample.h"
#include "core/lock.h"
#include "elementwise/create.h"
#include "runtime/runtime.h"
#include <math.h>

static const double PI = 3.14159265358979323846;

typedef struct design {
    int64_t rate;
    double beta;
    gnd_dtype dtype; /* float32 or float64 */
    char *taps;      /* NULL: an entry that is free */
    uint64_t used;   /* when, for the choice of the one that goes */
} design;

enum { KEPT = 16, LONGEST_KEPT = 1 << 20 /* taps */ };
static design designs[KEPT];
static gndi_lock lock;
static uint64_t clock_of_uses;

/* The modified Bessel function of the first kind of order 0, by its power series, all of whose terms are positive. */
static double bessel_i0(double x) {
    double term = 1, sum = 1;
    for (int k = 1; term > sum * 1e-17; k++) {
        term *= x / (2 * k) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

/* Tap i of 2 half + 1: a sinc with its first zero `rate` elements away, under the window; not yet scaled. */
static double tap_at(int64_t i, int64_t half, int64_t rate, double beta) {
    const double t = (double)(i - half), at = t / (double)half, x = PI * t / (double)rate;
    const double sinc = i == half ? 1 : sin(x) / x;
    return sinc * bessel_i0(beta * sqrt(1 - at * at)) / bessel_i0(beta);
}

/* The taps, with the sum 1, in a new block. */
static char *make_taps(const char *fn, int64_t rate, double beta, gnd_dtype dtype) {
    const int64_t half = GNDI_LOWPASS_ZEROS * rate, count = 2 * half + 1;
    double *taps = gndi_malloc(fn, (size_t)count * sizeof *taps);
    if (!taps) return NULL;
    double sum = 0;
    for (int64_t i = 0; i <= half; i++) taps[i] = taps[count - 1 - i] = tap_at(i, half, rate, beta);
    for (int64_t i = 0; i < count; i++) sum += taps[i];
    for (int64_t i = 0; i < count; i++) {
        taps[i] /= sum;
        if (dtype == GND_FLOAT32) { /* in place: the narrow ones never overtake */
            const float narrow = (float)taps[i];
            memcpy((char *)taps + i * (int64_t)sizeof narrow, &narrow, sizeof narrow);
        }
    }
    return (char *)taps;
}

/* The kept taps, or new ones; under the lock. `*passing`: they are not kept, and the caller frees them. */
static char *find_taps(const char *fn, int64_t rate, double beta, gnd_dtype dtype, bool *passing) {
    design *oldest = &designs[0];
    *passing = false;
    for (design *d = designs; d < designs + KEPT; d++) {
        if (d->taps && d->rate == rate && d->beta == beta && d->dtype == dtype) {
            d->used = ++clock_of_uses;
            return d->taps;
        }
        if (d->used < oldest->used) oldest = d;
    }
    char *taps = make_taps(fn, rate, beta, dtype);
    *passing = rate > LONGEST_KEPT / (2 * GNDI_LOWPASS_ZEROS);
    if (!taps || *passing) return taps;
    gndi_free(oldest->taps);
    *oldest = (design){rate, beta, dtype, taps, ++clock_of_uses};
    return taps;
}

gnd_array *gndi_lowpass(gndi_temporaries *s, const gnd_array *like, int64_t rate, double beta, gnd_dtype dtype) {
    if (s->failed) return NULL;
    const int64_t count = 2 * GNDI_LOWPASS_ZEROS * rate + 1;
    gnd_stream *stream = gndi_stream_on(like->buffer->device, s->fn);
    gnd_array *h = stream ? gndi_array_new_on(s->fn, stream, 1, &count, dtype, GNDI_ORDER_C) : NULL;
    if (!gndi_temporaries_keep(s, h)) return NULL;
    bool passing;
    gndi_lock_take(&lock);
    char *taps = find_taps(s->fn, rate, beta, dtype, &passing);
    s->failed = !taps || gnd_copy_from_host(h, taps, (size_t)(count * gndi_itemsize(h))) != GND_OK;
    gndi_lock_give(&lock);
    if (taps && passing) gndi_free(taps);
    return h;
}
