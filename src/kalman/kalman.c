/*
 * kalman.c: Kalman filters of many tracks.
 */
#include "kalman/kalman_plan.h"
#include "elementwise/create.h"
#include "elementwise/temporaries.h"
#include "rearrange/rearrange.h"
#include "resample/chunk.h"
#include "runtime/runtime.h"
#include <math.h>

enum { PARTS = GND_KALMAN_MEASUREMENT_NOISE + 1, MOST = 1 << 14 };
static const char *const part_names[PARTS] = {"x", "P", "F", "B", "H", "Q", "R"};

struct gnd_kalman {
    gndi_device *device;
    gnd_dtype dtype;
    int64_t tracks;
    int nx, nz, nu;
    double alpha;
    gndi_buffer *part[PARTS]; /* dense */
    bool of_each[PARTS];      /* tracks have their own */
};

/* The shape of a part of one track; how many axes it has. */
static int part_shape(const gnd_kalman *k, gnd_kalman_part part, int64_t shape[2]) {
    const int64_t rows[PARTS] = {k->nx, k->nx, k->nx, k->nx, k->nz, k->nx, k->nz};
    const int64_t columns[PARTS] = {0, k->nx, k->nx, k->nu, k->nx, k->nx, k->nz};
    shape[0] = rows[part], shape[1] = columns[part];
    return part == GND_KALMAN_STATE ? 1 : 2;
}

/* ---- making ----------------------------------------------------------------------------------- */

static void drop(gnd_kalman *k) {
    for (int i = 0; i < PARTS; i++)
        if (k->part[i]) gndi_buffer_release(k->part[i]);
    gndi_free(k);
}

/* Fills a new part from a number, or from an array that broadcasts, and puts it into the filter. */
static void put(gndi_temporaries *s, gnd_kalman *k, gnd_kalman_part part, bool of_each, gnd_arg value) {
    int64_t shape[3] = {k->tracks};
    const int ndim = part_shape(k, part, shape + 1);
    gnd_stream *stream = s->failed ? NULL : gndi_stream_on(k->device, s->fn);
    if (!stream) {
        s->failed = true;
        return;
    }
    gnd_array *fresh = gndi_array_new_on(s->fn, stream, ndim + of_each, shape + !of_each, k->dtype, GNDI_ORDER_C);
    const gnd_array *filled = gndi_temporaries_keep(s, gndi_filled(s->fn, fresh, value));
    if (!filled) return;
    gndi_data(filled);
    gndi_buffer_retain(filled->buffer);
    if (k->part[part]) gndi_buffer_release(k->part[part]);
    k->part[part] = filled->buffer, k->of_each[part] = of_each;
}

/* The state 0, no control and no measurement, all other matrices the identity. */
static void put_defaults(gndi_temporaries *s, gnd_kalman *k) {
    GNDI_PARTS_OF(s->fn);
    for (int part = 0; part < PARTS && !s->failed; part++) {
        const bool state = part <= GND_KALMAN_COVARIANCE,
                   zero = part == GND_KALMAN_STATE || part == GND_KALMAN_CONTROL || part == GND_KALMAN_MEASUREMENT;
        int64_t shape[2];
        part_shape(k, (gnd_kalman_part)part, shape);
        const gnd_array *identity = zero ? NULL : gndi_temporaries_keep(s, gnd_eye(shape[0], shape[0], 0, k->dtype));
        put(s, k, (gnd_kalman_part)part, state, zero ? gnd_arg_real(0) : gnd_arg_array(identity));
    }
}

