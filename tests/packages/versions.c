/* Prints the version of gnd's headers and that of the library that runs: they must be one. */
#include <gnd.h>
#include <stdio.h>

int main(void) {
    printf("%d.%d.%d %s\n", GND_VERSION_MAJOR, GND_VERSION_MINOR, GND_VERSION_PATCH, gnd_version());
    return 0;
}
