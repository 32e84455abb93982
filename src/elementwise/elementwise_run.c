/*
 * elementwise_run.c: the general elementwise request. In order: check the operands, resolve dtypes,
 * broadcast, copy what overlaps, make the outputs, plan, submit. Nothing is written before every
 * check has passed.
 */
#include "elementwise/create.h"
#include "elementwise/elementwise.h"
#include "elementwise/record.h"
#include "elementwise/truths.h"

/* What is being put together. Operands are numbered as in the plan: outputs, inputs, mask. */
typedef struct assembly {
    const gndi_ew_request *request;
    gndi_ew_types types;
    const gndi_op_info *info;
    gnd_stream *stream;
    gndi_ew_space space;
    const gnd_array *input[GNDI_MAX_IN + 1]; /* arrays as they go in (NULL: a number); then the mask */
    gnd_array *out[GNDI_MAX_OUT];
    gnd_array *store[GNDI_MAX_OUT]; /* where the kernel writes: out, or a temporary to be cast */
    gnd_array *temporary[2 * GNDI_MAX_OPERANDS + GNDI_MAX_OUT];
    int temporaries;
} assembly;

static void drop_temporaries(assembly *a) {
    for (int i = 0; i < a->temporaries; i++) gnd_release(a->temporary[i]);
    a->temporaries = 0;
}

static gnd_array *keep_temporary(assembly *a, gnd_array *x) {
    if (x) a->temporary[a->temporaries++] = x;
    return x;
}

/* ---- checks --------------------------------------------------------------------------------- */

static gnd_status check_argument(const char *fn, gnd_arg arg, int i) {
    if (arg.kind == GND_ARG_NONE)
        return gndi_raise(GND_ERROR_INVALID, fn, "argument %d is GND_NONE; it needs an array or a number", i + 1);
    if ((unsigned)arg.kind > GND_ARG_COMPLEX)
        return gndi_raise(GND_ERROR_INVALID, fn, "argument %d has no valid kind (%d)", i + 1, (int)arg.kind);
    if (arg.kind != GND_ARG_ARRAY || !gndi_missing(arg.array)) return GND_OK;
    if (arg.array) {
        static const char *const names[GNDI_MAX_IN] = {"1", "2", "3"};
        return gndi_raise_null(fn, names[i]);
    }
    gndi_raise(GND_ERROR_INVALID, fn, "argument %d is NULL", i + 1);
    return gndi_ew_pending(); /* the error that explains it, if there is one */
}

static gnd_status check_operands(assembly *a) {
    const gndi_ew_request *r = a->request;
    const gnd_array *first = NULL, *other = NULL;
    if ((unsigned)r->casting > GND_UNSAFE)
        return gndi_raise(GND_ERROR_INVALID, r->fn, "there is no casting rule number %d", (int)r->casting);
    for (int i = 0; i < a->info->nin; i++) {
        gnd_arg arg = r->args[i];
        gnd_status status = check_argument(r->fn, arg, i);
        if (status) return status;
        if (arg.kind != GND_ARG_ARRAY) continue;
        if (!first) first = arg.array;
        if (arg.array->buffer->device != first->buffer->device) other = arg.array;
    }
    for (int i = 0; i < a->info->nout; i++) {
        const gnd_array *out = r->out[i];
        if (!out) continue;
        if (gndi_optional_missing(r->fn, out, "out")) return gndi_ew_pending();
        if (out->flags & GNDI_READONLY)
            return gndi_raise(GND_ERROR_INVALID, r->fn,
                              "the output %s is read-only, a broadcast view; write into a copy", gndi_text_array(out));
        if (!first) first = out;
        if (out->buffer->device != first->buffer->device) other = out;
    }
    if (gndi_optional_missing(r->fn, r->where, "where")) return gndi_ew_pending();
    if (r->where) {
        if (r->where->dtype != GND_BOOL)
            return gndi_raise(GND_ERROR_DTYPE, r->fn, "where must be a bool array, not %s",
                              gnd_dtype_name((gnd_dtype)r->where->dtype));
        if (!first) first = r->where;
        if (r->where->buffer->device != first->buffer->device) other = r->where;
    }
    if (other)
        return gndi_raise(GND_ERROR_DEVICE, r->fn,
                          "the arrays are on different devices: %s and %s; move one with "
                          "gnd_to_device",
                          gndi_text_array(first), gndi_text_array(other));
    a->stream = gndi_ew_stream(first, r->fn);
    return a->stream ? GND_OK : gndi_ew_pending();
}

