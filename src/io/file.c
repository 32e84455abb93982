/*
 * file.c: reads and writes files. Errors say what is missing. A new file replaces the old one only when it
 * is complete, so a failure leaves the old one unchanged.
 */
#define _GNU_SOURCE /* O_TMPFILE, O_PATH */
#include "io/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void gndi_quote_path(const char *path, gndi_path_text *name) {
    snprintf(name->text, sizeof name->text, "\"%.600s\"", path);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Limits for pipes and devices, which may have no end: bytes of headers, bytes of text. */
enum { MOST_HEADERS = 64 << 20, MOST_TEXT = 1 << 30 };
static const char endless[] = "it is no regular file, and there is no end within the limit for such files "
                              "(1 GiB of text and pictures, 64 MiB of headers)";

static size_t read_file(gndi_source *source, void *to, size_t bytes) {
    FILE *file = source->context;
    const bool too_much = bytes > (uint64_t)source->allowance;
    if (too_much) bytes = (size_t)source->allowance;
    size_t got = fread(to, 1, bytes, file);
    source->allowance -= (int64_t)got;
    if (got < bytes && ferror(file))
        source->problem = strerror(errno);
    else if (got == bytes && too_much)
        source->problem = endless;
    return got;
}

gndi_source gndi_source_of(const char *fn, const char *name, FILE *file) {
    return (gndi_source){.fn = fn,
                         .name = name,
                         .read = read_file,
                         .context = file,
                         .allowance = gndi_bytes_left(file) < 0 ? MOST_HEADERS : INT64_MAX};
}

bool gndi_source_open(gndi_source *source, const char *fn, const char *path, gndi_path_text *name) {
    struct stat info;
    gndi_quote_path(path, name);
    FILE *file = fopen(path, "rb");
    if (!file) return gndi_raise(GND_ERROR_IO, fn, "cannot open %s: %s", name->text, strerror(errno)), false;
    if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)) {
        gndi_raise(GND_ERROR_IO, fn, "cannot read %s: it is a directory", name->text);
        fclose(file);
        return false;
    }
    *source = gndi_source_of(fn, name->text, file);
    return true;
}

void gndi_source_allow(gndi_source *source, size_t bytes) {
    if (__builtin_add_overflow(source->allowance, bytes, &source->allowance)) source->allowance = INT64_MAX;
}

gnd_status gndi_source_read(gndi_source *source, void *to, size_t bytes, const char *what) {
    size_t got = source->read(source, to, bytes);
    if (got == bytes) return GND_OK;
    if (source->problem)
        return gndi_raise(GND_ERROR_IO, source->fn, "cannot read %s: %s", source->name, source->problem);
    return gndi_raise(GND_ERROR_IO, source->fn, "%s ends in the middle of its %s: %zu bytes are missing", source->name,
                      what, bytes - got);
}

int64_t gndi_bytes_left(FILE *file) {
    struct stat info;
    off_t at = ftello(file);
    if (at < 0 || fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode)) return -1;
    return info.st_size > at ? info.st_size - at : 0;
}

char *gndi_read_all(gndi_source *source, const char *begin, size_t length, size_t *bytes) {
    if (source->allowance != INT64_MAX) source->allowance = MOST_TEXT;
    size_t capacity = (size_t)1 << 16, used = length, got;
    char *text = gndi_malloc(source->fn, capacity + 1);
    if (!text) return NULL;
    if (length) memcpy(text, begin, length);
    do {
        if (used == capacity) {
            capacity *= 2;
            char *larger = gndi_realloc(source->fn, text, capacity + 1);
            if (!larger) break;
            text = larger;
        }
        got = source->read(source, text + used, capacity - used);
        used += got;
        if (source->problem) {
            gndi_raise(GND_ERROR_IO, source->fn, "cannot read %s: %s", source->name, source->problem);
            break;
        }
        if (got == 0) {
            *bytes = used;
            text[used] = 0;
            return text;
        }
    } while (true);
    gndi_free(text);
    return NULL;
}

/* ---- writing -------------------------------------------------------------------------------- */

gndi_output gndi_output_of(const char *fn, const char *name, FILE *file) {
    return (gndi_output){.fn = fn, .name = name, .file = file};
}

