/*
 * module_parse.c: what gnd reads off CUDA C++ text: where its __global__ functions are, their
 * parameters, and its variables in device memory. It knows tokens, brackets and namespaces, no
 * more; macros are not expanded.
 */
#include "user_kernel/module.h"
#include <ctype.h>
#include <stdio.h>

/* ---- tokens ---------------------------------------------------------------------------------- */

typedef gndi_piece token;

static bool is(token t, const char *word) {
    return gndi_piece_is(t, word);
}

/* The next one that is not of a preprocessor's line. */
static token next_token(const char **at, const char *end) {
    for (;;) {
        const token t = gndi_next_token(at, end);
        if (!is(t, "#")) return t;
        const char *p = *at;
        while (p < end && *p != '\n') p += p[0] == '\\' && p + 1 < end ? 2 : 1;
        *at = p;
    }
}

/* Behind the bracket that closes the one at *at, or `end`. */
static const char *skip_brackets(const char *at, const char *end) {
    const char open = *at, close = open == '(' ? ')' : open == '<' ? '>' : open == '[' ? ']' : '}';
    int depth = 0;
    while (at < end) {
        token t = next_token(&at, end);
        if (t.length == 0) break;
        if (t.length == 1 && *t.text == open) depth++;
        if (t.length == 1 && *t.text == close && --depth == 0) return at;
    }
    return end;
}

/* What an opening bracket and its closing one have between them, if it is what comes next; text
   NULL if it is not, and nothing is skipped. */
static token skip_group(const char **at, const char *end, const char *open) {
    const char *p = *at;
    const token t = next_token(&p, end);
    if (!is(t, open)) return (token){0};
    *at = skip_brackets(t.text, end);
    return (token){t.text + 1, (size_t)(*at - 1 - (t.text + 1))};
}

/* ---- the module's text ----------------------------------------------------------------------- */

typedef struct reader {
    const char *fn;
    gnd_module *m;
    const char *at, *end;
    gndi_text host; /* the text for the CPU, up to `copied` */
    const char *copied;
    char scope[256];   /* "my::inner::" */
    bool is_space[64]; /* of open braces: a namespace's */
    size_t length[64]; /* of the scope before that */
    int depth;
    bool failed;
} reader;

static bool grow(const char *fn, void **list, int count, size_t bytes) {
    void *more = gndi_realloc(fn, *list, (size_t)(count + 1) * bytes);
    if (!more) return false;
    *list = more;
    memset((char *)more + (size_t)count * bytes, 0, bytes);
    return true;
}

static char *scoped(const reader *r, token name) {
    char *text = gndi_malloc(r->fn, strlen(r->scope) + name.length + 1);
    if (text) sprintf(text, "%s%.*s", r->scope, (int)name.length, name.text);
    return text;
}

/* Behind __global__: up to its parameters. */
static void read_function(reader *r, token template_list) {
    token name = {0};
    for (;;) {
        token t = next_token(&r->at, r->end);
        if (t.length == 0 || is(t, ";") || is(t, "{")) return;
        if (is(t, "__launch_bounds__") || is(t, "__cluster_dims__")) {
            skip_group(&r->at, r->end, "(");
        } else if (is(t, "(")) {
            break;
        } else if (gndi_piece_is_name(t)) {
            name = t;
        }
    }
    const char *open = r->at, *close = skip_brackets(r->at - 1, r->end);
    r->at = close;
    if (!name.text || close == open) return;
    char *full = scoped(r, name);
    for (int k = 0; full && k < r->m->prototypes; k++)
        if (strcmp(r->m->prototype[k].name, full) == 0) { /* declared before */
            gndi_free(full);
            return;
        }
    if (!full || !grow(r->fn, (void **)&r->m->prototype, r->m->prototypes, sizeof(gndi_prototype))) {
        gndi_free(full);
        r->failed = true;
        return;
    }
    gndi_prototype *p = &r->m->prototype[r->m->prototypes++];
    p->name = full;
    p->params = gndi_piece_copy(r->fn, (token){open, (size_t)(close - 1 - open)});
    if (template_list.text) p->template = gndi_piece_copy(r->fn, template_list);
    r->failed |= !p->params || (template_list.text && !p->template);
}

static void add_variable(reader *r, token name, bool constant) {
    char *full = scoped(r, name);
    for (int k = 0; full && k < r->m->variables; k++)
        if (strcmp(r->m->variable[k].name, full) == 0) {
            gndi_free(full);
            return;
        }
    if (!full || !grow(r->fn, (void **)&r->m->variable, r->m->variables, sizeof(gndi_module_variable))) {
        gndi_free(full);
        r->failed = true;
        return;
    }
    gndi_module_variable *v = &r->m->variable[r->m->variables++];
    v->name = full, v->constant = constant;
}

/* Behind a variable's value: before the comma or the semicolon that ends it. */
static const char *skip_value(const char *p, const char *end) {
    for (int depth = 0;;) {
        const char *before = p;
        const token t = next_token(&p, end);
        const char c = t.length == 1 ? *t.text : 0;
        if (t.length == 0 || (depth <= 0 && (c == ';' || (c == ',' && depth == 0)))) return before;
        if (c == '(' || c == '<' || c == '[' || c == '{') depth++;
        if (c == ')' || c == '>' || c == ']' || c == '}') depth--;
    }
}

