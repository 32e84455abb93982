/* reduce_mixed_mean_cuda.cu: MEAN, where elements may be left out, of any strides. */
#include "reduce/cuda/reduce_mixed.cuh"

using namespace gnd;

const gndi_reduce_mixed_kernel gndi_reduce_mixed_means[GNDI_CLASSES] = {
    {}, /* as uint64 */
    mixed_kernel_of<means, uint64_t>(),
    mixed_kernel_of<means, float>(),
    mixed_kernel_of<means, double>(),
    mixed_kernel_of<means, complex<float>>(),
    mixed_kernel_of<means, complex<double>>(),
};
