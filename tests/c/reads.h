/*
 * reads.h: what the tests of views, creation and files share: comparing an array with the text of
 * its repr, which shows values, shape and dtype at once, and running a call with each of its
 * allocations failing in turn.
 */
#ifndef GND_TESTS_READS_H
#define GND_TESTS_READS_H

#include "tap.h"

/* Whether gnd_to_repr(a) is `text`; says what it is instead. */
static inline bool reads(const gnd_array *a, const char *text) {
    char *got = gnd_to_repr(a);
    bool same = got && strcmp(got, text) == 0;
    if (!same) printf("# reads: %s\n", got ? got : "(NULL)");
    gnd_string_free(got);
    return same;
}

/* Exported by the library for tests: the n-th allocation from now fails; 0: none. */
GND_API void gndi_fail_alloc_at(int64_t n);

/* Makes a call (an expression that gives an array) fail at its first, second, ... allocation until
   it succeeds. Each failure must be GND_ERROR_MEMORY; leaks are tap.h's to find. */
#define CHECK_FAILS_CLEANLY(call)                                                                                      \
    do {                                                                                                               \
        for (int fail_at = 1; fail_at < 200; fail_at++) {                                                              \
            gndi_fail_alloc_at(fail_at);                                                                               \
            gnd_array *made = (call);                                                                                  \
            gndi_fail_alloc_at(0);                                                                                     \
            gnd_error_record fail_e;                                                                                   \
            bool failed = gnd_error_take(&fail_e);                                                                     \
            CHECK(failed ? made == NULL &&fail_e.code == GND_ERROR_MEMORY : made != NULL);                             \
            if (!failed) break;                                                                                        \
        }                                                                                                              \
    } while (0)

#endif
