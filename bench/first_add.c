/*
 * first_add.c: a fresh process that adds two arrays of 1000 floats and prints the sum. bench/run.py
 * times it from start to end against bare_context.c.
 */
#include <gnd.h>
#include <stdio.h>

int main(void) {
    float host[1000];
    for (int i = 0; i < 1000; i++) host[i] = (float)i;
    GND_SCOPE {
        gnd_array *x = gnd_from_host(host, GND_SHAPE(1000), GND_FLOAT32);
        gnd_print(gnd_sum(gnd_add(x, x), GND_ALL));
    }
    gnd_check();
    return 0;
}
