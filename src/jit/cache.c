/*
 * cache.c: the compilation cache on disk (jit_cache.h).
 */
#define _GNU_SOURCE
#include "core/environment.h"
#include "jit/jit_cache.h"
#include "jit/text.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME = 32, PATH_ROOM = 4096, FORGOTTEN_SECONDS = 3600 };

static const char magic[8] = "gnd jit";
static const char suffix[] = ".jit", writing[] = ".tmp";

/* What an entry begins with; the key and the data follow. Of this machine's byte order: others find
   entries that are too long, and leave them. */
typedef struct header {
    char magic[8];
    uint64_t key_bytes, bytes;
    uint64_t check[2]; /* of the key and the data */
} header;

static void checksums(uint64_t check[2], const void *key, size_t key_bytes, const void *data, size_t bytes) {
    for (uint64_t i = 0; i < 2; i++) check[i] = gndi_hash(data, bytes, gndi_hash(key, key_bytes, i + 1));
}

/* ---- the directory -------------------------------------------------------------------------- */

/* Its name; false if there is to be none. Asked each time: tests change the environment. */
static bool directory_name(char *path) {
    const char *home = getenv("XDG_CACHE_HOME");
    if (gndi_env_number(GNDI_GND_CACHE, 0) == 1) return false;
    int length;
    if (home && *home == '/') {
        length = snprintf(path, PATH_ROOM, "%s/gnd", home);
    } else {
        home = getenv("HOME");
        if (!home || *home != '/') return false;
        length = snprintf(path, PATH_ROOM, "%s/.cache/gnd", home);
    }
    return length < PATH_ROOM;
}

/* What others may write is not to be run; of others only the administrator is trusted. */
static bool is_trusted(const struct stat *s) {
    return !(s->st_mode & (S_IWGRP | S_IWOTH)) && (s->st_uid == geteuid() || s->st_uid == 0);
}

static int open_directory(void) {
    char path[PATH_ROOM];
    if (!directory_name(path)) return -1;
    const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat s;
    if (directory >= 0 && (fstat(directory, &s) || !is_trusted(&s))) {
        close(directory);
        return -1;
    }
    return directory;
}

/* With the directories above it, as mkdir -p does. */
static void make_directory(void) {
    char path[PATH_ROOM];
    if (!directory_name(path)) return;
    for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = 0;
        mkdir(path, 0700);
        *at = '/';
    }
    mkdir(path, 0700);
}

static void entry_name(char name[NAME + sizeof suffix], const void *key, size_t key_bytes) {
    snprintf(name, NAME + sizeof suffix, "%016llx%016llx%s", (unsigned long long)gndi_hash(key, key_bytes, 3),
             (unsigned long long)gndi_hash(key, key_bytes, 4), suffix);
}

static bool ends_with(const char *name, const char *end) {
    const size_t length = strlen(name), behind = strlen(end);
    return length > behind && strcmp(name + length - behind, end) == 0;
}

/* ---- reading -------------------------------------------------------------------------------- */

static bool read_all(int file, void *to, size_t bytes) {
    for (char *p = to; bytes > 0;) {
        const ssize_t n = read(file, p, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n, bytes -= (size_t)n;
    }
    return true;
}

/* The data of an entry's file, if it is this key's and whole. */
static void *read_entry(int file, const void *key, size_t key_bytes, size_t *bytes) {
    struct stat s;
    header h;
    if (fstat(file, &s) || !S_ISREG(s.st_mode) || !is_trusted(&s) || !read_all(file, &h, sizeof h)) return NULL;
    const uint64_t size = (uint64_t)s.st_size - sizeof h;
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.key_bytes != key_bytes || size < key_bytes ||
        h.bytes != size - key_bytes)
        return NULL;
    char *all = gndi_malloc(NULL, size);
    if (!all) return NULL;
    uint64_t check[2];
    if (read_all(file, all, size) && memcmp(all, key, key_bytes) == 0) {
        checksums(check, all, key_bytes, all + key_bytes, h.bytes);
        if (memcmp(check, h.check, sizeof check) == 0) {
            memmove(all, all + key_bytes, h.bytes);
            *bytes = h.bytes;
            return all;
        }
    }
    gndi_free(all);
    return NULL;
}

