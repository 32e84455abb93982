/*
 * bench.c: times the rows of rows/ on the current device (GND_DEVICE) and prints one JSON object.
 *
 *     bench [PATTERN ...]      rows whose name contains a pattern; all without one
 *     bench --list             no time: a JSON object of all rows with the operands that they state (bench.h)
 *
 * A row's time is microseconds a call, back to back on one stream with one wait at the end (what
 * gnd_benchmark calls `total`: small rows show the host's cost and large rows the device's). It is the
 * median of many batches, each of which runs for at least BATCH_SECONDS; of a few calls, where one
 * takes longer than SLOW_SECONDS, and of one where it takes four times as long.
 * `issue_us` is the same without the wait: what the host spends. A row that fails says so on stderr,
 * is left out, and makes the exit status 1.
 *
 * With GND_BENCH_SMALL=1 in the environment rows are small, and nothing is timed for long: a test that they run.
 */
#include "bench.h"
#ifdef GNDB_WITH_CUDA
#    include "bare_cuda.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCHES 15
#define BATCH_SECONDS 0.01
#define MAX_CALLS 20000
#define SLOW_SECONDS 0.5

typedef struct timing {
    double us, best_us, issue_us;
} timing;

/* What is timed: a row with its operands. */
typedef struct timed {
    const bench_row *row;
    operands *o;
} timed;

static void run_row(void *context) {
    timed *t = context;
    t->row->run(t->o);
}

/* Times `batches` batches of `calls` calls. */
static gnd_benchmark_result run_batches(timed *t, int batches, int calls) {
    const gnd_benchmark_options options = {.n_repeat = batches, .n_calls = calls, .n_warmup = -1};
    return gnd_benchmark(run_row, t, &options);
}

static bool is_small(void) {
    const char *small = getenv("GND_BENCH_SMALL");
    return small && *small && strcmp(small, "0") != 0;
}

/* Small: a 32nd of it, at least 16 and at most 100,000. */
int64_t bench_size(int64_t n) {
    if (!is_small() || n <= 16) return n;
    const int64_t part = n / 32;
    return part < 16 ? 16 : part > 100000 ? 100000 : part;
}

static timing measure(const bench_row *row, operands *o) {
    timed t = {row, o};
    /* Warm up: libraries, pool, threads, kernels. */
    double once = run_batches(&t, 1, 1).total.mean;
    if (once < SLOW_SECONDS) run_batches(&t, 1, 2);
    once = run_batches(&t, 1, once < SLOW_SECONDS ? 2 : 1).total.mean;
    if (gnd_error()) return (timing){0};
    int calls = once * MAX_CALLS > BATCH_SECONDS ? (int)(BATCH_SECONDS / once) + 1 : MAX_CALLS;
    int batches = once * calls > 0.2 ? 5 : BATCHES;
    if (once > SLOW_SECONDS) batches = once > 4 * SLOW_SECONDS ? 1 : 3;
    if (is_small()) calls = 2, batches = 3;
    const gnd_benchmark_result r = run_batches(&t, batches, calls);
    return (timing){1e6 * r.total.median, 1e6 * r.total.min, 1e6 * r.host.median};
}

static void release(operands *o) {
    gnd_release(o->x), gnd_release(o->y), gnd_release(o->z), gnd_release(o->out);
    for (int i = 0; i < 2; i++) gnd_stream_release(o->streams[i]);
    if (o->end) o->end(o->stream);
    if (o->pinned)
        gnd_pinned_free(o->host);
    else
        free(o->host);
    gnd_sync();
    gnd_memory_trim(gnd_current_device());
}

/* Uniform numbers from a small multiplicative generator: what is timed must not be all zeros. */
gnd_array *bench_random(gnd_shape shape, gnd_dtype dtype) {
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    float *host = malloc((size_t)n * sizeof *host);
    if (!host) return NULL;
    uint64_t state = 88172645463325252u;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        host[i] = (float)(state >> 40) * 0x1p-24f;
    }
    gnd_array *a = gnd_from_host(host, shape, GND_FLOAT32);
    free(host);
    if (dtype == GND_FLOAT32 || !a) return a;
    gnd_array *cast = gnd_astype(a, dtype);
    gnd_release(a);
    return cast;
}

/* Real and imaginary parts around zero. */
static gnd_array *make_centred(const operand *o) {
    gnd_shape parts = o->shape;
    const bool complex = gnd_dtype_kind(o->dtype) == 'c';
    if (complex) parts.dim[parts.ndim - 1] *= 2;
    gnd_array *x = bench_random(parts, o->dtype == GND_COMPLEX128 ? GND_FLOAT64 : complex ? GND_FLOAT32 : o->dtype);
    gnd_subtract_into(x, x, 0.5);
    if (!complex) return x;
    gnd_array *view = gnd_view(x, o->dtype);
    gnd_release(x);
    return view;
}

