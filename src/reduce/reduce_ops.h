/*
 * reduce_ops.h: what each reduction computes, for the CUDA kernels and the CPU loops alike.
 *
 * A reducer has an `element` type in memory and an accumulator `acc`. Elements are lifted to
 * `narrow`, a type that holds a few dozen of them folded together (int32 for sums of small
 * integers; for the rest it is acc), and narrow values are widened into the accumulator:
 *
 *     acc = combine(acc, widen(fold(fold(lift(x0), lift(x1)), lift(x2))))
 *
 * `none` is the narrow value that changes nothing, `identity` the accumulator. The identity of a
 * sum is -0.0, which leaves every number as it is. ANY, ALL and COUNT are one reducer, the count of
 * elements that are not zero; what is stored in the end differs. MEAN, RANGE, VARIANCE, ARGMIN and
 * ARGMAX, at the end, take a batch of elements at once.
 */
#ifndef GNDI_REDUCE_OPS_H
#define GNDI_REDUCE_OPS_H

#include "kernels/scalar/scalar_cast.h"

/* A member function or function object, where GNDI_FN's `static` has another meaning. */
#if GNDI_ON_DEVICE
#    define GNDI_INLINE __device__ __forceinline__
#else
#    define GNDI_INLINE inline __attribute__((always_inline))
#endif

