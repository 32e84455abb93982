/*
 * 32_mandelbrot.c: the Mandelbrot set in three ways: a loop of C, operators on whole arrays, and a function of numbers
 * that becomes an operator.
 *
 *     32_mandelbrot [ROWS [PICTURE.png]]
 *
 * NumbaPro's example: 5000 x 7500 points, 20 steps of z -> z^2 + c, and for each point the step at which |z| >= 2. As
 * operators all points take all steps; fused, they are one launch, in which z never goes through memory. The function
 * stops at the step it looks for. 12_own_kernel goes further, with a loop of 256 steps and the set's area.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 20, CHECKED = 50 };
static const double left = -2, right = 1, bottom = -1, top = 1;

/* Real and imaginary parts of the points: a row and a column, which broadcast to a plane. */
typedef struct plane {
    int64_t rows, columns;
    gnd_array *re, *im;
    gnd_kernel *steps;
} plane;

static plane new_plane(int64_t rows) {
    const int64_t columns = rows * 3 / 2;
    return (plane){rows, columns, gnd_linspace(left, right, columns, false, GND_FLOAT64),
                   gnd_reshape(gnd_linspace(bottom, top, rows, false, GND_FLOAT64), GND_SHAPE(rows, 1)),
                   gnd_vectorize("uint8(float64 re, float64 im)",
                                 "double x = 0, y = 0;\n"
                                 "for (int i = 0; i < 20; i++) {\n"
                                 "    double next = x * x - y * y + re;\n"
                                 "    y = 2 * x * y + im;\n"
                                 "    x = next;\n"
                                 "    if (x * x + y * y >= 4) return i;\n"
                                 "}\n"
                                 "return 20;",
                                 "mandelbrot", NULL)};
}

/* As NumPy would do it: how many steps have |z| < 2. Who is out stays out, though z goes on, to infinity and NaN. */
static gnd_array *by_operators(const plane *p) {
    gnd_array *steps = NULL;
    GND_FUSE {
        gnd_array *x = p->re, *y = p->im, *count = NULL;
        for (int i = 0; i < STEPS; i++) {
            gnd_array *xx = gnd_square(x), *yy = gnd_square(y);
            gnd_array *inside = gnd_where(gnd_less(gnd_add(xx, yy), 4), 1.0, 0.0);
            count = count ? gnd_add(count, inside) : inside;
            y = gnd_add(gnd_multiply(gnd_multiply(x, 2), y), p->im);
            x = gnd_add(gnd_subtract(xx, yy), p->re);
        }
        steps = gnd_keep(gnd_astype(count, GND_UINT8));
    }
    return steps;
}
static gnd_array *by_function(const plane *p) {
    return gnd_kernel_call(p->steps, GND_ARGS(p->re, p->im));
}

/* One point on the host. */
static int steps_of(double re, double im) {
    double x = 0, y = 0;
    for (int i = 0; i < STEPS; i++) {
        const double next = x * x - y * y + re;
        y = 2 * x * y + im, x = next;
        if (x * x + y * y >= 4) return i;
    }
    return STEPS;
}

/* How many of some rows' points the two ways see otherwise than the loop, and the time that the loop would take. */
static double compare(const plane *p, const gnd_array *steps, int64_t *others) {
    const int64_t apart = p->rows / CHECKED > 0 ? p->rows / CHECKED : 1, count = (p->rows + apart - 1) / apart;
    uint8_t *host = malloc((size_t)(count * p->columns)), *found = malloc((size_t)(count * p->columns));
    example_check(host && found, "no memory on the host");
    gnd_array *rows = gnd_slice(steps, "::%lld", (long long)apart);
    gnd_to_host(rows, found, (size_t)(count * p->columns));
    const double start = example_clock();
    for (int64_t r = 0; r < count; r++)
        for (int64_t c = 0; c < p->columns; c++)
            host[r * p->columns + c] =
                (uint8_t)steps_of(left + (double)c * ((right - left) / (double)p->columns),
                                  bottom + (double)(r * apart) * ((top - bottom) / (double)p->rows));
    const double took = example_clock() - start;
    *others = 0;
    for (int64_t i = 0; i < count * p->columns; i++) *others += host[i] != found[i];
    example_check(*others <= 1 + count * p->columns / 10000, "the points do not leave when they should");
    free(host), free(found);
    return took * (double)p->rows / (double)count;
}

/* ---- how long it takes ---- */

enum { LOOP, OPERATORS, FUNCTION, LINES };
static const char *const names[LINES] = {"a loop of C, one thread", "operators, fused", "a function of numbers"};
static void run_operators(void *p) {
    by_operators(p);
}
static void run_function(void *p) {
    by_function(p);
}

/* A small picture in characters. */
static void show(const gnd_array *steps) {
    enum { ACROSS = 72, DOWN = 24 };
    for (int row = 0; row < DOWN; row++) {
        for (int column = 0; column < ACROSS; column++) {
            const int64_t n = gnd_at_int(steps, row * gnd_dim(steps, 0) / DOWN, column * gnd_dim(steps, 1) / ACROSS);
            putchar(" .:-=+*#"[n >= STEPS ? 7 : n > 6 ? 6 : n]);
        }
        putchar('\n');
    }
}

static void measure(int64_t rows, double ms[LINES], const char *picture, bool shown) {
    GND_SCOPE {
        plane p = new_plane(rows);
        gnd_array *steps = by_function(&p), *fused = by_operators(&p);
        gnd_check();
        int64_t others = 0, fused_others = 0;
        ms[LOOP] = compare(&p, steps, &others);
        compare(&p, fused, &fused_others);
        ms[OPERATORS] = example_time(run_operators, &p), ms[FUNCTION] = example_time(run_function, &p);
        if (shown) show(steps), printf("\n");
        const double share = gnd_item_double(gnd_mean(gnd_equal(steps, STEPS), GND_ALL));
        printf("%s: %.3f%% of %lld x %lld points take all %d steps; %lld and %lld differ from the loop's\n",
               gnd_current_device().kind == GND_GPU ? "GPU" : "CPU", 100 * share, (long long)rows, (long long)p.columns,
               STEPS, (long long)fused_others, (long long)others);
        if (picture && shown) gnd_save_image(picture, gnd_multiply(steps, 12));
        gnd_kernel_release(p.steps);
    }
    gnd_check();
}

int main(int argc, char **argv) {
    const int64_t rows = example_size(argc, argv, 5000, 500);
    example_check(rows >= 24, "there must be 24 rows or more");
    example_title("The Mandelbrot set in three ways");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        measure(rows, ms[d], example_file(argc, argv), d == 0);
        if (d) ms[d][LOOP] = NAN;
    }
    printf("\n");
    example_table(LINES, names, ms[0]);
    printf("\nLook at the last two lines: the operators take all %d steps for each point, the function only\n"
           "as many as it needs.\n",
           STEPS);
    return 0;
}
