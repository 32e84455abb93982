/*
 * test_index.c: elements by index as C programs write them, and indices that mean harm: whatever they
 * are, no entry touches memory outside its arrays (run under a memory checker), and the next wait
 * says which one it was. The oracle tests compare every kind of index with NumPy.
 */
#include "values.h"

TEST(get_takes_every_kind_of_item) {
    gnd_array *a = count_up(GND_SHAPE(3, 4), GND_INT32), *rows = INTEGERS(2, 0), *columns = INTEGERS(1, -1);
    CHECK(HOLDS(gnd_get(a, GND_INDICES(rows)), 8, 9, 10, 11, 0, 1, 2, 3));
    CHECK(HOLDS(gnd_get(a, GND_INDICES(rows, columns)), 9, 3));
    CHECK(HOLDS(gnd_get(a, GND_INDICES(":", columns)), 1, 3, 5, 7, 9, 11));
    CHECK(HOLDS(gnd_get(a, GND_INDICES(rows, "1:3")), 9, 10, 1, 2));
    CHECK(HOLDS(gnd_get(a, GND_INDICES(rows, 2)), 10, 2));
    CHECK(HOLDS(gnd_get(a, GND_INDICES(rows, gnd_index_range(GND_OPEN, GND_OPEN, -3))), 11, 8, 3, 0));
    CHECK(gnd_ndim(gnd_get(a, GND_INDICES("None", rows, "None, ..."))) == 4);
    CHECK(HOLDS(gnd_get(a, GND_INDICES(gnd_greater(a, 9))), 10, 11));
    CHECK(HOLDS(gnd_get(a, GND_INDICES(gnd_greater(gnd_slice(a, ":, 0"), 3), columns)), 5, 11));
    gnd_array *view = gnd_get(a, GND_INDICES(1, "::2"));
    CHECK(HOLDS(view, 4, 6) && gnd_data(view) == gnd_data(gnd_slice(a, "1, ::2")));
}

TEST(set_assigns_to_every_kind_of_item) {
    gnd_array *a = count_up(GND_SHAPE(3, 4), GND_FLOAT32), *rows = INTEGERS(2, 0), *columns = INTEGERS(1, -1);
    CHECK(gnd_set(a, GND_INDICES(rows, columns), 90) == GND_OK);
    CHECK(HOLDS(a, 0, 1, 2, 90, 4, 5, 6, 7, 8, 90, 10, 11));
    CHECK(gnd_set(a, GND_INDICES(rows, "2:"), INTEGERS(-1, -2)) == GND_OK);
    CHECK(HOLDS(a, 0, 1, -1, -2, 4, 5, 6, 7, 8, 90, -1, -2));
    CHECK(gnd_set(a, GND_INDICES(gnd_less(a, 0)), 0.5) == GND_OK);
    CHECK(HOLDS(a, 0, 1, 0.5, 0.5, 4, 5, 6, 7, 8, 90, 0.5, 0.5));
    CHECK(gnd_set(a, GND_INDICES(1), 3) == GND_OK);
    CHECK(HOLDS(gnd_slice(a, "1"), 3, 3, 3, 3));
    CHECK(gnd_set(a, GND_INDICES(0, INTEGERS(1, 1, 1)), INTEGERS(7, 8, 9)) == GND_OK);
    CHECK(HOLDS(gnd_slice(a, "0"), 0, 9, 0.5, 0.5));
}

TEST(take_and_put) {
    gnd_array *a = count_up(GND_SHAPE(2, 3), GND_FLOAT64), *i = INTEGERS(2, 0, -1);
    CHECK(HOLDS(gnd_take(a, i, GND_AXES(1), GND_RAISE), 2, 0, 2, 5, 3, 5));
    CHECK(HOLDS(gnd_take(gnd_transpose(a), i, GND_ALL, GND_RAISE), 1, 0, 5));
    CHECK(HOLDS(gnd_take(a, INTEGERS(7, -7, 2), GND_AXES(0), GND_WRAP), 3, 4, 5, 3, 4, 5, 0, 1, 2));
    CHECK(HOLDS(gnd_take(a, INTEGERS(7, -7), GND_AXES(0), GND_CLIP), 3, 4, 5, 0, 1, 2));
    gnd_array *largest = gnd_argmax(a, GND_AXES_KEEP(1));
    CHECK(HOLDS(gnd_take_along_axis(a, largest, GND_AXES(1)), 2, 5));
    CHECK(gnd_put_along_axis(a, largest, -1, GND_AXES(1)) == GND_OK);
    CHECK(HOLDS(a, 0, 1, -1, 3, 4, -1));
    CHECK(gnd_put(a, INTEGERS(5, 0, 1), INTEGERS(8, 9), GND_RAISE) == GND_OK);
    CHECK(HOLDS(a, 9, 8, -1, 3, 4, 8));
    CHECK(gnd_scatter_add(a, GND_INDICES(":", INTEGERS(0, 0)), 1) == GND_OK);
    CHECK(HOLDS(a, 11, 8, -1, 5, 4, 8));
    CHECK(gnd_scatter_maximum(a, GND_INDICES("0", i), 6) == GND_OK);
    CHECK(HOLDS(a, 11, 8, 6, 5, 4, 8));
}