gnd_kalman *gnd_kalman_new(int64_t tracks, int64_t dim_x, int64_t dim_z, int64_t dim_u, gnd_dtype dtype) {
    static const char fn[] = "gnd_kalman_new";
    if (dtype != GND_FLOAT32 && dtype != GND_FLOAT64) {
        gndi_raise(GND_ERROR_DTYPE, fn, "a filter's dtype is float32 or float64; %s is given",
                   gndi_dtype_valid(dtype) ? gnd_dtype_name(dtype) : "none");
        return NULL;
    }
    if (tracks < 1 || dim_x < 1 || dim_z < 1 || dim_u < 0 || dim_x > MOST || dim_z > MOST || dim_u > MOST) {
        gndi_raise(GND_ERROR_VALUE, fn,
                   "%lld tracks of %lld numbers, measurements of %lld and %lld control inputs; there must be one of "
                   "each but inputs, and at most %d numbers",
                   (long long)tracks, (long long)dim_x, (long long)dim_z, (long long)dim_u, MOST);
        return NULL;
    }
    gnd_stream *stream = gndi_stream_current(fn);
    gnd_kalman *k = stream ? gndi_calloc(fn, sizeof *k) : NULL;
    if (!k) return NULL;
    *k = (gnd_kalman){.device = stream->device, .dtype = dtype, .tracks = tracks, .alpha = 1};
    k->nx = (int)dim_x, k->nz = (int)dim_z, k->nu = (int)dim_u;
    gndi_temporaries s = {.fn = fn};
    put_defaults(&s, k);
    gndi_temporaries_end(&s, NULL);
    if (!s.failed) return gndi_owned("a Kalman filter", k, fn);
    drop(k);
    return NULL;
}

void gnd_kalman_release(gnd_kalman *k) {
    if (!k) return;
    gndi_disowned(k);
    drop(k);
}

/* ---- parts ------------------------------------------------------------------------------------ */

static bool check_part(const char *fn, const gnd_kalman *k, gnd_kalman_part part) {
    if (!k) return gndi_raise_null(fn, "filter"), false;
    if ((unsigned)part < PARTS) return true;
    gndi_raise(GND_ERROR_INVALID, fn, "there is no part number %d", (int)part);
    return false;
}

/* Whether a is real and on the filter's device. */
static bool check_array(const char *fn, const gnd_kalman *k, const gnd_array *a, const char *name) {
    if (gndi_dtype_is_complex(a->dtype))
        gndi_raise(GND_ERROR_DTYPE, fn, "%s has dtype %s; it must be real", name, gnd_dtype_name((gnd_dtype)a->dtype));
    else if (a->buffer->device != k->device)
        gndi_raise(GND_ERROR_DEVICE, fn, "%s is on %s, and the filter on %s", name,
                   gndi_text_device(a->buffer->device->id), gndi_text_device(k->device->id));
    else
        return true;
    return false;
}

/* Whether a has a shape, perhaps behind an axis of tracks; *of_each: whether it has that. */
static bool fits(const gnd_kalman *k, const gnd_array *a, int ndim, const int64_t *shape, bool *of_each) {
    *of_each = a->ndim == ndim + 1;
    if (a->ndim != ndim + *of_each || (*of_each && a->shape[0] != k->tracks)) return false;
    for (int d = 0; d < ndim; d++)
        if (a->shape[d + *of_each] != shape[d]) return false;
    return true;
}

gnd_status gnd_kalman_set(gnd_kalman *filter, gnd_kalman_part part, const gnd_array *value) {
    static const char fn[] = "gnd_kalman_set";
    int64_t shape[2];
    bool of_each;
    if (!check_part(fn, filter, part)) return gndi_ew_pending();
    if (gndi_missing(value)) return gndi_raise_null(fn, "value");
    if (!check_array(fn, filter, value, part_names[part])) return gndi_ew_pending();
    const int ndim = part_shape(filter, part, shape);
    if (!fits(filter, value, ndim, shape, &of_each))
        return gndi_raise(GND_ERROR_SHAPE, fn, "%s has shape %s; it must be %s, or that for each of %lld tracks",
                          part_names[part], gndi_text_shape(value->ndim, value->shape), gndi_text_shape(ndim, shape),
                          (long long)filter->tracks);
    gndi_temporaries s = {.fn = fn};
    put(&s, filter, part, of_each || part <= GND_KALMAN_COVARIANCE, gnd_arg_array(value));
    return gndi_temporaries_status(&s);
}

gnd_array *gnd_kalman_get(const gnd_kalman *filter, gnd_kalman_part part) {
    static const char fn[] = "gnd_kalman_get";
    if (!check_part(fn, filter, part)) return NULL;
    gndi_temporaries s = {.fn = fn};
    int64_t shape[3] = {filter->tracks};
    const bool of_each = filter->of_each[part];
    const int ndim = part_shape(filter, part, shape + 1) + of_each;
    const gnd_array *a = gndi_array_over_buffer(&s, filter->part[part], ndim, shape + !of_each, filter->dtype);
    return gndi_temporaries_end(&s, a ? gndi_temporaries_keep(&s, gndi_copy_as(fn, a, filter->dtype, 'C')) : NULL);
}

