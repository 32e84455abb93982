/*
 * fallback.c: runs a launch that no executor takes as a whole, operator by operator, through the ordinary
 * hooks. A value is in a temporary buffer over the plan's index space (a value of a row: over its kept axes)
 * from the instruction that computes it to its last use. A value that is stored to memory that is not read
 * later is computed there directly.
 */
#include "elementwise/sequence_plan.h"
#include "fuse/fuse.h"
#include "random/random_plan.h"
#include "elementwise/elementwise.h"

typedef struct value {
    gndi_buffer *buffer; /* its own; NULL: memory of an operand, or none */
    char *data;          /* NULL: a number */
    gndi_scalar number;
    uint8_t dtype;
    const int64_t *strides; /* over the plan's axes */
    int last;               /* the last instruction that needs it */
} value;

typedef struct fallback {
    gnd_stream *s;
    const gndi_fuse_plan *plan;
    const char *fn;
    bool measured;                                            /* element and row are filled in */
    int64_t element[17][GND_MAX_DIMS], row[17][GND_MAX_DIMS]; /* the same in bytes, by itemsize */
    int64_t numbered[GNDI_FUSE_OPERANDS][GND_MAX_DIMS];       /* of values that are numbered by an index */
    value value[];                                            /* of each instruction */
} fallback;

/* ---- values --------------------------------------------------------------------------------- */

