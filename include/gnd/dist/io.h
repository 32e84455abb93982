/*
 * gnd/dist/io.h: split arrays in .npy files, which all ranks read and write at once, each its own part.
 *
 * The path leads to the same file on all ranks: on one machine, or on a disk that they share.
 */
#ifndef GND_DIST_IO_H
#define GND_DIST_IO_H

#include <gnd/dist/array.h>
#include <gnd/io.h>

GND_BEGIN

/**
 * The array in a .npy file in this layout. Each rank reads its block; where rows of a block are shorter than 4 KiB in
 * the file, the ranks read consecutive parts and exchange them. Collective; waits. What a rank cannot read or has no
 * memory for is an error on all: GND_ERROR_IO and others, as of gnd_load().
 */
GND_API gnd_dist *gnd_dist_load(gnd_mesh *mesh, const char *path, gnd_layout layout);

/**
 * Writes x as a .npy file in C order, of which each rank writes its block, by the same rule. The data goes to a new
 * file beside it, `path` and ".part", which takes its place when it is whole and on disk: if a rank fails, all have its
 * error, and what was there stays. Collective; waits. GND_ERROR_IO says what failed.
 */
GND_API gnd_status gnd_dist_save(const char *path, const gnd_dist *x);

GND_END

#endif
