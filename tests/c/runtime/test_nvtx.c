/*
 * test_nvtx.c: ranges for profilers. The build puts a stand-in for a profiler beside this program
 * (nvtx_recorder_cuda.c); where gnd was built without NVTX there is none, and gnd must say so.
 */
#define _GNU_SOURCE
#include "tap.h"
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

typedef const char *text_function(void);
typedef void clear_function(void);
static text_function *recorded;
static clear_function *forget;

/* Of this program, with "name" in the place of its own. */
static void beside(const char *name, char *path, size_t room) {
    ssize_t length = readlink("/proc/self/exe", path, room - 1);
    path[length > 0 ? length : 0] = '\0';
    char *last = strrchr(path, '/');
    if (last) snprintf(last + 1, room - (size_t)(last + 1 - path), "%s", name);
}

/* NVTX reads the environment at its first call, which comes later than any constructor. */
__attribute__((constructor)) static void name_recorder(void) {
    char path[1024];
    beside("libnvtx_recorder.so", path, sizeof path);
    void *library = dlopen(path, RTLD_NOW);
    if (!library) return;
    setenv("NVTX_INJECTION64_PATH", path, 1);
    void *text = dlsym(library, "nvtx_recorder_text"), *clear = dlsym(library, "nvtx_recorder_clear");
    memcpy(&recorded, &text, sizeof text); /* ISO C has no cast from data to functions */
    memcpy(&forget, &clear, sizeof clear);
}

#define NEEDS_RANGES()                                                                                                 \
    do {                                                                                                               \
        if (gnd_nvtx(true)) {                                                                                          \
            gnd_error_clear();                                                                                         \
            SKIP("built without NVTX");                                                                                \
        }                                                                                                              \
        CHECK(recorded != NULL);                                                                                       \
        if (!recorded) return;                                                                                         \
        forget();                                                                                                      \
    } while (0)

/* That every range has ended, and that one of these names has begun. */
static bool balanced(void) {
    int depth = 0;
    for (const char *at = recorded(); *at && depth >= 0; at++)
        if (at == recorded() || at[-1] == ' ') depth += (*at == '+') - (*at == '-');
    return depth == 0;
}
static bool has(const char *name) {
    char event[80];
    snprintf(event, sizeof event, "+%s ", name);
    return strstr(recorded(), event) != NULL;
}

TEST(off_by_default) {
    CHECK(!gnd_nvtx_is_on());
    if (forget) forget();
    gnd_array *x = gnd_zeros(GND_SHAPE(100), GND_FLOAT32);
    gnd_add(x, 1);
    CHECK(!recorded || recorded()[0] == '\0');
}

TEST(says_when_it_cannot) {
    if (recorded) SKIP("built with NVTX");
    CHECK_ERROR(gnd_nvtx(true), GND_ERROR_UNAVAILABLE, "gnd_nvtx: this gnd was built without NVTX");
    CHECK(!gnd_nvtx_is_on());
    CHECK(gnd_nvtx(false) == GND_OK);
    CHECK(gnd_nvtx_push("mine") == GND_OK && gnd_nvtx_mark("here") == GND_OK);
    CHECK(gnd_nvtx_pop() == GND_OK);
}

TEST(ranges_bear_the_names_of_calls) {
    NEEDS_RANGES();
    CHECK(gnd_nvtx_is_on());
    const float values[6] = {3, 1, 2, 6, 5, 4};
    gnd_array *x = gnd_from_host(values, GND_SHAPE(2, 3), GND_FLOAT32);
    gnd_array *y = gnd_multiply(gnd_sin(x), 2);
    gnd_sum(y, GND_ALL), gnd_cumsum(y, GND_AXES(1)), gnd_sort(x, GND_AXES(-1), GND_ASCENDING);
    float back[6];
    CHECK(gnd_to_host(y, back, sizeof back) == GND_OK && gnd_sync() == GND_OK);
    static const char *const names[] = {"gnd_from_host", "gnd_sin",  "gnd_multiply", "gnd_sum",
                                        "gnd_cumsum",    "gnd_sort", "gnd_to_host",  "gnd_sync"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!has(names[i])) printf("# no range %s in %s\n", names[i], recorded());
        CHECK(has(names[i]));
    }
    CHECK(balanced());
    forget();
    gnd_reshape(x, GND_SHAPE(3, 2)); /* a view: nothing to do */
    CHECK(recorded()[0] == '\0');
    gnd_nvtx(false);
}

