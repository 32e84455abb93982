/*
 * fuse_loop.cuh: the interpreter of fused programs in one loop: a kernel with a case for each light
 * operator of ops.def that has the loop; all threads take the same path through it. A translation
 * unit made from fuse_loops.cu.in names the loops' dtypes.
 */
#ifndef GNDI_FUSE_LOOP_CUH
#define GNDI_FUSE_LOOP_CUH

#include "fuse/cuda/fuse_chunks.cuh"
#include "kernels/cuda/early_start.cuh"
#include "fuse/cuda/fuse_reduce.cuh"

namespace gnd {

template <class S, int W> struct interpreter : machine<S, W> {
    typedef machine<S, W> M;
    using M::acc;
    using M::p;
    static constexpr int many = M::many;

    GNDI_INLINE explicit interpreter(const gndi_fuse_head &head) : M(head) {}

    /* ---- operators ---- */

    template <int Op, class L> GNDI_INLINE void operate(const gndi_fuse_step &s, uint32_t (&b)[W]) {
        typedef slot_operator<Op, L, S> O;
        if constexpr (Op == GNDI_OP_divide && is_same<S, float>) {
            const bool same = s.b >= GNDI_FUSE_ROW && (s.b >= GNDI_FUSE_SPLAT || !p.columns);
            if (same && s.b < GNDI_FUSE_ACC && divide_by_one(from_bits(b[0]))) return;
        }
        if constexpr (size_of<S> < 4) {
            operate_in_turn<O>(s, b);
        } else {
#pragma unroll
            for (int v = 0; v < many; v++) {
                uint32_t x[4], y[4], z[4] = {};
#pragma unroll
                for (int i = 0; i < 4; i++) x[i] = acc[v * 4 + i], y[i] = b[v * 4 + i];
                if constexpr (O::O::nin == 3) {
                    const uint4 third = third_of(s, v);
                    z[0] = third.x, z[1] = third.y, z[2] = third.z, z[3] = third.w;
                }
                O::template apply<false>(M::template part<double>(p.params), x, y, z);
#pragma unroll
                for (int i = 0; i < 4; i++) acc[v * 4 + i] = x[i];
            }
        }
    }
    /* x / c of float32, c the same for all elements: a quotient with an error of at most an ulp, and then one Newton
       step, whose result equals that of a division (Markstein, "Computation of elementary functions on the IBM RISC
       System/6000 processor", 1990), without a branch that would make other threads of the warp wait. False if a step
       may overflow or underflow. */
    GNDI_INLINE bool divide_by_one(float c) {
        const float by = 1 / c;
        bool plain = m::abs(c) > 0x1p-60f && m::abs(c) < 0x1p60f;
        float quotient[W];
#pragma unroll
        for (int i = 0; i < W; i++) {
            const float x = from_bits(acc[i]);
            plain &= m::abs(x) < 0x1p60f && (m::abs(x) > 0x1p-60f || x == 0);
            const float first = m::mul(x, by);
            const float near = m::fma(m::fma(-first, c, x), by, first);
            quotient[i] = x == 0 ? first : m::fma(m::fma(-near, c, x), by, near); /* -0.0 */
        }
        if (!plain) return false;
#pragma unroll
        for (int i = 0; i < W; i++) acc[i] = to_bits(quotient[i]);
        return true;
    }
    GNDI_INLINE uint4 third_of(const gndi_fuse_step &s, int v) const {
        return s.c < GNDI_FUSE_REGISTERS ? *M::chunk_of(s.c, v) : M::splat_of(s.c);
    }
    /* Elements of one or two bytes: a word at a time, since unrolled code would be many times as long. */
    template <class O> GNDI_INLINE void operate_in_turn(const gndi_fuse_step &s, uint32_t (&b)[W]) {
        uint32_t c[W] = {};
        if constexpr (O::O::nin == 3) {
#pragma unroll
            for (int v = 0; v < many; v++) M::put_chunk(c, v, third_of(s, v));
        }
#pragma unroll 1
        for (int i = 0; i < W; i++) {
            uint32_t x[1] = {acc[0]}, y[1] = {b[0]}, z[1] = {c[0]};
            O::template apply<false>(M::template part<double>(p.params), x, y, z);
            acc[0] = x[0];
            turn_words(acc);
            if constexpr (O::O::nin > 1) turn_words(b);
            if constexpr (O::O::nin > 2) turn_words(c);
        }
    }
    GNDI_INLINE static void turn_words(uint32_t (&w)[W]) {
        const uint32_t front = w[0];
#pragma unroll
        for (int i = 0; i + 1 < W; i++) w[i] = w[i + 1];
        w[W - 1] = front;
    }

    /* ---- chunk by chunk ---- */

    GNDI_INLINE static void turn_chunks(uint32_t (&w)[W]) {
        if constexpr (W > 4) {
            const uint4 front = M::get_chunk(w, 0);
#pragma unroll
            for (int i = 0; i + 4 < W; i++) w[i] = w[i + 4];
            M::put_chunk(w, many - 1, front);
        }
    }
    GNDI_INLINE void heavy_step(const gndi_fuse_step &s, uint32_t (&b)[W]) {
#pragma unroll 1
        for (int v = 0; v < many; v++) {
            const uint4 x = M::get_chunk(acc, 0), y = M::get_chunk(b, 0);
            M::put_chunk(acc, 0, heavy_chunk<S>(s.op, x, y, M::template part<double>(p.params) + 4 * s.at));
            turn_chunks(acc);
            turn_chunks(b);
        }
    }
    GNDI_INLINE void convert_step(bool packs, int code) {
#pragma unroll 1
        for (int v = 0; v < many; v++) {
            M::put_chunk(acc, 0, convert_chunk<S>(packs, code, M::get_chunk(acc, 0)));
            turn_chunks(acc);
        }
    }
    GNDI_INLINE void load_larger_step(const gndi_fuse_step &s) {
        const int64_t *stride = M::strides_of(s.at);
#pragma unroll 1
        for (int v = 0; v < many; v++) {
            const chunk_position at = M::position(v, M::after);
            const char *from = M::data_of(s.at) + M::offset(stride, at);
            M::put_chunk(acc, 0, load_larger_chunk<S>(s.c, from, stride[p.axes - 1], at.count));
            turn_chunks(acc);
        }
    }
    GNDI_INLINE void store_larger_step(const gndi_fuse_step &s) {
        const int64_t *stride = M::strides_of(s.at);
#pragma unroll 1
        for (int v = 0; v < many; v++) {
            const chunk_position at = M::position(v, s.out);
            char *to = M::data_of(s.at) + M::offset(stride, at);
            store_larger_chunk<S>(s.c, to, stride[p.axes - 1], at.count, M::get_chunk(acc, 0));
            turn_chunks(acc);
        }
    }
    GNDI_INLINE void store_row_step(const gndi_fuse_step &s) const {
        const chunk_position at = M::position(0, true);
        if (!at.count) return;
        char *const to = M::data_of(s.at) + M::offset(M::strides_of(s.at), at);
        const uint4 x = M::rows[s.out * M::row_slots];
        *reinterpret_cast<uint64_t *>(to) = x.x | (uint64_t)x.y << 32;
    }
    GNDI_INLINE void sequence_step(const gndi_fuse_step &s) {
        const int64_t *stride = M::strides_of(s.at);
        const uint64_t step = (uint64_t)stride[p.axes - 1];
#pragma unroll 1
        for (int v = 0; v < many; v++) {
            const uint64_t i =
                (uint64_t)(uintptr_t)M::data_of(s.at) + (uint64_t)M::offset(stride, M::position(v, M::after));
            uint4 x;
            if (s.op == GNDI_FUSE_STEP_RANGE)
                x = range_chunk<S>(M::template part<uint64_t>(p.number) + s.c, i, step);
            else
                x = uniform_chunk<S>(M::template part<uint64_t>(p.number) + s.c, i, step);
            M::put_chunk(acc, 0, x);
            turn_chunks(acc);
        }
    }

    /* ---- reductions ---- */

    GNDI_INLINE void reduce_step(const gndi_fuse_step &s, char *accumulators, bool first_tile) {
        const gndi_fuse_result &r = M::template part<gndi_fuse_result>(p.result)[s.at];
        const uint32_t taken = M::elements_there();
        const int acc_bytes = p.acc_bytes[s.at];
        char *const own = accumulators + r.offset + threadIdx.x * acc_bytes;
        with_reducer<S>(r, take_elements<S, W>{*this, own, taken, first_tile});
        if (p.at_once)
            finish_result<S>(p, M::rows + s.at * M::row_slots, accumulators, M::lane, 0, 0, s.at, fuse_at_once);
    }

    /* ---- the program ---- */

    GNDI_INLINE void run(uint32_t begin, uint32_t end, char *accumulators, bool first_tile) {
#pragma unroll 1
        for (uint32_t i = begin; i < end; i++) {
            const gndi_fuse_step s = M::template part<gndi_fuse_step>(0)[i];
            uint32_t b[W];
            if (s.b == GNDI_FUSE_ACC) {
#pragma unroll
                for (int k = 0; k < W; k++) b[k] = acc[k];
            } else if (s.b != GNDI_FUSE_NOWHERE) {
                M::fetch(s.b, b);
            }
            if (s.a < GNDI_FUSE_ACC) M::fetch(s.a, acc);
            switch (s.op) {
#define OP(family, name, signature, loops, identity, flags)                                                            \
case GNDI_FUSE_LIGHT + GNDI_OP_##name:                                                                                 \
    if constexpr (runs_light<GNDI_OP_##name, S, S>()) operate<GNDI_OP_##name, S>(s, b);                                \
    break;
#include "kernels/ops/ops.def"
#undef OP
#define OP(family, name, signature, loops, identity, flags)                                                            \
case GNDI_FUSE_BOOL + GNDI_OP_##name:                                                                                  \
    if constexpr (runs_beside<GNDI_OP_##name, S>()) operate<GNDI_OP_##name, bool>(s, b);                               \
    break;
#include "kernels/ops/ops.def"
#undef OP
            case GNDI_FUSE_STEP_LOAD:
                M::load(s.at, s.c);
                wait_for_copies();
                break;
            case GNDI_FUSE_STEP_LOAD_LARGER: load_larger_step(s); break;
            case GNDI_FUSE_STEP_STORE: M::store(s.at, s.c, s.out); continue;
            case GNDI_FUSE_STEP_STORE_LARGER: store_larger_step(s); continue;
            case GNDI_FUSE_STEP_STORE_ROW: store_row_step(s); continue;
            case GNDI_FUSE_STEP_UNPACK: convert_step(false, s.c); break;
            case GNDI_FUSE_STEP_PACK: convert_step(true, s.c); break;
            case GNDI_FUSE_STEP_RANGE:
            case GNDI_FUSE_STEP_UNIFORM: sequence_step(s); break;
            case GNDI_FUSE_STEP_REDUCE: reduce_step(s, accumulators, first_tile); continue;
            case GNDI_FUSE_STEP_NOTHING: break;
            default: heavy_step(s, b); break;
            }
            if (s.out != GNDI_FUSE_NOWHERE) M::keep(s.out);
        }
    }
};

template <class S, int W, class Params> __global__ void __launch_bounds__(GNDI_FUSE_THREADS, GNDI_TUNE_FUSE_RESIDENT)
    fuse_kernel(const __grid_constant__ Params params) {
    start_early();
    const gndi_fuse_head &p = params.head;
    typedef interpreter<S, W> I;
    extern __shared__ uint4 fuse_memory[];
    const uint32_t t = threadIdx.x;
    const uint32_t lanes = 1u << p.log_lanes, tile = lanes * I::many;
    const uint32_t group = divide_by(p.groups, blockIdx.x);
    const uint32_t part = blockIdx.x - group * p.parts;
    char *const accumulators = (char *)fuse_memory + p.file_bytes + p.row_bytes;

    I m(p);
    m.file = fuse_memory + t;
    m.rows = fuse_memory + p.file_bytes / 16;
    m.after = false;
    if (p.columns) {
        const uint32_t across = 1u << p.log_across, x = t & (across - 1);
        m.lane = t >> p.log_across;
        m.rows += x, m.row_slots = across;
        m.chunk = group * across + x, m.chunk_step = 0;
        m.first = part * tile + m.lane, m.first_step = lanes;
    } else {
        const uint32_t row = t >> p.log_lanes, rows = blockDim.x >> p.log_lanes;
        m.lane = t & (lanes - 1);
        m.rows += row, m.row_slots = rows;
        m.first = group * rows + row, m.first_step = 0;
        m.chunk = part * tile + m.lane, m.chunk_step = lanes;
    }
    const uint32_t end = p.columns ? p.firsts : p.chunks, hop = tile * p.parts;
    bool first_tile = true;
    for (uint32_t begin = part * tile; first_tile || begin < end; begin += hop) {
        m.look_at_tile();
        m.start_fetches();
        if (part_of<gndi_fuse_step>(p, 0)[0].op != GNDI_FUSE_STEP_LOAD) wait_for_copies();
        m.run(0, p.body, accumulators, first_tile);
        first_tile = false;
        if (p.columns)
            m.first += hop;
        else
            m.chunk += hop;
    }
    if (p.body == p.steps) return;

    m.after = true, m.whole = false;
    if (!p.at_once) {
#pragma unroll 1
        for (int r = 0; r < p.results; r++)
            finish_result<S>(p, m.rows + r * m.row_slots, accumulators, m.lane, group, part, r, fuse_lanes);
        if (p.parts > 1) {
            if (!is_last(p.tickets + group, (int)p.parts)) return;
#pragma unroll 1
            for (int r = 0; r < p.results; r++)
                finish_result<S>(p, m.rows + r * m.row_slots, accumulators, m.lane, group, part, r, fuse_parts);
        }
        __syncthreads();
    }
    m.run(p.body, p.steps, accumulators, false);
}

template <int Op, class S> static uint8_t what_it_has() {
    int has = 0;
    if (runs_light<Op, S, S>()) has |= GNDI_FUSE_HAS_LIGHT;
    if (runs_heavy<Op, S>()) has |= GNDI_FUSE_HAS_HEAVY;
    if (has_second<Op, S>()) has |= GNDI_FUSE_HAS_SECOND;
    if (runs_beside<Op, S>()) has |= GNDI_FUSE_HAS_BOOL;
    return (uint8_t)has;
}

template <int Loop> static void fill_loop(gndi_fuse_loop *loop) {
    typedef storage_of<Loop> S;
    constexpr int words = smallest(GNDI_TUNE_FUSE_WORDS, 4 * size_of<S>);
    loop->kernel = reinterpret_cast<const void *>(&fuse_kernel<S, words, gndi_fuse_params>);
    loop->brief = nullptr;
    if constexpr (is_same<S, float>)
        loop->brief = reinterpret_cast<const void *>(&fuse_kernel<S, words, gndi_fuse_brief_params>);
    loop->words = words;
#define OP(family, name, signature, loops, identity, flags)                                                            \
    loop->has[GNDI_OP_##name] = what_it_has<GNDI_OP_##name, S>();
#include "kernels/ops/ops.def"
#undef OP
    constexpr int count = acc_bytes_of<reduce_count<S>>;
    const uint8_t sizes[8] = {acc_bytes_of<reduce_sum<S>>,
                              acc_bytes_of<reduce_product<S>>,
                              acc_bytes_of<reduce_minimum<S>>,
                              acc_bytes_of<reduce_maximum<S>>,
                              count,
                              count,
                              count,
                              0};
    memcpy(loop->acc_bytes, sizes, sizeof sizes);
    if constexpr (is_float<S> || is_complex<S>)
        loop->acc_bytes[GNDI_FUSE_VARIANCES] = acc_bytes_of<reduce_variance<compute_t<S>>>;
}

} // namespace gnd

#endif
