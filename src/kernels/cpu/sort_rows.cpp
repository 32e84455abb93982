/*
 * sort_rows.cpp: a dense row in order, by one thread. Values alone become keys in the place of the
 * result, which are sorted and turned back; with places they become pairs of a key and a place, which
 * makes any sort a stable one: of up to 32 bits, and in a row that 32 bits can count, one 64-bit
 * number holds both.
 */
#include "kernels/cpu/sort_loops.h"
#include "kernels/cpu/sort_keys.hpp"
#include <algorithm>
#include <string.h>

namespace gnd {
namespace {

typedef gndi_cpu_row row;

enum {
    COUNT_BYTES = 300,   /* from this length on single bytes are counted */
    COUNT_WORDS = 40000, /* the same for 16 bits */
    RADIX_PAIRS = 1500,  /* pairs of 128 bits that are worth a radix sort */
};

const int64_t SHORT = (int64_t)1 << 31; /* rows whose places fit 32 bits */

template <class Code> using bits_of = typename Code::bits;

/* What keys are sorted as. */
template <class Code> using number_of = choose_t<sizeof(bits_of<Code>) == 8, int64_t, int32_t>;

template <class S> const S *input(const row &r) {
    return reinterpret_cast<const S *>(r.in);
}
template <class S> S *output(const row &r) {
    return reinterpret_cast<S *>(r.out);
}
void sort_keys(const row &r, int32_t *x, int64_t n) {
    r.sorts->sort32(x, n);
}
void sort_keys(const row &r, int64_t *x, int64_t n) {
    r.sorts->sort64(x, n);
}
void select_keys(const row &r, int32_t *x, int64_t n, const int64_t *kth, int kths) {
    r.sorts->select32(x, n, kth, kths);
}
void select_keys(const row &r, int64_t *x, int64_t n, const int64_t *kth, int kths) {
    r.sorts->select64(x, n, kth, kths);
}

/* ---- values of floating dtypes that need care ----------------------------------------------- */

/* What a row has beside ordinary numbers: NaN, and zeros if some of them are negative. */
struct specials {
    int64_t nan, zeros;
    bool negative_zero;
};

template <class Code> specials find_specials(const bits_of<Code> *x, int64_t n) {
    typedef bits_of<Code> S;
    specials found = {0, 0, false};
    if constexpr (Code::is_float) {
        S any = 0;
        for (int64_t i = 0; i < n; i++) any |= (S)(Code::is_nan(x[i]) | (x[i] == (S)~Code::all));
        if (!any) return found;
        for (int64_t i = 0; i < n; i++) {
            found.nan += Code::is_nan(x[i]), found.zeros += Code::is_zero(x[i]);
            found.negative_zero |= x[i] == (S)~Code::all;
        }
    }
    return found;
}

/* The row without them as keys, in any order; they themselves go to `aside` in theirs: NaN, and if
   there are negative zeros, all zeros. How many keys there are. */
template <class Code, class K> int64_t set_aside(const bits_of<Code> *x, int64_t n,
                                                 const specials &found, K flip, K *keys,
                                                 bits_of<Code> *aside) {
    bits_of<Code> *zeros = aside + found.nan;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        const bits_of<Code> element = x[i];
        if (Code::is_nan(element))
            *aside++ = element;
        else if (found.negative_zero && Code::is_zero(element))
            *zeros++ = element;
        else
            keys[m++] = (K)Code::key(element) ^ flip;
    }
    return m;
}

/* ---- values alone --------------------------------------------------------------------------- */

template <class Code, class K> void restore(const K *keys, int64_t n, K flip, bits_of<Code> *out) {
    for (int64_t i = 0; i < n; i++) out[i] = Code::element((bits_of<Code>)(keys[i] ^ flip));
}

/* Keys in order, or at least partitioned, with the specials between and around them. */
template <class Code, class K> void put_together(const row &r, const specials &found, K flip,
                                                 K *keys, int64_t m, const bits_of<Code> *aside) {
    typedef bits_of<Code> S;
    S *out = output<S>(r);
    const int64_t zeros = found.negative_zero ? found.zeros : 0;
    const int64_t first = r.descending ? found.nan : 0;
    const int64_t below = std::lower_bound(keys, keys + m, flip) - keys;
    if ((char *)keys == r.out) { /* from behind, so that nothing is overwritten */
        memmove(out + first + below + zeros, out + below, (size_t)(m - below) * sizeof(S));
        memmove(out + first, out, (size_t)below * sizeof(S));
        restore<Code, S>((S *)out + first + below + zeros, m - below, (S)flip,
                         out + first + below + zeros);
        restore<Code, S>((S *)out + first, below, (S)flip, out + first);
    } else {
        restore<Code, K>(keys, below, flip, out + first);
        restore<Code, K>(keys + below, m - below, flip, out + first + below + zeros);
    }
    memcpy(out + first + below, aside + found.nan, (size_t)zeros * sizeof(S));
    memcpy(out + (r.descending ? 0 : r.length - found.nan), aside, (size_t)found.nan * sizeof(S));
}

template <class Code> void sort_values(const row &r) {
    typedef bits_of<Code> S;
    typedef number_of<Code> K;
    const S *x = input<S>(r);
    const int64_t n = r.length;
    const K flip = r.descending ? (K)-1 : (K)0;
    const bool in_place = sizeof(S) == sizeof(K);
    K *keys = reinterpret_cast<K *>(in_place ? r.out : r.room);
    specials found = find_specials<Code>(x, n);
    if (r.partial) found.negative_zero = false; /* zeros may stand in any order */
    int64_t m = n;
    S *aside = reinterpret_cast<S *>(r.room + (in_place ? 0 : n * (int64_t)sizeof(K)));
    const bool plain = found.nan == 0 && !found.negative_zero;
    if (plain)
        for (int64_t i = 0; i < n; i++) keys[i] = (K)Code::key(x[i]) ^ flip;
    else
        m = set_aside<Code, K>(x, n, found, flip, keys, aside);
    if (r.partial) {
        int kths = r.kths;
        while (kths > 0 && r.kth[kths - 1] >= m) kths--; /* NaN have their places */
        select_keys(r, keys, m, r.kth, kths);
    } else {
        sort_keys(r, keys, m);
    }
    if (plain)
        restore<Code, K>(keys, n, flip, output<S>(r));
    else
        put_together<Code, K>(r, found, flip, keys, m, aside);
}

/* ---- values of 8 and 16 bits, counted ------------------------------------------------------- */

/* How often each bit pattern occurs: of bytes in four tables, so that equal neighbours do not wait
   for each other. */
template <class U> void count_patterns(const U *x, int64_t n, int64_t *count) {
    constexpr int values = 1 << sizeof(U) * 8;
    if constexpr (sizeof(U) == 1) {
        int64_t table[4][values];
        memset(table, 0, sizeof table);
        int64_t i = 0;
        for (; i + 4 <= n; i += 4)
            for (int k = 0; k < 4; k++) table[k][x[i + k]]++;
        for (; i < n; i++) table[0][x[i]]++;
        for (int v = 0; v < values; v++)
            count[v] = table[0][v] + table[1][v] + table[2][v] + table[3][v];
    } else {
        memset(count, 0, values * sizeof *count);
        for (int64_t i = 0; i < n; i++) count[x[i]]++;
    }
}

/* Elements as counts of bit patterns: all that is lost is the order of the zeros' signs, which
   another look at the row gives. */
template <class Code> void count_values(const row &r) {
    typedef bits_of<Code> S;
    typedef choose_t<sizeof(S) == 1, uint8_t, uint16_t> U;
    constexpr int values = 1 << sizeof(S) * 8;
    const S *x = input<S>(r);
    S *out = output<S>(r), *end = out, *zeros = nullptr;
    const int64_t n = r.length;
    int64_t *count = reinterpret_cast<int64_t *>(r.room);
    S *signs = reinterpret_cast<S *>(count + values);
    count_patterns<U>(reinterpret_cast<const U *>(x), n, count);
    int64_t signed_zeros = 0;
    if constexpr (Code::is_float) {
        const U negative = (U)~Code::all;
        if (count[0] && count[negative]) {
            for (int64_t i = 0; i < n; i++)
                if (Code::is_zero(x[i])) signs[signed_zeros++] = x[i];
            count[0] += count[negative], count[negative] = 0;
        }
    }
    const auto fill = [&](bool nan) {
        for (int i = 0; i < values; i++) {
            const S key = (S)((r.descending ? values - 1 - i : i) - values / 2);
            const S element = Code::element(key);
            if constexpr (Code::is_float)
                if (Code::is_nan(element) != nan) continue;
            if (element == 0) zeros = end;
            const int64_t many = count[(U)element];
            std::fill(end, end + many, element);
            end += many;
        }
    };
    if (Code::is_float && r.descending) fill(true);
    fill(false);
    if (Code::is_float && !r.descending) fill(true);
    if (signed_zeros) memcpy(zeros, signs, (size_t)signed_zeros * sizeof(S));
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* A key of 64 bits and its place; one of 128 bits. */
struct pair64 {
    int64_t key, place;
};
struct pair128 {
    uint64_t high, low;
    int64_t place;
};
inline bool operator<(const pair64 &a, const pair64 &b) {
    return a.key != b.key ? a.key < b.key : a.place < b.place;
}
inline bool operator<(const pair128 &a, const pair128 &b) {
    if (a.high != b.high) return a.high < b.high;
    return a.low != b.low ? a.low < b.low : a.place < b.place;
}

inline int64_t place_of(int64_t pair) {
    return (int64_t)(uint32_t)pair;
}
inline int64_t place_of(const pair64 &pair) {
    return pair.place;
}
inline int64_t place_of(const pair128 &pair) {
    return pair.place;
}

void set_done(int64_t *pair, int64_t place) {
    *pair = place;
}
template <class P> void set_done(P *pair, int64_t place) {
    pair->place = place;
}

template <class Code> struct pack32 {
    typedef int64_t pair;
    typedef bits_of<Code> element;
    static pair make(element x, int64_t place, bool descending) {
        const int64_t key = Code::plain(x);
        return (int64_t)((uint64_t)(descending ? ~key : key) << 32) | place;
    }
};
template <class Code> struct pack64 {
    typedef pair64 pair;
    typedef bits_of<Code> element;
    static pair make(element x, int64_t place, bool descending) {
        const int64_t key = Code::plain(x);
        return {descending ? ~key : key, place};
    }
};
template <class S> struct parts { S re, im; };
struct pack_complex64 {
    typedef pair64 pair;
    typedef parts<int32_t> element;
    static pair make(element x, int64_t place, bool descending) {
        uint64_t high, low;
        complex_key<float32_code>(x.re, x.im, &high, &low);
        const int64_t key = (int64_t)((high << 32 | low) ^ (uint64_t)1 << 63);
        return {descending ? ~key : key, place};
    }
};
struct pack_complex128 {
    typedef pair128 pair;
    typedef parts<int64_t> element;
    static pair make(element x, int64_t place, bool descending) {
        const uint64_t flip = descending ? ~(uint64_t)0 : 0;
        uint64_t high, low;
        complex_key<float64_code>(x.re, x.im, &high, &low);
        return {high ^ flip, low ^ flip, place};
    }
};

/* Radix sort by the bytes in which keys differ, the lowest first; pairs come in order of their
   places. */
void sort_radix(pair64 *x, pair64 *other, int64_t n) {
    uint64_t differ = 0;
    for (int64_t i = 0; i < n; i++) differ |= (uint64_t)(x[i].key ^ x[0].key);
    pair64 *from = x, *to = other;
    for (int shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 0xff)) continue;
        const unsigned turn = shift == 56 ? 0x80 : 0; /* keys are signed */
        int64_t count[256] = {0}, sum = 0;
        for (int64_t i = 0; i < n; i++) count[((uint64_t)from[i].key >> shift & 0xff) ^ turn]++;
        for (int64_t &c : count) {
            const int64_t many = c;
            c = sum, sum += many;
        }
        for (int64_t i = 0; i < n; i++)
            to[count[((uint64_t)from[i].key >> shift & 0xff) ^ turn]++] = from[i];
        std::swap(from, to);
    }
    if (from != x) memcpy(x, from, (size_t)n * sizeof *x);
}

