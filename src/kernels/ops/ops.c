/*
 * ops.c: the operator tables (ops.def, special.def) as data, the search by name, and how an operator's inputs
 * find the dtype it computes in.
 */
#include "kernels/ops/ops.h"
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
#define OP(family, name, signature, loops, identity, flags)                                                            \
    [GNDI_OP_##name] = {#name, "gnd_" #name, "gnd_" #name "_into", SIGNATURE_##signature, loops, identity, flags},
#include "kernels/ops/ops.def"
#include "kernels/ops/special.def"
#undef OP
};

/* ---- search by name: an open hash table, filled once ---------------------------------------- */

enum { SLOTS = 1024 }; /* a power of two, several times the number of operators */
_Static_assert((int)GNDI_OP_COUNT * 3 < (int)SLOTS, "the hash table of operators is too full");

_Static_assert((int)GNDI_OP_COUNT <= 255, "operators are numbered in a byte");

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
    if ((loops & GNDI_L_REST_TO_F64) && gnd_can_cast(common, GND_FLOAT64, GND_SAFE)) return GND_FLOAT64;
    /* The first loop that holds every value. bfloat16 never replaces another dtype. */
    for (int d = common + 1; d < GND_DTYPE_COUNT; d++)
        if ((loops & GNDI_BIT(d)) && d != GND_BFLOAT16 && gnd_can_cast(common, (gnd_dtype)d, GND_SAFE))
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
