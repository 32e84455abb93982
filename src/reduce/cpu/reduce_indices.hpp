/*
 * reduce_indices.hpp: the first smallest or largest element and its index. A run is cut into pieces
 * whose best value is found by the fold of the same name, in vectors; only a piece that has a new
 * best is searched for it. Of rows, the best of a few dozen are kept beside their numbers in
 * vectors of the elements' size.
 */
#include "reduce/cpu/reduce_count.hpp"

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
        return Largest ? a.re > b.re || (a.re == b.re && a.im > b.im) : a.re < b.re || (a.re == b.re && a.im < b.im);
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

template <bool Largest, class S> struct index_loops {
    typedef reduce_extreme<Largest, S> R;
    typedef compute_t<S> A;
    static constexpr int small_piece = 16384 / (int)sizeof(S), most_rows = 120,
                         lanes = GNDI_VECTOR_BYTES / (int)sizeof(A), columns = 512;

    GNDI_FN void keep(A value, int64_t index, A *best, int64_t *best_index) {
        const bool better = is_better<Largest>(value, *best);
        if (*best_index < 0 || better || (is_as_good(value, *best) && index < *best_index))
            *best = value, *best_index = index;
    }

    typedef vector_load<S, A, lanes> load;
    typedef choose_t<is_complex<A>, real_t<A>, A> part; /* a complex number is a pair of lanes */
    static constexpr int bits = lane_bits<part> * (int)(sizeof(A) / sizeof(part));

    /* Which elements are as good: the lowest of their `bits` are set. */
    GNDI_FN uint64_t good_lanes(const S *x, A value, bool nan) {
        if constexpr (is_complex<A>) {
            constexpr int parts = 2 * lanes;
            typename vector_type<part, parts>::type v;
            memcpy(&v, x, sizeof v);
            constexpr uint64_t first = ~0ull / ((1ull << (bits - 1) << 1) - 1) * ((1ull << bits / 2) - 1);
            const auto same = lane_numbers<part, parts>([value](int k) { return k & 1 ? value.im : value.re; });
            const uint64_t like = lanes_like<part>(v, same, nan), other = like >> bits / 2;
            return (nan ? like | other : like & other) & first;
        } else {
            typename load::V v;
            load::from(x, v);
            return lanes_like<A>(v, typename load::V{} + value, nan);
        }
    }
    GNDI_FN int lane_of(uint64_t good, bool last) {
        return (last ? 63 - __builtin_clzll(good) : __builtin_ctzll(good)) / bits;
    }

    /* The first or last element as good as `value`; there is one. */
    static int64_t find(const S *x, int64_t n, A value, bool last) {
        int64_t i = 0;
        const bool nan = is_a_nan(value);
        constexpr int64_t four = 4 * lanes;
        for (; i + four <= n; i += four) {
            const S *at = last ? x + (n - four - i) : x + i;
            const uint64_t a = good_lanes(at, value, nan), b = good_lanes(at + lanes, value, nan);
            const uint64_t c = good_lanes(at + 2 * lanes, value, nan), d = good_lanes(at + 3 * lanes, value, nan);
            if (!(a | b | c | d)) continue;
            if constexpr (4 * lanes * bits > 64) break;
            constexpr int shift = 4 * lanes * bits > 64 ? 0 : lanes * bits;
            return at - x + lane_of(a | b << shift | c << 2 * shift | d << 3 * shift, last);
        }
        for (; i + lanes <= n; i += lanes) {
            const S *at = last ? x + (n - lanes - i) : x + i;
            const uint64_t good = good_lanes(at, value, nan);
            if (good) return at - x + lane_of(good, last);
        }
        if (last)
            for (i = n - 1 - i; !is_as_good(to_compute(x[i]), value);) i--;
        else
            while (!is_as_good(to_compute(x[i]), value)) i++;
        return i;
    }

    /* A run in one pass without branches that the elements decide, which would hold up the next run: of each lane the
       best of groups of four vectors and the first group that has it, then the index in that group. n >= group; false
       if there is a NaN. */
    static constexpr int group = 4 * lanes;
    static constexpr bool passes = !is_complex<A> && !is_half<S> && sizeof(A) >= 4 && GNDI_VECTOR_BYTES >= 32;
    struct groups {
        typedef typename vector_type<lane_int<A>, lanes>::type I;
        typename load::V best;
        I number, next;
        typename short_runs<R>::template watcher_of<watched_fold<R>::on> watcher;

        GNDI_INLINE typename load::V better(const typename load::V &a, const typename load::V &b) {
            return short_runs<R>::template fold<watched_fold<R>::on>(a, b);
        }
        GNDI_INLINE typename load::V of(const S *x) {
            typename load::V v[4];
            for (int k = 0; k < 4; k++) load::from(x + k * lanes, v[k]);
            watcher.look(v[0], v[1]), watcher.look(v[2], v[3]);
            return better(better(v[0], v[1]), better(v[2], v[3]));
        }
        GNDI_INLINE void take(const S *x) {
            const typename load::V other = of(x);
            const I wins = Largest ? other > best : other < best;
            number = wins ? next : number;
            best = better(best, other), next = next + 1;
        }
    };
    static bool pass(const S *x, int64_t n, int64_t index, int64_t index_step, A *best, int64_t *best_index) {
        typedef vector_run<reduce_minimum<lane_int<A>>> first;
        groups g;
        g.best = g.of(x), g.number = typename groups::I{}, g.next = g.number + 1;
        int64_t i = group;
        for (; i + group <= n; i += group) g.take(x + i);
        if (i < n) g.take(x + n - group);
        if (g.watcher.any()) return false;
        const A value = vector_run<R>::across(g.best);
        const int64_t k = first::across(g.best == value ? g.number : first::nones());
        i = k * group + group <= n ? k * group : n - group;
        keep(value, index + (i + find(x + i, group, value, false)) * index_step, best, best_index);
        return true;
    }

    /* The piece with the best value is found first, then its index in the piece. Meanwhile what lies behind a run that
       is not short, most often the next one, is on its way from memory. */
    static void run(const S *x, int64_t n, int64_t index, int64_t index_step, A *best, int64_t *best_index) {
        A value = {};
        int64_t from = -1;
        const int64_t piece = n < 64 * small_piece ? small_piece : 4 * small_piece;
        for (int64_t k = 0; k < n; k += piece) {
            const A other = fold_run<R>(x + k, n - k < piece ? n - k : piece);
            if (from >= 0 && !is_better<Largest>(other, value) && !(index_step < 0 && is_as_good(other, value)))
                continue;
            value = other, from = k;
        }
        const int64_t m = n - from < piece ? n - from : piece, first = index + from * index_step;
        const int64_t lowest = index_step < 0 ? first + (m - 1) * index_step : first;
        if (*best_index >= 0 && !is_better<Largest>(value, *best) &&
            !(is_as_good(value, *best) && lowest < *best_index))
            return;
        constexpr int64_t short_run = 8192 / (int)sizeof(S);
        for (int k = 0; k < 32 && n >= short_run; k++) __builtin_prefetch((const char *)(x + n) + 64 * k);
        keep(value, first + find(x + from, m, value, index_step < 0) * index_step, best, best_index);
    }

    /* Runs that are shorter than a vector or two: their best values side by side. */
    static void many_short(const char *x, int64_t step, int64_t n, int64_t count, int64_t index, int64_t index_step,
                           A *best, int64_t *best_index) {
        A value[columns];
        for (int64_t i = 0; i < count; i += columns) {
            const int64_t some = count - i < columns ? count - i : columns;
            const char *from = x + i * step;
            for (int64_t k = 0; k < some; k++) value[k] = R::identity();
            short_runs<R>::take(from, step, n, some, value);
            for (int64_t k = 0; k < some; k++, from += step) {
                int64_t at = -1;
                if (n <= lanes && (some - 1 - k) * step >= (lanes - n) * (int64_t)sizeof(S)) {
                    const uint64_t good =
                        good_lanes((const S *)from, value[k], is_a_nan(value[k])) & (~0ull >> (64 - n * lane_bits<A>));
                    at = lane_of(good, index_step < 0);
                } else {
                    at = find((const S *)from, n, value[k], index_step < 0);
                }
                keep(value[k], index + at * index_step, best + i + k, best_index + i + k);
            }
        }
    }

    static void runs(const char *x, int64_t step, int64_t n, int64_t count, int64_t index, int64_t index_step,
                     char *best, int64_t *best_index) {
        if (n <= 0) return;
        if constexpr (short_runs<R>::on) {
            if (count >= short_runs<R>::lanes / 2 && n <= short_runs<R>::LONGEST) {
                many_short(x, step, n, count, index, index_step, (A *)best, best_index);
                return;
            }
        }
        const bool middle = passes && n >= 8 * group && n <= small_piece && index_step > 0;
        for (int64_t i = 0; i < count; i++) {
            const S *from = (const S *)(x + i * step);
            if constexpr (passes) {
                if (middle && pass(from, n, index, index_step, (A *)best + i, best_index + i)) continue;
            }
            run(from, n, index, index_step, (A *)best + i, best_index + i);
        }
    }

    /* At most most_rows rows of at most `columns` elements. Last: of equal ones the last row. */
    template <bool Last>
    static void some_rows(const char *x, int64_t step, int64_t rows, int64_t n, A *best, uint8_t *row) {
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
                I better =
                    Last ? (Largest ? other >= value : other <= value) : (Largest ? other > value : other < value);
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

    /* The same for complex numbers: their best values first, then the rows that have them. */
    template <bool Last>
    static void some_complex_rows(const char *x, int64_t step, int64_t rows, int64_t n, A *best, uint8_t *row) {
        typedef real_t<S> T;
        constexpr int parts = GNDI_VECTOR_BYTES / (int)sizeof(T);
        typedef vector_load<T, T, parts> part_load;
        typedef typename vector_type<lane_int<T>, parts>::type I;
        const I partner = other_lanes<lane_int<T>, parts>();
        gnd::rows<R>(x, step, rows, n, clear_to_worst(best, n));
        int64_t j = 0;
        for (; j + parts / 2 <= n; j += parts / 2) {
            typename part_load::V value, other;
            memcpy(&value, best + j, sizeof value);
            I at = {};
            for (int64_t k = 1; k <= rows; k++) {
                const int64_t r = Last ? k - 1 : rows - k; /* the one that counts comes last */
                part_load::from((const T *)(x + r * step) + 2 * j, other);
                const I same = other == value, nan = other != other;
                const I hit = (same & __builtin_shuffle(same, partner)) | nan | __builtin_shuffle(nan, partner);
                at = hit ? I{} + (lane_int<T>)r : at;
            }
            for (int k = 0; k < parts / 2; k++) {
                row[j + k] = (uint8_t)at[2 * k];
                best[j + k] = ((const S *)(x + at[2 * k] * step))[j + k];
            }
        }
        for (; j < n; j++) {
            int64_t r = Last ? rows - 1 : 0;
            while (!is_as_good(((const S *)(x + r * step))[j], best[j])) r += Last ? -1 : 1;
            best[j] = ((const S *)(x + r * step))[j], row[j] = (uint8_t)r;
        }
    }
    static A *clear_to_worst(A *best, int64_t n) {
        for (int64_t j = 0; j < n; j++) best[j] = R::identity();
        return best;
    }

    static void rows(const char *x, int64_t step, int64_t rows, int64_t n, int64_t index, int64_t index_step,
                     char *best, int64_t *best_index) {
        A value[columns];
        uint8_t row[columns];
        for (int64_t r = 0; r < rows; r += most_rows)
            for (int64_t k = 0; k < n; k += columns) {
                const int64_t height = rows - r < most_rows ? rows - r : most_rows;
                const int64_t width = n - k < columns ? n - k : columns;
                const char *from = x + r * step + k * (int64_t)sizeof(S);
                if constexpr (is_complex<A>)
                    (index_step < 0 ? some_complex_rows<true> : some_complex_rows<false>)(from, step, height, width,
                                                                                          value, row);
                else
                    (index_step < 0 ? some_rows<true> : some_rows<false>)(from, step, height, width, value, row);
                for (int64_t j = 0; j < width; j++)
                    keep(value[j], index + (r + row[j]) * index_step, (A *)best + k + j, best_index + k + j);
            }
    }

    static void masked(const char *x, const uint8_t *mask, int64_t n, int64_t index, int64_t index_step,
                       int64_t best_step, char *best, int64_t *best_index) {
        for (int64_t i = 0; i < n; i++)
            if (mask[i])
                keep(to_compute(((const S *)x)[i]), index + i * index_step, (A *)best + i * best_step,
                     best_index + i * best_step);
    }

    static void join(const char *from, const int64_t *from_index, int64_t n, char *best, int64_t *best_index) {
        for (int64_t i = 0; i < n; i++)
            if (from_index[i] >= 0) keep(((const A *)from)[i], from_index[i], (A *)best + i, best_index + i);
    }

    static void fill(gndi_cpu_index_reduction *to) {
        to->runs = runs, to->rows = rows, to->masked = masked, to->join = join;
        to->size = (int)sizeof(A);
    }
};

/* Of bool the first true (false) is it, and nothing behind that needs to be looked at. */
template <bool Largest> struct bool_index_loops {
    typedef index_loops<Largest, uint8_t> others;
    static int64_t find(const uint8_t *x, int64_t n) {
        constexpr int64_t block = 8 * GNDI_VECTOR_BYTES;
        int64_t i = 0;
        if (n >= 8) { /* most often it is one of the first, but which of them no branch can foresee */
            const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
            uint64_t word;
            memcpy(&word, x, sizeof word);
            const uint64_t truths = (((word & low) + low) | word) & ~low, wanted = Largest ? truths : truths ^ ~low;
            if (wanted) return __builtin_ctzll(wanted) / 8;
            i = 8;
        }
        while (i + block <= n && bytes_are((const char *)x + i, block, !Largest)) i += block;
        while (i < n && (x[i] != 0) != Largest) i++;
        return i;
    }
    static void runs(const char *x, int64_t step, int64_t n, int64_t count, int64_t index, int64_t index_step,
                     char *best, int64_t *best_index) {
        if (index_step < 0) return others::runs(x, step, n, count, index, index_step, best, best_index);
        for (int64_t i = 0; i < count && n > 0; i++, x += step) {
            if (best_index[i] >= 0 && (best[i] != 0) == Largest && best_index[i] < index) continue;
            const int64_t at = find((const uint8_t *)x, n);
            const bool found = at < n;
            const int64_t where = index + (found ? at * index_step : 0);
            if (best_index[i] < 0)
                best[i] = found == Largest, best_index[i] = where;
            else
                others::keep(found == Largest, where, (uint8_t *)best + i, best_index + i);
        }
    }
    static void fill(gndi_cpu_index_reduction *to) {
        others::fill(to);
        to->runs = runs;
    }
};

template <bool Largest> static void fill_index_loops(gndi_cpu_index_reduction *by_dtype) {
    index_loops<Largest, int8_t>::fill(&by_dtype[GND_INT8]);
    index_loops<Largest, uint8_t>::fill(&by_dtype[GND_UINT8]);
    index_loops<Largest, int16_t>::fill(&by_dtype[GND_INT16]);
    index_loops<Largest, uint16_t>::fill(&by_dtype[GND_UINT16]);
    index_loops<Largest, int32_t>::fill(&by_dtype[GND_INT32]);
    index_loops<Largest, uint32_t>::fill(&by_dtype[GND_UINT32]);
    index_loops<Largest, int64_t>::fill(&by_dtype[GND_INT64]);
    index_loops<Largest, uint64_t>::fill(&by_dtype[GND_UINT64]);
    index_loops<Largest, float16>::fill(&by_dtype[GND_FLOAT16]);
    index_loops<Largest, bfloat16>::fill(&by_dtype[GND_BFLOAT16]);
    index_loops<Largest, float>::fill(&by_dtype[GND_FLOAT32]);
    index_loops<Largest, double>::fill(&by_dtype[GND_FLOAT64]);
    index_loops<Largest, complex<float>>::fill(&by_dtype[GND_COMPLEX64]);
    index_loops<Largest, complex<double>>::fill(&by_dtype[GND_COMPLEX128]);
    bool_index_loops<Largest>::fill(&by_dtype[GND_BOOL]);
}

} // namespace gnd
