/*
 * generate_reduction.c: the text of a reduction for the dtypes and the layout of a call. Each
 * output is a row of elements, cut into parts of a length that the shape alone decides. The main
 * kernel joins the elements of a part, and stores the output if there is one part only; else
 * finish() joins what the parts came to.
 *
 * On a GPU a block has blockDim.x rows, each the work of blockDim.y threads, joined pair by pair.
 * On the CPU sixteen running values take a part's elements in turn; where rows lie side by side
 * (`columns`), sixteen rows are read together.
 */
#include "user_kernel/reduction.h"

/* ---- the user's expressions ------------------------------------------------------------------ */

/* The type of a and b. */
static void add_accumulator(gndi_text *t, const gndi_kernel_call *c) {
    const gnd_kernel *k = c->kernel;
    const char *name = k->accumulator;
    const gnd_dtype dtype = gndi_kernel_dtype(name, strlen(name));
    const char *type = name[0] ? name : gndi_kernel_number(c->operand[k->nin].type);
    if (dtype) type = gndi_kernel_number(dtype);
    for (int v = 0; v < k->variables; v++)
        if (strcmp(k->variable[v], name) == 0) type = gndi_kernel_number(c->bound[v]);
    gndi_text_add(t,
                  "typedef %s gnd_accumulator;\n"
                  "static_assert(sizeof(gnd_accumulator) <= 64, \"an accumulator of more than 64 bytes\");\n"
                  "static_assert(__is_trivially_copyable(gnd_accumulator), \"the accumulator's type cannot "
                  "be "
                  "copied byte by byte, as partial results are: it must be a number, or a struct of numbers "
                  "without a copy constructor, assignment or destructor of its own (no std::string, no "
                  "std::vector)\");\n",
                  type);
}

/* A function that gives an expression of the user's. */
static void add_expression(gndi_text *t, const gndi_kernel_call *c, const char *function, const char *parameters,
                           const char *part, const char *expression) {
    gndi_text_add(t, "static GNDI_USER_FN gnd_accumulator %s(%s) {\n", function, parameters);
    gndi_kernel_generate_typedefs(t, c);
    gndi_text_add(t,
                  "const gnd_accumulator gnd_result = (\n#line 1 \"%s %s\"\n%s\n#line 1 "
                  "\"%s\"\n);\nreturn gnd_result;\n}\n",
                  c->kernel->name, part, expression, c->kernel->name);
}

static void add_map(gndi_text *t, const gndi_kernel_call *c) {
    const gnd_kernel *k = c->kernel;
    gndi_text parameters = {0};
    if (k->counts)
        gndi_text_add(&parameters, "const long long %s, const long long %s", gndi_kernel_index_name(k, "i"),
                      gndi_kernel_index_name(k, "j"));
    for (int p = 0; p < k->nin; p++) {
        gndi_text_add(&parameters, "%sconst ", p || k->counts ? ", " : "");
        if (c->operand[p].view)
            gndi_kernel_add_view_type(&parameters, c, p);
        else
            gndi_text_add(&parameters, "%s", gndi_kernel_number(c->operand[p].type));
        gndi_text_add(&parameters, " %s%s", c->operand[p].view ? "&" : "", k->param[p].name);
    }
    if (parameters.failed) t->failed = true;
    add_expression(t, c, "gnd_map", parameters.data ? parameters.data : "", "map", k->body);
    gndi_text_free(&parameters);
}

