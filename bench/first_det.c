/*
 * first_det.c: a fresh process that computes one determinant, of a 512 x 512 matrix of floats, and
 * prints it. bench/run.py times it from start to end against bare_libraries.c.
 */
#include <gnd.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define SIDE 512

static float host[SIDE * SIDE];

int main(void) {
    /* Numbers around 0 with a variance of e / SIDE, so that the determinant is of the order of 1. */
    const float scale = sqrtf(3 * 2.718281828f / SIDE);
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < SIDE * SIDE; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        host[i] = scale * ((float)(state >> 40) * 0x1p-23f - 1);
    }
    GND_SCOPE {
        gnd_array *x = gnd_from_host(host, GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
        printf("%.6g\n", gnd_item_double(gnd_det(x)));
    }
    gnd_check();
    return 0;
}
