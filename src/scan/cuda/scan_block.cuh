/*
 * scan_block.cuh: what all scan kernels share: the operator as they see it, values passed between
 * threads, and values passed between blocks.
 *
 * A scan is one pass over memory. Tiles are handed out in order by a counter, so that a tile may
 * wait for those before it. Each leaves the total of its elements for the others, and the last tile
 * of each 32 also that of all 32, and so on upwards. What comes before a tile is combined from
 * entries of all levels: no tile waits for a chain of others, and how values are grouped depends on
 * nothing but the tile's number, so that a scan gives the same bits on every run.
 */
#ifndef GNDI_SCAN_BLOCK_CUH
#define GNDI_SCAN_BLOCK_CUH

#include "kernels/cuda/digits.cuh"
#include "scan/cuda/scan_params.h"
#include "kernels/scalar/scalar_ops.h"

#define GNDI_MEMBER __device__ __forceinline__ static
#ifndef GNDI_METHOD
#    define GNDI_METHOD __device__ __forceinline__
#endif

namespace gnd {

typedef unsigned long long scan_word;

/* ---- the operator --------------------------------------------------------------------------- */

/* The simplest ones go inline wherever they are used, the others are called. */
template <int Op> constexpr bool scan_is_cheap = Op == op_add || Op == op_multiply || Op == op_maximum ||
                                                 Op == op_minimum || Op == op_fmax || Op == op_fmin ||
                                                 Op == op_bitwise_and || Op == op_bitwise_or || Op == op_bitwise_xor ||
                                                 Op == op_logical_and || Op == op_logical_or || Op == op_logical_xor;

template <class F, class V> GNDI_FN_HEAVY V scan_join_called(V a, V b) {
    return (V)F::apply(a, b);
}

/* Operator Op in the loop of S. `value` is what is carried from element to element. */
template <int Op, class S> struct scan_operator {
    static constexpr int op = Op;
    typedef functor<Op, S> F;
    typedef S element;
    typedef choose_t<F::on_bits, S, compute_t<S>> value;
    static constexpr bool skips_nan = (Op == op_add || Op == op_multiply) && (is_float<S> || is_complex<S>);

    GNDI_MEMBER value join(value a, value b) {
        if constexpr (scan_is_cheap<Op>)
            return (value)F::apply(a, b);
        else
            return scan_join_called<F, value>(a, b);
    }
    template <class From> GNDI_MEMBER value lift(From from, bool skip_nan) {
        value x = operand_of<F>(cast<S>(from));
        if constexpr (skips_nan)
            if (skip_nan && is_nan(x)) x = identity();
        return x;
    }
    GNDI_MEMBER S lower(value x) { return result_of<F, S>(x); }

  private:
    GNDI_MEMBER bool is_nan(value x) {
        if constexpr (is_complex<value>)
            return x.re != x.re || x.im != x.im;
        else
            return x != x;
    }
    GNDI_MEMBER value identity() {
        if constexpr (is_complex<value>)
            return value{Op == op_multiply, 0};
        else
            return (value)(Op == op_multiply);
    }
};

/* ---- between the threads of a warp ---------------------------------------------------------- */

template <class A> constexpr int scan_words = (int)((sizeof(A) + 3) / 4);

template <class A> struct scan_parts { uint32_t at[scan_words<A>]; };
template <class A> GNDI_FN scan_parts<A> to_parts(A x) {
    scan_parts<A> w = {};
    if constexpr (sizeof(A) < 4) {
        bits_t<A> bits;
        memcpy(&bits, &x, sizeof x);
        w.at[0] = bits;
    } else {
        memcpy(&w, &x, sizeof x);
    }
    return w;
}
template <class A> GNDI_FN A from_parts(scan_parts<A> w) {
    A x;
    if constexpr (sizeof(A) < 4) {
        const bits_t<A> bits = (bits_t<A>)w.at[0];
        memcpy(&x, &bits, sizeof x);
    } else {
        memcpy(&x, &w, sizeof x);
    }
    return x;
}
template <class A> GNDI_FN A shuffle_up(A x, int distance) {
    scan_parts<A> w = to_parts(x);
#pragma unroll
    for (int i = 0; i < scan_words<A>; i++) w.at[i] = __shfl_up_sync(0xffffffffu, w.at[i], (unsigned)distance);
    return from_parts<A>(w);
}
template <class A> GNDI_FN A shuffle_from(A x, int lane) {
    scan_parts<A> w = to_parts(x);
#pragma unroll
    for (int i = 0; i < scan_words<A>; i++) w.at[i] = __shfl_sync(0xffffffffu, w.at[i], lane);
    return from_parts<A>(w);
}
template <class A> GNDI_FN A shuffle_down(A x, int distance) {
    scan_parts<A> w = to_parts(x);
#pragma unroll
    for (int i = 0; i < scan_words<A>; i++) w.at[i] = __shfl_down_sync(0xffffffffu, w.at[i], (unsigned)distance);
    return from_parts<A>(w);
}

/* ---- between blocks ------------------------------------------------------------------------- */

GNDI_FN scan_word read_word(const scan_word *p) {
#if GNDI_ON_DEVICE
    scan_word w;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(w) : "l"(p) : "memory");
    return w;
#else
    return *(const volatile scan_word *)p;
#endif
}
GNDI_FN void write_word(scan_word *p, scan_word w) {
#if GNDI_ON_DEVICE
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(p), "l"(w) : "memory");
#else
    *(volatile scan_word *)p = w;
