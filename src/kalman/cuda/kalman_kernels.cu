// kalman_kernels.cu: Kalman filters, all steps of a track by one thread or one block.
//
// track_kernel   A thread takes a track of a size known to the compiler through all steps, its state in registers.
//                Matrices that all tracks share are in shared memory; others are the thread's own. Neighbouring threads
//                read neighbouring measurements, one step ahead.
// any_kernel     A block takes a track of any size through all steps, its state in shared memory, or in global memory
//                where that is too small.
#include "kalman/cuda/kalman_params.h"
#include "kalman/kalman_step.h"

namespace gnd {
namespace kalman {

enum { THREADS = GNDI_KALMAN_THREADS };

// ---- a thread a track ---------------------------------------------------------------------------

// COUNT numbers, 16 bytes at a time where they are whole ones; `p` begins where so many numbers of a dense array do.
template <int COUNT, class T> GNDI_FN void copy_numbers(T *to, const T *from) {
    if constexpr (COUNT * sizeof(T) % 16 == 0) {
        constexpr int EACH = 16 / sizeof(T);
        struct alignas(16) some {
            T number[EACH];
        };
        GNDI_UNROLL
        for (int i = 0; i < COUNT / EACH; i++) {
            some s;
            GNDI_UNROLL
            for (int k = 0; k < EACH; k++) s.number[k] = from[i * EACH + k];
            reinterpret_cast<some *>(to)[i] = s;
        }
    } else {
        GNDI_UNROLL
        for (int i = 0; i < COUNT; i++) to[i] = from[i];
    }
}

template <int X, class T> GNDI_FN void store_covariance(T *to, const T *p) {
    T all[X * X];
    GNDI_UNROLL
    for (int i = 0; i < X; i++) GNDI_UNROLL
    for (int j = 0; j < X; j++) all[i * X + j] = p[lower(i, j, X)];
    copy_numbers<X * X>(to, all);
}

// The matrices of one track.
template <class T, int X, int Z> struct model {
    T f[X * X], q[X * X], h[Z * X], r[Z * Z];
    // Numbers first, first + step, ... of each.
    __device__ __forceinline__ void load(const gndi_kalman_plan &p, int64_t track, int first, int step) {
        const T *from[] = {(const T *)p.f.data + track * p.f.step, (const T *)p.q.data + track * p.q.step,
                           (const T *)p.h.data + track * p.h.step, (const T *)p.r.data + track * p.r.step};
        GNDI_UNROLL
        for (int i = first; i < X * X; i += step) f[i] = from[0][i], q[i] = from[1][i];
        GNDI_UNROLL
        for (int i = first; i < Z * X; i += step) h[i] = from[2][i];
        GNDI_UNROLL
        for (int i = first; i < Z * Z; i += step) r[i] = from[3][i];
    }
};

template <class T, int X> GNDI_FN void add_control(const gndi_kalman_plan &p, int64_t track, int64_t t, T *x) {
    const T *u = (const T *)p.u + t * p.u_step + track * p.u_track, *b = (const T *)p.b.data + track * p.b.step;
    for (int k = 0; k < p.nu; k++) {
        const T by = u[k];
        GNDI_UNROLL
        for (int i = 0; i < X; i++) x[i] += b[i * p.nu + k] * by;
    }
}

template <class T, int X, int Z>
GNDI_FN void run_track(const gndi_kalman_plan &p, int64_t track, const model<T, X, Z> &m) {
    const fixed_sizes<X, Z> d;
    T x[X], cov[X * X], next[Z], z[Z];
    T st[X * X], sa[X * X], sw[X * Z], sk[X * Z], ss[Z * Z], sy[Z], so[Z], sv[X];
    const scratch<T> s = {st, sa, sw, sk, ss, sy, so, sv};
    T *const state = (T *)p.x + track * X, *const spread = (T *)p.p + track * X * X;
    const T *from = (const T *)p.z + track * Z;
    GNDI_UNROLL
    for (int i = 0; i < X; i++) x[i] = state[i];
    GNDI_UNROLL
    for (int i = 0; i < X * X; i++) cov[i] = spread[i];
    GNDI_UNROLL
    for (int i = 0; i < Z; i++) next[i] = p.updates ? from[i] : 0;
    for (int64_t t = 0; t < p.steps; t++) {
        // Large matrices are read anew each step: kept in registers, they would push out the state.
        if constexpr (X > 4) asm volatile("" ::: "memory");
        from += p.tracks * Z;
        GNDI_UNROLL
        for (int i = 0; i < Z; i++) {
            z[i] = next[i];
            if (p.updates && t + 1 < p.steps) next[i] = from[i];
        }
        if (p.predicts) {
            predict<T>(d, x, cov, m.f, m.q, (T)p.fading, s);
            if (p.u) add_control<T, X>(p, track, t, x);
        }
        if (p.updates) update<T>(d, x, cov, m.h, m.r, z, s);
        if (p.states) copy_numbers<X>((T *)p.states + (t * p.tracks + track) * X, x);
        if (p.covariances) store_covariance<X>((T *)p.covariances + (t * p.tracks + track) * (X * X), cov);
    }
    copy_numbers<X>(state, x);
    store_covariance<X>(spread, cov);
}

template <class T, int X, int Z, bool SHARED> __global__ void __launch_bounds__(THREADS)
    track_kernel(const __grid_constant__ gndi_kalman_params p) {
    const int64_t track = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if constexpr (SHARED) {
        __shared__ model<T, X, Z> m;
        m.load(p.plan, 0, (int)threadIdx.x, THREADS);
        __syncthreads();
        if (track < p.plan.tracks) run_track<T, X, Z>(p.plan, track, m);
    } else {
        model<T, X, Z> m;
        if (track >= p.plan.tracks) return;
        m.load(p.plan, track, 0, 1);
        run_track<T, X, Z>(p.plan, track, m);
    }
}

// ---- a block a track ----------------------------------------------------------------------------

// What a block works with; the matrices as in kalman_step.h, but whole.
template <class T> struct memory {
    int n, m;
    T *p, *t, *a, *w, *k, *kr, *s, *x, *v, *y, *over;
    GNDI_FN memory of(int n, int m, T *next) {
        memory of = {};
        of.n = n, of.m = m;
        T **const parts[] = {&of.p, &of.t, &of.a, &of.w, &of.k, &of.kr, &of.s, &of.x, &of.v, &of.y, &of.over};
        const int size[] = {n * n, n * n, n * n, n * m, n * m, n * m, m * m, n, n, m, m};
        for (int i = 0; i < 11; i++) *parts[i] = next, next += size[i];
        return of;
    }
};

// c = a b + d (rows x columns); b is turned over if `turned`. d NULL: nothing; a `scale` of a b.
template <class T>
GNDI_FN void product(T *c, const T *a, const T *b, bool turned, int rows, int columns, int inner, const T *d, T scale) {
    for (int e = (int)threadIdx.x; e < rows * columns; e += THREADS) {
        const int i = e / columns, j = e - i * columns;
        T sum = 0;
        for (int k = 0; k < inner; k++) sum += a[i * inner + k] * (turned ? b[j * inner + k] : b[k * columns + j]);
        c[e] = scale * sum + (d ? d[e] : 0);
    }
    __syncthreads();
}

// The lower triangle of an n x n matrix to the upper one.
template <class T> GNDI_FN void mirror(T *p, int n) {
    for (int e = (int)threadIdx.x; e < n * n; e += THREADS)
        if (e / n < e % n) p[e] = p[e % n * n + e / n];
    __syncthreads();
}

template <class T>
GNDI_FN void predict_block(const gndi_kalman_plan &p, int64_t track, int64_t time, const memory<T> &b) {
    const int n = b.n;
    const T *f = (const T *)p.f.data + track * p.f.step, *q = (const T *)p.q.data + track * p.q.step;
    product(b.v, f, b.x, false, n, 1, n, (const T *)nullptr, (T)1);
    product(b.t, f, b.p, false, n, n, n, (const T *)nullptr, (T)1);
    product(b.p, b.t, f, true, n, n, n, q, (T)p.fading);
    mirror(b.p, n);
    const T *u = (const T *)p.u + time * p.u_step + track * p.u_track, *by = (const T *)p.b.data + track * p.b.step;
    for (int i = (int)threadIdx.x; i < n; i += THREADS) {
        T sum = b.v[i];
        for (int k = 0; p.u && k < p.nu; k++) sum += by[i * p.nu + k] * u[k];
        b.x[i] = sum;
    }
    __syncthreads();
}

// s = L D L^T, a column at a time; 1 / D in `over`.
template <class T> GNDI_FN void factor_block(const memory<T> &b) {
    const int m = b.m;
    for (int j = 0; j < m; j++) {
        for (int i = j + (int)threadIdx.x; i < m; i += THREADS) {
            T sum = b.s[i * m + j];
            for (int k = 0; k < j; k++) sum -= b.s[i * m + k] * b.s[j * m + k] * b.s[k * m + k];
            b.s[i * m + j] = sum;
        }
        __syncthreads();
        const T over = 1 / b.s[j * m + j];
        if (threadIdx.x == 0) b.over[j] = over;
        for (int i = j + 1 + (int)threadIdx.x; i < m; i += THREADS) b.s[i * m + j] *= over;
        __syncthreads();
    }
}

template <class T> GNDI_FN void update_block(const gndi_kalman_plan &p, int64_t track, const T *z, const memory<T> &b) {
    const int n = b.n, m = b.m;
    const T *h = (const T *)p.h.data + track * p.h.step, *r = (const T *)p.r.data + track * p.r.step;
    product(b.w, h, b.p, false, m, n, n, (const T *)nullptr, (T)1);
    product(b.s, b.w, h, true, m, m, n, r, (T)1);
    product(b.y, h, b.x, false, m, 1, n, z, (T)-1);
    factor_block(b);
    const scratch<T> s = {b.t, b.a, b.w, b.k, b.s, b.y, b.over, b.v};
    const sizes d = {n, m};
    for (int i = (int)threadIdx.x; i < n; i += THREADS) {
        solve_row(d, i, s);
        for (int k = 0; k < m; k++) b.x[i] += b.k[i * m + k] * b.y[k];
    }
    __syncthreads();
    product(b.a, b.k, h, false, n, n, m, (const T *)nullptr, (T)-1);
    for (int i = (int)threadIdx.x; i < n; i += THREADS) b.a[i * n + i] += 1;
    __syncthreads();
    product(b.t, b.a, b.p, false, n, n, n, (const T *)nullptr, (T)1);
    product(b.kr, b.k, r, false, n, m, m, (const T *)nullptr, (T)1);
    product(b.p, b.kr, b.k, true, n, n, m, (const T *)nullptr, (T)1);
    product(b.p, b.t, b.a, true, n, n, n, b.p, (T)1); // each thread reads and writes its own elements of p
    mirror(b.p, n);
}

template <class T> GNDI_FN void copy_block(T *to, const T *from, int count) {
    for (int i = (int)threadIdx.x; i < count; i += THREADS) to[i] = from[i];
}

template <class T> __global__ void __launch_bounds__(THREADS)
    any_kernel(const __grid_constant__ gndi_kalman_params params) {
    extern __shared__ __align__(16) char shared_memory[];
    const gndi_kalman_plan &p = params.plan;
    const int n = p.nx, m = p.nz;
    const int64_t numbers = (int64_t)n * (3 * n + 3 * m + 2) + m * m + 2 * m;
    T *work = params.work ? (T *)params.work + blockIdx.x * numbers : reinterpret_cast<T *>(shared_memory);
    const memory<T> b = memory<T>::of(n, m, work);
    for (int64_t track = blockIdx.x; track < p.tracks; track += gridDim.x) {
        T *const state = (T *)p.x + track * n, *const spread = (T *)p.p + track * n * n;
        copy_block(b.x, state, n);
        copy_block(b.p, spread, n * n);
        __syncthreads();
        mirror(b.p, n);
        for (int64_t t = 0; t < p.steps; t++) {
            if (p.predicts) predict_block(p, track, t, b);
            if (p.updates) update_block(p, track, (const T *)p.z + (t * p.tracks + track) * m, b);
            if (p.states) copy_block((T *)p.states + (t * p.tracks + track) * n, b.x, n);
            if (p.covariances) copy_block((T *)p.covariances + (t * p.tracks + track) * n * n, b.p, n * n);
        }
        copy_block(state, b.x, n);
        copy_block(spread, b.p, n * n);
        __syncthreads();
    }
}

// Of 9 numbers in double a track's own matrices are too many for a thread.
template <class T, int X, int Z> static const void *kernel_of(bool shared) {
    if (shared) return (const void *)track_kernel<T, X, Z, true>;
    if constexpr (X * sizeof(T) > 64)
        return nullptr;
    else
        return (const void *)track_kernel<T, X, Z, false>;
}

template <class T> static const void *kernel_of_size(int nx, int nz, bool shared) {
    switch (nx * 16 + nz) {
    case 2 * 16 + 1: return kernel_of<T, 2, 1>(shared);
    case 2 * 16 + 2: return kernel_of<T, 2, 2>(shared);
    case 4 * 16 + 1: return kernel_of<T, 4, 1>(shared);
    case 4 * 16 + 2: return kernel_of<T, 4, 2>(shared);
    case 6 * 16 + 2: return kernel_of<T, 6, 2>(shared);
    case 6 * 16 + 3: return kernel_of<T, 6, 3>(shared);
    case 9 * 16 + 3: return kernel_of<T, 9, 3>(shared);
    default: return nullptr;
    }
}

} // namespace kalman
} // namespace gnd

// Of tracks whose states have nx numbers and measurements nz: a thread has one. nullptr: there is none.
extern "C" const void *gndi_cuda_kalman_kernel(int nx, int nz, bool wide, bool shared) {
    using namespace gnd::kalman;
    if (nz >= 16) return nullptr;
    return wide ? kernel_of_size<double>(nx, nz, shared) : kernel_of_size<float>(nx, nz, shared);
}

// Of any size: a block has a track.
extern "C" const void *gndi_cuda_kalman_any_kernel(bool wide) {
    using namespace gnd::kalman;
    return wide ? (const void *)any_kernel<double> : (const void *)any_kernel<float>;
}
