/*
 * reduction_layout.c: how the inputs of a reduction lie, which decides what its kernel looks like, and where the
 * numbers of a call stand in the words that it gets.
 */
#include "user_kernel/kernel.h"
#include "user_kernel/reduction.h"

int gndi_reduction_word(const gndi_kernel_call *c, gndi_reduction_word_name which) {
    const int first = gndi_kernel_word_count(c);
    return first + (which <= GNDI_REDUCTION_NUMBERS ? (int)which : (int)GNDI_REDUCTION_NUMBERS + c->ndim);
}

bool gndi_reduction_in_columns(const gndi_kernel_call *c) {
    const int kept = c->ndim - c->reduced;
    if (kept == 0 || c->reduced == 0 || c->shape[kept - 1] < 8) return false;
    for (int j = 0; j < c->kernel->nin; j++) {
        const int64_t row = gndi_magnitude(c->stride[j][kept - 1]), element = gndi_magnitude(c->stride[j][c->ndim - 1]);
        if (row != 0 && element != 0) return row < element;
    }
    return false;
}

/* Whether all inputs go on by one element, or by none, along an axis. */
static bool is_dense(const gndi_kernel_call *c, int axis) {
    for (int j = 0; j < c->kernel->nin; j++)
        if (c->operand[j].array && !c->operand[j].view && c->stride[j][axis] != 0 &&
            c->stride[j][axis] != gndi_dtype_sizes[c->operand[j].stored])
            return false;
    return true;
}

gndi_reduction_layout gndi_reduction_layout_of(const gndi_kernel_call *c) {
    const int kept = c->ndim - c->reduced;
    if (gndi_reduction_in_columns(c))
        return is_dense(c, kept - 1) ? GNDI_REDUCTION_DENSE_COLUMNS : GNDI_REDUCTION_COLUMNS;
    return c->reduced == 1 && is_dense(c, kept) ? GNDI_REDUCTION_DENSE_ROWS : GNDI_REDUCTION_ANY;
}