/* ---- shapes --------------------------------------------------------------------------------- */

static gnd_status refuse_shapes(const assembly *a) {
    char text[256];
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i <= GNDI_MAX_IN && used < sizeof text; i++) {
        const gnd_array *x = a->input[i];
        if (!x) continue;
        const char *mask = i == GNDI_MAX_IN ? "where " : "";
        int n = snprintf(text + used, sizeof text - used, "%s%s%s", used ? " and " : "", mask,
                         gndi_text_shape(x->ndim, x->shape));
        used += n > 0 ? (size_t)n : 0;
    }
    return gndi_raise(GND_ERROR_SHAPE, a->request->fn, "shapes %s do not broadcast together", text);
}

static gnd_status broadcast_shapes(assembly *a) {
    gndi_ew_space *space = &a->space;
    space->ndim = 0;
    for (int i = 0; i <= GNDI_MAX_IN; i++) {
        const gnd_array *x = a->input[i];
        if (x && !gndi_broadcast(&space->ndim, space->shape, x->ndim, x->shape)) return refuse_shapes(a);
    }
    int inputs_ndim = space->ndim;
    int64_t inputs_shape[GND_MAX_DIMS];
    memcpy(inputs_shape, space->shape, (size_t)inputs_ndim * sizeof *inputs_shape);
    for (int i = 0; i < a->info->nout; i++) {
        const gnd_array *out = a->request->out[i];
        if (out && !gndi_broadcast(&space->ndim, space->shape, out->ndim, out->shape))
            return gndi_raise(GND_ERROR_SHAPE, a->request->fn,
                              "the output has shape %s, but the inputs broadcast to %s",
                              gndi_text_shape(out->ndim, out->shape), gndi_text_shape(inputs_ndim, inputs_shape));
    }
    for (int i = 0; i < a->info->nout; i++) {
        const gnd_array *out = a->request->out[i];
        if (out &&
            (out->ndim != space->ndim || memcmp(out->shape, space->shape, (size_t)space->ndim * sizeof(int64_t)) != 0))
            return gndi_raise(GND_ERROR_SHAPE, a->request->fn,
                              "the output has shape %s, but the result has shape %s; an output is "
                              "not broadcast",
                              gndi_text_shape(out->ndim, out->shape), gndi_text_shape(space->ndim, space->shape));
    }
    return GND_OK;
}

/* Operand numbers: outputs first, then inputs, then the mask. */
static int input_operand(const assembly *a, int i) {
    return a->info->nout + (i == GNDI_MAX_IN ? a->info->nin : i);
}

