/*
 * npy_part.c: parts of .npy files: a box of the array is runs of consecutive elements, which are read and written at
 * their places. In Fortran order axes are turned around.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/npy.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum {
    BETWEEN = 4096,         /* bytes between two runs that are read with them */
    TOGETHER = 1 << 20,     /* the most that is read at once for several runs */
    PIECE_BYTES = 32 << 20, /* of host memory, on the way to another device */
};

/* A box in an open file. */
typedef struct part {
    const char *fn, *name;
    int fd;
    int64_t data; /* where elements begin in the file */
    int64_t item; /* bytes of an element */
    int axes;     /* merged */
    int64_t count[GND_MAX_DIMS], step[GND_MAX_DIMS], first;
} part;

/* ---- the file ------------------------------------------------------------------------------- */

static bool open_npy(const char *fn, const char *path, gndi_path_text *name, gndi_source *source,
                     gndi_npy_header *header, size_t *taken) {
    if (!path) return gndi_raise_null(fn, "path"), false;
    if (!gndi_source_open(source, fn, path, name)) return false;
    const int64_t left = gndi_bytes_left(source->context);
    gnd_status status = left >= 0 ? GND_OK : gndi_raise(GND_ERROR_IO, fn, "%s is no regular file", name->text);
    if (!status) status = gndi_npy_read_header(source, header, taken);
    if (!status) status = gndi_npy_check_length(source, header, left - (int64_t)*taken);
    if (!status) return true;
    fclose(source->context);
    return false;
}

/* The box as runs in the file. */
static gnd_status place(part *p, const gndi_npy_header *header, const int64_t *start, int ndim, const int64_t *size) {
    int64_t shape[GND_MAX_DIMS], begin[GND_MAX_DIMS], box[GND_MAX_DIMS];
    bool fits = ndim == header->ndim;
    if (fits && ndim > 0 && !start) return gndi_raise_null(p->fn, "start");
    for (int i = 0; fits && i < ndim; i++) {
        const int to = header->fortran_order ? ndim - 1 - i : i;
        shape[to] = header->shape[i], begin[to] = start[i], box[to] = size[i];
        fits = start[i] >= 0 && size[i] >= 0 && start[i] <= header->shape[i] && size[i] <= header->shape[i] - start[i];
    }
    if (!fits)
        return gndi_raise(GND_ERROR_SHAPE, p->fn, "a part of shape %s is not within %s of %s, or begins outside",
                          ndim >= 0 && ndim <= GND_MAX_DIMS ? gndi_text_shape(ndim, size) : "none",
                          gndi_text_shape(header->ndim, header->shape), p->name);
    p->item = (int64_t)gndi_dtype_sizes[header->dtype];
    p->axes = gndi_merge_box(ndim, shape, begin, box, p->count, p->step, &p->first);
    return GND_OK;
}

/* Where a run is in the file. */
static int64_t run_at(const part *p, int64_t row) {
    return p->data + gndi_box_run(p->axes, p->count, p->step, p->first, row) * p->item;
}

static int64_t run_bytes(const part *p) {
    return p->count[p->axes - 1] * p->item;
}

