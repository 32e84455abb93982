/*
 * test_stream.c: streams, events, and that streams which share arrays never race, from one thread
 * and from several.
 */
#include "tap.h"
#include <math.h>
#include <pthread.h>

/* ---- streams -------------------------------------------------------------------------------- */

TEST(a_block_has_its_own_stream) {
    gnd_stream *outside = gnd_current_stream();
    gnd_stream *s = gnd_stream_new(), *t = gnd_stream_new();
    CHECK(s && t && s != t && s != outside);
    GND_STREAM(s) {
        CHECK(gnd_current_stream() == s);
        GND_STREAM(t) {
            CHECK(gnd_current_stream() == t);
        }
        CHECK(gnd_current_stream() == s);
        GND_STREAM(NULL) {
            CHECK(gnd_current_stream() == s);
        }
    }
    CHECK(gnd_current_stream() == outside);
    for (int i = 0; i < 3; i++)
        GND_STREAM(s) {
            if (i == 1) break;
        }
    CHECK(gnd_current_stream() == outside);
    CHECK(gnd_use_stream(s) == GND_OK && gnd_current_stream() == s);
    CHECK(gnd_device_equal(gnd_stream_device(s), gnd_current_device()));
    CHECK(gnd_use_stream(NULL) == GND_OK && gnd_current_stream() == outside);
    CHECK(gnd_stream_sync(s) == GND_OK && gnd_stream_done(s) && gnd_stream_sync(NULL) == GND_OK);
    CHECK((gnd_stream_native(s) != NULL) == (gnd_current_device().kind == GND_GPU));
    gnd_stream_release(s);
    gnd_stream_release(t);
    gnd_stream_release(NULL);
}

/* Urgent ones are streams like others, and are not mixed up with them when they are used again. */
TEST(urgent_streams) {
    gnd_stream *s = gnd_stream_new_high_priority(), *t = gnd_stream_new();
    gnd_array *a = NULL, *b = NULL;
    CHECK(s && t && s != t);
    GND_STREAM(s) {
        CHECK(gnd_current_stream() == s);
        a = gnd_full(GND_SHAPE(1000), 2, GND_INT32);
    }
    GND_STREAM(t) {
        b = gnd_multiply(a, 3);
    }
    GND_STREAM(s) {
        CHECK(gnd_item_int(gnd_sum(b, GND_ALL)) == 6000);
    }
    gnd_sync();
    gnd_stream_release(s);
    gnd_stream *u = gnd_stream_new(), *v = gnd_stream_new_high_priority();
    CHECK(u && v && u != s && (v == s || gnd_current_device().kind == GND_GPU));
    gnd_stream_release(t);
    gnd_stream_release(u);
    gnd_stream_release(v);
    gnd_release(a);
    gnd_release(b);
}

/* What GND_STREAM expands to, as a binding in another language calls it. */
TEST(a_guard_restores_the_stream) {
    gnd_stream *outside = gnd_current_stream(), *s = gnd_stream_new();
    gnd_stream_guard guard = gnd_stream_guard_begin_(s);
    CHECK(gnd_current_stream() == s && guard.previous == outside && guard.runs == 1);
    gnd_stream_release(s); /* the current one: the default takes over */
    CHECK(gnd_current_stream() == outside);
    gnd_stream_guard_end_(&guard);
    CHECK(gnd_current_stream() == outside);
}

static gnd_array *stream_and_return(gnd_stream *s) {
    GND_STREAM(s) {
        return gnd_zeros(GND_SHAPE(4), GND_INT8);
    }
    return NULL;
}

TEST(a_block_left_by_return_restores_the_stream) {
    gnd_stream *outside = gnd_current_stream(), *s = gnd_stream_new();
    CHECK(stream_and_return(s) != NULL);
    CHECK(gnd_current_stream() == outside);
    gnd_stream_release(s);
}

/* ---- devices -------------------------------------------------------------------------------- */

static gnd_array *made_on_the_cpu(void) {
    GND_USE(gnd_cpu()) {
        return gnd_zeros(GND_SHAPE(4), GND_INT8);
    }
    return NULL;
}

