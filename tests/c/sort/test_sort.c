/*
 * test_sort.c: what orders, from C: values, indices and both, in place and into, keys, the first few,
 * partitions, what is refused, and that nothing else is touched. The oracle tests compare every dtype,
 * layout and length with NumPy.
 */
#include "values.h"
#include <math.h>

TEST(values_and_indices_in_order) {
    gnd_array *x = FLOATS(3, NAN, -1, 3, INFINITY, -0.0f, 0), *values, *indices;
    CHECK(HOLDS(gnd_sort(x, GND_AXES(0), GND_ASCENDING), -1, -0.0, 0, 3, 3, INFINITY, NAN));
    CHECK(HOLDS(gnd_sort(x, GND_AXES(-1), GND_DESCENDING), NAN, INFINITY, 3, 3, -0.0, 0, -1));
    CHECK(HOLDS(gnd_argsort(x, GND_ALL, GND_ASCENDING), 2, 5, 6, 0, 3, 4, 1));
    CHECK(HOLDS(gnd_argsort(x, GND_ALL, GND_DESCENDING), 1, 4, 0, 3, 5, 6, 2));
    CHECK(gnd_sort_with_indices(&values, &indices, x, GND_AXES(0), GND_ASCENDING) == GND_OK);
    CHECK(HOLDS(values, -1, -0.0, 0, 3, 3, INFINITY, NAN) && HOLDS(indices, 2, 5, 6, 0, 3, 4, 1));
    CHECK(gnd_dtype_of(values) == GND_FLOAT32 && gnd_dtype_of(indices) == GND_INT64);
    CHECK(HOLDS(x, 3, NAN, -1, 3, INFINITY, -0.0, 0));
}

TEST(each_axis_for_itself) {
    gnd_array *x = gnd_reshape(FLOATS(5, 1, 4, 2, 6, 3), GND_SHAPE(2, 3));
    CHECK(HOLDS(gnd_sort(x, GND_AXES(1), GND_ASCENDING), 1, 4, 5, 2, 3, 6));
    CHECK(HOLDS(gnd_sort(x, GND_AXES(0), GND_ASCENDING), 2, 1, 3, 5, 6, 4));
    CHECK(HOLDS(gnd_sort(x, GND_ALL, GND_ASCENDING), 1, 2, 3, 4, 5, 6));
    CHECK(HOLDS(gnd_argsort(gnd_transpose(x), GND_ALL, GND_ASCENDING), 2, 1, 5, 4, 0, 3));
    CHECK(HOLDS(gnd_sort(gnd_slice(x, "::-1, 1:"), GND_AXES(1), GND_DESCENDING), 6, 3, 4, 1));
}

TEST(in_place_and_into) {
    gnd_array *x = FLOATS(9, 5, 8, 4, 7, 3);
    CHECK(gnd_sort_inplace(gnd_slice(x, "::2"), GND_ALL, GND_ASCENDING) == GND_OK);
    CHECK(HOLDS(x, 7, 5, 8, 4, 9, 3));
    gnd_axes axes = GND_AXES(0);
    axes.out = gnd_slice(x, "::-1");
    gnd_array *result = gnd_sort(x, axes, GND_ASCENDING);
    CHECK(HOLDS(result, 3, 4, 5, 7, 8, 9) && HOLDS(x, 9, 8, 7, 5, 4, 3));
    axes.out = gnd_zeros(GND_SHAPE(6), GND_FLOAT64);
    CHECK(HOLDS(gnd_argsort(x, axes, GND_ASCENDING), 5, 4, 3, 2, 1, 0));
    CHECK(HOLDS(axes.out, 5, 4, 3, 2, 1, 0));
}

TEST(several_keys) {
    gnd_array *last = FLOATS(1, 5, 1, 4, 3, 4, 4), *first = FLOATS(9, 4, 0, 4, 0, 2, 1);
    CHECK(HOLDS(gnd_lexsort(GND_ARGS(first, last), GND_ALL), 2, 0, 4, 6, 5, 3, 1));
    CHECK(HOLDS(gnd_lexsort(GND_ARGS(last), GND_AXES(0)), 0, 2, 4, 3, 5, 6, 1));
    gnd_array *whole = gnd_reshape(gnd_slice(last, ":6"), GND_SHAPE(2, 3));
    CHECK(HOLDS(gnd_lexsort(GND_ARGS(whole, whole), GND_AXES(1)), 0, 2, 1, 1, 0, 2));
    CHECK_ERROR(gnd_lexsort(GND_ARGS(first, 3), GND_ALL), GND_ERROR_INVALID, "key 2 is no array");
    CHECK_ERROR(gnd_lexsort(GND_ARGS(first, whole), GND_ALL), GND_ERROR_SHAPE, "(2, 3)");
    CHECK_ERROR(gnd_lexsort(GND_ARGS(whole), GND_ALL), GND_ERROR_INVALID, "must be named");
}

