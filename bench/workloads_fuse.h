/*
 * workloads_fuse.h: the expressions of float32 operands that both rows_fuse.c and first_fuse.c time.
 */
#ifndef GNDB_WORKLOADS_FUSE_H
#define GNDB_WORKLOADS_FUSE_H

#include <gnd.h>

static gnd_array *sqdiff(const gnd_array *x, const gnd_array *y) {
    gnd_array *d = gnd_subtract(x, y);
    return gnd_multiply(d, d);
}
static gnd_array *gaussian(const gnd_array *x, const gnd_array *y) {
    (void)y;
    gnd_array *t = gnd_divide(gnd_subtract(x, 0.1), 1.3);
    const double scale = 1.3 * 2.5066282746310002; /* sqrt(2 pi) */
    return gnd_divide(gnd_exp(gnd_multiply(-0.5, gnd_square(t))), scale);
}
static gnd_array *hidden(const gnd_array *x, const gnd_array *y) {
    return gnd_tanh(gnd_multiply(gnd_divide(x, 255), y));
}

#endif
