/*
 * reduce_sweep.c: sums of every shape: over axis 0, axis 1 and both of every M x N matrix of 2^LOG2
 * elements, contiguous and transposed (`sweep`), and of every dtype (`dtypes`). Prints a line a
 * case: microseconds, GB/s (what is read and written), share of the card's bandwidth, and "WRONG"
 * where the result is not, but for rounding, that of the same sum in float64. --json also writes
 * the cases to a file, which plot_sweep.py draws.
 *
 *     reduce_sweep [--log2 26] [--json FILE] [sweep] [dtypes]      both without a name
 */
#include <gnd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BANDWIDTH 4.3e12 /* bytes a second that an H200 reads */
#define GROUPS 9

static FILE *json;
static int failures;
static double worst_share = 1e9;
static char worst_name[96];

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- one case ------------------------------------------------------------------------------- */

/* Device time of a sum in microseconds, back to back: the median of groups of calls. */
static double time_of(const gnd_array *x, gnd_axes axes, int calls) {
    double times[GROUPS];
    gnd_event *from = gnd_event_new(true), *to = gnd_event_new(true);
    for (int i = 0; i < 3; i++) gnd_release(gnd_sum(x, axes));
    for (int k = 0; k < GROUPS; k++) {
        gnd_event_record(from, gnd_current_stream());
        for (int i = 0; i < calls; i++) gnd_release(gnd_sum(x, axes));
        gnd_event_record(to, gnd_current_stream());
        gnd_event_sync(to);
        times[k] = gnd_event_elapsed(from, to) * 1e3 / calls;
    }
    gnd_event_release(from), gnd_event_release(to);
    qsort(times, GROUPS, sizeof *times, compare);
    return times[GROUPS / 2];
}

/* Whether a sum is, but for rounding, the one computed in float64 (exactly it, for integers). */
static bool is_right(const gnd_array *x, gnd_axes axes) {
    bool right = false;
    GND_SCOPE {
        gnd_array *sum = gnd_sum(x, axes);
        const double unit = gnd_dtype_of(sum) == GND_FLOAT16 ? 1e-3 : gnd_dtype_of(sum) == GND_BFLOAT16 ? 8e-3 : 1e-6;
        axes.dtype = gnd_dtype_kind(gnd_dtype_of(x)) == 'c' ? GND_COMPLEX128 : GND_FLOAT64;
        gnd_array *exact = gnd_sum(x, axes);
        gnd_array *error = gnd_max(gnd_absolute(gnd_subtract(exact, sum)), GND_ALL);
        gnd_array *scale = gnd_max(gnd_absolute(exact), GND_ALL);
        const double length = (double)gnd_size(x) / (double)gnd_size(sum);
        right = gnd_item_double(error) <= unit * gnd_item_double(scale) + 1e-6 * length;
    }
    return right && !gnd_error();
}

/* Times and checks one case, prints it, and adds it to the file. */
static void show(const char *name, const char *fields, const gnd_array *x, gnd_axes axes) {
    const bool right = is_right(x, axes);
    gnd_array *y = gnd_sum(x, axes);
    const double bytes = (double)gnd_nbytes(x) + (double)gnd_nbytes(y);
    gnd_release(y);
    const double us = time_of(x, axes, 5), share = bytes / us * 1e6 / BANDWIDTH;
    printf("%-36s %10.2f us %8.0f GB/s %5.1f%%%s\n", name, us, bytes / us * 1e-3, 100 * share, right ? "" : "  WRONG");
    fflush(stdout);
    gnd_check();
    failures += !right;
    if (share < worst_share) {
        worst_share = share;
        snprintf(worst_name, sizeof worst_name, "%s", name);
    }
    if (json)
        fprintf(json, ",\n  {%s, \"us\": %.3f, \"bytes\": %.0f, \"share\": %.4f, \"right\": %s}", fields, us, bytes,
                share, right ? "true" : "false");
}

/* Numbers between -1 and 1, or 0 and 100 as integers, of any shape. */
static gnd_array *numbers(gnd_shape shape, gnd_dtype dtype) {
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    const bool integer = gnd_dtype_kind(dtype) != 'f' && gnd_dtype_kind(dtype) != 'c';
    gnd_array *line =
        (gnd_linspace)(gnd_arg_real(integer ? 0 : -1), gnd_arg_real(integer ? 100 : 1), n, true, GND_FLOAT32);
    gnd_array *flat = gnd_astype(line, dtype), *x = gnd_reshape(flat, shape);
    gnd_release(line), gnd_release(flat);
    return x;
}

