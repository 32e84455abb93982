/*
 * 22_sunspots.c: the period of a record from its spectrum. The yearly numbers of sunspots from 1700 to 2008
 * (National Geophysical Data Center, public domain) rise and fall about every eleven years; how long a cycle
 * is on average is where the spectrum is highest.
 *
 *     22_sunspots [FREQUENCIES [SUNSPOTS.csv]]
 */
#include "example.h"

#include <math.h>
#include <stdio.h>

enum { SHORTEST = 2, LONGEST = 40, WIDTH = 50 };

/* The power at each of fine / 2 + 1 frequencies: of the record without its mean, faded in and out (Hann's
   window), and followed by zeros, which makes the frequencies finer. */
static gnd_array *power_spectrum(const gnd_array *record, int64_t fine) {
    const int64_t n = gnd_size(record);
    gnd_array *phase = gnd_multiply(gnd_arange(0, n, 1, GND_FLOAT64), 2 * 3.14159265358979 / (double)n);
    gnd_array *window = gnd_multiply(gnd_subtract(1.0, gnd_cos(phase)), 0.5);
    gnd_array *centred = gnd_subtract(record, gnd_mean(record, GND_ALL));
    gnd_array *spectrum = gnd_rfft(gnd_multiply(centred, window), fine, 0, GND_FFT_BACKWARD);
    return gnd_square(gnd_absolute(spectrum));
}

/* The power of cycles that last about so many years, as bars. */
static void print_bars(const gnd_array *power, const gnd_array *frequencies) {
    const double most = gnd_item_double(gnd_max(power, GND_ALL));
    printf("years   power\n");
    for (int years = SHORTEST + 1; years <= 16; years++) {
        gnd_array *within = gnd_logical_and(gnd_greater(frequencies, 1 / (years + 0.5)),
                                            gnd_less_equal(frequencies, 1 / (years - 0.5)));
        gnd_array *here = gnd_multiply(power, within);
        const int length = (int)(WIDTH * gnd_item_double(gnd_max(here, GND_ALL)) / most + 0.5);
        printf("%5d   %.*s\n", years, length, "##################################################");
    }
}

/* The period of the strongest cycle, in years, found on the current device. The file has a headline, and lines
   "year,number". */
static double period_of(const char *path, int64_t fine, bool shown) {
    const bool on_gpu = gnd_current_device().kind == GND_GPU;
    double period = 0;
    GND_SCOPE {
        gnd_array *table = gnd_loadtxt(path, &(gnd_text_options){.delimiter = ",", .skip_rows = 1});
        gnd_array *record = gnd_slice(table, ":, 1");
        const long long first_year = gnd_item_int(gnd_slice(table, "0, 0"));
        gnd_check();
        const int64_t years = gnd_size(record);
        example_check(fine >= years, "there must be as many frequencies as years");
        gnd_array *frequencies = gnd_rfftfreq(fine, 1), *power = power_spectrum(record, fine);
        /* Cycles of 2 to 40 years; slower changes are not what is asked for. */
        gnd_array *wanted = gnd_greater(frequencies, 1.0 / LONGEST);
        gnd_array *candidates = gnd_multiply(power, wanted);
        if (shown) print_bars(candidates, frequencies);
        gnd_array *best = gnd_take(frequencies, gnd_argmax(candidates, GND_ALL), GND_ALL, GND_RAISE);
        period = 1 / gnd_item_double(best);
        printf("%s%lld years from %lld on: a cycle takes %.2f years, says the %s.\n", shown ? "\n" : "",
               (long long)years, first_year, period, on_gpu ? "GPU" : "CPU");
    }
    gnd_check();
    return period;
}

int main(int argc, char **argv) {
    const int64_t fine = example_size(argc, argv, 8192, 8192);
    const char *path = example_data(argc, argv, "sunspots.csv");
    example_title("How long is a cycle of sunspots?");
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        const double period = period_of(path, fine, d == 0);
        example_check(fabs(period - 11) < 0.5, "the sun's cycle takes about eleven years");
    }
    printf("\nLook at the longest bars: cycles differ in length, and eleven years is what most\n"
           "of them come near to.\n");
    return 0;
}
