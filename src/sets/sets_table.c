/*
 * sets_table.c: unique of integers that span few values. One pass counts the occurrences of each value between
 * the minimum and the maximum. The result is the values with nonzero counts; their running sum gives the index
 * of each value. A sort would read and write all elements once for every eight bits.
 */
#include "index/index.h"
#include "elementwise/item.h"
#include "scan/scan.h"
#include "histogram/histogram.h"
#include "sets/sets.h"
#include "elementwise/truths.h"

enum {
    ELEMENTS_A_BIN = 4, /* fewer are not worth a table */
    FEWEST = 1024,      /* elements that are worth finding out */
    LARGE = 1 << 20,    /* elements of which a sample is worth a wait of its own, */
    SAMPLE = 64,        /* and how many of them */
};
/* Bytes: for more the sort is not asked, which wants its memory before it looks at them. */
static const int64_t MOST_ASKED = INT64_C(1) << 28;

/* How many values elements must span to be sorted. */
static uint64_t limit_of(const gnd_array *x) {
    return (uint64_t)(x->size / ELEMENTS_A_BIN);
}

/* Elements which it takes a wait to look at, and which lie together. */
static bool has_sample(const gnd_array *x) {
    return !x->buffer->device->backend->synchronous && x->size >= LARGE && gndi_itemsize(x) >= 4 &&
           gndi_is_c_contiguous(x);
}

static bool wants_table(const gndi_unique *u) {
    return u->x->dtype < GND_FLOAT16 && u->x->size >= FEWEST && !(u->wishes & GNDI_UNIQUE_INDEX);
}

uint64_t gndi_unique_worthwhile(const gndi_unique *u) {
    return wants_table(u) && has_sample(u->x) && u->x->size * gndi_itemsize(u->x) <= MOST_ASKED ? limit_of(u->x) : 0;
}

bool gndi_sets_extent(gndi_temporaries *s, const gnd_array *x, int64_t extent[2]) {
    const gndi_histogram_request r = {.fn = s->fn, .x = x};
    if (s->failed) return false;
    if (gndi_itemsize(x) == 1) { /* known without looking */
        extent[0] = x->dtype == GND_INT8 ? INT8_MIN : 0;
        extent[1] = x->dtype == GND_INT8 ? INT8_MAX : x->dtype == GND_BOOL ? 1 : UINT8_MAX;
        return true;
    }
    if (gndi_histogram_min_max(&r, extent, NULL)) s->failed = true;
    return !s->failed;
}

gnd_array *gndi_sets_count(gndi_temporaries *s, const gnd_array *x, int64_t origin, int64_t bins) {
    if (s->failed) return NULL;
    const gndi_histogram_request r = {
        .fn = s->fn,
        .x = gndi_temporaries_keep(s, gndi_histogram_elements(s->fn, x)),
        .origin = origin,
    };
    return s->failed ? NULL : gndi_temporaries_keep(s, gndi_histogram_integers(&r, bins, false));
}

/* For each element of x, what the table has for it. */
static gnd_array *look_up(gndi_temporaries *s, const gnd_array *table, const gnd_array *x, int64_t origin) {
    if (!s->failed && x->dtype == GND_BOOL) x = gndi_temporaries_keep(s, gndi_truths_as_bytes(s->fn, x));
    if (!s->failed && origin != 0) {
        gnd_array *from_origin = gndi_sets_new(s, x, 1, &x->size, GND_INT64);
        const gndi_ew_request less = {.op = GNDI_OP_subtract,
                                      .fn = s->fn,
                                      .args = {gnd_arg_array(x), gnd_arg_int(origin)},
                                      .out = {from_origin},
                                      .dtype = GND_INT64,
                                      .casting = GND_UNSAFE};
        if (!s->failed && gndi_elementwise(&less, NULL)) s->failed = true;
        x = from_origin;
    }
    return gndi_sets_take(s, table, x);
}

