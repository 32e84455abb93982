/*
 * compiler.h: runs the system's compiler in a temporary directory.
 */
#ifndef GNDI_JIT_COMPILER_H
#define GNDI_JIT_COMPILER_H

#include "jit/text.h"

enum { GNDI_JIT_PATH = 512 };

/* A new folder in $TMPDIR, else /tmp, that only this user may look into; its name has room for GNDI_JIT_PATH
   bytes (folder.c). */
gnd_status gndi_jit_make_directory(const char *fn, char *path);
/* Removes a folder and all that is in it. */
void gndi_jit_remove_directory(const char *path);
bool gndi_jit_write_file(const char *path, const void *data, size_t bytes);
/* Adds the file's first bytes to the text. */
bool gndi_jit_read_file(const char *path, size_t most, gndi_text *text);

/* A command, word by word. {0} is empty. */
typedef struct gndi_jit_command {
    char **words; /* ends with a NULL */
    int count, capacity;
    bool failed; /* no memory */
} gndi_jit_command;
void gndi_jit_command_add(gndi_jit_command *command, const char *fmt, ...) GND_PRINTF(2, 3);
/* Those that spaces separate. */
void gndi_jit_command_add_words(gndi_jit_command *command, const char *words);
void gndi_jit_command_free(gndi_jit_command *command);
/* Runs it and waits; what it prints goes to the file `log` in the folder, where its temporary files are, too. Its
   exit status, -1 if it did not run. If this process is killed, the command and the folder go with it. */
int gndi_jit_run(const gndi_jit_command *command, const char *directory);

#endif
