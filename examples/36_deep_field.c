/*
 * 36_deep_field.c: the galaxies in a photograph of the sky: counted, measured and drawn.
 *
 *     36_deep_field [TILES [PICTURE.pgm [SOURCES.png]]]
 *
 * A photograph is harder than what 28_sky painted: the background is not the same everywhere, sources are not points,
 * and nobody knows how many there are. So the background is the median around each pixel, smoothed; the noise is
 * estimated by the median absolute deviation; and before the search the picture is blurred to the width of a faint
 * source. A source is then a connected component of the pixels that are more than four deviations above the median. Its
 * light, its centre and its second moments are sums over its pixels: the moments are those of an ellipse, whose axes
 * say how large and how round the source is.
 *
 * The photograph is repeated TILES x TILES times, so that a GPU has enough work.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>

enum { WINDOW = 51, LEAST = 9, SHOWN = 10 }; /* of the background; pixels of a source; lines that are printed */
static const double smooth = 12, blur = 1.5, kappa = 4;
static const double deviations = 1.4826; /* the standard deviation of a Gaussian, in median absolute deviations */

/* ---- what is above the background ---- */

static gnd_array *above_background(const gnd_array *photo) {
    gnd_array *around = gnd_median_filter(photo, GND_SHAPE(WINDOW), NULL, NULL);
    gnd_array *background = gnd_gaussian_filter(gnd_astype(around, GND_FLOAT32), smooth, NULL);
    return gnd_subtract(photo, background);
}

static double median_of(const gnd_array *x) {
    return gnd_item_double(gnd_median(x, GND_ALL));
}

/* ---- sources ---- */

typedef struct sources {
    gnd_array *labels, *index;                  /* index: the labels of those that are counted */
    gnd_array *pixels, *light, *centre, *a, *b; /* of each: a and b are the ellipse's half axes */
    double noise;
} sources;

static sources find(const gnd_array *above) {
    gnd_array *blurred = gnd_gaussian_filter(above, blur, NULL);
    const double middle = median_of(blurred);
    const double noise = deviations * median_of(gnd_absolute(gnd_subtract(blurred, middle)));
    gnd_array *bright = gnd_greater(blurred, middle + kappa * noise);
    gnd_array *box = gnd_ones(GND_SHAPE(2, 2), GND_BOOL), *around = gnd_ones(GND_SHAPE(3, 3), GND_BOOL);
    gnd_array *clean = gnd_binary_opening(bright, box, 1, NULL, NULL); /* removes what is one pixel wide */
    int64_t count = 0;
    gnd_array *labels = gnd_label(clean, around, &count), *all = gnd_arange(1, count + 1, 1, GND_INT64);
    gnd_array *pixels = gnd_sum_labels(clean, labels, all);
    gnd_array *large = gnd_greater_equal(pixels, LEAST);
    return (sources){
        .labels = labels, .index = gnd_extract(large, all), .pixels = gnd_extract(large, pixels), .noise = noise};
}

/* The mean of `with`, weighted by the light, less the product of the centre's coordinates: a central second moment. */
static gnd_array *moment(const sources *s, const gnd_array *light, const gnd_array *with, int first, int second) {
    gnd_array *sum = gnd_sum_labels(gnd_multiply(light, with), s->labels, s->index);
    gnd_array *centre = gnd_multiply(gnd_slice(s->centre, ":, %d", first), gnd_slice(s->centre, ":, %d", second));
    return gnd_subtract(gnd_divide(sum, s->light), centre);
}

static void measure(const gnd_array *above, sources *s) {
    const gnd_array *light = gnd_astype(gnd_maximum(above, 0.0f), GND_FLOAT64);
    gnd_array *row = gnd_slice(gnd_arange(0, gnd_dim(light, 0), 1, GND_FLOAT64), ":, None");
    gnd_array *column = gnd_arange(0, gnd_dim(light, 1), 1, GND_FLOAT64);
    s->light = gnd_sum_labels(light, s->labels, s->index);
    s->centre = gnd_center_of_mass(light, s->labels, s->index);
    gnd_array *yy = moment(s, light, gnd_square(row), 0, 0), *xx = moment(s, light, gnd_square(column), 1, 1);
    gnd_array *xy = moment(s, light, gnd_multiply(row, column), 0, 1);
    /* the eigenvalues of the matrix of second moments */
    gnd_array *half = gnd_multiply(gnd_add(yy, xx), 0.5);
    gnd_array *apart = gnd_hypot(gnd_multiply(gnd_subtract(yy, xx), 0.5), xy);
    s->a = gnd_sqrt(gnd_add(half, apart));
    s->b = gnd_sqrt(gnd_maximum(gnd_subtract(half, apart), 0.0));
}

/* ---- what is printed and drawn ---- */

/* The indices of the brightest sources, the brightest first. */
static gnd_array *brightest(const sources *s) {
    return gnd_slice(gnd_argsort(s->light, GND_ALL, GND_DESCENDING), ":%d", SHOWN);
}

