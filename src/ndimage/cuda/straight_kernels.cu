// straight_kernels.cu: splines of order 1 at the coordinates of maps that do not mix the axes of a plane: shifts and
// zooms. The elements of a row then have the same two rows of the input and the same weights, which a block finds once,
// and those of a column the same two columns, which a thread keeps. All coordinates, also those beyond the ends, are
// found like that. A thread has a column of a block's rows.
#include "ndimage/cuda/ndimage_params.h"
#include "ndimage/sample_ops.h"

namespace gnd {
namespace sample {

typedef gndi_cuda_sample_params params_t;
enum { THREADS = 256, WARP = 32, ROWS = GNDI_CUDA_SAMPLE_ROWS, TOGETHER = 8 };
static_assert(ROWS == WARP && ROWS % TOGETHER == 0, "a warp finds a block's rows, which are taken in whole steps");

/* Offsets of two elements, and their weights. */
template <class T> struct alignas(16) taps_t {
    uint32_t first, second;
    T weight[2];
};

/* Along an axis, whose elements are `stride` apart. False: the result is the constant. */
template <class T>
static __device__ __noinline__ bool find(const plan_t &p, int axis, int32_t index, int32_t stride, taps_t<T> *to) {
    const double i = m::add((double)index, p.ahead[axis]);
    axis_taps<T, 1> taps;
    const bool found = find_taps(p, axis, m::add(m::mul(p.matrix[axis][axis], i), p.offset[axis]), taps);
    *to = {0, 0, {0, 0}};
    if (found) *to = {(uint32_t)taps.at[0] * stride, (uint32_t)taps.at[1] * stride, {taps.weight[0], taps.weight[1]}};
    return found;
}

template <class T> static __device__ T value_at(const T *x, uint32_t row, const taps_t<T> &column) {
    return column.weight[0] * __ldg(x + (row + column.first)) + column.weight[1] * __ldg(x + (row + column.second));
}

template <class T> static __global__ void __launch_bounds__(THREADS, sizeof(T) == 4 ? 4 : 2)
    straight_kernel(const __grid_constant__ params_t p) {
    __shared__ taps_t<T> rows[ROWS];
    __shared__ uint32_t found_rows;
    const plan_t &plan = p.plan;
    const int32_t down = (int32_t)plan.out_shape[0], across = (int32_t)plan.out_shape[1];
    const uint32_t segments = (uint32_t)(across + THREADS - 1) / THREADS, bands = (uint32_t)(down + ROWS - 1) / ROWS;
    const uint32_t strip = blockIdx.x / segments, plane = strip / bands;
    const int32_t top = (int32_t)(strip - plane * bands) * ROWS, height = min(down - top, (int)ROWS);
    const int32_t c = (int32_t)((blockIdx.x - strip * segments) * THREADS + threadIdx.x);
    if (threadIdx.x < ROWS) {
        const bool found = find(plan, 0, top + (int)threadIdx.x, (int32_t)plan.x_shape[1], &rows[threadIdx.x]);
        const uint32_t all = __ballot_sync(0xffffffffu, found);
        if (threadIdx.x == 0) found_rows = all;
    }
    taps_t<T> column;
    const bool has_values = find(plan, 1, c, 1, &column);
    __syncthreads();
    if (c >= across) return;
    const uint32_t found = has_values ? found_rows : 0;
    const T *x = static_cast<const T *>(plan.x) + plane * plan.x_shape[0] * plan.x_shape[1];
    asm("" : "+l"(x)); /* one addition an address: else the compiler takes this sum apart */
    T *out = static_cast<T *>(plan.out) + plane * plan.count + (int64_t)top * across + c;
#pragma unroll 1
    for (int32_t r = 0; r < height; r += TOGETHER) {
        T value[TOGETHER];
#pragma unroll
        for (int k = 0; k < TOGETHER; k++) {
            const taps_t<T> row = rows[r + k];
            const T above = value_at(x, row.first, column), below = value_at(x, row.second, column);
            const T sum = row.weight[0] * above + row.weight[1] * below;
            value[k] = found >> (r + k) & 1 ? sum : (T)plan.fill;
        }
        if (plan.rounding != GNDI_SAMPLE_EXACT) {
#pragma unroll
            for (int k = 0; k < TOGETHER; k++) value[k] = rounded(plan, value[k]);
        }
#pragma unroll
        for (int k = 0; k < TOGETHER; k++, out += across)
            if (r + k < height) *out = value[k];
    }
}

} // namespace sample
} // namespace gnd

extern "C" const void *gndi_cuda_sample_straight_kernel(int dtype) {
    using namespace gnd::sample;
    return dtype == GND_FLOAT32 ? (const void *)straight_kernel<float> : (const void *)straight_kernel<double>;
}
