/*
 * test_large.c: reductions, scans, sorts, sets, products and transforms of more than 2^31 elements, and to more
 * than 2^31 outputs: counts, positions and offsets in 64 bits everywhere. Needs up to 72 GB of a GPU's memory;
 * on the CPU only with GND_TEST_LARGE=1 in the environment.
 */
#include "values.h"

#define LONG INT64_C(3000000000) /* elements of a line */
#define MANY INT64_C(2200000000) /* outputs: more than 2^31 */

/* Places on either side of where 32 bits, signed and unsigned, end. */
static const int64_t indices[] = {0, 1, 12345, INT64_C(2147483647), INT64_C(2147483648), INT64_C(2147483649), MANY - 1};
#define INDICES ((int)(sizeof indices / sizeof *indices))

/* Why a test that needs this much memory cannot run here; NULL if it can. */
static const char *obstacle(double bytes) {
    size_t unused = 0, total = 0;
    if (gnd_current_device().kind == GND_CPU && !getenv("GND_TEST_LARGE"))
        return "much memory: on the CPU only with GND_TEST_LARGE=1";
    gnd_memory_trim(gnd_current_device());
    gnd_memory_info(gnd_current_device(), &unused, &total);
    return (double)unused < bytes * 1.1 ? "not enough free memory" : NULL;
}

#define NEEDS(bytes)                                                                                                   \
    do {                                                                                                               \
        const char *why = obstacle(bytes);                                                                             \
        if (why) SKIP(why);                                                                                            \
    } while (0)

static void set(gnd_array *line, int64_t place, int value) {
    GND_SCOPE {
        gnd_fill(gnd_slice(line, "%lld", (long long)place), value);
    }
}

static int64_t at(const gnd_array *line, int64_t place) {
    int64_t value = 0;
    GND_SCOPE {
        value = gnd_item_int(gnd_slice(line, "%lld", (long long)place));
    }
    return value;
}

static bool all_equal(const gnd_array *x, int value) {
    bool result = false;
    GND_SCOPE {
        result = gnd_item_int(gnd_min(x, GND_ALL)) == value && gnd_item_int(gnd_max(x, GND_ALL)) == value;
    }
    return result;
}

static gnd_axes as(gnd_axes axes, gnd_dtype dtype) {
    axes.dtype = dtype;
    return axes;
}

/* ---- more than 2^31 elements ---------------------------------------------------------------- */

TEST(sums_of_many_elements) {
    NEEDS(2 * LONG);
    gnd_array *x = gnd_ones(GND_SHAPE(LONG), GND_UINT8);
    CHECK(gnd_item_uint(gnd_sum(x, GND_ALL)) == LONG);
    set(x, LONG - 1, 201), set(x, INT64_C(2147483648), 101);
    CHECK(gnd_item_uint(gnd_sum(x, GND_ALL)) == LONG + 300);
    CHECK(gnd_item_uint(gnd_sum(gnd_slice(x, "::-1"), GND_ALL)) == LONG + 300);
    CHECK(gnd_item_uint(gnd_sum(gnd_slice(x, "1:"), GND_ALL)) == LONG + 299);
    CHECK(gnd_item_int(gnd_count_nonzero(x, GND_ALL)) == LONG);
    CHECK(gnd_item_int(gnd_max(x, GND_ALL)) == 201);
    CHECK(gnd_item_int(gnd_ptp(x, GND_ALL)) == 200);
    CHECK(gnd_item_double(gnd_mean(x, GND_ALL)) == (LONG + 300) / (double)LONG);
    set(x, 7, 0);
    CHECK(!gnd_item_bool(gnd_all(x, GND_ALL)));
    CHECK(gnd_item_int(gnd_count_nonzero(x, GND_ALL)) == LONG - 1);
}

TEST(variance_of_many_elements) {
    NEEDS(2 * LONG);
    gnd_array *x = gnd_zeros(GND_SHAPE(LONG), GND_INT8);
    gnd_fill(gnd_slice(x, "%lld:", (long long)(LONG / 2)), 2); /* half 0, half 2 */
    const double variance = gnd_item_double(gnd_var(x, GND_ALL, 0));
    CHECK(variance > 1 - 1e-12 && variance < 1 + 1e-12);
}