void sort_pairs(const row &r, int64_t *x, int64_t n, char *) {
    r.sorts->sort64(x, n);
}
void sort_pairs(const row &, pair64 *x, int64_t n, char *room) {
    if (n < RADIX_PAIRS || !room)
        std::sort(x, x + n);
    else
        sort_radix(x, reinterpret_cast<pair64 *>(room), n);
}
void sort_pairs(const row &, pair128 *x, int64_t n, char *) {
    std::sort(x, x + n);
}
void select_pairs(const row &r, int64_t *x, int64_t n, const int64_t *kth, int kths) {
    r.sorts->select64(x, n, kth, kths);
}
template <class P> void select_pairs(const row &, P *x, int64_t n, const int64_t *kth, int kths) {
    P *from = x;
    for (int i = 0; i < kths; i++) {
        std::nth_element(from, x + kth[i], x + n);
        from = x + kth[i] + 1;
    }
}

/* out[i] = in[place of pair i]; if they are the same row, along the cycles of the permutation. */
template <class E, class P> void gather(const row &r, P *pairs) {
    const E *x = input<E>(r);
    E *out = output<E>(r);
    if (r.in != r.out) {
        for (int64_t i = 0; i < r.keep; i++) out[i] = x[place_of(pairs[i])];
        return;
    }
    /* A row may be sorted in place only as a whole; a place that is done points to itself. */
    for (int64_t i = 0; i < r.length; i++) {
        int64_t at = i, from = place_of(pairs[i]);
        if (from == i) continue;
        const E first = out[i];
        while (from != i) {
            out[at] = out[from];
            set_done(&pairs[at], at);
            at = from, from = place_of(pairs[at]);
        }
        out[at] = first;
        set_done(&pairs[at], at);
    }
}

