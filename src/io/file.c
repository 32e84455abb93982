/*
 * file.c: bytes in and out of files: reading with a sentence for what is missing, and writing beside a
 * file that is then replaced, so that a failure leaves it as it was.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

gnd_status gndi_io_pending(void) {
    return gnd_error() ? gnd_error()->code : GND_ERROR_MEMORY;
}

void gndi_quote_path(const char *path, gndi_path_text *name) {
    snprintf(name->text, sizeof name->text, "\"%.600s\"", path);
}

/* ---- reading -------------------------------------------------------------------------------- */

static size_t read_file(gndi_source *source, void *to, size_t bytes) {
    FILE *file = source->context;
    size_t got = fread(to, 1, bytes, file);
    if (got < bytes && ferror(file)) source->problem = strerror(errno);
    return got;
}

gndi_source gndi_source_of(const char *fn, const char *name, FILE *file) {
    return (gndi_source){.fn = fn, .name = name, .read = read_file, .context = file};
}

bool gndi_source_open(gndi_source *source, const char *fn, const char *path, gndi_path_text *name) {
    struct stat info;
    gndi_quote_path(path, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return gndi_raise(GND_ERROR_IO, fn, "cannot open %s: %s", name->text, strerror(errno)),
               false;
    if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)) {
        gndi_raise(GND_ERROR_IO, fn, "cannot read %s: it is a directory", name->text);
        fclose(file);
        return false;
    }
    *source = gndi_source_of(fn, name->text, file);
    return true;
}

gnd_status gndi_source_read(gndi_source *source, void *to, size_t bytes, const char *what) {
    size_t got = source->read(source, to, bytes);
    if (got == bytes) return GND_OK;
    if (source->problem)
        return gndi_raise(GND_ERROR_IO, source->fn, "cannot read %s: %s", source->name,
                          source->problem);
    return gndi_raise(GND_ERROR_IO, source->fn,
                      "%s ends in the middle of its %s: %zu bytes are missing", source->name, what,
                      bytes - got);
}

int64_t gndi_bytes_left(FILE *file) {
    struct stat info;
    off_t at = ftello(file);
    if (at < 0 || fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode)) return -1;
    return info.st_size > at ? info.st_size - at : 0;
}

char *gndi_read_all(gndi_source *source, size_t most, size_t *bytes) {
    size_t room = 0, used = 0, got;
    char *text = NULL;
    do {
        if (used == room) {
            room = room ? 2 * room : (size_t)1 << 16;
            char *larger = gndi_realloc(source->fn, text, room + 1);
            if (!larger) break;
            text = larger;
        }
        got = source->read(source, text + used, room - used);
        used += got;
        if (used > most) {
            gndi_raise(GND_ERROR_IO, source->fn,
                       "%s has more than %zu bytes, the most that is read", source->name, most);
            break;
        }
        if (source->problem) {
            gndi_raise(GND_ERROR_IO, source->fn, "cannot read %s: %s", source->name,
                       source->problem);
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

/* Opens a new file beside `path`, with the rights of the file it will replace. NULL if the directory
   takes no new file. */
static FILE *open_beside(gndi_output *out, const struct stat *old) {
    for (int attempt = 0; attempt < 100; attempt++) {
        int length = snprintf(out->temporary, sizeof out->temporary, "%s.%ld.%d.tmp", out->path,
                              (long)getpid(), attempt);
        if (length < 0 || (size_t)length >= sizeof out->temporary) {
            errno = ENAMETOOLONG;
            return NULL;
        }
        int fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno == EEXIST) continue;
        if (fd < 0) return NULL;
        if (old && fchmod(fd, old->st_mode & 07777) != 0) { /* not ours to give: keep what it got */
        }
        FILE *file = fdopen(fd, "wb");
        if (file) return file;
        close(fd);
        unlink(out->temporary);
        return NULL;
    }
    return NULL;
}

/* A new file beside `path`, if there is none or a regular one; else none, and 0 or why in errno. */
static void begin_output(gndi_output *out, const char *fn, const char *path) {
    struct stat old;
    bool exists = lstat(path, &old) == 0;
    out->fn = fn, out->path = path, out->name = out->text.text, out->file = NULL;
    gndi_quote_path(path, &out->text);
    errno = 0;
    if (!exists || S_ISREG(old.st_mode)) out->file = open_beside(out, exists ? &old : NULL);
    out->replaces = out->file != NULL;
}

gnd_status gndi_output_open(gndi_output *out, const char *fn, const char *path) {
    begin_output(out, fn, path);
    if (out->replaces || (out->file = fopen(path, "wb"))) return GND_OK;
    return gndi_raise(GND_ERROR_IO, fn, "cannot write %s: %s", out->name, strerror(errno));
}

gnd_status gndi_output_open_beside(gndi_output *out, const char *fn, const char *path) {
    begin_output(out, fn, path);
    if (out->replaces) return GND_OK;
    return gndi_raise(
        GND_ERROR_IO, fn,
        "cannot write %s: %s; it goes into a regular file, in a folder that takes new "
        "ones",
        out->name, errno ? strerror(errno) : "it is no regular file");
}

gnd_status gndi_output_close(gndi_output *out, gnd_status status) {
    /* What was still buffered is written now, which may fail. */
    if (out->file && fclose(out->file) != 0 && status == GND_OK)
        status =
            gndi_raise(GND_ERROR_IO, out->fn, "cannot write %s: %s", out->name, strerror(errno));
    out->file = NULL;
    if (!out->replaces) return status;
    if (status == GND_OK && rename(out->temporary, out->path) != 0)
        status =
            gndi_raise(GND_ERROR_IO, out->fn, "cannot replace %s: %s", out->name, strerror(errno));
    if (status != GND_OK) unlink(out->temporary);
    return status;
}
