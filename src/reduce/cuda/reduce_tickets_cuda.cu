// reduce_tickets_cuda.cu: the tickets of all reductions, which no kernels come with.
#include "reduce/cuda/reduce_params.h"

static __device__ __align__(8) unsigned tickets[64 * GNDI_REDUCE_TICKETS];

unsigned *gndi_reduce_tickets(void) {
    void *address = nullptr;
    return cudaGetSymbolAddress(&address, tickets) == cudaSuccess ? (unsigned *)address : nullptr;
}
