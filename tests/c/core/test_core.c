/*
 * test_core.c: errors, array descriptions, references and scopes, threads, and what happens when
 * memory runs out.
 */
#define _POSIX_C_SOURCE 200809L
#include "tap.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

GND_API void gndi_fail_alloc_at(int64_t n); /* exported for tests only */

static gnd_array *small(void) {
    return gnd_empty(GND_SHAPE(3, 4), GND_FLOAT32);
}

/* Some things need a process of their own: this program again, with GND_TEST_CHILD naming the part
   to play. Returns what it wrote, and its exit status in *status. */
static const char *run_child(const char *environment, int *status) {
    static char output[4096];
    char command[512], self[256];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return NULL;
    self[length] = '\0';
    snprintf(command, sizeof command, "env %s '%s' 2>&1", environment, self);
    FILE *pipe = popen(command, "r");
    size_t used = pipe ? fread(output, 1, sizeof output - 1, pipe) : 0;
    output[used] = '\0';
    *status = pipe ? pclose(pipe) : -1;
    return output;
}

/* ---- errors --------------------------------------------------------------------------------- */

TEST(first_error_stays) {
    CHECK(gnd_error() == NULL);
    gnd_dtype_from_name("first");
    gnd_dtype_from_name("second");
    CHECK(gnd_error() && strstr(gnd_error()->message, "'first'"));
    CHECK(gnd_error()->code == GND_ERROR_DTYPE && strcmp(gnd_error()->function, "gnd_dtype_from_name") == 0);
    gnd_error_record record;
    CHECK(gnd_error_take(&record) && strstr(record.message, "'first'") && gnd_error() == NULL);
    memset(&record, 7, sizeof record);
    CHECK(!gnd_error_take(&record) && record.message[0] == 7);
    gnd_dtype_from_name("third");
    CHECK(gnd_error_take(NULL) && gnd_error() == NULL);
    gnd_dtype_from_name("fourth");
    gnd_error_clear();
    CHECK(gnd_error() == NULL);
    gnd_check();
}

TEST(null_keeps_the_error_that_explains_it) {
    gnd_array *none = gnd_empty(GND_SHAPE(-1), GND_INT8);
    CHECK(none == NULL && gnd_size(none) == 0 && gnd_transpose(none) == NULL);
    CHECK_ERROR(gnd_ndim(none), GND_ERROR_SHAPE, "gnd_empty");
    CHECK_ERROR(gnd_ndim(none), GND_ERROR_INVALID, "gnd_ndim: argument 'a' is NULL");
    CHECK_ERROR(gnd_shape_of(none), GND_ERROR_INVALID, "gnd_shape_of");
    CHECK_ERROR(gnd_device_of(none), GND_ERROR_INVALID, "gnd_device_of");
    CHECK_ERROR(gnd_data(none), GND_ERROR_INVALID, "gnd_data");
    CHECK_ERROR(gnd_shares_buffer(small(), none), GND_ERROR_INVALID, "argument 'b' is NULL");
}

static int handled;
static void count_errors(const gnd_error_record *error, void *context) {
    handled++;
    CHECK(strstr(error->message, (const char *)context));
    CHECK(gnd_error() == error);
}

TEST(handler_sees_each_recorded_error) {
    handled = 0;
    gnd_on_error(count_errors, "'x'");
    gnd_dtype_from_name("x");
    gnd_dtype_from_name("y");
    CHECK(handled == 1);
    gnd_error_clear();
    gnd_dtype_from_name("x");
    CHECK(handled == 2);
    gnd_error_clear();
    gnd_on_error(NULL, NULL);
    gnd_dtype_from_name("x");
    CHECK(handled == 2);
    gnd_error_clear();
}

TEST(long_messages_are_cut) {
    char name[3000];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    CHECK_ERROR(gnd_dtype_from_name(name), GND_ERROR_DTYPE, "nnnn");
    gnd_shape shape = {.ndim = 32};
    for (int i = 0; i < 32; i++) shape.dim[i] = INT64_MAX;
    CHECK_ERROR(gnd_empty(shape, GND_INT8), GND_ERROR_MEMORY, "9223372036854775807, ");
}

