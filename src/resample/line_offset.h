/*
 * line_offset.h: where the lines of an array begin that a filter runs along. C and CUDA.
 */
#ifndef GNDI_LINE_OFFSET_H
#define GNDI_LINE_OFFSET_H

#include "kernels/border.h"

enum { GNDI_LINE_AXES = 4 }; /* axes that lines may be arranged in */

/* Of line number `line`, in bytes from the first one. */
GNDI_BORDER_FN int64_t gndi_line_offset(int64_t line, int ndim, const int64_t *shape, const int64_t *stride) {
    int64_t offset = 0;
    for (int k = ndim - 1; k > 0; k--) {
        offset += line % shape[k] * stride[k];
        line /= shape[k];
    }
    return ndim > 0 ? offset + line * stride[0] : 0;
}

#endif
