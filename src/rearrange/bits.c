/*
 * bits.c: bits packed into bytes and unpacked, along an axis.
 */
#include "core/axes.h"
#include "rearrange/bits_plan.h"
#include "rearrange/rearrange.h"

/* The axes of the lines, all but `axis`, in the order of what is written, merged. */
static void plan_lines(gndi_bits_plan *plan, const gnd_array *from, const gnd_array *to, int axis) {
    int64_t *const stride[] = {plan->unpack ? plan->element.stride : plan->byte.stride,
                               plan->unpack ? plan->byte.stride : plan->element.stride};
    gndi_walk w = {.operands = 2, .leaders = 1, .shape = plan->shape, .stride = stride};
    gndi_walk_arrays(&w, (const gnd_array *[]){to, from}, axis);
    plan->ndim = gndi_walk_collapse(&w, 0, w.ndim);
    plan->lines = gndi_walk_size(&w);
}

static gnd_status submit(const char *fn, const gnd_array *from, gnd_array *to, int axis, bool unpack,
                         gnd_bit_order order) {
    const gnd_array *element = unpack ? to : from, *byte = unpack ? from : to;
    gndi_bits_plan plan = {.unpack = unpack,
                           .little = order == GND_LITTLE,
                           .itemsize = (uint8_t)gndi_itemsize(element),
                           .elements = element->shape[axis],
                           .bytes = byte->shape[axis]};
    plan.element.data = gndi_data(element), plan.element.step = element->strides[axis];
    plan.byte.data = gndi_data(byte), plan.byte.step = byte->strides[axis];
    plan_lines(&plan, from, to, axis);
    gnd_stream *s = gndi_work_begin(fn, 1, &from, 1, (const gnd_array *[]){to});
    return s ? gndi_work_end(s, s->device->backend->bits(s, &plan, fn), fn) : gndi_ew_pending();
}

/* `a`, flat if that is asked for or it is 0-d; its axis from the front. NULL and an error if that does
   not go. */
static gnd_array *along(const char *fn, const gnd_array *a, int *axis, gnd_bit_order order) {
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if ((unsigned)order > GND_LITTLE)
        return gndi_fail(GND_ERROR_INVALID, fn, "there is no order of bits number %d", (int)order);
    const bool flat = *axis == GND_FLAT;
    if (flat) *axis = 0;
    if (!gndi_normalize_axis(fn, *axis, flat || a->ndim == 0 ? 1 : a->ndim, axis)) return NULL;
    return flat || a->ndim == 0 ? gndi_flat(fn, a) : gndi_array_alias(fn, a);
}

/* The result, `length` long along the axis, from `line`, which is released. */
static gnd_array *converted(const char *fn, gnd_array *line, int axis, int64_t length, bool unpack,
                            gnd_bit_order order) {
    int64_t shape[GND_MAX_DIMS];
    memcpy(shape, line->shape, (size_t)line->ndim * sizeof *shape);
    shape[axis] = length;
    gnd_array *result = gndi_new_in_order(fn, line, shape, GND_UINT8);
    if (result && result->size && line->size == 0) { /* no bytes, and bits asked for */
        result = gndi_zero(fn, result);
    } else if (result && result->size && submit(fn, line, result, axis, unpack, order)) {
        gnd_release(result);
        result = NULL;
    }
    gnd_release(line);
    return result;
}

gnd_array *gnd_packbits(const gnd_array *a, int axis, gnd_bit_order order) {
    static const char fn[] = "gnd_packbits";
    gnd_array *line = along(fn, a, &axis, order);
    if (!line) return NULL;
    if (line->dtype != GND_BOOL && !gndi_dtype_is_int(line->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, fn, "packs bool and integers, by their truth; a is %s",
                   gnd_dtype_name((gnd_dtype)line->dtype));
        gnd_release(line);
        return NULL;
    }
    const int64_t size = line->shape[axis];
    return converted(fn, line, axis, size / 8 + (size % 8 != 0), false, order);
}

gnd_array *gnd_unpackbits(const gnd_array *a, int axis, int64_t count, gnd_bit_order order) {
    static const char fn[] = "gnd_unpackbits";
    gnd_array *line = along(fn, a, &axis, order);
    if (!line) return NULL;
    const int64_t bytes = line->shape[axis];
    int64_t length = bytes;
    gnd_status status = GND_OK;
    if (line->dtype != GND_UINT8)
        status = gndi_raise(GND_ERROR_DTYPE, fn, "unpacks uint8; a is %s", gnd_dtype_name((gnd_dtype)line->dtype));
    else if (__builtin_mul_overflow(bytes, (int64_t)8, &length))
        status = gndi_raise(GND_ERROR_MEMORY, fn, "the bits of an axis do not fit 64 bits");
    else if (count != GND_OPEN && count < -length)
        status = gndi_raise(GND_ERROR_VALUE, fn, "a count of %lld takes away more than the %lld bits that there are",
                            (long long)count, (long long)length);
    if (!status)
        return converted(fn, line, axis, count == GND_OPEN ? length : count < 0 ? length + count : count, true, order);
    gnd_release(line);
    return NULL;
}
