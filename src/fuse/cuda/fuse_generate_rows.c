/*
 * fuse_generate_rows.c: the text of a kernel that keeps a row in registers: a softmax, a sum of short rows.
 *
 * Instructions have levels: 0 before any reduction, and one more after each reduction that they depend on. The
 * element instructions of a level are one loop over a thread's elements, in which its reductions fold them.
 * Values that a later level needs are kept in arrays, which are registers; loaded values stay where they were
 * loaded. A variance takes two steps: the mean (which another reduction may need, too), then the differences
 * from it, which cost little since the elements are in registers.
 */
#include "fuse/cuda/fuse_generate_parts.h"

#define TABS "            "

typedef struct row_levels {
    uint8_t level[GNDI_FUSE_CODE];
    bool kept[GNDI_FUSE_CODE]; /* in an array, for later levels */
    int levels;
} row_levels;

static bool takes(const gndi_fuse_code *c, int k) {
    return c->in[k] != GNDI_FUSE_NONE;
}

/* Constants serve rows and elements alike. */
static bool is_of_row(const gndi_fuse_code *c) {
    return c->row || c->kind == GNDI_FUSE_CONST;
}

/* Whether a value can be repeated at another level at no cost. */
static bool is_at_hand(const gndi_fuse_code *c) {
    return c->kind == GNDI_FUSE_LOAD || c->kind == GNDI_FUSE_INDEX;
}

/* Whether a reduction is a variance that takes two steps. */
static bool is_spread(const gndi_fuse_plan *plan, const gndi_fuse_code *c) {
    return c->kind == GNDI_FUSE_REDUCE && plan->reduction[c->at].reducer == GNDI_REDUCE_VARIANCE &&
           !gndi_dtype_is_complex(plan->reduction[c->at].loop);
}

/* The earlier sum of the same values as the variance i (is_spread), which gives its total; i itself if there is
   none. */
static int total_of(const gndi_fuse_plan *plan, int i) {
    for (int k = 0; k < i && is_spread(plan, &plan->code[i]); k++) {
        const gndi_fuse_code *c = &plan->code[k];
        if (c->kind == GNDI_FUSE_REDUCE && c->in[0] == plan->code[i].in[0] &&
            (is_spread(plan, c) || plan->reduction[c->at].reducer == GNDI_REDUCE_SUM))
            return k;
    }
    return i;
}

static int inputs_of(const gndi_fuse_code *c) {
    switch (c->kind) {
    case GNDI_FUSE_OP: return gndi_ops[c->op].nin;
    case GNDI_FUSE_LOAD:
    case GNDI_FUSE_CONST:
    case GNDI_FUSE_INDEX: return 0;
    default: return 1;
    }
}

static void find_levels(const gndi_fuse_plan *plan, row_levels *l) {
    memset(l, 0, sizeof *l);
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        for (int k = 0; k < inputs_of(c); k++)
            if (takes(c, k) && l->level[c->in[k]] > l->level[i]) l->level[i] = l->level[c->in[k]];
        if (c->kind == GNDI_FUSE_REDUCE) l->level[i]++;
        if (l->level[i] >= l->levels) l->levels = l->level[i] + 1;
    }
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        for (int k = 0; k < inputs_of(c) && !is_of_row(c) && c->kind != GNDI_FUSE_REDUCE; k++) {
            const gndi_fuse_code *from = &plan->code[c->in[k]];
            if (!is_of_row(from) && !is_at_hand(from) && l->level[c->in[k]] < l->level[i]) l->kept[c->in[k]] = true;
        }
        if (is_spread(plan, c) && !is_of_row(&plan->code[c->in[0]]) && !is_at_hand(&plan->code[c->in[0]]))
            l->kept[c->in[0]] = true;
    }
}

