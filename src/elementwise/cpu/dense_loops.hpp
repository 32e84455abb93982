/*
 * dense_loops.hpp: an operator of ops.def over dense elements, as a loop that g++ vectorises, and
 * the table entries of one family. Included by family.cpp.in once for each family and instruction
 * set; everything here has internal linkage, so that no function compiled for one instruction set
 * can be taken by the linker for another.
 */
#ifndef GNDI_DENSE_LOOPS_HPP
#define GNDI_DENSE_LOOPS_HPP

#include "elementwise/cpu/cpu_kernels.h"
#include "kernels/scalar/scalar_ops.h"

namespace {

using namespace gnd;

/* bool is stored as a byte of 0 or 1, and read as any byte. */
template <class T> struct memory_type { typedef T type; };
template <> struct memory_type<bool> { typedef uint8_t type; };
template <class T> using memory_t = typename memory_type<T>::type;

template <class F, class T> GNDI_FN auto load(const memory_t<T> *p, int64_t i) {
    if constexpr (is_bool<T>)
        return p[i] != 0;
    else
        return operand_of<F, T>(p[i]);
}
template <class F, class T, class V> GNDI_FN void store(memory_t<T> *p, int64_t i, V v) {
    p[i] = result_of<F, T>(v);
}

constexpr bool same_text(const char *a, const char *b) {
    for (; *a && *a == *b; a++) b++;
    return *a == *b;
}

/* Elements in which loops over libm's functions are done: a multiple of every vector's width. */
template <class S> constexpr int64_t vector_block = is_half<S> ? 64 : is_same<S, float> ? 32 : 16;

/* Whether loops of an operator call vector functions of libm (scalar_libmvec.h), whose results may
   differ in the last bit from the scalar ones that g++ takes for a loop's last few elements: 0, 1
   for float32 and what is made of it, 2 for float64 too. */
constexpr int calls_vectors(const char *family, const char *name) {
    if (same_text(name, "cbrt") || same_text(name, "tanh") || same_text(name, "arccosh") ||
        same_text(name, "arcsinh") || same_text(name, "arctanh"))
        return 2;
    return same_text(family, "power") || same_text(family, "exponential") || same_text(family, "trig") ||
           same_text(family, "hyperbolic") || same_text(family, "special") || same_text(name, "absolute") ||
           same_text(name, "sign") || same_text(name, "isclose");
}

template <int Op, class S> struct dense {
    typedef functor<Op, S> F;
    template <int K> using in = typename F::template in<K>;
    template <int K> using out = typename F::template out<K>;
    template <int K> using in_memory = const memory_t<in<K>>;
    template <int K> using out_memory = memory_t<out<K>>;

    template <class... A> GNDI_FN auto apply(const double *params, A... a) {
        if constexpr (F::has_params)
            return F::apply(a..., params);
        else
            return F::apply(a...);
    }
    /* Stores what apply gave: one value, or a pair. */
    template <class R> GNDI_FN void put(char *const *operand, int64_t i, R r) {
        if constexpr (F::nout == 1) {
            store<F, out<0>>((out_memory<0> *)operand[0], i, r);
        } else {
            store<F, out<0>>((out_memory<0> *)operand[0], i, r.first);
            store<F, out<1>>((out_memory<1> *)operand[1], i, r.second);
        }
    }

    /* ivdep: an output is an input's memory, element for element, or is apart from it. */
    static int loop(char *const *operand, int64_t n, const double *params) {
        constexpr int first = F::nout;
        char *const o[2] = {operand[0], operand[first - 1]};
        auto *x = (in_memory<0> *)operand[first];
        bool fault = false;
        if constexpr (F::nin == 1) {
#pragma GCC ivdep
            for (int64_t i = 0; i < n; i++) put(o, i, apply(params, load<F, in<0>>(x, i)));
        } else if constexpr (F::nin == 2) {
            auto *y = (in_memory<1> *)operand[first + 1];
            if constexpr (F::checked)
                for (int64_t i = 0; i < n; i++) fault |= F::faults(load<F, in<0>>(x, i), load<F, in<1>>(y, i));
#pragma GCC ivdep
            for (int64_t i = 0; i < n; i++) put(o, i, apply(params, load<F, in<0>>(x, i), load<F, in<1>>(y, i)));
        } else {
            auto *y = (in_memory<1> *)operand[first + 1];
            auto *z = (in_memory<2> *)operand[first + 2];
#pragma GCC ivdep
            for (int64_t i = 0; i < n; i++)
                put(o, i, apply(params, load<F, in<0>>(x, i), load<F, in<1>>(y, i), load<F, in<2>>(z, i)));
        }
        return fault;
    }

    /* Bytes an element of operand k takes. */
    static constexpr int64_t size(int k) {
        if (k == 0) return sizeof(out<0>);
        if constexpr (F::nout == 2)
            if (k == 1) return sizeof(out<1>);
        if constexpr (F::nin == 2)
            if (k == F::nout + 1) return sizeof(in<1>);
        return sizeof(in<0>);
    }

    /* The loop in whole blocks, the last one padded: an element's result does not depend on where
       it stands, nor on how many threads share the work. */
    static int in_blocks(char *const *operand, int64_t n, const double *params) {
        constexpr int count = F::nout + F::nin;
        constexpr int64_t length = vector_block<S>;
        const int64_t whole = n & ~(length - 1), rest = n - whole;
        int fault = 0;
        if (whole) fault = loop(operand, whole, params);
        if (!rest) return fault;
        alignas(64) char block[count][length * 16];
        char *part[count];
        for (int k = 0; k < count; k++) {
            part[k] = block[k];
            if (k < F::nout) continue;
            const char *from = operand[k] + whole * size(k);
            memcpy(block[k], from, (size_t)(rest * size(k)));
            for (int64_t i = rest; i < length; i++) memcpy(block[k] + i * size(k), from, (size_t)size(k));
        }
        fault |= loop(part, length, params);
        for (int k = 0; k < F::nout; k++) memcpy(operand[k] + whole * size(k), block[k], (size_t)(rest * size(k)));
        return fault;
    }
};

/* ---- the table ------------------------------------------------------------------------------ */

template <int Op, class S, int Vectors> constexpr gndi_cpu_kernel kernel_of() {
    constexpr int least = is_same<real_t<S>, double> ? 2 : 1;
    if constexpr (Vectors >= least && (is_float<S> || is_complex<S>))
        return dense<Op, S>::in_blocks;
    else
        return dense<Op, S>::loop;
}

template <int Op, unsigned Loops, bool Mine, int Vectors, int Dtype>
void fill_from(gndi_cpu_kernel (*table)[GND_DTYPE_COUNT]) {
    if constexpr (Mine && Dtype < GND_DTYPE_COUNT) {
        if constexpr ((Loops >> Dtype & 1u) != 0) table[Op][Dtype] = kernel_of<Op, storage_of<Dtype>, Vectors>();
        fill_from<Op, Loops, Mine, Vectors, Dtype + 1>(table);
    }
}

} // namespace

#endif
