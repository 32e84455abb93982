/*
 * ops.c: the operator table (ops.def) as data, the search by name, and how an operator's inputs
 * find the dtype it computes in.
 */
#include "kernels/ops/ops.h"
#include "random/random_plan.h"
#include "runtime/runtime.h"
#include "core/lock.h"

/* A signature as the members nin, nout, in, out of gndi_op_info. */
/* clang-format off */
#define SIGNATURE_T_T 1, 1, {'T'}, {'T'}
#define SIGNATURE_T_R 1, 1, {'T'}, {'R'}
#define SIGNATURE_T_B 1, 1, {'T'}, {'B'}
#define SIGNATURE_T_H 1, 1, {'T'}, {'H'}
#define SIGNATURE_T_TT 1, 2, {'T'}, {'T', 'T'}
#define SIGNATURE_T_TN 1, 2, {'T'}, {'T', 'N'}
#define SIGNATURE_TT_T 2, 1, {'T', 'T'}, {'T'}
#define SIGNATURE_TT_B 2, 1, {'T', 'T'}, {'B'}
#define SIGNATURE_TI_T 2, 1, {'T', 'I'}, {'T'}
#define SIGNATURE_IU_B 2, 1, {'I', 'U'}, {'B'}
#define SIGNATURE_TT_TT 2, 2, {'T', 'T'}, {'T', 'T'}
#define SIGNATURE_TTT_T 3, 1, {'T', 'T', 'T'}, {'T'}
#define SIGNATURE_BTT_T 3, 1, {'B', 'T', 'T'}, {'T'}
/* clang-format on */

