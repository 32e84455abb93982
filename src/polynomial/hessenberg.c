/*
 * hessenberg.c: eigenvalues of small Hessenberg matrices by the QR iteration: with double shifts for real ones, so
 * that pairs are conjugate exactly (Francis; Martin, Peters and Wilkinson, Numer. Math. 14, 1970), and with
 * Wilkinson's shift and rotations for complex ones.
 */
#include "polynomial/roots.h"
#include <float.h>
#include <math.h>

enum { TRIES = 60 }; /* steps for one eigenvalue */

#define H(i, j) h[(i)*n + (j)]

/* ---- real ----------------------------------------------------------------------------------- */

/* Where the last block that does not split begins: the subdiagonal element in front of it becomes 0. */
static int64_t block_start(int64_t n, double *h, int64_t last) {
    for (int64_t l = last; l > 0; l--) {
        double near = fabs(H(l - 1, l - 1)) + fabs(H(l, l));
        if (near == 0) near = 1;
        if (fabs(H(l, l - 1)) <= DBL_EPSILON * near) {
            H(l, l - 1) = 0;
            return l;
        }
    }
    return 0;
}

/* The two eigenvalues of the block of 2 that ends at `last`. */
static void pair(int64_t n, const double *h, int64_t last, double shift, gndi_complex *values) {
    const double x = H(last, last), y = H(last - 1, last - 1), w = H(last, last - 1) * H(last - 1, last);
    const double p = (y - x) / 2, q = p * p + w, root = sqrt(fabs(q));
    if (q >= 0) {
        const double z = p + copysign(root, p);
        values[last - 1] = x + shift + z;
        values[last] = z != 0 ? x + shift - w / z : x + shift + z;
    } else {
        values[last - 1] = CMPLX(x + shift + p, root);
        values[last] = CMPLX(x + shift + p, -root);
    }
}

/* A reflection of rows and columns k .. k + 2 (k + 1 at the end) that maps (p, q, r) to the first axis. */
static void reflect(int64_t n, double *h, int64_t first, int64_t last, int64_t k, double s, double p, double q,
                    double r) {
    const bool three = k < last - 1;
    p += s;
    const double x = p / s, y = q / s, z = r / s;
    q /= p, r /= p;
    for (int64_t j = k; j <= last; j++) {
        double t = H(k, j) + q * H(k + 1, j);
        if (three) {
            t += r * H(k + 2, j);
            H(k + 2, j) -= t * z;
        }
        H(k + 1, j) -= t * y;
        H(k, j) -= t * x;
    }
    const int64_t end = gndi_min(last, k + 3);
    for (int64_t i = first; i <= end; i++) {
        double t = x * H(i, k) + y * H(i, k + 1);
        if (three) {
            t += z * H(i, k + 2);
            H(i, k + 2) -= t * r;
        }
        H(i, k + 1) -= t * q;
        H(i, k) -= t;
    }
}

/* One double step on rows and columns first .. last, with shifts of sum x + y and product x y - w. */
static void double_step(int64_t n, double *h, int64_t first, int64_t last, double x, double y, double w) {
    double p = 0, q = 0, r = 0;
    int64_t m = last - 2;
    for (;; m--) { /* two small subdiagonal elements in a row: it may start there */
        const double z = H(m, m), a = x - z, b = y - z;
        p = (a * b - w) / H(m + 1, m) + H(m, m + 1);
        q = H(m + 1, m + 1) - z - a - b;
        r = H(m + 2, m + 1);
        const double size = fabs(p) + fabs(q) + fabs(r);
        p /= size, q /= size, r /= size;
        if (m == first) break;
        const double left = fabs(H(m, m - 1)) * (fabs(q) + fabs(r));
        const double near = fabs(H(m - 1, m - 1)) + fabs(z) + fabs(H(m + 1, m + 1));
        if (left <= DBL_EPSILON * fabs(p) * near) break;
    }
    for (int64_t i = m + 2; i <= last; i++) {
        H(i, i - 2) = 0;
        if (i > m + 2) H(i, i - 3) = 0;
    }
    for (int64_t k = m; k < last; k++) {
        double size = 1;
        if (k != m) {
            p = H(k, k - 1), q = H(k + 1, k - 1), r = k < last - 1 ? H(k + 2, k - 1) : 0;
            size = fabs(p) + fabs(q) + fabs(r);
            if (size == 0) continue;
            p /= size, q /= size, r /= size;
        }
        const double s = copysign(sqrt(p * p + q * q + r * r), p);
        if (s == 0) continue;
        if (k != m)
            H(k, k - 1) = -s * size;
        else if (first != m)
            H(k, k - 1) = -H(k, k - 1);
        reflect(n, h, first, last, k, s, p, q, r);
    }
}

