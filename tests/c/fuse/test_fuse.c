/*
 * test_fuse.c: GND_FUSE: what a block makes is what the same lines make without one, to the bit; how many
 * launches that takes; and what happens to values that are needed early, operands that are written,
 * arrays that nobody keeps, errors, threads and streams. The oracle tests compare many more programs
 * with NumPy.
 */
#define _GNU_SOURCE
#include "reads.h"
#include "values.h"
#include <pthread.h>

/* On the CPU small arrays run at once unless an executor is asked for: here they shall be recorded. */
__attribute__((constructor)) static void record_small_arrays(void) {
    const char *device = getenv("GND_DEVICE");
    if (!device || strcmp(device, "cpu") == 0) setenv("GND_FUSE", "interpret", 0);
}

/* ---- comparing ------------------------------------------------------------------------------ */

/* Whether two arrays have one dtype, shape and the same bits. */
static bool same(const gnd_array *a, const gnd_array *b) {
    if (!a || !b || gnd_dtype_of(a) != gnd_dtype_of(b) || gnd_ndim(a) != gnd_ndim(b)) return false;
    for (int i = 0; i < gnd_ndim(a); i++)
        if (gnd_dim(a, i) != gnd_dim(b, i)) return false;
    const size_t bytes = (size_t)gnd_nbytes(a);
    char *x = malloc(bytes + 1), *y = malloc(bytes + 1);
    const bool got = x && y && !gnd_to_host(a, x, bytes) && !gnd_to_host(b, y, bytes);
    const bool equal = got && memcmp(x, y, bytes) == 0;
    free(x), free(y);
    return equal;
}

/* Whether no element differs by more than `most` of the largest one. */
static bool close_to(const gnd_array *a, const gnd_array *b, double most) {
    gnd_array *wide = gnd_astype(b, GND_FLOAT64);
    gnd_array *apart = gnd_max(gnd_absolute(gnd_subtract(a, wide)), GND_ALL);
    const double scale = gnd_item_double(gnd_max(gnd_absolute(wide), GND_ALL));
    return gnd_item_double(apart) <= most * (scale + 1e-30);
}

typedef gnd_array *(*expression)(const gnd_array *x, const gnd_array *y);

static gnd_array *fused(expression f, const gnd_array *x, const gnd_array *y) {
    gnd_array *z = NULL;
    GND_FUSE {
        z = gnd_keep(f(x, y));
    }
    return z;
}

/* What gnd_fuse_explain says; the caller's until the next call. */
static const char *explained(void) {
    static char text[1 << 16];
    const size_t bytes = gnd_fuse_explain_text(text, sizeof text);
    return bytes < sizeof text ? text : "";
}

static int count_of(const char *text, const char *word) {
    int count = 0;
    for (; (text = strstr(text, word)); text += strlen(word)) count++;
    return count;
}

static int launches(void) {
    return count_of(explained(), "launch ");
}

/* Numbers of many magnitudes and both signs. */
static gnd_array *numbers(gnd_shape shape, gnd_dtype dtype) {
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    double *host = malloc((size_t)(n + 1) * sizeof *host);
    uint64_t state = 88172645463325252u;
    for (int64_t i = 0; host && i < n; i++) {
        const double x = (double)(int64_t)(next_random(&state) >> 40) - (1 << 23);
        host[i] = ldexp(x, -22 + (int)(state & 3));
    }
    gnd_array *x = host ? gnd_from_host(host, shape, GND_FLOAT64) : NULL;
    free(host);
    return gnd_astype(x, dtype);
}

/* ---- values --------------------------------------------------------------------------------- */

static gnd_array *square_of_difference(const gnd_array *x, const gnd_array *y) {
    gnd_array *d = gnd_subtract(x, y);
    return gnd_multiply(d, d);
}

static gnd_array *mixture(const gnd_array *x, const gnd_array *y) {
    gnd_array *t = gnd_multiply(gnd_tanh(gnd_divide(x, 3)), y);
    gnd_array *u = gnd_where(gnd_greater(t, 0.25), gnd_clip(x, -1, 0.5), gnd_exp(gnd_negative(t)));
    return gnd_add(gnd_maximum(u, gnd_astype(gnd_floor(y), GND_INT32)), 1.5);
}

