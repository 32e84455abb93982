/* reduce_mixed_index_cuda.cu: ARGMIN and ARGMAX, of any strides. */
#include "reduce/cuda/reduce_mixed.cuh"

using namespace gnd;

const gndi_reduce_mixed_kernel gndi_reduce_mixed_places[GNDI_CLASSES] = {
    mixed_kernel_of<places, int64_t>(),        mixed_kernel_of<places, uint64_t>(),
    mixed_kernel_of<places, float>(),          mixed_kernel_of<places, double>(),
    mixed_kernel_of<places, complex<float>>(), mixed_kernel_of<places, complex<double>>(),
};
