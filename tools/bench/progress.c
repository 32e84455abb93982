/*
 * progress.c: a bar that says how far the run is, on stderr, where that is a terminal.
 */
#define _POSIX_C_SOURCE 200809L /* isatty */
#include "gnd_bench.h"

#include <stdio.h>
#include <unistd.h>

#define WIDTH 30

static int total; /* 0: no bar */

void progress_begin(int count) {
    total = isatty(STDERR_FILENO) ? count : 0;
}

void progress_show(int done, const char *what, double seconds_left) {
    if (total <= 0) return;
    static const char full[] = "##############################", empty[] = "..............................";
    const int filled = done >= total ? WIDTH : (int)((long)WIDTH * done / total);
    const int left = seconds_left > 0 ? (int)seconds_left : 0;
    fprintf(stderr, "\r[%.*s%.*s] %3d%%  %d:%02d left at most  %-32.32s", filled, full, WIDTH - filled, empty,
            (int)(100L * done / total), left / 60, left % 60, what);
    fflush(stderr);
}

void progress_end(void) {
    if (total > 0) fprintf(stderr, "\r%*s\r", 100, "");
    total = 0;
}
