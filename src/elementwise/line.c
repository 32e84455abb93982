/*
 * line.c: the elements of an array as one strided line.
 */
#include "core/axes.h"
#include "elementwise/line.h"
#include "elementwise/elementwise.h"
#include "elementwise/truths.h"
#include <stdlib.h>

static int list_axes(const gnd_array *a, bool by_stride, int *axes) {
    int count = 0;
    for (int i = 0; i < a->ndim; i++) {
        if (a->shape[i] == 1) continue;
        int k = count++;
        for (; by_stride && k > 0 && llabs(a->strides[axes[k - 1]]) < llabs(a->strides[i]); k--) axes[k] = axes[k - 1];
        axes[k] = i;
    }
    return count;
}

static bool make_line(const char *fn, const gnd_array *a, gnd_dtype dtype, bool any, gndi_line *line) {
    int axes[GND_MAX_DIMS];
    const int count = list_axes(a, any, axes);
    int64_t offset = 0;
    line->step = gndi_itemsize(a);
    if (a->dtype == dtype && !gndi_is_loose(a) &&
        (a->size == 0 || gndi_axes_step(a, axes, count, &line->step, any ? &offset : NULL))) {
        line->data = gndi_data(a) + offset, line->array = gndi_array_alias(fn, a);
        return line->array != NULL;
    }
    line->array = gndi_copy_as(fn, a, dtype, any ? 'K' : 'C');
    if (!line->array) return false;
    line->data = gndi_data(line->array), line->step = gndi_itemsize(line->array);
    return true;
}

bool gndi_line_in_order(const char *fn, const gnd_array *a, gnd_dtype dtype, gndi_line *line) {
    return make_line(fn, a, dtype, false, line);
}
bool gndi_line_any_order(const char *fn, const gnd_array *a, gndi_line *line) {
    return make_line(fn, a, (gnd_dtype)a->dtype, true, line);
}

void gndi_line_drop(gndi_line *line) {
    if (line->array) gnd_release(line->array);
    line->array = NULL;
}
