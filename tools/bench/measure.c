/*
 * measure.c: times one workload at one size on one device. The first call pays for libraries, memory and
 * kernels and is not counted. The second decides how many calls make a repetition, so that short ones are
 * timed back to back; there are as many repetitions as there is time for, or that one call alone.
 */
#include "gnd_bench.h"

#include <stdlib.h>
#include <string.h>

#define REPETITION_SECONDS 1e-3 /* of short calls, at least */
#define MAX_CALLS 1000

/* What is timed: a workload with its inputs, on the device or, if transfers count, on the host. */
typedef struct job {
    const workload *what;
    operands o;
    bool transfers;
    void *host_in[3], *host_out;
    size_t host_out_bytes;
} job;

static void run_job(void *context) {
    job *j = context;
    if (!j->transfers) {
        j->what->run(&j->o);
        return;
    }
    operands o = j->o;
    for (int i = 0; i < o.count; i++)
        o.in[i] = gnd_from_host(j->host_in[i], gnd_shape_of(j->o.in[i]), gnd_dtype_of(j->o.in[i]));
    const gnd_array *result = j->what->run(&o);
    if (result) gnd_to_host(result, j->host_out, j->host_out_bytes);
}

/* Host memory of workloads, one after the other: pages that are there already cost nothing. The last one
   is for results. */
static struct {
    void *memory;
    size_t room;
} slots[4];

static void *host_memory(int slot, size_t bytes) {
    if (bytes <= slots[slot].room && slots[slot].memory) return slots[slot].memory;
    free(slots[slot].memory);
    slots[slot].room = bytes ? bytes : 1;
    slots[slot].memory = malloc(slots[slot].room);
    if (slots[slot].memory) memset(slots[slot].memory, 0, slots[slot].room);
    return slots[slot].memory;
}

void release_host_memory(void) {
    for (int i = 0; i < 4; i++) {
        free(slots[i].memory);
        slots[i].memory = NULL;
    }
}

/* Copies the inputs to the host, and makes room for the result there. */
static bool move_to_host(job *j, size_t result_bytes) {
    j->host_out_bytes = result_bytes;
    j->host_out = host_memory(3, result_bytes);
    for (int i = 0; i < j->o.count; i++) {
        const size_t bytes = (size_t)gnd_nbytes(j->o.in[i]);
        j->host_in[i] = host_memory(i, bytes);
        if (!j->host_in[i] || gnd_to_host(j->o.in[i], j->host_in[i], bytes)) return false;
    }
    return j->host_out != NULL;
}

static gnd_benchmark_result time_job(job *j, double seconds) {
    gnd_benchmark_options once = {.n_repeat = 1, .n_warmup = -1};
    const gnd_benchmark_result r = gnd_benchmark(run_job, j, &once);
    if (r.status || r.total.min > seconds) return r;
    const double calls = REPETITION_SECONDS / (r.total.min > 1e-9 ? r.total.min : 1e-9);
    gnd_benchmark_options o = {.n_warmup = 1, .max_duration = seconds};
    o.n_calls = calls < 1 ? 1 : calls > MAX_CALLS ? MAX_CALLS : (int64_t)calls;
    return gnd_benchmark(run_job, j, &o);
}

/* ---- as JSON ------------------------------------------------------------------------------------ */

static void add_times(cJSON *to, const char *name, const gnd_benchmark_times *t) {
    cJSON *times = cJSON_AddObjectToObject(to, name);
    cJSON_AddNumberToObject(times, "mean", t->mean);
    cJSON_AddNumberToObject(times, "deviation", t->deviation);
    cJSON_AddNumberToObject(times, "min", t->min);
    cJSON_AddNumberToObject(times, "max", t->max);
    cJSON_AddNumberToObject(times, "median", t->median);
}

static cJSON *times_of(const gnd_benchmark_result *r) {
    cJSON *m = cJSON_CreateObject();
    add_times(m, "device", &r->device);
    add_times(m, "host", &r->host);
    add_times(m, "total", &r->total);
    cJSON_AddNumberToObject(m, "n_repeat", (double)r->n_repeat);
    cJSON_AddNumberToObject(m, "n_calls", (double)r->n_calls);
    return m;
}

/* The pending error as M; it is taken. */
static cJSON *problem(void) {
    cJSON *m = cJSON_CreateObject();
    gnd_error_record e;
    if (!gnd_error_take(&e))
        cJSON_AddStringToObject(m, "skipped", "no memory on the host");
    else if (e.code == GND_ERROR_MEMORY)
        cJSON_AddStringToObject(m, "skipped", "out of memory");
    else
        cJSON_AddStringToObject(m, "error", e.message);
    return m;
}