TEST(version_is_the_headers) {
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", GND_VERSION_MAJOR, GND_VERSION_MINOR, GND_VERSION_PATCH);
    CHECK(strcmp(gnd_version(), text) == 0);
}

TEST(status_names) {
    CHECK(strcmp(gnd_status_name(GND_OK), "ok") == 0);
    for (int s = GND_OK; s <= GND_ERROR_UNAVAILABLE; s++)
        CHECK(strcmp(gnd_status_name((gnd_status)s), "unknown status") != 0);
    CHECK(strcmp(gnd_status_name((gnd_status)99), "unknown status") == 0);
}

static void *error_of_a_thread(void *unused) {
    (void)unused;
    if (gnd_error()) return "sees another thread's error";
    gnd_dtype_from_name("theirs");
    return gnd_error() && strstr(gnd_error()->message, "'theirs'") ? NULL : "has not its own error";
}

TEST(each_thread_has_its_error) {
    gnd_dtype_from_name("ours");
    pthread_t thread;
    void *complaint;
    CHECK(pthread_create(&thread, NULL, error_of_a_thread, NULL) == 0);
    pthread_join(thread, &complaint);
    CHECK(complaint == NULL);
    CHECK_ERROR(0, GND_ERROR_DTYPE, "'ours'");
}

static void child_check(void) {
    gnd_check();
    printf("nothing yet\n");
    gnd_dtype_from_name("bad");
    gnd_check_at("program.c", 42);
    printf("not reached\n");
}

TEST(check_prints_and_exits) {
    int status;
    const char *output = run_child("GND_TEST_CHILD=check", &status);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    CHECK(strstr(output, "nothing yet\nprogram.c:42: gnd_dtype_from_name: there is no dtype 'bad'"));
    CHECK(strstr(output, "(dtype error)\n") && !strstr(output, "not reached"));
}

/* ---- what an array says of itself ----------------------------------------------------------- */

TEST(description) {
    gnd_array *a = gnd_empty(GND_SHAPE(3, 4, 5), GND_FLOAT64);
    CHECK(gnd_dtype_of(a) == GND_FLOAT64 && gnd_ndim(a) == 3 && gnd_size(a) == 60);
    CHECK(gnd_itemsize(a) == 8 && gnd_nbytes(a) == 480);
    CHECK(gnd_dim(a, 0) == 3 && gnd_dim(a, -1) == 5 && gnd_dim(a, -3) == 3);
    CHECK(gnd_stride(a, 0) == 160 && gnd_stride(a, 1) == 40 && gnd_stride(a, -1) == 8);
    gnd_shape shape = gnd_shape_of(a);
    CHECK(shape.ndim == 3 && shape.dim[0] == 3 && shape.dim[1] == 4 && shape.dim[2] == 5);
    CHECK(gnd_is_c_contiguous(a) && !gnd_is_f_contiguous(a) && !gnd_is_view(a) && !gnd_is_readonly(a));
    CHECK(gnd_data(a) != NULL);
    gnd_device device = gnd_device_of(a), current = gnd_current_device();
    CHECK(device.kind == current.kind && device.index == current.index);
    CHECK_ERROR(gnd_dim(a, 3), GND_ERROR_AXIS,
                "gnd_dim: axis 3 is out of range for an array with ndim 3 (axes go from -3 to 2)");
    CHECK_ERROR(gnd_stride(a, -4), GND_ERROR_AXIS, "axis -4 is out of range");
    CHECK_ERROR(gnd_dim(gnd_empty(GND_SCALAR, GND_INT8), 0), GND_ERROR_AXIS, "0-d array has no axes");
}

