/*
 * module_signature.c: the parameters of a __global__ function, with the arguments of a template put
 * in: what each takes, so that a launch can check what it is given.
 */
#include "user_kernel/module.h"
#include <ctype.h>
#include <stdio.h>

/* ---- a template's arguments ------------------------------------------------------------------ */

enum { TEMPLATE_MOST = 16, WORDS = 192 };

/* Names of a template's parameters, and what they stand for. */
typedef struct bindings {
    int count;
    gndi_piece name[TEMPLATE_MOST], value[TEMPLATE_MOST];
} bindings;

/* The items of a list, at most TEMPLATE_MOST + 1 of them; none of an empty one. */
static int list_items(const char *list, const char *end, gndi_piece *items) {
    int count = 0;
    while (list && count <= TEMPLATE_MOST) items[count++] = gndi_next_item(&list, end);
    return count == 1 && items[0].length == 0 ? 0 : count;
}

static gnd_status bind_template(const char *fn, const gnd_module *m, const gndi_prototype *p, const char *name,
                                bindings *b) {
    const char *open = strchr(name, '<'), *end = name + strlen(name);
    gndi_piece given[TEMPLATE_MOST + 1], wanted[TEMPLATE_MOST + 1];
    b->count = 0;
    if (!p->template) {
        if (!open) return GND_OK;
        return gndi_raise(GND_ERROR_INVALID, fn, "%s: %s is no template, and \"%.100s\" gives it arguments", m->name,
                          p->name, name);
    }
    if (!open || end[-1] != '>')
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "%s: %s is a template: \"%.100s\" must say of what, as in \"%s<float>\"", m->name, p->name,
                          name, p->name);
    const int arguments = list_items(open + 1, end - 1, given);
    b->count = list_items(p->template, p->template + strlen(p->template), wanted);
    if (b->count > TEMPLATE_MOST)
        return gndi_raise(GND_ERROR_INVALID, fn, "%s: a template of more than %d parameters", m->name, TEMPLATE_MOST);
    bool all = arguments <= b->count;
    for (int k = 0; k < b->count; k++) {
        const char *text = wanted[k].text, *last = text + wanted[k].length;
        const char *equal = memchr(text, '=', wanted[k].length);
        b->value[k] = k < arguments ? given[k] : equal ? gndi_trimmed(equal + 1, last) : (gndi_piece){0};
        for (int j = 0; j < k && k >= arguments; j++) /* class U = T */
            if (b->value[k].length == b->name[j].length && equal &&
                memcmp(b->value[k].text, b->name[j].text, b->name[j].length) == 0)
                b->value[k] = b->value[j];
        all &= k < arguments || equal;
        b->name[k] = gndi_last_word(gndi_trimmed(text, equal ? equal : last));
    }
    if (all) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn, "%s: \"%.100s\" gives %d arguments to the template %s<%.100s>", m->name,
                      name, arguments, p->name, p->template);
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
    static const char *const spaces[] = {"::", "gnd::", "user::", "std::", "cuda::std::", "thrust::"};
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
    int words, pointers;
    bool is_const;
    bool no_value; /* a reference, or a pointer to a function */
} declared;

static void add_type_word(declared *d, const char *word) {
    const size_t used = strlen(d->type);
    const bool blank = gndi_is_word(last_of(d->type)) && gndi_is_word(word[0]);
    snprintf(d->type + used, sizeof d->type - used, "%s%s", blank ? " " : "", word);
}

/* Copies a token, a template's parameter being replaced by what it stands for. */
static void copy_word(gndi_piece t, const bindings *b, char *word) {
    for (int k = 0; k < b->count; k++)
        if (b->name[k].length == t.length && memcmp(b->name[k].text, t.text, t.length) == 0) {
            t = b->value[k];
            break;
        }
    snprintf(word, WORDS, "%.*s", (int)(t.length < WORDS ? t.length : WORDS - 1), t.text);
}

static void read_declaration(gndi_piece text, const bindings *b, declared *d) {
    static const char ignored[] = " volatile __restrict__ __restrict restrict __grid_constant__ struct ";
    const char *p = text.text, *end = p + text.length;
    int depth = 0;
    memset(d, 0, sizeof *d);
    for (gndi_piece t; (t = gndi_next_token(&p, end)).length;) {
        char word[WORDS], wanted[WORDS + 2];
        copy_word(t, b, word);
        if (gndi_is_word(*t.text)) {
            snprintf(wanted, sizeof wanted, " %s ", word);
            if (strstr(ignored, wanted)) continue;
            if (strcmp(word, "const") == 0 && depth == 0) {
                if (!d->pointers) d->is_const = true;
                continue;
            }
            /* a name */
            if (depth == 0 && d->words && !is_builtin(word) && last_of(d->type) != ':') continue;
            add_type_word(d, word);
            d->words++;
        } else if (*t.text == '*' && depth == 0) {
            d->pointers++;
        } else if (*t.text == '[' && depth == 0) {
            d->pointers++;
            break;
        } else if (*t.text == '=' && depth == 0) {
            break;
        } else {
            depth += *t.text == '<', depth -= *t.text == '>';
            d->no_value |= *t.text == '&' || (*t.text == '(' && depth == 0);
            add_type_word(d, word);
        }
    }
}

