/*
 * fuse_sweep.c: what a fused block costs beside the same lines without it, at sizes from 10 elements on: microseconds
 * of either, by turns, the least of several repetitions, in the thread's own time. A block that is slower by more than
 * a twentieth and 50 ns is marked.
 *
 *     GND_DEVICE=cpu GND_NUM_THREADS=1 fuse_sweep [LARGEST]      1e7 without a number
 */
#define _POSIX_C_SOURCE 200809L
#include <gnd.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct operands {
    gnd_array *x, *y, *m; /* two lines of n numbers, and about as many in a square */
} operands;
typedef gnd_array *(*lines)(const operands *o);

/* ---- the lines ------------------------------------------------------------------------------ */

static gnd_array *add(const operands *o) {
    return gnd_add(o->x, o->y);
}
static gnd_array *cast(const operands *o) {
    return gnd_astype(o->x, GND_FLOAT64);
}
static gnd_array *sum(const operands *o) {
    return gnd_sum(o->x, GND_ALL);
}
static gnd_array *difference(const operands *o) {
    gnd_array *d = gnd_subtract(o->x, o->y);
    return gnd_multiply(d, d);
}
static gnd_array *sum_of_squares(const operands *o) {
    return gnd_sum(difference(o), GND_ALL);
}
static gnd_array *gaussian(const operands *o) {
    return gnd_exp(gnd_multiply(gnd_square(gnd_divide(gnd_subtract(o->x, 0.5), 2.0)), -0.5));
}
static gnd_array *ten_sums(const operands *o) {
    gnd_array *a = gnd_add(o->x, o->y);
    for (int i = 1; i < 10; i++) a = gnd_add(a, o->y);
    return a;
}
static gnd_array *softmax(const operands *o) {
    gnd_array *e = gnd_exp(gnd_subtract(o->m, gnd_max(o->m, GND_AXES_KEEP(1))));
    return gnd_divide(e, gnd_sum(e, GND_AXES_KEEP(1)));
}
static gnd_array *columns(const operands *o) {
    return gnd_sum(gnd_multiply(o->m, 2.0), GND_AXES(0));
}

static const struct {
    const char *name;
    lines run;
} table[] = {{"x + y", add},
             {"cast", cast},
             {"sum", sum},
             {"(x-y)^2", difference},
             {"sum (x-y)^2", sum_of_squares},
             {"Gaussian", gaussian},
             {"10 sums", ten_sums},
             {"softmax", softmax},
             {"columns", columns}};
enum { LINES = sizeof table / sizeof *table };

/* ---- the clock ------------------------------------------------------------------------------ */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static double timed(lines run, const operands *o, bool fused, int calls) {
    const double begin = now();
    for (int i = 0; i < calls; i++) {
        gnd_array *z = NULL;
        if (fused)
            GND_FUSE z = gnd_keep(run(o));
        else
            GND_SCOPE
                z = gnd_keep(run(o));
        gnd_release(z);
    }
    return (now() - begin) / calls;
}

static void measure(int64_t n) {
    int64_t side = 1;
    while (side * side < n) side++;
    const operands o = {gnd_full(GND_SHAPE(n), 0.7, GND_FLOAT32), gnd_full(GND_SHAPE(n), 0.3, GND_FLOAT32),
                        gnd_full(GND_SHAPE(side, side), 0.3, GND_FLOAT32)};
    const int calls = n < 1000 ? 2000 : n < 100000 ? 100 : n < 1000000 ? 10 : 2;
    printf("%10lld", (long long)n);
    for (int k = 0; k < LINES; k++) {
        double plain = 1e30, fused = 1e30;
        for (int r = 0; r < 12; r++) {
            const double a = timed(table[k].run, &o, false, calls);
            const double b = timed(table[k].run, &o, true, calls);
            if (a < plain) plain = a;
            if (b < fused) fused = b;
        }
        printf("%9.2f %8.2f%c", plain, fused, fused > 1.05 * plain + 0.05 ? '!' : ' ');
    }
    printf("\n");
    gnd_release(o.x), gnd_release(o.y), gnd_release(o.m);
    gnd_check();
}

int main(int argc, char **argv) {
    const int64_t largest = argc > 1 ? (int64_t)atof(argv[1]) : 10000000;
    printf("%10s", "us");
    for (int k = 0; k < LINES; k++) printf("%18s ", table[k].name);
    printf("\n%10s", "elements");
    for (int k = 0; k < LINES; k++) printf("%9s %8s ", "plain", "fused");
    printf("\n");
    for (int64_t decade = 10; decade <= largest; decade *= 10) {
        measure(decade);
        if (3 * decade <= largest) measure(3 * decade);
    }
    return 0;
}
