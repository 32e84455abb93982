/*
 * shapes.c: the loop of a call: the shape that arguments broadcast to, sizes of core dimensions,
 * new outputs, copies of inputs that outputs overlap, and then the axes as text will see them.
 */
#include "user_kernel/kernel.h"
#include <stdio.h>

/* ---- shapes ---------------------------------------------------------------------------------- */

/* How many leading axes of an operand belong to the loop. */
static int lead_of(const gnd_kernel *k, int j, const gnd_array *a) {
    return k->param[j].raw ? 0 : a->ndim - k->param[j].cores;
}

static const char *core_text(const gnd_kernel *k, int j) {
    char *text = gndi_text_buffer();
    size_t used = (size_t)snprintf(text, GNDI_TEXT_BYTES, "(");
    for (int d = 0; d < k->param[j].cores && used < GNDI_TEXT_BYTES - 80; d++)
        used += (size_t)snprintf(text + used, GNDI_TEXT_BYTES - used, "%s%s", d ? "," : "",
                                 k->dim[k->param[j].core[d]].name);
    snprintf(text + used, GNDI_TEXT_BYTES - used, ")");
    return text;
}

/* The last axes of an argument, against the sizes that their names have so far. */
static gnd_status check_core(gndi_kernel_call *c, int j, const gnd_array *a) {
    const gnd_kernel *k = c->kernel;
    const gndi_kernel_param *p = &k->param[j];
    if (a->ndim < p->cores)
        return gndi_raise(GND_ERROR_SHAPE, c->fn,
                          "%s: %s has shape %s, and needs the core dimensions %s: at least %d axes", k->name, p->name,
                          gndi_text_shape(a->ndim, a->shape), core_text(k, j), p->cores);
    for (int d = 0; d < p->cores; d++) {
        const int64_t size = a->shape[a->ndim - p->cores + d];
        int64_t *known = &c->core_size[p->core[d]];
        if (*known < 0) *known = size;
        if (*known == size) continue;
        if (k->dim[p->core[d]].fixed >= 0)
            return gndi_raise(GND_ERROR_SHAPE, c->fn, "%s: %s has shape %s, and axis %d must have size %s", k->name,
                              p->name, gndi_text_shape(a->ndim, a->shape), a->ndim - p->cores + d,
                              k->dim[p->core[d]].name);
        return gndi_raise(GND_ERROR_SHAPE, c->fn,
                          "%s: the core dimension %s is %lld, and %s of shape %s, with cores %s, has "
                          "%lld there",
                          k->name, k->dim[p->core[d]].name, (long long)*known, p->name,
                          gndi_text_shape(a->ndim, a->shape), core_text(k, j), (long long)size);
    }
    return GND_OK;
}

static gnd_status refuse_broadcast(const gndi_kernel_call *c, const gnd_array *x, int j) {
    return gndi_raise(GND_ERROR_SHAPE, c->fn,
                      "%s: %s of shape %s does not broadcast%s to %s, the%s shape of what is before it",
                      c->kernel->name, c->kernel->param[j].name, gndi_text_shape(x->ndim, x->shape),
                      c->kernel->param[j].cores ? " (but for its core dimensions)" : "",
                      gndi_text_shape(c->ndim, c->shape), c->kernel->kind == GNDI_KERNEL_CORES ? " loop" : "");
}

