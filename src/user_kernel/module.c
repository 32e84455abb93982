/*
 * module.c: modules of CUDA C++ as objects: made, compiled for each device that they run on, looked
 * up in, and their variables. All __global__ functions that are no templates, and the instances
 * that the caller names, make one image a device; an instance that is asked for later gets an image
 * of its own.
 */
#include "user_kernel/module.h"
#include <ctype.h>
#include <stdio.h>

/* ---- text ------------------------------------------------------------------------------------ */

/* The functions of an image: an instance's name, or all that belong to the module from the start.
   */
typedef struct name_list {
    const char **names;
    int count;
} name_list;

static bool list_names(const char *fn, const gnd_module *m, const char *instance, name_list *list) {
    list->names = gndi_malloc(fn, (size_t)(m->prototypes + m->instances + 1) * sizeof *list->names);
    list->count = 0;
    if (!list->names) return false;
    if (instance) {
        list->names[list->count++] = instance;
        return true;
    }
    for (int k = 0; k < m->prototypes; k++)
        if (m->prototype[k].whole) list->names[list->count++] = m->prototype[k].name;
    for (int k = 0; k < m->instances; k++) list->names[list->count++] = m->instance[k];
    return true;
}

/* The functions' own text, and on the CPU a function for each that runs its blocks. */
static void write_text(gndi_text *t, const gnd_module *m, const name_list *list, bool gpu) {
    gndi_text_add(t, "#include \"user_kernel/%s.h\"\n#line 1 \"%s\"\n%s\n", gpu ? "user_types" : "user_threads",
                  m->name, gpu ? m->source : m->host_source);
    for (int k = 0; k < list->count && !gpu; k++)
        gndi_text_add(t,
                      "#line 1 \"%s\"\n"
                      "extern \"C\" int gnd_entry_%d(const gnd_launch_words *l, long long from, "
                      "long long to, char *thrown) {\n"
                      "return gnd_run_blocks(l, from, to, %s, [](void **a) { (void)a; "
                      "gnd_call(&%s, a); }, thrown);\n}\n",
                      m->name, k, m->barriers ? "true" : "false", list->names[k]);
}

/* The names that will be looked up: on a GPU functions, everywhere variables. */
static gnd_status compile(const char *fn, const gnd_module *m, const name_list *list, gndi_device *device,
                          gndi_jit_module **module) {
    const bool gpu = device ? device->id.kind == GND_GPU : true;
    gndi_text text = {0}, variables = {0};
    const int most = list->count + m->variables;
    const char **names = gndi_malloc(fn, (size_t)(most + 1) * sizeof *names);
    size_t *at = gndi_malloc(fn, (size_t)(m->variables + 1) * sizeof *at);
    gndi_jit_source source = {.name = m->name,
                              .names = names,
                              .own = true,
                              .contract = m->contract,
                              .options = (const char *const *)m->flag,
                              .option_count = m->flags};
    write_text(&text, m, list, gpu);
    gnd_status status = names && at && gndi_text_complete(&text, fn) ? GND_OK : GND_ERROR_MEMORY;
    for (int k = 0; k < list->count && gpu && !status; k++) names[source.name_count++] = list->names[k];
    for (int v = 0; v < m->variables && !status; v++) {
        at[v] = variables.length;
        gndi_text_add(&variables, "&%s", m->variable[v].name);
        gndi_text_add_field(&variables, "");
    }
    if (!status && !gndi_text_complete(&variables, fn)) status = GND_ERROR_MEMORY;
    for (int v = 0; v < m->variables && !status; v++) names[source.name_count++] = variables.data + at[v];
    source.text = text.data;
    if (!status && module)
        status = gndi_jit_compile(fn, device, &source, module);
    else if (!status && !gndi_jit_nvrtc_size(fn, gndi_kernel_tested_architecture(), &source))
        status = gndi_ew_pending();
    gndi_text_free(&text), gndi_text_free(&variables);
    gndi_free(names), gndi_free(at);
    return status;
}

/* ---- images ---------------------------------------------------------------------------------- */

/* The image of the module's own functions, or of an instance; NULL if there is none yet. */
static gndi_module_image *image_there(const gnd_module *m, const gndi_device *device, const char *instance) {
    gndi_module_image *i = m->images;
    while (i && !(i->device == device && (instance ? i->name && strcmp(i->name, instance) == 0 : !i->name)))
        i = i->next;
    return i;
}

