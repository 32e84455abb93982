// covariance_kernels.cu: covariances of the signals of at most 64 sensors.
//
// sums_kernel    A block has some samples of all sensors in shared memory at a time, less each sensor's first one, so
//                that a large mean costs no digits. A thread loads samples of one sensor, which it adds up, too. It
//                sums products of 8 sensors, t.row + 8 q, with others, t.column + 8 r, for some of the samples: TILES
//                threads have one half of the matrix, and GROUPS such groups share the samples. Their sums are added
//                in order.
// finish_kernel  A block adds up the blocks' sums of half a row, in double, and takes the mean off. Both halves of the
//                matrix are written.
#include "kernels/scalar/scalar_types.h"
#include "radar/cuda/covariance_params.h"

namespace gnd {

enum {
    SENSORS = GNDI_COVARIANCE_SENSORS,
    CHUNK = GNDI_COVARIANCE_CHUNK,
    PITCH = GNDI_COVARIANCE_PITCH,
    COVARIANCE_THREADS = GNDI_COVARIANCE_THREADS,
    SIDE = 8,                              // sensors of a thread's rows
    COLUMNS = GNDI_COVARIANCE_COLUMNS,     // and of its columns
    PARTS = SIDE / COLUMNS,                // threads that share the columns
    TILES = SIDE * (SIDE + 1) / 2 * PARTS, // threads of a group
    GROUPS = COVARIANCE_THREADS / TILES,
    BESIDE = 4,                          // samples of a sensor that threads load side by side
    STEP = COVARIANCE_THREADS / SENSORS, // samples of a sensor that all threads load at once
    EACH = CHUNK / STEP,                 // that a thread loads
    WAYS = GNDI_COVARIANCE_WAYS,
    HALF = SENSORS / 2,
};
static_assert(CHUNK % GROUPS == 0 && CHUNK % STEP == 0 && STEP % BESIDE == 0, "");
static_assert(PITCH * CHUNK >= SENSORS * SENSORS / 2, "both halves of shared memory hold the sums");

// A complex number that is read at once.
struct alignas(8) sample {
    float re, im;
};

// What a thread loads: samples k, k + STEP, ... of a sensor, in each chunk.
struct column_of_samples {
    const sample *x;
    sample first;
    int sensor, k;
    bool there;
    GNDI_FN column_of_samples of(const gndi_covariance_plan &p) {
        const int thread = (int)threadIdx.x, sensor = thread / BESIDE % SENSORS;
        const bool there = sensor < p.sensors;
        const sample *x = reinterpret_cast<const sample *>(p.x + (there ? sensor : 0) * p.step);
        return {x, x[0], sensor, thread % BESIDE + thread / (SENSORS * BESIDE) * BESIDE, there};
    }
    // Samples that are not there are like the first one, which is taken off all of them later: what is computed of a
    // load would wait for it.
    __device__ __forceinline__ void load(const gndi_covariance_plan &p, int64_t chunk, sample (&of)[EACH]) const {
        const int64_t begin = chunk * CHUNK, left = p.samples - begin;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            of[i] = first;
            if (there && k + i * STEP < left) of[i] = x[begin + k + i * STEP];
        }
    }
    __device__ __forceinline__ void keep(const sample (&of)[EACH], sample *chunk, sample &plain) const {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const sample v = {of[i].re - first.re, of[i].im - first.im};
            chunk[(k + i * STEP) * PITCH + sensor] = v;
            plain.re += v.re, plain.im += v.im;
        }
    }
};

struct sums_tile {
    int row, column, group;
};
GNDI_FN sums_tile tile_of(int thread) {
    sums_tile t = {0, thread % (TILES / PARTS), thread / TILES};
    while (t.column > t.row) t.column -= ++t.row;
    t.column += thread / (TILES / PARTS) % PARTS * SIDE;
    return t;
}
// Whether the half of the matrix that is added up has an element.
GNDI_FN bool in_half(int i, int j) {
    return i % SIDE >= j % SIDE;
}

GNDI_FN void add_products(const sample *chunk, const sums_tile &t, sample (&sum)[SIDE][COLUMNS]) {
    const sample *rows = chunk + t.group * PITCH + t.row, *columns = chunk + t.group * PITCH + t.column;
#pragma unroll 1
    for (int k = t.group; k < CHUNK; k += GROUPS, rows += GROUPS * PITCH, columns += GROUPS * PITCH) {
        sample a[SIDE], b[COLUMNS];
#pragma unroll
        for (int q = 0; q < SIDE; q++) a[q] = rows[q * SIDE];
#pragma unroll
        for (int r = 0; r < COLUMNS; r++) b[r] = columns[r * SIDE * PARTS];
#pragma unroll
        for (int q = 0; q < SIDE; q++)
#pragma unroll
            for (int r = 0; r < COLUMNS; r++) {
                sum[q][r].re = fmaf(a[q].re, b[r].re, sum[q][r].re);
                sum[q][r].im = fmaf(a[q].im, b[r].re, sum[q][r].im);
            }
#pragma unroll
        for (int q = 0; q < SIDE; q++)
#pragma unroll
            for (int r = 0; r < COLUMNS; r++) {
                sum[q][r].re = fmaf(a[q].im, b[r].im, sum[q][r].re);
                sum[q][r].im = fmaf(-a[q].re, b[r].im, sum[q][r].im);
            }
    }
}
// Adds a group's sums to those of the groups before it.
GNDI_FN void add_group(const sums_tile &t, const sample (&sum)[SIDE][COLUMNS], sample *all) {
#pragma unroll
    for (int q = 0; q < SIDE; q++)
#pragma unroll
        for (int r = 0; r < COLUMNS; r++) {
            sample &to = all[(t.row + SIDE * q) * SENSORS + t.column + SIDE * PARTS * r];
            const sample before = t.group ? to : sample{0, 0};
            to = {before.re + sum[q][r].re, before.im + sum[q][r].im};
        }
}

