/*
 * generate.c: the text of a kernel of elements, or of a generalised ufunc, for the dtypes and the
 * layout of a call. A thread of a GPU does an element (four, dense ones, whose loads come before
 * what is computed of them), a piece on the CPU a run of elements along the last axis.
 */
#include "user_kernel/kernel.h"
#include <stdio.h>

/* ---- words ----------------------------------------------------------------------------------- */

/* An operand's words: address or value, strides along the loop, of views size, sizes and strides.
   */
static int words_of(const gndi_kernel_call *c, int k) {
    const gndi_kernel_operand *x = &c->operand[k];
    return 2 + c->ndim + (x->view ? 1 + 2 * x->ndim : 0);
}

int gndi_kernel_word_operand(const gndi_kernel_call *c, int k) {
    int at = GNDI_WORD_SHAPE + c->ndim;
    for (int j = 0; j < k; j++) at += words_of(c, j);
    return at;
}

/* Behind the operands: elements of the parallel dimensions, sizes of core dimensions. */
static int word_dims(const gndi_kernel_call *c) {
    return gndi_kernel_word_operand(c, c->count);
}
int gndi_kernel_word_count(const gndi_kernel_call *c) {
    return word_dims(c) + 1 + c->kernel->dims;
}

int gndi_kernel_words(const gndi_kernel_call *c, int64_t *words) {
    int64_t apart = 1;
    words[GNDI_WORD_SIZE] = c->size;
    memcpy(words + GNDI_WORD_SHAPE, c->shape, (size_t)c->ndim * sizeof *words);
    for (int k = 0; k < c->count; k++) {
        const gndi_kernel_operand *x = &c->operand[k];
        int64_t *w = words + gndi_kernel_word_operand(c, k);
        w[0] = w[1] = 0;
        if (x->array)
            w[0] = (int64_t)(intptr_t)x->data;
        else
            memcpy(w, &x->value, gndi_dtype_sizes[x->type]);
        memcpy(w + 2, c->stride[k], (size_t)c->ndim * sizeof *w);
        if (!x->view) continue;
        w += 2 + c->ndim, *w = 1;
        for (int axis = 0; axis < x->ndim; axis++) {
            *w *= x->shape[axis];
            w[1 + axis] = x->shape[axis], w[1 + x->ndim + axis] = x->stride[axis];
        }
    }
    for (int p = c->ndim - c->parallels; p < c->ndim; p++) apart *= c->shape[p];
    words[word_dims(c)] = apart;
    memcpy(words + word_dims(c) + 1, c->core_size, (size_t)c->kernel->dims * sizeof *words);
    return gndi_kernel_word_count(c);
}

/* ---- types ----------------------------------------------------------------------------------- */

const char *gndi_kernel_storage(gnd_dtype dtype) {
    static const char *const names[GND_DTYPE_COUNT] = {
        [GND_BOOL] = "bool",
        [GND_INT8] = "gnd::int8_t",
        [GND_UINT8] = "unsigned char",
        [GND_INT16] = "gnd::int16_t",
        [GND_UINT16] = "gnd::uint16_t",
        [GND_INT32] = "gnd::int32_t",
        [GND_UINT32] = "gnd::uint32_t",
        [GND_INT64] = "gnd::int64_t",
        [GND_UINT64] = "gnd::uint64_t",
        [GND_FLOAT16] = "gnd::float16",
        [GND_BFLOAT16] = "gnd::bfloat16",
        [GND_FLOAT32] = "float",
        [GND_FLOAT64] = "double",
        [GND_COMPLEX64] = "gnd::complex<float>",
        [GND_COMPLEX128] = "gnd::complex<double>",
    };
    return names[dtype];
}

const char *gndi_kernel_number(gnd_dtype dtype) {
    return gndi_dtype_is_half(dtype) ? "float32" : gnd_dtype_name(dtype);
}

/* The type of a view of operand k. */
void gndi_kernel_add_view_type(gndi_text *t, const gndi_kernel_call *c, int k) {
    const gndi_kernel_operand *x = &c->operand[k];
    gndi_text_add(t, "gnd::user::view<%s%s, %d, %s>", x->written ? "" : "const ", gndi_kernel_storage(x->type), x->ndim,
                  x->dense ? "true" : "false");
}

/* ---- the user's statements ------------------------------------------------------------------- */

