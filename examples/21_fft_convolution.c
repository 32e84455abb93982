/*
 * 21_fft_convolution.c: filters by Fourier transforms. A Gaussian blur of a photograph: of its rows end to end
 * as one line, of the picture, and of its tiles as slices of a body: 1, 2 and 3 dimensions.
 *
 *     21_fft_convolution [WIDTH [PICTURE.pgm [BLURRED.png]]]
 *
 * A sum of products for each pixel costs as many products as the filter has numbers: WIDTH, WIDTH^2 or
 * WIDTH^3. By Fourier transforms the width hardly matters. Both are held against each other at a few pixels.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TILES = 8, SAMPLES = 5, LINE = 0, PICTURE, BODY, LINES };
static const char *const names[LINES] = {"a line", "a picture", "a body"};

/* The picture as float32, cut so that it divides into TILES x TILES tiles. */
static gnd_array *load(const char *path) {
    gnd_array *bytes = gnd_load_image(path);
    gnd_check();
    const long long rows = gnd_dim(bytes, 0) / TILES * TILES;
    const long long columns = gnd_dim(bytes, 1) / TILES * TILES;
    gnd_array *cut = gnd_slice(bytes, ":%lld, :%lld", rows, columns);
    return gnd_ascontiguous(gnd_astype(cut, GND_FLOAT32));
}

/* A Gaussian of `width` numbers along each axis, whose sum is 1. */
static gnd_array *gaussian(int ndim, int64_t width) {
    gnd_array *at = gnd_subtract(gnd_arange(0, width, 1, GND_FLOAT32), (double)(width - 1) / 2);
    gnd_array *bell = gnd_exp(gnd_multiply(gnd_square(at), -18.0 / (double)(width * width)));
    gnd_array *line = gnd_divide(bell, gnd_sum(bell, GND_ALL)), *filter = line;
    for (int i = 1; i < ndim; i++) filter = gnd_multiply(gnd_expand_dims(filter, GND_AXES(-1)), line);
    return filter;
}

/* The largest difference from sums of products, at pixels along the diagonal; the filter is the same from
   both ends, so that it need not be turned around. */
static double difference(const gnd_array *blurred, const gnd_array *x, const gnd_array *filter) {
    const int ndim = gnd_ndim(x);
    const int64_t width = gnd_dim(filter, 0);
    double largest = 0;
    for (int k = 0; k < SAMPLES; k++) {
        const gnd_array *window = x, *got = blurred;
        for (int i = 0; i < ndim; i++) {
            const int64_t first = (gnd_dim(x, i) - width) * k / (SAMPLES - 1);
            window = gnd_moveaxis(gnd_slice(window, "%lld:%lld", (long long)first, (long long)(first + width)),
                                  GND_AXES(0), GND_AXES(-1));
            got = gnd_slice(got, "%lld", (long long)(first + width / 2));
        }
        const double direct = gnd_item_double(gnd_sum(gnd_multiply(window, filter), GND_ALL));
        largest = fmax(largest, fabs(gnd_item_double(got) - direct));
    }
    return largest;
}

typedef struct job {
    gnd_array *x, *filter;
} job;
static void convolve(void *context) {
    const job *j = context;
    gnd_fftconvolve(j->x, j->filter, GND_SAME, GND_ALL);
}

/* Milliseconds that a blur takes on the current device. */
static double blur(const char *what, gnd_array *x, int64_t width) {
    double took = 0;
    GND_SCOPE {
        job j = {x, gaussian(gnd_ndim(x), width)};
        gnd_array *blurred = gnd_fftconvolve(j.x, j.filter, GND_SAME, GND_ALL);
        const double error = difference(blurred, x, j.filter);
        took = example_time(convolve, &j);
        printf("%s, %s: %lld pixels, a filter of %lld numbers, difference from direct sums %.1e\n",
               gnd_current_device().kind == GND_GPU ? "GPU" : "CPU", what, (long long)gnd_size(x),
               (long long)gnd_size(j.filter), error);
        example_check(error < 1e-3 * 255, "the two ways differ");
    }
    gnd_check();
    return took;
}

int main(int argc, char **argv) {
    const int64_t width = example_size(argc, argv, 31, 31);
    const char *path = example_data(argc, argv, "hubble_deep_field.pgm");
    example_check(width % 2 == 1, "the width must be odd");
    example_title("A Gaussian blur by Fourier transforms");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        GND_SCOPE {
            gnd_array *image = load(path);
            gnd_check();
            const int64_t rows = gnd_dim(image, 0) / TILES, columns = gnd_dim(image, 1) / TILES;
            gnd_array *grid = gnd_reshape(image, GND_SHAPE(TILES, rows, TILES, columns));
            gnd_array *tiles = gnd_swapaxes(grid, 1, 2);
            ms[d][LINE] = blur(names[LINE], gnd_reshape(image, GND_SHAPE(-1)), width);
            ms[d][PICTURE] = blur(names[PICTURE], image, width);
            ms[d][BODY] = blur(names[BODY], gnd_reshape(tiles, GND_SHAPE(TILES * TILES, rows, columns)), width);
            if (argc > 3) { /* rounded to whole numbers, as pictures have them */
                gnd_array *blurred = gnd_fftconvolve(image, gaussian(2, width), GND_SAME, GND_ALL);
                gnd_save_image(argv[3], gnd_astype(gnd_rint(gnd_clip(blurred, 0, 255)), GND_UINT8));
            }
        }
    }
    printf("\n");
    example_table(LINES, names, ms[0]);
    printf("\nLook at the times: the body's filter has %.0f times as many numbers as the line's,\n"
           "and direct sums would take so many times as long. By transforms it takes %.1f times\n"
           "as long on the %s.\n",
           (double)(width * width), ms[with - 1][BODY] / ms[with - 1][LINE], with == 2 ? "GPU" : "CPU");
    return 0;
}
