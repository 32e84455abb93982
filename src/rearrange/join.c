/*
 * join.c: arrays put together along an axis. Shapes and dtypes are checked first; then each array is
 * copied, and cast on the way, to its part of the result.
 */
#include "rearrange/rearrange.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_concatenate
#undef gnd_concatenate_with
#undef gnd_stack
#undef gnd_stack_with
#undef gnd_vstack
#undef gnd_hstack
#undef gnd_dstack
#undef gnd_column_stack
#undef gnd_append

/* ---- what the parts of this folder share ---------------------------------------------------- */

gnd_array *gndi_new_on_device_of(const char *fn, const gnd_array *like, int ndim, const int64_t *shape,
                                 gnd_dtype dtype) {
    gnd_stream *s = gndi_stream_on(like->buffer->device, fn);
    return s ? gndi_array_new_on(fn, s, ndim, shape, dtype, GNDI_ORDER_C) : NULL;
}

gnd_array *gndi_new_in_its_order(const char *fn, const gnd_array *like, const int64_t *shape) {
    gnd_stream *s = gndi_stream_on(like->buffer->device, fn);
    const bool fortran = gndi_is_f_contiguous(like) && !gndi_is_c_contiguous(like);
    return s ? gndi_array_new_on(fn, s, like->ndim, shape, (gnd_dtype)like->dtype,
                                 fortran ? GNDI_ORDER_F : GNDI_ORDER_C)
             : NULL;
}

gnd_array *gndi_flat(const char *fn, const gnd_array *a) {
    return gndi_reshaped(fn, a, 1, &a->size);
}

void gndi_copy_to_part(gndi_temporaries *s, const gnd_array *to, int axis, int64_t first, int64_t count,
                       const gnd_array *from) {
    if (s->failed || count == 0) return;
    gndi_temporaries one = {.fn = s->fn}; /* so that any number of parts may be copied */
    gnd_array *part = gndi_step_part(&one, to, axis, first, count, 1);
    if (!one.failed) one.failed = gndi_copy_into(s->fn, part, from) != GND_OK;
    gndi_temporaries_end_part(s, &one);
}

gnd_status gndi_drop_list(gnd_status status, int64_t made, int64_t number, gnd_array *out[]) {
    while (made > 0) gnd_release(out[--made]);
    for (int64_t k = 0; k < number; k++) out[k] = NULL;
    return status;
}

gnd_status gndi_check_written(const char *fn, const gnd_array *a, gnd_arg value, const char *name) {
    gndi_scalar unused;
    if (value.kind != GND_ARG_ARRAY) {
        if (value.kind == GND_ARG_COMPLEX && !gndi_dtype_is_complex(a->dtype))
            return gndi_raise(GND_ERROR_DTYPE, fn, "a complex number does not go into an array of %s",
                              gnd_dtype_name((gnd_dtype)a->dtype));
        const bool fits = gndi_scalar_from_arg(fn, value, (gnd_dtype)a->dtype, &unused);
        return fits ? GND_OK : gndi_ew_pending();
    }
    if (gndi_missing(value.array)) return gndi_raise_null(fn, name);
    if (value.array->buffer->device != a->buffer->device)
        return gndi_raise(GND_ERROR_DEVICE, fn, "a is %s, %s: %s; gnd_to_device moves arrays", gndi_text_array(a), name,
                          gndi_text_array(value.array));
    return GND_OK;
}

/* ---- how the arrays are seen ---------------------------------------------------------------- */

int gndi_shape_in_depth(const gnd_array *a, int64_t *shape, int64_t *strides) {
    const int ndim = a->ndim < 3 ? 3 : a->ndim;
    const int first = a->ndim == 1 ? 1 : 0; /* where a's own axes start */
    for (int i = 0; i < ndim; i++) {
        const bool own = i >= first && i - first < a->ndim;
        shape[i] = own ? a->shape[i - first] : 1;
        strides[i] = own ? a->strides[i - first] : 0;
    }
    return ndim;
}

int gndi_shape_with_ones(const gnd_array *a, int at, int ones, int64_t *shape, int64_t *strides) {
    for (int i = 0, own = 0; i < a->ndim + ones; i++) {
        const bool added = i >= at && i < at + ones;
        shape[i] = added ? 1 : a->shape[own];
        strides[i] = added ? 0 : a->strides[own];
        own += !added;
    }
    return a->ndim + ones;
}

