/*
 * benchmark.c: times a function of the caller's. A repetition is a few calls between two events and
 * one wait; the host's clock is read around the calls and behind the wait. Nothing else happens in
 * between: samples go into memory that was there before, and statistics come at the end.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "runtime/pending.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char fn[] = "gnd_benchmark";

/* The times of one repetition, in seconds a call; and a growing list of them. */
typedef struct sample {
    double host, device, total;
} sample;
typedef struct samples {
    sample *at;
    int64_t count, capacity;
} samples;

typedef struct measurement {
    gnd_benchmark_function *function;
    void *context;
    int64_t n_calls;
    gnd_event *before, *behind;
} measurement;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The pending error's code; GND_OK without one. */
static gnd_status pending_error(void) {
    return gnd_error() ? gnd_error()->code : GND_OK;
}

static gnd_status call(const measurement *m) {
    gnd_status status = GND_OK;
    for (int64_t i = 0; i < m->n_calls && !status; i++) {
        gnd_scope scope;
        gnd_scope_open(&scope);
        {
            GNDI_CALLING_BACK();
            m->function(m->context);
        }
        status = gndi_pending_flush(fn); /* while arrays are there that want it */
        if (!status) status = pending_error();
        gnd_scope_close(&scope);
    }
    return status;
}

static gnd_status repeat(const measurement *m, sample *out) {
    gnd_status status = gnd_event_record(m->before, NULL);
    if (status) return status;
    const double start = now();
    status = call(m);
    const double issued = now();
    if (!status) status = gnd_event_record(m->behind, NULL);
    gnd_status waited = gnd_sync();
    const double done = now();
    if (!status) status = waited;
    if (!status) status = pending_error();
    if (status) return status;
    const double calls = (double)m->n_calls;
    out->host = (issued - start) / calls;
    out->device = 1e-3 * gnd_event_elapsed(m->before, m->behind) / calls;
    out->total = (done - start) / calls;
    return pending_error();
}

static gnd_status reserve(samples *s) {
    if (s->count < s->capacity) return GND_OK;
    int64_t capacity = s->capacity ? 2 * s->capacity : 64;
    sample *at = gndi_realloc(fn, s->at, (size_t)capacity * sizeof *at);
    if (!at) return GND_ERROR_MEMORY;
    s->at = at, s->capacity = capacity;
    return GND_OK;
}

/* Repeats until there are n or the time is up, once at least; NULL: nothing is kept. */
static gnd_status repeat_all(const measurement *m, int64_t n, double seconds, samples *s) {
    const double end = now() + seconds;
    for (int64_t i = 0; i < n && (i == 0 || seconds == 0 || now() < end); i++) {
        sample unused;
        gnd_status status = s ? reserve(s) : GND_OK;
        if (!status) status = repeat(m, s ? &s->at[s->count] : &unused);
        if (status) return status;
        if (s) s->count++;
    }
    return GND_OK;
}

/* ---- statistics ------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static gnd_benchmark_times statistics(double *x, int64_t n) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i];
    const double mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    qsort(x, (size_t)n, sizeof *x, by_value);
    return (gnd_benchmark_times){.mean = mean,
                                 .deviation = sqrt(squares / (double)n),
                                 .min = x[0],
                                 .max = x[n - 1],
                                 .median = 0.5 * (x[(n - 1) / 2] + x[n / 2])};
}

static void copy_out(double *to, const double *x, int64_t n) {
    if (to) memcpy(to, x, (size_t)n * sizeof *x);
}

static gnd_status summarise(const samples *s, const gnd_benchmark_options *o, gnd_benchmark_result *r) {
    const int64_t n = s->count;
    double *x = gndi_malloc(fn, (size_t)n * sizeof *x);
    if (!x) return GND_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) x[i] = s->at[i].host;
    copy_out(o->host_samples, x, n);
    r->host = statistics(x, n);
    for (int64_t i = 0; i < n; i++) x[i] = s->at[i].device;
    copy_out(o->device_samples, x, n);
    r->device = statistics(x, n);
    for (int64_t i = 0; i < n; i++) x[i] = s->at[i].total;
    copy_out(o->total_samples, x, n);
    r->total = statistics(x, n);
    r->n_repeat = n;
    gndi_free(x);
    return GND_OK;
}

/* ---- the public functions ----------------------------------------------------------------------- */