TEST(contiguity) {
    gnd_array *line = gnd_empty(GND_SHAPE(7), GND_INT8), *dot = gnd_empty(GND_SCALAR, GND_INT8);
    CHECK(gnd_is_c_contiguous(line) && gnd_is_f_contiguous(line));
    CHECK(gnd_is_c_contiguous(dot) && gnd_is_f_contiguous(dot) && gnd_size(dot) == 1 && gnd_ndim(dot) == 0);
    gnd_array *row = gnd_empty(GND_SHAPE(1, 5, 1), GND_INT8);
    CHECK(gnd_is_c_contiguous(row) && gnd_is_f_contiguous(row));
    gnd_array *t = gnd_transpose(small());
    CHECK(!gnd_is_c_contiguous(t) && gnd_is_f_contiguous(t) && gnd_stride(t, 0) == 4 && gnd_stride(t, 1) == 16);
    gnd_array *part = gnd_slice(small(), ":, ::2");
    CHECK(!gnd_is_c_contiguous(part) && !gnd_is_f_contiguous(part));
}

TEST(empty_arrays) {
    gnd_array *a = gnd_empty(GND_SHAPE(2, 0, 4), GND_FLOAT64);
    CHECK(gnd_size(a) == 0 && gnd_nbytes(a) == 0 && gnd_data(a) == NULL);
    CHECK(gnd_is_c_contiguous(a) && gnd_is_f_contiguous(a));
    CHECK(gnd_stride(a, 0) == 0 && gnd_stride(a, 2) == 0); /* as numpy.empty((2, 0, 4)).strides */
    CHECK(gnd_dim(a, 2) == 4);
    CHECK(!gnd_may_share_memory(a, a));
}

TEST(views_share_memory) {
    gnd_array *a = gnd_empty(GND_SHAPE(10), GND_INT32), *b = gnd_empty(GND_SHAPE(10), GND_INT32);
    gnd_array *head = gnd_slice(a, ":5"), *tail = gnd_slice(a, "5:"), *back = gnd_slice(a, "6:3:-1");
    CHECK(gnd_is_view(head) && gnd_shares_buffer(head, tail) && gnd_shares_buffer(a, tail));
    CHECK(!gnd_shares_buffer(a, b) && !gnd_may_share_memory(a, b));
    CHECK(!gnd_may_share_memory(head, tail) && gnd_may_share_memory(a, tail));
    CHECK(gnd_stride(back, 0) == -4 && gnd_may_share_memory(back, head) && gnd_may_share_memory(back, tail));
    CHECK((char *)gnd_data(tail) - (char *)gnd_data(a) == 20);
    gnd_array *wide = gnd_broadcast_to(head, GND_SHAPE(3, 5));
    CHECK(gnd_is_readonly(wide) && gnd_is_readonly(gnd_transpose(wide)) && !gnd_is_readonly(tail));
    CHECK(gnd_may_share_memory(wide, head) && !gnd_may_share_memory(wide, tail));
}

TEST(impossible_arrays_are_refused) {
    CHECK_ERROR(gnd_empty(GND_SHAPE(3, -1), GND_INT8), GND_ERROR_SHAPE, "shape (3, -1) has a negative size");
    CHECK_ERROR(gnd_empty(GND_SHAPE(INT64_MAX, 2), GND_INT8), GND_ERROR_MEMORY,
                "gnd_empty: an array of shape (9223372036854775807, 2) and dtype int8 is too big");
    CHECK_ERROR(gnd_empty(GND_SHAPE(INT64_C(1) << 61), GND_FLOAT32), GND_ERROR_MEMORY, "too big");
    CHECK_ERROR(gnd_empty(GND_SHAPE(0, INT64_C(1) << 40, INT64_C(1) << 40), GND_INT8), GND_ERROR_MEMORY, "too big");
    CHECK_ERROR(gnd_empty(GND_SHAPE(INT64_C(1) << 60), GND_INT8), GND_ERROR_MEMORY, "");
    gnd_shape shape = GND_SHAPE(1, 1);
    shape.ndim = 65;
    CHECK_ERROR(gnd_empty(shape, GND_INT8), GND_ERROR_SHAPE, "ndim is 65; an array has 0 to 64 dimensions");
    shape.ndim = -1;
    CHECK_ERROR(gnd_empty(shape, GND_INT8), GND_ERROR_SHAPE, "ndim is -1");
    CHECK_ERROR(gnd_empty(GND_SHAPE(1), (gnd_dtype)40), GND_ERROR_DTYPE, "40 is not a dtype");
}