/* The number of dimensions that an array is seen with, its shape and strides. `axis` counts from the
   front. Flattened: strides say nothing. */
static int seen(const gndi_join *j, const gnd_array *a, int axis, int64_t *shape, int64_t *strides) {
    switch (j->reading) {
    case GNDI_FLATTENED: shape[0] = a->size, strides[0] = 0; return 1;
    case GNDI_NEW_AXIS: return gndi_shape_with_ones(a, axis, 1, shape, strides);
    case GNDI_AT_LEAST:
        return gndi_shape_with_ones(a, 0, a->ndim < j->at_least ? j->at_least - a->ndim : 0, shape, strides);
    case GNDI_COLUMNS: return gndi_shape_with_ones(a, a->ndim, a->ndim < 2 ? 2 - a->ndim : 0, shape, strides);
    case GNDI_IN_DEPTH: return gndi_shape_in_depth(a, shape, strides);
    default: return gndi_shape_with_ones(a, 0, 0, shape, strides);
    }
}

/* ---- checks --------------------------------------------------------------------------------- */

/* The result: its shape, and the axis of the join counted from the front. */
typedef struct joined {
    int ndim, axis;
    int64_t shape[GND_MAX_DIMS];
    gnd_dtype dtype;
} joined;

static gnd_status check_arrays(const gndi_join *j) {
    if (j->count < 1) return gndi_raise(GND_ERROR_INVALID, j->fn, "needs at least one array to join, not %d", j->count);
    if (!j->arrays) return gndi_raise_null(j->fn, "arrays");
    for (int i = 0; i < j->count; i++) {
        const gnd_array *a = j->arrays[i];
        if (gndi_missing(a)) return gndi_raise_null(j->fn, "arrays");
        if (a->buffer->device != j->arrays[0]->buffer->device)
            return gndi_raise(GND_ERROR_DEVICE, j->fn, "array 0 is %s, array %d is %s; gnd_to_device moves arrays",
                              gndi_text_array(j->arrays[0]), i, gndi_text_array(a));
        if (a->ndim == 0 && j->reading == GNDI_AS_IT_IS)
            return gndi_raise(GND_ERROR_SHAPE, j->fn,
                              "array %d is 0-d, and has no axis to be joined along; gnd_stack "
                              "makes one",
                              i);
    }
    return GND_OK;
}

static gnd_status find_axis(const gndi_join *j, joined *to) {
    int64_t strides[GND_MAX_DIMS];
    const gnd_array *first = j->arrays[0];
    const int more = j->reading == GNDI_NEW_AXIS;
    if (first->ndim + more > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_SHAPE, j->fn, "arrays of %d dimensions cannot get another one", first->ndim);
    to->axis = 0;
    if (more && !gndi_normalize_axis(j->fn, j->axis, first->ndim + 1, &to->axis)) return gndi_ew_pending();
    to->ndim = seen(j, first, to->axis, to->shape, strides);
    if (j->reading == GNDI_FLATTENED || more) return GND_OK;
    return gndi_normalize_axis(j->fn, j->axis, to->ndim, &to->axis) ? GND_OK : gndi_ew_pending();
}

/* Adds up the sizes along the axis; all others must be the same. */
static gnd_status find_shape(const gndi_join *j, joined *to) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    for (int i = 1; i < j->count; i++) {
        const gnd_array *a = j->arrays[i];
        bool same = j->reading != GNDI_NEW_AXIS || a->ndim + 1 == to->ndim;
        same = same && seen(j, a, to->axis, shape, strides) == to->ndim;
        for (int k = 0; same && k < to->ndim; k++) same = k == to->axis || shape[k] == to->shape[k];
        if (!same)
            return gndi_raise(GND_ERROR_SHAPE, j->fn, "array 0 has shape %s, array %d has %s: %s",
                              gndi_text_shape(j->arrays[0]->ndim, j->arrays[0]->shape), i,
                              gndi_text_shape(a->ndim, a->shape),
                              j->reading == GNDI_NEW_AXIS ? "all must have the same shape"
                                                          : "they must be the same but along the joined axis");
        if (__builtin_add_overflow(to->shape[to->axis], shape[to->axis], &to->shape[to->axis]))
            return gndi_raise(GND_ERROR_MEMORY, j->fn, "the joined axis does not fit 64 bits");
    }
    return GND_OK;
}

