/*
 * special_incomplete.h: the incomplete gamma and beta functions, regularised, and their inverses.
 *
 * gamma: the power series (DLMF 8.7.1), the continued fraction (DLMF 8.9.2), for small a and x the alternating series
 * of W. Gautschi ("A computational procedure for incomplete gamma functions", ACM TOMS 5, 1979), for a >= 20 near x = a
 * N. M. Temme's uniform expansion (DLMF 8.12). beta: the continued fraction (DLMF 8.17.22). Factors of large arguments
 * are taken about their peak, by log(1 + e) - e, so that nothing cancels.
 *
 * Errors: 16 ulp for arguments below 20; beyond, as many ulp as the logarithm of the value has, and for beta the square
 * root of the larger argument. Of the two tails the smaller one is computed, except where the mass is at an end.
 */
#ifndef GNDI_SPECIAL_INCOMPLETE_H
#define GNDI_SPECIAL_INCOMPLETE_H

#include "special_error.h"
#include "special_simple.h"

namespace gnd {
namespace special {

/* The integrals below and above, whose sum is 1; and x times the density. */
struct tails {
    double lower, upper, density;
};

/* log(1 + e) - e, where 1 + e, of which e may have lost the digits, is `ratio`. */
GNDI_FN_HEAVY double log_less(double e, double ratio) {
    return e < -0.45 ? s::log(ratio) - e : log1p_less(e);
}

/* ---- gamma ---------------------------------------------------------------------------------- */

/* The coefficients of Temme's expansion, c[k][n] of a^-k eta^n (DLMF 8.12.8 to 8.12.11), computed in 60 digits. */
GNDI_TABLE double temme[10][16] = {
    {-0.3333333333333333333, 0.08333333333333333333, -0.01481481481481481481, 0.001157407407407407407,
     0.0003527336860670194004, -0.0001787551440329218107, 0.00003919263178522437782, -2.185448510679992161e-6,
     -1.854062210715159961e-6, 8.296711340953086005e-7, -1.76659527368260793e-7, 6.70785354340149858e-9,
     1.026180978424030804e-8, -4.382036018453353187e-9, 9.147699582236790234e-10, -2.551419399494624977e-11},
    {-0.001851851851851851852, -0.003472222222222222222, 0.002645502645502645503, -0.0009902263374485596708,
     0.0002057613168724279835, -4.018775720164609053e-7, -0.00001809855033448997784, 7.649160916081110085e-6,
     -1.6120900894563446e-6, 4.647127802807434342e-9, 1.378633446915720959e-7, -5.752545603517704964e-8,
     1.195162859977814732e-8, -1.754324171974764762e-11, -1.009154371060041263e-9, 4.162792991842582636e-10},
    {0.004133597883597883598, -0.00268132716049382716, 0.0007716049382716049383, 2.009387860082304527e-6,
     -0.0001073665322636516052, 0.00005292344882912012542, -0.00001276063518861872771, 3.423578734096138074e-8,
     1.372195730906293321e-6, -6.298992138380055023e-7, 1.428061420606424179e-7, -2.047709842199086601e-10,
     -1.409252991086752105e-8, 6.228974084922022034e-9, -1.36704883966171135e-9, 9.428356159014678195e-13},
    {0.000649434156378600823, 0.000229472093621399177, -0.0004691894943952557121, 0.000267720632062838853,
     -0.00007561801671883976411, -2.396505113867296652e-7, 0.00001108265411534730236, -5.674952826991596567e-6,
     1.423090073243588391e-6, -2.786108029152814224e-11, -1.695840409193027729e-7, 8.099464905388082363e-8,
     -1.911116848597365406e-8, 2.392862043980811797e-12, 2.062013181548879844e-9, -9.460496661855132174e-10},
    {-0.0008618882909167116986, 0.0007840392217200666275, -0.0002990724803031901797, -1.463845257884341818e-6,
     0.00006641498215465122187, -0.00003968365047179434664, 0.0000113757269706784191, 2.507497226237532802e-10,
     -1.695414953655830601e-6, 8.907507532205309689e-7, -2.292934834000804871e-7, 2.956794137544049047e-11,
     2.886582974270878363e-8, -1.418973943780321939e-8, 3.446358049946489707e-9, -2.302451717452806713e-13},
    {-0.0003367985533663581503, -0.00006972813758365857774, 0.0002772753244959392079, -0.000199325705161888477,
     0.00006797780477937207839, 1.419062920643967015e-7, -0.00001359404818976869328, 8.01847025633420154e-6,
     -2.29148117650809517e-6, -3.252473551298453952e-10, 3.465284649108526496e-7, -1.844718719117134328e-7,
     4.824096703789418076e-8, -1.79894667217435153e-14, -6.306194500013523435e-9, 3.162417628774567938e-9},
    {0.0005313079364639922232, -0.0005921664373536938829, 0.0002708782096718044828, 7.902353232660327872e-7,
     -0.00008153969367561968751, 0.0000561168275310624965, -0.00001832911658284337557, -3.079613450603304783e-9,
     3.465155368803609087e-6, -2.029132739605860373e-6, 5.788792863149003709e-7, 2.338630673826656989e-13,
     -8.828600746330483525e-8, 4.74359588804081278e-8, -1.254541502071038245e-8, 8.649648858010292471e-14},
    {0.0003443676068923776713, 0.00005171790908260592193, -0.0003349316108114223631, 0.0002812695154763237023,
     -0.0001097658224468473102, -1.274100909548448538e-7, 0.00002774445151156364416, -0.00001826348880571133266,
     5.787694949735052399e-6, 4.9387589339362704e-10, -1.059536701402604273e-6, 6.166714376110407479e-7,
     -1.756297335906046194e-7, -1.297447328701543871e-12, 2.695423606288965984e-8, -1.457835290873127098e-8},
    {-0.0006526239185953094189, 0.00083949872067208728, -0.0004382970985417210051, -6.969091458420551971e-7,
     0.0001664484664206754784, -0.0001278351767976921859, 0.00004629953263691304291, 4.557909867922707712e-9,
     -0.00001059527112580519547, 6.783342904865166623e-6, -2.107547666625880425e-6, -1.7213731432817145e-11,
     3.773587741611097934e-7, -2.186750670012286656e-7, 6.220228804018926906e-8, 6.597703826733000613e-16},
    {-0.0005967612901927462501, -0.00007204895416020010559, 0.0006782308837667328362, -0.0006401475260262758451,
     0.000277501076343287045, 1.819700838046515105e-7, -0.00008479507117068503182, 0.00006105192082501531018,
     -0.00002107392018340486241, -8.858589014125599389e-10, 4.528453595380537711e-6, -2.842781502250440794e-6,
     8.708234177864641168e-7, 3.688610187170696549e-12, -1.534469519070206104e-7, 8.862466778790694976e-8},
};

/* x^a e^-x / gamma(a) */
GNDI_FN_HEAVY double gamma_density(double a, double x) {
    if (a < 10) return x > 780 ? 0 : s::pow(x, a) * s::exp(-x) * rgamma(a);
    return m::sqrt(a / (2 * pi)) * s::exp(a * log_less((x - a) / a, x / a) - stirling_rest(a));
}

GNDI_FN_HEAVY tails gamma_tails_temme(double a, double x, double density) {
    const double mu = (x - a) / a, half = -log1p_less(mu); /* eta^2 / 2 */
    const double eta = m::copysign(m::sqrt(2 * half), mu);
    double sum = 0;
    for (int k = 9; k >= 0; --k) {
        double c = 0;
        for (int n = 15; n >= 0; --n) c = c * eta + temme[k][n];
        sum = sum / a + c;
    }
    const double rest = s::exp(-a * half) / m::sqrt(2 * pi * a) * sum, z = eta * m::sqrt(a / 2);
    return {erfc_of(-z) / 2 - rest, erfc_of(z) / 2 + rest, density};
}

GNDI_FN_HEAVY double gamma_series(double a, double x, double density) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; term > sum * 1e-17; n += 1) {
        term *= x / n;
        sum += term;
    }
    return density * sum;
}
GNDI_FN_HEAVY double gamma_fraction(double a, double x, double density) {
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int i = 1; i < 2000; ++i) { /* Lentz' method */
        const double up = -i * (i - a);
        b += 2;
        d = 1 / (up * d + b), c = b + up / c;
        h *= d * c;
        if (m::abs(d * c - 1) < 2e-16) break;
    }
    return density * h;
}
/* The upper integral for small a and x. */
GNDI_FN_HEAVY double gamma_upper_small(double a, double x) {
    double power = 1, sum = 0;
    for (int n = 1; n < 100; ++n) {
        power *= -x / n;
        sum += power / (a + n);
        if (m::abs(power) <= 1e-17 * m::abs(sum)) break;
    }
    const double exponent = a * s::log(x) - log_gamma_1p(a);
    return -s::expm1(exponent) - s::exp(exponent) * a * sum;
}