TEST(positions_beyond_32_bits) {
    NEEDS(2 * LONG);
    gnd_array *x = gnd_ones(GND_SHAPE(LONG), GND_INT8);
    CHECK(gnd_item_int(gnd_argmax(x, GND_ALL)) == 0);
    set(x, LONG - 1, 5);
    CHECK(gnd_item_int(gnd_argmax(x, GND_ALL)) == LONG - 1);
    set(x, INT64_C(2147483649), 5);
    CHECK(gnd_item_int(gnd_argmax(x, GND_ALL)) == INT64_C(2147483649));
    set(x, INT64_C(2400000000), -5);
    CHECK(gnd_item_int(gnd_argmin(x, GND_ALL)) == INT64_C(2400000000));
    CHECK(gnd_item_int(gnd_argmax(gnd_slice(x, "::-1"), GND_ALL)) == 0);
    /* Two rows: the place in the second one, counted from the start of the whole. */
    gnd_array *rows = gnd_reshape(x, GND_SHAPE(2, LONG / 2));
    CHECK(gnd_item_int(gnd_argmax(rows, GND_ALL)) == INT64_C(2147483649));
    CHECK(gnd_item_int(gnd_slice(gnd_argmax(rows, GND_AXES(1)), "1")) == INT64_C(2147483649) - LONG / 2);
}

TEST(running_sums_of_many_elements) {
    NEEDS(4 * LONG);
    gnd_array *x = gnd_ones(GND_SHAPE(LONG), GND_UINT8);
    gnd_array *sums = gnd_cumsum(x, as(GND_AXES(0), GND_UINT8)); /* modulo 256 */
    for (int i = 0; i < INDICES; i++) CHECK(at(sums, indices[i]) == ((indices[i] + 1) & 255));
    CHECK(at(sums, LONG - 1) == (LONG & 255));
    gnd_array *steps = gnd_subtract(gnd_slice(sums, "1:"), gnd_slice(sums, ":-1"));
    CHECK(all_equal(steps, 1));
}

TEST(differences_of_many_elements) {
    NEEDS(3 * LONG);
    gnd_array *x = gnd_ones(GND_SHAPE(LONG), GND_INT8);
    set(x, INT64_C(2147483648), 3);
    gnd_array *steps = gnd_diff(x, 1, 0, GND_NONE, GND_NONE);
    CHECK(gnd_dim(steps, 0) == LONG - 1);
    CHECK(at(steps, INT64_C(2147483647)) == 2 && at(steps, INT64_C(2147483648)) == -2);
    CHECK(gnd_item_int(gnd_count_nonzero(steps, GND_ALL)) == 2);
}

TEST(median_of_many_elements) {
    NEEDS(11 * LONG);
    gnd_array *x = gnd_ones(GND_SHAPE(LONG), GND_UINT8);
    gnd_fill(gnd_slice(x, "%lld:", (long long)(LONG / 2 - 1)), 9); /* one more 9 than 1 */
    CHECK(gnd_item_double(gnd_median(x, GND_ALL)) == 9);
    set(x, LONG - 1, 1); /* now as many of each: between them */
    CHECK(gnd_item_double(gnd_median(x, GND_ALL)) == 5);
}

TEST(sets_of_many_elements) {
    NEEDS(3.0 * LONG);
    gnd_array *x = gnd_zeros(GND_SHAPE(LONG), GND_UINT8), *counts;
    for (int i = 0; i < INDICES; i++) set(x, indices[i], i + 1);
    gnd_array *values = gnd_unique(x, GND_ALL, &(gnd_unique_options){.counts = &counts});
    CHECK(gnd_size(values) == INDICES + 1 && at(values, INDICES) == INDICES);
    CHECK(at(counts, 0) == LONG - INDICES && at(counts, 1) == 1);
    gnd_array *wanted = gnd_slice(values, "1:");
    CHECK(gnd_item_int(gnd_count_nonzero(gnd_isin(x, wanted, false, GND_ISIN_AUTO), GND_ALL)) == INDICES);
}

