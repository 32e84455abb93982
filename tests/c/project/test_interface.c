/*
 * test_interface.c: the macros in front of functions: arguments of every C type, evaluated once and
 * nested deep; lists of arrays, const or not; single elements by their indices; scopes left early.
 * tests/oracle/project/test_interface.py compiles this file with every compiler it finds, pedantically.
 */
#include "tap.h"

static double sum_of(const gnd_array *x) {
    return gnd_item_double(gnd_sum(x, GND_ALL));
}

/* ---- arguments ------------------------------------------------------------------------------ */

struct fields {
    int whole;
    unsigned bits : 32;
    bool truth;
};

TEST(arguments_of_every_type) {
    gnd_array *x = gnd_ones(GND_SHAPE(4), GND_FLOAT64);
    const gnd_array *same = x;
    const int constant = 3;
    volatile double changing = 0.5;
    float few[2] = {1.5f, 2.5f};
    const struct fields f = {.whole = -2, .bits = 7, .truth = true};
    enum { NUMBER = 5 } named = NUMBER;
    static const char letter = 2;
    CHECK(sum_of(gnd_add(x, same)) == 8);
    CHECK(sum_of(gnd_add(x, constant)) == 16);
    CHECK(sum_of(gnd_add(changing, x)) == 6);
    CHECK(sum_of(gnd_add(x, few[1])) == 14);
    CHECK(sum_of(gnd_add(x, *few)) == 10);
    CHECK(sum_of(gnd_add(x, f.whole)) == -4);
    CHECK(sum_of(gnd_add(x, f.bits)) == 32);
    CHECK(sum_of(gnd_add(x, f.truth)) == 8);
    CHECK(sum_of(gnd_add(x, named)) == 24);
    CHECK(sum_of(gnd_add(x, NUMBER)) == 24);
    CHECK(sum_of(gnd_add(x, letter)) == 12);
    CHECK(sum_of(gnd_add(x, constant > 2 ? 1 : 0)) == 8);
    CHECK(sum_of(gnd_add(x, ((void)0, few[0]))) == 10);
    CHECK(sum_of(gnd_add(x, gnd_arg_real(2))) == 12);
    CHECK(sum_of(gnd_clip(x, GND_NONE, 0.25)) == 1);
    CHECK(gnd_dtype_of(gnd_add(gnd_ones(GND_SHAPE(2), GND_BOOL), f.truth)) == GND_BOOL);
    CHECK(gnd_dtype_of(gnd_add(x, gnd_arg_parts(0, 1))) == GND_COMPLEX128);
    CHECK(gnd_dtype_of(gnd_add(gnd_ones(GND_SHAPE(2), GND_UINT64), UINT64_MAX)) == GND_UINT64);
}

static int counted(int *calls) {
    return ++*calls;
}

TEST(arguments_are_evaluated_once) {
    gnd_array *x = gnd_zeros(GND_SHAPE(2, 3), GND_INT64);
    int n = 0;
    CHECK(sum_of(gnd_add(gnd_add(x, counted(&n)), gnd_add(counted(&n), counted(&n)))) == 36);
    CHECK(n == 3);
    gnd_array *joined = gnd_stack(GND_ARRAYS(gnd_add(x, counted(&n)), gnd_add(x, counted(&n))), 0);
    CHECK(n == 5 && gnd_ndim(joined) == 3 && sum_of(joined) == 6 * (4 + 5));
    n = 0;
    CHECK(gnd_size(gnd_get(x, GND_INDICES(counted(&n), "1:"))) == 2 && n == 1);
    CHECK(gnd_at_int(x, counted(&n) - 2, 0) == 0 && n == 2);
    CHECK(gnd_size(gnd_full(GND_SHAPE(2), counted(&n), GND_INT8)) == 2 && n == 3);
}

/* Horner's scheme of degree 9, in one line. */
TEST(nested_calls) {
    gnd_array *x = gnd_full(GND_SHAPE(3), 0.5, GND_FLOAT64);
#define STEP(inner, c) gnd_add(gnd_multiply(inner, x), c)
    gnd_array *p = STEP(STEP(STEP(STEP(STEP(STEP(STEP(STEP(STEP(10, 9), 8), 7), 6), 5), 4), 3), 2), 1);
#undef STEP
    double expected = 10;
    for (int c = 9; c >= 1; c--) expected = expected * 0.5 + c;
    CHECK(gnd_at_double(p, 2) == expected);
}