namespace gnd {

GNDI_FN int bit_count(uint32_t bits) {
#if GNDI_ON_DEVICE
    return __popc(bits);
#else
    return __builtin_popcount(bits);
#endif
}

/* What a sum or product of S accumulates in: integers modulo 2^64, halves in float. */
template <class S> using accumulator_t = choose_t<is_int<S> || is_bool<S>, uint64_t, compute_t<S>>;
/* Up to 4096 small integers are summed in 32 bits. */
template <class S> constexpr bool sums_in_int32 = (is_int<S> || is_bool<S>)&&sizeof(S) <= 2;

/* x as the accumulator sees it: integers are sign-extended. */
template <class S> GNDI_FN accumulator_t<S> to_accumulator(S x) {
    if constexpr (is_signed_int<S>)
        return (uint64_t)(int64_t)x;
    else if constexpr (is_half<S>)
        return to_float(x);
    else
        return (accumulator_t<S>)x;
}

/* ---- one step of each ----------------------------------------------------------------- */

template <class A> GNDI_FN A plus(A a, A b) {
    if constexpr (is_complex<A>)
        return A{a.re + b.re, a.im + b.im};
    else
        return (A)(a + b);
}

/* By NumPy's formula, in which inf * (1 + 0i) has a NaN part. Products of complex numbers that are not finite
   in the end are computed again, in the order of the elements (GNDI_PRODUCT_IN_ORDER). */
template <class A> GNDI_FN A times(A a, A b) {
    if constexpr (is_complex<A>)
        return A{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    else
        return (A)(a * b);
}

/* The first NaN wins, complex numbers are ordered by real, then imaginary part, as in NumPy. */
template <bool Largest, class A> GNDI_FN A extreme(A a, A b) {
    if constexpr (is_complex<A>) {
        if (a.re != a.re || a.im != a.im) return a;
        if (b.re != b.re || b.im != b.im) return b;
        const bool first =
            Largest ? a.re > b.re || (a.re == b.re && a.im >= b.im) : a.re < b.re || (a.re == b.re && a.im <= b.im);
        return first ? a : b;
    } else if constexpr (is_float<A>) {
        return ((Largest ? a >= b : a <= b) | (a != a)) ? a : b;
    } else {
        return (Largest ? a >= b : a <= b) ? a : b;
    }
}

/* The value every other one beats. */
template <bool Largest, class A> GNDI_FN A worst() {
    if constexpr (is_complex<A>) {
        return A{worst<Largest, real_t<A>>(), worst<Largest, real_t<A>>()};
    } else if constexpr (is_float<A>) {
        return Largest ? -limits<A>::infinity() : limits<A>::infinity();
    } else {
        const A lowest = lowest_int<A>();
        return Largest ? lowest : (A)~lowest;
    }
}

/* ---- the reducers --------------------------------------------------------------------- */

template <class S> struct reduce_sum {
    typedef S element;
    typedef accumulator_t<S> acc;
    typedef choose_t<sums_in_int32<S>, int32_t, acc> narrow;
    GNDI_FN narrow lift(S x) {
        if constexpr (sums_in_int32<S>)
            return (int32_t)x;
        else
            return to_accumulator(x);
    }
    GNDI_FN narrow fold(narrow a, narrow b) { return plus(a, b); }
    GNDI_FN narrow none() {
        if constexpr (sums_in_int32<S>)
            return 0;
        else
            return identity();
    }
    GNDI_FN acc widen(narrow x) {
        if constexpr (sums_in_int32<S>)
            return (uint64_t)(int64_t)x;
        else
            return x;
    }
    GNDI_FN acc combine(acc a, acc b) { return plus(a, b); }
    GNDI_FN acc identity() {
        if constexpr (is_complex<acc>)
            return acc{-(real_t<acc>)0, -(real_t<acc>)0};
        else if constexpr (is_float<acc>)
            return -(acc)0;
        else
            return 0;
    }
};

/* The sum of squares, of real numbers. */
template <class S> struct reduce_squares : reduce_sum<S> {
    GNDI_FN accumulator_t<S> lift(S x) {
        const accumulator_t<S> y = to_accumulator(x);
        return y * y;
    }
};

template <class S> struct reduce_product {
    typedef S element;
    typedef accumulator_t<S> acc;
    typedef acc narrow;
    GNDI_FN acc lift(S x) { return to_accumulator(x); }
    GNDI_FN acc fold(acc a, acc b) { return times(a, b); }
    GNDI_FN acc none() { return identity(); }
    GNDI_FN acc widen(acc x) { return x; }
    GNDI_FN acc combine(acc a, acc b) { return times(a, b); }
    GNDI_FN acc identity() {
        if constexpr (is_complex<acc>)
            return acc{1, 0};
        else
            return 1;
    }
};

template <bool Largest, class S> struct reduce_extreme {
    static constexpr bool largest = Largest;
    typedef S element;
    typedef compute_t<S> acc;
    typedef acc narrow;
    GNDI_FN acc lift(S x) { return to_compute(x); }
    GNDI_FN acc fold(acc a, acc b) { return extreme<Largest>(a, b); }
    GNDI_FN acc none() { return identity(); }
    GNDI_FN acc widen(acc x) { return x; }
    GNDI_FN acc combine(acc a, acc b) { return extreme<Largest>(a, b); }
    GNDI_FN acc identity() { return worst<Largest, acc>(); }
};
template <class S> using reduce_minimum = reduce_extreme<false, S>;
template <class S> using reduce_maximum = reduce_extreme<true, S>;

/* Halves of either kind are zero alike: one of them serves both. */
template <class S> struct reduce_count {
    typedef S element;
    typedef uint64_t acc;
    typedef int32_t narrow;
    GNDI_FN int32_t lift(S x) { return is_nonzero(x); }
    GNDI_FN int32_t fold(int32_t a, int32_t b) { return a + b; }
    GNDI_FN int32_t none() { return 0; }
    GNDI_FN uint64_t widen(int32_t x) { return (uint64_t)(uint32_t)x; }
    GNDI_FN uint64_t combine(uint64_t a, uint64_t b) { return a + b; }
    GNDI_FN uint64_t identity() { return 0; }
};

/* ---- reducers that take many elements at once ------------------------------------------------
 *
 * absorb(acc, x, taken) joins N elements of a batch, those with a bit in `taken`. The batch is
 * reduced among itself first, in fixed order, so that there is one costly step (a division, a
 * search) a batch.
 */

template <int N> constexpr uint32_t all_of = N >= 32 ? 0xffffffffu : (1u << N % 32) - 1;

/* x[At] .. x[At + Count - 1] joined by `op` as a tree; Count is a power of two. */
template <int At, int Count, class T, int N, class Op> GNDI_FN T joined(const T (&x)[N], const Op &op) {
    if constexpr (Count == 1)
        return x[At];
    else
        return op(joined<At, Count / 2>(x, op), joined<At + Count / 2, Count / 2>(x, op));
}

struct op_plus {
    template <class T> GNDI_INLINE T operator()(T a, T b) const { return plus(a, b); }
};
template <bool Largest> struct op_extreme {
    template <class T> GNDI_INLINE T operator()(T a, T b) const { return extreme<Largest>(a, b); }
};

/* MEAN: the sum, and of how many. */
template <class T> struct sum_and_count {
    T sum;
    int64_t count;
};
template <class T> struct reduce_mean {
    typedef T element;
    typedef sum_and_count<T> acc;
    GNDI_FN acc identity() { return {reduce_sum<T>::identity(), 0}; }
    GNDI_FN acc combine(acc a, acc b) { return {plus(a.sum, b.sum), a.count + b.count}; }
    template <int N> GNDI_FN void absorb(acc &a, const T (&x)[N], uint32_t taken) {
        T part[N];
        for (int i = 0; i < N; i++) part[i] = taken >> i & 1 ? x[i] : reduce_sum<T>::identity();
        a.sum = plus(a.sum, joined<0, N>(part, op_plus()));
        a.count += bit_count(taken);
    }
};

/* RANGE, and MINIMUM and MAXIMUM in one. */
template <class T> struct extent { T smallest, largest; };
template <class T> struct reduce_extent {
    typedef T element;
    typedef extent<T> acc;
    GNDI_FN acc identity() { return {worst<false, T>(), worst<true, T>()}; }
    GNDI_FN acc combine(acc a, acc b) {
        return {extreme<false>(a.smallest, b.smallest), extreme<true>(a.largest, b.largest)};
    }
    template <int N> GNDI_FN void absorb(acc &a, const T (&x)[N], uint32_t taken) {
        const acc none = identity();
        T small[N], large[N];
        for (int i = 0; i < N; i++) {
            const bool take = taken >> i & 1;
            small[i] = take ? x[i] : none.smallest, large[i] = take ? x[i] : none.largest;
        }
        a = combine(a, acc{joined<0, N>(small, op_extreme<false>()), joined<0, N>(large, op_extreme<true>())});
    }
};

/* What a thread folds a piece of its elements into, before that is joined to its accumulator. */
template <class R> struct piece_of { typedef typename R::acc type; };
template <class R> using piece_t = typename piece_of<R>::type;
template <class R> GNDI_FN piece_t<R> empty_piece() {
    if constexpr (is_same<piece_t<R>, typename R::acc>)
        return R::identity();
    else
        return {};
}
template <class R> GNDI_FN typename R::acc settled_piece(const piece_t<R> &piece) {
    if constexpr (is_same<piece_t<R>, typename R::acc>)
        return piece;
    else
        return R::settled(piece);
}

/* VARIANCE: moments, joined as in Chan, Golub and LeVeque, "Updating formulae and a pairwise
   algorithm for computing sample variances" (1979). The mean of float32 is kept in float64: what is
   lost of a mean far from zero would show in the variance. */
template <class T> struct wider { typedef T type; };
template <> struct wider<float> { typedef double type; };
template <> struct wider<complex<float>> { typedef complex<double> type; };
template <class T> using wider_t = typename wider<T>::type;
template <class T> struct moments {
    wider_t<T> mean;
    double count;
    real_t<T> m2; /* the sum of |x - mean|^2 */
};
/* A piece: what the elements' differences from `shift`, the mean of the first batch, add up to, and
   their squares. Of m elements, B of them in that batch, the squares are at most 1 + m / B times
   those about the mean, so that little is lost in taking one from the other. */
template <class T> struct shifted {
    T shift, sum;
    real_t<T> squares;
    int32_t count;
};
template <class T> GNDI_FN T minus(T a, T b) {
    if constexpr (is_complex<T>)
        return T{a.re - b.re, a.im - b.im};
    else
        return a - b;
}
template <class T> GNDI_FN T scaled(T a, real_t<T> by) {
    if constexpr (is_complex<T>)
        return T{a.re * by, a.im * by};
    else
        return a * by;
}
template <class T> GNDI_FN real_t<T> norm_square(T a) {
    if constexpr (is_complex<T>)
        return a.re * a.re + a.im * a.im;
    else
        return a * a;
}
template <class T> struct reduce_variance {
    typedef T element;
    typedef real_t<T> real;
    typedef wider_t<T> wide;
    typedef moments<T> acc;
    typedef shifted<T> piece;
    GNDI_FN acc identity() { return {wide{}, 0, 0}; }
    GNDI_FN acc combine(acc a, acc b) {
        if (a.count == 0) return b;
        if (b.count == 0) return a;
        const double count = a.count + b.count;
        const real share = a.count == b.count ? (real)0.5 : (real)b.count / (real)count;
        const T apart = cast<T>(minus(b.mean, a.mean));
        return {plus(a.mean, cast<wide>(scaled(apart, share))), count,
                a.m2 + b.m2 + norm_square(apart) * ((real)a.count * share)};
    }
    template <int N> GNDI_FN void absorb(piece &a, const T (&x)[N], uint32_t taken) {
        T part[N];
        real square[N];
        const int count = bit_count(taken);
        if (count == 0) return;
        if (a.count == 0) {
            for (int i = 0; i < N; i++) part[i] = taken >> i & 1 ? x[i] : T{};
            a.shift = scaled(joined<0, N>(part, op_plus()), count == N ? (real)1 / N : (real)1 / (real)count);
        }
        for (int i = 0; i < N; i++) {
            part[i] = taken >> i & 1 ? minus(x[i], a.shift) : T{};
            square[i] = norm_square(part[i]);
        }
        a.sum = plus(a.sum, joined<0, N>(part, op_plus()));
        a.squares += joined<0, N>(square, op_plus());
        a.count += count;
    }
    GNDI_FN acc settled(piece a) {
        if (a.count == 0) return identity();
        const T rest = scaled(a.sum, (real)1 / (real)a.count);
        const real m2 = a.squares - norm_square(rest) * (real)a.count;
        return {plus(cast<wide>(a.shift), cast<wide>(rest)), (double)a.count,
                m2 < 0 ? (real)0 : m2}; /* below 0 by rounding alone */
    }
};
template <class T> struct piece_of<reduce_variance<T>> { typedef shifted<T> type; };

/* ARGMAX: the largest value and the lowest index that has it; the first NaN is larger than all.
   ARGMIN is that of the elements in reversed order (reversed_if()). `number`: anything but NaN. */
template <class T> struct indexed {
    T value;
    int32_t number;
    int64_t index;
};
template <class T> GNDI_FN bool is_nan_of(T x) {
    if constexpr (is_complex<T>)
        return x.re != x.re || x.im != x.im;
    else if constexpr (is_float<T>)
        return x != x;
    else
        return false;
}
template <class T> GNDI_FN bool larger(T a, T b) {
    if constexpr (is_complex<T>) {
        if (is_nan_of(a) || is_nan_of(b)) return is_nan_of(a) && !is_nan_of(b);
        return a.re > b.re || (a.re == b.re && a.im > b.im);
    } else if constexpr (is_float<T>) {
        return a > b || (a != a && b == b);
    } else {
        return a > b;
    }
}
template <class T> GNDI_FN bool equals(T a, T b) {
    if constexpr (is_complex<T>)
        return a.re == b.re && a.im == b.im;
    else
        return a == b;
}
/* The larger of two, NaN if there is one. */
struct op_larger {
    template <class T> GNDI_INLINE T operator()(T a, T b) const { return extreme<true>(a, b); }
#if GNDI_ON_DEVICE && __CUDA_ARCH__ >= 800
    GNDI_INLINE float operator()(float a, float b) const {
        float x;
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(b));
        return x;
    }
#endif
};
/* The same values in reversed order, if `yes`. */
template <class T> GNDI_FN T reversed_if(bool yes, T x) {
    if constexpr (is_complex<T>)
        return T{reversed_if(yes, x.re), reversed_if(yes, x.im)};
    else if constexpr (is_same<T, float>)
        return from_bits(to_bits(x) ^ (uint32_t)(yes ? 0x80000000u : 0u));
    else if constexpr (is_same<T, double>)
        return from_bits(to_bits(x) ^ (uint64_t)(yes ? 0x8000000000000000ull : 0ull));
    else
        return (T)(x ^ (yes ? (T) ~(T)0 : (T)0));
}
constexpr int64_t no_index = 0x7fffffffffffffff;
template <class T> struct reduce_index {
    typedef T element;
    typedef indexed<T> acc;
    GNDI_FN acc identity() { return {worst<true, T>(), 0, no_index}; }
    GNDI_FN acc combine(acc a, acc b) {
        const bool second = larger(b.value, a.value) || (!larger(a.value, b.value) && b.index < a.index);
        return {second ? b.value : a.value, a.number | b.number, second ? b.index : a.index};
    }
    /* Element j of group k (of Each elements) has index `index` + k * group_step + j * step. */
    template <int N, int Each>
    GNDI_FN void absorb(acc &a, const T (&x)[N], uint32_t taken, int64_t index, int64_t group_step, int64_t step) {
        T part[N];
        for (int i = 0; i < N; i++) part[i] = taken >> i & 1 ? x[i] : worst<true, T>();
        const T best = joined<0, N>(part, op_larger());
        if (taken == all_of<N> && group_step >= 0 && step >= 0 && !is_nan_of(best)) {
            /* New records are frequent in a warp: no branches. */
            int first = N - 1;
            for (int i = N - 2; i >= 0; i--) first = equals(part[i], best) ? i : first;
            const int64_t at = index + first / Each * group_step + first % Each * step;
            /* What was met before may lie behind: a row's first few come after its aligned ones. */
            const bool beats = larger(best, a.value) || (at < a.index && !larger(a.value, best));
            a.value = beats ? best : a.value, a.index = beats ? at : a.index;
            return;
        }
        if (larger(a.value, best)) return;
        const bool beats = larger(best, a.value);
        /* A value met before: only indices that run backwards can be lower. */
        if (!beats && index > a.index && group_step >= 0 && step >= 0) return;
        int64_t lowest = beats ? no_index : a.index;
        for (int i = 0; i < N; i++) {
            const int64_t at = index + i / Each * group_step + i % Each * step;
            if (taken >> i & 1 && !larger(best, x[i]) && at < lowest) lowest = at;
        }
        if (beats || lowest < a.index) a.value = best, a.index = lowest;
    }
};

} // namespace gnd

#endif
