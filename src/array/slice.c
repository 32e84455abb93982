/*
 * slice.c: NumPy's basic indexing. A small hand-written parser reads a slice string into gnd_index items on
 * the stack (no heap, no scanf: slicing costs a fraction of a launch). The items are then applied axis by
 * axis to shape, strides and data pointer.
 */
#include "array/view.h"

/* ---- reading the string --------------------------------------------------------------------- */

typedef struct slice_parser {
    const char *text; /* all of it, for messages */
    const char *at;   /* what is read next */
    const char *fn;
    bool converts; /* % takes an argument */
    va_list args;
} slice_parser;

static bool fail_at(const slice_parser *p, const char *at, const char *expected) {
    gndi_raise(GND_ERROR_INVALID, p->fn, "cannot read \"%s\" at position %d (\"%.16s\"): %s", p->text,
               (int)(at - p->text), at, expected);
    return false;
}

static inline void skip_spaces(slice_parser *p) {
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n') p->at++;
}

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static inline bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Takes the argument of a conversion (the % is at p->at) as printf would find it. The value is
   returned as a magnitude and a sign, so that every type's whole range is kept. */
static bool read_conversion(slice_parser *p, uint64_t *magnitude, bool *negative) {
    const char *start = p->at++;
    if (!p->converts) return fail_at(p, start, "there are no arguments for conversions here");
    int longs = 0;
    char size = 0;
    for (;; p->at++) {
        if (*p->at == 'l')
            longs++;
        else if (*p->at == 'h' || *p->at == 'z' || *p->at == 'j' || *p->at == 't')
            size = *p->at;
        else
            break;
    }
    char kind = *p->at;
    if ((kind != 'd' && kind != 'i' && kind != 'u') || longs > 2)
        return fail_at(p, start, "expected a conversion of an integer: %d, %u, %ld, %lld, %zd ...");
    p->at++;
    if (kind == 'u') {
        *negative = false;
        if (size == 'z')
            *magnitude = va_arg(p->args, size_t);
        else if (size == 'j')
            *magnitude = va_arg(p->args, uintmax_t);
        else if (size == 't')
            *magnitude = (uint64_t)va_arg(p->args, ptrdiff_t);
        else if (longs == 2)
            *magnitude = va_arg(p->args, unsigned long long);
        else if (longs == 1)
            *magnitude = va_arg(p->args, unsigned long);
        else
            *magnitude = va_arg(p->args, unsigned int);
        return true;
    }
    int64_t value;
    if (size == 'z' || size == 't')
        value = va_arg(p->args, ptrdiff_t);
    else if (size == 'j')
        value = va_arg(p->args, intmax_t);
    else if (longs == 2)
        value = va_arg(p->args, long long);
    else if (longs == 1)
        value = va_arg(p->args, long);
    else
        value = va_arg(p->args, int);
    *negative = value < 0;
    *magnitude = *negative ? 0 - (uint64_t)value : (uint64_t)value;
    return true;
}

/* Whether a number starts here. */
static inline bool at_number(const slice_parser *p) {
    char c = *p->at;
    return is_digit(c) || c == '-' || c == '+' || c == '%';
}

/* A number. What does not fit int64_t is clipped to the nearest that does (a slice's bounds are
   clipped anyway, and no axis is that long); INT64_MIN stays free for GND_OPEN. */
static bool read_number(slice_parser *p, int64_t *out) {
    const char *start = p->at;
    bool minus = false, negative = false;
    uint64_t magnitude = 0;
    if (*p->at == '-' || *p->at == '+') minus = *p->at++ == '-', skip_spaces(p);
    if (*p->at == '%') {
        if (!read_conversion(p, &magnitude, &negative)) return false;
    } else {
        if (!is_digit(*p->at)) return fail_at(p, start, "expected digits after the sign");
        for (; is_digit(*p->at); p->at++) {
            if (magnitude > UINT64_MAX / 10 - 1) magnitude = UINT64_MAX / 10 - 1;
            magnitude = 10 * magnitude + (uint64_t)(*p->at - '0');
        }
    }
    if (is_letter(*p->at) || *p->at == '.')
        return fail_at(p, start, "expected a whole number (an index cannot be anything else)");
    int64_t value = magnitude > INT64_MAX ? INT64_MAX : (int64_t)magnitude;
    *out = minus != negative ? -value : value;
    return true;
}

