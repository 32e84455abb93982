/*
 * ops.h: the operator table (ops.def) as C data: an enum, and for each operator its name, operand
 * types and loops. Dtype resolution and every plan start here.
 */
#ifndef GNDI_OPS_H
#define GNDI_OPS_H

#include "core/core.h"

typedef enum gndi_op {
#define OP(family, name, signature, loops, identity, flags) GNDI_OP_##name,
#include "kernels/ops.def"
#undef OP
    GNDI_OP_COUNT
} gndi_op;

/* Sets of loops: a bit for each dtype, and how the inputs find their loop. */
#define GNDI_BIT(d) (1u << (d))
#define GNDI_BITS_INT                                                                              \
    (GNDI_BIT(GND_INT8) | GNDI_BIT(GND_UINT8) | GNDI_BIT(GND_INT16) | GNDI_BIT(GND_UINT16) |       \
     GNDI_BIT(GND_INT32) | GNDI_BIT(GND_UINT32) | GNDI_BIT(GND_INT64) | GNDI_BIT(GND_UINT64))
#define GNDI_BITS_FLOAT                                                                            \
    (GNDI_BIT(GND_FLOAT16) | GNDI_BIT(GND_BFLOAT16) | GNDI_BIT(GND_FLOAT32) | GNDI_BIT(GND_FLOAT64))
#define GNDI_BITS_COMPLEX (GNDI_BIT(GND_COMPLEX64) | GNDI_BIT(GND_COMPLEX128))
enum gndi_loops {
    GNDI_L_INT_TO_F64 = 1u << 30, /* bool and integers compute in float64, whatever their size */
    GNDI_L_NO_BOOL = 1u << 29,    /* bool alone is refused, where NumPy refuses it */

    L_ALL = GNDI_BIT(GND_BOOL) | GNDI_BITS_INT | GNDI_BITS_FLOAT | GNDI_BITS_COMPLEX,
    L_ALL_REAL = GNDI_BIT(GND_BOOL) | GNDI_BITS_INT | GNDI_BITS_FLOAT,
    L_NUMBER = GNDI_BITS_INT | GNDI_BITS_FLOAT | GNDI_BITS_COMPLEX, /* bool computes in int8 */
    L_NUMBER_STRICT = L_NUMBER | GNDI_L_NO_BOOL,
    L_REAL = GNDI_BITS_INT | GNDI_BITS_FLOAT,
    L_INT = GNDI_BITS_INT,
    L_BITS = GNDI_BIT(GND_BOOL) | GNDI_BITS_INT,
    L_INT64 = GNDI_BIT(GND_INT64),
    L_FLOAT = GNDI_BITS_FLOAT,                       /* (u)int8 compute in float16, 16 bits in float32 */
    L_INEXACT = GNDI_BITS_FLOAT | GNDI_BITS_COMPLEX, /* the same */
    L_DOUBLE = GNDI_BIT(GND_FLOAT64) | GNDI_BIT(GND_COMPLEX128),
    L_DIVIDE = GNDI_BITS_FLOAT | GNDI_BITS_COMPLEX | GNDI_L_INT_TO_F64,
    L_DIVIDE_REAL = GNDI_BITS_FLOAT | GNDI_L_INT_TO_F64,
};

enum gndi_op_flags { PARAMS = 1, CHECKED = 2, INTERNAL = 4 };

typedef enum gndi_identity { NONE, ZERO, ONE, MINUS_ONE, MINUS_INF, FALSE_, TRUE_ } gndi_identity;

#define GNDI_MAX_IN 3
#define GNDI_MAX_OUT 2

typedef struct gndi_op_info {
    const char *name;   /* "add" */
    const char *fn;     /* "gnd_add", for messages */
    uint8_t nin, nout;
    char in[GNDI_MAX_IN], out[GNDI_MAX_OUT]; /* signature letters: T B I U N H R */
    uint32_t loops;
    uint8_t identity, flags;
} gndi_op_info;
extern const gndi_op_info gndi_ops[GNDI_OP_COUNT];

/* The operator of this name, as in gnd_apply("add", ...); GNDI_OP_COUNT if there is none. */
gndi_op gndi_op_find(const char *name);
/* The loop dtype for promoted inputs `common`; GND_DTYPE_NONE if the operator takes no such dtype. */
gnd_dtype gndi_op_loop(gndi_op op, gnd_dtype common);
/* The dtype an operand with this signature letter has in loop `loop`. */
gnd_dtype gndi_letter_dtype(char letter, gnd_dtype loop);

#endif
