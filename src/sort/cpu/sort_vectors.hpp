/*
 * sort_vectors.hpp: signed integers put in order by vectors: quicksort whose partitions move a
 * vector at a time, down to pieces that fit the registers, which a network sorts.
 *
 * The network takes a piece as a matrix, a vector a row, padded with the largest number: it sorts
 * the columns, which needs no shuffle, merges neighbouring columns until there is one, bitonically,
 * and turns the matrix over. Partitions follow Bramas ("A novel hybrid quicksort algorithm vectorized
 * using AVX-512 on Intel Skylake", 2017): vectors are read from the end that has less space left
 * before it, and each goes to both ends, what is below the pivot to the front.
 */
#ifndef GNDI_CPU_SORT_VECTORS_HPP
#define GNDI_CPU_SORT_VECTORS_HPP

#include "sort/cpu/sort_loops.h"
#include <algorithm>
#include <string.h>
#include <utility>
#if defined(__AVX2__)
#    include <immintrin.h>
#endif

namespace gnd {

/* ---- vectors -------------------------------------------------------------------------------- */

#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64, MOST_ROWS = 16 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32, MOST_ROWS = 8 };
#else
enum { VECTOR_BYTES = 16, MOST_ROWS = 8 };
#endif

template <class K> struct vector_of { typedef K type __attribute__((vector_size(VECTOR_BYTES))); };
template <class K> using vec = typename vector_of<K>::type;
template <class K> constexpr int lanes = VECTOR_BYTES / (int)sizeof(K);
/* Of the pieces that a network sorts. */
#if defined(__AVX512F__)
template <class K> constexpr int most_rows = sizeof(K) >= 4 ? 32 : MOST_ROWS;
#else
template <class K> constexpr int most_rows = MOST_ROWS;
#endif
template <class K> constexpr K largest = (K)(~(K)0 ^ (K)1 << (sizeof(K) * 8 - 1));

template <class K> static inline vec<K> load(const K *p) {
    vec<K> v;
    memcpy(&v, p, sizeof v);
    return v;
}
template <class K> static inline void store(K *p, vec<K> v) {
    memcpy(p, &v, sizeof v);
}

/* The first n lanes, fewer than all; `other` for those behind them. */
#if defined(__AVX512BW__)
template <class K> static inline vec<K> load_first(const K *p, int64_t n, K other) {
    const uint32_t mask = (1u << n) - 1;
    const __m512i rest = (__m512i)(vec<K>{} + other);
    if constexpr (sizeof(K) == 8) return (vec<K>)_mm512_mask_loadu_epi64(rest, (__mmask8)mask, p);
    if constexpr (sizeof(K) == 4) return (vec<K>)_mm512_mask_loadu_epi32(rest, (__mmask16)mask, p);
    return (vec<K>)_mm512_mask_loadu_epi16(rest, (__mmask32)mask, p);
}
template <class K> static inline void store_first(K *p, int64_t n, vec<K> v) {
    const uint32_t mask = (1u << n) - 1;
    if constexpr (sizeof(K) == 8)
        _mm512_mask_storeu_epi64(p, (__mmask8)mask, (__m512i)v);
    else if constexpr (sizeof(K) == 4)
        _mm512_mask_storeu_epi32(p, (__mmask16)mask, (__m512i)v);
    else
        _mm512_mask_storeu_epi16(p, (__mmask32)mask, (__m512i)v);
}
#else
template <class K> static inline vec<K> load_first(const K *p, int64_t n, K other) {
    vec<K> v = vec<K>{} + other;
    memcpy(&v, p, (size_t)n * sizeof(K));
    return v;
}
template <class K> static inline void store_first(K *p, int64_t n, vec<K> v) {
    memcpy(p, &v, (size_t)n * sizeof(K));
}
#endif

template <class V> static inline V least(V a, V b) {
    return a < b ? a : b;
}
template <class V> static inline V most(V a, V b) {
    return a > b ? a : b;
}
template <class V> static inline void exchange(V &a, V &b) {
    const V low = least(a, b);
    b = most(a, b), a = low;
}

/* The lanes I of a and b, counted through both. (GCC before 12 has its own name for it.) */
template <int... I, class V> static inline V shuffled(V a, V b) {
#if __has_builtin(__builtin_shufflevector)
    return __builtin_shufflevector(a, b, I...);
#else
    return __builtin_shuffle(a, b, V{I...});
#endif
}
/* Lane i gets lane i ^ Turn. */
template <int Turn, class V, int... I> static inline V swapped(V v, std::integer_sequence<int, I...>) {
    return shuffled<(I ^ Turn)...>(v, v);
}
/* Lane i from a or, where bit Bit of i is set, from b. */
template <int Bit, class V, int... I> static inline V blended(V a, V b, std::integer_sequence<int, I...>) {
    constexpr int L = (int)sizeof...(I);
    return shuffled<(I & Bit ? I + L : I)...>(a, b);
}
/* The lower or upper halves of two vectors, lane by lane in turn. */
template <int From, class V, int... I> static inline V zipped(V a, V b, std::integer_sequence<int, I...>) {
    constexpr int L = (int)sizeof...(I);
    return shuffled<(From + I / 2 + (I & 1) * L)...>(a, b);
}

/* ---- the network ---------------------------------------------------------------------------- */

/* The fewest exchanges that sort 2, 4, 8 and 16 numbers. */
template <int Rows> struct exchanges;
template <> struct exchanges<1> {
    static constexpr int count = 0;
    static constexpr uint8_t pair[1][2] = {{0, 0}};
};
template <> struct exchanges<2> {
    static constexpr int count = 1;
    static constexpr uint8_t pair[count][2] = {{0, 1}};
};
template <> struct exchanges<4> {
    static constexpr int count = 5;
    static constexpr uint8_t pair[count][2] = {{0, 2}, {1, 3}, {0, 1}, {2, 3}, {1, 2}};
};
template <> struct exchanges<8> {
    static constexpr int count = 19;
    static constexpr uint8_t pair[count][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6},
                                               {3, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5},
                                               {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
};
template <> struct exchanges<16> {
    static constexpr int count = 60;
    static constexpr uint8_t pair[count][2] = {
        {0, 13},  {1, 12},  {2, 15},  {3, 14},  {4, 8},   {5, 6},   {7, 11}, {9, 10},  {0, 5},   {1, 7},
        {2, 9},   {3, 4},   {6, 13},  {8, 14},  {10, 15}, {11, 12}, {0, 1},  {2, 3},   {4, 5},   {6, 8},
        {7, 9},   {10, 11}, {12, 13}, {14, 15}, {0, 2},   {1, 3},   {4, 10}, {5, 11},  {6, 7},   {8, 9},
        {12, 14}, {13, 15}, {1, 2},   {3, 12},  {4, 6},   {5, 7},   {8, 10}, {9, 11},  {13, 14}, {1, 4},
        {2, 6},   {5, 8},   {7, 10},  {9, 13},  {11, 14}, {2, 4},   {3, 6},  {9, 12},  {11, 13}, {3, 5},
        {6, 8},   {7, 9},   {10, 12}, {3, 4},   {5, 6},   {7, 8},   {9, 10}, {11, 12}, {6, 7},   {8, 9}};
};
/* Batcher's merge exchange (Knuth 5.2.2 M): six more than the fewest known. */
struct merge_exchange {
    uint8_t pair[191][2];
    constexpr merge_exchange() : pair() {
        for (int p = 16, n = 0; p > 0; p /= 2)
            for (int q = 16, r = 0, d = p;; d = q - p, q /= 2, r = p) {
                for (int i = 0; i < 32 - d; i++)
                    if ((i & p) == r) pair[n][0] = (uint8_t)i, pair[n++][1] = (uint8_t)(i + d);
                if (q == p) break;
            }
    }
};
static constexpr merge_exchange exchanges_of_32;
template <> struct exchanges<32> {
    static constexpr int count = 191;
    static constexpr const uint8_t (&pair)[count][2] = exchanges_of_32.pair;
};

template <int Rows, class V, size_t... I>
static inline __attribute__((always_inline)) void sort_columns([[maybe_unused]] V *v, std::index_sequence<I...>) {
    typedef exchanges<Rows> list;
    (exchange(v[list::pair[I][0]], v[list::pair[I][1]]), ...);
}

/* Half-cleaners between rows, within each column. */
template <int Rows, class V> static inline __attribute__((always_inline)) void clean_rows(V *v) {
#pragma GCC unroll 16
    for (int gap = Rows / 2; gap > 0; gap /= 2)
#pragma GCC unroll 32
        for (int r = 0; r < Rows; r++)
            if (!(r & gap)) exchange(v[r], v[r + gap]);
}
/* The same between lanes, within each row. */
template <int Gap, int Rows, class K> static inline __attribute__((always_inline)) void clean_lanes(vec<K> *v) {
    constexpr auto all = std::make_integer_sequence<int, lanes<K>>();
#pragma GCC unroll 32
    for (int r = 0; r < Rows; r++) {
        const vec<K> other = swapped<Gap>(v[r], all);
        v[r] = blended<Gap>(least(v[r], other), most(v[r], other), all);
    }
    if constexpr (Gap > 1) clean_lanes<Gap / 2, Rows, K>(v);
}
/* Columns of Width lanes are in order; then those of twice as many are: element i meets the one as
   far from the other end. */
template <int Width, int Rows, class K> static inline __attribute__((always_inline)) void merge_columns(vec<K> *v) {
    constexpr auto all = std::make_integer_sequence<int, lanes<K>>();
    constexpr int turn = 2 * Width - 1;
#pragma GCC unroll 16
    for (int r = 0; r < (Rows + 1) / 2; r++) {
        vec<K> &a = v[r], &b = v[Rows - 1 - r];
        const vec<K> other = swapped<turn>(b, all);
        const vec<K> low = least(a, other), high = most(a, other);
        if (Rows > 1) b = swapped<turn>(blended<Width>(high, low, all), all);
        a = blended<Width>(low, high, all);
    }
    if constexpr (Width > 1) clean_lanes<Width / 2, Rows, K>(v);
    clean_rows<Rows>(v);
    if constexpr (2 * Width < lanes<K>) merge_columns<2 * Width, Rows, K>(v);
}
/* Column after column becomes row after row: each step deals the first half of the rows between the
   second. */
template <int Rows, class K> static inline __attribute__((always_inline)) void turn_over(vec<K> *v) {
    constexpr auto all = std::make_integer_sequence<int, lanes<K>>();
#pragma GCC unroll 8
    for (int step = 1; step < Rows; step *= 2) {
        vec<K> w[Rows];
#pragma GCC unroll 16
        for (int r = 0; r < Rows / 2; r++) {
            w[2 * r] = zipped<0>(v[r], v[r + Rows / 2], all);
            w[2 * r + 1] = zipped<lanes<K> / 2>(v[r], v[r + Rows / 2], all);
        }
#pragma GCC unroll 32
        for (int r = 0; r < Rows; r++) v[r] = w[r];
    }
}

/* What elements are sorted as, and back: `pad`, an element, comes after all others. Those of floats that are no
   numbers, and -0.0, have no key. */
template <class K> struct same_keys {
    static constexpr bool is_float = false;
    static constexpr K pad = largest<K>;
    static vec<K> key(vec<K> v) { return v; }
    static vec<K> element(vec<K> v) { return v; }
};
template <class K> struct flipped_keys {
    static constexpr bool is_float = false;
    K flip, pad;
    explicit flipped_keys(K flipped) : flip(flipped), pad((K)(flipped ^ largest<K>)) {}
    vec<K> key(vec<K> v) const { return v ^ flip; }
    vec<K> element(vec<K> v) const { return v ^ flip; }
};
template <class K> struct float_keys {
    static constexpr bool is_float = true;
    K flip, infinity, pad;
    float_keys(K flipped, K infinite)
        : flip(flipped), infinity(infinite), pad((K)(infinite | (flipped & (K)~largest<K>))) {}
    static vec<K> turned(vec<K> v) { return v ^ ((v >> (int)(sizeof(K) * 8 - 1)) & largest<K>); }
    vec<K> key(vec<K> v) const { return turned(v) ^ flip; }
    vec<K> element(vec<K> v) const { return turned(v ^ flip); }
    template <int Rows> bool have_all(const vec<K> *v) const {
        vec<K> size = v[0] & largest<K>, low = v[0];
#pragma GCC unroll 32
        for (int r = 1; r < Rows; r++) size = most(size, v[r] & largest<K>), low = least(low, v[r]);
        K any[lanes<K>], found = 0;
        store(any, (vec<K>)((size > infinity) | (low == (K)~largest<K>)));
        for (int i = 0; i < lanes<K>; i++) found |= any[i];
        return !found;
    }
};

/* n elements, at most Rows vectors and more than half as many; false, and nothing is written, if one has no key. */
template <int Rows, class K, class Keys>
static __attribute__((noinline)) bool sort_network(const K *x, K *out, int64_t n, Keys keys) {
    constexpr int L = lanes<K>;
    const int64_t whole = n / L, rest = n % L;
    vec<K> v[Rows];
#pragma GCC unroll 32
    for (int r = 0; r < Rows; r++) {
        if (r < Rows / 2 || r < whole)
            v[r] = load(x + r * L);
        else
            v[r] = r == whole && rest > 0 ? load_first(x + r * L, rest, keys.pad) : vec<K>{} + keys.pad;
    }
    if constexpr (Keys::is_float)
        if (!keys.template have_all<Rows>(v)) return false;
#pragma GCC unroll 32
    for (int r = 0; r < Rows; r++) v[r] = keys.key(v[r]);
    sort_columns<Rows>(v, std::make_index_sequence<exchanges<Rows>::count>());
    merge_columns<1, Rows, K>(v);
    turn_over<Rows, K>(v);
#pragma GCC unroll 32
    for (int r = 0; r < Rows; r++) {
        if (r < Rows / 2 || r < whole)
            store(out + r * L, keys.element(v[r]));
        else if (r == whole && rest > 0)
            store_first(out + r * L, rest, keys.element(v[r]));
    }
    return true;
}

/* At most MOST_ROWS vectors of elements, x to out, which may be x. */
template <class K, class Keys> static bool sort_small(const K *x, K *out, int64_t n, Keys keys) {
    constexpr int L = lanes<K>;
    if (n <= L) return sort_network<1>(x, out, n, keys);
    if (n <= 2 * L) return sort_network<2>(x, out, n, keys);
    if (n <= 4 * L) return sort_network<4>(x, out, n, keys);
    if (n <= 8 * L || MOST_ROWS == 8) return sort_network<8>(x, out, n, keys);
    return sort_network<MOST_ROWS>(x, out, n, keys);
}
template <class K> static void sort_small(K *x, int64_t n) {
    if constexpr (most_rows < K >> MOST_ROWS)
        if (n > MOST_ROWS * lanes<K>) return (void)sort_network<most_rows<K>>(x, x, n, same_keys<K>());
    if (n > 1) sort_small(x, x, n, same_keys<K>());
}

/* ---- partitions ----------------------------------------------------------------------------- */

/* Writes the lanes of v that belong in front at `front`, and the others so that they end at `back`;
   there is space for a vector at both ends. How many went to the front. */
#if defined(__AVX512F__)
static inline int deal(__m512i v, __mmask16 behind, int32_t *front, int32_t *back) {
    const int n = 16 - __builtin_popcount(behind);
    _mm512_storeu_si512(front, _mm512_maskz_compress_epi32((__mmask16)~behind, v));
    _mm512_mask_storeu_epi32(back - 16 + n, (__mmask16)(0xffffu >> n), _mm512_maskz_compress_epi32(behind, v));
    return n;
}
static inline int deal(__m512i v, __mmask8 behind, int64_t *front, int64_t *back) {
    const int n = 8 - __builtin_popcount(behind);
    _mm512_storeu_si512(front, _mm512_maskz_compress_epi64((__mmask8)~behind, v));
    _mm512_mask_storeu_epi64(back - 8 + n, (__mmask8)(0xffu >> n), _mm512_maskz_compress_epi64(behind, v));
    return n;
}
#    if defined(__AVX512VBMI2__)
static inline int deal(__m512i v, __mmask32 behind, int16_t *front, int16_t *back) {
    const int n = 32 - __builtin_popcount(behind);
    _mm512_storeu_si512(front, _mm512_maskz_compress_epi16(~behind, v));
    _mm512_mask_storeu_epi16(back - 32 + n, (__mmask32)(0xffffffffull >> n), _mm512_maskz_compress_epi16(behind, v));
    return n;
}
template <bool Above> static inline int deal(vec<int16_t> v, int16_t pivot, int16_t *f, int16_t *b) {
    const __m512i x = (__m512i)v, p = _mm512_set1_epi16(pivot);
    return deal(x, Above ? _mm512_cmpgt_epi16_mask(x, p) : _mm512_cmpge_epi16_mask(x, p), f, b);
}
#    endif
template <bool Above> static inline int deal(vec<int32_t> v, int32_t pivot, int32_t *f, int32_t *b) {
    const __m512i x = (__m512i)v, p = _mm512_set1_epi32(pivot);
    return deal(x, Above ? _mm512_cmpgt_epi32_mask(x, p) : _mm512_cmpge_epi32_mask(x, p), f, b);
}
template <bool Above> static inline int deal(vec<int64_t> v, int64_t pivot, int64_t *f, int64_t *b) {
    const __m512i x = (__m512i)v, p = _mm512_set1_epi64(pivot);
    return deal(x, Above ? _mm512_cmpgt_epi64_mask(x, p) : _mm512_cmpge_epi64_mask(x, p), f, b);
}
#elif defined(__AVX2__)
/* For each mask, the lanes without a bit and then those with one, in units of 32 bits. */
struct dealt_lanes {
    alignas(32) int32_t of32[256][8];
    alignas(32) int32_t of64[16][8];
    constexpr dealt_lanes() : of32(), of64() {
        for (int mask = 0; mask < 256; mask++)
            for (int bit = 0, n = 0; bit < 2; bit++)
                for (int i = 0; i < 8; i++)
                    if ((mask >> i & 1) == bit) of32[mask][n++] = i;
        for (int mask = 0; mask < 16; mask++)
            for (int bit = 0, n = 0; bit < 2; bit++)
                for (int i = 0; i < 4; i++)
                    if ((mask >> i & 1) == bit) of64[mask][n++] = 2 * i, of64[mask][n++] = 2 * i + 1;
    }
};
static constexpr dealt_lanes dealt;

/* A bit for each lane that is set, and the order that they ask for. */
static inline int bits_of(vec<int32_t> lanes_set) {
    return _mm256_movemask_ps((__m256)lanes_set);
}
static inline int bits_of(vec<int64_t> lanes_set) {
    return _mm256_movemask_pd((__m256d)lanes_set);
}
static inline const int32_t *order_for(int behind, int32_t) {
    return dealt.of32[behind];
}
static inline const int32_t *order_for(int behind, int64_t) {
    return dealt.of64[behind];
}

template <bool Above, class K> static inline int deal(vec<K> v, K pivot, K *f, K *b) {
    constexpr int L = lanes<K>;
    const vec<K> p = vec<K>{} + pivot;
    const int bits = bits_of((vec<K>)(Above ? v > p : p > v));
    const int behind = Above ? bits : bits ^ ((1 << L) - 1);
    const __m256i order = _mm256_load_si256((const __m256i *)order_for(behind, pivot));
    const vec<K> y = (vec<K>)_mm256_permutevar8x32_epi32((__m256i)v, order);
    store(f, y), store(b - L, y);
    return L - __builtin_popcount((unsigned)behind);
}
#else
template <bool Above, class V, class K> static inline int deal(V v, K pivot, K *front, K *back) {
    K x[lanes<K>];
    int n = 0, m = 0;
    store(x, v);
    for (int i = 0; i < lanes<K>; i++) {
        const bool behind = Above ? x[i] > pivot : x[i] >= pivot;
        front[n] = x[i], back[-1 - m] = x[i];
        n += !behind, m += behind;
    }
    return n;
}
#endif

/* Moves what is below the pivot (not Above), or not above it, to the front: how many. */
template <bool Above, class K> static int64_t partition(K *x, int64_t n, K pivot) {
    constexpr int L = lanes<K>, UNROLL = 4, BLOCK = UNROLL * L;
    int64_t front = 0, back = n; /* where the next ones go */
    /* What does not make whole vectors is dealt one by one. */
    while ((back - front) % L != 0 || back - front < 2 * BLOCK) {
        if (front == back) return front;
        const K last = x[back - 1], first = x[front];
        const bool behind = Above ? last > pivot : last >= pivot;
        x[front] = behind ? first : last, x[back - 1] = behind ? last : first;
        front += !behind, back -= behind;
    }
    vec<K> held[2 * UNROLL];
    int64_t low = front + BLOCK, high = back - BLOCK; /* still to be read */
#pragma GCC unroll 4
    for (int i = 0; i < UNROLL; i++) {
        held[i] = load(x + front + i * L);
        held[UNROLL + i] = load(x + high + i * L);
    }
    while (high - low >= BLOCK) {
        vec<K> v[UNROLL];
        const bool from_front = low - front <= back - high;
        const K *from = x + (from_front ? low : high - BLOCK);
        low += from_front ? BLOCK : 0, high -= from_front ? 0 : BLOCK;
#pragma GCC unroll 4
        for (int i = 0; i < UNROLL; i++) v[i] = load(from + i * L);
#pragma GCC unroll 4
        for (int i = 0; i < UNROLL; i++) {
            const int k = deal<Above>(v[i], pivot, x + front, x + back);
            front += k, back -= L - k;
        }
    }
    while (low < high) {
        const bool from_front = low - front <= back - high;
        const vec<K> v = load(x + (from_front ? low : high - L));
        low += from_front ? L : 0, high -= from_front ? 0 : L;
        const int k = deal<Above>(v, pivot, x + front, x + back);
        front += k, back -= L - k;
    }
#pragma GCC unroll 8
    for (int i = 0; i < 2 * UNROLL; i++) {
        const int k = deal<Above>(held[i], pivot, x + front, x + back);
        front += k, back -= L - k;
    }
    return front;
}

/* About the number of rank n * share, from a sample; rather one a little nearer to the middle, so
   that the smaller part has it. */
template <class K> static K choose_pivot(const K *x, int64_t n, double share) {
    constexpr int COUNT = std::min(64, MOST_ROWS * lanes<K>);
    const int count = n < 2048 ? 16 : COUNT;
    K sample[COUNT];
    const int64_t step = n / count;
    for (int i = 0; i < count; i++) sample[i] = x[i * step + (i * 7 & 15) * step / 16];
    sort_small(sample, count);
    const int rank = (int)(share * count) + (share < 0.4 ? 1 : share > 0.6 ? -1 : 0);
    return sample[std::min(count - 1, rank)];
}

/* A piece of what ends at `end`, behind which are only numbers that are not below it and yet to be sorted: some of
   them may fill the last vector. (Whole vectors do not wait for stores that neighbours left half done.) */
template <class K> static void sort_piece(K *x, int64_t n, const K *end) {
    constexpr int64_t L = lanes<K>;
    sort_small(x, std::min((n + L - 1) / L * L, (int64_t)(end - x)));
}

/* Sorts n numbers of what ends at `end`; `bound`, if `bounded`, is not above any of them. */
template <class K> static void quicksort(K *x, int64_t n, const K *end, bool bounded, K bound, int depth) {
    while (n > most_rows<K> * lanes<K>) {
        if (depth-- == 0) return std::sort(x, x + n);
        const K pivot = choose_pivot(x, n, 0.5);
        const int64_t below = bounded && pivot == bound ? 0 : partition<false>(x, n, pivot);
        if (below == 0) { /* the pivot is the smallest: those like it are done */
            const int64_t same = partition<true>(x, n, pivot);
            x += same, n -= same;
            continue;
        }
        quicksort(x, below, end, bounded, bound, depth);
        x += below, n -= below;
        bounded = true, bound = pivot;
    }
    sort_piece(x, n, end);
}

template <class K> static void sort_numbers(K *x, int64_t n) {
    const int depth = 2 * (64 - __builtin_clzll((unsigned long long)n | 1));
    quicksort<K>(x, n, x + n, false, 0, depth);
}

/* ---- selection ------------------------------------------------------------------------------ */

/* The indices that lie in begin .. begin + n - 1. */
struct wanted_indices {
    const int64_t *kth;
    int count;
};
static wanted_indices indices_within(wanted_indices w, int64_t begin, int64_t n) {
    while (w.count > 0 && w.kth[0] < begin) w.kth++, w.count--;
    while (w.count > 0 && w.kth[w.count - 1] >= begin + n) w.count--;
    return w;
}

/* Partitions x, which begins at index `begin` of the whole and ends before `end`, at those indices. */
template <class K> static void quickselect(K *x, int64_t n, const K *end, int64_t begin, wanted_indices w, bool bounded,
                                           K bound, int depth) {
    while (w.count > 0) {
        if (n <= most_rows<K> * lanes<K>) return sort_piece(x, n, end);
        if (depth-- == 0) return std::sort(x, x + n);
        const double share = (double)(w.kth[w.count / 2] - begin) / (double)n;
        const K pivot = choose_pivot(x, n, share);
        int64_t below = bounded && pivot == bound ? 0 : partition<false>(x, n, pivot);
        if (below == 0) { /* the pivot is the smallest: those like it are done */
            below = partition<true>(x, n, pivot);
        } else {
            const wanted_indices front = indices_within(w, begin, below);
            if (front.count > 0) quickselect(x, below, end, begin, front, bounded, bound, depth);
            bounded = true, bound = pivot;
        }
        x += below, n -= below, begin += below;
        w = indices_within(w, begin, n);
    }
}

template <class K> static void select_numbers(K *x, int64_t n, const int64_t *kth, int kths) {
    const int depth = 3 * (64 - __builtin_clzll((unsigned long long)n | 1));
    quickselect<K>(x, n, x + n, 0, wanted_indices{kth, kths}, false, 0, depth);
}

} // namespace gnd

#endif
