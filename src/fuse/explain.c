/*
 * explain.c: prints a program: its instructions, its launches, the executor of each, and the bytes it moves.
 */
#include "fuse/fuse.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- the text ------------------------------------------------------------------------------- */

typedef struct text {
    char *to;
    size_t capacity, used;
} text;

GND_PRINTF(2, 3) static void say(text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const size_t left = t->used < t->capacity ? t->capacity - t->used : 0;
    const int n = vsnprintf(left ? t->to + t->used : NULL, left, format, list);
    va_end(list);
    if (n > 0) t->used += (size_t)n;
}

static void say_number(text *t, gndi_scalar value, gnd_dtype dtype) {
    if (gndi_dtype_is_complex(dtype))
        say(t, "%g%+gi", dtype == GND_COMPLEX64 ? value.c64[0] : value.c128[0],
            dtype == GND_COMPLEX64 ? value.c64[1] : value.c128[1]);
    else if (dtype == GND_FLOAT32)
        say(t, "%g", value.f32);
    else if (dtype == GND_FLOAT64)
        say(t, "%g", value.f64);
    else if (gndi_dtype_is_half(dtype))
        say(t, "bits 0x%04x", value.u16);
    else if (dtype == GND_BOOL)
        say(t, "%s", value.b ? "true" : "false");
    else if (gndi_dtype_sizes[dtype] == 8)
        say(t, dtype == GND_UINT64 ? "%llu" : "%lld", (long long)value.i64);
    else
        say(t, "%lld",
            dtype == GND_INT8     ? (long long)value.i8
            : dtype == GND_INT16  ? (long long)value.i16
            : dtype == GND_INT32  ? (long long)value.i32
            : dtype == GND_UINT8  ? (long long)value.u8
            : dtype == GND_UINT16 ? (long long)value.u16
                                  : (long long)value.u32);
}

static const char *reducer_name(const gndi_fuse_reduction *r) {
    static const char *const names[] = {"sum", "prod", "min", "max", "any", "all", "count_nonzero", "mean", "var"};
    if (r->finish == GNDI_FINISH_DIVIDE) return "mean";
    if (r->finish == GNDI_FINISH_SQRT) return "std";
    return names[r->reducer];
}

static void say_code(text *t, const fuse_note *note, int i) {
    const gndi_fuse_code *c = &note->code[i];
    const char *dtype = gnd_dtype_name((gnd_dtype)c->dtype);
    if (c->kind == GNDI_FUSE_STORE) {
        say(t, "    store   %%%d -> array %d\n", c->in[0], c->at);
        return;
    }
    say(t, "    %%%-3d %s %-10s ", i, c->row ? "row" : "   ", dtype);
    switch (c->kind) {
    case GNDI_FUSE_LOAD: say(t, "load array %d", c->at); break;
    case GNDI_FUSE_CONST: say_number(t, note->constant[c->at], (gnd_dtype)c->dtype); break;
    case GNDI_FUSE_INDEX: say(t, "index"); break;
    case GNDI_FUSE_RANGE: say(t, "range of %%%d", c->in[0]); break;
    case GNDI_FUSE_UNIFORM: say(t, "uniform of %%%d", c->in[0]); break;
    case GNDI_FUSE_CAST: say(t, "cast %%%d", c->in[0]); break;
    case GNDI_FUSE_SECOND: say(t, "second of %%%d", c->in[0]); break;
    case GNDI_FUSE_REDUCE: say(t, "%s %%%d", reducer_name(&note->reduction[c->at]), c->in[0]); break;
    default:
        say(t, "%s", gndi_ops[c->op].name);
        for (int k = 0; k < 3 && c->in[k] != GNDI_FUSE_NONE; k++) say(t, " %%%d", c->in[k]);
    }
    say(t, "\n");
}

static void say_launch(text *t, const fuse_note *note, int number, bool done) {
    static const char *const shapes[] = {"map", "map and reduce", "row by row"};
    say(t, "launch %d: %s over %s", number, shapes[note->shape_of], gndi_text_shape(note->ndim, note->shape));
    if (note->kept < note->ndim) say(t, ", %lld row%s", (long long)note->rows, note->rows == 1 ? "" : "s");
    say(t, "; %s, %s %.6g MB\n", note->executor, done ? "moved" : "moves", (double)note->bytes / 1e6);
    for (int i = 0; i < note->count; i++) say_code(t, note, i);
}

size_t gnd_fuse_explain_text(char *to, size_t capacity) {
    text t = {.to = to, .capacity = capacity};
    if (capacity) to[0] = 0;
    gndi_fuse_lock();
    fuse_program *p = gndi_tls.fuse;
    const bool pending = p && p->nodes > 0;
    if (pending) {
        p->dry = true;
        gndi_fuse_submit(p, "gnd_fuse_explain");
        p->dry = false;
    }
    if (!p || !p->notes) say(&t, pending ? "nothing is pending that is still alive\n" : "nothing was fused yet\n");
    for (int i = 0; p && i < p->notes; i++) say_launch(&t, &p->note[i], i + 1, !pending);
    gndi_fuse_unlock();
    return t.used;
}

void gnd_fuse_explain(void) {
    GNDI_PARTS_OF("gnd_fuse_explain");
    const size_t bytes = gnd_fuse_explain_text(NULL, 0) + 1;
    char *to = gndi_malloc("gnd_fuse_explain", bytes);
    if (!to) return;
    gnd_fuse_explain_text(to, bytes);
    fputs(to, stdout);
    gndi_free(to);
}
