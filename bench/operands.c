/*
 * operands.c: the operands of rows, from the text in which a row states them (bench.h): made here for gnd, and
 * printed by `bench --list` for the peers, which make the same ones (peers_rows.py).
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 16 };

/* One of a row's operands. */
typedef struct operand {
    bool is_number; /* `number`; else an array */
    int64_t number;
    gnd_dtype dtype;
    gnd_shape shape;
    char kind; /* '=': filled with `value`; '<': whole numbers from 0 up to below it; 0: in [0, 1) */
    double value;
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

static int64_t read_size(const char *text, const char **at) {
    return bench_size((int64_t)read_number(text, at));
}

/* The operand at `*at`, which moves behind it; false at the end. */
static bool next_operand(const char *text, const char **at, operand *o) {
    char name[MAX_NAME];
    *o = (operand){0};
    *at += strspn(*at, " ");
    if (!**at) return false;
    if (**at >= '0' && **at <= '9') {
        o->is_number = true, o->number = read_size(text, at);
        return true;
    }
    const size_t length = strcspn(*at, "[");
    if (length >= sizeof name || !(*at)[length]) refuse(text, *at);
    memcpy(name, *at, length), name[length] = 0;
    o->dtype = gnd_dtype_from_name(name);
    if (!o->dtype) refuse(text, *at);
    for (*at += length; **at == '[' || **at == ',';) {
        ++*at;
        o->shape.dim[o->shape.ndim++] = read_size(text, at);
    }
    if (**at != ']') refuse(text, *at);
    ++*at;
    if (**at == '=' || **at == '<') {
        o->kind = *(*at)++;
        o->value = o->kind == '<' ? (double)read_size(text, at) : read_number(text, at);
    }
    return true;
}

static gnd_array *make(const operand *o) {
    gnd_array *result = NULL;
    if (o->kind == '=') return gnd_full(o->shape, o->value, o->dtype);
    if (o->kind != '<' && o->dtype != GND_BOOL) return bench_random(o->shape, o->dtype);
    gnd_array *x = bench_random(o->shape, o->kind ? GND_FLOAT64 : GND_FLOAT32);
    GND_SCOPE {
        result = gnd_keep(o->kind ? gnd_astype(gnd_multiply(x, o->value), o->dtype) : gnd_greater(x, 0.5));
    }
    gnd_release(x);
    return result;
}

void bench_make_operands(operands *o, const char *text) {
    gnd_array **const arrays[] = {&o->x, &o->y, &o->z, &o->out};
    const char *at = text;
    size_t made = 0, numbers = 0;
    for (operand next; next_operand(text, &at, &next);) {
        const bool fits = next.is_number ? numbers < sizeof o->n / sizeof *o->n : made < sizeof arrays / sizeof *arrays;
        if (!fits) refuse(text, at);
        if (next.is_number)
            o->n[numbers++] = next.number;
        else
            *arrays[made++] = make(&next);
    }
}

void bench_print_operands(const char *text) {
    const char *at = text, *separator = "";
    printf("[");
    for (operand o; next_operand(text, &at, &o); separator = ", ") {
        if (o.is_number) {
            printf("%s%lld", separator, (long long)o.number);
            continue;
        }
        printf("%s{\"dtype\": \"%s\", \"shape\": [", separator, gnd_dtype_name(o.dtype));
        for (int i = 0; i < o.shape.ndim; i++) printf("%s%lld", i ? ", " : "", (long long)o.shape.dim[i]);
        printf(o.kind == '=' ? "], \"value\": %g}" : o.kind == '<' ? "], \"below\": %.0f}" : "]}", o.value);
    }
    printf("]");
}
