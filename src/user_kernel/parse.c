/*
 * parse.c: lists of parameters, signatures of functions of numbers, and those of generalised
 * ufuncs. Errors name the list and the position in it.
 */
#include "user_kernel/kernel.h"
#include <ctype.h>
#include <stdio.h>

/* ---- lists of parameters --------------------------------------------------------------------- */

static bool add_variable(const char *fn, gnd_kernel *k, const char *where, gndi_piece type, int *at) {
    for (*at = 0; *at < k->variables; ++*at)
        if (gndi_piece_is(type, k->variable[*at])) return true;
    if (!gndi_kernel_name_ok(fn, where, type.text, type.length)) return false;
    memcpy(k->variable[k->variables], type.text, type.length);
    k->variable[k->variables++][type.length] = 0;
    return true;
}

/* "raw T x": words, of which the last is the name and the first may be raw. */
static bool parse_param(const char *fn, gnd_kernel *k, const char *what, int number, gndi_piece all,
                        gndi_kernel_param *param) {
    char where[192], type[96];
    snprintf(where, sizeof where, "parameter %d of the %s, \"%.*s\"", number, what,
             (int)(all.length < 100 ? all.length : 100), all.text);
    const gndi_piece name = gndi_last_word(all);
    gndi_piece rest = gndi_trimmed(all.text, name.text);
    param->raw = rest.length > 3 && memcmp(rest.text, "raw", 3) == 0 && isspace((unsigned char)rest.text[3]);
    if (param->raw) rest = gndi_trimmed(rest.text + 3, rest.text + rest.length);
    if (all.length == 0)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "parameter %d of the %s is missing: there is nothing but blanks beside a comma", number,
                          what),
               false;
    if (name.length == 0 || rest.length == 0)
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
        if (!gndi_piece_is_name(rest))
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "%s: \"%.*s\" is no type; a dtype's name or one word, a variable, "
                              "was expected",
                              where, (int)(rest.length < 60 ? rest.length : 60), rest.text),
                   false;
        if (!add_variable(fn, k, where, rest, &param->variable)) return false;
    }
    if (!gndi_kernel_name_ok(fn, where, name.text, name.length)) return false;
    memcpy(param->name, name.text, name.length);
    param->name[name.length] = 0;
    return true;
}

static bool check_new_name(const char *fn, const gnd_kernel *k, int count, const char *name) {
    for (int j = 0; j < count; j++)
        if (strcmp(k->param[j].name, name) == 0)
            return gndi_raise(GND_ERROR_INVALID, fn, "there are two parameters called \"%s\"", name), false;
    for (int j = 0; j < k->variables; j++)
        if (strcmp(k->variable[j], name) == 0)
            return gndi_raise(GND_ERROR_INVALID, fn, "\"%s\" is a parameter, and a type that stands for a dtype", name),
                   false;
    return true;
}

bool gndi_kernel_parse_params(const char *fn, gnd_kernel *k, const char *what, const char *text, int *count, int first,
                              int most) {
    *count = 0;
    if (!text) return gndi_raise(GND_ERROR_INVALID, fn, "the list of %s is NULL", what), false;
    const char *end = text + strlen(text);
    if (gndi_trimmed(text, end).length == 0) return true;
    for (const char *p = text; p;) {
        const gndi_piece item = gndi_next_item(&p, end);
        if (*count == most) return gndi_raise(GND_ERROR_INVALID, fn, "there are more than %d %s", most, what), false;
        gndi_kernel_param *param = &k->param[first + *count];
        if (!parse_param(fn, k, what, *count + 1, item, param)) return false;
        if (!check_new_name(fn, k, first + *count, param->name)) return false;
        ++*count;
    }
    for (int j = 0; j < first + *count; j++)
        for (int v = 0; v < k->variables; v++)
            if (strcmp(k->variable[v], k->param[j].name) == 0) return check_new_name(fn, k, 0, k->param[j].name);
    return true;
}

