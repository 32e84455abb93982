/*
 * reduce_places.hpp: the first smallest or largest element and its index. A run is cut into pieces
 * whose best value is found by the fold of the same name, in vectors; only a piece that has a new
 * best is searched for it. Of rows, the best of a few dozen are kept beside their numbers in
 * vectors of the elements' size.
 */
#include "kernels/cpu/reduce_vectors.hpp"

namespace gnd {

template <class A> GNDI_FN bool is_a_nan(A x) {
    if constexpr (is_complex<A>)
        return (x.re != x.re) | (x.im != x.im);
    else if constexpr (is_float<A>)
        return x != x;
    else
        return false;
}

/* Whether a comes before b, wherever they are; NaN before all. */
template <bool Largest, class A> GNDI_FN bool is_better(A a, A b) {
    if (is_a_nan(b)) return false;
    if (is_a_nan(a)) return true;
    if constexpr (is_complex<A>)
        return Largest ? a.re > b.re || (a.re == b.re && a.im > b.im)
                       : a.re < b.re || (a.re == b.re && a.im < b.im);
    else
        return Largest ? a > b : a < b;
}
template <class A> GNDI_FN bool is_as_good(A a, A b) {
    if (is_a_nan(a)) return is_a_nan(b);
    if constexpr (is_complex<A>)
        return (a.re == b.re) & (a.im == b.im);
    else
        return a == b;
}

template <bool Largest, class S> struct place_loops {
    typedef reduce_extreme<Largest, S> R;
    typedef compute_t<S> A;
    static constexpr int piece = 8192 / (int)sizeof(S), most_rows = 120,
                         lanes = GNDI_VECTOR_BYTES / (int)sizeof(A), columns = 512;

    GNDI_FN void keep(A value, int64_t index, A *best, int64_t *place) {
        const bool better = is_better<Largest>(value, *best);
        if (*place < 0 || better || (is_as_good(value, *best) && index < *place))
            *best = value, *place = index;
    }

    /* The first or last element as good as `value`; there is one. */
    static int64_t find(const S *x, int64_t n, A value, bool last) {
        constexpr int64_t some = 64;
        int64_t from = 0;
        for (int64_t k = 0; k < n; k += some) {
            const int64_t end = k + some < n ? k + some : n;
            const S *part = last ? x + (n - end) : x + k;
            bool found = false;
            for (int64_t i = 0; i < end - k; i++) found |= is_as_good(to_compute(part[i]), value);
            from = part - x;
            if (found) break;
        }
        int64_t i = last ? (from + some < n ? from + some : n) - 1 : from;
        while (!is_as_good(to_compute(x[i]), value)) i += last ? -1 : 1;
        return i;
    }

    static void run(const S *x, int64_t n, int64_t index, int64_t index_step, A *best,
                    int64_t *place) {
        for (int64_t k = 0; k < n; k += piece, index += piece * index_step) {
            const int64_t m = n - k < piece ? n - k : piece;
            const A value = fold_run<R>(x + k, m);
            const int64_t lowest = index_step < 0 ? index + (m - 1) * index_step : index;
            if (*place >= 0 && !is_better<Largest>(value, *best) &&
                !(is_as_good(value, *best) && lowest < *place))
                continue;
            keep(value, index + find(x + k, m, value, index_step < 0) * index_step, best, place);
        }
    }

    static void runs(const char *x, int64_t step, int64_t n, int64_t count, int64_t index,
                     int64_t index_step, char *best, int64_t *place) {
        for (int64_t i = 0; i < count; i++)
            run((const S *)(x + i * step), n, index, index_step, (A *)best + i, place + i);
    }

    /* At most most_rows rows of at most `columns` elements. Last: of equal ones the last row. */
    template <bool Last> static void some_rows(const char *x, int64_t step, int64_t rows, int64_t n,
                                               A *best, uint8_t *row) {
        typedef vector_load<S, A, lanes> load;
        typedef typename load::V V;
        typedef typename vector_type<lane_int<A>, lanes>::type I;
        typedef typename vector_type<uint8_t, lanes>::type Bytes;
        int64_t j = 0;
        for (; j + lanes <= n; j += lanes) {
            V value, other;
            I at = {};
            load::from((const S *)x + j, value);
            for (int64_t r = 1; r < rows; r++) {
                load::from((const S *)(x + r * step) + j, other);
                I better = Last ? (Largest ? other >= value : other <= value)
                                : (Largest ? other > value : other < value);
                if constexpr (is_float<A>) {
                    if constexpr (Last)
                        better = better | (I)(other != other);
                    else
                        better = (better | (I)(other != other)) & (I)(value == value);
                }
                value = better ? other : value;
                at = better ? I{} + (lane_int<A>)r : at;
            }
            const Bytes narrow = __builtin_convertvector(at, Bytes);
            memcpy(best + j, &value, sizeof value);
            memcpy(row + j, &narrow, sizeof narrow);
        }
        for (; j < n; j++) {
            best[j] = to_compute(((const S *)x)[j]), row[j] = 0;
            for (int64_t r = 1; r < rows; r++) {
                const A other = to_compute(((const S *)(x + r * step))[j]);
                if (is_better<Largest>(other, best[j]) || (Last && is_as_good(other, best[j])))
                    best[j] = other, row[j] = (uint8_t)r;
            }
        }
    }

    static void rows(const char *x, int64_t step, int64_t rows, int64_t n, int64_t index,
                     int64_t index_step, char *best, int64_t *place) {
        if constexpr (is_complex<A>) {
            for (int64_t r = 0; r < rows; r++)
                for (int64_t j = 0; j < n; j++)
                    keep(((const S *)(x + r * step))[j], index + r * index_step, (A *)best + j,
                         place + j);
        } else {
            A value[columns];
            uint8_t row[columns];
            for (int64_t r = 0; r < rows; r += most_rows)
                for (int64_t k = 0; k < n; k += columns) {
                    const int64_t height = rows - r < most_rows ? rows - r : most_rows;
                    const int64_t width = n - k < columns ? n - k : columns;
                    const char *from = x + r * step + k * (int64_t)sizeof(S);
                    if (index_step < 0)
                        some_rows<true>(from, step, height, width, value, row);
                    else
                        some_rows<false>(from, step, height, width, value, row);
                    for (int64_t j = 0; j < width; j++)
                        keep(value[j], index + (r + row[j]) * index_step, (A *)best + k + j,
                             place + k + j);
                }
        }
    }

    static void masked(const char *x, const uint8_t *mask, int64_t n, int64_t index,
                       int64_t index_step, int64_t best_step, char *best, int64_t *place) {
        for (int64_t i = 0; i < n; i++)
            if (mask[i])
                keep(to_compute(((const S *)x)[i]), index + i * index_step,
                     (A *)best + i * best_step, place + i * best_step);
    }

    static void join(const char *from, const int64_t *from_place, int64_t n, char *best,
                     int64_t *place) {
        for (int64_t i = 0; i < n; i++)
            if (from_place[i] >= 0)
                keep(((const A *)from)[i], from_place[i], (A *)best + i, place + i);
    }

    static void fill(gndi_cpu_place *to) {
        to->runs = runs, to->rows = rows, to->masked = masked, to->join = join;
        to->size = (int)sizeof(A);
    }
};

template <bool Largest> static void fill_places(gndi_cpu_place *by_dtype) {
    place_loops<Largest, int8_t>::fill(&by_dtype[GND_INT8]);
    place_loops<Largest, uint8_t>::fill(&by_dtype[GND_UINT8]);
    place_loops<Largest, int16_t>::fill(&by_dtype[GND_INT16]);
    place_loops<Largest, uint16_t>::fill(&by_dtype[GND_UINT16]);
    place_loops<Largest, int32_t>::fill(&by_dtype[GND_INT32]);
    place_loops<Largest, uint32_t>::fill(&by_dtype[GND_UINT32]);
    place_loops<Largest, int64_t>::fill(&by_dtype[GND_INT64]);
    place_loops<Largest, uint64_t>::fill(&by_dtype[GND_UINT64]);
    place_loops<Largest, float16>::fill(&by_dtype[GND_FLOAT16]);
    place_loops<Largest, bfloat16>::fill(&by_dtype[GND_BFLOAT16]);
    place_loops<Largest, float>::fill(&by_dtype[GND_FLOAT32]);
    place_loops<Largest, double>::fill(&by_dtype[GND_FLOAT64]);
    place_loops<Largest, complex<float>>::fill(&by_dtype[GND_COMPLEX64]);
    place_loops<Largest, complex<double>>::fill(&by_dtype[GND_COMPLEX128]);
    by_dtype[GND_BOOL] = by_dtype[GND_UINT8];
}

} // namespace gnd
