/*
 * ops.h: the operator table (ops.def) as C data: for each operator its name, operand types and
 * loops. Dtype resolution and every plan start here.
 */
#ifndef GNDI_OPS_H
#define GNDI_OPS_H

#include "core/core.h"
#include "kernels/ops/op_sets.h"

typedef enum gndi_identity { NONE, ZERO, ONE, MINUS_ONE, MINUS_INF, FALSE_, TRUE_ } gndi_identity;

#define GNDI_MAX_IN 3
#define GNDI_MAX_OUT 2

typedef struct gndi_op_info {
    const char *name;         /* "add" */
    const char *fn, *fn_into; /* "gnd_add", "gnd_add_into", for messages */
    uint8_t nin, nout;
    char in[GNDI_MAX_IN], out[GNDI_MAX_OUT]; /* signature letters: T B I U N H R */
    uint32_t loops;
    uint8_t identity, flags;
} gndi_op_info;
extern const gndi_op_info gndi_ops[GNDI_OP_COUNT];

/* The operator of this name, as in gnd_apply("add", ...); GNDI_OP_COUNT if there is none. */
gndi_op gndi_op_find(const char *name);
/* Where a kernel of the operator reports a fault; NULL unless it is CHECKED. */
int *gndi_op_fault(gnd_stream *s, gndi_op op);
/* The loop dtype for promoted inputs `common`; GND_DTYPE_NONE if the operator has no loop for them. */
gnd_dtype gndi_op_loop(gndi_op op, gnd_dtype common);
/* The dtype an operand with this signature letter has in loop `loop`. */
gnd_dtype gndi_letter_dtype(char letter, gnd_dtype loop);

#endif