/* The number of each element's value, in x's shape. */
static gnd_array *inverse_of(gndi_temporaries *s, const gndi_unique *u, const gnd_array *table, const gnd_array *flat,
                             int64_t origin) {
    gnd_array *present = gndi_step(s, GNDI_OP_not_equal, gnd_arg_array(table), gnd_arg_int(0));
    if (s->failed) return NULL;
    const gndi_scan_request sum = {.fn = s->fn, .x = present, .op = GNDI_OP_add, .loop = GND_INT64, .axis = 0};
    gnd_array *number = gndi_temporaries_keep(s, gndi_scan_run(&sum));
    number = gndi_step_in_place(s, GNDI_OP_subtract, number, gnd_arg_int(1));
    const gnd_array *inverse = look_up(s, number, flat, origin);
    if (s->failed) return NULL;
    return gndi_temporaries_keep(
        s, gndi_array_view(s->fn, inverse, u->x->ndim, u->x->shape, NULL, gndi_data(inverse), GND_INT64));
}

/* The values from their numbers in the table. */
static gnd_array *values_of(gndi_temporaries *s, const gnd_array *x, const gnd_array *indices, int64_t origin) {
    if (s->failed) return NULL;
    gnd_array *values = gndi_sets_new(s, x, 1, &indices->size, (gnd_dtype)x->dtype);
    gndi_step_into(s, GNDI_OP_add, values, gnd_arg_array(indices), gnd_arg_int(origin), NULL);
    return values;
}

/* An integer modulo 2^64, with the order of its dtype if `sign` is added. */
static uint64_t number_of(const gndi_scalar *v, int dtype, uint64_t sign) {
    switch (dtype) {
    case GND_INT32: return (uint64_t)v->i32 + sign;
    case GND_UINT32: return v->u32;
    case GND_INT64: return (uint64_t)v->i64 + sign;
    default: return v->u64;
    }
}

/* Whether the first few elements already span `limit` values. Where waiting costs more than looking at
   all of them, or they do not lie together, nothing is known. */
static bool surely_many(gndi_temporaries *s, const gnd_array *flat, uint64_t limit) {
    char bytes[SAMPLE * sizeof(int64_t)];
    const int64_t size = gndi_itemsize(flat);
    uint64_t low = UINT64_MAX, high = 0;
    if (!has_sample(flat)) return false;
    const gnd_array *few = gndi_step_part(s, flat, 0, 0, SAMPLE, 1);
    if (s->failed || gndi_read(s->fn, few, bytes)) return s->failed = true, false;
    for (int i = 0; i < SAMPLE; i++) {
        gndi_scalar value;
        memcpy(&value, bytes + i * size, (size_t)size);
        const uint64_t number = number_of(&value, flat->dtype, UINT64_C(1) << 63);
        if (number < low) low = number;
        if (number > high) high = number;
    }
    return high - low >= limit;
}

/* The smallest element, or 0 if all are indices in a table from there, and how many values there are
   from there to the largest; 0 if those are too many. */
static uint64_t span_of(gndi_temporaries *s, const gnd_array *flat, bool few, int64_t *origin) {
    const uint64_t limit = limit_of(flat);
    int64_t extent[2];
    if (!few && surely_many(s, flat, limit)) return 0;
    if (s->failed || !gndi_sets_extent(s, flat, extent)) return 0;
    const bool from_0 = extent[0] >= 0 && extent[1] >= 0 && (uint64_t)extent[1] < limit;
    *origin = from_0 ? 0 : extent[0];
    const uint64_t span = (uint64_t)extent[1] - (uint64_t)*origin;
    return span < limit ? span + 1 : 0;
}

bool gndi_unique_table(gndi_unique *u, bool few, bool *done) {
    const gnd_array *x = u->x;
    gndi_temporaries s = {.fn = u->fn};
    bool copied;
    int64_t origin;
    *done = false;
    if (!wants_table(u)) return true;
    const gnd_array *flat = gndi_sets_flat(&s, x, &copied);
    const uint64_t bins = s.failed ? 0 : span_of(&s, flat, few, &origin);
    if (bins == 0) return gndi_sets_end(&s, u);
    *done = true;
    const gnd_array *table = gndi_sets_count(&s, flat, origin, (int64_t)bins);
    if (u->wishes & GNDI_UNIQUE_INVERSE) u->inverse = inverse_of(&s, u, table, flat, origin);
    gnd_array *indices = NULL;
    if (!s.failed && gndi_nonzero(u->fn, table, &indices)) indices = NULL;
    gndi_temporaries_keep(&s, indices); /* which is a failure if there are none */
    u->values = values_of(&s, x, indices, origin);
    if (u->wishes & GNDI_UNIQUE_COUNTS) u->counts = gndi_sets_take(&s, table, indices);
    return gndi_sets_end(&s, u);
}