TEST(a_block_has_its_own_device) {
    const gnd_device outside = gnd_current_device();
    gnd_stream *s = gnd_stream_new();
    GND_STREAM(s) {
        GND_USE(gnd_cpu()) {
            CHECK(gnd_current_device().kind == GND_CPU);
            CHECK(gnd_device_of(gnd_ones(GND_SHAPE(2), GND_FLOAT32)).kind == GND_CPU);
            GND_USE(outside) {
                CHECK(gnd_device_equal(gnd_current_device(), outside));
                CHECK(gnd_device_equal(gnd_device_of(gnd_identity(2, GND_INT8)), outside));
            }
            CHECK(gnd_current_device().kind == GND_CPU);
        }
        CHECK(gnd_current_stream() == s);
    }
    CHECK(gnd_device_of(made_on_the_cpu()).kind == GND_CPU);
    CHECK(gnd_device_equal(gnd_current_device(), outside));
    gnd_stream_release(s);
}

/* A device that there is not: its error is pending, the current one stays. */
TEST(a_block_of_no_device) {
    const gnd_device outside = gnd_current_device();
    gnd_stream_guard guard = gnd_device_guard_begin_(gnd_gpu(4096));
    CHECK(guard.runs == 1 && gnd_device_equal(gnd_current_device(), outside));
    gnd_stream_guard_end_(&guard);
    gnd_error_record error;
    CHECK(gnd_error_take(&error) && error.code == GND_ERROR_DEVICE);
}

TEST(a_released_stream_is_not_used) {
    gnd_stream *outside = gnd_current_stream(), *s = gnd_stream_new();
    gnd_use_stream(s);
    gnd_stream_release(s);
    CHECK(gnd_current_stream() == outside);
    CHECK_ERROR(gnd_use_stream(s), GND_ERROR_INVALID, "released already");
    CHECK_ERROR(gnd_stream_sync(s), GND_ERROR_INVALID, "gnd_stream_sync: the stream was released");
    CHECK(gnd_current_stream() == outside);
}

TEST(streams_are_many_but_not_endless) {
    enum { MANY = 62 };
    gnd_stream *s[MANY];
    for (int round = 0; round < 3; round++) { /* released ones are handed out again */
        for (int i = 0; i < MANY; i++) CHECK((s[i] = gnd_stream_new()) != NULL);
        CHECK_ERROR(gnd_stream_new(), GND_ERROR_UNAVAILABLE, "63 streams are alive");
        for (int i = 0; i < MANY; i++) gnd_stream_release(s[i]);
    }
}

/* Arrays outlive the stream that made them, and the slot's next user. */
TEST(arrays_outlive_their_stream) {
    gnd_array *sum = gnd_zeros(GND_SHAPE(1000), GND_INT64);
    for (int i = 0; i < 200; i++)
        GND_SCOPE {
            gnd_stream *s = gnd_stream_new();
            gnd_array *a = NULL;
            GND_STREAM(s) {
                a = gnd_full(GND_SHAPE(1000), i, GND_INT64);
            }
            gnd_stream_release(s);
            CHECK(gnd_add_into(sum, sum, a) == GND_OK);
        }
    int64_t values[1000];
    CHECK(gnd_to_host(sum, values, sizeof values) == GND_OK);
    for (int i = 0; i < 1000; i++) CHECK(values[i] == 199 * 200 / 2);
}

/* ---- events --------------------------------------------------------------------------------- */

TEST(events_are_reached_and_timed) {
    gnd_event *from = gnd_event_new(true), *to = gnd_event_new(true);
    CHECK(gnd_event_done(from) && gnd_event_sync(from) == GND_OK); /* never recorded: nothing to wait for */
    gnd_array *a = gnd_ones(GND_SHAPE(1 << 20), GND_FLOAT32);
    CHECK(gnd_event_record(from, NULL) == GND_OK);
    for (int i = 0; i < 10; i++) gnd_add_into(a, a, 1);
    CHECK(gnd_event_record(to, gnd_current_stream()) == GND_OK);
    CHECK(gnd_event_sync(to) == GND_OK && gnd_event_done(to) && gnd_event_done(from));
    double milliseconds = gnd_event_elapsed(from, to);
    CHECK(milliseconds > 0 && milliseconds < 60e3);
    CHECK(gnd_event_elapsed(to, from) <= 0);
    gnd_event_release(from);
    gnd_event_release(to);
    gnd_event_release(NULL);
}

