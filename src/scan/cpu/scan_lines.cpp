/*
 * scan_lines.cpp: the scan of a line by each binary operator of ops.def, one element after the
 * other: the running result stays in a register. No instruction set makes this faster, so there is
 * one version; scan_vectors.hpp has quicker loops for sums, products and extrema of floats. Shifts
 * are soon out of bits, and then the rest is one value.
 */
#define gnd gnd_scan
#include "elementwise/cpu/one_step.hpp"
#include "scan/cpu/scan_loops.h"

namespace {

/* One step. Of extrema of complex numbers the two parts are selected, not the numbers: g++ branches
   on those, which goes wrong half of the time where many are equal. */
template <int Op, class F, class S> GNDI_FN S step(S last, S next) {
    constexpr bool largest = Op == op_maximum || Op == op_fmax;
    constexpr bool skips = Op == op_fmax || Op == op_fmin;
    if constexpr (is_complex<S> && (largest || skips || Op == op_minimum)) {
        const bool keep =
            ops::is_nan(skips ? next : last) | (largest ? ops::above(last, next) : ops::above(next, last));
        return S{keep ? last.re : next.re, keep ? last.im : next.im};
    } else {
        return one_step<Op, F>(last, next);
    }
}

template <int Op, class S> int scan_line(const char *from, char *to, int64_t n, char *carry, bool first) {
    typedef functor<Op, S> F;
    const memory_t<S> *x = (const memory_t<S> *)from;
    memory_t<S> *out = (memory_t<S> *)to;
    bool fault = false;
    S last;
    int64_t i = 0;
    if (first) {
        last = (S)x[0];
        out[0] = last;
        i = 1;
    } else {
        memcpy(&last, carry, sizeof last);
    }
    if constexpr (runs_on_grid<F, S>) {
        run_on_grid<F>(to_compute(last), (const char *)(x + i), sizeof(S), n - i,
                       [&](float running) { out[i++] = last = from_compute<S>(running); });
    }
#pragma GCC unroll 4
    for (; i < n; i++) {
        const S next = (S)x[i];
        if constexpr (F::checked) fault |= F::faults(operand_of<F, S>(last), operand_of<F, S>(next));
        last = step<Op, F>(last, next);
        out[i] = last;
    }
    memcpy(carry, &last, sizeof last);
    return fault;
}

/* Whether no count changes x any more: nothing but 0 or -1 is left of it. */
template <int Op, class S> GNDI_FN bool is_shifted_out(S x) {
    return x == shifted<Op>(x, (S)-1);
}

/* Running shifts. A count of 0 repeats the result before it, and as many other counts as there are bits shift all of
   them out: all but a few results are copies. */
template <int Op, class S> int scan_shifts(const char *from, char *to, int64_t n, char *carry, bool first) {
    constexpr int64_t group = 8; /* elements: as many words as an element has bytes */
    const S *x = (const S *)from;
    S *out = (S *)to, last;
    memcpy(&last, first ? from : carry, sizeof last);
    if (first) out[0] = last;
    int64_t i = first;
    for (; i + group <= n && !is_shifted_out<Op>(last); i += group) {
        uint64_t words[sizeof(S)], any = 0;
        memcpy(words, x + i, sizeof words);
        for (const uint64_t word : words) any |= word;
        if (any)
            for (int64_t k = i; k < i + group; k++) out[k] = last = shifted<Op>(last, x[k]);
        else
            for (int64_t k = i; k < i + group; k++) out[k] = last;
    }
    if (!is_shifted_out<Op>(last))
        for (; i < n; i++) out[i] = last = shifted<Op>(last, x[i]);
    for (; i < n; i++) out[i] = last;
    memcpy(carry, &last, sizeof last);
    return 0;
}

/* Whether operator Op can be applied to its own result: two arguments of the loop's dtype, which the
   result has too. */
template <int Op, class S> constexpr bool folds() {
    typedef op_traits<Op> traits;
    if constexpr (traits::nin != 2 || traits::nout != 1 || traits::has_params) {
        return false;
    } else {
        constexpr bool alike = traits::template letter<0> == 'T' && traits::template letter<1> == 'T';
        constexpr char out = traits::template letter<3>;
        return alike && (out == 'T' || (out == 'B' && is_bool<S>)) && !(is_half<S> && traits::associative);
    }
}

template <int Op, unsigned Loops, int Dtype> void fill_lines(gndi_cpu_scan_line (*table)[GND_DTYPE_COUNT]) {
    if constexpr (Dtype < GND_DTYPE_COUNT) {
        if constexpr ((Loops >> Dtype & 1u) != 0) {
            typedef storage_of<Dtype> S;
            if constexpr (is_int<S> && (Op == op_left_shift || Op == op_right_shift))
                table[Op][Dtype] = scan_shifts<Op, S>;
            else if constexpr (folds<Op, S>())
                table[Op][Dtype] = scan_line<Op, S>;
        }
        fill_lines<Op, Loops, Dtype + 1>(table);
    }
}

} // namespace

extern "C" void gndi_cpu_scan_lines(gndi_cpu_scan_line (*table)[GND_DTYPE_COUNT]) {
#define OP(family, name, signature, loops, identity, flags) fill_lines<gnd::op_##name, loops, 1>(table);
#include "kernels/ops/ops.def"
#undef OP
}
