/*
 * jit_headers.h: gnd's own headers as text (embed.py makes jit_headers.c), for run-time compilation.
 */
#ifndef GNDI_JIT_HEADERS_H
#define GNDI_JIT_HEADERS_H

typedef struct gndi_jit_header {
    const char *name; /* "kernels/scalar/scalar_ops.h" */
    const char *text;
} gndi_jit_header;
extern const gndi_jit_header gndi_jit_headers[];
extern const int gndi_jit_header_count;
extern const char gndi_jit_headers_digest[]; /* of all of them */

#endif
