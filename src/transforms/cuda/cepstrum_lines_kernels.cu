// cepstrum_lines_kernels.cu: real cepstra of long lines of n = N1 N2 numbers, N1 rows of N2 columns, in three launches
// (D. H. Bailey, "FFTs in external or hierarchical memory", 1990). With w = exp(-2 pi i / n):
//
//     forth    G[k1][n2] = w^(k1 n2) sum over n1 of x[N2 n1 + n2] exp(-2 pi i k1 n1 / N1)
//     middle   X[k1 + N1 k2] = sum over n2 of G[k1][n2] exp(-2 pi i k2 n2 / N2),  L = log|X| / n
//              U[k1][n2] = w^(-k1 n2) sum over k2 of L[k1 + N1 k2] exp(2 pi i k2 n2 / N2)
//     back     c[N2 n1 + n2] = sum over k1 of U[k1][n2] exp(2 pi i k1 n1 / N1)
//
// X[-k] is the conjugate of X[k], so that rows up to N1 / 2 have all of it; so it is with U. L is even, so is c, and
// columns up to N2 / 2 have all of it. Where the input of a transform is real, or its result, one complex transform
// does two of them: neighbouring columns or rows.
//
// 10^6 numbers are 500 transforms of 1000, then 501 and 251, then 251; the 4 MB between the launches stay in the L2
// cache.
#include "fft/cuda/fft_mixed.cuh"
#include "kernels/cuda/early_start.cuh"
#include "kernels/scalar/scalar_math.h"
#include "transforms/cuda/cepstrum_lines_params.h"