/* For a > 0 and x > 0, both finite. */
GNDI_FN_HEAVY tails gamma_tails(double a, double x) {
    const double density = gamma_density(a, x);
    if (a >= 20 && m::abs(x - a) < 0.3 * a) return gamma_tails_temme(a, x, density);
    tails t = {0, 0, density};
    const bool from_below = x > 1.1 ? x < a : x > 0.5 ? x * 1.1 < a : -0.4 / s::log(x) < a;
    if (from_below || x <= 1.1) {
        t.lower = gamma_series(a, x, density);
        t.upper = from_below ? 1 - t.lower : gamma_upper_small(a, x);
    } else {
        t.upper = gamma_fraction(a, x, density);
        t.lower = 1 - t.upper;
    }
    return t;
}

/* The lower or the upper integral, with SciPy's limits. */
GNDI_FN_HEAVY double gamma_tail(double a, double x, bool upper) {
    if (!(a >= 0 && x >= 0)) return limits<double>::nan();
    if ((a == 0 && x == 0) || (m::isinf(a) && m::isinf(x))) return limits<double>::nan();
    if (x == 0 || m::isinf(a)) return upper ? 1 : 0;
    if (a == 0 || m::isinf(x)) return upper ? 0 : 1;
    const tails t = gamma_tails(a, x);
    return upper ? t.upper : t.lower;
}
GNDI_FN double gammainc(double a, double x) {
    return gamma_tail(a, x, false);
}
GNDI_FN double gammaincc(double a, double x) {
    return gamma_tail(a, x, true);
}

