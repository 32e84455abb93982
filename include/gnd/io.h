/*
 * gnd/io.h: arrays in files: NumPy's .npy, whole or in parts, several in one .npz, and plain bytes. Text is in
 * gnd/textfile.h, pictures in gnd/image.h, sound in gnd/sound.h.
 *
 * .npy files of versions 1.0, 2.0 and 3.0 are read, in C and Fortran order, with elements of any of
 * gnd's dtypes in either byte order. Refused, with a sentence that says why: anything that is not
 * such a file or ends too early, Python objects (pickles are never read), structured, text and date
 * dtypes, and sizes that do not fit. Bytes after the array are ignored, as NumPy does. bfloat16,
 * for which NumPy has no name, is written as '<V2', as NumPy with ml_dtypes does; '<V2', '|V2' and
 * 'bfloat16' are read as bfloat16.
 */
#ifndef GND_IO_H
#define GND_IO_H

#include <gnd/dtype.h>
#include <gnd/shape.h>
#include <stdio.h>

GND_BEGIN

/**
 * The array in a .npy file, on the current device, in the file's order (numpy.load). The file is read piece
 * by piece straight to the device; from a pipe no more is read than the array needs. GND_ERROR_IO if it
 * cannot be read or is malformed, GND_ERROR_DTYPE for dtypes that gnd does not have, GND_ERROR_MEMORY if it
 * does not fit.
 */
GND_API gnd_array *gnd_load(const char *path);
/** The same from an open file, at its current position, which moves to just after the array. */
GND_API gnd_array *gnd_load_file(FILE *file);

/**
 * Writes an array as a .npy file (numpy.save; `path` is taken as it is), in Fortran order if the array is
 * Fortran and not C contiguous. Waits for the array's value. The data goes to a new file in the same folder
 * (unnamed, where the file system supports that), which replaces the old one when it is complete and on disk
 * (fsync). Whatever fails, even if the process is killed, either the old or the new file exists. The folder
 * must therefore be writable, not just the old file. A symbolic link stays and its target is replaced;
 * permissions are kept. Pipes and devices are written directly. GND_ERROR_IO says what failed.
 */
GND_API gnd_status gnd_save(const char *path, const gnd_array *a);
/** The same to an open file, at its current position. */
GND_API gnd_status gnd_save_file(FILE *file, const gnd_array *a);

/* ---- parts of .npy files ---------------------------------------------------------------------- */

/** What the header of a .npy file says. */
typedef struct gnd_npy_info {
    gnd_shape shape;
    gnd_dtype dtype;
    bool fortran_order; /**< elements along the first axis are next to each other */
    void *reserved[4];
} gnd_npy_info;

/** Reads the header of a .npy file, and refuses the file as gnd_load() would; also a pipe (GND_ERROR_IO). */
GND_API gnd_status gnd_npy_info_of(const char *path, gnd_npy_info *out);
/**
 * A box of the array in a .npy file, on the current device, in the file's order and dtype: of this shape, beginning at
 * index start[0], start[1], ..., one number for each axis. Only this part is read; where the gap between two rows is at
 * most 4 KiB, the gap is read with them. GND_ERROR_SHAPE if the box is not within the array, GND_ERROR_IO for a pipe;
 * else as gnd_load().
 */
GND_API gnd_array *gnd_load_part(const char *path, const int64_t *start, gnd_shape shape);
/**
 * Creates a .npy file for an array of this shape and dtype, to be filled by gnd_save_part(), by one program or by
 * several at once. Its elements are zeros, and take no space on disk where the file system has sparse files. An
 * existing file is replaced. GND_ERROR_IO says what failed; GND_ERROR_DTYPE and GND_ERROR_SHAPE for a dtype or a shape
 * that does not exist.
 */
GND_API gnd_status gnd_npy_create(const char *path, gnd_shape shape, gnd_dtype dtype, bool fortran_order);
/**
 * Writes `a` into the array in an existing .npy file, from index start[0], start[1], ... on; the rest of the file
 * stays. Waits for the array's value, and until it is on disk (fsync). A failure may leave a part of the box written.
 * GND_ERROR_SHAPE if the box is not within the array, GND_ERROR_DTYPE if `a` has another dtype than the file,
 * GND_ERROR_INVALID for a file in the other byte order, GND_ERROR_IO for what else fails.
 */
