// covariance_kernels.cu: covariances of the signals of at most 64 sensors.
//
// sums_kernel    A block has some samples of all sensors in shared memory at a time, less each sensor's first one, so
//                that a large mean costs no digits. A thread adds up the products of 8 sensors, t.row + 8 q, with 8
//                others, t.column + 8 r, for every seventh sample: 36 threads have one half of the matrix, and seven
//                such groups share the samples. Their sums are added in order.
// finish_kernel  A block adds up the blocks' sums of a row, in double, and takes the mean off.
#include "kernels/scalar/scalar_types.h"
#include "radar/cuda/covariance_params.h"

namespace gnd {

enum {
    SENSORS = GNDI_COVARIANCE_SENSORS,
    CHUNK = GNDI_COVARIANCE_CHUNK,
    PITCH = GNDI_COVARIANCE_PITCH,
    COVARIANCE_THREADS = GNDI_COVARIANCE_THREADS,
    EACH = SENSORS * CHUNK / COVARIANCE_THREADS, // samples that a thread loads
    SIDE = 8,
    WAYS = GNDI_COVARIANCE_WAYS,
    TILES = SIDE * (SIDE + 1) / 2,
    GROUPS = COVARIANCE_THREADS / TILES,
    STRETCH = CHUNK * SENSORS / COVARIANCE_THREADS, // samples of a sensor that a thread adds up
};
static_assert(EACH * COVARIANCE_THREADS == SENSORS * CHUNK && CHUNK % GROUPS == 0, "");
static_assert(PITCH * CHUNK >= SENSORS * SENSORS / 2, "both halves of shared memory hold the sums");

struct sums_tile {
    int row, column, group;
};
GNDI_FN sums_tile tile_of(int thread) {
    sums_tile t = {0, thread % TILES, thread / TILES};
    while (t.column > t.row) t.column -= ++t.row;
    return t;
}

// A thread's samples of chunk c, less the first ones.
GNDI_FN void load_samples(const gndi_covariance_plan &p, int64_t c, const complex<float> *first,
                          complex<float> (&of)[EACH]) {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int e = (int)threadIdx.x + i * COVARIANCE_THREADS, sensor = e / CHUNK;
        const int64_t k = c * CHUNK + e % CHUNK;
        complex<float> v = {0, 0};
        if (sensor < p.sensors && k < p.samples) {
            v = reinterpret_cast<const complex<float> *>(p.x + sensor * p.step)[k];
            v.re -= first[sensor].re, v.im -= first[sensor].im;
        }
        of[i] = v;
    }
}
GNDI_FN void keep_samples(const complex<float> (&of)[EACH], complex<float> *chunk) {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int e = (int)threadIdx.x + i * COVARIANCE_THREADS;
        chunk[e % CHUNK * PITCH + e / CHUNK] = of[i];
    }
}

GNDI_FN void add_products(const complex<float> *chunk, const sums_tile &t, complex<float> (&sum)[SIDE][SIDE]) {
    for (int k = t.group; k < CHUNK; k += GROUPS) {
        complex<float> a[SIDE], b[SIDE];
#pragma unroll
        for (int q = 0; q < SIDE; q++) {
            a[q] = chunk[k * PITCH + t.row + SIDE * q];
            b[q] = chunk[k * PITCH + t.column + SIDE * q];
        }
#pragma unroll
        for (int q = 0; q < SIDE; q++)
#pragma unroll
            for (int r = 0; r < SIDE; r++) {
                sum[q][r].re += a[q].re * b[r].re + a[q].im * b[r].im;
                sum[q][r].im += a[q].im * b[r].re - a[q].re * b[r].im;
            }
    }
}