static gnd_status check_options(gnd_benchmark_function *function, const gnd_benchmark_options *o) {
    if (pending_error()) return pending_error();
    if (!function) return gndi_raise_null(fn, "function");
    if (o->n_repeat < 0)
        return gndi_raise(GND_ERROR_INVALID, fn, "n_repeat is %lld; it must be positive, or 0 for 10000",
                          (long long)o->n_repeat);
    if (o->n_calls < 0)
        return gndi_raise(GND_ERROR_INVALID, fn, "n_calls is %lld; it must be positive, or 0 for 1",
                          (long long)o->n_calls);
    if (!(o->max_duration >= 0))
        return gndi_raise(GND_ERROR_INVALID, fn, "max_duration is %g; it must be seconds, or 0 for no limit",
                          o->max_duration);
    return GND_OK;
}

static gnd_status measure(measurement *m, const gnd_benchmark_options *o, gnd_benchmark_result *r) {
    const int64_t warmup = o->n_warmup ? o->n_warmup : 10;
    const int64_t n = o->n_repeat ? o->n_repeat : 10000;
    samples s = {0};
    m->before = gnd_event_new(true);
    m->behind = gnd_event_new(true);
    gnd_status status = m->before && m->behind ? gnd_sync() : pending_error();
    if (!status) status = repeat_all(m, warmup, o->max_duration, NULL);
    if (!status) status = repeat_all(m, n, o->max_duration, &s);
    if (!status) status = summarise(&s, o, r);
    gnd_event_release(m->before);
    gnd_event_release(m->behind);
    gndi_free(s.at);
    return status;
}

gnd_benchmark_result gnd_benchmark(gnd_benchmark_function *function, void *context,
                                   const gnd_benchmark_options *options) {
    GNDI_PARTS_OF("gnd_benchmark");
    static const gnd_benchmark_options defaults;
    const gnd_benchmark_options *o = options ? options : &defaults;
    const gnd_benchmark_times none = {NAN, NAN, NAN, NAN, NAN};
    gnd_benchmark_result r = {.host = none, .device = none, .total = none};
    measurement m = {function, context, o->n_calls ? o->n_calls : 1, NULL, NULL};
    r.where = gnd_current_device();
    r.n_calls = m.n_calls;
    r.status = check_options(function, o);
    if (!r.status) r.status = measure(&m, o, &r);
    return r;
}

static int print_times(FILE *stream, const char *name, const gnd_benchmark_times *t) {
    return fprintf(stream, "%s %.2f us +/- %.2f (min %.2f, max %.2f), ", name, 1e6 * t->mean, 1e6 * t->deviation,
                   1e6 * t->min, 1e6 * t->max);
}

gnd_status gnd_benchmark_print(FILE *stream, const char *name, const gnd_benchmark_result *result) {
    static const char this_fn[] = "gnd_benchmark_print";
    if (!stream) return gndi_raise_null(this_fn, "stream");
    if (!result) return gndi_raise_null(this_fn, "result");
    int written = name ? fprintf(stream, "%s: ", name) : 0;
    if (written >= 0 && result->status)
        written = fprintf(stream, "failed (%s)\n", gnd_status_name(result->status));
    else if (written >= 0 && (written = print_times(stream, "host", &result->host)) >= 0 &&
             (written = print_times(stream, gnd_device_name(result->where), &result->device)) >= 0)
        written = fprintf(stream, "%lld x %lld\n", (long long)result->n_repeat, (long long)result->n_calls);
    if (written >= 0) return GND_OK;
    return gndi_raise(GND_ERROR_IO, this_fn, "writing failed");
}
