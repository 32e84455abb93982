/*
 * sort_rows.hpp: sorts a dense row with one thread. For values alone, keys are made in the result's memory,
 * sorted, and converted back. For indices, the upper bits of a key and an index are packed into one number and
 * sorted. If bits of the keys were lost, numbers that differ only in the index are compared again.
 */
#ifndef GNDI_CPU_SORT_ROWS_HPP
#define GNDI_CPU_SORT_ROWS_HPP

#include "sort/cpu/sort_rows.h"
#include "sort/cpu/sort_keys.hpp"
#include "sort/cpu/sort_vectors.hpp"

namespace gnd {
namespace {

typedef gndi_cpu_row row;

enum {
    COUNT_BYTES = 300,           /* from this length on single bytes are counted */
    COUNT_WORDS = 40000,         /* the same for 16 bits, unless they are only partitioned */
    COUNT_SORTED_WORDS = 120000, /* and where they are sorted as 16 bits */
    LIST_BLOCK = 64,             /* elements that are looked at together for the first few */
    BLOCK = 2048,                /* elements that are looked at before they become keys */
};

template <class Code> using bits_of = typename Code::bits;

/* What keys are sorted as. */
template <class Code> using number_of = choose_t<sizeof(bits_of<Code>) == 8, int64_t, int32_t>;
/* Bytes of a row of elements of 16 bits and more that is sorted in the registers of a network. */
#if defined(__AVX512BW__)
enum { SHORT_ROW = MOST_ROWS * VECTOR_BYTES };
#else
enum { SHORT_ROW = 0 };
#endif

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
void sort_keys(const row &r, int16_t *x, int64_t n) {
    r.sorts->sort16(x, n);
}
void select_keys(const row &r, int16_t *x, int64_t n, const int64_t *kth, int kths) {
    r.sorts->select16(x, n, kth, kths);
}
void select_keys(const row &r, int32_t *x, int64_t n, const int64_t *kth, int kths) {
    r.sorts->select32(x, n, kth, kths);
}
void select_keys(const row &r, int64_t *x, int64_t n, const int64_t *kth, int kths) {
    r.sorts->select64(x, n, kth, kths);
}

/* ---- values alone --------------------------------------------------------------------------- */

/* What a row of floats has beside ordinary numbers. */
struct specials {
    int64_t nan, zeros;
    bool negative;       /* some of the zeros are */
    bool any_zero_order; /* zeros are numbers like others: partitions */
};

/* A few elements as keys, one by one: NaN go to the front of `aside`, zeros, which all get the same key,
   to its end as well, backwards. How many keys there are. */
template <class Code, class K> int64_t load_special(const bits_of<Code> *x, int n, K flip, K *keys, specials *found,
                                                    bits_of<Code> *aside, bits_of<Code> *end) {
    int64_t m = 0;
    for (int i = 0; i < n; i++) {
        bits_of<Code> element = x[i];
        if (Code::is_nan(element)) {
            aside[found->nan++] = element;
            continue;
        }
        if (!found->any_zero_order && Code::is_zero(element)) {
            end[-1 - found->zeros++] = element;
            found->negative |= element != 0;
            element = 0;
        }
        keys[m++] = (K)Code::key(element) ^ flip;
    }
    return m;
}

/* The row as keys, NaN left out: how many there are. */
template <class Code, class K>
int64_t load_keys(const bits_of<Code> *x, int64_t n, K flip, K *keys, specials *found, bits_of<Code> *aside) {
    typedef bits_of<Code> S;
    int64_t m = 0;
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        const int part = (int)std::min<int64_t>(n - begin, BLOCK);
        const S *from = x + begin;
        S any = 0, zero = 0;
        if constexpr (Code::is_float)
            for (int i = 0; i < part; i++) {
                any |= Code::is_nan(from[i]) ? (S)1 : (S)0;
                zero |= Code::is_zero(from[i]) ? (S)1 : (S)0;
            }
        if (any || (zero && !found->any_zero_order)) {
            m += load_special<Code, K>(from, part, flip, keys + m, found, aside, aside + n);
        } else {
            for (int i = 0; i < part; i++) keys[m + i] = (K)Code::key(from[i]) ^ flip;
            m += part;
        }
    }
    return m;
}

template <class Code, class K> void restore(const K *keys, int64_t n, K flip, bits_of<Code> *out) {
    for (int64_t i = 0; i < n; i++) out[i] = Code::element((bits_of<Code>)(keys[i] ^ flip));
}

/* Keys as elements; zeros get their signs back, in their order, and NaN go behind or before all. */
template <class Code, class K>
void store_values(const row &r, const specials &found, K flip, const K *keys, int64_t m, const bits_of<Code> *aside) {
    typedef bits_of<Code> S;
    S *out = output<S>(r);
    int64_t zero = 0;
    for (int64_t end = found.negative ? m : 0; zero < end;) {
        const int64_t middle = zero + (end - zero) / 2;
        if (keys[middle] < flip)
            zero = middle + 1;
        else
            end = middle;
    }
    restore<Code, K>(keys, m, flip, out);
    if (found.negative)
        for (int64_t i = 0; i < found.zeros; i++) out[zero + i] = aside[r.length - 1 - i];
    if (r.descending && found.nan) memmove(out + found.nan, out, (size_t)m * sizeof(S));
    memcpy(out + (r.descending ? 0 : m), aside, (size_t)found.nan * sizeof(S));
}

template <class Code, class K> void sort_values(const row &r) {
    typedef bits_of<Code> S;
    const int64_t n = r.length;
    const K flip = r.descending ? (K)-1 : (K)0;
    const bool in_place = sizeof(S) == sizeof(K);
    K *keys = reinterpret_cast<K *>(in_place ? r.out : r.workspace);
    S *aside = reinterpret_cast<S *>(r.workspace + (in_place ? 0 : n * (int64_t)sizeof(K)));
    specials found = {0, 0, false, r.partial};
    const int64_t m = load_keys<Code, K>(input<S>(r), n, flip, keys, &found, aside);
    if (r.partial) {
        int kths = r.kths;
        while (kths > 0 && r.kth[kths - 1] >= m) kths--; /* NaN have their indices */
        select_keys(r, keys, m, r.kth, kths);
    } else {
        sort_keys(r, keys, m);
    }
    store_values<Code, K>(r, found, flip, keys, m, aside);
}

/* A short row; false if it has NaN or -0.0. */
template <class Code> bool sort_short(const row &r) {
    typedef bits_of<Code> S;
    const S flip = r.descending ? (S)-1 : (S)0;
    if constexpr (Code::is_float)
        return sort_small(input<S>(r), output<S>(r), r.length, float_keys<S>(flip, Code::infinity));
    else
        return sort_small(input<S>(r), output<S>(r), r.length, flipped_keys<S>((S)(Code::key(0) ^ flip)));
}

/* Complex numbers of two float32 whose order is that of one number of both keys: those without NaN and -0. */
struct pair_code {
    GNDI_FN bool is_special(int64_t x) { return one(x >> 32) | one((int32_t)x); }
    GNDI_FN int64_t key(int64_t x) {
        const int64_t re = float32_code::key((int32_t)x), im = float32_code::key((int32_t)(x >> 32));
        return (int64_t)((uint64_t)re << 32 | ((uint32_t)im ^ 0x80000000u));
    }
    GNDI_FN int64_t element(int64_t key) {
        const int32_t re = float32_code::element((int32_t)(key >> 32));
        const int32_t im = float32_code::element((int32_t)((uint32_t)key ^ 0x80000000u));
        return (int64_t)((uint64_t)im << 32 | (uint32_t)re);
    }

