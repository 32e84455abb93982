/*
 * reduce_params.h: what the host's selector (reduce_cuda.c, reduce_layout_cuda.c) and the reduction
 * kernels (reduce_*.cu) agree on: the parameter blocks and the tables of kernels. C and C++.
 */
#ifndef GNDI_REDUCE_PARAMS_H
#define GNDI_REDUCE_PARAMS_H

#include "runtime/fault.h"
#include <stdint.h>

#define GNDI_REDUCE_THREADS 256                       /* in a block (FLAT: up to 512) */
#define GNDI_REDUCE_AXES 4                            /* that a specialised kernel takes in each group */
#define GNDI_REDUCE_MAX_AXES 64                       /* that the mixed kernels take, of both groups together */
#define GNDI_REDUCE_TILE 16384                        /* bytes of short rows that a block holds in shared memory */
#define GNDI_REDUCE_SHARING 4096                      /* most blocks of a launch where some share outputs */
#define GNDI_REDUCE_TICKETS (2 * GNDI_REDUCE_SHARING) /* for each stream */

/* Of `many_rows`: vectors in flight, blocks on a multiprocessor. 250 runs of 1000 floats for each of
   400 outputs: 99 us, and with twice as many in flight 123 (m). */
#define GNDI_REDUCE_FLIGHT 4
#define GNDI_REDUCE_RESIDENT 4
#define GNDI_REDUCE_SINGLE_RUN_THREADS 512 /* of `single_run`; its blocks on a multiprocessor: */
#define GNDI_REDUCE_SINGLE_RUN_RESIDENT 2

/*
 * How the work is laid out. Outputs are numbered in the order of the kept axes, and come in groups
 * that a block works on side by side. The reduced axes are runs of `run` elements (or rows), each
 * cut into `parts` parts of `part`; there are `pieces` parts in all. Block b is member b / groups
 * of group b % groups, so that the blocks at work at one time read what lies together. It takes the
 * pieces member, member + members, ...; or, `interleaved`, its batches of every piece: batch
 * member, member + members, ... Members leave a line of accumulators each in memory, and the last
 * to come joins the lines, in the members' order.
 */
typedef struct gndi_reduce_params {
    const char *in;
    char *out;
    const char *start_data; /* NULL: start */
    char *partials;         /* a line of accumulators for each block */
    unsigned *tickets;      /* a group's, then a line's; 0 before and after; a multiple of 8 */
    int *fault;
    int64_t outputs, length; /* COLUMNS: outputs are packs */
    int64_t run, run_step, part, pieces;
    int32_t groups, members, parts, interleaved;
    int32_t bundle;                /* lines that are joined at a time */
    int32_t lanes;                 /* threads that share an output; a power of two */
    int32_t run_lanes;             /* of these, threads that share a run; the others take other pieces */
    int32_t across;                /* outputs (packs) of a group, side by side */
    int32_t lanes_inner;           /* lanes are neighbouring threads (ROWS); else outputs are */
    int32_t kept_ndim, outer_ndim; /* outer: the reduced axes before the run */
    int64_t kept_shape[GNDI_REDUCE_AXES], kept_in[GNDI_REDUCE_AXES], kept_out[GNDI_REDUCE_AXES];
    int64_t outer_shape[GNDI_REDUCE_AXES], outer_in[GNDI_REDUCE_AXES];
    /* ARG*: the index of an output's first element, a step along the run, and along the rest. */
    int64_t index_base, index_step, outer_index[GNDI_REDUCE_AXES];
    /* COLUMNS: an axis of `columns` outputs in packs; the first pack has `before` elements too
       many at its front. FLAT: the number of columns. */
    int64_t columns, column_out;
    const char *in_end; /* behind the last element of all */
    int32_t before, edges /* there are packs that are not whole */;
    int64_t second; /* products: how far behind the first operand the second one lies, in bytes */
    double divisor, ddof, power;
    uint64_t start[2]; /* the bytes of a gndi_scalar */
    uint8_t has_start, start_dtype, out_dtype, signed_sum;
    uint8_t dense_out; /* outputs follow each other, 16-byte aligned: store vectors */
    uint8_t store_as;  /* COUNT: 0 the count, 1 whether any, 2 whether all;
                          RANGE: 0 the smallest, 1 the largest, 2 their difference */
    uint8_t finish;    /* a gndi_reduce_finish */
    uint8_t skip_nan;
    uint8_t reversed;  /* ARGMIN */
    uint8_t conjugate; /* products: of the first operand */
} gndi_reduce_params;

enum { GNDI_STORE_COUNT = 0, GNDI_STORE_ANY = 1, GNDI_STORE_ALL = 2 };
enum { GNDI_STORE_SMALLEST = 0, GNDI_STORE_LARGEST = 1, GNDI_STORE_RANGE = 2 };

/* The mixed kernels': any number of axes, any strides, cast and mapped on load, masked. */
typedef struct gndi_reduce_mixed {
    gndi_reduce_params base;
    const char *second, *mask; /* NULL: none */
    int64_t second_step, mask_step;
    double power;
    uint8_t in_dtype, loop, map;
    uint8_t vectors;        /* a thread's elements are neighbours, aligned for 16-byte loads */
    uint8_t second_vectors; /* those of the second operand, and of the mask, too */
    uint8_t mask_vectors;
    uint8_t boolean; /* the loop is bool: what is not zero counts as 1 */
    /* The kept axes, then the outer ones; `result`: out's strides along the former, the steps of
       ARG*'s index along the latter. */
    int64_t shape[GNDI_REDUCE_MAX_AXES], in_stride[GNDI_REDUCE_MAX_AXES], second_stride[GNDI_REDUCE_MAX_AXES],
        mask_stride[GNDI_REDUCE_MAX_AXES], result_stride[GNDI_REDUCE_MAX_AXES];
} gndi_reduce_mixed;

