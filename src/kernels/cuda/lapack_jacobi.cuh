// lapack_jacobi.cuh: one-sided Jacobi (Hestenes): plane rotations from the right make the columns of X
// orthogonal, pair after pair; their lengths are then the singular values, and the same rotations of the
// identity give Y, so that X before = (X after) Y^H. All small singular values keep their digits (Demmel
// and Veselic, SIAM J. Matrix Anal. Appl. 13, 1992), and a matrix that is R^H of a QR factorisation needs
// far fewer sweeps than A itself (Drmac and Veselic, SIAM J. Matrix Anal. Appl. 29, 2008).
//
// Columns are in memory as lines of 16 bytes, filled up with zeros. A few neighbouring lanes share a pair;
// the pairs of a round (Brent and Luk) have no column in common, so that one barrier a round is enough.
#ifndef GNDI_LAPACK_JACOBI_CUH
#define GNDI_LAPACK_JACOBI_CUH

#include "kernels/cuda/lapack_numbers.cuh"
#include "kernels/cuda/lapack_jacobi_params.h"

namespace gnd {
namespace la {

template <class T> struct alignas(16) line {
    static constexpr int count = 16 / (int)sizeof(T);
    T e[count];
};

// Matrices are scaled so that the largest element is near 2^top: no sum of squares overflows, and columns
// whose square is below 2^zero, about the smallest one can be and be made orthogonal, count as zero. A
// rotation of columns whose squares differ by 2^far and more products needs no square root.
template <class R> struct jacobi_range;
template <> struct jacobi_range<float> {
    static constexpr int top = 48, zero = -80;
    static constexpr float far = 8192.0f, epsilon = 1.1920929e-7f;
};
template <> struct jacobi_range<double> {
    static constexpr int top = 460, zero = -900;
    static constexpr double far = 268435456.0, epsilon = 2.220446049250313e-16;
};

// Two matrices that get the same rotations, and which threads work on what.
template <class T> struct jacobi_block {
    line<T> *x, *y;                 // y: NULL if nobody wants it
    int lines_x, lines_y, ldx, ldy; // lines: of a column; ld: lines from one to the next
    int lanes, lane, group, groups;
    real<T> tolerance;
};

// x - s (y + k x), y + conj(s) (x - conj(k) y) is the rotation x c - s y, conj(s) x + y c where
// k = conj(s) / (1 + c): its rounding errors are those of what changes, so that many small rotations
// remain orthogonal (Rutishauser).
template <class T> struct rotation {
    T s, k;
    bool turns;
};

// The largest cosine of an angle between two columns that were rotated, and the largest sine of an angle
// by which, times the ratio of their lengths: what the shorter one sees of it.
struct jacobi_seen {
    float cosine, sine;
};

// sum + conjugate(a) b over a line, beside the squares of both.
template <class T> struct jacobi_sums {
    real<T> xx, yy;
    T xy;

    __device__ __forceinline__ void add(const line<T> &a, const line<T> &b) {
#pragma unroll
        for (int e = 0; e < line<T>::count; e++) {
            xx += square_of(a.e[e]);
            yy += square_of(b.e[e]);
            xy = plus_inner(xy, a.e[e], b.e[e]);
        }
    }
    __device__ __forceinline__ void add_lanes(int lanes) {
        for (int distance = lanes >> 1; distance; distance >>= 1) {
            xx += across(xx, distance);
            yy += across(yy, distance);
            xy = plus(xy, across(xy, distance));
        }
    }
};

// The rotation that makes two columns orthogonal, by the smaller of the two angles. None if their cosine
// is within the tolerance.
template <class T>
GNDI_FN rotation<T> rotation_of(const jacobi_sums<T> &sums, real<T> tolerance, jacobi_seen &seen) {
    typedef real<T> R;
    typedef jacobi_range<R> range;
    rotation<T> r = {T{}, T{}, false};
    const R least = power_of_two(R(), range::zero);
    if (!(sums.xx > least && sums.yy > least)) return r;
    const R size = length(sums.xy), a = root(sums.xx), b = root(sums.yy);
    if (!(size > tolerance * (a * b))) return r;
    const R apart = sums.yy - sums.xx;
    R t;
    if (magnitude(apart) > range::far * size) {
        t = size / apart;
    } else {
        const R zeta = apart / (2 * size);
        t = (zeta < 0 ? R(-1) : R(1)) / (magnitude(zeta) + root(1 + zeta * zeta));
    }
    const R c = 1 / root(1 + t * t);
    r.s = scaled(conjugate(sums.xy), c * t / size);
    r.k = scaled(conjugate(r.s), 1 / (1 + c));
    r.turns = true;
    const float cosine = (float)(size / (a * b));
    const float sine = (float)(magnitude(c * t) * (a > b ? a / b : b / a));
    seen.cosine = cosine > seen.cosine ? cosine : seen.cosine;
    seen.sine = sine > seen.sine ? sine : seen.sine;
    return r;
}

template <class T> GNDI_FN void rotate(const rotation<T> &r, line<T> &a, line<T> &b) {
#pragma unroll
    for (int e = 0; e < line<T>::count; e++) {
        const T x = a.e[e], y = b.e[e];
        a.e[e] = minus_product(x, r.s, plus_product(y, r.k, x));
        b.e[e] = plus_inner(y, r.s, minus_product(x, conjugate(r.k), y));
    }
}

template <class T, int each>
GNDI_FN void load_lines(const line<T> *from, int first, int lanes, int count, line<T> (&to)[each]) {
#pragma unroll
    for (int u = 0; u < each; u++)
        to[u] = first + u * lanes < count ? from[first + u * lanes] : line<T>{};
}
template <class T, int each> GNDI_FN void store_lines(const line<T> (&from)[each], int first,
                                                      int lanes, int count, line<T> *to) {
#pragma unroll
    for (int u = 0; u < each; u++)
        if (first + u * lanes < count) to[first + u * lanes] = from[u];
}

// Columns i and j of both matrices; all threads of a warp come here together, with or without a pair.
template <class T, int each>
GNDI_FN void rotate_pair(const jacobi_block<T> &b, int i, int j, bool inside, jacobi_seen &seen) {
    line<T> own[each], other[each];
    line<T> *x = b.x + i * b.ldx, *y = b.x + j * b.ldx;
    const int count = inside ? b.lines_x : 0, step = each * b.lanes;
    const bool once = b.lines_x <= step;
    jacobi_sums<T> sums = {0, 0, T{}};
#pragma unroll 1
    for (int k = b.lane; k < count; k += step) {
        load_lines<T, each>(x, k, b.lanes, count, own);
        load_lines<T, each>(y, k, b.lanes, count, other);
#pragma unroll
        for (int u = 0; u < each; u++) sums.add(own[u], other[u]);
    }
    sums.add_lanes(b.lanes);
    const rotation<T> r = rotation_of<T>(sums, b.tolerance, seen);
    if (!r.turns) return;
#pragma unroll 1
    for (int k = b.lane; k < count; k += step) {
        if (!once) {
            load_lines<T, each>(x, k, b.lanes, count, own);
            load_lines<T, each>(y, k, b.lanes, count, other);
        }
#pragma unroll
        for (int u = 0; u < each; u++) rotate(r, own[u], other[u]);
        store_lines<T, each>(own, k, b.lanes, count, x);
        store_lines<T, each>(other, k, b.lanes, count, y);
    }
    if (!b.y) return;
    x = b.y + i * b.ldy, y = b.y + j * b.ldy;
#pragma unroll 1
    for (int k = b.lane; k < b.lines_y; k += step) {
        load_lines<T, each>(x, k, b.lanes, b.lines_y, own);
        load_lines<T, each>(y, k, b.lanes, b.lines_y, other);
#pragma unroll
        for (int u = 0; u < each; u++) rotate(r, own[u], other[u]);
        store_lines<T, each>(own, k, b.lanes, b.lines_y, x);
        store_lines<T, each>(other, k, b.lanes, b.lines_y, y);
    }
}

// The two of an even number of players that meet at table k of a round, the smaller first.
GNDI_FN void meet(int players, int round, int k, int &i, int &j) {
    const int others = players - 1;
    i = round + k < others ? round + k : round + k - others;
    j = round >= k ? round - k : round - k + others;
    if (k == 0) j = others;
    if (i > j) {
        const int first = j;
        j = i;
        i = first;
    }
}

// Every pair of n columns once. Ends behind a barrier.
template <class T, int each>
GNDI_FN void sweep_all(const jacobi_block<T> &b, int n, jacobi_seen &seen) {
    const int players = n + (n & 1), tables = players / 2;
#pragma unroll 1
    for (int round = 0; round < players - 1; round++) {
#pragma unroll 1
        for (int k0 = 0; k0 < tables; k0 += b.groups) { // as often for all threads
            int i, j;
            meet(players, round, k0 + b.group < tables ? k0 + b.group : 0, i, j);
            rotate_pair<T, each>(b, i, j, k0 + b.group < tables && j < n, seen);
        }
        __syncthreads();
    }
}

// Every pair of one of the first `half` columns and one of the others.
template <class T, int each>
GNDI_FN void sweep_across(const jacobi_block<T> &b, int half, jacobi_seen &seen) {
#pragma unroll 1
    for (int round = 0; round < half; round++) {
#pragma unroll 1
        for (int k0 = 0; k0 < half; k0 += b.groups) {
            const int k = k0 + b.group;
            const int with = k + round < half ? k + round : k + round - half;
            rotate_pair<T, each>(b, k < half ? k : 0, k < half ? half + with : 0, k < half, seen);
        }
        __syncthreads();
    }
}

// Whether nothing that a sweep leaves behind is above the tolerance: what its rotations make of each
// other's zeros is a product of their cosines and sines, and there are n of them for each.
GNDI_FN bool has_converged(jacobi_seen seen, int n, float tolerance) {
    return seen.cosine * seen.sine * sqrtf((float)n) <= tolerance;
}

// What one thread knows, into *at. Floats that are not negative have the order of their bits.
GNDI_FN void gather_one(jacobi_seen own, jacobi_seen *at) {
    atomicMax(reinterpret_cast<int *>(&at->cosine), __float_as_int(own.cosine));
    atomicMax(reinterpret_cast<int *>(&at->sine), __float_as_int(own.sine));
}
// The largest of a block's threads.
GNDI_FN void gather_seen(jacobi_seen own, jacobi_seen *at) {
    own.cosine = largest_of(own.cosine);
    own.sine = largest_of(own.sine);
    if ((threadIdx.x & 31) == 0 && own.cosine > 0) gather_one(own, at);
}

// ---- scale --------------------------------------------------------------------------------------

template <class T> GNDI_FN real<T> largest_part(T x) {
    const real<T> re = magnitude(real_of(x)), im = magnitude(imaginary_of(x));
    return re > im ? re : im;
}
// The largest of all threads of a block; `room`: one for each warp.
template <class R> GNDI_FN R largest_of_block(R own, R *room) {
    own = largest_of(own);
    if ((threadIdx.x & 31) == 0) room[threadIdx.x >> 5] = own;
    __syncthreads();
    R all = 0;
    for (int i = 0; i < (int)(blockDim.x >> 5); i++) all = room[i] > all ? room[i] : all;
    __syncthreads();
    return all;
}
// The power of two by which a matrix is multiplied; twice the half of it, since it may not be a number.
template <class R> GNDI_FN int scale_of(R largest) {
    return largest > 0 ? jacobi_range<R>::top - exponent_of(largest) : 0;
}
template <class T> GNDI_FN T shifted(T x, int by) {
    typedef real<T> R;
    return scaled(scaled(x, power_of_two(R(), by / 2)), power_of_two(R(), by - by / 2));
}

// ---- orthonormal columns ------------------------------------------------------------------------

// X's columns, or what belongs in their place.
template <class T> struct jacobi_columns {
    T *x;
    int64_t ld;
    int n;
    real<T> *lengths; // of columns, in shared memory; 0: there is none
    T *inner;         // n, in shared memory

    __device__ __forceinline__ T *at(int j) const { return x + j * ld; }
};

template <class T> GNDI_FN_HEAVY void measure_columns(const jacobi_columns<T> &c) {
    typedef real<T> R;
    const int lane = (int)threadIdx.x & 31;
    for (int j = (int)threadIdx.x >> 5; j < c.n; j += (int)blockDim.x >> 5) {
        R sum = 0;
        for (int i = lane; i < c.n; i += 32) sum += square_of(c.at(j)[i]);
        sum = sum_of(sum, 32);
        if (lane == 0)
            c.lengths[j] = sum > power_of_two(R(), jacobi_range<R>::zero) ? root(sum) : 0;
    }
    __syncthreads();
}

// The place of each column when the longest comes first.
template <class T> GNDI_FN_HEAVY void order_columns(const jacobi_columns<T> &c, int *order) {
    for (int j = (int)threadIdx.x; j < c.n; j += (int)blockDim.x) {
        const real<T> own = c.lengths[j];
        int place = 0;
        for (int k = 0; k < c.n; k++) place += c.lengths[k] > own || (c.lengths[k] == own && k < j);
        order[place] = j;
    }
    __syncthreads();
}

// inner[j] = x_j^H x_of, of all columns that are there.
template <class T> GNDI_FN_HEAVY void inner_products(const jacobi_columns<T> &c, int of) {
    const int lane = (int)threadIdx.x & 31;
    for (int j = (int)threadIdx.x >> 5; j < c.n; j += (int)blockDim.x >> 5) {
        T sum{};
        const bool there = c.lengths[j] > 0;
        for (int i = lane; i < c.n && there; i += 32)
            sum = plus_inner(sum, c.at(j)[i], c.at(of)[i]);
        sum = sum_of(sum, 32);
        if (lane == 0) c.inner[j] = sum;
    }
    __syncthreads();
}

// A column where there is none: the unit vector that the others reach least, made orthogonal to them
// twice. Its square is at least the share of the columns that are missing.
template <class T> GNDI_FN_HEAVY void invent_column(const jacobi_columns<T> &c, int z, int *row) {
    typedef real<T> R;
    for (int i = (int)threadIdx.x; i < c.n; i += (int)blockDim.x) {
        R sum = 0;
        for (int j = 0; j < c.n; j++)
            if (c.lengths[j] > 0) sum += square_of(c.at(j)[i]);
        c.inner[i] = of_real<T>(sum);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *row = 0;
        for (int i = 1; i < c.n; i++)
            if (real_of(c.inner[i]) < real_of(c.inner[*row])) *row = i;
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < c.n; i += (int)blockDim.x)
        c.at(z)[i] = of_real<T>(i == *row);
    __syncthreads();
    for (int twice = 0; twice < 2; twice++) {
        inner_products(c, z);
        for (int i = (int)threadIdx.x; i < c.n; i += (int)blockDim.x) {
            T own = c.at(z)[i];
            for (int j = 0; j < c.n; j++)
                if (c.lengths[j] > 0) own = minus_product(own, c.inner[j], c.at(j)[i]);
            c.at(z)[i] = own;
        }
        __syncthreads();
    }
    const int lane = (int)threadIdx.x & 31;
    R square = 0; // each warp finds the same
    for (int i = lane; i < c.n; i += 32) square += square_of(c.at(z)[i]);
    const R by = 1 / root(sum_of(square, 32));
    __syncthreads();
    for (int i = (int)threadIdx.x; i < c.n; i += (int)blockDim.x)
        c.at(z)[i] = scaled(c.at(z)[i], by);
    if (threadIdx.x == 0) c.lengths[z] = 1;
    __syncthreads();
}

// All columns get length 1; lengths are 1 then, too. `row`: shared memory.
template <class T> GNDI_FN_HEAVY void make_orthonormal(const jacobi_columns<T> &c, int *row) {
    const int lane = (int)threadIdx.x & 31;
    for (int j = (int)threadIdx.x >> 5; j < c.n; j += (int)blockDim.x >> 5) {
        if (!(c.lengths[j] > 0)) continue;
        const real<T> by = 1 / c.lengths[j];
        for (int i = lane; i < c.n; i += 32) c.at(j)[i] = scaled(c.at(j)[i], by);
    }
    __syncthreads();
    for (int z = 0; z < c.n; z++)
        if (c.lengths[z] == 0) invent_column(c, z, row); // as all threads see it
}

} // namespace la
} // namespace gnd

#endif
