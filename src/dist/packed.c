/*
 * packed.c: memory of the transport for what is packed, which it moves faster than other. NCCL's is registered
 * (nccl_memory.c), and NCCL hangs where one side of a part is registered and the other is not: hence all ranks have it
 * or none, with the same room for each other rank, and a rank that fails takes part with this memory, too.
 */
#include "dist/mesh.h"
#include <stdlib.h>

/* The most bytes of one piece of it; there are eight, which a mesh keeps. */
enum { MOST_PACKED = 256 << 20 };

static void give_back(void *memory, void *link_) {
    const gndi_link *link = link_;
    link->transport.deallocate(link->transport.context, memory);
}

static gnd_array *new_piece(gndi_link *link, int64_t bytes) {
    const gnd_transport *t = &link->transport;
    void *memory = t->allocate(t->context, (size_t)bytes);
    if (!memory) return NULL;
    const gnd_device device = t->memory == GND_CPU ? gnd_cpu() : gnd_current_device();
    gnd_array *a = NULL;
    GND_SCOPE { /* the link's alone: what is released is given back at once */
        a = gnd_retain(gnd_wrap(memory, GND_SHAPE(bytes), NULL, GND_UINT8, device, give_back, link));
    }
    if (!a) t->deallocate(t->context, memory);
    return a;
}

void gndi_packed_release(gndi_link *link) {
    for (int k = 0; k < 2 * GNDI_LINK_STREAMS; k++) {
        gnd_array **piece = &link->packed[k % 2][k / 2];
        gnd_release(*piece);
        *piece = NULL;
    }
    link->packed_each = 0;
}

/* Whether all ranks have made it. A rank without memory is no error: then there is none. */
static bool make(gnd_mesh *mesh, const char *fn, int64_t each) {
    gndi_link *link = mesh->link;
    const int size = gnd_mesh_size(mesh);
    const bool pending = gnd_error() != NULL;
    int missing = 0;
    for (int k = 0; k < 2 * GNDI_LINK_STREAMS && !missing; k++)
        missing = !(link->packed[k % 2][k / 2] = new_piece(link, each * (size - 1)));
    if (missing && !pending) gnd_error_clear();
    const int *all = gndi_mesh_gather(mesh, fn, &missing, sizeof missing);
    if (!all) return false;
    for (int r = 0; r < size; r++) missing |= all[r];
    link->packed_refused = missing;
    return !missing;
}

int64_t gndi_packed_for(gnd_mesh *mesh, const char *fn, int64_t bytes) {
    enum { STEP = 1 << 20 };
    gndi_link *link = mesh->link;
    const int64_t each = (bytes + STEP - 1) / STEP * STEP;
    const int others = gnd_mesh_size(mesh) - 1;
    const char *none = getenv("XD_PACKED"); /* 0: there is none, to be compared */
    if (none && *none == '0') return 0;
    if (!link->transport.allocate || link->packed_refused || link->dead || others == 0 || bytes <= 0 ||
        each > MOST_PACKED / others)
        return 0;
    if (link->packed_each < each) {
        gndi_packed_release(link);
        if (make(mesh, fn, each))
            link->packed_each = each;
        else
            gndi_packed_release(link);
    }
    if (link->packed_each) {
        gnd_foreign_begin(NULL, 0, NULL, 2 * GNDI_LINK_STREAMS, &link->packed[0][0]);
        gnd_foreign_end(NULL);
    }
    return link->packed_each;
}
