/*
 * order_loops.hpp: the element of a rank in each window of a row. Keys are signed, for which vectors have comparisons
 * in every instruction set.
 *
 * network  Medians of small windows, a vector of outputs at once. Of several rows the columns are sorted first: each
 *          sorted column serves all the windows that it is in.
 * compare  Small windows of any kind: the same with a list of comparisons, elements in memory.
 * Larger windows: order_ranks.hpp.
 */
#include "convolve/cpu/order_ranks.hpp"

namespace gnd {

template <class K, class U> struct ordering {
    static constexpr int64_t lanes = GNDI_ORDER_VECTOR / (int)sizeof(K);
    typedef K V __attribute__((vector_size(GNDI_ORDER_VECTOR)));
    typedef K Unaligned __attribute__((vector_size(GNDI_ORDER_VECTOR), aligned(sizeof(K)), may_alias));

    GNDI_FN void take(V &to, const void *row, int64_t i) { to = *(const Unaligned *)((const K *)row + i); }

    /* ---- networks ----------------------------------------------------------------------------- */

    template <int H> static void sort_columns(const gndi_cpu_order_run *r, int64_t n) {
        for (int64_t i = 0; i < n; i += lanes) {
            V v[H];
            for (int h = 0; h < H; h++) take(v[h], r->row[h], i);
            order_sort<H>(v);
            for (int h = 0; h < H; h++) *(Unaligned *)((char *)r->work + h * r->work_bytes + i * sizeof(K)) = v[h];
        }
    }
    template <int H, int W> static void network(const gndi_cpu_order_run *r) {
        const char *row[H];
        if (H > 1) sort_columns<H>(r, r->n + W - 1);
        for (int h = 0; h < H; h++)
            row[h] = H > 1 ? (const char *)r->work + h * r->work_bytes : (const char *)r->row[h];
        for (int64_t i = 0; i < r->n; i += lanes) {
            V v[H * W];
            for (int h = 0; h < H; h++)
                for (int w = 0; w < W; w++) take(v[h * W + w], row[h], i + w);
            order_median<H, W>(v);
            *(Unaligned *)((K *)r->out + i) = v[H * W / 2];
        }
    }
    static void run_network(const gndi_cpu_order_run *r) {
        switch (r->rows * r->taps * (r->rows == 1 ? 1 : -1)) {
        case 3: network<1, 3>(r); break;
        case 5: network<1, 5>(r); break;
        case 7: network<1, 7>(r); break;
        case 9: network<1, 9>(r); break;
        case -9: network<3, 3>(r); break;
        default: network<5, 5>(r); break;
        }
    }

    /* ---- comparisons in memory ---------------------------------------------------------------- */

    /* The position of element e of output 0's window. */
    GNDI_FN const K *element(const gndi_cpu_order_run *r, int64_t e) {
        const int64_t at = r->chosen ? r->chosen[e] : e;
        return (const K *)r->row[at / r->taps] + at % r->taps;
    }

    template <bool LARGEST> static void extremes(const gndi_cpu_order_run *r) {
        K *out = (K *)r->out;
        for (int64_t e = 0; e < r->elements; e++) {
            const K *x = element(r, e);
            if (e == 0)
                __builtin_memcpy(out, x, (size_t)r->n * sizeof(K));
            else
                for (int64_t i = 0; i < r->n; i++) out[i] = (LARGEST ? x[i] > out[i] : x[i] < out[i]) ? x[i] : out[i];
        }
    }

    static void compare(const gndi_cpu_order_run *r) {
        constexpr int count = GNDI_ORDER_BLOCK / ORDER_REGISTER;
        typedef K Part __attribute__((vector_size(ORDER_REGISTER), may_alias));
        typedef Part Block[count];
        Block *v = (Block *)r->work;
        for (int64_t i = 0; i < r->n; i += GNDI_ORDER_BLOCK / (int)sizeof(K)) {
            for (int64_t e = 0; e < r->elements; e++) __builtin_memcpy(v + e, element(r, e) + i, sizeof *v);
            for (int64_t k = 0; k < r->pair_count; k++)
                for (int part = 0; part < count; part++)
                    order_pair(v[r->pairs[k].low][part], v[r->pairs[k].high][part]);
            __builtin_memcpy((K *)r->out + i, v + r->rank, sizeof *v);
        }
    }

    static void run(const gndi_cpu_order_run *r) {
        switch (r->way) {
        case GNDI_ORDER_NETWORK: run_network(r); break;
        case GNDI_ORDER_SMALLEST: extremes<false>(r); break;
        case GNDI_ORDER_LARGEST: extremes<true>(r); break;
        case GNDI_ORDER_PAIRS: compare(r); break;
        case GNDI_ORDER_LANES: order_lanes<K>::run(r); break;
        default: order_ranks<K, U>::run(r); break;
        }
    }

    /* ---- elements ----------------------------------------------------------------------------- */

    template <int KIND> static void load_kind(const char *from, int64_t step, K *to, int64_t n) {
        if (step == (int64_t)sizeof(U))
            for (int64_t i = 0; i < n; i++) to[i] = (K)(order_key(((const U *)from)[i], KIND) ^ order_top<U>);
        else
            for (int64_t i = 0; i < n; i++, from += step) to[i] = (K)(order_key(*(const U *)from, KIND) ^ order_top<U>);
    }
    template <int KIND> static void store_kind(const K *from, char *to, int64_t step, int64_t n) {
        if (step == (int64_t)sizeof(U))
            for (int64_t i = 0; i < n; i++) ((U *)to)[i] = order_bits((U)((U)from[i] ^ order_top<U>), KIND);
        else
            for (int64_t i = 0; i < n; i++, to += step) *(U *)to = order_bits((U)((U)from[i] ^ order_top<U>), KIND);
    }
    static void load(const char *from, int64_t step, int dtype, void *to, int64_t n) {
        switch (order_kind_of(dtype)) {
        case ORDER_UNSIGNED: load_kind<ORDER_UNSIGNED>(from, step, (K *)to, n); break;
        case ORDER_SIGNED: load_kind<ORDER_SIGNED>(from, step, (K *)to, n); break;
        default: load_kind<ORDER_FLOAT>(from, step, (K *)to, n); break;
        }
    }
    static void store(const void *from, char *to, int64_t step, int dtype, int64_t n) {
        switch (order_kind_of(dtype)) {
        case ORDER_UNSIGNED: store_kind<ORDER_UNSIGNED>((const K *)from, to, step, n); break;
        case ORDER_SIGNED: store_kind<ORDER_SIGNED>((const K *)from, to, step, n); break;
        default: store_kind<ORDER_FLOAT>((const K *)from, to, step, n); break;
        }
    }
    static void zeros(int dtype, void *to, int64_t n) {
        const K zero = (K)(order_key((U)0, order_kind_of(dtype)) ^ order_top<U>);
        for (int64_t i = 0; i < n; i++) ((K *)to)[i] = zero;
    }
};

template <class K, class U> static gndi_cpu_order_type order_type() {
    typedef ordering<K, U> o;
    return {ORDER_REGISTER, ORDER_REGISTER > 16 || sizeof(K) < 4 ? ORDER_REGISTER : 32 / (int)sizeof(K),
            o::run,         o::load,
            o::store,       o::zeros};
}

} // namespace gnd
