/*
 * special_bessel.h: Bessel functions of orders 0 and 1, modified ones, yn, and spherical_yn. (i0 is in
 * scalar_special_real.h.)
 *
 * All by Chebyshev series, whose coefficients were computed in 60 digits: near 0 of what is analytic in x^2, far from
 * it of Hankel's asymptotic form (DLMF 10.17 and 10.40). Errors of j and y are in ulp of the larger of the value and
 * sqrt(2 / (pi x)), since between zeros no method keeps all digits; near the first two zeros of j0 and j1 all are kept.
 */
#ifndef GNDI_SPECIAL_BESSEL_H
#define GNDI_SPECIAL_BESSEL_H

#include "special_gamma.h"

namespace gnd {
namespace special {

/* ---- modified functions --------------------------------------------------------------------- */

/* e^-x I1(x) / x on [0, 8] in x / 4 - 1, and e^-x sqrt(x) I1(x) beyond in 16 / x - 1. */
GNDI_TABLE double i1_near[31] = {
    0.25258718644363365482,    -0.17641651835783405515,    0.10264365868984709538,     -0.052945981208094991427,
    0.024726449030626516828,   -0.010564084894626198156,   0.0041564229443128881567,   -0.001513572450631253149,
    0.0005122859561685757729,  -0.00016176081582589674559, 0.000047815651075500542264, -0.000013273163656039435828,
    3.4702513081376784767e-6,  -8.5687202646954547407e-7,  2.0032947535521352623e-7,   -4.4450591287963280807e-8,
    9.3815373864957717839e-9,  -1.8872497517228292879e-9,  3.625590281552117037e-10,   -6.6634897235020277422e-11,
    1.1736186298890901631e-11, -1.9839743977649437152e-12, 3.2237933659455747098e-13,  -5.0421855047279116871e-14,
    7.6006842947354069341e-15, -1.105596947735386308e-15,  1.5536319577362004689e-16,  -2.1114212143581660782e-17,
    2.7779141127610463705e-18, -3.5415817725421362052e-19, 4.3793027566550709946e-20,
};
GNDI_TABLE double i1_far[27] = {
    0.77857623501828012047,     -0.0097610974913614684078,  -0.00011058893876262371629, -3.8825648088776903935e-6,
    -2.5122362378702089253e-7,  -2.6314688468895195068e-8,  -3.835380385964237022e-9,   -5.5897434621965838069e-10,
    -1.8974958123505412345e-11, 3.2526035830154882386e-11,  1.4125807436613781332e-11,  2.0356285441470895072e-12,
    -7.1985517762459085121e-13, -4.0835511110921973182e-13, -2.101541842772664313e-14,  4.2724400167119513543e-14,
    1.0420276984128802764e-14,  -3.8144030724370078048e-15, -1.8803547755107824485e-15, 3.3082023109209282827e-16,
    2.9626289976459501391e-16,  -3.2095259219934239588e-17, -4.6503053684893583256e-17, 4.4143483230717079499e-18,
    7.5172963108421048054e-18,  -9.3141788673268833756e-19, -1.2421932751948909561e-18,
};

/* K0(x) + log(x) I0(x), and x (K1(x) - log(x) I1(x)), on [0, 1] in 2 x^2 - 1; e^x sqrt(x) K(x) beyond in 2 / x - 1. */
GNDI_TABLE double k0_near[9] = {
    0.53031961673140888446,     0.15251907576831567455,    0.0033180488448353949773,
    0.000027385197884015740154, 1.1973841928000323822e-7,  3.2494744436792949625e-10,
    6.0127303866897034794e-13,  8.0760607335364387997e-16, 8.2349779836984229811e-19,
};
GNDI_TABLE double k1_near[9] = {
    1.6250425211519901326,      -0.19889414149192747183,    -0.011566735371356153575,
    -0.00015224028075766279118, -9.1009901779375683473e-7,  -3.1286865430636005042e-9,
    -7.0038187044847534269e-12, -1.1034932275958858353e-14, -1.2909276222238150922e-17,
};
GNDI_TABLE double k0_far[37] = {
    2.3888661524334772448,      -0.053855323307629491719,    0.0043620000682517013051,  -0.00055212703498632345946,
    0.000089595655557559522138, -0.000017138726856421185726, 3.6951460890454717194e-6,  -8.7372845189805244654e-7,
    2.2250462722552358949e-7,   -6.0252167563760650054e-8,   1.7186668629418082932e-8,  -5.1272057810909208321e-9,
    1.5907351467912106971e-9,   -5.1095832579141894552e-10,  1.6929517419961086281e-10, -5.7683063818637604514e-11,
    2.0159542597761384528e-11,  -7.2109400653464952634e-12,  2.6349075982806446188e-12, -9.8195768917592966181e-13,
    3.7269581878457700703e-13,  -1.4388149744180521726e-13,  5.6436532735816867254e-14, -2.2469288334596895127e-14,
    9.0720469916273646497e-15,  -3.7115899978381625731e-15,  1.537582290719741848e-15,  -6.4454643627247617586e-16,
    2.7324144482527954868e-16,  -1.170783770038562724e-16,   5.0678693979436569476e-17, -2.2150879127142890341e-17,
    9.7720813579303102064e-18,  -4.3495197635403277215e-18,  1.9525118377031567844e-18, -8.8368070779393256116e-19,
    4.030952799257229511e-19,
};
GNDI_TABLE double k1_far[37] = {
    2.9065513351876826748,      0.19051350202061164058,     -0.008406706460495653868,   0.00088153631645143891085,
    -0.00012999576958398299922, 0.000023441638979785087896, -4.8534894136102259228e-6,  1.1139969511197356402e-6,
    -2.7727076438050767453e-7,  7.3724718497770797241e-8,   -2.0717892129028322752e-8,  6.1039665494203360083e-9,
    -1.8737789179573489227e-9,  5.9638868844534190492e-10,  -1.9602800407430101345e-10, 6.6322738998642028143e-11,
    -2.3034250700407757473e-11, 8.1930825183699753119e-12,  -2.9786645069974165603e-12, 1.1049772078983365693e-12,
    -4.1763277431648047626e-13, 1.6061141914625802777e-13,  -6.2776326725312890847e-14, 2.4911830875182033207e-14,
    -1.0027796862522929834e-14, 4.091059996919741185e-15,   -1.690331071434487945e-15,  7.0683607922643281042e-16,
    -2.989568012176337624e-16,  1.2781913900252085058e-16,  -5.5214911880375836238e-17, 2.4087033253210474774e-17,
    -1.0606842599776098657e-17, 4.7129041813514231926e-18,  -2.1121629095181457208e-18, 9.5444460526731397024e-19,
    -4.3472756691509289908e-19,
};

#define GNDI_SERIES(table, t) special::chebyshev(table, (int)(sizeof table / sizeof *table), t)

/* e^-|x| I0(x), e^-|x| I1(x): 6 ulp. */
GNDI_FN_HEAVY double i0e(double x) {
    x = m::abs(x);
    return x <= 8 ? GNDI_SERIES(i0_near, x / 4 - 1) : GNDI_SERIES(i0_far, 16 / x - 1) / m::sqrt(x);
}
GNDI_FN_HEAVY double i1e(double x) {
    const double size = m::abs(x);
    if (size <= 8) return x * GNDI_SERIES(i1_near, size / 4 - 1);
    return m::copysign(GNDI_SERIES(i1_far, 16 / size - 1) / m::sqrt(size), x);
}
/* I1: 10 ulp. */
GNDI_FN_HEAVY double i1(double x) {
    const double half = s::exp(m::abs(x) / 2);
    return m::isinf(x) ? x : half * i1e(x) * half;
}

/* e^x K(x) beyond 1. */
GNDI_FN_HEAVY double k_far(double x, bool first) {
    const double t = 2 / x - 1;
    return (first ? GNDI_SERIES(k1_far, t) : GNDI_SERIES(k0_far, t)) / m::sqrt(x);
}
/* K(x) for 0 < x <= 1. */
GNDI_FN_HEAVY double k_near(double x, bool first) {
    const double t = 2 * x * x - 1;
    if (first) return GNDI_SERIES(k1_near, t) / x + s::log(x) * i1(x);
    return GNDI_SERIES(k0_near, t) - s::log(x) * special::i0(x);
}
/* K, or e^x K: infinite at 0, NaN below. 6 ulp. */
GNDI_FN_HEAVY double k_any(double x, bool first, bool scaled) {
    if (!(x > 0)) return x == 0 ? limits<double>::infinity() : limits<double>::nan();
    if (x <= 1) return k_near(x, first) * (scaled ? s::exp(x) : 1);
    const double far = k_far(x, first);
    if (scaled) return far;
    const double half = s::exp(-x / 2);
    return half * far * half;
}
GNDI_FN double k0(double x) {
    return k_any(x, false, false);
}
GNDI_FN double k0e(double x) {
    return k_any(x, false, true);
}
GNDI_FN double k1(double x) {
    return k_any(x, true, false);
}
GNDI_FN double k1e(double x) {
    return k_any(x, true, true);
}

/* ---- J and Y -------------------------------------------------------------------------------- */

/* J0(x) and J1(x) / x over the product of x^2 - z^2 for their first two zeros z; Y0 and Y1 / x less their logarithm,
   (2 / pi) (log(x) J0) and (2 / pi) (log(x) J1 - 1 / x) / x: on [0, 8] in x^2 / 32 - 1. */
GNDI_TABLE double j0_near[16] = {
    0.0039807110003202971014,   -0.0026209391384970251074,  0.00086877214720625765228, -0.00017040584951557357836,
    0.000022049086394548170116, -2.0248894980012834754e-6,  1.3898025173428905038e-7,  -7.4067012543441668298e-9,
    3.1559927583611333054e-10,  -1.1003860827939697825e-11, 3.1989232970233478365e-13, -7.875041254709154765e-15,
    1.6632588015211277679e-16,  -3.0475993756698375468e-18, 4.8912290055811177356e-20, -6.9338938875602038351e-22,
};
GNDI_TABLE double j1_near[15] = {
    0.00055791419775226207247, -0.00031156840366435617848, 0.000085536465885405377771, -0.0000141493564256234844,
    1.5764700992258890886e-6,  -1.2690755023694251413e-7,  7.7476140770730568586e-9,   -3.7165771466757721601e-10,
    1.4395417669312554298e-11, -4.6000782241345198755e-13, 1.2341465589619717367e-14,  -2.8205466239524856648e-16,
    5.5588210659515719646e-18, -9.5469308657552193298e-20, 1.441829178131505127e-21,
};
GNDI_TABLE double y0_near[18] = {
    -0.066292226406569883311,    -0.27447430552974526529,   0.17903431407718266299,     0.2615673462550466368,
    -0.17730201278114358212,     0.047196689595763386875,   -0.0072879624795520791794,  0.00075311359325777422807,
    -0.000056320791410569869751, 3.2065325376548009793e-6,  -1.4407233274018699479e-7,  5.2487947873305161232e-9,
    -1.5837552541812015122e-10,  4.0263308183061207531e-12, -8.7473412033107695544e-14, 1.6434898714919469038e-15,
    -2.6977881152566835632e-17,  3.9032584173475982707e-19,
};
GNDI_TABLE double y1_near[18] = {
    0.0050760264714835634606,   -0.016087173047668750173,  -0.095912045360830742472,   0.084451972596523458368,
    -0.028328123944594365554,   0.0052898975441671130141,  -0.00064145514513263559874, 0.000055059828733387438376,
    -3.5380800186893499017e-6,  1.770780455615440341e-7,   -7.1105500498992797819e-9,  2.3443379059115163947e-10,
    -6.4651518414115942418e-12, 1.5142915120500199545e-13, -3.051185969447325274e-15,  5.3466803857286701231e-17,
    -8.2249113720215846294e-19, 1.1198518333682237759e-20,
};

/* The factors of cosine and sine in Hankel's form, the second times x, in 128 / x^2 - 1 beyond 8. */
GNDI_TABLE double p0_far[14] = {
    1.9989206986950373307,     -0.00053652204681321174247, 3.0751847875194746219e-6,  -5.170594537606097701e-8,
    1.6306464635151383095e-9,  -7.864091377237069999e-11,  5.1682623873491924622e-12, -4.3045788699253912224e-13,
    4.3265957431549405642e-14, -5.0690340959352360775e-15, 6.7480722157338737041e-16, -1.0011513723467785834e-16,
    1.6305919233744184736e-17, -2.880866169482871202e-18,
};
GNDI_TABLE double q0_far[16] = {
    -0.24889367368539214559,    0.00054708159540893196795, -5.9315987288485178116e-6,  1.4377965798375193428e-7,
    -5.8175327494930559835e-9,  3.3760975237349907551e-10, -2.5653979367973077957e-11, 2.404916100281365049e-12,
    -2.6690625482579415976e-13, 3.4041800321963688986e-14, -4.8799441053120400078e-15, 7.7297031762426053902e-16,
    -1.334885217150251704e-16,  2.486595238939051547e-17,  -4.952892629886515942e-18,  1.0473158973776097239e-18,
};
GNDI_TABLE double p1_far[14] = {
    2.0018060817200273998,      0.00089898983308594085557, -3.9872843004889085228e-6,  6.1776339606442985349e-8,
    -1.8718907491063066087e-9,  8.8168986595823388985e-11, -5.7048636403956447019e-12, 4.6991955152305423752e-13,
    -4.6842237839904892216e-14, 5.4526748960447171683e-15, -7.2211808422740179189e-16, 1.0667689114335412457e-16,
    -1.7312313216116334973e-17, 3.0492991197665872261e-18,
};
GNDI_TABLE double q1_far[16] = {
    0.74844459311256520385,    -0.00077021788393256634594, 7.3108922063643632996e-6,  -1.6767825107266737968e-7,
    6.5833546621204433032e-9,  -3.7490909505415561844e-10, 2.8121750359748864681e-11, -2.6114525394623199408e-12,
    2.8774212663332233544e-13, -3.6490019160618377554e-14, 5.2066263662267071631e-15, -8.2153180254585942908e-16,
    1.4141084390211833283e-16, -2.6267615898385291684e-17, 5.2192649196714082425e-18, -1.1012617187879590425e-18,
};

constexpr double two_over_pi = 0.63661977236758134308;

/* x^2 - z^2, z given by its rounded value and the rest. */
GNDI_FN double beside_zero(double x, double z, double rest) {
    return ((x - z) - rest) * (x + z);
}
GNDI_FN_HEAVY double j0_below_8(double x) {
    return beside_zero(x, 2.404825557695773, -1.1766916515308941221e-16) *
           beside_zero(x, 5.520078110286311, 8.0885971461467223092e-17) * GNDI_SERIES(j0_near, x * x / 32 - 1);
}
/* J1(x) / x */
GNDI_FN_HEAVY double j1_below_8(double x) {
    return beside_zero(x, 3.8317059702075125, -1.5269184090088067468e-16) *
           beside_zero(x, 7.015586669815619, -9.4141656534103890982e-17) * GNDI_SERIES(j1_near, x * x / 32 - 1);
}
/* J or Y of order 0 or 1 for x > 8: sqrt(2 / (pi x)) times P cos(x - c) - Q sin(x - c), and P sin + Q cos. */
GNDI_FN_HEAVY double hankel(double x, bool first, bool second_kind) {
    if (m::isinf(x)) return 0;
    const double t = 128 / (x * x) - 1;
    const double p = first ? GNDI_SERIES(p1_far, t) : GNDI_SERIES(p0_far, t);
    const double q = (first ? GNDI_SERIES(q1_far, t) : GNDI_SERIES(q0_far, t)) / x;
    double sine, cosine;
    m::sincos(x, &sine, &cosine);
    /* of x - pi / 4 and x - 3 pi / 4, times sqrt 2 */
    const double c = first ? sine - cosine : sine + cosine, s = first ? -(sine + cosine) : sine - cosine;
    return m::sqrt(1 / (pi * x)) * (second_kind ? p * s + q * c : p * c - q * s);
}
/* J0, J1: 6 ulp. */
GNDI_FN_HEAVY double j0(double x) {
    x = m::abs(x);
    return x <= 8 ? j0_below_8(x) : hankel(x, false, false);
}
GNDI_FN_HEAVY double j1(double x) {
    const double size = m::abs(x);
    if (size <= 8) return x * j1_below_8(size);
    const double value = hankel(size, true, false);
    return x < 0 ? -value : value;
}
/* Y0, Y1: -infinity at 0, NaN below; 8 ulp. */
GNDI_FN_HEAVY double y_any(double x, bool first) {
    if (!(x > 0)) return x == 0 ? -limits<double>::infinity() : limits<double>::nan();
    if (x > 8) return hankel(x, first, true);
    const double t = x * x / 32 - 1, logarithm = s::log(x);
    if (first) return x * GNDI_SERIES(y1_near, t) + two_over_pi * (logarithm * x * j1_below_8(x) - 1 / x);
    return GNDI_SERIES(y0_near, t) + two_over_pi * logarithm * j0_below_8(x);
}
GNDI_FN double y0(double x) {
    return y_any(x, false);
}
GNDI_FN double y1(double x) {
    return y_any(x, true);
}

/* Y of whole order n (what is behind the point is cut off), from orders 0 and 1 by the recurrence, which is stable
   upwards (DLMF 10.6.1): 16 ulp. */
GNDI_FN_HEAVY double yn(double n, double x) {
    const double order = m::abs(m::trunc(n));
    if (!(order <= most_steps) || m::isnan(x)) return limits<double>::nan();
    const double sign = n < 0 && is_odd(order) ? -1 : 1;
    if (order == 0) return y0(x);
    if (!(x > 0) || order == 1) return sign * y1(x);
    double before = y0(x), now = y1(x);
    for (double k = 1; k < order && m::isfinite(now); k += 1) {
        const double next = 2 * k / x * now - before;
        before = now, now = next;
    }
    return sign * now;
}

/* The spherical function y of whole order n, or with `derivative` its derivative, by the recurrence (DLMF 10.51). */
GNDI_FN_HEAVY double spherical_y(double n, double x) {
    if (m::isnan(x)) return x;
    if (!(n >= 0 && n <= most_steps)) return limits<double>::nan();
    if (x < 0) return (is_odd(n) ? 1 : -1) * spherical_y(n, -x);
    if (m::isinf(x)) return 0;
    if (x == 0) return -limits<double>::infinity();
    double sine, cosine;
    m::sincos(x, &sine, &cosine);
    double before = -cosine / x, now = (before - sine) / x;
    if (n == 0) return before;
    for (double k = 1; k < n && m::isfinite(now); k += 1) {
        const double next = (2 * k + 1) / x * now - before;
        before = now, now = next;
    }
    return now;
}
GNDI_FN_HEAVY double spherical_yn(double n, double x, double derivative) {
    n = m::trunc(n);
    if (derivative == 0) return spherical_y(n, x);
    if (n == 0) return -spherical_y(1, x);
    return spherical_y(n - 1, x) - (n + 1) / x * spherical_y(n, x);
}

} // namespace special

namespace ops {

GNDI_SPECIAL_1(i0e)
GNDI_SPECIAL_1(i1)
GNDI_SPECIAL_1(i1e)
GNDI_SPECIAL_1(k0)
GNDI_SPECIAL_1(k0e)
GNDI_SPECIAL_1(k1)
GNDI_SPECIAL_1(k1e)
GNDI_SPECIAL_1(j0)
GNDI_SPECIAL_1(j1)
GNDI_SPECIAL_1(y0)
GNDI_SPECIAL_1(y1)
GNDI_SPECIAL_2(yn)
GNDI_SPECIAL_3(spherical_yn)

} // namespace ops
} // namespace gnd

#endif
