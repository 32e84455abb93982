/*
 * tokens.h: what there is to know of C++ text without a compiler: its tokens, lists with commas,
 * names, and dtypes by their names.
 */
#ifndef GNDI_KERNEL_TOKENS_H
#define GNDI_KERNEL_TOKENS_H

#include "core/core.h"

enum { GNDI_KERNEL_NAME = 64 }; /* bytes of a name */

/* A piece of a text: a token, an item of a list. */
typedef struct gndi_piece {
    const char *text;
    size_t length;
} gndi_piece;

bool gndi_piece_is(gndi_piece p, const char *word);
bool gndi_piece_is_name(gndi_piece p);
/* NULL and an error: no memory. */
char *gndi_piece_copy(const char *fn, gndi_piece p);
/* Without the blanks around it. */
gndi_piece gndi_trimmed(const char *from, const char *to);
/* The word that it ends with: of "float x" the name; empty if it ends otherwise. */
gndi_piece gndi_last_word(gndi_piece p);
/* A letter, digit or underscore. */
bool gndi_is_word(char c);

/* A name, a number, a string, "::", "->", or one other character; comments are blanks. *at goes
   behind it; length 0 at the end. */
gndi_piece gndi_next_token(const char **at, const char *end);
/* "a<b, c>, d": what stands before the next comma that is outside of brackets, without blanks and
   comments around it. *at goes behind the comma; NULL: it was the last one. */
gndi_piece gndi_next_item(const char **at, const char *end);

/* Whether the text has this identifier, or other token, outside of comments, strings and members (a.i, a::i, a->i).
   */
bool gndi_text_says(const char *text, const char *identifier);
/* Whether brackets close in order (text goes into functions, and is not to leave them); raises if
   not. */
bool gndi_check_brackets(const char *fn, const char *what, const char *text);

/* Whether it can be a name of C++ that is free for users; raises if not. */
bool gndi_kernel_name_ok(const char *fn, const char *what, const char *name, size_t length);
/* A dtype by gnd's name or C's; NONE if there is none. */
gnd_dtype gndi_kernel_dtype(const char *name, size_t length);

#endif
