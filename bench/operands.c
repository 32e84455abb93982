/*
 * operands.c: the operands of rows, from the text in which a row states them (bench.h): made here for gnd, and
 * printed by `bench --list` for the peers, which make the same ones (peers/peers_rows.py).
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 16 };

/* What one of a row's operands is. */
typedef enum operand_kind { SIZE, PARAMETER, ARRAY } operand_kind;
typedef struct operand {
    operand_kind kind;
    gnd_dtype dtype;
    gnd_shape shape;
    char fill;    /* of an array: one of "~<=:", as bench.h has them, or 0 */
    double value; /* of a size, a parameter, and what follows "<" or "="; the first of "first:last" */
    double last;
} operand;

static void refuse(const char *text, const char *at) {
    fprintf(stderr, "bench: the operands \"%s\" cannot be read from \"%s\" on\n", text, at);
    exit(2);
}

/* 1000, 1e8, 2^24. */
static double read_number(const char *text, const char **at) {
    char *end;
    double number = strtod(*at, &end);
    if (end != *at && *end == '^') number = pow(number, strtod(end + 1, &end));
    if (end == *at) refuse(text, *at);
    *at = end;
    return number;
}

static double read_size(const char *text, const char **at) {
    return (double)bench_size((int64_t)read_number(text, at));
}

/* Whether `*at` is one of `wanted`, and then moves behind it. */
static char skip(const char **at, const char *wanted) {
    return **at && strchr(wanted, **at) ? *(*at)++ : 0;
}

static void read_shape(const char *text, const char **at, gnd_shape *shape) {
    while (skip(at, "[,")) {
        const double size = skip(at, "=") ? read_number(text, at) : read_size(text, at);
        if (shape->ndim == GND_MAX_DIMS) refuse(text, *at);
        shape->dim[shape->ndim++] = (int64_t)size;
    }
    if (!skip(at, "]")) refuse(text, *at);
}

/* What an array is filled with. */
static void read_fill(const char *text, const char **at, operand *o) {
    if ((o->fill = skip(at, "~<="))) {
        const bool is_size = o->fill == '<' && o->dtype != GND_BOOL;
        if (o->fill != '~') o->value = is_size ? read_size(text, at) : read_number(text, at);
    } else if (**at && **at != ' ') {
        o->value = read_number(text, at);
        o->fill = skip(at, ":");
        if (!o->fill || o->shape.ndim != 1) refuse(text, *at);
        o->last = read_number(text, at);
    }
}

/* The operand at `*at`, which moves behind it; false at the end. */
static bool next_operand(const char *text, const char **at, operand *o) {
    char name[MAX_NAME];
    *o = (operand){.kind = ARRAY};
    *at += strspn(*at, " ");
    if (!**at) return false;
    if (skip(at, "=")) {
        o->kind = PARAMETER, o->value = read_number(text, at);
        return true;
    }
    if (**at >= '0' && **at <= '9') {
        o->kind = SIZE, o->value = read_size(text, at);
        return true;
    }
    const size_t length = strcspn(*at, "[");
    if (length >= sizeof name || !(*at)[length]) refuse(text, *at);
    memcpy(name, *at, length), name[length] = 0;
    o->dtype = gnd_dtype_from_name(name);
    if (!o->dtype) refuse(text, *at);
    *at += length;
    read_shape(text, at, &o->shape);
    read_fill(text, at, o);
    return true;
}

/* Real and imaginary parts around zero. */
static gnd_array *make_centred(const operand *o) {
    gnd_shape parts = o->shape;
    const bool complex = gnd_dtype_kind(o->dtype) == 'c';
    if (complex) parts.dim[parts.ndim - 1] *= 2;
    gnd_array *x = bench_random(parts, o->dtype == GND_COMPLEX128 ? GND_FLOAT64 : complex ? GND_FLOAT32 : o->dtype);
    gnd_subtract_into(x, x, 0.5);
    if (!complex) return x;
    gnd_array *view = gnd_view(x, o->dtype);
    gnd_release(x);
    return view;
}

static gnd_array *make(const operand *o) {
    if (o->fill == '=') return gnd_full(o->shape, o->value, o->dtype);
    if (o->fill == '~') return make_centred(o);
    if (o->fill == ':') return gnd_linspace(o->value, o->last, o->shape.dim[0], true, o->dtype);
    if (!o->fill && o->dtype != GND_BOOL) return bench_random(o->shape, o->dtype);
    const bool whole = o->fill && o->dtype != GND_BOOL;
    gnd_array *result = NULL, *x = bench_random(o->shape, whole ? GND_FLOAT64 : GND_FLOAT32);
    GND_SCOPE {
        if (whole)
            result = gnd_keep(gnd_astype(gnd_multiply(x, o->value), o->dtype));
        else
            result = gnd_keep(o->fill ? gnd_less(x, o->value) : gnd_greater(x, 0.5));
    }
    gnd_release(x);
    return result;
}

void bench_make_operands(operands *o, const char *text) {
    gnd_array **const arrays[] = {&o->x, &o->y, &o->z, &o->out};
    const size_t most[] = {sizeof o->n / sizeof *o->n, sizeof o->p / sizeof *o->p, sizeof arrays / sizeof *arrays};
    const char *at = text;
    size_t made[3] = {0};
    for (operand next; next_operand(text, &at, &next);) {
        const size_t i = made[next.kind]++;
        if (i == most[next.kind]) refuse(text, at);
        if (next.kind == SIZE)
            o->n[i] = (int64_t)next.value;
        else if (next.kind == PARAMETER)
            o->p[i] = next.value;
        else
            *arrays[i] = make(&next);
    }
}

void bench_print_operands(const char *text) {
    const char *at = text, *separator = "";
    printf("[");
    for (operand o; next_operand(text, &at, &o); separator = ", ") {
        printf("%s", separator);
        if (o.kind != ARRAY) {
            printf("%.15g", o.value);
            continue;
        }
        printf("{\"dtype\": \"%s\", \"shape\": [", gnd_dtype_name(o.dtype));
        for (int i = 0; i < o.shape.ndim; i++) printf("%s%lld", i ? ", " : "", (long long)o.shape.dim[i]);
        printf("]");
        if (o.fill == '=') printf(", \"value\": %.15g", o.value);
        if (o.fill == '<') printf(", \"below\": %.15g", o.value);
        if (o.fill == '~') printf(", \"centred\": true");
        if (o.fill == ':') printf(", \"from\": %.15g, \"to\": %.15g", o.value, o.last);
        printf("}");
    }
    printf("]");
}