bool gndi_hessenberg_real(int64_t n, double *h, gndi_complex *values) {
    double shift = 0;
    int tries = 0;
    for (int64_t last = n - 1; last >= 0;) {
        const int64_t first = block_start(n, h, last);
        if (first >= last - 1) {
            if (first == last)
                values[last] = H(last, last) + shift;
            else
                pair(n, h, last, shift, values);
            last = first - 1;
            tries = 0;
            continue;
        }
        if (tries++ == TRIES) return false;
        double x = H(last, last), y = H(last - 1, last - 1), w = H(last, last - 1) * H(last - 1, last);
        if (tries % 10 == 0) { /* an exceptional shift ends a cycle */
            shift += x;
            for (int64_t i = 0; i <= last; i++) H(i, i) -= x;
            const double size = fabs(H(last, last - 1)) + fabs(H(last - 1, last - 2));
            x = y = 0.75 * size;
            w = -0.4375 * size * size;
        }
        double_step(n, h, first, last, x, y, w);
    }
    return true;
}

/* ---- complex -------------------------------------------------------------------------------- */

static double taxicab(gndi_complex z) {
    return fabs(creal(z)) + fabs(cimag(z));
}

/* The eigenvalue of the last 2 x 2 block that is nearer to its last element. */
static gndi_complex nearer(gndi_complex a, gndi_complex b, gndi_complex c, gndi_complex d) {
    const gndi_complex half = (a - d) / 2, root = csqrt(half * half + b * c);
    const gndi_complex plus = half + root, minus = half - root;
    return d + (cabs(plus) < cabs(minus) ? plus : minus);
}

/* One step with a shift: h - shift = q r by rotations, then r q + shift. */
static void single_step(int64_t n, gndi_complex *h, int64_t first, int64_t last, gndi_complex shift) {
    for (int64_t i = first; i <= last; i++) H(i, i) -= shift;
    double before_c = 1;
    gndi_complex before_s = 0;
    for (int64_t k = first; k <= last; k++) {
        double c = 1;
        gndi_complex s = 0;
        if (k < last) {
            const gndi_complex a = H(k, k), b = H(k + 1, k);
            const double size = hypot(cabs(a), cabs(b));
            if (size != 0) {
                c = cabs(a) / size;
                s = cabs(a) != 0 ? a / cabs(a) * conj(b) / size : conj(b) / size;
            }
            for (int64_t j = k; j <= last; j++) {
                const gndi_complex up = H(k, j), down = H(k + 1, j);
                H(k, j) = c * up + s * down;
                H(k + 1, j) = c * down - conj(s) * up;
            }
        }
        if (k > first) /* the rotation before from the right, now that its rows are done */
            for (int64_t i = first; i <= k; i++) {
                const gndi_complex left = H(i, k - 1), right = H(i, k);
                H(i, k - 1) = before_c * left + conj(before_s) * right;
                H(i, k) = before_c * right - before_s * left;
            }
        before_c = c, before_s = s;
    }
    for (int64_t i = first; i <= last; i++) H(i, i) += shift;
}

bool gndi_hessenberg_complex(int64_t n, gndi_complex *h, gndi_complex *values) {
    int tries = 0;
    for (int64_t last = n - 1; last >= 0;) {
        int64_t first = last;
        for (; first > 0; first--) {
            double near = taxicab(H(first - 1, first - 1)) + taxicab(H(first, first));
            if (near == 0) near = 1;
            if (taxicab(H(first, first - 1)) <= DBL_EPSILON * near) {
                H(first, first - 1) = 0;
                break;
            }
        }
        if (first == last) {
            values[last] = H(last, last);
            last--;
            tries = 0;
            continue;
        }
        if (tries++ == TRIES) return false;
        gndi_complex shift = nearer(H(last - 1, last - 1), H(last - 1, last), H(last, last - 1), H(last, last));
        if (tries % 10 == 0) shift = taxicab(H(last, last - 1)) + (last > 1 ? taxicab(H(last - 1, last - 2)) : 0);
        single_step(n, h, first, last, shift);
    }
    return true;
}
