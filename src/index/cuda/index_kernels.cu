// index_kernels.cu: elements by index, by the size of an element alone. A thread finds the elements of
// several points, then loads all of them, then stores them: random accesses are slow one by one, and
// many on their way at a time are what makes them fast.
#include "kernels/cuda/digits.cuh"
#include "index/cuda/index_params.h"
#include "kernels/cuda/report_fault.cuh"
#include "kernels/scalar/scalar_types.h"
#include <assert.h>

static_assert(sizeof(gndi_index_params) <= 4096, "what every GPU takes as parameters");

namespace gnd {

/* ---- points --------------------------------------------------------------------------------- */

/* A point taken apart along the axes. */
template <int Each, int Rows> GNDI_FN void digits_along(const gndi_index_params &p, const int64_t *stride,
                                                        const uint32_t (&point)[Each], int64_t (&offset)[Rows][Each]) {
    uint32_t rest[Each];
#pragma unroll
    for (int u = 0; u < Each; u++) {
        rest[u] = point[u];
#pragma unroll
        for (int r = 0; r < Rows; r++) offset[r][u] = 0;
    }
    for (int a = p.ndim - 1; a > 0; a--) {
        const gndi_index_divisor d = p.divisor[a];
        int64_t by[Rows];
#pragma unroll
        for (int r = 0; r < Rows; r++) by[r] = stride[r * p.ndim + a];
#pragma unroll
        for (int u = 0; u < Each; u++) {
            const uint32_t quotient = (__umulhi(rest[u], d.magic) + rest[u]) >> d.shift;
            const uint32_t digit = rest[u] - quotient * d.size;
            rest[u] = quotient;
#pragma unroll
            for (int r = 0; r < Rows; r++) offset[r][u] += (int64_t)digit * by[r];
        }
    }
#pragma unroll
    for (int r = 0; r < Rows; r++)
#pragma unroll
        for (int u = 0; u < Each; u++) offset[r][u] += (int64_t)rest[u] * stride[r * p.ndim];
}

/* Offsets of points along several rows of strides at once: Rows of them from `row` on. */
template <int Each, int Rows, bool One> GNDI_FN void
offsets_of(const gndi_index_params &p, int row, const uint32_t (&point)[Each], int64_t (&offset)[Rows][Each]) {
    const int64_t *stride = p.stride + row * p.ndim;
    if constexpr (One) {
#pragma unroll
        for (int r = 0; r < Rows; r++)
#pragma unroll
            for (int u = 0; u < Each; u++) offset[r][u] = (int64_t)point[u] * stride[r];
    } else {
        digits_along(p, stride, point, offset);
    }
}

/* ---- indices -------------------------------------------------------------------------------- */

template <class I, int Each, bool One> GNDI_FN void load_indices(const char *data, const bool (&inside)[Each],
                                                                 const int64_t (&at)[Each], int64_t (&index)[Each]) {
    I x[Each];
#pragma unroll
    for (int u = 0; u < Each; u++) {
        x[u] = 0;
        if (inside[u]) x[u] = One ? __ldcs((const I *)(data + at[u])) : __ldg((const I *)(data + at[u]));
    }
#pragma unroll
    for (int u = 0; u < Each; u++) {
        index[u] = (int64_t)x[u];
        /* uint64 above 2^63 - 1 becomes the largest int64, which is out of range everywhere. */
        if (is_same<I, unsigned long long> && index[u] < 0) index[u] = INT64_MAX;
    }
}

template <int Each, bool One> GNDI_FN void load_list(const gndi_index_source &list, const bool (&inside)[Each],
                                                     const int64_t (&at)[Each], int64_t (&index)[Each]) {
    switch (list.dtype) {
    case 1: load_indices<unsigned char, Each, One>(list.data, inside, at, index);
#pragma unroll
        for (int u = 0; u < Each; u++) index[u] = index[u] != 0;
        break;
    case 2: load_indices<signed char, Each, One>(list.data, inside, at, index); break;
    case 3: load_indices<unsigned char, Each, One>(list.data, inside, at, index); break;
    case 4: load_indices<short, Each, One>(list.data, inside, at, index); break;
    case 5: load_indices<unsigned short, Each, One>(list.data, inside, at, index); break;
    case 6: load_indices<int, Each, One>(list.data, inside, at, index); break;
    case 7: load_indices<unsigned int, Each, One>(list.data, inside, at, index); break;
    case 9: load_indices<unsigned long long, Each, One>(list.data, inside, at, index); break;
    default: load_indices<long long, Each, One>(list.data, inside, at, index); break;
    }
}

static __device__ __noinline__ void report(gndi_fault *fault, int64_t index, int axis, int64_t size) {
    report_fault(fault, GNDI_FAULT_INDEX, index, axis, size);
}

/* 0 .. size - 1, or -1. */
GNDI_FN int64_t settle(int64_t index, int64_t size, int mode) {
    if (mode <= 1) { /* raise; strict */
        if (index < 0 && mode == 0) index += size;
        return (uint64_t)index < (uint64_t)size ? index : -1;
    }
    if (mode == 3) return index < 0 ? 0 : index < size ? index : size - 1; /* clip */
    index %= size;                                                         /* wrap */
    return index < 0 ? index + size : index;
}

/* Adds what a list says to the elements of points, and to their numbers if these are `Keyed`; takes from
   `live` those that are out of range. */
template <int Each, bool Keyed> GNDI_FN void add_indices(const gndi_index_params &p, const gndi_index_source &list,
                                                         const int64_t (&index)[Each], uint32_t &live,
                                                         int64_t (&element)[Each], int64_t (&key)[Each]) {
#pragma unroll
    for (int u = 0; u < Each; u++) {
        int64_t digit = settle(index[u], list.size, p.mode);
        if (digit < 0) {
            if (live >> u & 1) report(p.fault, index[u], list.axis, list.size);
            live &= ~(1u << u);
            digit = 0;
        }
        if (Keyed) key[u] += digit * list.key_step;
        if (list.modulo) digit = digit / list.divide % list.modulo;
        element[u] += digit * list.step;
    }
}

/* ---- claims --------------------------------------------------------------------------------- */

GNDI_FN uint64_t first_slot(uint64_t key, uint64_t slots) {
    key *= 0x9e3779b97f4a7c15u; /* Fibonacci hashing (Knuth, volume 3, 6.4) */
    return (key ^ key >> 32) & (slots - 1);
}

/* Where the turns of an element are counted. With keys: the slot that holds it, or the first free one,
   which it then takes. */
[[maybe_unused]] GNDI_FN uint32_t *turn_of(const gndi_index_params &p, int64_t key, bool takes) {
    if (!p.keys) return p.turns + key;
    const unsigned long long own = (unsigned long long)key + 1;
    uint64_t slot = first_slot(own, p.slots);
    for (;;) {
        unsigned long long *at = (unsigned long long *)p.keys + slot;
        unsigned long long there = *(volatile unsigned long long *)at;
        if (there == 0 && takes) there = atomicCAS(at, 0ull, own);
        if (there == own || there == 0) return p.turns + slot;
        slot = (slot + 1) & (p.slots - 1);
    }
}

/* ---- moving --------------------------------------------------------------------------------- */

template <class W> GNDI_FN W number_of(const gndi_index_params &p) {
    W x;
    memcpy(&x, p.number, sizeof x);
    return x;
}

template <class W, int Each> GNDI_FN void get(const gndi_index_params &p, uint32_t live, const bool (&inside)[Each],
                                              const int64_t (&element)[Each], const int64_t (&to)[Each]) {
    W x[Each];
#pragma unroll
    for (int u = 0; u < Each; u++) {
        memset(&x[u], 0, sizeof x[u]);
        if (live >> u & 1) x[u] = __ldg((const W *)(p.array + element[u]));
    }
#pragma unroll
    for (int u = 0; u < Each; u++) {
        if (!inside[u]) continue;
        if (p.streams)
            __stcs((W *)(p.value + to[u]), x[u]);
        else
            *(W *)(p.value + to[u]) = x[u];
    }
}

template <class W, int Each> GNDI_FN void set(const gndi_index_params &p, uint32_t live, const int64_t (&element)[Each],
                                              const int64_t (&from)[Each]) {
    W x[Each];
#pragma unroll
    for (int u = 0; u < Each; u++) {
        x[u] = number_of<W>(p);
        if (p.value && live >> u & 1) x[u] = __ldg((const W *)(p.value + from[u]));
    }
#pragma unroll
    for (int u = 0; u < Each; u++)
        if (live >> u & 1) *(W *)(p.array + element[u]) = x[u];
}

/* ---- the kernels ---------------------------------------------------------------------------- */

/* A thread's points, and which of them there are: `inside`, and as bits of `live`. The others count
   as the last point. */
template <int Each>
GNDI_FN uint32_t points_of(const gndi_index_params &p, uint32_t (&point)[Each], bool (&inside)[Each]) {
    const uint32_t thread = blockIdx.x * GNDI_INDEX_THREADS + threadIdx.x;
    uint32_t live = 0;
#pragma unroll
    for (int u = 0; u < Each; u++) {
        const uint32_t own = thread + u * p.step;
        inside[u] = own < p.points;
        point[u] = inside[u] ? own : p.points - 1;
        live |= (uint32_t)inside[u] << u;
    }
    return live;
}

template <class W, int Kind, bool One> __global__ void __launch_bounds__(GNDI_INDEX_THREADS)
    index_kernel(const __grid_constant__ gndi_index_params p) {
    constexpr int each = One && sizeof(W) <= 8 ? GNDI_INDEX_EACH : GNDI_INDEX_EACH_WIDE;
    constexpr bool keyed = Kind == GNDI_INDEX_SET_LAST;
    uint32_t point[each];
    bool inside[each];
    int64_t offset[3][each], key[each];
    uint32_t live = points_of(p, point, inside);
    offsets_of<each, 3, One>(p, GNDI_INDEX_OF_ARRAY, point, offset);
    int64_t turn[2][each];
    if constexpr (keyed) {
        offsets_of<each, 2, One>(p, GNDI_INDEX_OF_LISTS + p.lists, point, turn);
#pragma unroll
        for (int u = 0; u < each; u++) key[u] = turn[0][u];
    }
    for (int k = 0; k < p.lists; k++) {
        int64_t index[each], at[1][each];
        if (k == 0) {
            load_list<each, One>(p.list[0], inside, offset[GNDI_INDEX_OF_LISTS], index);
        } else {
            offsets_of<each, 1, One>(p, GNDI_INDEX_OF_LISTS + k, point, at);
            load_list<each, One>(p.list[k], inside, at[0], index);
        }
        add_indices<each, keyed>(p, p.list[k], index, live, offset[GNDI_INDEX_OF_ARRAY], key);
    }
    if constexpr (keyed) {
#pragma unroll
        for (int u = 0; u < each; u++)
            if (live >> u & 1 && *turn_of(p, key[u], false) != (uint32_t)turn[1][u] + 1) live &= ~(1u << u);
    }
    if constexpr (Kind == GNDI_INDEX_GET) {
        get<W>(p, live, inside, offset[GNDI_INDEX_OF_ARRAY], offset[GNDI_INDEX_OF_VALUE]);
    } else if constexpr (Kind == GNDI_INDEX_OFFSETS) {
#pragma unroll
        for (int u = 0; u < each; u++)
            if (inside[u])
                *(int64_t *)(p.value + offset[GNDI_INDEX_OF_VALUE][u]) =
                    live >> u & 1 ? offset[GNDI_INDEX_OF_ARRAY][u] : (int64_t)p.number[0];
    } else {
        set<W>(p, live, offset[GNDI_INDEX_OF_ARRAY], offset[GNDI_INDEX_OF_VALUE]);
    }
}

/* Whole rows by one list of indices, copied in words. Each row has p.step blocks; all of them load its index. */
template <class W> __global__ void __launch_bounds__(GNDI_INDEX_ROW_THREADS)
    rows_kernel(const __grid_constant__ gndi_index_params p) {
    constexpr int in_bytes = GNDI_INDEX_ROW_BYTES / sizeof(W),
                  each = in_bytes < GNDI_INDEX_EACH ? in_bytes : GNDI_INDEX_EACH;
    const uint32_t row = blockIdx.x / p.step, part = blockIdx.x - row * p.step;
    const uint32_t words = p.divisor[1].size;
    const int64_t *array = p.stride + GNDI_INDEX_OF_ARRAY * 2, *value = p.stride + GNDI_INDEX_OF_VALUE * 2;
    const bool inside[1] = {true};
    int64_t at[1] = {(int64_t)row * p.stride[GNDI_INDEX_OF_LISTS * 2]}, index[1], key[1];
    int64_t element[1] = {(int64_t)row * array[0]};
    uint32_t live = threadIdx.x == 0 ? 1 : 2; /* one thread reports */
    load_list<1, false>(p.list[0], inside, at, index);
    add_indices<1, false>(p, p.list[0], index, live, element, key);
    const bool there = settle(index[0], p.list[0].size, p.mode) >= 0;
    const W *from = (const W *)(p.array + element[0]);
    W *to = (W *)(p.value + (int64_t)row * value[0]);
    const uint32_t first = part * (GNDI_INDEX_ROW_THREADS * each) + threadIdx.x;
    W x[each];
#pragma unroll
    for (int u = 0; u < each; u++) {
        const uint32_t i = first + u * GNDI_INDEX_ROW_THREADS;
        memset(&x[u], 0, sizeof x[u]);
        if (there && i < words) x[u] = p.streams ? __ldcs(from + i) : __ldg(from + i);
    }
#pragma unroll
    for (int u = 0; u < each; u++) {
        const uint32_t i = first + u * GNDI_INDEX_ROW_THREADS;
        if (i >= words) break;
        if (p.streams)
            __stcs(to + i, x[u]);
        else
            to[i] = x[u];
    }
}

#ifdef GNDI_PART_last

/* Each point claims its element for its turn. The last points come first: the others then mostly see
   that they have lost, and need no atomic. */
__global__ void __launch_bounds__(GNDI_INDEX_THREADS) claim_kernel(const __grid_constant__ gndi_index_params p) {
    const uint32_t thread = blockIdx.x * GNDI_INDEX_THREADS + threadIdx.x;
    if (thread >= p.points) return;
    const uint32_t point[1] = {p.points - 1 - thread};
    const bool inside[1] = {true};
    int64_t turn[2][1], element[1] = {0}, key[1];
    uint32_t live = 1;
    offsets_of<1, 2, false>(p, GNDI_INDEX_OF_LISTS + p.lists, point, turn);
    key[0] = turn[0][0];
    for (int k = 0; k < p.lists; k++) {
        int64_t index[1], at[1][1];
        offsets_of<1, 1, false>(p, GNDI_INDEX_OF_LISTS + k, point, at);
        load_list<1, false>(p.list[k], inside, at[0], index);
        add_indices<1, true>(p, p.list[k], index, live, element, key);
    }
    if (!live) return;
    uint32_t *claim = turn_of(p, key[0], true);
    const uint32_t own = (uint32_t)turn[1][0] + 1;
    if (*(volatile uint32_t *)claim < own) atomicMax(claim, own);
}

GNDI_FN int64_t word_of(const void *words, int64_t i, int bytes) {
    return bytes == 4 ? (int64_t)((const uint32_t *)words)[i] : ((const int64_t *)words)[i];
}

/* The element whose number a key is. */
GNDI_FN char *element_of(const gndi_last_params &p, int64_t key) {
    char *element = p.array;
    for (int a = p.axes - 1; a > 0; a--) element += take_digit(key, p.size[a]) * p.step[a];
    return element + key * p.step[0];
}

template <class W> __global__ void __launch_bounds__(GNDI_INDEX_THREADS)
    last_kernel(const __grid_constant__ gndi_last_params p) {
    const int64_t block = (int64_t)blockIdx.x * (GNDI_INDEX_THREADS * GNDI_LAST_EACH);
    int64_t key[GNDI_LAST_EACH];
    bool holds[GNDI_LAST_EACH];
    W x[GNDI_LAST_EACH];
#    pragma unroll
    for (int u = 0; u < GNDI_LAST_EACH; u++) {
        const int64_t i = block + u * GNDI_INDEX_THREADS + threadIdx.x;
        key[u] = i < p.updates ? word_of(p.keys, i, p.key_bytes) : p.elements;
        holds[u] = key[u] < p.elements && (i + 1 == p.updates || word_of(p.keys, i + 1, p.key_bytes) != key[u]);
    }
#    pragma unroll
    for (int u = 0; u < GNDI_LAST_EACH; u++) {
        const int64_t i = block + u * GNDI_INDEX_THREADS + threadIdx.x;
        if (!holds[u]) continue;
        if (p.values)
            x[u] = ((const W *)p.values)[i];
        else
            x[u] = *(const W *)(p.value + word_of(p.positions, i, p.position_bytes) * p.value_step);
    }
#    pragma unroll
    for (int u = 0; u < GNDI_LAST_EACH; u++)
        if (holds[u]) *(W *)element_of(p, key[u]) = x[u];
}

#endif

template <class W, int Kind> static const void *kernel_of(bool one) {
    return one ? reinterpret_cast<const void *>(&index_kernel<W, Kind, true>)
               : reinterpret_cast<const void *>(&index_kernel<W, Kind, false>);
}
template <int Kind> static const void *kernel_of_size(int size, bool one) {
    switch (size) {
    case 1: return kernel_of<unsigned char, Kind>(one);
    case 2: return kernel_of<unsigned short, Kind>(one);
    case 4: return kernel_of<unsigned int, Kind>(one);
    case 8: return kernel_of<unsigned long long, Kind>(one);
    default: return kernel_of<uint4, Kind>(one);
    }
}

} // namespace gnd

