/*
 * fuse_generate.h: from a plan to the text of a kernel in CUDA C++, and to the kernel's parameters. Nothing
 * here needs CUDA.
 *
 * A kernel is one program in one *layout*: the facts about strides and addresses that are written into the
 * text. Sizes, strides and constants are parameters, so that a kernel serves all arrays of that layout.
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

/* An operand's access along the axis of vectors: single elements, a vector, one element for all, or from SHIFTED on a
   vector that begins so many elements behind an aligned one. */
enum { GNDI_FUSED_ELEMENTS, GNDI_FUSED_VECTOR, GNDI_FUSED_SAME, GNDI_FUSED_SHIFTED };

/* A thread's *unit* is `width` neighbours along axis `along`; a thread has `unroll` units, which are a block's
   threads apart. Units are numbered with the last axis fastest, so that neighbouring threads are neighbours along it.
   With reductions the last axis is along a row, and the indices of the other axes identify the row.
   Where operands are views of one array, rows apart, a block is a tile instead: so many of its threads are `across`,
   along the last axis, and all others and a thread's units along axis `down`. Rows that several units read come to the
   processor once. `across` is 0 where there are no tiles. */
typedef struct gndi_fused_layout {
    uint8_t dense; /* one axis, every operand dense or of stride 0: no limit of size */
    uint8_t axes, along, width, unroll;
    uint8_t ragged; /* the last unit of an axis `along` has fewer elements */
    uint8_t before; /* the first unit of an axis `along` begins so many elements before it, where stores are aligned */
    uint8_t across, down;
    uint16_t lanes; /* lanes that share a row, and hold all its elements; 0: a map */
    uint8_t access[GNDI_FUSE_OPERANDS];
    uint8_t same[GNDI_FUSE_OPERANDS]; /* a bit for each axis with stride 0 */
    uint64_t once;                    /* a bit for each of the first divisions by constants: divided_once suffices */
} gndi_fused_layout;

/* Whether an operator is a few instructions whose first and last ones compilers cannot contract with others. */
bool gndi_fused_is_plain(int op);
/* Whether an instruction divides by a constant, whose reciprocal is a parameter. */
bool gndi_fused_divides(const gndi_fuse_plan *plan, int i);
/* The number of instructions before i that divide by a constant: the index of its divisor. */
int gndi_fused_division_number(const gndi_fuse_plan *plan, int i);
/* Threads of a block. */
static inline unsigned gndi_fused_threads(const gndi_fused_layout *layout) {
    return layout->lanes > GNDI_FUSED_THREADS ? layout->lanes : GNDI_FUSED_THREADS;
}
/* False if there is no kernel for this plan. */
bool gndi_fused_layout_of(const gndi_fuse_plan *plan, gndi_fused_layout *layout);
void gndi_fused_text(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, gndi_text *text);
/* The source for NVRTC; the kernel is "gnd_fused". */
gndi_jit_source gndi_fused_source(const gndi_text *text);
/* A part of a plan's index space: all of it, or a piece if it has too many units for one launch. */
typedef struct gndi_fused_box {
    int64_t start[GNDI_FUSED_AXES], shape[GNDI_FUSED_AXES];
} gndi_fused_box;
gndi_fused_box gndi_fused_all(const gndi_fuse_plan *plan, const gndi_fused_layout *layout);
/* Halves a box. */
void gndi_fused_halve(const gndi_fused_layout *layout, gndi_fused_box *first, gndi_fused_box *second);
/* Fills in the parameters, and returns the number of thread blocks; 0: too many units. */
int64_t gndi_fused_parameters(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, const gndi_fused_box *box,
                              uint64_t *words);

#endif
