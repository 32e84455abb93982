/*
 * index_plan.h: elements picked by index arrays, and assignment to them, as the front ends
 * (src/index) hand them to a backend. One space is walked; at each of its points
 *
 *     element = array.data + point . array.stride + sum over k of digit(index[k] at the point) * index[k].step
 *     get:  value at the point = *element
 *     set:  *element = value at the point
 *
 * where digit(i) is i, from the end if negative, or, for an index into several axes seen as one,
 * (i / divide) % modulo. take, take_along_axis, put and a[i, :, j] are this with different strides.
 */
#ifndef GNDI_INDEX_PLAN_H
#define GNDI_INDEX_PLAN_H

#include "core/core.h"
#include "kernels/index_limits.h"

typedef enum gndi_index_mode {
    GNDI_INDEX_RAISE,  /* [-size, size), else GNDI_FAULT_INDEX: get gives zero there, set leaves it */
    GNDI_INDEX_STRICT, /* the same, but [0, size) */
    GNDI_INDEX_WRAP,   /* modulo size */
    GNDI_INDEX_CLIP,   /* to 0 .. size - 1, negative ones too */
} gndi_index_mode;

/*
 * Axes of size 1 are dropped, neighbours merged where all operands allow it. The axes along which
 * array.stride is 0, where one element may be named again and again, are in C order: of a set, the
 * last value in that order holds. There is at least one point. `array` and `value` have one dtype,
 * of `itemsize` bytes (1 2 4 8 16), and do not meet; nor do indices and what is written. Sizes are
 * at least 1 (an index into an axis of size 0 is the front end's error).
 */
struct gndi_index_plan {
    bool set;
    bool distinct; /* set: no element is named twice, so that no order has to be kept */
    bool offsets;  /* get: value at the point, int64, is the sum of digits times steps, or `number`
                      where an index is out of range; no array */
    gndi_index_mode mode;
    uint8_t itemsize;
    int ndim;
    int64_t points, shape[GND_MAX_DIMS];
    struct gndi_index_operand {
        char *data; /* value of set: NULL is `number` everywhere */
        int64_t stride[GND_MAX_DIMS];
    } array, value;
    gndi_scalar number;
    int indices;
    struct gndi_index_list {
        const char *data;
        int64_t stride[GND_MAX_DIMS];
        int64_t size;           /* of the axis that is indexed, or of all axes that are seen as one */
        int64_t divide, modulo; /* modulo 0: the index itself */
        int64_t step;           /* of the axis */
        uint8_t dtype;          /* an integer's */
        int axis;               /* its number, for the fault */
    } index[GNDI_INDEX_LISTS];
};

#endif
