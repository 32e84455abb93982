/*
 * windows_loops.cpp: values of windows on the CPU, for arrays and for designs on the host.
 */
#include "elementwise/cpu/cpu_kernels.h"
#include "windows/cpu/windows_loops.h"
#include "windows/window_formulas.h"

namespace gnd {
namespace windows {

constexpr int BLOCK = 256;

/* out[j] = f(x[j]) or f(x[j], y[j]) by an operator's loop, which has vectors. */
static void apply(gndi_op op, int64_t n, double *out, const double *x, const double *y = nullptr) {
    char *const operand[] = {(char *)out, (char *)x, (char *)y};
    gndi_cpu_kernels_get()->op[op][GND_FLOAT64](operand, n, nullptr);
}

/* As window_formulas.h's cosines of n distances. */
static void sums_of_cosines(const plan_t &p, int64_t n, const double *d, double *sum) {
    const double *a = p.many ? p.many : p.a;
    double angle[BLOCK], s[BLOCK], c[BLOCK], re[BLOCK], im[BLOCK];
    for (int64_t j = 0; j < n; j++) angle[j] = PI * (2 * part(p, d[j]));
    apply(GNDI_OP_cos, n, c, angle);
    if (p.count <= FEW_COSINES) {
        for (int64_t j = 0; j < n; j++) sum[j] = few_cosines(p, c[j]);
        return;
    }
    apply(GNDI_OP_sin, n, s, angle);
    for (int64_t j = 0; j < n; j++) sum[j] = a[0], re[j] = 1, im[j] = 0;
    for (int k = 1; k < p.count; k++)
        for (int64_t j = 0; j < n; j++) {
            const double next = re[j] * c[j] - im[j] * s[j];
            im[j] = re[j] * s[j] + im[j] * c[j];
            re[j] = next;
            sum[j] += a[k] * next;
        }
}
/* As the formula of general_gaussian in windows.def. */
static void general_gaussians(const plan_t &p, int64_t n, const double *d, double *out) {
    double x[BLOCK], exponent[BLOCK];
    for (int64_t j = 0; j < n; j++) x[j] = m::abs(part(p, d[j])), exponent[j] = 2 * p.a[0];
    if (p.count < 0) apply(GNDI_OP_power, n, x, x, exponent);
    for (int64_t j = 0; j < n; j++) x[j] = -0.5 * (p.count < 0 ? x[j] : power(p, x[j]));
    apply(GNDI_OP_exp, n, out, x);
}

template <int Row, class T> static void values_of(const plan_t &p, int64_t begin, int64_t end) {
    constexpr bool is_gaussian = Row == GNDI_WINDOW_general_gaussian;
    if constexpr (Row == GNDI_WINDOW_general_cosine || is_gaussian) {
        for (int64_t first = begin; first < end; first += BLOCK) {
            const int64_t n = end - first < BLOCK ? end - first : BLOCK;
            double d[BLOCK], x[BLOCK];
            for (int64_t j = 0; j < n; j++) d[j] = m::abs(p.centre - (double)(first + j));
            is_gaussian ? general_gaussians(p, n, d, x) : sums_of_cosines(p, n, d, x);
            for (int64_t j = 0; j < n; j++) store<T>(p, first + j, x[j]);
        }
    } else if constexpr (Row == GNDI_WINDOW_kaiser) {
        constexpr int N = 16; /* points whose series are added up side by side */
        for (int64_t first = begin; first < end; first += N) {
            const int n = end - first < N ? (int)(end - first) : N;
            double at[N], w[N];
            for (int j = 0; j < N; j++) at[j] = (double)(j < n ? first + j : first);
            kaisers(p, at, w);
            for (int j = 0; j < n; j++) store<T>(p, first + j, w[j]);
        }
    } else {
        for (int64_t i = begin; i < end; i++) put<Row, T>(p, i);
    }
}
template <int Row> static void values(const plan_t &p, int64_t begin, int64_t end) {
    if (Row == GNDI_WINDOW_chebwin && p.dtype == GND_COMPLEX128)
        values_of<GNDI_WINDOW_chebwin, complex<double>>(p, begin, end);
    else if (p.dtype == GND_FLOAT32)
        values_of<Row, float>(p, begin, end);
    else
        values_of<Row, double>(p, begin, end);
}

} // namespace windows
} // namespace gnd

void gndi_window_values(const gndi_window_plan *p, int64_t begin, int64_t end) {
    switch (p->row) {
#define ROW(name)                                                                                                      \
    case GNDI_WINDOW_##name:                                                                                           \
        return gnd::windows::values<GNDI_WINDOW_##name>(*p, begin, end);
#define FORMULA(name, also, formula) ROW(name)
#define COSINES(name, also, ...)
#define PARAMETERS(name, also, least, most, formula) ROW(name)
#define SAME_AS(name, also, least, most)
#define COMPOSED(name, also, least, most)
#include "windows/windows.def"
        ROW(chebwin)
        ROW(kaiser_bessel_derived)
    default: break;
    }
}

double gndi_bessel_i0(double x) {
    return gnd::special::i0(x);
}