/* ---- inverses ------------------------------------------------------------------------------- */

/* The x whose tails are p and q = 1 - p: Newton's method for the logarithm of the smaller tail as a function of t =
   log x, which is nearly a straight line in the lower tail, within a bracket that is halved where it leaves it; at the
   end a step in x. `problem(x)` gives the tails. */
template <class Problem>
GNDI_FN double solve_tails(const Problem &problem, double p, double q, double t, double above) {
    const bool of_lower = p <= q;
    const double wanted = of_lower ? p : q;
    double low = -746, high = above;
    if (!(t > low)) t = low;
    if (!(t < high)) t = high;
    for (int i = 0; i < 100; ++i) {
        const tails now = problem(s::exp(t));
        const double has = of_lower ? now.lower : now.upper, off = s::log(has / wanted);
        if ((off > 0) == of_lower)
            high = t;
        else
            low = t;
        double next = t - off * has / (of_lower ? now.density : -now.density);
        if (!(next >= low && next <= high)) next = low + (high - low) / 2;
        const double step = m::abs(next - t);
        t = next;
        if (step <= 1e-14 * (1 + m::abs(t)) || high - low <= 1e-15 * (1 + m::abs(t))) break;
    }
    const double x = s::exp(t);
    const tails last = problem(x);
    const double has = of_lower ? last.lower : last.upper;
    const double step = (has - wanted) / (of_lower ? last.density : -last.density);
    return m::abs(step) < 1e-6 ? x - x * step : x;
}

