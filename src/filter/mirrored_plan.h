/*
 * mirrored_plan.h: what the hook `mirrored` carries out: a filter of first or second order that runs forward and then
 * backward along one axis of a signal that is mirrored at its ends, in one pass over memory. For both backends.
 *
 *     forward   u[i] = gain x[i] + a2 u[i - 1] + a3 u[i - 2]
 *     backward  y[i] = gain_back u[i] + a2 y[i + 1] + a3 y[i + 2]
 *
 * The first `order` of u and the last `order` of y are sums of the samples near that end, times weights that fall off.
 */
#ifndef GNDI_MIRRORED_PLAN_H
#define GNDI_MIRRORED_PLAN_H

#include <gnd/dtype.h>
#include <stdint.h>
#ifndef __cplusplus
#    include <stdbool.h>
#endif

/* More samples than this around a run of samples are not looked at, and in planes than that. */
enum { GNDI_MIRRORED_HALO = 512, GNDI_MIRRORED_PLANE_HALO = 32 };

/* The sum of `count` samples from an end on, times weights: three are given, from then on
   weight[k] = a2 weight[k - 1] + a3 weight[k - 2]. */
typedef struct gndi_mirrored_sum {
    int64_t count;
    double weight[3];
} gndi_mirrored_sum;

/* x and y are dense arrays of `lines` * length * inner elements, real ones. */
struct gndi_mirrored_plan {
    const void *x;
    void *y;
    uint8_t from, to; /* dtypes: float32, float64; `to` is not the narrower one */
    uint8_t order;    /* 1 or 2 */
    int64_t lines, length, inner;
    int64_t halo; /* samples behind which what came before is not noticed */
    double gain, gain_back, a2, a3;
    /* u[0] = first[0] x[0] + sum(start[0]) + sum(far); of order 2: u[1] = first[1] x[0] + first[2] x[1] +
       sum(start[1]). `far` is a sum from the last sample on, of short lines, and for the CPU alone. */
    double first[3];
    gndi_mirrored_sum start[2], far;
    double last, last_before; /* of order 1: y[length - 1] = last u[length - 1] + last_before u[length - 2] */
    gndi_mirrored_sum end[2]; /* of order 2: y[length - 1] and y[length - 2], sums from the last sample on */
    bool both;                /* the `inner` elements are a line, too, and filtered by the same numbers */
};

/* Whether a GPU filters both axes of planes in one launch: in float32, where errors of a step are at most doubled by
   those that follow. */
static inline bool gndi_mirrored_takes_planes(const struct gndi_mirrored_plan *p) {
    return p->from == GND_FLOAT32 && p->to == GND_FLOAT32 && p->order == 1 && p->a2 >= -0.5 && p->a2 <= 0.5 &&
           p->halo <= GNDI_MIRRORED_PLANE_HALO && p->start[0].count <= GNDI_MIRRORED_PLANE_HALO &&
           p->length >= 2 * GNDI_MIRRORED_PLANE_HALO && p->length <= INT32_MAX &&
           p->inner >= 2 * GNDI_MIRRORED_PLANE_HALO && p->inner <= INT32_MAX;
}

#endif
