/*
 * text.c: text for messages: shapes, arrays and devices. Each text is written to the next buffer of a
 * per-thread ring, so one message can contain several.
 */
#include "core/core.h"
#include <inttypes.h>
#include <stdio.h>

const char *gndi_text_shape(int ndim, const int64_t *shape) {
    char *text = gndi_text_buffer();
    size_t used = 0;
    text[used++] = '(';
    for (int i = 0; i < ndim; i++) {
        /* 64 sizes of 20 digits do not fit: such a shape is cut off. */
        if (used + 32 > GNDI_TEXT_BYTES) {
            used += (size_t)snprintf(text + used, GNDI_TEXT_BYTES - used, "...");
            break;
        }
        used += (size_t)snprintf(text + used, GNDI_TEXT_BYTES - used, "%s%" PRId64, i ? ", " : "", shape[i]);
    }
    snprintf(text + used, GNDI_TEXT_BYTES - used, ndim == 1 ? ",)" : ")");
    return text;
}

const char *gndi_text_device(gnd_device d) {
    if (d.kind == GND_CPU && d.index == 0) return "cpu";
    char *text = gndi_text_buffer();
    snprintf(text, GNDI_TEXT_BYTES, "%s:%d", d.kind == GND_CPU ? "cpu" : "gpu", d.index);
    return text;
}
