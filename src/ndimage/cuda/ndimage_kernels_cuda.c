/*
 * ndimage_kernels_cuda.c: which kernels there are of splines at coordinates and of neighbours. They are compiled in
 * parts, which the driver loads whole.
 */
#include "ndimage/cuda/ndimage_params.h"

/* ---- splines at coordinates ------------------------------------------------------------------ */

const void *gndi_cuda_sample_floats(int order, bool plane);
const void *gndi_cuda_sample_doubles(int order, bool plane);

const void *gndi_cuda_sample_kernel(int dtype, int order, bool plane) {
    return dtype == GND_FLOAT32 ? gndi_cuda_sample_floats(order, plane) : gndi_cuda_sample_doubles(order, plane);
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
