/*
 * test_fork.c: a process that forks while its other threads allocate, fuse, draw, transform, compile and load:
 * the children work, and end. GND_LEAKS is on, so that its table is in use, too.
 */
#define _GNU_SOURCE
#include "tap.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The library looks for GND_LEAKS when it is loaded. */
__attribute__((constructor)) static void choose_environment(int argc, char **argv) {
    (void)argc;
    setenv("GND_DEVICE", "cpu", 1);
    setenv("GND_NUM_THREADS", "4", 1);
    if (!getenv("GND_LEAKS") && setenv("GND_LEAKS", "1", 1) == 0) execv("/proc/self/exe", argv);
}

#if defined(__SANITIZE_THREAD__)
/* Else the sanitizer ends a child that makes a thread. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
    return "die_after_fork=0";
}
enum { FORKS = 40, CHILD_HAS_THREADS = 0 }; /* which it takes for those of the parent that they follow */
#else
enum { FORKS = 200, CHILD_HAS_THREADS = 1 };
#endif

static atomic_bool stop;
static gnd_random *shared; /* all draw from it */
static gnd_kernel *twice;  /* NULL: there is no compiler */
static gnd_module *module;
static bool has_fftw;

static void quiet(const gnd_error_record *record, void *context) {
    (void)record, (void)context;
}

/* ---- what keeps locks busy ------------------------------------------------------------------ */

static bool add_up(int64_t n) {
    gnd_array *x = gnd_arange(0, n, 1, GND_FLOAT64), *y = gnd_add(x, 1);
    gnd_array *total = gnd_sum(y, GND_ALL);
    double sum = 0;
    const bool right = gnd_to_host(total, &sum, sizeof sum) == GND_OK && sum == (double)n * (double)(n + 1) / 2;
    gnd_release(x), gnd_release(y), gnd_release(total);
    return right;
}

static bool fuse(int64_t n) {
    double last = 0;
    gnd_array *x = gnd_ones(GND_SHAPE(n), GND_FLOAT64), *z = NULL;
    GND_FUSE {
        gnd_array *y = gnd_multiply(gnd_add(x, 1), 3);
        z = gnd_keep(gnd_sum(gnd_subtract(y, x), GND_ALL));
    }
    const bool right = gnd_to_host(z, &last, sizeof last) == GND_OK && last == 5.0 * (double)n;
    gnd_release(x), gnd_release(z);
    return right;
}

static bool draw(void) {
    gnd_array *x = gnd_random_random(shared, GND_SHAPE(30000), GND_FLOAT64);
    const bool drawn = x != NULL;
    gnd_release(x);
    return drawn;
}

static bool transform(void) {
    if (!has_fftw) return true;
    gnd_array *x = gnd_ones(GND_SHAPE(64), GND_FLOAT64), *y = gnd_rfft(x, -1, -1, GND_FFT_BACKWARD);
    const bool right = y && gnd_size(y) == 33;
    gnd_release(x), gnd_release(y);
    return right;
}

static bool call_kernel(void) {
    if (!twice) return true;
    double two = 0;
    gnd_array *x = gnd_ones(GND_SHAPE(5), GND_FLOAT64), *y = gnd_kernel_call(twice, GND_ARGS(x));
    gnd_array *first = gnd_slice(y, "0");
    const bool right = gnd_to_host(first, &two, sizeof two) == GND_OK && two == 2;
    gnd_release(x), gnd_release(y), gnd_release(first);
    return right;
}

/* Loads what the first call of all compiled. */
static bool load_module(void) {
    if (!module) return true;
    gnd_module *m = gnd_module_new("extern \"C\" __global__ void nothing(int *x) { *x = 1; }", NULL);
    const bool loaded = m != NULL;
    gnd_module_release(m);
    return loaded;
}

static bool raise_and_clear(void) {
    gnd_array *x = gnd_ones(GND_SHAPE(2), GND_FLOAT64), *y = gnd_ones(GND_SHAPE(3), GND_FLOAT64);
    const bool refused = gnd_add(x, y) == NULL && gnd_error();
    gnd_error_clear();
    gnd_on_error(quiet, NULL);
    gnd_release(x), gnd_release(y);
    return refused;
}

