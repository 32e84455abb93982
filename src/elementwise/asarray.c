/*
 * asarray.c: arrays with a wanted dtype, layout, device and properties: the array itself where it has them, else a
 * copy.
 */
#include "elementwise/create.h"
#include "elementwise/elementwise.h"
#include "elementwise/item.h"

static gnd_status check_options(const char *fn, const gnd_asarray_options *o) {
    if (o->dtype && !gndi_dtype_valid((int)o->dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "there is no dtype number %d", (int)o->dtype);
    if (o->order && !strchr("KCFA", o->order))
        return gndi_raise(GND_ERROR_INVALID, fn, "order must be 'K', 'C', 'F' or 'A', not '%c'", o->order);
    if ((unsigned)o->copy > GND_COPY_NEVER)
        return gndi_raise(GND_ERROR_INVALID, fn, "there is no copy mode number %d", (int)o->copy);
    return GND_OK;
}

static bool has_order(const gnd_array *x, char order) {
    if (order == 'C') return gndi_is_c_contiguous(x);
    return order != 'F' || gndi_is_f_contiguous(x);
}

/* A copy. A cast one keeps x's order of axes where any order is allowed, as NumPy's does. */
static gnd_array *copied(const char *fn, const gnd_array *x, gnd_dtype dtype, char order) {
    if (!order || (order == 'A' && (gnd_dtype)x->dtype != dtype)) order = 'K';
    return gndi_copy_as(fn, x, dtype, order);
}

/* x on another device: cast before it moves, and put into another order there. */
static gnd_array *moved(const char *fn, const gnd_array *x, gnd_dtype dtype, const gnd_asarray_options *o) {
    gnd_array *cast = NULL;
    if ((gnd_dtype)x->dtype != dtype && !(cast = gndi_copy_as(fn, x, dtype, 'C'))) return NULL;
    gnd_array *there = gndi_to_device(fn, cast ? cast : x, *o->device);
    gnd_release(cast);
    if (!there || o->order != 'F' || gndi_is_f_contiguous(there)) return there;
    gnd_array *reordered = gndi_copy_as(fn, there, dtype, 'F');
    gnd_release(there);
    return reordered;
}

gnd_array *gndi_asarray(const char *fn, const gnd_array *x, const gnd_asarray_options *options) {
    static const gnd_asarray_options any;
    const gnd_asarray_options *o = options ? options : &any;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (check_options(fn, o)) return NULL;
    const gnd_dtype dtype = o->dtype ? o->dtype : (gnd_dtype)x->dtype;
    const bool away = o->device && !gnd_device_equal(*o->device, gnd_device_of(x));
    const bool same = !away && dtype == (gnd_dtype)x->dtype && has_order(x, o->order);
    if (same && o->copy != GND_COPY_ALWAYS) return gndi_array_alias(fn, x);
    if (o->copy == GND_COPY_NEVER)
        return gndi_fail(GND_ERROR_VALUE, fn, "x, %s, would have to be copied: its %s is another than asked for",
                         gndi_text_array(x),
                         away                           ? "device"
                         : dtype != (gnd_dtype)x->dtype ? "dtype"
                                                        : "order in memory");
    if (away) return moved(fn, x, dtype, o);
    return copied(fn, x, dtype, o->order);
}

gnd_array *gnd_asarray(const gnd_array *x, const gnd_asarray_options *options) {
    return gndi_asarray("gnd_asarray", x, options);
}

/* ---- properties ----------------------------------------------------------------------------- */

enum { NEEDS_C = 1, NEEDS_F = 2, NEEDS_WRITABLE = 4, NEEDS_OWNER = 8 };

static int read_requirements(const char *fn, const char *letters) {
    int needs = 0;
    for (const char *c = letters; *c; c++) switch (*c) {
        case 'C': needs |= NEEDS_C; break;
        case 'F': needs |= NEEDS_F; break;
        case 'W': needs |= NEEDS_WRITABLE; break;
        case 'O': needs |= NEEDS_OWNER; break;
        case 'A': /* all arrays are */
        case 'E': break;
        default:
            gndi_raise(GND_ERROR_INVALID, fn, "there is no requirement '%c'; C, F, W, O, A and E are known", *c);
            return -1;
        }
    if ((needs & NEEDS_C) && (needs & NEEDS_F)) {
        gndi_raise(GND_ERROR_INVALID, fn, "C and F cannot both be required");
        return -1;
    }
    return needs;
}

gnd_array *gnd_require(const gnd_array *x, gnd_dtype dtype, const char *requirements) {
    static const char fn[] = "gnd_require";
    if (gndi_missing(x) || !requirements) return gndi_raise_null(fn, gndi_missing(x) ? "x" : "requirements"), NULL;
    if (dtype && !gndi_dtype_valid((int)dtype))
        return gndi_fail(GND_ERROR_DTYPE, fn, "there is no dtype number %d", (int)dtype);
    const int needs = read_requirements(fn, requirements);
    if (needs < 0) return NULL;
    const char order = needs & NEEDS_F ? 'F' : needs & NEEDS_C ? 'C' : 'A';
    const bool has = (!dtype || dtype == (gnd_dtype)x->dtype) && has_order(x, order) &&
                     !((needs & NEEDS_WRITABLE) && (x->flags & GNDI_READONLY)) &&
                     !((needs & NEEDS_OWNER) && (x->flags & GNDI_VIEW));
    if (has) return gndi_array_alias(fn, x);
    return copied(fn, x, dtype ? dtype : (gnd_dtype)x->dtype, order);
}