TEST(events_refuse_what_they_cannot_do) {
    gnd_event *timed = gnd_event_new(true), *plain = gnd_event_new(false), *fresh = gnd_event_new(true);
    CHECK(gnd_event_record(timed, NULL) == GND_OK && gnd_event_record(plain, NULL) == GND_OK);
    CHECK_ERROR(gnd_event_elapsed(timed, plain), GND_ERROR_INVALID, "second event was made without timing");
    CHECK_ERROR(gnd_event_elapsed(plain, timed), GND_ERROR_INVALID, "first event was made without timing");
    CHECK_ERROR(gnd_event_elapsed(timed, fresh), GND_ERROR_INVALID, "second event was never recorded");
    CHECK(isnan(gnd_event_elapsed(fresh, timed)));
    gnd_error_clear();
    CHECK_ERROR(gnd_event_record(NULL, NULL), GND_ERROR_INVALID, "gnd_event_record");
    CHECK_ERROR(gnd_event_sync(NULL), GND_ERROR_INVALID, "gnd_event_sync");
    CHECK_ERROR(gnd_event_done(NULL), GND_ERROR_INVALID, "gnd_event_done");
    CHECK_ERROR(gnd_stream_wait_event(NULL, NULL), GND_ERROR_INVALID, "gnd_stream_wait_event");
    if (gnd_current_device().kind == GND_GPU) {
        gnd_device gpu = gnd_current_device();
        gnd_use(gnd_cpu());
        CHECK_ERROR(gnd_event_record(timed, NULL), GND_ERROR_DEVICE, "made on gpu:");
        gnd_use(gpu);
    }
    gnd_event_release(timed);
    gnd_event_release(plain);
    gnd_event_release(fresh);
}

/* Memory that gnd sees as two arrays: only the event orders them. */
TEST(a_stream_waits_for_an_event) {
    enum { COUNT = 1 << 16 };
    static int32_t values[COUNT];
    gnd_array *owner = gnd_zeros(GND_SHAPE(COUNT), GND_INT32);
    gnd_array *a = gnd_wrap(gnd_data(owner), GND_SHAPE(COUNT), NULL, GND_INT32, gnd_device_of(owner), NULL, NULL);
    gnd_array *b = gnd_wrap(gnd_data(owner), GND_SHAPE(COUNT), NULL, GND_INT32, gnd_device_of(owner), NULL, NULL);
    gnd_stream *s = gnd_stream_new(), *t = gnd_stream_new();
    gnd_event *e = gnd_event_new(false);
    CHECK(gnd_sync() == GND_OK);
    for (int i = 0; i < 50; i++) {
        GND_STREAM(s) {
            gnd_add_into(a, a, 1);
        }
        CHECK(gnd_event_record(e, s) == GND_OK && gnd_stream_wait_event(t, e) == GND_OK);
        GND_STREAM(t) {
            gnd_multiply_into(b, b, 2);
        }
        CHECK(gnd_event_record(e, t) == GND_OK && gnd_stream_wait_event(s, e) == GND_OK);
        GND_STREAM(s) {
            gnd_remainder_into(a, a, 1000003);
        }
        CHECK(gnd_event_record(e, s) == GND_OK);
        if (i % 7 == 0) CHECK(gnd_event_sync(e) == GND_OK);
    }
    CHECK(gnd_sync() == GND_OK && gnd_to_host(owner, values, sizeof values) == GND_OK);
    int64_t expected = 0;
    for (int i = 0; i < 50; i++) expected = (expected + 1) * 2 % 1000003;
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) wrong += values[i] != expected;
    CHECK(wrong == 0);
    gnd_event_release(e);
    gnd_stream_release(s);
    gnd_stream_release(t);
}

/* ---- streams that share arrays -------------------------------------------------------------- */

/* Two streams take turns on the same two arrays, in ways that need each kind of wait: reading what
   the other wrote, overwriting what the other reads, and memory freed on one and reused on the
   other. Unsigned arithmetic that does not commute, so that every order gives another answer. */
TEST(two_streams_give_the_sequential_answer_1000_times) {
    enum { COUNT = 50000, ROUNDS = 1000 };
    static uint32_t got[COUNT];
    gnd_stream *s = gnd_stream_new(), *t = gnd_stream_new();
    gnd_array *x = gnd_ones(GND_SHAPE(COUNT), GND_UINT32), *y = gnd_zeros(GND_SHAPE(COUNT), GND_UINT32);
    uint32_t ex = 1, ey = 0;
    int wrong_rounds = 0;
    for (int round = 0; round < ROUNDS; round++)
        GND_SCOPE {
            uint32_t k = (uint32_t)round;
            GND_STREAM(s) {
                gnd_array *fresh = gnd_multiply(x, 3); /* freed at the end of the scope, used on both */
                gnd_add_into(x, fresh, k);
                GND_STREAM(t) {
                    gnd_add_into(y, gnd_multiply(y, 5), fresh); /* reads s's result */
                    gnd_subtract_into(x, x, y);                 /* writes what s wrote */
                }
                gnd_multiply_into(y, y, 7); /* writes what t is reading */
            }
            GND_STREAM(t) {
                gnd_add_into(x, x, 1);
            }
            uint32_t fresh = 3 * ex;
            ex = fresh + k;
            ey = 5 * ey + fresh;
            ex -= ey;
            ey *= 7;
            ex += 1;
            if (round % 2)
                gnd_to_host(x, got, sizeof got);
            else
                gnd_to_host(y, got, sizeof got);
            int wrong = 0;
            for (int i = 0; i < COUNT; i++) wrong += got[i] != (round % 2 ? ex : ey);
            wrong_rounds += wrong != 0;
        }
    CHECK(wrong_rounds == 0);
    gnd_stream_release(s);
    gnd_stream_release(t);
}

