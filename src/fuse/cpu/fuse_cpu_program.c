/*
 * fuse_cpu_program.c: from a plan's instructions to the steps of a worker: the phase of each, the values that
 * are kept for later phases or computed again, those computed directly in the output's memory, and the tile
 * buffers that values share: a buffer is free after its value's last use.
 */
#include "fuse/cpu/fuse_cpu.h"

/* More of them would fill the caches: further ones are broadcast where they are used. */
enum { PINNED_CONSTANTS = 24 };

typedef struct builder {
    fuse_job *job;
    const gndi_fuse_plan *plan;
    fuse_step *next;
    int16_t *same;   /* of a constant: the first equal one */
    int16_t *needed; /* of an instruction: the first phase that needs it */
    /* Of each value: */
    int16_t *first_phase, *last_phase; /* of its users */
    int16_t *made;                     /* the phase in which it was last computed, plus 1 */
    int16_t *step_of, *last_step;      /* the step that computes it, and the last that uses it */
    bool *taken;                       /* of each slot */
} builder;

static int log2_size(int dtype) {
    return __builtin_ctz(gndi_dtype_sizes[dtype]);
}

static int value_of(const gndi_fuse_plan *plan, int code) {
    const gndi_fuse_code *c = &plan->code[code];
    return c->kind == GNDI_FUSE_SECOND ? fuse_second(plan, c->in[0]) : code;
}

static int code_of(const builder *b, int value) {
    return value % b->plan->count;
}

static int input_count(const gndi_fuse_code *c) {
    switch (c->kind) {
    case GNDI_FUSE_LOAD:
    case GNDI_FUSE_CONST:
    case GNDI_FUSE_INDEX: return 0;
    case GNDI_FUSE_OP: return gndi_ops[c->op].nin;
    default: return 1;
    }
}

static int input(const builder *b, int code, int k) {
    const int value = value_of(b->plan, b->plan->code[code].in[k]);
    return b->plan->code[code_of(b, value)].kind == GNDI_FUSE_CONST ? b->same[value] : value;
}

static bool makes_value(const gndi_fuse_code *c) {
    return c->kind != GNDI_FUSE_STORE && c->kind != GNDI_FUSE_SECOND;
}

/* ---- values --------------------------------------------------------------------------------- */

static void note_value(fuse_job *job, int value, int dtype, bool row) {
    fuse_value *v = &job->value[value];
    v->dtype = (uint8_t)dtype, v->size_log2 = (uint8_t)log2_size(dtype), v->row = row;
}

/* The first constant with the same bits. */
static int first_like(const builder *b, int code) {
    const gndi_fuse_plan *plan = b->plan;
    const gndi_fuse_code *c = &plan->code[code];
    const size_t bytes = gndi_dtype_sizes[c->dtype];
    for (int i = 0; i < code; i++)
        if (plan->code[i].kind == GNDI_FUSE_CONST && plan->code[i].dtype == c->dtype &&
            !memcmp(&plan->constant[plan->code[i].at], &plan->constant[c->at], bytes))
            return i;
    return code;
}

static void describe_values(builder *b) {
    fuse_job *job = b->job;
    const gndi_fuse_plan *plan = b->plan;
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        if (!makes_value(c)) continue;
        const bool row = !job->map && c->row && c->kind != GNDI_FUSE_CONST;
        note_value(job, i, c->dtype, row);
        job->value[i].rereads = !row && (c->kind == GNDI_FUSE_CONST || c->kind == GNDI_FUSE_INDEX ||
                                         (c->kind == GNDI_FUSE_LOAD && !job->operand[c->at].aliased));
        if (c->kind == GNDI_FUSE_CONST) b->same[i] = (int16_t)first_like(b, i);
        if (c->kind == GNDI_FUSE_OP && gndi_ops[c->op].nout == 2)
            note_value(job, fuse_second(plan, i), gndi_letter_dtype(gndi_ops[c->op].out[1], (gnd_dtype)c->loop), row);
    }
}

/* ---- phases --------------------------------------------------------------------------------- */

/* The phase before whose tiles a row's value is ready (an element's: in whose tiles). */
static int ready_in(const builder *b, int value) {
    const int code = code_of(b, value);
    return b->job->value[code].phase + (b->plan->code[code].kind == GNDI_FUSE_REDUCE);
}

