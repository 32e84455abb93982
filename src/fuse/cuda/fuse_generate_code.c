/*
 * fuse_generate_code.c: the text of one instruction of a fused program.
 */
#include "fuse/cuda/fuse_generate_parts.h"
#define TABS "            "

const char *gndi_fused_type(int dtype) {
    static const char *const names[GND_DTYPE_COUNT] = {[GND_BOOL] = "bool",
                                                       [GND_INT8] = "int8_t",
                                                       [GND_UINT8] = "uint8_t",
                                                       [GND_INT16] = "int16_t",
                                                       [GND_UINT16] = "uint16_t",
                                                       [GND_INT32] = "int32_t",
                                                       [GND_UINT32] = "uint32_t",
                                                       [GND_INT64] = "int64_t",
                                                       [GND_UINT64] = "uint64_t",
                                                       [GND_FLOAT16] = "float16",
                                                       [GND_BFLOAT16] = "bfloat16",
                                                       [GND_FLOAT32] = "float",
                                                       [GND_FLOAT64] = "double",
                                                       [GND_COMPLEX64] = "complex<float>",
                                                       [GND_COMPLEX128] = "complex<double>"};
    return names[dtype];
}

static const char *family_of(int op) {
    static const char *const families[] = {
#define OP(family, name, signature, loops, identity, flags) [GNDI_OP_##name] = #family,
#include "kernels/ops/ops.def"
#include "kernels/ops/special.def"
#undef OP
    };
    return families[op];
}

/* Families whose functions begin and end with operations that no compiler contracts: sums and products with explicit
   rounding, or neither. */
bool gndi_fused_is_plain(int op) {
    static const char *const plain[] = {"move", "arith", "compare", "logical", "bitwise", "extremum"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(family_of(op), plain[i]) == 0) return true;
    return false;
}

static bool is_contractible(int dtype) {
    return dtype >= GND_FLOAT32;
}

/* Whether an instruction may end with a product that could be contracted with a following sum. */
static bool ends_openly(const gndi_fuse_plan *plan, int i) {
    const gndi_fuse_code *c = &plan->code[i];
    if (c->kind != GNDI_FUSE_OP)
        return c->kind == GNDI_FUSE_CAST || c->kind == GNDI_FUSE_UNIFORM || c->kind == GNDI_FUSE_SECOND;
    return !gndi_fused_is_plain(c->op) || strcmp(family_of(c->op), "move") == 0 || gndi_dtype_is_complex(c->loop);
}

/* ---- one element ---------------------------------------------------------------------------- */

/* Operand k of instruction i, made opaque where its product could be contracted. */
static void add_operand(gndi_text *text, const gndi_fuse_plan *plan, int i, int k, bool open) {
    const int from = plan->code[i].in[k];
    if (open && is_contractible(plan->code[from].dtype) && ends_openly(plan, from))
        gndi_text_add(text, "opaque(v%d, (uint32_t)p.zero)", from);
    else
        gndi_text_add(text, "v%d", from);
}

/* Writes a product or a sum as C++'s operator, which the compiler may contract with its neighbour; false if it must
   not be. */
static bool add_contracted(gndi_text *text, const gndi_fuse_plan *plan, int i) {
    const gndi_fuse_code *c = &plan->code[i];
    const char sign = c->op == GNDI_OP_add        ? '+'
                      : c->op == GNDI_OP_subtract ? '-'
                      : c->op == GNDI_OP_multiply ? '*'
                                                  : 0;
    if (!plan->contract || !sign || (c->loop != GND_FLOAT32 && c->loop != GND_FLOAT64)) return false;
    gndi_text_add(text, TABS "const %s v%d = v%d %c v%d;\n", gndi_fused_type(c->dtype), i, c->in[0], sign, c->in[1]);
    return true;
}

