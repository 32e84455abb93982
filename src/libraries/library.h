/*
 * library.h: libraries that are opened at their first use (cuBLAS, OpenBLAS, FFTW, ...), so that gnd
 * itself needs none of them. library_tables.h has the tables of their functions.
 */
#ifndef GNDI_LIBRARY_H
#define GNDI_LIBRARY_H

#include "core/core.h"
#include <stdatomic.h>

typedef struct gndi_library {
    const char *name;                             /* "cuBLAS" */
    const char *purpose;                          /* "linear algebra on the GPU" */
    const char *package;                          /* "the CUDA toolkit (package libcublas-13-0)" */
    const char *const *sonames;                   /* NULL-terminated, the best first */
    const char *const *symbols;                   /* NULL-terminated, in the order of the table's members */
    int optional;                                 /* the last so many of them may be missing: NULL in the table */
    void **table;                                 /* the typed struct of addresses, seen as an array */
    void (*opened)(void);                         /* called when it has been loaded; may be NULL */
    void (*version)(char *text, size_t capacity); /* asks the loaded library */
    atomic_int state;                             /* 0 not tried, 1 loaded, 2 missing */
    char path[256], problem[256];
} gndi_library;

/* Opens the first of the sonames that there is, once, and fills the table. Raises
   GND_ERROR_UNAVAILABLE with the library's name and package if that fails. Thread-safe. */
gnd_status gndi_library_load(gndi_library *lib, const char *fn);
/* Around dlopen, dlsym and dlclose: no thread forks between them. */
void gndi_loader_begin(void);
void gndi_loader_end(void);
/* Whether gnd can use a library of this name. */
bool gndi_is_library(const char *name, size_t length);

#endif