struct gamma_problem {
    double a;
    GNDI_FN_MEMBER tails operator()(double x) const {
        if (x == 0) return {0, 1, 0};
        return gamma_tails(a, x);
    }
};

GNDI_FN_HEAVY double gamma_inverse(double a, double p, double q) {
    if (!(a >= 0 && p >= 0 && q >= 0)) return limits<double>::nan();
    if (p == 0 || q == 0) return p == 0 ? 0 : limits<double>::infinity();
    if (a == 0 || m::isinf(a)) return limits<double>::nan();
    /* the lower tail's power, Wilson and Hilferty's cube, the upper tail's exponential */
    double t = ((p <= q ? s::log(p) : s::log1p(-q)) + log_gamma_1p(a)) / a;
    if (a >= 1) {
        const double z = p <= q ? ndtri(p) : -ndtri(q), root = 1 - 1 / (9 * a) + z / (3 * m::sqrt(a));
        if (root > 0.2) t = s::log(a * root * root * root);
    } else if (t > 0) {
        const double x = -s::log(q * gamma_of(a));
        t = s::log(x > 2 ? x + (a - 1) * s::log(x) : 1.0);
    }
    return solve_tails(gamma_problem{a}, p, q, t, 709);
}
GNDI_FN_HEAVY double gammaincinv(double a, double p) {
    return gamma_inverse(a, p, 1 - p);
}
GNDI_FN_HEAVY double gammainccinv(double a, double q) {
    return gamma_inverse(a, 1 - q, q);
}

/* ---- beta ----------------------------------------------------------------------------------- */

/* x^a y^b / beta(a, b), y being 1 - x. */
GNDI_FN_HEAVY double beta_density(double a, double b, double x, double y) {
    if (a >= 10 && b >= 10) {
        const double sum = a + b, off = x <= y ? a - sum * x : sum * y - b;
        const double exponent = a * log_less(-off / a, sum * x / a) + b * log_less(off / b, sum * y / b);
        const double rest = stirling_rest(a) + stirling_rest(b) - stirling_rest(sum);
        return m::sqrt(a / sum * b / (2 * pi)) * s::exp(exponent - rest);
    }
    const double log_x = x < 0.5 ? s::log(x) : s::log1p(-y), log_y = y < 0.5 ? s::log(y) : s::log1p(-x);
    const double exponent = a * log_x + b * log_y, more = a > b ? a : b, less = a > b ? b : a;
    if (more >= 10) return s::exp(exponent - log_gamma_ratio(more, less)) * rgamma(less);
    return s::exp(exponent) / beta(a, b);
}

/* The lower integral over density / a, for x below the mean. */
GNDI_FN_HEAVY double beta_fraction(double a, double b, double x) {
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (m::abs(d) < 1e-300 ? 1e-300 : d);
    double h = d;
    for (int i = 1; i < 20000; ++i) {
        const double twice = 2.0 * i;
        const double even = i * (b - i) * x / ((a + twice - 1) * (a + twice));
        d = 1 + even * d, c = 1 + even / c;
        d = 1 / (m::abs(d) < 1e-300 ? 1e-300 : d), c = m::abs(c) < 1e-300 ? 1e-300 : c;
        h *= d * c;
        const double odd = -(a + i) * (a + b + i) * x / ((a + twice) * (a + twice + 1));
        d = 1 + odd * d, c = 1 + odd / c;
        d = 1 / (m::abs(d) < 1e-300 ? 1e-300 : d), c = m::abs(c) < 1e-300 ? 1e-300 : c;
        h *= d * c;
        if (m::abs(d * c - 1) < 2e-16) break;
    }
    return h;
}

