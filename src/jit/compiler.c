/*
 * compiler.c: compiles C++ for this CPU with the system's compiler: $CXX, else c++, g++ or clang++. It runs
 * in a temporary directory, which is removed afterwards.
 */
#define _GNU_SOURCE
#include "jit/compiler.h"
#include "jit/jit_headers.h"
#include "jit/jit_parts.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LOG = 64 << 10 };

/* ---- which compiler ------------------------------------------------------------------------- */

/* The compiler that was found for a value of $CXX, and what it says of itself. */
static struct {
    gndi_lock lock;
    char *asked;   /* $CXX; "" without it */
    char *command; /* words with spaces between; NULL: none was found */
    char *version;
} found;

static bool ask_version(const char *command, const char *directory, gndi_text *version) {
    gndi_jit_command words = {0};
    gndi_jit_command_add_words(&words, command);
    gndi_jit_command_add(&words, "--version");
    char log[GNDI_JIT_PATH + 8];
    snprintf(log, sizeof log, "%s/log", directory);
    const bool runs = !words.failed && gndi_jit_run(&words, directory) == 0 &&
                      gndi_jit_read_file(log, MOST_LOG, version) && version->length > 0;
    gndi_jit_command_free(&words);
    return runs;
}

/* Under the lock. Raises if there is nowhere to ask; none may be found. */
static gnd_status find_compiler(const char *fn, const char *asked) {
    static const char *const usual[] = {"c++", "g++", "clang++"};
    char directory[GNDI_JIT_PATH];
    const gnd_status status = gndi_jit_make_directory(fn, directory);
    if (status) return status;
    gndi_free(found.command), gndi_free(found.version), gndi_free(found.asked);
    found.command = found.version = NULL;
    found.asked = strdup(asked);
    const int candidates = *asked ? 1 : (int)(sizeof usual / sizeof *usual);
    for (int i = 0; i < candidates && !found.command; i++) {
        const char *candidate = *asked ? asked : usual[i];
        gndi_text version = {0};
        if (ask_version(candidate, directory, &version)) {
            found.command = strdup(candidate);
            found.version = version.data;
        } else {
            gndi_text_free(&version);
        }
    }
    gndi_jit_remove_directory(directory);
    return GND_OK;
}

/* Copies of the compiler's command and version, for the caller to free. */
static gnd_status get_compiler(const char *fn, char **command, char **version) {
    const char *asked = getenv("CXX");
    if (!asked) asked = "";
    gndi_lock_take(&found.lock);
    gnd_status status = GND_OK;
    if (!found.asked || strcmp(found.asked, asked) != 0 || !found.command) status = find_compiler(fn, asked);
    *command = found.command && !status ? strdup(found.command) : NULL;
    *version = found.version && !status ? strdup(found.version) : NULL;
    gndi_lock_give(&found.lock);
    if (*command && *version) return GND_OK;
    gndi_free(*command), gndi_free(*version);
    *command = *version = NULL;
    if (status) return status;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn,
                      "this needs a C++ compiler, and %s%s cannot be run; it comes with the package "
                      "g++ (Debian, Ubuntu) or gcc-c++ (Fedora), and CXX in the environment may "
                      "name another one",
                      *asked ? "CXX in the environment, " : "c++", *asked ? asked : "");
}

/* What -march=native means here: a directory of a cache may be shared by different machines. */
static void add_processor(gndi_text *key) {
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[4096];
    while (file && fgets(line, sizeof line, file) && *line != '\n')
        if (strncmp(line, "model name", 10) == 0 || strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0)
            gndi_text_add_field(key, line);
    if (file) fclose(file);
}

gnd_status gndi_jit_compiler_about(const char *fn, gndi_text *key) {
    char *command, *version;
    const gnd_status status = get_compiler(fn, &command, &version);
    if (status) return status;
    gndi_text_add_field(key, command);
    gndi_text_add_field(key, version);
    add_processor(key);
    gndi_free(command), gndi_free(version);
    return GND_OK;
}

/* ---- the directory it works in -------------------------------------------------------------- */

static bool write_headers(const char *directory) {
    char path[2 * GNDI_JIT_PATH];
    for (int i = 0; i < gndi_jit_header_count; i++) {
        const char *name = gndi_jit_headers[i].name;
        snprintf(path, sizeof path, "%s/%s", directory, name);
        for (char *slash = path + strlen(directory) + 1; (slash = strchr(slash, '/')); slash++) {
            *slash = 0;
            mkdir(path, 0700);
            *slash = '/';
        }
        if (!gndi_jit_write_file(path, gndi_jit_headers[i].text, strlen(gndi_jit_headers[i].text))) return false;
    }
    return true;
}

