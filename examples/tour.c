/*
 * tour.c: a first look at gnd, on a real photograph.
 *
 *     tour hubble_deep_field.pgm output_directory
 *
 * It loads the Hubble deep field, finds the sky's background tile by tile, subtracts it, stretches
 * the contrast as astronomers do (arcsinh), marks and counts the bright pixels, and writes the
 * result as a picture and as .npy. The same program text runs on the CPU and on the GPU; a table at
 * the end shows what each step took on both.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <gnd.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TILES = 8, RUNS = 21 };

/* The steps, in the order of the table. */
enum step { MOVE_IN, BACKGROUND, SUBTRACT, STRETCH, MASK, COUNT, TO_BYTES, MOVE_OUT, STEPS };
static const char *const step_names[STEPS] = {
    [MOVE_IN] = "host to device (transfer)",
    [BACKGROUND] = "sky background of 8 x 8 tiles",
    [SUBTRACT] = "subtract it",
    [STRETCH] = "stretch the contrast",
    [MASK] = "mask the bright pixels",
    [COUNT] = "count them",
    [TO_BYTES] = "to 8-bit grey",
    [MOVE_OUT] = "device to host (transfer)",
};

/* What one run found. The arrays belong to the caller. */
typedef struct findings {
    gnd_array *sky, *stretched, *bright;
    gnd_array *grey; /* the picture, on the host */
    int64_t bright_pixels;
} findings;

static double milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Notes how long the step took since *since, the device's work included. */
static void lap(double times[STEPS], enum step step, double *since) {
    gnd_sync();
    double now = milliseconds();
    times[step] = now - *since, *since = now;
}

/*
 * The sky's level in each tile: the mean of the pixels that are not much brighter than the tile's
 * own mean. Seen as (8, rows, 8, columns), a reduction over axes 1 and 3 is a reduction over tiles;
 * no pixel moves.
 */
static gnd_array *sky_background(const gnd_array *tiles) {
    gnd_array *mean = gnd_mean(tiles, GND_AXES_KEEP(1, 3));
    gnd_array *faint = gnd_less(tiles, gnd_multiply(mean, 1.5));
    gnd_axes over_tiles = GND_AXES_KEEP(1, 3);
    over_tiles.where = faint;
    return gnd_mean(tiles, over_tiles);
}

/* The whole program on the current device, with a photograph that is on the host. */
static findings process(const gnd_array *photo, double times[STEPS]) {
    findings found = {0};
    int64_t rows = gnd_dim(photo, 0) / TILES, columns = gnd_dim(photo, 1) / TILES;
    double clock = milliseconds();
    GND_SCOPE {
        gnd_array *pixels = gnd_to_device(photo, gnd_current_device());
        lap(times, MOVE_IN, &clock);

        /* uint8 with a C number gives NumPy's float64; the half of it is enough here. */
        gnd_array *image = gnd_astype(gnd_divide(pixels, 255.0f), GND_FLOAT32);
        image = gnd_slice(image, ":%d, :%d", (int)(rows * TILES), (int)(columns * TILES));
        gnd_array *tiles = gnd_reshape(image, GND_SHAPE(TILES, rows, TILES, columns));
        gnd_array *sky = sky_background(tiles);
        lap(times, BACKGROUND, &clock);

        gnd_array *clean = gnd_maximum(gnd_subtract(tiles, sky), 0);
        clean = gnd_reshape(clean, GND_SHAPE(rows * TILES, columns * TILES));
        lap(times, SUBTRACT, &clock);

        /* asinh(s x) / asinh(s) keeps faint things visible beside bright ones (Lupton 1999). */
        gnd_array *white = gnd_max(clean, GND_ALL);
        gnd_array *scaled = gnd_multiply(gnd_divide(clean, white), 20);
        gnd_array *stretched = gnd_divide(gnd_arcsinh(scaled), gnd_arcsinh(20.0));
        lap(times, STRETCH, &clock);

        gnd_array *bright = gnd_greater(stretched, 0.75);
        lap(times, MASK, &clock);

        gnd_array *count = gnd_sum(bright, GND_ALL);
        lap(times, COUNT, &clock);

        gnd_array *bytes = gnd_astype(gnd_rint(gnd_multiply(stretched, 255)), GND_UINT8);
        lap(times, TO_BYTES, &clock);

        found.grey = gnd_keep(gnd_to_device(bytes, gnd_cpu()));
        lap(times, MOVE_OUT, &clock);

        found.bright_pixels = gnd_item_int(count);
        found.sky = gnd_keep(gnd_reshape(sky, GND_SHAPE(TILES, TILES)));
        found.stretched = gnd_keep(stretched);
        found.bright = gnd_keep(bright);
    }
    return found;
}

