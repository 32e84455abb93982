/*
 * reduce_general.cuh: the reduction kernel that takes everything: any dtype, cast to the loop's on
 * load, a mask, any strides and any number of axes. It is the skeleton of reduce_kernels.cuh over
 * another view.
 */
#ifndef GNDI_REDUCE_GENERAL_CUH
#define GNDI_REDUCE_GENERAL_CUH

#include "kernels/cuda/reduce_kernels.cuh"

namespace gnd {

/* An element as it lies in memory. */
struct raw_element {
    uint64_t low, high;
};
GNDI_FN raw_element load_raw(const char *p, int dtype) {
    switch (dtype) {
    case dtype_of<bool>:
    case dtype_of<int8_t>:
    case dtype_of<uint8_t>: return {*(const uint8_t *)p, 0};
    case dtype_of<int16_t>:
    case dtype_of<uint16_t>:
    case dtype_of<float16>:
    case dtype_of<bfloat16>: return {*(const uint16_t *)p, 0};
    case dtype_of<int32_t>:
    case dtype_of<uint32_t>:
    case dtype_of<float>: return {*(const uint32_t *)p, 0};
    case dtype_of<complex<float>>:
        return {((const uint32_t *)p)[0] | (uint64_t)((const uint32_t *)p)[1] << 32, 0};
    case dtype_of<complex<double>>: return {((const uint64_t *)p)[0], ((const uint64_t *)p)[1]};
    default: return {*(const uint64_t *)p, 0};
    }
}

/* x cast to the loop's dtype, in the accumulator's type A: integers of any size are computed in 64
   bits, halves in float. COUNT computes in whether an element is not zero. */
template <class R, class From> GNDI_FN typename R::element cast_to_loop(From x, int loop) {
    typedef typename R::element A;
    if constexpr (is_same<R, reduce_count<A>>) {
        return (A)is_nonzero(x);
    } else if constexpr (is_same<A, float>) {
        if (loop == dtype_of<float16>) return to_float(cast<float16>(x));
        if (loop == dtype_of<bfloat16>) return to_float(cast<bfloat16>(x));
        return cast<float>(x);
    } else if constexpr (is_int<A>) {
        switch (loop) {
        case dtype_of<int8_t>: return (A)cast<int8_t>(x);
        case dtype_of<uint8_t>: return (A)cast<uint8_t>(x);
        case dtype_of<int16_t>: return (A)cast<int16_t>(x);
        case dtype_of<uint16_t>: return (A)cast<uint16_t>(x);
        case dtype_of<int32_t>: return (A)cast<int32_t>(x);
        case dtype_of<uint32_t>: return (A)cast<uint32_t>(x);
        case dtype_of<int64_t>: return (A)cast<int64_t>(x);
        default: return (A)cast<uint64_t>(x);
        }
    } else {
        return cast<A>(x);
    }
}

template <class R, int Dtype> GNDI_FN typename R::element cast_raw(raw_element raw, int loop) {
    storage_of<Dtype> x;
    memcpy(&x, &raw, sizeof x);
    return cast_to_loop<R>(x, loop);
}
template <class R> GNDI_FN typename R::element cast_raw(raw_element raw, int dtype, int loop) {
    switch (dtype) {
    case 1: return cast_raw<R, 1>(raw, loop);
    case 2: return cast_raw<R, 2>(raw, loop);
    case 3: return cast_raw<R, 3>(raw, loop);
    case 4: return cast_raw<R, 4>(raw, loop);
    case 5: return cast_raw<R, 5>(raw, loop);
    case 6: return cast_raw<R, 6>(raw, loop);
    case 7: return cast_raw<R, 7>(raw, loop);
    case 8: return cast_raw<R, 8>(raw, loop);
    case 9: return cast_raw<R, 9>(raw, loop);
    case 10: return cast_raw<R, 10>(raw, loop);
    case 11: return cast_raw<R, 11>(raw, loop);
    case 12: return cast_raw<R, 12>(raw, loop);
    case 13: return cast_raw<R, 13>(raw, loop);
    case 14: return cast_raw<R, 14>(raw, loop);
    default: return cast_raw<R, 15>(raw, loop);
    }
}

template <class R> struct general_view {
    static constexpr int V = 1;
    const gndi_reduce_general &g;
    const char *base, *mask;

    GNDI_MEMBER void prepare(int64_t output) {
        base = g.base.in + offset_of(output, g.base.kept_ndim, g.kept_shape, g.kept_in);
        mask = g.mask ? g.mask + offset_of(output, g.base.kept_ndim, g.kept_shape, g.kept_mask)
                      : nullptr;
    }
    GNDI_MEMBER char *out(int64_t output) const {
        return g.base.out + offset_of(output, g.base.kept_ndim, g.kept_shape, g.kept_out);
    }
    GNDI_MEMBER void read(int64_t segment, int64_t begin, int64_t n, int r,
                          typename R::acc (&acc)[1]) const {
        constexpr int U = 4;
        const int ndim = g.base.outer_ndim, lanes = g.base.lanes;
        const int64_t stride = g.base.run_step * lanes, mask_stride = g.mask_step * lanes;
        const char *p = base + offset_of(segment, ndim, g.outer_shape, g.outer_in) +
                        (begin + r) * g.base.run_step;
        const char *m = mask ? mask + offset_of(segment, ndim, g.outer_shape, g.outer_mask) +
                                   (begin + r) * g.mask_step
                             : nullptr;
        /* A masked-out element counts as true when it is asked whether all are. */
        const typename R::acc skipped =
            g.base.count_as == 2 ? R::widen(R::lift(cast_to_loop<R>(true, g.loop))) : R::identity();
        for (int64_t i = r; i < n; i += (int64_t)U * lanes) {
            raw_element x[U];
            bool take[U];
#pragma unroll
            for (int u = 0; u < U; u++) {
                const bool inside = i + (int64_t)u * lanes < n;
                if (inside) x[u] = load_raw(p, g.in_dtype);
                take[u] = inside && (!m || *m);
                if (m && inside && !take[u]) acc[0] = R::combine(acc[0], skipped);
                p += stride;
                if (m) m += mask_stride;
            }
#pragma unroll
            for (int u = 0; u < U; u++)
                if (take[u])
                    acc[0] = R::combine(acc[0],
                                        R::widen(R::lift(cast_raw<R>(x[u], g.in_dtype, g.loop))));
        }
    }
};

template <class R> __global__ __launch_bounds__(GNDI_REDUCE_THREADS) void reduce_anything(
    const __grid_constant__ gndi_reduce_general g) {
    reduce_block<R>(g.base, general_view<R>{g, nullptr, nullptr});
}

} // namespace gnd

#endif
