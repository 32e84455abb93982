/*
 * design.h: between arrays and the filters of zpk.h.
 */
#ifndef GNDI_FILTER_DESIGN_DESIGN_H
#define GNDI_FILTER_DESIGN_DESIGN_H

#include "filter_design/zpk.h"

/* Empties *out and raises if it is NULL. */
bool gndi_design_begin(gndi_scratch *s, gnd_filter_design *out);
/* Frees the scratch; if it failed, releases what *out has. Returns the status. */
gnd_status gndi_design_end(gndi_scratch *s, gnd_filter_design *out);

/* A scratch gndi_zpk, from arrays and a gain. NULL: raised. */
gndi_zpk *gndi_zpk_read(gndi_scratch *s, const gnd_array *z, const gnd_array *p, double k);
/* The zeros and poles of real coefficients, as scipy.signal.tf2zpk gives them. */
bool gndi_zpk_from_ba(gndi_scratch *s, int64_t nb, const gndi_complex *b, int64_t na, const gndi_complex *a,
                      gndi_zpk *f);

/* Designs a filter and writes the parts that the options name. */
void gndi_design_filter(gndi_scratch *s, gnd_filter_design *out, int order, int count, const double *wn,
                        const gndi_family *family, const gnd_iir_options *options);

/* Coefficients with a[0] = 1 and without leading zeros, in place; b has `rows` rows of *n. */
bool gndi_normalize_ba(gndi_scratch *s, int64_t rows, int64_t *n, gndi_complex *b, int64_t *m, gndi_complex *a);
/* Real sections, n x 6. */
bool gndi_sos_read(gndi_scratch *s, const gnd_array *sos, gndi_numbers *numbers);
/* A matrix; of one row a line. */
gnd_array *gndi_array_of_rows(gndi_scratch *s, int64_t rows, int64_t n, const gndi_complex *values, bool real);

/* Writes z, p and k. */
void gndi_design_zpk(gndi_scratch *s, const gndi_zpk *f, gnd_filter_design *out);
/* Writes b and a; real ones if `real`, or if the roots come in conjugate pairs. */
void gndi_design_ba(gndi_scratch *s, const gndi_zpk *f, bool real, gnd_filter_design *out);
gnd_array *gndi_design_sos(gndi_scratch *s, const gndi_zpk *f, gnd_sos_pairing pairing, bool analog);

#endif
