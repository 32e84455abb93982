/*
 * 37_cells.c: round cells that touch each other, separated, counted and measured.
 *
 *     37_cells [SIDE [PICTURE.png]]
 *
 * The program paints SIDE x SIDE pixels of cells, with noise, and so knows each cell's position and area. A threshold
 * finds the pixels of cells, but cells that touch form one clump. Their distance to the background separates them:
 * gnd_distance_transform_edt has its maxima in the middle of cells, and gnd_watershed_ift grows regions from these
 * until they meet, at the necks.
 */
#include "example.h"

#include <stdio.h>

enum { CELL = 48, WIDTH = 25 }; /* the spacing of the grid of cells; the window in which a seed is the maximum */
static const double background = 100, bright = 50, noise = 20, blur = 2, shallow = 10;

/* ---- the picture ---- */

/* Each cell's centre, relative to the corner of its square of the grid, and its radius: squares x squares. Squares
   along the border are empty. */
typedef struct cells {
    gnd_array *row, *column, *radius;
} cells;

static cells make_cells(int64_t squares) {
    const gnd_shape shape = GND_SHAPE(squares, squares);
    gnd_array *radius = gnd_zeros(shape, GND_FLOAT32), *inner = gnd_slice(radius, "1:-1, 1:-1");
    gnd_add_into(radius, gnd_multiply(example_random(shape, 3), 3.5f), 24.5f);
    gnd_array *border = gnd_ones(shape, GND_BOOL);
    gnd_copyto(gnd_slice(border, "1:-1, 1:-1"), gnd_zeros_like(inner, GND_BOOL));
    return (cells){gnd_add(gnd_multiply(example_random(shape, 1), 5.0f), CELL / 2),
                   gnd_add(gnd_multiply(example_random(shape, 2), 5.0f), CELL / 2), gnd_where(border, -1e6f, radius)};
}

/* Distances along one axis from the centres of the neighbouring squares' cells: squares x squares x CELL. */
static gnd_array *away(const gnd_array *middle, int step, int down, int across) {
    gnd_array *there = gnd_roll_each(middle, (const int64_t[]){-down, -across}, GND_AXES(0, 1));
    gnd_array *along = gnd_subtract(gnd_arange(0, CELL, 1, GND_FLOAT32), (float)(step * CELL));
    return gnd_subtract(along, gnd_expand_dims(there, GND_AXES(-1)));
}

/* For each pixel 1 + the number of the cell in which it is deepest, or 0. */
static gnd_array *paint(const cells *c, int64_t squares) {
    const gnd_shape numbers = GND_SHAPE(squares, squares), all = GND_SHAPE(squares, CELL, squares, CELL);
    gnd_array *number = gnd_reshape(gnd_arange(1, squares * squares + 1, 1, GND_INT32), numbers);
    gnd_array *edge = gnd_zeros(all, GND_FLOAT32), *own = gnd_zeros(all, GND_INT32); /* 0: the edge of a cell */
    for (int down = -1; down <= 1; down++)
        for (int across = -1; across <= 1; across++)
            GND_SCOPE {
                gnd_array *y = gnd_moveaxis(away(c->row, down, down, across), GND_AXES(2), GND_AXES(1));
                gnd_array *x = gnd_expand_dims(away(c->column, across, down, across), GND_AXES(1));
                gnd_array *there[2];
                const gnd_array *of[2] = {c->radius, number};
                for (int k = 0; k < 2; k++) {
                    gnd_array *rolled = gnd_roll_each(of[k], (const int64_t[]){-down, -across}, GND_AXES(0, 1));
                    there[k] = gnd_expand_dims(rolled, GND_AXES(1, 3));
                }
                gnd_array *outside = gnd_subtract(gnd_hypot(gnd_expand_dims(y, GND_AXES(3)), x), there[0]);
                gnd_array *deeper = gnd_less(outside, edge);
                gnd_copyto(own, gnd_where(deeper, there[1], own));
                gnd_copyto(edge, gnd_minimum(edge, outside));
            }
    return gnd_reshape(own, GND_SHAPE(squares * CELL, squares * CELL));
}

static gnd_array *photograph(const gnd_array *own) {
    gnd_random *generator = gnd_random_new(GND_PHILOX, 7);
    gnd_array *grain = gnd_random_normal(generator, background, noise, gnd_shape_of(own), GND_FLOAT32);
    gnd_random_release(generator);
    return gnd_add(grain, gnd_multiply(gnd_not_equal(own, 0), (float)bright));
}

/* ---- the cells in it ---- */

static gnd_array *threshold(const gnd_array *picture) {
    return gnd_greater(gnd_gaussian_filter(picture, blur, NULL), background + bright / 2);
}

static gnd_array *depth_of(const gnd_array *found) {
    gnd_array *depth;
    gnd_distance_transform_edt(&depth, NULL, found, NULL);
    return gnd_gaussian_filter(gnd_astype(depth, GND_FLOAT32), blur, NULL); /* one maximum for each cell */
}

static gnd_array *seeds_of(const gnd_array *depth, int64_t *count) {
    gnd_array *largest = gnd_maximum_filter(depth, GND_SHAPE(WIDTH), NULL, NULL);
    gnd_array *seeds = gnd_logical_and(gnd_equal(depth, largest), gnd_greater(depth, shallow));
    return gnd_label(seeds, gnd_generate_binary_structure(2, 2), count);
}

/* The cost of a path in gnd_watershed_ift is the largest difference between neighbours, but water follows the largest
   height. So the height above the deepest pixel is added on one colour of a chessboard and subtracted on the other:
   then a difference is the sum of two heights. */