TEST(sixty_four_dimensions) {
    gnd_shape shape = {.ndim = 64};
    for (int i = 0; i < 64; i++) shape.dim[i] = i % 8 == 0 ? 2 : 1;
    gnd_array *a = gnd_empty(shape, GND_INT16), *t = gnd_transpose(a);
    CHECK(gnd_size(a) == 256 && gnd_stride(a, 0) == 256 && gnd_stride(a, -1) == 2);
    CHECK(gnd_stride(t, 63) == 256 && gnd_dim(t, 63) == 2 && gnd_is_f_contiguous(t));
}

/* ---- references and scopes ------------------------------------------------------------------ */

/* What another thread, which has a scope of its own, does with an array of this thread's scope. */
static void *release_elsewhere(void *array) {
    GND_SCOPE {
        gnd_release(array);
    }
    return NULL;
}

TEST(a_scope_belongs_to_its_thread) {
    const int64_t before = gnd_live_arrays();
    pthread_t thread;
    gnd_scope outer, inner, *none = &inner;
    gnd_scope_open(&outer);
    gnd_array *a = gnd_full(GND_SHAPE(3), 7, GND_INT32);
    /* The scope's reference is not theirs to give back. */
    CHECK(pthread_create(&thread, NULL, release_elsewhere, a) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(gnd_live_arrays() == before + 1);
    GND_SCOPE {
        CHECK(gnd_item_int(gnd_sum(a, GND_ALL)) == 21);
    }
    gnd_scope_open(&inner);
    gnd_array *b = small();
    gnd_release(a); /* an outer scope of this thread: at once */
    CHECK(gnd_live_arrays() == before + 1 && gnd_size(b) == 12);
    gnd_scope_close(&outer); /* with the scopes inside it */
    CHECK(gnd_live_arrays() == before);
    gnd_scope_open(&outer);
    CHECK_ERROR((gnd_scope_close(none), NULL), GND_ERROR_INVALID, "not open on the calling thread");
    gnd_scope_close(&outer);
}

#define MISUSED "released or not an array"

TEST(released_arrays_are_found_out) {
    gnd_array *forgotten = NULL, *released = small(), *slot;
    int64_t none[64] = {0};
    GND_SCOPE {
        forgotten = small();
    }
    CHECK_ERROR(gnd_add(forgotten, 1), GND_ERROR_INVALID, "gnd_add: argument '1' is " MISUSED);
    CHECK_ERROR(gnd_sum(forgotten, GND_ALL), GND_ERROR_INVALID, MISUSED);
    gnd_release(released);
    CHECK_ERROR(gnd_transpose(released), GND_ERROR_INVALID, MISUSED);
    CHECK_ERROR(gnd_matmul(released, forgotten), GND_ERROR_INVALID, "'a' is " MISUSED);
    CHECK_ERROR((gnd_release(released), NULL), GND_ERROR_INVALID, "gnd_release: argument 'a' is " MISUSED);
    CHECK_ERROR(gnd_keep(released), GND_ERROR_INVALID, MISUSED);
    CHECK_ERROR(gnd_retain(released), GND_ERROR_INVALID, MISUSED);
    slot = released;
    CHECK_ERROR(gnd_assign(&slot, small()), GND_ERROR_INVALID, "'*slot' is " MISUSED);
    CHECK_ERROR(gnd_transpose((gnd_array *)(void *)none), GND_ERROR_INVALID, MISUSED);
    /* The header is not another array's for a while. */
    for (int i = 0; i < 8; i++) small();
    CHECK_ERROR(gnd_negative(released), GND_ERROR_INVALID, MISUSED);
}

static gnd_array *leave_by_return(void) {
    GND_SCOPE {
        gnd_array *a = small(), *b = small();
        GND_SCOPE {
            gnd_array *c = gnd_transpose(b);
            if (gnd_keep(NULL) == NULL && gnd_keep(c)) return gnd_keep(a);
        }
    }
    return NULL;
}

TEST(scopes_release_what_was_made_inside) {
    int64_t before = gnd_live_arrays();
    GND_SCOPE {
        small();
        GND_SCOPE {
            for (int i = 0; i < 1000; i++) small();
            CHECK(gnd_live_arrays() == before + 1001);
        }
        CHECK(gnd_live_arrays() == before + 1);
    }
    CHECK(gnd_live_arrays() == before);
}

TEST(scopes_end_on_break_continue_goto_and_return) {
    int64_t before = gnd_live_arrays();
    GND_SCOPE {
        small();
        if (gnd_live_arrays()) break;
        CHECK(!"reached");
    }
    CHECK(gnd_live_arrays() == before);
    int rounds = 0;
    for (int i = 0; i < 3; i++) {
        GND_SCOPE {
            small();
            rounds++;
            if (i < 2) continue;
            goto out;
        }
        CHECK(gnd_live_arrays() == before);
    }
    CHECK(!"reached");
out:
    CHECK(rounds == 3 && gnd_live_arrays() == before);
    gnd_array *a = leave_by_return(); /* kept out of the inner scope only: gone with the outer one */
    (void)a;
    CHECK(gnd_live_arrays() == before);
}

static gnd_array *made_in_scope(void) {
    gnd_array *result = NULL;
    GND_SCOPE {
        small();
        result = gnd_keep(small());
        small();
    }
    return result;
}

TEST(keep_moves_outward) {
    int64_t before = gnd_live_arrays();
    GND_SCOPE {
        gnd_array *kept = NULL;
        GND_SCOPE {
            gnd_array *a = made_in_scope();
            CHECK(gnd_size(a) == 12 && gnd_live_arrays() == before + 1);
            kept = gnd_keep(a);
            CHECK(kept == a && gnd_keep(kept) == a); /* the second time it is out already */
        }
        CHECK(gnd_live_arrays() == before + 1 && gnd_dim(kept, 1) == 4);
        CHECK(gnd_keep(NULL) == NULL && gnd_error() == NULL);
    }
    CHECK(gnd_live_arrays() == before);
}

TEST(assign_replaces_an_accumulator) {
    int64_t before = gnd_live_arrays();
    GND_SCOPE {
        gnd_array *total = small(), *none = NULL;
        for (int i = 0; i < 10; i++)
            GND_SCOPE {
                small();
                gnd_array *next = small();
                CHECK(gnd_assign(&total, next) == next && total == next);
                gnd_assign(&total, total);
                CHECK(gnd_live_arrays() == before + 2);
            }
        CHECK(gnd_live_arrays() == before + 1 && gnd_size(total) == 12);
        GND_SCOPE {
            GND_SCOPE {
                gnd_assign(&total, gnd_keep(small()));
            }
            gnd_assign(&none, small());
        }
        CHECK(gnd_live_arrays() == before + 2 && gnd_size(total) == 12 && gnd_size(none) == 12);
        GND_SCOPE {
            gnd_assign(&total, NULL);
        }
        CHECK(total == NULL && gnd_live_arrays() == before + 1);
        CHECK_ERROR(gnd_assign(NULL, none), GND_ERROR_INVALID, "gnd_assign: argument 'slot' is NULL");
        gnd_array *inner = small();
        GND_SCOPE {
            gnd_assign(&inner, none);
        } /* `none` lives in the same scope: it stays there */
        CHECK(inner == none && gnd_live_arrays() == before + 1);
    }
    CHECK(gnd_live_arrays() == before);
}

TEST(release_inside_a_scope) {
    int64_t before = gnd_live_arrays();
    GND_SCOPE {
        gnd_array *a = small(), *b = small(), *c = small();
        gnd_release(b); /* from the middle, the end and the start of the scope's list */
        CHECK(gnd_live_arrays() == before + 2);
        gnd_release(c);
        gnd_release(a);
        CHECK(gnd_live_arrays() == before);
        gnd_release(NULL);
        GND_SCOPE {
            gnd_array *outer = small();
            GND_SCOPE {
                gnd_release(outer); /* belongs to the scope around this one */
                CHECK(gnd_live_arrays() == before);
            }
            small();
        }
    }
    CHECK(gnd_live_arrays() == before);
}

TEST(retain_outlives_the_scope) {
    int64_t before = gnd_live_arrays();
    gnd_array *kept = NULL, *view = NULL;
    GND_SCOPE {
        gnd_array *a = small();
        kept = gnd_retain(a);
        CHECK(kept == a);
        gnd_release(gnd_retain(a)); /* a pair changes nothing */
        view = gnd_retain(gnd_slice(a, "1"));
        CHECK(gnd_retain(NULL) == NULL && gnd_error() == NULL);
    }
    CHECK(gnd_live_arrays() == before + 2 && gnd_size(kept) == 12);
    gnd_release(kept);
    CHECK(gnd_live_arrays() == before + 1 && gnd_dim(view, 0) == 4); /* the view keeps the memory */
    gnd_release(view);
    CHECK(gnd_live_arrays() == before);
}

TEST(scopes_opened_by_hand) {
    int64_t before = gnd_live_arrays();
    gnd_scope outer, inner;
    CHECK(gnd_scope_open(&outer) == &outer);
    small();
    gnd_scope_open(&inner);
    small();
    gnd_scope_close(&outer); /* closes the inner one first */
    CHECK(gnd_live_arrays() == before);
    CHECK_ERROR(gnd_scope_close(&inner), GND_ERROR_INVALID, "gnd_scope_close: this scope is not open");
}

/* ---- threads -------------------------------------------------------------------------------- */

/* A thread starts outside any scope: there the caller owns what functions return. */
static void *own_arrays(void *unused) {
    (void)unused;
    gnd_array *a = small(), *t = gnd_transpose(a), *kept = made_in_scope(), *total = NULL;
    if (gnd_keep(a) != a) return "keep outside a scope";
    for (int i = 0; i < 5; i++)
        GND_SCOPE {
            gnd_assign(&total, gnd_transpose(a));
        }
    gnd_assign(&total, small());
    gnd_release(a);
    bool good = gnd_size(t) == 12 && gnd_size(kept) == 12 && gnd_size(total) == 12 && !gnd_error();
    GND_SCOPE { /* a number of its own goes into the scope that owned the old one */
        gnd_array *slot = small();
        gnd_assign(&slot, total);
    }
    gnd_release(t);
    gnd_release(kept);
    return good ? NULL : "wrong sizes";
}

TEST(outside_scopes_the_caller_owns) {
    pthread_t thread;
    void *complaint;
    int64_t before = gnd_live_arrays();
    CHECK(pthread_create(&thread, NULL, own_arrays, NULL) == 0);
    pthread_join(thread, &complaint);
    CHECK(complaint == NULL);
    CHECK(gnd_live_arrays() == before);
}

#define WORKERS 4
#define SHARED 64
static gnd_array *shared[SHARED];

static void *take_and_give(void *number) {
    (void)number;
    for (int round = 0; round < 200; round++)
        GND_SCOPE {
            gnd_array *held[SHARED];
            for (int i = 0; i < SHARED; i++) held[i] = gnd_retain(shared[i]);
            for (int i = 0; i < SHARED; i += 7) gnd_transpose(held[i]);
            for (int i = 0; i < SHARED; i++) gnd_release(held[i]);
        }
    for (int i = 0; i < SHARED; i++) gnd_release(shared[i]); /* the reference it was handed */
    return NULL;
}

TEST(threads_share_arrays) {
    pthread_t threads[WORKERS];
    int64_t before = gnd_live_arrays();
    GND_SCOPE {
        for (int i = 0; i < SHARED; i++) {
            shared[i] = small();
            for (int t = 0; t < WORKERS; t++) gnd_retain(shared[i]);
        }
        for (int t = 0; t < WORKERS; t++) CHECK(pthread_create(&threads[t], NULL, take_and_give, NULL) == 0);
        for (int i = 0; i < SHARED; i += 3) gnd_transpose(shared[i]);
    }
    for (int t = 0; t < WORKERS; t++) pthread_join(threads[t], NULL);
    CHECK(gnd_live_arrays() == before);
}

static void *release_a_foreign_array(void *a) {
    gnd_release(a); /* belongs to the other thread's scope, which keeps it */
    GND_SCOPE {
        gnd_array *slot = small();
        gnd_assign(&slot, a);
        if (slot == a || !gnd_shares_buffer(slot, a)) return "took a foreign array into its scope";
    }
    return NULL;
}

TEST(scopes_belong_to_their_thread) {
    gnd_array *a = small();
    pthread_t thread;
    void *complaint;
    CHECK(pthread_create(&thread, NULL, release_a_foreign_array, a) == 0);
    pthread_join(thread, &complaint);
    CHECK(complaint == NULL && gnd_size(a) == 12);
}

/* ---- memory running out --------------------------------------------------------------------- */

TEST(every_allocation_may_fail) {
    int failures = 0;
    gnd_shape large = {.ndim = 12, .dim = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3}};
    for (int n = 1; n < 100; n++) {
        int64_t before = gnd_live_arrays();
        bool done = false;
        GND_SCOPE {
            gndi_fail_alloc_at(n);
            gnd_array *a = small(), *b = gnd_empty(large, GND_INT8), *t = gnd_transpose(b);
            gndi_fail_alloc_at(0);
            done = a && b && t;
            CHECK(done == (gnd_error() == NULL));
        }
        CHECK(gnd_live_arrays() == before);
        if (done) break;
        failures++;
        CHECK_ERROR(0, GND_ERROR_MEMORY, "");
    }
    CHECK(failures >= 4 && failures < 99); /* two buffers, three headers */
}