TEST(sorted_sets_of_many_elements) {
    NEEDS(26.0 * MANY);
    gnd_array *x = gnd_zeros(GND_SHAPE(MANY), GND_FLOAT16), *counts;
    for (int i = 0; i < INDICES; i++) set(x, indices[i], i - 3);
    CHECK(gnd_size(gnd_unique(x, GND_ALL, NULL)) == INDICES);
    gnd_array *values = gnd_unique(x, GND_ALL, &(gnd_unique_options){.counts = &counts});
    CHECK(gnd_size(values) == INDICES && at(values, 0) == -3 && at(values, INDICES - 1) == 3);
    CHECK(at(counts, 0) == 1 && at(counts, 3) == MANY - INDICES + 1);
}

TEST(counts_of_many_elements) {
    NEEDS(2 * LONG);
    gnd_array *x = gnd_zeros(GND_SHAPE(LONG), GND_UINT8);
    set(x, 5, 3), set(x, INT64_C(2147483648), 7), set(x, LONG - 1, 7);
    gnd_array *counts = gnd_bincount(x, GND_NONE, 0);
    CHECK(gnd_size(counts) == 8 && at(counts, 0) == LONG - 3);
    CHECK(at(counts, 3) == 1 && at(counts, 7) == 2);
    counts = gnd_histogram(gnd_slice(x, "1:"), 7, NULL, NULL);
    CHECK(at(counts, 0) == LONG - 4 && at(counts, 3) == 1 && at(counts, 6) == 2);
}

TEST(indices_among_many_elements) {
    NEEDS(LONG + 10 * MANY);
    gnd_array *line = gnd_zeros(GND_SHAPE(LONG), GND_UINT8);
    gnd_array *end = gnd_slice(line, "%lld:", (long long)MANY);
    CHECK(gnd_fill(end, 9) == GND_OK);
    gnd_array *values = gnd_zeros(GND_SHAPE(MANY), GND_UINT8);
    set(values, MANY - 1, 9), set(values, INT64_C(2147483649), 5);
    gnd_array *found = gnd_searchsorted(line, values, GND_RIGHT, GND_NONE);
    CHECK(at(found, 0) == MANY && at(found, MANY - 1) == LONG);
    CHECK(at(found, INT64_C(2147483649)) == MANY);
    CHECK(gnd_item_int(gnd_min(found, GND_ALL)) == MANY);
}

TEST(scatters_to_far_indices) {
    NEEDS(2 * LONG);
    gnd_array *x = gnd_zeros(GND_SHAPE(LONG), GND_UINT8);
    const int64_t where[] = {INT64_C(2147483648), 5, LONG - 1, LONG - 1, -1};
    gnd_array *targets = gnd_from_host(where, GND_SHAPE(5), GND_INT64);
    CHECK(gnd_at("add", x, GND_ARGS(targets), 2) == GND_OK);
    CHECK(at(x, INT64_C(2147483648)) == 2 && at(x, 5) == 2 && at(x, LONG - 1) == 6);
    CHECK(gnd_item_uint(gnd_sum(x, GND_ALL)) == 10);
    /* Segments that begin beyond 2^31. */
    const int64_t starts[] = {0, INT64_C(2147483648), LONG - 1};
    gnd_array *sums = gnd_reduceat("add", x, gnd_from_host(starts, GND_SHAPE(3), GND_INT64), GND_AXES(0));
    CHECK(at(sums, 0) == 2 && at(sums, 1) == 2 && at(sums, 2) == 6);
}

