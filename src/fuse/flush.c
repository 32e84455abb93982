/*
 * flush.c: submits a program. Nodes are wanted if a pending array stands for them, or if they have targets.
 * Values of rows (a reduction's results, and what is computed only from these) belong to a group of reductions
 * over the same axes; elements that depend on a group are computed a stage later.
 *
 * If possible everything is one launch that runs a row at a time (a softmax). Else there is a launch for each
 * group of a stage, with the wanted elements of its space; other elements have a launch for each shape.
 * Elements that several launches need, and that are not wanted, are computed in each of them. A launch that is
 * too large is divided.
 */
#include "fuse/fuse.h"
#include "elementwise/elementwise.h"

/* ---- wanted nodes and their stages ------------------------------------------------------------ */

/* Whether a node's array can still be used; gnd_fuse_explain asks as if the block ended now. */
static bool is_alive(const fuse_program *p, const gnd_array *a) {
    if (!a || !p->dry || !gndi_fuse_block()) return a != NULL;
    const int refs = atomic_load_explicit(&((gnd_array *)a)->refs, memory_order_relaxed);
    return refs != GNDI_SCOPED || a->scope != gndi_fuse_block();
}

static void mark_needed(fuse_program *p) {
    for (int i = 0; i < p->nodes; i++) {
        fuse_node *n = &p->node[i];
        n->wanted = n->needed = is_alive(p, n->array);
        n->row = false, n->stage = 0, n->store = FUSE_NOTHING;
        n->memory = n->kind == GNDI_FUSE_LOAD ? n->at : FUSE_NOTHING;
    }
    for (int i = 0; i < p->targets; i++) {
        fuse_target *t = &p->target[i];
        /* If the memory has no other references, its contents are not needed. */
        if (atomic_load_explicit(&t->buffer->refs, memory_order_acquire) == 1) t->node = FUSE_NOTHING;
        if (t->node != FUSE_NOTHING) p->node[t->node].wanted = p->node[t->node].needed = true;
        t->late = false;
    }
    for (int i = p->nodes - 1; i >= 0; i--)
        for (int k = 0; k < 3 && p->node[i].needed; k++)
            if (p->node[i].in[k] != FUSE_NOTHING) p->node[p->node[i].in[k]].needed = true;
}

static uint16_t group_of(fuse_program *p, const fuse_node *n, uint8_t stage) {
    const fuse_reduction *r = &p->reduction[n->at];
    const uint16_t space = p->node[n->in[0]].space;
    for (int i = 0; i < p->groups; i++) {
        const fuse_group *g = &p->group[i];
        if (g->space == space && g->reduced == r->reduced && g->result == n->space && g->keepdims == r->keepdims &&
            g->stage == stage)
            return (uint16_t)i;
    }
    p->group[p->groups] = (fuse_group){
        .space = space, .result = n->space, .reduced = r->reduced, .keepdims = r->keepdims, .stage = stage};
    return (uint16_t)p->groups++;
}

/* Whether a node is computed once a row: from one group's results, and nothing of a later stage. */
static bool joins_group(const fuse_program *p, const fuse_node *n, uint16_t *group) {
    *group = FUSE_NOTHING;
    for (int k = 0; k < 3; k++) {
        if (n->in[k] == FUSE_NOTHING) continue;
        const fuse_node *in = &p->node[n->in[k]];
        if (!in->row) continue;
        if (*group != FUSE_NOTHING && *group != in->group) return false;
        *group = in->group;
    }
    if (*group == FUSE_NOTHING || p->group[*group].result != n->space) return false;
    for (int k = 0; k < 3; k++)
        if (n->in[k] != FUSE_NOTHING && p->node[n->in[k]].stage > p->group[*group].stage) return false;
    return true;
}

static void assign_stage(fuse_program *p, fuse_node *n) {
    uint8_t stage = 0;
    for (int k = 0; k < 3; k++) {
        if (n->in[k] == FUSE_NOTHING) continue;
        const fuse_node *in = &p->node[n->in[k]];
        const uint8_t after = (uint8_t)(in->stage + in->row);
        if (after > stage) stage = after;
    }
    if (n->kind == GNDI_FUSE_REDUCE) {
        n->row = true, n->stage = stage;
        n->group = group_of(p, n, stage);
    } else if (joins_group(p, n, &n->group)) {
        n->row = true, n->stage = p->group[n->group].stage;
    } else {
        n->stage = stage;
    }
}