/* The loop's shape, from inputs, given outputs and options.shape. */
static gnd_status broadcast_loop(gndi_kernel_call *c, const gnd_shape *asked) {
    const gnd_kernel *k = c->kernel;
    bool decided = asked != NULL;
    c->ndim = 0;
    if (asked) {
        int64_t size;
        if (asked->ndim < 0 || asked->ndim > GND_MAX_DIMS || !gndi_shape_size(asked->ndim, asked->dim, &size))
            return gndi_raise(GND_ERROR_SHAPE, c->fn, "%s: options.shape is no shape", k->name);
        gndi_broadcast(&c->ndim, c->shape, asked->ndim, asked->dim);
    }
    for (int j = 0; j < c->count; j++) {
        const gnd_array *x = j < k->nin ? c->operand[j].array : c->out[j - k->nin];
        decided |= !k->param[j].raw && (j < k->nin || x);
        if (!x || k->param[j].raw) continue;
        gnd_status status = check_core(c, j, x);
        if (status) return status;
        if (!gndi_broadcast(&c->ndim, c->shape, lead_of(k, j, x), x->shape)) return refuse_broadcast(c, x, j);
    }
    if (!decided)
        return gndi_raise(GND_ERROR_INVALID, c->fn,
                          "%s has no input that decides its shape: give an output or options.shape", k->name);
    if (asked && (asked->ndim != c->ndim || memcmp(asked->dim, c->shape, (size_t)c->ndim * sizeof(int64_t)) != 0))
        return gndi_raise(GND_ERROR_SHAPE, c->fn, "%s: the arguments broadcast to shape %s, and options.shape is %s",
                          k->name, gndi_text_shape(c->ndim, c->shape), gndi_text_shape(asked->ndim, asked->dim));
    if (!gndi_shape_size(c->ndim, c->shape, &c->size))
        return gndi_raise(GND_ERROR_SHAPE, c->fn, "%s: a shape %s is too large", k->name,
                          gndi_text_shape(c->ndim, c->shape));
    return GND_OK;
}

gnd_status gndi_kernel_check_out(gndi_kernel_call *c, int k, int ndim, const int64_t *shape) {
    const gnd_array *out = c->out[k];
    if (out->ndim == ndim && memcmp(out->shape, shape, (size_t)ndim * sizeof *shape) == 0) return GND_OK;
    return gndi_raise(GND_ERROR_SHAPE, c->fn,
                      "%s: the output %s has shape %s, and the result has shape %s; an output is not "
                      "broadcast",
                      c->kernel->name, c->kernel->param[c->kernel->nin + k].name,
                      gndi_text_shape(out->ndim, out->shape), gndi_text_shape(ndim, shape));
}

/* The shape of output o: the loop's, and its core dimensions. */
static gnd_status output_shape(const gndi_kernel_call *c, int o, int *ndim, int64_t *shape) {
    const gnd_kernel *k = c->kernel;
    const gndi_kernel_param *p = &k->param[k->nin + o];
    if (c->ndim + p->cores > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_SHAPE, c->fn, "%s: %s would have %d axes; %d are the most", k->name, p->name,
                          c->ndim + p->cores, GND_MAX_DIMS);
    memcpy(shape, c->shape, (size_t)c->ndim * sizeof *shape);
    *ndim = c->ndim;
    for (int d = 0; d < p->cores; d++) {
        shape[*ndim] = c->core_size[p->core[d]];
        if (shape[(*ndim)++] < 0)
            return gndi_raise(GND_ERROR_SHAPE, c->fn,
                              "%s: no input has the core dimension %s of %s; the output must be given", k->name,
                              k->dim[p->core[d]].name, p->name);
    }
    return GND_OK;
}

/* ---- strides and overlap --------------------------------------------------------------------- */

void gndi_kernel_set_view(gndi_kernel_operand *x, const gnd_array *a, int lead) {
    int64_t step = gndi_itemsize(a);
    x->ndim = a->ndim - lead;
    x->dense = true;
    for (int axis = x->ndim - 1; axis >= 0; axis--) {
        x->shape[axis] = a->shape[lead + axis], x->stride[axis] = a->strides[lead + axis];
        x->dense &= x->shape[axis] == 1 || x->stride[axis] == step;
        step *= x->shape[axis];
    }
}

/* Strides of an operand along the loop, and what is left for the text. */
static void set_strides(gndi_kernel_call *c, int j, const gnd_array *a) {
    gndi_kernel_operand *x = &c->operand[j];
    const int lead = a ? lead_of(c->kernel, j, a) : 0, skipped = c->ndim - lead;
    for (int axis = 0; axis < c->ndim; axis++) {
        const int from = axis - skipped;
        c->stride[j][axis] = from < 0 || a->shape[from] == 1 ? 0 : a->strides[from];
    }
    if (a && x->view) gndi_kernel_set_view(x, a, lead);
}

/* Whether writing output o may change what is still to be read of input j. Elements at the same
   position may be the same ones. */
