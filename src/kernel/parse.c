/*
 * parse.c: lists of parameters, names, and what there is to know of C++ text without a compiler.
 * Errors name the list and the place in it.
 */
#include "kernel/kernel.h"
#include <ctype.h>
#include <stdio.h>

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_letter(char c) {
    return isalpha((unsigned char)c) || c == '_';
}
static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

bool gndi_kernel_is_name(const char *text, size_t length) {
    if (length == 0 || !is_letter(text[0])) return false;
    for (size_t k = 0; k < length; k++)
        if (!is_word(text[k])) return false;
    return true;
}

static bool equals(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static bool is_keyword(const char *name, size_t length) {
    static const char words[] =
        " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class "
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
    for (int d = GND_DTYPE_NONE + 1; d < GND_DTYPE_COUNT; d++)
        if (equals(name, length, gnd_dtype_name((gnd_dtype)d))) return (gnd_dtype)d;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (equals(name, length, others[k].name)) return others[k].dtype;
    return GND_DTYPE_NONE;
}

bool gndi_kernel_name_ok(const char *fn, const char *what, const char *name, size_t length) {
    const char *why = NULL;
    if (!gndi_kernel_is_name(name, length))
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
    gndi_raise(GND_ERROR_INVALID, fn, "%s: \"%.*s\" %s", what, (int)(length < 100 ? length : 100),
               name, why);
    return false;
}

/* ---- C++ text -------------------------------------------------------------------------------- */

/* Behind a comment, a string or a character that begins at p; p itself if none does. */
static const char *skip_quoted(const char *p) {
    if (p[0] == '/' && p[1] == '/') {
        while (*p && *p != '\n') p++;
    } else if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    } else if (*p == '"' || *p == '\'') {
        char quote = *p++;
        while (*p && *p != quote && *p != '\n') p += p[0] == '\\' && p[1] ? 2 : 1;
        if (*p == quote) p++;
    }
    return p;
}

bool gndi_kernel_says(const char *text, const char *identifier) {
    char before = 0; /* the last character that is no blank */
    for (const char *p = text; *p;) {
        const char *next = skip_quoted(p);
        if (next != p) {
            p = next;
        } else if (is_letter(*p)) {
            const char *end = p;
            while (is_word(*end)) end++;
            if (before != '.' && before != ':' && before != '>' &&
                equals(p, (size_t)(end - p), identifier))
                return true;
            /* a > i is no member: an arrow only */
            if (before == '>' && equals(p, (size_t)(end - p), identifier)) {
                const char *back = p - 1;
                while (back > text && isspace((unsigned char)*back)) back--;
                if (back == text || back[-1] != '-') return true;
            }
            before = end[-1], p = end;
        } else if (isdigit((unsigned char)*p)) { /* 1e5f, 0x1p3: letters of a number are no name */
            while (is_word(*p) || *p == '.' || *p == '\'') p++;
            before = '0';
        } else {
            /* "a ? b : i": a colon alone is no ::, and 1. is no member */
            if (*p == ':' && p[1] != ':' && before != ':')
                before = '?';
            else if (!isspace((unsigned char)*p))
                before = *p;
            p++;
        }
    }
    return false;
}

/* Whether brackets close in order: text goes into functions, and is not to leave them. */
static bool check_brackets(const char *fn, const char *what, const char *text) {
    char open[256];
    int depth = 0, line = 1, opened[256];
    for (const char *p = text; *p;) {
        const char *next = skip_quoted(p);
        for (const char *q = p; q < next; q++) line += *q == '\n';
        if (next != p) {
            p = next;
            continue;
        }
        const char *bracket = strchr("([{", *p), *closing = strchr(")]}", *p);
        if (*p == '\n') line++;
        if (bracket) {
            if (depth == 256)
                return gndi_raise(GND_ERROR_INVALID, fn,
                                  "the %s has more than 256 brackets inside each other, at line %d",
                                  what, line),
                       false;
            opened[depth] = line, open[depth++] = *p;
        } else if (closing &&
                   (depth == 0 || open[depth - 1] != "([{"[closing - strchr(")]}", ')')])) {
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "line %d of the %s closes with '%c' what it has not opened", line,
                              what, *p),
                   false;
        } else if (closing) {
            depth--;
        }
        p++;
    }
    if (depth)
        return gndi_raise(GND_ERROR_INVALID, fn, "the '%c' at line %d of the %s is never closed",
                          open[depth - 1], opened[depth - 1], what),
               false;
    return true;
}

