/* reduce_mixed_count_cuda.cu: ANY, ALL and COUNT, of any strides. */
#include "reduce/cuda/reduce_mixed.cuh"

using namespace gnd;

const gndi_reduce_mixed_kernel gndi_reduce_mixed_counts[GNDI_CLASSES] = {
    {},
    mixed_kernel_of<counts, uint64_t>(),
};
