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

#include "linalg/cuda/lapack_numbers.cuh"
#include "linalg/cuda/lapack_jacobi_params.h"

namespace gnd {
namespace la {

template <class T> struct alignas(16) line {
    static constexpr int count = 16 / (int)sizeof(T);
    T e[count];
};

// Matrices are scaled so that the largest element is near 2^top: no sum of squares overflows. Columns whose
// square is below 2^zero count as zero. That is far below rounding errors, but the remainder of a column that is
// a multiple of another one reaches it soon, since each rotation reduces it to a 10^6th.
template <class R> struct jacobi_range;
template <> struct jacobi_range<float> { static constexpr int top = GNDI_JACOBI_TOP_32, zero = -80; };
template <> struct jacobi_range<double> { static constexpr int top = GNDI_JACOBI_TOP_64, zero = 600; };

// 1 / sqrt(x) and 1 / x to 20 bits or more, of numbers whose results are normal.
#if GNDI_ON_DEVICE
GNDI_FN float rough_inverse_root(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
GNDI_FN double rough_inverse_root(double x) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}
GNDI_FN float rough_inverse(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
GNDI_FN double rough_inverse(double x) {
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}
#else
template <class R> GNDI_FN R rough_inverse_root(R x) {
    return (R)((float)0x1.000008p0f * (1 / root(x)));
}
template <class R> GNDI_FN R rough_inverse(R x) {
    return (R)((float)0x1.000008p0f * (1 / x));
}
#endif
// 1 / x to the last bit or two, of a number between 1 and 2.
GNDI_FN float inverse_near_one(float x) {
    const float y = rough_inverse(x);
    return y + y * (1 - x * y);
}
GNDI_FN double inverse_near_one(double x) {
    double y = rough_inverse((float)x);
    y += y * (1 - x * y);
    return y + y * (1 - x * y);
}

// Two matrices that get the same rotations, and which threads work on what.
template <class T> struct jacobi_block {
    line<T> *x, *y;                 // y: NULL if it is not wanted
    int lines_x, lines_y, ldx, ldy; // lines: of a column; ld: lines from one to the next
    int lanes, lane, group, groups;
    float tolerance;
};

// x - s (y + k x), y + conj(s) (x - conj(k) y) is the rotation c x - s y, conj(s) x + c y if s is
// 2 conj(k) / (1 + |k|^2) and c = 1 - s k: rounding errors are relative to the change, so that products of many
// small rotations stay orthogonal (Rutishauser). k, the tangent of half the angle, may be approximate.
template <class T> struct rotation {
    T s, k;
    real<T> c;
};

// The largest cosine of the angle between two columns that were rotated, and the largest sine of a rotation's
// angle, times the ratio of the columns' lengths: its effect relative to the shorter one.
struct jacobi_seen {
    float cosine, sine;
};

// For two columns: k of the rotation that makes them orthogonal, 0 if their cosine is within the tolerance,
// and what it adds to the square of y's length and subtracts from that of x.
template <class T> struct jacobi_angle {
    T k;
    real<T> grows;
};

// The smaller of the two possible angles, from x^H x, y^H y and x^H y. In float64, too, it is only so exact that a
// cosine becomes a 10^6th of itself rather than 0.
template <class T> GNDI_FN jacobi_angle<T> angle_of(real<T> xx, real<T> yy, T xy, float tolerance, jacobi_seen &seen) {
    typedef real<T> R;
    constexpr float far = 1 << 20; // of the double angle's cotangent: beyond it the tangent is half of its inverse
    const R least = power_of_two(R(), jacobi_range<R>::zero);
    if (!(xx > least && yy > least)) return {T{}, R(0)};
    const R both = rough_inverse_root(xx) * rough_inverse_root(yy);
    const T unit = scaled(xy, both);
    float cosine;
    if constexpr (is_complex<T>) {
        // The inverse root of a subnormal square would be infinite, and is not computed.
        const float square = (float)square_of(unit);
        cosine = square > tolerance * tolerance ? square * rough_inverse_root(square) : 0.0f;
    } else {
        cosine = (float)magnitude(unit);
    }
    if (!(cosine > tolerance)) return {T{}, R(0)};
    const R up = yy * both, down = xx * both; // the ratio of lengths and its inverse
    const float inverse = rough_inverse(cosine);
    const R cotangent = (up - down) * R(0.5f * inverse), size = magnitude(cotangent);
    const float z = size < R(far) ? (float)size : far, h = 1 + z * z;
    const float t = rough_inverse(z + h * rough_inverse_root(h)), g = 1 + t * t;
    R tangent = t, half = t * rough_inverse(1 + g * rough_inverse_root(g));
    if (!(size < R(far))) {
        tangent = rough_inverse(size) * R(0.5);
        half = tangent * R(0.5);
    }
    const float sine = (float)((up > down ? up : down) * tangent);
    seen.cosine = cosine > seen.cosine ? cosine : seen.cosine;
    seen.sine = sine > seen.sine ? sine : seen.sine;
    if (cotangent < 0) tangent = -tangent, half = -half;
    const R length = R(cosine) * rough_inverse(both);
    return {scaled(unit, half * R(inverse)), tangent * length};
}

template <class T> GNDI_FN rotation<T> rotation_by(T k) {
    typedef real<T> R;
    const R square = square_of(k), by = 2 * inverse_near_one(1 + square);
    return {scaled(conjugate(k), by), k, 1 - square * by};
}

template <class T> GNDI_FN void rotate(const rotation<T> &r, line<T> &a, line<T> &b) {
#pragma unroll
    for (int e = 0; e < line<T>::count; e++) {
        const T x = a.e[e], y = b.e[e];
        a.e[e] = minus_product(x, r.s, plus_product(y, r.k, x));
        b.e[e] = plus_inner(y, r.s, minus_product(x, conjugate(r.k), y));
    }
}
// z^H x and z^H y of the rotated columns.
template <class T> GNDI_FN void rotate_products(const rotation<T> &r, T &zx, T &zy) {
    const T x = zx;
    zx = minus_product(scaled(x, r.c), r.s, zy);
    zy = plus_inner(scaled(zy, r.c), r.s, x);
}

// Columns a and b of one tile and c and d of another are rotated in pairs: a and c, b and d, then a and d, b and c.
// All angles follow from the inner products of the four columns.
template <class T> struct jacobi_products {
    real<T> aa, bb, cc, dd;
    T ab, ac, ad, bc, bd, cd;

    __device__ __forceinline__ void add(const line<T> &a, const line<T> &b, const line<T> &c, const line<T> &d) {
#pragma unroll
        for (int e = 0; e < line<T>::count; e++) {
            aa += square_of(a.e[e]), bb += square_of(b.e[e]);
            cc += square_of(c.e[e]), dd += square_of(d.e[e]);
            ab = plus_inner(ab, a.e[e], b.e[e]);
            ac = plus_inner(ac, a.e[e], c.e[e]);
            ad = plus_inner(ad, a.e[e], d.e[e]);
            bc = plus_inner(bc, b.e[e], c.e[e]);
            bd = plus_inner(bd, b.e[e], d.e[e]);
            cd = plus_inner(cd, c.e[e], d.e[e]);
        }
    }
};

template <class T> struct jacobi_rotations {
    rotation<T> ac, bd, ad, bc;

    __device__ __forceinline__ bool any() const {
        return !(is_zero(ac.k) && is_zero(bd.k) && is_zero(ad.k) && is_zero(bc.k));
    }
    __device__ __forceinline__ void apply(line<T> &a, line<T> &b, line<T> &c, line<T> &d) const {
        rotate(ac, a, c);
        rotate(bd, b, d);
        rotate(ad, a, d);
        rotate(bc, b, c);
    }
};

// From the sums over all lanes, an even lane computes the angles of a and c and of a and d, an odd one those of b and d
// and of b and c; neighbours exchange them.
template <class T> GNDI_FN jacobi_rotations<T> rotations_of(const jacobi_products<T> &p, int lanes, bool odd,
                                                            float tolerance, jacobi_seen &seen) {
    typedef real<T> R;
    R xx = (odd ? p.bb : p.aa) + across(odd ? p.aa : p.bb, 1);
    R yy = (odd ? p.dd : p.cc) + across(odd ? p.cc : p.dd, 1);
    T xy = plus(odd ? p.bd : p.ac, across(odd ? p.ac : p.bd, 1));
    T ab = plus(p.ab, across(p.ab, 1)), cd = plus(p.cd, across(p.cd, 1));
    T ad = plus(p.ad, across(p.ad, 1)), bc = plus(p.bc, across(p.bc, 1));
#pragma unroll 1
    for (int by = lanes >> 1; by > 1; by >>= 1) {
        xx += across(xx, by), yy += across(yy, by);
        xy = plus(xy, across(xy, by));
        ab = plus(ab, across(ab, by)), cd = plus(cd, across(cd, by));
        ad = plus(ad, across(ad, by)), bc = plus(bc, across(bc, by));
    }
    jacobi_rotations<T> r;
    const jacobi_angle<T> first = angle_of<T>(xx, yy, xy, tolerance, seen);
    const T beside = across(first.k, 1);
    r.ac = rotation_by(odd ? beside : first.k);
    r.bd = rotation_by(odd ? first.k : beside);
    // The products from before the first rotation do not determine a column that nearly vanished in it: it is
    // left alone until the next sweep. The other column of the second pair is the neighbour's.
    const R less = xx - first.grows, more = yy + first.grows;
    xx = less > xx * R(0.015625) ? less : R(0);
    yy = across(more > yy * R(0.015625) ? more : R(0), 1);
    T ba = conjugate(ab), da = conjugate(ad), dc = conjugate(cd);
    rotate_products(r.ac, ba, bc);
    rotate_products(r.ac, da, dc);
    T cb = conjugate(bc);
    ab = conjugate(ba), ad = conjugate(da), cd = conjugate(dc);
    rotate_products(r.bd, ab, ad);
    rotate_products(r.bd, cb, cd);
    const jacobi_angle<T> second = angle_of<T>(xx, yy, odd ? conjugate(cb) : ad, tolerance, seen);
    const T below = across(second.k, 1);
    r.ad = rotation_by(odd ? below : second.k);
    r.bc = rotation_by(odd ? second.k : below);
    return r;
}

template <class T, int each>
GNDI_FN void load_lines(const line<T> *from, int first, int lanes, int count, line<T> (&to)[each]) {
#pragma unroll
    for (int u = 0; u < each; u++) to[u] = first + u * lanes < count ? from[first + u * lanes] : line<T>{};
}
template <class T, int each>
GNDI_FN void store_lines(const line<T> (&from)[each], int first, int lanes, int count, line<T> *to) {
#pragma unroll
    for (int u = 0; u < each; u++)
        if (first + u * lanes < count) to[first + u * lanes] = from[u];
}

// `each` lines of four columns.
template <class T, int each> struct jacobi_lines {
    line<T> a[each], b[each], c[each], d[each];

    __device__ __forceinline__ void load(const line<T> *x, const line<T> *y, int ld, int first, int lanes, int count) {
        load_lines<T, each>(x, first, lanes, count, a);
        load_lines<T, each>(x + ld, first, lanes, count, b);
        load_lines<T, each>(y, first, lanes, count, c);
        load_lines<T, each>(y + ld, first, lanes, count, d);
    }
    __device__ __forceinline__ void store(line<T> *x, line<T> *y, int ld, int first, int lanes, int count) const {
        store_lines<T, each>(a, first, lanes, count, x);
        store_lines<T, each>(b, first, lanes, count, x + ld);
        store_lines<T, each>(c, first, lanes, count, y);
        store_lines<T, each>(d, first, lanes, count, y + ld);
    }
};

// Rotates tiles i and j, of two columns each: four pairs for one pass through shared memory. All threads of a warp
// must call it together, with or without tiles.
template <class T, int each>
GNDI_FN void rotate_tiles(const jacobi_block<T> &b, int i, int j, bool inside, jacobi_seen &seen) {
    jacobi_lines<T, each> own;
    line<T> *x = b.x + 2 * i * b.ldx, *y = b.x + 2 * j * b.ldx;
    const int count = inside ? b.lines_x : 0, step = each * b.lanes;
    const bool once = b.lines_x <= step;
    jacobi_products<T> products = {};
#pragma unroll 1
    for (int k = b.lane; k < count; k += step) {
        own.load(x, y, b.ldx, k, b.lanes, count);
#pragma unroll
        for (int u = 0; u < each; u++) products.add(own.a[u], own.b[u], own.c[u], own.d[u]);
    }
    const jacobi_rotations<T> r = rotations_of(products, b.lanes, b.lane & 1, b.tolerance, seen);
    if (!r.any()) return;
#pragma unroll 1
    for (int k = b.lane; k < count; k += step) {
        if (!once) own.load(x, y, b.ldx, k, b.lanes, count);
#pragma unroll
        for (int u = 0; u < each; u++) r.apply(own.a[u], own.b[u], own.c[u], own.d[u]);
        own.store(x, y, b.ldx, k, b.lanes, count);
    }
    if (!b.y) return;
    x = b.y + 2 * i * b.ldy, y = b.y + 2 * j * b.ldy;
#pragma unroll 1
    for (int k = b.lane; k < b.lines_y; k += step) {
        own.load(x, y, b.ldy, k, b.lanes, b.lines_y);
#pragma unroll
        for (int u = 0; u < each; u++) r.apply(own.a[u], own.b[u], own.c[u], own.d[u]);
        own.store(x, y, b.ldy, k, b.lanes, b.lines_y);
    }
}

// Rotates the two columns of a tile.
template <class T> GNDI_FN void rotate_tile(const jacobi_block<T> &b, int i, bool inside, jacobi_seen &seen) {
    line<T> *x = b.x + 2 * i * b.ldx, *y = x + b.ldx;
    const int count = inside ? b.lines_x : 0;
    real<T> xx = 0, yy = 0;
    T xy{};
#pragma unroll 1
    for (int k = b.lane; k < count; k += b.lanes) {
        const line<T> own = x[k], other = y[k];
#pragma unroll
        for (int e = 0; e < line<T>::count; e++) {
            xx += square_of(own.e[e]), yy += square_of(other.e[e]);
            xy = plus_inner(xy, own.e[e], other.e[e]);
        }
    }
    xx = sum_of(xx, b.lanes), yy = sum_of(yy, b.lanes), xy = sum_of(xy, b.lanes);
    const rotation<T> r = rotation_by(angle_of<T>(xx, yy, xy, b.tolerance, seen).k);
    if (is_zero(r.k)) return;
#pragma unroll 1
    for (int k = b.lane; k < count; k += b.lanes) rotate(r, x[k], y[k]);
    if (!b.y) return;
    x = b.y + 2 * i * b.ldy, y = x + b.ldy;
#pragma unroll 1
    for (int k = b.lane; k < b.lines_y; k += b.lanes) rotate(r, x[k], y[k]);
}

// The pair that an even number of players puts at table k of a round (Brent and Luk's tournament), the smaller first.
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

// Rotates every pair of `columns` columns, a multiple of 4, once. Ends with a barrier.
template <class T, int each> GNDI_FN void sweep_all(const jacobi_block<T> &b, int columns, jacobi_seen &seen) {
    const int tiles = columns / 2, tables = columns / 4;
#pragma unroll 1
    for (int k0 = 0; k0 < tiles; k0 += b.groups) // the same count for all threads
        rotate_tile<T>(b, k0 + b.group < tiles ? k0 + b.group : 0, k0 + b.group < tiles, seen);
    __syncthreads();
#pragma unroll 1
    for (int round = 0; round < tiles - 1; round++) {
#pragma unroll 1
        for (int k0 = 0; k0 < tables; k0 += b.groups) {
            int i, j;
            meet(tiles, round, k0 + b.group < tables ? k0 + b.group : 0, i, j);
            rotate_tiles<T, each>(b, i, j, k0 + b.group < tables, seen);
        }
        __syncthreads();
    }
}

// Rotates every pair of one of the first `half` columns and one of the others.
template <class T, int each> GNDI_FN void sweep_across(const jacobi_block<T> &b, int half, jacobi_seen &seen) {
    const int tiles = half / 2;
#pragma unroll 1
    for (int round = 0; round < tiles; round++) {
#pragma unroll 1
        for (int k0 = 0; k0 < tiles; k0 += b.groups) {
            const int k = k0 + b.group;
            const int with = k + round < tiles ? k + round : k + round - tiles;
            rotate_tiles<T, each>(b, k < tiles ? k : 0, k < tiles ? tiles + with : 0, k < tiles, seen);
        }
        __syncthreads();
    }
}

// Whether no cosine above the tolerance can remain after a sweep: what rotations put where others made zeros is a
// product of their cosines and sines, n of them for each pair, and angles are approximate.
GNDI_FN bool has_converged(jacobi_seen seen, int n, float tolerance) {
    return seen.cosine * (seen.sine * sqrtf((float)n) + 0x1p-19f) <= tolerance;
}

// Takes the maximum of one thread's values and *at, into *at. Nonnegative floats are ordered like their bits.
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

// Sweeps a matrix of n columns, padded to `columns`, that a block holds whole; false if it does not converge.
// `at`: two, in shared memory.
template <class T, int each> GNDI_FN bool rotate_whole(const jacobi_block<T> &b, int columns, int n, jacobi_seen *at) {
    for (int sweep = 0; sweep < GNDI_JACOBI_SWEEPS; sweep++) {
        jacobi_seen own = {0, 0};
        if (threadIdx.x == 0) at[sweep & 1] = own;
        sweep_all<T, each>(b, columns, own);
        gather_seen(own, &at[sweep & 1]);
        __syncthreads();
        if (has_converged(at[sweep & 1], n, b.tolerance)) return true;
    }
    return false;
}

// ---- scale --------------------------------------------------------------------------------------

template <class T> GNDI_FN real<T> largest_part(T x) {
    const real<T> re = magnitude(real_of(x)), im = magnitude(imaginary_of(x));
    return re > im ? re : im;
}
// The largest of all threads of a block; `scratch`: one for each warp.
template <class R> GNDI_FN R largest_of_block(R own, R *scratch) {
    own = largest_of(own);
    if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = own;
    __syncthreads();
    R all = 0;
    for (int i = 0; i < (int)(blockDim.x >> 5); i++) all = scratch[i] > all ? scratch[i] : all;
    __syncthreads();
    return all;
}
// log2 of the scale of a matrix, which is applied in two halves, since the power of two itself may be out of range.
template <class R> GNDI_FN int scale_of(R largest) {
    return largest > 0 ? jacobi_range<R>::top - exponent_of(largest) : 0;
}
template <class T> GNDI_FN T shifted(T x, int by) {
    typedef real<T> R;
    return scaled(scaled(x, power_of_two(R(), by / 2)), power_of_two(R(), by - by / 2));
}

// ---- orthonormal columns ------------------------------------------------------------------------

// X's columns, some of which may be missing and have to be replaced.
template <class T> struct jacobi_columns {
    T *x;
    int64_t ld;
    int n;
    real<T> *lengths; // of columns, in shared memory; 0: the column is missing
    T *inner;         // n, in shared memory

    __device__ __forceinline__ T *at(int j) const { return x + j * ld; }
};

// False if a length is NaN: then all are 0.
template <class T> GNDI_FN_HEAVY bool measure_columns(const jacobi_columns<T> &c) {
    typedef real<T> R;
    const int lane = (int)threadIdx.x & 31;
    bool broken = false;
    for (int j = (int)threadIdx.x >> 5; j < c.n; j += (int)blockDim.x >> 5) {
        R sum = 0;
        for (int i = lane; i < c.n; i += 32) sum += square_of(c.at(j)[i]);
        sum = sum_of(sum, 32);
        broken |= !(sum < R(INFINITY));
        if (lane == 0) c.lengths[j] = sum > power_of_two(R(), jacobi_range<R>::zero) ? root(sum) : R(0);
    }
    if (!__syncthreads_or(broken)) return true;
    for (int j = (int)threadIdx.x; j < c.n; j += (int)blockDim.x) c.lengths[j] = 0;
    __syncthreads();
    return false;
}

// The rank of each column, the longest first.
template <class T> GNDI_FN_HEAVY void order_columns(const jacobi_columns<T> &c, int *order) {
    for (int j = (int)threadIdx.x; j < c.n; j += (int)blockDim.x) {
        const real<T> own = c.lengths[j];
        int rank = 0;
        for (int k = 0; k < c.n; k++) rank += c.lengths[k] > own || (c.lengths[k] == own && k < j);
        order[rank] = j;
    }
    __syncthreads();
}

// inner[j] = x_j^H x_of, of all columns that are not missing.
template <class T> GNDI_FN_HEAVY void inner_products(const jacobi_columns<T> &c, int of) {
    const int lane = (int)threadIdx.x & 31;
    for (int j = (int)threadIdx.x >> 5; j < c.n; j += (int)blockDim.x >> 5) {
        T sum{};
        const bool there = c.lengths[j] > 0;
        for (int i = lane; i < c.n && there; i += 32) sum = plus_inner(sum, c.at(j)[i], c.at(of)[i]);
        sum = sum_of(sum, 32);
        if (lane == 0) c.inner[j] = sum;
    }
    __syncthreads();
}

// Makes a missing column: the unit vector with the smallest projection on the others, made orthogonal to them twice.
// Its square is at least the fraction of columns that are missing.
template <class T> GNDI_FN_HEAVY void replace_column(const jacobi_columns<T> &c, int z, int *row) {
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
    for (int i = (int)threadIdx.x; i < c.n; i += (int)blockDim.x) c.at(z)[i] = of_real<T>(i == *row);
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
    R square = 0; // each warp computes the same
    for (int i = lane; i < c.n; i += 32) square += square_of(c.at(z)[i]);
    const R by = 1 / root(sum_of(square, 32));
    __syncthreads();
    for (int i = (int)threadIdx.x; i < c.n; i += (int)blockDim.x) c.at(z)[i] = scaled(c.at(z)[i], by);
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
        if (c.lengths[z] == 0) replace_column(c, z, row); // the same for all threads
}

} // namespace la
} // namespace gnd

#endif
