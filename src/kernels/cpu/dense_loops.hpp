/*
 * dense_loops.hpp: an operator of ops.def over dense elements, as a loop that g++ vectorises, and
 * the table entries of one family. Included by family.cpp.in once for each family and instruction
 * set; everything here has internal linkage, so that no function compiled for one instruction set
 * can be taken by the linker for another.
 */
#ifndef GNDI_DENSE_LOOPS_HPP
#define GNDI_DENSE_LOOPS_HPP

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/scalar_ops.h"

namespace {

using namespace gnd;

/* bool is stored as a byte of 0 or 1, and read as any byte. */
template <class T> struct memory_type { typedef T type; };
template <> struct memory_type<bool> { typedef uint8_t type; };
template <class T> using memory_t = typename memory_type<T>::type;

template <class T> GNDI_FN compute_t<T> load(const memory_t<T> *p, int64_t i) {
    if constexpr (is_bool<T>)
        return p[i] != 0;
    else
        return to_compute<T>(p[i]);
}
template <class T, class V> GNDI_FN void store(memory_t<T> *p, int64_t i, V v) {
    p[i] = from_compute<T>(v);
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
            store<out<0>>((out_memory<0> *)operand[0], i, r);
        } else {
            store<out<0>>((out_memory<0> *)operand[0], i, r.first);
            store<out<1>>((out_memory<1> *)operand[1], i, r.second);
        }
    }

    /* ivdep: an output is an input's memory, element for element, or is apart from it. */
    static int run(char *const *operand, int64_t n, const double *params) {
        constexpr int first = F::nout;
        char *const o[2] = {operand[0], operand[first - 1]};
        auto *x = (in_memory<0> *)operand[first];
        bool fault = false;
        if constexpr (F::nin == 1) {
#pragma GCC ivdep
            for (int64_t i = 0; i < n; i++) put(o, i, apply(params, load<in<0>>(x, i)));
        } else if constexpr (F::nin == 2) {
            auto *y = (in_memory<1> *)operand[first + 1];
            if constexpr (F::checked)
                for (int64_t i = 0; i < n; i++)
                    fault |= F::faults(load<in<0>>(x, i), load<in<1>>(y, i));
#pragma GCC ivdep
            for (int64_t i = 0; i < n; i++)
                put(o, i, apply(params, load<in<0>>(x, i), load<in<1>>(y, i)));
        } else {
            auto *y = (in_memory<1> *)operand[first + 1];
            auto *z = (in_memory<2> *)operand[first + 2];
#pragma GCC ivdep
            for (int64_t i = 0; i < n; i++)
                put(o, i, apply(params, load<in<0>>(x, i), load<in<1>>(y, i), load<in<2>>(z, i)));
        }
        return fault;
    }
};

/* ---- the table ----------------------------------------------------------------------------------
 */

constexpr bool same_text(const char *a, const char *b) {
    for (; *a && *a == *b; a++) b++;
    return *a == *b;
}

template <int Op, unsigned Loops, bool Mine, int Dtype>
void fill_from(gndi_cpu_kernel (*table)[GND_DTYPE_COUNT]) {
    if constexpr (Mine && Dtype < GND_DTYPE_COUNT) {
        if constexpr ((Loops >> Dtype & 1u) != 0)
            table[Op][Dtype] = dense<Op, storage_of<Dtype>>::run;
        fill_from<Op, Loops, Mine, Dtype + 1>(table);
    }
}

} // namespace

#endif