/* Delays instructions to the first phase that needs them, if no other value has to be kept for that. */
static void delay(builder *b) {
    for (int i = 0; i < b->plan->count; i++) b->needed[i] = INT16_MAX;
    for (int i = b->plan->count - 1; i >= 0; i--) {
        const gndi_fuse_code *c = &b->plan->code[i];
        fuse_value *v = &b->job->value[i];
        bool free =
            makes_value(c) && c->kind != GNDI_FUSE_REDUCE && !v->row && !v->rereads && c->kind != GNDI_FUSE_LOAD;
        for (int k = 0; free && k < input_count(c); k++) {
            const fuse_value *x = &b->job->value[input(b, i, k)];
            free = x->rereads || x->row;
        }
        if (free && b->needed[i] != INT16_MAX && b->needed[i] > v->phase) v->phase = b->needed[i];
        for (int k = 0; k < input_count(c); k++) {
            int16_t *by = &b->needed[code_of(b, input(b, i, k))];
            if (b->job->value[i].phase < *by) *by = b->job->value[i].phase;
        }
    }
}

static void find_phases(builder *b) {
    fuse_job *job = b->job;
    const gndi_fuse_plan *plan = b->plan;
    job->phases = 1;
    for (int i = 0; i < plan->count; i++) {
        int phase = 0;
        for (int k = 0; k < input_count(&plan->code[i]); k++) {
            const int from = ready_in(b, input(b, i, k));
            if (from > phase) phase = from;
        }
        job->value[i].phase = (int16_t)phase;
    }
    if (!job->map) delay(b);
    for (int v = 0; v < job->values; v++) b->first_phase[v] = INT16_MAX, b->last_phase[v] = -1;
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        const bool element = c->kind == GNDI_FUSE_REDUCE || !job->value[i].row;
        const int16_t phase = job->value[i].phase;
        if (c->kind == GNDI_FUSE_SECOND) continue;
        if (c->kind == GNDI_FUSE_STORE && (c->row || job->value[input(b, i, 0)].row) && !job->map) continue;
        if (element && phase >= job->phases) job->phases = phase + 1;
        for (int k = 0; k < input_count(c); k++) {
            const int value = input(b, i, k);
            if (phase < b->first_phase[value]) b->first_phase[value] = phase;
            if (phase > b->last_phase[value]) b->last_phase[value] = phase;
        }
    }
}

/* ---- memory that is loaded and stored ------------------------------------------------------- */

static void extent(const gndi_fuse_plan *plan, int operand, const char **low, const char **high) {
    *low = plan->operand[operand].data;
    *high = *low + gndi_dtype_sizes[plan->operand[operand].dtype];
    for (int i = 0; i < plan->ndim; i++) {
        const int64_t last = plan->stride[operand][i] * (plan->shape[i] - 1);
        if (last < 0)
            *low += last;
        else
            *high += last;
    }
}

static bool meet(const gndi_fuse_plan *plan, int a, int b) {
    const char *low_a, *high_a, *low_b, *high_b;
    if (!plan->operand[a].data || !plan->operand[b].data) return false;
    extent(plan, a, &low_a, &high_a), extent(plan, b, &low_b, &high_b);
    return low_a < high_b && low_b < high_a;
}

/* A load of memory that is also stored to may be used in place if nothing needs it once the stored value is
   computed; else it is copied at its position in the code. */
static void find_aliases(builder *b) {
    const gndi_fuse_plan *plan = b->plan;
    fuse_job *job = b->job;
    int16_t last[GNDI_FUSE_OPERANDS];
    memset(last, 0, sizeof last);
    for (int i = 0; i < plan->count; i++)
        for (int k = 0; k < input_count(&plan->code[i]); k++) {
            const gndi_fuse_code *x = &plan->code[plan->code[i].in[k]];
            if (x->kind == GNDI_FUSE_LOAD) last[x->at] = (int16_t)i;
        }
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        if (c->kind != GNDI_FUSE_STORE) continue;
        const int made = code_of(b, value_of(plan, c->in[0]));
        for (int k = 0; k < plan->operands; k++) {
            if (plan->operand[k].store || !meet(plan, k, c->at)) continue;
            const bool early = job->map && last[k] <= made && plan->operand[k].dtype == plan->operand[c->at].dtype;
            if (!early) job->operand[k].aliased = job->operand[c->at].aliased = true;
        }
    }
}

