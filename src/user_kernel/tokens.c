/*
 * tokens.c: C++ text without a compiler (tokens.h). Errors name the text and the line in it.
 */
#include "user_kernel/tokens.h"
#include <ctype.h>
#include <stdio.h>

/* ---- names ----------------------------------------------------------------------------------- */

bool gndi_is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

bool gndi_piece_is(gndi_piece p, const char *word) {
    return strlen(word) == p.length && memcmp(p.text, word, p.length) == 0;
}

bool gndi_piece_is_name(gndi_piece p) {
    if (p.length == 0 || isdigit((unsigned char)p.text[0])) return false;
    for (size_t k = 0; k < p.length; k++)
        if (!gndi_is_word(p.text[k])) return false;
    return true;
}

static bool is_keyword(const char *name, size_t length) {
    static const char words[] = " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class "
                                "compl const const_cast constexpr continue decltype default delete do double "
                                "dynamic_cast else enum explicit export extern false float for friend goto if inline "
                                "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
                                "protected public raw register reinterpret_cast return short signed sizeof static "
                                "static_assert static_cast struct switch template this thread_local throw true try "
                                "typedef typeid typename union unsigned using virtual void volatile wchar_t while xor "
                                "xor_eq gnd ";
    char wanted[GNDI_KERNEL_NAME + 2];
    if (length >= GNDI_KERNEL_NAME) return false;
    snprintf(wanted, sizeof wanted, " %.*s ", (int)length, name);
    return strstr(words, wanted) != NULL;
}

gnd_dtype gndi_kernel_dtype(const char *name, size_t length) {
    static const struct {
        const char *name;
        gnd_dtype dtype;
    } others[] = {
        {"float", GND_FLOAT32},
        {"double", GND_FLOAT64},
        {"int", GND_INT32},
        {"signed", GND_INT32},
        {"signed int", GND_INT32},
        {"unsigned", GND_UINT32},
        {"unsigned int", GND_UINT32},
        {"signed char", GND_INT8},
        {"unsigned char", GND_UINT8},
        {"short", GND_INT16},
        {"short int", GND_INT16},
        {"unsigned short", GND_UINT16},
        {"unsigned short int", GND_UINT16},
        {"long", GND_INT64},
        {"long int", GND_INT64},
        {"unsigned long", GND_UINT64},
        {"unsigned long int", GND_UINT64},
        {"long long", GND_INT64},
        {"long long int", GND_INT64},
        {"unsigned long long", GND_UINT64},
        {"unsigned long long int", GND_UINT64},
        {"int8_t", GND_INT8},
        {"uint8_t", GND_UINT8},
        {"int16_t", GND_INT16},
        {"uint16_t", GND_UINT16},
        {"int32_t", GND_INT32},
        {"uint32_t", GND_UINT32},
        {"int64_t", GND_INT64},
        {"uint64_t", GND_UINT64},
        {"size_t", GND_UINT64},
        {"ptrdiff_t", GND_INT64},
    };
    const gndi_piece p = {name, length};
    for (int d = GND_DTYPE_NONE + 1; d < GND_DTYPE_COUNT; d++)
        if (gndi_piece_is(p, gnd_dtype_name((gnd_dtype)d))) return (gnd_dtype)d;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (gndi_piece_is(p, others[k].name)) return others[k].dtype;
    return GND_DTYPE_NONE;
}

