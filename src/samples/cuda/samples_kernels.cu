// samples_kernels.cu: four numbers a thread, whose bytes and numbers are one vector each where they are aligned.
#include "samples/samples_ops.h"

namespace gnd {
namespace samples {

enum { THREADS = 256, EACH = 4 };

/* ---- four numbers --------------------------------------------------------------------------- */

template <class T> struct alignas(sizeof(T) * EACH < 16 ? sizeof(T) * EACH : 16) four { T at[EACH]; };
template <class T> static __device__ bool is_aligned(const void *p) {
    return reinterpret_cast<uintptr_t>(p) % alignof(four<T>) == 0;
}
template <class T> static __device__ four<T> load(const uint8_t *from, bool aligned, int count) {
    four<T> f;
    if (aligned && count == EACH) return *reinterpret_cast<const four<T> *>(from);
    for (int k = 0; k < EACH; k++) {
        union {
            uint8_t byte[sizeof(T)];
            T number;
        } one;
        for (size_t b = 0; b < sizeof(T); b++) one.byte[b] = k < count ? from[k * sizeof(T) + b] : 0;
        f.at[k] = one.number;
    }
    return f;
}
template <class T> static __device__ void store(uint8_t *to, bool aligned, int count, const four<T> &f) {
    if (aligned && count == EACH) {
        *reinterpret_cast<four<T> *>(to) = f;
        return;
    }
    for (int k = 0; k < count; k++) {
        union {
            uint8_t byte[sizeof(T)];
            T number;
        } one;
        one.number = f.at[k];
        for (size_t b = 0; b < sizeof(T); b++) to[k * sizeof(T) + b] = one.byte[b];
    }
}

/* ---- kernels -------------------------------------------------------------------------------- */

template <class S, class U, class V> __global__ void __launch_bounds__(THREADS)
    convert_kernel(const __grid_constant__ gndi_samples_plan p) {
    uint8_t *bytes = static_cast<uint8_t *>(p.bytes), *numbers = static_cast<uint8_t *>(p.numbers);
    const bool bytes_aligned = is_aligned<U>(bytes), numbers_aligned = is_aligned<V>(numbers);
    const U flip = flip_of<U>(p);
    const int64_t step = (int64_t)gridDim.x * THREADS * EACH;
    for (int64_t i = ((int64_t)blockIdx.x * THREADS + threadIdx.x) * EACH; i < p.count; i += step) {
        const int count = p.count - i < EACH ? (int)(p.count - i) : EACH;
        uint8_t *packed = bytes + i * (int64_t)sizeof(U), *wide = numbers + i * (int64_t)sizeof(V);
        four<U> u;
        four<V> v;
        if (p.packs) {
            v = load<V>(wide, numbers_aligned, count);
            for (int k = 0; k < EACH; k++) u.at[k] = pack<S, U, V>(v.at[k], p.swapped, flip, p.scale);
            store(packed, bytes_aligned, count, u);
        } else {
            u = load<U>(packed, bytes_aligned, count);
            for (int k = 0; k < EACH; k++) v.at[k] = unpack<S, U, V>(u.at[k], p.swapped, flip, (V)p.scale);
            store(wide, numbers_aligned, count, v);
        }
    }
}

/* Two pairs of 12 bits a thread: six bytes, as three halves of words where they are aligned. */
template <class V> __global__ void __launch_bounds__(THREADS)
    pairs_kernel(const __grid_constant__ gndi_samples_plan p) {
    uint8_t *bytes = static_cast<uint8_t *>(p.bytes), *numbers = static_cast<uint8_t *>(p.numbers);
    const bool bytes_aligned = reinterpret_cast<uintptr_t>(bytes) % 2 == 0, numbers_aligned = is_aligned<V>(numbers);
    const int64_t step = (int64_t)gridDim.x * THREADS * EACH;
    for (int64_t i = ((int64_t)blockIdx.x * THREADS + threadIdx.x) * EACH; i < p.count; i += step) {
        const int count = p.count - i < EACH ? (int)(p.count - i) : EACH; /* 2 or 4 */
        uint8_t *packed = bytes + i / 2 * 3, *wide = numbers + i * (int64_t)sizeof(V);
        union {
            uint16_t half[3];
            uint8_t byte[6];
        } six;
        four<V> v;
        if (p.packs) {
            v = load<V>(wide, numbers_aligned, count);
            pack_pair<V>(v.at, p.swapped, p.scale, six.byte);
            pack_pair<V>(v.at + 2, p.swapped, p.scale, six.byte + 3);
            if (bytes_aligned && count == EACH)
                for (int k = 0; k < 3; k++) reinterpret_cast<uint16_t *>(packed)[k] = six.half[k];
            else
                for (int k = 0; k < count / 2 * 3; k++) packed[k] = six.byte[k];
        } else {
            if (bytes_aligned && count == EACH)
                for (int k = 0; k < 3; k++) six.half[k] = reinterpret_cast<const uint16_t *>(packed)[k];
            else
                for (int k = 0; k < 6; k++) six.byte[k] = k < count / 2 * 3 ? packed[k] : 0;
            unpack_pair<V>(six.byte, p.swapped, (V)p.scale, v.at);
            unpack_pair<V>(six.byte + 3, p.swapped, (V)p.scale, v.at + 2);
            store(wide, numbers_aligned, count, v);
        }
    }
}

template <class V> static const void *kernel_of(int kind) {
    switch (kind) {
    case GNDI_SAMPLE_I8: return (const void *)convert_kernel<int8_t, uint8_t, V>;
    case GNDI_SAMPLE_U8: return (const void *)convert_kernel<uint8_t, uint8_t, V>;
    case GNDI_SAMPLE_I12: return (const void *)pairs_kernel<V>;
    case GNDI_SAMPLE_I16: return (const void *)convert_kernel<int16_t, uint16_t, V>;
    case GNDI_SAMPLE_U16: return (const void *)convert_kernel<uint16_t, uint16_t, V>;
    case GNDI_SAMPLE_I32: return (const void *)convert_kernel<int32_t, uint32_t, V>;
    case GNDI_SAMPLE_U32: return (const void *)convert_kernel<uint32_t, uint32_t, V>;
    case GNDI_SAMPLE_F32: return (const void *)convert_kernel<float, uint32_t, V>;
    default: return (const void *)convert_kernel<double, uint64_t, V>;
    }
}

} // namespace samples
} // namespace gnd

extern "C" const void *gndi_cuda_samples_kernel(const gndi_samples_plan *p) {
    return p->wide ? gnd::samples::kernel_of<double>(p->kind) : gnd::samples::kernel_of<float>(p->kind);
}
