/*
 * gnd_bench.h: what the parts of gnd-bench share. Measurements are a JSON tree from the moment they are
 * made: the table, the report and the comparison read it, whether it comes from this run or a file.
 *
 *     {"format": "gnd-bench 1", "gnd": "0.1.0", "date": ..., "system": "Linux", "settings": {...},
 *      "devices": {"cpu": {"name": ..., "threads": 16, "copy": bytes a second}, "gpu": {...} or null},
 *      "libraries": [...],
 *      "workloads": [{"name": "sort.sort", "category": "sort", "text": ..., "computes": false,
 *          "wins_from": size, "wins_from_with_transfers": size or null,
 *          "results": [{"size": 1000, "shape": "1000", "bytes": ..., "operations": ...,
 *              "cpu": M, "gpu": M, "gpu_transfers": M, "speed_up": ..., ...}]}]}
 *
 * where M is {"device": {"mean", "deviation", "min", "max", "median"}, "host": ..., "total": ...,
 * "n_repeat", "n_calls"} in seconds a call, {"skipped": why} or {"error": what}.
 */
#ifndef GND_BENCH_H
#define GND_BENCH_H

#include <cjson/cJSON.h>
#include <gnd.h>

#include "catalogue.h"

#define FORMAT "gnd-bench 1"
#define MAX_SIZES 64
#define MAX_PATTERNS 64

typedef struct settings {
    const char *patterns[MAX_PATTERNS];
    int pattern_count;
    int64_t sizes[MAX_SIZES]; /* rising */
    int size_count;
    double seconds; /* for all */
    bool cpu, gpu, transfers, quick, quiet;
    int gpu_index;
    const char *json, *html, *from, *compare; /* files; NULL: none */
} settings;

/* One workload at one size on one device. */
typedef struct measured_case {
    const workload *what;
    int64_t n;
    gnd_device where;
    bool transfers; /* its inputs come from the host, and its result goes there */
    double seconds; /* to spend */
} measured_case;

/* measure.c. Adds shape and bytes to `result`, and returns M; errors are in it, none stays pending. */
cJSON *measure(const measured_case *c, cJSON *result);
/* Gives back what measurements with transfers keep for the next one. */
void release_host_memory(void);
/* Bytes a second of a large copy within a device; of one from or to the host's pageable memory. 0 if it
   fails. */
double copy_rate(gnd_device device, size_t bytes);
double transfer_rate(gnd_device device, size_t bytes, bool to_device);

/* run.c: the tree of a whole run; NULL and a sentence on stderr if there is nothing to run. */
cJSON *run_catalogue(const settings *s);
/* Whether a workload is one of those that were asked for. */
bool is_wanted(const settings *s, const char *name);
double seconds_now(void);

/* tree.c: reading and deriving. */
cJSON *read_tree(const char *path);                            /* NULL and a sentence on stderr */
bool write_text(const char *path, const char *const pieces[]); /* "-": stdout; NULL ends */
double number_in(const cJSON *object, const char *path);       /* "gpu.device.median"; NAN */
const char *text_in(const cJSON *object, const char *path);    /* "" */
const cJSON *first_in(const cJSON *object, const char *key);   /* of a list; NULL */
bool has_gpu(const cJSON *tree);
void derive(cJSON *tree); /* speed-ups, shares, where the GPU starts to win */

/* table.c, compare.c, report.c */
void print_table(const cJSON *tree);
void print_catalogue(void);
void print_comparison(const cJSON *tree, const cJSON *old);
bool write_report(const cJSON *tree, const char *path);
bool write_json(const cJSON *tree, const char *path);

/* text.c: from a ring of buffers. */
const char *time_text(double seconds);    /* "2.63 us" */
const char *size_text(double n);          /* "10^6", "316" */
const char *rate_text(double per_second); /* "4.3 T" */
const char *share_text(double share);     /* "45 %"; "" for NAN */
const char *factor_text(double factor);   /* "1.3 x" */
const char *not_to_text(double size);     /* "not to 10^6" */

/* progress.c: a bar on stderr if that is a terminal. */
void progress_begin(int count);
void progress_show(int done, const char *what, double seconds_left);
void progress_end(void);

#endif