static int assign_stages(fuse_program *p) {
    int last = 0;
    p->groups = 0;
    for (int i = 0; i < p->nodes; i++) {
        if (!p->node[i].needed) continue;
        assign_stage(p, &p->node[i]);
        if (p->node[i].stage > last) last = p->node[i].stage;
    }
    return last;
}

/* ---- memory --------------------------------------------------------------------------------- */

static void leaf_over(fuse_program *p, uint16_t leaf, gndi_buffer *b, const fuse_node *n, const int64_t *strides) {
    fuse_leaf *l = &p->leaf[leaf];
    const fuse_space *space = &p->space[n->space];
    l->buffer = b, l->data = b ? b->base : NULL, l->dtype = n->dtype, l->space = n->space;
    if (strides)
        memcpy(l->strides, strides, (size_t)space->ndim * sizeof *strides);
    else
        gndi_c_strides(space->ndim, space->shape, gndi_dtype_sizes[n->dtype], l->strides);
}

/* Memory for a node without an array, until the program has been submitted. */
static gnd_status make_temporary(fuse_program *p, fuse_node *n) {
    if (n->store != FUSE_NOTHING) return GND_OK;
    if (p->temporaries == FUSE_TEMPORARIES)
        return gndi_raise(GND_ERROR_UNAVAILABLE, p->fn,
                          "a fused program needs more than %d intermediate results in memory; end "
                          "the block earlier",
                          FUSE_TEMPORARIES);
    gndi_buffer *b = NULL;
    const size_t bytes = (size_t)p->space[n->space].size * gndi_dtype_sizes[n->dtype];
    if (!p->dry && !(b = gndi_buffer_new(p->fn, p->stream, bytes))) return GND_ERROR_MEMORY;
    n->store = (uint16_t)(p->leaves + p->temporaries++);
    leaf_over(p, n->store, b, n, NULL);
    return GND_OK;
}

/* Marks a node that a launch has stored as a leaf for the next launches. */
static void now_in_memory(fuse_program *p, fuse_node *n) {
    if (n->memory != FUSE_NOTHING) return;
    if (n->store != FUSE_NOTHING) {
        n->memory = n->store;
    } else if (n->array && p->temporaries < FUSE_TEMPORARIES) {
        n->memory = (uint16_t)(p->leaves + p->temporaries++);
        if (!p->dry) gndi_buffer_retain(n->array->buffer);
        leaf_over(p, n->memory, p->dry ? NULL : n->array->buffer, n, n->array->strides);
    }
}

/* Makes temporaries for values of rows that elements or other groups of a later stage read. */
static gnd_status make_temporaries(fuse_program *p) {
    gnd_status status = GND_OK;
    for (int i = 0; i < p->nodes && !status; i++) {
        const fuse_node *n = &p->node[i];
        for (int k = 0; n->needed && k < 3 && !status; k++) {
            fuse_node *in = n->in[k] == FUSE_NOTHING ? NULL : &p->node[n->in[k]];
            if (in && in->row && (!n->row || n->group != in->group || n->kind == GNDI_FUSE_REDUCE))
                status = make_temporary(p, in);
        }
    }
    return status;
}

/* Delays targets that a later launch would read as leaves to the end. */
static gnd_status delay_targets(fuse_program *p) {
    gnd_status status = GND_OK;
    for (int i = 0; i < p->targets && !status; i++) {
        fuse_target *t = &p->target[i];
        if (t->node == FUSE_NOTHING) continue;
        for (int k = 0; k < p->leaves && !t->late; k++) t->late = p->leaf[k].buffer == t->buffer;
        if (t->late) status = make_temporary(p, &p->node[t->node]);
    }
    return status;
}

static gnd_status fill_arrays(fuse_program *p) {
    gnd_status status = GND_OK;
    for (int i = 0; i < p->nodes && !status; i++) {
        const fuse_node *n = &p->node[i];
        const size_t bytes = (size_t)p->space[n->space].size * gndi_dtype_sizes[n->dtype];
        if (n->array) status = gndi_buffer_fill(p->fn, n->array->buffer, p->stream, bytes);
    }
    for (int i = 0; i < p->targets; i++) /* restores its state from before this program */
        atomic_store_explicit(&p->target[i].buffer->writer, p->target[i].writer, memory_order_release);
    return status;
}

/* ---- launches ------------------------------------------------------------------------------- */

/* Orders streams, for all memory that a launch may use. */
static gnd_status order(fuse_program *p) {
    gnd_status status = GND_OK;
    for (int i = 0; i < p->leaves && !status; i++) status = gndi_order_read(p->stream, p->leaf[i].buffer, p->fn);
    for (int i = 0; i < p->nodes && !status; i++)
        if (p->node[i].array) status = gndi_order_write(p->stream, p->node[i].array->buffer, p->fn);
    return status;
}

