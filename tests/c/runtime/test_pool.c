/*
 * test_pool.c: the memory pool: reuse, statistics, limit, trim, absurd sizes, and running out of
 * memory at every single allocation.
 */
#include "tap.h"
#include <pthread.h>

GND_API void gndi_fail_alloc_at(int64_t n); /* exported for tests only */

static gnd_memory_stats stats(void) {
    gnd_memory_stats s;
    CHECK(gnd_memory_stats_of(gnd_current_device(), &s) == GND_OK);
    return s;
}

TEST(freed_memory_is_used_again) {
    gnd_array *a = gnd_empty(GND_SHAPE(1000), GND_FLOAT32);
    void *where = gnd_data(a);
    gnd_memory_stats before = stats();
    gnd_release(a);
    CHECK(stats().in_use < before.in_use && stats().cached > before.cached);
    gnd_array *b = gnd_empty(GND_SHAPE(1000), GND_FLOAT32);
    gnd_memory_stats after = stats();
    CHECK(gnd_data(b) == where);
    CHECK(after.reused == before.reused + 1 && after.allocations == before.allocations + 1);
    CHECK(after.in_use == before.in_use && after.blocks == before.blocks);
    gnd_array *c = gnd_empty(GND_SHAPE(999), GND_FLOAT32); /* the same class, another block */
    CHECK(gnd_data(c) != where);
}

TEST(blocks_hold_what_was_asked_for) {
    static const int64_t sizes[] = {1,       2,       511,     512,     513,     4095,    4096,    4097,
                                    8191,    8192,    8193,    65535,   65536,   65537,   1000000, 1048575,
                                    1048576, 1048577, 1200000, 5000000, 4194304, 4194303, 4194305, 33554433};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    static uint8_t got[33554433];
    gnd_array *a[COUNT];
    for (int round = 0; round < 2; round++) {
        size_t before = stats().in_use, asked = 0;
        for (int i = 0; i < COUNT; i++) {
            CHECK((a[i] = gnd_full(GND_SHAPE(sizes[i]), i + 1, GND_UINT8)) != NULL);
            CHECK((uintptr_t)gnd_data(a[i]) % 64 == 0);
            asked += (size_t)sizes[i];
        }
        size_t taken = stats().in_use - before;
        CHECK(taken >= asked && (double)taken <= 1.13 * (double)asked + 512.0 * COUNT);
        for (int i = 0; i < COUNT; i++) {
            CHECK(gnd_to_host(a[i], got, (size_t)sizes[i]) == GND_OK);
            int64_t wrong = 0;
            for (int64_t k = 0; k < sizes[i]; k++) wrong += got[k] != i + 1;
            CHECK(wrong == 0);
            gnd_release(a[i]);
        }
        CHECK(stats().in_use == before);
    }
}

TEST(views_keep_the_block) {
    size_t before = stats().in_use;
    gnd_array *a = gnd_arange(0, 1000, 1, GND_INT32);
    gnd_array *v = gnd_slice(a, "10:20");
    gnd_release(a);
    CHECK(stats().in_use > before);
    int32_t got[10];
    CHECK(gnd_to_host(v, got, sizeof got) == GND_OK && got[0] == 10 && got[9] == 19);
    gnd_release(v);
    CHECK(stats().in_use == before);
}

TEST(the_peak_is_kept) {
    CHECK(gnd_memory_reset_peak(gnd_current_device()) == GND_OK);
    size_t start = stats().in_use;
    CHECK(stats().peak == start);
    gnd_array *a = gnd_empty(GND_SHAPE(1 << 20), GND_FLOAT64);
    gnd_release(a);
    CHECK(stats().in_use == start && stats().peak >= start + (8u << 20));
}

TEST(trim_gives_everything_back) {
    for (int i = 0; i < 20; i++) gnd_release(gnd_empty(GND_SHAPE(1 << i), GND_INT8));
    CHECK(stats().cached > 0);
    size_t in_use = stats().in_use;
    CHECK(gnd_memory_trim(gnd_current_device()) == GND_OK);
    CHECK(stats().cached == 0 && stats().in_use == in_use);
    CHECK(gnd_ones(GND_SHAPE(100), GND_INT8) != NULL);
}

TEST(a_limit_is_kept) {
    gnd_device here = gnd_current_device();
    CHECK(gnd_memory_trim(here) == GND_OK);
    CHECK(gnd_memory_set_limit(here, stats().in_use + (1 << 20)) == GND_OK && stats().limit > 0);
    gnd_array *half = gnd_zeros(GND_SHAPE(500000), GND_INT8);
    CHECK(half != NULL);
    CHECK_ERROR(gnd_zeros(GND_SHAPE(700000), GND_INT8), GND_ERROR_MEMORY, "gnd_memory_set_limit allows 1.0 MiB");
    gnd_release(half);
    CHECK(gnd_zeros(GND_SHAPE(700000), GND_INT8) != NULL); /* what is cached makes room */
    CHECK(gnd_memory_set_limit(here, 0) == GND_OK);
    CHECK(gnd_zeros(GND_SHAPE(4000000), GND_INT8) != NULL);
}

