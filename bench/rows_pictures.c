/*
 * rows_pictures.c: pictures of 4096 x 4096: components of noise, whose elements are set with probability 0.4 or 0.6,
 * and sums over 200 labels, at random or of blocks of 290 x 290 elements; filters, interpolation and morphology.
 */
#include "bench.h"

#define SIDE bench_size(4096)

/* ---- components ----------------------------------------------------------------------------- */

static void noise(operands *o, double share) {
    gnd_array *x = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
    o->x = gnd_less(x, share);
    gnd_release(x);
}
static void noise_40(operands *o) {
    noise(o, 0.4);
}
static void noise_60(operands *o) {
    noise(o, 0.6);
}
static void label(operands *o) {
    int64_t count;
    gnd_release(gnd_label(o->x, NULL, &count));
}
BENCH_RUN(label_alone, gnd_label(o->x, NULL, NULL))

/* ---- sums over labels ----------------------------------------------------------------------- */

static void random_labels(operands *o) {
    o->x = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
    GND_SCOPE {
        o->y = gnd_keep(gnd_astype(gnd_multiply(bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32), 200), GND_INT32));
        o->z = gnd_keep(gnd_arange(0, 200, 1, GND_INT64));
    }
}
static void block_labels(operands *o) {
    random_labels(o);
    GND_SCOPE {
        const gnd_array *along = gnd_floor_divide(gnd_arange(0, SIDE, 1, GND_INT32), 290);
        const gnd_array *rows = gnd_multiply(gnd_slice(along, ":, None"), 14);
        gnd_release(o->y);
        o->y = gnd_keep(gnd_astype(gnd_add(rows, along), GND_INT32));
    }
}
BENCH_RUN(sum_labels, gnd_sum_labels(o->x, o->y, o->z))
BENCH_RUN(mean_labels, gnd_mean_labels(o->x, o->y, o->z))
BENCH_RUN(center_of_mass, gnd_center_of_mass(o->x, o->y, o->z))
BENCH_RUN(variance_labels, gnd_variance_labels(o->x, o->y, o->z))
BENCH_RUN(maximum_labels, gnd_maximum_labels(o->x, o->y, o->z))
BENCH_RUN(maximum_position, gnd_maximum_position(o->x, o->y, o->z))
BENCH_RUN(find_objects, gnd_find_objects(o->y, 200))

/* ---- distances ------------------------------------------------------------------------------ */

/* Half of the elements are zero; and a disc that nearly fills the picture, far from zeros. */
static void noise_50(operands *o) {
    noise(o, 0.5);
}
static void disc(operands *o) {
    GND_SCOPE {
        const gnd_array *along = gnd_subtract(gnd_arange(0, SIDE, 1, GND_FLOAT32), (float)SIDE / 2);
        const gnd_array *away = gnd_hypot(gnd_slice(along, ":, None"), along);
        o->x = gnd_keep(gnd_less(away, 0.48f * (float)SIDE));
    }
}
static void distance(operands *o) {
    gnd_array *distances;
    gnd_distance_transform_edt(&distances, NULL, o->x, NULL);
    gnd_release(distances);
}
static void distance_indices(operands *o) {
    gnd_array *distances, *indices;
    gnd_distance_transform_edt(&distances, &indices, o->x, NULL);
    gnd_release(distances);
    gnd_release(indices);
}
static void distance_chessboard(operands *o) {
    gnd_array *distances;
    gnd_distance_transform_cdt(&distances, NULL, o->x, GND_DISTANCE_CHESSBOARD, NULL);
    gnd_release(distances);
}

#define PIXELS 16777216.

/* ---- filters -------------------------------------------------------------------------------- */

