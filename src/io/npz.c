/*
 * npz.c: .npz files: zip archives of .npy files, by libzip. Arrays are read and written in pieces through
 * libzip's source callbacks, and the archive itself through those of a gndi_output.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/npy.h"
#include "libraries/library_tables.h"
#include <errno.h>
#include <time.h>

/* ---- libzip's numbers ----------------------------------------------------------------------- */

enum { OPEN_TO_READ = 16, OPEN_NEW = 1 | 8, NAMES_ARE_UTF8 = 2048, STORED = 0, DEFLATED = 8 };
enum { LEVEL = 6 }; /* zlib's default and NumPy's; libzip's own is 9, which takes three times as long */
enum {
    COMMAND_OPEN,
    COMMAND_READ,
    COMMAND_CLOSE,
    COMMAND_STAT,
    COMMAND_ERROR,
    COMMAND_FREE,
    COMMAND_SEEK,
    COMMAND_TELL,
    COMMAND_BEGIN_WRITE,
    COMMAND_COMMIT_WRITE,
    COMMAND_ROLLBACK_WRITE,
    COMMAND_WRITE,
    COMMAND_SEEK_WRITE,
    COMMAND_TELL_WRITE,
    COMMAND_SUPPORTS,
    COMMAND_REMOVE
};
enum { READ_FAILED = 5 /* ZIP_ER_READ */, WRITE_FAILED = 6 /* ZIP_ER_WRITE */ };

/* What libzip tells and asks of an entry, with bits in `valid` for what is known. */
typedef struct zip_facts {
    uint64_t valid;
    const char *name;
    uint64_t index, size, packed_size;
    time_t time;
    uint32_t check_sum;
    uint16_t method, encryption;
    uint32_t flags;
} zip_facts;
enum { HAS_NAME = 1, HAS_SIZE = 4, HAS_PACKED_SIZE = 8, HAS_METHOD = 64, HAS_ENCRYPTION = 128 };

/* A zip_error_t, with space for fields that may be added. */
typedef union zip_error {
    int codes[2];
    void *reserved[8];
} zip_error;

/* ---- opening -------------------------------------------------------------------------------- */

struct gnd_npz {
    const gndi_libzip *lib;
    void *zip;
    int64_t count, bytes; /* of entries; of the whole file */
    char **names;         /* without the .npy at their ends */
    gndi_path_text path;
};

/* What libzip's code means, in its own words. */
static gnd_status raise_code(const gndi_libzip *lib, const char *fn, const char *name, int code) {
    zip_error error = {{0}};
    lib->zip_error_init_with_code(&error, code);
    gnd_status status = gndi_raise(GND_ERROR_IO, fn, "cannot open %s: %s", name, lib->zip_error_strerror(&error));
    lib->zip_error_fini(&error);
    return status;
}

static size_t without_ending(const char *name) {
    size_t length = strlen(name);
    return length >= 4 && strcmp(name + length - 4, ".npy") == 0 ? length - 4 : length;
}

static bool read_names(gnd_npz *z, const char *fn) {
    z->names = gndi_calloc(fn, (size_t)(z->count ? z->count : 1) * sizeof *z->names);
    if (!z->names) return false;
    for (int64_t i = 0; i < z->count; i++) {
        zip_facts facts = {0};
        if (z->lib->zip_stat_index(z->zip, (uint64_t)i, 0, &facts) != 0 || !facts.name)
            return gndi_raise(GND_ERROR_IO, fn, "cannot read the list of %s: %s", z->path.text,
                              z->lib->zip_strerror(z->zip)),
                   false;
        size_t length = without_ending(facts.name);
        if (!(z->names[i] = gndi_malloc(fn, length + 1))) return false;
        memcpy(z->names[i], facts.name, length);
        z->names[i][length] = 0;
    }
    return true;
}

