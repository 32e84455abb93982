/*
 * cpu_filters.c: functions of windows and of lines, which cpu_measures.py compiles and gives to gnd_generic_filter and
 * gnd_generic_filter1d, as SciPy's of the same rows are C.
 */
#include <gnd.h>

gnd_array *cpu_filters_weighted(const gnd_array *windows, void *weights);
gnd_array *cpu_filters_mean_of_three(const gnd_array *lines, void *context);

gnd_array *cpu_filters_weighted(const gnd_array *windows, void *weights) {
    return gnd_dot(windows, (const gnd_array *)weights);
}

gnd_array *cpu_filters_mean_of_three(const gnd_array *lines, void *context) {
    gnd_array *mean = NULL;
    (void)context;
    GND_FUSE {
        const gnd_array *sum = gnd_add(gnd_slice(lines, "..., 2:"), gnd_slice(lines, "..., 1:-1"));
        mean = gnd_keep(gnd_divide(gnd_add(sum, gnd_slice(lines, "..., :-2")), 3.0));
    }
    return mean;
}
