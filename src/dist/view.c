/*
 * view.c: slices, permuted axes and other shapes of split arrays. Blocks become views of blocks, and cuts follow.
 */
#include "dist/dist.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- slices in NumPy's syntax ---------------------------------------------------------------------------------- */

/* One item of the text: how many numbers it has, and whether they are open. */
typedef struct item {
    enum { AT, RANGE, NEW_AXIS, ELLIPSIS } kind;
    int64_t number[3]; /* GND_OPEN: left out */
} item;

static const char *skip(const char *p) {
    while (isspace((unsigned char)*p)) p++;
    return p;
}

static bool word(const char **p, const char *text) {
    const size_t n = strlen(text);
    if (strncmp(*p, text, n) != 0 || isalnum((unsigned char)(*p)[n])) return false;
    *p = skip(*p + n);
    return true;
}

/* Reads one item, up to a comma or the end; NULL if it cannot be read. */
static const char *read_item(const char *p, item *out) {
    *out = (item){AT, {GND_OPEN, GND_OPEN, GND_OPEN}};
    p = skip(p);
    if (strncmp(p, "...", 3) == 0) {
        out->kind = ELLIPSIS, p = skip(p + 3);
    } else if (word(&p, "Ellipsis")) {
        out->kind = ELLIPSIS;
    } else {
        int count = 0;
        bool none = false;
        for (;; count++) {
            char *end;
            if (count == 3) return NULL;
            none = word(&p, "None") || word(&p, "newaxis");
            if (!none && *p != ':' && *p != ',' && *p) {
                out->number[count] = strtoll(p, &end, 10);
                if (end == p) return NULL;
                p = skip(end);
            }
            if (*p != ':') break;
            out->kind = RANGE;
            p = skip(p + 1);
        }
        if (out->kind == AT && none) out->kind = NEW_AXIS;
        if (out->kind == AT && out->number[0] == GND_OPEN) return NULL;
    }
    return *p == ',' || !*p ? p : NULL;
}

static int read_items(const char *text, item *list, const char *fn) {
    int count = 0;
    const char *p = skip(text);
    while (*p) {
        const char *next = count < 2 * GND_MAX_DIMS ? read_item(p, &list[count++]) : NULL;
        if (!next) return gndi_dist_raise(GND_ERROR_INVALID, fn, "\"%s\" cannot be read from \"%s\" on", text, p), -1;
        p = skip(*next == ',' ? next + 1 : next);
    }
    return count;
}

/* Start, step and length of a range of an axis, as Python's slice.indices. */
static bool range_of(const item *r, int64_t length, int64_t *start, int64_t *step, int64_t *count) {
    *step = r->number[2] == GND_OPEN ? 1 : r->number[2];
    if (*step == 0) return false;
    const int64_t low = *step > 0 ? 0 : -1, high = *step > 0 ? length : length - 1;
    int64_t bound[2] = {*step > 0 ? low : high, *step > 0 ? high : low};
    for (int k = 0; k < 2; k++) {
        int64_t v = r->number[k];
        if (v == GND_OPEN) continue;
        if (v < 0) v += length;
        bound[k] = v < low ? low : v > high ? high : v;
    }
    *start = bound[0];
    const int64_t span = *step > 0 ? bound[1] - bound[0] : bound[0] - bound[1];
    const int64_t stride = *step > 0 ? *step : -*step;
    *count = span > 0 ? (span - 1) / stride + 1 : 0;
    return true;
}

/* How many elements of a range from `start` by `step` stand before `cut`. */
static int64_t before_cut(int64_t start, int64_t step, int64_t count, int64_t cut) {
    const int64_t n = cut <= start ? 0 : (cut - start - 1) / step + 1;
    return n < count ? n : count;
}

typedef struct slicing {
    gnd_shape shape;           /* of the result */
    int axis[2];               /* its split axes */
    int64_t start[2], step[2]; /* of the ranges along them */
    gnd_index local[2 * GND_MAX_DIMS];
    int items;
} slicing;