static gnd_npz *npz_open(const char *fn, const char *path) {
    const gndi_libzip *lib = gndi_libzip_get(fn);
    gnd_npz *z = lib ? gndi_calloc(fn, sizeof *z) : NULL;
    if (!z) return NULL;
    int code = 0;
    gndi_source source; /* for what is wrong with the path, in the words of the other formats */
    if (!gndi_source_open(&source, fn, path, &z->path)) {
        gndi_free(z);
        return NULL;
    }
    z->lib = lib;
    z->bytes = gndi_bytes_left(source.context);
    fclose(source.context);
    if (z->bytes < 0) {
        gndi_raise(GND_ERROR_IO, fn, "cannot read %s: it is no regular file, and a zip is read from its end",
                   z->path.text);
        gndi_free(z);
        return NULL;
    }
    if (!(z->zip = lib->zip_open(path, OPEN_TO_READ, &code))) {
        raise_code(lib, fn, z->path.text, code);
        gndi_free(z);
        return NULL;
    }
    z->count = lib->zip_get_num_entries(z->zip, 0);
    if (read_names(z, fn)) return z;
    gnd_npz_close(z);
    return NULL;
}

gnd_npz *gnd_npz_open(const char *path) {
    static const char fn[] = "gnd_npz_open";
    if (!path) return gndi_raise_null(fn, "path"), NULL;
    gnd_npz *npz = npz_open(fn, path);
    return gndi_owned("an archive", npz, fn);
}

void gnd_npz_close(gnd_npz *npz) {
    if (!npz) return;
    gndi_disowned(npz);
    npz->lib->zip_discard(npz->zip);
    for (int64_t i = 0; npz->names && i < npz->count; i++) gndi_free(npz->names[i]);
    gndi_free(npz->names);
    gndi_free(npz);
}

int64_t gnd_npz_count(const gnd_npz *npz) {
    if (!npz) return gndi_raise_null("gnd_npz_count", "npz"), 0;
    return npz->count;
}

const char *gnd_npz_name(const gnd_npz *npz, int64_t index) {
    static const char fn[] = "gnd_npz_name";
    if (!npz) return gndi_raise_null(fn, "npz"), NULL;
    if (index >= 0 && index < npz->count) return npz->names[index];
    gndi_raise(GND_ERROR_INDEX, fn, "%s has %lld arrays; there is no number %lld", npz->path.text,
               (long long)npz->count, (long long)index);
    return NULL;
}

/* ---- reading an entry ----------------------------------------------------------------------- */

typedef struct entry_reader {
    const gndi_libzip *lib;
    void *entry;
} entry_reader;

static size_t read_entry(gndi_source *source, void *to, size_t bytes) {
    const entry_reader *reader = source->context;
    size_t done = 0;
    while (done < bytes) {
        int64_t got = reader->lib->zip_fread(reader->entry, (char *)to + done, bytes - done);
        if (got < 0) source->problem = reader->lib->zip_file_strerror(reader->entry);
        if (got <= 0) break;
        done += (size_t)got;
    }
    return done;
}

/* Whether what the archive says of an entry can be so: sizes are believed before memory is taken. */
static gnd_status check_facts(const gnd_npz *z, const char *fn, const char *name, const zip_facts *facts) {
    const uint64_t most = 1032; /* deflate packs no better (RFC 1951: 258 bytes in 2 bits) */
    if (facts->valid & HAS_ENCRYPTION && facts->encryption != 0)
        return gndi_raise(GND_ERROR_IO, fn, "%s is encrypted; gnd has no passwords", name);
    if (!(facts->valid & HAS_SIZE) || !(facts->valid & HAS_PACKED_SIZE) || !(facts->valid & HAS_METHOD) ||
        facts->size > INT64_MAX)
        return gndi_raise(GND_ERROR_IO, fn, "%s has no size that is known", name);
    bool good = z->bytes < 0 || facts->packed_size <= (uint64_t)z->bytes;
    if (facts->method == STORED) good = good && facts->size == facts->packed_size;
    if (facts->method == DEFLATED) good = good && facts->size / most <= facts->packed_size;
    if (good) return GND_OK;
    return gndi_raise(GND_ERROR_IO, fn, "%s claims %llu bytes, packed in %llu, which the file cannot hold", name,
                      (unsigned long long)facts->size, (unsigned long long)facts->packed_size);
}