/* ---- steps ---------------------------------------------------------------------------------- */

static fuse_step *add_step(builder *b, fuse_steps *list, int code) {
    const gndi_fuse_code *c = &b->plan->code[code];
    const gndi_cpu_kernels *kernels = b->job->kernels;
    fuse_step *s = b->next++;
    if (!list->count++) list->step = s;
    *s = (fuse_step){.kind = c->kind, .at = c->at, .to = (uint16_t)code, .nout = 1};
    s->output[0] = s->output[1] = -1;
    s->nin = (uint8_t)input_count(c);
    for (int k = 0; k < s->nin; k++) s->in[k] = (uint16_t)input(b, code, k);
    if (c->kind == GNDI_FUSE_OP) {
        s->op = kernels->op[c->op][c->loop];
        s->nout = gndi_ops[c->op].nout, s->second = (uint16_t)fuse_second(b->plan, code);
        s->params = b->plan->params[gndi_ops[c->op].flags & PARAMS ? c->at : 0];
    } else if (c->kind == GNDI_FUSE_CAST) {
        s->cast = kernels->cast[b->job->value[s->in[0]].dtype][c->dtype];
    }
    return s;
}

/* A row's value, broadcast for an element step. */
static int spread(builder *b, fuse_steps *list, int phase, int value) {
    const int to = fuse_spread(b->plan, value);
    if (b->made[to] == phase + 1) return to;
    b->made[to] = (int16_t)(phase + 1);
    note_value(b->job, to, b->job->value[value].dtype, false);
    fuse_step *s = b->next++;
    if (!list->count++) list->step = s;
    *s = (fuse_step){.kind = FUSE_STEP_SPREAD, .nin = 1, .nout = 1, .to = (uint16_t)to};
    s->in[0] = (uint16_t)value, s->output[0] = s->output[1] = -1;
    b->job->value[to].home = FUSE_PINNED;
    return to;
}

/* Adds the element step of an instruction, and before it those operands that each phase computes again. */
static void add_element(builder *b, int phase, int code) {
    fuse_steps *list = &b->job->elements[phase];
    const gndi_fuse_code *c = &b->plan->code[code];
    uint16_t in[3] = {0};
    for (int k = 0; k < input_count(c); k++) {
        const int value = input(b, code, k);
        const fuse_value *v = &b->job->value[value];
        in[k] = (uint16_t)(v->row ? spread(b, list, phase, value) : value);
        if (!v->rereads || b->made[value] == phase + 1) continue;
        b->made[value] = (int16_t)(phase + 1);
        if (v->home != FUSE_PINNED || b->plan->code[value].kind != GNDI_FUSE_CONST) add_step(b, list, value);
    }
    memcpy(add_step(b, list, code)->in, in, sizeof in);
}

static void add_steps(builder *b) {
    fuse_job *job = b->job;
    const gndi_fuse_plan *plan = b->plan;
    for (int phase = 0; phase <= job->phases; phase++) {
        for (int i = 0; i < plan->count; i++) {
            const gndi_fuse_code *c = &plan->code[i];
            if (job->value[i].phase != phase || !makes_value(c) || c->kind == GNDI_FUSE_REDUCE) continue;
            if (job->value[i].row) add_step(b, &job->rows[phase], i);
        }
        for (int i = 0; phase < job->phases && i < plan->count; i++) {
            const gndi_fuse_code *c = &plan->code[i];
            const bool store = c->kind == GNDI_FUSE_STORE;
            if (job->value[i].phase != phase || c->kind == GNDI_FUSE_SECOND) continue;
            if (store && !job->map && (c->row || job->value[input(b, i, 0)].row)) continue;
            if (c->kind != GNDI_FUSE_REDUCE && (job->value[i].row || job->value[i].rereads)) continue;
            add_element(b, phase, i);
        }
    }
    for (int i = 0; i < plan->count && !job->map; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        if (c->kind == GNDI_FUSE_STORE && (c->row || job->value[input(b, i, 0)].row)) add_step(b, &job->row_stores, i);
    }
}

