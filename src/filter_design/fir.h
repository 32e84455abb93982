/*
 * fir.h: FIR filters on the host.
 */
#ifndef GNDI_FILTER_DESIGN_FIR_H
#define GNDI_FILTER_DESIGN_FIR_H

#include "polynomial/numbers.h"
#include <gnd/filter_design.h>

/* The taps of scipy.signal.firwin, n of them; options may be NULL. */
bool gndi_design_firwin(gndi_scratch *s, int64_t n, int count, const double *cutoff, const gnd_firwin_options *options,
                        double *taps);
/* At least 1, and no more than memory and int64 could hold. */
bool gndi_check_taps(gndi_scratch *s, int64_t n);
/* 0 stands for `standard`; else it must be positive and finite. */
bool gndi_check_rate(gndi_scratch *s, double fs, double standard, double *rate);

#endif