/* ---- signatures of functions of numbers ------------------------------------------------------ */

/* The name of parameter `count` of the first signature: its own, or one of x, y, z and w. */
static bool name_param(const char *fn, gnd_kernel *k, int count, gndi_piece name) {
    gndi_kernel_param *param = &k->param[count];
    if (name.length) {
        if (!gndi_kernel_name_ok(fn, "signature 1", name.text, name.length)) return false;
        memcpy(param->name, name.text, name.length), param->name[name.length] = 0;
    } else if (count < 4) {
        param->name[0] = "xyzw"[count], param -> name[1] = 0;
    } else {
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "signature 1: parameter %d needs a name (the first four may go without)", count + 1),
               false;
    }
    return check_new_name(fn, k, count, param->name);
}

/* "float32 x": a dtype and, perhaps, a name. */
static gnd_dtype split_param(gndi_piece all, gndi_piece *name) {
    gnd_dtype dtype = gndi_kernel_dtype(all.text, all.length);
    *name = (gndi_piece){all.text, 0};
    if (dtype) return dtype;
    *name = gndi_last_word(all);
    const gndi_piece type = gndi_trimmed(all.text, name->text);
    return gndi_kernel_dtype(type.text, type.length);
}

/* The parameters between parentheses; how many, -1 and an error if they are wrong. */
static int parse_types(const char *fn, gnd_kernel *k, const char *from, const char *to, gnd_dtype *types) {
    const int number = k->signatures + 1;
    int count = 0;
    while (from) {
        gndi_piece name;
        const gndi_piece all = gndi_next_item(&from, to);
        if (count == GND_KERNEL_INPUTS) {
            gndi_raise(GND_ERROR_INVALID, fn, "signature %d has more than %d parameters", number, GND_KERNEL_INPUTS);
            return -1;
        }
        types[count] = split_param(all, &name);
        if (!types[count]) {
            gndi_raise(GND_ERROR_INVALID, fn, "signature %d: parameter %d, \"%.*s\", is no dtype", number, count + 1,
                       (int)(all.length < 60 ? all.length : 60), all.text);
            return -1;
        }
        if (number == 1 && !name_param(fn, k, count, name)) return -1;
        count++;
    }
    return count;
}

