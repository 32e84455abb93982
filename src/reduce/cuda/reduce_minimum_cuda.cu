/* reduce_minimum_cuda.cu: the kernels of one reduction, by the dtype of its input, and by that of
 * its loop. */
#include "reduce/cuda/reduce_kernels.cuh"

using namespace gnd;

const gndi_reduce_kernels gndi_reduce_minimum_kernels[16] = {
    {},
    {},
    kernels_of<reduce_minimum<int8_t>>(),
    kernels_of<reduce_minimum<uint8_t>>(),
    kernels_of<reduce_minimum<int16_t>>(),
    kernels_of<reduce_minimum<uint16_t>>(),
    kernels_of<reduce_minimum<int32_t>>(),
    kernels_of<reduce_minimum<uint32_t>>(),
    kernels_of<reduce_minimum<int64_t>>(),
    kernels_of<reduce_minimum<uint64_t>>(),
    kernels_of<reduce_minimum<float16>>(),
    kernels_of<reduce_minimum<bfloat16>>(),
    kernels_of<reduce_minimum<float>>(),
    kernels_of<reduce_minimum<double>>(),
    kernels_of<reduce_minimum<complex<float>>>(),
    kernels_of<reduce_minimum<complex<double>>>(),
};
