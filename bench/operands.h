/*
 * operands.h: reads the operands that a row states as a text (bench.h, and of rows over many ranks mesh.h).
 */
#ifndef GNDB_OPERANDS_H
#define GNDB_OPERANDS_H

#include <gnd.h>

/* What one of a row's operands is. */
typedef enum operand_kind { OPERAND_SIZE, OPERAND_PARAMETER, OPERAND_ARRAY } operand_kind;
typedef struct operand {
    operand_kind kind;
    gnd_dtype dtype;
    gnd_shape shape;
    int split;    /* the axis along which ranks split an array; -1: none */
    char fill;    /* of an array: one of "~<=:", as bench.h has them, or 0 */
    double value; /* of a size, a parameter, and what follows "<" or "="; the first of "first:last" */
    double last;
} operand;

/* The operand at `*at` in `text`, which moves behind it; false at the end. Sizes that follow a "*" are multiplied by
   `times`. */
bool operand_next(const char *text, const char **at, int64_t times, operand *o);
/* Ends the program: a text that cannot be read. */
void operand_refuse(const char *text, const char *at);
/* All of the text, as JSON. */
void operands_print(const char *text, int64_t times);

/* A size: n, or with GND_BENCH_SMALL=1 in the environment (a test that the rows run at all) a small part of it. Each
   program has its own. */
int64_t bench_size(int64_t n);

#endif
