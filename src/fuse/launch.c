/*
 * launch.c: generates the code of one launch, from the wanted nodes down to the loads. A node may be
 * computed both for elements and for rows of one launch; each is emitted once.
 */
#include "fuse/fuse.h"

typedef struct maker {
    fuse_program *p;
    gndi_fuse_plan *plan;
    const fuse_job *job;
    bool full;                                     /* something did not fit */
    uint16_t element[FUSE_NODES], row[FUSE_NODES]; /* the instruction of a node, or FUSE_NOTHING */
} maker;

int gndi_fuse_row_axis(const fuse_program *p, const fuse_group *g, int i) {
    if (g->keepdims) return i;
    for (int axis = 0; axis < p->space[g->space].ndim; axis++)
        if (!(g->reduced >> axis & 1) && i-- == 0) return axis;
    return -1;
}

/* ---- operands ------------------------------------------------------------------------------- */

/* The strides of an operand of space `own` along the job's axes: elements are aligned on the right, rows like
   the result of their group. */
static void align_strides(maker *m, const fuse_space *own, const int64_t *strides, const fuse_group *group,
                          int64_t *out) {
    const int ndim = m->p->space[m->job->space].ndim;
    memset(out, 0, (size_t)ndim * sizeof *out);
    const int result = group ? m->p->space[group->result].ndim : ndim;
    for (int i = 0; i < own->ndim; i++) {
        if (own->shape[i] == 1) continue;
        const int at = result - own->ndim + i;
        out[group ? gndi_fuse_row_axis(m->p, group, at) : at] = strides[i];
    }
}

static uint16_t add_operand(maker *m, char *data, gnd_dtype dtype, bool store, const fuse_space *own,
                            const int64_t *strides, const fuse_group *group) {
    gndi_fuse_plan *plan = m->plan;
    if (plan->operands == GNDI_FUSE_OPERANDS) return m->full = true, (uint16_t)0;
    const int k = plan->operands++;
    plan->operand[k].data = data, plan->operand[k].dtype = (uint8_t)dtype;
    plan->operand[k].store = store;
    align_strides(m, own, strides, group, plan->stride[k]);
    return (uint16_t)k;
}

/* Adds an operand in memory. If it has none yet, since nothing will run, its address is a dummy with the same
   alignment. */
static uint16_t add_memory(maker *m, char *data, gnd_dtype dtype, bool store, const fuse_space *own,
                           const int64_t *strides, const fuse_group *group) {
    static _Alignas(256) char to_come[1];
    return add_operand(m, data || !m->p->dry ? data : to_come, dtype, store, own, strides, group);
}

static uint16_t add_code(maker *m, gndi_fuse_kind kind, gnd_dtype dtype, bool row) {
    enum { SCRAP = GNDI_FUSE_CODE - 1 }; /* the instruction that is overwritten when the code is full */
    gndi_fuse_plan *plan = m->plan;
    if (plan->count == SCRAP) return m->full = true, (uint16_t)SCRAP;
    gndi_fuse_code *c = &plan->code[plan->count];
    c->kind = (uint8_t)kind, c->op = 0, c->loop = (uint8_t)dtype, c->dtype = (uint8_t)dtype;
    c->row = row, c->at = GNDI_FUSE_NONE;
    c->in[0] = c->in[1] = c->in[2] = GNDI_FUSE_NONE;
    return (uint16_t)plan->count++;
}

/* ---- values --------------------------------------------------------------------------------- */

static uint16_t emit(maker *m, uint16_t number, const fuse_group *group);
static uint16_t emit_node(maker *m, const fuse_node *n, const fuse_group *group);

static uint16_t emit_load(maker *m, const fuse_leaf *l, const fuse_group *group) {
    const uint16_t k = add_memory(m, l->data, (gnd_dtype)l->dtype, false, &m->p->space[l->space], l->strides, group);
    const uint16_t c = add_code(m, GNDI_FUSE_LOAD, (gnd_dtype)l->dtype, group != NULL);
    m->plan->code[c].at = k;
    return c;
}

