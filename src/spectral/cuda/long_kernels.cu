// long_kernels.cu: powers of long real frames, of 2^15 and 2^16 elements, in one launch: a cluster of blocks has a
// frame in its shared memory, so that samples are read and powers are written once. A frame is transformed as M = A B
// complex numbers in two steps (D. H. Bailey, "FFTs in external or hierarchical memory", 1990): blocks transform
// columns of A numbers, send the results, turned, to the blocks that have their rows, and transform these. Row k and
// its mirror image, A - k, are in one block, which makes of them the powers of the frame's bins.
//
// A frame of 2^16 doubles is 512 KB, and 264 KB of powers: 0.2 us at 4.0 TB/s, and about 4 * 10^6 operations.
#include "spectral/cuda/stft_registers.cuh"

// Clusters exist since compute capability 9.0 (gndi_stft_has_clusters).
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#    define BLOCKS_TOGETHER(n) __cluster_dims__(n, 1, 1)
#else
#    define BLOCKS_TOGETHER(n)
#endif

namespace gnd {

constexpr int larger(int a, int b) {
    return a > b ? a : b;
}

// A block of a cluster of C: 4096 complex numbers, 16 of a thread.
template <class R, int C> struct long_block {
    static constexpr int A = GNDI_LONG_COLUMN, B = 32 * C, M = A * B, EACH = 16, THREADS = GNDI_LONG_THREADS;
    static constexpr int COLUMNS = 32, HALF = A / C / 2; // of a block: columns, and rows without their mirror images
    typedef register_fft<R, A> column_fft;
    typedef register_fft<R, B> row_fft;
    // Elements in shared memory from one column or row to the next: an odd number.
    static constexpr int COLUMN = column_fft::PITCH + 1, ROW = row_fft::PITCH + 1;
    static constexpr int ELEMENTS = larger(COLUMNS * COLUMN, 2 * HALF * ROW);
    static constexpr int ROOTS = column_fft::ROOTS + row_fft::ROOTS;
    static constexpr int SHARED = ELEMENTS + ROOTS + B + HALF + 1 + 2 * THREADS; // numbers
    static_assert(column_fft::THREADS * COLUMNS == THREADS && row_fft::THREADS * 2 * HALF == THREADS, "");
    static_assert(column_fft::E == EACH && row_fft::E == EACH, "");
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

GNDI_FN void arrive() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
GNDI_FN void wait_for_all() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
GNDI_FN int rank_of_block() {
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
// Stores to the place that `to` is in this block, in another one.
GNDI_FN uint32_t place_in(int block, const void *to) {
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there)
                 : "r"((uint32_t)__cvta_generic_to_shared(to)), "r"(block));
    return there;
}
GNDI_FN void send(uint32_t there, double x) {
    asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(there), "d"(x) : "memory");
}
GNDI_FN void send(uint32_t there, number<double> z) {
    asm volatile("st.shared::cluster.v2.f64 [%0], {%1, %2};" ::"r"(there), "d"(z.re), "d"(z.im) : "memory");
}
GNDI_FN void send(uint32_t there, number<float> z) {
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(there), "f"(z.re), "f"(z.im) : "memory");
}