namespace gnd {

namespace cepstrum {

constexpr int THREADS = GNDI_CEPSTRUM_THREADS, TILE = GNDI_CEPSTRUM_TILE;
using mixed::divisor, mixed::pair, mixed::small, mixed::times, mixed::two_real;

extern __shared__ __align__(16) char shared[];

// ---- transforms in shared memory ----------------------------------------------------------------

GNDI_FN int slot(int i) { // in shared memory
    return i + (i >> 4);
}

// One of Stockham's passes, of radix r behind passes whose product is `stride`, of some transforms of n elements.
template <int r>
GNDI_FN void pass(const pair *from, pair *to, const pair *roots, int n, int pitch, int stride, int transforms) {
    const int part = n / r;
    const divisor parts = divisor::of(part), strides = divisor::of(stride);
    for (int e = (int)threadIdx.x; e < transforms * part; e += THREADS) {
        const int which = parts.quotient(e), b = e - which * part, turn = strides.quotient(b) * stride;
        const int at = turn * r + b - turn;
        const pair *const in = from + which * pitch;
        pair *const out = to + which * pitch;
        pair x[r], w[r];
#pragma unroll
        for (int j = 0; j < r; j++) x[j] = in[slot(b + j * part)];
        small<r>(x);
        out[slot(at)] = x[0];
        // Odd powers of a root lie in different banks, and even ones are products of two of these.
#pragma unroll
        for (int k = 1; k < r; k++) {
            w[k] = k % 2 ? roots[turn * k] : w[k / 2 - (k % 4 == 0)] * w[k / 2 + (k % 4 == 0)];
            out[slot(at + k * stride)] = x[k] * w[k];
        }
    }
}

// Transforms `transforms` of n elements, forward; where the results are: in `from` or in `to`. Waits before and behind.
__device__ __noinline__ pair *transform(pair *from, pair *to, const pair *roots, int n, const int *radix, int radices,
                                        int transforms) {
    const int pitch = GNDI_CEPSTRUM_PITCH(n);
    int stride = 1;
    for (int i = 0; i < radices; i++) {
        __syncthreads();
        switch (radix[i]) {
        case 10: pass<10>(from, to, roots, n, pitch, stride, transforms); break;
        case 8: pass<8>(from, to, roots, n, pitch, stride, transforms); break;
        case 5: pass<5>(from, to, roots, n, pitch, stride, transforms); break;
        case 4: pass<4>(from, to, roots, n, pitch, stride, transforms); break;
        case 3: pass<3>(from, to, roots, n, pitch, stride, transforms); break;
        default: pass<2>(from, to, roots, n, pitch, stride, transforms);
        }
        stride *= radix[i];
        pair *const other = from;
        from = to, to = other;
    }
    __syncthreads();
    return from;
}

// ---- a block ------------------------------------------------------------------------------------

// A block's memory: transforms of n elements, twice, and the roots exp(-2 pi i k / n).
struct block {
    pair *frames, *other, *roots;
    int n, pitch;
    uint32_t parts; // the line's elements over n
    float angle;    // of a line's root
    GNDI_FN block of(int n, int64_t line, int tile) {
        pair *const memory = reinterpret_cast<pair *>(shared);
        const int pitch = GNDI_CEPSTRUM_PITCH(n);
        return {memory,
                memory + tile * pitch,
                memory + 2 * tile * pitch,
                n,
                pitch,
                (uint32_t)(line / n),
                (float)(6.283185307179586477 / (double)line)};
    }
    __device__ __forceinline__ void fill_roots() const {
        for (int k = (int)threadIdx.x; k <= n / 2; k += THREADS) {
            double re, im;
            sincospi(2.0 * k / n, &im, &re);
            if (k > 0) roots[n - k] = {(float)re, (float)im};
            if (2 * k < n || n == 1) roots[k] = {(float)re, (float)-im};
        }
    }
    // exp(-2 pi i k / line): a root of n, and the series of a small angle.
    __device__ __forceinline__ pair root(uint32_t k) const {
        const uint32_t high = k / parts, low = k - high * parts;
        const float x = (float)low * angle, y = x * x;
        return roots[high] * pair{1 - y * (0.5f - y * (1 / 24.f)), -x * (1 - y * (1 / 6.f - y * (1 / 120.f)))};
    }
};

// ---- the kernels --------------------------------------------------------------------------------

__global__ void __launch_bounds__(THREADS) forth_kernel(const __grid_constant__ gndi_cepstrum_lines_params p) {
    const int n = p.plan.rows, columns = p.plan.columns, pairs = columns / 2, half = n / 2 + 1;
    const int tiles = (pairs + TILE - 1) / TILE, first = (int)(blockIdx.x % tiles) * TILE;
    const int64_t line = blockIdx.x / tiles, size = (int64_t)n * columns;
    const block m = block::of(n, size, TILE);
    m.fill_roots();
    start_early();
    const pair *const x = reinterpret_cast<const pair *>(p.plan.x + line * size) + first;
#pragma unroll 4
    for (int e = (int)threadIdx.x; e < n * TILE; e += THREADS) {
        const int f = e % TILE, i = e / TILE;
        m.frames[f * m.pitch + slot(i)] = first + f < pairs ? x[i * pairs + f] : pair{0, 0};
    }
    const pair *const z = transform(m.frames, m.other, m.roots, n, p.column_radix, p.column_radices, TILE);
    float4 *const out = reinterpret_cast<float4 *>(p.work) + line * half * pairs + first;
#pragma unroll 2
    for (int e = (int)threadIdx.x; e < half * TILE; e += THREADS) {
        const int f = e % TILE, k = e / TILE;
        const pair *const own = z + f * m.pitch;
        const two_real v = two_real::of(own[slot(k)], own[slot(k ? n - k : 0)]);
        const uint32_t turn = (uint32_t)(2 * k * (first + f));
        if (first + f >= pairs) continue;
        const pair a = times(0.5f, v.a) * m.root(turn), b = times(0.5f, v.b) * m.root(turn + (uint32_t)k);
        out[k * pairs + f] = float4{a.re, a.im, b.re, b.im};
    }
}

GNDI_FN float log_magnitude(pair z, float factor) {
    const float square = z.re * z.re + z.im * z.im;
    if (square > 1e-30f && square < 1e30f) return 0.5f * factor * m::log(square);
    const double re = (double)z.re, im = (double)z.im; // whose squares may be beyond floats
    return (float)(0.5 * (double)factor * m::log(re * re + im * im));
}

__global__ void __launch_bounds__(THREADS) middle_kernel(const __grid_constant__ gndi_cepstrum_lines_params p) {
    const int n = p.plan.columns, half = p.plan.rows / 2 + 1;
    const int tiles = (half + TILE - 1) / TILE, first = (int)(blockIdx.x % tiles) * TILE;
    const int rows = half - first < TILE ? half - first : TILE;
    const int64_t line = blockIdx.x / tiles;
    const block m = block::of(n, (int64_t)n * p.plan.rows, TILE);
    const divisor lengths = divisor::of(n);
    const float factor = 1 / ((float)n * (float)p.plan.rows);
    m.fill_roots();
    start_early();
    pair *const work = reinterpret_cast<pair *>(p.work) + (line * half + first) * n;
#pragma unroll 4
    for (int e = (int)threadIdx.x; e < n * rows; e += THREADS) {
        const int f = lengths.quotient(e);
        m.frames[f * m.pitch + slot(e - f * n)] = work[e];
    }
    pair *const z = transform(m.frames, m.other, m.roots, n, p.row_radix, p.row_radices, rows);
    pair *const logs = z == m.frames ? m.other : m.frames;
    const int both = (rows + 1) / 2; // the conjugate of one row and i times the next one: for the inverse
#pragma unroll 2
    for (int e = (int)threadIdx.x; e < n * both; e += THREADS) {
        const int f = lengths.quotient(e), i = slot(e - f * n);
        const pair *const row = z + 2 * f * m.pitch + i;
        logs[f * m.pitch + i] = {log_magnitude(row[0], factor),
                                 2 * f + 1 < rows ? -log_magnitude(row[m.pitch], factor) : 0};
    }
    const pair *const back = transform(logs, z, m.roots, n, p.row_radix, p.row_radices, both);
    for (int f = 0; f < both; f++) {
        const pair *const own = back + f * m.pitch;
        const uint32_t row = (uint32_t)(first + 2 * f);
        for (int i = (int)threadIdx.x; i <= n / 2; i += THREADS) {
            const two_real v = two_real::of(conj(own[slot(i)]), conj(own[slot(i ? n - i : 0)]));
            pair *const to = work + 2 * f * n + i;
            to[0] = times(0.5f, v.a) * conj(m.root(row * (uint32_t)i));
            if (2 * f + 1 < rows) to[n] = times(0.5f, v.b) * conj(m.root((row + 1) * (uint32_t)i));
        }
    }
}

__global__ void __launch_bounds__(THREADS) back_kernel(const __grid_constant__ gndi_cepstrum_lines_params p) {
    constexpr int PAIRS = TILE / 2;
    const int n = p.plan.rows, columns = p.plan.columns, half = n / 2 + 1, middle = columns / 2;
    const int pairs = columns / 4 + 1, tiles = (pairs + PAIRS - 1) / PAIRS;
    const int first = (int)(blockIdx.x % tiles) * PAIRS;
    const int64_t line = blockIdx.x / tiles, size = (int64_t)n * columns;
    const block m = block::of(n, size, PAIRS);
    m.fill_roots();
    start_early();
    const pair *const work = reinterpret_cast<const pair *>(p.work) + line * half * columns;
    // The conjugate of a + i b, whose halves that are not in memory are the conjugates of those that are.
#pragma unroll 2
    for (int e = (int)threadIdx.x; e < half * PAIRS; e += THREADS) {
        const int f = e % PAIRS, k = e / PAIRS, column = 2 * (first + f);
        pair a{0, 0}, b{0, 0};
        if (column <= middle) a = work[k * columns + column];
        if (column < middle) b = work[k * columns + column + 1];
        const bool alone = k == 0 || 2 * k == n;
        if (alone) a.im = b.im = 0;
        pair *const frame = m.frames + f * m.pitch;
        frame[slot(k)] = {a.re - b.im, -a.im - b.re};
        if (!alone) frame[slot(n - k)] = {a.re + b.im, a.im - b.re};
    }
    const pair *const z = transform(m.frames, m.other, m.roots, n, p.column_radix, p.column_radices, PAIRS);
    float *const out = p.plan.out + line * size;
    for (int e = (int)threadIdx.x; e < n * 2 * PAIRS; e += THREADS) {
        const int f = e % (2 * PAIRS), i = e / (2 * PAIRS), column = 2 * first + f;
        const pair v = z[f / 2 * m.pitch + slot(i)];
        const float c = f % 2 ? -v.im : v.re;
        const int at = i * columns + column;
        if (column > middle) continue;
        out[at] = c;
        if (column > 0 && column < middle) out[(int)size - at] = c;
    }
}

} // namespace cepstrum

} // namespace gnd

extern "C" const void *gndi_cuda_cepstrum_kernel(gndi_cepstrum_step step) {
    using namespace gnd::cepstrum;
    switch (step) {
    case GNDI_CEPSTRUM_FORTH: return (const void *)forth_kernel;
    case GNDI_CEPSTRUM_MIDDLE: return (const void *)middle_kernel;
    default: return (const void *)back_kernel;
    }
}
