/*
 * line_offset.h: where the lines of an array begin that a filter runs along. C and CUDA.
 */
#ifndef GNDI_LINE_OFFSET_H
#define GNDI_LINE_OFFSET_H

#include "kernels/border.h"

enum { GNDI_LINE_AXES = 4 }; /* axes that lines may be arranged in */

/* Lines of an input and of an output: how many, and in which axes; strides in bytes. */
typedef struct gndi_line_grid {
    int ndim;
    int64_t lines, shape[GNDI_LINE_AXES], x_stride[GNDI_LINE_AXES], out_stride[GNDI_LINE_AXES];
} gndi_line_grid;

/* Of line number `line`, in bytes from the first one. */
GNDI_BORDER_FN int64_t gndi_line_offset(int64_t line, int ndim, const int64_t *shape, const int64_t *stride) {
    int64_t offset = 0;
    for (int k = ndim - 1; k > 0; k--) {
        offset += line % shape[k] * stride[k];
        line /= shape[k];
    }
    return ndim > 0 ? offset + line * stride[0] : 0;
}
GNDI_BORDER_FN int64_t gndi_line_of_x(const gndi_line_grid *g, int64_t line) {
    return gndi_line_offset(line, g->ndim, g->shape, g->x_stride);
}
GNDI_BORDER_FN int64_t gndi_line_of_out(const gndi_line_grid *g, int64_t line) {
    return gndi_line_offset(line, g->ndim, g->shape, g->out_stride);
}

#endif
