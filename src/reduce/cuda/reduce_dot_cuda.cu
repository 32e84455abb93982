/* reduce_dot_cuda.cu: sums of products of two operands that lie in memory alike, by their dtype; all
 * others are left to the mixed kernels. */
#include "reduce/cuda/reduce_products.cuh"

using namespace gnd;

static_assert(dtype_of<float16> == 10, "the order of the table");

const gndi_reduce_kernels gndi_reduce_dot_kernels[16] = {
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    products_of<float16>(),
    products_of<bfloat16>(),
    products_of<float>(),
    products_of<double>(),
    products_of<complex<float>>(),
    products_of<complex<double>>(),
};
