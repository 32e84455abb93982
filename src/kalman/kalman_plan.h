/*
 * kalman_plan.h: steps of many Kalman filters at once, as the front (kalman.c) hands them to a backend. For each track
 * and step, of a state x with the covariance P, a control input u and a measurement z:
 *
 *     predict    x = F x + B u                 P = fading F P F^T + Q
 *     update     y = z - H x                   S = H P H^T + R                 K = P H^T S^-1
 *                x = x + K y                   P = (1 - K H) P (1 - K H)^T + K R K^T
 *
 * P, Q and R are symmetric: their lower triangles are read, but that of R in K R K^T.
 */
#ifndef GNDI_KALMAN_PLAN_H
#define GNDI_KALMAN_PLAN_H

#include <stdint.h>

/* Dense matrices, in elements: `step` from one track's to the next; 0: one for all. */
typedef struct gndi_kalman_matrix {
    const void *data;
    int64_t step;
} gndi_kalman_matrix;

/* Everything is float32, or float64 if `wide`. Results of a step are those of its last part. */
struct gndi_kalman_plan {
    int wide, predicts, updates;
    int nx, nz, nu;
    int64_t tracks, steps;
    double fading;
    void *x, *p; /* of all tracks, dense: read first and written last */
    gndi_kalman_matrix f, b, h, q, r;
    const void *z; /* dense: steps of tracks of nz */
    const void *u; /* NULL: there is none. Its numbers lie side by side */
    int64_t u_step, u_track;
    void *states, *covariances; /* dense: steps of tracks; NULL: not wanted */
};

#endif