/* Whether pairs of 128 bits may be sorted by their bytes: whole rows, whose pairs are in the order
   of their places; for values alone the memory would be too much. */
bool has_radix(const row &r) {
    return r.places && r.keep == r.length && !r.partial;
}

template <class Pack> void sort_places(const row &r) {
    typedef typename Pack::pair P;
    typedef typename Pack::element E;
    const int64_t n = r.length;
    const E *x = input<E>(r);
    P *pairs = reinterpret_cast<P *>(r.room);
    char *more = r.room + n * (int64_t)sizeof(P);
    const int64_t *start = r.start;
    if (start == r.places && start) {
        int64_t *copy = reinterpret_cast<int64_t *>(more);
        memcpy(copy, start, (size_t)n * sizeof *copy);
        start = copy, more += n * (int64_t)sizeof *copy;
    }
    for (int64_t i = 0; i < n; i++) pairs[i] = Pack::make(x[start ? start[i] : i], i, r.descending);
    if (r.partial) {
        select_pairs(r, pairs, n, r.kth, r.kths);
    } else {
        if (r.keep < n) select_pairs(r, pairs, n, &r.keep, 1);
        sort_pairs(r, pairs, r.keep, has_radix(r) ? more : nullptr);
    }
    if (r.places)
        for (int64_t i = 0; i < r.keep; i++)
            r.places[i] = start ? start[place_of(pairs[i])] : place_of(pairs[i]);
    if (r.out) gather<E>(r, pairs);
}