/* Values that variables in constant memory were given on its device, for a new image. */
static gnd_status set_again(const char *fn, const gnd_module *m, gndi_module_image *image, gnd_stream *stream) {
    const gndi_module_image *own = image_there(m, image->device, NULL);
    gnd_status status = GND_OK;
    for (int v = 0; v < m->variables && own && !status; v++) {
        const gndi_module_value *given = &own->given[v];
        char name[300];
        void *address;
        size_t bytes;
        if (!given->data || !m->variable[v].constant) continue;
        snprintf(name, sizeof name, "&%s", m->variable[v].name);
        status = gndi_jit_variable(fn, image->module, name, &address, &bytes);
        if (!status) status = image->device->backend->copy_in(stream, address, given->data, given->bytes, false, fn);
        if (!status) gndi_submitted(stream);
    }
    return status;
}

static void free_image(const gnd_module *m, gndi_module_image *image) {
    if (!image) return;
    for (int v = 0; v < m->variables && image->given; v++) gndi_free(image->given[v].data);
    gndi_free(image->given), gndi_free(image->name);
    gndi_jit_release(image->module);
    gndi_free(image);
}

/* With the lock held: the image that has an instance (NULL: the module's own functions). */
static gnd_status find_image(const char *fn, gnd_module *m, gndi_device *device, gnd_stream *stream,
                             const char *instance, gndi_module_image **found) {
    *found = image_there(m, device, instance);
    if (*found) return GND_OK;
    gndi_module_image *image = gndi_calloc(fn, sizeof *image);
    name_list list = {0};
    gnd_status status = image && list_names(fn, m, instance, &list) ? GND_OK : GND_ERROR_MEMORY;
    if (!status && instance && !(image->name = gndi_text_copy(fn, instance))) status = GND_ERROR_MEMORY;
    if (!status && !instance && !(image->given = gndi_calloc(fn, (size_t)(m->variables + 1) * sizeof *image->given)))
        status = GND_ERROR_MEMORY;
    if (!status) image->device = device, status = compile(fn, m, &list, device, &image->module);
    if (!status && gndi_kernel_tested_architecture()) status = compile(fn, m, &list, NULL, NULL);
    gndi_free(list.names);
    if (!status) status = set_again(fn, m, image, stream);
    if (status) {
        free_image(m, image);
        return status;
    }
    image->next = m->images, m->images = image;
    *found = image;
    return GND_OK;
}

/* Whether the name is among the functions of the module's own image; its number there. */
static bool is_own(const gnd_module *m, const char *name, int *number) {
    *number = 0;
    for (int k = 0; k < m->prototypes; k++) {
        if (!m->prototype[k].whole) continue;
        if (strcmp(m->prototype[k].name, name) == 0) return true;
        ++*number;
    }
    for (int k = 0; k < m->instances; k++, ++*number)
        if (strcmp(m->instance[k], name) == 0) return true;
    *number = 0;
    return false;
}

gnd_status gndi_module_code(const char *fn, const gndi_module_function *f, gndi_device *device, gnd_stream *stream,
                            gndi_jit_function *code) {
    gnd_module *m = f->module;
    gndi_module_image *image;
    int number;
    char entry[40];
    const bool own = is_own(m, f->name, &number);
    gndi_lock_take(&m->lock);
    gnd_status status = find_image(fn, m, device, stream, own ? NULL : f->name, &image);
    gndi_lock_give(&m->lock);
    if (status) return status;
    snprintf(entry, sizeof entry, "gnd_entry_%d", number);
    return gndi_jit_find(fn, image->module, device->id.kind == GND_GPU ? f->name : entry, code);
}

/* ---- options --------------------------------------------------------------------------------- */

static bool add_text(const char *fn, char ***texts, int *count, gndi_piece text) {
    char **more = gndi_realloc(fn, *texts, (size_t)(*count + 1) * sizeof *more);
    if (!more) return false;
    *texts = more;
    more[*count] = gndi_piece_copy(fn, text);
    return more[*count] && ++*count;
}

static bool read_names(const char *fn, gnd_module *m, const char *names) {
    const char *end = names ? names + strlen(names) : NULL;
    for (const char *at = names; at;) {
        const gndi_piece name = gndi_next_item(&at, end);
        if (name.length == 0)
            return gndi_raise(GND_ERROR_INVALID, fn, "options.names, \"%.200s\": name %d is missing", names,
                              m->instances + 1),
                   false;
        if (!add_text(fn, &m->instance, &m->instances, name)) return false;
    }
    return true;
}

