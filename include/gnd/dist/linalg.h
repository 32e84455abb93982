/*
 * gnd/dist/linalg.h: products and systems of equations of split arrays.
 */
#ifndef GND_DIST_LINALG_H
#define GND_DIST_LINALG_H

#include <gnd/dist/array.h>

GND_BEGIN

/**
 * The product of matrices (gnd_matmul(), numpy.matmul): vectors, matrices, and stacks of them whose axes before the
 * last two broadcast; of any dtypes. `result` is the layout of the product. Collective where a block has to move.
 *
 * Any two layouts go together. Along each axis of the mesh:
 *
 * - one operand split, the other in copies: nothing moves. Split along the inner axis, each rank has a partial
 *   product; these are added in the order of the blocks, by the ranks that the result's parts go to.
 * - both along the inner axis, or both along the same axis of a stack: likewise, with the second operand at the
 *   first one's cuts.
 * - rows and inner axis (a row by row, b row by row), or inner axis and columns: the rows stay, or the columns, and the
 *   other operand's blocks travel. On a grid, with a and b split along both axes, this is SUMMA.
 * - rows and columns: the result's layout decides which of both stays; else the larger operand.
 * - an axis of a stack and another one: the stack stays, and the other operand is redistributed.
 *
 * What travels comes in panels, and on a GPU the next one is sent while this one is multiplied. Each rank begins with
 * its own, so that all links are busy. Products of float16 and bfloat16 are rounded once, at the end: where panels
 * would have to be added, they are panels of columns of b (of rows of a). Then, if the layout asked for is not that in
 * which the product lies, it is redistributed.
 *
 * For one pair of layouts the bits are the same on every run; integers and bool are the same for any.
 * GND_ERROR_SHAPE if sizes do not fit or an operand is 0-d, GND_ERROR_INVALID for different meshes.
 */
GND_API gnd_dist *gnd_dist_matmul(const gnd_dist *a, const gnd_dist *b, gnd_layout result);
/**
 * The sum of conj(a) b over all elements (gnd_vdot(), numpy.vdot), 0-d, in copies. Both have the same size and layout
 * but for the cuts. Partial sums are added in the order of the blocks. Collective. GND_ERROR_SHAPE if shapes differ.
 */
GND_API gnd_dist *gnd_dist_vdot(const gnd_dist *a, const gnd_dist *b);

GND_END

#endif
