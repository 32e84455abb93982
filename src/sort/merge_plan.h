/*
 * merge_plan.h: merging two lines that are in order, in sort_plan.h's order: of equal elements, a's come first.
 */
#ifndef GNDI_MERGE_PLAN_H
#define GNDI_MERGE_PLAN_H

#include <gnd/dtype.h>
#include <stdbool.h>
#include <stdint.h>

/* Together they have an element at least. The results are dense, and share no memory with the lines. */
typedef struct gndi_merge_plan {
    uint8_t dtype;
    bool descending;
    int64_t count[2]; /* of elements in each line; element i is at data + i * step */
    const char *data[2];
    int64_t step[2];
    char *out;
    int64_t *indices; /* NULL: not wanted; where each element stood in a followed by b */
} gndi_merge_plan;

#endif
