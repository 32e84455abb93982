/*
 * softmax.c: softmax and log_softmax along split axes: a reduction to each row's largest element and sum (logsum.c),
 * and one pass over the block. Rows of which a rank has all, and short ones, are gnd's.
 */
#include "dist/reduce/reduce.h"

static const gndi_reduction softmax = {"softmax", GNDI_LOGSUM, NULL, NULL},
                            log_softmax = {"log_softmax", GNDI_LOGSUM, NULL, NULL};

typedef gnd_array *softmax_function(const gnd_array *x, gnd_axes axes);

/* What gnd says of an array of x's dtype and number of axes with one element: the result's dtype, and what is wrong on
   all ranks alike. It is tried again if this rank had no memory. */
static gnd_dtype probe(softmax_function *plainly, const gnd_dist *x, gnd_axes axes) {
    gnd_shape shape = x->shape;
    for (int i = 0; i < shape.ndim; i++) shape.dim[i] = 1;
    const bool pending = gnd_error() != NULL;
    for (int attempt = 0;; attempt++) {
        const gnd_array *one = gnd_zeros(shape, x->dtype), *y = one ? plainly(one, axes) : NULL;
        if (y) return gnd_dtype_of(y);
        if (!gndi_dist_try_again(attempt, pending)) return GND_DTYPE_NONE;
    }
}

/* The block's results from each row's numbers. */
static gnd_array *spread(const gnd_array *x, const gnd_array *z, gnd_dtype dtype, bool logarithm) {
    gnd_array *y = NULL, *base = gnd_real(z), *rest = gnd_imag(z);
    if (!base || !rest) return NULL;
    GND_FUSE {
        const gnd_dtype t = gnd_dtype_of(base);
        const gnd_array *less = gnd_subtract(gnd_dtype_of(x) == t ? x : gnd_astype(x, t), base);
        gnd_array *wide = logarithm ? gnd_subtract(less, rest) : gnd_divide(gnd_exp(less), rest);
        y = gnd_keep(dtype == t ? wide : gnd_astype(wide, dtype));
    }
    return y;
}

/* Reads the axes, which are right. Whether one of them is split. */
static bool read_axes(gndi_reducing *r, gnd_axes axes, int64_t *rows) {
    const gnd_dist *x = r->x;
    bool moves = false;
    r->number = *rows = 1;
    for (int i = 0; i < x->shape.ndim; i++) {
        r->reduced[i] = axes.count == 0;
        for (int k = 0; k < axes.count; k++) r->reduced[i] |= axes.axis[k] == i || axes.axis[k] == i - x->shape.ndim;
        *(r->reduced[i] ? &r->number : rows) *= x->shape.dim[i];
        moves = moves || (r->reduced[i] && gndi_split_of(x, i) >= 0);
    }
    return moves;
}

static gnd_dist *along(const char *fn, const gndi_reduction *how, softmax_function *plainly, const gnd_dist *x,
                       gnd_axes axes) {
    char text[160];
    gndi_reducing r = {.how = how, .x = x};
    if (gndi_dist_missing(x, fn)) return NULL;
    const gnd_dtype dtype = probe(plainly, x, axes);
    if (!dtype) return NULL;
    int64_t rows;
    const bool moves = read_axes(&r, axes, &rows), alone = !moves && x->local && gndi_logsum_is_short(&r);
    gnd_dist *z = NULL;
    if (r.number == 0 && rows > 0) return gndi_dist_raise(GND_ERROR_VALUE, fn, "%s of nothing", how->name), NULL;
    if (alone && !gndi_mesh_enter(x->mesh, fn, "%s %s", how->name, gndi_text_dist(x, text, sizeof text))) return NULL;
    axes.keepdims = true;
    if (!alone && !(z = gndi_dist_reduce(how, fn, x, axes, NULL, NULL))) return NULL;
    gnd_dist *y = gndi_dist_new(x->mesh, fn, x->shape, dtype, gndi_layout_of(x));
    axes.keepdims = false;
    if (y && alone)
        gndi_dist_done(y, fn, plainly(x->local, axes));
    else if (y && x->local && z->local)
        gndi_dist_done(y, fn, spread(x->local, z->local, dtype, how == &log_softmax));
    else if (y)
        gndi_dist_failed_like(y, x->local ? z : x);
    gnd_dist_release(z);
    return y;
}

gnd_dist *gnd_dist_softmax(const gnd_dist *x, gnd_axes axes) {
    static const char fn[] = "gnd_dist_softmax";
    GNDI_CALL(fn);
    return along(fn, &softmax, gnd_softmax, x, axes);
}

gnd_dist *gnd_dist_log_softmax(const gnd_dist *x, gnd_axes axes) {
    static const char fn[] = "gnd_dist_log_softmax";
    GNDI_CALL(fn);
    return along(fn, &log_softmax, gnd_log_softmax, x, axes);
}
