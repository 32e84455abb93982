// long_kernels.cu: powers of long real frames, of 2^15 and 2^16 elements, in one launch: a cluster of blocks has a
// frame in its registers and its shared memory, so that samples are read and powers are written once. A frame of A B
// samples is transformed in two steps (D. H. Bailey, "FFTs in external or hierarchical memory", 1990): blocks transform
// columns of A samples, two real ones as a complex one, and send the results to the blocks that have their rows. There
// row k is made of the results k and A - k, and transformed; the rows behind A / 2 are mirror images of these.
//
// Transforms but the first have their twiddle factors in them: sums over e of v[e] u^e W^(e j), by radix 2, of which
// each step is six operations for two numbers.
//
// A frame of 2^16 doubles is 512 KB, and 264 KB of powers: 0.2 us at 4.0 TB/s, and about 4 * 10^6 operations. Its
// elements pass through shared memory three times: within a column, from block to block, and within a row.
#include "kernels/cuda/async_copy.cuh"
#include "spectral/cuda/stft_registers.cuh"

// Clusters exist since compute capability 9.0 (gndi_stft_clusters).
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#    define BLOCKS_TOGETHER(n) __cluster_dims__(n, 1, 1)
#else
#    define BLOCKS_TOGETHER(n)
#endif

namespace gnd {

// A block of a cluster of C: 16 rows of 256 numbers, or as many columns; 16 numbers of a thread.
template <class R, int C> struct long_block {
    static constexpr int EACH = 16, ROWS = 16, THREADS = GNDI_LONG_THREADS;
    static constexpr int A = 2 * ROWS * C, B = 256, SAMPLES = A * B;
    static constexpr int COLUMNS = B / 2 / C, SHARE = A / EACH; // complex columns; threads of one
    static constexpr int COLUMN = A + 1, ROW = B + 1;           // numbers in shared memory from one to the next
    static constexpr int ELEMENTS = COLUMNS * COLUMN > ROWS *ROW ? COLUMNS *COLUMN : ROWS *ROW;
    static constexpr int BYTES = ROWS * B * 2 * (int)sizeof(R); // that are sent to a block for a frame
    // Roots: of columns, SHARE / 2 for each of 16 transforms; of rows, 8 for each; of threads, 4.
    static constexpr int COLUMN_ROOTS = SHARE / 2 * EACH, ROW_ROOTS = 8 * ROWS, OWN_ROOTS = 4 * THREADS;
    static constexpr int SHARED = ELEMENTS + COLUMN_ROOTS + ROW_ROOTS + OWN_ROOTS + B + B / 2 + 1; // numbers
    static_assert(SHARE * COLUMNS == THREADS && EACH * ROWS == THREADS, "");
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

// ---- transforms with their twiddle factors ------------------------------------------------------

// A step from sums of L / 2 elements to sums of L turns by u^(r / L) exp(-2 pi i j / L) for j < L / 2; those of the
// second half are quarter turns from the first. Root L / 4 + j (0 for L = 2) is the one of step L and number j.
constexpr int step_of(int root) {
    return root == 0 ? 2 : root == 1 ? 4 : root < 4 ? 8 : 16;
}
// For u = exp(-2 pi i k / n).
template <class R> GNDI_FN number<R> root_of(int root, int r, int k, int n) {
    const int L = step_of(root), j = L == 2 ? 0 : root - L / 4;
    return register_block<R, 32>::root(-2.0 * ((double)k * (r / L) / n + (double)j / L));
}
template <class R> struct all_roots {
    const number<R> *from;
    int step;
    GNDI_FN_MEMBER number<R> operator()(int root) const { return from[root * step]; }
};
// Of roots 0, 1, 2 and 4, which the others are parts of a turn from.
template <class R> struct few_roots {
    const number<R> *from;
    int step;
    GNDI_FN_MEMBER number<R> operator()(int root) const {
        constexpr double c1 = 0.92387953251128675613, s1 = 0.38268343236508977173;
        const number<R> w = from[(root < 3 ? root : root == 3 ? 2 : 3) * step];
        return root == 3 || root == 6 ? eighth<-1>(w)
               : root == 5            ? turned<-1>(w, c1, s1)
               : root == 7            ? turned<-1>(w, s1, c1)
                                      : w;
    }
};

template <int r> constexpr int reversed(int i) {
    int j = 0;
    for (int bit = 1; bit < r; bit *= 2) j = 2 * j + i / bit % 2;
    return j;
}
// a + w b and a - w b.
template <class R> GNDI_FN void turn_and_add(number<R> &a, number<R> &b, number<R> w) {
    const number<R> sum = {fma(w.re, b.re, fma(-w.im, b.im, a.re)), fma(w.re, b.im, fma(w.im, b.re, a.im))};
    b = {fma((R)2, a.re, -sum.re), fma((R)2, a.im, -sum.im)};
    a = sum;
}
template <int L, int r, class R, class Roots> GNDI_FN void turned_steps(number<R> *y, const Roots roots) {
    constexpr int turns = L > 4 ? L / 4 : 1;
#    pragma unroll
    for (int j = 0; j < turns; j++) {
        const number<R> w = roots(L == 2 ? 0 : L / 4 + j);
#    pragma unroll
        for (int i = j; i < r; i += L) {
            turn_and_add(y[i], y[i + L / 2], w);
            if constexpr (L > 2) {
                y[i + L / 4 + L / 2] = quarter<-1>(y[i + L / 4 + L / 2]);
                turn_and_add(y[i + L / 4], y[i + L / 4 + L / 2], w);
            }
        }
    }
    if constexpr (L < r) turned_steps<2 * L, r>(y, roots);
}
template <int r, class R, class Roots> GNDI_FN void turned_dft(number<R> *v, const Roots roots) {
    number<R> y[r];
#    pragma unroll
    for (int i = 0; i < r; i++) y[i] = v[reversed<r>(i)];
    turned_steps<2, r>(y, roots);
#    pragma unroll
    for (int i = 0; i < r; i++) v[i] = y[i];
}

// ---- blocks of a cluster ------------------------------------------------------------------------

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
GNDI_FN uint32_t address_of(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
// The place that `here` is in this block, in another one.
GNDI_FN uint32_t place_in(int block, uint32_t here) {
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(block));
    return there;
}
GNDI_FN void send(uint32_t there, double x) {
    asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(there), "d"(x) : "memory");
}

// What is sent to a block for a frame: it arrives on its own, and threads wait for all of its bytes.
#    define SEND_COUNTED(type) "st.async.shared::cluster.mbarrier::complete_tx::bytes." type
struct arrivals {
    uint32_t bar; // in shared memory

