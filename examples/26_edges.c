/*
 * 26_edges.c: a picture blurred, and its edges, by gnd_convolve2d; and the exercise of a lesson about GPUs beside
 * what was published for it.
 *
 *     26_edges [SIDE [PICTURE.pgm [EDGES.png]]]
 *
 * An edge is where neighbouring pixels differ. Sobel's filters take the differences from left to right and from top
 * to bottom, each smoothed the other way; the length of the two is how steep the picture is. In a photograph of the sky
 * the noise is steep, too, so it is blurred first, by the lesson's Gaussian of 15 x 15.
 *
 * The exercise is that of "GPU Programming", The Carpentries Incubator: SIDE x SIDE pixels, a bright one in each tile
 * of 16 x 16, convolved with the Gaussian, by SciPy on a CPU and by CuPy on a Tesla T4.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TILE = 16, WIDTH = 15 };

static gnd_array *gaussian_line(void) {
    gnd_array *at = gnd_linspace(-2, 2, WIDTH, true, GND_FLOAT32);
    gnd_array *bell = gnd_exp(gnd_multiply(gnd_square(at), -0.5));
    return gnd_divide(bell, gnd_sum(bell, GND_ALL));
}
static gnd_array *gaussian(void) {
    gnd_array *line = gaussian_line();
    return gnd_multiply(gnd_expand_dims(line, GND_AXES(1)), line);
}

/* ---- the photograph ---- */

/* Beyond its edges a picture goes on as its mirror image, so that no edge is found there. */
static gnd_array *filter(const gnd_array *picture, const gnd_array *with) {
    return gnd_convolve2d(picture, with, GND_SAME, &(gnd_convolve2d_options){.boundary = GND_BOUNDARY_SYMM});
}

static gnd_array *steepness(const gnd_array *picture) {
    gnd_array *across = gnd_from_host((const float[]){1, 0, -1, 2, 0, -2, 1, 0, -1}, GND_SHAPE(3, 3), GND_FLOAT32);
    return gnd_hypot(filter(picture, across), filter(picture, gnd_transpose(across)));
}

/* Each pixel of Sobel's filter is six differences: found here without a convolution, inside the edges. */
static void check_across(const gnd_array *picture) {
    gnd_array *across = gnd_from_host((const float[]){1, 0, -1, 2, 0, -2, 1, 0, -1}, GND_SHAPE(3, 3), GND_FLOAT32);
    gnd_array *found = gnd_slice(filter(picture, across), "1:-1, 1:-1");
    gnd_array *wide = gnd_subtract(gnd_slice(picture, ":, 2:"), gnd_slice(picture, ":, :-2"));
    gnd_array *middle = gnd_multiply(gnd_slice(wide, "1:-1"), 2.0f);
    gnd_array *sum = gnd_add(gnd_add(gnd_slice(wide, ":-2"), middle), gnd_slice(wide, "2:"));
    example_check(gnd_item_bool(gnd_all(gnd_equal(found, sum), GND_ALL)), "Sobel's filter is no difference");
}

static void find_edges(const char *path, const char *result, bool shown) {
    GND_SCOPE {
        gnd_array *photo = gnd_load_image(path);
        gnd_check();
        gnd_array *picture = gnd_astype(photo, GND_FLOAT32);
        check_across(picture);
        gnd_array *blurred = filter(picture, gaussian());
        gnd_array *noisy = steepness(picture), *edges = steepness(blurred);
        /* Of the whole picture, a sky's own edges are few, and the noise's are everywhere. */
        const double white = gnd_item_double(gnd_max(edges, GND_ALL));
        const double share = gnd_item_double(gnd_mean(gnd_greater(edges, 0.1 * white), GND_ALL));
        const double level = gnd_item_double(gnd_mean(picture, GND_ALL));
        const double change = fabs(gnd_item_double(gnd_mean(blurred, GND_ALL)) / level - 1);
        printf("%s: the steepness is %.2f in the mean, %.2f after the blur; %.2f%% of %lld pixels are edges\n",
               gnd_current_device().kind == GND_GPU ? "GPU" : "CPU", gnd_item_double(gnd_mean(noisy, GND_ALL)),
               gnd_item_double(gnd_mean(edges, GND_ALL)), 100 * share, (long long)gnd_size(edges));
        example_check(change < 1e-4, "a blur keeps the light, with mirrors at the edges");
        if (result && shown) {
            gnd_array *bright = gnd_clip(gnd_multiply(gnd_sqrt(gnd_divide(edges, white)), 255), 0, 255);
            const gnd_array *three[] = {picture, gnd_clip(blurred, 0, 255), bright};
            gnd_save_image(result, gnd_astype(gnd_rint(gnd_concatenate(3, three, 1)), GND_UINT8));
        }
    }
    gnd_check();
}

