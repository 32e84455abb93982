/*
 * operands.c: the operands of rows, from the text in which a row states them (bench.h): read for gnd, and printed by
 * `bench --list` and `bench_mesh --list` for the peers, which make the same ones.
 */
#include "operands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 16 };

void operand_refuse(const char *text, const char *at) {
    fprintf(stderr, "bench: the operands \"%s\" cannot be read from \"%s\" on\n", text, at);
    exit(2);
}

/* 1000, 1e8, 2^24. */
static double read_number(const char *text, const char **at) {
    char *end;
    double number = strtod(*at, &end);
    if (end != *at && *end == '^') number = pow(number, strtod(end + 1, &end));
    if (end == *at) operand_refuse(text, *at);
    *at = end;
    return number;
}

/* Whether `*at` is one of `wanted`, and then moves behind it. */
static char skip(const char **at, const char *wanted) {
    return **at && strchr(wanted, **at) ? *(*at)++ : 0;
}

static double read_size(const char *text, const char **at, int64_t times) {
    const int64_t factor = skip(at, "*") ? times : 1;
    return (double)(factor * bench_size((int64_t)read_number(text, at)));
}

static void read_shape(const char *text, const char **at, int64_t times, gnd_shape *shape) {
    while (skip(at, "[,")) {
        const double size = skip(at, "=") ? read_number(text, at) : read_size(text, at, times);
        if (shape->ndim == GND_MAX_DIMS) operand_refuse(text, *at);
        shape->dim[shape->ndim++] = (int64_t)size;
    }
    if (!skip(at, "]")) operand_refuse(text, *at);
}

/* What an array is filled with. */
static void read_fill(const char *text, const char **at, int64_t times, operand *o) {
    if ((o->fill = skip(at, "~<="))) {
        const bool is_size = o->fill == '<' && o->dtype != GND_BOOL;
        if (o->fill != '~') o->value = is_size ? read_size(text, at, times) : read_number(text, at);
    } else if (**at && **at != ' ') {
        o->value = read_number(text, at);
        o->fill = skip(at, ":");
        if (!o->fill || o->shape.ndim != 1) operand_refuse(text, *at);
        o->last = read_number(text, at);
    }
}

bool operand_next(const char *text, const char **at, int64_t times, operand *o) {
    char name[MAX_NAME];
    *o = (operand){.kind = OPERAND_ARRAY, .split = -1};
    *at += strspn(*at, " ");
    if (!**at) return false;
    if (skip(at, "=")) {
        o->kind = OPERAND_PARAMETER, o->value = read_number(text, at);
        return true;
    }
    if (**at >= '0' && **at <= '9') {
        o->kind = OPERAND_SIZE, o->value = read_size(text, at, times);
        return true;
    }
    const size_t length = strcspn(*at, "[");
    if (length >= sizeof name || !(*at)[length]) operand_refuse(text, *at);
    memcpy(name, *at, length), name[length] = 0;
    o->dtype = gnd_dtype_from_name(name);
    if (!o->dtype) operand_refuse(text, *at);
    *at += length;
    read_shape(text, at, times, &o->shape);
    if (skip(at, "/")) o->split = (int)read_number(text, at);
    if (o->split >= o->shape.ndim) operand_refuse(text, *at);
    read_fill(text, at, times, o);
    return true;
}

void operands_print(const char *text, int64_t times) {
    const char *at = text, *separator = "";
    printf("[");
    for (operand o; operand_next(text, &at, times, &o); separator = ", ") {
        printf("%s", separator);
        if (o.kind != OPERAND_ARRAY) {
            printf("%.15g", o.value);
            continue;
        }
        printf("{\"dtype\": \"%s\", \"shape\": [", gnd_dtype_name(o.dtype));
        for (int i = 0; i < o.shape.ndim; i++) printf("%s%lld", i ? ", " : "", (long long)o.shape.dim[i]);
        printf("]");
        if (o.split >= 0) printf(", \"split\": %d", o.split);
        if (o.fill == '=') printf(", \"value\": %.15g", o.value);
        if (o.fill == '<') printf(", \"below\": %.15g", o.value);
        if (o.fill == '~') printf(", \"centred\": true");
        if (o.fill == ':') printf(", \"from\": %.15g, \"to\": %.15g", o.value, o.last);
        printf("}");
    }
    printf("]");
}
