/*
 * text.c: times, sizes and rates for people to read.
 */
#include "gnd_bench.h"

#include <math.h>
#include <stdio.h>

enum { ROOM = 32 };

static char *buffer(void) {
    static char ring[16][ROOM];
    static unsigned next;
    return ring[next++ % 16];
}

/* Three digits of x, and a unit. */
static const char *with_unit(double x, const char *unit) {
    char *text = buffer();
    const int decimals = x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
    snprintf(text, ROOM, "%.*f %s", decimals, x, unit);
    return text;
}

const char *time_text(double seconds) {
    if (isnan(seconds)) return "-";
    if (seconds < 0.9995e-6) return with_unit(1e9 * seconds, "ns");
    if (seconds < 0.9995e-3) return with_unit(1e6 * seconds, "us");
    if (seconds < 0.9995) return with_unit(1e3 * seconds, "ms");
    return with_unit(seconds, "s");
}

const char *size_text(double n) {
    char *text = buffer();
    if (isnan(n)) return "-";
    const double power = n >= 100 ? log10(n) : 0.5;
    if (power == floor(power))
        snprintf(text, ROOM, "10^%.0f", power);
    else if (n >= 10000)
        snprintf(text, ROOM, "%.1f*10^%.0f", n / pow(10, floor(power)), floor(power));
    else
        snprintf(text, ROOM, "%.0f", n);
    return text;
}

const char *rate_text(double per_second) {
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    if (isnan(per_second) || per_second <= 0) return "-";
    int i = 0;
    for (; per_second >= 999.5 && i < 5; i++) per_second /= 1000;
    return with_unit(per_second, prefix[i]);
}

const char *share_text(double share) {
    if (isnan(share)) return "";
    char *text = buffer();
    snprintf(text, ROOM, share < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * share);
    return text;
}

const char *factor_text(double factor) {
    if (isnan(factor)) return "-";
    char *text = buffer();
    snprintf(text, ROOM, factor < 9.95 ? "%.2g x" : "%.0f x", factor);
    return text;
}

const char *not_to_text(double size) {
    char *text = buffer();
    snprintf(text, ROOM, isnan(size) ? "%s" : "not to %s", size_text(size));
    return text;
}
