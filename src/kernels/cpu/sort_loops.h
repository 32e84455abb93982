/*
 * sort_loops.h: the loops that order rows, as their driver (sort_cpu.c) sees them. All work on dense
 * rows; sort_cpu.c brings others into that form.
 *
 *     sort_vectors.hpp   numbers in order by vectors, for each instruction set
 *     sort_rows.cpp      a row of any dtype, by one thread
 *     sort_keys.hpp      elements as numbers in their order
 */
#ifndef GNDI_CPU_SORT_LOOPS_H
#define GNDI_CPU_SORT_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Signed numbers in order, and partitioned at places that ascend. */
typedef struct gndi_cpu_sorts {
    void (*sort32)(int32_t *x, int64_t n);
    void (*sort64)(int64_t *x, int64_t n);
    void (*select32)(int32_t *x, int64_t n, const int64_t *kth, int kths);
    void (*select64)(int64_t *x, int64_t n, const int64_t *kth, int kths);
} gndi_cpu_sorts;

/* A dense row, as gndi_sort_plan's: out and places have `keep` elements. */
typedef struct gndi_cpu_row {
    const gndi_cpu_sorts *sorts;
    uint8_t dtype;
    bool descending, partial;
    int kths;
    const int64_t *kth;
    int64_t length, keep;
    const char *in;
    char *out;       /* NULL: not wanted; may be `in` */
    int64_t *places; /* NULL: not wanted */
    const int64_t *start;
    char *room; /* gndi_cpu_sort_room() bytes */
} gndi_cpu_row;

/* The temporary memory that such a row needs. */
int64_t gndi_cpu_sort_room(const gndi_cpu_row *row);
void gndi_cpu_sort_row(const gndi_cpu_row *row);

#ifdef __cplusplus
}
#endif

#endif
