/*
 * tree.c: the tree of measurements: read from a file, written to one, looked into, and what follows
 * from it: speed-ups, shares of a copy's bandwidth, and the size from which on the GPU is faster.
 */
#include "gnd_bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- looking ------------------------------------------------------------------------------------ */

static const cJSON *item_in(const cJSON *object, const char *path) {
    char key[64];
    while (object && *path) {
        const size_t length = strcspn(path, ".");
        if (length >= sizeof key) return NULL;
        memcpy(key, path, length);
        key[length] = 0;
        object = cJSON_GetObjectItemCaseSensitive(object, key);
        path += length + (path[length] == '.');
    }
    return object;
}

double number_in(const cJSON *object, const char *path) {
    const cJSON *item = item_in(object, path);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

const char *text_in(const cJSON *object, const char *path) {
    const cJSON *item = item_in(object, path);
    return cJSON_IsString(item) ? item->valuestring : "";
}

const cJSON *first_in(const cJSON *object, const char *key) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key);
    return list ? list->child : NULL;
}

bool has_gpu(const cJSON *tree) {
    return cJSON_IsObject(item_in(tree, "devices.gpu"));
}

/* ---- files -------------------------------------------------------------------------------------- */

static char *read_text(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0, room = 0;
    while (f && !ferror(f) && !feof(f)) {
        if (length + 1 >= room) {
            char *more = realloc(text, room = 2 * room + 65536);
            if (!more) break;
            text = more;
        }
        length += fread(text + length, 1, room - length - 1, f);
        text[length] = 0;
    }
    const bool whole = f && !ferror(f) && feof(f);
    if (!whole) fprintf(stderr, "gnd-bench: %s: %s\n", path, strerror(errno));
    if (f) fclose(f);
    if (whole) return text;
    free(text);
    return NULL;
}

/* Every workload has a name and results that are objects: what other parts rely on. */
static bool is_tree(const cJSON *tree) {
    const cJSON *workloads = item_in(tree, "workloads"), *w, *r;
    if (strcmp(text_in(tree, "format"), FORMAT) != 0 || !cJSON_IsArray(workloads)) return false;
    for (w = workloads->child; w; w = w->next) {
        const cJSON *results = item_in(w, "results");
        if (!*text_in(w, "name") || !cJSON_IsArray(results)) return false;
        for (r = results->child; r; r = r->next)
            if (!(number_in(r, "size") >= 1)) return false;
    }
    return true;
}

cJSON *read_tree(const char *path) {
    char *text = read_text(path);
    if (!text) return NULL;
    cJSON *tree = cJSON_Parse(text);
    free(text);
    if (is_tree(tree)) return tree;
    fprintf(stderr, "gnd-bench: %s: not what gnd-bench --json writes\n", path);
    cJSON_Delete(tree);
    return NULL;
}

bool write_text(const char *path, const char *const pieces[]) {
    const bool to_stdout = strcmp(path, "-") == 0;
    FILE *f = to_stdout ? stdout : fopen(path, "wb");
    bool written = f != NULL;
    for (int i = 0; written && pieces[i]; i++) written = fputs(pieces[i], f) >= 0;
    if (f && !to_stdout && fclose(f)) written = false;
    if (to_stdout && fflush(stdout)) written = false;
    if (!written) fprintf(stderr, "gnd-bench: %s: %s\n", path, strerror(errno));
    return written;
}

bool write_json(const cJSON *tree, const char *path) {
    char *text = cJSON_Print(tree);
    const bool written = text && write_text(path, (const char *const[]){text, "\n", NULL});
    cJSON_free(text);
    return written;
}

/* ---- deriving ----------------------------------------------------------------------------------- */

/* Sets a number in an object, null if it is none. */
static void set_number(cJSON *object, const char *name, double value) {
    cJSON *item = isnan(value) ? cJSON_CreateNull() : cJSON_CreateNumber(value);
    cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    cJSON_AddItemToObject(object, name, item);
}

/* A share of the rate at which the device copies; NAN where it says nothing. */
static double share(const cJSON *tree, const cJSON *w, const cJSON *r, const char *device, const char *time) {
    char path[64];
    snprintf(path, sizeof path, "devices.%s.copy", device);
    const double rate = number_in(tree, path);
    if (cJSON_IsTrue(item_in(w, "computes")) || !(rate > 0)) return NAN;
    return number_in(r, "bytes") / number_in(r, time) / rate;
}

static void derive_result(const cJSON *tree, const cJSON *w, cJSON *r) {
    const double cpu = number_in(r, "cpu.device.median"), gpu = number_in(r, "gpu.device.median");
    set_number(r, "speed_up", cpu / gpu);
    set_number(r, "speed_up_with_transfers", cpu / number_in(r, "gpu_transfers.total.median"));
    set_number(r, "cpu_share", share(tree, w, r, "cpu", "cpu.device.median"));
    set_number(r, "gpu_share", share(tree, w, r, "gpu", "gpu.device.median"));
}

/* The size from which on a speed-up is at least 1: between two sizes on a line through them, in
   logarithms. NAN if it is never so. Sizes that were not measured are passed over. */
static double wins_from(const cJSON *results, const char *speed_up) {
    double from = NAN, last_size = NAN, last = NAN;
    const cJSON *r;
    for (r = results->child; r; r = r->next) {
        const double size = number_in(r, "size"), s = number_in(r, speed_up);
        if (isnan(s)) continue;
        if (s < 1)
            from = NAN;
        else if (isnan(from))
            from = last < 1 ? last_size * pow(size / last_size, log(last) / log(last / s)) : size;
        last_size = size, last = s;
    }
    return from;
}

void derive(cJSON *tree) {
    const cJSON *workloads = item_in(tree, "workloads");
    for (cJSON *w = workloads ? workloads->child : NULL; w; w = w->next) {
        const cJSON *results = item_in(w, "results");
        for (cJSON *r = results->child; r; r = r->next) derive_result(tree, w, r);
        set_number(w, "wins_from", wins_from(results, "speed_up"));
        set_number(w, "wins_from_with_transfers", wins_from(results, "speed_up_with_transfers"));
    }
}