static void operand_strides(assembly *a, int k, const gnd_array *x) {
    gndi_ew_space *space = &a->space;
    if (x)
        gndi_broadcast_strides(x, space->ndim, space->shape, space->stride[k]);
    else
        memset(space->stride[k], 0, (size_t)space->ndim * sizeof(int64_t));
    for (int axis = 0; axis < space->ndim; axis++)
        if (space->shape[axis] == 1) space->stride[k][axis] = 0;
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* Kernels load any real dtype, or complex into complex loops. What is complex and goes into a real
   loop (by casting="unsafe", or as the condition of where) is converted first. */
static gnd_status convert_complex_inputs(assembly *a) {
    for (int i = 0; i < a->info->nin; i++) {
        const gnd_array *x = a->input[i];
        if (!x || x->dtype < GND_COMPLEX64 || a->types.in[i] >= GND_COMPLEX64) continue;
        if (a->types.op == GNDI_OP_copy) continue;
        x = keep_temporary(a, gndi_copy_as(a->request->fn, x, a->types.in[i], 'K'));
        if (!x) return gndi_ew_pending();
        a->input[i] = x;
    }
    return GND_OK;
}

/* Loose bool inputs, and such a mask, are read from copies. */
static gnd_status tighten_inputs(assembly *a) {
    for (int i = 0; i <= GNDI_MAX_IN; i++) {
        const gnd_array *x = a->input[i];
        if (!x || gndi_likely(!gndi_is_loose(x))) continue;
        x = keep_temporary(a, gndi_truths_of(a->request->fn, x));
        if (!x) return gndi_ew_pending();
        a->input[i] = x;
    }
    return GND_OK;
}

/* An input that the output overlaps is read from a copy. */
static gnd_status copy_overlapped_inputs(assembly *a) {
    for (int i = 0; i <= GNDI_MAX_IN; i++) {
        const gnd_array *x = a->input[i];
        if (!x) continue;
        for (int o = 0; o < a->info->nout; o++) {
            if (!a->out[o] || !gndi_ew_overlaps(&a->space, a->out[o], o, x, input_operand(a, i))) continue;
            x = keep_temporary(a, gndi_copy_as(a->request->fn, x, (gnd_dtype)x->dtype, 'K'));
            if (!x) return gndi_ew_pending();
            a->input[i] = x;
            operand_strides(a, input_operand(a, i), x);
            break;
        }
    }
    return GND_OK;
}

/* ---- outputs -------------------------------------------------------------------------------- */

/* How a new output in C or Fortran order lies; false: in K order. */
static bool fixed_order(const assembly *a, char order, gndi_order *fixed) {
    bool all_fortran = order == 'A';
    for (int i = 0; all_fortran && i < a->info->nin; i++)
        all_fortran = !a->input[i] || (gndi_is_f_contiguous(a->input[i]) && !gndi_is_c_contiguous(a->input[i]));
    *fixed = order == 'F' || all_fortran ? GNDI_ORDER_F : GNDI_ORDER_C;
    return order == 'C' || order == 'F' || order == 'A';
}

/* K order of the broadcast shape: inputs' strides are in place, behind those of the outputs. */
static void k_strides(const assembly *a, int64_t itemsize, int64_t *strides) {
    const gndi_ew_space *space = &a->space;
    const int nout = a->info->nout;
    gndi_ew_space inputs; /* the same space without the outputs */
    inputs.ndim = space->ndim, inputs.count = space->count - nout;
    memcpy(inputs.shape, space->shape, (size_t)space->ndim * sizeof(int64_t));
    for (int k = 0; k < inputs.count; k++)
        memcpy(inputs.stride[k], space->stride[nout + k], (size_t)space->ndim * sizeof(int64_t));
    gndi_ew_k_strides(&inputs, itemsize, strides);
}

/* Whether the broadcast shape has elements, and their bytes can be counted. */
static bool has_elements(const assembly *a, gnd_dtype dtype, int64_t *size) {
    return gndi_shape_size(a->space.ndim, a->space.shape, size) && *size > 0 &&
           *size <= INT64_MAX / gndi_dtype_sizes[dtype];
}

static gnd_array *new_output(assembly *a, gnd_dtype dtype, char order) {
    const char *fn = a->request->fn;
    const gndi_ew_space *space = &a->space;
    int64_t strides[GND_MAX_DIMS], size;
    gndi_order fixed;
    if (fixed_order(a, order, &fixed) || !has_elements(a, dtype, &size))
        return gndi_array_new_on(fn, a->stream, space->ndim, space->shape, dtype, fixed);
    k_strides(a, gndi_dtype_sizes[dtype], strides);
    gndi_buffer *b = gndi_buffer_new(fn, a->stream, (size_t)size * gndi_dtype_sizes[dtype]);
    if (!b) return NULL;
    return gndi_array_over(fn, b, space->ndim, space->shape, strides, b->base, dtype);
}

static gnd_status make_outputs(assembly *a) {
    const gndi_ew_request *r = a->request;
    for (int o = 0; o < a->info->nout; o++) {
        bool given = r->out[o] != NULL;
        if (given) {
            a->out[o] = r->out[o];
        } else {
            a->out[o] = new_output(a, a->types.out[o], r->order);
            if (!a->out[o]) return gndi_ew_pending();
            if (r->where) { /* what the mask leaves out of a new array is zero */
                const gndi_backend *backend = a->stream->device->backend;
                gnd_array *out = a->out[o];
                gnd_status status = out->size ? gndi_order_write(a->stream, out->buffer, r->fn) : 0;
                if (!status && out->size)
                    status =
                        backend->set_zero(a->stream, gndi_data(out), (size_t)(out->size * gndi_itemsize(out)), r->fn);
                if (status) return status;
                gndi_submitted(a->stream);
            }
        }
        operand_strides(a, o, a->out[o]);
    }
    return GND_OK;
}

/* Complex results for a real output (casting="unsafe") go through a temporary. Masked, it starts as
   what the output holds, so that the whole of it can be copied back. */
static gnd_status make_stores(assembly *a) {
    for (int o = 0; o < a->info->nout; o++) {
        a->store[o] = a->out[o];
        if (a->types.out[o] < GND_COMPLEX64 || a->out[o]->dtype >= GND_COMPLEX64) continue;
        a->store[o] = keep_temporary(a, gndi_copy_as(a->request->fn, a->out[o], a->types.out[o], 'K'));
        if (!a->store[o]) return gndi_ew_pending();
        operand_strides(a, o, a->store[o]);
    }
    return GND_OK;
}

static gnd_status check_two_outputs(const assembly *a) {
    if (a->info->nout < 2 || !a->request->out[0] || !a->request->out[1]) return GND_OK;
    if (!gndi_may_overlap(a->request->out[0], a->request->out[1])) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, a->request->fn, "the two outputs overlap in memory");
}

