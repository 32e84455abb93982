/* reduce_mixed_product_cuda.cu: PRODUCT, of any strides. */
#include "reduce/cuda/reduce_mixed.cuh"

using namespace gnd;

const gndi_reduce_mixed_kernel gndi_reduce_mixed_products[GNDI_CLASSES] = {
    {}, /* as uint64 */
    mixed_kernel_of<products, uint64_t>(),
    mixed_kernel_of<products, float>(),
    mixed_kernel_of<products, double>(),
    mixed_kernel_of<products, complex<float>>(),
    mixed_kernel_of<products, complex<double>>(),
};
