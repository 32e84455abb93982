/*
 * module_signature.c: the parameters of a __global__ function, with the arguments of a template put
 * in: what each takes, so that a launch can check what it is given.
 */
#include "kernel/module.h"
#include <ctype.h>
#include <stdio.h>

/* ---- a template's arguments ------------------------------------------------------------------ */

enum { TEMPLATE_MOST = 16, WORDS = 192 };

typedef struct pieces {
    const char *text[TEMPLATE_MOST];
    size_t length[TEMPLATE_MOST];
    int count;
} pieces;

static bool add_piece(void *context, const char *text, size_t length) {
    pieces *p = context;
    while (length && isspace((unsigned char)*text)) text++, length--;
    while (length && isspace((unsigned char)text[length - 1])) length--;
    if (p->count == TEMPLATE_MOST) return false;
    p->text[p->count] = text, p->length[p->count++] = length;
    return true;
}

/* Names of a template's parameters, and what they stand for. */
typedef struct bindings {
    int count;
    const char *name[TEMPLATE_MOST], *value[TEMPLATE_MOST];
    size_t name_length[TEMPLATE_MOST], value_length[TEMPLATE_MOST];
} bindings;

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static gnd_status bind_template(const char *fn, const gnd_module *m, const gndi_prototype *p,
                                const char *name, bindings *b) {
    const char *open = strchr(name, '<');
    pieces given = {0}, wanted = {0};
    b->count = 0;
    if (!p->template) {
        if (!open) return GND_OK;
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "%s: %s is no template, and \"%.100s\" gives it arguments", m->name,
                          p->name, name);
    }
    const size_t length = strlen(name);
    if (!open || name[length - 1] != '>')
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "%s: %s is a template: \"%.100s\" must say of what, as in \"%s<float>\"",
                          m->name, p->name, name, p->name);
    if (!gndi_module_split(open + 1, length - (size_t)(open - name) - 2, add_piece, &given) ||
        !gndi_module_split(p->template, strlen(p->template), add_piece, &wanted))
        return gndi_raise(GND_ERROR_INVALID, fn, "%s: a template of more than %d parameters",
                          m->name, TEMPLATE_MOST);
    if (given.count == 1 && given.length[0] == 0) given.count = 0;
    for (int k = 0; k < wanted.count; k++) {
        const char *text = wanted.text[k], *end = text + wanted.length[k];
        const char *equal = memchr(text, '=', wanted.length[k]), *last = equal ? equal : end;
        while (last > text && isspace((unsigned char)last[-1])) last--;
        const char *first = last;
        while (first > text && is_word(first[-1])) first--;
        b->name[k] = first, b->name_length[k] = (size_t)(last - first);
        if (k < given.count)
            b->value[k] = given.text[k], b->value_length[k] = given.length[k];
        else if (equal)
            b->value[k] = equal + 1, b->value_length[k] = (size_t)(end - equal - 1);
        if (k >= given.count && !equal)
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "%s: \"%.100s\" gives %d arguments to the template %s<%.100s>",
                              m->name, name, given.count, p->name, p->template);
    }
    if (given.count > wanted.count)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "%s: \"%.100s\" gives %d arguments to the template %s<%.100s>", m->name,
                          name, given.count, p->name, p->template);
    b->count = wanted.count;
    return GND_OK;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* The last character, 0 of nothing. */
static char last_of(const char *text) {
    return text[0] ? text[strlen(text) - 1] : 0;
}

/* A dtype by a type's name, without const: NONE if there is none. `other`: a second one that is as
   good. */