static gnd_dtype common_dtype(const gndi_join *j) {
    gnd_dtype seen_once[GND_DTYPE_COUNT];
    uint32_t named = 0;
    int count = 0;
    for (int i = 0; i < j->count; i++) {
        const gnd_dtype dtype = (gnd_dtype)j->arrays[i]->dtype;
        if (!(named >> dtype & 1)) seen_once[count++] = dtype;
        named |= UINT32_C(1) << dtype;
    }
    return gndi_promote_list(count, seen_once);
}

static gnd_status find_dtype(const gndi_join *j, joined *to) {
    const gnd_join_options *o = &j->options;
    if (gndi_optional_missing(j->fn, o->out, "out")) return gndi_ew_pending();
    if (o->out && o->dtype)
        return gndi_raise(GND_ERROR_INVALID, j->fn, "out and dtype are both given; the result has out's dtype");
    if ((unsigned)o->casting > GND_UNSAFE)
        return gndi_raise(GND_ERROR_INVALID, j->fn, "there is no casting rule number %d", (int)o->casting);
    if (o->dtype && !gndi_dtype_valid((int)o->dtype))
        return gndi_raise(GND_ERROR_DTYPE, j->fn, "there is no dtype number %d", (int)o->dtype);
    to->dtype = o->out ? (gnd_dtype)o->out->dtype : o->dtype ? o->dtype : common_dtype(j);
    for (int i = 0; i < j->count; i++) {
        const gnd_dtype from = (gnd_dtype)j->arrays[i]->dtype;
        if (!gnd_can_cast(from, to->dtype, o->casting))
            return gndi_raise(GND_ERROR_DTYPE, j->fn,
                              "array %d is %s, which the casting rule does not allow to become %s", i,
                              gnd_dtype_name(from), gnd_dtype_name(to->dtype));
    }
    return GND_OK;
}

/* ---- carrying out --------------------------------------------------------------------------- */

/* The result's axes as they lie in memory, the fastest last. An axis goes before one to its left if
   its steps are larger in every array that has both: where arrays differ, C order wins, and an axis of
   one element says nothing. */
static void find_order(const gndi_join *j, const joined *to, int *order) {
    bool known[GND_MAX_DIMS][GND_MAX_DIMS] = {{false}}, stays[GND_MAX_DIMS][GND_MAX_DIMS];
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    memset(stays, 0, sizeof stays);
    for (int i = 0; i < j->count; i++) {
        seen(j, j->arrays[i], to->axis, shape, strides);
        for (int right = 1; right < to->ndim; right++)
            for (int left = 0; left < right && shape[right] != 1; left++) {
                if (shape[left] == 1) continue;
                known[right][left] = true;
                stays[right][left] |= gndi_magnitude(strides[right]) <= gndi_magnitude(strides[left]);
            }
    }
    for (int axis = 0; axis < to->ndim; axis++) {
        int position = axis;
        for (int before = axis - 1; before >= 0; before--) {
            const int other = order[before];
            if (known[axis][other] && stays[axis][other]) break;
            if (known[axis][other]) position = before;
        }
        memmove(order + position + 1, order + position, (size_t)(axis - position) * sizeof *order);
        order[position] = axis;
    }
}

static gnd_array *new_in_order(const gndi_join *j, const joined *to, const int *order) {
    int64_t strides[GND_MAX_DIMS], bytes = gndi_dtype_sizes[to->dtype];
    for (int k = to->ndim - 1; k >= 0; k--) {
        strides[order[k]] = bytes;
        bytes *= to->shape[order[k]];
    }
    gnd_stream *s = gndi_stream_on(j->arrays[0]->buffer->device, j->fn);
    gndi_buffer *buffer = s ? gndi_buffer_new(j->fn, s, (size_t)bytes) : NULL;
    return buffer ? gndi_array_over(j->fn, buffer, to->ndim, to->shape, strides, buffer->base, to->dtype) : NULL;
}

