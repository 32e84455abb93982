// frames_kernels.cu: transforms of frames of 2^n elements in one launch: a block reads the samples of some frames to
// registers, transforms them, and writes their bins or the powers of these; then the next ones. A real frame is
// transformed as half as many complex numbers.
#include "spectral/cuda/stft_registers.cuh"
#include "kernels/cuda/early_start.cuh"

namespace gnd {

// Bins of a real frame, of the transform z of its pairs: bin k and its mirror image are made of the same two elements.
template <class R, int N> GNDI_FN void split(const gndi_stft_plan &q, char *to, int64_t at, const number<R> *z,
                                             const number<R> *turns, R factor, R inner, int lane, int lanes) {
    typedef register_fft<R, N> fft;
    const bool powers = q.result == GNDI_STFT_POWERS;
    for (int k = lane; k < N / 2; k += lanes) {
        const number<R> a = z[fft::offset(k)], b = conj(z[fft::offset(k == 0 ? 0 : N - k)]);
        if (k == 0) { // sums and differences of real numbers; half a turn further on, the middle
            const number<R> first = {a.re + a.im, 0}, last = {a.re - a.im, 0};
            store_bin(powers, to, at, factor, first);
            store_bin(powers, to, at + N, factor, last);
            store_bin(powers, to, at + N / 2, inner, conj(z[fft::offset(N / 2)]));
            continue;
        }
        const R half = (R)0.5;
        const number<R> even = {(a.re + b.re) * half, (a.im + b.im) * half};
        const number<R> odd = turns[k] * number<R>{(a.im - b.im) * half, (b.re - a.re) * half};
        store_bin(powers, to, at + k, inner, even + odd);
        store_bin(powers, to, at + N - k, inner, conj(even - odd));
    }
}

template <class R, int N, bool PACKED>
__global__ void __launch_bounds__(register_block<R, N>::THREADS, register_block<R, N>::RESIDENT)
    frames_kernel(const __grid_constant__ gndi_stft_params p) {
    typedef register_block<R, N> block;
    typedef typename block::fft fft;
    start_early();
    const gndi_stft_plan &q = p.plan;
    const block m = block::of(PACKED);
    const register_reader<R, N, PACKED> reader = {q, p.squares, p.source};
    const int share = (int)threadIdx.x / block::SHARE, t = (int)threadIdx.x % block::SHARE;
    const int lane = (int)threadIdx.x % block::TEAM, team = (int)threadIdx.x / block::TEAM;
    constexpr int OF_TEAM = block::TEAM / block::SHARE;
    const int64_t bins = gndi_stft_bins(q.nfft, q.half);
    const R factor = (R)q.scale, inner = (R)(PACKED ? q.scale * q.inner : q.scale);
    number<R> *const frame = m.frames + share * fft::PITCH;
    m.fill(PACKED);
    for (int64_t tile = (int64_t)blockIdx.x * block::FRAMES; tile < p.row_count;
         tile += (int64_t)gridDim.x * block::FRAMES) {
        const int64_t mine = tile + share < p.row_count ? tile + share : p.row_count - 1;
        const row_place at = row_place::of(q, p.row_first + mine);
        number<R> v[block::E];
        reader.load(at, at, false, v, frame, t);
        fft::template run<-1>(v, frame, m.roots, t);
        fft::put(v, frame, t);
        fft::wait();
        for (int f = 0; f < OF_TEAM; f++) {
            const int64_t row = tile + team * OF_TEAM + f;
            const number<R> *z = m.frames + (team * OF_TEAM + f) * fft::PITCH;
            if (row >= p.row_count) break;
            if constexpr (PACKED) {
                split<R, N>(q, p.to, row * bins, z, m.turns, factor, inner, lane, block::TEAM);
            } else {
                for (int k = lane; k < N; k += block::TEAM)
                    store_bin(q.result == GNDI_STFT_POWERS, p.to, row * N + gndi_stft_place(k, N, q.centered), factor,
                              z[fft::offset(k)]);
            }
        }
        fft::wait();
    }
}

template <class R, bool PACKED> static const void *frames_kernel_of(int n) {
    switch (n) {
    case 16: return (const void *)frames_kernel<R, 16, PACKED>;
    case 32: return (const void *)frames_kernel<R, 32, PACKED>;
    case 64: return (const void *)frames_kernel<R, 64, PACKED>;
    case 128: return (const void *)frames_kernel<R, 128, PACKED>;
    case 256: return (const void *)frames_kernel<R, 256, PACKED>;
    case 512: return (const void *)frames_kernel<R, 512, PACKED>;
    case 1024: return (const void *)frames_kernel<R, 1024, PACKED>;
    case 2048: return (const void *)frames_kernel<R, 2048, PACKED>;
    default:
        if constexpr (sizeof(R) == 4)
            return (const void *)frames_kernel<R, 4096, PACKED>;
        else
            return nullptr;
    }
}

} // namespace gnd

// n: complex elements of a transform.
#ifdef GNDI_PART_packed_floats
extern "C" const void *gndi_cuda_packed_frames_floats(int n) {
    return gnd::frames_kernel_of<float, true>(n);
}
#endif
#ifdef GNDI_PART_packed_doubles
extern "C" const void *gndi_cuda_packed_frames_doubles(int n) {
    return gnd::frames_kernel_of<double, true>(n);
}
#endif
#ifdef GNDI_PART_whole_floats
extern "C" const void *gndi_cuda_whole_frames_floats(int n) {
    return gnd::frames_kernel_of<float, false>(n);
}
#endif
#ifdef GNDI_PART_whole_doubles
extern "C" const void *gndi_cuda_whole_frames_doubles(int n) {
    return gnd::frames_kernel_of<double, false>(n);
}
#endif
