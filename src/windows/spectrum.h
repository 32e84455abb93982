/*
 * spectrum.h: Fourier transforms of one line on the host, for designs.
 */
#ifndef GNDI_WINDOWS_SPECTRUM_H
#define GNDI_WINDOWS_SPECTRUM_H

#include "polynomial/numbers.h"

/* The transform of n numbers in place; the inverse is divided by n. Any n >= 1. */
bool gndi_host_fft(gndi_scratch *s, int64_t n, gndi_complex *values, bool inverse);

#endif