/* Reads on to the end: only there libzip compares check sums. */
static bool read_to_end(gndi_source *source) {
    char rest[4096];
    while (source->read(source, rest, sizeof rest) == sizeof rest) {
    }
    if (!source->problem) return true;
    gndi_raise(GND_ERROR_IO, source->fn, "%s is damaged: %s", source->name, source->problem);
    return false;
}

static gnd_array *read_index(gnd_npz *z, const char *fn, int64_t index) {
    char name[1400];
    zip_facts facts = {0};
    snprintf(name, sizeof name, "array \"%.600s\" of %s", z->names[index], z->path.text);
    if (z->lib->zip_stat_index(z->zip, (uint64_t)index, 0, &facts) != 0)
        return gndi_fail(GND_ERROR_IO, fn, "cannot read %s: %s", name, z->lib->zip_strerror(z->zip));
    if (check_facts(z, fn, name, &facts) != GND_OK) return NULL;
    entry_reader reader = {z->lib, z->lib->zip_fopen_index(z->zip, (uint64_t)index, 0)};
    if (!reader.entry) return gndi_fail(GND_ERROR_IO, fn, "cannot read %s: %s", name, z->lib->zip_strerror(z->zip));
    gndi_source source = {.fn = fn, .name = name, .read = read_entry, .context = &reader};
    gnd_array *a = gndi_npy_read(&source, (int64_t)facts.size);
    if (a && !read_to_end(&source)) {
        gnd_release(a);
        a = NULL;
    }
    z->lib->zip_fclose(reader.entry);
    return a;
}

/* The names that there are, for a message. */
static const char *list_names(const gnd_npz *z) {
    char *text = gndi_text_buffer();
    size_t used = 0;
    text[0] = 0;
    for (int64_t i = 0; i < z->count && used < 200; i++)
        used += (size_t)snprintf(text + used, GNDI_TEXT_BYTES - used, "%s\"%.60s\"", i ? ", " : "", z->names[i]);
    if (used >= 200) snprintf(text + used, GNDI_TEXT_BYTES - used, ", ...");
    return text;
}

/* The last of this name, as Python's zipfile has it. */
static gnd_array *npz_get(gnd_npz *z, const char *fn, const char *name) {
    size_t length = strlen(name), bare = without_ending(name);
    for (int64_t i = z->count - 1; i >= 0; i--) {
        size_t own = strlen(z->names[i]);
        if ((own == length && memcmp(z->names[i], name, length) == 0) ||
            (own == bare && memcmp(z->names[i], name, bare) == 0))
            return read_index(z, fn, i);
    }
    return gndi_fail(GND_ERROR_INVALID, fn, "%s has no array \"%.200s\"; it has %s", z->path.text, name,
                     z->count ? list_names(z) : "none");
}

gnd_array *gnd_npz_get(gnd_npz *npz, const char *name) {
    static const char fn[] = "gnd_npz_get";
    if (!npz || !name) return gndi_raise_null(fn, npz ? "name" : "npz"), NULL;
    return npz_get(npz, fn, name);
}