static bool disturbs(const gndi_kernel_call *c, int o, int j) {
    const gnd_array *in = c->operand[j].array, *out = c->out[o];
    const int operand = c->kernel->nin + o;
    if (!in || c->made[o] || c->kernel->param[j].raw) return false;
    if (c->kernel->kind != GNDI_KERNEL_ELEMENTS || c->kernel->param[operand].raw) return gndi_overlaps(out, in);
    gndi_ew_space space;
    space.ndim = c->ndim, space.count = 2;
    memcpy(space.shape, c->shape, sizeof space.shape);
    memcpy(space.stride[0], c->stride[operand], sizeof space.stride[0]);
    memcpy(space.stride[1], c->stride[j], sizeof space.stride[1]);
    return gndi_ew_overlaps(&space, out, 0, in, 1);
}

static gnd_status copy_disturbed(gndi_kernel_call *c) {
    for (int j = 0; j < c->kernel->nin; j++)
        for (int o = 0; o < c->kernel->nout; o++) {
            if (!disturbs(c, o, j)) continue;
            const gnd_array *x = c->operand[j].array;
            gnd_array *copy = gndi_copy_as(c->fn, x, (gnd_dtype)x->dtype, 'K');
            if (!copy) return gndi_ew_pending();
            c->temporary[c->temporaries++] = copy;
            c->operand[j].array = copy;
            set_strides(c, j, copy);
            break;
        }
    return GND_OK;
}

static gnd_status check_outputs_disjoint(const gndi_kernel_call *c) {
    const gnd_kernel *k = c->kernel;
    for (int a = 0; a < k->nout; a++)
        for (int b = 0; b < a; b++)
            if (c->out[a] && c->out[b] && gndi_overlaps(c->out[a], c->out[b]))
                return gndi_raise(GND_ERROR_INVALID, c->fn, "%s: the outputs %s and %s overlap in memory", k->name,
                                  k->param[k->nin + b].name, k->param[k->nin + a].name);
    return GND_OK;
}

/* ---- new outputs ----------------------------------------------------------------------------- */

gnd_array *gndi_kernel_new_output(gndi_kernel_call *c, int k, int ndim, const int64_t *shape) {
    const gnd_dtype dtype = c->operand[c->kernel->nin + k].type;
    int64_t strides[GND_MAX_DIMS], size;
    gndi_ew_space space;
    space.ndim = ndim, space.count = 0;
    memcpy(space.shape, shape, (size_t)ndim * sizeof *shape);
    for (int j = 0; j < c->kernel->nin && space.count < GNDI_MAX_OPERANDS; j++)
        if (c->operand[j].array && !c->operand[j].view)
            memcpy(space.stride[space.count++], c->stride[j], (size_t)ndim * sizeof *shape);
    if (c->kernel->kind != GNDI_KERNEL_ELEMENTS || !gndi_shape_size(ndim, shape, &size) || size == 0 ||
        size > INT64_MAX / gndi_dtype_sizes[dtype])
        return gndi_array_new_on(c->fn, c->stream, ndim, shape, dtype, GNDI_ORDER_C);
    gndi_ew_k_strides(&space, gndi_dtype_sizes[dtype], strides);
    gndi_buffer *b = gndi_buffer_new(c->fn, c->stream, (size_t)size * gndi_dtype_sizes[dtype]);
    return b ? gndi_array_over(c->fn, b, ndim, shape, strides, b->base, dtype) : NULL;
}

static gnd_status make_outputs(gndi_kernel_call *c) {
    const gnd_kernel *k = c->kernel;
    for (int pass = 0; pass < 2; pass++) /* everything is checked before anything is made */
        for (int o = 0; o < k->nout; o++) {
            int ndim = 0;
            int64_t shape[GND_MAX_DIMS];
            gnd_status status = GND_OK;
            if (k->param[k->nin + o].raw) continue;
            status = output_shape(c, o, &ndim, shape);
            if (!status && c->out[o]) status = gndi_kernel_check_out(c, o, ndim, shape);
            if (status) return status;
            if (pass == 0 || c->out[o]) continue;
            c->out[o] = gndi_kernel_new_output(c, o, ndim, shape);
            if (!c->out[o]) return gndi_ew_pending();
            c->made[o] = true;
        }
    return GND_OK;
}

