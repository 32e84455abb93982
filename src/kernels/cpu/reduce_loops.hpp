/*
 * reduce_loops.hpp: the inner loops of reductions, from the reducers of reduce_ops.h. Runs are
 * folded in vectors, block by block, and blocks joined pairwise, so that the error of a sum grows
 * with the logarithm of its length.
 */
#ifndef GNDI_CPU_REDUCE_LOOPS_HPP
#define GNDI_CPU_REDUCE_LOOPS_HPP

#include "kernels/cpu/reduce_loops.h"
#include "kernels/cpu/reduce_vectors.hpp"

namespace gnd {

template <class R> constexpr bool counts = false;
template <class S> constexpr bool counts<reduce_count<S>> = !is_complex<S>;

template <class R> constexpr bool sums_pairs = false;
template <class T> constexpr bool sums_pairs<reduce_sum<complex<T>>> = true;

/* The elements of a block: chains of 16 additions, as in NumPy's pairwise sum; longer ones where
   nothing is rounded. */
template <class R> constexpr int block_of() {
    if constexpr (counts<R>)
        return vector_count<typename R::element>::lanes * 127;
    else if constexpr (sums_pairs<R>)
        return vector_run<reduce_sum<real_t<typename R::element>>>::step * 8;
    else if constexpr (vector_fold<R>::on)
        return vector_run<R>::step * (vector_fold<R>::exact ? 1024 : 16);
    else
        return 128;
}

/* One by one, in eight chains. */
template <class R> static typename R::narrow fold_some(const typename R::element *x, int64_t n) {
    typename R::narrow lane[8];
    if (n < 8) {
        typename R::narrow sum = R::none();
        for (int64_t i = 0; i < n; i++) sum = R::fold(sum, R::lift(x[i]));
        return sum;
    }
    for (int k = 0; k < 8; k++) lane[k] = R::lift(x[k]);
    int64_t i = 8;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++) lane[k] = R::fold(lane[k], R::lift(x[i + k]));
    for (int k = 0; i < n; i++, k++) lane[k] = R::fold(lane[k], R::lift(x[i]));
    for (int width = 4; width > 0; width /= 2)
        for (int k = 0; k < width; k++) lane[k] = R::fold(lane[k], lane[k + width]);
    return lane[0];
}

template <class R> static typename R::acc fold_block(const typename R::element *x, int64_t n) {
    if constexpr (counts<R>) {
        typedef vector_count<typename R::element> vectors;
        const int64_t whole = n / vectors::lanes;
        return R::widen(vectors::count(x, whole) +
                        fold_some<R>(x + whole * vectors::lanes, n - whole * vectors::lanes));
    } else if constexpr (sums_pairs<R>) {
        typedef real_t<typename R::element> real;
        typedef vector_run<reduce_sum<real>> vectors;
        const int64_t whole = 2 * n / vectors::step * vectors::step;
        if (whole == 0) return fold_some<R>(x, n);
        real lane[vectors::lanes];
        vectors::fold_to((const real *)x, whole, 2, lane);
        return plus(typename R::acc{lane[0], lane[1]}, fold_some<R>(x + whole / 2, n - whole / 2));
    } else if constexpr (vector_fold<R>::on) {
        typedef vector_run<R> vectors;
        const int64_t whole = n / vectors::step * vectors::step;
        if (whole == 0) return R::widen(fold_some<R>(x, n));
        typename R::narrow lane[vectors::lanes];
        vectors::fold_to(x, whole, 1, lane);
        return R::widen(R::fold(lane[0], fold_some<R>(x + whole, n - whole)));
    } else {
        return R::widen(fold_some<R>(x, n));
    }
}

template <class R> static typename R::acc fold_pairwise(const typename R::element *x, int64_t n) {
    constexpr int64_t block = block_of<R>();
    if (n <= block) return fold_block<R>(x, n);
    const int64_t half = (n / 2 + block - 1) / block * block;
    return R::combine(fold_pairwise<R>(x, half), fold_pairwise<R>(x + half, n - half));
}

template <class R>
static void runs(const char *x, int64_t step, int64_t n, int64_t count, void *to) {
    typename R::acc *acc = (typename R::acc *)to;
    for (int64_t i = 0; i < count; i++, x += step)
        acc[i] = R::combine(acc[i], fold_pairwise<R>((const typename R::element *)x, n));
}

template <class R>
static void rows(const char *x, int64_t step, int64_t count, int64_t n, void *to) {
    typedef typename R::element S;
    typename R::acc *__restrict acc = (typename R::acc *)to;
    for (; count >= 4; count -= 4, x += 4 * step) {
        const S *__restrict a = (const S *)x, *__restrict b = (const S *)(x + step);
        const S *__restrict c = (const S *)(x + 2 * step), *__restrict d =
                                                               (const S *)(x + 3 * step);
        int64_t j = 0;
        if constexpr (vector_fold<R>::on && is_same<typename R::narrow, typename R::acc>) {
            typedef vector_run<R> vectors;
            typename vectors::V sum, part, more, other;
            for (; j + vectors::lanes <= n; j += vectors::lanes) {
                memcpy(&sum, acc + j, sizeof sum);
                vectors::load::from(a + j, part), vectors::load::from(b + j, other);
                vectors::op::fold(part, other);
                vectors::load::from(c + j, more), vectors::load::from(d + j, other);
                vectors::op::fold(more, other), vectors::op::fold(part, more);
                vectors::op::fold(sum, part);
                memcpy(acc + j, &sum, sizeof sum);
            }
        }
        for (; j < n; j++)
            acc[j] = R::combine(acc[j], R::widen(R::fold(R::fold(R::lift(a[j]), R::lift(b[j])),
                                                         R::fold(R::lift(c[j]), R::lift(d[j])))));
    }
    for (; count > 0; count--, x += step) {
        const S *__restrict a = (const S *)x;
        for (int64_t j = 0; j < n; j++) acc[j] = R::combine(acc[j], R::widen(R::lift(a[j])));
    }
}

