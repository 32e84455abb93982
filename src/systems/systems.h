/*
 * systems.h: linear systems on the host, as the functions of this folder share them.
 */
#ifndef GNDI_SYSTEMS_SYSTEMS_H
#define GNDI_SYSTEMS_SYSTEMS_H

#include "filter_design/design.h"
#include "systems/matrices.h"
#include <gnd/systems.h>

/* Only the numbers of its form are set. As an object all of them are in one block of memory. */
struct gnd_system {
    gnd_system_form form;
    double dt;            /* 0: continuous */
    int64_t rows, nb, na; /* transfer function: `rows` rows of nb, and na with den[0] = 1 */
    gndi_complex *num, *den;
    int nz, np; /* zeros, poles and gain */
    gndi_complex *z, *p;
    double k;
    gndi_matrices m; /* state space */
};

/* The system in a form, of one input unless the form is the same; its numbers are those of `system` or of the
   scratch. */
bool gndi_system_as(gndi_scratch *s, const gnd_system *system, gnd_system_form form, int64_t input, gnd_system *out);
/* The same where the system must be continuous or discrete. */
bool gndi_system_of_time(gndi_scratch *s, const gnd_system *system, bool discrete, gnd_system_form form,
                         gnd_system *out);
/* Raises for a missing system, the argument of that name. */
bool gndi_system_given(gndi_scratch *s, const gnd_system *system, const char *name);
/* A new object with a copy of all numbers; NULL after a failure. Frees the scratch. */
gnd_system *gndi_system_new(gndi_scratch *s, const gnd_system *system);
/* Scratch matrices of zeros. */
bool gndi_matrices_make(gndi_scratch *s, int64_t states, int64_t inputs, int64_t outputs, gndi_matrices *m);
/* The recurrence over dt of an input that is constant (order 0) or linear between samples: e^(a dt), and the integrals
   that weigh the input (b0) and its rise to the next sample (b1, with order 1; scipy.signal.lsim). */
bool gndi_hold_matrices(gndi_scratch *s, const gndi_matrices *m, double dt, int order, double *ad, double *b0,
                        double *b1);
/* Results through pointers, which may be NULL: NULL at first, and released and NULL again after a failure. The end
   frees the scratch. */
void gndi_results_begin(int count, gnd_array **results[]);
gnd_status gndi_results_end(gndi_scratch *s, int count, gnd_array **results[]);
/* The zeros, poles and gain of a system in that form. NULL: raised. */
gndi_zpk *gndi_system_roots(gndi_scratch *s, const gnd_system *system);

#endif