void gndi_kernel_generate_start(gndi_text *t, const gndi_kernel_call *c, bool gpu) {
    const gnd_kernel *k = c->kernel;
    gndi_text_add(t, "#include \"user_kernel/%s.h\"\n", gpu ? "user_types" : "user_host");
    if (k->preamble[0]) gndi_text_add(t, "#line 1 \"%s preamble\"\n%s\n", k->name, k->preamble);
    gndi_text_add(t, "#line 1 \"%s\"\n", k->name);
}

void gndi_kernel_generate_typedefs(gndi_text *t, const gndi_kernel_call *c) {
    for (int v = 0; v < c->kernel->variables; v++)
        gndi_text_add(t, "typedef %s %s; (void)sizeof(%s);\n", gndi_kernel_number(c->bound[v]), c->kernel->variable[v],
                      c->kernel->variable[v]);
}

/* What the statements may call when several threads share a core. */
static void add_lanes(gndi_text *t, bool gpu) {
    gndi_text_add(t,
                  "const int lane = %s, lanes = %s; (void)lane; (void)lanes;\n"
                  "auto sync = [] { gnd::user::sync_lanes(); }; (void)sync;\n",
                  gpu ? "threadIdx.x" : "0", gpu ? "blockDim.x" : "1");
    static const char *const folds[][2] = {{"sum", "a + b"}, {"max", "a < b ? b : a"}, {"min", "b < a ? b : a"}};
    for (int f = 0; f < 3; f++)
        gndi_text_add(t,
                      "auto lane_%s = [](auto v) { return gnd::user::fold_lanes(v, [](auto a, auto b) "
                      "-> decltype(a) { return %s; }); }; (void)lane_%s;\n",
                      folds[f][0], folds[f][1], folds[f][0]);
}

/* The function of a signature, that gnd_vectorize was given. */
static void add_function(gndi_text *t, const gndi_kernel_call *c) {
    const gnd_kernel *k = c->kernel;
    gndi_text_add(t, "static GNDI_USER_FN %s gnd_function(", gndi_kernel_number(c->operand[k->nin].type));
    for (int j = 0; j < k->nin; j++)
        gndi_text_add(t, "%s%s %s", j ? ", " : "", gndi_kernel_number(c->operand[j].type), k->param[j].name);
    gndi_text_add(t, ") {\n%s#line 1 \"%s body\"\n%s\n%s}\n#line 1 \"%s\"\n", k->expression ? "return (\n" : "",
                  k->name, k->body, k->expression ? ");\n" : "", k->name);
}

const char *gndi_kernel_index_name(const gnd_kernel *k, const char *name) {
    const int params = k->kind == GNDI_KERNEL_REDUCTION ? k->nin : k->nin + k->nout;
    for (int p = 0; p < params; p++)
        if (strcmp(k->param[p].name, name) == 0) return "";
    for (int v = 0; v < k->variables; v++)
        if (strcmp(k->variable[v], name) == 0) return "";
    for (int d = 0; d < k->dims; d++)
        if (strcmp(k->dim[d].name, name) == 0) return "";
    return name;
}

void gndi_kernel_generate_body(gndi_text *t, const gndi_kernel_call *c, bool gpu) {
    const gnd_kernel *k = c->kernel;
    const char *comma = "";
    if (k->signatures) add_function(t, c);
    gndi_text_add(t, "static GNDI_USER_FN void gnd_body(");
    if (k->counts) gndi_text_add(t, "const long long %s", gndi_kernel_index_name(k, "i")), comma = ", ";
    if (k->indexes) gndi_text_add(t, "%sconst gnd::user::index<%d> &_ind", comma, c->ndim - c->parallels), comma = ", ";
    for (int j = 0; j < c->count; j++, comma = ", ") {
        const gndi_kernel_operand *x = &c->operand[j];
        gndi_text_add(t, "%s%s", comma, x->view || !x->written ? "const " : "");
        if (x->view)
            gndi_kernel_add_view_type(t, c, j);
        else
            gndi_text_add(t, "%s", gndi_kernel_number(x->type));
        gndi_text_add(t, " %s%s", x->view || x->written ? "&" : "", k->param[j].name);
    }
    for (int d = 0; d < k->dims; d++)
        if (k->dim[d].fixed < 0) gndi_text_add(t, ", const long long %s", k->dim[d].name);
    for (int p = 0; p < k->parallels; p++) gndi_text_add(t, ", const long long %s_", k->dim[k->parallel[p]].name);
    gndi_text_add(t, ") {\n");
    gndi_kernel_generate_typedefs(t, c);
    if (k->lanes) add_lanes(t, gpu);
    if (k->signatures) {
        gndi_text_add(t, "gnd_result = gnd_function(");
        for (int j = 0; j < k->nin; j++) gndi_text_add(t, "%s%s", j ? ", " : "", k->param[j].name);
        gndi_text_add(t, ");\n}\n");
    } else { /* in a block of their own, where names of parameters may be declared again */
        gndi_text_add(t, "{\n#line 1 \"%s body\"\n%s\n;}\n#line 1 \"%s\"\n}\n", k->name, k->body, k->name);
    }
}