#endif
}

/* Between two looks at the same word, so that those who wait are not in the way of the others. */
GNDI_FN void pause_a_little() {
#if GNDI_ON_DEVICE
    __nanosleep(40);
#endif
}

template <class A> struct scan_entry { scan_word at[scan_words<A>]; };

template <class A> GNDI_FN void publish(scan_word *words, int64_t entry, uint32_t flag, A x) {
    const scan_parts<A> w = to_parts(x);
#pragma unroll
    for (int i = 0; i < scan_words<A>; i++)
        write_word(words + entry * scan_words<A> + i, (scan_word)flag << 32 | w.at[i]);
}
template <class A> GNDI_FN scan_entry<A> read_entry(const scan_word *words, int64_t entry) {
    scan_entry<A> e;
#pragma unroll
    for (int i = 0; i < scan_words<A>; i++) e.at[i] = read_word(words + entry * scan_words<A> + i);
    return e;
}
template <class A> GNDI_FN bool is_there(const scan_entry<A> &e, uint32_t flag) {
    bool there = true;
#pragma unroll
    for (int i = 0; i < scan_words<A>; i++) there &= (uint32_t)(e.at[i] >> 32) == flag;
    return there;
}
/* The value of an entry, waited for if it is not there yet. */
template <class A> GNDI_FN A wait_for(scan_entry<A> e, const scan_word *words, int64_t entry, uint32_t flag) {
    while (!is_there<A>(e, flag)) {
        pause_a_little();
        e = read_entry<A>(words, entry);
    }
    scan_parts<A> w;
#pragma unroll
    for (int i = 0; i < scan_words<A>; i++) w.at[i] = (uint32_t)e.at[i];
    return from_parts<A>(w);
}

/* The next tile, and the flag of this launch. The last tile resets the counter for the next
   launch of the stream. */
struct scan_ticket {
    int64_t tile;
    uint32_t flag;
};
GNDI_FN scan_ticket take_ticket(const gndi_scan_state &state, int64_t tiles) {
    if (!state.ticket) return scan_ticket{(int64_t)blockIdx.x, 0};
    const scan_word old = atomicAdd(state.ticket, (scan_word)1);
    const uint32_t tile = (uint32_t)old;
    if (tile == (uint32_t)tiles - 1) atomicAdd(state.ticket, ((scan_word)1 << 32) - tiles);
    return scan_ticket{(int64_t)tile, (uint32_t)(old >> 32) * 2 + 1};
}

/* The entries of a level that come before entry `index` in its group: how many. */
GNDI_FN int64_t scan_before(const gndi_scan_state &state, int level, int64_t index) {
    return level == state.levels - 1 ? index : index & 31;
}

