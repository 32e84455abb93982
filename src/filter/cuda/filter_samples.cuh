// filter_samples.cuh: a tile of samples from memory to shared memory and back. Where it can be, 16 bytes are moved at a
// time. In shared memory a gap follows each thread's run, so that threads that read their runs meet in no bank.
#pragma once
#include "filter/cuda/filter_params.h"
#include "kernels/cuda/async_copy.cuh"
#include <cuda_pipeline_primitives.h>

namespace gnd {

enum { TILE = GNDI_FILTER_THREADS * GNDI_FILTER_RUN };

// A tile begins with sample `from` of a signal; the call has the samples from `position` to `end`.
struct filter_span {
    int64_t from, position, end;
    __device__ __forceinline__ bool is_whole() const { return from >= position && from + TILE <= end; }
    // The call's samples of the tile: from this one on, and without that one.
    __device__ __forceinline__ int begin() const { return position > from ? (int)(position - from) : 0; }
    __device__ __forceinline__ int finish() const { return end - from < TILE ? (int)(end - from) : (int)TILE; }
};

template <class T> struct filter_samples {
    static constexpr int quad = 16 / (int)sizeof(T), slots = GNDI_FILTER_THREADS * (GNDI_FILTER_RUN + quad);

    // What is moved at once.
    struct alignas(16) few {
        T v[quad];
    };

    GNDI_FN int slot_of(int e) { return e + e / GNDI_FILTER_RUN * quad; }
    GNDI_FN bool is_packed(const char *first, int64_t step) {
        return step == (int64_t)sizeof(T) && reinterpret_cast<uintptr_t>(first) % 16 == 0;
    }

    // `line` is where sample `position` is, and `earlier` the tile's samples before it.
    GNDI_FN void load(const filter_span &span, T *samples, const char *line, int64_t step, const T *earlier) {
        const char *first = line + (span.from - span.position) * step;
        if (!span.is_whole()) {
#pragma unroll 8
            for (int e = (int)threadIdx.x; e < TILE; e += GNDI_FILTER_THREADS) {
                const int64_t i = span.from + e;
                if (i < span.end)
                    copy_element(samples + slot_of(e),
                                 i < span.position ? (const char *)(earlier + e) : first + e * step);
                else
                    samples[slot_of(e)] = T{};
            }
        } else if (is_packed(first, step)) {
#pragma unroll
            for (int e = (int)threadIdx.x * quad; e < TILE; e += GNDI_FILTER_THREADS * quad)
                __pipeline_memcpy_async(samples + slot_of(e), first + e * sizeof(T), 16);
        } else {
#pragma unroll 8
            for (int e = (int)threadIdx.x; e < TILE; e += GNDI_FILTER_THREADS)
                copy_element(samples + slot_of(e), first + e * step);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }

    // Of a short call, for scans that look at no sample behind its end: samples before it come from `kept`, and its own
    // go there, of a tile that it does not end.
    GNDI_FN void load_short(const filter_span &span, T *samples, const char *line, int64_t step, T *kept) {
        enum { AHEAD = 8 }; // samples that a thread loads before it stores one
        const int begin = span.begin(), end = span.finish(), whole = begin / quad * quad;
        const char *first = line + (span.from - span.position) * step;
        for (int e = (int)threadIdx.x * quad; e < whole; e += GNDI_FILTER_THREADS * quad)
            __pipeline_memcpy_async(samples + slot_of(e), kept + e, 16);
        __pipeline_commit();
        int next = whole;
        if (begin == whole && is_packed(first, step)) {
            next = end / quad * quad;
            enum { APART = GNDI_FILTER_THREADS * quad };
#pragma unroll 1
            for (int e = begin + (int)threadIdx.x * quad; e < next; e += 2 * APART) {
                few v[2];
#pragma unroll
                for (int k = 0; k < 2; k++)
                    if (e + k * APART < next)
                        v[k] = *reinterpret_cast<const few *>(first + (e + k * APART) * sizeof(T));
#pragma unroll
                for (int k = 0; k < 2; k++) {
                    if (e + k * APART >= next) continue;
                    *reinterpret_cast<few *>(samples + slot_of(e + k * APART)) = v[k];
                    if (end < TILE) *reinterpret_cast<few *>(kept + e + k * APART) = v[k];
                }
            }
        }
#pragma unroll 1
        for (int e = next + (int)threadIdx.x; e < end; e += AHEAD * GNDI_FILTER_THREADS) {
            T v[AHEAD];
#pragma unroll
            for (int k = 0, i = e; k < AHEAD; k++, i += GNDI_FILTER_THREADS)
                if (i < end)
                    v[k] = *reinterpret_cast<const T *>(i < begin ? (const char *)(kept + i) : first + i * step);
#pragma unroll
            for (int k = 0, i = e; k < AHEAD; k++, i += GNDI_FILTER_THREADS) {
                if (i >= end) continue;
                samples[slot_of(i)] = v[k];
                if (i >= begin && end < TILE) kept[i] = v[k];
            }
        }
        __pipeline_wait_prior(0);
    }

    // Results first, first + every, ... are stored side by side.
    GNDI_FN void store_some(const filter_span &span, const T *samples, char *line, int64_t step, int64_t first,
                            int64_t every) {
        const int64_t from = span.from - span.position - first, end = span.end - span.position - first;
        int64_t k = (from > 0 ? (from + every - 1) / every : 0) + threadIdx.x;
#pragma unroll 1
        for (int64_t i = k * every; i < from + TILE && i < end;
             i += every * GNDI_FILTER_THREADS, k += GNDI_FILTER_THREADS)
            *reinterpret_cast<T *>(line + k * step) = samples[slot_of((int)(i - from))];
    }

    GNDI_FN void store(const filter_span &span, const T *samples, char *line, int64_t step) {
        char *first = line + (span.from - span.position) * step;
        if (span.is_whole() && is_packed(first, step)) {
#pragma unroll
            for (int e = (int)threadIdx.x * quad; e < TILE; e += GNDI_FILTER_THREADS * quad)
                *reinterpret_cast<few *>(first + e * sizeof(T)) = *reinterpret_cast<const few *>(samples + slot_of(e));
            return;
        }
        int begin = span.begin();
        const int end = span.finish();
        if (begin % quad == 0 && is_packed(first, step)) {
            const int whole = end / quad * quad;
            for (int e = begin + (int)threadIdx.x * quad; e < whole; e += GNDI_FILTER_THREADS * quad)
                *reinterpret_cast<few *>(first + e * sizeof(T)) = *reinterpret_cast<const few *>(samples + slot_of(e));
            begin = whole;
        }
#pragma unroll 8
        for (int e = begin + (int)threadIdx.x; e < end; e += GNDI_FILTER_THREADS)
            *reinterpret_cast<T *>(first + e * step) = samples[slot_of(e)];
    }
};

} // namespace gnd