/* Orders the axes of temporaries roughly like those of the operands: the axis with the largest strides first. */
static void order_axes(const gndi_fuse_plan *p, int *order) {
    int64_t reach[GND_MAX_DIMS];
    for (int i = 0; i < p->ndim; i++) {
        reach[i] = 0;
        for (int k = 0; k < p->operands; k++)
            if (p->operand[k].data && gndi_magnitude(p->stride[k][i]) > reach[i])
                reach[i] = gndi_magnitude(p->stride[k][i]);
        int at = i;
        for (; at > 0 && reach[order[at - 1]] < reach[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Computes the strides of temporaries, when the first one is made. */
static void measure(fallback *a) {
    const gndi_fuse_plan *p = a->plan;
    if (a->measured) return;
    a->measured = true;
    int order[GND_MAX_DIMS];
    order_axes(p, order);
    for (int size = 1; size <= 16; size *= 2) {
        int64_t step = size;
        for (int k = p->ndim - 1; k >= 0; k--) a->element[size][order[k]] = step, step *= p->shape[order[k]];
        gndi_c_strides(p->kept, p->shape, size, a->row[size]);
        for (int i = p->kept; i < p->ndim; i++) a->row[size][i] = 0;
    }
}

static void find_last_uses(fallback *a) {
    const gndi_fuse_plan *p = a->plan;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++)
            if (p->code[i].in[k] != GNDI_FUSE_NONE) a->value[p->code[i].in[k]].last = i;
}

static gnd_status new_memory(fallback *a, value *v, int64_t count) {
    v->buffer = gndi_buffer_new(a->fn, a->s, (size_t)count * gndi_dtype_sizes[v->dtype]);
    if (!v->buffer) return GND_ERROR_MEMORY;
    v->data = v->buffer->base;
    return GND_OK;
}

/* Whether memory is read after instruction i, or by i at other elements than those that it then writes. */
static bool is_needed(const fallback *a, int i, const char *data) {
    const gndi_fuse_code *c = a->plan->code;
    const int last = c[i].kind == GNDI_FUSE_REDUCE ? i - 1 : i;
    for (int j = 0; j < a->plan->count; j++) {
        const bool loads = c[j].kind == GNDI_FUSE_LOAD && a->plan->operand[c[j].at].data == data;
        if ((loads || (j < i && a->value[j].data == data)) && (j > i || a->value[j].last > last)) return true;
    }
    return false;
}

/* Chooses where instruction i computes its value, and in which dtype: in the output, or in a temporary. */
static gnd_status prepare_result(fallback *a, int i) {
    const gndi_fuse_plan *p = a->plan;
    value *v = &a->value[i];
    int stored = i;
    for (int j = i + 1; j < p->count && stored == i; j++)
        if (p->code[j].in[0] == i && gndi_fuse_is_store_cast(p, j)) stored = j;
    v->dtype = p->code[stored].dtype;
    for (int j = stored + 1; j < p->count; j++) {
        const gndi_fuse_code *c = &p->code[j];
        if (c->kind != GNDI_FUSE_STORE || c->in[0] != stored || is_needed(a, i, p->operand[c->at].data)) continue;
        v->data = p->operand[c->at].data, v->strides = p->stride[c->at];
        return GND_OK;
    }
    const bool row = p->code[i].row;
    measure(a);
    v->strides = (row ? a->row : a->element)[gndi_dtype_sizes[v->dtype]];
    return new_memory(a, v, row ? p->rows : p->size);
}

/* ---- one operator --------------------------------------------------------------------------- */

static void set_operand(fallback *a, gndi_ew_plan *plan, gndi_ew_space *space, int k, const value *v) {
    plan->operand[k] = (gndi_ew_operand){.data = v->data, .dtype = v->dtype, .immediate = !v->data, .value = v->number};
    for (int i = 0; i < a->plan->ndim; i++) space->stride[k][i] = v->data ? v->strides[i] : 0;
}

static gnd_status run(fallback *a, gndi_op op, gnd_dtype loop, int nout, value *const *out, int nin,
                      const value *const *in, bool row, const double *params) {
    gndi_ew_space space;
    gndi_ew_plan plan;
    space.ndim = row ? a->plan->kept : a->plan->ndim, space.count = nout + nin;
    memcpy(space.shape, a->plan->shape, sizeof space.shape);
    plan.op = op, plan.loop = loop, plan.nin = (uint8_t)nin, plan.nout = (uint8_t)nout;
    plan.masked = false, plan.size = row ? a->plan->rows : a->plan->size;
    memset(plan.params, 0, sizeof plan.params);
    if (params) memcpy(plan.params, params, sizeof plan.params);
    for (int k = 0; k < nout; k++) set_operand(a, &plan, &space, k, out[k]);
    for (int k = 0; k < nin; k++) set_operand(a, &plan, &space, nout + k, in[k]);
    plan.uniform = true;
    for (int k = 0; k < nout; k++) plan.uniform &= out[k]->dtype == gndi_letter_dtype(gndi_ops[op].out[k], loop);
    for (int k = 0; k < nin; k++) plan.uniform &= in[k]->dtype == gndi_letter_dtype(gndi_ops[op].in[k], loop);
    gndi_ew_plan_axes(&space, &plan);
    gnd_status status = a->s->device->backend->elementwise(a->s, &plan, a->fn);
    if (!status) gndi_submitted(a->s);
    return status;
}

/* Copies, with a cast: of elements when they are loaded; of a number, which is in the loop's dtype, when it is
   stored. */
static gnd_status copy(fallback *a, value *out, const value *in, bool row) {
    const gnd_dtype loop = (gnd_dtype)(in->data ? out->dtype : in->dtype);
    return run(a, GNDI_OP_copy, loop, 1, &out, 1, &in, row, NULL);
}

static gnd_status run_operator(fallback *a, int i) {
    const gndi_fuse_code *c = &a->plan->code[i];
    const gndi_op_info *info = &gndi_ops[c->op];
    value *out[GNDI_MAX_OUT] = {&a->value[i], NULL};
    const value *in[GNDI_MAX_IN];
    value unwanted = {.dtype = 0};
    gnd_status status = prepare_result(a, i);
    if (info->nout == 2) { /* the second result is computed here, for the instruction that uses it */
        out[1] = &unwanted;
        for (int j = i + 1; j < a->plan->count; j++)
            if (a->plan->code[j].kind == GNDI_FUSE_SECOND && a->plan->code[j].in[0] == i) {
                out[1] = &a->value[j];
                if (!status) status = prepare_result(a, j);
                break;
            }
        if (out[1] == &unwanted && !status) {
            measure(a);
            unwanted.dtype = (uint8_t)gndi_letter_dtype(info->out[1], (gnd_dtype)c->loop);
            unwanted.strides = (c->row ? a->row : a->element)[gndi_dtype_sizes[unwanted.dtype]];
            status = new_memory(a, &unwanted, c->row ? a->plan->rows : a->plan->size);
        }
    }
    for (int k = 0; k < info->nin; k++) in[k] = &a->value[c->in[k]];
    if (!status)
        status = run(a, (gndi_op)c->op, (gnd_dtype)c->loop, info->nout, out, info->nin, in, c->row,
                     c->at == GNDI_FUSE_NONE ? NULL : a->plan->params[c->at]);
    gndi_buffer_release(unwanted.buffer);
    return status;
}

/* ---- numbered values ------------------------------------------------------------------------ */

static gnd_arg complex_number(gndi_scalar number) {
    return gnd_arg_parts(number.c128[0], number.c128[1]);
}

/* Computes a dense array with a value for each number that an index takes; elements are read from it by their
   number. */
static gnd_status run_numbered(fallback *a, int i) {
    const gndi_fuse_plan *p = a->plan;
    const gndi_fuse_code *c = &p->code[i];
    const int index = p->code[c->in[0]].at;
    const int64_t *numbers = p->stride[index];
    value *v = &a->value[i];
    int64_t count = 1;
    for (int k = 0; k < p->ndim; k++) {
        count += numbers[k] * (p->shape[k] - 1);
        a->numbered[index][k] = numbers[k] * gndi_dtype_sizes[c->dtype];
    }
    v->dtype = c->dtype, v->strides = a->numbered[index];
    gnd_status status = new_memory(a, v, count);
    if (status) return status;
    const gndi_scalar *constant = &p->constant[c->at];
    if (c->kind == GNDI_FUSE_UNIFORM) {
        gndi_random_plan draw = {.distribution = GNDI_RANDOM_random, .dtype = c->dtype, .row = 1};
        draw.words = c->dtype == GND_FLOAT32 ? 1 : 2, draw.uniform = true;
        draw.ndim = 1, draw.shape[0] = draw.size = count, draw.out = v->data;
        draw.engine.state = (gndi_random_state){.key = constant[0].u64,
                                                .position = constant[1].u64,
                                                .stream = (uint32_t)constant[2].u64,
                                                .kind = GNDI_PHILOX};
        status = a->s->device->backend->random(a->s, &draw, a->fn);
    } else {
        gnd_arg number[2];
        for (int k = 0; k < 2; k++)
            number[k] = gndi_dtype_is_complex(c->dtype) ? complex_number(constant[k])
                        : c->dtype >= GND_FLOAT16       ? gnd_arg_real(constant[k].c128[0])
                                                        : gnd_arg_int(constant[k].i64);
        const gndi_sequence_plan plan = {
            .out = v->data, .dtype = (gnd_dtype)c->dtype, .n = count, .first = number[0], .step = number[1]};
        status = a->s->device->backend->sequence(a->s, &plan, a->fn);
    }
    if (!status) gndi_submitted(a->s);
    return status;
}

/* ---- reductions ----------------------------------------------------------------------------- */

/* The result of an empty reduction, which is not an element of the input. */
static void set_start(gndi_reduce_plan *r) {
    memset(&r->start, 0, sizeof r->start);
    r->start_data = NULL;
    r->has_start =
        r->reducer != GNDI_REDUCE_MINIMUM && r->reducer != GNDI_REDUCE_MAXIMUM && r->reducer != GNDI_REDUCE_VARIANCE;
    if (r->reducer == GNDI_REDUCE_ALL) r->start.b = true;
    if (r->reducer != GNDI_REDUCE_PRODUCT) return;
    switch (r->loop) {
    case GND_FLOAT16: r->start.u16 = 0x3C00; break;
    case GND_BFLOAT16: r->start.u16 = 0x3F80; break;
    case GND_FLOAT32:
    case GND_COMPLEX64: r->start.f32 = 1; break;
    case GND_FLOAT64:
    case GND_COMPLEX128: r->start.f64 = 1; break;
    default: r->start.u64 = 1;
    }
}

static gnd_status run_reduction(fallback *a, int i) {
    const gndi_fuse_plan *p = a->plan;
    const gndi_fuse_code *c = &p->code[i];
    const gndi_fuse_reduction *how = &p->reduction[c->at];
    const value *in = &a->value[c->in[0]];
    value *out = &a->value[i], written = {.dtype = in->dtype};
    gnd_status status = prepare_result(a, i);
    if (!status && !in->data) { /* a number: written out */
        measure(a);
        written.strides = a->element[gndi_dtype_sizes[in->dtype]];
        status = new_memory(a, &written, p->size);
        if (!status) status = copy(a, &written, in, false);
        in = &written;
    }
    gndi_reduce_plan r;
    memset(&r, 0, sizeof r);
    const bool truth =
        how->reducer == GNDI_REDUCE_ANY || how->reducer == GNDI_REDUCE_ALL || how->reducer == GNDI_REDUCE_COUNT;
    r.reducer = (gndi_reducer)how->reducer, r.finish = (gndi_reduce_finish)how->finish;
    r.loop = truth ? GND_BOOL : (gnd_dtype)how->loop;
    r.divisor = how->divisor, r.ddof = how->ddof;
    set_start(&r);
    r.kept_ndim = p->kept, r.reduced_ndim = p->ndim - p->kept;
    r.outputs = p->rows, r.length = p->length;
    r.in.data = in->data, r.in.dtype = in->dtype, r.out.data = out->data, r.out.dtype = out->dtype;
    for (int k = 0; k < p->ndim; k++) {
        const int j = k - p->kept;
        *(j < 0 ? &r.kept_shape[k] : &r.reduced_shape[j]) = p->shape[k];
        *(j < 0 ? &r.in.kept_stride[k] : &r.in.reduced_stride[j]) = in->strides[k];
        if (j < 0) r.out.kept_stride[k] = out->strides[k];
    }
    if (!status) status = a->s->device->backend->reduce(a->s, &r, a->fn);
    if (!status) gndi_submitted(a->s);
    gndi_buffer_release(written.buffer);
    return status;
}

/* ---- the plan ------------------------------------------------------------------------------- */

static gnd_status run_code(fallback *a, int i) {
    const gndi_fuse_plan *p = a->plan;
    const gndi_fuse_code *c = &p->code[i];
    value *v = &a->value[i];
    gnd_status status;
    switch (c->kind) {
    case GNDI_FUSE_LOAD:
        v->data = p->operand[c->at].data, v->dtype = c->dtype, v->strides = p->stride[c->at];
        return GND_OK;
    case GNDI_FUSE_CONST: v->number = p->constant[c->at], v->dtype = c->dtype; return GND_OK;
    case GNDI_FUSE_RANGE:
    case GNDI_FUSE_UNIFORM: return run_numbered(a, i);
    case GNDI_FUSE_CAST:
        if (gndi_fuse_is_load_cast(p, i) || gndi_fuse_is_store_cast(p, i)) {
            value *same = &a->value[c->in[0]];
            v->data = same->data, v->dtype = same->dtype, v->strides = same->strides;
            v->buffer = same->buffer, same->buffer = NULL;
            return GND_OK;
        }
        status = prepare_result(a, i);
        return status ? status : copy(a, v, &a->value[c->in[0]], c->row);
    case GNDI_FUSE_OP: return run_operator(a, i);
    case GNDI_FUSE_REDUCE: return run_reduction(a, i);
    case GNDI_FUSE_STORE: {
        value out = {.data = p->operand[c->at].data, .dtype = c->dtype};
        out.strides = p->stride[c->at];
        if (a->value[c->in[0]].data == out.data) return GND_OK;
        return copy(a, &out, &a->value[c->in[0]], c->row);
    }
    default: return GND_OK; /* INDEX, SECOND: made where they are used, where they were made */
    }
}

gnd_status gndi_fuse_fallback(gnd_stream *s, const gndi_fuse_plan *plan, const char *fn) {
    fallback *a = gndi_malloc(fn, sizeof *a + (size_t)plan->count * sizeof a->value[0]);
    if (!a) return GND_ERROR_MEMORY;
    memset(a->value, 0, (size_t)plan->count * sizeof a->value[0]);
    a->s = s, a->plan = plan, a->fn = fn, a->measured = false;
    find_last_uses(a);
    gnd_status status = GND_OK;
    for (int i = 0; i < plan->count && !status; i++) {
        status = run_code(a, i);
        for (int k = 0; k < 3; k++) {
            const int used = plan->code[i].in[k];
            if (used == GNDI_FUSE_NONE || a->value[used].last != i) continue;
            gndi_buffer_release(a->value[used].buffer);
            a->value[used].buffer = NULL;
        }
    }
    for (int i = 0; i < plan->count; i++) gndi_buffer_release(a->value[i].buffer);
    gndi_free(a);
    return status;
}
