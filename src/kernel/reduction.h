/*
 * reduction.h: what reduction.c, which plans and launches, and generate_reduction.c share.
 */
#ifndef GNDI_KERNEL_REDUCTION_H
#define GNDI_KERNEL_REDUCTION_H

#include "kernel/kernel.h"

/* Words behind those of all kernels. */
typedef enum gndi_reduction_word_name {
    GNDI_REDUCTION_ROWS,
    GNDI_REDUCTION_LENGTH,
    GNDI_REDUCTION_PART,    /* elements of a part */
    GNDI_REDUCTION_PARTS,   /* of a row */
    GNDI_REDUCTION_ROOM,    /* the address of what the parts came to: row by row */
    GNDI_REDUCTION_NUMBERS, /* strides of the elements' numbers in C order, one for each axis */
    GNDI_REDUCTION_WORDS,   /* how many there are in all */
} gndi_reduction_word_name;
int gndi_reduction_word(const gndi_kernel_call *c, gndi_reduction_word_name which);

/* Whether neighbouring rows lie side by side, and the elements of one row further apart. */
bool gndi_reduction_columns(const gndi_kernel_call *c);

/* Bytes of a partial result at most: an accumulator, and whether there is one. */
enum { GNDI_PARTIAL_BYTES = 80 };

#endif
