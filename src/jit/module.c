/*
 * module.c: modules: loaded code, one for each source and device.
 *
 * All modules are in one list. A source is compiled without holding the lock; its module in the list is
 * marked meanwhile, and other threads that want the same one wait. Unreferenced modules are kept until there
 * are many.
 */
#include "jit/jit_parts.h"
#include <dlfcn.h>
#include <stdio.h>

enum { KEPT = 256 }; /* modules that nobody holds */

struct gndi_jit_module {
    gndi_device *device;
    char *name; /* of the source */
    gndi_text key;
    uint64_t hash; /* of the key */
    bool own, ready;
    int refs;
    uint64_t released; /* when the last reference went: a count */
    gndi_jit_image image;
    char **names; /* as in the source; their symbols, in the image */
    const char **symbols;
    int name_count;
    void *library;
    gndi_jit_module *next;
};

static struct {
    gndi_lock lock;
    pthread_cond_t changed;
    gndi_jit_module *first;
    uint64_t releases;
    int kept;
} modules = {.changed = PTHREAD_COND_INITIALIZER};

/* In a forked child nobody goes on compiling what another thread was at. */
static void reset_in_child(void) {
    modules.changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    for (gndi_jit_module **at = &modules.first; *at;)
        if ((*at)->ready)
            at = &(*at)->next;
        else
            *at = (*at)->next;
}
static gndi_once prepared;
static void prepare(void) {
    gndi_at_fork(reset_in_child);
}

/* ---- one module ----------------------------------------------------------------------------- */

static bool on_gpu(const gndi_device *device) {
    return device->id.kind == GND_GPU;
}

static void unload(gndi_jit_module *m) {
#ifdef GNDI_WITH_CUDA
    if (m->library && on_gpu(m->device)) gndi_jit_cuda_unload(m->library);
#endif
    if (m->library && !on_gpu(m->device)) gndi_jit_host_unload(m->library);
    m->library = NULL;
}

static void destroy(gndi_jit_module *m) {
    if (!m) return;
    unload(m);
    for (int i = 0; i < m->name_count; i++) gndi_free(m->names[i]);
    gndi_free(m->names);
    gndi_free(m->symbols);
    gndi_free(m->name);
    gndi_free(m->image.data);
    gndi_text_free(&m->key);
    gndi_free(m);
}

/* A module without code; it takes the key over if it comes to be. */
static gndi_jit_module *make_module(const char *fn, gndi_device *device, const gndi_jit_source *source,
                                    gndi_text *key) {
    gndi_jit_module *m = gndi_calloc(fn, sizeof *m);
    if (!m) return NULL;
    const size_t count = (size_t)source->name_count;
    m->device = device, m->own = source->own, m->refs = 1;
    m->name = gndi_text_copy(fn, source->name);
    m->names = gndi_calloc(fn, count * sizeof *m->names);
    m->symbols = gndi_calloc(fn, count * sizeof *m->symbols);
    bool whole = m->name && m->names && m->symbols;
    for (size_t i = 0; i < count && whole; i++) {
        m->names[i] = gndi_text_copy(fn, source->names[i]);
        whole = m->names[i] != NULL;
        m->name_count = (int)i + 1;
    }
    if (!whole) {
        destroy(m);
        return NULL;
    }
    m->key = *key;
    m->hash = gndi_hash(key->data, key->length, 0);
    *key = (gndi_text){0};
    return m;
}

/* The symbols of the names, in their order, from the image. */
static bool find_symbols(gndi_jit_module *m) {
    size_t code;
    const char *at = gndi_jit_image_symbols(&m->image);
    const char *end = gndi_jit_image_code(&m->image, &code);
    for (int i = 0; i < m->name_count; i++) {
        const char *zero = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
        if (!zero) return false;
        m->symbols[i] = at;
        at = zero + 1;
    }
    return true;
}

static gnd_status load(const char *fn, gndi_jit_module *m) {
    if (!find_symbols(m)) return gndi_raise(GND_ERROR_VALUE, fn, "%s names fewer symbols than were asked for", m->name);
    size_t bytes;
    const void *code = gndi_jit_image_code(&m->image, &bytes);
#ifdef GNDI_WITH_CUDA
    if (on_gpu(m->device)) return gndi_jit_cuda_load(fn, m->device, code, &m->library);
#endif
    return gndi_jit_host_load(fn, code, bytes, &m->library);
}

static gnd_status architecture_of(const char *fn, gndi_device *device, int *architecture) {
    *architecture = 0;
#ifdef GNDI_WITH_CUDA
    if (on_gpu(device)) return gndi_jit_cuda_architecture(fn, device, architecture);
#endif
    (void)fn, (void)device;
    return GND_OK;
}

/* ---- the list ------------------------------------------------------------------------------- */

/* Under the lock. A module with this key, or what must be waited for. */
static gndi_jit_module *find(const gndi_device *device, const gndi_text *key) {
    const uint64_t hash = gndi_hash(key->data, key->length, 0);
    for (gndi_jit_module *m = modules.first; m; m = m->next)
        if (m->hash == hash && m->device == device && !m->own && m->key.length == key->length &&
            memcmp(m->key.data, key->data, key->length) == 0)
            return m;
    return NULL;
}

static void take_out(gndi_jit_module *m) {
    gndi_jit_module **at = &modules.first;
    while (*at != m) at = &(*at)->next;
    *at = m->next;
}

/* Under the lock: if more are kept than shall be, the one that was released first leaves the list. */
static gndi_jit_module *one_too_many(void) {
    if (modules.kept <= KEPT) return NULL;
    gndi_jit_module *oldest = NULL;
    for (gndi_jit_module *m = modules.first; m; m = m->next)
        if (m->refs == 0 && (!oldest || m->released < oldest->released)) oldest = m;
    if (!oldest) return NULL;
    take_out(oldest);
    modules.kept--;
    return oldest;
}

