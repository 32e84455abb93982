/*
 * window.h: memory of each rank that all other ranks of the mesh write (window.c).
 */
#ifndef GNDI_DIST_WINDOW_H
#define GNDI_DIST_WINDOW_H

#include "dist/exchange.h"

/* Whether windows of so many bytes are worth their barriers: the same on all ranks. */
bool gndi_window_pays(const gnd_mesh *mesh, int64_t bytes);
/* Makes link->windows, with so many bytes or more of each rank: `bytes` is the same on all ranks. Collective, and so is
   the result; false: there is none. It stays for later calls. */
bool gndi_window_for(gnd_mesh *mesh, const char *fn, int64_t bytes);
/* All ranks meet in stream order, on link->beside, behind what is queued on stream `after` (NULL: the current one).
   What is to be behind it waits for link->join. Collective; a rank that failed takes part. */
gnd_status gndi_window_barrier(gnd_mesh *mesh, const char *fn, gnd_stream *after);
/* Gives up the others' memory; and this rank's, when the others have done so. */
void gndi_window_close(gndi_link *link);
void gndi_window_release(gndi_link *link);

/* For the tests: what takes so many bytes goes this way, on the CPU too. */
GND_API void gndi_dist_window_from(int64_t bytes);

#endif
