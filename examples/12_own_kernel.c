/*
 * 12_own_kernel.c: a kernel of one's own: the Mandelbrot set, and its area by a reduction of one's own.
 *
 *     12_own_kernel [SIDE [PICTURE.png]]
 *
 * What is computed of one element is a line or a few of C++; shapes, dtypes, broadcasting and devices are
 * gnd's business. How often z -> z^2 + c can be repeated until |z| > 2 is another number for each c: a loop with
 * an end of its own, which operators on whole arrays can't say.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 256 }; /* whoever is not outside after so many steps counts as inside */
static const double left = -2.0, width = 2.5, bottom = -1.25;

/* Real and imaginary parts come as a row and a column; they broadcast to a plane. */
static gnd_kernel *escape_kernel(void) {
    return gnd_kernel_elementwise("T re, T im", "uint16 steps",
                                  "T x = 0, y = 0;\n"
                                  "int n = 0;\n"
                                  "for (; n < 256 && x * x + y * y <= 4; n++) {\n"
                                  "    T next = x * x - y * y + re;\n"
                                  "    y = 2 * x * y + im;\n"
                                  "    x = next;\n"
                                  "}\n"
                                  "steps = n;",
                                  "escape", NULL);
}

/* The area of the squares whose points are inside: a map, how two results are joined, what is stored (NULL:
   what comes of that), and what a sum begins with. */
static gnd_kernel *area_kernel(void) {
    return gnd_kernel_reduction("uint16 steps, float64 square", "float64 area", "steps == 256 ? square : 0.0", "a + b",
                                NULL, "0", "area", NULL);
}

typedef struct plane {
    gnd_kernel *escape;
    gnd_array *re, *im;
} plane;
static void compute(void *context) {
    const plane *p = context;
    gnd_kernel_call(p->escape, GND_ARGS(p->re, p->im));
}

/* A small picture in characters. */
static void show(const gnd_array *steps) {
    enum { ACROSS = 64, DOWN = 24 };
    const int64_t side = gnd_dim(steps, 0);
    for (int row = 0; row < DOWN; row++) {
        for (int column = 0; column < ACROSS; column++)
            GND_SCOPE {
                gnd_array *here =
                    gnd_slice(steps, "%lld, %lld", (long long)(row * side / DOWN), (long long)(column * side / ACROSS));
                const int64_t n = gnd_item_int(here);
                putchar(n == MOST ? '#' : n > 12 ? '+' : n > 5 ? '.' : ' ');
            }
        putchar('\n');
    }
}

enum { FIRST, AGAIN, LINES };
static const char *const names[LINES] = {"the first call", "each other call"};

static double measure(int64_t side, double ms[LINES], const char *picture_path, bool shown) {
    plane p = {.escape = escape_kernel()};
    gnd_kernel *add_up = area_kernel();
    double area = 0;
    gnd_check();
    GND_SCOPE {
        /* The middles of side x side squares that cover the plane's part. */
        const double step = width / (double)side;
        gnd_array *at = gnd_add(gnd_arange(0, side, 1, GND_FLOAT32), 0.5);
        p.re = gnd_add(gnd_multiply(at, step), left);
        p.im = gnd_reshape(gnd_add(gnd_multiply(at, step), bottom), GND_SHAPE(side, 1));
        const double start = example_clock();
        gnd_array *steps = gnd_kernel_call(p.escape, GND_ARGS(p.re, p.im));
        ms[FIRST] = example_clock() - start;
        ms[AGAIN] = example_time(compute, &p);
        area = gnd_item_double(gnd_kernel_call(add_up, GND_ARGS(steps, step * step)));
        gnd_check();
        if (shown) show(steps);
        if (picture_path) {
            gnd_array *bright = gnd_multiply(gnd_log2(gnd_astype(steps, GND_FLOAT32)), 255.0 / 8);
            gnd_save_image(picture_path, gnd_astype(gnd_clip(bright, 0, 255), GND_UINT8));
        }
    }
    gnd_kernel_release(p.escape), gnd_kernel_release(add_up);
    return area;
}

int main(int argc, char **argv) {
    const int64_t side = example_size(argc, argv, 2048, 1024);
    const char *picture_path = example_file(argc, argv);
    example_title("The Mandelbrot set by a kernel of one's own");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        const double area = measure(side, ms[d], d ? NULL : picture_path, d == 0);
        printf("%sarea on the %s: %.4f\n", d ? "" : "\n", d ? "GPU" : "CPU", area);
        /* 1.5066 (Foerstemann, Numerical estimation of the area of the Mandelbrot set, 2012), and what has
           not got out after 256 steps though it would. */
        example_check(fabs(area - 1.52) < 0.01 + 4 / (double)side, "that is not the set's area");
    }
    printf("\n%lld x %lld points:\n", (long long)side, (long long)side);
    example_table(LINES, names, ms[0]);
    printf("\nLook at the first call: it compiled the kernel, or found on disk what an earlier\n"
           "run had compiled. Run the program again to see the difference.\n");
    return 0;
}