char *gndi_kernel_text(const char *fn, const char *text) {
    size_t bytes = strlen(text ? text : "") + 1;
    char *copy = gndi_malloc(fn, bytes);
    if (copy) memcpy(copy, text ? text : "", bytes);
    return copy;
}

bool gndi_kernel_check_text(const char *fn, const char *what, const char *text) {
    return check_brackets(fn, what, text);
}

/* ---- lists of parameters --------------------------------------------------------------------- */

/* A piece of a list, without the blanks around it. */
typedef struct piece {
    const char *text;
    size_t length;
} piece;

static piece trimmed(const char *from, const char *to) {
    while (from < to && isspace((unsigned char)*from)) from++;
    while (to > from && isspace((unsigned char)to[-1])) to--;
    return (piece){from, (size_t)(to - from)};
}

static bool add_variable(const char *fn, gnd_kernel *k, const char *where, piece type, int *at) {
    for (*at = 0; *at < k->variables; ++*at)
        if (equals(type.text, type.length, k->variable[*at])) return true;
    if (!gndi_kernel_name_ok(fn, where, type.text, type.length)) return false;
    memcpy(k->variable[k->variables], type.text, type.length);
    k->variable[k->variables++][type.length] = 0;
    return true;
}

/* "raw T x": words, of which the last is the name and the first may be raw. */
static bool parse_param(const char *fn, gnd_kernel *k, const char *what, int number, piece all,
                        gndi_kernel_param *param) {
    char where[192], type[96];
    snprintf(where, sizeof where, "parameter %d of the %s, \"%.*s\"", number, what,
             (int)(all.length < 100 ? all.length : 100), all.text);
    const char *end = all.text + all.length, *name = end;
    while (name > all.text && is_word(name[-1])) name--;
    piece rest = trimmed(all.text, name);
    param->raw =
        rest.length > 3 && memcmp(rest.text, "raw", 3) == 0 && isspace((unsigned char)rest.text[3]);
    if (param->raw) rest = trimmed(rest.text + 3, rest.text + rest.length);
    if (all.length == 0)
        return gndi_raise(
                   GND_ERROR_INVALID, fn,
                   "parameter %d of the %s is missing: there is nothing but blanks beside a comma",
                   number, what),
               false;
    if (name == end || rest.length == 0)
        return gndi_raise(GND_ERROR_INVALID, fn, "%s: it is written \"type name\"", where), false;
    /* Blanks in a type of several words count as one. */
    size_t used = 0;
    for (size_t j = 0; j < rest.length && used < sizeof type - 1; j++) {
        bool blank = isspace((unsigned char)rest.text[j]);
        if (blank && used && type[used - 1] == ' ') continue;
        type[used++] = blank ? ' ' : rest.text[j];
    }
    param->dtype = gndi_kernel_dtype(type, used);
    if (!param->dtype) {
        if (!gndi_kernel_is_name(rest.text, rest.length))
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "%s: \"%.*s\" is no type; a dtype's name or one word, a variable, "
                              "was expected",
                              where, (int)(rest.length < 60 ? rest.length : 60), rest.text),
                   false;
        if (!add_variable(fn, k, where, rest, &param->variable)) return false;
    }
    if (!gndi_kernel_name_ok(fn, where, name, (size_t)(end - name))) return false;
    memcpy(param->name, name, (size_t)(end - name));
    param->name[end - name] = 0;
    return true;
}

