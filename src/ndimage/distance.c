/*
 * distance.c: distances to the nearest zero (scipy.ndimage.distance_transform_edt, _cdt, _bf): a pass of the hook
 * `distance` for each axis. What _bf chooses among equally near zeros is what the passes choose of the array turned
 * about, with its axes in the opposite order.
 */
#include "array/view.h"
#include "core/parallel.h"
#include "ndimage/distance_plan.h"
#include "ndimage/ndimage.h"
#include "rearrange/rearrange.h"
#include <gnd/distance.h>
#include <gnd/transfer.h>
#include <gnd/view.h>
#include <math.h>

enum { MOST_RANK = 8 };                     /* of a structure */
enum { SWEPT_RANK = 4, SWEPT_THREADS = 8 }; /* at most, where a metric without indices is computed like one */

/* What is wanted, and the plan as far as all passes have it. */
typedef struct request {
    gndi_distance_plan plan;
    gnd_dtype dtype; /* of distances */
    gnd_array **distances, **indices;
} request;

/* ---- arguments ------------------------------------------------------------------------------ */

static gnd_status check(const char *fn, const gnd_array *input, gnd_array **distances, gnd_array **indices) {
    if (distances) *distances = NULL;
    if (indices) *indices = NULL;
    if (gndi_missing(input)) return gndi_raise_null(fn, "input");
    if (!distances && !indices)
        return gndi_raise(GND_ERROR_INVALID, fn, "no place to write to (distances and indices are NULL)");
    return GND_OK;
}

/* The shape and spacings of the plan; axes in the opposite order if it is mirrored. */
static gnd_status set_shape(const char *fn, gndi_distance_plan *p, const gnd_array *x, const double *sampling) {
    double squares = 0;
    p->ndim = x->ndim > 0 ? x->ndim : 1;
    for (int a = 0; a < p->ndim; a++) {
        const int from = p->mirrored ? p->ndim - 1 - a : a;
        p->shape[a] = x->ndim > 0 ? x->shape[from] : 1;
        p->spacings[a] = sampling && x->ndim > 0 ? sampling[from] : 1;
        if (!isfinite(p->spacings[a]))
            return gndi_raise(GND_ERROR_VALUE, fn, "the spacing along axis %d is %g", from, p->spacings[a]);
        if (p->shape[a] > INT32_MAX / 2)
            return gndi_raise(GND_ERROR_SHAPE, fn, "shape %s is too long for indices of int32",
                              gndi_text_shape(x->ndim, x->shape));
        squares += (double)p->shape[a] * (double)(p->metric == GNDI_DISTANCE_EUCLIDEAN ? p->shape[a] : 1);
    }
    p->wide = p->metric == GNDI_DISTANCE_EUCLIDEAN && (sampling || squares >= 0x1p31);
    if (squares >= 0x1p31 && !p->wide)
        return gndi_raise(GND_ERROR_SHAPE, fn, "distances in shape %s need more than int32",
                          gndi_text_shape(x->ndim, x->shape));
    p->far = x->size > INT32_MAX;
    return GND_OK;
}

/* Bytes that are zero where the input is, dense, in the plan's order of axes. */
static const gnd_array *truths_of(gndi_temporaries *s, const gnd_array *x, bool transposed) {
    const bool bytes = gndi_itemsize(x) == 1;
    if (s->failed) return NULL;
    GNDI_PARTS_OF(s->fn);
    const gnd_array *in_order = transposed ? gndi_temporaries_keep(s, gnd_transpose(x)) : x;
    return s->failed ? NULL : gndi_image_dense(s, in_order, bytes ? (gnd_dtype)x->dtype : GND_BOOL);
}

/* ---- passes --------------------------------------------------------------------------------- */

static gnd_array *new_array(gndi_temporaries *s, const gnd_array *like, int ndim, const int64_t *shape,
                            gnd_dtype dtype) {
    return s->failed ? NULL : gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, like, ndim, shape, dtype));
}
static void *data_of(const gnd_array *a) {
    return a ? gndi_data(a) : NULL;
}

/* Memory that a pass writes or reads: distances, and where the nearest zeros are. */
typedef struct partial {
    gnd_array *far, *at;
} partial;

