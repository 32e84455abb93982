/*
 * jit_cache.h: the cache of compiled code on disk: $XDG_CACHE_HOME/gnd, else ~/.cache/gnd. An entry is a
 * file named by the hash of its key. It holds the key, the data, and a checksum of both. Files are written
 * under a temporary name and renamed, so any number of processes may share the directory. Truncated or
 * damaged entries, and those of another key, are ignored and replaced. The directory holds at most
 * GND_CACHE_BYTES (256 MiB); the least recently used entries are removed first. Without a usable directory,
 * or with GND_CACHE=off, nothing is cached.
 */
#ifndef GNDI_JIT_CACHE_H
#define GNDI_JIT_CACHE_H

#include "core/core.h"

/* The data kept under this key, to be given to gndi_free; NULL if there is none. */
void *gndi_jit_cache_find(const void *key, size_t key_bytes, size_t *bytes);
void gndi_jit_cache_store(const void *key, size_t key_bytes, const void *data, size_t bytes);

#endif
