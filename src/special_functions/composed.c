/*
 * composed.c: special functions of several operators: Jacobi's elliptic functions, which have four results, and
 * spherical harmonics, which have four arguments and complex results.
 */
#include "elementwise/temporaries.h"
#include <gnd/special.h>

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_ellipj
#undef gnd_sph_harm
#undef gnd_sph_harm_y

/* Two results of op(u, m). */
static void two(gndi_temporaries *s, gndi_op op, gnd_arg u, gnd_arg m, gnd_array **results) {
    const gndi_ew_request request = {.op = op, .fn = s->fn, .args = {u, m}};
    results[0] = results[1] = NULL;
    if (s->failed) return;
    if (gndi_elementwise(&request, results)) results[0] = results[1] = NULL;
    gndi_temporaries_keep(s, results[0]);
    gndi_temporaries_keep(s, results[1]);
}

gnd_status gnd_ellipj(gnd_array **sn, gnd_array **cn, gnd_array **dn, gnd_array **ph, gnd_arg u, gnd_arg m) {
    gndi_temporaries s = {.fn = "gnd_ellipj"};
    gnd_array *first[2] = {NULL, NULL}, *second[2] = {NULL, NULL};
    if (sn || cn) two(&s, GNDI_OP_ellipj_sn_cn, u, m, first);
    if (dn || ph) two(&s, GNDI_OP_ellipj_dn_ph, u, m, second);
    gndi_temporaries_give(&s, first[0], sn);
    gndi_temporaries_give(&s, first[1], cn);
    gndi_temporaries_give(&s, second[0], dn);
    gndi_temporaries_give(&s, second[1], ph);
    return gndi_temporaries_status(&s);
}

/* The normalised Legendre function times exp(i m azimuth). */
static gnd_array *harmonic(const char *fn, gnd_arg n, gnd_arg m, gnd_arg polar, gnd_arg azimuth) {
    gndi_temporaries s = {.fn = fn};
    const gndi_ew_request request = {.op = GNDI_OP_sph_legendre, .fn = fn, .args = {n, m, polar}};
    gnd_array *legendre = NULL, *turned = NULL;
    if (gndi_elementwise(&request, &legendre)) legendre = NULL;
    gndi_temporaries_keep(&s, legendre);
    gnd_array *angle = gndi_step(&s, GNDI_OP_multiply, azimuth, m);
    if (angle && azimuth.kind != GND_ARG_ARRAY && m.kind != GND_ARG_ARRAY) /* numbers are weak */
        angle = gndi_temporaries_keep(
            &s, gndi_copy_as(fn, angle, (gnd_dtype)(legendre ? legendre->dtype : GND_FLOAT64), 'K'));
    if (angle) turned = gndi_step(&s, GNDI_OP_multiply, gnd_arg_array(angle), gnd_arg_parts(0, 1));
    if (turned) turned = gndi_step(&s, GNDI_OP_exp, gnd_arg_array(turned), gnd_arg_none());
    if (turned) turned = gndi_step(&s, GNDI_OP_multiply, gnd_arg_array(turned), gnd_arg_array(legendre));
    return gndi_temporaries_end(&s, turned);
}

gnd_array *gnd_sph_harm_y(gnd_arg n, gnd_arg m, gnd_arg theta, gnd_arg phi) {
    return harmonic("gnd_sph_harm_y", n, m, theta, phi);
}

gnd_array *gnd_sph_harm(gnd_arg m, gnd_arg n, gnd_arg theta, gnd_arg phi) {
    return harmonic("gnd_sph_harm", n, m, phi, theta);
}
