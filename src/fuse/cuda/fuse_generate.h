/*
 * fuse_generate.h: from a plan to CUDA C++, and to the parameters of the kernel that it becomes. Nothing
 * here needs CUDA.
 *
 * A kernel is one program in one *layout*: what follows from strides and addresses and is written out in
 * the text. Sizes, strides and constants are parameters, so that a kernel serves all arrays that lie alike.
 */
#ifndef GNDI_FUSE_GENERATE_H
#define GNDI_FUSE_GENERATE_H

#include "jit/jit.h"
#include "jit/text.h"
#include "fuse/fuse_plan.h"

enum {
    GNDI_FUSED_THREADS = 256,
    GNDI_FUSED_AXES = 8,
    GNDI_FUSED_WORDS = 500, /* of parameters, 8 bytes each: CUDA takes 4 KiB everywhere */
};

/* How an operand lies along the axis that vectors go along. */
enum { GNDI_FUSED_ELEMENTS, GNDI_FUSED_VECTOR, GNDI_FUSED_SAME };

/* A thread's *unit* are `width` neighbours along axis `along`; it has `unroll` units, a block's threads
   apart. Units are numbered with the last axis fastest, so that neighbouring threads are neighbours
   there. Where elements are reduced the last axis is a row's, and other axes' indices make a row. */
typedef struct gndi_fused_layout {
    uint8_t dense; /* one axis, every operand dense or of stride 0: no limit of size */
    uint8_t axes, along, width, unroll;
    uint8_t ragged; /* the last unit of an axis `along` has fewer elements */
    uint16_t lanes; /* that share a row, all of whose elements they have; 0: of a map */
    uint8_t access[GNDI_FUSE_OPERANDS];
    uint8_t same[GNDI_FUSE_OPERANDS]; /* a bit for each axis with stride 0 */
    uint64_t once;                    /* a bit for each of the first divisions by constants: divided_once serves it */
} gndi_fused_layout;

/* Whether an operator is a few instructions that begin and end with nothing that compilers contract. */
bool gndi_fused_is_plain(int op);
/* Whether an instruction divides by a constant, whose reciprocal is a parameter. */
bool gndi_fused_divides(const gndi_fuse_plan *plan, int i);
/* How many of the instructions before i divide so: the number of its divisor. */
int gndi_fused_division_number(const gndi_fuse_plan *plan, int i);
/* Threads of a block. */
static inline unsigned gndi_fused_threads(const gndi_fused_layout *layout) {
    return layout->lanes > GNDI_FUSED_THREADS ? layout->lanes : GNDI_FUSED_THREADS;
}
/* False if there is no kernel for this plan. */
bool gndi_fused_layout_of(const gndi_fuse_plan *plan, gndi_fused_layout *layout);
void gndi_fused_text(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, gndi_text *text);
/* As NVRTC is to compile it: the kernel is "gnd_fused". */
gndi_jit_source gndi_fused_source(const gndi_text *text);
/* A part of a plan's index space: all of it, or, where that has too many units for one launch, a piece. */
typedef struct gndi_fused_box {
    int64_t start[GNDI_FUSED_AXES], shape[GNDI_FUSED_AXES];
} gndi_fused_box;
gndi_fused_box gndi_fused_all(const gndi_fuse_plan *plan, const gndi_fused_layout *layout);
/* Cuts a box in two. */
void gndi_fused_halve(const gndi_fused_layout *layout, gndi_fused_box *first, gndi_fused_box *second);
/* Fills in the parameters, and returns how many blocks of threads there are; 0: too many units. */
int64_t gndi_fused_parameters(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, const gndi_fused_box *box,
                              uint64_t *words);

#endif
