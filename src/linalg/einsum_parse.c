/*
 * einsum_parse.c: subscripts become terms. Letters are read first, for each operand and the result;
 * then the shapes say how many axes an ellipsis stands for, and these get letters of their own, so
 * that no later step knows of ellipses.
 */
#include "linalg/einsum.h"
#include <limits.h>

enum { NO_ELLIPSIS = -1, TEXT = 160 };

/* Subscripts of an operand or of the result, as written. */
typedef struct written {
    int count;                      /* of letters */
    int ellipsis;                   /* how many letters precede it; or NO_ELLIPSIS */
    uint8_t label[GNDI_LABELS + 1]; /* one more than is valid */
} written;

typedef struct parser {
    const char *fn, *text, *at;
    int count; /* of operands */
    const gnd_array *const *arrays;
    gndi_einsum *einsum;
    written *inputs, out;
    bool has_out;
    gndi_labels used, repeated; /* letters of the inputs; those that occur more than once */
    int broadcast;              /* how many axes an ellipsis stands for, at most */
    uint8_t broadcast_label[GND_MAX_DIMS];
} parser;

static bool refuse(const parser *p, gnd_status code, const char *fmt, ...) GND_PRINTF(3, 4);
static bool refuse(const parser *p, gnd_status code, const char *fmt, ...) {
    char sentence[512];
    va_list list;
    va_start(list, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, list);
    va_end(list);
    gndi_raise(code, p->fn, "subscripts '%.*s': %s", TEXT, p->text, sentence);
    return false;
}

/* ---- letters -------------------------------------------------------------------------------- */

static int label_of(char letter) {
    if (letter >= 'A' && letter <= 'Z') return letter - 'A';
    if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
    return -1;
}

/* What is being read, for messages: "operand 1", or "the result" (number -1). */
static const char *part_name(int number) {
    char *text = gndi_text_buffer();
    if (number < 0) return "the result";
    snprintf(text, GNDI_TEXT_BYTES, "operand %d", number);
    return text;
}

static bool refuse_character(const parser *p) {
    const int position = (int)(p->at - p->text);
    const unsigned char c = (unsigned char)*p->at;
    if (c == '-' || c == '>')
        return refuse(p, GND_ERROR_INVALID, "'%c' at character %d is not part of the one '->'", c, position);
    if (c == ',') return refuse(p, GND_ERROR_INVALID, "there is a comma in the result, at character %d", position);
    if (c < ' ' || c > '~')
        return refuse(p, GND_ERROR_INVALID, "byte %d at character %d is no letter A-Z or a-z", c, position);
    return refuse(p, GND_ERROR_INVALID, "'%c' at character %d is no letter A-Z or a-z", c, position);
}

static bool read_ellipsis(parser *p, written *w, int number) {
    if (strncmp(p->at, "...", 3) != 0)
        return refuse(p, GND_ERROR_INVALID, "the '.' at character %d is not part of an ellipsis '...'",
                      (int)(p->at - p->text));
    if (w->ellipsis != NO_ELLIPSIS)
        return refuse(p, GND_ERROR_INVALID, "%s has more than one ellipsis", part_name(number));
    w->ellipsis = w->count;
    p->at += 3;
    return true;
}

/* Reads up to the end of one operand or of the result; the character that ends it is left for the caller. */
static bool read_part(parser *p, written *w, int number) {
    w->count = 0, w->ellipsis = NO_ELLIPSIS;
    for (;;) {
        const char c = *p->at;
        const int label = label_of(c);
        if (label >= 0) {
            if (w->count > GNDI_LABELS)
                return refuse(p, GND_ERROR_INVALID, "%s has more than %d letters", part_name(number), GNDI_LABELS);
            w->label[w->count++] = (uint8_t)label;
            p->at++;
        } else if (c == '.') {
            if (!read_ellipsis(p, w, number)) return false;
        } else if (c == ' ') {
            p->at++;
        } else {
            return true;
        }
    }
}

