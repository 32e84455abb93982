/* reduce_product_cuda.cu: the kernels of one reduction, by the dtype of its input, and by that of
 * its loop. */
#include "reduce/cuda/reduce_kernels.cuh"

using namespace gnd;

const gndi_reduce_kernels gndi_reduce_product_kernels[16] = {
    {},
    kernels_of<reduce_product<uint8_t>>(),
    kernels_of<reduce_product<int8_t>>(),
    kernels_of<reduce_product<uint8_t>>(),
    kernels_of<reduce_product<int16_t>>(),
    kernels_of<reduce_product<uint16_t>>(),
    kernels_of<reduce_product<int32_t>>(),
    kernels_of<reduce_product<uint32_t>>(),
    kernels_of<reduce_product<uint64_t>>(),
    kernels_of<reduce_product<uint64_t>>(),
    kernels_of<reduce_product<float16>>(),
    kernels_of<reduce_product<bfloat16>>(),
    kernels_of<reduce_product<float>>(),
    kernels_of<reduce_product<double>>(),
    kernels_of<reduce_product<complex<float>>>(),
    kernels_of<reduce_product<complex<double>>>(),
};
