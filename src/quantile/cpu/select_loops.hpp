/*
 * select_loops.hpp: order statistics on a CPU, with loops that vectorise and do not branch on data.
 *
 * Short rows become keys in a buffer, and the key of a rank is found by bisection: how many keys
 * are below the middle? Each step is one pass over the buffer, and a dozen of them isolate one of a
 * thousand. Long rows are sampled first: two keys of the sample enclose the rank almost surely, and
 * one pass over the row counts what is below them and collects the few keys between, where the
 * bisection then goes on. Should the rank lie elsewhere, the counts say where, and the pass is
 * repeated: the result is exact in any case.
 */
#ifndef GNDI_CPU_SELECT_LOOPS_HPP
#define GNDI_CPU_SELECT_LOOPS_HPP

#include "quantile/cpu/select_loops.h"
#include "quantile/select_ops.h"
#include <algorithm>
#include <stdlib.h>
#if defined(__AVX512F__) || defined(__AVX2__)
#    include <immintrin.h>
#endif

namespace gnd {

enum {
    SHORT_ROW = 4096, /* keys in a buffer on the stack */
    CHUNK = 1024,     /* elements of a long row at a time */
    SORT_SHORT = 12,  /* quantiles from which on a short row is sorted */
    SORT_LONG = 64,   /* the same for a long one */
    TASK_CHUNKS = 16, /* least that a thread takes of a long row */
    SAMPLE_LEAST = 1024,
    SAMPLE_MOST = 1 << 18,
};

/* ---- bisection among keys ------------------------------------------------------------------- */

template <class K> static int64_t count_below(const K *keys, int64_t n, K limit) {
    int64_t total = 0;
    while (n > 0) {
        const int part = (int)std::min<int64_t>(n, 1 << 20);
        K count = 0;
        for (int i = 0; i < part; i++) count += keys[i] < limit;
        total += (int64_t)count, keys += part, n -= part;
    }
    return total;
}
template <class K> static K smallest_from(const K *keys, int64_t n, K limit) {
    K least = ~(K)0;
    for (int64_t i = 0; i < n; i++) {
        const K key = keys[i] >= limit ? keys[i] : ~(K)0;
        least = key < least ? key : least;
    }
    return least;
}
template <class K> static K largest_below(const K *keys, int64_t n, K limit) {
    K most = 0;
    for (int64_t i = 0; i < n; i++) {
        const K key = keys[i] < limit ? keys[i] : (K)0;
        most = key > most ? key : most;
    }
    return most;
}

/* The key of this rank, which lies in low .. high. */
template <class K> static K key_of_rank(const K *keys, int64_t n, int64_t rank, K low, K high) {
    while (low < high) {
        const K middle = low + ((high - low) >> 1) + 1;
        const int64_t below = count_below(keys, n, middle);
        if (below == rank) return smallest_from(keys, n, middle);
        if (below == rank + 1) return largest_below(keys, n, middle);
        if (below < rank)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* ---- storing -------------------------------------------------------------------------------- */

template <class K> static void store_keys(const gndi_select_plan &p, const key_rule<K> &rule, int64_t at,
                                          const select_position &position, K a, K b) {
    store_result(p, at, position, (uint64_t)bits_of_key(rule, a), (uint64_t)bits_of_key(rule, b));
}

static double quantile_or_fault(gndi_cpu_select_job *job, int64_t i) {
    bool fault = false;
    const double q = quantile_at(*job->plan, i, &fault);
    if (fault) __atomic_store_n(&job->fault, 1, __ATOMIC_RELAXED);
    return q;
}

/* How many elements take part, or 0 if the results are NaN. */
static int64_t elements_of(const gndi_select_plan &p, int64_t nan) {
    return p.skip_nan ? p.length - nan : nan ? 0 : p.length;
}

template <class K>
static void store_sorted(gndi_cpu_select_job *job, const key_rule<K> &rule, int64_t row, K *keys, int64_t nan) {
    const gndi_select_plan &p = *job->plan;
    const int64_t n = elements_of(p, nan);
    std::sort(keys, keys + p.length);
    for (int64_t i = 0; i < p.quantiles; i++) {
        const double q = quantile_or_fault(job, i);
        if (n == 0) {
            store_nan(p, i * p.rows + row);
            continue;
        }
        const select_position position = position_of(p.method, p.index_dtype, n, q);
        store_keys(p, rule, i * p.rows + row, position, keys[position.previous], keys[position.next]);
    }
}

/* ---- short rows ----------------------------------------------------------------------------- */

/* The elements as keys, and how many are NaN. */
template <int Bytes> static int64_t load_keys(const char *data, int64_t step, int64_t n,
                                              const key_rule<key_t<Bytes>> &rule, key_t<Bytes> *keys) {
    typedef key_t<Bytes> K;
    typedef storage_bits_t<Bytes> U;
    const key_rule<K> r = rule;
    if (step == Bytes) {
        const U *x = reinterpret_cast<const U *>(data);
        for (int64_t i = 0; i < n; i++) keys[i] = key_of(r, (K)x[i]);
    } else {
        for (int64_t i = 0; i < n; i++) keys[i] = key_of(r, (K) * reinterpret_cast<const U *>(data + i * step));
    }
    if (!rule_has_nan(r)) return 0;
    return n - count_below(keys, n, r.nan);
}

template <int Bytes> static void short_row(gndi_cpu_select_job *job, const key_rule<key_t<Bytes>> &rule, int64_t row) {
    typedef key_t<Bytes> K;
    const gndi_select_plan &p = *job->plan;
    K keys[SHORT_ROW];
    const int64_t length = p.length;
    const int64_t nan = load_keys<Bytes>(p.data + row * p.row_step, p.step, length, rule, keys);
    if (p.quantiles >= SORT_SHORT) {
        store_sorted(job, rule, row, keys, nan);
        return;
    }
    const int64_t n = elements_of(p, nan);
    K low = ~(K)0, high = 0;
    for (int64_t i = 0; i < length; i++) {
        low = keys[i] < low ? keys[i] : low;
        high = keys[i] > high ? keys[i] : high;
    }
    if (nan) high = largest_key(rule);
    for (int64_t i = 0; i < p.quantiles; i++) {
        const double q = quantile_or_fault(job, i);
        if (n == 0) {
            store_nan(p, i * p.rows + row);
            continue;
        }
        const select_position position = position_of(p.method, p.index_dtype, n, q);
        const K a = key_of_rank(keys, length, position.previous, low, high);
        K b = a;
        if (position.next != position.previous && a != ~(K)0 && count_below(keys, length, (K)(a + 1)) <= position.next)
            b = smallest_from(keys, length, (K)(a + 1));
        store_keys(p, rule, i * p.rows + row, position, a, b);
    }
}

/* ---- long rows ------------------------------------------------------------------------------ */

/* What a pass over a row finds about two keys. */
struct tally {
    int64_t below_low, up_to_low, below_high, up_to_high, nan;
};

/* A long row, the window of keys that was looked at last, and the keys strictly inside it. */
template <int Bytes> struct long_search {
    typedef key_t<Bytes> K;
    typedef storage_bits_t<Bytes> U;
    const U *x;
    int64_t n;
    key_rule<K> rule;
    K low, high;
    tally found;
    K *list;
    int64_t capacity, listed; /* listed may exceed capacity: then the list is not whole */
};

/* Copies the keys strictly between two of the first ones, as many as whole vectors have, which it gives; `inside` has
   room for n and a vector. */
#if defined(__AVX512F__)
template <class K> static int copy_vectors(const K *keys, int n, K low, K high, K *inside, int *count) {
    int i = 0;
    enum { LANES = 64 / sizeof(K) };
    for (; i + LANES <= n; i += LANES) {
        const __m512i key = _mm512_loadu_si512(keys + i);
        unsigned mask;
        if constexpr (sizeof(K) == 4) {
            mask = _mm512_cmpgt_epu32_mask(key, _mm512_set1_epi32((int)low));
            mask &= _mm512_cmplt_epu32_mask(key, _mm512_set1_epi32((int)high));
            _mm512_storeu_si512(inside + *count, _mm512_maskz_compress_epi32((__mmask16)mask, key));
        } else {
            mask = _mm512_cmpgt_epu64_mask(key, _mm512_set1_epi64((int64_t)low));
            mask &= _mm512_cmplt_epu64_mask(key, _mm512_set1_epi64((int64_t)high));
            _mm512_storeu_si512(inside + *count, _mm512_maskz_compress_epi64((__mmask8)mask, key));
        }
        *count += __builtin_popcount(mask);
    }
    return i;
}
#elif defined(__AVX2__) && defined(__BMI2__)
template <class K> static int copy_vectors(const K *keys, int n, K low, K high, K *inside, int *count) {
    int i = 0;
    enum { LANES = 32 / sizeof(K) };
    const K sign = (K)1 << (8 * sizeof(K) - 1); /* comparisons are of signed numbers */
    for (; i + LANES <= n; i += LANES) {
        const __m256i key = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(keys + i));
        __m256i is_in;
        if constexpr (sizeof(K) == 4) {
            const __m256i number = _mm256_xor_si256(key, _mm256_set1_epi32((int)sign));
            is_in = _mm256_and_si256(_mm256_cmpgt_epi32(number, _mm256_set1_epi32((int)(low ^ sign))),
                                     _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(high ^ sign)), number));
        } else {
            const __m256i number = _mm256_xor_si256(key, _mm256_set1_epi64x((int64_t)sign));
            is_in = _mm256_and_si256(_mm256_cmpgt_epi64(number, _mm256_set1_epi64x((int64_t)(low ^ sign))),
                                     _mm256_cmpgt_epi64(_mm256_set1_epi64x((int64_t)(high ^ sign)), number));
        }
        const unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(is_in)); /* by words of 32 bits */
        const uint64_t bytes = _pdep_u64(mask, UINT64_C(0x0101010101010101)) * 0xff;
        const uint64_t words = _pext_u64(UINT64_C(0x0706050403020100), bytes);
        const __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)words));
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(inside + *count), _mm256_permutevar8x32_epi32(key, order));
        *count += __builtin_popcount(mask) * 4 / (int)sizeof(K);
    }
    return i;
}
#else
template <class K> static int copy_vectors(const K *, int, K, K, K *, int *) {
    return 0;
}
#endif

