/*
 * reduce_layout.h: a reduction's launch as it is put together: reduce_cuda.c and reduce_dense_cuda.c
 * choose the kernel, reduce_layout_cuda.c decides how many threads and blocks share an output.
 */
#ifndef GNDI_REDUCE_LAYOUT_H
#define GNDI_REDUCE_LAYOUT_H

#include "reduce/cuda/reduce_params.h"
#include "reduce/reduce_plan.h"
#include "runtime/runtime.h"

typedef struct gndi_reduce_launch {
    gndi_reduce_mixed mixed; /* its base is what all kernels take */
    const void *kernel;
    unsigned threads;
    int processors, resident; /* blocks at a time on each */
    int line;                 /* accumulators that a member leaves behind */
    int accumulator;          /* bytes */
    int least_packs;          /* of a run for each thread, before more threads share it */
    int most_lanes;           /* threads of a block that share a column */
} gndi_reduce_launch;

/* Whole numbers, and bool. */
static inline bool gndi_is_whole(int dtype) {
    return dtype == GND_BOOL || gndi_dtype_is_int(dtype);
}
/* The greatest common divisor. */
static inline int gndi_common_divisor(int a, int b) {
    return b ? gndi_common_divisor(b, a % b) : a;
}

/* The stream's own tickets, GNDI_REDUCE_TICKETS, on its device: work in one stream does not overlap. */
gnd_status gndi_reduce_find_tickets(const gnd_stream *s, unsigned **tickets, const char *fn);
/* The dense kernels for a plan; NULL if it needs a mixed one. */
const gndi_reduce_kernels *gndi_reduce_dense_kernels(const gndi_reduce_plan *plan);
/* Picks a dense kernel and lays its work out; of sums of products, that of operands that lie alike.
   False: there is none. */
bool gndi_reduce_choose_dense(gndi_reduce_launch *l, const gndi_reduce_plan *plan);
bool gndi_reduce_choose_products(gndi_reduce_launch *l, const gndi_reduce_plan *plan);
/* The bits that an operand's address and strides have set: what they are aligned to. */
uintptr_t gndi_reduce_alignment(const gndi_reduce_plan *plan, const struct gndi_reduce_operand *operand, bool skip_kept,
                                bool skip_run);
/* Whether the input is one stream of rows of a few elements each. */
bool gndi_reduce_has_short_rows(const gndi_reduce_launch *l, const gndi_reduce_plan *plan, int size);

/* Threads along the reduced run, neighbours in the block; `vector` elements of `size` bytes a load,
   `flight` loads in flight. */
void gndi_reduce_lay_out_rows(gndi_reduce_launch *l, int vector, int flight, int size);
/* Threads along the outputs (packs of `vector`), and several rows of the block along the run. */
void gndi_reduce_lay_out_columns(gndi_reduce_launch *l, int vector, int flight, int size);
/* Dense rows of a few elements; `gaps`: the kernel spreads them over the banks of shared memory. */
void gndi_reduce_lay_out_short_rows(gndi_reduce_launch *l, int size, bool gaps);
/* Dense narrow columns, for at most `threads` threads. */
void gndi_reduce_lay_out_flat(gndi_reduce_launch *l, int columns, int vector, int size, int threads);

#endif