/* ---- plan and submission -------------------------------------------------------------------- */

static gnd_status fill_operands(assembly *a, gndi_ew_plan *plan) {
    const gndi_op_info *info = a->info;
    plan->op = a->types.op, plan->loop = a->types.loop;
    plan->nin = info->nin, plan->nout = info->nout;
    plan->masked = a->request->where != NULL;
    plan->uniform = true;
    memcpy(plan->params, a->request->params, sizeof plan->params);
    for (int o = 0; o < info->nout; o++) {
        gndi_ew_operand *operand = &plan->operand[o];
        operand->data = gndi_data(a->store[o]), operand->dtype = a->store[o]->dtype;
        operand->immediate = false;
        plan->uniform &= operand->dtype == a->types.out[o];
    }
    for (int i = 0; i < info->nin; i++) {
        gndi_ew_operand *operand = &plan->operand[info->nout + i];
        const gnd_array *x = a->input[i];
        operand->immediate = x == NULL;
        if (x) {
            operand->data = gndi_data(x), operand->dtype = x->dtype;
            plan->uniform &= operand->dtype == a->types.in[i];
        } else {
            operand->data = NULL, operand->dtype = (uint8_t)a->types.in[i];
            if (!gndi_scalar_from_arg(a->request->fn, a->types.args[i], a->types.in[i], &operand->value))
                return gndi_ew_pending();
        }
    }
    if (plan->masked) {
        gndi_ew_operand *operand = &plan->operand[info->nout + info->nin];
        operand->data = gndi_data(a->input[GNDI_MAX_IN]), operand->dtype = GND_BOOL;
        operand->immediate = false;
    }
    return GND_OK;
}

static gnd_status submit(assembly *a) {
    const char *fn = a->request->fn;
    gndi_ew_plan plan;
    gnd_status status = fill_operands(a, &plan);
    if (status) return status;
    plan.size = a->store[0]->size;
    if (plan.size == 0) return GND_OK;
    gndi_ew_plan_axes(&a->space, &plan);
    for (int i = 0; i <= GNDI_MAX_IN && !status; i++)
        if (a->input[i]) status = gndi_order_read(a->stream, a->input[i]->buffer, fn);
    for (int o = 0; o < a->info->nout && !status; o++) status = gndi_order_write(a->stream, a->store[o]->buffer, fn);
    if (!status) status = a->stream->device->backend->elementwise(a->stream, &plan, fn);
    if (status) return status;
    gndi_submitted(a->stream);
    for (int o = 0; o < a->info->nout && !status; o++)
        if (a->store[o] != a->out[o]) status = gndi_copy_into(fn, a->out[o], a->store[o]);
    return status ? status : gndi_finish(a->stream, fn);
}

