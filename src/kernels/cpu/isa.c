/*
 * isa.c: which of the compiled instruction sets this CPU runs, and the table of its kernels.
 * GND_CPU_ISA=baseline, v3 or v4 in the environment asks for one of them (tests compare them).
 */
#include "core/environment.h"
#include "reduce/cpu/bit_folds.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/cpu_parts.h"
#include "sort/cpu/sort_rows.h"
#include "runtime/backend_kernels.h"
#include "core/lock.h"
#include <string.h>

typedef gndi_cpu_kernel (*op_rows)[GND_DTYPE_COUNT];

/* The functions that fill the table, one for each family and instruction set. */
#define ISA(isa)                                                                                   \
    void gndi_cpu_##isa##_moves(gndi_cpu_kernels *kernels);                                        \
    void gndi_cpu_##isa##_scans(gndi_cpu_scan_line(*table)[GND_DTYPE_COUNT]);                      \
    void gndi_cpu_##isa##_reductions(gndi_cpu_reductions *table);                                  \
    void gndi_cpu_##isa##_more_reductions(gndi_cpu_reductions *table);                             \
    void gndi_cpu_##isa##_bit_folds(gndi_cpu_bit_folds *table);                                    \
    void gndi_cpu_##isa##_selections(gndi_cpu_selection *table);                                   \
    void gndi_cpu_##isa##_sorts(gndi_cpu_sorts *table);                                            \
    void gndi_cpu_##isa##_row_sorts(gndi_cpu_row_sorts *table);                                    \
    void gndi_cpu_##isa##_correlations(gndi_cpu_correlation *table);                               \
    void gndi_cpu_##isa##_products(gndi_cpu_multiply *table);                                      \
    void gndi_cpu_##isa##_random(gndi_cpu_random_vectors *table);                                  \
    void gndi_cpu_##isa##_vectors(op_rows table);
GNDI_CPU_ISAS
#undef ISA
#define DECLARE(isa, family) void gndi_cpu_##isa##_##family(op_rows table);
#define FAMILY(family) DECLARE(baseline, family) DECLARE(v3, family) DECLARE(v4, family)
GNDI_CPU_FAMILIES
#undef FAMILY

static gndi_cpu_bit_folds bit_folds;
static gndi_cpu_row_sorts row_sorts;

#define FAMILY(family) gndi_cpu_baseline_##family(k->op);
static void fill_baseline(gndi_cpu_kernels *k) {
    GNDI_CPU_FAMILIES gndi_cpu_baseline_moves(k), gndi_cpu_baseline_scans(k->scan);
    gndi_cpu_baseline_reductions(&k->reduce);
    gndi_cpu_baseline_more_reductions(&k->reduce);
    gndi_cpu_baseline_bit_folds(&bit_folds);
    gndi_cpu_baseline_row_sorts(&row_sorts);
    gndi_cpu_baseline_selections(k->select);
    gndi_cpu_baseline_sorts(&k->sort);
    gndi_cpu_baseline_correlations(k->correlate);
    gndi_cpu_baseline_products(k->multiply);
    gndi_cpu_baseline_random(&k->random);
    gndi_cpu_baseline_vectors(k->op);
}
#undef FAMILY
#ifdef GNDI_CPU_DISPATCH
#    define FAMILY(family) gndi_cpu_v3_##family(k->op);
static void fill_v3(gndi_cpu_kernels *k) {
    GNDI_CPU_FAMILIES gndi_cpu_v3_moves(k), gndi_cpu_v3_scans(k->scan);
    gndi_cpu_v3_reductions(&k->reduce);
    gndi_cpu_v3_more_reductions(&k->reduce);
    gndi_cpu_v3_bit_folds(&bit_folds);
    gndi_cpu_v3_row_sorts(&row_sorts);
    gndi_cpu_v3_selections(k->select);
    gndi_cpu_v3_sorts(&k->sort);
    gndi_cpu_v3_correlations(k->correlate);
    gndi_cpu_v3_products(k->multiply);
    gndi_cpu_v3_random(&k->random);
    gndi_cpu_v3_vectors(k->op);
}
#    undef FAMILY
#    define FAMILY(family) gndi_cpu_v4_##family(k->op);
static void fill_v4(gndi_cpu_kernels *k) {
    GNDI_CPU_FAMILIES gndi_cpu_v4_moves(k), gndi_cpu_v4_scans(k->scan);
    gndi_cpu_v4_reductions(&k->reduce);
    gndi_cpu_v4_more_reductions(&k->reduce);
    gndi_cpu_v4_bit_folds(&bit_folds);
    gndi_cpu_v4_row_sorts(&row_sorts);
    gndi_cpu_v4_selections(k->select);
    gndi_cpu_v4_sorts(&k->sort);
    gndi_cpu_v4_correlations(k->correlate);
    gndi_cpu_v4_products(k->multiply);
    gndi_cpu_v4_random(&k->random);
    gndi_cpu_v4_vectors(k->op);
}
#    undef FAMILY
#endif

static gndi_cpu_kernels kernels;
static const char *isa;
static gndi_once chosen;

#ifdef GNDI_CPU_DISPATCH
static bool has_v3(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}
static bool has_v4(void) {
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

static void choose(void) {
    gndi_cpu_scan_lines(kernels.scan);
#ifdef GNDI_CPU_DISPATCH
    const int64_t asked = gndi_env_number(GNDI_GND_CPU_ISA, 2);
    const bool baseline = asked == 0, v3 = asked == 1;
    __builtin_cpu_init();
    if (!baseline && !v3 && has_v4()) {
        fill_v4(&kernels), isa = "v4";
        return;
    }
    if (!baseline && has_v3()) {
        fill_v3(&kernels), isa = "v3";
        return;
    }
#endif
    fill_baseline(&kernels), isa = "baseline";
}

const gndi_cpu_kernels *gndi_cpu_kernels_get(void) {
    gndi_once_do(&chosen, choose);
    return &kernels;
}

const gndi_cpu_bit_folds *gndi_cpu_bit_folds_get(void) {
    gndi_once_do(&chosen, choose);
    return &bit_folds;
}

void gndi_cpu_sort_row(const gndi_cpu_row *row) {
    gndi_once_do(&chosen, choose);
    row_sorts.sort(row);
}

int64_t gndi_cpu_sort_room(const gndi_cpu_row *row) {
    gndi_once_do(&chosen, choose);
    return row_sorts.room(row);
}

const char *gndi_cpu_isa(void) {
    gndi_once_do(&chosen, choose);
    return isa;
}