/* Targets may be leaves, too: writing them must not wait for this program's own reads. */
static gnd_status order_targets(fuse_program *p) {
    gnd_status status = GND_OK;
    for (int i = 0; i < p->targets && !status; i++) {
        gndi_buffer *b = p->target[i].buffer;
        const uint64_t readers = atomic_fetch_and_explicit(&b->readers, ~GNDI_PENDING_READER, memory_order_acq_rel);
        status = gndi_order_write(p->stream, b, p->fn);
        atomic_fetch_or_explicit(&b->readers, readers & GNDI_PENDING_READER, memory_order_acq_rel);
    }
    return status;
}

static gnd_status run_plan(fuse_program *p) {
    const gndi_backend *backend = p->stream->device->backend;
    const char *executor = backend->fuse_executor(p->stream, &p->plan);
    if (!executor) executor = GNDI_FUSE_FALLBACK_NAME;
    const bool falls_back = strcmp(executor, GNDI_FUSE_FALLBACK_NAME) == 0;
    gndi_fuse_note(p, &p->plan, executor);
    if (p->dry || p->plan.size == 0) return GND_OK;
    gnd_status status = order(p);
    if (!status) status = order_targets(p);
    if (!status)
        status =
            falls_back ? gndi_fuse_fallback(p->stream, &p->plan, p->fn) : backend->fuse(p->stream, &p->plan, p->fn);
    if (!status) gndi_submitted(p->stream);
    return status;
}

/* Values of rows whose reductions are already in memory are elements of the results' shape. Moves those among the job's
   nodes from `begin` on to `elements`. */
static void move_rows(fuse_program *p, fuse_job *job, int begin, fuse_job *elements) {
    for (int i = 0; i < p->nodes; i++) {
        fuse_node *n = &p->node[i];
        bool reduces = n->kind == GNDI_FUSE_REDUCE;
        if (!n->needed || !n->row) continue;
        if (n->kind == GNDI_FUSE_SECOND) { /* it depends on the operands of the first result */
            n->row = p->node[n->in[0]].row;
            continue;
        }
        for (int k = 0; k < 3 && !reduces; k++) {
            const fuse_node *in = n->in[k] == FUSE_NOTHING ? NULL : &p->node[n->in[k]];
            reduces = in && in->row && in->memory == FUSE_NOTHING;
        }
        n->row = reduces;
    }
    int left = begin;
    for (int k = begin; k < job->count; k++) {
        const fuse_node *n = &p->node[job->node[k]];
        const bool moves = !n->row && n->space != job->space;
        if (moves) elements->space = n->space;
        *(moves ? &elements->node[elements->count++] : &job->node[left++]) = job->node[k];
    }
    job->count = left;
}

static gnd_status run_job(fuse_program *p, fuse_job *job);

/* Marks the nodes that a node is computed from and that are not in memory. */
static void find_below(const fuse_program *p, uint16_t number, bool *below) {
    memset(below, 0, (size_t)p->nodes);
    below[number] = true;
    for (int i = number; i >= 0; i--) {
        const fuse_node *n = &p->node[i];
        if (!below[i] || n->memory != FUSE_NOTHING) continue;
        if (n->kind == GNDI_FUSE_SECOND) below[n->in[0]] = true, n = &p->node[n->in[0]];
        for (int k = 0; k < 3; k++)
            if (n->in[k] != FUSE_NOTHING) below[n->in[k]] = true;
    }
    below[number] = false;
}

/* For a value that reads more arrays than a launch may have: of the values that it is computed from, the one that reads
   the most arrays, but not too many, is stored to memory, where it is one array. */
static gnd_status make_part(fuse_program *p, uint16_t number) {
    bool below[FUSE_NODES];
    fuse_job best = {.count = 0};
    int most = 0;
    find_below(p, number, below);
    for (int i = 0; i < number; i++) {
        const fuse_node *n = &p->node[i];
        const bool computed = n->kind == GNDI_FUSE_OP || n->kind == GNDI_FUSE_CAST || n->kind == GNDI_FUSE_REDUCE;
        if (!below[i] || !computed || n->memory != FUSE_NOTHING) continue;
        fuse_job job = {.space = n->space, .count = 1, .node = {(uint16_t)i}};
        if (n->row) job.space = p->group[n->group].space, job.reduced = p->group[n->group].reduced;
        if (!gndi_fuse_make_plan(p, &job, 0)) continue;
        const int much = p->plan.operands * GNDI_FUSE_CODE + p->plan.count;
        if (much > most) best = job, most = much;
    }
    if (!most)
        return gndi_raise(GND_ERROR_UNAVAILABLE, p->fn,
                          "a fused program is too long for one launch; end the block earlier");
    const gnd_status status = make_temporary(p, &p->node[best.node[0]]);
    return status ? status : run_job(p, &best);
}

