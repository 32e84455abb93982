/*
 * operator_loops.hpp: the bodies of operator_loops.h for one family of operators. They are loops in
 * which each step needs the one before, so there is nothing to vectorise, and one instruction set
 * serves all CPUs.
 */
#ifndef GNDI_CPU_OPERATOR_LOOPS_HPP
#define GNDI_CPU_OPERATOR_LOOPS_HPP

#include "elementwise/cpu/one_step.hpp"
#include "reduce/cpu/operator_loops.h"

namespace {

template <int Op, class S> struct one_by_one {
    typedef functor<Op, S> F;
    typedef typename F::template in<0> first_type;
    typedef typename F::template out<0> out_type;
    typedef typename F::template in<(F::nin > 1)> second_type; /* of a unary operator: the first */
    typedef memory_t<first_type> first_memory;
    typedef memory_t<second_type> second_memory;
    typedef memory_t<out_type> out_memory;

    static constexpr bool fits = F::nin <= 2 && F::nout == 1 && !F::has_params;
    static constexpr bool closed = fits && is_same<first_type, out_type>;
    static constexpr bool folds = closed && F::nin == 2 && is_same<first_type, second_type>;

    /* One step, from values as apply takes them. */
    template <class A, class B> GNDI_FN out_memory step(A a, B b, bool &fault) {
        if constexpr (F::nin == 1) {
            return result_of<F, out_type>(F::apply(a));
        } else {
            if constexpr (F::checked) fault |= F::faults(a, b);
            return result_of<F, out_type>(F::apply(a, b));
        }
    }
    GNDI_FN auto first(const char *p) { return load<F, first_type>((const first_memory *)p, 0); }
    GNDI_FN auto second(const char *p) { return load<F, second_type>((const second_memory *)p, 0); }

    static int fold(char *acc, const char *x, int64_t step_bytes, int64_t n) {
        bool fault = false;
        out_memory value;
        memcpy(&value, acc, sizeof value);
        if constexpr (op_traits<Op>::associative)
            if (n >= 16) {
                constexpr int64_t dense = sizeof(second_memory);
                value =
                    step(loaded(value),
                         loaded(step_bytes == dense ? fold_lanes<dense>(x, dense, n) : fold_lanes<0>(x, step_bytes, n)),
                         fault);
                n = 0;
            }
        if constexpr ((Op == op_left_shift || Op == op_right_shift) && is_int<out_type>)
            value = step_bytes == sizeof value ? shift_all<sizeof value>(value, x, step_bytes, n)
                                               : shift_all<0>(value, x, step_bytes, n);
        else
            fault |= in_order(value, x, step_bytes, n);
        memcpy(acc, &value, sizeof value);
        return fault;
    }
    static bool in_order(out_memory &value, const char *x, int64_t step_bytes, int64_t n) {
        bool fault = false;
        if constexpr (runs_on_grid<F, out_type>) {
            const auto nothing = [](float) {};
            constexpr int64_t dense = sizeof value;
            const float start = to_compute(value);
            value = from_compute<out_type>(step_bytes == dense ? run_on_grid<F>(start, x, dense, n, nothing)
                                                               : run_on_grid<F>(start, x, step_bytes, n, nothing));
        } else {
            for (int64_t i = 0; i < n; i++, x += step_bytes) {
                if constexpr (F::checked) fault |= F::faults(loaded(value), second(x));
                value = one_step<Op, F>((out_type)value, (out_type) * (const second_memory *)x);
            }
        }
        return fault;
    }
    /* a << b << c is a << (b + c), where as many bits as a number has, or more, leave nothing but its sign. */
    template <int64_t Step>
    static out_memory shift_all(out_memory value, const char *x, int64_t step_bytes, int64_t n) {
        typedef bits_t<out_memory> U;
        constexpr U width = sizeof(U) * 8;
        constexpr int64_t most = 1 << 24; /* whose widths fit 32 bits */
        if (Step) step_bytes = Step;
        for (; n > 0; n -= most, x += most * step_bytes) {
            uint32_t sum = 0;
            for (int64_t i = 0; i < (n < most ? n : most); i++) {
                const U by = *(const U *)(x + i * step_bytes);
                sum += by < width ? by : width;
            }
            const out_memory by = (out_memory)(sum < width ? sum : width);
            bool fault = false; /* shifts check nothing */
            value = step(loaded(value), loaded(by), fault);
        }
        return value;
    }
    static auto loaded(const out_memory &value) { return load<F, first_type>((const first_memory *)&value, 0); }
    /* gcd: as where steps wait, so that a lane which has come to 1 divides no more. */
    GNDI_FN out_memory lane_step(out_memory a, const char *x, bool &fault) {
        if constexpr (Op == op_gcd && is_int<out_type>)
            return one_step<Op, F>((out_type)a, (out_type) * (const second_memory *)x);
        else
            return step(loaded(a), second(x), fault);
    }
    /* Elements that may be regrouped: in eight chains, which do not wait for each other. Step: what
       step_bytes is, where that is known beforehand (neighbours come to be loaded as vectors). */
    template <int64_t Step> static out_memory fold_lanes(const char *x, int64_t step_bytes, int64_t n) {
        if (Step) step_bytes = Step;
        bool fault = false; /* operators that may be regrouped check nothing */
        out_memory lane[8];
        for (int k = 0; k < 8; k++) memcpy(&lane[k], x + k * step_bytes, sizeof lane[k]);
        int64_t i = 8;
        for (; i + 8 <= n; i += 8)
            for (int k = 0; k < 8; k++) lane[k] = lane_step(lane[k], x + (i + k) * step_bytes, fault);
        for (int k = 0; i < n; i++, k++) lane[k] = lane_step(lane[k], x + i * step_bytes, fault);
        for (int width = 4; width > 0; width /= 2)
            for (int k = 0; k < width; k++) lane[k] = step(loaded(lane[k]), loaded(lane[k + width]), fault);
        return lane[0];
    }
    static int at(char *target, const gndi_cpu_update *updates, int64_t n, const char *value, int64_t step_bytes) {
        bool fault = false;
        for (int64_t i = 0; i < n; i++) {
            char *element = target + updates[i].offset;
            if constexpr (F::nin == 1)
                *(out_memory *)element = step(first(element), 0, fault);
            else
                *(out_memory *)element = step(first(element), second(value + updates[i].number * step_bytes), fault);
        }
        return fault;
    }
    static int64_t at_indices(const gndi_cpu_indexed_updates *p, int64_t n, int *faults) {
        const char *index = p->index, *value = p->value;
        const int64_t size = p->size, stride = p->stride;
        const int64_t index_step = p->index_step, value_step = p->value_step;
        char *target = p->target;
        bool fault = false;
        int64_t i = 0;
        for (; i < n; i++, index += index_step, value += value_step) {
            int64_t at = *(const int64_t *)index;
            if (at < 0) at += size;
            if (__builtin_expect((uint64_t)at >= (uint64_t)size, 0)) break;
            char *element = target + at * stride;
            if constexpr (F::nin == 1)
                *(out_memory *)element = step(first(element), 0, fault);
            else
                *(out_memory *)element = step(first(element), second(value), fault);
        }
        *faults |= fault;
        return i;
    }
    static int one(const char *a, const char *x, char *result) {
        bool fault = false;
        if constexpr (F::nin == 1)
            *(out_memory *)result = step(first(a), 0, fault);
        else
            *(out_memory *)result = step(first(a), second(x), fault);
        return fault;
    }
};

template <int Op, int Loop> void fill_loops(gndi_cpu_operator &o) {
    typedef one_by_one<Op, storage_of<Loop>> loops;
    if constexpr (loops::folds) o.fold = loops::fold;
    if constexpr (loops::closed) o.at = loops::at, o.at_indices = loops::at_indices;
    if constexpr (loops::fits) o.one = loops::one;
}

template <int Op, uint32_t Loops, bool Mine, int Loop = 1> void fill_operator(gndi_cpu_operators &table) {
    if constexpr (Mine && Loop < GND_DTYPE_COUNT) {
        if constexpr ((Loops >> Loop & 1) != 0) fill_loops<Op, Loop>(table[Op][Loop]);
        fill_operator<Op, Loops, Mine, Loop + 1>(table);
    }
}

} // namespace

#endif