void *gndi_jit_cache_find(const void *key, size_t key_bytes, size_t *bytes) {
    const int directory = open_directory();
    if (directory < 0) return NULL;
    char name[NAME + sizeof suffix];
    entry_name(name, key, key_bytes);
    void *data = NULL;
    const int file = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file >= 0) {
        data = read_entry(file, key, key_bytes, bytes);
        close(file);
        /* The time of its last use decides how long it stays. */
        if (data) utimensat(directory, name, NULL, 0);
    }
    close(directory);
    return data;
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool write_all(int file, const void *from, size_t bytes) {
    for (const char *p = from; bytes > 0;) {
        const ssize_t n = write(file, p, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n, bytes -= (size_t)n;
    }
    return true;
}

static uint64_t most_bytes(void) {
    return (uint64_t)gndi_env_number(GNDI_GND_CACHE_BYTES, INT64_C(256) << 20);
}

typedef struct entry {
    char name[NAME + sizeof suffix];
    uint64_t bytes;
    struct timespec used;
} entry;

static int longest_unused_first(const void *a, const void *b) {
    const struct timespec s = ((const entry *)a)->used, t = ((const entry *)b)->used;
    if (s.tv_sec != t.tv_sec) return s.tv_sec < t.tv_sec ? -1 : 1;
    return (s.tv_nsec > t.tv_nsec) - (s.tv_nsec < t.tv_nsec);
}

/* Lists the entries; what a process that died was writing is removed. NULL if there are none. */
static entry *list_entries(int directory, DIR *list, size_t *count, uint64_t *total) {
    entry *entries = NULL;
    size_t capacity = 0;
    for (struct dirent *d; (d = readdir(list)) != NULL;) {
        struct stat s;
        const bool whole = ends_with(d->d_name, suffix) && strlen(d->d_name) < sizeof entries->name;
        if ((!whole && !ends_with(d->d_name, writing)) || fstatat(directory, d->d_name, &s, AT_SYMLINK_NOFOLLOW))
            continue;
        if (!whole) {
            if (s.st_mtime < time(NULL) - FORGOTTEN_SECONDS) unlinkat(directory, d->d_name, 0);
            continue;
        }
        if (*count == capacity) {
            entry *more = gndi_realloc(NULL, entries, (2 * capacity + 64) * sizeof *entries);
            if (!more) break;
            entries = more, capacity = 2 * capacity + 64;
        }
        entry *e = &entries[(*count)++];
        memcpy(e->name, d->d_name, strlen(d->d_name) + 1);
        e->bytes = (uint64_t)s.st_size, e->used = s.st_mtim;
        *total += e->bytes;
    }
    return entries;
}

/* Removes what was not used for longest until the rest fits. Other processes may do the same at once. */
static void keep_within(int directory, uint64_t most) {
    const int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = own >= 0 ? fdopendir(own) : NULL;
    if (!list) {
        if (own >= 0) close(own);
        return;
    }
    size_t count = 0;
    uint64_t total = 0;
    entry *entries = list_entries(directory, list, &count, &total);
    if (total > most) qsort(entries, count, sizeof *entries, longest_unused_first);
    for (size_t i = 0; i < count && total > most; i++) {
        unlinkat(directory, entries[i].name, 0);
        total -= entries[i].bytes;
    }
    gndi_free(entries);
    closedir(list);
}

void gndi_jit_cache_store(const void *key, size_t key_bytes, const void *data, size_t bytes) {
    header h = {.key_bytes = key_bytes, .bytes = bytes};
    const uint64_t most = most_bytes();
    if (sizeof h + key_bytes + bytes > most) return;
    make_directory();
    const int directory = open_directory();
    if (directory < 0) return;
    static atomic_uint number;
    char name[NAME + sizeof suffix], temporary[64];
    memcpy(h.magic, magic, sizeof magic);
    checksums(h.check, key, key_bytes, data, bytes);
    entry_name(name, key, key_bytes);
    snprintf(temporary, sizeof temporary, "%ld-%u-%lx%s", (long)getpid(), atomic_fetch_add(&number, 1),
             (unsigned long)time(NULL), writing);
    const int file = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0) {
        bool written = write_all(file, &h, sizeof h) && write_all(file, key, key_bytes) && write_all(file, data, bytes);
        written = close(file) == 0 && written;
        if (!written || renameat(directory, temporary, directory, name)) unlinkat(directory, temporary, 0);
        keep_within(directory, most);
    }
    close(directory);
}
