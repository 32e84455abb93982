/*
 * fuse_generate_parts.h: what the generators of kernels for maps (fuse_generate.c) and for rows with reductions
 * (fuse_generate_rows.c) share.
 */
#ifndef GNDI_FUSE_GENERATE_PARTS_H
#define GNDI_FUSE_GENERATE_PARTS_H

#include "fuse/cuda/fuse_generate.h"

const char *gndi_fused_type(int dtype);
/* One instruction of an element, on values v0, v1 and so on. */
void gndi_fused_instruction(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, int i, gndi_text *text);
/* The function that computes one row. */
void gndi_fused_row(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, gndi_text *text);
/* 32-bit words that an element of a row keeps in registers. */
int gndi_fused_row_words(const gndi_fuse_plan *plan);
/* Whether an operand has a value for each element, not one for each row. */
bool gndi_fused_is_of_elements(const gndi_fuse_plan *plan, int operand);

#endif
