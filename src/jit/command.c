/*
 * command.c: runs a compiler command (compiler.h) and loads the library it made.
 */
#define _GNU_SOURCE
#include "jit/compiler.h"
#include "jit/jit_parts.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- files ---------------------------------------------------------------------------------- */

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
    if (command->count + 1 >= command->capacity) {
        const int capacity = 2 * command->capacity + 16;
        char **words = gndi_realloc(NULL, command->words, (size_t)capacity * sizeof *words);
        command->failed = words == NULL;
        if (!words) return;
        command->words = words, command->capacity = capacity;
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

/* The environment with messages in English, and what is temporary in the folder; the strings are the
   environment's own and the two given. */
static char **environment_for(char *temporary) {
    static char plain[] = "LC_ALL=C";
    size_t count = 0;
    while (environ && environ[count]) count++;
    char **copy = gndi_malloc(NULL, (count + 3) * sizeof *copy);
    if (!copy) return NULL;
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0 && strncmp(environ[i], "TMPDIR=", 7) != 0) copy[n++] = environ[i];
    copy[n++] = plain, copy[n++] = temporary;
    copy[n] = NULL;
    return copy;
}

/* The command runs under a shell, in a group of its own, which is ended with the folder when the shell is told
   that this process is gone: a compiler is several processes. */
static char supervisor[] = "trap 'trap \"\" TERM; kill 0; rm -rf \"$0\"; exit 1' TERM; \"$@\" & wait $!";

/* Runs in the child of vfork, which shares this process's memory until exec. It restores the default signals: the
   program may block or ignore some that a compiler waits for. */
static void become(char *const *words, char *const *environment, const char *log, pid_t parent) {
    sigset_t none;
    struct sigaction usual = {.sa_handler = SIG_DFL}, now;
    for (int number = 1; number < NSIG; number++)
        if (sigaction(number, NULL, &now) == 0 &&
            (now.sa_handler != SIG_IGN || number == SIGCHLD || number == SIGPIPE || number == SIGTERM))
            sigaction(number, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(127); /* it is gone already */
    const int in = open("/dev/null", O_RDONLY), out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(127);
    if (in > 2) close(in);
    if (out > 2) close(out);
    execve("/bin/sh", words, environment);
    _exit(127);
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

/* vfork, not fork: nothing is copied, and it calls no handlers. */
static pid_t start(char *const *words, char *const *environment, const char *log) {
    sigset_t all, before;
    const pid_t parent = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = vfork();
    if (child == 0) become(words, environment, log, parent);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return child;
}

int gndi_jit_run(const gndi_jit_command *command, const char *directory) {
    static char shell[] = "sh", option[] = "-c";
    char own[GNDI_JIT_PATH], log[GNDI_JIT_PATH + 8], temporary[GNDI_JIT_PATH + 8];
    snprintf(own, sizeof own, "%s", directory);
    snprintf(log, sizeof log, "%s/log", directory);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", directory);
    char **words = gndi_malloc(NULL, (size_t)(command->count + 5) * sizeof *words);
    char **environment = environment_for(temporary);
    pid_t child = -1;
    if (words && environment && command->count) {
        memcpy(words, (char *[]){shell, option, supervisor, own}, 4 * sizeof *words);
        memcpy(words + 4, command->words, (size_t)(command->count + 1) * sizeof *words);
        child = start(words, environment, log);
    }
    gndi_free(words), gndi_free(environment);
    return child < 0 ? -1 : wait_for(child);
}

/* ---- loading -------------------------------------------------------------------------------- */

/* A loaded library stays where it is when its file is gone; and a file of its own makes it a library of its
   own. */
gnd_status gndi_jit_host_load(const char *fn, const void *code, size_t bytes, void **library) {
    char directory[GNDI_JIT_PATH], path[GNDI_JIT_PATH + 16];
    *library = NULL;
    gnd_status status = gndi_jit_make_directory(fn, directory);
    if (status) return status;
    snprintf(path, sizeof path, "%s/text.so", directory);
    if (!gndi_jit_write_file(path, code, bytes))
        status = gndi_raise(GND_ERROR_IO, fn, "%s cannot be written: %s", path, strerror(errno));
    gndi_loader_begin();
    if (!status && !(*library = dlopen(path, RTLD_NOW | RTLD_LOCAL)))
        status = gndi_raise(GND_ERROR_UNAVAILABLE, fn,
                            "what was compiled cannot be loaded (TMPDIR may name a directory from "
                            "which code can be): %s",
                            dlerror());
    gndi_loader_end();
    gndi_jit_remove_directory(directory);
    return status;
}

void gndi_jit_host_unload(void *library) {
    gndi_loader_begin();
    dlclose(library);
    gndi_loader_end();
}
