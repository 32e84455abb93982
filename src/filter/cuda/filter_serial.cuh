// filter_serial.cuh: recursive filters with a thread for each line: for many lines or short ones, for filters whose
// powers overflow, for complex coefficients, and for orders that registers do not hold.
#pragma once
#include "filter/cuda/filter_step.cuh"

namespace gnd {

template <class T, int sections, int N> __global__ void __launch_bounds__(GNDI_SERIAL_THREADS)
    serial_kernel(const __grid_constant__ gndi_serial_params p) {
    const int64_t line = (int64_t)blockIdx.x * GNDI_SERIAL_THREADS + threadIdx.x;
    if (line >= p.at.lines) return;
    const char *x;
    char *y;
    find_line<T>(p.at, line, x, y);
    double *state = p.state ? p.state + state_of(p.at, line, p.state_line) : nullptr;
    filter_step<sections, N> step;
    step.load(p.numbers);
#pragma unroll
    for (int r = 0; r < N; r++) step.z[r] = p.begins && r < p.states ? state[r * p.at.parts] : 0;
    int64_t next = p.at.y_first; // the next result that is wanted
    const auto put = [&](int64_t k, T v) {
        if (k != next) return;
        *reinterpret_cast<T *>(y) = v;
        next += p.at.y_every, y += p.at.y_step;
    };
    constexpr int ahead = 8; // samples that are loaded before they are needed
    int64_t k = 0;
    for (; k + ahead <= p.at.length; k += ahead) {
        T v[ahead];
#pragma unroll
        for (int j = 0; j < ahead; j++) v[j] = *reinterpret_cast<const T *>(x + (k + j) * p.at.x_step);
#pragma unroll
        for (int j = 0; j < ahead; j++) put(k + j, (T)step((double)v[j]));
    }
    for (; k < p.at.length; k++) put(k, (T)step((double)*reinterpret_cast<const T *>(x + k * p.at.x_step)));
    if (!state) return;
#pragma unroll
    for (int r = 0; r < N; r++)
        if (r < p.states) state[r * p.at.parts] = step.z[r];
}

// Any order, the states in memory.
template <class T> __global__ void __launch_bounds__(GNDI_SERIAL_THREADS)
    serial_long_kernel(const __grid_constant__ gndi_serial_params p) {
    const int64_t line = (int64_t)blockIdx.x * GNDI_SERIAL_THREADS + threadIdx.x;
    if (line >= p.at.lines) return;
    const char *x;
    char *y;
    find_line<T>(p.at, line, x, y);
    double *z = p.state + state_of(p.at, line, p.state_line);
    const int step = p.at.parts, n = p.order;
    for (int i = 0; i < n && !p.begins; i++) z[i * step] = 0;
    for (int64_t k = 0; k < p.at.length; k++) {
        const double v = (double)*reinterpret_cast<const T *>(x + k * p.at.x_step), out = fma(p.b[0], v, z[0]);
        for (int i = 1; i < n; i++) z[(i - 1) * step] = fma(-p.a[i], out, fma(p.b[i], v, z[i * step]));
        z[(n - 1) * step] = fma(-p.a[n], out, p.b[n] * v);
        *reinterpret_cast<T *>(y + k * p.at.y_step) = (T)out;
    }
}

// Complex coefficients and samples; a line is one of pairs.
template <class T> __global__ void __launch_bounds__(GNDI_SERIAL_THREADS)
    serial_pairs_kernel(const __grid_constant__ gndi_serial_params p) {
    const int64_t line = (int64_t)blockIdx.x * GNDI_SERIAL_THREADS + threadIdx.x;
    if (2 * line >= p.at.lines) return;
    const char *x;
    char *y;
    find_line<T>(p.at, 2 * line, x, y);
    double *z = p.state + line * p.state_line;
    const int n = p.order;
    for (int i = 0; i < 2 * n && !p.begins; i++) z[i] = 0;
    for (int64_t k = 0; k < p.at.length; k++) {
        const T *in = reinterpret_cast<const T *>(x + k * p.at.x_step);
        T *to = reinterpret_cast<T *>(y + k * p.at.y_step);
        const double vr = (double)in[0], vi = (double)in[1];
        const double re = z[0] + (p.b[0] * vr - p.b[1] * vi), im = z[1] + (p.b[0] * vi + p.b[1] * vr);
        for (int i = 1; i <= n; i++) {
            const double *b = p.b + 2 * i, *a = p.a + 2 * i;
            const double zr = i < n ? z[2 * i] : 0, zi = i < n ? z[2 * i + 1] : 0;
            z[2 * i - 2] = zr + (b[0] * vr - b[1] * vi) - (a[0] * re - a[1] * im);
            z[2 * i - 1] = zi + (b[0] * vi + b[1] * vr) - (a[0] * im + a[1] * re);
        }
        to[0] = (T)re, to[1] = (T)im;
    }
}

} // namespace gnd