gnd_status gnd_kalman_fading(gnd_kalman *filter, double alpha) {
    static const char fn[] = "gnd_kalman_fading";
    if (!filter) return gndi_raise_null(fn, "filter");
    if (!(alpha > 0) || !isfinite(alpha))
        return gndi_raise(GND_ERROR_VALUE, fn, "alpha is %g; it must be positive and finite", alpha);
    filter->alpha = alpha;
    return GND_OK;
}

/* ---- steps ------------------------------------------------------------------------------------ */

/* What a call does; z and u are dense, and NULL if there is none. */
typedef struct request {
    bool predicts, updates;
    int64_t steps;
    const gnd_array *z, *u;
    bool u_of_each;
    gnd_array *states, *covariances;
} request;

static gndi_kalman_matrix matrix(const gnd_kalman *k, gnd_kalman_part part) {
    int64_t shape[2];
    part_shape(k, part, shape);
    return (gndi_kalman_matrix){k->part[part]->base, k->of_each[part] ? shape[0] * shape[1] : 0};
}

static void submit(gndi_temporaries *s, const gnd_kalman *k, const request *r) {
    const gndi_kalman_plan plan = {.wide = k->dtype == GND_FLOAT64,
                                   .predicts = r->predicts,
                                   .updates = r->updates,
                                   .nx = k->nx,
                                   .nz = k->nz,
                                   .nu = k->nu,
                                   .tracks = k->tracks,
                                   .steps = r->steps,
                                   .fading = k->alpha * k->alpha,
                                   .x = k->part[GND_KALMAN_STATE]->base,
                                   .p = k->part[GND_KALMAN_COVARIANCE]->base,
                                   .f = matrix(k, GND_KALMAN_TRANSITION),
                                   .b = matrix(k, GND_KALMAN_CONTROL),
                                   .h = matrix(k, GND_KALMAN_MEASUREMENT),
                                   .q = matrix(k, GND_KALMAN_NOISE),
                                   .r = matrix(k, GND_KALMAN_MEASUREMENT_NOISE),
                                   .z = r->z ? gndi_data(r->z) : NULL,
                                   .u = r->u ? gndi_data(r->u) : NULL,
                                   .u_step = r->u_of_each ? k->tracks * k->nu : k->nu,
                                   .u_track = r->u_of_each ? k->nu : 0,
                                   .states = r->states ? gndi_data(r->states) : NULL,
                                   .covariances = r->covariances ? gndi_data(r->covariances) : NULL};
    gnd_stream *stream = gndi_stream_on(k->device, s->fn);
    gndi_buffer *const read[] = {r->z ? r->z->buffer : NULL,           r->u ? r->u->buffer : NULL,
                                 k->part[GND_KALMAN_TRANSITION],       k->part[GND_KALMAN_CONTROL],
                                 k->part[GND_KALMAN_MEASUREMENT],      k->part[GND_KALMAN_NOISE],
                                 k->part[GND_KALMAN_MEASUREMENT_NOISE]};
    gndi_buffer *const written[] = {k->part[GND_KALMAN_STATE], k->part[GND_KALMAN_COVARIANCE],
                                    r->states ? r->states->buffer : NULL,
                                    r->covariances ? r->covariances->buffer : NULL};
    s->failed = true;
    if (!stream) return;
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (read[i] && gndi_order_read(stream, read[i], s->fn)) return;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (written[i] && gndi_order_write(stream, written[i], s->fn)) return;
    if (stream->device->backend->kalman(stream, &plan, s->fn)) return;
    gndi_submitted(stream);
    s->failed = gndi_finish(stream, s->fn) != GND_OK;
}

/* Of the filter's dtype, and dense. */
static const gnd_array *dense(gndi_temporaries *s, const gnd_kalman *k, const gnd_array *a) {
    if (!a || s->failed || ((gnd_dtype)a->dtype == k->dtype && gndi_is_c_contiguous(a))) return a;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, a, k->dtype, 'C'));
}

