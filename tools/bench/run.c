/*
 * run.c: a run: the machine, then every workload on every device, from the smallest size to the largest,
 * so that a time budget that is too short takes the largest ones. What would take more than its share of
 * the time left, judged by the size before, is skipped, and said to be.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, gethostname */
#include "gnd_bench.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#define SHORT_SECONDS 0.04 /* to spend on one measurement, at most, */
#define LONG_SECONDS 0.1   /* of more than a million elements, where the host has a part in it */
/* A call is made twice; it may take this many times the share that a measurement has of the time left. */
#define PATIENCE 1.5

typedef enum variant { ON_CPU, ON_GPU, ON_GPU_WITH_TRANSFERS, VARIANTS } variant;
static const char *const variant_key[] = {"cpu", "gpu", "gpu_transfers"};
static const char *const variant_text[] = {"CPU", "GPU", "GPU with transfers"};

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool is_wanted(const settings *s, const char *name) {
    for (int i = 0; i < s->pattern_count; i++)
        if (strstr(name, s->patterns[i]) || fnmatch(s->patterns[i], name, 0) == 0) return true;
    return s->pattern_count == 0;
}

/* ---- the machine -------------------------------------------------------------------------------- */

static bool is_on(const settings *s, variant v) {
    return v == ON_CPU ? s->cpu : v == ON_GPU ? s->gpu : s->gpu && s->transfers;
}

static gnd_device device_of(const settings *s, variant v) {
    return v == ON_CPU ? gnd_cpu() : gnd_gpu(s->gpu_index);
}

static cJSON *describe_device(const settings *s, gnd_device device) {
    gnd_device_properties p;
    if (gnd_device_properties_of(device, &p)) return NULL;
    const bool is_gpu = device.kind == GND_GPU;
    const size_t bytes = s->quick ? (size_t)1 << 26 : (size_t)1 << 28;
    cJSON *d = cJSON_CreateObject();
    cJSON_AddStringToObject(d, "name", p.name);
    cJSON_AddNumberToObject(d, is_gpu ? "multiprocessors" : "threads", p.processors);
    cJSON_AddNumberToObject(d, "memory", (double)p.memory_bytes);
    cJSON_AddNumberToObject(d, "copy", copy_rate(device, is_gpu ? 4 * bytes : bytes));
    if (is_gpu) {
        cJSON_AddNumberToObject(d, "from_host", transfer_rate(device, bytes, true));
        cJSON_AddNumberToObject(d, "to_host", transfer_rate(device, bytes, false));
    }
    return d;
}

static void add_libraries(cJSON *tree) {
    cJSON *list = cJSON_AddArrayToObject(tree, "libraries");
    gnd_library_info info;
    for (int i = 0; i < gnd_library_count(); i++) {
        if (gnd_library_info_of(i, &info)) continue;
        cJSON *l = cJSON_CreateObject();
        cJSON_AddStringToObject(l, "name", info.name);
        cJSON_AddBoolToObject(l, "found", info.found);
        cJSON_AddStringToObject(l, info.found ? "version" : "package", info.found ? info.version : info.package);
        cJSON_AddItemToArray(list, l);
    }
    gnd_error_clear();
}