/* ---- lists of arrays ------------------------------------------------------------------------ */

static int64_t joined_size(gnd_array *joined) {
    return gnd_size(joined);
}

TEST(lists_of_arrays_may_be_const_or_not) {
    gnd_array *a = gnd_ones(GND_SHAPE(2, 2), GND_FLOAT64), *b = gnd_add(a, 1), *out[2];
    gnd_array *plain[] = {a, b};
    const gnd_array *read_only[] = {a, b};
    gnd_array *const fixed[] = {a, b};
    const gnd_array *const both[] = {a, b};
    CHECK(joined_size(gnd_stack(2, plain, 0)) == 8);
    CHECK(joined_size(gnd_stack(2, read_only, 0)) == 8);
    CHECK(joined_size(gnd_stack(2, fixed, 0)) == 8);
    CHECK(joined_size(gnd_stack(2, both, 0)) == 8);
    CHECK(joined_size(gnd_stack(1, &a, 0)) == 4);
    CHECK(joined_size(gnd_stack(2, (gnd_array *[]){a, b}, 0)) == 8);
    CHECK(joined_size(gnd_stack(2, (const gnd_array *[]){a, b}, 0)) == 8);
    CHECK(joined_size(gnd_stack_with(2, plain, 0, (gnd_join_options){.dtype = GND_INT8})) == 8 || gnd_error_take(NULL));
    CHECK(joined_size(gnd_concatenate(2, plain, 0)) == 8);
    CHECK(joined_size(gnd_concat(2, plain, 0)) == 8);
    CHECK(joined_size(gnd_concatenate_with(2, plain, 0, (gnd_join_options){0})) == 8);
    CHECK(joined_size(gnd_vstack(2, plain)) == 8);
    CHECK(joined_size(gnd_hstack(2, plain)) == 8);
    CHECK(joined_size(gnd_dstack(2, plain)) == 8);
    CHECK(joined_size(gnd_column_stack(2, plain)) == 8);
    CHECK(joined_size(gnd_block(1, 2, plain)) == 8);
    CHECK(joined_size(gnd_einsum("ij,jk->ik", 2, plain)) == 4);
    CHECK(gnd_einsum_into(a, "ij,jk->ik", 2, read_only) == GND_OK);
    CHECK(joined_size(gnd_multi_dot(2, plain)) == 4);
    CHECK(gnd_broadcast_arrays(2, plain, out) == GND_OK && gnd_size(out[1]) == 4);
    gnd_array *vectors[] = {gnd_ones(GND_SHAPE(2), GND_INT64), gnd_ones(GND_SHAPE(3), GND_INT64)};
    CHECK(gnd_ix(2, vectors, out) == GND_OK && gnd_ndim(out[0]) == 2);
    CHECK(gnd_meshgrid(2, vectors, (gnd_grid_options){0}, out) == GND_OK && gnd_size(out[0]) == 6);
    gnd_einsum_plan *plan = gnd_einsum_path("ij,jk->ik", 2, plain, NULL);
    CHECK(plan && plan->count == 1);
    gnd_einsum_plan_free(plan);
    CHECK_ERROR(gnd_stack(1, NULL, 0), GND_ERROR_INVALID, "gnd_stack");
}

/* The functions themselves, as bindings and tables of functions have them. */
TEST(functions_of_lists_have_addresses) {
    gnd_array *a = gnd_ones(GND_SHAPE(2), GND_FLOAT64), *(*join)(int, gnd_array_list, int) = gnd_stack;
    gnd_array_list list = {.writable = &a};
    CHECK(gnd_size((join)(1, list, 0)) == 2);
}

