/*
 * picture.c: see picture.h.
 */
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef HAVE_PNG
#    include <png.h>
#endif

/* The next number of a PGM header, over white space and comments; -1 if there is none. */
static int header_number(FILE *f) {
    int c = getc(f);
    while (c == '#' || c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        if (c == '#')
            while (c != '\n' && c != EOF) c = getc(f);
        c = getc(f);
    }
    ungetc(c, f);
    int number;
    return fscanf(f, "%9d", &number) == 1 ? number : -1;
}

int picture_read(const char *path, picture *out) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return 0;
    }
    int ok = getc(f) == 'P' && getc(f) == '5';
    int width = ok ? header_number(f) : -1, height = ok ? header_number(f) : -1;
    ok = ok && header_number(f) == 255;
    ok = ok && width > 0 && height > 0 && width < 65536 && height < 65536;
    if (ok) {
        getc(f); /* the single white space before the pixels */
        size_t count = (size_t)width * (size_t)height;
        *out = (picture){height, width, malloc(count)};
        ok = out->pixels && fread(out->pixels, 1, count, f) == count;
        if (!ok) free(out->pixels), out->pixels = NULL;
    }
    fclose(f);
    if (!ok) fprintf(stderr, "%s: not a complete 8-bit binary PGM picture\n", path);
    return ok;
}

#ifdef HAVE_PNG
const char *picture_write(const char *base, const picture *p) {
    char path[4096];
    snprintf(path, sizeof path, "%s.png", base);
    png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_GRAY};
    image.width = (png_uint_32)p->width, image.height = (png_uint_32)p->height;
    if (png_image_write_to_file(&image, path, 0, p->pixels, 0, NULL)) return ".png";
    fprintf(stderr, "%s: %s\n", path, image.message);
    return NULL;
}
#else
const char *picture_write(const char *base, const picture *p) {
    char path[4096];
    snprintf(path, sizeof path, "%s.pgm", base);
    FILE *f = fopen(path, "wb");
    size_t count = (size_t)p->width * (size_t)p->height;
    int ok = f && fprintf(f, "P5\n%d %d\n255\n", p->width, p->height) > 0 &&
             fwrite(p->pixels, 1, count, f) == count;
    if (f && fclose(f) != 0) ok = 0;
    if (!ok) perror(path);
    return ok ? ".pgm" : NULL;
}
#endif

const char *picture_save(const char *base, const gnd_array *grey) {
    const size_t count = (size_t)gnd_size(grey);
    picture p = {(int)gnd_dim(grey, 0), (int)gnd_dim(grey, 1), malloc(count)};
    const bool there = p.pixels && gnd_to_host(grey, p.pixels, count) == GND_OK;
    const char *ending = there ? picture_write(base, &p) : NULL;
    free(p.pixels);
    return ending;
}