TEST(same_as_without) {
    const gnd_dtype dtypes[] = {GND_FLOAT16, GND_BFLOAT16, GND_FLOAT32, GND_FLOAT64};
    for (int i = 0; i < 4; i++)
        GND_SCOPE {
            gnd_array *x = numbers(GND_SHAPE(5003), dtypes[i]), *y = gnd_flip(x, GND_ALL);
            CHECK(same(fused(square_of_difference, x, y), square_of_difference(x, y)));
            CHECK(same(fused(mixture, x, y), mixture(x, y)));
        }
    gnd_array *z = gnd_astype(numbers(GND_SHAPE(700), GND_FLOAT64), GND_COMPLEX64);
    gnd_array *whole = gnd_astype(count_up(GND_SHAPE(700), GND_INT64), GND_INT16);
    CHECK(same(fused(square_of_difference, z, whole), square_of_difference(z, whole)));
    CHECK(same(fused(square_of_difference, whole, whole), square_of_difference(whole, whole)));
}

TEST(layouts) {
    gnd_array *m = numbers(GND_SHAPE(130, 97), GND_FLOAT32);
    gnd_array *square = gnd_slice(m, ":97"), *row = gnd_slice(m, "3"), *column = gnd_slice(m, ":, 5:6");
    gnd_array *far = numbers(GND_SHAPE(194, 291), GND_FLOAT64);
    gnd_array *parts[] = {gnd_transpose(square),
                          gnd_slice(far, "::2, ::3"),
                          gnd_slice(far, "96::-1, 96::-1"),
                          gnd_slice(column, ":97"),
                          row,
                          gnd_slice(square, "::-1")};
    for (int i = 0; i < 6; i++)
        GND_SCOPE {
            CHECK(same(fused(square_of_difference, square, parts[i]), square_of_difference(square, parts[i])));
            CHECK(same(fused(mixture, parts[i], square), mixture(parts[i], square)));
        }
    gnd_array *cube = numbers(GND_SHAPE(7, 5, 3), GND_FLOAT32), *turned = gnd_transpose(cube);
    gnd_array *thin = gnd_slice(gnd_transpose(turned), ":, ::2, 1:");
    CHECK(same(fused(mixture, thin, thin), mixture(thin, thin)));
    CHECK(same(fused(mixture, turned, turned), mixture(turned, turned)));
    gnd_array *none = gnd_empty(GND_SHAPE(0, 4), GND_FLOAT32), *one = gnd_full(GND_SCALAR, 3, 0);
    CHECK(gnd_size(fused(mixture, none, none)) == 0);
    CHECK(same(fused(mixture, one, one), mixture(one, one)));
}

static gnd_array *of_nothing(const gnd_array *x, const gnd_array *y) {
    (void)y;
    gnd_array *ramp = gnd_arange(0, gnd_size(x), 1, GND_FLOAT32);
    gnd_array *line = gnd_linspace(0, 1, gnd_size(x), false, GND_FLOAT64);
    gnd_array *flat = gnd_full(GND_SHAPE(gnd_size(x)), 2.5, GND_FLOAT16);
    return gnd_add(gnd_multiply(ramp, line), gnd_subtract(flat, x));
}

/* 1100 of them, since the end is as far in both parts. */
static gnd_array *of_complex_numbers(const gnd_array *x, const gnd_array *y) {
    (void)x, (void)y;
    return gnd_multiply(
        gnd_arange(gnd_arg_parts(2, -1), gnd_arg_parts(-2198, 4399), gnd_arg_parts(1, 3), GND_COMPLEX128), 2);
}

