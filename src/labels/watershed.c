/*
 * watershed.c: regions that grow from markers (scipy.ndimage.watershed_ift), by the image foresting transform of Lotufo
 * and Zampirolli (2001). An element's cost is the largest step between neighbours on its way from a marker; elements
 * are taken in the order of costs, from queues of one cost each. Which of equal ways wins depends on the order of each
 * queue, which is SciPy's: elements with labels above 0 are taken first in, last out, those below 0 in order. That is
 * the work of one thread of the host.
 */
#include "labels/measure.h"
#include <gnd.h>

/* ---- queues --------------------------------------------------------------------------------- */

enum { MOST_RANK = 8 };

/* An element in the queue of its cost; neighbours in it, -1: none. */
typedef struct entry {
    int64_t next, previous;
    int32_t cost;
    bool done;
} entry;

typedef struct flood {
    int64_t size, *label;
    const uint16_t *x;
    entry *entries;
    int64_t *first, *last; /* of the queue of each cost; -1: none */
    int32_t most;          /* the largest cost */
    int64_t *steps;        /* to each neighbour, in the flat array */
    int64_t neighbours;
} flood;

static void put_first(flood *f, int64_t i, int32_t cost) {
    entry *e = &f->entries[i];
    e->next = f->first[cost], e->previous = -1;
    if (e->next >= 0) f->entries[e->next].previous = i;
    f->first[cost] = i;
    if (f->last[cost] < 0) f->last[cost] = i;
}
static void put_last(flood *f, int64_t i, int32_t cost) {
    entry *e = &f->entries[i];
    e->previous = f->last[cost], e->next = -1;
    if (e->previous >= 0) f->entries[e->previous].next = i;
    f->last[cost] = i;
    if (f->first[cost] < 0) f->first[cost] = i;
}
/* One that is alone stays where it is, and is found done there. */
static void take_out(flood *f, int64_t i) {
    entry *e = &f->entries[i];
    if (e->next < 0 && e->previous < 0) return;
    if (f->first[e->cost] == i) f->first[e->cost] = e->next;
    if (f->last[e->cost] == i) f->last[e->cost] = e->previous;
    if (e->previous >= 0) f->entries[e->previous].next = e->next;
    if (e->next >= 0) f->entries[e->next].previous = e->previous;
}

/* ---- the flood ------------------------------------------------------------------------------ */

static void begin(flood *f) {
    for (int32_t cost = 0; cost <= f->most + 1; cost++) f->first[cost] = f->last[cost] = -1;
    for (int64_t i = 0; i < f->size; i++) {
        f->entries[i] = (entry){-1, -1, f->label[i] != 0 ? 0 : f->most + 1, false};
        if (f->label[i] > 0) put_first(f, i, 0);
        if (f->label[i] < 0) put_last(f, i, 0);
    }
}

/* Neighbours are found in the flat array, as in SciPy: those beyond the end of a line are in the next one. */
static void visit(flood *f, int64_t i) {
    const entry *from = &f->entries[i];
    for (int64_t k = 0; k < f->neighbours; k++) {
        const int64_t to = i + f->steps[k];
        if (to < 0 || to >= f->size || f->entries[to].done) continue;
        const int32_t step = f->x[to] > f->x[i] ? f->x[to] - f->x[i] : f->x[i] - f->x[to];
        const int32_t cost = from->cost > step ? from->cost : step;
        if (cost >= f->entries[to].cost) continue;
        take_out(f, to);
        f->entries[to].cost = cost, f->label[to] = f->label[i];
        if (f->label[i] < 0)
            put_last(f, to, cost);
        else
            put_first(f, to, cost);
    }
}

static void run(flood *f) {
    begin(f);
    for (int32_t cost = 0; cost <= f->most; cost++)
        while (f->first[cost] >= 0) {
            const int64_t i = f->first[cost];
            entry *e = &f->entries[i];
            f->first[cost] = e->next;
            if (e->next >= 0) f->entries[e->next].previous = -1;
            e->next = e->previous = -1, e->done = true;
            visit(f, i);
        }
}

/* ---- arguments ------------------------------------------------------------------------------ */

static bool is_signed(int dtype) {
    return dtype == GND_INT8 || dtype == GND_INT16 || dtype == GND_INT32 || dtype == GND_INT64;
}