/* Measurements, behind an axis of steps if there are several. */
static bool check_z(const char *fn, const gnd_kalman *k, const gnd_array *z, bool steps) {
    if (gndi_missing(z)) return gndi_raise_null(fn, "z"), false;
    if (!check_array(fn, k, z, "z")) return false;
    if (z->ndim == 2 + steps && z->shape[steps] == k->tracks && z->shape[1 + steps] == k->nz) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "z has shape %s; it must be (%s%lld, %d)", gndi_text_shape(z->ndim, z->shape),
               steps ? "steps, " : "", (long long)k->tracks, k->nz);
    return false;
}

/* Control inputs of `steps` steps (-1: of one, without an axis): for all tracks, or for each. */
static bool check_u(const char *fn, const gnd_kalman *k, const gnd_array *u, int64_t steps, bool *of_each) {
    const int more = steps >= 0;
    *of_each = false;
    if (!u) return true;
    if (gndi_optional_missing(fn, u, "u") || !check_array(fn, k, u, "u")) return false;
    *of_each = u->ndim == 2 + more;
    if (k->nu > 0 && u->ndim == 1 + more + *of_each && (!more || u->shape[0] == steps) &&
        (!*of_each || u->shape[more] == k->tracks) && u->shape[u->ndim - 1] == k->nu)
        return true;
    if (k->nu == 0)
        gndi_raise(GND_ERROR_SHAPE, fn, "u has shape %s, and the filter no control inputs",
                   gndi_text_shape(u->ndim, u->shape));
    else
        gndi_raise(GND_ERROR_SHAPE, fn, "u has shape %s; it must end in %d, perhaps behind %lld tracks%s",
                   gndi_text_shape(u->ndim, u->shape), k->nu, (long long)k->tracks, more ? ", behind z's steps" : "");
    return false;
}

gnd_status gnd_kalman_predict(gnd_kalman *filter, const gnd_array *u) {
    static const char fn[] = "gnd_kalman_predict";
    request r = {.predicts = true, .steps = 1};
    if (!filter) return gndi_raise_null(fn, "filter");
    if (!check_u(fn, filter, u, -1, &r.u_of_each)) return gndi_ew_pending();
    gndi_temporaries s = {.fn = fn};
    r.u = dense(&s, filter, u);
    if (!s.failed) submit(&s, filter, &r);
    return gndi_temporaries_status(&s);
}

gnd_status gnd_kalman_update(gnd_kalman *filter, const gnd_array *z) {
    static const char fn[] = "gnd_kalman_update";
    request r = {.updates = true, .steps = 1};
    if (!filter) return gndi_raise_null(fn, "filter");
    if (!check_z(fn, filter, z, false)) return gndi_ew_pending();
    gndi_temporaries s = {.fn = fn};
    r.z = dense(&s, filter, z);
    if (!s.failed) submit(&s, filter, &r);
    return gndi_temporaries_status(&s);
}

gnd_array *gnd_kalman_run(gnd_kalman *filter, const gnd_array *z, const gnd_array *u, gnd_array **covariances) {
    static const char fn[] = "gnd_kalman_run";
    request r = {.predicts = true, .updates = true};
    if (covariances) *covariances = NULL;
    if (!filter) return gndi_raise_null(fn, "filter"), NULL;
    if (!check_z(fn, filter, z, true) || !check_u(fn, filter, u, z->shape[0], &r.u_of_each)) return NULL;
    gndi_temporaries s = {.fn = fn};
    gnd_stream *stream = gndi_stream_on(filter->device, fn);
    const int64_t shape[] = {z->shape[0], filter->tracks, filter->nx, filter->nx};
    s.failed = !stream;
    r.steps = shape[0], r.z = dense(&s, filter, z), r.u = dense(&s, filter, u);
    if (!s.failed)
        r.states = gndi_temporaries_keep(&s, gndi_array_new_on(fn, stream, 3, shape, filter->dtype, GNDI_ORDER_C));
    if (!s.failed && covariances)
        r.covariances = gndi_temporaries_keep(&s, gndi_array_new_on(fn, stream, 4, shape, filter->dtype, GNDI_ORDER_C));
    if (!s.failed && r.steps > 0) submit(&s, filter, &r);
    if (covariances) gndi_temporaries_give(&s, r.covariances, covariances);
    return gndi_temporaries_end(&s, r.states);
}
