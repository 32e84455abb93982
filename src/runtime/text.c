/*
 * text.c: describes an array for messages.
 */
#include "runtime/runtime.h"
#include <stdio.h>

const char *gndi_text_array(const gnd_array *a) {
    if (a == NULL) return "NULL";
    const char *shape = gndi_text_shape(a->ndim, a->shape);
    const char *device = gndi_text_device(a->buffer->device->id);
    char *text = gndi_text_buffer();
    snprintf(text, GNDI_TEXT_BYTES, "%s %.700s on %s", gnd_dtype_name((gnd_dtype)a->dtype), shape, device);
    return text;
}
