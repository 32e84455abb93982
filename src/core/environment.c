/*
 * environment.c: reads and checks the environment variables.
 */
#include "core/environment.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct variable {
    const char *name;
    enum { DEVICE, SWITCH, NUMBER, CHOICE, LIBRARIES } kind;
    int64_t least, most;
    const char *words; /* what it may be */
} variable;

static const variable variables[GNDI_VARIABLES] = {
#define VARIABLE(name, kind, least, most, words) {#name, kind, least, most, words},
#include "core/environment.def"
#undef VARIABLE
};

const char *gndi_env_text(gndi_variable v) {
    const char *text = getenv(variables[v].name);
    return text && *text ? text : NULL;
}

/* Decimal digits and nothing else. */
static bool read_number(const char *text, int64_t *number) {
    *number = 0;
    for (const char *c = text; *c; c++)
        if (*c < '0' || *c > '9' || __builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, *c - '0', number))
            return false;
    return *text != 0;
}

/* Which of "this, that or another" the text is. */
static bool read_choice(const char *words, const char *text, int64_t *number) {
    *number = 0;
    for (const char *word = words; *word;) {
        const size_t length = strcspn(word, ", ");
        if (strlen(text) == length && memcmp(word, text, length) == 0) return true;
        word += length;
        word += strncmp(word, " or ", 4) == 0 ? 4 : strspn(word, ", ");
        ++*number;
    }
    return false;
}

static bool read_device(const char *text, gnd_device *device) {
    int64_t index = 0;
    *device = gnd_cpu();
    if (strcmp(text, "cpu") == 0 || strcmp(text, "cpu:0") == 0) return true;
    if (strncmp(text, "gpu", 3) != 0) return false;
    const bool good = text[3] == 0 || (text[3] == ':' && read_number(text + 4, &index) && index <= INT32_MAX);
    *device = gnd_gpu((int)index);
    return good;
}

static bool read_value(const variable *v, const char *text, int64_t *number) {
    if (v->kind == CHOICE) return read_choice(v->words, text, number);
    return read_number(text, number) && *number >= v->least && *number <= v->most;
}

int64_t gndi_env_number(gndi_variable v, int64_t otherwise) {
    const char *text = gndi_env_text(v);
    int64_t number;
    return text && read_value(&variables[v], text, &number) ? number : otherwise;
}

bool gndi_env_device(gnd_device *device) {
    const char *text = gndi_env_text(GNDI_GND_DEVICE);
    return text && read_device(text, device);
}

bool gndi_env_lists(gndi_variable v, const char *name) {
    const size_t wanted = strlen(name);
    for (const char *at = gndi_env_text(v); at && *at;) {
        const size_t length = strcspn(at, ",");
        if (length == wanted && memcmp(at, name, length) == 0) return true;
        at += length + (at[length] == ',');
    }
    return false;
}

static bool all_libraries(const char *at, bool (*is_library)(const char *name, size_t length)) {
    while (*at) {
        const size_t length = strcspn(at, ",");
        if (!is_library(at, length)) return false;
        at += length + (at[length] == ',');
    }
    return true;
}

gnd_status gndi_env_check(const char *fn, bool (*is_library)(const char *name, size_t length)) {
    for (int i = 0; i < GNDI_VARIABLES; i++) {
        const variable *v = &variables[i];
        const char *text = gndi_env_text((gndi_variable)i);
        gnd_device device;
        int64_t number;
        if (!text) continue;
        if (v->kind == DEVICE      ? read_device(text, &device)
            : v->kind == LIBRARIES ? all_libraries(text, is_library)
                                   : read_value(v, text, &number))
            continue;
        return gndi_raise(v->kind == DEVICE ? GND_ERROR_DEVICE : GND_ERROR_INVALID, fn,
                          "%s=%.200s in the environment means nothing; it may be %s", v->name, text, v->words);
    }
    return GND_OK;
}
