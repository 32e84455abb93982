/*
 * first_fuse.c: what the first fused call of a fresh process costs, as one JSON object.
 *
 *     first_fuse sqdiff|gaussian|hidden wall|device [COUNT]
 *
 * wall: milliseconds from the call to its result, on a device that is up and has nothing to do. device: as
 * long as work is queued before it, so that events see what the device spends on it and not what the
 * host does meanwhile. Both are followed by the median of the same for further calls, and, where the interpreter was
 * asked for (GND_FUSE=interpret), once more with a compiled program. Operands are made, and a first elementwise call
 * is done, before: a process has always come so far.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "workloads_fuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AGAIN = 11, QUEUED = 1500 };

typedef gnd_array *workload(const gnd_array *x, const gnd_array *y);

static double wall(workload *work, const gnd_array *x, const gnd_array *y) {
    struct timespec start, end;
    gnd_sync();
    clock_gettime(CLOCK_MONOTONIC, &start);
    gnd_array *z = NULL;
    GND_FUSE z = gnd_keep(work(x, y));
    gnd_sync();
    clock_gettime(CLOCK_MONOTONIC, &end);
    gnd_release(z);
    return 1e3 * (double)(end.tv_sec - start.tv_sec) + 1e-6 * (double)(end.tv_nsec - start.tv_nsec);
}

/* `out` keeps the device busy while the host comes to the end of the call. */
static double device(workload *work, const gnd_array *x, const gnd_array *y, gnd_array *out, int queued) {
    gnd_event *start = gnd_event_new(true), *end = gnd_event_new(true);
    for (int i = 0; i < queued; i++) gnd_add_into(out, x, y);
    gnd_event_record(start, NULL);
    gnd_array *z = NULL;
    GND_FUSE z = gnd_keep(work(x, y));
    gnd_event_record(end, NULL);
    const double took = gnd_event_elapsed(start, end);
    gnd_release(z), gnd_event_release(start), gnd_event_release(end);
    return took;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of further calls. */
static double later(workload *work, const gnd_array *x, const gnd_array *y, gnd_array *out, bool events) {
    double took[AGAIN];
    for (int i = 0; i < AGAIN; i++) took[i] = events ? device(work, x, y, out, 20) : wall(work, x, y);
    qsort(took, AGAIN, sizeof *took, by_value);
    return took[AGAIN / 2];
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        workload *work;
    } known[] = {{"sqdiff", sqdiff}, {"gaussian", gaussian}, {"hidden", hidden}};
    workload *work = NULL;
    for (size_t i = 0; argc > 2 && i < sizeof known / sizeof *known; i++)
        if (strcmp(argv[1], known[i].name) == 0) work = known[i].work;
    const bool events = argc > 2 && strcmp(argv[2], "device") == 0;
    const int64_t count = argc > 3 ? atoll(argv[3]) : 100000000;
    if (!work || count < 1) {
        fprintf(stderr, "usage: %s sqdiff|gaussian|hidden wall|device [COUNT]\n", argv[0]);
        return 2;
    }
    gnd_array *x = gnd_full(GND_SHAPE(count), 0.3, GND_FLOAT32);
    gnd_array *y = gnd_full(GND_SHAPE(count), 0.7, GND_FLOAT32), *out = gnd_add(x, y);
    gnd_release(gnd_empty(GND_SHAPE(count), GND_FLOAT32)); /* the pool has room for the result */
    gnd_sync();
    gnd_check();
    const double first = events ? device(work, x, y, out, QUEUED) : wall(work, x, y);
    printf("{\"first_ms\": %.4f, \"again_ms\": %.4f", first, later(work, x, y, out, events));
    if (gnd_fuse_use(GND_FUSE_COMPILE) == GND_FUSE_INTERPRET) {
        wall(work, x, y); /* waits for the compiler */
        printf(", \"compiled_ms\": %.4f", later(work, x, y, out, events));
    }
    printf("}\n");
    gnd_release(x), gnd_release(y), gnd_release(out);
    gnd_check();
    return 0;
}