static partial new_partial(gndi_temporaries *s, const gndi_distance_plan *p, const gnd_array *x, bool indices) {
    partial made = {NULL, NULL};
    const bool raster = p->kind == GNDI_DISTANCE_RASTER;
    made.far = new_array(s, x, 1, &x->size, raster ? GND_INT32 : p->wide ? GND_FLOAT64 : GND_UINT32);
    if (indices) made.at = new_array(s, x, 1, &x->size, p->far ? GND_INT64 : GND_INT32);
    return made;
}

static void pass(gndi_temporaries *s, gndi_distance_plan p, const gnd_array *x, const gnd_array *structure,
                 const partial *from, const partial *to, const gnd_array *distances, const gnd_array *indices) {
    const int64_t edges = gndi_distance_edges(&p);
    const bool gpu = !gndi_is_on_cpu(x) && p.kind != GNDI_DISTANCE_RASTER;
    const gnd_array *scratch = gpu && edges > 0 ? new_array(s, x, 1, &edges, GND_INT32) : NULL;
    gnd_stream *stream = s->failed
                             ? NULL
                             : gndi_work_begin(s->fn, 4, (const gnd_array *[]){x, from->far, from->at, structure}, 5,
                                               (const gnd_array *[]){to->far     ? to->far
                                                                     : distances ? distances
                                                                                 : indices,
                                                                     to->at, distances, indices, scratch});
    s->failed |= !stream;
    if (s->failed) return;
    p.truths = data_of(x), p.from = data_of(from->far), p.from_at = data_of(from->at), p.structure = data_of(structure);
    p.to = data_of(to->far), p.to_at = data_of(to->at), p.edges = data_of(scratch);
    p.distances = data_of(distances), p.indices = data_of(indices);
    s->failed = gndi_work_end(stream, stream->device->backend->distance(stream, &p, s->fn), s->fn) != GND_OK;
}

/* All axes. */
static void passes(gndi_temporaries *s, gndi_distance_plan p, const gnd_array *x, const gnd_array *distances,
                   const gnd_array *indices) {
    const uint8_t result = p.result;
    partial from = {NULL, NULL}, other = {NULL, NULL};
    p.inner = x->size;
    for (int a = 0; a < p.ndim && !s->failed; a++) {
        const bool last = a == p.ndim - 1;
        p.kind = a == 0 ? GNDI_DISTANCE_NEAREST : GNDI_DISTANCE_LEAST;
        p.n = p.shape[a], p.inner /= p.n, p.outer = x->size / (p.n * p.inner);
        p.spacing = p.spacings[a], p.result = last ? result : GNDI_DISTANCE_PARTIAL;
        partial to = other;
        if (last)
            to = (partial){NULL, NULL};
        else if (!to.far)
            to = new_partial(s, &p, x, indices != NULL);
        pass(s, p, x, NULL, &from, &to, last ? distances : NULL, last ? indices : NULL);
        other = from, from = to;
    }
}

/* ---- results -------------------------------------------------------------------------------- */

/* An array of the plan's shape, with an axis before it of its length if `planes`; turned back if it is mirrored. */
static gnd_array *new_result(gndi_temporaries *s, const gndi_distance_plan *p, const gnd_array *x, bool planes,
                             gnd_dtype dtype, gnd_array **given) {
    int64_t shape[GND_MAX_DIMS + 1];
    if (s->failed) return NULL;
    if (planes && p->ndim == GND_MAX_DIMS) {
        s->failed = true;
        return gndi_fail(GND_ERROR_SHAPE, s->fn, "indices of %d dimensions need one more", p->ndim);
    }
    shape[0] = p->ndim;
    memcpy(shape + planes, p->shape, (size_t)p->ndim * sizeof *shape);
    gnd_array *made = new_array(s, x, p->ndim + planes, shape, dtype);
    *given = made;
    if (!made || !p->mirrored) return made;
    gnd_axes order = {.count = made->ndim};
    for (int a = 0; a < p->ndim; a++) order.axis[a + planes] = made->ndim - 1 - a;
    GNDI_PARTS_OF(s->fn);
    *given = gndi_temporaries_keep(s, gndi_sole_view(gnd_permute(made, order)));
    return made;
}

