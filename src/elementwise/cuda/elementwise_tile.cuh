/*
 * elementwise_tile.cuh: the kernel for inputs that are contiguous along another axis (y) than the
 * outputs (x), as in a + b.T. A block computes a tile: such an input is read in vectors along y,
 * goes through shared memory, and comes out along x; the others are read along x. A thread has all
 * its reads in flight before it waits for the first. The remaining axes are a batch of such planes.
 */
#ifndef GNDI_ELEMENTWISE_TILE_CUH
#define GNDI_ELEMENTWISE_TILE_CUH

#include "elementwise/cuda/elementwise_operator.cuh"

namespace gnd {

/* A thread has `passes` units of `width` elements of every operand. */
template <class O> struct tile_shape {
    /* Others have transposed inputs copied first: beside a long function a copy is cheap, and the
       result of a function of one input takes after it, so that nothing is transposed. */
    static constexpr bool built = O::op == GNDI_OP_copy || (O::cheap && O::nin > 1);
    static constexpr int width = largest(1, smallest(4, 16 / O::widest));
    /* Tiles of all inputs must go into shared memory together. */
    static constexpr int passes = largest(GNDI_TUNE_TILE >> (O::nin - 1), 1) * (O::widest == 1 ? 2 : 1);
    static constexpr int x = O::widest == 1 ? 2 * GNDI_TUNE_TILE_X : width == 4 ? GNDI_TUNE_TILE_X : 32;
    static constexpr int y = GNDI_CUDA_TILE_THREADS * passes * width / x;
    /* An odd number of 4-byte words a row, that columns spread over the banks. */
    template <class S> static constexpr int pitch = y + largest(1, 4 / (int)sizeof(S));
    template <class S> static constexpr int bytes = is_same<S, absent> ? 0
                                                                       : (x *pitch<S> *(int)sizeof(S) + 15) / 16 * 16;
};

/* Where a thread's elements lie in a tile that is `Fast` wide along the axis of its accesses:
   unit i at slow + i * step, there element v at fast(v): in a vector, or, so that neighbouring
   threads access neighbours, apart. */
template <int Fast, int V> struct tile_walk {
    static constexpr uint32_t across = Fast / V;
    static constexpr uint32_t step = GNDI_CUDA_TILE_THREADS / across;
    uint32_t lane = threadIdx.x % across, slow = threadIdx.x / across;
    bool vector;
    __device__ __forceinline__ uint32_t fast(int v) const { return vector ? lane * V + v : lane + v * across; }
    /* Elements are kept in shared memory in the order (v, lane), in which a warp's accesses are
       spread over the banks. */
    __device__ __forceinline__ uint32_t slot(int v) const { return v * across + lane; }
    /* The slot of the element at `index`. */
    __device__ __forceinline__ static uint32_t slot_of(uint32_t index, bool vector) {
        return vector ? index % V * across + index / V : index;
    }
};

/* Unit of V elements; `at` is where its first lies, `size` the end of the axis. */
template <class S, int V, int F> GNDI_FN void load_unit(const char *at, int64_t stride, const tile_walk<F, V> &walk,
                                                        uint32_t from, uint32_t size, S (&x)[V]) {
    if (walk.vector) {
        if (from + walk.fast(0) < size) load_vector(at, x);
    } else {
        const int64_t apart = walk.across * stride;
#pragma unroll
        for (int v = 0; v < V; v++)
            if (from + walk.fast(v) < size) x[v] = *reinterpret_cast<const S *>(at + v * apart);
    }
}
template <class S, int V, int F> GNDI_FN void store_unit(char *at, int64_t stride, const tile_walk<F, V> &walk,
                                                         uint32_t from, uint32_t size, const S (&x)[V]) {
    if (walk.vector) {
        if (from + walk.fast(0) < size) store_vector(at, x);
    } else {
        const int64_t apart = walk.across * stride;
#pragma unroll
        for (int v = 0; v < V; v++)
            if (from + walk.fast(v) < size) *reinterpret_cast<S *>(at + v * apart) = x[v];
    }
}

GNDI_FN bool is_staged(int mode) {
    return mode == GNDI_TILE_STAGED || mode == GNDI_TILE_STAGED_VECTOR;
}

template <class O, int I, class S, int V, int P>
GNDI_FN void load_tile(const gndi_tile_params &p, const char *data, uint32_t x0, uint32_t y0, S (&held)[P][V]) {
    if constexpr (I < O::nin) {
        typedef tile_shape<O> shape;
        constexpr int k = O::nout + I;
        const int mode = p.mode[k];
        const int64_t stride_x = p.stride_x[k], stride_y = p.stride_y[k];
        if (mode == GNDI_TILE_IMMEDIATE) {
            const S same = value_as<S>(p.value[I]);
#pragma unroll
            for (int i = 0; i < P; i++)
#pragma unroll
                for (int v = 0; v < V; v++) held[i][v] = same;
        } else if (is_staged(mode)) {
            tile_walk<shape::y, V> walk;
            walk.vector = mode == GNDI_TILE_STAGED_VECTOR;
            const char *at = data + (y0 + walk.fast(0)) * stride_y;
#pragma unroll
            for (int i = 0; i < P; i++) {
                const uint32_t x = x0 + walk.slow + i * walk.step;
                if (x < p.x) load_unit(at + x * stride_x, stride_y, walk, y0, p.y, held[i]);
            }
        } else {
            tile_walk<shape::x, V> walk;
            walk.vector = mode == GNDI_TILE_VECTOR;
            const char *at = data + (x0 + walk.fast(0)) * stride_x;
#pragma unroll
            for (int i = 0; i < P; i++) {
                const uint32_t y = y0 + walk.slow + i * walk.step;
                if (y < p.y) load_unit(at + y * stride_y, stride_x, walk, x0, p.x, held[i]);
            }
        }
    }
}

/* A staged input's units into shared memory. Its rows there are what lies along y, in the order
   of slots along both axes; but small elements that came as a vector go in as words, in their
   order. */
template <class S, int V> constexpr bool by_words = sizeof(S) < 4 && sizeof(S) * V % 4 == 0;

template <class O, int I, class S, int V, int P>
GNDI_FN void stage_tile(const gndi_tile_params &p, char *shared, const S (&held)[P][V]) {
    if constexpr (I < O::nin) {
        typedef tile_shape<O> shape;
        const int mode = p.mode[O::nout + I];
        if (!is_staged(mode)) return;
        tile_walk<shape::y, V> walk;
        walk.vector = mode == GNDI_TILE_STAGED_VECTOR;
#pragma unroll
        for (int i = 0; i < P; i++) {
            const uint32_t row = tile_walk<shape::x, V>::slot_of(walk.slow + i * walk.step, p.vectors);
            S *tile = reinterpret_cast<S *>(shared + p.shared[I]) + row * shape::template pitch<S>;
            if (by_words<S, V> && walk.vector) {
                uint32_t words[(sizeof held[i] + 3) / 4];
                memcpy(words, held[i], sizeof held[i]);
#pragma unroll
                for (int w = 0; w < (int)sizeof words / 4; w++)
                    reinterpret_cast<uint32_t *>(tile + walk.fast(0))[w] = words[w];
            } else {
#pragma unroll
                for (int v = 0; v < V; v++) tile[walk.slot(v)] = held[i][v];
            }
        }
    }
}
/* The thread's part of the tile back out along x. */
template <class O, int I, class S, int V, int P>
GNDI_FN void fetch_tile(const gndi_tile_params &p, const char *shared, S (&held)[P][V]) {
    if constexpr (I < O::nin) {
        typedef tile_shape<O> shape;
        const int mode = p.mode[O::nout + I];
        if (!is_staged(mode)) return;
        const bool ordered = by_words<S, V> || mode != GNDI_TILE_STAGED_VECTOR;
        const S *tile = reinterpret_cast<const S *>(shared + p.shared[I]);
        const tile_walk<shape::x, V> walk = {};
#pragma unroll
        for (int i = 0; i < P; i++) {
            const uint32_t column = tile_walk<shape::y, V>::slot_of(walk.slow + i * walk.step, !ordered);
#pragma unroll
            for (int v = 0; v < V; v++) held[i][v] = tile[walk.slot(v) * shape::template pitch<S> + column];
        }
    }
}

template <class O> __global__ void __launch_bounds__(GNDI_CUDA_TILE_THREADS)
    tile_kernel(const __grid_constant__ gndi_tile_params p) {
    typedef tile_shape<O> shape;
    constexpr int V = shape::width, P = shape::passes, operands = O::nin + O::nout;
    extern __shared__ uint4 shared_words[];
    char *shared = reinterpret_cast<char *>(shared_words);

    /* Blocks that run together cover bands of several rows of tiles, column by column, so that
       what they read and what they write are both close together. */
    const uint32_t step = divide_by(p.tiles_band, blockIdx.x);
    const uint32_t band_row = blockIdx.x - step * p.tiles_band.size;
    const uint32_t band = divide_by(p.tiles_x, step);
    const uint32_t x0 = (step - band * p.tiles_x.size) * shape::x;
    uint32_t plane = divide_by(p.bands, band);
    const uint32_t y0 = ((band - plane * p.bands.size) * p.tiles_band.size + band_row) * shape::y;
    if (y0 >= p.y) return;
    char *data[operands];
#pragma unroll
    for (int k = 0; k < operands; k++) data[k] = p.data[k];
    for (int i = 0; i < p.batch_axes; i++) {
        const uint32_t quotient = divide_by(p.batch[i], plane);
        const int64_t coordinate = plane - quotient * p.batch[i].size;
        plane = quotient;
#pragma unroll
        for (int k = 0; k < operands; k++) data[k] += coordinate * p.batch_stride[i][k];
    }

    typename O::template in<0> a[P][V];
    typename O::template in<1> b[P][V];
    typename O::template in<2> c[P][V];
    load_tile<O, 0>(p, data[O::nout], x0, y0, a);
    if constexpr (O::nin > 1) load_tile<O, 1>(p, data[O::nout + 1], x0, y0, b);
    if constexpr (O::nin > 2) load_tile<O, 2>(p, data[O::nout + 2], x0, y0, c);
    stage_tile<O, 0>(p, shared, a);
    stage_tile<O, 1>(p, shared, b);
    stage_tile<O, 2>(p, shared, c);
    __syncthreads();
    fetch_tile<O, 0>(p, shared, a);
    fetch_tile<O, 1>(p, shared, b);
    fetch_tile<O, 2>(p, shared, c);

    tile_walk<shape::x, V> walk;
    walk.vector = p.vectors;
    bool fault = false;
#pragma unroll
    for (int i = 0; i < P; i++) {
        const uint32_t y = y0 + walk.slow + i * walk.step;
        if (y >= p.y) break;
        typename O::template out<0> first[V];
        typename O::template out<1> second[V];
#pragma unroll
        for (int v = 0; v < V; v++) {
            O::apply(a[i][v], b[i][v], c[i][v], p.params, first[v], second[v]);
            if constexpr (O::checked) fault |= x0 + walk.fast(v) < p.x && O::faults(a[i][v], b[i][v], c[i][v]);
        }
        const uint32_t x = x0 + walk.fast(0);
        store_unit(data[0] + x * p.stride_x[0] + y * p.stride_y[0], p.stride_x[0], walk, x0, p.x, first);
        if constexpr (O::nout == 2)
            store_unit(data[1] + x * p.stride_x[1] + y * p.stride_y[1], p.stride_x[1], walk, x0, p.x, second);
    }
    if constexpr (O::checked)
        if (fault) *p.fault = O::op + 1;
}

} // namespace gnd

#endif
