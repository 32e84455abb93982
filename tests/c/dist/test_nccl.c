/*
 * test_nccl.c: meshes over a library with NCCL's functions (fake_nccl.c), ranks being threads: what happens while
 * communicators are made, split and closed, if all goes well, slowly, not at all, or if a rank never comes.
 */
#include "fake_nccl.h"
#include "layouts.h"
#include "dist/exchange.h"
#include "dist/fft/fft.h"
#include <dlfcn.h>
#include <math.h>
#include <sys/wait.h>

static fake_nccl_state *fake(void) {
    fake_nccl_state *(*state)(void);
    void *library = dlopen(getenv("GND_NCCL"), RTLD_NOW);
    *(void **)&state = library ? dlsym(library, "fake_nccl") : NULL;
    if (!state) puts("Bail out! GND_NCCL is not the tests' NCCL"), exit(1);
    return state();
}

/* Nothing is left, and nothing was called that NCCL does not allow. */
static bool nothing_left(int aborted) {
    const fake_nccl_state *state = fake();
    const bool good = state->alive == 0 && state->aborted == aborted && state->misused == 0 && state->memory == 0 &&
                      state->registered == 0;
    if (!good)
        printf("# alive %d, aborted %d, misused %d, memory %d, registered %d\n", state->alive, state->aborted,
               state->misused, state->memory, state->registered);
    memset((void *)fake(), 0, sizeof *state);
    return good;
}

/* Ranks `first` to size - 1 come; each calls f with its mesh, or NULL. */
static void some_ranks(int size, int first, void (*f)(gnd_mesh *mesh, void *context), void *context) {
    char id[128];
    rank_run run[MOST_RANKS];
    meeting *m = meeting_new(size);
    m->users = size - first;
    CHECK(gnd_mesh_nccl_id(id) == GND_OK);
    for (int r = first; r < size; r++) {
        run[r] = (rank_run){.m = m, .id = id, .rank = r, .f = f, .context = context};
        if (pthread_create(&run[r].thread, NULL, run_rank, &run[r]) != 0) abort();
    }
    for (int r = first; r < size; r++) pthread_join(run[r].thread, NULL);
    CHECK(wrong == 0);
    wrong = 0;
}

/* ---- the library, before it is loaded ------------------------------------------------------------------------ */

/* What a process says whose GND_NCCL is this. */
static bool says(const char *path, const char *text) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        char id[128];
        setenv("GND_NCCL", path, 1);
        const bool refused = gnd_mesh_nccl_id(id) == GND_ERROR_UNAVAILABLE && strstr(gnd_error()->message, text);
        if (!refused) printf("# %s\n", gnd_error() ? gnd_error()->message : "no error"), fflush(stdout);
        _exit(refused ? 0 : 1);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST(a_missing_or_old_library_is_named) {
    CHECK(says("/nowhere/libnccl.so.2", "GND_NCCL=/nowhere/libnccl.so.2 cannot be loaded: /nowhere/libnccl.so.2: "));
    CHECK(says(getenv("GND_TEST_OLD_NCCL"), "version 2.10.3, has no function ncclCommInitRankConfig; 2.18 has it"));
}

/* ---- making a mesh ------------------------------------------------------------------------------------------- */

static void sums(gnd_mesh *mesh, void *unused) {
    (void)unused;
    EXPECT(mesh != NULL && gnd_mesh_native(mesh) != NULL);
    GND_SCOPE {
        gnd_dist *x = gnd_dist_arange(mesh, 0, 100, 1, GND_INT64, GND_SPLIT(0));
        EXPECT(gnd_dist_item_int(gnd_dist_sum(x, GND_ALL, GND_COPIES)) == 4950);
    }
    EXPECT(gnd_mesh_agree(mesh) == GND_OK);
}

TEST(ranks_that_come_at_once_or_late) {
    some_ranks(3, 0, sums, NULL);
    CHECK(nothing_left(0));
    fake()->slow = 0.3;
    some_ranks(2, 0, sums, NULL);
    CHECK(nothing_left(0));
}

static void refused(gnd_mesh *mesh, void *text) {
    REFUSED(mesh, GND_ERROR_DEVICE, text);
}