/* For finite a, b > 0 and 0 < x < 1. */
GNDI_FN_HEAVY tails beta_tails(double a, double b, double x, double y) {
    const bool turned = x > (a + 1) / (a + b + 2);
    const double density = beta_density(a, b, x, y);
    const double part = turned ? density * beta_fraction(b, a, y) / b : density * beta_fraction(a, b, x) / a;
    return {turned ? 1 - part : part, turned ? part : 1 - part, density};
}

/* The lower or the upper integral to x = 1 - y, with SciPy's limits. */
GNDI_FN_HEAVY double beta_tail(double a, double b, double x, double y, bool upper) {
    if (!(a >= 0 && b >= 0 && x >= 0 && y >= 0)) return limits<double>::nan();
    if ((a == 0 && b == 0) || (m::isinf(a) && m::isinf(b))) return limits<double>::nan();
    if (x == 0 || y == 0) return (x == 0) == upper ? 1 : 0;
    if (a == 0 || m::isinf(b)) return upper ? 0 : 1;
    if (b == 0 || m::isinf(a)) return upper ? 1 : 0;
    const tails t = beta_tails(a, b, x, y);
    return upper ? t.upper : t.lower;
}
GNDI_FN double betainc(double a, double b, double x) {
    return beta_tail(a, b, x, 1 - x, false);
}

/* Of the variable below 1/2: x, or turned 1 - x. */
struct beta_problem {
    double a, b;
    GNDI_FN_MEMBER tails operator()(double x) const {
        if (x == 0) return {0, 1, 0};
        tails t = beta_tails(a, b, x, 1 - x);
        t.density /= 1 - x;
        return t;
    }
};
GNDI_FN_HEAVY double solve_beta(double a, double b, double p, double q) {
    double t = ((p <= q ? s::log(p) : s::log1p(-q)) + s::log(a) + betaln(a, b)) / a;
    if (a >= 1 && b >= 1) { /* by the normal distribution, A&S 26.5.22 */
        const double z = p <= q ? -ndtri(p) : ndtri(q), u = 1 / (2 * a - 1), v = 1 / (2 * b - 1);
        const double l = (z * z - 3) / 6, h = 2 / (u + v);
        const double w = z * m::sqrt(h + l) / h - (v - u) * (l + 5.0 / 6 - 2 / (3 * h));
        const double x = a / (a + b * s::exp(2 * w));
        if (h + l > 0 && x > 0) t = s::log(x);
    }
    return solve_tails(beta_problem{a, b}, p, q, t, -0.69314718055994530942);
}

/* The x whose lower integral is p = 1 - q; `turned`: 1 - x instead. */
GNDI_FN_HEAVY double beta_inverse(double a, double b, double p, double q, bool turned) {
    if (!(a > 0 && b > 0 && p >= 0 && q >= 0)) return limits<double>::nan();
    if (p == 0 || q == 0) return (p == 0) == turned ? 1 : 0;
    if (m::isinf(a) || m::isinf(b)) return limits<double>::nan();
    const tails half = beta_tails(a, b, 0.5, 0.5);
    const bool below = p <= q ? p <= half.lower : q >= half.upper;
    const double x = below ? solve_beta(a, b, p, q) : solve_beta(b, a, q, p);
    return below == turned ? 1 - x : x;
}
GNDI_FN_HEAVY double betaincinv(double a, double b, double p) {
    return beta_inverse(a, b, p, 1 - p, false);
}

} // namespace special

namespace ops {

GNDI_SPECIAL_2(gammainc)
GNDI_SPECIAL_2(gammaincc)
GNDI_SPECIAL_2(gammaincinv)
GNDI_SPECIAL_2(gammainccinv)
GNDI_SPECIAL_3(betainc)
GNDI_SPECIAL_3(betaincinv)

} // namespace ops
} // namespace gnd

#endif