static gnd_status refuse(const char *fn, const gnd_module *m, const gndi_module_function *f, const char *text,
                         const char *why) {
    return gndi_raise(GND_ERROR_INVALID, fn, "%s: parameter %d of %s, \"%s\", %s", m->name, f->params + 1, f->name,
                      text, why);
}

/* gnd::array<T>; false if it is none. */
static bool read_array(const char *type, gndi_module_param *p) {
    const char *open = strchr(type, '<');
    if (!open || (strncmp(type, "gnd::array<", 11) != 0 && strncmp(type, "array<", 6) != 0)) return false;
    char inner[WORDS];
    bool vector;
    snprintf(inner, sizeof inner, "%s", open + 1);
    if (inner[0]) inner[strlen(inner) - 1] = 0;
    p->kind = GNDI_PARAM_ARRAY;
    p->written = strncmp(inner, "const ", 6) != 0;
    p->dtype = dtype_of_type(inner + (p->written ? 0 : 6), &p->other, &vector);
    return true;
}

static gnd_status add_param(const char *fn, const gnd_module *m, gndi_module_function *f, const bindings *b,
                            gndi_piece text) {
    declared d;
    bool vector;
    if (f->params == GNDI_MODULE_PARAMS)
        return gndi_raise(GND_ERROR_INVALID, fn, "%s: %s has more than %d parameters", m->name, f->name,
                          GNDI_MODULE_PARAMS);
    gndi_module_param *p = &f->param[f->params];
    snprintf(p->text, sizeof p->text, "%.*s", (int)(text.length < 90 ? text.length : 90), text.text);
    read_declaration(text, b, &d);
    if (d.no_value || d.pointers > 1)
        return refuse(fn, m, f, p->text,
                      "is a reference, or a pointer to pointers or functions, which nothing can be "
                      "given for");
    if (d.pointers == 1) {
        p->kind = GNDI_PARAM_POINTER, p->written = !d.is_const;
        p->dtype = dtype_of_type(d.type, &p->other, &vector);
    } else if (!read_array(d.type, p)) {
        p->kind = GNDI_PARAM_NUMBER;
        p->dtype = dtype_of_type(d.type, &p->other, &vector);
        if (!p->dtype || vector)
            return refuse(fn, m, f, p->text,
                          "is of a type by value that gnd does not know: numbers, pointers and "
                          "gnd::array<T> can be given");
    } else if (!p->dtype) {
        return refuse(fn, m, f, p->text, "is an array of a type that is no dtype");
    }
    f->params++;
    return GND_OK;
}

gnd_status gndi_module_signature(const char *fn, const gnd_module *m, gndi_module_function *f) {
    const char *open = strchr(f->name, '<');
    const gndi_piece name = gndi_trimmed(f->name, open ? open : f->name + strlen(f->name));
    const gndi_prototype *p = NULL;
    for (int k = 0; k < m->prototypes; k++)
        if (gndi_piece_is(name, m->prototype[k].name)) p = &m->prototype[k];
    if (!p) {
        char *there = gndi_text_buffer();
        size_t used = 0;
        there[0] = 0;
        for (int k = 0; k < m->prototypes && used < GNDI_TEXT_BYTES - 80; k++)
            used +=
                (size_t)snprintf(there + used, GNDI_TEXT_BYTES - used, "%s%.70s", k ? ", " : "", m->prototype[k].name);
        return gndi_raise(GND_ERROR_INVALID, fn, "%s has no __global__ function \"%.100s\"; there are: %s", m->name,
                          f->name, there);
    }
    bindings b;
    gnd_status status = bind_template(fn, m, p, f->name, &b);
    if (status) return status;
    const char *at = p->params, *end = at + strlen(at);
    f->params = 0;
    while (at && !status) {
        const gndi_piece text = gndi_next_item(&at, end);
        const bool nothing = text.length == 0 || gndi_piece_is(text, "void");
        if (!nothing || f->params || at) status = add_param(fn, m, f, &b, text);
    }
    return status;
}
