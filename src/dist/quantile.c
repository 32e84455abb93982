/*
 * quantile.c: order statistics: what is computed in place, what moves first, and the layout of the result.
 */
#include "dist/quantile.h"
#include <string.h>
#undef gnd_quantile
#undef gnd_nanquantile
#undef gnd_percentile
#undef gnd_nanpercentile

enum { SMALL = 1 << 16 }; /* elements that are gathered as a whole */

static const struct named_statistic {
    const char *name;
    gnd_array *(*quantile)(const gnd_array *x, gnd_arg q, gnd_axes axes, gnd_quantile_method method);
    gnd_array *(*median)(const gnd_array *x, gnd_axes axes);
    bool skip_nan, percent;
} statistics[] = {
    {"quantile", gnd_quantile, NULL, false, false},      {"percentile", gnd_percentile, NULL, false, true},
    {"nanquantile", gnd_nanquantile, NULL, true, false}, {"nanpercentile", gnd_nanpercentile, NULL, true, true},
    {"median", NULL, gnd_median, false, false},          {"nanmedian", NULL, gnd_nanmedian, true, false}};

static const struct named_statistic *find(const char *name) {
    for (size_t i = 0; name && i < sizeof statistics / sizeof *statistics; i++)
        if (strcmp(statistics[i].name, name) == 0) return &statistics[i];
    return NULL;
}

gnd_array *gndi_order_statistic_of(const gndi_order_statistic *s, const gnd_array *x, gnd_arg q, gnd_axes axes,
                                   gnd_quantile_method method) {
    const struct named_statistic *named = find(s->name);
    if (!x) return NULL;
    return named->median ? named->median(x, axes) : named->quantile(x, q, axes, method);
}

/* What gnd says of an array of x's dtype with as many axes, of lengths 0 and 1: the result's dtype, and what is wrong
   on all ranks alike. */
static bool probe(gndi_order_statistic *s) {
    gnd_shape shape = s->x->shape;
    const bool pending = gnd_error() != NULL;
    for (int i = 0; i < shape.ndim; i++) shape.dim[i] = shape.dim[i] > 0;
    for (int attempt = 0;; attempt++) {
        const gnd_array *y = gndi_order_statistic_of(s, gnd_zeros(shape, s->x->dtype), s->q, s->axes, s->method);
        if (y) return s->dtype = gnd_dtype_of(y), true;
        if (!gndi_dist_try_again(attempt, pending)) return false;
    }
}

/* ---- layouts ---------------------------------------------------------------------------------------------------- */

static void mark_reduced(const gndi_order_statistic *s, bool *reduced) {
    for (int i = 0; i < s->x->shape.ndim; i++) reduced[i] = s->axes.count == 0;
    for (int i = 0; i < s->axes.count; i++)
        reduced[s->axes.axis[i] < 0 ? s->axes.axis[i] + s->x->shape.ndim : s->axes.axis[i]] = true;
}

/* x's layout without splits of reduced axes: along the longest others instead, or in copies. */
static gndi_layout without_reduced(const gnd_dist *x, const bool *reduced, bool *moves) {
    gndi_layout layout = gndi_layout_of(x);
    *moves = false;
    for (int k = 0; k < 2; k++) {
        if (x->axis[k] < 0 || !reduced[x->axis[k]]) continue;
        layout.axis[k] = -1, layout.cuts[k] = NULL;
        if (!gndi_is_split(x, k)) continue;
        *moves = true;
        for (int i = 0; i < x->shape.ndim; i++) {
            const bool free = !reduced[i] && x->shape.dim[i] > 1 && layout.axis[1 - k] != i;
            if (free && (layout.axis[k] < 0 || x->shape.dim[i] > x->shape.dim[layout.axis[k]])) layout.axis[k] = i;
        }
    }
    return layout;
}

/* The result's shape, and its layout if x has this one. */
static gndi_layout of_result(const gndi_order_statistic *s, const bool *reduced, const gndi_layout *from,
                             gnd_shape *shape) {
    gndi_layout layout = {{-1, -1}, {NULL, NULL}};
    shape->ndim = 0;
    if (s->q.kind == GND_ARG_ARRAY) *shape = gnd_shape_of(s->q.array);
    for (int i = 0; i < s->x->shape.ndim; i++) {
        for (int k = 0; k < 2; k++)
            if (from->axis[k] == i && !reduced[i]) layout.axis[k] = shape->ndim, layout.cuts[k] = from->cuts[k];
        if (!reduced[i] || s->axes.keepdims) shape->dim[shape->ndim++] = reduced[i] ? 1 : s->x->shape.dim[i];
    }
    return layout;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

gnd_dist *gnd_dist_order_statistic(const char *name, const gnd_dist *x, gnd_arg q, gnd_axes axes,
                                   gnd_quantile_method method, gnd_layout result) {
    static const char fn[] = "gnd_dist_order_statistic";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    const struct named_statistic *named = find(name);
    if (!named)
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "there is no order statistic \"%s\"", name ? name : "NULL"), NULL;
    gndi_order_statistic s = {.fn = fn,
                              .name = name,
                              .x = x,
                              .q = q,
                              .axes = axes,
                              .method = method,
                              .median = named->median != NULL,
                              .skip_nan = named->skip_nan,
                              .percent = named->percent};
    if (axes.out) return gndi_dist_raise(GND_ERROR_INVALID, fn, "axes.out is an array of one rank"), NULL;
    if (!probe(&s)) return NULL;
    if (s.median) s.q = gnd_arg_none();
    bool reduced[GND_MAX_DIMS], moves;
    gnd_shape shape;
    gndi_layout wanted;
    char text[160];
    mark_reduced(&s, reduced);
    const gndi_layout layout = without_reduced(x, reduced, &moves), out = of_result(&s, reduced, &layout, &shape);
    if (!gndi_layout_resolve(x->mesh, fn, shape, result, &wanted)) return NULL;
    if (!gndi_mesh_enter(x->mesh, fn, "%s %s", name, gndi_text_dist(x, text, sizeof text))) return NULL;
    int64_t kept = 1;
    for (int i = 0; i < x->shape.ndim; i++) kept *= reduced[i] ? 1 : x->shape.dim[i];
    gnd_array *local = NULL;
    gnd_dist *moved = NULL;
    if (moves && kept == 1 && gndi_shape_count(x->shape) > SMALL && gnd_dtype_kind(x->dtype) != 'c') {
        local = gndi_select_of_all(&s);
    } else {
        if (moves && !(moved = gndi_dist_to(x, layout, fn))) return NULL;
        const gnd_dist *whole = moves ? moved : x;
        local = gndi_order_statistic_of(&s, whole->local, s.q, axes, method);
    }
    gnd_dist *y = gndi_dist_new(x->mesh, fn, shape, s.dtype, out);
    if (y && local) local = gnd_reshape(local, gndi_dist_local_shape(y));
    if (y && !local && !x->local)
        gndi_dist_failed_like(y, x);
    else if (y)
        gndi_dist_done(y, fn, local);
    gnd_dist *z = y ? gndi_dist_to(y, wanted, fn) : NULL;
    gnd_dist_release(moved);
    gnd_dist_release(y);
    return z;
}