/* Under the lock, which it lets go while another thread compiles the same: the module, held, if it is
   there at last. */
static gndi_jit_module *wait_for(const gndi_device *device, const gndi_text *key) {
    gndi_jit_module *m;
    while ((m = find(device, key)) && !m->ready) gndi_lock_wait(&modules.lock, &modules.changed);
    if (m && m->refs++ == 0) modules.kept--;
    return m;
}

/* Makes the code of a module that is in the list; it leaves the list if that fails. */
static gnd_status build(const char *fn, gndi_jit_module *m, int architecture, const gndi_jit_source *source) {
    gnd_status status = gndi_jit_image_of(fn, architecture, source, &m->key, &m->image);
    if (!status) status = load(fn, m);
    gndi_lock_take(&modules.lock);
    m->ready = status == GND_OK;
    if (status) take_out(m);
    pthread_cond_broadcast(&modules.changed);
    gndi_lock_give(&modules.lock);
    if (status) destroy(m);
    return status;
}

gnd_status gndi_jit_compile(const char *fn, gndi_device *device, const gndi_jit_source *source,
                            gndi_jit_module **module) {
    *module = NULL;
    int architecture;
    gndi_text key = {0};
    gndi_once_do(&prepared, prepare);
    gnd_status status = architecture_of(fn, device, &architecture);
    if (!status) status = gndi_jit_key(fn, architecture, source, &key);
    if (status) {
        gndi_text_free(&key);
        return status;
    }
    gndi_lock_take(&modules.lock);
    gndi_jit_module *m = source->own ? NULL : wait_for(device, &key);
    const bool there = m != NULL;
    if (!there && (m = make_module(fn, device, source, &key)) != NULL) m->next = modules.first, modules.first = m;
    gndi_lock_give(&modules.lock);
    gndi_text_free(&key);
    if (!m) return GND_ERROR_MEMORY;
    status = there ? GND_OK : build(fn, m, architecture, source);
    if (!status) *module = m;
    return status;
}

void gndi_jit_release(gndi_jit_module *module) {
    if (!module) return;
    gndi_jit_module *unneeded = NULL;
    gndi_lock_take(&modules.lock);
    if (--module->refs == 0) {
        if (module->own) {
            take_out(module);
            unneeded = module;
        } else {
            module->released = ++modules.releases;
            modules.kept++;
            unneeded = one_too_many();
        }
    }
    gndi_lock_give(&modules.lock);
    destroy(unneeded);
}

/* ---- what is in a module -------------------------------------------------------------------- */

/* The symbol of a name of the source's list; else the name itself, as of extern "C". */
static const char *symbol_of(const gndi_jit_module *m, const char *name, int *index) {
    for (*index = 0; *index < m->name_count; ++*index)
        if (strcmp(m->names[*index], name) == 0) return m->symbols[*index];
    *index = -1;
    return *name == '&' ? name + 1 : name;
}

static gnd_status raise_unknown(const char *fn, const gndi_jit_module *m, const char *what, const char *name) {
    return gndi_raise(GND_ERROR_VALUE, fn,
                      "%s has no %s \"%s\": it must be extern \"C\", or be among the names to "
                      "instantiate",
                      m->name, what, name);
}

/* Of the CPU: the address that a symbol holds (a name of the list), or its own. */
static void *host_address(const gndi_jit_module *m, const char *name, int *index) {
    const char *symbol = symbol_of(m, name, index);
    gndi_loader_begin();
    void *there = dlsym(m->library, symbol);
    gndi_loader_end();
    if (there && *index >= 0) memcpy(&there, there, sizeof there);
    return there;
}

gnd_status gndi_jit_find(const char *fn, gndi_jit_module *module, const char *name, gndi_jit_function *function) {
    int index;
    *function = (gndi_jit_function){0};
#ifdef GNDI_WITH_CUDA
    if (on_gpu(module->device)) {
        const char *symbol = symbol_of(module, name, &index);
        const gnd_status status = gndi_jit_cuda_find(fn, module->device, module->library, symbol, function);
        return status == GND_ERROR_VALUE ? raise_unknown(fn, module, "kernel", name) : status;
    }
#endif
    function->call = host_address(module, name, &index);
    return function->call ? GND_OK : raise_unknown(fn, module, "function", name);
}

gnd_status gndi_jit_variable(const char *fn, gndi_jit_module *module, const char *name, void **address, size_t *bytes) {
    int index;
    *address = NULL, *bytes = 0;
#ifdef GNDI_WITH_CUDA
    if (on_gpu(module->device)) {
        const char *symbol = symbol_of(module, name, &index);
        const gnd_status status = gndi_jit_cuda_variable(fn, module->device, module->library, symbol, address, bytes);
        return status == GND_ERROR_VALUE ? raise_unknown(fn, module, "variable", name) : status;
    }
#endif
    *address = host_address(module, name, &index);
    if (!*address) return raise_unknown(fn, module, "variable", name);
    if (index >= 0) {
        char size_name[32];
        snprintf(size_name, sizeof size_name, "gndi_jit_size_%d", index);
        gndi_loader_begin();
        const unsigned long *size = dlsym(module->library, size_name);
        gndi_loader_end();
        if (size) *bytes = *size;
    }
    return GND_OK;
}

#ifndef GNDI_WITH_CUDA
gnd_status gndi_jit_launch(const char *fn, gnd_stream *s, const gndi_jit_function *function, const unsigned grid[3],
                           const unsigned block[3], size_t shared_bytes, void **arguments) {
    (void)s, (void)function, (void)grid, (void)block, (void)shared_bytes, (void)arguments;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "this gnd was built without CUDA");
}
#endif