/* Reads `word` if it is next and ends there. */
static bool take_word(slice_parser *p, const char *word, size_t length) {
    if (strncmp(p->at, word, length) != 0) return false;
    if (is_letter(p->at[length]) || is_digit(p->at[length])) return false;
    p->at += length;
    return true;
}

/* A bound or step: a number, None, or nothing. */
static bool read_bound(slice_parser *p, int64_t *out) {
    skip_spaces(p);
    if (at_number(p)) {
        if (!read_number(p, out)) return false;
        skip_spaces(p);
    } else if (take_word(p, "None", 4)) {
        skip_spaces(p);
    } else if (*p->at && *p->at != ':' && *p->at != ',') {
        return fail_at(p, p->at, "expected a whole number, a colon or a comma");
    }
    return true;
}

/* The rest of start:stop:step, from its first colon. */
static bool read_range(slice_parser *p, gnd_index *item) {
    item->kind = GND_INDEX_RANGE;
    item->stop = item->step = GND_OPEN;
    p->at++;
    if (!read_bound(p, &item->stop)) return false;
    if (*p->at != ':') return true;
    const char *step_at = ++p->at;
    if (!read_bound(p, &item->step)) return false;
    if (item->step == 0) return fail_at(p, step_at, "a slice's step cannot be 0");
    return true;
}

static bool read_item(slice_parser *p, gnd_index *item) {
    skip_spaces(p);
    item->start = GND_OPEN;
    if (at_number(p)) {
        item->kind = GND_INDEX_AT;
        if (!read_number(p, &item->start)) return false;
        skip_spaces(p);
        return *p->at != ':' || read_range(p, item);
    }
    if (*p->at == ':') return read_range(p, item);
    bool dots = p->at[0] == '.' && p->at[1] == '.' && p->at[2] == '.';
    if (dots || take_word(p, "Ellipsis", 8)) {
        if (dots) p->at += 3;
        item->kind = GND_INDEX_ELLIPSIS;
        return true;
    }
    if (take_word(p, "None", 4)) {
        skip_spaces(p);
        if (*p->at == ':') return read_range(p, item);
        item->kind = GND_INDEX_NEW_AXIS;
        return true;
    }
    if (take_word(p, "newaxis", 7)) {
        item->kind = GND_INDEX_NEW_AXIS;
        return true;
    }
    return fail_at(p, p->at, "expected an integer, a slice as in 1:5:2, \"...\" or None");
}

/* All items; -1 and an error if the string cannot be read. */
static int read_items(slice_parser *p, gnd_index items[GNDI_MAX_ITEMS]) {
    int count = 0;
    skip_spaces(p);
    while (*p->at) {
        if (count == GNDI_MAX_ITEMS) {
            fail_at(p, p->at, "there are more items than any array has dimensions");
            return -1;
        }
        if (!read_item(p, &items[count++])) return -1;
        skip_spaces(p);
        if (*p->at == ',') {
            p->at++;
            skip_spaces(p);
        } else if (*p->at) {
            fail_at(p, p->at, "expected a comma or the end");
            return -1;
        }
    }
    return count;
}

/* ---- applying the items --------------------------------------------------------------------- */

/* What is under construction: the first `axis` axes of the array have been dealt with. */
typedef struct slice_result {
    int axis, ndim;
    char *data;
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
} slice_result;