static gnd_status run(gndi_temporaries *s, request *r, const gnd_array *input, const gnd_array *structure) {
    gndi_distance_plan *p = &r->plan;
    gnd_array *distances = NULL, *indices = NULL, *given[2] = {NULL, NULL};
    const gnd_array *x = truths_of(s, input, p->mirrored);
    if (r->distances) distances = new_result(s, p, input, false, r->dtype, &given[0]);
    if (r->indices) indices = new_result(s, p, input, true, GND_INT32, &given[1]);
    if (!s->failed && input->size > 0 && p->kind == GNDI_DISTANCE_RASTER) {
        const partial none = {NULL, NULL};
        const bool cpu = gndi_is_on_cpu(input);
        partial work = cpu ? none : new_partial(s, p, input, indices != NULL);
        p->outer = p->inner = 1, p->n = input->size;
        pass(s, *p, x, structure, &none, &work, cpu ? distances : NULL, indices);
        if (distances && !cpu && !s->failed) {
            gnd_array *flat = gndi_temporaries_keep(s, gndi_reshaped(s->fn, distances, 1, &input->size));
            if (flat) s->failed = gndi_copy_into(s->fn, flat, work.far) != GND_OK;
        }
    } else if (!s->failed && input->size > 0) {
        passes(s, *p, x, distances, indices);
    }
    if (r->distances) gndi_temporaries_give(s, given[0], r->distances);
    if (r->indices) gndi_temporaries_give(s, given[1], r->indices);
    return gndi_temporaries_status(s);
}

/* ---- the structure of a chamfer ------------------------------------------------------------- */

/* Reads a structure's elements; *connected: to how many axes' neighbours the first half goes, if it has all of these
   and no other; else 0. */
static gnd_status read_structure(gndi_temporaries *s, const gnd_array *x, const gnd_array *structure, int *connected) {
    if (gndi_missing(structure)) return gndi_raise_null(s->fn, "structure");
    if (gndi_check_together(s->fn, x, "input", structure, "structure")) return gndi_ew_pending();
    bool fits = structure->ndim == x->ndim && x->ndim <= MOST_RANK;
    for (int a = 0; a < structure->ndim; a++) fits &= structure->shape[a] == 3;
    if (!fits)
        return gndi_raise(
            GND_ERROR_SHAPE, s->fn,
            "a structure for an array of shape %s has as many axes, of length 3, at most %d, not shape %s",
            gndi_text_shape(x->ndim, x->shape), MOST_RANK, gndi_text_shape(structure->ndim, structure->shape));
    GNDI_PARTS_OF(s->fn);
    const gnd_array *bools = gndi_image_dense(s, structure, GND_BOOL);
    uint8_t *elements = s->failed ? NULL : gndi_malloc(s->fn, (size_t)structure->size);
    if (!elements || gnd_to_host(bools, elements, (size_t)structure->size) != GND_OK) {
        gndi_free(elements);
        return gndi_ew_pending();
    }
    bool axes_alone = true, all = true;
    for (int64_t e = 0; e < structure->size / 2; e++) {
        int away = 0;
        for (int64_t a = 0, rest = e; a < x->ndim; a++, rest /= 3) away += rest % 3 != 1;
        axes_alone &= elements[e] == (away == 1), all &= elements[e] != 0;
    }
    gndi_free(elements);
    *connected = axes_alone ? 1 : all ? x->ndim : 0;
    return GND_OK;
}

/* On the CPU a metric is computed by a structure's two passes, too: with indices, since these are then SciPy's, and
   without, since they are quicker than passes along the axes unless many threads share these. */
static bool sweeps_metric(const gnd_array *x, gnd_array *const *indices) {
    if (!gndi_is_on_cpu(x)) return false;
    return indices ? x->ndim <= MOST_RANK : x->ndim <= SWEPT_RANK && gndi_thread_count() <= SWEPT_THREADS;
}

/* ---- the functions -------------------------------------------------------------------------- */

