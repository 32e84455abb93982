/*
 * sigmf_files.c: the files of a SigMF recording, and archives of them (POSIX ustar: headers of 512 bytes, each before a
 * file's bytes, which are filled up to 512).
 */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "io/file.h"
#include "samples/sigmf.h"
#include <stdlib.h>

enum { BLOCK = 512 };

static bool ends_with(const char *text, size_t length, const char *end) {
    const size_t n = strlen(end);
    return length > n && memcmp(text + length - n, end, n) == 0;
}

/* The first `length` characters of a text, and another one. */
static char *join(const char *fn, const char *text, size_t length, const char *end) {
    const size_t more = strlen(end) + 1;
    char *joined = gndi_malloc(fn, length + more);
    if (!joined) return NULL;
    memcpy(joined, text, length);
    memcpy(joined + length, end, more);
    return joined;
}

bool gndi_sigmf_names(const char *fn, const char *path, gndi_sigmf_files *files) {
    size_t length = strlen(path);
    *files = (gndi_sigmf_files){.archive = ends_with(path, length, ".sigmf"), .meta_at = -1, .data_at = -1};
    if (ends_with(path, length, ".sigmf-meta") || ends_with(path, length, ".sigmf-data"))
        length -= strlen(".sigmf-meta");
    files->meta = join(fn, path, length, files->archive ? "" : ".sigmf-meta");
    files->data = files->meta ? join(fn, path, length, files->archive ? "" : ".sigmf-data") : NULL;
    if (files->data) return true;
    gndi_sigmf_free_names(files);
    return false;
}

void gndi_sigmf_free_names(gndi_sigmf_files *files) {
    gndi_free(files->meta);
    gndi_free(files->data);
    files->meta = files->data = NULL;
}

/* Metadata may come from anywhere: it must not name what lies outside of its folder. */
bool gndi_sigmf_name_dataset(const char *fn, gndi_sigmf_files *files, const char *name) {
    if (files->archive || !*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        gndi_raise(GND_ERROR_IO, fn, "the dataset of \"%.300s\" is \"%.100s\", which is no file in the same folder",
                   files->meta, name);
        return false;
    }
    const char *slash = strrchr(files->meta, '/');
    char *data = join(fn, files->meta, slash ? (size_t)(slash - files->meta) + 1 : 0, name);
    if (!data) return false;
    gndi_free(files->data);
    files->data = data;
    return true;
}

/* ---- archives ------------------------------------------------------------------------------- */

/* Digits to the base 8, or, with the highest bit set, bytes; -1 if it is neither, or too large. */
static int64_t read_number(const unsigned char *text, int bytes) {
    uint64_t value = 0;
    int k = 0;
    if (text[0] & 0x80) {
        if (text[0] != 0x80) return -1;
        for (k = 1; k < bytes; k++) {
            if (value >> 54) return -1;
            value = value << 8 | text[k];
        }
        return (int64_t)value;
    }
    while (k < bytes && text[k] == ' ') k++;
    for (; k < bytes && text[k] >= '0' && text[k] <= '7'; k++) value = value << 3 | (uint64_t)(text[k] - '0');
    return k == bytes || text[k] == 0 || text[k] == ' ' ? (int64_t)value : -1;
}

static bool is_header(const unsigned char *block) {
    int64_t sum = 0;
    for (int k = 0; k < BLOCK; k++) sum += k >= 148 && k < 156 ? ' ' : block[k];
    return sum == read_number(block + 148, 8);
}

/* Takes up a file of the archive whose bytes begin at `at`. */
static bool take_up(const char *fn, gndi_sigmf_files *files, const unsigned char *block, int64_t at, int64_t bytes) {
    const char *name = (const char *)block; /* 100 bytes, which 0 may be the end of */
    const size_t length = strnlen(name, 100);
    const bool is_file = block[156] == '0' || block[156] == 0;
    const bool meta = is_file && ends_with(name, length, ".sigmf-meta");
    const bool data = is_file && ends_with(name, length, ".sigmf-data");
    if ((meta && files->meta_at >= 0) || (data && files->data_at >= 0)) {
        gndi_raise(GND_ERROR_IO, fn, "\"%.300s\" has more than one recording", files->meta);
        return false;
    }
    if (meta) files->meta_at = at, files->meta_bytes = bytes;
    if (data) files->data_at = at, files->data_bytes = bytes;
    return true;
}

bool gndi_sigmf_find_parts(const char *fn, gndi_sigmf_files *files, int file, int64_t length) {
    gndi_path_text name;
    gndi_quote_path(files->meta, &name);
    const gndi_file_part part = {name.text, file, 0};
    unsigned char block[BLOCK];
    for (int64_t at = 0; length - at >= BLOCK;) {
        if (gndi_file_part_check(&part, gndi_file_part_read(&part, at, block, BLOCK), fn)) return false;
        if (block[0] == 0) break; /* the end */
        at += BLOCK;
        const int64_t bytes = is_header(block) ? read_number(block + 124, 12) : -1;
        if (bytes < 0 || bytes > length - at) {
            gndi_raise(GND_ERROR_IO, fn, "%s is no archive, or is damaged or truncated", name.text);
            return false;
        }
        if (!take_up(fn, files, block, at, bytes)) return false;
        at += gndi_min(gndi_ceil_div(bytes, BLOCK) * BLOCK, length - at);
    }
    if (files->meta_at >= 0) return true;
    gndi_raise(GND_ERROR_IO, fn, "%s has no file of metadata, .sigmf-meta", name.text);
    return false;
}
