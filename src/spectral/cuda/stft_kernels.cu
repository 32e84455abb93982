// stft_kernels.cu: short-time Fourier transforms and their inverses.
//
// stft_kernel     A block reads the samples of some frames, times their window, to shared memory, transforms them there
//                 and writes their bins.
// frames_kernel   The same for cuFFT: a block writes a frame, or a piece of it, to a row of memory.
// trends_kernel   Sums of pieces of frames, for frames_kernel.
// inverse_kernel  A block reads the bins of some frames and transforms them back, to rows of memory.
// spectra_kernel  The same for cuFFT: a block writes a frame's bins to a row.
// overlap_kernel  A thread adds up a sample's frames, in their order.
#include "spectral/cuda/stft_device.cuh"

namespace gnd {

extern __shared__ __align__(16) char shared[];

// ---- trends -------------------------------------------------------------------------------------

// Where sample i of a frame lies in what is transformed.
GNDI_FN int rolled(const gndi_stft_plan &q, int i) {
    const int at = i - (int)q.roll;
    return at < 0 ? at + (int)q.nfft : at;
}

// By a warp, of a frame in shared memory, of real or complex numbers, which gets its window then.
template <class V, class R> GNDI_FN void take_trend(const gndi_stft_params &p, V *v, const R *window) {
    const int n = (int)p.plan.nperseg, lane = (int)threadIdx.x % WARP;
    const double middle = 0.5 * (double)(n - 1);
    trend s = {0, 0, 0, 0};
    for (int i = lane; i < n; i += WARP) add_element(s, as_complex(v[rolled(p.plan, i)]), i - middle);
    add_up_warp(s, WARP);
    finish_trend(s, p.plan, p.squares);
    for (int i = lane; i < n; i += WARP) {
        const int at = rolled(p.plan, i);
        complex<R> x = without(as_complex(v[at]), s, i - middle);
        if (window) x = scaled(x, window[i]);
        v[at] = as<V>(x);
    }
}

// A block's sums, in all threads.
GNDI_FN void add_up_block(trend &s) {
    __shared__ trend of_warp[WARPS];
    add_up_warp(s, WARP);
    if (threadIdx.x % WARP == 0) of_warp[threadIdx.x / WARP] = s;
    __syncthreads();
    s = of_warp[0];
    for (int w = 1; w < WARPS; w++) add_trend(s, of_warp[w]);
}

// A block's piece of a row for cuFFT.
struct row_piece {
    row_place at;
    int64_t row, begin, end; // row: from the first one of the launch on
    GNDI_FN row_piece of(const gndi_stft_params &p, int64_t length) {
        row_piece r;
        r.row = blockIdx.x / p.pieces;
        r.at = row_place::of(p.plan, p.row_first + r.row);
        r.begin = (int64_t)(blockIdx.x % p.pieces) * p.piece;
        r.end = r.begin + p.piece < length ? r.begin + p.piece : length;
        return r;
    }
};

// Calls `what` of the number and the value of each sample of a piece. Where no border is near, loads do not wait for
// each other.
template <class T, class Do>
GNDI_FN void each_sample(const gndi_stft_plan &q, const T *x, const row_piece &r, const Do &what) {
    const int64_t start = r.at.start;
    if (start + r.begin >= 0 && start + r.end <= q.total) {
        const T *const from = x + (start - q.x_first);
#pragma unroll 4
        for (int64_t i = r.begin + threadIdx.x; i < r.end; i += THREADS) what(i, from[i]);
    } else {
        for (int64_t i = r.begin + threadIdx.x; i < r.end; i += THREADS) what(i, sample(q, x, start + i));
    }
}

// The sums of a piece of a frame in memory.
template <class T> GNDI_FN trend sum_piece(const gndi_stft_params &p, const T *x, const row_piece &r) {
    const double middle = 0.5 * (double)(p.plan.nperseg - 1);
    trend s = {0, 0, 0, 0};
    each_sample(p.plan, x, r, [&](int64_t i, T v) { add_element(s, as_complex(v), (double)i - middle); });
    add_up_block(s);
    return s;
}

// Of frames of several pieces: the sums of each.
template <class T> __global__ void __launch_bounds__(THREADS)
    trends_kernel(const __grid_constant__ gndi_stft_params p) {
    const row_piece r = row_piece::of(p, p.plan.nperseg);
    const trend s = sum_piece(p, line_of<T>(p.plan, r.at.line), r);
    if (threadIdx.x == 0) reinterpret_cast<trend *>(p.trends)[blockIdx.x] = s;
}

// A frame's trend: of its only piece, or by the sums of all.
template <class T> GNDI_FN trend find_trend(const gndi_stft_params &p, const T *x, const row_piece &r) {
    trend s = {0, 0, 0, 0};
    if (p.pieces == 1) {
        row_piece whole = r;
        whole.end = p.plan.nperseg;
        s = sum_piece(p, x, whole);
    } else {
        for (int64_t k = threadIdx.x; k < p.pieces; k += THREADS)
            add_trend(s, reinterpret_cast<const trend *>(p.trends)[r.row * p.pieces + k]);
        add_up_block(s);
    }
    finish_trend(s, p.plan, p.squares);
    return s;
}

// ---- transforms ---------------------------------------------------------------------------------

// The threads of a block by the frames they work on: groups of 2^t.group of them, an index for each.
struct share {
    int frame, frames, index, step;
    GNDI_FN share of(const gndi_stft_tiles &t) {
        const int tid = (int)threadIdx.x;
        return {tid >> t.group, THREADS >> t.group, tid & ((1 << t.group) - 1), 1 << t.group};
    }
};

// A block's memory: frames twice, the roots of their transforms, and those between them.
template <class R> struct block_memory {
    complex<R> *frames, *other, *wave, *turns;
    GNDI_FN block_memory of(const gndi_stft_tiles &t) {
        complex<R> *const memory = reinterpret_cast<complex<R> *>(shared), *const end =
                                                                               memory + 2 * t.length * t.frames;
        return {memory, memory + t.length * t.frames, end, end + t.length};
    }
};

// turns[k] = exp(pi i k / n): where a real frame is transformed as n complex numbers.
template <class R> GNDI_FN void fill_turns(complex<R> *turns, int n) {
    for (int k = (int)threadIdx.x; k < n; k += THREADS) {
        double re, im;
        sincospi((double)k / n, &im, &re);
        turns[k].re = (R)re, turns[k].im = (R)im;
    }
}

template <class R> GNDI_FN complex<R> *transform_frames(const gndi_stft_tiles &t, const block_memory<R> &m) {
    return transform<THREADS>(m.frames, m.other, m.wave, t.length, t.frames, t.factor, t.factors);
}

// The samples of a block's frames, of real or complex numbers, times their window and without their trend; of complex
// ones the conjugates, since transforms have exp(+ ...).
template <class T, class V> GNDI_FN void load_frames(const gndi_stft_params &p, int64_t row, int there, V *frames) {
    typedef real_t<T> R;
    const gndi_stft_plan &q = p.plan;
    const R *window = reinterpret_cast<const R *>(q.window), *now = q.trend == GNDI_TREND_NONE ? window : nullptr;
    const share s = share::of(p.t);
    const int n = (int)q.nfft, nperseg = (int)q.nperseg;
    for (int f = s.frame; f < p.t.frames; f += s.frames) {
        const row_place at = row_place::of(q, f < there ? row + f : row);
        const int64_t first = at.start;
        const bool inside = first >= 0 && first + nperseg <= q.total;
        const T *x = line_of<T>(q, at.line), *from = x + (first - q.x_first);
        for (int i = s.index; i < n; i += s.step) {
            complex<R> v{};
            if (f < there && i < nperseg) {
                v = conjugate(as_complex(inside ? from[i] : sample(q, x, first + i)));
                if (now) v = scaled(v, now[i]);
            }
            frames[f * n + rolled(q, i)] = as<V>(v);
        }
    }
    __syncthreads();
    if (q.trend == GNDI_TREND_NONE) return;
    for (int f = (int)threadIdx.x / WARP; f < there; f += WARPS) take_trend(p, frames + f * n, window);
    __syncthreads();
}

template <class T> __global__ void __launch_bounds__(THREADS) stft_kernel(const __grid_constant__ gndi_stft_params p) {
    typedef real_t<T> R;
    const gndi_stft_plan &q = p.plan;
    const block_memory<R> m = block_memory<R>::of(p.t);
    const share s = share::of(p.t);
    const int64_t tile = (int64_t)blockIdx.x * p.t.frames, row = p.row_first + tile;
    const int there = p.row_count - tile < p.t.frames ? (int)(p.row_count - tile) : p.t.frames;
    const int n = (int)q.nfft, bins = (int)gndi_stft_bins(n, q.half), half = n / 2;
    complex<R> *out = reinterpret_cast<complex<R> *>(p.to) + tile * bins;
    fill_wave<THREADS>(m.wave, p.t.length);
    if (p.t.packed) { // two real samples are a complex number
        fill_turns(m.turns, half);
        if constexpr (!is_complex<T>) load_frames<T>(p, row, there, reinterpret_cast<R *>(m.frames));
    } else {
        load_frames<T>(p, row, there, m.frames);
    }
    const complex<R> *spectra = transform_frames(p.t, m);
    for (int f = s.frame; f < there; f += s.frames) {
        const complex<R> *z = spectra + f * p.t.length;
        for (int k = s.index; k < bins; k += s.step) {
            complex<R> v;
            if (p.t.packed) { // z = even + i odd, and the result even + turn odd
                const complex<R> a = z[k < half ? k : 0], b = conjugate(z[k > 0 ? half - k : 0]);
                const complex<R> even = scaled(plus(a, b), (R)0.5), d = scaled(minus(a, b), (R)0.5);
                complex<R> odd, turn;
                odd.re = d.im, odd.im = -d.re;
                turn.re = -1, turn.im = 0;
                if (k < half) turn = m.turns[k];
                v = plus(even, times(turn, odd));
            } else {
                v = z[k];
            }
            out[f * bins + k] = conjugate(v);
        }
    }
}

template <class T> __global__ void __launch_bounds__(THREADS)
    frames_kernel(const __grid_constant__ gndi_stft_params p) {
    typedef real_t<T> R;
    const gndi_stft_plan &q = p.plan;
    const row_piece r = row_piece::of(p, q.nfft);
    const T *x = line_of<T>(q, r.at.line);
    const R *window = reinterpret_cast<const R *>(q.window);
    R *to = reinterpret_cast<R *>(p.rows) + r.row * q.nfft * (q.half ? 1 : 2);
    const double middle = 0.5 * (double)(q.nperseg - 1);
    trend s = {0, 0, 0, 0};
    if (q.trend != GNDI_TREND_NONE) s = find_trend(p, x, r);
    const auto store = [&](int64_t i, complex<R> v) {
        const int64_t at = i >= q.roll ? i - q.roll : i - q.roll + q.nfft;
        if (q.half)
            to[at] = v.re;
        else
            to[2 * at] = v.re, to[2 * at + 1] = v.im;
    };
    row_piece samples = r; // behind them are zeros
    if (samples.end > q.nperseg) samples.end = q.nperseg;
    each_sample(q, x, samples, [&](int64_t i, T from) {
        complex<R> v = as_complex(from);
        if (q.trend != GNDI_TREND_NONE) v = without(v, s, (double)i - middle);
        store(i, window ? scaled(v, window[i]) : v);
    });
    for (int64_t i = (r.begin > q.nperseg ? r.begin : q.nperseg) + threadIdx.x; i < r.end; i += THREADS)
        store(i, complex<R>{});
}

// ---- inverses -----------------------------------------------------------------------------------

// The bins of a block's frames, as transforms back want them.
template <class R>
GNDI_FN void load_spectra(const gndi_istft_params &p, const char *z, int there, const block_memory<R> &m) {
    const gndi_istft_plan &q = p.plan;
    const share s = share::of(p.t);
    const int n = (int)q.nfft, length = p.t.length, half = n / 2;
    for (int f = s.frame; f < p.t.frames; f += s.frames) {
        const char *frame = z + f * q.frame_step;
        for (int k = s.index; k < length; k += s.step) {
            complex<R> v{};
            if (f < there && p.t.packed) { // even + i odd, of bins k and k + n / 2
                const complex<R> a = bin<R>(q, frame, k), b = conjugate(bin<R>(q, frame, half - k));
                const complex<R> odd = times(minus(a, b), m.turns[k]);
                v = plus(a, b);
                v.re -= odd.im, v.im += odd.re;
            } else if (f < there) {
                const bool mirrored = q.half && k > half;
                v = bin<R>(q, frame, mirrored ? n - k : k);
                if (mirrored) v = conjugate(v);
            }
            m.frames[f * length + k] = v;
        }
    }
    __syncthreads();
}

template <class R> __global__ void __launch_bounds__(THREADS)
    inverse_kernel(const __grid_constant__ gndi_istft_params p) {
    const gndi_istft_plan &q = p.plan;
    const block_memory<R> m = block_memory<R>::of(p.t);
    const share s = share::of(p.t);
    const int64_t line = blockIdx.x / p.t.tiles, tile = blockIdx.x % p.t.tiles * p.t.frames;
    const int there = p.frames - tile < p.t.frames ? (int)(p.frames - tile) : p.t.frames;
    fill_wave<THREADS>(m.wave, p.t.length);
    if (p.t.packed) fill_turns(m.turns, p.t.length);
    __syncthreads();
    load_spectra(p, q.z + gndi_line_of_x(&q.grid, line) + (p.first + tile - q.frame_first) * q.frame_step, there, m);
    const complex<R> *samples = transform_frames(p.t, m);
    /* To rows, or where each sample is of one frame alone to their positions. */
    const int first = p.direct ? (int)q.skip : 0, end = (int)(p.direct ? q.nperseg : p.pitch);
    char *const to = p.direct ? q.out : p.work;
    for (int f = s.frame; f < there; f += s.frames) {
        const int64_t number = p.first + tile + f,
                      begin = p.direct ? number * q.hop - q.out_first : (line * p.frames + tile + f) * p.pitch;
        const int64_t offset = p.direct ? line * q.count : 0, most = p.direct ? q.count : INT64_MAX;
        const complex<R> *frame = samples + f * p.t.length;
        for (int i = first + s.index; i < end; i += s.step) {
            const int64_t at = begin + i;
            const int from = i >= (int)q.roll ? i - (int)q.roll : i - (int)q.roll + (int)q.nfft;
            if (at < 0 || at >= most) continue;
            if (p.t.packed)
                reinterpret_cast<R *>(to)[offset + at] = reinterpret_cast<const R *>(frame)[from];
            else if (q.half)
                reinterpret_cast<R *>(to)[offset + at] = frame[from].re;
            else
                reinterpret_cast<complex<R> *>(to)[offset + at] = frame[from];
        }
    }
}

template <class R> __global__ void __launch_bounds__(THREADS)
    spectra_kernel(const __grid_constant__ gndi_istft_params p) {
    const gndi_istft_plan &q = p.plan;
    const int64_t row = p.row_first + blockIdx.x, line = row / p.frames, bins = gndi_stft_bins(q.nfft, q.half);
    const int64_t f = p.first + row % p.frames - q.frame_first;
    const char *z = q.z + gndi_line_of_x(&q.grid, line) + f * q.frame_step;
    complex<R> *to = reinterpret_cast<complex<R> *>(p.rows) + blockIdx.x * bins;
    for (int64_t k = threadIdx.x; k < bins; k += THREADS) to[k] = bin<R>(q, z, k);
}

// R or complex<R> in T.
template <class T> __global__ void __launch_bounds__(THREADS)
    overlap_kernel(const __grid_constant__ gndi_istft_params p) {
    typedef real_t<T> R;
    const gndi_istft_plan &q = p.plan;
    const R *window = reinterpret_cast<const R *>(q.window), *squares = reinterpret_cast<const R *>(q.squares);
    const int64_t pieces = (p.out_count + GNDI_STFT_OUTPUTS - 1) / GNDI_STFT_OUTPUTS;
    const int64_t line = blockIdx.x / pieces, begin = blockIdx.x % pieces * GNDI_STFT_OUTPUTS;
    const int64_t end = begin + GNDI_STFT_OUTPUTS < p.out_count ? begin + GNDI_STFT_OUTPUTS : p.out_count;
    const T *work = reinterpret_cast<const T *>(p.work) + line * p.frames * p.pitch;
    T *out = reinterpret_cast<T *>(q.out) + line * q.count + p.out_begin;
    for (int64_t i = begin + threadIdx.x; i < end; i += THREADS) {
        const int64_t t = q.out_first + p.out_begin + i;
        int64_t from, to;
        gndi_istft_frames(&q, t, t, &from, &to);
        complex<R> sum{};
        R norm = 0;
        for (int64_t f = from; f < to; f++) {
            const int64_t at = t - f * q.hop;
            const int64_t from = at + p.roll < q.nfft ? at + p.roll : at + p.roll - q.nfft;
            const complex<R> v = as_complex(work[(f - p.first) * p.pitch + from]);
            const R w = window ? window[at] : (R)1;
            sum.re += v.re * w, sum.im += v.im * w;
            if (squares) norm += squares[at];
        }
        if (squares && norm > (R)LEAST_SQUARES) sum.re /= norm, sum.im /= norm;
        if constexpr (is_complex<T>)
            out[i] = sum;
        else
            out[i] = sum.re;
    }
}

template <class T> static const void *stft_kernel_of(gndi_stft_kernel which) {
    if (which == GNDI_STFT_TRENDS) return (const void *)trends_kernel<T>;
    return which == GNDI_STFT_BLOCKS ? (const void *)stft_kernel<T> : (const void *)frames_kernel<T>;
}

} // namespace gnd

