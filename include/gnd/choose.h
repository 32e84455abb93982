/*
 * gnd/choose.h: selects one of several values for each element, by an index or by conditions.
 *
 * Values are arrays or C numbers, written GND_ARGS(...) (more than eight of them: a count and a list). They
 * broadcast together. The result's dtype is that of the arrays promoted together; C numbers are weak. A
 * number that does not fit the dtype is an error.
 */
#ifndef GND_CHOOSE_H
#define GND_CHOOSE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/index.h>

GND_BEGIN

/**
 * Each element of `a`, an array of integers or bool, selects a choice by its number (numpy.choose):
 *
 *     gnd_choose(gnd_greater(x, 0), GND_ARGS(-1, x), GND_RAISE)
 *
 * With GND_RAISE a number outside [0, count), negative ones too, is GND_ERROR_INDEX at the next wait, and the
 * result holds 0 there; GND_WRAP takes it modulo count, GND_CLIP the nearest one.
 *
 * Choices are read in place if they are arrays of one dtype and the same strides at evenly spaced addresses,
 * such as the rows of a matrix. Others are first copied side by side, each in the shape that all choices
 * broadcast to (not a's). Does not wait.
 */
GND_API gnd_array *gnd_choose(const gnd_array *a, int count, const gnd_arg *choices, gnd_index_mode mode);
/** The same into `out`, of the result's shape, to whose dtype it is cast as by gnd_copyto(). It may
    share memory with the others. */
GND_API gnd_status gnd_choose_into(gnd_array *out, const gnd_array *a, int count, const gnd_arg *choices,
                                   gnd_index_mode mode);

/**
 * For each element, the first choice whose condition is true, else the default (numpy.select):
 *
 *     gnd_select(GND_ARGS(gnd_less(x, 0), gnd_greater(x, 1)), GND_ARGS(0, 1), x)
 *
 * Conditions are bool arrays, as many as choices, at least one; they broadcast with the values. GND_NONE as
 * the default is 0. One launch for each choice; does not wait.
 */
GND_API gnd_array *gnd_select(int conditions, const gnd_arg *condition, int choices, const gnd_arg *choice,
                              gnd_arg otherwise);

/** The value of gnd_piecewise() where a condition is true: a function of the elements there, or a value. */
typedef struct gnd_piece {
    gnd_arg value; /**< a number, or an array that broadcasts to x; if there is no function */
    gnd_array *(*function)(const gnd_array *x, void *context); /**< of a vector; gives one of the
                              same size, or of size 1: any that gnd/callback.h allows */
    void *context;
    void *reserved[2];
} gnd_piece;

/**
 * A piecewise-defined function, of x's shape and dtype (numpy.piecewise). Where condition k is true, the
 * result is piece k; if several are true, the last one counts. If there is one more piece than conditions, it
 * applies where no condition is true; otherwise the result is 0 there.
 *
 *     gnd_piece pieces[] = {{.value = gnd_arg_int(-1)}, {.function = half}};
 *     gnd_piecewise(x, GND_ARGS(gnd_less(x, 0)), 2, pieces)
 *
 * Conditions are bool arrays that broadcast to x. Results and values are cast to x's dtype as by
 * gnd_copyto(). A function is called once, with the elements of x where its condition is true, in C order;
 * that waits for their number. Without functions nothing waits.
 */
GND_API gnd_array *gnd_piecewise(const gnd_array *x, int conditions, const gnd_arg *condition, int pieces,
                                 const gnd_piece *piece);

GND_END

/* The last argument alone may be a number. */
#define gnd_select(conditions, choices, otherwise) (gnd_select)(conditions, choices, GND_ARG(otherwise))

#endif
