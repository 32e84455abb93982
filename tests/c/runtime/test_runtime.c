/*
 * test_runtime.c: devices and how one is chosen, threads, faults found by kernels, and libraries
 * that are loaded at first use.
 */
#define _POSIX_C_SOURCE 200809L
#include "tap.h"
#include <pthread.h>
#include <unistd.h>

/* ---- a process of its own ------------------------------------------------------------------- */

/* This program again as "child <part>" in a given environment; what it wrote to stdout
   and stderr. */
static const char *child(const char *environment, const char *part, int *status) {
    static char output[4096];
    char command[1024], self[512];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    output[0] = '\0', *status = -1;
    if (length <= 0) return output;
    self[length] = '\0';
    snprintf(command, sizeof command, "env %s '%s' child %s 2>&1", environment, self, part);
    FILE *pipe = popen(command, "r");
    size_t used = pipe ? fread(output, 1, sizeof output - 1, pipe) : 0;
    output[used] = '\0';
    if (pipe) *status = pclose(pipe);
    return output;
}

/* Prints the device an array is made on, or the error. */
static int child_where(void) {
    gnd_array *a = gnd_zeros(GND_SHAPE(2), GND_FLOAT32);
    printf("%s\n", a ? gnd_device_name(gnd_device_of(a)) : gnd_error()->message);
    gnd_release(a);
    return 0;
}

static int child_libraries(void) {
    gnd_status status = gnd_library_load("FFTW");
    printf("%s: %s\n", gnd_status_name(status), status ? gnd_error()->message : "loaded");
    return 0;
}

/* With GND_SYNC=1 the call itself reports what its kernel found. */
static int child_sync(void) {
    GND_SCOPE {
        gnd_array *x = gnd_full(GND_SHAPE(3), 2, GND_INT32);
        gnd_array *e = gnd_full(GND_SHAPE(3), -1, GND_INT32);
        gnd_power(x, e);
        printf("%s\n", gnd_error() ? gnd_error()->message : "no error");
    }
    return 0;
}

/* ---- devices -------------------------------------------------------------------------------- */

TEST(there_is_one_cpu) {
    CHECK(gnd_device_count(GND_CPU) == 1);
    CHECK(gnd_device_count(GND_GPU) >= 0);
    CHECK(gnd_device_count((gnd_device_kind)7) == 0);
    CHECK((gnd_gpu_unavailable() == NULL) == (gnd_device_count(GND_GPU) > 0));
    CHECK(gnd_device_equal(gnd_cpu(), gnd_cpu()) && !gnd_device_equal(gnd_cpu(), gnd_gpu(0)));
    CHECK(strcmp(gnd_device_name(gnd_cpu()), "cpu") == 0);
    CHECK(strcmp(gnd_device_name(gnd_gpu(3)), "gpu:3") == 0);
}

/* What /proc/cpuinfo calls the processor, if it does. */
static bool is_its_name(const char *name) {
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    bool same = true;
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strncmp(line, "model name", 10) == 0 ? strstr(line, ": ") : NULL;
        if (!colon) continue;
        same = strlen(colon + 2) == strlen(name) + 1 && !strncmp(colon + 2, name, strlen(name));
        break;
    }
    if (file) fclose(file);
    return same;
}

TEST(properties_say_what_a_device_is) {
    gnd_device_properties p;
    CHECK(gnd_device_properties_of(gnd_cpu(), &p) == GND_OK);
    CHECK(p.name[0] && p.memory_bytes > 0 && p.processors > 0 && p.major == 0 && !p.pci_bus_id[0]);
    CHECK(is_its_name(p.name));
    CHECK(p.cores > 0 && p.cores <= sysconf(_SC_NPROCESSORS_CONF) && p.driver_version == 0);
    CHECK(p.bandwidth == 0 && strstr(gnd_build_info()->cpu_sets, p.instruction_set));
    for (int i = 0; i < gnd_device_count(GND_GPU); i++) {
        CHECK(gnd_device_properties_of(gnd_gpu(i), &p) == GND_OK);
        CHECK(p.name[0] && p.memory_bytes > 0 && p.processors > 0 && p.major >= 7 && p.pci_bus_id[0]);
        CHECK(p.cores == 0 && p.driver_version >= 12000 && !p.instruction_set[0]);
        CHECK(p.bandwidth > 1e11 && p.bandwidth < 1e14);
    }
    CHECK_ERROR(gnd_device_properties_of(gnd_cpu(), NULL), GND_ERROR_INVALID, "gnd_device_properties_of");
}