gnd_status gndi_output_write(gndi_output *out, const void *from, size_t bytes) {
    if (bytes == 0 || fwrite(from, 1, bytes, out->file) == bytes) return GND_OK;
    return gndi_raise(GND_ERROR_IO, out->fn, "cannot write %s: %s", out->name, strerror(errno));
}

/* The folder of the target, and its last part. Without the right to read it, it cannot be synced. */
static bool open_folder(gndi_output *out) {
    char *slash = strrchr(out->target, '/');
    const char *folder = !slash ? "." : slash == out->target ? "/" : out->target;
    out->base = slash ? slash + 1 : out->target;
    if (!*out->base) return errno = EISDIR, false;
    if (slash) *slash = 0;
    out->folder = open(*folder ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out->folder < 0 && errno == EACCES)
        out->folder = open(*folder ? folder : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return out->folder >= 0;
}

/* The name of a target's temporary file. It is the same in all processes, so that one that a killed process left
   is found by the next save. It is short, however long the target's name is. */
static void choose_temporary(gndi_output *out, int number) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *c = out->base; *c; c++) hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    snprintf(out->temporary, sizeof out->temporary, ".gnd-%016llx-%d.tmp", (unsigned long long)hash, number);
}

/* Removes a temporary that a killed process left: nobody has it locked. False: there is none, or it is in
   use. */
static bool remove_forgotten(const gndi_output *out) {
    struct stat open_file, named;
    const int fd = openat(out->folder, out->temporary, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool forgotten = flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &open_file) == 0 &&
                           fstatat(out->folder, out->temporary, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                           open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev &&
                           unlinkat(out->folder, out->temporary, 0) == 0;
    close(fd);
    return forgotten;
}

/* A file without a name, which is gone if the process ends; -1 where the file system has none, or it could
   not be given a name later. */
static int open_nameless(const gndi_output *out) {
    char link[32];
    const int fd = openat(out->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0) return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (faccessat(AT_FDCWD, link, F_OK, 0) == 0) return fd;
    close(fd);
    return -1;
}

/* A locked file by the temporary's name; -1, and EEXIST, if there is one. */
static int create_named(const gndi_output *out) {
    struct stat info;
    const int fd = openat(out->folder, out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return -1;
    if ((flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && fstat(fd, &info) == 0 && info.st_nlink > 0)
        return fd;
    close(fd); /* another process removed it as left over */
    errno = EEXIST;
    return -1;
}

/* The nameless file by the temporary's name. */
static int name_file(const gndi_output *out, int fd, const char *name) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, link, out->folder, name, AT_SYMLINK_FOLLOW);
}

/* Gives a file a temporary name in the folder: `fd`, a nameless one, or -1 for a new one. The file; -1 and
   errno. */
static int make_temporary(gndi_output *out, int fd) {
    int made = -1, number = 0;
    for (int tries = 0; tries < 100 && made < 0; tries++) {
        choose_temporary(out, number);
        made = fd < 0 ? create_named(out) : name_file(out, fd, out->temporary) == 0 ? fd : -1;
        if (made < 0 && errno != EEXIST) break;
        if (made < 0 && !remove_forgotten(out)) number++;
    }
    /* Others by the numbers above may be left of processes that met this one. */
    const int problem = errno;
    for (int above = number + 1; made >= 0; above++) {
        choose_temporary(out, above);
        if (!remove_forgotten(out)) break;
    }
    choose_temporary(out, number);
    if (made < 0) out->temporary[0] = 0;
    errno = problem;
    return made;
}

/* The new file in the target's folder, with the owner and the rights of the old one. */
static bool open_beside(gndi_output *out, const struct stat *old) {
    int fd = open_nameless(out);
    if (fd >= 0)
        flock(fd, LOCK_EX | LOCK_NB);
    else
        fd = make_temporary(out, -1);
    if (fd < 0) return false;
    if (old) {
        struct stat info;
        if (fstat(fd, &info) == 0 && (info.st_uid != old->st_uid || info.st_gid != old->st_gid) &&
            fchown(fd, old->st_uid, old->st_gid) != 0) { /* not ours to give */
        }
        if (fchmod(fd, old->st_mode & 07777) != 0) {
        }
    }
    if ((out->file = fdopen(fd, "wb"))) return true;
    if (out->temporary[0]) unlinkat(out->folder, out->temporary, 0);
    close(fd);
    return false;
}

static gnd_status refuse(gndi_output *out, const char *because) {
    const char *problem = strerror(errno);
    if (out->folder >= 0) close(out->folder);
    free(out->target);
    out->folder = -1, out->target = NULL;
    return gndi_raise(GND_ERROR_IO, out->fn, "cannot write %s: %s%s", out->name, problem, because);
}

static gnd_status refuse_kind(gndi_output *out) {
    free(out->target);
    return gndi_raise(GND_ERROR_IO, out->fn, "cannot write %s: it is no regular file, nor a link to one", out->name);
}

/* A pipe, a device, or a link to a file that does not exist: written directly, since no old contents can be lost. */
static gnd_status open_directly(gndi_output *out, const char *path) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0666);
    if (fd >= 0 && (out->file = fdopen(fd, "wb"))) return GND_OK;
    if (fd >= 0) close(fd);
    return refuse(out, "");
}

