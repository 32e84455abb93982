/*
 * test_mesh.c: meshes: places, grids, splits, gathers, agreement, exchanges of any strides,
 * and what happens when a rank fails, calls another function or never comes.
 */
#include "ranks.h"
#include "dist/exchange.h"
#include <math.h>
#include <time.h>

static void places(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    EXPECT(gnd_mesh_extent(mesh, 0) == size && gnd_mesh_extent(mesh, 1) == 1);
    EXPECT(gnd_mesh_place(mesh, 0) == rank && gnd_mesh_place(mesh, 1) == 0 && gnd_mesh_place(mesh, 2) == -1);
    EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
    if (size == 4) {
        gnd_mesh *grid = gnd_mesh_grid(mesh, GND_SHAPE(2, 2));
        EXPECT(gnd_mesh_place(grid, 0) == rank / 2 && gnd_mesh_place(grid, 1) == rank % 2);
        EXPECT(gnd_mesh_extent(grid, 1) == 2 && gnd_mesh_size(grid) == 4);
        gnd_mesh_release(grid);
    }
    EXPECT(!gnd_mesh_grid(mesh, GND_SHAPE(2, 3)) && strstr(gnd_error()->message, "product"));
    gnd_error_clear();
    gnd_mesh_stats stats;
    EXPECT(gnd_mesh_stats_of(mesh, &stats) == GND_OK && stats.calls >= 1);
    EXPECT(stats.bytes_sent == (uint64_t)(size - 1));
    EXPECT((gnd_mesh_native(mesh) != NULL) == over_nccl());
    REFUSED(gnd_mesh_set_timeout(mesh, -1) == GND_OK, GND_ERROR_VALUE, "no call waits for -1 seconds");
    REFUSED(gnd_mesh_set_timeout(mesh, NAN) == GND_OK, GND_ERROR_VALUE, "nan");
    EXPECT(gnd_mesh_set_timeout(mesh, 0) == GND_OK && gnd_mesh_barrier(mesh) == GND_OK);
}

TEST(places_and_grids) {
    run(places);
}

static void splits(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    gnd_mesh *part = gnd_mesh_split(mesh, rank % 2, -rank); /* in the reverse order */
    const int members = (size + 1 - rank % 2) / 2;
    EXPECT(gnd_mesh_size(part) == members && gnd_mesh_rank(part) == members - 1 - rank / 2);
    EXPECT(gnd_mesh_barrier(part) == GND_OK);
    gnd_mesh_release(part);
    part = gnd_mesh_split(mesh, rank == 0 ? 0 : -1, 0);
    EXPECT((rank == 0) == (part != NULL) && !gnd_error());
    gnd_mesh_release(part);
}

TEST(splits_by_color_and_key) {
    run(splits);
}

static void agreement(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int last = gnd_mesh_size(mesh) - 1;
    EXPECT(gnd_mesh_agree(mesh) == GND_OK && !gnd_error());
    if (gnd_mesh_rank(mesh) == last) gnd_raise(GND_ERROR_IO, "gnd_load", "no such file");
    EXPECT(gnd_mesh_agree(mesh) == GND_ERROR_IO);
    char expected[64];
    snprintf(expected, sizeof expected, "gnd_load: rank %d: no such file", last);
    EXPECT(strcmp(gnd_error()->message, expected) == 0 && strcmp(gnd_error()->function, "gnd_load") == 0);
    EXPECT(gnd_mesh_agree(mesh) == GND_ERROR_IO && strcmp(gnd_error()->message, expected) == 0);
    gnd_error_clear();
    EXPECT(gnd_mesh_agree(mesh) == GND_OK);
}

TEST(agreement_about_errors) {
    run(agreement);
}

/* Numbers of a device, of the host, and of a rank that failed: each rank in turn. Work in between changes nothing. */
static void numbered_ranks(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    for (int turn = 0; turn < 3 * size; turn++) {
        GND_SCOPE_HERE;
        const int64_t host[3] = {10 * rank, turn, -rank};
        const int kind = (rank + turn) % 3;
        gnd_array *own = kind == 0 ? gnd_from_host(host, GND_SHAPE(3), GND_INT64) : NULL;
        if (kind == 2) gnd_raise(GND_ERROR_IO, "gnd_load", "no such file");
        gndi_numbers g = gndi_mesh_numbers_begin(mesh, "test", own, kind == 1 ? host : NULL, 3);
        gnd_array *work = gnd_add(gnd_ones(GND_SHAPE(1000), GND_FLOAT32), 1);
        const int64_t *all = gndi_mesh_numbers_end(mesh, &g);
        for (int r = 0; all && r < size; r++) {
            const bool failed = (r + turn) % 3 == 2;
            EXPECT(all[3 * r] == (failed ? -(int64_t)GND_ERROR_IO : 10 * r));
            EXPECT(failed || (all[3 * r + 1] == turn && all[3 * r + 2] == -r));
        }
        EXPECT(all && !g.late && gnd_at_double(work, 999) == 2 && (gnd_error() != NULL) == (kind == 2));
        gnd_error_clear();
    }
}