static bool read_flags(const char *fn, gnd_module *m, const char *flags) {
    for (const char *p = flags ? flags : "";;) {
        while (isspace((unsigned char)*p)) p++;
        gndi_piece flag = {p, 0};
        while (*p && !isspace((unsigned char)*p)) p++;
        flag.length = (size_t)(p - flag.text);
        if (flag.length == 0) return true;
        if (flag.length < 3 || flag.text[0] != '-' || !strchr("DUI", flag.text[1]))
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "options.flags: \"%.*s\" is not -Dname, -Dname=value, -Uname or -Idirectory",
                              (int)(flag.length < 100 ? flag.length : 100), flag.text),
                   false;
        if (!add_text(fn, &m->flag, &m->flags, flag)) return false;
    }
}

/* ---- modules --------------------------------------------------------------------------------- */

static void free_texts(char **texts, int count) {
    for (int k = 0; k < count; k++) gndi_free(texts[k]);
    gndi_free(texts);
}

static void drop_module(gnd_module *m) {
    if (!m || atomic_fetch_sub(&m->refs, 1) != 1) return;
    while (m->images) {
        gndi_module_image *i = m->images;
        m->images = i->next;
        free_image(m, i);
    }
    for (int k = 0; k < m->prototypes; k++) {
        gndi_prototype *p = &m->prototype[k];
        gndi_free(p->name), gndi_free(p->template), gndi_free(p->params);
    }
    for (int v = 0; v < m->variables; v++) gndi_free(m->variable[v].name);
    gndi_free(m->prototype), gndi_free(m->variable);
    free_texts(m->instance, m->instances), free_texts(m->flag, m->flags);
    gndi_free(m->source), gndi_free(m->host_source);
    gndi_lock_end(&m->lock);
    gndi_free(m);
}

void gnd_module_release(gnd_module *m) {
    gndi_disowned(m);
    drop_module(m);
}

static void release_function(gndi_module_function *f) {
    if (!f) return;
    drop_module(f->module);
    gndi_free(f->name), gndi_free(f);
}

/* Which functions can be launched, and whether the instances in options.names can. */
static bool check_functions(const char *fn, gnd_module *m) {
    gndi_module_function *f = gndi_calloc(fn, sizeof *f);
    bool good = f != NULL;
    for (int k = 0; k < m->prototypes && good; k++) {
        f->name = m->prototype[k].name;
        m->prototype[k].whole = !m->prototype[k].template && gndi_module_signature(NULL, m, f) == GND_OK;
    }
    for (int k = 0; k < m->instances && good; k++) {
        f->name = m->instance[k];
        good = gndi_module_signature(fn, m, f) == GND_OK;
    }
    gndi_free(f);
    return good;
}

gnd_module *gnd_module_new(const char *source, const gnd_module_options *options) {
    static const char fn[] = "gnd_module_new";
    static const gnd_module_options none;
    if (!options) options = &none;
    const char *name = options->name ? options->name : "module";
    if (!source) return gndi_raise(GND_ERROR_INVALID, fn, "the source is NULL"), NULL;
    if (!gndi_kernel_name_ok(fn, "the module's name", name, strlen(name))) return NULL;
    gnd_stream *stream = gndi_stream_current(fn);
    gnd_module *m = stream ? gndi_calloc(fn, sizeof *m) : NULL;
    if (!m) return NULL;
    atomic_init(&m->refs, 1);
    m->contract = options->contract;
    strcpy(m->name, name);
    gndi_module_image *image;
    if ((m->source = gndi_text_copy(fn, source)) && read_names(fn, m, options->names) &&
        read_flags(fn, m, options->flags) && gndi_module_parse(fn, m) && check_functions(fn, m) &&
        find_image(fn, m, stream->device, stream, NULL, &image) == GND_OK)
        return gndi_owned("a module", m, fn);
    drop_module(m);
    return NULL;
}

/* A C name for a function's: what is no letter becomes an underscore. */
static void short_name(const char *name, char *out) {
    size_t k = 0;
    for (; name[k] && k < GNDI_KERNEL_NAME - 1; k++) out[k] = isalnum((unsigned char)name[k]) ? name[k] : '_';
    out[k] = 0;
}