TEST(the_first_few) {
    gnd_array *x = FLOATS(2, 7, 1, NAN, 7, 5), *values, *indices;
    CHECK(gnd_topk(&values, &indices, x, 3, GND_AXES(0), GND_DESCENDING) == GND_OK);
    CHECK(HOLDS(values, NAN, 7, 7) && HOLDS(indices, 3, 1, 4));
    CHECK(gnd_topk(&values, NULL, x, 2, GND_ALL, GND_ASCENDING) == GND_OK);
    CHECK(HOLDS(values, 1, 2));
    CHECK(gnd_topk(NULL, &indices, x, 0, GND_ALL, GND_ASCENDING) == GND_OK);
    CHECK(gnd_size(indices) == 0);
    CHECK_ERROR(gnd_topk(&values, &indices, x, 7, GND_ALL, GND_ASCENDING), GND_ERROR_VALUE, "k 7");
    CHECK(values == NULL && indices == NULL);
    gnd_array *parted = gnd_partition(x, GND_KTH(1, -1), GND_AXES(0));
    CHECK(HOLDS(gnd_slice(parted, ":2"), 1, 2) && HOLDS(gnd_slice(parted, "-1:"), NAN));
    CHECK(HOLDS(gnd_slice(gnd_argpartition(x, GND_KTH(0), GND_ALL), ":1"), 2));
    CHECK_ERROR(gnd_partition(x, GND_KTH(0, 6), GND_AXES(0)), GND_ERROR_VALUE, "kth 6");
}

TEST(complex_numbers) {
    gnd_array *x = gnd_sort_complex(gnd_from_host((int8_t[]){3, -2, 1}, GND_SHAPE(3), GND_INT8));
    CHECK(gnd_dtype_of(x) == GND_COMPLEX64);
    CHECK(HOLDS(gnd_real(x), -2, 1, 3));
}

TEST(what_is_refused) {
    gnd_array *x = gnd_zeros(GND_SHAPE(2, 3), GND_INT16);
    CHECK_ERROR(gnd_sort(x, GND_AXES(2), GND_ASCENDING), GND_ERROR_AXIS, "axis 2");
    CHECK_ERROR(gnd_sort(x, GND_AXES(0, 1), GND_ASCENDING), GND_ERROR_INVALID, "2 were given");
    CHECK_ERROR(gnd_sort(x, GND_AXES_KEEP(0), GND_ASCENDING), GND_ERROR_INVALID, "keepdims");
    CHECK_ERROR(gnd_sort(x, GND_ALL, (gnd_direction)5), GND_ERROR_INVALID, "direction 5");
    CHECK_ERROR(gnd_sort_inplace(x, GND_ALL, GND_ASCENDING), GND_ERROR_INVALID, "must be named");
    CHECK_ERROR(gnd_sort_inplace(gnd_broadcast_to(x, GND_SHAPE(4, 2, 3)), GND_AXES(0), GND_ASCENDING),
                GND_ERROR_INVALID, "read-only");
    CHECK_ERROR(gnd_argsort(NULL, GND_ALL, GND_ASCENDING), GND_ERROR_INVALID, "'x' is NULL");
}

/* A long row, as several threads or blocks sort it: each place once, equal ones in their order. */
TEST(long_rows_are_stable) {
    enum { N = 700001, KINDS = 1000 };
    uint32_t *keys = malloc(N * sizeof *keys);
    int64_t *order = malloc(N * sizeof *order);
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < N; i++) keys[i] = (uint32_t)(next_random(&state) % KINDS);
    gnd_array *x = gnd_from_host(keys, GND_SHAPE(N), GND_UINT32);
    for (int down = 0; down < 2; down++) {
        gnd_array *indices = gnd_argsort(x, GND_ALL, (gnd_direction)down);
        CHECK(gnd_to_host(indices, order, N * sizeof *order) == GND_OK);
        bool good = true;
        for (int i = 1; i < N && good; i++) {
            const uint32_t a = keys[order[i - 1]], b = keys[order[i]];
            good = a == b ? order[i - 1] < order[i] : down ? a > b : a < b;
        }
        CHECK(good);
    }
    free(keys);
    free(order);
}

TEST_MAIN