template <class R, int C> struct long_frames {
    typedef long_block<R, C> block;
    typedef typename block::column_fft column_fft;
    typedef typename block::row_fft row_fft;
    static constexpr int A = block::A, B = block::B, M = block::M, EACH = block::EACH, HALF = block::HALF;
    static constexpr int THREADS = block::THREADS;

    const gndi_stft_params &p;
    number<R> *elements, *column_roots, *row_roots, *turns, *fine, *own;
    double *sums; // of the blocks, and of this block's warps
    int rank;

    static __device__ __forceinline__ number<R> root(double angle) { return register_block<R, 32>::root(angle); }
    template <class fft> static __device__ __forceinline__ void fill_roots(number<R> *roots, int n) {
        for (int i = (int)threadIdx.x; i < fft::ROOTS; i += THREADS)
            roots[i] = root(-2.0 * ((i / fft::THREADS + 1) * (i % fft::THREADS)) / n);
    }
    // turns: exp(-pi i k / B); fine: exp(-pi i k / M), of the block's rows; own: exp(-2 pi i j k / M), of the first
    // element k of a thread's column j, and of the step to the next one.
    __device__ __forceinline__ void fill() {
        const int tid = (int)threadIdx.x, column = rank * block::COLUMNS + tid % block::COLUMNS;
        fill_roots<column_fft>(column_roots, A);
        fill_roots<row_fft>(row_roots, B);
        for (int i = tid; i < B; i += THREADS) turns[i] = root(-(double)i / B);
        if (tid <= HALF) fine[tid] = root(-(double)(tid == HALF ? A / 2 : rank * HALF + tid) / M);
        own[tid] = root(-2.0 * (column * (tid / block::COLUMNS)) / M);
        own[THREADS + tid] = root(-2.0 * (column * column_fft::THREADS) / M);
        __syncthreads();
    }

    // The pairs of samples that a thread's column has.
    __device__ __forceinline__ void load(int64_t row, int tid, number<R> *v) const {
        const row_place at = row_place::of(p.plan, row);
        const R *x = line_of<R>(p.plan, at.line) + (at.start - p.plan.x_first);
        const number<R> *from = reinterpret_cast<const number<R> *>(x) + place_of(tid);
#    pragma unroll
        for (int e = 0; e < EACH; e++) v[e] = from[e * column_fft::THREADS * B];
    }
    __device__ __forceinline__ int place_of(int tid) const {
        return tid / block::COLUMNS * B + rank * block::COLUMNS + tid % block::COLUMNS;
    }

    // The sum of a block's elements to all blocks, which have all sums after the next wait for each other.
    __device__ __forceinline__ void send_sum(int tid, const number<R> *v) {
        double s[4] = {0, 0, 0, 0};
#    pragma unroll
        for (int e = 0; e < EACH; e++) s[e % 4] += (double)v[e].re + (double)v[e].im;
        s[0] = (s[0] + s[1]) + (s[2] + s[3]);
#    pragma unroll
        for (int width = WARP / 2; width > 0; width /= 2) s[0] += __shfl_xor_sync(0xffffffff, s[0], width);
        if (tid % WARP == 0) sums[C + tid / WARP] = s[0];
        __syncthreads();
        if (tid < C) {
            double all = 0;
#    pragma unroll
            for (int w = 0; w < THREADS / WARP; w++) all += sums[C + w];
            send(place_in(tid, sums + rank), all);
        }
        arrive();
    }
    __device__ __forceinline__ double mean() const {
        double all = 0;
#    pragma unroll
        for (int c = 0; c < C; c++) all += sums[c];
        return all / (2 * M);
    }

    // Half of a thread's window, from element `first` on, which is read before it is known what to take off.
    __device__ __forceinline__ void load_window(int tid, int first, number<R> *w) const {
        const number<R> *from = reinterpret_cast<const number<R> *>(p.plan.window) + place_of(tid);
#    pragma unroll
        for (int e = 0; e < EACH / 2; e++)
            w[e] = p.plan.window ? from[(first + e) * column_fft::THREADS * B] : number<R>{1, 1};
    }
    static __device__ __forceinline__ void multiply(number<R> *v, const number<R> *w, double mean) {
#    pragma unroll
        for (int e = 0; e < EACH / 2; e++) {
            v[e].re = (R)((double)v[e].re - mean) * w[e].re;
            v[e].im = (R)((double)v[e].im - mean) * w[e].im;
        }
    }
    __device__ __forceinline__ void prepare(int tid, number<R> *v) const {
        const bool trend = p.plan.trend != GNDI_TREND_NONE;
        number<R> w[EACH / 2];
        load_window(tid, 0, w);
        if (trend) wait_for_all();
        const double off = trend ? mean() : 0;
        multiply(v, w, off);
        load_window(tid, EACH / 2, w);
        multiply(v + EACH / 2, w, off);
    }

    // The columns, and their elements to the blocks that have their rows.
    __device__ __forceinline__ void transform_columns(int tid, number<R> *v) const {
        const int t = tid / block::COLUMNS, column = tid % block::COLUMNS;
        number<R> *const frame = elements + column * block::COLUMN;
        column_fft::template compute<0, -1>(v, column_roots, t);
        column_fft::template scatter<0>(v, frame, t);
        __syncthreads();
        column_fft::get(v, frame, t);
        arrive(); // the block's memory is free
        column_fft::template compute<1, -1>(v, column_roots, t);
        number<R> w = own[tid];
        const number<R> one = own[THREADS + tid], two = one * one, three = two * one, four = two * two;
#    pragma unroll
        for (int e = 0; e < EACH; e += 4) {
            v[e] = v[e] * w, v[e + 1] = v[e + 1] * (w * one);
            v[e + 2] = v[e + 2] * (w * two), v[e + 3] = v[e + 3] * (w * three);
            w = w * four;
        }
        wait_for_all();
        const number<R> *const to = elements + row_fft::offset(rank * block::COLUMNS + column);
#    pragma unroll
        for (int e = 0; e < EACH; e++) {
            // Row A / 2 has the place of the mirror image of row 0, which is that itself.
            const int k = t + e * column_fft::THREADS, near = e < EACH / 2 ? k : (A - k) % (A / 2);
            send(place_in(near / HALF, to + (near % HALF + (e < EACH / 2 ? 0 : HALF)) * block::ROW), v[e]);
        }
        arrive();
        wait_for_all();
    }

    __device__ __forceinline__ void transform_rows(int tid, number<R> *v) const {
        number<R> *const frame = elements + tid / row_fft::THREADS * block::ROW;
        const int t = tid % row_fft::THREADS;
        row_fft::get(v, frame, t);
        row_fft::wait();
        row_fft::template run<-1>(v, frame, row_roots, t);
        row_fft::put(v, frame, t);
        __syncthreads();
    }

    __device__ __forceinline__ number<R> element(int row, int i) const {
        return elements[row * block::ROW + row_fft::offset(i)];
    }
    static __device__ __forceinline__ R power(number<R> z) { return z.re * z.re + z.im * z.im; }
    // The powers of the bins of all rows: bin k = row + A i is element i of its row, M - k element B - 1 - i of the
    // mirror image, and element B - i where that is row 0 itself. From number `first` on, half of them.
    __device__ __forceinline__ void store(int64_t number_of_frame, int first, int tid, R factor, R inner) const {
        R *const out = reinterpret_cast<R *>(p.to) + number_of_frame * (M + 1);
#    pragma unroll 1
        for (int e = first + tid; e < first + HALF * B / 2; e += THREADS) {
            int i = e / HALF, row = e % HALF, mirror = row + HALF, other = B - 1 - i, k = rank * HALF + row;
            const bool middle = k == 0 && i >= B / 2;
            if (middle)
                i -= B / 2, k = A / 2, row = mirror = HALF, other = B - 1 - i;
            else if (k == 0)
                mirror = 0, other = (B - i) % B;
            k += A * i;
            const number<R> a = element(row, i), b = conj(element(mirror, other));
            if (k == 0) {
                const number<R> ends = {a.re + a.im, a.re - a.im};
                out[0] = ends.re * ends.re * factor, out[M] = ends.im * ends.im * factor;
                out[M / 2] = power(element(0, B / 2)) * inner;
                continue;
            }
            const R half = (R)0.5;
            const number<R> even = {(a.re + b.re) * half, (a.im + b.im) * half};
            const number<R> odd = fine[row] * turns[i] * number<R>{(a.im - b.im) * half, (b.re - a.re) * half};
            out[k] = power(even + odd) * inner, out[M - k] = power(even - odd) * inner;
        }
    }
};

