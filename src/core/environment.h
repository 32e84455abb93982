/*
 * environment.h: the environment variables listed in environment.def. A variable that is unset or empty has its
 * default. So has an invalid one, but the call that opens the first device refuses it with an error.
 */
#ifndef GNDI_ENVIRONMENT_H
#define GNDI_ENVIRONMENT_H

#include "core/core.h"

typedef enum gndi_variable {
#define VARIABLE(name, kind, least, most, words) GNDI_##name,
#include "core/environment.def"
#undef VARIABLE
    GNDI_VARIABLES
} gndi_variable;

/* As it is; NULL if it is not set, or empty. */
const char *gndi_env_text(gndi_variable v);
/* The value of a number or switch, or the index of a choice; `otherwise` if it is unset or invalid. */
int64_t gndi_env_number(gndi_variable v, int64_t otherwise);
/* A device; false if it is none. Whether there is such a device is another question. */
bool gndi_env_device(gnd_device *device);
/* Whether a list with commas has the name. */
bool gndi_env_lists(gndi_variable v, const char *name);
/* Raises if a variable's value is invalid, with the value and what it may be. `is_library` knows libraries' names. */
gnd_status gndi_env_check(const char *fn, bool (*is_library)(const char *name, size_t length));

#endif
