// The few kernels that ew_kernels.c times, in place of all families; what is tuned comes by -D.
#define GNDI_FAMILY none
#include "kernels/cuda/elementwise_family.cuh"

using namespace gnd;

#define EMPTY_FAMILY(family)                                                                       \
    extern "C" void gndi_cuda_fill_##family(gndi_cuda_table *) {}
EMPTY_FAMILY(integer)
EMPTY_FAMILY(power)
EMPTY_FAMILY(rounding)
EMPTY_FAMILY(extremum)
EMPTY_FAMILY(trig)
EMPTY_FAMILY(hyperbolic)
EMPTY_FAMILY(floating)
EMPTY_FAMILY(bitwise)
EMPTY_FAMILY(special)

extern "C" void gndi_cuda_fill_move(gndi_cuda_table *table) {
    fill_loop<GNDI_OP_copy, GND_FLOAT32>(*table);
    fill_loop<GNDI_OP_copy, GND_FLOAT64>(*table);
    fill_loop<GNDI_OP_copy, GND_UINT8>(*table);
}
extern "C" void gndi_cuda_fill_arith(gndi_cuda_table *table) {
    fill_loop<GNDI_OP_add, GND_FLOAT32>(*table);
    fill_loop<GNDI_OP_add, GND_FLOAT64>(*table);
    fill_loop<GNDI_OP_add, GND_FLOAT16>(*table);
    fill_loop<GNDI_OP_add, GND_UINT8>(*table);
    fill_loop<GNDI_OP_multiply, GND_COMPLEX64>(*table);
}
extern "C" void gndi_cuda_fill_exponential(gndi_cuda_table *table) {
    fill_loop<GNDI_OP_exp, GND_FLOAT32>(*table);
}
extern "C" void gndi_cuda_fill_compare(gndi_cuda_table *table) {
    fill_loop<GNDI_OP_less, GND_FLOAT32>(*table);
}
extern "C" void gndi_cuda_fill_logical(gndi_cuda_table *table) {
    fill_loop<GNDI_OP_where, GND_FLOAT32>(*table);
}

/* Element i of a buffer of kind `dtype`: small whole numbers, so that every sum is exact. */
__global__ void fill_pattern(void *data, int dtype, uint32_t n, uint32_t seed) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint32_t value = ((i + seed) * 2654435761u) >> 25;
    switch (dtype) {
    case GND_BOOL: static_cast<bool *>(data)[i] = value & 1; break;
    case GND_UINT8: static_cast<uint8_t *>(data)[i] = (uint8_t)value; break;
    case GND_FLOAT16: static_cast<float16 *>(data)[i] = cast<float16>((float)value); break;
    case GND_FLOAT32: static_cast<float *>(data)[i] = (float)value; break;
    case GND_FLOAT64: static_cast<double *>(data)[i] = value; break;
    case GND_COMPLEX64:
        static_cast<complex<float> *>(data)[i] = {(float)value, (float)(value ^ 1)};
        break;
    }
}
__global__ void null_kernel() {}
extern "C" void bench_fill(void *data, int dtype, uint32_t n, uint32_t seed) {
    fill_pattern<<<(n + 255) / 256, 256>>>(data, dtype, n, seed);
}
extern "C" void bench_null(void *stream) {
    null_kernel<<<1, 32, 0, (cudaStream_t)stream>>>();
}
