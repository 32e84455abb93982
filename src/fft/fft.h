/*
 * fft.h: what the functions of gnd/fft.h share.
 *
 *     fft.c           the public transforms
 *     axes.c          which axes are transformed, and how many elements of each
 *     transform.c     a request carried out: dtypes, copies where they are needed, plans, submission
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
    double factor;       /* more of it; 0: none */
    bool spare;          /* the input may be overwritten */
    gndi_fft_pins *pins; /* make the plans, run nothing */
} gndi_fft_request;

static inline bool gndi_fft_is_real_result(gndi_fft_kind kind) {
    return kind == GNDI_IRFFT || kind == GNDI_HFFT;
}
static inline bool gndi_fft_is_half_result(gndi_fft_kind kind) {
    return kind == GNDI_RFFT || kind == GNDI_IHFFT;
}

/* Whether a dtype is computed in double precision, and what in. */
static inline bool gndi_fft_is_wide(int dtype) {
    return dtype < GND_FLOAT16 || dtype == GND_FLOAT64 || dtype == GND_COMPLEX128;
}
static inline gnd_dtype gndi_fft_real_of(int dtype) {
    return gndi_fft_is_wide(dtype) ? GND_FLOAT64 : GND_FLOAT32;
}
static inline gnd_dtype gndi_fft_complex_of(int dtype) {
    return gndi_fft_is_wide(dtype) ? GND_COMPLEX128 : GND_COMPLEX64;
}

/* Axes from what the user gave (axes.c); false and an error if that makes no sense. `least`: of that many
   axes, the last ones, if none are named and `s` does not say; 0: all. */
bool gndi_fft_read_axes(const char *fn, const gnd_array *a, const gnd_shape *s, const gnd_axes *axes, int least,
                        bool real_result, gndi_fft_axes *out);
/* The same of one axis. */
bool gndi_fft_read_axis(const char *fn, const gnd_array *a, int64_t n, int axis, bool real_result, gndi_fft_axes *out);
/* Whether an axis is named several times. */
bool gndi_fft_has_repeated(const gndi_fft_axes *axes);
/* Whether the norm is one; raises if not. */
bool gndi_fft_check_norm(const char *fn, gnd_fft_norm norm);

/* Whether `out` can take a result of this shape and dtype that is computed from a; so it can if it is NULL.
   Raises if not. */
bool gndi_fft_check_out(const char *fn, const gnd_array *a, const gnd_array *out, const int64_t *shape,
                        gnd_dtype dtype);

/* Carries a request out: the result, a new one, or GND_OK if it has an `out`. */
gnd_status gndi_fft_run(const gndi_fft_request *request, gnd_array **result);

/* ---- steps of it (transform.c) ---------------------------------------------------------------- */

/* `a` as a plan can read it: cast to `dtype`, the axes cut to `n` or followed by zeros up to it; a view of a
   if that is enough, else a new array, which *spare says. `avoid`: what it must not share memory with
   unless it is the same array (may be NULL). A factor is taken up, and set to 1, if there is a copy, which
   has the axes `last` behind the others (may be NULL). */
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

/* The elements of the last axis named that R2C leaves out, from those that it gives (hermitian.c);
   `inverse`: those are the conjugates of what they should be. */
void gndi_fft_complete(gndi_temporaries *s, gnd_array *full, const gndi_fft_axes *axes, bool inverse);

#endif
