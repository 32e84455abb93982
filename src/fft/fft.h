/*
 * fft.h: what the functions of gnd/fft.h share.
 *
 *     fft.c           the public transforms
 *     axes.c          which axes are transformed, and how many elements of each
 *     transform.c     runs a request: dtypes, copies where they are needed, plans, submission
 *     hermitian.c     the second half of a real array's transform
 *     cosine.c        cosine and sine transforms
 *     convolve.c      convolutions (convolve.h)
 *     plan.c          transforms planned ahead, and the caches of plans
 *     frequencies.c   frequencies, shifts, fast lengths
 */
#ifndef GNDI_FFT_H
#define GNDI_FFT_H

#include "array/view.h"
#include "fft/fft_plan.h"
#include "elementwise/temporaries.h"
#include "elementwise/create.h"
#include "rearrange/rearrange.h"

typedef enum gndi_fft_kind {
    GNDI_FFT,
    GNDI_IFFT,
    GNDI_RFFT,
    GNDI_IRFFT,
    GNDI_HFFT,
    GNDI_IHFFT,
} gndi_fft_kind;

/* Axes counted from the front, in the order in which they were named, and how many elements of each are
   transformed (of the result, where that is real). An axis may come several times. */
typedef struct gndi_fft_axes {
    int count;
    int axis[GND_MAX_DIMS];
    int64_t n[GND_MAX_DIMS];
} gndi_fft_axes;

/* What to compute. */
typedef struct gndi_fft_request {
    const char *fn;
    gndi_fft_kind kind;
    const gnd_array *a;
    gnd_array *out; /* NULL: a new one */
    gndi_fft_axes axes;
    gnd_fft_norm norm;
    double factor;       /* in addition to the norm's; 0: none */
    bool spare;          /* the input may be overwritten */
    gndi_fft_pins *pins; /* make the plans, run nothing */
} gndi_fft_request;

static inline bool gndi_fft_is_real_result(gndi_fft_kind kind) {
    return kind == GNDI_IRFFT || kind == GNDI_HFFT;
}
static inline bool gndi_fft_is_half_result(gndi_fft_kind kind) {
    return kind == GNDI_RFFT || kind == GNDI_IHFFT;
}

/* Whether a dtype is computed in double precision; and the dtypes that it is computed in. */
static inline bool gndi_fft_is_wide(int dtype) {
    return dtype < GND_FLOAT16 || dtype == GND_FLOAT64 || dtype == GND_COMPLEX128;
}
static inline gnd_dtype gndi_fft_real_of(int dtype) {
    return gndi_fft_is_wide(dtype) ? GND_FLOAT64 : GND_FLOAT32;
}
static inline gnd_dtype gndi_fft_complex_of(int dtype) {
    return gndi_fft_is_wide(dtype) ? GND_COMPLEX128 : GND_COMPLEX64;
}

/* Reads the user's axes (axes.c); false and an error if they are not valid. `least`: how many of the last axes are
   transformed if none are named and `s` is not given; 0: all. */
bool gndi_fft_read_axes(const char *fn, const gnd_array *a, const gnd_shape *s, const gnd_axes *axes, int least,
                        bool real_result, gndi_fft_axes *out);
/* The same for one axis. */
bool gndi_fft_read_axis(const char *fn, const gnd_array *a, int64_t n, int axis, bool real_result, gndi_fft_axes *out);
/* Whether an axis is named several times. */
bool gndi_fft_has_repeated(const gndi_fft_axes *axes);
/* Whether the norm is valid; raises if not. */
bool gndi_fft_check_norm(const char *fn, gnd_fft_norm norm);

/* Whether `out` can hold a result of this shape and dtype that is computed from a; true if it is NULL. Raises if
   not. */
bool gndi_fft_check_out(const char *fn, const gnd_array *a, const gnd_array *out, const int64_t *shape,
                        gnd_dtype dtype);

/* Runs a request. Stores a new array in *result, unless the request has an `out`. */
gnd_status gndi_fft_run(const gndi_fft_request *request, gnd_array **result);

/* ---- steps of a request (transform.c) --------------------------------------------------------- */

/* `a` as a plan can read it: cast to `dtype`, the axes cut to `n` or padded with zeros up to it; a view of a if that
   is enough, else a new array, for which *spare is set. `avoid`: an array whose memory it must not share unless it is
   the same array (may be NULL). A copy applies the factor, which is then set to 1, and has the axes `last` behind the
   others (may be NULL). */
gnd_array *gndi_fft_source(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, const gndi_fft_axes *lengths,
                           const gndi_fft_axes *last, const gnd_array *avoid, double *factor, bool *spare);
/* A new array laid out like `like` (K order) in another shape; or with some axes behind the others in memory,
   if `last` is not NULL. */
gnd_array *gndi_fft_new(gndi_temporaries *s, const gnd_array *like, const int64_t *shape, gnd_dtype dtype,
                        const gndi_fft_axes *last);
/* Fills a plan's axes and batch from two arrays that differ in no axis but the transformed ones. */
void gndi_fft_describe(gndi_fft_plan *plan, const gnd_array *in, const gnd_array *out, const gndi_fft_axes *axes);
void gndi_fft_submit(gndi_temporaries *s, const gndi_fft_plan *plan, const gnd_array *in, const gnd_array *out);
/* Whether a plan can write `out`: aligned strides, and no cast. */
bool gndi_fft_fits(const gnd_array *out, gnd_dtype dtype);

/* Fills in the elements that R2C leaves out along the last named axis, from those that it computes (hermitian.c);
   `inverse`: all are conjugated. */
void gndi_fft_complete(gndi_temporaries *s, gnd_array *full, const gndi_fft_axes *axes, bool inverse);

#endif