static bool read_inputs(parser *p) {
    for (int i = 0; i < p->count; i++) {
        written *w = &p->inputs[i];
        if (!read_part(p, w, i)) return false;
        for (int k = 0; k < w->count; k++) {
            const gndi_labels bit = gndi_label_bit(w->label[k]);
            p->repeated |= p->used & bit;
            p->used |= bit;
        }
        if (i == p->count - 1) break;
        if (*p->at == ',')
            p->at++;
        else if (*p->at == 0 || strncmp(p->at, "->", 2) == 0)
            return refuse(p, GND_ERROR_INVALID, "they are for %d operands, and there are %d", i + 1, p->count);
        else
            return refuse_character(p);
    }
    if (*p->at != ',') return true;
    int more = p->count;
    for (const char *c = p->at; *c && *c != '-'; c++) more += *c == ',';
    return refuse(p, GND_ERROR_INVALID, "they are for %d operands, and there %s %d", more, p->count == 1 ? "is" : "are",
                  p->count);
}

static bool read_all(parser *p) {
    p->at = p->text;
    if (!read_inputs(p)) return false;
    if (*p->at == 0) return true;
    if (strncmp(p->at, "->", 2) != 0) return refuse_character(p);
    p->at += 2;
    p->has_out = true;
    if (!read_part(p, &p->out, -1)) return false;
    return *p->at == 0 || refuse_character(p);
}

/* ---- ellipses ------------------------------------------------------------------------------- */

/* How many axes the ellipsis of operand i stands for. */
static int hidden_axes(const parser *p, int i) {
    const written *w = &p->inputs[i];
    return w->ellipsis == NO_ELLIPSIS ? 0 : p->arrays[i]->ndim - w->count;
}

static bool check_axes(parser *p) {
    for (int i = 0; i < p->count; i++) {
        const gnd_array *a = p->arrays[i];
        const written *w = &p->inputs[i];
        const char *shape = gndi_text_shape(a->ndim, a->shape);
        if (w->count > a->ndim)
            return refuse(p, GND_ERROR_SHAPE, "operand %d has %d letters, but its shape is %s", i, w->count, shape);
        if (w->count < a->ndim && w->ellipsis == NO_ELLIPSIS)
            return refuse(p, GND_ERROR_SHAPE,
                          "operand %d has %d letters, but its shape is %s; an ellipsis '...' would "
                          "stand for the other axes",
                          i, w->count, shape);
        if (hidden_axes(p, i) > p->broadcast) p->broadcast = hidden_axes(p, i);
    }
    return true;
}

/* The last unused letters, in ascending order; if they are too few, the last labels. */
static bool label_ellipses(parser *p) {
    const int letters = gndi_label_count(p->used);
    if (letters + p->broadcast > GNDI_LABELS)
        return refuse(p, GND_ERROR_INVALID, "%d letters and %d axes of '...' are more than %d different axes", letters,
                      p->broadcast, GNDI_LABELS);
    const int end = letters + p->broadcast > GNDI_LETTERS ? GNDI_LABELS : GNDI_LETTERS;
    for (int label = end, left = p->broadcast; left > 0;)
        if (!(p->used >> --label & 1)) p->broadcast_label[--left] = (uint8_t)label;
    return true;
}

/* The letters as written, with the last `hidden` labels of the broadcast axes for the ellipsis. */
static bool expand(const parser *p, const written *w, int hidden, gndi_term *term) {
    int n = 0;
    if (w->count + hidden > GND_MAX_DIMS)
        return refuse(p, GND_ERROR_SHAPE, "the result would have %d dimensions; the most is %d", w->count + hidden,
                      GND_MAX_DIMS);
    for (int k = 0; k <= w->count; k++) {
        if (k == w->ellipsis)
            for (int h = p->broadcast - hidden; h < p->broadcast; h++) term->label[n++] = p->broadcast_label[h];
        if (k < w->count) term->label[n++] = w->label[k];
    }
    term->ndim = n;
    return true;
}

/* ---- the result ----------------------------------------------------------------------------- */

static bool check_out_letters(const parser *p) {
    gndi_labels seen = 0;
    for (int k = 0; k < p->out.count; k++) {
        const int label = p->out.label[k];
        const gndi_labels bit = gndi_label_bit(label);
        if (seen & bit)
            return refuse(p, GND_ERROR_INVALID, "the result has '%c' more than once", gndi_label_letter(label));
        if (!(p->used & bit))
            return refuse(p, GND_ERROR_INVALID, "the result has '%c', which no operand has", gndi_label_letter(label));
        seen |= bit;
    }
    if (p->out.ellipsis == NO_ELLIPSIS && p->broadcast > 0)
        return refuse(p, GND_ERROR_INVALID, "the %d axes of '...' are not in the result; it needs an ellipsis, too",
                      p->broadcast);
    return true;
}

