/*
 * shared_cpu.c: memory of the CPU that other processes can open: files in /dev/shm, which are deleted with the memory.
 * A mapping of one stays valid after that.
 */
#define _GNU_SOURCE
#include "runtime/cpu/shared_cpu.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The blocks of this process. There are few. */
typedef struct block {
    struct block *next;
    void *base;
    size_t bytes;
    pid_t owner; /* a forked child that releases the memory leaves the file */
    char path[GNDI_SHARED_TOKEN];
} block;

static block *first;
static gndi_lock list_lock;

static void *map_file(int file, size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return p == MAP_FAILED ? NULL : p;
}

void *gndi_cpu_shared_allocate(size_t bytes) {
    static atomic_int number;
    block *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->bytes = bytes, b->owner = getpid();
    snprintf(b->path, sizeof b->path, "/dev/shm/gnd-%ld-%d", (long)b->owner, atomic_fetch_add(&number, 1));
    const int file = open(b->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    /* posix_fallocate: without it a full /dev/shm is a signal at first touch, and no error here. */
    if (file >= 0 && posix_fallocate(file, 0, (off_t)bytes) == 0) b->base = map_file(file, bytes);
    if (file >= 0) close(file);
    if (!b->base) {
        if (file >= 0) unlink(b->path);
        free(b);
        return NULL;
    }
    gndi_lock_take(&list_lock);
    b->next = first, first = b;
    gndi_lock_give(&list_lock);
    return b->base;
}

void gndi_cpu_shared_release(void *base) {
    gndi_lock_take(&list_lock);
    block **at = &first;
    while (*at && (*at)->base != base) at = &(*at)->next;
    block *b = *at;
    if (b) *at = b->next;
    gndi_lock_give(&list_lock);
    if (!b) return;
    munmap(b->base, b->bytes);
    if (b->owner == getpid()) unlink(b->path);
    free(b);
}

gnd_status gndi_cpu_share(gndi_device *d, const void *base, void *out, const char *fn) {
    (void)d;
    gndi_lock_take(&list_lock);
    const block *b = first;
    while (b && b->base != base) b = b->next;
    if (b) memcpy(out, b->path, sizeof b->path);
    gndi_lock_give(&list_lock);
    return b ? GND_OK : gndi_raise(GND_ERROR_INVALID, fn, "the memory is not of kind GND_MEMORY_SHARED");
}

gnd_status gndi_cpu_shared_device(const void *from, int *index, const char *fn) {
    (void)from, (void)fn;
    *index = 0;
    return GND_OK;
}

gnd_status gndi_cpu_open_shared(gndi_device *d, const void *from, size_t bytes, void **base, const char *fn) {
    (void)d;
    char path[GNDI_SHARED_TOKEN];
    memcpy(path, from, sizeof path);
    path[sizeof path - 1] = 0;
    if (strncmp(path, "/dev/shm/gnd-", 13) != 0 || strchr(path + 13, '/'))
        return gndi_raise(GND_ERROR_INVALID, fn, "the bytes are no handle of gnd_ipc_export");
    const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat found;
    const bool whole = file >= 0 && fstat(file, &found) == 0 && (size_t)found.st_size >= bytes;
    *base = whole ? map_file(file, bytes) : NULL;
    const int problem = errno;
    if (file >= 0) close(file);
    if (*base) return GND_OK;
    return gndi_raise(GND_ERROR_DEVICE, fn, "the memory of the other process is not there: %s: %s", path,
                      file >= 0 && !whole ? "it is smaller than the array" : strerror(problem));
}

void gndi_cpu_close_shared(void *base, size_t bytes) {
    munmap(base, bytes);
}
