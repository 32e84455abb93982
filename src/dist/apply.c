/*
 * apply.c: operators and the program's own functions on the blocks of aligned operands.
 */
#include "dist/align.h"

enum { MOST_OPERANDS = 16 };

typedef struct work {
    const char *fn, *name;
    int count, results;
    const gnd_dist_arg *arguments;
    const gnd_dist_apply_options *options;
} work;

static gnd_status call(const work *w, const gnd_arg *list, const gnd_array *where, gnd_array *const *out,
                       gnd_array **result) {
    gnd_apply_options options = {.where = where,
                                 .dtype = w->options ? w->options->dtype : GND_DTYPE_NONE,
                                 .casting = w->options ? w->options->casting : GND_SAME_KIND};
    for (int i = 0; out && i < w->results; i++) options.out[i] = out[i];
    if (w->results == 2) return gnd_apply_two(&result[0], &result[1], w->name, w->count, list, &options);
    result[0] = gnd_apply(w->name, w->count, list, &options);
    return result[0] ? GND_OK : gnd_error()->code;
}

/* What an operator makes of empty arrays of these dtypes: its results' dtypes, and what is wrong on all ranks alike. It
   is tried again if this rank had no memory. */
static bool probe(const work *w, gnd_dtype *dtype) {
    for (int attempt = 0; attempt < 2; attempt++) {
        gnd_arg list[MOST_OPERANDS];
        gnd_array *result[2] = {NULL, NULL}, *where = NULL;
        const bool pending = gnd_error() != NULL;
        bool good = true;
        if (w->options && w->options->where) good = (where = gnd_empty(GND_SHAPE(0), w->options->where->dtype)) != NULL;
        for (int i = 0; i < w->count; i++) {
            const gnd_dist_arg *a = &w->arguments[i];
            list[i] = a->arg;
            if (!a->is_dist && a->arg.kind != GND_ARG_ARRAY) continue;
            list[i] = gnd_arg_array(gnd_empty(GND_SHAPE(0), a->is_dist ? a->dist->dtype : gnd_dtype_of(a->arg.array)));
            good = good && list[i].array;
        }
        if (good && call(w, list, where, NULL, result) == GND_OK) {
            for (int i = 0; i < w->results; i++) dtype[i] = gnd_dtype_of(result[i]);
            return true;
        }
        if (attempt || pending || gnd_error()->code != GND_ERROR_MEMORY) break;
        gnd_error_clear();
    }
    return false;
}

/* Aligns the operands (and the mask, behind them), applies, and makes the results; into `out` if that is not NULL. */
static gnd_status apply(const work *w, gnd_dist *out, gnd_dist **made) {
    gnd_dist_arg operands[MOST_OPERANDS + 1];
    gnd_arg list[MOST_OPERANDS + 1];
    gndi_common c;
    const char *fn = w->fn;
    const gnd_dist *mask = w->options ? w->options->where : NULL;
    if (!w->name || w->count < 1 || w->count > MOST_OPERANDS || !w->arguments)
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "%d arguments, of 1 to %d, or no name", w->count, MOST_OPERANDS);
    for (int i = 0; i < w->count; i++) operands[i] = w->arguments[i];
    const int count = w->count + (mask != NULL);
    if (mask) operands[w->count] = gnd_dist_arg_dist(mask);
    if (!gndi_align(&c, fn, count, operands, out)) return gndi_dist_status(fn);
    char text[160] = "";
    int first = 0; /* of those that are split */
    while (first < w->count && !w->arguments[first].is_dist) first++;
    if (c.mesh->link->check) gndi_text_dist(first < w->count ? w->arguments[first].dist : mask ? mask : out, text, 160);
    if (!gndi_mesh_enter(c.mesh, fn, "%s %s", w->name, text)) return gndi_dist_status(fn);
    gnd_dtype dtype[2];
    const bool moves = gndi_aligned_moves(&c, count, operands);
    bool known = false; /* that the call is right, and its results' dtypes */
    if ((moves || c.failed) && !(known = probe(w, dtype))) return gndi_dist_status(fn);
    for (int i = 0; i < count; i++) list[i] = gndi_aligned(&c, fn, operands[i]);
    gnd_array *result[2] = {NULL, NULL}, *const into[2] = {out ? out->local : NULL, NULL};
    if (!c.failed && (!out || out->local)) {
        const gnd_status status = call(w, list, mask ? list[w->count].array : NULL, out ? into : NULL, result);
        if (status && !known && !probe(w, dtype)) return gndi_dist_status(fn);
        for (int i = 0; !status && i < w->results; i++) dtype[i] = gnd_dtype_of(result[i]);
    }
    if (out) return c.failed || !result[0] ? gndi_dist_fail(out, fn, c.failed) : GND_OK;
    for (int i = 0; i < w->results; i++) {
        made[i] = gndi_dist_new(c.mesh, fn, c.shape, dtype[i], c.layout);
        if (!made[i]) return gndi_dist_status(fn);
        c.failed ? gndi_dist_failed_like(made[i], c.failed) : gndi_dist_done(made[i], fn, result[i]);
    }
    return GND_OK;
}