#ifdef GNDI_PART_real
extern "C" const void *gndi_cuda_stft_real(bool wide, gndi_stft_kernel which) {
    return wide ? gnd::stft_kernel_of<double>(which) : gnd::stft_kernel_of<float>(which);
}
#endif
#ifdef GNDI_PART_complex
extern "C" const void *gndi_cuda_stft_complex(bool wide, gndi_stft_kernel which) {
    return wide ? gnd::stft_kernel_of<gnd::complex<double>>(which) : gnd::stft_kernel_of<gnd::complex<float>>(which);
}
#endif
#ifdef GNDI_PART_inverse
extern "C" const void *gndi_cuda_istft_kernel(bool wide, bool blocks) {
    using namespace gnd;
    if (wide) return blocks ? (const void *)inverse_kernel<double> : (const void *)spectra_kernel<double>;
    return blocks ? (const void *)inverse_kernel<float> : (const void *)spectra_kernel<float>;
}

extern "C" const void *gndi_cuda_overlap_kernel(bool wide, bool half) {
    using namespace gnd;
    if (wide) return half ? (const void *)overlap_kernel<double> : (const void *)overlap_kernel<complex<double>>;
    return half ? (const void *)overlap_kernel<float> : (const void *)overlap_kernel<complex<float>>;
}
#endif
