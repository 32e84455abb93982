/*
 * fuse_generate.c: the text of a kernel, from a plan. Its parts are in fuse_compiled.cuh.
 */
#include "fuse/cuda/fuse_generate_parts.h"

static const char *type_of(const gndi_fuse_operand *operand) {
    return operand->data ? gndi_fused_type(operand->dtype) : "int64_t";
}

static void add_members(gndi_text *text, const gndi_fuse_plan *plan, const gndi_fused_layout *layout) {
    gndi_text_add(text,
                  "    struct parameters {\n        uint64_t n, zero, length, skip, rows;\n"
                  "        char *data[%d];\n        int64_t stride[%d];\n",
                  plan->operands, plan->operands * layout->axes);
    if (!layout->dense) gndi_text_add(text, "        fused_axis axis[%d];\n", layout->axes);
    if (plan->constants) gndi_text_add(text, "        uint64_t constant[%d];\n", 2 * plan->constants);
    const int divisions = gndi_fused_division_number(plan, plan->count);
    if (divisions) gndi_text_add(text, "        uint64_t divisor[%d];\n", divisions);
    if (plan->parameters) gndi_text_add(text, "        double parameter[%d];\n", 4 * plan->parameters);
    if (plan->reductions) gndi_text_add(text, "        double number[%d];\n", 2 * plan->reductions);
    gndi_text_add(text, "    };\n    template <int V> struct unit {\n");
    for (int k = 0; k < plan->operands; k++)
        if (gndi_fused_is_of_elements(plan, k))
            gndi_text_add(text, "        %s %c%d[%s];\n", type_of(&plan->operand[k]),
                          plan->operand[k].store ? 's' : 'a', k, layout->access[k] == GNDI_FUSED_SAME ? "1" : "V");
    gndi_text_add(text, "    };\n");
}

/* The bytes from an operand's element to the next where the text can say them, which is along the last axis; 0: not. */
static int step_of(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, int k) {
    const int access = layout->access[k];
    const bool vectors = access != GNDI_FUSED_ELEMENTS && access != GNDI_FUSED_SAME;
    return layout->dense || (vectors && layout->along == layout->axes - 1) ? gndi_dtype_sizes[plan->operand[k].dtype]
                                                                           : 0;
}

/* Loads of all operands, or stores. */
static void add_accesses(gndi_text *text, const gndi_fuse_plan *plan, const gndi_fused_layout *layout, bool stores) {
    gndi_text_add(text,
                  "    template <class Position, int V>\n    GNDI_FN void %s(const parameters &p, "
                  "const Position &at, fused_span there, %sunit<V> &x) {\n",
                  stores ? "store" : "load", stores ? "const " : "");
    for (int k = 0; k < plan->operands; k++) {
        const gndi_fuse_operand *operand = &plan->operand[k];
        if (operand->store != stores || !gndi_fused_is_of_elements(plan, k)) continue;
        const int first = k * layout->axes, step = first + layout->along;
        if (!operand->data) {
            gndi_text_add(text,
                          "        count_from((int64_t)p.data[%d] + at.template to<0, %d>(p.stride + "
                          "%d), p.stride[%d], x.a%d);\n",
                          k, layout->same[k], first, step, k);
            continue;
        }
        gndi_text_add(text,
                      "        %s_unit<%d>(p.data[%d] + at.template to<%d, %d>(p.stride + %d), "
                      "p.stride[%d], there, x.%c%d);\n",
                      stores ? "store" : "load", layout->access[k], k, step_of(plan, layout, k), layout->same[k], first,
                      step, stores ? 's' : 'a', k);
    }
    gndi_text_add(text, "    }\n");
}

static void add_compute(gndi_text *text, const gndi_fuse_plan *plan, const gndi_fused_layout *layout) {
    gndi_text_add(text, "    template <bool Exact, int V> GNDI_FN bool compute(const parameters &p, unit<V> &x) "
                        "{\n        bool odd = false;\n");
    for (int i = 0; i < plan->count; i++)
        if (plan->code[i].kind == GNDI_FUSE_UNIFORM)
            gndi_text_add(text, "        %s u%d[V];\n        uniform_numbers(p.constant + %d, x.a%d, u%d);\n",
                          gndi_fused_type(plan->code[i].dtype), i, 2 * plan->code[i].at,
                          plan->code[plan->code[i].in[0]].at, i);
    gndi_text_add(text, "#pragma unroll\n        for (int j = 0; j < V; j++) {\n");
    for (int i = 0; i < plan->count; i++) gndi_fused_instruction(plan, layout, i, text);
    gndi_text_add(text, "        }\n        return odd;\n    }\n");
}

/* Whether the text needs the special functions, which take long to compile. */
static bool has_special(const gndi_fuse_plan *plan) {
    for (int i = 0; i < plan->count; i++)
        if (plan->code[i].kind == GNDI_FUSE_OP && gndi_op_is_special(plan->code[i].op)) return true;
    return false;
}

void gndi_fused_text(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, gndi_text *text) {
    const unsigned threads = gndi_fused_threads(layout);
    if (has_special(plan)) gndi_text_add(text, "#include \"kernels/scalar/special_ops.h\"\n");
    gndi_text_add(text,
                  "#include \"fuse/cuda/fuse_compiled%s.cuh\"\n\nnamespace gnd {\n\n"
                  "struct program {\n"
                  "    static constexpr int threads = %u, lanes = %d, width = %d, unroll = %d, "
                  "axes = %d, along = %d;\n"
                  "    static constexpr int before = %d, across = %d, down = %d;\n"
                  "    static constexpr bool ragged = %s, divides = %s;\n",
                  layout->lanes ? "_rows" : "", threads, layout->lanes, layout->width, layout->unroll, layout->axes,
                  layout->along, layout->before, layout->across, layout->down, layout->ragged ? "true" : "false",
                  gndi_fused_division_number(plan, plan->count) ? "true" : "false");
    add_members(text, plan, layout);
    add_accesses(text, plan, layout, false);
    if (layout->lanes)
        gndi_fused_row(plan, layout, text);
    else
        add_compute(text, plan, layout);
    add_accesses(text, plan, layout, true);
    gndi_text_add(text,
                  "};\n\n} // namespace gnd\n\nextern \"C\" __global__ void "
                  "__launch_bounds__(%u)\n    gnd_fused(const __grid_constant__ "
                  "gnd::program::parameters p) {\n    gnd::run_%s<gnd::program>(p);\n}\n",
                  threads,
                  layout->dense    ? "dense"
                  : layout->lanes  ? "lanes"
                  : layout->across ? "tiles"
                                   : "rows");
}

/* As ahead of time, contraction inside gnd's functors is allowed; the text itself marks what must not be
   contracted. */
gndi_jit_source gndi_fused_source(const gndi_text *text) {
    return (gndi_jit_source){.text = text->data, .name = "gnd_fused", .contract = true};
}
