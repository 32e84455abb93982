/*
 * gnd/kalman.h: Kalman filters of many tracks at once, which all have their own state.
 *
 *     gnd_kalman *k = gnd_kalman_new(100000, 4, 2, 0, GND_FLOAT32);
 *     gnd_kalman_set(k, GND_KALMAN_TRANSITION, f);                  // 4 x 4, for all tracks
 *     gnd_kalman_set(k, GND_KALMAN_MEASUREMENT, h);                  // 2 x 4
 *     gnd_array *states = gnd_kalman_run(k, z, NULL, NULL); // z: (steps, 100000, 2)
 *     gnd_kalman_release(k);
 *
 * A step predicts and updates (filterpy's and cuSignal's formulas):
 *
 *     x = F x + B u,   P = alpha^2 F P F^T + Q
 *     y = z - H x,   S = H P H^T + R,   K = P H^T S^-1
 *     x = x + K y,   P = (1 - K H) P (1 - K H)^T + K R K^T
 *
 * P, Q and R are covariances, and symmetric: of P and Q the lower triangle is read. S must be positive definite;
 * otherwise states become infinite or NaN, and nothing is raised. States and measurements may have any number of
 * numbers. Other real dtypes are cast to the filter's.
 *
 * All steps of a call are one launch. On a GPU a thread keeps a track's state in registers, if it has 2 or 4 numbers
 * and measurements of 1 or 2, 6 and 2 or 3, or 9 and 3; else a block has a track. Nothing here waits. A filter lies on
 * the device that is current when it is made, and belongs to one thread at a time.
 */
#ifndef GND_KALMAN_H
#define GND_KALMAN_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/dtype.h>

GND_BEGIN

/** Kalman filters of many tracks: opaque. Release them with gnd_kalman_release. */
typedef struct gnd_kalman gnd_kalman;

/** What a filter consists of; the shape of one track's. */
typedef enum gnd_kalman_part {
    GND_KALMAN_STATE = 0,         /**< the state x, (dim_x); at first 0 */
    GND_KALMAN_COVARIANCE,        /**< its covariance P, (dim_x, dim_x); at first the identity */
    GND_KALMAN_TRANSITION,        /**< F, of states, (dim_x, dim_x); the identity */
    GND_KALMAN_CONTROL,           /**< B, of control inputs, (dim_x, dim_u); 0 */
    GND_KALMAN_MEASUREMENT,       /**< H, from states to measurements, (dim_z, dim_x); 0 */
    GND_KALMAN_NOISE,             /**< Q, the covariance of the process, (dim_x, dim_x); the identity */
    GND_KALMAN_MEASUREMENT_NOISE, /**< R, the covariance of measurements, (dim_z, dim_z); the identity */
} gnd_kalman_part;

/** Filters of so many tracks, whose states have dim_x numbers, measurements dim_z, and control inputs dim_u, which may
    be 0; float32 or float64. GND_ERROR_VALUE for other numbers below 1, or more than 16384 of a track,
    GND_ERROR_DTYPE. */
GND_API gnd_kalman *gnd_kalman_new(int64_t tracks, int64_t dim_x, int64_t dim_z, int64_t dim_u, gnd_dtype dtype);
/** Releases them. NULL is ignored. */
GND_API void gnd_kalman_release(gnd_kalman *filter);

/** Sets a part, from an array of the part's shape, for all tracks, or with an axis of tracks in front; copied.
    GND_ERROR_SHAPE, GND_ERROR_DTYPE for complex numbers. */
GND_API gnd_status gnd_kalman_set(gnd_kalman *filter, gnd_kalman_part part, const gnd_array *value);
/** A part, a new array: with an axis of tracks in front for x and P, and for what was set so. */
GND_API gnd_array *gnd_kalman_get(const gnd_kalman *filter, gnd_kalman_part part);
/** Sets alpha, at first 1: above 1 the past counts less (a fading memory). GND_ERROR_VALUE unless it is positive and
    finite. */
GND_API gnd_status gnd_kalman_fading(gnd_kalman *filter, double alpha);

/** A prediction of all tracks, with control inputs of shape (dim_u) or (tracks, dim_u); NULL: none. */
GND_API gnd_status gnd_kalman_predict(gnd_kalman *filter, const gnd_array *u);
/** An update of all tracks with measurements of shape (tracks, dim_z). */
GND_API gnd_status gnd_kalman_update(gnd_kalman *filter, const gnd_array *z);
/**
 * Many steps: a prediction and an update for each of the measurements z, of shape (steps, tracks, dim_z). Gives the
 * states behind the updates, (steps, tracks, dim_x), and unless NULL their covariances, (steps, tracks, dim_x, dim_x).
 * The filter's state is the last one then. `u`: control inputs, (steps, dim_u) or (steps, tracks, dim_u); NULL: none.
 * GND_ERROR_SHAPE, GND_ERROR_DTYPE for complex numbers.
 */
GND_API gnd_array *gnd_kalman_run(gnd_kalman *filter, const gnd_array *z, const gnd_array *u, gnd_array **covariances);

GND_END

#endif
