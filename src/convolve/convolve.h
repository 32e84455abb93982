/*
 * convolve.h: what the fronts of src/convolve share.
 */
#ifndef GNDI_CONVOLVE_H
#define GNDI_CONVOLVE_H

#include "elementwise/temporaries.h"
#include "convolve/convolve_plan.h"

/* A sliding sum: out[i] = sum over j of x[i + first + j] k[j], or of k backwards, whose border a plan has. x and k have
   as many axes, at least one, and are of `dtype`. */
typedef struct gndi_sliding {
    const gnd_array *x, *k;
    bool backwards; /* k, along all axes: a convolution */
    gndi_border border;
    gnd_arg fill; /* the constant; GND_NONE: 0 */
    int64_t first[GND_MAX_DIMS], count[GND_MAX_DIMS];
} gndi_sliding;

/* A new array of the sums; of nothing, if x or k has no elements, zeros. NULL, and s->failed, after an error. */
gnd_array *gndi_slide(gndi_temporaries *s, const gndi_sliding *r);

/* x and k brought to one dtype, booleans to their truths; false after an error. */
bool gndi_sliding_operands(gndi_temporaries *s, const gnd_array **x, const gnd_array **k);

/* The complex conjugate; x itself if it is real. */
const gnd_array *gndi_conjugate_of(gndi_temporaries *s, const gnd_array *x);

/* Backwards along all axes, a view. */
gnd_array *gndi_reversed(gndi_temporaries *s, const gnd_array *x);

/* Whether k is at least as large as x along all axes, and larger along one, so that GND_VALID lets k slide over x
   the other way round; raises if neither lies within the other. */
bool gndi_valid_swaps(const char *fn, const gnd_array *x, const gnd_array *k, bool *swaps);

#endif