TEST(a_rank_that_never_comes) {
    setenv("GND_MESH_TIMEOUT", "0.2", 1);
    some_ranks(3, 1, refused, "has waited 0.2 s for all 3 ranks to come: one of them was not started");
    CHECK(nothing_left(2));
    unsetenv("GND_MESH_TIMEOUT");
}

TEST(a_communicator_that_cannot_be_made) {
    fake()->refuses = 5;
    some_ranks(1, 0, refused, "rank 0 of 1 cannot meet the others: NCCL says invalid usage; Duplicate GPU detected");
    CHECK(nothing_left(0));
    fake()->fails = 2;
    some_ranks(2, 0, refused, "NCCL says unhandled system error; Call to bind failed : Address already in use");
    CHECK(nothing_left(2));
}

static void breaks(gnd_mesh *mesh, void *unused) {
    (void)unused;
    EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
    fake()->breaks = 2;
    REFUSED(gnd_mesh_barrier(mesh) == GND_OK, GND_ERROR_DEVICE, "communication failed: unhandled system error");
    REFUSED(gnd_mesh_barrier(mesh) == GND_OK, GND_ERROR_DEVICE, "the mesh has failed: make a new one");
}

TEST(a_communicator_that_breaks) {
    some_ranks(1, 0, breaks, NULL);
    CHECK(nothing_left(2)); /* it cannot end in peace */
}

/* As an operator: it breaks the mesh in the second call. */
static gnd_dist *breaks_it(void *calls, const gnd_dist *x) {
    if (++*(int *)calls == 2) fake()->breaks = 2;
    return gnd_dist_multiply(x, 2);
}

static void breaks_in_cg(gnd_mesh *mesh, void *conditions) {
    int calls = 0, others = -9; /* of both operators */
    GND_SCOPE {
        const gnd_dist *b = gnd_dist_arange(mesh, 1, 9, 1, GND_FLOAT64, GND_SPLIT(0));
        gnd_dist_cg_options options = {.start = b, .check = 4};
        if (*(const bool *)conditions) options.precondition = breaks_it, options.precondition_context = &others;
        for (int i = 0; i < 2; i++) /* once while it breaks, and once after it */
            REFUSED(gnd_dist_cg(breaks_it, &calls, b, &options, NULL), GND_ERROR_DEVICE,
                    i ? "the mesh has failed" : "communication failed");
    }
}

TEST(a_communicator_that_breaks_in_a_solver) {
    for (int conditions = 0; conditions < 2; conditions++) {
        some_ranks(1, 0, breaks_in_cg, &(bool){conditions});
        CHECK(nothing_left(2));
    }
}

/* ---- splitting and closing ----------------------------------------------------------------------------------- */

static void splits(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int rank = gnd_mesh_rank(mesh);
    gnd_mesh *part = gnd_mesh_split(mesh, rank == 1 ? -1 : 0, -rank);
    EXPECT(!gnd_error() && gnd_mesh_size(part) == (rank == 1 ? 0 : 3));
    EXPECT(rank == 1 || gnd_mesh_rank(part) == (rank == 0 ? 2 : rank == 2 ? 1 : 0));
    EXPECT(rank == 1 || gnd_mesh_barrier(part) == GND_OK);
    EXPECT(rank == 1 || fake()->alive == 14); /* two of each rank and mesh */
    EXPECT(rank == 1 || gnd_mesh_barrier(part) == GND_OK);
    gnd_mesh_release(part);
}

static void split_alone(gnd_mesh *mesh, void *unused) {
    (void)unused;
    gnd_mesh_set_timeout(mesh, 0.2);
    if (gnd_mesh_rank(mesh) != 1)
        REFUSED(gnd_mesh_split(mesh, 0, 0), GND_ERROR_DEVICE, "for other ranks in gnd_mesh_split");
}

TEST(split_communicators) {
    some_ranks(4, 0, splits, NULL);
    CHECK(nothing_left(0));
    some_ranks(3, 0, split_alone, NULL);
    CHECK(nothing_left(6)); /* nor can rank 1's end in peace */
}

