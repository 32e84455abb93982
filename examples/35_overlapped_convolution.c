/*
 * 35_overlapped_convolution.c: a filter over one photograph after the other, by Fourier transforms, while the next one
 * is on its way to the device and the last one's result on its way back.
 *
 *     35_overlapped_convolution [PICTURES [PICTURE.pgm [EDGES.png]]]
 *
 * The filter's transform is made once. A photograph is copied from pinned memory, transformed, multiplied, transformed
 * back, and copied to pinned memory, all queued on one of two streams. A GPU has an engine for copies in each direction
 * beside its processors: on two streams all three work at once. gnd orders what belongs together by itself.
 *
 * NumbaPro's example (convolution/fftconvolve.py): one picture and a filter of 5 x 5, on two streams.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 5 };
static const float laplacian[WIDTH][WIDTH] = {
    {-4, -1, 0, -1, -4}, {-1, 2, 3, 2, -1}, {0, 3, 4, 3, 0}, {-1, 2, 3, 2, -1}, {-4, -1, 0, -1, -4}};

/* The pictures, all of one size, and their results, in the host's pinned memory. */
typedef struct album {
    int64_t count, rows, columns;
    gnd_shape padded; /* the transforms' size, a good one that has room for the filter */
    gnd_array *response;
    float *pictures, *edges;
    gnd_stream *streams[2];
    int streams_used;
} album;

/* Filters a picture that is there, or queued. Zeros stand beyond its edges. */
static gnd_array *filtered(const album *a, const gnd_array *picture) {
    gnd_array *z = gnd_rfft2(picture, a->padded, GND_ALL, GND_FFT_BACKWARD);
    gnd_multiply_into(z, z, a->response);
    gnd_array *whole = gnd_irfft2(z, a->padded, GND_ALL, GND_FFT_BACKWARD);
    return gnd_slice(whole, "%d:%lld, %d:%lld", WIDTH / 2, (long long)(a->rows + WIDTH / 2), WIDTH / 2,
                     (long long)(a->columns + WIDTH / 2));
}

static void whole_album(void *context) {
    const album *a = context;
    const int64_t pixels = a->rows * a->columns;
    for (int64_t k = 0; k < a->count; k++) {
        GND_SCOPE_HERE;
        GND_STREAM(a->streams[k % a->streams_used]) {
            const gnd_shape shape = GND_SHAPE(a->rows, a->columns);
            gnd_array *picture = gnd_from_host_async(a->pictures + k * pixels, shape, GND_FLOAT32);
            gnd_to_host_async(filtered(a, picture), a->edges + k * pixels, (size_t)pixels * sizeof(float));
        }
    }
    for (int s = 0; s < a->streams_used; s++) gnd_stream_sync(a->streams[s]);
}

/* The same without copies: what the processors alone take. */
static gnd_array *resident;
static void without_copies(void *context) {
    const album *a = context;
    for (int64_t k = 0; k < a->count; k++)
        GND_SCOPE
            filtered(a, resident);
}
/* And the copies alone, one after the other. */
static void copies_alone(void *context) {
    const album *a = context;
    const int64_t pixels = a->rows * a->columns;
    for (int64_t k = 0; k < a->count; k++) {
        GND_SCOPE_HERE;
        const gnd_shape shape = GND_SHAPE(a->rows, a->columns);
        gnd_array *picture = gnd_from_host_async(a->pictures + k * pixels, shape, GND_FLOAT32);
        gnd_to_host_async(picture, a->edges + k * pixels, (size_t)pixels * sizeof(float));
    }
}

/* The largest difference from sums of products, as a part of the largest result; each result is then wiped. */
static double check(const album *a) {
    double largest = 0, difference = 0;
    GND_SCOPE {
        gnd_array *filter = gnd_from_host(laplacian, GND_SHAPE(WIDTH, WIDTH), GND_FLOAT32);
        for (int64_t k = 0; k<a->count; k += a->count> 1 ? a->count - 1 : 1) {
            const gnd_shape shape = GND_SHAPE(a->rows, a->columns);
            const int64_t at = k * a->rows * a->columns;
            gnd_array *picture = gnd_from_host(a->pictures + at, shape, GND_FLOAT32);
            gnd_array *direct = gnd_convolve2d(picture, filter, GND_SAME, NULL);
            gnd_array *found = gnd_from_host(a->edges + at, shape, GND_FLOAT32);
            largest = fmax(largest, example_largest(direct));
            difference = fmax(difference, example_largest(gnd_subtract(found, direct)));
        }
    }
    memset(a->edges, 0, (size_t)(a->count * a->rows * a->columns) * sizeof(float));
    example_check(difference < 1e-4 * largest, "the edges are not what sums of products give");
    return difference / largest;
}

