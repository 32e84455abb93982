/*
 * correlate_loops.hpp: sliding sums of products in vectors. A strip keeps its sums in registers while
 * the taps go by: one tap, repeated in a register, times as many elements of x as there are sums. Taps
 * are added up in groups, which keeps long sums about as accurate as pairwise ones. In what order is
 * the same for registers of 16, 32 and 64 bytes, so that all instruction sets give the same bits.
 */
#include "signal/cpu/correlate_loops.h"
#include "kernels/scalar/scalar_types.h"

#if defined(__AVX512F__)
#    define GNDI_CORRELATE_REGISTER 64
#elif defined(__AVX2__)
#    define GNDI_CORRELATE_REGISTER 32
#else
#    define GNDI_CORRELATE_REGISTER 16
#endif

namespace gnd {

template <class T> struct correlation {
    static constexpr int lanes = GNDI_CORRELATE_REGISTER / (int)sizeof(T);
    static constexpr int64_t group = 256;
    typedef T V __attribute__((vector_size(GNDI_CORRELATE_REGISTER)));
    typedef T Unaligned __attribute__((vector_size(GNDI_CORRELATE_REGISTER), aligned(sizeof(T)), may_alias));
    typedef const Unaligned *From;

    /* Eight registers of sums, or as many as make up a strip. */
    static constexpr int all_registers = GNDI_CORRELATE_BYTES / GNDI_CORRELATE_REGISTER;
    static constexpr int registers = all_registers < 8 ? all_registers : 8;

    GNDI_FN void narrow_strip(const T *x, const T *k, int64_t taps, T *sums) {
        static_assert(registers == 8 || registers == 4, "the sums below");
        while (taps > 0) {
            const int64_t now = taps < group ? taps : group;
            V s0 = {}, s1 = {}, s2 = {}, s3 = {}, s4 = {}, s5 = {}, s6 = {}, s7 = {};
            for (int64_t j = 0; j < now; j++) {
                const V tap = k[j] - V{};
                const T *at = x + j;
                s0 += *(From)at * tap;
                s1 += *(From)(at + lanes) * tap;
                s2 += *(From)(at + 2 * lanes) * tap;
                s3 += *(From)(at + 3 * lanes) * tap;
                if constexpr (registers == 8) {
                    s4 += *(From)(at + 4 * lanes) * tap;
                    s5 += *(From)(at + 5 * lanes) * tap;
                    s6 += *(From)(at + 6 * lanes) * tap;
                    s7 += *(From)(at + 7 * lanes) * tap;
                }
            }
            const V sum[8] = {s0, s1, s2, s3, s4, s5, s6, s7};
            for (int r = 0; r < registers; r++) {
                Unaligned *to = reinterpret_cast<Unaligned *>(sums + r * lanes);
                *to = *to + sum[r];
            }
            x += now, k += now, taps -= now;
        }
    }

    static void strip(const void *x, const void *k, int64_t taps, void *sums) {
        for (int r = 0; r < all_registers; r += registers)
            narrow_strip((const T *)x + r * lanes, (const T *)k, taps, (T *)sums + r * lanes);
    }

    /* 128 bytes of sums, then halves onto halves. */
    static void dot(const void *x_given, const void *k_given, int64_t taps, void *sum) {
        constexpr int wide = 128 / (int)sizeof(T), count = 128 / GNDI_CORRELATE_REGISTER;
        const T *x = (const T *)x_given, *k = (const T *)k_given;
        T total = *(T *)sum;
        while (taps > 0) {
            const int64_t now = taps < group * wide ? taps : group * wide;
            V sums[count] = {};
            T rest = 0;
            int64_t j = 0;
            for (; j + wide <= now; j += wide)
#pragma GCC unroll 8
                for (int r = 0; r < count; r++) sums[r] += *(From)(x + j + r * lanes) * *(From)(k + j + r * lanes);
            for (; j < now; j++) rest += x[j] * k[j];
            T each[wide];
            __builtin_memcpy(each, sums, sizeof each);
            for (int width = wide / 2; width > 0; width /= 2)
                for (int lane = 0; lane < width; lane++) each[lane] += each[lane + width];
            total += each[0] + rest;
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