TEST(numbers_in_two_steps) {
    run(numbered_ranks);
}

/* Every rank sends row r of a transposed matrix to rank r, and receives into columns. */
static void exchanges(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    GND_SCOPE {
        gnd_array *from =
            gnd_transpose(gnd_add(gnd_reshape(gnd_arange(0, 5 * size, 1, GND_INT32), GND_SHAPE(5, size)), 1000 * rank));
        gnd_array *to = gnd_zeros(GND_SHAPE(5, size), GND_INT32);
        gndi_piece send[4], receive[4];
        for (int r = 0; r < size; r++) {
            send[r] = gndi_piece_of(r, gnd_slice(from, "%d", r));
            receive[r] = gndi_piece_of(r, gnd_slice(to, ":, %d", r));
        }
        EXPECT(gndi_mesh_exchange(mesh, "test", size, send, size, receive) == GND_OK);
        int32_t got[20];
        EXPECT(gnd_to_host(to, got, sizeof *got * 5 * (size_t)size) == GND_OK);
        for (int i = 0; i < 5; i++)
            for (int r = 0; r < size; r++) EXPECT(got[i * size + r] == 1000 * r + i * size + rank);
        gnd_array *all = gndi_mesh_all_gather(mesh, "test", gnd_slice(to, "1:3, 0"), GND_SHAPE(2), GND_INT32);
        EXPECT(all && gnd_dim(all, 0) == size && gnd_at_int(all, size - 1, 1) == 2 * size + size - 1);
    }
}

TEST(exchanges_of_any_strides) {
    run(exchanges);
}

/* One rank has no array to send and to receive into: the others still get theirs from each other. */
static void failing(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    GND_SCOPE {
        const gnd_array *part = rank == 0 ? NULL : gnd_full(GND_SHAPE(3), rank, GND_FLOAT64);
        gnd_array *all = gndi_mesh_all_gather(mesh, "test", part, GND_SHAPE(3), GND_FLOAT64);
        EXPECT((all != NULL) == (rank != 0));
        gnd_error_clear();
        for (int r = 1; all && r < size; r++) EXPECT(gnd_at_double(all, r, 2) == r);
    }
}

TEST(a_rank_without_memory_takes_part) {
    run(failing);
}

static void mismatched(gnd_mesh *mesh, void *unused) {
    (void)unused;
    if (gnd_mesh_rank(mesh) == 1)
        gnd_mesh_release(gnd_mesh_split(mesh, 0, 0));
    else
        gnd_mesh_barrier(mesh);
    EXPECT(gnd_error() && strstr(gnd_error()->message, "gnd_mesh_barrier") &&
           strstr(gnd_error()->message, "rank 1 at call 1, gnd_mesh_split"));
    gnd_error_clear();
    EXPECT(gnd_mesh_barrier(mesh) == GND_OK); /* nothing has moved: the mesh goes on */
}

TEST(calls_that_do_not_match_are_named) {
    setenv("GND_MESH_CHECK", "1", 1);
    for (int size = 2; size <= 4; size++) CHECK(run_on(size, mismatched, NULL));
    unsetenv("GND_MESH_CHECK");
}

/* ---- ranks that never come ----------------------------------------------------------------------------------- */

/* Over NCCL the call that waits on the host may be a later one than that whose work is waited for. */
static bool left_alone(const gnd_mesh *mesh, const char *function, int call) {
    char number[64];
    snprintf(number, sizeof number, "other ranks in call %d on this mesh", call);
    const bool later = !mesh->link->transport.synchronous;
    const gnd_error_record *error = gnd_error();
    return error && error->code == GND_ERROR_DEVICE && (later || strcmp(error->function, function) == 0) &&
           ((strstr(error->message, "has waited ") && strstr(error->message, later ? function : number)) ||
            strstr(error->message, "another rank gave up")); /* of threads one alone waits to the end */
}

/* What rank 1 does instead: over NCCL it may not end the communicator in peace. */
static void stay_away(gnd_mesh *mesh) {
    const gnd_transport *t = &mesh->link->transport;
    if (t->synchronous) return;
    sleep(getenv("GND_TEST_NCCL") ? 2 : 4); /* longer than the others wait */
    t->abort(t->context);
    gnd_error_clear();
}