static gnd_status run_job(fuse_program *p, fuse_job *job) {
    gnd_status status = GND_OK;
    fuse_job elements = {.count = 0};
    for (int begin = 0; begin < job->count && !status;) {
        const int made = gndi_fuse_make_plan(p, job, begin);
        status = made ? run_plan(p) : make_part(p, job->node[begin]);
        for (int k = begin; k < begin + made && !status; k++) now_in_memory(p, &p->node[job->node[k]]);
        begin += made;
        if (job->reduced) move_rows(p, job, begin, &elements);
    }
    return status || !elements.count ? status : run_job(p, &elements);
}

/* ---- one launch, a row at a time ------------------------------------------------------------ */

/* Whether a row's value is broadcast to the elements of its own row. */
static bool is_aligned(const fuse_program *p, const fuse_node *row) {
    const fuse_group *g = &p->group[row->group];
    const fuse_space *result = &p->space[g->result];
    for (int i = 0; i < result->ndim; i++)
        if (result->shape[i] != 1 && gndi_fuse_row_axis(p, g, i) != p->space[g->space].ndim - result->ndim + i)
            return false;
    return true;
}

static bool fits_rows(const fuse_program *p, const fuse_node *n) {
    const fuse_group *g = &p->group[0];
    if (n->row && n->kind == GNDI_FUSE_REDUCE && p->node[n->in[0]].row) return false;
    if (n->wanted && !n->row && n->space != g->space) return false;
    for (int k = 0; k < 3 && !n->row; k++) {
        const fuse_node *in = n->in[k] == FUSE_NOTHING ? NULL : &p->node[n->in[k]];
        if (in && in->row && !is_aligned(p, in)) return false;
    }
    return true;
}

/* Submits everything wanted as one ROWS launch, if possible; returns whether it did. */
static bool run_as_rows(fuse_program *p, gnd_status *status) {
    fuse_job job = {.count = 0};
    for (int i = 1; i < p->groups; i++)
        if (p->group[i].space != p->group[0].space || p->group[i].reduced != p->group[0].reduced) return false;
    for (int i = 0; i < p->targets; i++)
        if (p->target[i].late) return false;
    for (int i = 0; i < p->nodes; i++) {
        if (!p->node[i].needed) continue;
        if (!fits_rows(p, &p->node[i])) return false;
        if (p->node[i].wanted) job.node[job.count++] = (uint16_t)i;
    }
    job.space = p->group[0].space, job.reduced = p->group[0].reduced;
    if (gndi_fuse_make_plan(p, &job, 0) != job.count) return false;
    if (!p->stream->device->backend->fuse_executor(p->stream, &p->plan)) return false;
    *status = run_plan(p);
    return true;
}

/* ---- stage by stage ------------------------------------------------------------------------- */

static bool is_due(const fuse_node *n, int stage) {
    return n->needed && n->stage == stage && n->memory == FUSE_NOTHING && (n->wanted || n->store != FUSE_NOTHING);
}

static gnd_status run_stage(fuse_program *p, int stage, bool *done) {
    gnd_status status = GND_OK;
    for (int g = 0; g < p->groups && !status; g++) {
        if (p->group[g].stage != stage) continue;
        fuse_job job = {.space = p->group[g].space, .reduced = p->group[g].reduced};
        for (int i = 0; i < p->nodes; i++) {
            const fuse_node *n = &p->node[i];
            const bool mine = n->row ? n->group == g : n->space == job.space;
            if (done[i] || !mine || !is_due(n, stage)) continue;
            job.node[job.count++] = (uint16_t)i, done[i] = true;
        }
        status = run_job(p, &job);
    }
    for (int first = 0; first < p->nodes && !status; first++) {
        if (done[first] || !is_due(&p->node[first], stage)) continue;
        fuse_job job = {.space = p->node[first].space};
        for (int i = first; i < p->nodes; i++) {
            if (done[i] || p->node[i].space != job.space || !is_due(&p->node[i], stage)) continue;
            job.node[job.count++] = (uint16_t)i, done[i] = true;
        }
        status = run_job(p, &job);
    }
    return status;
}

