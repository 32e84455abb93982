/*
 * reduction.h: what reduction.c, which plans and launches, and generate_reduction.c share.
 */
#ifndef GNDI_KERNEL_REDUCTION_H
#define GNDI_KERNEL_REDUCTION_H

#include "user_kernel/kernel.h"

/* Words behind those of all kernels. */
typedef enum gndi_reduction_word_name {
    GNDI_REDUCTION_ROWS,
    GNDI_REDUCTION_LENGTH,
    GNDI_REDUCTION_PART,      /* elements of a part */
    GNDI_REDUCTION_PARTS,     /* of a row */
    GNDI_REDUCTION_WORKSPACE, /* the address of what the parts came to: row by row */
    GNDI_REDUCTION_NUMBERS,   /* strides of the elements' numbers in C order, one for each axis */
    GNDI_REDUCTION_WORDS,     /* how many there are in all */
} gndi_reduction_word_name;
int gndi_reduction_word(const gndi_kernel_call *c, gndi_reduction_word_name which);

/* How the inputs lie. */
typedef enum gndi_reduction_layout {
    GNDI_REDUCTION_ANY,
    GNDI_REDUCTION_DENSE_ROWS,    /* a row's elements are one behind the other, or all the same one */
    GNDI_REDUCTION_COLUMNS,       /* neighbouring rows are nearer to each other than a row's elements */
    GNDI_REDUCTION_DENSE_COLUMNS, /* and one element apart, or at the same position */
} gndi_reduction_layout;
gndi_reduction_layout gndi_reduction_layout_of(const gndi_kernel_call *c);
/* Whether neighbouring rows lie side by side, and the elements of one row further apart. */
bool gndi_reduction_in_columns(const gndi_kernel_call *c);

/* Bytes of a partial result at most: an accumulator, and whether there is one. */
enum { GNDI_PARTIAL_BYTES = 80 };

#endif
