/*
 * compare.c: this run beside an earlier one: the time of each workload, size and device that both have,
 * as a part of what it was.
 */
#include "gnd_bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOISE 1.1 /* two runs differ by this much */

typedef struct tally {
    int count, faster, slower;
    double log_sum;
} tally;

static const cJSON *find_workload(const cJSON *tree, const char *name) {
    const cJSON *w;
    for (w = first_in(tree, "workloads"); w; w = w->next)
        if (strcmp(text_in(w, "name"), name) == 0) return w;
    return NULL;
}

static const cJSON *find_size(const cJSON *in, double size) {
    const cJSON *r;
    for (r = first_in(in, "results"); r; r = r->next)
        if (number_in(r, "size") == size) return r;
    return NULL;
}

static void compare_result(const char *name, const cJSON *now, const cJSON *old, const char *device, const char *time,
                           tally *t) {
    char path[64];
    snprintf(path, sizeof path, "%s.%s", device, time);
    const double before = number_in(old, path), after = number_in(now, path);
    const double part = after / before;
    if (!(part > 0)) return;
    t->count++, t->log_sum += log(part);
    t->faster += part<1 / NOISE, t->slower += part> NOISE;
    printf("%-22s %6s %-13s %9s %9s  %6.2f%s\n", name, size_text(number_in(now, "size")), device, time_text(before),
           time_text(after), part,
           part > NOISE       ? "  slower"
           : part < 1 / NOISE ? "  faster"
                              : "");
}

void print_comparison(const cJSON *tree, const cJSON *old) {
    const cJSON *w, *r;
    tally t = {0};
    printf("\n%-22s %6s %-13s %9s %9s  %6s\n", "workload", "size", "device", "before", "now", "part");
    for (w = first_in(tree, "workloads"); w; w = w->next) {
        const char *name = text_in(w, "name");
        const cJSON *before = find_workload(old, name);
        for (r = first_in(w, "results"); r; r = r->next) {
            const cJSON *result = find_size(before, number_in(r, "size"));
            compare_result(name, r, result, "cpu", "device.median", &t);
            compare_result(name, r, result, "gpu", "device.median", &t);
            compare_result(name, r, result, "gpu_transfers", "total.median", &t);
        }
    }
    if (!t.count) {
        printf("the two runs have nothing in common\n");
        return;
    }
    printf("%d times compared with %s (gnd %s): %d slower, %d faster; on average %.2f of what it "
           "was\n",
           t.count, text_in(old, "date"), text_in(old, "gnd"), t.slower, t.faster, exp(t.log_sum / t.count));
}
