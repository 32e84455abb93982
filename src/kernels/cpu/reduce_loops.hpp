/*
 * reduce_loops.hpp: the inner loops of reductions, from the reducers of reduce_ops.h. Sums run in
 * independent lanes that the compiler makes vectors of; blocks of them are added pairwise, so that
 * the error grows with the logarithm of the length.
 */
#include "kernels/cpu/reduce_loops.h"
#include "kernels/reduce_ops.h"

namespace gnd {

/* Elements whose lanes are added one after the other: NumPy's pairwise sum has the same depth. */
template <class R> constexpr int lanes_of = sizeof(typename R::narrow) <= 4   ? 32
                                            : sizeof(typename R::narrow) <= 8 ? 16
                                                                              : 8;
template <class R> constexpr int block_of = 16 * lanes_of<R>;

template <class R> static typename R::acc fold_block(const typename R::element *x, int64_t n) {
    constexpr int L = lanes_of<R>;
    typename R::narrow lane[L];
    if (n < L) {
        typename R::narrow sum = R::none();
        for (int64_t i = 0; i < n; i++) sum = R::fold(sum, R::lift(x[i]));
        return R::widen(sum);
    }
    for (int k = 0; k < L; k++) lane[k] = R::lift(x[k]);
    int64_t i = L;
    for (; i + L <= n; i += L)
        for (int k = 0; k < L; k++) lane[k] = R::fold(lane[k], R::lift(x[i + k]));
    for (int k = 0; i < n; i++, k++) lane[k] = R::fold(lane[k], R::lift(x[i]));
    for (int width = L / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++) lane[k] = R::fold(lane[k], lane[k + width]);
    return R::widen(lane[0]);
}

template <class R> static typename R::acc fold_pairwise(const typename R::element *x, int64_t n) {
    constexpr int64_t block = block_of<R>;
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
        for (int64_t j = 0; j < n; j++)
            acc[j] = R::combine(acc[j], R::widen(R::fold(R::fold(R::lift(a[j]), R::lift(b[j])),
                                                         R::fold(R::lift(c[j]), R::lift(d[j])))));
    }
    for (; count > 0; count--, x += step) {
        const S *__restrict a = (const S *)x;
        for (int64_t j = 0; j < n; j++) acc[j] = R::combine(acc[j], R::widen(R::lift(a[j])));
    }
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
    to->runs = runs<R>, to->rows = rows<R>, to->clear = clear<R>, to->join = join<R>;
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

} // namespace gnd
