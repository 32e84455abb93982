/*
 * values.h: what most tests do with values: make arrays of numbers written in the source, of
 * 0, 1, 2, ..., or of none in particular, and ask whether the elements of an array are these. Comparing
 * on the host keeps the answer apart from the library's own comparisons.
 */
#ifndef GND_TESTS_VALUES_H
#define GND_TESTS_VALUES_H

#include "tap.h"
#include <math.h>

static inline gnd_array *doubles(const double *values, int64_t n) {
    return gnd_from_host(values, GND_SHAPE(n), GND_FLOAT64);
}
#define DOUBLES(...) doubles((const double[]){__VA_ARGS__}, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))

static inline gnd_array *floats(const float *values, int64_t n) {
    return gnd_from_host(values, GND_SHAPE(n), GND_FLOAT32);
}
#define FLOATS(...) floats((const float[]){__VA_ARGS__}, (int64_t)(sizeof((float[]){__VA_ARGS__}) / sizeof(float)))

static inline gnd_array *integers(const int64_t *values, int64_t n) {
    return gnd_from_host(values, GND_SHAPE(n), GND_INT64);
}
#define INTEGERS(...)                                                                                                  \
    integers((const int64_t[]){__VA_ARGS__}, (int64_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

/* 0, 1, 2, ... in a shape. */
static inline gnd_array *count_up(gnd_shape shape, gnd_dtype dtype) {
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    return gnd_reshape(gnd_arange(0, n, 1, dtype), shape);
}

/* Numbers without a pattern, the same ones every time (xorshift64). `state` must not be 0. */
static inline uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

/* Whether the elements, in C order, are these numbers: all NaNs are one, -0.0 is not 0. */
static inline bool holds(const gnd_array *a, int64_t n, const double *values) {
    double got[64];
    if (!a || gnd_size(a) != n || (size_t)n > sizeof got / sizeof *got) return false;
    gnd_array *wide = gnd_astype(a, GND_FLOAT64);
    if (gnd_to_host(wide, got, (size_t)n * sizeof *got) != GND_OK) return false;
    for (int64_t i = 0; i < n; i++) {
        const bool same = got[i] == values[i] && !signbit(got[i]) == !signbit(values[i]);
        if (!same && !(isnan(got[i]) && isnan(values[i]))) return false;
    }
    return true;
}
#define HOLDS(a, ...) holds(a, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

/* The same of an array that must have this dtype. */
static inline bool holds_as(const gnd_array *a, gnd_dtype dtype, int64_t n, const double *values) {
    return a && gnd_dtype_of(a) == dtype && holds(a, n, values);
}
#define HOLDS_AS(a, dtype, ...)                                                                                        \
    holds_as(a, dtype, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

#endif