/* Copies the keys strictly between two, and counts them. */
template <class K> static int copy_between(const K *keys, int n, K low, K high, K *inside) {
    int count = 0;
    for (int i = copy_vectors(keys, n, low, high, inside, &count); i < n; i++) {
        inside[count] = keys[i];
        count += keys[i] > low && keys[i] < high;
    }
    return count;
}

/* A chunk: counts, and the keys inside the window, which are put into `inside`. */
template <int Bytes> static int sweep_chunk(const long_search<Bytes> &s, const storage_bits_t<Bytes> *x, int n,
                                            tally *t, key_t<Bytes> *inside) {
    typedef key_t<Bytes> K;
    K keys[CHUNK], below_low = 0, up_to_low = 0, below_high = 0, up_to_high = 0, nan = 0;
    const key_rule<K> rule = s.rule;
    const K low = s.low, high = s.high, last = rule_has_nan(rule) ? largest_key(rule) : ~(K)0;
    for (int i = 0; i < n; i++) {
        const K key = key_of(rule, (K)x[i]);
        keys[i] = key;
        below_low += key < low;
        up_to_low += key <= low;
        below_high += key < high;
        up_to_high += key <= high;
        nan += key > last;
    }
    t->below_low += (int64_t)below_low, t->up_to_low += (int64_t)up_to_low;
    t->below_high += (int64_t)below_high, t->up_to_high += (int64_t)up_to_high;
    t->nan += (int64_t)nan;
    return below_high <= up_to_low ? 0 : copy_between(keys, n, low, high, inside);
}