/* ---- one element ----------------------------------------------------------------------------- */

/* Where the text stands: the element's number is `element`, its position along axis d `index`d, and
   operand k's bytes are at `data`k, unless the loop is contiguous. */
static void add_operand(gndi_text *t, const gndi_kernel_call *c, int k, const char *element) {
    const gndi_kernel_operand *x = &c->operand[k];
    const int word = gndi_kernel_word_operand(c, k);
    if (!x->array)
        gndi_text_add(t, "(const %s *)(w + %d)", gndi_kernel_storage(x->type), word);
    else if (c->contiguous && !x->view)
        gndi_text_add(t, "(%s *)w[%d]%s%s", gndi_kernel_storage(x->stored), word, c->stride[k][0] ? " + " : "",
                      c->stride[k][0] ? element : "");
    else
        gndi_text_add(t, "(%s *)data%d", gndi_kernel_storage(x->stored), k);
}

static void add_load(gndi_text *t, const gndi_kernel_call *c, int k, const char *element) {
    const gndi_kernel_operand *x = &c->operand[k];
    gndi_text_add(t, "gnd::user::load<%s, %s>(", gndi_kernel_storage(x->type), gndi_kernel_storage(x->stored));
    add_operand(t, c, k, element);
    gndi_text_add(t, ")");
}

/* Outputs' variables, and views at this index. */
static void add_variables(gndi_text *t, const gndi_kernel_call *c) {
    for (int k = 0; k < c->count; k++) {
        const gndi_kernel_operand *x = &c->operand[k];
        const int word = gndi_kernel_word_operand(c, k);
        if (x->view) {
            gndi_kernel_add_view_type(t, c, k);
            if (c->contiguous)
                gndi_text_add(t, " v%d{(char *)w[%d], w + %d};\n", k, word, word + 2 + c->ndim);
            else
                gndi_text_add(t, " v%d{data%d, w + %d};\n", k, k, word + 2 + c->ndim);
        } else if (x->written) {
            gndi_text_add(t, "%s v%d = %s();\n", gndi_kernel_number(x->type), k, gndi_kernel_number(x->type));
        }
    }
}

static void add_call(gndi_text *t, const gndi_kernel_call *c, const char *element) {
    const gnd_kernel *k = c->kernel;
    const int loops = c->ndim - c->parallels;
    const char *comma = "";
    if (k->indexes) {
        gndi_text_add(t, "const gnd::user::index<%d> where{{", loops);
        for (int d = 0; d < loops; d++) gndi_text_add(t, "%s(gnd::int64_t)index%d", d ? ", " : "", d);
        gndi_text_add(t, "}, w + %d};\n", GNDI_WORD_SHAPE);
    }
    gndi_text_add(t, "gnd_body(");
    if (k->counts && c->parallels)
        gndi_text_add(t, "%s / w[%d]", element, word_dims(c)), comma = ", ";
    else if (k->counts)
        gndi_text_add(t, "%s", element), comma = ", ";
    if (k->indexes) gndi_text_add(t, "%swhere", comma), comma = ", ";
    for (int j = 0; j < c->count; j++, comma = ", ") gndi_text_add(t, "%sv%d", comma, j);
    for (int d = 0; d < k->dims; d++)
        if (k->dim[d].fixed < 0) gndi_text_add(t, ", w[%d]", word_dims(c) + 1 + d);
    for (int p = 0; p < k->parallels; p++) gndi_text_add(t, ", index%d", loops + p);
    gndi_text_add(t, ");\n");
}

