/*
 * random_draw.c: a distribution applied to parameters. In order: check them, find the shape, convert parameters
 * that do not have the sampler's type, make the result, plan its axes, submit. The generator does not advance
 * before every check has passed.
 */
#include "elementwise/temporaries.h"
#include "elementwise/create.h"
#include "random/random.h"

enum { MOST = GNDI_RANDOM_PARAMETERS };
_Static_assert(MOST + 1 <= GNDI_MAX_OPERANDS, "a draw is planned as an elementwise operation");

/* A draw that is being prepared. */
typedef struct request {
    const char *fn;
    gnd_random *g;
    const gndi_distribution_info *info;
    int distribution, count;
    int64_t row; /* numbers of an element */
    gnd_dtype dtype;
    gnd_stream *stream;
    gnd_dtype type[MOST];         /* of the values */
    const gnd_array *array[MOST]; /* NULL: a number */
    gnd_array *temporary[2 * MOST];
    int temporaries;
    gndi_random_plan plan;
} request;

static bool has_rows(const request *r) {
    return r->info->result == 'V' || r->info->result == 'M';
}
/* Whether a parameter is an array of rows: it is described by the rows' first numbers. */
static bool is_rows(const request *r, int k) {
    return r->info->parameters[k] == 't' || r->info->parameters[k] == 'i';
}

/* ---- checks --------------------------------------------------------------------------------- */

/* The dtype that a parameter's letter stands for; for rows, that of their numbers. */
static gnd_dtype letter_type(char letter, gnd_dtype result) {
    if (letter == 'I' || letter == 'i') return GND_INT64;
    return (letter == 'T' || letter == 't') && result == GND_FLOAT32 ? GND_FLOAT32 : GND_FLOAT64;
}

static gnd_status refuse_type(const request *r, int k, const char *given) {
    return gndi_raise(GND_ERROR_DTYPE, r->fn, "parameter %d must be %s, not %s", k + 1,
                      r->type[k] == GND_INT64 ? "an integer" : "a real number", given);
}

static gnd_status check_array(request *r, int k, const gnd_array *x) {
    if (gndi_missing(x)) return gndi_raise_null(r->fn, "a parameter");
    if (x->buffer->device != r->stream->device)
        return gndi_raise(GND_ERROR_DEVICE, r->fn,
                          "parameter %d is %s, and the generator draws on %s; move it with "
                          "gnd_to_device",
                          k + 1, gndi_text_array(x), gndi_text_device(r->stream->device->id));
    const bool fits = r->type[k] == GND_INT64 ? x->dtype <= GND_UINT64 : x->dtype < GND_COMPLEX64;
    if (!fits) return refuse_type(r, k, gndi_text_array(x));
    r->array[k] = x;
    return GND_OK;
}

static gnd_status check_number(request *r, int k, gnd_arg number) {
    gndi_random_value *value = &r->plan.parameter[k].value;
    const bool is_int = number.kind == GND_ARG_INT || number.kind == GND_ARG_BOOL || number.kind == GND_ARG_UINT;
    if (r->type[k] == GND_INT64) {
        if (!is_int) return refuse_type(r, k, "a real or a complex one");
        if (number.kind == GND_ARG_UINT && number.u > INT64_MAX && r->info->result != 'D')
            return gndi_raise(GND_ERROR_VALUE, r->fn, "parameter %d is %llu, beyond int64", k + 1,
                              (unsigned long long)number.u);
        value->i64 = (int64_t)gndi_arg_integer(number);
        return GND_OK;
    }
    if (!is_int && number.kind != GND_ARG_REAL) return refuse_type(r, k, "a complex one");
    const double x = gndi_arg_parts(number).re;
    if (r->type[k] == GND_FLOAT32)
        value->f32 = (float)x;
    else
        value->f64 = x;
    return GND_OK;
}

static gnd_status check_parameters(request *r, const gnd_arg *parameters) {
    bool numbers = true;
    for (int k = 0; k < r->count; k++) {
        const gnd_arg p = parameters[k];
        r->type[k] = letter_type(r->info->parameters[k], r->dtype);
        if (p.kind == GND_ARG_NONE || (unsigned)p.kind > GND_ARG_COMPLEX)
            return gndi_raise(GND_ERROR_INVALID, r->fn, "parameter %d is nothing; it needs an array or a number",
                              k + 1);
        gnd_status status = p.kind == GND_ARG_ARRAY ? check_array(r, k, p.array) : check_number(r, k, p);
        if (status) return status;
        numbers = numbers && p.kind != GND_ARG_ARRAY;
    }
    r->plan.uniform = numbers;
    gndi_random_value values[MOST];
    for (int k = 0; k < MOST; k++) values[k] = r->plan.parameter[k].value;
    if (numbers && r->count && !gndi_random_takes(r->distribution, (int)r->dtype, values))
        return gndi_raise(GND_ERROR_VALUE, r->fn, "%s", r->info->requirement);
    return GND_OK;
}