  private:
    GNDI_FN bool one(int64_t x) { return float32_code::is_nan((int32_t)x) | ((int32_t)x == INT32_MIN); }
};
bool sort_pairs(const row &r) {
    const int64_t *x = input<int64_t>(r), n = r.length, flip = r.descending ? -1 : 0;
    int64_t *keys = output<int64_t>(r), special = 0;
    for (int64_t i = 0; i < n; i++) special |= pair_code::is_special(x[i]);
    if (special) return false;
    for (int64_t i = 0; i < n; i++) keys[i] = pair_code::key(x[i]) ^ flip;
    if (r.partial)
        r.sorts->select64(keys, n, r.kth, r.kths);
    else
        r.sorts->sort64(keys, n);
    for (int64_t i = 0; i < n; i++) keys[i] = pair_code::element(keys[i] ^ flip);
    return true;
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
        for (int v = 0; v < values; v++) count[v] = table[0][v] + table[1][v] + table[2][v] + table[3][v];
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
    constexpr int values = 1 << sizeof(S) * 8, FEW = VECTOR_BYTES / (int)sizeof(S); /* written in one piece */
    const S *x = input<S>(r);
    S *out = output<S>(r), *end = out, *limit = out + r.length, *zeros = nullptr;
    const int64_t n = r.length;
    int64_t *count = reinterpret_cast<int64_t *>(r.workspace);
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
            if (many <= FEW && end + FEW <= limit)
                for (int k = 0; k < FEW; k++) end[k] = element;
            else
                std::fill(end, end + many, element);
            end += many;
        }
    };
    if (Code::is_float && r.descending) fill(true);
    fill(false);
    if (Code::is_float && !r.descending) fill(true);
    if (signed_zeros) memcpy(zeros, signs, (size_t)signed_zeros * sizeof(S));
}