/* Rank 1 has no memory for what it sends and receives, which is more than the transport's scratch. */
static void lends(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int64_t bytes = 80 << 20;
    const int rank = gnd_mesh_rank(mesh), other = 1 - rank;
    GND_SCOPE {
        gnd_array *from = rank ? NULL : gnd_zeros(GND_SHAPE(bytes), GND_UINT8);
        gnd_array *into = rank ? NULL : gnd_empty(GND_SHAPE(bytes), GND_UINT8);
        const gndi_piece send = gndi_piece_at(other, from, bytes), receive = gndi_piece_at(other, into, bytes);
        for (int i = 0; i < 2; i++) {
            EXPECT(gndi_mesh_exchange(mesh, "lends", 1, &send, 1, &receive) == (rank ? GND_ERROR_MEMORY : GND_OK));
            gnd_error_clear();
        }
    }
    EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
}
TEST(large_parts_without_memory) {
    some_ranks(2, 0, lends, NULL);
    CHECK(nothing_left(0));
}

/* ---- what NCCL combines ---------------------------------------------------------------------------------------- */

/* How many parts of an all-reduce all ranks have made of one reduction. */
static int parts_of(gnd_mesh *mesh, const char *name, gnd_dtype dtype) {
    EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
    const int before = fake()->reduced;
    EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
    GND_SCOPE {
        const gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(gnd_mesh_size(mesh), 3), 1, dtype, GND_SPLIT(0));
        EXPECT(gnd_dist_reduce(name, x, GND_AXES(0), GND_COPIES, NULL) != NULL);
    }
    EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
    const int made = fake()->reduced - before;
    EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
    return made;
}

/* What cannot depend on the order; of numbers that round, two. */
static void combines(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int size = gnd_mesh_size(mesh), two = size == 2 ? size : 0;
    EXPECT(parts_of(mesh, "sum", GND_INT32) == size && parts_of(mesh, "prod", GND_BOOL) == size);
    EXPECT(parts_of(mesh, "max", GND_UINT8) == size && parts_of(mesh, "min", GND_INT64) == size);
    EXPECT(parts_of(mesh, "any", GND_FLOAT32) == size && parts_of(mesh, "count_nonzero", GND_FLOAT16) == size);
    EXPECT(parts_of(mesh, "max", GND_INT16) == 0 && parts_of(mesh, "max", GND_FLOAT32) == 0);
    EXPECT(parts_of(mesh, "argmax", GND_INT32) == 0 && parts_of(mesh, "var", GND_FLOAT32) == 0);
    EXPECT(parts_of(mesh, "sum", GND_FLOAT32) == two && parts_of(mesh, "mean", GND_COMPLEX64) == two);
    EXPECT(parts_of(mesh, "sum", GND_FLOAT16) == two && parts_of(mesh, "prod", GND_FLOAT64) == two);
    EXPECT(parts_of(mesh, "prod", GND_COMPLEX64) == 0);
}
TEST(reductions_that_nccl_combines) {
    for (int size = 2; size <= 4; size++) {
        some_ranks(size, 0, combines, NULL);
        CHECK(nothing_left(0));
    }
}

/* Rank 1 has no memory for its partial result, nor for all of them; the second is more than the transport's scratch. */
static void combines_without(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int rank = gnd_mesh_rank(mesh);
    for (int64_t count = 10; count <= 20 << 20; count = count == 10 ? 20 << 20 : count + 1) {
        GND_SCOPE {
            gnd_array *from = rank ? NULL : gnd_ones(GND_SHAPE(count), GND_INT32);
            gnd_array *to = rank ? NULL : gnd_empty(GND_SHAPE(count), GND_INT32);
            const gndi_combined part = {from, to, count, GND_INT32, GND_COMBINE_SUM};
            EXPECT(gndi_mesh_all_reduce(mesh, "combines", 1, &part) == (rank ? GND_ERROR_MEMORY : GND_OK));
            gnd_error_clear();
        }
    }
    EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
}
TEST(an_all_reduce_without_memory) {
    some_ranks(2, 0, combines_without, NULL);
    CHECK(nothing_left(0));
}