static gnd_status check(const char *fn, const gnd_array *input, const gnd_array *markers, const gnd_array *structure) {
    if (gndi_missing(input)) return gndi_raise_null(fn, "input");
    if (gndi_missing(markers)) return gndi_raise_null(fn, "markers");
    if (structure && gndi_missing(structure)) return gndi_raise_null(fn, "structure");
    if (gndi_check_together(fn, input, "input", markers, "markers")) return gndi_ew_pending();
    if (input->dtype != GND_UINT8 && input->dtype != GND_UINT16)
        return gndi_raise(GND_ERROR_DTYPE, fn, "the input must be uint8 or uint16, not %s",
                          gnd_dtype_name((gnd_dtype)input->dtype));
    if (!is_signed(markers->dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "markers are signed integers, not %s",
                          gnd_dtype_name((gnd_dtype)markers->dtype));
    bool fits = markers->ndim == input->ndim;
    for (int a = 0; fits && a < input->ndim; a++) fits = markers->shape[a] == input->shape[a];
    if (!fits)
        return gndi_raise(GND_ERROR_SHAPE, fn, "the markers have shape %s, the input %s",
                          gndi_text_shape(markers->ndim, markers->shape), gndi_text_shape(input->ndim, input->shape));
    fits = input->ndim <= MOST_RANK && (!structure || structure->ndim == input->ndim);
    for (int a = 0; fits && structure && a < structure->ndim; a++) fits = structure->shape[a] == 3;
    if (fits) return GND_OK;
    return gndi_raise(GND_ERROR_SHAPE, fn,
                      "a structure for an array of shape %s has as many axes, of length 3, at most %d%s%s",
                      gndi_text_shape(input->ndim, input->shape), MOST_RANK, structure ? ", not shape " : "",
                      structure ? gndi_text_shape(structure->ndim, structure->shape) : "");
}

/* An array's elements of a dtype on the host; NULL, and raised. */
static void *read(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, size_t item) {
    const gnd_array *of = s->failed ? NULL : gndi_measured_dense(s, a, dtype);
    void *elements = of ? gndi_malloc(s->fn, (size_t)a->size * item) : NULL;
    s->failed |= !elements || gnd_to_host(of, elements, (size_t)a->size * item) != GND_OK;
    return elements;
}

/* The steps to the structure's neighbours, in C order; without one to those along the axes. */
static void set_steps(flood *f, const gnd_array *x, const uint8_t *structure) {
    int64_t all = 1;
    for (int a = 0; a < x->ndim; a++) all *= 3;
    for (int64_t e = 0; e < all; e++) {
        int64_t rest = e, stride = 1, step = 0;
        int away = 0;
        for (int a = x->ndim - 1; a >= 0; rest /= 3, stride *= x->shape[a], a--)
            step += (rest % 3 - 1) * stride, away += rest % 3 != 1;
        if (structure ? structure[e] && away > 0 : away == 1) f->steps[f->neighbours++] = step;
    }
}

static gnd_array *flooded(gndi_temporaries *s, const gnd_array *input, const gnd_array *markers,
                          const gnd_array *structure) {
    flood f = {.size = input->size, .most = 0};
    uint16_t *x = read(s, input, GND_UINT16, sizeof *x);
    f.x = x, f.label = read(s, markers, GND_INT64, sizeof *f.label);
    uint8_t *elements = structure ? read(s, structure, GND_BOOL, 1) : NULL;
    for (int64_t i = 0; !s->failed && i < f.size; i++)
        if (x[i] > f.most) f.most = x[i];
    if (!s->failed) f.entries = gndi_malloc(s->fn, (size_t)f.size * sizeof *f.entries);
    if (f.entries) f.first = gndi_malloc(s->fn, 2 * (size_t)(f.most + 2) * sizeof *f.first);
    if (f.first) f.steps = gndi_malloc(s->fn, 6561 * sizeof *f.steps); /* 3 to the power of MOST_RANK */
    gnd_array *result = NULL;
    if (f.steps) {
        f.last = f.first + f.most + 2;
        set_steps(&f, input, elements);
        run(&f);
        GNDI_PARTS_OF(s->fn);
        gnd_shape shape = gnd_shape_of(input);
        gnd_array *made = gndi_temporaries_keep(s, gnd_from_host(f.label, shape, GND_INT64));
        if (made) made = gndi_temporaries_keep(s, gnd_to_device(made, gnd_device_of(input)));
        if (made) result = gndi_temporaries_keep(s, gndi_copy_as(s->fn, made, (gnd_dtype)markers->dtype, 'C'));
    }
    s->failed |= !f.steps;
    gndi_free(x);
    gndi_free(f.label);
    gndi_free(elements);
    gndi_free(f.entries);
    gndi_free(f.first);
    gndi_free(f.steps);
    return result;
}

gnd_array *gnd_watershed_ift(const gnd_array *input, const gnd_array *markers, const gnd_array *structure) {
    gndi_temporaries s = {.fn = "gnd_watershed_ift"};
    if (check(s.fn, input, markers, structure)) return NULL;
    if (input->size == 0) return gndi_copy_as(s.fn, markers, (gnd_dtype)markers->dtype, 'C');
    return gndi_temporaries_end(&s, flooded(&s, input, markers, structure));
}