static bool check_new_name(const char *fn, const gnd_kernel *k, int count, const char *name) {
    for (int j = 0; j < count; j++)
        if (strcmp(k->param[j].name, name) == 0)
            return gndi_raise(GND_ERROR_INVALID, fn, "there are two parameters called \"%s\"",
                              name),
                   false;
    for (int j = 0; j < k->variables; j++)
        if (strcmp(k->variable[j], name) == 0)
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "\"%s\" is a parameter, and a type that stands for a dtype", name),
                   false;
    return true;
}

bool gndi_kernel_parse_params(const char *fn, gnd_kernel *k, const char *what, const char *text,
                              int *count, int first, int most) {
    *count = 0;
    if (!text) return gndi_raise(GND_ERROR_INVALID, fn, "the list of %s is NULL", what), false;
    if (trimmed(text, text + strlen(text)).length == 0) return true;
    for (const char *p = text;; p++) {
        const char *end = p + strcspn(p, ",");
        if (*count == most)
            return gndi_raise(GND_ERROR_INVALID, fn, "there are more than %d %s", most, what),
                   false;
        gndi_kernel_param *param = &k->param[first + *count];
        if (!parse_param(fn, k, what, *count + 1, trimmed(p, end), param)) return false;
        if (!check_new_name(fn, k, first + *count, param->name)) return false;
        ++*count;
        p = end;
        if (!*p) break;
    }
    for (int j = 0; j < first + *count; j++)
        for (int v = 0; v < k->variables; v++)
            if (strcmp(k->variable[v], k->param[j].name) == 0)
                return check_new_name(fn, k, 0, k->param[j].name);
    return true;
}

/* ---- signatures of functions of numbers ------------------------------------------------------ */

/* The name of parameter `count` of the first signature: its own, or one of x, y, z and w. */
static bool name_param(const char *fn, gnd_kernel *k, int count, piece name) {
    gndi_kernel_param *param = &k->param[count];
    if (name.length) {
        if (!gndi_kernel_name_ok(fn, "signature 1", name.text, name.length)) return false;
        memcpy(param->name, name.text, name.length), param->name[name.length] = 0;
    } else if (count < 4) {
        param->name[0] = "xyzw"[count], param -> name[1] = 0;
    } else {
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "signature 1: parameter %d needs a name (the first four may go without)",
                          count + 1),
               false;
    }
    return check_new_name(fn, k, count, param->name);
}

/* "float32 x": a dtype and, perhaps, a name. */
static gnd_dtype split_param(piece all, piece *name) {
    gnd_dtype dtype = gndi_kernel_dtype(all.text, all.length);
    *name = (piece){all.text, 0};
    if (dtype) return dtype;
    const char *word = all.text + all.length; /* the last word is a name */
    while (word > all.text && is_word(word[-1])) word--;
    *name = (piece){word, (size_t)(all.text + all.length - word)};
    const piece type = trimmed(all.text, word);
    return gndi_kernel_dtype(type.text, type.length);
}

/* The parameters between parentheses; how many, -1 and an error if they are wrong. */
static int parse_types(const char *fn, gnd_kernel *k, const char *from, const char *to,
                       gnd_dtype *types) {
    const int number = k->signatures + 1;
    for (int count = 0;; from++) {
        const char *end = from;
        while (end < to && *end != ',') end++;
        piece name;
        const piece all = trimmed(from, end);
        if (count == GND_KERNEL_INPUTS) {
            gndi_raise(GND_ERROR_INVALID, fn, "signature %d has more than %d parameters", number,
                       GND_KERNEL_INPUTS);
            return -1;
        }
        types[count] = split_param(all, &name);
        if (!types[count]) {
            gndi_raise(GND_ERROR_INVALID, fn, "signature %d: parameter %d, \"%.*s\", is no dtype",
                       number, count + 1, (int)(all.length < 60 ? all.length : 60), all.text);
            return -1;
        }
        if (number == 1 && !name_param(fn, k, count, name)) return -1;
        count++;
        from = end;
        if (from >= to) return count;
    }
}