/* What a transform packs is in NCCL's memory, which the next one, on another stream, finds there. */
static void packs(gnd_mesh *mesh, void *unused) {
    (void)unused;
    int given = 0;
    GND_SCOPE_HERE;
    gnd_array *a = gnd_exp(gnd_sin(gnd_reshape(gnd_arange(0, 480, 1, GND_FLOAT64), GND_SHAPE(20, 24))));
    const gnd_array *expected = gnd_fftn(a, GND_SHAPE(), GND_ALL, GND_FFT_BACKWARD);
    const gnd_dist *x = gnd_dist_redistribute(gnd_dist_from_local(mesh, a, GND_COPIES), GND_SPLIT(0));
    for (int i = 0; i < 3; i++) {
        gnd_stream *stream = i == 2 ? gnd_stream_new() : NULL;
        GND_STREAM(stream) {
            const gnd_dist *y = gnd_dist_fftn(x, GND_SHAPE(), GND_ALL, GND_FFT_BACKWARD, GND_SPLIT(1));
            const gnd_dist *all = gnd_dist_redistribute(y, GND_COPIES);
            EXPECT(gnd_allclose(gnd_dist_local(all), expected, 1e-12, 1e-12, false));
        }
        gnd_stream_release(stream);
        EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
        if (i == 0) given = fake()->given;
        EXPECT(given > 0 && fake()->given == given && fake()->registered == given);
        EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
    }
}
/* A longer transform takes more memory in the place of what there is, which a shorter one then uses, too. */
static void packs_more(gnd_mesh *mesh, void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        GND_SCOPE {
            const int64_t n = i == 1 ? 1100 : 20;
            const gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(n, n), 1, GND_COMPLEX128, GND_SPLIT(0));
            const gnd_dist *y = gnd_dist_fftn(x, GND_SHAPE(), GND_ALL, GND_FFT_BACKWARD, GND_SPLIT(1));
            const gnd_array *sum = gnd_sum(gnd_real(gnd_dist_local(y)), GND_ALL);
            EXPECT(fabs(gnd_item_double(sum) - (gnd_mesh_rank(mesh) == 0 ? (double)(n * n) : 0)) < 1e-6);
        }
        EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
        EXPECT(fake()->memory == 8 * gnd_mesh_size(mesh) && fake()->given == (i ? 2 : 1) * fake()->memory);
        EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
    }
}

/* A rank has its parts in the memory whatever it failed at. */
static void transforms(gnd_mesh *mesh) {
    GND_SCOPE {
        const gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8, 6), 1, GND_FLOAT64, GND_SPLIT(0));
        const gnd_dist *y = gnd_dist_fftn(x, GND_SHAPE(), GND_ALL, GND_FFT_BACKWARD, GND_SPLIT(0));
        const gnd_array *all = gnd_real(gnd_dist_gather(y, -1));
        if (gnd_mesh_agree(mesh) == GND_OK) EXPECT(all && fabs(gnd_at_double(all, 0, 0) - 48) < 1e-9);
    }
}
static void starves(gnd_mesh *mesh, void *beside) {
    if (beside) mesh->link->beside = gnd_stream_new_high_priority(); /* as on a GPU */
    starve(mesh, 1, 1500, transforms);
}

/* Where one rank could not have the memory, nobody has it. */
typedef struct refusal {
    int at;             /* the allocation that fails */
    atomic_int without; /* ranks that had no memory then, of all times */
} refusal;
static void goes_without(gnd_mesh *mesh, void *refusal_) {
    refusal *r = refusal_;
    starve_once(mesh, 1, r->at, transforms, gndi_dist_fail_alloc_at);
    gndi_dist_fail_alloc_at(0);
    transforms(mesh);
    EXPECT(!gnd_error() && gnd_mesh_barrier(mesh) == GND_OK);
    EXPECT(fake()->memory == 0 || fake()->memory == 8 * gnd_mesh_size(mesh));
    r->without += fake()->memory == 0;
    EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
}
TEST(memory_for_what_is_packed) {
    const int64_t before = gndi_fft_beside_bytes;
    gndi_fft_beside_bytes = 1;
    for (int size = 2; size <= 4; size++) {
        void (*const tests[])(gnd_mesh * mesh, void *beside) = {packs, packs_more, starves, starves};
        for (int i = 0; i < 4; i++) {
            some_ranks(size, 0, tests[i], i == 3 ? &size : NULL);
            CHECK(nothing_left(0));
        }
        refusal r = {0};
        for (r.at = 1; r.at <= 30; r.at++) {
            some_ranks(size, 0, goes_without, &r);
            CHECK(nothing_left(0));
        }
        CHECK(r.without >= 8 * size);
    }
    gndi_fft_beside_bytes = before;
}

