/*
 * window_rows.c: windows by their names: reads the table windows.def and makes plans of its rows.
 */
#include "windows/windows.h"
#include <math.h>
#include <string.h>

#define COUNT_OF(...) (sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
static const struct {
    const char *names; /* each between two spaces */
    int least, most;   /* parameters */
    int terms;         /* of a sum of cosines with these numbers */
    const double *cosines;
    bool composed;
} ROWS[] = {
#define FORMULA(name, also, formula) {" " #name " " also " ", 0, 0, 0, NULL, false},
#define COSINES(name, also, ...)                                                                                       \
    {" " #name " " also " ", 0, 0, COUNT_OF(__VA_ARGS__), (const double[]){__VA_ARGS__}, false},
#define PARAMETERS(name, also, least, most, formula) {" " #name " " also " ", least, most, 0, NULL, false},
#define SAME_AS(name, also, least, most) {" " #name " " also " ", least, most, 0, NULL, false},
#define COMPOSED(name, also, least, most) {" " #name " " also " ", least, most, 0, NULL, true},
#include "windows/windows.def"
#undef FORMULA
#undef COSINES
#undef PARAMETERS
#undef SAME_AS
#undef COMPOSED
};

bool gndi_window_composed(int row) {
    return ROWS[row].composed;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* The row of a name of `length` characters, or -1. SciPy writes some names with spaces for underscores. */
static int find(const char *name, size_t length) {
    char wanted[64];
    if (length == 0 || length > sizeof(wanted) - 3) return -1;
    snprintf(wanted, sizeof(wanted), " %.*s ", (int)length, name);
    for (size_t i = 1; i <= length; i++)
        if (wanted[i] == ' ') wanted[i] = '_';
    for (int row = 0; row < GNDI_WINDOW_ROWS; row++)
        if (strstr(ROWS[row].names, wanted)) return row;
    return -1;
}

static bool ends_in(const char *name, size_t *length, const char *end) {
    const size_t n = strlen(end);
    if (*length < n || strcmp(name + *length - n, end) != 0) return false;
    *length -= n;
    return true;
}

bool gndi_window_find(gndi_scratch *s, const gnd_window *window, const char *standard, int64_t n, bool symmetric,
                      gndi_window_request *r) {
    if (s->failed) return false;
    const bool named = window && window->name;
    const char *name = named ? window->name : standard;
    const int count = named || !standard ? window->count : 0;
    if (!name) name = "kaiser"; /* SciPy's window that is a number is Kaiser's */
    size_t length = strlen(name);
    if (ends_in(name, &length, "_symmetric"))
        symmetric = true;
    else if (ends_in(name, &length, "_periodic"))
        symmetric = false;
    const int row = find(name, length);
    if (row < 0) return gndi_scratch_fail(s, GND_ERROR_VALUE, "there is no window named '%s'", name);
    if (count < ROWS[row].least || count > ROWS[row].most)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the window '%s' takes %d to %d parameters, not %d", name,
                                 ROWS[row].least, ROWS[row].most, count);
    *r = (gndi_window_request){(gndi_window_row)row, symmetric, n, count, count ? window->params : NULL};
    return true;
}

/* ---- plans ---------------------------------------------------------------------------------- */

enum { MOST_PRODUCTS = 64 }; /* powers above are left to pow */

/* A sum of cosines. The numbers outlive the plan. */
static void become_cosines(struct gndi_window_plan *p, int count, const double *a) {
    p->row = GNDI_WINDOW_general_cosine;
    p->count = count;
    memset(p->a, 0, sizeof p->a);
    if (count > GNDI_WINDOW_NUMBERS)
        p->many = a;
    else
        memcpy(p->a, a, (size_t)count * sizeof *a);
}

/* Parameters: nbar (4), the level of the side lobes in dB (30), and whether the centre is 1 (1). W. G. Carrara et al.,
   Spotlight Synthetic Aperture Radar, 1995. */
static bool prepare_taylor(gndi_scratch *s, int count, const double *params, struct gndi_window_plan *p) {
    const double nbar = count > 0 ? params[0] : 4, level = count > 1 ? params[1] : 30;
    if (!(nbar >= 1 && nbar <= 10000))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "nbar must be between 1 and 10000, not %g", nbar);
    const int lobes = (int)nbar;
    double *f = gndi_scratch_doubles(s, lobes), sum = 1;
    if (!f) return false;
    const double a = acosh(pow(10, level / 20)) / GNDI_PI;
    const double s2 = (double)lobes * lobes / (a * a + (lobes - 0.5) * (lobes - 0.5));
    f[0] = 1;
    for (int k = 1; k < lobes; k++) {
        double above = k % 2 ? 1 : -1, below = 1;
        for (int j = 1; j < lobes; j++) {
            above *= 1 - (double)k * k / s2 / (a * a + (j - 0.5) * (j - 0.5));
            if (j != k) below *= 1 - (double)k * k / ((double)j * j);
        }
        sum += f[k] = above / below;
    }
    if (count < 3 || params[2] != 0)
        for (int k = 0; k < lobes; k++) f[k] /= sum;
    become_cosines(p, lobes, f);
    p->by = (double)p->m;
    return true;
}