#endif

template <class R, int C> __global__ void BLOCKS_TOGETHER(C)
    __launch_bounds__(GNDI_LONG_THREADS, sizeof(R) == 8 ? 2 : 3)
        long_kernel(const __grid_constant__ gndi_stft_params p) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    typedef long_block<R, C> block;
    long_frames<R, C> f = {p};
    f.elements = reinterpret_cast<number<R> *>(shared);
    f.column_roots = f.elements + block::ELEMENTS, f.row_roots = f.column_roots + block::column_fft::ROOTS;
    f.turns = f.row_roots + block::row_fft::ROOTS, f.fine = f.turns + block::B, f.own = f.fine + block::HALF + 1;
    f.rank = rank_of_block();
    f.fill();
    __shared__ double sums[C + GNDI_LONG_THREADS / WARP];
    f.sums = sums;
    const R factor = (R)p.plan.scale, inner = (R)(p.plan.scale * p.plan.inner);
    const bool trend = p.plan.trend != GNDI_TREND_NONE;
    const int64_t clusters = gridDim.x / C;
    number<R> v[block::EACH];
    int tid = (int)threadIdx.x;
    f.load(blockIdx.x / C, tid, v);
    arrive(); // nothing is sent to blocks that have not begun
    wait_for_all();
    if (trend) f.send_sum(tid, v);
#    pragma unroll 1
    for (int64_t row = blockIdx.x / C; row < p.row_count; row += clusters) {
        asm volatile("" : "+r"(tid)); // what depends on it is computed for each frame: kept, it would spill
        f.prepare(tid, v);
        f.transform_columns(tid, v);
        f.transform_rows(tid, v);
        // The next frame is on its way while powers are stored.
        const bool more = row + clusters < p.row_count;
        if (more) f.load(row + clusters, tid, v);
        f.store(row, 0, tid, factor, inner);
        if (more && trend) f.send_sum(tid, v);
        f.store(row, block::HALF * block::B / 2, tid, factor, inner);
        __syncthreads();
    }
    arrive(); // a block's memory is there until nothing is sent to it
    wait_for_all();
#endif
}

} // namespace gnd

// Of frames of nfft samples.
extern "C" const void *gndi_cuda_long_kernel(bool wide, int nfft) {
    using namespace gnd;
    if (wide) return nfft >> 16 ? (const void *)long_kernel<double, 8> : (const void *)long_kernel<double, 4>;
    return nfft >> 16 ? (const void *)long_kernel<float, 8> : (const void *)long_kernel<float, 4>;
}

extern "C" int gndi_cuda_long_shared(bool wide, int nfft) {
    using namespace gnd;
    const int numbers = nfft >> 16 ? long_block<double, 8>::SHARED : long_block<double, 4>::SHARED;
    return numbers * (wide ? 16 : 8);
}