static void closes(gnd_mesh *mesh, void *unused) {
    (void)unused;
    EXPECT(gnd_mesh_set_timeout(mesh, 0.2) == GND_OK);
    if (gnd_mesh_rank(mesh) == 0) pause_for(0.6);
}

TEST(a_rank_that_does_not_close) {
    some_ranks(2, 0, closes, NULL);
    CHECK(nothing_left(2)); /* that of the other one, which has not waited for ever */
}

/* ---- by the environment -------------------------------------------------------------------------------------- */

static void set(const char *const *variables) {
    for (; *variables; variables += 2) setenv(variables[0], variables[1], 1);
}

/* gnd_mesh_init as rank `rank` of two, the other one of which never comes. */
static void init_refused(const char *rank, gnd_status code, const char *text) {
    setenv("RANK", rank, 1), setenv("WORLD_SIZE", "2", 1), setenv("GND_MESH_TIMEOUT", "0.2", 1);
    CHECK_ERROR(gnd_mesh_init(), code, text);
    static const char *const all[] = {"RANK",          "WORLD_SIZE",       "MASTER_ADDR",        "MASTER_PORT",
                                      "GND_MESH_FILE", "GND_MESH_TIMEOUT", "SLURM_JOB_NODELIST", "SLURM_JOB_ID"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) unsetenv(all[i]);
}

TEST(where_ranks_meet_is_in_the_message) {
    init_refused("0", GND_ERROR_UNAVAILABLE, "2 ranks do not know where to meet: set MASTER_ADDR");
    set((const char *const[]){"MASTER_ADDR", "host", NULL});
    init_refused("0", GND_ERROR_UNAVAILABLE, "2 ranks do not know where to meet: set MASTER_ADDR");
    set((const char *const[]){"MASTER_ADDR", "host", "MASTER_PORT", "65535", NULL});
    init_refused("0", GND_ERROR_INVALID, "MASTER_PORT=65535 is no port from 1 to 65534");
    set((const char *const[]){"MASTER_ADDR", "host", "MASTER_PORT", "29500x", NULL});
    init_refused("0", GND_ERROR_INVALID, "MASTER_PORT=29500x is no port");
    set((const char *const[]){"MASTER_ADDR", "host", "MASTER_PORT", "29500", NULL});
    init_refused("0", GND_ERROR_DEVICE, "for all 2 ranks to come, by host:29501, where rank 0 listens: one of them");
    CHECK(strcmp(fake()->listens, "host:29501") == 0 && !getenv("NCCL_COMM_ID"));
    CHECK(nothing_left(1));
    set((const char *const[]){"MASTER_ADDR", "fe80::1", "MASTER_PORT", "29500", NULL});
    init_refused("1", GND_ERROR_DEVICE, "by [fe80::1]:29501, where");
    CHECK(nothing_left(1));
    set((const char *const[]){"SLURM_JOB_NODELIST", "node[07-09],x", "SLURM_JOB_ID", "67043327", NULL});
    init_refused("1", GND_ERROR_DEVICE, "by node07:23327, where");
    CHECK(nothing_left(1));
}

TEST(ranks_that_meet_by_a_file) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/gnd-test-nccl-%d", (int)getpid());
    setenv("GND_MESH_FILE", path, 1);
    init_refused("1", GND_ERROR_IO, "which rank 0 writes, did not appear within 0.2 s (GND_MESH_TIMEOUT)");
    setenv("GND_MESH_FILE", path, 1);
    init_refused("0", GND_ERROR_DEVICE, "which must not be one that an earlier run has left: one of them was not");
    CHECK(nothing_left(1) && access(path, F_OK) != 0); /* and the file is gone */
    setenv("GND_MESH_FILE", "/nowhere/file", 1);
    init_refused("0", GND_ERROR_IO, "/nowhere/file cannot be written: No such file or directory");
}

RANKS_MAIN