gnd_dist *gnd_dist_apply(const char *name, int count, const gnd_dist_arg *arguments,
                         const gnd_dist_apply_options *options) {
    static const char fn[] = "gnd_dist_apply";
    GNDI_CALL(fn);
    gnd_dist *made = NULL;
    const work w = {fn, name, count, 1, arguments, options};
    return apply(&w, NULL, &made) == GND_OK ? made : NULL;
}

gnd_status gnd_dist_apply_two(gnd_dist **first, gnd_dist **second, const char *name, int count,
                              const gnd_dist_arg *arguments, const gnd_dist_apply_options *options) {
    static const char fn[] = "gnd_dist_apply_two";
    GNDI_CALL(fn);
    gnd_dist *made[2] = {NULL, NULL};
    if (!first || !second) return gndi_dist_status(fn);
    const work w = {fn, name, count, 2, arguments, options};
    const gnd_status status = apply(&w, NULL, made);
    *first = status ? NULL : made[0], *second = status ? NULL : made[1];
    return status;
}

gnd_status gnd_dist_apply_into(gnd_dist *out, const char *name, int count, const gnd_dist_arg *arguments,
                               const gnd_dist_apply_options *options) {
    static const char fn[] = "gnd_dist_apply_into";
    if (gndi_dist_missing(out, fn)) return gndi_dist_status(fn);
    GNDI_CALL(fn);
    const work w = {fn, name, count, 1, arguments, options};
    return apply(&w, out, NULL);
}

gnd_dist *gnd_dist_astype(const gnd_dist *x, gnd_dtype dtype) {
    static const char fn[] = "gnd_dist_astype";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    if (gnd_dtype_size(dtype) == 0)
        return gndi_dist_raise(GND_ERROR_DTYPE, fn, "there is no dtype %d", (int)dtype), NULL;
    gnd_dist *y = gndi_dist_new(x->mesh, fn, x->shape, dtype, gndi_layout_of(x));
    if (!y || !x->local) return y ? gndi_dist_failed_like(y, x) : NULL;
    return gndi_dist_done(y, fn, gnd_astype(x->local, dtype));
}

gnd_dist *gnd_dist_map(gnd_dist_function *f, void *context, gnd_dtype dtype, int count, const gnd_dist *const *arrays) {
    static const char fn[] = "gnd_dist_map";
    GNDI_CALL(fn);
    gnd_dist_arg operands[MOST_OPERANDS];
    const gnd_array *blocks[MOST_OPERANDS];
    gndi_common c;
    if (!f || count < 1 || count > MOST_OPERANDS || gnd_dtype_size(dtype) == 0)
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "no function, no dtype, or %d arrays, of 1 to %d", count,
                               MOST_OPERANDS),
               NULL;
    for (int i = 0; i < count; i++) operands[i] = gnd_dist_arg_dist(arrays[i]);
    if (!gndi_align(&c, fn, count, operands, NULL)) return NULL;
    if (!gndi_mesh_enter(c.mesh, fn, "%d arrays", count)) return NULL;
    for (int i = 0; i < count; i++) blocks[i] = gndi_aligned(&c, fn, operands[i]).array;
    gnd_dist *y = gndi_dist_new(c.mesh, fn, c.shape, dtype, c.layout);
    if (!y || c.failed) return y ? gndi_dist_failed_like(y, c.failed) : NULL;
    const char *outer = gnd_part_of(NULL); /* its calls are the program's own */
    gnd_array *local = f(context, count, blocks);
    gnd_part_of(outer);
    return gndi_dist_done(y, fn, local);
}