gnd_status gnd_distance_transform_edt(gnd_array **distances, gnd_array **indices, const gnd_array *input,
                                      const double *sampling) {
    gndi_temporaries s = {.fn = "gnd_distance_transform_edt"};
    request r = {.dtype = GND_FLOAT64, .distances = distances, .indices = indices};
    r.plan.metric = GNDI_DISTANCE_EUCLIDEAN, r.plan.result = GNDI_DISTANCE_ROOT;
    r.plan.none = GNDI_DISTANCE_NONE_EUCLID;
    if (check(s.fn, input, distances, indices)) return gndi_ew_pending();
    if (set_shape(s.fn, &r.plan, input, sampling)) return gndi_ew_pending();
    return run(&s, &r, input, NULL);
}

gnd_status gnd_distance_transform_cdt(gnd_array **distances, gnd_array **indices, const gnd_array *input,
                                      gnd_distance_metric metric, const gnd_array *structure) {
    gndi_temporaries s = {.fn = "gnd_distance_transform_cdt"};
    request r = {.dtype = GND_INT32, .distances = distances, .indices = indices};
    int connected = metric == GND_DISTANCE_TAXICAB ? 1 : 2;
    if (check(s.fn, input, distances, indices)) return gndi_ew_pending();
    if (input->ndim == 0) return gndi_raise(GND_ERROR_SHAPE, s.fn, "an array of no dimensions has no neighbours");
    if (!structure && metric != GND_DISTANCE_TAXICAB && metric != GND_DISTANCE_CHESSBOARD)
        return gndi_raise(GND_ERROR_VALUE, s.fn, "metric number %d; it must be GND_DISTANCE_TAXICAB or _CHESSBOARD",
                          (int)metric);
    if (structure && read_structure(&s, input, structure, &connected))
        return gndi_temporaries_end(&s, NULL), gndi_ew_pending();
    if (connected == 0 || sweeps_metric(input, indices)) r.plan.kind = GNDI_DISTANCE_RASTER;
    r.plan.metric = connected == 1 ? GNDI_DISTANCE_TAXICAB : GNDI_DISTANCE_CHESSBOARD;
    r.plan.result = GNDI_DISTANCE_SIGNED, r.plan.none = GNDI_DISTANCE_NONE_OWN;
    if (set_shape(s.fn, &r.plan, input, NULL)) return gndi_temporaries_end(&s, NULL), gndi_ew_pending();
    const gnd_array *elements = connected ? NULL : gndi_image_dense(&s, structure, GND_BOOL);
    return run(&s, &r, input, elements);
}

gnd_status gnd_distance_transform_bf(gnd_array **distances, gnd_array **indices, const gnd_array *input,
                                     gnd_distance_metric metric, const double *sampling) {
    gndi_temporaries s = {.fn = "gnd_distance_transform_bf"};
    const bool euclidean = metric == GND_DISTANCE_EUCLIDEAN;
    request r = {.dtype = euclidean ? GND_FLOAT64 : GND_UINT32, .distances = distances, .indices = indices};
    if (check(s.fn, input, distances, indices)) return gndi_ew_pending();
    if ((unsigned)metric > GND_DISTANCE_CHESSBOARD)
        return gndi_raise(GND_ERROR_INVALID, s.fn, "there is no metric number %d", (int)metric);
    r.plan.metric = (uint8_t)(euclidean                        ? GNDI_DISTANCE_EUCLIDEAN
                              : metric == GND_DISTANCE_TAXICAB ? GNDI_DISTANCE_TAXICAB
                                                               : GNDI_DISTANCE_CHESSBOARD);
    r.plan.result = euclidean ? GNDI_DISTANCE_ROOT : GNDI_DISTANCE_UNSIGNED;
    r.plan.none = GNDI_DISTANCE_NONE_ORIGIN, r.plan.mirrored = true;
    if (input->ndim == 0) return gndi_raise(GND_ERROR_SHAPE, s.fn, "the input is an array of no dimensions");
    if (set_shape(s.fn, &r.plan, input, euclidean ? sampling : NULL)) return gndi_ew_pending();
    return run(&s, &r, input, NULL);
}