int64_t gndi_clip_range(const gnd_index *item, int64_t n, int64_t step, int64_t *first) {
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1; /* where bounds are clipped */
    int64_t start = item->start, stop = item->stop;
    if (start == GND_OPEN) {
        start = step > 0 ? low : high;
    } else {
        if (start < 0) start += n;
        start = start < low ? low : start > high ? high : start;
    }
    if (stop == GND_OPEN) {
        stop = step > 0 ? high : low;
    } else {
        if (stop < 0) stop += n;
        stop = stop < low ? low : stop > high ? high : stop;
    }
    *first = start;
    if (step > 0) return stop > start ? (stop - start - 1) / step + 1 : 0;
    return start > stop ? (start - stop - 1) / -step + 1 : 0;
}

/* Items come from a string, quoted in messages, or from a program (`text` NULL). */
static gnd_status raise_index(const char *fn, const char *text, const gnd_array *a, int64_t index, int axis) {
    return gndi_raise(GND_ERROR_INDEX, fn, "index %lld is out of bounds for axis %d of size %lld%s%s%s",
                      (long long)index, axis, (long long)a->shape[axis], text ? " (in \"" : "", text ? text : "",
                      text ? "\")" : "");
}

static bool apply_item(const char *fn, const char *text, const gnd_array *a, const gnd_index *item, slice_result *r) {
    int64_t n = a->shape[r->axis], stride = a->strides[r->axis];
    if (item->kind == GND_INDEX_AT) {
        int64_t i = item->start < 0 ? item->start + n : item->start;
        if (gndi_unlikely(i < 0 || i >= n)) return raise_index(fn, text, a, item->start, r->axis), false;
        if (a->size > 0) r->data += i * stride;
        r->axis++;
        return true;
    }
    int64_t step = item->step == GND_OPEN ? 1 : item->step, first;
    if (gndi_unlikely(step == 0))
        return gndi_raise(GND_ERROR_INVALID, fn, "the step of the slice of axis %d is 0", r->axis), false;
    int64_t length = gndi_clip_range(item, n, step, &first);
    if (length > 0 && a->size > 0) r->data += first * stride;
    r->shape[r->ndim] = length;
    /* Where a long step leaves nothing to step to, its stride may be beyond all memory. */
    r->strides[r->ndim] = stride * (length > 1 || (step > -n && step < n) ? step : 1);
    r->ndim++, r->axis++;
    return true;
}

static void keep_axes(const gnd_array *a, int count, slice_result *r) {
    for (; count > 0; count--, r->ndim++, r->axis++) {
        r->shape[r->ndim] = a->shape[r->axis];
        r->strides[r->ndim] = a->strides[r->axis];
    }
}

/* Checks how many axes the items speak of; returns how many an ellipsis (or the end) stands for,
   -1 and an error if there are too many items. */
static int count_axes(const char *fn, const char *text, const gnd_array *a, int count, const gnd_index *items) {
    int consumed = 0, made = 0, ellipses = 0;
    for (int k = 0; k < count; k++) {
        switch (items[k].kind) {
        case GND_INDEX_AT: consumed++; break;
        case GND_INDEX_RANGE: consumed++, made++; break;
        case GND_INDEX_NEW_AXIS: made++; break;
        case GND_INDEX_ELLIPSIS: ellipses++; break;
        default: gndi_raise(GND_ERROR_INVALID, fn, "item %d has no valid kind (%d)", k, (int)items[k].kind); return -1;
        }
    }
    const char *open = text ? " (in \"" : "", *close = text ? "\")" : "";
    if (ellipses > 1) {
        gndi_raise(GND_ERROR_INDEX, fn, "an index can only have a single ellipsis \"...\"%s%s%s", open,
                   text ? text : "", close);
        return -1;
    }
    if (consumed > a->ndim) {
        gndi_raise(GND_ERROR_INDEX, fn,
                   "too many indices: the array has %d dimension%s, shape %s, "
                   "but %d were indexed%s%s%s",
                   a->ndim, a->ndim == 1 ? "" : "s", gndi_text_shape(a->ndim, a->shape), consumed, open,
                   text ? text : "", close);
        return -1;
    }
    if (made + a->ndim - consumed > GND_MAX_DIMS) {
        gndi_raise(GND_ERROR_SHAPE, fn, "the result would have %d dimensions; an array has at most %d",
                   made + a->ndim - consumed, GND_MAX_DIMS);
        return -1;
    }
    return a->ndim - consumed;
}