    __device__ __forceinline__ void expect(int bytes) const {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
    }
    __device__ __forceinline__ void begin(int bytes) const {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                     "fence.mbarrier_init.release.cluster;" ::"r"(bar)
                     : "memory");
        expect(bytes);
    }
    __device__ __forceinline__ void wait(int parity) const {
        uint32_t there;
        do
            asm volatile("{\n"
                         ".reg .pred there;\n"
                         "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 there, [%1], %2;\n"
                         "selp.u32 %0, 1, 0, there;\n"
                         "}"
                         : "=r"(there)
                         : "r"(bar), "r"(parity)
                         : "memory");
        while (!there);
    }
    // To the place that `to` is in this block, in block `block`.
    __device__ __forceinline__ void send(int block, uint32_t to, number<double> z) const {
        asm volatile(SEND_COUNTED("v2.f64") " [%0], {%1, %2}, [%3];" ::"r"(place_in(block, to)), "d"(z.re), "d"(z.im),
                     "r"(place_in(block, bar))
                     : "memory");
    }
    __device__ __forceinline__ void send(int block, uint32_t to, number<float> z) const {
        asm volatile(SEND_COUNTED("v2.f32") " [%0], {%1, %2}, [%3];" ::"r"(place_in(block, to)), "f"(z.re), "f"(z.im),
                     "r"(place_in(block, bar))
                     : "memory");
    }
    __device__ __forceinline__ void send(int block, uint32_t to, double x) const {
        asm volatile(SEND_COUNTED("f64") " [%0], %1, [%2];" ::"r"(place_in(block, to)), "d"(x),
                     "r"(place_in(block, bar))
                     : "memory");
    }
    __device__ __forceinline__ void send(int block, uint32_t to, float x) const {
        asm volatile(SEND_COUNTED("f32") " [%0], %1, [%2];" ::"r"(place_in(block, to)), "f"(x),
                     "r"(place_in(block, bar))
                     : "memory");
    }
};
#    undef SEND_COUNTED

