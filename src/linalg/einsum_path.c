/*
 * einsum_path.c: in which order operands are contracted two by two. Both searches are those of
 * NumPy's einsum_path (which has them from opt_einsum: Smith and Gray 2018), candidate by
 * candidate, so that equal costs are decided as there. The optimal search goes depth first and gives up paths that
 * already cost more than the best known one; NumPy's keeps all paths of one length at once.
 */
#include "linalg/einsum.h"
#include <math.h>

double gndi_labels_size(gndi_labels set, const int64_t *size) {
    double product = 1;
    int label;
    GNDI_EACH_LABEL(label, set) product *= (double)size[label];
    return product;
}

double gndi_step_flops(gndi_labels all, bool sums, int operands, const int64_t *size) {
    const int multiplications = operands > 1 ? operands - 1 : 1;
    return gndi_labels_size(all, size) * (multiplications + sums);
}

/* The contraction of two of the remaining sets. */
typedef struct contraction {
    gndi_labels result;
    double size, flops;
} contraction;

static contraction contract(const gndi_path_problem *p, int count, const gndi_labels *sets, int first, int second) {
    gndi_labels keep = p->out;
    for (int i = 0; i < count; i++)
        if (i != first && i != second) keep |= sets[i];
    const gndi_labels all = sets[first] | sets[second];
    contraction c = {.result = all & keep};
    c.size = gndi_labels_size(c.result, p->size);
    c.flops = gndi_step_flops(all, c.result != all, 2, p->size);
    return c;
}

/* Removes two sets and appends their result: `after` may be `sets`. */
static void replace(int count, const gndi_labels *sets, int first, int second, gndi_labels result, gndi_labels *after) {
    int n = 0;
    for (int i = 0; i < count; i++)
        if (i != first && i != second) after[n++] = sets[i];
    after[n] = result;
}

/* ---- greedy --------------------------------------------------------------------------------- */

/* A pair that may be contracted next. */
typedef struct candidate {
    int first, second;
    double freed, flops; /* elements of the two less those of the result */
} candidate;

typedef struct greedy {
    const gndi_path_problem *problem;
    int count; /* of the remaining sets */
    gndi_labels *sets;
    int known;
    candidate *candidates;
    double spent, naive; /* operations so far; of all at once */
} greedy;

static void consider(greedy *g, int first, int second) {
    const gndi_path_problem *p = g->problem;
    const contraction c = contract(p, g->count, g->sets, first, second);
    if (!p->only_pairs && (c.size > p->memory_limit || g->spent + c.flops > g->naive)) return;
    const double freed =
        gndi_labels_size(g->sets[first], p->size) + gndi_labels_size(g->sets[second], p->size) - c.size;
    g->candidates[g->known++] = (candidate){first, second, freed, c.flops};
}

/* Pairs that share an axis; those with the newest operand alone, if the others are known. */
static void consider_inner(greedy *g, bool newest) {
    for (int i = 0; i < g->count; i++)
        for (int k = newest ? g->count - 1 : i + 1; k > i && k < g->count; k++)
            if (g->sets[i] & g->sets[k]) consider(g, i, k);
}

static void consider_all(greedy *g) {
    for (int i = 0; i < g->count; i++)
        for (int k = i + 1; k < g->count; k++) consider(g, i, k);
}

static candidate best_of(const greedy *g) {
    candidate best = g->candidates[0];
    for (int i = 1; i < g->known; i++) {
        const candidate *c = &g->candidates[i];
        if (c->freed > best.freed || (c->freed == best.freed && c->flops < best.flops)) best = *c;
    }
    return best;
}

/* Contracts a pair: drops the candidates with its two operands; the other operands move up. */
static void carry_out(greedy *g, candidate best) {
    const contraction c = contract(g->problem, g->count, g->sets, best.first, best.second);
    int kept = 0;
    for (int i = 0; i < g->known; i++) {
        candidate x = g->candidates[i];
        if (x.first == best.first || x.first == best.second || x.second == best.first || x.second == best.second)
            continue;
        x.first -= (x.first > best.first) + (x.first > best.second);
        x.second -= (x.second > best.first) + (x.second > best.second);
        g->candidates[kept++] = x;
    }
    g->known = kept;
    g->spent += best.flops;
    replace(g->count--, g->sets, best.first, best.second, c.result, g->sets);
}

static int greedy_steps(greedy *g, gndi_path_step *steps) {
    int n = 0;
    while (g->count > 1) {
        consider_inner(g, n > 0);
        if (g->known == 0) consider_all(g);
        if (g->known == 0) {
            steps[n++] = (gndi_path_step){GNDI_ALL_LEFT, GNDI_ALL_LEFT};
            return n;
        }
        const candidate best = best_of(g);
        steps[n++] = (gndi_path_step){best.first, best.second};
        carry_out(g, best);
    }
    return n;
}

