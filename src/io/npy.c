/*
 * npy.c: loads and saves .npy files. Data moves in pieces between the file and the device, through
 * one buffer of host memory; on the CPU, where arrays are host memory, straight.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/npy_header.h"
#include "runtime/runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES ((size_t)32 << 20)
/* NumPy itself never writes a header this long for the dtypes gnd has. */
#define MAX_HEADER_BYTES 65536

/* An open file, and what messages call it. */
typedef struct npy_file {
    FILE *file;
    const char *fn, *name;
} npy_file;

static gnd_status pending(void) {
    return gnd_error() ? gnd_error()->code : GND_ERROR_MEMORY;
}

/* A path in quotes, for messages. */
typedef struct path_text {
    char text[608];
} path_text;
static void quote_path(const char *path, path_text *name) {
    snprintf(name->text, sizeof name->text, "\"%.600s\"", path);
}

/* ---- reading -------------------------------------------------------------------------------- */

static gnd_status read_bytes(const npy_file *f, void *to, size_t bytes, const char *what) {
    size_t got = fread(to, 1, bytes, f->file);
    if (got == bytes) return GND_OK;
    if (ferror(f->file))
        return gndi_raise(GND_ERROR_IO, f->fn, "cannot read %s: %s", f->name, strerror(errno));
    return gndi_raise(GND_ERROR_IO, f->fn, "%s ends in the middle of its %s: %zu bytes are missing",
                      f->name, what, bytes - got);
}

static gnd_status read_header(const npy_file *f, gndi_npy_header *header) {
    unsigned char start[12];
    gnd_status status = read_bytes(f, start, 10, "first bytes");
    if (status != GND_OK) return status;
    if (memcmp(start, "\x93NUMPY", 6) != 0)
        return gndi_raise(
            GND_ERROR_IO, f->fn, "%s is no .npy file: it does not begin with \\x93NUMPY%s", f->name,
            memcmp(start, "PK", 2) == 0 ? " (it looks like a zip, as .npz files are)" : "");
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        return gndi_raise(GND_ERROR_IO, f->fn,
                          "%s has version %d.%d of the .npy format; 1.0, 2.0 and 3.0 are known",
                          f->name, start[6], start[7]);
    size_t length = (size_t)start[8] | (size_t)start[9] << 8;
    if (start[6] > 1) { /* four bytes of length instead of two */
        if ((status = read_bytes(f, start + 10, 2, "header")) != GND_OK) return status;
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    }
    if (length > MAX_HEADER_BYTES)
        return gndi_raise(GND_ERROR_IO, f->fn,
                          "the header of %s claims %zu bytes; no array needs more than %d", f->name,
                          length, MAX_HEADER_BYTES);
    char *text = gndi_malloc(f->fn, length + 1);
    if (!text) return pending();
    status = read_bytes(f, text, length, "header");
    if (status == GND_OK) status = gndi_npy_parse(f->fn, f->name, text, length, header);
    gndi_free(text);
    return status;
}

/* Refuses a file that is too short before memory is taken for what it claims to hold. */
static gnd_status check_length(const npy_file *f, const gndi_npy_header *header) {
    int64_t bytes, size;
    struct stat info;
    if (!gndi_shape_size(header->ndim, header->shape, &size) ||
        __builtin_mul_overflow(size, (int64_t)gndi_dtype_sizes[header->dtype], &bytes))
        return gndi_raise(GND_ERROR_IO, f->fn,
                          "the header of %s claims shape %s, more elements than 64 bits count",
                          f->name, gndi_text_shape(header->ndim, header->shape));
    off_t at = ftello(f->file);
    if (at < 0 || fstat(fileno(f->file), &info) != 0 || !S_ISREG(info.st_mode))
        return GND_OK; /* unknown */
    int64_t left = info.st_size > at ? info.st_size - at : 0;
    if (left >= bytes) return GND_OK;
    return gndi_raise(GND_ERROR_IO, f->fn,
                      "%s is truncated: its header claims %s %s, %lld bytes, but only %lld follow",
                      f->name, gnd_dtype_name(header->dtype),
                      gndi_text_shape(header->ndim, header->shape), (long long)bytes,
                      (long long)left);
}

static void swap_bytes(char *data, size_t bytes, size_t word) {
    for (char *end = data + bytes; data < end; data += word)
        for (size_t k = 0; k < word / 2; k++) {
            char kept = data[k];
            data[k] = data[word - 1 - k];
            data[word - 1 - k] = kept;
        }
}

