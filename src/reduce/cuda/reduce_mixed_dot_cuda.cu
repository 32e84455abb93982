/* reduce_mixed_dot_cuda.cu: sums of products of two operands, of any strides. */
#include "reduce/cuda/reduce_mixed.cuh"

using namespace gnd;

const gndi_reduce_mixed_kernel gndi_reduce_mixed_dots[GNDI_CLASSES] = {
    {}, /* as uint64 */
    mixed_kernel_of<dots, uint64_t>(),
    mixed_kernel_of<dots, float>(),
    mixed_kernel_of<dots, double>(),
    mixed_kernel_of<dots, complex<float>>(),
    mixed_kernel_of<dots, complex<double>>(),
};