static void add_shape(cJSON *result, const gnd_array *a) {
    char text[128] = "";
    size_t length = 0;
    const gnd_shape shape = gnd_shape_of(a);
    for (int i = 0; i < shape.ndim && length < sizeof text; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, i ? " x %lld" : "%lld", (long long)shape.dim[i]);
    cJSON_AddStringToObject(result, "shape", text);
}

/* The fewest bytes that must move: each input read once, the result written once. */
static void describe(cJSON *result, const job *j, const gnd_array *out, double n) {
    if (cJSON_HasObjectItem(result, "shape")) return;
    double bytes = j->what->flags & IN_PLACE ? 0 : (double)gnd_nbytes(out);
    for (int i = 0; i < j->o.count; i++) bytes += (double)gnd_nbytes(j->o.in[i]);
    add_shape(result, j->o.count ? j->o.in[0] : out);
    cJSON_AddNumberToObject(result, "bytes", bytes);
    if (j->what->operations) cJSON_AddNumberToObject(result, "operations", j->what->operations(n));
}

/* Runs it once: libraries, memory and kernels are there then. Its result goes, so that later calls have
   that memory. */
static bool run_once(job *j, bool transfers, cJSON *result) {
    bool ready = false;
    GND_SCOPE {
        const gnd_array *out = gnd_error() ? NULL : j->what->run(&j->o);
        ready = out && !gnd_sync();
        if (ready) describe(result, j, out, (double)j->o.n);
        if (ready && transfers) ready = j->transfers = move_to_host(j, (size_t)gnd_nbytes(out));
    }
    return ready;
}

cJSON *measure(const measured_case *c, cJSON *result) {
    job j = {.what = c->what, .o = {.n = c->n}};
    cJSON *m = NULL;
    gnd_use(c->where);
    gnd_random_seed(gnd_random_default(), 1);
    GND_SCOPE {
        c->what->prepare(&j.o, c->n);
        if (run_once(&j, c->transfers, result)) {
            const gnd_benchmark_result r = time_job(&j, c->seconds);
            if (!r.status) m = times_of(&r);
        }
        if (!m) m = problem();
    }
    gnd_error_clear();
    return m;
}

/* ---- bandwidth ---------------------------------------------------------------------------------- */

typedef struct copy_job {
    gnd_array *from, *to;
    void *host;
    size_t bytes;
    bool to_device;
} copy_job;

static void copy(void *context) {
    copy_job *j = context;
    gnd_positive_into(j->to, j->from);
}

static void copy_host(void *context) {
    copy_job *j = context;
    if (j->to_device)
        gnd_copy_from_host(j->to, j->host, j->bytes);
    else
        gnd_to_host(j->to, j->host, j->bytes);
}

/* Bytes a second: of the device's own time within it, else of the time until all is there. */
static double rate_of(gnd_benchmark_function *function, copy_job *j, double bytes) {
    const gnd_benchmark_options o = {.n_repeat = 20, .n_warmup = 2, .max_duration = 0.3};
    const gnd_benchmark_result r = gnd_benchmark(function, j, &o);
    gnd_error_clear();
    const double seconds = j->host ? r.total.median : r.device.median;
    return r.status || seconds <= 0 ? 0 : bytes / seconds;
}

double copy_rate(gnd_device device, size_t bytes) {
    double rate = 0;
    gnd_use(device);
    GND_SCOPE {
        const gnd_shape shape = GND_SHAPE((int64_t)(bytes / sizeof(float)));
        copy_job j = {.from = gnd_ones(shape, GND_FLOAT32), .to = gnd_zeros(shape, GND_FLOAT32)};
        if (!gnd_error()) rate = rate_of(copy, &j, 2.0 * (double)bytes);
    }
    gnd_error_clear();
    gnd_memory_trim(device);
    return rate;
}

double transfer_rate(gnd_device device, size_t bytes, bool to_device) {
    double rate = 0;
    gnd_use(device);
    GND_SCOPE {
        copy_job j = {.to = gnd_zeros(GND_SHAPE((int64_t)bytes), GND_UINT8),
                      .host = host_memory(3, bytes),
                      .bytes = bytes,
                      .to_device = to_device};
        if (j.host && !gnd_error()) rate = rate_of(copy_host, &j, (double)bytes);
    }
    gnd_error_clear();
    gnd_memory_trim(device);
    return rate;
}