static void forget(findings *f) {
    gnd_release(f->sky), gnd_release(f->stretched), gnd_release(f->bright);
    gnd_release(f->grey);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median time of each step over RUNS runs on the device, after one to warm up. */
static findings timed(gnd_device device, const gnd_array *photo, double medians[STEPS]) {
    double runs[STEPS][RUNS], once[STEPS];
    gnd_use(device);
    findings found = process(photo, once);
    for (int r = 0; r < RUNS; r++) {
        findings again = process(photo, once);
        forget(&again);
        for (int s = 0; s < STEPS; s++) runs[s][r] = once[s];
    }
    for (int s = 0; s < STEPS; s++) {
        qsort(runs[s], RUNS, sizeof runs[s][0], by_value);
        medians[s] = runs[s][RUNS / 2];
    }
    return found;
}

static void print_table(bool with_gpu, double cpu[STEPS], double gpu[STEPS]) {
    double cpu_total = 0, gpu_total = 0;
    printf("\n%-32s %10s %10s\n", "milliseconds, median", "CPU", with_gpu ? "GPU" : "");
    for (int s = 0; s < STEPS; s++) {
        if (with_gpu)
            printf("%-32s %10.3f %10.3f\n", step_names[s], cpu[s], gpu[s]);
        else
            printf("%-32s %10.3f\n", step_names[s], cpu[s]);
        if (s != MOVE_IN && s != MOVE_OUT) cpu_total += cpu[s], gpu_total += gpu[s];
    }
    if (with_gpu)
        printf("%-32s %10.3f %10.3f   (%.1f times faster)\n", "all but the transfers", cpu_total, gpu_total,
               cpu_total / gpu_total);
    else
        printf("%-32s %10.3f\n", "all but the transfers", cpu_total);
}

static void describe(const findings *f) {
    printf("\nThe sky's level in each tile, 0 black and 1 white:\n");
    gnd_print(f->sky);
    printf("\nThe stretched picture, %lld x %lld, summarised:\n", (long long)gnd_dim(f->stretched, 0),
           (long long)gnd_dim(f->stretched, 1));
    gnd_print(f->stretched);
    printf("\nBright pixels in each of the tiles:\n");
    GND_SCOPE {
        int64_t rows = gnd_dim(f->bright, 0) / TILES, columns = gnd_dim(f->bright, 1) / TILES;
        gnd_array *tiles = gnd_reshape(f->bright, GND_SHAPE(TILES, rows, TILES, columns));
        gnd_print(gnd_sum(tiles, GND_AXES(1, 3)));
    }
    printf("\n%lld of %lld pixels are bright.\n", (long long)f->bright_pixels, (long long)gnd_size(f->bright));
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s picture.pgm output_directory\n", argv[0]);
        return 2;
    }
    gnd_device best = gnd_current_device();
    gnd_device_properties properties;
    gnd_device_properties_of(best, &properties);
    gnd_check();
    bool with_gpu = best.kind == GND_GPU;
    gnd_use(gnd_cpu());
    gnd_array *photo = gnd_load_image(argv[1]);
    gnd_check();
    printf("gnd %s on %s: %lld x %lld pixels from %s\n", gnd_version(), properties.name, (long long)gnd_dim(photo, 0),
           (long long)gnd_dim(photo, 1), argv[1]);

    double cpu[STEPS] = {0}, gpu[STEPS] = {0};
    findings found = timed(gnd_cpu(), photo, cpu);
    if (with_gpu) {
        forget(&found);
        found = timed(best, photo, gpu);
    }
    gnd_check();
    describe(&found);
    print_table(with_gpu, cpu, gpu);

    char picture[4096], numbers[4096];
    snprintf(picture, sizeof picture, "%s/deep_field.png", argv[2]);
    snprintf(numbers, sizeof numbers, "%s/deep_field.npy", argv[2]);
    gnd_save_image(picture, found.grey);
    gnd_save(numbers, found.stretched);
    forget(&found);
    gnd_release(photo);
    gnd_check();
    printf("\nWrote %s and %s\n", picture, numbers);
    return 0;
}
