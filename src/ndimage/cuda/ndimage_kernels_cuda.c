/*
 * ndimage_kernels_cuda.c: which kernels there are of splines at coordinates and of neighbours. They are compiled in
 * parts, which the driver loads whole.
 */
#include "ndimage/cuda/ndimage_params.h"

/* ---- splines at coordinates ------------------------------------------------------------------ */

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

/* ---- neighbours ------------------------------------------------------------------------------ */

#define NEIGHBOURS(part) const void *gndi_cuda_neighbours_##part(int dtype, bool runs);
NEIGHBOURS(maxima)
NEIGHBOURS(minima)
NEIGHBOURS(extend)
#undef NEIGHBOURS

/* runs: several outputs a thread, in arrays of less than 2^31 elements. */
const void *gndi_cuda_neighbours_kernel(int kind, int dtype, bool runs) {
    if (kind == GNDI_NEIGHBOURS_MAXIMUM) return gndi_cuda_neighbours_maxima(dtype, runs);
    if (kind == GNDI_NEIGHBOURS_MINIMUM) return gndi_cuda_neighbours_minima(dtype, runs);
    return gndi_cuda_neighbours_extend(dtype, runs);
}
