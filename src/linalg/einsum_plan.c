/*
 * einsum_plan.c: gnd_einsum_path, a path with its costs, as data and as NumPy's table. All strings
 * are appended to one growing text and identified by their offsets; at the end plan, steps, indices
 * and text move into one block of memory.
 */
#include "linalg/einsum.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_einsum_path

/* ---- text that grows ------------------------------------------------------------------------ */

typedef struct text {
    const char *fn;
    char *data;
    size_t used, capacity;
    bool failed;
} text;

/* Grows the buffer by at least `bytes`; false without memory. */
static bool reserve(text *t, size_t bytes) {
    if (t->failed) return false;
    if (t->used + bytes <= t->capacity) return true;
    const size_t capacity = 2 * (t->used + bytes) + 256;
    char *data = gndi_realloc(t->fn, t->data, capacity);
    t->failed = !data;
    if (data) t->data = data, t->capacity = capacity;
    return !t->failed;
}

static void put(text *t, const char *from, size_t bytes) {
    if (!reserve(t, bytes)) return;
    memcpy(t->data + t->used, from, bytes);
    t->used += bytes;
}

static void put_line(text *t, const char *fmt, ...) GND_PRINTF(2, 3);
static void put_line(text *t, const char *fmt, ...) {
    enum { MOST = 512 }; /* the longest double in %.3f has 314 characters */
    va_list list;
    if (!reserve(t, MOST)) return;
    va_start(list, fmt);
    const int n = vsnprintf(t->data + t->used, MOST, fmt, list);
    va_end(list);
    t->used += n < 0 ? 0 : n < MOST ? (size_t)n : MOST - 1;
}

/* Terminates a string; its offset is the value of t->used before it was written. */
static void put_end(text *t) {
    put(t, "", 1);
}

static void put_term(text *t, const gndi_term *term) {
    char letters[GND_MAX_DIMS];
    for (int i = 0; i < term->ndim; i++) letters[i] = gndi_label_letter(term->label[i]);
    put(t, letters, (size_t)term->ndim);
}

static void put_terms(text *t, int count, const gndi_term *const *terms) {
    for (int i = 0; i < count; i++) {
        if (i) put(t, ",", 1);
        put_term(t, terms[i]);
    }
}

/* A string on the right of a column. It may be in the text itself, which moves as it grows. */
static void put_right(text *t, size_t string, size_t width) {
    const size_t length = t->failed ? 0 : strlen(t->data + string);
    for (size_t i = length; i < width; i++) put(t, " ", 1);
    for (size_t i = 0; i < length; i++) {
        const char c = t->failed ? ' ' : t->data[string + i];
        put(t, &c, 1);
    }
}

/* ---- the steps ------------------------------------------------------------------------------ */

/* A step before its strings have their final addresses. */
typedef struct draft {
    gnd_einsum_step step;
    size_t operands, subscripts, remaining; /* offsets in the text */
} draft;

typedef struct planner {
    const gndi_einsum *e;
    int left; /* remaining terms; a step's result comes last */
    gndi_labels *sets;
    const gndi_term **terms;
    gndi_term *made;
    int *indices; /* of all steps */
    size_t placed;
    draft *drafts;
    int count;
    text strings;
} planner;

/* Orders the axes of a step's result by size, then by letter, as NumPy does. False if there are more than an array can
   have. */
static bool order_by_size(const gndi_einsum *e, gndi_labels set, gndi_term *term) {
    int label;
    term->ndim = 0;
    if (gndi_label_count(set) > GND_MAX_DIMS) {
        gndi_raise(GND_ERROR_SHAPE, e->fn, "a step would make an array of %d dimensions; the most is %d",
                   gndi_label_count(set), GND_MAX_DIMS);
        return false;
    }
    GNDI_EACH_LABEL(label, set) {
        int at = term->ndim++;
        for (; at > 0 && e->size[term->label[at - 1]] > e->size[label]; at--) term->label[at] = term->label[at - 1];
        term->label[at] = (uint8_t)label;
    }
    return true;
}

static void cost_step(planner *p, draft *d, gndi_labels all, gndi_labels result) {
    const int64_t *size = p->e->size;
    d->step.scaling = gndi_label_count(all);
    d->step.flops = gndi_step_flops(all, result != all, d->step.count, size);
    d->step.size = gndi_labels_size(result, size);
}

/* "kl,jk->jl": a step's subscripts, with its operands from the last to the first. */
static void write_step(planner *p, draft *d, const gndi_term *result) {
    d->subscripts = p->strings.used;
    for (int k = d->step.count; k-- > 0;) {
        put_term(&p->strings, p->terms[p->indices[d->operands + (size_t)k]]);
        put(&p->strings, k ? "," : "->", k ? 1 : 2);
    }
    put_term(&p->strings, result);
    put_end(&p->strings);
}

static void write_remaining(planner *p, draft *d) {
    d->remaining = p->strings.used;
    put_terms(&p->strings, p->left, p->terms);
    put(&p->strings, "->", 2);
    put_term(&p->strings, &p->e->out);
    put_end(&p->strings);
}

