/*
 * sets_isin.c: which elements are among the test values: each is looked up in a set of those, or
 * searched among them, sorted, or looked up in a table of all that they span, which has a guard at each
 * end for what lies outside. Many elements of one or two bytes are looked up by their bits in the
 * answers for all bits there are.
 */
#include "index/index.h"
#include "sort/search_plan.h"
#include "elementwise/line.h"
#include "sets/sets.h"
#include "elementwise/truths.h"
#include <inttypes.h>

enum { ELEMENTS_A_PATTERN = 4 };
static const int64_t largest_table = INT64_C(1) << 40;

/* ---- by searching --------------------------------------------------------------------------- */

static bool is_wide(int dtype) {
    return dtype == GND_INT64 || dtype == GND_UINT64;
}

/* The dtype to compare in. int64 and uint64 have none in common but float64: their bits are compared,
   and what has the highest bit set in either is not in the other. */
static gnd_dtype common_dtype(const gnd_array *x, const gnd_array *test, bool *by_bits) {
    const gnd_dtype both[2] = {(gnd_dtype)x->dtype, (gnd_dtype)test->dtype};
    *by_bits = is_wide(both[0]) && is_wide(both[1]) && both[0] != both[1];
    return *by_bits ? GND_UINT64 : gndi_promote_list(2, both);
}

static gnd_array *bits_of(gndi_temporaries *s, const gnd_array *x, gnd_dtype dtype) {
    if (s->failed) return NULL;
    return gndi_temporaries_keep(s, gndi_array_view(s->fn, x, x->ndim, x->shape, x->strides, gndi_data(x), dtype));
}

/* out = whether the values are in the line, which is sorted or not. */
static void search(gndi_temporaries *s, const gndi_line *x, const gndi_line *test, int64_t length, gnd_dtype dtype,
                   bool unsorted, gnd_array *out) {
    const gndi_search_plan plan = {
        .dtype = (uint8_t)dtype,
        .found = true,
        .length = length,
        .sorted = test->data,
        .step = test->step,
        .points = out->size,
        .value = x->data,
        .value_step = x->step,
        .out = gndi_data(out),
    };
    gnd_stream *stream =
        gndi_work_begin(s->fn, 2, (const gnd_array *[]){x->array, test->array}, 1, (const gnd_array *[]){out});
    const gndi_backend *backend = stream ? stream->device->backend : NULL;
    if (!stream || gndi_work_end(stream, (unsorted ? backend->isin : backend->search)(stream, &plan, s->fn), s->fn))
        s->failed = true;
}

/* The test values in order, as a dtype. */
static const gnd_array *in_order(gndi_temporaries *s, const gnd_array *test, gnd_dtype dtype) {
    if (!s->failed && test->dtype != dtype) test = gndi_temporaries_keep(s, gndi_copy_as(s->fn, test, dtype, 'C'));
    return s->failed ? NULL : gndi_sets_sorted(s, test, NULL, 0);
}

/* out = whether elements of x are in test, or are not: by a set, or sorted. */
static void by_search(gndi_temporaries *s, gnd_array *out, const gnd_array *x, const gnd_array *test, bool invert,
                      bool sorted) {
    bool by_bits;
    const gnd_dtype dtype = common_dtype(x, test, &by_bits);
    gndi_line values = {NULL}, line = {NULL};
    if (by_bits) test = bits_of(s, test, dtype), x = bits_of(s, x, dtype);
    sorted |= gndi_dtype_sizes[dtype] > 8;
    if (sorted) test = in_order(s, test, dtype);
    if (!s->failed)
        s->failed = !gndi_line_in_order(s->fn, x, dtype, &values) || !gndi_line_in_order(s->fn, test, dtype, &line);
    if (!s->failed) search(s, &values, &line, test->size, dtype, !sorted, out);
    gndi_line_drop(&values);
    gndi_line_drop(&line);
    if (by_bits) {
        const gnd_array *number = bits_of(s, x, GND_INT64);
        const gnd_array *low = gndi_step(s, GNDI_OP_greater_equal, gnd_arg_array(number), gnd_arg_int(0));
        gndi_step_into(s, GNDI_OP_logical_and, out, gnd_arg_array(out), gnd_arg_array(low), NULL);
    }
    if (invert) gndi_step_into(s, GNDI_OP_logical_not, out, gnd_arg_array(out), gnd_arg_none(), NULL);
}

