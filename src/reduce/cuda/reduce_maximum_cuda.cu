/* reduce_maximum_cuda.cu: the kernels of one reduction, by the dtype of its input, and by that of
 * its loop. */
#include "reduce/cuda/reduce_kernels.cuh"

using namespace gnd;

const gndi_reduce_kernels gndi_reduce_maximum_kernels[16] = {
    {},
    {},
    kernels_of<reduce_maximum<int8_t>>(),
    kernels_of<reduce_maximum<uint8_t>>(),
    kernels_of<reduce_maximum<int16_t>>(),
    kernels_of<reduce_maximum<uint16_t>>(),
    kernels_of<reduce_maximum<int32_t>>(),
    kernels_of<reduce_maximum<uint32_t>>(),
    kernels_of<reduce_maximum<int64_t>>(),
    kernels_of<reduce_maximum<uint64_t>>(),
    kernels_of<reduce_maximum<float16>>(),
    kernels_of<reduce_maximum<bfloat16>>(),
    kernels_of<reduce_maximum<float>>(),
    kernels_of<reduce_maximum<double>>(),
    kernels_of<reduce_maximum<complex<float>>>(),
    kernels_of<reduce_maximum<complex<double>>>(),
};
