// stft_registers.cuh: samples of frames, without their trend and times their window, as elements in registers.
#ifndef GNDI_STFT_REGISTERS_CUH
#define GNDI_STFT_REGISTERS_CUH

#include "spectral/cuda/stft_results.cuh"

namespace gnd {

extern __shared__ __align__(16) char shared[];

// A block that transforms frames of N complex elements.
template <class R, int N> struct register_block {
    typedef register_fft<R, N> fft;
    static constexpr int SHARE = fft::THREADS, E = fft::E;        // threads of a frame, and their elements
    static constexpr int LEAST = sizeof(R) == 8 ? 128 : 256;      // gndi_register_tile_of
    static constexpr int THREADS = SHARE > LEAST ? SHARE : LEAST; // of the block
    static constexpr int FRAMES = THREADS / SHARE;
    static constexpr int RESIDENT = sizeof(R) == 8 ? 3 : 2;  // blocks of a multiprocessor that registers suffice for
    static constexpr int TEAM = SHARE > WARP ? SHARE : WARP; // threads that wait for each other

    // roots: fft::ROOTS; turns: exp(-pi i k / N) for k up to N / 2.
    number<R> *roots, *turns, *frames;
    GNDI_FN register_block of(bool packed) {
        number<R> *const memory = reinterpret_cast<number<R> *>(shared), *const turns = memory + fft::ROOTS;
        return {memory, turns, turns + (packed ? N / 2 + 2 : 0)};
    }
    static __device__ __forceinline__ number<R> root(double angle) {
        double re, im;
        sincospi(angle, &im, &re);
        return {(R)re, (R)im};
    }
    __device__ __forceinline__ void fill(bool packed) const {
        for (int i = (int)threadIdx.x; i < fft::ROOTS; i += THREADS) {
            const int k = i / SHARE + 1, t = i % SHARE;
            roots[i] = root(-2.0 * (t * k) / N);
        }
        for (int k = (int)threadIdx.x; packed && k <= N / 2; k += THREADS) turns[k] = root(-(double)k / N);
        __syncthreads();
    }
};

// The sums of a frame's threads, in all of them.
template <class R, int N> GNDI_FN void add_up_frame(trend &s) {
    constexpr int SHARE = register_block<R, N>::SHARE, THREADS = register_block<R, N>::THREADS;
    if constexpr (SHARE <= WARP) {
        add_up_warp(s, SHARE);
    } else {
        __shared__ trend of_warp[THREADS / WARP];
        const int first = (int)threadIdx.x / SHARE * (SHARE / WARP);
        add_up_warp(s, WARP);
        if (threadIdx.x % WARP == 0) of_warp[threadIdx.x / WARP] = s;
        register_fft<R, N>::wait();
        s = of_warp[first];
        for (int w = 1; w < SHARE / WARP; w++) add_trend(s, of_warp[first + w]);
        register_fft<R, N>::wait();
    }
}

// Frames that are read. PACKED: elements are two samples of a real frame; else one, or one of each of two frames.
template <class R, int N, bool PACKED> struct register_reader {
    typedef register_fft<R, N> fft;
    static constexpr int E = fft::E, SHARE = fft::THREADS;

    const gndi_stft_plan &q;
    double squares;
    int source;

    // The number of the sample that is the real part of element i; a packed element's imaginary part is the next one.
    GNDI_FN int number_of(int i) { return PACKED ? 2 * i : i; }
    GNDI_FN int later_of(int s) { return PACKED ? s + 1 : s; }
    __device__ __forceinline__ bool inside(const row_place &at) const {
        return at.start >= 0 && at.start + q.nperseg <= q.total;
    }

    // A part of sample s of a frame: of complex samples 0 or 1, of others 0.
    __device__ __forceinline__ R part_of(const row_place &at, int s, int part) const {
        const int64_t t = at.start + s;
        const int step = source == GNDI_REGISTERS_COMPLEX ? 2 : 1;
        const R *x = line_of<R>(q, at.line) - q.x_first * step + part;
        if (t >= 0 && t < q.total) return x[t * step];
        if (q.border == GNDI_BORDER_CONSTANT || t < -q.extend || (t >= 0 && t - q.total >= q.extend)) return 0;
        const int64_t edge = t < 0 ? 0 : q.total - 1, mirror = t < 0 ? -t : 2 * edge - t;
        if (q.border == GNDI_BORDER_NEAREST) return x[edge * step];
        const R v = x[mirror * step];
        return q.border == GNDI_BORDER_MIRROR ? v : 2 * x[edge * step] - v;
    }

    // Frames that stick out of their signal, through shared memory, a real number at a time.
    __device__ __forceinline__ void read_edge(const row_place &a, const row_place &b, bool b_there, number<R> *v,
                                              number<R> *frame, int t) const {
        const bool is_complex = source == GNDI_REGISTERS_COMPLEX;
        R *const to = reinterpret_cast<R *>(frame);
#pragma unroll 1
        for (int i = t; i < 2 * N; i += SHARE) {
            const int e = i / 2, part = i % 2, s = PACKED ? i : e;
            const bool there = s < (int)q.nperseg && (PACKED || part == 0 || is_complex || b_there);
            const row_place at = !PACKED && !is_complex && part ? b : a;
            to[2 * fft::offset(e) + part] = there ? part_of(at, s, is_complex ? part : 0) : (R)0;
        }
        fft::wait();
        fft::get(v, frame, t);
        fft::wait();
    }

    // Elements of frame a, or of a and b; b_there: else b's are zeros.
    __device__ __forceinline__ void read(const row_place &a, const row_place &b, bool b_there, number<R> *v,
                                         number<R> *frame, int t) const {
        const int nperseg = (int)q.nperseg;
        const bool is_complex = source == GNDI_REGISTERS_COMPLEX, pairs = PACKED || is_complex;
        const R *x = line_of<R>(q, a.line) + (a.start - q.x_first) * (is_complex ? 2 : 1);
        const R *y = pairs ? x + 1 : line_of<R>(q, b.line) + (b.start - q.x_first);
        bool edge = !inside(a) || (b_there && !inside(b)) || (PACKED && nperseg % 2);
        if constexpr (SHARE < WARP) edge = __any_sync(0xffffffff, edge); // all frames of a warp wait for each other
        if (edge) {
            read_edge(a, b, b_there, v, frame, t);
        } else if (pairs && reinterpret_cast<uint64_t>(x) % sizeof(number<R>) == 0) {
            const number<R> *from = reinterpret_cast<const number<R> *>(x) + t;
#pragma unroll
            for (int e = 0; e < E; e++) v[e] = number_of(t + e * SHARE) < nperseg ? from[e * SHARE] : number<R>{};
        } else if (pairs) {
            const R *from = x + 2 * t;
#pragma unroll
            for (int e = 0; e < E; e++) {
                const bool there = number_of(t + e * SHARE) < nperseg;
                v[e].re = there ? from[2 * e * SHARE] : (R)0, v[e].im = there ? from[2 * e * SHARE + 1] : (R)0;
            }
        } else {
            const R *from = x + t, *of_b = y + t;
#pragma unroll
            for (int e = 0; e < E; e++) {
                const bool there = t + e * SHARE < nperseg;
                v[e].re = there ? from[e * SHARE] : (R)0, v[e].im = there && b_there ? of_b[e * SHARE] : (R)0;
            }
        }
    }

    // Keeps the compiler from keeping all elements as doubles, too, for which there are too few registers.
    GNDI_FN void forget(number<R> *v) {
#ifdef __CUDACC__
#    pragma unroll
        for (int e = 0; e < E; e++) asm volatile("" : "+f"(v[e].re), "+f"(v[e].im));
#endif
    }

    // Takes off the trend. Elements behind nperseg stay zeros.
    __device__ __forceinline__ void take_trend(number<R> *v, int t) const {
        const bool linear = q.trend == GNDI_TREND_LINEAR;
        const double middle = 0.5 * (double)(q.nperseg - 1);
        double first = (double)number_of(t) - middle;
        trend s = {0, 0, 0, 0};
#ifdef __CUDACC__
        asm volatile("" : "+d"(first)); // the distances of all elements, kept from frame to frame, would spill
#endif
#pragma unroll
        for (int e = 0; e < E; e++) s.re += (double)v[e].re, s.im += (double)v[e].im;
        if (linear) {
            if constexpr (sizeof(R) == 4) forget(v);
#pragma unroll
            for (int e = 0; e < E; e++) {
                const double d = first + (double)number_of(e * SHARE);
                s.re_slope += d * (double)v[e].re, s.im_slope += (d + (PACKED ? 1 : 0)) * (double)v[e].im;
            }
        }
        add_up_frame<R, N>(s);
        if constexpr (sizeof(R) == 4) forget(v);
        if (PACKED) {
            s.re += s.im, s.re_slope += s.im_slope;
            s.im = s.re, s.im_slope = s.re_slope;
        }
        finish_trend(s, q, squares);
#pragma unroll
        for (int e = 0; e < E; e++) {
            double re = s.re, im = s.im;
            if (linear) {
                const double d = first + (double)number_of(e * SHARE);
                re += s.re_slope * d, im += s.im_slope * (d + (PACKED ? 1 : 0));
            }
            const int i = number_of(t + e * SHARE);
            v[e].re = i < (int)q.nperseg ? (R)((double)v[e].re - re) : (R)0;
            v[e].im = later_of(i) < (int)q.nperseg ? (R)((double)v[e].im - im) : (R)0;
        }
    }

    __device__ __forceinline__ void multiply(number<R> *v, int t) const {
        const R *w = reinterpret_cast<const R *>(q.window) + number_of(t);
        const int nperseg = (int)q.nperseg;
        if (!q.window) return;
#pragma unroll
        for (int e = 0; e < E; e++) {
            const int i = number_of(t + e * SHARE);
            const R by = i < nperseg ? w[number_of(e * SHARE)] : (R)0;
            v[e].re *= by;
            v[e].im *= PACKED ? (later_of(i) < nperseg ? w[number_of(e * SHARE) + 1] : (R)0) : by;
        }
    }

    // Sample i to number (i - roll) mod nfft.
    __device__ __forceinline__ void roll(number<R> *v, number<R> *frame, int t) const {
        R *const to = reinterpret_cast<R *>(frame);
#pragma unroll
        for (int e = 0; e < E; e++) {
            const R parts[2] = {v[e].re, v[e].im};
#pragma unroll
            for (int part = 0; part < 2; part++) {
                int at = number_of(t + e * SHARE) + (PACKED ? part : 0) - (int)q.roll;
                at += at < 0 ? (int)q.nfft : 0;
                to[PACKED ? 2 * fft::offset(at / 2) + at % 2 : 2 * fft::offset(at) + part] = parts[part];
            }
        }
        fft::wait();
        fft::get(v, frame, t);
        fft::wait();
    }

    __device__ __forceinline__ void load(const row_place &a, const row_place &b, bool b_there, number<R> *v,
                                         number<R> *frame, int t) const {
        read(a, b, b_there, v, frame, t);
        if (q.trend != GNDI_TREND_NONE) take_trend(v, t);
        multiply(v, t);
        if (q.roll) roll(v, frame, t);
    }
};

} // namespace gnd

#endif