/* Without '->': the broadcast axes, and the letters that occur once. */
static void implicit_out(parser *p) {
    int label;
    p->out.count = 0, p->out.ellipsis = 0;
    GNDI_EACH_LABEL(label, p->used & ~p->repeated) p->out.label[p->out.count++] = (uint8_t)label;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static bool measure_axis(parser *p, int i, int axis) {
    const gnd_array *a = p->arrays[i];
    const gndi_term *term = &p->einsum->terms[i];
    const int label = term->label[axis], first = gndi_term_axis(term, label);
    int64_t *size = &p->einsum->size[label];
    const long long have = (long long)*size, own = (long long)a->shape[axis];
    const bool hidden = !(p->used >> label & 1);
    if (first < axis && a->shape[first] != a->shape[axis])
        return refuse(p, GND_ERROR_SHAPE,
                      "the axes '%c' of operand %d have sizes %lld and %lld in shape %s; a diagonal "
                      "needs equal ones",
                      gndi_label_letter(label), i, (long long)a->shape[first], own, gndi_text_shape(a->ndim, a->shape));
    if (have == 1)
        *size = own;
    else if (own != 1 && own != have && hidden)
        return refuse(p, GND_ERROR_SHAPE,
                      "the axes of '...' do not broadcast: operand %d of shape %s has size %lld "
                      "where others have %lld",
                      i, gndi_text_shape(a->ndim, a->shape), own, have);
    else if (own != 1 && own != have)
        return refuse(p, GND_ERROR_SHAPE, "'%c' has size %lld in operand %d of shape %s, but %lld before",
                      gndi_label_letter(label), own, i, gndi_text_shape(a->ndim, a->shape), have);
    return true;
}

static bool measure(parser *p) {
    for (int label = 0; label < GNDI_LABELS; label++) p->einsum->size[label] = 1;
    for (int i = 0; i < p->count; i++)
        for (int axis = 0; axis < p->arrays[i]->ndim; axis++)
            if (!measure_axis(p, i, axis)) return false;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------ */

bool gndi_check_arrays(const char *fn, int count, const gnd_array *const arrays[]) {
    char name[32];
    if (!arrays) return gndi_raise_null(fn, "arrays"), false;
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "arrays[%d]", i);
        if (gndi_missing(arrays[i])) return gndi_raise_null(fn, name), false;
        if (gndi_check_together(fn, arrays[0], "arrays[0]", arrays[i], name)) return false;
    }
    return true;
}

static bool check_operands(const char *fn, const char *subscripts, int count, const gnd_array *const arrays[]) {
    if (!subscripts) return gndi_raise_null(fn, "subscripts"), false;
    if (count >= 1) return gndi_check_arrays(fn, count, arrays);
    gndi_raise(GND_ERROR_INVALID, fn, "there are %d operands; it takes at least one", count);
    return false;
}

static bool parse(parser *p) {
    gndi_einsum *e = p->einsum;
    if (!read_all(p) || !check_axes(p) || !label_ellipses(p)) return false;
    for (int i = 0; i < p->count; i++)
        if (!expand(p, &p->inputs[i], hidden_axes(p, i), &e->terms[i])) return false;
    if (!p->has_out)
        implicit_out(p);
    else if (!check_out_letters(p))
        return false;
    return expand(p, &p->out, p->broadcast, &e->out) && measure(p);
}

gndi_einsum *gndi_einsum_parse(const char *fn, const char *subscripts, int count, const gnd_array *const arrays[]) {
    if (!check_operands(fn, subscripts, count, arrays)) return NULL;
    parser p = {.fn = fn, .text = subscripts, .count = count, .arrays = arrays};
    p.einsum = gndi_malloc(fn, sizeof *p.einsum + (size_t)count * sizeof *p.einsum->terms);
    p.inputs = p.einsum ? gndi_malloc(fn, (size_t)count * sizeof *p.inputs) : NULL;
    bool good = p.inputs != NULL;
    if (good) {
        p.einsum->fn = fn, p.einsum->count = count;
        good = parse(&p);
    }
    gndi_free(p.inputs);
    if (good) return p.einsum;
    gndi_free(p.einsum);
    return NULL;
}
