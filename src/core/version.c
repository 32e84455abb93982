/*
 * version.c: the version of the loaded library. It may differ from that of the header a program was compiled
 * with.
 */
#include "core/core.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *gnd_version(void) {
    return TEXT(GND_VERSION_MAJOR) "." TEXT(GND_VERSION_MINOR) "." TEXT(GND_VERSION_PATCH);
}