/* Rows of complex numbers are added as rows of twice as many real ones. */
template <class R>
static void paired_rows(const char *x, int64_t step, int64_t count, int64_t n, void *to) {
    rows<reduce_sum<real_t<typename R::element>>>(x, step, count, 2 * n, to);
}

template <class R> static void clear(void *acc, int64_t n) {
    for (int64_t j = 0; j < n; j++) ((typename R::acc *)acc)[j] = R::identity();
}
template <class R> static void join(void *to, const void *with, int64_t n) {
    typename R::acc *acc = (typename R::acc *)to;
    const typename R::acc *other = (const typename R::acc *)with;
    for (int64_t j = 0; j < n; j++) acc[j] = R::combine(acc[j], other[j]);
}

template <class R> static void fill(gndi_cpu_reduction *to) {
    typedef typename R::element S;
    S neutral = {};
    if constexpr (is_same<R, reduce_count<S>>)
        neutral = S{};
    else if constexpr (is_half<S>)
        neutral = from_compute<S>(R::identity());
    else
        neutral = (S)R::identity();
    if constexpr (sums_pairs<R>)
        to->rows = paired_rows<R>;
    else
        to->rows = rows<R>;
    to->runs = runs<R>, to->clear = clear<R>, to->join = join<R>;
    to->size = (int)sizeof(typename R::acc);
    memcpy(to->neutral, &neutral, sizeof neutral);
}

template <template <class> class R> static void fill_numbers(gndi_cpu_reduction *by_dtype) {
    fill<R<int8_t>>(&by_dtype[GND_INT8]), fill<R<uint8_t>>(&by_dtype[GND_UINT8]);
    fill<R<int16_t>>(&by_dtype[GND_INT16]), fill<R<uint16_t>>(&by_dtype[GND_UINT16]);
    fill<R<int32_t>>(&by_dtype[GND_INT32]), fill<R<uint32_t>>(&by_dtype[GND_UINT32]);
    fill<R<int64_t>>(&by_dtype[GND_INT64]), fill<R<uint64_t>>(&by_dtype[GND_UINT64]);
    fill<R<float16>>(&by_dtype[GND_FLOAT16]), fill<R<bfloat16>>(&by_dtype[GND_BFLOAT16]);
    fill<R<float>>(&by_dtype[GND_FLOAT32]), fill<R<double>>(&by_dtype[GND_FLOAT64]);
    fill<R<complex<float>>>(&by_dtype[GND_COMPLEX64]);
    fill<R<complex<double>>>(&by_dtype[GND_COMPLEX128]);
    by_dtype[GND_BOOL] = by_dtype[GND_UINT8];
}

/* Integers of one size are zero alike. */
static void fill_count(gndi_cpu_reduction *by_dtype) {
    fill<reduce_count<float16>>(&by_dtype[GND_FLOAT16]);
    fill<reduce_count<bfloat16>>(&by_dtype[GND_BFLOAT16]);
    fill<reduce_count<complex<float>>>(&by_dtype[GND_COMPLEX64]);
    fill<reduce_count<complex<double>>>(&by_dtype[GND_COMPLEX128]);
    fill<reduce_count<uint8_t>>(&by_dtype[GND_UINT8]);
    fill<reduce_count<uint16_t>>(&by_dtype[GND_UINT16]);
    fill<reduce_count<uint32_t>>(&by_dtype[GND_UINT32]);
    fill<reduce_count<uint64_t>>(&by_dtype[GND_UINT64]);
    fill<reduce_count<float>>(&by_dtype[GND_FLOAT32]),
        fill<reduce_count<double>>(&by_dtype[GND_FLOAT64]);
    by_dtype[GND_BOOL] = by_dtype[GND_INT8] = by_dtype[GND_UINT8];
    by_dtype[GND_INT16] = by_dtype[GND_UINT16];
    by_dtype[GND_INT32] = by_dtype[GND_UINT32];
    by_dtype[GND_INT64] = by_dtype[GND_UINT64];
}

/* ---- masks ---------------------------------------------------------------------------------- */

template <class U> static void choose_loop(const char *x, const uint8_t *taken, const char *neutral,
                                           char *to, int64_t n) {
    U other;
    memcpy(&other, neutral, sizeof other);
    const U *__restrict from = (const U *)x;
    U *__restrict y = (U *)to;
    for (int64_t i = 0; i < n; i++) y[i] = taken[i] ? from[i] : other;
}

static void choose_sixteen(const char *x, const uint8_t *taken, const char *neutral, char *to,
                           int64_t n) {
    for (int64_t i = 0; i < n; i++) memcpy(to + 16 * i, taken[i] ? x + 16 * i : neutral, 16);
}

static void fill_choices(void (**choose)(const char *, const uint8_t *, const char *, char *,
                                         int64_t)) {
    choose[0] = choose_loop<uint8_t>, choose[1] = choose_loop<uint16_t>;
    choose[2] = choose_loop<uint32_t>, choose[3] = choose_loop<uint64_t>;
    choose[4] = choose_sixteen;
}

} // namespace gnd

#endif
