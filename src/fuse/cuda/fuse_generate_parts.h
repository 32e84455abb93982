/*
 * fuse_generate_parts.h: what the two writers of kernels share: of maps (fuse_generate.c), and of rows with
 * reductions (fuse_generate_rows.c).
 */
#ifndef GNDI_FUSE_GENERATE_PARTS_H
#define GNDI_FUSE_GENERATE_PARTS_H

#include "fuse/cuda/fuse_generate.h"

const char *gndi_fused_type(int dtype);
/* One instruction of an element, on values v0, v1 and so on. */
void gndi_fused_instruction(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, int i, gndi_text *text);
/* What one row computes, as a function. */
void gndi_fused_row(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, gndi_text *text);
/* 32-bit words that an element of a row keeps in registers. */
int gndi_fused_row_words(const gndi_fuse_plan *plan);
/* Whether an operand is moved an element at a time: not, where it is one of the row. */
bool gndi_fused_is_of_elements(const gndi_fuse_plan *plan, int operand);

#endif
