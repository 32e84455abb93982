// fft_columns.cuh: Fourier transforms of columns, of 64 to 4096 elements of complex64, in one pass: a block
// takes a few adjacent columns, so that it reads and writes pieces of rows, and transforms them in two or three
// stages through shared memory. A thread has 16 elements of a column in registers, N/16 apart; a stage of radix R
// computes 16 / R butterflies of them. The stages are Stockham's, after Govindaraju et al., "High performance
// discrete Fourier transforms on graphics processors" (2008), section 4: input and output are in natural order.
#ifndef GNDI_FFT_COLUMNS_CUH
#define GNDI_FFT_COLUMNS_CUH

#include "fft/cuda/fft_columns_params.h"
#include "kernels/scalar/scalar_types.h"

namespace gnd {
namespace columns {

struct alignas(8) pair {
    float x, y;
};

// Loads and stores of data that is used once: evicted from the caches first. rfft2 of 4096 x 4096 takes 103.6 us with
// them, and 108.5 with plain ones. 268 MB of columns of 256, 1024 and 2048 elements take 152, 180 and 225 us with such
// stores, and 159, 193 and 296 with plain ones; 134 MB of 4096 elements 130 and 127.
__device__ __forceinline__ pair load_once(const char *from) {
    const float2 x = __ldcs(reinterpret_cast<const float2 *>(from));
    return {x.x, x.y};
}
__device__ __forceinline__ void store_once(pair *to, pair x) {
    __stcs(reinterpret_cast<float2 *>(to), float2{x.x, x.y});
}

// ---- roots of unity ----------------------------------------------------------------------------

constexpr int ROOTS = 1 << GNDI_COLUMNS_MOST_BITS;

// exp(-2 pi i k / ROOTS), by the series of sine and cosine up to an eighth of the circle.
struct roots_table {
    pair at[ROOTS];
    constexpr roots_table() : at() {
        for (int k = 0; k <= ROOTS / 8; k++) {
            const double x = 6.283185307179586476925 * k / ROOTS;
            double cosine = 1, sine = x, c = 1, s = x;
            for (int i = 1; i < 10; i++) {
                c *= -x * x / ((2 * i - 1) * (2 * i)), s *= -x * x / ((2 * i) * (2 * i + 1));
                cosine += c, sine += s;
            }
            put(k, cosine, sine);
            put(ROOTS / 4 - k, sine, cosine);
        }
    }
    // Stores the root at an angle, and those at quarter turns from it.
    constexpr void put(int k, double cosine, double sine) {
        const float c = (float)cosine, s = (float)sine;
        at[k] = {c, -s};
        at[k + ROOTS / 4] = {-s, -c};
        at[k + ROOTS / 2] = {-c, s};
        if (k < ROOTS / 4) at[k + 3 * (ROOTS / 4)] = {s, c};
    }
};

// The twiddle factors before a stage of radix R, when groups of DONE elements have been transformed: element m of row
// i is exp(-2 pi i b m / (DONE R)), where b is 1, 2, 3 or a multiple of 4. Neighbouring threads read neighbouring
// factors: read from the table of roots above, 4096 rows of 4096 take 84 us instead of 72 (m).
template <int R, int DONE> struct stage_roots {
    static constexpr int ROWS = R <= 4 ? R - 1 : 2 + R / 4;
    pair at[ROWS * DONE];
    static constexpr int factor(int row) { return row < 3 ? row + 1 : 4 * (row - 2); }
    explicit constexpr stage_roots(const roots_table &roots) : at() {
        for (int row = 0; row < ROWS; row++)
            for (int m = 0; m < DONE; m++) at[row * DONE + m] = roots.at[factor(row) * m * (ROOTS / (DONE * R))];
    }
};
template <int R, int DONE> __device__ constexpr stage_roots<R, DONE> roots_of_stage(roots_table{});

// ---- butterflies -------------------------------------------------------------------------------

__device__ __forceinline__ pair add(pair a, pair b) {
    return {a.x + b.x, a.y + b.y};
}
__device__ __forceinline__ pair subtract(pair a, pair b) {
    return {a.x - b.x, a.y - b.y};
}
__device__ __forceinline__ pair multiply(pair a, pair b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
__device__ __forceinline__ pair swap_if(bool condition, pair a) {
    return condition ? pair{a.y, a.x} : a;
}

// v exp(-2 pi i K / 16), for the K that occur.
template <int K> __device__ __forceinline__ pair twiddle(pair v) {
    constexpr float half = 0.70710678118654752440f, c = 0.92387953251128675613f, s = 0.38268343236508977173f;
    if constexpr (K == 0)
        return v;
    else if constexpr (K == 1)
        return multiply(v, {c, -s});
    else if constexpr (K == 2)
        return {(v.x + v.y) * half, (v.y - v.x) * half};
    else if constexpr (K == 3)
        return multiply(v, {s, -c});
    else if constexpr (K == 4)
        return {v.y, -v.x};
    else if constexpr (K == 6)
        return {(v.y - v.x) * half, -(v.x + v.y) * half};
    else
        return multiply(v, {-c, s}); // 9
}

__device__ __forceinline__ void of_two(pair &a, pair &b) {
    const pair sum = add(a, b);
    b = subtract(a, b);
    a = sum;
}
__device__ __forceinline__ void of_four(pair &a, pair &b, pair &c, pair &d) {
    of_two(a, c);
    of_two(b, d);
    d = twiddle<4>(d);
    of_two(a, b);
    of_two(c, d);
    const pair third = b;
    b = c, c = third;
}

// The register in which transform() leaves result k of a transform of R elements.
template <int R> constexpr int position(int k) {
    return R == 2 ? k : k / 4 + R / 4 * (k % 4);
}

// Transforms R elements, S apart; the results are permuted (position).
template <int R, int S> __device__ __forceinline__ void transform(pair *v) {
    if constexpr (R == 2) {
        of_two(v[0], v[S]);
    } else {
        constexpr int A = R / 4, T = 16 / R; // R results of 4 A
#pragma unroll
        for (int i = 0; i < A; i++) of_four(v[i * S], v[(i + A) * S], v[(i + 2 * A) * S], v[(i + 3 * A) * S]);
        if constexpr (A >= 2) {
            v[(1 + A) * S] = twiddle<T>(v[(1 + A) * S]);
            v[(1 + 2 * A) * S] = twiddle<2 * T>(v[(1 + 2 * A) * S]);
            v[(1 + 3 * A) * S] = twiddle<3 * T>(v[(1 + 3 * A) * S]);
        }
        if constexpr (A == 4) {
            v[(2 + A) * S] = twiddle<2>(v[(2 + A) * S]);
            v[(2 + 2 * A) * S] = twiddle<4>(v[(2 + 2 * A) * S]);
            v[(2 + 3 * A) * S] = twiddle<6>(v[(2 + 3 * A) * S]);
            v[(3 + A) * S] = twiddle<3>(v[(3 + A) * S]);
            v[(3 + 2 * A) * S] = twiddle<6>(v[(3 + 2 * A) * S]);
            v[(3 + 3 * A) * S] = twiddle<9>(v[(3 + 3 * A) * S]);
        }
#pragma unroll
        for (int r = 0; r < 4; r++) {
            pair *w = v + A * r * S;
            if constexpr (A == 4)
                of_four(w[0], w[S], w[2 * S], w[3 * S]);
            else if constexpr (A == 2)
                of_two(w[0], w[S]);
        }
    }
}

// exp(-2 pi i k / 2^bits), of up to twice as many bits as the table has: the table's root for the higher bits, times
// the first terms of the series for the lower ones, whose angle is less than 0.0016.
__device__ __forceinline__ pair root_of(uint32_t k, uint32_t bits, const pair *roots) {
    const uint32_t low_bits = bits - GNDI_COLUMNS_MOST_BITS;
    const uint32_t high = k >> low_bits, low = k - (high << low_bits);
    const float x = (float)low * (6.283185307179586477f / (float)(1 << bits));
    return multiply(roots[high % ROOTS], {1 - 0.5f * x * x, -(x - x * x * x * (1.0f / 6))});
}

// ---- columns -----------------------------------------------------------------------------------

// A transform of 2^BITS elements, SIDE of them in a block. A thread's elements are t, t + N/16, ... of one
// column before each stage. HALVES: the real parts pass through shared memory, and then the imaginary ones, as where
// it would be all that a multiprocessor has.
template <int BITS, int SIDE, bool HALVES = GNDI_COLUMNS_HALVES(BITS, SIDE)> struct column {
    static constexpr int N = 1 << BITS, EACH = GNDI_COLUMNS_EACH, PART = N / EACH, THREADS = PART * SIDE;
    // The radices of the stages: two of them up to 256 elements, then three.
    static constexpr int FIRST = BITS == 6 ? 8 : 16, MIDDLE = BITS > 8 ? 16 : 1, LAST = N / (FIRST * MIDDLE);

    static constexpr int STRIDE = GNDI_COLUMNS_STRIDE_OF(BITS, SIDE, HALVES);

    // Index of element i of column `lane` in shared memory.
    static __device__ __forceinline__ int slot(int i, int lane) { return lane * STRIDE + i + (int)((unsigned)i / 16); }

    // A stage: groups of DONE elements have been transformed before it, groups of DONE * R after it.
    template <int R, int DONE> static __device__ __forceinline__ void stage(pair *v, int t) {
        constexpr int STEP = EACH / R;
#pragma unroll
        for (int k = 0; k < STEP; k++) {
            if constexpr (DONE > 1) {
                const pair *roots = roots_of_stage<R, DONE>.at + (t + k * PART) % DONE;
                pair one[4];
#pragma unroll
                for (int b = 1; b < 4 && b < R; b++) {
                    one[b] = roots[(b - 1) * DONE];
                    v[k + b * STEP] = multiply(v[k + b * STEP], one[b]);
                }
#pragma unroll
                for (int a = 4; a < R; a += 4) {
                    const pair four = roots[(2 + a / 4) * DONE];
                    v[k + a * STEP] = multiply(v[k + a * STEP], four);
#pragma unroll
                    for (int b = 1; b < 4; b++)
                        v[k + (a + b) * STEP] = multiply(v[k + (a + b) * STEP], multiply(four, one[b]));
                }
            }
            transform<R, STEP>(v + k);
        }
    }

    // Stores the results of a stage in shared memory, and loads the next one's. PART_OF: the number itself (-1), or its
    // real or its imaginary part.
    template <int PART_OF> using stored = choose_t<(PART_OF < 0), pair, float>;
    template <int PART_OF> static __device__ __forceinline__ stored<PART_OF> part_of(pair x) {
        if constexpr (PART_OF < 0)
            return x;
        else
            return PART_OF == 0 ? x.x : x.y;
    }
    template <int R, int DONE, int PART_OF>
    static __device__ __forceinline__ void put(const pair *v, int t, int lane, stored<PART_OF> *shared) {
        static_assert(DONE == 1 || DONE % 16 == 0, "");
        constexpr int STEP = EACH / R, NEXT = DONE + DONE / 16;
#pragma unroll
        for (int k = 0; k < STEP; k++) {
            const int j = t + k * PART;
            stored<PART_OF> *first = shared + slot(j / DONE * (DONE * R) + j % DONE, lane);
#pragma unroll
            for (int r = 0; r < R; r++) first[r * NEXT] = part_of<PART_OF>(v[k + position<R>(r) * STEP]);
        }
    }
    template <int PART_OF>
    static __device__ __forceinline__ void get(pair *v, int t, int lane, const stored<PART_OF> *shared) {
        const stored<PART_OF> *first = shared + slot(t, lane);
#pragma unroll
        for (int q = 0; q < EACH; q++) {
            const stored<PART_OF> x = PART % 16 == 0 ? first[q * (PART + PART / 16)] : shared[slot(t + q * PART, lane)];
            if constexpr (PART_OF < 0)
                v[q] = x;
            else
                (PART_OF == 0 ? v[q].x : v[q].y) = x;
        }
    }
    // Passes data from a stage, as thread t, to the next one, as thread next_t. WAITS: shared memory is still in use.
    template <int R, int DONE, bool WAITS>
    static __device__ __forceinline__ void exchange(pair *v, int t, int lane, int next_t, int next_lane, pair *shared) {
        if constexpr (WAITS) __syncthreads();
        if constexpr (HALVES) {
            float *parts = reinterpret_cast<float *>(shared);
            pair next[EACH];
            put<R, DONE, 0>(v, t, lane, parts);
            __syncthreads();
            get<0>(next, next_t, next_lane, parts);
            __syncthreads();
            put<R, DONE, 1>(v, t, lane, parts);
            __syncthreads();
            get<1>(next, next_t, next_lane, parts);
#pragma unroll
            for (int q = 0; q < EACH; q++) v[q] = next[q];
        } else {
            put<R, DONE, -1>(v, t, lane, shared);
            __syncthreads();
            get<-1>(v, next_t, next_lane, shared);
        }
    }

    // All stages. A thread has elements of column in_lane from number in_t on before them, and results of column `lane`
    // from t on behind them. WAITS: shared memory is still in use.
    template <bool WAITS>
    static __device__ __forceinline__ void all_stages(pair *v, int in_t, int in_lane, int t, int lane, pair *shared) {
        stage<FIRST, 1>(v, in_t);
        exchange<FIRST, 1, WAITS>(v, in_t, in_lane, t, lane, shared);
        if constexpr (MIDDLE > 1) {
            stage<MIDDLE, FIRST>(v, t);
            exchange<MIDDLE, FIRST, true>(v, t, lane, t, lane, shared);
        }
        stage<LAST, N / LAST>(v, t);
    }

    // The inverse is the transform of the input with real and imaginary parts exchanged, exchanged again.
    template <bool SWAPS, bool ONCE>
    static __device__ __forceinline__ void load(pair *v, int t, const char *in, int64_t step) {
        in += t * step;
#pragma unroll
        for (int q = 0; q < EACH; q++, in += PART * step)
            v[q] = swap_if(SWAPS, ONCE ? load_once(in) : *reinterpret_cast<const pair *>(in));
    }

    // Elements that a thread has loaded, times those of a window, which begins with its first one.
    static __device__ __forceinline__ void multiply_by(pair *v, const float *window) {
#pragma unroll
        for (int q = 0; q < EACH; q++) {
            const float factor = window[q * PART];
            v[q] = {v[q].x * factor, v[q].y * factor};
        }
    }

    // Result q of a thread, times the factor.
    static __device__ __forceinline__ pair result(const pair *v, int q, float factor) {
        constexpr int STEP = EACH / LAST;
        const pair x = v[q % STEP + position<LAST>(q / STEP) * STEP];
        return {x.x * factor, x.y * factor};
    }
    template <bool SWAPS, bool TWISTS> static __device__ __forceinline__ void
    store(const pair *v, int t, char *out, int64_t step, const gndi_columns_params &p, uint32_t at, const pair *roots) {
        out += t * step;
#pragma unroll
        for (int q = 0; q < EACH; q++, out += PART * step) {
            pair x = result(v, q, p.factor);
            if constexpr (TWISTS) x = multiply(x, root_of((uint32_t)(t + q * PART) * at, p.line, roots));
            x = swap_if(SWAPS, x);
            if (p.once)
                store_once(reinterpret_cast<pair *>(out), x);
            else
                *reinterpret_cast<pair *>(out) = x;
        }
    }
};

} // namespace columns
} // namespace gnd

#endif
