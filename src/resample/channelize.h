/*
 * channelize.h: steps that gnd_channelize_poly and its stream share (channelize.c).
 */
#ifndef GNDI_CHANNELIZE_H
#define GNDI_CHANNELIZE_H

#include "resample/channelize_plan.h"
#include "resample/chunk.h"
#include "resample/resample.h"

/* One channelize of lines; the plan's formula. */
typedef struct gndi_channelize_request {
    const gnd_array *h; /* 1-d and dense, of x's dtype or its real one */
    const gnd_array *x; /* as gndi_lines_of gives it */
    gnd_array *out;     /* as gndi_lines_new gives it: frames times channels elements, complex */
    int64_t channels, hop, x_first, frame_first;
    const gndi_kept *kept;  /* what x is joined of first, with a chunk, on a GPU; NULL: x is there */
    const gnd_array *chunk; /* as gndi_chunk_of gives it */
} gndi_channelize_request;

/* Fills `out`, and gives it as a view whose last axis is in two: (..., frames, channels). */
gnd_array *gndi_channelize_lines(gndi_temporaries *s, const gndi_channelize_request *r);
/* The same as the user sees it: channels and frames in the place of `axis`. */
gnd_array *gndi_channels_first(gndi_temporaries *s, const gnd_array *frames, int axis);
/* What is computed in. */
gnd_dtype gndi_channelize_dtype(const gnd_array *x, const gnd_array *h);
/* Whether there can be so many channels, so many elements apart; raises if not. */
bool gndi_check_channels(const char *fn, int64_t channels, int64_t hop);

#endif