TEST(the_last_value_holds) {
    enum { UPDATES = 3000000, PLACES = 9000000, TIMES = 3 };
    const int64_t places[TIMES] = {1000, 400000, PLACES};
    int64_t *index = malloc(UPDATES * sizeof *index);
    float *value = malloc(UPDATES * sizeof *value), *want = malloc(PLACES * sizeof *want);
    float *got = malloc(PLACES * sizeof *got);
    uint64_t state = 88172645463325252u;
    for (int t = 0; t < TIMES; t++) {
        const size_t bytes = (size_t)places[t] * sizeof *want;
        memset(want, 0, bytes);
        for (int i = 0; i < UPDATES; i++) {
            index[i] = (int64_t)(next_random(&state) % (uint64_t)places[t]), value[i] = (float)i;
            want[index[i]] = value[i];
            if (state >> 60 == 0) index[i] -= places[t];
        }
        gnd_array *a = gnd_zeros(GND_SHAPE(places[t]), GND_FLOAT32);
        gnd_array *v = gnd_from_host(value, GND_SHAPE(UPDATES), GND_FLOAT32);
        CHECK(gnd_set(a, GND_INDICES(integers(index, UPDATES)), v) == GND_OK);
        CHECK(gnd_to_host(a, got, bytes) == GND_OK && memcmp(got, want, bytes) == 0);
        for (int i = 0; i < UPDATES; i += 1000) index[i] = i % 3000 ? INT64_MIN + i : places[t] + i;
        CHECK(gnd_set(a, GND_INDICES(integers(index, UPDATES)), v) == GND_OK);
        CHECK_ERROR(gnd_to_host(a, got, bytes), GND_ERROR_INDEX, "out of bounds for axis 0");
    }
    free(index), free(value), free(want), free(got);
}

/* ---- indices that mean harm ----------------------------------------------------------------- */

enum { HARMFUL = 8 };
static const int64_t harmful[HARMFUL] = {INT64_MIN,  INT64_MAX,        64,           -65, 1 << 20,
                                         -(1 << 20), INT64_C(1) << 40, INT64_MIN + 1};

/* Reports what the last call met, and clears it; the entry must have said that there is something. */
static bool reported(const gnd_array *any) {
    gnd_error_record e;
    char byte[16];
    const gnd_array *first = gnd_slice(any, "0");
    (void)gnd_to_host(first, byte, (size_t)gnd_itemsize(any));
    return gnd_error_take(&e) && e.code == GND_ERROR_INDEX && strstr(e.message, "out of bounds");
}

/* n indices into 64 elements, most of them harmful, in one of the dtypes that can hold them. */
static gnd_array *harm(int64_t n, int kind) {
    int64_t *index = malloc((size_t)n * sizeof *index);
    for (int64_t k = 0; k < n; k++) index[k] = k % 3 == 2 ? k % 64 : harmful[(k + kind) % HARMFUL];
    gnd_array *i = integers(index, n);
    free(index);
    return kind % 2 ? gnd_view(i, GND_UINT64) : i;
}