TEST(elements_by_many_indices) {
    NEEDS(30 * MANY);
    gnd_array *x = gnd_zeros(GND_SHAPE(MANY), GND_UINT8);
    for (int i = 0; i < INDICES; i++) set(x, indices[i], i + 1);
    gnd_array *backwards = gnd_arange(MANY - 1, -1, -1, GND_INT64);
    gnd_array *turned = gnd_take(x, backwards, GND_ALL, GND_RAISE);
    for (int i = 0; i < INDICES; i++) CHECK(at(turned, MANY - 1 - indices[i]) == i + 1);
    CHECK(gnd_item_uint(gnd_sum(turned, GND_ALL)) == 28);
    gnd_array *back = gnd_zeros(GND_SHAPE(MANY), GND_UINT8);
    CHECK(gnd_set(back, GND_INDICES(backwards), turned) == GND_OK);
    CHECK(gnd_item_bool(gnd_all(gnd_equal(back, x), GND_ALL)));
    CHECK(gnd_put(back, backwards, gnd_slice(x, "1:3"), GND_RAISE) == GND_OK);
    /* x[1:3] is 2 and 0: odd indices get the one, even indices the other. */
    CHECK(all_equal(gnd_slice(back, "1::2"), 2) && all_equal(gnd_slice(back, "::2"), 0));
    /* Columns first: place k of MANY is row k % 2, column k / 2. */
    gnd_array *pairs = gnd_transpose(gnd_reshape(x, GND_SHAPE(2, MANY / 2)));
    const int64_t where[] = {0, 24690, MANY - 1, 2 * (INT64_C(2147483647) - MANY / 2) + 1, MANY};
    gnd_array *few = gnd_from_host(where, GND_SHAPE(5), GND_INT64);
    gnd_array *got = gnd_take(pairs, few, GND_ALL, GND_RAISE);
    CHECK_ERROR(gnd_sync(), GND_ERROR_INDEX, "index 2200000000");
    CHECK(at(got, 0) == 1 && at(got, 1) == 3 && at(got, 2) == 7 && at(got, 3) == 4);
}

TEST(masks_of_many_elements) {
    NEEDS(11 * LONG);
    gnd_array *x = gnd_zeros(GND_SHAPE(LONG), GND_UINT8);
    for (int i = 0; i < INDICES; i++) set(x, indices[i], 1 + i);
    gnd_array *found = gnd_flatnonzero(x), *values = gnd_extract(x, x), *count, *pair[2];
    CHECK(gnd_size(found) == INDICES && gnd_size(values) == INDICES);
    for (int i = 0; i < INDICES; i++) CHECK(at(found, i) == indices[i] && at(values, i) == 1 + i);
    gnd_array *back = gnd_flatnonzero(gnd_slice(x, "::-1"));
    CHECK(gnd_size(back) == INDICES && at(back, 0) == LONG - MANY && at(back, INDICES - 1) == LONG - 1);
    CHECK(gnd_nonzero_bounded(gnd_reshape(x, GND_SHAPE(LONG / 3, 3)), INDICES, pair, &count) == GND_OK);
    for (int i = 0; i < INDICES; i++) CHECK(at(pair[0], i) * 3 + at(pair[1], i) == indices[i]);
    CHECK(gnd_item_int(count) == INDICES);
    CHECK(gnd_place(x, gnd_greater(x, 2), gnd_add(values, 10)) == GND_OK);
    for (int i = 2; i < INDICES; i++) CHECK(at(x, indices[i]) == 9 + i);
    CHECK(gnd_putmask(x, gnd_greater(x, 0), gnd_arange(0, 100, 1, GND_UINT8)) == GND_OK);
    for (int i = 0; i < INDICES; i++) CHECK(at(x, indices[i]) == indices[i] % 100);
}

/* ---- more than 2^31 outputs ----------------------------------------------------------------- */

/* An array of two lines of MANY, or MANY pairs: the sum over the axis of size 2 in its own dtype,
   and where the larger of the two is. */
static void over_an_axis_of_two(int axis) {
    NEEDS(12 * MANY);
    gnd_array *x = gnd_ones(axis ? GND_SHAPE(MANY, 2) : GND_SHAPE(2, MANY), GND_INT8);
    gnd_array *second = axis ? gnd_slice(x, ":, 1") : gnd_slice(x, "1");
    for (int i = 0; i < INDICES; i++) set(second, indices[i], 2 + i);
    GND_SCOPE {
        gnd_array *sums = gnd_sum(x, as(GND_AXES(axis), GND_INT8));
        CHECK(gnd_size(sums) == MANY);
        for (int i = 0; i < INDICES; i++) CHECK(at(sums, indices[i]) == 3 + i);
        CHECK(gnd_item_int(gnd_sum(sums, GND_ALL)) == 2 * MANY + 7 + 21);
        CHECK(gnd_item_int(gnd_count_nonzero(gnd_not_equal(sums, 2), GND_ALL)) == INDICES);
    }
    GND_SCOPE {
        gnd_array *largest = gnd_argmax(x, GND_AXES(axis));
        CHECK(gnd_size(largest) == MANY);
        for (int i = 0; i < INDICES; i++) CHECK(at(largest, indices[i]) == 1);
        CHECK(gnd_item_int(gnd_sum(largest, GND_ALL)) == INDICES);
    }
    GND_SCOPE {
        gnd_array *sums = gnd_cumsum(x, as(GND_AXES(axis), GND_INT8));
        gnd_array *last = axis ? gnd_slice(sums, ":, 1") : gnd_slice(sums, "1");
        for (int i = 0; i < INDICES; i++) CHECK(at(last, indices[i]) == 3 + i);
        CHECK(gnd_item_int(gnd_sum(last, GND_ALL)) == 2 * MANY + 7 + 21);
    }
}

