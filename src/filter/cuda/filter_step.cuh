// filter_step.cuh: one sample through a filter whose coefficients and states are in registers, and where lines are.
#pragma once
#include "filter/cuda/filter_params.h"
#include "kernels/scalar/scalar_cast.h"

namespace gnd {

// Where real line i starts, in x and y. T: its numbers; the parts of a complex one are neighbours.
template <class T> GNDI_FN void find_line(const gndi_filter_layout &at, int64_t i, const char *&x, char *&y) {
    int64_t part = 0, from = 0, to = 0;
    if (at.parts == 2) part = i & 1, i >>= 1;
#pragma unroll 1
    for (int d = at.ndim - 1; d >= 0; d--) {
        int64_t k = i;
        if (d > 0) k = i % at.shape[d], i /= at.shape[d];
        from += k * at.x_stride[d], to += k * at.y_stride[d];
    }
    x = at.x + from + part * (int64_t)sizeof(T);
    y = at.y + to + part * (int64_t)sizeof(T);
}

// Where the states of real line i are; neighbours are `parts` apart.
GNDI_FN int64_t state_of(const gndi_filter_layout &at, int64_t i, int64_t state_line) {
    return at.parts == 2 ? (i >> 1) * state_line + (i & 1) : i * state_line;
}

// Transposed direct form II: `sections` of second order, or with 0 of them one filter of N states.
template <int sections, int N> struct filter_step {
    double c[sections ? 5 * sections : 2 * N + 1];
    double z[N];

    __device__ __forceinline__ void load(const double *numbers) {
#pragma unroll
        for (int i = 0; i < (sections ? 5 * sections : 2 * N + 1); i++) c[i] = numbers[i];
    }

    __device__ __forceinline__ double operator()(double v) {
        if constexpr (sections > 0) {
#pragma unroll
            for (int s = 0; s < sections; s++) {
                const double *k = c + 5 * s;
                const double out = fma(k[0], v, z[2 * s]);
                z[2 * s] = fma(-k[3], out, fma(k[1], v, z[2 * s + 1]));
                z[2 * s + 1] = fma(-k[4], out, k[2] * v);
                v = out;
            }
            return v;
        } else {
            const double out = fma(c[0], v, z[0]);
#pragma unroll
            for (int i = 1; i < N; i++) z[i - 1] = fma(-c[N + i], out, fma(c[i], v, z[i]));
            z[N - 1] = fma(-c[2 * N], out, c[N] * v);
            return out;
        }
    }
};

} // namespace gnd
