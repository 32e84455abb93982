/*
 * window.h: windows on the host, in double, by SciPy's names.
 */
#ifndef GNDI_FILTER_DESIGN_WINDOW_H
#define GNDI_FILTER_DESIGN_WINDOW_H

#include "polynomial/numbers.h"
#include <gnd/filter_design.h>

/* Writes the n values of a window (scipy.signal.get_window); n >= 0. `symmetric`: of filters, else periodic, of
   spectra; a name that ends in _symmetric or _periodic decides itself. A window without a name is `standard`
   ("hamming"). False, and raised: an unknown name, parameters that are missing or too many. */
bool gndi_window(gndi_scratch *s, const gnd_window *window, const char *standard, int64_t n, bool symmetric,
                 double *values);

/* The modified Bessel function of order 0. */
double gndi_bessel_i0(double x);

#endif