TEST(the_build_is_told) {
    const gnd_build *build = gnd_build_info();
    CHECK(strcmp(build->version, gnd_version()) == 0);
    CHECK(build->compiler[0] && build->type[0] && strstr(build->cpu_sets, "baseline"));
    CHECK(!build->cuda[0] == !build->gpu_architectures[0]);
    CHECK(gnd_nvtx(true) == (build->nvtx ? GND_OK : GND_ERROR_UNAVAILABLE));
    gnd_nvtx(false), gnd_error_clear();
    if (!build->cuda[0]) CHECK(strstr(gnd_gpu_unavailable(), "built without CUDA"));
}

TEST(bad_devices_are_refused) {
    gnd_device before = gnd_current_device();
    gnd_device_properties p;
    gnd_device second = {GND_CPU, 1}, strange = {(gnd_device_kind)5, 0};
    CHECK_ERROR(gnd_use(gnd_gpu(gnd_device_count(GND_GPU))), GND_ERROR_DEVICE, "gnd_use: there is no gpu:");
    CHECK_ERROR(gnd_use(gnd_gpu(-1)), GND_ERROR_DEVICE, "there is no gpu:-1");
    CHECK_ERROR(gnd_use(second), GND_ERROR_DEVICE, "there is no cpu:1");
    CHECK_ERROR(gnd_use(strange), GND_ERROR_DEVICE, "5 is no kind of device");
    CHECK_ERROR(gnd_device_properties_of(gnd_gpu(99), &p), GND_ERROR_DEVICE, "there is no gpu:99");
    CHECK(gnd_device_equal(gnd_current_device(), before));
}

TEST(new_arrays_are_made_on_the_current_device) {
    gnd_device before = gnd_current_device();
    gnd_array *a = gnd_zeros(GND_SHAPE(3), GND_INT32);
    CHECK(gnd_device_equal(gnd_device_of(a), before));
    CHECK(gnd_use(gnd_cpu()) == GND_OK);
    gnd_array *b = gnd_zeros(GND_SHAPE(3), GND_INT32);
    CHECK(gnd_device_equal(gnd_device_of(b), gnd_cpu()) && gnd_device_equal(gnd_current_device(), gnd_cpu()));
    CHECK(gnd_use(before) == GND_OK);
    if (before.kind == GND_GPU) CHECK_ERROR(gnd_add(a, b), GND_ERROR_DEVICE, "gnd_to_device");
    CHECK(gnd_sync() == GND_OK);
}

TEST(the_environment_chooses_the_first_device) {
    int status;
    CHECK(strcmp(child("GND_DEVICE=cpu", "where", &status), "cpu\n") == 0 && status == 0);
    CHECK(strstr(child("GND_DEVICE=tpu", "where", &status),
                 "GND_DEVICE=tpu in the environment means nothing; it may be cpu, gpu or gpu:N"));
    CHECK(strstr(child("GND_DEVICE=gpu:99", "where", &status), "GND_DEVICE=gpu:99, but there is no gpu:99"));
    const char *hidden = child("CUDA_VISIBLE_DEVICES= GND_DEVICE=", "where", &status);
    CHECK(strcmp(hidden, "cpu\n") == 0); /* and no warning: the GPUs were hidden on purpose */
    CHECK(strstr(child("CUDA_VISIBLE_DEVICES= GND_DEVICE=gpu", "where", &status),
                 "GND_DEVICE=gpu, but there is no gpu:0"));
    if (gnd_device_count(GND_GPU) > 0) {
        CHECK(strcmp(child("GND_DEVICE=", "where", &status), "gpu:0\n") == 0);
        CHECK(strcmp(child("GND_DEVICE=gpu", "where", &status), "gpu:0\n") == 0);
    }
}

/* ---- threads -------------------------------------------------------------------------------- */

static void *elsewhere(void *device) {
    gnd_device first = gnd_current_device();
    gnd_use(gnd_cpu());
    *(gnd_device *)device = first;
    gnd_dtype_from_name("nonsense"); /* an error of this thread's own */
    return gnd_current_device().kind == GND_CPU && gnd_error() ? device : NULL;
}

TEST(each_thread_has_its_own_device_and_error) {
    gnd_device before = gnd_current_device(), other;
    pthread_t thread;
    void *result = NULL;
    CHECK(pthread_create(&thread, NULL, elsewhere, &other) == 0);
    pthread_join(thread, &result);
    CHECK(result == &other);
    CHECK(gnd_device_equal(gnd_current_device(), before) && gnd_error() == NULL);
}