/* ---- by a table ----------------------------------------------------------------------------- */

/* Whether the test values from low to high have neighbours that x can be clipped to. */
static bool has_guards(int dtype, const int64_t extent[2]) {
    if (dtype == GND_UINT64) return extent[0] >= 0 && extent[1] >= 0 && extent[1] < INT64_MAX;
    return dtype != GND_INT64 || (extent[0] > INT64_MIN && extent[1] < INT64_MAX);
}

/* What the table has: a byte for low - 1, low, ..., high + 1. */
static gnd_array *table_of(gndi_temporaries *s, const gnd_array *test, const int64_t extent[2], bool invert) {
    const int64_t bins = extent[1] - extent[0] + 1, entries = bins + 2;
    gnd_array *counts = gndi_sets_count(s, test, extent[0], bins);
    gnd_array *table = gndi_sets_new(s, test, 1, &entries, GND_BOOL);
    gnd_array *inside = gndi_step_part(s, table, 0, 1, bins, 1);
    gnd_array *guards = gndi_step_part(s, table, 0, 0, 2, entries - 1);
    gndi_step_into(s, GNDI_OP_copy, guards, gnd_arg_bool(invert), gnd_arg_none(), NULL);
    gndi_step_into(s, invert ? GNDI_OP_equal : GNDI_OP_not_equal, inside, gnd_arg_array(counts), gnd_arg_int(0), NULL);
    return table;
}

/* Numbers of x's elements in the table, or beyond its ends: int64, dense, in x's shape. */
static gnd_array *numbers_of(gndi_temporaries *s, const gnd_array *x, const int64_t extent[2]) {
    gnd_array *number = gndi_sets_new(s, x, x->ndim, x->shape, GND_INT64);
    if (s->failed) return NULL;
    if (is_wide(x->dtype)) { /* so that the difference does not wrap around */
        gnd_array *clipped = NULL;
        const gndi_ew_request clip = {
            .op = GNDI_OP_clip,
            .fn = s->fn,
            .args = {gnd_arg_array(x), gnd_arg_int(extent[0] - 1), gnd_arg_int(extent[1] + 1)},
            .clips = true};
        if (gndi_elementwise(&clip, &clipped)) clipped = NULL;
        x = gndi_temporaries_keep(s, clipped);
        if (s->failed) return NULL;
    }
    const gndi_ew_request less = {.op = GNDI_OP_subtract,
                                  .fn = s->fn,
                                  .args = {gnd_arg_array(x), gnd_arg_int(extent[0] - 1)},
                                  .out = {number},
                                  .dtype = GND_INT64,
                                  .casting = GND_UNSAFE};
    if (gndi_elementwise(&less, NULL)) s->failed = true;
    return number;
}

/* table[number] at each element, numbers outside meaning the ends; a new array in C order. */
static gnd_array *look_up(gndi_temporaries *s, const gnd_array *table, const gnd_array *number) {
    gndi_indexing ix;
    if (s->failed) return NULL;
    gndi_indexing_clear(&ix, s->fn);
    ix.view = table, ix.ndim = number->ndim, ix.mode = GNDI_INDEX_CLIP;
    for (int i = 0; i < number->ndim; i++) ix.shape[i] = number->shape[i], ix.stride[i] = 0;
    ix.first = 0, ix.fancy = number->ndim, ix.count = 1;
    ix.index[0] = (struct gndi_indexed_axis){.array = number, .size = table->size, .divide = 1, .step = 1, .axis = 0};
    gnd_array *result = gndi_temporaries_keep(s, gndi_indexing_get(&ix));
    gndi_indexing_end(&ix);
    return result;
}

static gnd_array *by_table(gndi_temporaries *s, const gnd_array *x, const gnd_array *test, const int64_t extent[2],
                           bool invert) {
    const gnd_array *table = table_of(s, test, extent, invert);
    return look_up(s, table, numbers_of(s, x, extent));
}

/* ---- by bits -------------------------------------------------------------------------------- */

