/*
 * main.c: gnd-bench: what the command line asks for, in order: measure or read, print, write.
 */
#define _GNU_SOURCE /* argp, setenv */
#include "gnd_bench.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUICK_SECONDS 10
#define QUICK_MAX 1e6

enum { NO_TRANSFERS = 256, FROM, COMPARE, MIN, MAX, QUIET };

static const struct argp_option options[] = {
    {"list", 'l', NULL, 0, "Print the catalogue of workloads", 1},
    {"sizes", 's', "N,...", 0, "Numbers of elements, as in 1000,1e6 (default: 100 to 1e8 by decade)", 2},
    {"min", MIN, "N", 0, "No smaller sizes", 2},
    {"max", MAX, "N", 0, "No larger sizes", 2},
    {"quick", 'q', NULL, 0, "Up to a million elements, in about ten seconds", 2},
    {"time", 't', "SECONDS", 0, "Time for all measurements (default: 60)", 2},
    {"device", 'd', "DEVICE", 0, "cpu, gpu, gpu:N, or all (default): the CPU, and the first GPU if there is one", 3},
    {"threads", 'T', "N", 0, "Threads of the CPU (default: its cores)", 3},
    {"no-transfers", NO_TRANSFERS, NULL, 0, "Do not time the GPU with transfers counted", 3},
    {"json", 'j', "FILE", 0, "Write the measurements; - is standard output, without the table", 4},
    {"html", 'H', "FILE", 0, "Write a report with plots, one page that needs no network", 4},
    {"from", FROM, "FILE", 0, "Measure nothing: show what --json wrote", 5},
    {"compare", COMPARE, "FILE", 0, "Compare with what --json wrote earlier", 5},
    {"quiet", QUIET, NULL, 0, "Print no table", 5},
    {NULL, 'h', NULL, OPTION_HIDDEN, NULL, 5},
    {0}};

typedef struct arguments {
    settings s;
    double min, max;
    const char *sizes, *device;
    bool list, gpu_asked;
} arguments;