/* File bytes as gnd wants them: in this machine's order, bools 0 or 1. */
static void tidy(const gndi_npy_header *header, char *data, size_t bytes) {
    size_t word = gndi_dtype_sizes[header->dtype];
    if (gndi_dtype_is_complex((int)header->dtype)) word /= 2;
    if (header->swapped && word > 1) swap_bytes(data, bytes, word);
    if (header->dtype == GND_BOOL)
        for (size_t i = 0; i < bytes; i++) data[i] = data[i] != 0;
}

/* Reads the elements, in pieces, into a new array. */
static gnd_status read_data(const npy_file *f, const gndi_npy_header *header, gnd_array *a) {
    size_t bytes = (size_t)(a->size * gndi_itemsize(a)),
           piece = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
    gnd_stream *s = gndi_stream_on(a->buffer->device, f->fn);
    if (!s) return pending();
    bool direct = s->device->id.kind == GND_CPU;
    char *buffer = direct ? NULL : gndi_malloc(f->fn, piece ? piece : 1);
    if (!direct && !buffer) return pending();
    gnd_status status = gndi_order_write(s, a->buffer, f->fn);
    for (size_t done = 0; done < bytes && status == GND_OK; done += piece) {
        if (piece > bytes - done) piece = bytes - done;
        char *to = direct ? gndi_data(a) + done : buffer;
        if ((status = read_bytes(f, to, piece, "data")) != GND_OK) break;
        tidy(header, to, piece);
        if (!direct)
            status =
                s->device->backend->copy_in(s, gndi_data(a) + done, buffer, piece, false, f->fn);
    }
    gndi_free(buffer);
    gndi_submitted(s);
    return status != GND_OK ? status : gndi_finish(s, f->fn);
}

static gnd_array *load(const npy_file *f) {
    gndi_npy_header header;
    if (read_header(f, &header) != GND_OK || check_length(f, &header) != GND_OK) return NULL;
    gnd_array *a = gndi_array_new(f->fn, header.ndim, header.shape, header.dtype,
                                  header.fortran_order ? GNDI_ORDER_F : GNDI_ORDER_C);
    if (a && read_data(f, &header, a) != GND_OK) {
        gnd_release(a);
        a = NULL;
    }
    return a;
}

gnd_array *gnd_load_file(FILE *file) {
    npy_file f = {file, "gnd_load_file", "the file"};
    if (!file) return gndi_raise_null(f.fn, "file"), NULL;
    return load(&f);
}

gnd_array *gnd_load(const char *path) {
    path_text name;
    npy_file f = {.fn = "gnd_load", .name = name.text};
    if (!path) return gndi_raise_null(f.fn, "path"), NULL;
    quote_path(path, &name);
    f.file = fopen(path, "rb");
    if (!f.file)
        return gndi_fail(GND_ERROR_IO, f.fn, "cannot open %s: %s", f.name, strerror(errno));
    gnd_array *a = load(&f);
    fclose(f.file);
    return a;
}

/* ---- writing -------------------------------------------------------------------------------- */

static gnd_status write_bytes(const npy_file *f, const void *from, size_t bytes) {
    if (fwrite(from, 1, bytes, f->file) == bytes) return GND_OK;
    return gndi_raise(GND_ERROR_IO, f->fn, "cannot write %s: %s", f->name, strerror(errno));
}

/* Writes the elements of `a` in C order, through `buffer`: at once if they fit, else parts of the
   first axis one after the other. */
static gnd_status write_pieces(const npy_file *f, const gnd_array *a, char *buffer, size_t room) {
    size_t bytes = (size_t)(a->size * gndi_itemsize(a));
    if (bytes <= room) {
        gnd_status status = gnd_to_host(a, buffer, bytes);
        return status != GND_OK ? status : write_bytes(f, buffer, bytes);
    }
    int64_t rows = (int64_t)(room / (bytes / (size_t)a->shape[0])), shape[GND_MAX_DIMS];
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    gnd_status status = GND_OK;
    for (int64_t row = 0; row < a->shape[0] && status == GND_OK; row += shape[0]) {
        int drop = rows == 0; /* one row alone is too long: it is divided further */
        shape[0] = drop ? 1 : rows < a->shape[0] - row ? rows : a->shape[0] - row;
        gnd_array *part = gndi_array_view(f->fn, a, a->ndim - drop, shape + drop, a->strides + drop,
                                          gndi_data(a) + row * a->strides[0], (gnd_dtype)a->dtype);
        status = part ? write_pieces(f, part, buffer, room) : pending();
        gnd_release(part);
    }
    return status;
}

