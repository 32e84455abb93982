/*
 * record.c: records operations. Each becomes a node, with nodes for the casts of its operands. New results
 * are pending arrays; results in existing memory are targets.
 *
 * Anything that may submit recorded work (operands of another program, memory that this one reads or writes)
 * comes first: afterwards node numbers do not change.
 */
#include "fuse/fuse.h"
#include "elementwise/elementwise.h"
#include "reduce/reduce.h"

static fuse_program *program_of(gndi_recorder *self) {
    return (fuse_program *)(void *)self;
}

/* Outside of blocks a program belongs to one stream: it is submitted when another stream has become current. */
static gnd_status follow_stream(fuse_program *p, const char *fn) {
    if (gndi_fuse_block()) return GND_OK;
    gnd_stream *s = gndi_stream_current(fn);
    if (gndi_likely(s == p->stream)) return GND_OK;
    const gnd_status status = gndi_fuse_submit(p, fn);
    p->stream = s;
    return status;
}

/* Makes sure that a few more nodes fit: submits the program if they do not. */
static gnd_status reserve(fuse_program *p, const char *fn) {
    gndi_fuse_blocks_submit();
    enum { MOST = 16 }; /* more than any operation adds to a table */
    const bool fits = p->nodes + MOST <= FUSE_NODES && p->operators + 2 <= FUSE_OPERATORS &&
                      p->leaves + GNDI_MAX_IN <= FUSE_LEAVES && p->spaces + MOST <= FUSE_SPACES &&
                      p->targets + GNDI_MAX_OUT <= FUSE_TARGETS && p->constants + MOST <= FUSE_CONSTANTS &&
                      p->parameters + 1 <= FUSE_PARAMETERS && p->reductions + 1 <= GNDI_FUSE_REDUCTIONS;
    return gndi_likely(fits) ? GND_OK : gndi_fuse_submit(p, fn);
}

/* ---- before nodes are added ----------------------------------------------------------------- */

/* Submits the program of an input that must be in memory first: another program's, or a part of memory that this one
   will write. */
static gnd_status settle_input(fuse_program *p, const gnd_array *x, const char *fn) {
    if (x->flags & GNDI_PENDING) {
        if (x->buffer->context != p) gndi_settle((gnd_array *)x);
        return GND_OK;
    }
    if (gndi_fuse_target_of(p, x)) return GND_OK;
    return gndi_order_read(p->stream, x->buffer, fn);
}

/* Prepares an output: no other program may have it recorded, and its stream's order is kept. */
static gnd_status settle_output(fuse_program *p, gnd_array *out, const char *fn) {
    gndi_data(out);
    return gndi_fuse_target_of(p, out) ? GND_OK : gndi_order_write(p->stream, out->buffer, fn);
}

/* Whether results can be stored directly to `out`: it is writable, each index has its own element, and inputs overlap
   it only element by element. */
static bool can_be_target(const gnd_array *out, const gndi_record_operator *o) {
    if (out->flags & GNDI_READONLY) return false;
    for (int i = 0; i < out->ndim; i++)
        if (out->strides[i] == 0 && out->shape[i] > 1) return false;
    for (int i = 0; i < o->nin; i++) {
        const gnd_array *x = o->input[i];
        if (!x || (x->flags & GNDI_PENDING) || !gndi_may_overlap(out, x)) continue;
        if (x->data != out->data || x->dtype != out->dtype || x->ndim != out->ndim) return false;
        for (int k = 0; k < x->ndim; k++)
            if (x->shape[k] != out->shape[k] || (x->shape[k] != 1 && x->strides[k] != out->strides[k])) return false;
    }
    return true;
}

static gnd_status prepare(fuse_program *p, const gndi_record_operator *o) {
    gnd_status status = reserve(p, o->fn);
    for (int i = 0; i < o->nin && !status; i++)
        if (o->input[i]) status = settle_input(p, o->input[i], o->fn);
    for (int i = 0; i < o->nout && !status; i++)
        if (o->given[i]) status = settle_output(p, o->given[i], o->fn);
    return status;
}

/* ---- results -------------------------------------------------------------------------------- */

static gnd_array *pending_array(fuse_program *p, uint16_t node, const int64_t *strides, const char *fn) {
    const fuse_space *space = &p->space[p->node[node].space];
    gndi_buffer *b = gndi_buffer_pending(fn, p->stream);
    gnd_array *a =
        b ? gndi_array_over(fn, b, space->ndim, space->shape, strides, NULL, (gnd_dtype)p->node[node].dtype) : NULL;
    if (!a) return NULL;
    a->flags |= GNDI_PENDING;
    b->context = p, b->bytes = node;
    p->node[node].array = a;
    return a;
}

