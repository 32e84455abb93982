/*
 * resample.h: what the files of this folder share: arrays as lines along one axis, and polyphase filters of them.
 */
#ifndef GNDI_RESAMPLE_H
#define GNDI_RESAMPLE_H

#include "elementwise/temporaries.h"
#include "resample/upfirdn_plan.h"

/* ---- lines (lines.c) -------------------------------------------------------------------------- */

/* x of a dtype with `axis` (counted from the front) last, and lines that are dense in memory: a view if that goes. */
gnd_array *gndi_lines_of(gndi_temporaries *s, const gnd_array *x, int axis, gnd_dtype dtype);
/* A new array of x's shape but for `count` elements along the axis, which comes last; not filled. */
gnd_array *gndi_lines_new(gndi_temporaries *s, const gnd_array *x, int axis, int64_t count, gnd_dtype dtype);
/* The array whose last axis becomes `axis` again: the result of a function, in place of `lines`. */
gnd_array *gndi_lines_back(gndi_temporaries *s, const gnd_array *lines, int axis);

/* The first `axes` axes of x as lines, merged where they can be; false if plans have too few axes for them. */
bool gndi_grid_of(const gnd_array *x, int axes, gndi_line_grid *grid);
/* The axes of x and out but the last, merged where both can be; out is dense, and x as gndi_lines_of gives it. */
gndi_line_grid gndi_lines_grid(const gnd_array *x, const gnd_array *out);

/* ---- polyphase filters (upfirdn.c) ------------------------------------------------------------ */

/* One upfirdn of lines; the plan's formula. */
typedef struct gndi_upfirdn_request {
    const gnd_array *h; /* 1-d, of x's dtype or its real one */
    const gnd_array *x; /* as gndi_lines_of gives it */
    gnd_array *out;     /* as gndi_lines_new gives it */
    int64_t up, down, offset, x_first, out_first;
    gndi_border border;
    double cval[2], scale;
    const struct gndi_kept *kept; /* what x is joined of first, with a chunk, on a GPU; NULL: x is there */
    const gnd_array *chunk;       /* as gndi_chunk_of gives it */
} gndi_upfirdn_request;

/* Fills `out`; does nothing if a step before failed. */
void gndi_upfirdn_lines(gndi_temporaries *s, const gndi_upfirdn_request *r);

/* The border that a mode means, and a constant's value in a dtype; false, and an error, if there is none. */
bool gndi_upfirdn_border(const char *fn, gnd_upfirdn_mode mode, gnd_arg cval, gnd_dtype dtype, gndi_upfirdn_request *r);
/* Whether up and down are rates that filters take; raises if not. */
bool gndi_check_rates(const char *fn, int64_t up, int64_t down);
/* Taps for x of a dtype: 1-d, not empty; of the dtype or its real one. NULL and an error if they are not. */
const gnd_array *gndi_upfirdn_taps(gndi_temporaries *s, const gnd_array *h, const char *name, gnd_dtype dtype);

/* ---- designs (lowpass.c) ---------------------------------------------------------------------- */

/* gnd_firwin of one cutoff frequency, in float32 or float64, on the device of `like`. The window has a name. */
gnd_array *gndi_lowpass(gndi_temporaries *s, const gnd_array *like, int64_t count, double cutoff,
                        const gnd_window *window, gnd_dtype dtype);

#endif