/* Behind __constant__ or __device__: variables, if no parenthesis says that it is a function. */
static void read_variables(reader *r, bool constant) {
    const char *p = r->at;
    token name = {0};
    for (;;) {
        token t = next_token(&p, r->end);
        if (t.length == 0 || is(t, "(")) return; /* a function */
        if (is(t, "__constant__")) constant = true;
        if (is(t, "__shared__") || is(t, "__global__")) return;
        if (is(t, "__align__") || is(t, "alignas")) {
            skip_group(&p, r->end, "(");
        } else if (is(t, "<") || is(t, "[") || is(t, "{")) {
            p = skip_brackets(t.text, r->end);
        } else if (is(t, "=")) {
            p = skip_value(p, r->end);
        } else if (is(t, ",") || is(t, ";")) {
            if (name.text) add_variable(r, name, constant);
            if (is(t, ";")) return;
        } else if (gndi_piece_is_name(t)) {
            name = t;
        }
    }
}

/* "extern __shared__ T name[];" becomes a pointer for the CPU, or, outside of functions, what
   converts to one. */
static void read_dynamic_shared(reader *r, token first) {
    const char *p = r->at;
    bool shared = false;
    token name = {0};
    gndi_text type = {0};
    for (;;) {
        token t = next_token(&p, r->end);
        if (t.length == 0 || is(t, ";") || is(t, "(") || is(t, "{")) break;
        if (is(t, "[")) {
            if (!shared || !name.text) break;
            while (t.length && !is(t, ";")) t = next_token(&p, r->end);
            bool in_function = false;
            for (int d = 0; d < r->depth; d++) in_function |= !r->is_space[d];
            gndi_text_add_bytes(&r->host, r->copied, (size_t)(first.text - r->copied));
            type.length -= name.length + 1; /* the name came last */
            const char *typed = type.data ? type.data : "";
            gndi_text_add(&r->host,
                          in_function ? "%.*s *const %.*s = (%.*s *)gnd_here.shared;"
                                      : "static const gnd_dynamic<%.*s> %.*s{};",
                          (int)type.length, typed, (int)name.length, name.text, (int)type.length, typed);
            for (const char *q = first.text; q < p; q++)
                if (*q == '\n') gndi_text_add(&r->host, "\n");
            r->copied = r->at = p;
            break;
        }
        if (is(t, "__shared__")) {
            shared = true;
        } else if (is(t, "__align__") || is(t, "alignas")) {
            skip_group(&p, r->end, "(");
        } else {
            gndi_text_add(&type, "%.*s ", (int)t.length, t.text);
            if (gndi_piece_is_name(t)) name = t;
        }
    }
    r->failed |= type.failed;
    gndi_text_free(&type);
}

static void open_brace(reader *r, token space) {
    if (r->depth < 64) {
        r->is_space[r->depth] = space.text != NULL;
        r->length[r->depth] = strlen(r->scope);
        const size_t used = strlen(r->scope);
        if (space.text && space.length && used + space.length + 3 < sizeof r->scope)
            sprintf(r->scope + used, "%.*s::", (int)space.length, space.text);
    }
    r->depth++;
}

static void close_brace(reader *r) {
    if (r->depth == 0) return;
    r->depth--;
    if (r->depth < 64) r->scope[r->length[r->depth]] = 0;
}

/* extern "C" { ... } is no scope, but functions may stand in it. */
static bool is_linkage(const char *text, const char *brace) {
    while (brace > text && isspace((unsigned char)brace[-1])) brace--;
    return brace - text >= 3 && memcmp(brace - 3, "\"C\"", 3) == 0;
}

static void read_all(reader *r) {
    token template_list = {0}, space = {0};
    bool names_space = false;
    const char *text = r->at;
    while (!r->failed) {
        token t = next_token(&r->at, r->end);
        if (t.length == 0) break;
        bool outside = true;
        for (int d = 0; d < r->depth && d < 64; d++) outside &= r->is_space[d];
        if (is(t, "{")) {
            if (!names_space && is_linkage(text, t.text)) names_space = true, space.text = "", space.length = 0;
            if (names_space && !space.text) space.text = "", space.length = 0; /* without a name */
            open_brace(r, names_space ? space : (token){0});
        } else if (is(t, "}")) {
            close_brace(r);
        } else if (is(t, "extern")) {
            read_dynamic_shared(r, t);
        } else if (outside && is(t, "template")) {
            template_list = skip_group(&r->at, r->end, "<");
            continue;
        } else if (outside && is(t, "__global__")) {
            read_function(r, template_list);
        } else if (outside && !template_list.text &&
                   (is(t, "__constant__") || is(t, "__device__") || is(t, "__managed__"))) {
            read_variables(r, is(t, "__constant__"));
        } else if (is(t, "namespace")) {
            names_space = true, space = (token){0};
            continue;
        } else if (names_space && gndi_piece_is_name(t)) {
            const char *from = space.text ? space.text : t.text; /* a::b */
            space = (token){from, (size_t)(t.text + t.length - from)};
            continue;
        } else if (!is(t, ";") && !is(t, "=")) {
            continue;
        }
        names_space = false, template_list = (token){0};
    }
}

static bool says_barrier(const char *source) {
    static const char *const words[] = {"__sync",     "__shfl",       "__ballot_sync", "__any_sync",
                                        "__all_sync", "__activemask", "__reduce_"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strstr(source, words[k])) return true;
    return false;
}

bool gndi_module_parse(const char *fn, gnd_module *m) {
    reader r = {.fn = fn, .m = m, .at = m->source, .copied = m->source};
    r.end = m->source + strlen(m->source);
    read_all(&r);
    gndi_text_add_bytes(&r.host, r.copied, (size_t)(r.end - r.copied));
    if (r.failed || !gndi_text_complete(&r.host, fn)) {
        gndi_text_free(&r.host);
        return false;
    }
    m->host_source = r.host.data;
    m->barriers = says_barrier(m->source);
    if (m->prototypes) return true;
    gndi_raise(GND_ERROR_VALUE, fn, "%s has no __global__ function", m->name);
    return false;
}
