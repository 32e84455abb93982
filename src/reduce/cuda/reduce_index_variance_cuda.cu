/* reduce_index_variance_cuda.cu: the kernels of sums of squares, of VARIANCE, and of ARGMIN and ARGMAX, by the
 * dtype of the input; what is not here is left to the mixed kernels. */
#include "reduce/cuda/reduce_kernels.cuh"

using namespace gnd;

static_assert(dtype_of<float> == 12 && dtype_of<double> == 13, "the order of the tables");
#define GNDI_FIRST_TWELVE                                                                                              \
    {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}

const gndi_reduce_kernels gndi_reduce_squares_kernels[16] = {
    GNDI_FIRST_TWELVE,
    kernels_of<reduce_squares<float>>(),
    kernels_of<reduce_squares<double>>(),
};
const gndi_reduce_kernels gndi_reduce_variance_kernels[16] = {
    GNDI_FIRST_TWELVE,
    kernels_of<reduce_variance<float>>(),
    kernels_of<reduce_variance<double>>(),
};
const gndi_reduce_kernels gndi_reduce_place_kernels[16] = {
    GNDI_FIRST_TWELVE,
    kernels_of<reduce_place<float>>(),
    kernels_of<reduce_place<double>>(),
};