static void add_functions(gndi_text *t, const gndi_kernel_call *c) {
    const gnd_kernel *k = c->kernel;
    const char *output = k->param[k->nin].name;
    add_accumulator(t, c);
    add_map(t, c);
    add_expression(t, c, "gnd_join", "const gnd_accumulator &a, const gnd_accumulator &b", "reduce", k->reduce);
    gndi_text_add(t, "static GNDI_USER_FN void gnd_post(const gnd_accumulator &a, %s &%s) {\n",
                  gndi_kernel_number(c->operand[k->nin].type), output);
    gndi_kernel_generate_typedefs(t, c);
    if (k->post[0])
        gndi_text_add(t, "{\n#line 1 \"%s post\"\n%s\n;}\n#line 1 \"%s\"\n}\n", k->name, k->post, k->name);
    else
        gndi_text_add(t, "%s = a;\n}\n", output);
    /* What a part has come to so far: without an identity it may be nothing. */
    if (k->identity[0]) {
        add_expression(t, c, "gnd_identity", "", "identity", k->identity);
        gndi_text_add(t, "struct gnd_partial {\ngnd_accumulator value;\n"
                         "GNDI_USER_FN static gnd_partial none() { return {gnd_identity()}; }\n"
                         "GNDI_USER_FN void add(const gnd_accumulator &x) { value = gnd_join(value, x); }\n"
                         "GNDI_USER_FN void join(const gnd_partial &x) { value = gnd_join(value, x.value); }\n"
                         "};\n");
    } else {
        gndi_text_add(t, "struct gnd_partial {\ngnd_accumulator value;\nbool some;\n"
                         "GNDI_USER_FN static gnd_partial none() { return {gnd_accumulator(), false}; }\n"
                         "GNDI_USER_FN void add(const gnd_accumulator &x) {\n"
                         "if (some) value = gnd_join(value, x); else value = x, some = true;\n}\n"
                         "GNDI_USER_FN void join(const gnd_partial &x) { if (x.some) add(x.value); }\n"
                         "};\n");
    }
}

/* ---- elements -------------------------------------------------------------------------------- */

/* names0 ... of axes from..to-1, out of a number. */
static void add_indices(gndi_text *t, const gndi_kernel_call *c, const char *names, const char *number, int from,
                        int to) {
    const char *type = c->size <= INT32_MAX ? "unsigned" : "gnd::uint64_t";
    if (from == to) return;
    gndi_text_add(t, "%s %s_rest = (%s)%s;\n", type, names, type, number);
    for (int d = to - 1; d > from; d--)
        gndi_text_add(t,
                      "const %s %s_next%d = %s_rest / (%s)w[%d], %s%d = %s_rest - %s_next%d * (%s)w[%d]; "
                      "%s_rest = %s_next%d;\n",
                      type, names, d, names, type, GNDI_WORD_SHAPE + d, names, d, names, names, d, type,
                      GNDI_WORD_SHAPE + d, names, names, d);
    gndi_text_add(t, "const %s %s%d = %s_rest;\n", type, names, from, names);
}

/* struct gnd_row, where a row is, and gnd_find(), which finds it. */
static void add_row(gndi_text *t, const gndi_kernel_call *c) {
    const int kept = c->ndim - c->reduced;
    gndi_text_add(t, "struct gnd_row {\nconst gnd::int64_t *w;\ngnd::int64_t number;\n");
    for (int k = 0; k < c->count; k++)
        if (c->operand[k].array) gndi_text_add(t, "char *data%d;\n", k);
    gndi_text_add(t, "};\nstatic GNDI_USER_FN gnd_row gnd_find(const gnd::int64_t *w, gnd::int64_t row) {\n"
                     "gnd_row at; at.w = w; at.number = 0; (void)row;\n");
    add_indices(t, c, "index", "row", 0, kept);
    for (int d = 0; d < kept && c->kernel->counts; d++)
        gndi_text_add(t, "at.number += (gnd::int64_t)index%d * w[%d];\n", d,
                      gndi_reduction_word(c, GNDI_REDUCTION_NUMBERS) + d);
    for (int k = 0; k < c->count; k++) {
        const int word = gndi_kernel_word_operand(c, k);
        if (!c->operand[k].array) continue;
        gndi_text_add(t, "at.data%d = (char *)w[%d]", k, word);
        for (int d = 0; d < kept; d++) gndi_text_add(t, " + (gnd::int64_t)index%d * w[%d]", d, word + 2 + d);
        gndi_text_add(t, ";\n");
    }
    gndi_text_add(t, "return at;\n}\n");
}

