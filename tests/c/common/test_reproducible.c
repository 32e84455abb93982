/*
 * test_reproducible.c: the same bits on every run: sum, var and cumsum of random float32 in 100
 * runs, alone and with another stream busy, over sizes that many blocks and threads share.
 */
#include "tap.h"

/* The address sanitizer slows runs down, and finds nothing in the later ones. */
#ifdef __SANITIZE_ADDRESS__
enum { RUNS = 10 };
#else
enum { RUNS = 100 };
#endif

typedef gnd_array *(*computation)(const gnd_array *x, gnd_axes axes);

static gnd_array *variance(const gnd_array *x, gnd_axes axes) {
    return gnd_var(x, axes, 0);
}

/* Random numbers of both signs and many magnitudes: their sums round differently in each order. */
static gnd_array *random_numbers(int64_t rows, int64_t columns) {
    const int64_t n = rows * columns;
    float *host = malloc((size_t)n * sizeof *host);
    uint64_t state = 88172645463325252u;
    for (int64_t i = 0; host && i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const float magnitude = (float)(1u << (state >> 59 & 15));
        host[i] = ((float)(state >> 40) * 0x1p-24f - 0.5f) * magnitude;
    }
    gnd_array *x = host ? gnd_from_host(host, GND_SHAPE(rows, columns), GND_FLOAT32) : NULL;
    free(host);
    return x;
}

/* Whether two arrays hold the same bits, -0.0 and NaN included; -1 if they cannot be compared. */
static int same_bits(const gnd_array *a, const gnd_array *b) {
    int same = -1;
    GND_SCOPE {
        gnd_array *x = gnd_view(a, GND_INT32), *y = gnd_view(b, GND_INT32);
        gnd_array *all = gnd_all(gnd_equal(x, y), GND_ALL);
        if (all) same = gnd_item_bool(all);
    }
    return same;
}

/* How many of the runs differ from the first, with another stream at work if there is one. */
static int different_runs(computation f, const gnd_array *x, gnd_axes axes, gnd_stream *other, const gnd_array *load) {
    int different = 0;
    gnd_array *first = f(x, axes);
    for (int i = 0; i < RUNS; i++)
        GND_SCOPE {
            if (other)
                GND_STREAM(other) { /* work of changing size, so that blocks come in any order */
                    gnd_sum(gnd_slice(load, "%d:", i), GND_AXES(i % 2));
                    gnd_add(load, i);
                }
            different += same_bits(first, f(x, axes)) != 1;
        }
    if (other) gnd_stream_sync(other);
    return different;
}

static void runs_agree(computation f) {
    const bool gpu = gnd_current_device().kind == GND_GPU;
    const int64_t rows = gpu ? 4001 : 701, columns = gpu ? 5003 : 1103;
    gnd_array *x = random_numbers(rows, columns);
    gnd_array *flat = gnd_reshape(x, GND_SHAPE(rows * columns));
    gnd_array *narrow =
        gnd_reshape(gnd_slice(flat, "%d:", (int)(rows * columns % 7)), GND_SHAPE(rows * columns / 7, 7));
    gnd_array *load = gnd_ones(GND_SHAPE(1500, gpu ? 3000 : 300), GND_FLOAT32);
    const struct {
        const char *name;
        const gnd_array *x;
        gnd_axes axes;
    } cases[] = {
        {"a line", flat, GND_ALL},
        {"a line from its second element", gnd_slice(flat, "1:"), GND_ALL},
        {"columns of a matrix", x, GND_AXES(0)},
        {"rows of a matrix", x, GND_AXES(1)},
        {"columns of a narrow matrix", narrow, GND_AXES(0)},
        {"rows of a narrow matrix", narrow, GND_AXES(1)},
        {"every other column", gnd_slice(x, ":, ::2"), GND_AXES(0)},
    };
    gnd_stream *other = gnd_stream_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int busy = 0; busy < 2; busy++) {
            const int different = different_runs(f, cases[i].x, cases[i].axes, busy ? other : NULL, load);
            if (different)
                printf("# %s%s: %d of %d runs differ\n", cases[i].name, busy ? ", another stream busy" : "", different,
                       RUNS);
            CHECK(different == 0);
        }
    gnd_stream_release(other);
}

TEST(sums_have_the_same_bits) {
    runs_agree(gnd_sum);
}

TEST(variances_have_the_same_bits) {
    runs_agree(variance);
}

TEST(running_sums_have_the_same_bits) {
    runs_agree(gnd_cumsum);
}

/* Views of one array, all as the same place in memory: alignment must not change what is added to
   what. */
TEST(where_an_array_lies_changes_nothing) {
    const int64_t n = 1000003;
    gnd_array *x = random_numbers(1, n);
    gnd_array *first = NULL, *first_variance = NULL, *first_scan = NULL;
    for (int offset = 0; offset < 9; offset++) {
        gnd_array *room = gnd_zeros(GND_SHAPE(n + 16), GND_FLOAT32);
        gnd_array *moved = gnd_slice(room, "%d:%d", offset, (int)n + offset);
        CHECK(gnd_copyto(moved, gnd_slice(x, "0")) == GND_OK);
        gnd_array *sum = gnd_sum(moved, GND_ALL), *var = gnd_var(moved, GND_ALL, 0);
        gnd_array *scan = gnd_cumsum(moved, GND_ALL);
        if (!first) first = sum, first_variance = var, first_scan = scan;
        CHECK(same_bits(first, sum) == 1);
        CHECK(same_bits(first_variance, var) == 1);
        CHECK(same_bits(first_scan, scan) == 1);
    }
}

TEST_MAIN