/* The slot of the stream that wrote a buffer before this program. Another target may be a view of the same buffer. */
static uint32_t writer_of(const fuse_program *p, const gndi_buffer *b) {
    for (int i = 0; i < p->targets - 1; i++)
        if (p->target[i].buffer == b) return p->target[i].writer;
    return atomic_load_explicit(&b->writer, memory_order_acquire);
}

static void set_target(fuse_program *p, uint16_t node, gnd_array *out) {
    fuse_target *t = gndi_fuse_target_of(p, out);
    node = gndi_fuse_cast(p, node, (gnd_dtype)out->dtype);
    if (!t) {
        t = &p->target[p->targets++];
        t->buffer = out->buffer, t->data = out->data, t->dtype = out->dtype;
        t->space = gndi_fuse_space(p, out->ndim, out->shape);
        for (int i = 0; i < out->ndim; i++) t->strides[i] = out->strides[i];
        gndi_buffer_retain(out->buffer);
        t->writer = writer_of(p, out->buffer);
        atomic_store_explicit(&out->buffer->writer, GNDI_SLOT_PENDING, memory_order_release);
    }
    t->node = node;
}

/* ---- operators ------------------------------------------------------------------------------ */

/* Whether an array's memory belongs to the user, who may reuse it once the array is released, before recorded
   operations run. */
static bool is_borrowed(const gnd_array *x) {
    return x->buffer->pool_class == UINT32_MAX && !x->buffer->deleter;
}

/* Whether all results are the same, whatever an integer in memory is: on the CPU filling them in takes no longer than
   recording it. */
static bool is_constant(const gndi_record_operator *o) {
    const gnd_array *x = o->input[0];
    const bool exact = o->loop == GND_BOOL || gndi_dtype_is_int(o->loop);
    const bool asks = o->op == GNDI_OP_isnan || o->op == GNDI_OP_isinf || o->op == GNDI_OP_isfinite ||
                      o->op == GNDI_OP_isposinf || o->op == GNDI_OP_isneginf;
    return asks && exact && !(x && x->flags & GNDI_PENDING);
}

static bool takes(const fuse_program *p, const gndi_record_operator *o) {
    if (o->device != p->stream->device) return false;
    if (p->stream->device->backend->synchronous && is_constant(o)) return false;
    for (int i = 0; i < o->nin; i++)
        if (o->input[i] && is_borrowed(o->input[i])) return false;
    for (int i = 0; i < o->nout; i++)
        if (o->given[i] && is_borrowed(o->given[i])) return false;
    /* Operators that may fault use the ordinary kernels, which report it; powers of inexact numbers never fault. */
    const bool inexact = gndi_dtype_is_float(o->loop) || gndi_dtype_is_complex(o->loop);
    if ((gndi_ops[o->op].flags & CHECKED) && !(o->op == GNDI_OP_power && inexact)) return false;
    for (int i = 0; i < o->nin; i++)
        if (o->input[i] && gndi_dtype_is_complex(o->input[i]->dtype) && !gndi_dtype_is_complex(o->in[i])) return false;
    for (int i = 0; i < o->nout; i++) {
        const gnd_array *out = o->given[i];
        if (out && gndi_dtype_is_complex(o->out[i]) && !gndi_dtype_is_complex(out->dtype)) return false;
        if (out && !can_be_target(out, o)) return false;
    }
    return true;
}

static uint16_t operand(fuse_program *p, const gndi_record_operator *o, int i) {
    if (!o->input[i]) return gndi_fuse_constant(p, &o->number[i], o->in[i]);
    const uint16_t value = gndi_fuse_value(p, o->input[i], o->fn);
    return value == FUSE_NOTHING ? value : gndi_fuse_cast(p, value, o->in[i]);
}

/* The operator's node; a copy becomes a cast, or no node. */
static uint16_t operator_node(fuse_program *p, const gndi_record_operator *o, uint16_t space) {
    uint16_t in[GNDI_MAX_IN] = {FUSE_NOTHING, FUSE_NOTHING, FUSE_NOTHING};
    const bool copy = o->op == GNDI_OP_copy;
    for (int i = 0; i < o->nin; i++) {
        in[i] = copy && o->input[i] ? gndi_fuse_value(p, o->input[i], o->fn) : operand(p, o, i);
        if (in[i] == FUSE_NOTHING) return FUSE_NOTHING;
    }
    p->operators++;
    const uint16_t node = gndi_fuse_node(p, copy ? GNDI_FUSE_CAST : GNDI_FUSE_OP, o->out[0], space);
    fuse_node *n = &p->node[node];
    n->op = (uint8_t)o->op, n->loop = (uint8_t)o->loop;
    memcpy(n->in, in, sizeof n->in);
    if (gndi_ops[o->op].flags & PARAMS) {
        n->at = (uint16_t)p->parameters;
        memcpy(p->params[p->parameters++], o->params, sizeof p->params[0]);
    }
    return node;
}

