/*
 * 21_fft_convolution.c: filters by Fourier transforms. A Gaussian blur of a photograph: of its rows end to end
 * as one line, of the picture, and of its tiles as slices of a body: 1, 2 and 3 dimensions.
 *
 *     21_fft_convolution [PICTURE.pgm [WIDTH]]
 *
 * A sum of products for each pixel costs as many products as the filter has numbers: WIDTH, WIDTH^2 or
 * WIDTH^3. By Fourier transforms the width hardly matters. Both are held against each other at a few pixels.
 */
#include "example.h"
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 5, TILES = 8, SAMPLES = 5 };

/* The picture as float32, cut so that it divides into TILES x TILES tiles. */
static gnd_array *load(const char *path) {
    picture p;
    example_check(picture_read(path, &p), "cannot read the picture (an 8-bit PGM)");
    gnd_array *bytes = gnd_from_host(p.pixels, GND_SHAPE(p.height, p.width), GND_UINT8);
    free(p.pixels);
    gnd_array *cut =
        gnd_slice(bytes, ":%d, :%d", p.height / TILES * TILES, p.width / TILES * TILES);
    return gnd_ascontiguous(gnd_astype(cut, GND_FLOAT32));
}

/* A Gaussian of `width` numbers along each axis, whose sum is 1. */
static gnd_array *gaussian(int ndim, int64_t width) {
    gnd_array *at = gnd_subtract(gnd_arange(0, width, 1, GND_FLOAT32), (double)(width - 1) / 2);
    gnd_array *bell = gnd_exp(gnd_multiply(gnd_square(at), -18.0 / (double)(width * width)));
    gnd_array *line = gnd_divide(bell, gnd_sum(bell, GND_ALL)), *filter = line;
    for (int i = 1; i < ndim; i++)
        filter = gnd_multiply(gnd_expand_dims(filter, GND_AXES(-1)), line);
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
            window = gnd_moveaxis(
                gnd_slice(window, "%lld:%lld", (long long)first, (long long)(first + width)),
                GND_AXES(0), GND_AXES(-1));
            got = gnd_slice(got, "%lld", (long long)(first + width / 2));
        }
        const double direct = gnd_item_double(gnd_sum(gnd_multiply(window, filter), GND_ALL));
        largest = fmax(largest, fabs(gnd_item_double(got) - direct));
    }
    return largest;
}

static void blur(const char *what, const gnd_array *x, int64_t width) {
    GND_SCOPE {
        const int ndim = gnd_ndim(x);
        gnd_array *filter = gaussian(ndim, width), *blurred = NULL;
        double best = 1e30;
        for (int run = -1; run < RUNS; run++) {
            const double start = example_clock();
            blurred = gnd_fftconvolve(x, filter, GND_SAME, GND_ALL);
            const double took = example_clock() - start;
            if (run >= 0 && took < best) best = took;
        }
        const double error = difference(blurred, x, filter);
        gnd_check();
        printf("%-10s %8lld x %.0f %12.2f ms %14.1e\n", what, (long long)gnd_size(x),
               pow((double)width, ndim), best, error);
        example_check(error < 1e-3 * 255, "the two ways differ");
    }
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "examples/data/hubble_deep_field.pgm";
    const int64_t width = argc > 2 ? atoll(argv[2]) : 31;
    example_check(width >= 1 && width % 2 == 1, "the width must be odd");
    example_title("A Gaussian blur by Fourier transforms");
    GND_SCOPE {
        gnd_array *image = load(path);
        gnd_check();
        const int64_t rows = gnd_dim(image, 0) / TILES, columns = gnd_dim(image, 1) / TILES;
        gnd_array *line = gnd_reshape(image, GND_SHAPE(-1));
        gnd_array *tiles =
            gnd_swapaxes(gnd_reshape(image, GND_SHAPE(TILES, rows, TILES, columns)), 1, 2);
        gnd_array *body = gnd_reshape(tiles, GND_SHAPE(TILES * TILES, rows, columns));
        printf("%-10s %8s x %s %13s %16s\n", "", "pixels", "filter", "time", "difference");
        blur("a line", line, width);
        blur("a picture", image, width);
        blur("a body", body, width);
    }
    gnd_check();
    printf(
        "\nLook at the time of a pixel: the body's filter has %.0f times as many numbers as the\n"
        "line's, and the transforms hardly notice.\n",
        (double)(width * width));
    return 0;
}