/* An INDEX: a number for each index of the node's own space, in C order. */
static uint16_t emit_index(maker *m, const fuse_node *n, const fuse_group *group) {
    const fuse_space *own = &m->p->space[n->space];
    int64_t strides[GND_MAX_DIMS];
    gndi_c_strides(own->ndim, own->shape, 1, strides);
    const uint16_t k = add_operand(m, NULL, GND_INT64, false, own, strides, group);
    const uint16_t c = add_code(m, GNDI_FUSE_INDEX, GND_INT64, group != NULL);
    m->plan->code[c].at = k;
    return c;
}

static uint16_t copy_constants(maker *m, const fuse_node *n, int count) {
    gndi_fuse_plan *plan = m->plan;
    if (plan->constants + count > GNDI_FUSE_CONSTANTS) return m->full = true, (uint16_t)0;
    memcpy(&plan->constant[plan->constants], &m->p->constant[n->at], (size_t)count * sizeof plan->constant[0]);
    plan->constants += count;
    return (uint16_t)(plan->constants - count);
}

static uint16_t emit_reduce(maker *m, const fuse_node *n) {
    const uint16_t in = emit(m, n->in[0], NULL);
    const uint16_t c = add_code(m, GNDI_FUSE_REDUCE, (gnd_dtype)n->dtype, true);
    if (m->plan->reductions == GNDI_FUSE_REDUCTIONS) return m->full = true, c;
    m->plan->code[c].in[0] = in, m->plan->code[c].loop = n->loop;
    m->plan->code[c].at = (uint16_t)m->plan->reductions;
    m->plan->reduction[m->plan->reductions++] = m->p->reduction[n->at].how;
    return c;
}

/* CONST, RANGE, UNIFORM, CAST, OP, SECOND. */
static uint16_t emit_node(maker *m, const fuse_node *n, const fuse_group *group) {
    uint16_t in[3], at = GNDI_FUSE_NONE;
    for (int i = 0; i < 3; i++) {
        in[i] = GNDI_FUSE_NONE;
        if (n->in[i] == FUSE_NOTHING) continue;
        const fuse_node *operand = &m->p->node[n->in[i]];
        const bool row = operand->row && operand->memory == FUSE_NOTHING;
        if (n->kind == GNDI_FUSE_SECOND && operand->memory != FUSE_NOTHING)
            in[i] = emit_node(m, operand, group); /* memory has only the first result */
        else
            in[i] = emit(m, n->in[i], row ? &m->p->group[operand->group] : group);
    }
    if (n->kind == GNDI_FUSE_CONST) at = copy_constants(m, n, 1);
    if (n->kind == GNDI_FUSE_RANGE) at = copy_constants(m, n, 2);
    if (n->kind == GNDI_FUSE_UNIFORM) at = copy_constants(m, n, 3);
    if (n->kind == GNDI_FUSE_OP && n->at != FUSE_NOTHING) {
        at = (uint16_t)m->plan->parameters++;
        memcpy(m->plan->params[at], m->p->params[n->at], sizeof m->plan->params[at]);
    }
    const uint16_t c = add_code(m, (gndi_fuse_kind)n->kind, (gnd_dtype)n->dtype, group != NULL);
    gndi_fuse_code *code = &m->plan->code[c];
    code->op = n->op, code->loop = n->loop, code->at = at;
    memcpy(code->in, in, sizeof in);
    return c;
}

/* The instruction of a node's value, for elements or (group) for rows. */
static uint16_t emit(maker *m, uint16_t number, const fuse_group *group) {
    const fuse_node *n = &m->p->node[number];
    uint16_t *known = group ? &m->row[number] : &m->element[number];
    if (*known != FUSE_NOTHING || m->full) return *known;
    uint16_t c;
    if (n->memory != FUSE_NOTHING)
        c = emit_load(m, &m->p->leaf[n->memory], group);
    else if (n->kind == GNDI_FUSE_INDEX)
        c = emit_index(m, n, group);
    else if (n->kind == GNDI_FUSE_REDUCE)
        c = emit_reduce(m, n);
    else
        c = emit_node(m, n, group);
    return *known = c;
}

/* ---- stores --------------------------------------------------------------------------------- */