static gnd_status write_late_targets(fuse_program *p) {
    gnd_status status = GND_OK;
    for (int i = 0; i < p->targets && !status; i++) {
        const fuse_target *t = &p->target[i];
        if (!t->late || t->node == FUSE_NOTHING) continue;
        fuse_job job = {.space = t->space, .count = 1, .node = {t->node}, .late = true};
        status = run_job(p, &job);
    }
    return status;
}

/* Whether everything wanted is one launch: then all memory that it also writes is read first. */
static bool is_one_launch(fuse_program *p, int last) {
    fuse_job job = {.count = 0};
    if (last > 0 || p->groups > 0) return false;
    for (int i = 0; i < p->nodes; i++) {
        if (!p->node[i].wanted) continue;
        if (job.count && p->node[i].space != job.space) return false;
        job.space = p->node[i].space, job.node[job.count++] = (uint16_t)i;
    }
    return gndi_fuse_make_plan(p, &job, 0) == job.count;
}

/* A single operator of memory and numbers: launched directly. Returns whether it was one. */
static bool run_alone(fuse_program *p, gnd_status *status) {
    fuse_job job; /* it is large: only some of it is set to 0 */
    int wanted = FUSE_NOTHING;
    if (p->operators != 1 || p->targets) return false;
    for (int i = 0; i < p->nodes; i++) {
        if (!p->node[i].wanted) continue;
        if (wanted != FUSE_NOTHING) return false;
        wanted = i;
    }
    fuse_node *n = &p->node[wanted];
    if (n->kind != GNDI_FUSE_OP && n->kind != GNDI_FUSE_CAST && n->kind != GNDI_FUSE_REDUCE) return false;
    for (int k = 0; k < 3; k++) {
        const fuse_node *in = n->in[k] == FUSE_NOTHING ? NULL : &p->node[n->in[k]];
        if (in && in->kind != GNDI_FUSE_LOAD && in->kind != GNDI_FUSE_CONST) return false;
    }
    p->groups = 0;
    assign_stage(p, n);
    job.space = n->space, job.reduced = 0, job.late = false;
    if (n->row) job.space = p->group[n->group].space, job.reduced = p->group[n->group].reduced;
    job.count = 1, job.node[0] = (uint16_t)wanted;
    if (!gndi_fuse_make_plan(p, &job, 0)) return false;
    *status = run_plan(p);
    return true;
}

static gnd_status run_stages(fuse_program *p) {
    bool done[FUSE_NODES] = {false};
    const int last = assign_stages(p);
    gnd_status status = p->targets == 0 || is_one_launch(p, last) ? GND_OK : delay_targets(p);
    if (status) return status;
    if (last > 0 && run_as_rows(p, &status)) return status;
    status = make_temporaries(p);
    for (int stage = 0; stage <= last && !status; stage++) status = run_stage(p, stage, done);
    return status ? status : write_late_targets(p);
}

static gnd_status run_program(fuse_program *p) {
    gnd_status status;
    return run_alone(p, &status) ? status : run_stages(p);
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Makes pending arrays ordinary ones, or, after an error, unusable. */
static void settle_arrays(fuse_program *p, gnd_status status) {
    for (int i = 0; i < p->nodes; i++) {
        gnd_array *a = p->node[i].array;
        if (!a) continue;
        p->node[i].array = NULL;
        a->flags &= (uint8_t)~GNDI_PENDING;
        a->data = a->buffer->base;
        if (a->data) {
            a->buffer->context = NULL;
        } else {
            a->buffer->bytes = 0, a->buffer->context = NULL;
        }
        if (status) atomic_store_explicit(&a->buffer->writer, GNDI_SLOT_FAILED, memory_order_release);
    }
}

gnd_status gndi_fuse_submit(fuse_program *p, const char *fn) {
    bool wanted = false;
    p->fn = fn;
    mark_needed(p);
    for (int i = 0; i < p->nodes && !wanted; i++) wanted = p->node[i].wanted;
    gnd_status status = GND_OK;
    if (!p->dry && (wanted || p->targets)) status = fill_arrays(p);
    if (wanted || p->dry) p->notes = 0;
    if (wanted && !status) status = run_program(p);
    if (p->dry) {
        p->temporaries = 0;
        return status;
    }
    settle_arrays(p, status);
    gndi_fuse_reset(p);
    return status || !wanted ? status : gndi_finish(p->stream, fn);
}
