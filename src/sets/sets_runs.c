/*
 * sets_runs.c: runs of equal elements in sorted arrays. Edges, a bool for each element, mark where runs begin.
 * Their running sum numbers the runs, the indices of the true ones are the beginnings, and the differences of
 * those are the lengths.
 */
#include "elementwise/sequence_plan.h"
#include "sets/sets.h"
#include "index/compact.h"
#include "index/index.h"
#include "scan/scan.h"

gnd_array *gndi_sets_new(gndi_temporaries *s, const gnd_array *like, int ndim, const int64_t *shape, gnd_dtype dtype) {
    gnd_stream *stream = s->failed ? NULL : gndi_ew_stream(like, s->fn);
    if (!stream) return s->failed = true, NULL;
    return gndi_temporaries_keep(s, gndi_array_new_on(s->fn, stream, ndim, shape, dtype, GNDI_ORDER_C));
}

const gnd_array *gndi_sets_flat(gndi_temporaries *s, const gnd_array *x, bool *copied) {
    return s->failed ? NULL : gndi_temporaries_keep(s, gndi_sort_flat(s->fn, x, copied));
}

gnd_array *gndi_sets_sorted(gndi_temporaries *s, const gnd_array *x, gnd_array **indices, uint64_t worthwhile) {
    bool copied = false, declined = false;
    gnd_array *flat = (gnd_array *)gndi_sets_flat(s, x, &copied);
    gnd_array *sorted = flat;
    if (!s->failed && !copied) sorted = gndi_sets_new(s, x, 1, &x->size, (gnd_dtype)x->dtype);
    if (indices) *indices = gndi_sets_new(s, x, 1, &x->size, GND_INT64);
    if (s->failed) return NULL;
    const gndi_sort_request request = {
        .fn = s->fn,
        .x = flat,
        .values = sorted,
        .indices = indices ? *indices : NULL,
        .worthwhile = worthwhile,
        .declined = worthwhile ? &declined : NULL,
    };
    if (gndi_sort_run(&request)) s->failed = true;
    return declined ? NULL : sorted;
}

gnd_array *gndi_sets_numbers(gndi_temporaries *s, const gnd_array *like, int64_t n, gnd_dtype dtype) {
    gnd_array *numbers = gndi_sets_new(s, like, 1, &n, dtype);
    if (s->failed) return numbers;
    const gndi_sequence_plan plan = {
        .out = gndi_data(numbers), .dtype = dtype, .n = n, .first = gnd_arg_int(0), .step = gnd_arg_int(1)};
    s->failed = gndi_sequence(s->fn, numbers, &plan) != GND_OK;
    return numbers;
}

/* ---- edges ---------------------------------------------------------------------------------- */

void gndi_sets_differ(gndi_temporaries *s, gnd_array *out, const gnd_array *a, const gnd_array *b, bool equal_nan) {
    const gnd_arg args[2] = {gnd_arg_array(a), gnd_arg_array(b)};
    if (s->failed) return;
    if (!equal_nan || a->dtype < GND_FLOAT16) {
        gndi_step_into(s, GNDI_OP_not_equal, out, args[0], args[1], NULL);
        return;
    }
    /* Close with no tolerance is equal. */
    const gndi_ew_request same = {
        .op = GNDI_OP_isclose, .fn = s->fn, .args = {args[0], args[1]}, .out = {out}, .params = {0, 0, 1}};
    if (gndi_elementwise(&same, NULL)) s->failed = true;
    gndi_step_into(s, GNDI_OP_logical_not, out, gnd_arg_array(out), gnd_arg_none(), NULL);
}

static void set_first(gndi_temporaries *s, gnd_array *edges, bool value) {
    if (s->failed || edges->size == 0) return;
    gnd_array *first = gndi_step_element(s, edges, 0);
    gndi_step_into(s, GNDI_OP_copy, first, gnd_arg_bool(value), gnd_arg_none(), NULL);
}

gnd_array *gndi_sets_edges(gndi_temporaries *s, const gnd_array *sorted, bool equal_nan) {
    if (s->failed) return NULL;
    const int64_t n = sorted->size;
    gnd_array *edges = gndi_sets_new(s, sorted, 1, &n, GND_BOOL);
    set_first(s, edges, false);
    if (n < 2) return edges;
    gnd_array *later = gndi_step_part(s, sorted, 0, 1, n - 1, 1);
    gnd_array *earlier = gndi_step_part(s, sorted, 0, 0, n - 1, 1);
    gnd_array *to = gndi_step_part(s, edges, 0, 1, n - 1, 1);
    gndi_sets_differ(s, to, later, earlier, equal_nan);
    return edges;
}

/* ---- indices --------------------------------------------------------------------------------- */

/* `indices` as an index into axis 0 of x, which has one or two dimensions. */
static void name_indices(gndi_indexing *ix, const char *fn, const gnd_array *x, const gnd_array *indices) {
    gndi_indexing_clear(ix, fn);
    ix->view = x, ix->ndim = x->ndim;
    ix->shape[0] = indices->size, ix->stride[0] = 0;
    if (x->ndim == 2) ix->shape[1] = x->shape[1], ix->stride[1] = x->strides[1];
    ix->first = 0, ix->fancy = 1, ix->count = 1;
    ix->index[0] = (struct gndi_indexed_axis){
        .array = indices, .size = x->shape[0], .divide = 1, .step = x->strides[0], .axis = 0};
}

gnd_array *gndi_sets_take(gndi_temporaries *s, const gnd_array *x, const gnd_array *indices) {
    gndi_indexing ix;
    if (s->failed) return NULL;
    name_indices(&ix, s->fn, x, indices);
    gnd_array *result = gndi_temporaries_keep(s, gndi_indexing_get(&ix));
    gndi_indexing_end(&ix);
    return result;
}

