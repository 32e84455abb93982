/*
 * scan_serial.cuh: operators that may not be regrouped: a thread a line, element by element, each
 * result rounded as NumPy's. The next elements are on their way while these are computed.
 */
#ifndef GNDI_SCAN_SERIAL_CUH
#define GNDI_SCAN_SERIAL_CUH

#include "scan/cuda/scan_block.cuh"

namespace gnd {

template <int Op> constexpr bool scan_step_is_cheap = Op == op_subtract || Op == op_copysign || Op == op_heaviside ||
                                                      Op == op_left_shift || Op == op_right_shift || Op == op_equal ||
                                                      Op == op_not_equal || Op == op_less || Op == op_less_equal ||
                                                      Op == op_greater || Op == op_greater_equal;

template <int Op, class S> struct scan_step {
    typedef functor<Op, S> F;
    static constexpr int op = Op;
    typedef S element;
    GNDI_MEMBER S next(S a, S b) { return result_of<F, S>(F::apply(operand_of<F>(a), operand_of<F>(b))); }
    GNDI_MEMBER bool faults(S a, S b) {
        if constexpr (F::checked)
            return F::faults(operand_of<F>(a), operand_of<F>(b));
        else
            return false;
    }
    static constexpr bool cheap = scan_step_is_cheap<Op>;
};
template <class O> GNDI_FN_HEAVY typename O::element scan_step_called(typename O::element a, typename O::element b) {
    return O::next(a, b);
}

template <class O> __global__ void __launch_bounds__(64)
    scan_serial_kernel(const __grid_constant__ gndi_scan_serial p) {
    typedef typename O::element S;
    constexpr int U = sizeof(S) <= 8 ? 16 : 8;
    const int64_t line = (int64_t)blockIdx.x * 64 + threadIdx.x;
    if (line >= p.of.lines) return;
    const scan_offsets start = offsets_of_line(p.of, line);
    const char *from = p.of.in + start.in;
    char *to = p.of.out + start.out;
    const int64_t length = p.of.length, in_step = p.of.in_step, out_step = p.of.out_step;
    bool fault = false;
    S x[U], ahead[U] = {}, last = S();
#pragma unroll
    for (int u = 0; u < U; u++)
        if (u < length) ahead[u] = *(const S *)(from + u * in_step);
    for (int64_t i = 0; i < length; i += U) {
        from += U * in_step;
#pragma unroll
        for (int u = 0; u < U; u++) {
            x[u] = ahead[u];
            if (i + U + u < length) ahead[u] = *(const S *)(from + u * in_step);
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (i + u >= length) break;
            if (i + u == 0) {
                last = x[u];
            } else {
                fault |= O::faults(last, x[u]);
                last = O::cheap ? O::next(last, x[u]) : scan_step_called<O>(last, x[u]);
            }
            *(S *)to = last;
            to += out_step;
        }
    }
    if (fault) *p.fault = O::op + 1;
}

} // namespace gnd

#endif