static gnd_dtype dtype_of_type(const char *type, gnd_dtype *other, bool *vector) {
    static const struct {
        const char *name;
        gnd_dtype dtype, other;
    } types[] = {
        {"char", GND_INT8, GND_UINT8},
        {"half", GND_FLOAT16, 0},
        {"__half", GND_FLOAT16, 0},
        {"__nv_bfloat16", GND_BFLOAT16, 0},
        {"complex<float>", GND_COMPLEX64, 0},
        {"complex<double>", GND_COMPLEX128, 0},
        {"cuFloatComplex", GND_COMPLEX64, 0},
        {"cuComplex", GND_COMPLEX64, 0},
        {"cuDoubleComplex", GND_COMPLEX128, 0},
        {"float2", GND_FLOAT32, GND_COMPLEX64},
        {"double2", GND_FLOAT64, GND_COMPLEX128},
        {"float4", GND_FLOAT32, GND_COMPLEX64},
        {"double4", GND_FLOAT64, GND_COMPLEX128},
        {"float3", GND_FLOAT32, 0},
        {"double3", GND_FLOAT64, 0},
        {"std::byte", GND_UINT8, 0},
    };
    static const char *const spaces[] = {
        "::", "gnd::", "user::", "std::", "cuda::std::", "thrust::"};
    *other = GND_DTYPE_NONE, *vector = false;
    for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++)
        if (strncmp(type, spaces[s], strlen(spaces[s])) == 0) type += strlen(spaces[s]);
    gnd_dtype dtype = gndi_kernel_dtype(type, strlen(type));
    for (size_t t = 0; t < sizeof types / sizeof *types && !dtype; t++)
        if (strcmp(type, types[t].name) == 0) {
            dtype = types[t].dtype, *other = types[t].other;
            *vector = isdigit((unsigned char)last_of(type)) != 0;
        }
    /* int4 and its like: arrays of their parts */
    const size_t length = strlen(type);
    if (!dtype && length > 1 && strchr("1234", type[length - 1])) {
        static const struct {
            const char *name;
            gnd_dtype dtype;
        } parts[] = {{"char", GND_INT8},        {"uchar", GND_UINT8},   {"short", GND_INT16},
                     {"ushort", GND_UINT16},    {"int", GND_INT32},     {"uint", GND_UINT32},
                     {"long", GND_INT64},       {"ulong", GND_UINT64},  {"longlong", GND_INT64},
                     {"ulonglong", GND_UINT64}, {"float", GND_FLOAT32}, {"double", GND_FLOAT64}};
        for (size_t t = 0; t < sizeof parts / sizeof *parts; t++)
            if (strlen(parts[t].name) == length - 1 && memcmp(type, parts[t].name, length - 1) == 0)
                dtype = parts[t].dtype, *vector = true;
    }
    return dtype;
}

static bool is_builtin(const char *word) {
    static const char words[] = " bool char short int long float double signed unsigned void ";
    char wanted[80];
    snprintf(wanted, sizeof wanted, " %.70s ", word);
    return strstr(words, wanted) != NULL;
}

/* What a declaration says: its type without qualifiers and name, blanks only between words. */
typedef struct declared {
    char type[WORDS];
    char last[WORDS]; /* the last word of it: the name, unless it is part of the type */
    int words, pointers;
    bool is_const, reference;
} declared;

static void add_type_word(declared *d, const char *word) {
    const size_t used = strlen(d->type);
    const bool blank = is_word(last_of(d->type)) && is_word(word[0]);
    snprintf(d->type + used, sizeof d->type - used, "%s%s", blank ? " " : "", word);
}

/* The word at *p, a template's parameter being replaced by what it stands for. */
static void read_word(const char **p, const char *end, const bindings *b, char *word) {
    const char *from = *p;
    while (*p < end && is_word(**p)) ++*p;
    size_t length = (size_t)(*p - from);
    for (int k = 0; k < b->count; k++)
        if (b->name_length[k] == length && memcmp(b->name[k], from, length) == 0 && length) {
            from = b->value[k], length = b->value_length[k];
            break;
        }
    while (length && isspace((unsigned char)*from)) from++, length--;
    if (length > WORDS - 1) length = WORDS - 1;
    memcpy(word, from, length);
    word[length] = 0;
}

static void read_declaration(const char *text, size_t length, const bindings *b, declared *d) {
    static const char ignored[] =
        " volatile __restrict__ __restrict restrict __grid_constant__ struct ";
    const char *p = text, *end = text + length;
    int depth = 0;
    memset(d, 0, sizeof *d);
    while (p < end) {
        char word[WORDS], wanted[WORDS + 2];
        if (isspace((unsigned char)*p)) {
            p++;
        } else if (is_word(*p)) {
            read_word(&p, end, b, word);
            snprintf(wanted, sizeof wanted, " %s ", word);
            if (strstr(ignored, wanted)) continue;
            if (strcmp(word, "const") == 0 && depth == 0) {
                if (!d->pointers) d->is_const = true;
                continue;
            }
            if (depth == 0 && d->words && !is_builtin(word) && last_of(d->type) != ':') {
                snprintf(d->last, sizeof d->last, "%s", word); /* a name */
                continue;
            }
            add_type_word(d, word);
            d->words++;
        } else if (*p == '*' && depth == 0) {
            d->pointers++, p++;
        } else if (*p == '[' && depth == 0) {
            d->pointers++, p = end;
        } else if (*p == '=' && depth == 0) {
            p = end;
        } else {
            depth += *p == '<', depth -= *p == '>';
            d->reference |= *p == '&';
            word[0] = *p++, word[1] = 0;
            add_type_word(d, word);
        }
    }
}

