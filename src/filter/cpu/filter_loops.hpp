/*
 * filter_loops.hpp: recursive filters in transposed direct form II, in double. A line alone is filtered sample by
 * sample, so that the sections of a cascade overlap in the pipeline; lines side by side fill a vector, a block of
 * samples at a time. What a sample gives does not depend on how the signal is cut.
 */
#include "filter/cpu/filter_loops.h"
#include <string.h>

namespace gnd {

constexpr int lanes = GNDI_FILTER_LANES;
typedef double lane_vector __attribute__((vector_size(lanes * sizeof(double))));

// ---- one line ---------------------------------------------------------------------------------

template <class T, int sections>
static void cascade_line(const double *b, const gndi_cpu_filter_job *job, const char *x, char *y, double *state) {
    double c[sections][5], z[sections][2];
    memcpy(c, b, sizeof c);
    memcpy(z, state, sizeof z);
    for (int64_t k = 0; k < job->length; k++, x += job->x_step, y += job->y_step) {
        double v = *(const T *)x;
#pragma GCC unroll 8
        for (int s = 0; s < sections; s++) {
            const double out = c[s][0] * v + z[s][0];
            z[s][0] = (c[s][1] * v + z[s][1]) - c[s][3] * out;
            z[s][1] = c[s][2] * v - c[s][4] * out;
            v = out;
        }
        *(T *)y = (T)v;
    }
    memcpy(state, z, sizeof z);
}

// Any number of sections, in an order that no cut changes.
template <class T>
static void long_cascade_line(const gndi_cpu_filter_job *job, const char *x, char *y, double *state) {
    for (int64_t k = 0; k < job->length; k++, x += job->x_step, y += job->y_step) {
        double v = *(const T *)x;
        const double *c = job->b;
        double *z = state;
        for (int s = 0; s < job->sections; s++, c += 5, z += 2) {
            const double out = c[0] * v + z[0];
            z[0] = (c[1] * v + z[1]) - c[3] * out;
            z[1] = c[2] * v - c[4] * out;
            v = out;
        }
        *(T *)y = (T)v;
    }
}

template <class T, int order>
static void direct_line(const gndi_cpu_filter_job *job, const char *x, char *y, double *state) {
    double b[order + 1], a[order + 1], z[order];
    memcpy(b, job->b, sizeof b);
    memcpy(a, job->a, sizeof a);
    memcpy(z, state, sizeof z);
    for (int64_t k = 0; k < job->length; k++, x += job->x_step, y += job->y_step) {
        const double v = *(const T *)x, out = b[0] * v + z[0];
#pragma GCC unroll 8
        for (int i = 1; i < order; i++) z[i - 1] = (b[i] * v + z[i]) - a[i] * out;
        z[order - 1] = b[order] * v - a[order] * out;
        *(T *)y = (T)out;
    }
    memcpy(state, z, sizeof z);
}

template <class T> static void long_direct_line(const gndi_cpu_filter_job *job, const char *x, char *y, double *state) {
    const double *b = job->b, *a = job->a;
    const int order = job->order;
    for (int64_t k = 0; k < job->length; k++, x += job->x_step, y += job->y_step) {
        const double v = *(const T *)x, out = b[0] * v + state[0];
        for (int i = 1; i < order; i++) state[i - 1] = (b[i] * v + state[i]) - a[i] * out;
        state[order - 1] = b[order] * v - a[order] * out;
        *(T *)y = (T)out;
    }
}

template <class T> static void one(const gndi_cpu_filter_job *job, const char *x, char *y, double *state) {
    switch (job->sections) {
    case 0: break;
    case 1: cascade_line<T, 1>(job->b, job, x, y, state); return;
    case 2: cascade_line<T, 2>(job->b, job, x, y, state); return;
    case 3: cascade_line<T, 3>(job->b, job, x, y, state); return;
    case 4: cascade_line<T, 4>(job->b, job, x, y, state); return;
    case 5: cascade_line<T, 5>(job->b, job, x, y, state); return;
    case 6: cascade_line<T, 6>(job->b, job, x, y, state); return;
    case 8: cascade_line<T, 8>(job->b, job, x, y, state); return;
    default: long_cascade_line<T>(job, x, y, state); return;
    }
    switch (job->order) {
    case 1: direct_line<T, 1>(job, x, y, state); return;
    case 2: direct_line<T, 2>(job, x, y, state); return;
    case 3: direct_line<T, 3>(job, x, y, state); return;
    case 4: direct_line<T, 4>(job, x, y, state); return;
    case 5: direct_line<T, 5>(job, x, y, state); return;
    case 6: direct_line<T, 6>(job, x, y, state); return;
    case 8: direct_line<T, 8>(job, x, y, state); return;
    default: long_direct_line<T>(job, x, y, state); return;
    }
}

// ---- lines side by side -----------------------------------------------------------------------

constexpr int64_t block = 256; // samples

// One section over a block, in place.
static void section_block(const double *c, lane_vector *z, lane_vector *v, int64_t n) {
    const lane_vector zero = {}, b0 = c[0] - zero, b1 = c[1] - zero, b2 = c[2] - zero, a1 = c[3] - zero,
                      a2 = c[4] - zero;
    lane_vector z0 = z[0], z1 = z[1];
    for (int64_t k = 0; k < n; k++) {
        const lane_vector in = v[k], out = b0 * in + z0;
        z0 = (b1 * in + z1) - a1 * out;
        z1 = b2 * in - a2 * out;
        v[k] = out;
    }
    z[0] = z0, z[1] = z1;
}

template <int order>
static void direct_block_of(const gndi_cpu_filter_job *job, lane_vector *state, lane_vector *v, int64_t n) {
    lane_vector z[order];
    for (int i = 0; i < order; i++) z[i] = state[i];
    for (int64_t k = 0; k < n; k++) {
        const lane_vector in = v[k], out = job->b[0] * in + z[0];
#pragma GCC unroll 8
        for (int i = 1; i < order; i++) z[i - 1] = (job->b[i] * in + z[i]) - job->a[i] * out;
        z[order - 1] = job->b[order] * in - job->a[order] * out;
        v[k] = out;
    }
    for (int i = 0; i < order; i++) state[i] = z[i];
}

static void direct_block(const gndi_cpu_filter_job *job, lane_vector *z, lane_vector *v, int64_t n) {
    const int order = job->order;
    switch (order) {
    case 1: direct_block_of<1>(job, z, v, n); return;
    case 2: direct_block_of<2>(job, z, v, n); return;
    case 3: direct_block_of<3>(job, z, v, n); return;
    case 4: direct_block_of<4>(job, z, v, n); return;
    case 5: direct_block_of<5>(job, z, v, n); return;
    case 6: direct_block_of<6>(job, z, v, n); return;
    default: break;
    }
    for (int64_t k = 0; k < n; k++) {
        const lane_vector in = v[k], out = job->b[0] * in + z[0];
        for (int i = 1; i < order; i++) z[i - 1] = (job->b[i] * in + z[i]) - job->a[i] * out;
        z[order - 1] = job->b[order] * in - job->a[order] * out;
        v[k] = out;
    }
}

template <class T>
static void many(const gndi_cpu_filter_job *job, const char *const *x, char *const *y, double *state) {
    alignas(64) double v[block][lanes];
    lane_vector *z = (lane_vector *)__builtin_assume_aligned(state, sizeof(lane_vector));
    for (int64_t at = 0; at < job->length; at += block) {
        const int64_t n = job->length - at < block ? job->length - at : block;
        for (int lane = 0; lane < lanes; lane++) {
            const char *from = x[lane] + at * job->x_step;
            for (int64_t k = 0; k < n; k++, from += job->x_step) v[k][lane] = *(const T *)from;
        }
        if (job->sections == 0) direct_block(job, z, (lane_vector *)v, n);
        for (int s = 0; s < job->sections; s++) section_block(job->b + 5 * s, z + 2 * s, (lane_vector *)v, n);
        for (int lane = 0; lane < lanes; lane++) {
            char *to = y[lane] + at * job->y_step;
            for (int64_t k = 0; k < n; k++, to += job->y_step) *(T *)to = (T)v[k][lane];
        }
    }
}

// ---- complex coefficients ---------------------------------------------------------------------

// z + b v - a out.
static inline void add_terms(const double *z, const double *b, const double *v, const double *a, const double *out,
                             double *to) {
    const double re = z[0] + (b[0] * v[0] - b[1] * v[1]), im = z[1] + (b[0] * v[1] + b[1] * v[0]);
    to[0] = re - (a[0] * out[0] - a[1] * out[1]);
    to[1] = im - (a[0] * out[1] + a[1] * out[0]);
}

template <class T> static void pairs(const gndi_cpu_filter_job *job, const char *x, char *y, double *state) {
    const double *b = job->b, *a = job->a, zero[2] = {0, 0};
    const int order = job->order;
    for (int64_t k = 0; k < job->length; k++, x += job->x_step, y += job->y_step) {
        const double v[2] = {(double)((const T *)x)[0], (double)((const T *)x)[1]};
        double out[2];
        add_terms(state, b, v, zero, zero, out);
        for (int i = 1; i <= order; i++)
            add_terms(i < order ? state + 2 * i : zero, b + 2 * i, v, a + 2 * i, out, state + 2 * i - 2);
        ((T *)y)[0] = (T)out[0], ((T *)y)[1] = (T)out[1];
    }
}

template <class T> static void fill_filter(gndi_cpu_filter_loops *to) {
    to->one = one<T>;
    to->many = many<T>;
    to->pairs = pairs<T>;
}

} // namespace gnd