static bool use_streams(void) {
    gnd_stream *s = gnd_stream_new();
    const bool made = s != NULL;
    gnd_stream_release(s);
    void *pinned = gnd_pinned_alloc(100);
    gnd_pinned_free(pinned);
    return made && pinned && gnd_live_arrays() >= 0;
}

static void *keep_busy(void *which) {
    while (!atomic_load(&stop)) {
        bool right = true;
        switch ((int)(intptr_t)which) {
        case 0: right = add_up(100) && add_up(3); break;
        case 1: right = fuse(1000); break;
        case 2: right = draw() && raise_and_clear(); break;
        case 3: right = load_module() && call_kernel() && use_streams(); break;
        case 4: right = add_up(300000) && transform(); break;
        }
        if (!right) return (void *)"it failed beside forks";
    }
    return NULL;
}

/* A thread that ends while others fork. */
static void *do_a_little(void *unused) {
    (void)unused;
    return add_up(50) && fuse(50) ? NULL : (void *)"it failed beside forks";
}

/* ---- forks ---------------------------------------------------------------------------------- */

static int child_work(void) {
    alarm(30);
    if (!add_up(10) || (CHILD_HAS_THREADS && !add_up(300000))) return 1;
    if (!fuse(CHILD_HAS_THREADS ? 100000 : 100)) return 2;
    if (!draw() || !raise_and_clear()) return 3;
    if (!call_kernel() || !load_module()) return 4;
    if (!transform()) return 5;
    if (!use_streams()) return 6;
    if (gnd_library_load("libpng")) gnd_error_clear(); /* loaded here for the first time, or not there */
    pthread_t thread;
    void *problem = NULL;
    if (!CHILD_HAS_THREADS) return 0;
    if (pthread_create(&thread, NULL, do_a_little, NULL) || pthread_join(thread, &problem)) return 7;
    return problem ? 8 : 0;
}

static void prepare(void) {
    shared = gnd_random_new(GND_XORWOW, 1);
    has_fftw = gnd_library_load("FFTW") == GND_OK;
    gnd_error_clear();
    twice = gnd_kernel_elementwise("T x", "T y", "y = x + x", "twice", NULL);
    if (!twice || !call_kernel()) gnd_kernel_release(twice), twice = NULL;
    module = twice ? gnd_module_new("extern \"C\" __global__ void nothing(int *x) { *x = 1; }", NULL) : NULL;
    gnd_error_clear();
}

TEST(forks_beside_busy_threads) {
    enum { BUSY = 5 };
#if defined(__SANITIZE_ADDRESS__)
    SKIP("GCC 12's address sanitizer leaves its allocator locked in a child, if another thread was "
         "allocating");
#endif
    pthread_t thread[BUSY];
    prepare();
    for (int i = 0; i < BUSY; i++) CHECK(pthread_create(&thread[i], NULL, keep_busy, (void *)(intptr_t)(i % 5)) == 0);
    int failed = 0, made = 0;
    double longest = 0;
    for (int i = 0; i < FORKS && !failed; i++) {
        struct timespec from, to;
        pthread_t passing;
        const bool passes = pthread_create(&passing, NULL, do_a_little, NULL) == 0;
        clock_gettime(CLOCK_MONOTONIC, &from);
        const pid_t child = fork();
        if (child == 0) _exit(child_work());
        clock_gettime(CLOCK_MONOTONIC, &to);
        const double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
        longest = seconds > longest ? seconds : longest;
        int status = -1;
        made += child > 0;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            printf("# child %d: %s %d\n", i, WIFSIGNALED(status) ? "signal" : "exit status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
            failed++;
        }
        void *problem = NULL;
        if (passes) pthread_join(passing, &problem);
        failed += problem != NULL;
    }
    printf("# %d children; the longest fork took %.1f ms\n", made, 1e3 * longest);
    atomic_store(&stop, true);
    for (int i = 0; i < BUSY; i++) {
        void *problem = NULL;
        pthread_join(thread[i], &problem);
        CHECK(!problem);
    }
    CHECK(failed == 0 && made == FORKS);
    CHECK(longest < 4); /* no fork had to go on without a lock */
    gnd_on_error(NULL, NULL);
    gnd_kernel_release(twice), gnd_module_release(module), gnd_random_release(shared);
}