/* ---- the shape ------------------------------------------------------------------------------ */

static gnd_status find_shape(const request *r, const gnd_shape *asked, gnd_shape *shape) {
    shape->ndim = 0;
    if (asked->ndim >= 0) {
        if (asked->ndim > GND_MAX_DIMS)
            return gndi_raise(GND_ERROR_SHAPE, r->fn, "%d dimensions are more than the %d there can be", asked->ndim,
                              GND_MAX_DIMS);
        *shape = *asked;
    }
    for (int k = 0; k < r->count; k++) {
        const gnd_array *x = r->array[k];
        const gnd_shape before = *shape;
        if (!x) continue;
        if (!gndi_broadcast(&shape->ndim, shape->dim, x->ndim, x->shape))
            return gndi_raise(GND_ERROR_SHAPE, r->fn, "parameter %d has shape %s, which does not broadcast to %s",
                              k + 1, gndi_text_shape(x->ndim, x->shape), gndi_text_shape(before.ndim, before.dim));
        if (asked->ndim >= 0 && (shape->ndim != asked->ndim ||
                                 memcmp(shape->dim, asked->dim, (size_t)asked->ndim * sizeof *shape->dim) != 0))
            return gndi_raise(GND_ERROR_SHAPE, r->fn,
                              "parameter %d has shape %s, which does not broadcast to the shape %s "
                              "that is asked for",
                              k + 1, gndi_text_shape(x->ndim, x->shape), gndi_text_shape(asked->ndim, asked->dim));
    }
    return GND_OK;
}

static gnd_status add_row(const request *r, gnd_shape *shape) {
    if (shape->ndim == GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_SHAPE, r->fn, "%d dimensions and one more for the rows are more than there can be",
                          shape->ndim);
    shape->dim[shape->ndim++] = r->row;
    return GND_OK;
}

/* ---- the plan ------------------------------------------------------------------------------- */

static gnd_array *keep(request *r, gnd_array *x) {
    if (x) r->temporary[r->temporaries++] = x;
    return x;
}

static gnd_status convert(request *r) {
    for (int k = 0; k < r->count; k++) {
        if (!r->array[k] || (gnd_dtype)r->array[k]->dtype == r->type[k]) continue;
        r->array[k] = keep(r, gndi_copy_as(r->fn, r->array[k], r->type[k], 'K'));
        if (!r->array[k]) return gndi_ew_pending();
    }
    return GND_OK;
}

/* Merges axes like the elementwise engine; since the result is in C order, they keep their order. The axis
   along the result's rows is not among them. */
static void plan_axes(const request *r, const gnd_array *result, gndi_ew_plan *axes) {
    gndi_ew_space space;
    space.ndim = result->ndim - has_rows(r), space.count = 1 + r->count;
    memcpy(space.shape, result->shape, (size_t)result->ndim * sizeof(int64_t));
    memcpy(space.stride[0], result->strides, (size_t)result->ndim * sizeof(int64_t));
    axes->operand[0] = (gndi_ew_operand){.data = gndi_data(result), .dtype = result->dtype};
    for (int k = 0; k < r->count; k++) {
        const gnd_array *x = r->array[k];
        axes->operand[1 + k] = (gndi_ew_operand){.immediate = !x, .dtype = (uint8_t)r->type[k]};
        if (!x) {
            memset(space.stride[1 + k], 0, sizeof space.stride[1 + k]);
            continue;
        }
        axes->operand[1 + k].data = gndi_data(x);
        gndi_broadcast_strides(x, space.ndim, space.shape, space.stride[1 + k]);
    }
    gndi_ew_plan_axes(&space, axes);
}

static gnd_status plan(request *r, const gnd_array *result) {
    gndi_random_plan *p = &r->plan;
    p->out = gndi_data(result), p->row = r->row, p->size = result->size / r->row;
    if (p->uniform) {
        p->ndim = 1, p->shape[0] = p->size;
        return GND_OK;
    }
    gndi_ew_plan axes;
    plan_axes(r, result, &axes);
    if (axes.ndim > GNDI_RANDOM_AXES) { /* rare: the broadcast parameters are copied instead */
        for (int k = 0; k < r->count; k++) {
            if (!r->array[k] || is_rows(r, k)) continue;
            gnd_array *whole = gndi_array_new_on(r->fn, r->stream, result->ndim - has_rows(r), result->shape,
                                                 r->type[k], GNDI_ORDER_C);
            r->array[k] = keep(r, gndi_filled(r->fn, whole, gnd_arg_array(r->array[k])));
            if (!r->array[k]) return gndi_ew_pending();
        }
        plan_axes(r, result, &axes);
    }
    p->ndim = axes.ndim;
    for (int axis = 0; axis < axes.ndim; axis++) p->shape[axis] = axes.shape[axis];
    if (!p->ndim) p->ndim = 1, p->shape[0] = 1;
    for (int k = 0; k < r->count; k++) {
        p->parameter[k].data = axes.operand[1 + k].data;
        for (int axis = 0; axis < axes.ndim; axis++) p->parameter[k].stride[axis] = axes.stride[1 + k][axis];
    }
    const gndi_random_part *part = r->g->part;
    if (part) {
        p->axes = part->axes;
        memcpy(p->count, part->count, sizeof p->count), memcpy(p->step, part->step, sizeof p->step);
    }
    return GND_OK;
}