static void child_first_allocation(void) {
    gnd_array *a = small();
    printf("%s\n", a == NULL && gnd_error()->code == GND_ERROR_MEMORY ? "out of memory" : "no failure");
    gnd_error_clear();
    gnd_release(small());
    gnd_check();
}

TEST(the_environment_can_ask_for_failure) {
    int status;
    CHECK(strstr(run_child("GND_TEST_CHILD=first_allocation GND_FAIL_ALLOC=1", &status), "out of memory"));
    CHECK(status == 0);
}

static void child_leak(void) {
    gnd_array *a = small();
    gnd_transpose(a);
    gnd_release(small());
    for (int i = 0; i < 3000; i++) gnd_release(small());
    GND_SCOPE {
        small();
    }
}

/* Arrays of a scope are no leaks, however the program ends, but for those that were retained. */
static void child_scoped_leak(void) {
    GND_SCOPE {
        small();
        gnd_retain(gnd_zeros(GND_SHAPE(2), GND_INT8));
        gnd_add(small(), gnd_zeros(GND_SHAPE(5), GND_FLOAT32)); /* wrong */
        gnd_check();
    }
}

static gnd_array *unchanged(gnd_array *x) {
    return x;
}

/* Everything else that is released by a function of its own: each made once and forgotten, and once not. */
static void child_other_leaks(void) {
    gnd_array *x = gnd_zeros(GND_SHAPE(4), GND_FLOAT32);
    gnd_release(unchanged(gnd_ravel(x)));
    for (int forgotten = 0; forgotten < 2; forgotten++) {
        gnd_stream *stream = gnd_stream_new();
        gnd_event *event = gnd_event_new(false);
        gnd_random *g = gnd_random_new(GND_PHILOX, 1), *child = gnd_random_spawn(g);
        gnd_kernel *kernel = gnd_kernel_elementwise("float32 x", "float32 y", "y = x", "k", NULL);
        gnd_einsum_plan *plan = gnd_einsum_path("i,i", 2, (const gnd_array *const[]){x, x}, NULL);
        char *text = gnd_to_string(x);
        void *pinned = gnd_pinned_alloc(100);
        if (forgotten) break;
        gnd_stream_release(stream), gnd_event_release(event);
        gnd_random_release(g), gnd_random_release(child);
        gnd_kernel_release(kernel), gnd_einsum_plan_free(plan);
        gnd_string_free(text), gnd_pinned_free(pinned);
    }
    gnd_random_default();
    gnd_release(x);
}