/* A constant may be stored to elements. */
static bool is_row_store(const gndi_fuse_plan *plan, const gndi_fuse_code *c) {
    return c->kind == GNDI_FUSE_STORE &&
           (c->row || (plan->code[c->in[0]].row && plan->code[c->in[0]].kind != GNDI_FUSE_CONST));
}

bool gndi_fused_is_of_elements(const gndi_fuse_plan *plan, int operand) {
    if (plan->shape_of == GNDI_FUSE_MAP) return true; /* a row has one element */
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        const bool moves = c->kind == GNDI_FUSE_LOAD || c->kind == GNDI_FUSE_INDEX || c->kind == GNDI_FUSE_STORE;
        if (moves && c->at == operand && !is_of_row(c) && !is_row_store(plan, c)) return true;
    }
    return false;
}

int gndi_fused_row_words(const gndi_fuse_plan *plan) {
    row_levels l;
    int bytes = 0;
    find_levels(plan, &l);
    for (int k = 0; k < plan->operands; k++)
        if (gndi_fused_is_of_elements(plan, k))
            bytes += plan->operand[k].data ? gndi_dtype_sizes[plan->operand[k].dtype] : 8;
    for (int i = 0; i < plan->count; i++)
        if (l.kept[i]) bytes += gndi_dtype_sizes[plan->code[i].dtype];
    return (bytes + 3) / 4;
}

/* ---- values of a row ------------------------------------------------------------------------ */

/* The expression of the address of operand k's element for the row. */
static void add_address(gndi_text *text, const gndi_fused_layout *layout, int k) {
    gndi_text_add(text, "p.data[%d] + at.template to<0, %d>(p.stride + %d)", k, layout->same[k], k * layout->axes);
}

static void add_of_row(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, int i, gndi_text *text) {
    const gndi_fuse_code *c = &plan->code[i];
    const char *type = gndi_fused_type(c->dtype);
    switch (c->kind) {
    case GNDI_FUSE_LOAD:
        gndi_text_add(text, TABS "const %s v%d = *(const %s *)(", type, i, type);
        add_address(text, layout, c->at);
        gndi_text_add(text, ");\n");
        break;
    case GNDI_FUSE_INDEX:
        gndi_text_add(text, TABS "const int64_t v%d = (int64_t)(", i);
        add_address(text, layout, c->at);
        gndi_text_add(text, ");\n");
        break;
    case GNDI_FUSE_UNIFORM:
        gndi_text_add(text,
                      TABS "const int64_t i%d[1] = {v%d};\n" TABS "%s u%d[1];\n" TABS
                           "uniform_numbers(p.constant + %d, i%d, u%d);\n" TABS "const %s v%d = u%d[0];\n",
                      i, c->in[0], type, i, 2 * c->at, i, i, type, i, i);
        break;
    case GNDI_FUSE_STORE:
        gndi_text_add(text, TABS "if (first) *(%s *)(", type);
        add_address(text, layout, c->at);
        gndi_text_add(text, ") = v%d;\n", c->in[0]);
        break;
    default: gndi_fused_instruction(plan, layout, i, text);
    }
}

/* ---- reductions ----------------------------------------------------------------------------- */

static void add_reducer(gndi_text *text, const gndi_fuse_reduction *r, bool spreads) {
    static const char *const names[GNDI_REDUCERS] = {
        [GNDI_REDUCE_SUM] = "reduce_sum<",         [GNDI_REDUCE_PRODUCT] = "reduce_product<",
        [GNDI_REDUCE_MINIMUM] = "reduce_minimum<", [GNDI_REDUCE_MAXIMUM] = "reduce_maximum<",
        [GNDI_REDUCE_ANY] = "reduce_count<",       [GNDI_REDUCE_ALL] = "reduce_count<",
        [GNDI_REDUCE_COUNT] = "reduce_count<",     [GNDI_REDUCE_VARIANCE] = "reduce_variance<compute_t<"};
    gndi_text_add(text, "%s%s>%s", names[spreads ? GNDI_REDUCE_SUM : r->reducer], gndi_fused_type(r->loop),
                  r->reducer == GNDI_REDUCE_VARIANCE && !spreads ? ">" : "");
}

