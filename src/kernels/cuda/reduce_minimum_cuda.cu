/* reduce_minimum_cuda.cu: the kernels of one reduction, by the dtype of its input, and by that of
 * its loop. */
#include "kernels/cuda/reduce_general.cuh"

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

const void *const gndi_reduce_minimum_general[16] = {
    nullptr,
    nullptr,
    (const void *)&reduce_anything<reduce_minimum<int64_t>>,
    (const void *)&reduce_anything<reduce_minimum<uint64_t>>,
    (const void *)&reduce_anything<reduce_minimum<int64_t>>,
    (const void *)&reduce_anything<reduce_minimum<uint64_t>>,
    (const void *)&reduce_anything<reduce_minimum<int64_t>>,
    (const void *)&reduce_anything<reduce_minimum<uint64_t>>,
    (const void *)&reduce_anything<reduce_minimum<int64_t>>,
    (const void *)&reduce_anything<reduce_minimum<uint64_t>>,
    (const void *)&reduce_anything<reduce_minimum<float>>,
    (const void *)&reduce_anything<reduce_minimum<float>>,
    (const void *)&reduce_anything<reduce_minimum<float>>,
    (const void *)&reduce_anything<reduce_minimum<double>>,
    (const void *)&reduce_anything<reduce_minimum<complex<float>>>,
    (const void *)&reduce_anything<reduce_minimum<complex<double>>>,
};
