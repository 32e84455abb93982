/*
 * op_sets.h: the vocabulary of ops.def and special.def that C, C++ and CUDA share: the operators' numbers, the sets
 * of loops, the flags. ops.h builds the C tables on it, the kernel templates their instantiations.
 */
#ifndef GNDI_OP_SETS_H
#define GNDI_OP_SETS_H

#include <gnd/dtype.h>

typedef enum gndi_op {
#define OP(family, name, signature, loops, identity, flags) GNDI_OP_##name,
#include "kernels/ops/ops.def"
    GNDI_OP_ORDINARY, /* how many have kernels of their own */
    GNDI_OP_LAST_ORDINARY = GNDI_OP_ORDINARY - 1,
#include "kernels/ops/special.def"
#undef OP
    GNDI_OP_COUNT
} gndi_op;

/* Whether an operator is a row of special.def. */
#define gndi_op_is_special(op) ((int)(op) >= (int)GNDI_OP_ORDINARY)

/* Sets of loops: a bit for each dtype, and how the inputs find their loop. */
#define GNDI_BIT(d) (1u << (d))
#define GNDI_BITS_INT                                                                                                  \
    (GNDI_BIT(GND_INT8) | GNDI_BIT(GND_UINT8) | GNDI_BIT(GND_INT16) | GNDI_BIT(GND_UINT16) | GNDI_BIT(GND_INT32) |     \
     GNDI_BIT(GND_UINT32) | GNDI_BIT(GND_INT64) | GNDI_BIT(GND_UINT64))
#define GNDI_BITS_FLOAT (GNDI_BIT(GND_FLOAT16) | GNDI_BIT(GND_BFLOAT16) | GNDI_BIT(GND_FLOAT32) | GNDI_BIT(GND_FLOAT64))
#define GNDI_BITS_COMPLEX (GNDI_BIT(GND_COMPLEX64) | GNDI_BIT(GND_COMPLEX128))
enum gndi_loops {
    GNDI_L_REST_TO_F64 = 1u << 30, /* other real dtypes compute in float64, whatever their size */
    GNDI_L_NO_BOOL = 1u << 29,     /* bool alone is refused, where NumPy refuses it */
    GNDI_L_BOOL_TO_F16 = 1u << 28, /* bool alone computes in float16, integers as they are (round) */
    GNDI_L_BOOL_TO_F64 = 1u << 27, /* bool alone computes in float64 (angle) */

    L_ALL = GNDI_BIT(GND_BOOL) | GNDI_BITS_INT | GNDI_BITS_FLOAT | GNDI_BITS_COMPLEX,
    L_ALL_REAL = GNDI_BIT(GND_BOOL) | GNDI_BITS_INT | GNDI_BITS_FLOAT,
    L_NUMBER = GNDI_BITS_INT | GNDI_BITS_FLOAT | GNDI_BITS_COMPLEX, /* bool computes in int8 */
    L_NUMBER_STRICT = L_NUMBER | GNDI_L_NO_BOOL,
    L_NUMBER_ROUND = L_NUMBER | GNDI_L_BOOL_TO_F16,
    L_REAL = GNDI_BITS_INT | GNDI_BITS_FLOAT,
    L_INT = GNDI_BITS_INT,
    L_INT_STRICT = L_INT | GNDI_L_NO_BOOL,
    L_BITS = GNDI_BIT(GND_BOOL) | GNDI_BITS_INT,
    L_INT64 = GNDI_BIT(GND_INT64),
    L_FLOAT64 = GNDI_BIT(GND_FLOAT64),
    L_FLOAT = GNDI_BITS_FLOAT,                       /* (u)int8 compute in float16, 16 bits in float32 */
    L_INEXACT = GNDI_BITS_FLOAT | GNDI_BITS_COMPLEX, /* the same */
    L_ANGLE = L_INEXACT | GNDI_L_BOOL_TO_F64,
    L_DOUBLE = GNDI_BIT(GND_FLOAT64) | GNDI_BIT(GND_COMPLEX128),
    L_DIVIDE = GNDI_BITS_FLOAT | GNDI_BITS_COMPLEX | GNDI_L_REST_TO_F64,
    L_DIVIDE_REAL = GNDI_BITS_FLOAT | GNDI_L_REST_TO_F64,
    /* SciPy's special functions, which have no loop of 16 bits: those dtypes compute in float32. */
    L_SPECIAL_REAL = GNDI_BIT(GND_FLOAT32) | GNDI_BIT(GND_FLOAT64),
    L_SPECIAL = L_SPECIAL_REAL | GNDI_BITS_COMPLEX,
    L_COMPLEX128 = GNDI_BIT(GND_COMPLEX128),
};

enum gndi_op_flags { PARAMS = 1, CHECKED = 2, INTERNAL = 4, INTERNAL_CHECKED = 6, ASSOCIATIVE = 8 };

#endif
