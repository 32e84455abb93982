/*
 * first_fft.c: a fresh process that transforms one line of 4096 complex numbers, and prints what has become
 * of one. bench/run.py times it from start to end against bare_first_fft.c.
 */
#include <gnd.h>
#include <stdio.h>

int main(void) {
    GND_SCOPE {
        gnd_array *line = gnd_astype(gnd_arange(0, 4096, 1, GND_FLOAT32), GND_COMPLEX64);
        gnd_array *spectrum = gnd_fft(line, -1, 0, GND_FFT_BACKWARD);
        printf("%.6g\n", gnd_item_double(gnd_real(gnd_slice(spectrum, "0"))));
    }
    gnd_check();
    return 0;
}
