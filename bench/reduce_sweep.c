/*
 * reduce_sweep.c: how fast reductions of every shape are, against the time that reading their input
 * takes, and whether they are right. Prints a line a case: microseconds, GB/s, time over floor, and
 * "WRONG" where the result is not that of the same sum in float64. Usage:
 *
 *     reduce_sweep [rows] [sweep] [dtypes] [large] [bits]      all of them without arguments
 */
#include <gnd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BANDWIDTH 4.3e12 /* bytes a second that an H200 reads */

typedef gnd_array *(*reduction)(const gnd_array *x, gnd_axes axes);

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Microseconds a call, back to back: the median of 9 groups of `calls`. */
static double time_of(reduction f, const gnd_array *x, gnd_axes axes, int calls) {
    double times[9];
    gnd_event *from = gnd_event_new(true), *to = gnd_event_new(true);
    for (int i = 0; i < calls + 3; i++) gnd_release(f(x, axes));
    for (int k = 0; k < 9; k++) {
        gnd_event_record(from, gnd_current_stream());
        for (int i = 0; i < calls; i++) gnd_release(f(x, axes));
        gnd_event_record(to, gnd_current_stream());
        gnd_event_sync(to);
        times[k] = gnd_event_elapsed(from, to) * 1e3 / calls;
    }
    gnd_event_release(from), gnd_event_release(to);
    qsort(times, 9, sizeof *times, compare);
    return times[4];
}

/* Whether a sum is, but for rounding, the one computed in float64. */
static bool is_right(const gnd_array *x, gnd_axes axes) {
    bool right = false;
    GND_SCOPE {
        gnd_array *sum = gnd_sum(x, axes);
        axes.dtype = GND_FLOAT64;
        gnd_array *exact = gnd_sum(x, axes);
        gnd_array *error = gnd_max(gnd_absolute(gnd_subtract(exact, sum)), GND_ALL);
        gnd_array *scale = gnd_max(gnd_absolute(exact), GND_ALL);
        const double length = (double)gnd_size(x) / (double)gnd_size(sum);
        right = gnd_item_double(error) <= 1e-6 * (gnd_item_double(scale) + length);
    }
    return right && !gnd_error();
}

static void show(const char *name, double us, double bytes, bool right) {
    const double floor_us = bytes / BANDWIDTH * 1e6;
    printf("%-34s %10.2f us %8.0f GB/s %6.2f of floor%s\n", name, us, bytes / us * 1e-3,
           us / floor_us, right ? "" : "  WRONG");
    fflush(stdout);
    gnd_check();
}

static void row(const char *name, reduction f, gnd_array *x, gnd_axes axes, bool check) {
    gnd_array *y = f(x, axes);
    const double bytes = (double)gnd_nbytes(x) + (double)gnd_nbytes(y);
    gnd_release(y);
    const bool right = !check || is_right(x, axes);
    show(name, time_of(f, x, axes, gnd_nbytes(x) > 1 << 20 ? 10 : 200), bytes, right);
}

/* Numbers between -1 and 1, of any shape. */
static gnd_array *numbers(gnd_shape shape, gnd_dtype dtype) {
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    const bool integer = gnd_dtype_kind(dtype) != 'f' && gnd_dtype_kind(dtype) != 'c';
    gnd_array *line = (gnd_linspace)(gnd_arg_real(integer ? 0 : -1),
                                     gnd_arg_real(integer ? 100 : 1), n, true, GND_FLOAT32);
    gnd_array *flat = gnd_astype(line, dtype), *x = gnd_reshape(flat, shape);
    gnd_release(line), gnd_release(flat);
    return x;
}