gnd_array *gnd_load_npz(const char *path, const char *name) {
    static const char fn[] = "gnd_load_npz";
    if (!path || !name) return gndi_raise_null(fn, path ? "name" : "path"), NULL;
    gnd_npz *z = npz_open(fn, path);
    gnd_array *a = z ? npz_get(z, fn, name) : NULL;
    gnd_npz_close(z);
    return a;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* An array that libzip asks for, piece by piece. */
typedef struct entry_writer {
    const char *fn;
    gnd_array *transposed; /* its elements in C order are what is written */
    size_t header_bytes;
    gndi_pieces pieces;
    const char *at; /* what comes next, and how many bytes of it */
    size_t left;
    char header[GNDI_NPY_HEADER_BYTES];
} entry_writer;

static int64_t give_bytes(entry_writer *w, char *to, uint64_t bytes) {
    uint64_t done = 0;
    while (done < bytes) {
        if (w->left == 0 && gndi_pieces_next(&w->pieces, &w->at, &w->left) != GND_OK) return -1;
        if (w->left == 0) break;
        size_t count = w->left < bytes - done ? w->left : (size_t)(bytes - done);
        memcpy(to + done, w->at, count);
        done += count, w->at += count, w->left -= count;
    }
    return (int64_t)done;
}

static int64_t answer(void *context, void *data, uint64_t bytes, int command) {
    entry_writer *w = context;
    zip_facts *facts = data;
    switch (command) {
    case COMMAND_SUPPORTS: return 0x3f | 1 << COMMAND_SUPPORTS; /* the six it needs, and this one */
    case COMMAND_OPEN:
        gndi_pieces_end(&w->pieces); /* of an earlier pass that was not closed */
        w->at = w->header, w->left = w->header_bytes;
        return gndi_pieces_begin(&w->pieces, w->fn, w->transposed) == GND_OK ? 0 : -1;
    case COMMAND_READ: return give_bytes(w, data, bytes);
    case COMMAND_CLOSE: gndi_pieces_end(&w->pieces); return 0;
    case COMMAND_STAT:
        if (bytes < sizeof *facts) return -1;
        memset(facts, 0, sizeof *facts);
        facts->valid = HAS_SIZE;
        facts->size = w->header_bytes + (uint64_t)(w->transposed->size * gndi_itemsize(w->transposed));
        return sizeof *facts;
    case COMMAND_ERROR:
        if (bytes < 2 * sizeof(int)) return -1;
        memcpy(data, (int[2]){READ_FAILED, 0}, 2 * sizeof(int));
        return 2 * sizeof(int);
    case COMMAND_FREE: return 0;
    default: return -1;
    }
}

/* The file that the zip goes to, which is empty before. */
static int64_t take_bytes(void *context, void *data, uint64_t bytes, int command) {
    gndi_output *out = context;
    const struct { /* zip_source_args_seek_t */
        int64_t offset;
        int whence;
    } *seek = data;
    switch (command) {
    case COMMAND_SUPPORTS: return (1 << (COMMAND_REMOVE + 1)) - 1;
    case COMMAND_WRITE: return gndi_output_write(out, data, (size_t)bytes) == GND_OK ? (int64_t)bytes : -1;
    case COMMAND_SEEK_WRITE: return bytes < sizeof *seek ? -1 : fseeko(out->file, (off_t)seek->offset, seek->whence);
    case COMMAND_TELL_WRITE: return ftello(out->file);
    case COMMAND_STAT:
        if (bytes < sizeof(zip_facts)) return -1;
        *(zip_facts *)data = (zip_facts){.valid = HAS_SIZE};
        return sizeof(zip_facts);
    case COMMAND_ERROR:
        if (bytes < 2 * sizeof(int)) return -1;
        memcpy(data, (int[2]){WRITE_FAILED, errno}, 2 * sizeof(int));
        return 2 * sizeof(int);
    default: return 0;
    }
}

/* A new zip; NULL and an error. */
static void *begin_zip(const gndi_libzip *lib, gndi_output *out) {
    zip_error error = {{0}};
    void *source = lib->zip_source_function_create(take_bytes, out, &error);
    void *zip = source ? lib->zip_open_from_source(source, OPEN_NEW, &error) : NULL;
    if (!zip) {
        gndi_raise(GND_ERROR_IO, out->fn, "cannot write %s: %s", out->name, lib->zip_error_strerror(&error));
        if (source) lib->zip_source_free(source);
    }
    lib->zip_error_fini(&error);
    return zip;
}

/* "x.npy" for a name or none; NULL and an error. */
static char *entry_name(const char *fn, const gnd_named *named, int position) {
    size_t capacity = (named->name ? strlen(named->name) : 16) + 5;
    char *text = gndi_malloc(fn, capacity);
    if (text && named->name)
        snprintf(text, capacity, "%s.npy", named->name);
    else if (text)
        snprintf(text, capacity, "arr_%d.npy", position);
    return text;
}

static gnd_status add_entry(const gndi_libzip *lib, void *zip, entry_writer *w, const gnd_named *named, int position,
                            bool compressed) {
    w->header_bytes = gndi_npy_begin(named->array, w->header, &w->transposed);
    char *name = w->header_bytes ? entry_name(w->fn, named, position) : NULL;
    if (!name) return gndi_ew_pending();
    void *source = lib->zip_source_function(zip, answer, w);
    int64_t index = source ? lib->zip_file_add(zip, name, source, NAMES_ARE_UTF8) : -1;
    gndi_free(name);
    if (source && index < 0) lib->zip_source_free(source);
    /* The time is NumPy's, the first that there can be: the same arrays give the same file. */
    if (index >= 0 && lib->zip_set_file_compression(zip, (uint64_t)index, compressed ? DEFLATED : STORED, LEVEL) == 0 &&
        lib->zip_file_set_dostime(zip, (uint64_t)index, 0, 1 << 5 | 1, 0) == 0)
        return GND_OK;
    return gndi_raise(GND_ERROR_IO, w->fn, "cannot add an array named \"%.200s\": %s",
                      named->name ? named->name : "(none)", lib->zip_strerror(zip));
}

static gnd_status write_zip(const gndi_libzip *lib, const char *fn, gndi_output *out, int count,
                            const gnd_named *arrays, bool compressed) {
    entry_writer *writers = gndi_calloc(fn, (size_t)count * sizeof *writers);
    if (!writers) return gndi_ew_pending();
    void *zip = begin_zip(lib, out);
    gnd_status status = zip ? GND_OK : gndi_ew_pending();
    for (int i = 0; i < count && status == GND_OK; i++) {
        writers[i].fn = fn;
        status = add_entry(lib, zip, &writers[i], &arrays[i], i, compressed);
    }
    if (status == GND_OK && lib->zip_close(zip) != 0)
        status = gnd_error() ? gnd_error()->code
                             : gndi_raise(GND_ERROR_IO, fn, "cannot write %s: %s", out->name, lib->zip_strerror(zip));
    else if (status == GND_OK)
        zip = NULL;
    if (zip) lib->zip_discard(zip);
    for (int i = 0; i < count; i++) {
        gndi_pieces_end(&writers[i].pieces);
        gnd_release(writers[i].transposed);
    }
    gndi_free(writers);
    return status;
}

static gnd_status check_arrays(const char *fn, const char *path, int count, const gnd_named *arrays) {
    char text[2][16];
    if (!path || (count > 0 && !arrays)) return gndi_raise_null(fn, path ? "arrays" : "path");
    if (count < 0) return gndi_raise(GND_ERROR_INVALID, fn, "count is %d; it is at least 0", count);
    for (int i = 0; i < count; i++) {
        if (gndi_missing(arrays[i].array)) return gndi_raise_null(fn, "arrays[].array");
        const char *name = arrays[i].name;
        if (!name) snprintf(text[0], sizeof text[0], "arr_%d", i), name = text[0];
        for (int k = 0; k < i; k++) {
            const char *other = arrays[k].name;
            if (!other) snprintf(text[1], sizeof text[1], "arr_%d", k), other = text[1];
            if (strcmp(name, other) == 0)
                return gndi_raise(GND_ERROR_INVALID, fn, "two arrays are named \"%.200s\"", name);
        }
    }
    return GND_OK;
}

static gnd_status savez(const char *fn, const char *path, int count, const gnd_named *arrays, bool compressed) {
    /* A zip of nothing: the end of a list that is empty. */
    static const char nothing[22] = "PK\5\6";
    gnd_status status = check_arrays(fn, path, count, arrays);
    if (status != GND_OK) return status;
    const gndi_libzip *lib = gndi_libzip_get(fn);
    if (!lib) return gndi_ew_pending();
    gndi_output out;
    status = gndi_output_open_beside(&out, fn, path);
    if (status == GND_OK) {
        status = count == 0 ? gndi_output_write(&out, nothing, sizeof nothing)
                            : write_zip(lib, fn, &out, count, arrays, compressed);
        status = gndi_output_close(&out, status);
    }
    return status;
}

gnd_status gnd_savez(const char *path, int count, const gnd_named *arrays) {
    GNDI_PARTS_OF("gnd_savez");
    return savez("gnd_savez", path, count, arrays, false);
}

gnd_status gnd_savez_compressed(const char *path, int count, const gnd_named *arrays) {
    GNDI_PARTS_OF("gnd_savez_compressed");
    return savez("gnd_savez_compressed", path, count, arrays, true);
}