/* Everything up to the outputs. */
static gnd_status assemble(assembly *a) {
    const gndi_ew_request *r = a->request;
    gnd_status status = check_operands(a);
    if (!status) status = gndi_ew_resolve(r, &a->types);
    if (status) return status;
    if (r->op == GNDI_OP_power && gndi_ew_number_fits(a->types.args[1], a->types.loop))
        a->types.op = gndi_ew_power_by(a->types.loop, a->types.args[1]);
    if (r->op == GNDI_OP_nan_to_num && a->types.loop < GND_FLOAT16) a->types.op = GNDI_OP_copy;
    a->info = &gndi_ops[a->types.op];
    for (int i = 0; i < GNDI_MAX_IN; i++) {
        bool array = i < a->info->nin && a->types.args[i].kind == GND_ARG_ARRAY;
        a->input[i] = array ? a->types.args[i].array : NULL;
    }
    a->input[GNDI_MAX_IN] = r->where;
    status = broadcast_shapes(a);
    if (!status) status = check_two_outputs(a);
    if (!status) status = tighten_inputs(a);
    if (!status) status = convert_complex_inputs(a);
    if (status) return status;
    a->space.count = a->info->nout + a->info->nin + (r->where != NULL);
    for (int i = 0; i < a->info->nin; i++) operand_strides(a, a->info->nout + i, a->input[i]);
    if (r->where) operand_strides(a, input_operand(a, GNDI_MAX_IN), a->input[GNDI_MAX_IN]);
    /* A number that its dtype cannot hold is refused before anything is allocated or written. */
    for (int i = 0; i < a->info->nin && !status; i++) {
        gndi_scalar unused;
        if (!a->input[i] && !gndi_scalar_from_arg(r->fn, a->types.args[i], a->types.in[i], &unused))
            status = gndi_ew_pending();
    }
    return status;
}

/* ---- instead of running it ------------------------------------------------------------------ */

/* Whether the thread's recorder is to be asked. */
static inline bool is_recorded(const assembly *a) {
    const gndi_ew_request *r = a->request;
    int64_t size = r->out[0] ? r->out[0]->size : 0;
    if (gndi_likely(!gndi_recorder_now()) || r->where) return false;
    return (r->out[0] || gndi_shape_size(a->space.ndim, a->space.shape, &size)) &&
           gndi_is_recorded(size, a->info->nin, a->input);
}

/* Hands the operation to the thread's recorder. */
static gndi_recorded record(assembly *a, gnd_array **results) {
    const gndi_ew_request *r = a->request;
    const int ndim = a->space.ndim;
    gndi_record_operator o;
    int64_t size;
    if (!has_elements(a, GND_COMPLEX128, &size)) return GNDI_RUN_IT;
    o.fn = r->fn, o.device = a->stream->device, o.op = a->types.op, o.loop = a->types.loop;
    o.nin = a->info->nin, o.nout = a->info->nout;
    o.ndim = ndim, o.shape = a->space.shape, o.params = r->params;
    for (int i = 0; i < o.nin; i++) {
        o.input[i] = a->input[i], o.in[i] = a->types.in[i];
        if (!a->input[i]) gndi_scalar_from_arg(r->fn, a->types.args[i], a->types.in[i], &o.number[i]);
    }
    for (int k = 0; k < o.nout; k++) {
        gndi_order fixed;
        o.given[k] = r->out[k], o.out[k] = a->types.out[k];
        const int64_t itemsize = gndi_dtype_sizes[o.out[k]];
        if (!fixed_order(a, r->order, &fixed))
            k_strides(a, itemsize, o.stride[k]);
        else if (fixed == GNDI_ORDER_C)
            gndi_c_strides(ndim, o.shape, itemsize, o.stride[k]);
        else
            gndi_f_strides(ndim, o.shape, itemsize, o.stride[k]);
    }
    return gndi_tls.recorder->apply(gndi_tls.recorder, &o, results);
}

/* clip with one bound is maximum or minimum, with none a copy. */
static gnd_status clip_one_side(const gndi_ew_request *request, gnd_array **results) {
    gndi_ew_request r = *request;
    bool low = r.args[1].kind != GND_ARG_NONE, high = r.args[2].kind != GND_ARG_NONE;
    r.op = low ? GNDI_OP_maximum : high ? GNDI_OP_minimum : GNDI_OP_copy;
    r.clips = true;
    if (!low) r.args[1] = r.args[2];
    return gndi_elementwise(&r, results);
}

