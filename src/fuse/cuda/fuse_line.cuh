/*
 * fuse_line.cuh: the line interpreter: see fuse_line.h.
 */
#ifndef GNDI_FUSE_LINE_CUH
#define GNDI_FUSE_LINE_CUH

#include "fuse/cuda/fuse_line.h"
#include "fuse/cuda/fuse_machine.cuh"
#include "kernels/cuda/early_start.cuh"
#include "reduce/cuda/reduce_block.cuh"

namespace gnd {

/* What the warps of a block exchange. */
template <class S> struct line_shared { S warp[2][32]; };

/* S: float or double. W: words of a value. */
template <class S, int W, bool Reduces> struct line {
    typedef bits_t<S> E;
    static constexpr int each = 16 / size_of<S>, many = W / 4, elements = each * many;
    const gndi_line_params &p;
    uint4 *memory; /* shared */
    uint4 *file;   /* of it, this thread's */
    uint32_t group, part;
    uint32_t chunk;  /* the first one; */
    uint32_t length; /* of the row: 1 behind the body */
    bool whole;      /* all chunks exist and are full */
    uint32_t acc[W];

    GNDI_INLINE explicit line(const gndi_line_params &params) : p(params) {}

    GNDI_INLINE static void put(uint32_t (&w)[W], int v, uint4 x) {
        w[v * 4] = x.x, w[v * 4 + 1] = x.y, w[v * 4 + 2] = x.z, w[v * 4 + 3] = x.w;
    }
    GNDI_INLINE static uint4 get(const uint32_t (&w)[W], int v) {
        return uint4{w[v * 4], w[v * 4 + 1], w[v * 4 + 2], w[v * 4 + 3]};
    }
    GNDI_INLINE static uint4 chunk_of(E x) {
        if constexpr (each == 4)
            return uint4{x, x, x, x};
        else
            return uint4{(uint32_t)x, (uint32_t)(x >> 32), (uint32_t)x, (uint32_t)(x >> 32)};
    }
    GNDI_INLINE static uint32_t threads() { return blockDim.x; }
    GNDI_INLINE void fetch(uint32_t offset, uint32_t (&w)[W]) const {
        const uint32_t own = offset & 1;
        const char *const at = (const char *)memory + (offset >> 1) + own * (16 * threadIdx.x);
#pragma unroll
        for (int v = 0; v < many; v++) put(w, v, *(const uint4 *)(at + v * (own * (16 * threads()))));
    }
    GNDI_INLINE void look_at_tile() {
        whole = (chunk + (many - 1) * threads()) < length / each;
    }
    /* The number of elements in chunk v. */
    GNDI_INLINE int count_of(int v) const {
        const uint32_t at = chunk + v * threads();
        return at >= (length + (each - 1)) / each ? 0 : (int)min(length - at * each, (uint32_t)each);
    }

    /* ---- memory ---- */

    template <class D> GNDI_INLINE D *array(int k) const {
        return (D *)(p.array[k] + (int64_t)(uint64_t)group * p.row_stride[k]);
    }
    /* The first elements of a chunk. */
    GNDI_INLINE static void load_some(uint4 *to, const uint4 *from, int count) {
        E x[each] = {};
#pragma unroll
        for (int i = 0; i + 1 < each; i++)
            if (i < count) x[i] = ((const E *)from)[i];
        memcpy(to, x, sizeof x);
    }
    GNDI_INLINE void spread(E x) {
#pragma unroll
        for (int v = 0; v < many; v++) put(acc, v, chunk_of(x));
    }
    GNDI_INLINE void load_first() {
        if (p.same & 1) {
            spread(*array<const E>(0));
        } else if (whole) {
            const uint4 *const from = array<const uint4>(0) + chunk;
#pragma unroll
            for (int v = 0; v < many; v++) put(acc, v, from[v * threads()]);
        } else {
#pragma unroll
            for (int v = 0; v < many; v++) {
                const int count = count_of(v);
                const uint4 *const from = array<const uint4>(0) + chunk + v * threads();
                uint4 x = {};
                if (count == each)
                    x = *from;
                else if (count > 0)
                    load_some(&x, from, count);
                put(acc, v, x);
            }
        }
    }
    GNDI_INLINE void start_loads() const {
#pragma unroll 1
        for (int k = 1; k < p.loads; k++) {
            uint4 *const to = file + (k - 1) * (many * threads());
            if (p.same >> k & 1) {
                const uint4 x = chunk_of(*array<const E>(k));
#pragma unroll
                for (int v = 0; v < many; v++) to[v * threads()] = x;
            } else if (whole) {
                const uint4 *const from = array<const uint4>(k) + chunk;
#pragma unroll
                for (int v = 0; v < many; v++) copy_async(to + v * threads(), from + v * threads());
            } else {
#pragma unroll 1
                for (int v = 0; v < many; v++) {
                    const int count = count_of(v);
                    const uint4 *const from = array<const uint4>(k) + chunk + v * threads();
                    if (count == each)
                        copy_async(to + v * threads(), from);
                    else if (count > 0)
                        load_some(to + v * threads(), from, count);
                }
            }
        }
    }
    GNDI_INLINE void store(int k) const {
        uint4 *const to = array<uint4>(k) + chunk;
        if (whole) {
#pragma unroll
            for (int v = 0; v < many; v++) store_word(to + v * threads(), get(acc, v));
        } else {
#pragma unroll
            for (int v = 0; v < many; v++) {
                const int count = count_of(v);
                if (count == each) {
                    store_word(to + v * threads(), get(acc, v));
                } else {
#pragma unroll
                    for (int i = 0; i + 1 < each; i++)
                        if (i < count) ((E *)(to + v * threads()))[i] = value_in<S, E>(acc, v * each + i);
                }
            }
        }
    }
    /* The low bytes of the elements. */
    GNDI_INLINE void store_bool(int k) const {
        typedef choose_t<each == 4, uint32_t, uint16_t> word;
        word *const to = array<word>(k) + chunk;
#pragma unroll
        for (int v = 0; v < many; v++) {
            const int count = whole ? each : count_of(v);
            uint32_t bytes = 0;
#pragma unroll
            for (int i = 0; i < each; i++) bytes |= (uint32_t)value_in<S, uint8_t>(acc, v * each + i) << (8 * i);
            if (count == each) {
                to[v * threads()] = (word)bytes;
            } else {
#pragma unroll
                for (int i = 0; i < each; i++)
                    if (i < count) ((uint8_t *)(to + v * threads()))[i] = (uint8_t)(bytes >> (8 * i));
            }
        }
    }
    GNDI_INLINE void set_splats() const {
        uint32_t *const to = (uint32_t *)(memory + p.file_chunks + p.results);
        for (uint32_t i = threadIdx.x; i < 4u * p.splats; i += threads()) to[i] = p.splat[0][i];
    }

    /* ---- operators ---- */

    template <int Op, class L, bool Reversed = false>
    GNDI_INLINE void operate(const gndi_line_step &s, uint32_t (&b)[W]) {
        typedef slot_operator<Op, L, S> O;
        if constexpr (O::O::long_body && O::O::nin < 3) {
            one_by_one([](uint32_t(&x)[W / elements],
                          uint32_t(&y)[W / elements]) { O::template apply<false>(nullptr, x, y, y); },
                       b);
        } else if constexpr (O::O::nin == 3) {
            uint32_t c[W];
            fetch(s.c, c);
            O::template apply<false>(nullptr, acc, b, c);
        } else if constexpr (Reversed) {
            O::template apply<false>(nullptr, b, acc, acc);
#pragma unroll
            for (int i = 0; i < W; i++) acc[i] = b[i];
        } else {
            O::template apply<false>(nullptr, acc, b, b);
        }
    }
    /* One element at a time, for operators with long code. */
    template <class Do> GNDI_INLINE void one_by_one(const Do &todo, uint32_t (&b)[W]) {
        constexpr int own = W / elements;
#pragma unroll 1
        for (int i = 0; i < elements; i++) {
            uint32_t x[own], y[own];
#pragma unroll
            for (int k = 0; k < own; k++) x[k] = acc[k], y[k] = b[k];
            todo(x, y);
            rotate(acc, x);
            rotate(b, y);
        }
    }
    GNDI_INLINE static void rotate(uint32_t (&w)[W], const uint32_t (&x)[W / elements]) {
        constexpr int own = W / elements;
#pragma unroll
        for (int k = 0; k + own < W; k++) w[k] = w[k + own];
#pragma unroll
        for (int k = 0; k < own; k++) w[W - own + k] = x[k];
    }
    /* x / c by the reciprocal of c > 0, with the bits of a division. The first quotient's error is less than an ulp
       (Steps = 1, if the launch found the reciprocal accurate enough; else after another step), so the Newton step
       after it gives the rounded quotient (Markstein, "Computation of elementary functions on the IBM RISC System/6000
       processor", 1990). False if a step may overflow or underflow. */
    template <int Steps> GNDI_INLINE bool divided(float c, float by) {
        float largest = 0, quotient[W];
        uint32_t smallest = ~0u; /* of twice the bits, minus 1, for which a zero is not small */
#pragma unroll
        for (int i = 0; i < W; i++) {
            const float x = from_bits(acc[i]);
            largest = fmaxf(largest, fabsf(x));
            smallest = min(smallest, 2 * acc[i] - 1);
            float q = m::mul(x, by);
#pragma unroll
            for (int k = 0; k < Steps; k++) q = m::fma(m::fma(q, c, -x), -by, q);
            quotient[i] = q;
        }
        /* 0x21800000: the bits of 2^-60. */
        if (!(largest < 0x1p60f) || smallest < 2u * 0x21800000u || by != by) return false;
#pragma unroll
        for (int i = 0; i < W; i++) acc[i] = to_bits(quotient[i]);
        return true;
    }
    /* Divides by the first element of b. */
    template <int Steps> GNDI_INLINE void divide_by(uint32_t (&b)[W], float by) {
        if constexpr (is_same<S, float>)
            if (divided<Steps>(from_bits(b[0]), by)) return;
        const S c = value_in<S, S>(b, 0);
        one_by_one([c](uint32_t(&x)[W / elements],
                       uint32_t(&)[W / elements]) { set_value<S>(x, 0, value_in<S, S>(x, 0) / c); },
                   b);
    }

    /* ---- reductions ---- */

    GNDI_INLINE static S combined(int reducer, S x, S y) {
        switch (reducer) {
        case GNDI_FUSE_MINIMA: return extreme<false>(x, y);
        case GNDI_FUSE_MAXIMA: return extreme<true>(x, y);
        default: return x + y;
        }
    }
    GNDI_INLINE static S nothing_of(int reducer) {
        return reducer == GNDI_FUSE_MINIMA   ? limits<S>::infinity()
               : reducer == GNDI_FUSE_MAXIMA ? -limits<S>::infinity()
                                             : -(S)0;
    }
    GNDI_INLINE static S folded(int reducer, const S (&x)[elements]) {
        switch (reducer) {
        case GNDI_FUSE_MINIMA: return joined<0, elements>(x, op_extreme<false>());
        case GNDI_FUSE_MAXIMA: return joined<0, elements>(x, op_extreme<true>());
        default: return joined<0, elements>(x, op_plus());
        }
    }
    /* Joins the values of a block, for all of its threads. `parity`: alternates from call to call. */
    GNDI_INLINE S joined_block(int reducer, S x, line_shared<S> &shared, int parity) const {
#pragma unroll
        for (int d = 16; d > 0; d /= 2) x = combined(reducer, x, shuffle_down(x, d));
        if (threadIdx.x % 32 == 0) shared.warp[parity & 1][threadIdx.x / 32] = x;
        __syncthreads();
        x = shared.warp[parity & 1][0];
#pragma unroll 1
        for (uint32_t w = 1; w < threads() / 32; w++) x = combined(reducer, x, shared.warp[parity & 1][w]);
        return x;
    }
    GNDI_INLINE S finished(const gndi_line_result &r, S x) const {
        if (r.reducer == GNDI_FUSE_SUMS) {
            x = 0 + x;
            if (r.finish == GNDI_LINE_DIVIDED) x = x / (S)r.divisor;
            if (r.finish == GNDI_LINE_ROOT) x = m::sqrt(x);
        }
        return x;
    }
    GNDI_INLINE void put_result(int k, S x) const {
        if (threadIdx.x == 0) memory[p.file_chunks + k] = chunk_of(to_bits(x));
    }
    GNDI_INLINE void own_elements(S (&x)[elements], S nothing) const {
#pragma unroll
        for (int i = 0; i < elements; i++) x[i] = value_in<S, S>(acc, i);
        if (!whole) {
#pragma unroll
            for (int i = 0; i < elements; i++)
                if (i % each >= count_of(i / each)) x[i] = nothing;
        }
    }
    GNDI_INLINE S *accumulator(int k) const {
        return (S *)(memory + p.file_chunks + p.results + p.splats) + k * threads() + threadIdx.x;
    }
    GNDI_INLINE void reduce(int k, line_shared<S> &shared) const {
        const gndi_line_result r = p.result[k];
        S x[elements];
        if (r.reducer == GNDI_FUSE_VARIANCES) { /* in one tile: about the mean */
            own_elements(x, 0);
            const S mean = joined_block(GNDI_FUSE_SUMS, folded(GNDI_FUSE_SUMS, x), shared, 2 * k) / (S)length;
            own_elements(x, mean);
            S apart = 0, squares = 0;
#pragma unroll
            for (int i = 0; i < elements; i++) x[i] -= mean, apart += x[i], squares += x[i] * x[i];
            apart = joined_block(GNDI_FUSE_SUMS, apart, shared, 2 * k + 1);
            squares = joined_block(GNDI_FUSE_SUMS, squares, shared, 2 * k);
            const S freedom = (S)length - (S)r.ddof;
            const S m2 = squares - apart * (apart / (S)length); /* below 0 by rounding alone */
            S y = (m2 < 0 ? 0 : m2) / (freedom > 0 || freedom != freedom ? freedom : 0);
            if (r.finish == GNDI_LINE_ROOT) y = m::sqrt(y);
            put_result(k, y);
            __syncthreads();
            return;
        }
        own_elements(x, nothing_of(r.reducer));
        const S mine = folded(r.reducer, x);
        if (p.at_once) {
            put_result(k, finished(r, joined_block(r.reducer, mine, shared, k)));
            __syncthreads();
        } else {
            *accumulator(k) = combined(r.reducer, *accumulator(k), mine);
        }
    }
    GNDI_INLINE S *partial(uint32_t of, int k) const {
        return (S *)p.partials + ((uint64_t)group * p.parts + of) * p.results + k;
    }
    /* Joins the results of all blocks that share a row: true in the last block to arrive, which has them. */
    GNDI_INLINE bool join(line_shared<S> &shared) const {
#pragma unroll 1
        for (int k = 0; k < p.results; k++) {
            const gndi_line_result r = p.result[k];
            const S x = joined_block(r.reducer, *accumulator(k), shared, k);
            if (p.parts == 1)
                put_result(k, finished(r, x));
            else if (threadIdx.x == 0)
                *partial(part, k) = x;
            if (k & 1) __syncthreads();
        }
        if (p.parts > 1) {
            if (!is_last(p.tickets + group, (int)p.parts)) return false;
#pragma unroll 1
            for (int k = 0; k < p.results; k++) {
                const gndi_line_result r = p.result[k];
                S x = nothing_of(r.reducer);
#pragma unroll 1
                for (uint32_t i = threadIdx.x; i < p.parts; i += threads())
                    x = combined(r.reducer, x, load_shared_result(partial(i, k)));
                put_result(k, finished(r, joined_block(r.reducer, x, shared, k)));
                if (k & 1) __syncthreads();
            }
        }
        __syncthreads();
        return true;
    }

    /* ---- the program ---- */

    GNDI_INLINE void run(int begin, int end, line_shared<S> *shared) {
#pragma unroll 1
        for (int i = begin; i < end; i++) {
            const gndi_line_step s = p.step[i];
            uint32_t b[W];
            fetch(s.b, b);
            if (s.op & GNDI_LINE_BRINGS) fetch(s.a, acc);
            switch (s.op & 0xFF) {
#define X(name)                                                                                                        \
case GNDI_LINE_##name: operate<GNDI_OP_##name, S>(s, b); break;
                GNDI_LINE_OPERATORS(X)
#undef X
#define X(name)                                                                                                        \
case GNDI_LINE_BOOL_##name: operate<GNDI_OP_##name, bool>(s, b); break;
                GNDI_LINE_BOOLS(X)
#undef X
            case GNDI_LINE_SUBTRACT_FROM: operate<GNDI_OP_subtract, S, true>(s, b); break;
            case GNDI_LINE_DIVIDE_INTO: operate<GNDI_OP_divide, S, true>(s, b); break;
            case GNDI_LINE_DIVIDE_ONCE: divide_by<1>(b, from_bits(b[1])); break;
            case GNDI_LINE_DIVIDE_TWICE: divide_by<2>(b, from_bits(b[1])); break;
            case GNDI_LINE_DIVIDE_BY_RESULT:
                if constexpr (Reduces) {
                    const float c = from_bits(b[0]);
                    divide_by<2>(b, c > 0x1p-60f && c < 0x1p60f ? 1 / c : limits<float>::nan());
                }
                break;
            case GNDI_LINE_STORE: store((int)s.c); break;
            case GNDI_LINE_STORE_BOOL: store_bool((int)s.c); break;
            case GNDI_LINE_STORE_ROW:
                if (Reduces && threadIdx.x == 0) *array<E>((int)s.c) = value_in<S, E>(acc, 0);
                break;
            case GNDI_LINE_LOAD_ROW:
                if constexpr (Reduces) spread(*array<const E>((int)s.c));
                break;
            case GNDI_LINE_NOTHING: break;
            case GNDI_LINE_REDUCE:
                if constexpr (Reduces) reduce((int)s.c, *shared);
                break;
            default: __builtin_unreachable();
            }
            if (s.op & GNDI_LINE_KEEPS) {
                uint4 *const to = file + (s.op >> 16);
#pragma unroll
                for (int v = 0; v < many; v++) to[v * threads()] = get(acc, v);
            }
        }
    }
};

template <class S, int W, bool Reduces>
GNDI_FN void run_line(const gndi_line_params &p, uint4 *memory, line_shared<S> *shared) {
    typedef line<S, W, Reduces> L;
    L m(p);
    const uint32_t t = threadIdx.x, tile = blockDim.x * L::many;
    m.memory = memory, m.file = memory + t;
    m.group = divide_by(p.groups, blockIdx.x);
    m.part = blockIdx.x - m.group * p.parts;
    m.chunk = m.part * tile + t;
    m.length = p.length;
    if constexpr (!Reduces) {
        m.look_at_tile();
        m.start_loads();
        m.load_first();
        m.set_splats();
        __syncthreads();
        wait_for_copies();
        m.run(0, p.steps, shared);
        if (p.last != GNDI_LINE_NOWHERE) m.store(p.last);
    } else {
        m.set_splats();
        for (int k = 0; k < p.results && !p.at_once; k++) *m.accumulator(k) = L::nothing_of(p.result[k].reducer);
        __syncthreads();
        const uint32_t chunks = (p.length + (L::each - 1)) / L::each, hop = tile * p.parts;
        for (uint32_t begin = m.part * tile;; begin += hop, m.chunk += hop) {
            const bool elements = begin < chunks;
            if (elements) {
                m.look_at_tile();
                m.start_loads();
                m.load_first();
                wait_for_copies();
            } else {
                if (!m.join(*shared)) return;
                m.chunk = t, m.length = 1, m.whole = false;
            }
            m.run(elements ? 0 : p.body, elements ? p.body : p.steps, shared);
            if (elements && p.last != GNDI_LINE_NOWHERE) m.store(p.last);
            if (p.at_once || !elements) return;
        }
    }
}

template <class S, int W>
__global__ void __launch_bounds__(GNDI_TUNE_LINE_THREADS, GNDI_TUNE_LINE_RESIDENT / GNDI_TUNE_LINE_THREADS)
    fuse_line(const __grid_constant__ gndi_line_params p) {
    extern __shared__ uint4 fuse_memory[];
    start_early();
    run_line<S, W, false>(p, fuse_memory, nullptr);
}
template <class S, int W>
__global__ void __launch_bounds__(GNDI_LINE_MOST_THREADS, GNDI_TUNE_LINE_RESIDENT / GNDI_LINE_MOST_THREADS)
    fuse_line_reduces(const __grid_constant__ gndi_line_params p) {
    extern __shared__ uint4 fuse_memory[];
    __shared__ line_shared<S> shared;
    start_early();
    run_line<S, W, true>(p, fuse_memory, &shared);
}

} // namespace gnd

#endif
