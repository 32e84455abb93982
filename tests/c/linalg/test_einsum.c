/*
 * test_einsum.c: sums of products as C programs write them, paths as data, and that nothing is left over.
 * The oracle tests compare subscripts, dtypes, layouts and paths with NumPy.
 */
#include "values.h"
#include <string.h>

TEST(operands_are_multiplied_and_summed) {
    gnd_array *a = count_up(GND_SHAPE(2, 3), GND_FLOAT32);
    gnd_array *b = count_up(GND_SHAPE(3, 2), GND_FLOAT32);
    gnd_array *v = FLOATS(1, 2, 3);
    CHECK(HOLDS(gnd_einsum("ij,jk->ik", GND_ARRAYS(a, b)), 10, 13, 28, 40));
    CHECK(HOLDS(gnd_einsum("ij,jk->ki", GND_ARRAYS(a, b)), 10, 28, 13, 40));
    CHECK(HOLDS(gnd_einsum("ij,j", GND_ARRAYS(a, v)), 8, 26));
    CHECK(HOLDS(gnd_einsum("ij,ji->", GND_ARRAYS(a, b)), 50));
    CHECK(HOLDS(gnd_einsum("i,ki->ik", GND_ARRAYS(v, a)), 0, 3, 2, 8, 6, 15));
    CHECK(HOLDS(gnd_einsum("...j->...", GND_ARRAYS(a)), 3, 12));
    CHECK(HOLDS(gnd_einsum("ij,jk,k->i", GND_ARRAYS(a, b, gnd_slice(v, ":2"))), 36, 108));
    CHECK(HOLDS(gnd_einsum("i,j,k->", GND_ARRAYS(v, v, v)), 216));
}

TEST(integers_wrap_and_truth_values_meet) {
    gnd_array *small = gnd_full(GND_SHAPE(4, 4), 100, GND_INT8);
    gnd_array *product = gnd_einsum("ij,jk->", GND_ARRAYS(small, small));
    CHECK(gnd_dtype_of(product) == GND_INT8 && HOLDS(product, 0));
    CHECK(HOLDS(gnd_einsum("ij->i", GND_ARRAYS(small)), -112, -112, -112, -112));
    gnd_array *truth = gnd_from_host((uint8_t[]){1, 0, 0, 1}, GND_SHAPE(2, 2), GND_BOOL);
    gnd_array *both = gnd_einsum("ij,jk->ik", GND_ARRAYS(truth, truth));
    CHECK(gnd_dtype_of(both) == GND_BOOL && HOLDS(both, 1, 0, 0, 1));
    CHECK(HOLDS(gnd_einsum("ij,ji->", GND_ARRAYS(truth, gnd_logical_not(truth))), 0));
}

TEST(one_operand_is_seen_again) {
    gnd_array *a = gnd_zeros(GND_SHAPE(2, 2), GND_FLOAT64);
    gnd_array *diagonal = gnd_einsum("ii->i", GND_ARRAYS(a));
    CHECK(gnd_shares_buffer(a, diagonal));
    CHECK(gnd_fill(diagonal, 5) == GND_OK && HOLDS(a, 5, 0, 0, 5));
    CHECK(HOLDS(gnd_einsum("ii", GND_ARRAYS(a)), 10));
}

TEST(results_go_into_arrays) {
    gnd_array *a = count_up(GND_SHAPE(2, 2), GND_FLOAT32);
    gnd_array *out = gnd_zeros(GND_SHAPE(2, 4), GND_FLOAT64), *part = gnd_slice(out, ":, ::2");
    CHECK(gnd_einsum_into(part, "ij,jk->ik", GND_ARRAYS(a, a)) == GND_OK);
    CHECK(HOLDS(out, 2, 0, 3, 0, 6, 0, 11, 0));
    CHECK(gnd_einsum_into(a, "ij,jk->ik", GND_ARRAYS(a, a)) == GND_OK);
    CHECK(HOLDS(a, 2, 3, 6, 11));
    CHECK_ERROR(gnd_einsum_into(out, "ij,jk->ik", GND_ARRAYS(a, a)), GND_ERROR_SHAPE, "(2, 4)");
    CHECK_ERROR(gnd_einsum("ij,jk", GND_ARRAYS(a, out, a)), GND_ERROR_INVALID, "for 2 operands");
    CHECK_ERROR(gnd_einsum("ij,j!", GND_ARRAYS(a, a)), GND_ERROR_INVALID, "'!' at character 4");
    CHECK_ERROR(gnd_einsum("ij,jk", GND_ARRAYS(a, NULL)), GND_ERROR_INVALID, "arrays[1]");
}

TEST(nothing_is_left_over) {
    gnd_array *a = gnd_ones(GND_SHAPE(3, 4, 3), GND_FLOAT16);
    const int64_t before = gnd_live_arrays();
    gnd_array *line = gnd_slice(a, "0, 0");
    CHECK_ERROR(gnd_einsum("iji,...k,k->jk", GND_ARRAYS(a, a, line)), GND_ERROR_INVALID, "'...'");
    gnd_array *result = gnd_einsum("iji,ijk,k->jk", GND_ARRAYS(a, a, line));
    CHECK(gnd_live_arrays() == before + 2); /* line and result */
    CHECK(HOLDS(result, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3));
}

TEST(a_path_is_data_and_text) {
    gnd_array *a = gnd_zeros(GND_SHAPE(2, 2), GND_BOOL), *b = gnd_zeros(GND_SHAPE(2, 5), GND_BOOL);
    gnd_array *c = gnd_zeros(GND_SHAPE(5, 2), GND_BOOL);
    const gnd_einsum_options options = {.method = GND_EINSUM_OPTIMAL, .memory_limit = 100};
    gnd_einsum_plan *plan = gnd_einsum_path("ij,jk,kl->il", GND_ARRAYS(a, b, c), &options);
    CHECK(plan && plan->count == 2 && plan->flops == 57 && plan->naive_flops == 120);
    CHECK(plan->steps[0].operands[0] == 1 && plan->steps[0].operands[1] == 2);
    CHECK(strcmp(plan->steps[0].subscripts, "kl,jk->jl") == 0);
    CHECK(strcmp(plan->steps[1].remaining, "il->il") == 0);
    CHECK(strstr(plan->text, "Theoretical speedup:  2.105") != NULL);
    gnd_einsum_plan_free(plan);
    CHECK(!gnd_einsum_path("ij", GND_ARRAYS(a, b), NULL));
    gnd_error_clear();
}

TEST_MAIN
