/*
 * ndimage.h: what the fronts of src/ndimage share: options read, separable passes, windows, parts of complex arrays.
 *
 *     options.c      options, sizes, footprints
 *     passes.c       separable filters, from their passes to the hook
 *     linear.c       correlations, Gaussians, derivatives, means
 *     extremes.c     extremes in windows
 *     ranks.c        ranks in windows, functions of windows
 *     morphology.c   erosions and dilations of truths and grey values
 *     interpolation.c, coefficients.c   splines at coordinates, and their coefficients
 */
#ifndef GNDI_NDIMAGE_H
#define GNDI_NDIMAGE_H

#include "elementwise/temporaries.h"
#include "ndimage/lines_plan.h"
#include "ndimage/neighbours_plan.h"
#include "runtime/runtime.h"
#include <gnd/image_filters.h>

/* ---- options -------------------------------------------------------------------------------- */

/* A filter's options, checked: the axes that are filtered, counted from the front, each with its own. */
typedef struct gndi_image {
    const gnd_array *input;
    const gnd_image_options *options;
    int count, axis[GND_MAX_DIMS];
    gndi_border border[GND_MAX_DIMS];
    int64_t origin[GND_MAX_DIMS];
    gnd_dtype output;
} gndi_image;

extern const gnd_image_options gndi_image_defaults;

/* Checks input and options; `complex`: complex input is taken. False, and raised. */
bool gndi_image_read(const char *fn, gndi_image *to, const gnd_array *input, const gnd_image_options *options,
                     bool complex);
/* The same of one axis. */
bool gndi_image_read_axis(const char *fn, gndi_image *to, const gnd_array *input, int axis,
                          const gnd_image_options *options, bool complex);
/* A border's mode; false, and raised. */
bool gndi_image_border(const char *fn, gnd_image_mode mode, gndi_border *border);

/* Number k of a list for `count` axes, with none, one or all of them. */
static inline int64_t gndi_image_number(const gnd_shape *list, int k, int64_t none) {
    return list->ndim == 0 ? none : list->dim[list->ndim == 1 ? 0 : k];
}
/* Whether a list has none, one or all of `count` numbers; raises. */
bool gndi_image_list(const char *fn, const char *name, const gnd_shape *list, int count);
/* Where a window of `size` begins, from its element, by its origin; raises for one off it. */
bool gndi_image_first(const char *fn, int64_t size, int64_t origin, int axis, int64_t *first);

/* A window: its sizes along all axes of the input, where it begins, and its elements. */
typedef struct gndi_image_window {
    int64_t size[GND_MAX_DIMS], first[GND_MAX_DIMS];
    gndi_border border[GND_MAX_DIMS];
    const gnd_array *mask; /* bool, dense; NULL: all elements */
    int64_t elements;      /* those that the mask has; without `counted` of it all; of sizes INT32_MAX at most */
} gndi_image_window;

/* The window of sizes, or of a footprint. `counted`: how many elements the footprint has is waited for, and one with
   all of them is dropped. */
bool gndi_image_window_of(gndi_temporaries *s, const gndi_image *image, const gnd_shape *size,
                          const gnd_array *footprint, bool counted, gndi_image_window *to);

/* ---- dtypes --------------------------------------------------------------------------------- */

/* Whether float32 has all of a dtype's values. */
static inline bool gndi_image_is_narrow(int dtype) {
    return dtype <= GND_UINT16 ? dtype == GND_BOOL || gndi_dtype_sizes[dtype] <= 2
                               : dtype == GND_FLOAT32 || gndi_dtype_is_half(dtype);
}
/* Dense, of a dtype. */
const gnd_array *gndi_image_dense(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype);
/* A result cast to its dtype as SciPy stores it: cut to the whole part, of bool, too. */
gnd_array *gndi_image_stored(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype);

/* ---- passes (passes.c) ---------------------------------------------------------------------- */

/* A pass of a separable filter along an axis. */
typedef struct gndi_pass {
    int axis;
    gndi_border border;
    int64_t size, first;
    const double *taps;       /* on the host, `size` of them; NULL: none, or `weights` */
    const gnd_array *weights; /* float64, a dense vector */
} gndi_pass;

/* The real array x after passes of one kind, in `output`; `add_to`: an array of the dtype that is computed in (see
   gndi_passes_dtype), to which the result is added; it is returned. */
gnd_array *gndi_passes(gndi_temporaries *s, const gnd_array *x, enum gndi_lines_kind kind, int count,
                       const gndi_pass *pass, double fill, gnd_dtype output, gnd_array *add_to);
/* The sum of two filters of x, which has the dtype that is computed in: each of count[k] passes with weights on the
   host. NULL, and not raised: they are not along the last two axes, or need more than a launch each. */
gnd_array *gndi_passes_added(gndi_temporaries *s, const gnd_array *x, const int *count, const gndi_pass *const *pass,
                             double fill);
gnd_dtype gndi_passes_dtype(const gnd_array *x, enum gndi_lines_kind kind, gnd_dtype output);

/* A function of a real array, and of both parts of a complex one; the imaginary one's constant is 0. */
typedef gnd_array *(*gndi_real_filter)(gndi_temporaries *s, const gndi_image *image, const gnd_array *x, double fill,
                                       gnd_dtype output, const void *context);
gnd_array *gndi_image_by_parts(gndi_temporaries *s, const gndi_image *image, gndi_real_filter filter,
                               const void *context);

/* ---- windows (extremes.c) ------------------------------------------------------------------- */

/* A constant's bits in a dtype, modulo its range, as C casts it. */
uint64_t gndi_image_bits(double value, int dtype);
/* x continued beyond its ends: from first[a] on, shape[a] elements along each axis. In x's dtype. */
gnd_array *gndi_image_extended(gndi_temporaries *s, const gnd_array *x, const int64_t *first, const int64_t *shape,
                               const gndi_border *border, double fill);
/* The extremes in a window, by passes if it is a box. values: of the window's shape, added or subtracted; NULL: none.
   kept: see neighbours_plan.h. */
gnd_array *gndi_image_extremes(gndi_temporaries *s, const gnd_array *x, bool largest, const gndi_image_window *window,
                               const gnd_array *values, const gnd_array *kept, double fill, gnd_dtype output);

/* ---- components (flood.c) ------------------------------------------------------------------- */

/* Whether what a dilation of truths reaches without an end is found by components: neighbours in both directions,
   along all axes. Waits for the structure. */
bool gndi_flood_takes(gndi_temporaries *s, const gndi_image *image, const gnd_array *structure);
/* x and what dilations reach from it; mask: where they may, bool, NULL: everywhere; border: from beyond the ends,
   too. */
gnd_array *gndi_flood(gndi_temporaries *s, const gnd_array *x, const gnd_array *structure, const gnd_array *mask,
                      bool border);
/* The input, with what is false and has no path along the axes to the outside. */
gnd_array *gndi_without_holes(gndi_temporaries *s, const gnd_array *input);

#endif
