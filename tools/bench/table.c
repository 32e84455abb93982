/*
 * table.c: the measurements as a table in the terminal, a line for each workload and size; and the
 * catalogue.
 */
#define _POSIX_C_SOURCE 200809L /* isatty */
#include "gnd_bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool styled(void) {
    return isatty(STDOUT_FILENO);
}

static void print_device(const cJSON *tree, const char *key, const char *called) {
    const cJSON *d = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(tree, "devices"), key);
    if (!cJSON_IsObject(d)) return;
    printf("%s: %s", called, text_in(d, "name"));
    if (number_in(d, "threads") > 0) printf(", %.0f threads", number_in(d, "threads"));
    printf("; copies %sB/s", rate_text(number_in(d, "copy")));
    if (number_in(d, "from_host") > 0)
        printf(", from the host %sB/s, to it %sB/s", rate_text(number_in(d, "from_host")),
               rate_text(number_in(d, "to_host")));
    printf("\n");
}

/* Why there is no time; "" if there is one. */
static const char *why_not(const cJSON *r, const char *key) {
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(r, key);
    const char *error = text_in(m, "error");
    return *error ? error : text_in(m, "skipped");
}

/* A result on both devices; times are what a call takes, back to back. */
static void print_both(const char *name, const cJSON *r) {
    const double speed_up = number_in(r, "speed_up");
    const bool wins = speed_up >= 1 && styled();
    printf("%-22s %6s %9s %9s %9s %9s  %s%8s%s %8s %7s", name, size_text(number_in(r, "size")),
           time_text(number_in(r, "cpu.device.median")), time_text(number_in(r, "gpu.device.median")),
           time_text(number_in(r, "gpu.host.median")), time_text(number_in(r, "gpu_transfers.total.median")),
           wins ? "\033[1;32m" : "", factor_text(speed_up), wins ? "\033[0m" : "",
           factor_text(number_in(r, "speed_up_with_transfers")), share_text(number_in(r, "gpu_share")));
}

static void print_one(const char *name, const cJSON *r, const char *device) {
    char path[64];
    double values[4];
    static const char *const what[] = {"device.median", "host.median", "device.min", "device.max"};
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s.%s", device, what[i]);
        values[i] = number_in(r, path);
    }
    snprintf(path, sizeof path, "%s_share", device);
    printf("%-22s %6s %9s %9s %9s %9s %9s %7s", name, size_text(number_in(r, "size")), time_text(values[0]),
           time_text(values[1]), time_text(values[2]), time_text(values[3]),
           number_in(r, "operations") > 0 ? rate_text(number_in(r, "operations") / values[0]) : "",
           share_text(number_in(r, path)));
}

static void print_result(const cJSON *tree, const cJSON *w, const cJSON *r, bool first) {
    const char *name = first ? text_in(w, "name") : "";
    const bool cpu = cJSON_HasObjectItem(r, "cpu"), gpu = has_gpu(tree);
    if (cpu && gpu)
        print_both(name, r);
    else
        print_one(name, r, gpu ? "gpu" : "cpu");
    const char *why = cpu ? why_not(r, "cpu") : "";
    if (!*why) why = why_not(r, "gpu");
    if (!*why) why = why_not(r, "gpu_transfers");
    printf(*why ? "  %.60s\n" : "\n", why);
}

/* The size from which the GPU wins, or up to which it does not. */
static const char *win_text(const cJSON *w, const char *from, const char *speed_up) {
    const double size = number_in(w, from);
    double last = NAN;
    if (!isnan(size)) return size_text(size);
    for (const cJSON *r = first_in(w, "results"); r; r = r->next)
        if (!isnan(number_in(r, speed_up))) last = number_in(r, "size");
    return not_to_text(last);
}

/* Where the GPU starts to win, a line a workload. */
static void print_wins(const cJSON *tree) {
    printf("\n%-22s %16s %24s\n", "the GPU wins from", "data on the GPU", "transfers counted");
    for (const cJSON *w = first_in(tree, "workloads"); w; w = w->next)
        printf("%-22s %16s %24s\n", text_in(w, "name"), win_text(w, "wins_from", "speed_up"),
               win_text(w, "wins_from_with_transfers", "speed_up_with_transfers"));
}

void print_table(const cJSON *tree) {
    const cJSON *w, *r;
    const bool both = has_gpu(tree) && number_in(tree, "devices.cpu.copy") >= 0;
    printf("gnd %s, %s\n", text_in(tree, "gnd"), text_in(tree, "date"));
    print_device(tree, "cpu", "CPU");
    print_device(tree, "gpu", "GPU");
    printf("\n%s", styled() ? "\033[1m" : "");
    if (both)
        printf("%-22s %6s %9s %9s %9s %9s  %8s %8s %7s", "workload", "size", "CPU", "GPU", "GPU host", "+ copies",
               "speed-up", "+ copies", "of copy");
    else
        printf("%-22s %6s %9s %9s %9s %9s %9s %7s", "workload", "size", "time", "host", "min", "max", "flop/s",
               "of copy");
    printf("%s\n", styled() ? "\033[0m" : "");
    for (w = first_in(tree, "workloads"); w; w = w->next) {
        bool first = true;
        for (r = first_in(w, "results"); r; r = r->next) {
            print_result(tree, w, r, first);
            first = false;
        }
    }
    if (both) print_wins(tree);
}

void print_catalogue(void) {
    for (int i = 0; catalogue_at(i); i++) printf("%-24s %s\n", catalogue_at(i)->name, catalogue_at(i)->text);
}