/* One signature, from `from` to `to`: names go to the parameters if it is the first. */
static bool parse_signature(const char *fn, gnd_kernel *k, const char *from, const char *to) {
    const int number = k->signatures + 1;
    const int shown = (int)(to - from < 200 ? to - from : 200);
    const char *open = memchr(from, '(', (size_t)(to - from));
    if (!open || to[-1] != ')')
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "signature %d, \"%.*s\", is not of the form result(type, type)", number,
                          shown, from),
               false;
    const piece result = trimmed(from, open);
    gnd_dtype *types = k->signature + (size_t)k->signatures * GNDI_KERNEL_PARAMS;
    const gnd_dtype dtype = gndi_kernel_dtype(result.text, result.length);
    if (!dtype)
        return gndi_raise(GND_ERROR_INVALID, fn, "signature %d, \"%.*s\": \"%.*s\" is no dtype",
                          number, shown, from, (int)(result.length < 60 ? result.length : 60),
                          result.text),
               false;
    const int count = parse_types(fn, k, open + 1, to - 1, types);
    if (count < 0) return false;
    if (number > 1 && count != k->nin)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "signature %d has %d parameters, and the first has %d", number, count,
                          k->nin),
               false;
    k->nin = count, k->nout = 1;
    types[count] = dtype;
    k->signatures++;
    return true;
}

bool gndi_kernel_parse_signatures(const char *fn, gnd_kernel *k, const char *text) {
    size_t most = 1;
    if (!text) return gndi_raise(GND_ERROR_INVALID, fn, "signatures is NULL"), false;
    for (const char *p = text; *p; p++) most += *p == ';';
    k->signature = gndi_calloc(fn, most * GNDI_KERNEL_PARAMS * sizeof *k->signature);
    if (!k->signature) return false;
    for (const char *p = text;; p++) {
        const char *end = p + strcspn(p, ";");
        piece one = trimmed(p, end);
        /* A semicolon behind the last one is no further signature. */
        if (!(one.length == 0 && !*end && k->signatures > 0) &&
            !parse_signature(fn, k, one.text, one.text + one.length))
            return false;
        p = end;
        if (!*p) break;
    }
    strcpy(k->param[k->nin].name, "gnd_result");
    return true;
}

/* ---- core dimensions ------------------------------------------------------------------------- */

static int find_dim(const gnd_kernel *k, piece name) {
    for (int d = 0; d < k->dims; d++)
        if (equals(name.text, name.length, k->dim[d].name)) return d;
    return -1;
}

static bool add_dim(const char *fn, gnd_kernel *k, const char *signature, piece name, int *at) {
    char where[200];
    snprintf(where, sizeof where, "signature \"%.150s\"", signature);
    if ((*at = find_dim(k, name)) >= 0) return true;
    if (k->dims == GNDI_KERNEL_DIMS)
        return gndi_raise(GND_ERROR_INVALID, fn, "%s has more than %d names", where,
                          GNDI_KERNEL_DIMS),
               false;
    gndi_kernel_dim *dim = &k->dim[k->dims];
    if (name.length && isdigit((unsigned char)name.text[0])) {
        dim->fixed = 0;
        for (size_t j = 0; j < name.length; j++) {
            if (!isdigit((unsigned char)name.text[j]) || dim->fixed > INT32_MAX)
                return gndi_raise(GND_ERROR_INVALID, fn, "%s: \"%.*s\" is no size", where,
                                  (int)(name.length < 40 ? name.length : 40), name.text),
                       false;
            dim->fixed = dim->fixed * 10 + (name.text[j] - '0');
        }
        if (name.length >= GNDI_KERNEL_NAME)
            return gndi_kernel_name_ok(fn, where, name.text, name.length);
    } else {
        if (!gndi_kernel_name_ok(fn, where, name.text, name.length)) return false;
        dim->fixed = -1;
        for (int j = 0; j < k->nin + k->nout; j++)
            if (equals(name.text, name.length, k->param[j].name))
                return gndi_raise(GND_ERROR_INVALID, fn,
                                  "%s: \"%s\" is a dimension and a parameter, too", where,
                                  k->param[j].name),
                       false;
    }
    memcpy(dim->name, name.text, name.length), dim->name[name.length] = 0;
    *at = k->dims++;
    return true;
}

