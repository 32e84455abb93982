/*
 * filter.h: what the files of filters share: coefficients on the host, dtypes, lines, states.
 *
 *     filter.c           lfilter, sosfilt, firfilter, deconvolve
 *     filter_pairs.c     a filter forward and backward as a sum over its poles
 *     filter_read.c      coefficients, lines
 *     filter_state.c     zi and zf in SciPy's layout; lfilter_zi, sosfilt_zi, lfiltic
 *     filter_zero.c      filtfilt and its relatives
 *     filter_gust.c      Gustafsson's method
 *     filter_stream.c    filters that keep their state
 *     mirrored.c         filters over mirrored signals
 *     savgol.c           Savitzky-Golay filters
 *     symiir.c           symiirorder1 and symiirorder2
 */
#ifndef GNDI_FILTER_H
#define GNDI_FILTER_H

#include "filter/filter_plan.h"
#include "filter/mirrored_plan.h"
#include "elementwise/temporaries.h"

/* Coefficients on the host, as complex numbers; `is_complex`: their array was. */
typedef struct gndi_coefficients {
    double *re, *im; /* one block */
    int64_t count;
    bool is_complex;
} gndi_coefficients;

/* Reads all elements of `a`, which has some, in C order. Waits for them. */
bool gndi_coefficients_read(const char *fn, const gnd_array *a, gndi_coefficients *to);
void gndi_coefficients_drop(gndi_coefficients *c);

/* Checks of arguments; they raise. */
bool gndi_filter_check_line(const char *fn, const gnd_array *a, const char *name);
bool gndi_filter_check_sos(const char *fn, const gnd_array *sos);
bool gndi_filter_check_axis(const char *fn, const gnd_array *x, int axis, int *normal);

/* The dtype of a result from that of its inputs, and the one that is computed in. */
static inline gnd_dtype gndi_filter_result(gnd_dtype promoted) {
    return gndi_dtype_is_int(promoted) || promoted == GND_BOOL ? GND_FLOAT64 : promoted;
}
static inline gnd_dtype gndi_filter_work(gnd_dtype result) {
    return result == GND_FLOAT16 || result == GND_BFLOAT16 ? GND_FLOAT32 : result;
}

/* x in `dtype`, and y, or a new array of its shape in y's place: in `lines` what a plan says of both. */
gnd_array *gndi_filter_lines_of(gndi_temporaries *s, const gnd_array *x, int axis, gnd_dtype dtype, gnd_array *y,
                                gndi_filter_lines *lines, const gnd_array **read);

/* zi of SciPy's layout as dense states of `dtype`, a copy; and back. `sections`: 0 for b / a. */
gnd_array *gndi_filter_state_in(gndi_temporaries *s, const gnd_array *zi, const gnd_array *x, int axis, int sections,
                                int64_t order, gnd_dtype dtype);
gnd_array *gndi_filter_state_out(gndi_temporaries *s, const gnd_array *state, int axis, int sections, gnd_dtype dtype);
/* A new array of dense states. */
gnd_array *gndi_filter_state_new(gndi_temporaries *s, const gnd_array *x, int axis, int sections, int64_t order,
                                 gnd_dtype dtype);
/* A recursive filter made from coefficients; its numbers are `memory`. */
typedef struct gndi_filter_made {
    gndi_filter_system system;
    double *memory;
} gndi_filter_made;
bool gndi_filter_make(const char *fn, const gnd_array *b, const gnd_array *a, gndi_filter_made *made);
bool gndi_filter_make_sos(const char *fn, const gnd_array *sos, gndi_filter_made *made);
void gndi_filter_drop(gndi_filter_made *made);

/* A filter that is ready to run on arrays of one device. */
typedef struct gndi_filter {
    gndi_filter_made made;
    gnd_array *taps; /* of a sliding sum: b / a in the work dtype; one of the temporaries. NULL: it is recursive */
    int sections;
    int64_t order;
    gnd_dtype result, work;
    int64_t first, every; /* of a recursive filter: which results are wanted (gndi_filter_lines); every = 0: all */
} gndi_filter;