/* ---- indices --------------------------------------------------------------------------------- */

/* out[i] = x[index of number i]; if that is the same row, along the cycles of the permutation. */
template <class E> void gather(const row &r, const packing &p, int64_t *numbers) {
    const E *x = input<E>(r);
    E *out = output<E>(r);
    if (r.in != r.out) {
        for (int64_t i = 0; i < r.keep; i++) out[i] = x[p.index(numbers[i])];
        return;
    }
    for (int64_t i = 0; i < r.length; i++) numbers[i] = p.index(numbers[i]);
    for (int64_t i = 0; i < r.length; i++) {
        const E first = out[i];
        int64_t at = i;
        for (int64_t from = numbers[i]; from != i; from = numbers[at]) {
            out[at] = out[from];
            numbers[at] = at, at = from; /* an index that is done points to itself */
        }
        out[at] = first, numbers[at] = at;
    }
}

/* The packing comes by value, and is used here alone, so that stores of numbers cannot change it. */
template <class Order, class At> void pack_row(packing p, int64_t n, At at, int64_t *numbers) {
    if (p.least == 0 && p.shift == 0 && p.exact) {
        const uint64_t flip = p.flip, kept = p.kept, top = (uint64_t)1 << 63;
        for (int64_t i = 0; i < n; i++)
            numbers[i] = (int64_t)((((Order::lead(at(i)) ^ flip) & kept) | (uint64_t)i) ^ top);
    } else {
        for (int64_t i = 0; i < n; i++) numbers[i] = p.pack(Order::lead(at(i)), i);
    }
}

/* Whole rows. */
template <class Order, class At> void sort_indices(const row &r, const int64_t *start, At at) {
    typedef typename Order::element E;
    const int64_t n = r.length;
    int64_t *numbers = reinterpret_cast<int64_t *>(r.workspace);
    const packing p = packing_of<Order>(n, r.descending, at);
    pack_row<Order>(p, n, at, numbers);
    r.sorts->sort64(numbers, n);
    if (!p.exact) settle<Order>(p, numbers, n, at);
    if (r.indices)
        for (int64_t i = 0; i < n; i++) {
            const int64_t index = p.index(numbers[i]);
            r.indices[i] = start ? start[index] : index;
        }
    if (r.out) gather<E>(r, p, numbers);
}

