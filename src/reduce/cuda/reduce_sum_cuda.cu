/* reduce_sum_cuda.cu: the kernels of one reduction, by the dtype of its input. */
#include "reduce/cuda/reduce_kernels.cuh"

using namespace gnd;

const gndi_reduce_kernels gndi_reduce_sum_kernels[16] = {
    {},
    kernels_of<reduce_sum<uint8_t>>(),
    kernels_of<reduce_sum<int8_t>>(),
    kernels_of<reduce_sum<uint8_t>>(),
    kernels_of<reduce_sum<int16_t>>(),
    kernels_of<reduce_sum<uint16_t>>(),
    kernels_of<reduce_sum<int32_t>>(),
    kernels_of<reduce_sum<uint32_t>>(),
    kernels_of<reduce_sum<uint64_t>>(),
    kernels_of<reduce_sum<uint64_t>>(),
    kernels_of<reduce_sum<float16>>(),
    kernels_of<reduce_sum<bfloat16>>(),
    kernels_of<reduce_sum<float>>(),
    kernels_of<reduce_sum<double>>(),
    kernels_of<reduce_sum<complex<float>>>(),
    kernels_of<reduce_sum<complex<double>>>(),
};
