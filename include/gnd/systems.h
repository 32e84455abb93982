/*
 * gnd/systems.h: linear systems: their forms, simulation, responses and poles (scipy.signal).
 *
 *     gnd_system *plant = gnd_system_from_tf(num, den, 0);
 *     gnd_step(&t, &y, plant, NULL);
 *     gnd_system *sampled = gnd_cont2discrete(plant, 0.01, GND_DISCRETE_ZOH, 0);
 *     gnd_dlsim(&t, &y, NULL, sampled, u, NULL);
 *     gnd_system_release(plant), gnd_system_release(sampled);
 *
 * A system is continuous, x' = a x + b u, or discrete, x[i + 1] = a x[i] + b u[i]; its output is y = c x + d u. It is
 * kept on the host, in real double numbers, in one of three forms; functions convert it to the form that they need, as
 * SciPy's do, of a state space of several inputs its first input. An object never changes, and threads may share it.
 *
 * Everything here is computed on the host. Results are new arrays on the current device, float64 or complex128, and
 * pointers to results that are not wanted may be NULL; after a failure all are NULL. Functions that take arrays
 * read them first: they wait if these are on a GPU. Other functions do not wait.
 *
 * Errors: GND_ERROR_DTYPE for complex arrays where real ones are needed, GND_ERROR_SHAPE for shapes that do not fit,
 * GND_ERROR_INVALID for a discrete system where a continuous one is needed, or the other way round, GND_ERROR_VALUE for
 * other numbers that SciPy refuses.
 */
#ifndef GND_SYSTEMS_H
#define GND_SYSTEMS_H

#include <gnd/filter_design.h>

GND_BEGIN

/* ---- systems -------------------------------------------------------------------------------- */

/** A linear system (scipy.signal.lti, dlti). */
typedef struct gnd_system gnd_system;

/** The forms of a system. */
typedef enum gnd_system_form {
    GND_TRANSFER_FUNCTION = 0, /**< numerators, a row for each output, and a denominator */
    GND_ZEROS_POLES_GAIN,      /**< zeros, poles and gain, of one input and one output */
    GND_STATE_SPACE,           /**< the matrices a, b, c and d */
} gnd_system_form;

/** What gnd_system_info_of tells. */
typedef struct gnd_system_info {
    gnd_system_form form;
    double dt;                       /**< 0 of a continuous system */
    int64_t inputs, outputs, states; /**< states: that it has as a state space */
} gnd_system_info;

/** A system of coefficients, highest power first, which are normalized; num may have rows, one for each output
    (scipy.signal.TransferFunction). `dt`: the sampling time; 0: the system is continuous; 1 where SciPy has dt=True. */
GND_API gnd_system *gnd_system_from_tf(const gnd_array *num, const gnd_array *den, double dt);
/** The same of zeros, poles and a gain (scipy.signal.ZerosPolesGain). */
GND_API gnd_system *gnd_system_from_zpk(const gnd_array *z, const gnd_array *p, double k, double dt);
/** The same of the matrices, as gnd_abcd_normalize takes them: `d` alone is a system without states
    (scipy.signal.StateSpace). */
GND_API gnd_system *gnd_system_from_ss(const gnd_array *a, const gnd_array *b, const gnd_array *c, const gnd_array *d,
                                       double dt);
/** A new system of the same meaning in another form, or a copy; from a state space with the given input
    (to_tf, to_zpk, to_ss of scipy.signal's systems). */
GND_API gnd_system *gnd_system_as(const gnd_system *system, gnd_system_form form, int input);
/** Ends a system. NULL is ignored. */
GND_API void gnd_system_release(gnd_system *system);
/** Form and sizes of a system; all zero, and an error, of NULL. */
GND_API gnd_system_info gnd_system_info_of(const gnd_system *system);

/** b, with a row for each output if there are several, and a of a system. */
GND_API gnd_status gnd_system_tf(gnd_filter_design *f, const gnd_system *system);
/** Zeros, poles and gain of a system of one output. */
GND_API gnd_status gnd_system_zpk(gnd_filter_design *f, const gnd_system *system);
/** The matrices of a system. */
GND_API gnd_status gnd_system_ss(gnd_state_space *out, const gnd_system *system);

/** Two systems beside each other, whose outputs are added (+ of scipy.signal.StateSpace). Their inputs, outputs and dt
    are the same. A matrix or a number is the system of it as `d`. The result is a state space. */
