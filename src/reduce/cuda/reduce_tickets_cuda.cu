// reduce_tickets_cuda.cu: the tickets of all reductions, which no kernels come with.
#include "reduce/cuda/reduce_params.h"

extern "C" void gndi_cuda_use(const void *symbol); // runtime/cuda/runtime_cuda.h

static __device__ __align__(8) unsigned tickets[64 * GNDI_REDUCE_TICKETS];

unsigned *gndi_reduce_tickets(void) {
    void *address = nullptr;
    gndi_cuda_use(tickets);
    return cudaGetSymbolAddress(&address, tickets) == cudaSuccess ? (unsigned *)address : nullptr;
}