gnd_status gndi_elementwise(const gndi_ew_request *request, gnd_array **results) {
    if (request->op == GNDI_OP_clip && (request->args[1].kind == GND_ARG_NONE || request->args[2].kind == GND_ARG_NONE))
        return clip_one_side(request, results);
    assembly a;
    a.request = request, a.info = &gndi_ops[request->op];
    a.temporaries = 0;
    a.out[0] = a.out[1] = NULL;
    gnd_status status = assemble(&a);
    if (!status && is_recorded(&a)) {
        const gndi_recorded recorded = record(&a, results);
        if (recorded != GNDI_RUN_IT) {
            drop_temporaries(&a);
            return recorded == GNDI_RECORDED ? GND_OK : gndi_ew_pending();
        }
    }
    if (!status) status = make_outputs(&a);
    if (!status) status = copy_overlapped_inputs(&a);
    if (!status) status = make_stores(&a);
    if (!status) status = submit(&a);
    drop_temporaries(&a);
    for (int o = 0; o < a.info->nout; o++) {
        if (request->out[o]) continue;
        if (!status)
            results[o] = a.out[o];
        else
            gnd_release(a.out[o]); /* releasing NULL is allowed */
    }
    return status;
}

/* ---- copies --------------------------------------------------------------------------------- */

/* The engine copies operands by requests of its own: the operator `copy`. */

void gndi_copy_request(gndi_ew_request *r, const char *fn, gnd_arg in) {
    memset(r, 0, sizeof *r);
    r->op = GNDI_OP_copy, r->fn = fn, r->args[0] = in;
    r->casting = GND_UNSAFE;
}

/* Whether the bytes of `in`, as they lie, are the bytes of a dense `out`. */
static bool plain_move(const gnd_array *out, const gnd_array *in) {
    if (out->dtype != in->dtype || out->ndim != in->ndim || out->size == 0 || gndi_is_loose(in)) return false;
    bool both_c = gndi_is_c_contiguous(out) && gndi_is_c_contiguous(in);
    bool both_f = gndi_is_f_contiguous(out) && gndi_is_f_contiguous(in);
    if (!both_c && !both_f) return false;
    for (int i = 0; i < out->ndim; i++)
        if (out->shape[i] != in->shape[i]) return false;
    return out->buffer->device == in->buffer->device && !(out->flags & GNDI_READONLY) && !gndi_may_overlap(out, in);
}

/* Assigns an array as `r` says. Leading axes of size 1 that the output does not have fall away, as in
   NumPy's assignment. */
gnd_status gndi_assign_array(gndi_ew_request *r, const gnd_array *in) {
    int extra = in->ndim - r->out[0]->ndim;
    if (extra <= 0) return gndi_elementwise(r, NULL);
    for (int i = 0; i < extra; i++)
        if (in->shape[i] != 1) extra = i;
    gnd_array *trimmed = gndi_array_view(r->fn, in, in->ndim - extra, in->shape + extra, in->strides + extra,
                                         gndi_data(in), (gnd_dtype)in->dtype);
    if (!trimmed) return gndi_ew_pending();
    r->args[0] = gnd_arg_array(trimmed);
    const gnd_status status = gndi_elementwise(r, NULL);
    gnd_release(trimmed);
    return status;
}

static gnd_status move_plainly(const char *fn, gnd_array *out, const gnd_array *in) {
    gnd_stream *s = gndi_ew_stream(out, fn);
    if (!s) return gndi_ew_pending();
    gnd_status status = gndi_order_read(s, in->buffer, fn);
    if (!status) status = gndi_order_write(s, out->buffer, fn);
    if (!status)
        status = s->device->backend->copy_within(s, gndi_data(out), gndi_data(in),
                                                 (size_t)(out->size * gndi_itemsize(out)), fn);
    if (status) return status;
    gndi_submitted(s);
    return gndi_finish(s, fn);
}

/* Rows of bytes that a copy is: what both arrays have in one piece, and how often along one more axis. */
typedef struct row_move {
    size_t bytes, rows, to_pitch, from_pitch;
} row_move;

/* Whether a copy from or to memory of another process, mostly of another GPU, on the way to which kernels would only
   wait, is rows of whole bytes, long enough for the copy engines. */
