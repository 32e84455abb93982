/*
 * 07_blur.c: a 2048 x 2048 picture of points convolved with a Gaussian of 15 x 15, in three ways, and what
 * it takes to time them fairly.
 *
 *     07_blur [SIDE [PICTURE.png]]
 *
 * The ways are Fourier transforms (gnd_fftconvolve); the sum of 15 x 15 products for each pixel, here by a kernel of
 * one's own (gnd_convolve2d has it ready, see 26_edges.c); and, since a Gaussian is a product of a column and a row, 15
 * products down and then 15 across, by the same kernel.
 */
#include "example.h"

#include <stdio.h>
#include <stdlib.h>

enum { TILE = 16, WIDTH = 15 };

/* Products with the filter `f` at each pixel of a picture with a border; the filter is turned around, since
   that is what a convolution does. Neighbours in a row lie one behind the other. */
static const char *const body =
    "const long long columns = x.shape(1) - f.shape(1) + 1, row = i / columns, column = i % "
    "columns;\n"
    "const int height = f.shape(0), width = f.shape(1);\n"
    "float sum = 0;\n"
    "for (int j = 0; j < height; j++) {\n"
    "    const float *pixel = x.data() + (row + j) * x.shape(1) + column;\n"
    "    const float *weight = f.data() + (height - j) * width - 1;\n"
    "    for (int k = 0; k < width; k++) sum += pixel[k] * weight[-k];\n"
    "}\n"
    "y = sum;";

/* What the ways work on, and their last result. */
typedef struct blur {
    gnd_kernel *convolve;
    gnd_array *picture, *column, *row, *filter, *result;
    float *host;
} blur;

/* A tile with one bright pixel, repeated; and the Gaussian. */
static void prepare(blur *b, int64_t side) {
    gnd_array *tile = gnd_zeros(GND_SHAPE(TILE, TILE), GND_FLOAT32);
    gnd_fill(gnd_slice(tile, "%d, %d", TILE / 2, TILE / 2), 1);
    b->picture = gnd_tile(tile, GND_SHAPE(side / TILE, side / TILE));
    gnd_array *at = gnd_linspace(-2, 2, WIDTH, true, GND_FLOAT32);
    gnd_array *bell = gnd_exp(gnd_multiply(gnd_square(at), -0.5));
    gnd_array *line = gnd_divide(bell, gnd_sum(bell, GND_ALL));
    b->column = gnd_reshape(line, GND_SHAPE(WIDTH, 1));
    b->row = gnd_reshape(line, GND_SHAPE(1, WIDTH));
    b->filter = gnd_multiply(b->column, b->row);
}

/* The convolution with a filter, as large as the picture, beyond which there are zeros. */
static gnd_array *convolve(const blur *b, gnd_array *x, gnd_array *filter) {
    const int64_t up = gnd_dim(filter, 0) / 2, left = gnd_dim(filter, 1) / 2;
    gnd_array *bordered = gnd_pad(x, GND_PAD_WIDTHS({up, up}, {left, left}), NULL);
    const gnd_kernel_call_options options = {.out = {gnd_empty_like(x, GND_FLOAT32)}};
    gnd_array *result = NULL;
    gnd_kernel_apply(&result, b->convolve, GND_ARGS(bordered, filter), &options);
    return result;
}
static void products(void *context) {
    blur *b = context;
    gnd_assign(&b->result, convolve(b, b->picture, b->filter));
}
static void two_passes(void *context) {
    blur *b = context;
    gnd_assign(&b->result, convolve(b, convolve(b, b->picture, b->column), b->row));
}
static void by_fourier(void *context) {
    blur *b = context;
    gnd_assign(&b->result, gnd_fftconvolve(b->picture, b->filter, GND_SAME, GND_ALL));
}
/* The quickest with its way to the device and back. */
static void with_transfers(void *context) {
    blur *b = context;
    const size_t bytes = (size_t)gnd_nbytes(b->picture);
    gnd_array *x = gnd_from_host(b->host, gnd_shape_of(b->picture), GND_FLOAT32);
    gnd_to_host(convolve(b, convolve(b, x, b->column), b->row), b->host, bytes);
}

enum { FIRST, PRODUCTS, TWO_PASSES, FOURIER, TRANSFERS, LINES };
static const char *const names[LINES] = {"15 x 15 products, the first call", "15 x 15 products",
                                         "15 down and 15 across", "Fourier transforms",
                                         "15 and 15, with the way there and back"};

/* Each tile of the result must be the filter: no two points are nearer than it is wide. */
static void check(const blur *b) {
    gnd_array *tile = gnd_slice(b->result, "%d:%d, %d:%d", TILE + 1, 2 * TILE, TILE + 1, 2 * TILE);
    example_check(example_difference(tile, b->filter) < 1e-5, "a point does not become the filter");
}

/* All ways on the current device, with kernels compiled, memory there, and a wait at each end. */
static void measure(int64_t side, double ms[LINES], const char *picture_path) {
    blur b = {.convolve = gnd_kernel_elementwise("raw float32 x, raw float32 f", "float32 y", body, "convolve", NULL)};
    GND_SCOPE {
        prepare(&b, side);
        b.host = malloc((size_t)gnd_nbytes(b.picture));
        example_check(b.host != NULL, "no memory on the host");
        gnd_to_host(b.picture, b.host, (size_t)gnd_nbytes(b.picture));
        const double start = example_clock();
        products(&b);
        ms[FIRST] = example_clock() - start, check(&b);
        ms[PRODUCTS] = example_time(products, &b), check(&b);
        ms[TWO_PASSES] = example_time(two_passes, &b), check(&b);
        ms[FOURIER] = example_time(by_fourier, &b), check(&b);
        ms[TRANSFERS] = example_time(with_transfers, &b);
        if (picture_path) { /* a corner, before and after side by side */
            gnd_array *before = gnd_slice(b.picture, ":128, :128");
            gnd_array *after = gnd_slice(b.result, ":128, :128");
            gnd_array *white = gnd_divide(255, gnd_max(after, GND_ALL));
            const gnd_array *pair[] = {gnd_multiply(before, 255), gnd_clip(gnd_multiply(after, white), 0, 255)};
            gnd_save_image(picture_path, gnd_astype(gnd_concatenate(2, pair, 1), GND_UINT8));
        }
        gnd_release(b.result);
    }
    free(b.host);
    gnd_kernel_release(b.convolve);
    gnd_check();
}

int main(int argc, char **argv) {
    const int64_t side = example_size(argc, argv, 2048, 2048) / TILE * TILE;
    const char *picture_path = example_file(argc, argv);
    example_title("A Gaussian of 15 x 15 over a picture of points");
    example_check(side >= 2 * TILE, "the side must be 32 or more");
    printf("%lld x %lld pixels, float32\n\n", (long long)side, (long long)side);
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) gnd_use(devices[d]), measure(side, ms[d], d ? NULL : picture_path);
    example_table(LINES, names, ms[0]);
    printf("\nEvery point became the filter, in each of the ways. Look at the first line: it\n"
           "has the compiler in it (or what it left on disk), and no other call pays for\n"
           "that. And look at the last: a fair comparison says whether data has to travel.\n");
    return 0;
}
