/*
 * ranks.h: a test that runs on several ranks. Compiled as it is, ranks are threads of the program, 1 to 4 of them one
 * after the other; with GND_TEST_MPI, the program is run by mpirun and its ranks are the processes.
 *
 *     static void doubles(gnd_mesh *mesh, void *context) { EXPECT(...); }
 *     TEST(doubling) { run(doubles); }
 *     RANKS_MAIN
 */
#ifndef GND_TESTS_RANKS_H
#define GND_TESTS_RANKS_H

#define _GNU_SOURCE
#include "tap.h"
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#ifdef GND_TEST_MPI
#    include <gnd_dist_mpi.h>
#else
#    include "dist/mesh.h"
#    include "threads.h"
#endif

/* What ranks found wrong: CHECK is for what all of them are done with. */
static atomic_int wrong;
#define EXPECT(...)                                                                                                    \
    do {                                                                                                               \
        if (!(__VA_ARGS__)) {                                                                                          \
            if (atomic_fetch_add(&wrong, 1) < 20)                                                                      \
                printf("# %s:%d: not so: %s; %s\n", __FILE__, __LINE__, #__VA_ARGS__,                                  \
                       gnd_error() ? gnd_error()->message : "no error");                                               \
        }                                                                                                              \
    } while (0)

/* A call that fails with this status and such a sentence. */
#define REFUSED(call, status, text)                                                                                    \
    do {                                                                                                               \
        EXPECT(!(call) && gnd_error() && gnd_error()->code == (status) && strstr(gnd_error()->message, (text)));       \
        gnd_error_clear();                                                                                             \
    } while (0)

/* Where ranks are slow, tests look at each third of very many cases and of allocations that fail, on each number of
   ranks at others. What is right is seen without that, in all cases. The sanitizer of threads sees most races with most
   ranks, in few cases. */
#if defined __SANITIZE_THREAD__
enum { FEWEST_RANKS = 4, SANITIZED = 1, NEXT_CASE = 6, NEXT_FAULT = 15 };
#elif defined __SANITIZE_ADDRESS__
enum { FEWEST_RANKS = 1, SANITIZED = 1, NEXT_CASE = 3, NEXT_FAULT = 3 };
#else
enum { FEWEST_RANKS = 1, SANITIZED = 0, NEXT_CASE = 3, NEXT_FAULT = 3 };
#endif

/* Cases that this rank has come to. All ranks come to the same ones. */
static _Thread_local int cases;

#ifdef GND_TEST_MPI
static bool run_on(int size, void (*f)(gnd_mesh *mesh, void *context), void *context) {
    int ranks, sum;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (size != ranks) return true;
    wrong = 0;
    /* NCCL wants a GPU for each rank. */
    const bool share = gnd_current_device().kind == GND_GPU && gnd_device_count(GND_GPU) < size;
    gnd_mesh *mesh = share ? gnd_mesh_from_mpi_staged(MPI_COMM_WORLD) : gnd_mesh_from_mpi(MPI_COMM_WORLD);
    EXPECT(mesh != NULL);
    if (mesh) f(mesh, context);
    EXPECT(!gnd_error());
    gnd_error_clear();
    gnd_mesh_release(mesh);
    const int own = wrong;
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum == 0;
}

static inline int ranks_main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) dup2(STDERR_FILENO, STDOUT_FILENO); /* the first one's lines are the test's result */
    const int status = tap_main(argc, argv);
    MPI_Finalize();
    return status;
}
#else
/* Of processes that a launcher started: the mesh of all of them, of which each test gets a copy of its own. */
static gnd_mesh *world;

static bool run_on_processes(int size, void (*f)(gnd_mesh *mesh, void *context), void *context) {
    if (size != gnd_mesh_size(world)) return true;
    wrong = 0;
    double limit;
    gnd_mesh *mesh = gnd_mesh_split(world, 0, 0);
    EXPECT(mesh != NULL);
    if (mesh && gndi_mesh_first_limit(&limit, "run_on") == GND_OK) gnd_mesh_set_timeout(mesh, limit); /* not world's */
    if (mesh) f(mesh, context);
    EXPECT(!gnd_error());
    gnd_error_clear();
    gnd_mesh_release(mesh);
    if (wrong) gnd_raise(GND_ERROR_VALUE, "run_on", "something is wrong");
    const bool good = gnd_mesh_agree(world) == GND_OK;
    gnd_error_clear();
    return good;
}

typedef struct counted_run {
    void (*f)(gnd_mesh *mesh, void *context);
    void *context;
} counted_run;

static void run_counted(gnd_mesh *mesh, void *context) {
    const counted_run *r = context;
    EXPECT(mesh != NULL);
    if (mesh) cases = gnd_mesh_size(mesh), r->f(mesh, r->context);
    EXPECT(!gnd_error());
}

static bool run_on(int size, void (*f)(gnd_mesh *mesh, void *context), void *context) {
    counted_run r = {f, context};
    if (world) return run_on_processes(size, f, context);
    wrong = 0;
    on_ranks(size, run_counted, &r);
    return wrong == 0;
}

static inline int ranks_main(int argc, char **argv) {
    if (!getenv("WORLD_SIZE")) return tap_main(argc, argv);
    world = gnd_mesh_init();
    gnd_check();
    unsetenv("RANK"), unsetenv("WORLD_SIZE"); /* so that tests find an environment as it is without a launcher */
    const int status = tap_main(argc, argv);
    gnd_mesh_release(world);
    return status;
}
#endif

/* Less than a second. */
static inline void pause_for(double seconds) {
    nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * seconds)}, NULL);
}

/* Whether ranks are processes over NCCL, or threads over the tests' own. */
static inline bool over_nccl(void) {
#ifdef GND_TEST_MPI
    return false;
#else
    return world != NULL || getenv("GND_TEST_NCCL");
#endif
}

/* Whether ranks are processes over NCCL, on GPUs, where a call takes long: tests of very many cases look at few. */
static inline bool has_few_cases(void) {
#ifdef GND_TEST_MPI
    return false;
#else
    return world != NULL;
#endif
}
/* Under a sanitizer, over MPI, or over the tests' NCCL. */
static inline bool has_slow_ranks(void) {
#ifdef GND_TEST_MPI
    return true;
#else
    return SANITIZED || (!world && getenv("GND_TEST_NCCL"));
#endif
}
/* Whether a case is left out: of processes on GPUs all but each fifth, of slow ranks most. */
static inline bool is_left_out(void) {
    return has_few_cases() ? cases++ % 5 != 0 : has_slow_ranks() && cases++ % NEXT_CASE != 0;
}

/* f on 1 to 4 ranks; of processes, on as many as there are. */
static inline void run(void (*f)(gnd_mesh *mesh, void *context)) {
    for (int size = FEWEST_RANKS; size <= 4; size++) CHECK(run_on(size, f, NULL));
}

#define RANKS_MAIN                                                                                                     \
    int main(int argc, char **argv) {                                                                                  \
        return ranks_main(argc, argv);                                                                                 \
    }

#endif
