/*
 * picture.h: greyscale pictures in and out, for the examples: binary PGM is read, PNG is written
 * (PGM where the examples were built without libpng).
 */
#ifndef PICTURE_H
#define PICTURE_H

#include <gnd.h>
#include <stdint.h>

typedef struct picture {
    int height, width;
    uint8_t *pixels; /* row after row; malloc'ed */
} picture;

/* Reads an 8-bit binary PGM (P5). False, and a line on stderr, if that can't be done. */
int picture_read(const char *path, picture *out);
/* Writes `base`.png or `base`.pgm; returns the ending it wrote, NULL and a line on stderr if it
   could not. */
const char *picture_write(const char *base, const picture *p);
/* The same for an array of uint8 with two dimensions, on any device. */
const char *picture_save(const char *base, const gnd_array *grey);

#endif