gnd_status gndi_kernel_shape(gndi_kernel_call *c, const gnd_kernel_call_options *options) {
    const gnd_kernel *k = c->kernel;
    for (int d = 0; d < k->dims; d++) c->core_size[d] = k->dim[d].fixed;
    gnd_status status = broadcast_loop(c, options ? options->shape : NULL);
    if (!status) status = check_outputs_disjoint(c);
    if (status) return status;
    for (int j = 0; j < k->nin; j++) set_strides(c, j, c->operand[j].array);
    status = make_outputs(c);
    if (status) return status;
    for (int o = 0; o < k->nout; o++) {
        c->operand[k->nin + o].array = c->out[o];
        c->operand[k->nin + o].stored = (gnd_dtype)c->out[o]->dtype;
        set_strides(c, k->nin + o, c->out[o]);
    }
    return copy_disturbed(c);
}

/* ---- the loop as text sees it ---------------------------------------------------------------- */

/* The operand with n-th priority in ordering axes: outputs first, except in reductions, which read more than
   they write. */
static int axis_priority(const gndi_kernel_call *c, int n) {
    return c->kernel->kind == GNDI_KERNEL_REDUCTION ? n : (n + c->kernel->nin) % c->count;
}

void gndi_kernel_walk_begin(gndi_kernel_call *c, gndi_kernel_walk *x) {
    x->axes = (gndi_walk){.ndim = c->ndim, .operands = c->count, .leaders = c->count, .shape = c->shape};
    x->axes.stride = x->stride, x->axes.offset = x->offset;
    for (int n = 0; n < c->count; n++) x->stride[n] = c->stride[axis_priority(c, n)], x->offset[n] = 0;
}

void gndi_kernel_walk_end(gndi_kernel_call *c, const gndi_kernel_walk *x) {
    c->ndim = x->axes.ndim;
    for (int n = 0; n < c->count; n++)
        if (x->offset[n]) c->operand[axis_priority(c, n)].data += x->offset[n];
}

/* The parallel dimensions of a core are the loop's last axes; operands do not move along them. */
static void add_parallel_axes(gndi_kernel_call *c) {
    const gnd_kernel *k = c->kernel;
    c->parallels = k->parallels;
    for (int p = 0; p < k->parallels; p++) {
        c->shape[c->ndim] = c->core_size[k->parallel[p]];
        c->size *= c->shape[c->ndim];
        for (int j = 0; j < c->count; j++) c->stride[j][c->ndim] = 0;
        c->ndim++;
    }
}

void gndi_kernel_plan(gndi_kernel_call *c) {
    const gnd_kernel *k = c->kernel;
    const bool free_order = k->kind == GNDI_KERNEL_ELEMENTS && !k->indexes;
    for (int j = 0; j < c->count; j++)
        if (c->operand[j].array) c->operand[j].data = gndi_data(c->operand[j].array);
    add_parallel_axes(c);
    if (free_order) {
        gndi_kernel_walk x;
        gndi_kernel_walk_begin(c, &x);
        gndi_walk_drop_single(&x.axes);
        if (!k->counts) gndi_walk_flip(&x.axes);
        (k->counts ? gndi_walk_merge : gndi_walk_collapse)(&x.axes, 0, x.axes.ndim);
        gndi_kernel_walk_end(c, &x);
    }
    if (c->ndim == 0) { /* one element is an axis of one */
        c->ndim = 1, c->shape[0] = 1;
        for (int j = 0; j < c->count; j++) c->stride[j][0] = 0;
    }
    c->contiguous = free_order && c->ndim == 1;
    for (int j = 0; j < c->count && c->contiguous; j++)
        if (c->operand[j].array && !c->operand[j].view && c->stride[j][0] != 0 &&
            c->stride[j][0] != gndi_dtype_sizes[c->operand[j].stored])
            c->contiguous = false;
}

void gndi_kernel_call_end(gndi_kernel_call *c, gnd_status status) {
    for (int t = 0; t < c->temporaries; t++) gnd_release(c->temporary[t]);
    for (int o = 0; o < c->kernel->nout && status; o++)
        if (c->made[o]) gnd_release(c->out[o]);
}