TEST(new_elements) {
    gnd_array *x = numbers(GND_SHAPE(3001), GND_FLOAT32), *r[2] = {NULL}, *q[2];
    CHECK(same(fused(of_nothing, x, x), of_nothing(x, x)));
    CHECK(gnd_size(of_complex_numbers(x, x)) == 1100);
    CHECK(same(fused(of_complex_numbers, x, x), of_complex_numbers(x, x)));
    gnd_random *a = gnd_random_new(GND_PHILOX, 7), *b = gnd_random_new(GND_PHILOX, 7);
    for (int wide = 0; wide < 2; wide++) {
        const gnd_dtype dtype = wide ? GND_FLOAT64 : GND_FLOAT32;
        GND_FUSE {
            r[0] = gnd_random_random(a, GND_SHAPE(31, 97), dtype);
            r[1] = gnd_keep(gnd_random_random(a, GND_SHAPE(5), dtype));
            /* What is kept so far fuses, although it begins inside a block of words. */
            CHECK(count_of(explained(), "uniform of") == 1);
            r[0] = gnd_keep(gnd_add(gnd_transpose(r[0]), 1));
        }
        q[0] = gnd_add(gnd_transpose(gnd_random_random(b, GND_SHAPE(31, 97), dtype)), 1);
        q[1] = gnd_random_random(b, GND_SHAPE(5), dtype);
        CHECK(same(r[0], q[0]) && same(r[1], q[1]));
        GND_FUSE {
            r[0] = gnd_keep(gnd_random_uniform(a, -0.7, 3, GND_SHAPE(9001), dtype));
            r[1] = gnd_keep(gnd_random_uniform(a, 5, 5, GND_SHAPE(7), dtype));
            CHECK(count_of(explained(), "uniform of") == 1);
            CHECK_ERROR(gnd_random_uniform(a, 2, 1, GND_SHAPE(7), dtype), GND_ERROR_VALUE, "low");
        }
        q[0] = gnd_random_uniform(b, -0.7, 3, GND_SHAPE(9001), dtype);
        q[1] = gnd_random_uniform(b, 5, 5, GND_SHAPE(7), dtype);
        CHECK(same(r[0], q[0]) && same(r[1], q[1]));
    }
    gnd_random_release(a), gnd_random_release(b);
}

/* ---- launches ------------------------------------------------------------------------------- */

TEST(one_launch) {
    gnd_array *x = numbers(GND_SHAPE(1000), GND_FLOAT32), *z[3] = {NULL};
    gnd_fuse_executor before = gnd_fuse_use(GND_FUSE_INTERPRET);
    GND_FUSE {
        gnd_array *d = gnd_subtract(x, 1);
        z[0] = gnd_keep(gnd_multiply(d, d));
        z[1] = gnd_keep(gnd_sin(d));
        CHECK(launches() == 1 && strstr(explained(), "moves 0.012 MB"));
    }
    CHECK(launches() == 1 && strstr(explained(), "moved 0.012 MB"));
    CHECK(same(z[1], gnd_sin(gnd_subtract(x, 1))));
    GND_FUSE {
        z[2] = gnd_keep(gnd_sum(gnd_exp(gnd_subtract(x, gnd_max(x, GND_ALL))), GND_ALL));
    }
    CHECK(launches() <= 2);
    CHECK(close_to(z[2], gnd_sum(gnd_exp(gnd_subtract(x, gnd_max(x, GND_ALL))), GND_ALL), 1e-5));
    gnd_fuse_use(GND_FUSE_OFF);
    CHECK(same(fused(mixture, x, x), mixture(x, x)));
    CHECK(gnd_fuse_use(before) == GND_FUSE_OFF);
    CHECK_ERROR(gnd_fuse_use((gnd_fuse_executor)9), GND_ERROR_INVALID, "number 9");
}

TEST(long_programs) {
    gnd_array *x = numbers(GND_SHAPE(301), GND_FLOAT64), *plain = x, *z = NULL;
    GND_FUSE {
        gnd_array *y = x;
        for (int i = 0; i < 900; i++) y = gnd_add(gnd_multiply(y, i % 2 ? 0.5 : -1.25), x);
        z = gnd_keep(y);
    }
    for (int i = 0; i < 900; i++) plain = gnd_add(gnd_multiply(plain, i % 2 ? 0.5 : -1.25), x);
    CHECK(same(z, plain));
    gnd_array *many[40], *total = NULL;
    GND_FUSE {
        for (int i = 0; i < 40; i++) many[i] = gnd_keep(gnd_multiply(x, i));
        gnd_array *sum = many[0];
        for (int i = 1; i < 40; i++) sum = gnd_add(sum, many[i]);
        total = gnd_keep(sum);
    }
    CHECK(same(many[39], gnd_multiply(x, 39)));
    CHECK(close_to(total, gnd_multiply(x, 780), 1e-12));
}

/* ---- reductions ----------------------------------------------------------------------------- */

static gnd_array *softmax(const gnd_array *x, const gnd_array *y) {
    (void)y;
    gnd_array *e = gnd_exp(gnd_subtract(x, gnd_max(x, GND_AXES_KEEP(1))));
    return gnd_divide(e, gnd_sum(e, GND_AXES_KEEP(1)));
}

