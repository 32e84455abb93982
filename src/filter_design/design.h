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

/* ---- linear systems (state_space.c) ------------------------------------------------------------- */

/* The matrices on the host, in rows: `states`, `inputs`, `outputs`. */
typedef struct gndi_matrices {
    int64_t states, inputs, outputs;
    double *a, *b, *c, *d;
} gndi_matrices;

/* The controller form of real coefficients, which it normalizes. num has `rows` rows of n. */
bool gndi_matrices_of_ba(gndi_scratch *s, int64_t rows, int64_t n, gndi_complex *num, int64_t m, gndi_complex *den,
                         gndi_matrices *out);
/* The same of zeros, poles and a gain; refused if they are not real or conjugate pairs. */
bool gndi_matrices_of_zpk(gndi_scratch *s, const gndi_zpk *f, gndi_matrices *out);
/* From one input: b, `outputs` rows of states + 1, and a, states + 1. */
bool gndi_matrices_to_ba(gndi_scratch *s, const gndi_matrices *m, int64_t input, gndi_complex *b, gndi_complex *a);
bool gndi_matrices_to_zpk(gndi_scratch *s, const gndi_matrices *m, int64_t input, gndi_zpk *out);
/* Raises unless the system has that input. */
bool gndi_input_check(gndi_scratch *s, const gndi_matrices *m, int64_t input);
/* Real coefficients, of num one row or several. */
bool gndi_ba_read(gndi_scratch *s, const gnd_array *num, const gnd_array *den, gndi_numbers *b, gndi_numbers *a,
                  int64_t *rows);
/* As arrays. */
void gndi_matrices_give(gndi_scratch *s, const gndi_matrices *m, gnd_state_space *out);

/* ---- responses (responses.c) -------------------------------------------------------------------- */

/* A response h at frequencies w: in the caller's unit, and of digital filters also in radians a sample. */
typedef struct gndi_response {
    int64_t n;
    double *w, *radians;
    bool counted; /* they are even, from 0 on */
    gndi_complex *h;
} gndi_response;

/* At the frequencies of the options, which may be NULL. */
bool gndi_digital_response(gndi_scratch *s, const gndi_numbers *b, const gndi_numbers *a,
                           const gnd_response_options *options, gndi_response *g);
bool gndi_digital_zpk_response(gndi_scratch *s, const gndi_zpk *f, const gnd_response_options *options,
                               gndi_response *g);
bool gndi_analog_response(gndi_scratch *s, const gndi_numbers *b, const gndi_numbers *a,
                          const gnd_response_options *options, gndi_response *g);
bool gndi_analog_zpk_response(gndi_scratch *s, const gndi_zpk *f, const gnd_response_options *options,
                              gndi_response *g);
/* Frees the scratch; w and h, which may be NULL, become arrays, NULL after a failure. */
gnd_status gndi_response_give(gndi_scratch *s, const gndi_response *g, gnd_array **w, gnd_array **h);

#endif