/* How many bits there are that an element can have; 0: too many to be worth a table. */
static int64_t patterns_of(const gnd_array *x) {
    const int64_t patterns = gndi_itemsize(x) > 2 ? 0 : INT64_C(1) << 8 * gndi_itemsize(x);
    return x->dtype == GND_BOOL || x->size < ELEMENTS_A_PATTERN * patterns ? 0 : patterns;
}

static gnd_array *by_bits_of(gndi_temporaries *s, const gnd_array *x, const gnd_array *test, int64_t patterns,
                             bool invert) {
    const gnd_dtype bits = gndi_itemsize(x) == 1 ? GND_UINT8 : GND_UINT16;
    const gnd_array *all = gndi_sets_numbers(s, x, patterns, bits);
    gnd_array *answers = gndi_sets_new(s, x, 1, &patterns, GND_BOOL);
    all = bits_of(s, all, (gnd_dtype)x->dtype);
    if (!s->failed) by_search(s, answers, all, test, invert, false);
    return look_up(s, answers, bits_of(s, x, bits));
}

/* ---- the choice ----------------------------------------------------------------------------- */

static bool has_table(const gnd_array *x, const gnd_array *test) {
    return x->dtype < GND_FLOAT16 && test->dtype < GND_FLOAT16;
}

/* Whether to use a table, and its extent; raises if there can be none. */
static bool choose_table(gndi_temporaries *s, const gnd_array *test, gnd_isin_kind kind, int64_t extent[2]) {
    if (kind != GND_ISIN_TABLE || test->size == 0 || !gndi_sets_extent(s, test, extent)) return false;
    const uint64_t span = (uint64_t)extent[1] - (uint64_t)extent[0];
    if (has_guards(test->dtype, extent) && span < (uint64_t)largest_table) return true;
    gndi_raise(GND_ERROR_VALUE, s->fn,
               "the test values span %" PRIu64 " values, which is too many for a table; GND_ISIN_SORT takes any", span);
    s->failed = true;
    return false;
}

gnd_array *gndi_isin(const char *fn, const gnd_array *x, const gnd_array *test, bool invert, gnd_isin_kind kind) {
    gndi_temporaries s = {.fn = fn};
    int64_t extent[2];
    bool copied;
    gnd_array *out = NULL;
    if (gndi_is_loose(x)) x = gndi_temporaries_keep(&s, gndi_truths_of(fn, x));
    if (gndi_is_loose(test)) test = gndi_temporaries_keep(&s, gndi_truths_of(fn, test));
    if (!x || !test) return gndi_temporaries_end(&s, NULL);
    const int64_t patterns = patterns_of(x);
    if (kind == GND_ISIN_TABLE) test = gndi_sets_flat(&s, test, &copied);
    if (!s.failed && patterns) {
        out = by_bits_of(&s, x, test, patterns, invert);
    } else if (!s.failed && x->size && choose_table(&s, test, kind, extent)) {
        out = by_table(&s, x, test, extent, invert);
    } else {
        out = gndi_sets_new(&s, x, x->ndim, x->shape, GND_BOOL);
        if (!s.failed && x->size) by_search(&s, out, x, test, invert, kind == GND_ISIN_SORT);
    }
    return gndi_temporaries_end(&s, out);
}

gnd_array *gnd_isin(const gnd_array *x, const gnd_array *test, bool invert, gnd_isin_kind kind) {
    static const char fn[] = "gnd_isin";
    if (gndi_missing(x) || gndi_missing(test)) return gndi_raise_null(fn, gndi_missing(x) ? "x" : "test"), NULL;
    if (gndi_check_together(fn, x, "x", test, "test")) return NULL;
    if ((unsigned)kind > GND_ISIN_TABLE)
        return gndi_fail(GND_ERROR_INVALID, fn, "there is no kind number %d", (int)kind);
    if (kind == GND_ISIN_TABLE && !has_table(x, test))
        return gndi_fail(GND_ERROR_DTYPE, fn,
                         "a table is for integers and bool, but x is %s and test is %s; "
                         "GND_ISIN_SORT takes any dtype",
                         gnd_dtype_name((gnd_dtype)x->dtype), gnd_dtype_name((gnd_dtype)test->dtype));
    return gndi_isin(fn, x, test, invert, kind);
}
