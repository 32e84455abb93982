/*
 * gnd/waveforms.h: waveforms of given times, impulses, maximum length sequences (scipy.signal).
 *
 *     gnd_array *t = gnd_linspace(0, 10, 5001, true, GND_FLOAT32);
 *     gnd_array *x = gnd_chirp(t, 6, 10, 1, &(gnd_chirp_options){.method = GND_CHIRP_HYPERBOLIC});
 *
 * Times are real arrays of any shape; results are new arrays of that shape in C order, on the device of t. float32 and
 * 16-bit times give float32, where SciPy's results are float64; all others give float64. All of it is computed in
 * double, so that a float32 result has the phase of the time it was given, and one rounding. Each is one launch; times
 * that are not dense are copied first. Nothing here waits.
 *
 * Errors: GND_ERROR_DTYPE for complex times, GND_ERROR_VALUE for parameters that SciPy refuses.
 */
#ifndef GND_WAVEFORMS_H
#define GND_WAVEFORMS_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>
#include <gnd/windows.h>

GND_BEGIN

/** How the frequency of gnd_chirp goes from f0 at time 0 to f1 at t1. */
typedef enum gnd_chirp_method {
    GND_CHIRP_LINEAR = 0,
    GND_CHIRP_QUADRATIC,
    GND_CHIRP_LOGARITHMIC, /**< f0 and f1 must have the same sign */
    GND_CHIRP_HYPERBOLIC,  /**< neither may be 0 */
} gnd_chirp_method;

/** Options of gnd_chirp; NULL or all zero: SciPy's defaults. */
typedef struct gnd_chirp_options {
    gnd_chirp_method method;
    double phi;          /**< the phase in degrees */
    bool end_vertex;     /**< of a quadratic chirp: the vertex of the parabola is at t1 (vertex_zero=False) */
    bool complex_result; /**< the analytic signal, exp(i phase); else its real part */
} gnd_chirp_options;

/** A cosine whose frequency moves (scipy.signal.chirp). Of `complex_result` complex64 or complex128. */
GND_API gnd_array *gnd_chirp(const gnd_array *t, double f0, double t1, double f1, const gnd_chirp_options *options);

/** A cosine whose frequency is a polynomial of `count` coefficients, 1 to 63, highest power first, and whose phase at 0
    is phi degrees (scipy.signal.sweep_poly): gnd_sweep_poly(t, GND_NUMBERS(0.025, -0.36, 1.25, 2), 0). */
GND_API gnd_array *gnd_sweep_poly(const gnd_array *t, int count, const double *poly, double phi);

/** A cosine of frequency fc >= 0 within a Gaussian of fractional bandwidth bw > 0 at the level bwr < 0 dB
    (scipy.signal.gausspulse, where they are 1000, 0.5 and -6). `quadrature` and `envelope`, unless NULL, become the
    sine within it, and the Gaussian: in the same launch. */
GND_API gnd_array *gnd_gausspulse(const gnd_array *t, double fc, double bw, double bwr, gnd_array **quadrature,
                                  gnd_array **envelope);
/** The time where the envelope of gnd_gausspulse has fallen to tpr < 0 dB (scipy.signal.gausspulse with "cutoff", where
    tpr is -60). */
GND_API gnd_status gnd_gausspulse_cutoff(double *cutoff, double fc, double bw, double bwr, double tpr);

/** A wave of period 2 pi that rises from -1 to 1 on the part `width` of it and falls on the rest
    (scipy.signal.sawtooth). `width` is a number (GND_NONE: 1) or an array that broadcasts against t; where it is not
    between 0 and 1 the wave is NaN. float64 if either is. */
GND_API gnd_array *gnd_sawtooth(const gnd_array *t, gnd_arg width);
#define gnd_sawtooth(t, ...) (gnd_sawtooth)((t), GND_ARG(__VA_ARGS__))
/** A wave of period 2 pi that is 1 on the part `duty` of it and -1 on the rest (scipy.signal.square; numpy.square is
    gnd_square). `duty` is as the width of gnd_sawtooth; GND_NONE: 0.5. NaN times give -1, as SciPy's do. */
GND_API gnd_array *gnd_square_wave(const gnd_array *t, gnd_arg duty);
#define gnd_square_wave(t, ...) (gnd_square_wave)((t), GND_ARG(__VA_ARGS__))

/**
 * Zeros, with a 1 at one index (scipy.signal.unit_impulse), on the current device. `count` of `index`: 0, the first
 * element; 1, the same index along all axes; as many as there are axes; or -1, the middle ("mid"). An index may count
 * from the end. GND_ERROR_INDEX if it is out of bounds, also in an empty array; without a dtype float64.
 */
GND_API gnd_array *gnd_unit_impulse(gnd_shape shape, int count, const int64_t *index, gnd_dtype dtype);

/**
 * A maximum length sequence of zeros and ones as int8 (scipy.signal.max_len_seq), of a shift register of nbits bits:
 * s[i + nbits] is the exclusive or of s[i] and of s[i + tap] for `count` taps, which repeats after 2^nbits - 1
 * elements if the taps are well chosen. taps NULL: SciPy's, for 2 to 32 bits. `state`: the nbits first elements, not
 * all 0; NULL: ones. `length`: of the result; -1: the whole period. `final_state`, unless NULL, becomes the state
 * after it, int8. Computed on the host, in long vectors, and copied.
 */
GND_API gnd_array *gnd_max_len_seq(int64_t nbits, const int8_t *state, int64_t length, int count, const int64_t *taps,
                                   gnd_array **final_state);

GND_END

#endif
