/*
 * sigmf.h: what reading and writing of SigMF share.
 */
#ifndef GNDI_SAMPLES_SIGMF_H
#define GNDI_SAMPLES_SIGMF_H

#include "libraries/library_tables.h"
#include "samples/samples.h"
#include <gnd/sigmf.h>

/* Where a recording's parts are. Paths are in memory of their own; those of an archive are the same. */
typedef struct gndi_sigmf_files {
    char *meta, *data;
    bool archive;
    int64_t meta_at, meta_bytes, data_at, data_bytes; /* of an archive; -1: it has none */
} gndi_sigmf_files;

/* The paths of both files, of any of the names that `path` may be. False, and raised. */
bool gndi_sigmf_names(const char *fn, const char *path, gndi_sigmf_files *files);
/* Where an open archive has its parts. */
bool gndi_sigmf_find_parts(const char *fn, gndi_sigmf_files *files, int file, int64_t length);
/* The path of a file beside the metadata, whose name it gives. */
bool gndi_sigmf_name_dataset(const char *fn, gndi_sigmf_files *files, const char *name);
void gndi_sigmf_free_names(gndi_sigmf_files *files);

#endif