GND_API gnd_system *gnd_system_add(const gnd_system *x, const gnd_system *y);
/** The same with the outputs of the second subtracted (-). */
GND_API gnd_system *gnd_system_subtract(const gnd_system *x, const gnd_system *y);
/** Two systems in a row, the input goes to y and the output of y to x (*). */
GND_API gnd_system *gnd_system_multiply(const gnd_system *x, const gnd_system *y);

/**
 * Matrices of a linear system with shapes that fit (scipy.signal.abcd_normalize): those that are NULL or have no
 * elements become zeros, those of one dimension a row. All become complex128 if one is complex, else float64.
 * GND_ERROR_INVALID if too few are given.
 */
GND_API gnd_status gnd_abcd_normalize(gnd_state_space *system, const gnd_array *a, const gnd_array *b,
                                      const gnd_array *c, const gnd_array *d);

/** How a continuous system becomes discrete. */
typedef enum gnd_discretization {
    GND_DISCRETE_ZOH = 0,       /**< "zoh": the input is constant between samples */
    GND_DISCRETE_FOH,           /**< "foh": it is linear between samples */
    GND_DISCRETE_BILINEAR,      /**< "bilinear", "tustin": GND_DISCRETE_GBT with alpha 0.5 */
    GND_DISCRETE_EULER,         /**< "euler", "forward_diff": with alpha 0 */
    GND_DISCRETE_BACKWARD_DIFF, /**< "backward_diff": with alpha 1 */
    GND_DISCRETE_IMPULSE,       /**< "impulse": the impulse response is sampled; d must be 0 */
    GND_DISCRETE_GBT,           /**< "gbt": the generalized bilinear transform, alpha between 0 and 1 */
} gnd_discretization;

/** The discrete system of a continuous one, in the same form, with sampling time dt > 0
    (scipy.signal.cont2discrete, to_discrete). `alpha` is for GND_DISCRETE_GBT (Zhang, Chen and Chen, Asian J. Control
    9, 2007). Matrix exponentials by N. J. Higham, SIAM J. Matrix Anal. Appl. 26, 2005. */
GND_API gnd_system *gnd_cont2discrete(const gnd_system *system, double dt, gnd_discretization method, double alpha);

/* ---- simulation ----------------------------------------------------------------------------- */

/** Options of gnd_lsim; NULL or all zero: SciPy's defaults. */
typedef struct gnd_lsim_options {
    const gnd_array *x0; /**< the state at time 0; NULL: 0 */
    bool hold;           /**< the input is constant between samples, and not linear (interp=False) */
} gnd_lsim_options;

/**
 * The output of a continuous system (scipy.signal.lsim): y, samples x outputs, and its states x, samples x states, at
 * times t, which are evenly apart and begin at 0 or later. `u`: the input at these times, samples x inputs, or a line
 * if there is one input; NULL: none. Axes of size 1 are dropped from x and y, as SciPy drops them. One pass over the
 * samples, about states (states + inputs) + outputs (states + inputs) multiplications each, one after the other.
 */
GND_API gnd_status gnd_lsim(gnd_array **y, gnd_array **x, const gnd_system *system, const gnd_array *u,
                            const gnd_array *t, const gnd_lsim_options *options);

/** Options of gnd_impulse and gnd_step; NULL or all zero: SciPy's defaults. */
typedef struct gnd_times_options {
    const gnd_array *x0; /**< the state at time 0; NULL: 0 */
    const gnd_array *t;  /**< times, evenly apart; NULL: n of them */
    int64_t n;           /**< from 0 to 7 times the slowest time constant, without t; 0: 100 */
} gnd_times_options;

/** The response of a continuous system of one input to an impulse, and the times (scipy.signal.impulse). */
GND_API gnd_status gnd_impulse(gnd_array **t, gnd_array **y, const gnd_system *system,
                               const gnd_times_options *options);
/** The response to an input of 1 from time 0 on (scipy.signal.step). */
GND_API gnd_status gnd_step(gnd_array **t, gnd_array **y, const gnd_system *system, const gnd_times_options *options);

/** Options of gnd_dlsim, gnd_dimpulse and gnd_dstep; NULL or all zero: SciPy's defaults. */
typedef struct gnd_steps_options {
    const gnd_array *x0; /**< the state at the first step; NULL: 0 */
    const gnd_array *t;  /**< times of the input, increasing, between which it is linear; NULL: a step is dt */
    int64_t n;           /**< steps of gnd_dimpulse and gnd_dstep without t; 0: 100 */
} gnd_steps_options;

