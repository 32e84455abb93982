/*
 * chunk_cuda.c: a chunk of a signal joined to what is kept of the chunks before, on CUDA, in one launch.
 */
#include "resample/cuda/chunk_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_chunk_kernel(int item); /* chunk_kernels.cu */

gnd_status gndi_cuda_chunk(gnd_stream *s, const gndi_chunk_plan *plan, const char *fn) {
    enum { SPAN = GNDI_CHUNK_THREADS * GNDI_CHUNK_ITEMS };
    gndi_chunk_params p = {.plan = *plan};
    /* The first block of a line has what is kept, unless all of that comes from x. */
    p.shifts = plan->n < plan->keeps;
    p.parts = p.shifts ? 1 + gndi_ceil_div(plan->n * plan->width, SPAN)
                       : gndi_max(1, gndi_ceil_div((plan->keeps + plan->n) * plan->width, SPAN));
    return gndi_cuda_launch_early(s, gndi_cuda_chunk_kernel(plan->item), plan->grid.lines * p.parts, GNDI_CHUNK_THREADS,
                                  0, &p, fn);
}