static gnd_status transfer(const part *p, char *bytes, int64_t count, int64_t at, bool writes) {
    while (count > 0) {
        const ssize_t done = writes ? pwrite(p->fd, bytes, (size_t)count, at) : pread(p->fd, bytes, (size_t)count, at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0)
            return gndi_raise(GND_ERROR_IO, p->fn, "cannot %s %s: %s", writes ? "write" : "read", p->name,
                              done < 0 ? strerror(errno) : "it ends in the middle of its data");
        bytes += done, count -= done, at += done;
    }
    return GND_OK;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Bytes `from` to `till` of the box into memory, run by run, or several with what is between them. */
static gnd_status read_box(const part *p, int64_t from, int64_t till, char *to, char *scratch) {
    const int64_t run = run_bytes(p), rows = p->axes > 1 ? p->count[p->axes - 2] : 1;
    const int64_t step = p->axes > 1 ? p->step[p->axes - 2] * p->item : run;
    const bool together = scratch && step - run <= BETWEEN && step + run <= TOGETHER;
    gnd_status status = GND_OK;
    while (from < till && !status) {
        const int64_t row = from / run, within = from % run;
        int64_t some = together && !within ? (TOGETHER - run) / step + 1 : 1;
        if (some > rows - row % rows) some = rows - row % rows;
        if (some > (till - from) / run) some = (till - from) / run;
        if (some > 1) {
            status = transfer(p, scratch, (some - 1) * step + run, run_at(p, row), false);
            for (int64_t i = 0; !status && i < some; i++) memcpy(to + i * run, scratch + i * step, (size_t)run);
            to += some * run, from += some * run;
            continue;
        }
        const int64_t bytes = run - within < till - from ? run - within : till - from;
        status = transfer(p, to, bytes, run_at(p, row) + within, false);
        to += bytes, from += bytes;
    }
    return status;
}

static gnd_status read_part(const part *p, const gndi_npy_header *header, gnd_array *a) {
    const int64_t bytes = a->size * p->item;
    const int64_t piece = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
    gnd_stream *s = gndi_stream_on(a->buffer->device, p->fn);
    if (bytes == 0) return GND_OK;
    if (!s) return gndi_ew_pending();
    const bool direct = s->device->id.kind == GND_CPU;
    char *scratch = p->axes > 1 ? gndi_malloc(p->fn, TOGETHER) : NULL;
    char *buffer = direct ? NULL : gndi_malloc(p->fn, (size_t)piece);
    gnd_status status = (p->axes > 1 && !scratch) || (!direct && !buffer) ? gndi_ew_pending() : GND_OK;
    if (!status) status = gndi_check_not_recording(s, "a file is read once", p->fn);
    if (!status) status = gndi_order_write(s, a->buffer, p->fn);
    for (int64_t done = 0; done < bytes && !status; done += piece) {
        const int64_t now = bytes - done < piece ? bytes - done : piece;
        char *to = direct ? gndi_data(a) + done : buffer;
        status = read_box(p, done, done + now, to, scratch);
        if (!status) gndi_npy_tidy(header, to, (size_t)now);
        if (!status && !direct)
            status = s->device->backend->copy_in(s, gndi_data(a) + done, buffer, (size_t)now, false, p->fn);
    }
    gndi_free(scratch);
    gndi_free(buffer);
    gndi_submitted(s);
    return status ? status : gndi_finish(s, p->fn);
}

gnd_status gnd_npy_info_of(const char *path, gnd_npy_info *out) {
    static const char fn[] = "gnd_npy_info_of";
    gndi_path_text name;
    gndi_source source;
    gndi_npy_header header;
    size_t taken;
    if (!out) return gndi_raise_null(fn, "out");
    if (!open_npy(fn, path, &name, &source, &header, &taken)) return gndi_ew_pending();
    *out = (gnd_npy_info){.shape = {.ndim = header.ndim}, .dtype = header.dtype, .fortran_order = header.fortran_order};
    memcpy(out->shape.dim, header.shape, (size_t)header.ndim * sizeof *header.shape);
    fclose(source.context);
    return GND_OK;
}

gnd_array *gnd_load_part(const char *path, const int64_t *start, gnd_shape shape) {
    static const char fn[] = "gnd_load_part";
    gndi_path_text name;
    gndi_source source;
    gndi_npy_header header;
    size_t taken;
    if (!open_npy(fn, path, &name, &source, &header, &taken)) return NULL;
    part p = {.fn = fn, .name = name.text, .fd = fileno(source.context), .data = (int64_t)taken};
    gnd_array *a = NULL;
    if (!place(&p, &header, start, shape.ndim, shape.dim))
        a = gndi_array_new(fn, shape.ndim, shape.dim, header.dtype, header.fortran_order ? GNDI_ORDER_F : GNDI_ORDER_C);
    if (a && read_part(&p, &header, a)) {
        gnd_release(a);
        a = NULL;
    }
    fclose(source.context);
    return a;
}

/* ---- writing -------------------------------------------------------------------------------- */

gnd_status gnd_npy_create(const char *path, gnd_shape shape, gnd_dtype dtype, bool fortran_order) {
    static const char fn[] = "gnd_npy_create";
    char text[GNDI_NPY_HEADER_BYTES];
    int64_t size, bytes;
    gndi_output out;
    if (!path) return gndi_raise_null(fn, "path");
    if (!gndi_dtype_valid((int)dtype)) return gndi_raise(GND_ERROR_DTYPE, fn, "there is no dtype %d", (int)dtype);
    if (shape.ndim < 0 || shape.ndim > GND_MAX_DIMS || !gndi_shape_size(shape.ndim, shape.dim, &size) ||
        __builtin_mul_overflow(size, (int64_t)gndi_dtype_sizes[dtype], &bytes) || bytes > INT64_MAX - (1 << 20))
        return gndi_raise(GND_ERROR_SHAPE, fn, "a size is negative, or there are too many axes or elements");
    gndi_npy_header header = {.dtype = dtype, .fortran_order = fortran_order, .ndim = shape.ndim};
    memcpy(header.shape, shape.dim, (size_t)shape.ndim * sizeof *shape.dim);
    gnd_status status = gndi_output_open_beside(&out, fn, path);
    if (status) return status;
    const size_t length = gndi_npy_format(&header, text);
    status = gndi_output_write(&out, text, length);
    if (!status && (fflush(out.file) != 0 || ftruncate(fileno(out.file), (off_t)length + bytes) != 0))
        status = gndi_raise(GND_ERROR_IO, fn, "cannot write %s: %s", out.name, strerror(errno));
    return gndi_output_close(&out, status);
}

/* The elements of `a`, in the file's order, to their runs. */
static gnd_status write_part(const part *p, const gnd_array *a) {
    gndi_pieces pieces;
    const char *bytes;
    size_t count;
    int64_t from = 0;
    const int64_t run = run_bytes(p);
    gnd_status status = gndi_pieces_begin(&pieces, p->fn, a);
    while (!status && !(status = gndi_pieces_next(&pieces, &bytes, &count)) && count) {
        for (const char *end = bytes + count; bytes < end && !status;) {
            const int64_t within = from % run, left = end - bytes;
            const int64_t now = run - within < left ? run - within : left;
            status = transfer(p, (char *)(uintptr_t)bytes, now, run_at(p, from / run) + within, true);
            bytes += now, from += now;
        }
    }
    gndi_pieces_end(&pieces);
    if (!status && fsync(p->fd) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
        status = gndi_raise(GND_ERROR_IO, p->fn, "cannot write %s: %s", p->name, strerror(errno));
    return status;
}

static gnd_status write_open(part *p, const gndi_npy_header *header, const int64_t *start, const gnd_array *a) {
    gnd_status status = place(p, header, start, a->ndim, a->shape);
    if (status) return status;
    if ((gnd_dtype)a->dtype != header->dtype)
        return gndi_raise(GND_ERROR_DTYPE, p->fn, "a is %s, and %s holds %s", gndi_text_array(a), p->name,
                          gnd_dtype_name(header->dtype));
    if (header->swapped)
        return gndi_raise(GND_ERROR_INVALID, p->fn, "the elements of %s are in the other byte order", p->name);
    gnd_array *ordered = header->fortran_order ? gnd_transpose(a) : gndi_array_alias(p->fn, a);
    status = ordered ? write_part(p, ordered) : gndi_ew_pending();
    gnd_release(ordered);
    return status;
}

gnd_status gnd_save_part(const char *path, const int64_t *start, const gnd_array *a) {
    static const char fn[] = "gnd_save_part";
    GNDI_PARTS_OF(fn);
    gndi_path_text name;
    gndi_source source;
    gndi_npy_header header;
    size_t taken;
    if (gndi_missing(a)) return gndi_raise_null(fn, "a");
    if (!open_npy(fn, path, &name, &source, &header, &taken)) return gndi_ew_pending();
    part p = {.fn = fn, .name = name.text, .fd = open(path, O_WRONLY | O_CLOEXEC), .data = (int64_t)taken};
    gnd_status status = p.fd < 0 ? gndi_raise(GND_ERROR_IO, fn, "cannot open %s: %s", name.text, strerror(errno))
                                 : write_open(&p, &header, start, a);
    if (p.fd >= 0) close(p.fd);
    fclose(source.context);
    return status;
}