/* One item for axis `from` of x; the new axis, if it stays, is the last of s->shape. */
static bool take_item(const gnd_dist *x, const item *it, int from, slicing *s, const char *fn) {
    const int64_t length = x->shape.dim[from];
    int64_t start, step, count;
    if (it->kind == AT) {
        const int64_t at = it->number[0] < 0 ? it->number[0] + length : it->number[0];
        if (at < 0 || at >= length)
            return gndi_dist_raise(GND_ERROR_INDEX, fn, "index %lld is out of bounds for axis %d of size %lld",
                                   (long long)it->number[0], from, (long long)length),
                   false;
        if (gndi_split_of(x, from) >= 0)
            return gndi_dist_raise(GND_ERROR_INVALID, fn,
                                   "an integer takes an element of one rank from split axis %d: "
                                   "take %lld:%lld, or gnd_dist_redistribute",
                                   from, (long long)at, (long long)at + 1),
                   false;
        for (int k = 0; k < 2; k++)
            if (x->axis[k] == from) s->axis[k] = -1; /* of one block */
        s->local[s->items++] = gnd_index_at(at);
        return true;
    }
    if (!range_of(it, length, &start, &step, &count)) return gndi_dist_raise(GND_ERROR_VALUE, fn, "a step is 0"), false;
    const int to = s->shape.ndim++;
    s->shape.dim[to] = count;
    s->local[s->items] = gnd_index_range(it->number[0], it->number[1], it->number[2]);
    const int k = x->axis[0] == from ? 0 : x->axis[1] == from ? 1 : -1;
    if (k >= 0) {
        if (step < 0 && gndi_split_of(x, from) >= 0)
            return gndi_dist_raise(GND_ERROR_INVALID, fn, "a negative step along split axis %d would move its elements",
                                   from),
                   false;
        s->axis[k] = to, s->start[k] = start, s->step[k] = step;
        if (step > 0) {
            const int64_t *cut = x->cuts[k] + x->mesh->place[k];
            const int64_t first = before_cut(start, step, count, cut[0]), last = before_cut(start, step, count, cut[1]);
            const int64_t at = start + first * step - cut[0];
            s->local[s->items] =
                gnd_index_range(last > first ? at : 0, last > first ? at + (last - first - 1) * step + 1 : 0, step);
        }
    }
    s->items++;
    return true;
}

static bool read_slicing(const gnd_dist *x, const char *text, slicing *s, const char *fn) {
    item list[2 * GND_MAX_DIMS];
    const int count = read_items(text, list, fn);
    int used = 0, ellipsis = 0, from = 0;
    if (count < 0) return false;
    for (int i = 0; i < count; i++)
        used += list[i].kind == AT || list[i].kind == RANGE, ellipsis += list[i].kind == ELLIPSIS;
    if (used > x->shape.ndim || ellipsis > 1)
        return gndi_dist_raise(GND_ERROR_INDEX, fn, "\"%s\" has too many items for %d axes", text, x->shape.ndim),
               false;
    static const item all = {RANGE, {GND_OPEN, GND_OPEN, GND_OPEN}};
    for (int i = 0; i < count; i++) {
        if (list[i].kind == NEW_AXIS) {
            if (s->shape.ndim == GND_MAX_DIMS) return gndi_dist_raise(GND_ERROR_SHAPE, fn, "too many axes"), false;
            s->shape.dim[s->shape.ndim++] = 1;
            s->local[s->items++] = gnd_index_new_axis();
        } else if (list[i].kind == ELLIPSIS) {
            for (int rest = x->shape.ndim - used; rest > 0; rest--)
                if (!take_item(x, &all, from++, s, fn)) return false;
        } else if (!take_item(x, &list[i], from++, s, fn)) {
            return false;
        }
    }
    while (from < x->shape.ndim)
        if (!take_item(x, &all, from++, s, fn)) return false;
    return true;
}

gnd_dist *gnd_dist_slice(const gnd_dist *x, const char *items, ...) {
    static const char fn[] = "gnd_dist_slice";
    if (gndi_dist_missing(x, fn) || !items) return gndi_dist_status(fn), NULL;
    GNDI_CALL(fn);
    char text[1024];
    va_list arguments;
    va_start(arguments, items);
    const int length = vsnprintf(text, sizeof text, items, arguments);
    va_end(arguments);
    if (length < 0 || length >= (int)sizeof text)
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "the text is too long"), NULL;
    slicing s = {.axis = {-1, -1}};
    if (!read_slicing(x, text, &s, fn)) return NULL;
    gnd_dist *y = gndi_dist_new(x->mesh, fn, s.shape, x->dtype, (gndi_layout){{s.axis[0], s.axis[1]}, {NULL, NULL}});
    if (!y) return NULL;
    for (int k = 0; k < 2; k++)
        for (int i = 0; s.axis[k] >= 0 && s.step[k] > 0 && i <= x->mesh->grid[k]; i++)
            y->cuts[k][i] = before_cut(s.start[k], s.step[k], s.shape.dim[s.axis[k]], x->cuts[k][i]);
    if (!x->local) return gndi_dist_failed_like(y, x);
    return gndi_dist_done(y, fn, gnd_slice_ix(x->local, s.items, s.local));
}

