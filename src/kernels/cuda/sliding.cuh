// sliding.cuh: sliding sums of products in a block. A thread keeps four vectors of neighbouring sums in registers.
// Elements and taps come through shared memory; a vector of elements and one of taps serve up to 64 products, since
// the elements that a thread has seen stay in a window of registers that moves on by a vector at a time.
#ifndef GNDI_SLIDING_CUH
#define GNDI_SLIDING_CUH

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/sliding.h"
#include "kernels/scalar/scalar_cast.h"

namespace gnd {

// Product: add(sum, x, k) adds a product of A.
template <class A, class Product> struct sliding {
    static constexpr int lanes = 16 / (int)sizeof(A); // of a vector
    static constexpr int own = GNDI_SLIDING_VECTORS;  // vectors of sums of a thread
    static constexpr int window = own + 1;            // vectors of elements that a vector of taps meets
    static constexpr int each = own * lanes;
    static constexpr int tile = GNDI_SLIDING_THREADS * each;
    static constexpr int vectors = (tile + GNDI_SLIDING_TAPS) / lanes + window + 1; // of elements in shared memory

    struct __align__(16) vector {
        A lane[lanes];
    };

    // A gap after every eighth vector: threads that read every fourth one then meet in no bank.
    GNDI_FN int padded(int v) { return v + (v >> 3); }

    struct memory {
        vector x[vectors + vectors / 8 + 1];
        vector k[GNDI_SLIDING_TAPS / lanes];
        __device__ __forceinline__ A *element(int e) { return &x[padded(e / lanes)].lane[e % lanes]; }
        __device__ __forceinline__ A *tap(int u) { return &k[u / lanes].lane[u % lanes]; }
    };

    // Begins the copies of the tile's n elements, which lie `step` bytes apart; wait_for_copies ends them. Neighbouring
    // threads load neighbouring elements. From one to the next of a thread it is a whole number of gaps, so that what
    // it writes in shared memory is evenly spaced.
    GNDI_FN void copy_elements(memory &m, const char *from, int64_t step, int n) {
        static_assert(GNDI_SLIDING_THREADS / lanes % 8 == 0, "gaps of a step");
        A *to = m.element((int)threadIdx.x);
        from += (int)threadIdx.x * step;
#pragma unroll 8
        for (int e = (int)threadIdx.x; e < n; e += GNDI_SLIDING_THREADS) {
            copy_element(to, from);
            to += GNDI_SLIDING_THREADS / 8 * 9, from += GNDI_SLIDING_THREADS * step;
        }
    }

    // Products of a vector of taps, number kv, with the thread's window of elements, which starts at vector v: the
    // i-th of the window is w[(g + i) % window]. `taps`: how many of them there are, if not `whole`.
    template <bool whole>
    GNDI_FN void step(const memory &m, vector (&w)[window], A (&sum)[each], int v, int kv, int g, int taps) {
        w[(g + own) % window] = m.x[padded(v + own)];
        const vector k = m.k[kv];
#pragma unroll
        for (int u = 0; u < lanes; u++) {
            if (!whole && u >= taps) break;
#pragma unroll
            for (int r = 0; r < each; r++)
                Product::add(sum[r], w[(g + (u + r) / lanes) % window].lane[(u + r) % lanes], k.lane[u]);
        }
    }

    // All taps in shared memory.
    GNDI_FN void products(const memory &m, A (&sum)[each], int taps) {
        const int first = (int)threadIdx.x * own; // the vector where its elements start
        vector w[window];
#pragma unroll
        for (int i = 0; i < own; i++) w[i] = m.x[padded(first + i)];
        int kv = 0;
#pragma unroll 1
        for (; (kv + window) * lanes <= taps; kv += window) {
#pragma unroll
            for (int g = 0; g < window; g++) step<true>(m, w, sum, first + kv + g, kv + g, g, lanes);
        }
#pragma unroll
        for (int g = 0; g < window; g++) {
            const int left = taps - (kv + g) * lanes;
            if (left >= lanes)
                step<true>(m, w, sum, first + kv + g, kv + g, g, lanes);
            else if (left > 0)
                step<false>(m, w, sum, first + kv + g, kv + g, g, left);
        }
    }

    // The thread's sums to memory that is dense and aligned to 16 bytes.
    GNDI_FN void store_vectors(char *to, const A (&sum)[each]) {
#pragma unroll
        for (int i = 0; i < own; i++) {
            vector v;
#pragma unroll
            for (int u = 0; u < lanes; u++) v.lane[u] = sum[i * lanes + u];
            reinterpret_cast<vector *>(to)[i] = v;
        }
    }

    // The block's sums to memory of the same kind, through shared memory, so that neighbouring threads write
    // neighbouring vectors. The elements are done with.
    GNDI_FN void store_tile(memory &m, char *to, const A (&sum)[each]) {
#pragma unroll
        for (int i = 0; i < own; i++) {
            vector v;
#pragma unroll
            for (int u = 0; u < lanes; u++) v.lane[u] = sum[i * lanes + u];
            m.x[padded((int)threadIdx.x * own + i)] = v;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < own; i++) {
            const int v = (int)threadIdx.x + i * GNDI_SLIDING_THREADS;
            reinterpret_cast<vector *>(to)[v] = m.x[padded(v)];
        }
    }
};

} // namespace gnd

#endif