/* ---- which way ------------------------------------------------------------------------------ */

enum way { COUNT, VALUES, PAIRS };

way choose_way(const row &r) {
    const bool values = !r.places && r.keep == r.length && r.dtype < GND_COMPLEX64;
    if (!values) return PAIRS;
    const bool is_byte = r.dtype == GND_BOOL || r.dtype == GND_INT8 || r.dtype == GND_UINT8;
    const bool is_word = r.dtype == GND_INT16 || r.dtype == GND_UINT16 || r.dtype == GND_FLOAT16 ||
                         r.dtype == GND_BFLOAT16;
    if ((is_byte && r.length >= COUNT_BYTES) || (is_word && r.length >= COUNT_WORDS)) return COUNT;
    return VALUES;
}

template <class Code> void sort_real(const row &r) {
    constexpr int size = (int)sizeof(bits_of<Code>);
    const way w = choose_way(r);
    if (w == VALUES) return sort_values<Code>(r);
    if constexpr (size <= 2)
        if (w == COUNT) return count_values<Code>(r);
    if constexpr (size < 8)
        if (r.length < SHORT) return sort_places<pack32<Code>>(r);
    sort_places<pack64<Code>>(r);
}

} // namespace

extern "C" int64_t gndi_cpu_sort_room(const gndi_cpu_row *row) {
    const gndi_cpu_row &r = *row;
    static const uint8_t sizes[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 8, 16};
    const int64_t size = sizes[r.dtype], n = r.length;
    switch (choose_way(r)) {
    case COUNT: return n * size + (size == 1 ? 256 : 65536) * (int64_t)sizeof(int64_t);
    case VALUES: return n * (size < 4 ? size + 4 : size);
    default: break;
    }
    const bool packed = size < 8 && n < SHORT;
    const int64_t pair = size == 16 ? (int64_t)sizeof(pair128) : packed ? 8 : 16;
    const int64_t radix = pair == 16 && has_radix(r) ? n * pair : 0;
    return n * pair + radix + (r.start && r.start == r.places ? n * 8 : 0);
}

extern "C" void gndi_cpu_sort_row(const gndi_cpu_row *r) {
    if (r->dtype == GND_COMPLEX64) return sort_places<pack_complex64>(*r);
    if (r->dtype == GND_COMPLEX128) return sort_places<pack_complex128>(*r);
    with_code(r->dtype, [r](auto code) { sort_real<decltype(code)>(*r); });
}

} // namespace gnd
