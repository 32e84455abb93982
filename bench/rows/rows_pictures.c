/*
 * rows_pictures.c: pictures of 4096 x 4096: components of noise, whose elements are set with probability 0.4 or 0.6,
 * and sums over 200 labels, at random or of blocks of 290 x 290 elements; filters, interpolation and morphology.
 */
#include "bench.h"

/* ---- components ----------------------------------------------------------------------------- */

static void label(operands *o) {
    int64_t count;
    gnd_release(gnd_label(o->x, NULL, &count));
}
BENCH_RUN(label_alone, gnd_label(o->x, NULL, NULL))

/* ---- sums over labels ----------------------------------------------------------------------- */

/* All labels, whose number is p[0]. */
static void all_labels(operands *o) {
    o->z = gnd_arange(0, o->p[0], 1, GND_INT64);
}
/* Blocks of p[1] x p[1] elements, p[2] of which beside each other have labels in order. */
static void block_labels(operands *o) {
    all_labels(o);
    GND_SCOPE {
        const gnd_array *along = gnd_floor_divide(gnd_arange(0, gnd_dim(o->x, 0), 1, GND_INT32), o->p[1]);
        const gnd_array *rows = gnd_multiply(gnd_slice(along, ":, None"), o->p[2]);
        o->y = gnd_keep(gnd_astype(gnd_add(rows, along), GND_INT32));
    }
}
BENCH_RUN(sum_labels, gnd_sum_labels(o->x, o->y, o->z))
BENCH_RUN(mean_labels, gnd_mean_labels(o->x, o->y, o->z))
BENCH_RUN(center_of_mass, gnd_center_of_mass(o->x, o->y, o->z))
BENCH_RUN(variance_labels, gnd_variance_labels(o->x, o->y, o->z))
BENCH_RUN(maximum_labels, gnd_maximum_labels(o->x, o->y, o->z))
BENCH_RUN(maximum_position, gnd_maximum_position(o->x, o->y, o->z))
BENCH_RUN(find_objects, gnd_find_objects(o->x, (int64_t)o->p[0]))

/* ---- distances ------------------------------------------------------------------------------ */

