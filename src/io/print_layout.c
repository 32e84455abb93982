/*
 * print_layout.c: elements in brackets, rows broken into lines, blank lines between matrices, "..."
 * where a large array is left out. One pass writes everything into one growing text.
 */
#include "io/print_layout.h"
#include "io/print_number.h"
#include <ctype.h>

/* ---- growing text --------------------------------------------------------------------------- */

static bool reserve(gndi_text *t, size_t more) {
    if (t->failed) return false;
    size_t needed = t->length + more + 1;
    if (needed <= t->capacity) return true;
    size_t capacity = needed < 128 ? 256 : needed + needed / 2;
    char *data = gndi_realloc(t->fn, t->data, capacity);
    if (!data) {
        gndi_free(t->data);
        t->data = NULL, t->length = t->capacity = 0;
        t->failed = true;
        return false;
    }
    t->data = data, t->capacity = capacity;
    return true;
}

void gndi_text_append(gndi_text *t, const char *s, size_t length) {
    if (!reserve(t, length)) return;
    memcpy(t->data + t->length, s, length);
    t->length += length;
    t->data[t->length] = 0;
}

void gndi_text_repeat(gndi_text *t, char c, size_t count) {
    if (!reserve(t, count)) return;
    memset(t->data + t->length, c, count);
    t->length += count;
    t->data[t->length] = 0;
}

static void drop_trailing_spaces(gndi_text *t) {
    while (t->length > 0 && isspace((unsigned char)t->data[t->length - 1])) t->length--;
}

/* ---- rows ----------------------------------------------------------------------------------- */

typedef struct layout {
    gndi_text *text;
    const gndi_shown *shown;
    const gndi_element_format *format;
    const char *separator;
    size_t separator_length, separator_visible; /* without the spaces at its end */
} layout;

/* A line that is being filled: its length so far, where it starts, and where it must end. */
typedef struct line {
    size_t length, indent, limit;
} line;

static void add_word(const layout *l, line *at, const char *word, size_t length) {
    bool has_words = at->length > at->indent; /* breaking an empty line would gain nothing */
    if (at->length + length > at->limit && has_words) {
        drop_trailing_spaces(l->text);
        gndi_text_append(l->text, "\n", 1);
        gndi_text_repeat(l->text, ' ', at->indent);
        at->length = at->indent;
    }
    gndi_text_append(l->text, word, length);
    at->length += length;
}

static void add_element(const layout *l, line *at, const char *element) {
    char text[GNDI_ELEMENT_BYTES];
    int length = gndi_element_write(l->format, element, text);
    add_word(l, at, text, (size_t)length);
}

static void add_separator(const layout *l, line *at) {
    gndi_text_append(l->text, l->separator, l->separator_length);
    at->length += l->separator_length;
}

/* Which of an axis's items in memory are shown: first ... end - 1, with "..." before item `gap`
   (-1: nowhere). */
typedef struct shown_axis {
    int64_t first, end, gap;
} shown_axis;

static shown_axis axis_of(const gndi_shown *shown, int axis) {
    int64_t size = shown->shape[axis], edge = shown->edge;
    if (!shown->summarised || size <= 2 * edge) return (shown_axis){0, size, -1};
    if (edge == 0) return (shown_axis){size - 1, size, size - 1}; /* NumPy shows the last item even then */
    return (shown_axis){0, 2 * edge, edge};
}

static void write_row(const layout *l, const char *elements, size_t indent, size_t width) {
    int axis = l->shown->ndim - 1;
    shown_axis items = axis_of(l->shown, axis);
    /* Room stays for the separator or bracket behind a word. */
    size_t behind = l->separator_visible > 1 ? l->separator_visible : 1;
    line at = {indent, indent, width > behind ? width - behind : 0};
    for (int64_t i = items.first; i < items.end; i++) {
        if (i > items.first) add_separator(l, &at);
        if (i == items.gap) {
            add_word(l, &at, "...", 3);
            add_separator(l, &at);
        }
        add_element(l, &at, elements + i * l->shown->step[axis]);
    }
}

/* Between two parts of an axis that is not the last: a line break, and an empty line for each axis
   further in but one. */
static void break_lines(const layout *l, int axis, size_t indent) {
    gndi_text_append(l->text, l->separator, l->separator_visible);
    gndi_text_repeat(l->text, '\n', (size_t)(l->shown->ndim - axis - 1));
    gndi_text_repeat(l->text, ' ', indent);
}

/* `indent` is the column of what is inside the bracket. */
static void write_axis(const layout *l, int axis, const char *elements, size_t indent, size_t width) {
    if (axis == l->shown->ndim) {
        line at = {0, 0, width};
        add_element(l, &at, elements);
        return;
    }
    gndi_text_append(l->text, "[", 1);
    if (axis == l->shown->ndim - 1) {
        write_row(l, elements, indent, width);
    } else {
        shown_axis items = axis_of(l->shown, axis);
        for (int64_t i = items.first; i < items.end; i++) {
            if (i > items.first) break_lines(l, axis, indent);
            if (i == items.gap) {
                gndi_text_append(l->text, "...", 3);
                break_lines(l, axis, indent);
            }
            write_axis(l, axis + 1, elements + i * l->shown->step[axis], indent + 1, width > 0 ? width - 1 : 0);
        }
    }
    gndi_text_append(l->text, "]", 1);
}

void gndi_text_layout(gndi_text *t, const gndi_shown *shown, const gnd_print_options *options, int width,
                      const char *separator, int indent) {
    gndi_element_format format;
    gndi_element_format_init(&format, shown->dtype, shown->elements, shown->count, shown->ndim == 0, options);
    layout l = {t, shown, &format, separator, strlen(separator), strlen(separator)};
    while (l.separator_visible > 0 && isspace((unsigned char)separator[l.separator_visible - 1])) l.separator_visible--;
    write_axis(&l, 0, shown->elements, (size_t)indent + 1, width > 0 ? (size_t)width : 0);
}
