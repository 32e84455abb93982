/*
 * gnd/dist/io.h: split arrays in .npy files, which all ranks read and write together, each its own part.
 *
 * The path must name the same file on all ranks: on one machine, or on a file system that they share.
 */
#ifndef GND_DIST_IO_H
#define GND_DIST_IO_H

#include <gnd/dist/array.h>
#include <gnd/io.h>

GND_BEGIN

/**
 * The array in a .npy file, in this layout. Each rank reads its block; where rows of a block are shorter than 4 KiB in
 * the file, the ranks read consecutive parts and exchange them. Collective; waits. If a rank cannot read its part or
 * has no memory, all ranks have its error: those of gnd_load().
 */
GND_API gnd_dist *gnd_dist_load(gnd_mesh *mesh, const char *path, gnd_layout layout);

/**
 * Writes x as a .npy file in C order. Each rank writes its block, with the same exception for short rows. The data goes
 * to a new file, `path` with ".part" appended, which replaces `path` when it is complete and on disk. If a rank fails,
 * all have its error, and the old file stays. Collective; waits. GND_ERROR_IO says what failed.
 */
GND_API gnd_status gnd_dist_save(const char *path, const gnd_dist *x);

GND_END

#endif
