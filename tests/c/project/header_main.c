/*
 * The program around the header tests. Every public header is compiled into it twice, as C11 and as
 * C++17 with -Wall -Wextra -pedantic -Werror; here and in header_use.cpp the macros are used
 * under the same flags.
 */
#include <gnd.h>
#include <stdio.h>

int header_use_cpp(void);

static double in_c(void) {
    double total = 0;
    GND_SCOPE {
        gnd_array *x = gnd_ones(GND_SHAPE(3, 4), GND_FLOAT32);
        gnd_array *kept = NULL;
        GND_SCOPE {
            kept = gnd_keep(gnd_multiply(gnd_add(x, 2), 0.5f));
        }
        gnd_array *y = gnd_where(gnd_greater(x, 0), kept, gnd_subtract(1.0, x));
        y = gnd_apply("add", GND_ARGS(y, (unsigned char)1), &(gnd_apply_options){.casting = GND_SAFE});
        gnd_axes axes = GND_AXES(0, -1);
        axes.dtype = GND_FLOAT64;
        GND_USE(gnd_current_device()) {
            if (!gnd_asarray(y, &(gnd_asarray_options){.dtype = GND_FLOAT64, .order = 'C'})) total = -1;
        }
        GND_STREAM(NULL) {
            total = gnd_item_double(gnd_sum(gnd_slice(y, "%d:, ::-1", 1), axes));
        }
        if (gnd_result_type(x, 2.5, 1) != GND_FLOAT32) total = 0;
        if (gnd_ndim(gnd_slice_ix(y, GND_INDICES(gnd_index_at(0), gnd_index_all()))) != 1) total = 0;
    }
    return total;
}

static int report(int number, int good, const char *what) {
    printf("%sok %d - %s\n", good ? "" : "not ", number, what);
    return !good;
}

int main(void) {
    int version = 10000 * GND_VERSION_MAJOR + 100 * GND_VERSION_MINOR + GND_VERSION_PATCH;
    int failed = 0;
    printf("1..3\n");
    failed |= report(1, GND_VERSION == version, "every public header stands alone");
    failed |= report(2, in_c() == 20 && !gnd_error(), "the macros in C11");
    failed |= report(3, header_use_cpp() && !gnd_error(), "the macros in C++17");
    return failed;
}
