/*
 * border.h: values beyond the ends of a line: the borders of convolution, filters, resampling and images.
 *
 * Modes that repeat elements map indices: gndi_border_index returns the index of the element for index i, or -1 where
 * the border is a constant. Modes that extrapolate combine several elements: gndi_border_parts returns them as a sum
 * of weight * element, so that any dtype can evaluate it. C, C++ and CUDA.
 */
#ifndef GNDI_KERNELS_BORDER_H
#define GNDI_KERNELS_BORDER_H

#include <stdint.h>

#ifdef __CUDACC__
#    define GNDI_BORDER_FN static __host__ __device__ __forceinline__
#else
#    define GNDI_BORDER_FN static inline __attribute__((unused))
#endif

/* The names of scipy.ndimage and scipy.signal, by the line a b c d. */
typedef enum gndi_border {
    GNDI_BORDER_CONSTANT,      /* k k k | a b c d | k k k */
    GNDI_BORDER_NEAREST,       /* a a a | a b c d | d d d; "edge" */
    GNDI_BORDER_REFLECT,       /* c b a | a b c d | d c b; "symmetric", "symm" */
    GNDI_BORDER_MIRROR,        /* d c b | a b c d | c b a; NumPy's and upfirdn's "reflect" */
    GNDI_BORDER_WRAP,          /* b c d | a b c d | a b c; "periodic" */
    GNDI_BORDER_ANTISYMMETRIC, /* -c -b -a | a b c d | -d -c -b */
    GNDI_BORDER_ANTIREFLECT,   /* 2a-c 2a-b | a b c d | 2d-c 2d-b; the odd extension of filtfilt */
    GNDI_BORDER_SMOOTH,        /* continued by the difference of the last two elements */
    GNDI_BORDER_LINE,          /* continued by the straight line through the first and the last element */
} gndi_border;

/* i modulo n, not negative. */
GNDI_BORDER_FN int64_t gndi_border_modulo(int64_t i, int64_t n) {
    const int64_t r = i % n;
    return r < 0 ? r + n : r;
}

/* The index of the element for index i of a line of n > 0 elements; -1 for the constant. For modes that repeat
   elements. */
GNDI_BORDER_FN int64_t gndi_border_index(int64_t i, int64_t n, gndi_border mode) {
    if (i >= 0 && i < n) return i;
    switch (mode) {
    case GNDI_BORDER_NEAREST: return i < 0 ? 0 : n - 1;
    case GNDI_BORDER_WRAP: return gndi_border_modulo(i, n);
    case GNDI_BORDER_REFLECT: {
        const int64_t r = gndi_border_modulo(i, 2 * n);
        return r < n ? r : 2 * n - 1 - r;
    }
    case GNDI_BORDER_MIRROR: {
        if (n == 1) return 0;
        const int64_t r = gndi_border_modulo(i, 2 * n - 2);
        return r < n ? r : 2 * n - 2 - r;
    }
    default: return -1;
    }
}

/* The value at index i as a sum of weight[k] * element[index[k]] of `count` parts, at most 3; 0 for the constant. */
typedef struct gndi_border_parts {
    int count;
    int64_t index[3];
    double weight[3];
} gndi_border_parts;

GNDI_BORDER_FN void gndi_border_add(gndi_border_parts *parts, int64_t index, double weight) {
    parts->index[parts->count] = index;
    parts->weight[parts->count++] = weight;
}

GNDI_BORDER_FN gndi_border_parts gndi_border_at(int64_t i, int64_t n, gndi_border mode) {
    gndi_border_parts parts = {0, {0, 0, 0}, {0, 0, 0}};
    const int64_t edge = i < 0 ? 0 : n - 1;
    if (i >= 0 && i < n) {
        gndi_border_add(&parts, i, 1);
        return parts;
    }
    switch (mode) {
    case GNDI_BORDER_ANTISYMMETRIC: {
        const int64_t r = gndi_border_modulo(i, 2 * n); /* the second half of a period is negated */
        gndi_border_add(&parts, r < n ? r : 2 * n - 1 - r, r < n ? 1 : -1);
        break;
    }
    case GNDI_BORDER_ANTIREFLECT: {
        /* A period of 2 (n - 1) repeats, raised each time by twice the difference of the line's ends. */
        if (n == 1) {
            gndi_border_add(&parts, 0, 1);
            break;
        }
        const int64_t period = 2 * (n - 1), r = gndi_border_modulo(i, period);
        const double turns = (double)((i - r) / period);
        if (r < n) {
            gndi_border_add(&parts, r, 1);
            gndi_border_add(&parts, n - 1, 2 * turns);
        } else {
            gndi_border_add(&parts, period - r, -1);
            gndi_border_add(&parts, n - 1, 2 * turns + 2);
        }
        gndi_border_add(&parts, 0, -2 * turns);
        break;
    }
    case GNDI_BORDER_SMOOTH: {
        const int64_t next = n == 1 ? 0 : i < 0 ? 1 : n - 2;
        const double steps = (double)(i < 0 ? -i : i - (n - 1));
        gndi_border_add(&parts, edge, 1 + steps);
        gndi_border_add(&parts, next, -steps);
        break;
    }
    case GNDI_BORDER_LINE: {
        const double steps = n == 1 ? 0 : (double)(i < 0 ? i : i - (n - 1)) / (double)(n - 1);
        gndi_border_add(&parts, edge, 1);
        gndi_border_add(&parts, n - 1, steps);
        gndi_border_add(&parts, 0, -steps);
        break;
    }
    default: {
        const int64_t at = gndi_border_index(i, n, mode);
        if (at >= 0) gndi_border_add(&parts, at, 1);
        break;
    }
    }
    return parts;
}

#endif
