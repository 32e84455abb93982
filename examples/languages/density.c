#include <gnd.h>
#include <stdio.h>

int main(void) {
    const double mean = 0.1, sigma = 1.3, root_two_pi = 2.5066282746310005;
    GND_SCOPE {
        gnd_array *x = gnd_linspace(mean - 6 * sigma, mean + 6 * sigma, 1000001, true, GND_FLOAT64);
        gnd_array *y = NULL;
        GND_FUSE {
            gnd_array *t = gnd_divide(gnd_subtract(x, mean), sigma);
            gnd_array *bell = gnd_exp(gnd_multiply(gnd_square(t), -0.5));
            y = gnd_keep(gnd_divide(bell, sigma * root_two_pi));
        }
        gnd_print(gnd_slice(y, "::250000"));
        printf("area %.9f\n", gnd_item_double(gnd_trapezoid(y, x, -1)));
    }
    gnd_check();
    return 0;
}