static void picture_of(operands *o, int64_t side) {
    o->x = bench_random(GND_SHAPE(side, side), GND_FLOAT32);
}
static void picture(operands *o) {
    picture_of(o, SIDE);
}
static void small_picture(operands *o) {
    picture_of(o, bench_size(2048));
}
static void volume(operands *o) {
    o->x = bench_random(GND_SHAPE(bench_size(256), bench_size(256), bench_size(256)), GND_FLOAT32);
}
static void bytes(operands *o) {
    GND_SCOPE {
        const gnd_array *x = bench_random(GND_SHAPE(bench_size(1024), bench_size(1024)), GND_FLOAT32);
        o->x = gnd_keep(gnd_astype(gnd_multiply(x, 255), GND_UINT8));
    }
}
static void picture_and_weights(operands *o) {
    picture_of(o, SIDE);
    o->y = bench_random(GND_SHAPE(15, 15), GND_FLOAT32);
}
BENCH_RUN(gaussian_3, gnd_gaussian_filter(o->x, 3, NULL))
BENCH_RUN(gaussian_2, gnd_gaussian_filter(o->x, 2, NULL))
BENCH_RUN(uniform_9, gnd_uniform_filter(o->x, GND_SHAPE(9), NULL))
BENCH_RUN(median_5, gnd_median_filter(o->x, GND_SHAPE(5), NULL, NULL))
BENCH_RUN(median_51, gnd_median_filter(o->x, GND_SHAPE(51), NULL, NULL))
BENCH_RUN(percentile, gnd_percentile_filter(o->x, 20, GND_SHAPE(5), NULL, NULL))
BENCH_RUN(maximum_15, gnd_maximum_filter(o->x, GND_SHAPE(15), NULL, NULL))
BENCH_RUN(grey_erosion_5, gnd_grey_erosion(o->x, GND_SHAPE(5), NULL, NULL, NULL))
BENCH_RUN(sobel, gnd_sobel(o->x, -1, NULL))
BENCH_RUN(laplace, gnd_laplace(o->x, NULL))
BENCH_RUN(convolve_15, gnd_image_convolve(o->x, o->y, NULL))
BENCH_RUN(gaussian_laplace, gnd_gaussian_laplace(o->x, 2, NULL))

/* ---- interpolation -------------------------------------------------------------------------- */

static void picture_and_coordinates(operands *o) {
    picture_of(o, SIDE);
    GND_SCOPE {
        const gnd_array *at = gnd_astype(gnd_indices(GND_SHAPE(SIDE, SIDE), GND_INT64), GND_FLOAT32);
        o->y = gnd_keep(gnd_add(at, bench_random(GND_SHAPE(2, SIDE, SIDE), GND_FLOAT32)));
    }
}
BENCH_RUN(map_1, gnd_map_coordinates(o->x, o->y, 1, NULL))
BENCH_RUN(zoom_1, gnd_zoom(o->x, (const double[]){2, 2}, 1, NULL))
BENCH_RUN(zoom_3, gnd_zoom(o->x, (const double[]){2, 2}, 3, NULL))
BENCH_RUN(rotate_1, gnd_rotate(o->x, 30, 0, 1, false, 1, NULL))
BENCH_RUN(rotate_3, gnd_rotate(o->x, 30, 0, 1, false, 3, NULL))
BENCH_RUN(affine_1, gnd_affine_transform(o->x, (const double[]){0.9, 0.1, -0.1, 0.9}, (const double[]){5, 7}, 1, NULL))
BENCH_RUN(shift_3, gnd_shift(o->x, (const double[]){2.5, -3.5}, 3, NULL))
BENCH_RUN(spline_3, gnd_image_spline_filter(o->x, 3, &(gnd_interpolation_options){.output = GND_FLOAT32}))

/* ---- morphology and Fourier transforms ------------------------------------------------------ */

static void small_noise(operands *o) {
    gnd_array *x = bench_random(GND_SHAPE(bench_size(2048), bench_size(2048)), GND_FLOAT32);
    o->x = gnd_less(x, 0.6);
    gnd_release(x);
}
static void noise_and_box(operands *o) {
    noise(o, 0.6);
    o->y = gnd_ones(GND_SHAPE(5, 5), GND_BOOL);
}
static void transform(operands *o) {
    o->x = bench_random(GND_SHAPE(SIDE, SIDE), GND_COMPLEX64);
}
BENCH_RUN(erosion, gnd_binary_erosion(o->x, NULL, 1, NULL, NULL))
BENCH_RUN(erosion_10, gnd_binary_erosion(o->x, NULL, 10, NULL, NULL))
BENCH_RUN(closing_5, gnd_binary_closing(o->x, o->y, 1, NULL, NULL))
BENCH_RUN(fill_holes, gnd_binary_fill_holes(o->x, NULL, NULL))
BENCH_RUN(fourier_gaussian, gnd_fourier_gaussian(o->x, (const double[]){3, 3}, -1, -1))

