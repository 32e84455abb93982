/*
 * 03_slice_first.c: a part of an array of the host is wanted on the device. Slice first and move the part,
 * or move all and slice there?
 *
 *     03_slice_first [ROWS]
 *
 * A bus moves bytes one after the other. Rows are such bytes; columns are not: somebody has to collect them,
 * on the host before, or on the device behind.
 */
#include "example.h"

#include <stdio.h>

enum { COLUMNS = 4096, PART = 32 }; /* one in 32 rows, or columns, is wanted */

/* What a way works on: an array in the host's memory, and which part of it is wanted. */
typedef struct job {
    const gnd_array *all;
    const char *part;
    gnd_device device;
    gnd_array *result; /* the last one */
} job;

/* To a GPU over the bus. The CPU has its arrays where they are; a copy in memory stands for the way. */
static gnd_array *move(const gnd_array *a, gnd_device device) {
    return device.kind == GND_GPU ? gnd_to_device(a, device) : gnd_copy(a);
}

/* gnd_to_device packs what is not contiguous where it lies, and moves that alone. */
static void slice_and_move(void *context) {
    job *j = context;
    gnd_array *part = gnd_get(j->all, GND_INDICES(j->part));
    gnd_assign(&j->result, move(part, j->device));
}
static void move_and_slice(void *context) {
    job *j = context;
    gnd_array *all = move(j->all, j->device);
    gnd_assign(&j->result, gnd_ascontiguous(gnd_get(all, GND_INDICES(j->part))));
}

/* Both ways, and whether they bring the same. */
static void compare(const char *what, const gnd_array *all, const char *part, gnd_device device) {
    job sliced = {all, part, device, NULL}, moved = {all, part, device, NULL};
    gnd_use(device); /* the one whose work is waited for */
    const double first = example_time(slice_and_move, &sliced);
    const double last = example_time(move_and_slice, &moved);
    const bool same = gnd_array_equal(sliced.result, moved.result, false);
    gnd_check();
    example_check(same, "both ways bring the same elements");
    printf("%-24s %8.1f MB %16.3f %16.3f %12.1f\n", what, 1e-6 * (double)gnd_nbytes(sliced.result), first, last,
           last / first);
    gnd_release(sliced.result), gnd_release(moved.result);
}

int main(int argc, char **argv) {
    const int64_t rows = example_size(argc, argv, 32768, 4096);
    char some_rows[32], some_columns[32];
    example_title("Slice first, or move first?");
    gnd_device devices[2];
    const gnd_device device = devices[example_devices(devices) - 1];
    snprintf(some_rows, sizeof some_rows, ":%lld, :", (long long)(rows / PART));
    snprintf(some_columns, sizeof some_columns, ":, :%d", COLUMNS / PART);

    gnd_use(gnd_cpu());
    GND_SCOPE {
        gnd_array *all = example_random(GND_SHAPE(rows, COLUMNS), 3);
        printf("An array of %lld x %d floats, %.0f MB, in the host's memory; a part of it to %s.\n\n", (long long)rows,
               COLUMNS, 1e-6 * (double)gnd_nbytes(all), device.kind == GND_GPU ? "the GPU" : "memory of its own");
        printf("%-24s %11s %16s %16s %12s\n", "milliseconds", "the part", "slice and move", "move and slice", "ratio");
        compare("all of it", all, ":, :", device);
        compare("the first rows", all, some_rows, device);
        compare("every 32nd row", all, "::32, :", device);
        compare("the first columns", all, some_columns, device);
        compare("every 32nd column", all, ":, ::32", device);
    }
    gnd_check();
    printf("\nLook at the ratio: parts are a %dnd of the whole, and sliced first they need a %dnd of\n"
           "the bus. Columns are dearer than rows, since the host must read around what it does not\n"
           "want; the device would do that faster, but only once everything is there.\n",
           PART, PART);
    if (device.kind == GND_CPU)
        printf("There is no GPU to move to here: a copy in memory stands for the bus, which is "
               "slower.\n");
    return 0;
}
