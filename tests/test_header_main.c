/*
 * The program around the header tests: every public header was compiled into it twice, as C11 and
 * as C++17 with -Wall -Wextra -pedantic -Werror. That it links and starts is the result.
 */
#include <gnd.h>
#include <stdio.h>

int main(void) {
    int same = GND_VERSION == 10000 * GND_VERSION_MAJOR + 100 * GND_VERSION_MINOR + GND_VERSION_PATCH;
    printf("1..1\n%s 1 - every public header stands alone\n", same ? "ok" : "not ok");
    return !same;
}