/* ---- how long it takes ---- */

enum { ONE, TWO, THERE, COPIES, LINES };
static const char *const names[LINES] = {"all pictures, one stream", "all pictures, two streams", "without the copies",
                                         "the copies alone"};

/* Pictures that differ: the photograph, each one darker than the one before. */
static album new_album(const char *path, int64_t count) {
    gnd_array *photo = gnd_astype(gnd_load_image(path), GND_FLOAT32);
    gnd_check();
    album a = {.count = count, .rows = gnd_dim(photo, 0), .columns = gnd_dim(photo, 1)};
    const size_t bytes = (size_t)gnd_nbytes(photo);
    a.padded = GND_SHAPE(gnd_next_fast_len(a.rows + WIDTH - 1, true), gnd_next_fast_len(a.columns + WIDTH - 1, true));
    a.pictures = gnd_pinned_alloc((size_t)count * bytes), a.edges = gnd_pinned_alloc((size_t)count * bytes);
    example_check(a.pictures && a.edges, "no memory on the host");
    for (int64_t k = 0; k < count; k++)
        gnd_to_host(gnd_multiply(photo, 1 / (1 + 0.1 * (double)k)), a.pictures + k * a.rows * a.columns, bytes);
    gnd_array *filter = gnd_from_host(laplacian, GND_SHAPE(WIDTH, WIDTH), GND_FLOAT32);
    a.response = gnd_rfft2(filter, a.padded, GND_ALL, GND_FFT_BACKWARD);
    for (int s = 0; s < 2; s++) a.streams[s] = gnd_stream_new();
    resident = photo;
    return a;
}

static void measure(const char *path, int64_t count, double ms[LINES], const char *picture) {
    GND_SCOPE {
        album a = new_album(path, count);
        for (a.streams_used = 1; a.streams_used <= 2; a.streams_used++) {
            whole_album(&a);
            gnd_array *first = gnd_from_host(a.edges, GND_SHAPE(a.rows, a.columns), GND_FLOAT32);
            printf("%s, %d stream%s: %lld pictures of %lld x %lld, difference from direct sums %.1e\n",
                   gnd_current_device().kind == GND_GPU ? "GPU" : "CPU", a.streams_used, a.streams_used > 1 ? "s" : "",
                   (long long)count, (long long)a.rows, (long long)a.columns, check(&a));
            if (picture)
                gnd_save_image(picture, gnd_astype(gnd_clip(gnd_multiply(gnd_abs(first), 0.1), 0, 255), GND_UINT8));
            ms[a.streams_used == 1 ? ONE : TWO] = example_time(whole_album, &a);
        }
        ms[THERE] = example_time(without_copies, &a), ms[COPIES] = example_time(copies_alone, &a);
        gnd_pinned_free(a.pictures), gnd_pinned_free(a.edges);
        for (int s = 0; s < 2; s++) gnd_stream_release(a.streams[s]);
    }
    gnd_check();
}

int main(int argc, char **argv) {
    const int64_t count = example_size(argc, argv, 64, 8);
    const char *path = example_data(argc, argv, "hubble_deep_field.pgm");
    example_title("A filter by Fourier transforms, with copies overlapped");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        measure(path, count, ms[d], d == 0 && argc > 3 ? argv[3] : NULL);
    }
    printf("\n");
    example_table(LINES, names, ms[0]);
    printf("\nLook at the second line: on a GPU it is to be nearer to the longer of the last two than to\n"
           "their sum. %.3f ms a picture here; published, one picture of 768 x 1024, 10 ms on a GTX 970.\n",
           ms[with - 1][TWO] / (double)count);
    return 0;
}
