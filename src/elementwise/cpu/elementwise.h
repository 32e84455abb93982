/*
 * elementwise.h: what the two halves of the CPU's elementwise driver share: elementwise.c (dense,
 * rows, flat) and elementwise_blocks.c (transposed operands).
 */
#ifndef GNDI_CPU_ELEMENTWISE_H
#define GNDI_CPU_ELEMENTWISE_H

#include "elementwise/cpu/cpu_kernels.h"
#include "elementwise/plan.h"
#include "runtime/hooks.h"
#include "runtime/runtime.h"

enum {
    EW_BUFFER_BYTES = 32768, /* one operand's block (elementwise_blocks.c); tiles are shorter */
    EW_TILE_BYTES = 8192,    /* one operand's tile */
    EW_TILE_MOST = 4096,     /* elements */
    EW_NEAR = 16 << 10,      /* a row of at most so many bytes stays in the nearest cache, */
    EW_CACHED = 256 << 10,   /* and one of so many in the next, */
    EW_SECOND = 768 << 10,   /* which holds operands of so many together */
    EW_LARGE = 24 << 20,     /* results of at least this many bytes bypass the caches */
};

typedef struct ew_operand {
    char *data;
    uint8_t dtype, loop_dtype;
    uint8_t itemsize, loop_itemsize;
    uint8_t size_log2, loop_size_log2;
    bool repeated;      /* a number: `data` is one element of the loop's dtype */
    bool flat;          /* dense over the whole index space, and of the loop's dtype */
    bool periodic;      /* the same in every row (flat tiles) */
    bool transposed;    /* read block by block along the job's row_axis */
    gndi_cpu_cast cast; /* into the loop's dtype, or for outputs out of it; NULL: the same dtype */
    int64_t step;       /* stride along the fastest axis */
    int64_t stride[GND_MAX_DIMS];
} ew_operand;

typedef struct ew_job {
    const gndi_ew_plan *plan;
    const gndi_cpu_kernels *kernels;
    gndi_cpu_kernel kernel;
    const double *params; /* the plan's, or gndi_cpu_repeated */
    int nout, nin, count; /* count: with the mask */
    bool checked, is_copy;
    bool streams;                  /* write past the caches */
    const gndi_cpu_gather *gather; /* how strided operands are brought in */
    int64_t tile;                  /* elements in a tile */
    int widest;                    /* bytes of the widest element, in memory or in the loop */
    atomic_int fault;
    /* elementwise_blocks.c: */
    int row_axis, row_itemsize;
    int64_t block_rows, block_columns, row_blocks, bands;
    ew_operand operand[GNDI_MAX_OPERANDS];
} ew_job;

/* Tile buffers of one thread, on its stack. */
typedef struct ew_buffers {
    _Alignas(64) char operand[GNDI_MAX_OPERANDS][EW_BUFFER_BYTES];
    _Alignas(64) char scratch[EW_BUFFER_BYTES];
} ew_buffers;

/* Whether some input is best read along another axis than the output is written; notes how. */
bool ew_blocks_suit(ew_job *job);
void ew_run_blocks(ew_job *job);
/* One run of n <= tile elements along the fastest axis: operand k starts at p[k]. Where `ready` is
   given and ready[k] is not NULL, dense elements of the loop's dtype are there already. */
void ew_do_run(ew_job *job, char *const *p, char *const *ready, int64_t n, ew_buffers *buffers);
/* Whether a plan's results are best looked up in a table of all there are. */
bool ew_lookup_suits(const gndi_ew_plan *plan);
/* Makes the table, by the job's kernel, whose dtype is `loop`, and gives the job the kernel that looks up, on operands
   of their own dtypes. The table is for gndi_free; NULL and an error without memory. */
void *ew_lookup_begin(ew_job *job, gnd_dtype loop, const char *fn);
/* Whether runs are copied, cast or not, from where they lie to where they go. */
bool ew_copies_directly(const ew_job *job);
/* Repeats numbers into their buffers, once for runs of up to n elements. */
void ew_fill_repeated(const ew_job *job, int64_t n, ew_buffers *buffers);
/* The kernel on dense operands, where `mask` (NULL: everywhere) is not 0; a fault is noted. */
void ew_compute(ew_job *job, char **dense, const uint8_t *mask, int64_t n);
/* Each of `rows` elements, `stride` bytes apart, `times` times in a row: short rows of a broadcast
   operand, for which a call each would be expensive. */
void ew_repeat_each(int size_log2, const char *from, int64_t stride, int64_t times, char *to, int64_t rows);

#endif
