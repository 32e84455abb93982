/*
 * print.c: gnd_dist_print: rank 0 prints the array, of a large one the edges, which are all that is sent.
 */
#include "dist/dist.h"
#include <stdio.h>

enum { MOST_EDGE = 256 }; /* items at each end of an axis */

/* The indices along one axis that are printed, and one between them, for which gnd_print writes dots. */
static int shown(int64_t length, int edge, int64_t *index) {
    if (length <= 2 * (int64_t)edge + 1) {
        for (int i = 0; i < length; i++) index[i] = i;
        return (int)length;
    }
    for (int i = 0; i <= edge; i++) index[i] = i;
    for (int i = 0; i < edge; i++) index[edge + 1 + i] = length - edge + i;
    return 2 * edge + 1;
}

/* x with those indices of every axis alone; nothing moves. */
static gnd_dist *edges(const gnd_dist *x, int edge, int64_t *index, const char *fn) {
    gnd_shape shape = x->shape;
    for (int i = 0; i < shape.ndim; i++) shape.dim[i] = shown(x->shape.dim[i], edge, index);
    gnd_dist *y = gndi_dist_new(x->mesh, fn, shape, x->dtype, (gndi_layout){{x->axis[0], x->axis[1]}, {NULL, NULL}});
    if (!y) return NULL;
    gndi_box box;
    gndi_box_of(x, gnd_mesh_rank(x->mesh), &box);
    gnd_array *local = x->local;
    for (int i = 0; i < shape.ndim; i++) {
        const int count = shown(x->shape.dim[i], edge, index);
        int first = 0, last;
        while (first < count && index[first] < box.start[i]) first++;
        for (last = first; last < count && index[last] < box.start[i] + box.count[i]; last++)
            index[last] -= box.start[i];
        if (!local) continue;
        const gnd_array *places =
            gnd_from_host(index + first, (gnd_shape){.ndim = 1, .dim = {last - first}}, GND_INT64);
        gnd_axes axis = {.count = 1, .axis = {i}};
        local = places ? gnd_take(local, places, axis, GND_RAISE) : NULL;
    }
    for (int k = 0; k < 2; k++) {
        if (x->axis[k] < 0) continue;
        const int count = shown(x->shape.dim[x->axis[k]], edge, index);
        for (int i = 0; i <= x->mesh->grid[k]; i++) {
            int before = 0;
            while (before < count && index[before] < x->cuts[k][i]) before++;
            y->cuts[k][i] = before;
        }
    }
    return x->local ? gndi_dist_done(y, fn, local) : gndi_dist_failed_like(y, x);
}

gnd_status gnd_dist_print(const gnd_dist *x) {
    static const char fn[] = "gnd_dist_print";
    if (gndi_dist_missing(x, fn)) return gnd_error()->code;
    GNDI_CALL(fn);
    gnd_print_options options = gnd_get_printoptions();
    const gnd_dist *part = x;
    if (gndi_shape_count(x->shape) > options.threshold) {
        int64_t index[2 * MOST_EDGE + 1];
        if (options.edgeitems > MOST_EDGE) options.edgeitems = MOST_EDGE;
        part = edges(x, options.edgeitems, index, fn);
        options.threshold = 0; /* it is as large as it looks: dots stand for what was left out */
    }
    const gnd_array *all = part ? gnd_dist_gather(part, 0) : NULL;
    const gnd_error_record *failure = gnd_error();
    if (gnd_mesh_rank(x->mesh) == 0 && all) {
        char *text = part == x ? gnd_to_string(all) : gnd_array2string(all, &options, NULL, NULL);
        if (text && (puts(text) < 0 || fflush(stdout) != 0)) gnd_raise(GND_ERROR_IO, fn, "stdout cannot be written");
        gnd_string_free(text);
        failure = gnd_error();
    }
    return gndi_mesh_agree_on(x->mesh, fn, failure);
}
