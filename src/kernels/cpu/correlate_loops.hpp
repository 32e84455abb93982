/*
 * correlate_loops.hpp: sliding sums of products in vectors. A strip keeps its sums in registers while
 * the taps go by: one tap, repeated in a vector, times as many elements of x as there are sums. Taps
 * are added up in groups, which keeps long sums about as accurate as pairwise ones. The widths do not
 * depend on the instruction set, so that all give the same bits.
 */
#include "kernels/cpu/correlate_loops.h"
#include "kernels/scalar_types.h"

namespace gnd {

template <class T> struct correlation {
    static constexpr int part_bytes = 128; /* eight of the narrowest registers */
    static constexpr int lanes = part_bytes / (int)sizeof(T);
    static constexpr int64_t group = 256;
    typedef T V __attribute__((vector_size(64)));
    typedef T Unaligned __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
    static constexpr int half = lanes / 2;

#if defined(__AVX2__)
    static constexpr int parts = 4; /* vectors of 64 bytes at a time */
#else
    static constexpr int parts = 2;
#endif

    /* Not a function that returns a vector: those have no fixed ABI without AVX-512. */
    typedef const Unaligned *From;

    /* parts * 64 bytes of sums. */
    GNDI_FN void narrow_strip(const T *x, const T *k, int64_t taps, T *sums) {
        V total[parts];
        for (int r = 0; r < parts; r++) total[r] = *(From)(sums + r * half);
        while (taps > 0) {
            const int64_t now = taps < group ? taps : group;
            V sum[parts] = {};
            for (int64_t j = 0; j < now; j++) {
                const T tap = k[j];
#pragma GCC unroll 4
                for (int r = 0; r < parts; r++) sum[r] += *(From)(x + j + r * half) * tap;
            }
            for (int r = 0; r < parts; r++) total[r] += sum[r];
            x += now, k += now, taps -= now;
        }
        for (int r = 0; r < parts; r++) *reinterpret_cast<Unaligned *>(sums + r * half) = total[r];
    }

    static void strip(const void *x, const void *k, int64_t taps, void *sums) {
        for (int r = 0; r < GNDI_CORRELATE_BYTES / 64; r += parts)
            narrow_strip((const T *)x + r * half, (const T *)k, taps, (T *)sums + r * half);
    }

    static void dot(const void *x_given, const void *k_given, int64_t taps, void *sum) {
        const T *x = (const T *)x_given, *k = (const T *)k_given;
        T total = *(T *)sum;
        while (taps > 0) {
            const int64_t now = taps < group * half ? taps : group * half;
            V sums[2] = {};
            T rest = 0;
            int64_t j = 0;
            for (; j + lanes <= now; j += lanes) {
                sums[0] += *(From)(x + j) * *(From)(k + j);
                sums[1] += *(From)(x + j + half) * *(From)(k + j + half);
            }
            for (; j < now; j++) rest += x[j] * k[j];
            V both = sums[0] + sums[1];
            for (int width = half / 2; width > 0; width /= 2)
                for (int lane = 0; lane < width; lane++) both[lane] += both[lane + width];
            total += both[0] + rest;
            x += now, k += now, taps -= now;
        }
        *(T *)sum = total;
    }
};

template <class T> static void fill_correlation(gndi_cpu_correlation *to) {
    to->strip = correlation<T>::strip;
    to->dot = correlation<T>::dot;
}

} // namespace gnd