/* A child's own children, and arrays of threads that are not there. */
static void *make_arrays(void *kept) {
    for (int i = 0; i < 8; i++) ((gnd_array **)kept)[i] = gnd_ones(GND_SHAPE(4), GND_FLOAT64);
    while (!atomic_load(&stop)) usleep(1000);
    return NULL;
}

TEST(a_child_counts_what_other_threads_made) {
    gnd_array *kept[8] = {NULL};
    pthread_t thread;
    if (!CHILD_HAS_THREADS) SKIP("the thread sanitizer allows no threads in a forked child");
    atomic_store(&stop, false);
    const int64_t before = gnd_live_arrays();
    CHECK(pthread_create(&thread, NULL, make_arrays, kept) == 0);
    while (gnd_live_arrays() < before + 8) usleep(1000);
    usleep(10000);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);
        /* Threads of the child's may get the memory of those that are not there. */
        bool right = gnd_live_arrays() == before + 8;
        for (int i = 0; i < 20; i++) {
            pthread_t own;
            right = right && pthread_create(&own, NULL, do_a_little, NULL) == 0 && pthread_join(own, NULL) == 0;
        }
        right = right && gnd_live_arrays() == before + 8;
        const pid_t grandchild = fork();
        if (grandchild == 0) _exit(add_up(300000) && gnd_live_arrays() == before + 8 ? 0 : 1);
        int status = -1;
        _exit(right && waitpid(grandchild, &status, 0) == grandchild && status == 0 ? 0 : 1);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    for (int i = 0; i < 8; i++) gnd_release(kept[i]);
}

/* CUDA works in no child of a process that used it: the child is told, and goes on with the CPU. */
static bool is_refused(const char *function) {
    gnd_error_record e;
    return gnd_error_take(&e) && e.code == GND_ERROR_DEVICE && strcmp(e.function, function) == 0 &&
           strstr(e.message, "was forked");
}

static int use_lost_gpu(gnd_array *x) {
    double values[4];
    alarm(30);
    if (gnd_add(x, 1) || !is_refused("gnd_add")) return 1;
    if (gnd_sum(x, GND_ALL) || !is_refused("gnd_sum")) return 2;
    if (gnd_to_host(x, values, sizeof values) == GND_OK || !is_refused("gnd_to_host")) return 3;
    if (gnd_sync() == GND_OK || !is_refused("gnd_sync")) return 4;
    if (gnd_zeros(GND_SHAPE(1000000), GND_FLOAT64) || !is_refused("gnd_zeros")) return 5;
    if (gnd_use(gnd_gpu(0)) == GND_OK || !is_refused("gnd_use")) return 6;
    gnd_release(x);
    if (gnd_use(gnd_cpu()) != GND_OK || !add_up(300000) || !fuse(1000)) return 7;
    return gnd_error() ? 8 : 0;
}

TEST(a_child_cannot_use_its_parents_gpu) {
    if (gnd_device_count(GND_GPU) == 0) SKIP("there is no GPU");
    CHECK(gnd_use(gnd_gpu(0)) == GND_OK);
    gnd_array *x = gnd_ones(GND_SHAPE(4), GND_FLOAT64);
    CHECK(gnd_sync() == GND_OK);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(use_lost_gpu(x));
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (status) printf("# the child's status: %d\n", status);
    CHECK(status == 0);
    double one = 0;
    CHECK(gnd_to_host(gnd_mean(x, GND_ALL), &one, sizeof one) == GND_OK && one == 1);
    gnd_use(gnd_cpu());
}

TEST_MAIN
