/*
 * command.c: running a command (compiler.h), and the loading of what it made.
 */
#define _GNU_SOURCE
#include "jit/compiler.h"
#include "jit/jit_parts.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- files ---------------------------------------------------------------------------------- */

const char *gndi_jit_temporary(void) {
    const char *named = getenv("TMPDIR");
    return named && *named == '/' && strlen(named) < GNDI_JIT_PATH - 16 ? named : "/tmp";
}

bool gndi_jit_make_directory(char *path) {
    const int length = snprintf(path, GNDI_JIT_PATH, "%s/gnd-", gndi_jit_temporary());
    memset(path + length, 'X', 6); /* which mkdtemp replaces */
    path[length + 6] = 0;
    return mkdtemp(path) != NULL;
}

bool gndi_jit_write_file(const char *path, const void *data, size_t bytes) {
    FILE *file = fopen(path, "we");
    if (!file) return false;
    const bool written = fwrite(data, 1, bytes, file) == bytes;
    return fclose(file) == 0 && written;
}

bool gndi_jit_read_file(const char *path, size_t most, gndi_text *text) {
    FILE *file = fopen(path, "re");
    if (!file) return false;
    char piece[16384];
    size_t n;
    while (most > 0 && (n = fread(piece, 1, most < sizeof piece ? most : sizeof piece, file)) > 0) {
        gndi_text_add_bytes(text, piece, n);
        most -= n;
    }
    const bool read = !ferror(file) && !text->failed;
    fclose(file);
    return read;
}

/* ---- commands ------------------------------------------------------------------------------- */

static void add_word(gndi_jit_command *command, const char *word, size_t length) {
    if (command->failed) return;
    if (command->count + 1 >= command->room) {
        const int room = 2 * command->room + 16;
        char **words = gndi_realloc(NULL, command->words, (size_t)room * sizeof *words);
        command->failed = words == NULL;
        if (!words) return;
        command->words = words, command->room = room;
    }
    char *copy = gndi_malloc(NULL, length + 1);
    command->failed = copy == NULL;
    if (!copy) return;
    memcpy(copy, word, length);
    copy[length] = 0;
    command->words[command->count++] = copy;
    command->words[command->count] = NULL;
}

void gndi_jit_command_add(gndi_jit_command *command, const char *fmt, ...) {
    char *word = NULL;
    va_list args;
    va_start(args, fmt);
    const int length = vasprintf(&word, fmt, args);
    va_end(args);
    if (length < 0) {
        command->failed = true;
        return;
    }
    add_word(command, word, (size_t)length);
    free(word);
}

void gndi_jit_command_add_words(gndi_jit_command *command, const char *words) {
    while (*words) {
        const size_t length = strcspn(words, " \t");
        if (length) add_word(command, words, length);
        words += length + strspn(words + length, " \t");
    }
}

void gndi_jit_command_free(gndi_jit_command *command) {
    for (int i = 0; i < command->count; i++) gndi_free(command->words[i]);
    gndi_free(command->words);
    *command = (gndi_jit_command){0};
}

/* The environment with messages in English; what it points to is the environment's own. */
static char **english(void) {
    static char plain[] = "LC_ALL=C";
    size_t count = 0;
    while (environ && environ[count]) count++;
    char **copy = gndi_malloc(NULL, (count + 2) * sizeof *copy);
    if (!copy) return NULL;
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0) copy[n++] = environ[i];
    copy[n++] = plain;
    copy[n] = NULL;
    return copy;
}

/* A program may have blocked or ignored signals that the compiler's own parts wait for. */
static void set_signals(posix_spawnattr_t *attributes) {
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGCHLD);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &usual);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static int wait_for(pid_t child) {
    int status = 0;
    pid_t got;
    do got = waitpid(child, &status, 0);
    while (got < 0 && errno == EINTR);
    /* Where the program ignores SIGCHLD nobody knows how it ended: what it made will tell. */
    if (got < 0) return errno == ECHILD ? 0 : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int gndi_jit_run(const gndi_jit_command *command, const char *log) {
    char **environment = english();
    if (!environment || !command->count) {
        gndi_free(environment);
        return -1;
    }
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    set_signals(&attributes);
    pid_t child;
    const int error =
        posix_spawnp(&child, command->words[0], &files, &attributes, command->words, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    gndi_free(environment);
    return error ? -1 : wait_for(child);
}

/* ---- loading -------------------------------------------------------------------------------- */

/* A loaded library stays where it is when its file is gone; and a file of its own makes it a library of its
   own. */
gnd_status gndi_jit_host_load(const char *fn, const void *code, size_t bytes, void **library) {
    char directory[GNDI_JIT_PATH], path[GNDI_JIT_PATH + 16];
    *library = NULL;
    if (!gndi_jit_make_directory(directory))
        return gndi_raise(GND_ERROR_IO, fn, "no directory can be made in %s: %s",
                          gndi_jit_temporary(), strerror(errno));
    snprintf(path, sizeof path, "%s/text.so", directory);
    gnd_status status = GND_OK;
    if (!gndi_jit_write_file(path, code, bytes))
        status = gndi_raise(GND_ERROR_IO, fn, "%s cannot be written: %s", path, strerror(errno));
    gndi_loader_begin();
    if (!status && !(*library = dlopen(path, RTLD_NOW | RTLD_LOCAL)))
        status = gndi_raise(GND_ERROR_UNAVAILABLE, fn,
                            "what was compiled cannot be loaded (TMPDIR may name a directory from "
                            "which code can be): %s",
                            dlerror());
    gndi_loader_end();
    unlink(path);
    rmdir(directory);
    return status;
}

void gndi_jit_host_unload(void *library) {
    gndi_loader_begin();
    dlclose(library);
    gndi_loader_end();
}