static void rows(void) {
    gnd_array *x = numbers(GND_SHAPE(100000000), GND_FLOAT32);
    row("red.sum_1e8", gnd_sum, x, GND_ALL, true);
    row("red.mean_1e8", gnd_mean, x, GND_ALL, false);
    row("red.max_1e8", gnd_max, x, GND_ALL, false);
    row("red.any_1e8", gnd_any, x, GND_ALL, false);
    row("red.all_1e8", gnd_all, x, GND_ALL, false);
    row("red.count_nonzero_1e8", gnd_count_nonzero, x, GND_ALL, false);
    row("red.prod_1e8", gnd_prod, x, GND_ALL, false);
    gnd_array *square = gnd_reshape(x, GND_SHAPE(10000, 10000));
    row("red.sum_axis0_1e4x1e4", gnd_sum, square, GND_AXES(0), true);
    row("red.sum_axis1_1e4x1e4", gnd_sum, square, GND_AXES(1), true);
    row("red.mean_axis0_1e4x1e4", gnd_mean, square, GND_AXES(0), false);
    row("red.max_axis1_1e4x1e4", gnd_max, square, GND_AXES(1), false);
    gnd_array *thin = gnd_reshape(x, GND_SHAPE(10000000, 10));
    row("red.sum_axis1_1e7x10", gnd_sum, thin, GND_AXES(1), true);
    row("red.sum_axis0_1e7x10", gnd_sum, thin, GND_AXES(0), true);
    gnd_array *cube = gnd_reshape(x, GND_SHAPE(250, 400, 1000));
    row("red.sum_axes02_250x400x1000", gnd_sum, cube, GND_AXES(0, 2), true);
    gnd_array *inside = gnd_slice(square, "3:-3, 5:-7");
    row("red.sum_all_sliced_1e4x1e4", gnd_sum, inside, GND_ALL, true);
    row("red.sum_axis0_sliced_1e4x1e4", gnd_sum, inside, GND_AXES(0), true);
    row("red.sum_axis1_sliced_1e4x1e4", gnd_sum, inside, GND_AXES(1), true);
    gnd_array *every = gnd_slice(square, ":, ::2");
    row("red.sum_axis1_strided2", gnd_sum, every, GND_AXES(1), true);
    gnd_axes masked = GND_ALL;
    masked.where = gnd_greater(x, 0);
    row("red.sum_where_1e8 (4 bytes each)", gnd_sum, x, masked, false);
    masked.where = NULL, masked.dtype = GND_FLOAT64;
    row("red.sum_as_float64_1e8", gnd_sum, x, masked, false);
    gnd_array *block = numbers(GND_SHAPE(200, 480, 1000), GND_FLOAT32);
    row("red.sum_axis1_200x480x1000", gnd_sum, block, GND_AXES(1), true);
    gnd_array *small = numbers(GND_SHAPE(1000), GND_FLOAT32);
    row("small.sum_1k", gnd_sum, small, GND_ALL, true);
    row("small.mean_1k", gnd_mean, small, GND_ALL, false);
}

/* Every M x N of 2^26 float32, contiguous and transposed, over either axis and both. */
static void sweep(void) {
    double worst = 1e9;
    char worst_name[64] = "", name[64];
    gnd_array *x = numbers(GND_SHAPE(1 << 26), GND_FLOAT32);
    for (int k = 0; k <= 26; k++)
        GND_SCOPE {
            gnd_array *matrix = gnd_reshape(x, GND_SHAPE(INT64_C(1) << k, INT64_C(1) << (26 - k)));
            for (int transposed = 0; transposed < 2; transposed++)
                for (int axis = 0; axis < 3; axis++) {
                    gnd_array *view = transposed ? gnd_transpose(matrix) : matrix;
                    const gnd_axes axes = axis == 2 ? GND_ALL : GND_AXES(axis);
                    gnd_array *y = gnd_sum(view, axes);
                    const double bytes = (double)gnd_nbytes(x) + (double)gnd_nbytes(y);
                    snprintf(name, sizeof name, "sweep 2^%d x 2^%d%s %s", k, 26 - k,
                             transposed ? ".T" : "",
                             axis == 2 ? "all"
                             : axis    ? "axis1"
                                       : "axis0");
                    const double us = time_of(gnd_sum, view, axes, 5);
                    show(name, us, bytes, is_right(view, axes));
                    if (bytes / us < worst) {
                        worst = bytes / us;
                        snprintf(worst_name, sizeof worst_name, "%s", name);
                    }
                }
        }
    printf("worst of the sweep: %s, %.0f%% of the bandwidth\n", worst_name,
           worst * 1e6 / BANDWIDTH * 100);
}