/* One signature, from `from` to `to`: names go to the parameters if it is the first. */
static bool parse_signature(const char *fn, gnd_kernel *k, const char *from, const char *to) {
    const int number = k->signatures + 1;
    const int shown = (int)(to - from < 200 ? to - from : 200);
    const char *open = memchr(from, '(', (size_t)(to - from));
    if (!open || to[-1] != ')')
        return gndi_raise(GND_ERROR_INVALID, fn, "signature %d, \"%.*s\", is not of the form result(type, type)",
                          number, shown, from),
               false;
    const gndi_piece result = gndi_trimmed(from, open);
    gnd_dtype *types = k->signature + (size_t)k->signatures * GNDI_KERNEL_PARAMS;
    const gnd_dtype dtype = gndi_kernel_dtype(result.text, result.length);
    if (!dtype)
        return gndi_raise(GND_ERROR_INVALID, fn, "signature %d, \"%.*s\": \"%.*s\" is no dtype", number, shown, from,
                          (int)(result.length < 60 ? result.length : 60), result.text),
               false;
    const int count = parse_types(fn, k, open + 1, to - 1, types);
    if (count < 0) return false;
    if (number > 1 && count != k->nin)
        return gndi_raise(GND_ERROR_INVALID, fn, "signature %d has %d parameters, and the first has %d", number, count,
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
        gndi_piece one = gndi_trimmed(p, end);
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

static int find_dim(const gnd_kernel *k, gndi_piece name) {
    for (int d = 0; d < k->dims; d++)
        if (gndi_piece_is(name, k->dim[d].name)) return d;
    return -1;
}

static bool add_dim(const char *fn, gnd_kernel *k, const char *signature, gndi_piece name, int *at) {
    char where[200];
    snprintf(where, sizeof where, "signature \"%.150s\"", signature);
    if ((*at = find_dim(k, name)) >= 0) return true;
    if (k->dims == GNDI_KERNEL_DIMS)
        return gndi_raise(GND_ERROR_INVALID, fn, "%s has more than %d names", where, GNDI_KERNEL_DIMS), false;
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
        if (name.length >= GNDI_KERNEL_NAME) return gndi_kernel_name_ok(fn, where, name.text, name.length);
    } else {
        if (!gndi_kernel_name_ok(fn, where, name.text, name.length)) return false;
        dim->fixed = -1;
        for (int j = 0; j < k->nin + k->nout; j++)
            if (gndi_piece_is(name, k->param[j].name))
                return gndi_raise(GND_ERROR_INVALID, fn, "%s: \"%s\" is a dimension and a parameter, too", where,
                                  k->param[j].name),
                       false;
    }
    memcpy(dim->name, name.text, name.length), dim->name[name.length] = 0;
    *at = k->dims++;
    return true;
}

/* "(m,n)", at *p, for one parameter. */
static bool parse_core(const char *fn, gnd_kernel *k, const char *signature, const char **p, gndi_kernel_param *param) {
    const char *at = *p;
    while (isspace((unsigned char)*at)) at++;
    const char *close = *at == '(' ? strchr(at, ')') : NULL;
    if (!close)
        return gndi_raise(GND_ERROR_INVALID, fn, "signature \"%.150s\": \"(names)\" was expected at character %d",
                          signature, (int)(at - signature) + 1),
               false;
    *p = close + 1;
    if (gndi_trimmed(at + 1, close).length == 0) return true;
    for (const char *from = at + 1; from;) {
        const gndi_piece name = gndi_next_item(&from, close);
        if (param->cores == GND_MAX_DIMS)
            return gndi_raise(GND_ERROR_INVALID, fn, "signature \"%.150s\": too many dimensions", signature), false;
        if (!add_dim(fn, k, signature, name, &param->core[param->cores++])) return false;
    }
    return true;
}

bool gndi_kernel_parse_cores(const char *fn, gnd_kernel *k, const char *signature) {
    if (!signature) return gndi_raise(GND_ERROR_INVALID, fn, "signature is NULL"), false;
    const char *p = signature;
    if (k->nin == 0) { /* "->(n)" */
        while (isspace((unsigned char)*p)) p++;
        if (strncmp(p, "->", 2) != 0)
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "signature \"%.150s\": \"->\" was expected first: the kernel has no inputs", signature),
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
                              signature, length ? "\"" : "", length ? expected : "its end", length ? "\"" : "",
                              (int)(p - signature) + 1, k->nin, k->nout),
                   false;
        p += length;
    }
    return true;
}

bool gndi_kernel_parse_parallel(const char *fn, gnd_kernel *k, const char *list) {
    const char *end = list ? list + strlen(list) : NULL;
    if (!list || gndi_trimmed(list, end).length == 0) return true;
    for (const char *p = list; p;) {
        const gndi_piece name = gndi_next_item(&p, end);
        int d = find_dim(k, name), found = 0;
        for (int j = k->nin; d >= 0 && j < k->nin + k->nout; j++)
            for (int c = 0; c < k->param[j].cores; c++) found |= k->param[j].core[c] == d;
        for (int j = 0; j < k->parallels; j++)
            if (k->parallel[j] == d) found = 0;
        if (!found || k->dim[d].fixed >= 0)
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "parallel is \"%.100s\": \"%.*s\" must be a name among the outputs' core "
                              "dimensions, once",
                              list, (int)(name.length < 60 ? name.length : 60), name.text),
                   false;
        k->parallel[k->parallels++] = d;
    }
    return true;
}
