// cepstrum_million_kernels.cu: real cepstra of lines of 10^6 numbers, which are 1000 rows of 1000 columns, in the three
// launches that cepstrum_lines_kernels.cu describes. A thread has ten elements of a transform in registers, 100 apart,
// before each of its three passes and behind the last one: it loads them at once and stores them at once, and they
// change threads twice, through shared memory. All offsets are known when this is compiled, and roots of unity are
// read from a table while the kernel before still runs.
//
//     forth    500 transforms of two neighbouring columns of x, not yet told apart: F[k1][n2 / 2]
//     middle   two rows a block: tells the columns apart, turns them, transforms them, and takes the logarithms;
//              both rows go back in one transform: U[k1][n2] for n2 up to 500
//     back     251 transforms of two neighbouring columns of U; where the result is to be causal, it is folded here
//
// The signal of minimum phase that a causal cepstrum belongs to takes the same steps, with exponentials for logarithms,
// which are complex: each row goes back by itself, to all 1000 columns of U, and 500 transforms are the last step.
#include "fft/cuda/fft_mixed.cuh"
#include "kernels/cuda/early_start.cuh"
#include "kernels/scalar/scalar_math.h"
#include "transforms/cuda/cepstrum_lines_params.h"

namespace gnd {

namespace million {

using mixed::pair, mixed::small, mixed::times, mixed::two_real;

constexpr int R = 10, PART = R * R, N = R * PART; // PART threads a transform
constexpr int HALF = N / 2, PAIRS = N / 2;
constexpr int SPREAD = N + PART; // elements of a transform in shared memory, with a gap behind each ten
constexpr int FORTH_TILE = GNDI_MILLION_FORTH_TILE, BACK_TILE = GNDI_MILLION_BACK_TILE, U_PITCH = GNDI_MILLION_PITCH;

// ---- roots of unity -----------------------------------------------------------------------------

struct roots_of_unity {
    pair root[R - 1][PART]; // exp(-2 pi i k b / N) at [k - 1][b]
};

// The series at x and its derivative, |x| <= pi.
constexpr double series(double x, int first) {
    double term = first ? x : 1, sum = 0;
    for (int i = first; i < 40; i += 2) {
        sum += term;
        term *= -x * x / ((i + 1) * (i + 2));
    }
    return sum;
}
constexpr roots_of_unity make_roots() {
    roots_of_unity all{};
    for (int k = 1; k < R; k++)
        for (int b = 0; b < PART; b++) {
            const int turn = k * b > N / 2 ? k * b - N : k * b;
            const double x = 6.283185307179586476925 * turn / N;
            all.root[k - 1][b] = {(float)series(x, 0), (float)-series(x, 1)};
        }
    return all;
}
GNDI_TABLE roots_of_unity roots = make_roots();

// Of element b of the first pass or 10 (b / 10) of the second one.
GNDI_FN void load_roots(pair *w, int b) {
#pragma unroll
    for (int k = 1; k < R; k++) w[k] = roots.root[k - 1][b];
}

// exp(-i x), |x| < 0.4.
GNDI_FN pair turn_by(float x) {
    const float y = x * x;
    const float sine = y * (-1 / 6.f + y * (1 / 120.f - y * (1 / 5040.f)));
    const float cosine = y * (-0.5f + y * (1 / 24.f - y * (1 / 720.f - y * (1 / 40320.f))));
    return {1 + cosine, -(x + x * sine)};
}

// ---- transforms ---------------------------------------------------------------------------------

template <int TILE> struct exchange {
    static constexpr int BUFFERS = TILE > 2 ? 1 : 2; // 48 KB; one needs another barrier
    pair buffer[BUFFERS][SPREAD * TILE];
};

// In: elements b + 100 j of transform f in v[j]; out: the same of the result. All threads of a block come here, and
// those that `work` have a transform. w: the roots of b.
template <int TILE> GNDI_FN void transform(pair *v, const pair *w, exchange<TILE> &memory, int b, int f, bool work) {
    constexpr int LAST = exchange<TILE>::BUFFERS - 1;
    const int ten = b / R, digit = b - ten * R;
    pair *const first = memory.buffer[0] + f, *const second = memory.buffer[LAST] + f;
    pair w2[R];
    if (work) {
        small<R>(v);
#pragma unroll
        for (int k = 0; k < R; k++) first[((R + 1) * b + k) * TILE] = k ? v[k] * w[k] : v[k];
        load_roots(w2, ten * R);
    }
    __syncthreads();
    if (work) {
#pragma unroll
        for (int j = 0; j < R; j++) v[j] = first[(b + ten + (PART + R) * j) * TILE];
        small<R>(v);
    }
    if (LAST == 0) __syncthreads();
    if (work) {
#pragma unroll
        for (int k = 0; k < R; k++) second[((PART + R) * ten + digit + (R + 1) * k) * TILE] = k ? v[k] * w2[k] : v[k];
    }
    __syncthreads();
    if (work) {
#pragma unroll
        for (int j = 0; j < R; j++) v[j] = second[(b + ten + (PART + R) * j) * TILE];
        small<R>(v);
    }
}

// ---- the kernels --------------------------------------------------------------------------------

// F[k1][pair] of a line, and U[k1][n2] behind it.
GNDI_FN pair *work_of(const gndi_cepstrum_lines_params &p, int line) {
    const int size = p.plan.result == GNDI_CEPSTRUM_EXPONENTIALS ? GNDI_MILLION_WHOLE_WORK : GNDI_MILLION_WORK;
    return reinterpret_cast<pair *>(p.work) + (int64_t)line * size;
}

__global__ void __launch_bounds__(PART *FORTH_TILE) forth_kernel(const __grid_constant__ gndi_cepstrum_lines_params p) {
    __shared__ exchange<FORTH_TILE> memory;
    constexpr int TILES = PAIRS / FORTH_TILE;
    const int line = (int)blockIdx.x / TILES, f = (int)threadIdx.x % FORTH_TILE, b = (int)threadIdx.x / FORTH_TILE;
    const int at = b * PAIRS + ((int)blockIdx.x - line * TILES) * FORTH_TILE + f;
    pair v[R], w[R];
    load_roots(w, b);
    start_early();
    const pair *const x = reinterpret_cast<const pair *>(p.plan.x) + (int64_t)line * N * PAIRS + at;
#pragma unroll
    for (int j = 0; j < R; j++) v[j] = x[j * PART * PAIRS];
    transform(v, w, memory, b, f, true);
    pair *const out = work_of(p, line) + at;
#pragma unroll
    for (int k = 0; k < R; k++) out[k * PART * PAIRS] = v[k];
}

// Numbers whose squares are beyond floats are scaled first.
GNDI_FN float log_magnitude(pair z) {
    const float square = z.re * z.re + z.im * z.im;
    const bool tiny = square < 1e-30f;
    const bool huge = square > 1e30f;
    const float scale = tiny ? 0x1p100f : huge ? 0x1p-80f : 1;
    const float logarithm = tiny ? -69.314718055994531f : huge ? 55.451774444795625f : 0; // of 1 / scale
    const pair y = times(scale, z);
    return 0.5f * m::log(y.re * y.re + y.im * y.im) + logarithm;
}

// A row of a spectrum becomes exp(X) / n, and the conjugates of that are transformed. One transform's code serves both
// ways.
GNDI_FN void exponentials_and_back(pair *v, const pair *w, exchange<1> &memory, int b) {
#pragma unroll 1
    for (int way = 0;; way++) {
        transform(v, w, memory, b, 0, true);
        if (way) return;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < R; k++) {
            const float size = m::exp(v[k].re) * (1.f / (N * N));
            float sine, cosine;
            sincospif(v[k].im * 0.31830988618379067154f, &sine, &cosine); // of 1 / pi
            v[k] = {size * cosine, -size * sine};
        }
    }
}

// Rows 2 i and 2 i + 1 of block i. Row 501 is computed with row 500, and not stored.
template <bool EXPONENTIALS> __global__ void __launch_bounds__(2 * PART)
    middle_kernel(const __grid_constant__ gndi_cepstrum_lines_params p) {
    __shared__ exchange<1> memory[2];
    __shared__ pair steps[2][R];
    const int tid = (int)threadIdx.x, r = tid >= PART, b = tid - r * PART;
    const int line = (int)blockIdx.x / GNDI_MILLION_ROW_PAIRS;
    const int first = 2 * ((int)blockIdx.x - line * GNDI_MILLION_ROW_PAIRS), row = first + r;
    pair v[R], w[R];
    load_roots(w, b);
    if (tid < 2 * R) { // exp(-2 pi i row 100 j / 10^6)
        const int of = tid / R, j = tid - of * R;
        float sine, cosine;
        sincospif((float)((first + of) * j) / (R * N / 2), &sine, &cosine);
        steps[of][j] = {cosine, -sine};
    }
    const pair base = times(0.5f, turn_by((float)(row * b) * 6.283185307179586e-6f));
    start_early();
    __syncthreads();
    pair *const work = work_of(p, line);
    const pair *const own = work + row * PAIRS + b / 2, *const mirror = work + (row ? N - row : 0) * PAIRS + b / 2;
    pair other[R];
#pragma unroll
    for (int j = 0; j < R; j++) v[j] = own[j * (PART / 2)], other[j] = mirror[j * (PART / 2)];
#pragma unroll
    for (int j = 0; j < R; j++) {
        const two_real columns = two_real::of(v[j], other[j]);
        v[j] = (b % 2 ? columns.b : columns.a) * (base * steps[r][j]);
    }
    if constexpr (EXPONENTIALS) {
        exponentials_and_back(v, w, memory[r], b);
        pair *const out = work + N * PAIRS + row * N + b;
        if (row > HALF) return;
        const pair back = times(2, conj(base)); // base is half of a root
#pragma unroll
        for (int k = 0; k < R; k++) out[k * PART] = conj(v[k]) * (back * conj(steps[r][k]));
        return;
    }
    float *const logs = reinterpret_cast<float *>(memory[1].buffer[0]) + b;
#pragma unroll 1
    for (int way = 0;; way++) { // there, and back by the conjugate of one row and i times the next one
        transform(v, w, memory[r], b, 0, way == 0 || r == 0);
        if (way) break;
#pragma unroll
        for (int k = 0; k < R; k++) {
            v[k].re = log_magnitude(v[k]) * (1.f / (N * N));
            if (r) logs[k * PART] = v[k].re;
        }
        __syncthreads();
        if (r) continue;
#pragma unroll
        for (int k = 0; k < R; k++) v[k].im = -logs[k * PART];
    }
    pair *const back = memory[0].buffer[0];
    if (r == 0) {
#pragma unroll
        for (int k = 0; k < R; k++) back[b + k * PART] = v[k];
    }
    __syncthreads();
    if (row > HALF) return;
    pair *const out = work + N * PAIRS + row * U_PITCH + b;
#pragma unroll
    for (int k = 0; k <= R / 2; k++) {
        const int i = b + k * PART;
        const bool last = k == R / 2;
        if (last && i >= U_PITCH) continue;
        const two_real rows = two_real::of(conj(back[i]), conj(back[k == 0 && b == 0 ? 0 : N - i]));
        const pair u = (r ? rows.b : rows.a) * conj(base * steps[r][k]);
        out[k * PART] = last && i > HALF ? pair{0, 0} : u;
    }
}

// The conjugate of a + i b, of the numbers in memory by sign 1, and of their conjugates by -1; `alone`: they are real.
GNDI_FN pair conjugate_of_both(float4 ab, float sign, bool alone) {
    const float a_im = alone ? 0 : sign * ab.y, b_im = alone ? 0 : sign * ab.w;
    return {ab.x - b_im, -a_im - ab.z};
}

template <bool CAUSAL> __global__ void __launch_bounds__(PART *BACK_TILE)
    back_kernel(const __grid_constant__ gndi_cepstrum_lines_params p) {
    __shared__ exchange<BACK_TILE> memory;
    constexpr int TILES = GNDI_MILLION_BACK_TILES;
    const int line = (int)blockIdx.x / TILES, f = (int)threadIdx.x % BACK_TILE, b = (int)threadIdx.x / BACK_TILE;
    const int column = 2 * (((int)blockIdx.x - line * TILES) * BACK_TILE + f);
    pair v[R], w[R];
    load_roots(w, b);
    start_early();
    const pair *const u = work_of(p, line) + N * PAIRS + column;
    float4 ab[R];
#pragma unroll
    for (int j = 0; j < R; j++) {
        const int k = b + j * PART; // the frequency, and less than HALF where j is less than R / 2
        ab[j] = *reinterpret_cast<const float4 *>(u + (j < R / 2 || k == HALF ? k : N - k) * U_PITCH);
    }
#pragma unroll
    for (int j = 0; j < R; j++) v[j] = conjugate_of_both(ab[j], j < R / 2 ? 1.f : -1.f, j % (R / 2) == 0 && b == 0);
    transform(v, w, memory, b, f, true);
    // c[n - i] = c[i], which is another thread's in columns 0 and 500.
    const int at = b * N + column;
    float *const out = p.plan.out + (int64_t)line * N * N + at, *const mirror = out + N * N - 2 * at;
    if constexpr (CAUSAL) { // doubled up to the middle, and zeros behind it
        if (column > HALF) return;
#pragma unroll
        for (int k = 0; k < R; k++) {
            const bool first = k < R / 2, ends = column == 0 && b == 0 && k % (R / 2) == 0; // elements 0 and n / 2
            const float own = ends ? 1.f : first ? 2.f : 0.f, other = first ? 0.f : 2.f;
            out[k * PART * N] = own * v[k].re;
            if (column == HALF) continue;
            out[k * PART * N + 1] = first ? -2 * v[k].im : 0;
            mirror[-k * PART * N - 1] = other * -v[k].im;
            if (column) mirror[-k * PART * N] = other * v[k].re;
        }
        return;
    }
    if (column < HALF) {
#pragma unroll
        for (int k = 0; k < R; k++) {
            *reinterpret_cast<float2 *>(out + k * PART * N) = float2{v[k].re, -v[k].im};
            mirror[-k * PART * N - 1] = -v[k].im;
            if (column) mirror[-k * PART * N] = v[k].re;
        }
    } else if (column == HALF) {
#pragma unroll
        for (int k = 0; k < R; k++) out[k * PART * N] = v[k].re;
    }
}

// Of a spectrum that is not even: transforms of two neighbouring columns of all of U.
__global__ void __launch_bounds__(PART *BACK_TILE)
    whole_back_kernel(const __grid_constant__ gndi_cepstrum_lines_params p) {
    __shared__ exchange<BACK_TILE> memory;
    constexpr int TILES = GNDI_MILLION_WHOLE_TILES;
    const int line = (int)blockIdx.x / TILES, f = (int)threadIdx.x % BACK_TILE, b = (int)threadIdx.x / BACK_TILE;
    const int column = 2 * (((int)blockIdx.x - line * TILES) * BACK_TILE + f);
    pair v[R], w[R];
    load_roots(w, b);
    start_early();
    const pair *const u = work_of(p, line) + N * PAIRS + column;
#pragma unroll
    for (int j = 0; j < R; j++) {
        const int k = b + j * PART; // the frequency, and less than HALF where j is less than R / 2
        const float4 ab = *reinterpret_cast<const float4 *>(u + (j < R / 2 || k == HALF ? k : N - k) * N);
        v[j] = conjugate_of_both(ab, j < R / 2 ? 1.f : -1.f, j % (R / 2) == 0 && b == 0);
    }
    transform(v, w, memory, b, f, true);
    float *const out = p.plan.out + (int64_t)line * N * N + b * N + column;
#pragma unroll
    for (int k = 0; k < R; k++) *reinterpret_cast<float2 *>(out + k * PART * N) = float2{v[k].re, -v[k].im};
}

} // namespace million

} // namespace gnd

extern "C" const void *gndi_cuda_million_cepstrum_kernel(gndi_cepstrum_step step, gndi_cepstrum_result result) {
    using namespace gnd::million;
    const bool exponentials = result == GNDI_CEPSTRUM_EXPONENTIALS;
    switch (step) {
    case GNDI_CEPSTRUM_FORTH: return (const void *)forth_kernel;
    case GNDI_CEPSTRUM_MIDDLE:
        return exponentials ? (const void *)middle_kernel<true> : (const void *)middle_kernel<false>;
    default:
        if (result == GNDI_CEPSTRUM_REAL) return (const void *)back_kernel<false>;
        return exponentials ? (const void *)whole_back_kernel : (const void *)back_kernel<true>;
    }
}