#define TEN(a) a, a, a, a, a, a, a, a, a, a
TEST(lists_of_64) {
    gnd_array *a = gnd_ones(GND_SHAPE(2), GND_INT8);
    CHECK(gnd_dim(gnd_stack(GND_ARRAYS(TEN(a), TEN(a), TEN(a), TEN(a), TEN(a), TEN(a), a, a, a, a), 0), 0) == 64);
    CHECK(gnd_dim(gnd_stack(GND_ARRAYS(a), 0), 0) == 1);
}

/* ---- one element ---------------------------------------------------------------------------- */

TEST(elements_by_their_indices) {
    gnd_array *x = gnd_reshape(gnd_arange(0, 24, 1, GND_INT32), GND_SHAPE(2, 3, 4));
    CHECK(gnd_at_int(x, 1, 2, 3) == 23 && gnd_at_double(x, 0, 0, 0) == 0);
    CHECK(gnd_at_uint(x, -1, -3, -4) == 12 && gnd_at_bool(x, 0, 0, 1) && !gnd_at_bool(x, 0, 0, 0));
    const gnd_array *view = gnd_transpose(gnd_slice(x, ":, ::-1, ::2"));
    CHECK(gnd_at_int(view, 1, 0, 1) == 22 && gnd_at_int(view, -2, -1, -2) == 0);
    CHECK(gnd_at_double(gnd_broadcast_to(gnd_slice(x, "0, 0"), GND_SHAPE(5, 4)), 4, 3) == 3);
    int32_t raw = 0;
    CHECK(gnd_at_item(x, &raw, 1, 0, 1) == GND_OK && raw == 13);
    gnd_array *z = gnd_multiply(gnd_astype(x, GND_COMPLEX64), gnd_arg_parts(1, -2));
    double re = 0, im = 0;
    CHECK(gnd_at_parts(z, &re, &im, 0, 1, 1) == GND_OK && re == 5 && im == -10);
    CHECK((gnd_at_complex(z, 0, 1, 1) == (re = 5, gnd_item_complex(gnd_slice(z, "0, 1, 1")))));
    CHECK(gnd_at_bool(z, 0, 0, 1));
    int64_t place[] = {1, 1, 1};
    CHECK((gnd_at_double)(x, 3, place) == 17);
    CHECK((gnd_at_double)(gnd_full(GND_SCALAR, 2.5, GND_FLOAT64), 0, NULL) == 2.5);
}

TEST(wrong_indices_of_an_element) {
    gnd_array *x = gnd_zeros(GND_SHAPE(2, 3), GND_INT32);
    gnd_array *z = gnd_zeros(GND_SHAPE(2, 3), GND_COMPLEX128);
    CHECK_ERROR(gnd_at_double(x, 1), GND_ERROR_INDEX, "gnd_at_double: 1 index for an array of shape (2, 3)");
    CHECK_ERROR(gnd_at_int(x, 1, 2, 0), GND_ERROR_INDEX, "takes one index for each axis, 2");
    CHECK_ERROR(gnd_at_uint(x, 2, 0), GND_ERROR_INDEX, "index 2 is out of bounds for axis 0 of size 2");
    CHECK_ERROR(gnd_at_bool(x, 0, -4), GND_ERROR_INDEX, "index -4 is out of bounds for axis 1 of size 3");
    CHECK_ERROR(gnd_at_int(x, 0, INT64_MIN), GND_ERROR_INDEX, "axis 1");
    CHECK_ERROR(gnd_at_double(gnd_zeros(GND_SHAPE(0, 3), GND_INT8), 0, 0), GND_ERROR_INDEX, "size 0");
    CHECK_ERROR(gnd_at_double(z, 1, 1), GND_ERROR_DTYPE, "use gnd_at_complex");
    CHECK_ERROR(gnd_at_int(gnd_full_like(x, 1e300, GND_FLOAT64), 0, 0), GND_ERROR_VALUE, "1e+300");
    CHECK_ERROR(gnd_at_item(x, NULL, 0, 0), GND_ERROR_INVALID, "value is NULL");
    CHECK_ERROR((gnd_at_double)(x, 2, NULL), GND_ERROR_INVALID, "indices");
    CHECK_ERROR((gnd_at_double)(x, -1, NULL), GND_ERROR_INDEX, "-1 indices");
    CHECK_ERROR(gnd_at_complex(NULL, 0), GND_ERROR_INVALID, "gnd_at_parts");
}

