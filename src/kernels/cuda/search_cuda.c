/*
 * search_cuda.c: searches on a GPU: as many blocks as fill the card, which share the values out.
 */
#include "kernels/cuda/search_params.h"
#include "runtime/backend_kernels.h"
#include "runtime/runtime_cuda.h"

_Static_assert((int)GNDI_SEARCH_FAULT_INDEX == (int)GNDI_FAULT_INDEX, "the fault of positions");
_Static_assert((int)GNDI_SEARCH_FAULT_BINS == (int)GNDI_FAULT_BINS, "the fault of bins");

enum { BLOCKS_RESIDENT = 8 }; /* on a multiprocessor */

gnd_status gndi_cuda_search(gnd_stream *s, const gndi_search_plan *plan, const char *fn) {
    gndi_search_params p = {.plan = *plan, .fault = (gndi_fold_fault *)s->device->fault};
    if (plan->unsorted) return gndi_cuda_member(s, plan, fn);
    if (plan->curve) p.curve = *plan->curve;
    if (plan->length > 0) p.log_top = 63 - __builtin_clzll((uint64_t)plan->length);
    const int64_t share = GNDI_SEARCH_THREADS * GNDI_SEARCH_EACH;
    const int64_t wanted = (plan->points + share - 1) / share;
    const int64_t resident = (int64_t)s->device->processors * BLOCKS_RESIDENT;
    const int64_t blocks = wanted < resident ? wanted : resident;
    const void *kernel =
        plan->curve ? gndi_cuda_curve_kernel() : gndi_cuda_search_kernel(plan->dtype);
    void *arguments[] = {&p};
    const cudaError_t error =
        cudaLaunchKernel(kernel, (dim3){(unsigned)blocks, 1, 1}, (dim3){GNDI_SEARCH_THREADS, 1, 1},
                         arguments, 0, (cudaStream_t)s->native);
    if (error) cudaGetLastError(); /* told here, and not again */
    return gndi_cuda_check((int)error, fn, "searching");
}