const gndi_op_info gndi_ops[GNDI_OP_COUNT] = {
#define OP(family, name, signature, loops, identity, flags)                                        \
    {#name, "gnd_" #name, "gnd_" #name "_into", SIGNATURE_##signature, loops, identity, flags},
#include "kernels/ops/ops.def"
#undef OP
};

/* ---- search by name: an open hash table, filled once ---------------------------------------- */

enum { SLOTS = 512 }; /* a power of two, several times the number of operators */
_Static_assert((int)GNDI_OP_COUNT * 3 < (int)SLOTS, "the hash table of operators is too full");

static uint8_t slots[SLOTS]; /* operator + 1; 0 is a free slot */
static gndi_once slots_filled;

static uint32_t hash_name(const char *name) {
    uint32_t h = 2166136261u; /* FNV-1a */
    for (; *name; name++) h = (h ^ (uint8_t)*name) * 16777619u;
    return (h ^ (h >> 15)) & (SLOTS - 1);
}

static void fill_slots(void) {
    for (int op = 0; op < GNDI_OP_COUNT; op++) {
        uint32_t at = hash_name(gndi_ops[op].name);
        while (slots[at]) at = (at + 1) & (SLOTS - 1);
        slots[at] = (uint8_t)(op + 1);
    }
}

gndi_op gndi_op_find(const char *name) {
    gndi_once_do(&slots_filled, fill_slots);
    for (uint32_t at = hash_name(name); slots[at]; at = (at + 1) & (SLOTS - 1)) {
        gndi_op op = (gndi_op)(slots[at] - 1);
        if (strcmp(gndi_ops[op].name, name) == 0) return op;
    }
    return GNDI_OP_COUNT;
}

/* ---- loops ---------------------------------------------------------------------------------- */

gnd_dtype gndi_op_loop(gndi_op op, gnd_dtype common) {
    uint32_t loops = gndi_ops[op].loops;
    if (!gndi_dtype_valid(common)) return GND_DTYPE_NONE;
    if (loops & GNDI_BIT(common)) return common;
    if (common == GND_BOOL && (loops & GNDI_L_NO_BOOL)) return GND_DTYPE_NONE;
    if (common == GND_BOOL && (loops & GNDI_L_BOOL_TO_F16)) return GND_FLOAT16;
    if (common == GND_BOOL && (loops & GNDI_L_BOOL_TO_F64)) return GND_FLOAT64;
    if ((loops & GNDI_L_REST_TO_F64) && gnd_can_cast(common, GND_FLOAT64, GND_SAFE))
        return GND_FLOAT64;
    /* The first loop that holds every value. bfloat16 is never a stand-in for another dtype. */
    for (int d = common + 1; d < GND_DTYPE_COUNT; d++)
        if ((loops & GNDI_BIT(d)) && d != GND_BFLOAT16 &&
            gnd_can_cast(common, (gnd_dtype)d, GND_SAFE))
            return (gnd_dtype)d;
    return GND_DTYPE_NONE;
}

static gnd_dtype real_of(gnd_dtype dtype) {
    return dtype == GND_COMPLEX64 ? GND_FLOAT32 : dtype == GND_COMPLEX128 ? GND_FLOAT64 : dtype;
}

gnd_dtype gndi_letter_dtype(char letter, gnd_dtype loop) {
    switch (letter) {
    case 'T': return loop;
    case 'B': return GND_BOOL;
    case 'I': return GND_INT64;
    case 'U': return GND_UINT64;
    case 'N': return GND_INT32;
    case 'H': return GND_UINT8;
    case 'R': return real_of(loop);
    default: return GND_DTYPE_NONE;
    }
}

/* ---- what kernels report -------------------------------------------------------------------- */

int *gndi_op_fault(gnd_stream *s, gndi_op op) {
    return gndi_ops[op].flags & CHECKED ? &gndi_fault_record(s->device)->code : NULL;
}

/* A matrix that LAPACK could do nothing with; which one, if it was one of several. */
static void matrix_sentence(char *text, size_t bytes, const gndi_fault *f) {
    char which[64] = "a matrix";
    if (f->size > 1)
        snprintf(which, sizeof which, "matrix %lld of %lld", (long long)f->value,
                 (long long)f->size);
    if (f->code == GNDI_FAULT_SINGULAR)
        snprintf(text, bytes, "%s is singular: pivot %d is zero", which, f->axis);
    else if (f->code == GNDI_FAULT_NOT_POSITIVE)
        snprintf(text, bytes, "%s is not positive definite: its leading minor of order %d is not",
                 which, f->axis);
    else
        snprintf(text, bytes, "the iteration did not converge on %s", which);
}

static void fault_sentence(char *text, size_t bytes, const gndi_fault *f) {
    const long long value = f->value, size = f->size;
    switch (f->code) {
    case GNDI_OP_power + 1:
        snprintf(text, bytes,
                 "an integer to a negative power is not allowed; use gnd_float_power or a float "
                 "dtype");
        return;
    case GNDI_FAULT_INDEX:
        snprintf(text, bytes, "index %lld is out of bounds for axis %d of size %lld", value,
                 f->axis, size);
        return;
    case GNDI_FAULT_ALL_NAN: snprintf(text, bytes, "met a slice that is all NaN"); return;
    case GNDI_FAULT_QUANTILE:
        snprintf(text, bytes,
                 "was asked for a quantile that is not in [0, 1] (a percentile not in [0, 100])");
        return;
    case GNDI_FAULT_WEIGHTS:
    case GNDI_OP_weighted + 1:
        snprintf(text, bytes, "met weights that add up to zero, or a negative one");
        return;
    case GNDI_OP_check_weight + 1:
        snprintf(text, bytes,
                 "met a weight that is negative, or a frequency that is no whole number");
        return;
    case GNDI_FAULT_COUNT:
        snprintf(text, bytes, "there are %lld values for %lld true elements of the mask", size,
                 value);
        return;
    case GNDI_FAULT_BINS:
        snprintf(text, bytes,
                 "met bins that do not increase monotonically (gnd_digitize: nor decrease)");
        return;
    case GNDI_FAULT_RANGE:
        snprintf(
            text, bytes,
            "the range of the data is not finite; give a range, or leave NaN and infinity out");
        return;
    case GNDI_FAULT_TOO_MANY:
        snprintf(text, bytes, "too many bins for its range: of %lld edges two are the same", size);
        return;
    case GNDI_FAULT_RANDOM:
        snprintf(text, bytes, "met parameters that it does not take, for element %lld: %s", value,
                 gndi_distributions[f->axis].requirement);
        return;
    case GNDI_FAULT_SINGULAR:
    case GNDI_FAULT_NOT_POSITIVE:
    case GNDI_FAULT_NO_CONVERGENCE: matrix_sentence(text, bytes, f); return;
    default: snprintf(text, bytes, "met a value it does not take"); return;
    }
}

gnd_status gndi_raise_fault(const char *fn, const gndi_fault *fault, bool own) {
    const gnd_status code = fault->code == GNDI_FAULT_INDEX ? GND_ERROR_INDEX : GND_ERROR_VALUE;
    const char *waited = gndi_public_name(fn), *guilty = fault->fn ? fault->fn : waited;
    const bool same = strcmp(waited, guilty) == 0;
    char text[256];
    fault_sentence(text, sizeof text, fault);
    GNDI_CALLING_BACK(); /* the name is whole: it is not that of what waits now */
    if (own && same) return gndi_raise(code, guilty, "%s", text);
    return gndi_raise(code, guilty, "%s (found when %s waited)", text,
                      same ? "a later call" : waited);
}