template <int Bytes> static void sweep_chunks(void *context, int64_t begin, int64_t end) {
    typedef key_t<Bytes> K;
    long_search<Bytes> &s = *static_cast<long_search<Bytes> *>(context);
    tally t = {0, 0, 0, 0, 0};
    K inside[CHUNK + 64 / sizeof(K)];
    for (int64_t chunk = begin; chunk < end; chunk++) {
        const int64_t first = chunk * CHUNK;
        const int n = (int)std::min<int64_t>(CHUNK, s.n - first);
        const int count = sweep_chunk<Bytes>(s, s.x + first, n, &t, inside);
        if (count == 0) continue;
        const int64_t at = __atomic_fetch_add(&s.listed, count, __ATOMIC_RELAXED);
        const int64_t fits = std::min<int64_t>(count, s.capacity - at);
        if (fits > 0) memcpy(s.list + at, inside, (size_t)fits * sizeof(K));
    }
    __atomic_fetch_add(&s.found.below_low, t.below_low, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s.found.up_to_low, t.up_to_low, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s.found.below_high, t.below_high, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s.found.up_to_high, t.up_to_high, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s.found.nan, t.nan, __ATOMIC_RELAXED);
}

/* One pass over the row with the window low .. high. */
template <int Bytes> static void sweep(gndi_cpu_select_job *job, long_search<Bytes> *s) {
    s->found = tally{0, 0, 0, 0, 0};
    s->listed = 0;
    job->parallel_for((s->n + CHUNK - 1) / CHUNK, TASK_CHUNKS, sweep_chunks<Bytes>, s);
}

