/*
 * gnd's macros as a C++17 program uses them, under -Wall -Wextra -pedantic -Werror. Called from
 * header_main.c.
 */
#include <gnd.h>

extern "C" int header_use_cpp(void);

static bool are_two(int count, const gnd_named *list) {
    return count == 2 && list[0].name[0] == 'x' && !list[1].name && list[1].array != list[0].array;
}

/* Lists of arrays, const or not, single elements, and a scope that a loop leaves. */
static bool lists_elements_and_scopes(gnd_array *x) {
    gnd_array *plain[] = {x, x};
    const gnd_array *read_only[] = {x, x}, *const both[] = {x, x};
    bool good = gnd_size(gnd_stack(2, plain, 0)) == 24 && gnd_size(gnd_stack(2, read_only, 0)) == 24 &&
                gnd_size(gnd_concatenate(2, both, 0)) == 24 && gnd_size(gnd_einsum("ij,kj->ik", 2, plain)) == 9;
    int64_t before = gnd_live_arrays();
    for (int i = 0;; i++) {
        GND_SCOPE_HERE;
        if (i == 0) continue;
        gnd_array *y = gnd_add(x, i);
        if (gnd_at_int(y, 1, -1) == 4) break;
    }
    return good && gnd_live_arrays() == before && gnd_at_double(x, 0, 0) == 1 &&
           gnd_at_complex(x, -1, -1) == std::complex<double>(1, 0) && gnd_at_bool(x, 2, 3);
}

int header_use_cpp(void) {
    double total = 0;
    GND_SCOPE {
        gnd_array *x = gnd_ones(GND_SHAPE(3, 4), GND_FLOAT32);
        gnd_array *kept = nullptr;
        GND_SCOPE {
            kept = gnd_keep(gnd_multiply(gnd_add(x, 2), 0.5f));
        }
        if (!lists_elements_and_scopes(x)) return 0;
        gnd_array *y = gnd_where(gnd_greater(x, 0), kept, gnd_subtract(1.0, x));
        y = gnd_add(y, static_cast<unsigned char>(1));
        gnd_axes axes = GND_AXES(0, -1);
        axes.dtype = GND_FLOAT64;
        GND_STREAM(nullptr) {
            total = gnd_item_double(gnd_sum(gnd_slice(y, "%d:, ::-1", 1), axes));
        }
        gnd_array *rows = gnd_astype(gnd_slice(x, ":2, 0"), GND_INT8);
        if (gnd_ndim(gnd_get(x, GND_INDICES(rows, "None, ::2", gnd_index_ellipsis()))) != 3) total = 0;
        if (gnd_set(x, GND_INDICES(-1, "1:"), 0) || gnd_item_double(gnd_slice(x, "2, 3")) != 0) total = 0;
        gnd_array *parts[3];
        if (gnd_split(gnd_concatenate(GND_ARRAYS(x, gnd_add(x, 1)), 0), GND_CUTS(2, 3), 0, parts) ||
            gnd_dim(parts[2], 0) != 3 ||
            gnd_dim(gnd_pad(gnd_append(x, 2.5, GND_FLAT), GND_PAD_WIDTHS({1, 2}), nullptr), 0) != 16)
            total = 0;
        gnd_array *z = gnd_add(x, std::complex<float>(0, 1));
        if (gnd_item_complex(gnd_slice(z, "0, 0")) != std::complex<double>(1, 1)) total = 0;
        if (!are_two(GND_NAMED({"x", x}, {nullptr, gnd_add(x, 1)}))) total = 0;
        gnd_array *fused = nullptr;
        GND_FUSE {
            fused = gnd_keep(gnd_multiply(gnd_add(x, 1), 0.5f));
        }
        if (gnd_item_double(gnd_slice(fused, "0, 0")) != 1) total = 0;
        if (gnd_ndim(gnd_sum(x, GND_ALL_KEEP)) != 2 || gnd_ndim(gnd_zeros(GND_SCALAR, GND_INT8))) total = 0;
    }
    return total == 20;
}