// ---- frames -------------------------------------------------------------------------------------

template <class R, int C> struct long_frames {
    typedef long_block<R, C> block;
    static constexpr int A = block::A, B = block::B, SAMPLES = block::SAMPLES, EACH = block::EACH, ROWS = block::ROWS;
    static constexpr int THREADS = block::THREADS, COLUMNS = block::COLUMNS, SHARE = block::SHARE;
    static constexpr int NUMBER = (int)sizeof(number<R>);

    const gndi_stft_params &p;
    number<R> *elements, *column_roots, *row_roots, *own_roots, *ends, *turns;
    double *sums; // of the blocks, and of this block's warps
    arrivals arrived;
    int rank;

    // The roots of the transforms in columns, in rows, and of what a thread has of a row then; and exp(-pi i k / B).
    __device__ __forceinline__ void fill() {
        const int tid = (int)threadIdx.x;
        for (int i = tid; i < block::COLUMN_ROOTS; i += THREADS)
            column_roots[i] = root_of<R>(i / EACH, SHARE, i % EACH, A);
        for (int i = tid; i < block::ROW_ROOTS; i += THREADS)
            row_roots[i] = root_of<R>(i / ROWS, EACH, EACH * (rank * ROWS + i % ROWS), SAMPLES);
        const int own = rank * ROWS + tid % ROWS + A * (tid / ROWS);
        for (int i = 0; i < 4; i++) own_roots[i * THREADS + tid] = root_of<R>(i < 3 ? i : 4, EACH, own, SAMPLES);
        if (tid <= B / 2) turns[tid] = register_block<R, 32>::root(-(double)tid / B);
        __syncthreads();
    }

    // A thread has samples of columns b and b + B / 2, as real and imaginary parts: number b is its first one's.
    __device__ __forceinline__ int first_of(int tid) const {
        return tid / COLUMNS * B + rank * COLUMNS + tid % COLUMNS;
    }
    __device__ __forceinline__ void load(int64_t row, int tid, number<R> *v) const {
        const row_place at = row_place::of(p.plan, row);
        const R *from = line_of<R>(p.plan, at.line) + (at.start - p.plan.x_first) + first_of(tid);
#    pragma unroll
        for (int e = 0; e < EACH; e++) v[e] = {from[e * SHARE * B], from[e * SHARE * B + B / 2]};
    }

    // Begins to bring a block's samples of a frame to the L2 cache: pieces of COLUMNS, B / 2 apart.
    __device__ __forceinline__ void fetch(int64_t row, int tid) const {
        constexpr int LINE = 128 / (int)sizeof(R), LINES = COLUMNS > LINE ? COLUMNS / LINE : 1; // LINES: of a piece
        static_assert(2 * A * LINES % THREADS == 0, "");
        const row_place at = row_place::of(p.plan, row);
        const R *from = line_of<R>(p.plan, at.line) + (at.start - p.plan.x_first) + rank * COLUMNS;
#    pragma unroll
        for (int k = 0; k < 2 * A * LINES / THREADS; k++) {
            const int i = tid + k * THREADS;
            fetch_line(from + i / LINES * (B / 2) + i % LINES * LINE);
        }
    }

    // The sum of a block's samples to all blocks, which have all sums after the next wait for each other.
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
            send(place_in(tid, address_of(sums + rank)), all);
        }
        arrive();
    }
    __device__ __forceinline__ double mean() const {
        double all = 0;
#    pragma unroll
        for (int c = 0; c < C; c++) all += sums[c];
        return all / SAMPLES;
    }

    // Half of a thread's window, from element `first` on, which is read before it is known what to take off.
    __device__ __forceinline__ void load_window(int tid, int first, number<R> *w) const {
        const R *from = reinterpret_cast<const R *>(p.plan.window) + first_of(tid) + first * SHARE * B;
#    pragma unroll
        for (int e = 0; e < EACH / 2; e++)
            w[e] = p.plan.window ? number<R>{from[e * SHARE * B], from[e * SHARE * B + B / 2]} : number<R>{1, 1};
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

    // The columns: thread t of one has results t + 16 j, and where 8 threads share one, t + 8 + 16 j besides.
    __device__ __forceinline__ void transform_columns(int tid, number<R> *v) const {
        const int t = tid / COLUMNS, column = tid % COLUMNS;
        number<R> *const frame = elements + column * block::COLUMN;
        dft<EACH, -1, 1>(v);
#    pragma unroll
        for (int k = 0; k < EACH; k++) frame[t * EACH + k] = v[k];
        __syncthreads();
#    pragma unroll
        for (int i = 0; i < EACH; i++) v[i] = frame[i % SHARE * EACH + t + i / SHARE * SHARE];
        arrive(); // the block's memory is free
#    pragma unroll
        for (int i = 0; i < EACH; i += SHARE) turned_dft<SHARE>(v + i, all_roots<R>{column_roots + t + i, EACH});
        wait_for_all();
        send_columns(t, rank * COLUMNS + column, v);
    }
    // Result k to the block that has row k, result A - k beside it: a row has room for B / 2 of each.
    __device__ __forceinline__ void send_columns(int t, int column, const number<R> *v) const {
        const uint32_t here = address_of(elements);
#    pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int j = i % SHARE, k = t + i / SHARE * SHARE + EACH * j, row = j < SHARE / 2 ? k : (A - k) % (A / 2);
            const int place = row % ROWS * block::ROW + (j < SHARE / 2 ? 0 : B / 2) + column;
            if (i % (SHARE / 2) > 0 || i > SHARE / 2 || t > 0) arrived.send(row / ROWS, here + place * NUMBER, v[i]);
        }
        if (t > 0) return;
        // Results 0 and A / 2 are those of real columns. Of them block 0 has, as its row 0, the sums of the samples
        // number c modulo 2 B, for all c; pairs of the second half are swapped.
        const number<R> sum = v[0] + v[SHARE / 2], difference = v[0] - v[SHARE / 2];
        const uint32_t to = here + column * (int)sizeof(R), half = B / 2 * sizeof(R);
        const uint32_t swapped = to + 2 * half + (column % 2 ? -1 : 1) * (int)sizeof(R);
        arrived.send(0, to, sum.re), arrived.send(0, to + half, sum.im);
        arrived.send(0, swapped, difference.re), arrived.send(0, swapped + half, difference.im);
    }

    // The rows, of twice their elements: thread t of one has results t + 16 j.
    __device__ __forceinline__ void transform_rows(int tid, number<R> *v) const {
        const int row = tid % ROWS, t = tid / ROWS;
        number<R> *const frame = elements + row * block::ROW;
        const R other = rank + row > 0 ? (R)1 : (R)0; // row 0 has its elements themselves
#    pragma unroll
        for (int e = 0; e < EACH / 2; e++) {
            const number<R> a = frame[t + e * EACH], b = frame[t + e * EACH + B / 2];
            v[e] = {fma(other, b.re, a.re), fma(-other, b.im, a.im)};
            v[e + EACH / 2] = {fma(other, a.im, b.im), fma(-other, a.re, b.re)};
        }
        turned_dft<EACH>(v, all_roots<R>{row_roots + row, ROWS});
#    pragma unroll
        for (int e = 0; e < EACH; e++) frame[t + e * EACH] = v[e];
        __syncthreads();
#    pragma unroll
        for (int e = 0; e < EACH; e++) v[e] = frame[t * EACH + e];
        turned_dft<EACH>(v, few_roots<R>{own_roots + tid, THREADS});
    }

    static __device__ __forceinline__ R power(number<R> z) { return z.re * z.re + z.im * z.im; }
    // Results of rows are bins row + A k, and beyond the middle mirror images of bins.
    __device__ __forceinline__ void store(R *out, int tid, const R *powers) const {
        const int k = rank * ROWS + tid % ROWS + A * (tid / ROWS);
        if (rank + tid % ROWS == 0) return;
#    pragma unroll
        for (int j = 0; j < EACH; j++) out[j < EACH / 2 ? k + A * EACH * j : SAMPLES - k - A * EACH * j] = powers[j];
    }
    // Row 0 is the transform of 2 B real numbers, as B complex ones; its bins are A / 2 apart.
    __device__ __forceinline__ void keep_ends(int tid, const number<R> *v) const {
        if (rank + tid % ROWS > 0) return;
#    pragma unroll
        for (int j = 0; j < EACH; j++) ends[tid / ROWS + EACH * j] = v[j];
    }
    __device__ __forceinline__ void store_ends(R *out, int k, R factor, R inner) const {
        if (rank > 0 || k > B / 2) return;
        const number<R> a = ends[k], b = conj(ends[(B - k) % B]);
        if (k == 0) {
            const number<R> both = {a.re + a.im, a.re - a.im};
            out[0] = both.re * both.re * factor, out[SAMPLES / 2] = both.im * both.im * factor;
            return;
        }
        const R half = (R)0.5;
        const number<R> even = {(a.re + b.re) * half, (a.im + b.im) * half};
        const number<R> odd = turns[k] * number<R>{(a.im - b.im) * half, (b.re - a.re) * half};
        out[k * (A / 2)] = power(even + odd) * inner;
        if (k < B / 2) out[(B - k) * (A / 2)] = power(even - odd) * inner;
    }
};

