/*
 * elementwise_operator.cuh: an operator in one loop, as the kernels see it: the dtypes of its
 * operands from the signature in ops.def, its scalar function from scalar_ops.h, how much of it to
 * unroll, and its elements as vectors in memory.
 */
#ifndef GNDI_ELEMENTWISE_OPERATOR_CUH
#define GNDI_ELEMENTWISE_OPERATOR_CUH

#include "elementwise/cuda/elementwise_params.h"
#include "kernels/cuda/vectors.cuh"
#include "kernels/scalar/scalar_ops.h"

namespace gnd {

/* ---- the table at compile time -------------------------------------------------------------- */

struct table_row {
    const char *family;
    uint32_t loops;
};
constexpr table_row table_rows[GNDI_OP_COUNT] = {
#define OP(family, name, signature, loops, identity, flags) {#family, loops},
#include "kernels/ops/ops.def"
#undef OP
};

constexpr bool same_text(const char *a, const char *b) {
    for (; *a && *a == *b; a++) b++;
    return *a == *b;
}
constexpr bool has_loop(int op, int dtype) {
    return table_rows[op].loops >> dtype & 1;
}

/* ---- one operator in one loop --------------------------------------------------------------- */

/* Stands for the operands that an operator doesn't have. */
struct absent {};

constexpr int largest(int a, int b) {
    return a > b ? a : b;
}
constexpr int smallest(int a, int b) {
    return a < b ? a : b;
}

/* The I-th operand's type, if the operator has one. */
template <class F, int I, bool Present> struct input_type { typedef absent type; };
template <class F, int I> struct input_type<F, I, true> { typedef typename F::template in<I> type; };
template <class F, int I, bool Present> struct output_type { typedef absent type; };
template <class F, int I> struct output_type<F, I, true> { typedef typename F::template out<I> type; };

template <int Op, class S> struct operation {
    typedef functor<Op, S> F;
    static constexpr int op = Op, nin = F::nin, nout = F::nout;
    static constexpr bool checked = F::checked;
    template <int I> using in = typename input_type<F, I, (I < nin)>::type;
    template <int I> using out = typename output_type<F, I, (I < nout)>::type;

    /* Bytes of the widest operand. */
    static constexpr int widest =
        largest(largest(largest(sizeof(in<0>), sizeof(in<1>)), sizeof(in<2>)), largest(sizeof(out<0>), sizeof(out<1>)));

    /* Whether its scalar function is a few instructions, so that unrolling it costs nothing. */
    static constexpr bool in_family(const char *name) { return same_text(table_rows[Op].family, name); }
    static constexpr bool cheap = in_family("move") || in_family("arith") || in_family("extremum") ||
                                  in_family("compare") || in_family("logical") || in_family("bitwise");
    /* float64 and complex transcendental functions are hundreds of instructions an element. */
    static constexpr bool long_body = !cheap && (is_complex<S> || is_same<S, double>);

    /* Results as storage types; of an operator with one output, `second` is left alone. */
    __device__ __forceinline__ static void apply(const in<0> &a, const in<1> &b, const in<2> &c, const double *params,
                                                 out<0> &first, out<1> &second) {
        if constexpr (nin == 1)
            split(call(params, operand_of<F>(a)), first, second);
        else if constexpr (nin == 2)
            split(call(params, operand_of<F>(a), operand_of<F>(b)), first, second);
        else
            split(call(params, operand_of<F>(a), operand_of<F>(b), operand_of<F>(c)), first, second);
    }
    /* Whether these arguments are an error. */
    __device__ __forceinline__ static bool faults(const in<0> &a, const in<1> &b, const in<2> &) {
        if constexpr (checked)
            return F().faults(operand_of<F>(a), operand_of<F>(b));
        else
            return false;
    }

  private:
    template <class... A> __device__ __forceinline__ static auto call(const double *params, A... a) {
        if constexpr (F::has_params)
            return F().apply(a..., params);
        else
            return F().apply(a...);
    }
    template <class R> __device__ __forceinline__ static void split(const R &r, out<0> &first, out<1> &second) {
        if constexpr (nout == 2) {
            first = result_of<F, out<0>>(r.first);
            second = result_of<F, out<1>>(r.second);
        } else {
            first = result_of<F, out<0>>(r);
        }
    }
};

/* Operators that do the same, to whole numbers for the most part, have the kernels of one of them. */
template <int Op, class S> constexpr int alike_operator() {
    constexpr bool whole = is_int<S> || is_bool<S>;
    if (whole && Op == op_fmax) return op_maximum;
    if (whole && Op == op_fmin) return op_minimum;
    if (whole && (Op == op_ceil || Op == op_trunc || Op == op_fix)) return op_floor;
    if (Op == op_fix) return op_trunc;
    if (whole && (Op == op_isinf || Op == op_isposinf || Op == op_isneginf)) return op_isnan;
    return Op;
}

/* Some do the same to the bits of integers of one size: where nothing is cast, they have the kernels of the unsigned
   ones. */
constexpr bool is_on_bits(int op) {
    return op == op_copy || op == op_add || op == op_subtract || op == op_multiply || op == op_negative ||
           op == op_square || op == op_bitwise_and || op == op_bitwise_or || op == op_bitwise_xor || op == op_invert ||
           op == op_equal || op == op_not_equal || op == op_logical_and || op == op_logical_or ||
           op == op_logical_xor || op == op_logical_not || op == op_where;
}
template <int Op, class S> using alike_storage = choose_t<is_int<S> && is_on_bits(Op), bits_t<S>, S>;

GNDI_FN uint32_t divide_by(const gndi_cuda_divisor &d, uint32_t n) {
    return (__umulhi(n, d.magic) + n) >> d.shift;
}

template <class S> GNDI_FN S value_as(const gndi_cuda_value &value) {
    S x;
    memcpy(&x, &value, sizeof x);
    return x;
}

} // namespace gnd

#endif
