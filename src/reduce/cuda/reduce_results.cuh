/*
 * reduce_results.cuh: how a finished accumulator becomes a result: the start value, the division or
 * root, the cast to the output's dtype.
 */
#ifndef GNDI_REDUCE_RESULTS_CUH
#define GNDI_REDUCE_RESULTS_CUH

#include "reduce/cuda/reduce_block.cuh"
#include "kernels/scalar/scalar_math.h"

namespace gnd {

/* gndi_reduce_finish */
enum { finish_none, finish_divide, finish_sqrt, finish_root /* the mixed sums' own */, finish_moments };

/* Reducers that absorb many elements at once; the dense kernels store nothing dense of theirs. */
template <class R> constexpr bool is_in_batches = false;
template <class T> constexpr bool is_in_batches<reduce_variance<T>> = true;
template <class T> constexpr bool is_in_batches<reduce_index<T>> = true;
template <class R> constexpr bool has_index = false;
template <class T> constexpr bool has_index<reduce_index<T>> = true;
template <class R> constexpr bool has_moments = is_in_batches<R> && !has_index<R>;

/* What a reducer stores unless told otherwise. */
template <class R> struct natural_output {
    typedef choose_t<is_same<typename R::acc, uint64_t>, uint64_t, typename R::element> type;
};
template <class S> struct natural_output<reduce_count<S>> { typedef uint64_t type; };
template <class R> using natural_output_t = typename natural_output<R>::type;

/* Bytes of an integer dtype, as gndi_dtype_sizes has them. */
GNDI_FN int integer_bytes(int dtype) {
    return dtype <= 3 ? 1 : dtype <= 5 ? 2 : dtype <= 7 ? 4 : 8;
}

template <class A> GNDI_FN A load_value(const char *p, int dtype) {
    if constexpr (is_same<A, float>) {
        if (dtype == dtype_of<float16>) return to_float(*(const float16 *)p);
        if (dtype == dtype_of<bfloat16>) return to_float(*(const bfloat16 *)p);
        return *(const float *)p;
    } else if constexpr (is_int<A> && sizeof(A) == 8) {
        const int bytes = integer_bytes(dtype);
        if (bytes == 8) return *(const A *)p;
        const bool is_negative_possible = dtype == 2 || dtype == 4 || dtype == 6;
        if (bytes == 4) return is_negative_possible ? (A) * (const int32_t *)p : (A) * (const uint32_t *)p;
        if (bytes == 2) return is_negative_possible ? (A) * (const int16_t *)p : (A) * (const uint16_t *)p;
        return is_negative_possible ? (A) * (const int8_t *)p : (A) * (const uint8_t *)p;
    } else {
        return *(const A *)p;
    }
}
template <class A> GNDI_FN void store_value(char *p, A x, int dtype) {
    if constexpr (is_same<A, float>) {
        if (dtype == dtype_of<float16>)
            *(float16 *)p = to_float16(x);
        else if (dtype == dtype_of<bfloat16>)
            *(bfloat16 *)p = to_bfloat16(x);
        else
            *(float *)p = x;
    } else if constexpr (is_int<A> && sizeof(A) == 8) {
        const int bytes = integer_bytes(dtype);
        if (dtype == dtype_of<bool>)
            *(bool *)p = x != 0;
        else if (bytes == 8)
            *(A *)p = x;
        else if (bytes == 4)
            *(uint32_t *)p = (uint32_t)x;
        else if (bytes == 2)
            *(uint16_t *)p = (uint16_t)x;
        else
            *(uint8_t *)p = (uint8_t)x;
    } else {
        *(A *)p = x;
    }
}

template <class A> GNDI_FN A start_value(const gndi_reduce_params &p) {
    const char *from = p.start_data ? p.start_data : (const char *)p.start;
    return load_value<A>(from, p.start_dtype);
}
template <class R> GNDI_FN typename R::acc with_start(const gndi_reduce_params &p, typename R::acc x) {
    return p.has_start ? R::combine(start_value<typename R::acc>(p), x) : x;
}
template <class A> GNDI_FN A divided(A x, double by) {
    if constexpr (is_complex<A>)
        return A{x.re / (real_t<A>)by, x.im / (real_t<A>)by};
    else
        return x / (A)by;
}
/* The sum of a group of numbers, finished. */
template <class A> GNDI_FN A finished(const gndi_reduce_params &p, A x) {
    if (p.finish == finish_divide) return divided(x, p.divisor);
    if constexpr (is_float<A>)
        if (p.finish == finish_sqrt) return m::sqrt(x);
    return x;
}
GNDI_FN double integer_value(const gndi_reduce_params &p, uint64_t x) {
    return p.signed_sum ? (double)(int64_t)x : (double)x;
}

/* One finished accumulator, to its position: sums, products and extremes. */
template <class R> struct result_of {
    GNDI_FN void store(const gndi_reduce_params &p, char *out, typename R::acc x) {
        x = with_start<R>(p, x);
        if constexpr (is_int<typename R::acc>) {
            if (p.finish == finish_divide)
                *(double *)out = integer_value(p, (uint64_t)x) / p.divisor;
            else
                store_value(out, x, p.out_dtype);
        } else {
            store_value(out, finished(p, x), p.out_dtype);
        }
    }
};

template <class S> struct result_of<reduce_count<S>> {
    GNDI_FN void store(const gndi_reduce_params &p, char *out, uint64_t x) {
        if (p.store_as == GNDI_STORE_COUNT) {
            if (p.has_start) x += start_value<uint64_t>(p);
            *(uint64_t *)out = x;
        } else {
            const bool all = p.store_as == GNDI_STORE_ALL;
            bool yes = all ? x == (uint64_t)p.length : x != 0;
            const char *from = p.start_data ? p.start_data : (const char *)p.start;
            if (p.has_start) yes = all ? yes & (*from != 0) : yes | (*from != 0);
            *(bool *)out = yes;
        }
    }
};

template <class T> struct result_of<reduce_mean<T>> {
    GNDI_FN void store(const gndi_reduce_params &p, char *out, sum_and_count<T> x) {
        if (p.has_start) x.sum = plus(start_value<T>(p), x.sum);
        if constexpr (is_int<T>)
            *(double *)out = integer_value(p, (uint64_t)x.sum) / (double)x.count;
        else
            store_value(out, divided(x.sum, (double)x.count), p.out_dtype);
    }
};

template <class T> struct result_of<reduce_extent<T>> {
    GNDI_FN void store(const gndi_reduce_params &p, char *out, extent<T> x) {
        if (p.store_as == GNDI_STORE_RANGE) {
            if constexpr (is_int<T>)
                store_value(out, (T)((uint64_t)x.largest - (uint64_t)x.smallest), p.out_dtype);
            else
                store_value(out, minus(x.largest, x.smallest), p.out_dtype);
            return;
        }
        const bool largest = p.store_as == GNDI_STORE_LARGEST;
        T value = largest ? x.largest : x.smallest;
        if (p.has_start) {
            const T start = start_value<T>(p);
            value = largest ? extreme<true>(start, value) : extreme<false>(start, value);
        }
        store_value(out, value, p.out_dtype);
    }
};

template <class T> struct result_of<reduce_variance<T>> {
    GNDI_FN void store(const gndi_reduce_params &p, char *out, moments<T> x) {
        typedef real_t<T> real;
        if (p.finish == finish_moments) {
            double *to = (double *)out;
            to[0] = x.count;
            if constexpr (is_complex<T>) {
                to[1] = (double)x.mean.re, to[2] = (double)x.mean.im, to[3] = (double)x.m2;
            } else {
                to[1] = (double)x.mean, to[2] = (double)x.m2;
            }
            return;
        }
        const double freedom = (double)x.count - p.ddof;
        real variance = limits<real>::nan();
        if (x.count && (freedom > 0 || !p.skip_nan))
            variance = x.m2 / (real)(freedom > 0 || freedom != freedom ? freedom : 0);
        store_value(out, p.finish == finish_sqrt ? m::sqrt(variance) : variance, p.out_dtype);
    }
};

template <class T> struct result_of<reduce_index<T>> {
    GNDI_FN void store(const gndi_reduce_params &p, char *out, indexed<T> x) {
        if (p.fault && !x.number) {
#if GNDI_ON_DEVICE
            atomicCAS(p.fault, 0, (int)GNDI_FAULT_ALL_NAN);
#else
            *p.fault = GNDI_FAULT_ALL_NAN;
#endif
        }
        *(int64_t *)out = x.index;
    }
};

template <class S> struct result_of<reduce_squares<S>> : result_of<reduce_sum<S>> {};

template <class R> GNDI_FN void store_result(const gndi_reduce_params &p, char *out, const typename R::acc &x) {
    result_of<R>::store(p, out, x);
}

/* The result as a value, where the output's dtype is the natural one: sums, products, extremes and
   counts of the dense kernels. */
template <class R> GNDI_FN natural_output_t<R> natural_result(const gndi_reduce_params &p, typename R::acc x) {
    typedef typename R::acc A;
    if constexpr (is_in_batches<R>) {
        return {};
    } else if constexpr (is_same<R, reduce_count<typename R::element>>) {
        return x;
    } else {
        x = with_start<R>(p, x);
        if constexpr (!is_int<A>) x = finished(p, x);
        if constexpr (is_half<typename R::element>)
            return from_compute<typename R::element>(x);
        else
            return x;
    }
}

/* V neighbouring outputs, natural and dense, in 16-byte stores. */
template <class R, int V>
GNDI_FN void store_dense(const gndi_reduce_params &p, char *out, const typename R::acc (&x)[V]) {
    typedef natural_output_t<R> S;
    constexpr int bytes = sizeof(S) * V, step = bytes < 16 ? bytes : 16, each = step / sizeof(S);
    typedef typename word<step>::type W;
#pragma unroll
    for (int b = 0; b < bytes / step; b++) {
        pack<S, each> results;
#pragma unroll
        for (int v = 0; v < each; v++) results.at[v] = natural_result<R>(p, x[b * each + v]);
        W w;
        memcpy(&w, &results, step);
        ((W *)out)[b] = w;
    }
}

} // namespace gnd

#endif
