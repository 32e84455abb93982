/*
 * report.c: the report, one page of HTML that holds all it needs. The page with its styles and programs
 * is put together when gnd-bench is built (page.py); what is missing are the measurements.
 */
#include "gnd_bench.h"

#include <stdlib.h>
#include <string.h>

/* page.c, made by page.py: what stands before the measurements and behind them. */
extern const char page_before[], page_behind[];

/* JSON that may stand in a <script>: no "<" that could end it. It only occurs in strings. */
static char *without_tags(const char *json) {
    size_t tags = 0;
    for (const char *p = json; *p; p++) tags += *p == '<';
    char *text = malloc(strlen(json) + 5 * tags + 1), *to = text;
    for (const char *p = json; text && *p; p++)
        if (*p == '<') {
            memcpy(to, "\\u003c", 6);
            to += 6;
        } else
            *to++ = *p;
    if (text) *to = 0;
    return text;
}

bool write_report(const cJSON *tree, const char *path) {
    char *json = cJSON_PrintUnformatted(tree), *data = json ? without_tags(json) : NULL;
    const bool written = data && write_text(path, (const char *const[]){page_before, data, page_behind, NULL});
    free(data);
    cJSON_free(json);
    return written;
}
