/*
 * reduce_count_cuda.cu: the kernels of ANY, ALL and COUNT by the dtype of the input (integers of
 * one size are zero alike, and so are both halves), and the tickets of all reductions.
 */
#include "reduce/cuda/reduce_kernels.cuh"

using namespace gnd;

const gndi_reduce_kernels gndi_reduce_count_kernels[16] = {
    {},
    kernels_of<reduce_count<uint8_t>>(),
    kernels_of<reduce_count<uint8_t>>(),
    kernels_of<reduce_count<uint8_t>>(),
    kernels_of<reduce_count<uint16_t>>(),
    kernels_of<reduce_count<uint16_t>>(),
    kernels_of<reduce_count<uint32_t>>(),
    kernels_of<reduce_count<uint32_t>>(),
    kernels_of<reduce_count<uint64_t>>(),
    kernels_of<reduce_count<uint64_t>>(),
    kernels_of<reduce_count<float16>>(),
    kernels_of<reduce_count<float16>>(),
    kernels_of<reduce_count<float>>(),
    kernels_of<reduce_count<double>>(),
    kernels_of<reduce_count<complex<float>>>(),
    kernels_of<reduce_count<complex<double>>>(),
};

static __device__ __align__(8) unsigned tickets[64 * GNDI_REDUCE_TICKETS];

unsigned *gndi_reduce_tickets(void) {
    void *address = nullptr;
    return cudaGetSymbolAddress(&address, tickets) == cudaSuccess ? (unsigned *)address : nullptr;
}