/* ---- scopes that are left early ------------------------------------------------------------- */

/* Leaves three scopes at once, from inside a loop. */
static int return_from_within(void) {
    GND_SCOPE {
        gnd_zeros(GND_SHAPE(3), GND_FLOAT32);
        GND_SCOPE {
            for (int i = 0;; i++) {
                GND_SCOPE {
                    gnd_zeros(GND_SHAPE(3), GND_FLOAT32);
                    if (i == 2) return i;
                }
            }
        }
    }
    return -1;
}

TEST(return_and_goto_close_nested_scopes) {
    const int64_t before = gnd_live_arrays();
    CHECK(return_from_within() == 2 && gnd_live_arrays() == before);
    int passes = 0;
    for (int i = 0; i < 5; i++) {
        GND_SCOPE {
            gnd_zeros(GND_SHAPE(3), GND_FLOAT32);
            GND_SCOPE {
                gnd_zeros(GND_SHAPE(3), GND_FLOAT32);
                passes++;
                if (i == 3) goto found;
            }
        }
    }
found:
    CHECK(passes == 4 && gnd_live_arrays() == before);
}

TEST(break_and_continue_leave_the_scope_alone) {
    const int64_t before = gnd_live_arrays();
    int passes = 0;
    for (int i = 0; i < 4; i++) {
        GND_SCOPE {
            gnd_zeros(GND_SHAPE(3), GND_FLOAT32);
            if (i == 1) break;
            if (i == 2) continue;
            passes++;
        }
        CHECK(gnd_live_arrays() == before);
    }
    CHECK(passes == 2);
}

TEST(a_scope_to_the_end_of_the_block) {
    const int64_t before = gnd_live_arrays();
    gnd_array *kept = NULL, *total = gnd_zeros(GND_SHAPE(3), GND_FLOAT64);
    int passes = 0;
    for (int i = 0; i < 10; i++) {
        GND_SCOPE_HERE;
        CHECK(gnd_live_arrays() == before + 1); /* total */
        gnd_array *x = gnd_full(GND_SHAPE(3), i, GND_FLOAT64);
        if (i == 1) continue;
        gnd_assign(&total, gnd_add(total, x));
        passes++;
        if (i == 3) {
            kept = gnd_keep(x);
            break;
        }
    }
    CHECK(passes == 3 && gnd_live_arrays() == before + 2);
    CHECK(sum_of(total) == 15 && gnd_at_double(kept, 0) == 3);
}

static int search(const gnd_array *x, int wanted) {
    GND_SCOPE_HERE;
    for (int i = 0; i < 4; i++) {
        GND_SCOPE_HERE;
        for (int j = 0; j < 4; j++) {
            GND_SCOPE_HERE;
            if (gnd_item_int(gnd_slice(gnd_add(x, 1), "%d, %d", i, j)) == wanted) return 4 * i + j;
        }
        if (gnd_item_int(gnd_max(x, GND_ALL)) < wanted - 1) goto missing;
    }
missing:
    return -1;
}

TEST(scopes_here_nest_and_close_on_return_and_goto) {
    gnd_array *x = gnd_reshape(gnd_arange(0, 16, 1, GND_INT64), GND_SHAPE(4, 4));
    const int64_t before = gnd_live_arrays();
    CHECK(search(x, 7) == 6 && search(x, 100) == -1 && gnd_live_arrays() == before);
}

TEST(a_fused_block_to_the_end_of_the_loop) {
    gnd_array *x = gnd_ones(GND_SHAPE(3), GND_FLOAT64), *result = NULL;
    const int64_t before = gnd_live_arrays();
    for (int i = 0; i < 3; i++) {
        GND_FUSE_HERE; /* a scope, too */
        gnd_array *y = gnd_multiply(gnd_add(x, i), 2);
        if (i == 0) continue;
        result = gnd_keep(y);
        break;
    }
    CHECK(gnd_live_arrays() == before + 1 && gnd_at_double(result, 1) == 4);
}

TEST_MAIN