/* The text, and behind it an address for each name, which dlsym finds. A variable's size is there, too. */
static void write_text(gndi_text *text, const gndi_jit_source *source) {
    gndi_text_add(text, "#line 1 \"%s\"\n%s\n#line 1 \"the names of %s\"\n", source->name, source->text, source->name);
    for (int i = 0; i < source->name_count; i++) {
        const char *name = source->names[i];
        gndi_text_add(text,
                      "extern \"C\" __attribute__((visibility(\"default\"))) void *const "
                      "gndi_jit_name_%d = (void *)(%s%s);\n",
                      i, *name == '&' ? "" : "&", name);
        if (*name == '&')
            gndi_text_add(text,
                          "extern \"C\" __attribute__((visibility(\"default\"))) const unsigned "
                          "long gndi_jit_size_%d = sizeof(%s);\n",
                          i, name + 1);
    }
}

/* ---- compiling ------------------------------------------------------------------------------ */

static void write_command(gndi_jit_command *words, const char *compiler, const char *version, const char *directory,
                          const gndi_jit_source *source) {
    static const char *const always[] = {
        "-std=c++17", "-O3",   "-march=native",
        "-shared",    "-fPIC", "-fno-math-errno",
        "-w",         "-pipe", "-fdiagnostics-color=never",
    };
    gndi_jit_command_add_words(words, compiler);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) gndi_jit_command_add(words, always[i]);
    gndi_jit_command_add(words, source->contract ? "-ffp-contract=fast" : "-ffp-contract=off");
    /* Else what is inline in one module would be that of another, and stay for ever. */
    if (!strstr(version, "clang")) gndi_jit_command_add(words, "-fno-gnu-unique");
    gndi_jit_command_add(words, "-I%s", directory);
    gndi_jit_command_add(words, "-I%s/kernels", directory);
    for (int i = 0; i < source->option_count; i++) gndi_jit_command_add(words, "%s", source->options[i]);
    gndi_jit_command_add(words, "-o");
    gndi_jit_command_add(words, "%s/text.so", directory);
    gndi_jit_command_add(words, "%s/text.cpp", directory);
    gndi_jit_command_add(words, "-lm");
}

static gnd_status read_image(const char *fn, const char *directory, const gndi_jit_source *source,
                             gndi_jit_image *image) {
    char path[GNDI_JIT_PATH + 16];
    gndi_text code = {0}, symbols = {0};
    snprintf(path, sizeof path, "%s/text.so", directory);
    gnd_status status = GND_OK;
    if (!gndi_jit_read_file(path, SIZE_MAX, &code) || code.length == 0)
        status = gndi_raise(GND_ERROR_IO, fn, "the compiler left no library of %s that can be read", source->name);
    for (int i = 0; i < source->name_count; i++) {
        gndi_text_add(&symbols, "gndi_jit_name_%d", i);
        gndi_text_add_field(&symbols, "");
    }
    if (!status) status = gndi_jit_make_image(fn, &symbols, code.data, code.length, image);
    gndi_text_free(&code), gndi_text_free(&symbols);
    return status;
}

static gnd_status compile_in(const char *fn, const char *directory, const char *compiler, const char *version,
                             const gndi_jit_source *source, gndi_jit_image *image) {
    char path[GNDI_JIT_PATH + 16];
    gndi_text text = {0}, log = {0};
    gndi_jit_command words = {0};
    write_text(&text, source);
    write_command(&words, compiler, version, directory, source);
    snprintf(path, sizeof path, "%s/text.cpp", directory);
    gnd_status status = GND_OK;
    if (!gndi_text_complete(&text, fn) || words.failed)
        status = gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory, compiling %s", source->name);
    else if (!write_headers(directory) || !gndi_jit_write_file(path, text.data, text.length))
        status = gndi_raise(GND_ERROR_IO, fn, "%s cannot be written to: %s", directory, strerror(errno));
    if (!status) {
        snprintf(path, sizeof path, "%s/log", directory);
        if (gndi_jit_run(&words, directory) != 0) {
            gndi_jit_read_file(path, MOST_LOG, &log);
            status = gndi_jit_raise_log(fn, source, log.data ? log.data : "(no word from it)");
        }
    }
    if (!status) status = read_image(fn, directory, source, image);
    gndi_text_free(&text), gndi_text_free(&log);
    gndi_jit_command_free(&words);
    return status;
}

gnd_status gndi_jit_compiler(const char *fn, const gndi_jit_source *source, gndi_jit_image *image) {
    char *command, *version, directory[GNDI_JIT_PATH];
    gnd_status status = get_compiler(fn, &command, &version);
    if (status) return status;
    status = gndi_jit_make_directory(fn, directory);
    if (!status) {
        status = compile_in(fn, directory, command, version, source, image);
        gndi_jit_remove_directory(directory);
    }
    gndi_free(command), gndi_free(version);
    return status;
}