/* Rank 1 goes home: the others are told in which call they waited for it, and the mesh is dead. */
static void absent_of_barrier(gnd_mesh *mesh, void *unused) {
    (void)unused;
    EXPECT(gnd_mesh_barrier(mesh) == GND_OK && gnd_mesh_set_timeout(mesh, 0.2) == GND_OK);
    if (gnd_mesh_rank(mesh) == 1) {
        stay_away(mesh);
        return;
    }
    EXPECT(gnd_mesh_barrier(mesh) == GND_ERROR_DEVICE && left_alone(mesh, "gnd_mesh_barrier", 2));
    gnd_error_clear();
    EXPECT(gnd_mesh_barrier(mesh) == GND_ERROR_DEVICE && strstr(gnd_error()->message, "make a new one"));
    gnd_error_clear();
}

static void absent_of_exchange(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8, 8), 3, GND_FLOAT64, GND_SPLIT(0));
        EXPECT(gnd_dist_redistribute(x, GND_SPLIT(1)) && gnd_mesh_barrier(mesh) == GND_OK); /* connected */
        gnd_mesh_set_timeout(mesh, 0.2);
        if (gnd_mesh_rank(mesh) != 1) {
            EXPECT(gnd_dist_redistribute(x, GND_SPLIT(1)) != NULL);
            if (!gnd_error()) gnd_mesh_barrier(mesh); /* what is queued is waited for */
            EXPECT(left_alone(mesh, "gnd_dist_redistribute", 3));
            gnd_error_clear();
            EXPECT(gnd_at_double(gnd_dist_local(x), 0, 0) == 3); /* what is here stays */
            EXPECT(!gnd_dist_gather(x, 0) && strstr(gnd_error()->message, "gnd_dist_gather: the mesh has failed"));
            gnd_error_clear();
        } else {
            stay_away(mesh);
        }
    }
}

static void absent_of_split(gnd_mesh *mesh, void *unused) {
    (void)unused;
    gnd_mesh_set_timeout(mesh, 1);
    gnd_mesh *part = gnd_mesh_split(mesh, 0, 0); /* which has the limit, too */
    if (gnd_mesh_rank(mesh) != 1) {
        EXPECT(!gnd_mesh_split(part, 0, 0) && left_alone(part, "gnd_mesh_split", 1));
        gnd_error_clear();
    } else {
        stay_away(part);
    }
    gnd_mesh_release(part);
}

TEST(a_rank_that_never_comes_is_an_error_of_the_others) {
    void (*const f[])(gnd_mesh * mesh, void *context) = {absent_of_barrier, absent_of_exchange, absent_of_split};
    for (int i = 0; i < 3; i++)
        for (int size = 2; size <= 4; size++) CHECK(run_on(size, f[i], NULL));
}

static void by_environment(gnd_mesh *mesh, void *unused) {
    (void)unused;
    if (gnd_mesh_rank(mesh) == 0) {
        stay_away(mesh);
        return;
    }
    EXPECT(gnd_mesh_barrier(mesh) == GND_ERROR_DEVICE && left_alone(mesh, "gnd_mesh_barrier", 1));
    gnd_error_clear();
}

TEST(a_rank_that_never_comes_by_the_environment) {
    setenv("GND_MESH_TIMEOUT", "0.15", 1);
    CHECK(run_on(2, by_environment, NULL));
    unsetenv("GND_MESH_TIMEOUT");
}

/* Queued work that ends when the test says so. */
typedef struct queued_work {
    atomic_int marked, finished, given_up;
    int number[GNDI_WATCH_SLOTS];
} queued_work;

static bool mark(void *context, int slot) {
    queued_work *q = context;
    q->number[slot] = atomic_fetch_add(&q->marked, 1);
    return true;
}
static bool reached(void *context, int slot) {
    queued_work *q = context;
    return q->number[slot] < q->finished;
}
static void give_up(void *context) {
    atomic_fetch_add(&((queued_work *)context)->given_up, 1);
}

TEST(queued_work_without_progress_is_given_up) {
    queued_work q = {0};
    const gndi_watched what = {.context = &q, .rank = 3, .record = mark, .done = reached, .give_up = give_up};
    gndi_watch *watch = gndi_watch_new(&what, "test");
    CHECK(watch != NULL);
    gndi_watch_limit(watch, 1);
    for (int i = 0; i < 40; i++) { /* more than the ring holds; each makes progress */
        gndi_watch_begin(watch), gndi_watch_end(watch);
        if (i % 10 == 9) pause_for(0.3), q.finished = i - 1;
    }
    q.finished = 40;
    pause_for(0.9), pause_for(0.3); /* nothing is under way */
    CHECK(gndi_watch_state(watch, NULL, NULL) == GND_OK && q.marked == 40 && !q.given_up);
    gnd_part_of("gnd_dist_redistribute");
    gndi_watch_begin(watch), gndi_watch_end(watch);
    gnd_part_of(NULL);
    for (int i = 0; i < 100 && !q.given_up; i++) pause_for(0.05);
    CHECK_ERROR(gndi_watch_state(watch, NULL, NULL), GND_ERROR_DEVICE,
                "other ranks in gnd_dist_redistribute, exchange 41 of this");
    CHECK(q.given_up == 1);
    gndi_watch_release(watch);
}