__global__ void __launch_bounds__(COVARIANCE_THREADS, 1) sums_kernel(const __grid_constant__ gndi_covariance_params p) {
    extern __shared__ __align__(16) char shared[];
    sample *const chunks = reinterpret_cast<sample *>(shared);
    const gndi_covariance_plan &q = p.plan;
    const int thread = (int)threadIdx.x;
    const sums_tile t = tile_of(thread);
    const column_of_samples mine = column_of_samples::of(q);
    sample sum[SIDE][COLUMNS] = {}, plain = {0, 0}, next[EACH];
    mine.load(q, blockIdx.x, next);
    int which = 0;
    for (int64_t c = blockIdx.x; c * CHUNK < q.samples; c += p.blocks, which ^= 1) {
        sample *const chunk = chunks + which * CHUNK * PITCH;
        mine.keep(next, chunk, plain);
        __syncthreads();
        mine.load(q, c + p.blocks, next);
        if (t.group < GROUPS) add_products(chunk, t, sum);
    }
    __syncthreads();
    for (int group = 0; group < GROUPS; group++) {
        if (t.group == group) add_group(t, sum, chunks);
        __syncthreads();
    }
    sample *out = reinterpret_cast<sample *>(p.sums) + (int64_t)blockIdx.x * GNDI_COVARIANCE_SUMS;
    for (int e = thread; e < SENSORS * SENSORS; e += COVARIANCE_THREADS)
        if (in_half(e / SENSORS, e % SENSORS)) out[e] = chunks[e];
    __syncthreads();
    chunks[mine.k % BESIDE * SENSORS + mine.k / BESIDE * (BESIDE * SENSORS) + mine.sensor] = plain;
    __syncthreads();
    if (thread < SENSORS) {
        sample all = {0, 0};
        for (int k = 0; k < STEP; k++)
            all.re += chunks[k * SENSORS + thread].re, all.im += chunks[k * SENSORS + thread].im;
        out[SENSORS * SENSORS + thread] = all;
    }
}

GNDI_FN void add_sample(complex<double> &to, sample x) {
    to.re += x.re, to.im += x.im;
}

// Block 2 i + h: elements of row i, columns 32 h on.
__global__ void __launch_bounds__(HALF *WAYS) finish_kernel(const __grid_constant__ gndi_covariance_params p) {
    __shared__ complex<double> parts[3][WAYS][HALF]; // of products, of the columns' samples and of the row's
    const int i = (int)blockIdx.x / 2, lane = (int)threadIdx.x % HALF, way = (int)threadIdx.x / HALF;
    const int j = (int)blockIdx.x % 2 * HALF + lane, n = (int)p.plan.sensors;
    const sample *of = reinterpret_cast<const sample *>(p.sums) + (int64_t)way * GNDI_COVARIANCE_SUMS;
    const bool there = in_half(i, j);
    complex<double> sums[3] = {};
#pragma unroll 9
    for (int block = way; block < p.blocks; block += WAYS, of += (int64_t)WAYS * GNDI_COVARIANCE_SUMS) {
        add_sample(sums[0], there ? of[i * SENSORS + j] : sample{0, 0});
        add_sample(sums[1], of[SENSORS * SENSORS + j]);
        add_sample(sums[2], of[SENSORS * SENSORS + i]);
    }
    for (int k = 0; k < 3; k++) parts[k][way][lane] = sums[k];
    for (int others = WAYS / 2; others > 0; others /= 2) {
        __syncthreads();
        for (int k = 0; k < 3 && way < others; k++) {
            const complex<double> more = parts[k][way + others][lane];
            parts[k][way][lane].re += more.re, parts[k][way][lane].im += more.im;
        }
    }
    __syncthreads();
    if (way > 0 || i >= n || j >= n || !there) return;
    complex<double> sum = parts[0][0][lane];
    const complex<double> column = parts[1][0][lane], row = parts[2][0][lane];
    const double samples = (double)p.plan.samples;
    sum.re -= (row.re * column.re + row.im * column.im) / samples;
    sum.im -= (row.im * column.re - row.re * column.im) / samples;
    const sample result = {(float)(sum.re / (samples - 1)), (float)(sum.im / (samples - 1))};
    sample *out = reinterpret_cast<sample *>(p.plan.out);
    out[i * n + j] = result;
    if (!in_half(j, i)) out[j * n + i] = {result.re, -result.im};
}

} // namespace gnd

// 0: the sums; 1: what they give.
extern "C" const void *gndi_cuda_covariance_kernel(int which) {
    return which ? (const void *)gnd::finish_kernel : (const void *)gnd::sums_kernel;
}
