/*
 * 01_arrays.c: what an array is, and what a view is: another way to look at the same memory.
 *
 *     01_arrays [SIDE]
 *
 * An array knows its dtype, its shape and its strides: how many bytes it is from one index to the next.
 * Slices, transposes and reshapes change these alone; no element moves, however many there are.
 */
#include "example.h"

#include <stdio.h>

/* What an array says of itself. */
static void describe(const char *name, const gnd_array *a) {
    printf("%-28s %-8s shape (%lld, %lld)  strides (%lld, %lld)  %s\n", name, gnd_dtype_name(gnd_dtype_of(a)),
           (long long)gnd_dim(a, 0), (long long)gnd_dim(a, 1), (long long)gnd_stride(a, 0), (long long)gnd_stride(a, 1),
           gnd_is_view(a) ? "a view" : "memory of its own");
}

/* An array, views of it, and what becomes of it when a view is written to. */
static void look_at_views(void) {
    gnd_array *x = gnd_arange(0, 24, 1, GND_INT32);
    gnd_array *a = gnd_reshape(x, GND_SHAPE(4, 6)); /* rows one behind the other */
    printf("a:\n");
    gnd_print(a);
    printf("\n");
    describe("a", a);
    describe("a[1:3, ::2]", gnd_slice(a, "1:3, ::2"));
    describe("a[::-1, :]", gnd_slice(a, "::-1, :"));
    describe("a, transposed", gnd_transpose(a));
    describe("a, a row 3 times", gnd_broadcast_to(gnd_slice(a, "0"), GND_SHAPE(3, 6)));
    describe("a, copied", gnd_copy(a));

    gnd_fill(gnd_slice(a, "1:3, ::2"), -1);
    printf("\na, after a[1:3, ::2] = -1, and x, of which it is a view:\n");
    gnd_print(a);
    gnd_print(x);
    example_check(gnd_item_int(gnd_slice(x, "6")) == -1, "a view writes the array it is of");
}

/* Shapes that differ are made to fit: an axis of size 1 goes along with any other. */
static void look_at_broadcasting(void) {
    gnd_array *column = gnd_reshape(gnd_arange(0, 3, 1, GND_INT32), GND_SHAPE(3, 1));
    gnd_array *row = gnd_arange(0, 5, 1, GND_INT32);
    gnd_array *table = gnd_add(gnd_multiply(column, 10), row);
    printf("\n10 * column + row, (3, 1) and (5,):\n");
    gnd_print(table);
    printf("its sums along axis 0, along axis 1, and of all:\n");
    gnd_print(gnd_sum(table, GND_AXES(0)));
    gnd_print(gnd_sum(table, GND_AXES(1)));
    gnd_print(gnd_sum(table, GND_ALL));
    example_check(gnd_item_int(gnd_sum(table, GND_ALL)) == 180, "the sum of the table is 180");
}

/* ---- what they cost ---- */

enum { VIEW, COPY, LINES };
static const char *const names[LINES] = {"transpose (a view)", "transpose, copied"};

static void transpose(void *a) {
    gnd_transpose(a);
}
static void transpose_and_copy(void *a) {
    gnd_ascontiguous(gnd_transpose(a));
}

int main(int argc, char **argv) {
    const int64_t side = example_size(argc, argv, 10000, 2000);
    example_title("Arrays and views");
    GND_SCOPE {
        look_at_views();
        look_at_broadcasting();
    }
    gnd_check();

    double ms[2][LINES];
    gnd_device devices[2];
    const int count = example_devices(devices);
    for (int d = 0; d < count; d++) {
        gnd_use(devices[d]);
        GND_SCOPE {
            gnd_array *a = example_random(GND_SHAPE(side, side), 1);
            ms[d][VIEW] = example_time(transpose, a);
            ms[d][COPY] = example_time(transpose_and_copy, a);
        }
        gnd_check();
    }
    printf("\nA matrix of %lld x %lld floats:\n", (long long)side, (long long)side);
    example_table(LINES, names, ms[0]);
    printf("\nLook at the strides: those of the transpose are exchanged, those of the reversed rows\n"
           "negative, and that of the repeated row is 0. Look at the last table: a view takes the\n"
           "same time whatever it is a view of.\n");
    return 0;
}
