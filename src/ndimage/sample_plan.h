/*
 * sample_plan.h: a spline at coordinates, as the front hands it to a backend.
 */
#ifndef GNDI_SAMPLE_PLAN_H
#define GNDI_SAMPLE_PLAN_H

#include <gnd/image_filters.h>
#ifndef __cplusplus
#    include <stdbool.h>
#endif

enum { GNDI_SAMPLE_AXES = 8, GNDI_SAMPLE_TAPS = 6 };

/* How results of integer dtypes are rounded. */
enum gndi_sample_rounding { GNDI_SAMPLE_EXACT, GNDI_SAMPLE_SIGNED, GNDI_SAMPLE_UNSIGNED };

/* Dense arrays: `outer` inputs of x_shape, and as many results of `count` elements. Coordinates, of all results alike:
   a row for each of the input's axes, `count` elements each; or
     along axis i: offset[i] + sum over j of matrix[i][j] (o[j] + ahead[j]), of the element o of out_shape.
   The input has `pad` elements before the one at coordinate 0. */
struct gndi_sample_plan {
    const void *x;
    const void *coordinates; /* float32 or float64; NULL: affine */
    void *out;
    int64_t outer, count;
    int ndim, out_ndim, order, pad;
    int64_t x_shape[GNDI_SAMPLE_AXES], out_shape[GNDI_SAMPLE_AXES];
    double matrix[GNDI_SAMPLE_AXES][GNDI_SAMPLE_AXES], offset[GNDI_SAMPLE_AXES], ahead[GNDI_SAMPLE_AXES];
    double fill, most;                /* the constant; the largest unsigned number */
    uint8_t dtype, coordinates_dtype; /* float32 or float64 */
    uint8_t mode, rounding;           /* gnd_image_mode; gndi_sample_rounding */
};

#endif