static uint64_t scramble(uint64_t x) {
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

/* A window that almost surely encloses the quantile and its neighbour, from a sample: one element
   from each of equal parts of the row, at a position that looks random. */
template <int Bytes> static void choose_window(gndi_cpu_select_job *job, long_search<Bytes> *s, double q,
                                               key_t<Bytes> *sample, int64_t size) {
    typedef key_t<Bytes> K;
    const gndi_select_plan &p = *job->plan;
    const int64_t part = s->n / size;
    for (int64_t i = 0; i < size; i++) {
        const int64_t at = i * part + (int64_t)((scramble((uint64_t)i + 1) >> 32) * (uint64_t)part >> 32);
        sample[i] = key_of(s->rule, (K)s->x[at]);
    }
    const K last = largest_key(s->rule);
    int64_t valid = size;
    if (rule_has_nan(s->rule)) valid = count_below(sample, size, s->rule.nan);
    s->low = 0, s->high = last;
    if (valid == 0) return;
    const double estimate = (double)s->n * ((double)valid / (double)size);
    const select_position position = position_of(p.method, p.index_dtype, std::max<int64_t>((int64_t)estimate, 1), q);
    const double share = std::min(((double)position.previous + 1) / std::max(estimate, 1.0), 1.0);
    const double middle = share * (double)valid;
    const double spread = 5 * sqrt((double)valid * share * (1 - share)) + 4;
    const int64_t from = (int64_t)(middle - spread), to = (int64_t)(middle + spread);
    if (from > 0) s->low = key_of_rank(sample, size, from, (K)0, last);
    if (to < valid) s->high = key_of_rank(sample, size, to, (K)0, last);
}

/* The key of this rank. What a pass says about the window decides where the next one looks. */
template <int Bytes> static key_t<Bytes> find_rank(gndi_cpu_select_job *job, long_search<Bytes> *s, int64_t rank) {
    typedef key_t<Bytes> K;
    K least = 0, most = largest_key(s->rule); /* the key lies between, both included */
    for (;;) {
        const tally &t = s->found;
        if (rank < t.below_low) {
            most = s->low, s->low = least, s->high = most;
        } else if (rank < t.up_to_low) {
            return s->low;
        } else if (rank < t.below_high) {
            if (s->listed <= s->capacity) return key_of_rank(s->list, s->listed, rank - t.up_to_low, s->low, s->high);
            least = s->low, most = s->high; /* too many: the lower half of them, or the rest */
            s->high = s->low + ((s->high - s->low) >> 1);
        } else if (rank < t.up_to_high) {
            return s->high;
        } else {
            least = s->high, s->low = least, s->high = most;
        }
        sweep(job, s);
    }
}

/* The key of the rank behind that of key a, which was found last: mostly it is in the list, too. */
template <int Bytes>
static key_t<Bytes> find_next(gndi_cpu_select_job *job, long_search<Bytes> *s, key_t<Bytes> a, int64_t rank) {
    typedef key_t<Bytes> K;
    const tally &t = s->found;
    if (s->listed > s->capacity || a < s->low || rank < t.up_to_low || rank >= t.below_high)
        return find_rank(job, s, rank);
    if (a != s->low && t.up_to_low + count_below(s->list, s->listed, (K)(a + 1)) > rank) return a;
    return smallest_from(s->list, s->listed, (K)(a + 1));
}

template <int Bytes> static void search_row(gndi_cpu_select_job *job, long_search<Bytes> *s, int64_t row,
                                            key_t<Bytes> *sample, int64_t sample_size) {
    const gndi_select_plan &p = *job->plan;
    for (int64_t i = 0; i < p.quantiles; i++) {
        const double q = quantile_or_fault(job, i);
        const int64_t at = i * p.rows + row;
        choose_window(job, s, q, sample, sample_size);
        sweep(job, s);
        const int64_t n = elements_of(p, s->found.nan);
        if (n == 0) {
            store_nan(p, at);
            continue;
        }
        const select_position position = position_of(p.method, p.index_dtype, n, q);
        const key_t<Bytes> a = find_rank(job, s, position.previous);
        const int64_t apart = position.next - position.previous;
        const key_t<Bytes> b = apart == 0   ? a
                               : apart == 1 ? find_next(job, s, a, position.next)
                                            : find_rank(job, s, position.next);
        store_keys(p, s->rule, at, position, a, b);
    }
}

/* False: no memory. */
template <int Bytes> static bool long_row(gndi_cpu_select_job *job, int64_t row) {
    typedef key_t<Bytes> K;
    const gndi_select_plan &p = *job->plan;
    const bool sorts = p.quantiles >= SORT_LONG;
    long_search<Bytes> s;
    s.x = reinterpret_cast<const storage_bits_t<Bytes> *>(p.data + row * p.row_step);
    s.n = p.length, s.rule = key_rule_of<Bytes>(p.dtype);
    const int64_t sample_size = std::max<int64_t>(SAMPLE_LEAST, std::min<int64_t>(SAMPLE_MOST, p.length >> 8));
    s.capacity = sorts ? p.length : p.length / 4 + CHUNK;
    K *memory = static_cast<K *>(malloc((size_t)(s.capacity + sample_size) * sizeof(K)));
    if (!memory) return false;
    s.list = memory + sample_size;
    if (sorts)
        store_sorted(job, s.rule, row, s.list,
                     load_keys<Bytes>(reinterpret_cast<const char *>(s.x), Bytes, p.length, s.rule, s.list));
    else
        search_row(job, &s, row, memory, sample_size);
    free(memory);
    return true;
}

/* ---- rows ----------------------------------------------------------------------------------- */

template <int Bytes> static void select_rows(gndi_cpu_select_job *job, int64_t begin, int64_t end) {
    const key_rule<key_t<Bytes>> rule = key_rule_of<Bytes>(job->plan->dtype);
    for (int64_t row = begin; row < end; row++) {
        if (job->plan->length <= SHORT_ROW)
            short_row<Bytes>(job, rule, row);
        else if (!long_row<Bytes>(job, row))
            __atomic_store_n(&job->no_memory, 1, __ATOMIC_RELAXED);
    }
}

} // namespace gnd

#endif