#endif

template <class R, int C> __global__ void BLOCKS_TOGETHER(C)
    __launch_bounds__(GNDI_LONG_THREADS, sizeof(R) == 8 ? 2 : 3)
        long_kernel(const __grid_constant__ gndi_stft_params p) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    typedef long_block<R, C> block;
    __shared__ double sums[C + GNDI_LONG_THREADS / WARP];
    __shared__ __align__(8) uint64_t bar;
    long_frames<R, C> f = {p};
    f.elements = reinterpret_cast<number<R> *>(shared), f.column_roots = f.elements + block::ELEMENTS;
    f.row_roots = f.column_roots + block::COLUMN_ROOTS, f.own_roots = f.row_roots + block::ROW_ROOTS;
    f.ends = f.own_roots + block::OWN_ROOTS, f.turns = f.ends + block::B;
    f.sums = sums, f.arrived = {address_of(&bar)}, f.rank = rank_of_block();
    if (threadIdx.x == 0) f.arrived.begin(block::BYTES);
    f.fill();
    const R factor = (R)(p.plan.scale / 4), inner = (R)(p.plan.scale * p.plan.inner / 4); // elements are twice theirs
    const bool trend = p.plan.trend != GNDI_TREND_NONE;
    const int64_t clusters = gridDim.x / C;
    number<R> v[block::EACH];
    int tid = (int)threadIdx.x, parity = 0;
    f.load(blockIdx.x / C, tid, v);
    arrive(); // nothing is sent to blocks that have not begun
    wait_for_all();
    if (trend) f.send_sum(tid, v);
#    pragma unroll 1
    for (int64_t row = blockIdx.x / C; row < p.row_count; row += clusters) {
        asm volatile("" : "+r"(tid)); // what depends on it is computed for each frame: kept, it would spill
        const bool more = row + clusters < p.row_count;
        if (more) f.fetch(row + clusters, tid); // memory is idle while frames are transformed
        f.prepare(tid, v);
        f.transform_columns(tid, v);
        asm volatile("" : "+r"(tid));
        f.arrived.wait(parity), parity ^= 1;
        if (tid == 0 && more) f.arrived.expect(block::BYTES);
        f.transform_rows(tid, v);
        R powers[block::EACH];
        f.keep_ends(tid, v);
#    pragma unroll
        for (int j = 0; j < block::EACH; j++) powers[j] = f.power(v[j]) * inner;
        // The next frame is on its way while powers are stored.
        if (more) f.load(row + clusters, tid, v);
        R *const out = reinterpret_cast<R *>(p.to) + row * (block::SAMPLES / 2 + 1);
        f.store(out, tid, powers);
        if (more && trend)
            f.send_sum(tid, v);
        else
            __syncthreads();
        f.store_ends(out, tid, factor, inner);
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