TEST(a_call_that_fails_on_the_device_ends_its_range) {
    NEEDS_RANGES();
    gnd_array *a = gnd_zeros(GND_SHAPE(2, 2), GND_FLOAT64);
    gnd_inv(a);
    gnd_sync();
    CHECK(gnd_error() != NULL || gnd_library_load("OpenBLAS") != GND_OK);
    gnd_error_clear();
    CHECK(balanced());
    gnd_nvtx(false);
}

TEST(fused_work_and_kernels_of_the_users_own) {
    NEEDS_RANGES();
    gnd_array *x = gnd_linspace(0, 1, 1000, true, GND_FLOAT32), *y = NULL;
    gnd_fuse_use(GND_FUSE_INTERPRET); /* on a CPU small operations run at once otherwise */
    GND_FUSE {
        y = gnd_keep(gnd_exp(gnd_negative(gnd_square(x))));
    }
    gnd_fuse_use(GND_FUSE_AUTO);
    gnd_release(y);
    CHECK(has("gnd_fuse_close") && !has("gnd_square") && balanced());
    gnd_kernel *k = gnd_kernel_elementwise("T x", "T z", "z = x * x", "squared", NULL);
    if (k) {
        gnd_kernel_call(k, GND_ARGS(x));
        CHECK(has("gnd_kernel_call") || gnd_error());
    }
    gnd_error_clear(); /* there may be no compiler */
    gnd_kernel_release(k);
    CHECK(balanced());
    gnd_nvtx(false);
}

TEST(ranges_of_ones_own) {
    NEEDS_RANGES();
    CHECK(gnd_nvtx_push("outer") == GND_OK && gnd_nvtx_push("inner") == GND_OK);
    CHECK(gnd_nvtx_mark("here") == GND_OK);
    CHECK(gnd_nvtx_pop() == GND_OK && gnd_nvtx_pop() == GND_OK);
    CHECK(strcmp(recorded(), "+outer +inner *here - - ") == 0);
    /* What began while ranges were off leaves no trace, and the other way round. */
    forget();
    gnd_nvtx(false);
    gnd_nvtx_push("unseen");
    gnd_nvtx(true);
    gnd_nvtx_push("seen");
    gnd_nvtx(false);
    gnd_nvtx_pop(), gnd_nvtx_pop();
    CHECK(strcmp(recorded(), "+seen - ") == 0);
}

TEST(wrong_ranges_are_refused) {
    CHECK_ERROR(gnd_nvtx_pop(), GND_ERROR_INVALID, "there is no range to end");
    CHECK_ERROR(gnd_nvtx_push(NULL), GND_ERROR_INVALID, "a range needs a name");
    CHECK_ERROR(gnd_nvtx_mark(NULL), GND_ERROR_INVALID, "a mark needs a name");
    for (int i = 0; i < 64; i++) CHECK(gnd_nvtx_push("deep") == GND_OK);
    CHECK_ERROR(gnd_nvtx_push("deeper"), GND_ERROR_INVALID, "64 ranges are open");
    for (int i = 0; i < 64; i++) CHECK(gnd_nvtx_pop() == GND_OK);
}

/* In a process of its own. */
TEST(environment_switches_them_on) {
    if (getenv("GND_NVTX_CHILD")) {
        printf("# ranges are %s\n", gnd_nvtx_is_on() ? "on" : "off");
        return;
    }
    char self[1024], command[1280], line[256];
    beside("test_nvtx", self, sizeof self);
    snprintf(command, sizeof command, "env GND_NVTX_CHILD=1 GND_NVTX=1 '%s' environment_switches_them_on 2>&1", self);
    FILE *pipe = popen(command, "r");
    bool on = false, told = false;
    while (pipe && fgets(line, sizeof line, pipe)) {
        on |= strstr(line, "ranges are on") != NULL;
        told |= strstr(line, "asks for ranges, but this gnd was built without NVTX") != NULL;
    }
    CHECK(pipe && pclose(pipe) == 0);
    CHECK(on == (recorded != NULL) && told == !on);
}

TEST_MAIN
