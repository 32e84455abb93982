/*
 * scan_vectors.hpp: running sums, products, maxima and minima of floats along a line, in vectors.
 * One addition after the other takes the latency of an addition for each element. Here 64 bytes are
 * scanned within registers first, then the running result joins all of them at once, so that the
 * latency is paid once for 64 bytes.
 *
 * Within the 64 bytes the scan is Sklansky's (J. Sklansky, Conditional-sum addition logic, 1960):
 * in step k the upper half of each group of 2^(k+1) takes in the last of the lower half. The tree is
 * the same for registers of 16, 32 and 64 bytes, so all instruction sets give the same bits; and
 * running sums of numbers that are not negative never fall.
 */
#include "scan/cpu/scan_loops.h"
#include "kernels/scalar/scalar_ops.h"
#include <utility>

#if defined(__AVX512F__)
#    define GNDI_SCAN_BYTES 64
#elif defined(__AVX2__)
#    define GNDI_SCAN_BYTES 32
#else
#    define GNDI_SCAN_BYTES 16
#endif

namespace gnd {

/* How an operator folds two vectors (or numbers), and the number that changes nothing. */
template <class T> struct vector_add {
    template <class V> GNDI_FN V fold(V a, V b) { return a + b; }
    GNDI_FN T identity() { return -(T)0; }
};
template <class T> struct vector_multiply {
    template <class V> GNDI_FN V fold(V a, V b) { return a * b; }
    GNDI_FN T identity() { return 1; }
};
/* The first NaN stays, and the last of equal zeros, as in scalar_rounding.h. */
template <class T> struct vector_maximum {
    template <class V> GNDI_FN V fold(V a, V b) { return ((a > b) | (a != a)) ? a : b; }
    GNDI_FN T identity() { return -limits<T>::infinity(); }
};
template <class T> struct vector_minimum {
    template <class V> GNDI_FN V fold(V a, V b) { return ((a < b) | (a != a)) ? a : b; }
    GNDI_FN T identity() { return limits<T>::infinity(); }
};

/* Elements are `Parts` numbers each: 2 of complex ones. */
template <class Op, class T, int Parts = 1> struct scan_vectors {
    static constexpr int lanes = GNDI_SCAN_BYTES / (int)sizeof(T);
    static constexpr int registers = 64 / GNDI_SCAN_BYTES;
    static constexpr int group = lanes * registers;
    typedef choose_t<sizeof(T) == 4, int32_t, int64_t> index;
    typedef T V __attribute__((vector_size(GNDI_SCAN_BYTES)));
    typedef index M __attribute__((vector_size(GNDI_SCAN_BYTES)));
    typedef T Unaligned __attribute__((vector_size(GNDI_SCAN_BYTES), aligned(sizeof(T)), may_alias));

    typedef std::make_integer_sequence<int, lanes> every_lane;

    GNDI_FN V all(T x) { return x - (V){}; }
    template <int... Lane> GNDI_FN V last_of(V v, std::integer_sequence<int, Lane...>) {
        return __builtin_shuffle(v, M{(lanes - Parts + Lane % Parts)...});
    }
    GNDI_FN V last_of(V v) { return last_of(v, every_lane()); }

    /* Lanes of an upper half of 2 * Half get the last of the lower half, others the identity. */
    template <int Half, int... Lane> GNDI_FN V below(V v, std::integer_sequence<int, Lane...>) {
        const V moved = __builtin_shuffle(
            v, M{(Lane & Half ? (Lane & ~(2 * Half - 1)) + Half - Parts + Lane % Parts : (int)Lane)...});
        const M upper = {(Lane & Half ? -1 : 0)...};
        return (V)(((M)moved & upper) | ((M)all(Op::identity()) & ~upper));
    }
    template <int Half> GNDI_FN V step(V v) {
        if constexpr (Half >= lanes)
            return v;
        else
            return step<2 * Half>(Op::fold(below<Half>(v, every_lane()), v));
    }

    /* The scan of 64 bytes, then the running result, which is in every lane of `carry`. */
    GNDI_FN void scan_group(const T *x, T *out, V &carry) {
        V v[registers];
#pragma GCC unroll 4
        for (int r = 0; r < registers; r++) v[r] = step<Parts>(*(const Unaligned *)(x + r * lanes));
#pragma GCC unroll 4
        for (int half = 1; half < registers; half *= 2)
#pragma GCC unroll 4
            for (int r = 0; r < registers; r++)
                if (r & half) v[r] = Op::fold(last_of(v[(r & ~(2 * half - 1)) + half - 1]), v[r]);
        const V next = Op::fold(carry, last_of(v[registers - 1]));
#pragma GCC unroll 4
        for (int r = 0; r < registers; r++) {
            v[r] = Op::fold(carry, v[r]);
            *(Unaligned *)(out + r * lanes) = v[r];
        }
        carry = next;
    }

    static int line(const char *from, char *to, int64_t count, char *running, bool first) {
        const T *x = (const T *)from;
        T *out = (T *)to, start[Parts];
        const int64_t n = count * Parts;
        for (int k = 0; k < Parts; k++) start[k] = Op::identity();
        if (!first) memcpy(start, running, sizeof start);
        V carry;
        for (int k = 0; k < lanes; k++) carry[k] = start[k % Parts];
        int64_t i = 0;
        for (; i + group <= n; i += group) scan_group(x + i, out + i, carry);
        for (int k = 0; k < Parts; k++) start[k] = carry[k];
        if (i < n) {
            T part[group];
            for (int k = 0; k < group; k++) part[k] = i + k < n ? x[i + k] : Op::identity();
            scan_group(part, part, carry);
            memcpy(out + i, part, (size_t)(n - i) * sizeof(T));
            memcpy(start, out + n - Parts, sizeof start);
        }
        memcpy(running, start, sizeof start);
        return 0;
    }
};

static void fill_scans(gndi_cpu_scan_line (*table)[GND_DTYPE_COUNT]) {
    table[op_add][GND_FLOAT32] = scan_vectors<vector_add<float>, float>::line;
    table[op_add][GND_FLOAT64] = scan_vectors<vector_add<double>, double>::line;
    table[op_add][GND_COMPLEX64] = scan_vectors<vector_add<float>, float, 2>::line;
    table[op_add][GND_COMPLEX128] = scan_vectors<vector_add<double>, double, 2>::line;
    table[op_multiply][GND_FLOAT32] = scan_vectors<vector_multiply<float>, float>::line;
    table[op_multiply][GND_FLOAT64] = scan_vectors<vector_multiply<double>, double>::line;
    table[op_maximum][GND_FLOAT32] = scan_vectors<vector_maximum<float>, float>::line;
    table[op_maximum][GND_FLOAT64] = scan_vectors<vector_maximum<double>, double>::line;
    table[op_minimum][GND_FLOAT32] = scan_vectors<vector_minimum<float>, float>::line;
    table[op_minimum][GND_FLOAT64] = scan_vectors<vector_minimum<double>, double>::line;
}

} // namespace gnd
