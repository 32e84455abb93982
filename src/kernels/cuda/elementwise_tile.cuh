/*
 * elementwise_tile.cuh: the kernel for inputs that are contiguous along another axis (y) than the
 * outputs (x), as in a + b.T. A block computes a tile: such an input is read in vectors along y,
 * goes through shared memory, and comes out along x; the others are read along x. A thread has all
 * its reads in flight before it waits for the first. The remaining axes are a batch of such planes.
 */
#ifndef GNDI_ELEMENTWISE_TILE_CUH
#define GNDI_ELEMENTWISE_TILE_CUH

#include "kernels/cuda/elementwise_operator.cuh"

namespace gnd {

/* A thread has `passes` vectors of every operand. */
template <class O> struct tile_shape {
    /* Others have transposed inputs copied first: beside a long function a copy is cheap, and the
       result of a function of one input takes after it, so that nothing is transposed. */
    static constexpr bool built = O::op == GNDI_OP_copy || (O::cheap && O::nin > 1);
    static constexpr int width = largest(1, smallest(4, 16 / O::widest));
    static constexpr int passes = GNDI_TUNE_TILE;
    static constexpr int x = width == 4 ? GNDI_TUNE_TILE_X : 32;
    static constexpr int y = GNDI_CUDA_THREADS * passes * width / x;
    /* An odd number of 4-byte words a row, that columns spread over the banks. */
    template <class S> static constexpr int pitch = y + largest(1, 4 / (int)sizeof(S));
    template <class S>
    static constexpr int bytes = is_same<S, absent> ? 0
                                                    : (x *pitch<S> *(int)sizeof(S) + 15) / 16 * 16;
};

/* V elements from `from` on along an axis of `size` elements. */
template <class S, int V> GNDI_FN void load_span(const char *at, int64_t stride, bool vector,
                                                 uint32_t from, uint32_t size, S (&x)[V]) {
    if (vector && from + V <= size) {
        load_vector(at, x);
    } else {
#pragma unroll
        for (int v = 0; v < V; v++)
            if (from + v < size) x[v] = *reinterpret_cast<const S *>(at + v * stride);
    }
}

/* Where a thread's vectors lie in a tile: `fast` counts elements along the axis of its accesses. */
template <int Fast, int V> struct tile_walk {
    static constexpr int across = Fast / V;
    uint32_t fast = threadIdx.x % across * V;
    uint32_t slow = threadIdx.x / across;
    static constexpr uint32_t step = GNDI_CUDA_THREADS / across;
};

template <class O, int I, class S, int V, int P> GNDI_FN void
load_tile(const gndi_tile_params &p, const char *data, uint32_t x0, uint32_t y0, S (&held)[P][V]) {
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
        } else if (mode >= GNDI_TILE_STAGED) {
            const tile_walk<shape::y, V> walk;
#pragma unroll
            for (int i = 0; i < P; i++) {
                const uint32_t x = x0 + walk.slow + i * walk.step, y = y0 + walk.fast;
                if (x < p.x)
                    load_span(data + x * stride_x + y * stride_y, stride_y,
                              mode == GNDI_TILE_STAGED_VECTOR, y, p.y, held[i]);
            }
        } else {
            const tile_walk<shape::x, V> walk;
#pragma unroll
            for (int i = 0; i < P; i++) {
                const uint32_t x = x0 + walk.fast, y = y0 + walk.slow + i * walk.step;
                if (y < p.y)
                    load_span(data + x * stride_x + y * stride_y, stride_x,
                              mode == GNDI_TILE_VECTOR, x, p.x, held[i]);
            }
        }
    }
}

/* A staged input's vectors into shared memory, and its part of the tile back out along x. */
template <class O, int I, class S, int V, int P>
GNDI_FN void stage_tile(const gndi_tile_params &p, char *shared, const S (&held)[P][V]) {
    if constexpr (I < O::nin) {
        typedef tile_shape<O> shape;
        if (p.mode[O::nout + I] != GNDI_TILE_STAGED &&
            p.mode[O::nout + I] != GNDI_TILE_STAGED_VECTOR)
            return;
        S *tile = reinterpret_cast<S *>(shared + p.shared[I]);
        const tile_walk<shape::y, V> walk;
#pragma unroll
        for (int i = 0; i < P; i++)
#pragma unroll
            for (int v = 0; v < V; v++)
                tile[(walk.slow + i * walk.step) * shape::template pitch<S> + walk.fast + v] =
                    held[i][v];
    }
}
template <class O, int I, class S, int V, int P>
GNDI_FN void fetch_tile(const gndi_tile_params &p, const char *shared, S (&held)[P][V]) {
    if constexpr (I < O::nin) {
        typedef tile_shape<O> shape;
        if (p.mode[O::nout + I] != GNDI_TILE_STAGED &&
            p.mode[O::nout + I] != GNDI_TILE_STAGED_VECTOR)
            return;
        const S *tile = reinterpret_cast<const S *>(shared + p.shared[I]);
        const tile_walk<shape::x, V> walk;
#pragma unroll
        for (int i = 0; i < P; i++)
#pragma unroll
            for (int v = 0; v < V; v++)
                held[i][v] =
                    tile[(walk.fast + v) * shape::template pitch<S> + walk.slow + i * walk.step];
    }
}

template <class S, int V> GNDI_FN void store_span(const gndi_tile_params &p, int k, char *data,
                                                  uint32_t x, uint32_t y, const S (&value)[V]) {
    char *at = data + x * p.stride_x[k] + y * p.stride_y[k];
    if (p.mode[k] == GNDI_TILE_VECTOR && x + V <= p.x) {
        store_vector(at, value);
    } else {
#pragma unroll
        for (int v = 0; v < V; v++)
            if (x + v < p.x) *reinterpret_cast<S *>(at + v * p.stride_x[k]) = value[v];
    }
}

template <class O> __global__ void __launch_bounds__(GNDI_CUDA_THREADS)
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

    const tile_walk<shape::x, V> walk;
    bool fault = false;
#pragma unroll
    for (int i = 0; i < P; i++) {
        const uint32_t x = x0 + walk.fast, y = y0 + walk.slow + i * walk.step;
        if (y >= p.y) break;
        typename O::template out<0> first[V];
        typename O::template out<1> second[V];
#pragma unroll
        for (int v = 0; v < V; v++) {
            O::apply(a[i][v], b[i][v], c[i][v], p.params, first[v], second[v]);
            if constexpr (O::checked) fault |= x + v < p.x && O::faults(a[i][v], b[i][v], c[i][v]);
        }
        store_span(p, 0, data[0], x, y, first);
        if constexpr (O::nout == 2) store_span(p, 1, data[1], x, y, second);
    }
    if constexpr (O::checked)
        if (fault) *p.fault = O::op + 1;
}

} // namespace gnd

#endif