TEST(absurd_sizes_are_refused) {
    size_t in_use = stats().in_use, free_bytes, total;
    CHECK_ERROR(gnd_empty(GND_SHAPE(INT64_C(1) << 60), GND_UINT8), GND_ERROR_MEMORY, "gnd_empty");
    CHECK_ERROR(gnd_empty(GND_SHAPE(INT64_C(1) << 50), GND_UINT8), GND_ERROR_MEMORY, "1.0 PiB");
    CHECK_ERROR(gnd_zeros(GND_SHAPE(INT64_C(1) << 40, 1 << 10), GND_UINT8), GND_ERROR_MEMORY, "gnd_zeros");
    CHECK_ERROR(gnd_empty(GND_SHAPE(INT64_MAX), GND_FLOAT64), GND_ERROR_MEMORY, "gnd_empty");
    CHECK_ERROR(gnd_empty(GND_SHAPE(INT64_MAX), GND_UINT8), GND_ERROR_MEMORY, "gnd_empty");
    CHECK(gnd_memory_info(gnd_current_device(), &free_bytes, &total) == GND_OK);
    CHECK(total > 0 && free_bytes <= total);
    CHECK_ERROR(gnd_empty(GND_SHAPE((int64_t)total + 4096), GND_UINT8), GND_ERROR_MEMORY, "are free");
    CHECK(stats().in_use == in_use);
    CHECK(gnd_memory_info(gnd_current_device(), NULL, NULL) == GND_OK);
    CHECK_ERROR(gnd_memory_info(gnd_gpu(99), NULL, NULL), GND_ERROR_DEVICE, "gpu:99");
    CHECK_ERROR(gnd_memory_stats_of(gnd_current_device(), NULL), GND_ERROR_INVALID, "NULL");
}

/* ---- out of memory everywhere --------------------------------------------------------------- */

/* A little of everything that allocates. False as soon as something fails. */
static bool scenario(void) {
    static const float host[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    float out[12];
    bool good = false;
    gnd_stream *s = NULL;
    gnd_event *e = NULL;
    void *pinned = NULL;
    GND_SCOPE {
        gnd_array *a = gnd_from_host(host, GND_SHAPE(3, 4), GND_FLOAT32);
        gnd_array *b = gnd_add(gnd_transpose(a), 1);
        gnd_array *c = gnd_multiply(b, gnd_reshape(gnd_arange(0, 4, 1, GND_INT8), GND_SHAPE(4, 1)));
        gnd_array *strided = gnd_slice(c, "::2, ::-1");
        int64_t strides[2] = {4, 12};
        gnd_array *d = gnd_from_host_strided(host, GND_SHAPE(3, 4), strides, GND_FLOAT32);
        gnd_array *w = gnd_to_device(d, gnd_cpu());
        s = gnd_stream_new();
        e = s ? gnd_event_new(true) : NULL;
        pinned = e ? gnd_pinned_alloc(100) : NULL;
        good = a && b && c && strided && d && w && s && e && pinned && !gnd_to_host(strided, out, 6 * sizeof *out) &&
               out[0] == 0 && !gnd_copy_from_host(strided, host, 6 * sizeof *host) &&
               !gnd_to_host(d, out, sizeof out) && out[1] == 3 && !gnd_event_record(e, s);
    }
    gnd_pinned_free(pinned);
    gnd_event_release(e);
    gnd_stream_release(s);
    return good;
}

TEST(running_out_of_memory_anywhere_is_an_error_and_no_leak) {
    CHECK(scenario());
    int64_t arrays = gnd_live_arrays();
    gnd_memory_stats before = stats();
    int failures = 0;
    for (int64_t n = 1; n < 1000; n++) {
        gndi_fail_alloc_at(n);
        bool good = scenario();
        gndi_fail_alloc_at(0);
        gnd_error_record error;
        bool failed = gnd_error_take(&error);
        CHECK(good != failed);
        if (failed) CHECK(error.code == GND_ERROR_MEMORY);
        CHECK(gnd_live_arrays() == arrays);
        CHECK(stats().in_use == before.in_use && stats().blocks == before.blocks);
        if (good) break;
        failures++;
    }
    CHECK(failures > 10);
    CHECK(scenario());
}

/* ---- threads -------------------------------------------------------------------------------- */

static void *churn(void *unused) {
    gnd_array *held[16] = {0};
    for (int i = 0; i < 20000; i++) {
        gnd_array **slot = &held[i * 7 % 16];
        gnd_release(*slot);
        *slot = gnd_empty(GND_SHAPE(1 + i * 31 % 5000), GND_UINT8);
    }
    for (int i = 0; i < 16; i++) gnd_release(held[i]);
    return gnd_error() ? unused : NULL;
}

TEST(threads_share_the_pool) {
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    gnd_memory_stats before = stats();
    int argument;
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&thread[i], NULL, churn, &argument) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(thread[i], &failed);
        CHECK(!failed);
    }
    gnd_memory_stats after = stats();
    CHECK(after.in_use == before.in_use && after.blocks == before.blocks);
    CHECK(after.allocations == before.allocations + THREADS * 20000);
}

TEST(pinned_memory) {
    unsigned char *p = gnd_pinned_alloc(100000);
    CHECK(p != NULL);
    if (p) memset(p, 7, 100000);
    gnd_pinned_free(p);
    gnd_pinned_free(NULL);
    void *nothing = gnd_pinned_alloc(0);
    CHECK(nothing != NULL);
    gnd_pinned_free(nothing);
    int local;
    CHECK_ERROR(gnd_pinned_free(&local), GND_ERROR_INVALID, "gnd_pinned_free");
    CHECK_ERROR(gnd_pinned_alloc(SIZE_MAX), GND_ERROR_MEMORY, "pinned");
}

TEST_MAIN
