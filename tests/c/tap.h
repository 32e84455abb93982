/*
 * tap.h: a test in C that speaks TAP. A test program is one file:
 *
 *     #include "tap.h"
 *     TEST(add_broadcasts) {
 *         CHECK(gnd_ndim(gnd_add(row, column)) == 2);
 *         CHECK_ERROR(gnd_add(a, b), GND_ERROR_SHAPE, "(3,) and (4,)");
 *     }
 *     TEST_MAIN
 *
 * TEST registers itself; each runs inside a GND_SCOPE, and fails if it leaves an error behind or
 * arrays unreleased. A program's argument is the one test to run; with TAP_WITHOUT=word in the
 * environment those whose names contain it are skipped.
 */
#ifndef GND_TAP_H
#define GND_TAP_H

#include <gnd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tap_test {
    const char *name;
    void (*run)(void);
    struct tap_test *next;
} tap_test;
static tap_test *tap_first, **tap_last = &tap_first;
static int tap_failures;        /* of the running test */
static const char *tap_skipped; /* why the running test was skipped */

#define TEST(test)                                                                                                     \
    static void test(void);                                                                                            \
    __attribute__((constructor)) static void tap_register_##test(void) {                                               \
        static tap_test t = {#test, test, NULL};                                                                       \
        *tap_last = &t, tap_last = &t.next;                                                                            \
    }                                                                                                                  \
    static void test(void)

#define SKIP(why)                                                                                                      \
    do {                                                                                                               \
        tap_skipped = (why);                                                                                           \
        return;                                                                                                        \
    } while (0)

#define CHECK(...)                                                                                                     \
    do {                                                                                                               \
        if (!(__VA_ARGS__)) {                                                                                          \
            tap_failures++;                                                                                            \
            printf("# %s:%d: not so: %s\n", __FILE__, __LINE__, #__VA_ARGS__);                                         \
            if (gnd_error()) printf("#   error pending: %s\n", gnd_error()->message);                                  \
        }                                                                                                              \
    } while (0)

/* The call must fail with this code and a message that contains `text`; the error is cleared. */
#define CHECK_ERROR(call, expected, text)                                                                              \
    do {                                                                                                               \
        (void)(call);                                                                                                  \
        gnd_error_record tap_e;                                                                                        \
        if (!gnd_error_take(&tap_e)) {                                                                                 \
            tap_failures++;                                                                                            \
            printf("# %s:%d: no error from %s\n", __FILE__, __LINE__, #call);                                          \
        } else if (tap_e.code != (expected) || !strstr(tap_e.message, (text))) {                                       \
            tap_failures++;                                                                                            \
            printf("# %s:%d: %s: code %d, \"%s\"; expected code %d, \"%s\"\n", __FILE__, __LINE__, #call,              \
                   (int)tap_e.code, tap_e.message, (int)(expected), (text));                                           \
        }                                                                                                              \
    } while (0)

static int tap_main(int argc, char **argv) {
    int count = 0, number = 0, failed = 0;
    const char *without = getenv("TAP_WITHOUT");
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (tap_test *t = tap_first; t; t = t->next)
        if (argc < 2 || strcmp(argv[1], t->name) == 0) count++;
    printf("1..%d\n", count);
    for (tap_test *t = tap_first; t; t = t->next) {
        if (argc >= 2 && strcmp(argv[1], t->name) != 0) continue;
        tap_failures = 0, tap_skipped = NULL;
        int64_t before = gnd_live_arrays();
        if (without && strstr(t->name, without)) {
            tap_skipped = "left out by TAP_WITHOUT";
        } else {
            GND_SCOPE {
                t->run();
            }
        }
        if (gnd_error()) {
            tap_failures++;
            printf("# left an error: %s\n", gnd_error()->message);
            gnd_error_clear();
        }
        if (gnd_live_arrays() != before) {
            tap_failures++;
            printf("# left %lld arrays unreleased\n", (long long)(gnd_live_arrays() - before));
        }
        failed += tap_failures != 0;
        printf("%sok %d - %s%s%s\n", tap_failures ? "not " : "", ++number, t->name, tap_skipped ? " # SKIP " : "",
               tap_skipped ? tap_skipped : "");
    }
    return failed != 0;
}

#define TEST_MAIN                                                                                                      \
    int main(int argc, char **argv) {                                                                                  \
        return tap_main(argc, argv);                                                                                   \
    }

#endif