static gnd_status write_data(const npy_file *f, const gnd_array *a) {
    size_t bytes = (size_t)(a->size * gndi_itemsize(a));
    if (bytes == 0) return GND_OK;
    gnd_stream *s = gndi_stream_on(a->buffer->device, f->fn);
    if (!s) return pending();
    if (s->device->id.kind == GND_CPU && gndi_is_c_contiguous(a)) {
        gnd_status status = gndi_order_read(s, a->buffer, f->fn);
        if (status == GND_OK) status = gndi_stream_wait(s, f->fn);
        return status != GND_OK ? status : write_bytes(f, gndi_data(a), bytes);
    }
    size_t room = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
    char *buffer = gndi_malloc(f->fn, room);
    if (!buffer) return pending();
    gnd_status status = write_pieces(f, a, buffer, room);
    gndi_free(buffer);
    return status;
}

static gnd_status save(const npy_file *f, const gnd_array *a) {
    char text[GNDI_NPY_HEADER_BYTES];
    gndi_npy_header header = {.dtype = (gnd_dtype)a->dtype, .ndim = a->ndim};
    header.fortran_order = gndi_is_f_contiguous(a) && !gndi_is_c_contiguous(a);
    memcpy(header.shape, a->shape, (size_t)a->ndim * sizeof *a->shape);
    gnd_array *turned = NULL;
    if (header.fortran_order && !(turned = gnd_transpose(a))) return pending();
    gnd_status status = write_bytes(f, text, gndi_npy_format(&header, text));
    if (status == GND_OK) status = write_data(f, turned ? turned : a);
    gnd_release(turned);
    return status;
}

gnd_status gnd_save_file(FILE *file, const gnd_array *a) {
    npy_file f = {file, "gnd_save_file", "the file"};
    if (!file || !a) return gndi_raise_null(f.fn, file ? "a" : "file");
    return save(&f, a);
}

/* ---- the file that replaces another --------------------------------------------------------- */

/* Opens a new file beside `path`, with the rights of the file it will replace. Its name goes to
   `temporary`. NULL if the directory takes no new file. */
static FILE *open_beside(const char *path, const struct stat *old, char *temporary, size_t room) {
    for (int attempt = 0; attempt < 100; attempt++) {
        int length = snprintf(temporary, room, "%s.%ld.%d.tmp", path, (long)getpid(), attempt);
        if (length < 0 || (size_t)length >= room) return NULL;
        int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno == EEXIST) continue;
        if (fd < 0) return NULL;
        if (old && fchmod(fd, old->st_mode & 07777) != 0) { /* not ours to give: keep what it got */
        }
        FILE *file = fdopen(fd, "wb");
        if (file) return file;
        close(fd);
        unlink(temporary);
        return NULL;
    }
    return NULL;
}

/* Closes the file; what was still buffered is written now, which may fail. */
static gnd_status close_written(const npy_file *f, gnd_status status) {
    if (fclose(f->file) != 0 && status == GND_OK)
        status = gndi_raise(GND_ERROR_IO, f->fn, "cannot write %s: %s", f->name, strerror(errno));
    return status;
}

gnd_status gnd_save(const char *path, const gnd_array *a) {
    path_text name;
    npy_file f = {.fn = "gnd_save", .name = name.text};
    if (!path || !a) return gndi_raise_null(f.fn, path ? "a" : "path");
    char temporary[4096];
    struct stat old;
    bool exists = lstat(path, &old) == 0;
    quote_path(path, &name);
    if (!exists || S_ISREG(old.st_mode))
        f.file = open_beside(path, exists ? &old : NULL, temporary, sizeof temporary);
    bool replaces = f.file != NULL;
    if (!replaces && !(f.file = fopen(path, "wb")))
        return gndi_raise(GND_ERROR_IO, f.fn, "cannot write %s: %s", f.name, strerror(errno));
    gnd_status status = close_written(&f, save(&f, a));
    if (!replaces) return status;
    if (status == GND_OK && rename(temporary, path) != 0)
        status = gndi_raise(GND_ERROR_IO, f.fn, "cannot replace %s: %s", f.name, strerror(errno));
    if (status != GND_OK) unlink(temporary);
    return status;
}
