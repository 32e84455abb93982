/*
 * sample_cuda.c: the kernels of splines at coordinates, by dtype and dimensions.
 */
#include "ndimage/cuda/ndimage_params.h"

#define SAMPLE(part) const void *gndi_cuda_sample_##part(int order);
SAMPLE(float_planes)
SAMPLE(floats)
SAMPLE(double_planes)
SAMPLE(doubles)
#undef SAMPLE

const void *gndi_cuda_sample_kernel(int dtype, int order, bool plane) {
    if (dtype == GND_FLOAT32) return plane ? gndi_cuda_sample_float_planes(order) : gndi_cuda_sample_floats(order);
    return plane ? gndi_cuda_sample_double_planes(order) : gndi_cuda_sample_doubles(order);
}
