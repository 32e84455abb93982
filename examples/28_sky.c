/*
 * 28_sky.c: the sources in a picture of the sky: found, numbered and measured.
 *
 *     28_sky [SIDE [PICTURE.png]]
 *
 * The program paints SIDE x SIDE pixels of sky, whose stars it therefore knows: a background, its noise, and points of
 * light, blurred. Background and noise are then measured without the pixels that are more than five deviations away
 * (kappa-sigma clipping). A source is what stands above by five deviations and hangs together: gnd_label numbers them,
 * gnd_sum_labels adds up their light, and gnd_center_of_mass says where they are. A workshop did that on a GPU.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>

enum { CELL = 64, REACH = 12, LEAST = 5 }; /* a star in each cell; how far its light reaches; pixels of a source */
static const double background = 100, noise = 2, width = 2, kappa = 5;

/* ---- the sky ---- */

/* Where each cell's star is in it, and its light. One in three is too faint to be found. */
typedef struct stars {
    gnd_array *row, *column, *light, *bright; /* cells x cells */
} stars;

static stars make_stars(int64_t cells) {
    const gnd_shape shape = GND_SHAPE(cells, cells);
    const double middle = CELL / 2.0, room = middle - REACH - 1;
    gnd_array *number = gnd_reshape(gnd_arange(0, cells * cells, 1, GND_INT64), shape);
    gnd_array *bright = gnd_not_equal(gnd_remainder(number, 3), 0);
    gnd_array *light = gnd_multiply(gnd_power(10, gnd_multiply(gnd_add(example_random(shape, 3), 1), 0.75)), 1000);
    return (stars){gnd_add(gnd_multiply(example_random(shape, 1), room), middle),
                   gnd_add(gnd_multiply(example_random(shape, 2), room), middle), gnd_where(bright, light, 25), bright};
}

/* A Gaussian around each star's place along one axis: cells x cells x CELL. */
static gnd_array *profile(const gnd_array *place) {
    gnd_array *away = gnd_subtract(gnd_arange(0, CELL, 1, GND_FLOAT64), gnd_expand_dims(place, GND_AXES(-1)));
    gnd_array *bell = gnd_exp(gnd_multiply(gnd_square(away), -0.5 / (width * width)));
    return gnd_divide(bell, sqrt(2 * acos(-1)) * width);
}

/* The light of a cell's pixels is a column times a row times the star's light. */
static gnd_array *paint(const stars *s, int64_t cells) {
    gnd_array *down = gnd_multiply(profile(s->row), gnd_expand_dims(s->light, GND_AXES(-1)));
    gnd_array *light = gnd_einsum("ijy,ijx->iyjx", 2, (const gnd_array *[]){down, profile(s->column)});
    gnd_array *picture = gnd_reshape(light, GND_SHAPE(cells * CELL, cells * CELL));
    gnd_random *generator = gnd_random_new(GND_PHILOX, 7);
    gnd_array *grain = gnd_random_normal(generator, background, noise, gnd_shape_of(picture), GND_FLOAT64);
    gnd_random_release(generator);
    return gnd_astype(gnd_add(picture, grain), GND_FLOAT32);
}

/* ---- what is seen of it ---- */
typedef struct level {
    double median, deviation;
    int rounds;
} level;

static level clip(const gnd_array *picture) {
    level l = {.rounds = 0};
    GND_SCOPE {
        gnd_array *pixels = gnd_reshape(picture, GND_SHAPE(-1));
        for (int64_t before = 0; before != gnd_size(pixels); l.rounds++) {
            before = gnd_size(pixels);
            l.median = gnd_item_double(gnd_median(pixels, GND_ALL));
            l.deviation = gnd_item_double(gnd_std(pixels, GND_ALL, 0));
            gnd_array *near = gnd_less_equal(gnd_absolute(gnd_subtract(pixels, l.median)), kappa * l.deviation);
            pixels = gnd_extract(near, pixels);
        }
    }
    return l;
}

typedef struct sources {
    gnd_array *labels, *index, *light, *centre; /* index: the labels of those that have LEAST pixels or more */
} sources;