static gnd_status submit(request *r, gnd_array *result) {
    if (r->g->curand) return gndi_random_draw_curand(r->fn, r->g, r->stream, &r->plan, result);
    if (r->g->numpy) return gndi_random_draw_numpy(r->fn, r->g, r->stream, &r->plan, result);
    gnd_status status = convert(r);
    if (!status) status = plan(r, result);
    for (int k = 0; k < r->count && !status; k++)
        if (r->array[k]) status = gndi_order_read(r->stream, r->array[k]->buffer, r->fn);
    return status ? status : gndi_random_submit(r->fn, r->g, r->stream, &r->plan, result);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* `row`: numbers of an element; of V and M rows the result's last axis. */
static gnd_array *draw(const char *fn, gndi_distribution distribution, gnd_random *g, const gnd_arg *parameters,
                       const gnd_shape *asked, gnd_dtype dtype, int words, int64_t row, gnd_array *out) {
    if (!g) return gndi_raise_null(fn, "g"), (gnd_array *)NULL;
    request r = {.fn = fn,
                 .g = g,
                 .info = &gndi_distributions[distribution],
                 .distribution = distribution,
                 .row = row,
                 .dtype = dtype,
                 .stream = gndi_random_stream(g, fn)};
    if (!r.stream) return NULL;
    r.count = (int)strlen(r.info->parameters);
    r.plan.distribution = distribution, r.plan.dtype = (uint8_t)dtype;
    r.plan.words = (uint8_t)words;
    gnd_shape shape;
    if (check_parameters(&r, parameters) || find_shape(&r, asked, &shape)) return NULL;
    if (has_rows(&r) && add_row(&r, &shape)) return NULL;
    gnd_array *result = out ? out : gndi_array_new_on(fn, r.stream, shape.ndim, shape.dim, dtype, GNDI_ORDER_C);
    if (!result) return NULL;
    gnd_status status = result->size ? submit(&r, result) : GND_OK;
    for (int i = 0; i < r.temporaries; i++) gnd_release(r.temporary[i]);
    if (!status) return result;
    if (!out) gnd_release(result);
    return NULL;
}

gnd_array *gndi_random_draw_words(const char *fn, gndi_distribution distribution, gnd_random *g,
                                  const gnd_arg *parameters, const gnd_shape *shape, gnd_dtype dtype, int words) {
    return draw(fn, distribution, g, parameters, shape, dtype, words, 1, NULL);
}

gnd_status gndi_random_draw_into(const char *fn, gndi_distribution distribution, gnd_random *g,
                                 const gnd_arg *parameters, gnd_array *out, int words) {
    gnd_shape shape = {.ndim = out->ndim};
    memcpy(shape.dim, out->shape, (size_t)out->ndim * sizeof *shape.dim);
    return draw(fn, distribution, g, parameters, &shape, (gnd_dtype)out->dtype, words, 1, out) ? GND_OK
                                                                                               : gndi_ew_pending();
}

/* The dtype of results, by the requested one. Raises if the distribution does not have it. */
static gnd_status result_dtype(const char *fn, const gndi_distribution_info *info, gnd_dtype *dtype) {
    if (info->result == 'I' || info->result == 'M')
        *dtype = GND_INT64;
    else if (*dtype == GND_DTYPE_NONE)
        *dtype = GND_FLOAT64;
    else if (*dtype != GND_FLOAT32 && *dtype != GND_FLOAT64)
        return gndi_raise(GND_ERROR_DTYPE, fn, "the numbers can be float32 or float64, not %s",
                          gndi_dtype_valid((int)*dtype) ? gnd_dtype_name(*dtype) : "no dtype at all");
    return GND_OK;
}

gnd_array *gndi_random_draw(const char *fn, gndi_distribution distribution, gnd_random *g, const gnd_arg *parameters,
                            const gnd_shape *shape, gnd_dtype dtype) {
    const gndi_distribution_info *info = &gndi_distributions[distribution];
    if (result_dtype(fn, info, &dtype)) return NULL;
    return draw(fn, distribution, g, parameters, shape, dtype, dtype == GND_FLOAT32 ? info->words32 : info->words64, 1,
                NULL);
}

gnd_array *gndi_random_result(const char *fn, gndi_distribution distribution, gnd_random *g, const gnd_shape *shape,
                              gnd_dtype dtype) {
    if (result_dtype(fn, &gndi_distributions[distribution], &dtype)) return NULL;
    gnd_stream *s = gndi_random_stream(g, fn);
    return s ? gndi_array_new_on(fn, s, shape->ndim, shape->dim, dtype, GNDI_ORDER_C) : NULL;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static gnd_status check_rows(const char *fn, const gnd_array *rows, const char *name, gnd_dtype type) {
    if (rows->ndim == 0) return gndi_raise(GND_ERROR_SHAPE, fn, "%s must have at least one dimension", name);
    if (gndi_dtype_is_complex(rows->dtype) || (type == GND_INT64 && gndi_dtype_is_float(rows->dtype)))
        return gndi_raise(GND_ERROR_DTYPE, fn, "%s must be %s, not %s", name,
                          type == GND_INT64 ? "integers" : "real numbers", gndi_text_array(rows));
    return GND_OK;
}

/* The rows as their distribution reads them. With many axes they are broadcast in a copy of contiguous rows. */
static gnd_array *own_rows(gndi_temporaries *s, gnd_arg number, const gnd_array *rows, const gnd_shape *asked,
                           gnd_dtype type) {
    const int64_t row = rows->shape[rows->ndim - 1];
    gnd_shape shape = {.ndim = asked->ndim > 0 ? asked->ndim : 0};
    if (shape.ndim <= GND_MAX_DIMS) memcpy(shape.dim, asked->dim, (size_t)shape.ndim * sizeof *shape.dim);
    const gnd_array *n = number.kind == GND_ARG_ARRAY ? number.array : NULL;
    const bool fit = shape.ndim < GND_MAX_DIMS && gndi_broadcast(&shape.ndim, shape.dim, rows->ndim - 1, rows->shape) &&
                     (!n || gndi_broadcast(&shape.ndim, shape.dim, n->ndim, n->shape));
    if (!fit || shape.ndim <= GNDI_RANDOM_AXES || shape.ndim == GND_MAX_DIMS)
        return gndi_temporaries_keep(s, (gnd_dtype)rows->dtype == type ? gndi_array_alias(s->fn, rows)
                                                                       : gndi_copy_as(s->fn, rows, type, 'K'));
    shape.dim[shape.ndim++] = row;
    gnd_stream *stream = gndi_stream_on(rows->buffer->device, s->fn);
    gnd_array *whole = stream ? gndi_array_new_on(s->fn, stream, shape.ndim, shape.dim, type, GNDI_ORDER_C) : NULL;
    return gndi_temporaries_keep(s, gndi_filled(s->fn, whole, gnd_arg_array(rows)));
}

gnd_array *gndi_random_draw_rows(const char *fn, gndi_distribution distribution, gnd_random *g, gnd_arg number,
                                 const gnd_array *rows, const char *name, const gnd_shape *shape, gnd_dtype dtype) {
    const gndi_distribution_info *info = &gndi_distributions[distribution];
    if (!g || gndi_missing(rows)) return gndi_raise_null(fn, g ? name : "g"), (gnd_array *)NULL;
    const bool numbered = info->parameters[0] == 'I';
    if (number.kind == GND_ARG_ARRAY && gndi_missing(number.array))
        return gndi_raise_null(fn, "a parameter"), (gnd_array *)NULL;
    if (result_dtype(fn, info, &dtype)) return NULL;
    const gnd_dtype type = letter_type(info->parameters[numbered], dtype);
    if (check_rows(fn, rows, name, type)) return NULL;
    gndi_temporaries s = {.fn = fn};
    const gnd_array *own = own_rows(&s, number, rows, shape, type);
    const gnd_array *first = own ? gndi_step_at(&s, own, own->ndim - 1, 0) : NULL;
    gnd_array *result = NULL;
    if (first) {
        const gnd_arg all[MOST] = {number, gnd_arg_array(first), gnd_arg_int(own->strides[own->ndim - 1]),
                                   gnd_arg_int(own->shape[own->ndim - 1])};
        result = draw(fn, distribution, g, numbered ? all : all + 1, shape, dtype,
                      dtype == GND_FLOAT32 ? info->words32 : info->words64, own->shape[own->ndim - 1], NULL);
        s.failed = !result;
    }
    gndi_temporaries_end(&s, NULL);
    return result;
}