bool gndi_fused_divides(const gndi_fuse_plan *plan, int i) {
    const gndi_fuse_code *c = &plan->code[i];
    return plan->shape_of == GNDI_FUSE_MAP && c->kind == GNDI_FUSE_OP && c->op == GNDI_OP_divide &&
           c->loop == GND_FLOAT32 && plan->code[c->in[1]].kind == GNDI_FUSE_CONST;
}

/* The index of instruction i among the plan's divisions by constants. */
int gndi_fused_division_number(const gndi_fuse_plan *plan, int i) {
    int number = 0;
    for (int k = 0; k < i; k++) number += gndi_fused_divides(plan, k);
    return number;
}

static void add_operator(gndi_text *text, const gndi_fuse_plan *plan, const gndi_fused_layout *layout, int i) {
    const gndi_fuse_code *c = &plan->code[i];
    const gndi_op_info *info = &gndi_ops[c->op];
    const bool open = !plan->contract && !gndi_fused_is_plain(c->op);
    if (add_contracted(text, plan, i)) return;
    if (gndi_fused_divides(plan, i)) {
        const int number = gndi_fused_division_number(plan, i);
        gndi_text_add(text, TABS "const float v%d = divided%s<Exact>(v%d, v%d, p.divisor[%d], odd);\n", i,
                      number < 64 && layout->once >> number & 1 ? "_once" : "", c->in[0], c->in[1], number);
        return;
    }
    gndi_text_add(text, TABS "const auto r%d = fused<op_%s, %s>(", i, info->name, gndi_fused_type(c->loop));
    if (info->flags & PARAMS)
        gndi_text_add(text, "p.parameter + %d", 4 * c->at);
    else
        gndi_text_add(text, "nullptr");
    for (int k = 0; k < info->nin; k++) {
        gndi_text_add(text, ", ");
        add_operand(text, plan, i, k, open);
    }
    gndi_text_add(text, ");\n" TABS "const %s v%d = r%d%s;\n", gndi_fused_type(c->dtype), i, i,
                  info->nout == 2 ? ".first" : "");
}

void gndi_fused_instruction(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, int i, gndi_text *text) {
    const gndi_fuse_code *c = &plan->code[i];
    const char *type = gndi_fused_type(c->dtype), *unit = layout->lanes ? "[u]" : "";
    switch ((gndi_fuse_kind)c->kind) {
    case GNDI_FUSE_LOAD:
    case GNDI_FUSE_INDEX:
        gndi_text_add(text, TABS "const %s v%d = x%s.a%d[%s];\n", type, i, unit, c->at,
                      layout->access[c->at] == GNDI_FUSED_SAME ? "0" : "j");
        break;
    case GNDI_FUSE_CONST:
        gndi_text_add(text, TABS "const %s v%d = constant_as<%s>(p.constant + %d);\n", type, i, type, 2 * c->at);
        break;
    case GNDI_FUSE_RANGE:
        gndi_text_add(text, TABS "const %s v%d = in_range<%s>(p.constant + %d, p.constant + %d, v%d);\n", type, i, type,
                      2 * c->at, 2 * c->at + 2, c->in[0]);
        break;
    case GNDI_FUSE_UNIFORM: gndi_text_add(text, TABS "const %s v%d = u%d[j];\n", type, i, i); break;
    case GNDI_FUSE_CAST: gndi_text_add(text, TABS "const %s v%d = cast<%s>(v%d);\n", type, i, type, c->in[0]); break;
    case GNDI_FUSE_OP: add_operator(text, plan, layout, i); break;
    case GNDI_FUSE_SECOND: gndi_text_add(text, TABS "const %s v%d = r%d.second;\n", type, i, c->in[0]); break;
    case GNDI_FUSE_STORE: gndi_text_add(text, TABS "x%s.s%d[j] = v%d;\n", unit, c->at, c->in[0]); break;
    case GNDI_FUSE_REDUCE: break;
    }
}

/* ---- units ---------------------------------------------------------------------------------- */