/* Parameters: the centre (only periodic ones have one; NaN: the middle), and tau (1). */
static bool prepare_exponential(gndi_scratch *s, const gndi_window_request *r, struct gndi_window_plan *p) {
    p->by = r->count > 1 ? r->params[1] : 1;
    if (r->count == 0 || isnan(r->params[0])) return true;
    if (r->symmetric)
        return gndi_scratch_fail(s, GND_ERROR_VALUE,
                                 "a symmetric exponential window has no centre of its own: it must be NaN, not %g",
                                 r->params[0]);
    p->centre = r->params[0];
    p->points = p->n;
    return true;
}

/* Parameter: the part of the window that is not 1 (0.5). */
static bool prepare_tukey(gndi_scratch *s, int count, const double *params, struct gndi_window_plan *p) {
    const double alpha = count > 0 ? params[0] : 0.5;
    if (isnan(alpha)) return gndi_scratch_fail(s, GND_ERROR_VALUE, "alpha is NaN; it must be a number");
    if (alpha <= 0)
        p->row = GNDI_WINDOW_boxcar;
    else if (alpha >= 1)
        become_cosines(p, 2, (const double[]){0.5, 0.5});
    else
        p->a[0] = alpha, p->a[1] = floor(alpha * (double)(p->m - 1) / 2), p->by = alpha * (double)(p->m - 1);
    return true;
}

/* Parameters: the power's half, and a scale. */
static void prepare_general_gaussian(const double *params, struct gndi_window_plan *p) {
    const double twice = 2 * params[0];
    p->by = params[1];
    p->count = twice >= 0 && twice <= MOST_PRODUCTS && twice == floor(twice) ? (int32_t)twice : -1;
}

enum { STEP = GNDI_WINDOW_STEP, MOST_TERMS = (GNDI_WINDOW_NUMBERS - 2) / STEP * STEP };

/* The last of `count` terms of a polynomial on 0 to 1 becomes terms of lower degrees: what a Chebyshev polynomial of
   that degree has besides, which leaves an error of 2 / 4^(count - 1) of the term (C. Lanczos, Applied Analysis,
   1956). */
static void economize(int count, long double *a) {
    const int n = count - 1;
    double c = (double)a[n];
    for (int j = n; j > 0; j--) {
        c *= -(double)(j * (2 * j - 1)) / (double)(2 * (n - j + 1) * (n + j - 1));
        a[j - 1] -= c;
    }
}

/* I0 of beta sqrt(y) over that of beta, for y to 1: the series, until terms fall by half at least, and all that follow
   are nothing. Of many points also without those that are nothing even to the value at y = 0, when lower ones are
   changed: that takes 2 us. */
void gndi_window_kaiser(struct gndi_window_plan *p, double beta) {
    enum { MANY_POINTS = 100000 };
    const double square = beta * beta / 4, whole = gndi_bessel_i0(beta);
    long double a[MOST_TERMS], term = 1 / (long double)whole;
    int count = 0;
    for (; count < MOST_TERMS && (term > 0x1p-60L || square > 0.5 * count * count);
         term *= square / ((long double)count * count))
        a[count++] = term;
    p->row = GNDI_WINDOW_kaiser;
    p->a[0] = beta, p->a[1] = whole;
    p->count = 0;
    if (count == MOST_TERMS) return;
    for (; p->m > MANY_POINTS && count > 1 && ldexpl(a[count - 1], 2 - 2 * count) < 0x1p-58L * a[0]; count--)
        economize(count, a);
    for (int k = 0; k < MOST_TERMS; k++) p->a[2 + k] = k < count ? (double)ldexpl(a[k], 2 * k) : 0;
    p->count = (count + STEP - 1) / STEP * STEP;
}

