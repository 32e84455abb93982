/*
 * index_params.h: what the launcher (C) and the kernels (CUDA) of elements by index agree on.
 */
#ifndef GNDI_INDEX_PARAMS_H
#define GNDI_INDEX_PARAMS_H

#include "kernels/index_limits.h"
#include "runtime/fault.h"
#include <stdint.h>

enum {
    GNDI_INDEX_THREADS = 256,     /* of a block */
    GNDI_INDEX_EACH = 8,          /* points of a thread, whose loads are on their way together */
    GNDI_INDEX_EACH_WIDE = 4,     /* the same of 16 bytes, and where there are several axes */
    GNDI_INDEX_AXES = 32,         /* of a launch; more are taken apart */
    GNDI_INDEX_ROW_THREADS = 128, /* of a block that copies a part of a row */
    GNDI_INDEX_ROW_BYTES = 32,    /* of a thread of it, in GNDI_INDEX_EACH words at most; longer blocks are slower */
    GNDI_INDEX_ROW_LEAST = 256,   /* words of a row that is worth blocks of its own */
    GNDI_INDEX_STRIDES = 192,     /* a parameter block is 4 KiB at most */
};

typedef enum gndi_index_kind {
    GNDI_INDEX_GET,
    GNDI_INDEX_SET,
    GNDI_INDEX_SET_LAST, /* where an element is named several times, its last claim holds */
    GNDI_INDEX_OFFSETS,  /* the elements' numbers themselves */
} gndi_index_kind;

/* Rows of strides: the array's, value's, those of index 0, 1 ...; at the end, for claims, how a
   element's number and a point's turn change with each axis. */
enum { GNDI_INDEX_OF_ARRAY, GNDI_INDEX_OF_VALUE, GNDI_INDEX_OF_LISTS };

/* One index array. */
typedef struct gndi_index_source {
    const char *data;
    int64_t size, divide, modulo, step; /* as in index_plan.h */
    int64_t key_step;                   /* in the numbers of elements */
    int32_t dtype, axis;
} gndi_index_source;

/* n / size for n < 2^31: (high half of n * magic + n) >> shift. */
typedef struct gndi_index_divisor {
    uint32_t size, magic, shift;
} gndi_index_divisor;

typedef struct gndi_index_params {
    uint32_t points, step; /* a thread's points: its own number, and every `step` after that; ROWS: blocks of a row */
    int32_t ndim, lists;
    int32_t mode;
    int32_t streams; /* more is written than stays in the cache */
    char *array, *value;
    uint64_t number[2]; /* value == NULL */
    gndi_fault *fault;
    /* The highest turn + 1 of each element: turns[number of the element], or, if there are keys, turns of
       the slot that holds the number + 1, of a power of two. */
    uint32_t *turns;
    uint64_t *keys;
    uint64_t slots;
    gndi_index_divisor divisor[GNDI_INDEX_AXES];
    gndi_index_source list[GNDI_INDEX_LISTS];
    int64_t stride[GNDI_INDEX_STRIDES]; /* [row][ndim] */
} gndi_index_params;

/* Updates sorted by their elements: the last of each element's is stored. */
typedef struct gndi_last_params {
    int64_t updates, elements;
    const void *keys;      /* numbers of elements; `elements`: out of range */
    const void *values;    /* elements, in the order of the keys; NULL: */
    const void *positions; /* the number of the update that each key belongs to */
    const char *value;     /* where updates are in their own order */
    int64_t value_step;
    int32_t key_bytes, position_bytes; /* 4 or 8 */
    char *array;
    int32_t axes, unused;
    int64_t size[GNDI_INDEX_LISTS], step[GNDI_INDEX_LISTS]; /* the last one counts fastest */
} gndi_last_params;
enum { GNDI_LAST_EACH = 4 }; /* updates of a thread */

#endif
