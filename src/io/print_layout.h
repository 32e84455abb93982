/*
 * print_layout.h: the text of a whole array.
 */
#ifndef GNDI_IO_PRINT_LAYOUT_H
#define GNDI_IO_PRINT_LAYOUT_H

#include "core/core.h"

/* Text that grows. After a failed allocation (an error is pending) `data` is NULL for good. */
typedef struct gndi_text {
    const char *fn; /* for messages */
    char *data;
    size_t length, capacity;
    bool failed;
} gndi_text;

void gndi_text_append(gndi_text *t, const char *s, size_t length);
void gndi_text_repeat(gndi_text *t, char c, size_t count);

/* An array whose shown elements are in host memory: all of them, or if it is summarised the first
   and last `edge` of each axis longer than twice that, together, C order (`edge` 0: all
   of them). */
typedef struct gndi_shown {
    gnd_dtype dtype;
    int ndim;
    int64_t shape[GND_MAX_DIMS]; /* of the array */
    int64_t step[GND_MAX_DIMS];  /* bytes between neighbours in `elements` */
    bool summarised;
    int64_t edge;
    const char *elements;
    int64_t count; /* of elements */
} gndi_shown;

/* Appends the array's text, brackets included. `width` is the line's, `indent` that of all lines
   but the first. */
void gndi_text_layout(gndi_text *t, const gndi_shown *shown, const gnd_print_options *options, int width,
                      const char *separator, int indent);

#endif
