/*
 * pad_function.c: borders that a C function of the user's fills in, line by line.
 */
#include "array/call_result.h"
#include "pad/pad.h"

/* The line of the result along an axis at an index, whatever that says of the axis itself. */
static gnd_array *line_at(const gndi_padding *p, int axis, const int64_t *index) {
    const gnd_array *a = p->padded;
    char *data = gndi_data(a);
    for (int i = 0; i < a->ndim && a->size; i++)
        if (i != axis) data += index[i] * a->strides[i];
    return gndi_array_view(p->fn, a, 1, &a->shape[axis], &a->strides[axis], data, (gnd_dtype)a->dtype);
}

/* The next index in C order of the other axes; false behind the last one. */
static bool next_line(const gnd_array *a, int axis, int64_t *index) {
    for (int i = a->ndim - 1; i >= 0; i--) {
        if (i == axis) continue;
        if (++index[i] < a->shape[i]) return true;
        index[i] = 0;
    }
    return false;
}

static gnd_status call(const gndi_padding *p, int axis, const int64_t *index) {
    static const char good;
    gnd_scope scope;
    gnd_scope_open(&scope);
    const bool pending = gnd_error() != NULL;
    gnd_array *line = line_at(p, axis, index);
    gnd_status status = gndi_ew_pending();
    if (line) {
        status = p->options->function(line, p->width[axis], axis, p->options->context);
        if (status && !gnd_error())
            gndi_raise(status, p->fn, "the function returned status %d, and recorded no error", (int)status);
        if (!status && !gndi_call_succeeded(p->fn, &good, pending)) status = gndi_ew_pending();
    }
    gnd_scope_close(&scope);
    return status;
}

gnd_status gndi_pad_by_function(const gndi_padding *p) {
    const gnd_array *a = p->padded;
    gnd_status status = GND_OK;
    for (int axis = 0; axis < a->ndim && !status; axis++) {
        int64_t index[GND_MAX_DIMS] = {0};
        bool more = true; /* if no other axis is empty */
        for (int i = 0; i < a->ndim; i++)
            if (i != axis && a->shape[i] == 0) more = false;
        while (more && !status) {
            status = call(p, axis, index);
            more = next_line(a, axis, index);
        }
    }
    return status;
}
