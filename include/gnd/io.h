/*
 * gnd/io.h: arrays in files, in NumPy's .npy format.
 *
 * Files of versions 1.0, 2.0 and 3.0 are read, in C and Fortran order, with elements of any of
 * gnd's dtypes in either byte order. Refused, with a sentence that says why: anything that is not
 * such a file or ends too early, Python objects (pickles are never read), structured, text and date
 * dtypes, and sizes that do not fit. Bytes after the array are ignored, as NumPy does. bfloat16,
 * for which NumPy has no name, is written as '<V2', as NumPy with ml_dtypes does; '<V2', '|V2' and
 * 'bfloat16' are read as bfloat16.
 */
#ifndef GND_IO_H
#define GND_IO_H

#include <gnd/base.h>
#include <stdio.h>

GND_BEGIN

/**
 * The array in a .npy file, on the current device, in the file's order (numpy.load). The file is
 * read piece by piece straight to the device. GND_ERROR_IO if it cannot be read or is not what it
 * should be, GND_ERROR_DTYPE for dtypes that gnd does not have, GND_ERROR_MEMORY if it does not
 * fit.
 */
GND_API gnd_array *gnd_load(const char *path);
/** The same from an open file, at its current position, which moves to just after the array. */
GND_API gnd_array *gnd_load_file(FILE *file);

/**
 * Writes an array as a .npy file (numpy.save; `path` is taken as it is), in Fortran order if the
 * array is Fortran and not C contiguous. Waits for the array's value. The data goes to a new file
 * beside `path` that replaces it at the end, so a failed save leaves an existing file as it was; a
 * path that is no regular file (a pipe, a link) is written directly. GND_ERROR_IO says what failed.
 */
GND_API gnd_status gnd_save(const char *path, const gnd_array *a);
/** The same to an open file, at its current position. */
GND_API gnd_status gnd_save_file(FILE *file, const gnd_array *a);

GND_END

#endif
