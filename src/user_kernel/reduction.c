/*
 * reduction.c: reductions: made, planned (kept axes first, reduced ones behind them), cut into
 * parts, and launched.
 */
#include "user_kernel/reduction.h"
#include "runtime/traced.h"

/* ---- kernels --------------------------------------------------------------------------------- */

gnd_kernel *gnd_kernel_reduction(const char *inputs, const char *output, const char *map, const char *reduce,
                                 const char *post, const char *identity, const char *name,
                                 const gnd_kernel_options *options) {
    static const char fn[] = "gnd_kernel_reduction";
    if (!map || !reduce) return gndi_raise(GND_ERROR_INVALID, fn, "%s is NULL", map ? "reduce" : "map"), NULL;
    const char *accumulator = options && options->accumulator ? options->accumulator : "";
    if (!gndi_check_brackets(fn, "reduce expression", reduce) ||
        !gndi_check_brackets(fn, "post statement", post ? post : "") ||
        !gndi_check_brackets(fn, "identity", identity ? identity : "") ||
        !gndi_check_brackets(fn, "accumulator", accumulator))
        return NULL;
    gnd_kernel *k = gndi_kernel_new(fn, GNDI_KERNEL_REDUCTION, name, map, options);
    if (!k) return NULL;
    bool good = gndi_kernel_parse_params(fn, k, "inputs", inputs, &k->nin, 0, GND_KERNEL_INPUTS) &&
                gndi_kernel_parse_params(fn, k, "outputs", output, &k->nout, k->nin, 2);
    if (good && (k->nout != 1 || k->param[k->nin].raw)) {
        gndi_raise(GND_ERROR_INVALID, fn, "a reduction has one output, which is not raw");
        good = false;
    }
    k->reduce = good ? gndi_text_copy(fn, reduce) : NULL;
    k->post = good ? gndi_text_copy(fn, post) : NULL;
    k->identity = good ? gndi_text_copy(fn, identity) : NULL;
    k->accumulator = good ? gndi_text_copy(fn, accumulator) : NULL;
    k->counts |= gndi_text_says(map, "j");
    if (good && k->reduce && k->post && k->identity && k->accumulator) return k;
    gnd_kernel_release(k);
    return NULL;
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* The shape that the inputs broadcast to. */
static gnd_status broadcast_inputs(gndi_kernel_call *c, gnd_shape *all) {
    const gnd_kernel *k = c->kernel;
    bool any = false;
    all->ndim = 0;
    for (int j = 0; j < k->nin; j++) {
        const gnd_array *x = c->operand[j].array;
        any |= !k->param[j].raw;
        if (x && !k->param[j].raw && !gndi_broadcast(&all->ndim, all->dim, x->ndim, x->shape))
            return gndi_raise(
                GND_ERROR_SHAPE, c->fn, "%s: %s of shape %s does not broadcast to %s, the shape of what is before it",
                k->name, k->param[j].name, gndi_text_shape(x->ndim, x->shape), gndi_text_shape(all->ndim, all->dim));
    }
    if (!any)
        return gndi_raise(GND_ERROR_INVALID, c->fn, "%s has no input that decides the shape: all are raw", k->name);
    if (!gndi_shape_size(all->ndim, all->dim, &c->size))
        return gndi_raise(GND_ERROR_SHAPE, c->fn, "%s: a shape %s is too large", k->name,
                          gndi_text_shape(all->ndim, all->dim));
    return GND_OK;
}

/* The loop's axes, kept ones first, as axes of `all`, in `source`; and the output's shape. */
static gnd_status split_axes(gndi_kernel_call *c, const gnd_axes *axes, const gnd_shape *all, int *source,
                             gnd_shape *out) {
    uint64_t mask;
    if (!gndi_normalize_axes(c->fn, axes, all->ndim, &mask)) return gndi_ew_pending();
    c->rows = c->length = 1, c->ndim = c->reduced = out->ndim = 0;
    for (int d = 0; d < all->ndim; d++) {
        const bool kept = !(mask >> d & 1);
        if (kept || axes->keepdims) out->dim[out->ndim++] = kept ? all->dim[d] : 1;
        if (kept) source[c->ndim++] = d, c->rows *= all->dim[d];
    }
    for (int d = 0; d < all->ndim; d++)
        if (mask >> d & 1) source[c->ndim++] = d, c->reduced++, c->length *= all->dim[d];
    for (int a = 0; a < c->ndim; a++) c->shape[a] = all->dim[source[a]];
    if (c->length > 0 || c->rows == 0 || c->kernel->identity[0]) return GND_OK;
    return gndi_raise(GND_ERROR_VALUE, c->fn, "%s: shape %s leaves nothing to reduce, and the kernel has no identity",
                      c->kernel->name, gndi_text_shape(all->ndim, all->dim));
}

/* The output, given or new, and its strides along the kept axes. */
static gnd_status take_output(gndi_kernel_call *c, bool keepdims, const int *source, const gnd_shape *shape) {
    const int k = c->kernel->nin, kept = c->ndim - c->reduced;
    if (c->out[0]) {
        gnd_status status = gndi_kernel_check_out(c, 0, shape->ndim, shape->dim);
        if (status) return status;
    } else {
        c->out[0] = gndi_kernel_new_output(c, 0, shape->ndim, shape->dim);
        if (!c->out[0]) return gndi_ew_pending();
        c->made[0] = true;
    }
    c->operand[k].array = c->out[0], c->operand[k].stored = (gnd_dtype)c->out[0]->dtype;
    for (int a = 0; a < c->ndim; a++) c->stride[k][a] = a < kept ? c->out[0]->strides[keepdims ? source[a] : a] : 0;
    return GND_OK;
}

/* The inputs' strides along the loop; copies of those that the output overlaps. */
static gnd_status take_inputs(gndi_kernel_call *c, const gnd_shape *all, const int *source) {
    for (int j = 0; j < c->kernel->nin; j++) {
        const bool raw = c->kernel->param[j].raw;
        const gnd_array *x = c->operand[j].array;
        int64_t strides[GND_MAX_DIMS] = {0};
        if (x && !c->made[0] && gndi_overlaps(x, c->out[0])) {
            gnd_array *copy = gndi_copy_as(c->fn, x, (gnd_dtype)x->dtype, 'K');
            if (!copy) return gndi_ew_pending();
            c->temporary[c->temporaries++] = copy;
            c->operand[j].array = x = copy;
        }
        if (x && !raw) gndi_broadcast_strides(x, all->ndim, all->dim, strides);
        if (x && raw) gndi_kernel_set_view(&c->operand[j], x, 0);
        for (int a = 0; a < c->ndim; a++) c->stride[j][a] = strides[source[a]];
    }
    return GND_OK;
}

/* The inputs' broadcast shape, the output's, and the loop: kept axes, then reduced ones. `numbers`: by how
   much an element's number in C order grows along each. */
static gnd_status shape_rows(gndi_kernel_call *c, const gnd_axes *axes, int64_t *numbers) {
    int source[GND_MAX_DIMS];
    int64_t number[GND_MAX_DIMS], step = 1;
    gnd_shape all, out;
    gnd_status status = broadcast_inputs(c, &all);
    if (!status) status = split_axes(c, axes, &all, source, &out);
    if (!status) status = take_output(c, axes->keepdims, source, &out);
    if (status) return status;
    for (int d = all.ndim - 1; d >= 0; d--) number[d] = step, step *= all.dim[d];
    for (int a = 0; a < c->ndim; a++) numbers[a] = number[source[a]];
    return take_inputs(c, &all, source);
}

/* Axes of size 1 go, the rest of each group is sorted and merged, unless elements are numbered. */
static void plan_rows(gndi_kernel_call *c) {
    for (int j = 0; j < c->count; j++)
        if (c->operand[j].array) c->operand[j].data = gndi_data(c->operand[j].array);
    if (c->kernel->counts) return;
    gndi_kernel_walk x;
    gndi_walk *w = &x.axes;
    int kept = 0;
    for (int a = 0; a < c->ndim - c->reduced; a++) kept += c->shape[a] != 1;
    gndi_kernel_walk_begin(c, &x);
    gndi_walk_drop_single(w);
    if (c->size) gndi_walk_flip(w);
    c->reduced = gndi_walk_collapse(w, kept, w->ndim);
    gndi_walk_collapse(w, 0, kept);
    gndi_kernel_walk_end(c, &x);
}

/* ---- launches -------------------------------------------------------------------------------- */

typedef struct geometry {
    unsigned grid[3], block[3];
    int64_t part, parts;
} geometry;

/* Of blocks of 256 threads: how many rows each has, and into how many parts rows are cut, so that
   the card is full. All of it follows from the shape and the card. */
static geometry plan_gpu(const gndi_kernel_call *c) {
    geometry g;
    unsigned across = 1; /* rows of a block */
    if (gndi_reduction_in_columns(c))
        across = 32;
    else
        while (across < 256 && c->length * across < 256) across *= 2;
    const unsigned down = 256 / across;
    const int64_t blocks = gndi_ceil_div(c->rows, across), wanted = 8 * (int64_t)c->stream->device->processors;
    g.parts = blocks >= wanted ? 1 : gndi_ceil_div(wanted, blocks);
    const int64_t most = gndi_ceil_div(c->length, 16 * (int64_t)down);
    if (g.parts > most) g.parts = most;
    if (g.parts < 1) g.parts = 1;
    g.part = gndi_ceil_div(c->length, g.parts);
    g.parts = g.part ? gndi_ceil_div(c->length, g.part) : 1;
    g.block[0] = across, g.block[1] = down, g.block[2] = 1;
    g.grid[0] = (unsigned)(blocks < INT32_MAX ? blocks : INT32_MAX);
    g.grid[1] = (unsigned)g.parts, g.grid[2] = 1;
    return g;
}

static gnd_status launch_gpu(gndi_kernel_call *c, const gndi_kernel_variant *v, const geometry *g, int64_t *words) {
    void *arguments[] = {words};
    gndi_user_kernel_note(c->kernel->name);
    gnd_status status = gndi_jit_launch(c->fn, c->stream, &v->main, g->grid, g->block, 0, arguments);
    if (status || g->parts == 1) return status;
    const unsigned down = g->parts >= 64 ? 256 : 8, across = 256 / down;
    const int64_t blocks = gndi_ceil_div(c->rows, across);
    const unsigned grid[3] = {(unsigned)(blocks < INT32_MAX ? blocks : INT32_MAX), 1, 1}, block[3] = {across, down, 1};
    return gndi_jit_launch(c->fn, c->stream, &v->finish, grid, block, 0, arguments);
}

static void fill_words(const gndi_kernel_call *c, const geometry *g, const gndi_buffer *workspace,
                       const int64_t *numbers, int64_t *words) {
    gndi_kernel_words(c, words);
    int64_t *w = words + gndi_reduction_word(c, GNDI_REDUCTION_ROWS);
    w[GNDI_REDUCTION_ROWS] = c->rows, w[GNDI_REDUCTION_LENGTH] = c->length;
    w[GNDI_REDUCTION_PART] = g->part, w[GNDI_REDUCTION_PARTS] = g->parts;
    w[GNDI_REDUCTION_WORKSPACE] = workspace ? (int64_t)(intptr_t)workspace->base : 0;
    memcpy(w + GNDI_REDUCTION_NUMBERS, numbers, (size_t)c->ndim * sizeof *w);
}

static gnd_status run(gndi_kernel_call *c, const int64_t *numbers) {
    GNDI_RANGE(c->fn);
    const gndi_kernel_variant *v;
    const bool gpu = gndi_kernel_on_gpu(c);
    int64_t words[GNDI_KERNEL_WORDS];
    gnd_status status = gndi_kernel_compiled(c, &v);
    if (status) return status;
    geometry g = {.part = c->length < 8192 ? c->length : 8192};
    g.parts = c->length > 8192 ? gndi_ceil_div(c->length, 8192) : 1;
    if (gpu) g = plan_gpu(c);
    gndi_buffer *workspace = NULL;
    if (g.parts > 1) {
        workspace = gndi_buffer_new(c->fn, c->stream, (size_t)(c->rows * g.parts) * GNDI_PARTIAL_BYTES);
        if (!workspace) return gndi_ew_pending();
    }
    status = gndi_kernel_order(c);
    if (!status && workspace) status = gndi_order_write(c->stream, workspace, c->fn);
    if (!status) {
        fill_words(c, &g, workspace, numbers, words);
        if (gpu) {
            status = launch_gpu(c, v, &g, words);
        } else {
            const int64_t grain = 1 + 4096 / (g.part + 1);
            status = gndi_kernel_run_host(c, v->main.call, words, c->rows * g.parts, grain < 16 ? 16 : grain);
            if (g.parts > 1 && !status)
                status = gndi_kernel_run_host(c, v->finish.call, words, c->rows, 1 + 64 / g.parts);
        }
        if (!status) gndi_submitted(c->stream);
    }
    if (workspace) gndi_buffer_release(workspace);
    return status ? status : gndi_finish(c->stream, c->fn);
}

gnd_status gndi_kernel_apply_reduction(const char *fn, gnd_array **result, gnd_kernel *k, int count,
                                       const gnd_arg *args, const gnd_axes *axes) {
    gndi_kernel_call c;
    int64_t numbers[GND_MAX_DIMS];
    const gnd_kernel_call_options options = {.out = {axes->out}};
    gndi_kernel_call_start(&c, k, fn);
    const char *not_taken = axes->where ? "where" : axes->initial ? "initial" : axes->dtype ? "dtype" : NULL;
    if (not_taken)
        return gndi_raise(GND_ERROR_INVALID, fn, "%s: a kernel of your own takes no `%s`", k->name, not_taken);
    gnd_status status = gndi_kernel_bind(&c, count, args, &options);
    if (!status) status = shape_rows(&c, axes, numbers);
    if (!status && c.rows) {
        plan_rows(&c);
        status = run(&c, numbers);
    }
    gndi_kernel_call_end(&c, status);
    if (status) return status;
    *result = c.made[0] ? c.out[0] : gndi_array_alias(fn, c.out[0]);
    return *result ? GND_OK : gndi_ew_pending();
}