static gnd_status refuse(const char *fn, const gnd_module *m, const gndi_module_function *f,
                         const char *text, const char *why) {
    return gndi_raise(GND_ERROR_INVALID, fn, "%s: parameter %d of %s, \"%s\", %s", m->name,
                      f->params + 1, f->name, text, why);
}

/* gnd::array<T>; false if it is none. */
static bool read_array(const char *type, gndi_module_param *p) {
    const char *open = strchr(type, '<');
    if (!open || (strncmp(type, "gnd::array<", 11) != 0 && strncmp(type, "array<", 6) != 0))
        return false;
    char inner[WORDS];
    bool vector;
    snprintf(inner, sizeof inner, "%s", open + 1);
    if (inner[0]) inner[strlen(inner) - 1] = 0;
    p->kind = GNDI_PARAM_ARRAY;
    p->written = strncmp(inner, "const ", 6) != 0;
    p->dtype = dtype_of_type(inner + (p->written ? 0 : 6), &p->other, &vector);
    return true;
}

typedef struct signature_reader {
    const char *fn;
    const gnd_module *m;
    gndi_module_function *f;
    const bindings *b;
    gnd_status status;
} signature_reader;

static bool add_param(void *context, const char *text, size_t length) {
    signature_reader *r = context;
    gndi_module_function *f = r->f;
    declared d;
    bool vector;
    while (length && isspace((unsigned char)*text)) text++, length--;
    while (length && isspace((unsigned char)text[length - 1])) length--;
    if ((length == 0 || (length == 4 && memcmp(text, "void", 4) == 0)) && f->params == 0)
        return true;
    if (f->params == GNDI_MODULE_PARAMS) {
        r->status = gndi_raise(GND_ERROR_INVALID, r->fn, "%s: %s has more than %d parameters",
                               r->m->name, f->name, GNDI_MODULE_PARAMS);
        return false;
    }
    gndi_module_param *p = &f->param[f->params];
    snprintf(p->text, sizeof p->text, "%.*s", (int)(length < 90 ? length : 90), text);
    read_declaration(text, length, r->b, &d);
    if (d.reference || d.pointers > 1) {
        r->status =
            refuse(r->fn, r->m, f, p->text,
                   "is a reference or a pointer to pointers, which nothing can be given for");
    } else if (d.pointers == 1) {
        p->kind = GNDI_PARAM_POINTER, p->written = !d.is_const;
        p->dtype = dtype_of_type(d.type, &p->other, &vector);
    } else if (!read_array(d.type, p)) {
        p->kind = GNDI_PARAM_NUMBER;
        p->dtype = dtype_of_type(d.type, &p->other, &vector);
        if (!p->dtype || vector)
            r->status =
                refuse(r->fn, r->m, f, p->text,
                       "is of a type by value that gnd does not know: numbers, pointers and "
                       "gnd::array<T> can be given");
    } else if (!p->dtype) {
        r->status = refuse(r->fn, r->m, f, p->text, "is an array of a type that is no dtype");
    }
    f->params++;
    return r->status == GND_OK;
}

gnd_status gndi_module_signature(const char *fn, const gnd_module *m, gndi_module_function *f) {
    const char *open = strchr(f->name, '<');
    size_t length = open ? (size_t)(open - f->name) : strlen(f->name);
    while (length && isspace((unsigned char)f->name[length - 1])) length--;
    const gndi_prototype *p = NULL;
    for (int k = 0; k < m->prototypes; k++)
        if (strlen(m->prototype[k].name) == length &&
            memcmp(m->prototype[k].name, f->name, length) == 0)
            p = &m->prototype[k];
    if (!p) {
        char *there = gndi_text_buffer();
        size_t used = 0;
        there[0] = 0;
        for (int k = 0; k < m->prototypes && used < GNDI_TEXT_BYTES - 80; k++)
            used += (size_t)snprintf(there + used, GNDI_TEXT_BYTES - used, "%s%.70s", k ? ", " : "",
                                     m->prototype[k].name);
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "%s has no __global__ function \"%.100s\"; there are: %s", m->name,
                          f->name, there);
    }
    bindings b;
    gnd_status status = bind_template(fn, m, p, f->name, &b);
    if (status) return status;
    signature_reader r = {fn, m, f, &b, GND_OK};
    f->params = 0;
    if (!gndi_module_split(p->params, strlen(p->params), add_param, &r) && !r.status)
        return gndi_kernel_pending();
    return r.status;
}
