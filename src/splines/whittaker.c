/*
 * whittaker.c: Whittaker-Henderson smoothing of lines.
 */
#include "splines/whittaker_plan.h"
#include "rearrange/rearrange.h"
#include "waveforms/waveforms.h"
#include <gnd/splines.h>

#include <math.h>

static double binomial(double n, double k) {
    double value = 1;
    for (double i = 1; i <= k; i++) value = value * (n - k + i) / i;
    return value;
}

/* log det D D^T, D of n - p rows: the product over i = 1 .. p of binomial(n + i - 1, 2i - 1) over that over
   i = 1 .. p - 1 of binomial(2i, i). */
static double log_penalty(double n, int p) {
    double sum = 0;
    for (int i = 1; i <= p; i++) sum += log(binomial(n + i - 1, 2 * i - 1));
    for (int i = 1; i < p; i++) sum -= log(binomial(2 * i, i));
    return sum;
}

static void set_penalty(struct gndi_whittaker_plan *p) {
    for (int k = 0; k <= p->order; k++) p->taps[k] = ((p->order - k) % 2 ? -1 : 1) * binomial(p->order, k);
    for (int k = 0; k <= p->order; k++)
        for (int i = k; i <= p->order; i++) p->inside[k] += p->taps[i] * p->taps[i - k];
    p->log_penalty = log_penalty((double)p->n, p->order);
}

static bool check_weights(const char *fn, const gnd_array *x, const gnd_array *w) {
    if (gndi_missing(w)) return gndi_raise_null(fn, "weights"), false;
    if (gndi_check_together(fn, x, "signal", w, "weights")) return false;
    bool same = w->ndim == x->ndim || w->ndim == 1;
    for (int i = 1; i <= w->ndim && same; i++) same = w->shape[w->ndim - i] == x->shape[x->ndim - i];
    if (gndi_dtype_is_complex(w->dtype))
        gndi_raise(GND_ERROR_DTYPE, fn, "weights must be real, and have dtype %s", gnd_dtype_name((gnd_dtype)w->dtype));
    else if (!same)
        gndi_raise(GND_ERROR_SHAPE, fn, "weights have shape %s; it must be that of the signal, %s, or of its last axis",
                   gndi_text_shape(w->ndim, w->shape), gndi_text_shape(x->ndim, x->shape));
    else
        return true;
    return false;
}

static bool check(const char *fn, const gnd_array *x, double lamb, int order, const gnd_array *weights) {
    if (gndi_missing(x)) return gndi_raise_null(fn, "signal"), false;
    if (gndi_dtype_is_complex(x->dtype))
        gndi_raise(GND_ERROR_DTYPE, fn, "the signal must be real, and has dtype %s",
                   gnd_dtype_name((gnd_dtype)x->dtype));
    else if (lamb < 0)
        gndi_raise(GND_ERROR_VALUE, fn, "lamb is %g; it must not be negative", lamb);
    else if (order < 1 || order > GNDI_WHITTAKER_ORDER)
        gndi_raise(GND_ERROR_VALUE, fn, "the order is %d; it must be 1 to %d", order, GNDI_WHITTAKER_ORDER);
    else if (x->ndim < 1 || x->shape[x->ndim - 1] < order + 1)
        gndi_raise(GND_ERROR_SHAPE, fn, "the signal has shape %s; differences of order %d need lines of %d samples",
                   gndi_text_shape(x->ndim, x->shape), order, order + 1);
    else
        return !weights || check_weights(fn, x, weights);
    return false;
}

/* Lines that are smoothed at a time, each with memory for its factors: as many as a GPU can have use for, in 1 GB. */
static int64_t count_slots(const struct gndi_whittaker_plan *p) {
    const int64_t capacity = (INT64_C(1) << 27) / p->n / (p->order + 1), most = gndi_min(p->count, INT64_C(1) << 17);
    return gndi_max(gndi_min(capacity, most), 1);
}

static double *numbers_of(const gnd_array *a) {
    return (double *)(void *)gndi_data(a);
}

static void smooth(gndi_temporaries *s, struct gndi_whittaker_plan *p, const gnd_array *x, const gnd_array *weights,
                   gnd_array *out, gnd_array *used) {
    const gnd_array *read[2] = {gndi_wave_dense(s, x, GND_FLOAT64)};
    if (weights) read[1] = gndi_wave_dense(s, weights, GND_FLOAT64);
    p->slots = count_slots(p);
    const int64_t numbers = p->lamb == 0 ? 1 : p->slots * p->n * (p->order + 1);
    gnd_array *work = s->failed ? NULL : gndi_new_on_device_of(s->fn, x, 1, &numbers, GND_FLOAT64);
    if (!gndi_temporaries_keep(s, work)) return;
    p->signal = numbers_of(read[0]), p->weights = weights ? numbers_of(read[1]) : NULL;
    p->weights_step = weights && weights->ndim == x->ndim ? p->n : 0;
    p->out = numbers_of(out), p->used = numbers_of(used), p->work = numbers_of(work);
    gnd_stream *stream = gndi_work_begin(s->fn, 1 + (weights != NULL), read, 3, (const gnd_array *[]){out, used, work});
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->whittaker(stream, p, s->fn), s->fn) != GND_OK;
}

gnd_array *gnd_whittaker_henderson(const gnd_array *signal, double lamb, int order, const gnd_array *weights,
                                   gnd_array **used) {
    static const char fn[] = "gnd_whittaker_henderson";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    if (used) *used = NULL;
    if (!check(fn, signal, lamb, order, weights)) return NULL;
    struct gndi_whittaker_plan p = {.n = signal->shape[signal->ndim - 1], .lamb = lamb, .order = order};
    p.count = signal->size / p.n;
    set_penalty(&p);
    gnd_array *out = gndi_wave_new(&s, signal, GND_FLOAT64, false);
    gnd_array *chosen =
        s.failed ? NULL : gndi_new_on_device_of(fn, signal, signal->ndim - 1, signal->shape, GND_FLOAT64);
    chosen = gndi_temporaries_keep(&s, chosen);
    if (!s.failed && p.count > 0) smooth(&s, &p, signal, weights, out, chosen);
    if (!s.failed && lamb == 0 && signal->dtype != GND_FLOAT64)
        out = gndi_temporaries_keep(
            &s, gndi_copy_as(fn, gndi_dtype_is_float(signal->dtype) ? out : signal, (gnd_dtype)signal->dtype, 'C'));
    gndi_temporaries_give(&s, chosen, used);
    return gndi_temporaries_end(&s, out);
}