TEST(a_call_that_blocks_while_it_queues_is_given_up) {
    queued_work q = {0};
    const gndi_watched what = {.context = &q, .rank = 0, .record = mark, .done = reached, .give_up = give_up};
    gndi_watch *watch = gndi_watch_new(&what, "test");
    gndi_watch_limit(watch, 0.1);
    gndi_watch_begin(watch);
    for (int i = 0; i < 100 && !q.given_up; i++) pause_for(0.05);
    gndi_watch_end(watch);
    CHECK_ERROR(gndi_watch_state(watch, NULL, NULL), GND_ERROR_DEVICE, "rank 0 has waited");
    CHECK(q.given_up == 1);
    gndi_watch_release(watch);
    gndi_watch_release(NULL);
}

#ifndef GND_TEST_MPI
TEST(alone_by_the_environment) {
    gnd_mesh *mesh = gnd_mesh_init();
    CHECK(gnd_mesh_size(mesh) == 1 && gnd_mesh_rank(mesh) == 0 && gnd_mesh_barrier(mesh) == GND_OK);
    CHECK(gnd_mesh_agree(mesh) == GND_OK);
    gnd_mesh *part = gnd_mesh_split(mesh, 3, 0);
    CHECK(gnd_mesh_size(part) == 1);
    gnd_mesh_release(part);
    gnd_mesh_release(mesh);
}

TEST(wrong_environments_are_refused) {
    setenv("RANK", "4", 1), setenv("WORLD_SIZE", "4", 1);
    CHECK_ERROR(gnd_mesh_init(), GND_ERROR_INVALID, "RANK=4 and WORLD_SIZE=4");
    setenv("RANK", "1x", 1);
    CHECK_ERROR(gnd_mesh_init(), GND_ERROR_INVALID, "RANK=1x");
    if (gnd_current_device().kind == GND_CPU && !over_nccl()) {
        setenv("RANK", "1", 1);
        CHECK_ERROR(gnd_mesh_init(), GND_ERROR_UNAVAILABLE, "4 ranks on the CPU need MPI");
    }
    unsetenv("RANK"), unsetenv("WORLD_SIZE");
    static const char *const no_seconds[] = {"soon", "-1", "nan", "5s"};
    for (int i = 0; i < 4; i++) {
        setenv("GND_MESH_TIMEOUT", no_seconds[i], 1);
        CHECK_ERROR(gnd_mesh_init(), GND_ERROR_INVALID, "is no number of seconds");
    }
    unsetenv("GND_MESH_TIMEOUT");
}
#endif

static void give_back_nothing(void *context, void *memory) {
    (void)context, (void)memory;
}
TEST(null_arguments) {
    CHECK(gnd_mesh_size(NULL) == 0 && gnd_mesh_rank(NULL) == -1 && gnd_mesh_native(NULL) == NULL);
    CHECK_ERROR(gnd_mesh_barrier(NULL), GND_ERROR_INVALID, "gnd_mesh_barrier");
    CHECK_ERROR(gnd_mesh_agree(NULL), GND_ERROR_INVALID, "gnd_mesh_agree");
    CHECK_ERROR(gnd_mesh_split(NULL, 0, 0), GND_ERROR_INVALID, "gnd_mesh_split");
    CHECK_ERROR(gnd_mesh_grid(NULL, GND_SHAPE(1)), GND_ERROR_INVALID, "gnd_mesh_grid");
    CHECK_ERROR(gnd_mesh_new(NULL), GND_ERROR_INVALID, "transport");
    gnd_transport alone;
    gndi_transport_alone(&alone);
    alone.deallocate = give_back_nothing;
    CHECK_ERROR(gnd_mesh_new(&alone), GND_ERROR_INVALID, "one of allocate and deallocate alone");
    CHECK_ERROR(gnd_mesh_nccl_id(NULL), GND_ERROR_INVALID, "id is NULL");
    CHECK_ERROR(gnd_mesh_new_nccl(NULL, 1, 0), GND_ERROR_INVALID, "id is NULL");
    CHECK_ERROR(gnd_mesh_adopt_nccl(NULL), GND_ERROR_INVALID, "communicator is NULL");
    CHECK_ERROR(gnd_mesh_set_timeout(NULL, 1), GND_ERROR_INVALID, "gnd_mesh_set_timeout");
    gnd_mesh_release(NULL);
}

RANKS_MAIN
