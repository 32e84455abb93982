/*
 * sort_loops.h: the loops that order rows, as their driver (sort_cpu.c) sees them. All work on dense
 * rows; sort_cpu.c brings others into that form.
 *
 *     sort_vectors.hpp   numbers in order by vectors, for each instruction set
 *     sort_words.cpp     those of 16 bits, for CPUs whose vectors compress them
 *     sort_rows.hpp      a row of any dtype, by one thread
 *     sort_long.cpp      a long one, by all
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

/* Signed numbers in order, and partitioned at indices that ascend. Those of 16 bits are NULL where no instruction
   compresses vectors of them: they are sorted as 32 bits. */
typedef struct gndi_cpu_sorts {
    void (*sort16)(int16_t *x, int64_t n);
    void (*select16)(int16_t *x, int64_t n, const int64_t *kth, int kths);
    void (*sort32)(int32_t *x, int64_t n);
    void (*sort64)(int64_t *x, int64_t n);
    void (*select32)(int32_t *x, int64_t n, const int64_t *kth, int kths);
    void (*select64)(int64_t *x, int64_t n, const int64_t *kth, int kths);
} gndi_cpu_sorts;
void gndi_cpu_word_sorts(gndi_cpu_sorts *table); /* fills in those of 16 bits; built with x86-64-v4 */

/* A dense row, as gndi_sort_plan's: out and indices have `keep` elements. */
typedef struct gndi_cpu_row {
    const gndi_cpu_sorts *sorts;
    uint8_t dtype;
    bool descending, partial;
    int kths;
    const int64_t *kth;
    int64_t length, keep;
    const char *in;
    char *out;        /* NULL: not wanted; may be `in` */
    int64_t *indices; /* NULL: not wanted */
    const int64_t *start;
    char *workspace; /* gndi_cpu_sort_workspace() bytes */
} gndi_cpu_row;

/* By one thread; and the temporary memory that it needs, of which in, out, indices and start need
   only say whether they are there and the same. */
void gndi_cpu_sort_row(const gndi_cpu_row *row);
int64_t gndi_cpu_sort_workspace(const gndi_cpu_row *row);

/* By several threads, if the row is worth it. */
typedef struct gndi_cpu_threads {
    int count;
    void (*parallel_for)(int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t), void *context);
} gndi_cpu_threads;
bool gndi_cpu_sort_long_worth(const gndi_cpu_row *row, int threads);
void gndi_cpu_sort_long(const gndi_cpu_row *row, const gndi_cpu_threads *threads);
int64_t gndi_cpu_sort_long_workspace(const gndi_cpu_row *row, int threads);

#ifdef __cplusplus
}
#endif

#endif