static gnd_array *standardized(const gnd_array *x, const gnd_array *y) {
    (void)y;
    gnd_array *apart = gnd_subtract(x, gnd_mean(x, GND_AXES_KEEP(0)));
    return gnd_divide(apart, gnd_sqrt(gnd_add(gnd_var(x, GND_AXES_KEEP(0), 0), 1e-5)));
}

TEST(rows_and_columns) {
    const int64_t shapes[][2] = {{64, 300}, {300, 64}, {3, 20000}, {20000, 3}, {1, 1}, {2, 200000}};
    for (int i = 0; i < 6; i++)
        GND_SCOPE {
            gnd_array *x = numbers(GND_SHAPE(shapes[i][0], shapes[i][1]), GND_FLOAT32);
            CHECK(close_to(fused(softmax, x, x), softmax(x, x), 1e-5));
            CHECK(close_to(fused(standardized, x, x), standardized(x, x), 1e-5));
            gnd_array *t = gnd_transpose(x);
            CHECK(close_to(fused(softmax, t, t), softmax(t, t), 1e-5));
            CHECK(close_to(fused(standardized, t, t), standardized(t, t), 1e-5));
        }
}

/* Whole numbers: their sums are the same in any order. */
TEST(sums) {
    gnd_array *x = gnd_remainder(count_up(GND_SHAPE(40, 50, 60), GND_FLOAT32), 7);
    const gnd_axes axes[] = {GND_ALL,        GND_AXES(0),         GND_AXES(1),   GND_AXES(2),
                             GND_AXES(0, 2), GND_AXES_KEEP(0, 1), GND_AXES(1, 2)};
    for (int i = 0; i < 7; i++)
        for (int turned = 0; turned < 2; turned++)
            GND_SCOPE {
                gnd_array *s = NULL, *m = NULL, *c = NULL, *p = NULL, *all = NULL;
                const gnd_array *v = turned ? gnd_transpose(x) : x;
                GND_FUSE {
                    gnd_array *d = gnd_subtract(v, 3);
                    s = gnd_keep(gnd_sum(d, axes[i]));
                    m = gnd_keep(gnd_mean(gnd_multiply(d, d), axes[i]));
                    c = gnd_keep(gnd_count_nonzero(d, axes[i]));
                    p = gnd_keep(gnd_min(d, axes[i]));
                    all = gnd_keep(gnd_all(gnd_less(d, 3), axes[i]));
                }
                gnd_array *d = gnd_subtract(v, 3);
                CHECK(same(s, gnd_sum(d, axes[i])));
                CHECK(same(m, gnd_mean(gnd_multiply(d, d), axes[i])));
                CHECK(same(c, gnd_count_nonzero(d, axes[i])));
                CHECK(same(p, gnd_min(d, axes[i])));
                CHECK(same(all, gnd_all(gnd_less(d, 3), axes[i])));
            }
}

/* They start from 0, as NumPy's do. */
TEST(sums_of_minus_zero) {
    gnd_array *x = gnd_zeros(GND_SHAPE(3, 2), GND_FLOAT32), *s = NULL, *m = NULL;
    GND_FUSE {
        s = gnd_keep(gnd_sum(gnd_negative(x), GND_AXES(0)));
        m = gnd_keep(gnd_mean(gnd_negative(x), GND_AXES(1)));
    }
    CHECK(HOLDS(s, 0, 0) && HOLDS(m, 0, 0, 0));
}

TEST(long_sums_are_accurate) {
    gnd_array *x = gnd_full(GND_SHAPE(1 << 22), 0.1, GND_FLOAT32), *s = NULL, *again = NULL;
    GND_FUSE {
        s = gnd_keep(gnd_sum(gnd_multiply(x, x), GND_ALL));
    }
    const double right = (double)(0.1f * 0.1f) * (1 << 22);
    CHECK(fabs(gnd_item_double(s) - right) < 1e-6 * right);
    GND_FUSE {
        again = gnd_keep(gnd_sum(gnd_multiply(x, x), GND_ALL));
    }
    CHECK(same(s, again));
}

/* ---- when things are computed --------------------------------------------------------------- */

