/*
 * main.c: gnd-info, which tells how the gnd of this machine was built, which devices it can use, and
 * which libraries it finds or lacks.
 */
#include "gnd_info.h"
#include <argp.h>

static error_t take_option(int key, char *argument, struct argp_state *state) {
    (void)argument;
    bool *json = state->input;
    switch (key) {
    case 'j': *json = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "it takes no arguments, and \"%s\" is one", argument); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void print_version(FILE *out, struct argp_state *state) {
    (void)state;
    fprintf(out, "gnd-info (gnd) %s\n", gnd_version());
}

int main(int count, char **arguments) {
    static const struct argp_option options[] = {
        {"json", 'j', NULL, 0, "Print a JSON object", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = take_option,
        .doc = "Tells how gnd was built, which devices it can use, and which of the libraries that "
               "it opens "
               "at first use are there: their versions and paths, or the packages that have them.",
    };
    static facts found;
    bool json = false;
    argp_program_version_hook = print_version;
    argp_err_exit_status = 2;
    argp_parse(&argp, count, arguments, 0, NULL, &json);
    find_facts(&found);
    if (!json) print_text(stdout, &found);
    if (json && !print_json(stdout, &found)) return 1;
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
