/*
 * test_benchmark.c: gnd_benchmark counts, times and reports as its header says.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "tap.h"
#include <math.h>
#include <time.h>

GND_API void gndi_fail_alloc_at(int64_t n); /* exported for tests only */

static bool near(double x, double expected) {
    return fabs(x - expected) <= 1e-12 + 1e-9 * fabs(expected);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- what is timed -------------------------------------------------------------------------- */

typedef struct work {
    gnd_array *x, *kept;
    int calls, fail_at; /* fails in this call, counted from 1 */
    long sleep_ns;
} work;

static void nap(void *context) {
    work *w = context;
    struct timespec t = {0, w->sleep_ns};
    w->calls++;
    nanosleep(&t, NULL);
}

static void add(void *context) {
    work *w = context;
    w->calls++;
    gnd_array *sum = gnd_add(w->x, 1);
    if (w->calls == w->fail_at) gnd_add(w->x, gnd_zeros(GND_SHAPE(2), GND_FLOAT32));
    if (w->calls == 3) w->kept = gnd_keep(sum);
}

static void count(void *context) {
    ((work *)context)->calls++;
}

/* ---- counts and times ------------------------------------------------------------------------- */

TEST(calls_are_counted) {
    work w = {0};
    gnd_benchmark_options o = {.n_repeat = 7, .n_warmup = 2, .n_calls = 3};
    gnd_benchmark_result r = gnd_benchmark(count, &w, &o);
    CHECK(r.status == GND_OK && r.n_repeat == 7 && r.n_calls == 3);
    CHECK(w.calls == (2 + 7) * 3);
    CHECK(gnd_device_equal(r.where, gnd_current_device()));
    w.calls = 0, o.n_warmup = -1;
    r = gnd_benchmark(count, &w, &o);
    CHECK(r.status == GND_OK && w.calls == 7 * 3);
    w.calls = 0;
    r = gnd_benchmark(count, &w, NULL);
    CHECK(r.status == GND_OK && r.n_repeat == 10000 && r.n_calls == 1 && w.calls == 10010);
}

TEST(a_nap_takes_its_time) {
    work w = {.sleep_ns = 2000000};
    gnd_benchmark_options o = {.n_repeat = 5, .n_warmup = 1, .n_calls = 2};
    gnd_benchmark_result r = gnd_benchmark(nap, &w, &o);
    CHECK(r.status == GND_OK && r.n_repeat == 5);
    CHECK(r.host.min >= 0.002 && r.total.min >= r.host.min);
    CHECK(r.device.min >= 0); /* no more: a busy GPU may meet the first event late */
    CHECK(r.host.median < 1.0);
}

TEST(statistics_are_those_of_the_samples) {
    double samples[3][6];
    work w = {.sleep_ns = 100000};
    for (int n = 5; n <= 6; n++) {
        gnd_benchmark_options o = {
            .n_repeat = n, .host_samples = samples[0], .device_samples = samples[1], .total_samples = samples[2]};
        gnd_benchmark_result r = gnd_benchmark(nap, &w, &o);
        const gnd_benchmark_times *times[] = {&r.host, &r.device, &r.total};
        CHECK(r.status == GND_OK && r.n_repeat == n);
        for (int k = 0; k < 3; k++) {
            double *x = samples[k], mean = 0, squares = 0;
            for (int i = 0; i < n; i++) mean += x[i] / n;
            for (int i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean) / n;
            qsort(x, (size_t)n, sizeof *x, by_value);
            CHECK(near(times[k]->mean, mean) && near(times[k]->deviation, sqrt(squares)));
            CHECK(times[k]->min == x[0] && times[k]->max == x[n - 1]);
            CHECK(near(times[k]->median, n == 5 ? x[2] : 0.5 * (x[2] + x[3])));
        }
    }
}

TEST(the_duration_ends_warm_up_and_repetitions) {
    work w = {.sleep_ns = 20000000};
    gnd_benchmark_options o = {.n_repeat = 1000, .n_warmup = 1000, .max_duration = 0.1};
    gnd_benchmark_result r = gnd_benchmark(nap, &w, &o);
    CHECK(r.status == GND_OK && r.n_repeat >= 1 && r.n_repeat <= 6);
    CHECK(w.calls >= 2 && w.calls <= 12);
    w.calls = 0, o.max_duration = 1e-9; /* one of each at least */
    r = gnd_benchmark(nap, &w, &o);
    CHECK(r.status == GND_OK && r.n_repeat == 1 && w.calls == 2);
}

/* ---- arrays ----------------------------------------------------------------------------------- */

TEST(results_are_released_but_those_that_are_kept) {
    work w = {.x = gnd_ones(GND_SHAPE(1000), GND_FLOAT32)};
    int64_t before = gnd_live_arrays();
    gnd_benchmark_options o = {.n_repeat = 20};
    gnd_benchmark_result r = gnd_benchmark(add, &w, &o);
    CHECK(r.status == GND_OK && r.device.min >= 0 && r.total.min > 0);
    CHECK(gnd_live_arrays() == before + 1);
    CHECK(w.kept && gnd_item_double(gnd_sum(w.kept, GND_ALL)) == 2000.0);
}

TEST(what_fusion_has_recorded_runs) {
    work w = {.x = gnd_ones(GND_SHAPE(100), GND_FLOAT32)};
    gnd_benchmark_options o = {.n_repeat = 5};
    GND_FUSE {
        gnd_benchmark_result r = gnd_benchmark(add, &w, &o);
        CHECK(r.status == GND_OK && r.n_repeat == 5);
        gnd_keep(w.kept);
    }
    CHECK(gnd_item_double(gnd_sum(w.kept, GND_ALL)) == 200.0);
}

TEST(a_stream_of_ones_own) {
    gnd_stream *s = gnd_stream_new();
    work w = {.x = gnd_ones(GND_SHAPE(1000), GND_FLOAT32)};
    gnd_benchmark_options o = {.n_repeat = 5};
    GND_STREAM(s) {
        gnd_benchmark_result r = gnd_benchmark(add, &w, &o);
        CHECK(r.status == GND_OK && gnd_current_stream() == s);
    }
    gnd_stream_release(s);
}

/* ---- errors ----------------------------------------------------------------------------------- */

TEST(errors_of_the_function_are_reported) {
    work w = {.x = gnd_ones(GND_SHAPE(3), GND_FLOAT32), .fail_at = 2};
    gnd_benchmark_options o = {.n_repeat = 5, .n_warmup = -1, .n_calls = 4};
    gnd_benchmark_result r = {0};
    CHECK_ERROR(r = gnd_benchmark(add, &w, &o), GND_ERROR_SHAPE, "gnd_add: shapes (3,) and (2,)");
    CHECK(r.status == GND_ERROR_SHAPE && r.n_repeat == 0 && isnan(r.host.mean));
    CHECK(isnan(r.device.median) && isnan(r.total.max));
    CHECK(w.calls == 2);         /* and no more */
    w.calls = 0, o.n_warmup = 1; /* in the warm-up, too */
    CHECK_ERROR(r = gnd_benchmark(add, &w, &o), GND_ERROR_SHAPE, "gnd_add: shapes");
    CHECK(r.status == GND_ERROR_SHAPE && w.calls == 2);
}

static void to_a_negative_power(void *context) {
    gnd_power(((work *)context)->x, -1);
}

TEST(faults_of_kernels_are_reported) {
    work w = {.x = gnd_full(GND_SHAPE(3), 2, GND_INT32)};
    gnd_benchmark_result r = {0};
    CHECK_ERROR(r = gnd_benchmark(to_a_negative_power, &w, NULL), GND_ERROR_VALUE, "power");
    CHECK(r.status == GND_ERROR_VALUE && isnan(r.device.mean));
}

TEST(an_error_that_is_pending_stays) {
    work w = {0};
    gnd_zeros(GND_SHAPE(-1), GND_FLOAT32);
    gnd_benchmark_result r = {0};
    CHECK_ERROR(r = gnd_benchmark(count, &w, NULL), GND_ERROR_SHAPE, "gnd_zeros");
    CHECK(r.status == GND_ERROR_SHAPE && w.calls == 0);
}

TEST(options_that_make_no_sense) {
    work w = {0};
    CHECK_ERROR(gnd_benchmark(NULL, NULL, NULL), GND_ERROR_INVALID, "'function' is NULL");
    gnd_benchmark_options o = {.n_repeat = -1};
    CHECK_ERROR(gnd_benchmark(count, &w, &o), GND_ERROR_INVALID, "n_repeat is -1");
    o = (gnd_benchmark_options){.n_calls = -2};
    CHECK_ERROR(gnd_benchmark(count, &w, &o), GND_ERROR_INVALID, "n_calls is -2");
    o = (gnd_benchmark_options){.max_duration = -0.5};
    CHECK_ERROR(gnd_benchmark(count, &w, &o), GND_ERROR_INVALID, "max_duration is -0.5");
    o = (gnd_benchmark_options){.max_duration = NAN};
    CHECK_ERROR(gnd_benchmark(count, &w, &o), GND_ERROR_INVALID, "max_duration is nan");
    CHECK(w.calls == 0);
}

TEST(without_memory_it_says_so) {
    work w = {0};
    gnd_benchmark_options o = {.n_repeat = 100};
    int failed = 0;
    for (int64_t at = 1; at < 20; at++) {
        gndi_fail_alloc_at(at);
        gnd_benchmark_result r = gnd_benchmark(count, &w, &o);
        gndi_fail_alloc_at(0);
        if (r.status == GND_OK) break;
        failed++;
        CHECK_ERROR((void)0, GND_ERROR_MEMORY, "memory");
        CHECK(isnan(r.host.mean) && r.n_repeat == 0);
    }
    CHECK(failed >= 4 && failed < 19); /* two events, the samples, more samples, statistics */
}

/* ---- printing --------------------------------------------------------------------------------- */

static const char *printed(const char *name, const gnd_benchmark_result *r) {
    static char line[512];
    FILE *f = tmpfile();
    CHECK(gnd_benchmark_print(f, name, r) == GND_OK);
    rewind(f);
    line[fread(line, 1, sizeof line - 1, f)] = 0;
    fclose(f);
    return line;
}

TEST(a_result_is_a_line) {
    gnd_benchmark_result r = {.where = gnd_cpu(), .n_repeat = 100, .n_calls = 2};
    r.host = (gnd_benchmark_times){2.5e-6, 1e-7, 2.25e-6, 3e-6, 2.5e-6};
    r.device = (gnd_benchmark_times){4e-6, 2e-7, 3.5e-6, 5e-6, 4e-6};
    CHECK(strcmp(printed("add", &r), "add: host 2.50 us +/- 0.10 (min 2.25, max 3.00), cpu 4.00 us "
                                     "+/- 0.20 (min 3.50, max 5.00), 100 x 2\n") == 0);
    CHECK(strncmp(printed(NULL, &r), "host 2.50 us", 12) == 0);
    r.status = GND_ERROR_SHAPE;
    CHECK(strcmp(printed("add", &r), "add: failed (shape error)\n") == 0);
    CHECK_ERROR(gnd_benchmark_print(NULL, "add", &r), GND_ERROR_INVALID, "stream");
    CHECK_ERROR(gnd_benchmark_print(stdout, "add", NULL), GND_ERROR_INVALID, "result");
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        CHECK_ERROR(gnd_benchmark_print(full, "add", &r), GND_ERROR_IO, "writing failed");
        fclose(full);
    }
}

TEST_MAIN