/* Several readers at a time, then a writer that must wait for all of them; the readers' results are
   looked at only at the end. */
TEST(a_writer_waits_for_all_readers) {
    enum { COUNT = 200000, READERS = 4, ROUNDS = 50 };
    static uint32_t got[COUNT];
    gnd_stream *s[READERS];
    gnd_array *sum[READERS];
    gnd_array *x = gnd_zeros(GND_SHAPE(COUNT), GND_UINT32);
    for (int r = 0; r < READERS; r++) s[r] = gnd_stream_new(), sum[r] = gnd_zeros(GND_SHAPE(COUNT), GND_UINT32);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        gnd_fill(x, round);
        for (int r = 0; r < READERS; r++)
            GND_STREAM(s[r]) {
                gnd_add_into(sum[r], sum[r], x);
            }
    }
    /* Its memory must not be reused while anybody reads: neither by a reader's stream nor by
     * another. */
    gnd_release(x);
    for (int r = 0; r < READERS; r++)
        GND_STREAM(s[r]) {
            CHECK(gnd_full(GND_SHAPE(COUNT), 12345, GND_UINT32) != NULL);
        }
    CHECK(gnd_full(GND_SHAPE(COUNT), 12345, GND_UINT32) != NULL);
    for (int r = 0; r < READERS; r++) {
        CHECK(gnd_to_host(sum[r], got, sizeof got) == GND_OK);
        int wrong = 0;
        for (int i = 0; i < COUNT; i++) wrong += got[i] != ROUNDS * (ROUNDS + 1) / 2;
        CHECK(wrong == 0);
        gnd_stream_release(s[r]);
    }
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { THREADS = 4, THREAD_ROUNDS = 150, THREAD_COUNT = 3000 };

typedef struct worker {
    pthread_t thread;
    int number;
    const gnd_array *shared;
    bool own_stream;
    int wrong;
} worker;

/* Allocates, computes, frees and reads back, with sizes that differ from round to round. */
static void *work(void *context) {
    worker *w = context;
    static _Thread_local int64_t got[THREAD_COUNT];
    gnd_stream *s = w->own_stream ? gnd_stream_new() : NULL;
    if (s) gnd_use_stream(s);
    for (int round = 0; round < THREAD_ROUNDS; round++)
        GND_SCOPE {
            int64_t n = 1 + (round * 97 + w->number * 31) % THREAD_COUNT;
            gnd_array *part = gnd_slice(w->shared, ":%lld", (long long)n);
            gnd_array *a = gnd_full(GND_SHAPE(n), round, GND_INT64);
            gnd_array *b = gnd_add(gnd_multiply(part, w->number), a);
            gnd_add_into(b, b, gnd_subtract(b, a));
            if (gnd_to_host(b, got, (size_t)n * sizeof *got)) w->wrong++;
            for (int64_t i = 0; i < n; i++) w->wrong += got[i] != 2 * i * w->number + round;
        }
    gnd_stream_release(s);
    if (gnd_error()) w->wrong++;
    return NULL;
}

static int run_workers(bool own_streams) {
    gnd_array *shared = gnd_arange(0, THREAD_COUNT, 1, GND_INT64);
    worker w[THREADS];
    int wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){.number = i, .shared = shared, .own_stream = own_streams};
        if (pthread_create(&w[i].thread, NULL, work, &w[i])) return -1;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(w[i].thread, NULL);
        wrong += w[i].wrong;
    }
    return wrong;
}

TEST(threads_share_the_default_stream) {
    CHECK(run_workers(false) == 0);
}
TEST(threads_have_streams_of_their_own) {
    CHECK(run_workers(true) == 0);
}

