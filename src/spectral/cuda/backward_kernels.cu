// backward_kernels.cu: inverse short-time transforms of frames of 2^n elements in one launch: a block transforms some
// frames back at a time, and adds up, in their order, those of the samples that have all of their frames then. The last
// frames stay in shared memory for the samples of the next ones. The first ones of a block reach into its samples from
// those of the block before, which transforms them, too.
#include "spectral/cuda/stft_registers.cuh"

namespace gnd {

template <class R, int N, bool PACKED> struct backward {
    typedef register_block<R, N> block;
    typedef register_fft<R, N> fft;
    const gndi_istft_params &p;
    const gndi_istft_plan &q;
    block m;
    int64_t line;

    // The bins of a frame as elements, by shared memory. Packed, element 0 has those of bins 0 and N, which are real.
    __device__ __forceinline__ void load(int64_t f, number<R> *v, number<R> *frame, int t) const {
        const char *const z = q.z + gndi_line_of_x(&q.grid, line) + (f - q.frame_first) * q.frame_step;
        if (p.dense) {
            const number<R> *from = reinterpret_cast<const number<R> *>(z);
#pragma unroll
            for (int e = 0; e < block::E; e++) v[e] = from[t + e * block::SHARE];
            if (PACKED && t == 0) v[0].im = from[N].re;
            fft::put(v, frame, t);
        } else {
#pragma unroll 1
            for (int k = t; k < N; k += block::SHARE) {
                const complex<R> u = bin<R>(q, z, k);
                number<R> w = {u.re, u.im};
                if (PACKED && k == 0) w.im = bin<R>(q, z, N).re;
                frame[fft::offset(k)] = w;
            }
        }
        fft::wait();
        if (PACKED) {
#pragma unroll
            for (int e = 0; e < block::E; e++) v[e] = pack(frame, t + e * block::SHARE);
        } else {
            fft::get(v, frame, t);
        }
        fft::wait();
    }

    // even + i odd, of bins k and N + k: the mirror image of the latter is N - k.
    __device__ __forceinline__ number<R> pack(const number<R> *frame, int k) const {
        number<R> a = frame[fft::offset(k)], b = conj(frame[fft::offset(k == 0 ? 0 : N - k)]);
        if (k == 0) b = {a.im, 0}, a = {a.re, 0};
        const number<R> w = m.turns[k <= N / 2 ? k : N - k];
        const number<R> turn = {k <= N / 2 ? w.re : -w.re, -w.im};
        const number<R> sum = a + b, odd = (a - b) * turn;
        return {sum.re - odd.im, sum.im + odd.re};
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
        const R *window = reinterpret_cast<const R *>(q.window), *squares = reinterpret_cast<const R *>(q.squares);
        number<R> sum{};
        R norm = 0;
        int i = phase + (int)(h - first) * hop, row = (int)((uint32_t)(first - oldest) % (uint32_t)rows);
        for (int64_t f = first; f <= last; f++, i -= hop) {
            const number<R> v = sample_of(m.frames + row * fft::PITCH, i);
            const R w = window ? window[i] : (R)1;
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
};

template <class R, int N, bool PACKED>
__global__ void __launch_bounds__(register_block<R, N>::THREADS, register_block<R, N>::RESIDENT)
    backward_kernel(const __grid_constant__ gndi_istft_params p) {
    typedef register_block<R, N> block;
    typedef register_fft<R, N> fft;
    const gndi_istft_plan &q = p.plan;
    const backward<R, N, PACKED> of = {p, q, block::of(PACKED), blockIdx.x / p.runs};
    const int share = (int)threadIdx.x / block::SHARE, t = (int)threadIdx.x % block::SHARE;
    const int rows = block::FRAMES + p.overlap, hop = (int)q.hop;
    const pass_divisor hops = pass_divisor::of(hop);
    const int64_t begin = p.hop_first + blockIdx.x % p.runs * (p.batches * block::FRAMES - p.overlap);
    const int64_t oldest = begin - p.overlap, least = q.frame_first > 0 ? q.frame_first : 0;
    of.m.fill(PACKED);
    for (int batch = 0; batch < p.batches; batch++) {
        const int64_t done = oldest + batch * block::FRAMES, last = q.frame_first + q.frames - 1;
        if (done * hop >= q.out_first + q.count) break;
        int64_t f = done + share;
        number<R> *const frame = of.m.frames + (batch * block::FRAMES + share) % rows * fft::PITCH;
        f = f < least ? least : f > last ? last : f; // one that is there, though its samples are not read
        if (last >= least) {
            number<R> v[block::E];
            of.load(f, v, frame, t);
            fft::template run<1>(v, frame, of.m.roots, t);
            fft::put(v, frame, t);
        }
        __syncthreads();
        const int64_t first = done > begin ? done : begin;
        const int samples = (int)(done + block::FRAMES - first) * hop;
        for (int i = (int)threadIdx.x; i < samples; i += block::THREADS) {
            const int h = hops.quotient(i);
            of.write(first + h, i - h * hop, oldest, rows);
        }
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
#ifdef GNDI_PART_real
extern "C" const void *gndi_cuda_backward_real_kernel(bool wide, int n) {
    return wide ? gnd::backward_kernel_of<double, true>(n) : gnd::backward_kernel_of<float, true>(n);
}
#endif
#ifdef GNDI_PART_complex
extern "C" const void *gndi_cuda_backward_complex_kernel(bool wide, int n) {
    return wide ? gnd::backward_kernel_of<double, false>(n) : gnd::backward_kernel_of<float, false>(n);
}
#endif
