/*
 * reduce_loops.hpp: the inner loops of folds, from the reducers of reduce_ops.h.
 */
#ifndef GNDI_CPU_REDUCE_LOOPS_HPP
#define GNDI_CPU_REDUCE_LOOPS_HPP

#include "reduce/cpu/reduce_loops.h"
#include "reduce/cpu/reduce_vectors.hpp"
#include "reduce/cpu/reduce_count.hpp"

namespace gnd {

template <class R> constexpr bool counts = false;
template <class S> constexpr bool counts<reduce_count<S>> = true;

/* ---- runs ----------------------------------------------------------------------------------- */

/* One by one, in eight chains; n is small, or there are no vectors of these. */
template <class R> static typename R::narrow fold_some(const typename R::element *x, int64_t n) {
    typename R::narrow lane[8];
    if (n < 8) {
        typename R::narrow sum = n > 0 ? R::lift(x[0]) : R::none();
        for (int64_t i = 1; i < n; i++) sum = R::fold(sum, R::lift(x[i]));
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

template <class R> static typename R::acc fold_pairwise(const typename R::element *x, int64_t n) {
    constexpr int64_t block = 1024;
    if (n <= block) return R::widen(fold_some<R>(x, n));
    const int64_t half = (n / 2 + block - 1) / block * block;
    return R::combine(fold_pairwise<R>(x, half), fold_pairwise<R>(x + half, n - half));
}

template <class R> static typename R::acc fold_run(const typename R::element *x, int64_t n) {
    if constexpr (counts<R>) {
        return vector_count<typename R::element>::run(x, n);
    } else if constexpr (!vector_fold<R>::on) {
        return fold_pairwise<R>(x, n);
    } else if constexpr (is_same<typename R::narrow, typename R::acc>) {
        typedef vector_run<R> vectors;
        if (n * vectors::each < vectors::lanes) return fold_some<R>(x, n);
        return vectors::run(x, n);
    } else { /* as many at a time as the narrow type holds */
        constexpr int64_t most = 32768;
        typename R::acc sum = R::identity();
        for (; n > 0; n -= most, x += most) {
            const int64_t some = n < most ? n : most;
            sum = R::combine(
                sum, R::widen(some < vector_run<R>::lanes ? fold_some<R>(x, some) : vector_run<R>::run(x, some)));
        }
        return sum;
    }
}

/* ---- many short runs ------------------------------------------------------------------------ */

/* As many runs as a vector has lanes, side by side: each is folded to a vector, and these are folded
   lane by lane, as a tree, to the vector of the results. A run that is no multiple of a vector is
   read beyond its end. */
template <class R> struct short_runs {
    typedef vector_run<R> vectors;
    typedef typename R::element S;
    typedef typename vectors::V V;
    static constexpr int lanes = vectors::lanes;
    static constexpr bool on = vector_fold<R>::on && !vectors::pairs && sizeof(typename vectors::N) >= 4;
    enum { LONGEST = 16 * lanes };

    /* Quick: by watched instructions. */
    typedef typename vector_type<lane_int<typename vectors::N>, lanes>::type Mask;
    struct unwatched {
        void look(const V &, const V &) {}
        bool any() const { return false; }
    };
    struct plain_fold {
        typedef unwatched watcher;
    };
    template <bool Quick> using watcher_of = typename choose_t<Quick, watched_fold<R>, plain_fold>::watcher;
    template <bool Quick> GNDI_FN V fold(const V &a, const V &b) {
        if constexpr (Quick)
            return watched_fold<R>::fold(b, a);
        else
            return vectors::fold(a, b);
    }

    template <bool Quick, int Count> GNDI_FN void join(V *v) {
        const auto even = lane_numbers<typename vectors::I, lanes>([](int k) { return 2 * k; });
        const auto odd = lane_numbers<typename vectors::I, lanes>([](int k) { return 2 * k + 1; });
#pragma GCC unroll 8
        for (int k = 0; k < Count / 2; k++)
            v[k] = fold<Quick>(__builtin_shuffle(v[2 * k], v[2 * k + 1], even),
                               __builtin_shuffle(v[2 * k], v[2 * k + 1], odd));
        if constexpr (Count > 2) join<Quick, Count / 2>(v);
    }

    /* `lanes` runs of n elements: `whole` vectors, and what `keep` leaves of one more. False if
       there is a NaN that this cannot take. */
    template <bool Quick>
    GNDI_FN bool some(const char *x, int64_t step, int64_t whole, bool more, const Mask &keep, V &result) {
        const V none = V{} + vectors::none();
        V v[lanes], next;
        watcher_of<Quick> watcher;
#pragma GCC unroll 16
        for (int k = 0; k < lanes; k++) {
            const S *run = (const S *)(x + k * step);
            v[k] = none;
            if (more) v[k] = keep ? vectors::at(run + whole * lanes) : none;
            watcher.look(v[k], v[k]);
#pragma GCC unroll 1
            for (int64_t i = 0; i < whole; i++) {
                next = vectors::at(run + i * lanes);
                watcher.look(next, next);
                v[k] = fold<Quick>(v[k], next);
            }
        }
        join<Quick, lanes>(v);
        result = v[0];
        return !watcher.any();
    }

    static void take(const char *x, int64_t step, int64_t n, int64_t count, typename R::acc *acc) {
        const int64_t whole = n / lanes, more = n % lanes, bytes = n * (int64_t)sizeof(S);
        const int64_t reach = (whole + (more != 0)) * lanes * (int64_t)sizeof(S);
        const auto keep = lane_numbers<typename vectors::I, lanes>([](int k) { return k; }) <
                          (typename vectors::I){} + (lane_int<typename vectors::N>)more;
        const char *end = x + (count - 1) * step + bytes;
        char padded[lanes * (LONGEST + lanes) * sizeof(S)];
        for (int64_t i = 0; i < count; i += lanes, x += lanes * step) {
            const char *from = x;
            int64_t from_step = step;
            const int64_t here = count - i < lanes ? count - i : lanes;
            if (here < lanes || x + (lanes - 1) * step + reach > end) { /* the last ones, by way of a copy */
                memset(padded, 0, (size_t)(lanes * reach));
                for (int64_t k = 0; k < here; k++) memcpy(padded + k * reach, x + k * step, (size_t)bytes);
                from = padded, from_step = reach;
            }
            V result;
            constexpr bool quick = watched_fold<R>::on;
            if (!some<quick>(from, from_step, whole, more != 0, keep, result))
                some<false>(from, from_step, whole, more != 0, keep, result);
            for (int64_t k = 0; k < here; k++) acc[i + k] = R::combine(acc[i + k], R::widen(result[k]));
        }
    }
};

template <class R> static void runs(const char *x, int64_t step, int64_t n, int64_t count, void *to) {
    typename R::acc *acc = (typename R::acc *)to;
    if constexpr (short_runs<R>::on) {
        if (count >= short_runs<R>::lanes / 2 && n <= short_runs<R>::LONGEST && n > 0) {
            short_runs<R>::take(x, step, n, count, acc);
            return;
        }
    }
    for (int64_t i = 0; i < count; i++, x += step)
        acc[i] = R::combine(acc[i], fold_run<R>((const typename R::element *)x, n));
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Four vectors at the same position of four rows, a row apart, into `sum`. */
template <class R>
GNDI_FN void fold_four(const typename vector_run<R>::E *x, int64_t step, typename vector_run<R>::V &sum) {
    typedef vector_run<R> vectors;
    typedef typename vectors::E E;
    /* Four short pieces of memory at once are too much for the hardware's prefetching: the next four rows. */
    for (int k = 4; k < 8; k++) __builtin_prefetch((const char *)x + k * step, 0, 2);
    typename vectors::V a = vectors::at(x), b = vectors::at((const E *)((const char *)x + step));
    typename vectors::V c = vectors::at((const E *)((const char *)x + 2 * step)),
                        d = vectors::at((const E *)((const char *)x + 3 * step));
    if constexpr (watched_fold<R>::on) {
        typedef watched_fold<R> quick;
        typename quick::watcher watcher;
        watcher.look(a, b), watcher.look(c, d);
        if (__builtin_expect(!watcher.any(), 1)) {
            sum = quick::fold(quick::fold(quick::fold(a, b), quick::fold(c, d)), sum);
            return;
        }
    }
    vectors::op::fold(a, b), vectors::op::fold(c, d), vectors::op::fold(a, c);
    vectors::op::fold(sum, a);
}

/* Rows of n lanes into as many lanes of sums. */
template <class R> static void lane_rows(const char *x, int64_t step, int64_t count, int64_t n,
                                         typename vector_run<R>::N *__restrict acc) {
    typedef vector_run<R> vectors;
    typedef typename vectors::E E;
    typename vectors::V sum;
    for (; count >= 4; count -= 4, x += 4 * step)
        for (int64_t j = 0; j < n; j += vectors::lanes) {
            memcpy(&sum, acc + j, sizeof sum);
            fold_four<R>((const E *)x + j, step, sum);
            memcpy(acc + j, &sum, sizeof sum);
        }
    for (; count > 0; count--, x += step)
        for (int64_t j = 0; j < n; j += vectors::lanes) {
            memcpy(&sum, acc + j, sizeof sum);
            vectors::op::fold(sum, vectors::at((const E *)x + j));
            memcpy(acc + j, &sum, sizeof sum);
        }
}

/* The last lanes of n, fewer than a vector has; n is more than that. */
template <class R>
static void last_lanes(const char *x, int64_t step, int64_t count, int64_t n, typename vector_run<R>::N *acc) {
    typedef vector_run<R> vectors;
    typedef typename vectors::E E;
    constexpr int lanes = vectors::lanes;
    const auto numbers = lane_numbers<typename vectors::I, lanes>([](int k) { return k; });
    const auto first = (lane_int<typename vectors::N>)(lanes - n % lanes);
    const auto keep = numbers >= first;
    typename vectors::V sum, before;
    memcpy(&before, acc + n - lanes, sizeof before);
    sum = before;
    for (; count > 0; count--, x += step) vectors::op::fold(sum, vectors::at((const E *)x + n - lanes));
    sum = keep ? sum : before;
    memcpy(acc + n - lanes, &sum, sizeof sum);
}

/* The columns that fill no vector, and reducers without vectors. */
template <class R>
static void column_rows(const char *x, int64_t step, int64_t count, int64_t n, typename R::acc *__restrict acc) {
    typedef typename R::element S;
    for (; count >= 4; count -= 4, x += 4 * step) {
        const S *a = (const S *)x, *b = (const S *)(x + step), *c = (const S *)(x + 2 * step),
                *d = (const S *)(x + 3 * step);
        for (int64_t j = 0; j < n; j++)
            acc[j] = R::combine(acc[j], R::widen(R::fold(R::fold(R::lift(a[j]), R::lift(b[j])),
                                                         R::fold(R::lift(c[j]), R::lift(d[j])))));
    }
    for (; count > 0; count--, x += step) {
        const S *a = (const S *)x;
        for (int64_t j = 0; j < n; j++) acc[j] = R::combine(acc[j], R::widen(R::lift(a[j])));
    }
}

/* By way of narrow sums of as many rows as they hold. */
template <class R>
static void narrow_rows(const char *x, int64_t step, int64_t count, int64_t n, typename R::acc *acc) {
    constexpr int64_t columns = 2048, most = 4096;
    typename R::narrow part[columns];
    for (int64_t r = 0; r < count; r += most)
        for (int64_t k = 0; k < n; k += columns) {
            const int64_t width = n - k < columns ? n - k : columns;
            for (int64_t j = 0; j < width; j++) part[j] = R::none();
            lane_rows<R>(x + r * step + k * (int64_t)sizeof(typename R::element), step,
                         count - r < most ? count - r : most, width, part);
            for (int64_t j = 0; j < width; j++) acc[k + j] = R::combine(acc[k + j], R::widen(part[j]));
        }
}

template <class R> static void rows(const char *x, int64_t step, int64_t count, int64_t n, void *to) {
    typename R::acc *acc = (typename R::acc *)to;
    if constexpr (counts<R>) {
        vector_count<typename R::element>::rows(x, step, count, n, acc);
    } else {
        int64_t whole = 0;
        if constexpr (vector_fold<R>::on) {
            typedef vector_run<R> vectors;
            whole = n * vectors::each / vectors::lanes * vectors::lanes / vectors::each;
            if constexpr (is_same<typename R::narrow, typename R::acc>) {
                if (whole) {
                    const int64_t all = n * vectors::each;
                    lane_rows<R>(x, step, count, whole * vectors::each, (typename vectors::N *)to);
                    if (whole < n) last_lanes<R>(x, step, count, all, (typename vectors::N *)to);
                    return;
                }
            } else if constexpr (!is_same<typename R::narrow, typename R::acc>)
                narrow_rows<R>(x, step, count, whole, acc);
        }
        column_rows<R>(x + whole * (int64_t)sizeof(typename R::element), step, count, n - whole, acc + whole);
    }
}

/* ---- the table ------------------------------------------------------------------------------ */

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
    fill<reduce_count<float>>(&by_dtype[GND_FLOAT32]), fill<reduce_count<double>>(&by_dtype[GND_FLOAT64]);
    by_dtype[GND_BOOL] = by_dtype[GND_INT8] = by_dtype[GND_UINT8];
    by_dtype[GND_INT16] = by_dtype[GND_UINT16];
    by_dtype[GND_INT32] = by_dtype[GND_UINT32];
    by_dtype[GND_INT64] = by_dtype[GND_UINT64];
}

template <bool Largest, class T> static void numbers_extreme(const char *x, int64_t n, void *acc) {
    typedef vector_run<reduce_extreme<Largest, T>> vectors;
    if constexpr (watched_fold<reduce_extreme<Largest, T>>::on) *(T *)acc = vectors::numbers((const T *)x, n);
}

static void fill_numbers_extremes(gndi_cpu_reductions *table) {
#if defined(__SSE2__)
    table->numbers_extreme[0][0] = numbers_extreme<false, float>;
    table->numbers_extreme[0][1] = numbers_extreme<false, double>;
    table->numbers_extreme[1][0] = numbers_extreme<true, float>;
    table->numbers_extreme[1][1] = numbers_extreme<true, double>;
#else
    memset(table->numbers_extreme, 0, sizeof table->numbers_extreme);
#endif
    table->bytes_are = bytes_are;
}

/* ---- masks ---------------------------------------------------------------------------------- */

template <class U>
static void choose_loop(const char *x, const uint8_t *taken, const char *neutral, char *to, int64_t n) {
    U other;
    memcpy(&other, neutral, sizeof other);
    const U *__restrict from = (const U *)x;
    U *__restrict y = (U *)to;
    for (int64_t i = 0; i < n; i++) y[i] = taken[i] ? from[i] : other;
}

static void choose_sixteen(const char *x, const uint8_t *taken, const char *neutral, char *to, int64_t n) {
    for (int64_t i = 0; i < n; i++) memcpy(to + 16 * i, taken[i] ? x + 16 * i : neutral, 16);
}

static void fill_choices(void (**choose)(const char *, const uint8_t *, const char *, char *, int64_t)) {
    choose[0] = choose_loop<uint8_t>, choose[1] = choose_loop<uint16_t>;
    choose[2] = choose_loop<uint32_t>, choose[3] = choose_loop<uint64_t>;
    choose[4] = choose_sixteen;
}

} // namespace gnd

#endif
