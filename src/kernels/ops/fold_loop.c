/*
 * fold_loop.c: operators by name, and the dtype that reduce, accumulate and reduceat compute in.
 */
#include "kernels/ops/fold_loop.h"

gndi_op gndi_ufunc_find(const char *fn, const char *name) {
    if (!name) {
        gndi_raise_null(fn, "name");
        return GNDI_OP_COUNT;
    }
    const gndi_op op = gndi_op_find(name);
    if (op != GNDI_OP_COUNT && !(gndi_ops[op].flags & INTERNAL)) return op;
    gndi_raise(GND_ERROR_INVALID, fn, "there is no operator called \"%s\"", name);
    return GNDI_OP_COUNT;
}

/* ---- dtypes --------------------------------------------------------------------------------- */

/* Why an operator cannot be applied to its own result again; NULL if it can. */
static const char *unfoldable(const gndi_op_info *info) {
    if (info->nin != 2) return "it does not take two arguments";
    if (info->nout != 1) return "it has two results";
    if (info->flags & PARAMS) return "it takes parameters";
    if (gndi_op_is_special(info - gndi_ops)) return "it is a special function, of which there are no folds";
    if (info->in[0] != 'T' || info->in[1] != 'T') return "its arguments are of different dtypes";
    return NULL;
}

static bool is_logical(gndi_op op) {
    return op >= GNDI_OP_logical_and && op <= GNDI_OP_logical_xor;
}

/* bool and integers are summed and multiplied in the 64-bit integer of their kind. */
static gnd_dtype widened(gndi_op op, gnd_dtype x) {
    if (op != GNDI_OP_add && op != GNDI_OP_multiply) return x;
    if (x == GND_BOOL || gnd_dtype_kind(x) == 'i') return GND_INT64;
    return gnd_dtype_kind(x) == 'u' ? GND_UINT64 : x;
}

static gnd_status refuse_dtype(const char *fn, gndi_op op, gnd_dtype x, gnd_dtype asked) {
    const char *name = gndi_ops[op].name;
    if (asked)
        return gndi_raise(GND_ERROR_DTYPE, fn, "\"%s\" has no loop that takes and gives %s", name,
                          gnd_dtype_name(asked));
    if (gndi_ops[op].out[0] == 'B')
        return gndi_raise(GND_ERROR_DTYPE, fn,
                          "\"%s\" gives bool, and of %s no second step is possible; with dtype "
                          "bool, the elements are taken by their truth",
                          name, gnd_dtype_name(x));
    return gndi_raise(GND_ERROR_DTYPE, fn, "\"%s\" is not defined for %s", name, gnd_dtype_name(x));
}

gnd_status gndi_ufunc_fold_loop(const char *fn, gndi_op op, gnd_dtype x, gnd_dtype asked, gnd_dtype out,
                                gnd_dtype *loop) {
    const gndi_op_info *info = &gndi_ops[op];
    const char *why = unfoldable(info);
    if (why) return gndi_raise(GND_ERROR_INVALID, fn, "\"%s\" cannot be used so: %s", info->name, why);
    if (asked && !gndi_dtype_valid((int)asked))
        return gndi_raise(GND_ERROR_DTYPE, fn, "dtype %d is none of the dtypes", (int)asked);
    const gnd_dtype common = asked ? asked : out ? gnd_promote_types(x, out) : widened(op, x);
    if (info->out[0] == 'B') {
        *loop = GND_BOOL;
        if (asked ? asked == GND_BOOL : is_logical(op) || x == GND_BOOL) return GND_OK;
        return refuse_dtype(fn, op, x, asked);
    }
    *loop = gndi_op_loop(op, common);
    if (*loop && (!asked || *loop == asked)) return GND_OK;
    return refuse_dtype(fn, op, x, asked);
}
