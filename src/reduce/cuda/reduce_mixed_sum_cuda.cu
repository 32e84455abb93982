/* reduce_mixed_sum_cuda.cu: what SUM is of any input: cast, mapped, masked, of any strides. */
#include "reduce/cuda/reduce_mixed.cuh"

using namespace gnd;

const gndi_reduce_mixed_kernel gndi_reduce_mixed_sums[GNDI_CLASSES] = {
    {}, /* as uint64 */
    mixed_kernel_of<sums, uint64_t>(),
    mixed_kernel_of<sums, float>(),
    mixed_kernel_of<sums, double>(),
    mixed_kernel_of<sums, complex<float>>(),
    mixed_kernel_of<sums, complex<double>>(),
    mixed_kernel_of<sums, float, complex<float>>(),
    mixed_kernel_of<sums, double, complex<double>>(),
};
