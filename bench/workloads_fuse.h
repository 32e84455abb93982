/*
 * workloads_fuse.h: the expressions of float32 operands that rows_fuse.c and first_fuse.c time, and of which
 * tests/c/fuse/test_fuse_executor.c checks which executor runs them.
 */
#ifndef GNDB_WORKLOADS_FUSE_H
#define GNDB_WORKLOADS_FUSE_H

#include <gnd.h>

static inline gnd_array *sqdiff(const gnd_array *x, const gnd_array *y) {
    gnd_array *d = gnd_subtract(x, y);
    return gnd_multiply(d, d);
}
static inline gnd_array *gaussian(const gnd_array *x, const gnd_array *y) {
    (void)y;
    gnd_array *t = gnd_divide(gnd_subtract(x, 0.1), 1.3);
    const double scale = 1.3 * 2.5066282746310002; /* sqrt(2 pi) */
    return gnd_divide(gnd_exp(gnd_multiply(-0.5, gnd_square(t))), scale);
}
static inline gnd_array *hidden(const gnd_array *x, const gnd_array *y) {
    return gnd_tanh(gnd_multiply(gnd_divide(x, 255), y));
}
static inline gnd_array *sqdiff_sum(const gnd_array *x, const gnd_array *y) {
    return gnd_sum(sqdiff(x, y), GND_ALL);
}

/* Of each row of a matrix. */
static inline gnd_array *softmax(const gnd_array *x, const gnd_array *y) {
    (void)y;
    gnd_array *e = gnd_exp(gnd_subtract(x, gnd_max(x, GND_AXES_KEEP(1))));
    return gnd_divide(e, gnd_sum(e, GND_AXES_KEEP(1)));
}
static inline gnd_array *layernorm(const gnd_array *x, const gnd_array *y) {
    (void)y;
    gnd_array *centred = gnd_subtract(x, gnd_mean(x, GND_AXES_KEEP(1)));
    return gnd_divide(centred, gnd_sqrt(gnd_add(gnd_var(x, GND_AXES_KEEP(1), 0), 1e-5)));
}

#endif