/* Of numbers partitioned at `kth`, from `begin` on, those alike the one there, which lost bits of their leads: in the
   order of the elements. */
template <class Order>
void settle_around(const row &r, const packing &p, int64_t *numbers, int64_t begin, int64_t kth) {
    const comes_before<Order> before = {input<typename Order::element>(r), p.flip};
    const int64_t like = numbers[kth];
    int64_t *first = std::partition(numbers + begin, numbers + kth, [&](int64_t a) { return !p.alike(a, like); });
    int64_t *last = std::partition(numbers + kth + 1, numbers + r.length, [&](int64_t a) { return p.alike(a, like); });
    std::nth_element(first, numbers + kth, last, [&](int64_t a, int64_t b) { return before(p.index(a), p.index(b)); });
}

/* Part of a row: partitioned, or the first of the sorted ones. */
template <class Order> void select_numbers(const row &r, const packing &p) {
    typedef typename Order::element E;
    const E *x = input<E>(r);
    const int64_t n = r.length;
    int64_t *numbers = reinterpret_cast<int64_t *>(r.workspace);
    const auto at = [x](int64_t i) { return x[i]; };
    const int64_t *kth = r.partial ? r.kth : &r.keep;
    const int kths = r.partial ? r.kths : 1;
    pack_row<Order>(p, n, at, numbers);
    if (p.exact) r.sorts->select64(numbers, n, kth, kths);
    for (int64_t i = 0, begin = 0; !p.exact && i < kths; begin = kth[i++] + 1) {
        const int64_t ahead = kth[i] - begin;
        r.sorts->select64(numbers + begin, n - begin, &ahead, 1);
        settle_around<Order>(r, p, numbers, begin, kth[i]);
    }
    if (!r.partial) {
        r.sorts->sort64(numbers, r.keep);
        if (!p.exact) settle<Order>(p, numbers, r.keep, at);
    }
    if (r.indices)
        for (int64_t i = 0; i < r.keep; i++) r.indices[i] = p.index(numbers[i]);
    if (r.out) gather<E>(r, p, numbers);
}

/* The first `keep` indices of a list, in order or not, and their elements. */
template <class Order> void store_selected(const row &r, int64_t *list) {
    typedef typename Order::element E;
    if (r.indices) memcpy(r.indices, list, (size_t)r.keep * sizeof *list);
    const packing all = {0, 0, 0, 0, true};
    if (r.out) gather<E>(r, all, list);
}

/* How long a list select_first needs: it is cut down to `keep` now and then. */
int64_t list_length(int64_t keep) {
    return 2 * keep + 2 * LIST_BLOCK;
}
bool is_few(const row &r) {
    return !r.partial && r.keep < r.length && list_length(r.keep) <= r.length / 2;
}

/* The first few of a row: a list of those that may be among them. Once it holds so many, most blocks have
   nothing before the last of them. */
template <class Order> void select_first(const row &r) {
    typedef typename Order::element E;
    typedef typename Order::rank_type R;
    const E *x = input<E>(r);
    const int64_t n = r.length;
    const R flip = r.descending ? (R) ~(R)0 : (R)0;
    const comes_before<Order> before = {x, r.descending ? ~(uint64_t)0 : 0};
    int64_t *list = reinterpret_cast<int64_t *>(r.workspace), m = 0;
    const int64_t most = list_length(r.keep) - LIST_BLOCK;
    R limit = 0;
    bool full = false;
    for (int64_t begin = 0; begin < n; begin += LIST_BLOCK) {
        const int part = (int)std::min<int64_t>(n - begin, LIST_BLOCK);
        if (full) { /* of equal elements the first ones are taken: those in the list */
            R any = 0;
            for (int i = 0; i < part; i++) {
                const R rank = (R)(Order::rank(x[begin + i]) ^ flip);
                any |= rank < limit || (!Order::exact && rank == limit) ? (R)1 : (R)0;
            }
            if (!any) continue;
        }
        for (int i = 0; i < part; i++) {
            const R rank = (R)(Order::rank(x[begin + i]) ^ flip);
            list[m] = begin + i;
            m += !full || rank < limit || (!Order::exact && rank == limit);
        }
        if (m <= most) continue;
        std::nth_element(list, list + r.keep - 1, list + m, before);
        limit = (R)(Order::rank(x[list[r.keep - 1]]) ^ flip);
        m = r.keep, full = true;
    }
    if (m > r.keep) std::nth_element(list, list + r.keep - 1, list + m, before);
    std::sort(list, list + r.keep, before);
    store_selected<Order>(r, list);
}

