/*
 * operator_loops.h: operators applied one after the other, as scatters and ordered reductions need
 * them. One function of each kind an operator and loop, in operator_<family>.cpp.
 */
#ifndef GNDI_CPU_OPERATOR_LOOPS_H
#define GNDI_CPU_OPERATOR_LOOPS_H

#include "kernels/ops/op_sets.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An element to be changed, as bytes from the target's start, and the number of its update. */
typedef struct gndi_cpu_update {
    int64_t offset, number;
} gndi_cpu_update;

/* Updates in their order, by one array of int64: the element at index[i] of `size`, from the
   end if negative, becomes op(element, value[i]). Steps and the stride of elements are in bytes. */
typedef struct gndi_cpu_indexed_updates {
    char *target;
    const char *index, *value;
    int64_t index_step, value_step, size, stride;
} gndi_cpu_indexed_updates;

/* All but at_indices give back nonzero if a CHECKED operator met values it does not take. Operands lie in the
   dtypes of the operator's letters. */
typedef struct gndi_cpu_operator {
    /* acc = op(acc, x[i]) for i = 0 .. n - 1, `step` bytes apart; in chains side by side where the
       operator is ASSOCIATIVE. NULL unless in and out are T, or B in the bool loop. */
    int (*fold)(char *acc, const char *x, int64_t step, int64_t n);
    /* The element at each offset becomes op(element, value[number]). NULL unless the first input
       and the output have the same dtype. */
    int (*at)(char *target, const gndi_cpu_update *updates, int64_t n, const char *value, int64_t step);
    /* The first n updates, or those before the first index out of range: how many there are. Sets
       *fault if a CHECKED operator met values it does not take. NULL where `at` is. */
    int64_t (*at_indices)(const gndi_cpu_indexed_updates *targets, int64_t n, int *fault);
    /* result = op(a, x), one element. NULL for operators of three inputs, two outputs, or with
       parameters. */
    int (*one)(const char *a, const char *x, char *result);
} gndi_cpu_operator;

typedef gndi_cpu_operator gndi_cpu_operators[GNDI_OP_COUNT][GND_DTYPE_COUNT];

/* Filled in at the first call. Thread-safe. */
const gndi_cpu_operator *gndi_cpu_operator_get(int op, int loop);

#ifdef __cplusplus
}
#endif

#endif