static gnd_array *make(const operand *o) {
    if (o->fill == '=') return gnd_full(o->shape, o->value, o->dtype);
    if (o->fill == '~') return make_centred(o);
    if (o->fill == ':') return gnd_linspace(o->value, o->last, o->shape.dim[0], true, o->dtype);
    if (!o->fill && o->dtype != GND_BOOL) return bench_random(o->shape, o->dtype);
    const bool whole = o->fill && o->dtype != GND_BOOL;
    gnd_array *result = NULL, *x = bench_random(o->shape, whole ? GND_FLOAT64 : GND_FLOAT32);
    GND_SCOPE {
        if (whole)
            result = gnd_keep(gnd_astype(gnd_multiply(x, o->value), o->dtype));
        else
            result = gnd_keep(o->fill ? gnd_less(x, o->value) : gnd_greater(x, 0.5));
    }
    gnd_release(x);
    return result;
}

/* Makes what a row states. */
static void make_operands(operands *o, const char *text) {
    gnd_array **const arrays[] = {&o->x, &o->y, &o->z, &o->out};
    const size_t most[] = {sizeof o->n / sizeof *o->n, sizeof o->p / sizeof *o->p, sizeof arrays / sizeof *arrays};
    const char *at = text;
    size_t made[3] = {0};
    for (operand next; operand_next(text, &at, 1, &next);) {
        const size_t i = made[next.kind]++;
        if (i == most[next.kind]) operand_refuse(text, at);
        if (next.kind == OPERAND_SIZE)
            o->n[i] = (int64_t)next.value;
        else if (next.kind == OPERAND_PARAMETER)
            o->p[i] = next.value;
        else
            *arrays[i] = make(&next);
    }
}

static bool wanted(const char *name, int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i])) return true;
    return argc < 2;
}

/* Rows of CUDA alone, without gnd, are for its devices. */
static bool here(const bench_row *row, gnd_device device) {
    return strncmp(row->name, "bare.", 5) != 0 || device.kind == GND_GPU;
}

#ifdef GNDB_WITH_CUDA
/* The bare launch that small rows are held against: the same loop with a null kernel in it. */
static void null_kernels(void *context) {
    gndb_null_kernels(*(const int *)context);
}
static void null_kernel_row(void) {
    int count = MAX_CALLS / 4;
    const gnd_benchmark_options options = {.n_repeat = BATCHES, .n_warmup = 1};
    const gnd_benchmark_result r = gnd_benchmark(null_kernels, &count, &options);
    printf(",\n  \"small.null_kernel\": {\"us\": %.4f, \"best_us\": %.4f}", 1e6 * r.host.median / count,
           1e6 * r.host.min / count);
}
#endif

/* Whether the row ran. */
static bool time_row(const bench_row *row) {
    operands o = {0};
    make_operands(&o, row->operands);
    if (row->prepare && !gnd_error()) row->prepare(&o);
    timing t = {0};
    if (!gnd_error()) t = measure(row, &o);
    release(&o);
    if (gnd_error()) {
        fprintf(stderr, "%s: %s\n", row->name, gnd_error()->message);
        gnd_error_clear();
        return false;
    }
    printf(",\n  \"%s\": {\"us\": %.4f, \"best_us\": %.4f, \"issue_us\": %.4f, \"bytes\": %.0f}", row->name, t.us,
           t.best_us, t.issue_us, row->bytes);
    fflush(stdout);
    return true;
}

static void list(const bench_row *const *tables, size_t count) {
    const char *separator = "{\n";
    for (size_t i = 0; i < count; i++)
        for (const bench_row *row = tables[i]; row->name; row++, separator = ",\n") {
            printf("%s  \"%s\": ", separator, row->name);
            operands_print(row->operands, 1);
        }
    printf("\n}\n");
}

/* The head of the object: the device. */
static gnd_device begin(int argc, char **argv) {
    gnd_device device = gnd_current_device();
    gnd_device_properties properties;
    gnd_device_properties_of(device, &properties);
    gnd_check();
    printf("{\n  \"device\": {\"name\": \"%s\", \"kind\": \"%s\", \"version\": \"%s\"}", properties.name,
           device.kind == GND_GPU ? "gpu" : "cpu", gnd_version());
#ifdef GNDB_WITH_CUDA
    if (device.kind == GND_GPU && wanted("small.null_kernel", argc, argv)) null_kernel_row();
#else
    (void)argc, (void)argv;
#endif
    return device;
}

int main(int argc, char **argv) {
    const bool lists = argc == 2 && strcmp(argv[1], "--list") == 0;
    const gnd_device device = lists ? gnd_cpu() : begin(argc, argv);
    const bench_row *const tables[] = {
        bench_rows_elementwise, bench_rows_reduce,   bench_rows_scan,     bench_rows_index,  bench_rows_sort,
        bench_rows_products,    bench_rows_linalg,   bench_rows_fft,      bench_rows_random, bench_rows_fuse,
        bench_rows_filter,      bench_rows_stream,   bench_rows_convolve, bench_rows_signal, bench_rows_radar,
        bench_rows_anchor,      bench_rows_pictures, bench_rows_samples,  bench_rows_graph};
    bool all_ran = true;
    if (lists) return list(tables, sizeof tables / sizeof *tables), 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const bench_row *row = tables[i]; row->name; row++)
            if (wanted(row->name, argc, argv) && here(row, device)) all_ran &= time_row(row);
    printf("\n}\n");
    return all_ran ? 0 : 1;
}