template <class Order> void order_indices(const row &r) {
    typedef typename Order::element E;
    const E *x = input<E>(r);
    const int64_t n = r.length;
    if (is_few(r)) return select_first<Order>(r);
    if (r.partial || r.keep < n) {
        return select_numbers<Order>(r, packing_of<Order>(n, r.descending, [x](int64_t i) { return x[i]; }));
    }
    const int64_t *start = r.start;
    if (!start) return sort_indices<Order>(r, nullptr, [x](int64_t i) { return x[i]; });
    if (start == r.indices) {
        int64_t *copy = reinterpret_cast<int64_t *>(r.workspace) + n;
        memcpy(copy, start, (size_t)n * sizeof *copy);
        start = copy;
    }
    sort_indices<Order>(r, start, [x, start](int64_t i) { return x[start[i]]; });
}

/* ---- which way ------------------------------------------------------------------------------ */

enum way { COUNT, VALUES, INDICES };

way choose_way(const row &r) {
    const bool values = !r.indices && r.keep == r.length && r.dtype < GND_COMPLEX64;
    if (!values) return INDICES;
    const bool is_byte = r.dtype == GND_BOOL || r.dtype == GND_INT8 || r.dtype == GND_UINT8;
    const bool is_word =
        r.dtype == GND_INT16 || r.dtype == GND_UINT16 || r.dtype == GND_FLOAT16 || r.dtype == GND_BFLOAT16;
    if (is_byte) return r.length >= COUNT_BYTES ? COUNT : VALUES;
    const int64_t least = r.sorts->sort16 ? COUNT_SORTED_WORDS : COUNT_WORDS;
    return is_word && !r.partial && r.length >= least ? COUNT : VALUES;
}

int64_t sort_workspace(const gndi_cpu_row *of) {
    const gndi_cpu_row &r = *of;
    static const uint8_t sizes[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 8, 16};
    const int64_t size = sizes[r.dtype], n = r.length;
    switch (choose_way(r)) {
    case COUNT: return n * size + (size == 1 ? 256 : 65536) * (int64_t)sizeof(int64_t);
    case VALUES: return n * (size < 4 ? size + 4 : size);
    default:
        if (is_few(r)) return list_length(r.keep) * 8;
        return n * 8 + (r.start && r.start == r.indices ? n * 8 : 0);
    }
}

void sort_row(const gndi_cpu_row *r) {
    const way w = choose_way(*r);
    if (r->dtype == GND_COMPLEX64 && !r->indices && r->keep == r->length && sort_pairs(*r)) return;
    if (w == INDICES) return with_order(r->dtype, [r](auto order) { order_indices<decltype(order)>(*r); });
    with_code(r->dtype, [r, w](auto code) {
        typedef decltype(code) Code;
        if constexpr (sizeof(bits_of<Code>) <= 2)
            if (w == COUNT) return count_values<Code>(*r);
        if constexpr (SHORT_ROW > 0 && sizeof(bits_of<Code>) >= 2)
            if (r->length * (int64_t)sizeof(bits_of<Code>) <= SHORT_ROW && sort_short<Code>(*r)) return;
        if constexpr (sizeof(bits_of<Code>) == 2)
            if (r->sorts->sort16) return sort_values<Code, int16_t>(*r);
        sort_values<Code, number_of<Code>>(*r);
    });
}

} // namespace
} // namespace gnd

#endif
