/*
 * 24_live_filter.c: a noisy record of several channels, filtered while it comes in, piece by piece.
 *
 *     24_live_filter [SECONDS]
 *
 * Pulses as of a heart, a hum of 50 Hz and noise, a thousand samples a second. A low-pass filter of second-order
 * sections takes the hum away. It is a gnd_filter_stream: it keeps its state from one piece to the next, so that the
 * pieces, whatever their sizes, give the same bits as the whole record.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>

enum { CHANNELS = 16, RATE = 1000, HUM = 50, ORDER = 6, PIECE = 100, SHOWN = 40, STEP = 25 };
static const double pi = 3.14159265358979, cutoff = 20;

/* Seconds from the start of a record of n samples. */
static gnd_array *times(int64_t n) {
    return gnd_divide(gnd_arange(0, n, 1, GND_FLOAT64), RATE);
}

/* A pulse in each second, a bell 0.05 s wide at a time of its own in each channel. */
static gnd_array *pulses(int64_t n) {
    gnd_array *late = gnd_divide(gnd_arange(0, CHANNELS, 1, GND_FLOAT64), 4 * CHANNELS);
    gnd_array *t = gnd_subtract(times(n), gnd_expand_dims(late, GND_AXES(1)));
    gnd_array *away = gnd_subtract(gnd_subtract(t, gnd_floor(t)), 0.5);
    return gnd_astype(gnd_exp(gnd_multiply(gnd_square(gnd_divide(away, 0.05)), -0.5)), GND_FLOAT32);
}

static gnd_array *make_record(int64_t n) {
    gnd_array *hum = gnd_astype(gnd_sin(gnd_multiply(times(n), 2 * pi * HUM)), GND_FLOAT32);
    gnd_array *noise = gnd_multiply(example_random(GND_SHAPE(CHANNELS, n), 24), 0.1f);
    return gnd_add(gnd_add(pulses(n), gnd_multiply(hum, 0.5f)), noise);
}

static gnd_filter_stream *make_filter(void) {
    gnd_filter_design design;
    gnd_butter(&design, ORDER, GND_NUMBERS(cutoff), &(gnd_iir_options){.output = GND_SOS, .fs = RATE});
    gnd_filter_stream *filter = gnd_filter_stream_sosfilt(design.sos, GND_SHAPE(CHANNELS), GND_FLOAT32);
    gnd_filter_design_release(&design);
    gnd_check();
    return filter;
}

/* The record as it comes: pieces of uneven sizes. What is filtered goes where it belongs. */
static void filter_live(gnd_filter_stream *filter, const gnd_array *record, gnd_array *out) {
    const int64_t n = gnd_dim(record, 1);
    for (int64_t at = 0, size = 1; at < n; at += size, size = size * 7 % 1009 + 1)
        GND_SCOPE {
            const long long end = at + size < n ? at + size : n;
            const gnd_array *piece = gnd_slice(record, ":, %lld:%lld", (long long)at, end);
            gnd_filter_stream_feed_into(filter, piece, gnd_slice(out, ":, %lld:%lld", (long long)at, end));
        }
}

/* The amplitude of the hum, in the mean over the channels; a whole number of its periods. */
static double hum_of(const gnd_array *x) {
    const int64_t n = gnd_dim(x, 1);
    gnd_array *phase = gnd_multiply(times(n), 2 * pi * HUM);
    gnd_array *mean = gnd_mean(x, GND_AXES(0));
    const double sine = gnd_item_double(gnd_mean(gnd_multiply(mean, gnd_sin(phase)), GND_ALL));
    const double cosine = gnd_item_double(gnd_mean(gnd_multiply(mean, gnd_cos(phase)), GND_ALL));
    return 2 * hypot(sine, cosine);
}

static void print_samples(const gnd_array *record, const gnd_array *clean) {
    printf("%8s %10s %10s\n", "sample", "record", "filtered");
    for (int row = 0; row < SHOWN; row++)
        GND_SCOPE {
            const double before = gnd_item_double(gnd_slice(record, "0, %d", RATE + row * STEP));
            const double after = gnd_item_double(gnd_slice(clean, "0, %d", RATE + row * STEP));
            const int length = after > 0 ? (int)(30 * after + 0.5) : 0;
            printf("%8d %10.3f %10.3f  %.*s\n", RATE + row * STEP, before, after, length,
                   "####################################");
        }
    printf("\n");
}

/* ---- how long it takes ---- */

enum { SMALL, SECOND, WHOLE, LINES };
static const char *const names[LINES] = {"a piece of 100 samples, 16 channels", "a piece of 1000 samples",
                                         "the record as one piece"};

typedef struct job {
    gnd_filter_stream *filter;
    gnd_array *x, *out;
} job;
static void feed(void *context) {
    const job *j = context;
    gnd_filter_stream_feed_into(j->filter, j->x, j->out);
}

static void measure(int64_t n, double ms[LINES], bool shown) {
    gnd_filter_stream *filter = make_filter();
    GND_SCOPE {
        gnd_array *record = make_record(n), *clean = gnd_empty_like(record, GND_FLOAT32);
        filter_live(filter, record, clean);
        gnd_filter_stream_reset(filter);
        gnd_array *whole = gnd_filter_stream_feed(filter, record);
        example_check(gnd_item_bool(gnd_all(gnd_equal(clean, whole), GND_ALL)), "the pieces are not the whole");
        /* The first second is the filter's start. */
        gnd_array *settled = gnd_slice(clean, ":, %d:", RATE);
        const double before = hum_of(gnd_slice(record, ":, %d:", RATE)), after = hum_of(settled);
        if (shown) print_samples(record, clean);
        printf("on the %s: hum of %.4f before, %.4f after; pieces and whole have the same bits\n",
               gnd_current_device().kind == GND_GPU ? "GPU" : "CPU", before, after);
        example_check(fabs(before - 0.5) < 0.05 && after < 0.01, "the filter should take the hum away");

        const int64_t sizes[LINES] = {PIECE, RATE, n};
        for (int line = 0; line < LINES; line++) {
            job j = {filter, gnd_ascontiguous(gnd_slice(record, ":, :%lld", (long long)sizes[line])), NULL};
            j.out = gnd_empty_like(j.x, GND_FLOAT32);
            ms[line] = example_time(feed, &j);
        }
    }
    gnd_filter_stream_release(filter);
    gnd_check();
}

int main(int argc, char **argv) {
    const int64_t seconds = example_size(argc, argv, 600, 60);
    example_title("A noisy record, filtered live");
    example_check(seconds >= 3, "the record must be 3 seconds long, or longer");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) gnd_use(devices[d]), measure(seconds * RATE, ms[d], d == 0);
    printf("\n");
    example_table(LINES, names, ms[0]);
    printf("\nLook at the first line: a piece of 100 samples takes 100 ms to come, and how long to be\n"
           "filtered? Look at the samples, too: the pulses come out a little later than they went in.\n");
    return 0;
}