static double number_of(struct argp_state *state, const char *option, const char *text, double low, double high) {
    char *end;
    const double x = strtod(text, &end);
    if (end == text || *end || !(x >= low && x <= high))
        argp_error(state, "--%s: \"%s\" is no number from %g to %g", option, text, low, high);
    return x;
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
    arguments *a = state->input;
    settings *s = &a->s;
    char threads[16];
    switch (key) {
    case 'l': a->list = true; break;
    case 's': a->sizes = text; break;
    case MIN: a->min = number_of(state, "min", text, 1, 1e12); break;
    case MAX: a->max = number_of(state, "max", text, 1, 1e12); break;
    case 'q': s->quick = true; break;
    case 't': s->seconds = number_of(state, "time", text, 0.01, 1e6); break;
    case 'd': a->device = text; break;
    case 'T': /* the library reads it at its first use, which is later */
        snprintf(threads, sizeof threads, "%d", (int)number_of(state, "threads", text, 1, 4096));
        setenv("GND_NUM_THREADS", threads, 1);
        break;
    case NO_TRANSFERS: s->transfers = false; break;
    case 'j': s->json = text; break;
    case 'H': s->html = text; break;
    case 'h': argp_state_help(state, stdout, ARGP_HELP_STD_HELP); break;
    case FROM: s->from = text; break;
    case COMPARE: s->compare = text; break;
    case QUIET: s->quiet = true; break;
    case ARGP_KEY_ARG:
        if (s->pattern_count == MAX_PATTERNS) argp_error(state, "too many patterns");
        s->patterns[s->pattern_count++] = text;
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp parser = {
    options,
    parse_option,
    "[PATTERN...]",
    "Times workloads on the CPU and the GPU, side by side, from tiny to large.\v"
    "A pattern is a part of a workload's name, or one with wildcards: sort, 'matmul.*'. All "
    "workloads "
    "without one. The manual page says what is measured, and how.",
    NULL,
    NULL,
    NULL};

/* ---- what follows from the arguments ------------------------------------------------------------ */

static int by_value(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool add_size(settings *s, double n) {
    if (s->size_count == MAX_SIZES) return false;
    s->sizes[s->size_count++] = (int64_t)(n + 0.5);
    return true;
}

static bool choose_sizes(arguments *a) {
    settings *s = &a->s;
    const double max = a->max > 0 ? a->max : s->quick ? QUICK_MAX : a->sizes ? 1e12 : 1e8;
    if (!a->sizes)
        for (double n = 100; n <= max * 1.0000001; n *= 10)
            if (n >= a->min) add_size(s, n);
    for (const char *p = a->sizes; p && *p;) {
        char *end;
        const double n = strtod(p, &end);
        if (end == p || (*end && *end != ',') || !(n >= 1 && n <= 1e12)) {
            fprintf(stderr, "gnd-bench: --sizes: \"%s\": numbers from 1 to 1e12, with commas between\n", a->sizes);
            return false;
        }
        if (n >= a->min && n <= max && !add_size(s, n)) {
            fprintf(stderr, "gnd-bench: --sizes: more than %d\n", MAX_SIZES);
            return false;
        }
        p = end + (*end == ',');
    }
    if (!s->size_count) {
        fprintf(stderr, "gnd-bench: no size is left between --min and --max\n");
        return false;
    }
    qsort(s->sizes, (size_t)s->size_count, sizeof *s->sizes, by_value);
    int kept = 1;
    for (int i = 1; i < s->size_count; i++)
        if (s->sizes[i] != s->sizes[kept - 1]) s->sizes[kept++] = s->sizes[i];
    s->size_count = kept;
    return true;
}

static bool choose_devices(arguments *a) {
    settings *s = &a->s;
    const char *d = a->device ? a->device : "all";
    const bool all = strcmp(d, "all") == 0;
    char rest;
    s->cpu = all || strcmp(d, "cpu") == 0;
    s->gpu = strcmp(d, "gpu") == 0 || (sscanf(d, "gpu:%d%c", &s->gpu_index, &rest) == 1 && s->gpu_index >= 0);
    if (!s->cpu && !s->gpu) {
        fprintf(stderr, "gnd-bench: --device: \"%s\"; cpu, gpu, gpu:N or all\n", d);
        return false;
    }
    const int count = s->gpu || all ? gnd_device_count(GND_GPU) : 0;
    if (s->gpu && s->gpu_index >= count) {
        fprintf(stderr, "gnd-bench: no %s: %s\n", d,
                gnd_gpu_unavailable() ? gnd_gpu_unavailable() : "there are fewer GPUs");
        return false;
    }
    if (all) s->gpu = count > 0;
    if (all && !s->gpu && !s->quiet)
        fprintf(stderr, "gnd-bench: the CPU alone: %s\n", gnd_gpu_unavailable() ? gnd_gpu_unavailable() : "no GPU");
    return true;
}

static bool any_wanted(const settings *s) {
    for (int i = 0; catalogue_at(i); i++)
        if (is_wanted(s, catalogue_at(i)->name)) return true;
    fprintf(stderr, "gnd-bench: no workload is like \"%s\"; --list shows them\n", s->patterns[0]);
    return false;
}

/* ---- what is done ------------------------------------------------------------------------------- */

static bool any_error(const cJSON *tree) {
    static const char *const errors[] = {"cpu.error", "gpu.error", "gpu_transfers.error"};
    const cJSON *w, *r;
    for (w = first_in(tree, "workloads"); w; w = w->next)
        for (r = first_in(w, "results"); r; r = r->next)
            for (int i = 0; i < 3; i++)
                if (*text_in(r, errors[i])) return true;
    return false;
}

/* Prints and writes what was measured or read. */
static bool show(cJSON *tree, const cJSON *old, const settings *s) {
    const bool on_stdout = (s->json && !strcmp(s->json, "-")) || (s->html && !strcmp(s->html, "-"));
    derive(tree);
    if (!s->quiet && !on_stdout) print_table(tree);
    if (old && !on_stdout) print_comparison(tree, old);
    bool good = !s->json || write_json(tree, s->json);
    if (s->html) good &= write_report(tree, s->html);
    return good && !any_error(tree);
}

int main(int argc, char **argv) {
    static arguments a = {.s = {.transfers = true}};
    char version[64];
    snprintf(version, sizeof version, "gnd-bench (gnd) %s", gnd_version());
    argp_program_version = version;
    if (argp_parse(&parser, argc, argv, 0, NULL, &a)) return 2;
    if (a.list) return print_catalogue(), 0;
    settings *s = &a.s;
    if (!(s->seconds > 0)) s->seconds = s->quick ? QUICK_SECONDS : 60;
    cJSON *old = s->compare ? read_tree(s->compare) : NULL, *tree = NULL;
    if (s->compare && !old) return 2;
    if (s->from)
        tree = read_tree(s->from);
    else if (any_wanted(s) && choose_sizes(&a) && choose_devices(&a))
        tree = run_catalogue(s);
    const int status = !tree ? 2 : show(tree, old, s) ? 0 : 1;
    cJSON_Delete(tree);
    cJSON_Delete(old);
    return status;
}