/* Whether the step takes operand i. */
static bool takes(const planner *p, const draft *d, int i) {
    for (int k = 0; k < d->step.count; k++)
        if (p->indices[d->operands + (size_t)k] == i) return true;
    return false;
}

static bool draft_step(planner *p, gndi_path_step step, bool last) {
    draft *d = &p->drafts[p->count];
    gndi_term *made = &p->made[p->count++];
    gndi_labels all = 0, keep = gndi_term_set(&p->e->out);
    const bool pair = step.first != GNDI_ALL_LEFT;
    d->operands = p->placed, d->step.count = pair ? 2 : p->left;
    for (int k = 0; k < d->step.count; k++) p->indices[p->placed++] = !pair ? k : k ? step.second : step.first;
    int n = 0;
    for (int i = 0; i < p->left; i++)
        if (takes(p, d, i))
            all |= p->sets[i];
        else
            keep |= p->sets[i];
    cost_step(p, d, all, all & keep);
    if (last)
        *made = p->e->out;
    else if (!order_by_size(p->e, all & keep, made))
        return false;
    write_step(p, d, made);
    for (int i = 0; i < p->left; i++)
        if (!takes(p, d, i)) p->terms[n] = p->terms[i], p->sets[n++] = p->sets[i];
    p->terms[n] = made, p->sets[n++] = all & keep;
    p->left = n;
    write_remaining(p, d);
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* The costs of all steps, and of one sum of products. NumPy counts an addition there if any axis is
   in two operands. */
static void sum_up(const planner *p, gnd_einsum_plan *plan) {
    const gndi_einsum *e = p->e;
    gndi_labels all = 0;
    int axes = 0;
    for (int i = 0; i < e->count; i++) {
        const gndi_labels set = gndi_term_set(&e->terms[i]);
        axes += gndi_label_count(set);
        all |= set;
    }
    plan->count = p->count;
    plan->naive_scaling = gndi_label_count(all);
    plan->naive_flops = gndi_step_flops(all, axes > plan->naive_scaling, e->count, e->size);
    plan->flops = 1, plan->scaling = 0, plan->largest = 0;
    for (int i = 0; i < p->count; i++) {
        const gnd_einsum_step *step = &p->drafts[i].step;
        plan->flops += step->flops;
        if (step->scaling > plan->scaling) plan->scaling = step->scaling;
        if (step->size > plan->largest) plan->largest = step->size;
    }
    plan->speedup = plan->naive_flops / plan->flops;
}

static void put_rule(text *t) {
    for (int i = 0; i < 74; i++) put(t, "-", 1);
}

/* Writes NumPy's table; returns its offset. */
static size_t write_table(planner *p, const gnd_einsum_plan *plan, size_t subscripts) {
    text *t = &p->strings;
    const size_t start = t->used;
    put_line(t, "  Complete contraction:  ");
    put_right(t, subscripts, 0);
    put_line(t, "\n         Naive scaling:  %d\n", plan->naive_scaling);
    put_line(t, "     Optimized scaling:  %d\n", plan->scaling);
    put_line(t, "      Naive FLOP count:  %.3e\n", plan->naive_flops);
    put_line(t, "  Optimized FLOP count:  %.3e\n", plan->flops);
    put_line(t, "   Theoretical speedup:  %3.3f\n", plan->speedup);
    put_line(t, "  Largest intermediate:  %.3e elements\n", plan->largest);
    put_rule(t);
    put_line(t, "\n%6s %24s %40s\n", "scaling", "current", "remaining");
    put_rule(t);
    for (int i = 0; i < p->count; i++) {
        const draft *d = &p->drafts[i];
        put_line(t, "\n%4d    ", d->step.scaling);
        put_right(t, d->subscripts, 24);
        put(t, " ", 1);
        put_right(t, d->remaining, 40);
    }
    put_end(t);
    return start;
}

/* Everything in one block: the plan, its steps, their operands, all strings. */
static gnd_einsum_plan *pack(const planner *p, gnd_einsum_plan plan, size_t subscripts, size_t table) {
    const size_t steps_bytes = (size_t)p->count * sizeof(gnd_einsum_step);
    const size_t indices_bytes = p->placed * sizeof(int);
    char *block = gndi_malloc(p->e->fn, sizeof plan + steps_bytes + indices_bytes + p->strings.used);
    if (!block) return NULL;
    gnd_einsum_plan *packed = (gnd_einsum_plan *)(void *)block;
    gnd_einsum_step *steps = (gnd_einsum_step *)(void *)(block + sizeof plan);
    int *indices = (int *)(void *)(block + sizeof plan + steps_bytes);
    char *strings = block + sizeof plan + steps_bytes + indices_bytes;
    memcpy(indices, p->indices, indices_bytes);
    memcpy(strings, p->strings.data, p->strings.used);
    for (int i = 0; i < p->count; i++) {
        const draft *d = &p->drafts[i];
        steps[i] = d->step;
        steps[i].operands = indices + d->operands;
        steps[i].subscripts = strings + d->subscripts;
        steps[i].remaining = strings + d->remaining;
    }
    plan.steps = steps, plan.subscripts = strings + subscripts, plan.text = strings + table;
    *packed = plan;
    return packed;
}

static gnd_einsum_plan *write_plan(planner *p, int count, const gndi_path_step *steps) {
    gnd_einsum_plan plan;
    const size_t subscripts = p->strings.used;
    put_terms(&p->strings, p->left, p->terms);
    put(&p->strings, "->", 2);
    put_term(&p->strings, &p->e->out);
    put_end(&p->strings);
    for (int i = 0; i < count; i++)
        if (!draft_step(p, steps[i], i == count - 1)) return NULL;
    sum_up(p, &plan);
    const size_t table = write_table(p, &plan, subscripts);
    return p->strings.failed ? NULL : pack(p, plan, subscripts, table);
}

/* Elements of the largest operand or of the result. */
static double largest_term(const gndi_einsum *e) {
    double largest = gndi_labels_size(gndi_term_set(&e->out), e->size);
    for (int i = 0; i < e->count; i++) {
        double size = 1;
        for (int k = 0; k < e->terms[i].ndim; k++) size *= (double)e->size[e->terms[i].label[k]];
        if (size > largest) largest = size;
    }
    return largest;
}

static int find_path(const gndi_einsum *e, const gndi_labels *sets, const gnd_einsum_options *options,
                     gndi_path_step *steps) {
    gndi_labels all = 0;
    gndi_path_problem p = {.count = e->count, .sets = sets, .out = gndi_term_set(&e->out), .size = e->size};
    for (int i = 0; i < e->count; i++) all |= sets[i];
    p.memory_limit = options->memory_limit > 0 ? options->memory_limit : largest_term(e);
    if (e->count <= 2 || all == p.out || options->method == GND_EINSUM_AT_ONCE) {
        steps[0] = (gndi_path_step){GNDI_ALL_LEFT, GNDI_ALL_LEFT};
        return 1;
    }
    return options->method == GND_EINSUM_OPTIMAL ? gndi_path_optimal(e->fn, &p, steps)
                                                 : gndi_path_greedy(e->fn, &p, steps);
}

static gnd_einsum_plan *plan_for(const gndi_einsum *e, const gnd_einsum_options *options) {
    const size_t count = (size_t)e->count;
    planner p = {.e = e, .left = e->count, .strings = {.fn = e->fn}};
    gnd_einsum_plan *plan = NULL;
    gndi_path_step *steps = gndi_malloc(e->fn, count * sizeof *steps);
    p.sets = steps ? gndi_malloc(e->fn, count * sizeof *p.sets) : NULL;
    p.terms = p.sets ? gndi_malloc(e->fn, count * sizeof *p.terms) : NULL;
    p.made = p.terms ? gndi_malloc(e->fn, count * sizeof *p.made) : NULL;
    p.indices = p.made ? gndi_malloc(e->fn, 3 * count * sizeof *p.indices) : NULL;
    p.drafts = p.indices ? gndi_malloc(e->fn, count * sizeof *p.drafts) : NULL;
    if (p.drafts) {
        for (int i = 0; i < e->count; i++) p.terms[i] = &e->terms[i], p.sets[i] = gndi_term_set(&e->terms[i]);
        const int found = find_path(e, p.sets, options, steps);
        if (found) plan = write_plan(&p, found, steps);
    }
    gndi_free(p.strings.data);
    gndi_free(p.drafts);
    gndi_free(p.indices);
    gndi_free(p.made);
    gndi_free(p.terms);
    gndi_free(p.sets);
    gndi_free(steps);
    return plan;
}

gnd_einsum_plan *gnd_einsum_path(const char *subscripts, int count, const gnd_array *const arrays[],
                                 const gnd_einsum_options *options) {
    static const char fn[] = "gnd_einsum_path";
    static const gnd_einsum_options defaults;
    if (!options) options = &defaults;
    if ((unsigned)options->method > GND_EINSUM_AT_ONCE)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "there is no method number %d; there are GND_EINSUM_GREEDY (%d), "
                          "GND_EINSUM_OPTIMAL (%d) and GND_EINSUM_AT_ONCE (%d)",
                          (int)options->method, GND_EINSUM_GREEDY, GND_EINSUM_OPTIMAL, GND_EINSUM_AT_ONCE),
               NULL;
    if (!(options->memory_limit >= 0))
        return gndi_raise(GND_ERROR_INVALID, fn, "the memory limit is %g elements; it takes a positive one, or 0",
                          options->memory_limit),
               NULL;
    gndi_einsum *e = gndi_einsum_parse(fn, subscripts, count, arrays);
    if (!e) return NULL;
    gnd_einsum_plan *plan = plan_for(e, options);
    gndi_free(e);
    return gndi_owned("a plan of einsum", plan, fn);
}

void gnd_einsum_plan_free(gnd_einsum_plan *plan) {
    gndi_disowned(plan);
    gndi_free(plan);
}