TEST(masks_that_name_many_elements) {
    NEEDS(22 * MANY);
    gnd_array *mask = gnd_ones(GND_SHAPE(MANY + 1), GND_BOOL);
    set(mask, 3, 0);
    gnd_array *found = gnd_flatnonzero(mask);
    CHECK(gnd_size(found) == MANY);
    for (int i = 0; i < INDICES; i++) /* from element 3 on they come one later */
        CHECK(at(found, indices[i]) == indices[i] + (indices[i] >= 3));
    gnd_array *x = gnd_astype(gnd_remainder(found, 101), GND_INT8);
    gnd_array *all = gnd_zeros(GND_SHAPE(MANY + 1), GND_INT8);
    CHECK(gnd_set(all, GND_INDICES(mask), x) == GND_OK);
    for (int i = 1; i < INDICES; i++) CHECK(at(all, indices[i]) == indices[i] % 101);
    gnd_array *again = gnd_get(all, GND_INDICES(mask));
    CHECK(gnd_size(again) == MANY && gnd_item_bool(gnd_all(gnd_equal(again, x), GND_ALL)));
    CHECK(gnd_set(all, GND_INDICES(mask), gnd_slice(x, "1:")) == GND_OK);
    CHECK_ERROR(gnd_sync(), GND_ERROR_VALUE, "2199999999 values for 2200000000 true elements");
}

/* Zeros with something else at three indices: all other elements are equal, and stay in their order. */
TEST(sorts_of_many_elements) {
    NEEDS(6 * LONG);
    const int64_t middle = INT64_C(2147483648);
    gnd_array *x = gnd_zeros(GND_SHAPE(LONG), GND_INT8), *values = NULL;
    set(x, LONG - 1, -3), set(x, middle, 5), set(x, 12, 7);
    GND_SCOPE {
        gnd_array *y = gnd_sort(x, GND_AXES(0), GND_ASCENDING);
        CHECK(at(y, 0) == -3 && at(y, 1) == 0 && at(y, middle) == 0 && at(y, LONG - 3) == 0);
        CHECK(at(y, LONG - 2) == 5 && at(y, LONG - 1) == 7);
        CHECK(gnd_sort_inplace(y, GND_AXES(0), GND_DESCENDING) == GND_OK);
        CHECK(at(y, 0) == 7 && at(y, 1) == 5 && at(y, 2) == 0 && at(y, LONG - 1) == -3);
    }
    NEEDS(24 * LONG);
    GND_SCOPE {
        gnd_array *order = gnd_argsort(x, GND_AXES(0), GND_ASCENDING);
        CHECK(at(order, 0) == LONG - 1 && at(order, 1) == 0 && at(order, 13) == 13);
        CHECK(at(order, middle) == middle + 1);
        CHECK(at(order, LONG - 2) == middle && at(order, LONG - 1) == 12);
    }
    CHECK(gnd_topk(&values, NULL, x, 3, GND_AXES(0), GND_DESCENDING) == GND_OK);
    CHECK(at(values, 0) == 7 && at(values, 1) == 5 && at(values, 2) == 0);
}

TEST(many_rows_sorted) {
    NEEDS(8 * MANY);
    gnd_array *x = gnd_zeros(GND_SHAPE(MANY, 2), GND_INT8);
    gnd_fill(gnd_slice(x, ":, 1"), -1);
    gnd_array *y = gnd_sort(x, GND_AXES(1), GND_ASCENDING);
    CHECK(all_equal(gnd_slice(y, ":, 0"), -1) && all_equal(gnd_slice(y, ":, 1"), 0));
}