static gnd_array *new_result(const gndi_join *j, const joined *to) {
    int order[GND_MAX_DIMS];
    int64_t size;
    const bool fits = gndi_shape_size(to->ndim, to->shape, &size) && size <= INT64_MAX / gndi_dtype_sizes[to->dtype];
    if (fits && size > 0 && j->reading != GNDI_FLATTENED) {
        find_order(j, to, order);
        for (int k = 0; k < to->ndim; k++)
            if (order[k] != k) return new_in_order(j, to, order);
    }
    return gndi_new_on_device_of(j->fn, j->arrays[0], to->ndim, to->shape, to->dtype);
}

/* Copies `a` to its part of the result, which ends at the returned position along the axis. */
static int64_t position(gndi_temporaries *s, const gndi_join *j, const joined *to, const gnd_array *result,
                        const gnd_array *a, int64_t first) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    const int ndim = seen(j, a, to->axis, shape, strides);
    const int64_t count = shape[to->axis];
    gndi_temporaries one = {.fn = j->fn};
    if (s->failed || a->size == 0) return first + count;
    if (j->reading == GNDI_FLATTENED) { /* the part takes the array's shape */
        gnd_array *part = gndi_step_part(&one, result, 0, first, count, 1), *shaped = NULL;
        if (part) gndi_reshape_view(j->fn, part, a->ndim, a->shape, &shaped);
        if (gndi_temporaries_keep(&one, shaped)) one.failed = gndi_copy_into(j->fn, shaped, a) != GND_OK;
    } else {
        gnd_array *from = gndi_temporaries_keep(
            &one, gndi_array_view(j->fn, a, ndim, shape, strides, gndi_data(a), (gnd_dtype)a->dtype));
        gndi_copy_to_part(&one, result, to->axis, first, count, from);
    }
    gndi_temporaries_end_part(s, &one);
    return first + count;
}

/* Arrays that share memory with `out` are copied before anything is written. */
static gnd_status run_into(const gndi_join *j, const joined *to, gnd_array *out) {
    gndi_temporaries s = {.fn = j->fn};
    gnd_array **copies = gndi_calloc(j->fn, (size_t)j->count * sizeof *copies);
    if (!copies) return GND_ERROR_MEMORY;
    for (int i = 0; i < j->count && !s.failed; i++) {
        const gnd_array *a = j->arrays[i];
        if (j->options.out && gndi_may_overlap(out, a))
            s.failed = !(copies[i] = gndi_copy_as(j->fn, a, (gnd_dtype)a->dtype, 'K'));
    }
    int64_t first = 0;
    for (int i = 0; i < j->count; i++) first = position(&s, j, to, out, copies[i] ? copies[i] : j->arrays[i], first);
    for (int i = 0; i < j->count; i++) gnd_release(copies[i]);
    gndi_free(copies);
    return s.failed ? gndi_ew_pending() : GND_OK;
}

gnd_array *gndi_join_run(const gndi_join *j) {
    joined to;
    gnd_status status = check_arrays(j);
    if (!status) status = find_axis(j, &to);
    if (!status) status = find_shape(j, &to);
    if (!status) status = find_dtype(j, &to);
    gnd_array *out = j->options.out;
    if (status) return NULL;
    if (out && !gndi_check_out(j->fn, j->arrays[0], out, to.ndim, to.shape)) return NULL;
    gnd_array *result = out ? gndi_array_alias(j->fn, out) : new_result(j, &to);
    if (!result || !run_into(j, &to, result)) return result;
    gnd_release(result);
    return NULL;
}

/* ---- the public functions ------------------------------------------------------------------- */

static gnd_array *join(const char *fn, int count, const gnd_array *const arrays[], gndi_reading reading, int at_least,
                       int axis) {
    const gndi_join j = {
        .fn = fn, .count = count, .arrays = arrays, .reading = reading, .at_least = at_least, .axis = axis};
    return gndi_join_run(&j);
}

gnd_array *gnd_concatenate(int count, const gnd_array *const arrays[], int axis) {
    return join("gnd_concatenate", count, arrays, axis == GND_FLAT ? GNDI_FLATTENED : GNDI_AS_IT_IS, 0, axis);
}