/* Whether the elements of this level are folded for reduction i. */
static bool is_folded(const gndi_fuse_plan *plan, const row_levels *l, int i, int level) {
    return plan->code[i].kind == GNDI_FUSE_REDUCE && l->level[i] == level + 1 && total_of(plan, i) == i;
}

/* Accumulators of the reductions whose elements are computed at this level. */
static void add_accumulators(const gndi_fuse_plan *plan, const row_levels *l, int level, gndi_text *text) {
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        if (!is_folded(plan, l, i, level)) continue;
        gndi_text_add(text, TABS "typedef ");
        add_reducer(text, &plan->reduction[c->at], is_spread(plan, c));
        gndi_text_add(text, " R%d;\n" TABS "piece_t<R%d> part%d = empty_piece<R%d>();\n", i, i, i, i);
    }
}

/* A variance, from the total. */
static void add_spread(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, const row_levels *l, int i,
                       gndi_text *text) {
    const gndi_fuse_code *c = &plan->code[i];
    const int total = total_of(plan, i), from = c->in[0];
    gndi_text_add(text,
                  TABS "typedef typename R%d::acc A%d;\n" TABS "typedef reduce_spread<A%d> D%d;\n" TABS
                       "typename D%d::acc apart%d = D%d::identity();\n" TABS
                       "const A%d mean%d = total%d / (A%d)p.length;\n"
                       "#pragma unroll\n        for (int u = 0; u < U; u++) {\n"
                       "#pragma unroll\n            for (int j = 0; j < V; j++) {\n",
                  total, i, i, i, i, i, i, i, i, total, i);
    if (l->kept[from])
        gndi_text_add(text, TABS "const %s v%d = k%d[u][j];\n", gndi_fused_type(plan->code[from].dtype), from, from);
    else if (!is_of_row(&plan->code[from]))
        gndi_fused_instruction(plan, layout, from, text);
    gndi_text_add(text,
                  TABS "if (j < count[u]) apart%d = D%d::combine(apart%d, D%d::of(to_compute(v%d) - "
                       "mean%d));\n            }\n        }\n" TABS
                       "__shared__ typename D%d::acc spread%d[threads / 32];\n" TABS
                       "const %s v%d = spread_result<%d, %s>(join_lanes<D%d, lanes>(apart%d, "
                       "spread%d), p.number + %d, p.length);\n",
                  i, i, i, i, from, i, i, i, gndi_fused_type(c->dtype), i, plan->reduction[c->at].finish,
                  gndi_fused_type(c->dtype), i, i, i, 2 * c->at);
}

static void add_results(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, const row_levels *l, int level,
                        gndi_text *text) {
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        if (c->kind != GNDI_FUSE_REDUCE || l->level[i] != level + 1) continue;
        const gndi_fuse_reduction *r = &plan->reduction[c->at];
        const char *type = gndi_fused_type(c->dtype);
        if (total_of(plan, i) == i)
            gndi_text_add(text,
                          TABS "__shared__ typename R%d::acc shared%d[threads / 32];\n" TABS
                               "const typename R%d::acc total%d = join_lanes<R%d, "
                               "lanes>(settled_piece<R%d>(part%d), shared%d);\n",
                          i, i, i, i, i, i, i, i);
        if (is_spread(plan, c))
            add_spread(plan, layout, l, i, text);
        else
            gndi_text_add(text,
                          TABS "const %s v%d = reduced<R%d, %d, %d, %s, %s>(total%d, p.number + "
                               "%d, p.length);\n",
                          type, i, i, r->reducer, r->finish, gndi_fused_type(r->loop), type, i, 2 * c->at);
    }
}

/* ---- elements ------------------------------------------------------------------------------- */