/* ---- axes and shapes --------------------------------------------------------------------------------------------- */

gnd_dist *gnd_dist_permute(const gnd_dist *x, gnd_axes axes) {
    static const char fn[] = "gnd_dist_permute";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    const int ndim = x->shape.ndim;
    int to[GND_MAX_DIMS]; /* where each axis goes */
    bool seen[GND_MAX_DIMS] = {false};
    if (axes.count > 0 && axes.count != ndim)
        return gndi_dist_raise(GND_ERROR_AXIS, fn, "%d axes are given, and the array has %d", axes.count, ndim), NULL;
    gnd_shape shape = {.ndim = ndim};
    for (int i = 0; i < ndim; i++) {
        int from = axes.count > 0 ? axes.axis[i] : ndim - 1 - i;
        from = from < 0 ? from + ndim : from;
        if (from < 0 || from >= ndim || seen[from])
            return gndi_dist_raise(GND_ERROR_AXIS, fn, "axis %d is given twice, or there is none", axes.axis[i]), NULL;
        seen[from] = true, to[from] = i, shape.dim[i] = x->shape.dim[from];
    }
    gndi_layout layout = gndi_layout_of(x);
    for (int k = 0; k < 2; k++)
        if (layout.axis[k] >= 0) layout.axis[k] = to[layout.axis[k]];
    gnd_dist *y = gndi_dist_new(x->mesh, fn, shape, x->dtype, layout);
    if (!y || !x->local) return y ? gndi_dist_failed_like(y, x) : NULL;
    return gndi_dist_done(y, fn, ndim ? gnd_permute(x->local, axes) : gnd_slice(x->local, "..."));
}

/* The axis of `shape` that has as many elements before it as axis `from` of x, and its length; -1: none. */
static int same_axis(const gnd_dist *x, gnd_shape shape, int from) {
    int64_t before = 1, count = 1;
    for (int i = 0; i < from; i++) before *= x->shape.dim[i];
    for (int i = 0; i < shape.ndim; i++) {
        if (count == before && shape.dim[i] == x->shape.dim[from]) return i;
        count *= shape.dim[i];
    }
    return -1;
}

gnd_dist *gnd_dist_reshape(const gnd_dist *x, gnd_shape shape) {
    static const char fn[] = "gnd_dist_reshape";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    int open = -1;
    int64_t rest = gndi_shape_count(x->shape), count = 1;
    bool good = shape.ndim >= 0 && shape.ndim <= GND_MAX_DIMS;
    for (int i = 0; good && i < shape.ndim; i++) {
        good = shape.dim[i] >= 0 || (shape.dim[i] == -1 && open < 0);
        if (shape.dim[i] == -1)
            open = i;
        else
            count *= shape.dim[i];
    }
    if (good && open >= 0 && count > 0) shape.dim[open] = rest / count, count *= shape.dim[open];
    if (!good || count != rest || (open >= 0 && shape.dim[open] < 0))
        return gndi_dist_raise(GND_ERROR_SHAPE, fn, "%lld elements do not fit the new shape", (long long)rest), NULL;
    gndi_layout layout = gndi_layout_of(x);
    for (int k = 0; k < 2; k++) {
        if (layout.axis[k] < 0) continue;
        const int to = same_axis(x, shape, layout.axis[k]);
        if (to < 0 && gndi_is_split(x, k))
            return gndi_dist_raise(GND_ERROR_SHAPE, fn,
                                   "split axis %d, of %lld elements, is no axis of the new shape: "
                                   "gnd_dist_redistribute first",
                                   layout.axis[k], (long long)x->shape.dim[layout.axis[k]]),
                   NULL;
        layout.axis[k] = to;
    }
    gnd_dist *y = gndi_dist_new(x->mesh, fn, shape, x->dtype, layout);
    if (!y || !x->local) return y ? gndi_dist_failed_like(y, x) : NULL;
    return gndi_dist_done(y, fn, gnd_reshape(x->local, gndi_dist_local_shape(y)));
}
