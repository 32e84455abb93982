/*
 * block.c: nested lists of arrays put together: the innermost along the last axis, those around them
 * along the one before, and so on.
 */
#include "rearrange/rearrange.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_block

/* What all lists have in common: how deep the arrays stand, and the most dimensions of any. */
typedef struct nest {
    const char *fn;
    int depth, ndim;
} nest;

static gnd_status measure(nest *n, const gnd_blocks *b, int level) {
    if (level > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_INVALID, n->fn, "lists are nested more than %d deep", GND_MAX_DIMS);
    if (b->array) {
        if (gndi_missing(b->array)) return gndi_raise_null(n->fn, "blocks.array");
        if (n->depth >= 0 && n->depth != level)
            return gndi_raise(GND_ERROR_INVALID, n->fn,
                              "one array is %d lists deep, another %d; all must be at one depth", n->depth, level);
        n->depth = level;
        if (b->array->ndim > n->ndim) n->ndim = b->array->ndim;
        return GND_OK;
    }
    if (b->count == 0 && !b->parts) return gndi_raise_null(n->fn, "blocks.array");
    if (b->count < 1 || !b->parts) return gndi_raise(GND_ERROR_INVALID, n->fn, "a list of blocks is empty");
    gnd_status status = GND_OK;
    for (int i = 0; i < b->count && !status; i++) status = measure(n, &b->parts[i], level + 1);
    return status;
}

/* Joins what was made of a list's parts along an axis, and releases it. */
static gnd_array *joined(const nest *n, int count, gnd_array **parts, int axis) {
    const gndi_join j = {.fn = n->fn,
                         .count = count,
                         .arrays = (const gnd_array *const *)parts,
                         .reading = GNDI_AT_LEAST,
                         .at_least = n->ndim,
                         .axis = axis};
    bool whole = true;
    for (int i = 0; i < count; i++) whole &= parts[i] != NULL;
    gnd_array *result = whole ? gndi_join_run(&j) : NULL;
    for (int i = 0; i < count; i++) gnd_release(parts[i]);
    return result;
}

static gnd_array *assemble(const nest *n, const gnd_blocks *b, int level) {
    if (b->array) return gndi_array_alias(n->fn, b->array);
    gnd_array **parts = gndi_calloc(n->fn, (size_t)b->count * sizeof *parts);
    if (!parts) return NULL;
    bool going = true;
    for (int i = 0; i < b->count && going; i++) going = (parts[i] = assemble(n, &b->parts[i], level + 1)) != NULL;
    gnd_array *result = joined(n, b->count, parts, n->ndim - (n->depth - level));
    gndi_free(parts);
    return result;
}

static gnd_array *block(const char *fn, const gnd_blocks *blocks) {
    nest n = {.fn = fn, .depth = -1};
    if (measure(&n, blocks, 0)) return NULL;
    if (n.depth > n.ndim) n.ndim = n.depth;
    if (n.depth == 0) { /* no list at all: a copy */
        const gnd_array *a = blocks->array;
        return gndi_copy_as(fn, a, (gnd_dtype)a->dtype, 'K');
    }
    return assemble(&n, blocks, 0);
}

gnd_array *gnd_block_nested(const gnd_blocks *blocks) {
    if (!blocks) return gndi_raise_null("gnd_block_nested", "blocks"), NULL;
    return block("gnd_block_nested", blocks);
}

gnd_array *gnd_block(int rows, int columns, const gnd_array *const blocks[]) {
    static const char fn[] = "gnd_block";
    if (rows < 1 || columns < 1 || columns > INT32_MAX / rows)
        return gndi_fail(GND_ERROR_INVALID, fn, "%d rows of %d blocks; there must be one at least", rows, columns);
    if (!blocks) return gndi_raise_null(fn, "blocks"), NULL;
    const int64_t count = (int64_t)rows * columns;
    for (int64_t i = 0; i < count; i++)
        if (gndi_missing(blocks[i])) return gndi_raise_null(fn, "blocks"), NULL;
    gnd_blocks *list = gndi_calloc(fn, (size_t)(count + rows) * sizeof *list);
    if (!list) return NULL;
    for (int64_t i = 0; i < count; i++) list[rows + i].array = blocks[i];
    for (int r = 0; r < rows; r++) list[r].count = columns, list[r].parts = list + rows + (int64_t)r * columns;
    const gnd_blocks whole = {.count = rows, .parts = list};
    gnd_array *result = block(fn, &whole);
    gndi_free(list);
    return result;
}
