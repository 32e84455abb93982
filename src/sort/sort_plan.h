/*
 * sort_plan.h: sorts of rows, as the front ends (src/sort) hand them to a backend. The order is NumPy's:
 * numbers ascending, complex ones by real, then imaginary part, NaN last (of complex numbers: whole ones, then
 * those with a NaN imaginary part, NaN real part, both), 0.0 and -0.0 equal; `descending` is the exact reverse.
 * Equal elements stay in their order either way.
 */
#ifndef GNDI_SORT_PLAN_H
#define GNDI_SORT_PLAN_H

#include <gnd/dtype.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Element k of row r is at in.data + r . in.stride + k * in.step; so for the others. The axes of the
 * rows are sorted by in's strides, the fastest LAST, and merged where all operands allow it. length
 * and rows are at least 1. `in` may be the same elements in memory as `out`; otherwise none
 * of them meet.
 *
 * `keep`: only the first `keep` of each sorted row are wanted, and only so many are stored (topk);
 * else `length`. `kth`, if partial: the element that belongs at each of these `kths` ascending indices
 * must be there, with none larger before and none smaller behind it; the others may be in any order,
 * and none is dropped (partition); `keep` is then `length`.
 *
 * `start`, if it has data, is an order to begin from (lexsort): the row's elements are taken as
 * in[start[0]], in[start[1]], ..., equal ones stay in that order, and `indices` gets start's numbers in
 * the order of the elements. It may be the same elements in memory as `indices`, and comes
 * with those alone: no `out`, all of the row.
 *
 * `declined`, if given: a single row of integers is not sorted if its first GNDI_SORT_SAMPLE elements, the
 * most of them less the least, span fewer than `worthwhile`; then *declined becomes true, and what `out`
 * and `indices` hold is not known. Whoever knows no cheap way to find out sorts the row.
 */
enum { GNDI_SORT_SAMPLE = 64 };

typedef struct gndi_sort_plan {
    uint8_t dtype;
    bool descending;
    bool partial;
    int kths;
    const int64_t *kth; /* on the host */
    uint64_t worthwhile;
    bool *declined;
    int64_t length, keep, rows;
    int ndim;
    int64_t shape[GND_MAX_DIMS];
    struct gndi_sort_operand {
        char *data; /* out and indices: NULL if not wanted; one of them is */
        int64_t step;
        int64_t stride[GND_MAX_DIMS];
    } in, out, indices, start; /* indices, start: int64, where in its row each element stood */
} gndi_sort_plan;

#endif
