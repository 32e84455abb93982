/*
 * image.c: images of sources: their cache keys, where they come from, and compiler messages for sources that
 * do not compile.
 */
#define _GNU_SOURCE
#include "jit/jit_cache.h"
#include "jit/jit_headers.h"
#include "jit/jit_parts.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- what a compiler said ------------------------------------------------------------------- */

static gndi_once log_once;
static pthread_key_t log_key;
static bool log_there;

static void make_log_key(void) {
    log_there = pthread_key_create(&log_key, free) == 0;
}

const char *gndi_jit_log(void) {
    gndi_once_do(&log_once, make_log_key);
    const char *log = log_there ? pthread_getspecific(log_key) : NULL;
    return log ? log : "";
}

static void keep_log(const char *log) {
    gndi_once_do(&log_once, make_log_key);
    char *copy = log_there ? strdup(log) : NULL;
    if (!copy) return;
    free(pthread_getspecific(log_key));
    if (pthread_setspecific(log_key, copy)) free(copy);
}

gnd_status gndi_jit_raise_log(const char *fn, const gndi_jit_source *source, const char *log) {
    if (fn) keep_log(log);
    size_t length = strlen(log);
    while (length > 0 && (log[length - 1] == '\n' || log[length - 1] == ' ')) length--;
    return gndi_raise(GND_ERROR_VALUE, fn, "%s does not compile:\n%.*s", source->name, (int)length, length ? log : "");
}

/* ---- images --------------------------------------------------------------------------------- */

gnd_status gndi_jit_make_image(const char *fn, const gndi_text *symbols, const void *code, size_t bytes,
                               gndi_jit_image *image) {
    if (!gndi_text_complete(symbols, fn)) return GND_ERROR_MEMORY;
    const gndi_jit_image_head head = {symbols->length};
    image->bytes = sizeof head + symbols->length + bytes;
    char *to = image->data = gndi_malloc(fn, image->bytes);
    if (!to) return GND_ERROR_MEMORY;
    memcpy(to, &head, sizeof head);
    if (symbols->length) memcpy(to + sizeof head, symbols->data, symbols->length);
    if (bytes) memcpy(to + sizeof head + symbols->length, code, bytes);
    return GND_OK;
}

static uint64_t symbol_bytes(const gndi_jit_image *image) {
    gndi_jit_image_head head;
    memcpy(&head, image->data, sizeof head);
    return head.symbol_bytes;
}

bool gndi_jit_image_sound(const gndi_jit_image *image) {
    return image->bytes >= sizeof(gndi_jit_image_head) &&
           symbol_bytes(image) <= image->bytes - sizeof(gndi_jit_image_head);
}

const char *gndi_jit_image_symbols(const gndi_jit_image *image) {
    return (const char *)image->data + sizeof(gndi_jit_image_head);
}

const void *gndi_jit_image_code(const gndi_jit_image *image, size_t *bytes) {
    *bytes = image->bytes - sizeof(gndi_jit_image_head) - symbol_bytes(image);
    return gndi_jit_image_symbols(image) + symbol_bytes(image);
}

/* ---- keys ----------------------------------------------------------------------------------- */

gnd_status gndi_jit_key(const char *fn, int architecture, const gndi_jit_source *source, gndi_text *key) {
    gndi_text_add_field(key, gnd_version());
    gndi_text_add_field(key, gndi_jit_headers_digest);
    const gnd_status status =
        architecture ? gndi_jit_nvrtc_about(fn, architecture, key) : gndi_jit_compiler_about(fn, key);
    if (status) return status;
    gndi_text_add(key, "%d %d %d", source->contract, source->option_count, source->name_count);
    gndi_text_add_field(key, "");
    gndi_text_add_field(key, source->name);
    for (int i = 0; i < source->option_count; i++) gndi_text_add_field(key, source->options[i]);
    for (int i = 0; i < source->name_count; i++) gndi_text_add_field(key, source->names[i]);
    gndi_text_add_field(key, source->text);
    return gndi_text_complete(key, fn) ? GND_OK : GND_ERROR_MEMORY;
}

static bool is_own_header(const char *name, size_t length) {
    for (int i = 0; i < gndi_jit_header_count; i++)
        if (strlen(gndi_jit_headers[i].name) == length && memcmp(gndi_jit_headers[i].name, name, length) == 0)
            return true;
    return false;
}

/* Whether a text includes none but gnd's own headers and, <name.h>, the compiler's. */
static bool includes_no_others(const char *text) {
    static const char include[] = "include";
    for (const char *p = text; (p = strchr(p, '#'));) {
        p += 1 + strspn(p + 1, " \t");
        if (strncmp(p, include, sizeof include - 1) != 0) continue;
        p += sizeof include - 1;
        p += strspn(p, " \t");
        const char *name = *p ? p + 1 : p;
        const size_t length = strcspn(name, "\">\n");
        if (*p == '"' ? !is_own_header(name, length) : *p != '<' || memchr(name, '/', length)) return false;
    }
    return true;
}

/* Whether the key says all: it does not if files of others' are included, which may change. */
static bool is_self_contained(const gndi_jit_source *source) {
    for (int i = 0; i < source->option_count; i++) {
        const char *option = source->options[i];
        if (strncmp(option, "-I", 2) == 0 || strncmp(option, "-include", 8) == 0 ||
            strncmp(option, "--include-path", 14) == 0 || strncmp(option, "-L", 2) == 0)
            return false;
    }
    return includes_no_others(source->text);
}

gnd_status gndi_jit_image_of(const char *fn, int architecture, const gndi_jit_source *source, const gndi_text *key,
                             gndi_jit_image *image) {
    const bool kept = is_self_contained(source);
    image->data = kept ? gndi_jit_cache_find(key->data, key->length, &image->bytes) : NULL;
    if (image->data && gndi_jit_image_sound(image)) return GND_OK;
    gndi_free(image->data);
    image->data = NULL;
    const gnd_status status =
        architecture ? gndi_jit_nvrtc(fn, architecture, source, image) : gndi_jit_compiler(fn, source, image);
    if (!status && kept) gndi_jit_cache_store(key->data, key->length, image->data, image->bytes);
    return status;
}

size_t gndi_jit_nvrtc_size(const char *fn, int architecture, const gndi_jit_source *source) {
    gndi_text key = {0};
    gndi_jit_image image = {0};
    gnd_status status = gndi_jit_key(fn, architecture, source, &key);
    if (!status) status = gndi_jit_image_of(fn, architecture, source, &key, &image);
    size_t bytes = 0;
    if (!status) gndi_jit_image_code(&image, &bytes);
    gndi_free(image.data);
    gndi_text_free(&key);
    return bytes;
}
