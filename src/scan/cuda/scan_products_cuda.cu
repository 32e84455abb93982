/*
 * scan_products_cuda.cu: running products of complex numbers that are not finite, again in the order of the
 * elements. Once a product is not finite, none behind it is; GNDI_PRODUCT_UNTIL_NAN elements later all are NaN in
 * both parts. So a thread finds the first one of its line by bisection, and mends its part of what is behind.
 */
#include "reduce/cuda/operator_fold.cuh"
#include "scan/cuda/scan_block.cuh"

namespace gnd {

template <class S> GNDI_FN bool is_finite_at(const char *p) {
    const S x = *(const S *)p;
    return x.re - x.re == 0 && x.im - x.im == 0;
}

template <class S>
__global__ __launch_bounds__(GNDI_SCAN_THREADS) void mend_products(const __grid_constant__ gndi_scan_products p) {
    typedef functor<op_multiply, S> F;
    const int64_t length = p.of.length, step = p.of.out_step;
    int64_t line = (int64_t)blockIdx.x * GNDI_SCAN_THREADS + threadIdx.x;
    const int64_t begin = take_digit(line, p.parts) * p.part;
    if (line >= p.of.lines) return;
    const int64_t end = length - begin < p.part ? length : begin + p.part;
    const scan_offsets start = offsets_of_line(p.of, line);
    char *out = p.of.out + start.out;
    int64_t first = 0, high = length - 1;
    if (is_finite_at<S>(out + high * step)) return;
    while (first < high) {
        const int64_t middle = first + (high - first) / 2;
        if (is_finite_at<S>(out + middle * step))
            first = middle + 1;
        else
            high = middle;
    }
    const int64_t all_nan = first + GNDI_PRODUCT_UNTIL_NAN;
    if (begin <= first && first < end) {
        S product = first ? *(const S *)(out + (first - 1) * step) : S{};
        for (int64_t i = first; i < length && i < all_nan; i++) {
            S x = load_any<S>(p.of.in + start.in + i * p.of.in_step, p.in_dtype);
            if (p.of.skip_nan && (x.re != x.re || x.im != x.im)) x = S{1, 0};
            product = i ? F::apply(product, x) : x;
            *(S *)(out + i * step) = product;
        }
    }
    const real_t<S> nan = limits<real_t<S>>::nan();
    for (int64_t i = begin > all_nan ? begin : all_nan; i < end; i++) *(S *)(out + i * step) = S{nan, nan};
}

} // namespace gnd

extern "C" const void *gndi_scan_products_kernel(bool wide) {
    return wide ? (const void *)&gnd::mend_products<gnd::complex<double>>
                : (const void *)&gnd::mend_products<gnd::complex<float>>;
}
