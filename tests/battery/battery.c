/*
 * battery.c: the generators' raw words under batteries of statistical tests. Not part of the test suite:
 * it takes minutes to hours, and TestU01 (L'Ecuyer and Simard, ACM TOMS 33, 2007). The script `run`
 * beside it builds it and says how it is called; logs are in tests/results.
 *
 *     battery KIND SEED BATTERY [bits]     KIND: philox, xorwow, mrg32k3a
 *
 * BATTERY is small, crush, big, rabbit or alphabit (these two of `bits` bits), each also as
 * <name>-reversed, with the bits of every word the other way round, since TestU01 looks at the high ones
 * most; or words: an endless stream of them on stdout, for dieharder or PractRand.
 */
#include <testu01/bbattery.h>
#include <testu01/swrite.h>
#include <gnd.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 20 };

static const char *const kinds[] = {"philox", "xorwow", "mrg32k3a"};
static gnd_random *generator;
static uint32_t words[WORDS];
static int used = WORDS;

static void refill(void) {
    gnd_array *x = gnd_random_bytes(generator, sizeof words);
    gnd_to_host(x, words, sizeof words);
    gnd_release(x);
    gnd_check();
    used = 0;
}
static unsigned int next(void) {
    if (used == WORDS) refill();
    return words[used++];
}
static unsigned int next_reversed(void) {
    uint32_t w = next();
    w = (w & 0x55555555u) << 1 | (w >> 1 & 0x55555555u);
    w = (w & 0x33333333u) << 2 | (w >> 2 & 0x33333333u);
    w = (w & 0x0f0f0f0fu) << 4 | (w >> 4 & 0x0f0f0f0fu);
    return __builtin_bswap32(w);
}

static void stream(void) {
    do refill();
    while (fwrite(words, sizeof words, 1, stdout) == 1);
}

/* Every p-value, and in the end how many are suspicious. */
static void report(void) {
    int suspicious = 0;
    for (int i = 0; i < bbattery_NTests; i++) {
        const double p = bbattery_pVal[i];
        if (p < 0) continue; /* a test that did not run */
        const int is_far = p < 1e-3 || p > 1 - 1e-3;
        suspicious += is_far;
        printf("  %-30s %.6g%s\n", bbattery_TestNames[i], p, is_far ? "  outside [0.001, 0.999]" : "");
    }
    printf("%d of %d p-values outside [0.001, 0.999]\n\n", suspicious, bbattery_NTests);
}

static int usage(void) {
    fprintf(stderr, "usage: battery philox|xorwow|mrg32k3a SEED small|crush|big|rabbit|alphabit"
                    "[-reversed]|words [bits]\n");
    return 2;
}
static bool is_called(const char *name, size_t length, const char *battery) {
    return strlen(battery) == length && memcmp(name, battery, length) == 0;
}

int main(int count, char **argument) {
    int kind = 0;
    while (kind < 3 && (count < 4 || strcmp(argument[1], kinds[kind]) != 0)) kind++;
    if (kind == 3) return usage();
    const char *name = argument[3];
    generator = gnd_random_new((gnd_random_kind)kind, strtoull(argument[2], NULL, 0));
    gnd_check();
    if (strcmp(name, "words") == 0) return stream(), 0;

    const double bits = count > 4 ? strtod(argument[4], NULL) : 0x1p27;
    const size_t length = strcspn(name, "-");
    if (name[length] && strcmp(name + length, "-reversed") != 0) return usage();
    swrite_Basic = FALSE;
    printf("%s, seed %s, %s\n", argument[1], argument[2], name);
    unif01_Gen *g = unif01_CreateExternGenBits(argument[1], name[length] ? next_reversed : next);
    if (is_called(name, length, "small"))
        bbattery_SmallCrush(g);
    else if (is_called(name, length, "crush"))
        bbattery_Crush(g);
    else if (is_called(name, length, "big"))
        bbattery_BigCrush(g);
    else if (is_called(name, length, "rabbit"))
        bbattery_Rabbit(g, bits);
    else if (is_called(name, length, "alphabit"))
        bbattery_Alphabit(g, bits, 0, 32);
    else
        return usage();
    unif01_DeleteExternGenBits(g);
    report();
    return 0;
}