gnd_kernel *gnd_module_function(gnd_module *module, const char *name) {
    static const char fn[] = "gnd_module_function";
    if (!module || !name) {
        if (!gnd_error()) gndi_raise(GND_ERROR_INVALID, fn, "the %s is NULL", module ? "name" : "module");
        return NULL;
    }
    gndi_module_function *f = gndi_calloc(fn, sizeof *f);
    gnd_stream *stream = f ? gndi_stream_current(fn) : NULL;
    gnd_kernel *k = NULL;
    gndi_jit_function code;
    char called[GNDI_KERNEL_NAME];
    if (stream && (f->name = gndi_piece_copy(fn, gndi_trimmed(name, name + strlen(name)))) &&
        gndi_module_signature(fn, module, f) == GND_OK) {
        f->module = module;
        atomic_fetch_add(&module->refs, 1);
        short_name(f->name, called);
        if (!gndi_module_code(fn, f, stream->device, stream, &code))
            k = gndi_kernel_new(fn, GNDI_KERNEL_LAUNCHED, "launched", "", NULL);
    }
    if (!k) {
        release_function(f);
        return NULL;
    }
    strcpy(k->name, called);
    k->function = f, k->release_function = release_function;
    return k;
}

/* ---- variables ------------------------------------------------------------------------------- */

static gndi_module_variable *find_variable(const char *fn, gnd_module *m, const char *name) {
    for (int v = 0; v < m->variables; v++)
        if (strcmp(m->variable[v].name, name) == 0) return &m->variable[v];
    gndi_raise(GND_ERROR_INVALID, fn, "%s has no variable \"%.100s\" in __constant__ or __device__ memory", m->name,
               name);
    return NULL;
}

static gnd_status address_of(const char *fn, const gnd_module *m, const gndi_module_image *image, const char *name,
                             size_t bytes, void **address) {
    char expression[300];
    size_t capacity;
    snprintf(expression, sizeof expression, "&%s", name);
    gnd_status status = gndi_jit_variable(fn, image->module, expression, address, &capacity);
    if (!status && bytes > capacity)
        status = gndi_raise(GND_ERROR_INVALID, fn, "%s: the variable %s has %zu bytes; %zu are more", m->name, name,
                            capacity, bytes);
    return status;
}

/* Keeps a value for images to come: what lies behind its bytes stays what it was given before. */
static gnd_status remember(const char *fn, gndi_module_value *given, const void *from, size_t bytes) {
    if (bytes > given->bytes) {
        void *more = gndi_realloc(fn, given->data, bytes);
        if (!more) return GND_ERROR_MEMORY;
        given->data = more, given->bytes = bytes;
    }
    if (bytes) memcpy(given->data, from, bytes);
    return GND_OK;
}

static gnd_status check_copy(const char *fn, const gnd_module *module, const char *name, const void *memory,
                             size_t bytes) {
    if (module && name && (memory || !bytes)) return GND_OK;
    if (!gnd_error())
        gndi_raise(GND_ERROR_INVALID, fn, "the %s is NULL", !module ? "module" : !name ? "name" : "memory");
    return gndi_ew_pending();
}

gnd_status gnd_module_set(gnd_module *module, const char *name, const void *from, size_t bytes) {
    static const char fn[] = "gnd_module_set";
    gnd_status status = check_copy(fn, module, name, from, bytes);
    gnd_stream *stream = status ? NULL : gndi_stream_current(fn);
    gndi_module_variable *v = stream ? find_variable(fn, module, name) : NULL;
    gndi_module_image *image;
    void *address;
    if (!v) return gndi_ew_pending();
    gndi_lock_take(&module->lock);
    status = find_image(fn, module, stream->device, stream, NULL, &image);
    if (!status) status = address_of(fn, module, image, name, bytes, &address);
    if (!status && v->constant) status = remember(fn, &image->given[v - module->variable], from, bytes);
    for (image = module->images; image && !status; image = image->next) {
        if (image->device != stream->device) continue;
        status = address_of(fn, module, image, name, bytes, &address);
        if (!status && bytes) status = stream->device->backend->copy_in(stream, address, from, bytes, false, fn);
        if (!status) gndi_submitted(stream);
    }
    gndi_lock_give(&module->lock);
    return status ? status : gndi_finish(stream, fn);
}

gnd_status gnd_module_get(gnd_module *module, const char *name, void *to, size_t bytes) {
    static const char fn[] = "gnd_module_get";
    gnd_status status = check_copy(fn, module, name, to, bytes);
    gnd_stream *stream = status ? NULL : gndi_stream_current(fn);
    gndi_module_image *image;
    void *address;
    if (!stream || !find_variable(fn, module, name)) return gndi_ew_pending();
    gndi_lock_take(&module->lock);
    status = find_image(fn, module, stream->device, stream, NULL, &image);
    if (!status) status = address_of(fn, module, image, name, bytes, &address);
    gndi_lock_give(&module->lock);
    if (!status && bytes) status = stream->device->backend->copy_out(stream, to, address, bytes, false, fn);
    return status ? status : gndi_stream_wait(stream, fn);
}
