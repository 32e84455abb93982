/*
 * test_random.c: random numbers as C programs use them: macros, scopes, default generators, what draws have
 * in common, and threads. The oracle tests hold every number against the words it is made of.
 */
#include "values.h"
#include <pthread.h>

static gnd_random *seeded(uint64_t seed) {
    gnd_random *g = gnd_random_new(GND_PHILOX, seed);
    CHECK(g != NULL);
    return g;
}

static bool same(const gnd_array *a, const gnd_array *b) {
    return gnd_array_equal(a, b, false);
}

TEST(numbers_and_arrays_are_parameters) {
    gnd_random *g = seeded(7), *h = seeded(7);
    gnd_array *means = DOUBLES(-100, 0, 100);
    gnd_array *x = gnd_random_normal(g, means, 1, GND_SHAPE(50, 3), GND_FLOAT32);
    gnd_array *z = gnd_random_standard_normal(h, GND_SHAPE(50, 3), GND_FLOAT32);
    CHECK(gnd_dtype_of(x) == GND_FLOAT32 && gnd_dim(x, 0) == 50);
    CHECK(gnd_allclose(gnd_subtract(x, means), z, 0, 1e-4, false));
    gnd_array *one = gnd_random_exponential(g, 2.5f, GND_PARAMETERS_SHAPE, GND_DTYPE_NONE);
    CHECK(gnd_ndim(one) == 0 && gnd_dtype_of(one) == GND_FLOAT64 && gnd_item_double(one) > 0);
    gnd_array *dice = gnd_random_integers(g, 1, 7, GND_SHAPE(1000), GND_INT8, false);
    CHECK(gnd_item_double(gnd_min(dice, GND_ALL)) == 1 && gnd_item_double(gnd_max(dice, GND_ALL)) == 6);
    gnd_array *low = gnd_random_integers(g, 5, GND_NONE, GND_SHAPE(100), GND_DTYPE_NONE, false);
    CHECK(gnd_dtype_of(low) == GND_INT64 && gnd_item_double(gnd_max(low, GND_ALL)) < 5);
    CHECK_ERROR(gnd_random_normal(g, 0, -1, GND_SHAPE(3), GND_FLOAT32), GND_ERROR_VALUE, "scale");
    CHECK_ERROR(gnd_random_uniform(g, means, 1, GND_SHAPE(2), GND_FLOAT32), GND_ERROR_SHAPE, "(3,)");
    CHECK_ERROR(gnd_random_random(NULL, GND_SHAPE(2), GND_FLOAT32), GND_ERROR_INVALID, "'g' is NULL");
    gnd_random_release(g), gnd_random_release(h);
}

TEST(draws_may_be_cut) {
    gnd_random *g = seeded(3), *h = seeded(3);
    gnd_array *whole = gnd_random_random(g, GND_SHAPE(1001), GND_FLOAT64);
    for (int64_t at = 0, n = 1; at < 1001; at += n, n = 1001 - at < 2 * n ? 1001 - at : 2 * n)
        CHECK(same(gnd_random_random(h, GND_SHAPE(n), GND_FLOAT64),
                   gnd_slice(whole, "%lld:%lld", (long long)at, (long long)(at + n))));
    gnd_array *state = gnd_random_save(g);
    gnd_array *next = gnd_random_bytes(g, 10);
    CHECK(gnd_random_restore(h, state) == GND_OK && same(gnd_random_bytes(h, 10), next));
    CHECK(gnd_random_jump(g, 1) == GND_OK && gnd_random_jump(h, 1) == GND_OK);
    CHECK(same(gnd_random_bytes(h, 10), gnd_random_bytes(g, 10)));
    CHECK(gnd_random_seed(g, 3) == GND_OK && gnd_random_advance(g, 2000) == GND_OK);
    CHECK(same(gnd_random_random(g, GND_SHAPE(1), GND_FLOAT64), gnd_slice(whole, "1000:")));
    gnd_random_release(g), gnd_random_release(h);
}

