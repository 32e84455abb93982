/*
 * 31_discriminant.c: more numbers than are on the device at a time: the roots' discriminant b^2 - 4 a c, chunk by
 * chunk, on one stream and on two, from pageable and from pinned memory.
 *
 *     31_discriminant [SIZE]
 *
 * The numbers are in the host's memory and the results are wanted there, so the way to a GPU and back takes nearly all
 * of the time. A link works in both directions at once. Two streams keep it busy: while one chunk's results come back,
 * the next one's numbers are on their way. That takes pinned memory, which the system may not move.
 *
 * NumbaPro's example (vectorize/cuda_polynomial.py): 5e7 equations of float32 in chunks of 1e7.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNKS = 5, A = 0, B, C, RESULT, COLUMNS };

/* Columns of n numbers on the host, and the streams that share the chunks. */
typedef struct job {
    int64_t n;
    float *host[COLUMNS];
    gnd_stream *streams[2];
    int count; /* of streams; 0: copies that wait */
} job;

static gnd_array *discriminant(const gnd_array *a, const gnd_array *b, const gnd_array *c) {
    gnd_array *result = NULL;
    GND_FUSE result = gnd_keep(gnd_subtract(gnd_multiply(b, b), gnd_multiply(gnd_multiply(a, c), 4.0f)));
    return result;
}

/* Each copy returns when the host's memory may be used again. */
static void one_chunk_waiting(const job *j, int64_t at, int64_t n) {
    gnd_array *x[3];
    for (int i = 0; i < 3; i++) x[i] = gnd_from_host(j->host[i] + at, GND_SHAPE(n), GND_FLOAT32);
    gnd_to_host(discriminant(x[A], x[B], x[C]), j->host[RESULT] + at, (size_t)n * sizeof(float));
}
/* Everything is queued on the current stream. Memory of arrays that go is used again in the stream's order. */
static void one_chunk_queued(const job *j, int64_t at, int64_t n) {
    gnd_array *x[3];
    for (int i = 0; i < 3; i++) x[i] = gnd_from_host_async(j->host[i] + at, GND_SHAPE(n), GND_FLOAT32);
    gnd_to_host_async(discriminant(x[A], x[B], x[C]), j->host[RESULT] + at, (size_t)n * sizeof(float));
}

static void all_chunks(void *context) {
    const job *j = context;
    for (int k = 0; k < CHUNKS; k++) {
        const int64_t at = j->n * k / CHUNKS, n = j->n * (k + 1) / CHUNKS - at;
        GND_SCOPE {
            if (j->count == 0)
                one_chunk_waiting(j, at, n);
            else
                GND_STREAM(j->streams[k % j->count]) one_chunk_queued(j, at, n);
        }
    }
    for (int k = 0; k < j->count; k++) gnd_stream_sync(j->streams[k]); /* the results are there only now */
}

/* ---- how long it takes ---- */

enum { PAGEABLE, ONE, TWO, THERE, LINES };
static const char *const names[LINES] = {"from the host, pageable memory", "pinned memory, one stream",
                                         "pinned memory, two streams", "on the device alone"};

static gnd_array *resident[3];
static void on_the_device(void *unused) {
    (void)unused;
    discriminant(resident[A], resident[B], resident[C]);
}

/* The largest difference from the host's own sums, of a part of the results; they are then wiped. */
static void check(job *j, const char *what) {
    double largest = 0;
    for (int64_t i = 0; i < j->n; i += 1 + j->n / 100000) {
        const double a = j->host[A][i], b = j->host[B][i], c = j->host[C][i];
        largest = fmax(largest, fabs(j->host[RESULT][i] - (b * b - 4 * a * c)));
    }
    example_check(largest < 1e-3, what);
    for (int64_t i = 0; i < j->n; i++) j->host[RESULT][i] = NAN;
}

static double measure(int64_t n, double ms[LINES]) {
    job pageable = {.n = n}, pinned = {.n = n, .streams = {gnd_stream_new(), gnd_stream_new()}};
    const size_t bytes = (size_t)n * sizeof(float);
    double share = 0;
    for (int i = 0; i < COLUMNS; i++) {
        pageable.host[i] = malloc(bytes), pinned.host[i] = gnd_pinned_alloc(bytes);
        example_check(pageable.host[i] && pinned.host[i], "no memory on the host");
    }
    GND_SCOPE {
        for (int i = 0; i < 3; i++) {
            resident[i] = gnd_multiply(example_random(GND_SHAPE(n), 31 + (unsigned)i), 10.0f);
            gnd_to_host(resident[i], pageable.host[i], bytes), gnd_to_host(resident[i], pinned.host[i], bytes);
        }
        ms[PAGEABLE] = example_time(all_chunks, &pageable);
        check(&pageable, "pageable: wrong");
        for (pinned.count = 1; pinned.count <= 2; pinned.count++) {
            ms[pinned.count == 1 ? ONE : TWO] = example_time(all_chunks, &pinned);
            check(&pinned, "pinned: wrong");
        }
        ms[THERE] = example_time(on_the_device, NULL);
        gnd_array *real = gnd_greater_equal(discriminant(resident[A], resident[B], resident[C]), 0);
        share = gnd_item_double(gnd_mean(real, GND_ALL));
    }
    for (int i = 0; i < COLUMNS; i++) free(pageable.host[i]), gnd_pinned_free(pinned.host[i]);
    gnd_stream_release(pinned.streams[0]), gnd_stream_release(pinned.streams[1]);
    gnd_check();
    return share;
}

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, 50000000, 1000000);
    example_title("Discriminants in chunks over two streams");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        const double share = measure(n, ms[d]);
        printf("%s: %.2f%% of %lld equations have real roots\n", d ? "GPU" : "CPU", 100 * share, (long long)n);
    }
    printf("\n%d chunks\n", CHUNKS);
    example_table(LINES, names, ms[0]);
    const double moved = 1e-6 * 4 * sizeof(float) * (double)n; /* MB */
    printf("\n%.0f MB go there and back, %.1f GB/s on two streams. %s\n", moved, moved / ms[with - 1][TWO],
           with == 2 ? "Look at the last line, too: the\narithmetic is the small part."
                     : "On the CPU nothing has to go\nanywhere: a copy is a copy in memory.");
    return 0;
}