static bool plain_rows(const gnd_array *out, const gnd_array *in, row_move *m) {
    enum { LEAST = 1024, MOST_PITCH = INT32_MAX };
    if (!out->buffer || !in->buffer || out->buffer->device != in->buffer->device || gndi_may_overlap(out, in))
        return false;
    if (!out->buffer->opened && !in->buffer->opened) return false;
    if (!out->buffer->device->backend->copy_rows || (out->flags & GNDI_READONLY) || gndi_is_loose(in)) return false;
    if (out->dtype != in->dtype || out->ndim != in->ndim || out->size == 0) return false;
    int64_t bytes = gndi_itemsize(out), rows = 1;
    int i = out->ndim - 1;
    for (; i >= 0; i--) {
        if (out->shape[i] != in->shape[i]) return false;
        if (out->shape[i] == 1) continue;
        if (out->strides[i] != bytes || in->strides[i] != bytes) break;
        bytes *= out->shape[i];
    }
    int64_t to = bytes, from = bytes;
    for (bool first = true; i >= 0; i--) {
        if (out->shape[i] != in->shape[i]) return false;
        if (out->shape[i] == 1) continue;
        if (first) to = out->strides[i], from = in->strides[i], first = false;
        if (out->strides[i] != to * rows || in->strides[i] != from * rows) return false;
        rows *= out->shape[i];
    }
    if (bytes < LEAST || to < bytes || from < bytes || to > MOST_PITCH || from > MOST_PITCH) return false;
    *m = (row_move){(size_t)bytes, (size_t)rows, (size_t)to, (size_t)from};
    return true;
}

static gnd_status move_rows(const char *fn, gnd_array *out, const gnd_array *in, const row_move *m) {
    gnd_stream *s = gndi_ew_stream(out, fn);
    if (!s) return gndi_ew_pending();
    gnd_status status = gndi_order_read(s, in->buffer, fn);
    if (!status) status = gndi_order_write(s, out->buffer, fn);
    if (!status)
        status = s->device->backend->copy_rows(s, gndi_data(out), m->to_pitch, gndi_data(in), m->from_pitch, m->bytes,
                                               m->rows, fn);
    if (status) return status;
    gndi_submitted(s);
    return gndi_finish(s, fn);
}

gnd_status gndi_copy_into(const char *fn, gnd_array *out, const gnd_array *in) {
    if (gndi_missing(out) || gndi_missing(in)) return gndi_raise_null(fn, gndi_missing(out) ? "out" : "in");
    row_move rows;
    if (!gndi_recorder_now() && plain_move(out, in)) return move_plainly(fn, out, in);
    if (!gndi_recorder_now() && plain_rows(out, in, &rows)) return move_rows(fn, out, in, &rows);
    gndi_ew_request r;
    gndi_copy_request(&r, fn, gnd_arg_array(in));
    r.dtype = (gnd_dtype)out->dtype;
    r.out[0] = out;
    return gndi_assign_array(&r, in);
}

static bool has_broadcast_axes(const gnd_array *a) {
    for (int i = 0; i < a->ndim; i++)
        if (a->strides[i] == 0 && a->shape[i] > 1) return true;
    return false;
}

gnd_array *gndi_copy_as(const char *fn, const gnd_array *in, gnd_dtype dtype, char order) {
    if (gndi_missing(in)) return gndi_raise_null(fn, "x"), NULL;
    gndi_ew_request r;
    gnd_array *result = NULL;
    gndi_copy_request(&r, fn, gnd_arg_array(in));
    r.dtype = dtype, r.order = order;
    if (order != 'K' || (gndi_is_recorded(in->size, 1, &in) && !has_broadcast_axes(in)))
        return gndi_elementwise(&r, &result) ? NULL : result;
    result = gndi_new_like(fn, in, dtype); /* K order with broadcast axes last, as NumPy's copies */
    if (!result) return NULL;
    r.out[0] = result;
    const bool plainly = !gndi_recorder_now() && plain_move(result, in);
    if (!(plainly ? move_plainly(fn, result, in) : gndi_elementwise(&r, NULL))) return result;
    gnd_release(result);
    return NULL;
}

/* Loose bool memory is read as uint8 and cast to bool. */
gnd_array *gndi_truths_of(const char *fn, const gnd_array *a) {
    gnd_array *bytes = gndi_bytes_of(fn, a);
    gnd_array *truths = bytes ? gndi_copy_as(fn, bytes, GND_BOOL, 'K') : NULL;
    gnd_release(bytes);
    return truths;
}
