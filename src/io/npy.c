/*
 * npy.c: loads and saves .npy files: a header (npy_header.c), then the elements as they lie in memory.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/npy.h"

/* NumPy itself never writes a header this long for the dtypes gnd has. */
#define MAX_HEADER_BYTES 65536

/* ---- reading -------------------------------------------------------------------------------- */

gnd_status gndi_npy_read_header(gndi_source *f, gndi_npy_header *header, size_t *taken) {
    unsigned char start[12];
    gnd_status status = gndi_source_read(f, start, 10, "first bytes");
    if (status != GND_OK) return status;
    if (memcmp(start, "\x93NUMPY", 6) != 0)
        return gndi_raise(
            GND_ERROR_IO, f->fn, "%s is no .npy file: it does not begin with \\x93NUMPY%s", f->name,
            memcmp(start, "PK", 2) == 0 ? " (it looks like a zip, as .npz files are: gnd_npz_open reads those)" : "");
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        return gndi_raise(GND_ERROR_IO, f->fn, "%s has version %d.%d of the .npy format; 1.0, 2.0 and 3.0 are known",
                          f->name, start[6], start[7]);
    size_t length = (size_t)start[8] | (size_t)start[9] << 8;
    *taken = 10 + length;
    if (start[6] > 1) { /* four bytes of length instead of two */
        if ((status = gndi_source_read(f, start + 10, 2, "header")) != GND_OK) return status;
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
        *taken = 12 + length;
    }
    if (length > MAX_HEADER_BYTES)
        return gndi_raise(GND_ERROR_IO, f->fn, "the header of %s claims %zu bytes; no array needs more than %d",
                          f->name, length, MAX_HEADER_BYTES);
    char *text = gndi_malloc(f->fn, length + 1);
    if (!text) return gndi_ew_pending();
    status = gndi_source_read(f, text, length, "header");
    if (status == GND_OK) status = gndi_npy_parse(f->fn, f->name, text, length, header);
    gndi_free(text);
    return status;
}

gnd_status gndi_npy_check_length(const gndi_source *f, const gndi_npy_header *header, int64_t left) {
    int64_t bytes, size;
    if (!gndi_shape_size(header->ndim, header->shape, &size) ||
        __builtin_mul_overflow(size, (int64_t)gndi_dtype_sizes[header->dtype], &bytes))
        return gndi_raise(GND_ERROR_IO, f->fn, "the header of %s claims shape %s, more elements than 64 bits count",
                          f->name, gndi_text_shape(header->ndim, header->shape));
    if (left < 0 || left >= bytes) return GND_OK;
    return gndi_raise(GND_ERROR_IO, f->fn, "%s is truncated: its header claims %s %s, %lld bytes, but only %lld follow",
                      f->name, gnd_dtype_name(header->dtype), gndi_text_shape(header->ndim, header->shape),
                      (long long)bytes, (long long)left);
}

void gndi_npy_tidy(const void *context, char *data, size_t bytes) {
    const gndi_npy_header *header = context;
    size_t word = gndi_dtype_sizes[header->dtype];
    if (gndi_dtype_is_complex((int)header->dtype)) word /= 2;
    if (header->swapped && word > 1) gndi_swap_bytes(data, bytes, word);
    if (header->dtype == GND_BOOL)
        for (size_t i = 0; i < bytes; i++) data[i] = data[i] != 0;
}

gnd_array *gndi_npy_read(gndi_source *source, int64_t left) {
    gndi_npy_header header;
    size_t taken = 0;
    if (gndi_npy_read_header(source, &header, &taken) != GND_OK) return NULL;
    if (gndi_npy_check_length(source, &header, left < 0 ? left : left - (int64_t)taken) != GND_OK) return NULL;
    gnd_array *a = gndi_array_new(source->fn, header.ndim, header.shape, header.dtype,
                                  header.fortran_order ? GNDI_ORDER_F : GNDI_ORDER_C);
    if (a && gndi_read_array(source, a, gndi_npy_tidy, &header) != GND_OK) {
        gnd_release(a);
        a = NULL;
    }
    return a;
}

gnd_array *gnd_load_file(FILE *file) {
    if (!file) return gndi_raise_null("gnd_load_file", "file"), NULL;
    gndi_source source = gndi_source_of("gnd_load_file", "the file", file);
    return gndi_npy_read(&source, gndi_bytes_left(file));
}

gnd_array *gnd_load(const char *path) {
    gndi_path_text name;
    gndi_source source;
    if (!path) return gndi_raise_null("gnd_load", "path"), NULL;
    if (!gndi_source_open(&source, "gnd_load", path, &name)) return NULL;
    gnd_array *a = gndi_npy_read(&source, gndi_bytes_left(source.context));
    fclose(source.context);
    return a;
}

/* ---- writing -------------------------------------------------------------------------------- */

size_t gndi_npy_begin(const gnd_array *a, char text[GNDI_NPY_HEADER_BYTES], gnd_array **transposed) {
    gndi_npy_header header = {.dtype = (gnd_dtype)a->dtype, .ndim = a->ndim};
    header.fortran_order = gndi_is_f_contiguous(a) && !gndi_is_c_contiguous(a);
    memcpy(header.shape, a->shape, (size_t)a->ndim * sizeof *a->shape);
    *transposed = header.fortran_order ? gnd_transpose(a) : gndi_array_alias("gnd_save", a);
    return *transposed ? gndi_npy_format(&header, text) : 0;
}

static gnd_status save(gndi_output *out, const gnd_array *a) {
    char text[GNDI_NPY_HEADER_BYTES];
    gnd_array *transposed;
    size_t length = gndi_npy_begin(a, text, &transposed);
    if (length == 0) return gndi_ew_pending();
    gnd_status status = gndi_output_write(out, text, length);
    if (status == GND_OK) status = gndi_write_array(out, transposed);
    gnd_release(transposed);
    return status;
}

gnd_status gnd_save_file(FILE *file, const gnd_array *a) {
    GNDI_PARTS_OF("gnd_save_file");
    if (!file || gndi_missing(a)) return gndi_raise_null("gnd_save_file", file ? "a" : "file");
    gndi_output out = gndi_output_of("gnd_save_file", "the file", file);
    return save(&out, a);
}

gnd_status gnd_save(const char *path, const gnd_array *a) {
    GNDI_PARTS_OF("gnd_save");
    gndi_output out;
    if (!path || gndi_missing(a)) return gndi_raise_null("gnd_save", path ? "a" : "path");
    gnd_status status = gndi_output_open(&out, "gnd_save", path);
    return status != GND_OK ? status : gndi_output_close(&out, save(&out, a));
}