/* ---- the exercise ---- */

enum { PLANE, TRANSFERS, LINE, LINES };
static const char *const names[LINES] = {"convolve2d, 15 x 15", "with the way there and back",
                                         "convolve, 15, of a line"};
/* Milliseconds, of 2048 x 2048 pixels. */
static const double published[LINES][2] = {{2400, 20.642}, {2400, 35.4}, {270, 14.529}};

typedef struct exercise {
    gnd_array *picture, *filter, *line, *pixels;
    float *host;
} exercise;
static void plane(void *context) {
    const exercise *e = context;
    gnd_convolve2d(e->picture, e->filter, GND_SAME, NULL);
}
static void with_transfers(void *context) {
    const exercise *e = context;
    gnd_array *picture = gnd_from_host(e->host, gnd_shape_of(e->picture), GND_FLOAT32);
    gnd_to_host(gnd_convolve2d(picture, e->filter, GND_SAME, NULL), e->host, (size_t)gnd_nbytes(picture));
}
static void line(void *context) {
    const exercise *e = context;
    gnd_convolve(e->pixels, e->line, GND_SAME);
}

static void measure(int64_t side, double ms[LINES]) {
    GND_SCOPE {
        gnd_array *tile = gnd_zeros(GND_SHAPE(TILE, TILE), GND_FLOAT32);
        gnd_fill(gnd_slice(tile, "%d, %d", TILE / 2, TILE / 2), 1);
        exercise e = {gnd_tile(tile, GND_SHAPE(side / TILE, side / TILE)), gaussian(), gaussian_line(), NULL, NULL};
        e.pixels = gnd_reshape(e.picture, GND_SHAPE(-1));
        gnd_array *once = gnd_slice(gnd_convolve2d(e.picture, e.filter, GND_SAME, NULL), "%d:%d, %d:%d", TILE + 1,
                                    2 * TILE, TILE + 1, 2 * TILE);
        example_check(example_difference(once, e.filter) < 1e-6, "a point does not become the filter");
        e.host = calloc((size_t)gnd_size(e.picture), sizeof(float));
        example_check(e.host != NULL, "no memory on the host");
        ms[PLANE] = example_time(plane, &e);
        ms[TRANSFERS] = example_time(with_transfers, &e);
        ms[LINE] = example_time(line, &e);
        free(e.host);
    }
    gnd_check();
}

int main(int argc, char **argv) {
    const int64_t side = example_size(argc, argv, 2048, 2048) / TILE * TILE;
    example_check(side >= 2 * TILE, "the side must be 32 or more");
    example_title("Edges of a picture, and an exercise");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        find_edges(example_data(argc, argv, "hubble_deep_field.pgm"), argc > 3 ? argv[3] : NULL, d == 0);
        measure(side, ms[d]);
    }
    printf("\n%lld x %lld pixels\n", (long long)side, (long long)side);
    example_table(LINES, names, ms[0]);
    printf("\n%-40s %12s %12s %12s\n", "published, 2048 x 2048 pixels", "SciPy, CPU", "CuPy, T4", "CPU / GPU");
    for (int i = 0; i < LINES; i++)
        printf("%-40s %12.0f %12.1f %12.0f\n", names[i], published[i][0], published[i][1],
               published[i][0] / published[i][1]);
    return 0;
}
