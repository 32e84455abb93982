/*
 * isin_cuda.c: which values are in a line that is in no order, on a GPU: the line's elements are put
 * into a set, then the values are looked up by as many blocks as fill the card.
 */
#include "sets/cuda/isin_params.h"
#include "runtime/hooks.h"
#include "runtime/cuda/runtime_cuda.h"

enum { BLOCKS_RESIDENT = 8 /* on a multiprocessor */, FEWEST = 1024 /* slots */ };

static gnd_status launch(gnd_stream *s, const void *kernel, int64_t elements, int each, gndi_isin_params *p,
                         const char *fn) {
    const int64_t share = (int64_t)GNDI_ISIN_THREADS * each;
    const int64_t wanted = (elements + share - 1) / share;
    const int64_t resident = (int64_t)s->device->processors * BLOCKS_RESIDENT;
    const int64_t blocks = wanted < resident ? wanted : resident;
    return gndi_cuda_launch(s, kernel, blocks, GNDI_ISIN_THREADS, 0, p, fn);
}

gnd_status gndi_cuda_isin(gnd_stream *s, const gndi_search_plan *plan, const char *fn) {
    gndi_isin_params p = {.plan = *plan};
    uint64_t slots = FEWEST;
    while (slots < 2 * (uint64_t)plan->length) slots *= 2;
    const size_t bytes = (slots + 1) * (size_t)gndi_cuda_isin_slot(plan->dtype);
    gndi_buffer *buffer = gndi_buffer_new(fn, s, bytes);
    if (!buffer) return GND_ERROR_MEMORY;
    p.slots = buffer->base, p.mask = slots - 1;
    const cudaError_t error = cudaMemsetAsync(p.slots, 0xff, bytes, (cudaStream_t)s->native);
    gnd_status status = gndi_cuda_check((int)error, fn, "clearing a set");
    if (!status && plan->length > 0)
        status = launch(s, gndi_cuda_isin_fill_kernel(plan->dtype), plan->length, 1, &p, fn);
    if (!status) status = launch(s, gndi_cuda_isin_look_up_kernel(plan->dtype), plan->points, GNDI_ISIN_EACH, &p, fn);
    gndi_buffer_release(buffer);
    return status;
}
