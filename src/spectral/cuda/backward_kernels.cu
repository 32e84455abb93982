// backward_kernels.cu: inverse short-time transforms of frames of 2^n elements in one launch: a block transforms some
// frames back at a time, and adds up, in their order, those of the samples that have all of their frames then. The last
// frames stay in shared memory for the samples of the next ones. The first ones of a block reach into its samples from
// those of the block before, which transforms them, too.
#include "spectral/cuda/stft_registers.cuh"
#include "kernels/cuda/early_start.cuh"

namespace gnd {

template <class R, int N, bool PACKED> struct backward {
    typedef register_block<R, N> block;
    typedef register_fft<R, N> fft;
    static constexpr int E = block::E, SHARE = block::SHARE;
    // Whether the threads of a frame are of one warp, and give each other the bins that they make elements of.
    static constexpr bool SHUFFLES = PACKED && SHARE <= WARP;

    const gndi_istft_params &p;
    const gndi_istft_plan &q;
    block m;
    int64_t line;
    number<R> *window, *norms; // pairs of them in shared memory, where p.pairs

    // Bins side by side. Packed, element 0 has those of bins 0 and N, which are real.
    __device__ __forceinline__ void read(int64_t f, number<R> *v, int t) const {
        const char *const z = q.z + gndi_line_of_x(&q.grid, line) + (f - q.frame_first) * q.frame_step;
        const number<R> *from = reinterpret_cast<const number<R> *>(z);
#pragma unroll
        for (int e = 0; e < E; e++) v[e] = from[t + e * SHARE];
        if (PACKED && t == 0) v[0].im = from[N].re;
    }

    // The bins of a frame as elements.
    __device__ __forceinline__ void load(int64_t f, number<R> *v, number<R> *frame, int t) const {
        if (p.dense) {
            read(f, v, t);
            if constexpr (SHUFFLES) return pack_all(v, t);
            fft::put(v, frame, t);
        } else {
            const char *const z = q.z + gndi_line_of_x(&q.grid, line) + (f - q.frame_first) * q.frame_step;
#pragma unroll 1
            for (int k = t; k < N; k += SHARE) {
                const complex<R> u = bin<R>(q, z, k);
                number<R> w = {u.re, u.im};
                if (PACKED && k == 0) w.im = bin<R>(q, z, N).re;
                frame[fft::offset(k)] = w;
            }
        }
        fft::wait();
        if (PACKED) {
#pragma unroll
            for (int e = 0; e < E; e++) {
                const int k = t + e * SHARE;
                v[e] = pack(k, frame[fft::offset(k)], frame[fft::offset(k == 0 ? 0 : N - k)]);
            }
        } else {
            fft::get(v, frame, t);
        }
        fft::wait();
    }

    // even + i odd, of bins k and N + k: the mirror image of the latter is N - k.
    __device__ __forceinline__ number<R> pack(int k, number<R> a, number<R> b) const {
        b = conj(b);
        if (k == 0) b = {a.im, 0}, a = {a.re, 0};
        const number<R> w = m.turns[k <= N / 2 ? k : N - k];
        const number<R> turn = {k <= N / 2 ? w.re : -w.re, -w.im};
        const number<R> sum = a + b, odd = (a - b) * turn;
        return {sum.re - odd.im, sum.im + odd.re};
    }
    // Of all elements, by shuffles: the mirror image of element e is E - 1 - e of thread SHARE - t; thread 0 has its
    // own, E - e.
    __device__ __forceinline__ void pack_all(number<R> *v, int t) const {
        number<R> u[E];
#pragma unroll
        for (int e = 0; e < E; e++) {
            const number<R> sent = t == 0 ? v[(E - e) % E] : v[E - 1 - e];
            const int from = (SHARE - t) % SHARE;
            u[e] = {__shfl_sync(0xffffffff, sent.re, from, SHARE), __shfl_sync(0xffffffff, sent.im, from, SHARE)};
        }
#pragma unroll
        for (int e = 0; e < E; e++) v[e] = pack(t + e * SHARE, v[e], u[e]);
    }

    // Sample i of a frame.
    __device__ __forceinline__ number<R> sample_of(const number<R> *frame, int i) const {
        const int at = i >= (int)q.roll ? i - (int)q.roll : i - (int)q.roll + (int)q.nfft;
        if (!PACKED) return frame[fft::offset(at)];
        return {reinterpret_cast<const R *>(frame)[2 * fft::offset(at / 2) + at % 2], 0};
    }

    // Sample `phase` of hop h, of the frames since number `oldest`, which is in row 0.
    __device__ __forceinline__ void write(int64_t h, int phase, int64_t oldest, int rows) const {
        const int hop = (int)q.hop, nperseg = (int)q.nperseg, skip = (int)q.skip;
        const int64_t t = h * hop + phase - q.out_first;
        if (t < 0 || t >= q.count) return;
        const int64_t least = q.frame_first > 0 ? q.frame_first : 0, most = q.frame_first + q.frames - 1;
        int64_t first = h - p.overlap + (phase + p.overlap * hop >= nperseg ? 1 : 0);
        int64_t last = phase >= skip ? h : h - (skip - phase + hop - 1) / hop;
        if (first < least) first = least;
        if (last > most) last = most;
        const R *windows = reinterpret_cast<const R *>(q.window), *squares = reinterpret_cast<const R *>(q.squares);
        number<R> sum{};
        R norm = 0;
        int i = phase + (int)(h - first) * hop, row = (int)((uint32_t)(first - oldest) % (uint32_t)rows);
        for (int64_t f = first; f <= last; f++, i -= hop) {
            const number<R> v = sample_of(m.frames + row * fft::PITCH, i);
            const R w = windows ? windows[i] : (R)1;
            sum.re += v.re * w, sum.im += v.im * w;
            if (squares) norm += squares[i];
            if (++row == rows) row = 0;
        }
        if (squares && norm > (R)LEAST_SQUARES) sum.re /= norm, sum.im /= norm;
        if (PACKED)
            reinterpret_cast<R *>(q.out)[line * q.count + t] = sum.re;
        else
            reinterpret_cast<number<R> *>(q.out)[line * q.count + t] = sum;
    }

    // The window and, by samples of a hop, the sums of its squares: for samples that have all of their frames.
    __device__ __forceinline__ void fill_pairs() const {
        const R *from = reinterpret_cast<const R *>(q.window), *squares = reinterpret_cast<const R *>(q.squares);
        const int hop = (int)q.hop, nperseg = (int)q.nperseg;
        R *const w = reinterpret_cast<R *>(window), *const n = reinterpret_cast<R *>(norms);
        for (int i = (int)threadIdx.x; i < nperseg; i += block::THREADS) w[i] = from[i];
        for (int i = (int)threadIdx.x; i < hop; i += block::THREADS) {
            R norm = 0;
            for (int k = i + p.overlap * hop; k >= 0; k -= hop) norm += k < nperseg ? squares[k] : (R)0;
            n[i] = norm > (R)LEAST_SQUARES ? norm : (R)1;
        }
        __syncthreads();
    }

    // Samples 2 phase and the next one of hop h, which have all of their frames; row: that of the first frame.
    __device__ __forceinline__ void write_pair(int64_t t, int phase, int row, int rows) const {
        const int half = (int)q.hop / 2, roll = (int)q.roll / 2;
        number<R> sum{};
        int i = phase + p.overlap * half;
        if (2 * i >= (int)q.nperseg) i -= half, row++;
        row -= row >= rows ? rows : 0;
        for (; i >= 0; i -= half) {
            const number<R> v = m.frames[row * fft::PITCH + fft::offset(i >= roll ? i - roll : i - roll + N)];
            const number<R> w = window[i];
            sum.re += v.re * w.re, sum.im += v.im * w.im;
            if (++row == rows) row = 0;
        }
        const number<R> norm = norms[phase];
        sum.re /= norm.re, sum.im /= norm.im;
        *reinterpret_cast<number<R> *>(reinterpret_cast<R *>(q.out) + line * q.count + t) = sum;
    }
};

template <class R, int N, bool PACKED>
__global__ void __launch_bounds__(register_block<R, N>::THREADS, register_block<R, N>::RESIDENT)
    backward_kernel(const __grid_constant__ gndi_istft_params p) {
    typedef register_block<R, N> block;
    typedef register_fft<R, N> fft;
    const gndi_istft_plan &q = p.plan;
    const int share = (int)threadIdx.x / block::SHARE, t = (int)threadIdx.x % block::SHARE;
    const int rows = block::FRAMES + p.overlap, hop = (int)q.hop;
    backward<R, N, PACKED> of = {p, q, block::of(PACKED), blockIdx.x / p.runs};
    of.window = of.m.frames + rows * fft::PITCH, of.norms = of.window + q.nperseg / 2;
    const pass_divisor hops = pass_divisor::of(PACKED && p.pairs ? hop / 2 : hop);
    const int64_t begin = p.hop_first + blockIdx.x % p.runs * (p.batches * block::FRAMES - p.overlap);
    const int64_t oldest = begin - p.overlap, least = q.frame_first > 0 ? q.frame_first : 0;
    const int64_t last = q.frame_first + q.frames - 1;
    of.m.fill(PACKED);
    start_early();
    if (PACKED && p.pairs) of.fill_pairs();
    int base = 0; // the row of a batch's first frame
    for (int batch = 0; batch < p.batches; batch++) {
        const int64_t done = oldest + batch * block::FRAMES;
        if (done * hop >= q.out_first + q.count) break;
        int64_t f = done + share;
        const int row = base + share < rows ? base + share : base + share - rows;
        number<R> *const frame = of.m.frames + row * fft::PITCH;
        f = f < least ? least : f > last ? last : f; // one that is there, though its samples are not read
        if (last >= least) {
            number<R> v[block::E];
            of.load(f, v, frame, t);
            fft::template run<1>(v, frame, of.m.roots, t);
            fft::put(v, frame, t);
        }
        __syncthreads();
        const int64_t first = done > begin ? done : begin;
        if (PACKED && p.pairs) {
            const int pairs = (int)(done + block::FRAMES - first) * (hop / 2);
            for (int i = (int)threadIdx.x; i < pairs; i += block::THREADS) {
                const int k = hops.quotient(i), phase = i - k * (hop / 2);
                const int64_t h = first + k, at = h * hop + 2 * phase - q.out_first;
                if (h - p.overlap >= least && h <= last && at >= 0 && at + 1 < q.count) {
                    const int from = base + (int)(h - p.overlap - done);
                    of.write_pair(at, phase, from < 0 ? from + rows : from, rows);
                } else {
                    of.write(h, 2 * phase, oldest, rows);
                    of.write(h, 2 * phase + 1, oldest, rows);
                }
            }
        } else {
            const int samples = (int)(done + block::FRAMES - first) * hop;
            for (int i = (int)threadIdx.x; i < samples; i += block::THREADS) {
                const int k = hops.quotient(i);
                of.write(first + k, i - k * hop, oldest, rows);
            }
        }
        base += block::FRAMES;
        base -= base >= rows ? rows : 0;
        __syncthreads();
    }
}

template <class R, bool PACKED> static const void *backward_kernel_of(int n) {
    switch (n) {
    case 16: return (const void *)backward_kernel<R, 16, PACKED>;
    case 32: return (const void *)backward_kernel<R, 32, PACKED>;
    case 64: return (const void *)backward_kernel<R, 64, PACKED>;
    case 128: return (const void *)backward_kernel<R, 128, PACKED>;
    case 256: return (const void *)backward_kernel<R, 256, PACKED>;
    case 512: return (const void *)backward_kernel<R, 512, PACKED>;
    case 1024: return (const void *)backward_kernel<R, 1024, PACKED>;
    case 2048: return (const void *)backward_kernel<R, 2048, PACKED>;
    default:
        if constexpr (sizeof(R) == 4)
            return (const void *)backward_kernel<R, 4096, PACKED>;
        else
            return nullptr;
    }
}

} // namespace gnd

// n: complex elements of a transform.
#ifdef GNDI_PART_real_floats
extern "C" const void *gndi_cuda_backward_real_floats(int n) {
    return gnd::backward_kernel_of<float, true>(n);
}
#endif
#ifdef GNDI_PART_real_doubles
extern "C" const void *gndi_cuda_backward_real_doubles(int n) {
    return gnd::backward_kernel_of<double, true>(n);
}
#endif
#ifdef GNDI_PART_complex_floats
extern "C" const void *gndi_cuda_backward_complex_floats(int n) {
    return gnd::backward_kernel_of<float, false>(n);
}
#endif
#ifdef GNDI_PART_complex_doubles
extern "C" const void *gndi_cuda_backward_complex_doubles(int n) {
    return gnd::backward_kernel_of<double, false>(n);
}
#endif