TEST(what_a_scope_owned_is_no_leak) {
    int status;
    const char *output = run_child("GND_TEST_CHILD=scoped_leak GND_LEAKS=1", &status);
    CHECK(status != 0 && strstr(output, "gnd_add: "));
    CHECK(strstr(output, "never released: int8 (2,) on ") && strstr(output, "from gnd_zeros"));
    CHECK(strstr(output, "gnd: 1 arrays never released, 2 bytes"));
}

TEST(other_objects_are_listed_too) {
    int status;
    static const char *const lines[] = {
        "a stream from gnd_stream_new",          "an event from gnd_event_new",
        "a generator from gnd_random_new",       "a generator from gnd_random_spawn",
        "a string from gnd_to_string",           "a kernel from gnd_kernel_elementwise",
        "a plan of einsum from gnd_einsum_path", "a block of pinned memory from gnd_pinned_alloc",
        "gnd: 8 other objects never released"};
    const char *output = run_child("GND_TEST_CHILD=other_leaks GND_LEAKS=1", &status);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) CHECK(strstr(output, lines[i]));
    CHECK(strstr(output, "arrays never released") == NULL);
    CHECK(strstr(run_child("GND_TEST_CHILD=other_leaks", &status), "released") == NULL);
}

TEST(leaks_are_listed) {
    int status;
    const char *output = run_child("GND_TEST_CHILD=leak GND_LEAKS=1", &status);
    CHECK(strstr(output, "gnd: never released: float32 (3, 4) on "));
    CHECK(strstr(output, "from gnd_empty (48 bytes)"));
    CHECK(strstr(output, "float32 (4, 3) on ") && strstr(output, "from gnd_transpose (48 bytes, a view)"));
    CHECK(strstr(output, "gnd: 2 arrays never released, 48 bytes"));
    CHECK(strstr(run_child("GND_TEST_CHILD=leak", &status), "released") == NULL);
}