static gndi_recorded record_operator(fuse_program *p, const gndi_record_operator *o, gnd_array **results) {
    if (prepare(p, o)) return GNDI_RECORD_FAILED;
    const uint16_t space = gndi_fuse_space(p, o->ndim, o->shape);
    uint16_t node[GNDI_MAX_OUT];
    node[0] = operator_node(p, o, space);
    if (node[0] == FUSE_NOTHING) return GNDI_RECORD_FAILED;
    if (o->nout == 2) {
        node[1] = gndi_fuse_node(p, GNDI_FUSE_SECOND, o->out[1], space);
        p->node[node[1]].in[0] = node[0];
    }
    for (int i = 0; i < o->nout; i++) {
        if (o->given[i]) continue;
        results[i] = pending_array(p, node[i], o->stride[i], o->fn);
        if (results[i]) continue;
        if (i) gnd_release(results[0]), results[0] = NULL;
        return GNDI_RECORD_FAILED;
    }
    for (int i = 0; i < o->nout; i++)
        if (o->given[i]) set_target(p, node[i], o->given[i]);
    return GNDI_RECORDED;
}

gndi_recorded gndi_fuse_operator(gndi_recorder *self, const gndi_record_operator *operation, gnd_array **results) {
    fuse_program *p = program_of(self);
    gndi_fuse_lock();
    gndi_recorded done = GNDI_RECORD_FAILED;
    if (!follow_stream(p, operation->fn))
        done = takes(p, operation) ? record_operator(p, operation, results) : GNDI_RUN_IT;
    gndi_fuse_unlock();
    return done;
}

/* ---- sources -------------------------------------------------------------------------------- */

/* A C number as a range's first or step: its bits by the range's kind of dtype. */
static gndi_scalar range_number(gnd_arg number, gnd_dtype dtype) {
    gndi_scalar value = {0};
    if (gndi_dtype_is_int(dtype) || dtype == GND_BOOL) {
        value.u64 = gndi_arg_integer(number);
    } else {
        const gndi_parts parts = gndi_arg_parts(number);
        value.c128[0] = parts.re, value.c128[1] = parts.im;
    }
    return value;
}

static gndi_recorded record_source(fuse_program *p, const gndi_record_source *s, gnd_array **result) {
    if (reserve(p, s->fn)) return GNDI_RECORD_FAILED;
    const uint16_t space = gndi_fuse_space(p, s->ndim, s->shape);
    uint16_t index = FUSE_NOTHING;
    if (s->kind != GNDI_SOURCE_VALUE) index = gndi_fuse_node(p, GNDI_FUSE_INDEX, GND_INT64, space);
    const gndi_fuse_kind kind = s->kind == GNDI_SOURCE_VALUE   ? GNDI_FUSE_CONST
                                : s->kind == GNDI_SOURCE_RANGE ? GNDI_FUSE_RANGE
                                                               : GNDI_FUSE_UNIFORM;
    const uint16_t node = gndi_fuse_node(p, kind, s->dtype, space);
    p->node[node].in[0] = index;
    p->node[node].at = (uint16_t)p->constants;
    gndi_scalar *constant = &p->constant[p->constants];
    memset(constant, 0, 3 * sizeof *constant);
    if (s->kind == GNDI_SOURCE_VALUE) {
        constant[0] = s->value, p->constants += 1;
    } else if (s->kind == GNDI_SOURCE_RANGE) {
        constant[0] = range_number(s->first, s->dtype);
        constant[1] = range_number(s->step, s->dtype);
        p->constants += 2;
    } else {
        constant[0].u64 = s->key, constant[1].u64 = s->position, constant[2].u64 = s->stream;
        p->constants += 3;
    }
    int64_t strides[GND_MAX_DIMS];
    if (!s->strides) gndi_c_strides(s->ndim, s->shape, gndi_dtype_sizes[s->dtype], strides);
    *result = pending_array(p, node, s->strides ? s->strides : strides, s->fn);
    return *result ? GNDI_RECORDED : GNDI_RECORD_FAILED;
}

gndi_recorded gndi_fuse_source(gndi_recorder *self, const gndi_record_source *source, gnd_array **result) {
    fuse_program *p = program_of(self);
    int64_t size;
    if (!gndi_shape_size(source->ndim, source->shape, &size) || !gndi_is_recorded(size, 0, NULL)) return GNDI_RUN_IT;
    gndi_fuse_lock();
    gndi_recorded done = GNDI_RECORD_FAILED;
    if (!follow_stream(p, source->fn))
        done = source->device == p->stream->device ? record_source(p, source, result) : GNDI_RUN_IT;
    gndi_fuse_unlock();
    return done;
}