bool gndi_kernel_name_ok(const char *fn, const char *what, const char *name, size_t length) {
    const char *why = NULL;
    if (!gndi_piece_is_name((gndi_piece){name, length}))
        why = "is no C++ name";
    else if (length >= GNDI_KERNEL_NAME)
        why = "is too long; 63 characters are the most";
    else if (is_keyword(name, length))
        why = "is a word of C++'s own, or of gnd's";
    else if (gndi_kernel_dtype(name, length))
        why = "is a dtype";
    else if (name[0] == '_' || (length > 3 && (memcmp(name, "gnd_", 4) == 0)))
        why = "begins as names of the library do";
    else
        return true;
    gndi_raise(GND_ERROR_INVALID, fn, "%s: \"%.*s\" %s", what, (int)(length < 100 ? length : 100), name, why);
    return false;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* Behind blanks and comments. */
static const char *skip_blanks(const char *p, const char *end) {
    while (p < end) {
        if (isspace((unsigned char)*p)) {
            p++;
        } else if (p[0] == '/' && p + 1 < end && p[1] == '/') {
            while (p < end && *p != '\n') p++;
        } else if (p[0] == '/' && p + 1 < end && p[1] == '*') {
            const char *close = strstr(p + 2, "*/");
            p = close && close < end ? close + 2 : end;
        } else {
            break;
        }
    }
    return p;
}

/* Behind a number: 1e5f, 0x1p3, 1'000 with all its letters. */
static const char *skip_number(const char *p, const char *end) {
    while (p < end && (gndi_is_word(*p) || *p == '.' || (*p == '\'' && p + 1 < end && gndi_is_word(p[1])))) p++;
    return p;
}

gndi_piece gndi_next_token(const char **at, const char *end) {
    const char *p = skip_blanks(*at, end);
    gndi_piece t = {p, 0};
    if (p < end && isdigit((unsigned char)*p)) {
        p = skip_number(p, end);
    } else if (p < end && gndi_is_word(*p)) {
        while (p < end && gndi_is_word(*p)) p++;
    } else if (p < end && (*p == '"' || *p == '\'')) {
        const char quote = *p++;
        while (p < end && *p != quote && *p != '\n') p += p[0] == '\\' && p + 1 < end ? 2 : 1;
        if (p < end && *p == quote) p++;
    } else if (p < end) {
        const bool two = p + 1 < end && (memcmp(p, "::", 2) == 0 || memcmp(p, "->", 2) == 0);
        p += two ? 2 : 1;
    }
    t.length = (size_t)(p - t.text);
    *at = p;
    return t;
}

gndi_piece gndi_next_item(const char **at, const char *end) {
    gndi_piece item = {*at, 0};
    for (int depth = 0;;) {
        const gndi_piece t = gndi_next_token(at, end);
        const char c = t.length == 1 ? *t.text : 0;
        if (t.length == 0) *at = NULL;
        if (t.length == 0 || (c == ',' && depth == 0)) return item;
        if (c == '(' || c == '<' || c == '[' || c == '{') depth++;
        if (c == ')' || c == '>' || c == ']' || c == '}') depth--;
        if (item.length == 0) item.text = t.text;
        item.length = (size_t)(t.text + t.length - item.text);
    }
}

gndi_piece gndi_trimmed(const char *from, const char *to) {
    while (from < to && isspace((unsigned char)*from)) from++;
    while (to > from && isspace((unsigned char)to[-1])) to--;
    return (gndi_piece){from, (size_t)(to - from)};
}

gndi_piece gndi_last_word(gndi_piece p) {
    const char *end = p.text + p.length, *word = end;
    while (word > p.text && gndi_is_word(word[-1])) word--;
    return (gndi_piece){word, (size_t)(end - word)};
}

char *gndi_piece_copy(const char *fn, gndi_piece p) {
    char *copy = gndi_malloc(fn, p.length + 1);
    if (!copy) return NULL;
    memcpy(copy, p.text, p.length);
    copy[p.length] = 0;
    return copy;
}

/* ---- what text says -------------------------------------------------------------------------- */

bool gndi_text_says(const char *text, const char *identifier) {
    const char *end = text + strlen(text);
    bool member = false; /* what comes is one: a.i, a->i, a::i */
    for (gndi_piece t; (t = gndi_next_token(&text, end)).length;) {
        if (!member && gndi_piece_is(t, identifier)) return true;
        member = gndi_piece_is(t, ".") || gndi_piece_is(t, "->") || gndi_piece_is(t, "::");
    }
    return false;
}

bool gndi_check_brackets(const char *fn, const char *what, const char *text) {
    static const char opening[] = "([{", closings[] = ")]}";
    char open[256];
    int depth = 0, line = 1, opened[256];
    const char *p = text, *end = text + strlen(text), *counted = text;
    for (gndi_piece t; (t = gndi_next_token(&p, end)).length;) {
        for (; counted < t.text; counted++) line += *counted == '\n';
        if (t.length != 1) continue;
        const char *bracket = strchr(opening, *t.text), *closing = strchr(closings, *t.text);
        if (bracket) {
            if (depth == 256)
                return gndi_raise(GND_ERROR_INVALID, fn,
                                  "the %s has more than 256 brackets inside each other, at line %d", what, line),
                       false;
            opened[depth] = line, open[depth++] = *t.text;
        } else if (closing && (depth == 0 || open[depth - 1] != opening[closing - closings])) {
            return gndi_raise(GND_ERROR_INVALID, fn, "line %d of the %s closes with '%c' what it has not opened", line,
                              what, *t.text),
                   false;
        } else if (closing) {
            depth--;
        }
    }
    if (depth)
        return gndi_raise(GND_ERROR_INVALID, fn, "the '%c' at line %d of the %s is never closed", open[depth - 1],
                          opened[depth - 1], what),
               false;
    return true;
}
