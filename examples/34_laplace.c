/*
 * 34_laplace.c: Laplace's equation on a square: each point becomes the mean of its four neighbours, again and again.
 *
 *     34_laplace [SIDE [PICTURE.png]]
 *
 * The left side is held at 1, the others at 0. Neighbours are views, shifted by one; in a GND_FUSE block their mean and
 * the largest change are one launch, which reads the field and writes the next one. The change is looked at after each
 * hundred steps: to look is to wait.
 *
 * NumbaPro's example (laplace2d): 4096 x 4096 points of float64, 1000 steps. The changes are the same for each size,
 * from about 256 on: in a thousand steps the left side's warmth does not come far.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 1000, LOOK = 100 };
/* After step 0, 100 ... 900, by NumPy in float64. */
static const double by_numpy[STEPS / LOOK] = {0.25,     0.002397, 0.001204, 0.000804, 0.000603,
                                              0.000483, 0.000403, 0.000345, 0.000302, 0.000269};

static gnd_array *new_field(int64_t side) {
    gnd_array *field = gnd_zeros(GND_SHAPE(side, side), GND_FLOAT64);
    gnd_fill(gnd_slice(field, ":, 0"), 1);
    return field;
}

/* One step from a field to the next one, whose sides are there. `change`: where the largest one goes, or NULL. */
static void step(gnd_array *to, const gnd_array *from, gnd_array **change) {
    GND_FUSE {
        gnd_array *across = gnd_add(gnd_slice(from, "1:-1, 2:"), gnd_slice(from, "1:-1, :-2"));
        gnd_array *sum = gnd_add(gnd_add(across, gnd_slice(from, ":-2, 1:-1")), gnd_slice(from, "2:, 1:-1"));
        gnd_array *mean = gnd_multiply(sum, 0.25);
        gnd_copyto(gnd_slice(to, "1:-1, 1:-1"), mean);
        if (change) *change = gnd_keep(gnd_max(gnd_abs(gnd_subtract(mean, gnd_slice(from, "1:-1, 1:-1"))), GND_ALL));
    }
}

/* Many steps, from `field` to `other` and back. */
typedef struct job {
    gnd_array *field, *other;
    int64_t steps;
} job;
static void relax(void *context) {
    const job *j = context;
    for (int64_t k = 0; k < j->steps; k++)
        GND_SCOPE
            step(k % 2 ? j->field : j->other, k % 2 ? j->other : j->field, NULL);
}

/* The same on the host, a small square. */
static double loop_difference(void) {
    enum { SMALL = 40, FEW = 300 };
    static double host[2][SMALL][SMALL], found[SMALL][SMALL];
    memset(host, 0, sizeof host);
    for (int y = 0; y < SMALL; y++) host[0][y][0] = host[1][y][0] = 1;
    for (int k = 0; k < FEW; k++)
        for (int y = 1; y < SMALL - 1; y++)
            for (int x = 1; x < SMALL - 1; x++) {
                double(*from)[SMALL] = host[k % 2];
                host[1 - k % 2][y][x] = 0.25 * (from[y][x + 1] + from[y][x - 1] + from[y - 1][x] + from[y + 1][x]);
            }
    double largest = 0;
    GND_SCOPE {
        job j = {new_field(SMALL), new_field(SMALL), FEW};
        relax(&j);
        gnd_to_host(j.field, found, sizeof found);
    }
    for (int y = 0; y < SMALL; y++)
        for (int x = 0; x < SMALL; x++) largest = fmax(largest, fabs(found[y][x] - host[0][y][x]));
    return largest;
}

/* A thousand steps with looks; then as many as a small picture takes to settle. */
static double solve(int64_t side, const char *picture) {
    const bool on_gpu = gnd_current_device().kind == GND_GPU;
    double took = 0;
    GND_SCOPE {
        job j = {new_field(side), new_field(side), LOOK};
        if (!on_gpu) printf("%8s %12s %12s\n", "step", "change", "NumPy");
        for (int k = 0; k < STEPS; k += LOOK) {
            GND_SCOPE_HERE;
            gnd_array *change = NULL;
            step(j.other, j.field, &change);
            const double found = gnd_item_double(change);
            if (!on_gpu) printf("%8d %12.6f %12.6f\n", k, found, by_numpy[k / LOOK]);
            example_check(side < 256 || fabs(found - by_numpy[k / LOOK]) < 6e-7, "the change is another one");
            GND_SCOPE {
                job rest = {j.other, j.field, LOOK - 1};
                relax(&rest);
            }
        }
        took = example_time(relax, &j) / LOOK;
        if (picture) {
            job settled = {new_field(128), new_field(128), 12000};
            relax(&settled);
            gnd_save_image(picture, gnd_astype(gnd_rint(gnd_multiply(settled.field, 65535)), GND_UINT16));
        }
    }
    gnd_check();
    return took;
}

int main(int argc, char **argv) {
    const int64_t side = example_size(argc, argv, 4096, 512);
    example_check(side >= 8, "the side must be 8 or more");
    example_title("Laplace's equation, by the mean of four neighbours");
    const char *const names[] = {"a step, for a million points"};
    double ms[2], speed = 0;
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        const int64_t n = d < with - 1 && side > 512 ? 512 : side; /* the CPU's thousand steps would take long */
        gnd_use(devices[d]);
        const double difference = loop_difference();
        printf("%s: %lld x %lld points; on 40 x 40 the loop's result but for %.1e\n", d ? "GPU" : "CPU", (long long)n,
               (long long)n, difference);
        example_check(difference < 1e-14, "that is not what the loop finds");
        const double took = solve(n, d == 0 ? example_file(argc, argv) : NULL);
        ms[d] = took * 1e6 / (double)(n * n);
        speed = 2e-6 * sizeof(double) * (double)(n * n) / took;
    }
    printf("\n");
    example_table(1, names, ms);
    printf("\nA step reads the field and writes the next one: %.0f GB/s here. Look at the changes: they fall as\n"
           "1 / step, so that a thousand steps more give hardly another digit.\n",
           speed);
    return 0;
}