/* Makes one of b and a, or of sections alone (a is NULL), for signals like x. `result` as for the public functions, of
   filter, x and zi (may be NULL). What was made is released by gndi_filter_close, after failures, too. */
bool gndi_filter_open(gndi_temporaries *s, gndi_filter *f, const gnd_array *b, const gnd_array *a, const gnd_array *x,
                      const gnd_array *zi);
void gndi_filter_close(gndi_filter *f);
/* The dtype of its dense states. */
static inline gnd_dtype gndi_filter_state_dtype(const gndi_filter *f) {
    if (f->taps) return f->work;
    return gndi_dtype_is_complex(f->work) ? GND_COMPLEX128 : GND_FLOAT64;
}
/* Filters x into y, or into a new array (y is NULL), both of the work dtype. `state` (NULL: there is none, and none is
   wanted): the dense states before, which may be overwritten (*state is NULL: zeros), and afterwards those behind. */
gnd_array *gndi_filter_run(gndi_temporaries *s, const gndi_filter *f, const gnd_array *x, int axis, gnd_array *y,
                           gnd_array **state);

/* The state a constant input of 1 settles to, for `order` states; false and an error if there is none. */
bool gndi_filter_settled(const char *fn, const gndi_filter_system *system, double *re, double *im);

/* The same as an array for states like those of x: settled times the samples x0, x's with one along the axis. */
gnd_array *gndi_filter_begin(gndi_temporaries *s, const gndi_filter *f, const gnd_array *x0, int axis);

/* gnd_sosfiltfilt with the default options, of which every `every`-th result is wanted. */
gnd_array *gndi_sosfiltfilt_every(const char *fn, const gnd_array *sos, const gnd_array *x, int axis, int64_t every);

/* The pairs of a cascade of which every `every`-th result is wanted; false: it is none of complex poles that lie apart,
   or a sample reaches further than a warp's results. */
bool gndi_filter_pairs_of(const gndi_filter_system *system, int64_t every, gndi_filter_pairs *pairs);

/* Hands a plan of a sliding sum to the backend of y's device; arrays that it names, each may be NULL. */
gnd_status gndi_fir_submit(const char *fn, const gndi_fir_plan *plan, const gnd_array *const *reads,
                           const gnd_array *const *writes);
/* A new array of `dtype` on x's device of real numbers from the host. */
gnd_array *gndi_filter_numbers(gndi_temporaries *s, const gnd_array *x, int ndim, const int64_t *shape,
                               const double *numbers, gnd_dtype dtype);

/* ---- forward and backward over a mirrored signal (mirrored_plan.h) ---- */

/* Make a plan whose dtypes and length are set. `precision`: how small the weights at the ends become, SciPy's; below 0:
   as small as it takes. Their sums may need more samples than there are: their count is then the length. */
void gndi_mirrored_order1(gndi_mirrored_plan *p, double c0, double z1, double precision);
void gndi_mirrored_order2(gndi_mirrored_plan *p, double r, double omega, double precision);
/* Whether one launch can do it: a sample does not reach far. */
bool gndi_mirrored_is_local(const gndi_mirrored_plan *p);
/* Carries it out along an axis of x, of which real and imaginary parts are filtered alike: a new array in C order. */
gnd_array *gndi_mirrored_run(gndi_temporaries *s, gndi_mirrored_plan *p, const gnd_array *x, int axis);
/* The same, however far a sample reaches: by two recursive filters. */
gnd_array *gndi_mirrored_any(gndi_temporaries *s, gndi_mirrored_plan *p, const gnd_array *x, int axis);
/* Weight k of a sum, from the two before it, which it replaces. */
double gndi_mirrored_weight(const gndi_mirrored_plan *p, const gndi_mirrored_sum *sum, int64_t k, double (*before)[2]);

/* Gustafsson's method of gnd_filtfilt. */
gnd_array *gndi_filter_gust(gndi_temporaries *s, const gnd_array *b, const gnd_array *a, const gnd_array *x, int axis,
                            int64_t irlen);

#endif
