/*
 * gnd_info.h: what gnd-info knows when it has looked around (facts.c), and the two ways to tell it.
 */
#ifndef GND_INFO_H
#define GND_INFO_H

#include <gnd.h>

enum { MOST_GPUS = 64, MOST_LIBRARIES = 64, MOST_VARIABLES = 64 };

typedef struct facts {
    const gnd_build *build;
    char library[4096]; /* the file that libgnd was loaded from; empty: it is part of the program */
    gnd_device_properties cpu, gpu[MOST_GPUS];
    int gpus;
    const char *no_gpu;                         /* why there is none to use, a sentence; NULL if there is one */
    char driver[64];                            /* the NVIDIA driver's release; empty if none is loaded */
    char first[16];                             /* the device that programs start on: "cpu", "gpu:0" */
    gnd_library_info libraries[MOST_LIBRARIES]; /* the C++ compiler is the last of them */
    int library_count;
    const char *variables[MOST_VARIABLES]; /* of the environment, those that gnd reads: "NAME=value" */
    int variable_count;
} facts;

/* Looks around. Loads all libraries, opens no device. */
void find_facts(facts *f);

void print_text(FILE *out, const facts *f);
/* false, and a sentence on stderr, if this gnd-info was built without cJSON, or memory is short. */
bool print_json(FILE *out, const facts *f);

#endif