static void print_brightest(const sources *s) {
    gnd_array *order = brightest(s);
    gnd_array *at = gnd_take(s->centre, order, GND_AXES(0), GND_RAISE);
    const gnd_array *columns[] = {gnd_slice(at, ":, 0"),
                                  gnd_slice(at, ":, 1"),
                                  gnd_take(s->light, order, GND_ALL, GND_RAISE),
                                  gnd_take(s->pixels, order, GND_ALL, GND_RAISE),
                                  gnd_take(s->a, order, GND_ALL, GND_RAISE),
                                  gnd_take(gnd_divide(s->b, s->a), order, GND_ALL, GND_RAISE)};
    double lines[SHOWN][6];
    gnd_to_host(gnd_astype(gnd_stack(6, columns, 1), GND_FLOAT64), lines, sizeof lines);
    printf("%10s %9s %9s %9s %9s %9s\n", "row", "column", "light", "pixels", "axis", "b / a");
    for (int i = 0; i < SHOWN; i++)
        printf("%10.1f %9.1f %9.0f %9.0f %9.2f %9.2f\n", lines[i][0], lines[i][1], lines[i][2], lines[i][3],
               lines[i][4], lines[i][5]);
}

/* An outline around each source that is counted, from red for elongated to blue for round ones. */
static void draw(const char *path, const gnd_array *photo, const sources *s) {
    gnd_array *counted = gnd_multiply(s->labels, gnd_isin(s->labels, s->index, false, GND_ISIN_TABLE));
    gnd_array *wider = gnd_maximum_filter(counted, GND_SHAPE(3), NULL, NULL);
    gnd_array *rim = gnd_logical_and(gnd_equal(counted, 0), gnd_greater(wider, 0));
    gnd_array *round = gnd_zeros(GND_SHAPE(gnd_item_int(gnd_max(s->labels, GND_ALL)) + 1), GND_FLOAT32);
    gnd_put(round, s->index, gnd_divide(s->b, s->a), GND_RAISE);
    gnd_array *blue = gnd_multiply(gnd_take(round, wider, GND_ALL, GND_RAISE), 255);
    gnd_array *grey = gnd_multiply(gnd_sqrt(gnd_divide(gnd_astype(photo, GND_FLOAT32), 255)), 255);
    const gnd_array *colors[] = {gnd_where(rim, gnd_subtract(255, blue), grey), gnd_where(rim, 90.0f, grey),
                                 gnd_where(rim, blue, grey)};
    gnd_save_image(path, gnd_astype(gnd_stack(3, colors, 2), GND_UINT8));
}

static void report(const sources *s) {
    const double light = gnd_item_double(gnd_sum(s->light, GND_ALL));
    gnd_array *order = brightest(s);
    const double most = gnd_item_double(gnd_sum(gnd_take(s->light, order, GND_ALL, GND_RAISE), GND_ALL));
    gnd_array *shape = gnd_divide(s->b, s->a);
    printf("%s: %lld sources above %.1f deviations of %.2f; half of them are larger than %lld pixels\n",
           gnd_current_device().kind == GND_GPU ? "GPU" : "CPU", (long long)gnd_size(s->index), kappa, s->noise,
           (long long)median_of(s->pixels));
    printf("%.0f%% of the light is that of the brightest %d; half of the sources are rounder than %.2f\n",
           100 * most / light, SHOWN, median_of(shape));
    /* each sum over labels against one over pixels, and each ellipse: b is the shorter axis */
    gnd_array *inside = gnd_isin(s->labels, s->index, false, GND_ISIN_TABLE);
    example_check(gnd_item_double(gnd_sum(s->pixels, GND_ALL)) == gnd_item_double(gnd_sum(inside, GND_ALL)),
                  "the sources' pixels are not those of the picture");
    example_check(gnd_item_bool(gnd_all(gnd_less_equal(s->b, s->a), GND_ALL)), "an ellipse has no axes");
}

enum { BACKGROUND, FIND, MEASURE, LINES };
static const char *const names[LINES] = {"background", "noise and sources", "light, centres and axes"};

static sources run(const gnd_array *photo, double ms[LINES]) {
    const double start = example_clock();
    gnd_array *above = above_background(photo);
    const double without = example_clock();
    sources s = find(above);
    const double found = example_clock();
    measure(above, &s);
    ms[BACKGROUND] = without - start, ms[FIND] = found - without, ms[MEASURE] = example_clock() - found;
    return s;
}

int main(int argc, char **argv) {
    const int64_t tiles = example_size(argc, argv, 4, 1);
    const char *path = example_data(argc, argv, "hubble_deep_field.pgm"), *drawn = argc > 3 ? argv[3] : NULL;
    example_title("Galaxies in the deep field");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        GND_SCOPE {
            gnd_array *photo = gnd_tile(gnd_load_image(path), GND_SHAPE(tiles, tiles));
            gnd_check();
            run(photo, ms[d]); /* loads what is loaded at the first use */
            const sources s = run(photo, ms[d]);
            report(&s);
            if (d + 1 == with) print_brightest(&s);
            if (d == 0 && drawn) draw(drawn, photo, &s);
            if (d + 1 == with)
                printf("\n%lld x %lld pixels\n", (long long)gnd_dim(photo, 0), (long long)gnd_dim(photo, 1));
        }
        gnd_check();
    }
    example_table(LINES, names, ms[0]);
    return 0;
}