TEST(needed_early) {
    gnd_array *x = DOUBLES(1, 2, 3, 4), *z = NULL, *w = NULL;
    double got[4];
    GND_FUSE {
        gnd_array *d = gnd_multiply(x, 2);
        CHECK(gnd_to_host(d, got, sizeof got) == GND_OK && got[3] == 8);
        CHECK(gnd_item_double(gnd_sum(d, GND_ALL)) == 20);
        CHECK(reads(gnd_add(d, 1), "array([3., 5., 7., 9.])"));
        z = gnd_keep(gnd_matmul(gnd_add(d, 1), d));
        CHECK(gnd_data(d) != NULL);
        w = gnd_keep(gnd_cumsum(gnd_negative(d), GND_AXES(0)));
    }
    CHECK(gnd_item_double(z) == 3 * 2 + 5 * 4 + 7 * 6 + 9 * 8);
    CHECK(HOLDS(w, -2, -6, -12, -20));
}

TEST(operands_that_are_written) {
    gnd_array *x = DOUBLES(1, 2, 3), *z = NULL, *w = NULL, *view = gnd_slice(x, "::-1");
    GND_FUSE {
        z = gnd_keep(gnd_multiply(x, 10));
        CHECK(gnd_add_into(x, x, 1) == GND_OK); /* z is of what x was */
        w = gnd_keep(gnd_multiply(x, 10));
    }
    CHECK(HOLDS(x, 2, 3, 4) && HOLDS(z, 10, 20, 30) && HOLDS(w, 20, 30, 40));
    GND_FUSE {
        z = gnd_keep(gnd_add(x, 0.5));
        CHECK(gnd_copy_from_host(x, (double[]){7, 8, 9}, 24) == GND_OK);
        w = gnd_keep(gnd_add(x, 0.5));
    }
    CHECK(HOLDS(z, 2.5, 3.5, 4.5) && HOLDS(w, 7.5, 8.5, 9.5));
    GND_FUSE { /* overlapping, the other way round */
        CHECK(gnd_subtract_into(x, x, view) == GND_OK);
        z = gnd_keep(gnd_add(view, 0));
    }
    CHECK(HOLDS(x, -2, 0, 2) && HOLDS(z, 2, 0, -2));
    GND_FUSE {
        CHECK(gnd_multiply_into(gnd_slice(x, ":2"), gnd_slice(x, "1:"), 3) == GND_OK);
    }
    CHECK(HOLDS(x, 0, 6, 2));
}

TEST(into_other_dtypes) {
    gnd_array *x = DOUBLES(1.25, 2.5, 3.75), *f = gnd_empty(GND_SHAPE(3), GND_FLOAT32);
    gnd_array *wide = gnd_zeros(GND_SHAPE(2, 6), GND_FLOAT64);
    GND_FUSE {
        gnd_array *d = gnd_multiply(x, 2);
        CHECK(gnd_add_into(f, d, 1) == GND_OK);
        CHECK(gnd_add_into(gnd_slice(wide, ":, ::2"), d, f) == GND_OK);
    }
    CHECK(HOLDS(f, 3.5, 6, 8.5));
    CHECK(HOLDS(wide, 6, 0, 11, 0, 16, 0, 6, 0, 11, 0, 16, 0));
}

TEST(nobody_keeps_them) {
    gnd_array *x = numbers(GND_SHAPE(100), GND_FLOAT32), *kept = NULL;
    for (int i = 0; i < 3; i++) {
        GND_FUSE {
            gnd_array *d = gnd_exp(x);
            if (i == 1) break;
            kept = gnd_negative(d); /* the block's own: released at its end */
        }
    }
    (void)kept;
    GND_FUSE {
        gnd_array *d = gnd_exp(x);
        GND_FUSE { /* inside: the same program */
            kept = gnd_keep(gnd_negative(d));
        }
        kept = gnd_keep(gnd_add(kept, d));
    }
    CHECK(same(kept, gnd_zeros(GND_SHAPE(100), GND_FLOAT32)));
    CHECK(launches() == 1);
}

TEST(always) {
    gnd_array *x = numbers(GND_SHAPE(50, 50), GND_FLOAT32), *y = gnd_transpose(x);
    CHECK(!gnd_fuse_always(true));
    gnd_array *lazy = mixture(x, y), *z = square_of_difference(lazy, x);
    CHECK(gnd_fuse_flush() == GND_OK);
    CHECK(launches() == 1);
    CHECK(gnd_fuse_always(false));
    CHECK(same(lazy, mixture(x, y)) && same(z, square_of_difference(lazy, x)));
}