/* Parameter: the level of the side lobes in dB. */
static void prepare_chebwin(double level, struct gndi_window_plan *p) {
    const double x = cosh(1 / p->by * acosh(pow(10, fabs(level) / 20)));
    p->a[0] = x, p->a[1] = (x - 1) * (x + 1);
    p->by = (double)p->m;
}

/* A row's numbers; p->by is one less than the number of points. */
static bool prepare(gndi_scratch *s, const gndi_window_request *r, struct gndi_window_plan *p) {
    const int64_t m = p->m;
    switch (r->row) {
    case GNDI_WINDOW_general_cosine: become_cosines(p, r->count, r->params); return true;
    case GNDI_WINDOW_general_hamming:
        become_cosines(p, 2, (const double[]){r->params[0], 1 - r->params[0]});
        return true;
    case GNDI_WINDOW_triang: p->by = (double)(m + m % 2); return true;
    case GNDI_WINDOW_parzen: p->by = (double)m / 2; return true;
    case GNDI_WINDOW_cosine: p->by = (double)m; return true;
    case GNDI_WINDOW_gaussian: p->by = 2 * r->params[0] * r->params[0]; return true;
    case GNDI_WINDOW_general_gaussian: prepare_general_gaussian(r->params, p); return true;
    case GNDI_WINDOW_taylor: return prepare_taylor(s, r->count, r->params, p);
    case GNDI_WINDOW_exponential: return prepare_exponential(s, r, p);
    case GNDI_WINDOW_tukey: return prepare_tukey(s, r->count, r->params, p);
    case GNDI_WINDOW_kaiser: gndi_window_kaiser(p, r->params[0]); return true;
    case GNDI_WINDOW_chebwin: prepare_chebwin(r->params[0], p); return true;
    case GNDI_WINDOW_kaiser_bessel_derived:
        if (!r->symmetric) return gndi_scratch_fail(s, GND_ERROR_VALUE, "this window is symmetric only");
        if (m % 2 == 0) return true;
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "this window has an even number of points, not %lld",
                                 (long long)r->n);
    case GNDI_WINDOW_dpss:
        if (r->params[0] > 0 && r->params[0] < (double)r->n / 2) return true;
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "nw must be between 0 and %g, half the number of points, not %g",
                                 (double)r->n / 2, r->params[0]);
    default:
        if (ROWS[r->row].cosines) become_cosines(p, ROWS[r->row].terms, ROWS[r->row].cosines);
        return true;
    }
}

bool gndi_window_prepare(gndi_scratch *s, const gndi_window_request *r, struct gndi_window_plan *p) {
    if (s->failed) return false;
    const int64_t m = r->symmetric ? r->n : r->n + 1;
    *p = (struct gndi_window_plan){.n = r->n, .m = m, .row = (uint8_t)r->row, .dtype = GND_FLOAT64};
    p->points = (m + 1) / 2, p->centre = (double)(m - 1) / 2, p->by = (double)(m - 1);
    const int few = r->count < GNDI_WINDOW_NUMBERS ? r->count : GNDI_WINDOW_NUMBERS;
    if (few) memcpy(p->a, r->params, (size_t)few * sizeof *p->a);
    if (!prepare(s, r, p)) return false;
    p->over = fabs(p->by) > 0x1p-500 && fabs(p->by) < 0x1p500 ? 1 / p->by : 0;
    return true;
}

/* ---- on the host ---------------------------------------------------------------------------- */

bool gndi_window(gndi_scratch *s, const gnd_window *window, const char *standard, int64_t n, bool symmetric,
                 double *values) {
    gndi_window_request r;
    struct gndi_window_plan p;
    if (!gndi_window_find(s, window, standard, n, symmetric, &r)) return false;
    if (n <= 1 && r.row != GNDI_WINDOW_kaiser_bessel_derived) {
        if (n == 1) values[0] = 1;
        return true;
    }
    if (!gndi_window_prepare(s, &r, &p)) return false;
    if (n == 0) return true;
    if (gndi_window_composed(p.row)) {
        double *whole = gndi_scratch_doubles(s, p.m);
        if (!whole || !gndi_composed_values(s, &p, whole)) return false;
        memcpy(values, whole, (size_t)n * sizeof(double));
        return true;
    }
    p.out = values;
    gndi_window_values(&p, 0, p.points);
    return true;
}