__global__ void __launch_bounds__(COVARIANCE_THREADS, 1) sums_kernel(const __grid_constant__ gndi_covariance_params p) {
    extern __shared__ __align__(16) char shared[];
    __shared__ complex<float> first[SENSORS], stretch[COVARIANCE_THREADS];
    complex<float> *chunks = reinterpret_cast<complex<float> *>(shared);
    const gndi_covariance_plan &q = p.plan;
    const int thread = (int)threadIdx.x;
    const sums_tile t = tile_of(thread);
    if (thread < q.sensors) first[thread] = *reinterpret_cast<const complex<float> *>(q.x + thread * q.step);
    __syncthreads();
    complex<float> sum[SIDE][SIDE] = {}, plain = {0, 0}, next[EACH];
    load_samples(q, blockIdx.x, first, next);
    int which = 0;
    for (int64_t c = blockIdx.x; c * CHUNK < q.samples; c += p.blocks, which ^= 1) {
        complex<float> *chunk = chunks + which * CHUNK * PITCH;
        keep_samples(next, chunk);
        __syncthreads();
        load_samples(q, c + p.blocks, first, next);
        if (t.group < GROUPS) add_products(chunk, t, sum);
        for (int k = 0; k < STRETCH; k++) {
            const complex<float> v = chunk[(thread / SENSORS * STRETCH + k) * PITCH + thread % SENSORS];
            plain.re += v.re, plain.im += v.im;
        }
    }
    __syncthreads();
    stretch[thread] = plain;
    for (int group = 0; group < GROUPS; group++) {
        if (t.group == group)
#pragma unroll
            for (int i = 0; i < SIDE; i++)
#pragma unroll
                for (int j = 0; j < SIDE; j++) {
                    complex<float> &to = chunks[(t.row + SIDE * i) * SENSORS + t.column + SIDE * j];
                    const complex<float> before = group ? to : complex<float>{0, 0};
                    to = {before.re + sum[i][j].re, before.im + sum[i][j].im};
                }
        __syncthreads();
    }
    complex<float> *out = reinterpret_cast<complex<float> *>(p.sums) + (int64_t)blockIdx.x * GNDI_COVARIANCE_SUMS;
    if (thread < SENSORS) {
        complex<float> all = {0, 0};
        for (int k = thread; k < COVARIANCE_THREADS; k += SENSORS) all.re += stretch[k].re, all.im += stretch[k].im;
        out[SENSORS * SENSORS + thread] = all;
    }
    for (int e = thread; e < SENSORS * SENSORS; e += COVARIANCE_THREADS)
        if (e / SENSORS % SIDE >= e % SIDE) out[e] = chunks[e];
}

// Number e of all blocks, by the threads of a column: each adds up every WAYS-th block. In the first one's thread.
GNDI_FN complex<double> sum_blocks(const gndi_covariance_params &p, int e, complex<double> *parts) {
    const int j = (int)threadIdx.x % SENSORS, way = (int)threadIdx.x / SENSORS;
    const complex<float> *of = reinterpret_cast<const complex<float> *>(p.sums) + e;
    complex<double> sum = {0, 0};
#pragma unroll 4
    for (int b = way; b < p.blocks; b += WAYS) {
        const complex<float> v = of[(int64_t)b * GNDI_COVARIANCE_SUMS];
        sum.re += v.re, sum.im += v.im;
    }
    parts[way * SENSORS + j] = sum;
    __syncthreads();
    for (int other = 1; other < WAYS && way == 0; other++) {
        const complex<double> v = parts[other * SENSORS + j];
        sum.re += v.re, sum.im += v.im;
    }
    __syncthreads();
    return sum;
}

__global__ void __launch_bounds__(SENSORS *WAYS) finish_kernel(const __grid_constant__ gndi_covariance_params p) {
    __shared__ complex<double> parts[SENSORS * WAYS], of_row;
    const int i = (int)blockIdx.x, j = (int)threadIdx.x % SENSORS, n = (int)p.plan.sensors;
    const double samples = (double)p.plan.samples;
    const bool there = i % SIDE >= j % SIDE;
    const complex<double> plain = sum_blocks(p, SENSORS * SENSORS + j, parts);
    complex<double> sum = sum_blocks(p, there ? i * SENSORS + j : j * SENSORS + i, parts);
    if (!there) sum.im = -sum.im;
    if (i == (int)threadIdx.x) of_row = plain;
    __syncthreads();
    if ((int)threadIdx.x >= n) return;
    sum.re -= (of_row.re * plain.re + of_row.im * plain.im) / samples;
    sum.im -= (of_row.im * plain.re - of_row.re * plain.im) / samples;
    reinterpret_cast<complex<float> *>(p.plan.out)[i * n + j] = {(float)(sum.re / (samples - 1)),
                                                                 (float)(sum.im / (samples - 1))};
}

} // namespace gnd

// 0: the sums; 1: what they give.
extern "C" const void *gndi_cuda_covariance_kernel(int which) {
    return which ? (const void *)gnd::finish_kernel : (const void *)gnd::sums_kernel;
}