/* The values that elements of this level take from earlier ones: repeated, or from an array. */
static void add_imports(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, const row_levels *l, int level,
                        gndi_text *text) {
    bool there[GNDI_FUSE_CODE] = {false};
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        const bool takes_part = c->kind == GNDI_FUSE_REDUCE
                                    ? l->level[i] == level + 1
                                    : !is_of_row(c) && !is_at_hand(c) && !is_row_store(plan, c) && l->level[i] == level;
        for (int k = 0; k < inputs_of(c) && takes_part; k++) {
            const int from = c->in[k];
            const gndi_fuse_code *value = &plan->code[from];
            if (is_of_row(value) || there[from]) continue;
            if (is_at_hand(value))
                gndi_fused_instruction(plan, layout, from, text);
            else if (l->level[from] < level)
                gndi_text_add(text, TABS "const %s v%d = k%d[u][j];\n", gndi_fused_type(value->dtype), from, from);
            else
                continue;
            there[from] = true;
        }
    }
}

static void add_elements(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, const row_levels *l, int level,
                         gndi_text *text) {
    gndi_text_add(text, "#pragma unroll\n        for (int u = 0; u < U; u++) {\n");
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        if (is_folded(plan, l, i, level))
            gndi_text_add(text, TABS "%s e%d[V];\n", gndi_fused_type(plan->code[c->in[0]].dtype), i);
        if (c->kind == GNDI_FUSE_UNIFORM && !is_of_row(c) && l->level[i] == level)
            gndi_text_add(text, TABS "%s u%d[V];\n" TABS "uniform_numbers(p.constant + %d, x[u].a%d, u%d);\n",
                          gndi_fused_type(c->dtype), i, 2 * c->at, plan->code[c->in[0]].at, i);
    }
    gndi_text_add(text, "#pragma unroll\n            for (int j = 0; j < V; j++) {\n");
    add_imports(plan, layout, l, level, text);
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        if (is_folded(plan, l, i, level)) {
            gndi_text_add(text, TABS "e%d[j] = v%d;\n", i, c->in[0]);
        } else if (!is_of_row(c) && c->kind != GNDI_FUSE_REDUCE && !is_at_hand(c) && !is_row_store(plan, c) &&
                   l->level[i] == level) {
            gndi_fused_instruction(plan, layout, i, text);
            if (l->kept[i]) gndi_text_add(text, TABS "k%d[u][j] = v%d;\n", i, i);
        }
    }
    gndi_text_add(text, "            }\n");
    for (int i = 0; i < plan->count; i++)
        if (is_folded(plan, l, i, level)) gndi_text_add(text, TABS "fold_unit<R%d>(part%d, e%d, count[u]);\n", i, i, i);
    gndi_text_add(text, "        }\n");
}

void gndi_fused_row(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, gndi_text *text) {
    row_levels l;
    find_levels(plan, &l);
    gndi_text_add(text, "    template <class Position>\n    GNDI_FN void row(const parameters &p, const "
                        "Position &at, bool first, const int (&count)[unroll], unit<width> "
                        "(&x)[unroll]) {\n        constexpr int U = unroll, V = width;\n");
    for (int i = 0; i < plan->count; i++)
        if (l.kept[i]) gndi_text_add(text, "        %s k%d[U][V];\n", gndi_fused_type(plan->code[i].dtype), i);
    for (int level = 0; level < l.levels; level++) {
        if (level > 0) add_results(plan, layout, &l, level - 1, text);
        for (int i = 0; i < plan->count; i++) {
            const gndi_fuse_code *c = &plan->code[i];
            if (c->kind != GNDI_FUSE_REDUCE && (is_of_row(c) || is_row_store(plan, c)) && l.level[i] == level)
                add_of_row(plan, layout, i, text);
        }
        add_accumulators(plan, &l, level, text);
        add_elements(plan, layout, &l, level, text);
    }
    gndi_text_add(text, "    }\n");
}
