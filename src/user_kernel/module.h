/*
 * module.h: modules of CUDA C++ inside the library: what is read off their text (module_parse.c),
 * their compiled images (module.c), and launches (launch.c).
 */
#ifndef GNDI_KERNEL_MODULE_H
#define GNDI_KERNEL_MODULE_H

#include "user_kernel/kernel.h"
#include <gnd/module.h>

enum { GNDI_MODULE_PARAMS = 64 };

/* A __global__ function of the text; pieces of it, as they stand there. */
typedef struct gndi_prototype {
    char *name;     /* with its namespaces: "my::scale" */
    char *template; /* what is between template < and >; NULL: it is none */
    char *params;   /* what is between ( and ) */
    bool whole;     /* no template, and all its parameters can be given */
} gndi_prototype;

typedef struct gndi_module_variable {
    char *name;
    bool constant; /* in __constant__ memory */
} gndi_module_variable;

/* What gnd_module_set has given a variable. */
typedef struct gndi_module_value {
    void *data;
    size_t bytes;
} gndi_module_value;

/* Functions compiled together for a device. */
typedef struct gndi_module_image {
    struct gndi_module_image *next;
    gndi_device *device;
    gndi_jit_module *module;
    char *name;               /* of the instance that was asked for later; NULL: all of the module's own */
    gndi_module_value *given; /* the module's own: of each variable, for images to come */
} gndi_module_image;

struct gnd_module {
    atomic_int refs;
    gndi_lock lock; /* of images */
    char name[GNDI_KERNEL_NAME];
    char *source, *host_source; /* host_source: as the CPU's compiler gets it */
    bool contract, barriers;
    int prototypes, variables, instances, flags;
    gndi_prototype *prototype;
    gndi_module_variable *variable;
    char **instance; /* options.names */
    char **flag;
    gndi_module_image *images;
};

/* What a parameter takes. */
typedef enum gndi_param_kind {
    GNDI_PARAM_NUMBER,
    GNDI_PARAM_POINTER, /* a C-contiguous array */
    GNDI_PARAM_ARRAY,   /* gnd::array<T>: any strides */
} gndi_param_kind;

typedef struct gndi_module_param {
    gndi_param_kind kind;
    gnd_dtype dtype, other; /* NONE: an array of any; `other`: is as good (complex64 for float2) */
    bool written;
    char text[96]; /* as in the source, for messages */
} gndi_module_param;

struct gndi_module_function {
    gnd_module *module;
    char *name; /* "scale<float>" */
    int params;
    gndi_module_param param[GNDI_MODULE_PARAMS];
};

/* ---- module_parse.c -------------------------------------------------------------------------- */

/* Finds the module's functions and variables, and makes host_source; false and an error. */
bool gndi_module_parse(const char *fn, gnd_module *m);
/* The parameters of a function by its name, with a template's arguments. */
gnd_status gndi_module_signature(const char *fn, const gnd_module *m, gndi_module_function *f);

/* ---- module.c -------------------------------------------------------------------------------- */

/* The code of a function for a device, compiled if it is not there yet. */
gnd_status gndi_module_code(const char *fn, const gndi_module_function *f, gndi_device *device, gnd_stream *stream,
                            gndi_jit_function *code);

#endif