/* ---- reductions ----------------------------------------------------------------------------- */

/* Whether launches can do this reduction. */
static bool takes_reduction(const fuse_program *p, const gndi_reduce_request *r) {
    if (r->x->buffer->device != p->stream->device || r->x->size == 0) return false;
    if (r->map != GNDI_MAP_NONE || r->second || is_borrowed(r->x)) return false;
    if (r->axes->where || r->axes->initial || r->axes->out) return false;
    if (r->finish != GNDI_FINISH_NONE && r->finish != GNDI_FINISH_SQRT) return false;
    if (gndi_dtype_is_complex(r->natural) != gndi_dtype_is_complex(r->result)) return false;
    switch (r->reducer) {
    case GNDI_REDUCE_PRODUCT: /* for complex numbers, the elements may have to be read from memory again */
        return !gndi_dtype_is_complex(r->loop);
    case GNDI_REDUCE_SUM:
    case GNDI_REDUCE_MINIMUM:
    case GNDI_REDUCE_MAXIMUM:
    case GNDI_REDUCE_ANY:
    case GNDI_REDUCE_ALL:
    case GNDI_REDUCE_COUNT:
    case GNDI_REDUCE_MEAN:
    case GNDI_REDUCE_VARIANCE: return true;
    default: return false;
    }
}

static void describe(const gndi_reduce_request *r, gnd_dtype loop, fuse_reduction *out) {
    memset(out, 0, sizeof *out);
    out->mean = r->reducer == GNDI_REDUCE_MEAN;
    out->how.reducer = (uint8_t)(out->mean ? GNDI_REDUCE_SUM : r->reducer);
    out->how.finish = (uint8_t)(out->mean ? GNDI_FINISH_DIVIDE : r->finish);
    out->how.loop = (uint8_t)loop;
    out->how.divisor = 1, out->how.ddof = r->ddof;
    out->reduced = r->reduced, out->keepdims = r->axes->keepdims;
    double length = 1;
    for (int i = 0; i < r->x->ndim; i++)
        if (r->reduced >> i & 1) length *= (double)r->x->shape[i];
    if (out->mean) out->how.divisor = length;
}

static gndi_recorded record_reduction(fuse_program *p, const gndi_reduce_request *r, gnd_array **result) {
    if (reserve(p, r->fn) || settle_input(p, r->x, r->fn)) return GNDI_RECORD_FAILED;
    uint16_t value = gndi_fuse_value(p, r->x, r->fn);
    if (value == FUSE_NOTHING) return GNDI_RECORD_FAILED;
    const bool truth = r->reducer == GNDI_REDUCE_ANY || r->reducer == GNDI_REDUCE_ALL ||
                       r->reducer == GNDI_REDUCE_COUNT; /* of the elements, not converted */
    const gnd_dtype loop = truth ? (gnd_dtype)p->node[value].dtype : r->loop;
    value = gndi_fuse_cast(p, value, loop);
    if (p->space[p->node[value].space].ndim != r->x->ndim) return GNDI_RUN_IT;

    const uint16_t node = gndi_fuse_node(p, GNDI_FUSE_REDUCE, r->natural, gndi_fuse_space(p, r->ndim, r->shape));
    p->operators++;
    p->node[node].in[0] = value, p->node[node].loop = (uint8_t)loop;
    p->node[node].at = (uint16_t)p->reductions;
    describe(r, loop, &p->reduction[p->reductions++]);
    const uint16_t last = gndi_fuse_cast(p, node, r->result);
    int64_t strides[GND_MAX_DIMS];
    if (!gndi_reduce_k_strides(r, gndi_dtype_sizes[r->result], strides))
        gndi_c_strides(r->ndim, r->shape, gndi_dtype_sizes[r->result], strides);
    *result = pending_array(p, last, strides, r->fn);
    return *result ? GNDI_RECORDED : GNDI_RECORD_FAILED;
}

gndi_recorded gndi_fuse_reduce(gndi_recorder *self, const struct gndi_reduce_request *request, gnd_array **result) {
    fuse_program *p = program_of(self);
    gndi_fuse_lock();
    gndi_recorded done = GNDI_RECORD_FAILED;
    if (!follow_stream(p, request->fn))
        done = takes_reduction(p, request) ? record_reduction(p, request, result) : GNDI_RUN_IT;
    gndi_fuse_unlock();
    return done;
}