GND_API gnd_status gnd_save_part(const char *path, const int64_t *start, const gnd_array *a);

/* ---- .npz: several arrays in one file ------------------------------------------------------- */

/** An array and the name it has in a file; NULL: "arr_" and its index, as numpy.savez names it. */
typedef struct gnd_named {
    const char *name;
    const gnd_array *array;
} gnd_named;

/**
 * Writes arrays into one .npz file (numpy.savez; `path` is taken as it is), each as a .npy file of its own in
 * a zip, and none of them compressed:
 *
 *     gnd_savez("run.npz", GND_NAMED({"x", x}, {"y", y}));
 *
 * Waits for the arrays' values. Files beyond 4 GiB are zip64. An existing file is replaced at the end, as by
 * gnd_save. GND_ERROR_INVALID if two names are the same, GND_ERROR_IO if it cannot be written,
 * GND_ERROR_UNAVAILABLE without libzip (Debian: libzip4), which all of .npz needs.
 */
GND_API gnd_status gnd_savez(const char *path, int count, const gnd_named *arrays);
/** The same, compressed (numpy.savez_compressed). */
GND_API gnd_status gnd_savez_compressed(const char *path, int count, const gnd_named *arrays);

/** An open .npz file. One thread at a time may use it. */
typedef struct gnd_npz gnd_npz;

/**
 * Opens a .npz file and reads its table of contents (numpy.load). Close it with gnd_npz_close. NULL, and
 * GND_ERROR_IO, if it is no zip.
 */
GND_API gnd_npz *gnd_npz_open(const char *path);
/** Closes the file; arrays that were read from it stay. NULL is ignored. */
GND_API void gnd_npz_close(gnd_npz *npz);
/** How many arrays are in the file. */
GND_API int64_t gnd_npz_count(const gnd_npz *npz);
/** The name of array number `index`, from 0, in the file's order; it lives as long as `npz`. NULL, and
 * GND_ERROR_INDEX, beyond the last one. */
GND_API const char *gnd_npz_name(const gnd_npz *npz, int64_t index);
/**
 * The array with this name, on the current device; its check sum is verified. GND_ERROR_INVALID if
 * there is none of this name; the sentence lists those that there are. Else as gnd_load.
 */
GND_API gnd_array *gnd_npz_get(gnd_npz *npz, const char *name);
/** One array out of a .npz file: opens, reads and closes it. */
GND_API gnd_array *gnd_load_npz(const char *path, const char *name);

/* ---- plain bytes ---------------------------------------------------------------------------- */

/**
 * Writes the elements only, in C order and native byte order, without a header (numpy.ndarray.tofile). Waits.
 * An existing file is replaced at the end, as by gnd_save.
 */
GND_API gnd_status gnd_tofile(const char *path, const gnd_array *a);

/**
 * Reads `count` elements of `dtype` from a file of plain bytes, `offset` bytes from its beginning, into a new
 * array of one dimension (numpy.fromfile). A `count` of -1 reads to the end. Unlike numpy.fromfile, a file
 * with fewer than `count` elements or with a partial element at the end is GND_ERROR_IO: dtype, count or
 * offset do not match the file. For bool, nonzero bytes are true.
 */
GND_API gnd_array *gnd_fromfile(const char *path, gnd_dtype dtype, int64_t count, int64_t offset);

GND_END

#ifndef __cplusplus
/** The count and the list of gnd_savez: GND_NAMED({"x", x}, {"y", y}). */
#    define GND_NAMED(...)                                                                                             \
        (int)(sizeof((const gnd_named[]){__VA_ARGS__}) / sizeof(gnd_named)), (const gnd_named[]) {                     \
            __VA_ARGS__                                                                                                \
        }
#else
#    include <initializer_list>
/** The count and the list of gnd_savez: GND_NAMED({"x", x}, {"y", y}). */
#    define GND_NAMED(...)                                                                                             \
        (int)std::initializer_list<gnd_named>{__VA_ARGS__}.size(), std::initializer_list<gnd_named>{__VA_ARGS__}.begin()
#endif

#endif
