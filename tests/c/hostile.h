/*
 * hostile.h: files that are not what they should be: a good one is written, read, and then cut short at
 * every length and changed in every byte. Whatever is read of that must come back as an array or as an
 * error with a sentence; the sanitizers see to the rest.
 */
#ifndef GND_TESTS_HOSTILE_H
#define GND_TESTS_HOSTILE_H

#include "tap.h"

/* Reads the file at `path` and releases what it got. */
typedef gnd_array *file_reader(const char *path);

/* All of a file, with its length; NULL if it cannot be read. */
static inline char *file_bytes(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*length + 1);
    if (fread(bytes, 1, *length, file) != *length) *length = 0;
    fclose(file);
    return bytes;
}

static inline void write_bytes(const char *path, const void *bytes, size_t length) {
    remove(path); /* a new file: one that is cut to nothing and closed may be flushed to disk */
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, length, file) == length);
    if (file) fclose(file);
}

/* Whether reading gave an array, or else an error that says something. */
static inline bool array_or_sentence(file_reader *read, const char *path, bool *was_array) {
    gnd_array *a = read(path);
    gnd_error_record e;
    const bool error = gnd_error_take(&e);
    *was_array = a != NULL;
    gnd_release(a);
    return error ? a == NULL && e.code != GND_OK && strlen(e.message) > 20 : a != NULL;
}

/* The file cut at every length. `whole` is the shortest length that is read: 0 if any may be. */
static inline void check_truncations(file_reader *read, const char *path, size_t whole) {
    size_t length = 0, bad = 0, early = 0;
    char *bytes = file_bytes(path, &length);
    CHECK(bytes && length > 0);
    for (size_t cut = 0; cut < length; cut++) {
        bool was_array;
        write_bytes(path, bytes, cut);
        if (!array_or_sentence(read, path, &was_array)) bad++;
        if (was_array && cut < whole) early++;
    }
    CHECK(bad == 0 && early == 0);
    write_bytes(path, bytes, length);
    free(bytes);
}

/* Each of the first `most` bytes with a bit changed, all bits set, and none. */
static inline void check_changes(file_reader *read, const char *path, size_t most) {
    size_t length = 0, bad = 0;
    char *bytes = file_bytes(path, &length);
    CHECK(bytes && length > 0);
    for (size_t at = 0; at < length && at < most; at++) {
        const char was = bytes[at];
        const char others[] = {(char)(was ^ 1), (char)(was ^ 4), (char)(was ^ 0x20), (char)(was ^ 0x80), (char)0xff, 0};
        for (size_t k = 0; k < sizeof others; k++) {
            bool was_array;
            bytes[at] = others[k];
            write_bytes(path, bytes, length);
            if (!array_or_sentence(read, path, &was_array)) bad++;
        }
        bytes[at] = was;
    }
    CHECK(bad == 0);
    write_bytes(path, bytes, length);
    free(bytes);
}

#endif