/* x[indices] = values, where indices are a permutation */
static void put(gndi_temporaries *s, const gnd_array *x, const gnd_array *indices, const gnd_array *values) {
    gndi_indexing ix;
    if (s->failed) return;
    name_indices(&ix, s->fn, x, indices);
    ix.distinct = true;
    if (gndi_indexing_set(&ix, gnd_arg_array(values))) s->failed = true;
    gndi_indexing_end(&ix);
}

/* ---- results -------------------------------------------------------------------------------- */

/* The number of each element's run, put where the element stood. */
static gnd_array *inverse_of(gndi_temporaries *s, gnd_array *edges, const gnd_array *indices, int ndim,
                             const int64_t *shape) {
    gnd_array *inverse = gndi_sets_new(s, edges, ndim, shape, GND_INT64);
    if (s->failed || inverse->size == 0) return inverse;
    const gndi_scan_request sum = {.fn = s->fn, .x = edges, .op = GNDI_OP_add, .loop = GND_INT64, .axis = 0};
    gnd_array *number = gndi_temporaries_keep(s, gndi_scan_run(&sum));
    gnd_array *line = gndi_temporaries_keep(
        s, gndi_array_view(s->fn, inverse, 1, &inverse->size, NULL, gndi_data(inverse), GND_INT64));
    put(s, line, indices, number);
    return inverse;
}

/* From one begin to the next, the last one to the end. */
static gnd_array *lengths(gndi_temporaries *s, const gnd_array *begins, int64_t end) {
    if (s->failed) return NULL;
    const int64_t n = begins->size;
    gnd_array *result = gndi_sets_new(s, begins, 1, &n, GND_INT64);
    if (s->failed || n == 0) return result;
    gnd_array *last = gndi_step_part(s, result, 0, n - 1, 1, 1);
    gnd_array *last_begin = gndi_step_part(s, begins, 0, n - 1, 1, 1);
    gndi_step_into(s, GNDI_OP_subtract, last, gnd_arg_int(end), gnd_arg_array(last_begin), NULL);
    if (n == 1) return result;
    gnd_array *others = gndi_step_part(s, result, 0, 0, n - 1, 1);
    gnd_array *later = gndi_step_part(s, begins, 0, 1, n - 1, 1);
    gnd_array *earlier = gndi_step_part(s, begins, 0, 0, n - 1, 1);
    gndi_step_into(s, GNDI_OP_subtract, others, gnd_arg_array(later), gnd_arg_array(earlier), NULL);
    return result;
}

/* The first element of each run in a sorted array, or the indices where runs begin, in one pass that
   compares neighbours itself. Waits. */
static gnd_array *pack_edges(gndi_temporaries *s, const gndi_unique *u, const gnd_array *sorted, bool indices) {
    gndi_packing p;
    if (s->failed) return NULL;
    gndi_packing_begin(&p, s->fn, sorted);
    p.edges = true, p.equal_nan = u->equal_nan;
    p.x_stride[0] = sorted->strides[0];
    p.x = indices ? NULL : sorted, p.flat = indices;
    gnd_array *packed = gndi_temporaries_keep(s, gndi_packing_run(&p)), *line = NULL;
    if (!indices || s->failed) return packed;
    if (gndi_indices_split(s->fn, gnd_retain(packed), &line)) line = NULL;
    return gndi_temporaries_keep(s, line);
}

/* Where the runs begin. */
static gnd_array *begins_of(gndi_temporaries *s, const gndi_unique *u, const gnd_array *sorted, gnd_array *edges) {
    gnd_array *begins = NULL;
    if (!edges) return pack_edges(s, u, sorted, true);
    set_first(s, edges, true);
    if (s->failed || gndi_nonzero(s->fn, edges, &begins)) begins = NULL;
    return gndi_temporaries_keep(s, begins);
}

void gndi_sets_results(gndi_temporaries *s, gndi_unique *u, const gnd_array *sorted, gnd_array *edges,
                       const gnd_array *indices, int ndim, const int64_t *shape) {
    if (s->failed) return;
    if (u->wishes & GNDI_UNIQUE_INVERSE) u->inverse = inverse_of(s, edges, indices, ndim, shape);
    if (!edges && !(u->wishes & (GNDI_UNIQUE_INDEX | GNDI_UNIQUE_COUNTS))) {
        u->values = pack_edges(s, u, sorted, false);
        return;
    }
    gnd_array *begins = begins_of(s, u, sorted, edges); /* waits; nothing behind it does */
    u->values = gndi_sets_take(s, sorted, begins);
    if (u->wishes & GNDI_UNIQUE_INDEX) u->index = gndi_sets_take(s, indices, begins);
    if (u->wishes & GNDI_UNIQUE_COUNTS) u->counts = lengths(s, begins, sorted->shape[0]);
}

gnd_array *gndi_sets_give(gndi_temporaries *s, gnd_array *x) {
    for (int i = 0; i < s->count; i++)
        if (s->made[i] == x) s->made[i] = NULL;
    return x;
}

bool gndi_sets_end(gndi_temporaries *s, gndi_unique *u) {
    gnd_array **const results[] = {&u->values, &u->index, &u->inverse, &u->counts};
    for (int i = 0; i < 4; i++) {
        if (s->failed)
            *results[i] = NULL;
        else
            gndi_sets_give(s, *results[i]);
    }
    const bool failed = s->failed;
    gndi_temporaries_end(s, NULL);
    return !failed;
}