/* Where element r of the row that is `l` rows behind `at` is, of input p. */
static void add_operand(gndi_text *t, const gndi_kernel_call *c, int p) {
    const int kept = c->ndim - c->reduced, word = gndi_kernel_word_operand(c, p);
    const gndi_reduction_layout layout = gndi_reduction_layout_of(c);
    const char *type = gndi_kernel_storage(c->operand[p].stored);
    gndi_text_add(t, "(const %s *)(at.data%d", type, p);
    if (layout == GNDI_REDUCTION_DENSE_ROWS) {
        gndi_text_add(t, ")%s", c->stride[p][kept] ? " + r" : "");
        return;
    }
    for (int d = kept; d < c->ndim; d++) gndi_text_add(t, " + (gnd::int64_t)index%d * w[%d]", d, word + 2 + d);
    if (layout == GNDI_REDUCTION_COLUMNS) gndi_text_add(t, " + l * w[%d]", word + 2 + kept - 1);
    gndi_text_add(t, ")%s", layout == GNDI_REDUCTION_DENSE_COLUMNS && c->stride[p][kept - 1] ? " + l" : "");
}

/* gnd_value(): what the map makes of element r, `l` rows behind `at`. */
static void add_value(gndi_text *t, const gndi_kernel_call *c) {
    const gnd_kernel *k = c->kernel;
    const int kept = c->ndim - c->reduced, numbers = gndi_reduction_word(c, GNDI_REDUCTION_NUMBERS);
    gndi_text_add(t, "static GNDI_USER_FN gnd_accumulator gnd_value(const gnd_row &at, gnd::int64_t r, "
                     "gnd::int64_t l) {\n"
                     "const gnd::int64_t *const w = at.w; (void)w; (void)r; (void)l;\n");
    add_indices(t, c, "index", "r", kept, c->ndim);
    if (k->counts) {
        gndi_text_add(t, "gnd::int64_t number = at.number;\n");
        if (kept) gndi_text_add(t, "number += l * w[%d];\n", numbers + kept - 1);
        for (int d = kept; d < c->ndim; d++)
            gndi_text_add(t, "number += (gnd::int64_t)index%d * w[%d];\n", d, numbers + d);
    }
    for (int p = 0; p < k->nin; p++) {
        const gndi_kernel_operand *x = &c->operand[p];
        const int word = gndi_kernel_word_operand(c, p);
        if (x->view) {
            gndi_kernel_add_view_type(t, c, p);
            gndi_text_add(t, " v%d{at.data%d, w + %d};\n", p, p, word + 2 + c->ndim);
            continue;
        }
        gndi_text_add(t, "const %s v%d = gnd::user::load<%s, %s>(", gndi_kernel_number(x->type), p,
                      gndi_kernel_storage(x->type), gndi_kernel_storage(x->stored));
        if (x->array)
            add_operand(t, c, p);
        else
            gndi_text_add(t, "(const %s *)(w + %d)", gndi_kernel_storage(x->type), word);
        gndi_text_add(t, ");\n");
    }
    gndi_text_add(t, "return gnd_map(%s", k->counts ? "number, r" : "");
    for (int p = 0; p < k->nin; p++) gndi_text_add(t, "%sv%d", p || k->counts ? ", " : "", p);
    gndi_text_add(t, ");\n}\n");
}

