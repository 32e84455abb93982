/*
 * folder.c: temporary directories for compilation (compiler.h): gnd-<process>-<letters> in $TMPDIR. A
 * process that makes one also removes those left behind by killed processes.
 */
#define _GNU_SOURCE
#include "jit/compiler.h"
#include "jit/jit_parts.h"
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FORGOTTEN_SECONDS = 3600 };

static const char *temporary(bool *named) {
    const char *wish = getenv("TMPDIR");
    *named = wish && *wish == '/' && strlen(wish) < GNDI_JIT_PATH - 32;
    return *named ? wish : "/tmp";
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *level) {
    (void)info, (void)kind, (void)level;
    remove(path);
    return 0;
}

void gndi_jit_remove_directory(const char *path) {
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Whether a process left this folder behind: the process does not exist, and the folder is old. The age counts too,
   because processes of other containers cannot be seen. */
static bool is_forgotten(const char *path, const char *name) {
    long process;
    int end = 0;
    struct stat s;
    return sscanf(name, "gnd-%ld-%n", &process, &end) == 1 && end > 0 && strlen(name) == (size_t)end + 6 &&
           process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH && lstat(path, &s) == 0 &&
           S_ISDIR(s.st_mode) && s.st_uid == geteuid() && s.st_mtime < time(NULL) - FORGOTTEN_SECONDS;
}

static void remove_forgotten(void) {
    bool named;
    const char *folder = temporary(&named);
    DIR *list = opendir(folder);
    for (struct dirent *d; list && (d = readdir(list));) {
        char path[GNDI_JIT_PATH + sizeof d->d_name];
        snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        if (is_forgotten(path, d->d_name)) gndi_jit_remove_directory(path);
    }
    if (list) closedir(list);
}

gnd_status gndi_jit_make_directory(const char *fn, char *path) {
    static gndi_once cleaned;
    gndi_once_do(&cleaned, remove_forgotten);
    bool named;
    const char *folder = temporary(&named);
    const int length = snprintf(path, GNDI_JIT_PATH, "%s/gnd-%ld-", folder, (long)getpid());
    memset(path + length, 'X', 6); /* which mkdtemp replaces */
    path[length + 6] = 0;
    if (mkdtemp(path)) return GND_OK;
    return gndi_raise(GND_ERROR_IO, fn,
                      "no folder to compile in can be made in %s%s: %s; TMPDIR in the environment names "
                      "a folder that is there, and may be written",
                      named ? "TMPDIR, " : "", folder, strerror(errno));
}
