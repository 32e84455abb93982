/*
 * reduce_params.h: what the host's selector (reduce_cuda.c) and the reduction kernels (reduce_*.cu)
 * agree on: the parameter block and the table of kernels. C and C++.
 */
#ifndef GNDI_REDUCE_PARAMS_H
#define GNDI_REDUCE_PARAMS_H

#include <stdint.h>

#define GNDI_REDUCE_THREADS 256 /* in a block (FLAT: up to 512) */
#define GNDI_REDUCE_AXES 4      /* that a specialised kernel takes in each group */
#define GNDI_REDUCE_MAX_AXES 32 /* that the general kernel takes */
#define GNDI_REDUCE_TILE 16384  /* bytes of short rows that a block holds in shared memory */
#define GNDI_REDUCE_GROUPS 4096 /* of blocks that may share outputs: tickets for each stream */

/*
 * How the work is laid out. Outputs are numbered in the order of the kept axes; the reduced axes
 * are `segments` runs of `run` elements (or rows) `run_step` bytes apart, each cut into `parts`
 * parts of `part`: a unit is one part of one segment. Blocks come in groups that share outputs:
 * block b is member b / groups of group b % groups, and takes the units member, member + members,
 * ...
 */
typedef struct gndi_reduce_params {
    const char *in;
    char *out;
    const char *start_data; /* NULL: start */
    char *partials;         /* one accumulator for each member and output of the group */
    unsigned *tickets;      /* one a group, 0 before and after */
    int64_t outputs, length;
    int64_t run, run_step, part;
    int64_t segments, units;
    int32_t parts, groups, members;
    int32_t lanes;       /* threads that share an output; a power of two */
    int32_t across;      /* outputs of a block, side by side (times the vector in COLUMNS) */
    int32_t lanes_inner; /* lanes are neighbouring threads (ROWS); else outputs are */
    int32_t kept_ndim, outer_ndim; /* outer: the reduced axes before the run */
    int64_t kept_shape[GNDI_REDUCE_AXES], kept_in[GNDI_REDUCE_AXES], kept_out[GNDI_REDUCE_AXES];
    int64_t outer_shape[GNDI_REDUCE_AXES], outer_in[GNDI_REDUCE_AXES];
    double divisor;
    uint64_t start[2]; /* the bytes of a gndi_scalar */
    uint8_t has_start, start_dtype, out_dtype, signed_sum;
    uint8_t dense_out; /* outputs follow each other, 16-byte aligned: store vectors */
    uint8_t count_as;  /* COUNT: 0 the count, 1 whether any, 2 whether all */
} gndi_reduce_params;

/* The general kernel's: any number of axes, any strides, cast on load, masked. */
typedef struct gndi_reduce_general {
    gndi_reduce_params base;
    const char *mask; /* NULL: none */
    int64_t mask_step;
    uint8_t in_dtype, loop;
    int64_t kept_shape[GNDI_REDUCE_MAX_AXES], kept_in[GNDI_REDUCE_MAX_AXES],
        kept_out[GNDI_REDUCE_MAX_AXES], kept_mask[GNDI_REDUCE_MAX_AXES];
    int64_t outer_shape[GNDI_REDUCE_MAX_AXES], outer_in[GNDI_REDUCE_MAX_AXES],
        outer_mask[GNDI_REDUCE_MAX_AXES];
} gndi_reduce_general;

/* The kernels for one kind of element; all take a gndi_reduce_params. */
typedef struct gndi_reduce_kernels {
    const void *rows;       /* runs of contiguous elements: 16-byte vectors along the run */
    const void *columns;    /* contiguous outputs: a vector of them a thread */
    const void *scattered;  /* any strides: one element at a time */
    const void *short_rows; /* dense rows of a few elements, through shared memory */
    const void *flat;       /* dense narrow columns, read as one stream */
    uint8_t accumulator;    /* its size in bytes */
    uint8_t column_vector, flat_vector; /* elements */
    uint8_t out_size; /* of the natural output, which `columns` may store as vectors */
} gndi_reduce_kernels;

#ifdef __cplusplus
extern "C" {
#endif

/* By input dtype. NULL members: there is no such kernel. */
extern const gndi_reduce_kernels gndi_reduce_sum_kernels[16], gndi_reduce_product_kernels[16],
    gndi_reduce_minimum_kernels[16], gndi_reduce_maximum_kernels[16], gndi_reduce_count_kernels[16];
/* By loop dtype: general kernels, which take a gndi_reduce_general. */
extern const void *const gndi_reduce_sum_general[16],
    *const gndi_reduce_product_general[16], *const gndi_reduce_minimum_general[16],
                                                *const gndi_reduce_maximum_general[16],
                                                    *const gndi_reduce_count_general[16];

/* The tickets on the current device: GNDI_REDUCE_GROUPS for each of `GNDI_MAX_STREAMS` slots. */
unsigned *gndi_reduce_tickets(void);

#ifdef __cplusplus
}
#endif

#endif
