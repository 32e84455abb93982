/*
 * kalman_loops.hpp: Kalman filters of groups of tracks: a vector has one number of each track. Tracks that are missing
 * in the last group are the last one again, and not stored.
 */
#include "kalman/cpu/kalman_loops.h"
#include "kalman/kalman_step.h"

namespace gnd {
namespace kalman {

template <class T> struct vector;
template <> struct vector<float> { typedef float type __attribute__((vector_size(GNDI_KALMAN_VECTOR))); };
template <> struct vector<double> { typedef double type __attribute__((vector_size(GNDI_KALMAN_VECTOR))); };

template <class T> struct group {
    typedef typename vector<T>::type V;
    static constexpr int lanes = GNDI_KALMAN_VECTOR / (int)sizeof(T);
    typedef gndi_kalman_plan plan_t;

    const plan_t &plan;
    sizes d;
    V *x, *p, *f, *b, *h, *q, *r, *z, *u;
    scratch<V> s;
    int64_t first; /* track */
    int there;

    group(const plan_t &of, V *next) : plan(of), d{of.nx, of.nz}, first(0), there(0) {
        const int n = d.x, m = d.z, c = of.nu;
        V **const parts[] = {&x, &p, &f, &b, &h, &q, &r, &z, &u, &s.t, &s.a, &s.w, &s.k, &s.s, &s.y, &s.over, &s.v};
        const int size[] = {n,     n * n, n * n, n * c, m * n, n * n, m * m, m, c,
                            n * n, n * n, n * m, n * m, m * m, m,     m,     n};
        for (unsigned i = 0; i < sizeof size / sizeof *size; i++) *parts[i] = next, next += size[i];
    }

    int64_t track(int lane) const { return first + (lane < there ? lane : there - 1); }

    /* `count` numbers of each track from a dense array of these, or of one for all. */
    void load(const void *from, int64_t step, int count, V *to) const {
        for (int lane = 0; lane < lanes; lane++) {
            const T *numbers = (const T *)from + track(lane) * step;
            for (int i = 0; i < count; i++) to[i][lane] = numbers[i];
        }
    }
    void store(const V *from, int count, void *to, int64_t step_of_time) const {
        for (int lane = 0; lane < there; lane++) {
            T *numbers = (T *)to + (step_of_time * plan.tracks + first + lane) * count;
            for (int i = 0; i < count; i++) numbers[i] = from[i][lane];
        }
    }
    void store_covariance(void *to, int64_t step_of_time) const {
        for (int i = 0; i < d.x; i++)
            for (int j = 0; j < i; j++) p[j * d.x + i] = p[i * d.x + j];
        store(p, d.x * d.x, to, step_of_time);
    }

    /* Matrices of the tracks, or those for all. */
    void load_matrices(bool for_all) const {
        const int n = d.x, m = d.z;
        const gndi_kalman_matrix *from[] = {&plan.f, &plan.b, &plan.h, &plan.q, &plan.r};
        V *const to[] = {f, b, h, q, r};
        const int size[] = {n * n, n * plan.nu, m * n, n * n, m * m};
        for (int i = 0; i < 5; i++)
            if ((from[i]->step == 0) == for_all) load(from[i]->data, from[i]->step, size[i], to[i]);
    }

    void step(int64_t t) const {
        if (plan.predicts) {
            predict<T>(d, x, p, f, q, (T)plan.fading, s);
            if (plan.u) {
                load((const T *)plan.u + t * plan.u_step, plan.u_track, plan.nu, u);
                for (int i = 0; i < d.x; i++)
                    for (int k = 0; k < plan.nu; k++) x[i] += b[i * plan.nu + k] * u[k];
            }
        }
        if (plan.updates) {
            load((const T *)plan.z + t * plan.tracks * d.z, d.z, d.z, z);
            update<T>(d, x, p, h, r, z, s);
        }
        if (plan.states) store(x, d.x, plan.states, t);
        if (plan.covariances) store_covariance(plan.covariances, t);
    }

    static void run(const plan_t *of, int64_t begin, int64_t end, void *memory) {
        group g(*of, (V *)memory);
        g.there = 1;
        g.load_matrices(true);
        for (int64_t number = begin; number < end; number++) {
            g.first = number * lanes;
            g.there = of->tracks - g.first < lanes ? (int)(of->tracks - g.first) : lanes;
            g.load_matrices(false);
            g.load(of->x, g.d.x, g.d.x, g.x);
            g.load(of->p, g.d.x * g.d.x, g.d.x * g.d.x, g.p);
            for (int64_t t = 0; t < of->steps; t++) g.step(t);
            g.store(g.x, g.d.x, of->x, 0);
            g.store_covariance(of->p, 0);
        }
    }
};

} // namespace kalman
} // namespace gnd