/* ---- the cases ------------------------------------------------------------------------------ */

static const char *const axis_names[] = {"axis0", "axis1", "both"};

static void sweep(int log2) {
    char name[64], fields[160];
    gnd_array *x = numbers(GND_SHAPE(INT64_C(1) << log2), GND_FLOAT32);
    for (int k = 0; k <= log2; k++)
        GND_SCOPE {
            gnd_array *matrix = gnd_reshape(x, GND_SHAPE(INT64_C(1) << k, INT64_C(1) << (log2 - k)));
            /* The transposed ones are M x N as well: a view of an N x M matrix. */
            gnd_array *turned = gnd_transpose(gnd_reshape(x, GND_SHAPE(INT64_C(1) << (log2 - k), INT64_C(1) << k)));
            for (int transposed = 0; transposed < 2; transposed++)
                for (int axis = 0; axis < 3; axis++) {
                    snprintf(name, sizeof name, "2^%d x 2^%d%s %s", k, log2 - k, transposed ? " transposed" : "",
                             axis_names[axis]);
                    snprintf(fields, sizeof fields,
                             "\"part\": \"sweep\", \"log2_m\": %d, \"log2_n\": %d, "
                             "\"transposed\": %s, \"axis\": \"%s\"",
                             k, log2 - k, transposed ? "true" : "false", axis_names[axis]);
                    show(name, fields, transposed ? turned : matrix, axis == 2 ? GND_ALL : GND_AXES(axis));
                }
        }
    gnd_release(x);
}

/* Of every dtype: whole, by rows, by columns, by short rows, by narrow columns. */
static void dtypes(int log2) {
    char name[64], fields[160];
    const int64_t columns[] = {1, 10, 100, 10000};
    for (int d = GND_BOOL; d <= GND_COMPLEX128; d++)
        GND_SCOPE {
            const int64_t n = (INT64_C(4) << log2) / (int64_t)gnd_dtype_size((gnd_dtype)d);
            const char *dtype = gnd_dtype_name((gnd_dtype)d);
            gnd_array *x = numbers(GND_SHAPE(n / 10000 * 10000), (gnd_dtype)d);
            for (int c = 0; c < 4; c++)
                for (int axis = 0; axis < (columns[c] == 1 ? 1 : 2); axis++) {
                    const int64_t m = gnd_size(x) / columns[c];
                    gnd_array *matrix = gnd_reshape(x, GND_SHAPE(m, columns[c]));
                    snprintf(name, sizeof name, "%s %lld x %lld %s", dtype, (long long)m, (long long)columns[c],
                             axis_names[axis]);
                    snprintf(fields, sizeof fields,
                             "\"part\": \"dtypes\", \"dtype\": \"%s\", \"m\": %lld, \"n\": %lld, "
                             "\"axis\": \"%s\"",
                             dtype, (long long)m, (long long)columns[c], axis_names[axis]);
                    show(name, fields, matrix, GND_AXES(axis));
                }
        }
}

static void worst_of(const char *part) {
    printf("worst of %s: %s, %.1f%% of the bandwidth\n\n", part, worst_name, 100 * worst_share);
    worst_share = 1e9;
}

int main(int argc, char **argv) {
    int log2 = 26;
    bool sweep_asked = false, dtypes_asked = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--log2") == 0 && i + 1 < argc)
            log2 = atoi(argv[++i]);
        else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc)
            json = fopen(argv[++i], "w");
        else if (strcmp(argv[i], "sweep") == 0)
            sweep_asked = true;
        else if (strcmp(argv[i], "dtypes") == 0)
            dtypes_asked = true;
        else
            return fprintf(stderr, "reduce_sweep: what is %s?\n", argv[i]), 2;
    }
    gnd_device_properties properties;
    gnd_device_properties_of(gnd_current_device(), &properties);
    gnd_check();
    if (json)
        fprintf(json, "[\n  {\"device\": \"%s\", \"bandwidth\": %.4g, \"log2\": %d}", properties.name, BANDWIDTH, log2);
    if (sweep_asked || !dtypes_asked) sweep(log2), worst_of("the sweep");
    if (dtypes_asked || !sweep_asked) dtypes(log2), worst_of("the dtypes");
    if (json) fprintf(json, "\n]\n"), fclose(json);
    return failures != 0;
}
