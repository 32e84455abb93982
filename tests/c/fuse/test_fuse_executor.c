/*
 * test_fuse_executor.c: who carries a fused program out, as gnd_fuse_explain says: on a GPU the line interpreter
 * has all that the benchmark times (bench/rows/rows_fuse.c), of which its bars are, and the general one what the former
 * does not know; what is compiled says so. And what is announced in a block is what is done behind it.
 */
#define _GNU_SOURCE
#include "../../../bench/workloads_fuse.h"
#include "values.h"
#include <sys/wait.h>
#include <unistd.h>

typedef gnd_array *(*expression)(const gnd_array *x, const gnd_array *y);

static bool on_gpu(void) {
    return gnd_current_device().kind == GND_GPU;
}
static const char no_gpu[] = "a CPU has one way to carry programs out, by tiles";

/* Whether the program that is pending, or ran last, is one launch, by this executor. */
static char text[1 << 16];
static bool is_told(const char *executor) {
    char wanted[40];
    gnd_fuse_explain_text(text, sizeof text);
    snprintf(wanted, sizeof wanted, "; %s, ", executor);
    const char *launch = strstr(text, "launch 1");
    return launch && strstr(launch, wanted) && !strstr(launch, "launch 2");
}
static bool is_by(const char *executor) {
    const bool one = is_told(executor);
    if (!one) printf("# not one launch by the %s: %s\n", executor, text);
    return one;
}

/* Whether a block with this in it is one launch by this executor, announced and done. */
static bool runs_by(const char *executor, expression f, const gnd_array *x, const gnd_array *y) {
    gnd_array *z = NULL;
    bool announced = false;
    GND_FUSE {
        z = gnd_keep(f(x, y));
        announced = is_by(executor);
    }
    const bool done = is_by(executor);
    gnd_release(z);
    return announced && done;
}

static gnd_array *norm(const gnd_array *x, const gnd_array *y) {
    (void)y;
    return gnd_sqrt(gnd_sum(gnd_square(x), GND_ALL));
}

TEST(benchmark) {
    const char *who = on_gpu() ? "line interpreter" : "tiles";
    const int64_t many = on_gpu() ? 100000000 : 20000, side = on_gpu() ? 4096 : 64;
    gnd_array *few = gnd_full(GND_SHAPE(10000), 0.5, GND_FLOAT32);
    gnd_array *x = gnd_full(GND_SHAPE(many), 0.3, GND_FLOAT32);
    gnd_array *matrix = gnd_full(GND_SHAPE(side, side), 0.3, GND_FLOAT32);
    gnd_fuse_executor before = gnd_fuse_use(GND_FUSE_INTERPRET);
    CHECK(runs_by(who, sqdiff, few, few));
    CHECK(runs_by(who, sqdiff, x, x));
    CHECK(runs_by(who, gaussian, x, x));
    CHECK(runs_by(who, hidden, x, x));
    CHECK(runs_by(who, sqdiff_sum, x, x));
    CHECK(runs_by(who, norm, x, x));
    CHECK(runs_by(who, softmax, matrix, matrix));
    CHECK(runs_by(who, layernorm, matrix, matrix));
    gnd_fuse_use(before);
}

/* What kernels need that are compiled while the program runs; NULL: nothing. */
static const char *what_is_missing(void) {
    if (!on_gpu()) return no_gpu;
    if (!gnd_library_load("NVRTC")) return NULL;
    gnd_error_clear();
    return "there is no NVRTC (libnvrtc of the CUDA toolkit) on this machine";
}

TEST(compiled) {
    const char *missing = what_is_missing();
    if (missing) SKIP(missing);
    gnd_array *x = gnd_full(GND_SHAPE(100000), 0.3, GND_FLOAT32), *z = NULL;
    gnd_array *matrix = gnd_full(GND_SHAPE(500, 512), 0.3, GND_FLOAT32);
    const expression of_x[] = {sqdiff, gaussian, hidden}, of_rows[] = {softmax, layernorm};
    gnd_fuse_executor before = gnd_fuse_use(GND_FUSE_COMPILE);
    for (int k = 0; k < 5; k++) { /* the first run compiles: then it can be told beforehand */
        const gnd_array *operand = k < 3 ? x : matrix;
        const expression f = k < 3 ? of_x[k] : of_rows[k - 3];
        GND_FUSE z = gnd_keep(f(operand, operand));
        gnd_release(z);
        CHECK(runs_by("compiled", f, operand, operand));
    }
    gnd_fuse_use(before);
}