static cJSON *new_tree(const settings *s) {
    char date[32] = "";
    const time_t now = time(NULL);
    struct tm utc;
    struct utsname system;
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    cJSON *tree = cJSON_CreateObject();
    cJSON_AddStringToObject(tree, "format", FORMAT);
    cJSON_AddStringToObject(tree, "gnd", gnd_version());
    cJSON_AddStringToObject(tree, "date", date);
    if (uname(&system) == 0) cJSON_AddStringToObject(tree, "system", system.sysname);
    cJSON *settings_item = cJSON_AddObjectToObject(tree, "settings");
    cJSON_AddNumberToObject(settings_item, "seconds", s->seconds);
    cJSON_AddBoolToObject(settings_item, "quick", s->quick);
    cJSON_AddBoolToObject(settings_item, "transfers", s->gpu && s->transfers);
    cJSON *devices = cJSON_AddObjectToObject(tree, "devices");
    cJSON *cpu = s->cpu ? describe_device(s, gnd_cpu()) : NULL;
    cJSON *gpu = s->gpu ? describe_device(s, gnd_gpu(s->gpu_index)) : NULL;
    cJSON_AddItemToObject(devices, "cpu", cpu ? cpu : cJSON_CreateNull());
    cJSON_AddItemToObject(devices, "gpu", gpu ? gpu : cJSON_CreateNull());
    add_libraries(tree);
    return tree;
}

static cJSON *new_workload(const workload *w) {
    cJSON *item = cJSON_CreateObject();
    char category[32];
    snprintf(category, sizeof category, "%.*s", (int)strcspn(w->name, "."), w->name);
    cJSON_AddStringToObject(item, "name", w->name);
    cJSON_AddStringToObject(item, "category", category);
    cJSON_AddStringToObject(item, "text", w->text);
    cJSON_AddBoolToObject(item, "computes", w->flags & COMPUTES);
    cJSON_AddArrayToObject(item, "results");
    return item;
}

/* ---- what is worth starting --------------------------------------------------------------------- */

typedef struct run_state {
    const settings *s;
    double end;    /* of the time budget */
    int done, all; /* measurements */
    double weight; /* of those that are not done */
} run_state;

/* The part of the time that a measurement should have: large arrays take longer, large matrices still more,
   and the CPU longest. */
static double weight_of(const workload *w, variant v, int64_t n) {
    if (n < 1000000) return 1;
    return sqrt(1e-6 * (double)n) * (v == ON_CPU ? 2 : 1) * (w->flags & COMPUTES ? 4 : 1);
}

/* By how much longer a call takes at size n than at another one. */
static double growth(const workload *w, double size, double n) {
    const double ratio = n / size * log2(n + 2) / log2(size + 2);
    return w->operations ? fmax(ratio, w->operations(n) / w->operations(size)) : ratio;
}

/* What a call should take, from the last size that was measured; NAN if there is none. */
static double predicted(const measured_case *c, const char *key, const cJSON *results) {
    char path[64];
    double seconds = NAN;
    snprintf(path, sizeof path, "%s.total.median", key);
    for (const cJSON *r = results->child; r; r = r->next) {
        const double before = number_in(r, path);
        if (!isnan(before)) seconds = before * growth(c->what, number_in(r, "size"), (double)c->n);
    }
    return seconds;
}

/* The same from a hundredth of the size, measured for that: of large arrays that nothing is known of. */
static double probed(const measured_case *c) {
    measured_case probe = *c;
    probe.n /= 100, probe.seconds = 0;
    cJSON *unused = cJSON_CreateObject(), *m = measure(&probe, unused);
    const double seconds = number_in(m, "total.median") * growth(c->what, (double)probe.n, (double)c->n);
    cJSON_Delete(m);
    cJSON_Delete(unused);
    return seconds;
}

/* Whether a measurement, its inputs and some memory to work in fit. */
static bool fits(const cJSON *results, const measured_case *c) {
    size_t free_bytes = 0, total = 0, host_free = 0, host_total = 0;
    const cJSON *last = cJSON_GetArrayItem(results, cJSON_GetArraySize(results) - 2);
    const double before = number_in(last, "bytes") / number_in(last, "size");
    const double need = 3.0 * (double)c->n * (isnan(before) || before < 8 ? 8 : before);
    gnd_memory_info(c->where, &free_bytes, &total);
    gnd_memory_info(gnd_cpu(), &host_free, &host_total);
    gnd_error_clear();
    /* What a host says is free leaves out what it would give back at once. */
    const double room = c->where.kind == GND_GPU ? 0.8 * (double)free_bytes : 0.5 * (double)total;
    return need <= room && (!c->transfers || need <= 0.5 * (double)host_total);
}

