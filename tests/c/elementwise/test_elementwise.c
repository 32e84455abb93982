/*
 * test_elementwise.c: the elementwise front end through the public functions: broadcasting,
 * layouts, outputs and overlap, masks, dtypes and casts, C numbers, two results, errors.
 */
#include "values.h"
#include <limits.h>
#include <math.h>

#define SAME(a, ...)                                                                                                   \
    do {                                                                                                               \
        const double want_[] = {__VA_ARGS__};                                                                          \
        check_values(__LINE__, #a, a, (int)(sizeof want_ / sizeof *want_), want_);                                     \
    } while (0)

/* Every element of `a`, in C order, against what is expected; NaN equals NaN. */
static void check_values(int line, const char *text, const gnd_array *a, int count, const double *want) {
    double got[256];
    gnd_array *doubles = gnd_ascontiguous(gnd_astype(a, GND_FLOAT64));
    if (!doubles || gnd_size(doubles) != count || gnd_to_host(doubles, got, sizeof(double) * (size_t)count)) {
        tap_failures++;
        printf("# line %d: %s: %lld elements, not %d; %s\n", line, text, doubles ? (long long)gnd_size(doubles) : -1LL,
               count, gnd_error() ? gnd_error()->message : "no error");
        return;
    }
    for (int i = 0; i < count; i++)
        if (!(got[i] == want[i] || (isnan(got[i]) && isnan(want[i])))) {
            tap_failures++;
            printf("# line %d: %s: element %d is %.17g, not %.17g\n", line, text, i, got[i], want[i]);
        }
}

/* How many elements of a bool array are true. */
static int64_t count_true(const gnd_array *a) {
    int64_t count = 0, n = a ? gnd_size(a) : 0;
    char *host = malloc((size_t)n + 1);
    if (!a || gnd_to_host(gnd_ascontiguous(a), host, (size_t)n)) count = -1000000;
    for (int64_t i = 0; i < n; i++) count += host[i];
    free(host);
    return count;
}

static bool has(const gnd_array *a, gnd_dtype dtype, int ndim) {
    return a && gnd_dtype_of(a) == dtype && gnd_ndim(a) == ndim;
}

/* ---- shapes --------------------------------------------------------------------------------- */

TEST(dense_operands) {
    gnd_array *x = count_up(GND_SHAPE(5), GND_FLOAT32), *y = gnd_full(GND_SHAPE(5), GND_ARG(10), GND_FLOAT32);
    SAME(gnd_add(x, y), 10, 11, 12, 13, 14);
    SAME(gnd_subtract(x, y), -10, -9, -8, -7, -6);
    SAME(gnd_multiply(x, y), 0, 10, 20, 30, 40);
    CHECK(has(gnd_add(x, y), GND_FLOAT32, 1));
    CHECK(has(gnd_less(x, y), GND_BOOL, 1));
}

TEST(broadcasting) {
    gnd_array *row = count_up(GND_SHAPE(3), GND_INT32),
              *column = gnd_reshape(count_up(GND_SHAPE(2), GND_INT32), GND_SHAPE(2, 1));
    SAME(gnd_add(row, column), 0, 1, 2, 1, 2, 3);
    SAME(gnd_add(count_up(GND_SHAPE(2, 3), GND_INT32), row), 0, 2, 4, 3, 5, 7);
    SAME(gnd_add(count_up(GND_SHAPE(2, 3), GND_INT32), column), 0, 1, 2, 4, 5, 6);
    SAME(gnd_where(gnd_greater(row, 0), column, -1), -1, 0, 0, -1, 1, 1);
    CHECK_ERROR(gnd_add(row, count_up(GND_SHAPE(4), GND_INT32)), GND_ERROR_SHAPE,
                "gnd_add: shapes (3,) and (4,) do not broadcast together");
}

TEST(zero_dimensions_and_no_elements) {
    gnd_array *zero = gnd_full(GND_SCALAR, GND_ARG(4), GND_FLOAT64);
    CHECK(has(gnd_sqrt(zero), GND_FLOAT64, 0));
    SAME(gnd_sqrt(zero), 2);
    SAME(gnd_add(zero, count_up(GND_SHAPE(2), GND_FLOAT64)), 4, 5);
    gnd_array *empty = gnd_empty(GND_SHAPE(0, 3), GND_FLOAT32);
    CHECK(gnd_size(gnd_add(empty, 1)) == 0);
    CHECK(gnd_dim(gnd_add(empty, gnd_ones(GND_SHAPE(3), GND_FLOAT32)), 1) == 3);
    CHECK_ERROR(gnd_add(empty, count_up(GND_SHAPE(2), GND_FLOAT32)), GND_ERROR_SHAPE, "(0, 3) and (2,)");
}

TEST(numbers_alone_give_an_array_of_no_dimensions) {
    CHECK(has(gnd_add(1, 2), GND_INT64, 0));
    CHECK(gnd_item_int(gnd_add(1, 2)) == 3);
    CHECK(has(gnd_add(1, 2.5), GND_FLOAT64, 0));
    CHECK(has(gnd_less(1, 2.5), GND_BOOL, 0));
    CHECK(gnd_item_double(gnd_exp(0)) == 1);
    CHECK(gnd_item_bool(gnd_less(-1, UINT64_MAX)));
    CHECK(gnd_item_bool(gnd_greater(UINT64_MAX, -1)));
}

TEST(strides_of_either_sign) {
    gnd_array *x = count_up(GND_SHAPE(8), GND_INT16);
    SAME(gnd_add(gnd_slice(x, "::2"), gnd_slice(x, "1::2")), 1, 5, 9, 13);
    SAME(gnd_subtract(gnd_slice(x, "::-1"), x), 7, 5, 3, 1, -1, -3, -5, -7);
    SAME(gnd_negative(gnd_slice(x, "::-3")), -7, -4, -1);
    gnd_array *m = gnd_slice(count_up(GND_SHAPE(3, 4), GND_FLOAT64), "::-1, ::-2");
    SAME(gnd_add(m, 0), 11, 9, 7, 5, 3, 1);
    gnd_array *out = gnd_zeros(GND_SHAPE(8), GND_INT16);
    CHECK(!gnd_add_into(gnd_slice(out, "::-2"), gnd_slice(x, ":4"), 1));
    SAME(out, 0, 4, 0, 3, 0, 2, 0, 1);
}

/* Sizes around the tiles' and vectors' ends, each layout against the dense result. */
TEST(every_layout_agrees_with_the_dense_one) {
    const int64_t sizes[] = {1, 3, 7, 17, 47, 48, 64, 129, 300};
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            GND_SCOPE {
                int64_t n = sizes[i], m = sizes[j];
                gnd_array *x = count_up(GND_SHAPE(n, m), GND_FLOAT32);
                gnd_array *y = gnd_ascontiguous(gnd_multiply(count_up(GND_SHAPE(m, n), GND_FLOAT32), 3));
                gnd_array *t = gnd_ascontiguous(gnd_transpose(y));
                gnd_array *want = gnd_add(x, t);
                gnd_array *wrong = gnd_not_equal(gnd_add(x, gnd_transpose(y)), want);
                int64_t failures = count_true(wrong);
                gnd_array *doubled = gnd_empty(GND_SHAPE(n, 2 * m), GND_FLOAT64);
                gnd_array *view = gnd_slice(doubled, ":, ::-2");
                CHECK(!gnd_add_into(view, x, gnd_transpose(y)));
                failures += count_true(gnd_not_equal(view, want));
                gnd_array *narrow = gnd_add(gnd_slice(gnd_transpose(y), "::-1"), gnd_slice(x, "::-1"));
                failures += count_true(gnd_not_equal(gnd_slice(narrow, "::-1"), want));
                if (failures) printf("# %lld x %lld: %lld wrong\n", (long long)n, (long long)m, (long long)failures);
                CHECK(failures == 0);
            }
}

/* ---- layout of results ---------------------------------------------------------------------- */

TEST(results_keep_the_arguments_layout) {
    gnd_array *c = gnd_ones(GND_SHAPE(3, 4), GND_FLOAT32), *f = gnd_asfortran(c);
    CHECK(gnd_is_c_contiguous(gnd_add(c, c)));
    CHECK(gnd_is_f_contiguous(gnd_add(f, f)) && !gnd_is_c_contiguous(gnd_add(f, f)));
    CHECK(gnd_is_f_contiguous(gnd_add(f, 1)));
    CHECK(gnd_is_c_contiguous(gnd_add(c, f))); /* where they disagree, C order */
    gnd_array *cube = gnd_permute(gnd_ones(GND_SHAPE(2, 3, 4), GND_FLOAT32), GND_AXES(2, 0, 1));
    gnd_array *sum = gnd_add(cube, cube);
    for (int i = 0; i < 3; i++) CHECK(gnd_stride(sum, i) == gnd_stride(cube, i));
    CHECK(gnd_is_c_contiguous(gnd_add(gnd_slice(c, "::-1, ::-1"), 1)));
    CHECK(gnd_is_f_contiguous(gnd_astype(f, GND_INT8)));
    CHECK(gnd_is_c_contiguous(gnd_apply("add", GND_ARGS(f, f), &(gnd_apply_options){.order = 'C'})));
    CHECK(gnd_is_f_contiguous(gnd_apply("add", GND_ARGS(c, c), &(gnd_apply_options){.order = 'F'})));
    CHECK(gnd_is_f_contiguous(gnd_apply("add", GND_ARGS(f, f), &(gnd_apply_options){.order = 'A'})));
}

/* ---- outputs -------------------------------------------------------------------------------- */

TEST(into) {
    gnd_array *x = count_up(GND_SHAPE(4), GND_INT32), *out = gnd_zeros(GND_SHAPE(4), GND_INT32);
    CHECK(!gnd_multiply_into(out, x, x));
    SAME(out, 0, 1, 4, 9);
    CHECK(!gnd_add_into(x, x, x));
    SAME(x, 0, 2, 4, 6);
    gnd_array *wide = gnd_zeros(GND_SHAPE(2, 4), GND_FLOAT32);
    CHECK(!gnd_add_into(wide, x, 1));
    SAME(wide, 1, 3, 5, 7, 1, 3, 5, 7);
    CHECK_ERROR(gnd_add_into(gnd_zeros(GND_SHAPE(3), GND_INT32), x, 1), GND_ERROR_SHAPE, "(3,)");
    CHECK_ERROR(gnd_add_into(gnd_zeros(GND_SHAPE(1), GND_INT32), x, 1), GND_ERROR_SHAPE, "an output is not broadcast");
    CHECK_ERROR(gnd_add_into(x, x, 1.5), GND_ERROR_DTYPE, "same_kind");
    CHECK_ERROR(gnd_add_into(gnd_broadcast_to(x, GND_SHAPE(2, 4)), x, 1), GND_ERROR_INVALID, "read-only");
    SAME(x, 0, 2, 4, 6);
}

TEST(overlapping_output) {
    gnd_array *x = count_up(GND_SHAPE(6), GND_INT64);
    CHECK(!gnd_add_into(gnd_slice(x, "1:"), gnd_slice(x, ":-1"), 10));
    SAME(x, 0, 10, 11, 12, 13, 14);
    x = count_up(GND_SHAPE(6), GND_INT64);
    CHECK(!gnd_add_into(gnd_slice(x, ":-1"), gnd_slice(x, "1:"), 10));
    SAME(x, 11, 12, 13, 14, 15, 5);
    x = count_up(GND_SHAPE(6), GND_INT64);
    CHECK(!gnd_add_into(x, x, gnd_slice(x, "::-1")));
    SAME(x, 5, 5, 5, 5, 5, 5);
    x = count_up(GND_SHAPE(6), GND_INT64);
    CHECK(!gnd_add_into(gnd_slice(x, "::2"), gnd_slice(x, "::2"), gnd_slice(x, "1::2")));
    SAME(x, 1, 1, 5, 3, 9, 5);
    gnd_array *m = count_up(GND_SHAPE(3, 3), GND_FLOAT32);
    CHECK(!gnd_add_into(m, m, gnd_transpose(m)));
    SAME(m, 0, 4, 8, 4, 8, 12, 8, 12, 16);
    m = count_up(GND_SHAPE(3, 3), GND_FLOAT32);
    CHECK(!gnd_copyto(gnd_transpose(m), m));
    SAME(m, 0, 3, 6, 1, 4, 7, 2, 5, 8);
}

/* ---- masks ---------------------------------------------------------------------------------- */

TEST(where_mask) {
    gnd_array *x = count_up(GND_SHAPE(4), GND_FLOAT32), *out = gnd_full(GND_SHAPE(4), GND_ARG(-1), GND_FLOAT32);
    gnd_array *mask = gnd_greater(x, 1);
    gnd_array *r = gnd_apply("add", GND_ARGS(x, 10), &(gnd_apply_options){.where = mask, .out = {out}});
    CHECK(r && gnd_shares_buffer(r, out));
    SAME(out, -1, -1, 12, 13);
    SAME(gnd_apply("add", GND_ARGS(x, 10), &(gnd_apply_options){.where = mask}), 0, 0, 12, 13);
    gnd_array *column = gnd_equal(gnd_reshape(count_up(GND_SHAPE(2), GND_INT8), GND_SHAPE(2, 1)), 1);
    SAME(gnd_apply("negative", GND_ARGS(x), &(gnd_apply_options){.where = column}), 0, 0, 0, 0, 0, -1, -2, -3);
    CHECK_ERROR(gnd_apply("add", GND_ARGS(x, 1), &(gnd_apply_options){.where = x}), GND_ERROR_DTYPE,
                "where must be a bool array, not float32");
    CHECK(!gnd_copyto_where(out, GND_ARG(5), mask, GND_SAME_KIND));
    SAME(out, -1, -1, 5, 5);
}

TEST(where_chooses) {
    gnd_array *x = count_up(GND_SHAPE(3), GND_INT8);
    CHECK(has(gnd_where(x, x, 2.5), GND_FLOAT64, 1));
    SAME(gnd_where(x, x, 2.5), 2.5, 1, 2);
    SAME(gnd_where(gnd_astype(x, GND_COMPLEX64), 1, 0), 0, 1, 1);
    SAME(gnd_where(true, x, gnd_negative(x)), 0, 1, 2);
}

/* ---- dtypes --------------------------------------------------------------------------------- */

TEST(promotion) {
    gnd_array *i8 = count_up(GND_SHAPE(3), GND_INT8), *u8 = count_up(GND_SHAPE(3), GND_UINT8),
              *f16 = count_up(GND_SHAPE(3), GND_FLOAT16);
    gnd_array *i32 = count_up(GND_SHAPE(3), GND_INT32), *f32 = count_up(GND_SHAPE(3), GND_FLOAT32);
    CHECK(has(gnd_add(i8, u8), GND_INT16, 1));
    CHECK(has(gnd_add(i32, f32), GND_FLOAT64, 1));
    CHECK(has(gnd_add(i8, f16), GND_FLOAT16, 1));
    CHECK(has(gnd_add(i8, 1), GND_INT8, 1));
    CHECK(has(gnd_add(f16, 1.5), GND_FLOAT16, 1));
    CHECK(has(gnd_add(i8, 1.5), GND_FLOAT64, 1));
    CHECK(has(gnd_exp(i8), GND_FLOAT16, 1));
    CHECK(has(gnd_exp(count_up(GND_SHAPE(2), GND_INT16)), GND_FLOAT32, 1));
    CHECK(has(gnd_exp(i32), GND_FLOAT64, 1));
    CHECK(has(gnd_divide(i8, i8), GND_FLOAT64, 1));
    CHECK(has(gnd_absolute(count_up(GND_SHAPE(2), GND_COMPLEX64)), GND_FLOAT32, 1));
    CHECK(has(gnd_bitwise_count(i32), GND_UINT8, 1));
    CHECK(has(gnd_square(gnd_equal(i8, i8)), GND_INT8, 1));
    CHECK(has(gnd_floor(gnd_equal(i8, i8)), GND_BOOL, 1));
    CHECK(has(gnd_float_power(f16, 2), GND_FLOAT64, 1));
    SAME(gnd_add(i32, f16), 0, 2, 4);
    CHECK_ERROR(gnd_add(u8, 300), GND_ERROR_VALUE, "300");
}

TEST(dtypes_that_are_refused) {
    gnd_array *b = gnd_ones(GND_SHAPE(2), GND_BOOL), *f = gnd_ones(GND_SHAPE(2), GND_FLOAT32);
    gnd_array *z = gnd_ones(GND_SHAPE(2), GND_COMPLEX64);
    CHECK_ERROR(gnd_subtract(b, b), GND_ERROR_DTYPE, "gnd_logical_xor");
    CHECK_ERROR(gnd_negative(b), GND_ERROR_DTYPE, "gnd_logical_not");
    CHECK_ERROR(gnd_bitwise_and(f, 1), GND_ERROR_DTYPE, "float32");
    CHECK_ERROR(gnd_floor(z), GND_ERROR_DTYPE, "complex64");
    CHECK_ERROR(gnd_ldexp(f, f), GND_ERROR_DTYPE, "exponents");
    CHECK_ERROR(gnd_astype(f, (gnd_dtype)99), GND_ERROR_DTYPE, "99");
}

TEST(explicit_dtype_and_casting) {
    gnd_array *i = count_up(GND_SHAPE(3), GND_INT32), *f = count_up(GND_SHAPE(3), GND_FLOAT64);
    gnd_array *r = gnd_apply("add", GND_ARGS(i, i), &(gnd_apply_options){.dtype = GND_FLOAT32});
    CHECK(has(r, GND_FLOAT32, 1));
    CHECK(has(gnd_apply("add", GND_ARGS(f, f), &(gnd_apply_options){.dtype = GND_FLOAT32}), GND_FLOAT32, 1));
    CHECK_ERROR(gnd_apply("add", GND_ARGS(f, f), &(gnd_apply_options){.dtype = GND_INT32}), GND_ERROR_DTYPE,
                "float64 and would have to be cast to int32");
    gnd_array *half = gnd_add(f, 0.75);
    SAME(gnd_apply("add", GND_ARGS(half, half), &(gnd_apply_options){.dtype = GND_INT32, .casting = GND_UNSAFE}), 0, 2,
         4);
    CHECK_ERROR(gnd_apply("add", GND_ARGS(i, f), &(gnd_apply_options){.casting = GND_NO_CASTING}), GND_ERROR_DTYPE,
                "\"no\"");
    CHECK_ERROR(gnd_apply("exp", GND_ARGS(f), &(gnd_apply_options){.dtype = GND_INT32}), GND_ERROR_DTYPE,
                "no loop that gives int32");
    gnd_array *z = gnd_multiply(f, gnd_arg_parts(1, 2));
    gnd_array *out = gnd_zeros(GND_SHAPE(3), GND_FLOAT64);
    CHECK_ERROR(gnd_add_into(out, z, z), GND_ERROR_DTYPE, "complex128");
    CHECK(gnd_apply("add", GND_ARGS(z, z), &(gnd_apply_options){.casting = GND_UNSAFE, .out = {out}}));
    SAME(out, 0, 2, 4);
    SAME(gnd_apply("add", GND_ARGS(z, z), &(gnd_apply_options){.casting = GND_UNSAFE, .dtype = GND_FLOAT32}), 0, 2, 4);
}

TEST(integers_are_compared_exactly) {
    const int64_t i[] = {-1, INT64_MAX, 5};
    const uint64_t u[] = {UINT64_MAX, (uint64_t)INT64_MAX + 1, 5};
    gnd_array *x = gnd_from_host(i, GND_SHAPE(3), GND_INT64);
    gnd_array *y = gnd_from_host(u, GND_SHAPE(3), GND_UINT64);
    SAME(gnd_equal(x, y), 0, 0, 1);
    SAME(gnd_less(x, y), 1, 1, 0);
    SAME(gnd_less(y, x), 0, 0, 0);
    SAME(gnd_greater_equal(y, x), 1, 1, 1);
    SAME(gnd_greater(gnd_astype(x, GND_INT8), y), 0, 0, 0);
    gnd_array *u8 = count_up(GND_SHAPE(3), GND_UINT8);
    SAME(gnd_less(u8, 300), 1, 1, 1);
    SAME(gnd_greater(u8, -1), 1, 1, 1);
    SAME(gnd_equal(300, u8), 0, 0, 0);
    SAME(gnd_not_equal(u8, -1), 1, 1, 1);
    SAME(gnd_less(300, u8), 0, 0, 0);
    SAME(gnd_greater_equal(x, UINT64_MAX), 0, 0, 0);
    SAME(gnd_less(y, -1), 0, 0, 0);
}

/* ---- operators with a form of their own ----------------------------------------------------- */

TEST(two_results) {
    gnd_array *q, *r;
    CHECK(!gnd_divmod(&q, &r, count_up(GND_SHAPE(5), GND_INT32), -3));
    SAME(q, 0, -1, -1, -1, -2);
    SAME(r, 0, -2, -1, 0, -2);
    gnd_array *m, *e;
    CHECK(!gnd_frexp(&m, &e, 12.0));
    CHECK(gnd_item_double(m) == 0.75 && gnd_item_int(e) == 4 && has(e, GND_INT32, 0));
    gnd_array *x = gnd_add(count_up(GND_SHAPE(3), GND_FLOAT32), 0.5), *whole = gnd_zeros(GND_SHAPE(3), GND_FLOAT64);
    gnd_array *fraction = gnd_zeros(GND_SHAPE(3), GND_FLOAT32);
    CHECK(!gnd_modf_into(fraction, whole, x));
    SAME(whole, 0, 1, 2);
    SAME(fraction, 0.5, 0.5, 0.5);
    CHECK_ERROR(gnd_modf_into(x, x, x), GND_ERROR_INVALID, "overlap");
    CHECK(!gnd_apply_two(&q, &r, "divmod", GND_ARGS(7, 2), NULL));
    CHECK(gnd_item_int(q) == 3 && gnd_item_int(r) == 1);
    CHECK_ERROR(gnd_apply("divmod", GND_ARGS(7, 2), NULL), GND_ERROR_INVALID, "gnd_apply_two");
    CHECK_ERROR(gnd_divmod(&q, &r, count_up(GND_SHAPE(2), GND_COMPLEX64), 1), GND_ERROR_DTYPE, "complex64");
    CHECK(!q && !r);
}

TEST(parameters) {
    gnd_array *x = gnd_divide(count_up(GND_SHAPE(4), GND_FLOAT64), 8);
    SAME(gnd_round(x, 1), 0, 0.1, 0.2, 0.4);
    SAME(gnd_round(gnd_multiply(count_up(GND_SHAPE(3), GND_INT32), 16), -1), 0, 20, 30);
    SAME(gnd_apply("round", GND_ARGS(x), NULL), 0, 0, 0, 0);
    SAME(gnd_isclose(x, gnd_add(x, 1e-9), 1e-5, 1e-8, false), 1, 1, 1, 1);
    SAME(gnd_apply("isclose", GND_ARGS(x, 0.125, 0, 0.13), NULL), 1, 1, 1, 0);
    const double special[] = {NAN, INFINITY, -INFINITY, 1};
    gnd_array *s = gnd_from_host(special, GND_SHAPE(4), GND_FLOAT64);
    SAME(gnd_nan_to_num(s, GND_NONE, 7, GND_NONE), 0, 7, -1.7976931348623157e308, 1);
    SAME(gnd_isclose(s, s, 1e-5, 1e-8, true), 1, 1, 1, 1);
    SAME(gnd_isclose(s, s, 1e-5, 1e-8, false), 0, 1, 1, 1);
    SAME(gnd_angle(gnd_multiply(gnd_ones(GND_SHAPE(1), GND_COMPLEX128), gnd_arg_parts(0, 1)), true), 90);
    CHECK_ERROR(gnd_apply("round", GND_ARGS(x, x), NULL), GND_ERROR_INVALID, "decimals");
}

TEST(clip) {
    gnd_array *x = count_up(GND_SHAPE(5), GND_INT8);
    SAME(gnd_clip(x, 1, 3), 1, 1, 2, 3, 3);
    SAME(gnd_clip(x, GND_NONE, 3), 0, 1, 2, 3, 3);
    SAME(gnd_clip(x, 2, GND_NONE), 2, 2, 2, 3, 4);
    SAME(gnd_clip(x, GND_NONE, GND_NONE), 0, 1, 2, 3, 4);
    SAME(gnd_clip(x, -1000, 1000), 0, 1, 2, 3, 4);
    CHECK(has(gnd_clip(x, 0, 300), GND_INT8, 1));
    gnd_array *out = gnd_zeros(GND_SHAPE(5), GND_INT8);
    CHECK(!gnd_clip_into(out, x, GND_NONE, 2));
    SAME(out, 0, 1, 2, 2, 2);
}

TEST(integers_to_negative_powers) {
    gnd_array *x = count_up(GND_SHAPE(3), GND_INT32);
    SAME(gnd_power(x, 3), 0, 1, 8);
    CHECK_ERROR(gnd_power(x, -1), GND_ERROR_VALUE, "negative integer power");
    SAME(gnd_power(gnd_multiply(x, 2), 2.0), 0, 4, 16);
    gnd_release(gnd_power(x, gnd_subtract(x, 1))); /* noticed while it runs, told when it is waited for */
    CHECK_ERROR(gnd_sync(), GND_ERROR_VALUE, "negative");
    gnd_array *mask = gnd_greater(x, 0);
    SAME(gnd_apply("power", GND_ARGS(x, gnd_subtract(x, 1)), &(gnd_apply_options){.where = mask}), 0, 1, 2);
    CHECK(!gnd_sync());
}

TEST(by_name) {
    CHECK_ERROR(gnd_apply("frobnicate", GND_ARGS(1), NULL), GND_ERROR_INVALID, "\"frobnicate\"");
    CHECK_ERROR(gnd_apply("equal_iu", GND_ARGS(1, 2), NULL), GND_ERROR_INVALID, "equal_iu");
    CHECK_ERROR(gnd_apply("add", GND_ARGS(1), NULL), GND_ERROR_INVALID, "takes 2 arguments, not 1");
    CHECK_ERROR(gnd_apply("add", GND_ARGS(1, 2), &(gnd_apply_options){.order = 'X'}), GND_ERROR_INVALID, "'X'");
}

/* Values that no caller should pass: refused or harmless, whatever the kernels do with them. */
TEST(absurd_arguments) {
    gnd_array *x = gnd_multiply(count_up(GND_SHAPE(5), GND_FLOAT64), 1.25);
    CHECK(count_true(gnd_equal(gnd_round(x, 300), x)) == 5);
    CHECK(count_true(gnd_isnan(gnd_round(x, INT_MIN))) == 5);
    CHECK(count_true(gnd_isnan(gnd_round(x, INT_MAX))) == 5);
    SAME(gnd_round(count_up(GND_SHAPE(5), GND_INT16), INT_MAX), 0, 1, 2, 3, 4);
    CHECK_ERROR(gnd_apply("round", GND_ARGS(x, 1.5), NULL), GND_ERROR_VALUE, "1.5");
    CHECK_ERROR(gnd_apply("round", GND_ARGS(x, (double)NAN), NULL), GND_ERROR_VALUE, "nan");
    CHECK_ERROR(gnd_copyto_where(x, x, gnd_greater(x, 2), (gnd_casting)9), GND_ERROR_INVALID, "9");
    gnd_apply_options options = {.casting = (gnd_casting)-1};
    CHECK_ERROR(gnd_apply("add", GND_ARGS(x, 1), &options), GND_ERROR_INVALID, "-1");
    gnd_arg odd = gnd_arg_int(1);
    odd.kind = (gnd_arg_kind)77;
    CHECK_ERROR(gnd_add(x, odd), GND_ERROR_INVALID, "argument 2");
    CHECK_ERROR(gnd_cos(odd), GND_ERROR_INVALID, "77");
}

/* Errors name the function that was called, the _into forms too. */
TEST(names_in_errors) {
    gnd_array *x = count_up(GND_SHAPE(3), GND_INT8), *out = gnd_zeros(GND_SHAPE(4), GND_INT8);
    CHECK_ERROR(gnd_add_into(out, x, x), GND_ERROR_SHAPE, "gnd_add_into: ");
    CHECK_ERROR(gnd_round_into(out, x, 2), GND_ERROR_SHAPE, "gnd_round_into: ");
    CHECK_ERROR(gnd_divmod_into(out, out, x, x), GND_ERROR_SHAPE, "gnd_divmod_into: ");
    CHECK_ERROR(gnd_clip_into(out, x, 0, 1), GND_ERROR_SHAPE, "gnd_clip_into: ");
    CHECK_ERROR(gnd_modf_into(out, NULL, x), GND_ERROR_INVALID, "second output");
    CHECK_ERROR(gnd_hypot(count_up(GND_SHAPE(3), GND_COMPLEX64), 2), GND_ERROR_DTYPE,
                "gnd_hypot: is not defined for complex64 and an integer");
}

TEST(null_arguments) {
    gnd_array *x = count_up(GND_SHAPE(3), GND_INT8);
    CHECK_ERROR(gnd_add((gnd_array *)NULL, x), GND_ERROR_INVALID, "gnd_add");
    CHECK_ERROR(gnd_add_into(NULL, x, x), GND_ERROR_INVALID, "gnd_add");
    CHECK_ERROR(gnd_astype(NULL, GND_INT8), GND_ERROR_INVALID, "gnd_astype");
    CHECK_ERROR(gnd_add(x, GND_NONE), GND_ERROR_INVALID, "GND_NONE");
    /* A chain keeps its first error. */
    CHECK_ERROR(gnd_sqrt(gnd_add(x, gnd_subtract(x, count_up(GND_SHAPE(4), GND_INT8)))), GND_ERROR_SHAPE,
                "gnd_subtract");
}

/* ---- assignment ----------------------------------------------------------------------------- */

TEST(fill_and_copyto) {
    gnd_array *m = gnd_zeros(GND_SHAPE(3, 4), GND_INT32);
    CHECK(!gnd_fill(m, 7));
    CHECK(!gnd_copyto(gnd_slice(m, "1, ::2"), -1));
    SAME(m, 7, 7, 7, 7, -1, 7, -1, 7, 7, 7, 7, 7);
    CHECK(!gnd_copyto(gnd_slice(m, ":, 1"), gnd_add(count_up(GND_SHAPE(3), GND_FLOAT64), 0.9)));
    SAME(m, 7, 0, 7, 7, -1, 1, -1, 7, 7, 2, 7, 7);
    CHECK(!gnd_copyto(m, count_up(GND_SHAPE(4), GND_COMPLEX128)));
    SAME(m, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
    CHECK(!gnd_fill(m, 2.9));
    SAME(gnd_slice(m, "0"), 2, 2, 2, 2);
    CHECK_ERROR(gnd_fill(gnd_zeros(GND_SHAPE(2), GND_UINT8), 256), GND_ERROR_VALUE, "256");
    CHECK_ERROR(gnd_fill(m, gnd_arg_parts(1, 1)), GND_ERROR_DTYPE, "complex");
    CHECK_ERROR(gnd_fill(m, count_up(GND_SHAPE(4), GND_INT32)), GND_ERROR_SHAPE, "gnd_copyto");
    CHECK_ERROR(gnd_copyto(m, count_up(GND_SHAPE(3), GND_INT32)), GND_ERROR_SHAPE, "(3,)");
    CHECK_ERROR(gnd_copyto(gnd_broadcast_to(m, GND_SHAPE(2, 3, 4)), 1), GND_ERROR_INVALID, "read-only");
}

TEST(copies) {
    gnd_array *m = count_up(GND_SHAPE(2, 3), GND_FLOAT32), *t = gnd_transpose(m);
    CHECK(gnd_is_f_contiguous(gnd_copy(t)) && !gnd_shares_buffer(gnd_copy(t), t));
    CHECK(gnd_is_c_contiguous(gnd_ascontiguous(t)));
    SAME(gnd_ascontiguous(t), 0, 3, 1, 4, 2, 5);
    CHECK(gnd_shares_buffer(gnd_ascontiguous(m), m));
    CHECK(gnd_shares_buffer(gnd_asfortran(t), t));
    SAME(gnd_astype(gnd_divide(gnd_subtract(count_up(GND_SHAPE(5), GND_FLOAT32), 2), 0.75), GND_INT8), -2, -1, 0, 1, 2);
    SAME(gnd_astype(gnd_subtract(count_up(GND_SHAPE(3), GND_FLOAT32), 1), GND_BOOL), 1, 0, 1);
}

/* Every pair of dtypes, dense and strided. */
TEST(casts_between_all_dtypes) {
    for (int from = GND_BOOL; from <= GND_COMPLEX128; from++)
        for (int to = GND_BOOL; to <= GND_COMPLEX128; to++)
            GND_SCOPE {
                gnd_array *x = gnd_astype(count_up(GND_SHAPE(67), GND_INT8), (gnd_dtype)from);
                gnd_array *y = gnd_astype(x, (gnd_dtype)to);
                gnd_array *z = gnd_astype(gnd_slice(x, "::-3"), (gnd_dtype)to);
                gnd_array *want = gnd_astype(count_up(GND_SHAPE(67), GND_INT8), GND_FLOAT64);
                if (from == GND_BOOL || to == GND_BOOL) want = gnd_astype(gnd_not_equal(want, 0), GND_FLOAT64);
                bool ok =
                    count_true(gnd_equal(y, want)) == 67 && count_true(gnd_equal(z, gnd_slice(want, "::-3"))) == 23;
                if (!ok) printf("# %s to %s\n", gnd_dtype_name((gnd_dtype)from), gnd_dtype_name((gnd_dtype)to));
                CHECK(ok);
            }
}

/* The function behind each macro, and results that do not depend on how an array is cut up. */
TEST(functions_and_positions) {
    gnd_array *(*f)(gnd_arg, gnd_arg) = (gnd_add);
    CHECK(gnd_item_int(f(gnd_arg_int(1), gnd_arg_int(2))) == 3);
    gnd_array *x = gnd_divide(count_up(GND_SHAPE(1000), GND_FLOAT32), 37), *y = gnd_sin(x);
    for (int i = 0; i < 70; i++)
        GND_SCOPE {
            gnd_array *part = gnd_sin(gnd_slice(x, "%d:%d", i, 500 + 3 * i));
            CHECK(count_true(gnd_equal(part, gnd_slice(y, "%d:%d", i, 500 + 3 * i))) == 500 + 2 * i);
        }
}

/* Results too large for the caches are written past them, in squares of a cache line where the rows
   allow it: sizes that do and do not divide into such squares. */
TEST(large_transposed_copies) {
    const gnd_dtype dtypes[] = {GND_UINT8, GND_UINT16, GND_FLOAT32, GND_FLOAT64, GND_COMPLEX128};
    const int shapes[][2] = {{4096, 3200}, {4099, 3200}, {2049, 4111}};
    for (int d = 0; d < 5; d++)
        for (int i = 0; i < 3; i++) {
            const int64_t rows = shapes[i][0], columns = shapes[i][1];
            const size_t count = (size_t)(rows * columns), size = gnd_dtype_size(dtypes[d]);
            uint8_t *host = malloc(count * size), *back = malloc(count * size);
            for (size_t k = 0; k < count * size; k++) host[k] = (uint8_t)(k * 2654435761u >> 13);
            gnd_array *x = gnd_from_host(host, GND_SHAPE(rows, columns), dtypes[d]);
            CHECK(gnd_to_host(gnd_ascontiguous(gnd_transpose(x)), back, count * size) == GND_OK);
            int64_t wrong = 0;
            for (int64_t r = 0; r < rows; r++)
                for (int64_t c = 0; c < columns; c++)
                    wrong += memcmp(host + (size_t)(r * columns + c) * size, back + (size_t)(c * rows + r) * size,
                                    size) != 0;
            CHECK(wrong == 0);
            free(host), free(back);
        }
}

TEST_MAIN
