/*
 * fuse_machine.cuh: a thread of the interpreter: its elements, its accumulator, its file of registers, and
 * asynchronous loads of operands.
 */
#ifndef GNDI_FUSE_MACHINE_CUH
#define GNDI_FUSE_MACHINE_CUH

#include "fuse/cuda/fuse_slots.cuh"
#include "kernels/cuda/async_copy.cuh"

namespace gnd {

/* Begins a copy of 16 bytes that does not go to the first-level cache. */
GNDI_FN void copy_async(uint4 *to, const void *from) {
#if GNDI_ON_DEVICE && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *to = *static_cast<const uint4 *>(from);
#endif
}

template <class T> GNDI_FN const T *part_of(const gndi_fuse_head &head, int at) {
    return reinterpret_cast<const T *>(reinterpret_cast<const char *>(&head + 1) + at);
}

/* A chunk's position: its index in the first group of axes, in the second group's axes before the last, and along the
   last one; and its number of elements. */
struct chunk_position {
    uint32_t first, outer, along;
    int count;
};

template <class S> using bits_or_chunk = choose_t<size_of<S> == 16, uint4, bits_t<S>>;

/* S: the loop. W: words of a value. */
template <class S, int W> struct machine {
    static constexpr int each = 16 / size_of<S>; /* elements of a chunk */
    static constexpr int many = W / 4;           /* chunks */
    static constexpr int elements = each * many;

    const gndi_fuse_head &p;
    uint4 *file;                                   /* this thread's part; chunks are a block's threads apart */
    uint4 *rows;                                   /* its row's results */
    uint32_t row_slots;                            /* the distance between those */
    uint32_t first, chunk, first_step, chunk_step; /* of the chunks */
    uint32_t lane;
    bool whole; /* see look_at_tile */
    bool after; /* all elements are done: the steps that follow are of rows */
    uint32_t acc[W];

    GNDI_INLINE explicit machine(const gndi_fuse_head &head) : p(head) {}

    /* A part of the program, behind the head. */
    template <class T> GNDI_INLINE const T *part(int at) const { return part_of<T>(p, at); }
    GNDI_INLINE const int64_t *strides_of(int k) const { return part<int64_t>(p.stride) + k * p.axes; }
    GNDI_INLINE char *data_of(int k) const { return part<char *>(p.data)[k]; }
    GNDI_INLINE bool has_vectors(int k) const { return part<uint8_t>(p.vectors)[k]; }

    /* `of_row`: a row has one element, the first lane's. */
    GNDI_INLINE chunk_position position(int v, bool of_row) const {
        chunk_position at = {first + v * first_step, 0, chunk + v * chunk_step, 0};
        const bool there =
            (at.first < p.firsts || (of_row && p.columns)) && (at.along < p.chunks || (of_row && !p.columns));
        if (p.axes - p.first_axes > 1) {
            at.outer = divide_by(p.per_run, at.along);
            at.along -= at.outer * p.per_run.size;
        }
        if (there) at.count = (int)min((uint32_t)each, p.run - at.along * each);
        if (of_row) {
            if (v > 0 || lane > 0)
                at.count = 0;
            else if (!p.columns)
                at.count = there;
        }
        return at;
    }

    /* The offset of a chunk in array k: bytes (or index numbers) from its first element. */
    GNDI_INLINE int64_t offset(const int64_t *stride, const chunk_position &at) const {
        const int axes = p.axes, firsts = p.first_axes;
        int64_t sum = (int64_t)((uint64_t)at.along * each) * stride[axes - 1];
        uint32_t rest = at.outer;
#pragma unroll 1
        for (int i = axes - 2; i >= firsts; i--) sum += digit(rest, i, i == firsts) * stride[i];
        rest = at.first;
#pragma unroll 1
        for (int i = firsts - 1; i >= 0; i--) sum += digit(rest, i, i == 0) * stride[i];
        return sum;
    }
    GNDI_INLINE int64_t digit(uint32_t &rest, int axis, bool last) const {
        if (last) return rest;
        const uint32_t quotient = divide_by(p.axis[axis], rest);
        const uint32_t d = rest - quotient * p.axis[axis].size;
        rest = quotient;
        return d;
    }

    /* ---- the file ---- */

    GNDI_INLINE uint4 *chunk_of(int reg, int v) const {
        return file + (reg * many + v) * blockDim.x;
    }
    GNDI_INLINE void fetch(int from, uint32_t (&w)[W]) const {
        if (from < GNDI_FUSE_REGISTERS) {
#pragma unroll
            for (int v = 0; v < many; v++) put_chunk(w, v, *chunk_of(from, v));
        } else {
            const uint4 same = splat_of(from);
#pragma unroll
            for (int v = 0; v < many; v++) put_chunk(w, v, same);
        }
    }
    GNDI_INLINE uint4 splat_of(int from) const {
        if (from < GNDI_FUSE_SPLAT) return rows[(from - GNDI_FUSE_ROW) * row_slots];
        return part<uint4>(p.splat)[from - GNDI_FUSE_SPLAT];
    }
    GNDI_INLINE static void put_chunk(uint32_t (&w)[W], int v, uint4 x) {
        w[v * 4] = x.x, w[v * 4 + 1] = x.y, w[v * 4 + 2] = x.z, w[v * 4 + 3] = x.w;
    }
    GNDI_INLINE static uint4 get_chunk(const uint32_t (&w)[W], int v) {
        return uint4{w[v * 4], w[v * 4 + 1], w[v * 4 + 2], w[v * 4 + 3]};
    }
    GNDI_INLINE void keep(int reg) const {
#pragma unroll
        for (int v = 0; v < many; v++) *chunk_of(reg, v) = get_chunk(acc, v);
    }

    /* ---- memory ---- */

    /* Contiguous elements of D, all of a chunk's or fewer. */
    template <class D>
    GNDI_INLINE static void load_packed(const char *from, int64_t step, bool vector, int count, uint4 &x) {
        if (vector && count == each) {
            D y[each];
            load_vector(from, y);
            memcpy(&x, y, sizeof y);
        } else {
            uint32_t w[4] = {};
#pragma unroll
            for (int j = 0; j < each; j++) {
                D y = D();
                if (j < count) y = *reinterpret_cast<const D *>(from + j * step);
                set_value<D>(w, j, y);
            }
            x = uint4{w[0], w[1], w[2], w[3]};
        }
    }
    template <class D>
    GNDI_INLINE static void store_packed(char *to, int64_t step, bool vector, int count, const uint4 &x) {
        if (vector && count == each) {
            D y[each];
            memcpy(y, &x, sizeof y);
            store_vector(to, y);
        } else {
            const uint32_t w[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
            for (int j = 0; j < each; j++)
                if (j < count) *reinterpret_cast<D *>(to + j * step) = value_in<D, D>(w, j);
        }
    }
#define GNDI_EACH_SIZE(X) X(0, uint8_t) X(1, uint16_t) X(2, uint32_t) X(3, uint64_t) X(4, uint4)

    /* The first chunk of array k, and the distance to the next one, if all chunks are full and contiguous. */
    GNDI_INLINE char *first_chunk(int k, int64_t &hop) const {
        const int64_t *stride = strides_of(k);
        char *at = data_of(k);
        int64_t step = stride[0];
        if (p.first_axes) {
            at += (int64_t)(uint64_t)first * step;
            step = stride[1];
        }
        hop = (int64_t)(uint64_t)chunk_step * (each * step);
        return at + (int64_t)(uint64_t)chunk * (each * step);
    }

    /* Array k, of elements no larger than the loop's: packed in the accumulator. */
    template <class D> GNDI_INLINE void load_of(int k) {
        if (whole && has_vectors(k)) {
            int64_t hop;
            const char *const from = first_chunk(k, hop);
            D x[many][each];
#pragma unroll
            for (int v = 0; v < many; v++) load_vector(from + v * hop, x[v]);
#pragma unroll
            for (int v = 0; v < many; v++) {
                uint4 packed = {};
                memcpy(&packed, x[v], sizeof x[v]);
                put_chunk(acc, v, packed);
            }
            return;
        }
        const int64_t *stride = strides_of(k);
        const bool vector = has_vectors(k);
#pragma unroll
        for (int v = 0; v < many; v++) {
            const chunk_position at = position(v, after);
            uint4 x;
            load_packed<D>(data_of(k) + offset(stride, at), stride[p.axes - 1], vector, at.count, x);
            put_chunk(acc, v, x);
        }
    }
    template <class D> GNDI_INLINE void store_of(int k, bool of_row) const {
        if (whole && has_vectors(k) && !of_row) {
            int64_t hop;
            char *const to = first_chunk(k, hop);
#pragma unroll
            for (int v = 0; v < many; v++) {
                const uint4 packed = get_chunk(acc, v);
                D x[each];
                memcpy(x, &packed, sizeof x);
                store_vector(to + v * hop, x);
            }
            return;
        }
        const int64_t *stride = strides_of(k);
        const bool vector = has_vectors(k);
#pragma unroll
        for (int v = 0; v < many; v++) {
            const chunk_position at = position(v, of_row);
            store_packed<D>(data_of(k) + offset(stride, at), stride[p.axes - 1], vector, at.count, get_chunk(acc, v));
        }
    }
    GNDI_INLINE void load(int k, int log_size) {
        switch (log_size) {
#define GNDI_CASE(log, D)                                                                                              \
case log:                                                                                                              \
    if constexpr (size_of<D> <= size_of<S>) load_of<D>(k);                                                             \
    break;
            GNDI_EACH_SIZE(GNDI_CASE)
#undef GNDI_CASE
        }
    }
    GNDI_INLINE void store(int k, int log_size, bool of_row) const {
        switch (log_size) {
#define GNDI_CASE(log, D)                                                                                              \
case log:                                                                                                              \
    if constexpr (size_of<D> <= size_of<S>) store_of<D>(k, of_row);                                                    \
    break;
            GNDI_EACH_SIZE(GNDI_CASE)
#undef GNDI_CASE
        }
    }
    /* Starts loading the arrays of p.fetch, with elements of the loop's size, to the file. */
    GNDI_INLINE void start_fetches() const {
#pragma unroll 1
        for (int f = 0; f < p.fetches; f++) {
            const int k = p.fetch[f].array;
            uint4 *const to = chunk_of(p.fetch[f].to, 0);
            if (whole && has_vectors(k)) {
                int64_t hop;
                const char *const from = first_chunk(k, hop);
#pragma unroll
                for (int v = 0; v < many; v++) copy_async(to + v * blockDim.x, from + v * hop);
                continue;
            }
            const int64_t *stride = strides_of(k);
#pragma unroll 1
            for (int v = 0; v < many; v++) {
                const chunk_position at = position(v, false);
                load_packed<bits_or_chunk<S>>(data_of(k) + offset(stride, at), stride[p.axes - 1], has_vectors(k),
                                              at.count, to[v * blockDim.x]);
            }
        }
    }
    /* Which of the thread's elements exist, a bit each. */
    GNDI_INLINE uint32_t elements_there() const {
        if (whole) return elements < 32 ? (1u << elements % 32) - 1 : ~0u;
        uint32_t taken = 0;
#pragma unroll
        for (int v = 0; v < many; v++) taken |= ((1u << position(v, false).count) - 1) << (v * each);
        return taken;
    }
    /* At the start of a tile: whether all of the thread's chunks exist and are full, along one axis. */
    GNDI_INLINE void look_at_tile() {
        whole = p.in_line && first < p.firsts && chunk + (many - 1) * chunk_step < p.whole_chunks;
    }
};

} // namespace gnd

#endif