static gnd_status open_output(gndi_output *out, const char *fn, const char *path, bool directly) {
    struct stat old;
    *out = (gndi_output){.fn = fn, .name = out->text.text, .folder = -1};
    gndi_quote_path(path, &out->text);
    bool exists = lstat(path, &old) == 0;
    if (!exists && errno != ENOENT) return refuse(out, "");
    if (exists && S_ISLNK(old.st_mode)) {
        out->target = realpath(path, NULL);
        exists = out->target && stat(out->target, &old) == 0;
        if (!exists && directly) return open_directly(out, path);
        if (!exists) return refuse_kind(out);
    } else {
        out->target = strdup(path);
    }
    if (!out->target) return refuse(out, "");
    if (exists && !S_ISREG(old.st_mode)) {
        if (directly) return open_directly(out, path);
        return refuse_kind(out);
    }
    if (exists && faccessat(AT_FDCWD, out->target, W_OK, AT_EACCESS) != 0) return refuse(out, "");
    if (!open_folder(out)) return refuse(out, "");
    if (!open_beside(out, exists ? &old : NULL))
        return refuse(out, exists ? "; its folder takes no new file, and the old one is left as it "
                                    "is until there is a whole new one"
                                  : "");
    return GND_OK;
}

gnd_status gndi_output_open(gndi_output *out, const char *fn, const char *path) {
    return open_output(out, fn, path, true);
}

gnd_status gndi_output_open_beside(gndi_output *out, const char *fn, const char *path) {
    return open_output(out, fn, path, false);
}

/* Whether all is on the disk; what has no disk, as a pipe, cannot be synced. */
static bool is_on_disk(FILE *file) {
    return fflush(file) == 0 && (fsync(fileno(file)) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP);
}

/* The new file by the target's name. A nameless one can be given a name that is free, but cannot take
   another's. */
static bool put_in_place(gndi_output *out) {
    const int fd = fileno(out->file);
    if (!out->temporary[0]) {
        if (name_file(out, fd, out->base) == 0) return true;
        if (errno != EEXIST || make_temporary(out, fd) < 0) return false;
    }
    if (renameat(out->folder, out->temporary, out->folder, out->base) != 0) return false;
    out->temporary[0] = 0;
    return true;
}

gnd_status gndi_output_close(gndi_output *out, gnd_status status) {
    const bool replaces = out->folder >= 0;
    if (status == GND_OK && !(replaces ? is_on_disk(out->file) : fflush(out->file) == 0))
        status = gndi_raise(GND_ERROR_IO, out->fn, "cannot write %s: %s", out->name, strerror(errno));
    if (status == GND_OK && replaces && !put_in_place(out))
        status = gndi_raise(GND_ERROR_IO, out->fn, "cannot replace %s: %s", out->name, strerror(errno));
    if (fclose(out->file) != 0 && status == GND_OK && !replaces)
        status = gndi_raise(GND_ERROR_IO, out->fn, "cannot write %s: %s", out->name, strerror(errno));
    out->file = NULL;
    if (replaces) {
        if (out->temporary[0]) unlinkat(out->folder, out->temporary, 0);
        if (status == GND_OK) fsync(out->folder); /* the name; that of a file system without is there */
        close(out->folder);
    }
    free(out->target);
    return status;
}
