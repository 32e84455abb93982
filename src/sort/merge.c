/*
 * merge.c: gnd_merge: two vectors that are in order, as one.
 */
#include "sort/merge_plan.h"
#include "elementwise/elementwise.h"
#include "elementwise/line.h"
#include "elementwise/truths.h"

/* One that is being put together. */
typedef struct merging {
    const char *fn;
    const gnd_array *x[2];
    gnd_direction direction;
    gnd_array *truths[2]; /* references */
    gndi_line line[2];
    gnd_array *out, *indices; /* references; indices: NULL if not wanted */
} merging;

static bool check(const merging *g) {
    static const char *const names[2] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        if (gndi_missing(g->x[i])) return gndi_raise_null(g->fn, names[i]), false;
        if (g->x[i]->ndim == 1) continue;
        gndi_raise(GND_ERROR_SHAPE, g->fn, "%s has shape %s; it must have one dimension", names[i],
                   gndi_text_shape(g->x[i]->ndim, g->x[i]->shape));
        return false;
    }
    if ((unsigned)g->direction > GND_DESCENDING) {
        gndi_raise(GND_ERROR_INVALID, g->fn, "direction %d is neither GND_ASCENDING nor GND_DESCENDING",
                   (int)g->direction);
        return false;
    }
    return gndi_check_together(g->fn, g->x[0], "a", g->x[1], "b") == GND_OK;
}

static gnd_status submit(merging *g, gnd_dtype dtype) {
    gndi_merge_plan plan = {.dtype = (uint8_t)dtype, .descending = g->direction == GND_DESCENDING};
    for (int i = 0; i < 2; i++) {
        plan.count[i] = g->x[i]->size;
        plan.data[i] = g->line[i].data, plan.step[i] = g->line[i].step;
    }
    plan.out = gndi_data(g->out);
    if (g->indices) plan.indices = (int64_t *)gndi_data(g->indices);
    gnd_stream *s = gndi_work_begin(g->fn, 2, (const gnd_array *[]){g->line[0].array, g->line[1].array}, 2,
                                    (const gnd_array *[]){g->out, g->indices});
    return s ? gndi_work_end(s, s->device->backend->merge(s, &plan, g->fn), g->fn) : gndi_ew_pending();
}

/* Both results are there, or neither. */
static gnd_status merge(merging *g, bool with_indices) {
    if (!check(g)) return gndi_ew_pending();
    const gnd_dtype dtype = gnd_promote_types((gnd_dtype)g->x[0]->dtype, (gnd_dtype)g->x[1]->dtype);
    const int64_t size = g->x[0]->size + g->x[1]->size;
    gnd_stream *s = gndi_ew_stream(g->x[0], g->fn);
    bool ready = s != NULL;
    for (int i = 0; ready && i < 2; i++) {
        const gnd_array *x = gndi_truths(g->fn, g->x[i], &g->truths[i]);
        ready = x && gndi_line_in_order(g->fn, x, dtype, &g->line[i]);
    }
    if (ready) ready = (g->out = gndi_array_new_on(g->fn, s, 1, &size, dtype, GNDI_ORDER_C)) != NULL;
    if (ready && with_indices)
        ready = (g->indices = gndi_array_new_on(g->fn, s, 1, &size, GND_INT64, GNDI_ORDER_C)) != NULL;
    const gnd_status status = !ready ? gndi_ew_pending() : size > 0 ? submit(g, dtype) : GND_OK;
    for (int i = 0; i < 2; i++) gndi_line_drop(&g->line[i]), gnd_release(g->truths[i]);
    if (!status) return GND_OK;
    gnd_release(g->out), gnd_release(g->indices);
    g->out = g->indices = NULL;
    return status;
}

gnd_array *gnd_merge(const gnd_array *a, const gnd_array *b, gnd_direction direction) {
    merging g = {.fn = "gnd_merge", .x = {a, b}, .direction = direction};
    merge(&g, false);
    return g.out;
}

gnd_status gnd_merge_with_indices(gnd_array **values, gnd_array **indices, const gnd_array *a, const gnd_array *b,
                                  gnd_direction direction) {
    merging g = {.fn = "gnd_merge_with_indices", .x = {a, b}, .direction = direction};
    if (values) *values = NULL;
    if (indices) *indices = NULL;
    if (!values || !indices) return gndi_raise_null(g.fn, values ? "indices" : "values");
    const gnd_status status = merge(&g, true);
    *values = g.out, *indices = g.indices;
    return status;
}
