/*
 * windows.h: windows by SciPy's names, from the table windows.def: as arrays, and on the host for designs.
 */
#ifndef GNDI_WINDOWS_WINDOWS_H
#define GNDI_WINDOWS_WINDOWS_H

#include "polynomial/numbers.h"
#include "windows/cpu/windows_loops.h"
#include <gnd/windows.h>

/* Writes the n values of a window (scipy.signal.get_window); n >= 0. `symmetric`: of filters, else periodic, of
   spectra; a name that ends in _symmetric or _periodic decides itself. A window without a name is `standard`
   ("hamming"). False, and raised: an unknown name, parameters that are missing or too many. */
bool gndi_window(gndi_scratch *s, const gnd_window *window, const char *standard, int64_t n, bool symmetric,
                 double *values);

/* A window that was asked for. */
typedef struct gndi_window_request {
    gndi_window_row row;
    bool symmetric;
    int64_t n;
    int count; /* of params, which are in SciPy's order */
    const double *params;
} gndi_window_request;

/* Reads a name and the number of parameters. */
bool gndi_window_find(gndi_scratch *s, const gnd_window *window, const char *standard, int64_t n, bool symmetric,
                      gndi_window_request *r);
/* Checks the parameters and makes the plan of a window of at least two points, in double and without `out`. A composed
   window's plan has no formula. */
bool gndi_window_prepare(gndi_scratch *s, const gndi_window_request *r, struct gndi_window_plan *p);
/* The row and the numbers of a plan become those of Kaiser's window. */
void gndi_window_kaiser(struct gndi_window_plan *p, double beta);
/* A window's dtype, float64 without one, and its number of points. */
bool gndi_window_check(gndi_scratch *s, int64_t n, gnd_dtype *dtype);
/* An array in place of another of that dtype, which is released. */
gnd_array *gndi_window_cast(gndi_scratch *s, gnd_array *made, gnd_dtype dtype);
/* Whether a row is a composed one. */
bool gndi_window_composed(int row);

/* Composed windows of a plan on the host: all p->m points. */
bool gndi_composed_values(gndi_scratch *s, const struct gndi_window_plan *p, double *values);
/* The same as an array of p->dtype on the current device, p->n points; NULL and failed, or raised. */
gnd_array *gndi_composed_array(gndi_scratch *s, const struct gndi_window_plan *p);
/* The window of a plan as recorded operators, inside GND_FUSE; NULL, and not failed: it is not recorded. */
gnd_array *gndi_window_fused(gndi_scratch *s, const struct gndi_window_plan *p, gnd_dtype dtype);
/* A new array of p->n numbers that the backend computes, from those arrays unless they are NULL; p's addresses are
   set. */
gnd_array *gndi_window_launch(gndi_scratch *s, struct gndi_window_plan *p, const gnd_array *from,
                              const gnd_array *over_from);

/* `count` Slepian sequences of m points, one after the other, each of length 1 (slepian.c). 0 < nw < m / 2. */
bool gndi_slepian(gndi_scratch *s, int64_t m, double nw, int64_t count, double *tapers);
/* The largest value becomes 1, or with an even m what an odd one would have: by a formula, or `subsample` by the first
   sequence's spectrum. */
bool gndi_slepian_scale(gndi_scratch *s, int64_t m, double nw, int64_t count, bool subsample, double *tapers);

#endif
