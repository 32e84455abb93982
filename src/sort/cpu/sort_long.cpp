/*
 * sort_long.cpp: sorts one long dense row with all threads (sample sort). A sample splits the row's range into
 * buckets of about the same size. Each thread distributes a part of the row to them, in order. Then each bucket
 * is sorted in cache and written to its offset.
 */
#include "sort/cpu/sort_keys.hpp"
#include "sort/cpu/sort_loops.h"
#include <string.h>

namespace gnd {
namespace {

typedef gndi_cpu_row row;

enum {
    LONG_ROW = 1 << 17, /* from this length on a row is worth several threads */
    BUCKETS = 256,      /* the first and the last are for NaN */
    CLASSES = 1 << 16,  /* equal parts of the range, from which buckets are made */
    SAMPLE = 1 << 14,
    CHUNKS_EACH = 4, /* parts of the row that a thread deals out */
    BLOCK = 256,     /* elements whose classes are found together */
    CHUNK_LEAST = 1 << 14,
};

/* The buckets' bounds: a number's class is how far its rank lies above `least`. */
template <class R> struct buckets {
    R least;
    int shift;
    uint8_t of_class[CLASSES];
};

/* The class of a rank; the last one is for NaN alone. Without branches, so that it is done by vectors. */
template <class R> GNDI_FN uint16_t class_of(R rank, R least, int shift) {
    typedef choose_t<sizeof(R) == 8, uint64_t, uint32_t> U;
    const R from = rank > least ? rank : least;
    const U distance = ((U)from - (U)least) >> shift;
    return distance < CLASSES - 2 ? (uint16_t)distance : (uint16_t)(CLASSES - 2);
}

struct job {
    const row *r;
    int chunks;
    int64_t (*next)[BUCKETS]; /* by chunk: counts, then where the next ones go */
    int64_t begin[BUCKETS + 1];
};

/* How a row is cut up for its kind of result: `rank` of an element, by which it gets a class; the
   `number` that is sorted; and how a sorted bucket is written. */

template <class Code> struct by_values {
    typedef typename Code::bits S;
    typedef choose_t<sizeof(S) == 8, int64_t, int32_t> number;
    typedef number rank_type;
    const row *r;
    const S *x;
    S *out;
    S flip;

    number rank(int64_t i) const { return (number)(S)(Code::plain(x[i]) ^ flip); }
    bool is_nan(int64_t i) const { return Code::is_nan(x[i]); }
    number make(int64_t i) const { return (number)(S)(Code::key(x[i]) ^ flip); }
    number rank_of_zero() const { return (number)flip; }

    void restore(const number *from, int64_t n, S *to) const {
        for (int64_t i = 0; i < n; i++) to[i] = Code::element((S)(from[i] ^ flip));
    }
    void sort(int32_t *from, int64_t n) const { r->sorts->sort32(from, n); }
    void sort(int64_t *from, int64_t n) const { r->sorts->sort64(from, n); }
    /* If some zeros are negative, all of them are written where they belong, in their order, and what is
       below and above them is sorted for itself. */
    bool sort_around_zeros(number *from, int64_t n, S *to) const {
        if constexpr (!Code::is_float) return false;
        const number zero = (number)flip, negative = (number)(S)((S)-1 ^ flip);
        const number low = zero < negative ? zero : negative;
        int64_t below = 0, zeros = 0, found = 0;
        for (int64_t i = 0; i < n; i++) {
            below += from[i] < low, zeros += from[i] == zero;
            found += from[i] == negative;
        }
        if (found == 0 || zeros == 0) return false;
        S *front = to, *next = to + below, *above = next + zeros + found;
        for (int64_t i = 0; i < n; i++) {
            const S element = Code::element((S)(from[i] ^ flip));
            S *&where = from[i] < low ? front : Code::is_zero(element) ? next : above;
            *where++ = element;
        }
        const int64_t after = below + zeros + found;
        for (int64_t i = 0; i < n; i++) from[i] = (number)(S)(Code::key(to[i]) ^ flip);
        sort(from, below), sort(from + after, n - after);
        restore(from, below, to), restore(from + after, n - after, to + after);
        return true;
    }
    void finish(number *from, int64_t n, int64_t at, bool nan, bool with_zero) const {
        if (!nan && with_zero && sort_around_zeros(from, n, out + at)) return;
        if (!nan) sort(from, n);
        restore(from, n, out + at);
    }
};

template <class Order, class At> struct by_indices {
    typedef typename Order::element E;
    typedef int64_t number;
    typedef int64_t rank_type;
    const row *r;
    const E *x;
    const int64_t *start;
    At at;
    packing p;

    /* Without the index: elements that are yet to be compared share a bucket. */
    int64_t rank(int64_t i) const { return make(i) & (int64_t)p.kept; }
    bool is_nan(int64_t) const { return false; }
    int64_t make(int64_t i) const { return p.pack(Order::lead(at(i)), i); }
    int64_t rank_of_zero() const { return 0; }

    void finish(int64_t *from, int64_t n, int64_t begin, bool, bool) const {
        r->sorts->sort64(from, n);
        if (!p.exact) settle<Order>(p, from, n, at);
        if (r->out) {
            E *out = (E *)r->out + begin;
            for (int64_t i = 0; i < n; i++) out[i] = x[p.index(from[i])];
        }
        if (!r->indices) return;
        int64_t *indices = r->indices + begin;
        for (int64_t i = 0; i < n; i++) {
            const int64_t index = p.index(from[i]);
            indices[i] = start ? start[index] : index;
        }
    }
};

/* ---- the phases ----------------------------------------------------------------------------- */

template <class By> struct work {
    job j;
    By by;
    typename By::number *numbers;
    buckets<typename By::rank_type> b;
};

/* The classes of m elements from i on. */
template <class By> void find_classes(const work<By> &w, int64_t i, int m, uint16_t *classes) {
    const By by = w.by;
    const auto least = w.b.least;
    const int shift = w.b.shift;
    for (int k = 0; k < m; k++) {
        const uint16_t c = class_of(by.rank(i + k), least, shift);
        classes[k] = by.is_nan(i + k) ? (uint16_t)(CLASSES - 1) : c;
    }
}

/* Bounds for which each bucket gets as much of the sample as any other. */
template <class By> void choose_buckets(work<By> *w, int32_t *count) {
    typedef typename By::rank_type R;
    typedef choose_t<sizeof(R) == 8, uint64_t, uint32_t> U;
    auto &b = w->b;
    const int64_t n = w->j.r->length, step = n / SAMPLE;
    const auto index = [step](int64_t i) { return i * step + (i * 40503 & 0xffff) * step / 65536; };
    R least = 0, most = 0;
    bool any = false;
    for (int64_t i = 0; i < SAMPLE; i++) {
        if (w->by.is_nan(index(i))) continue;
        const R rank = w->by.rank(index(i));
        least = !any || rank < least ? rank : least, most = !any || rank > most ? rank : most;
        any = true;
    }
    b.least = least, b.shift = 0;
    while (((U)most - (U)least) >> b.shift >= CLASSES - 1) b.shift++;
    memset(count, 0, CLASSES * sizeof *count);
    for (int64_t i = 0; i < SAMPLE; i++)
        if (!w->by.is_nan(index(i))) count[class_of(w->by.rank(index(i)), b.least, b.shift)]++;
    const int32_t share = SAMPLE / (BUCKETS - 2) + 1;
    int bucket = 1;
    int32_t filled = 0;
    for (int i = 0; i < CLASSES - 1; i++) {
        if (filled > 0 && filled + count[i] > share && bucket < BUCKETS - 2) bucket++, filled = 0;
        b.of_class[i] = (uint8_t)bucket;
        filled += count[i];
    }
    b.of_class[CLASSES - 1] = w->j.r->descending ? 0 : BUCKETS - 1;
}

template <class By> int64_t chunk_begin(const work<By> &w, int64_t chunk) {
    const int64_t n = w.j.r->length, size = (n + w.j.chunks - 1) / w.j.chunks;
    return chunk * size < n ? chunk * size : n;
}
static inline int part_of(int64_t from, int64_t end) {
    return end - from < BLOCK ? (int)(end - from) : (int)BLOCK;
}

template <class By> void count_chunks(void *context, int64_t begin, int64_t end) {
    const work<By> &w = *static_cast<work<By> *>(context);
    uint16_t classes[BLOCK];
    for (int64_t c = begin; c < end; c++) {
        int64_t count[2][BUCKETS] = {{0}}; /* in turn: equal neighbours do not wait */
        const int64_t last = chunk_begin(w, c + 1);
        for (int64_t i = chunk_begin(w, c); i < last; i += BLOCK) {
            const int m = part_of(i, last);
            find_classes(w, i, m, classes);
            for (int k = 0; k < m; k++) count[k & 1][w.b.of_class[classes[k]]]++;
        }
        for (int k = 0; k < BUCKETS; k++) w.j.next[c][k] = count[0][k] + count[1][k];
    }
}
template <class By> void deal_chunks(void *context, int64_t begin, int64_t end) {
    const work<By> &w = *static_cast<work<By> *>(context);
    typedef typename By::number number;
    uint16_t classes[BLOCK];
    number made[BLOCK], *const numbers = w.numbers;
    const By by = w.by;
    for (int64_t c = begin; c < end; c++) {
        int64_t next[BUCKETS];
        memcpy(next, w.j.next[c], sizeof next);
        const int64_t last = chunk_begin(w, c + 1);
        for (int64_t i = chunk_begin(w, c); i < last; i += BLOCK) {
            const int m = part_of(i, last);
            find_classes(w, i, m, classes);
            for (int k = 0; k < m; k++) made[k] = by.make(i + k);
            for (int k = 0; k < m; k++) numbers[next[w.b.of_class[classes[k]]]++] = made[k];
        }
    }
}
template <class By> void finish_buckets(void *context, int64_t begin, int64_t end) {
    work<By> &w = *static_cast<work<By> *>(context);
    const int zero = w.b.of_class[class_of(w.by.rank_of_zero(), w.b.least, w.b.shift)];
    const int nan = w.b.of_class[CLASSES - 1];
    for (int64_t k = begin; k < end; k++) {
        const int64_t at = w.j.begin[k], n = w.j.begin[k + 1] - at;
        if (n > 0) w.by.finish(w.numbers + at, n, at, k == nan, k == zero);
    }
}

/* Where each chunk's share of each bucket begins. */
void add_up(job *j) {
    int64_t sum = 0;
    for (int k = 0; k < BUCKETS; k++) {
        j->begin[k] = sum;
        for (int c = 0; c < j->chunks; c++) {
            const int64_t count = j->next[c][k];
            j->next[c][k] = sum, sum += count;
        }
    }
    j->begin[BUCKETS] = sum;
}

int chunks_for(int64_t n, int threads) {
    const int64_t most = n / CHUNK_LEAST;
    return (int)(threads * CHUNKS_EACH < most ? threads * CHUNKS_EACH : most > 1 ? most : 1);
}

template <class By> void sort_long(const row &r, const gndi_cpu_threads *t, By by, char *workspace) {
    work<By> *w = reinterpret_cast<work<By> *>(workspace);
    workspace += (sizeof *w + 63) & ~(size_t)63;
    new (w) work<By>{{}, by, nullptr, {}};
    w->j.r = &r, w->j.chunks = chunks_for(r.length, t->count);
    w->j.next = reinterpret_cast<int64_t(*)[BUCKETS]>(workspace);
    workspace += (size_t)w->j.chunks * sizeof *w->j.next;
    w->numbers = reinterpret_cast<typename By::number *>(workspace);
    choose_buckets(w, reinterpret_cast<int32_t *>(w->numbers));
    t->parallel_for(w->j.chunks, 1, count_chunks<By>, w);
    add_up(&w->j);
    t->parallel_for(w->j.chunks, 1, deal_chunks<By>, w);
    t->parallel_for(BUCKETS, 1, finish_buckets<By>, w);
}

template <class Order> void order_long(const row &r, const gndi_cpu_threads *t) {
    typedef typename Order::element E;
    const E *x = reinterpret_cast<const E *>(r.in);
    const int64_t *start = r.start;
    char *workspace = r.workspace;
    if (start && start == r.indices) {
        memcpy(workspace, start, (size_t)r.length * sizeof *start);
        start = reinterpret_cast<const int64_t *>(workspace);
        workspace += r.length * (int64_t)sizeof *start;
    }
    const auto run = [&](auto at) {
        const packing p = packing_of<Order>(r.length, r.descending, at);
        sort_long(r, t, by_indices<Order, decltype(at)>{&r, x, start, at, p}, workspace);
    };
    if (start)
        run([x, start](int64_t i) { return x[start[i]]; });
    else
        run([x](int64_t i) { return x[i]; });
}

int64_t element_size(int dtype) {
    int64_t size = 0;
    with_order(dtype, [&size](auto order) { size = sizeof(typename decltype(order)::element); });
    return size;
}

} // namespace

extern "C" int64_t gndi_cpu_sort_long_workspace(const gndi_cpu_row *r, int threads) {
    const int64_t n = r->length;
    const bool indices = r->indices || r->dtype >= GND_COMPLEX64;
    const int64_t size = indices ? 8 : element_size(r->dtype);
    return n * size + (r->start && r->start == r->indices ? n * 8 : 0) +
           chunks_for(n, threads) * (int64_t)(BUCKETS * sizeof(int64_t)) + (int64_t)sizeof(job) +
           (int64_t)sizeof(buckets<int64_t>) + 1024;
}

extern "C" bool gndi_cpu_sort_long_worth(const gndi_cpu_row *r, int threads) {
    if (r->partial || r->keep < r->length || r->length < LONG_ROW || threads < 2) return false;
    if (!r->indices && element_size(r->dtype) <= 2) return false; /* counted */
    /* Elements are read from the row until the last bucket is written. */
    const bool indices = r->indices || r->dtype >= GND_COMPLEX64;
    return !(indices && r->out && r->out == r->in);
}

extern "C" void gndi_cpu_sort_long(const gndi_cpu_row *r, const gndi_cpu_threads *t) {
    if (r->indices || r->dtype >= GND_COMPLEX64)
        return with_order(r->dtype, [r, t](auto order) { order_long<decltype(order)>(*r, t); });
    with_code(r->dtype, [r, t](auto code) {
        typedef decltype(code) Code;
        typedef typename Code::bits S;
        const by_values<Code> by = {r, reinterpret_cast<const S *>(r->in), reinterpret_cast<S *>(r->out),
                                    r->descending ? (S)-1 : (S)0};
        sort_long(*r, t, by, r->workspace);
    });
}

} // namespace gnd