gnd_array *gnd_concatenate_with(int count, const gnd_array *const arrays[], int axis, gnd_join_options options) {
    const gndi_join j = {.fn = "gnd_concatenate_with",
                         .count = count,
                         .arrays = arrays,
                         .reading = axis == GND_FLAT ? GNDI_FLATTENED : GNDI_AS_IT_IS,
                         .axis = axis,
                         .options = options};
    return gndi_join_run(&j);
}

gnd_array *gnd_stack(int count, const gnd_array *const arrays[], int axis) {
    return join("gnd_stack", count, arrays, GNDI_NEW_AXIS, 0, axis);
}

gnd_array *gnd_stack_with(int count, const gnd_array *const arrays[], int axis, gnd_join_options options) {
    const gndi_join j = {.fn = "gnd_stack_with",
                         .count = count,
                         .arrays = arrays,
                         .reading = GNDI_NEW_AXIS,
                         .axis = axis,
                         .options = options};
    return gndi_join_run(&j);
}

gnd_array *gnd_vstack(int count, const gnd_array *const arrays[]) {
    return join("gnd_vstack", count, arrays, GNDI_AT_LEAST, 2, 0);
}

gnd_array *gnd_hstack(int count, const gnd_array *const arrays[]) {
    const bool lines = count > 0 && arrays && arrays[0] && arrays[0]->ndim < 2;
    return join("gnd_hstack", count, arrays, GNDI_AT_LEAST, 1, lines ? 0 : 1);
}

gnd_array *gnd_dstack(int count, const gnd_array *const arrays[]) {
    return join("gnd_dstack", count, arrays, GNDI_IN_DEPTH, 3, 2);
}

gnd_array *gnd_column_stack(int count, const gnd_array *const arrays[]) {
    return join("gnd_column_stack", count, arrays, GNDI_COLUMNS, 2, 1);
}

/* A number goes behind as one further element; it is weak. */
static gnd_array *append_number(const char *fn, const gnd_array *a, gnd_arg number, int axis) {
    gndi_temporaries s = {.fn = fn};
    gndi_scalar unused;
    const gnd_dtype dtype = gndi_promote_weak((gnd_dtype)a->dtype, number);
    if (number.kind == GND_ARG_NONE)
        return gndi_fail(GND_ERROR_INVALID, fn, "values are GND_NONE; give a number or an array");
    if (axis != GND_FLAT && a->ndim != 1)
        return gndi_fail(GND_ERROR_SHAPE, fn,
                         "a number cannot be joined to shape %s along an axis; GND_FLAT would "
                         "flatten both",
                         gndi_text_shape(a->ndim, a->shape));
    if (axis != GND_FLAT && !gndi_normalize_axis(fn, axis, 1, &axis)) return NULL;
    if (!gndi_scalar_from_arg(fn, number, dtype, &unused)) return NULL;
    const int64_t size = a->size + 1;
    gnd_array *result = gndi_temporaries_keep(&s, gndi_new_on_device_of(fn, a, 1, &size, dtype));
    if (!result) return gndi_temporaries_end(&s, NULL);
    gnd_array *part = gndi_step_part(&s, result, 0, 0, a->size, 1), *shaped = NULL;
    if (part) gndi_reshape_view(fn, part, a->ndim, a->shape, &shaped);
    gndi_temporaries_keep(&s, shaped);
    if (a->size) gndi_step_into(&s, GNDI_OP_copy, shaped, gnd_arg_array(a), gnd_arg_none(), NULL);
    gnd_array *last = gndi_step_part(&s, result, 0, a->size, 1, 1);
    gndi_step_into(&s, GNDI_OP_copy, last, number, gnd_arg_none(), NULL);
    return gndi_temporaries_end(&s, result);
}

gnd_array *gnd_append(const gnd_array *a, gnd_arg values, int axis) {
    static const char fn[] = "gnd_append";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (values.kind != GND_ARG_ARRAY) return append_number(fn, a, values, axis);
    if (gndi_missing(values.array)) return gndi_raise_null(fn, "values"), NULL;
    const gnd_array *const arrays[2] = {a, values.array};
    return join(fn, 2, arrays, axis == GND_FLAT ? GNDI_FLATTENED : GNDI_AS_IT_IS, 0, axis);
}
