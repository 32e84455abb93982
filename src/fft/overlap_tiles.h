/*
 * overlap_tiles.h: the tiles of convolutions by overlap-save (overlap_plan.h).
 */
#ifndef GNDI_OVERLAP_TILES_H
#define GNDI_OVERLAP_TILES_H

/* Elements of a tile: of a line, by the size of a real number, and of a matrix along each axis. */
#define GNDI_OVERLAP_LINE(real_bytes) ((real_bytes) == 4 ? 4096 : 2048)
enum { GNDI_OVERLAP_SIDE = 512 };

#endif