static gnd_array *flood(const gnd_array *depth, const gnd_array *seeds, const gnd_array *found) {
    const double deepest = gnd_item_double(gnd_max(depth, GND_ALL));
    gnd_array *height = gnd_multiply(gnd_subtract(deepest, depth), 30000 / deepest);
    gnd_array *index = gnd_arange(0, gnd_dim(depth, 0), 1, GND_INT32);
    gnd_array *colour = gnd_remainder(gnd_add(gnd_expand_dims(index, GND_AXES(1)), index), 2);
    gnd_array *steps = gnd_add(gnd_where(colour, height, gnd_negative(height)), 32768);
    return gnd_multiply(gnd_watershed_ift(gnd_astype(steps, GND_UINT16), seeds, NULL), found);
}

/* ---- against what was painted ---- */

/* Each region is the cell in whose square its centre is. */
static void compare(const cells *c, const gnd_array *own, const gnd_array *labels, int64_t count, int64_t squares) {
    gnd_array *index = gnd_arange(1, count + 1, 1, GND_INT64), *inside = gnd_not_equal(own, 0);
    gnd_array *centre = gnd_center_of_mass(gnd_ones_like(labels, GND_FLOAT32), labels, index);
    gnd_array *square = gnd_astype(gnd_floor_divide(centre, CELL), GND_INT64);
    gnd_array *cell = gnd_add(gnd_multiply(gnd_slice(square, ":, 0"), squares), gnd_slice(square, ":, 1"));
    gnd_array *area = gnd_sum_labels(gnd_not_equal(labels, 0), labels, index);
    gnd_array *painted = gnd_take(gnd_bincount_fixed(gnd_ravel(own), GND_NONE, squares * squares + 1), gnd_add(cell, 1),
                                  GND_ALL, GND_RAISE);
    gnd_array *off = gnd_absolute(gnd_subtract(gnd_divide(area, painted), 1));
    gnd_array *whose = gnd_concatenate(GND_ARRAYS(gnd_zeros(GND_SHAPE(1), GND_INT64), gnd_add(cell, 1)), 0);
    gnd_array *right = gnd_equal(gnd_take(whose, labels, GND_ALL, GND_RAISE), own);
    const double share =
        gnd_item_double(gnd_sum(gnd_logical_and(right, inside), GND_ALL)) / gnd_item_double(gnd_sum(inside, GND_ALL));
    printf("%lld cells, of %lld that were painted\n", (long long)count, (long long)((squares - 2) * (squares - 2)));
    printf("%.1f%% of their pixels are in the right cell\n", 100 * share);
    printf("areas are off by %.1f%% in the mean\n", 100 * gnd_item_double(gnd_mean(off, GND_ALL)));
    gnd_array *one_each = gnd_bincount_fixed(cell, GND_NONE, squares * squares);
    example_check(gnd_item_double(gnd_max(one_each, GND_ALL)) == 1, "a cell is more than one region");
    example_check(gnd_size(c->radius) == squares * squares && count == (squares - 2) * (squares - 2),
                  "the regions are not the cells");
}

/* The photograph, how deep each pixel is, and each cell in a grey of its own. */
static void save_picture(const char *path, const gnd_array *picture, const gnd_array *depth, const gnd_array *labels) {
    gnd_array *light = gnd_clip(gnd_subtract(picture, 50.0f), 0.0f, 150.0f);
    gnd_array *shades = gnd_where(labels, gnd_add(gnd_remainder(gnd_multiply(labels, 37), 196), 60), 0);
    gnd_array *deep = gnd_multiply(depth, 255 / gnd_item_double(gnd_max(depth, GND_ALL)));
    const gnd_array *three[] = {gnd_astype(gnd_multiply(light, 1.7f), GND_UINT8), gnd_astype(deep, GND_UINT8),
                                gnd_astype(shades, GND_UINT8)};
    gnd_save_image(path, gnd_concatenate(3, three, 1));
}

enum { THRESHOLD, DEPTH, SEEDS, FLOOD, LINES };
static const char *const names[LINES] = {"blur and threshold", "distance transform", "seeds", "watershed"};

int main(int argc, char **argv) {
    const int64_t squares = example_size(argc, argv, 2016, 2016) / CELL;
    example_check(squares >= 3, "the side must be 144 or more");
    example_title("Cells that touch");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        GND_SCOPE {
            const cells made = make_cells(squares);
            gnd_array *own = paint(&made, squares), *picture = photograph(own);
            seeds_of(depth_of(threshold(picture)), NULL); /* loads what is loaded at the first use */
            int64_t count = 0, clumps = 0;
            double at[LINES + 1] = {example_clock()};
            gnd_array *found = threshold(picture);
            at[DEPTH] = example_clock();
            gnd_array *depth = depth_of(found);
            at[SEEDS] = example_clock();
            gnd_array *seeds = seeds_of(depth, &count);
            at[FLOOD] = example_clock();
            gnd_array *labels = flood(depth, seeds, found);
            at[LINES] = example_clock();
            for (int k = 0; k < LINES; k++) ms[d][k] = at[k + 1] - at[k];
            gnd_label(found, NULL, &clumps);
            printf("%s: %lld clumps of cells\n", devices[d].kind == GND_GPU ? "GPU" : "CPU", (long long)clumps);
            compare(&made, own, labels, count, squares);
            if (d == 0 && example_file(argc, argv)) save_picture(example_file(argc, argv), picture, depth, labels);
        }
        gnd_check();
    }
    printf("\n%lld x %lld pixels\n", (long long)squares * CELL, (long long)squares * CELL);
    example_table(LINES, names, ms[0]);
    return 0;
}
