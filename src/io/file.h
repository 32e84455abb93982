/*
 * file.h: what the file formats share: bytes that come from a file or from inside an archive, files
 * that replace others once they are whole, and arrays that go in and out piece by piece.
 */
#ifndef GNDI_IO_FILE_H
#define GNDI_IO_FILE_H

#include "elementwise/elementwise.h"
#include <stdio.h>

/* A path in quotes, for messages. */
typedef struct gndi_path_text {
    char text[608];
} gndi_path_text;
void gndi_quote_path(const char *path, gndi_path_text *name);

/* ---- bytes that come in --------------------------------------------------------------------- */

/* Where bytes come from, and what messages call it. */
typedef struct gndi_source {
    const char *fn, *name;
    /* Reads up to `bytes`; fewer at the end, or when something failed, which `problem` then tells. */
    size_t (*read)(struct gndi_source *source, void *to, size_t bytes);
    void *context; /* the FILE, or the entry of an archive */
    const char *problem;
    int64_t allowance; /* so many bytes more are read of a file; INT64_MAX: a regular one, which ends */
} gndi_source;

/* An open file. */
gndi_source gndi_source_of(const char *fn, const char *name, FILE *file);
/* Opens a file to be read; false, and an error, if that fails. Close it with fclose(context). */
bool gndi_source_open(gndi_source *source, const char *fn, const char *path, gndi_path_text *name);
/* Reads all of these bytes, "data" or "header" in messages, or raises. */
gnd_status gndi_source_read(gndi_source *source, void *to, size_t bytes, const char *what);
/* Of what is no regular file: as many bytes more may be read, since the headers said so. */
void gndi_source_allow(gndi_source *source, size_t bytes);
/* How many bytes are left of a regular file; -1 if that is not known. */
int64_t gndi_bytes_left(FILE *file);
/* Reads the rest of a file into memory of gndi_malloc, behind the `length` bytes that were read of it already, and
   appends a zero. NULL and an error. */
char *gndi_read_all(gndi_source *source, const char *begin, size_t length, size_t *bytes);

/* ---- bytes that go out ---------------------------------------------------------------------- */

/* A file that is written. Data goes to a new file in the folder of the one that `path` names or leads to, and
   takes its place at the end; a path that is no regular file (a pipe, a device) is written directly. */
typedef struct gndi_output {
    const char *fn;
    const char *name; /* for messages */
    FILE *file;
    int folder;         /* where it is written; -1: directly */
    char *target;       /* the folder's path, which ends before the */
    const char *base;   /* name in it */
    char temporary[40]; /* the new file's name for now; "": it has none */
    gndi_path_text text;
} gndi_output;

gnd_status gndi_output_open(gndi_output *out, const char *fn, const char *path);
/* The same for what cannot be written directly: fails if that is no regular file. */
gnd_status gndi_output_open_beside(gndi_output *out, const char *fn, const char *path);
/* Closes and replaces, if `status` is good, else leaves what was there. Gives what it came to. */
gnd_status gndi_output_close(gndi_output *out, gnd_status status);
/* An open file of the caller's, for gndi_output_write alone. */
gndi_output gndi_output_of(const char *fn, const char *name, FILE *file);
gnd_status gndi_output_write(gndi_output *out, const void *from, size_t bytes);

/* ---- arrays, piece by piece (pieces.c) ------------------------------------------------------ */

/* The elements of an array in C order, some megabytes of host memory at a time. */
typedef struct gndi_pieces {
    const char *fn;
    const gnd_array *array;
    char *buffer;             /* NULL where the array is host memory in C order */
    int axis;                 /* pieces are cut along it; those before it are walked */
    int64_t rows;             /* at most this many of that axis */
    int64_t at[GND_MAX_DIMS]; /* where the next piece begins */
    bool done;
} gndi_pieces;

/* Waits for what is queued. End it with gndi_pieces_end, also if this fails. */
gnd_status gndi_pieces_begin(gndi_pieces *p, const char *fn, const gnd_array *a);
/* The next piece; 0 bytes after the last. */
gnd_status gndi_pieces_next(gndi_pieces *p, const char **bytes, size_t *count);
void gndi_pieces_end(gndi_pieces *p);
/* All pieces into a file. */
gnd_status gndi_write_array(gndi_output *out, const gnd_array *a);

/* Reads the elements of a new array, in the order they have in memory, all of it; `tidy` (NULL: none)
   puts right what the file has otherwise. Waits. */
gnd_status gndi_read_array(gndi_source *source, gnd_array *a,
                           void (*tidy)(const void *context, char *data, size_t bytes), const void *context);

/* A new dense array in C order on the current device, with the elements of host memory. */
gnd_array *gndi_array_of_bytes(const char *fn, const void *data, int ndim, const int64_t *shape, gnd_dtype dtype);

/* Turns the bytes of each word around. */
void gndi_swap_bytes(char *data, size_t bytes, size_t word);
bool gndi_is_big_endian(void);

#endif