static sources measure(const gnd_array *picture, const level *l) {
    gnd_array *above = gnd_subtract(picture, l->median), *found = gnd_greater(above, kappa * l->deviation);
    int64_t count = 0;
    gnd_array *labels = gnd_label(found, NULL, &count), *all = gnd_arange(1, count + 1, 1, GND_INT64);
    gnd_array *pixels = gnd_sum_labels(found, labels, all);
    gnd_array *index = gnd_extract(gnd_greater_equal(pixels, LEAST), all);
    return (sources){labels, index, gnd_sum_labels(above, labels, index), gnd_center_of_mass(above, labels, index)};
}

/* ---- against what was painted ---- */

/* The cell that a source's centre is in says which star it is. */
static void compare(const stars *s, const sources *found, int64_t cells) {
    gnd_array *cell = gnd_astype(gnd_floor_divide(found->centre, CELL), GND_INT64);
    gnd_array *star = gnd_add(gnd_multiply(gnd_slice(cell, ":, 0"), cells), gnd_slice(cell, ":, 1"));
    gnd_array *inside = gnd_subtract(found->centre, gnd_multiply(cell, CELL));
    gnd_array *down = gnd_subtract(gnd_slice(inside, ":, 0"), gnd_take(s->row, star, GND_ALL, GND_RAISE));
    gnd_array *across = gnd_subtract(gnd_slice(inside, ":, 1"), gnd_take(s->column, star, GND_ALL, GND_RAISE));
    const double share = gnd_item_double(gnd_sum(found->light, GND_ALL)) /
                         gnd_item_double(gnd_sum(gnd_take(s->light, star, GND_ALL, GND_RAISE), GND_ALL));
    const long long bright = (long long)gnd_item_double(gnd_sum(s->bright, GND_ALL));
    const long long seen = (long long)gnd_item_double(gnd_sum(gnd_take(s->bright, star, GND_ALL, GND_RAISE), GND_ALL));
    printf("%lld sources, %lld of the %lld bright stars, with %.0f%% of their light\n",
           (long long)gnd_size(found->index), seen, bright, 100 * share);
    printf("centres are off by %.3f pixels in the mean\n", gnd_item_double(gnd_mean(gnd_hypot(down, across), GND_ALL)));
    gnd_array *one_each = gnd_bincount_fixed(star, GND_NONE, cells * cells);
    example_check(gnd_item_double(gnd_max(one_each, GND_ALL)) == 1, "a star is more than one source");
    example_check(seen == bright && gnd_size(found->index) == bright, "the sources are not the bright stars");
}

/* The sky, its brightness as a logarithm; and beside it each source in a grey of its own. */
static void save_picture(const char *path, const gnd_array *picture, const gnd_array *labels) {
    gnd_array *light = gnd_log(gnd_maximum(gnd_subtract(picture, background - 4 * noise), 1.0f));
    gnd_array *left = gnd_multiply(light, 255 / gnd_item_double(gnd_max(light, GND_ALL)));
    gnd_array *shades = gnd_where(labels, gnd_add(gnd_remainder(gnd_multiply(labels, 37), 196), 60), 0);
    const gnd_array *two[] = {gnd_astype(left, GND_UINT8), gnd_astype(shades, GND_UINT8)};
    gnd_save_image(path, gnd_concatenate(2, two, 1));
}

enum { CLIP, MEASURE, LINES };
static const char *const names[LINES] = {"background and noise", "label, light and centres"};
int main(int argc, char **argv) {
    const int64_t cells = example_size(argc, argv, 2048, 2048) / CELL;
    example_check(cells >= 2, "the side must be 128 or more");
    example_title("Sources in the sky");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        GND_SCOPE {
            const stars painted = make_stars(cells);
            gnd_array *picture = paint(&painted, cells);
            level l = clip(picture);
            measure(picture, &l); /* loads what is loaded at the first use */
            const double start = example_clock();
            l = clip(picture);
            const double clipped = example_clock();
            const sources found = measure(picture, &l);
            ms[d][CLIP] = clipped - start, ms[d][MEASURE] = example_clock() - clipped;
            printf("%s: the background is %.2f, its noise %.2f, after %d rounds\n",
                   devices[d].kind == GND_GPU ? "GPU" : "CPU", l.median, l.deviation, l.rounds);
            compare(&painted, &found, cells);
            if (d == 0 && example_file(argc, argv)) save_picture(example_file(argc, argv), picture, found.labels);
        }
        gnd_check();
    }
    printf("\n%lld x %lld pixels\n", (long long)cells * CELL, (long long)cells * CELL);
    example_table(LINES, names, ms[0]);
    return 0;
}