/**
 * The output of a discrete system (scipy.signal.dlsim): y, samples x outputs, its states x, samples x states, and the
 * times t from 0 on, which are dt apart and up to the last of options->t, if that is given. `u`: samples x inputs, or a
 * line if there is one input.
 */
GND_API gnd_status gnd_dlsim(gnd_array **t, gnd_array **y, gnd_array **x, const gnd_system *system, const gnd_array *u,
                             const gnd_steps_options *options);
/** The response of a discrete system to an impulse at each of its inputs (scipy.signal.dimpulse): y is inputs x samples
    x outputs, SciPy's tuple as an array. */
GND_API gnd_status gnd_dimpulse(gnd_array **t, gnd_array **y, const gnd_system *system,
                                const gnd_steps_options *options);
/** The same to an input of 1 from the first step on (scipy.signal.dstep). */
GND_API gnd_status gnd_dstep(gnd_array **t, gnd_array **y, const gnd_system *system, const gnd_steps_options *options);

/* ---- responses ------------------------------------------------------------------------------ */

/** The response h (complex128) of a continuous system of one input and output at frequencies w in radians a second
    (scipy.signal.freqresp): options->w, or n (0: 10000) about its poles and zeros. No other option is taken. */
GND_API gnd_status gnd_freqresp(gnd_array **w, gnd_array **h, const gnd_system *system,
                                const gnd_response_options *options);
/** The same as a magnitude in dB and a phase in degrees, unwrapped; n is 100 (scipy.signal.bode). */
GND_API gnd_status gnd_bode(gnd_array **w, gnd_array **magnitude, gnd_array **phase, const gnd_system *system,
                            const gnd_response_options *options);
/** The response of a discrete system at frequencies in radians a sample (scipy.signal.dfreqresp): options->w, or n
    (0: 10000) from 0 to pi, or to 2 pi if `whole`. */
GND_API gnd_status gnd_dfreqresp(gnd_array **w, gnd_array **h, const gnd_system *system,
                                 const gnd_response_options *options);
/** The same in dB and degrees, with w in radians a second; n is 100, `whole` is not taken (scipy.signal.dbode). */
GND_API gnd_status gnd_dbode(gnd_array **w, gnd_array **magnitude, gnd_array **phase, const gnd_system *system,
                             const gnd_response_options *options);

/* ---- feedback ------------------------------------------------------------------------------- */

/** How gnd_place_poles chooses among the gains that place the poles. */
typedef enum gnd_place_method {
    GND_PLACE_YT = 0, /**< "YT": A. L. Tits and Y. Yang, IEEE Trans. Autom. Control 41, 1996 */
    GND_PLACE_KNV0,   /**< "KNV0": J. Kautsky, N. K. Nichols and P. Van Dooren, Int. J. Control 41, 1985; real poles */
} gnd_place_method;

/** Options of gnd_place_poles; NULL or all zero: SciPy's defaults. */
typedef struct gnd_place_options {
    gnd_place_method method; /**< "YT" */
    double rtol;             /**< ends when |det(X)| changes by less; 0: 1e-3; negative: never, up to maxiter */
    int maxiter;             /**< 0: 30 */
} gnd_place_options;

/** What gnd_place_poles gives. */
typedef struct gnd_placed_poles {
    gnd_array *gain_matrix;     /**< K, inputs x states: a - b K has the poles */
    gnd_array *computed_poles;  /**< the eigenvalues of a - b K, complex128: real ones first, then pairs */
    gnd_array *requested_poles; /**< the poles in that order, complex128 */
    gnd_array *x;               /**< the eigenvectors of a - b K as columns, complex128 */
    double rtol;                /**< the change of |det(X)| in the last iteration; NaN where none was needed */
    int iterations;             /**< -1 where none was needed */
    bool converged;             /**< false where SciPy warns */
} gnd_placed_poles;

/** Releases the arrays and sets them to NULL. */
GND_API void gnd_placed_poles_release(gnd_placed_poles *placed);
/**
 * The feedback u = -K x that gives a system the wanted poles, as little sensitive to changes of a and b as the method
 * finds (scipy.signal.place_poles): a is n x n and b n x inputs, real; there are n poles, real ones or conjugate pairs,
 * none more often than the rank of b. GND_ERROR_VALUE if they cannot be placed.
 */
GND_API gnd_status gnd_place_poles(gnd_placed_poles *placed, const gnd_array *a, const gnd_array *b,
                                   const gnd_array *poles, const gnd_place_options *options);

GND_END

#endif