/* ---- the parts that this is compiled in ------------------------------------------------------- */

/* For elements of `size` bytes, one axis or any number; blocks of GNDI_INDEX_THREADS. */
#ifdef GNDI_PART_get
extern "C" const void *gndi_cuda_index_get_kernel(int size, bool one) {
    return gnd::kernel_of_size<GNDI_INDEX_GET>(size, one);
}
extern "C" const void *gndi_cuda_index_rows_kernel(int size) {
    switch (size) {
    case 1: return reinterpret_cast<const void *>(&gnd::rows_kernel<unsigned char>);
    case 2: return reinterpret_cast<const void *>(&gnd::rows_kernel<unsigned short>);
    case 4: return reinterpret_cast<const void *>(&gnd::rows_kernel<unsigned int>);
    case 8: return reinterpret_cast<const void *>(&gnd::rows_kernel<unsigned long long>);
    default: return reinterpret_cast<const void *>(&gnd::rows_kernel<uint4>);
    }
}
#endif

#ifdef GNDI_PART_set
extern "C" const void *gndi_cuda_index_set_kernel(int size, bool one) {
    return gnd::kernel_of_size<GNDI_INDEX_SET>(size, one);
}
extern "C" const void *gndi_cuda_index_offsets_kernel(bool one) {
    return gnd::kernel_of<unsigned long long, GNDI_INDEX_OFFSETS>(one);
}
#endif

#ifdef GNDI_PART_last
extern "C" const void *gndi_cuda_index_set_last_kernel(int size, bool one) {
    return gnd::kernel_of_size<GNDI_INDEX_SET_LAST>(size, one);
}
/* For blocks of GNDI_INDEX_THREADS threads, GNDI_LAST_EACH updates each. */
extern "C" const void *gndi_cuda_last_kernel(int size) {
    switch (size) {
    case 1: return reinterpret_cast<const void *>(&gnd::last_kernel<unsigned char>);
    case 2: return reinterpret_cast<const void *>(&gnd::last_kernel<unsigned short>);
    case 4: return reinterpret_cast<const void *>(&gnd::last_kernel<unsigned int>);
    case 8: return reinterpret_cast<const void *>(&gnd::last_kernel<unsigned long long>);
    default: return reinterpret_cast<const void *>(&gnd::last_kernel<uint4>);
    }
}
extern "C" const void *gndi_cuda_claim_kernel(void) {
    return reinterpret_cast<const void *>(&gnd::claim_kernel);
}
#endif