TEST(many_columns_of_two) {
    over_an_axis_of_two(0);
}

TEST(many_rows_of_two) {
    over_an_axis_of_two(1);
}

TEST(products_of_long_lines) {
    const int64_t n = (INT64_C(1) << 31) + 24;
    NEEDS(4 * n);
    gnd_array *x = gnd_zeros(GND_SHAPE(1, n), GND_FLOAT32);
    gnd_fill(gnd_slice(x, ":, :8"), 1);
    gnd_fill(gnd_slice(x, ":, -8:"), 3);
    gnd_fill(gnd_slice(x, ":, %lld::%lld", 1LL << 30, 1LL << 30), 2); /* two of them */
    CHECK(HOLDS(gnd_matmul(x, gnd_transpose(x)), 8 + 72 + 8));
    /* Rows further apart than an int can say. */
    gnd_array *apart = gnd_slice(gnd_reshape(x, GND_SHAPE(2, n / 2)), ":, -16:");
    gnd_array *wide = gnd_as_strided(x, GND_SHAPE(2, 8), (const int64_t[]){4 * (n - 8), 4});
    CHECK(HOLDS(gnd_matmul(wide, gnd_transpose(wide)), 8, 24, 24, 72));
    CHECK(HOLDS(gnd_matmul(apart, gnd_transpose(apart)), 4, 0, 0, 72));
    gnd_array *out = gnd_reshape(gnd_slice(x, "0, :8"), GND_SHAPE(2, 4));
    CHECK(gnd_matmul_into(gnd_slice(wide, ":, :2"), out, gnd_transpose(out), 1, 0) == GND_OK);
    CHECK(HOLDS(wide, 4, 4, 1, 1, 1, 1, 1, 1, 4, 4, 3, 3, 3, 3, 3, 3));
}

/* ---- transforms ------------------------------------------------------------------------------- */

/* A one in an array of zeros, whose transform has ones everywhere, and back. */
TEST(transforms_of_many_elements) {
    NEEDS(8.0 * MANY * 4);
    const int64_t rows = MANY / 1000;
    GND_SCOPE {
        gnd_array *x = gnd_zeros(GND_SHAPE(rows, 1000), GND_COMPLEX64);
        gnd_fill(gnd_slice(x, ":, 0"), 1);
        gnd_fft_into(x, x, -1, 1, GND_FFT_BACKWARD);
        for (int i = 0; i < INDICES; i++) {
            const int64_t row = indices[i] / 1000, column = indices[i] % 1000;
            CHECK(gnd_item_double(gnd_real(gnd_slice(x, "%lld, %lld", (long long)row, (long long)column))) == 1);
        }
        gnd_ifft_into(x, x, -1, 1, GND_FFT_BACKWARD);
        CHECK(gnd_item_double(gnd_real(gnd_slice(x, "-1, 0"))) == 1);
        CHECK(gnd_item_double(gnd_max(gnd_absolute(gnd_slice(x, "-1, 1:")), GND_ALL)) < 1e-5);
        /* Along the other axis: what is far apart. */
        gnd_fft_into(x, x, -1, 0, GND_FFT_FORWARD);
        CHECK(fabs(gnd_item_double(gnd_real(gnd_slice(x, "0, 0"))) - 1) < 1e-5);
        CHECK(gnd_item_double(gnd_absolute(gnd_slice(x, "-1, 0"))) < 1e-5);
    }
}

TEST(one_long_transform) {
    NEEDS(4.0 * MANY * 6);
    GND_SCOPE {
        gnd_array *line = gnd_zeros(GND_SHAPE(INT64_C(1) << 31), GND_FLOAT32);
        set(line, 0, 1);
        gnd_array *spectrum = gnd_rfft(line, -1, 0, GND_FFT_BACKWARD);
        CHECK(gnd_size(spectrum) == (INT64_C(1) << 30) + 1);
        CHECK(fabs(gnd_item_double(gnd_real(gnd_slice(spectrum, "-1"))) - 1) < 1e-5);
        CHECK(fabs(gnd_item_double(gnd_real(gnd_slice(spectrum, "12345678"))) - 1) < 1e-5);
    }
}

TEST_MAIN