TEST(orders_and_choices) {
    gnd_random *g = seeded(5);
    gnd_array *p = gnd_random_permutation(g, 100, 0);
    CHECK(same(gnd_sort(p, GND_AXES(0), GND_ASCENDING), gnd_arange(0, 100, 1, GND_INT64)));
    gnd_array *x = count_up(GND_SHAPE(20, 3), GND_FLOAT32);
    gnd_array *sum = gnd_sum(x, GND_AXES(0));
    CHECK(gnd_random_shuffle(g, x, 0) == GND_OK && same(gnd_sum(x, GND_AXES(0)), sum));
    CHECK(same(gnd_sum(gnd_random_permuted(g, x, GND_AXES(0)), GND_AXES(0)), sum));
    gnd_choice_options options = {.without_replacement = true, .axis = 1};
    CHECK(gnd_dim(gnd_random_choice(g, x, GND_SHAPE(2), &options), 1) == 2);
    CHECK(gnd_item_double(gnd_max(gnd_random_choice(g, 7, GND_SHAPE(99), NULL), GND_ALL)) == 6);
    options.p = DOUBLES(0.5, 0, 0.5), options.without_replacement = false;
    gnd_array *even = gnd_random_choice(g, 3, GND_SHAPE(99), &options);
    CHECK(gnd_item_double(gnd_count_nonzero(gnd_equal(even, 1), GND_ALL)) == 0);
    CHECK_ERROR(gnd_random_choice(g, 0, GND_SHAPE(1), NULL), GND_ERROR_VALUE, "nothing");
    gnd_random_release(g);
}

TEST(draws_go_into_arrays) {
    gnd_random *g = seeded(9), *h = seeded(9);
    gnd_array *out = gnd_zeros(GND_SHAPE(4, 6), GND_FLOAT32);
    CHECK(gnd_random_fill(g, gnd_slice(out, "1:3, ::2"), "normal", GND_ARGS(2, 0.5)) == GND_OK);
    gnd_array *want = gnd_random_normal(h, 2, 0.5, GND_SHAPE(2, 3), GND_FLOAT32);
    CHECK(same(gnd_slice(out, "1:3, ::2"), want) && gnd_item_double(gnd_count_nonzero(out, GND_ALL)) == 6);
    CHECK(gnd_random_fill(g, out, "random", 0, NULL) == GND_OK);
    CHECK_ERROR(gnd_random_fill(g, out, "normal", GND_ARGS(2)), GND_ERROR_INVALID, "2 parameters");
    gnd_random_release(g), gnd_random_release(h);
}

/* Each thread's own numbers, and those that all take from one generator. */
typedef struct taker {
    gnd_random *shared;
    double own;
    uint32_t words[1000];
    bool right;
} taker;

static void *take(void *context) {
    taker *t = context;
    t->right = true;
    for (int i = 0; i < 1000; i += 4) {
        gnd_array *b = gnd_random_bytes(t->shared, 16);
        t->right = t->right && gnd_to_host(b, t->words + i, 16) == GND_OK;
        gnd_release(b);
    }
    gnd_array *mine = gnd_random_random(gnd_random_default(), GND_SCALAR, GND_FLOAT64);
    t->own = gnd_item_double(mine);
    gnd_release(mine);
    return NULL;
}

static int by_value(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

TEST(threads_share_a_generator) {
    enum { THREADS = 4, WORDS = THREADS * 1000 };
    static taker takers[THREADS];
    static uint32_t all[WORDS], want[WORDS];
    pthread_t threads[THREADS];
    gnd_random *g = seeded(1), *h = seeded(1);
    for (int i = 0; i < THREADS; i++) {
        takers[i].shared = g;
        CHECK(pthread_create(&threads[i], NULL, take, &takers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(takers[i].right);
        memcpy(all + 1000 * i, takers[i].words, sizeof takers[i].words);
        for (int k = 0; k < i; k++) CHECK(takers[i].own != takers[k].own);
    }
    CHECK(gnd_to_host(gnd_random_bytes(h, sizeof want), want, sizeof want) == GND_OK);
    qsort(all, WORDS, sizeof *all, by_value), qsort(want, WORDS, sizeof *want, by_value);
    CHECK(memcmp(all, want, sizeof all) == 0);
    gnd_random_release(g), gnd_random_release(h);
}

TEST_MAIN
