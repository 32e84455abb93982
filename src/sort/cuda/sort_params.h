/*
 * sort_params.h: what the launchers of sorting (sort_*_cuda.c) and its kernels (sort_*.cuh) agree
 * on: parameter blocks and the tables of kernels. C and C++.
 */
#ifndef GNDI_SORT_PARAMS_H
#define GNDI_SORT_PARAMS_H

#include "sort/sort_plan.h"

/*
 * How elements (complex: each part) become keys: bits are xored with `negative` or `positive`, as
 * their sign bit says, and `shift` is subtracted, which brings NaN of either sign behind all numbers
 * and loses nothing. Keys are compared by their order: that of -0.0 is that of 0.0, all NaN have the
 * highest, and for descending rows it is inverted by `flip`.
 */
typedef struct gndi_sort_rule {
    uint64_t top, negative, positive, shift;
    uint64_t negative_zero, zero; /* keys; both 0 if there is no -0.0 */
    uint64_t last;                /* the largest key of a number */
    uint64_t flip;                /* all ones, or 0 */
} gndi_sort_rule;

/* The classes of keys, by what an element is: an object each. */
enum { GNDI_SORT_1, GNDI_SORT_2, GNDI_SORT_4, GNDI_SORT_8, GNDI_SORT_C8, GNDI_SORT_C16, GNDI_SORT_CLASSES };

/* ---- radix passes (sort_radix.cuh) ----------------------------------------------------------- */

enum {
    GNDI_SORT_DIGITS = 256,
    GNDI_SORT_MOST_PASSES = 16,
    GNDI_SORT_COUNT_THREADS = 512,
    GNDI_SORT_COUNT_EACH = 8, /* elements that a thread has in flight */
    GNDI_SORT_WIDE_THREADS = 1024,
};

/* Where a pass reads and where it writes, for each row: `from` + 4 * `to`. */
enum {
    GNDI_SORT_OPERAND = 0, /* in; out and indices */
    GNDI_SORT_FIRST = 1,   /* scratch[0] */
    GNDI_SORT_SECOND = 2,  /* scratch[1] */
    GNDI_SORT_SKIPPED = 255,
};

/* Dense keys and positions between passes; row r begins at r * step of each. */
typedef struct gndi_sort_scratch {
    char *keys, *positions;
    int64_t key_step, position_step;
} gndi_sort_scratch;

/* A launch takes the elements first .. first + count - 1 of plan.rows rows from first_row on, in
   tiles. Scratch, bins and roles are of those rows. */
typedef struct gndi_sort_radix {
    gndi_sort_plan plan;
    gndi_sort_rule rule;
    gndi_sort_scratch scratch[2];
    unsigned long long *bins;       /* [row][pass][digit]: how many, then where they begin */
    unsigned long long *bins_after; /* the same for the next portion */
    uint8_t *role;                  /* [row][pass] */
    uint32_t *counted;              /* [row]: parts that have been */
    uint32_t *counter;              /* counts out this launch's tiles */
    uint32_t *looks, *next_looks;   /* [tile][digit]: what tiles tell each other; the next launch's */
    int64_t first_row, first, count, next_words;
    uint32_t row_tiles;
    int32_t pass, passes;
    int32_t parts; /* of a row, while counting */
    bool more;     /* portions of the rows follow */
    bool in_place; /* the operands share memory: no single pass, */
    bool even;     /* and no odd number of passes */
    bool gathers;  /* the elements are in[start[0]], in[start[1]], ... */
    bool narrow;   /* indices are made in 4 bytes, of dense rows */
    uint32_t *narrow_indices;
    int64_t *verdict; /* the host's: 1: the first elements span fewer than worthwhile, and nothing is done;
                         else 0; NULL: it does not ask */
} gndi_sort_radix;

typedef struct gndi_sort_radix_kernels {
    const void *count[2], *wide[2], *pass[2]; /* without and with positions; wide: counts, too */
    int tile[2], threads[2];                  /* of passes */
    int count_bytes, wide_bytes;              /* shared memory */
    int key_bytes;
} gndi_sort_radix_kernels;

/* ---- rows that a block sorts (sort_block.cuh) ------------------------------------------------ */

