/*
 * transport_alone.c: the transport of a mesh of one rank.
 */
#include "dist/mesh.h"
#include <string.h>

static gnd_status exchange(void *context, int sends, const gnd_part *send, int receives, const gnd_part *receive,
                           void *stream) {
    (void)context, (void)sends, (void)send, (void)receives, (void)receive, (void)stream;
    return GND_OK; /* there is nobody to exchange with */
}

static gnd_status host_gather(void *context, const void *from, void *to, size_t bytes) {
    (void)context;
    memcpy(to, from, bytes);
    return GND_OK;
}

/* The mesh copies a rank's own part itself: this is for the host's memory. */
static gnd_status all_gather(void *context, const void *from, void *to, size_t bytes, void *stream) {
    (void)stream;
    return host_gather(context, from, to, bytes);
}

static gnd_status split(void *context, int color, int key, gnd_transport *out) {
    (void)context, (void)key;
    if (color >= 0) gndi_transport_alone(out);
    return GND_OK;
}

static void closed(void *context) {
    (void)context;
}

void gndi_transport_alone(gnd_transport *out) {
    *out = (gnd_transport){.size = 1,
                           .memory = gnd_current_device().kind,
                           .synchronous = true,
                           .exchange = exchange,
                           .all_gather = all_gather,
                           .split = split,
                           .close = closed,
                           .host_gather = host_gather};
}
