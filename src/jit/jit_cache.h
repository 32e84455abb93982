/*
 * jit_cache.h: what was compiled, in a directory that outlives the process: $XDG_CACHE_HOME/gnd, else
 * ~/.cache/gnd. An entry is a file named by the hash of its key; it holds the whole key, the data, and a
 * checksum of both. Files are written under another name and renamed, so that any number of processes
 * may share the directory; what is truncated, damaged or another key's is as good as absent, and is
 * replaced. The directory holds GND_CACHE_BYTES (256 MiB) at most: what was not used for longest goes
 * first. A directory that cannot be made, read or written is done without, and so it is with GND_CACHE=off.
 */
#ifndef GNDI_JIT_CACHE_H
#define GNDI_JIT_CACHE_H

#include "core/core.h"

/* The data kept under this key, to be given to gndi_free; NULL if there is none. */
void *gndi_jit_cache_find(const void *key, size_t key_bytes, size_t *bytes);
void gndi_jit_cache_store(const void *key, size_t key_bytes, const void *data, size_t bytes);

#endif
