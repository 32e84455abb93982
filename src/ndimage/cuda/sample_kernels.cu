// sample_kernels.cu: splines at coordinates.
//
// plane_kernel   Two dimensions of at most 2^24 elements each: indices of 32 bits, and nothing but registers. Near the
//                ends, where coefficients repeat, the general function is called. A warp makes 8 x 4 outputs of an
//                affine map, whose coefficients lie in fewer lines than those of 32 x 1 when the map turns, and in
//                different banks. Of order 1 and more a block copies the box of coefficients that its outputs need to
//                shared memory, if it fits. Of maps that do not mix the axes see straight_kernels.cu, of most
//                given coordinates given_kernels.cu.
// sample_kernel  Any number of dimensions: a thread for each output, which reads through the cache.
//
// Coordinates are double. A GPU converts between double and integers an eighth as often as it adds, so whole parts are
// found by adding a large number, whose last bits are then the integer. An affine map's terms of a row and of a column
// are found once for all outputs of a box, in the order in which SciPy adds them.
#include "ndimage/cuda/ndimage_params.h"
#include "kernels/cuda/async_copy.cuh"
#include "ndimage/sample_ops.h"

namespace gnd {
namespace sample {

typedef gndi_cuda_sample_params params_t;
enum { THREADS = 256, WARP = 32, WIDE = 8, HIGH = 4, BOX = GNDI_CUDA_SAMPLE_BOX };
enum { ACROSS = GNDI_CUDA_SAMPLE_ACROSS, DOWN = GNDI_CUDA_SAMPLE_DOWN };
static_assert(WIDE * HIGH == WARP && ACROSS * DOWN == THREADS, "tiles of whole warps");
static_assert(BOX / WIDE * WARP == THREADS && BOX / HIGH <= 32, "a warp has the columns of its lanes");
static_assert(sizeof(params_t) <= 4000, "what every GPU takes as parameters");

constexpr double MIDDLE = 6755399441055744.0; // 2^52 + 2^51: the last 32 bits of MIDDLE + i are i, |i| < 2^31

GNDI_FN double of_integer(int32_t i) { // i >= 0
    return m::sub(__hiloint2double(__double2hiint(MIDDLE), i), MIDDLE);
}

// The largest whole number <= x, as both types; -1, which is no index of a plane, if x is not from 0 to below 2^31.
GNDI_FN int32_t floor_of(double x, double *whole) {
    const double shifted = __dadd_rd(x, MIDDLE);
    *whole = m::sub(shifted, MIDDLE);
    return __double2hiint(shifted) == __double2hiint(MIDDLE) ? __double2loint(shifted) : -1;
}

GNDI_FN int32_t floor_of(float x, float *whole) {
    *whole = m::floor(x);
    return (int32_t)*whole;
}

// The coefficients along an axis that a coordinate needs: the first, and their weights. C: what coordinates are; a
// float is taken apart without rounding, so that float and double give the same. False: they are not all within the
// array.
template <class T, int order, class C> GNDI_FN bool place(C x, int32_t n, int32_t *first, T *weight) {
    if ((order < 2 || sizeof(C) == 4) && !(x >= 0 && x <= (C)(n - 1))) return false;
    C middle;
    *first = floor_of(order % 2 == 1 ? x : m::add(x, (C)0.5), &middle) - order / 2;
    weights((T)(x - middle), order, weight);
    return *first >= 0 && *first + order < n;
}

template <class T, int order>
__device__ __noinline__ void put_at_the_ends(const plan_t &p, int64_t o, double c0, double c1) {
    const double c[2] = {c0, c1};
    const T *x = static_cast<const T *>(p.x);
    T *out = static_cast<T *>(p.out) + o;
    for (int64_t k = 0; k < p.outer; k++, x += p.x_shape[0] * p.x_shape[1], out += p.count)
        *out = rounded(p, at_two<T, order>(p, x, c));
}

// The sum over the coefficients from `at` on, whose rows are a pitch apart.
template <class T, int order> GNDI_FN T sum_of(const T *at, int32_t pitch, const T *down, const T *along) {
    T sum = 0;
#pragma unroll
    for (int r = 0; r <= order; r++, at += pitch) {
        T part = 0;
#pragma unroll
        for (int t = 0; t <= order; t++) part += along[t] * at[t];
        sum += down[r] * part;
    }
    return sum;
}

// ---- given coordinates --------------------------------------------------------------------------

// Output o, at (c0, c1), of all results.
template <class T, int order, class C> GNDI_FN void put_plane(const plan_t &p, int64_t o, C c0, C c1) {
    const int32_t rows = (int32_t)p.x_shape[0], columns = (int32_t)p.x_shape[1];
    int32_t row, column;
    T down[order + 1], along[order + 1];
    if (!place<T, order>(p.pad ? c0 + (C)p.pad : c0, rows, &row, down) ||
        !place<T, order>(p.pad ? c1 + (C)p.pad : c1, columns, &column, along))
        return put_at_the_ends<T, order>(p, o, c0, c1);
    const T *x = static_cast<const T *>(p.x) + (int64_t)row * columns + column;
    T *out = static_cast<T *>(p.out) + o;
    for (int64_t k = 0; k < p.outer; k++, x += (int64_t)rows * columns, out += p.count)
        *out = rounded(p, sum_of<T, order>(x, columns, down, along));
}

// Points of a thread: of orders 0 and 1 several, whose coordinates and then coefficients are on their way at a time.
template <int order> constexpr int EACH = order <= 1 ? GNDI_CUDA_SAMPLE_EACH : 1;

// Points whose coordinates are c, from output o on and THREADS apart.
template <class T, int order, class C>
GNDI_FN void put_several(const plan_t &p, int64_t o, const C (&c)[2][EACH<order>]) {
    const int32_t rows = (int32_t)p.x_shape[0], columns = (int32_t)p.x_shape[1];
    const C pad = (C)p.pad;
    int64_t at[EACH<order>];
    T down[EACH<order>][order + 1], along[EACH<order>][order + 1], value[EACH<order>];
    uint32_t missed = 0;
#pragma unroll
    for (int e = 0; e < EACH<order>; e++) {
        int32_t row, column;
        const bool placed = place<T, order>(p.pad ? c[0][e] + pad : c[0][e], rows, &row, down[e]) &
                            place<T, order>(p.pad ? c[1][e] + pad : c[1][e], columns, &column, along[e]);
        at[e] = placed ? (int64_t)row * columns + column : -1;
        if (!placed && o + e * THREADS < p.count) missed |= 1u << e;
    }
    const T *x = static_cast<const T *>(p.x);
    T *out = static_cast<T *>(p.out) + o;
    for (int64_t k = 0; k < p.outer; k++, x += (int64_t)rows * columns, out += p.count) {
#pragma unroll
        for (int e = 0; e < EACH<order>; e++)
            if (at[e] >= 0) value[e] = sum_of<T, order>(x + at[e], columns, down[e], along[e]);
#pragma unroll
        for (int e = 0; e < EACH<order>; e++)
            if (at[e] >= 0 && o + e * THREADS < p.count) out[e * THREADS] = rounded(p, value[e]);
    }
#pragma unroll
    for (int e = 0; e < EACH<order>; e++)
        if (missed >> e & 1) put_at_the_ends<T, order>(p, o + e * THREADS, c[0][e], c[1][e]);
}

// The coordinates, of type S in memory.
template <class T, int order, class S, class C> GNDI_FN void put_given_of(const plan_t &p) {
    const int64_t o = (int64_t)blockIdx.x * (THREADS * EACH<order>)+threadIdx.x;
    const S *from = static_cast<const S *>(p.coordinates) + o;
    C c[2][EACH<order>];
#pragma unroll
    for (int e = 0; e < EACH<order>; e++) {
        const bool is_there = o + e * THREADS < p.count;
        c[0][e] = is_there ? (C)from[e * THREADS] : 0;
        c[1][e] = is_there ? (C)from[p.count + e * THREADS] : 0;
    }
    put_several<T, order, C>(p, o, c);
}

template <class T, int order> GNDI_FN void put_given(const plan_t &p) {
    if (p.coordinates_dtype != GND_FLOAT32) return put_given_of<T, order, double, double>(p);
    if (p.pad == 0) return put_given_of<T, order, float, float>(p);
    put_given_of<T, order, float, double>(p);
}

// ---- affine maps --------------------------------------------------------------------------------

// A coordinate of an output, without the pad.
GNDI_FN double coordinate(const plan_t &p, int axis, int32_t row, int32_t column) {
    const double i = m::add(of_integer(row), p.ahead[0]), j = m::add(of_integer(column), p.ahead[1]);
    return m::add(m::add(m::mul(p.matrix[axis][0], i), m::mul(p.matrix[axis][1], j)), p.offset[axis]);
}

// A thread for each output.
template <class T, int order> GNDI_FN void put_one(const plan_t &p) {
    const int32_t columns = (int32_t)p.out_shape[1];
    const uint32_t tiles = (uint32_t)(columns + ACROSS - 1) / ACROSS, band = blockIdx.x / tiles;
    const int32_t lane = (int32_t)threadIdx.x % WARP, warp = (int32_t)threadIdx.x / WARP;
    const int32_t column = (int32_t)(blockIdx.x - band * tiles) * ACROSS + warp % (ACROSS / WIDE) * WIDE + lane % WIDE;
    const int32_t row = (int32_t)band * DOWN + warp / (ACROSS / WIDE) * HIGH + lane / WIDE;
    if (column < columns && row < (int32_t)p.out_shape[0])
        put_plane<T, order>(p, (int64_t)row * columns + column, coordinate(p, 0, row, column),
                            coordinate(p, 1, row, column));
}

// Where a block's box begins along an axis: before the first coefficient of its outputs, or 2^-10 more, whatever the
// rounding of coordinates.
GNDI_FN int32_t box_begin(const params_t &p, int axis, int order, int32_t row, int32_t column) {
    const double *matrix = p.plan.matrix[axis];
    const int32_t last_row = min(row + (int)BOX, (int32_t)p.plan.out_shape[0]) - 1;
    const int32_t last_column = min(column + (int)BOX, (int32_t)p.plan.out_shape[1]) - 1;
    const double low = coordinate(p.plan, axis, matrix[0] < 0 ? last_row : row, matrix[1] < 0 ? last_column : column);
    return (int32_t)m::floor(fmin(fmax(low + p.pad - 0x1p-10, -0x1p25), 0x1p25)) - order / 2;
}

// The box's elements that the plane x has.
template <class T> GNDI_FN void load_box(const params_t &p, const T *x, T *box, int32_t row, int32_t column) {
    struct alignas(16) pack {
        T v[16 / sizeof(T)];
    };
    constexpr int LANES = 16;
    const int32_t rows = (int32_t)p.plan.x_shape[0], columns = (int32_t)p.plan.x_shape[1];
    const int32_t lane = (int32_t)threadIdx.x % LANES, step = p.packs ? 16 / (int)sizeof(T) : 1;
    for (int32_t r = (int32_t)threadIdx.x / LANES; r < p.box_rows; r += THREADS / LANES) {
        if (row + r < 0 || row + r >= rows) continue;
        const T *from = x + (int64_t)(row + r) * columns + column;
        for (int32_t c = lane * step; c < p.box_columns; c += LANES * step) {
            if (column + c < 0 || column + c >= columns) continue;
            if (p.packs)
                copy_element(reinterpret_cast<pack *>(box + r * p.box_pitch + c), from + c);
            else
                copy_element(box + r * p.box_pitch + c, from + c);
        }
    }
    wait_for_copies();
}

// The whole part of a coordinate, of even orders rounded to nearest, and the rest. In float the fraction is the last
// word of the sum with 1.5 2^20: what is lost is below 2^-32. No index of a plane if x is none of one (set_box).
template <class T, int order> GNDI_FN int32_t split(double x, T *rest) {
    const double moved = order % 2 == 0 ? m::add(x, 0.5) : x;
    if constexpr (sizeof(T) == 4) {
        constexpr double SHIFT = 1572864.0;
        const double sum = __dadd_rd(moved, SHIFT);
        *rest = (float)(uint32_t)__double2loint(sum) * 0x1p-32f - (order % 2 == 0 ? 0.5f : 0);
        return __double2hiint(sum) - __double2hiint(SHIFT);
    } else {
        double whole;
        const int32_t i = floor_of(moved, &whole);
        *rest = x - whole;
        return i;
    }
}

// Which first coefficients along an axis are in the box with those that follow, and within the plane.
struct reach {
    int32_t begin, low, count; // where the box begins; the first one; how many
};
GNDI_FN reach reach_of(int32_t begin, int32_t held, int32_t n, int order) {
    const int32_t low = begin > 0 ? begin : 0, end = min(n, begin + held) - order;
    return {begin, low, end > low ? end - low : 0};
}

// An output, not rounded, from the box. False: it needs coefficients beyond the ends; or they are not in the box, since
// its coordinates are sums of far larger numbers.
template <class T, int order> GNDI_FN bool take(const params_t &p, const T *box, const reach &rows,
                                                const reach &columns, double c0, double c1, T *value) {
    const plan_t &plan = p.plan;
    T down[order + 1], along[order + 1], rest[2];
    const int32_t whole[2] = {split<T, order>(c0, &rest[0]), split<T, order>(c1, &rest[1])};
    const int32_t i = whole[0] - order / 2, j = whole[1] - order / 2;
    const bool inside =
        ((uint32_t)(i - rows.low) < (uint32_t)rows.count) & ((uint32_t)(j - columns.low) < (uint32_t)columns.count);
    weights(rest[0], order, down), weights(rest[1], order, along);
    const int32_t at = inside ? (i - rows.begin) * p.box_pitch + j - columns.begin : 0;
    const T sum = sum_of<T, order>(box + at, p.box_pitch, down, along);
    *value = inside ? sum : (T)plan.fill;
    const bool odd = order % 2 == 1; /* the whole part is then the floor: anything past the last element is beyond */
    const bool beyond = ((uint32_t)whole[0] >= (uint32_t)plan.x_shape[0] - (odd && rest[0] > 0)) |
                        ((uint32_t)whole[1] >= (uint32_t)plan.x_shape[1] - (odd && rest[1] > 0));
    return inside | (beyond & (plan.mode == GND_IMAGE_CONSTANT));
}

template <class T, int order> GNDI_FN void put_from_box(const params_t &p) {
    constexpr int TOGETHER = order <= 1 ? 4 : 1;
    extern __shared__ __align__(16) char shared[];
    __shared__ double2 first_term[BOX]; // of both coordinates of each row
    const plan_t &plan = p.plan;
    T *box = reinterpret_cast<T *>(shared);
    const uint32_t tiles = (uint32_t)(plan.out_shape[1] + BOX - 1) / BOX, band = blockIdx.x / tiles;
    const int32_t row = (int32_t)band * BOX, column = (int32_t)(blockIdx.x - band * tiles) * BOX;
    const int32_t lane = (int32_t)threadIdx.x % WARP, c = column + (int32_t)threadIdx.x / WARP * WIDE + lane % WIDE;
    const int32_t own = row + lane / WIDE, end = c < plan.out_shape[1] ? (int32_t)plan.out_shape[0] : 0;
    int32_t left = box_begin(p, 1, order, row, column);
    if (p.packs) left &= -16 / (int)sizeof(T);
    const reach rows = reach_of(box_begin(p, 0, order, row, column), p.box_rows, (int32_t)plan.x_shape[0], order);
    const reach columns = reach_of(left, p.box_columns, (int32_t)plan.x_shape[1], order);
    if (threadIdx.x < BOX) {
        const double i = m::add(of_integer(row + (int32_t)threadIdx.x), plan.ahead[0]);
        first_term[threadIdx.x] = {m::mul(plan.matrix[0][0], i), m::mul(plan.matrix[1][0], i)};
    }
    const double j = m::add(of_integer(c), plan.ahead[1]);
    const double term[2] = {m::mul(plan.matrix[0][1], j), m::mul(plan.matrix[1][1], j)};
    for (int64_t k = 0; k < plan.outer; k++) {
        if (k > 0) __syncthreads();
        load_box(p, static_cast<const T *>(plan.x) + k * plan.x_shape[0] * plan.x_shape[1], box, rows.begin, left);
        __syncthreads();
        T *out = static_cast<T *>(plan.out) + k * plan.count + (int64_t)own * plan.out_shape[1] + c;
        uint32_t missed = 0;
#pragma unroll 1
        for (int32_t r = 0; r < BOX; r += TOGETHER * HIGH) {
            T value[TOGETHER];
            bool done[TOGETHER];
#pragma unroll
            for (int t = 0; t < TOGETHER; t++) {
                const double2 its = first_term[r + t * HIGH + lane / WIDE];
                double c0 = m::add(m::add(its.x, term[0]), plan.offset[0]);
                double c1 = m::add(m::add(its.y, term[1]), plan.offset[1]);
                if (order >= 2) c0 = m::add(c0, p.pad), c1 = m::add(c1, p.pad);
                done[t] = take<T, order>(p, box, rows, columns, c0, c1, &value[t]);
            }
            if (plan.rounding != GNDI_SAMPLE_EXACT) {
#pragma unroll
                for (int t = 0; t < TOGETHER; t++) value[t] = rounded(plan, value[t]);
            }
#pragma unroll
            for (int t = 0; t < TOGETHER; t++, out += HIGH * plan.out_shape[1]) {
                const bool is_there = own + r + t * HIGH < end;
                if (is_there & done[t]) *out = value[t];
                missed |= (uint32_t)(is_there & !done[t]) << (r / HIGH + t);
            }
        }
        for (; k == 0 && missed; missed &= missed - 1) { // of all results
            const int32_t r = own + (__ffs((int)missed) - 1) * HIGH;
            put_at_the_ends<T, order>(plan, (int64_t)r * plan.out_shape[1] + c, coordinate(plan, 0, r, c),
                                      coordinate(plan, 1, r, c));
        }
    }
}

// Orders 0 and 1 wait for memory: more warps at a time.
template <class T, int order> __global__ void __launch_bounds__(THREADS, order <= 1                     ? 4
                                                                         : order <= 3 && sizeof(T) == 4 ? 3
                                                                                                        : 2)
    plane_kernel(const __grid_constant__ params_t p) {
    if (p.plan.coordinates) return put_given<T, order>(p.plan);
    if constexpr (order >= 1) {
        if (p.box_rows > 0) return put_from_box<T, order>(p);
    }
    put_one<T, order>(p.plan);
}

template <class T, int order> __global__ void __launch_bounds__(THREADS)
    sample_kernel(const __grid_constant__ params_t p) {
    const int64_t o = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (o < p.plan.count) put<T, order, false>(p.plan, o);
}

template <class T, bool plane, int order> static const void *kernel_of() {
    return plane ? (const void *)plane_kernel<T, order> : (const void *)sample_kernel<T, order>;
}

template <class T, bool plane> static const void *of_order(int order) {
    switch (order) {
    case 0: return kernel_of<T, plane, 0>();
    case 1: return kernel_of<T, plane, 1>();
    case 2: return kernel_of<T, plane, 2>();
    case 3: return kernel_of<T, plane, 3>();
    case 4: return kernel_of<T, plane, 4>();
    default: return kernel_of<T, plane, 5>();
    }
}

} // namespace sample
} // namespace gnd

#define SAMPLE(part, T)                                                                                                \
    extern "C" const void *gndi_cuda_sample_##part(int order, bool plane) {                                            \
        return plane ? gnd::sample::of_order<T, true>(order) : gnd::sample::of_order<T, false>(order);                 \
    }
#ifdef GNDI_PART_floats
SAMPLE(floats, float)
#endif
#ifdef GNDI_PART_doubles
SAMPLE(doubles, double)
#endif