/* ---- where values are stored ---------------------------------------------------------------- */

/* Whether a load's buffer stays valid from tile to tile. */
static bool stays(const fuse_job *job, int operand) {
    const int64_t *stride = job->plan->stride[operand];
    const fuse_operand *o = &job->operand[operand];
    if (!job->plan->ndim) return false;
    if (job->layout == FUSE_LINEAR) return o->periodic || (job->run >= FUSE_LONG && stride[job->plan->ndim - 1] == 0);
    return stride[job->axis_a] == 0 || stride[job->axis_b] == 0;
}

static void find_homes(builder *b) {
    fuse_job *job = b->job;
    const gndi_fuse_plan *plan = b->plan;
    int constants = 0;
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        fuse_value *v = &job->value[i], *second = &job->value[fuse_second(plan, i)];
        if (!makes_value(c)) continue;
        if (v->row) {
            v->home = FUSE_ROW, second->home = FUSE_ROW;
            v->copied = true;
        } else if (v->rereads) {
            const bool many = b->first_phase[i] != b->last_phase[i];
            if (c->kind == GNDI_FUSE_CONST)
                v->home =
                    b->same[i] == i && (constants++ < PINNED_CONSTANTS || many || !job->map) ? FUSE_PINNED : FUSE_SLOT;
            else
                v->home = many || (c->kind == GNDI_FUSE_LOAD && stays(job, c->at)) ? FUSE_PINNED : FUSE_SLOT;
        } else {
            v->home = b->last_phase[i] > v->phase ? FUSE_KEPT : FUSE_SLOT;
            v->copied = c->kind == GNDI_FUSE_LOAD;
            if (v->home == FUSE_KEPT) job->kept[job->kept_count++] = (uint16_t)i;
            if (c->kind != GNDI_FUSE_OP || gndi_ops[c->op].nout != 2) continue;
            const int x = fuse_second(plan, i);
            second->home = b->last_phase[x] > v->phase ? FUSE_KEPT : FUSE_SLOT;
            if (second->home == FUSE_KEPT) job->kept[job->kept_count++] = (uint16_t)x;
        }
    }
}

/* ---- slots ---------------------------------------------------------------------------------- */

/* Takes the smallest free slot that is large enough, or a new one. */
static int take_slot(builder *b, int log2) {
    fuse_job *job = b->job;
    int best = -1;
    for (int i = 0; i < job->slots; i++)
        if (!b->taken[i] && job->slot[i].size_log2 >= log2 &&
            (best < 0 || job->slot[i].size_log2 < job->slot[best].size_log2))
            best = i;
    if (best < 0) best = job->slots++, job->slot[best].size_log2 = log2;
    b->taken[best] = true;
    return best;
}

/* Lets a value take over the slot of an input that is used here for the last time: each element replaces its own
   input. */
static bool take_over(builder *b, const fuse_step *step, int at, int value) {
    fuse_value *v = &b->job->value[value];
    if (step->kind != GNDI_FUSE_OP && step->kind != GNDI_FUSE_CAST) return false;
    for (int k = 0; k < step->nin; k++) {
        const fuse_value *x = &b->job->value[step->in[k]];
        if (x->home != FUSE_SLOT || b->last_step[step->in[k]] != at || !b->taken[x->slot] ||
            x->size_log2 != v->size_log2)
            continue;
        b->last_step[step->in[k]] = -1; /* the slot is not freed */
        v->slot = x->slot;
        return true;
    }
    return false;
}

static void give_back(builder *b, int value, int at) {
    const fuse_value *v = &b->job->value[value];
    if (v->home == FUSE_SLOT && b->last_step[value] == at) {
        b->taken[v->slot] = false;
        b->last_step[value] = -1;
    }
}