static void add_store(gndi_text *t, const gndi_kernel_call *c) {
    const int k = c->kernel->nin;
    const gndi_kernel_operand *x = &c->operand[k];
    gndi_text_add(t,
                  "static GNDI_USER_FN void gnd_store(const gnd_row &at, const gnd_partial &p) {\n"
                  "%s v = %s();\ngnd_post(p.value, v);\n"
                  "gnd::user::store<%s, %s>((%s *)at.data%d, v);\n}\n",
                  gndi_kernel_number(x->type), gndi_kernel_number(x->type), gndi_kernel_storage(x->stored),
                  gndi_kernel_storage(x->type), gndi_kernel_storage(x->stored), k);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void generate_gpu(gndi_text *t, const gndi_kernel_call *c) {
    const char *name = c->kernel->name;
    gndi_text_add(t,
                  "struct gnd_words { gnd::int64_t at[%d]; };\n"
                  "/* Joins what the threads of a row have; the first one gets it. */\n"
                  "static __device__ gnd_partial gnd_fold(gnd_partial mine) {\n"
                  "__shared__ __align__(16) unsigned char workspace[256 * sizeof(gnd_partial)];\n"
                  "gnd_partial *const all = (gnd_partial *)workspace;\n"
                  "const unsigned me = threadIdx.y * blockDim.x + threadIdx.x;\n"
                  "__syncthreads();\nall[me] = mine;\n"
                  "for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {\n__syncthreads();\n"
                  "if (threadIdx.y < half) all[me].join(all[me + half * blockDim.x]);\n}\n"
                  "__syncthreads();\nreturn all[me];\n}\n",
                  gndi_reduction_word(c, GNDI_REDUCTION_WORDS));
    const int rows = gndi_reduction_word(c, GNDI_REDUCTION_ROWS),
              length = gndi_reduction_word(c, GNDI_REDUCTION_LENGTH),
              part = gndi_reduction_word(c, GNDI_REDUCTION_PART), parts = gndi_reduction_word(c, GNDI_REDUCTION_PARTS),
              workspace = gndi_reduction_word(c, GNDI_REDUCTION_WORKSPACE);
    static const char start[] = "extern \"C\" __global__ void __launch_bounds__(256) gnd_%s_%s(const __grid_constant__ "
                                "gnd_words words) {\nconst gnd::int64_t *const w = words.at;\n"
                                "for (gnd::int64_t first = (gnd::int64_t)blockIdx.x * blockDim.x; first < w[%d]; "
                                "first += (gnd::int64_t)gridDim.x * blockDim.x) {\n"
                                "const gnd::int64_t row = first + threadIdx.x;\n"
                                "gnd_partial p = gnd_partial::none();\n";
    gndi_text_add(t, start, "kernel", name, rows);
    gndi_text_add(t,
                  "const gnd_row at = gnd_find(w, row < w[%d] ? row : 0);\n"
                  "const gnd::int64_t from = blockIdx.y * w[%d], all = w[%d], "
                  "to = from + w[%d] < all ? from + w[%d] : all;\n"
                  "if (row < w[%d])\nfor (gnd::int64_t r = from + threadIdx.y; r < to; r += blockDim.y) "
                  "p.add(gnd_value(at, r, 0));\n"
                  "p = gnd_fold(p);\nif (threadIdx.y == 0 && row < w[%d]) {\n"
                  "if (w[%d] == 1) gnd_store(at, p); else ((gnd_partial *)w[%d])[row * w[%d] + "
                  "blockIdx.y] = p;\n}\n}\n}\n",
                  rows, part, length, part, part, rows, rows, parts, workspace, parts);
    gndi_text_add(t, start, "finish", name, rows);
    gndi_text_add(t,
                  "if (row < w[%d])\nfor (gnd::int64_t r = threadIdx.y; r < w[%d]; r += blockDim.y) "
                  "p.join(((const gnd_partial *)w[%d])[row * w[%d] + r]);\n"
                  "p = gnd_fold(p);\n"
                  "if (threadIdx.y == 0 && row < w[%d]) gnd_store(gnd_find(w, row), p);\n}\n}\n",
                  rows, parts, workspace, parts, rows);
}

/* Joins sixteen running values. */
static const char sixteen[] = "for (int half = 8; half > 0; half /= 2)\n"
                              "for (int l = 0; l < half; l++) p[l].join(p[l + half]);\n";

/* Sixteen rows that lie side by side. */
static void add_columns(gndi_text *t, const gndi_kernel_call *c) {
    const int rows = gndi_reduction_word(c, GNDI_REDUCTION_ROWS), last = GNDI_WORD_SHAPE + c->ndim - c->reduced - 1;
    gndi_text_add(t,
                  "gnd::int64_t side = w[%d] - row < end - task ? w[%d] - row : end - task;\n"
                  "if (w[%d] - row %% w[%d] < side) side = w[%d] - row %% w[%d];\n"
                  "if (side > 16) side = 16;\n"
                  "const gnd_row at = gnd_find(w, row);\n"
                  "gnd_partial p[16];\n"
                  "for (int l = 0; l < 16; l++) p[l] = gnd_partial::none();\n"
                  "if (side == 16)\n"
                  "for (gnd::int64_t r = from; r < to; r++)\n"
                  "for (int l = 0; l < 16; l++) p[l].add(gnd_value(at, r, l));\n"
                  "else\n"
                  "for (gnd::int64_t r = from; r < to; r++)\n"
                  "for (int l = 0; l < side; l++) p[l].add(gnd_value(at, r, l));\n"
                  "for (int l = 0; l < side; l++) gnd_done(w, gnd_find(w, row + l), row + l, part, "
                  "p[l]);\n"
                  "task += side;\n}\n}\n",
                  rows, rows, last, last, last, last);
}

static void add_rows(gndi_text *t) {
    gndi_text_add(t,
                  "const gnd_row at = gnd_find(w, row);\n"
                  "gnd_partial p[16];\n"
                  "for (int l = 0; l < 16; l++) p[l] = gnd_partial::none();\n"
                  "gnd::int64_t r = from;\n"
                  "for (; r + 16 <= to; r += 16)\n"
                  "for (int l = 0; l < 16; l++) p[l].add(gnd_value(at, r + l, 0));\n"
                  "for (int l = 0; r < to; r++, l++) p[l].add(gnd_value(at, r, 0));\n"
                  "%sgnd_done(w, at, row, part, p[0]);\ntask++;\n}\n}\n",
                  sixteen);
}

static void generate_cpu(gndi_text *t, const gndi_kernel_call *c) {
    const char *name = c->kernel->name;
    const gndi_reduction_layout layout = gndi_reduction_layout_of(c);
    const int rows = gndi_reduction_word(c, GNDI_REDUCTION_ROWS),
              length = gndi_reduction_word(c, GNDI_REDUCTION_LENGTH),
              part = gndi_reduction_word(c, GNDI_REDUCTION_PART), parts = gndi_reduction_word(c, GNDI_REDUCTION_PARTS),
              workspace = gndi_reduction_word(c, GNDI_REDUCTION_WORKSPACE);
    gndi_text_add(t,
                  "static inline void gnd_done(const gnd::int64_t *w, const gnd_row &at, "
                  "gnd::int64_t row, gnd::int64_t part, const gnd_partial &p) {\n"
                  "if (w[%d] == 1) gnd_store(at, p); else ((gnd_partial *)w[%d])[row * w[%d] + part] "
                  "= p;\n}\n",
                  parts, workspace, parts);
    gndi_text_add(t,
                  "static void gnd_loop(const gnd::int64_t *w, gnd::int64_t task, gnd::int64_t end) {\n"
                  "while (task < end) {\n"
                  "const gnd::int64_t part = task / w[%d], row = task %% w[%d], from = part * w[%d], "
                  "to = from + w[%d] < w[%d] ? from + w[%d] : w[%d];\n",
                  rows, rows, part, part, length, part, length);
    if (layout == GNDI_REDUCTION_COLUMNS || layout == GNDI_REDUCTION_DENSE_COLUMNS)
        add_columns(t, c);
    else
        add_rows(t);
    gndi_text_add(t,
                  "static void gnd_finish(const gnd::int64_t *w, gnd::int64_t row, "
                  "gnd::int64_t end) {\n"
                  "for (; row < end; row++) {\n"
                  "const gnd_partial *const all = (const gnd_partial *)w[%d] + row * w[%d];\n"
                  "gnd_partial p[16];\n"
                  "for (int l = 0; l < 16; l++) p[l] = gnd_partial::none();\n"
                  "for (gnd::int64_t r = 0; r < w[%d]; r++) p[r %% 16].join(all[r]);\n"
                  "%sgnd_store(gnd_find(w, row), p[0]);\n}\n}\n"
                  "GNDI_HOST_ENTRY(gnd_kernel_%s, gnd_loop)\n"
                  "GNDI_HOST_ENTRY(gnd_finish_%s, gnd_finish)\n",
                  workspace, parts, parts, sixteen, name, name);
}

void gndi_kernel_generate_reduction(gndi_text *t, const gndi_kernel_call *c, bool gpu) {
    gndi_kernel_generate_start(t, c, gpu);
    add_functions(t, c);
    add_row(t, c);
    add_value(t, c);
    add_store(t, c);
    if (gpu)
        generate_gpu(t, c);
    else
        generate_cpu(t, c);
}
