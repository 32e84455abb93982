/*
 * raw.c: raw binary files: elements only.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"
#include <errno.h>

gnd_status gnd_tofile(const char *path, const gnd_array *a) {
    static const char fn[] = "gnd_tofile";
    GNDI_PARTS_OF(fn);
    gndi_output out;
    if (!path || gndi_missing(a)) return gndi_raise_null(fn, path ? "a" : "path");
    gnd_status status = gndi_output_open(&out, fn, path);
    return status != GND_OK ? status : gndi_output_close(&out, gndi_write_array(&out, a));
}

static void tidy_bools(const void *context, char *data, size_t bytes) {
    (void)context;
    for (size_t i = 0; i < bytes; i++) data[i] = data[i] != 0;
}

/* How many elements there are to read; raises if it cannot be `count` of them. */
static gnd_status count_elements(const gndi_source *f, gnd_dtype dtype, int64_t *count) {
    int64_t left = gndi_bytes_left(f->context), itemsize = gndi_dtype_sizes[dtype];
    if (left < 0) return gndi_raise(GND_ERROR_IO, f->fn, "%s is no regular file, and has no length", f->name);
    if (*count >= 0 && *count > left / itemsize)
        return gndi_raise(GND_ERROR_IO, f->fn, "%s has %lld bytes there, not %lld elements of %s", f->name,
                          (long long)left, (long long)*count, gnd_dtype_name(dtype));
    if (*count < 0 && left % itemsize)
        return gndi_raise(GND_ERROR_IO, f->fn,
                          "%s has %lld bytes there, no whole number of elements of %s, %lld bytes "
                          "each",
                          f->name, (long long)left, gnd_dtype_name(dtype), (long long)itemsize);
    if (*count < 0) *count = left / itemsize;
    return GND_OK;
}

static gnd_array *read_elements(gndi_source *f, gnd_dtype dtype, int64_t count, int64_t offset) {
    if (offset > 0 && fseeko(f->context, (off_t)offset, SEEK_SET) != 0)
        return gndi_fail(GND_ERROR_IO, f->fn, "cannot read %s from byte %lld on: %s", f->name, (long long)offset,
                         strerror(errno));
    if (count_elements(f, dtype, &count) != GND_OK) return NULL;
    gnd_array *a = gndi_array_new(f->fn, 1, &count, dtype, GNDI_ORDER_C);
    if (a && gndi_read_array(f, a, dtype == GND_BOOL ? tidy_bools : NULL, NULL) != GND_OK) {
        gnd_release(a);
        a = NULL;
    }
    return a;
}

gnd_array *gnd_fromfile(const char *path, gnd_dtype dtype, int64_t count, int64_t offset) {
    static const char fn[] = "gnd_fromfile";
    gndi_path_text name;
    gndi_source source;
    if (!path) return gndi_raise_null(fn, "path"), NULL;
    if (!gndi_dtype_valid((int)dtype)) return gndi_fail(GND_ERROR_DTYPE, fn, "there is no dtype number %d", (int)dtype);
    if (count < -1 || offset < 0)
        return gndi_fail(GND_ERROR_INVALID, fn,
                         "count is %lld and offset %lld; a count is -1 or at least 0, an offset at "
                         "least 0",
                         (long long)count, (long long)offset);
    if (!gndi_source_open(&source, fn, path, &name)) return NULL;
    gnd_array *a = read_elements(&source, dtype, count, offset);
    fclose(source.context);
    return a;
}