static void set_outputs(builder *b, fuse_step *step, int at) {
    for (int k = 0; k < step->nout; k++) {
        const int value = k ? step->second : step->to;
        fuse_value *v = &b->job->value[value];
        if (v->home != FUSE_SLOT) continue;
        if (!take_over(b, step, at, value)) v->slot = (int16_t)take_slot(b, v->size_log2);
    }
    for (int k = 0; k < step->nin; k++) give_back(b, step->in[k], at);
    for (int k = 0; k < step->nout; k++) {
        const int value = k ? step->second : step->to;
        if (b->last_step[value] < 0 && b->job->value[value].home == FUSE_SLOT)
            b->taken[b->job->value[value].slot] = false; /* the value is not used */
    }
}

/* Computes a stored value directly in the output's memory, unless that is still to be read. */
static void compute_in_place(builder *b, const fuse_steps *list, int at) {
    const fuse_step *store = &list->step[at];
    const int value = store->in[0];
    if (b->job->value[value].home != FUSE_SLOT || b->job->operand[store->at].aliased) return;
    if (b->step_of[value] < 0) return;
    fuse_step *maker = &list->step[b->step_of[value]];
    const bool computes = maker->kind == GNDI_FUSE_OP || maker->kind == GNDI_FUSE_CAST ||
                          maker->kind == GNDI_FUSE_RANGE || maker->kind == GNDI_FUSE_UNIFORM;
    const int k = value != maker->to;
    if (computes && maker->output[k] < 0) maker->output[k] = (int16_t)store->at;
}

static void find_slots(builder *b, const fuse_steps *list) {
    memset(b->taken, 0, (size_t)b->job->values);
    for (int v = 0; v < b->job->values; v++) b->last_step[v] = b->step_of[v] = -1;
    for (int i = 0; i < list->count; i++) {
        const fuse_step *step = &list->step[i];
        for (int k = 0; k < step->nin; k++) b->last_step[step->in[k]] = (int16_t)i;
        if (step->kind == GNDI_FUSE_STORE || step->kind == GNDI_FUSE_REDUCE) continue;
        b->step_of[step->to] = (int16_t)i;
        if (step->nout == 2) b->step_of[step->second] = (int16_t)i;
    }
    for (int i = 0; i < list->count; i++) {
        fuse_step *step = &list->step[i];
        const bool makes = step->kind != GNDI_FUSE_STORE && step->kind != GNDI_FUSE_REDUCE;
        if (step->kind == GNDI_FUSE_STORE) compute_in_place(b, list, i);
        if (makes)
            set_outputs(b, step, i);
        else
            give_back(b, step->in[0], i);
    }
}

/* Allocates the builder's tables, and the job's, which outlive it. */
static builder *new_builder(fuse_job *job, const char *fn) {
    const size_t codes = (size_t)job->plan->count, values = 4 * codes;
    const size_t numbers = (2 * codes + 5 * values) * sizeof(int16_t);
    builder *b = gndi_calloc(fn, sizeof *b + numbers + values);
    job->values = (int)values;
    job->value = gndi_calloc(fn, values * (sizeof *job->value + sizeof *job->slot + sizeof *job->kept));
    if (!b || !job->value) {
        gndi_free(b);
        return NULL;
    }
    job->slot = (fuse_slot *)(job->value + values);
    job->kept = (uint16_t *)(job->slot + values);
    b->job = job, b->plan = job->plan;
    b->same = (int16_t *)(b + 1), b->needed = b->same + codes;
    b->first_phase = b->needed + codes, b->last_phase = b->first_phase + values;
    b->made = b->last_phase + values, b->step_of = b->made + values;
    b->last_step = b->step_of + values, b->taken = (bool *)(b->last_step + values);
    return b;
}

bool gndi_fuse_build(fuse_job *job, const char *fn) {
    const gndi_fuse_plan *plan = job->plan;
    builder *b = new_builder(job, fn);
    if (!b) return false;
    find_aliases(b);
    describe_values(b);
    find_phases(b);
    int64_t most = plan->count;
    for (int i = 0; i < plan->count; i++)
        if (job->value[i].rereads || job->value[i].row) most += 2 * job->phases;
    job->steps = b->next = gndi_malloc(fn, (size_t)most * sizeof(fuse_step));
    if (job->steps) {
        find_homes(b);
        add_steps(b);
        for (int phase = 0; phase < job->phases; phase++) find_slots(b, &job->elements[phase]);
    }
    gndi_free(b);
    return job->steps != NULL;
}
