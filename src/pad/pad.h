/*
 * pad.h: what the two halves of pad share. Axes are padded in order: earlier axes are already padded, later
 * ones not yet.
 */
#ifndef GNDI_PAD_H
#define GNDI_PAD_H

#include "rearrange/rearrange.h"

typedef struct gndi_padding {
    const char *fn;
    const gnd_array *a;
    gnd_array *padded;
    int64_t width[GND_MAX_DIMS][2]; /* before and behind */
    const gnd_pad_options *options;
} gndi_padding;

/* `count` positions of `seen` along the axis become `from`, or those from `first` down if `step` is -1. */
void gndi_pad_set(gndi_temporaries *s, const gnd_array *seen, int axis, int64_t first, int64_t count, int64_t step,
                  gnd_arg from);
/* The borders of one axis from its mirror image, or from the other side. */
void gndi_pad_reflect(gndi_temporaries *s, const gndi_padding *p, const gnd_array *seen, int axis);
void gndi_pad_wrap(gndi_temporaries *s, const gndi_padding *p, const gnd_array *seen, int axis);
/* Calls the function of the options for every line. */
gnd_status gndi_pad_by_function(const gndi_padding *p);

#endif
