/*
 * order_loops.h: the loops of filters by order as the driver (order_cpu.c) sees them.
 */
#ifndef GNDI_CPU_ORDER_LOOPS_H
#define GNDI_CPU_ORDER_LOOPS_H

#include "convolve/cpu/order_pairs.h"

enum {
    GNDI_ORDER_VECTOR = 32, /* bytes */
    GNDI_ORDER_BLOCK = 64,  /* bytes of outputs that are found together */
    GNDI_ORDER_SPARE = 64,  /* bytes behind each row that may be read and written */
    GNDI_ORDER_SIZES = 4,   /* of keys: 1, 2, 4 and 8 bytes */
    GNDI_ORDER_DIGIT = 11,  /* bits by which keys are sorted */
    GNDI_ORDER_FEW = 3000,  /* keys that are sorted by 8 bits at a time */
};

/* How outputs are found. */
typedef enum gndi_cpu_order_way {
    GNDI_ORDER_NETWORK,  /* a median that gndi_order_has_network */
    GNDI_ORDER_SMALLEST, /* the smallest element */
    GNDI_ORDER_LARGEST,  /* the largest one */
    GNDI_ORDER_PAIRS,    /* by the comparisons in `pairs` */
    GNDI_ORDER_LANES,    /* from sorted windows that go on, a lane each; of a whole window of one row */
    GNDI_ORDER_RANKS,    /* from sorted blocks of keys */
} gndi_cpu_order_way;

/* Outputs 0 .. n - 1 of one row. */
typedef struct gndi_cpu_order_run {
    gndi_cpu_order_way way;
    const void *const *row; /* row[r] + i + j: the key that element j of window row r is for output i */
    int64_t rows, taps;     /* of the window: of all axes but the last, along the last */
    int64_t n, rank;
    const int64_t *chosen; /* the window's elements that count, row * taps + j; NULL: all */
    int64_t elements;      /* how many count */
    const gndi_order_pair *pairs;
    int64_t pair_count;
    int64_t block;                 /* GNDI_ORDER_RANKS: outputs of a sorted block, of rows of block + taps - 1 keys */
    const int64_t *first, *behind; /* neighbouring elements that count: the index of the first one in the block's keys,
                                      for output 0, and of the one behind the last */
    int64_t runs;                  /* how many such stretches */
    void *work, *out;   /* work: GNDI_ORDER_BLOCK bytes an element, `rows` rows like the others for a network, or what
                           gndi_order_lane_bytes and gndi_order_rank_bytes say */
    int64_t work_bytes; /* of a row there */
} gndi_cpu_order_run;

typedef struct gndi_cpu_order_type {
    int vector;   /* bytes of a vector */
    int compared; /* bytes of keys that it compares about as quickly as it adds them: SSE2 has no such instruction for
                     long keys */
    void (*run)(const gndi_cpu_order_run *run);
    /* n elements, step bytes apart, as keys; and back. `zeros` makes keys of zeros. */
    void (*load)(const char *from, int64_t step, int dtype, void *to, int64_t n);
    void (*store)(const void *from, char *to, int64_t step, int dtype, int64_t n);
    void (*zeros)(int dtype, void *to, int64_t n);
} gndi_cpu_order_type;

typedef struct gndi_cpu_order_loops {
    gndi_cpu_order_type of[GNDI_ORDER_SIZES]; /* of keys of 1 << i bytes */
} gndi_cpu_order_loops;

/* Of lanes that share a row of n outputs: outputs of one; bytes of memory. */
static inline int64_t gndi_order_lane(int64_t n, int64_t lanes) {
    return (n + lanes - 1) / lanes;
}
static inline int64_t gndi_order_lane_bytes(int64_t n, int64_t taps, int64_t bytes, int64_t vector) {
    return (gndi_order_lane(n, vector / bytes) + 2 * taps) * vector;
}
/* Of n keys that are sorted together: bytes of memory. */
static inline int64_t gndi_order_padded(int64_t n) {
    return (n + 7) / 8 * 8;
}
static inline int64_t gndi_order_rank_bytes(int64_t n, int64_t bytes) {
    return n * 16 + (n / 64 + 1) * 8 + gndi_order_padded(n) * (bytes + 4) + (4 << GNDI_ORDER_DIGIT);
}

/* Whether a median of these rows and taps has a network. */
static inline int gndi_order_has_network(int64_t rows, int64_t taps) {
    if (rows == 1) return taps == 3 || taps == 5 || taps == 7 || taps == 9;
    return rows == taps && (rows == 3 || rows == 5);
}

#endif