/* Sums of every dtype of 4e8 bytes: whole, by rows, by columns, by short rows, by
   narrow columns. */
static void dtypes(void) {
    char name[64];
    for (int d = GND_BOOL; d <= GND_COMPLEX128; d++)
        GND_SCOPE {
            const int64_t size = (int64_t)gnd_dtype_size((gnd_dtype)d), n = 400000000 / size;
            gnd_array *x = numbers(GND_SHAPE(n), (gnd_dtype)d);
            const int64_t columns[] = {1, 10, 100, 10000};
            for (int c = 0; c < 4; c++)
                for (int axis = 0; axis < 2; axis++) {
                    if (columns[c] == 1 && axis == 1) continue;
                    gnd_array *matrix = gnd_reshape(x, GND_SHAPE(n / columns[c], columns[c]));
                    snprintf(name, sizeof name, "%s %lld x %lld axis%d",
                             gnd_dtype_name((gnd_dtype)d), (long long)(n / columns[c]),
                             (long long)columns[c], axis);
                    row(name, gnd_sum, matrix, GND_AXES(axis), false);
                    if (columns[c] == 10000) {
                        row("    max", gnd_max, matrix, GND_AXES(axis), false);
                        row("    any", gnd_any, matrix, GND_AXES(axis), false);
                    }
                }
        }
}

/* More than 2^31 elements. */
static void large(void) {
    gnd_array *x = gnd_ones(GND_SHAPE(INT64_C(3000000000)), GND_INT8);
    const long long sum = (long long)gnd_item_int(gnd_sum(x, GND_ALL));
    printf("sum of 3e9 int8 ones: %lld%s\n", sum, sum == 3000000000 ? "" : "  WRONG");
    gnd_array *tall = gnd_reshape(x, GND_SHAPE(2, INT64_C(1500000000)));
    gnd_array *two = gnd_sum(tall, GND_AXES(0)), *half = gnd_sum(tall, GND_AXES(1));
    const bool right = gnd_item_int(gnd_min(two, GND_ALL)) == 2 &&
                       gnd_item_int(gnd_max(two, GND_ALL)) == 2 &&
                       gnd_item_int(gnd_min(half, GND_ALL)) == 1500000000;
    printf("over either axis of 2 x 1.5e9: %s\n", right ? "right" : "WRONG");
    row("sum 3e9 int8", gnd_sum, x, GND_ALL, false);
    gnd_check();
}

/* The same bits 100 times, with another stream busy. */
static void bits(void) {
    int different = 0;
    gnd_array *x = numbers(GND_SHAPE(9999, 5003), GND_FLOAT32);
    const gnd_axes axes[] = {GND_ALL, GND_AXES(0), GND_AXES(1)};
    gnd_stream *other = gnd_stream_new();
    for (int k = 0; k < 3; k++) {
        gnd_array *first = gnd_sum(x, axes[k]);
        for (int i = 0; i < 100; i++)
            GND_SCOPE {
                GND_STREAM(other) {
                    gnd_sum(x, axes[(k + i) % 3]);
                }
                gnd_array *again = gnd_sum(x, axes[k]);
                different += !gnd_item_bool(gnd_all(gnd_equal(first, again), GND_ALL));
            }
    }
    gnd_stream_release(other);
    printf("runs that gave other bits: %d of 300%s\n", different, different ? "  WRONG" : "");
    gnd_check();
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {
        {"rows", rows}, {"sweep", sweep}, {"dtypes", dtypes}, {"large", large}, {"bits", bits}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool asked = argc == 1;
        for (int a = 1; a < argc; a++) asked |= strcmp(argv[a], parts[i].name) == 0;
        if (asked)
            GND_SCOPE {
                parts[i].run();
            }
    }
    return 0;
}