/* ---- addresses ------------------------------------------------------------------------------ */

/* Where a line begins in the input and the output, in bytes. */
struct scan_offsets {
    int64_t in, out;
};
GNDI_FN_HEAVY scan_offsets offsets_of_line(const gndi_scan_lines &p, int64_t line) {
    scan_offsets at = {0, 0};
#pragma unroll 1
    for (int a = p.ndim - 1; a > 0; a--) {
        const int64_t digit = take_digit(line, p.shape[a]);
        at.in += digit * p.in_stride[a];
        at.out += digit * p.out_stride[a];
    }
    if (p.ndim) at.in += line * p.in_stride[0], at.out += line * p.out_stride[0];
    return at;
}

/* ---- vectors -------------------------------------------------------------------------------- */

/* 16 bytes from global to shared memory, of which only the first `bytes` are read; the rest is
   zero. They are there after finish_copies. */
GNDI_FN void copy_ahead(uint4 *to, const char *from, int bytes) {
#if GNDI_ON_DEVICE && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes)
                 : "memory");
#else
    uint4 w = {0, 0, 0, 0};
    if (bytes == 16)
        w = *(const uint4 *)from;
    else
        for (int i = 0; i < bytes; i++) ((char *)&w)[i] = from[i];
    *to = w;
#endif
}
/* The same for 4 bytes, at a multiple of 4. */
GNDI_FN void copy_word_ahead(uint32_t *to, const uint32_t *from) {
#if GNDI_ON_DEVICE && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :
                 : "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *to = *from;
#endif
}
GNDI_FN void finish_copies() {
#if GNDI_ON_DEVICE && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}
/* Ends a batch of copies; waits for all batches but the last `pending` (0 to 2). */
GNDI_FN void commit_copies() {
#if GNDI_ON_DEVICE && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}
GNDI_FN void wait_for_copies(int pending) {
#if GNDI_ON_DEVICE && __CUDA_ARCH__ >= 800
    if (pending == 0)
        asm volatile("cp.async.wait_group 0;" : : : "memory");
    else if (pending == 1)
        asm volatile("cp.async.wait_group 1;" : : : "memory");
    else
        asm volatile("cp.async.wait_group 2;" : : : "memory");
#endif
}

/* 16 bytes as elements, and back. */
template <class S> constexpr int scan_vector = 16 / (int)sizeof(S);
template <class S> struct scan_pack { S at[scan_vector<S>]; };
template <class S> GNDI_FN scan_pack<S> unpack_vector(uint4 w) {
    scan_pack<S> x;
    if constexpr (sizeof(S) <= 2) { /* by shifts: parts of an array would go to memory */
        const uint32_t part[4] = {w.x, w.y, w.z, w.w};
        constexpr int each = 4 / (int)sizeof(S);
#pragma unroll
        for (int i = 0; i < scan_vector<S>; i++) {
            const uint32_t bits = part[i / each] >> (i % each * (int)sizeof(S) * 8);
            if constexpr (is_half<S>)
                x.at[i].bits = (uint16_t)bits;
            else if constexpr (is_bool<S>)
                x.at[i] = (bits & 255u) != 0;
            else
                x.at[i] = (S)bits;
        }
    } else {
        memcpy(&x, &w, sizeof x);
    }
    return x;
}
template <class S> GNDI_FN uint4 pack_vector(const scan_pack<S> &x) {
    uint4 w;
    if constexpr (sizeof(S) <= 2) {
        constexpr int each = 4 / (int)sizeof(S);
        uint32_t part[4] = {0, 0, 0, 0};
#pragma unroll
        for (int i = 0; i < scan_vector<S>; i++) {
            uint32_t bits;
            if constexpr (is_half<S>)
                bits = x.at[i].bits;
            else
                bits = (bits_t<S>)x.at[i];
            part[i / each] |= bits << (i % each * (int)sizeof(S) * 8);
        }
        w.x = part[0], w.y = part[1], w.z = part[2], w.w = part[3];
    } else {
        memcpy(&w, &x, sizeof x);
    }
    return w;
}

} // namespace gnd

#endif
