/*
 * select_plan.h: order statistics (median, quantiles), as the front end (src/math/quantile*.c)
 * hands them to a backend: for each row of elements and each quantile the two elements that stand
 * next to its position in sorted order, and the value between them. The formulas are in select_ops.h.
 */
#ifndef GNDI_SELECT_PLAN_H
#define GNDI_SELECT_PLAN_H

#include <gnd/dtype.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    GNDI_SELECT_MEDIAN = 13,    /* beside gnd_quantile_method's 0 .. 12 */
    GNDI_SELECT_SCATTERED = 32, /* rows up to this length may have any steps */
};

/*
 * Element k of row r is at data + r * row_step + k * step (bytes). Rows longer than SCATTERED are
 * dense: step is the itemsize. There is at least one row and one quantile, and length is at least
 * 1. Real dtypes. The result of quantile i of row r goes to out[i * rows + r].
 */
typedef struct gndi_select_plan {
    const char *data;
    int64_t rows, length, row_step, step;
    uint8_t dtype;
    uint8_t method;
    bool skip_nan; /* NaN take no part; else one of them makes the row's results NaN */

    /* The quantiles: dense on the device, or one number. */
    const char *q;
    double number;
    int64_t quantiles;
    uint8_t q_dtype;
    bool percent;        /* they are percentages */
    uint8_t index_dtype; /* what positions are computed in: float16, float32 or float64 */

    /* What each step of the interpolation is rounded to: float16, float32 or float64. NONE: the
       result is an element, cast from one integer dtype to another at most. */
    uint8_t step_dtype;
    bool weak; /* the quantile is a C number: 1 - t is computed in float64 */
    uint8_t out_dtype;
    char *out;
} gndi_select_plan;

#endif