static cJSON *skipped(const char *why) {
    cJSON *m = cJSON_CreateObject();
    cJSON_AddStringToObject(m, "skipped", why);
    return m;
}

static cJSON *measure_or_skip(run_state *state, const workload *w, variant v, int64_t n, cJSON *results,
                              cJSON *result) {
    const double left = state->end - seconds_now(), weight = weight_of(w, v, n);
    const double share = left * weight / state->weight;
    measured_case c = {w, n, device_of(state->s, v), v == ON_GPU_WITH_TRANSFERS,
                       fmin(0.6 * share, n > 1000000 && v != ON_GPU ? LONG_SECONDS : SHORT_SECONDS)};
    char why[64];
    state->weight -= weight;
    if (left <= 0) return skipped("no time left");
    if (!fits(results, &c)) return skipped("not enough memory");
    double call = predicted(&c, variant_key[v], results);
    if (isnan(call) && n > 1000000) call = probed(&c);
    if (call > PATIENCE * share) {
        snprintf(why, sizeof why, "no time for calls of about %s", time_text(call));
        return skipped(why);
    }
    return measure(&c, result);
}

/* ---- the run ------------------------------------------------------------------------------------ */

static void run_size(run_state *state, const workload *w, int64_t n, cJSON *results) {
    cJSON *result = cJSON_CreateObject();
    cJSON_AddNumberToObject(result, "size", (double)n);
    cJSON_AddItemToArray(results, result);
    for (variant v = 0; v < VARIANTS; v++) {
        if (!is_on(state->s, v)) continue;
        char what[96];
        snprintf(what, sizeof what, "%s %s %s", w->name, size_text((double)n), variant_text[v]);
        progress_show(state->done, what, state->end - seconds_now());
        cJSON *m = measure_or_skip(state, w, v, n, results, result);
        if (*text_in(m, "error")) {
            progress_end();
            fprintf(stderr, "gnd-bench: %s: %s\n", what, text_in(m, "error"));
            progress_begin(state->all);
        }
        cJSON_AddItemToObject(result, variant_key[v], m);
        state->done++;
    }
}

/* Counts the measurements of a workload. */
static void plan(run_state *state, const workload *w) {
    const settings *s = state->s;
    for (variant v = 0; v < VARIANTS; v++)
        for (int k = 0; is_on(s, v) && k < s->size_count; k++)
            state->all++, state->weight += weight_of(w, v, s->sizes[k]);
}

cJSON *run_catalogue(const settings *s) {
    run_state state = {.s = s, .end = seconds_now() + s->seconds};
    cJSON *workloads = cJSON_CreateArray();
    for (int i = 0; catalogue_at(i); i++)
        if (is_wanted(s, catalogue_at(i)->name)) {
            cJSON_AddItemToArray(workloads, new_workload(catalogue_at(i)));
            plan(&state, catalogue_at(i));
        }
    progress_begin(state.all);
    progress_show(0, "bandwidth and libraries", s->seconds);
    cJSON *tree = new_tree(s);
    cJSON_AddItemToObject(tree, "workloads", workloads);
    for (int k = 0; k < s->size_count; k++) {
        cJSON *item = workloads->child;
        for (int i = 0; catalogue_at(i); i++)
            if (is_wanted(s, catalogue_at(i)->name)) {
                run_size(&state, catalogue_at(i), s->sizes[k], cJSON_GetObjectItemCaseSensitive(item, "results"));
                item = item->next;
            }
        /* The next size has no use for blocks of this one. */
        for (variant v = 0; v <= ON_GPU; v++)
            if (is_on(s, v)) gnd_memory_trim(device_of(s, v));
        gnd_error_clear();
    }
    release_host_memory();
    progress_end();
    return tree;
}
