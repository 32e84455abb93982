/*
 * reduce_plan.h: a reduction, as the front end (src/math/reduce*.c) hands it to a backend.
 *
 *     out[kept] = finish(reducer over the reduced axes of map(element))
 *
 * Elements are cast to `loop`, mapped, and combined; those that the mask leaves out, and NaN where
 * they are skipped, take no part.
 */
#ifndef GNDI_REDUCE_PLAN_H
#define GNDI_REDUCE_PLAN_H

#include "kernels/ops/ops.h"

typedef enum gndi_reducer {
    GNDI_REDUCE_SUM,
    GNDI_REDUCE_PRODUCT,
    GNDI_REDUCE_MINIMUM,
    GNDI_REDUCE_MAXIMUM,
    GNDI_REDUCE_ANY,      /* bool: whether any element is not zero */
    GNDI_REDUCE_ALL,      /* bool */
    GNDI_REDUCE_COUNT,    /* int64: how many are not zero */
    GNDI_REDUCE_MEAN,     /* the sum over the number of elements that took part */
    GNDI_REDUCE_VARIANCE, /* by Welford and Chan: M2 / max(n - ddof, 0), real; under SKIP_NAN NaN
                             where n - ddof <= 0 (nanvar), else inf or NaN there (var) */
    GNDI_REDUCE_RANGE,    /* the largest less the smallest (ptp) */
    GNDI_REDUCE_ARGMIN,   /* int64: where the first smallest (or first NaN) is */
    GNDI_REDUCE_ARGMAX,
    GNDI_REDUCE_OPERATOR, /* `op`, a binary operator of ops.def: in the order of the elements unless
                             it is ASSOCIATIVE */
    GNDI_REDUCERS
} gndi_reducer;

/* What becomes of an element before it is combined. */
typedef enum gndi_reduce_map {
    GNDI_MAP_NONE,
    GNDI_MAP_SKIP_NAN,  /* NaN take no part. SUM PRODUCT COUNT (of what is not NaN: zeros count)
                           MEAN VARIANCE; ARGMIN ARGMAX, where NaN stands for the worst value and
                           nothing but NaN is GNDI_FAULT_ALL_NAN. Inexact loops only. */
    GNDI_MAP_ABSOLUTE,  /* |x|: SUM MINIMUM MAXIMUM, inexact loops; real results */
    GNDI_MAP_SQUARE,    /* |x|^2: SUM, inexact loops; real results */
    GNDI_MAP_POWER,     /* |x|^power: SUM, inexact loops; real results */
    GNDI_MAP_TIMES,     /* x y: SUM, all loops (bool: and, or) */
    GNDI_MAP_CONJUGATE, /* conj(x) y: SUM, complex loops */
    GNDI_MAPS
} gndi_reduce_map;

/* What becomes of a result before it is stored. */
typedef enum gndi_reduce_finish {
    GNDI_FINISH_NONE,
    GNDI_FINISH_DIVIDE,  /* by `divisor`; integer loops of SUM then give float64 */
    GNDI_FINISH_SQRT,    /* the 2-norm of SUM SQUARE, the deviation of VARIANCE */
    GNDI_FINISH_ROOT,    /* ^(1 / power): the p-norm of SUM POWER */
    GNDI_FINISH_MOMENTS, /* of VARIANCE, in place of it: float64s behind each other, number, mean (of complex loops its
                            two parts) and M2; of nothing all 0 */
} gndi_reduce_finish;

/*
 * The kept axes index the outputs, the reduced axes what goes into each. Axes of size 1 are
 * dropped; each of the two groups is sorted by the input's stride, the fastest LAST (axes that the
 * input is broadcast along, of stride 0, come first, or last where they are the longer runs),
 * flipped so that the input's strides are not negative, and merged where all operands allow it. (The
 * reduced axes of an OPERATOR that is not ASSOCIATIVE stay in C order and are not flipped.) There is
 * at least one output, and `length` may be 0 (every output is then `start`; MEAN and VARIANCE: NaN).
 *
 * Integers accumulate modulo 2^64, float16 and bfloat16 in float32. The output's dtype is the
 * loop's, but: MOMENTS have float64, ANY and ALL have bool, COUNT and ARG* int64 (the loop of ANY, ALL and COUNT is
 * bool; they test the input itself against zero), real results of complex loops their real dtype, and
 * DIVIDE and MEAN of an integer loop float64.
 */
struct gndi_reduce_plan {
    gndi_reducer reducer;
    gndi_reduce_map map;
    gndi_reduce_finish finish;
    gndi_op op; /* of OPERATOR */
    gnd_dtype loop;
    double divisor, ddof, power;
    bool masked;            /* `where=`: take part only where the mask is true */
    bool has_start;         /* a value that goes into every output: */
    const char *start_data; /* on the device, an element of the loop's dtype; or, if NULL: */
    gndi_scalar start;      /* in the loop's dtype */

    int kept_ndim, reduced_ndim;
    int64_t outputs, length; /* products of the two shapes */
    int64_t kept_shape[GND_MAX_DIMS], reduced_shape[GND_MAX_DIMS];
    struct gndi_reduce_operand {
        char *data; /* of `second`: NULL unless the map takes it */
        uint8_t dtype;
        int64_t kept_stride[GND_MAX_DIMS], reduced_stride[GND_MAX_DIMS]; /* bytes; out has no reduced */
    } in, second, out, mask;
    /* ARG*: the index of an element is index_base + the sum of its digits times index_stride.
       PRODUCT of complex numbers: index_stride is negative on reduced axes that were flipped. */
    int64_t index_base, index_stride[GND_MAX_DIMS];
};

#endif