/* "(m,n)", at *p, for one parameter. */
static bool parse_core(const char *fn, gnd_kernel *k, const char *signature, const char **p,
                       gndi_kernel_param *param) {
    const char *at = *p;
    while (isspace((unsigned char)*at)) at++;
    const char *close = *at == '(' ? strchr(at, ')') : NULL;
    if (!close)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "signature \"%.150s\": \"(names)\" was expected at character %d",
                          signature, (int)(at - signature) + 1),
               false;
    *p = close + 1;
    if (trimmed(at + 1, close).length == 0) return true;
    for (const char *from = at + 1;; from++) {
        const char *end = from;
        while (end < close && *end != ',') end++;
        if (param->cores == GND_MAX_DIMS)
            return gndi_raise(GND_ERROR_INVALID, fn, "signature \"%.150s\": too many dimensions",
                              signature),
                   false;
        if (!add_dim(fn, k, signature, trimmed(from, end), &param->core[param->cores++]))
            return false;
        from = end;
        if (from == close) return true;
    }
}

bool gndi_kernel_parse_cores(const char *fn, gnd_kernel *k, const char *signature) {
    if (!signature) return gndi_raise(GND_ERROR_INVALID, fn, "signature is NULL"), false;
    const char *p = signature;
    if (k->nin == 0) { /* "->(n)" */
        while (isspace((unsigned char)*p)) p++;
        if (strncmp(p, "->", 2) != 0)
            return gndi_raise(
                       GND_ERROR_INVALID, fn,
                       "signature \"%.150s\": \"->\" was expected first: the kernel has no inputs",
                       signature),
                   false;
        p += 2;
    }
    for (int j = 0; j < k->nin + k->nout; j++) {
        if (!parse_core(fn, k, signature, &p, &k->param[j])) return false;
        while (isspace((unsigned char)*p)) p++;
        const char *expected = j == k->nin - 1 ? "->" : j == k->nin + k->nout - 1 ? "" : ",";
        size_t length = strlen(expected);
        if (length ? strncmp(p, expected, length) != 0 : *p != 0)
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "signature \"%.150s\": %s%s%s was expected at character %d: the "
                              "kernel has %d inputs and %d outputs",
                              signature, length ? "\"" : "", length ? expected : "its end",
                              length ? "\"" : "", (int)(p - signature) + 1, k->nin, k->nout),
                   false;
        p += length;
    }
    return true;
}

bool gndi_kernel_parse_parallel(const char *fn, gnd_kernel *k, const char *list) {
    if (!list || trimmed(list, list + strlen(list)).length == 0) return true;
    for (const char *p = list;; p++) {
        const char *end = p + strcspn(p, ",");
        piece name = trimmed(p, end);
        int d = find_dim(k, name), found = 0;
        for (int j = k->nin; d >= 0 && j < k->nin + k->nout; j++)
            for (int c = 0; c < k->param[j].cores; c++) found |= k->param[j].core[c] == d;
        for (int j = 0; j < k->parallels; j++)
            if (k->parallel[j] == d) found = 0;
        if (!found || k->dim[d].fixed >= 0)
            return gndi_raise(
                       GND_ERROR_INVALID, fn,
                       "parallel is \"%.100s\": \"%.*s\" must be a name among the outputs' core "
                       "dimensions, once",
                       list, (int)(name.length < 60 ? name.length : 60), name.text),
                   false;
        k->parallel[k->parallels++] = d;
        p = end;
        if (!*p) return true;
    }
}