/* The kernels for one kind of element; all take a gndi_reduce_params. */
typedef struct gndi_reduce_kernels {
    const void *rows;                   /* runs of contiguous elements: 16-byte vectors along the run */
    const void *many_rows;              /* the same: outputs of several runs, which are mostly not that long */
    const void *single_run;             /* the same: one long run of one output; NULL: as `rows` */
    const void *whole_rows;             /* the same: an output is one short enough run that nobody shares */
    const void *columns;                /* contiguous outputs: a vector of them a thread */
    const void *few_rows;               /* up to three dense rows of dense outputs, stored as vectors */
    const void *scattered;              /* any strides: one element at a time */
    const void *short_rows;             /* dense rows of a few elements, through shared memory */
    const void *flat;                   /* dense narrow columns, read as one stream */
    uint8_t accumulator;                /* its size in bytes */
    uint8_t column_vector, flat_vector; /* elements */
    uint8_t out_size;                   /* of the natural output, which `columns` may store as vectors */
    uint8_t flight, rows_resident;      /* of `rows`: vectors in flight, blocks on a multiprocessor */
    uint8_t columns_flight, columns_resident, flat_resident; /* the same of `columns`, of `flat` */
    uint16_t flat_threads;
} gndi_reduce_kernels;

/* A mixed kernel; it takes a gndi_reduce_mixed. */
typedef struct gndi_reduce_mixed_kernel {
    const void *kernel;
    const void *short_rows; /* dense rows of a few elements, through shared memory */
    uint8_t accumulator;
    uint8_t resident; /* blocks at a time on a multiprocessor */
    uint32_t sources; /* the dtypes that it loads, a bit each */
} gndi_reduce_mixed_kernel;

/* What the mixed kernels compute in. REAL_OF_*: elements are complex, mapped to real numbers. */
enum gndi_reduce_class {
    GNDI_CLASS_INT64,
    GNDI_CLASS_UINT64,
    GNDI_CLASS_FLOAT32,
    GNDI_CLASS_FLOAT64,
    GNDI_CLASS_COMPLEX64,
    GNDI_CLASS_COMPLEX128,
    GNDI_CLASS_REAL_OF_COMPLEX64,
    GNDI_CLASS_REAL_OF_COMPLEX128,
    GNDI_CLASSES
};

#ifdef __cplusplus
extern "C" {
#endif

/* By input dtype. NULL members: there is no such kernel. The large arrays are compiled in parts, each with the rows
   of its dtypes; those of float64 are in reduce_tables.h. */
#define GNDI_REDUCE_EACH_PART(array)                                                                                   \
    array##_bytes, array##_shorts, array##_words, array##_longs, array##_halves, array##_floats, array##_complexes
#define GNDI_REDUCE_DECLARE(array)                                                                                     \
    extern const gndi_reduce_kernels array##_bytes[16], array##_shorts[16], array##_words[16], array##_longs[16],      \
        array##_halves[16], array##_floats[16], array##_complexes[16]
GNDI_REDUCE_DECLARE(gndi_reduce_sum_kernels);
GNDI_REDUCE_DECLARE(gndi_reduce_product_kernels);
GNDI_REDUCE_DECLARE(gndi_reduce_minimum_kernels);
GNDI_REDUCE_DECLARE(gndi_reduce_maximum_kernels);
GNDI_REDUCE_DECLARE(gndi_reduce_count_kernels);
extern const gndi_reduce_kernels gndi_reduce_fmin_kernels_halves[16], gndi_reduce_fmin_kernels_floats[16],
    gndi_reduce_fmax_kernels_halves[16], gndi_reduce_fmax_kernels_floats[16];
extern const gndi_reduce_kernels gndi_reduce_squares_kernels[16], gndi_reduce_variance_kernels[16],
    gndi_reduce_index_kernels[16], gndi_reduce_dot_kernels[16];
/* By class; sums are in uint64 whatever the integers, counts only there. Extents: MINIMUM, MAXIMUM and RANGE; indices:
   ARGMIN and ARGMAX; dots: sums of products of two operands. Sums, means, extents, indices and variances are in three
   parts: float64 and complex elements are apart (here, or in reduce_tables.h). */
extern const gndi_reduce_mixed_kernel gndi_reduce_mixed_sums_real[GNDI_CLASSES],
    gndi_reduce_mixed_sums_complex[GNDI_CLASSES], gndi_reduce_mixed_dots[GNDI_CLASSES],
    gndi_reduce_mixed_products[GNDI_CLASSES], gndi_reduce_mixed_means[GNDI_CLASSES],
    gndi_reduce_mixed_extents_real[GNDI_CLASSES], gndi_reduce_mixed_extents_complex[GNDI_CLASSES],
    gndi_reduce_mixed_indices[GNDI_CLASSES], gndi_reduce_mixed_variances[GNDI_CLASSES],
    gndi_reduce_mixed_counts[GNDI_CLASSES];

/* The tickets on the current device: GNDI_REDUCE_TICKETS for each of `GNDI_MAX_STREAMS` slots. */
unsigned *gndi_reduce_tickets(void);

#ifdef __cplusplus
}
#endif

#endif
