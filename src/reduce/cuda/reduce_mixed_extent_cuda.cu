/* reduce_mixed_extent_cuda.cu: MINIMUM, MAXIMUM and RANGE, of any strides. */
#include "reduce/cuda/reduce_mixed.cuh"

using namespace gnd;

const gndi_reduce_mixed_kernel gndi_reduce_mixed_extents[GNDI_CLASSES] = {
    mixed_kernel_of<extents, int64_t>(),
    mixed_kernel_of<extents, uint64_t>(),
    mixed_kernel_of<extents, float>(),
    mixed_kernel_of<extents, double>(),
    mixed_kernel_of<extents, complex<float>>(),
    mixed_kernel_of<extents, complex<double>>(),
    mixed_kernel_of<extents, float, complex<float>>(),
    mixed_kernel_of<extents, double, complex<double>>(),
};
