/*
 * order_loops.h: the loops of filters by order as the driver (order_cpu.c) sees them.
 */
#ifndef GNDI_CPU_ORDER_LOOPS_H
#define GNDI_CPU_ORDER_LOOPS_H

#include <stdint.h>

enum {
    GNDI_ORDER_BLOCK = 32, /* bytes of a vector */
    GNDI_ORDER_SPARE = 64, /* bytes behind each row that may be read and written */
    GNDI_ORDER_SIZES = 4,  /* of keys: 1, 2, 4 and 8 bytes */
};

/* Outputs 0 .. n - 1 of one row. */
typedef struct gndi_cpu_order_run {
    const void *const *row; /* row[r] + i + j: the key that element j of window row r is for output i */
    int64_t rows, taps;     /* of the window: of all axes but the last, along the last */
    int64_t n, rank;
    const int64_t *chosen; /* the window's elements that count, row * taps + j; NULL: all */
    int64_t elements;      /* how many count */
    void *work, *out;      /* work: `elements` keys, or `rows` rows like the others for a network */
    int64_t work_bytes;    /* of a row there */
} gndi_cpu_order_run;

typedef struct gndi_cpu_order_type {
    void (*run)(const gndi_cpu_order_run *run);
    /* n elements, step bytes apart, as keys; and back. `zeros` makes keys of zeros. */
    void (*load)(const char *from, int64_t step, int dtype, void *to, int64_t n);
    void (*store)(const void *from, char *to, int64_t step, int dtype, int64_t n);
    void (*zeros)(int dtype, void *to, int64_t n);
} gndi_cpu_order_type;

typedef struct gndi_cpu_order_loops {
    gndi_cpu_order_type of[GNDI_ORDER_SIZES]; /* of keys of 1 << i bytes */
} gndi_cpu_order_loops;

/* Whether a median of these rows and taps has a network. */
static inline int gndi_order_has_network(int64_t rows, int64_t taps) {
    if (rows == 1) return taps == 3 || taps == 5 || taps == 7 || taps == 9;
    return rows == taps && (rows == 3 || rows == 5);
}

#endif