/* A block takes as many rows, rounded up to 2^log_length elements, as it has room for. */
typedef struct gndi_sort_block {
    gndi_sort_plan plan;
    gndi_sort_rule rule;
    int32_t log_length;
    bool in_across, out_across; /* neighbouring threads take elements of neighbouring rows */
    bool gathers;               /* the elements are in[start[0]], in[start[1]], ... */
} gndi_sort_block;

/* A kernel, what its blocks hold, and what it needs. NULL: there is none. */
typedef struct gndi_sort_block_kernel {
    const void *kernel;
    int log_tile, threads, shared_bytes;
} gndi_sort_block_kernel;

/* Small and large blocks; without indices and with. */
typedef struct gndi_sort_block_kernels {
    gndi_sort_block_kernel of[2][2];
} gndi_sort_block_kernels;

/* ---- selection and partition (sort_split.cuh) ------------------------------------------------ */

enum {
    GNDI_SORT_SELECT_BITS = 11,
    GNDI_SORT_SELECT_BINS = 1 << GNDI_SORT_SELECT_BITS,
    GNDI_SORT_SELECT_LIST = 8192, /* keys that are worth a list */
    GNDI_SORT_SELECT_THREADS = 512,
    GNDI_SORT_SPLIT_THREADS = 256,
    GNDI_SORT_SPLIT_EACH = 16,
};

/* What is known of a row's key of a rank. */
typedef struct gndi_sort_choice {
    uint64_t low, high;   /* the upper bits of its order */
    int64_t rank;         /* among those that have the same upper bits */
    int64_t less, inside; /* how many are below those, and how many they are */
    uint32_t finished, listed;
    int32_t stage, unused;
} gndi_sort_choice;

/* A launch takes plan.rows rows from first_row on. Memory is of those rows; what begins as zeros:
   choices, counter, bins, looks. */
typedef struct gndi_sort_split {
    gndi_sort_plan plan;
    gndi_sort_rule rule;
    int64_t rank;              /* which key divides a row */
    gndi_sort_choice *choices; /* [row] */
    unsigned long long *bins;  /* [row][GNDI_SORT_SELECT_BINS] */
    char *lists;               /* [row][list_capacity] orders */
    unsigned long long *looks; /* [row][tile] */
    uint32_t *counter;
    uint32_t row_tiles;
    int32_t parts; /* of a row, while selecting */
    int32_t level;
    int32_t list_capacity; /* GNDI_SORT_SELECT_LIST, but no more than a row has */
    int64_t first_row;
} gndi_sort_split;

typedef struct gndi_sort_split_kernels {
    const void *select, *split;
    int levels, order_bytes;
} gndi_sort_split_kernels;

/* ---- the first few of rows (sort_first.cuh) -------------------------------------------------- */

enum { GNDI_SORT_FIRST_THREADS = 256, GNDI_SORT_FIRST_MOST = 32 };

/* Each row is cut into `parts`, of which each stores its first plan.keep elements, one part behind the other. */
typedef struct gndi_sort_first {
    gndi_sort_plan plan;
    gndi_sort_rule rule;
    int64_t parts;
    bool shares; /* a block takes a part, else a warp */
} gndi_sort_first;

/* ---- tables --------------------------------------------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif
extern const gndi_sort_block_kernels gndi_sort_block_1, gndi_sort_block_2, gndi_sort_block_4, gndi_sort_block_8,
    gndi_sort_block_c8, gndi_sort_block_c16;
extern const gndi_sort_split_kernels gndi_sort_split_1, gndi_sort_split_2, gndi_sort_split_4, gndi_sort_split_8,
    gndi_sort_split_c8, gndi_sort_split_c16;
extern const void *const gndi_sort_first_1,
    *const gndi_sort_first_2, *const gndi_sort_first_4, *const gndi_sort_first_8, *const gndi_sort_first_c8,
                                                                                      *const gndi_sort_first_c16;
extern const gndi_sort_radix_kernels gndi_sort_radix_1, gndi_sort_radix_2, gndi_sort_radix_4, gndi_sort_radix_8,
    gndi_sort_radix_c8, gndi_sort_radix_c16, gndi_sort_radix_w4, gndi_sort_radix_w8;
#ifdef __cplusplus
}
#endif

#endif