/* A disc, whose radius is p[0] times the picture's side. */
static void disc(operands *o) {
    const int64_t side = gnd_dim(o->x, 0);
    gnd_release(o->x);
    GND_SCOPE {
        const gnd_array *along = gnd_subtract(gnd_arange(0, side, 1, GND_FLOAT64), (double)side / 2);
        o->x = gnd_keep(gnd_less(gnd_hypot(gnd_slice(along, ":, None"), along), o->p[0] * (double)side));
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

#define WIDTH GND_SHAPE((int64_t)o->p[0])
BENCH_RUN(gaussian, gnd_gaussian_filter(o->x, o->p[0], NULL))
BENCH_RUN(uniform, gnd_uniform_filter(o->x, WIDTH, NULL))
BENCH_RUN(median, gnd_median_filter(o->x, WIDTH, NULL, NULL))
BENCH_RUN(percentile, gnd_percentile_filter(o->x, o->p[1], WIDTH, NULL, NULL))
BENCH_RUN(maximum, gnd_maximum_filter(o->x, WIDTH, NULL, NULL))
BENCH_RUN(grey_erosion, gnd_grey_erosion(o->x, WIDTH, NULL, NULL, NULL))
BENCH_RUN(sobel, gnd_sobel(o->x, -1, NULL))
BENCH_RUN(laplace, gnd_laplace(o->x, NULL))
BENCH_RUN(convolve, gnd_image_convolve(o->x, o->y, NULL))
BENCH_RUN(gaussian_laplace, gnd_gaussian_laplace(o->x, o->p[0], NULL))

/* ---- interpolation -------------------------------------------------------------------------- */

/* Each element's own indices, and what y adds to them. */
static void coordinates(operands *o) {
    GND_SCOPE {
        const gnd_shape shape = GND_SHAPE(gnd_dim(o->x, 0), gnd_dim(o->x, 1));
        gnd_add_into(o->y, o->y, gnd_astype(gnd_indices(shape, GND_INT64), GND_FLOAT32));
    }
}
/* Anywhere in the picture. */
static void scattered(operands *o) {
    GND_SCOPE {
        gnd_multiply_into(o->y, o->y, (double)(gnd_dim(o->x, 0) - 1));
    }
}
/* The last parameter of each is the order. */
BENCH_RUN(map_coordinates, gnd_map_coordinates(o->x, o->y, (int)o->p[0], NULL))
BENCH_RUN(zoom, gnd_zoom(o->x, (const double[]){o->p[0], o->p[0]}, (int)o->p[1], NULL))
BENCH_RUN(rotate, gnd_rotate(o->x, o->p[0], 0, 1, false, (int)o->p[1], NULL))
BENCH_RUN(affine, gnd_affine_transform(o->x, o->p, o->p + 4, (int)o->p[6], NULL))
BENCH_RUN(shift, gnd_shift(o->x, o->p, (int)o->p[2], NULL))
BENCH_RUN(spline, gnd_image_spline_filter(o->x, (int)o->p[0], &(gnd_interpolation_options){.output = GND_FLOAT32}))

/* ---- morphology and Fourier transforms ------------------------------------------------------ */

BENCH_RUN(erosion, gnd_binary_erosion(o->x, NULL, (int)o->p[0], NULL, NULL))
BENCH_RUN(closing, gnd_binary_closing(o->x, o->y, 1, NULL, NULL))
BENCH_RUN(fill_holes, gnd_binary_fill_holes(o->x, NULL, NULL))
BENCH_RUN(fourier_gaussian, gnd_fourier_gaussian(o->x, (const double[]){o->p[0], o->p[0]}, -1, -1))

#define PICTURE "float32[4096,4096]"
#define SMALL_PICTURE "float32[2048,2048]"
#define LABELLED PICTURE " int32[4096,4096]<200 =200"
#define BLOCKS PICTURE " =200 =290 =14"

const bench_row bench_rows_pictures[] = {
    {"ndi.label_4096_p40", NULL, label, 5 * PIXELS, "bool[4096,4096]<0.4"},
    {"ndi.label_4096_p60", NULL, label, 5 * PIXELS, "bool[4096,4096]<0.6"},
    {"ndi.label_alone_4096_p60", NULL, label_alone, 5 * PIXELS, "bool[4096,4096]<0.6"},
    {"ndi.sum_labels_4096_200", all_labels, sum_labels, 8 * PIXELS, LABELLED},
    {"ndi.sum_labels_4096_blocks", block_labels, sum_labels, 8 * PIXELS, BLOCKS},
    {"ndi.mean_labels_4096_200", all_labels, mean_labels, 8 * PIXELS, LABELLED},
    {"ndi.center_of_mass_4096_200", all_labels, center_of_mass, 8 * PIXELS, LABELLED},
    {"ndi.center_of_mass_4096_blocks", block_labels, center_of_mass, 8 * PIXELS, BLOCKS},
    {"ndi.variance_labels_4096_200", all_labels, variance_labels, 8 * PIXELS, LABELLED},
    {"ndi.maximum_labels_4096_200", all_labels, maximum_labels, 8 * PIXELS, LABELLED},
    {"ndi.maximum_position_4096_200", all_labels, maximum_position, 8 * PIXELS, LABELLED},
    {"ndi.find_objects_4096_200", NULL, find_objects, 4 * PIXELS, "int32[4096,4096]<200 =200"},
    {"ndi.distance_transform_edt_4096", NULL, distance, 9 * PIXELS, "bool[4096,4096]<0.5"},
    {"ndi.distance_transform_edt_4096_disc", disc, distance, 9 * PIXELS, "bool[4096,4096]<0.5 =0.48"},
    {"ndi.distance_transform_edt_4096_indices", NULL, distance_indices, 17 * PIXELS, "bool[4096,4096]<0.5"},
    {"ndi.distance_transform_cdt_4096", NULL, distance_chessboard, 5 * PIXELS, "bool[4096,4096]<0.5"},
    {"ndi.gaussian_filter_4096_s3", NULL, gaussian, 8 * PIXELS, PICTURE " =3"},
    {"ndi.gaussian_filter3d_256_s2", NULL, gaussian, 8 * PIXELS, "float32[256,256,256] =2"},
    {"ndi.uniform_filter_4096_9", NULL, uniform, 8 * PIXELS, PICTURE " =9"},
    {"ndi.median_filter_4096_5x5", NULL, median, 8 * PIXELS, PICTURE " =5"},
    {"ndi.median_filter_1024_51x51_u8", NULL, median, PIXELS / 8, "uint8[1024,1024]<255 =51"},
    {"ndi.percentile_filter_2048_5x5_20", NULL, percentile, 2 * PIXELS, SMALL_PICTURE " =5 =20"},
    {"ndi.maximum_filter_4096_15", NULL, maximum, 8 * PIXELS, PICTURE " =15"},
    {"ndi.grey_erosion_4096_5", NULL, grey_erosion, 8 * PIXELS, PICTURE " =5"},
    {"ndi.sobel_4096", NULL, sobel, 8 * PIXELS, PICTURE},
    {"ndi.laplace_4096", NULL, laplace, 8 * PIXELS, PICTURE},
    {"ndi.convolve_4096_15x15", NULL, convolve, 8 * PIXELS, PICTURE " float32[=15,=15]"},
    {"ndi.gaussian_laplace_4096_s2", NULL, gaussian_laplace, 8 * PIXELS, PICTURE " =2"},
    {"ndi.map_coordinates_o1_4096", coordinates, map_coordinates, 16 * PIXELS, PICTURE " float32[2,4096,4096] =1"},
    {"ndi.map_coordinates_o1_4096_scattered", scattered, map_coordinates, 16 * PIXELS,
     PICTURE " float32[2,4096,4096] =1"},
    {"ndi.zoom2_o1_2048", NULL, zoom, 5 * PIXELS, SMALL_PICTURE " =2 =1"},
    {"ndi.zoom2_o3_2048", NULL, zoom, 5 * PIXELS, SMALL_PICTURE " =2 =3"},
    {"ndi.rotate30_o1_4096", NULL, rotate, 8 * PIXELS, PICTURE " =30 =1"},
    {"ndi.rotate30_o3_4096", NULL, rotate, 8 * PIXELS, PICTURE " =30 =3"},
    {"ndi.affine_o1_4096", NULL, affine, 8 * PIXELS, PICTURE " =0.9 =0.1 =-0.1 =0.9 =5 =7 =1"},
    {"ndi.shift_o3_4096", NULL, shift, 8 * PIXELS, PICTURE " =2.5 =-3.5 =3"},
    {"ndi.spline_filter_4096", NULL, spline, 8 * PIXELS, PICTURE " =3"},
    {"ndi.binary_erosion_4096", NULL, erosion, 2 * PIXELS, "bool[4096,4096]<0.6 =1"},
    {"ndi.binary_erosion_it10_4096", NULL, erosion, 2 * PIXELS, "bool[4096,4096]<0.6 =10"},
    {"ndi.binary_closing_4096_5x5", NULL, closing, 2 * PIXELS, "bool[4096,4096]<0.6 bool[=5,=5]=1"},
    {"ndi.binary_fill_holes_2048", NULL, fill_holes, PIXELS / 2, "bool[2048,2048]<0.6"},
    {"ndi.fourier_gaussian_4096", NULL, fourier_gaussian, 16 * PIXELS, "complex64[4096,4096] =3"},
    {0},
};