/* ---- faults --------------------------------------------------------------------------------- */

TEST(what_a_kernel_found_is_reported_at_the_next_wait) {
    gnd_array *x = gnd_full(GND_SHAPE(3), 2, GND_INT32);
    gnd_array *e = gnd_full(GND_SHAPE(3), -1, GND_INT32);
    CHECK(gnd_power(x, e) != NULL || gnd_error());
    CHECK_ERROR(gnd_sync(), GND_ERROR_VALUE,
                "gnd_power: an integer to a negative power is not allowed; use gnd_float_power or a "
                "float dtype (found when gnd_sync waited)");
    CHECK(gnd_sync() == GND_OK); /* once */
    CHECK(gnd_power(x, e) != NULL || gnd_error());
    int32_t values[3];
    CHECK_ERROR(gnd_to_host(x, values, sizeof values), GND_ERROR_VALUE, "negative power");
    int status;
    CHECK(strstr(child("GND_SYNC=1", "sync", &status), "negative power"));
}

/* Of several faults the first one is told, by the name of its function. */
TEST(a_fault_has_the_name_of_its_function) {
    gnd_error_record e;
    int64_t four = 4, five = 5;
    gnd_array *x = gnd_zeros(GND_SHAPE(4), GND_FLOAT64);
    gnd_array *bad = gnd_from_host(&four, GND_SHAPE(1), GND_INT64);
    gnd_array *worse = gnd_from_host(&five, GND_SHAPE(1), GND_INT64);
    gnd_put(x, worse, 1, GND_RAISE);
    gnd_take(x, bad, GND_AXES(0), GND_RAISE);
    CHECK(gnd_sync() == GND_ERROR_INDEX && gnd_error_take(&e));
    CHECK(strcmp(e.function, "gnd_put") == 0 &&
          strcmp(e.message, "gnd_put: index 5 is out of bounds for axis 0 of size 4 (found when "
                            "gnd_sync waited)") == 0);
    gnd_take(x, bad, GND_AXES(0), GND_RAISE);
    gnd_put(x, worse, 1, GND_RAISE);
    double host[4];
    CHECK(gnd_to_host(x, host, sizeof host) == GND_ERROR_INDEX && gnd_error_take(&e));
    CHECK(strcmp(e.function, "gnd_take") == 0 && strstr(e.message, "found when gnd_to_host waited"));
    CHECK(gnd_sync() == GND_OK);
}

/* ---- libraries ------------------------------------------------------------------------------ */

TEST(libraries_are_listed) {
    int count = gnd_library_count();
    CHECK(count >= 10);
    for (int i = 0; i < count; i++) {
        gnd_library_info info;
        CHECK(gnd_library_info_of(i, &info) == GND_OK);
        CHECK(info.name[0] && info.purpose[0] && info.package[0]);
        CHECK(info.found == (info.version[0] != 0) && info.found == (info.path[0] != 0));
        CHECK(info.found == (info.problem[0] == 0));
        gnd_status status = gnd_library_load(info.name);
        CHECK(status == (info.found ? GND_OK : GND_ERROR_UNAVAILABLE));
        if (!info.found) CHECK_ERROR((void)0, GND_ERROR_UNAVAILABLE, info.package);
    }
    gnd_library_info info;
    CHECK_ERROR(gnd_library_info_of(count, &info), GND_ERROR_INDEX, "there is no library");
    CHECK_ERROR(gnd_library_info_of(-1, &info), GND_ERROR_INDEX, "there is no library -1");
    CHECK_ERROR(gnd_library_load("Eigen"), GND_ERROR_INVALID, "gnd knows no library \"Eigen\"");
    CHECK_ERROR(gnd_library_load(NULL), GND_ERROR_INVALID, "NULL");
}

TEST(a_missing_library_names_its_package) {
    int status;
    const char *text = child("GND_WITHOUT=cuBLAS,FFTW,NVRTC", "libraries", &status);
    CHECK(strstr(text, "gnd_library_load: this needs FFTW, which is missing"));
    CHECK(strstr(text, "it comes with FFTW, 3.3.8 or later (Debian: libfftw3-double3)"));
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "child") == 0) {
        if (strcmp(argv[2], "where") == 0) return child_where();
        if (strcmp(argv[2], "libraries") == 0) return child_libraries();
        if (strcmp(argv[2], "sync") == 0) return child_sync();
    }
    return tap_main(argc, argv);
}
