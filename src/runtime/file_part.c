/*
 * file_part.c: reads a part of a file at given bytes, from any thread.
 */
#define _POSIX_C_SOURCE 200809L
#include "runtime/runtime.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

int gndi_file_part_read(const gndi_file_part *part, int64_t from, void *to, size_t bytes) {
    enum { MOST = 1 << 30 }; /* that one call is asked for */
    for (size_t done = 0; done < bytes;) {
        const size_t want = bytes - done < MOST ? bytes - done : MOST;
        const ssize_t got = pread(part->file, (char *)to + done, want, (off_t)(part->offset + from + (int64_t)done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) return -1;
        done += (size_t)got;
    }
    return 0;
}

gnd_status gndi_file_part_check(const gndi_file_part *part, int problem, const char *fn) {
    if (problem == 0) return GND_OK;
    if (problem > 0) return gndi_raise(GND_ERROR_IO, fn, "cannot read %s: %s", part->name, strerror(problem));
    return gndi_raise(GND_ERROR_IO, fn, "%s has become shorter while it was read", part->name);
}
