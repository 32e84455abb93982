/*
 * test_graph.c: GND_GRAPH as programs write it: blocks that end early, temporaries in scopes, fused calls, errors, and
 * graphs that are launched by several threads.
 */
#include "tap.h"
#include <pthread.h>

static gnd_graph *add_half(const gnd_array *x, gnd_array *y) {
    gnd_graph *g = gnd_graph_new();
    GND_GRAPH(g) {
        GND_SCOPE {
            gnd_array *t = gnd_multiply(x, 0.5);
            gnd_add_into(y, y, t);
        }
    }
    return g;
}

TEST(a_loop_of_launches) {
    GND_SCOPE {
        gnd_array *x = gnd_full(GND_SHAPE(100), 2, GND_FLOAT32), *y = gnd_zeros(GND_SHAPE(100), GND_FLOAT32);
        gnd_graph *g = add_half(x, y);
        CHECK(g && gnd_item_double(gnd_sum(y, GND_ALL)) == 0);
        for (int i = 0; i < 1000; i++) gnd_graph_launch(g);
        CHECK(gnd_item_double(gnd_sum(y, GND_ALL)) == 100 * 1000);
        gnd_graph_info info;
        CHECK(gnd_graph_info_of(g, &info) == GND_OK && info.recorded && info.launches == 1000 && info.nodes >= 2);
        CHECK(info.arrays == 2 && info.bytes >= 400 && gnd_device_equal(info.device, gnd_current_device()));
        CHECK((gnd_graph_native(g) != NULL) == (gnd_current_device().kind == GND_GPU));
        gnd_graph_release(g);
        CHECK(gnd_item_double(gnd_sum(y, GND_ALL)) == 100 * 1000);
    }
    gnd_check();
}

TEST(a_block_that_ends_early) {
    gnd_stream *outside = gnd_current_stream();
    gnd_graph *g = gnd_graph_new();
    GND_SCOPE {
        gnd_array *y = gnd_zeros(GND_SHAPE(5), GND_INT32);
        GND_GRAPH(g) {
            CHECK(gnd_current_stream() != outside);
            gnd_add_into(y, y, 1);
            if (gnd_current_stream() != outside) break;
            gnd_add_into(y, y, 100);
        }
        CHECK(gnd_current_stream() == outside);
        gnd_graph_launch(g);
        CHECK(gnd_item_int(gnd_sum(y, GND_ALL)) == 5);
    }
    gnd_graph_release(g);
    gnd_check();
}

/* What GND_GRAPH expands to, as a binding in another language calls it. */
TEST(guards_and_no_graph) {
    gnd_stream *outside = gnd_current_stream();
    gnd_graph *g = gnd_graph_new();
    gnd_graph_guard guard = gnd_graph_guard_begin_(g);
    CHECK(guard.graph == g && guard.runs == 1 && gnd_current_stream() != outside);
    gnd_graph_guard_end_(&guard);
    CHECK(gnd_current_stream() == outside && !gnd_error());
    int ran = 0;
    GND_GRAPH(NULL) ran++;
    CHECK(ran == 0 && gnd_error() && gnd_error()->code == GND_ERROR_INVALID);
    gnd_error_clear();
    gnd_graph_release(g);
}

TEST(a_refused_call_leaves_the_graph_as_it_was) {
    gnd_graph *g = gnd_graph_new();
    GND_SCOPE {
        gnd_array *y = gnd_zeros(GND_SHAPE(5), GND_FLOAT64);
        GND_GRAPH(g) gnd_add_into(y, y, 1);
        GND_GRAPH(g) {
            gnd_add_into(y, y, 1000);
            gnd_add_into(y, y, gnd_item_double(gnd_sum(y, GND_ALL))); /* reads an element */
        }
        CHECK(gnd_error() && gnd_error()->code == GND_ERROR_INVALID);
        CHECK(gnd_error() && strstr(gnd_error()->message, "gnd_item_double"));
        gnd_error_clear();
        gnd_graph_launch(g);
        CHECK(gnd_item_double(gnd_sum(y, GND_ALL)) == 5);
        /* An error that the program deals with inside is no reason to drop the rest. */
        GND_GRAPH(g) {
            gnd_add_into(y, y, 1000);
            gnd_sync();
            CHECK(gnd_error() != NULL);
            gnd_error_clear();
        }
        CHECK(!gnd_error());
        gnd_graph_launch(g);
        CHECK(gnd_item_double(gnd_sum(y, GND_ALL)) == 5005);
    }
    gnd_graph_release(g);
    gnd_check();
}

TEST(fused_blocks_inside_and_outside) {
    gnd_graph *g = gnd_graph_new();
    GND_SCOPE {
        gnd_array *x = gnd_full(GND_SHAPE(64), 3, GND_FLOAT32), *y = gnd_zeros(GND_SHAPE(64), GND_FLOAT32);
        GND_FUSE {
            gnd_add_into(y, y, x); /* runs: it was called before */
            GND_GRAPH(g) {
                GND_FUSE {
                    gnd_array *t = gnd_multiply(x, x);
                    gnd_add_into(y, t, y);
                }
            }
        }
        CHECK(gnd_item_double(gnd_sum(y, GND_ALL)) == 64 * 3);
        gnd_graph_launch(g);
        gnd_graph_launch(g);
        CHECK(gnd_item_double(gnd_sum(y, GND_ALL)) == 64 * 21);
    }
    gnd_graph_release(g);
    gnd_check();
}

typedef struct job {
    gnd_device device;
    gnd_graph *shared;
    bool good;
} job;

static void *record_and_launch(void *context) {
    job *j = context;
    gnd_use(j->device);
    gnd_stream *s = gnd_stream_new();
    GND_STREAM(s) {
        GND_SCOPE {
            gnd_array *x = gnd_full(GND_SHAPE(3000), 2, GND_FLOAT32), *y = gnd_zeros(GND_SHAPE(3000), GND_FLOAT32);
            gnd_graph *g = add_half(x, y);
            for (int i = 0; i < 200; i++) {
                gnd_graph_launch(g);
                gnd_graph_launch(j->shared);
            }
            j->good = gnd_item_double(gnd_sum(y, GND_ALL)) == 200 * 3000;
            gnd_graph_release(g);
        }
    }
    gnd_stream_release(s);
    j->good = j->good && !gnd_error();
    return NULL;
}

TEST(threads_record_and_launch) {
    enum { THREADS = 4 };
    GND_SCOPE {
        gnd_array *x = gnd_full(GND_SHAPE(50), 2, GND_FLOAT32), *y = gnd_zeros(GND_SHAPE(50), GND_FLOAT32);
        gnd_graph *shared = add_half(x, y);
        pthread_t thread[THREADS];
        job jobs[THREADS];
        for (int i = 0; i < THREADS; i++) {
            jobs[i] = (job){gnd_current_device(), shared, false};
            pthread_create(&thread[i], NULL, record_and_launch, &jobs[i]);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
            CHECK(jobs[i].good);
        }
        CHECK(gnd_item_double(gnd_sum(y, GND_ALL)) == 50 * 200 * THREADS);
        gnd_graph_release(shared);
    }
    gnd_check();
}

TEST_MAIN