int gndi_path_greedy(const char *fn, const gndi_path_problem *p, gndi_path_step *steps) {
    const size_t count = (size_t)p->count;
    gndi_labels all = 0;
    if (count <= 2) {
        steps[0] = count < 2 ? (gndi_path_step){GNDI_ALL_LEFT, GNDI_ALL_LEFT} : (gndi_path_step){0, 1};
        return 1;
    }
    greedy g = {.problem = p, .count = p->count};
    g.candidates = gndi_malloc(fn, count * count * sizeof *g.candidates);
    g.sets = g.candidates ? gndi_malloc(fn, count * sizeof *g.sets) : NULL;
    int n = 0;
    if (g.sets) {
        memcpy(g.sets, p->sets, count * sizeof *g.sets);
        for (int i = 0; i < p->count; i++) all |= p->sets[i];
        g.naive = gndi_step_flops(all, (all & ~p->out) != 0, p->count, p->size);
        n = greedy_steps(&g, steps);
    }
    gndi_free(g.sets);
    gndi_free(g.candidates);
    return n;
}

/* ---- optimal -------------------------------------------------------------------------------- */

/* A depth-first search: the path being tried, and the best of the longest paths so far; under a memory limit there may
   be none of full length. */
typedef struct optimal {
    const gndi_path_problem *problem;
    gndi_labels *sets; /* of each depth, a row of `count` */
    gndi_path_step *path, *best;
    int depth; /* of the best path; -1: none yet */
    double cost;
} optimal;

/* Records a path that cannot be continued. */
static void note_path(optimal *o, int depth, double cost) {
    if (depth < o->depth || (depth == o->depth && cost >= o->cost)) return;
    o->depth = depth, o->cost = cost;
    memcpy(o->best, o->path, (size_t)depth * sizeof *o->best);
}

static void search(optimal *o, int depth, double cost) {
    const gndi_path_problem *p = o->problem;
    const int left = p->count - depth, full = p->count - 1;
    const gndi_labels *sets = o->sets + (size_t)depth * (size_t)p->count;
    note_path(o, depth, cost);
    for (int i = 0; i < left; i++)
        for (int k = i + 1; k < left; k++) {
            const contraction c = contract(p, left, sets, i, k);
            if (c.size > p->memory_limit) continue;
            if (o->depth == full && cost + c.flops >= o->cost) continue;
            o->path[depth] = (gndi_path_step){i, k};
            replace(left, sets, i, k, c.result, o->sets + (size_t)(depth + 1) * (size_t)p->count);
            search(o, depth + 1, cost + c.flops);
        }
}

/* Sets the bound just above the cost of the greedy steps, so that the first path of that cost is still
   found. No bound if they do not end in one operand. */
static void bound_by_greedy(optimal *o, int steps) {
    const gndi_path_problem *p = o->problem;
    double cost = 0;
    if (steps != p->count - 1 || o->best[steps - 1].first == GNDI_ALL_LEFT) return;
    memcpy(o->path, o->best, (size_t)steps * sizeof *o->path);
    for (int n = 0, left = p->count; n < steps; n++, left--) {
        const gndi_path_step step = o->path[n];
        const contraction c = contract(p, left, o->sets, step.first, step.second);
        replace(left, o->sets, step.first, step.second, c.result, o->sets);
        cost += c.flops;
    }
    memcpy(o->sets, p->sets, (size_t)p->count * sizeof *o->sets);
    o->depth = steps, o->cost = nextafter(cost, INFINITY);
}

int gndi_path_optimal(const char *fn, const gndi_path_problem *p, gndi_path_step *steps) {
    const size_t count = (size_t)p->count;
    int n = gndi_path_greedy(fn, p, steps);
    if (count <= 2 || n == 0) return n;
    optimal o = {.problem = p, .best = steps, .depth = -1};
    o.sets = gndi_malloc(fn, count * count * sizeof *o.sets);
    o.path = o.sets ? gndi_malloc(fn, count * sizeof *o.path) : NULL;
    if (o.path) {
        memcpy(o.sets, p->sets, count * sizeof *o.sets);
        bound_by_greedy(&o, n);
        search(&o, 0, 0);
        n = o.depth;
        if (n < p->count - 1) steps[n++] = (gndi_path_step){GNDI_ALL_LEFT, GNDI_ALL_LEFT};
    } else {
        n = 0;
    }
    gndi_free(o.path);
    gndi_free(o.sets);
    return n;
}