static void add_stores(gndi_text *t, const gndi_kernel_call *c, const char *element) {
    for (int k = c->kernel->nin; k < c->count; k++) {
        const gndi_kernel_operand *x = &c->operand[k];
        if (x->view) continue;
        gndi_text_add(t, "gnd::user::store<%s, %s>(", gndi_kernel_storage(x->stored), gndi_kernel_storage(x->type));
        add_operand(t, c, k, element);
        gndi_text_add(t, ", v%d);\n", k);
    }
}

/* All of an element, its positions being known. */
static void add_element(gndi_text *t, const gndi_kernel_call *c, const char *element) {
    for (int k = 0; k < c->kernel->nin; k++) {
        if (c->operand[k].view) continue;
        gndi_text_add(t, "const %s v%d = ", gndi_kernel_number(c->operand[k].type), k);
        add_load(t, c, k, element);
        gndi_text_add(t, ";\n");
    }
    add_variables(t, c);
    add_call(t, c, element);
    if (c->kernel->lanes) gndi_text_add(t, "if (GNDI_FIRST_LANE) {\n");
    add_stores(t, c, element);
    if (c->kernel->lanes) gndi_text_add(t, "}\n");
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* index0 ..., from the number `element`; in 32 bits where all numbers fit. */
static void add_indices(gndi_text *t, const gndi_kernel_call *c, const char *element) {
    const char *number = c->size <= INT32_MAX ? "unsigned" : "gnd::uint64_t";
    gndi_text_add(t, "%s rest = (%s)%s;\n", number, number, element);
    for (int d = c->ndim - 1; d > 0; d--)
        gndi_text_add(t,
                      "const %s next%d = rest / (%s)w[%d], index%d = rest - next%d * (%s)w[%d]; rest = "
                      "next%d;\n",
                      number, d, number, GNDI_WORD_SHAPE + d, d, d, number, GNDI_WORD_SHAPE + d, d);
    gndi_text_add(t, "const %s index0 = rest;\n", number);
}

static void add_operands(gndi_text *t, const gndi_kernel_call *c) {
    for (int k = 0; k < c->count; k++) {
        const int word = gndi_kernel_word_operand(c, k);
        if (!c->operand[k].array) continue;
        gndi_text_add(t, "char *const data%d = (char *)w[%d]", k, word);
        for (int d = 0; d < c->ndim; d++) gndi_text_add(t, " + (gnd::int64_t)index%d * w[%d]", d, word + 2 + d);
        gndi_text_add(t, ";\n");
    }
}

/* Four elements of a thread, a block's width apart: all loads are on their way before the first is
   used. */
static void add_dense_gpu(gndi_text *t, const gndi_kernel_call *c) {
    gndi_text_add(t, "for (gnd::int64_t from = (gnd::int64_t)blockIdx.x * (4 * blockDim.x) + threadIdx.x; "
                     "from < w[0]; from += (gnd::int64_t)gridDim.x * (4 * blockDim.x)) {\n");
    for (int k = 0; k < c->kernel->nin; k++)
        if (!c->operand[k].view) gndi_text_add(t, "%s in%d[4];\n", gndi_kernel_number(c->operand[k].type), k);
    gndi_text_add(t, "#pragma unroll\nfor (int r = 0; r < 4; r++) {\n"
                     "const gnd::int64_t e = from + r * blockDim.x;\nif (e < w[0]) {\n");
    for (int k = 0; k < c->kernel->nin; k++) {
        if (c->operand[k].view) continue;
        gndi_text_add(t, "in%d[r] = ", k);
        add_load(t, c, k, "e");
        gndi_text_add(t, ";\n");
    }
    gndi_text_add(t, "}\n}\n#pragma unroll\nfor (int r = 0; r < 4; r++) {\n"
                     "const gnd::int64_t e = from + r * blockDim.x;\nif (e < w[0]) {\n");
    for (int k = 0; k < c->kernel->nin; k++)
        if (!c->operand[k].view)
            gndi_text_add(t, "const %s v%d = in%d[r];\n", gndi_kernel_number(c->operand[k].type), k, k);
    add_variables(t, c);
    add_call(t, c, "e");
    add_stores(t, c, "e");
    gndi_text_add(t, "}\n}\n}\n");
}

static void generate_gpu(gndi_text *t, const gndi_kernel_call *c) {
    const gnd_kernel *k = c->kernel;
    gndi_text_add(t,
                  "#define GNDI_FIRST_LANE threadIdx.x == 0\n"
                  "struct gnd_words { gnd::int64_t at[%d]; };\n"
                  "extern \"C\" __global__ void __launch_bounds__(%d) gnd_kernel_%s(const "
                  "__grid_constant__ gnd_words words) {\nconst gnd::int64_t *const w = words.at;\n",
                  gndi_kernel_word_count(c), k->lanes > 256 ? k->lanes : 256, k->name);
    if (c->contiguous && !k->lanes) {
        add_dense_gpu(t, c);
    } else {
        gndi_text_add(t, k->lanes ? "for (gnd::int64_t e = blockIdx.x; e < w[0]; e += gridDim.x) {\n"
                                  : "for (gnd::int64_t e = (gnd::int64_t)blockIdx.x * blockDim.x + "
                                    "threadIdx.x; e < w[0]; e += (gnd::int64_t)gridDim.x * "
                                    "blockDim.x) {\n");
        add_indices(t, c, "e");
        add_operands(t, c);
        add_element(t, c, "e");
        gndi_text_add(t, "}\n");
    }
    gndi_text_add(t, "}\n");
}

/* From element e to `end`, along the last axis, index by index along the others. */
static void generate_cpu(gndi_text *t, const gndi_kernel_call *c) {
    const int last = c->ndim - 1;
    gndi_text_add(t, "#define GNDI_FIRST_LANE true\n"
                     "static void gnd_loop(const gnd::int64_t *w, gnd::int64_t e, gnd::int64_t end) {\n");
    if (c->contiguous) {
        gndi_text_add(t, "#pragma GCC ivdep\nfor (; e < end; e++) {\n");
        add_element(t, c, "e");
        gndi_text_add(t, "}\n}\n");
        return;
    }
    gndi_text_add(t, "while (e < end) {\n");
    gndi_text_add(t, "gnd::int64_t rest = e;\n");
    for (int d = last; d > 0; d--)
        gndi_text_add(t, "const gnd::int64_t start%d = rest %% w[%d]; rest /= w[%d];\n", d, GNDI_WORD_SHAPE + d,
                      GNDI_WORD_SHAPE + d);
    gndi_text_add(t,
                  "const gnd::int64_t start0 = rest;\n"
                  "const gnd::int64_t left = w[%d] - start%d, run = left < end - e ? left : end - e;\n",
                  GNDI_WORD_SHAPE + last, last);
    for (int d = 0; d < last; d++) gndi_text_add(t, "const gnd::int64_t index%d = start%d; (void)index%d;\n", d, d, d);
    for (int k = 0; k < c->count; k++) {
        const int word = gndi_kernel_word_operand(c, k);
        if (!c->operand[k].array) continue;
        gndi_text_add(t, "char *const line%d = (char *)w[%d]", k, word);
        for (int d = 0; d < c->ndim; d++) gndi_text_add(t, " + start%d * w[%d]", d, word + 2 + d);
        gndi_text_add(t, ";\n");
    }
    gndi_text_add(t,
                  "#pragma GCC ivdep\nfor (gnd::int64_t r = 0; r < run; r++) {\n"
                  "const gnd::int64_t index%d = start%d + r; (void)index%d;\n",
                  last, last, last);
    for (int k = 0; k < c->count; k++)
        if (c->operand[k].array)
            gndi_text_add(t, "char *const data%d = line%d + r * w[%d];\n", k, k,
                          gndi_kernel_word_operand(c, k) + 2 + last);
    add_element(t, c, "(e + r)");
    gndi_text_add(t, "}\ne += run;\n}\n}\n");
}

void gndi_kernel_generate(gndi_text *t, const gndi_kernel_call *c, bool gpu) {
    gndi_kernel_generate_start(t, c, gpu);
    gndi_kernel_generate_body(t, c, gpu);
    if (gpu) {
        generate_gpu(t, c);
    } else {
        generate_cpu(t, c);
        gndi_text_add(t, "GNDI_HOST_ENTRY(gnd_kernel_%s, gnd_loop)\n", c->kernel->name);
    }
}
