/*
 * test_threads.c: the CPU backend's threads: one and several callers, small and large calls, a
 * forked child; and that 64-bit results are those of the scalar functions wherever an element lies.
 */
#define _GNU_SOURCE
#include "tap.h"
#include <math.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((constructor)) static void choose_threads(void) {
    setenv("GND_DEVICE", "cpu", 1);
    setenv("GND_NUM_THREADS", "4", 1);
}

enum { LARGEST = 1000003 };
static const int64_t sizes[] = {1, 65535, 65536, 70001, 131072, 300001, LARGEST};

/* Elements of 3 i + 1 that are wrong, for arrays of all sizes; -1 for an error. */
static int64_t wrong_elements(void) {
    int64_t wrong = 0, *got = malloc(LARGEST * sizeof *got);
    for (size_t k = 0; got && k < sizeof sizes / sizeof *sizes; k++) {
        gnd_array *i = gnd_arange(0, sizes[k], 1, GND_INT64), *tripled = gnd_multiply(i, 3);
        gnd_array *x = gnd_add(tripled, 1);
        if (gnd_to_host(x, got, (size_t)sizes[k] * sizeof *got) != GND_OK) wrong = -1;
        for (int64_t n = 0; wrong >= 0 && n < sizes[k]; n++) wrong += got[n] != 3 * n + 1;
        gnd_release(i), gnd_release(tripled), gnd_release(x);
        if (wrong) break;
    }
    free(got);
    return got ? wrong : -1;
}

TEST(one_caller) {
    for (int i = 0; i < 10; i++) CHECK(wrong_elements() == 0);
}

static void *call_often(void *unused) {
    int64_t wrong = 0;
    (void)unused;
    for (int i = 0; i < 10 && !wrong; i++) wrong = wrong_elements();
    return (void *)(intptr_t)wrong;
}

TEST(several_callers) {
    pthread_t caller[6];
    for (int i = 0; i < 6; i++) CHECK(pthread_create(&caller[i], NULL, call_often, NULL) == 0);
    for (int i = 0; i < 6; i++) {
        void *wrong;
        pthread_join(caller[i], &wrong);
        CHECK(!wrong);
    }
}

/* The workers stay with the parent; the child gets its own. */
TEST(a_forked_child) {
#if defined(__SANITIZE_THREAD__)
    SKIP("the thread sanitizer allows no threads in a forked child");
#endif
    CHECK(wrong_elements() == 0);
    for (int i = 0; i < 3; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) _exit(wrong_elements() == 0 ? 0 : 1);
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK(wrong_elements() == 0);
}

/* ---- float64 is as accurate as the scalar functions ----------------------------------------- */

typedef gnd_array *(*operator_1)(gnd_arg);

/* The largest distance from `exact`, in units in the last place of float64. */
static double worst_ulp(operator_1 function, long double (*exact)(long double), double from, double to) {
    enum { COUNT = 20000 };
    static double x[COUNT], y[COUNT];
    uint64_t state = 88172645463325252u;
    double worst = 0;
    for (int i = 0; i < COUNT; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = from + (to - from) * (double)(state >> 11) * 0x1p-53;
    }
    gnd_array *a = gnd_from_host(x, GND_SHAPE(COUNT), GND_FLOAT64), *b = function(GND_ARG(a));
    gnd_to_host(b, y, sizeof y);
    for (int i = 0; i < COUNT; i++) {
        long double right = exact(x[i]);
        double size = fabs((double)right), ulp = nextafter(size, INFINITY) - size;
        double error = (double)(fabsl(y[i] - right) / ulp);
        if (!(error <= worst)) worst = error;
    }
    gnd_release(a), gnd_release(b);
    return worst;
}

TEST(float64_is_accurate) {
    static const struct {
        const char *name;
        operator_1 function;
        long double (*exact)(long double);
        double from, to, ulp;
    } rows[] = {
        {"exp", gnd_exp, expl, -700, 700, 1},      {"exp2", gnd_exp2, exp2l, -1000, 1000, 1},
        {"expm1", gnd_expm1, expm1l, -2, 5, 1},    {"log", gnd_log, logl, 0.01, 100, 1},
        {"log2", gnd_log2, log2l, 0.01, 100, 1},   {"log10", gnd_log10, log10l, 0.01, 100, 2},
        {"log1p", gnd_log1p, log1pl, -0.9, 10, 1}, {"sin", gnd_sin, sinl, -100, 100, 1},
        {"cos", gnd_cos, cosl, -100, 100, 1},      {"tan", gnd_tan, tanl, -100, 100, 1},
        {"arcsin", gnd_arcsin, asinl, -1, 1, 1},   {"arccos", gnd_arccos, acosl, -1, 1, 1},
        {"arctan", gnd_arctan, atanl, -10, 10, 1}, {"sinh", gnd_sinh, sinhl, -10, 10, 2},
        {"cosh", gnd_cosh, coshl, -10, 10, 2},     {"tanh", gnd_tanh, tanhl, -5, 5, 2.5},
        {"cbrt", gnd_cbrt, cbrtl, -100, 100, 3.5},
    };
    if (nextafterl(1, 2) - 1 > 0x1p-60L) SKIP("long double is no more than double here");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double worst = worst_ulp(rows[i].function, rows[i].exact, rows[i].from, rows[i].to);
        if (!(worst <= rows[i].ulp)) printf("# %s: %.2f ulp\n", rows[i].name, worst);
        CHECK(worst <= rows[i].ulp);
    }
}

TEST(a_power_is_the_scalar_function_everywhere) {
    double y[100];
    gnd_array *base = gnd_full(GND_SHAPE(100), 3.0, GND_FLOAT64);
    gnd_array *x = gnd_power(base, -1.0);
    CHECK(gnd_to_host(x, y, sizeof y) == GND_OK);
    for (int i = 0; i < 100; i++) CHECK(y[i] == 1.0 / 3.0);
    gnd_release(base), gnd_release(x);
}

TEST_MAIN