__attribute__((constructor)) static void play_child(void) {
    static const struct {
        const char *name;
        void (*play)(void);
    } parts[] = {
        {"check", child_check},
        {"first_allocation", child_first_allocation},
        {"leak", child_leak},
        {"scoped_leak", child_scoped_leak},
        {"other_leaks", child_other_leaks},
    };
    const char *part = getenv("GND_TEST_CHILD");
    if (part == NULL) return;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(part, parts[i].name) == 0) parts[i].play();
    exit(0);
}

/* ---- for libraries on top of gnd ----------------------------------------------------------------- */

TEST(another_library_raises_errors) {
    CHECK(gnd_raise(GND_OK, "my_sum", "nothing") == GND_OK && !gnd_error());
    CHECK_ERROR(gnd_raise(GND_ERROR_SHAPE, "my_sum", "100% of (3,)"), GND_ERROR_SHAPE, "my_sum: 100% of (3,)");
    CHECK(gnd_part_of("my_sum") == NULL);
    gnd_array *a = small();
    CHECK_ERROR(gnd_slice(a, "9"), GND_ERROR_INDEX, "my_sum: ");
    CHECK(strcmp(gnd_part_of(NULL), "my_sum") == 0);
    CHECK_ERROR(gnd_slice(a, "9"), GND_ERROR_INDEX, "gnd_slice: ");
}

typedef struct thing {
    int number;
    gnd_owned owned;
} thing;
static int things_released[4], things;

static void thing_release(gnd_owned *owned) {
    things_released[things++] = ((thing *)((char *)owned - offsetof(thing, owned)))->number;
}

TEST(scopes_own_other_libraries_objects) {
    thing t[4];
    for (int i = 0; i < 4; i++) t[i] = (thing){i, {.release = thing_release}};
    things = 0;
    GND_SCOPE {
        GND_SCOPE {
            for (int i = 0; i < 4; i++) gnd_scope_own(&t[i].owned);
            gnd_scope_disown(&t[1].owned);
            gnd_scope_disown(&t[1].owned);
            gnd_scope_keep(&t[2].owned);
            gnd_scope_keep(&t[2].owned); /* it belongs to the outer scope now: stays */
        }
        CHECK(things == 2 && things_released[0] == 3 && things_released[1] == 0);
    }
    CHECK(things == 3 && things_released[2] == 2);
    gnd_scope_keep(NULL), gnd_scope_own(NULL), gnd_scope_disown(NULL);
}

TEST_MAIN