TEST(contraction) {
    gnd_array *x = numbers(GND_SHAPE(1000), GND_FLOAT32), *z = NULL;
    CHECK(!gnd_fuse_contract(true));
    GND_FUSE {
        z = gnd_keep(gnd_add(gnd_multiply(x, x), x));
    }
    CHECK(gnd_fuse_contract(false));
    CHECK(close_to(z, gnd_add(gnd_multiply(x, x), x), 1e-6));
}

/* ---- errors --------------------------------------------------------------------------------- */

TEST(bad_input) {
    gnd_array *x = DOUBLES(1, 2, 3), *y = DOUBLES(1, 2), *z = NULL;
    GND_FUSE {
        gnd_array *d = gnd_multiply(x, 2);
        CHECK_ERROR(gnd_add(d, y), GND_ERROR_SHAPE, "(3,) and (2,)");
        CHECK_ERROR(gnd_sum(d, GND_AXES(1)), GND_ERROR_AXIS, "axis 1");
        CHECK_ERROR(gnd_bitwise_and(d, d), GND_ERROR_DTYPE, "float64");
        CHECK_ERROR(gnd_add_into(y, d, 1), GND_ERROR_SHAPE, "(3,)");
        z = gnd_keep(gnd_add(d, 1));
    }
    CHECK(HOLDS(z, 3, 5, 7) && HOLDS(y, 1, 2));
    CHECK_ERROR(gnd_fuse_close(NULL), GND_ERROR_INVALID, "block");
    gnd_array *whole = INTEGERS(2, 3);
    GND_FUSE { /* an operator that can fault is not fused: it says so as ever */
        CHECK_ERROR((gnd_power(whole, gnd_negative(whole)), gnd_sync()), GND_ERROR_VALUE, "power");
    }
}

TEST(out_of_memory) {
    gnd_array *x = numbers(GND_SHAPE(40, 30), GND_FLOAT32);
    CHECK(close_to(fused(softmax, x, x), softmax(x, x), 1e-5));
    CHECK_FAILS_CLEANLY(softmax(x, x));
    for (int fail_at = 1; fail_at < 60; fail_at++) {
        gnd_array *z = NULL;
        gndi_fail_alloc_at(fail_at);
        GND_FUSE {
            z = gnd_keep(standardized(x, x));
        }
        gndi_fail_alloc_at(0);
        gnd_error_record e;
        if (!gnd_error_take(&e)) {
            CHECK(close_to(z, standardized(x, x), 1e-5));
        } else {
            CHECK(e.code == GND_ERROR_MEMORY);
            CHECK(!z || gnd_to_host(z, NULL, 0) != GND_OK); /* it has no elements, and says so */
            gnd_error_clear();
        }
    }
}

/* ---- threads and streams -------------------------------------------------------------------- */

static void *take_sum(void *pending) {
    static double sum;
    GND_SCOPE {
        sum = gnd_item_double(gnd_sum(pending, GND_ALL));
    }
    return &sum;
}

TEST(threads) {
    gnd_array *x = count_up(GND_SHAPE(1000), GND_FLOAT64);
    GND_FUSE {
        gnd_array *d = gnd_add(x, 1);
        pthread_t thread;
        void *sum = NULL;
        CHECK(pthread_create(&thread, NULL, take_sum, d) == 0 && pthread_join(thread, &sum) == 0);
        CHECK(sum && *(double *)sum == 500500);
    }
}

TEST(streams) {
    gnd_stream *other = gnd_stream_new(), *third = gnd_stream_new();
    gnd_array *x = numbers(GND_SHAPE(100000), GND_FLOAT32), *z = NULL, *w = NULL;
    GND_STREAM(other) {
        GND_FUSE {
            gnd_array *d = gnd_add(x, 1);
            GND_STREAM(third) {
                z = gnd_keep(gnd_multiply(d, 2));
            }
            CHECK(launches() == 1); /* of the stream that was current where the block began */
        }
    }
    w = gnd_negative(z); /* waits for the other stream by itself */
    CHECK(same(w, gnd_negative(gnd_multiply(gnd_add(x, 1), 2))));
    gnd_stream_release(other), gnd_stream_release(third);
}