TEST(harmful_indices_read_nothing) {
    static const int64_t lengths[] = {1, 5, 1000, 300000};
    static const gnd_dtype dtypes[] = {GND_INT8, GND_FLOAT16, GND_FLOAT32, GND_FLOAT64, GND_COMPLEX128};
    for (int d = 0; d < 5; d++)
        for (int n = 0; n < 4; n++) {
            gnd_array *a = count_up(GND_SHAPE(64), dtypes[d]), *i = harm(lengths[n], n + d);
            CHECK(reported(gnd_get(a, GND_INDICES(i))));
            CHECK(reported(gnd_take(a, i, GND_ALL, GND_RAISE)));
            CHECK(reported(gnd_take_along_axis(a, i, GND_AXES(0))));
            gnd_array *m = count_up(GND_SHAPE(64, 12), dtypes[d]);
            if (n < 3) {
                CHECK(reported(gnd_ravel(gnd_get(m, GND_INDICES(i)))));
                CHECK(reported(gnd_ravel(gnd_get(gnd_transpose(m), GND_INDICES(":", i)))));
            }
            CHECK(reported(gnd_get(m, GND_INDICES(i, 3))));
            CHECK(reported(gnd_get(m, GND_INDICES(i, i))));
            CHECK(gnd_take(a, i, GND_ALL, GND_WRAP) && gnd_take(a, i, GND_ALL, GND_CLIP));
            CHECK(gnd_sync() == GND_OK);
        }
}

TEST(harmful_indices_write_nothing) {
    static const int64_t lengths[] = {1, 5, 1000, 300000};
    static const gnd_dtype dtypes[] = {GND_INT8, GND_FLOAT16, GND_FLOAT32, GND_FLOAT64, GND_COMPLEX128};
    for (int d = 0; d < 5; d++)
        for (int n = 0; n < 4; n++) {
            gnd_array *around = gnd_full(GND_SHAPE(3, 64), 7, dtypes[d]);
            gnd_array *a = gnd_slice(around, "1"), *i = harm(lengths[n], n + d);
            gnd_array *v = gnd_zeros(GND_SHAPE(lengths[n]), dtypes[d]);
            CHECK(gnd_set(a, GND_INDICES(i), 1) == GND_OK && reported(a));
            if (lengths[n] == 1) CHECK(gnd_array_equiv(a, 7));
            CHECK(gnd_set(a, GND_INDICES(i), v) == GND_OK && reported(a));
            CHECK(gnd_put(a, i, v, GND_RAISE) == GND_OK && reported(a));
            CHECK(gnd_put(a, i, gnd_slice(v, ":1"), GND_RAISE) == GND_OK && reported(a));
            CHECK(gnd_put_along_axis(a, i, v, GND_AXES(0)) == GND_OK && reported(a));
            CHECK(gnd_scatter_add(a, GND_INDICES(i), v) == GND_OK && reported(a));
            CHECK(gnd_put(a, i, v, GND_WRAP) == GND_OK && gnd_put(a, i, v, GND_CLIP) == GND_OK);
            CHECK(gnd_array_equiv(gnd_slice(around, "::2"), 7));
            gnd_array *m = count_up(GND_SHAPE(64, 12), dtypes[d]);
            gnd_array *first = gnd_slice(m, "0");
            if (n < 3) {
                gnd_array *column = gnd_reshape(v, GND_SHAPE(-1, 1));
                CHECK(gnd_set(m, GND_INDICES(i), column) == GND_OK && reported(first));
            }
            CHECK(gnd_set(m, GND_INDICES(i, i), v) == GND_OK && reported(first));
            CHECK(gnd_sync() == GND_OK);
        }
}

TEST(errors_are_said_at_once) {
    gnd_array *a = count_up(GND_SHAPE(3, 4), GND_FLOAT32), *i = INTEGERS(0, 1);
    CHECK_ERROR(gnd_get(a, GND_INDICES(3, i)), GND_ERROR_INDEX, "index 3 is out of bounds");
    CHECK_ERROR(gnd_get(a, GND_INDICES(i, i, i)), GND_ERROR_INDEX, "but 3 were indexed");
    CHECK_ERROR(gnd_get(a, GND_INDICES(i, UINT64_MAX)), GND_ERROR_INDEX, "out of bounds for axis 1");
    CHECK_ERROR(gnd_get(a, GND_INDICES(a)), GND_ERROR_DTYPE, "float32");
    CHECK_ERROR(gnd_get(a, GND_INDICES(i, INTEGERS(0, 1, 2))), GND_ERROR_SHAPE, "(3,)");
    CHECK_ERROR(gnd_set(a, GND_INDICES(i), INTEGERS(1, 2, 3)), GND_ERROR_SHAPE, "(2, 4)");
    CHECK_ERROR(gnd_set(NULL, GND_INDICES(i), 1), GND_ERROR_INVALID, "'a' is NULL");
    CHECK_ERROR(gnd_slice_ix(a, GND_INDICES(i)), GND_ERROR_INVALID, "gnd_get");
    CHECK(HOLDS(gnd_slice_ix(a, GND_INDICES("1:, 2", gnd_index_new_axis())), 6, 10));
}

TEST_MAIN