/* More threads than there are words for numbers that the host waits for, each with counts of its own. */
static void *count_often(void *context) {
    const int64_t own = *(const int *)context, n = 6000 + own;
    gnd_stream *stream = own % 3 == 0 ? gnd_stream_new() : NULL;
    intptr_t wrong = 0;
    if (stream) gnd_use_stream(stream);
    for (int64_t i = 2; i < 12; i++)
        GND_SCOPE {
            gnd_array *x = gnd_remainder(gnd_arange(0, n, 1, GND_INT64), i + own), *indices;
            gnd_array *mask = gnd_equal(x, 0);
            const int64_t count = (n + i + own - 1) / (i + own);
            gnd_nonzero(mask, &indices);
            wrong += gnd_size(indices) != count || gnd_size(gnd_extract(mask, x)) != count;
            wrong += gnd_item_int(gnd_max(indices, GND_ALL)) != (count - 1) * (i + own);
        }
    if (stream) gnd_use_stream(NULL), gnd_stream_release(stream);
    return (void *)(gnd_error() ? -1 : wrong);
}

TEST(many_threads_are_told_their_counts) {
    enum { CALLERS = 80 };
    pthread_t caller[CALLERS];
    int number[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        number[i] = i;
        CHECK(pthread_create(&caller[i], NULL, count_often, &number[i]) == 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        void *wrong;
        pthread_join(caller[i], &wrong);
        CHECK(!wrong);
    }
}

/* Two threads hand an array to and fro, each on its own stream; only the host knows whose turn it
   is. A third keeps the default stream busy. */
typedef struct relay {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int turn, rounds;
    gnd_array *baton;
    gnd_stream *shared_stream;
} relay;

static void *run_relay(void *context) {
    relay *r = context;
    pthread_mutex_lock(&r->lock);
    int me = r->rounds++;
    pthread_mutex_unlock(&r->lock);
    gnd_stream *own = gnd_stream_new();
    for (int i = 0; i < 300; i++) {
        pthread_mutex_lock(&r->lock);
        while (r->turn % 2 != me) pthread_cond_wait(&r->changed, &r->lock);
        GND_STREAM(i % 3 ? own : r->shared_stream) {
            gnd_multiply_into(r->baton, r->baton, 3);
            gnd_add_into(r->baton, r->baton, me + 1);
        }
        r->turn++;
        pthread_cond_signal(&r->changed);
        pthread_mutex_unlock(&r->lock);
        GND_SCOPE {
            GND_STREAM(r->shared_stream) {
                gnd_add(gnd_ones(GND_SHAPE(100), GND_FLOAT32), 1);
            }
        }
    }
    gnd_stream_release(own);
    return gnd_error() ? context : NULL;
}

TEST(threads_hand_an_array_to_and_fro) {
    enum { COUNT = 20000 };
    static uint32_t got[COUNT];
    relay r = {.baton = gnd_ones(GND_SHAPE(COUNT), GND_UINT32), .shared_stream = gnd_stream_new()};
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.changed, NULL);
    pthread_t thread[2];
    void *failed[2];
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&thread[i], NULL, run_relay, &r) == 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], &failed[i]);
        CHECK(!failed[i]);
    }
    uint32_t expected = 1;
    for (int i = 0; i < 600; i++) expected = expected * 3 + (uint32_t)(i % 2 + 1);
    CHECK(gnd_to_host(r.baton, got, sizeof got) == GND_OK);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) wrong += got[i] != expected;
    CHECK(wrong == 0);
    gnd_stream_release(r.shared_stream);
    pthread_mutex_destroy(&r.lock);
    pthread_cond_destroy(&r.changed);
}

/* Work of another library, which a copy by gnd_transfer stands for, between two streams of gnd. */
TEST(foreign_work_is_in_stream_order) {
    gnd_stream *s = gnd_stream_new();
    gnd_array *from = gnd_full(GND_SHAPE(1000), 7, GND_INT32), *to = gnd_zeros(GND_SHAPE(1000), GND_INT32);
    const gnd_array *reads[] = {from};
    gnd_array *writes[] = {to};
    CHECK(gnd_foreign_begin(s, 1, reads, 1, writes) == GND_OK);
    GND_STREAM(s) {
        gnd_transfer(to, from);
    }
    CHECK(gnd_foreign_end(s) == GND_OK);
    CHECK(gnd_item_int(gnd_min(to, GND_ALL)) == 7);
    gnd_array *fixed = gnd_broadcast_to(from, GND_SHAPE(2, 1000));
    CHECK_ERROR(gnd_foreign_begin(NULL, 0, NULL, 1, &fixed), GND_ERROR_INVALID, "read-only");
    const gnd_array *none = NULL;
    CHECK_ERROR(gnd_foreign_begin(NULL, 1, &none, 0, NULL), GND_ERROR_INVALID, "NULL");
    gnd_stream_release(s);
}

TEST_MAIN