static gnd_array *apply_items(const char *fn, const char *text, const gnd_array *a, int count, const gnd_index *items) {
    int rest = count_axes(fn, text, a, count, items);
    if (rest < 0) return NULL;
    slice_result r; /* arrays stay unset beyond ndim: clearing them would cost as much as the rest */
    r.axis = r.ndim = 0;
    r.data = gndi_data(a);
    for (int k = 0; k < count; k++) {
        if (items[k].kind == GND_INDEX_NEW_AXIS) {
            r.shape[r.ndim] = 1, r.strides[r.ndim++] = 0;
        } else if (items[k].kind == GND_INDEX_ELLIPSIS) {
            keep_axes(a, rest, &r);
        } else if (!apply_item(fn, text, a, &items[k], &r)) {
            return NULL;
        }
    }
    keep_axes(a, a->ndim - r.axis, &r);
    return gndi_array_view(fn, a, r.ndim, r.shape, r.strides, r.data, (gnd_dtype)a->dtype);
}

int gndi_expand_items(const char *fn, int count, const gnd_index *items, gnd_index *all, int *arrays) {
    gnd_index read[GNDI_MAX_ITEMS];
    int made = 0;
    *arrays = 0;
    if (count > 0 && !items) return gndi_raise_null(fn, "items"), -1;
    if (count < 0 || count > GNDI_MAX_ITEMS)
        return gndi_raise(GND_ERROR_INVALID, fn, "%d items; 0 to %d would be right", count, GNDI_MAX_ITEMS), -1;
    for (int k = 0; k < count; k++) {
        const gnd_index *from = &items[k];
        int some = 1;
        if (from->kind == GND_INDEX_TEXT) {
            if (!from->text) return gndi_raise_null(fn, "an item's text"), -1;
            slice_parser p = {.text = from->text, .at = from->text, .fn = fn};
            some = read_items(&p, read);
            if (some < 0) return -1;
            from = read;
        }
        if (made + some > GNDI_MAX_ITEMS)
            return gndi_raise(GND_ERROR_INDEX, fn, "too many indices: more than %d items; no array has as many axes",
                              GNDI_MAX_ITEMS),
                   -1;
        memcpy(all + made, from, (size_t)some * sizeof *all);
        made += some;
        *arrays += items[k].kind == GND_INDEX_ARRAY;
    }
    return made;
}

gnd_array *gndi_slice(const char *fn, const gnd_array *a, int count, const gnd_index *items) {
    return apply_items(fn, NULL, a, count, items);
}

/* ---- the public functions ------------------------------------------------------------------- */

gnd_array *gnd_slice(const gnd_array *a, const char *text, ...) {
    if (gndi_unlikely(gndi_missing(a))) return gndi_raise_null("gnd_slice", "a"), NULL;
    if (gndi_unlikely(!text)) return gndi_raise_null("gnd_slice", "items"), NULL;
    slice_parser p;
    gnd_index items[GNDI_MAX_ITEMS];
    p.text = p.at = text, p.fn = "gnd_slice", p.converts = true;
    va_start(p.args, text);
    int count = read_items(&p, items);
    va_end(p.args);
    return count < 0 ? NULL : apply_items("gnd_slice", text, a, count, items);
}

gnd_array *gnd_slice_ix(const gnd_array *a, int count, const gnd_index *items) {
    static const char fn[] = "gnd_slice_ix";
    gnd_index all[GNDI_MAX_ITEMS];
    int arrays;
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    const int made = gndi_expand_items(fn, count, items, all, &arrays);
    if (made < 0) return NULL;
    if (arrays > 0) return gndi_fail(GND_ERROR_INVALID, fn, "arrays name no view; gnd_get copies what they name");
    return apply_items(fn, NULL, a, made, all);
}