/* Without blocks a program is of the stream that is current: another one begins another program. */
TEST(streams_always) {
    gnd_stream *other = gnd_stream_new();
    gnd_array *x = numbers(GND_SHAPE(1000), GND_FLOAT32), *z = NULL, *w = NULL;
    char text[4000];
    gnd_fuse_always(true);
    z = gnd_add(x, 1);
    GND_STREAM(other) {
        w = gnd_multiply(x, 2);
        gnd_fuse_explain_text(text, sizeof text);
    }
    gnd_fuse_always(false);
    const char *store = strstr(text, "store");
    CHECK(store && !strstr(store + 1, "store"));
    CHECK(same(z, gnd_add(x, 1)) && same(w, gnd_multiply(x, 2)));
    gnd_stream_release(other);
}

/* ---- blocks that open and close without a call ---------------------------------------------- */

/* The block after one that closed: its user's code opens it. Whatever happens inside, it ends as any other. */
TEST(second_blocks) {
    const gnd_fuse_executor before = gnd_fuse_use(GND_FUSE_AUTO);
    gnd_array *x = numbers(GND_SHAPE(40000), GND_FLOAT32), *few = numbers(GND_SHAPE(10), GND_FLOAT32);
    gnd_array *z = gnd_zeros(GND_SHAPE(40000), GND_FLOAT32), *expected = gnd_add(gnd_multiply(x, 2), 1);
    for (int what = 0; what < 6; what++) {
        gnd_fuse_block open;
        GND_FUSE {
            gnd_add_into(few, few, 1);
        }
        GND_FUSE {
            gnd_array *mine = gnd_multiply(few, 1); /* the block releases it */
            gnd_array *d = gnd_multiply(x, 2);
            if (what == 1) GND_FUSE gnd_add_into(z, d, 1);
            if (what == 2) gnd_fuse_open(&open); /* and left open */
            if (what == 3) gnd_fuse_always(true);
            if (what == 4) gnd_fuse_use(GND_FUSE_OFF);
            if (what == 5) gnd_fuse_flush();
            if (what != 1) gnd_add_into(z, d, 1);
            CHECK(gnd_size(mine) == 10);
        }
        CHECK(same(z, expected));
        if (what == 3) CHECK(gnd_fuse_always(false));
        if (what == 4) CHECK(gnd_fuse_use(GND_FUSE_AUTO) == GND_FUSE_OFF);
        gnd_multiply_into(z, x, 2); /* not recorded: no block is open */
        CHECK(same(z, gnd_multiply(x, 2)));
        CHECK(count_of(explained(), "nothing is pending") == 0);
    }
    gnd_fuse_use(before);
}

/* A setting that changes in such a block, before anything is recorded. */
TEST(settings_in_second_blocks) {
    gnd_array *x = numbers(GND_SHAPE(40000), GND_FLOAT32), *z = NULL, *few = gnd_ones(GND_SHAPE(4), GND_FLOAT32);
    for (int i = 0; i < 2; i++) GND_FUSE gnd_add_into(few, few, 1);
    GND_FUSE gnd_fuse_always(true);
    z = gnd_add(gnd_multiply(x, 3), 1); /* recorded */
    CHECK(count_of(explained(), "store") == 2);
    CHECK(gnd_fuse_always(false));
    CHECK(same(z, gnd_add(gnd_multiply(x, 3), 1)));
}

static pthread_key_t late_key;
static bool late_sum;

/* Runs after the library's own destructor, whose key is older. */
static void late(void *unused) {
    (void)unused;
    GND_FUSE {
        gnd_array *x = gnd_arange(0, 40000, 1, GND_FLOAT64);
        late_sum = gnd_item_double(gnd_sum(gnd_add(x, 1), GND_ALL)) == 800020000;
    }
}

static void *fuses_late(void *unused) {
    pthread_setspecific(late_key, &late_key);
    late(unused);
    late_sum = false;
    return NULL;
}

TEST(blocks_at_a_thread_s_end) {
    pthread_t thread;
    CHECK(pthread_key_create(&late_key, late) == 0);
    CHECK(pthread_create(&thread, NULL, fuses_late, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(late_sum);
    pthread_key_delete(late_key);
}

TEST_MAIN