const bench_row bench_rows_pictures[] = {
    {"ndi.label_4096_p40", noise_40, label, 5 * PIXELS},
    {"ndi.label_4096_p60", noise_60, label, 5 * PIXELS},
    {"ndi.label_alone_4096_p60", noise_60, label_alone, 5 * PIXELS},
    {"ndi.sum_labels_4096_200", random_labels, sum_labels, 8 * PIXELS},
    {"ndi.sum_labels_4096_blocks", block_labels, sum_labels, 8 * PIXELS},
    {"ndi.mean_labels_4096_200", random_labels, mean_labels, 8 * PIXELS},
    {"ndi.variance_labels_4096_200", random_labels, variance_labels, 8 * PIXELS},
    {"ndi.maximum_labels_4096_200", random_labels, maximum_labels, 8 * PIXELS},
    {"ndi.maximum_position_4096_200", random_labels, maximum_position, 8 * PIXELS},
    {"ndi.find_objects_4096_200", random_labels, find_objects, 4 * PIXELS},
    {"ndi.distance_transform_edt_4096", noise_50, distance, 9 * PIXELS},
    {"ndi.distance_transform_edt_4096_disc", disc, distance, 9 * PIXELS},
    {"ndi.distance_transform_edt_4096_indices", noise_50, distance_indices, 17 * PIXELS},
    {"ndi.distance_transform_cdt_4096", noise_50, distance_chessboard, 5 * PIXELS},
    {"ndi.center_of_mass_4096_200", random_labels, center_of_mass, 8 * PIXELS},
    {"ndi.center_of_mass_4096_blocks", block_labels, center_of_mass, 8 * PIXELS},
    {"ndi.gaussian_filter_4096_s3", picture, gaussian_3, 8 * PIXELS},
    {"ndi.gaussian_filter3d_256_s2", volume, gaussian_2, 8 * PIXELS},
    {"ndi.uniform_filter_4096_9", picture, uniform_9, 8 * PIXELS},
    {"ndi.median_filter_4096_5x5", picture, median_5, 8 * PIXELS},
    {"ndi.median_filter_1024_51x51_u8", bytes, median_51, PIXELS / 8},
    {"ndi.percentile_filter_2048_5x5_20", small_picture, percentile, 2 * PIXELS},
    {"ndi.maximum_filter_4096_15", picture, maximum_15, 8 * PIXELS},
    {"ndi.grey_erosion_4096_5", picture, grey_erosion_5, 8 * PIXELS},
    {"ndi.sobel_4096", picture, sobel, 8 * PIXELS},
    {"ndi.laplace_4096", picture, laplace, 8 * PIXELS},
    {"ndi.convolve_4096_15x15", picture_and_weights, convolve_15, 8 * PIXELS},
    {"ndi.gaussian_laplace_4096_s2", picture, gaussian_laplace, 8 * PIXELS},
    {"ndi.map_coordinates_o1_4096", picture_and_coordinates, map_1, 16 * PIXELS},
    {"ndi.zoom2_o1_2048", small_picture, zoom_1, 5 * PIXELS},
    {"ndi.zoom2_o3_2048", small_picture, zoom_3, 5 * PIXELS},
    {"ndi.rotate30_o1_4096", picture, rotate_1, 8 * PIXELS},
    {"ndi.rotate30_o3_4096", picture, rotate_3, 8 * PIXELS},
    {"ndi.affine_o1_4096", picture, affine_1, 8 * PIXELS},
    {"ndi.shift_o3_4096", picture, shift_3, 8 * PIXELS},
    {"ndi.spline_filter_4096", picture, spline_3, 8 * PIXELS},
    {"ndi.binary_erosion_4096", noise_60, erosion, 2 * PIXELS},
    {"ndi.binary_erosion_it10_4096", noise_60, erosion_10, 2 * PIXELS},
    {"ndi.binary_closing_4096_5x5", noise_and_box, closing_5, 2 * PIXELS},
    {"ndi.binary_fill_holes_2048", small_noise, fill_holes, PIXELS / 2},
    {"ndi.fourier_gaussian_4096", transform, fourier_gaussian, 16 * PIXELS},
    {NULL, NULL, NULL, 0},
};