static void store_to(maker *m, uint16_t value, char *data, const fuse_space *own, const int64_t *strides,
                     const fuse_group *group) {
    const gnd_dtype dtype = (gnd_dtype)m->plan->code[value].dtype;
    const uint16_t k = add_memory(m, data, dtype, true, own, strides, group);
    const uint16_t c = add_code(m, GNDI_FUSE_STORE, dtype, group != NULL);
    m->plan->code[c].in[0] = value, m->plan->code[c].at = k;
}

/* Adds all stores of a wanted node. */
static void make_wanted(maker *m, uint16_t number) {
    fuse_program *p = m->p;
    const fuse_node *n = &p->node[number];
    const bool row = n->row && n->memory == FUSE_NOTHING;
    const fuse_group *group = row ? &p->group[n->group] : NULL;
    const fuse_space *own = &p->space[n->space];
    const uint16_t value = emit(m, number, group);
    if (m->full) return;
    if (n->array && n->wanted && !m->job->late)
        store_to(m, value, n->array->buffer->base, own, n->array->strides, group);
    for (int i = 0; i < p->targets; i++) {
        const fuse_target *t = &p->target[i];
        if (t->node == number && t->late == m->job->late) store_to(m, value, t->data, own, t->strides, group);
    }
    if (n->store != FUSE_NOTHING && !m->job->late)
        store_to(m, value, p->leaf[n->store].data, own, p->leaf[n->store].strides, group);
}

/* ---- the plan ------------------------------------------------------------------------------- */

static gndi_fuse_shape shape_of(const gndi_fuse_plan *plan) {
    bool reduces = false;
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        reduces |= c->kind == GNDI_FUSE_REDUCE;
        for (int k = 0; k < 3 && !c->row; k++)
            if (c->in[k] != GNDI_FUSE_NONE && plan->code[c->in[k]].row) return GNDI_FUSE_ROWS;
    }
    return reduces ? GNDI_FUSE_REDUCE_ONLY : GNDI_FUSE_MAP;
}

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* A hash of what a compiled program depends on. */
static uint64_t key_of(const gndi_fuse_plan *plan) {
    uint64_t hash = mix((uint64_t)plan->shape_of, plan->contract);
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        hash = mix(hash, c->kind | (uint64_t)c->op << 8 | (uint64_t)c->loop << 16 | (uint64_t)c->dtype << 24 |
                             (uint64_t)c->row << 32 | (uint64_t)c->at << 48);
        hash = mix(hash, c->in[0] | (uint64_t)c->in[1] << 16 | (uint64_t)c->in[2] << 32);
    }
    for (int k = 0; k < plan->operands; k++)
        hash = mix(hash, plan->operand[k].dtype | (uint64_t)plan->operand[k].store << 8);
    for (int k = 0; k < plan->reductions; k++)
        hash = mix(hash, plan->reduction[k].reducer | (uint64_t)plan->reduction[k].finish << 8 |
                             (uint64_t)plan->reduction[k].loop << 16);
    return hash;
}

int gndi_fuse_make_plan(fuse_program *p, const fuse_job *job, int begin) {
    gndi_fuse_plan *plan = &p->plan;
    maker m;
    m.p = p, m.plan = plan, m.job = job, m.full = false;
    memset(m.element, 0xFF, (size_t)p->nodes * sizeof m.element[0]);
    memset(m.row, 0xFF, (size_t)p->nodes * sizeof m.row[0]);
    plan->count = plan->operands = plan->constants = plan->reductions = plan->parameters = 0;
    plan->contract = p->contract, plan->executor = p->executor;

    int made = 0;
    for (int k = begin; k < job->count; k++, made++) {
        const int count = plan->count, operands = plan->operands, constants = plan->constants;
        const int reductions = plan->reductions, parameters = plan->parameters;
        make_wanted(&m, job->node[k]);
        if (!m.full) continue;
        plan->count = count, plan->operands = operands, plan->constants = constants;
        plan->reductions = reductions, plan->parameters = parameters;
        break;
    }
    if (!made) return 0;
    plan->shape_of = shape_of(plan);
    const fuse_space *space = &p->space[job->space];
    gndi_fuse_plan_axes(plan, space->ndim, space->shape, plan->shape_of == GNDI_FUSE_MAP ? 0 : job->reduced);
    plan->key = key_of(plan);
    return made;
}
