/* reduce_mixed_variance_cuda.cu: VARIANCE, of any strides. */
#include "reduce/cuda/reduce_mixed.cuh"

using namespace gnd;

const gndi_reduce_mixed_kernel gndi_reduce_mixed_variances[GNDI_CLASSES] = {
    {}, /* integers have float64 loops */
    {},
    mixed_kernel_of<variances, float>(),
    mixed_kernel_of<variances, double>(),
    mixed_kernel_of<variances, complex<float>>(),
    mixed_kernel_of<variances, complex<double>>(),
};