/* What runs again and again is compiled in the background, and that is used once it is there. */
TEST(swapped_in) {
    const char *missing = what_is_missing();
    if (missing) SKIP(missing);
    gnd_array *x = gnd_full(GND_SHAPE(2000000), 1.5, GND_FLOAT32), *z = NULL;
    gnd_fuse_executor before = gnd_fuse_use(GND_FUSE_AUTO);
    bool compiled = false, right = true;
    for (int k = 0; k < 2000 && !compiled; k++) {
        GND_FUSE z = gnd_keep(gnd_add(gnd_multiply(gnd_subtract(x, 0.25), 4), x));
        compiled = is_told("compiled");
        if (k == 0) CHECK(is_by("line interpreter"));
        right = right && gnd_item_double(gnd_max(z, GND_ALL)) == 6.5 && gnd_item_double(gnd_min(z, GND_ALL)) == 6.5;
        gnd_release(z);
        if (!compiled) usleep(10000);
    }
    CHECK(compiled && right);
    gnd_fuse_use(before);
}

/* Run by without_nvrtc. */
TEST(asks_for_a_compiler) {
    const char *missing = getenv("GND_WITHOUT");
    if (!missing || strcmp(missing, "NVRTC") != 0) SKIP("NVRTC may be there");
    gnd_array *x = gnd_full(GND_SHAPE(5000), 1.5, GND_FLOAT32);
    gnd_array *matrix = gnd_full(GND_SHAPE(20, 512), 0.3, GND_FLOAT32), *z = NULL;
    gnd_fuse_use(GND_FUSE_COMPILE);
    CHECK(runs_by(on_gpu() ? "line interpreter" : "tiles", sqdiff, x, x));
    CHECK(runs_by(on_gpu() ? "line interpreter" : "tiles", softmax, matrix, matrix));
    GND_FUSE z = gnd_keep(gnd_multiply(gnd_add(x, 1), x));
    CHECK(gnd_item_double(gnd_max(z, GND_ALL)) == 3.75);
    gnd_release(z);
}

/* In a process of its own: a library is looked for once. */
TEST(without_nvrtc) {
    char path[4096] = "", command[4200];
    CHECK(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    snprintf(command, sizeof command, "GND_WITHOUT=NVRTC '%s' asks_for_a_compiler", path);
    FILE *out = popen(command, "r");
    char line[512], last[512] = "";
    while (out && fgets(line, sizeof line, out)) {
        if (*line == '#') printf("# there: %s", line);
        if (strstr(line, "ok ") || *line == '#') snprintf(last, sizeof last, "%s", line);
    }
    const int status = out ? pclose(out) : -1;
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(strstr(last, "ok 1") == last && !strstr(last, "SKIP"));
}

static gnd_array *wider(const gnd_array *x, const gnd_array *y) {
    return gnd_add(gnd_astype(x, GND_FLOAT64), y);
}
static gnd_array *more(const gnd_array *x, const gnd_array *y) {
    return gnd_negative(gnd_add(x, y));
}
static gnd_array *columns(const gnd_array *x, const gnd_array *y) {
    return gnd_sum(gnd_multiply(x, y), GND_AXES(0));
}
static gnd_array *root(const gnd_array *x, const gnd_array *y) {
    return gnd_add(gnd_cbrt(x), y);
}

TEST(general) {
    const char *who = on_gpu() ? "interpreter" : "tiles";
    gnd_array *x = gnd_full(GND_SHAPE(300, 200), 0.5, GND_FLOAT32);
    gnd_fuse_executor before = gnd_fuse_use(GND_FUSE_INTERPRET);
    CHECK(runs_by(who, wider, x, x));
    CHECK(runs_by(who, root, x, x));
    CHECK(runs_by(who, columns, x, x));
    gnd_array *half = gnd_slice(x, ":, ::2");
    CHECK(runs_by(who, more, half, half)); /* not in line */
    gnd_array *whole = gnd_full(GND_SHAPE(300, 200), 3, GND_INT32);
    CHECK(runs_by(who, more, whole, whole));
    gnd_array *later = gnd_slice(gnd_reshape(x, GND_SHAPE(60000)), "1:");
    CHECK(runs_by(who, more, later, later)); /* no vectors of four there */
    CHECK(runs_by(on_gpu() ? "line interpreter" : who, more, x, x));
    gnd_fuse_use(before);
}

static gnd_array *add_twice(const gnd_array *x, const gnd_array *y) {
    return gnd_add(gnd_add(x, y), y);
}

/* The same program over other addresses: what the last one was told does not hold where they are aligned otherwise. */
TEST(alignment) {
    if (!on_gpu()) SKIP(no_gpu);
    gnd_array *x = gnd_full(GND_SHAPE(60004), 0.5, GND_FLOAT32);
    gnd_array *begin = gnd_slice(x, ":60000"), *next = gnd_slice(x, "1:60001");
    gnd_fuse_executor before = gnd_fuse_use(GND_FUSE_INTERPRET);
    for (int k = 0; k < 2; k++) {
        CHECK(runs_by("line interpreter", add_twice, begin, begin));
        CHECK(runs_by("interpreter", add_twice, next, next));
    }
    gnd_fuse_use(before);
}

TEST_MAIN
