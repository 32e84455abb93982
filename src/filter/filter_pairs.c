/*
 * filter_pairs.c: a cascade that runs forward and backward as a sum over its pairs of poles (gndi_filter_pairs). The
 * residues of |H|^2 at the poles are computed in long double.
 *
 * H = d + sum of rho / (1 - p z^-1) over all poles p, and |H|^2 = K + sum of R (1 / (1 - p z^-1) + 1 / (1 - p z)),
 * where R = rho H(1 / p). A pair p, p* together is (c0 + c1 z^-1) / (1 + a1 z^-1 + a2 z^-2).
 */
#include "filter/filter.h"
#include <complex.h>
#include <math.h>

enum { PAIRS = GNDI_FILTER_PAIRS };
typedef long double real;
typedef long double complex number;

static const real REACH = 0x1p-48L;    /* what is left of a sample when it is not noticed any more */
static const real CONDITION = 1e4L;    /* of the sums, beside the mean of |H|^2 */
static const real LEAST_ANGLE = 1e-6L; /* imaginary parts of poles */

typedef struct poles {
    int count; /* pairs */
    const double *sections;
    number p[PAIRS], rho[PAIRS], residue[PAIRS];
    real d;
} poles;

static number upper(const double *c, number z) {
    return c[0] + z * (c[1] + z * c[2]);
}
static number lower(const double *c, number z) {
    return 1 + z * (c[3] + z * c[4]);
}

/* False if a section's poles are real, or not inside the unit circle. */
static bool find_poles(const gndi_filter_system *system, poles *f) {
    *f = (poles){.count = system->sections, .sections = system->b, .d = 1};
    for (int i = 0; i < f->count; i++) {
        const double *c = f->sections + 5 * i;
        const real re = -0.5L * c[3], square = c[4] - re * re;
        if (!(square > LEAST_ANGLE * LEAST_ANGLE) || !(c[4] < 1)) return false;
        f->p[i] = re + sqrtl(square) * I;
        f->d *= (real)c[2] / c[4];
    }
    return true;
}

static void find_residues(poles *f) {
    for (int i = 0; i < f->count; i++) {
        const number p = f->p[i], z = 1 / p;
        number above = 1, below = 1 - conjl(p) * z, mirrored_above = 1, mirrored_below = 1;
        for (int s = 0; s < f->count; s++) {
            const double *c = f->sections + 5 * s;
            above *= upper(c, z), mirrored_above *= upper(c, p), mirrored_below *= lower(c, p);
            if (s != i) below *= lower(c, z);
        }
        f->rho[i] = above / below;
        f->residue[i] = f->rho[i] * mirrored_above / mirrored_below;
    }
}

/* Whether a sample is forgotten in time, and the sums are little larger than the results. */
static bool are_apart(const poles *f, const gndi_filter_pairs *pairs, int64_t every) {
    real size = 0, mean = pairs->direct;
    for (int i = 0; i < f->count; i++) {
        const real r = cabsl(f->p[i]);
        if (!(powl(r, (real)(32 * GNDI_FILTFILT_RESULTS * every)) <= REACH)) return false;
        size += (fabsl(pairs->c0[i]) + fabsl(pairs->c1[i])) / (cimagl(f->p[i]) * (1 - r));
        mean += 2 * pairs->c0[i];
    }
    return size <= CONDITION * mean;
}

/* What pairs[j] with the state w, w_before adds to the sum of p[i]^k u[E + k], k >= 1, of the signal u that it is the
   end of: u goes on by itself, where filtering backward begins as if it stayed as it is. */
static void find_back(const poles *f, gndi_filter_pairs *pairs) {
    number same[PAIRS][PAIRS], mirrored[PAIRS][PAIRS], settled[PAIRS], scale[PAIRS];
    for (int i = 0; i < f->count; i++) {
        const number p = f->p[i];
        for (int j = 0; j < f->count; j++) {
            const number a = p * f->p[j], b = p * conjl(f->p[j]);
            same[i][j] = a / (1 - a), mirrored[i][j] = b / (1 - b);
        }
        settled[i] = p / (1 - p);
        scale[i] = f->rho[i] / (f->residue[i] * (p - conjl(p)));
    }
    for (int k = 0; k <= 2 * PAIRS; k++) {
        number end[PAIRS];
        real u = k == 2 * PAIRS ? f->d : 0;
        for (int j = 0; j < f->count; j++) {
            const number state = k == 2 * j ? 1 : k == 2 * j + 1 ? -conjl(f->p[j]) : 0;
            end[j] = f->rho[j] * state, u += 2 * creall(end[j]);
        }
        for (int i = 0; i < f->count; i++) {
            number v = u * settled[i];
            for (int j = 0; j < f->count; j++) v -= end[j] * same[i][j] + conjl(end[j]) * mirrored[i][j];
            v *= scale[i];
            pairs->back[2 * i][k] = (double)(2 * creall(v));
            pairs->back[2 * i + 1][k] = (double)(2 * creall(v / f->p[i]));
        }
    }
}

bool gndi_filter_pairs_of(const gndi_filter_system *system, int64_t every, gndi_filter_pairs *pairs) {
    poles f;
    if (system->sections < 1 || system->sections > PAIRS) return false;
    if (!find_poles(system, &f)) return false;
    find_residues(&f);
    memset(pairs, 0, sizeof *pairs);
    real direct = f.d;
    for (int i = 0; i < f.count; i++) direct *= f.sections[5 * i];
    for (int i = 0; i < f.count; i++) {
        const real c0 = 2 * creall(f.residue[i]);
        pairs->a1[i] = f.sections[5 * i + 3], pairs->a2[i] = f.sections[5 * i + 4];
        pairs->c0[i] = (double)c0, pairs->c1[i] = (double)(-2 * creall(f.residue[i] * conjl(f.p[i])));
        direct -= c0;
    }
    pairs->direct = (double)direct;
    if (!are_apart(&f, pairs, every)) return false;
    find_back(&f, pairs);
    return true;
}
